/* SPDX-License-Identifier: MIT */
/* Volumes driven by their skin: exact at rest, sound elements, linear, nothing left out. */
#include "check.h"

#include <math.h>

#include "fem/elastic.h"
#include "supple/author/builtin.h"
#include "supple/fem/driven_volume.h"
#include "supple/io/file.h"

typedef struct Lab {
  SupArena arena;
  SupCharacter character;
  SupFill fill;
  SupFillReport filled;
  SupDrivenVolume volume;
  SupDrivenReport report;
} Lab;

static Lab *lab_create(const char *name, uint32_t vertices, uint32_t tets) {
  Lab *lab = calloc(1, sizeof *lab);
  SupError error = {""};
  assert_non_null(lab);
  sup_arena_init(&lab->arena, sup_heap_allocator(), 0);
  const SupBuiltinDef def = {.name = name, .vertices = vertices};
  const SupFillDef fill = {.tet_target = tets};
  assert_int_equal(sup_builtin_character(&lab->arena, &def, &lab->character, &error), SUP_OK);
  const SupMesh *skin = &lab->character.body;
  assert_int_equal(sup_fill(&lab->arena, skin, &fill, &lab->fill, &lab->filled, &error), SUP_OK);
  SupResult result =
      sup_driven_volume(&lab->arena, skin, &lab->fill, NULL, &lab->volume, &lab->report, &error);
  if (result != SUP_OK) print_error("%s\n", error.text);
  assert_int_equal(result, SUP_OK);
  return lab;
}

static void lab_free(Lab *lab) {
  sup_arena_free(&lab->arena);
  free(lab);
}

static SupVec3d *skin_of(Lab *lab) {
  SupVec3d *x = SUP_ALLOC(&lab->arena, SupVec3d, lab->volume.skin_count);
  for (uint32_t k = 0; k < lab->volume.skin_count; k++) {
    x[k] = sup_vec3_to_double(lab->character.body.positions[lab->volume.skin[k]]);
  }
  return x;
}

static void check_sound(Lab *lab) {
  const SupDrivenVolume *v = &lab->volume;
  SupVec3d *nodes = SUP_ALLOC(&lab->arena, SupVec3d, v->surface_count);
  /* At rest the skin has the surface nodes exactly where they are. */
  sup_driven_surface(v, skin_of(lab), nodes);
  assert_memory_equal(nodes, v->mesh.nodes, v->surface_count * sizeof *nodes);
  uint8_t *used = SUP_ALLOC(&lab->arena, uint8_t, v->mesh.node_count);
  for (uint32_t t = 0; t < v->mesh.tet_count; t++) {
    const uint32_t *n = &v->mesh.tets[4 * (size_t)t];
    SupVec3d e[3];
    for (int k = 0; k < 3; k++) e[k] = sup_vec3d_sub(v->mesh.nodes[n[k + 1]], v->mesh.nodes[n[0]]);
    assert_true(sup_vec3d_dot(e[0], sup_vec3d_cross(e[1], e[2])) > 0);
    assert_true(v->fractions[t] > 0 && v->fractions[t] <= 1);
    for (int k = 0; k < 4; k++) used[n[k]] = 1;
  }
  for (uint32_t n = 0; n < v->mesh.node_count; n++) assert_true(used[n]);
  for (uint32_t k = 0; k < 3 * v->surface_count; k++) {
    assert_true(v->corners[k] < v->skin_count && v->weights[k] >= 0);
  }
  for (uint32_t k = 1; k < v->skin_count; k++) assert_true(v->skin[k] > v->skin[k - 1]);
  assert_true(lab->report.quality_least >= 0.1);
}

static void test_bodies(void **state) {
  (void)state;
  static const struct {
    const char *name;
    uint32_t vertices, tets;
  } bodies[] = {{"tube", 1200, 1000},  {"tube", 1200, 6000},   {"leg", 2000, 4000},
                {"mochi", 3000, 4000}, {"mochi", 3000, 12000}, {"toy", 494, 800},
                {"sheet", 2000, 3000}, {"arm", 2000, 4000}};
  for (size_t k = 0; k < sizeof bodies / sizeof *bodies; k++) {
    Lab *lab = lab_create(bodies[k].name, bodies[k].vertices, bodies[k].tets);
    const SupDrivenReport *r = &lab->report;
    print_message(
        "%s: %u tets (%u removed), %u surface and %u free nodes (%u released), quality "
        "%.2f mean %.2f, volume %.3f, snap %.2f, pieces %u\n",
        bodies[k].name, lab->volume.mesh.tet_count, r->removed_count, lab->volume.surface_count,
        lab->volume.mesh.node_count - lab->volume.surface_count, r->released_count,
        r->quality_least, r->quality_mean, r->volume / lab->filled.volume,
        r->snap_most / lab->fill.spacing, r->piece_count);
    check_sound(lab);
    assert_true(r->volume > 0.85 * lab->filled.volume && r->volume < 1.02 * lab->filled.volume);
    assert_int_equal(r->piece_count, 1);
    assert_true(r->released_count * 50 <= lab->volume.surface_count);
    lab_free(lab);
  }
}

