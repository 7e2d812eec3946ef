/* SPDX-License-Identifier: MIT */
/* The law of playing chunks, in double precision and straight from a definition. */
#include <math.h>

#include "fleshed.h"
#include "runtime/chunks/limb_frame.h"
#include "runtime/chunks/shell_frames.h"

typedef struct Law {
  Fleshed *f;
  const SupChunksPackDef *def;
  const SupPose *pose;
  const SupChunksControls *controls;
  SupAffined *palette, root;
  SupShell shell;
  SupVec3d *rest, *now;
  SupAffined *edges;
  SupLimbPose *joined, *poses;          /* as joints say, and eased */
  uint32_t *first_nodes, *first_bulges; /* of each chunk */
  SupVec3d *nodes;
  SupMat3d *turns; /* of each node, from bind space */
} Law;

#define ROOM(law, type, count) SUP_ALLOC(&(law)->f->arena, type, count)

static SupAffined widen(SupAffine map) {
  SupAffined wide;
  for (int k = 0; k < 12; k++) wide.m[k] = (double)map.m[k];
  return wide;
}

static void take_palette(Law *l) {
  const SupSkeleton *skeleton = &l->f->character.skeleton;
  SupAffine *globals = ROOM(l, SupAffine, skeleton->joint_count);
  SupAffine *palette = ROOM(l, SupAffine, skeleton->bone_count);
  l->palette = ROOM(l, SupAffined, skeleton->bone_count);
  sup_pose_evaluate(skeleton, l->pose, globals, palette);
  l->root = widen(palette[l->def->root]);
  for (uint32_t k = 0; k < skeleton->bone_count; k++) {
    l->palette[k] = sup_affined_mul(sup_affined_inverse(l->root), widen(palette[k]));
  }
}

static void take_shell(Law *l) {
  const SupChunksPackDef *d = l->def;
  l->shell =
      (SupShell){d->vertex_count, d->face_count, d->edge_count,     d->face_offsets, d->corners,
                 d->corner_edges, d->edges,      d->vertex_offsets, d->vertex_edges};
  l->rest = ROOM(l, SupVec3d, d->point_count);
  l->now = ROOM(l, SupVec3d, d->point_count);
  l->edges = ROOM(l, SupAffined, d->edge_count);
  for (uint32_t k = 0; k < d->point_count; k++) {
    l->rest[k] = sup_vec3_to_double(d->points[k]);
    for (uint32_t i = d->influence_offsets[k]; i < d->influence_offsets[k + 1]; i++) {
      const SupChunksInfluence *in = &d->influences[i];
      l->now[k] = sup_vec3d_add_scaled(
          l->now[k], sup_affined_point(l->palette[in->bone], l->rest[k]), (double)in->weight);
    }
  }
  sup_shell_edge_maps(&l->shell, l->rest, l->now, l->edges);
}

static void take_limbs(Law *l) {
  const SupChunksPackDef *d = l->def;
  l->joined = ROOM(l, SupLimbPose, d->limb_count);
  l->poses = ROOM(l, SupLimbPose, d->limb_count);
  for (uint32_t k = 0; k < d->limb_count; k++) {
    l->joined[k] =
        sup_limb_straight(sup_affined_mul(l->palette[d->limbs[k].bone], d->limbs[k].rest));
  }
  for (uint32_t j = 0; j < d->limb_joint_count; j++) {
    const SupChunksJoint *joint = &d->limb_joints[j];
    const SupAffined rest[2] = {d->limbs[joint->first].rest, d->limbs[joint->second].rest};
    sup_limb_join(rest, &l->joined[joint->first], &l->joined[joint->second]);
  }
  for (uint32_t k = 0; k < d->limb_count; k++) {
    l->poses[k] = l->joined[k];
    sup_limb_ease(&l->poses[k]);
  }
}

