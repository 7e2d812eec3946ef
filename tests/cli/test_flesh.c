/* SPDX-License-Identifier: MIT */
/* build and play with models: the real command from a character to living flesh. */
#define _XOPEN_SOURCE 700
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runs.h"
#include "supple/author/surface_build.h"
#include "supple/io/file.h"
#include "supple/io/gltf.h"
#include "workdir.h"

/* RMS distance of two caches, in metres; of the frames i * a_step and i * b_step. */
static double apart(const char *a_path, uint32_t a_step, const char *b_path, uint32_t b_step) {
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  SupSamples a = load_cache(&arena, a_path), b = load_cache(&arena, b_path);
  assert_int_equal(a.vertex_count, b.vertex_count);
  double sum = 0;
  uint32_t i = 0;
  for (; i * a_step < a.frame_count && i * b_step < b.frame_count; i++) {
    const SupVec3 *p = a.positions + (size_t)(i * a_step) * a.vertex_count;
    const SupVec3 *q = b.positions + (size_t)(i * b_step) * b.vertex_count;
    for (uint32_t v = 0; v < a.vertex_count; v++) {
      const double d = (double)sup_vec3_distance(p[v], q[v]);
      sum += d * d;
    }
  }
  const double rms = sqrt(sum / ((double)i * a.vertex_count));
  sup_arena_free(&arena);
  return rms;
}

/* The character of a file; the document stays open. */
static SupGltfCharacter *open_file(const char *path, SupArena *arena, SupGltf **out_document) {
  SupError error;
  uint32_t count;
  SupGltfCharacter *found = NULL;
  if (sup_gltf_open(path, NULL, out_document, &error) ||
      sup_gltf_characters(*out_document, arena, &count, &found, &error)) {
    fail_msg("%s", error.text);
  }
  return found;
}

static void save_file(SupGltf *document, const char *path) {
  SupError error;
  if (sup_gltf_save(document, path, SUP_GLTF_BY_NAME, &error)) fail_msg("%s", error.text);
  sup_gltf_close(document);
}

/* ---- Building and playing ---------------------------------------------------------------------
 */

static void a_preset_gives_flesh(void **state) {
  (void)state;
  run_good("make mochi --vertices 600 -o mochi.glb");
  run_good("play mochi.glb --clip jump --fps 30 -o plain.pc2");
  run_good("build surface mochi.glb --preset fat -o fat.glb");
  run_good("build surface mochi.glb --preset firm -o firm.glb");
  run_good("info fat.glb");
  must_say("surface, version 1");
  must_say("stiffness");
  must_say("Hz, damping ratio");
  run_good("play fat.glb --clip jump --fps 30 -o fat.pc2");
  must_say("with flesh");
  run_good("play firm.glb --clip jump --fps 30 -o firm.pc2");
  run_good("play fat.glb --plain --clip jump --fps 30 -o again.pc2");
  const double fat = apart("fat.pc2", 1, "plain.pc2", 1);
  const double firm = apart("firm.pc2", 1, "plain.pc2", 1);
  assert_true(apart("again.pc2", 1, "plain.pc2", 1) == 0);
  assert_true(fat > 0.005 && fat < 0.1); /* metres, of a character of one */
  assert_true(firm > 0.0005 && firm < 0.6 * fat);
}

static void the_motion_does_not_depend_on_the_rate(void **state) {
  (void)state;
  run_good("make mochi --vertices 600 -o mochi.glb");
  run_good("build surface mochi.glb --preset fat -o fat.glb");
  run_good("play mochi.glb --clip jump --fps 30 -o plain.pc2");
  run_good("play fat.glb --clip jump --fps 30 -o a.pc2");
  run_good("play fat.glb --clip jump --fps 60 -o b.pc2");
  run_good("play fat.glb --clip jump --fps 2 -o c.pc2");
  const double size = apart("a.pc2", 1, "plain.pc2", 1);
  assert_true(apart("a.pc2", 1, "b.pc2", 2) < 0.01 * size);
  assert_true(apart("a.pc2", 15, "c.pc2", 1) < 0.01 * size);
  run_good("play fat.glb --clip jump --fps 30 --threads 1 -o one.pc2");
  assert_true(apart("a.pc2", 1, "one.pc2", 1) == 0);
}

