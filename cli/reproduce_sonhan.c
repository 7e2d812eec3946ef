/* SPDX-License-Identifier: MIT */
/*
 * Son and Han, "Dynamic Skinning for Popping Dance": how its scheme swings, printed, derived and
 * measured; the speed at its 4,380 vertices; and what the paper does not have, a comparison of the
 * quiver with an elastic body that is clenched alike.
 */
#include <math.h>

#include "bench.h"
#include "reproduce.h"
#include "supple/author/builtin.h"
#include "supple/pose.h"
#include "supple/sim/simulate.h"
#include "supple/train/popping.h"

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

static SupResult scheme(CliContext *cli, SupError *error) {
  static const double alphas[] = {0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9};
  (void)error;
  cli_say(cli, "  %5s %9s %9s %9s | %8s %8s %8s | %9s %6s %7s\n", "alpha", "printed", "derived",
          "measured", "printed", "derived", "measured", "overshoot", "Hz", "damping");
  cli_say(cli, "  %5s %29s | %26s |\n", "", "what a step leaves", "steps to 1 %");
  cli_report_begin_array(cli->report, "rows");
  for (size_t k = 0; k < sizeof alphas / sizeof *alphas; k++) {
    const double alpha = alphas[k], rho = sqrt(1 - alpha);
    const SupPoppingSwing swing = sup_popping_swing_stiff(alpha);
    double gap[2], way[2], overshoot, frequency, damping;
    sup_popping_swing_power(swing, 1, gap, way);
    const double measured = sqrt(gap[0] * way[1] - gap[1] * way[0]); /* root of the determinant */
    const uint32_t steps = measured_steps(swing, &overshoot);
    sup_popping_swing_read(swing, 1.0 / 60, &frequency, &damping);
    cli_say(cli, "  %5.2f %9.3f %9.3f %9.3f | %8.0f %8.0f %8u | %8.1f%% %6.2f %7.3f\n", alpha,
            1 - alpha, rho, measured, ceil(log(0.01) / log(1 - alpha)), ceil(log(0.01) / log(rho)),
            steps, 100 * overshoot, frequency, damping);
    cli_report_begin_object(cli->report, NULL);
    cli_report_number(cli->report, "alpha", alpha);
    cli_report_number(cli->report, "left_printed", 1 - alpha);
    cli_report_number(cli->report, "left", measured);
    cli_report_integer(cli->report, "steps_to_one_percent", steps);
    cli_report_number(cli->report, "overshoot", overshoot);
    cli_report_number(cli->report, "frequency_at_60", frequency);
    cli_report_number(cli->report, "damping", damping);
    cli_report_end(cli->report);
  }
  cli_report_end(cli->report);
  cli_say(cli, "  (printed: a step leaves 1 - alpha; it is the square root of that)\n");
  return SUP_OK;
}

/* ---- Speed ------------------------------------------------------------------------------------
 */

static void take_row(void *user, const BenchRow *row) {
  const CliContext *cli = user;
  const double us = row->nanoseconds.median * (double)row->item_count * 1e-3;
  cli_say(cli, "  %-28s %7.1f us  %5.2f naive skinning passes\n", row->variant, us,
          1 / row->ratio.median);
  cli_report_begin_object(cli->report, NULL);
  cli_report_text(cli->report, "part", row->variant);
  cli_report_number(cli->report, "microseconds", us);
  cli_report_number(cli->report, "naive_passes", 1 / row->ratio.median);
  cli_report_end(cli->report);
}

static SupResult speed(CliContext *cli, SupError *error) {
  Bench bench = {.arena = cli->arena,
                 .jobs = cli->jobs,
                 .thread_count = 1,
                 .seed = cli->seed,
                 .sample_count = 21,
                 .sample_seconds = 2e-3,
                 .brief = true,
                 .row = take_row,
                 .user = cli};
  cli_report_begin_array(cli->report, "rows");
  SupResult result = bench_run_suite(&bench, &bench_popping, error);
  cli_report_end(cli->report);
  cli_say(cli,
          "  (the paper: 60 frames a second with 4,380 vertices, that is 16,700 us, on 3.6 GHz)\n");
  return result;
}

/* ---- A twitch ---------------------------------------------------------------------------------
 */

enum { TWITCH_FPS = 120, TWITCH_FRAMES = 181 };

typedef struct Twitch {
  CliContext *cli;
  SupCharacter character;
  SupAffined *palette;
  SupVec3 *relaxed, *clenched, *now;
  double *shares; /* [TWITCH_FRAMES] */
} Twitch;

static void hold_still(void *user, double time, SupAffined *out_palette) {
  const Twitch *twitch = user;
  (void)time;
  for (uint32_t b = 0; b < twitch->character.skeleton.bone_count; b++) {
    out_palette[b] = twitch->palette[b];
  }
}

