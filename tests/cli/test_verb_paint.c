/* SPDX-License-Identifier: MIT */
/* supple paint: the real command, from options to attributes and back into motion. */
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

/* A file's character and its surface model, if any. */
typedef struct File {
  SupArena arena;
  const SupCharacter *character;
  const SupModel *surface;
} File;

static void file_open(const char *path, File *file) {
  SupError error;
  SupGltf *document;
  SupGltfCharacter *found = NULL;
  SupGltfModel *models = NULL;
  uint32_t count = 0;
  sup_arena_init(&file->arena, sup_heap_allocator(), 0);
  if (sup_gltf_open(path, NULL, &document, &error) ||
      sup_gltf_characters(document, &file->arena, &count, &found, &error) ||
      sup_gltf_models(document, found, &file->arena, &count, &models, &error)) {
    fail_msg("%s: %s", path, error.text);
  }
  file->character = &found->character;
  file->surface = NULL;
  if (count) {
    file->surface = sup_arena_copy(&file->arena, models->data, models->bytes, 1);
    if (sup_model_check(file->surface, models->bytes, NULL, &error)) fail_msg("%s", error.text);
  }
  sup_gltf_close(document);
}

static const float *map_of(const File *file, const char *name) {
  for (uint32_t k = 0; k < file->character->map_count; k++) {
    if (strcmp(file->character->maps[k].name, name) == 0) return file->character->maps[k].values;
  }
  fail_msg("there is no map %s", name);
  return NULL;
}

static void any_map_can_be_painted(void **state) {
  (void)state;
  run_good("make tube --vertices 600 -o tube.glb");
  run_good("paint tube.glb material --set 3 --height 0.5,0.5 --hard -o a.glb");
  run_good("paint a.glb mask_1 --curve 0:0,0.5:2,1:1 --height 0,1 -o b.glb");
  run_good("paint b.glb material --smooth 3 -o c.glb");
  File file;
  file_open("b.glb", &file);
  const float *material = map_of(&file, "material"), *mask = map_of(&file, "mask_1");
  const SupMesh *body = &file.character->body;
  float low = INFINITY, high = -INFINITY;
  for (uint32_t v = 0; v < body->vertex_count; v++) {
    low = fminf(low, body->positions[v].y), high = fmaxf(high, body->positions[v].y);
  }
  for (uint32_t v = 0; v < body->vertex_count; v++) {
    const float y = (body->positions[v].y - low) / (high - low);
    if (fabsf(y - 0.5f) > 0.01f) assert_true(material[v] == (y > 0.5f ? 3 : 1));
    assert_true(mask[v] >= 0 && mask[v] <= 2);
    if (y > 0.99f) assert_true(fabsf(mask[v] - 1) < 0.01f);
  }
  sup_arena_free(&file.arena);
  run_bad("paint tube.glb material -o x.glb", 2, "give one of");
  run_bad("paint tube.glb material --set 1 --scale 2 -o x.glb", 2, "not several");
  run_bad("paint tube.glb material --set 1 --sphere 1,2,3 -o x.glb", 2, "X,Y,Z,R");
  run_bad("paint tube.glb material --curve 1:2,0:3 --height 0,1 -o x.glb", 2, "rising");
  run_bad("paint tube.glb material --curve 1:2 -o x.glb", 2, "along what");
  run_bad("paint tube.glb Materials --set 1 -o x.glb", 2, "lower case");
  run_bad("paint tube.glb material --set 1 --bone none -o x.glb", 2, "no bone 'none'");
  run_bad("paint tube.glb material --set 1 -o x.pc2", 2, ".glb");
  run_bad("paint tube.glb stifness --set 1 -o x.glb", 2, "did you mean 'stiffness'?");
  run_bad("paint tube.glb lock --set 1 --sphere 50,0,0,1 -o x.glb", 1, "the body reaches from");
  run_good("paint tube.glb something --new --set 1 -o new.glb");
  run_good("paint new.glb something --set 0.5 -o newer.glb");
  run_bad("paint tube.glb lock --from-color red -o x.glb", 1, "COLOR_0");
}

static void the_model_follows_its_maps(void **state) {
  (void)state;
  run_good("make mochi --vertices 600 -o mochi.glb");
  run_good("build surface mochi.glb --preset fat -o fat.glb");
  run_good("paint fat.glb stiffness --set 0.9 --bone head --below -o head.glb");
  run_good("paint head.glb lock --set 1 --height 0.3,0.1 -o feet.glb");
  File file;
  file_open("feet.glb", &file);
  assert_non_null(file.surface);
  const uint32_t n = file.character->body.vertex_count;
  const float *stiffness = map_of(&file, "stiffness"), *lock = map_of(&file, "lock");
  float *packed = SUP_ALLOC(&file.arena, float, n);
  uint32_t stiff = 0, locked = 0;
  sup_surface_get_map(file.surface, SUP_SURFACE_ALPHA, packed);
  for (uint32_t v = 0; v < n; v++) {
    stiff += stiffness[v] > 0.89f;
    locked += lock[v] == 1;
    const float expected = stiffness[v] + lock[v] * (1 - stiffness[v]);
    assert_true(fabsf(packed[v] - expected) < 1e-5f);
  }
  assert_true(stiff > n / 10 && stiff < n && locked > 3);
  sup_arena_free(&file.arena);
  run_good("play feet.glb --clip jump --fps 10 -o jump.pc2");
  assert_null(strstr(outcome.out, "take precedence"));   /* it was packed already */
  run_good("paint feet.glb mask_2 --set 1 -o mask.glb"); /* does not concern the model */
  assert_null(strstr(outcome.out, "surface:"));
  run_good("play mask.glb --clip jump --fps 10 -o again.pc2");
}

