/* SPDX-License-Identifier: MIT */
/*
 * Frames of a limb's slices: how a separable chunk follows its bone and the joints at both ends
 * (docs/techniques/chunks.md).
 *
 * The slice at u, 0 to 1 along the bone, is turned about the bone and sheared along it:
 * S(u) = [I + e_z g(u)^T] R_z(tau(u)), tau and g linear in u. Displacements of the flesh are added
 * inside: x = o + S (X - o + d) in the limb's space, o = (0, 0, u length). So twisted and bent
 * limbs keep their volume without any displacement.
 */
#ifndef SUP_SRC_RUNTIME_CHUNKS_LIMB_FRAME_H
#define SUP_SRC_RUNTIME_CHUNKS_LIMB_FRAME_H

#include "supple/math.h"

typedef struct SupLimbPose {
  SupAffined frame; /* from the limb's space to the scene's, now; rigid but for bones that scale */
  double turns[2];  /* tau at the start and at the end, radians */
  double slopes[2][2]; /* g there: how far a slice rises towards x and y */
} SupLimbPose;

/* The limb as it is bound, its bone moved by `frame`. */
SupLimbPose sup_limb_straight(SupAffined frame);

/* No slice is steeper than 60 degrees. */
#define SUP_LIMB_STEEPEST 1.7320508075688772

/* Lets the end of the first limb and the start of the second meet at their joint: both slices lie
 * in the plane between the two bones, and each takes half of the twist between them, all relative
 * to the frames at rest. Bones folded back onto each other have no such plane: slices stay as steep
 * as they may be. */
void sup_limb_join(const SupAffined rest[2], SupLimbPose *io_first, SupLimbPose *io_second);

/* Leaves the part cos^2 of the tilt of each end to the flesh, which bends near its joint and not
 * all along the bone: an end's slope g becomes g |g|^2 / (1 + |g|^2). What is left is for
 * displacements of the end slices, so their maps are to be taken before. Where bends are small all
 * is elastic; where they are large, slices keep wedges from inverting. */
void sup_limb_ease(SupLimbPose *io_pose);

/* S(u). */
SupMat3d sup_limb_shear(const SupLimbPose *pose, double u);

/* Where a node of the slice at u is in the scene that lies at `node` at rest, in the limb's space,
 * and is displaced by `displacement`. */
SupVec3d sup_limb_place(const SupLimbPose *pose, double length, double u, SupVec3d node,
                        SupVec3d displacement);

/* The displacement that brings it to `place`. */
SupVec3d sup_limb_displacement(const SupLimbPose *pose, double length, double u, SupVec3d node,
                               SupVec3d place);

/* The slice at u without displacements: an affine map from the limb's space to the scene. */
SupAffined sup_limb_slice_frame(const SupLimbPose *pose, double length, double u);

/* The same from bind space, where the limb's space is `rest`. */
SupAffined sup_limb_slice_map(const SupLimbPose *pose, SupAffined rest, double length, double u);

/* The slice that two limbs share at their joint, once for both: the mean of what each would do. */
SupAffined sup_limb_shared_map(const SupAffined rest[2], const SupLimbPose *first,
                               double first_length, const SupLimbPose *second);

/* The displacements of a slice that another map moves: an affine function of the node at rest, as
 * t and the columns of L (SUP_HOLD_AFFINE). */
void sup_limb_slice_numbers(const SupLimbPose *pose, SupAffined rest, double length, double u,
                            SupAffined map, double out_numbers[12]);

#endif
