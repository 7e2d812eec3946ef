/* SPDX-License-Identifier: MIT */
#include "patch_bodies.h"

#include "geom/shapes.h"

static const char *const feature_names[16] = {"up",    "down",  "left",  "right", "front", "back",
                                              "six",   "seven", "eight", "nine",  "ten",   "eleven",
                                              "more1", "more2", "more3", "more4"};
static const char *const boundary_names[24] = {"0", "1", "2", "3", "4", "5", "6", "7",
                                               "8", "9", "A", "B", "C", "D", "E", "F",
                                               "G", "H", "I", "J", "K", "L", "M", "N"};

PatchBody *patch_body(void) {
  PatchBody *body = calloc(1, sizeof *body);
  assert_non_null(body);
  sup_arena_init(&body->arena, sup_heap_allocator(), 0);
  return body;
}

void patch_body_free(PatchBody *body) {
  sup_arena_free(&body->arena);
  free(body);
}

static void give_mesh(PatchBody *body, SupMesh mesh) {
  body->mesh = mesh;
  assert_int_equal(sup_topology(&body->arena, &mesh, &body->topology, NULL), SUP_OK);
  assert_int_equal(sup_bvh_build(&body->arena, &mesh, &body->bvh, NULL), SUP_OK);
  body->def.mesh = mesh;
  body->def.topology = &body->topology;
  body->def.source = "body";
  body->def.features = body->features;
  body->def.boundaries = body->boundaries;
}

static void join(PatchBody *body, uint32_t from, uint32_t to, bool rim, uint32_t cuts) {
  const SupPathDef path = {.mesh = body->mesh,
                           .topology = &body->topology,
                           .from = body->features[from].at,
                           .to = body->features[to].at};
  SupPatchBoundary *b = &body->boundaries[body->def.boundary_count];
  *b = (SupPatchBoundary){
      .name = boundary_names[body->def.boundary_count++], .from = from, .to = to};
  SupResult result = rim ? sup_path_rim(&body->arena, &path, &b->path, NULL)
                         : sup_path_shortest(&body->arena, &path, cuts, &b->path, NULL);
  assert_int_equal(result, SUP_OK);
}

static void divide(PatchBody *body) {
  SupError error = {0};
  SupResult result = sup_patches_create(&body->arena, &body->def, &body->patches, &error);
  if (result != SUP_OK) print_error("%s\n", error.text);
  assert_int_equal(result, SUP_OK);
}

PatchBody *patch_ball(unsigned subdivisions, double bumps, SupVec3 scale, uint32_t cuts,
                      uint64_t turn) {
  static const uint32_t twelve[12][2] = {{0, 2}, {0, 4}, {0, 3}, {0, 5}, {1, 2}, {1, 4},
                                         {1, 3}, {1, 5}, {2, 4}, {4, 3}, {3, 5}, {5, 2}};
  PatchBody *body = patch_body();
  SupRng rng = sup_rng(turn, 5);
  SupMesh mesh = shape_icosphere(&body->arena, subdivisions);
  if (turn) mesh = shape_shuffle(&body->arena, mesh, &rng, NULL);
  give_mesh(body, mesh);
  for (uint32_t k = 0; k < 6; k++) {
    float pole[3] = {0, 0, 0};
    pole[k < 2 ? 1 : k < 4 ? 0 : 2] = k % 2 ? -2 : 2;
    const SupVec3 at = {pole[0], pole[1], pole[2]};
    body->features[k] =
        (SupPatchFeature){feature_names[k], sup_skin_point_nearest(&body->bvh, at, 0.1), 0};
  }
  body->def.feature_count = 6;
  for (uint32_t k = 0; k < 12; k++) join(body, twelve[k][0], twelve[k][1], false, cuts);
  /* The same paths on another shape: on a bumpy one the shortest might touch. */
  SupVec3 *places = SUP_COPY(&body->arena, SupVec3, mesh.positions, mesh.vertex_count);
  assert_non_null(places);
  for (uint32_t v = 0; v < mesh.vertex_count; v++) {
    const float size = (float)(1 + bumps * (2 * sup_rng_double(&rng) - 1));
    places[v] = sup_vec3_scale(sup_vec3_mul(places[v], scale), size);
  }
  mesh.positions = places;
  give_mesh(body, mesh);
  divide(body);
  assert_int_equal(body->patches.patch_count, 8);
  return body;
}

PatchBody *patch_sheet(uint32_t n, double moved, uint32_t count, const uint32_t *features) {
  PatchBody *body = patch_body();
  SupRng rng = sup_rng(8, n);
  SupMesh mesh = shape_grid(&body->arena, n, n);
  SupVec3 *places = SUP_COPY(&body->arena, SupVec3, mesh.positions, mesh.vertex_count);
  assert_non_null(places);
  for (uint32_t v = 0; v < mesh.vertex_count; v++) {
    const float x = places[v].x, y = places[v].y, most = (float)n;
    if (!(x > 0 && y > 0 && x < most && y < most)) continue;
    places[v].x += (float)(moved * (2 * sup_rng_double(&rng) - 1));
    places[v].y += (float)(moved * (2 * sup_rng_double(&rng) - 1));
  }
  mesh.positions = places;
  give_mesh(body, mesh);
  for (uint32_t k = 0; k < count; k++) {
    body->features[k] = (SupPatchFeature){feature_names[k], sup_skin_vertex(features[k]), 0};
  }
  body->def.feature_count = count;
  for (uint32_t k = 0; k < count; k++) join(body, k, (k + 1) % count, true, 0);
  divide(body);
  assert_int_equal(body->patches.patch_count, 1);
  return body;
}

PatchBody *patch_finger(uint32_t rows) {
  enum { AROUND = 16 };
  PatchBody *body = patch_body();
  const uint32_t tip = rows * AROUND;
  SupVec3 *places = SUP_ALLOC(&body->arena, SupVec3, tip + 1);
  uint32_t *corners = SUP_ALLOC(&body->arena, uint32_t, 6 * (size_t)tip), count = 0;
  assert_true(places && corners);
  for (uint32_t v = 0; v < tip; v++) {
    const double angle = 2 * SUP_PI * (v % AROUND) / AROUND;
    places[v].x = (float)sup_cos(angle);
    places[v].y = (float)(2 * SUP_PI / AROUND * (v / AROUND));
    places[v].z = (float)-sup_sin(angle);
    const uint32_t next = v % AROUND == AROUND - 1 ? v + 1 - AROUND : v + 1;
    const bool last = v / AROUND + 1 == rows;
    const uint32_t quad[6] = {v, next, last ? tip : next + AROUND, v, next + AROUND, v + AROUND};
    memcpy(corners + count, quad, (last ? 3 : 6) * sizeof *quad);
    count += last ? 3 : 6;
  }
  places[tip] = (SupVec3){0, (float)(2 * SUP_PI / AROUND * rows), 0};
  give_mesh(body, (SupMesh){tip + 1, count / 3, places, corners});
  for (uint32_t k = 0; k < 4; k++) {
    body->features[k] = (SupPatchFeature){feature_names[k], sup_skin_vertex(4 * k), 0};
  }
  body->def.feature_count = 4;
  for (uint32_t k = 0; k < 4; k++) join(body, k, (k + 1) % 4, true, 0);
  divide(body);
  assert_int_equal(body->patches.patch_count, 1);
  return body;
}
