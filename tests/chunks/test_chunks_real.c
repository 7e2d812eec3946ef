/* SPDX-License-Identifier: MIT */
/* Chunks of real characters, found without asking: $SUPPLE_TEST_DATA. */
#include "supple/author/patch_auto.h"
#include "supple/io/file.h"
#include "supple/io/gltf.h"
#include "supple/train/patch_map.h"
#include "trained.h"

typedef struct Real {
  SupArena arena;
  SupGltf *document;
  const SupCharacter *character;
  SupPatchAuto found;
  SupPatchCharts charts;
} Real;

static bool open_real(Real *r, const char *name) {
  const char *data = getenv("SUPPLE_TEST_DATA");
  char path[600];
  SupGltfCharacter *characters;
  uint32_t count;
  if (!data) return false;
  snprintf(path, sizeof path, "%s/%s.glb", data, name);
  sup_arena_init(&r->arena, sup_heap_allocator(), 0);
  assert_int_equal(sup_gltf_open(path, NULL, &r->document, NULL), SUP_OK);
  assert_int_equal(sup_gltf_characters(r->document, &r->arena, &count, &characters, NULL), SUP_OK);
  r->character = &characters[0].character;
  SupPatchAutoDef def = sup_patch_auto_def(r->character);
  assert_int_equal(
      sup_gltf_part_signs(r->document, &characters[0], &r->arena, &def.hard.parts, NULL), SUP_OK);
  assert_int_equal(sup_patch_auto(&r->arena, &def, &r->found, NULL), SUP_OK);
  const SupPatchMapDef map = {.def = &r->found.def, .patches = &r->found.patches};
  assert_int_equal(sup_patch_charts(&r->arena, &map, &r->charts, NULL), SUP_OK);
  return true;
}

/* Returns how many chunks there are, and in how many nodes. */
static SupChunksTrainReport train_real(const char *name) {
  Real r;
  SupChunksTrained t;
  SupError error = {{0}};
  if (!open_real(&r, name)) skip();
  SupChunksTrainDef def = sup_chunks_train_def(r.character);
  def.plan = &r.found.plan;
  def.patches_def = &r.found.def;
  def.patches = &r.found.patches;
  def.charts = &r.charts;
  const SupResult result = sup_chunks_train(&r.arena, &def, &t, &error);
  if (result != SUP_OK) print_error("%s\n", error.text);
  assert_int_equal(result, SUP_OK);
  check_trained(r.character, &t);
  print_message("  %s: %u chunks, %u refused, %u nodes, %u columns, %u of %u vertices\n", name,
                t.report.piece_count, t.report.refusal_count, t.report.node_count,
                t.report.column_count, t.report.moved_count, r.character->body.vertex_count);
  const SupChunksTrainReport report = t.report;
  sup_gltf_close(r.document);
  sup_arena_free(&r.arena);
  return report;
}

static void men(void **state) {
  (void)state;
  static const char *const names[2] = {"mh_muscular_man", "mh_old_man"};
  for (uint32_t k = 0; k < 2; k++) {
    const SupChunksTrainReport report = train_real(names[k]);
    assert_int_equal(report.piece_count, 37);
    assert_int_equal(report.refusal_count, 0);
  }
}

static void quadruped(void **state) {
  (void)state;
  const SupChunksTrainReport report = train_real("shiba_inu");
  assert_true(report.piece_count >= 18);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(men), cmocka_unit_test(quadruped)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
