/* SPDX-License-Identifier: MIT */
/* The flesh that nobody described, and the units that nobody named. */
#include "check.h"

#include <math.h>
#include <stdlib.h>

#include "supple/app/choose_flesh.h"
#include "supple/author/builtin.h"
#include "supple/author/units.h"
#include "supple/clip.h"
#include "supple/io/file.h"

typedef struct World {
  SupArena arena;
  SupAppContext app;
  SupCharacter character;
  char notes[1024];
} World;

static void take_note(void *user, uint32_t depth, const char *text) {
  World *world = user;
  (void)depth;
  strncat(world->notes, text, sizeof world->notes - strlen(world->notes) - 1);
}

static void begin(World *world, const char *name, uint32_t vertices) {
  SupError error;
  *world = (World){.notes = ""};
  sup_arena_init(&world->arena, sup_heap_allocator(), 0);
  world->app = sup_app_context(sup_heap_allocator(), &world->arena);
  world->app.note = take_note;
  world->app.user = world;
  const SupBuiltinDef def = {.name = name, .vertices = vertices};
  if (sup_builtin_character(&world->arena, &def, &world->character, &error) != SUP_OK) {
    fail_msg("%s", error.text);
  }
}

static void end(World *world) { sup_arena_free(&world->arena); }

static float *scaled(SupArena *arena, const float *values, size_t count, float by) {
  float *out = SUP_COPY(arena, float, values, count);
  assert_non_null(out);
  for (size_t k = 0; k < count; k++) out[k] *= by;
  return out;
}

/* The same character in a scene of other units, its bind pose as it was. */
static void change_units(World *world, float by) {
  SupCharacter *character = &world->character;
  const uint32_t joints = character->skeleton.joint_count;
  SupTransform *rest = SUP_COPY(&world->arena, SupTransform, character->skeleton.rest, joints);
  SupClip *clips = SUP_COPY(&world->arena, SupClip, character->clips, character->clip_count);
  assert_true(rest && clips);
  for (uint32_t j = 0; j < joints; j++) {
    if (character->skeleton.parents[j] >= 0) continue;
    rest[j].translation = sup_vec3_scale(rest[j].translation, by);
    rest[j].scale = sup_vec3_scale(rest[j].scale, by);
  }
  for (uint32_t k = 0; k < character->clip_count; k++) {
    SupTrack *tracks = SUP_COPY(&world->arena, SupTrack, clips[k].tracks, clips[k].track_count);
    assert_non_null(tracks);
    for (uint32_t t = 0; t < clips[k].track_count; t++) {
      SupTrack *track = &tracks[t];
      const bool root =
          track->channel < SUP_CHANNEL_WEIGHTS && character->skeleton.parents[track->target] < 0;
      if (!root || track->channel == SUP_CHANNEL_ROTATION) continue;
      track->values = scaled(&world->arena, track->values, 3 * (size_t)track->key_count, by);
    }
    clips[k].tracks = tracks;
  }
  character->skeleton.rest = rest;
  character->clips = clips;
}

static SupSimDef small_flesh(const World *world) {
  SupSimDef def = sup_sim_def(&world->character, sup_heap_allocator());
  def.fill.tet_target = 600;
  def.unit = SUP_UNIT_AUTO;
  return def;
}

static SupFleshChoice choose(World *world, SupSimDef *io_flesh) {
  SupFleshChoice choice;
  SupError error;
  if (sup_choose_flesh(&world->app, &world->character, false, io_flesh, &choice, &error) !=
      SUP_OK) {
    fail_msg("%s", error.text);
  }
  return choice;
}

/* ---- Units ----------------------------------------------------------------------------------- */

static void units_are_guessed_from_the_size(void **state) {
  (void)state;
  const struct {
    double longest, metres;
    const char *name;
  } rows[] = {{0.05, 1, "metres"},        {1.8, 1, "metres"},           {11, 1, "metres"},
              {175, 0.01, "centimetres"}, {1750, 0.001, "millimetres"}, {50, 1.7 / 50, NULL},
              {0.001, 1700, NULL},        {1e9, 1.7e-9, NULL},          {0, 1, "metres"}};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    const SupUnits units = sup_units_guess(rows[k].longest);
    assert_true(fabs(units.metres - rows[k].metres) <= 1e-12 * rows[k].metres);
    if (rows[k].name) {
      assert_string_equal(units.name, rows[k].name);
    } else {
      assert_null(units.name);
    }
  }
}