static double angle_of(const Law *l, const SupPoseAngle *angle) {
  const SupQuat q = sup_quat_mul(sup_quat_conjugate(angle->rest),
                                 sup_quat_normalise(l->pose->joints[angle->joint].rotation));
  const double along = (double)(angle->axis.x * q.x + angle->axis.y * q.y + angle->axis.z * q.z);
  double a = 2 * atan2(along, (double)q.w);
  if (a > SUP_PI) a -= 2 * SUP_PI;
  if (a <= -SUP_PI) a += 2 * SUP_PI;
  return fmin(fmax(a, (double)angle->low), (double)angle->high);
}

static double bulge_height(const Law *l, const SupChunksBulgeDef *b, uint32_t number) {
  double height = 0;
  const double most = (double)b->most;
  if (b->driver == SUP_CHUNKS_BY_ANGLE) {
    const SupPoseAngle *angle = &l->def->angles[b->angle];
    const double low = (double)angle->low, high = (double)angle->high;
    const double at = (angle_of(l, angle) - low) / (high - low) * (b->sample_count - 1);
    const uint32_t i = (uint32_t)fmin(floor(at), b->sample_count - 2);
    height = (double)b->curve[i] * (1 - (at - i)) + (double)b->curve[i + 1] * (at - i);
  }
  if (b->driver == SUP_CHUNKS_BY_AREA) {
    const uint32_t first = l->def->face_offsets[b->face];
    SupVec3d rest[SUP_CHUNKS_CORNERS], now[SUP_CHUNKS_CORNERS];
    const uint32_t count = l->def->face_offsets[b->face + 1] - first;
    for (uint32_t k = 0; k < count; k++) {
      rest[k] = l->rest[l->def->corners[first + k]];
      now[k] = l->now[l->def->corners[first + k]];
    }
    height = (double)b->height * (sup_vec3d_length(sup_face_area(count, rest)) /
                                      sup_vec3d_length(sup_face_area(count, now)) -
                                  1);
    height = fmin(fmax(height, -most), most);
  }
  if (l->controls && l->controls->bulge_scales) height *= (double)l->controls->bulge_scales[number];
  if (l->controls && l->controls->bulge_heights)
    height += (double)l->controls->bulge_heights[number];
  return fmin(fmax(height, b->no_dents ? 0 : -most), most);
}

static void face_of(const Law *l, uint32_t f, SupVec3d *rest, SupVec3d *now, SupAffined *sides,
                    SupAffined *corners) {
  for (uint32_t k = l->def->face_offsets[f]; k < l->def->face_offsets[f + 1]; k++) {
    const uint32_t at = k - l->def->face_offsets[f], v = l->def->corners[k];
    rest[at] = l->rest[v];
    now[at] = l->now[v];
    sides[at] = l->edges[l->def->corner_edges[k]];
    corners[at] = sup_shell_vertex_map(&l->shell, l->edges, v);
  }
}

static uint32_t end_numbers(const Law *l, const SupChunksPieceDef *piece, uint32_t end,
                            double *out) {
  const SupChunksPackDef *d = l->def;
  const SupChunksLimb *limb = &d->limbs[piece->limb];
  const SupLimbPose *pose = &l->poses[piece->limb];
  for (uint32_t j = 0; j < d->limb_joint_count && piece->ends[end] == SUP_CHUNKS_END_JOINT; j++) {
    const SupChunksJoint *joint = &d->limb_joints[j];
    if ((end ? joint->first : joint->second) != piece->limb) continue;
    const SupAffined rest[2] = {d->limbs[joint->first].rest, d->limbs[joint->second].rest};
    const SupAffined map = sup_limb_shared_map(
        rest, &l->joined[joint->first], d->limbs[joint->first].length, &l->joined[joint->second]);
    sup_limb_slice_numbers(pose, limb->rest, limb->length, end, map, out);
    return 12;
  }
  const SupChunksPlace *places = piece->places + (end ? piece->place_counts[0] : 0);
  for (uint32_t k = 0; k < piece->place_counts[end]; k++) {
    const SupChunksPlace *p = &places[k];
    const SupVec3d to = p->piece == SUP_CHUNKS_NONE ? l->now[p->node]
                                                    : l->nodes[l->first_nodes[p->piece] + p->node];
    const SupVec3d at = sup_vec3_to_double(p->at);
    const SupVec3d move = sup_limb_displacement(pose, limb->length, end, at, to);
    out[3 * k] = move.x, out[3 * k + 1] = move.y, out[3 * k + 2] = move.z;
  }
  return 3 * piece->place_counts[end];
}

