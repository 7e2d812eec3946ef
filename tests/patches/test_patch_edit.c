/* SPDX-License-Identifier: MIT */
/* Plans on other meshes, and one side in place of the other. */
#include <math.h>

#include "ball.h"
#include "supple/author/sides.h"
#include "supple/geom/bounds.h"
#include "supple/io/patch_file.h"

static const char file[] =
    "{\"patch_file\": 1, \"zones\": {\"flank.l\": {\"kind\": \"solid\", \"bone\": [\"hip\", "
    "\"knee.l\"]}, \"flank.r\": \"stratum\", \"belly\": {\"kind\": \"stratum\", \"shell\": "
    "{\"side.l\": [0.5, 0.1, 0.2], \"Rside\": 0.2, \"front\": 0.3}}},\n"
    "\"patches\": [{\"name\": \"cheek.l\", \"zone\": \"flank.l\", \"boundaries\": [\"tl\", \"lf\", "
    "\"tf\"]},\n"
    "{\"name\": \"gone.r\", \"boundaries\": [\"tr\", \"rf\", \"tf\"]},\n"
    "{\"name\": \"below\", \"boundaries\": [\"lf\", \"rf\", \"lb\", \"rb\"]}],\n"
    "\"boundaries\": [{\"name\": \"tl\", \"from\": \"top\", \"to\": \"side.l\", \"kind\": "
    "\"edges\"},\n"
    "{\"name\": \"lf\", \"from\": \"side.l\", \"to\": \"front\", \"kind\": \"curve\", \"points\": "
    "[[1, 0, "
    "0], [1, -0.3, 1], [0, 0, 1]], \"weights\": [1, 0.5, 1]},\n"
    "{\"name\": \"lb\", \"from\": \"side.l\", \"to\": \"back\", \"kind\": \"geodesic\", "
    "\"through\": "
    "[[0.7, -0.2, -0.7]]},\n"
    "{\"name\": \"tf\", \"from\": \"top\", \"to\": \"front\", \"kind\": \"geodesic\"},\n"
    "{\"name\": \"tb\", \"from\": \"top\", \"to\": \"back\", \"kind\": \"geodesic\"},\n"
    "{\"name\": \"tr\", \"from\": \"top\", \"to\": \"Rside\", \"kind\": \"edges\"},\n"
    "{\"name\": \"rf\", \"from\": \"Rside\", \"to\": \"front\", \"kind\": \"edges\"},\n"
    "{\"name\": \"rb\", \"from\": \"Rside\", \"to\": \"back\", \"kind\": \"edges\"}],\n"
    "\"features\": [{\"name\": \"top\", \"joint\": \"hip\", \"direction\": [0, 1, 0]},\n"
    "{\"name\": \"front\", \"position\": [0, 0, 1]}, {\"name\": \"back\", \"position\": [0, 0, "
    "-1]},\n"
    "{\"name\": \"side.l\", \"position\": [1, 0.1, 0]},\n"
    "{\"name\": \"Rside\", \"position\": [-1, 0, 0]}]}";

typedef struct Lab {
  SupArena arena;
  SupCharacter character;
  SupTopology topology;
  SupPatchPlan plan, out;
  SupPatchFit fit;
  SupPatchesDef def;
  SupPatches patches;
  SupError error;
} Lab;

static void lab_body(Lab *lab, SupMesh mesh) {
  lab->character = ball_character(&lab->arena, mesh);
  assert_int_equal(sup_topology(&lab->arena, &mesh, &lab->topology, NULL), SUP_OK);
}

static Lab *lab_begin(void) {
  Lab *lab = calloc(1, sizeof *lab);
  assert_non_null(lab);
  sup_arena_init(&lab->arena, sup_heap_allocator(), 0);
  lab_body(lab, shape_icosphere(&lab->arena, 3));
  const SupResult result = sup_patch_file_parse(&lab->arena, file, sizeof file - 1, "ball.json",
                                                &lab->plan, &lab->error);
  if (result != SUP_OK) print_error("%s\n", lab->error.text);
  assert_int_equal(result, SUP_OK);
  return lab;
}

static void lab_end(Lab *lab) {
  sup_arena_free(&lab->arena);
  free(lab);
}

