/* SPDX-License-Identifier: MIT */
/* Modes of a body: shapes, drive, forces, what is shown, damaged models. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "supple/io/file.h"
#include "train/modes/modes_volume.h"
#include "wobble.h"

static SupVec3d random_vector(SupRng *rng, double size) {
  const double x = sup_rng_double(rng), y = sup_rng_double(rng), z = sup_rng_double(rng);
  return (SupVec3d){(2 * x - 1) * size, (2 * y - 1) * size, (2 * z - 1) * size};
}

static ModesVolume volume_of(SupArena *arena, const Wobble *w) {
  SupModesTrainReport report = {0};
  ModesVolume volume;
  SupError error;
  if (sup_modes_volume(arena, &w->def, &volume, &report, &error)) fail_msg("%s", error.text);
  return volume;
}

/* ---- Shapes -----------------------------------------------------------------------------------
 */

static void orthonormal(void **state) {
  Wobble *w = *state;
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  const ModesVolume volume = volume_of(&arena, w);
  double worst = 0;
  for (uint32_t k = 0; k < volume.mode_count; k++) {
    for (uint32_t l = 0; l <= k; l++) {
      double sum = 0;
      for (uint32_t i = 0; i < volume.body.free_count; i++) {
        sum += volume.body.masses[volume.body.free_nodes[i]] *
               sup_vec3d_dot(modes_at_node(&volume, k, i), modes_at_node(&volume, l, i));
      }
      worst = fmax(worst, fabs(sum - (k == l)));
    }
    assert_true(k == 0 || volume.stiffness[k] >= volume.stiffness[k - 1]);
  }
  printf("orthonormal to %.1e; %.2f to %.2f Hz; %.0f %% of the mass; %u pairs\n", worst,
         w->report.frequencies[0], w->report.frequencies[w->report.mode_count - 1],
         100 * w->report.covered, w->report.pair_count);
  assert_true(worst < 1e-9);
  assert_true(w->report.covered > 0.1 && w->report.covered <= 1);
  sup_arena_free(&arena);
}

/* ---- Drive ------------------------------------------------------------------------------------
 */

/* The force on the modes node by node, as in the head of modes_pairs.c. */
static void drive_by_nodes(const ModesVolume *volume, const SupAffined *palette,
                           const SupAffined *accelerations, double *out) {
  const SupAttachment *attachment = &volume->attachment;
  for (uint32_t k = 0; k < volume->mode_count; k++) out[k] = 0;
  for (uint32_t i = 0; i < volume->body.free_count; i++) {
    const uint32_t n = volume->body.free_nodes[i];
    SupMat3d frame = {{0}};
    SupVec3d a = {0, 0, 0};
    for (uint32_t s = 0; s < SUP_ATTACH_BONES; s++) {
      const double w = (double)attachment->weights[SUP_ATTACH_BONES * n + s];
      const uint32_t b = attachment->bones[SUP_ATTACH_BONES * n + s];
      for (int e = 0; e < 9; e++) frame.m[e] += w * palette[b].m[e];
      a = sup_vec3d_add_scaled(a, sup_affined_point(accelerations[b], volume->fill.mesh.nodes[n]),
                               w);
    }
    const SupVec3d local = sup_mat3d_mul_vec3(sup_mat3d_transpose(frame), a);
    for (uint32_t k = 0; k < volume->mode_count; k++) {
      out[k] += volume->body.masses[n] / volume->scale *
                sup_vec3d_dot(modes_at_node(volume, k, i), local);
    }
  }
}

static SupAffined random_bone(SupRng *rng) {
  const SupVec3d axis = random_vector(rng, 1);
  const SupQuatd q =
      sup_quatd_normalise((SupQuatd){axis.x, axis.y, axis.z, 2 * sup_rng_double(rng) - 1});
  return sup_affined_compose((SupTransformd){random_vector(rng, 2), q, {1, 1, 1}});
}

