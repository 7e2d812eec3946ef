/* SPDX-License-Identifier: MIT */
/* Ordinary chunks above a shell that moves. GUO-T13, T16 and T18. */
#include <math.h>

#include "chunk_bodies.h"
#include "supple/polygon.h"
#include "train/chunks/chunk_bulge.h"
#include "train/chunks/chunk_holds.h"

typedef struct Flesh {
  SupChunk chunk;
  SupShellHolds holds;
  SupWedgeBody body;
  double *numbers, *displacements;
  SupVec3d *places;
} Flesh;

static void begin(Flesh *flesh, PatchBody *body, const SupChunkDef *def, const SupShell *shell,
                  const SupVec3d *positions, uint32_t p, SupSliceKind kind, double width) {
  static const double middle[2] = {0, 0};
  flesh->chunk = shell_chunk(body, def, shell, positions, p, kind);
  const SupChunk *c = &flesh->chunk;
  const SupWedgeBodyDef elastic = {def->name, c->mesh, 0.4, NULL, c->held};
  double *bulge = SUP_ALLOC(&body->arena, double, c->slice.node_count);
  assert_non_null(bulge);
  sup_bulge_below(c, def->charts->charts[p].corners, middle, width, bulge);
  assert_int_equal(sup_chunk_shell_holds(&body->arena, c, p, bulge, &flesh->holds, NULL), SUP_OK);
  assert_int_equal(sup_wedge_body_create(&body->arena, &elastic, &flesh->body, NULL), SUP_OK);
  const SupHolds *h = &flesh->holds.holds;
  assert_int_equal(h->columns[h->group_count], 27 * c->slice.corner_count + 3);
  flesh->numbers = SUP_ALLOC(&body->arena, double, h->columns[h->group_count]);
  flesh->displacements = SUP_ALLOC(&body->arena, double, 3 * c->mesh.node_count);
  flesh->places = SUP_ALLOC(&body->arena, SupVec3d, c->mesh.node_count);
}

/* Returns the largest displacement of what is held. */
static double move(PatchBody *body, Flesh *flesh, const SupShellDrive *drive, double height) {
  const SupChunk *c = &flesh->chunk;
  const SupAffined frame = sup_chunk_shell_numbers(c, &flesh->holds, drive, height, flesh->numbers);
  double most = 0, *d = flesh->displacements;
  sup_holds_move(&flesh->holds.holds, c->mesh.node_count, flesh->numbers, d);
  for (uint32_t k = 0; k < 3 * c->mesh.node_count; k++) most = fmax(most, fabs(d[k]));
  assert_int_equal(sup_wedge_settle(&body->arena, &flesh->body, NULL, d, NULL), SUP_OK);
  for (uint32_t v = 0; v < c->mesh.node_count; v++) {
    const SupVec3d moved = {d[3 * v], d[3 * v + 1], d[3 * v + 2]};
    flesh->places[v] = sup_affined_point(frame, sup_vec3d_add(c->mesh.nodes[v], moved));
  }
  return most;
}

static SupVec3d at_rest(const Flesh *flesh, uint32_t v) {
  return sup_affined_point(flesh->chunk.frame, flesh->chunk.mesh.nodes[v]);
}

/* GUO-T13, with wedges on an irregular ball, at rest and under rigid motions. */
static void rest_is_rest(void **state) {
  (void)state;
  SupRng rng = sup_rng(1, 5);
  PatchBody *body = patch_ball(3, 0.03, (SupVec3){1, 0.8f, 1.2f}, 2, 1);
  const SupPatchCharts charts = body_charts(body);
  const SupChunkDef def = body_def(body, &charts, 2, 4);
  SupVec3d *rest;
  const SupShell shell = body_shell(body, 0.6, &rest);
  SupVec3d now[6];
  SupAffined maps[12];
  assert_int_equal(shell.edge_count, 12);
  Flesh flesh[8];
  for (uint32_t p = 0; p < 8; p++) {
    begin(&flesh[p], body, &def, &shell, rest, p, p % 2 ? SUP_SLICE_FAN : SUP_SLICE_DIAGONALS, 1);
  }
  for (int round = 0; round < 4; round++) {
    SupQuatd q = {0, 0, 0, 1};
    if (round) q = (SupQuatd){sup_rng_double(&rng), sup_rng_double(&rng), -1, sup_rng_double(&rng)};
    q = sup_quatd_normalise(q);
    const SupVec3d shift = {round, -2.0 * round, 0};
    for (uint32_t v = 0; v < 6; v++) now[v] = sup_vec3d_add(sup_quatd_rotate(q, rest[v]), shift);
    sup_shell_edge_maps(&shell, rest, now, maps);
    const SupShellDrive drive = {&shell, rest, now, maps};
    for (uint32_t p = 0; p < 8; p++) {
      assert_true(move(body, &flesh[p], &drive, 0) < 1e-12);
      for (uint32_t v = 0; v < flesh[p].chunk.mesh.node_count; v++) {
        const SupVec3d to = sup_vec3d_add(sup_quatd_rotate(q, at_rest(&flesh[p], v)), shift);
        assert_true(sup_vec3d_distance(flesh[p].places[v], to) < 1e-12);
      }
    }
  }
  for (uint32_t p = 0; p < 8; p++) sup_wedge_body_free(&flesh[p].body);
  patch_body_free(body);
}

