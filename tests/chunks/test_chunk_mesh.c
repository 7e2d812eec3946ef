/* SPDX-License-Identifier: MIT */
/* GUO-T15: slices and chunks, and where their nodes are. */
#include <math.h>

#include "chunk_bodies.h"

/* Table 4.3, per slice, and slices in all. */
static void table_4_3(void **state) {
  (void)state;
  static const struct Row {
    SupSliceKind kind;
    uint32_t corners, levels, slices, nodes, triangles;
  } rows[4] = {{SUP_SLICE_SECTORS, 4, 2, 18, 1008, 64},
               {SUP_SLICE_FAN, 6, 2, 4, 244, 96},
               {SUP_SLICE_SECTORS, 4, 2, 6, 336, 64},
               {SUP_SLICE_DIAGONALS, 4, 3, 4, 324, 128}};
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  for (int k = 0; k < 4; k++) {
    SupChunkSlice s;
    assert_int_equal(
        sup_chunk_slice(&arena, rows[k].kind, rows[k].corners, rows[k].levels, &s, NULL), SUP_OK);
    assert_int_equal(s.node_count * rows[k].slices, rows[k].nodes);
    assert_int_equal(s.triangle_count, rows[k].triangles);
  }
  sup_arena_free(&arena);
}

/* A node in a regular polygon; the centres of sectors lie in its middle. */
static void flat_place(const SupChunkSlice *s, uint32_t node, double out[2]) {
  out[0] = out[1] = 0;
  for (uint32_t k = 0; k < 3; k++) {
    const uint32_t p = s->nodes[node].points[k];
    const double angle = 2 * SUP_PI * p / s->corner_count, w = s->nodes[node].weights[k];
    if (p < s->corner_count) {
      out[0] += w * cos(angle);
      out[1] += w * sin(angle);
    }
  }
}

/* Triangles cover the polygon once, whatever its sides and levels; counts by the formulas. */
static void slices_cover_the_polygon(void **state) {
  (void)state;
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  for (uint32_t r = 3; r < 8; r++) {
    for (uint32_t levels = 0; levels < 4; levels++) {
      const uint32_t n = 1u << levels;
      for (int kind = 0; kind < 3; kind++) {
        SupChunkSlice s;
        assert_int_equal(sup_chunk_slice(&arena, (SupSliceKind)kind, r, levels, &s, NULL), SUP_OK);
        if (kind == SUP_SLICE_FAN) assert_int_equal(s.node_count, 1 + r * n * (n + 1) / 2);
        if (kind == SUP_SLICE_SECTORS)
          assert_int_equal(s.node_count, r * (n + 1) * (n + 2) / 2 - r);
        if (kind == SUP_SLICE_DIAGONALS && r == 4)
          assert_int_equal(s.node_count, (n + 1) * (n + 1));
        double area = 0;
        for (uint32_t t = 0; t < s.triangle_count; t++) {
          double p[3][2];
          for (uint32_t k = 0; k < 3; k++) flat_place(&s, s.triangles[3 * t + k], p[k]);
          const double one = ((p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) -
                              (p[1][1] - p[0][1]) * (p[2][0] - p[0][0])) /
                             2;
          assert_true(one > 1e-6);
          area += one;
        }
        assert_true(fabs(area - r * sin(2 * SUP_PI / r) / 2) < 1e-12);
        for (uint32_t k = 0; k < s.node_count; k++) {
          double sum = 0, p[2], q[2] = {0, 0};
          flat_place(&s, k, p);
          if (kind == SUP_SLICE_SECTORS) {
            const SupSectorPlace place = sup_slice_sector_place(&s, k);
            double a[2], b[2];
            flat_place(&s, s.rim[place.rim[0]], a);
            flat_place(&s, s.rim[place.rim[1]], b);
            for (int i = 0; i < 2; i++) {
              q[i] = place.radius * (a[i] * (1 - place.t) + b[i] * place.t);
            }
          } else {
            for (uint32_t c = 0; c < r; c++) {
              const double w = sup_slice_corner_weight(&s, k, c);
              sum += w;
              q[0] += w * cos(2 * SUP_PI * c / r);
              q[1] += w * sin(2 * SUP_PI * c / r);
            }
            assert_true(fabs(sum - 1) < 1e-15);
          }
          assert_true(hypot(p[0] - q[0], p[1] - q[1]) < 1e-14);
        }
      }
    }
  }
  SupChunkSlice s;
  assert_int_equal(sup_chunk_slice(&arena, SUP_SLICE_FAN, 2, 1, &s, NULL), SUP_ERROR_ARGUMENT);
  assert_int_equal(sup_chunk_slice(&arena, SUP_SLICE_FAN, 4, 9, &s, NULL), SUP_ERROR_ARGUMENT);
  sup_arena_free(&arena);
}