static void drive_from_bones_and_from_nodes(void **state) {
  Wobble *w = *state;
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  const ModesVolume volume = volume_of(&arena, w);
  const uint32_t bones = w->view.skin.bone_count;
  SupRng rng = sup_rng(7, 7);
  SupAffined *palette = SUP_ALLOC(&arena, SupAffined, bones);
  SupAffined *accelerations = SUP_ALLOC(&arena, SupAffined, bones);
  SupAffine *p = SUP_ALLOC(&arena, SupAffine, bones), *a = SUP_ALLOC(&arena, SupAffine, bones);
  double *expected = SUP_ALLOC(&arena, double, volume.mode_count), worst = 0, size = 0;
  float *found = SUP_ALLOC(&arena, float, 16 * w->view.block_count);
  for (int round = 0; round < 50; round++) {
    for (uint32_t b = 0; b < bones; b++) {
      p[b] = sup_affined_to_float(random_bone(&rng));
      for (int e = 0; e < 12; e++) a[b].m[e] = (float)(20 * sup_rng_double(&rng) - 10);
      palette[b] = sup_affine_to_double(p[b]);
      accelerations[b] = sup_affine_to_double(a[b]);
    }
    drive_by_nodes(&volume, palette, accelerations, expected);
    sup_modes_drive(&w->view, w->backend, p, a, found);
    for (uint32_t k = 0; k < volume.mode_count; k++) {
      size = fmax(size, fabs(expected[k]));
      worst = fmax(worst, fabs(expected[k] - (double)found[k]));
    }
  }
  printf("drive from bones against nodes: %.1e\n", worst / size);
  assert_true(size > 0 && worst < 1e-5 * size);
  sup_arena_free(&arena);
}

/* All of these are the same motion seen from elsewhere, or no motion at all. */
static void rigid_motion(void **state) {
  Wobble *w = *state;
  const uint32_t bones = w->view.skin.bone_count;
  const SupAffine move = sup_affine_compose((SupTransform){
      {1, -2, 0.5f}, sup_quat_normalise((SupQuat){0.3f, -0.5f, 0.2f, 0.7f}), {1, 1, 1}});
  float q[2][16], peak = 0;
  for (int moved = 0; moved < 2; moved++) {
    sup_modes_reset(w->state);
    for (int i = 0; i < 120; i++) {
      wobble_palette(w, i / 60.0, w->palette);
      for (uint32_t b = 0; b < bones && moved; b++) {
        w->palette[b] = sup_affine_mul(move, w->palette[b]);
      }
      sup_modes_step(&w->view, w->state, w->backend, 1.0f / 60, w->palette, NULL);
      peak = fmaxf(peak, wobble_peak(w, sup_modes_amplitudes(w->state)));
    }
    memcpy(q[moved], sup_modes_amplitudes(w->state), sizeof q[moved]);
  }
  printf("moved rigidly: %.1e of the peak\n", (double)(wobble_gap(w, q[0], q[1]) / peak));
  assert_true(wobble_gap(w, q[0], q[1]) < 1e-4f * peak && peak > 0);
  /* A steady drift, and rest, excite nothing. */
  for (int speed = 0; speed < 2; speed++) {
    sup_modes_reset(w->state);
    wobble_palette(w, 0, w->palette);
    for (int i = 0; i < 60; i++) {
      for (uint32_t b = 0; b < bones; b++) w->palette[b].m[10] += 0.0625f * (float)speed;
      sup_modes_step(&w->view, w->state, w->backend, 1.0f / 60, w->palette, NULL);
    }
    assert_true(wobble_peak(w, sup_modes_amplitudes(w->state)) < 1e-4f * peak);
  }
}

