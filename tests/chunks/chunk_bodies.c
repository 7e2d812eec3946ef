/* SPDX-License-Identifier: MIT */
#include "chunk_bodies.h"

#include "supple/train/patch_map.h"

enum { AROUND = 32, ALONG = 36 };

double limb_cylinder(double u) {
  (void)u;
  return 1;
}

double limb_hourglass(double u) { return 1 - 0.6 * sup_sin(SUP_PI * u); }

double limb_waist(double u) { return 1 - 0.4 * sup_sin(SUP_PI * u); }

SupQuatd limb_turn(uint32_t k, double bend) {
  return sup_quatd_from_axis_angle((SupVec3d){1, 0, 0}, bend * k);
}

SupVec3d limb_joint(uint32_t k, double bend) {
  SupVec3d at = {0, 0, 0};
  for (uint32_t i = 0; i < k; i++) {
    at = sup_vec3d_add(at, sup_quatd_rotate(limb_turn(i, bend), (SupVec3d){0, 0, LIMB_LENGTH}));
  }
  return at;
}

/* Mitred: the ring at a joint lies in the plane between the two limbs. */
static SupVec3d limb_place(uint32_t limbs, LimbRadius *radius, double bend, uint32_t row,
                           double angle) {
  uint32_t k = row / ALONG < limbs ? row / ALONG : limbs - 1;
  const double u = (double)(row - k * ALONG) / ALONG, r = radius(u);
  const double slope = sup_sin(bend / 2) / sup_cos(bend / 2);
  const double y = r * sup_sin(angle);
  /* In the frame of the limb: sheared between the planes at its two ends. */
  const double start = k ? slope : 0, end = k + 1 < limbs ? -slope : 0;
  const SupVec3d p = {r * sup_cos(angle), y, LIMB_LENGTH * u - y * (start * (1 - u) + end * u)};
  return sup_vec3d_add(limb_joint(k, bend), sup_quatd_rotate(limb_turn(k, bend), p));
}

static void add_mesh(PatchBody *body, uint32_t limbs, LimbRadius *radius, double bend) {
  const uint32_t rows = limbs * ALONG + 1;
  SupVec3 *places = SUP_ALLOC(&body->arena, SupVec3, rows * AROUND);
  uint32_t *corners = SUP_ALLOC(&body->arena, uint32_t, 6 * (rows - 1) * AROUND), count = 0;
  assert_true(places && corners);
  for (uint32_t v = 0; v < rows * AROUND; v++) {
    const double angle = 2 * SUP_PI * (v % AROUND) / AROUND;
    places[v] = sup_vec3d_to_float(limb_place(limbs, radius, bend, v / AROUND, angle));
    if (v / AROUND + 1 == rows) continue;
    const uint32_t next = v % AROUND == AROUND - 1 ? v + 1 - AROUND : v + 1;
    const uint32_t quad[6] = {v, next, next + AROUND, v, next + AROUND, v + AROUND};
    memcpy(corners + count, quad, sizeof quad);
    count += 6;
  }
  body->mesh = (SupMesh){rows * AROUND, count / 3, places, corners};
  assert_int_equal(sup_topology(&body->arena, &body->mesh, &body->topology, NULL), SUP_OK);
  body->def.mesh = body->mesh;
  body->def.topology = &body->topology;
  body->def.source = "limbs";
  body->def.features = body->features;
  body->def.boundaries = body->boundaries;
}

static const char *name_of(PatchBody *body, const char *kind, uint32_t k) {
  char text[16];
  const size_t length = sup_format(text, sizeof text, "%s%u", kind, k);
  return sup_arena_string(&body->arena, text, length);
}

/* Along vertices from one to another in steps. */
static void add_boundary(PatchBody *body, uint32_t from, uint32_t to, uint32_t first, uint32_t step,
                         uint32_t count, uint32_t wrap) {
  SupSkinPoint *points = SUP_ALLOC(&body->arena, SupSkinPoint, count + 1);
  const uint32_t row = first / AROUND * AROUND;
  for (uint32_t k = 0; k <= count; k++) {
    const uint32_t v = first + k * step;
    points[k] = sup_skin_vertex(wrap ? row + (v - row) % AROUND : v);
  }
  const uint32_t b = body->def.boundary_count++;
  body->boundaries[b] = (SupPatchBoundary){
      .name = name_of(body, "b", b), .from = from, .to = to, .path = {count + 1, points, 0}};
  body->boundaries[b].path.length = sup_skin_points_length(&body->mesh, count + 1, points);
}

PatchBody *limb_body(uint32_t limbs, LimbRadius *radius, double bend) {
  PatchBody *body = patch_body();
  SupError error = {0};
  add_mesh(body, limbs, radius, bend);
  for (uint32_t k = 0; k < 4 * (limbs + 1); k++) {
    const uint32_t v = k / 4 * ALONG * AROUND + k % 4 * (AROUND / 4);
    body->features[k] = (SupPatchFeature){name_of(body, "f", k), sup_skin_vertex(v), 0};
  }
  body->def.feature_count = 4 * (limbs + 1);
  for (uint32_t k = 0; k < 4 * (limbs + 1); k++) {
    const uint32_t v = body->features[k].at.a;
    add_boundary(body, k, k / 4 * 4 + (k + 1) % 4, v, 1, AROUND / 4, true);
    if (k < 4 * limbs) add_boundary(body, k, k + 4, v, AROUND, ALONG, false);
  }
  SupResult result = sup_patches_create(&body->arena, &body->def, &body->patches, &error);
  if (result != SUP_OK) print_error("%s\n", error.text);
  assert_int_equal(result, SUP_OK);
  assert_int_equal(body->patches.patch_count, 4 * limbs);
  return body;
}

