/* SPDX-License-Identifier: MIT */
/* Modal warping: flesh that swings far goes along an arc. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bar.h"
#include "supple/io/file.h"
#include "train/modes/modes_volume.h"
#include "wobble.h"

static int create(void **state) {
  Wobble *w = wobble_create("mochi", 600, 1500, 6);
  SupError error;
  w->def.warp = true;
  if (sup_modes_train(&w->arena, &w->def, &w->model, &w->report, &error)) {
    fail_msg("%s", error.text);
  }
  w->view = sup_modes_view(w->model);
  *state = w;
  return 0;
}

static int destroy(void **state) {
  wobble_free(*state);
  return 0;
}

/* Random weights that move flesh by about `size` of what is shown at most. */
static void random_weights(Wobble *w, SupRng *rng, float size) {
  const float *max_weight = w->view.oscillators + 16 * SUP_MODES_MAX_WEIGHT;
  for (uint32_t k = 0; k < w->view.mode_count; k++) {
    w->weights[k] = size * max_weight[k] * (2 * sup_rng_float(rng) - 1);
  }
}

static void still(const Wobble *w) {
  for (uint32_t b = 0; b < w->view.skin.bone_count; b++) w->palette[b] = sup_affine_identity();
}

static void show(const Wobble *w, const SupSkinView *skin, const SupBackend *backend, float *out) {
  const SupSkinCall call = {
      .skin = skin, .palette = w->palette, .morph_weights = w->weights, .positions = {out, 3}};
  sup_skin_lbs(backend, NULL, &call);
}

static SupSkinView straight(const Wobble *w) {
  SupSkinView skin = w->view.skin;
  skin.morph_turns = NULL;
  return skin;
}

/* The mean of the turns from none to w, applied to u, by a thousand small turns. */
static SupVec3d warp_by_sum(SupVec3d w, SupVec3d u) {
  SupVec3d sum = {0, 0, 0};
  const double angle = sup_vec3d_length(w);
  const int parts = 1000;
  for (int i = 0; i < parts; i++) {
    const double half = (i + 0.5) / parts * angle / 2, s = angle > 0 ? sin(half) / angle : 0;
    const SupQuatd q = {w.x * s, w.y * s, w.z * s, cos(half)};
    sum = sup_vec3d_add_scaled(sum, sup_quatd_rotate(q, u), 1.0 / parts);
  }
  return sum;
}

static void against_reference(void **state) {
  Wobble *w = *state;
  const uint32_t count = w->view.skin.vertex_count, modes = w->view.mode_count;
  SupArena arena;
  SupModesDef def;
  SupError error;
  SupSkinViewd wide;
  SupRng rng = sup_rng(1, 2);
  double worst = 0, worst_wide = 0, turned = 0, size = 0;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  assert_int_equal(sup_modes_unpack(&arena, w->model, &def, &error), SUP_OK);
  assert_non_null(def.turns);
  float *shown = SUP_ALLOC(&arena, float, 3 * count);
  double *exact = SUP_ALLOC(&arena, double, 3 * count), weights[15];
  SupAffined *palette = SUP_ALLOC(&arena, SupAffined, w->view.skin.bone_count);
  sup_skin_to_double(&w->view.skin,
                     SUP_ALLOC(&arena, char, sup_skin_to_double_bytes(&w->view.skin)), &wide);
  still(w);
  for (uint32_t b = 0; b < w->view.skin.bone_count; b++) palette[b] = sup_affined_identity();
  for (int round = 0; round < 4; round++) {
    random_weights(w, &rng, (float)pow(10, -round));
    for (uint32_t k = 0; k < modes; k++) weights[k] = (double)w->weights[k];
    show(w, &w->view.skin, w->backend, shown);
    const SupSkinCalld call = {
        .skin = &wide, .palette = palette, .morph_weights = weights, .positions = {exact, 3}};
    sup_skin_lbs_f64(NULL, &call);
    for (uint32_t v = 0; v < count; v++) {
      SupVec3d u = {0, 0, 0}, t = {0, 0, 0};
      for (uint32_t k = 0; k < modes; k++) {
        u = sup_vec3d_add_scaled(u, sup_vec3_to_double(def.shapes[k * count + v]), weights[k]);
        t = sup_vec3d_add_scaled(t, sup_vec3_to_double(def.turns[k * count + v]), weights[k]);
      }
      const SupVec3d p =
          sup_vec3d_add(sup_vec3_to_double(w->character.body.positions[v]), warp_by_sum(t, u));
      const SupVec3d e = {exact[3 * v], exact[3 * v + 1], exact[3 * v + 2]};
      const SupVec3d f = {(double)shown[3 * v], (double)shown[3 * v + 1], (double)shown[3 * v + 2]};
      worst_wide = fmax(worst_wide, sup_vec3d_distance(e, p));
      worst = fmax(worst, sup_vec3d_distance(e, f));
      size = fmax(size, sup_vec3d_length(u));
      turned = fmax(turned, sup_vec3d_length(t));
      /* A mean of rotations lengthens nothing. */
      assert_true(sup_vec3d_distance(e, sup_vec3_to_double(w->character.body.positions[v])) <=
                  sup_vec3d_length(u) + 1e-6 * size);
    }
  }
  printf("turned by up to %.1f rad: double %.1e, float %.1e of the offset\n", turned,
         worst_wide / size, worst / size);
  assert_true(turned > 1 && worst_wide < 1e-5 * size && worst < 1e-5 * size);
  sup_arena_free(&arena);
}

