/* SPDX-License-Identifier: MIT */
/* Examples seen from under the bones: how far each vertex is from plain skinning, in rest space. */
#ifndef SUP_SRC_TRAIN_REST_OFFSETS_H
#define SUP_SRC_TRAIN_REST_OFFSETS_H

#include "supple/author/character.h"

/* out_offsets[body.vertex_count]: skinning the rest positions and these offsets with
 * palette[bone_count] gives positions[body.vertex_count], as nearly as a blend of bones that has
 * all but collapsed there allows. */
void sup_rest_offsets(const SupCharacter *character, const SupAffine *palette,
                      const SupVec3 *positions, const SupJobs *jobs, SupVec3 *out_offsets);

/* Areas around the vertices, out_areas[body.vertex_count], with sum 1. */
void sup_vertex_fractions(const SupMesh *body, double *out_areas);

#endif
