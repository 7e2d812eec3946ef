/* SPDX-License-Identifier: MIT */
/*
 * Chunks for a tube of patches. The shell is the envelope's control mesh, drawn inwards; limbs lie
 * on the axis. A free node moves with half of its sides, a fifth of its corners and the rest of
 * its face, or with both ends of its limb in proportion to its distance from them.
 */
#include "fleshwork.h"

#define DEPTH 0.6 /* of the shell: its radius, in radii of the skin */
#define SAMPLES 9u
#define SLICES 4u /* of ordinary chunks */

typedef struct Work {
  SupArena *arena;
  const PatchworkDef *plan;
  const Patchwork *patchwork;
  const FleshworkDef *def;
  uint32_t around, along, parts, rim;
  uint32_t *first_piece; /* [along] of each band */
  uint32_t *first_face;  /* [along] */
  SupVec3 *points;
  SupChunksPieceDef *pieces;
} Work;

static bool is_limb(const Work *w, uint32_t band) { return w->def->bands[band] == 'l'; }

/* A place of the skin: x patches around, y bands up. */
static SupVec3 skin_at(const Work *w, double x, double y) {
  const uint32_t columns = w->around * w->plan->cells;
  const SupMesh *body = &w->patchwork->character.body;
  const double column = x * w->plan->cells, row = y * w->plan->cells + w->plan->bare;
  const uint32_t rows = body->vertex_count / columns, c = (uint32_t)column;
  const uint32_t r = (uint32_t)row < rows - 1 ? (uint32_t)row : rows - 2;
  const float s = (float)(column - c), t = (float)(row - r);
  const SupVec3 *low = body->positions + (size_t)r * columns, *high = low + columns;
  const uint32_t a = c % columns, b = (c + 1) % columns;
  return sup_vec3_lerp(sup_vec3_lerp(low[a], low[b], s), sup_vec3_lerp(high[a], high[b], s), t);
}

static SupVec3 inwards(SupVec3 v, double by) {
  return (SupVec3){(float)((double)v.x * by), v.y, (float)((double)v.z * by)};
}

/* ---- Points and the shell ---------------------------------------------------------------------
 */

/* The control mesh, then the rim at the upper end. */
static bool make_points(Work *w, SupChunksPackDef *out) {
  const uint32_t controls = w->patchwork->def.control_count, count = controls + w->rim;
  uint32_t *offsets = SUP_ALLOC(w->arena, uint32_t, count + 1);
  SupChunksInfluence *influences = SUP_ALLOC(w->arena, SupChunksInfluence, 2 * (size_t)count);
  w->points = SUP_ALLOC(w->arena, SupVec3, count);
  if (!offsets || !influences || !w->points) return false;
  for (uint32_t k = 0; k < count; k++) {
    const uint32_t like = k < controls ? k : controls - 1;
    const SupEnvelopeInfluence *from = w->patchwork->def.influences + 2 * (size_t)like;
    w->points[k] = k < controls
                       ? inwards(w->patchwork->controls[(size_t)k * PATCHWORK_SHAPES], DEPTH)
                       : skin_at(w, (double)(k - controls) / w->parts, w->along);
    for (uint32_t i = 0; i < 2; i++) {
      influences[2 * (size_t)k + i] = (SupChunksInfluence){from[i].bone, from[i].weight};
    }
    offsets[k + 1] = 2 * (k + 1);
  }
  out->point_count = count;
  out->points = w->points;
  out->influence_offsets = offsets;
  out->influences = influences;
  out->vertex_count = controls;
  return true;
}

static uint32_t find_edge(SupChunksEdge *edges, uint32_t *io_count, uint32_t a, uint32_t b) {
  const uint32_t from = a < b ? a : b, to = a < b ? b : a;
  for (uint32_t e = 0; e < *io_count; e++) {
    if (edges[e].from == from && edges[e].to == to) return e;
  }
  edges[*io_count] = (SupChunksEdge){from, to, {SUP_CHUNKS_NONE, SUP_CHUNKS_NONE}};
  return (*io_count)++;
}

