/* SPDX-License-Identifier: MIT */
/*
 * Supple: example rigs for built-in characters, at the sizes of Hahn et al. 2013: a trunk with a
 * wire deformer (13 free parameters), a belly in a lattice (36), and a whole body (174).
 * examples/rigs has them as files; docs/techniques/rigspace.md lists their parameters.
 */
#ifndef SUPPLE_RIG_RIG_EXAMPLES_H
#define SUPPLE_RIG_RIG_EXAMPLES_H

#include "supple/author/rig_def.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SupRigExampleInfo {
  const char *name;
  const char *character; /* built-in, of any size */
  const char *summary;   /* one line for a person */
  uint32_t free_count;   /* free parameters */
} SupRigExampleInfo;

/* How many examples there are, and the one at `index`. Static storage. */
uint32_t sup_rig_example_count(void);
SupRigExampleInfo sup_rig_example_info(uint32_t index);

/* Makes the description of an example in `arena`. SUP_ERROR_ARGUMENT for an unknown name. */
SupResult sup_rig_example(SupArena *arena, const char *name, SupRigDef *out_def, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
