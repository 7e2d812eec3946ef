/* SPDX-License-Identifier: MIT */
/* Edges of the base shell, their frames, and how deep it lies. */
#include "shell.h"

#include "base/scratch.h"
#include "base/union_find.h"

#define DEPTH_STEPS 256 /* in which the first crossing is looked for */
#define HALVINGS 60

/* ---- Edges ---------------------------------------------------------------------------------- */

static uint32_t next_corner(const SupShell *shell, uint32_t face, uint32_t k) {
  return k + 1 < shell->offsets[face + 1] ? k + 1 : shell->offsets[face];
}

static uint32_t find_edge(const SupShellEdge *edges, uint32_t count, uint32_t from, uint32_t to) {
  for (uint32_t e = 0; e < count; e++) {
    if (edges[e].from == from && edges[e].to == to) return e;
  }
  return SUP_NONE;
}

/* faces[0] has the edge from `from` to `to`, faces[1] the other way round. */
static SupResult add_sides(SupShell *shell, SupShellEdge *edges, uint32_t *edges_of,
                           SupError *error) {
  for (uint32_t f = 0; f < shell->face_count; f++) {
    for (uint32_t k = shell->offsets[f]; k < shell->offsets[f + 1]; k++) {
      const uint32_t a = shell->corners[k], b = shell->corners[next_corner(shell, f, k)];
      const uint32_t from = a < b ? a : b, to = a < b ? b : a, side = a < b ? 0 : 1;
      uint32_t e = find_edge(edges, shell->edge_count, from, to);
      if (e == SUP_NONE) {
        e = shell->edge_count++;
        edges[e] = (SupShellEdge){from, to, {SUP_NONE, SUP_NONE}};
      }
      if (edges[e].faces[side] != SUP_NONE || a == b) {
        return sup_fail(error, SUP_ERROR_FORMAT,
                        "faces %u and %u of the base shell do not meet as those of a surface do",
                        edges[e].faces[side] + 1, f + 1);
      }
      edges[e].faces[side] = f;
      edges_of[k] = e;
    }
  }
  return SUP_OK;
}

static bool list_at_vertices(SupArena *arena, SupShell *shell) {
  uint32_t *offsets = SUP_ALLOC(arena, uint32_t, (size_t)shell->vertex_count + 2);
  uint32_t *list = SUP_ALLOC(arena, uint32_t, 2 * (size_t)shell->edge_count);
  if (!offsets || !list) return false;
  for (uint32_t e = 0; e < shell->edge_count; e++) {
    offsets[shell->edges[e].from + 2]++;
    offsets[shell->edges[e].to + 2]++;
  }
  for (uint32_t v = 0; v < shell->vertex_count; v++) offsets[v + 2] += offsets[v + 1];
  for (uint32_t e = 0; e < shell->edge_count; e++) {
    list[offsets[shell->edges[e].from + 1]++] = e;
    list[offsets[shell->edges[e].to + 1]++] = e;
  }
  shell->vertex_offsets = offsets;
  shell->vertex_edges = list;
  return true;
}

SupResult sup_shell_create(SupArena *arena, uint32_t vertex_count, uint32_t face_count,
                           const uint32_t *offsets, const uint32_t *corners, SupShell *out_shell,
                           SupError *error) {
  SupShell shell = {.vertex_count = vertex_count,
                    .face_count = face_count,
                    .offsets = offsets,
                    .corners = corners};
  SupShellEdge *edges = SUP_ALLOC(arena, SupShellEdge, offsets[face_count]);
  uint32_t *edges_of = SUP_ALLOC(arena, uint32_t, offsets[face_count]);
  if (!edges || !edges_of) return sup_fail_memory(error, NULL);
  SupResult result = add_sides(&shell, edges, edges_of, error);
  if (result != SUP_OK) return result;
  shell.edges = edges;
  shell.edges_of = edges_of;
  if (!list_at_vertices(arena, &shell)) return sup_fail_memory(error, NULL);
  *out_shell = shell;
  return SUP_OK;
}

/* ---- Depth ---------------------------------------------------------------------------------- */

static double six_volumes(SupVec3d a, SupVec3d b, SupVec3d c) {
  return sup_vec3d_dot(a, sup_vec3d_cross(b, c));
}

/* Six times the volume between the origin and the faces. */
static double faces_volume(const SupShell *shell, const SupVec3d *positions) {
  double sum = 0;
  for (uint32_t f = 0; f < shell->face_count; f++) {
    const uint32_t first = shell->offsets[f], count = shell->offsets[f + 1] - first;
    SupVec3d middle = {0, 0, 0};
    for (uint32_t k = 0; k < count; k++) {
      middle = sup_vec3d_add_scaled(middle, positions[shell->corners[first + k]], 1.0 / count);
    }
    for (uint32_t k = first; k < first + count; k++) {
      sum += six_volumes(middle, positions[shell->corners[k]],
                         positions[shell->corners[next_corner(shell, f, k)]]);
    }
  }
  return sum;
}