static bool list_edges(Work *w, SupChunksPackDef *out, const SupChunksEdge *edges) {
  uint32_t *offsets = SUP_ALLOC(w->arena, uint32_t, out->vertex_count + 1);
  uint32_t *list = SUP_ALLOC(w->arena, uint32_t, 2 * (size_t)out->edge_count);
  uint32_t count = 0;
  if (!offsets || !list) return false;
  for (uint32_t v = 0; v < out->vertex_count; v++) {
    for (uint32_t e = 0; e < out->edge_count; e++) {
      if (edges[e].from == v || edges[e].to == v) list[count++] = e;
    }
    offsets[v + 1] = count;
  }
  out->vertex_offsets = offsets;
  out->vertex_edges = list;
  return true;
}

/* A face per patch of the ordinary bands. */
static bool make_shell(Work *w, SupChunksPackDef *out) {
  const uint32_t most = w->around * w->along;
  uint32_t *offsets = SUP_ALLOC(w->arena, uint32_t, most + 1);
  uint32_t *corners = SUP_ALLOC(w->arena, uint32_t, 4 * (size_t)most);
  uint32_t *edges_of = SUP_ALLOC(w->arena, uint32_t, 4 * (size_t)most);
  SupChunksEdge *edges = SUP_ALLOC(w->arena, SupChunksEdge, 4 * (size_t)most);
  uint32_t faces = 0;
  if (!offsets || !corners || !edges_of || !edges) return false;
  for (uint32_t k = 0; k < most; k++) {
    const uint32_t *loop = w->patchwork->def.patches[k].corners;
    if (is_limb(w, k / w->around)) continue;
    if (k % w->around == 0) w->first_face[k / w->around] = faces;
    for (uint32_t c = 0; c < 4; c++) {
      const uint32_t a = loop[c], b = loop[(c + 1) % 4];
      const uint32_t e = find_edge(edges, &out->edge_count, a, b);
      corners[4 * (size_t)faces + c] = a;
      edges_of[4 * (size_t)faces + c] = e;
      edges[e].faces[a < b ? 0 : 1] = faces;
    }
    offsets[faces + 1] = 4 * (faces + 1);
    faces++;
  }
  out->face_count = faces;
  out->face_offsets = offsets;
  out->corners = corners;
  out->corner_edges = edges_of;
  out->edges = edges;
  return list_edges(w, out, edges);
}

/* ---- Limbs ------------------------------------------------------------------------------------
 */

static double height_of(const Work *w, uint32_t line) { return (double)skin_at(w, 0, line).y; }

static bool make_limbs(Work *w, SupChunksPackDef *out) {
  SupChunksLimb *limbs = SUP_ALLOC(w->arena, SupChunksLimb, w->along);
  SupChunksJoint *joints = SUP_ALLOC(w->arena, SupChunksJoint, w->along);
  if (!limbs || !joints) return false;
  for (uint32_t l = 0; l < w->along; l++) {
    if (!is_limb(w, l)) continue;
    const double low = height_of(w, l), high = height_of(w, l + 1);
    const double at = (low + high) / 2 / height_of(w, w->along) * PATCHWORK_JOINTS;
    const uint32_t bone = at < PATCHWORK_JOINTS - 1 ? (uint32_t)at : PATCHWORK_JOINTS - 1;
    if (l > 0 && is_limb(w, l - 1)) {
      joints[out->limb_joint_count++] = (SupChunksJoint){out->limb_count - 1, out->limb_count};
    }
    limbs[out->limb_count++] = (SupChunksLimb){
        .rest = {{0, 0, 1, 1, 0, 0, 0, 1, 0, 0, low, 0}}, .length = high - low, .bone = bone};
  }
  out->limbs = limbs;
  out->limb_joints = joints;
  return true;
}

/* ---- Ordinary chunks --------------------------------------------------------------------------
 */

/* Arrays of a chunk that are written. */
typedef struct Piece {
  SupVec3 *nodes;
  uint32_t *slices;
  float *weights, *matrix;
  SupChunksHold *holds;
  SupChunksPlace *places;
  SupChunksBulgeDef *bulges;
} Piece;

