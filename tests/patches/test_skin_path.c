/* SPDX-License-Identifier: MIT */
/* Paths on a skin: GUO-T1 (rings laid flat), and chains whose neighbours share a triangle. */
#include <math.h>

#include "check.h"
#include "geom/shapes.h"
#include "supple/author/skin_path.h"
#include "supple/io/file.h"

typedef struct Skin {
  SupArena arena;
  SupMesh mesh;
  SupTopology topology;
  SupBvh bvh;
} Skin;

static void begin(Skin *skin) { sup_arena_init(&skin->arena, sup_heap_allocator(), 0); }

static void finish(Skin *skin) {
  SupError error;
  assert_int_equal(sup_topology(&skin->arena, &skin->mesh, &skin->topology, &error), SUP_OK);
  assert_int_equal(sup_bvh_build(&skin->arena, &skin->mesh, &skin->bvh, &error), SUP_OK);
}

/* Both points lie in one triangle. */
static bool share(const Skin *skin, SupSkinPoint p, SupSkinPoint q) {
  const uint32_t want[4] = {p.a, p.b, q.a, q.b};
  for (uint32_t f = 0; f < skin->mesh.triangle_count; f++) {
    const uint32_t *c = skin->mesh.triangles + 3 * f;
    unsigned found = 0;
    for (unsigned i = 0; i < 4; i++) found += c[0] == want[i] || c[1] == want[i] || c[2] == want[i];
    if (found == 4) return true;
  }
  return false;
}

static void check_chain(const Skin *skin, const SupPathDef *def, const SupSkinPath *path) {
  assert_true(path->count >= 2);
  assert_true(sup_skin_point_same(path->points[0], def->from));
  assert_true(sup_skin_point_same(path->points[path->count - 1], def->to));
  double length = 0;
  for (uint32_t k = 1; k < path->count; k++) {
    assert_true(share(skin, path->points[k - 1], path->points[k]));
    assert_false(sup_skin_point_same(path->points[k - 1], path->points[k]));
    length += sup_vec3d_distance(sup_skin_point_place(&skin->mesh, path->points[k - 1]),
                                 sup_skin_point_place(&skin->mesh, path->points[k]));
  }
  assert_true(fabs(length - path->length) < 1e-9 * (1 + length));
}

/* GUO-T1: between neighbours the angles of the triangles, scaled to a full turn; a flat ring is
 * what it was. */
static void test_rings(void **state) {
  (void)state;
  Skin skin;
  SupRng rng = sup_rng(3, 0);
  begin(&skin);
  skin.mesh = shape_jitter(&skin.arena, shape_icosphere(&skin.arena, 2), 0.05, &rng);
  finish(&skin);
  for (uint32_t v = 0; v < skin.mesh.vertex_count; v++) {
    SupFlatRing ring;
    const uint32_t first = skin.topology.corners[skin.topology.corner_offsets[v]] / 3;
    assert_int_equal(sup_flat_ring(&skin.arena, &skin.mesh, &skin.topology, v, first, &ring, NULL),
                     SUP_OK);
    assert_false(ring.open);
    assert_int_equal(ring.count,
                     skin.topology.rings.offsets[v + 1] - skin.topology.rings.offsets[v]);
    double sum = 0;
    double theta[16];
    for (uint32_t k = 0; k < ring.count; k++) {
      const SupVec3d p = sup_vec3_to_double(skin.mesh.positions[v]);
      const SupVec3d a =
          sup_vec3d_sub(sup_vec3_to_double(skin.mesh.positions[ring.vertices[k]]), p);
      const SupVec3d b = sup_vec3d_sub(
          sup_vec3_to_double(skin.mesh.positions[ring.vertices[(k + 1) % ring.count]]), p);
      theta[k] = acos(sup_vec3d_dot(a, b) / sup_vec3d_length(a) / sup_vec3d_length(b));
      assert_true(fabs(ring.lengths[k] - sup_vec3d_length(a)) < 1e-6);
      sum += theta[k];
    }
    for (uint32_t k = 0; k < ring.count; k++) {
      const double between = ring.angles[k + 1] - ring.angles[k];
      assert_true(fabs(between - theta[k] * 2 * acos(-1) / sum) < 1e-9);
    }
  }
  /* A flat ring, inside and at the border. */
  skin.mesh = shape_grid(&skin.arena, 4, 4);
  finish(&skin);
  for (uint32_t v = 0; v < skin.mesh.vertex_count; v++) {
    SupFlatRing ring;
    const uint32_t first = skin.topology.corners[skin.topology.corner_offsets[v]] / 3;
    assert_int_equal(sup_flat_ring(&skin.arena, &skin.mesh, &skin.topology, v, first, &ring, NULL),
                     SUP_OK);
    const SupVec3 p = skin.mesh.positions[v], q = skin.mesh.positions[ring.vertices[0]];
    const double turned = atan2((double)(q.y - p.y), (double)(q.x - p.x));
    const bool inside = p.x > 0.5f && p.x < 3.5f && p.y > 0.5f && p.y < 3.5f;
    assert_true(ring.open != inside);
    assert_int_equal(ring.count, ring.triangle_count + (ring.open ? 1 : 0));
    for (uint32_t k = 0; k < ring.count; k++) {
      const SupVec3 n = skin.mesh.positions[ring.vertices[k]];
      assert_true(fabs((double)(n.x - p.x) - ring.lengths[k] * cos(ring.angles[k] + turned)) <
                  1e-6);
      assert_true(fabs((double)(n.y - p.y) - ring.lengths[k] * sin(ring.angles[k] + turned)) <
                  1e-6);
    }
  }
  sup_arena_free(&skin.arena);
}

