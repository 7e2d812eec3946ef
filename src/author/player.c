/* SPDX-License-Identifier: MIT */
/*
 * A clip played through a stack. Time goes on over all rounds of a loop; where in the clip that is,
 * is found for each pose, also for those between two frames that the stack asks for.
 */
#include "supple/author/player.h"

#include <float.h>

#include "base/scratch.h"
#include "supple/author/skin_pack.h"
#include "supple/clip.h"

#define COOKIE SUP_FOURCC('p', 'l', 'd', 'f')
/* A frame longer than this is played in parts: the stack restarts after a quarter of a second. */
#define LONGEST_STEP 0.1
#define EVENTS_MOST 64
#define SLACK 1e-6 /* of a frame or a round: whole ones in spite of round-off */

SupPlayerDef sup_player_def(void) {
  return (SupPlayerDef){.cookie = COOKIE,
                        .order = SUP_ORDER_BODY,
                        .teleport_distance = 1e30f,
                        .backend = sup_backend_cpu()};
}

SupPlayback sup_playback(const SupClip *clip) { return (SupPlayback){.clip = clip, .fps = 60}; }

/* ---- Making ---------------------------------------------------------------------------------- */

static const uint32_t *same_order(SupArena *arena, uint32_t count) {
  uint32_t *order = SUP_ALLOC(arena, uint32_t, count);
  for (uint32_t v = 0; order && v < count; v++) order[v] = v;
  return order;
}

static SupResult make_stack(SupPlayer *player, SupError *error) {
  const SupPlayerDef *def = &player->def;
  const SupCharacter *character = def->character;
  SupStackDef stack = sup_stack_def();
  const uint32_t count = def->model_count;
  const SupModel **models = SUP_ALLOC(player->arena, const SupModel *, count ? count : 1);
  if (!models) return sup_fail_memory(error, "the player");
  for (uint32_t k = 0; k < count; k++) models[k] = def->models[k];
  /* Where the weld averaged weights, plain skinning is that of the render vertices. */
  const SupRender *render = &character->render;
  const bool own =
      !count && def->order == SUP_ORDER_RENDER && render->skin.vertex_count && render->normals;
  if (!count) {
    SupModel *skin;
    const SupSampleOrder order = own ? SUP_ORDER_RENDER : SUP_ORDER_BODY;
    SupResult result = sup_skin_model(player->arena, character, order, &skin, error);
    if (result != SUP_OK) return result;
    models[0] = skin;
  }
  stack.skeleton = &character->skeleton;
  stack.model_count = count ? count : 1;
  stack.models = player->def.models = models;
  stack.dual_quaternions = def->dual_quaternions;
  stack.teleport_distance = def->teleport_distance;
  stack.techniques = def->techniques;
  if (def->order == SUP_ORDER_RENDER) {
    const uint32_t *to_body =
        own ? same_order(player->arena, render->vertex_count) : render->to_body;
    if (!to_body) return sup_fail_memory(error, "the player");
    stack.render = (SupStackRender){.vertex_count = render->vertex_count,
                                    .to_body = to_body,
                                    .normals = render->normals,
                                    .tangents = render->tangents};
  }
  return sup_stack_make(&stack, &player->stack, error);
}

SupResult sup_player_create(SupArena *arena, const SupPlayerDef *def, SupPlayer *out_player,
                            SupError *error) {
  if (def->cookie != COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "SupPlayerDef: start from sup_player_def()");
  }
  const uint32_t joints = def->character->skeleton.joint_count;
  SupPlayer player = {.def = *def, .arena = arena, .playback = sup_playback(NULL), .fresh = true};
  SupResult result = make_stack(&player, error);
  if (result != SUP_OK) return result;
  void *block = sup_arena_alloc(arena, 1, sup_stack_bytes(&player.stack));
  player.pose = (SupPose){joints, sup_transform_identity(), SUP_ALLOC(arena, SupTransform, joints)};
  player.work[0] = SUP_ALLOC(arena, SupTransform, joints);
  player.work[1] = SUP_ALLOC(arena, SupTransform, joints);
  player.weights = SUP_ALLOC(arena, float, def->character->morph_count);
  if (!block || !player.pose.joints || !player.work[0] || !player.work[1] || !player.weights) {
    return sup_fail_memory(error, "the player");
  }
  player.state = sup_stack_init(&player.stack, block);
  *out_player = player;
  return SUP_OK;
}

