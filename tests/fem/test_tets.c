/* SPDX-License-Identifier: MIT */
/* Tetrahedra that other programs made: read, and put around a skin. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "fem/dihedral.h"
#include "supple/fem/fill.h"
#include "supple/io/file.h"
#include "supple/io/tets.h"

/* One solid in every format: two tetrahedra on one face, a flat one, a node that nothing uses. */
static const char medit[] =
    "MeshVersionFormatted 2\n# made by hand\nDimension\n3\n"
    "Vertices\n6\n0 0 0 1\n1 0 0 1\n0 1 0 1\n0 0 1 1\n9 9 9 1\n1 1 1e0 7\n"
    "Triangles\n1\n1 2 3 0\n"
    "Tetrahedra 3\n1 2 3 4 1\n2 3 4 6 1\n1 2 3 3 0\nEnd\nrest\n";
static const char gmsh2[] =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"a $EndX # b\"\n"
    "$EndPhysicalNames\n"
    "$Nodes\n6\n10 0 0 0\n20 1 0 0\n30 0 1 0\n40 0 0 1\n50 9 9 9\n7 1 1 1\n$EndNodes\n"
    "$Elements\n4\n1 15 2 0 1 10\n2 4 2 0 1 10 20 30 40\n3 4 0 20 30 40 7\n4 4 1 5 10 20 30 30\n"
    "$EndElements\n";
static const char gmsh4[] =
    "$MeshFormat\r\n4.1 0 8\r\n$EndMeshFormat\r\n$Entities\r\n0 0 0 0\r\n$EndEntities\r\n"
    "$Nodes\r\n2 6 7 50\r\n3 1 0 4\r\n10\r\n20\r\n30\r\n40\r\n0 0 0\r\n1 0 0\r\n0 1 0\r\n0 0 1\r\n"
    "2 5 1 2\r\n50\r\n7\r\n9 9 9 0.1 0.2\r\n1 1 1 0.3 0.4\r\n$EndNodes\r\n"
    "$Elements\r\n2 4 1 4\r\n2 1 2 1\r\n1 10 20 30\r\n"
    "3 1 4 3\r\n2 10 20 30 40\r\n3 20 30 40 7\r\n4 10 20 30 30\r\n$EndElements\r\n";
static const char node[] =
    "# nodes\n6 3 1 0\n0 0 0 0 0.5\n1 1 0 0 .5\n2 0 1 0 1\n3 0 0 1 1\n4 9 9 9 1\n5 1 1 1 2\n";
static const char ele[] = "3 4 0\n0 0 1 2 3\n1 1 2 3 5\n2 0 1 2 2\n# end\n";

static const SupTetsText samples[] = {
    {SUP_TETS_MEDIT, "a.mesh", medit, sizeof medit - 1, NULL, 0},
    {SUP_TETS_GMSH, "b.msh", gmsh2, sizeof gmsh2 - 1, NULL, 0},
    {SUP_TETS_GMSH, "c.msh", gmsh4, sizeof gmsh4 - 1, NULL, 0},
    {SUP_TETS_TETGEN, "d.ele", node, sizeof node - 1, ele, sizeof ele - 1},
};
enum { SAMPLES = sizeof samples / sizeof *samples };

/* Parses copies without a terminator, so that the address sanitizer sees a read behind the end. */
static SupResult parse(SupArena *arena, SupTetsText source, SupTetMesh *mesh, SupTetsReport *report,
                       SupError *error) {
  char *text = malloc(source.bytes ? source.bytes : 1);
  char *more = malloc(source.more_bytes ? source.more_bytes : 1);
  assert_true(text && more);
  memcpy(text, source.text, source.bytes);
  if (source.more) memcpy(more, source.more, source.more_bytes);
  source.text = text;
  source.more = more;
  SupResult result = sup_tets_parse(arena, &source, mesh, report, error);
  free(text);
  free(more);
  return result;
}

