/* SPDX-License-Identifier: MIT */
/* Popping in a stack and in time: under a surface, with correctives, far away, muscles one by one,
 * seeking, packing again, instruction sets. */
#include <math.h>
#include <string.h>

#include "dancer.h"
#include "supple/author/clip_repeat.h"
#include "supple/author/correctives_pack.h"
#include "supple/author/skin_pack.h"
#include "supple/author/surface_pack.h"
#include "supple/clip.h"
#include "supple/pose.h"

#define H (1.0 / 60)

static const SupPoppingEvent activate = {.group = SUP_POPPING_ALL, .strength = 1};
static const SupPoppingEvent relax = {.group = SUP_POPPING_ALL};

static int set_up(void **state) {
  *state = dancer_create("leg", 700);
  return 0;
}

static int tear_down(void **state) {
  dancer_free(*state);
  return 0;
}

static float gap(const float *a, const float *b, uint32_t count) {
  float most = 0;
  for (uint32_t i = 0; i < count; i++) most = fmaxf(most, fabsf(a[i] - b[i]));
  return most;
}

static SupPoppingState *fresh(Dancer *d, const SupPoppingView *view) {
  return sup_popping_init(view, SUP_ALLOC(&d->arena, char, sup_popping_bytes(view)));
}

/* ---- Stacks --------------------------------------------------------------------------------- */

/* The surface follows the goal that popping makes: held long enough it stands there. */
static void a_surface_follows(void **state) {
  Dancer *d = *state;
  SupModel *model = dancer_model(d), *surface;
  SupError error;
  SupSurfaceDef def = sup_surface_def();
  def.values[SUP_SURFACE_BETA] = 0;
  assert_int_equal(sup_surface_pack(&d->arena, &d->character, &def, &surface, &error), SUP_OK);
  Show alone = show_begin(d, model, NULL, NULL), under = show_begin(d, surface, model, NULL);
  Show never = show_begin(d, surface, model, NULL);
  const uint32_t n = 3 * alone.stack.vertex_count;
  float lag = 0, bulge = 0;
  dancer_pose(d, 1);
  for (int i = 0; i < 400; i++) {
    show_frame(&alone, H, i == 10, &activate);
    show_frame(&under, H, i == 10, &activate);
    show_frame(&never, H, 0, NULL);
    if (i < 10) assert_true(gap(under.positions, never.positions, n) == 0);
    lag = fmaxf(lag, gap(alone.positions, under.positions, n));
    bulge = fmaxf(bulge, gap(never.positions, under.positions, n));
  }
  assert_true(bulge > 0.02f && lag > 0.003f);
  assert_true(gap(alone.positions, under.positions, n) < 2e-5f);
}

static SupModel *plant_correctives(Dancer *d) {
  const uint32_t n = d->character.body.vertex_count;
  static const uint32_t drivers[1] = {1};
  static const float limits[2] = {-3, 3};
  SupCorrectivesDef def = sup_correctives_def();
  SupVec3 *shapes = SUP_ALLOC(&d->arena, SupVec3, n);
  double *matrix = SUP_ALLOC(&d->arena, double, 10);
  for (uint32_t v = 0; v < n; v++) shapes[v] = (SupVec3){0, 0.01f, 0};
  matrix[5] = 1;
  def.component_count = 1;
  def.shapes = shapes;
  def.driver_count = 1;
  def.drivers = drivers;
  def.matrix = matrix;
  def.limits = limits;
  SupModel *model;
  SupError error;
  if (sup_correctives_pack(&d->arena, &d->character, &def, &model, &error)) {
    fail_msg("%s", error.text);
  }
  return model;
}

/* With correctives the relaxed shape is theirs, and clenching adds what it adds without them. */
static void correctives_give_the_relaxed_shape(void **state) {
  Dancer *d = *state;
  SupModel *model = dancer_model(d), *correctives = plant_correctives(d);
  Show theirs = show_begin(d, correctives, NULL, NULL),
       both = show_begin(d, model, correctives, NULL);
  Show mine = show_begin(d, model, NULL, NULL), silent = show_begin(d, model, NULL, NULL);
  const uint32_t n = 3 * both.stack.vertex_count;
  dancer_pose(d, 1);
  for (int i = 0; i < 60; i++) {
    show_frame(&theirs, H, 0, NULL);
    show_frame(&both, H, i == 5, &activate);
    show_frame(&mine, H, i == 5, &activate);
    show_frame(&silent, H, 0, NULL);
    if (i < 5) assert_true(gap(both.positions, theirs.positions, n) == 0);
    for (uint32_t k = 0; k < n; k++) {
      const float added = both.positions[k] - theirs.positions[k];
      assert_true(fabsf(added - (mine.positions[k] - silent.positions[k])) < 2e-6f);
    }
  }
  assert_true(gap(both.positions, theirs.positions, n) > 0.01f);
  assert_true(gap(silent.positions, theirs.positions, n) > 0.002f);
}