static bool make_piece_room(SupArena *arena, uint32_t columns, const SupChunksPieceDef *d,
                            Piece *out) {
  const size_t nodes = (size_t)d->free_count + d->held_count;
  out->nodes = SUP_ALLOC(arena, SupVec3, nodes);
  out->slices = SUP_ALLOC(arena, uint32_t, nodes);
  out->weights = SUP_ALLOC(arena, float, 4 * nodes);
  out->matrix = SUP_ALLOC(arena, float, 3 * (size_t)d->free_count * columns);
  out->holds = SUP_ALLOC(arena, SupChunksHold, 3 * (size_t)d->held_count);
  out->places = SUP_ALLOC(arena, SupChunksPlace, d->place_counts[0] + d->place_counts[1]);
  out->bulges = SUP_ALLOC(arena, SupChunksBulgeDef, d->bulge_count);
  return out->nodes && out->slices && out->weights && out->matrix && out->holds && out->places &&
         out->bulges;
}

/* Where a node of an ordinary chunk is in its patch: the inside, then the rim from corner 0 on. */
static void node_at(uint32_t parts, uint32_t i, double *out_s, double *out_t) {
  const uint32_t inside = parts - 1, free = inside * inside;
  if (i < free) {
    *out_s = (double)(1 + i % inside) / parts;
    *out_t = (double)(1 + i / inside) / parts;
    return;
  }
  const uint32_t side = (i - free) / parts;
  const double t = (double)((i - free) % parts) / parts;
  *out_s = side == 0 ? 0 : side == 1 ? t : side == 2 ? 1 : 1 - t;
  *out_t = side == 0 ? t : side == 1 ? 1 : side == 2 ? 1 - t : 0;
}

/* The node at step x of the side at the bottom or the top. */
static uint32_t node_on(uint32_t parts, uint32_t x, bool top) {
  const uint32_t free = (parts - 1) * (parts - 1);
  if (top) return free + parts + x;
  return free + (x > 0 ? 4 * parts - x : 0);
}

static void bilinear(double s, double t, double out[4]) {
  out[0] = (1 - s) * (1 - t);
  out[1] = (1 - s) * t;
  out[2] = s * t;
  out[3] = s * (1 - t);
}

/* weight (t + L at) in the columns from `first` on. */
static void add_affine(float *rows, uint32_t columns, uint32_t first, double weight, SupVec3 at) {
  const float w = (float)weight, x[3] = {at.x, at.y, at.z};
  for (uint32_t k = 0; k < 3; k++) {
    rows[(size_t)k * columns + first + k] += w;
    for (uint32_t c = 0; c < 3; c++) rows[(size_t)k * columns + first + 3 + 3 * c + k] += w * x[c];
  }
}

static void fill_ordinary_row(const Work *w, const Piece *piece, uint32_t i, uint32_t columns) {
  double s, t, corner[4];
  node_at(w->parts, i, &s, &t);
  bilinear(s, t, corner);
  float *rows = piece->matrix + 3 * (size_t)i * columns;
  const double side[4] = {(1 - s) / 2, t / 2, s / 2, (1 - t) / 2};
  for (uint32_t k = 0; k < 4; k++) {
    add_affine(rows, columns, 12 * k, 0.5 * side[k], piece->nodes[i]);
    add_affine(rows, columns, 48 + 12 * k, 0.2 * corner[k], piece->nodes[i]);
    for (uint32_t c = 0; c < 3; c++) {
      rows[(size_t)c * columns + 96 + 3 * k + c] = (float)(0.3 * corner[k]);
    }
  }
  rows[2 * (size_t)columns + 108] = (float)(16 * s * (1 - s) * t * (1 - t));
}

