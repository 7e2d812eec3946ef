/* SPDX-License-Identifier: MIT */
/*
 * An arm with planted bulges: an egg along y, eight patches, a base and two joints on its way.
 */
#ifndef SUP_TESTS_ARM_BODY_H
#define SUP_TESTS_ARM_BODY_H

#include "patches/patch_bodies.h"
#include "supple/author/patch_split.h"
#include "supple/train/envelope.h"
#include "supple/train/patch_map.h"

#define ARM_JOINTS 3
#define ARM_EXAMPLES 4

typedef struct ArmBody {
  PatchBody *body;
  SupPatchCharts charts;
  SupCharacter character;
  double size, fat; /* factors of all lengths, and of those across */
  SupTransform rest[ARM_JOINTS];
  SupAffine inverse_bind[ARM_JOINTS];
  SupTransform poses[ARM_EXAMPLES][ARM_JOINTS];
  SupEnvelopeExample examples[ARM_EXAMPLES];
} ArmBody;

/* `size` times as large, of that many subdivisions; `turn` renumbers its vertices; `fat` widens it.
 * Charts are like those of `like`, or NULL. */
ArmBody *arm_make(unsigned subdivisions, double size, double fat, uint64_t turn,
                  const ArmBody *like);
void arm_free(ArmBody *arm);

/* Divides its eight patches, three parts each. */
void arm_divide(ArmBody *arm, const ArmBody *like);

/* The pose with both joints turned about x (the second about z too), radians. */
void arm_pose(const ArmBody *arm, double low, double high, double side, SupTransform *out_pose);

/* Where skinning puts the vertices, with offsets in rest space or NULL. */
void arm_skin(const ArmBody *arm, const SupTransform *pose, const SupVec3d *offsets,
              SupVec3 *out_positions);

/* Example k: a posture and, times `much`, its bulge. */
void arm_example(ArmBody *arm, uint32_t k, const double angles[3], const double bulge[2],
                 double much);

/* Four examples that tell the two joints apart, the last one moved as a whole. */
void arm_examples(ArmBody *arm, double much);

SupEnvelopeTrainDef arm_def(const ArmBody *arm, uint32_t example_count);

/* Packs what was learned and plays it: out_positions[vertex_count]. */
void arm_play(ArmBody *arm, const SupEnvelopeDef *def, const SupTransform *pose,
              SupVec3 *out_positions);

/* The largest distance of two shapes. */
double arm_apart(const ArmBody *arm, const SupVec3 *a, const SupVec3 *b);

#endif