/* Normals follow the bulge. */
static void normals_bend(void **state) {
  Dancer *d = *state;
  Show show = show_begin(d, dancer_model(d), NULL, NULL);
  const uint32_t n = 3 * show.stack.vertex_count;
  dancer_pose(d, 1);
  show_frame(&show, 0, 0, NULL);
  float *before = SUP_COPY(&d->arena, float, show.normals, n);
  show_frame(&show, H, 1, &activate);
  for (int i = 0; i < 120; i++) show_frame(&show, H, 0, NULL);
  assert_true(gap(show.normals, before, n) > 0.1f);
  for (uint32_t v = 0; v < n; v += 3) {
    const float *m = show.normals + v;
    assert_true(fabsf(m[0] * m[0] + m[1] * m[1] + m[2] * m[2] - 1) < 1e-4f);
  }
}

/* Far away the bulge fades and the muscles are forgotten; a jump elsewhere changes nothing. */
static void far_away_and_elsewhere(void **state) {
  Dancer *d = *state;
  SupModel *model = dancer_model(d);
  Show show = show_begin(d, model, NULL, NULL), silent = show_begin(d, model, NULL, NULL);
  const uint32_t n = 3 * show.stack.vertex_count;
  dancer_pose(d, 0);
  show_frame(&silent, 0, 0, NULL);
  show_frame(&show, H, 1, &activate);
  for (int i = 0; i < 60; i++) show_frame(&show, H, 0, NULL);
  assert_true(gap(show.positions, silent.positions, n) > 0.01f);
  d->pose.root.translation.x = 1000;
  show_frame(&show, H, 0, NULL);
  d->pose.root.translation.x = 0;
  show_frame(&show, H, 0, NULL);
  assert_true(gap(show.positions, silent.positions, n) > 0.01f);
  SupStackFrame away = {
      .dt = 0.05f, .pose = &d->pose, .off = true, .positions = {show.positions, 3}};
  float last = 1;
  for (int i = 0; i < 8; i++) {
    sup_stack_step(&show.stack, show.state, d->backend, NULL, &away);
    const float now = gap(show.positions, silent.positions, n);
    assert_true(now < last || now == 0);
    last = now;
  }
  assert_true(last == 0);
}

/* ---- Muscles -------------------------------------------------------------------------------- */

/* Each muscle clenches by itself, and where two overlap both count. */
static void muscles_one_by_one(void **state) {
  Dancer *d = *state;
  const uint32_t n = d->character.body.vertex_count;
  float *left = SUP_ALLOC(&d->arena, float, n), *right = SUP_ALLOC(&d->arena, float, n);
  for (uint32_t v = 0; v < n; v++) {
    const float x = d->character.body.positions[v].x;
    left[v] = x > 0.02f ? 1 : x < -0.02f ? 0 : 0.5f + 25 * x;
    right[v] = 1 - left[v];
  }
  const SupPoppingMask groups[2] = {{"left", left}, {"right", right}};
  d->def.groups = groups;
  d->def.group_count = 2;
  SupModel *model = dancer_model(d);
  d->def.group_count = 0;
  SupModel *whole = dancer_model(d);
  const SupPoppingView view = sup_popping_view(model), all = sup_popping_view(whole);
  assert_int_equal(sup_popping_find(&view, "right"), 1);
  assert_int_equal(sup_popping_find(&view, "nose"), SUP_POPPING_ALL);
  SupPoppingState *s = fresh(d, &view), *t = fresh(d, &all);
  SupPoppingEvent event = activate;
  event.group = 0;
  sup_popping_step(&view, s, d->backend, H, 1, &event);
  for (int i = 0; i < 100; i++) sup_popping_step(&view, s, d->backend, H, 0, NULL);
  const float *fractions = sup_popping_show(&view, s, d->backend);
  assert_non_null(fractions);
  for (uint32_t i = 0; i < view.bulge.vertex_count; i++) {
    const uint32_t v = view.bulge.order[i];
    const bool moves = view.slot_first[i / 16] < view.slot_first[i / 16 + 1];
    if (moves && left[v] == 0) assert_true(fabsf(fractions[i]) < 1e-6f);
  }
  assert_int_equal(sup_popping_groups(s)[0].phase, SUP_POPPING_ACTIVE);
  assert_int_equal(sup_popping_groups(s)[1].phase, SUP_POPPING_RELAXED);
  /* Both told the same: as one. */
  sup_popping_reset(s);
  for (int i = 0; i < 200; i++) {
    const SupPoppingEvent *told = i == 3 ? &activate : &relax;
    sup_popping_step(&view, s, d->backend, H, i == 3 || i == 40, told);
    sup_popping_step(&all, t, d->backend, H, i == 3 || i == 40, told);
    const float *a = sup_popping_show(&view, s, d->backend);
    const float *b = sup_popping_show(&all, t, d->backend);
    assert_int_equal(a == NULL, b == NULL);
    for (uint32_t k = 0; a && k < view.bulge.vertex_count; k++) {
      if (all.slot_first[k / 16] < all.slot_first[k / 16 + 1]) {
        assert_true(fabsf(a[k] - b[k]) < 3e-6f);
      }
    }
  }
}

