/* SPDX-License-Identifier: MIT */
/*
 * The ground truth of the study: equilibria of an elastic body whose upper arms pull along their
 * bones, as strongly as their elbows are flexed. So the shape is a function of the pose.
 */
#include "app/paper_guo_parts.h"
#include "supple/pose.h"
#include "supple/sim/simulate.h"

#define TENSION 0.6 /* of Young's modulus, at full flexion */
#define TETS 5000u
#define QUICK_TETS 700u

typedef struct Settler {
  const SupGuoStudy *study;
  const SupGuoFigure *figure;
  const GuoArms *arms;
  float *fractions; /* [bone_count] */
  SupPose pose, now;
  SupTransform *rest;
  SupAffine *globals, *palette;
} Settler;

static void fill_palette(Settler *s, SupAffined *out) {
  const SupSkeleton *skeleton = &s->figure->file.character->skeleton;
  sup_pose_evaluate(skeleton, &s->now, s->globals, s->palette);
  for (uint32_t b = 0; b < skeleton->bone_count; b++) out[b] = sup_affine_to_double(s->palette[b]);
}

static void pose_at(void *user, double time, SupAffined *out_palette) {
  Settler *s = user;
  (void)time;
  sup_copy(s->now.joints, s->pose.joints, s->now.joint_count * sizeof *s->now.joints);
  fill_palette(s, out_palette);
}

/* From rest to the pose. */
static void way_there(void *user, double part, SupAffined *out_palette) {
  Settler *s = user;
  const SupPose rest = {s->pose.joint_count, s->pose.root, s->rest};
  sup_pose_blend(&rest, &s->pose, (float)part, NULL, &s->now);
  fill_palette(s, out_palette);
}

static void set_pull(Settler *s, const SupTransform *joints) {
  const SupSkeleton *skeleton = &s->figure->file.character->skeleton;
  for (uint32_t b = 0; b < skeleton->bone_count; b++) {
    s->fractions[b] = 0;
    for (uint32_t side = 0; side < 2; side++) {
      /* From the upper arm to just above the elbow: joints for its twist as well. */
      for (int32_t j = (int32_t)skeleton->bone_joints[b]; j >= 0; j = skeleton->parents[j]) {
        if ((uint32_t)j == s->arms->lower[side]) break;
        if ((uint32_t)j != s->arms->upper[side]) continue;
        s->fractions[b] = (float)sup_guo_pull(s->figure, s->arms, side, joints);
      }
    }
  }
}

static SupResult settle_one(Settler *s, const SupTransform *joints, SupVec3 *out,
                            uint32_t *out_tets, SupError *error) {
  const SupCharacter *c = s->figure->file.character;
  SupSimDef def = sup_sim_def(c, s->study->app->allocator);
  SupSimReport report;
  SupSim *sim;
  set_pull(s, joints);
  s->pose.joints = (SupTransform *)(uintptr_t)joints;
  def.fill.tet_target = s->study->def.quick ? QUICK_TETS : TETS;
  def.muscles.tension = TENSION * def.material.young;
  def.muscles.bone_fraction = s->fractions;
  def.integrator = SUP_INTEGRATE_STATIC;
  def.allow_inverted = true; /* under an arm that is folded far; the report of errors shows it */
  def.jobs = s->study->app->jobs;
  SupResult result = sup_sim_create(&def, &sim, &report, error);
  if (result != SUP_OK) return result;
  sup_sim_contract(sim, 1);
  result = sup_sim_settle(sim, pose_at, way_there, s, 0, error);
  if (result == SUP_OK) sup_sim_skin(sim, out);
  sup_sim_free(sim);
  *out_tets = report.tet_count;
  return result;
}

static SupResult settle_set(Settler *s, SupGuoPoses *poses, uint32_t *io_done, uint32_t all,
                            uint32_t *out_tets, SupError *error) {
  const SupAppContext *app = s->study->app;
  const SupCharacter *c = s->figure->file.character;
  const uint32_t n = c->body.vertex_count, joints = c->skeleton.joint_count;
  SupVec3 *truth = SUP_ALLOC(app->arena, SupVec3, (size_t)poses->count * n);
  SupResult result = truth ? SUP_OK : sup_fail_memory(error, NULL);
  for (uint32_t k = 0; result == SUP_OK && k < poses->count; k++) {
    sup_app_progress(app, s->figure->name, (*io_done)++, all);
    result =
        settle_one(s, poses->joints + (size_t)k * joints, truth + (size_t)k * n, out_tets, error);
    if (result != SUP_OK) sup_error_prefix(error, "%s, %s", s->figure->name, poses->names[k]);
  }
  poses->truth = truth;
  return result;
}

SupResult sup_guo_settle(const SupGuoStudy *study, const GuoArms *arms, SupGuoFigure *figure,
                         SupError *error) {
  const SupAppContext *app = study->app;
  const SupSkeleton *skeleton = &figure->file.character->skeleton;
  const uint32_t joints = skeleton->joint_count;
  Settler s = {
      .study = study,
      .figure = figure,
      .arms = arms,
      .fractions = SUP_ALLOC(app->arena, float, skeleton->bone_count),
      .pose = {joints, sup_transform_identity(), NULL},
      .now = {joints, sup_transform_identity(), SUP_ALLOC(app->arena, SupTransform, joints)},
      .rest = (SupTransform *)(uintptr_t)skeleton->rest,
      .globals = SUP_ALLOC(app->arena, SupAffine, joints),
      .palette = SUP_ALLOC(app->arena, SupAffine, skeleton->bone_count)};
  const bool primary = figure == &study->primary;
  const uint32_t sets = primary && study->def.carry_only ? SUP_GUO_EXAMPLES + 1 : SUP_GUO_SETS;
  uint32_t all = 0, done = 0;
  if (!s.fractions || !s.now.joints || !s.globals || !s.palette) {
    return sup_fail_memory(error, NULL);
  }
  const double began = sup_app_seconds();
  SupResult result = SUP_OK;
  for (uint32_t set = 0; set < sets; set++) all += figure->sets[set].count;
  for (uint32_t set = 0; set < sets && result == SUP_OK; set++) {
    result = settle_set(&s, &figure->sets[set], &done, all, &figure->tet_count, error);
  }
  sup_app_progress(app, figure->name, 1, 1);
  sup_app_timing(app, "equilibria", began);
  figure->seconds = (sup_app_seconds() - began) / (all ? all : 1);
  return result;
}
