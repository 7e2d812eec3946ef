/* SPDX-License-Identifier: MIT */
/* How good a stack is on a motion: it is played as an engine would play it. */
#include "base/scratch.h"
#include "supple/author/player.h"
#include "train/learn/learn_parts.h"

/* out[frames * vertices]; a motion that begins in the middle of its clip is played from half a
 * second before, so that its flesh is already moving. No models: plain skinning. */
static SupResult play(SupArena *arena, const SupLearnDef *def, const SupLearnMotion *motion,
                      uint32_t count, const SupModel *const *models, SupVec3 *out,
                      SupError *error) {
  const SupSamples *s = &motion->samples;
  const SupPlayback playback = sup_playback(motion->clip);
  SupPlayerDef player_def = sup_player_def();
  SupPlayer player;
  player_def.character = def->character;
  player_def.model_count = count;
  player_def.models = models;
  player_def.without_morphs = true; /* as what is learned from */
  player_def.teleport_distance = 0;
  player_def.jobs = def->jobs;
  SupResult result = sup_player_create(arena, &player_def, &player, error);
  if (result) return result;
  const SupExternalForces forces = {.acceleration = def->gravity};
  const double step = 1 / (double)s->fps, start = (double)s->start;
  const uint32_t lead = start > 0.5 ? (uint32_t)(0.5 / step) : (uint32_t)(start / step + 1e-4);
  sup_player_play(&player, &playback);
  sup_player_cut(&player, start - lead * step);
  for (uint32_t i = 0; i < s->frame_count + lead; i++) {
    const uint32_t row = i > lead ? i - lead : 0;
    const SupStackFrame inputs = {.forces = &forces,
                                  .positions = {(float *)(out + (size_t)row * s->vertex_count), 3}};
    sup_player_step(&player, i ? step : 0, &inputs);
  }
  return SUP_OK;
}

static SupResult measure_volumes(SupArena *arena, const SupLearnDef *def,
                                 const SupCompareDef *compare, SupLearnMeasure *out,
                                 SupError *error) {
  SupMesh rest;
  SupResult result = sup_rest_body(arena, def->character, false, def->jobs, &rest, error);
  SupVolumeDef volume = {&rest, compare->frame_count, compare->a, def->jobs};
  if (!result) result = sup_volume_deviation(arena, &volume, &out->volume, NULL, error);
  volume.positions = compare->b;
  if (!result) result = sup_volume_deviation(arena, &volume, &out->example_volume, NULL, error);
  return result;
}

SupResult sup_learn_measure(SupArena *parent, const SupLearnDef *def, const SupLearnMotion *motion,
                            uint32_t model_count, const SupModel *const *models,
                            SupLearnMeasure *out_measure, SupError *error) {
  const SupSamples *s = &motion->samples;
  const size_t numbers = (size_t)s->frame_count * s->vertex_count;
  SupArena arena = sup_scratch(parent);
  SupVec3 *plain = SUP_ALLOC(&arena, SupVec3, numbers), *shown = plain;
  SupResult result = plain ? SUP_OK : sup_fail_memory(error, "learning");
  if (!result) result = play(&arena, def, motion, 0, NULL, plain, error);
  if (!result && model_count) {
    shown = SUP_ALLOC(&arena, SupVec3, numbers);
    result = shown ? play(&arena, def, motion, model_count, models, shown, error)
                   : sup_fail_memory(error, "learning");
  }
  const SupCompareDef compare = {.frame_count = s->frame_count,
                                 .vertex_count = s->vertex_count,
                                 .fps = s->fps,
                                 .a = shown,
                                 .b = s->positions,
                                 .skinning = plain,
                                 .quasistatic = motion->quasistatic,
                                 .jobs = def->jobs};
  if (!result) {
    result = sup_compare(&arena, &compare, &out_measure->compare, NULL, NULL, error);
  }
  if (!result) result = measure_volumes(&arena, def, &compare, out_measure, error);
  sup_arena_free(&arena);
  return result;
}