/* A loop is in the same state where it begins and where it ends. */
static void loops_close(void **state) {
  (void)state;
  run_good("make mochi --vertices 600 -o mochi.glb");
  run_good("build surface mochi.glb --preset jelly -o jelly.glb");
  run_good("play jelly.glb --clip walk --fps 30 --loop --preroll 8 -o walk.pc2");
  run_good("play jelly.glb --clip walk --fps 30 -o cold.pc2");
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  const char *const paths[2] = {"walk.pc2", "cold.pc2"};
  double gaps[2];
  for (int k = 0; k < 2; k++) {
    SupSamples samples = load_cache(&arena, paths[k]);
    const SupVec3 *first = samples.positions;
    const SupVec3 *last = first + (size_t)(samples.frame_count - 1) * samples.vertex_count;
    double mean[3] = {0}, sum = 0;
    for (uint32_t v = 0; v < samples.vertex_count; v++) {
      mean[0] += (double)(last[v].x - first[v].x) / samples.vertex_count;
      mean[1] += (double)(last[v].y - first[v].y) / samples.vertex_count;
      mean[2] += (double)(last[v].z - first[v].z) / samples.vertex_count;
    }
    for (uint32_t v = 0; v < samples.vertex_count; v++) {
      const double x = (double)(last[v].x - first[v].x) - mean[0];
      const double y = (double)(last[v].y - first[v].y) - mean[1];
      const double z = (double)(last[v].z - first[v].z) - mean[2];
      sum += x * x + y * y + z * z;
    }
    gaps[k] = sqrt(sum / samples.vertex_count);
  }
  sup_arena_free(&arena);
  assert_true(gaps[0] < 1e-4 && gaps[0] < 0.1 * gaps[1]);
}

static void clips_come_from_other_files(void **state) {
  (void)state;
  run_good("make mochi --vertices 600 -o mochi.glb");
  run_good("make mochi --vertices 900 -o other.glb");
  run_good("make tube --vertices 500 -o tube.glb");
  run_good("build surface mochi.glb --preset soft -o soft.glb");
  run_good("play soft.glb --clip stomp --fps 30 -o own.pc2");
  run_good("play soft.glb --clips-from other.glb --clip stomp --fps 30 -o theirs.pc2");
  assert_true(apart("own.pc2", 1, "theirs.pc2", 1) < 1e-6);
  run_bad("play soft.glb --clips-from tube.glb -o x.pc2", 1, "skeletons do not map");
  run_bad("play soft.glb --clips-from other.glb --clip none -o x.pc2", 2, "other.glb");
  run_bad("play mochi.glb --clip jump --loop -o x.pc2", 2, "build surface");
}

/* ---- Files ------------------------------------------------------------------------------------
 */

static void models_have_their_place(void **state) {
  (void)state;
  run_good("make tube --vertices 500 -o tube.glb");
  run_good("build surface tube.glb -o one.glb"); /* no preset: soft */
  must_say("soft");
  run_good("build surface one.glb -o two.glb");
  must_say("from the maps");
  run_good("build surface one.glb --preset jelly -o three.glb --fresh");
  must_say("jelly");
  run_good("build surface one.glb --preset muscle -o alone.supple");
  run_good("info alone.supple");
  must_say("a model for engines");
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  const char *const paths[2] = {"one.glb", "two.glb"};
  const uint8_t *data[2];
  size_t bytes[2];
  for (int k = 0; k < 2; k++) {
    SupGltf *document;
    SupError error;
    uint32_t count;
    SupGltfModel *models;
    const SupGltfCharacter *found = open_file(paths[k], &arena, &document);
    assert_int_equal(sup_gltf_models(document, found, &arena, &count, &models, &error), SUP_OK);
    assert_int_equal(count, 1);
    assert_string_equal(models[0].kind, "surface");
    data[k] = SUP_COPY(&arena, uint8_t, models[0].data, models[0].bytes);
    bytes[k] = models[0].bytes;
    sup_gltf_close(document);
  }
  assert_int_equal(bytes[0], bytes[1]); /* built again from its own maps: nothing changes */
  assert_memory_equal(data[0], data[1], bytes[0]);
  sup_arena_free(&arena);
  run_bad("build surfaces tube.glb -o x.glb", 2, "did you mean 'surface'");
  run_bad("build surface tube.glb -o x.pc2", 2, ".supple");
  run_bad("build surface tube.glb --preset fta -o x.glb", 2, "fat");
  run_bad("build surface tube.glb -o tube.glb", 2, "also an input");
}

/* Somebody paints the attributes in another tool: they win over the block. */
static void painted_maps_win(void **state) {
  (void)state;
  run_good("make tube --vertices 500 -o tube.glb");
  run_good("build surface tube.glb --preset jelly -o jelly.glb");
  run_good("play jelly.glb --clip sway --fps 30 -o before.pc2");
  SupArena arena;
  SupGltf *document;
  SupError error;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  const SupGltfCharacter *found = open_file("jelly.glb", &arena, &document);
  float *lock = SUP_ALLOC(&arena, float, found->character.body.vertex_count);
  for (uint32_t v = 0; v < found->character.body.vertex_count; v++) lock[v] = 1;
  assert_int_equal(sup_gltf_put_map(document, found, "lock", lock, &error), SUP_OK);
  save_file(document, "painted.glb");
  sup_arena_free(&arena);
  run_good("play painted.glb --clip sway --fps 30 -o after.pc2");
  must_say("take precedence");
  run_good("play painted.glb --plain --clip sway --fps 30 -o plain.pc2");
  const double before = apart("before.pc2", 1, "plain.pc2", 1);
  const double after = apart("after.pc2", 1, "plain.pc2", 1);
  if (!(before > 1e-3 && after < 0.02 * before)) fail_msg("before %g, after %g", before, after);
  run_good("build surface tube.glb --preset jelly --amount 0 -o none.glb");
  run_good("play none.glb --clip sway --fps 30 -o none.pc2");
  assert_true(apart("none.pc2", 1, "plain.pc2", 1) < 0.02 * before);
}