static SupVec3d place(const SupChunk *chunk, uint32_t j, uint32_t k) {
  return sup_affined_point(chunk->frame, chunk->mesh.nodes[sup_chunk_node(chunk, j, k)]);
}

/* A limb: its whole volume, its skin on the skin, its centres on the bone, spokes straight. */
static void limbs_are_filled(void **state) {
  (void)state;
  for (int round = 0; round < 3; round++) {
    const double bend = round == 2 ? 0.4 : 0;
    PatchBody *body = limb_body(2, round == 1 ? limb_hourglass : limb_cylinder, bend);
    const SupPatchCharts charts = body_charts(body);
    const SupChunkDef def = body_def(body, &charts, 2, 18);
    for (uint32_t limb = 0; limb < 2; limb++) {
      const SupChunk chunk = limb_chunk(body, &def, limb, bend);
      const SupChunkSlice *s = &chunk.slice;
      assert_int_equal(chunk.mesh.node_count, 1008);
      assert_int_equal(chunk.kept_count, 16 * 16);
      assert_true(fabs(chunk.length - LIMB_LENGTH) < 1e-6);
      const double polygon = 16 * sin(2 * SUP_PI / 16) / 2;
      double sum = 0;
      for (uint32_t k = 0; round == 1 && k < 1000; k++) {
        sum += pow(limb_hourglass((k + 0.5) / 1000), 2) / 1000;
      }
      const double volume = sup_wedge_mesh_size(&chunk.mesh, chunk.mesh.nodes).volume;
      const double expected = LIMB_LENGTH * polygon * (round == 1 ? sum : 1);
      assert_true(fabs(volume / expected - 1) < (round == 1 ? 1e-2 : 1e-3));
      for (uint32_t j = 0; j < 18; j++) {
        const double u = sup_chunk_depth(&chunk, j);
        for (uint32_t k = 0; k < s->node_count; k++) {
          const SupVec3d local = chunk.mesh.nodes[sup_chunk_node(&chunk, j, k)];
          const SupSectorPlace at = sup_slice_sector_place(s, k);
          const double radius = hypot(local.x, local.y);
          if (at.radius == 0) {
            assert_true(radius < 1e-6 && fabs(local.z - LIMB_LENGTH * u) < 1e-6);
          } else if (s->rim_places[k] != SUP_NONE && round < 2) {
            assert_true(fabs(local.z - LIMB_LENGTH * u) < 1e-5 + 0.2 * (round == 1));
            if (round == 0) assert_true(fabs(radius - 1) < 1e-5);
          } else if (!(s->nodes[k].weights[2] > 0)) {
            /* On a spoke: between the moved corner and the bone. */
            const SupVec3d corner = place(&chunk, j, s->rim[at.rim[at.t > 0.5]]);
            const SupVec3d centre =
                sup_affined_point(chunk.frame, (SupVec3d){0, 0, chunk.length * u});
            const SupVec3d expect = sup_vec3d_lerp(centre, corner, at.radius);
            if (s->rim_places[k] == SUP_NONE) {
              assert_true(sup_vec3d_distance(place(&chunk, j, k), expect) < 1e-12);
            }
          }
        }
      }
    }
    patch_body_free(body);
  }
}

/* Why spokes are interpolated again: left where a cylinder has them they invert wedges of a waist.
 */
static void spokes_of_the_prototype_invert(void **state) {
  (void)state;
  PatchBody *body = limb_body(1, limb_waist, 0);
  const SupPatchCharts charts = body_charts(body);
  const SupChunkDef def = body_def(body, &charts, 2, 18);
  const SupChunk chunk = limb_chunk(body, &def, 0, 0);
  const SupWedgeMesh *mesh = &chunk.mesh;
  SupVec3d *nodes = SUP_COPY(&body->arena, SupVec3d, mesh->nodes, mesh->node_count);
  assert_non_null(nodes);
  for (uint32_t v = 0; v < mesh->node_count; v++) {
    const uint32_t k = v % chunk.slice.node_count;
    const SupSectorPlace at = sup_slice_sector_place(&chunk.slice, k);
    const double radius = hypot(nodes[v].x, nodes[v].y);
    if (!(at.radius > 0 && at.radius < 1) || chunk.slice.nodes[k].weights[2] > 0) continue;
    nodes[v].x *= at.radius / radius;
    nodes[v].y *= at.radius / radius;
  }
  double least = 1;
  for (uint32_t w = 0; w < mesh->wedge_count; w++) {
    SupVec3d corners[6];
    sup_wedge_corners(mesh, nodes, w, corners);
    least = fmin(least, sup_wedge_size(corners).least);
  }
  assert_true(least < 0);
  patch_body_free(body);
}

