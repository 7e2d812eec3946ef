/* SPDX-License-Identifier: MIT */
/*
 * A limb that is bent and twisted: chunks against the full simulation.
 *
 * Everything is in the limb's own space, in which its bone does not move.
 */
#include <math.h>

#include "app/paper_guo_swdc_parts.h"
#include "base/scratch.h"

#define DEGREE (SUP_PI / 180)

enum { SIDES = 4, LEVELS = 2, SLICES = 18 }; /* Table 4.3's limb of 1,008 nodes */

static const SupLimbEnd ends[2] = {SUP_LIMB_END_SLICE, SUP_LIMB_END_SLICE};

typedef struct Limb {
  SupArena *arena;
  SupSwdcBody body;
  SupChunk chunk;
  SupLimbHolds holds;
  SupWedgeBody flesh[2]; /* by Gauss points, by nodes */
  SupSwdcFull full;
  double whole;                    /* volume at rest */
  double *numbers, *displacements; /* of holds; [3 * node_count] */
  SupVec3d *places, *truths[2];    /* [node_count] */
} Limb;

static SupResult make_chunk(Limb *l, const SupSwdcTube *tube, uint32_t levels, uint32_t slices,
                            SupError *error) {
  const SupVec3d bone[2] = {{0, 0, 0}, {0, 0, tube->length}};
  static const uint32_t all[SIDES] = {0, 1, 2, 3};
  SupPatchRing ring;
  const SupChunkDef def = {.name = "limb",
                           .skin = &l->body.mesh,
                           .charts = &l->body.charts,
                           .levels = levels,
                           .slice_count = slices,
                           .relaxations = SUP_CHUNK_RELAXATIONS};
  SupResult result = sup_swdc_tube(l->arena, tube, &l->body, error);
  if (result == SUP_OK) {
    result = sup_chunk_ring(l->arena, def.name, &l->body.patches, SIDES, all, bone, &ring, error);
  }
  if (result == SUP_OK) {
    result = sup_chunk_separable(l->arena, &def, &ring, bone, &l->chunk, error);
  }
  l->chunk.frame = sup_affined_identity();
  return result;
}

static bool allocate(Limb *l) {
  const SupHolds *h = &l->holds.holds;
  const uint32_t count = l->chunk.mesh.node_count;
  l->numbers = SUP_ALLOC(l->arena, double, h->columns[h->group_count]);
  l->displacements = SUP_ALLOC(l->arena, double, 3 * (size_t)count);
  l->places = SUP_ALLOC(l->arena, SupVec3d, count);
  for (int k = 0; k < 2; k++) l->truths[k] = SUP_ALLOC(l->arena, SupVec3d, count);
  return l->numbers && l->displacements && l->places && l->truths[0] && l->truths[1];
}

/* To be freed by free_limb, whatever it returns. */
static SupResult make_limb(const SupAppContext *app, SupArena *arena, bool hourglass, bool finer,
                           Limb *l, SupError *error) {
  static const SupLimbBulge bulges[SIDES] = {{0.5, 0.2}, {0.5, 0.2}, {0.5, 0.2}, {0.5, 0.2}};
  const SupSwdcTube tube = {SIDES, 1, 4, hourglass ? 0.4 : 1};
  *l = (Limb){.arena = arena};
  SupResult result = make_chunk(l, &tube, LEVELS + finer, finer ? 2 * SLICES - 1 : SLICES, error);
  if (result == SUP_OK) {
    result = sup_chunk_limb_holds(arena, &l->chunk, ends, bulges, &l->holds, error);
  }
  if (result == SUP_OK && !allocate(l)) result = sup_fail_memory(error, NULL);
  const SupWedgeBodyDef def = {
      .name = "limb", .mesh = l->chunk.mesh, .poisson = SUP_SWDC_POISSON, .held = l->chunk.held};
  if (result == SUP_OK) result = sup_wedge_body_create(arena, &def, &l->flesh[0], error);
  if (result == SUP_OK) {
    result = sup_wedge_body_create_by(arena, &def, sup_wedge_stiffness_nodal, &l->flesh[1], error);
  }
  if (result == SUP_OK) result = sup_swdc_full(arena, &l->chunk, app->jobs, &l->full, error);
  if (result == SUP_OK) l->whole = sup_wedge_mesh_size(&l->chunk.mesh, l->chunk.mesh.nodes).volume;
  return result;
}

static void free_limb(Limb *l) {
  sup_swdc_full_free(&l->full);
  for (int k = 0; k < 2; k++) sup_wedge_body_free(&l->flesh[k]);
}

/* ---- Ways to move it ------------------------------------------------------------------------ */

static SupLimbPose pose_of(const SupSwdcPose *pose) {
  SupLimbPose out = sup_limb_straight(sup_affined_identity());
  double s, c;
  sup_sincos(pose->bend / 2 * DEGREE, &s, &c);
  out.slopes[1][1] = s / c;
  out.turns[0] = -pose->twist / 2 * DEGREE;
  out.turns[1] = pose->twist / 2 * DEGREE;
  return out;
}

