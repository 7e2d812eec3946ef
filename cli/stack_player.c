/* SPDX-License-Identifier: MIT */
/* A clip played through a stack. */
#include "stack_player.h"

#include <math.h>

#include "supple/helpers.h"
#include "supple/io/file.h"
#include "supple/popping.h"

/* A frame longer than this is played in parts: the stack restarts after a quarter of a second. */
#define LONGEST_FRAME 0.1
#define EVENTS_MOST 64

SupResult cli_stack_player_create(CliContext *cli, const SupCharacter *character,
                                  const CliModels *models, SupSampleOrder order,
                                  CliSkinning skinning, CliStackPlayer *out_player,
                                  SupError *error) {
  CliStackPlayer player = {.character = character,
                           .backend = sup_backend_cpu(),
                           .jobs = cli->jobs,
                           .pose = {.joint_count = character->skeleton.joint_count}};
  SupStackDef def = sup_stack_def();
  def.skeleton = &character->skeleton;
  def.model_count = models->count;
  def.models = models->models;
  def.dual_quaternions = skinning == CLI_SKINNING_DQS;
  def.teleport_distance = 1e30f; /* a clip never jumps on purpose */
  if (order == SUP_ORDER_RENDER) {
    def.render.vertex_count = character->render.vertex_count;
    def.render.to_body = character->render.to_body;
  }
  SupResult result = sup_stack_make(&def, &player.stack, error);
  if (result != SUP_OK) return result;
  void *block = sup_arena_alloc(cli->arena, 1, sup_stack_bytes(&player.stack));
  player.pose.joints = SUP_ALLOC(cli->arena, SupTransform, player.pose.joint_count);
  player.unused = SUP_ALLOC(cli->arena, SupTransform, player.pose.joint_count);
  player.start = SUP_ALLOC(cli->arena, SupTransform, player.pose.joint_count);
  player.weights = SUP_ALLOC(cli->arena, float, character->morph_count);
  if (!block || !player.pose.joints || !player.unused || !player.start || !player.weights) {
    return cli_out_of_memory(error);
  }
  player.state = sup_stack_init(&player.stack, block);
  player.exaggerate = 1;
  *out_player = player;
  return SUP_OK;
}

/* ---- Poses ---------------------------------------------------------------------------------- */

/* From the last pose towards the first, which stands a stride farther on. */
static void close_up(const CliStackPlayer *player, float share, SupPose *io_pose) {
  const SupSkeleton *skeleton = &player->character->skeleton;
  SupPose first = {io_pose->joint_count, io_pose->root, player->start};
  sup_pose_rest(skeleton, &first);
  sup_clip_sample(player->clip, 0, false, NULL, &first, NULL);
  for (uint32_t j = 0; j < io_pose->joint_count; j++) {
    SupTransform *t = &io_pose->joints[j];
    t->translation = sup_vec3_lerp(t->translation, player->start[j].translation, share);
    t->scale = sup_vec3_lerp(t->scale, player->start[j].scale, share);
    t->rotation = sup_quat_slerp(t->rotation, player->start[j].rotation, share);
  }
  io_pose->root.translation = sup_vec3_add_scaled(io_pose->root.translation, player->stride, share);
}

static void pose_at_time(const CliStackPlayer *player, double time, SupPose *out_pose,
                         float *out_weights) {
  const SupCharacter *character = player->character;
  const double duration = (double)player->clip->duration, period = duration + player->closing;
  double round = 0;
  if (player->loop && duration > 0) {
    round = floor(time / period);
    time -= round * period;
  }
  sup_pose_rest(&character->skeleton, out_pose);
  for (uint32_t k = 0; out_weights && k < character->morph_count; k++) {
    out_weights[k] = character->morphs[k].weight;
  }
  sup_clip_sample(player->clip, (float)(time > 0 ? time : 0), false, NULL, out_pose, out_weights);
  out_pose->root.translation = sup_vec3_scale(player->stride, (float)round);
  if (player->loop && time > duration && player->closing > 0) {
    close_up(player, (float)((time - duration) / player->closing), out_pose);
  }
}

static void pose_ago(void *user, float ago, SupPose *out_pose) {
  const CliStackPlayer *player = user;
  pose_at_time(player, player->time - (double)ago, out_pose, NULL);
}

