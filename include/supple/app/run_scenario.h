/* SPDX-License-Identifier: MIT */
/*
 * Supple: whole scenarios (supple/io/scenario.h): everything that an experiment learns from and is
 * tested with, simulated with inertia and without, under each gravity, and measured.
 */
#ifndef SUPPLE_APP_RUN_SCENARIO_H
#define SUPPLE_APP_RUN_SCENARIO_H

#include "supple/app/simulate_character.h"
#include "supple/io/scenario.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The secondary motion of one clip: what inertia adds to the equilibrium of every frame. */
typedef struct SupSecondary {
  const char *clip;
  bool unseen;
  double frequency; /* Hz: the strongest vibration */
  double amplitude; /* fraction of the height: the greatest distance from equilibrium, of the vertex
                       that only a twentieth of the skin exceeds */
  double worst;     /* fraction of the height: of any vertex */
  double rms;       /* fraction of the height: over all vertices and frames */
} SupSecondary;

/* Everything under one gravity; filled step by step. */
typedef struct SupScenarioRun {
  double gravity;                  /* m/s^2 downwards */
  SupSimulateReport moving, still; /* clips with inertia and without */
  SupSimulateReport poses;         /* no tetrahedra: there are none */
  uint32_t secondary_count;
  const SupSecondary *secondary; /* [secondary_count] */
  bool measured;                 /* the following are known */
  double frequency, amplitude;   /* of all clips: weighted by amplitude; the mean */
} SupScenarioRun;

typedef struct SupScenarioReport {
  uint64_t seed;
  const char *character_path;
  const SupCharacter *made; /* the built-in character that was made, or NULL */
  uint32_t run_count;
  SupScenarioRun *runs; /* [run_count] */
} SupScenarioReport;

typedef enum SupScenarioStage {
  SUP_SCENARIO_BEGUN,    /* clips and output are in order */
  SUP_SCENARIO_MADE,     /* the built-in character was made */
  SUP_SCENARIO_GRAVITY,  /* the last of `runs` begins */
  SUP_SCENARIO_MEASURED, /* and is done */
} SupScenarioStage;

/* Start from sup_scenario_def; `settings` is required. */
typedef struct SupScenarioDef {
  uint32_t cookie;
  SupOpenDef open;
  SupNames clips;   /* only these of the scenario, and no poses; none: all */
  bool has_gravity; /* only this one: */
  double gravity;   /* m/s^2 downwards */
  bool has_seed;    /* the context's seed wins over the scenario's */
  /* Reads the options of the scenario into *io_def (fps, flesh, forces but gravity, ...): who has
   * the command line knows what they mean. Of what is `still` nothing is pushed. */
  SupResult (*settings)(void *user, const SupAppContext *app, const SupCharacterFile *file,
                        bool still, SupSimulateDef *io_def, SupError *error);
  /* Told after every stage, or NULL. */
  void (*stage)(void *user, SupScenarioStage stage, const SupScenarioReport *so_far);
  void *user;
} SupScenarioDef;

SupScenarioDef sup_scenario_def(void);

/* Makes or finds the character, simulates and measures. Files grow from the name `output`, a .pc2
 * or .mdd. `path` of the scenario says where its character may lie. The report is in the arena, and
 * as far as it got after a failure. */
SupResult sup_run_scenario(const SupAppContext *app, const char *path, const SupScenario *scenario,
                           const SupScenarioDef *def, const char *output,
                           SupScenarioReport *out_report, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