/* GUO-T18: however the shell is deformed, neighbours agree where they meet, also with another
 * number of levels and slices, and bottoms stay on the shell. */
static void neighbours_agree(void **state) {
  (void)state;
  SupRng rng = sup_rng(2, 5);
  PatchBody *body = patch_ball(3, 0.03, (SupVec3){1, 0.8f, 1.2f}, 2, 1);
  const SupPatchCharts charts = body_charts(body);
  const SupChunkDef coarse = body_def(body, &charts, 2, 3), fine = body_def(body, &charts, 3, 5);
  SupVec3d *rest, now[6];
  SupAffined maps[12];
  const SupShell shell = body_shell(body, 0.6, &rest);
  Flesh flesh[8];
  uint32_t met = 0;
  for (uint32_t p = 0; p < 8; p++) {
    begin(&flesh[p], body, p % 3 ? &coarse : &fine, &shell, rest, p, SUP_SLICE_FAN, 1);
  }
  for (int round = 0; round < 5; round++) {
    for (uint32_t v = 0; v < 6; v++) {
      const SupVec3d stray = {sup_rng_double(&rng), sup_rng_double(&rng), sup_rng_double(&rng)};
      now[v] = sup_vec3d_add_scaled(rest[v], stray, 0.25);
    }
    sup_shell_edge_maps(&shell, rest, now, maps);
    const SupShellDrive drive = {&shell, rest, now, maps};
    for (uint32_t p = 0; p < 8; p++) {
      const SupChunk *c = &flesh[p].chunk;
      assert_true(move(body, &flesh[p], &drive, 0.1) > 0.01);
      for (uint32_t i = 0; i < c->slice.corner_count * c->slice.parts; i++) {
        const uint32_t v = sup_chunk_node(c, c->slice_count - 1, c->slice.rim[i]);
        const uint32_t first = shell.offsets[p], side = i / c->slice.parts;
        const SupVec3d a = now[shell.corners[first + side]];
        const SupVec3d b = now[shell.corners[first + (side + 1) % 3]];
        const SupVec3d to = sup_vec3d_lerp(a, b, (double)(i % c->slice.parts) / c->slice.parts);
        assert_true(sup_vec3d_distance(flesh[p].places[v], to) < 1e-12);
      }
    }
    for (uint32_t p = 0; p < 8; p++) {
      for (uint32_t q = 0; q < p; q++) {
        const SupChunk *a = &flesh[p].chunk, *b = &flesh[q].chunk;
        for (uint32_t v = 0; v < a->mesh.node_count; v++) {
          for (uint32_t w = 0; w < b->mesh.node_count; w++) {
            if (!a->held[v] || !b->held[w]) continue;
            if (sup_vec3d_distance(at_rest(&flesh[p], v), at_rest(&flesh[q], w)) > 1e-9) continue;
            met++;
            assert_true(sup_vec3d_distance(flesh[p].places[v], flesh[q].places[w]) < 1e-12);
          }
        }
      }
    }
  }
  assert_true(met > 5 * 12 * 3 * 3);
  for (uint32_t p = 0; p < 8; p++) sup_wedge_body_free(&flesh[p].body);
  patch_body_free(body);
}

/* A shell that grows along an edge: the sides above grow with it, though its frame is rigid across.
 */
