/* SPDX-License-Identifier: MIT */
/* A skin taken apart: GUO-T2, and a sentence for every decomposition that is none. */
#include <math.h>

#include "check.h"
#include "geom/shapes.h"
#include "supple/author/patches.h"
#include "supple/geom/bounds.h"
#include "supple/io/file.h"

enum { EDGES, ACROSS, CURVE };

typedef struct Lab {
  SupArena arena;
  SupMesh mesh;
  SupTopology topology;
  SupBvh bvh;
  SupPatchFeature features[16];
  SupPatchBoundary boundaries[32];
  SupPatchesDef def;
  SupPatches patches;
  SupError error;
} Lab;

static const char *const letters[16] = {"a", "b", "c", "d", "e", "f", "g", "h",
                                        "i", "j", "k", "l", "m", "n", "o", "p"};
static const char *const pairs[32] = {"ac", "ae", "ad", "af", "bc", "be", "bd", "bf",
                                      "ce", "ed", "df", "fc", "x1", "x2", "x3", "x4"};

static Lab *lab_begin(void) {
  Lab *lab = calloc(1, sizeof *lab);
  assert_non_null(lab);
  sup_arena_init(&lab->arena, sup_heap_allocator(), 0);
  return lab;
}

static void lab_end(Lab *lab) {
  sup_arena_free(&lab->arena);
  free(lab);
}

static void lab_mesh(Lab *lab, SupMesh mesh) {
  lab->mesh = mesh;
  assert_int_equal(sup_topology(&lab->arena, &lab->mesh, &lab->topology, NULL), SUP_OK);
  assert_int_equal(sup_bvh_build(&lab->arena, &lab->mesh, &lab->bvh, NULL), SUP_OK);
  lab->def = (SupPatchesDef){.mesh = lab->mesh,
                             .topology = &lab->topology,
                             .source = "body.json",
                             .features = lab->features,
                             .boundaries = lab->boundaries};
}

static void add_feature(Lab *lab, SupSkinPoint at) {
  const uint32_t k = lab->def.feature_count++;
  lab->features[k] = (SupPatchFeature){letters[k], at, 10 + k};
}

static void add_path(Lab *lab, uint32_t from, uint32_t to, SupSkinPath path) {
  const uint32_t k = lab->def.boundary_count++;
  lab->boundaries[k] = (SupPatchBoundary){pairs[k], from, to, path, 30 + k};
}

static void add_boundary(Lab *lab, uint32_t from, uint32_t to, int kind) {
  SupPathDef def = {.mesh = lab->mesh, .topology = &lab->topology};
  SupSkinPath path;
  SupResult result;
  def.from = lab->features[from].at;
  def.to = lab->features[to].at;
  if (kind == CURVE) {
    const SupVec3d p = sup_skin_point_place(&lab->mesh, def.from);
    const SupVec3d q = sup_skin_point_place(&lab->mesh, def.to);
    const SupVec3d points[3] = {p, sup_vec3d_scale(sup_vec3d_add(p, q), 0.9), q};
    const SupSpaceCurve curve = {3, points, NULL};
    result = sup_path_curve(&lab->arena, &def, &lab->bvh, &curve, &path, &lab->error);
  } else {
    result = sup_path_shortest(&lab->arena, &def, kind == EDGES ? 0 : 3, &path, &lab->error);
  }
  assert_int_equal(result, SUP_OK);
  add_path(lab, from, to, path);
}

/* Poles on the axes and the twelve ways between them. */
static const uint32_t ways[12][2] = {{0, 2}, {0, 4}, {0, 3}, {0, 5}, {1, 2}, {1, 4},
                                     {1, 3}, {1, 5}, {2, 4}, {4, 3}, {3, 5}, {5, 2}};

static void octahedron(Lab *lab, int kind, double snap) {
  const SupVec3 poles[6] = {{0, 2, 0}, {0, -2, 0}, {2, 0, 0}, {-2, 0, 0}, {0, 0, 2}, {0, 0, -2}};
  for (unsigned k = 0; k < 6; k++) {
    add_feature(lab, sup_skin_point_nearest(&lab->bvh, poles[k], snap));
  }
  for (unsigned k = 0; k < 12; k++) {
    add_boundary(lab, ways[k][0], ways[k][1], kind < 3 ? kind : (int)(k % 3));
  }
}

