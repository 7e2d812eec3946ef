/* SPDX-License-Identifier: MIT */
/* Meshes with known answers, and ways to spoil them. All in the given arena; an arena on a heap
 * that cannot fail is assumed. Triangles are counter-clockwise seen from outside. */
#ifndef SUP_TESTS_SHAPES_H
#define SUP_TESTS_SHAPES_H

#include "check.h"
#include "supple/geom/mesh.h"

SupMesh shape_icosphere(SupArena *arena, unsigned subdivisions); /* radius 1 */
SupMesh shape_box(SupArena *arena);                              /* [-1, 1]^3, 8 vertices */
SupMesh shape_grid(SupArena *arena, uint32_t nx, uint32_t ny); /* [0, nx] x [0, ny], z = 0, +z up */
SupMesh shape_torus(SupArena *arena, uint32_t nu, uint32_t nv, double radius, double tube);
/* Open at both ends, radius 1, axis y from 0 to `height`. */
SupMesh shape_tube(SupArena *arena, uint32_t around, uint32_t along, double height);
/* `count` boxes of random size, place and turn, which cut through each other. */
SupMesh shape_box_soup(SupArena *arena, uint32_t count, SupRng *rng);

/* a and b in one mesh, b moved by `offset`. */
SupMesh shape_union(SupArena *arena, SupMesh a, SupMesh b, SupVec3 offset);
/* Every triangle with three vertices of its own; *out_origins, if not NULL, is their old vertex. */
SupMesh shape_explode(SupArena *arena, SupMesh mesh, const uint32_t **out_origins);
/* The mesh without the triangles for which drop[f] is true. */
SupMesh shape_without(SupArena *arena, SupMesh mesh, const bool *drop);
/* Vertices renamed by a random permutation: old vertex v is new[v]. Triangles in random order. */
SupMesh shape_shuffle(SupArena *arena, SupMesh mesh, SupRng *rng, const uint32_t **out_new);
/* Every coordinate moved by up to `amount`. */
SupMesh shape_jitter(SupArena *arena, SupMesh mesh, double amount, SupRng *rng);
/* A random permutation of 0 .. count - 1. */
uint32_t *shape_permutation(SupArena *arena, uint32_t count, SupRng *rng);

#endif
