/* SPDX-License-Identifier: MIT */
/* The library behind the verbs, without the tool. */
#define _XOPEN_SOURCE 700
#include "check.h"

#include <math.h>

#include "supple/app/add_character.h"
#include "supple/app/plain_player.h"
#include "supple/app/run_scenario.h"
#include "supple/author/builtin.h"
#include "supple/author/find_joint.h"
#include "supple/author/paint.h"
#include "supple/io/file.h"
#include "supple/quantity.h"
#include "workdir.h"

typedef struct World {
  SupArena arena;
  SupAppContext app;
  SupError error;
  uint32_t stages; /* bits of what was told */
  uint32_t told, notes;
} World;

static void count_notes(void *user, uint32_t depth, const char *text) {
  World *world = user;
  assert_true(depth <= 1 && strlen(text) > 0);
  world->notes++;
}

/* tube.glb in the folder of the test. */
static void begin(World *world) {
  *world = (World){.stages = 0};
  sup_arena_init(&world->arena, sup_heap_allocator(), 0);
  world->app = sup_app_context(sup_heap_allocator(), &world->arena);
  world->app.note = count_notes;
  world->app.user = world;
  const SupBuiltinDef def = {.name = "tube", .vertices = 500};
  SupGltfOptions options = sup_gltf_options();
  options.allocator = sup_heap_allocator();
  SupCharacter character;
  SupGltf *document;
  assert_int_equal(sup_builtin_character(&world->arena, &def, &character, &world->error), SUP_OK);
  assert_int_equal(sup_gltf_from_character(&character, &options, &document, &world->error), SUP_OK);
  assert_int_equal(sup_gltf_save(document, "tube.glb", SUP_GLTF_BY_NAME, &world->error), SUP_OK);
  sup_gltf_close(document);
}

static void end(World *world) { sup_arena_free(&world->arena); }

/* ---- Adding --------------------------------------------------------------------------------- */

static void take_stage(void *user, SupAddStage stage, const SupAddReport *so_far) {
  World *world = user;
  assert_int_equal(world->stages >> stage, 0); /* they come in order */
  world->stages |= 1u << stage;
  if (stage == SUP_ADD_FLESH) assert_true(so_far->surface.vertex_count > 0 || so_far->as_it_is);
}

static void test_add(void **state) {
  (void)state;
  World w;
  SupAddReport report;
  const char *clips[] = {"axial"};
  begin(&w);
  SupAddDef def = sup_add_def();
  def.preset = "fat";
  def.clips = (SupNames){1, clips};
  def.bake.helper_count = 3;
  def.live = "live.glb";
  def.stage = take_stage;
  def.user = &w;
  assert_int_equal(sup_add_character(&w.app, "tube.glb", &def, "alive.glb", &report, &w.error),
                   SUP_OK);
  assert_int_equal(w.stages, 1u << SUP_ADD_LOCKED | 1u << SUP_ADD_OPENED | 1u << SUP_ADD_FLESH |
                                 1u << SUP_ADD_LIVE | 1u << SUP_ADD_BAKED | 1u << SUP_ADD_MEASURED);
  assert_int_equal(report.bake.helper_count, 3);
  assert_int_equal(report.clip_count, 1);
  assert_string_equal(report.clips[0].clip->name, "axial");
  assert_true(report.filled && report.parts.soft_area > 0 && report.parts.soft_area <= 1);
  assert_true(report.clips[0].farthest >= report.clips[0].moved && report.clips[0].moved > 0);
  assert_true(report.clips[0].farthest < report.size);
  /* What it wrote is there: a character that moves, and one with its models. */
  const SupOpenDef open = sup_open_def();
  SupCharacterFile alive;
  assert_int_equal(sup_character_open(&w.app, "alive.glb", &open, &alive, &w.error), SUP_OK);
  assert_int_equal(alive.character->skeleton.joint_count,
                   report.character->skeleton.joint_count + 3);
  sup_character_close(&alive);
  def = sup_add_def();
  def.clips = (SupNames){1, clips};
  w.stages = 0;
  assert_int_equal(sup_add_character(&w.app, "live.glb", &def, "again.glb", &report, &w.error),
                   SUP_OK);
  assert_true(report.as_it_is);
  end(&w);
}

