/* SPDX-License-Identifier: MIT */
/* Ordinary chunks above the shell of a trunk that is bent and twisted, against the full simulation.
 */
#include <math.h>

#include "app/paper_guo_swdc_parts.h"
#include "base/scratch.h"
#include "train/chunks/chunk_bulge.h"

#define DEGREE (SUP_PI / 180)

enum { SIDES = 6, ROWS = 3, LEVELS = 3, SLICES = 4, MIDDLE = 1 }; /* 324 nodes a chunk */

static const SupSwdcTube tube = {SIDES, ROWS, 4, 1};

typedef struct Flesh {
  SupChunk chunk;
  SupShellHolds holds;
  SupWedgeBody wedges[2]; /* by Gauss points, by nodes */
  SupSwdcFull full;
  double whole;
} Flesh;

typedef struct Trunk {
  SupArena *arena;
  SupSwdcBody body;
  SupShell shell;
  SupVec3d *rest, *now;  /* [vertex_count] */
  SupAffined *edge_maps; /* [edge_count] */
  Flesh flesh[SIDES];    /* of the middle row */
  uint32_t flesh_count;
  double *numbers, *displacements;
  SupVec3d *places;
} Trunk;

/* ---- The shell ------------------------------------------------------------------------------ */

/* Feature vertices, towards the axis so that the shell has half of the volume. */
static void place_shell(Trunk *t) {
  const double size = 1 / sup_sqrt(2);
  for (uint32_t v = 0; v < t->body.def.feature_count; v++) {
    const SupVec3d p = sup_skin_point_place(&t->body.mesh, t->body.def.features[v].at);
    t->rest[v] = (SupVec3d){size * p.x, size * p.y, p.z};
  }
}

static uint32_t feature_at(const SupPatches *patches, uint32_t count, uint32_t vertex) {
  uint32_t v = 0;
  while (v < count && patches->features[v] != vertex) v++;
  return v;
}

static SupResult make_shell(Trunk *t, SupError *error) {
  const SupPatches *patches = &t->body.patches;
  const uint32_t count = t->body.def.feature_count, faces = patches->patch_count;
  uint32_t *offsets = SUP_ALLOC(t->arena, uint32_t, faces + 1);
  uint32_t *corners = SUP_ALLOC(t->arena, uint32_t, 4 * (size_t)faces);
  t->rest = SUP_ALLOC(t->arena, SupVec3d, count);
  t->now = SUP_ALLOC(t->arena, SupVec3d, count);
  if (!offsets || !corners || !t->rest || !t->now) return sup_fail_memory(error, NULL);
  place_shell(t);
  for (uint32_t f = 0; f <= faces; f++) offsets[f] = 4 * f;
  for (uint32_t k = 0; k < 4 * faces; k++) {
    const SupPatch *p = &patches->patches[k / 4];
    corners[k] = feature_at(patches, count, p->loop[p->corners[k % 4]]);
  }
  SupResult result = sup_shell_create(t->arena, count, faces, offsets, corners, &t->shell, error);
  if (result != SUP_OK) return result;
  t->edge_maps = SUP_ALLOC(t->arena, SupAffined, t->shell.edge_count);
  return t->edge_maps ? SUP_OK : sup_fail_memory(error, NULL);
}

/* The axis becomes an arc of `bend` about x; each height turns about it by its share of `twist`. */
static void move_shell(Trunk *t, const SupSwdcPose *pose) {
  const double bend = pose->bend * DEGREE;
  for (uint32_t v = 0; v < t->shell.vertex_count; v++) {
    const SupVec3d p = t->rest[v], x = {1, 0, 0}, z = {0, 0, 1};
    const double u = p.z / tube.length;
    const SupQuatd twist = sup_quatd_from_axis_angle(z, u * pose->twist * DEGREE);
    const SupQuatd tilt = sup_quatd_from_axis_angle(x, u * bend);
    SupVec3d axis = {0, 0, p.z};
    if (bend > 0) {
      double s, c;
      sup_sincos(u * bend, &s, &c);
      axis = (SupVec3d){0, -tube.length / bend * (1 - c), tube.length / bend * s};
    }
    const SupVec3d arm = sup_quatd_rotate(twist, (SupVec3d){p.x, p.y, 0});
    t->now[v] = sup_vec3d_add(axis, sup_quatd_rotate(tilt, arm));
  }
  sup_shell_edge_maps(&t->shell, t->rest, t->now, t->edge_maps);
}