static void backends_agree(void **state) {
  Wobble *w = *state;
  const SupBackend *list[8];
  const uint32_t count = sup_backend_list(list, 8), floats = 3 * w->view.skin.vertex_count;
  float *shown = malloc(floats * sizeof *shown);
  SupRng rng = sup_rng(4, 2);
  assert_non_null(shown);
  wobble_palette(w, 0.7, w->palette);
  for (int round = 0; round < 6; round++) {
    uint64_t first = 0;
    random_weights(w, &rng, (float)pow(10, 2 - round));
    for (uint32_t k = 0; k < count; k++) {
      show(w, &w->view.skin, list[k], shown);
      const uint64_t hash = sup_hash(shown, floats * sizeof *shown, 0);
      first = k ? first : hash;
      assert_true(hash == first);
    }
    for (uint32_t i = 0; i < floats; i++) assert_true(isfinite(shown[i]));
  }
  free(shown);
}

/* Half the weights: a quarter of the difference from the linear form. */
static void linear_when_small(void **state) {
  Wobble *w = *state;
  const uint32_t floats = 3 * w->view.skin.vertex_count;
  const SupSkinView plain = straight(w);
  double gap[2] = {0, 0}, size = 0;
  float *a = malloc(floats * sizeof *a), *b = malloc(floats * sizeof *b);
  assert_true(a && b);
  still(w);
  for (int half = 0; half < 2; half++) {
    SupRng rng = sup_rng(6, 2);
    random_weights(w, &rng, half ? 0.005f : 0.01f);
    show(w, &w->view.skin, w->backend, a);
    show(w, &plain, w->backend, b);
    for (uint32_t i = 0; i < floats; i++) gap[half] += pow((double)(a[i] - b[i]), 2);
    for (uint32_t i = 0; i < floats && !half; i++) {
      size += pow((double)(b[i] - (&w->character.body.positions[0].x)[i]), 2);
    }
  }
  printf(
      "at a hundredth of the maximum weight: %.1e of the offset, at half of that %.1f times less\n",
      sqrt(gap[0] / size), sqrt(gap[0] / gap[1]));
  assert_true(gap[1] > 0 && fabs(sqrt(gap[0] / gap[1]) - 4) < 0.1);
  assert_true(sqrt(gap[0] / size) < 0.05);
  free(a);
  free(b);
}

/* Flesh that turns as a whole turns by that, wherever no held node is near. */
static void turns_of_a_turn(void **state) {
  Wobble *w = *state;
  SupModesTrainReport report = {0};
  ModesVolume volume;
  SupError error;
  if (sup_modes_volume(&w->arena, &w->def, &volume, &report, &error)) fail_msg("%s", error.text);
  const SupElastic *body = &volume.body;
  const SupVec3d turn = {0.3, -0.5, 0.7};
  SupVec3d *turns = SUP_ALLOC(&w->arena, SupVec3d, body->mesh.node_count);
  for (uint32_t i = 0; i < body->free_count; i++) {
    const SupVec3d u = sup_vec3d_cross(turn, body->mesh.nodes[body->free_nodes[i]]);
    volume.shapes[3 * i] = u.x, volume.shapes[3 * i + 1] = u.y, volume.shapes[3 * i + 2] = u.z;
  }
  sup_modes_turns(&volume, 0, turns);
  uint32_t seen = 0;
  for (uint32_t n = 0; n < body->mesh.node_count; n++) {
    bool loose = body->corner_offsets[n] < body->corner_offsets[n + 1];
    for (uint32_t c = body->corner_offsets[n]; c < body->corner_offsets[n + 1]; c++) {
      const uint32_t *corners = body->mesh.tets + body->corners[c] / 4 * 4;
      for (int k = 0; k < 4; k++) loose &= body->free_index[corners[k]] >= 0;
    }
    if (!loose) continue;
    assert_true(sup_vec3d_distance(turns[n], turn) < 1e-9);
    seen++;
  }
  assert_true(seen > 20);
}