static double area(const SupMesh *skin, const SupPatches *patches, uint32_t triangle) {
  SupVec3d p[3];
  for (unsigned k = 0; k < 3; k++) {
    const uint32_t v = patches->mesh.triangles[3 * triangle + k];
    p[k] = sup_skin_point_place(skin, patches->points[v]);
  }
  return sup_vec3d_length(sup_vec3d_cross(sup_vec3d_sub(p[1], p[0]), sup_vec3d_sub(p[2], p[0]))) /
         2;
}

/* Same area as the skin, triangle by triangle and turned alike; loops close; patches are discs by
 * a count of their own. */
static void check_patches(const Lab *lab) {
  const SupPatches *p = &lab->patches;
  double *areas = calloc(lab->mesh.triangle_count, sizeof *areas);
  double covered = p->left_out_area, whole = 0;
  assert_non_null(areas);
  for (uint32_t f = 0; f < p->mesh.triangle_count; f++) {
    const double one = area(&lab->mesh, p, f);
    assert_true(one > 0);
    areas[p->owners[f]] += one;
  }
  for (uint32_t f = 0; f < lab->mesh.triangle_count; f++) {
    const uint32_t *c = lab->mesh.triangles + 3 * f;
    const SupVec3d a = sup_vec3_to_double(lab->mesh.positions[c[0]]);
    const SupVec3d u = sup_vec3d_sub(sup_vec3_to_double(lab->mesh.positions[c[1]]), a);
    const SupVec3d v = sup_vec3d_sub(sup_vec3_to_double(lab->mesh.positions[c[2]]), a);
    const double want = sup_vec3d_length(sup_vec3d_cross(u, v)) / 2;
    assert_true(fabs(areas[f] - want) < 1e-10 * want);
    whole += want;
  }
  free(areas);
  for (uint32_t k = 0; k < p->patch_count; k++) {
    const SupPatch *patch = &p->patches[k];
    SupTopology topology;
    SupMesh mesh = p->mesh;
    SupArena arena;
    uint32_t *corners = calloc(3 * (size_t)patch->triangle_count, sizeof *corners);
    assert_non_null(corners);
    for (uint32_t f = 0; f < patch->triangle_count; f++) {
      assert_int_equal(p->regions[patch->triangles[f]], k);
      memcpy(corners + 3 * f, p->mesh.triangles + 3 * patch->triangles[f], 3 * sizeof *corners);
    }
    mesh.triangles = corners;
    mesh.triangle_count = patch->triangle_count;
    sup_arena_init(&arena, sup_heap_allocator(), 0);
    assert_int_equal(sup_topology(&arena, &mesh, &topology, NULL), SUP_OK);
    assert_int_equal(topology.component_count, 1);
    assert_int_equal(topology.components[0].euler, 1);
    assert_int_equal(topology.loop_count, 1);
    assert_int_equal(topology.loop_offsets[1], patch->loop_count);
    assert_int_equal(patch->corners[patch->side_count], patch->loop_count);
    assert_true(patch->side_count >= 3);
    for (uint32_t i = 0; i < patch->side_count; i++) {
      const SupPatchBoundary *b = &lab->boundaries[patch->sides[i].boundary];
      const uint32_t from = patch->sides[i].backwards ? b->to : b->from;
      const uint32_t to = patch->sides[i].backwards ? b->from : b->to;
      assert_int_equal(patch->loop[patch->corners[i]], p->features[from]);
      assert_int_equal(patch->loop[patch->corners[i + 1] % patch->loop_count], p->features[to]);
    }
    covered += patch->area;
    sup_arena_free(&arena);
    free(corners);
  }
  assert_true(fabs(covered - whole) < 1e-10 * whole);
}

static SupResult cut(Lab *lab) {
  lab->error.text[0] = 0;
  return sup_patches_create(&lab->arena, &lab->def, &lab->patches, &lab->error);
}

static void cut_well(Lab *lab) {
  const SupResult result = cut(lab);
  if (result != SUP_OK) print_error("%s\n", lab->error.text);
  assert_int_equal(result, SUP_OK);
  check_patches(lab);
}