/* Every feature at a vertex, as the page would write it. */
static void to_vertices(Lab *lab) {
  SupPatchPlanFeature *features =
      SUP_COPY(&lab->arena, SupPatchPlanFeature, lab->plan.features, lab->plan.feature_count);
  static const SupVec3d places[5] = {{0, 1, 0}, {0, 0, 1}, {0, 0, -1}, {1, 0.1, 0}, {-1, 0, 0}};
  const SupMesh *mesh = &lab->character.body;
  for (uint32_t k = 0; k < lab->plan.feature_count; k++) {
    uint32_t best = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
      if (sup_vec3d_distance(sup_vec3_to_double(mesh->positions[v]), places[k]) <
          sup_vec3d_distance(sup_vec3_to_double(mesh->positions[best]), places[k])) {
        best = v;
      }
    }
    features[k].place = SUP_PATCH_AT_VERTEX;
    features[k].vertex = best;
    features[k].position = sup_vec3_to_double(mesh->positions[best]);
    features[k].no_position = false;
  }
  lab->plan.features = features;
  lab->plan.vertex_count = mesh->vertex_count;
}

static SupResult fit(Lab *lab) {
  return sup_patch_plan_fit(&lab->arena, &lab->plan, &lab->character, &lab->out, &lab->fit,
                            &lab->error);
}

static void cut(Lab *lab) {
  SupResult result = sup_patch_plan_trace(&lab->arena, &lab->out, &lab->character, &lab->topology,
                                          &lab->def, &lab->error);
  if (result == SUP_OK) {
    result = sup_patches_create(&lab->arena, &lab->def, &lab->patches, &lab->error);
  }
  if (result != SUP_OK) print_error("%s\n", lab->error.text);
  assert_int_equal(result, SUP_OK);
}

/* The same mesh, one with other numbers, a finer one that has its vertices: nothing moves. */
static void test_same_places(void **state) {
  (void)state;
  SupRng rng = sup_rng(3, 0);
  for (unsigned n = 0; n < 3; n++) {
    Lab *lab = lab_begin();
    to_vertices(lab);
    const uint32_t *numbers = NULL;
    if (n == 1) {
      lab_body(lab, shape_shuffle(&lab->arena, lab->character.body, &rng, &numbers));
    } else if (n == 2) {
      lab_body(lab, shape_icosphere(&lab->arena, 4));
    }
    assert_int_equal(fit(lab), SUP_OK);
    assert_int_equal(lab->fit.move_count, 0);
    assert_int_equal(lab->fit.renumbered, n == 1 ? 5 : 0);
    assert_int_equal(lab->out.vertex_count, lab->character.body.vertex_count);
    for (uint32_t k = 0; k < 5; k++) {
      const uint32_t was = lab->plan.features[k].vertex, is = lab->out.features[k].vertex;
      if (n == 1) assert_int_equal(is, numbers[was]);
      const SupVec3d place = sup_vec3_to_double(lab->character.body.positions[is]);
      assert_true(sup_vec3d_distance(place, lab->plan.features[k].position) < 1e-6);
    }
    cut(lab);
    assert_int_equal(lab->patches.patch_count, 5);
    lab_end(lab);
  }
}

/* A mesh that was edited: features go to a vertex at the nearest place, by as much as is said. */
static void test_moves(void **state) {
  (void)state;
  SupRng rng = sup_rng(4, 0);
  Lab *lab = lab_begin();
  to_vertices(lab);
  lab_body(lab, shape_jitter(&lab->arena, shape_icosphere(&lab->arena, 4), 0.02, &rng));
  assert_int_equal(fit(lab), SUP_OK);
  assert_int_equal(lab->fit.move_count, 5);
  double farthest = 0;
  const SupMesh *mesh = &lab->character.body;
  for (uint32_t k = 0; k < 5; k++) {
    const SupPatchMove *move = &lab->fit.moves[k];
    const SupVec3d was = lab->plan.features[move->feature].position;
    const SupPatchPlanFeature *is = &lab->out.features[move->feature];
    assert_int_equal(move->feature, k);
    const SupVec3d place = sup_vec3_to_double(mesh->positions[is->vertex]);
    assert_true(fabs(sup_vec3d_distance(was, place) - move->distance) < 1e-12);
    assert_memory_equal(&place, &is->position, sizeof place);
    farthest = fmax(farthest, move->distance);
    /* A corner of the triangle that is nearest, by trying all. */
    double least = 9;
    bool corner = false;
    for (uint32_t f = 0; f < mesh->triangle_count; f++) {
      double weights[3];
      const double square = sup_triangle_nearest(mesh, f, was, weights);
      const uint32_t *c = mesh->triangles + 3 * f;
      const bool has = c[0] == is->vertex || c[1] == is->vertex || c[2] == is->vertex;
      if (square < least - 1e-12) corner = false;
      if (square < least + 1e-12) corner |= has;
      if (square < least) least = square;
    }
    assert_true(corner);
  }
  assert_true(lab->fit.farthest == farthest && farthest > 0.001 && farthest < 0.1);
  cut(lab);
  /* Fitted once, it stays. */
  lab->plan = lab->out;
  assert_int_equal(fit(lab), SUP_OK);
  assert_int_equal(lab->fit.move_count + lab->fit.renumbered, 0);
  lab_end(lab);
}