static void test_shortest(void **state) {
  (void)state;
  Skin skin;
  SupRng rng = sup_rng(5, 0);
  SupSkinPath path, edges;
  begin(&skin);
  skin.mesh = shape_icosphere(&skin.arena, 4);
  finish(&skin);
  SupPathDef def = {.mesh = skin.mesh, .topology = &skin.topology};
  double worst = 0;
  for (int k = 0; k < 60; k++) {
    const uint32_t a = (uint32_t)(sup_rng_double(&rng) * skin.mesh.vertex_count);
    const uint32_t b = (uint32_t)(sup_rng_double(&rng) * skin.mesh.vertex_count);
    if (a == b) continue;
    def.from = sup_skin_vertex(a);
    def.to = sup_skin_vertex(b);
    assert_int_equal(sup_path_shortest(&skin.arena, &def, 0, &edges, NULL), SUP_OK);
    check_chain(&skin, &def, &edges);
    for (uint32_t i = 0; i < edges.count; i++)
      assert_int_equal(edges.points[i].a, edges.points[i].b);
    assert_int_equal(sup_path_shortest(&skin.arena, &def, 3, &path, NULL), SUP_OK);
    check_chain(&skin, &def, &path);
    const double dot = (double)sup_vec3_dot(skin.mesh.positions[a], skin.mesh.positions[b]);
    const double arc = acos(fmax(-1, fmin(1, dot)));
    assert_true(path.length <= edges.length * (1 + 1e-9));
    worst = fmax(worst, path.length / arc - 1);
  }
  print_message("across triangles: at most %.2f %% longer than the great circle\n", 100 * worst);
  assert_true(worst < 0.02);
  /* From and to points on edges. */
  const uint32_t *e = skin.topology.edges;
  def.from = sup_skin_edge_point(e[0], e[1], 0.4, 0);
  def.to = sup_skin_edge_point(e[2000], e[2001], 0.7, 0);
  assert_int_equal(sup_path_shortest(&skin.arena, &def, 3, &path, NULL), SUP_OK);
  check_chain(&skin, &def, &path);
  assert_int_equal(sup_path_shortest(&skin.arena, &def, 0, &path, NULL), SUP_OK);
  check_chain(&skin, &def, &path);
  sup_arena_free(&skin.arena);
}