/* Units of the file do not matter: the same body in millimetres and in kilometres. */
static void scale(void **state) {
  Wobble *w = *state;
  const double factors[2] = {1e-3, 1e3};
  for (int s = 0; s < 2; s++) {
    const float factor = (float)factors[s];
    Wobble *other = wobble_create("mochi", 600, 1500, 15);
    SupSkeleton *skeleton = &other->character.skeleton;
    SupVec3 *positions = SUP_COPY(&other->arena, SupVec3, other->character.body.positions,
                                  other->character.body.vertex_count);
    SupAffine *binds =
        SUP_COPY(&other->arena, SupAffine, skeleton->inverse_bind, skeleton->bone_count);
    for (uint32_t v = 0; v < other->character.body.vertex_count; v++) {
      positions[v] = sup_vec3_scale(positions[v], factor);
    }
    for (uint32_t b = 0; b < skeleton->bone_count; b++) {
      for (int e = 0; e < 9; e++) binds[b].m[e] /= factor;
    }
    other->character.body.positions = positions;
    skeleton->inverse_bind = binds;
    SupError error;
    if (sup_modes_train(&other->arena, &other->def, &other->model, &other->report, &error)) {
      fail_msg("%s", error.text);
    }
    other->view = sup_modes_view(other->model);
    for (uint32_t k = 0; k < w->report.mode_count; k++) {
      assert_true(fabs(other->report.frequencies[k] / w->report.frequencies[k] - 1) < 1e-3);
    }
    const uint32_t count = 3 * w->view.skin.vertex_count;
    float *a = malloc(count * sizeof *a), *b = malloc(count * sizeof *b), gap = 0, offset = 0;
    assert_true(a && b);
    sup_modes_reset(w->state);
    sup_modes_reset(other->state);
    for (int i = 0; i < 60; i++) {
      wobble_palette(w, i / 60.0, w->palette);
      wobble_palette(other, i / 60.0, other->palette);
      sup_modes_step(&w->view, w->state, w->backend, 1.0f / 60, w->palette, NULL);
      sup_modes_step(&other->view, other->state, w->backend, 1.0f / 60, other->palette, NULL);
    }
    wobble_skin(w, w->palette, a);
    wobble_skin(other, other->palette, b);
    for (uint32_t i = 0; i < count; i++) gap = fmaxf(gap, fabsf(a[i] - b[i]));
    sup_modes_reset(w->state);
    sup_modes_step(&w->view, w->state, w->backend, 1.0f / 60, w->palette, NULL);
    wobble_skin(w, w->palette, b);
    for (uint32_t i = 0; i < count; i++) offset = fmaxf(offset, fabsf(a[i] - b[i]));
    printf("scaled by %g: %.1e of the offset\n", (double)factor, (double)(gap / offset));
    assert_true(offset > 1e-3f && gap < 0.01f * offset);
    free(a);
    free(b);
    wobble_free(other);
  }
}

/* ---- Forces -----------------------------------------------------------------------------------
 */

/* Under gravity flesh starts in balance and stays there; the balance is force over stiffness. */
static void gravity_sags(void **state) {
  Wobble *w = *state;
  const SupModesForces forces = {.gravity = {0, -9.81f, 0}};
  const uint32_t bones = w->view.skin.bone_count;
  float start[16], drive[16], peak;
  SupAffine *up = calloc(bones, sizeof *up);
  assert_non_null(up);
  for (uint32_t b = 0; b < bones; b++) up[b].m[10] = 9.81f;
  wobble_palette(w, 0, w->palette);
  sup_modes_reset(w->state);
  for (int i = 0; i < 60; i++) {
    sup_modes_step(&w->view, w->state, w->backend, 1.0f / 60, w->palette, &forces);
    if (i == 0) memcpy(start, sup_modes_amplitudes(w->state), sizeof start);
  }
  peak = wobble_peak(w, start);
  assert_true(peak > 0 && wobble_gap(w, start, sup_modes_amplitudes(w->state)) < 1e-5f * peak);
  /* To be heavy is to be lifted. */
  sup_modes_drive(&w->view, w->backend, w->palette, up, drive);
  for (uint32_t k = 0; k < w->view.mode_count; k++) {
    const float omega = 2 * (float)SUP_PI * (float)w->report.frequencies[k];
    assert_true(fabsf(start[k] + drive[k] / (omega * omega)) < 1e-4f * peak);
  }
  free(up);
}

