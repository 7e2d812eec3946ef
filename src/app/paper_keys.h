/* SPDX-License-Identifier: MIT */
/* Random keys on a built-in body and the ground truth of them: what helpers are learned from and
 * judged by (supple/app/paper_mukai2016.h). */
#ifndef SUPPLE_APP_PAPER_KEYS_H
#define SUPPLE_APP_PAPER_KEYS_H

#include "supple/app/paper_mukai2016.h"
#include "supple/author/builtin.h"

/* Splines through keys that are `spacing` frames apart; with `frozen`, in the second half a key is
 * gone to in so many frames and held for as many. */
typedef struct SupKeysClip {
  const char *name;
  uint32_t frames, spacing;
  bool frozen;
  bool equilibria; /* the motion without inertia is wanted as well */
  uint64_t stream; /* of the random numbers, beside the seed */
} SupKeysClip;

/* Linear blend skinning of the body: out[vertex_count]. */
void sup_keys_skin(const SupCharacter *character, const SupAffine *palette, SupVec3 *out);

/* Makes the body and simulates the clips; from the folder `cache` where it has them. */
SupResult sup_keys_truth(const SupAppContext *app, const char *cache, const SupKeysBody *body,
                         const SupKeysClip *clips, uint32_t clip_count, SupCharacter *out_character,
                         SupKeysTruth *out_truths, SupError *error);

#endif
