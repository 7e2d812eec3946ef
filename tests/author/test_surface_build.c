/* SPDX-License-Identifier: MIT */
/* Presets, thickness, limiter, probe: what stands between an artist's numbers and the run time. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "supple/author/builtin.h"
#include "supple/author/surface_build.h"
#include "supple/author/thickness.h"
#include "supple/io/file.h"
#include "surface/flesh.h"

static SupArena arena;
static SupError error;

static int begin(void **state) {
  (void)state;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  return 0;
}

static int end(void **state) {
  (void)state;
  sup_arena_free(&arena);
  return 0;
}

static void good(SupResult result) {
  if (result != SUP_OK) fail_msg("%s", error.text);
}

static SupCharacter builtin(const char *name, uint32_t vertices) {
  SupCharacter character;
  const SupBuiltinDef def = {.name = name, .vertices = vertices};
  good(sup_builtin_character(&arena, &def, &character, &error));
  return character;
}

static SupSurfaceMaps maps_of(const SupCharacter *character) {
  SupSurfaceMaps maps;
  good(sup_surface_maps_create(&arena, character->body.vertex_count, &maps, &error));
  return maps;
}

static void fill(const SupSurfaceMaps *maps, const double numbers[5]) {
  for (int k = 0; k < 5; k++) {
    for (uint32_t v = 0; v < maps->vertex_count; v++) maps->rows[k][v] = (float)numbers[k];
  }
}

/* A flesh in double precision whose maps are these, unlimited. */
static void flesh_of(const SupCharacter *character, const SupSurfaceMaps *maps, Flesh *out) {
  const SupSegment *segments;
  SupSurfaceDef def = sup_surface_def();
  good(sup_segments_create(&arena, character, &segments, &def.segment_count, &error));
  SupSurfaceSegment *copies = SUP_ALLOC(&arena, SupSurfaceSegment, def.segment_count);
  for (uint32_t s = 0; s < def.segment_count; s++) {
    copies[s] = (SupSurfaceSegment){segments[s].bone, segments[s].a, segments[s].b};
  }
  def.segments = copies;
  for (int row = 0; row < SUP_SURFACE_MAPS; row++) def.maps[row] = maps->rows[row];
  flesh_make(&arena, character, &def, out);
}

static double lane_energy(const Flesh *flesh, uint32_t lane) {
  const SupVec3d u = sup_vec3d_sub(flesh_get(flesh->x, lane), flesh_get(flesh->goal, lane));
  const SupVec3d d = flesh_get(flesh->dx, lane);
  return sup_vec3d_dot(u, u) + 4 * sup_vec3d_dot(d, d);
}

static double energy(const Flesh *flesh) {
  double sum = 0;
  for (uint32_t lane = 0; lane < flesh->view.skin.vertex_count; lane++) {
    sum += lane_energy(flesh, lane);
  }
  return sum;
}

/* What the run time's own step, in double, does to a disturbance: growth per step by least squares
 * over the last two thirds of `steps`, held small enough to be linear and large enough for float
 * edges. */
static double measured_growth(Flesh *flesh, int steps) {
  const double size = (double)flesh->view.size;
  SupRng rng = sup_rng(3, 1);
  double log_scale = 0, sum = 0, squares = 0;
  flesh_goal(flesh);
  flesh_start(flesh);
  for (uint32_t lane = 0; lane < flesh->lanes; lane++) {
    const SupVec3d kick = {sup_rng_double(&rng) - 0.5, sup_rng_double(&rng) - 0.5,
                           sup_rng_double(&rng) - 0.5};
    flesh_set(flesh->x, lane,
              sup_vec3d_add_scaled(flesh_get(flesh->goal, lane), kick, 1e-4 * size));
  }
  for (int i = 0; i < steps; i++) {
    flesh_step(flesh, NULL);
    const double now = energy(flesh), scale = 1e-4 * size / sqrt(now);
    const double t = i - steps / 3 - (steps - steps / 3 - 1) / 2.0;
    if (i >= steps / 3) sum += t * (log(now) + log_scale), squares += t * t;
    log_scale -= 2 * log(scale);
    for (uint32_t lane = 0; lane < flesh->lanes; lane++) {
      const SupVec3d goal = flesh_get(flesh->goal, lane);
      const SupVec3d u = sup_vec3d_sub(flesh_get(flesh->x, lane), goal);
      flesh_set(flesh->x, lane, sup_vec3d_add_scaled(goal, u, scale));
      flesh_set(flesh->dx, lane, sup_vec3d_scale(flesh_get(flesh->dx, lane), scale));
    }
  }
  return exp(0.5 * sum / squares);
}

