/* SPDX-License-Identifier: MIT */
/* Frames of the shell's edges and faces (Guo 2007, 4.4.1). */
#include "runtime/chunks/shell_frames.h"

SupVec3d sup_face_area(uint32_t count, const SupVec3d *corners) {
  SupVec3d sum = {0, 0, 0};
  for (uint32_t k = 2; k < count; k++) {
    const SupVec3d e = sup_vec3d_sub(corners[k - 1], corners[0]);
    sum = sup_vec3d_add(sum, sup_vec3d_cross(e, sup_vec3d_sub(corners[k], corners[0])));
  }
  return sum;
}

/* y as it is, z as near to `up` as it can be, x = y x z. */
static SupMat3d frame_of(SupVec3d y, SupVec3d up) {
  y = sup_vec3d_normalise(y);
  const SupVec3d z = sup_vec3d_normalise(sup_vec3d_add_scaled(up, y, -sup_vec3d_dot(up, y)));
  return sup_mat3d_from_columns(sup_vec3d_cross(y, z), y, z);
}

SupAffined sup_face_frame(uint32_t count, const SupVec3d *corners) {
  const SupVec3d z = sup_vec3d_normalise(sup_face_area(count, corners));
  const SupVec3d side = sup_vec3d_sub(corners[1], corners[0]);
  SupVec3d middle = {0, 0, 0};
  for (uint32_t k = 0; k < count; k++) {
    middle = sup_vec3d_add_scaled(middle, corners[k], 1.0 / count);
  }
  const SupVec3d y = sup_vec3d_add_scaled(side, z, -sup_vec3d_dot(side, z));
  return sup_affined_from_parts(frame_of(y, z), middle);
}

static SupVec3d face_normal(const SupShell *shell, const SupVec3d *positions, uint32_t face) {
  const uint32_t *c = shell->corners + shell->offsets[face];
  const uint32_t count = shell->offsets[face + 1] - shell->offsets[face];
  SupVec3d sum = {0, 0, 0};
  for (uint32_t k = 2; k < count; k++) {
    const SupVec3d e = sup_vec3d_sub(positions[c[k - 1]], positions[c[0]]);
    const SupVec3d f = sup_vec3d_sub(positions[c[k]], positions[c[0]]);
    sum = sup_vec3d_add(sum, sup_vec3d_cross(e, f));
  }
  return sup_vec3d_normalise(sum);
}

/* The frame of an edge; its y is as long as the edge. */
static SupAffined edge_frame(const SupShell *shell, const SupVec3d *positions, uint32_t e) {
  const SupShellEdge *edge = &shell->edges[e];
  const SupVec3d along = sup_vec3d_sub(positions[edge->to], positions[edge->from]);
  SupVec3d up = {0, 0, 0};
  for (uint32_t k = 0; k < 2; k++) {
    if (edge->faces[k] == SUP_CHUNKS_NONE) continue;
    up = sup_vec3d_add(up, face_normal(shell, positions, edge->faces[k]));
  }
  SupMat3d frame = frame_of(along, up);
  frame.m[3] = along.x;
  frame.m[4] = along.y;
  frame.m[5] = along.z;
  return sup_affined_from_parts(frame, positions[edge->from]);
}

void sup_shell_edge_backs(const SupShell *shell, const SupVec3d *rest, SupAffined *out_backs) {
  for (uint32_t e = 0; e < shell->edge_count; e++) {
    out_backs[e] = sup_affined_inverse(edge_frame(shell, rest, e));
  }
}

void sup_shell_edge_maps(const SupShell *shell, const SupVec3d *rest, const SupVec3d *now,
                         SupAffined *out_maps) {
  sup_shell_edge_backs(shell, rest, out_maps);
  sup_shell_edge_maps_from(shell, out_maps, now, out_maps);
}