static void packed_and_damaged(void **state) {
  Wobble *w = *state;
  SupModesDef def;
  SupModel *again;
  SupError error;
  assert_int_equal(sup_modes_unpack(&w->arena, w->model, &def, &error), SUP_OK);
  assert_int_equal(sup_modes_pack(&w->arena, &w->character, &def, &again, &error), SUP_OK);
  assert_int_equal(again->bytes, w->model->bytes);
  assert_memory_equal(again, w->model, (size_t)again->bytes);
  uint64_t count;
  float *turns = (float *)(uintptr_t)sup_model_section(again, SUP_SECTION_MODES_TURNS, 4, &count);
  uint32_t *counts =
      (uint32_t *)(uintptr_t)sup_model_section(again, SUP_SECTION_MODES_COUNTS, 4, NULL);
  const float before = turns[count - 1];
  turns[count - 1] = NAN;
  sup_model_seal(again);
  assert_int_equal(sup_modes_check(again, &error), SUP_ERROR_FORMAT);
  turns[count - 1] = before;
  counts[0] = 4; /* no such flag */
  sup_model_seal(again);
  assert_int_equal(sup_modes_check(again, &error), SUP_ERROR_FORMAT);
}

/* ---- A swung bar ------------------------------------------------------------------------------
 */

static double length_of(const float *positions) {
  double sum = 0;
  for (uint32_t i = 0; i < BAR_LONG; i++) {
    sum += sup_vec3d_distance(bar_middle(positions, i), bar_middle(positions, i + 1));
  }
  return sum;
}

/* The spread of the last ring about its middle: a cross-section that swells. */
static double width_of(const float *positions) {
  const SupVec3d middle = bar_middle(positions, BAR_LONG);
  double sum = 0;
  for (uint32_t k = 0; k < BAR_RING; k++) {
    const float *p = positions + 3 * (size_t)(BAR_LONG * BAR_RING + k);
    sum += sup_vec3d_distance(middle, (SupVec3d){(double)p[0], (double)p[1], (double)p[2]});
  }
  return sum / BAR_RING;
}

/* The lowest bending mode until its tip has turned by 60 degrees. */
static void bar_keeps_its_length(void **state) {
  (void)state;
  SupArena arena;
  SupModel *model;
  SupModesTrainReport report;
  SupModesDef unpacked;
  SupError error;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  const SupCharacter bar = bar_character(&arena, 1);
  SupModesTrainDef def = sup_modes_train_def(&bar);
  def.mode_count = 4;
  def.fill.tet_target = 3000;
  float lock[BAR_VERTICES];
  for (uint32_t v = 0; v < BAR_VERTICES; v++) lock[v] = bar.body.positions[v].x < 0.04f;
  def.attach.lock = lock;
  def.attach.thin_flesh = true;
  def.warp = true;
  def.max_distance = 10;
  def.damping_ratio = 0.1;
  if (sup_modes_train(&arena, &def, &model, &report, &error)) fail_msg("%s", error.text);
  assert_int_equal(sup_modes_unpack(&arena, model, &unpacked, &error), SUP_OK);
  const SupModesView view = sup_modes_view(model);
  SupSkinView plain = view.skin;
  const SupAffine palette = sup_affine_identity();
  float shown[3 * BAR_VERTICES], weights[4] = {0, 0, 0, 0};
  double lengths[3], widths[3];
  plain.morph_turns = NULL;
  const double tip = (double)sup_vec3_length(unpacked.turns[BAR_LONG * BAR_RING + 1]);
  for (int form = 0; form < 3; form++) { /* rest, linear, warped */
    weights[0] = form ? (float)(SUP_PI / 3 / tip) : 0;
    const SupSkinCall call = {.skin = form == 2 ? &view.skin : &plain,
                              .palette = &palette,
                              .morph_weights = weights,
                              .positions = {shown, 3}};
    sup_skin_lbs(sup_backend_cpu(), NULL, &call);
    lengths[form] = length_of(shown);
    widths[form] = width_of(shown);
  }
  printf(
      "a bar swung by 60 degrees (%.2f Hz): length %+.1f %% linear, %+.1f %% warped; width at the "
      "tip %+.1f %% and %+.1f %%\n",
      report.frequencies[0], 100 * (lengths[1] / lengths[0] - 1),
      100 * (lengths[2] / lengths[0] - 1), 100 * (widths[1] / widths[0] - 1),
      100 * (widths[2] / widths[0] - 1));
  assert_true(lengths[1] > 1.1 * lengths[0]);
  assert_true(fabs(lengths[2] / lengths[0] - 1) < 0.08);
  assert_true(fabs(widths[2] / widths[0] - 1) < 0.5 * fabs(widths[1] / widths[0] - 1));
  sup_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(against_reference),  cmocka_unit_test(backends_agree),
      cmocka_unit_test(linear_when_small),  cmocka_unit_test(turns_of_a_turn),
      cmocka_unit_test(packed_and_damaged), cmocka_unit_test(bar_keeps_its_length)};
  return cmocka_run_group_tests(tests, create, destroy);
}