/* Limbs that meet have the same rings there. */
static void limbs_meet(void **state) {
  (void)state;
  PatchBody *body = limb_body(2, limb_cylinder, 0.4);
  const SupPatchCharts charts = body_charts(body);
  const SupChunkDef fine = body_def(body, &charts, 2, 18), other = body_def(body, &charts, 2, 6);
  const SupChunk a = limb_chunk(body, &fine, 0, 0.4), b = limb_chunk(body, &other, 1, 0.4);
  uint32_t met = 0;
  for (uint32_t i = 0; i < a.slice.node_count; i++) {
    double least = 1;
    for (uint32_t k = 0; k < b.slice.node_count; k++) {
      least = fmin(least, sup_vec3d_distance(place(&a, 17, i), place(&b, 0, k)));
    }
    met += least < 1e-12;
  }
  assert_int_equal(met, a.slice.node_count);
  patch_body_free(body);
}

/* Fans and diagonals on flat sheets: a box, counted and measured; bottoms on the shell by the
 * weights of the slice's triangles. */
static void ordinary_chunks_on_sheets(void **state) {
  (void)state;
  const uint32_t four[4] = {0, 12, 168, 156}, six[6] = {0, 6, 12, 168, 162, 156};
  for (int round = 0; round < 2; round++) {
    PatchBody *body = round ? patch_sheet(12, 0.3, 6, six) : patch_sheet(12, 0.3, 4, four);
    const SupPatchCharts charts = body_charts(body);
    const SupChunkDef def = body_def(body, &charts, round ? 2 : 3, 4);
    const SupPatch *patch = &body->patches.patches[0];
    SupVec3d shell[6];
    SupChunk chunk;
    for (uint32_t k = 0; k < patch->side_count; k++) {
      shell[k] = sup_vec3_to_double(body->patches.mesh.positions[patch->loop[patch->corners[k]]]);
      shell[k].z = -3;
    }
    assert_int_equal(
        sup_chunk_ordinary(&body->arena, &def, 0, round ? SUP_SLICE_FAN : SUP_SLICE_DIAGONALS,
                           shell, &chunk, NULL),
        SUP_OK);
    assert_int_equal(chunk.mesh.node_count, round ? 244 : 324);
    assert_int_equal(chunk.slice.triangle_count, round ? 96 : 128);
    assert_true(fabs(sup_wedge_mesh_size(&chunk.mesh, chunk.mesh.nodes).volume - 3 * 144) < 1e-6);
    const uint32_t rim = chunk.slice.corner_count * chunk.slice.parts;
    assert_int_equal(chunk.kept_count, chunk.slice.node_count - rim);
    for (uint32_t k = 0; k < chunk.slice.node_count; k++) {
      SupVec3d expected = {0, 0, 0};
      for (uint32_t c = 0; c < chunk.slice.corner_count; c++) {
        expected =
            sup_vec3d_add_scaled(expected, shell[c], sup_slice_corner_weight(&chunk.slice, k, c));
      }
      assert_true(sup_vec3d_distance(place(&chunk, 3, k), expected) < 1e-12);
      assert_true(fabs(place(&chunk, 0, k).z) < 1e-12);
      if (chunk.slice.rim_places[k] == SUP_NONE) continue;
      const SupVec3d third = sup_vec3d_lerp(place(&chunk, 0, k), place(&chunk, 3, k), 1.0 / 3);
      assert_true(sup_vec3d_distance(place(&chunk, 1, k), third) < 1e-12);
    }
    patch_body_free(body);
  }
}