/* ---- The flesh ------------------------------------------------------------------------------ */

static SupResult make_chunk(Trunk *t, uint32_t patch, Flesh *flesh, SupError *error) {
  static const double middle[2] = {0, 0};
  const SupChunkDef def = {.name = "trunk",
                           .skin = &t->body.mesh,
                           .charts = &t->body.charts,
                           .levels = LEVELS,
                           .slice_count = SLICES,
                           .relaxations = SUP_CHUNK_RELAXATIONS};
  SupVec3d below[4];
  for (uint32_t k = 0; k < 4; k++) below[k] = t->rest[t->shell.corners[4 * patch + k]];
  SupResult result =
      sup_chunk_ordinary(t->arena, &def, patch, SUP_SLICE_DIAGONALS, below, &flesh->chunk, error);
  if (result != SUP_OK) return result;
  double *bulge = SUP_ALLOC(t->arena, double, flesh->chunk.slice.node_count);
  if (!bulge) return sup_fail_memory(error, NULL);
  sup_bulge_below(&flesh->chunk, t->body.charts.charts[patch].corners, middle, 1, bulge);
  return sup_chunk_shell_holds(t->arena, &flesh->chunk, patch, bulge, &flesh->holds, error);
}

static SupResult make_flesh(const SupAppContext *app, Trunk *t, uint32_t patch, SupError *error) {
  Flesh *f = &t->flesh[t->flesh_count++];
  SupResult result = make_chunk(t, patch, f, error);
  const SupWedgeBodyDef def = {
      .name = "trunk", .mesh = f->chunk.mesh, .poisson = SUP_SWDC_POISSON, .held = f->chunk.held};
  if (result == SUP_OK) result = sup_wedge_body_create(t->arena, &def, &f->wedges[0], error);
  if (result == SUP_OK) {
    result =
        sup_wedge_body_create_by(t->arena, &def, sup_wedge_stiffness_nodal, &f->wedges[1], error);
  }
  if (result == SUP_OK) result = sup_swdc_full(t->arena, &f->chunk, app->jobs, &f->full, error);
  if (result == SUP_OK) f->whole = sup_wedge_mesh_size(&f->chunk.mesh, f->chunk.mesh.nodes).volume;
  return result;
}

static bool allocate(Trunk *t) {
  const SupChunk *c = &t->flesh[0].chunk;
  const SupHolds *h = &t->flesh[0].holds.holds;
  t->numbers = SUP_ALLOC(t->arena, double, h->columns[h->group_count]);
  t->displacements = SUP_ALLOC(t->arena, double, 3 * (size_t)c->mesh.node_count);
  t->places = SUP_ALLOC(t->arena, SupVec3d, c->mesh.node_count);
  return t->numbers && t->displacements && t->places;
}

/* To be freed by free_trunk, whatever it returns. */
static SupResult make_trunk(const SupAppContext *app, SupArena *arena, Trunk *t, SupError *error) {
  *t = (Trunk){.arena = arena};
  SupResult result = sup_swdc_tube(arena, &tube, &t->body, error);
  if (result == SUP_OK) result = make_shell(t, error);
  for (uint32_t p = 0; p < SIDES * ROWS && result == SUP_OK; p++) {
    if (sup_swdc_row_of(&tube, &t->body.patches, p) == MIDDLE) {
      result = make_flesh(app, t, p, error);
    }
  }
  if (result == SUP_OK && !allocate(t)) result = sup_fail_memory(error, NULL);
  return result;
}