/* A map of the normal's makes it have numbers of its own; a preset takes that back. */
static void the_normal_is_split_by_painting(void **state) {
  (void)state;
  run_good("make mochi --vertices 600 -o mochi.glb");
  run_good("build surface mochi.glb --preset fat -o fat.glb");
  run_good("paint fat.glb normal_stiffness --scale 3 --bone hips --below -o split.glb");
  File file;
  file_open("split.glb", &file);
  const uint32_t n = file.character->body.vertex_count;
  assert_true(sup_surface_view(file.surface).flags & SUP_SURFACE_NORMAL);
  float *along = SUP_ALLOC(&file.arena, float, n), *skin = SUP_ALLOC(&file.arena, float, n);
  uint32_t stiffer = 0;
  sup_surface_get_map(file.surface, SUP_SURFACE_MAP_NORMAL_ALPHA, along);
  sup_surface_get_map(file.surface, SUP_SURFACE_ALPHA, skin);
  for (uint32_t v = 0; v < n; v++) stiffer += along[v] > 1.5f * skin[v];
  assert_true(stiffer > n / 10);
  assert_non_null(map_of(&file, "normal_drag"));
  sup_arena_free(&file.arena);
  run_good("info split.glb");
  assert_non_null(strstr(outcome.out, "surface, version 2"));
  assert_non_null(strstr(outcome.out, "along its normal"));
  run_good("info fat.glb");
  assert_non_null(strstr(outcome.out, "surface, version 1"));
  assert_null(strstr(outcome.out, "along its normal"));
  assert_null(strstr(outcome.out, "undelayed"));
  run_good("play split.glb --clip jump --fps 10 -o jump.pc2");
  assert_null(strstr(outcome.out, "take precedence"));
  run_good("build surface mochi.glb --example jump.pc2 --clip jump -o taught.glb");
  run_good("info taught.glb");
  assert_non_null(strstr(outcome.out, "undelayed"));
  run_good("build surface split.glb --preset firm -o firm.glb");
  file_open("firm.glb", &file);
  assert_false(sup_surface_view(file.surface).flags & SUP_SURFACE_NORMAL);
  for (uint32_t k = 0; k < file.character->map_count; k++) {
    assert_null(strstr(file.character->maps[k].name, "normal_"));
  }
  sup_arena_free(&file.arena);
  run_bad("build surface mochi.glb --normal-stiffness -o x.glb", 2, "give --example");
  run_bad("build surface mochi.glb --example x.pc2 --literal --normal-stiffness -o x.glb", 2,
          "--normal-stiffness has no effect with --literal");
  run_bad("build surface mochi.glb --example x.pc2 --literal --delayed -o x.glb", 2,
          "--delayed has no effect with --literal");
  run_bad("build surface mochi.glb --example x.pc2 --literal --inertia-gain 1 -o x.glb", 2,
          "--inertia-gain has no effect with --literal");
  run_bad("build surface mochi.glb --example x.pc2 --no-amount --inertia-gain 1 -o x.glb", 2,
          "--inertia-gain has no effect with --no-amount");
}

/* What a build takes over, replaces and holds is said. */
static void builds_say_what_they_do(void **state) {
  (void)state;
  run_good("make mochi --vertices 600 -o mochi.glb");
  run_good("build surface mochi.glb --preset fat -o fat.glb");
  assert_non_null(strstr(outcome.out, "kept firm, judging by their names: head (partly)"));
  assert_null(strstr(outcome.out, "note:"));
  run_good("build surface fat.glb --frequency 3 -o x.glb");
  assert_non_null(strstr(outcome.out, "does not remember its preset"));
  assert_null(strstr(outcome.out, "from the maps"));
  run_good("build surface fat.glb --preset firm -o x.glb");
  assert_non_null(strstr(outcome.out, "what was painted"));
  run_good("paint fat.glb lock --set 1 -o locked.glb");
  assert_non_null(strstr(outcome.out, "follow their bones"));
  run_good("build surface mochi.glb --preset fat -o fat.supple");
  run_bad("play fat.supple -o x.pc2", 1, "give the character's .glb");
}