static void test_too_far(void **state) {
  (void)state;
  Lab *lab = lab_begin();
  SupVec3 *positions = SUP_COPY(&lab->arena, SupVec3, lab->character.body.positions, 642);
  to_vertices(lab);
  for (uint32_t v = 0; v < 642; v++) {
    if (positions[v].x < -0.5f) positions[v].x = -0.5f;
  }
  SupMesh mesh = lab->character.body;
  mesh.positions = positions;
  lab_body(lab, mesh);
  assert_int_equal(fit(lab), SUP_ERROR_FORMAT);
  assert_string_equal(lab->error.text,
                      "ball.json, line 16: feature 'Rside': the skin is 0.5 away, farther than 5 % "
                      "of its size");
  /* Without a position a vertex must be that of the same mesh. */
  SupPatchPlanFeature features[5];
  memcpy(features, lab->plan.features, sizeof features);
  for (uint32_t k = 0; k < 5; k++) features[k].no_position = true;
  lab->plan.features = features;
  assert_int_equal(fit(lab), SUP_OK);
  assert_int_equal(lab->fit.move_count, 0);
  lab->plan.vertex_count = 641;
  assert_int_equal(fit(lab), SUP_ERROR_FORMAT);
  assert_non_null(strstr(lab->error.text, "is at vertex"));
  assert_non_null(strstr(lab->error.text, "of another mesh: this one has 642; give its position"));
  lab_end(lab);
}

/* ---- Sides ---------------------------------------------------------------------------------- */

static void test_names(void **state) {
  (void)state;
  static const char *const pairs[][2] = {{"arm.L", "arm.R"},
                                         {"thumb_01_l", "thumb_01_r"},
                                         {"LEye", "REye"},
                                         {"mixamorig:LeftHand", "mixamorig:RightHand"},
                                         {"lefteye", "righteye"},
                                         {"LEFT_ARM", "RIGHT_ARM"},
                                         {"l-foot", "r-foot"},
                                         {"Bone_L.001", "Bone_R.001"},
                                         {"upper arm l", "upper arm r"},
                                         {"HandL", "HandR"}};
  static const char *const none[] = {"belly", "bright", "leg", "rib", "upright", "", "rl", "Lid"};
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
    assert_int_equal(sup_side_of(pairs[k][0]), SUP_SIDE_LEFT);
    assert_int_equal(sup_side_of(pairs[k][1]), SUP_SIDE_RIGHT);
    assert_string_equal(sup_side_swap(&arena, pairs[k][0]), pairs[k][1]);
    assert_string_equal(sup_side_swap(&arena, pairs[k][1]), pairs[k][0]);
  }
  for (size_t k = 0; k < sizeof none / sizeof *none; k++) {
    assert_int_equal(sup_side_of(none[k]), SUP_SIDE_NONE);
    assert_string_equal(sup_side_swap(&arena, none[k]), none[k]);
  }
  assert_int_equal(sup_side_of("ear_l-ear_r"), SUP_SIDE_NONE);
  assert_string_equal(sup_side_swap(&arena, "ear_l1-Right"), "ear_r1-Left");
  assert_string_equal(sup_side_swap(&arena, "spine.left-thigh_l.front"),
                      "spine.right-thigh_r.front");
  sup_arena_free(&arena);
}

