/* SPDX-License-Identifier: MIT */
/*
 * X. Shi, K. Zhou, Y. Tong, M. Desbrun, H. Bao, B. Guo 2008: table 1 at the same sizes, the bar
 * with three motions, a jump that teaches a run and jump, and what spokes and detail are worth.
 *
 * The paper gives no error figures. Here: root mean square of (model - truth) over that of
 * (skinning - truth), 1 is no better than skinning; what was not trained on is never looked at.
 */
#include "supple/app/paper_shi2008.h"

#include <string.h>

#include "supple/author/builtin.h"
#include "supple/author/segments.h"
#include "supple/clip.h"
#include "supple/pose.h"
#include "supple/sim/simulate.h"
#include "supple/stack.h"

/* ---- Table 1 ----------------------------------------------------------------------------------
 */

const SupShiRow sup_shi_rows[SUP_SHI_ROWS] = {{"toy", "toy", 494, 3, 0.50},
                                              {"tube", "tube", 4430, 2, 0.57},
                                              {"armadillo", "mochi", 6969, 24, 0.67},
                                              {"armadillo", "mochi", 25001, 19, 1.64}};

static SupResult make(const SupAppContext *app, const char *name, uint32_t vertices,
                      SupCharacter *out, SupError *error) {
  const SupBuiltinDef def = {.name = name, .vertices = vertices, .jobs = app->jobs};
  return sup_builtin_character(app->arena, &def, out, error);
}

static SupResult make_stack(const SupAppContext *app, const SupCharacter *character, SupStack *out,
                            SupStackState **out_state, SupError *error) {
  SupSurfaceDef def = sup_surface_def();
  SupModel *model;
  const SupSegment *segments;
  SupResult result =
      sup_segments_create(app->arena, character, &segments, &def.segment_count, error);
  if (result != SUP_OK) return result;
  SupSurfaceSegment *copies = SUP_ALLOC(app->arena, SupSurfaceSegment, def.segment_count);
  const SupModel **models = SUP_ALLOC(app->arena, const SupModel *, 1);
  if (!copies || !models) return sup_fail_memory(error, NULL);
  for (uint32_t s = 0; s < def.segment_count; s++) {
    copies[s] = (SupSurfaceSegment){segments[s].bone, segments[s].a, segments[s].b};
  }
  def.segments = copies;
  def.values[SUP_SURFACE_GAMMA] = 0.1f; /* all terms at work */
  result = sup_surface_pack(app->arena, character, &def, &model, error);
  if (result != SUP_OK) return result;
  models[0] = model;
  SupStackDef stack = sup_stack_def();
  stack.skeleton = &character->skeleton;
  stack.model_count = 1;
  stack.models = models;
  result = sup_stack_make(&stack, out, error);
  if (result != SUP_OK) return result;
  void *block = sup_arena_alloc(app->arena, 1, sup_stack_bytes(out));
  if (!block) return sup_fail_memory(error, NULL);
  *out_state = sup_stack_init(out, block);
  return SUP_OK;
}

/* Milliseconds of the fastest tenth of the frames: skinning, step, positions and normals. */
static SupResult time_frames(const SupAppContext *app, const SupCharacter *character,
                             const SupStack *stack, SupStackState *state, const SupJobs *jobs,
                             double *out_ms, SupError *error) {
  enum { FRAMES = 120 };
  const SupSkeleton *skeleton = &character->skeleton;
  SupPose pose = {skeleton->joint_count, sup_transform_identity(),
                  SUP_ALLOC(app->arena, SupTransform, skeleton->joint_count)};
  SupVec3 *positions = SUP_ALLOC(app->arena, SupVec3, stack->vertex_count);
  SupVec3 *normals = SUP_ALLOC(app->arena, SupVec3, stack->vertex_count);
  double times[FRAMES];
  if (!pose.joints || !positions || !normals) return sup_fail_memory(error, NULL);
  for (int i = 0; i < FRAMES; i++) {
    sup_pose_rest(skeleton, &pose);
    sup_clip_sample(&character->clips[0], (float)i / 60, true, NULL, &pose, NULL);
    const SupStackFrame frame = {.dt = 1.0f / 60,
                                 .pose = &pose,
                                 .positions = {&positions[0].x, 3},
                                 .normals = {&normals[0].x, 3}};
    const double began = sup_app_seconds();
    sup_stack_step(stack, state, sup_backend_cpu(), jobs, &frame);
    double ms = 1e3 * (sup_app_seconds() - began);
    int k = i; /* kept sorted */
    for (; k > 0 && times[k - 1] > ms; k--) times[k] = times[k - 1];
    times[k] = ms;
  }
  *out_ms = times[FRAMES / 10];
  return SUP_OK;
}