static void sample(void *user, double time, SupAffined *out_palette) {
  const World *world = user;
  const SupSkeleton *skeleton = &world->character.skeleton;
  SupTransformd joints[8];
  SupAffined globals[8];
  SupPosed pose = {.joint_count = skeleton->joint_count, .joints = joints};
  assert_true(skeleton->joint_count <= 8);
  sup_pose_rest_f64(skeleton, &pose);
  sup_clip_sample_f64(&world->character.clips[0], time, false, NULL, &pose, NULL);
  sup_pose_evaluate_f64(skeleton, &pose, globals, out_palette);
}

/* Where the skin is after some frames of the first clip. */
static const SupVec3 *simulated(World *world, double unit) {
  SupSimDef def = small_flesh(world);
  SupSimReport report;
  SupSimFrame frame;
  SupSim *sim;
  SupError error;
  SupVec3 *skin = SUP_ALLOC(&world->arena, SupVec3, world->character.body.vertex_count);
  assert_non_null(skin);
  def.unit = unit;
  def.forces.gravity.y = -9.81;
  if (sup_sim_create(&def, &sim, &report, &error) != SUP_OK) fail_msg("%s", error.text);
  sup_sim_place(sim, sample, world, 0);
  for (uint32_t i = 0; i < 12; i++) {
    if (sup_sim_advance(sim, sample, world, i / 30.0, 1 / 30.0, &frame, &error) != SUP_OK) {
      fail_msg("%s", error.text);
    }
  }
  sup_sim_skin(sim, skin);
  sup_sim_free(sim);
  return skin;
}

/* Weight included: the tube in centimetres moves as the one in metres. */
static void units_do_not_change_what_is_simulated(void **state) {
  (void)state;
  World metres, centimetres;
  begin(&metres, "tube", 500);
  begin(&centimetres, "tube", 500);
  change_units(&centimetres, 100);
  const SupVec3 *a = simulated(&metres, 1), *b = simulated(&centimetres, 0.01);
  float worst = 0, wrong = 0;
  const SupVec3 *c = simulated(&centimetres, 1);
  for (uint32_t v = 0; v < metres.character.body.vertex_count; v++) {
    worst = fmaxf(worst, sup_vec3_distance(a[v], sup_vec3_scale(b[v], 0.01f)));
    wrong = fmaxf(wrong, sup_vec3_distance(a[v], sup_vec3_scale(c[v], 0.01f)));
  }
  assert_true(worst < 2e-6f);
  assert_true(wrong > 1e-3f); /* and a tube of 100 m does not */
  end(&metres);
  end(&centimetres);
}

/* ---- Flesh ----------------------------------------------------------------------------------- */

static void large_bodies_swing_slowly(void **state) {
  (void)state;
  assert_true(sup_natural_frequency(0.05) > sup_natural_frequency(0.5));
  assert_true(sup_natural_frequency(0.5) > sup_natural_frequency(5));
  assert_true(sup_natural_frequency(1.75) > 2.5 && sup_natural_frequency(1.75) < 4.5);
  assert_true(sup_natural_frequency(1e6) >= 1 && sup_natural_frequency(1e-6) <= 15);
}

static void clips_choose_the_stiffness(void **state) {
  (void)state;
  World world;
  begin(&world, "tube", 800);
  SupSimDef flesh = small_flesh(&world);
  const SupFleshChoice choice = choose(&world, &flesh);
  assert_true(choice.clip_count == 5 && choice.unit == 1);
  assert_true(choice.swing > 0.02 && choice.swing < 0.08);
  assert_true(flesh.material.young == choice.young);
  assert_true(fabs(flesh.material.damping * SUP_PI * choice.frequency - choice.damping) < 1e-9);
  /* What was chosen does not depend on what it started from but for the preset's factor. */
  SupSimDef muscle = small_flesh(&world);
  SupMaterialDef fat = muscle.material;
  assert_int_equal(sup_material_preset("muscle", &muscle.material, NULL), SUP_OK);
  const double factor = muscle.material.young / fat.young;
  const SupFleshChoice stiff = choose(&world, &muscle);
  assert_true(fabs(stiff.frequency / choice.frequency / sqrt(factor) - 1) < 1e-3);
  /* Nor does what it feels: muscle swings less. */
  assert_true(flesh.felt == choice.felt && choice.felt > 0);
  assert_true(fabs(stiff.felt / choice.felt - 1) < 1e-3);
  end(&world);
}

