/* SPDX-License-Identifier: MIT */
/* Stiffness and drag along the normal by themselves: what a step does, what may be packed, who
 * refuses it, and that both directions are learned. */
#include <math.h>
#include <string.h>

#include "lesson.h"
#include "supple/surface.h"

enum { AROUND = 10, ALONG = 9 };

static SupSurfaceDef split_def(float alpha, float delta, float normal_alpha, float normal_delta) {
  SupSurfaceDef def = def_of(alpha, 0, 0, 0, delta);
  def.flags = SUP_SURFACE_NORMAL;
  def.values[SUP_SURFACE_MAP_NORMAL_ALPHA] = normal_alpha;
  def.values[SUP_SURFACE_MAP_NORMAL_DELTA] = normal_delta;
  return def;
}

static SupVec3d rest_normal(const Flesh *f, uint32_t lane) {
  const SupSkinViewd *skin = &f->wide.skin;
  const size_t rows = sup_skin_record_rows(skin->flags);
  const double *n =
      skin->records + 16 * (rows * (lane / 16) + skin->bone_first[lane / 16] + 3) + lane % 16;
  return (SupVec3d){n[0], n[16], n[32]};
}

/* ---- One step ---------------------------------------------------------------------------------
 */

/* A body that is turned, shifted as a whole: each vertex is pulled back, and its velocity dragged,
 * by one share along its normal and by another along the skin. */
static void each_direction_has_its_own(void **state) {
  (void)state;
  for (int p = 0; p < 2; p++) {
    SupArena arena = new_arena();
    SupRng rng = sup_rng(4, 4);
    SupCharacter tube;
    Flesh f;
    tube_make(&arena, AROUND, ALONG, NULL, &tube);
    const SupSurfaceDef def = split_def(0.1f, 0.05f, 0.6f, 0.3f);
    flesh_make(&arena, &tube, &def, &f);
    const SupQuatd q = random_rotation(&rng);
    f.palette[0] = f.palette[1] = rigid(q, random_vector(&rng, 2));
    flesh_goal(&f);
    flesh_start(&f);
    const SupVec3d off = {0.02, -0.03, 0.01}, moving = {-0.004, 0.002, 0.007};
    for (uint32_t lane = 0; lane < f.lanes; lane++) {
      flesh_set(f.x, lane, sup_vec3d_add(flesh_get(f.x, lane), off));
      flesh_set(f.dx, lane, moving);
    }
    flesh_step(&f, precision(p).backend);
    for (uint32_t lane = 0; lane < f.lanes; lane++) {
      const SupVec3d n = sup_quatd_rotate(q, sup_vec3d_normalise(rest_normal(&f, lane)));
      SupVec3d expected = sup_vec3d_add_scaled(moving, off, -(double)0.1f);
      expected = sup_vec3d_add_scaled(expected, moving, -(double)0.05f);
      const double more = -((double)0.6f - (double)0.1f) * sup_vec3d_dot(n, off) -
                          ((double)0.3f - (double)0.05f) * sup_vec3d_dot(n, moving);
      expected = sup_vec3d_add_scaled(expected, n, more);
      assert_true(sup_vec3d_distance(expected, flesh_get(f.dx, lane)) < (p ? 1e-6 : 1e-14));
    }
    sup_arena_free(&arena);
  }
}

/* The same numbers in both directions are the model without that flag. */
static void equal_numbers_change_nothing(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupRng rng = sup_rng(5, 5);
  SupCharacter tube;
  Flesh plain, split;
  tube_make(&arena, AROUND, ALONG, NULL, &tube);
  SupSurfaceDef def = def_of(0.3f, 0.2f, 0.2f, 0.1f, 0.15f);
  flesh_make(&arena, &tube, &def, &plain);
  def.flags = SUP_SURFACE_NORMAL;
  def.values[SUP_SURFACE_MAP_NORMAL_ALPHA] = 0.3f;
  def.values[SUP_SURFACE_MAP_NORMAL_DELTA] = 0.15f;
  flesh_make(&arena, &tube, &def, &split);
  flesh_goal(&plain);
  flesh_goal(&split);
  SupRng same = rng;
  randomise(&plain, &rng);
  randomise(&split, &same);
  for (int k = 0; k < 20; k++) {
    flesh_step(&plain, NULL);
    flesh_step(&split, NULL);
  }
  double worst = 0;
  for (uint32_t lane = 0; lane < plain.lanes; lane++) {
    worst = fmax(worst, sup_vec3d_distance(flesh_get(plain.x, lane), flesh_get(split.x, lane)));
  }
  assert_true(worst < 1e-12);
  sup_arena_free(&arena);
}

