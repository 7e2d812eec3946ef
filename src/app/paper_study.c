/* SPDX-License-Identifier: MIT */
/* Helpers learned from random keys, and judged by keys that were not seen. */
#include "app/paper_keys.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "supple/geom/measure.h"
#include "supple/pose.h"

#define COOKIE 0x4d756b61u

static const SupKeysBody leg_body = {"leg",
                                     552,
                                     1000,
                                     30000,
                                     5,
                                     {{0, 0, -0.6, 0.4},
                                      {0, 1, -0.25, 0.25},
                                      {0, 2, -0.25, 0.25},
                                      {1, 0, 0, 0.9},
                                      {2, 0, -0.3, 0.4}}};

static const SupKeysBody sheet_body = {"sheet",
                                       552,
                                       1000,
                                       15000,
                                       5,
                                       {{1, 0, -0.3, 0.3},
                                        {1, 1, -0.4, 0.4},
                                        {2, 1, -0.5, 0.5},
                                        {3, 0, -0.3, 0.3},
                                        {3, 1, -0.4, 0.4}}};

SupMukaiDef sup_mukai_def(void) { return (SupMukaiDef){.cookie = COOKIE}; }

SupResult sup_mukai_make(const SupAppContext *app, const SupMukaiDef *def, SupMukaiStudy *s,
                         SupError *error) {
  const SupKeysBody *body = def->sheet ? &sheet_body : &leg_body;
  const bool quick = def->quick;
  if (def->cookie != COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "mukai2016: start from sup_mukai_def()");
  }
  const uint32_t taught = quick ? 480 : 4000, judged = quick ? 120 : 600;
  const SupKeysClip clips[SUP_MUKAI_CLIPS] = {{"seen", taught, 16, true, false, 1},
                                              {"random", judged, 16, true, true, 2},
                                              {"slow", judged, 48, false, true, 3},
                                              {"rapid", judged, 10, false, true, 4}};
  *s = (SupMukaiStudy){.app = app, .quick = quick, .body = *body};
  if (quick) s->body.tets = 500;
  SupResult result = sup_keys_truth(app, def->cache, &s->body, clips, SUP_MUKAI_CLIPS,
                                    &s->character, s->truths, error);
  if (result != SUP_OK) return result;
  const uint32_t n = s->character.body.vertex_count;
  s->areas = SUP_ALLOC(app->arena, float, n);
  s->a = SUP_ALLOC(app->arena, SupVec3, (size_t)taught * n);
  s->base = SUP_ALLOC(app->arena, SupVec3, (size_t)taught * n);
  if (!s->areas || !s->a || !s->base) return sup_fail_memory(error, NULL);
  double *areas = SUP_ALLOC(app->arena, double, n);
  if (!areas) return sup_fail_memory(error, NULL);
  sup_vertex_areas(&s->character.body, SUP_AREA_BARYCENTRIC, areas);
  for (uint32_t i = 0; i < n; i++) s->areas[i] = (float)areas[i];
  sup_app_note(
      app, "  %s: %u vertices, %u bones, trained on %u frames simulated with about %u tetrahedra\n",
      body->builtin, n, s->character.skeleton.bone_count, taught, s->body.tets);
  return SUP_OK;
}

SupResult sup_mukai_learn(SupMukaiStudy *s, const SupMukaiWay *way, uint32_t helpers,
                          SupMukaiLearned *out, SupError *error) {
  SupArena *arena = s->app->arena;
  SupHelpersTrainDef def = sup_helpers_train_def(&s->character);
  SupHelpersTrained trained;
  SupModel *model;
  *out = (SupMukaiLearned){.backend = sup_backend_cpu()};
  def.motion_count = 1;
  def.motions = &s->truths[SUP_MUKAI_SEEN].motion;
  def.solver.helper_count = helpers;
  def.solver.jobs = s->app->jobs;
  def.solver.seed = s->app->seed;
  def.system = way->system;
  def.order = way->order;
  def.lags = way->lags;
  def.each = way->each;
  if (way->beta > 0) def.beta = way->beta;
  if (way->published) {
    def.drive = SUP_HELPERS_PUBLISHED;
    def.chains = SUP_HELPERS_NO_CHAINS;
  }
  const clock_t began = clock();
  SupResult result = sup_helpers_train(arena, &def, &trained, &out->report, error);
  out->seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
  if (result == SUP_OK) {
    result = sup_helpers_character(arena, &s->character, &trained, &out->with, error);
  }
  if (result == SUP_OK) {
    result = sup_helpers_pack(arena, &out->with, &trained.def, &model, error);
  }
  if (result != SUP_OK) return result;
  out->model = sup_helpers_view(model);
  sup_model_section(model, SUP_SECTION_HELPERS_MATRICES, 4, &out->bytes);
  out->bytes *= 4;
  const uint32_t joints = out->with.skeleton.joint_count;
  void *block = sup_arena_alloc(arena, sup_helpers_bytes(&out->model), 1);
  out->pose = (SupPose){joints, sup_transform_identity(), SUP_ALLOC(arena, SupTransform, joints)};
  out->globals = SUP_ALLOC(arena, SupAffine, joints);
  out->palette = SUP_ALLOC(arena, SupAffine, out->with.skeleton.bone_count);
  if (!block || !out->pose.joints || !out->globals || !out->palette) {
    return sup_fail_memory(error, NULL);
  }
  out->state = sup_helpers_init(&out->model, block);
  return SUP_OK;
}

