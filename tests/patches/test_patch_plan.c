/* SPDX-License-Identifier: MIT */
/* From a plan to boundaries on a skin, and a sentence for every plan that is none. */
#include <math.h>

#include "ball.h"

typedef struct Lab {
  SupArena arena;
  SupCharacter character;
  SupTopology topology;
  SupPatchPlanFeature features[64];
  SupPatchPlanBoundary boundaries[192];
  SupPatchPlan plan;
  SupPatchesDef def;
  SupPatches patches;
  SupError error;
} Lab;

static const char *const letters[6] = {"a", "b", "c", "d", "e", "f"};
static const SupVec3d poles[6] = {{0, 1, 0},  {0, -1, 0}, {1, 0, 0},
                                  {-1, 0, 0}, {0, 0, 1},  {0, 0, -1}};
static const char *const pairs[12] = {"ac", "ae", "ad", "af", "bc", "be",
                                      "bd", "bf", "ce", "ed", "df", "fc"};
static const uint32_t ways[12][2] = {{0, 2}, {0, 4}, {0, 3}, {0, 5}, {1, 2}, {1, 4},
                                     {1, 3}, {1, 5}, {2, 4}, {4, 3}, {3, 5}, {5, 2}};

static void lab_body(Lab *lab, SupMesh mesh) {
  lab->character = ball_character(&lab->arena, mesh);
  assert_int_equal(sup_topology(&lab->arena, &mesh, &lab->topology, NULL), SUP_OK);
}

static Lab *lab_begin(void) {
  Lab *lab = calloc(1, sizeof *lab);
  assert_non_null(lab);
  sup_arena_init(&lab->arena, sup_heap_allocator(), 0);
  lab->plan = (SupPatchPlan){
      .source = "plan.json", .features = lab->features, .boundaries = lab->boundaries};
  return lab;
}

static void lab_end(Lab *lab) {
  sup_arena_free(&lab->arena);
  free(lab);
}

/* Six features on the axes by place of this kind, or of each kind in turn (3), and the twelve ways
 * between them by kind, or of each kind in turn (3). */
static void octahedron(Lab *lab, unsigned place, unsigned kind) {
  lab->plan.feature_count = 6;
  lab->plan.boundary_count = 12;
  for (uint32_t k = 0; k < 6; k++) {
    SupPatchPlanFeature *f = &lab->features[k];
    *f = (SupPatchPlanFeature){.name = letters[k], .line = 10 + k};
    f->place = (SupPatchPlace)(place < 3 ? place : k % 3);
    f->position = sup_vec3d_scale(poles[k], 1.7);
    for (uint32_t v = 0; v < lab->character.body.vertex_count; v++) {
      const SupVec3d p = sup_vec3_to_double(lab->character.body.positions[v]);
      const SupVec3d q = sup_vec3_to_double(lab->character.body.positions[f->vertex]);
      if (sup_vec3d_distance(p, poles[k]) < sup_vec3d_distance(q, poles[k])) f->vertex = v;
    }
    f->joint = "hip";
    f->direction = sup_vec3d_scale(poles[k], 0.01);
  }
  for (uint32_t k = 0; k < 12; k++) {
    SupPatchPlanBoundary *b = &lab->boundaries[k];
    *b = (SupPatchPlanBoundary){.name = pairs[k], .from = ways[k][0], .to = ways[k][1]};
    b->line = 30 + k;
    b->kind = (SupPatchPathKind)(kind < 3 ? kind : k % 3);
    if (b->kind != SUP_PATCH_CURVE) continue;
    SupVec3d *points = SUP_ALLOC(&lab->arena, SupVec3d, 3);
    double *weights = SUP_ALLOC(&lab->arena, double, 3);
    points[0] = poles[b->from];
    points[1] = sup_vec3d_add(poles[b->from], poles[b->to]);
    points[2] = poles[b->to];
    for (unsigned i = 0; i < 3; i++) weights[i] = i == 1 ? sqrt(0.5) : 1;
    b->points = points;
    b->weights = weights;
    b->point_count = 3;
  }
}

static SupResult trace(Lab *lab) {
  lab->error.text[0] = 0;
  return sup_patch_plan_trace(&lab->arena, &lab->plan, &lab->character, &lab->topology, &lab->def,
                              &lab->error);
}

static void trace_and_cut(Lab *lab) {
  SupResult result = trace(lab);
  if (result == SUP_OK) {
    result = sup_patches_create(&lab->arena, &lab->def, &lab->patches, &lab->error);
  }
  if (result != SUP_OK) print_error("%s\n", lab->error.text);
  assert_int_equal(result, SUP_OK);
}

