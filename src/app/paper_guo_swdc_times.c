/* SPDX-License-Identifier: MIT */
/* How long chunks take on bodies of the thesis's sizes (Guo 2007, 4.6). */
#include <math.h>

#include "app/paper_guo_swdc_parts.h"
#include "base/scratch.h"
#include "supple/pose.h"
#include "supple/train/chunks.h"
#include "supple/train/patch_map.h"

enum { ROUNDS = 40 };

/* The thesis's man has 4,697 vertices, 20 chunks above the shell, 4 of limbs and 5,784 nodes; its
 * bear 12,913, 35, 9 and 11,100. */
static const SupSwdcPart upper_body[3] = {{false, 5, 4, 8, 60, {0, 0, 0}, 0.2, 0.6, 6, 2},
                                          {true, 4, 2, 8, 34, {0.35, 0, 0}, 0.05, 0.6, 4, 2},
                                          {true, 4, 2, 8, 34, {-0.35, 0, 0}, 0.05, 0.6, 4, 2}};
static const SupSwdcPart quadruped[6] = {{false, 5, 7, 16, 77, {0, 0, 0}, 0.3, 1.4, 6, 2},
                                         {true, 4, 2, 8, 42, {0.5, 0.2, 0}, 0.09, 0.9, 5, 2},
                                         {true, 4, 2, 8, 42, {0.5, -0.2, 0}, 0.09, 0.9, 5, 2},
                                         {true, 4, 2, 8, 42, {-0.5, 0.2, 0}, 0.09, 0.9, 5, 2},
                                         {true, 4, 2, 8, 42, {-0.5, -0.2, 0}, 0.09, 0.9, 5, 2},
                                         {true, 4, 1, 8, 35, {0, 0.6, 0}, 0.05, 0.5, 5, 2}};
static const SupSwdcMade bodies[SUP_SWDC_BODIES] = {{"upper body", 3, upper_body},
                                                    {"quadruped", 6, quadruped}};
static const SupSwdcTimes paper[SUP_SWDC_BODIES] = {{.name = "upper body",
                                                     .paper_vertices = 4697,
                                                     .paper_chunks = 24,
                                                     .paper_nodes = 5784,
                                                     .paper_setup = 56.7,
                                                     .paper_frame = 0.09},
                                                    {.name = "quadruped",
                                                     .paper_vertices = 12913,
                                                     .paper_chunks = 44,
                                                     .paper_nodes = 11100,
                                                     .paper_setup = 16.7,
                                                     .paper_frame = 0.17}};

/* ---- Set-up --------------------------------------------------------------------------------- */

typedef struct Cut {
  SupTopology topology;
  SupPatchesDef def;
  SupPatches patches;
  SupPatchCharts charts;
} Cut;

static SupResult cut(SupArena *arena, const SupCharacter *character, const SupPatchPlan *plan,
                     Cut *out, SupError *error) {
  SupResult result = sup_topology(arena, &character->body, &out->topology, error);
  if (result == SUP_OK) {
    result = sup_patch_plan_trace(arena, plan, character, &out->topology, &out->def, error);
  }
  if (result == SUP_OK) result = sup_patches_create(arena, &out->def, &out->patches, error);
  const SupPatchMapDef map = {.def = &out->def, .patches = &out->patches};
  return result == SUP_OK ? sup_patch_charts(arena, &map, &out->charts, error) : result;
}

static SupResult set_up(const SupAppContext *app, SupArena *arena, const SupCharacter *character,
                        const SupPatchPlan *plan, SupModel **out_model, SupSwdcTimes *out,
                        SupError *error) {
  SupChunksTrainDef train = sup_chunks_train_def(character);
  SupChunksTrained trained;
  Cut skin;
  const double began = sup_app_seconds();
  SupResult result = cut(arena, character, plan, &skin, error);
  if (result != SUP_OK) return result;
  out->cut_seconds = sup_app_seconds() - began;
  train.plan = plan;
  train.patches_def = &skin.def;
  train.patches = &skin.patches;
  train.charts = &skin.charts;
  train.jobs = app->jobs;
  const double cut_at = sup_app_seconds();
  result = sup_chunks_train(arena, &train, &trained, error);
  if (result == SUP_OK) result = sup_chunks_pack(arena, character, &trained.def, out_model, error);
  if (result != SUP_OK) return result;
  out->setup_seconds = sup_app_seconds() - cut_at;
  out->vertex_count = character->body.vertex_count;
  out->patch_count = skin.patches.patch_count;
  out->chunk_count = trained.report.piece_count;
  for (uint32_t k = 0; k < out->chunk_count; k++) out->limb_count += trained.report.pieces[k].limb;
  out->node_count = trained.report.node_count;
  out->column_count = trained.report.column_count;
  out->bytes = (*out_model)->bytes;
  return SUP_OK;
}