/* A pull moves its vertex its own way, twice the force twice as far, and lets go. */
static void pull(void **state) {
  Wobble *w = *state;
  const uint32_t vertex = w->report.worst_vertex, count = 3 * w->view.skin.vertex_count;
  float *rest = malloc(count * sizeof *rest), *pulled = malloc(count * sizeof *pulled);
  float moved[2];
  assert_true(rest && pulled);
  wobble_palette(w, 0.3, w->palette);
  for (int twice = 0; twice < 2; twice++) {
    SupModesPull hand = {vertex, {0, 0, 2 * (float)(1 + twice)}};
    SupModesForces forces = {.pull_count = 1, .pulls = &hand};
    sup_modes_reset(w->state);
    for (int i = 0; i < 3; i++) {
      sup_modes_step(&w->view, w->state, w->backend, 0.01f, w->palette, NULL);
    }
    wobble_skin(w, w->palette, rest);
    for (int i = 0; i < 3000; i++) {
      sup_modes_step(&w->view, w->state, w->backend, 0.05f, w->palette, &forces);
    }
    wobble_skin(w, w->palette, pulled);
    moved[twice] = pulled[3 * vertex + 2] - rest[3 * vertex + 2];
    for (int i = 0; i < 3000; i++) {
      sup_modes_step(&w->view, w->state, w->backend, 0.05f, w->palette, NULL);
    }
    wobble_skin(w, w->palette, pulled);
    assert_true(fabsf(pulled[3 * vertex + 2] - rest[3 * vertex + 2]) < 1e-3f * moved[twice]);
  }
  printf("2 N move the vertex by %.2g m\n", (double)moved[0]);
  assert_true(moved[0] > 0 && fabsf(moved[1] / moved[0] - 2) < 0.01f);
  free(rest);
  free(pulled);
}

/* ---- What is shown ----------------------------------------------------------------------------
 */

static void weights_fade_and_end(void **state) {
  Wobble *w = *state;
  float *q = sup_modes_amplitudes(w->state), shown[16];
  for (uint32_t k = 0; k < w->view.mode_count; k++) q[k] = 1e-3f;
  sup_modes_weights(&w->view, w->state, 4.25f, 0.5f, shown);
  for (uint32_t k = 0; k < w->view.mode_count; k++) {
    const float expected = k < 4 ? 5e-4f : k == 4 ? 1.25e-4f : 0;
    assert_true(fabsf(shown[k] - expected) < 1e-9f);
  }
  for (uint32_t k = 0; k < w->view.mode_count; k++) q[k] = k % 2 ? 1e18f : -1e18f;
  sup_modes_weights(&w->view, w->state, INFINITY, 1, shown);
  const float *rows = w->view.oscillators + 16 * SUP_MODES_MAX_WEIGHT;
  for (uint32_t k = 0; k < w->view.mode_count; k++) {
    assert_true(shown[k] == (k % 2 ? rows[k] : -rows[k]));
  }
}

/* Finite in, finite out. */
static void never_explodes(void **state) {
  Wobble *w = *state;
  SupRng rng = sup_rng(3, 9);
  float *positions = malloc(3 * sizeof *positions * w->view.skin.vertex_count);
  assert_non_null(positions);
  sup_modes_reset(w->state);
  for (int i = 0; i < 400; i++) {
    const double size = pow(10, 30 * sup_rng_double(&rng) - 8);
    wobble_palette(w, i / 60.0, w->palette);
    for (uint32_t b = 0; b < w->view.skin.bone_count; b++) {
      w->palette[b].m[9] = (float)(size * (2 * sup_rng_double(&rng) - 1));
    }
    sup_modes_step(&w->view, w->state, w->backend, (float)pow(10, -6 * sup_rng_double(&rng)),
                   w->palette, NULL);
    const float *q = sup_modes_amplitudes(w->state), *v = sup_modes_velocities(w->state);
    for (uint32_t k = 0; k < 16 * w->view.block_count; k++) {
      assert_true(isfinite(q[k]) && isfinite(v[k]));
    }
  }
  wobble_palette(w, 0, w->palette);
  wobble_skin(w, w->palette, positions);
  for (uint32_t i = 0; i < 3 * w->view.skin.vertex_count; i++) assert_true(isfinite(positions[i]));
  free(positions);
}