static double probed_growth(const SupModel *model) {
  SupSurfaceProbe probe;
  const SupSurfaceProbeDef def = {.seed = 5};
  good(sup_surface_probe(&arena, model, &def, &probe, &error));
  return probe.growth;
}

/* ---- Frequency and damping --------------------------------------------------------------------
 */

static void tuned_vertices_swing_as_asked(void **state) {
  (void)state;
  static const double asked[4][2] = {{1, 0.05}, {2.4, 0.16}, {5, 0.3}, {9, 0.2}};
  for (int k = 0; k < 4; k++) {
    float alpha, delta, frequency, damping;
    const double h = 1.0 / 60, w = 2 * SUP_PI * asked[k][0], r = asked[k][1];
    sup_surface_tune((float)asked[k][0], (float)r, (float)h, &alpha, &delta);
    double x = 1, last = exp(r * w * h) * cos(w * sqrt(1 - r * r) * h);
    for (int i = 0; i < 200; i++) { /* a cosine that decays, for ever */
      const double t = i * h, wanted = exp(-r * w * t) * cos(w * sqrt(1 - r * r) * t);
      assert_true(fabs(x - wanted) < 2e-4);
      const double next = x + (1 - (double)delta) * (x - last) - (double)alpha * x;
      last = x, x = next;
    }
    sup_surface_tuning(alpha, delta, (float)h, &frequency, &damping);
    assert_true(fabs((double)frequency - asked[k][0]) < 1e-3 * asked[k][0]);
    assert_true(fabs((double)damping - r) < 1e-3);
  }
}

/* ---- Thickness --------------------------------------------------------------------------------
 */

static void a_tube_is_as_thick_as_its_radius(void **state) {
  (void)state;
  SupCharacter tube;
  tube_make(&arena, 24, 40, NULL, &tube);
  SupThicknessDef def = {.character = &tube};
  float *thickness = SUP_ALLOC(&arena, float, tube.body.vertex_count);
  good(sup_segments_create(&arena, &tube, &def.segments, &def.segment_count, &error));
  good(sup_thickness(&arena, &def, thickness, &error));
  for (uint32_t v = 0; v < tube.body.vertex_count; v++) {
    const float y = tube.body.positions[v].y;
    if (y > 0.5f && y < 1.5f) assert_true(fabsf(thickness[v] - 0.4f) < 0.03f);
    assert_true(thickness[v] > 0);
  }
  assert_true(fabsf(sup_area_quantile(&tube.body, thickness, 0.5f) - 0.4f) < 0.02f);
}