/* What would explode is held back, and the file says what was packed. */
static void wild_numbers_stay_stable(void **state) {
  (void)state;
  run_good("make tube --vertices 600 -o tube.glb");
  run_good("build surface tube.glb --preset jelly -o jelly.glb");
  run_good("paint jelly.glb detail --set 1 -o a.glb");
  run_good("paint a.glb damping --set 7 -o b.glb");
  run_good("paint b.glb volume --set 1 -o c.glb");
  run_good("paint c.glb stiffness --set 1 -o d.glb --json d.json");
  File file;
  file_open("d.glb", &file);
  const SupSurfaceProbeDef def = {.seed = 3};
  SupSurfaceProbe probe;
  SupError error;
  assert_int_equal(sup_surface_probe(&file.arena, file.surface, &def, &probe, &error), SUP_OK);
  assert_true(probe.growth < SUP_SURFACE_GROWTH);
  const float *damping = map_of(&file, "damping");
  assert_true(damping[0] > 0.2f && damping[0] < 0.5f);
  sup_arena_free(&file.arena);
  run_good("play d.glb --clip sway --fps 10 -o d.pc2");
  assert_null(strstr(outcome.out, "take precedence"));
}

static void one_side_is_enough(void **state) {
  (void)state;
  run_good("make mochi --vertices 900 -o mochi.glb");
  run_good("paint mochi.glb lock --set 1 --bone hand_l --bone upper_arm_l --below -o left.glb");
  run_good("paint left.glb lock --mirror x+ -o both.glb");
  run_good("paint left.glb lock --mirror x- -o none.glb");
  double sums[3] = {0};
  const char *const paths[3] = {"left.glb", "both.glb", "none.glb"};
  for (int k = 0; k < 3; k++) {
    File file;
    file_open(paths[k], &file);
    const float *lock = map_of(&file, "lock");
    for (uint32_t v = 0; v < file.character->body.vertex_count; v++) sums[k] += (double)lock[v];
    sup_arena_free(&file.arena);
  }
  /* One of the two directions doubles it, the other wipes it out. */
  const double more = fmax(sums[1], sums[2]), less = fmin(sums[1], sums[2]);
  assert_true(more > 1.9 * sums[0] && more < 2.1 * sums[0] && less < 0.1 * sums[0]);
}

/* A text copy of a file whose normals also serve as colours. */
static void color_by_normals(const char *from, const char *to) {
  SupArena arena;
  SupError error;
  const uint8_t *data;
  size_t bytes;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  assert_int_equal(sup_file_read(&arena, from, &data, &bytes, &error), SUP_OK);
  char *text = sup_arena_string(&arena, (const char *)data, bytes);
  char *out = SUP_ALLOC(&arena, char, 2 * bytes + 1);
  size_t used = 0;
  for (const char *at = text; *at;) {
    unsigned index;
    int length = 0;
    if (sscanf(at, "\"NORMAL\":%u%n", &index, &length) == 1 && length) {
      used += (size_t)sprintf(out + used, "%.*s,\"COLOR_0\":%u", length, at, index);
      at += length;
    } else {
      out[used++] = *at++;
    }
  }
  assert_true(used > bytes);
  assert_int_equal(sup_file_save(sup_heap_allocator(), to, out, used, &error), SUP_OK);
  sup_arena_free(&arena);
}

static void vertex_colours_are_taken_over(void **state) {
  (void)state;
  run_good("make tube --vertices 600 -o tube.glb");
  run_good("convert tube.glb -o tube.gltf --embed");
  color_by_normals("tube.gltf", "colour.gltf");
  run_good("paint colour.gltf mask_1 --from-color red --low 3 --high 5 -o red.glb");
  File file;
  file_open("red.glb", &file);
  const SupRender *render = &file.character->render;
  const float *mask = map_of(&file, "mask_1");
  const uint32_t n = file.character->body.vertex_count;
  float *sums = SUP_ALLOC(&file.arena, float, n), *counts = SUP_ALLOC(&file.arena, float, n);
  for (uint32_t r = 0; r < render->vertex_count; r++) {
    sums[render->to_body[r]] += render->normals[r].x;
    counts[render->to_body[r]] += 1;
  }
  for (uint32_t v = 0; v < n; v++) {
    assert_true(fabsf(mask[v] - fmaxf(0, 3 + 2 * sums[v] / counts[v])) < 1e-5f);
  }
  sup_arena_free(&file.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      IN_FOLDER(any_map_can_be_painted),          IN_FOLDER(the_model_follows_its_maps),
      IN_FOLDER(builds_say_what_they_do),         IN_FOLDER(wild_numbers_stay_stable),
      IN_FOLDER(the_normal_is_split_by_painting), IN_FOLDER(one_side_is_enough),
      IN_FOLDER(vertex_colours_are_taken_over),
  };
  return cmocka_run_group_tests_name("verb_paint", tests, NULL, NULL);
}