static void test_add_refuses(void **state) {
  (void)state;
  World w;
  SupAddReport report;
  const char *bones[] = {"bnoe"};
  begin(&w);
  SupAddDef def = {0};
  assert_int_equal(sup_add_character(&w.app, "tube.glb", &def, "a.glb", &report, &w.error),
                   SUP_ERROR_ARGUMENT);
  def = sup_add_def();
  def.lock.lock = (SupNames){1, bones};
  assert_int_equal(sup_add_character(&w.app, "tube.glb", &def, "a.glb", &report, &w.error),
                   SUP_ERROR_ARGUMENT);
  assert_non_null(strstr(w.error.text, "no bone, node, mesh or material is called 'bnoe'"));
  def = sup_add_def();
  def.learn = true;
  def.has_amount = true;
  assert_int_equal(sup_add_character(&w.app, "tube.glb", &def, "a.glb", &report, &w.error),
                   SUP_ERROR_ARGUMENT);
  assert_int_equal(access("a.glb", F_OK), -1);
  end(&w);
}

/* ---- Simulating ----------------------------------------------------------------------------- */

static void take_simulated(void *user, const SupSimulateReport *so_far) {
  World *world = user;
  assert_int_equal(so_far->clip_count, world->told++);
}

static void test_simulate(void **state) {
  (void)state;
  World w;
  SupCharacterFile file;
  SupSimulateReport report;
  const SupOpenDef open = sup_open_def();
  const char *clips[] = {"axial", "lateral"};
  begin(&w);
  assert_int_equal(sup_character_open(&w.app, "tube.glb", &open, &file, &w.error), SUP_OK);
  SupSimulateDef def = sup_simulate_def(&w.app, &file);
  def.body.fill = (SupFillDef){.tet_target = 300};
  def.clips = (SupNames){2, clips};
  def.fps = 30;
  def.until = 0.2;
  def.done = take_simulated;
  def.user = &w;
  assert_int_equal(sup_simulate_character(&w.app, &file, &def, "t.pc2", &report, &w.error), SUP_OK);
  assert_int_equal(w.told, 3);
  assert_int_equal(report.clip_count, 2);
  assert_string_equal(report.clips[1].path, "t-lateral.pc2");
  for (uint32_t k = 0; k < 2; k++) {
    const SupSimulatedClip *c = &report.clips[k];
    SupSamples samples;
    assert_int_equal(sup_cache_load(&w.arena, c->path, 0, &samples, &w.error), SUP_OK);
    assert_int_equal(samples.frame_count, 7);
    assert_int_equal(c->frame_count, 7);
    assert_int_equal(c->row_count, 6);
    for (uint32_t i = 0; i < c->row_count * SUP_SIMULATED_NUMBERS; i++) {
      assert_true(isfinite(c->rows[i]));
    }
  }
  /* After a failure the report says how far it got. */
  clips[1] = "nothing";
  assert_int_equal(sup_simulate_character(&w.app, &file, &def, "t.pc2", &report, &w.error),
                   SUP_ERROR_ARGUMENT);
  assert_int_equal(report.clip_count, 0);
  sup_character_close(&file);
  end(&w);
}

/* ---- Soft parts ----------------------------------------------------------------------------- */

