/* SPDX-License-Identifier: MIT */
/* A character in motion: a player, and what somebody does to the pose. */
#include "module.h"
#include "supple/helpers.h"
#include "supple/modes.h"
#include "supple/popping.h"
#include "supple/surface.h"

_Static_assert(sizeof(SupPull) == 4 * 5, "pull");
_Static_assert(sizeof(SupCollider) == 4 * 11, "collider");
_Static_assert(sizeof(SupImpulse) == 4 * 7, "impulse");
_Static_assert(offsetof(SupExternalForces, wind_drag) == 4 * 6, "forces");

/* ---- Making ------------------------------------------------------------------------------------
 */

/* What somebody does to the pose: joints turned, the whole moved, between two frames in part. */
static void modify_pose(void *user, float ago, SupPose *io_pose) {
  const WebStage *stage = (const WebStage *)user;
  const float fraction = stage->dt > 0 ? ago / stage->dt : 0;
  const float past = fraction < 0 ? 0 : fraction > 1 ? 1 : fraction;
  for (uint32_t j = 0; j < io_pose->joint_count; j++) {
    const SupQuat *now = &stage->turns[j], *then = &stage->turns_before[j];
    if (now->w == 1 && then->w == 1) continue;
    const SupQuat turn = past > 0 ? sup_quat_slerp(*now, *then, past) : *now;
    io_pose->joints[j].rotation = sup_quat_mul(turn, io_pose->joints[j].rotation);
  }
  const SupVec3 place = sup_vec3_add_scaled(io_pose->root.translation, stage->move, 1 - past);
  io_pose->root.translation = sup_vec3_add_scaled(place, stage->move_before, past);
}

static bool stage_arrays(WebStage *stage) {
  const SupCharacter *character = &stage->cast->character;
  const uint32_t joints = character->skeleton.joint_count;
  SupArena *arena = &stage->arena;
  stage->globals = SUP_ALLOC(arena, SupAffine, joints);
  stage->turns = SUP_ALLOC(arena, SupQuat, joints);
  stage->turns_before = SUP_ALLOC(arena, SupQuat, joints);
  stage->positions = SUP_ALLOC(arena, SupVec3, character->render.vertex_count);
  stage->normals = SUP_ALLOC(arena, SupVec3, character->render.vertex_count);
  stage->pulls = SUP_ALLOC(arena, SupPull, WEB_PULLS);
  stage->colliders = SUP_ALLOC(arena, SupCollider, SUP_COLLIDERS);
  stage->impulses = SUP_ALLOC(arena, SupImpulse, WEB_IMPULSES);
  if (!stage->globals || !stage->turns || !stage->turns_before || !stage->positions ||
      !stage->normals || !stage->pulls || !stage->colliders || !stage->impulses) {
    return false;
  }
  for (uint32_t j = 0; j < joints; j++)
    stage->turns[j] = stage->turns_before[j] = sup_quat_identity();
  return true;
}

static SupResult make_player(WebStage *stage, WebModel *const *models, uint32_t count, bool dual) {
  const SupModel *list[SUP_STACK_MODELS];
  if (count > SUP_STACK_MODELS) {
    return sup_fail(&web_last_error, SUP_ERROR_UNSUPPORTED, "more than %d models",
                    SUP_STACK_MODELS);
  }
  for (uint32_t k = 0; k < count; k++) list[k] = models[k]->model;
  SupPlayerDef def = sup_player_def();
  def.character = &stage->cast->character;
  def.model_count = count;
  def.models = list;
  def.order = SUP_ORDER_RENDER;
  def.dual_quaternions = dual;
  def.modify_pose = modify_pose;
  def.user = stage;
  return sup_player_create(&stage->arena, &def, &stage->player, &web_last_error);
}

WebStage *web_stage_make(WebCharacter *cast, WebModel *const *models, uint32_t count,
                         uint32_t dual) {
  WebStage *stage = web_allocate(sizeof *stage);
  if (!stage) return NULL;
  sup_zero(stage, sizeof *stage);
  stage->cast = cast;
  stage->helpers = sup_helpers_controls();
  sup_arena_init(&stage->arena, web_allocator(), 0);
  SupResult result = make_player(stage, models, count, dual != 0);
  if (result == SUP_OK && !stage_arrays(stage)) {
    result = sup_fail(&web_last_error, SUP_ERROR_MEMORY, "the browser gives no more memory");
  }
  if (result == SUP_OK) return stage;
  web_stage_free(stage);
  return NULL;
}

void web_stage_free(WebStage *stage) {
  if (!stage) return;
  sup_arena_free(&stage->arena);
  web_release(stage);
}

/* The model of a kind that the stage plays, or NULL. */
static const SupModel *model_of(const WebStage *stage, uint32_t kind) {
  const SupPlayerDef *def = &stage->player.def;
  for (uint32_t k = 0; k < def->model_count; k++) {
    if (def->models[k]->kind == kind) return def->models[k];
  }
  return NULL;
}