static void refused(Lab *lab, const char *sentence) {
  assert_int_equal(trace(lab), SUP_ERROR_FORMAT);
  assert_string_equal(lab->error.text, sentence);
}

/* Every kind of place with every kind of boundary: eight patches, features at the poles, and great
 * circles where the way is free to choose. */
static void test_kinds(void **state) {
  (void)state;
  SupRng rng = sup_rng(4, 0);
  for (unsigned place = 0; place < 4; place++) {
    for (unsigned kind = 0; kind < 4; kind++) {
      Lab *lab = lab_begin();
      const SupMesh ball = shape_icosphere(&lab->arena, 4);
      lab_body(lab, shape_jitter(&lab->arena, ball, 0.004, &rng));
      octahedron(lab, place, kind);
      trace_and_cut(lab);
      assert_int_equal(lab->patches.patch_count, 8);
      assert_int_equal(lab->patches.euler, 2);
      for (uint32_t k = 0; k < 6; k++) {
        const SupVec3d p = sup_skin_point_place(&lab->def.mesh, lab->def.features[k].at);
        assert_true(sup_vec3d_distance(p, poles[k]) < 0.1);
        assert_int_equal(lab->def.features[k].line, 10 + k);
      }
      for (uint32_t k = 0; k < 12; k++) {
        const double length = lab->def.boundaries[k].path.length;
        const bool edges = lab->boundaries[k].kind == SUP_PATCH_EDGES;
        assert_true(length > 1.4 && length < (edges ? 1.9 : 1.67));
        assert_int_equal(lab->def.boundaries[k].line, 30 + k);
        if (lab->boundaries[k].kind != SUP_PATCH_CURVE) continue;
        for (uint32_t i = 1; i + 1 < lab->def.boundaries[k].path.count; i++) {
          /* On its great circle: the ends are up to 0.1 off. */
          const SupVec3d p =
              sup_skin_point_place(&lab->def.mesh, lab->def.boundaries[k].path.points[i]);
          const SupVec3d normal = sup_vec3d_cross(poles[ways[k][0]], poles[ways[k][1]]);
          assert_true(fabs(sup_vec3d_dot(p, normal)) < 0.12);
        }
      }
      lab_end(lab);
    }
  }
}

/* The ray passes an eye and a tooth inside, and does not go on to the arm beside the body. */
static void test_landmark(void **state) {
  (void)state;
  Lab *lab = lab_begin();
  SupMesh mesh = shape_icosphere(&lab->arena, 4);
  const SupMesh box = shape_box(&lab->arena);
  SupMesh small = shape_icosphere(&lab->arena, 2);
  SupVec3 *scaled = SUP_COPY(&lab->arena, SupVec3, small.positions, small.vertex_count);
  for (uint32_t v = 0; v < small.vertex_count; v++) scaled[v] = sup_vec3_scale(scaled[v], 0.2f);
  small.positions = scaled;
  mesh = shape_union(&lab->arena, mesh, small, (SupVec3){0, 0, 0});    /* around the hip */
  mesh = shape_union(&lab->arena, mesh, small, (SupVec3){0.6f, 0, 0}); /* on the way */
  mesh = shape_union(&lab->arena, mesh, box, (SupVec3){4, 0, 0});      /* beside */
  lab_body(lab, mesh);
  octahedron(lab, SUP_PATCH_AT_LANDMARK, SUP_PATCH_GEODESIC);
  trace_and_cut(lab);
  for (uint32_t k = 0; k < 6; k++) {
    const SupVec3d p = sup_skin_point_place(&mesh, lab->def.features[k].at);
    assert_true(sup_vec3d_distance(p, poles[k]) < 0.06);
  }
  /* From the head, and by a part of its name; down through the hip's eye. */
  lab->features[0].joint = "HEA";
  lab->features[1].joint = "head";
  trace_and_cut(lab);
  for (uint32_t k = 0; k < 2; k++) {
    const SupVec3d p = sup_skin_point_place(&mesh, lab->def.features[k].at);
    assert_true(sup_vec3d_distance(p, poles[k]) < 0.06);
  }
  /* Out of the whole thing. */
  lab->features[0].direction = (SupVec3d){1, 0.0001, 0.0001};
  lab->features[0].joint = "heat";
  refused(lab, "plan.json, line 10: feature 'a': there is no joint 'heat'; did you mean 'head'?");
  lab_end(lab);
  /* Through the hole of an open sheet. */
  lab = lab_begin();
  lab_body(lab, shape_tube(&lab->arena, 24, 12, 2));
  octahedron(lab, SUP_PATCH_AT_LANDMARK, SUP_PATCH_GEODESIC);
  refused(lab,
          "plan.json, line 10: feature 'a': the ray from joint 'hip' never comes out of the "
          "skin");
  lab_end(lab);
}

