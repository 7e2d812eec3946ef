/* SPDX-License-Identifier: MIT */
/*
 * A character in motion: clip, what somebody does to the pose, stack. Poses between frames are
 * answered, not interpolated, so that the motion is the same at any frame rate.
 */
#include "supple/author/clip_gap.h"
#include "supple/author/skin_pack.h"
#include "supple/clip.h"

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

static bool stage_arrays(WebStage *stage) {
  const SupCharacter *character = &stage->cast->character;
  const uint32_t joints = character->skeleton.joint_count;
  SupArena *arena = &stage->arena;
  void *block = sup_arena_alloc(arena, 1, sup_stack_bytes(&stage->stack));
  stage->pose = (SupPose){joints, sup_transform_identity(), SUP_ALLOC(arena, SupTransform, joints)};
  stage->scratch = SUP_ALLOC(arena, SupTransform, joints);
  stage->weights = SUP_ALLOC(arena, float, character->morph_count + 1);
  stage->globals = SUP_ALLOC(arena, SupAffine, joints);
  stage->turns = SUP_ALLOC(arena, SupQuat, joints);
  stage->turns_before = SUP_ALLOC(arena, SupQuat, joints);
  stage->positions = SUP_ALLOC(arena, SupVec3, character->render.vertex_count);
  stage->normals = SUP_ALLOC(arena, SupVec3, character->render.vertex_count);
  stage->pulls = SUP_ALLOC(arena, SupPull, WEB_PULLS);
  stage->colliders = SUP_ALLOC(arena, SupCollider, SUP_COLLIDERS);
  stage->impulses = SUP_ALLOC(arena, SupImpulse, WEB_IMPULSES);
  if (!block || !stage->pose.joints || !stage->scratch || !stage->weights || !stage->globals ||
      !stage->turns || !stage->turns_before || !stage->positions || !stage->normals ||
      !stage->pulls || !stage->colliders || !stage->impulses) {
    return false;
  }
  for (uint32_t j = 0; j < joints; j++)
    stage->turns[j] = stage->turns_before[j] = sup_quat_identity();
  stage->state = sup_stack_init(&stage->stack, block);
  return true;
}

static SupResult make_stack(WebStage *stage, WebModel *const *models, uint32_t count, bool dual) {
  const SupCharacter *character = &stage->cast->character;
  const SupModel *list[SUP_STACK_MODELS];
  SupModel *skin;
  SupResult result = SUP_OK;
  if (count > SUP_STACK_MODELS) {
    return sup_fail(&web_last_error, SUP_ERROR_UNSUPPORTED, "more than %d models",
                    SUP_STACK_MODELS);
  }
  for (uint32_t k = 0; k < count; k++) list[k] = models[k]->model;
  if (!count) {
    result = sup_skin_model(&stage->arena, character, SUP_ORDER_BODY, &skin, &web_last_error);
    list[0] = skin;
    count = 1;
  }
  if (result != SUP_OK) return result;
  SupStackDef def = sup_stack_def();
  def.skeleton = &character->skeleton;
  def.model_count = count;
  def.models = list;
  def.dual_quaternions = dual;
  def.teleport_distance = 1e30f; /* the page resets where it jumps */
  def.render = (SupStackRender){.vertex_count = character->render.vertex_count,
                                .to_body = character->render.to_body,
                                .normals = character->render.normals};
  return sup_stack_make(&def, &stage->stack, &web_last_error);
}

