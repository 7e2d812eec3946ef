/* SPDX-License-Identifier: MIT */
/* Son and Han: how the scheme swings, and the quiver against an elastic body. */
#include "supple/app/paper_sonhan.h"

#include <math.h>

#include "supple/author/builtin.h"
#include "supple/pose.h"
#include "supple/sim/simulate.h"

/* ---- The scheme -------------------------------------------------------------------------------
 */

/* Steps until a swing from 1 stays below one per cent of it, by stepping. */
static uint32_t measured_steps(SupPoppingSwing swing, double *out_overshoot) {
  double s = 0, way = 0;
  uint32_t last = 0;
  *out_overshoot = 0;
  for (uint32_t n = 1; n <= 2000; n++) {
    way = swing.keep * way + swing.pull * (1 - s);
    s += way;
    if (fabs(s - 1) > 0.01) last = n;
    *out_overshoot = fmax(*out_overshoot, s - 1);
  }
  return last + 1;
}

SupSonHanScheme sup_sonhan_scheme(double alpha) {
  const SupPoppingSwing swing = sup_popping_swing_stiff(alpha);
  SupSonHanScheme out = {.alpha = alpha, .derived = sqrt(1 - alpha)};
  double gap[2], way[2];
  sup_popping_swing_power(swing, 1, gap, way);
  out.measured = sqrt(gap[0] * way[1] - gap[1] * way[0]); /* root of the determinant */
  out.steps = measured_steps(swing, &out.overshoot);
  sup_popping_swing_read(swing, 1.0 / 60, &out.frequency, &out.damping);
  return out;
}

/* ---- A twitch ---------------------------------------------------------------------------------
 */

enum { TWITCH_FPS = 120, TWITCH_FRAMES = 181 };

typedef struct Twitch {
  const SupAppContext *app;
  SupCharacter character;
  SupAffined *palette;
  SupVec3 *relaxed, *clenched, *now;
  double *fractions; /* [TWITCH_FRAMES] */
} Twitch;

static void hold_still(void *user, double time, SupAffined *out_palette) {
  const Twitch *twitch = user;
  (void)time;
  for (uint32_t b = 0; b < twitch->character.skeleton.bone_count; b++) {
    out_palette[b] = twitch->palette[b];
  }
}

static SupResult begin_twitch(const SupAppContext *app, const char *builtin, uint32_t vertices,
                              Twitch *twitch, SupError *error) {
  const SupBuiltinDef def = {.name = builtin, .vertices = vertices, .jobs = app->jobs};
  *twitch = (Twitch){.app = app};
  SupResult result = sup_builtin_character(app->arena, &def, &twitch->character, error);
  if (result != SUP_OK) return result;
  const SupSkeleton *skeleton = &twitch->character.skeleton;
  const size_t n = twitch->character.body.vertex_count;
  SupPose pose = {skeleton->joint_count, sup_transform_identity(),
                  SUP_ALLOC(app->arena, SupTransform, skeleton->joint_count)};
  SupAffine *globals = SUP_ALLOC(app->arena, SupAffine, skeleton->joint_count);
  SupAffine *palette = SUP_ALLOC(app->arena, SupAffine, skeleton->bone_count);
  twitch->palette = SUP_ALLOC(app->arena, SupAffined, skeleton->bone_count);
  twitch->relaxed = SUP_ALLOC(app->arena, SupVec3, n);
  twitch->clenched = SUP_ALLOC(app->arena, SupVec3, n);
  twitch->now = SUP_ALLOC(app->arena, SupVec3, n);
  twitch->fractions = SUP_ALLOC(app->arena, double, TWITCH_FRAMES);
  if (!pose.joints || !globals || !palette || !twitch->palette || !twitch->relaxed ||
      !twitch->clenched || !twitch->now || !twitch->fractions) {
    return sup_fail_memory(error, NULL);
  }
  sup_pose_rest(skeleton, &pose);
  sup_pose_evaluate(skeleton, &pose, globals, palette);
  for (uint32_t b = 0; b < skeleton->bone_count; b++) {
    for (int i = 0; i < 12; i++) twitch->palette[b].m[i] = (double)palette[b].m[i];
  }
  return SUP_OK;
}

