/* SPDX-License-Identifier: MIT */
/*
 * Supple: vertices that a file stores once. Where several nodes of a file show one mesh, the body
 * has its vertices several times, but what is painted on them has one place only.
 */
#ifndef SUPPLE_AUTHOR_SHARED_VERTICES_H
#define SUPPLE_AUTHOR_SHARED_VERTICES_H

#include "supple/author/character.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out_shared[v] is the lowest of the body vertices that share their attributes with v, maybe v
 * itself. NULL where no mesh is shown twice. In `arena`. */
SupResult sup_shared_vertices(SupArena *arena, const SupCharacter *character,
                              const uint32_t **out_shared, SupError *error);

/* values[vertex_count]: every vertex gets the number of the lowest one that it is shared with.
 * `shared` may be NULL. */
void sup_shared_vertices_copy(const uint32_t *shared, uint32_t vertex_count, float *io_values);

/* The same with the greatest number among them. */
void sup_shared_vertices_greatest(const uint32_t *shared, uint32_t vertex_count, float *io_values);

#ifdef __cplusplus
}
#endif
#endif
