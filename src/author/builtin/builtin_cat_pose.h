/* SPDX-License-Identifier: MIT */
/* What the cat's clips are written in: trunk, head, ears, tail, and paws that reach for the ground.
 */
#ifndef SUP_AUTHOR_BUILTIN_CAT_POSE_H
#define SUP_AUTHOR_BUILTIN_CAT_POSE_H

#include "author/builtin/builtin_cat.h"
#include "author/builtin/builtin_clip.h"

enum { SUP_CAT_LEFT, SUP_CAT_RIGHT };

/* The trunk from the hips to the chest. */
typedef struct SupCatTrunk {
  SupVec3d shift; /* of the hips from their rest place */
  double pitch;   /* of the line from hips to chest, chest down */
  double arch;    /* rounds the back; negative: hollows it */
  double yaw;     /* of the hips, to the left */
  double bend;    /* further yaw of the chest */
  double roll;    /* of the hips, to the right */
  double twist;   /* further roll of the chest */
} SupCatTrunk;

/* From hips to chest, metres along z: what turns a pitch into a height. */
#define SUP_CAT_TRUNK_LENGTH 0.33

void sup_cat_trunk(SupBodyPose *pose, const SupCatTrunk *trunk);

/* How far the chest is above its rest place. */
double sup_cat_chest_rise(const SupCatTrunk *trunk);

/* The pitch that lifts the chest by `chest` and the hips by `hips`, both small. */
double sup_cat_pitch(double hips, double chest);

/* Turns neck and head; the head stays upright whatever the trunk does, then has these turns. */
void sup_cat_head(SupBodyPose *pose, const SupCatTrunk *trunk, double x, double y, double z);

/* One ear: back and outwards, radians. */
void sup_cat_ear(SupBodyPose *pose, uint32_t side, double back, double out);

/* How each joint of the tail is bent: upwards by `up`, the outer half by `curl` more; to the left
 * by side + left * sin(2 pi turns), each joint `lag` turns after the one before. */
typedef struct SupCatTail {
  double up, curl, side, left, turns, lag;
} SupCatTail;

void sup_cat_tail(const SupBody *body, SupBodyPose *pose, SupCatTail tail);

/* Where a paw is: moved by `shift` from its rest place. The heel (wrist) is up by `heel` about the
 * toes, which themselves point down by `toes`. */
typedef struct SupCatStep {
  SupVec3d shift;
  double heel, toes;
} SupCatStep;

/* After the trunk. `shoulder` swings the shoulder blade forward. */
void sup_cat_forepaw(const SupBody *body, SupBodyPose *pose, uint32_t side, double shoulder,
                     SupCatStep step);
void sup_cat_hind_paw(const SupBody *body, SupBodyPose *pose, uint32_t side, SupCatStep step);

/* All four paws at their rest places. */
void sup_cat_stand(const SupBody *body, SupBodyPose *pose);

#endif
