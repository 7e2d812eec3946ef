/* SPDX-License-Identifier: MIT */
/* Characters and rigs for tests. */
#ifndef SUP_TESTS_RIG_CHARACTERS_H
#define SUP_TESTS_RIG_CHARACTERS_H

#include <math.h>

#include "check.h"
#include "supple/author/builtin.h"
#include "supple/io/file.h"
#include "supple/rig/character_rig.h"
#include "supple/rig/rig.h"

typedef struct Lab {
  SupArena arena;
  SupCharacter character;
  SupMorph morphs[2];
} Lab;

/* A built-in character with two morph targets: a bulge around the middle, and a lean. */
static inline Lab *lab_create(const char *name, uint32_t vertices) {
  Lab *lab = (Lab *)calloc(1, sizeof *lab);
  SupError error;
  assert_non_null(lab);
  sup_arena_init(&lab->arena, sup_heap_allocator(), 0);
  const SupBuiltinDef def = {.name = name, .vertices = vertices};
  assert_int_equal(sup_builtin_character(&lab->arena, &def, &lab->character, &error), SUP_OK);
  const SupMesh *body = &lab->character.body;
  for (int m = 0; m < 2; m++) {
    SupVec3 *offsets = SUP_ALLOC(&lab->arena, SupVec3, body->vertex_count);
    for (uint32_t v = 0; v < body->vertex_count; v++) {
      const SupVec3 x = body->positions[v];
      const float near = (float)exp(-20 * pow((double)x.y - 0.4, 2));
      offsets[v] = m ? (SupVec3){0.1f * x.y * x.y, 0, 0} : (SupVec3){x.x * near, 0, x.z * near};
    }
    lab->morphs[m] = (SupMorph){m ? "lean" : "bulge", m ? 0.25f : 0, offsets};
  }
  lab->character.morph_count = 2;
  lab->character.morphs = lab->morphs;
  return lab;
}

static inline void lab_free(Lab *lab) {
  sup_arena_free(&lab->arena);
  free(lab);
}

/* The rig of a description; fails the test where there is none. */
static inline const SupCharacterRig *lab_rig(Lab *lab, const SupRigDef *def) {
  const SupCharacterRig *rig = NULL;
  SupError error = {""};
  const SupCharacterRigDef all = {.character = &lab->character, .rig = def};
  SupResult result = sup_character_rig_create(&lab->arena, &all, &rig, &error);
  if (result != SUP_OK) print_error("%s\n", error.text);
  assert_int_equal(result, SUP_OK);
  return rig;
}

/* Parameters within `part` of the way from rest to their bounds. */
static inline void draw_parameters(const SupRig *rig, SupRng *rng, double part, double *out) {
  for (uint32_t k = 0; k < rig->parameter_count; k++) {
    const SupRigParameter *p = &rig->parameters[k];
    const double t = part * (2 * sup_rng_double(rng) - 1);
    out[k] = p->rest + (t > 0 ? t * (sup_rig_high(p) - p->rest) : t * (p->rest - sup_rig_low(p)));
  }
}

static inline double largest_distance(const SupVec3d *a, const SupVec3d *b, size_t count) {
  double most = 0;
  for (size_t k = 0; k < count; k++) most = fmax(most, sup_vec3d_distance(a[k], b[k]));
  return most;
}

/* Largest error of the exact Jacobian against differences over `tries` places, each column
 * relative to its parameter's scale and the size of the body; `arena` for scratch. */
static inline double jacobian_error(Lab *lab, const SupRig *rig, uint64_t seed, int tries,
                                    double part) {
  SupError error;
  const size_t n = rig->parameter_count, vertices = rig->vertex_count;
  double *p = SUP_ALLOC(&lab->arena, double, n), worst = 0;
  uint32_t *columns = SUP_ALLOC(&lab->arena, uint32_t, n);
  SupVec3d *exact = SUP_ALLOC(&lab->arena, SupVec3d, n * vertices);
  SupVec3d *found = SUP_ALLOC(&lab->arena, SupVec3d, n * vertices);
  SupRng rng = sup_rng(seed, 1);
  for (uint32_t k = 0; k < n; k++) columns[k] = k;
  for (int t = 0; t < tries; t++) {
    draw_parameters(rig, &rng, part, p);
    assert_non_null(rig->jacobian);
    assert_int_equal(sup_rig_jacobian(&lab->arena, rig, p, (uint32_t)n, columns, exact, &error),
                     SUP_OK);
    assert_int_equal(sup_rig_differences(&lab->arena, rig, p, (uint32_t)n, columns, found, &error),
                     SUP_OK);
    for (size_t k = 0; k < n; k++) {
      worst =
          fmax(worst, rig->parameters[k].scale *
                          largest_distance(&exact[k * vertices], &found[k * vertices], vertices));
    }
  }
  return worst;
}

#endif