SupPatchCharts body_charts(PatchBody *body) {
  const SupPatchMapDef def = {.def = &body->def, .patches = &body->patches};
  SupPatchCharts charts;
  assert_int_equal(sup_patch_charts(&body->arena, &def, &charts, NULL), SUP_OK);
  return charts;
}

SupChunkDef body_def(const PatchBody *body, const SupPatchCharts *charts, uint32_t levels,
                     uint32_t slices) {
  return (SupChunkDef){.name = "flesh",
                       .skin = &body->mesh,
                       .charts = charts,
                       .levels = levels,
                       .slice_count = slices,
                       .relaxations = SUP_CHUNK_RELAXATIONS};
}

/* Patches whose middle lies at the height of limb k; the body is straight or bends a little. */
static void patches_of_limb(const PatchBody *body, uint32_t k, double bend, uint32_t out[4]) {
  const SupVec3d a = limb_joint(k, bend);
  const SupVec3d along = sup_vec3d_sub(limb_joint(k + 1, bend), a);
  uint32_t count = 0;
  for (uint32_t p = 0; p < body->patches.patch_count; p++) {
    const SupPatch *patch = &body->patches.patches[p];
    SupVec3d sum = {0, 0, 0};
    for (uint32_t c = 0; c < 4; c++) {
      const SupVec3 at = body->patches.mesh.positions[patch->loop[patch->corners[c]]];
      sum = sup_vec3d_add_scaled(sum, sup_vec3_to_double(at), 0.25);
    }
    const double u = sup_vec3d_dot(sup_vec3d_sub(sum, a), along) / sup_vec3d_dot(along, along);
    if (u > 0 && u < 1) out[count++] = p;
  }
  assert_int_equal(count, 4);
}

SupChunk limb_chunk(PatchBody *body, const SupChunkDef *def, uint32_t k, double bend) {
  const SupVec3d bone[2] = {limb_joint(k, bend), limb_joint(k + 1, bend)};
  uint32_t p[4];
  SupPatchRing ring;
  SupChunk chunk = {0};
  SupError error = {0};
  patches_of_limb(body, k, bend, p);
  const uint32_t confused[4] = {p[2], p[0], p[3], p[1]};
  SupResult result =
      sup_chunk_ring(&body->arena, def->name, &body->patches, 4, confused, bone, &ring, &error);
  if (result == SUP_OK) {
    result = sup_chunk_separable(&body->arena, def, &ring, bone, &chunk, &error);
  }
  if (result != SUP_OK) print_error("%s\n", error.text);
  assert_int_equal(result, SUP_OK);
  return chunk;
}

SupShell body_shell(PatchBody *body, double size, SupVec3d **out_positions) {
  const uint32_t count = body->def.feature_count, faces = body->patches.patch_count;
  SupVec3d *positions = SUP_ALLOC(&body->arena, SupVec3d, count);
  uint32_t *offsets = SUP_ALLOC(&body->arena, uint32_t, faces + 1);
  uint32_t *corners = SUP_ALLOC(&body->arena, uint32_t, 8 * faces);
  SupShell shell;
  assert_true(positions && offsets && corners);
  for (uint32_t v = 0; v < count; v++) {
    const SupVec3d at = sup_skin_point_place(&body->mesh, body->features[v].at);
    positions[v] = sup_vec3d_scale(at, size);
  }
  for (uint32_t f = 0; f < faces; f++) {
    const SupPatch *patch = &body->patches.patches[f];
    offsets[f + 1] = offsets[f] + patch->side_count;
    for (uint32_t k = 0; k < patch->side_count; k++) {
      for (uint32_t v = 0; v < count; v++) {
        if (body->patches.features[v] == patch->loop[patch->corners[k]]) {
          corners[offsets[f] + k] = v;
        }
      }
    }
  }
  assert_int_equal(sup_shell_create(&body->arena, count, faces, offsets, corners, &shell, NULL),
                   SUP_OK);
  *out_positions = positions;
  return shell;
}

SupChunk shell_chunk(PatchBody *body, const SupChunkDef *def, const SupShell *shell,
                     const SupVec3d *positions, uint32_t p, SupSliceKind kind) {
  SupVec3d below[8];
  SupChunk chunk = {0};
  SupError error = {0};
  for (uint32_t k = shell->offsets[p]; k < shell->offsets[p + 1]; k++) {
    below[k - shell->offsets[p]] = positions[shell->corners[k]];
  }
  SupResult result = sup_chunk_ordinary(&body->arena, def, p, kind, below, &chunk, &error);
  if (result != SUP_OK) print_error("%s\n", error.text);
  assert_int_equal(result, SUP_OK);
  return chunk;
}
