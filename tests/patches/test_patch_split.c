/* SPDX-License-Identifier: MIT */
/* Patches divided through their charts: counts, areas, discs, neighbours, copies, no room. */
#include <math.h>

#include "patch_bodies.h"
#include "supple/author/patch_split.h"
#include "supple/train/patch_map.h"

typedef struct Divided {
  SupPatchesDef def;
  SupPatches patches;
  SupPatchCharts charts;
} Divided;

static void lay_flat(PatchBody *body, Divided *d, const Divided *like) {
  uint32_t matches[512];
  SupPatchMapDef def = {.def = &d->def, .patches = &d->patches};
  SupError error = {0};
  if (like) {
    assert_int_equal(sup_patches_match(&d->def, &d->patches, &like->def, &like->patches, matches),
                     d->patches.patch_count);
    def.like = &like->charts;
    def.like_charts = matches;
  }
  if (sup_patch_charts(&body->arena, &def, &d->charts, &error) != SUP_OK)
    fail_msg("%s", error.text);
}

static Divided begin(PatchBody *body, const Divided *like) {
  Divided d = {.def = body->def, .patches = body->patches};
  lay_flat(body, &d, like);
  return d;
}

static SupPatchSplitDef split_def(const Divided *d) {
  return (SupPatchSplitDef){&d->def, &d->patches, &d->charts};
}

static uint32_t can_split(PatchBody *body, const Divided *d, bool *out_can) {
  const SupPatchSplitDef def = split_def(d);
  uint32_t count = 0;
  assert_int_equal(sup_patches_can_split(&body->arena, &def, out_can, NULL), SUP_OK);
  for (uint32_t p = 0; p < d->patches.patch_count; p++) count += out_can[p];
  return count;
}

static Divided split(PatchBody *body, const Divided *d, const bool *which, const Divided *like) {
  const SupPatchSplitDef def = split_def(d);
  Divided out = {.def = d->def};
  SupError error = {0};
  SupResult result = sup_patches_split(&body->arena, &def, which, &out.def, &out.patches, &error);
  if (result != SUP_OK) fail_msg("%s", error.text);
  lay_flat(body, &out, like);
  return out;
}

static bool is_part(const char *part, const char *name) {
  const size_t length = strlen(name);
  return strncmp(part, name, length) == 0 && part[length] == '/';
}

/* A disc by Euler's number, counted from its triangles. */
static void check_disc(const SupPatches *patches, const SupPatch *patch) {
  uint8_t *seen = calloc(patches->mesh.vertex_count, 1);
  int64_t vertices = 0, edges = (3 * (int64_t)patch->triangle_count + patch->loop_count) / 2;
  for (uint32_t k = 0; k < 3 * patch->triangle_count; k++) {
    const uint32_t v = patches->mesh.triangles[3 * (size_t)patch->triangles[k / 3] + k % 3];
    vertices += !seen[v];
    seen[v] = 1;
  }
  assert_int_equal(vertices - edges + patch->triangle_count, 1);
  free(seen);
}

/* Every divided patch has one part of four sides per side, which cover it; others are whole. */
static void check_parts(const Divided *before, const bool *which, const Divided *after) {
  uint32_t expected = 0;
  for (uint32_t p = 0; p < before->patches.patch_count; p++) {
    const SupPatch *old = &before->patches.patches[p];
    double area = 0;
    uint32_t parts = 0;
    for (uint32_t k = 0; k < after->patches.patch_count; k++) {
      const SupPatch *part = &after->patches.patches[k];
      if (which[p] ? !is_part(part->name, old->name) : strcmp(part->name, old->name) != 0) continue;
      if (which[p]) assert_int_equal(part->side_count, 4);
      assert_string_equal(part->zone, old->zone);
      check_disc(&after->patches, part);
      area += part->area;
      parts++;
    }
    assert_int_equal(parts, which[p] ? old->side_count : 1);
    assert_true(fabs(area - old->area) < 1e-5 * old->area);
    expected += parts;
  }
  assert_int_equal(after->patches.patch_count, expected);
  assert_int_equal(after->patches.euler, before->patches.euler);
}

/* Balls in eight patches, by edges and across triangles, smooth and bumpy, twice. */
static void balls_are_divided(void **state) {
  (void)state;
  const SupVec3 scales[2] = {{1, 1, 1}, {0.4f, 1, 2}};
  for (uint32_t round = 0; round < 8; round++) {
    PatchBody *body = patch_ball(3, 0.03 * (round % 4), scales[round % 2], round % 3, round);
    bool can[512];
    const Divided whole = begin(body, NULL);
    assert_int_equal(can_split(body, &whole, can), 8);
    const Divided once = split(body, &whole, can, NULL);
    assert_int_equal(once.patches.patch_count, 24);
    assert_int_equal(once.def.feature_count, 6 + 12 + 8);
    assert_int_equal(once.def.boundary_count, 2 * 12 + 24);
    assert_int_equal(once.patches.euler, 2);
    check_parts(&whole, can, &once);
    assert_true(can_split(body, &once, can) > 12);
    const Divided twice = split(body, &once, can, NULL);
    check_parts(&once, can, &twice);
    assert_true(twice.patches.patch_count > 60);
    patch_body_free(body);
  }
}

