/* SPDX-License-Identifier: MIT */
/* Supple: shapes of a character that somebody sculpted: morph targets and files. */
#ifndef SUPPLE_APP_SHAPE_FILE_H
#define SUPPLE_APP_SHAPE_FILE_H

#include "supple/app/example_files.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The vertices of a .obj, .glb, .gltf or .vrm as they stand there (a character in its rest pose),
 * in an order that sup_match_body finds out. Where out_pose[joint_count of like] is not NULL, it
 * becomes the pose in which the file's own skeleton stands, by names of joints; fails where it has
 * none or another one. In the arena. */
SupResult sup_read_shape(const SupAppContext *app, const SupOpenDef *def, const char *path,
                         const SupCharacterFile *like, SupTransform *out_pose,
                         SupSamples *out_samples, SupError *error);

/* The offsets of all morph targets that have the name `text` gives, summed, in rest space:
 * *out_offsets[body.vertex_count] in the arena; NULL where there is none of that name. */
SupResult sup_find_morph_shape(const SupAppContext *app, const SupCharacter *character,
                               const char *text, const SupVec3 **out_offsets, SupError *error);

/* Where linear skinning puts rest positions plus offsets[body.vertex_count] (or NULL) in the pose
 * joints[joint_count]: out_positions[body.vertex_count], scene space. */
SupResult sup_skin_shape(const SupAppContext *app, const SupCharacter *character,
                         const SupTransform *joints, const SupVec3 *offsets, SupVec3 *out_positions,
                         SupError *error);

#ifdef __cplusplus
}
#endif
#endif