/* A button on the tube has the tube's depth, not its own. */
static void small_pieces_ride_on_what_they_lie_on(void **state) {
  (void)state;
  SupCharacter tube;
  tube_make(&arena, 24, 40, NULL, &tube);
  const uint32_t n = tube.body.vertex_count, f = tube.body.triangle_count;
  SupVec3 *positions = SUP_ALLOC(&arena, SupVec3, n + 4);
  uint32_t *triangles = SUP_ALLOC(&arena, uint32_t, 3 * (f + 4));
  uint32_t *offsets = SUP_ALLOC(&arena, uint32_t, n + 5);
  uint32_t *bones = SUP_ALLOC(&arena, uint32_t, 2 * n + 4);
  float *weights = SUP_ALLOC(&arena, float, 2 * n + 4);
  static const SupVec3 button[4] = {
      {0.41f, 1, 0}, {0.43f, 1.02f, 0}, {0.43f, 0.98f, 0.02f}, {0.43f, 0.98f, -0.02f}};
  static const uint32_t faces[12] = {0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2};
  memcpy(positions, tube.body.positions, n * sizeof *positions);
  memcpy(positions + n, button, sizeof button);
  memcpy(triangles, tube.body.triangles, 3 * f * sizeof *triangles);
  for (int k = 0; k < 12; k++) triangles[3 * f + (uint32_t)k] = n + faces[k];
  memcpy(offsets, tube.skin.offsets, (n + 1) * sizeof *offsets);
  memcpy(bones, tube.skin.bones, offsets[n] * sizeof *bones);
  memcpy(weights, tube.skin.weights, offsets[n] * sizeof *weights);
  for (uint32_t k = 0; k < 4; k++) {
    weights[offsets[n] + k] = 1;
    offsets[n + k + 1] = offsets[n] + k + 1;
  }
  tube.body = (SupMesh){n + 4, f + 4, positions, triangles};
  tube.skin = (SupSkin){n + 4, 2, offsets, bones, weights};
  SupThicknessDef def = {.character = &tube};
  float *thickness = SUP_ALLOC(&arena, float, n + 4);
  good(sup_segments_create(&arena, &tube, &def.segments, &def.segment_count, &error));
  good(sup_thickness(&arena, &def, thickness, &error));
  for (uint32_t k = 0; k < 4; k++) assert_true(fabsf(thickness[n + k] - 0.4f) < 0.05f);
}

/* ---- Limiter and probe ------------------------------------------------------------------------
 */

static void limiting_twice_is_limiting_once(void **state) {
  (void)state;
  SupCharacter tube;
  tube_make(&arena, 10, 12, NULL, &tube);
  SupSurfaceMaps maps = maps_of(&tube), again = maps_of(&tube);
  SupRng rng = sup_rng(11, 0);
  for (int row = 0; row < 5; row++) {
    for (uint32_t v = 0; v < maps.vertex_count; v++) {
      maps.rows[row][v] = sup_rng_float(&rng) * sup_surface_map_most((SupSurfaceRow)row);
    }
  }
  assert_true(sup_surface_limit(&maps, 1.0f / 60) > maps.vertex_count / 4);
  for (int row = 0; row < 5; row++) {
    memcpy(again.rows[row], maps.rows[row], maps.vertex_count * sizeof(float));
  }
  sup_surface_limit(&again, 1.0f / 60);
  for (uint32_t v = 0; v < maps.vertex_count; v++) {
    const float *const *r = (const float *const *)maps.rows;
    assert_true(r[0][v] + r[2][v] + 2 * r[1][v] + 4 * r[3][v] + 2 * r[4][v] < 3.8001f);
    assert_true(r[3][v] + r[4][v] > 0.0199f + 0.0499f * r[1][v]);
    for (int row = 0; row < 5; row++) assert_true(fabsf(again.rows[row][v] - r[row][v]) < 2e-6f);
  }
}

/* The probe's linearised step against the run time's own: numbers from far inside to far outside
 * the stable region, spokes and flutter included. */