/* ---- Packing ----------------------------------------------------------------------------------
 */

static void maps_of_the_normal_come_back(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupCharacter tube;
  SupModel *model;
  SupError error = {{0}};
  float values[32], back[32];
  tube_make(&arena, 6, 5, NULL, &tube);
  SupSurfaceDef def = split_def(0.2f, 0.1f, 0.5f, 0.3f);
  for (int v = 0; v < 32; v++) values[v] = (float)v / 64;
  def.maps[SUP_SURFACE_MAP_NORMAL_ALPHA] = values;
  assert_int_equal(sup_surface_pack(&arena, &tube, &def, &model, NULL), SUP_OK);
  sup_surface_get_map(model, SUP_SURFACE_MAP_NORMAL_ALPHA, back);
  assert_memory_equal(values, back, sizeof back);
  sup_surface_set_map(model, SUP_SURFACE_MAP_NORMAL_DELTA, values);
  sup_surface_get_map(model, SUP_SURFACE_MAP_NORMAL_DELTA, back);
  assert_memory_equal(values, back, sizeof back);
  assert_int_equal(sup_model_check(model, (size_t)model->bytes, NULL, NULL), SUP_OK);
  values[3] = 1.5f;
  assert_int_equal(sup_surface_pack(&arena, &tube, &def, &model, &error), SUP_ERROR_ARGUMENT);
  assert_non_null(strstr(error.text, "along the normal"));
  def.flags = 0; /* nobody asks for them */
  assert_int_equal(sup_surface_pack(&arena, &tube, &def, &model, &error), SUP_OK);
  sup_surface_get_map(model, SUP_SURFACE_MAP_NORMAL_ALPHA, back);
  assert_true(back[5] == 0.2f);
  sup_arena_free(&arena);
}

/* The model, its skin packed without normals. */
static SupModel *without_normals(SupArena *arena, const SupModel *model) {
  const SupModelSection *sections = (const SupModelSection *)(const void *)(model + 1);
  const SupSkinView skin = sup_surface_view(model).skin;
  SupModelPart parts[64];
  SupModelDef def = {
      .kind = model->kind, .version = model->version, .h = model->h, .mesh = model->mesh};
  SupModel *out;
  const uint32_t rows = sup_skin_record_rows(0);
  const size_t count = 16 * ((size_t)rows * skin.block_count + skin.bone_first[skin.block_count]);
  float *records = SUP_ALLOC(arena, float, count), *to = records;
  const float *from = skin.records;
  for (uint32_t b = 0; b < skin.block_count; b++) { /* positions, (normals), weights */
    const size_t bones = skin.bone_first[b + 1] - skin.bone_first[b];
    memcpy(to, from, 16 * rows * sizeof(float));
    from += 16 * sup_skin_record_rows(skin.flags);
    memcpy(to + 16 * rows, from, 16 * bones * sizeof(float));
    from += 16 * bones, to += 16 * (rows + bones);
  }
  for (uint32_t k = 0; k < model->section_count; k++) {
    const SupModelSection *s = &sections[k];
    parts[k] = (SupModelPart){s->id, s->item_bytes, s->count, (const char *)model + s->offset};
    if (s->id == SUP_SECTION_SKIN_RECORDS) parts[k].count = count, parts[k].items = records;
    if (s->id != SUP_SECTION_SKIN_COUNTS) continue;
    uint32_t *counts = SUP_ALLOC(arena, uint32_t, (size_t)s->count);
    memcpy(counts, parts[k].items, (size_t)s->count * sizeof *counts);
    counts[0] = 0;
    parts[k].items = counts;
  }
  def.part_count = model->section_count;
  def.parts = parts;
  assert_int_equal(sup_model_pack(arena, &def, &out, NULL), SUP_OK);
  return out;
}

