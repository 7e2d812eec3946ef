/* SPDX-License-Identifier: MIT */
/* The full simulation that `reproduce guo2007-swdc` compares chunks with. */
#include <math.h>

#include "app/paper_guo_swdc_parts.h"
#include "check.h"
#include "supple/io/file.h"

static const SupSwdcTube tube = {4, 1, 4, 0.6};

/* The limb of a tube, in its own space. */
static SupChunk limb_of(SupArena *arena, SupSwdcBody *body) {
  static const uint32_t all[4] = {0, 1, 2, 3};
  const SupVec3d bone[2] = {{0, 0, 0}, {0, 0, tube.length}};
  SupPatchRing ring;
  SupChunk chunk;
  assert_int_equal(sup_swdc_tube(arena, &tube, body, NULL), SUP_OK);
  const SupChunkDef def = {.name = "limb",
                           .skin = &body->mesh,
                           .charts = &body->charts,
                           .levels = 2,
                           .slice_count = 6,
                           .relaxations = SUP_CHUNK_RELAXATIONS};
  assert_int_equal(sup_chunk_ring(arena, "limb", &body->patches, 4, all, bone, &ring, NULL),
                   SUP_OK);
  assert_int_equal(sup_chunk_separable(arena, &def, &ring, bone, &chunk, NULL), SUP_OK);
  return chunk;
}

static SupVec3d edge(const SupTetMesh *mesh, uint32_t t, uint32_t k) {
  const uint32_t *n = mesh->tets + 4 * (size_t)t;
  return sup_vec3d_sub(mesh->nodes[n[k]], mesh->nodes[n[0]]);
}

static int compare_faces(const void *left, const void *right) {
  return memcmp(left, right, 3 * sizeof(uint32_t));
}

static void sort3(uint32_t n[3]) {
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < 2; k++) {
      const uint32_t low = n[k] < n[k + 1] ? n[k] : n[k + 1], high = n[k] + n[k + 1] - low;
      n[k] = low;
      n[k + 1] = high;
    }
  }
}

/* Every tetrahedron stands upright, they fill the wedges, and no face has more than two sides.
 * Faces with one are those of the border: a triangle of an end slice each, two for a side. */
static void tetrahedra_fill_the_wedges(void **state) {
  (void)state;
  SupArena arena;
  SupSwdcBody body;
  SupTetMesh mesh;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  const SupChunk chunk = limb_of(&arena, &body);
  assert_int_equal(sup_swdc_tets(&arena, &chunk.mesh, &mesh, NULL), SUP_OK);
  assert_int_equal(mesh.tet_count, 3 * chunk.mesh.wedge_count);
  uint32_t(*faces)[3] = calloc(4 * (size_t)mesh.tet_count, sizeof *faces);
  double volume = 0;
  for (uint32_t t = 0; t < mesh.tet_count; t++) {
    const double six =
        sup_vec3d_dot(edge(&mesh, t, 1), sup_vec3d_cross(edge(&mesh, t, 2), edge(&mesh, t, 3)));
    assert_true(six > 0);
    volume += six / 6;
    for (uint32_t k = 0; k < 4; k++) {
      uint32_t *face = faces[4 * t + k];
      for (uint32_t i = 0, at = 0; i < 4; i++) {
        if (i != k) face[at++] = mesh.tets[4 * (size_t)t + i];
      }
      sort3(face);
    }
  }
  const double wedges = sup_wedge_mesh_size(&chunk.mesh, chunk.mesh.nodes).volume;
  assert_true(fabs(volume / wedges - 1) < 0.01);
  const uint32_t count = 4 * mesh.tet_count;
  uint32_t single = 0;
  qsort(faces, count, sizeof *faces, compare_faces);
  for (uint32_t k = 0, end; k < count; k = end) {
    for (end = k + 1; end < count && compare_faces(faces[k], faces[end]) == 0; end++) continue;
    assert_true(end - k <= 2);
    single += end - k == 1;
  }
  /* Per layer and sector: four edges of the skin and of each flank, each split in two. */
  const uint32_t layers = chunk.slice_count - 1;
  assert_int_equal(single, 2 * chunk.slice.triangle_count + 4 * layers * 3 * 4 * 2);
  free(faces);
  sup_arena_free(&arena);
}

/* Holds also what is on a surface, the flanks of sectors included. */
static uint8_t *hold_surfaces(const SupChunk *chunk) {
  uint8_t *held = calloc(chunk->mesh.node_count, 1);
  for (uint32_t v = 0; v < chunk->mesh.node_count; v++) {
    const SupSliceNode *node = &chunk->slice.nodes[v % chunk->slice.node_count];
    held[v] = chunk->held[v];
    for (uint32_t k = 0; k < 3; k++) held[v] |= node->weights[k] == 0;
  }
  return held;
}

/* Where an affine map moves the surface it brings the inside along: even strain is an equilibrium.
 */
