/* SPDX-License-Identifier: MIT */
/* A simulated body as its own files see it. */
#ifndef SUP_SRC_SIM_SIM_BODY_H
#define SUP_SRC_SIM_SIM_BODY_H

#include "fem/smooth.h"
#include "sim/bone_scale.h"
#include "sim/contraction.h"
#include "sim/felt.h"
#include "sim/loads.h"
#include "sim/stepper.h"

struct SupSim {
  SupArena arena;
  SupSimDef def;
  SupFill fill;
  SupAttachment attachment;
  SupTies ties;
  SupMuscles muscles;
  SupElastic body;
  SupStepper *stepper;
  SupLoads loads;
  SupSmooth smooth;
  float *plain; /* [body.vertex_count] how much of a skin vertex follows its skin weights: 1 where
                   flesh is locked */
  double scale;
  SupVec3d *rest;      /* [node_count] metres, the shape without stress */
  SupAffined *palette; /* [bone_count] what flesh follows */
  SupBoneScale scales; /* ... and how the bones of the file differ from that */
  SupVec3d *target;    /* [node_count] where the skeleton would put each node */
  SupVec3d *lead;      /* [node_count] ... put it when the last step ended, */
  SupVec3d *lead_old;  /* ... one step before, */
  SupVec3d *carrier;   /* ... and the velocity of that at the end of this one, m/s; NULL: nobody
                          asks */
  SupFelt felt;
  SupVec3d *scratch; /* [node_count] */
  SupVec3d *before;  /* [node_count] of settling in wind: where it was */
  SupVec3d *held;    /* [node_count] ... and what acts on it */
};

/* Where the skeleton puts the nodes of the volume. */
void sup_sim_skin_nodes(const SupSim *sim, const SupAffined *palette, SupVec3d *out_nodes);

/* What all steps of this body have in common. */
SupStepDef sup_sim_step_def(const SupSim *sim);

/* The same for an equilibrium, which takes more Newton steps. */
SupStepDef sup_sim_static_def(const SupSim *sim);

/* Finds the shape without stress that gravity bends into the given one. In the bind pose, which
 * `turn` takes to the scene. How far gravity bends the given shape, and what is left of that. */
SupResult sup_sim_find_rest(SupSim *sim, const SupMat3d *turn, double *out_sag, double *out_left,
                            SupError *error);

#endif