void sup_shell_edge_maps_from(const SupShell *shell, const SupAffined *backs, const SupVec3d *now,
                              SupAffined *out_maps) {
  for (uint32_t e = 0; e < shell->edge_count; e++) {
    out_maps[e] = sup_affined_mul(edge_frame(shell, now, e), backs[e]);
  }
}

SupAffined sup_shell_vertex_map(const SupShell *shell, const SupAffined *edge_maps,
                                uint32_t vertex) {
  const uint32_t first = shell->vertex_offsets[vertex], end = shell->vertex_offsets[vertex + 1];
  SupAffined mean = {{0}};
  for (uint32_t i = first; i < end; i++) {
    const SupAffined *map = &edge_maps[shell->vertex_edges[i]];
    for (uint32_t k = 0; k < 12; k++) mean.m[k] += map->m[k] / (end - first);
  }
  return mean;
}

/* ---- Numbers -------------------------------------------------------------------------------- */

/* map - 1 as an affine displacement: t, then the columns of L. */
static void put_map(double *out, SupAffined map) {
  for (uint32_t k = 0; k < 3; k++) out[k] = map.m[9 + k];
  for (uint32_t k = 0; k < 9; k++) out[3 + k] = map.m[k] - (k % 4 == 0 ? 1 : 0);
}

/* The frame of a face, now: `rest` turned as its sides are in the mean. That of its corners alone
 * would turn with one side, or with the face, and what does not turn with it seems strained: a
 * chunk beside a limb that swings is blown up. */
static SupAffined mean_frame(const SupShellFace *face, SupAffined rest) {
  SupVec3d y = {0, 0, 0}, z = {0, 0, 0}, middle = {0, 0, 0};
  for (uint32_t k = 0; k < face->count; k++) {
    const SupMat3d now =
        sup_mat3d_mul(sup_affined_linear(face->side_maps[k]), sup_affined_linear(rest));
    y = sup_vec3d_add(y, sup_vec3d_normalise(sup_mat3d_column(now, 1)));
    z = sup_vec3d_add(z, sup_vec3d_normalise(sup_mat3d_column(now, 2)));
    middle = sup_vec3d_add_scaled(middle, face->now[k], 1.0 / face->count);
  }
  z = sup_vec3d_normalise(z);
  y = sup_vec3d_add_scaled(y, z, -sup_vec3d_dot(y, z));
  const double length = sup_vec3d_length(y);
  if (!(sup_vec3d_dot(z, z) > 0.5 && length > 1e-6)) return sup_face_frame(face->count, face->now);
  y = sup_vec3d_scale(y, 1 / length);
  return sup_affined_from_parts(sup_mat3d_from_columns(sup_vec3d_cross(y, z), y, z), middle);
}

SupAffined sup_shell_face_numbers(const SupShellFace *face, SupAffined rest, double *out_numbers) {
  const uint32_t count = face->count;
  const SupAffined frame = mean_frame(face, rest);
  const SupAffined back = sup_affined_inverse(frame), rest_back = sup_affined_inverse(rest);
  double *sides = out_numbers, *corners = sides + 12 * (size_t)count;
  double *vertices = corners + 12 * (size_t)count;
  for (uint32_t k = 0; k < count; k++) {
    put_map(sides + 12 * (size_t)k,
            sup_affined_mul(back, sup_affined_mul(face->side_maps[k], rest)));
    put_map(corners + 12 * (size_t)k,
            sup_affined_mul(back, sup_affined_mul(face->corner_maps[k], rest)));
    const SupVec3d now = sup_affined_point(back, face->now[k]);
    const SupVec3d move = sup_vec3d_sub(now, sup_affined_point(rest_back, face->rest[k]));
    vertices[3 * (size_t)k] = move.x;
    vertices[3 * (size_t)k + 1] = move.y;
    vertices[3 * (size_t)k + 2] = move.z;
  }
  return frame;
}

double sup_bulge_height_by_area(double height, double rest_area, double area, bool no_dents) {
  const double more = rest_area / area - 1;
  return no_dents && more < 0 ? 0 : height * more;
}
