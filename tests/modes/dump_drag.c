/* SPDX-License-Identifier: MIT */
/* Writes what check_drag.py looks at: a body, its modes, and what a surface does when somebody
 * drags one vertex (drag) or two towards each other (pinch).
 *
 *   dump_drag VERTICES OUTPUT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "supple/author/surface_pack.h"
#include "supple/modes.h"
#include "supple/stack.h"
#include "wobble.h"

enum { PULLS = 2, SETTLE = 240 };
#define DISTANCE 0.04f /* metres that a hand moves */

static void write_numbers(FILE *file, const char *name, const double *numbers, size_t count) {
  fprintf(file, "%s %zu\n", name, count);
  fwrite(numbers, sizeof *numbers, count, file);
}

static void write_vectors(FILE *file, const char *name, const SupVec3 *vectors, size_t count) {
  fprintf(file, "%s %zu\n", name, 3 * count);
  for (size_t i = 0; i < count; i++) {
    const double v[3] = {(double)vectors[i].x, (double)vectors[i].y, (double)vectors[i].z};
    fwrite(v, sizeof v, 1, file);
  }
}

static void write_indices(FILE *file, const char *name, const uint32_t *indices, size_t count) {
  fprintf(file, "%s %zu\n", name, count);
  for (size_t i = 0; i < count; i++) {
    const double index = indices[i];
    fwrite(&index, sizeof index, 1, file);
  }
}

static uint32_t nearest(const SupMesh *body, SupVec3 place) {
  uint32_t best = 0;
  for (uint32_t v = 1; v < body->vertex_count; v++) {
    if (sup_vec3_distance(body->positions[v], place) <
        sup_vec3_distance(body->positions[best], place)) {
      best = v;
    }
  }
  return best;
}

/* A soft surface, settled while the pulls hold: out[vertex_count] of offsets. */
static void settle(Wobble *w, uint32_t pull_count, const SupPull *pulls, SupVec3 *out) {
  const uint32_t count = w->character.body.vertex_count;
  SupSurfaceDef soft = sup_surface_def();
  SupStack stack;
  SupModel *surface;
  SupError error;
  soft.values[SUP_SURFACE_ALPHA] = 0.02f; /* about 1.4 Hz, with detail */
  soft.values[SUP_SURFACE_BETA] = 0.4f;
  soft.values[SUP_SURFACE_LAMBDA] = 0.1f;
  if (sup_surface_pack(&w->arena, &w->character, &soft, &surface, &error)) {
    fail_msg("%s", error.text);
  }
  const SupModel *models[1] = {surface};
  SupStackDef def = sup_stack_def();
  def.skeleton = &w->character.skeleton;
  def.model_count = 1;
  def.models = models;
  if (sup_stack_make(&def, &stack, &error)) fail_msg("%s", error.text);
  SupStackState *state =
      sup_stack_init(&stack, SUP_ALLOC(&w->arena, char, sup_stack_bytes(&stack)));
  sup_pose_rest(&w->character.skeleton, &w->pose);
  float *shown = SUP_ALLOC(&w->arena, float, 3 * count), *before = NULL;
  for (int i = 0; i < SETTLE; i++) {
    const SupExternalForces forces = {.pull_count = i > 1 ? pull_count : 0, .pulls = pulls};
    const SupStackFrame frame = {
        .dt = 1.0f / 60, .pose = &w->pose, .forces = &forces, .positions = {shown, 3}};
    sup_stack_step(&stack, state, w->backend, NULL, &frame);
    if (i == 1) before = SUP_COPY(&w->arena, float, shown, 3 * count);
  }
  for (uint32_t v = 0; v < count; v++) {
    out[v] = (SupVec3){shown[3 * v] - before[3 * v], shown[3 * v + 1] - before[3 * v + 1],
                       shown[3 * v + 2] - before[3 * v + 2]};
  }
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  Wobble *w = wobble_create("mochi", (uint32_t)atoi(argv[1]), 2500, 15);
  const SupMesh *body = &w->character.body;
  SupModesDef def;
  SupError error;
  if (sup_modes_unpack(&w->arena, w->model, &def, &error)) fail_msg("%s", error.text);
  /* The belly's front, and two places to its sides. */
  const uint32_t hands[3] = {nearest(body, (SupVec3){0, 0.42f, 1}),
                             nearest(body, (SupVec3){-0.07f, 0.42f, 0.3f}),
                             nearest(body, (SupVec3){0.07f, 0.42f, 0.3f})};
  const SupVec3 ways[3] = {{0, 0, DISTANCE}, {DISTANCE, 0, 0}, {-DISTANCE, 0, 0}};
  SupPull pulls[3];
  for (int k = 0; k < 3; k++) {
    pulls[k] = (SupPull){hands[k], sup_vec3_add(body->positions[hands[k]], ways[k]), 1};
  }
  SupVec3 *drag = SUP_ALLOC(&w->arena, SupVec3, body->vertex_count);
  SupVec3 *pinch = SUP_ALLOC(&w->arena, SupVec3, body->vertex_count);
  settle(w, 1, pulls, drag);
  settle(w, 2, pulls + 1, pinch);
  FILE *file = fopen(argv[2], "wb");
  assert_non_null(file);
  write_vectors(file, "positions", body->positions, body->vertex_count);
  write_indices(file, "triangles", body->triangles, 3 * (size_t)body->triangle_count);
  write_indices(file, "hands", hands, 3);
  write_vectors(file, "ways", ways, 3);
  write_vectors(file, "shapes", def.shapes, (size_t)def.mode_count * body->vertex_count);
  write_numbers(file, "stiffness", def.stiffness, def.mode_count);
  write_vectors(file, "drag", drag, body->vertex_count);
  write_vectors(file, "pinch", pinch, body->vertex_count);
  fclose(file);
  wobble_free(w);
  return 0;
}