/* Numbers out of range, a section or normals that are not there. */
static void damage_is_found(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupCharacter tube;
  SupModel *model;
  SupError error;
  tube_make(&arena, 6, 5, NULL, &tube);
  SupSurfaceDef def = split_def(0.2f, 0.1f, 0.5f, 0.3f);
  static const struct {
    uint32_t row;
    float value;
  } wrong[] = {{SUP_SURFACE_NORMAL_ALPHA, 1.5f},
               {SUP_SURFACE_NORMAL_DELTA, -0.1f},
               {SUP_SURFACE_NORMAL_DELTA, NAN}};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    assert_int_equal(sup_surface_pack(&arena, &tube, &def, &model, NULL), SUP_OK);
    float *rows = (float *)(uintptr_t)sup_surface_view(model).normal_rows;
    rows[16 * wrong[k].row + 3] = wrong[k].value;
    sup_model_seal(model);
    assert_int_equal(sup_model_check(model, (size_t)model->bytes, NULL, &error), SUP_ERROR_FORMAT);
    assert_non_null(strstr(error.text, "normal"));
  }
  def.flags = 0;
  assert_int_equal(sup_surface_pack(&arena, &tube, &def, &model, NULL), SUP_OK);
  uint32_t *counts =
      (uint32_t *)(uintptr_t)sup_model_section(model, SUP_SECTION_SURFACE_COUNTS, 4, NULL);
  counts[0] |= SUP_SURFACE_NORMAL;
  sup_model_seal(model);
  assert_int_equal(sup_model_check(model, (size_t)model->bytes, NULL, &error), SUP_ERROR_FORMAT);
  def.flags = SUP_SURFACE_NORMAL;
  assert_int_equal(sup_surface_pack(&arena, &tube, &def, &model, NULL), SUP_OK);
  model = without_normals(&arena, model);
  assert_int_equal(sup_model_check(model, (size_t)model->bytes, NULL, &error), SUP_ERROR_FORMAT);
  assert_non_null(strstr(error.text, "normals are missing"));
  sup_arena_free(&arena);
}

/* A build that does not know the flags says which version it lacks; other files stay as they were.
 */
static void versions_say_what_is_in_it(void **state) {
  (void)state;
  static const uint32_t flags[] = {0, SUP_SURFACE_BONE_ROTATION | SUP_SURFACE_ABSOLUTE,
                                   SUP_SURFACE_NORMAL, SUP_SURFACE_UNDELAYED};
  SupArena arena = new_arena();
  SupCharacter tube;
  SupModel *model;
  SupError error;
  tube_make(&arena, 6, 5, NULL, &tube);
  SupSurfaceDef def = split_def(0.2f, 0.1f, 0.5f, 0.3f);
  for (uint32_t k = 0; k < 4; k++) {
    def.flags = flags[k];
    assert_int_equal(sup_surface_pack(&arena, &tube, &def, &model, NULL), SUP_OK);
    assert_int_equal(model->version, k < 2 ? 1 : 2);
    assert_int_equal(sup_model_check(model, (size_t)model->bytes, NULL, NULL), SUP_OK);
    const SupTechnique reader = {
        .kind = SUP_SURFACE_KIND, .name = "surface", .version = 1, .check = sup_surface_check};
    const SupTechnique *const old[] = {&reader, NULL};
    const SupResult result = sup_model_check(model, (size_t)model->bytes, old, &error);
    assert_int_equal(result, k < 2 ? SUP_OK : SUP_ERROR_UNSUPPORTED);
    if (result) assert_non_null(strstr(error.text, "version 2, but this build reads up to 1"));
  }
  sup_arena_free(&arena);
}

/* ---- Stability --------------------------------------------------------------------------------
 */