WebStage *web_stage_make(WebCharacter *cast, WebModel *const *models, uint32_t count,
                         uint32_t dual) {
  WebStage *stage = web_allocate(sizeof *stage);
  if (!stage) return NULL;
  sup_zero(stage, sizeof *stage);
  stage->cast = cast;
  stage->helpers = sup_helpers_controls();
  sup_arena_init(&stage->arena, web_allocator(), 0);
  SupResult result = make_stack(stage, models, count, dual != 0);
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

const uint32_t *web_stage_view(WebStage *stage) {
  union {
    float number;
    uint32_t word;
  } h = {stage->stack.h}, size = {stage->stack.size};
  const uint32_t words[] = {(uint32_t)stage->positions,
                            (uint32_t)stage->normals,
                            (uint32_t)stage->globals,
                            (uint32_t)stage->turns,
                            (uint32_t)&stage->move,
                            (uint32_t)&stage->pose.root.translation,
                            (uint32_t)&stage->forces,
                            (uint32_t)stage->pulls,
                            WEB_PULLS,
                            (uint32_t)stage->colliders,
                            SUP_COLLIDERS,
                            (uint32_t)stage->impulses,
                            WEB_IMPULSES,
                            h.word,
                            size.word,
                            sup_stack_layer(&stage->stack, SUP_SURFACE_KIND) != NULL,
                            sup_stack_layer(&stage->stack, SUP_MODES_KIND) != NULL,
                            (uint32_t)stage->weights};
  _Static_assert(sizeof words <= sizeof stage->view, "view");
  sup_copy(stage->view, words, sizeof words);
  return stage->view;
}

/* ---- Poses -------------------------------------------------------------------------------------
 */

static double floor_of(double x) {
  const double whole = (double)(int64_t)x;
  return whole > x ? whole - 1 : whole;
}

void web_stage_pose(const WebStage *stage, float ago, SupPose *out_pose, float *out_weights) {
  const SupCharacter *character = &stage->cast->character;
  sup_pose_rest(&character->skeleton, out_pose);
  for (uint32_t k = 0; out_weights && k < character->morph_count; k++) {
    out_weights[k] = character->morphs[k].weight;
  }
  double time = stage->still ? stage->time : stage->time - (double)ago, round = 0;
  if (stage->clip) {
    const double duration = (double)stage->clip->duration;
    if (stage->loop && duration > 0) {
      round = floor_of(time / duration);
      time -= round * duration;
    }
    sup_clip_sample(stage->clip, (float)(time > 0 ? time : 0), false, NULL, out_pose, out_weights);
  }
  const float share = stage->dt > 0 ? ago / stage->dt : 0;
  const float past = share < 0 ? 0 : share > 1 ? 1 : share;
  for (uint32_t j = 0; j < out_pose->joint_count; j++) {
    const SupQuat *now = &stage->turns[j], *then = &stage->turns_before[j];
    if (now->w == 1 && then->w == 1) continue;
    const SupQuat turn = past > 0 ? sup_quat_slerp(*now, *then, past) : *now;
    out_pose->joints[j].rotation = sup_quat_mul(turn, out_pose->joints[j].rotation);
  }
  SupVec3 place = sup_vec3_scale(stage->stride, (float)round);
  place = sup_vec3_add_scaled(place, stage->move, 1 - past);
  out_pose->root.translation = sup_vec3_add_scaled(place, stage->move_before, past);
}

static void pose_ago(void *user, float ago, SupPose *out_pose) {
  web_stage_pose((const WebStage *)user, ago, out_pose, NULL);
}

static void morphs_ago(void *user, float ago, float *out_weights) {
  const WebStage *stage = (const WebStage *)user;
  SupPose unused = {stage->pose.joint_count, stage->pose.root, stage->scratch};
  web_stage_pose(stage, ago, &unused, out_weights);
}

/* How far the skeleton's own motion leads in one round; false if it does not end as it begins. */
static bool find_stride(WebStage *stage) {
  SupClipGap gap;
  SupArena scratch;
  sup_arena_init(&scratch, web_allocator(), 0);
  const SupResult result = sup_clip_gap(&scratch, &stage->cast->character, stage->clip, 0,
                                        stage->clip->duration, &gap, NULL);
  sup_arena_free(&scratch);
  if (result == SUP_OK) stage->stride = gap.stride;
  return result == SUP_OK && gap.apart <= SUP_GAP_CLOSED * stage->stack.size;
}

void web_stage_play(WebStage *stage, uint32_t clip, double time, uint32_t loop) {
  const SupCharacter *character = &stage->cast->character;
  const SupClip *chosen = clip < character->clip_count ? &character->clips[clip] : NULL;
  stage->stride = (SupVec3){0, 0, 0};
  stage->clip = chosen;
  stage->closed = chosen && find_stride(stage);
  if (!stage->closed) stage->stride = (SupVec3){0, 0, 0};
  stage->loop = loop != 0;
  stage->time = time;
  web_stage_reset(stage);
}

/* ---- Frames ------------------------------------------------------------------------------------
 */

void web_stage_still(WebStage *stage) { stage->still = true; }

void web_stage_reset(WebStage *stage) {
  sup_copy(stage->turns_before, stage->turns, stage->pose.joint_count * sizeof *stage->turns);
  stage->move_before = stage->move;
  sup_stack_reset(stage->state);
}

/* A clip that does not end as it begins starts afresh; one that should not loop stays at its end.
 */
static void pass_time(WebStage *stage, double dt) {
  const double duration = stage->clip ? (double)stage->clip->duration : 0;
  if (stage->still) return;
  stage->time += dt;
  if (!stage->clip || stage->time <= duration) return;
  if (!stage->loop) {
    stage->time = duration;
  } else if (!stage->closed && duration > 0) {
    stage->time -= floor_of(stage->time / duration) * duration;
    web_stage_reset(stage);
  }
}

double web_stage_step(WebStage *stage, double dt, uint32_t pulls, uint32_t colliders,
                      uint32_t impulses) {
  pass_time(stage, dt);
  stage->dt = (float)dt;
  stage->forces.pull_count = pulls < WEB_PULLS ? pulls : WEB_PULLS;
  stage->forces.pulls = stage->pulls;
  stage->forces.collider_count = colliders;
  stage->forces.colliders = stage->colliders;
  web_stage_pose(stage, 0, &stage->pose, stage->weights);
  const SupPoppingControls muscles = {stage->clench_count, stage->clenches};
  const SupStackControl controls[] = {{SUP_HELPERS_KIND, &stage->helpers},
                                      {SUP_POPPING_KIND, &muscles}};
  const SupStackFrame frame = {.dt = (float)dt,
                               .pose = &stage->pose,
                               .pose_at = pose_ago,
                               .morphs_at = morphs_ago,
                               .user = stage,
                               .morph_weights = stage->weights,
                               .forces = &stage->forces,
                               .impulse_count = impulses < WEB_IMPULSES ? impulses : WEB_IMPULSES,
                               .impulses = stage->impulses,
                               .control_count = 2,
                               .controls = controls,
                               .positions = {&stage->positions->x, 3},
                               .normals = {&stage->normals->x, 3}};
  sup_stack_step(&stage->stack, stage->state, sup_backend_cpu(), NULL, &frame);
  sup_pose_globals(&stage->cast->character.skeleton, &stage->pose, stage->globals);
  sup_copy(stage->turns_before, stage->turns, stage->pose.joint_count * sizeof *stage->turns);
  stage->move_before = stage->move;
  stage->still = false;
  stage->clench_count = 0;
  const double duration = stage->clip ? (double)stage->clip->duration : 0;
  if (!stage->loop || duration <= 0) return stage->time;
  return stage->time - floor_of(stage->time / duration) * duration;
}

uint32_t web_stage_muscles(const WebStage *stage) {
  const SupPoppingView *popping =
      (const SupPoppingView *)sup_stack_view(&stage->stack, SUP_POPPING_KIND);
  return popping ? popping->group_count : 0;
}

const char *web_stage_muscle(const WebStage *stage, uint32_t k) {
  const SupPoppingView *popping =
      (const SupPoppingView *)sup_stack_view(&stage->stack, SUP_POPPING_KIND);
  return popping->names + (size_t)SUP_POPPING_NAME * k;
}

void web_stage_clench(WebStage *stage, uint32_t muscle, float strength, float seconds, float ago) {
  if (stage->clench_count == WEB_CLENCHES) return;
  stage->clenches[stage->clench_count++] =
      (SupPoppingEvent){.group = muscle, .ago = ago, .strength = strength, .length = seconds};
}

uint32_t web_stage_helpers(const WebStage *stage) {
  const SupHelpersView *helpers =
      (const SupHelpersView *)sup_stack_view(&stage->stack, SUP_HELPERS_KIND);
  return helpers ? helpers->helper_count : 0;
}

void web_stage_help(WebStage *stage, float exaggerate, uint32_t level) {
  stage->helpers.exaggerate = exaggerate;
  stage->helpers.level = level < SUP_HELPERS_FULL ? (SupHelpersLevel)level : SUP_HELPERS_FULL;
}

uint32_t web_stage_materials(const WebStage *stage) {
  const SupHelpersView *helpers =
      (const SupHelpersView *)sup_stack_view(&stage->stack, SUP_HELPERS_KIND);
  return helpers ? helpers->material_count : 0;
}

uint32_t web_stage_blend(WebStage *stage, const float *fractions) {
  SupHelpersState *state = sup_stack_state_of(&stage->stack, stage->state, SUP_HELPERS_KIND);
  return state && sup_helpers_blend(&stage->arena, sup_stack_view(&stage->stack, SUP_HELPERS_KIND),
                                    state, fractions, &web_last_error) == SUP_OK;
}

uint64_t web_stage_hash(const WebStage *stage) {
  return sup_hash(stage->positions, stage->stack.vertex_count * sizeof *stage->positions, 0);
}

void web_stage_exaggerate(WebStage *stage, const WebStage *plain, float share) {
  for (uint32_t v = 0; v < stage->stack.vertex_count; v++) {
    const SupVec3 goal = plain->positions[v];
    stage->positions[v] = sup_vec3_add_scaled(goal, sup_vec3_sub(stage->positions[v], goal), share);
  }
}