/* ---- Time ------------------------------------------------------------------------------------ */

static double round_down(double x) {
  if (!(x > -1e15 && x < 1e15)) return x; /* whole already, or no time */
  const double whole = (double)(int64_t)x;
  return whole > x ? whole - 1 : whole;
}

static double round_up(double x) { return -round_down(-x); }

static double duration_of(const SupPlayer *player) {
  return player->playback.clip ? (double)player->playback.clip->duration : 0;
}

/* Seconds of one round. */
static double period_of(const SupPlayer *player) {
  return duration_of(player) + player->playback.closing;
}

/* Which round of a loop a time is in, counted from 0; before the start they are negative. */
static double round_at(const SupPlayer *player, double time) {
  return player->loops ? round_down(time / period_of(player)) : 0;
}

double sup_player_clip_time(const SupPlayer *player) {
  const double time = player->time, duration = duration_of(player);
  if (player->loops) return time - round_at(player, time) * period_of(player);
  return player->playback.clip && time > duration ? duration : time;
}

/* ---- Poses ----------------------------------------------------------------------------------- */

/* From the last pose towards the first, which stands a stride farther on. */
static void close_up(const SupPlayer *player, float fraction, SupPose *io_pose) {
  SupTransform *start = player->work[1];
  SupPose first = {io_pose->joint_count, io_pose->root, start};
  sup_pose_rest(&player->def.character->skeleton, &first);
  sup_clip_sample(player->playback.clip, 0, false, NULL, &first, NULL);
  for (uint32_t j = 0; j < io_pose->joint_count; j++) {
    SupTransform *t = &io_pose->joints[j];
    t->translation = sup_vec3_lerp(t->translation, start[j].translation, fraction);
    t->scale = sup_vec3_lerp(t->scale, start[j].scale, fraction);
    t->rotation = sup_quat_slerp(t->rotation, start[j].rotation, fraction);
  }
  io_pose->root.translation =
      sup_vec3_add_scaled(io_pose->root.translation, player->stride, fraction);
}

/* The clip's own pose. */
static void sample(const SupPlayer *player, double time, SupPose *out_pose, float *out_weights) {
  const SupCharacter *character = player->def.character;
  const SupClip *clip = player->playback.clip;
  const double round = round_at(player, time), closing = player->playback.closing;
  if (player->loops) time -= round * period_of(player);
  sup_pose_rest(&character->skeleton, out_pose);
  for (uint32_t k = 0; out_weights && k < character->morph_count; k++) {
    out_weights[k] = character->morphs[k].weight;
  }
  if (!clip) return;
  sup_clip_sample(clip, (float)(time > 0 ? time : 0), false, NULL, out_pose, out_weights);
  out_pose->root.translation = sup_vec3_scale(player->stride, (float)round);
  if (player->loops && closing > 0 && time > duration_of(player)) {
    close_up(player, (float)((time - duration_of(player)) / closing), out_pose);
  }
}

void sup_player_pose(const SupPlayer *player, float ago, SupPose *out_pose, float *out_weights) {
  const double time = player->held ? player->time : player->time - (double)ago;
  sample(player, time, out_pose, out_weights);
  if (player->def.modify_pose) player->def.modify_pose(player->def.user, ago, out_pose);
}

static void pose_at(void *user, float ago, SupPose *out_pose) {
  sup_player_pose((const SupPlayer *)user, ago, out_pose, NULL);
}

static void morphs_at(void *user, float ago, float *out_weights) {
  const SupPlayer *player = (const SupPlayer *)user;
  SupPose unused = {player->pose.joint_count, player->pose.root, player->work[0]};
  sample(player, player->held ? player->time : player->time - (double)ago, &unused, out_weights);
}

