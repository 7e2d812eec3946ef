/* SPDX-License-Identifier: MIT */
/* The surface as a candidate: a preset, and learned. */
#include "supple/author/segments.h"
#include "supple/author/thickness.h"
#include "supple/train/surface.h"
#include "train/learn/learn_parts.h"

/* A surface learns little from other motion than the tested (docs/learning.md): it gets a fraction
 * of the time that the rest takes, not a multiple. */
#define FRAMES_MOST 240
#define LAYER_DETAIL 0.1f

/* Detail and volume know the rest shape only, and would press what correctives and modes say back
 * to it. A little detail is left, so that a pulled vertex takes its neighbours along. */
static void only_answer(SupSurfaceMaps *io_maps) {
  for (uint32_t v = 0; v < io_maps->vertex_count; v++) {
    float *detail = &io_maps->rows[SUP_SURFACE_BETA][v];
    if (*detail > LAYER_DETAIL) *detail = LAYER_DETAIL;
    io_maps->rows[SUP_SURFACE_GAMMA][v] = 0;
  }
}

SupResult sup_learn_preset(SupArena *arena, const SupLearnDef *def, bool layer,
                           SupModel **out_model, SupError *error) {
  const SupCharacter *character = def->character;
  SupThicknessDef thick = {.character = character, .jobs = def->jobs};
  SupSurfaceBuildDef build = sup_surface_build_def();
  SupSurfaceBuildReport report;
  SupSurfaceMaps maps;
  build.jobs = def->jobs;
  float *thickness = SUP_ALLOC(arena, float, character->body.vertex_count);
  if (!thickness) return sup_fail_memory(error, "learning");
  SupResult result =
      sup_segments_create(arena, character, &thick.segments, &thick.segment_count, error);
  if (!result) result = sup_thickness(arena, &thick, thickness, error);
  if (!result) {
    result = sup_surface_maps_create(arena, character->body.vertex_count, &maps, error);
  }
  if (result) return result;
  sup_surface_preset_apply(sup_surface_preset_find("soft"), character, thickness, build.h, &maps);
  if (layer) only_answer(&maps);
  if (def->lock) {
    maps.lock = SUP_COPY(arena, float, def->lock, maps.vertex_count);
    if (!maps.lock) return sup_fail_memory(error, "learning");
  }
  return sup_surface_build(arena, character, &build, &maps, out_model, &report, error);
}

SupResult sup_learn_surface(SupArena *arena, const SupLearnDef *def, const SupLearnMotion *motions,
                            uint32_t count, SupModel **out_model, SupError *error) {
  SupSurfaceTrainDef train = sup_surface_train_def(def->character);
  SupSurfaceExample *examples = SUP_ALLOC(arena, SupSurfaceExample, count);
  SupSurfaceTrainReport report;
  SupSurfaceMaps maps;
  SupResult result = examples ? SUP_OK : sup_fail_memory(error, "learning");
  for (uint32_t k = 0; k < count && !result; k++) {
    const SupSamples *s = &motions[k].samples;
    if (!motions[k].clip || !sup_learn_from(&motions[k], false) || s->frame_count < 4) continue;
    SupSurfaceExample *example = &examples[train.example_count++];
    const uint32_t frames = s->frame_count < FRAMES_MOST ? s->frame_count : FRAMES_MOST;
    train.h = 1 / s->fps;
    example->name = motions[k].name;
    example->positions = s->positions;
    example->acceleration = def->gravity;
    result = sup_surface_example_clip(arena, def->character, motions[k].clip, s->start, s->fps,
                                      frames, example, error);
  }
  if (result) return result;
  train.examples = examples;
  train.lock = def->lock;
  train.passes = 2;
  train.descents = 0;
  train.seed = def->seed;
  train.jobs = def->jobs;
  train.progress = def->progress;
  train.user = def->user;
  return sup_surface_train(arena, &train, &maps, out_model, &report, error);
}