/* Between joints in pairs, wherever they look; without pairs in the middle of the box. */
static void test_plane(void **state) {
  (void)state;
  Lab *lab = lab_begin();
  SupPlane plane;
  assert_int_equal(sup_symmetry_plane(&lab->arena, &lab->character, &plane, &lab->error), SUP_OK);
  assert_true(plane.normal.x == 1 && fabs(plane.offset) < 1e-6);
  static const char *const names[2] = {"hand_r", "hand_l"};
  SupTransform rest[2] = {{{2, 0, 3}, {0, 0, 0, 1}, {1, 1, 1}},
                          {{0, 0, 1}, {0, 0, 0, 1}, {1, 1, 1}}};
  lab->character.skeleton.names = names;
  lab->character.skeleton.rest = rest;
  lab->character.skeleton.bone_count = 0;
  assert_int_equal(sup_symmetry_plane(&lab->arena, &lab->character, &plane, &lab->error), SUP_OK);
  assert_true(fabs(plane.normal.z - 1) < 1e-12 && fabs(plane.offset - 3.5) < 1e-6);
  const SupVec3d p = sup_plane_mirror(&plane, (SupVec3d){1, 2, 3});
  assert_true(p.x == 1 && p.y == 2 && fabs(p.z - 4) < 1e-6);
  lab_end(lab);
}

static uint32_t boundary(const SupPatchPlan *plan, const char *name) {
  for (uint32_t k = 0; k < plan->boundary_count; k++) {
    if (strcmp(plan->boundaries[k].name, name) == 0) return k;
  }
  fail_msg("no boundary %s", name);
  return 0;
}

static const char *end(const SupPatchPlan *plan, const char *name, bool to) {
  const SupPatchPlanBoundary *b = &plan->boundaries[boundary(plan, name)];
  return plan->features[to ? b->to : b->from].name;
}

/* The left of the ball in place of its right. */
static void test_mirror(void **state) {
  (void)state;
  Lab *lab = lab_begin();
  SupResult result =
      sup_patch_plan_mirror(&lab->arena, &lab->plan, &lab->character, true, &lab->out, &lab->error);
  assert_int_equal(result, SUP_ERROR_FORMAT);
  assert_string_equal(lab->error.text,
                      "ball.json, line 4: patch 'below' is on both sides and not its own image");
  /* Without that patch: it names the right side's boundaries, which are no images. */
  lab->plan.name_count = 2;
  result =
      sup_patch_plan_mirror(&lab->arena, &lab->plan, &lab->character, true, &lab->out, &lab->error);
  if (result != SUP_OK) print_error("%s\n", lab->error.text);
  assert_int_equal(result, SUP_OK);
  const SupPatchPlan *out = &lab->out;
  assert_int_equal(out->feature_count, 5);
  assert_int_equal(out->boundary_count, 8);
  assert_int_equal(out->name_count, 2);
  assert_int_equal(out->zone_count, 3);
  assert_string_equal(out->features[4].name, "side.r");
  assert_true(out->features[4].position.x == -1 && out->features[4].position.y == 0.1);
  assert_string_equal(end(out, "tl.r", true), "side.r");
  assert_string_equal(end(out, "lf.r", false), "side.r");
  const SupPatchPlanBoundary *curve = &out->boundaries[boundary(out, "lf.r")];
  assert_int_equal(curve->kind, SUP_PATCH_CURVE);
  assert_true(fabs(curve->points[1].x + 1) < 1e-6 && curve->points[1].y == -0.3);
  assert_true(curve->weights[1] == 0.5);
  assert_string_equal(out->names[0].name, "cheek.l");
  assert_string_equal(out->names[1].name, "cheek.r");
  assert_string_equal(out->names[1].zone, "flank.r");
  /* What is said about flesh: joints and features of the other side. */
  const SupPatchFlesh *kept = out->zones[0].flesh, *image = out->zones[2].flesh;
  assert_string_equal(out->zones[2].name, "flank.r");
  assert_int_equal(out->zones[2].kind, SUP_PATCH_ZONE_SOLID);
  assert_string_equal(kept->bone[1], "knee.l");
  assert_string_equal(image->bone[0], "hip");
  assert_string_equal(image->bone[1], "knee.r");
  const SupPatchFlesh *belly = out->zones[1].flesh;
  assert_int_equal(belly->shell_count, 3);
  assert_string_equal(belly->shell[0].feature, "side.l");
  assert_string_equal(belly->shell[1].feature, "side.r");
  assert_true(belly->shell[1].placed && belly->shell[1].position.z == 0.2);
  assert_true(fabs(belly->shell[1].position.x + 0.5) < 1e-6);
  assert_string_equal(belly->shell[2].feature, "front");
  assert_true(belly->shell[2].depth == 0.3);
  cut(lab);
  assert_int_equal(lab->patches.patch_count, 5);
  assert_true(fabs(lab->patches.patches[0].area / lab->patches.patches[1].area - 1) < 0.02);
  /* Its image is itself, however often; and now all of it can be named. */
  lab->plan = lab->out;
  assert_int_equal(sup_patch_plan_mirror(&lab->arena, &lab->plan, &lab->character, false, &lab->out,
                                         &lab->error),
                   SUP_OK);
  assert_int_equal(lab->out.boundary_count, 8);
  SupPatchName names[3] = {lab->plan.names[0], lab->plan.names[1], {.name = "below", .zone = ""}};
  const uint32_t sides[4] = {boundary(&lab->plan, "lf.l"), boundary(&lab->plan, "lf.r"),
                             boundary(&lab->plan, "lb.l"), boundary(&lab->plan, "lb.r")};
  names[2].boundaries = sides;
  names[2].boundary_count = 4;
  lab->plan.names = names;
  lab->plan.name_count = 3;
  result =
      sup_patch_plan_mirror(&lab->arena, &lab->plan, &lab->character, true, &lab->out, &lab->error);
  if (result != SUP_OK) print_error("%s\n", lab->error.text);
  assert_int_equal(result, SUP_OK);
  assert_int_equal(lab->out.name_count, 3);
  cut(lab);
  assert_int_equal(lab->patches.patch_count, 5);
  lab_end(lab);
}