/* Along the open borders of a tube, which the sides join. */
static void test_rim(void **state) {
  (void)state;
  Lab *lab = lab_begin();
  lab_body(lab, shape_tube(&lab->arena, 24, 12, 2));
  static const char *const names[9] = {"p0", "p1", "p2", "q0", "q1", "q2"};
  static const char *const sides[9] = {"r0", "r1", "r2", "s0", "s1", "s2", "t0", "t1", "t2"};
  static const uint32_t ends[9][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 5}, {5, 4},
                                      {4, 3}, {0, 3}, {1, 4}, {2, 5}};
  lab->plan.feature_count = 6;
  for (uint32_t k = 0; k < 6; k++) {
    const double angle = -2 * 3.141592653589793 * (k % 3) / 3;
    const SupVec3d p = {cos(angle), k < 3 ? 0 : 2, sin(angle)};
    lab->features[k] = (SupPatchPlanFeature){
        .name = names[k], .place = SUP_PATCH_AT_POSITION, .position = p, .line = 10 + k};
  }
  lab->plan.boundary_count = 9;
  for (uint32_t k = 0; k < 9; k++) {
    lab->boundaries[k] = (SupPatchPlanBoundary){
        .name = sides[k], .from = ends[k][0], .to = ends[k][1], .line = 30 + k};
    lab->boundaries[k].kind = k < 6 ? SUP_PATCH_RIM : SUP_PATCH_GEODESIC;
  }
  /* In either direction there are three sheets; the border runs one way. */
  SupResult result = trace(lab);
  assert_int_equal(result, SUP_OK);
  if (lab->def.boundaries[0].path.length > 3) {
    for (uint32_t k = 0; k < 6; k++) {
      lab->boundaries[k].from = ends[k][1];
      lab->boundaries[k].to = ends[k][0];
    }
  }
  trace_and_cut(lab);
  assert_int_equal(lab->patches.patch_count, 3);
  assert_int_equal(lab->patches.euler, 0);
  assert_int_equal(lab->patches.left_out_count, 0);
  for (uint32_t k = 0; k < 3; k++) assert_int_equal(lab->patches.patches[k].side_count, 4);
  lab->features[1].position.y = 1;
  refused(lab, "plan.json, line 30: boundary 'r0': its ends are not vertices of one open border");
  lab_end(lab);
}

/* A path goes through its places, in order; edges of its own do not stop it. */
static void test_places(void **state) {
  (void)state;
  for (unsigned kind = 0; kind < 2; kind++) {
    Lab *lab = lab_begin();
    lab_body(lab, shape_icosphere(&lab->arena, 4));
    octahedron(lab, SUP_PATCH_AT_POSITION, kind);
    static const SupVec3d through[2] = {{0.75, 0.65, 0.3}, {0.75, 0.5, -0.3}};
    lab->boundaries[0].points = through;
    lab->boundaries[0].point_count = 2;
    trace_and_cut(lab);
    assert_int_equal(lab->patches.patch_count, 8);
    const SupSkinPath *path = &lab->def.boundaries[0].path;
    uint32_t at[2] = {0, 0};
    for (unsigned k = 0; k < 2; k++) {
      double least = 9;
      const SupVec3d want = sup_vec3d_normalise(through[k]);
      for (uint32_t i = 0; i < path->count; i++) {
        const SupVec3d p = sup_skin_point_place(&lab->def.mesh, path->points[i]);
        if (sup_vec3d_distance(p, want) >= least) continue;
        least = sup_vec3d_distance(p, want);
        at[k] = i;
      }
      assert_true(least < (kind == SUP_PATCH_EDGES ? 0.1 : 0.05));
    }
    assert_true(at[0] < at[1]);
    lab_end(lab);
  }
}

/* Boundaries that would meet go around each other: the octahedron's with every feature drawn
 * towards one place, where the shortest ways share edges and triangles. */