/* Around a ball: neighbours have the same nodes on their common side, also at other resolutions. */
static void ordinary_chunks_meet(void **state) {
  (void)state;
  PatchBody *body = patch_ball(3, 0.02, (SupVec3){1, 0.8f, 1.2f}, 2, 1);
  const SupPatchCharts charts = body_charts(body);
  SupVec3d *below;
  const SupShell shell = body_shell(body, 0.6, &below);
  const SupChunkDef coarse = body_def(body, &charts, 2, 3), fine = body_def(body, &charts, 3, 5);
  uint32_t met = 0;
  for (uint32_t p = 0; p < 8; p++) {
    const SupChunk a = shell_chunk(body, &coarse, &shell, below, p, SUP_SLICE_DIAGONALS);
    for (uint32_t q = 0; q < 8; q++) {
      const SupChunk b = shell_chunk(body, &fine, &shell, below, q, SUP_SLICE_FAN);
      for (uint32_t i = 0; i < 12; i++) {
        for (uint32_t k = 0; k < 24 && p != q; k++) {
          const double apart =
              sup_vec3d_distance(place(&a, 1, a.slice.rim[i]), place(&b, 2, b.slice.rim[k]));
          met += apart < 1e-12;
          assert_true(apart < 1e-12 || apart > 1e-3);
        }
      }
    }
  }
  /* Twelve edges with three nodes inside, each in two chunks; six corners, each in four. */
  assert_int_equal(met, 2 * 12 * 3 + 6 * 4 * 3);
  patch_body_free(body);
}