/* As sup_chunk_shell_holds has it. */
static void hold_rim(const Work *w, const Piece *piece, uint32_t i, SupChunksPieceDef *d) {
  const uint32_t place = i - d->free_count, side = place / w->parts;
  const double t = (double)(place % w->parts) / w->parts;
  if (place % w->parts == 0) {
    piece->holds[d->hold_count++] = (SupChunksHold){i, 48 + 12 * side, 12, 1, piece->nodes[i]};
    return;
  }
  const uint32_t corner = t < 0.5 ? side : (side + 1) % 4;
  const float weight = (float)(t < 0.5 ? 1 - 2 * t : 2 * t - 1);
  const SupVec3 at = piece->nodes[d->free_count + corner * w->parts];
  piece->holds[d->hold_count++] = (SupChunksHold){i, 12 * side, 12, 1, piece->nodes[i]};
  if (weight == 0) return;
  piece->holds[d->hold_count++] = (SupChunksHold){i, 48 + 12 * corner, 12, weight, at};
  piece->holds[d->hold_count++] = (SupChunksHold){i, 12 * side, 12, -weight, at};
}

static SupVec3 to_own(const SupAffined *rest, SupVec3 at) {
  return sup_vec3d_to_float(sup_affined_point(sup_affined_inverse(*rest), sup_vec3_to_double(at)));
}

/* The middle of the corners, z along the normal, y along the first side. */
static SupAffined face_frame(const Work *w, const uint32_t *corners) {
  SupVec3d at[4], middle = {0, 0, 0}, normal = {0, 0, 0};
  for (uint32_t k = 0; k < 4; k++) {
    at[k] = sup_vec3_to_double(w->points[corners[k]]);
    middle = sup_vec3d_add_scaled(middle, at[k], 0.25);
  }
  for (uint32_t k = 2; k < 4; k++) {
    const SupVec3d a = sup_vec3d_sub(at[k - 1], at[0]), b = sup_vec3d_sub(at[k], at[0]);
    normal = sup_vec3d_add(normal, sup_vec3d_cross(a, b));
  }
  const SupVec3d z = sup_vec3d_normalise(normal), side = sup_vec3d_sub(at[1], at[0]);
  const SupVec3d y = sup_vec3d_normalise(sup_vec3d_add_scaled(side, z, -sup_vec3d_dot(side, z)));
  return sup_affined_from_parts(sup_mat3d_from_columns(sup_vec3d_cross(y, z), y, z), middle);
}

static float *make_curve(SupArena *arena) {
  float *curve = SUP_ALLOC(arena, float, SAMPLES);
  for (uint32_t k = 0; curve && k < SAMPLES; k++) curve[k] = 0.004f * (float)k;
  return curve;
}

static bool make_bulge(const Work *w, uint32_t k, uint32_t face, SupChunksBulgeDef *out) {
  *out = (SupChunksBulgeDef){.name = "muscle", .driver = SUP_CHUNKS_BY_HAND, .most = 0.2f};
  if (k % 3 == 0) {
    out->driver = SUP_CHUNKS_BY_ANGLE;
    out->angle = k / 3 % PATCHWORK_ANGLES;
    out->sample_count = SAMPLES;
    out->curve = make_curve(w->arena);
    return out->curve != NULL;
  }
  if (k % 3 == 1 && face != SUP_CHUNKS_NONE) {
    out->driver = SUP_CHUNKS_BY_AREA;
    out->face = face;
    out->height = 0.1f;
    out->no_dents = k % 2 == 0;
  }
  return true;
}

static bool make_ordinary(Work *w, uint32_t band, uint32_t a, SupChunksPieceDef *d) {
  const uint32_t inside = w->parts - 1, columns = 109, face = w->first_face[band] + a;
  Piece piece;
  *d = (SupChunksPieceDef){
      .name = "flesh",
      .limb = SUP_CHUNKS_NONE,
      .face = face,
      .rest = face_frame(w, w->patchwork->def.patches[band * w->around + a].corners),
      .slice_count = SLICES,
      .free_count = inside * inside,
      .held_count = 4 * w->parts,
      .bulge_count = 1};
  if (!make_piece_room(w->arena, columns, d, &piece)) return false;
  for (uint32_t i = 0; i < d->free_count + d->held_count; i++) {
    double s, t, corner[4];
    node_at(w->parts, i, &s, &t);
    bilinear(s, t, corner);
    piece.nodes[i] = to_own(&d->rest, skin_at(w, a + s, band + t));
    for (uint32_t c = 0; c < 4; c++) piece.weights[4 * (size_t)i + c] = (float)corner[c];
  }
  for (uint32_t i = 0; i < d->free_count; i++) fill_ordinary_row(w, &piece, i, columns);
  for (uint32_t i = d->free_count; i < d->free_count + d->held_count; i++) {
    hold_rim(w, &piece, i, d);
  }
  d->nodes = piece.nodes;
  d->node_weights = piece.weights;
  d->matrix = piece.matrix;
  d->holds = piece.holds;
  d->bulges = piece.bulges;
  return make_bulge(w, face, face, piece.bulges);
}