SupResult sup_shi_time(const SupAppContext *app, const SupShiRow *row, SupShiTimes *out,
                       SupError *error) {
  SupCharacter character;
  SupStack stack;
  SupStackState *state = NULL;
  SupResult result = make(app, row->builtin, row->vertices, &character, error);
  if (result == SUP_OK) result = make_stack(app, &character, &stack, &state, error);
  if (result == SUP_OK) {
    result = time_frames(app, &character, &stack, state, NULL, &out->one, error);
  }
  if (result == SUP_OK) {
    result = time_frames(app, &character, &stack, state, app->jobs, &out->all, error);
  }
  if (result != SUP_OK) return result;
  out->vertex_count = character.body.vertex_count;
  out->bone_count = character.skeleton.bone_count;
  return SUP_OK;
}

/* ---- Ground truth -----------------------------------------------------------------------------
 */

/* A motion of up to two clips: the second takes over at `change` seconds. */
typedef struct Motion {
  const char *name;
  const char *clips[2];
  double change, seconds;
} Motion;

typedef struct Mover {
  const SupCharacter *character;
  const SupClip *clips[2];
  double change;
  SupPose poses[2];
  SupAffine *globals, *palette;
} Mover;

static const SupClip *clip_of(const SupCharacter *character, const char *name) {
  for (uint32_t k = 0; name && k < character->clip_count; k++) {
    if (strcmp(character->clips[k].name, name) == 0) return &character->clips[k];
  }
  return NULL;
}

static void pose_at(Mover *m, double time) {
  const SupSkeleton *skeleton = &m->character->skeleton;
  sup_pose_rest(skeleton, &m->poses[0]);
  sup_clip_sample(m->clips[0], (float)(time > 0 ? time : 0), true, NULL, &m->poses[0], NULL);
  if (m->clips[1]) {
    double w = (time - m->change) / 0.3;
    w = w < 0 ? 0 : w > 1 ? 1 : w * w * (3 - 2 * w);
    const double own = time - m->change;
    sup_pose_rest(skeleton, &m->poses[1]);
    sup_clip_sample(m->clips[1], (float)(own > 0 ? own : 0), false, NULL, &m->poses[1], NULL);
    sup_pose_blend(&m->poses[0], &m->poses[1], (float)w, NULL, &m->poses[0]);
  }
  sup_pose_evaluate(skeleton, &m->poses[0], m->globals, m->palette);
}

static void palette_at(void *user, double time, SupAffined *out_palette) {
  Mover *m = user;
  pose_at(m, time);
  for (uint32_t b = 0; b < m->character->skeleton.bone_count; b++) {
    for (int k = 0; k < 12; k++) out_palette[b].m[k] = (double)m->palette[b].m[k];
  }
}

static SupResult mover_make(const SupAppContext *app, const SupCharacter *character,
                            const Motion *motion, Mover *out, SupError *error) {
  const uint32_t joints = character->skeleton.joint_count;
  *out = (Mover){.character = character, .change = motion->change};
  for (int k = 0; k < 2; k++) {
    out->clips[k] = clip_of(character, motion->clips[k]);
    out->poses[k] =
        (SupPose){joints, sup_transform_identity(), SUP_ALLOC(app->arena, SupTransform, joints)};
    if (!out->poses[k].joints) return sup_fail_memory(error, NULL);
  }
  out->globals = SUP_ALLOC(app->arena, SupAffine, joints);
  out->palette = SUP_ALLOC(app->arena, SupAffine, character->skeleton.bone_count);
  if (!out->globals || !out->palette) return sup_fail_memory(error, NULL);
  if (!out->clips[0]) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "%s has no clip '%s'", character->name,
                    motion->clips[0]);
  }
  return SUP_OK;
}

