/* SPDX-License-Identifier: MIT */
/*
 * The base shell: the polygons below ordinary chunks, one for each patch of a zone
 * (docs/techniques/chunks.md). How it carries flesh is in runtime/chunks/shell_frames.h.
 */
#ifndef SUP_TRAIN_CHUNKS_SHELL_H
#define SUP_TRAIN_CHUNKS_SHELL_H

#include "runtime/chunks/shell_frames.h"
#include "supple/geom/mesh.h"

/* Faces of three corners or more. SUP_ERROR_FORMAT: more than two faces at an edge, or two that run
 * along it in one direction. In `arena`; offsets and corners are the caller's. */
SupResult sup_shell_create(SupArena *arena, uint32_t vertex_count, uint32_t face_count,
                           const uint32_t *offsets, const uint32_t *corners, SupShell *out_shell,
                           SupError *error);

/* What the shell encloses; its openings are closed by fans around their middles. */
SupResult sup_shell_volume(SupArena *arena, const SupShell *shell, const SupVec3d *positions,
                           double *out_volume, SupError *error);

/* How far its vertices have to go inwards, against normals[vertex_count], for it to enclose half of
 * what it does. SUP_ERROR_FORMAT where no distance does that. */
SupResult sup_shell_half_depth(SupArena *arena, const SupShell *shell, const SupVec3d *positions,
                               const SupVec3d *normals, double *out_depth, SupError *error);

#endif
