/* SPDX-License-Identifier: MIT */
#include "patch_checks.h"

#include <math.h>

#include "supple/geom/topology.h"
#include "supple/io/file.h"

static double triangle_area(const SupVec3d p[3]) {
  return sup_vec3d_length(sup_vec3d_cross(sup_vec3d_sub(p[1], p[0]), sup_vec3d_sub(p[2], p[0]))) /
         2;
}

static void check_areas(const SupMesh *skin, const SupPatchAuto *found) {
  const SupPatches *patches = &found->patches;
  double *areas = calloc(skin->triangle_count, sizeof *areas), covered = 0, whole = 0;
  assert_non_null(areas);
  for (uint32_t f = 0; f < patches->mesh.triangle_count; f++) {
    SupVec3d p[3];
    for (unsigned k = 0; k < 3; k++) {
      const uint32_t v = patches->mesh.triangles[3 * f + k];
      p[k] = sup_skin_point_place(skin, patches->points[v]);
    }
    areas[patches->owners[f]] += triangle_area(p);
    if (patches->regions[f] != SUP_NONE) covered += triangle_area(p);
  }
  for (uint32_t f = 0; f < skin->triangle_count; f++) {
    SupVec3d p[3];
    for (unsigned k = 0; k < 3; k++) {
      p[k] = sup_vec3_to_double(skin->positions[skin->triangles[3 * f + k]]);
    }
    const double area = triangle_area(p);
    const double longest = fmax(sup_vec3d_distance(p[0], p[1]), sup_vec3d_distance(p[1], p[2]));
    assert_true(fabs(areas[f] - area) < 1e-9 * (area + longest * longest));
    whole += area;
  }
  assert_true(fabs(found->covered - covered / whole) < 1e-6);
  free(areas);
}

/* Every patch is one disc by its own topology, and every triangle in one patch at most. */
static void check_discs(const SupPatches *patches) {
  uint32_t *owners = malloc(patches->mesh.triangle_count * sizeof *owners);
  assert_non_null(owners);
  memset(owners, 0xff, patches->mesh.triangle_count * sizeof *owners);
  for (uint32_t k = 0; k < patches->patch_count; k++) {
    const SupPatch *patch = &patches->patches[k];
    SupTopology topology;
    SupMesh mesh = patches->mesh;
    SupArena arena;
    uint32_t *corners = calloc(3 * (size_t)patch->triangle_count, sizeof *corners);
    assert_non_null(corners);
    for (uint32_t f = 0; f < patch->triangle_count; f++) {
      const uint32_t triangle = patch->triangles[f];
      assert_int_equal(owners[triangle], UINT32_MAX);
      owners[triangle] = k;
      memcpy(corners + 3 * f, mesh.triangles + 3 * triangle, 3 * sizeof *corners);
    }
    mesh.triangles = corners;
    mesh.triangle_count = patch->triangle_count;
    sup_arena_init(&arena, sup_heap_allocator(), 0);
    assert_int_equal(sup_topology(&arena, &mesh, &topology, NULL), SUP_OK);
    assert_int_equal(topology.component_count, 1);
    assert_int_equal(topology.components[0].euler, 1);
    assert_int_equal(topology.loop_count, 1);
    assert_true(patch->side_count >= 3);
    sup_arena_free(&arena);
    free(corners);
  }
  free(owners);
}

static void check_names(const SupPatchAuto *found) {
  const SupPatchPlan *plan = &found->plan;
  assert_int_equal(plan->name_count, found->patches.patch_count);
  for (uint32_t k = 0; k < plan->name_count; k++) {
    bool zone = false;
    assert_string_equal(found->patches.patches[k].name, plan->names[k].name);
    for (uint32_t i = 0; i < plan->zone_count; i++) {
      if (strcmp(plan->zones[i].name, plan->names[k].zone) != 0) continue;
      zone = true;
      /* Solid flesh has a bone, and four-sided patches around it. */
      if (plan->zones[i].kind != SUP_PATCH_ZONE_SOLID) continue;
      assert_int_equal(plan->names[k].boundary_count, 4);
      assert_non_null(plan->zones[i].flesh);
      assert_non_null(plan->zones[i].flesh->bone[1]);
    }
    assert_true(zone);
    for (uint32_t i = 0; i < k; i++) {
      assert_string_not_equal(plan->names[i].name, plan->names[k].name);
    }
  }
}

void check_isomorphic(const SupPatchAuto *a, const SupPatchAuto *b) {
  SupError error = {{0}};
  const SupResult result =
      sup_patches_isomorphic(&a->def, &a->patches, &b->def, &b->patches, &error);
  if (result != SUP_OK) print_error("%s\n", error.text);
  assert_int_equal(result, SUP_OK);
}

void check_auto(SupArena *arena, const SupPatchAutoDef *def, SupPatchAuto *out) {
  const SupMesh *skin = &def->character->body;
  SupError error = {{0}};
  *out = (SupPatchAuto){.ring_count = 0};
  SupResult result = sup_patch_auto(arena, def, out, &error);
  if (result != SUP_OK) print_error("%s: %s\n", def->character->name, error.text);
  assert_int_equal(result, SUP_OK);
  check_areas(skin, out);
  check_discs(&out->patches);
  check_names(out);
  SupPatchAuto again = *out;
  result =
      sup_patch_plan_trace(arena, &out->plan, def->character, &out->topology, &again.def, &error);
  if (result == SUP_OK) result = sup_patches_create(arena, &again.def, &again.patches, &error);
  if (result != SUP_OK) print_error("%s: %s\n", def->character->name, error.text);
  assert_int_equal(result, SUP_OK);
  check_isomorphic(out, &again);
}

static bool mirror_word(const char *word, size_t length, char *out) {
  static const char *const pairs[][2] = {{"left", "right"}, {"l", "r"}, {"L", "R"}};
  for (size_t k = 0; k < 6; k++) {
    const char *from = pairs[k / 2][k % 2], *to = pairs[k / 2][1 - k % 2];
    if (strlen(from) != length || memcmp(from, word, length) != 0) continue;
    strcpy(out, to);
    return true;
  }
  memcpy(out, word, length);
  out[length] = 0;
  return false;
}

bool mirror_name(const char *name, size_t size, char *out) {
  size_t used = 0;
  if (strlen(name) + 40 > size) return false;
  while (*name) {
    size_t length = strcspn(name, "._-0123456789");
    if (length == 0) length = 1;
    mirror_word(name, length, out + used);
    used += strlen(out + used);
    name += length;
  }
  return true;
}
