/* SPDX-License-Identifier: MIT */
/*
 * Supple: the triangle mesh, plain data.
 */
#ifndef SUPPLE_GEOM_MESH_H
#define SUPPLE_GEOM_MESH_H

#include "supple/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/* No vertex, no face. */
#define SUP_NONE UINT32_MAX

/* A triangle surface. The arrays belong to whoever made them; a SupMesh only points. */
typedef struct SupMesh {
  uint32_t vertex_count;
  uint32_t triangle_count;
  const SupVec3 *positions;  /* [vertex_count] */
  const uint32_t *triangles; /* [3 * triangle_count], each below vertex_count */
} SupMesh;

#ifdef __cplusplus
}
#endif
#endif