/* ---- Chunks of limbs --------------------------------------------------------------------------
 */

/* What lies beyond the start or the end of a band. */
static SupChunksEnd end_of(const Work *w, uint32_t band, bool end) {
  if (!end && band == 0) return SUP_CHUNKS_END_OWN;
  if (end && band + 1 == w->along) return SUP_CHUNKS_END_RIM;
  return is_limb(w, end ? band + 1 : band - 1) ? SUP_CHUNKS_END_JOINT : SUP_CHUNKS_END_RIM;
}

static SupChunksPlace rim_place(const Work *w, uint32_t band, bool end, uint32_t i, SupVec3 at) {
  if (end && band + 1 == w->along) {
    return (SupChunksPlace){SUP_CHUNKS_NONE, w->patchwork->def.control_count + i, at};
  }
  const uint32_t other = end ? band + 1 : band - 1, a = i / w->parts;
  return (SupChunksPlace){w->first_piece[other] + a, node_on(w->parts, i % w->parts, !end), at};
}

/* The number of a limb's node: slices between the ends first, then both ends. */
static uint32_t limb_node(const Work *w, uint32_t slice, uint32_t i) {
  const uint32_t last = w->def->slices - 1;
  if (slice == 0) return (last - 1) * w->rim + i;
  return slice == last ? last * w->rim + i : (slice - 1) * w->rim + i;
}

static uint32_t columns_of(SupChunksEnd end, uint32_t rim) {
  return end == SUP_CHUNKS_END_JOINT ? 12 : end == SUP_CHUNKS_END_RIM ? 3 * rim : 0;
}

static void fill_limb_row(const Work *w, const SupChunksPieceDef *d, const Piece *piece,
                          uint32_t node, uint32_t i, double u, uint32_t columns) {
  float *rows = piece->matrix + 3 * (size_t)node * columns;
  const SupVec3 x = piece->nodes[node];
  uint32_t first = 0;
  for (uint32_t end = 0; end < 2; end++) {
    const double weight = end ? u : 1 - u;
    if (d->ends[end] == SUP_CHUNKS_END_JOINT) add_affine(rows, columns, first, weight, x);
    for (uint32_t k = 0; k < 3 && d->ends[end] == SUP_CHUNKS_END_RIM; k++) {
      rows[(size_t)k * columns + first + 3 * i + k] = (float)weight;
    }
    first += columns_of(d->ends[end], w->rim);
  }
  const SupVec3 out = sup_vec3_normalise((SupVec3){x.x, x.y, 0});
  const float bell = (float)(16 * u * u * (1 - u) * (1 - u));
  rows[first + i / w->parts] = bell * out.x;
  rows[columns + first + i / w->parts] = bell * out.y;
}

static void fill_end(const Work *w, uint32_t band, uint32_t end, uint32_t column,
                     const Piece *piece, SupChunksPieceDef *d) {
  for (uint32_t i = 0; i < w->rim; i++) {
    const uint32_t node = limb_node(w, end ? w->def->slices - 1 : 0, i);
    const SupVec3 at = piece->nodes[node], none = {0, 0, 0};
    if (d->ends[end] == SUP_CHUNKS_END_JOINT) {
      piece->holds[d->hold_count++] = (SupChunksHold){node, column, 12, 1, at};
    }
    if (d->ends[end] == SUP_CHUNKS_END_RIM) {
      piece->places[(end ? d->place_counts[0] : 0) + i] = rim_place(w, band, end, i, at);
      piece->holds[d->hold_count++] = (SupChunksHold){node, column + 3 * i, 3, 1, none};
    }
  }
}

