/* SPDX-License-Identifier: MIT */
/*
 * Supple: where the shapes of a packed envelope come from, and moving vertices of its control mesh
 * by hand to see what `SupEnvelopeEdit` would make of it.
 */
#ifndef SUPPLE_AUTHOR_ENVELOPE_ORIGIN_H
#define SUPPLE_AUTHOR_ENVELOPE_ORIGIN_H

#include "supple/envelope.h"
#include "supple/pose.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The name of a control vertex (of its feature), and of a shape (of its example; shape 0, the dress
 * shape, has ""); NULL where the model has no names. The model has been checked. */
const char *sup_envelope_control_label(const SupModel *model, uint32_t control);
const char *sup_envelope_shape_label(const SupModel *model, uint32_t shape);

/* Local transforms of the joints in the pose of a shape, [joint_count of the model], or NULL where
 * the model does not know. */
const SupTransform *sup_envelope_shape_joints(const SupModel *model, uint32_t shape);

/* The blend by which a control vertex shows a shape: its own where that knows the shape, else that
 * of the nearest vertex whose does. SUP_ENVELOPE_NONE: none does. */
uint32_t sup_envelope_blend_showing(const SupEnvelopeView *view, uint32_t control, uint32_t shape);

/* A control vertex of one shape, `move` from where the model has it, in the scene as the character
 * stands in that shape's pose: writes what is the vertex's in that shape into io_points and
 * io_revision_points, which are as the model's. False, and nothing is written, where a joint
 * has no volume in that pose, or `move` is not finite. `palette` is the skeleton's in
 * that pose (sup_pose_evaluate). */
bool sup_envelope_move(const SupEnvelopeView *view, const SupAffine *palette, uint32_t control,
                       uint32_t shape, SupVec3 move, SupVec3 *io_points,
                       SupVec3 *io_revision_points);

/* The other way: the move that takes the vertex `seen` farther in a pose of which `now` is the
 * palette and in which the shape has the part `share`. False where no move does. */
bool sup_envelope_move_seen(const SupEnvelopeView *view, const SupAffine *palette,
                            const SupAffine *now, uint32_t control, float share, SupVec3 seen,
                            SupVec3 *out_move);

#ifdef __cplusplus
}
#endif
#endif