static SupVec3d displacement(const SupChunksPieceDef *piece, uint32_t i, uint32_t columns,
                             const double *numbers) {
  double d[3] = {0, 0, 0};
  if (i < piece->free_count) {
    for (uint32_t k = 0; k < 3; k++) {
      for (uint32_t c = 0; c < columns; c++) {
        d[k] += (double)piece->matrix[(3 * (size_t)i + k) * columns + c] * numbers[c];
      }
    }
  }
  for (uint32_t h = 0; h < piece->hold_count; h++) {
    const SupChunksHold *hold = &piece->holds[h];
    const double *n = numbers + hold->column;
    if (hold->node != i) continue;
    for (uint32_t k = 0; k < 3; k++) {
      double move = n[k];
      if (hold->size == 12) {
        move += n[3 + k] * (double)hold->at.x + n[6 + k] * (double)hold->at.y +
                n[9 + k] * (double)hold->at.z;
      }
      d[k] += (double)hold->weight * move;
    }
  }
  return (SupVec3d){d[0], d[1], d[2]};
}

static void place_piece(Law *l, uint32_t p) {
  const SupChunksPieceDef *piece = &l->def->pieces[p];
  const bool ordinary = piece->limb == SUP_CHUNKS_NONE;
  double *numbers = ROOM(l, double, SUP_CHUNKS_COLUMNS);
  SupVec3d rest[SUP_CHUNKS_CORNERS], now[SUP_CHUNKS_CORNERS];
  SupAffined sides[SUP_CHUNKS_CORNERS], corners[SUP_CHUNKS_CORNERS], frame = {{0}};
  uint32_t columns = 0, count = 0;
  if (ordinary) {
    count = l->def->face_offsets[piece->face + 1] - l->def->face_offsets[piece->face];
    face_of(l, piece->face, rest, now, sides, corners);
    const SupShellFace face = {count, rest, now, sides, corners};
    frame = sup_shell_face_numbers(&face, piece->rest, numbers);
    columns = 27 * count;
  } else {
    for (uint32_t end = 0; end < 2; end++) columns += end_numbers(l, piece, end, numbers + columns);
  }
  for (uint32_t b = 0; b < piece->bulge_count; b++) {
    numbers[columns++] = bulge_height(l, &piece->bulges[b], l->first_bulges[p] + b);
  }
  for (uint32_t i = 0; i < piece->free_count + piece->held_count; i++) {
    const uint32_t node = l->first_nodes[p] + i;
    const SupVec3d x = sup_vec3d_add(sup_vec3_to_double(piece->nodes[i]),
                                     displacement(piece, i, columns, numbers));
    SupMat3d turn = {{0}};
    if (ordinary) {
      for (uint32_t c = 0; c < count; c++) {
        const double w = (double)piece->node_weights[(size_t)count * i + c];
        for (int k = 0; k < 9; k++) turn.m[k] += w * corners[c].m[k];
      }
    } else {
      const SupChunksLimb *limb = &l->def->limbs[piece->limb];
      const double u = (double)piece->node_slices[i] / (piece->slice_count - 1);
      frame = sup_limb_slice_map(&l->poses[piece->limb], sup_affined_identity(), limb->length, u);
      turn = sup_mat3d_mul(sup_affined_linear(frame),
                           sup_mat3d_transpose(sup_affined_linear(limb->rest)));
    }
    l->nodes[node] = sup_affined_point(frame, x);
    l->turns[node] = turn;
  }
}

/* ---- Skin ------------------------------------------------------------------------------------ */

