/* SPDX-License-Identifier: MIT */
/*
 * skin_dump FILE.glb: every clip of every character at a few times, skinned in both precisions, on
 * standard output for three_skin.mjs. One line of JSON says what follows; then for each character,
 * clip and time the scene positions of all render vertices, first as float, then as double.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "supple/author/skin_pack.h"
#include "supple/clip.h"
#include "supple/io/file.h"
#include "supple/io/gltf.h"

/* Fractions of the clip's duration; the last is its very end. */
static const double fractions[] = {0, 0.137, 0.41, 0.5, 0.83, 1};
enum { TIMES = sizeof fractions / sizeof *fractions };

static float sample_time(const SupClip *clip, int i) {
  return (float)(fractions[i] * (double)clip->duration);
}

static void put_head(uint32_t count, const SupGltfCharacter *characters) {
  printf("[");
  for (uint32_t c = 0; c < count; c++) {
    const SupCharacter *character = &characters[c].character;
    printf("%s{\"vertices\":%u,\"averaged\":%u,\"normalised\":%u,\"parts\":[", c ? "," : "",
           character->render.vertex_count, character->weld.weights_averaged,
           character->weld.weights_normalised);
    for (uint32_t p = 0; p < character->render.part_count; p++) {
      const SupPart *part = &character->render.parts[p];
      printf("%s{\"node\":%u,\"primitive\":%u,\"first\":%u,\"count\":%u}", p ? "," : "", part->node,
             part->primitive, part->first_vertex, part->vertex_count);
    }
    printf("],\"clips\":[");
    for (uint32_t k = 0; k < character->clip_count; k++) {
      printf("%s{\"animation\":%u,\"times\":[", k ? "," : "", characters[c].clip_animations[k]);
      for (int i = 0; i < TIMES; i++) {
        printf("%s%.9g", i ? "," : "", (double)sample_time(&character->clips[k], i));
      }
      printf("]}");
    }
    printf("]}");
  }
  printf("]\n");
}

typedef struct Stage {
  const SupCharacter *character;
  SupSkinView skin;
  SupSkinViewd wide;
  SupTransform *joints;
  SupTransformd *joints_f64;
  SupAffine *globals, *palette;
  SupAffined *globals_f64, *palette_f64;
  float *weights, *positions;
  double *weights_f64, *positions_f64;
} Stage;

static bool make_stage(SupArena *arena, const SupCharacter *character, Stage *s, SupError *error) {
  const SupSkeleton *skeleton = &character->skeleton;
  size_t joints = skeleton->joint_count, bones = skeleton->bone_count;
  size_t morphs = character->morph_count, numbers = 3 * (size_t)character->render.vertex_count;
  s->character = character;
  if (sup_skin_pack_character(arena, character, SUP_ORDER_RENDER, &s->skin, error)) return false;
  void *block = sup_arena_alloc(arena, sup_skin_to_double_bytes(&s->skin), 1);
  s->joints = SUP_ALLOC(arena, SupTransform, joints);
  s->joints_f64 = SUP_ALLOC(arena, SupTransformd, joints);
  s->globals = SUP_ALLOC(arena, SupAffine, joints);
  s->globals_f64 = SUP_ALLOC(arena, SupAffined, joints);
  s->palette = SUP_ALLOC(arena, SupAffine, bones);
  s->palette_f64 = SUP_ALLOC(arena, SupAffined, bones);
  s->weights = SUP_ALLOC(arena, float, morphs);
  s->weights_f64 = SUP_ALLOC(arena, double, morphs);
  s->positions = SUP_ALLOC(arena, float, numbers);
  s->positions_f64 = SUP_ALLOC(arena, double, numbers);
  if (!block || !s->joints || !s->joints_f64 || !s->globals || !s->globals_f64 || !s->palette ||
      !s->palette_f64 || !s->weights || !s->weights_f64 || !s->positions || !s->positions_f64) {
    sup_fail(error, SUP_ERROR_MEMORY, "out of memory");
    return false;
  }
  sup_skin_to_double(&s->skin, block, &s->wide);
  return true;
}

static void put_float(const Stage *s, const SupClip *clip, float time) {
  const SupSkeleton *skeleton = &s->character->skeleton;
  SupPose pose = {skeleton->joint_count, sup_transform_identity(), s->joints};
  sup_pose_rest(skeleton, &pose);
  for (uint32_t m = 0; m < s->skin.morph_count; m++) s->weights[m] = s->character->morphs[m].weight;
  sup_clip_sample(clip, time, false, NULL, &pose, s->weights);
  sup_pose_evaluate(skeleton, &pose, s->globals, s->palette);
  const SupSkinCall call = {.skin = &s->skin,
                            .palette = s->palette,
                            .morph_weights = s->weights,
                            .positions = {s->positions, 3}};
  sup_skin_lbs(sup_backend_cpu(), NULL, &call);
  fwrite(s->positions, sizeof(float), 3 * (size_t)s->skin.vertex_count, stdout);
}

static void put_double(const Stage *s, const SupClip *clip, double time) {
  const SupSkeleton *skeleton = &s->character->skeleton;
  SupPosed pose = {skeleton->joint_count, sup_transformd_identity(), s->joints_f64};
  sup_pose_rest_f64(skeleton, &pose);
  for (uint32_t m = 0; m < s->skin.morph_count; m++) {
    s->weights_f64[m] = (double)s->character->morphs[m].weight;
  }
  sup_clip_sample_f64(clip, time, false, NULL, &pose, s->weights_f64);
  sup_pose_evaluate_f64(skeleton, &pose, s->globals_f64, s->palette_f64);
  const SupSkinCalld call = {.skin = &s->wide,
                             .palette = s->palette_f64,
                             .morph_weights = s->weights_f64,
                             .positions = {s->positions_f64, 3}};
  sup_skin_lbs_f64(NULL, &call);
  fwrite(s->positions_f64, sizeof(double), 3 * (size_t)s->skin.vertex_count, stdout);
}

int main(int argc, char **argv) {
  SupError error = {{0}};
  SupArena arena;
  SupGltf *document = NULL;
  SupGltfCharacter *characters = NULL;
  uint32_t count = 0;
  int status = 1;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  if (argc != 2) goto done;
  if (sup_gltf_open(argv[1], NULL, &document, &error)) goto done;
  if (sup_gltf_characters(document, &arena, &count, &characters, &error)) goto done;
  put_head(count, characters);
  for (uint32_t c = 0; c < count; c++) {
    const SupCharacter *character = &characters[c].character;
    Stage stage;
    if (!make_stage(&arena, character, &stage, &error)) goto done;
    for (uint32_t k = 0; k < character->clip_count; k++) {
      for (int i = 0; i < TIMES; i++) {
        float time = sample_time(&character->clips[k], i);
        put_float(&stage, &character->clips[k], time);
        put_double(&stage, &character->clips[k], (double)time);
      }
    }
  }
  status = 0;
done:
  if (status) fprintf(stderr, "skin_dump: %s\n", argc == 2 ? error.text : "one file, please");
  sup_gltf_close(document);
  sup_arena_free(&arena);
  return status;
}