/* One patch is not divided: its sides are, where it has neighbours that are. */
static void one_stays_whole(void **state) {
  (void)state;
  PatchBody *body = patch_ball(3, 0, (SupVec3){1, 1, 1}, 2, 1);
  bool which[8] = {false, true, true, true, true, true, true, true};
  const Divided whole = begin(body, NULL), d = split(body, &whole, which, NULL);
  check_parts(&whole, which, &d);
  assert_int_equal(d.patches.patches[0].side_count, 6);
  which[1] = false;
  for (uint32_t p = 0; p < 8; p++) which[p] = p == 7;
  const Divided one = split(body, &whole, which, NULL);
  check_parts(&whole, which, &one);
  assert_int_equal(one.def.boundary_count, 12 + 3 + 3);
  patch_body_free(body);
}

/* The middle of a flat square, and of each of its sides, is where it is. */
static void squares_are_quartered(void **state) {
  (void)state;
  const uint32_t corners[4] = {0, 8, 80, 72};
  PatchBody *body = patch_sheet(8, 0, 4, corners);
  bool can[4];
  const Divided whole = begin(body, NULL);
  assert_int_equal(can_split(body, &whole, can), 1);
  const Divided d = split(body, &whole, can, NULL);
  assert_int_equal(d.patches.patch_count, 4);
  for (uint32_t p = 0; p < 4; p++) {
    assert_true(fabs(d.patches.patches[p].area - whole.patches.patches[0].area / 4) < 1e-9);
  }
  for (uint32_t f = 4; f < 9; f++) {
    const SupVec3d at = sup_skin_point_place(&body->mesh, d.def.features[f].at);
    assert_true(at.x == 4 || at.y == 4);
    if (f == 8) assert_true(at.x == 4 && at.y == 4);
  }
  patch_body_free(body);
}

/* Another mesh of the same shape: the same names and sides, parts nearly as large. */
static void others_correspond(void **state) {
  (void)state;
  PatchBody *a = patch_ball(4, 0, (SupVec3){1, 1.4f, 0.8f}, 2, 3);
  PatchBody *b = patch_ball(3, 0, (SupVec3){100, 140, 80}, 0, 5);
  bool can[512];
  Divided x = begin(a, NULL), y = begin(b, &x);
  assert_int_equal(can_split(a, &x, can), 8);
  x = split(a, &x, can, NULL);
  assert_int_equal(can_split(b, &y, can), 8);
  y = split(b, &y, can, &x);
  assert_int_equal(sup_patches_isomorphic(&x.def, &x.patches, &y.def, &y.patches, NULL), SUP_OK);
  uint32_t matches[64];
  sup_patches_match(&x.def, &x.patches, &y.def, &y.patches, matches);
  for (uint32_t p = 0; p < x.patches.patch_count; p++) {
    const double ratio = y.patches.patches[matches[p]].area / x.patches.patches[p].area;
    if (!(ratio > 5000 && ratio < 20000)) print_error("%u: %g\n", p, ratio);
    assert_true(ratio > 5000 && ratio < 20000);
  }
  patch_body_free(a);
  patch_body_free(b);
}

/* Divided again and again, patches run out of edges; asked for, such a one is refused. */
static void without_room(void **state) {
  (void)state;
  PatchBody *body = patch_ball(1, 0, (SupVec3){1, 1, 1}, 0, 0);
  bool can[512], all[512];
  Divided d = begin(body, NULL);
  uint32_t rounds = 0;
  SupError error = {0};
  while (can_split(body, &d, can) == d.patches.patch_count && rounds++ < 3) {
    d = split(body, &d, can, NULL);
  }
  assert_true(rounds < 3);
  const Divided some = split(body, &d, can, NULL);
  check_parts(&d, can, &some);
  for (uint32_t p = 0; p < d.patches.patch_count; p++) all[p] = true;
  const SupPatchSplitDef def = split_def(&d);
  Divided out = d;
  assert_int_equal(sup_patches_split(&body->arena, &def, all, &out.def, &out.patches, &error),
                   SUP_ERROR_ARGUMENT);
  assert_non_null(strstr(error.text, "has no room to be divided"));
  patch_body_free(body);
}

static void names_are_given_once(void **state) {
  (void)state;
  PatchBody *body = patch_ball(3, 0, (SupVec3){1, 1, 1}, 0, 0);
  bool can[8];
  Divided whole = begin(body, NULL);
  const SupPatchSplitDef def = split_def(&whole);
  Divided d = whole;
  SupError error = {0};
  body->features[3].name = "0/middle";
  assert_int_equal(can_split(body, &whole, can), 8);
  assert_int_equal(sup_patches_split(&body->arena, &def, can, &d.def, &d.patches, &error),
                   SUP_ERROR_FORMAT);
  assert_non_null(strstr(error.text, "a second feature '0/middle'"));
  patch_body_free(body);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(balls_are_divided),     cmocka_unit_test(one_stays_whole),
      cmocka_unit_test(squares_are_quartered), cmocka_unit_test(others_correspond),
      cmocka_unit_test(without_room),          cmocka_unit_test(names_are_given_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