/* Simulates one motion at 60 frames a second. */
static SupResult teach(const SupAppContext *app, SupSim *sim, const SupCharacter *character,
                       const Motion *motion, SupSurfaceExample *out, SupError *error) {
  Mover mover;
  SupResult result = mover_make(app, character, motion, &mover, error);
  if (result != SUP_OK) return result;
  const uint32_t bones = character->skeleton.bone_count, n = character->body.vertex_count;
  const double seconds = motion->seconds > 0 ? motion->seconds : (double)mover.clips[0]->duration;
  const uint32_t frames = (uint32_t)(60 * seconds + 1.001);
  SupAffine *palettes = SUP_ALLOC(app->arena, SupAffine, (size_t)frames * bones);
  SupVec3 *positions = SUP_ALLOC(app->arena, SupVec3, (size_t)frames * n);
  if (!palettes || !positions) return sup_fail_memory(error, NULL);
  sup_sim_place(sim, palette_at, &mover, 0);
  for (uint32_t i = 0; i < frames && result == SUP_OK; i++) {
    SupSimFrame frame;
    sup_app_progress(app, motion->name, i, frames);
    if (i > 0) {
      result = sup_sim_advance(sim, palette_at, &mover, (i - 1) / 60.0, 1 / 60.0, &frame, error);
    }
    sup_sim_skin(sim, positions + (size_t)i * n);
    pose_at(&mover, i / 60.0);
    memcpy(palettes + (size_t)i * bones, mover.palette, bones * sizeof *palettes);
  }
  *out = (SupSurfaceExample){
      .name = motion->name, .frame_count = frames, .palettes = palettes, .positions = positions};
  return result;
}

/* ---- Learning ---------------------------------------------------------------------------------
 */

const SupShiWay sup_shi_ways[SUP_SHI_WAYS] = {{"default", 0, false},
                                              {"without spokes", 1u << SUP_SURFACE_GAMMA, false},
                                              {"without detail", 1u << SUP_SURFACE_BETA, false},
                                              {"literal", 0, true}};

typedef struct Experiment {
  const char *builtin;
  uint32_t vertices, tets;
  double young; /* Pa */
  uint32_t count;
  Motion motions[SUP_SHI_MOTIONS];
} Experiment;

static const Experiment bar = {"tube",
                               494,
                               700,
                               20000,
                               3,
                               {{"translation", {"translation", NULL}, 0, 2},
                                {"axial", {"axial", NULL}, 0, 2},
                                {"lateral", {"lateral", NULL}, 0, 2}}};

static const Experiment jump = {
    "mochi", 1000, 900,
    90000,   2,    {{"jump", {"jump", NULL}, 0, 2}, {"run and jump", {"run", "jump"}, 1, 2.6}}};

SupResult sup_shi_study(const SupAppContext *app, bool is_jump, SupShiStudy *out, SupError *error) {
  const Experiment *e = is_jump ? &jump : &bar;
  SupSim *sim;
  SupSimReport report;
  *out = (SupShiStudy){.app = app, .builtin = e->builtin, .count = e->count};
  SupResult result = make(app, e->builtin, e->vertices, &out->character, error);
  if (result != SUP_OK) return result;
  SupSimDef def = sup_sim_def(&out->character, app->allocator);
  def.material.young = e->young;
  def.fill.tet_target = e->tets;
  def.jobs = app->jobs;
  result = sup_sim_create(&def, &sim, &report, error);
  if (result != SUP_OK) return result;
  for (uint32_t k = 0; k < e->count && result == SUP_OK; k++) {
    result = teach(app, sim, &out->character, &e->motions[k], &out->examples[k], error);
  }
  sup_app_progress(app, "", 1, 1);
  sup_sim_free(sim);
  out->tet_count = report.tet_count;
  return result;
}

SupResult sup_shi_try(SupShiStudy *s, const SupShiWay *way, uint32_t trained,
                      double out_errors[SUP_SHI_MOTIONS], double *out_growth, SupError *error) {
  SupSurfaceTrainDef def = sup_surface_train_def(&s->character);
  SupSurfaceTrainReport report;
  SupSurfaceExample chosen[SUP_SHI_MOTIONS];
  SupSurfaceMaps maps;
  SupModel *model;
  for (uint32_t k = 0; k < s->count; k++) {
    if (trained >> k & 1) chosen[def.example_count++] = s->examples[k];
  }
  def.examples = chosen;
  def.rows &= ~way->without;
  def.literal = way->literal;
  def.jobs = s->app->jobs;
  def.passes = 5; /* enough here, and quick */
  def.descents = 20;
  def.iterations = 60;
  SupResult result = sup_surface_train(s->app->arena, &def, &maps, &model, &report, error);
  if (result != SUP_OK) return result;
  def.example_count = s->count;
  def.examples = s->examples;
  sup_surface_error(s->app->arena, &def, model, out_errors);
  *out_growth = report.build.probe.growth;
  return SUP_OK;
}