/* Numbers that are safe along the skin and not along the normal. */
static void the_larger_counts(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupCharacter tube;
  SupModel *model;
  SupSurfaceMaps maps;
  SupSurfaceBuildReport report;
  SupSurfaceProbe probe;
  const SupSurfaceProbeDef probe_def = {.seed = 1};
  tube_make(&arena, AROUND, ALONG, NULL, &tube);
  /* By itself 4 - 2 drag - stiffness < 0 along the normal: it grows there, and only there. */
  SupSurfaceDef def = split_def(0.1f, 0.1f, 1, 1);
  def.values[SUP_SURFACE_BETA] = 1;
  def.values[SUP_SURFACE_LAMBDA] = 0.4f;
  assert_int_equal(sup_surface_pack(&arena, &tube, &def, &model, NULL), SUP_OK);
  assert_int_equal(sup_surface_probe(&arena, model, &probe_def, &probe, NULL), SUP_OK);
  assert_true(probe.growth > 1.05);
  def.values[SUP_SURFACE_MAP_NORMAL_ALPHA] = def.values[SUP_SURFACE_MAP_NORMAL_DELTA] = 0.1f;
  assert_int_equal(sup_surface_pack(&arena, &tube, &def, &model, NULL), SUP_OK);
  assert_int_equal(sup_surface_probe(&arena, model, &probe_def, &probe, NULL), SUP_OK);
  assert_true(probe.growth < 1);
  /* The limiter scales all of them, and a model may be saved. */
  assert_int_equal(sup_surface_maps_create(&arena, tube.body.vertex_count, &maps, NULL), SUP_OK);
  for (uint32_t v = 0; v < maps.vertex_count; v++) {
    maps.rows[SUP_SURFACE_ALPHA][v] = 0.1f, maps.rows[SUP_SURFACE_DELTA][v] = 0.1f;
    maps.rows[SUP_SURFACE_BETA][v] = 0.8f, maps.rows[SUP_SURFACE_LAMBDA][v] = 0.35f;
    maps.rows[SUP_SURFACE_MAP_NORMAL_ALPHA][v] = maps.rows[SUP_SURFACE_MAP_NORMAL_DELTA][v] = 1;
  }
  SupSurfaceBuildDef build = sup_surface_build_def();
  maps.normal = true;
  assert_int_equal(sup_surface_build(&arena, &tube, &build, &maps, &model, &report, NULL), SUP_OK);
  assert_int_equal(report.limited, maps.vertex_count);
  assert_true(report.probe.growth < SUP_SURFACE_GROWTH);
  assert_true(maps.rows[SUP_SURFACE_MAP_NORMAL_ALPHA][7] < 0.7f);
  assert_true(sup_surface_view(model).flags & SUP_SURFACE_NORMAL);
  assert_false(sup_surface_maps_differ(&arena, &maps, model));
  maps.rows[SUP_SURFACE_MAP_NORMAL_DELTA][5] *= 0.5f;
  assert_true(sup_surface_maps_differ(&arena, &maps, model));
  sup_arena_free(&arena);
}

/* ---- Learning ---------------------------------------------------------------------------------
 */

static SupSurfaceTrainReport learn(const Lesson *l, const SupSurfaceTrainDef *def,
                                   SupSurfaceMaps *out_maps) {
  SupSurfaceTrainReport report;
  SupError error = {{0}};
  SupModel *model;
  if (sup_surface_train(l->arena, def, out_maps, &model, &report, &error)) {
    fail_msg("%s", error.text);
  }
  return report;
}

/* A body that is stiffer along the normal here and along the skin there: both are found again; with
 * one number for both they are not. */
static void both_directions_are_learned(void **state) {
  (void)state;
  SupArena arena = new_arena();
  Lesson l;
  SupSurfaceMaps maps;
  lesson_make(&arena, 12, 10, 90, 0, SUP_SURFACE_NORMAL, &l);
  SupSurfaceTrainDef def = lesson_def(&l);
  def.passes = 1;
  def.descents = 0;
  const SupSurfaceTrainReport r = learn(&l, &def, &maps);
  print_message("both: forced %.1e, saved %.1e, maps off by %.1e\n", r.errors[SUP_SURFACE_FORCED],
                r.errors[SUP_SURFACE_SAVED], lesson_distance(&l, &maps));
  assert_true(r.errors[SUP_SURFACE_SAVED] < 1e-8);
  assert_true(lesson_distance(&l, &maps) < 1e-6);
  assert_true(maps.normal);
  def.flags = 0;
  def.passes = 10;
  def.descents = 10;
  const SupSurfaceTrainReport one = learn(&l, &def, &maps);
  print_message("one number for both: saved %.3f\n", one.errors[SUP_SURFACE_SAVED]);
  assert_true(one.errors[SUP_SURFACE_SAVED] > 0.02);
  assert_false(maps.normal);
  sup_arena_free(&arena);
}