static bool is_open(const SupShellEdge *edge) {
  return edge->faces[0] == SUP_NONE || edge->faces[1] == SUP_NONE;
}

/* The same of the fans that close its openings. */
static double openings_volume(const SupShell *shell, const SupVec3d *positions, uint32_t *parents,
                              SupVec3d *middles, double *counts) {
  double sum = 0;
  sup_union_find_init(parents, shell->vertex_count);
  for (uint32_t v = 0; v < shell->vertex_count; v++) {
    middles[v] = (SupVec3d){0, 0, 0};
    counts[v] = 0;
  }
  for (uint32_t e = 0; e < shell->edge_count; e++) {
    if (is_open(&shell->edges[e])) {
      sup_union_find_join(parents, shell->edges[e].from, shell->edges[e].to);
    }
  }
  for (uint32_t e = 0; e < shell->edge_count; e++) {
    const SupShellEdge *edge = &shell->edges[e];
    if (!is_open(edge)) continue;
    const uint32_t root = sup_union_find_root(parents, edge->from);
    middles[root] = sup_vec3d_add(middles[root], positions[edge->from]);
    middles[root] = sup_vec3d_add(middles[root], positions[edge->to]);
    counts[root] += 2;
  }
  for (uint32_t e = 0; e < shell->edge_count; e++) {
    const SupShellEdge *edge = &shell->edges[e];
    if (!is_open(edge)) continue;
    const uint32_t root = sup_union_find_root(parents, edge->from);
    const SupVec3d middle = sup_vec3d_scale(middles[root], 1 / counts[root]);
    const double part = six_volumes(middle, positions[edge->to], positions[edge->from]);
    sum += edge->faces[0] != SUP_NONE ? part : -part;
  }
  return sum;
}

SupResult sup_shell_volume(SupArena *arena, const SupShell *shell, const SupVec3d *positions,
                           double *out_volume, SupError *error) {
  SupArena scratch = sup_scratch(arena);
  uint32_t *parents = SUP_ALLOC(&scratch, uint32_t, shell->vertex_count);
  SupVec3d *middles = SUP_ALLOC(&scratch, SupVec3d, shell->vertex_count);
  double *counts = SUP_ALLOC(&scratch, double, shell->vertex_count);
  const bool made = parents && middles && counts;
  if (made) {
    *out_volume = (faces_volume(shell, positions) +
                   openings_volume(shell, positions, parents, middles, counts)) /
                  6;
  }
  sup_arena_free(&scratch);
  return made ? SUP_OK : sup_fail_memory(error, NULL);
}

typedef struct Depth {
  SupArena *scratch;
  const SupShell *shell;
  const SupVec3d *positions, *normals;
  SupVec3d *moved;
} Depth;

static SupResult volume_at(const Depth *d, double depth, double *out_volume, SupError *error) {
  for (uint32_t v = 0; v < d->shell->vertex_count; v++) {
    d->moved[v] = sup_vec3d_add_scaled(d->positions[v], d->normals[v], -depth);
  }
  return sup_shell_volume(d->scratch, d->shell, d->moved, out_volume, error);
}

/* Of the order of its diameter, at least half of it. */
static double size_of(const SupShell *shell, const SupVec3d *positions) {
  double most = 0;
  for (uint32_t v = 1; v < shell->vertex_count; v++) {
    const double far = sup_vec3d_distance(positions[0], positions[v]);
    if (far > most) most = far;
  }
  return most;
}

static SupResult find_half(const Depth *d, double *out_depth, SupError *error) {
  const double step = size_of(d->shell, d->positions) / DEPTH_STEPS;
  double whole, volume, low, high = 0;
  SupResult result = volume_at(d, 0, &whole, error);
  volume = whole;
  for (uint32_t k = 1; k <= DEPTH_STEPS && result == SUP_OK && volume > whole / 2; k++) {
    high = k * step;
    result = volume_at(d, high, &volume, error);
  }
  if (result != SUP_OK) return result;
  if (!(whole > 0) || !(volume <= whole / 2)) {
    return sup_fail(error, SUP_ERROR_FORMAT, "no depth of the base shell leaves half the volume");
  }
  low = high - step;
  for (uint32_t k = 0; k < HALVINGS && result == SUP_OK; k++) {
    const double middle = (low + high) / 2;
    result = volume_at(d, middle, &volume, error);
    *(volume > whole / 2 ? &low : &high) = middle;
  }
  if (result == SUP_OK) *out_depth = high;
  return result;
}

SupResult sup_shell_half_depth(SupArena *arena, const SupShell *shell, const SupVec3d *positions,
                               const SupVec3d *normals, double *out_depth, SupError *error) {
  SupArena scratch = sup_scratch(arena);
  const Depth d = {.scratch = &scratch,
                   .shell = shell,
                   .positions = positions,
                   .normals = normals,
                   .moved = SUP_ALLOC(&scratch, SupVec3d, shell->vertex_count)};
  SupResult result = d.moved ? find_half(&d, out_depth, error) : sup_fail_memory(error, NULL);
  sup_arena_free(&scratch);
  return result;
}
