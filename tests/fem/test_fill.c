/* SPDX-License-Identifier: MIT */
/* The lattice, and skins of every kind filled with it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "fem/flesh_thickness.h"
#include "fem/lattice.h"
#include "fem/tet_faces.h"
#include "supple/fem/fill.h"
#include "supple/io/file.h"
#include "supple/io/pool.h"

enum { MOST = 60000 };

/* A growing skin. */
typedef struct Skin {
  SupVec3 *positions;
  uint32_t *triangles;
  uint32_t vertex_count, triangle_count;
} Skin;

static Skin skin_create(void) {
  Skin skin = {calloc(MOST, sizeof(SupVec3)), calloc(3 * MOST, sizeof(uint32_t)), 0, 0};
  assert_true(skin.positions && skin.triangles);
  return skin;
}

static void skin_free(Skin *skin) {
  free(skin->positions);
  free(skin->triangles);
}

static SupMesh mesh_of(const Skin *skin) {
  return (SupMesh){skin->vertex_count, skin->triangle_count, skin->positions, skin->triangles};
}

/* A sphere of rows x 2 rows quads; `open` leaves out the rows above that share. */
static void add_sphere(Skin *skin, SupVec3 centre, float radius, uint32_t rows, float open) {
  uint32_t first = skin->vertex_count, columns = 2 * rows;
  uint32_t used = (uint32_t)((float)rows * open);
  for (uint32_t r = 0; r <= used; r++) {
    for (uint32_t c = 0; c < columns; c++) {
      double polar = 3.14159265358979 * r / rows, turn = 6.28318530717959 * c / columns;
      skin->positions[skin->vertex_count++] =
          (SupVec3){centre.x + radius * (float)(sin(polar) * cos(turn)),
                    centre.y - radius * (float)cos(polar),
                    centre.z - radius * (float)(sin(polar) * sin(turn))};
    }
  }
  for (uint32_t r = 0; r < used; r++) {
    for (uint32_t c = 0; c < columns; c++) {
      uint32_t a = first + r * columns + c, b = first + r * columns + (c + 1) % columns;
      uint32_t t[6] = {a, b, b + columns, a, b + columns, a + columns};
      memcpy(skin->triangles + 3 * skin->triangle_count, t, sizeof t);
      skin->triangle_count += 2;
    }
  }
}