static void sides_grow_with_their_edge(void **state) {
  (void)state;
  const uint32_t four[4] = {0, 12, 168, 156};
  PatchBody *body = patch_sheet(12, 0, 4, four);
  const SupPatchCharts charts = body_charts(body);
  const SupChunkDef def = body_def(body, &charts, 2, 4);
  SupVec3d *rest, now[4];
  SupAffined maps[4];
  const SupShell shell = body_shell(body, 1, &rest);
  for (uint32_t v = 0; v < 4; v++) rest[v].z = -3;
  for (uint32_t v = 0; v < 4; v++) now[v] = sup_vec3d_mul(rest[v], (SupVec3d){2, 1, 1});
  sup_shell_edge_maps(&shell, rest, now, maps);
  const SupShellDrive drive = {&shell, rest, now, maps};
  Flesh flesh;
  begin(&flesh, body, &def, &shell, rest, 0, SUP_SLICE_DIAGONALS, 1);
  move(body, &flesh, &drive, 0);
  for (uint32_t v = 0; v < flesh.chunk.mesh.node_count; v++) {
    if (!flesh.chunk.held[v]) continue;
    const SupVec3d p = at_rest(&flesh, v);
    assert_true(fabs(flesh.places[v].z - p.z) < 1e-12);
    /* Corners of these edges agree, so sides are doubled in x, all of them. */
    assert_true(fabs(flesh.places[v].x - 2 * p.x) < 1e-11 && fabs(flesh.places[v].y - p.y) < 1e-11);
  }
  sup_wedge_body_free(&flesh.body);
  patch_body_free(body);
}

/* GUO-T16. */
static void bulges_grow_and_flatten(void **state) {
  (void)state;
  const uint32_t four[4] = {0, 12, 168, 156};
  PatchBody *body = patch_sheet(12, 0, 4, four);
  const SupPatchCharts charts = body_charts(body);
  const SupChunkDef def = body_def(body, &charts, 3, 4);
  SupVec3d *rest;
  SupAffined maps[4];
  const SupShell shell = body_shell(body, 1, &rest);
  for (uint32_t v = 0; v < 4; v++) rest[v].z = -3;
  sup_shell_edge_maps(&shell, rest, rest, maps);
  const SupShellDrive drive = {&shell, rest, rest, maps};
  double evenness[2];
  for (int wide = 0; wide < 2; wide++) {
    Flesh flesh;
    double before = -1;
    begin(&flesh, body, &def, &shell, rest, 0, SUP_SLICE_FAN, wide ? 1 : 0.4);
    for (int k = 0; k < 4; k++) {
      double most = 0, sum = 0;
      assert_true(fabs(move(body, &flesh, &drive, 0.5 * k) - 0.5 * k) < 1e-12);
      for (uint32_t i = 0; i < flesh.chunk.kept_count; i++) {
        const double up = flesh.places[flesh.chunk.kept[i]].z;
        most = fmax(most, up);
        sum += up / flesh.chunk.kept_count;
      }
      assert_true(most > before + 0.01 && most <= 0.5 * k + 1e-12);
      before = most;
      evenness[wide] = sum / most;
    }
    sup_wedge_body_free(&flesh.body);
  }
  print_message("bulge, width 0.4 and 1: mean %.2f and %.2f of the highest\n", evenness[0],
                evenness[1]);
  assert_true(evenness[1] > evenness[0]);
  patch_body_free(body);
}

/* As wide as can be, a bulge is its window: 0 on the rim, 1 from half way to the middle on. */
static void windows_end_at_the_rim(void **state) {
  (void)state;
  static const double middle[2] = {0, 0};
  const uint32_t four[4] = {0, 12, 168, 156};
  PatchBody *body = patch_sheet(12, 0, 4, four);
  const SupPatchCharts charts = body_charts(body);
  const SupChunkDef def = body_def(body, &charts, 4, 3);
  SupVec3d *rest;
  const SupShell shell = body_shell(body, 1, &rest);
  for (uint32_t v = 0; v < 4; v++) rest[v].z = -3;
  const SupChunk c = shell_chunk(body, &def, &shell, rest, 0, SUP_SLICE_DIAGONALS);
  double *shape = SUP_ALLOC(&body->arena, double, c.slice.node_count);
  sup_bulge_below(&c, charts.charts[0].corners, middle, 1e6, shape);
  for (uint32_t k = 0; k < c.slice.node_count; k++) {
    const double third = sup_slice_corner_weight(&c.slice, k, 2);
    const double a = sup_slice_corner_weight(&c.slice, k, 1) + third;
    const double b = sup_slice_corner_weight(&c.slice, k, 3) + third;
    const double t = fmin(1, 4 * fmin(fmin(a, 1 - a), fmin(b, 1 - b)));
    assert_true(fabs(shape[k] - t * t * (3 - 2 * t)) < 1e-9);
  }
  patch_body_free(body);
}

