/* SPDX-License-Identifier: MIT */
/* Random keys on a built-in body, and the ground truth of them. */
#include "app/paper_keys.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "supple/io/cache.h"
#include "supple/math.h"
#include "supple/pose.h"
#include "supple/sim/simulate.h"

/* ---- Keys ------------------------------------------------------------------------------------
 */

typedef struct Mover {
  const SupCharacter *character;
  const SupKeysBody *body;
  const SupKeysClip *clip;
  uint32_t last; /* spline's last key */
  double *keys;  /* [key][dof] */
  SupPose pose;
  SupAffine *globals, *palette;
} Mover;

/* Key k of the splines, mirrored beyond both ends, so that they begin and end at rest. */
static double spline_key(const Mover *m, int64_t k, uint32_t dof) {
  if (k < 0) k = -k;
  if (k > (int64_t)m->last) k = 2 * (int64_t)m->last - k;
  return m->keys[(size_t)k * m->body->dof_count + dof];
}

static double angle_at(const Mover *m, double frame, uint32_t dof) {
  const double s = frame / m->clip->spacing;
  if (s < m->last) { /* Catmull and Rom */
    const int64_t i = (int64_t)s;
    const double u = s - (double)i;
    const double a = spline_key(m, i - 1, dof), b = spline_key(m, i, dof);
    const double c = spline_key(m, i + 1, dof), d = spline_key(m, i + 2, dof);
    return b + 0.5 * u * ((c - a) + u * ((2 * a - 5 * b + 4 * c - d) + u * (3 * (b - c) + d - a)));
  }
  if (!m->clip->frozen) return m->keys[(size_t)m->last * m->body->dof_count + dof];
  const double pairs = (s - m->last) / 2;
  const size_t k = m->last + (size_t)pairs;
  double u = 2 * (pairs - floor(pairs));
  u = u > 1 ? 1 : u * u * u * (10 - 15 * u + 6 * u * u);
  const double from = m->keys[k * m->body->dof_count + dof];
  return from + u * (m->keys[(k + 1) * m->body->dof_count + dof] - from);
}

static void pose_at(Mover *m, double time) {
  sup_pose_rest(&m->character->skeleton, &m->pose);
  for (uint32_t d = 0; d < m->body->dof_count; d++) {
    const SupKeysDof *dof = &m->body->dofs[d];
    const float angle = (float)angle_at(m, time > 0 ? time * SUP_KEYS_FPS : 0, d);
    const SupVec3 turn = {dof->axis == 0 ? angle : 0, dof->axis == 1 ? angle : 0,
                          dof->axis == 2 ? angle : 0};
    SupQuat *rotation = &m->pose.joints[dof->joint].rotation;
    *rotation = sup_quat_mul(*rotation, sup_quat_exp(turn));
  }
  sup_pose_evaluate(&m->character->skeleton, &m->pose, m->globals, m->palette);
}

static void palette_at(void *user, double time, SupAffined *out_palette) {
  Mover *m = user;
  pose_at(m, time);
  for (uint32_t b = 0; b < m->character->skeleton.bone_count; b++) {
    for (int k = 0; k < 12; k++) out_palette[b].m[k] = (double)m->palette[b].m[k];
  }
}