static void add_box(Skin *skin, SupVec3 low, SupVec3 high) {
  static const uint32_t faces[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                     2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
  uint32_t first = skin->vertex_count;
  for (int k = 0; k < 8; k++) {
    skin->positions[skin->vertex_count++] =
        (SupVec3){k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z};
  }
  for (int k = 0; k < 36; k++)
    skin->triangles[3 * skin->triangle_count + (uint32_t)k] = first + faces[k];
  skin->triangle_count += 12;
}

/* What must hold for every filled skin. */
static SupFillReport fill_and_check(SupArena *arena, const Skin *skin, SupFillDef def,
                                    SupFill *out_fill) {
  SupMesh mesh = mesh_of(skin);
  SupFill fill;
  SupFillReport report;
  SupError error;
  if (sup_fill(arena, &mesh, &def, &fill, &report, &error) != SUP_OK) fail_msg("%s", error.text);
  for (uint32_t t = 0; t < fill.mesh.tet_count; t++) {
    SupVec3d x[4];
    for (uint32_t k = 0; k < 4; k++) {
      assert_true(fill.mesh.tets[4 * t + k] < fill.mesh.node_count);
      x[k] = fill.mesh.nodes[fill.mesh.tets[4 * t + k]];
    }
    double volume =
        sup_vec3d_dot(sup_vec3d_sub(x[1], x[0]),
                      sup_vec3d_cross(sup_vec3d_sub(x[2], x[0]), sup_vec3d_sub(x[3], x[0]))) /
        6;
    assert_true(fabs(volume / pow(report.edge, 3) * 12 - 1) < 1e-9);
    assert_true(fill.fractions[t] > 0 && fill.fractions[t] <= 1);
  }
  assert_int_equal(fill.embedding.vertex_count, skin->vertex_count);
  for (uint32_t v = 0; v < skin->vertex_count; v++) {
    SupVec3d sum = {0, 0, 0};
    double total = 0;
    for (uint32_t k = 0; k < 4; k++) {
      double w = fill.embedding.weights[4 * v + k];
      sum = sup_vec3d_add_scaled(
          sum, fill.mesh.nodes[fill.mesh.tets[4 * fill.embedding.tets[v] + k]], w);
      total += w;
    }
    assert_true(fabs(total - 1) < 1e-12);
    assert_true(sup_vec3d_distance(sum, sup_vec3_to_double(skin->positions[v])) <
                1e-6 * (1 + report.edge));
  }
  assert_true(report.outside_distance < 0.6 * report.edge);
  *out_fill = fill;
  return report;
}

static void points_lie_in_their_tetrahedra(void **state) {
  (void)state;
  SupLattice lattice = {{-0.3, 0.1, 2}, 0.37, {4, 4, 4}};
  SupRng rng = sup_rng(1, 1);
  for (int k = 0; k < 100000; k++) {
    SupVec3d p = {lattice.origin.x + 0.37 * (1 + 2 * sup_rng_double(&rng)),
                  lattice.origin.y + 0.37 * (1 + 2 * sup_rng_double(&rng)),
                  lattice.origin.z + 0.37 * (1 + 2 * sup_rng_double(&rng))};
    SupLatticePoint corners[4];
    sup_lattice_corners(sup_lattice_locate(&lattice, p), corners);
    SupVec3d x[4];
    for (int c = 0; c < 4; c++) x[c] = sup_lattice_position(&lattice, corners[c]);
    SupMat3d d = sup_mat3d_from_columns(sup_vec3d_sub(x[1], x[0]), sup_vec3d_sub(x[2], x[0]),
                                        sup_vec3d_sub(x[3], x[0]));
    assert_true(fabs(sup_mat3d_determinant(d) / 6 / (pow(0.37, 3) / 12) - 1) < 1e-9);
    SupVec3d w = sup_mat3d_mul_vec3(sup_mat3d_inverse(d), sup_vec3d_sub(p, x[0]));
    assert_true(w.x > -1e-9 && w.y > -1e-9 && w.z > -1e-9 && w.x + w.y + w.z < 1 + 1e-9);
  }
}

static void a_solid_has_one_node_per_lattice_point(void **state) {
  (void)state;
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  Skin skin = skin_create();
  add_box(&skin, (SupVec3){0, 0, 0}, (SupVec3){1, 1, 1});
  SupFill fill;
  SupFillReport report = fill_and_check(&arena, &skin, (SupFillDef){.edge = 0.2}, &fill);
  assert_int_equal(report.piece_count, 1);
  assert_int_equal(report.copy_count, 0);
  assert_true(fabs(report.volume - 1) < 1e-9);
  for (uint32_t a = 0; a < fill.mesh.node_count; a++) {
    for (uint32_t b = 0; b < a; b++) {
      assert_true(sup_vec3d_distance(fill.mesh.nodes[a], fill.mesh.nodes[b]) > 0.1);
    }
  }
  double mass = 0;
  for (uint32_t t = 0; t < fill.mesh.tet_count; t++) mass += fill.fractions[t] * pow(0.2, 3) / 12;
  assert_true(fabs(mass - 1) < 0.02);
  skin_free(&skin);
  sup_arena_free(&arena);
}

static void near_parts_stay_apart(void **state) {
  (void)state;
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  Skin skin = skin_create(); /* two legs, with a gap of a third of the lattice */
  add_box(&skin, (SupVec3){0, 0, 0}, (SupVec3){0.4f, 1, 0.4f});
  add_box(&skin, (SupVec3){0.47f, 0, 0}, (SupVec3){0.87f, 1, 0.4f});
  SupFill fill;
  SupFillReport report = fill_and_check(&arena, &skin, (SupFillDef){.edge = 0.2}, &fill);
  assert_int_equal(report.piece_count, 2);
  assert_true(report.copy_count > 0);
  skin_free(&skin);
  skin = skin_create(); /* the same legs, joined by a hip */
  add_box(&skin, (SupVec3){0, 0, 0}, (SupVec3){0.4f, 1, 0.4f});
  add_box(&skin, (SupVec3){0.47f, 0, 0}, (SupVec3){0.87f, 1, 0.4f});
  add_box(&skin, (SupVec3){0, 0.9f, 0}, (SupVec3){0.87f, 1.3f, 0.4f});
  report = fill_and_check(&arena, &skin, (SupFillDef){.edge = 0.2}, &fill);
  assert_int_equal(report.piece_count, 1);
  assert_true(report.copy_count > 0);
  skin_free(&skin);
  sup_arena_free(&arena);
}

/* A hand on a hip: half a millimetre of air between flesh whose voxels touch. */
static void narrow_gaps_are_seen(void **state) {
  (void)state;
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  Skin skin = skin_create();
  add_box(&skin, (SupVec3){0, 0, 0}, (SupVec3){0.4f, 1, 0.4f});
  add_box(&skin, (SupVec3){0.4005f, 0.2f, 0}, (SupVec3){0.8f, 0.8f, 0.4f});
  SupFill fill;
  SupFillReport report = fill_and_check(&arena, &skin, (SupFillDef){.edge = 0.2}, &fill);
  assert_int_equal(report.piece_count, 2);
  skin_free(&skin);
  skin = skin_create(); /* the same, but reaching into each other: that is one body */
  add_box(&skin, (SupVec3){0, 0, 0}, (SupVec3){0.4f, 1, 0.4f});
  add_box(&skin, (SupVec3){0.3995f, 0.2f, 0}, (SupVec3){0.8f, 0.8f, 0.4f});
  report = fill_and_check(&arena, &skin, (SupFillDef){.edge = 0.2}, &fill);
  assert_int_equal(report.piece_count, 1);
  skin_free(&skin);
  sup_arena_free(&arena);
}

static void spheres_of_every_kind(void **state) {
  (void)state;
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  static const uint32_t targets[] = {300, 2000, 20000};
  for (int c = 0; c < 3; c++) {
    Skin skin = skin_create();
    add_sphere(&skin, (SupVec3){1, 2, 3}, 0.5f, 24, 1);
    SupFill fill;
    SupFillReport report =
        fill_and_check(&arena, &skin, (SupFillDef){.tet_target = targets[c]}, &fill);
    double exact = 4.18879 * 0.125;
    print_message("sphere, %u asked: %u tetrahedra, volume %.4f of %.4f, outside by %.2f edges\n",
                  targets[c], fill.mesh.tet_count, report.volume, exact,
                  report.outside_distance / report.edge);
    assert_true(fabs((double)fill.mesh.tet_count / targets[c] - 1) < 0.2);
    assert_true(fabs(report.volume / exact - 1) < 0.03);
    assert_int_equal(report.piece_count, 1);
    skin_free(&skin);
  }
  Skin skin = skin_create(); /* open at the top; then cut through another; then two pieces */
  add_sphere(&skin, (SupVec3){0, 0, 0}, 0.5f, 24, 0.85f);
  SupFill fill;
  SupFillReport report = fill_and_check(&arena, &skin, (SupFillDef){.tet_target = 3000}, &fill);
  assert_true(fabs(report.volume / (4.18879 * 0.125) - 1) < 0.15);
  add_sphere(&skin, (SupVec3){0.4f, 0, 0}, 0.4f, 24, 1);
  report = fill_and_check(&arena, &skin, (SupFillDef){.tet_target = 3000}, &fill);
  assert_int_equal(report.piece_count, 1);
  add_sphere(&skin, (SupVec3){0, 3, 0}, 0.2f, 24, 1);
  report = fill_and_check(&arena, &skin, (SupFillDef){.tet_target = 3000}, &fill);
  assert_int_equal(report.piece_count, 2);
  skin_free(&skin);
  sup_arena_free(&arena);
}

static void thin_parts_are_kept(void **state) {
  (void)state;
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  Skin skin = skin_create(); /* a body with a leaf of paper on it */
  add_box(&skin, (SupVec3){0, 0, 0}, (SupVec3){1, 1, 1});
  add_box(&skin, (SupVec3){0.95f, 0.5f, 0.2f}, (SupVec3){2, 0.502f, 0.8f});
  SupFill fill;
  SupFillReport report = fill_and_check(&arena, &skin, (SupFillDef){.edge = 0.25}, &fill);
  assert_true(report.thin_count > 0);
  assert_int_equal(report.piece_count, 1);
  skin_free(&skin);
  sup_arena_free(&arena);
}

static void threads_do_not_change_a_bit(void **state) {
  (void)state;
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  Skin skin = skin_create();
  add_sphere(&skin, (SupVec3){0, 0, 0}, 0.5f, 24, 0.8f);
  SupFill one, two;
  fill_and_check(&arena, &skin, (SupFillDef){.tet_target = 2000}, &one);
  SupPool *pool = sup_pool_create(sup_heap_allocator(), 3);
  SupJobs jobs = sup_pool_jobs(pool);
  fill_and_check(&arena, &skin, (SupFillDef){.tet_target = 2000, .jobs = &jobs}, &two);
  sup_pool_destroy(pool);
  assert_int_equal(one.mesh.node_count, two.mesh.node_count);
  assert_memory_equal(one.mesh.nodes, two.mesh.nodes, one.mesh.node_count * sizeof *one.mesh.nodes);
  assert_memory_equal(one.mesh.tets, two.mesh.tets, 4 * one.mesh.tet_count * sizeof *one.mesh.tets);
  skin_free(&skin);
  sup_arena_free(&arena);
}

static void bad_requests_are_refused(void **state) {
  (void)state;
  SupArena arena;
  CountingHeap heap = {0};
  sup_arena_init(&arena, counting_allocator(&heap), 0);
  Skin skin = skin_create();
  SupMesh mesh = mesh_of(&skin);
  SupFill fill;
  SupFillReport report;
  SupError error;
  SupFillDef def = {.tet_target = 100};
  assert_int_equal(sup_fill(&arena, &mesh, &def, &fill, &report, &error), SUP_ERROR_FORMAT);
  add_box(&skin, (SupVec3){0, 0, 0}, (SupVec3){1, 1, 1});
  mesh = mesh_of(&skin);
  def = (SupFillDef){0};
  assert_int_equal(sup_fill(&arena, &mesh, &def, &fill, &report, &error), SUP_ERROR_ARGUMENT);
  def.edge = 1e-7;
  assert_int_equal(sup_fill(&arena, &mesh, &def, &fill, &report, &error), SUP_ERROR_ARGUMENT);
  def.edge = 0.3;
  for (size_t k = 1;; k++) {
    sup_arena_free(&arena);
    heap = (CountingHeap){.fail_at = k};
    SupResult result = sup_fill(&arena, &mesh, &def, &fill, &report, &error);
    if (result == SUP_OK) break;
    assert_int_equal(result, SUP_ERROR_MEMORY);
    assert_true(k < 100);
  }
  sup_arena_free(&arena);
  assert_int_equal(heap.live_blocks, 0);
  skin_free(&skin);
}

/* Two balls that lie in each other are one body where a bone moves both, as a head and its hair,
 * and two where none does: hearts that a clip moves apart. */
static void parts_without_a_common_bone_stay_apart(void **state) {
  (void)state;
  Skin skin = skin_create();
  add_sphere(&skin, (SupVec3){0, 0, 0}, 1, 16, 1);
  const uint32_t half = skin.vertex_count;
  add_sphere(&skin, (SupVec3){0.9f, 0, 0}, 1, 16, 1);
  uint32_t *offsets = calloc(skin.vertex_count + 1, sizeof *offsets);
  uint32_t *bones = calloc(2 * skin.vertex_count, sizeof *bones);
  float *weights = calloc(2 * skin.vertex_count, sizeof *weights);
  assert_true(offsets && bones && weights);
  for (uint32_t v = 0; v < skin.vertex_count; v++) {
    offsets[v + 1] = 2 * v + 2;
    bones[2 * v] = v < half ? 0 : 1;
    bones[2 * v + 1] = 2;
    weights[2 * v] = 1;
  }
  const SupSkin apart = {skin.vertex_count, 2, offsets, bones, weights};
  for (int joined = 0; joined < 2; joined++) {
    SupArena arena;
    SupFill fill;
    sup_arena_init(&arena, sup_heap_allocator(), 0);
    weights[1] = joined ? 0.5f : 0; /* one vertex of each follows bone 2, too */
    weights[2 * half + 1] = joined ? 0.5f : 0;
    const SupFillReport report =
        fill_and_check(&arena, &skin, (SupFillDef){.tet_target = 2000, .skin = &apart}, &fill);
    print_message("%s: %u pieces, volume %.2f\n", joined ? "joined" : "apart", report.piece_count,
                  report.volume);
    assert_int_equal(report.piece_count, joined ? 1 : 2);
    assert_true(fabs(report.volume - 8.38) < 0.2 || joined); /* each counts whole */
    sup_arena_free(&arena);
  }
  free(offsets);
  free(bones);
  free(weights);
  skin_free(&skin);
}

/* The room inside a robe is no flesh, and the body in it is filled apart: an open sheet around a
 * ball, both on bone 0 and the sheet's lower half on bone 1, too. So it is where all of the sheet
 * is locked and can bend. */
static void a_sheet_around_a_body_is_no_flesh(void **state) {
  (void)state;
  Skin skin = skin_create();
  add_sphere(&skin, (SupVec3){0, 0, 0}, 1, 16, 1);
  const uint32_t ball = skin.vertex_count;
  add_sphere(&skin, (SupVec3){0, 0, 0}, 2, 16, 0.8f);
  const uint32_t count = skin.vertex_count;
  const SupMesh mesh = mesh_of(&skin);
  uint32_t *offsets = calloc(count + 1, sizeof *offsets), *bones = calloc(count, sizeof *bones);
  float *weights = calloc(count, sizeof *weights), *lock = calloc(count, sizeof *lock);
  assert_true(offsets && bones && weights && lock);
  for (uint32_t v = 0; v < count; v++) {
    offsets[v + 1] = v + 1;
    weights[v] = 1;
    lock[v] = v >= ball;
  }
  const SupSkin one = {count, 2, offsets, bones, weights};
  enum { NOT_LOCKED, LOCKED, LOCKED_IN_PART, STIFF, CASES };
  for (int k = 0; k < CASES; k++) {
    SupArena arena;
    SupFill fill;
    sup_arena_init(&arena, sup_heap_allocator(), 0);
    for (uint32_t v = ball; v < count; v++) bones[v] = k != STIFF && mesh.positions[v].y < 0;
    lock[count - 1] = k != LOCKED_IN_PART;
    const SupFillDef def = {
        .tet_target = 2000, .skin = &one, .lock = k == NOT_LOCKED ? NULL : lock};
    const SupFillReport report = fill_and_check(&arena, &skin, def, &fill);
    print_message("case %d: %u pieces, volume %.2f\n", k, report.piece_count, report.volume);
    assert_int_equal(report.piece_count, k == LOCKED ? 2 : 1);
    if (k == LOCKED) assert_true(fabs(report.volume - 4.19) < 0.15); /* that of the ball */
    if (k != LOCKED) assert_true(report.volume > 20);
    sup_arena_free(&arena);
  }
  free(offsets);
  free(bones);
  free(weights);
  free(lock);
  skin_free(&skin);
}

/* No corner of a cell hangs on the rest by an edge; what skin it had is carried by others. */
static void corners_do_not_hang_by_an_edge(void **state) {
  (void)state;
  uint32_t left = 0, all = 0;
  for (int k = 0; k < 12; k++) {
    SupArena arena;
    SupFill fill;
    SupError error;
    uint8_t *hinged;
    Skin skin = skin_create();
    sup_arena_init(&arena, sup_heap_allocator(), 0);
    add_sphere(&skin, (SupVec3){0, 0, 0}, 1, 20, 1);
    add_box(&skin, (SupVec3){0.3f, -0.2f, -0.3f}, (SupVec3){2.5f, 0.25f, 0.15f});
    fill_and_check(&arena, &skin, (SupFillDef){.tet_target = 300 + 250 * (uint32_t)k}, &fill);
    assert_int_equal(sup_tet_hinged(&arena, &fill.mesh, &hinged, &error), SUP_OK);
    for (uint32_t t = 0; t < fill.mesh.tet_count; t++) left += hinged[t];
    all += fill.mesh.tet_count;
    sup_arena_free(&arena);
    skin_free(&skin);
  }
  print_message("%u of %u tetrahedra hang by an edge or a node\n", left, all);
  assert_int_equal(left, 0);
}

/* Two balls in each other are as thick as each is and more: rays pass the walls between them. */
static void walls_inside_do_not_make_thin(void **state) {
  (void)state;
  SupArena arena;
  SupError error;
  SupGroups groups;
  SupInside inside;
  SupThickness thickness;
  Skin skin = skin_create();
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  add_sphere(&skin, (SupVec3){0, 0, 0}, 1, 16, 1);
  add_sphere(&skin, (SupVec3){0.9f, 0, 0}, 1, 16, 1);
  const SupMesh mesh = mesh_of(&skin);
  assert_int_equal(sup_groups_find(&arena, &mesh, NULL, NULL, &groups, &error), SUP_OK);
  assert_int_equal(sup_inside_create(&arena, &mesh, &inside, &error), SUP_OK);
  assert_int_equal(
      sup_thickness_measure(&arena, &mesh, &groups, &inside, 2.9, 9, &thickness, &error), SUP_OK);
  double least = INFINITY, most = 0;
  for (uint32_t v = 0; v < mesh.vertex_count; v++) {
    const SupVec3 p = mesh.positions[v];
    if (fabsf(p.x - 0.45f) < 0.6f || fabsf(p.y) > 0.9f) continue; /* the outer sides */
    least = fmin(least, thickness.halves[v]);
    most = fmax(most, thickness.halves[v]);
  }
  print_message("half thickness of two balls in each other: %.2f to %.2f\n", least, most);
  assert_true(least > 0.75 && most < 1.5);
  sup_arena_free(&arena);
  skin_free(&skin);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_lie_in_their_tetrahedra),
      cmocka_unit_test(a_solid_has_one_node_per_lattice_point),
      cmocka_unit_test(near_parts_stay_apart),
      cmocka_unit_test(narrow_gaps_are_seen),
      cmocka_unit_test(spheres_of_every_kind),
      cmocka_unit_test(thin_parts_are_kept),
      cmocka_unit_test(parts_without_a_common_bone_stay_apart),
      cmocka_unit_test(a_sheet_around_a_body_is_no_flesh),
      cmocka_unit_test(walls_inside_do_not_make_thin),
      cmocka_unit_test(corners_do_not_hang_by_an_edge),
      cmocka_unit_test(threads_do_not_change_a_bit),
      cmocka_unit_test(bad_requests_are_refused),
  };
  return cmocka_run_group_tests_name("fill", tests, NULL, NULL);
}