/* Every instruction set gives the same bits. */
static void backends_agree(void **state) {
  Wobble *w = *state;
  const SupBackend *list[8];
  const uint32_t count = sup_backend_list(list, 8);
  const SupModesForces forces = {.gravity = {1, -9, 2}};
  uint64_t hashes[8];
  for (uint32_t k = 0; k < count; k++) {
    sup_modes_init(&w->view, w->state);
    for (int i = 0; i < 90; i++) {
      wobble_palette(w, i / 60.0, w->palette);
      sup_modes_step(&w->view, w->state, list[k], i % 3 ? 1.0f / 60 : 0.01f, w->palette, &forces);
    }
    hashes[k] = sup_hash(w->state, sup_modes_bytes(&w->view), 0);
    assert_true(hashes[k] == hashes[0]);
  }
}

/* ---- The model --------------------------------------------------------------------------------
 */

static SupResult check(SupModel *model) {
  SupError error;
  sup_model_seal(model);
  return sup_model_check(model, (size_t)model->bytes, NULL, &error);
}

static void *section(SupModel *model, uint32_t id) {
  return (void *)(uintptr_t)sup_model_section(model, id, 4, NULL);
}

static void damaged_models(void **state) {
  Wobble *w = *state;
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  const struct {
    uint32_t id;
    size_t at;
    float number; /* as bits where it is an index */
    uint32_t index;
  } damage[] = {{SUP_SECTION_MODES_ONE_RINGS, 5, 0, 1u << 30},
                {SUP_SECTION_MODES_ONE_RING_FIRST, 2, 0, 1u << 30},
                {SUP_SECTION_MODES_COUNTS, 0, 0, 1},
                {SUP_SECTION_MODES_COUNTS, 1, 0, 0},
                {SUP_SECTION_MODES_COUNTS, 1, 0, 5000},
                {SUP_SECTION_MODES_COUNTS, 2, 0, 3},
                {SUP_SECTION_MODES_NUMBERS, 0, -1, 0},
                {SUP_SECTION_MODES_LANES, 3, 0, 4000000},
                {SUP_SECTION_MODES_OSCILLATORS, 0, -1, 0},
                {SUP_SECTION_MODES_OSCILLATORS, 16, -1, 0},
                {SUP_SECTION_MODES_OSCILLATORS, 3, NAN, 0},
                {SUP_SECTION_MODES_OSCILLATORS, 48, -0.5f, 0},
                {SUP_SECTION_MODES_PAIRS, 1, 0, 900},
                {SUP_SECTION_MODES_PAIRS, 2, 0, 800},
                {SUP_SECTION_MODES_DRIVE, 7, INFINITY, 0}};
  assert_int_equal(check(w->model), SUP_OK);
  for (size_t k = 0; k < sizeof damage / sizeof *damage; k++) {
    SupModel *copy = sup_arena_copy(&arena, w->model, 1, (size_t)w->model->bytes);
    void *items = section(copy, damage[k].id);
    if (damage[k].number != 0 || damage[k].number != damage[k].number) {
      ((float *)items)[damage[k].at] = damage[k].number;
    } else {
      ((uint32_t *)items)[damage[k].at] = damage[k].index;
    }
    if (check(copy) == SUP_OK) fail_msg("damage %zu was not seen", k);
  }
  sup_arena_free(&arena);
}

static void tuned(void **state) {
  Wobble *w = *state;
  SupModel *copy = sup_arena_copy(&w->arena, w->model, 1, (size_t)w->model->bytes);
  sup_modes_tune(copy, 3, 400, 2, 0.5);
  SupError error;
  assert_int_equal(sup_model_check(copy, (size_t)copy->bytes, NULL, &error), SUP_OK);
  const SupModesView view = sup_modes_view(copy);
  assert_true(view.oscillators[3] == 400 && view.oscillators[19] == 2 &&
              view.oscillators[35] == 0.5f);
}