/* ---- Playing ----------------------------------------------------------------------------------
 */

static void place(const SupMukaiStudy *s, const SupKeysTruth *truth, uint32_t frame,
                  SupMukaiLearned *l) {
  const SupSkeleton *skeleton = &l->with.skeleton;
  const uint32_t own = s->character.skeleton.joint_count;
  memcpy(l->pose.joints, skeleton->rest, skeleton->joint_count * sizeof *skeleton->rest);
  memcpy(l->pose.joints, truth->motion.poses + (size_t)frame * own, own * sizeof *l->pose.joints);
  sup_pose_globals(skeleton, &l->pose, l->globals);
}

void sup_mukai_play(const SupMukaiStudy *s, const SupKeysTruth *truth, SupMukaiLearned *l,
                    const SupHelpersControls *controls, SupVec3 *out) {
  const SupCharacter *c = &l->with;
  const uint32_t n = c->body.vertex_count;
  sup_helpers_reset(l->state);
  for (uint32_t f = 0; f < truth->motion.frame_count; f++) {
    place(s, truth, f, l);
    sup_helpers_step(&l->model, l->state, l->backend, controls, &l->pose, l->globals,
                     l->pose.joints);
    sup_pose_evaluate(&c->skeleton, &l->pose, l->globals, l->palette);
    sup_keys_skin(c, l->palette, out + (size_t)f * n);
  }
}

double sup_mukai_time(SupMukaiStudy *s, SupMukaiLearned *l, SupHelpersLod lod) {
  enum { RUNS = 15, FRAMES = 120 };
  const SupKeysTruth *truth = &s->truths[SUP_MUKAI_RANDOM];
  SupHelpersControls controls = sup_helpers_controls();
  double least[FRAMES], sum = 0;
  controls.lod = lod;
  for (int run = 0; run < RUNS; run++) {
    sup_helpers_reset(l->state);
    for (uint32_t f = 0; f < FRAMES; f++) {
      place(s, truth, f, l);
      const double began = sup_app_seconds();
      sup_helpers_step(&l->model, l->state, l->backend, &controls, &l->pose, l->globals,
                       l->pose.joints);
      const double now = sup_app_seconds() - began;
      least[f] = run == 0 ? now : fmin(least[f], now);
    }
  }
  for (int f = 0; f < FRAMES; f++) sum += least[f] / FRAMES;
  return 1e6 * sum;
}

SupResult sup_mukai_judge(SupMukaiStudy *s, uint32_t clip, const SupVec3 *a, SupCompareReport *out,
                          SupError *error) {
  const SupKeysTruth *truth = &s->truths[clip];
  const SupCompareDef def = {.frame_count = truth->motion.frame_count,
                             .vertex_count = s->character.body.vertex_count,
                             .fps = SUP_KEYS_FPS,
                             .a = a,
                             .b = truth->motion.positions,
                             .skinning = truth->skinning,
                             .quasistatic = truth->quasistatic,
                             .vertex_weights = s->areas,
                             .jobs = s->app->jobs};
  return sup_compare(s->app->arena, &def, out, NULL, NULL, error);
}

/* How a model does on a clip, at full and by the pose alone. */
SupResult sup_mukai_levels(SupMukaiStudy *s, uint32_t clip, SupMukaiLearned *l,
                           SupCompareReport out[2], SupError *error) {
  SupResult result = SUP_OK;
  for (int full = 0; full < 2 && result == SUP_OK; full++) {
    SupHelpersControls controls = sup_helpers_controls();
    controls.lod = full ? SUP_HELPERS_FULL : SUP_HELPERS_STATIC;
    sup_mukai_play(s, &s->truths[clip], l, &controls, s->a);
    result = sup_mukai_judge(s, clip, s->a, &out[full], error);
  }
  return result;
}
