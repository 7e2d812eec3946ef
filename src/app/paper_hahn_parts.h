/* SPDX-License-Identifier: MIT */
/* What the parts of `reproduce hahn2013` share: a body, its rig, its flesh and weights. */
#ifndef SUP_SRC_APP_PAPER_HAHN_PARTS_H
#define SUP_SRC_APP_PAPER_HAHN_PARTS_H

#include "supple/app/paper_hahn2013.h"
#include "supple/clip.h"
#include "supple/rig/character_rig.h"

#define SUP_HAHN_STEP 0.01 /* s */
#define SUP_HAHN_BEGIN 0.3 /* s, of the clip */

struct SupHahnLab {
  const SupAppContext *app;
  const SupHahnScene *scene;
  SupCharacter character;
  SupDrivenVolume volume;
  SupRigDef description;
  const SupCharacterRig *rig;
  const SupClip *clip;
  SupMaterialDef material;
  SupRigspaceExamples examples;
  SupRigspaceWeights weights;
  double height;
  double theta;          /* of runs; 0: the default */
  SupTransformd *joints; /* [joint_count] */
  double *now, *before;  /* [parameter_count] */
  uint32_t base_steps;   /* of the first run */
  SupVec3d *base;        /* [base_steps * surface_count] */
};

/* Scripted parameters at a time of the clip. */
void sup_hahn_script(const SupHahnLab *lab, double time, double *io_parameters);

/* The solver of a row, to be freed, and its start at SUP_HAHN_BEGIN. */
SupResult sup_hahn_create(SupHahnLab *lab, uint32_t row, bool no_prediction, SupRigspace **out,
                          SupError *error);
SupResult sup_hahn_start(SupHahnLab *lab, SupRigspace *rigspace, uint32_t row, bool dear,
                         SupError *error);

/* Step i of the clip; in parts where it does not converge. Counts are added to `run`. */
SupResult sup_hahn_step(SupHahnLab *lab, SupRigspace *rigspace, uint32_t i, SupHahnRun *run,
                        SupError *error);

#endif