static SupVec3d hang(const Law *l, const SupChunksPatchDef *patch, uint32_t i) {
  const SupVec3d r = sup_vec3_to_double(patch->residuals[i]);
  SupVec3d sum = {0, 0, 0};
  for (uint32_t n = 0; n < 4; n++) {
    const double w = (double)patch->weights[4 * i + n];
    if (w == 0) continue;
    const uint32_t node = l->first_nodes[patch->piece] + patch->nodes[4 * i + n];
    const SupVec3d at = sup_vec3d_add(l->nodes[node], sup_mat3d_mul_vec3(l->turns[node], r));
    sum = sup_vec3d_add_scaled(sum, at, w);
  }
  return sup_affined_point(l->root, sum);
}

static SupVec3d skinned_point(const SupSeam *seam, const SupVec3 *skinned) {
  return sup_vec3d_lerp(sup_vec3_to_double(skinned[seam->a]), sup_vec3_to_double(skinned[seam->b]),
                        seam->a == seam->b ? 0 : (double)seam->ratio);
}

static SupVec3d skinned_at(const Law *l, const SupChunksPatchDef *patch, uint32_t i,
                           const SupVec3 *skinned) {
  if (i < patch->border_count) return skinned_point(&l->def->seams[patch->seams[i]], skinned);
  return sup_vec3_to_double(skinned[patch->vertices[i]]);
}

static void sew(const Law *l, const SupVec3 *skinned, SupVec3d *out) {
  const SupChunksPackDef *d = l->def;
  SupVec3d *own[64], *places = ROOM(l, SupVec3d, d->seam_count);
  double *counts = ROOM(l, double, d->seam_count);
  assert_true(d->patch_count <= 64);
  for (uint32_t p = 0; p < d->patch_count; p++) {
    const SupChunksPatchDef *patch = &d->patches[p];
    const float *strengths = l->controls ? l->controls->strengths : NULL;
    const double strength = strengths ? (double)strengths[patch->piece] : 1;
    own[p] = ROOM(l, SupVec3d, patch->vertex_count);
    for (uint32_t i = 0; i < patch->vertex_count; i++) {
      own[p][i] = sup_vec3d_lerp(skinned_at(l, patch, i, skinned), hang(l, patch, i), strength);
      if (i >= patch->border_count) continue;
      places[patch->seams[i]] = sup_vec3d_add(places[patch->seams[i]], own[p][i]);
      counts[patch->seams[i]] += 1;
    }
  }
  for (uint32_t s = 0; s < d->seam_count; s++) {
    places[s] = sup_vec3d_scale(places[s], 1 / fmax(counts[s], 1));
    if (d->seams[s].open) places[s] = skinned_point(&d->seams[s], skinned);
  }
  for (uint32_t p = 0; p < d->patch_count; p++) {
    const SupChunksPatchDef *patch = &d->patches[p];
    for (uint32_t i = 0; i < patch->vertex_count; i++) {
      SupVec3d at = own[p][i];
      if (patch->vertices[i] == SUP_CHUNKS_NONE) continue;
      if (i < patch->border_count) at = places[patch->seams[i]];
      for (uint32_t b = 0; b < patch->border_count && i >= patch->border_count; b++) {
        const SupVec3d by = sup_vec3d_sub(places[patch->seams[b]], own[p][b]);
        const size_t row = (size_t)(i - patch->border_count) * patch->border_count;
        at = sup_vec3d_add_scaled(at, by, (double)patch->spread[row + b]);
      }
      out[patch->vertices[i]] = at;
    }
  }
}

