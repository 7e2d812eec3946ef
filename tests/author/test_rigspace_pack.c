/* SPDX-License-Identifier: MIT */
/* Set-ups of rigspace as blocks: what is packed comes back; what is damaged is refused with a
 * sentence, however it is damaged, and what is not refused can be walked through. */
#include "check.h"

#include "author/toy_setup.h"
#include "supple/author/model_pack.h"
#include "supple/io/file.h"

static void comes_back(void **state) {
  (void)state;
  SupArena arena;
  SupError error = {{0}};
  SupCharacter character;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  SupModel *model = toy_setup(&arena, &character, &error);
  if (!model) fail_msg("%s", error.text);
  const SupRigspaceSetup s = sup_rigspace_setup(model);
  assert_string_equal(s.name, "toy");
  assert_memory_equal(s.rig, "{}", 2);
  assert_int_equal(s.volume.tet_count, 4);
  assert_int_equal(s.inside_count, 1);
  assert_true(s.numbers.young == 3e4 && s.volume.nodes[4].x == 0.25 && s.weights[5] == 0);
  /* Nothing of this build's list holds it. */
  assert_int_equal(sup_model_check(model, (size_t)model->bytes, NULL, &error),
                   SUP_ERROR_UNSUPPORTED);
  sup_arena_free(&arena);
}

/* Every word of the block in turn set to numbers that harm: refused, or harmless. */
static void damage(void **state) {
  (void)state;
  static const uint32_t words[] = {0, 1, 5, 0x7fffffff, 0xffffffff, 0x7ff80000, 0xbff00000};
  SupArena arena;
  SupError error = {{0}};
  SupCharacter character;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  SupModel *sound = toy_setup(&arena, &character, &error);
  assert_non_null(sound);
  const size_t bytes = (size_t)sound->bytes;
  SupModel *model = (SupModel *)sup_heap_allocator().allocate(NULL, bytes);
  uint32_t refused = 0, taken = 0;
  double sum = 0;
  for (size_t at = 0; at < bytes / 4; at++) {
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
      memcpy(model, sound, bytes);
      memcpy((char *)model + 4 * at, &words[k], 4);
      if (model->bytes == bytes) sup_model_seal(model);
      error.text[0] = 0;
      if (sup_model_check(model, bytes, sup_rigspace_techniques, &error) == SUP_OK) {
        sum += toy_setup_walk(model);
        taken++;
      } else {
        assert_true(error.text[0] != 0);
        refused++;
      }
    }
  }
  printf("%u damaged set-ups refused, %u taken\n", refused, taken);
  assert_true(sum == sum && refused > 500 && taken > 500);
  for (size_t length = 0; length < bytes; length++) {
    assert_true(sup_model_check(sound, length, sup_rigspace_techniques, &error) != SUP_OK);
  }
  sup_heap_allocator().release(NULL, model, bytes);
  sup_arena_free(&arena);
}

/* One wrong thing each, packed. */
static void planted_faults(void **state) {
  (void)state;
  SupArena arena;
  SupError error = {{0}};
  SupCharacter character;
  SupModel *model;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  const SupRigspaceSetup good = sup_rigspace_setup(toy_setup(&arena, &character, &error));
  static const uint32_t falling[3] = {4, 1, 7},
                        flipped[16] = {4, 2, 1, 3, 0, 4, 2, 3, 0, 1, 4, 3, 0, 1, 2, 4};
  static const double light[4] = {0.25, 0.25, 0.25, 0.2}, below[4] = {5.5, 0.25, 0.25, -5};
  static const double empty[4] = {1, 0, 1, 1};
  struct {
    SupRigspaceSetup setup;
    const char *says;
  } cases[8];
  for (size_t k = 0; k < 8; k++) cases[k].setup = good;
  cases[0].setup.skin = falling, cases[0].says = "what the skin drives";
  cases[1].setup.volume.tets = flipped, cases[1].says = "the volume";
  cases[2].setup.inside = light, cases[2].says = "the weights inside";
  cases[3].setup.inside = below, cases[3].says = "the weights inside";
  cases[4].setup.fractions = empty, cases[4].says = "the volume";
  cases[5].setup.numbers.young = 0, cases[5].says = "numbers out of range";
  cases[6].setup.rig_bytes = 0, cases[6].says = "names or the rig";
  cases[7].setup.numbers.surface_count = 3, cases[7].says = "wrong sizes";
  for (size_t k = 0; k < 8; k++) {
    error.text[0] = 0;
    assert_true(sup_rigspace_pack(&arena, &character, &cases[k].setup, &model, &error) != SUP_OK);
    if (!strstr(error.text, cases[k].says)) fail_msg("case %zu: %s", k, error.text);
  }
  sup_arena_free(&arena);
}

/* A joint, a weight or a morph target that is another one gives another key. */
static void keys(void **state) {
  (void)state;
  SupArena arena;
  SupError error;
  SupCharacter character, other;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  toy_setup(&arena, &character, &error);
  const uint64_t key = sup_rigspace_character_key(&character);
  const char *names[2] = {"upper", "other"};
  float *weights = SUP_COPY(&arena, float, character.skin.weights,
                            character.skin.offsets[character.skin.vertex_count]);
  assert_true(key == sup_rigspace_character_key(&character));
  other = character;
  other.skeleton.names = names;
  assert_true(key != sup_rigspace_character_key(&other));
  other = character;
  weights[0] += 1e-3f;
  other.skin.weights = weights;
  assert_true(key != sup_rigspace_character_key(&other));
  sup_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(comes_back), cmocka_unit_test(damage),
                                     cmocka_unit_test(planted_faults), cmocka_unit_test(keys)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
