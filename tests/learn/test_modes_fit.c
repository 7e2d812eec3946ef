/* SPDX-License-Identifier: MIT */
/* Fitting modes: planted numbers are found again, wrong flesh is repaired, modes that examples do
 * not excite keep what they have. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "supple/author/modes_pack.h"
#include "supple/clip.h"
#include "supple/train/modes_fit.h"
#include "wobble.h"

enum { FRAMES = 240 };

/* A clip out of the wobble's random motion: keys at 240 a second. */
static SupClip make_clip(Wobble *w, const char *name, double seconds, bool root_only) {
  const uint32_t joints = w->character.skeleton.joint_count;
  const uint32_t keys = (uint32_t)(seconds * 240) + 1;
  SupTrack *tracks = SUP_ALLOC(&w->arena, SupTrack, joints + 1);
  float *times = SUP_ALLOC(&w->arena, float, keys);
  float *places = SUP_ALLOC(&w->arena, float, 3 * (size_t)keys);
  float **turns = SUP_ALLOC(&w->arena, float *, joints);
  for (uint32_t j = 0; j < joints; j++) turns[j] = SUP_ALLOC(&w->arena, float, 4 * (size_t)keys);
  for (uint32_t i = 0; i < keys; i++) {
    times[i] = (float)i / 240;
    wobble_palette(w, (double)times[i], w->palette);
    const SupVec3 p = w->character.skeleton.rest[0].translation, r = w->pose.root.translation;
    places[3 * i] = p.x + r.x, places[3 * i + 1] = p.y + r.y, places[3 * i + 2] = p.z + r.z;
    for (uint32_t j = 0; j < joints; j++) {
      memcpy(turns[j] + 4 * (size_t)i, &w->pose.joints[j].rotation, 4 * sizeof(float));
    }
  }
  uint32_t count = 0;
  tracks[count++] =
      (SupTrack){0, SUP_CHANNEL_TRANSLATION, SUP_INTERPOLATE_LINEAR, 3, keys, times, places};
  for (uint32_t j = 0; j < joints && !root_only; j++) {
    tracks[count++] =
        (SupTrack){j, SUP_CHANNEL_ROTATION, SUP_INTERPOLATE_LINEAR, 4, keys, times, turns[j]};
  }
  return (SupClip){name, (float)seconds, count, tracks};
}

/* What the model in `w` does along a clip, at 60 frames a second. */
static SupModesExample play(Wobble *w, const SupClip *clip) {
  const uint32_t n = w->character.body.vertex_count;
  const SupSkeleton *skeleton = &w->character.skeleton;
  SupVec3 *positions = SUP_ALLOC(&w->arena, SupVec3, (size_t)FRAMES * n);
  sup_modes_reset(w->state);
  for (uint32_t i = 0; i < 2 * FRAMES; i++) {
    sup_pose_rest(skeleton, &w->pose);
    w->pose.root = sup_transform_identity();
    sup_clip_sample(clip, (float)i / 120, false, NULL, &w->pose, NULL);
    sup_pose_evaluate(skeleton, &w->pose, w->globals, w->palette);
    sup_modes_step(&w->view, w->state, w->backend, 1.0f / 120, w->palette, NULL);
    if (i % 2 == 0) wobble_skin(w, w->palette, (float *)(positions + (size_t)(i / 2) * n));
  }
  return (SupModesExample){.samples = {.fps = 60,
                                       .frame_count = FRAMES,
                                       .vertex_count = n,
                                       .order = SUP_ORDER_BODY,
                                       .positions = positions},
                           .clip = clip};
}

static SupModel *copy_model(Wobble *w) {
  return (SupModel *)(void *)SUP_COPY(&w->arena, char, (const char *)w->model,
                                      (size_t)w->model->bytes);
}

static double stiffness_of(const SupModel *model, uint32_t k) {
  const SupModesView view = sup_modes_view(model);
  return (double)view.oscillators[SUP_SKIN_BLOCK * SUP_MODES_STIFFNESS + k];
}

static double decay_of(const SupModel *model, uint32_t k) {
  const SupModesView view = sup_modes_view(model);
  return (double)view.oscillators[SUP_SKIN_BLOCK * SUP_MODES_DECAY + k];
}

/* Every mode of the flesh is another: stiffness times `hard`, damping ratio times `damp`, and each
 * mode a little for itself. */
