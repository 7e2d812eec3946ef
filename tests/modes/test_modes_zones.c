/* SPDX-License-Identifier: MIT */
/* Modes of zones: where they are, how fast they swing. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "supple/author/builtin.h"
#include "supple/io/file.h"
#include "train/modes/modes_volume.h"
#include "wobble.h"

enum { MODES = 4 };

typedef struct Zones {
  SupArena arena;
  SupCharacter character;
  SupModesTrainDef def;
  ModesVolume whole;
  uint32_t *limbs, limb_count;
} Zones;

static ModesVolume solve(Zones *z, const uint32_t *zones) {
  SupModesTrainReport report = {0};
  ModesVolume volume;
  SupError error;
  z->def.bone_zones = zones;
  if (sup_modes_volume(&z->arena, &z->def, &volume, &report, &error)) fail_msg("%s", error.text);
  return volume;
}

static int create(void **state) {
  static Zones z;
  SupError error;
  sup_arena_init(&z.arena, sup_heap_allocator(), 0);
  const SupBuiltinDef builtin = {.name = "mochi", .vertices = 600};
  if (sup_builtin_character(&z.arena, &builtin, &z.character, &error)) fail_msg("%s", error.text);
  z.def = sup_modes_train_def(&z.character);
  z.def.fill.tet_target = 2500;
  z.def.mode_count = MODES;
  z.limbs = SUP_ALLOC(&z.arena, uint32_t, z.character.skeleton.bone_count);
  if (sup_modes_limbs(&z.arena, &z.character, z.limbs, &z.limb_count, &error)) {
    fail_msg("%s", error.text);
  }
  z.whole = solve(&z, NULL);
  *state = &z;
  return 0;
}

static int destroy(void **state) {
  Zones *z = *state;
  sup_arena_free(&z->arena);
  return 0;
}

/* The fraction of a node's weight that the bones of a zone have. */
static float fraction_of(const ModesVolume *volume, const uint32_t *zones, uint32_t node,
                         uint32_t zone) {
  const SupAttachment *attachment = &volume->attachment;
  float sum = 0;
  for (size_t k = SUP_ATTACH_BONES * (size_t)node; k < SUP_ATTACH_BONES * ((size_t)node + 1); k++) {
    if (zones[attachment->bones[k]] == zone) sum += attachment->weights[k];
  }
  return sum;
}

static void limbs_of_mochi(void **state) {
  Zones *z = *state;
  const SupSkeleton *skeleton = &z->character.skeleton;
  uint32_t arms[2] = {SUP_NONE, SUP_NONE};
  for (uint32_t b = 0; b < skeleton->bone_count; b++) {
    const char *name = skeleton->names[skeleton->bone_joints[b]];
    assert_true(z->limbs[b] < z->limb_count);
    printf("%s %u%s", name, z->limbs[b], b + 1 < skeleton->bone_count ? ", " : "\n");
    if (strcmp(name, "upperarm_l") == 0 || strcmp(name, "arm_l") == 0) arms[0] = z->limbs[b];
    if (strcmp(name, "upperarm_r") == 0 || strcmp(name, "arm_r") == 0) arms[1] = z->limbs[b];
  }
  assert_true(z->limb_count >= 4 && z->limb_count < skeleton->bone_count);
  assert_true(arms[0] == SUP_NONE || arms[0] != arms[1]);
}

/* Still outside its zone, alive inside, no slower than the whole body's mode of the same rank, and
 * the oscillators of all zones are independent of each other. */
static void stay_and_swing_faster(void **state) {
  Zones *z = *state;
  const ModesVolume volume = solve(z, z->limbs);
  uint32_t rank[64] = {0}, found = 0;
  double slowest = INFINITY;
  assert_true(volume.mode_count > MODES && volume.mode_count <= MODES * z->limb_count);
  for (uint32_t k = 0; k < volume.mode_count; k++) {
    const uint32_t zone = volume.zones[k];
    double inside = 0, outside = 0;
    for (uint32_t i = 0; i < volume.body.free_count; i++) {
      const uint32_t n = volume.body.free_nodes[i];
      const double size = sup_vec3d_length(modes_at_node(&volume, k, i));
      double *to = fraction_of(&volume, z->limbs, n, zone) > 0 ? &inside : &outside;
      *to = fmax(*to, size);
    }
    assert_true(inside > 0 && outside == 0);
    assert_true(k == 0 || volume.stiffness[k] >= volume.stiffness[k - 1]);
    assert_true(volume.stiffness[k] >= z->whole.stiffness[rank[zone]] * (1 - 1e-9));
    found += rank[zone]++ == 0;
    slowest = fmin(slowest, volume.stiffness[k]);
    for (uint32_t l = 0; l <= k; l++) {
      double sum = 0;
      for (uint32_t i = 0; i < volume.body.free_count; i++) {
        sum += volume.body.masses[volume.body.free_nodes[i]] *
               sup_vec3d_dot(modes_at_node(&volume, k, i), modes_at_node(&volume, l, i));
      }
      assert_true(fabs(sum - (k == l)) < 1e-9);
    }
  }
  printf("%u modes of %u zones from %.2f Hz; the whole body from %.2f Hz\n", volume.mode_count,
         found, sqrt(slowest) / (2 * SUP_PI), sqrt(z->whole.stiffness[0]) / (2 * SUP_PI));
  assert_true(found > 2);
}