/* A twitch rises to its peak in time, and grows tired; held, it releases after its length. */
static void twitches(void **state) {
  Dancer *d = *state;
  const SupPoppingTimes times = {.rise = 0.1f, .fatigue = 0.5f, .release = 8, .still = 1e-3f};
  float last = -1;
  for (int i = 0; i <= 100; i++) {
    const float now = sup_popping_twitch(&times, 0.001f * (float)i, 0.2f, 1.2f);
    assert_true(now > last);
    last = now;
  }
  assert_true(fabsf(last - 1.2f) < 1e-5f);
  assert_true(sup_popping_twitch(&times, 0.6f, 0, 1) > 0.7f);
  assert_true(sup_popping_twitch(&times, 3, 0, 1) < 0.05f);
  const SupPoppingView view = sup_popping_view(dancer_model(d));
  SupPoppingState *s = fresh(d, &view);
  SupPoppingEvent event = activate;
  event.length = 0.2f;
  sup_popping_step(&view, s, d->backend, H, 1, &event);
  for (int i = 1; i <= 11; i++) sup_popping_step(&view, s, d->backend, H, 0, NULL);
  assert_int_equal(sup_popping_groups(s)->phase, SUP_POPPING_ACTIVE);
  sup_popping_step(&view, s, d->backend, H, 0, NULL);
  assert_int_equal(sup_popping_groups(s)->phase, SUP_POPPING_RELEASED);
  /* Clenched again on the way down: no kick, the fraction does not jump back. */
  const float before = sup_popping_show(&view, s, d->backend)[0];
  event.length = 0;
  sup_popping_step(&view, s, d->backend, H, 1, &event);
  const float *after = sup_popping_show(&view, s, d->backend);
  assert_true(fabsf(after[0] - before) < 0.4f);
}

/* ---- Time ----------------------------------------------------------------------------------- */

static void seeking_is_playing(void **state) {
  Dancer *d = *state;
  const SupPoppingView view = sup_popping_view(dancer_model(d));
  enum { EVENTS = 400 };
  static double times[EVENTS];
  static SupPoppingEvent events[EVENTS];
  for (int k = 0; k < EVENTS; k++) {
    times[k] = 0.31 * k;
    events[k] = activate;
    events[k].length = 0.05f + 0.04f * (float)(k % 4);
  }
  const SupPoppingTrack track = {EVENTS, times, events};
  SupPoppingState *played = fresh(d, &view), *sought = fresh(d, &view);
  int n = 0;
  for (double time = 0; n < 6000; n++) {
    SupPoppingEvent now[4];
    const double next = (n + 1) * H;
    const uint32_t count = sup_popping_between(&track, n ? time : -1, next, 4, now);
    sup_popping_step(&view, played, d->backend, next - time, count, now);
    time = next;
    if (n % 997 != 3) continue;
    sup_popping_seek(&view, sought, d->backend, &track, time);
    assert_int_equal(sup_popping_groups(played)->phase, sup_popping_groups(sought)->phase);
    const float *a = sup_popping_show(&view, played, d->backend);
    const float *b = sup_popping_show(&view, sought, d->backend);
    assert_int_equal(a == NULL, b == NULL);
    for (uint32_t k = 0; a && k < view.bulge.vertex_count; k++) {
      assert_true(fabsf(a[k] - b[k]) < 2e-4f);
    }
  }
}