static void the_probe_agrees_with_the_step(void **state) {
  (void)state;
  static const double cases[8][5] = {
      {0.2, 0, 0, 0, 0.1},        {0.3, 0.3, 0, 0, 0},  {0.3, 1, 0, 0, 0}, {0.3, 0.3, 0.3, 0, 0},
      {0.3, 0.3, 0.3, 0.1, 0.05}, {1, 1, 0, 0.5, 0.01}, {1, 1, 1, 0.2, 0}, {1, 1, 1, 0.5, 0}};
  SupCharacter tube;
  tube_make(&arena, 12, 10, NULL, &tube);
  for (int k = 0; k < 8; k++) {
    SupSurfaceMaps maps = maps_of(&tube);
    fill(&maps, cases[k]);
    Flesh flesh;
    flesh_of(&tube, &maps, &flesh);
    const double probe = probed_growth(flesh.model), step = measured_growth(&flesh, 1200);
    /* Where the answer is clear the probe does not wait for the last digit. */
    const double tolerance = step > 1.002 || step < 0.99 ? 6e-3 : 5e-4;
    if (fabs(probe - step) > tolerance) fail_msg("case %d: probe %.5f, step %.5f", k, probe, step);
  }
  /* Alone, with drag only: the root of 1 - delta. */
  SupSurfaceMaps maps = maps_of(&tube);
  fill(&maps, cases[0]);
  Flesh flesh;
  flesh_of(&tube, &maps, &flesh);
  assert_true(fabs(probed_growth(flesh.model) - sqrt(0.9)) < 1e-4);
}

static void random_maps(SupRng *rng, const SupSurfaceMaps *maps) {
  for (int row = 0; row < 5; row++) {
    const float most = sup_surface_map_most((SupSurfaceRow)row);
    for (uint32_t v = 0; v < maps->vertex_count; v++) {
      maps->rows[row][v] = sup_rng_below(rng, 4) ? most * sup_rng_float(rng) : 0;
    }
  }
}

/* SHI-T9: whatever the maps, what is built is stable; and the corner of the published box is not.
 */
static void shi_t9_every_map_becomes_stable(void **state) {
  (void)state;
  SupCharacter meshes[3] = {{0}, builtin("toy", 494), builtin("mochi", 494)};
  tube_make(&arena, 10, 12, NULL, &meshes[0]);
  SupSurfaceBuildDef def = sup_surface_build_def();
  SupRng rng = sup_rng(2008, 9);
  for (int mesh = 0; mesh < 3; mesh++) {
    for (int k = 0; k < 100; k++) {
      SupArena outer = arena;
      sup_arena_init(&arena, sup_heap_allocator(), 0);
      SupSurfaceMaps maps = maps_of(&meshes[mesh]);
      SupSurfaceBuildReport report;
      SupModel *model;
      random_maps(&rng, &maps);
      good(sup_surface_build(&arena, &meshes[mesh], &def, &maps, &model, &report, &error));
      assert_true(report.probe.growth < SUP_SURFACE_GROWTH);
      if (k % 50 == 0) { /* the run time agrees */
        Flesh flesh;
        flesh_of(&meshes[mesh], &maps, &flesh);
        const double growth = measured_growth(&flesh, 600);
        if (growth > 0.9999) fail_msg("mesh %d, map %d: the step grows by %.5f", mesh, k, growth);
      }
      sup_arena_free(&arena);
      arena = outer;
    }
  }
  static const double corner[5] = {1, 1, 1, 0.5, 0};
  SupSurfaceMaps maps = maps_of(&meshes[0]);
  fill(&maps, corner);
  Flesh flesh;
  flesh_of(&meshes[0], &maps, &flesh);
  assert_true(probed_growth(flesh.model) > 1.9);
  assert_true(measured_growth(&flesh, 100) > 1.9);
}

/* ---- Presets and maps -------------------------------------------------------------------------
 */

static const float *thickness_of(const SupCharacter *character) {
  SupThicknessDef def = {.character = character};
  float *thickness = SUP_ALLOC(&arena, float, character->body.vertex_count);
  good(sup_segments_create(&arena, character, &def.segments, &def.segment_count, &error));
  good(sup_thickness(&arena, &def, thickness, &error));
  return thickness;
}