static void all_formats_hold_the_same_solid(void **state) {
  (void)state;
  static const SupVec3d nodes[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
  static const uint32_t tets[8] = {0, 1, 2, 3, 1, 2, 3, 4};
  for (int k = 0; k < SAMPLES; k++) {
    SupArena arena;
    sup_arena_init(&arena, sup_heap_allocator(), 0);
    SupTetMesh mesh;
    SupTetsReport report;
    SupError error;
    if (parse(&arena, samples[k], &mesh, &report, &error) != SUP_OK) fail_msg("%s", error.text);
    assert_int_equal(mesh.node_count, 5);
    assert_int_equal(mesh.tet_count, 2);
    assert_memory_equal(mesh.nodes, nodes, sizeof nodes);
    assert_memory_equal(mesh.tets, tets, sizeof tets);
    assert_int_equal(report.turned_count, 0);
    assert_int_equal(report.flat_count, 1);
    assert_int_equal(report.unused_count, 1);
    sup_arena_free(&arena);
  }
}

static void corners_are_turned(void **state) {
  (void)state;
  static const char text[] =
      "MeshVersionFormatted 1\nDimension 3\nVertices 4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n"
      "Tetrahedra 1\n1 2 4 3 0\n";
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  SupTetMesh mesh;
  SupTetsReport report;
  SupError error;
  SupTetsText source = {SUP_TETS_MEDIT, "t.mesh", text, strlen(text), NULL, 0};
  assert_int_equal(parse(&arena, source, &mesh, &report, &error), SUP_OK);
  assert_int_equal(report.turned_count, 1);
  static const uint32_t expected[4] = {0, 1, 2, 3};
  assert_memory_equal(mesh.tets, expected, sizeof expected);
  sup_arena_free(&arena);
}

static void check_refused(SupTetsFormat format, const char *text, const char *more,
                          const char *words) {
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  SupTetMesh mesh;
  SupError error;
  SupTetsText source = {format, "x.msh", text, strlen(text), more, more ? strlen(more) : 0};
  SupResult result = parse(&arena, source, &mesh, NULL, &error);
  if (result != SUP_ERROR_FORMAT || !strstr(error.text, words) || !strstr(error.text, "x.msh")) {
    fail_msg("%d, no \"%s\" in: %s", result, words, error.text);
  }
  assert_true(arena.reserved < 1 << 20);
  sup_arena_free(&arena);
}

static void mistakes_are_named_with_their_line(void **state) {
  (void)state;
  check_refused(SUP_TETS_MEDIT, "", NULL, "no nodes");
  check_refused(SUP_TETS_MEDIT, "solid cube\n", NULL, "MeshVersionFormatted");
  check_refused(SUP_TETS_MEDIT, "MeshVersionFormatted 2\nDimension 2\n", NULL, "dimension 3");
  check_refused(SUP_TETS_MEDIT, "MeshVersionFormatted 2\nVertices 4000000000\n0 0 0 0\n", NULL,
                "too short");
  check_refused(SUP_TETS_MEDIT, "MeshVersionFormatted 2\nVertices -1\n0 0 0 0\n", NULL, "-1");
  check_refused(SUP_TETS_MEDIT, "MeshVersionFormatted 2\nVertices 1\n0 nan 0 0\n", NULL, "line 3");
  check_refused(SUP_TETS_MEDIT, "MeshVersionFormatted 2\nVertices 1\n0 1e31 0 0\n", NULL, "1e30");
  check_refused(SUP_TETS_MEDIT, "MeshVersionFormatted 2\nVertices 1\n0 1 0 0\nVertices 0\n", NULL,
                "second time");
  check_refused(SUP_TETS_MEDIT, "MeshVersionFormatted 2\nVertices 1\n0 1 0 0\n", NULL,
                "no tetrahedra");
  check_refused(SUP_TETS_MEDIT,
                "MeshVersionFormatted 2\nVertices 1\n0 1 0 0\nTetrahedra 1\n1 1 1 5 0\n", NULL,
                "node 5");
  check_refused(SUP_TETS_MEDIT,
                "MeshVersionFormatted 2\nVertices 1\n0 1 0 0\nTetrahedra 1\n1 1 1 1 0\n", NULL,
                "all tetrahedra have zero volume");
  check_refused(SUP_TETS_MEDIT,
                "MeshVersionFormatted 2\nVertices 1\n0 1 0 0\nTetrahedra 1\n1 1 1 1.5 0\n", NULL,
                "line 5");
  check_refused(SUP_TETS_GMSH, "$MeshFormat\n4.1 1 8\n$EndMeshFormat\n", NULL, "binary");
  check_refused(SUP_TETS_GMSH, "$MeshFormat\n4 0 8\n$EndMeshFormat\n", NULL, "4.1");
  check_refused(SUP_TETS_GMSH, "$MeshFormat\n2.2 0 8\n", NULL, "no end");
  check_refused(SUP_TETS_GMSH, "$Nodes\n1\n1 0 0 0\n$EndNodes\n", NULL, "must come first");
  check_refused(SUP_TETS_GMSH, "solid", NULL, "$");
  check_refused(SUP_TETS_GMSH,
                "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n2 0 0 0\n$EndNodes\n",
                NULL, "announced");
  check_refused(SUP_TETS_GMSH,
                "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n2\n1 0 0 0\n1 1 0 0\n$EndNodes\n"
                "$Elements\n1\n1 4 0 1 1 1 1\n$EndElements\n",
                NULL, "number 1");
  check_refused(SUP_TETS_GMSH,
                "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 1 1 2\n3 1 0 2\n1\n2\n0 0 0\n"
                "0 0 1\n$EndNodes\n",
                NULL, "announced");
  check_refused(SUP_TETS_TETGEN, "9 3 0 0\n1 0 0 0\n", "", "too short");
  check_refused(SUP_TETS_TETGEN, "1 2 0 0\n1 0 0 0 0 0\n", "", "dimension");
  check_refused(SUP_TETS_TETGEN, "1 3 0 0\n1 0 0 0\n", "1 6 0\n1 1 1 1 1 1 1\n", "4 or 10");
}

static void every_truncation_and_byte_is_survived(void **state) {
  (void)state;
  static const char junk[] = {0, '\n', '-', '9', '$', ' ', (char)0xff};
  for (int k = 0; k < SAMPLES; k++) {
    for (int part = 0; part < (samples[k].more ? 2 : 1); part++) {
      size_t whole = part ? samples[k].more_bytes : samples[k].bytes;
      for (size_t at = 0; at < whole * (1 + sizeof junk); at++) {
        SupTetsText source = samples[k];
        char text[1024];
        memcpy(text, part ? source.more : source.text, whole);
        size_t bytes = at < whole ? at : whole;
        if (at >= whole) text[at % whole] = junk[at / whole - 1];
        if (part) {
          source.more = text;
          source.more_bytes = bytes;
        } else {
          source.text = text;
          source.bytes = bytes;
        }
        CountingHeap heap = {0};
        SupArena arena;
        SupTetMesh mesh;
        SupError error;
        sup_arena_init(&arena, counting_allocator(&heap), 4 << 20);
        SupResult result = parse(&arena, source, &mesh, NULL, &error);
        if (result == SUP_OK) {
          for (size_t c = 0; c < 4 * (size_t)mesh.tet_count; c++) {
            assert_true(mesh.tets[c] < mesh.node_count);
          }
        } else {
          assert_int_equal(result, SUP_ERROR_FORMAT);
          assert_non_null(strstr(error.text, source.name));
        }
        sup_arena_free(&arena);
        assert_int_equal(heap.live_blocks, 0);
      }
    }
  }
}

/* ---- Around a skin -------------------------------------------------------------------------- */

/* A block of 3 x 3 x 3 lattice cubes, five tetrahedra each, and points in and around it. */
typedef struct Block {
  SupVec3d nodes[64];
  uint32_t tets[4 * 27 * 6];
  SupTetMesh mesh;
} Block;

static void block_create(Block *block) {
  static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                   {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  uint32_t *t = block->tets;
  for (int n = 0; n < 64; n++) {
    int at[3] = {n % 4, n / 4 % 4, n / 16};
    block->nodes[n] = (SupVec3d){at[0] / 3.0, at[1] / 3.0, at[2] / 3.0};
    if (at[0] == 3 || at[1] == 3 || at[2] == 3) continue;
    for (int o = 0; o < 6; o++, t += 4) {
      int node_now = n;
      static const int stride[3] = {1, 4, 16};
      t[0] = (uint32_t)n;
      for (int step = 0; step < 3; step++) {
        node_now += stride[orders[o][step]];
        t[1 + step] = (uint32_t)node_now;
      }
      if (o >= 3) {
        uint32_t swap = t[1];
        t[1] = t[2];
        t[2] = swap;
      }
    }
  }
  block->mesh = (SupTetMesh){64, 27 * 6, block->nodes, block->tets};
}

static void skins_are_found_in_a_given_volume(void **state) {
  (void)state;
  Block *block = malloc(sizeof *block);
  assert_non_null(block);
  block_create(block);
  enum { POINTS = 3000 };
  SupVec3 *points = calloc(POINTS, sizeof *points);
  assert_non_null(points);
  SupRng rng = sup_rng(3, 1);
  for (int v = 0; v < POINTS; v++) {
    points[v] = (SupVec3){1.1f * sup_rng_float(&rng) - 0.05f, 1.1f * sup_rng_float(&rng) - 0.05f,
                          1.1f * sup_rng_float(&rng) - 0.05f};
  }
  const uint32_t triangle[3] = {0, 1, 2};
  const SupMesh skin = {POINTS, 1, points, triangle};
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  SupFill fill;
  SupFillReport report;
  SupError error;
  if (sup_fill_given(&arena, &skin, &block->mesh, &fill, &report, &error) != SUP_OK) {
    fail_msg("%s", error.text);
  }
  assert_true(fabs(report.volume - 1) < 1e-12 && report.piece_count == 1);
  assert_true(fabs(report.dihedral_least - 45) < 1e-9 && fabs(report.dihedral_most - 90) < 1e-9);
  assert_true(report.outside_distance > 0.04 && report.outside_distance < 0.09);
  for (uint32_t v = 0; v < POINTS; v++) {
    const uint32_t *t = fill.mesh.tets + 4 * (size_t)fill.embedding.tets[v];
    const double *w = fill.embedding.weights + 4 * (size_t)v;
    SupVec3d sum = {0, 0, 0};
    double least = 1;
    for (int a = 0; a < 4; a++) {
      sum = sup_vec3d_add_scaled(sum, fill.mesh.nodes[t[a]], w[a]);
      least = fmin(least, w[a]);
    }
    SupVec3d p = sup_vec3_to_double(points[v]);
    assert_true(sup_vec3d_distance(sum, p) < 1e-12);
    bool inside = fmin(fmin(p.x, p.y), p.z) > 0 && fmax(fmax(p.x, p.y), p.z) < 1;
    assert_true(inside ? least > -1e-5 : least < 1e-5 && least > -0.5);
  }
  free(points);
  free(block);
  sup_arena_free(&arena);
}

static void volumes_that_do_not_fit_are_refused(void **state) {
  (void)state;
  Block *block = malloc(sizeof *block);
  assert_non_null(block);
  block_create(block);
  const SupVec3 far[3] = {{0, 0, 0}, {100, 0, 0}, {0, 100, 0}}; /* the skin in centimetres */
  const uint32_t triangle[3] = {0, 1, 2};
  const SupMesh skin = {3, 1, far, triangle};
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  SupFill fill;
  SupFillReport report;
  SupError error;
  assert_int_equal(sup_fill_given(&arena, &skin, &block->mesh, &fill, &report, &error),
                   SUP_ERROR_FORMAT);
  assert_non_null(strstr(error.text, "same units"));
  uint32_t swap = block->tets[1];
  block->tets[1] = block->tets[2];
  block->tets[2] = swap;
  assert_int_equal(sup_fill_given(&arena, &skin, &block->mesh, &fill, &report, &error),
                   SUP_ERROR_FORMAT);
  assert_non_null(strstr(error.text, "degenerate or inverted"));
  free(block);
  sup_arena_free(&arena);
}

/* The corner of a cube, flattened to `height`, whichever way round. */
static void angles_are_known(void **state) {
  (void)state;
  static const double heights[] = {1, 0.1, -0.1};
  for (int k = 0; k < 3; k++) {
    const double h = heights[k];
    const SupVec3d corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, h}};
    double least = 1, most = -1;
    sup_dihedral_cosines(corners, &least, &most);
    /* Between the slanted face, x + y + z / h = 1, and the ground. */
    const double angle = atan(sqrt(2) * fabs(h)) * 180 / 3.14159265358979323846;
    assert_true(fabs(sup_dihedral_degrees(most) - angle) < 1e-9);
    assert_true(fabs(sup_dihedral_degrees(least) - 90) < 1e-9);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_formats_hold_the_same_solid),
      cmocka_unit_test(corners_are_turned),
      cmocka_unit_test(mistakes_are_named_with_their_line),
      cmocka_unit_test(every_truncation_and_byte_is_survived),
      cmocka_unit_test(skins_are_found_in_a_given_volume),
      cmocka_unit_test(volumes_that_do_not_fit_are_refused),
      cmocka_unit_test(angles_are_known),
  };
  return cmocka_run_group_tests_name("tets", tests, NULL, NULL);
}