/* Eight patches of a sphere by every kind of boundary: 6 - 12 + 8 = 2. */
static void test_sphere(void **state) {
  (void)state;
  SupRng rng = sup_rng(2, 0);
  for (int kind = 0; kind < 4; kind++) {
    Lab *lab = lab_begin();
    SupMesh mesh = shape_icosphere(&lab->arena, 3);
    if (kind) mesh = shape_jitter(&lab->arena, mesh, 0.02, &rng);
    lab_mesh(lab, mesh);
    octahedron(lab, kind, kind == 2 ? 0.01 : 0.1);
    cut_well(lab);
    assert_int_equal(lab->patches.patch_count, 8);
    assert_int_equal(lab->patches.euler, 2);
    assert_int_equal(lab->patches.left_out_count, 0);
    for (uint32_t k = 0; k < 8; k++) assert_int_equal(lab->patches.patches[k].side_count, 3);
    /* Counter-clockwise from outside: the loop's area vector points outwards. */
    for (uint32_t k = 0; k < 8; k++) {
      const SupPatch *p = &lab->patches.patches[k];
      SupVec3 sum = {0, 0, 0}, middle = {0, 0, 0};
      for (uint32_t i = 0; i < p->loop_count; i++) {
        const SupVec3 a = lab->patches.mesh.positions[p->loop[i]];
        const SupVec3 b = lab->patches.mesh.positions[p->loop[(i + 1) % p->loop_count]];
        sum = sup_vec3_add(sum, sup_vec3_cross(a, b));
        middle = sup_vec3_add(middle, a);
      }
      assert_true(sup_vec3_dot(sum, middle) > 0);
    }
    lab_end(lab);
  }
}

/* Without some of its patches a skin is the same, and what these covered is left out. */
static void test_keep(void **state) {
  (void)state;
  Lab *lab = lab_begin();
  lab_mesh(lab, shape_icosphere(&lab->arena, 3));
  octahedron(lab, 0, 0.1);
  cut_well(lab);
  const bool keep[8] = {true, false, true, true, false, true, true, true};
  SupPatches some;
  assert_int_equal(sup_patches_keep(&lab->arena, &lab->patches, keep, &some, &lab->error), SUP_OK);
  assert_int_equal(some.patch_count, 6);
  assert_int_equal(some.left_out_count, 2);
  assert_int_equal(some.euler, 0);
  assert_true(fabs(some.left_out_area - lab->patches.patches[1].area -
                   lab->patches.patches[4].area) < 1e-12);
  for (uint32_t p = 0, k = 0; p < 8; p++) {
    if (!keep[p]) continue;
    assert_ptr_equal(some.patches[k].loop, lab->patches.patches[p].loop);
    for (uint32_t i = 0; i < some.patches[k].triangle_count; i++) {
      assert_int_equal(some.regions[some.patches[k].triangles[i]], k);
    }
    k++;
  }
  uint32_t bare = 0;
  for (uint32_t t = 0; t < some.mesh.triangle_count; t++) bare += some.regions[t] == SUP_NONE;
  assert_int_equal(bare,
                   lab->patches.patches[1].triangle_count + lab->patches.patches[4].triangle_count);
  lab_end(lab);
}

/* Four patches of an open tube, with boundaries along its rims: 8 - 12 + 4 = 0. */
static void test_tube(void **state) {
  (void)state;
  Lab *lab = lab_begin();
  lab_mesh(lab, shape_tube(&lab->arena, 16, 6, 3));
  for (uint32_t end = 0; end < 2; end++) {
    const uint32_t *loop = lab->topology.loop_vertices + lab->topology.loop_offsets[end];
    for (uint32_t k = 0; k < 4; k++) add_feature(lab, sup_skin_vertex(loop[4 * k]));
  }
  for (uint32_t end = 0; end < 2; end++) {
    for (uint32_t k = 0; k < 4; k++) {
      SupPathDef def = {.mesh = lab->mesh, .topology = &lab->topology};
      SupSkinPath path;
      const uint32_t from = 4 * end + k, to = 4 * end + (k + 1) % 4;
      def.from = lab->features[from].at;
      def.to = lab->features[to].at;
      assert_int_equal(sup_path_rim(&lab->arena, &def, &path, NULL), SUP_OK);
      add_path(lab, from, to, path);
    }
  }
  for (uint32_t k = 0; k < 4; k++) {
    uint32_t best = 4;
    const SupVec3d p = sup_skin_point_place(&lab->mesh, lab->features[k].at);
    for (uint32_t i = 5; i < 8; i++) {
      const SupVec3d q = sup_skin_point_place(&lab->mesh, lab->features[i].at);
      const SupVec3d r = sup_skin_point_place(&lab->mesh, lab->features[best].at);
      if (sup_vec3d_distance(p, q) < sup_vec3d_distance(p, r)) best = i;
    }
    add_boundary(lab, k, best, ACROSS);
  }
  cut_well(lab);
  assert_int_equal(lab->patches.patch_count, 4);
  assert_int_equal(lab->patches.euler, 0);
  lab_end(lab);
}