static void flawed_chunks_are_refused(void **state) {
  (void)state;
  const uint32_t four[4] = {0, 12, 168, 156};
  PatchBody *body = patch_sheet(12, 0, 4, four);
  const SupPatchCharts charts = body_charts(body);
  SupChunkDef def = body_def(body, &charts, 2, 4);
  const SupPatch *patch = &body->patches.patches[0];
  SupVec3d shell[4];
  SupChunk chunk;
  SupError error = {0};
  def.name = "chest";
  for (uint32_t k = 0; k < 4; k++) {
    shell[k] = sup_vec3_to_double(body->patches.mesh.positions[patch->loop[patch->corners[k]]]);
    shell[k].z = 0.5;
  }
  assert_int_equal(sup_chunk_ordinary(&body->arena, &def, 0, SUP_SLICE_FAN, shell, &chunk, &error),
                   SUP_ERROR_FORMAT);
  assert_non_null(strstr(error.text, "'chest'"));
  assert_non_null(strstr(error.text, "slices 1 and 2"));
  def.slice_count = 1;
  assert_int_equal(sup_chunk_ordinary(&body->arena, &def, 0, SUP_SLICE_FAN, shell, &chunk, &error),
                   SUP_ERROR_ARGUMENT);
  assert_non_null(strstr(error.text, "'chest': 1 slices"));
  patch_body_free(body);
  body = limb_body(2, limb_cylinder, 0);
  const SupVec3d bone[2] = {{0, 0, 0}, {0, 0, 4}};
  const uint32_t mixed[4] = {0, 1, 2, 7}, few[2] = {0, 1}, all[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  SupPatchRing ring;
  assert_int_equal(
      sup_chunk_ring(&body->arena, "arm", &body->patches, 4, mixed, bone, &ring, &error),
      SUP_ERROR_FORMAT);
  assert_non_null(strstr(error.text, "'arm'"));
  assert_int_equal(sup_chunk_ring(&body->arena, "arm", &body->patches, 2, few, bone, &ring, &error),
                   SUP_ERROR_FORMAT);
  assert_int_equal(sup_chunk_ring(&body->arena, "arm", &body->patches, 8, all, bone, &ring, &error),
                   SUP_ERROR_FORMAT);
  patch_body_free(body);
}

/* Whose memory runs out gives it all back. */
static void memory_may_run_out(void **state) {
  (void)state;
  PatchBody *body = limb_body(1, limb_cylinder, 0);
  const SupPatchCharts charts = body_charts(body);
  const SupChunkDef def = body_def(body, &charts, 1, 4);
  const SupVec3d bone[2] = {{0, 0, 0}, {0, 0, 4}};
  const uint32_t members[4] = {0, 1, 2, 3};
  const SupVec3d shell[4] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  bool done = false;
  for (size_t fail = 1; !done; fail++) {
    CountingHeap heap = {.fail_at = fail};
    SupArena arena;
    SupChunk chunk = {0}, none = {0};
    SupPatchRing ring;
    sup_arena_init(&arena, counting_allocator(&heap), 0);
    SupResult result = sup_chunk_ring(&arena, "arm", &body->patches, 4, members, bone, &ring, NULL);
    if (result == SUP_OK) result = sup_chunk_separable(&arena, &def, &ring, bone, &chunk, NULL);
    done = result == SUP_OK;
    assert_true(done || result == SUP_ERROR_MEMORY);
    assert_int_equal(chunk.slice_count, done ? 4 : 0);
    /* A shell that is one point above the skin: no volume is left. */
    result = sup_chunk_ordinary(&arena, &def, 0, SUP_SLICE_FAN, shell, &none, NULL);
    assert_true(result == SUP_ERROR_MEMORY || result == SUP_ERROR_FORMAT);
    assert_int_equal(none.slice_count, 0);
    sup_arena_free(&arena);
    assert_int_equal(heap.live_blocks, 0);
  }
  patch_body_free(body);
}

/* A ball and an octahedron: 1 - 2^(-1/3); a tube of any number of sides: 1 - 2^(-1/2). */
static void half_depths(void **state) {
  (void)state;
  PatchBody *body = patch_ball(3, 0, (SupVec3){1, 1, 1}, 0, 0);
  SupVec3d *positions;
  const SupShell octahedron = body_shell(body, 1, &positions);
  const uint32_t count = body->mesh.triangle_count, vertices = body->mesh.vertex_count;
  uint32_t *offsets = SUP_ALLOC(&body->arena, uint32_t, count + 1);
  SupVec3d *ball = SUP_ALLOC(&body->arena, SupVec3d, vertices);
  SupShell fine, tube;
  SupError error = {0};
  double depth, volume;
  assert_int_equal(
      sup_shell_half_depth(&body->arena, &octahedron, positions, positions, &depth, NULL), SUP_OK);
  assert_true(fabs(depth - (1 - pow(2, -1.0 / 3))) < 1e-7);
  for (uint32_t f = 0; f < count; f++) offsets[f + 1] = 3 * (f + 1);
  for (uint32_t v = 0; v < vertices; v++) ball[v] = sup_vec3_to_double(body->mesh.positions[v]);
  assert_int_equal(
      sup_shell_create(&body->arena, vertices, count, offsets, body->mesh.triangles, &fine, NULL),
      SUP_OK);
  assert_int_equal(sup_shell_half_depth(&body->arena, &fine, ball, ball, &depth, NULL), SUP_OK);
  assert_true(fabs(depth - 0.2063) < 1e-4);
  /* Five-sided, radius 2; its two openings are closed. */
  SupVec3d places[10], normals[10], inverted[10];
  uint32_t corners[20], quads[6] = {0, 4, 8, 12, 16, 20};
  for (uint32_t v = 0; v < 10; v++) {
    const double angle = 2 * SUP_PI * (v % 5) / 5;
    normals[v] = (SupVec3d){cos(angle), sin(angle), 0};
    places[v] = (SupVec3d){2 * cos(angle), 2 * sin(angle), v < 5 ? -1 : 4};
    inverted[v] = sup_vec3d_negate(normals[v]);
  }
  for (uint32_t f = 0; f < 5; f++) {
    const uint32_t quad[4] = {f, (f + 1) % 5, (f + 1) % 5 + 5, f + 5};
    memcpy(corners + 4 * f, quad, sizeof quad);
  }
  assert_int_equal(sup_shell_create(&body->arena, 10, 5, quads, corners, &tube, NULL), SUP_OK);
  assert_int_equal(sup_shell_volume(&body->arena, &tube, places, &volume, NULL), SUP_OK);
  assert_true(fabs(volume - 5 * 5 * 4 * sin(2 * SUP_PI / 5) / 2) < 1e-12);
  assert_int_equal(sup_shell_half_depth(&body->arena, &tube, places, normals, &depth, NULL),
                   SUP_OK);
  assert_true(fabs(depth - 2 * (1 - sqrt(0.5))) < 1e-12);
  assert_int_equal(sup_shell_half_depth(&body->arena, &tube, places, inverted, &depth, &error),
                   SUP_ERROR_FORMAT);
  /* Two faces on the same side of an edge. */
  uint32_t twice[8] = {0, 1, 2, 3, 0, 1, 5, 4};
  assert_int_equal(sup_shell_create(&body->arena, 10, 2, quads, twice, &tube, &error),
                   SUP_ERROR_FORMAT);
  assert_non_null(strstr(error.text, "faces 1 and 2"));
  patch_body_free(body);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(table_4_3),
      cmocka_unit_test(slices_cover_the_polygon),
      cmocka_unit_test(limbs_are_filled),
      cmocka_unit_test(spokes_of_the_prototype_invert),
      cmocka_unit_test(limbs_meet),
      cmocka_unit_test(ordinary_chunks_on_sheets),
      cmocka_unit_test(ordinary_chunks_meet),
      cmocka_unit_test(flawed_chunks_are_refused),
      cmocka_unit_test(memory_may_run_out),
      cmocka_unit_test(half_depths),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