/* One zone that is the whole body is the whole body. */
static void one_zone_is_the_body(void **state) {
  Zones *z = *state;
  uint32_t *zones = SUP_ALLOC(&z->arena, uint32_t, z->character.skeleton.bone_count);
  const ModesVolume volume = solve(z, zones);
  assert_int_equal(volume.mode_count, MODES);
  for (uint32_t k = 0; k < MODES; k++) {
    assert_true(fabs(volume.stiffness[k] / z->whole.stiffness[k] - 1) < 1e-12);
    assert_true(fabs(volume.decay[k] / z->whole.decay[k] - 1) < 1e-9);
  }
}

/* A whole model of one limb: skin elsewhere does not move, and it can be stepped. */
static void model_of_a_limb(void **state) {
  Zones *z = *state;
  const uint32_t bones = z->character.skeleton.bone_count, count = z->character.body.vertex_count;
  uint32_t *zones = SUP_ALLOC(&z->arena, uint32_t, bones);
  SupModesTrainReport report;
  SupModel *model;
  SupModesDef def;
  SupError error;
  const uint32_t limb = z->limbs[bones - 1];
  for (uint32_t b = 0; b < bones; b++) zones[b] = z->limbs[b] == limb ? 0 : SUP_NONE;
  z->def.bone_zones = zones;
  if (sup_modes_train(&z->arena, &z->def, &model, &report, &error)) fail_msg("%s", error.text);
  assert_int_equal(report.zone_count, 1);
  assert_int_equal(sup_modes_unpack(&z->arena, model, &def, &error), SUP_OK);
  uint32_t moving = 0, away = 0;
  for (uint32_t v = 0; v < count; v++) {
    float own = 0, size = 0;
    for (uint32_t k = z->character.skin.offsets[v]; k < z->character.skin.offsets[v + 1]; k++) {
      if (zones[z->character.skin.bones[k]] == 0) own += z->character.skin.weights[k];
    }
    for (uint32_t k = 0; k < def.mode_count; k++) {
      size = fmaxf(size, sup_vec3_length(def.shapes[k * count + v]));
    }
    moving += size > 0;
    away += own == 0 && size > 0;
  }
  printf("%u of %u vertices move, %u of them without weight in the zone\n", moving, count, away);
  assert_true(moving > 0 && moving < count / 2 && away <= moving / 5);
}

/* No element of a lattice hangs by an edge (they are dropped); if one did, it would be held instead
 * of swinging for nothing. */
static void nothing_hangs_by_an_edge(void **state) {
  Zones *z = *state;
  SupError error;
  const SupBuiltinDef builtin = {.name = "mochi", .vertices = 1500};
  SupCharacter character;
  assert_int_equal(sup_builtin_character(&z->arena, &builtin, &character, &error), SUP_OK);
  SupModesTrainDef def = sup_modes_train_def(&character);
  SupModesTrainReport report = {0};
  ModesVolume volume;
  def.fill.tet_target = 2500;
  def.mode_count = MODES;
  if (sup_modes_volume(&z->arena, &def, &volume, &report, &error)) fail_msg("%s", error.text);
  uint32_t held = 0;
  for (uint32_t n = 0; n < volume.fill.mesh.node_count; n++) held += volume.attachment.held[n] != 0;
  printf("%u nodes were about to hang; lowest mode %.2f Hz\n",
         volume.fill.mesh.node_count - held - volume.body.free_count,
         sqrt(volume.stiffness[0]) / (2 * SUP_PI));
  assert_true(held + volume.body.free_count <= volume.fill.mesh.node_count);
  assert_true(sqrt(volume.stiffness[0]) / (2 * SUP_PI) > 0.5);
}

static void bad_zones(void **state) {
  Zones *z = *state;
  const uint32_t bones = z->character.skeleton.bone_count;
  uint32_t *zones = SUP_ALLOC(&z->arena, uint32_t, bones);
  SupModesTrainReport report;
  SupModel *model;
  SupError error;
  for (uint32_t b = 0; b < bones; b++) zones[b] = SUP_NONE;
  z->def.bone_zones = zones;
  assert_int_equal(sup_modes_train(&z->arena, &z->def, &model, &report, &error),
                   SUP_ERROR_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(limbs_of_mochi),           cmocka_unit_test(stay_and_swing_faster),
      cmocka_unit_test(one_zone_is_the_body),     cmocka_unit_test(model_of_a_limb),
      cmocka_unit_test(nothing_hangs_by_an_edge), cmocka_unit_test(bad_zones)};
  return cmocka_run_group_tests(tests, create, destroy);
}