static void test_crowded(void **state) {
  (void)state;
  SupRng rng = sup_rng(9, 0);
  uint32_t cut = 0;
  for (unsigned n = 0; n < 60; n++) {
    Lab *lab = lab_begin();
    lab_body(lab, shape_icosphere(&lab->arena, 4));
    octahedron(lab, SUP_PATCH_AT_POSITION, n % 2);
    for (uint32_t k = 0; k < 6; k++) {
      SupVec3d *p = &lab->features[k].position;
      p->x += 1.6 * sup_rng_double(&rng) - 0.8;
      p->y += 1.6 * sup_rng_double(&rng) - 0.8;
      p->z += 1.6 * sup_rng_double(&rng) - 0.8;
    }
    /* An order of boundaries may leave no way, or none but across another one. */
    SupResult result = trace(lab);
    if (result == SUP_OK) {
      result = sup_patches_create(&lab->arena, &lab->def, &lab->patches, &lab->error);
    }
    if (result == SUP_OK) {
      assert_int_equal(lab->patches.patch_count + lab->patches.left_out_count, 8);
      cut++;
    } else {
      assert_non_null(strstr(lab->error.text, "plan.json, line "));
      assert_non_null(strstr(lab->error.text, ": boundary '"));
    }
    lab_end(lab);
  }
  assert_true(cut >= 15);
}

static void test_faults(void **state) {
  (void)state;
  Lab *lab = lab_begin();
  lab_body(lab, shape_icosphere(&lab->arena, 3));
  octahedron(lab, SUP_PATCH_AT_VERTEX, SUP_PATCH_EDGES);
  const SupPatchPlanFeature feature = lab->features[2];
  const SupPatchPlanBoundary boundary = lab->boundaries[3];
  const struct {
    SupPatchPlanFeature feature;
    const char *sentence;
  } features[] = {
      {{.name = "c", .vertex = 100000},
       "plan.json, line 12: feature 'c' is at vertex 100000; the skin has 642"},
      {{.name = "a"}, "plan.json, line 12: another feature is called 'a'"},
      {{.name = ""}, "plan.json, line 12: feature '' needs a name"},
      {{.name = "c", .place = SUP_PATCH_AT_POSITION, .position = {0, (double)NAN, 0}},
       "plan.json, line 12: feature 'c' has a position that is not finite"},
      {{.name = "c", .place = SUP_PATCH_AT_POSITION, .position = {0, 1e300, 0}},
       "plan.json, line 12: feature 'c' has a position that is not finite"},
      {{.name = "c", .place = SUP_PATCH_AT_LANDMARK, .joint = "hip"},
       "plan.json, line 12: feature 'c' needs a direction that is not zero"},
      {{.name = "c", .place = SUP_PATCH_AT_LANDMARK, .direction = {1, 0, 0}},
       "plan.json, line 12: feature 'c' needs a joint"},
      {{.name = "c", .place = SUP_PATCH_AT_LANDMARK, .joint = "h", .direction = {1, 0, 0}},
       "plan.json, line 12: feature 'c': there is no joint 'h'; 'h' could be hip or head: give "
       "more of the name"},
      {{.name = "c", .vertex = feature.vertex, .place = (SupPatchPlace)7},
       "plan.json, line 12: feature 'c' has a place of no known kind"}};
  for (size_t k = 0; k < sizeof features / sizeof *features; k++) {
    lab->features[2] = features[k].feature;
    lab->features[2].line = 12;
    refused(lab, features[k].sentence);
  }
  lab->features[2] = feature;
  lab->features[2].vertex = lab->features[1].vertex;
  refused(lab, "plan.json, line 12: feature 'c' is where 'b' is");
  lab->features[2].line = 0;
  refused(lab, "plan.json: feature 'c' is where 'b' is");
  lab->features[2] = feature;
  static const SupVec3d points[2] = {{0, 1, 0}, {0, (double)INFINITY, 0}};
  static const double weights[2] = {1, -1};
  const struct {
    SupPatchPlanBoundary boundary;
    const char *sentence;
  } boundaries[] = {
      {{.name = "ac", .from = 0, .to = 5}, "plan.json, line 33: another boundary is called 'ac'"},
      {{.name = "af", .from = 0, .to = 6},
       "plan.json, line 33: boundary 'af' ends at a feature that there is not"},
      {{.name = "af", .from = 5, .to = 5},
       "plan.json, line 33: boundary 'af' ends where it begins"},
      {{.name = "af", .from = 0, .to = 5, .kind = SUP_PATCH_CURVE},
       "plan.json, line 33: boundary 'af' needs 2 to 64 control points"},
      {{.name = "af", .from = 0, .to = 5, .point_count = 65},
       "plan.json, line 33: boundary 'af' goes through more than 64 places"},
      {{.name = "af", .from = 0, .to = 5, .kind = SUP_PATCH_RIM, .point_count = 1},
       "plan.json, line 33: boundary 'af' goes along an open border: it has no points"},
      {{.name = "af", .from = 0, .to = 5, .kind = SUP_PATCH_RIM},
       "plan.json, line 33: boundary 'af': its ends are not vertices of one open border"},
      {{.name = "af", .from = 0, .to = 5, .point_count = 2, .points = points},
       "plan.json, line 33: boundary 'af' has a point that is not finite"},
      {{.name = "af",
        .from = 0,
        .to = 5,
        .kind = SUP_PATCH_CURVE,
        .point_count = 2,
        .points = poles,
        .weights = weights},
       "plan.json, line 33: boundary 'af' has a weight that is not above 0"},
      {{.name = "af", .from = 0, .to = 5, .kind = (SupPatchPathKind)9},
       "plan.json, line 33: boundary 'af' has a path of no known kind"}};
  for (size_t k = 0; k < sizeof boundaries / sizeof *boundaries; k++) {
    lab->boundaries[3] = boundaries[k].boundary;
    lab->boundaries[3].line = 33;
    refused(lab, boundaries[k].sentence);
  }
  lab->boundaries[3] = boundary;
  static const uint32_t sides[3] = {0, 1, 12};
  static const SupPatchZone zone = {"arm", SUP_PATCH_ZONE_SOLID, 60, NULL};
  SupPatchName name = {"belly", "arms", 2, sides, 50};
  lab->plan.names = &name;
  lab->plan.name_count = 1;
  refused(lab, "plan.json, line 50: there is no zone 'arms' for patch 'belly'");
  lab->plan.zones = &zone;
  lab->plan.zone_count = 1;
  refused(lab,
          "plan.json, line 50: there is no zone 'arms' for patch 'belly'; did you mean 'arm'?");
  name.zone = "arm";
  name.boundary_count = 3;
  refused(lab, "plan.json, line 50: patch 'belly' has a boundary that there is not");
  name.boundary_count = 0;
  refused(lab, "plan.json, line 50: patch 'belly' needs boundaries");
  lab->plan.name_count = 0;
  lab->plan.feature_count = 7;
  lab->features[6] = (SupPatchPlanFeature){.name = "g", .vertex = 3, .line = 16};
  refused(lab, "plan.json, line 16: feature 'g' is the end of no boundary");
  lab->plan.feature_count = SUP_PATCH_PLAN_MAX + 1;
  refused(lab, "plan.json has 10001 features; 10000 are the most");
  lab_end(lab);
  /* Two bodies: no way from one to the other. */
  lab = lab_begin();
  const SupMesh ball = shape_icosphere(&lab->arena, 3);
  lab_body(lab, shape_union(&lab->arena, ball, ball, (SupVec3){5, 0, 0}));
  octahedron(lab, SUP_PATCH_AT_VERTEX, SUP_PATCH_GEODESIC);
  lab->features[0].vertex += ball.vertex_count;
  refused(lab,
          "plan.json, line 30: boundary 'ac': there is no way between its ends that other "
          "boundaries leave free");
  lab_end(lab);
}