static void spoil(SupModel *model, double hard, double damp, double each) {
  const SupModesView view = sup_modes_view(model);
  for (uint32_t k = 0; k < view.mode_count; k++) {
    const double own = 1 + each * sin(2.0 * k + 1), s = stiffness_of(model, k) * hard * own;
    const double ratio = decay_of(model, k) / sqrt(stiffness_of(model, k)) * damp;
    sup_modes_tune(model, k, s, ratio * sqrt(s), 1);
  }
}

static SupModesFitReport fit(Wobble *w, const SupModesExample *example, SupModel *model,
                             bool global_only) {
  SupModesFitDef def = sup_modes_fit_def(&w->character);
  SupModesFitReport report;
  SupError error;
  def.example_count = 1;
  def.examples = example;
  def.global_only = global_only;
  if (sup_modes_fit(&w->arena, &def, model, &report, &error)) fail_msg("%s", error.text);
  return report;
}

static void planted_numbers_are_found(void **state) {
  Wobble *w = *state;
  const SupClip clip = make_clip(w, "all", 4, false);
  const SupModesExample example = play(w, &clip);
  SupModel *model = copy_model(w);
  spoil(model, 1.5, 1.6, 0.15);
  const SupModesFitReport report = fit(w, &example, model, false);
  printf("planted: %.3f of the swing is wrong, %.3f by three numbers, %.4f by all\n", report.before,
         report.shared, report.after);
  assert_true(report.before > 0.5 && report.shared < 0.6 * report.before);
  assert_true(report.after < 0.1 && report.after < 0.5 * report.shared);
  /* Four seconds tell modes apart that are a quarter of a hertz apart: the third and fourth hardly
   * are. */
  double worst[2] = {0, 0};
  for (uint32_t k = 0; k < 4; k++) {
    const double off = fabs(log(stiffness_of(model, k) / stiffness_of(w->model, k)));
    worst[k / 2] = fmax(worst[k / 2], off);
  }
  printf("stiffness of the lowest two modes: within %.1f %%, of the next two %.1f %%\n",
         100 * worst[0], 100 * worst[1]);
  assert_true(worst[0] < 0.06 && worst[1] < 0.2);
}

/* Only stiffness and damping of the whole flesh were wrong: three numbers say so. */
static void wrong_material_is_repaired(void **state) {
  Wobble *w = *state;
  const SupClip clip = make_clip(w, "all", 4, false);
  const SupModesExample example = play(w, &clip);
  SupModel *model = copy_model(w);
  spoil(model, 1.6, 2, 0);
  const SupModesFitReport report = fit(w, &example, model, true);
  printf("stiffness x 1.6, damping x 2: factors %.3f and %.3f, gain %.3f, %.4f left\n",
         report.frequency * report.frequency, report.damping, report.gain, report.shared);
  assert_true(fabs(report.frequency * report.frequency * 1.6 - 1) < 0.02);
  assert_true(fabs(report.damping * 2 - 1) < 0.1 && fabs(report.gain - 1) < 0.03);
  assert_true(report.shared < 0.05);
}

/* The mode that swings least along an example, by the farthest that it moves a vertex; and how far
 * the loudest moves one. */
static uint32_t quietest(Wobble *w, const SupModesDef *parts, const SupClip *clip,
                         double *out_loud) {
  double peaks[16] = {0};
  uint32_t quiet = 0;
  sup_modes_reset(w->state);
  for (uint32_t i = 0; i < 2 * FRAMES; i++) {
    sup_pose_rest(&w->character.skeleton, &w->pose);
    sup_clip_sample(clip, (float)i / 120, false, NULL, &w->pose, NULL);
    sup_pose_evaluate(&w->character.skeleton, &w->pose, w->globals, w->palette);
    sup_modes_step(&w->view, w->state, w->backend, 1.0f / 120, w->palette, NULL);
    for (uint32_t k = 0; k < w->view.mode_count; k++) {
      peaks[k] = fmax(peaks[k], fabs((double)sup_modes_amplitudes(w->state)[k]));
    }
  }
  *out_loud = 0;
  for (uint32_t k = 0; k < w->view.mode_count; k++) {
    const SupVec3 *shape = parts->shapes + (size_t)k * w->character.body.vertex_count;
    double longest = 0;
    for (uint32_t v = 0; v < w->character.body.vertex_count; v++) {
      longest = fmax(longest, (double)sup_vec3_length(shape[v]));
    }
    peaks[k] *= longest;
    *out_loud = fmax(*out_loud, peaks[k]);
    if (peaks[k] < peaks[quiet]) quiet = k;
  }
  return quiet;
}