/* What is named, found by its boundaries; pieces without any are left out. */
static void test_names(void **state) {
  (void)state;
  Lab *lab = lab_begin();
  const SupMesh ball = shape_icosphere(&lab->arena, 3);
  lab_mesh(lab, shape_union(&lab->arena, ball, shape_box(&lab->arena), (SupVec3){9, 0, 0}));
  octahedron(lab, ACROSS, 0.1);
  const uint32_t front[3] = {8, 0, 1}, back[3] = {10, 6, 7};
  const SupPatchName names[2] = {{"front", "torso", 3, front, 50}, {"back", "", 3, back, 51}};
  lab->def.name_count = 2;
  lab->def.names = names;
  cut_well(lab);
  assert_int_equal(lab->patches.patch_count, 8);
  assert_int_equal(lab->patches.left_out_count, 1);
  assert_string_equal(lab->patches.patches[0].name, "front");
  assert_string_equal(lab->patches.patches[0].zone, "torso");
  assert_string_equal(lab->patches.patches[2].name, "patch-3");
  /* The same of a turned and stretched copy corresponds; without a boundary it does not. */
  Lab *other = lab_begin();
  lab_mesh(other, shape_icosphere(&other->arena, 4));
  octahedron(other, EDGES, 0.1);
  cut_well(other);
  SupError error;
  assert_int_equal(
      sup_patches_isomorphic(&lab->def, &lab->patches, &other->def, &other->patches, &error),
      SUP_OK);
  other->boundaries[3].name = "q";
  assert_int_equal(
      sup_patches_isomorphic(&lab->def, &lab->patches, &other->def, &other->patches, &error),
      SUP_ERROR_FORMAT);
  assert_string_equal(error.text, "boundary 'af' is in body.json, but not in body.json");
  other->boundaries[3].name = "af";
  other->boundaries[3].from = 5;
  other->boundaries[3].to = 0;
  assert_int_equal(
      sup_patches_isomorphic(&lab->def, &lab->patches, &other->def, &other->patches, &error),
      SUP_ERROR_FORMAT);
  lab_end(other);
  lab_end(lab);
}

static void refused(Lab *lab, const char *sentence) {
  assert_int_equal(cut(lab), SUP_ERROR_FORMAT);
  assert_string_equal(lab->error.text, sentence);
}

