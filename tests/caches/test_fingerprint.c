/* SPDX-License-Identifier: MIT */
/* Fingerprints of bodies, and binding again after a reordering. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "supple/author/fingerprint.h"
#include "supple/io/file.h"

/* A sheet of side x side vertices, mirror-symmetric in x; `layers` of them at the same place. */
typedef struct Sheet {
  uint32_t side, layers;
  SupVec3 *positions;
  uint32_t *triangles;
  SupMesh mesh;
} Sheet;

static Sheet sheet_make(uint32_t side, uint32_t layers) {
  uint32_t per_layer = side * side, quads = (side - 1) * (side - 1);
  Sheet sheet = {.side = side,
                 .layers = layers,
                 .positions = calloc((size_t)layers * per_layer, sizeof(SupVec3)),
                 .triangles = calloc((size_t)layers * quads * 6, sizeof(uint32_t))};
  assert_non_null(sheet.positions);
  assert_non_null(sheet.triangles);
  uint32_t *corner = sheet.triangles;
  for (uint32_t l = 0; l < layers; l++) {
    uint32_t first = l * per_layer;
    for (uint32_t v = 0; v < per_layer; v++) {
      float x = (float)(v % side) - 0.5f * (float)(side - 1), y = (float)(v / side);
      sheet.positions[first + v] = (SupVec3){x, y, cosf(0.3f * x) + 0.01f * y * y};
    }
    for (uint32_t q = 0; q < quads; q++) {
      uint32_t a = first + q / (side - 1) * side + q % (side - 1);
      const uint32_t corners[6] = {a, a + 1, a + side, a + 1, a + side + 1, a + side};
      memcpy(corner, corners, sizeof corners);
      corner += 6;
    }
  }
  sheet.mesh = (SupMesh){layers * per_layer, layers * quads * 2, sheet.positions, sheet.triangles};
  return sheet;
}

static void sheet_free(Sheet *sheet) {
  free(sheet->positions);
  free(sheet->triangles);
}

/* Renames vertices: old v becomes order[v]. */
static Sheet sheet_renamed(const Sheet *sheet, const uint32_t *order) {
  Sheet other = sheet_make(sheet->side, sheet->layers);
  for (uint32_t v = 0; v < sheet->mesh.vertex_count; v++) {
    other.positions[order[v]] = sheet->positions[v];
  }
  for (uint32_t c = 0; c < 3 * sheet->mesh.triangle_count; c++) {
    other.triangles[c] = order[sheet->triangles[c]];
  }
  return other;
}

static uint32_t *numbers_make(uint32_t count) {
  uint32_t *numbers = calloc(count, sizeof *numbers);
  assert_non_null(numbers);
  for (uint32_t v = 0; v < count; v++) numbers[v] = v;
  return numbers;
}

static uint32_t *shuffled_make(uint32_t count, uint64_t seed) {
  uint32_t *order = numbers_make(count);
  SupRng rng = sup_rng(seed, 1);
  for (uint32_t v = count; v > 1; v--) {
    uint32_t k = sup_rng_below(&rng, v), held = order[v - 1];
    order[v - 1] = order[k];
    order[k] = held;
  }
  return order;
}

static SupKinship kinship(const SupMesh *a, const SupMesh *b) {
  SupFingerprint first = sup_fingerprint(a), second = sup_fingerprint(b);
  SupKinship kin = sup_fingerprint_compare(&first, &second);
  assert_int_equal(sup_fingerprint_compare(&second, &first), kin);
  return kin;
}