/* Every preset of every built-in character is stable as it is, firm ones are firmer. */
static void presets_are_good_at_once(void **state) {
  (void)state;
  const SupCharacter mochi = builtin("mochi", 600);
  const float *thickness = thickness_of(&mochi);
  const SupSurfaceBuildDef def = sup_surface_build_def();
  for (uint32_t k = 0; k < sup_surface_preset_count(); k++) {
    const SupSurfacePreset *preset = sup_surface_preset(k);
    SupSurfaceMaps maps = maps_of(&mochi);
    SupSurfaceBuildReport report;
    SupModel *model;
    assert_ptr_equal(sup_surface_preset_find(preset->name), preset);
    sup_surface_preset_apply(preset, &mochi, thickness, def.h, &maps);
    good(sup_surface_build(&arena, &mochi, &def, &maps, &model, &report, &error));
    assert_int_equal(report.limited, 0);
    assert_true(report.probe.growth < SUP_SURFACE_GROWTH);
    float fastest = 0, slowest = 1e9f;
    for (uint32_t v = 0; v < maps.vertex_count; v++) {
      float frequency, damping;
      sup_surface_tuning(maps.rows[SUP_SURFACE_ALPHA][v], maps.rows[SUP_SURFACE_DELTA][v], def.h,
                         &frequency, &damping);
      fastest = frequency > fastest ? frequency : fastest;
      slowest = frequency < slowest ? frequency : slowest;
      assert_true(maps.rows[SUP_SURFACE_MAX_DISTANCE][v] > 0 &&
                  maps.rows[SUP_SURFACE_MAX_DISTANCE][v] < 1.3f * thickness[v]);
    }
    assert_true(slowest > 0.9f * preset->frequency && slowest <= preset->frequency);
    assert_true(fastest >= slowest && fastest < 9.1f);
  }
}

static void maps_say_what_the_model_has(void **state) {
  (void)state;
  SupCharacter toy = builtin("toy", 494);
  const uint32_t n = toy.body.vertex_count;
  const SupSurfaceBuildDef def = sup_surface_build_def();
  SupSurfaceMaps maps = maps_of(&toy), read = maps_of(&toy);
  SupSurfaceBuildReport report;
  SupModel *model;
  uint32_t count;
  sup_surface_preset_apply(sup_surface_preset(0), &toy, thickness_of(&toy), def.h, &maps);
  good(sup_surface_build(&arena, &toy, &def, &maps, &model, &report, &error));
  assert_false(sup_surface_maps_differ(&arena, &maps, model));
  sup_surface_maps_of(model, &read);
  assert_false(sup_surface_maps_differ(&arena, &read, model));

  /* An artist paints: numbers out of range count as the nearest in it. */
  float *painted = SUP_ALLOC(&arena, float, n), *amount = SUP_ALLOC(&arena, float, n);
  for (uint32_t v = 0; v < n; v++) painted[v] = v == 7 ? 3.0f : 0.25f, amount[v] = 0.75f;
  const SupMap list[3] = {{"stiffness", painted}, {"amount", amount}, {"unknown", amount}};
  toy.maps = list, toy.map_count = 3;
  good(sup_surface_maps_read(&arena, &toy, &read, &count, &error));
  assert_int_equal(count, 2);
  assert_true(read.rows[SUP_SURFACE_ALPHA][7] == 1 && read.rows[SUP_SURFACE_ALPHA][8] == 0.25f);
  assert_true(read.rows[SUP_SURFACE_ETA][3] == 0.25f);
  assert_true(sup_surface_maps_differ(&arena, &read, model));
  for (int row = 0; row < SUP_SURFACE_MAPS; row++) {
    assert_int_equal(sup_surface_map_row(sup_surface_map_name((SupSurfaceRow)row)), row);
  }
  assert_int_equal(sup_surface_map_row("lock"), SUP_SURFACE_ROWS);
}

/* A vertex that is locked, or feels nothing, is where skinning puts it, whatever its neighbours and
 * the motion do. */
