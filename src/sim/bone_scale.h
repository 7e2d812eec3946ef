/* SPDX-License-Identifier: MIT */
/*
 * Bones that scale: a clip hides a part by making it tiny, or lets it pop up. No flesh can be
 * crushed to a thousandth, so its simulation sees bones whose scale is limited, and what is shown
 * of it is scaled by the rest.
 */
#ifndef SUP_SRC_SIM_BONE_SCALE_H
#define SUP_SRC_SIM_BONE_SCALE_H

#include "supple/author/character.h"

/* What a bone's scale does to flesh. */
enum {
  SUP_BONE_USUAL,
  SUP_BONE_LIMITED,
  SUP_BONE_HIDDEN /* so small that nothing is seen of it */
};

typedef struct SupBoneScale {
  const SupCharacter *character;
  double scale;       /* metres per unit of body space, as in the rest pose */
  SupAffined *shown;  /* [bone_count] the palette of the file */
  SupAffined *limits; /* [bone_count] from where flesh is simulated to where it is shown */
  uint8_t *state;     /* [bone_count] see above */
  bool any, any_hidden;
  double common; /* what all bones scale by beyond what flesh feels: shown by it about root */
  SupVec3d root; /* scene */
} SupBoneScale;

/* For bones at rest. In `arena`. */
SupResult sup_bone_scale_create(SupArena *arena, const SupCharacter *character, double scale,
                                SupBoneScale *out_scales, SupError *error);

/* Takes the palette in scales->shown and limits how bones scale: out_palette[bone_count]. Palettes
 * without much scale are copied. */
void sup_bone_scale_limit(SupBoneScale *scales, SupAffined *out_palette);

/* Where skin vertex v is shown that was simulated at `place`. */
SupVec3d sup_bone_scale_show(const SupBoneScale *scales, uint32_t v, SupVec3d place);

#endif