void fleshed_law_creased(Fleshed *f, const SupPose *pose, const SupChunksControls *controls,
                         SupVec3d *out, SupVec3d *out_nodes) {
  Law l = {.f = f, .def = &f->def, .pose = pose, .controls = controls};
  SupVec3 *skinned = fleshed_room(f);
  uint32_t nodes = 0, bulges = 0;
  fleshed_skin(f, pose, skinned);
  take_palette(&l);
  take_shell(&l);
  take_limbs(&l);
  l.first_nodes = ROOM(&l, uint32_t, f->def.piece_count);
  l.first_bulges = ROOM(&l, uint32_t, f->def.piece_count);
  for (uint32_t p = 0; p < f->def.piece_count; p++) {
    l.first_nodes[p] = nodes, l.first_bulges[p] = bulges;
    nodes += f->def.pieces[p].free_count + f->def.pieces[p].held_count;
    bulges += f->def.pieces[p].bulge_count;
  }
  l.nodes = ROOM(&l, SupVec3d, nodes);
  l.turns = ROOM(&l, SupMat3d, nodes);
  for (uint32_t p = 0; p < f->def.piece_count; p++) place_piece(&l, p);
  for (uint32_t v = 0; v < f->count; v++) out[v] = sup_vec3_to_double(skinned[v]);
  sew(&l, skinned, out);
  for (uint32_t k = 0; k < nodes && out_nodes; k++) out_nodes[k] = l.nodes[k];
}

/* ---- Smooth across seams ----------------------------------------------------------------------
 */

/* out[count]: rings of triangles from the seams, 3 for all that is farther. */
static void count_rings(const Fleshed *f, uint32_t *out) {
  const SupMesh *mesh = &f->character.body;
  for (uint32_t v = 0; v < f->count; v++) out[v] = 3;
  for (uint32_t s = 0; s < f->def.seam_count; s++)
    out[f->def.seams[s].a] = out[f->def.seams[s].b] = 0;
  for (uint32_t ring = 1; ring < 3; ring++) {
    for (uint32_t c = 0; c < 3 * mesh->triangle_count; c++) {
      const uint32_t *t = mesh->triangles + c - c % 3, next = t[(c + 1) % 3], last = t[(c + 2) % 3];
      const bool beside = out[next] == ring - 1 || out[last] == ring - 1;
      if (beside && out[t[c % 3]] > ring) out[t[c % 3]] = ring;
    }
  }
}

/* Four times half of the way and less, the farther from the seam, to the mean of the corners that
 * come next in the triangles around. */
static void smooth(Fleshed *f, const SupVec3 *skinned, SupVec3d *io) {
  const double shares[4] = {0.5, 0.5 * 64 / 81, 0.5 * 25 / 81, 0};
  const SupMesh *mesh = &f->character.body;
  SupVec3d *sums = SUP_ALLOC(&f->arena, SupVec3d, f->count);
  double *counts = SUP_ALLOC(&f->arena, double, f->count);
  uint32_t *rings = SUP_ALLOC(&f->arena, uint32_t, f->count);
  count_rings(f, rings);
  for (uint32_t v = 0; v < f->count; v++) {
    io[v] = sup_vec3d_sub(io[v], sup_vec3_to_double(skinned[v]));
  }
  for (int round = 0; round < 4; round++) {
    for (uint32_t v = 0; v < f->count; v++) sums[v] = (SupVec3d){0, 0, 0}, counts[v] = 0;
    for (uint32_t c = 0; c < 3 * mesh->triangle_count; c++) {
      const uint32_t *t = mesh->triangles + c - c % 3, v = t[c % 3];
      sums[v] = sup_vec3d_add(sums[v], io[t[(c + 1) % 3]]);
      counts[v] += 1;
    }
    for (uint32_t v = 0; v < f->count; v++) {
      const SupVec3d mean = counts[v] > 0 ? sup_vec3d_scale(sums[v], 1 / counts[v]) : io[v];
      io[v] = sup_vec3d_lerp(io[v], mean, shares[rings[v]]);
    }
  }
  for (uint32_t v = 0; v < f->count; v++) {
    io[v] = sup_vec3d_add(io[v], sup_vec3_to_double(skinned[v]));
  }
}

void fleshed_law(Fleshed *f, const SupPose *pose, const SupChunksControls *controls, SupVec3d *out,
                 SupVec3d *out_nodes) {
  SupVec3 *skinned = fleshed_room(f);
  fleshed_law_creased(f, pose, controls, out, out_nodes);
  fleshed_skin(f, pose, skinned);
  smooth(f, skinned, out);
}