/* A body at rest whose muscles are then told to pull. */
static SupResult make_body(Twitch *twitch, const SupMaterialDef *material, SupIntegrator integrator,
                           SupSim **out_sim, SupError *error) {
  SupSimDef def = sup_sim_def(&twitch->character, twitch->app->allocator);
  SupSimReport report;
  def.material = *material;
  def.fill.tet_target = 1500;
  def.muscles.tension = material->young / 2;
  def.integrator = integrator;
  def.jobs = twitch->app->jobs;
  return sup_sim_create(&def, out_sim, &report, error);
}

/* Where the body comes to rest with its muscles relaxed and pulling. */
static SupResult find_shapes(Twitch *twitch, const SupMaterialDef *material, SupError *error) {
  SupSim *sim = NULL;
  SupSimFrame frame;
  SupResult result = make_body(twitch, material, SUP_INTEGRATE_STATIC, &sim, error);
  if (result != SUP_OK) return result;
  result = sup_sim_settle(sim, hold_still, NULL, twitch, 0, error);
  if (result == SUP_OK) {
    sup_sim_skin(sim, twitch->relaxed);
    sup_sim_contract(sim, 1);
    result = sup_sim_advance(sim, hold_still, twitch, 0, 1, &frame, error);
  }
  if (result == SUP_OK) sup_sim_skin(sim, twitch->clenched);
  sup_sim_free(sim);
  return result;
}

static SupResult swing(Twitch *twitch, const SupMaterialDef *material, SupError *error) {
  SupSim *sim = NULL;
  SupSimFrame frame;
  SupResult result = make_body(twitch, material, SUP_INTEGRATE_BDF2, &sim, error);
  if (result != SUP_OK) return result;
  result = sup_sim_settle(sim, hold_still, NULL, twitch, 0, error);
  sup_sim_contract(sim, 1);
  for (uint32_t i = 0; i < TWITCH_FRAMES && result == SUP_OK; i++) {
    if (i > 0) {
      result = sup_sim_advance(sim, hold_still, twitch, (double)(i - 1) / TWITCH_FPS,
                               1.0 / TWITCH_FPS, &frame, error);
    }
    sup_sim_skin(sim, twitch->now);
    twitch->fractions[i] = sup_popping_fraction(twitch->character.body.vertex_count,
                                                twitch->relaxed, twitch->clenched, twitch->now);
    sup_app_progress(twitch->app, "twitch", i + 1, TWITCH_FRAMES);
  }
  sup_sim_free(sim);
  return result;
}

/* The first peak, and when it is. */
static void find_peak(const Twitch *twitch, double *out_peak, double *out_time) {
  *out_peak = *out_time = 0;
  for (uint32_t i = 0; i < TWITCH_FRAMES; i++) {
    if (twitch->fractions[i] <= *out_peak) continue;
    *out_peak = twitch->fractions[i];
    *out_time = (double)i / TWITCH_FPS;
  }
}

static void peak_of_fit(double frequency, double damping, double *out_peak, double *out_time) {
  const double root = sqrt(1 - damping * damping), pi = acos(-1.0);
  *out_peak = 1 + exp(-pi * damping / root);
  *out_time = 1 / (2 * frequency * root);
}

SupResult sup_sonhan_twitch(const SupAppContext *app, const char *body, uint32_t vertices,
                            const char *material_name, SupSonHanTwitch *out, SupError *error) {
  Twitch twitch;
  SupMaterialDef material;
  SupResult result = sup_material_preset(material_name, &material, error);
  if (result == SUP_OK) result = begin_twitch(app, body, vertices, &twitch, error);
  if (result == SUP_OK) result = find_shapes(&twitch, &material, error);
  if (result == SUP_OK) result = swing(&twitch, &material, error);
  if (result != SUP_OK) return result;
  const SupPoppingTwitch seen = {TWITCH_FRAMES, twitch.fractions, TWITCH_FPS, 0};
  result = sup_popping_fit(&seen, &out->fit, error);
  if (result != SUP_OK) return result;
  find_peak(&twitch, &out->peak, &out->peak_seconds);
  peak_of_fit(out->fit.frequency, out->fit.damping, &out->model_peak, &out->model_peak_seconds);
  return SUP_OK;
}