/* What is held by name is not soft, and nothing else changes by it. */
static void test_soft_parts(void **state) {
  (void)state;
  World w;
  SupSoftParts all, part;
  begin(&w);
  const SupBuiltinDef builtin = {.name = "mochi", .vertices = 800};
  SupCharacter c;
  assert_int_equal(sup_builtin_character(&w.arena, &builtin, &c, &w.error), SUP_OK);
  SupSoftPartsDef def = sup_soft_parts_def(&c);
  assert_int_equal(sup_rest_positions(&w.app, &c, SUP_ORDER_BODY, &def.rest, &w.error), SUP_OK);
  assert_int_equal(sup_soft_parts(&w.arena, &def, &all, &w.error), SUP_OK);
  bool *held = SUP_ALLOC(&w.arena, bool, c.skeleton.joint_count);
  assert_non_null(held);
  held[all.softest[0]] = true;
  sup_mark_below(&c.skeleton, held);
  float *lock = SUP_ALLOC(&w.arena, float, c.body.vertex_count);
  assert_non_null(lock);
  sup_select_all(c.body.vertex_count, lock);
  sup_select_joints(&c, held, lock);
  def.lock = lock;
  assert_int_equal(sup_soft_parts(&w.arena, &def, &part, &w.error), SUP_OK);
  for (uint32_t v = 0; v < c.body.vertex_count; v++) {
    float fraction = 0;
    for (uint32_t k = c.skin.offsets[v]; k < c.skin.offsets[v + 1]; k++) {
      if (held[c.skeleton.bone_joints[c.skin.bones[k]]]) fraction += c.skin.weights[k];
    }
    assert_true(fabsf(part.soft[v] - (1 - fraction) * all.soft[v]) < 1e-5f);
  }
  assert_true(part.soft_area < all.soft_area);
  assert_true(all.size > 0 && all.deep > 0 && all.deep < all.size);
  end(&w);
}

static void test_nearest(void **state) {
  (void)state;
  const char *names[] = {"walk", "run", "jump"};
  char text[64];
  assert_string_equal(sup_nearest_name("jmup", names, 3), "jump");
  assert_null(sup_nearest_name("sit", names, 3));
  assert_string_equal(sup_did_you_mean(text, sizeof text, "run"), "; did you mean 'run'?");
  assert_string_equal(sup_did_you_mean(text, sizeof text, NULL), "");
  assert_string_equal(sup_count_text(1234567).text, "1,234,567");
}

/* Figures in the unit that a person would choose, and never with an exponent. */
static void test_quantities(void **state) {
  static const struct {
    double metres;
    const char *text;
  } lengths[] = {{0, "0 mm"},           {1e-9, "0 mm"},        {2.1e-7, "0 mm"},
                 {6e-7, "0.001 mm"},    {2.05e-4, "0.205 mm"}, {4.75e-3, "4.75 mm"},
                 {9.994e-3, "9.99 mm"}, {9.996e-3, "1 cm"},    {0.194, "19.4 cm"},
                 {0.9994, "99.9 cm"},   {0.99951, "1 m"},      {4.52, "4.52 m"},
                 {4.5, "4.5 m"},        {123.4, "123 m"},      {4520, "4.52 km"},
                 {1e8, "100000 km"},    {-0.02, "-2 cm"}};
  (void)state;
  for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
    assert_string_equal(sup_length_text(lengths[k].metres).text, lengths[k].text);
  }
  assert_string_equal(sup_mass_text(118.2).text, "118 kg");
  assert_string_equal(sup_mass_text(0.0042).text, "4.2 g");
  assert_string_equal(sup_mass_text(1.2e6).text, "1200 t");
  assert_string_equal(sup_quantity_text(SUP_PRESSURE, 15e3).text, "15 kPa");
  for (double x = 1e-12; x < 1e12; x *= 1.37) { /* no exponent, at most three digits that count */
    const SupQuantityText text = sup_length_text(x);
    assert_null(strchr(text.text, 'e'));
    assert_true(strlen(text.text) < 16);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      IN_FOLDER(test_add),        IN_FOLDER(test_add_refuses),    IN_FOLDER(test_simulate),
      IN_FOLDER(test_soft_parts), cmocka_unit_test(test_nearest), cmocka_unit_test(test_quantities),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