static void test_faults(void **state) {
  (void)state;
  Lab *lab = lab_begin();
  lab_mesh(lab, shape_icosphere(&lab->arena, 3));
  octahedron(lab, ACROSS, 0.1);
  /* One that ends nowhere. */
  add_feature(lab, sup_skin_vertex(40));
  add_boundary(lab, 0, 6, EDGES);
  refused(lab, "body.json, line 42: boundary 'x1' ends at feature 'g', where no other one does");
  lab->def.feature_count--;
  lab->def.boundary_count--;
  /* Two that cross: from pole to pole of the equator, over the other pole. */
  const SupVec3d high[3] = {{1, 0, 0}, {0.3, 1.5, 0.6}, {-1, 0, 0}};
  const SupVec3d aside[3] = {{0, 0, 1}, {0.6, 1.5, 0.3}, {0, 0, -1}};
  for (uint32_t k = 0; k < 2; k++) {
    SupPathDef def = {.mesh = lab->mesh, .topology = &lab->topology};
    const SupSpaceCurve curve = {3, k ? aside : high, NULL};
    SupSkinPath path;
    def.from = lab->features[k ? 4 : 2].at;
    def.to = lab->features[k ? 5 : 3].at;
    assert_int_equal(sup_path_curve(&lab->arena, &def, &lab->bvh, &curve, &path, NULL), SUP_OK);
    add_path(lab, k ? 4 : 2, k ? 5 : 3, path);
  }
  assert_int_equal(cut(lab), SUP_ERROR_FORMAT);
  assert_true(strstr(lab->error.text, " crosses '") || strstr(lab->error.text, " touches '"));
  assert_non_null(strstr(lab->error.text, "body.json, line 4"));
  lab->def.boundary_count -= 2;
  /* The same one twice. */
  add_path(lab, 0, 2, lab->boundaries[0].path);
  assert_int_equal(cut(lab), SUP_ERROR_FORMAT);
  assert_non_null(strstr(lab->error.text, "boundary 'x1' touches 'ac'"));
  lab->def.boundary_count--;
  /* Patches that are none. */
  const uint32_t two[3] = {0, 1, 9}, four[4] = {0, 1, 8, 2};
  SupPatchName name = {"belly", "", 3, two, 50};
  lab->def.name_count = 1;
  lab->def.names = &name;
  refused(lab, "body.json, line 50: no region has just the boundaries of patch 'belly'");
  name = (SupPatchName){"belly", "", 4, four, 50};
  refused(lab, "body.json, line 50: no region has just the boundaries of patch 'belly'");
  /* A ring around a ball: two discs, but for a named one too few features. */
  lab->def.boundary_count = 0;
  for (uint32_t k = 8; k < 12; k++) lab->def.boundary_count = k + 1;
  const uint32_t ring[4] = {0, 1, 2, 3};
  memmove(lab->boundaries, lab->boundaries + 8, 4 * sizeof *lab->boundaries);
  lab->def.boundary_count = 4;
  name = (SupPatchName){"half", "", 4, ring, 50};
  cut_well(lab);
  assert_int_equal(lab->patches.patch_count, 2);
  lab->def.names = NULL;
  lab->def.name_count = 0;
  cut_well(lab);
  lab_end(lab);
  /* A ring around a torus' tube leaves an annulus. */
  lab = lab_begin();
  lab_mesh(lab, shape_torus(&lab->arena, 24, 12, 1, 0.4));
  const double flat = (double)sup_bounds(lab->mesh.positions, lab->mesh.vertex_count).high.y;
  const SupVec3 around[3] = {{1.4f, 0, 0}, {0.8f, 0.35f, 0}, {0.8f, -0.35f, 0}};
  for (unsigned k = 0; k < 3; k++) {
    const SupVec3 p = around[k], turned = {p.x, p.z, p.y};
    add_feature(lab, sup_skin_point_nearest(&lab->bvh, flat < 1 ? p : turned, 0.5));
  }
  for (uint32_t k = 0; k < 3; k++) add_boundary(lab, k, (k + 1) % 3, EDGES);
  name = (SupPatchName){"all", "", 3, ring, 50};
  lab->def.names = &name;
  lab->def.name_count = 1;
  assert_int_equal(cut(lab), SUP_ERROR_FORMAT);
  assert_string_equal(lab->error.text,
                      "body.json, line 50: patch 'all' lies on both sides of boundary 'ac'");
  lab_end(lab);
  /* A triangle of boundaries on an open sheet: inside a patch, outside the border. */
  lab = lab_begin();
  lab_mesh(lab, shape_grid(&lab->arena, 10, 10));
  const SupVec3 places[3] = {{2, 2, 0}, {8, 3, 0}, {4, 8, 0}};
  for (unsigned k = 0; k < 3; k++) {
    add_feature(lab, sup_skin_point_nearest(&lab->bvh, places[k], 0.1));
  }
  for (uint32_t k = 0; k < 3; k++) add_boundary(lab, k, (k + 1) % 3, ACROSS);
  cut_well(lab);
  assert_int_equal(lab->patches.patch_count, 1);
  assert_int_equal(lab->patches.left_out_count, 1);
  lab_end(lab);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sphere), cmocka_unit_test(test_keep),   cmocka_unit_test(test_tube),
      cmocka_unit_test(test_names),  cmocka_unit_test(test_faults),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