SupResult sup_rest_body(SupArena *arena, const SupCharacter *character, bool morphs,
                        const SupJobs *jobs, SupMesh *out_body, SupError *error) {
  const SupMesh *body = &character->body;
  SupVec3 *positions = SUP_COPY(arena, SupVec3, body->positions, body->vertex_count);
  SupPlayerDef def = sup_player_def();
  SupPlayer player;
  if (!positions) return sup_fail_memory(error, "a rest pose");
  def.character = character;
  def.order = SUP_ORDER_BODY;
  def.without_morphs = !morphs;
  def.jobs = jobs;
  if (character->skeleton.bone_count) {
    SupResult result = sup_player_create(arena, &def, &player, error);
    if (result != SUP_OK) return result;
    const SupStackFrame inputs = {.positions = {(float *)positions, 3}};
    sup_player_step(&player, 0, &inputs);
  }
  *out_body = *body;
  out_body->positions = positions;
  return SUP_OK;
}

/* ---- Clips ----------------------------------------------------------------------------------- */

SupClipGap sup_player_gap(const SupPlayer *player, const SupClip *clip, double from, double to) {
  SupClipGap gap = {{0, 0, 0}, FLT_MAX, FLT_MAX};
  SupArena scratch = sup_scratch(player->arena);
  sup_clip_gap(&scratch, player->def.character, clip, (float)from, (float)to, &gap, NULL);
  sup_arena_free(&scratch);
  return gap;
}

void sup_player_reset(SupPlayer *player) {
  player->fresh = true;
  sup_stack_reset(player->state);
}

/* Before the first frame. */
static void rewind(SupPlayer *player) {
  const double period = period_of(player), preroll = player->playback.preroll;
  player->frame = 0;
  player->time = player->loops ? -round_up(preroll / period - SLACK) * period : -preroll;
  sup_player_reset(player);
}

bool sup_player_play(SupPlayer *player, const SupPlayback *playback) {
  const double duration = playback->clip ? (double)playback->clip->duration : 0;
  player->playback = *playback;
  player->loops = playback->loop != SUP_LOOP_HOLD && duration > 0;
  player->closed = player->restarts = false;
  player->stride = (SupVec3){0, 0, 0};
  if (player->loops) {
    const SupClipGap gap = sup_player_gap(player, playback->clip, 0, duration);
    player->closed = gap.apart <= SUP_GAP_CLOSED * player->stack.size;
    player->restarts = playback->loop == SUP_LOOP_RESTART && !player->closed;
    if (!player->restarts) {
      player->stride = sup_vec3_scale(gap.stride, 1 + (float)(playback->closing / duration));
    }
  }
  rewind(player);
  return !player->loops || player->closed;
}

void sup_player_cut(SupPlayer *player, double time) {
  const double frame = time * player->playback.fps + SLACK;
  player->time = time;
  player->frame = frame > 0 && frame < (double)UINT32_MAX ? (uint32_t)frame : 0;
  sup_player_reset(player);
}

/* ---- Frames ---------------------------------------------------------------------------------- */

/* The activations of the track in the dt seconds up to now; a loop's begin again with it. */
static uint32_t hear(const SupPlayer *player, double dt, SupPoppingEvent *out_events) {
  const SupPoppingTrack *track = &player->playback.track;
  const double period = period_of(player);
  double to = player->time;
  if (player->loops) to -= round_at(player, to) * period;
  /* Where it begins, that moment counts too. */
  double from = dt > 0 ? to - dt : to - SLACK;
  uint32_t count = 0;
  if (player->restarts && to - dt < 0) {
    from = -SLACK;
  } else if (player->loops && to - dt < 0) {
    count = sup_popping_between(track, period + to - dt, period, EVENTS_MOST / 2, out_events);
    for (uint32_t k = 0; k < count; k++) out_events[k].ago += (float)to;
  }
  return count + sup_popping_between(track, from, to, EVENTS_MOST / 2, out_events + count);
}

/* What the caller tells the techniques, but for one of them. Returns the number of out_controls
 * [SUP_STACK_MODELS]. */