/* Around what is closed; and no way at all. */
static void test_closed(void **state) {
  (void)state;
  Skin skin;
  SupError error;
  SupSkinPath path;
  begin(&skin);
  skin.mesh = shape_grid(&skin.arena, 8, 8);
  finish(&skin);
  uint8_t *closed = SUP_ALLOC(&skin.arena, uint8_t, skin.mesh.vertex_count);
  uint8_t *walls = SUP_ALLOC(&skin.arena, uint8_t, skin.topology.edge_count);
  SupPathDef def = {.mesh = skin.mesh, .topology = &skin.topology, .closed_vertices = closed};
  uint32_t left = 0, right = 0;
  for (uint32_t v = 0; v < skin.mesh.vertex_count; v++) {
    const SupVec3 p = skin.mesh.positions[v];
    closed[v] = p.x == 4 && p.y < 7;
    if (p.x == 0 && p.y == 0) left = v;
    if (p.x == 8 && p.y == 0) right = v;
  }
  for (uint32_t k = 0; k < skin.topology.edge_count; k++) {
    walls[k] = closed[skin.topology.edges[2 * k]] && closed[skin.topology.edges[2 * k + 1]];
  }
  def.from = sup_skin_vertex(left);
  def.to = sup_skin_vertex(right);
  for (uint32_t cuts = 0; cuts < 4; cuts += 3) {
    def.closed_edges = walls;
    assert_int_equal(sup_path_shortest(&skin.arena, &def, cuts, &path, &error), SUP_OK);
    check_chain(&skin, &def, &path);
    for (uint32_t k = 0; k < path.count; k++) {
      const SupVec3d p = sup_skin_point_place(&skin.mesh, path.points[k]);
      assert_true(fabs(p.x - 4) > 0.01 || p.y > 6);
    }
  }
  for (uint32_t v = 0; v < skin.mesh.vertex_count; v++) closed[v] = skin.mesh.positions[v].x == 4;
  for (uint32_t k = 0; k < skin.topology.edge_count; k++) {
    walls[k] = closed[skin.topology.edges[2 * k]] && closed[skin.topology.edges[2 * k + 1]];
  }
  assert_int_equal(sup_path_shortest(&skin.arena, &def, 3, &path, &error), SUP_ERROR_FORMAT);
  assert_non_null(strstr(error.text, "leave free"));
  def.to = def.from;
  assert_int_equal(sup_path_shortest(&skin.arena, &def, 3, &path, &error), SUP_ERROR_FORMAT);
  sup_arena_free(&skin.arena);
}

static void test_rim(void **state) {
  (void)state;
  Skin skin;
  SupError error;
  SupSkinPath path, back;
  begin(&skin);
  skin.mesh = shape_tube(&skin.arena, 12, 5, 3);
  finish(&skin);
  const uint32_t *loop = skin.topology.loop_vertices;
  SupPathDef def = {.mesh = skin.mesh, .topology = &skin.topology};
  def.from = sup_skin_vertex(loop[2]);
  def.to = sup_skin_vertex(loop[7]);
  assert_int_equal(sup_path_rim(&skin.arena, &def, &path, &error), SUP_OK);
  check_chain(&skin, &def, &path);
  assert_int_equal(path.count, 6);
  def.from = sup_skin_vertex(loop[7]);
  def.to = sup_skin_vertex(loop[2]);
  assert_int_equal(sup_path_rim(&skin.arena, &def, &back, &error), SUP_OK);
  assert_int_equal(path.count + back.count, 14);
  def.to = sup_skin_vertex(skin.topology.loop_vertices[skin.topology.loop_offsets[1]]);
  assert_int_equal(sup_path_rim(&skin.arena, &def, &back, &error), SUP_ERROR_FORMAT);
  sup_arena_free(&skin.arena);
}