/* Why bottoms follow the weights of their slice: coordinates of a polygon put the middle of a
 * diagonal 7 mm elsewhere on a face of 224 mm. */
static void polygon_coordinates_would_push(void **state) {
  (void)state;
  const double angles[4] = {0, 70, 190, 260};
  const SupVec3d face[4] = {{0.1, 0, 0}, {0.1, 0.12, 0.01}, {-0.1, 0.1, 0}, {-0.08, -0.02, 0.02}};
  double corners[4][2], weights[4];
  for (int k = 0; k < 4; k++) {
    corners[k][0] = cos(angles[k] * SUP_PI / 180);
    corners[k][1] = sin(angles[k] * SUP_PI / 180);
  }
  const double at[2] = {(corners[0][0] + corners[2][0]) / 2, (corners[0][1] + corners[2][1]) / 2};
  SupVec3d by_polygon = {0, 0, 0};
  sup_polygon_weights(4, (const double(*)[2])corners, at, weights);
  for (int k = 0; k < 4; k++) by_polygon = sup_vec3d_add_scaled(by_polygon, face[k], weights[k]);
  const double apart = sup_vec3d_distance(by_polygon, sup_vec3d_lerp(face[0], face[2], 0.5));
  assert_true(fabs(sup_vec3d_distance(face[0], face[2]) - 0.2236) < 1e-4);
  assert_true(fabs(apart - 0.007) < 5e-4);
}

/* Two squares with a side in common fold along it: what stood on it stands between them, whichever
 * face turns; what lies along it stays. */
static void edges_bisect_their_faces(void **state) {
  (void)state;
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  const uint32_t offsets[3] = {0, 4, 8}, corners[8] = {0, 1, 2, 3, 1, 4, 5, 2};
  const SupVec3d rest[6] = {{-1, 0, 0}, {0, 0, 0}, {0, 1, 0}, {-1, 1, 0}, {1, 0, 0}, {1, 1, 0}};
  SupShell shell;
  assert_int_equal(sup_shell_create(&arena, 6, 2, offsets, corners, &shell, NULL), SUP_OK);
  for (int face = 0; face < 2; face++) {
    SupVec3d now[6];
    SupAffined maps[7];
    memcpy(now, rest, sizeof rest);
    const double angle = 0.8;
    for (uint32_t v = 0; v < 6; v++) {
      if (rest[v].x * (face ? 1 : -1) <= 0) continue;
      now[v].x = rest[v].x * cos(angle);
      now[v].z = sin(angle);
    }
    sup_shell_edge_maps(&shell, rest, now, maps);
    for (uint32_t e = 0; e < shell.edge_count; e++) {
      if (shell.edges[e].from != 1 || shell.edges[e].to != 2) continue;
      const SupVec3d up = sup_affined_direction(maps[e], (SupVec3d){0, 0, 1});
      const SupVec3d along = sup_affined_direction(maps[e], (SupVec3d){0, 1, 0});
      const SupVec3d between = {(face ? -1 : 1) * sin(angle / 2), 0, cos(angle / 2)};
      assert_true(sup_vec3d_distance(up, between) < 1e-14);
      assert_true(sup_vec3d_distance(along, (SupVec3d){0, 1, 0}) < 1e-14);
    }
  }
  sup_arena_free(&arena);
}

static void heights_by_area(void **state) {
  (void)state;
  assert_true(fabs(sup_bulge_height_by_area(0.1, 2, 1, false) - 0.1) < 1e-15);
  assert_true(sup_bulge_height_by_area(0.1, 2, 2, false) == 0);
  assert_true(fabs(sup_bulge_height_by_area(0.1, 2, 4, false) + 0.05) < 1e-15);
  assert_true(sup_bulge_height_by_area(0.1, 2, 4, true) == 0);
  assert_true(sup_bulge_window(-1) == 0 && sup_bulge_window(0.5) == 0.5 &&
              sup_bulge_window(3) == 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rest_is_rest),
      cmocka_unit_test(neighbours_agree),
      cmocka_unit_test(sides_grow_with_their_edge),
      cmocka_unit_test(bulges_grow_and_flatten),
      cmocka_unit_test(windows_end_at_the_rim),
      cmocka_unit_test(edges_bisect_their_faces),
      cmocka_unit_test(polygon_coordinates_would_push),
      cmocka_unit_test(heights_by_area),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