/* Linear: an affine motion of the skin is the same of the surface nodes. */
static void test_affine(void **state) {
  (void)state;
  Lab *lab = lab_create("leg", 1500, 2000);
  const SupAffined map = {{1.1, 0.2, 0, -0.3, 0.9, 0.1, 0, 0.05, 1.2, 3, -2, 1}};
  SupVec3d *skin = skin_of(lab);
  SupVec3d *nodes = SUP_ALLOC(&lab->arena, SupVec3d, lab->volume.surface_count);
  for (uint32_t k = 0; k < lab->volume.skin_count; k++) skin[k] = sup_affined_point(map, skin[k]);
  sup_driven_surface(&lab->volume, skin, nodes);
  for (uint32_t n = 0; n < lab->volume.surface_count; n++) {
    const SupVec3d wanted = sup_affined_point(map, lab->volume.mesh.nodes[n]);
    assert_true(sup_vec3d_distance(nodes[n], wanted) < 1e-12);
  }
  lab_free(lab);
}

/* Two tubes nearer to each other than the lattice is wide: each has nodes on its own skin only. */
static void test_neighbours(void **state) {
  (void)state;
  Lab *lab = lab_create("tube", 1200, 1000);
  SupError error = {""};
  const SupMesh *one = &lab->character.body;
  const uint32_t n = one->vertex_count, m = one->triangle_count;
  SupVec3 *positions = SUP_ALLOC(&lab->arena, SupVec3, 2 * (size_t)n);
  uint32_t *triangles = SUP_ALLOC(&lab->arena, uint32_t, 6 * (size_t)m);
  for (uint32_t v = 0; v < 2 * n; v++) {
    positions[v] = one->positions[v % n];
    positions[v].x += v < n ? -0.125f : 0.125f; /* 1 cm apart */
  }
  for (uint32_t k = 0; k < 6 * m; k++)
    triangles[k] = one->triangles[k % (3 * m)] + (k < 3 * m ? 0 : n);
  const SupMesh two = {2 * n, 2 * m, positions, triangles};
  const SupFillDef def = {.tet_target = 1500};
  SupFill fill;
  SupFillReport filled;
  SupDrivenVolume volume;
  SupDrivenReport report;
  assert_int_equal(sup_fill(&lab->arena, &two, &def, &fill, &filled, &error), SUP_OK);
  assert_int_equal(sup_driven_volume(&lab->arena, &two, &fill, NULL, &volume, &report, &error),
                   SUP_OK);
  assert_int_equal(report.piece_count, 2);
  assert_true(fill.spacing > 0.02);
  for (uint32_t t = 0; t < volume.mesh.tet_count; t++) {
    int side = -1;
    for (int k = 0; k < 4; k++) {
      const uint32_t node = volume.mesh.tets[4 * (size_t)t + (size_t)k];
      if (node >= volume.surface_count) continue;
      const int here = volume.skin[volume.corners[3 * (size_t)node]] >= n;
      assert_true(side < 0 || side == here);
      side = here;
    }
  }
  lab_free(lab);
}

/* A volume that another program made on the skin stays as it is, flat elements and all. */
static void test_given(void **state) {
  (void)state;
  static const SupVec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  static const uint32_t triangles[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  static const SupVec3d nodes[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.25, 0.25, 0.02}};
  static const uint32_t tets[] = {0, 1, 2, 4, 0, 1, 4, 3, 0, 4, 2, 3, 1, 2, 4, 3};
  const SupMesh skin = {4, 4, corners, triangles};
  SupTetMesh given = {5, 4, nodes, tets};
  uint32_t turned[16];
  for (int t = 0; t < 4; t++) { /* whichever way round they were written down */
    const uint32_t *c = &tets[4 * t];
    SupVec3d e[3];
    for (int k = 0; k < 3; k++) e[k] = sup_vec3d_sub(nodes[c[k + 1]], nodes[c[0]]);
    const bool good = sup_vec3d_dot(e[0], sup_vec3d_cross(e[1], e[2])) > 0;
    const uint32_t in_order[4] = {c[0], good ? c[1] : c[2], good ? c[2] : c[1], c[3]};
    memcpy(&turned[4 * t], in_order, sizeof in_order);
  }
  given.tets = turned;
  SupArena arena;
  SupError error = {""};
  SupFill fill;
  SupFillReport filled;
  SupDrivenVolume volume;
  SupDrivenReport report;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  assert_int_equal(sup_fill_given(&arena, &skin, &given, &fill, &filled, &error), SUP_OK);
  assert_int_equal(sup_driven_volume(&arena, &skin, &fill, NULL, &volume, &report, &error), SUP_OK);
  assert_int_equal(volume.mesh.tet_count, 4);
  assert_int_equal(volume.surface_count, 4);
  assert_int_equal(report.released_count + report.removed_count, 0);
  assert_memory_equal(volume.mesh.nodes, nodes, sizeof nodes);
  assert_true(report.quality_least < 0.1);
  sup_arena_free(&arena);
}

/* Every allocation fails once. */
static void test_short_memory(void **state) {
  (void)state;
  Lab *lab = lab_create("toy", 494, 400);
  bool done = false;
  for (size_t k = 1; !done; k++) {
    CountingHeap heap = {.fail_at = k};
    SupArena arena;
    SupError error;
    SupDrivenVolume volume;
    sup_arena_init(&arena, counting_allocator(&heap), 0);
    SupResult result =
        sup_driven_volume(&arena, &lab->character.body, &lab->fill, NULL, &volume, NULL, &error);
    done = result == SUP_OK;
    assert_true(done || result == SUP_ERROR_MEMORY);
    sup_arena_free(&arena);
    assert_int_equal(heap.live_blocks, 0);
  }
  lab_free(lab);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_bodies), cmocka_unit_test(test_affine),
                                     cmocka_unit_test(test_neighbours),
                                     cmocka_unit_test(test_given),
                                     cmocka_unit_test(test_short_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