/* A model whose mesh was reordered: refused, then bound again by rest position. */
static void reordered_meshes_are_bound_again(void **state) {
  (void)state;
  run_good("make tube --vertices 500 -o tube.glb");
  run_good("build surface tube.glb --preset fat -o fat.glb");
  SupArena arena;
  SupGltf *document;
  SupError error;
  uint32_t count;
  SupGltfModel *models;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  const SupGltfCharacter *found = open_file("fat.glb", &arena, &document);
  assert_int_equal(sup_gltf_models(document, found, &arena, &count, &models, &error), SUP_OK);
  const SupGltfModel model = {"surface", SUP_COPY(&arena, uint8_t, models->data, models->bytes),
                              models->bytes};
  /* The same vertices backwards, as one part with the same weights. */
  SupCharacter turned = found->character;
  const uint32_t n = turned.body.vertex_count;
  SupVec3 *positions = SUP_ALLOC(&arena, SupVec3, n);
  uint32_t *to_body = SUP_ALLOC(&arena, uint32_t, n);
  uint32_t *triangles = SUP_ALLOC(&arena, uint32_t, 3 * turned.body.triangle_count);
  uint32_t *offsets = SUP_ALLOC(&arena, uint32_t, n + 1);
  uint32_t *bones = SUP_ALLOC(&arena, uint32_t, turned.skin.offsets[n]);
  float *weights = SUP_ALLOC(&arena, float, turned.skin.offsets[n]);
  for (uint32_t v = 0; v < n; v++) {
    const uint32_t old = n - 1 - v, first = turned.skin.offsets[old];
    const uint32_t influences = turned.skin.offsets[old + 1] - first;
    positions[v] = turned.body.positions[old];
    to_body[v] = v;
    offsets[v + 1] = offsets[v] + influences;
    memcpy(bones + offsets[v], turned.skin.bones + first, influences * sizeof *bones);
    memcpy(weights + offsets[v], turned.skin.weights + first, influences * sizeof *weights);
  }
  for (uint32_t c = 0; c < 3 * turned.body.triangle_count; c++) {
    triangles[c] = n - 1 - turned.body.triangles[c];
  }
  const SupPart part = {.name = "tube",
                        .material = SUP_NONE,
                        .vertex_count = n,
                        .triangle_count = turned.body.triangle_count};
  turned.body = (SupMesh){n, turned.body.triangle_count, positions, triangles};
  turned.skin = (SupSkin){n, turned.skin.influence_max, offsets, bones, weights};
  turned.render = (SupRender){.vertex_count = n,
                              .triangle_count = turned.body.triangle_count,
                              .part_count = 1,
                              .parts = &part,
                              .to_body = to_body,
                              .triangles = triangles,
                              .positions = positions};
  turned.map_count = 0;
  turned.material_count = 0;
  sup_gltf_close(document);
  assert_int_equal(sup_gltf_from_character(&turned, NULL, &document, &error), SUP_OK);
  save_file(document, "turned.glb");
  found = open_file("turned.glb", &arena, &document);
  assert_int_equal(sup_gltf_put_models(document, found, 1, &model, &error), SUP_OK);
  save_file(document, "strange.glb");

  run_good("info strange.glb");
  must_say("--rebind");
  run_bad("play strange.glb --clip sway --fps 30 -o x.pc2", 1, "--rebind");
  run_good("play strange.glb --rebind --clip sway --fps 30 --order body -o again.pc2");
  run_good("play fat.glb --clip sway --fps 30 --order body -o own.pc2");
  SupSamples own = load_cache(&arena, "own.pc2"), again = load_cache(&arena, "again.pc2");
  double most = 0;
  for (uint32_t i = 0; i < own.frame_count; i++) {
    for (uint32_t v = 0; v < n; v++) {
      const SupVec3 a = own.positions[(size_t)i * n + v];
      const SupVec3 b = again.positions[(size_t)i * n + n - 1 - v];
      most = fmax(most, (double)sup_vec3_distance(a, b));
    }
  }
  assert_true(most < 1e-4);
  run_good("build surface strange.glb --rebind -o bound.glb");
  run_good("play bound.glb --clip sway --fps 30 --order body -o bound.pc2");
  assert_true(apart("bound.pc2", 1, "again.pc2", 1) < 1e-6);
  sup_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      IN_FOLDER(a_preset_gives_flesh),
      IN_FOLDER(the_motion_does_not_depend_on_the_rate),
      IN_FOLDER(loops_close),
      IN_FOLDER(clips_come_from_other_files),
      IN_FOLDER(models_have_their_place),
      IN_FOLDER(painted_maps_win),
      IN_FOLDER(reordered_meshes_are_bound_again),
  };
  return cmocka_run_group_tests_name("flesh", tests, NULL, NULL);
}