static SupResult mover_make(const SupAppContext *app, const SupCharacter *character,
                            const SupKeysBody *body, const SupKeysClip *clip, Mover *out,
                            SupError *error) {
  const uint32_t joints = character->skeleton.joint_count, spacing = clip->spacing;
  const uint32_t moving = clip->frozen ? clip->frames / 2 : clip->frames;
  const uint32_t last = (moving + spacing - 1) / spacing;
  const size_t count = last + (size_t)(clip->frames - moving) / (2 * spacing) + 3;
  SupRng rng = sup_rng(app->seed, clip->stream);
  *out = (Mover){
      .character = character,
      .body = body,
      .clip = clip,
      .last = last,
      .keys = SUP_ALLOC(app->arena, double, count * body->dof_count),
      .pose = {joints, sup_transform_identity(), SUP_ALLOC(app->arena, SupTransform, joints)},
      .globals = SUP_ALLOC(app->arena, SupAffine, joints),
      .palette = SUP_ALLOC(app->arena, SupAffine, character->skeleton.bone_count)};
  if (!out->keys || !out->pose.joints || !out->globals || !out->palette) {
    return sup_fail_memory(error, NULL);
  }
  for (size_t k = 1; k < count; k++) { /* the first is the rest pose */
    for (uint32_t d = 0; d < body->dof_count; d++) {
      const SupKeysDof *dof = &body->dofs[d];
      out->keys[k * body->dof_count + d] = dof->low + (dof->high - dof->low) * sup_rng_double(&rng);
    }
  }
  return SUP_OK;
}

/* ---- Truth -----------------------------------------------------------------------------------
 */

typedef struct Teacher {
  const SupAppContext *app;
  const char *cache; /* folder, or NULL */
  const SupKeysBody *body;
  const SupCharacter *character;
  SupSim *sims[2]; /* moving, equilibria; made when they are needed */
} Teacher;

static SupResult sim_of(Teacher *t, bool still, SupSim **out, SupError *error) {
  SupSimReport report;
  SupResult result = SUP_OK;
  if (!t->sims[still]) {
    SupSimDef def = sup_sim_def(t->character, t->app->allocator);
    def.material.young = t->body->young;
    def.fill.tet_target = t->body->tets;
    def.jobs = t->app->jobs;
    if (still) def.integrator = SUP_INTEGRATE_STATIC;
    result = sup_sim_create(&def, &t->sims[still], &report, error);
  }
  *out = t->sims[still];
  return result;
}

static SupResult simulate(Teacher *t, Mover *mover, bool still, SupVec3 *out, SupError *error) {
  const uint32_t n = t->character->body.vertex_count, frames = mover->clip->frames;
  SupSim *sim;
  SupResult result = sim_of(t, still, &sim, error);
  if (result == SUP_OK) result = sup_sim_settle(sim, palette_at, NULL, mover, 0, error);
  for (uint32_t i = 0; i < frames && result == SUP_OK; i++) {
    SupSimFrame frame;
    sup_app_progress(t->app, mover->clip->name, i, frames);
    if (i > 0) {
      result = sup_sim_advance(sim, palette_at, mover, (i - 1.0) / SUP_KEYS_FPS, 1.0 / SUP_KEYS_FPS,
                               &frame, error);
    }
    sup_sim_skin(sim, out + (size_t)i * n);
  }
  sup_app_progress(t->app, mover->clip->name, 1, 1);
  return result;
}

/* The name of a motion in the folder that keeps them; NULL without one. */
static const char *cache_path(const Teacher *t, const SupKeysClip *clip, bool still) {
  const char *folder = t->cache;
  char path[1024];
  if (!folder) return NULL;
  const size_t length =
      sup_format(path, sizeof path, "%s/mukai2016-%s-%u-%s-%u-%u-%llu%s.pc2", folder,
                 t->body->builtin, t->body->tets, clip->name, clip->frames, clip->spacing,
                 (unsigned long long)t->app->seed, still ? "-still" : "");
  return SUP_COPY(t->app->arena, char, path, length + 1);
}

/* Looks for a motion of this size; false where there is none. */
static bool recall(const Teacher *t, const char *path, uint32_t frames, SupVec3 *out) {
  SupError ignored;
  SupSamples samples;
  const uint32_t n = t->character->body.vertex_count;
  if (!path || sup_cache_load(t->app->arena, path, 0, &samples, &ignored) != SUP_OK) return false;
  if (samples.frame_count != frames || samples.vertex_count != n) return false;
  memcpy(out, samples.positions, (size_t)frames * n * sizeof *out);
  return true;
}