/* A turn of an end slice about its joint, as a displacement. */
static void turn_end(Limb *l, uint32_t end, SupQuatd turn) {
  const SupMat3d r = sup_mat3d_from_quat(turn);
  const SupVec3d o = {0, 0, end ? l->chunk.length : 0};
  const SupVec3d t = sup_vec3d_sub(o, sup_mat3d_mul_vec3(r, o));
  double *out = l->numbers + l->holds.holds.columns[l->holds.first_groups[end]];
  out[0] = t.x;
  out[1] = t.y;
  out[2] = t.z;
  for (uint32_t k = 0; k < 3; k++) {
    const SupVec3d column = sup_mat3d_column(r, (int)k);
    out[3 + 3 * k] = column.x - (k == 0);
    out[4 + 3 * k] = column.y - (k == 1);
    out[5 + 3 * k] = column.z - (k == 2);
  }
}

/* What holds it: returns the pose in which the displacements are meant. */
static SupLimbPose hold(Limb *l, const SupSwdcPose *pose, SupSwdcWay way) {
  static const double none[SIDES] = {0, 0, 0, 0};
  const SupVec3d x = {1, 0, 0}, z = {0, 0, 1};
  const SupLimbPose full = pose_of(pose);
  SupLimbDrive drive = {.pose = full, .heights = none};
  SupAffined maps[2];
  for (uint32_t end = 0; end < 2; end++) {
    maps[end] = sup_limb_slice_map(&full, l->chunk.frame, l->chunk.length, end);
    drive.maps[end] = way < SUP_SWDC_ONE_FRAME ? &maps[end] : NULL;
  }
  if (way != SUP_SWDC_SLICES) sup_limb_ease(&drive.pose);
  if (way == SUP_SWDC_UNTWISTED) drive.pose.turns[0] = drive.pose.turns[1] = 0;
  if (way >= SUP_SWDC_ONE_FRAME) drive.pose = sup_limb_straight(sup_affined_identity());
  sup_chunk_limb_numbers(&l->chunk, &l->holds, &drive, l->numbers);
  if (way >= SUP_SWDC_ONE_FRAME) {
    const SupQuatd tilt = sup_quatd_from_axis_angle(x, pose->bend / 2 * DEGREE);
    turn_end(l, 0, sup_quatd_from_axis_angle(z, full.turns[0]));
    turn_end(l, 1, sup_quatd_mul(tilt, sup_quatd_from_axis_angle(z, full.turns[1])));
  }
  return drive.pose;
}

/* l->places: where a way has the nodes. */
static SupResult move(Limb *l, const SupSwdcPose *pose, SupSwdcWay way, SupError *error) {
  const SupChunk *c = &l->chunk;
  const bool nodal = way == SUP_SWDC_EASED_NODAL || way == SUP_SWDC_PRINTED;
  const SupLimbPose frames = hold(l, pose, way);
  double *d = l->displacements;
  sup_holds_move(&l->holds.holds, c->mesh.node_count, l->numbers, d);
  SupResult result = sup_wedge_settle(l->arena, &l->flesh[nodal], NULL, d, error);
  for (uint32_t v = 0; v < c->mesh.node_count && result == SUP_OK; v++) {
    const double u = sup_chunk_depth(c, v / c->slice.node_count);
    const SupVec3d by = {d[3 * (size_t)v], d[3 * (size_t)v + 1], d[3 * (size_t)v + 2]};
    l->places[v] = sup_limb_place(&frames, c->length, u, c->mesh.nodes[v], by);
  }
  return result;
}

/* l->truths[turned]: the full simulation of what l->places holds. */
static SupResult settle(Limb *l, bool turned, SupError *error) {
  const SupVec3d *found;
  SupResult result = sup_swdc_full_settle(&l->full, l->places, &found, error);
  if (result == SUP_OK)
    sup_copy(l->truths[turned], found, l->chunk.mesh.node_count * sizeof *found);
  return result;
}

/* ---- Figures -------------------------------------------------------------------------------- */

static SupResult fill_row(Limb *l, const SupSwdcPose *pose, SupSwdcLimbRow *out, SupError *error) {
  SupResult result = SUP_OK;
  for (uint32_t way = 0; way < SUP_SWDC_WAYS && result == SUP_OK; way++) {
    const bool turned = way >= SUP_SWDC_ONE_FRAME;
    SupSwdcSum sum = {0, 0, 0};
    result = move(l, pose, (SupSwdcWay)way, error);
    if (result == SUP_OK && (way == SUP_SWDC_EASED || way == SUP_SWDC_ONE_FRAME)) {
      result = settle(l, turned, error);
    }
    if (result != SUP_OK) break;
    sup_swdc_add(&l->chunk, l->places, l->truths[turned], &sum);
    out->ways[way] = (SupSwdcNear){sqrt(sum.squares / sum.count), sum.most,
                                   sup_swdc_size(&l->chunk, l->whole, l->places)};
  }
  if (result != SUP_OK) return result;
  out->full = sup_swdc_size(&l->chunk, l->whole, l->truths[0]);
  out->full_turned = sup_swdc_size(&l->chunk, l->whole, l->truths[1]);
  return SUP_OK;
}