static void free_trunk(Trunk *t) {
  for (uint32_t k = 0; k < t->flesh_count; k++) {
    sup_swdc_full_free(&t->flesh[k].full);
    for (int rule = 0; rule < 2; rule++) sup_wedge_body_free(&t->flesh[k].wedges[rule]);
  }
}

/* ---- Figures -------------------------------------------------------------------------------- */

/* t->places, in the chunk's own space. */
static SupResult move(Trunk *t, Flesh *f, bool nodal, SupError *error) {
  const SupShellDrive drive = {&t->shell, t->rest, t->now, t->edge_maps};
  const uint32_t count = f->chunk.mesh.node_count;
  double *d = t->displacements;
  sup_chunk_shell_numbers(&f->chunk, &f->holds, &drive, 0, t->numbers);
  sup_holds_move(&f->holds.holds, count, t->numbers, d);
  SupResult result = sup_wedge_settle(t->arena, &f->wedges[nodal], NULL, d, error);
  for (uint32_t v = 0; v < count && result == SUP_OK; v++) {
    const SupVec3d by = {d[3 * (size_t)v], d[3 * (size_t)v + 1], d[3 * (size_t)v + 2]};
    t->places[v] = sup_vec3d_add(f->chunk.mesh.nodes[v], by);
  }
  return result;
}

static void add_size(const Flesh *f, const SupVec3d *places, SupSwdcSize *io_size) {
  const SupSwdcSize size = sup_swdc_size(&f->chunk, f->whole, places);
  io_size->volume += size.volume / SIDES;
  io_size->least = fmin(io_size->least, size.least);
}

static SupResult add_flesh(Trunk *t, Flesh *f, SupSwdcSum sums[2], SupSwdcTrunkRow *out,
                           SupError *error) {
  const SupVec3d *truth = NULL;
  SupResult result = move(t, f, false, error);
  if (result == SUP_OK) result = sup_swdc_full_settle(&f->full, t->places, &truth, error);
  if (result != SUP_OK) return result;
  add_size(f, truth, &out->full);
  add_size(f, t->places, &out->gauss.size);
  sup_swdc_add(&f->chunk, t->places, truth, &sums[0]);
  result = move(t, f, true, error);
  if (result != SUP_OK) return result;
  add_size(f, t->places, &out->nodal.size);
  sup_swdc_add(&f->chunk, t->places, truth, &sums[1]);
  return SUP_OK;
}

static SupResult fill_row(Trunk *t, const SupSwdcPose *pose, SupSwdcTrunkRow *out,
                          SupError *error) {
  const SupSwdcSize none = {0, INFINITY};
  SupSwdcSum sums[2] = {{0, 0, 0}, {0, 0, 0}};
  SupResult result = SUP_OK;
  *out = (SupSwdcTrunkRow){.full = none, .gauss.size = none, .nodal.size = none};
  move_shell(t, pose);
  for (uint32_t k = 0; k < t->flesh_count && result == SUP_OK; k++) {
    result = add_flesh(t, &t->flesh[k], sums, out, error);
  }
  out->gauss.rms = sqrt(sums[0].squares / sums[0].count);
  out->gauss.most = sums[0].most;
  out->nodal.rms = sqrt(sums[1].squares / sums[1].count);
  out->nodal.most = sums[1].most;
  return result;
}

SupResult sup_swdc_trunk(const SupAppContext *app, uint32_t count, const SupSwdcPose *poses,
                         SupSwdcTrunkRow *out, SupError *error) {
  SupArena scratch = sup_scratch(app->arena);
  Trunk trunk;
  SupResult result = make_trunk(app, &scratch, &trunk, error);
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    result = fill_row(&trunk, &poses[k], &out[k], error);
    sup_app_progress(app, "trunk", k + 1, count);
  }
  free_trunk(&trunk);
  sup_arena_free(&scratch);
  return result;
}