/* Wilder clips make stiffer flesh, so that it swings about as far. */
static void wild_clips_make_stiff_flesh(void **state) {
  (void)state;
  World calm, wild;
  begin(&calm, "tube", 500);
  begin(&wild, "tube", 500);
  SupClip *clips = SUP_COPY(&wild.arena, SupClip, wild.character.clips, wild.character.clip_count);
  assert_non_null(clips);
  for (uint32_t k = 0; k < wild.character.clip_count; k++) { /* three times as fast */
    SupTrack *tracks = SUP_COPY(&wild.arena, SupTrack, clips[k].tracks, clips[k].track_count);
    assert_non_null(tracks);
    for (uint32_t t = 0; t < clips[k].track_count; t++) {
      tracks[t].times = scaled(&wild.arena, tracks[t].times, tracks[t].key_count, 1 / 3.0f);
    }
    clips[k].tracks = tracks;
    clips[k].duration /= 3;
  }
  wild.character.clips = clips;
  SupSimDef flesh = small_flesh(&calm), other = small_flesh(&wild);
  const SupFleshChoice a = choose(&calm, &flesh), b = choose(&wild, &other);
  assert_true(b.frequency > 1.2 * a.frequency);
  assert_true(b.swing < 0.06 && b.swing > 0.02);
  end(&calm);
  end(&wild);
}

static void a_given_damping_is_kept(void **state) {
  (void)state;
  World world;
  SupFleshChoice choice;
  SupError error;
  begin(&world, "tube", 500);
  SupSimDef flesh = small_flesh(&world);
  flesh.material.damping = 0.013;
  assert_int_equal(sup_choose_flesh(&world.app, &world.character, true, &flesh, &choice, &error),
                   SUP_OK);
  assert_true(flesh.material.damping == 0.013 && choice.own_damping);
  assert_true(fabs(choice.damping - 0.013 * SUP_PI * choice.frequency) < 1e-12);
  end(&world);
}

/* Clips in which nothing moves do not make flesh soft. */
static void clips_that_stand_still_say_nothing(void **state) {
  (void)state;
  World world;
  begin(&world, "tube", 500);
  SupClip *clips =
      SUP_COPY(&world.arena, SupClip, world.character.clips, world.character.clip_count);
  assert_non_null(clips);
  for (uint32_t k = 0; k < world.character.clip_count; k++) clips[k].track_count = 0;
  world.character.clips = clips;
  SupSimDef flesh = small_flesh(&world);
  const SupFleshChoice choice = choose(&world, &flesh);
  assert_true(choice.clip_count == 0 && choice.frequency == choice.natural);
  end(&world);
}

/* A character without clips gets what its size says. */
static void without_clips_the_size_decides(void **state) {
  (void)state;
  World world;
  begin(&world, "tube", 500);
  world.character.clip_count = 0;
  SupSimDef flesh = small_flesh(&world);
  const SupFleshChoice choice = choose(&world, &flesh);
  assert_true(choice.frequency == choice.natural && choice.swing == 0);
  end(&world);
}

/* The same flesh whatever the file counts in, said where it is not metres. */
static void units_do_not_change_what_is_chosen(void **state) {
  (void)state;
  World metres, other;
  begin(&metres, "leg", 600);
  begin(&other, "leg", 600);
  change_units(&other, 150);
  SupSimDef a = small_flesh(&metres), b = small_flesh(&other);
  a.unit = 1.5; /* what the other one's centimetres make of it */
  const SupFleshChoice one = choose(&metres, &a), two = choose(&other, &b);
  assert_true(b.unit == 0.01);
  assert_true(fabs(two.frequency / one.frequency - 1) < 1e-3);
  assert_true(fabs(two.young / one.young - 1) < 1e-2);
  assert_non_null(strstr(other.notes, "taken for centimetres"));
  assert_true(strlen(metres.notes) == 0);
  end(&metres);
  end(&other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(units_are_guessed_from_the_size),
      cmocka_unit_test(units_do_not_change_what_is_simulated),
      cmocka_unit_test(large_bodies_swing_slowly),
      cmocka_unit_test(clips_choose_the_stiffness),
      cmocka_unit_test(wild_clips_make_stiff_flesh),
      cmocka_unit_test(a_given_damping_is_kept),
      cmocka_unit_test(clips_that_stand_still_say_nothing),
      cmocka_unit_test(without_clips_the_size_decides),
      cmocka_unit_test(units_do_not_change_what_is_chosen),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
