/* SPDX-License-Identifier: MIT */
/*
 * Supple: Hahn et al. 2013, "Efficient Simulation of Secondary Motion in Rig-Space", again: the
 * five rows of its table on three bodies, the deferred Jacobian with and without prediction, and
 * the energy of skinned flesh.
 */
#ifndef SUPPLE_APP_PAPER_HAHN2013_H
#define SUPPLE_APP_PAPER_HAHN2013_H

#include "supple/app/app_context.h"
#include "supple/train/rigspace_weights.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SUP_HAHN_ROWS = 5, SUP_HAHN_VARIANTS = 5 };

typedef enum SupHahnSize {
  SUP_HAHN_USUAL, /* minutes */
  SUP_HAHN_QUICK, /* a smoke test */
  SUP_HAHN_FULL   /* volumes of the paper's sizes */
} SupHahnSize;

/* One body of the table. */
typedef struct SupHahnScene {
  const char *rig, *body, *clip; /* of sup_rig_example; built-in; of the built-in */
  uint32_t vertices;             /* of the skin */
  uint32_t tets;                 /* asked for */
  uint32_t steps;                /* of 0.01 s */
  uint32_t reference_steps;      /* of the reference, at most `steps`; it is much slower */
  double paper[SUP_HAHN_ROWS];   /* seconds per frame; 0: not given */
  double root; /* m: a wire begins here, and what is below never moves; 0: where the rig has it */
} SupHahnScene;

/* The scene called trunk, belly or mochi; NULL for other names. */
const SupHahnScene *sup_hahn_scene(const char *name, SupHahnSize size);

typedef struct SupHahnLab SupHahnLab;

/* Sizes and what the set-up took; processor seconds. */
typedef struct SupHahnSetup {
  uint32_t free_count, surface_count, inside_count, tet_count;
  double height; /* m, largest extent of the skin at rest */
  uint32_t example_count;
  double example_seconds, weight_seconds;
  SupRigspaceFitReport fit;
} SupHahnSetup;

/* Makes body, rig, volume and weights in the arena of `app`. */
SupResult sup_hahn_lab(const SupAppContext *app, const SupHahnScene *scene, SupHahnLab **out_lab,
                       SupHahnSetup *out_setup, SupError *error);

/* A run of the clip. */
typedef struct SupHahnRun {
  uint32_t steps;          /* that were done */
  double seconds;          /* processor time per step */
  SupRigspaceReport sum;   /* counts of all steps */
  double average, largest; /* distance from the first run of the lab, fractions of the height */
  double moved;     /* largest motion of the skin by free parameters, fraction of the height */
  uint32_t halved;  /* steps that did not converge and were done in parts */
  uint32_t carried; /* parts that did not converge either: parameters stayed as they were */
} SupHahnRun;

/* Row 0 is the reference, 1 to 4 are IV1,JE1 to IV2,JE2. The first run of a lab is what later ones
 * are compared with, step by step as far as it went. Without prediction the Jacobian is only
 * looked at after a step. */
SupResult sup_hahn_run(SupHahnLab *lab, uint32_t row, uint32_t steps, bool no_prediction,
                       SupHahnRun *out_run, SupError *error);

/* The squared relative error that a deferred Jacobian may have in runs from now on; 0 means the
 * default. */
void sup_hahn_theta(SupHahnLab *lab, double theta);

/* A way to choose weights. */
typedef struct SupHahnVariant {
  const char *name;
  double weights; /* per node */
  uint32_t outside;
  double rest;       /* J at rest */
  uint32_t inverted; /* elements inside out at rest */
  double mean, most; /* energy over that in balance, along the clip */
  double seconds;    /* of the fit */
} SupHahnVariant;

/* Energies of skinned flesh along `steps` steps of IV1,JE1: out[SUP_HAHN_VARIANTS]. */
SupResult sup_hahn_energies(SupHahnLab *lab, uint32_t steps, SupHahnVariant *out, SupError *error);

/* ---- Against the full simulation of the same flesh ------------------------------------------- */

enum {
  SUP_HAHN_FIT,
  SUP_HAHN_TRUTH_REFERENCE,
  SUP_HAHN_TRUTH_IV1,
  SUP_HAHN_TRUTH_IV2,
  SUP_HAHN_TUNED_REFERENCE, /* as stiff as makes the lowest frequency that of the full simulation */
  SUP_HAHN_TUNED_IV1,
  SUP_HAHN_TUNED_IV2,
  SUP_HAHN_TRUTH_ROWS
};

/* How near a motion of the rig is to the full simulation. Nodes count by their flesh. */
typedef struct SupHahnNear {
  double rms, largest;      /* fractions of the height */
  double relative_error;    /* RMS over that of the surface without free motion */
  double dynamic_error;     /* RMS over that of the flesh in balance in every frame */
  double amplitude_ratio;   /* at the frequency at which the full simulation vibrates most */
  double first_hz;          /* lowest natural frequency at rest; 0 of the fit */
  double energy;            /* elastic, of the same flesh, over that of the full simulation; mean */
  uint32_t at_bound;        /* parameters at a bound, most in any frame */
  uint32_t halved, carried; /* steps, as of SupHahnRun */
} SupHahnNear;

typedef struct SupHahnTruth {
  uint32_t held_count, free_count; /* nodes */
  double young;                    /* Pa */
  double first_hz;                 /* its lowest natural frequency at rest */
  double moved;                    /* RMS free motion of the surface, fraction of the height */
  double swing;                    /* RMS distance from balance, fraction of the height */
  double largest;                  /* free motion, fraction of the height */
  double frequency, clarity;       /* of its strongest vibration, Hz; 1 and above is clear */
  double determinant_least;
} SupHahnTruth;

/* Simulates the flesh with every node free that the rig's free parameters move, and exactly the
 * others where the script has them, for `steps` steps of the same integrator; then fits the rig to
 * its surface frame by frame, and runs the reference, IV1 and IV2, with the same flesh and with
 * flesh that is tuned: out_rows[SUP_HAHN_TRUTH_ROWS]. The fit is the least squares of the surface
 * nodes within the bounds: nothing that the rig can do is nearer. */
SupResult sup_hahn_truth(SupHahnLab *lab, uint32_t steps, SupHahnTruth *out_truth,
                         SupHahnNear *out_rows, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