static bool make_limb(Work *w, uint32_t band, const SupChunksLimb *limb, uint32_t number,
                      SupChunksPieceDef *d) {
  const uint32_t slices = w->def->slices;
  const SupChunksEnd ends[2] = {end_of(w, band, false), end_of(w, band, true)};
  *d = (SupChunksPieceDef){.name = "limb",
                           .limb = number,
                           .face = SUP_CHUNKS_NONE,
                           .rest = limb->rest,
                           .slice_count = slices,
                           .ends = {ends[0], ends[1]},
                           .free_count = (slices - 2) * w->rim,
                           .held_count = 2 * w->rim,
                           .bulge_count = w->around};
  for (uint32_t e = 0; e < 2; e++) {
    if (ends[e] == SUP_CHUNKS_END_RIM) d->place_counts[e] = w->rim;
  }
  const uint32_t start = columns_of(ends[0], w->rim);
  const uint32_t columns = start + columns_of(ends[1], w->rim) + w->around;
  Piece piece;
  if (!make_piece_room(w->arena, columns, d, &piece)) return false;
  for (uint32_t j = 0; j < slices; j++) {
    const double u = (double)j / (slices - 1);
    for (uint32_t i = 0; i < w->rim; i++) {
      const uint32_t node = limb_node(w, j, i);
      piece.nodes[node] = to_own(&limb->rest, skin_at(w, (double)i / w->parts, band + u));
      piece.slices[node] = j;
      if (j > 0 && j < slices - 1) fill_limb_row(w, d, &piece, node, i, u, columns);
    }
  }
  fill_end(w, band, 0, 0, &piece, d);
  fill_end(w, band, 1, start, &piece, d);
  for (uint32_t b = 0; b < w->around; b++) {
    if (!make_bulge(w, b, SUP_CHUNKS_NONE, &piece.bulges[b])) return false;
  }
  d->nodes = piece.nodes;
  d->node_slices = piece.slices;
  d->matrix = piece.matrix;
  d->holds = piece.holds;
  d->places = piece.places;
  d->bulges = piece.bulges;
  return true;
}

/* Ordinary ones first. */
static bool make_pieces(Work *w, Fleshwork *out) {
  const uint32_t sector = (w->parts + 1) * (w->parts + 2) / 2 - 1;
  SupChunksPieceDef *pieces = SUP_ALLOC(w->arena, SupChunksPieceDef, w->around * w->along);
  uint32_t count = 0, limb = 0;
  if (!pieces) return false;
  for (uint32_t l = 0; l < w->along; l++) {
    if (is_limb(w, l)) continue;
    w->first_piece[l] = count;
    for (uint32_t a = 0; a < w->around; a++) {
      if (!make_ordinary(w, l, a, &pieces[count++])) return false;
    }
    out->node_count += w->around * (w->parts + 1) * (w->parts + 1) * SLICES;
  }
  for (uint32_t l = 0; l < w->along; l++) {
    if (!is_limb(w, l)) continue;
    w->first_piece[l] = count;
    if (!make_limb(w, l, &out->def.limbs[limb], limb, &pieces[count++])) return false;
    out->node_count += w->around * sector * w->def->slices;
    limb++;
  }
  out->def.piece_count = count;
  out->def.pieces = w->pieces = pieces;
  return true;
}

/* ---- Skin -------------------------------------------------------------------------------------
 */

/* The nodes around a place of a patch, and how near it is to each. */
static void attach(const Work *w, uint32_t band, uint32_t a, double s, double t,
                   uint32_t out_nodes[4], double out_weights[4]) {
  const uint32_t up = is_limb(w, band) ? w->def->slices - 1 : w->parts, n = w->parts;
  const double x = s * n, y = t * up;
  const uint32_t i = x < n - 1 ? (uint32_t)x : n - 1, j = y < up - 1 ? (uint32_t)y : up - 1;
  bilinear(x - i, y - j, out_weights);
  for (uint32_t k = 0; k < 4; k++) {
    const uint32_t c = i + (k > 1), r = j + (k == 1 || k == 2);
    if (is_limb(w, band)) {
      out_nodes[k] = limb_node(w, r, (a * n + c) % w->rim);
    } else if (c > 0 && c < n && r > 0 && r < n) {
      out_nodes[k] = (r - 1) * (n - 1) + c - 1;
    } else if (r == 0 || r == n) {
      out_nodes[k] = node_on(n, c, r == n);
    } else {
      out_nodes[k] = (n - 1) * (n - 1) + (c == 0 ? r : 3 * n - r);
    }
  }
}