SupResult sup_swdc_limb(const SupAppContext *app, bool hourglass, uint32_t count,
                        const SupSwdcPose *poses, SupSwdcLimbRow *out, SupError *error) {
  SupArena scratch = sup_scratch(app->arena);
  Limb limb;
  SupResult result = make_limb(app, &scratch, hourglass, false, &limb, error);
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    result = fill_row(&limb, &poses[k], &out[k], error);
    sup_app_progress(app, "limb", k + 1, count);
  }
  free_limb(&limb);
  sup_arena_free(&scratch);
  return result;
}

/* ---- Finer ---------------------------------------------------------------------------------- */

/* How far skin nodes of a limb, at `places`, are from those of the finer one. */
static double from_finer(const Limb limbs[2], const SupVec3d *places) {
  const SupChunk *a = &limbs[0].chunk, *b = &limbs[1].chunk;
  const uint32_t rim = a->slice.corner_count * a->slice.parts;
  double squares = 0;
  for (uint32_t j = 1; j + 1 < a->slice_count; j++) {
    for (uint32_t i = 0; i < rim; i++) {
      const SupVec3d p = places[sup_chunk_node(a, j, a->slice.rim[i])];
      const SupVec3d q = limbs[1].truths[0][sup_chunk_node(b, 2 * j, b->slice.rim[2 * i])];
      squares += sup_vec3d_dot(sup_vec3d_sub(p, q), sup_vec3d_sub(p, q));
    }
  }
  return sqrt(squares / (rim * (a->slice_count - 2)));
}

static SupResult compare_finer(Limb limbs[2], SupSwdcPose pose, SupSwdcFiner *out,
                               SupError *error) {
  SupResult result = SUP_OK;
  for (int k = 0; k < 2 && result == SUP_OK; k++) {
    result = move(&limbs[k], &pose, SUP_SWDC_EASED, error);
    if (result == SUP_OK) result = settle(&limbs[k], false, error);
  }
  if (result != SUP_OK) return result;
  out->full = from_finer(limbs, limbs[0].truths[0]);
  result = move(&limbs[0], &pose, SUP_SWDC_EASED, error);
  if (result == SUP_OK) out->gauss = from_finer(limbs, limbs[0].places);
  if (result == SUP_OK) result = move(&limbs[0], &pose, SUP_SWDC_EASED_NODAL, error);
  if (result == SUP_OK) out->nodal = from_finer(limbs, limbs[0].places);
  return result;
}

SupResult sup_swdc_limb_finer(const SupAppContext *app, SupSwdcPose pose, SupSwdcFiner *out,
                              SupError *error) {
  SupArena scratch = sup_scratch(app->arena);
  Limb limbs[2];
  SupResult result = make_limb(app, &scratch, false, false, &limbs[0], error);
  limbs[1] = (Limb){.arena = &scratch};
  if (result == SUP_OK) result = make_limb(app, &scratch, false, true, &limbs[1], error);
  if (result == SUP_OK) result = compare_finer(limbs, pose, out, error);
  for (int k = 0; k < 2; k++) free_limb(&limbs[k]);
  sup_arena_free(&scratch);
  return result;
}

/* ---- Table 4.3 ------------------------------------------------------------------------------ */

SupResult sup_swdc_count(SupArena *arena, uint32_t row, SupSwdcCount *out, SupError *error) {
  static const SupSwdcCount rows[SUP_SWDC_COUNTS] = {
      {"limb", 4, 2, 18, 0, 0, 1008, 64},
      {"six-sided patch, a fan", 6, 2, 4, 0, 0, 244, 96},
      {"short limb", 4, 2, 6, 0, 0, 336, 64},
      {"four-sided patch, diagonals", 4, 3, 4, 0, 0, 324, 128}};
  static const SupSliceKind kinds[SUP_SWDC_COUNTS] = {SUP_SLICE_SECTORS, SUP_SLICE_FAN,
                                                      SUP_SLICE_SECTORS, SUP_SLICE_DIAGONALS};
  SupChunkSlice slice;
  *out = rows[row];
  SupResult result =
      sup_chunk_slice(arena, kinds[row], out->corner_count, out->levels, &slice, error);
  if (result != SUP_OK) return result;
  out->node_count = slice.node_count * out->slice_count;
  out->triangle_count = slice.triangle_count;
  return SUP_OK;
}