/* The root moves, and one mode hardly swings with it; something else shakes that mode a little, at
 * another frequency. The fit must not believe that this is how the mode swings. */
static void prior_holds_quiet_modes(void **state) {
  Wobble *w = *state;
  const SupClip clip = make_clip(w, "root", 4, true);
  SupModesExample example = play(w, &clip);
  SupModesDef parts;
  SupError error;
  double loud;
  assert_int_equal(sup_modes_unpack(&w->arena, w->model, &parts, &error), SUP_OK);
  const uint32_t n = w->character.body.vertex_count, quiet = quietest(w, &parts, &clip, &loud);
  const SupVec3 *shape = parts.shapes + (size_t)quiet * n;
  SupVec3 *p = (SupVec3 *)(uintptr_t)example.samples.positions;
  double longest = 0;
  for (uint32_t v = 0; v < n; v++) longest = fmax(longest, (double)sup_vec3_length(shape[v]));
  for (uint32_t i = 0; i < FRAMES; i++) {
    const double swing = 0.02 * loud / longest * sin(0.8 * sqrt(parts.stiffness[quiet]) * i / 60.0);
    for (uint32_t v = 0; v < n; v++) {
      p[(size_t)i * n + v] = sup_vec3_add_scaled(p[(size_t)i * n + v], shape[v], (float)swing);
    }
  }
  double moved[2];
  for (int held = 0; held < 2; held++) {
    SupModel *model = copy_model(w);
    SupModesFitDef def = sup_modes_fit_def(&w->character);
    SupModesFitReport report;
    def.example_count = 1;
    def.examples = &example;
    if (!held) def.prior = 1e-9;
    assert_int_equal(sup_modes_fit(&w->arena, &def, model, &report, &error), SUP_OK);
    moved[held] = fabs(log(stiffness_of(model, quiet) / stiffness_of(w->model, quiet))) +
                  fabs(log(report.gains[quiet]));
  }
  printf("a quiet mode's numbers move by %.3f with the prior, by %.3f without\n", moved[1],
         moved[0]);
  assert_true(moved[1] < 0.1 && moved[0] > 3 * moved[1]);
}

static void fits_are_stable_and_repeat(void **state) {
  Wobble *w = *state;
  const SupClip clip = make_clip(w, "all", 4, false);
  SupModesExample example = play(w, &clip);
  /* Nonsense: noise instead of flesh. */
  SupVec3 *p = (SupVec3 *)(uintptr_t)example.samples.positions;
  SupRng rng = sup_rng(9, 5);
  for (size_t i = 0; i < (size_t)FRAMES * example.samples.vertex_count; i++) {
    p[i].x += sup_rng_float(&rng), p[i].z -= sup_rng_float(&rng);
  }
  SupModel *a = copy_model(w), *b = copy_model(w);
  fit(w, &example, a, false);
  fit(w, &example, b, false);
  assert_memory_equal(a, b, (size_t)a->bytes);
  SupError error;
  assert_int_equal(sup_model_check(a, (size_t)a->bytes, NULL, &error), SUP_OK);
  for (uint32_t k = 0; k < w->view.mode_count; k++) {
    const double s = stiffness_of(a, k), d = decay_of(a, k);
    const SupModesTransition t = sup_modes_transition(s, d, 1.0 / 60);
    /* Both poles inside the unit disc: |det| < 1 and |trace| < 1 + det. */
    const double det = t.q[0] * t.v[1] - t.q[1] * t.v[0], trace = t.q[0] + t.v[1];
    assert_true(fabs(det) < 1 && fabs(trace) < 1 + det);
  }
}

static int set_up(void **state) {
  Wobble *w = wobble_create("leg", 700, 1500, 12);
  w->amplitude = 0.1; /* nothing reaches the limit of what is shown */
  *state = w;
  return 0;
}

static int tear_down(void **state) {
  wobble_free(*state);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planted_numbers_are_found),
      cmocka_unit_test(wrong_material_is_repaired),
      cmocka_unit_test(prior_holds_quiet_modes),
      cmocka_unit_test(fits_are_stable_and_repeat),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