/* Whatever it is told, everything stays finite and near. */
static void a_storm_of_events(void **state) {
  Dancer *d = *state;
  SupModel *model = dancer_model(d);
  Show show = show_begin(d, model, NULL, NULL);
  SupRng rng = sup_rng(3, 9);
  for (int i = 0; i < 2000; i++) {
    SupPoppingEvent events[100];
    const uint32_t count = sup_rng_below(&rng, 100);
    for (uint32_t k = 0; k < count; k++) {
      events[k] = (SupPoppingEvent){.group = sup_rng_below(&rng, 3) ? SUP_POPPING_ALL : 7,
                                    .ago = 0.2f * sup_rng_float(&rng) - 0.05f,
                                    .strength = 1e3f * sup_rng_float(&rng) - 500,
                                    .length = sup_rng_float(&rng) - 0.3f};
    }
    if (i % 100 == 7) events[0].strength = NAN, events[1].ago = NAN, events[2].length = INFINITY;
    dancer_bend(d, sup_rng_float(&rng));
    show_frame(&show, (double)sup_rng_float(&rng) * 0.3, count, events);
    for (uint32_t k = 0; k < 3 * show.stack.vertex_count; k++) {
      assert_true(fabsf(show.positions[k]) < 10);
    }
  }
}

static void every_instruction_set(void **state) {
  Dancer *d = *state;
  const SupPoppingView view = sup_popping_view(dancer_model(d));
  const SupBackend *backends[8];
  const uint32_t count = sup_backend_list(backends, 8);
  uint64_t first = 0;
  for (uint32_t b = 0; b < count; b++) {
    SupPoppingState *s = fresh(d, &view);
    uint64_t hash = 0;
    for (int i = 0; i < 90; i++) {
      const SupPoppingEvent *told = i % 30 ? &relax : &activate;
      sup_popping_step(&view, s, backends[b], 0.011, i % 15 == 0, told);
      const float *fractions = sup_popping_show(&view, s, backends[b]);
      if (fractions) hash = sup_hash(fractions, 64 * view.bulge.block_count, hash);
      hash = sup_hash(s, (size_t)s->bytes, hash);
    }
    if (b == 0) first = hash;
    assert_true(hash == first);
  }
}

/* ---- Blocks --------------------------------------------------------------------------------- */

static void packed_again_it_is_the_same(void **state) {
  Dancer *d = *state;
  SupModel *model = dancer_model(d), *again;
  SupPoppingDef def;
  SupError error;
  assert_int_equal(sup_popping_unpack(&d->arena, model, &def, &error), SUP_OK);
  assert_int_equal(sup_popping_pack(&d->arena, &d->character, &def, &again, &error), SUP_OK);
  assert_int_equal(model->bytes, again->bytes);
  assert_memory_equal(model, again, (size_t)model->bytes);
}

static void damage_is_found(void **state) {
  Dancer *d = *state;
  SupModel *model = dancer_model(d);
  SupError error;
  uint64_t count;
  static const uint32_t ids[] = {
      SUP_SECTION_POPPING_SLOTS,   SUP_SECTION_POPPING_SLOT_FIRST, SUP_SECTION_POPPING_BULGE_FIRST,
      SUP_SECTION_POPPING_BULGES,  SUP_SECTION_POPPING_SWING,      SUP_SECTION_POPPING_MASKS,
      SUP_SECTION_POPPING_OFFSETS, SUP_SECTION_POPPING_ONE_RINGS,  SUP_SECTION_POPPING_COUNTS};
  for (size_t k = 0; k < sizeof ids / sizeof *ids; k++) {
    uint32_t *items = (uint32_t *)(uintptr_t)sup_model_section(model, ids[k], 4, &count);
    assert_non_null(items);
    const uint32_t was = items[count / 2];
    items[count / 2] = 0x7fc00000u; /* not a number, and no index */
    sup_model_seal(model);
    assert_int_not_equal(sup_model_check(model, (size_t)model->bytes, NULL, &error), SUP_OK);
    items[count / 2] = was;
  }
  sup_model_seal(model);
  assert_int_equal(sup_model_check(model, (size_t)model->bytes, NULL, &error), SUP_OK);
  /* The same pose twice cannot be interpolated. */
  SupPoppingPair twice[2] = {d->pairs[1], d->pairs[1]};
  d->def.pairs = twice;
  d->def.pair_count = 2;
  SupPoppingTrainReport report;
  assert_int_equal(sup_popping_train(&d->arena, &d->def, &model, &report, &error),
                   SUP_ERROR_ARGUMENT);
  d->def.pairs = d->pairs;
  d->def.pair_count = DANCER_PAIRS;
}