const uint32_t *web_stage_view(WebStage *stage) {
  union {
    float number;
    uint32_t word;
  } h = {stage->player.stack.h}, size = {stage->player.stack.size};
  const uint32_t words[] = {(uint32_t)stage->positions,
                            (uint32_t)stage->normals,
                            (uint32_t)stage->globals,
                            (uint32_t)stage->turns,
                            (uint32_t)&stage->move,
                            (uint32_t)&stage->player.pose.root.translation,
                            (uint32_t)&stage->forces,
                            (uint32_t)stage->pulls,
                            WEB_PULLS,
                            (uint32_t)stage->colliders,
                            SUP_COLLIDERS,
                            (uint32_t)stage->impulses,
                            WEB_IMPULSES,
                            h.word,
                            size.word,
                            model_of(stage, SUP_SURFACE_KIND) != NULL,
                            model_of(stage, SUP_MODES_KIND) != NULL,
                            (uint32_t)stage->player.weights};
  _Static_assert(sizeof words <= sizeof stage->view, "view");
  sup_copy(stage->view, words, sizeof words);
  return stage->view;
}

/* ---- Frames ------------------------------------------------------------------------------------
 */

void web_stage_play(WebStage *stage, uint32_t clip, double time, uint32_t loop) {
  const SupCharacter *character = &stage->cast->character;
  SupPlayback playback =
      sup_playback(clip < character->clip_count ? &character->clips[clip] : NULL);
  if (loop) playback.loop = SUP_LOOP_RESTART;
  sup_player_play(&stage->player, &playback);
  sup_player_cut(&stage->player, time);
}

void web_stage_still(WebStage *stage) { stage->still = true; }

void web_stage_reset(WebStage *stage) { sup_player_reset(&stage->player); }

double web_stage_step(WebStage *stage, double dt, uint32_t pulls, uint32_t colliders,
                      uint32_t impulses) {
  SupPlayer *player = &stage->player;
  stage->dt = (float)dt;
  stage->forces.pull_count = pulls < WEB_PULLS ? pulls : WEB_PULLS;
  stage->forces.pulls = stage->pulls;
  stage->forces.collider_count = colliders;
  stage->forces.colliders = stage->colliders;
  const SupPoppingControls muscles = {stage->activation_count, stage->activations};
  const SupStackControl controls[] = {{SUP_HELPERS_KIND, &stage->helpers},
                                      {SUP_POPPING_KIND, &muscles},
                                      {SUP_ENVELOPE_KIND, &stage->envelope},
                                      {SUP_CHUNKS_KIND, &stage->chunks}};
  const SupStackFrame inputs = {.forces = &stage->forces,
                                .impulse_count = impulses < WEB_IMPULSES ? impulses : WEB_IMPULSES,
                                .impulses = stage->impulses,
                                .control_count = 4,
                                .controls = controls,
                                .positions = {&stage->positions->x, 3},
                                .normals = {&stage->normals->x, 3}};
  if (stage->still) {
    sup_player_hold(player, dt, &inputs);
  } else {
    sup_player_step(player, dt, &inputs);
  }
  sup_pose_globals(&stage->cast->character.skeleton, &player->pose, stage->globals);
  sup_copy(stage->turns_before, stage->turns, player->pose.joint_count * sizeof *stage->turns);
  stage->move_before = stage->move;
  stage->still = false;
  stage->activation_count = 0;
  return sup_player_clip_time(player);
}

uint32_t web_stage_muscles(const WebStage *stage) {
  const SupModel *model = model_of(stage, SUP_POPPING_KIND);
  return model ? sup_popping_view(model).group_count : 0;
}

const char *web_stage_muscle(const WebStage *stage, uint32_t k) {
  const SupModel *model = model_of(stage, SUP_POPPING_KIND);
  return model ? sup_popping_view(model).names + (size_t)SUP_POPPING_NAME * k : "";
}

void web_stage_activate(WebStage *stage, uint32_t muscle, float strength, float seconds,
                        float ago) {
  if (stage->activation_count == WEB_ACTIVATIONS) return;
  stage->activations[stage->activation_count++] =
      (SupPoppingEvent){.group = muscle, .ago = ago, .strength = strength, .length = seconds};
}

uint32_t web_stage_helpers(const WebStage *stage) {
  const SupModel *model = model_of(stage, SUP_HELPERS_KIND);
  return model ? sup_helpers_view(model).helper_count : 0;
}

void web_stage_help(WebStage *stage, float exaggerate, uint32_t lod) {
  stage->helpers.exaggerate = exaggerate;
  stage->helpers.lod = lod < SUP_HELPERS_FULL ? (SupHelpersLod)lod : SUP_HELPERS_FULL;
}

uint32_t web_stage_materials(const WebStage *stage) {
  const SupHelpersView *helpers =
      (const SupHelpersView *)sup_stack_view(&stage->player.stack, SUP_HELPERS_KIND);
  return helpers ? helpers->material_count : 0;
}

uint32_t web_stage_blend(WebStage *stage, const float *fractions) {
  SupHelpersState *state =
      sup_stack_state_of(&stage->player.stack, stage->player.state, SUP_HELPERS_KIND);
  return state &&
         sup_helpers_blend(&stage->arena, sup_stack_view(&stage->player.stack, SUP_HELPERS_KIND),
                           state, fractions, &web_last_error) == SUP_OK;
}

uint64_t web_stage_hash(const WebStage *stage) {
  return sup_hash(stage->positions, stage->player.stack.vertex_count * sizeof *stage->positions, 0);
}

void web_stage_exaggerate(WebStage *stage, const WebStage *plain, float fraction) {
  for (uint32_t v = 0; v < stage->player.stack.vertex_count; v++) {
    const SupVec3 goal = plain->positions[v];
    stage->positions[v] =
        sup_vec3_add_scaled(goal, sup_vec3_sub(stage->positions[v], goal), fraction);
  }
}