static void held_vertices_stay_at_the_goal(void **state) {
  (void)state;
  SupCharacter tube;
  tube_make(&arena, 12, 16, NULL, &tube);
  SupSurfaceMaps maps = maps_of(&tube);
  SupSurfaceBuildDef def = sup_surface_build_def();
  SupSurfaceBuildReport report;
  SupModel *model;
  maps.lock = SUP_ALLOC(&arena, float, maps.vertex_count);
  for (uint32_t v = 0; v < maps.vertex_count; v++) {
    const float y = tube.body.positions[v].y;
    maps.rows[SUP_SURFACE_ETA][v] = y > 1.5f ? 1 : 0;
    maps.lock[v] = y < 1 ? 1 : 0;
  }
  good(sup_surface_build(&arena, &tube, &def, &maps, &model, &report, &error));
  const SupModel *const models[1] = {model};
  SupStackDef stack_def = sup_stack_def();
  stack_def.skeleton = &tube.skeleton;
  stack_def.model_count = 1;
  stack_def.models = models;
  SupStack stack;
  good(sup_stack_make(&stack_def, &stack, &error));
  SupStackState *living =
      sup_stack_init(&stack, sup_arena_alloc(&arena, 1, sup_stack_bytes(&stack)));
  SupVec3 *shown = SUP_ALLOC(&arena, SupVec3, maps.vertex_count);
  SupTransform joints[2] = {tube.skeleton.rest[0], tube.skeleton.rest[1]};
  SupPose pose = {2, sup_transform_identity(), joints};
  float locked = 0, numb = 0, loose = 0;
  for (int i = 0; i < 90; i++) {
    const float t = (float)i / 60;
    pose.root.translation.x = 0.3f * (1 - cosf(20 * t)) + (i > 50 ? 0.4f : 0); /* jerks, a jump */
    const SupStackFrame frame = {.dt = 1.0f / 60, .pose = &pose, .positions = {(float *)shown, 3}};
    sup_stack_step(&stack, living, sup_backend_cpu(), NULL, &frame);
    for (uint32_t v = 0; v < maps.vertex_count; v++) {
      SupVec3 goal = tube.body.positions[v];
      goal.x += pose.root.translation.x;
      const float distance = sup_vec3_distance(goal, shown[v]);
      if (maps.lock[v] > 0)
        locked = fmaxf(locked, distance);
      else if (maps.rows[SUP_SURFACE_ETA][v] > 0)
        numb = fmaxf(numb, distance);
      else
        loose = fmaxf(loose, distance);
    }
  }
  assert_true(loose > 5e-2f);
  if (locked > 2e-6f) fail_msg("locked vertices go %g far", (double)locked);
  if (numb > 2e-6f) fail_msg("vertices of amount 0 go %g far", (double)numb);
  assert_false(sup_surface_maps_differ(&arena, &maps, model));
}

/* Half a lock leaves less than half of the way; a little amount leaves little. */
static void max_distance_ends_with_the_amount(void **state) {
  (void)state;
  SupCharacter tube;
  tube_make(&arena, 12, 16, NULL, &tube);
  SupSurfaceMaps maps = maps_of(&tube);
  SupSurfaceBuildDef def = sup_surface_build_def();
  SupSurfaceBuildReport report;
  SupModel *model;
  float *max_distance = SUP_ALLOC(&arena, float, maps.vertex_count);
  maps.lock = SUP_ALLOC(&arena, float, maps.vertex_count);
  maps.lock[3] = 0.5f;
  maps.rows[SUP_SURFACE_ETA][4] = 0.99f;
  maps.rows[SUP_SURFACE_MAX_DISTANCE][5] = 0.25f;
  good(sup_surface_build(&arena, &tube, &def, &maps, &model, &report, &error));
  const float size = sup_surface_view(model).size;
  sup_surface_get_map(model, SUP_SURFACE_MAX_DISTANCE, max_distance);
  assert_true(fabsf(max_distance[3] - 0.5f * size) < 1e-5f * size);
  assert_true(fabsf(max_distance[4] - 0.01f * size) < 1e-5f * size);
  assert_true(max_distance[5] == 0.25f && max_distance[6] == size);
}

