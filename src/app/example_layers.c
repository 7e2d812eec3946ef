/* SPDX-License-Identifier: MIT */
/* Examples over models that a file already has. */
#include "supple/app/example_files.h"

#include <string.h>

/* Shows the player a pose of the samples in place of the clip's. */
typedef struct Shown {
  const SupTransform *joints;
} Shown;

static void show_pose(void *user, float ago, SupPose *io_pose) {
  const Shown *shown = user;
  (void)ago;
  memcpy(io_pose->joints, shown->joints, io_pose->joint_count * sizeof *io_pose->joints);
}

static SupResult make_player(const SupAppContext *app, const SupCharacter *character,
                             const SupModelList *models, Shown *shown, SupPlayer *out_player,
                             SupError *error) {
  SupPlayerDef def = sup_player_def();
  def.character = character;
  def.model_count = models->count;
  def.models = models->models;
  def.order = SUP_ORDER_BODY;
  def.jobs = app->jobs;
  def.modify_pose = shown ? show_pose : NULL;
  def.user = shown;
  return sup_player_create(app->arena, &def, out_player, error);
}

/* Those that move joints. */
static SupModelList bones_of(const SupModelList *models) {
  SupModelList bones = {0};
  for (uint32_t k = 0; k < models->count; k++) {
    if (sup_stack_stage(NULL, models->models[k]->kind) != SUP_STAGE_BONES) continue;
    bones.models[bones.count++] = models->models[k];
  }
  return bones;
}

SupResult sup_move_poses(const SupAppContext *app, const SupCharacterFile *file,
                         const SupModelList *models, float gravity, const SupClip *clip,
                         SupSamples *io_samples, SupError *error) {
  const SupModelList bones = bones_of(models);
  const size_t joints = io_samples->joint_count;
  if (bones.count == 0) return SUP_OK;
  SupTransform *moved = SUP_ALLOC(app->arena, SupTransform, io_samples->frame_count * joints);
  SupVec3 *unused = SUP_ALLOC(app->arena, SupVec3, file->character->body.vertex_count);
  if (!moved || !unused) return sup_fail_memory(error, NULL);
  SupPlayer player;
  Shown shown = {io_samples->poses};
  SupResult result =
      make_player(app, file->character, &bones, clip ? NULL : &shown, &player, error);
  if (result != SUP_OK) return result;
  const SupExternalForces forces = {.acceleration = {0, -gravity, 0}};
  const SupStackFrame inputs = {.forces = &forces, .positions = {&unused->x, 3}};
  SupPlayback playback = sup_playback(clip);
  playback.fps = (double)io_samples->fps;
  sup_player_play(&player, &playback);
  const double start = (double)io_samples->start;
  for (uint32_t i = 0; i < io_samples->frame_count; i++) {
    shown.joints = io_samples->poses + i * joints;
    if (!clip) {
      sup_player_reset(&player);
      sup_player_step(&player, 0, &inputs);
    } else if (!(start > 0)) {
      sup_player_frame(&player, &inputs);
    } else if (i == 0) {
      sup_player_seek(&player, start, SUP_PLAYER_FROM_START, &inputs);
    } else {
      sup_player_step(&player, 1 / playback.fps, &inputs);
    }
    memcpy(moved + i * joints, sup_stack_joints(&player.stack, player.state),
           joints * sizeof *moved);
  }
  io_samples->poses = moved;
  return SUP_OK;
}