static SupResult begin_twitch(CliContext *cli, const char *builtin, uint32_t vertices,
                              Twitch *twitch, SupError *error) {
  const SupBuiltinDef def = {.name = builtin, .vertices = vertices, .jobs = cli->jobs};
  *twitch = (Twitch){.cli = cli};
  SupResult result = sup_builtin_character(cli->arena, &def, &twitch->character, error);
  if (result != SUP_OK) return result;
  const SupSkeleton *skeleton = &twitch->character.skeleton;
  const size_t n = twitch->character.body.vertex_count;
  SupPose pose = {skeleton->joint_count, sup_transform_identity(),
                  SUP_ALLOC(cli->arena, SupTransform, skeleton->joint_count)};
  SupAffine *globals = SUP_ALLOC(cli->arena, SupAffine, skeleton->joint_count);
  SupAffine *palette = SUP_ALLOC(cli->arena, SupAffine, skeleton->bone_count);
  twitch->palette = SUP_ALLOC(cli->arena, SupAffined, skeleton->bone_count);
  twitch->relaxed = SUP_ALLOC(cli->arena, SupVec3, n);
  twitch->clenched = SUP_ALLOC(cli->arena, SupVec3, n);
  twitch->now = SUP_ALLOC(cli->arena, SupVec3, n);
  twitch->shares = SUP_ALLOC(cli->arena, double, TWITCH_FRAMES);
  if (!pose.joints || !globals || !palette || !twitch->palette || !twitch->relaxed ||
      !twitch->clenched || !twitch->now || !twitch->shares) {
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
  SupSimDef def = sup_sim_def(&twitch->character, twitch->cli->allocator);
  SupSimReport report;
  def.material = *material;
  def.fill.tet_target = 1500;
  def.muscles.tension = material->young / 2;
  def.integrator = integrator;
  def.jobs = twitch->cli->jobs;
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
    twitch->shares[i] = sup_popping_share(twitch->character.body.vertex_count, twitch->relaxed,
                                          twitch->clenched, twitch->now);
    cli_progress(twitch->cli, "twitch", i + 1, TWITCH_FRAMES);
  }
  sup_sim_free(sim);
  return result;
}

/* The first peak, and when it is. */
static void find_peak(const Twitch *twitch, double *out_peak, double *out_time) {
  *out_peak = *out_time = 0;
  for (uint32_t i = 0; i < TWITCH_FRAMES; i++) {
    if (twitch->shares[i] <= *out_peak) continue;
    *out_peak = twitch->shares[i];
    *out_time = (double)i / TWITCH_FPS;
  }
}

static void peak_of_fit(double frequency, double damping, double *out_peak, double *out_time) {
  const double root = sqrt(1 - damping * damping), pi = acos(-1.0);
  *out_peak = 1 + exp(-pi * damping / root);
  *out_time = 1 / (2 * frequency * root);
}

static void report_twitch(const Twitch *twitch, const char *body, const char *material,
                          const SupPoppingFit *fit) {
  const CliContext *cli = twitch->cli;
  double peak, time, model_peak, model_time;
  find_peak(twitch, &peak, &time);
  peak_of_fit(fit->frequency, fit->damping, &model_peak, &model_time);
  cli_say(
      cli,
      "  %-6s %-7s %5.2f Hz %6.3f %7.1f%% %6.3f %9.1f%% | %5.2f at %3.0f ms %5.2f at %3.0f ms\n",
      body, material, fit->frequency, fit->damping, 100 * fit->left, fit->alpha,
      100 * fit->alpha_left, peak, 1e3 * time, model_peak, 1e3 * model_time);
  cli_report_begin_object(cli->report, NULL);
  cli_report_text(cli->report, "body", body);
  cli_report_text(cli->report, "material", material);
  cli_report_number(cli->report, "frequency", fit->frequency);
  cli_report_number(cli->report, "damping", fit->damping);
  cli_report_number(cli->report, "left", fit->left);
  cli_report_number(cli->report, "alpha", fit->alpha);
  cli_report_number(cli->report, "alpha_left", fit->alpha_left);
  cli_report_number(cli->report, "peak", peak);
  cli_report_number(cli->report, "peak_seconds", time);
  cli_report_number(cli->report, "model_peak", model_peak);
  cli_report_number(cli->report, "model_peak_seconds", model_time);
  cli_report_end(cli->report);
}

static SupResult one_twitch(CliContext *cli, const char *body, uint32_t vertices,
                            const char *material_name, SupError *error) {
  Twitch twitch;
  SupMaterialDef material;
  SupPoppingFit fit;
  SupResult result = sup_material_preset(material_name, &material, error);
  if (result == SUP_OK) result = begin_twitch(cli, body, vertices, &twitch, error);
  if (result == SUP_OK) result = find_shapes(&twitch, &material, error);
  if (result == SUP_OK) result = swing(&twitch, &material, error);
  if (result != SUP_OK) return result;
  const SupPoppingTwitch seen = {TWITCH_FRAMES, twitch.shares, TWITCH_FPS, 0};
  result = sup_popping_fit(&seen, &fit, error);
  if (result == SUP_OK) report_twitch(&twitch, body, material_name, &fit);
  return result;
}

static SupResult twitches(CliContext *cli, SupError *error) {
  cli_say(cli, "  %-14s %8s %6s %8s %6s %10s | %15s %15s\n", "body", "fitted", "damp.", "left",
          "alpha", "left", "peak, simulated", "fitted");
  cli_report_begin_array(cli->report, "rows");
  SupResult result = one_twitch(cli, "leg", 1000, "fat", error);
  if (result == SUP_OK) result = one_twitch(cli, "leg", 1000, "muscle", error);
  if (result == SUP_OK) result = one_twitch(cli, "tube", 1000, "jelly", error);
  cli_report_end(cli->report);
  cli_say(cli, "  (left: root mean square over 1.5 s, in contractions)\n");
  return result;
}

const CliPaper cli_paper_sonhan = {
    "sonhan",
    "Son and Han: Dynamic Skinning for Popping Dance",
    {{"scheme", "how fast the swing dies: printed, derived, measured", scheme},
     {"speed", "a frame of 4,380 vertices with three pairs of shapes, one thread", speed},
     {"twitch", "the quiver against an elastic body that is clenched alike", twitches},
     {0}},
    false};
