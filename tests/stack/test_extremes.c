/* SPDX-License-Identifier: MIT */
/*
 * Every number of a sound model of every technique is set to extreme values, one at a time: the
 * model is then refused with a sentence, or it plays without a number that is not finite.
 */
#include "check.h"

#include <math.h>
#include <string.h>

#include "fuzz/sound_models.h"
#include "stack/breath.h"
#include "supple/author/model_pack.h"
#include "supple/io/file.h"
#include "supple/popping.h"

/* Denormal, tiny, small, large and huge. */
static const float extremes[] = {0,    1e-45f, 1e-39f, 1e-30f, 1e-12f, 1e-5f,    1e4f,
                                 1e8f, 1e14f,  1e18f,  1e25f,  3e38f,  INFINITY, NAN};

enum { FRAMES = 26 }; /* a muscle is pulled and released, a long frame is there */

typedef struct Copy {
  SupArena arena;
  SupModel *model;
  SupModelSection *sections;
} Copy;

static Copy copy_of(const SupModel *model) {
  Copy copy = {0};
  sup_arena_init(&copy.arena, sup_heap_allocator(), 0);
  copy.model = sup_arena_alloc(&copy.arena, (size_t)model->bytes, SUP_ALIGNMENT);
  assert_non_null(copy.model);
  memcpy(copy.model, model, (size_t)model->bytes);
  copy.sections = (SupModelSection *)(copy.model + 1);
  return copy;
}

static bool accepted(SupModel *model) {
  SupError error = {{0}};
  sup_model_seal(model);
  const bool good =
      sup_model_check(model, (size_t)model->bytes, breath_techniques(), &error) == SUP_OK;
  assert_true(good || error.text[0]);
  return good;
}

/* Numbers that were counts or indices become others too: they are checked all the same. */
static int play_section(const SoundModel *sound, Copy *copy, const SupModelSection *section) {
  float *values = (float *)(void *)((char *)copy->model + section->offset);
  const uint64_t count = section->count * section->item_bytes / sizeof(float);
  const uint64_t stride = count < 40 ? 1 : count / 30 | 1; /* odd: all rows of a block */
  int bad = 0;
  char id[5];
  sup_fourcc_text(section->id, id);
  for (uint64_t i = 0; i < count; i += stride) {
    const float sane = values[i];
    for (size_t e = 0; e < 2 * sizeof extremes / sizeof *extremes; e++) {
      values[i] = e % 2 ? -extremes[e / 2] : extremes[e / 2];
      if (!accepted(copy->model) || sound_step(sound->skeleton, copy->model, false, FRAMES))
        continue;
      if (bad++ < 4) {
        print_error("%s: %s[%llu] = %g, was %g\n", sound->name, id, (unsigned long long)i,
                    (double)values[i], (double)sane);
      }
    }
    values[i] = sane;
  }
  return bad;
}

static void no_accepted_number_makes_a_nan(void **state) {
  (void)state;
  int bad = 0;
  for (int k = 0; k < SOUND_MODELS; k++) {
    const SoundModel *sound = &sound_models()[k];
    Copy copy = copy_of(sound->model);
    assert_true(accepted(copy.model));
    assert_true(sound_step(sound->skeleton, copy.model, false, 100));
    for (uint32_t s = 0; s < copy.model->section_count; s++) {
      bad += play_section(sound, &copy, &copy.sections[s]);
    }
    for (size_t e = 0; e < sizeof extremes / sizeof *extremes; e++) {
      copy.model->h = extremes[e];
      if (accepted(copy.model) && !sound_step(sound->skeleton, copy.model, false, FRAMES)) {
        print_error("%s: h = %g\n", sound->name, (double)extremes[e]);
        bad++;
      }
    }
    sup_arena_free(&copy.arena);
  }
  assert_int_equal(bad, 0);
}

/* All numbers of a section, larger or smaller. */
static void scale_section(Copy *copy, const SupModelSection *section, float factor) {
  float *values = (float *)(void *)((char *)copy->model + section->offset);
  const uint64_t count = section->count * section->item_bytes / sizeof(float);
  for (uint64_t i = 0; i < count; i++) values[i] *= factor;
}

/* Two sections at a time: what is sound alone may overflow together. */
static int play_scaled(const SoundModel *sound, uint32_t a, uint32_t b, float fa, float fb) {
  Copy copy = copy_of(sound->model);
  char names[2][5];
  scale_section(&copy, &copy.sections[a], fa);
  scale_section(&copy, &copy.sections[b], fb);
  const bool bad = accepted(copy.model) && !sound_step(sound->skeleton, copy.model, false, FRAMES);
  sup_fourcc_text(copy.sections[a].id, names[0]);
  sup_fourcc_text(copy.sections[b].id, names[1]);
  if (bad) {
    print_error("%s: %s * %g, %s * %g\n", sound->name, names[0], (double)fa, names[1], (double)fb);
  }
  sup_arena_free(&copy.arena);
  return bad;
}

static void no_accepted_scale_makes_a_nan(void **state) {
  (void)state;
  static const float factors[] = {1e-30f, 1e-9f, 1e5f, 1e10f, 1e15f};
  enum { FACTORS = sizeof factors / sizeof *factors };
  int bad = 0;
  for (int k = 0; k < SOUND_MODELS; k++) {
    const SoundModel *sound = &sound_models()[k];
    const uint32_t count = sound->model->section_count;
    for (uint32_t i = 0; i < count * count; i++) {
      if (i / count > i % count) continue;
      for (int f = 0; f < FACTORS * FACTORS; f++) {
        bad += play_scaled(sound, i / count, i % count, factors[f / FACTORS], factors[f % FACTORS]);
      }
    }
  }
  assert_int_equal(bad, 0);
}

static bool accepts_times(SupPoppingTimes times) {
  Copy copy = copy_of(sound_models()[1].model);
  SupPoppingTimes *own = NULL;
  for (uint32_t s = 0; s < copy.model->section_count; s++) {
    if (copy.sections[s].id != SUP_SECTION_POPPING_TIMES) continue;
    own = (SupPoppingTimes *)(void *)((char *)copy.model + copy.sections[s].offset);
  }
  assert_non_null(own);
  *own = times;
  const bool good = accepted(copy.model);
  sup_arena_free(&copy.arena);
  return good;
}

/* A fatigue constant so short that (1 + x) exp(-x) is infinity times nothing. */
static void times_are_none_or_physical(void **state) {
  (void)state;
  const SupPoppingTimes sound = {.rise = 0.03f, .fatigue = 2, .release = 8, .still = 1e-3f};
  SupPoppingTimes times = sound;
  assert_true(accepts_times(times));
  times.fatigue = times.rise = 0;
  assert_true(accepts_times(times));
  times = sound, times.fatigue = 1e-40f;
  assert_false(accepts_times(times));
  times = sound, times.rise = 1e-40f;
  assert_false(accepts_times(times));
  times = sound, times.release = 1e-40f;
  assert_false(accepts_times(times));
  assert_true(sup_popping_twitch(&(SupPoppingTimes){.fatigue = 1e-40f}, 1, 0, 1) == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_accepted_number_makes_a_nan),
      cmocka_unit_test(no_accepted_scale_makes_a_nan),
      cmocka_unit_test(times_are_none_or_physical),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