/* The numbers of a preset belong to its steps: small ones do not run into the limiter's floors. */
static void presets_are_good_at_any_rate(void **state) {
  (void)state;
  static const float rates[3] = {120, 240, 1000};
  const SupCharacter mochi = builtin("mochi", 600);
  const float *thickness = thickness_of(&mochi);
  for (int r = 0; r < 3; r++) {
    for (uint32_t k = 0; k < sup_surface_preset_count(); k++) {
      SupSurfaceMaps maps = maps_of(&mochi);
      sup_surface_preset_apply(sup_surface_preset(k), &mochi, thickness, 1 / rates[r], &maps);
      const uint32_t limited = sup_surface_limit(&maps, 1 / rates[r]);
      if (limited > 0) {
        fail_msg("%s at %g Hz: %u vertices limited", sup_surface_preset(k)->name, (double)rates[r],
                 limited);
      }
    }
  }
}

/* Words of bones' names, whole ones; what all bones share is the character's name. */
static void bones_are_held_by_whole_words(void **state) {
  (void)state;
  static const struct {
    const char *name;
    float freedom;
  } bones[] = {{"Chair_base", 1},      {"mixamorig:LeftEye", 0},
               {"eye.L", 0},           {"LEye", 0},
               {"lefteye", 0},         {"Eyes_01", 0},
               {"Hair_03", 0},         {"mixamorig:Head", 0.3f},
               {"head", 0.3f},         {"HeadTop_End", 0.3f},
               {"jaw_master", 0.3f},   {"Arrowhead", 1},
               {"ToothBrush_bone", 0}, {"spine", 1},
               {"Greyed", 1}};
  enum { COUNT = sizeof bones / sizeof *bones };
  const char *names[COUNT];
  uint32_t joints[COUNT];
  for (uint32_t k = 0; k < COUNT; k++) names[k] = bones[k].name, joints[k] = k;
  SupSkeleton skeleton = {
      .joint_count = COUNT, .names = names, .bone_count = COUNT, .bone_joints = joints};
  for (uint32_t k = 0; k < COUNT; k++) {
    const float freedom = sup_bone_freedom(&skeleton, k);
    if (freedom != bones[k].freedom) fail_msg("%s: %g", bones[k].name, (double)freedom);
  }
  const char *robot[2] = {"EyeBot_spine", "EyeBot_head"};
  skeleton.names = robot, skeleton.joint_count = skeleton.bone_count = 2;
  assert_true(sup_bone_freedom(&skeleton, 0) == 1);
  assert_true(sup_bone_freedom(&skeleton, 1) == 0.3f);
}

/* Two nodes that show one mesh: what is packed is what the file can store. */
static void instances_fraction_their_numbers(void **state) {
  (void)state;
  SupCharacter tube;
  tube_make(&arena, 8, 6, NULL, &tube);
  const uint32_t n = tube.body.vertex_count, half = n / 2;
  uint32_t *to_body = SUP_ALLOC(&arena, uint32_t, n);
  for (uint32_t v = 0; v < n; v++) to_body[v] = n - 1 - v;
  const SupPart parts[2] = {{.name = "a", .mesh = 4, .vertex_count = half},
                            {.name = "b", .mesh = 4, .first_vertex = half, .vertex_count = half}};
  tube.render = (SupRender){.vertex_count = n, .part_count = 2, .parts = parts, .to_body = to_body};
  SupSurfaceMaps maps = maps_of(&tube);
  SupSurfaceBuildDef def = sup_surface_build_def();
  SupSurfaceBuildReport report;
  SupModel *model;
  SupRng rng = sup_rng(5, 5);
  maps.lock = SUP_ALLOC(&arena, float, n);
  random_maps(&rng, &maps);
  for (uint32_t v = 0; v < n; v++) maps.lock[v] = v % 3 ? 0 : sup_rng_float(&rng);
  good(sup_surface_build(&arena, &tube, &def, &maps, &model, &report, &error));
  for (uint32_t row = 0; row < SUP_SURFACE_MAPS; row++) {
    float *packed = SUP_ALLOC(&arena, float, n);
    sup_surface_get_map(model, (SupSurfaceRow)row, packed);
    for (uint32_t v = 0; v < half; v++) {
      assert_true(packed[to_body[v]] == packed[to_body[half + v]]);
      assert_true(maps.rows[row][to_body[v]] == maps.rows[row][to_body[half + v]]);
    }
  }
}