static void rounding_and_triangle_order_do_not_matter(void **state) {
  (void)state;
  Sheet a = sheet_make(100, 1), b = sheet_make(100, 1);
  assert_int_equal(kinship(&a.mesh, &b.mesh), SUP_KIN_SAME);
  SupRng rng = sup_rng(3, 3);
  /* A text format with six digits: relative rounding of 5e-7. */
  for (uint32_t v = 0; v < b.mesh.vertex_count; v++) {
    b.positions[v].x *= 1 + 1e-6f * (sup_rng_float(&rng) - 0.5f);
    b.positions[v].y *= 1 + 1e-6f * (sup_rng_float(&rng) - 0.5f);
    b.positions[v].z *= 1 + 1e-6f * (sup_rng_float(&rng) - 0.5f);
  }
  assert_int_equal(kinship(&a.mesh, &b.mesh), SUP_KIN_SAME);
  for (uint32_t f = 0; f < b.mesh.triangle_count / 2; f++) {
    uint32_t *one = b.triangles + 3 * f, *two = b.triangles + 3 * (b.mesh.triangle_count - 1 - f);
    uint32_t turned[3] = {one[1], one[2], one[0]};
    memcpy(one, two, sizeof turned);
    memcpy(two, turned, sizeof turned);
  }
  assert_int_equal(kinship(&a.mesh, &b.mesh), SUP_KIN_SAME);
  sheet_free(&a);
  sheet_free(&b);
}

static void changes_are_told(void **state) {
  (void)state;
  Sheet a = sheet_make(100, 1), b = sheet_make(100, 1);
  uint32_t count = a.mesh.vertex_count;
  b.positions[5050].y += 0.3f; /* one vertex, by 0.2 % of the diagonal */
  assert_int_equal(kinship(&a.mesh, &b.mesh), SUP_KIN_MOVED);
  b.positions[5050].y -= 0.3f;
  for (uint32_t v = 0; v < count; v++) {
    SupVec3 p = b.positions[v];
    b.positions[v] = (SupVec3){100 * p.x, 100 * p.y, 100 * p.z};
  }
  assert_int_equal(kinship(&a.mesh, &b.mesh), SUP_KIN_MOVED); /* centimetres */
  uint32_t *order = numbers_make(count);
  order[17] = 18;
  order[18] = 17;
  Sheet c = sheet_renamed(&a, order);
  assert_int_equal(kinship(&a.mesh, &c.mesh), SUP_KIN_STRANGE);
  /* Turned by half a turn the sheet has the same connectivity: only the sketch tells. */
  for (uint32_t v = 0; v < count; v++) order[v] = count - 1 - v;
  Sheet d = sheet_renamed(&a, order);
  SupFingerprint first = sup_fingerprint(&a.mesh), turned = sup_fingerprint(&d.mesh);
  assert_true(first.topology == turned.topology);
  assert_int_equal(sup_fingerprint_compare(&first, &turned), SUP_KIN_MOVED);
  free(order);
  sheet_free(&a);
  sheet_free(&b);
  sheet_free(&c);
  sheet_free(&d);
}

static SupResult rebind(const Sheet *then, const Sheet *now, uint32_t *out_then,
                        SupRebindReport *out_report, SupError *error) {
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  SupResult result = sup_rebind(&arena, &then->mesh, &now->mesh, 0, out_then, out_report, error);
  sup_arena_free(&arena);
  return result;
}

static void shuffled_vertices_are_found(void **state) {
  (void)state;
  Sheet a = sheet_make(60, 1);
  uint32_t count = a.mesh.vertex_count;
  uint32_t *order = shuffled_make(count, 11), *found = numbers_make(count);
  Sheet b = sheet_renamed(&a, order);
  SupRng rng = sup_rng(5, 5);
  for (uint32_t v = 0; v < count; v++) b.positions[v].z += 1e-4f * sup_rng_float(&rng);
  SupRebindReport report;
  SupError error;
  assert_int_equal(rebind(&a, &b, found, &report, &error), SUP_OK);
  for (uint32_t v = 0; v < count; v++) assert_int_equal(found[order[v]], v);
  assert_int_equal(report.by_position, count);
  assert_true(report.distance > 1e-5f && report.distance <= 1.1e-4f);
  assert_int_equal(rebind(&a, &a, found, &report, &error), SUP_OK);
  assert_int_equal(report.moved, 0);
  free(order);
  free(found);
  sheet_free(&a);
  sheet_free(&b);
}

/* Two sheets at the same place that differ in one corner each: neighbours have to tell all
 * vertices apart, starting from those corners. */