/* ---- Frames --------------------------------------------------------------------------------- */

typedef struct Stage {
  SupChunksView view;
  SupChunksState *state;
  const SupBackend *backend;
  SupPose pose;
  SupAffine *globals, *palette;
  float *positions, *frames;
} Stage;

static bool make_stage(SupArena *arena, const SupCharacter *character, const SupModel *model,
                       Stage *out) {
  const uint32_t joints = character->skeleton.joint_count;
  out->view = sup_chunks_view(model);
  out->backend = sup_backend_cpu();
  const size_t lanes = (size_t)SUP_SKIN_BLOCK * out->view.skin.block_count;
  void *block = sup_arena_alloc(arena, sup_chunks_bytes(&out->view), 1);
  out->pose = (SupPose){joints, sup_transform_identity(), SUP_ALLOC(arena, SupTransform, joints)};
  out->globals = SUP_ALLOC(arena, SupAffine, joints);
  out->palette = SUP_ALLOC(arena, SupAffine, character->skeleton.bone_count);
  out->positions = SUP_ALLOC(arena, float, 3 * lanes);
  out->frames = SUP_ALLOC(arena, float, 9 * lanes);
  if (!block || !out->pose.joints || !out->globals || !out->palette || !out->positions ||
      !out->frames) {
    return false;
  }
  out->state = sup_chunks_init(&out->view, block);
  return true;
}

/* Every joint but the first turns a little. */
static void place(Stage *s, const SupSkeleton *skeleton, uint32_t round) {
  const float angle = 0.01f * (float)round;
  for (uint32_t j = 0; j < skeleton->joint_count; j++) {
    s->pose.joints[j] = skeleton->rest[j];
    const SupVec3 axis = {j % 2 ? 1.0f : 0, 0, j % 2 ? 0 : 1.0f};
    if (j) s->pose.joints[j].rotation = sup_quat_from_axis_angle(axis, angle);
  }
  sup_pose_evaluate(skeleton, &s->pose, s->globals, s->palette);
}

/* The fastest of several, on one thread. */
static void time_frames(Stage *s, const SupSkeleton *skeleton, SupSwdcTimes *out) {
  out->frame_seconds = INFINITY;
  for (uint32_t round = 0; round < ROUNDS; round++) {
    const SupChunksCall call = {
        .pose = &s->pose, .palette = s->palette, .positions = s->positions, .frames = s->frames};
    place(s, skeleton, round);
    const double began = sup_app_seconds();
    sup_chunks_shape(&s->view, s->state, s->backend, NULL, &call);
    out->frame_seconds = fmin(out->frame_seconds, sup_app_seconds() - began);
  }
}

SupResult sup_swdc_times(const SupAppContext *app, uint32_t body, SupSwdcTimes *out,
                         SupError *error) {
  SupArena scratch = sup_scratch(app->arena);
  SupCharacter character;
  SupPatchPlan plan;
  SupModel *model = NULL;
  Stage stage;
  *out = paper[body];
  SupResult result = sup_swdc_make(&scratch, &bodies[body], &character, &plan, error);
  if (result == SUP_OK) result = set_up(app, &scratch, &character, &plan, &model, out, error);
  if (result == SUP_OK && !make_stage(&scratch, &character, model, &stage)) {
    result = sup_fail_memory(error, NULL);
  }
  if (result == SUP_OK) time_frames(&stage, &character.skeleton, out);
  sup_arena_free(&scratch);
  return result;
}
