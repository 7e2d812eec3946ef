/* SPDX-License-Identifier: MIT */
/* What the files of sup_drive_morphs share: angles of poses, and where they are sampled. */
#ifndef SUP_SRC_TRAIN_BAKE_DRIVE_H
#define SUP_SRC_TRAIN_BAKE_DRIVE_H

#include "supple/train/drive.h"

/* The envelope's angles with boxes that hold the character's clips, and for every joint that has a
 * bone as many more as make three independent ones: what is layered follows the whole rotation. */
SupResult sup_drive_angles(SupArena *arena, const SupCharacter *character,
                           const SupEnvelopeView *view, uint32_t *out_count,
                           SupEnvelopeAngle **out_angles, SupError *error);

/* Places along `wide`, rising, no two farther apart than a `parts`-th of it: 0 and the ends of
 * `box` are among them. out_at[parts + 5]; returns how many. */
uint32_t sup_drive_places(const SupEnvelopeAngle *wide, const SupEnvelopeAngle *box, uint32_t parts,
                          float *out_at);

/* The pose in which one angle reads so many radians, others of its joint 0; other joints rest. */
void sup_drive_pose(const SupCharacter *character, uint32_t angle_count,
                    const SupEnvelopeAngle *angles, uint32_t angle, float radians,
                    SupPose *io_pose);

#endif