static void coincident_sheets_are_told_apart(void **state) {
  (void)state;
  Sheet a = sheet_make(40, 2);
  uint32_t count = a.mesh.vertex_count;
  a.positions[0].z += 1;
  a.positions[count - 1].z += 1;
  uint32_t *order = shuffled_make(count, 12), *found = numbers_make(count);
  Sheet b = sheet_renamed(&a, order);
  SupRebindReport report;
  SupError error;
  assert_int_equal(rebind(&a, &b, found, &report, &error), SUP_OK);
  for (uint32_t v = 0; v < count; v++) assert_int_equal(found[order[v]], v);
  assert_int_equal(report.by_position, 4); /* the two corners and what lies under them */
  assert_int_equal(report.by_neighbours, count - 4);
  assert_int_equal(report.by_order, 0);
  /* Without triangles the order has to do; every place still gets its own two. */
  b.mesh.triangle_count = 0;
  assert_int_equal(rebind(&a, &b, found, &report, &error), SUP_OK);
  assert_int_equal(report.by_order, count - 4);
  for (uint32_t v = 0; v < count; v++) {
    assert_memory_equal(&a.positions[found[v]], &b.positions[v], sizeof(SupVec3));
  }
  free(order);
  free(found);
  sheet_free(&a);
  sheet_free(&b);
}

/* Vertices that nothing tells apart: either choice is right, but a sheet must stay one sheet. */
static void equal_vertices_stay_whole(void **state) {
  (void)state;
  Sheet a = sheet_make(20, 2);
  uint32_t count = a.mesh.vertex_count, half = count / 2;
  uint32_t *order = shuffled_make(count, 13), *found = numbers_make(count);
  Sheet b = sheet_renamed(&a, order);
  SupRebindReport report;
  SupError error;
  assert_int_equal(rebind(&a, &b, found, &report, &error), SUP_OK);
  bool crossed = found[order[0]] >= half;
  for (uint32_t v = 0; v < count; v++) {
    assert_int_equal(found[order[v]], crossed ? (v + half) % count : v);
  }
  assert_true(report.by_order <= 2);
  free(order);
  free(found);
  sheet_free(&a);
  sheet_free(&b);
}

static void edited_meshes_are_refused(void **state) {
  (void)state;
  Sheet a = sheet_make(10, 1), b = sheet_make(10, 1), c = sheet_make(11, 1);
  uint32_t found[200];
  SupRebindReport report;
  SupError error;
  assert_int_equal(rebind(&a, &c, found, &report, &error), SUP_ERROR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "100 vertices"));
  b.positions[33].x += 0.01f;
  assert_int_equal(rebind(&a, &b, found, &report, &error), SUP_ERROR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "vertex 33"));
  b.positions[33] = b.positions[34]; /* two where one was */
  assert_int_equal(rebind(&a, &b, found, &report, &error), SUP_ERROR_UNSUPPORTED);
  sheet_free(&a);
  sheet_free(&b);
  sheet_free(&c);
}

/* 40,000 vertices at one place: the work must be bounded, and any order is right. */
static void a_collapsed_mesh_is_no_trap(void **state) {
  (void)state;
  Sheet a = sheet_make(200, 1);
  memset(a.positions, 0, a.mesh.vertex_count * sizeof *a.positions);
  uint32_t *found = numbers_make(a.mesh.vertex_count);
  SupRebindReport report;
  SupError error;
  assert_int_equal(rebind(&a, &a, found, &report, &error), SUP_OK);
  free(found);
  sheet_free(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rounding_and_triangle_order_do_not_matter),
      cmocka_unit_test(changes_are_told),
      cmocka_unit_test(shuffled_vertices_are_found),
      cmocka_unit_test(coincident_sheets_are_told_apart),
      cmocka_unit_test(equal_vertices_stay_whole),
      cmocka_unit_test(edited_meshes_are_refused),
      cmocka_unit_test(a_collapsed_mesh_is_no_trap),
  };
  return cmocka_run_group_tests_name("fingerprint", tests, NULL, NULL);
}