static void morphs_ago(void *user, float ago, float *out_weights) {
  const CliStackPlayer *player = user;
  SupPose unused = {player->pose.joint_count, player->pose.root, player->unused};
  pose_at_time(player, player->time - (double)ago, &unused, out_weights);
}

SupClipGap cli_stack_player_gap(const CliStackPlayer *player, const SupClip *clip, double from,
                                double to) {
  SupClipGap gap = {{0, 0, 0}, INFINITY, INFINITY};
  SupArena scratch;
  sup_arena_init(&scratch, sup_heap_allocator(), 0);
  sup_clip_gap(&scratch, player->character, clip, (float)from, (float)to, &gap, NULL);
  sup_arena_free(&scratch);
  return gap;
}

/* How far the body moves in one round, as one: false if the clip cannot go round. */
static bool find_stride(CliStackPlayer *player) {
  const double duration = (double)player->clip->duration;
  const SupClipGap gap = cli_stack_player_gap(player, player->clip, 0, duration);
  player->stride = sup_vec3_scale(gap.stride, 1 + (float)(player->closing / duration));
  return gap.apart <= SUP_GAP_CLOSED * player->stack.size;
}

bool cli_stack_player_begin(CliStackPlayer *player, const SupClip *clip, double fps, double preroll,
                            bool loop) {
  const double duration = (double)clip->duration;
  player->clip = clip;
  player->fps = fps;
  player->loop = loop && duration > 0;
  player->stride = (SupVec3){0, 0, 0};
  player->frame = 0;
  const double period = duration + player->closing;
  if (player->loop) preroll = ceil(preroll / period - 1e-6) * period;
  player->time = -preroll;
  sup_stack_reset(player->state);
  return !player->loop || find_stride(player);
}

/* ---- Frames --------------------------------------------------------------------------------- */

/* What the muscles are told in the dt seconds up to now; a loop's music begins again with it. */
static uint32_t hear(const CliStackPlayer *player, double dt, SupPoppingEvent *out_events) {
  const double period = (double)player->clip->duration + player->closing;
  double to = player->time;
  if (player->loop) to -= floor(to / period) * period;
  uint32_t count = 0;
  if (player->loop && to - dt < 0) {
    count =
        sup_popping_between(&player->track, period + to - dt, period, EVENTS_MOST / 2, out_events);
    for (uint32_t k = 0; k < count; k++) out_events[k].ago += (float)to;
  }
  const double from = dt > 0 ? to - dt : to - 1e-6; /* where it begins, that moment counts too */
  return count + sup_popping_between(&player->track, from, to, EVENTS_MOST / 2, out_events + count);
}

static void step(CliStackPlayer *player, double dt, SupVec3 *out_positions) {
  SupPoppingEvent events[EVENTS_MOST];
  pose_at_time(player, player->time, &player->pose, player->weights);
  const SupExternalForces forces = {.acceleration = {0, -player->gravity, 0}};
  SupHelpersControls helpers = sup_helpers_controls();
  helpers.exaggerate = player->exaggerate;
  helpers.exaggerations = player->exaggerations;
  const SupPoppingControls muscles = {hear(player, dt, events), events};
  const SupStackControl controls[] = {{SUP_HELPERS_KIND, &helpers}, {SUP_POPPING_KIND, &muscles}};
  const SupStackFrame frame = {.dt = (float)dt,
                               .forces = player->gravity != 0 ? &forces : NULL,
                               .pose = &player->pose,
                               .pose_at = pose_ago,
                               .morphs_at = morphs_ago,
                               .user = player,
                               .morph_weights = player->weights,
                               .control_count = 2,
                               .controls = controls,
                               .positions = {(float *)out_positions, 3}};
  sup_stack_step(&player->stack, player->state, player->backend, player->jobs, &frame);
}

/* Goes on to a time, in frames that are short enough. */
static void go_to(CliStackPlayer *player, double time, SupVec3 *out_positions) {
  const double way = time - player->time, from = player->time;
  const int parts = (int)ceil(way / LONGEST_FRAME - 1e-9);
  for (int k = 1; k <= parts; k++) {
    player->time = from + way * k / parts;
    step(player, way / parts, out_positions);
  }
}

void cli_stack_player_frame(CliStackPlayer *player, SupVec3 *out_positions) {
  if (player->frame == 0) step(player, 0, out_positions);
  go_to(player, player->frame / player->fps, out_positions);
  player->frame++;
}