static SupVec3 rest_of(const Work *w, const SupEnvelopePatch *patch, uint32_t i) {
  const SupVec3 *x = w->patchwork->character.body.positions;
  if (patch->vertices[i] != SUP_ENVELOPE_NONE) return x[patch->vertices[i]];
  const SupSeam *seam = &w->patchwork->def.seams[patch->seams[i]];
  return sup_vec3_lerp(x[seam->a], x[seam->b], seam->ratio);
}

static bool make_patch(const Work *w, uint32_t k, SupChunksPatchDef *out) {
  const SupEnvelopePatch *patch = &w->patchwork->def.patches[k];
  const uint32_t band = k / w->around, a = k % w->around;
  const uint32_t p = w->first_piece[band] + (is_limb(w, band) ? 0 : a);
  const SupChunksPieceDef *piece = &w->pieces[p];
  uint32_t *nodes = SUP_ALLOC(w->arena, uint32_t, 4 * (size_t)patch->vertex_count);
  float *weights = SUP_ALLOC(w->arena, float, 4 * (size_t)patch->vertex_count);
  SupVec3 *residuals = SUP_ALLOC(w->arena, SupVec3, patch->vertex_count);
  if (!nodes || !weights || !residuals) return false;
  for (size_t i = 0; i < patch->vertex_count; i++) {
    const float *at = patch->corner_weights + 4 * i;
    double near[4];
    attach(w, band, a, (double)at[2] + (double)at[3], (double)at[1] + (double)at[2], nodes + 4 * i,
           near);
    SupVec3d q = {0, 0, 0};
    for (size_t n = 0; n < 4; n++) {
      const SupVec3d x = sup_vec3_to_double(piece->nodes[nodes[4 * i + n]]);
      q = sup_vec3d_add_scaled(q, sup_affined_point(piece->rest, x), near[n]);
      weights[4 * i + n] = (float)near[n];
    }
    residuals[i] = sup_vec3_sub(rest_of(w, patch, (uint32_t)i), sup_vec3d_to_float(q));
  }
  *out = (SupChunksPatchDef){
      p,       patch->vertex_count, patch->border_count, patch->vertices, patch->seams, nodes,
      weights, residuals,           patch->spread};
  return true;
}

static bool make_patches(const Work *w, SupChunksPackDef *out) {
  const uint32_t count = w->around * w->along;
  SupChunksPatchDef *patches = SUP_ALLOC(w->arena, SupChunksPatchDef, count);
  if (!patches) return false;
  for (uint32_t k = 0; k < count; k++) {
    if (!make_patch(w, k, &patches[k])) return false;
  }
  out->patch_count = count;
  out->patches = patches;
  out->seam_count = w->patchwork->def.seam_count;
  out->seams = w->patchwork->def.seams;
  out->angle_count = w->patchwork->def.angle_count;
  out->angles = w->patchwork->def.angles;
  return true;
}

bool fleshwork_make(SupArena *arena, const PatchworkDef *plan, const Patchwork *patchwork,
                    const FleshworkDef *def, Fleshwork *out) {
  Work w = {.arena = arena,
            .plan = plan,
            .patchwork = patchwork,
            .def = def,
            .around = plan->around,
            .along = plan->along,
            .parts = def->parts,
            .rim = plan->around * def->parts,
            .first_piece = SUP_ALLOC(arena, uint32_t, plan->along),
            .first_face = SUP_ALLOC(arena, uint32_t, plan->along)};
  *out = (Fleshwork){.def = sup_chunks_pack_def()};
  out->def.root = patchwork->def.root;
  return w.first_piece && w.first_face && make_points(&w, &out->def) && make_shell(&w, &out->def) &&
         make_limbs(&w, &out->def) && make_pieces(&w, out) && make_patches(&w, &out->def);
}