/* A clip that goes round is the clip again and again, and ends where it is told to. */
static void a_clip_goes_round(void **state) {
  Dancer *d = *state;
  const SupClip *clip = &d->character.clips[0];
  const double duration = (double)clip->duration, seconds = 2.4 * duration;
  const uint32_t joints = d->character.skeleton.joint_count;
  SupClip longer;
  SupError error;
  SupPose other = {joints, sup_transform_identity(), SUP_ALLOC(&d->arena, SupTransform, joints)};
  assert_int_equal(sup_clip_repeat(&d->arena, clip, seconds, &longer, &error), SUP_OK);
  assert_true(fabs((double)longer.duration - seconds) < 1e-6);
  for (uint32_t k = 0; k < longer.track_count; k++) {
    const SupTrack *track = &longer.tracks[k];
    assert_true(fabs((double)track->times[track->key_count - 1] - seconds) < 1e-5);
    for (uint32_t i = 1; i < track->key_count; i++)
      assert_true(track->times[i] > track->times[i - 1]);
  }
  for (int i = 0; i <= 200; i++) {
    const double time = seconds * i / 200, round = floor(time / duration) * duration;
    if (time - round < 2e-3 || duration - (time - round) < 2e-3) continue;
    sup_pose_rest(&d->character.skeleton, &d->pose);
    sup_pose_rest(&d->character.skeleton, &other);
    sup_clip_sample(clip, (float)(time - round), false, NULL, &d->pose, NULL);
    sup_clip_sample(&longer, (float)time, false, NULL, &other, NULL);
    for (uint32_t j = 0; j < joints; j++) {
      const float dot = sup_quat_dot(d->pose.joints[j].rotation, other.joints[j].rotation);
      assert_true(fabsf(dot) > 1 - 1e-6f);
      assert_true(sup_vec3_distance(d->pose.joints[j].translation, other.joints[j].translation) <
                  1e-4f);
    }
  }
  assert_int_not_equal(sup_clip_repeat(&d->arena, clip, -1, &longer, &error), SUP_OK);
}

/* A planted swing is found again. */
static void a_twitch_is_fitted(void **state) {
  (void)state;
  double fractions[120];
  const SupPoppingSwing swing = sup_popping_swing_hz(6.3, 0.11, 1.0 / 240);
  double s = 0, way = 0;
  for (int i = 0; i < 480; i++) {
    if (i % 4 == 0) fractions[i / 4] = s;
    way = swing.keep * way + swing.pull * (1 - s);
    s += way;
  }
  SupPoppingFit fit;
  SupError error;
  const SupPoppingTwitch twitch = {120, fractions, 60, 0};
  assert_int_equal(sup_popping_fit(&twitch, &fit, &error), SUP_OK);
  assert_true(fabs(fit.frequency - 6.3) < 0.01 && fabs(fit.damping - 0.11) < 0.002);
  assert_true(fit.left < 1e-3 && fit.alpha_left > 0.02);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_surface_follows),     cmocka_unit_test(correctives_give_the_relaxed_shape),
      cmocka_unit_test(normals_bend),          cmocka_unit_test(far_away_and_elsewhere),
      cmocka_unit_test(muscles_one_by_one),    cmocka_unit_test(twitches),
      cmocka_unit_test(seeking_is_playing),    cmocka_unit_test(a_storm_of_events),
      cmocka_unit_test(every_instruction_set), cmocka_unit_test(packed_again_it_is_the_same),
      cmocka_unit_test(damage_is_found),       cmocka_unit_test(a_clip_goes_round),
      cmocka_unit_test(a_twitch_is_fitted),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