static void test_mirror_faults(void **state) {
  (void)state;
  Lab *lab = lab_begin();
  lab->plan.name_count = 0;
  static const int32_t parents[3] = {-1, 0, 0};
  static const char *const names[3] = {"hip", "hand_l", "foot_r"};
  SupTransform rest[3];
  for (int k = 0; k < 3; k++) rest[k] = (SupTransform){{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
  lab->character.skeleton = (SupSkeleton){3, 0, parents, rest, names, NULL, NULL};
  SupPatchPlanFeature features[5];
  memcpy(features, lab->plan.features, sizeof features);
  features[3] = (SupPatchPlanFeature){.name = "side.l",
                                      .place = SUP_PATCH_AT_LANDMARK,
                                      .joint = "hand_l",
                                      .direction = {1, 0, 0},
                                      .line = 14};
  lab->plan.features = features;
  assert_int_equal(
      sup_patch_plan_mirror(&lab->arena, &lab->plan, &lab->character, true, &lab->out, &lab->error),
      SUP_ERROR_FORMAT);
  assert_string_equal(lab->error.text,
                      "ball.json, line 14: feature 'side.l': joint 'hand_l' has no partner "
                      "'hand_r' on the other side");
  features[3] = (SupPatchPlanFeature){
      .name = "side.l", .place = SUP_PATCH_AT_POSITION, .position = {1, 0, 0}, .line = 14};
  static const char *const hands[3] = {"hip", "hand_l", "hand_r"};
  rest[1].translation.x = 1;
  rest[2].translation.x = -1;
  lab->character.skeleton.names = hands;
  SupVec3 *positions = SUP_COPY(&lab->arena, SupVec3, lab->character.body.positions, 642);
  for (uint32_t v = 0; v < 642; v++) {
    if (positions[v].x < 0) positions[v].x *= 1.5f;
  }
  lab->character.body.positions = positions;
  assert_int_equal(
      sup_patch_plan_mirror(&lab->arena, &lab->plan, &lab->character, true, &lab->out, &lab->error),
      SUP_ERROR_FORMAT);
  assert_non_null(strstr(lab->error.text, "ball.json, line 14: feature 'side.l'"));
  assert_non_null(strstr(lab->error.text, "farther than 5 % of its size"));
  lab_end(lab);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same_places),   cmocka_unit_test(test_moves),
      cmocka_unit_test(test_too_far),       cmocka_unit_test(test_names),
      cmocka_unit_test(test_plane),         cmocka_unit_test(test_mirror),
      cmocka_unit_test(test_mirror_faults),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