static SupResult obtain(Teacher *t, Mover *mover, bool still, const SupVec3 **out,
                        SupError *error) {
  const uint32_t n = t->character->body.vertex_count, frames = mover->clip->frames;
  const char *path = cache_path(t, mover->clip, still);
  SupVec3 *positions = SUP_ALLOC(t->app->arena, SupVec3, (size_t)frames * n);
  if (!positions) return sup_fail_memory(error, NULL);
  *out = positions;
  if (recall(t, path, frames, positions)) return SUP_OK;
  const double began = sup_app_seconds();
  SupResult result = simulate(t, mover, still, positions, error);
  sup_app_timing(t->app, "simulate", began);
  if (result != SUP_OK || !path) return result;
  const SupSamples samples = {.vertex_count = n,
                              .frame_count = frames,
                              .fps = SUP_KEYS_FPS,
                              .order = SUP_ORDER_BODY,
                              .positions = positions};
  return sup_cache_save(t->app->allocator, path, &samples, error);
}

void sup_keys_skin(const SupCharacter *character, const SupAffine *palette, SupVec3 *out) {
  const SupSkin *skin = &character->skin;
  for (uint32_t i = 0; i < skin->vertex_count; i++) {
    SupVec3 sum = {0, 0, 0};
    for (uint32_t k = skin->offsets[i]; k < skin->offsets[i + 1]; k++) {
      const SupVec3 at = sup_affine_point(palette[skin->bones[k]], character->body.positions[i]);
      sum = sup_vec3_add_scaled(sum, at, skin->weights[k]);
    }
    out[i] = sum;
  }
}

/* Poses, and the skin that they alone give. */
static SupResult pose_all(const Teacher *t, Mover *mover, SupKeysTruth *out, SupError *error) {
  const SupCharacter *c = t->character;
  const uint32_t joints = c->skeleton.joint_count, n = c->body.vertex_count;
  const uint32_t frames = mover->clip->frames;
  SupTransform *poses = SUP_ALLOC(t->app->arena, SupTransform, (size_t)frames * joints);
  SupVec3 *skinning = SUP_ALLOC(t->app->arena, SupVec3, (size_t)frames * n);
  if (!poses || !skinning) return sup_fail_memory(error, NULL);
  for (uint32_t f = 0; f < frames; f++) {
    pose_at(mover, (double)f / SUP_KEYS_FPS);
    memcpy(poses + (size_t)f * joints, mover->pose.joints, joints * sizeof *poses);
    sup_keys_skin(c, mover->palette, skinning + (size_t)f * n);
  }
  out->skinning = skinning;
  out->motion.poses = poses;
  return SUP_OK;
}

SupResult sup_keys_truth(const SupAppContext *app, const char *cache, const SupKeysBody *body,
                         const SupKeysClip *clips, uint32_t clip_count, SupCharacter *out_character,
                         SupKeysTruth *out_truths, SupError *error) {
  const SupBuiltinDef def = {.name = body->builtin, .vertices = body->vertices, .jobs = app->jobs};
  SupResult result = sup_builtin_character(app->arena, &def, out_character, error);
  Teacher t = {.app = app, .cache = cache, .body = body, .character = out_character};
  for (uint32_t k = 0; k < clip_count && result == SUP_OK; k++) {
    SupKeysTruth *truth = &out_truths[k];
    Mover mover;
    *truth = (SupKeysTruth){.name = clips[k].name,
                            .motion = {.fps = SUP_KEYS_FPS, .frame_count = clips[k].frames}};
    result = mover_make(app, out_character, body, &clips[k], &mover, error);
    if (result == SUP_OK) result = pose_all(&t, &mover, truth, error);
    if (result == SUP_OK) result = obtain(&t, &mover, false, &truth->motion.positions, error);
    if (result == SUP_OK && clips[k].equilibria) {
      result = obtain(&t, &mover, true, &truth->quasistatic, error);
    }
  }
  sup_sim_free(t.sims[0]);
  sup_sim_free(t.sims[1]);
  return result;
}