static void even_strain_is_an_equilibrium(void **state) {
  (void)state;
  const SupMat3d stretch = sup_mat3d_from_columns(
      (SupVec3d){1.2, 0.1, 0}, (SupVec3d){-0.2, 0.9, 0.1}, (SupVec3d){0.1, 0, 1.3});
  SupArena arena;
  SupSwdcBody body;
  SupSwdcFull full;
  const SupVec3d *found;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  SupChunk chunk = limb_of(&arena, &body);
  const uint32_t count = chunk.mesh.node_count;
  uint8_t *held = hold_surfaces(&chunk);
  uint32_t free_count = 0;
  chunk.held = held;
  SupVec3d *places = calloc(count, sizeof *places);
  assert_int_equal(sup_swdc_full(&arena, &chunk, NULL, &full, NULL), SUP_OK);
  for (uint32_t v = 0; v < count; v++) {
    const SupVec3d to = sup_mat3d_mul_vec3(stretch, chunk.mesh.nodes[v]);
    places[v] = chunk.held[v] ? to : sup_vec3d_lerp(to, chunk.mesh.nodes[v], 0.3);
    free_count += !chunk.held[v];
  }
  assert_int_equal(free_count, 4 * 3 * (chunk.slice_count - 2));
  assert_int_equal(sup_swdc_full_settle(&full, places, &found, NULL), SUP_OK);
  for (uint32_t v = 0; v < count; v++) {
    const SupVec3d to = sup_mat3d_mul_vec3(stretch, chunk.mesh.nodes[v]);
    assert_true(sup_vec3d_distance(found[v], to) < 1e-5);
  }
  SupSwdcSum sum = {0, 0, 0};
  sup_swdc_add(&chunk, found, chunk.mesh.nodes, &sum);
  assert_int_equal(sum.count, chunk.kept_count);
  assert_true(sum.most > 0.1 && sum.squares <= sum.count * sum.most * sum.most);
  const SupSwdcSize size = sup_swdc_size(&chunk, 1, found);
  assert_true(fabs(size.least - sup_mat3d_determinant(stretch)) < 1e-3);
  free(places);
  free(held);
  sup_swdc_full_free(&full);
  sup_arena_free(&arena);
}

/* Bodies made of tubes are whole characters, whose plan cuts what it says. */
static void made_bodies_can_be_cut(void **state) {
  (void)state;
  static const SupSwdcPart parts[2] = {{false, 5, 2, 4, 12, {0, 0, 0}, 0.2, 0.6, 3, 1},
                                       {true, 4, 2, 4, 10, {0.5, 0, 0.1}, 0.1, 0.4, 4, 2}};
  const SupSwdcMade made = {"two tubes", 2, parts};
  SupArena arena;
  SupCharacter c;
  SupPatchPlan plan;
  SupTopology topology;
  SupPatchesDef def;
  SupPatches patches;
  SupError error = {0};
  uint32_t stratum = 0;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  assert_int_equal(sup_swdc_make(&arena, &made, &c, &plan, &error), SUP_OK);
  assert_int_equal(sup_patch_plan_check(&plan, &error), SUP_OK);
  assert_int_equal(c.body.vertex_count, 20 * 13 + 16 * 11);
  assert_int_equal(c.skeleton.joint_count, 3 + 3);
  assert_int_equal(plan.zone_count, 1 + 2);
  assert_string_equal(plan.zones[2].flesh->bone[0], c.skeleton.names[4]);
  assert_string_equal(plan.zones[2].flesh->bone[1], c.skeleton.names[5]);
  for (uint32_t v = 0; v < c.body.vertex_count; v++) {
    double sum = 0;
    for (uint32_t k = c.skin.offsets[v]; k < c.skin.offsets[v + 1]; k++) {
      assert_true(c.skin.bones[k] < 6 && c.skin.weights[k] > 0);
      assert_true(k == c.skin.offsets[v] || c.skin.weights[k] <= c.skin.weights[k - 1]);
      sum += (double)c.skin.weights[k];
    }
    assert_true(fabs(sum - 1) < 1e-6);
  }
  /* Joints are where they are bound. */
  SupVec3 at = {0, 0, 0};
  for (int32_t j = 5; j >= 0; j = c.skeleton.parents[j]) {
    at = sup_vec3_add(at, c.skeleton.rest[j].translation);
  }
  assert_true(fabsf(at.z - 0.5f) < 1e-6f && fabsf(at.x - 0.5f) < 1e-6f);
  assert_true(fabsf(c.skeleton.inverse_bind[5].m[11] + at.z) < 1e-6f);
  assert_int_equal(sup_topology(&arena, &c.body, &topology, NULL), SUP_OK);
  assert_int_equal(sup_patch_plan_trace(&arena, &plan, &c, &topology, &def, &error), SUP_OK);
  assert_int_equal(sup_patches_create(&arena, &def, &patches, &error), SUP_OK);
  assert_int_equal(patches.patch_count, 10 + 8);
  assert_int_equal(patches.left_out_count, 0);
  for (uint32_t p = 0; p < patches.patch_count; p++) {
    assert_int_equal(patches.patches[p].side_count, 4);
    stratum += strcmp(patches.patches[p].zone, plan.zones[0].name) == 0;
  }
  assert_int_equal(stratum, 10);
  sup_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tetrahedra_fill_the_wedges),
      cmocka_unit_test(even_strain_is_an_equilibrium),
      cmocka_unit_test(made_bodies_can_be_cut),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