/* A straight curve on a plane stays straight; ten thousand random ones fail nowhere. */
static void test_curves(void **state) {
  (void)state;
  Skin skin;
  SupError error = {""};
  SupRng rng = sup_rng(7, 0);
  SupSkinPath path;
  begin(&skin);
  skin.mesh = shape_grid(&skin.arena, 10, 10);
  finish(&skin);
  SupPathDef def = {.mesh = skin.mesh, .topology = &skin.topology};
  const SupVec3d line[2] = {{0, 0, 0.2}, {10, 7, 0.2}};
  const SupSpaceCurve straight = {2, line, NULL};
  def.from = sup_skin_point_nearest(&skin.bvh, (SupVec3){0, 0, 0}, 0.1);
  def.to = sup_skin_point_nearest(&skin.bvh, (SupVec3){10, 7, 0}, 0.1);
  assert_int_equal(sup_path_curve(&skin.arena, &def, &skin.bvh, &straight, &path, &error), SUP_OK);
  check_chain(&skin, &def, &path);
  for (uint32_t k = 0; k < path.count; k++) {
    const SupVec3d p = sup_skin_point_place(&skin.mesh, path.points[k]);
    assert_true(fabs(p.y * 10 - p.x * 7) / sqrt(149) < 0.12); /* snapped by a tenth of an edge */
  }
  sup_arena_free(&skin.arena);
  uint32_t points = 0;
  for (int shape = 0; shape < 3; shape++) {
    begin(&skin);
    skin.mesh = shape == 0 ? shape_icosphere(&skin.arena, 3)
                : shape == 1
                    ? shape_torus(&skin.arena, 24, 14, 1, 0.4)
                    : shape_jitter(&skin.arena, shape_tube(&skin.arena, 16, 20, 3), 0.03, &rng);
    finish(&skin);
    def = (SupPathDef){.mesh = skin.mesh, .topology = &skin.topology};
    for (int k = 0; k < 3334; k++) {
      SupArena arena;
      SupVec3d controls[5];
      double weights[5];
      sup_arena_init(&arena, sup_heap_allocator(), 0);
      const uint32_t count = 2 + (uint32_t)(sup_rng_double(&rng) * 4);
      for (uint32_t i = 0; i < count; i++) {
        const uint32_t v = (uint32_t)(sup_rng_double(&rng) * skin.mesh.vertex_count);
        controls[i] = sup_vec3_to_double(skin.mesh.positions[v]);
        weights[i] = 0.3 + 2 * sup_rng_double(&rng);
        if (i == 0) def.from = sup_skin_vertex(v);
        if (i + 1 == count) def.to = sup_skin_vertex(v);
      }
      if (def.from.a != def.to.a) {
        const SupSpaceCurve curve = {count, controls, k % 2 ? weights : NULL};
        const SupResult result = sup_path_curve(&arena, &def, &skin.bvh, &curve, &path, &error);
        if (result != SUP_OK) print_error("%d %d: %s\n", shape, k, error.text);
        assert_int_equal(result, SUP_OK);
        if (k % 20 == 0) check_chain(&skin, &def, &path);
        points += path.count;
      }
      sup_arena_free(&arena);
    }
    sup_arena_free(&skin.arena);
  }
  print_message("10,002 curves, %u points\n", points);
}

/* Against the basis functions, computed here by their recursion. */
static double basis(int i, int degree, const double *knots, double x) {
  if (degree == 0) return x >= knots[i] && x < knots[i + 1] ? 1 : 0;
  double sum = 0;
  if (knots[i + degree] > knots[i]) {
    sum += (x - knots[i]) / (knots[i + degree] - knots[i]) * basis(i, degree - 1, knots, x);
  }
  if (knots[i + degree + 1] > knots[i + 1]) {
    sum += (knots[i + degree + 1] - x) / (knots[i + degree + 1] - knots[i + 1]) *
           basis(i + 1, degree - 1, knots, x);
  }
  return sum;
}

static void test_spline(void **state) {
  (void)state;
  SupRng rng = sup_rng(11, 0);
  for (int count = 2; count < 9; count++) {
    const int degree = count > 3 ? 3 : count - 1, spans = count - degree;
    SupVec3d points[9];
    double weights[9], knots[14];
    for (int i = 0; i < count; i++) {
      points[i] = (SupVec3d){sup_rng_double(&rng), sup_rng_double(&rng), sup_rng_double(&rng)};
      weights[i] = 0.2 + sup_rng_double(&rng);
    }
    for (int i = 0; i < count + degree + 1; i++) knots[i] = fmax(0, fmin(spans, i - degree));
    const SupSpaceCurve curve = {(uint32_t)count, points, weights};
    for (double u = 0; u < 1; u += 0.03) {
      SupVec3d sum = {0, 0, 0};
      double w = 0;
      for (int i = 0; i < count; i++) {
        const double b = basis(i, degree, knots, u * spans) * weights[i];
        sum = sup_vec3d_add_scaled(sum, points[i], b);
        w += b;
      }
      const SupVec3d want = sup_vec3d_scale(sum, 1 / w);
      assert_true(sup_vec3d_distance(want, sup_space_curve_at(&curve, u)) < 1e-12);
    }
    assert_true(sup_vec3d_distance(points[count - 1], sup_space_curve_at(&curve, 1)) < 1e-12);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rings), cmocka_unit_test(test_shortest), cmocka_unit_test(test_closed),
      cmocka_unit_test(test_rim),   cmocka_unit_test(test_spline),   cmocka_unit_test(test_curves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
