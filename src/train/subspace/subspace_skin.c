/* SPDX-License-Identifier: MIT */
/*
 * What the skin shows of the volume. A vertex is a weighted sum of nodes, and the nodes are skinned
 * by weights of their own, from places of their own: so with no amplitude at all it is not where
 * its own skin weights put it. The difference is linear in the bones' matrices,
 *
 *   sum_n s_vn sum_b w_nb M_b X_n - sum_b w_vb M_b X_v = sum_b M_b (c_vb, d_vb),
 *
 * one row of four numbers per vertex and bone. In deep bends most of what plain skinning lacks is
 * there. What is too thin or locked follows its own weights.
 */
#include <math.h>
#include <string.h>

#include "base/scratch.h"
#include "train/subspace/subspace_parts.h"

/* How much of the volume a vertex shows. */
static double shown_part(const SubspaceBody *body, uint32_t v) {
  const float *lock = body->def->attach.lock;
  const double held = lock ? fmin(fmax((double)lock[v], 0), 1) : 0;
  return (1 - (double)body->volume.attachment.thin[v]) * (1 - held);
}

double sup_subspace_at_vertex(const SubspaceBody *body, const double *row, uint32_t v) {
  const SupSmooth *smooth = &body->volume.smooth;
  double sum = 0;
  for (uint32_t s = smooth->offsets[v]; s < smooth->offsets[v + 1]; s++) {
    const int32_t i = body->volume.body.free_index[smooth->nodes[s]];
    if (i >= 0) sum += smooth->weights[s] * row[i];
  }
  return sum * shown_part(body, v);
}

static void write_functions(const SubspaceBody *body, const SubspaceFunctions *functions,
                            float *out) {
  const uint32_t count = functions->count;
  const size_t rows = body->volume.body.free_count;
  for (uint32_t v = 0; v < body->def->character->body.vertex_count; v++) {
    for (size_t k = 0; k < count; k++) {
      out[(size_t)v * count + k] =
          (float)sup_subspace_at_vertex(body, functions->values + k * rows, v);
    }
  }
}

/* ---- The bones' part ------------------------------------------------------------------------- */

static void add_part(double *io, double weight, SupVec3d x) {
  io[0] += weight * x.x, io[1] += weight * x.y, io[2] += weight * x.z, io[3] += weight;
}

/* The rows of a vertex: dense[4 * bones], and whether a bone has one: touched[bones]. */
static void find_rows(const SubspaceBody *body, uint32_t v, double *dense, uint8_t *touched) {
  const SupSmooth *smooth = &body->volume.smooth;
  const SupAttachment *attachment = &body->volume.attachment;
  const SupCharacter *character = body->def->character;
  const double part = shown_part(body, v);
  memset(dense, 0, 4 * sizeof *dense * body->bones);
  memset(touched, 0, body->bones);
  if (part == 0) return;
  for (uint32_t s = smooth->offsets[v]; s < smooth->offsets[v + 1]; s++) {
    const size_t n = smooth->nodes[s];
    for (size_t k = SUP_ATTACH_BONES * n; k < SUP_ATTACH_BONES * (n + 1); k++) {
      const double weight = part * smooth->weights[s] * (double)attachment->weights[k];
      if (weight == 0) continue;
      touched[attachment->bones[k]] = 1;
      add_part(dense + 4 * attachment->bones[k], weight, body->volume.fill.mesh.nodes[n]);
    }
  }
  for (uint32_t k = character->skin.offsets[v]; k < character->skin.offsets[v + 1]; k++) {
    touched[character->skin.bones[k]] = 1;
    add_part(dense + 4 * character->skin.bones[k], -part * (double)character->skin.weights[k],
             sup_vec3_to_double(character->body.positions[v]));
  }
}

/* Counts the rows, or writes them too where `rows` is not NULL. */
static void take_rows(const SubspaceBody *body, double *dense, uint8_t *touched, uint32_t *first,
                      uint32_t *names, float *rows) {
  const uint32_t vertices = body->def->character->body.vertex_count;
  uint32_t count = 0;
  for (uint32_t v = 0; v < vertices; v++) {
    find_rows(body, v, dense, touched);
    for (uint32_t b = 0; b < body->bones; b++) {
      if (!touched[b]) continue;
      for (size_t i = 0; i < 4 && rows; i++) rows[4 * (size_t)count + i] = (float)dense[4 * b + i];
      if (rows) names[count] = b;
      count++;
    }
    first[v + 1] = count;
  }
}

static SupResult write_bones(SupArena *arena, const SubspaceBody *body, SupSubspaceView *view,
                             SupError *error) {
  const uint32_t vertices = body->def->character->body.vertex_count;
  SupArena scratch = sup_scratch(arena);
  double *dense = SUP_ALLOC(&scratch, double, 4 * (size_t)body->bones);
  uint8_t *touched = SUP_ALLOC(&scratch, uint8_t, body->bones);
  uint32_t *first = SUP_ALLOC(arena, uint32_t, vertices + 1), *names = NULL;
  float *rows = NULL;
  if (dense && touched && first) {
    take_rows(body, dense, touched, first, NULL, NULL);
    names = SUP_ALLOC(arena, uint32_t, first[vertices]);
    rows = SUP_ALLOC(arena, float, 4 * (size_t)first[vertices]);
    if (names && rows) take_rows(body, dense, touched, first, names, rows);
  }
  sup_arena_free(&scratch);
  view->vertex_bone_first = first;
  view->vertex_bones = names;
  view->vertex_bone_rows = rows;
  return names && rows ? SUP_OK : sup_fail_memory(error, "subspace");
}

SupResult sup_subspace_skin(SupArena *arena, const SubspaceBody *body,
                            const SubspaceFunctions *functions, SupSubspaceView *view,
                            SupError *error) {
  const uint32_t vertices = body->def->character->body.vertex_count;
  float *rows = SUP_ALLOC(arena, float, (size_t)vertices * functions->count);
  if (!rows) return sup_fail_memory(error, "subspace");
  write_functions(body, functions, rows);
  view->vertex_count = vertices;
  view->vertex_functions = rows;
  return write_bones(arena, body, view, error);
}