static void one_point_is_no_skin(void **state) {
  (void)state;
  SupCharacter tube;
  tube_make(&arena, 8, 6, NULL, &tube);
  tube.body.positions = SUP_ALLOC(&arena, SupVec3, tube.body.vertex_count);
  SupSurfaceMaps maps = maps_of(&tube);
  SupSurfaceBuildDef def = sup_surface_build_def();
  SupSurfaceBuildReport report;
  SupModel *model = (SupModel *)&def;
  assert_int_equal(sup_surface_build(&arena, &tube, &def, &maps, &model, &report, &error),
                   SUP_ERROR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "one point"));
  assert_null(model);
}

static void memory_may_run_out_anywhere(void **state) {
  (void)state;
  SupCharacter tube;
  tube_make(&arena, 8, 6, NULL, &tube);
  const SupSurfaceBuildDef def = sup_surface_build_def();
  bool done = false;
  for (size_t k = 1; !done; k++) {
    CountingHeap heap = {.fail_at = k};
    SupArena small;
    sup_arena_init(&small, counting_allocator(&heap), 0);
    SupSurfaceMaps maps;
    SupSurfaceBuildReport report;
    SupModel *model;
    SupThicknessDef thick = {.character = &tube};
    SupResult result = sup_surface_maps_create(&small, tube.body.vertex_count, &maps, &error);
    float *thickness = SUP_ALLOC(&small, float, tube.body.vertex_count);
    if (!thickness) result = SUP_ERROR_MEMORY;
    if (!result) {
      result = sup_segments_create(&small, &tube, &thick.segments, &thick.segment_count, &error);
    }
    if (!result) result = sup_thickness(&small, &thick, thickness, &error);
    if (!result) result = sup_surface_build(&small, &tube, &def, &maps, &model, &report, &error);
    assert_true(result == SUP_OK || result == SUP_ERROR_MEMORY);
    done = result == SUP_OK;
    sup_arena_free(&small);
    assert_int_equal(heap.live_blocks, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(tuned_vertices_swing_as_asked, begin, end),
      cmocka_unit_test_setup_teardown(a_tube_is_as_thick_as_its_radius, begin, end),
      cmocka_unit_test_setup_teardown(small_pieces_ride_on_what_they_lie_on, begin, end),
      cmocka_unit_test_setup_teardown(limiting_twice_is_limiting_once, begin, end),
      cmocka_unit_test_setup_teardown(the_probe_agrees_with_the_step, begin, end),
      cmocka_unit_test_setup_teardown(shi_t9_every_map_becomes_stable, begin, end),
      cmocka_unit_test_setup_teardown(presets_are_good_at_once, begin, end),
      cmocka_unit_test_setup_teardown(maps_say_what_the_model_has, begin, end),
      cmocka_unit_test_setup_teardown(presets_are_good_at_any_rate, begin, end),
      cmocka_unit_test_setup_teardown(held_vertices_stay_at_the_goal, begin, end),
      cmocka_unit_test_setup_teardown(max_distance_ends_with_the_amount, begin, end),
      cmocka_unit_test_setup_teardown(bones_are_held_by_whole_words, begin, end),
      cmocka_unit_test_setup_teardown(instances_fraction_their_numbers, begin, end),
      cmocka_unit_test_setup_teardown(one_point_is_no_skin, begin, end),
      cmocka_unit_test_setup_teardown(memory_may_run_out_anywhere, begin, end),
  };
  return cmocka_run_group_tests_name("surface_build", tests, NULL, NULL);
}
