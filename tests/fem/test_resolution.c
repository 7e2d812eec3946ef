/* SPDX-License-Identifier: MIT */
/* Flesh on bones swings as fast however fine its lattice is.
 *
 *   test_resolution [long]    more bodies, and finer */
#include <math.h>
#include <string.h>

#include "check.h"
#include "supple/author/builtin.h"
#include "supple/io/file.h"
#include "supple/train/modes.h"

static bool is_long;

/* The lowest vibration of the character's flesh with about so many tetrahedra. */
static double lowest(const SupCharacter *character, uint32_t tets) {
  SupArena arena;
  SupModel *model;
  SupModesTrainReport report;
  SupError error;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  SupModesTrainDef def = sup_modes_train_def(character);
  assert_int_equal(sup_material_preset("jelly", &def.material, &error), SUP_OK);
  def.mode_count = 4;
  def.max_distance = 1e3;
  def.fill = (SupFillDef){.tet_target = tets};
  if (sup_modes_train(&arena, &def, &model, &report, &error) != SUP_OK) fail_msg("%s", error.text);
  const double found = report.frequencies[0];
  sup_arena_free(&arena);
  return found;
}

/* From `fewest` tetrahedra on, doubled until `most`, within `share`. */
static void is_stable(const char *name, uint32_t fewest, uint32_t most, double share) {
  SupArena arena;
  SupCharacter character;
  SupError error;
  double low = INFINITY, high = 0;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  const SupBuiltinDef def = {.name = name, .vertices = 2000};
  assert_int_equal(sup_builtin_character(&arena, &def, &character, &error), SUP_OK);
  for (uint32_t tets = fewest; tets <= most; tets *= 2) {
    const double here = lowest(&character, tets);
    print_message("%s, %u tetrahedra: %.3f Hz\n", name, tets, here);
    low = fmin(low, here);
    high = fmax(high, here);
  }
  assert_true(high / low - 1 < share);
  sup_arena_free(&arena);
}

static void frequencies_are_stable(void **state) {
  (void)state;
  is_stable("tube", 2500, is_long ? 20000 : 10000, 0.05);
  is_stable("leg", 2500, is_long ? 20000 : 10000, 0.05);
  if (!is_long) return;
  is_stable("mochi", 5000, 20000, 0.05);
  is_stable("mochi", 2500, 5000, 0.07);
}

int main(int argc, char **argv) {
  is_long = argc > 1 && strcmp(argv[1], "long") == 0;
  const struct CMUnitTest tests[] = {cmocka_unit_test(frequencies_are_stable)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
