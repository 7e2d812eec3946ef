/* SPDX-License-Identifier: MIT */
/* What a body's surface is like, found by sorting its directed edges; no code of the library. */
#ifndef SUP_TESTS_BUILTIN_SURFACE_CHECK_H
#define SUP_TESTS_BUILTIN_SURFACE_CHECK_H

#include "check.h"

#include <math.h>

#include "supple/author/builtin.h"
#include "supple/io/file.h"

typedef struct SurfaceFacts {
  bool closed; /* every directed edge once, and its opposite once */
  int64_t euler;
  uint32_t component_count;
  double volume;
  double quality_low, quality_mean; /* 1 for equilateral, 0 for degenerate */
  double facing_low; /* cosine between a triangle and the mean of its vertices' normals */
} SurfaceFacts;

static inline int edge_order(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static inline uint32_t set_root(uint32_t *sets, uint32_t v) {
  while (sets[v] != v) v = sets[v] = sets[sets[v]];
  return v;
}

static inline void sub3(const double *a, const double *b, double *out) {
  for (int i = 0; i < 3; i++) out[i] = a[i] - b[i];
}

static inline double dot3(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void cross3(const double *a, const double *b, double *out) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void to_double3(SupVec3 v, double *out) {
  out[0] = (double)v.x;
  out[1] = (double)v.y;
  out[2] = (double)v.z;
}

static inline void surface_edges(const SupMesh *body, SurfaceFacts *facts) {
  size_t count = 3 * (size_t)body->triangle_count;
  uint64_t *forward = malloc(count * sizeof *forward), *backward = malloc(count * sizeof *backward);
  uint32_t *sets = malloc(body->vertex_count * sizeof *sets);
  assert_true(forward && backward && sets);
  for (uint32_t v = 0; v < body->vertex_count; v++) sets[v] = v;
  for (size_t h = 0; h < count; h++) {
    uint64_t a = body->triangles[h], b = body->triangles[h % 3 == 2 ? h - 2 : h + 1];
    forward[h] = a << 32 | b;
    backward[h] = b << 32 | a;
    sets[set_root(sets, (uint32_t)a)] = set_root(sets, (uint32_t)b);
  }
  qsort(forward, count, sizeof *forward, edge_order);
  qsort(backward, count, sizeof *backward, edge_order);
  facts->closed = true;
  for (size_t h = 0; h < count; h++) {
    if (forward[h] != backward[h] || (h > 0 && forward[h] == forward[h - 1])) facts->closed = false;
  }
  facts->euler = (int64_t)body->vertex_count - (int64_t)(count / 2) + body->triangle_count;
  facts->component_count = 0;
  for (uint32_t v = 0; v < body->vertex_count; v++) facts->component_count += sets[v] == v;
  free(forward);
  free(backward);
  free(sets);
}

static inline void surface_triangle(const SupMesh *body, const SupVec3 *normals, uint32_t f,
                                    SurfaceFacts *facts) {
  double p[3][3], mean[3] = {0, 0, 0}, sides[3][3], area[3], outer[3], sum = 0;
  for (int k = 0; k < 3; k++) {
    uint32_t v = body->triangles[3 * (size_t)f + (size_t)k];
    double n[3];
    to_double3(body->positions[v], p[k]);
    to_double3(normals[v], n);
    for (int i = 0; i < 3; i++) mean[i] += n[i];
  }
  for (int k = 0; k < 3; k++) {
    sub3(p[(k + 1) % 3], p[k], sides[k]);
    sum += dot3(sides[k], sides[k]);
  }
  cross3(sides[2], sides[0], area);
  cross3(p[1], p[2], outer);
  double twice = sqrt(dot3(area, area));
  double quality = 2 * sqrt(3) * twice / sum;
  double facing = dot3(area, mean) / (twice * sqrt(dot3(mean, mean)));
  facts->volume += dot3(p[0], outer) / 6;
  facts->quality_mean += quality / body->triangle_count;
  facts->quality_low = fmin(quality, facts->quality_low);
  facts->facing_low = fmin(facing, facts->facing_low);
}

/* The facts of a character's body; the normals are those of its render vertices. */
static inline SurfaceFacts surface_facts(SupArena *arena, const SupCharacter *c) {
  SurfaceFacts facts = {.quality_low = 1, .facing_low = 1};
  SupVec3 *normals = SUP_ALLOC(arena, SupVec3, c->body.vertex_count);
  for (uint32_t v = 0; v < c->render.vertex_count; v++) {
    normals[c->render.to_body[v]] = c->render.normals[v];
  }
  surface_edges(&c->body, &facts);
  for (uint32_t f = 0; f < c->body.triangle_count; f++) {
    surface_triangle(&c->body, normals, f, &facts);
  }
  return facts;
}

static inline SupArena new_arena(void) {
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  return arena;
}

static inline SupCharacter make(SupArena *arena, const char *name, uint32_t vertices) {
  SupBuiltinDef def = {.name = name, .vertices = vertices};
  SupCharacter character;
  SupError error = {""};
  SupResult result = sup_builtin_character(arena, &def, &character, &error);
  if (result != SUP_OK) fail_msg("%s: %s", name, error.text);
  return character;
}

#endif