/* Memory that ends anywhere is said, and nothing else happens. */
static void test_memory(void **state) {
  (void)state;
  Lab *lab = lab_begin();
  lab_body(lab, shape_icosphere(&lab->arena, 2));
  octahedron(lab, 3, 3);
  SupResult result = SUP_ERROR_MEMORY;
  size_t fails = 0;
  for (size_t k = 1; result != SUP_OK; k++) {
    CountingHeap heap = {.fail_at = k};
    SupArena arena;
    sup_arena_init(&arena, counting_allocator(&heap), 0);
    result = sup_patch_plan_trace(&arena, &lab->plan, &lab->character, &lab->topology, &lab->def,
                                  &lab->error);
    if (result != SUP_OK) {
      assert_int_equal(result, SUP_ERROR_MEMORY);
      assert_int_equal(lab->def.feature_count, 0);
      fails++;
    }
    sup_arena_free(&arena);
    assert_int_equal(heap.live_blocks, 0);
    assert_true(k < 10000);
  }
  assert_true(fails > 5);
  lab_end(lab);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_kinds),  cmocka_unit_test(test_landmark), cmocka_unit_test(test_rim),
      cmocka_unit_test(test_places), cmocka_unit_test(test_crowded),  cmocka_unit_test(test_faults),
      cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
