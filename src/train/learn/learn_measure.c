/* SPDX-License-Identifier: MIT */
/* How good a stack is on a motion: it is played as an engine would play it. */
#include "supple/author/skin_pack.h"
#include "supple/clip.h"
#include "supple/stack.h"
#include "train/learn/learn_parts.h"

typedef struct Play {
  const SupSkeleton *skeleton;
  const SupClip *clip;
  double time;
} Play;

static void pose_at(const Play *play, double time, SupPose *out_pose) {
  sup_pose_rest(play->skeleton, out_pose);
  sup_clip_sample(play->clip, (float)time, false, NULL, out_pose, NULL);
}

static void pose_ago(void *user, float ago, SupPose *out_pose) {
  const Play *play = (const Play *)user;
  pose_at(play, play->time - (double)ago, out_pose);
}

/* out[frames * vertices]; a motion that begins in the middle of its clip is played from half a
 * second before, so that its flesh is already moving. */
static SupResult play_stack(SupArena *arena, const SupLearnDef *def, const SupLearnMotion *motion,
                            uint32_t count, const SupModel *const *models, SupVec3 *out,
                            SupError *error) {
  const SupSkeleton *skeleton = &def->character->skeleton;
  const SupSamples *s = &motion->samples;
  SupStackDef stack_def = sup_stack_def();
  SupStack stack;
  stack_def.skeleton = skeleton;
  stack_def.model_count = count;
  stack_def.models = models;
  SupResult result = sup_stack_make(&stack_def, &stack, error);
  if (result) return result;
  void *block = SUP_ALLOC(arena, char, sup_stack_bytes(&stack));
  SupPose pose = {skeleton->joint_count, sup_transform_identity(),
                  SUP_ALLOC(arena, SupTransform, skeleton->joint_count)};
  if (!block || !pose.joints) return sup_fail_memory(error, "learning");
  SupStackState *state = sup_stack_init(&stack, block);
  Play play = {skeleton, motion->clip, 0};
  const SupExternalForces forces = {.acceleration = def->gravity};
  const double step = 1 / (double)s->fps, start = (double)s->start;
  const uint32_t lead = start > 0.5 ? (uint32_t)(0.5 / step) : (uint32_t)(start / step + 1e-4);
  for (uint32_t i = 0; i < s->frame_count + lead; i++) {
    play.time = start + ((double)i - lead) * step;
    pose_at(&play, play.time, &pose);
    const uint32_t row = i > lead ? i - lead : 0;
    const SupStackFrame frame = {.dt = i ? (float)step : 0,
                                 .pose = &pose,
                                 .pose_at = pose_ago,
                                 .user = &play,
                                 .forces = &forces,
                                 .positions = {(float *)(out + (size_t)row * s->vertex_count), 3}};
    sup_stack_step(&stack, state, sup_backend_cpu(), def->jobs, &frame);
  }
  return SUP_OK;
}

SupResult sup_learn_measure(SupArena *parent, const SupLearnDef *def, const SupLearnMotion *motion,
                            uint32_t model_count, const SupModel *const *models,
                            SupCompareReport *out_report, SupError *error) {
  const SupSamples *s = &motion->samples;
  const size_t numbers = (size_t)s->frame_count * s->vertex_count;
  SupArena arena = sup_scratch(parent);
  SupVec3 *plain = SUP_ALLOC(&arena, SupVec3, numbers), *shown = plain;
  SupModel *skin = NULL;
  SupResult result = plain ? SUP_OK : sup_fail_memory(error, "learning");
  if (!result) result = sup_skin_model(&arena, def->character, SUP_ORDER_BODY, &skin, error);
  const SupModel *alone[1] = {skin};
  if (!result) result = play_stack(&arena, def, motion, 1, alone, plain, error);
  if (!result && model_count) {
    shown = SUP_ALLOC(&arena, SupVec3, numbers);
    result = shown ? play_stack(&arena, def, motion, model_count, models, shown, error)
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
  if (!result) result = sup_compare(&arena, &compare, out_report, NULL, NULL, error);
  sup_arena_free(&arena);
  return result;
}