static uint32_t controls_without(const SupStackFrame *inputs, uint32_t kind,
                                 SupStackControl *out_controls) {
  uint32_t count = 0;
  for (uint32_t k = 0; k < inputs->control_count && count < SUP_STACK_MODELS; k++) {
    if (inputs->controls[k].kind != kind) out_controls[count++] = inputs->controls[k];
  }
  return count;
}

/* The caller's activations after those of the track. */
static void add_events(const SupStackFrame *inputs, SupPoppingControls *io_muscles,
                       SupPoppingEvent *events) {
  const SupPoppingControls *given =
      (const SupPoppingControls *)sup_frame_controls(inputs, SUP_POPPING_KIND);
  for (uint32_t k = 0; given && k < given->event_count; k++) {
    if (io_muscles->event_count < EVENTS_MOST) {
      events[io_muscles->event_count++] = given->events[k];
    }
  }
}

/* The frame at the player's time, dt seconds after the last. */
static void show(SupPlayer *player, double dt, const SupStackFrame *inputs) {
  SupPoppingEvent events[EVENTS_MOST];
  SupStackFrame frame = *inputs;
  sup_player_pose(player, 0, &player->pose, player->weights);
  frame.dt = (float)dt;
  frame.pose = &player->pose;
  frame.pose_at = pose_at;
  frame.morphs_at = morphs_at;
  frame.user = player;
  frame.morph_weights = player->def.without_morphs ? NULL : player->weights;
  SupStackControl controls[SUP_STACK_MODELS + 1];
  SupPoppingControls muscles = {0, events};
  if (player->playback.track.count && !player->held) {
    muscles.event_count = hear(player, dt, events);
    add_events(inputs, &muscles, events);
    frame.control_count = controls_without(inputs, SUP_POPPING_KIND, controls);
    controls[frame.control_count++] = (SupStackControl){SUP_POPPING_KIND, &muscles};
    frame.controls = controls;
  }
  sup_stack_step(&player->stack, player->state, player->def.backend, player->def.jobs, &frame);
  player->fresh = false;
}

/* One step, to a time dt seconds after the last; an open clip is cut where it starts again. */
static void step_to(SupPlayer *player, double time, double dt, const SupStackFrame *inputs) {
  const bool cut = player->restarts && round_at(player, time) > round_at(player, player->time);
  player->time = time;
  if (cut) sup_player_reset(player);
  show(player, dt, inputs);
}

void sup_player_step(SupPlayer *player, double dt, const SupStackFrame *inputs) {
  step_to(player, player->time + dt, dt, inputs);
  const double passed = player->time * player->playback.fps + SLACK; /* frames before the next */
  player->frame = passed >= 0 ? (uint32_t)passed + 1 : 0;
}

void sup_player_hold(SupPlayer *player, double dt, const SupStackFrame *inputs) {
  player->held = true;
  show(player, dt, inputs);
  player->held = false;
}

/* Goes on to a time, in steps that are short enough. */
static void go_to(SupPlayer *player, double time, const SupStackFrame *inputs) {
  const double from = player->time, way = time - from;
  const double parts = round_up(way / LONGEST_STEP - 1e-9);
  SupStackControl controls[SUP_STACK_MODELS];
  SupStackFrame before = *inputs; /* what happens once happens at the end */
  before.impulse_count = 0;
  before.control_count = controls_without(inputs, SUP_POPPING_KIND, controls);
  before.controls = controls;
  if (player->fresh) show(player, 0, parts >= 1 ? &before : inputs);
  for (double k = 1; k <= parts; k++) {
    step_to(player, from + way * k / parts, way / parts, k < parts ? &before : inputs);
  }
}

void sup_player_frame(SupPlayer *player, const SupStackFrame *inputs) {
  go_to(player, player->frame / player->playback.fps, inputs);
  player->frame++;
}

void sup_player_seek(SupPlayer *player, double time, double lead, const SupStackFrame *inputs) {
  const double fps = player->playback.fps, begin = time - lead;
  rewind(player);
  if (begin > player->time) {
    sup_player_cut(player, round_down(begin * fps + SLACK) / fps);
  }
  while (player->frame / fps <= time + SLACK / fps) sup_player_frame(player, inputs);
  if (player->fresh || time - player->time > SLACK / fps) go_to(player, time, inputs);
}