/* What was packed can be packed again. */
static void unpacked(void **state) {
  Wobble *w = *state;
  SupModesDef def;
  SupModel *again;
  SupError error;
  assert_int_equal(sup_modes_unpack(&w->arena, w->model, &def, &error), SUP_OK);
  assert_true(fabs(def.max_distance - 0.25) < 1e-6);
  def.max_distance = 0.25;
  assert_int_equal(sup_modes_pack(&w->arena, &w->character, &def, &again, &error), SUP_OK);
  assert_true(again->bytes == w->model->bytes);
  assert_memory_equal(again, w->model, (size_t)again->bytes);
}

/* A wanted lowest frequency and damping. */
static void tuned_by_ear(void **state) {
  Wobble *w = *state;
  SupArena arena;
  SupModel *model;
  SupModesTrainReport report;
  SupError error;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  SupModesTrainDef def = w->def;
  def.frequency = 2;
  def.damping_ratio = 0.1;
  assert_int_equal(sup_modes_train(&arena, &def, &model, &report, &error), SUP_OK);
  assert_true(fabs(report.frequencies[0] - 2) < 1e-9 && fabs(report.damping_ratio[0] - 0.1) < 1e-9);
  for (uint32_t k = 1; k < report.mode_count; k++) {
    const double ratio = w->report.frequencies[k] / w->report.frequencies[0];
    assert_true(fabs(report.frequencies[k] / (2 * ratio) - 1) < 1e-9);
    assert_true(fabs(report.damping_ratio[k] / (0.1 * ratio) - 1) < 1e-9);
  }
  sup_arena_free(&arena);
}

/* Asking for what cannot be gives a sentence. */
static void impossible(void **state) {
  Wobble *w = *state;
  SupArena arena;
  SupModel *model;
  SupModesTrainReport report;
  SupError error = {{0}};
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  const uint32_t counts[3] = {0, 5000, 1000};
  for (int k = 0; k < 3; k++) {
    SupModesTrainDef def = w->def;
    def.mode_count = counts[k];
    if (k == 2) def.fill.tet_target = 60; /* fewer unknowns than modes */
    assert_int_not_equal(sup_modes_train(&arena, &def, &model, &report, &error), SUP_OK);
    assert_true(strlen(error.text) > 20);
  }
  sup_arena_free(&arena);
}

static void memory_runs_out(void **state) {
  Wobble *w = *state;
  CountingHeap heap = {0};
  SupModel *model;
  SupModesTrainReport report;
  SupError error;
  SupModesTrainDef def = w->def;
  def.fill.tet_target = 200;
  def.mode_count = 3;
  size_t k = 1;
  for (SupResult result = SUP_ERROR_MEMORY; result; k += 1 + k / 16) {
    SupArena arena;
    heap = (CountingHeap){.fail_at = k};
    sup_arena_init(&arena, counting_allocator(&heap), 0);
    result = sup_modes_train(&arena, &def, &model, &report, &error);
    assert_true(result == SUP_OK || result == SUP_ERROR_MEMORY);
    if (result == SUP_OK) assert_true(heap.calls < k);
    sup_arena_free(&arena);
    assert_int_equal(heap.live_blocks, 0);
  }
  assert_true(k > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(orthonormal),
                                     cmocka_unit_test(drive_from_bones_and_from_nodes),
                                     cmocka_unit_test(rigid_motion),
                                     cmocka_unit_test(scale),
                                     cmocka_unit_test(gravity_sags),
                                     cmocka_unit_test(pull),
                                     cmocka_unit_test(weights_fade_and_end),
                                     cmocka_unit_test(never_explodes),
                                     cmocka_unit_test(backends_agree),
                                     cmocka_unit_test(damaged_models),
                                     cmocka_unit_test(tuned),
                                     cmocka_unit_test(impossible),
                                     cmocka_unit_test(unpacked),
                                     cmocka_unit_test(tuned_by_ear),
                                     cmocka_unit_test(memory_runs_out)};
  return cmocka_run_group_tests(tests, wobble_make, wobble_unmake);
}
