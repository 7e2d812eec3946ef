/* SPDX-License-Identifier: MIT */
/*
 * Supple: scenarios, the experiments of a project written down: who moves, made of what, which
 * motions are learnt from and which are kept for the test. JSON; docs/simulation.md has the keys.
 */
#ifndef SUPPLE_IO_SCENARIO_H
#define SUPPLE_IO_SCENARIO_H

#include "supple/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One option of `supple simulate`, as it would be typed. */
typedef struct SupScenarioOption {
  const char *name; /* without dashes */
  const char *text; /* NULL for a flag */
} SupScenarioOption;

typedef struct SupScenario {
  const char *name;    /* of the file, without folder and ending */
  const char *about;   /* one line for a person, maybe empty */
  const char *builtin; /* a built-in character, or NULL */
  uint32_t vertices;   /* of the built-in character; 0 for its own number */
  const char *file;    /* a character's file name, or NULL; one of both is given */
  uint32_t option_count;
  const SupScenarioOption *options;
  uint32_t gravity_count; /* at least 1 */
  const double *gravity;  /* m / s^2 downwards: everything is done once with each */
  uint32_t training_count, unseen_count;
  const char *const *training; /* names of clips to learn from; at least 1 */
  const char *const *unseen;   /* names of clips to test with; at least 1, none of the others */
  uint32_t poses;              /* static poses to learn from beside them, maybe 0 */
  uint64_t seed;               /* of what is random */
} SupScenario;

/* Reads a scenario into `arena`. Fails with a sentence that names the key for an unknown one, a
 * value of another kind than expected, a clip that is both learnt from and tested with. */
SupResult sup_scenario_read(SupArena *arena, const char *path, SupScenario *out_scenario,
                            SupError *error);

/* The same from text[bytes]; `path` gives the name and stands in sentences. */
SupResult sup_scenario_parse(SupArena *arena, const char *text, size_t bytes, const char *path,
                             SupScenario *out_scenario, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