/* The range of a map. */
static void range_of(const SupSurfaceMaps *maps, uint32_t map, float *out_low, float *out_high) {
  *out_low = 1e30f, *out_high = -1e30f;
  for (uint32_t v = 0; v < maps->vertex_count; v++) {
    *out_low = fminf(*out_low, maps->rows[map][v]);
    *out_high = fmaxf(*out_high, maps->rows[map][v]);
  }
}

/* Each direction's numbers are learned or given by themselves. What is given is not raised, though
 * it is softer than what learning would allow; what is learned is never as soft as that. */
static void what_is_not_asked_for_stays(void **state) {
  (void)state;
  static const uint32_t terms[2][2] = {
      {SUP_SURFACE_ALPHA, SUP_SURFACE_DELTA},
      {SUP_SURFACE_TERM_NORMAL_ALPHA, SUP_SURFACE_TERM_NORMAL_DELTA}};
  static const uint32_t rows[2][2] = {{SUP_SURFACE_ALPHA, SUP_SURFACE_DELTA},
                                      {SUP_SURFACE_MAP_NORMAL_ALPHA, SUP_SURFACE_MAP_NORMAL_DELTA}};
  SupArena arena = new_arena();
  Lesson l;
  SupSurfaceMaps maps;
  float low, high;
  lesson_make(&arena, 10, 8, 60, 0, SUP_SURFACE_NORMAL, &l);
  for (size_t i = 0; i < (size_t)l.example.frame_count * l.n; i++) { /* as if nothing pulled back */
    l.positions[i] = sup_vec3d_add(l.positions[i], (SupVec3d){0.4, 0.3, 0.5});
  }
  for (uint32_t given = 0; given < 2; given++) {
    SupSurfaceTrainDef def = lesson_def(&l);
    def.passes = 2;
    def.descents = given ? 2 : 0;                               /* which has floors of its own */
    def.rows = 1u << terms[!given][0] | 1u << terms[!given][1]; /* what else there is stays 0 */
    def.values[terms[given][0]] = 0.01f;
    def.values[terms[given][1]] = 0.1f;
    learn(&l, &def, &maps);
    range_of(&maps, rows[given][0], &low, &high);
    assert_true(low == 0.01f && high == 0.01f);
    range_of(&maps, rows[given][1], &low, &high);
    assert_true(low == 0.1f && high == 0.1f);
    float least = 1e30f; /* stiffness above what flesh needs in order not to creep, 30 a second */
    for (uint32_t v = 0; v < l.n; v++) {
      const float drag = maps.rows[rows[!given][1]][v];
      least = fminf(least, maps.rows[rows[!given][0]][v] - (0.04f + 0.2f * drag));
    }
    print_message("learned: %.2g above the floor\n", (double)least);
    assert_true(least > -1e-4f);
  }
  sup_arena_free(&arena);
}

/* With noise, through windows and descent. */
static void noise_is_borne(void **state) {
  (void)state;
  SupArena arena = new_arena();
  Lesson l, clean;
  SupSurfaceMaps maps;
  SupSurfaceTrainReport report;
  SupModel *model;
  lesson_make(&arena, 12, 10, 90, 0, SUP_SURFACE_NORMAL, &l);
  lesson_make(&arena, 12, 10, 90, 0, SUP_SURFACE_NORMAL, &clean);
  lesson_noise(&l, 0.01, 1);
  SupSurfaceTrainDef def = lesson_def(&l), check = lesson_def(&clean);
  def.passes = 10;
  def.descents = 10;
  assert_int_equal(sup_surface_train(&arena, &def, &maps, &model, &report, NULL), SUP_OK);
  const double e = sup_surface_error(&arena, &check, model, NULL);
  print_message("1 %% noise: saved %.3f; E_rel without the noise %.1e\n",
                report.errors[SUP_SURFACE_SAVED], e * e);
  assert_true(e * e < 2e-3);
  sup_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_direction_has_its_own),
      cmocka_unit_test(equal_numbers_change_nothing),
      cmocka_unit_test(maps_of_the_normal_come_back),
      cmocka_unit_test(damage_is_found),
      cmocka_unit_test(versions_say_what_is_in_it),
      cmocka_unit_test(the_larger_counts),
      cmocka_unit_test(both_directions_are_learned),
      cmocka_unit_test(what_is_not_asked_for_stays),
      cmocka_unit_test(noise_is_borne),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
