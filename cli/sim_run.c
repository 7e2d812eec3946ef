/* SPDX-License-Identifier: MIT */
/* A simulated character in motion: one clip, or a list of postures, into one cache. */
#include "sim_run.h"

#include <math.h>

/* ---- Where the bones are -------------------------------------------------------------------- */

static SupTransformd widen(SupTransform t) {
  return (SupTransformd){sup_vec3_widen(t.translation),
                         {t.rotation.x, t.rotation.y, t.rotation.z, t.rotation.w},
                         sup_vec3_widen(t.scale)};
}

static void take_posture(const SimMotion *motion, double index, SupPosed *out_pose) {
  const uint32_t joints = motion->character->skeleton.joint_count;
  double whole = fmin(fmax(index, 0), (double)motion->posture_count - 1);
  const SupTransform *posture = motion->postures + (size_t)whole * joints;
  for (uint32_t j = 0; j < joints; j++) out_pose->joints[j] = widen(posture[j]);
}

/* The pose at a time, into motion->pose. */
static void motion_pose(SimMotion *motion, double time) {
  sup_pose_rest_f64(&motion->character->skeleton, &motion->pose);
  if (motion->clip) {
    double at = motion->loop ? time : fmax(time, 0);
    sup_clip_sample_f64(motion->clip, at, motion->loop, NULL, &motion->pose, NULL);
    return;
  }
  double whole = floor(time);
  take_posture(motion, whole, &motion->pose);
  if (time <= whole) return;
  motion->other.root = motion->pose.root;
  take_posture(motion, whole + 1, &motion->other);
  sup_pose_blend_f64(&motion->pose, &motion->other, time - whole, NULL, &motion->pose);
}

static void take_palette(SimMotion *motion, SupAffined *out_palette) {
  const SupSkeleton *skeleton = &motion->character->skeleton;
  sup_pose_evaluate_f64(skeleton, &motion->pose, motion->globals, out_palette);
}

static void motion_palette(void *user, double time, SupAffined *out_palette) {
  motion_pose(user, time);
  take_palette(user, out_palette);
}

/* From the rest pose at 0 to where the motion starts at 1. */
static void way_palette(void *user, double share, SupAffined *out_palette) {
  SimMotion *motion = user;
  motion_pose(motion, motion->start);
  sup_pose_rest_f64(&motion->character->skeleton, &motion->other);
  sup_pose_blend_f64(&motion->other, &motion->pose, share, NULL, &motion->pose);
  take_palette(motion, out_palette);
}

SupResult sim_run_prepare(SimRun *run, SupError *error) {
  CliContext *cli = run->cli;
  uint32_t joints = run->character->skeleton.joint_count;
  run->motion.character = run->character;
  run->motion.pose.joint_count = joints;
  run->motion.pose.joints = SUP_ALLOC(cli->arena, SupTransformd, joints);
  run->motion.other.joint_count = joints;
  run->motion.other.joints = SUP_ALLOC(cli->arena, SupTransformd, joints);
  run->motion.globals = SUP_ALLOC(cli->arena, SupAffined, joints);
  run->body = SUP_ALLOC(cli->arena, SupVec3, run->character->body.vertex_count);
  run->render = SUP_ALLOC(cli->arena, SupVec3, run->character->render.vertex_count);
  if (!run->motion.pose.joints || !run->motion.other.joints || !run->motion.globals || !run->body ||
      !run->render) {
    return sup_fail_memory(error, NULL);
  }
  return SUP_OK;
}

uint32_t sim_run_frames(const SimRun *run, const SupClip *clip) {
  uint32_t all = cli_frame_count(clip, (float)run->fps);
  double wanted = floor(run->until * run->fps + 1e-4) + 1;
  return wanted < (double)all ? (uint32_t)wanted : all;
}

/* ---- Muscles -------------------------------------------------------------------------------- */

/* Smoothly from 0 at 0 to 1 at 1. */
static double ease(double t) {
  t = fmin(fmax(t, 0), 1);
  return t * t * (3 - 2 * t);
}

static double pull_at(const SimRun *run, double time) {
  double most = 0;
  for (uint32_t k = 0; k < run->pull_count; k++) {
    const SimPull *pull = &run->pulls[k];
    double rise = fmax(pull->rise, 1e-9);
    double amount = fmin(ease((time - pull->from) / rise), 1 - ease((time - pull->until) / rise));
    most = fmax(most, amount);
  }
  return most;
}

/* ---- Stepping ------------------------------------------------------------------------------- */

static SupResult advance(SimRun *run, double time, double duration, SupSimFrame *out,
                         SupError *error) {
  if (run->motion.clip) sup_sim_contract(run->sim, pull_at(run, time + duration));
  SupResult result =
      sup_sim_advance(run->sim, motion_palette, &run->motion, time, duration, out, error);
  if (result != SUP_OK) return result;
  SupSimFrame *total = &run->total;
  total->steps += out->steps;
  total->iterations += out->iterations;
  total->backtracks += out->backtracks;
  total->refused += out->refused;
  total->inverted = out->inverted;
  total->factor_seconds += out->factor_seconds;
  total->solve_seconds += out->solve_seconds;
  run->inverted_frames += out->inverted > 0;
  if (out->worst_volume < total->worst_volume) total->worst_volume = out->worst_volume;
  return SUP_OK;
}

/* Places of a loop at which it must repeat: being somewhere again does not mean moving again. */
#define LOOP_MARKS 8

/* Goes round a loop until it repeats within a thousandth of the height. Leaves the body at the
 * start of the round to be written. */
static SupResult settle_loop(SimRun *run, double duration, uint32_t *out_rounds, SupError *error) {
  const size_t count = run->character->body.vertex_count;
  const uint32_t most = 30, steps = (uint32_t)fmax(LOOP_MARKS, rint(duration * run->fps));
  SupVec3 *marks = SUP_ALLOC(run->cli->arena, SupVec3, LOOP_MARKS * count);
  if (!marks) return sup_fail_memory(error, NULL);
  for (uint32_t round = 0; round < most; round++) {
    double gap = round ? 0 : INFINITY;
    for (uint32_t i = 0, mark = 0; i < steps; i++) {
      SupSimFrame frame;
      SupResult result =
          advance(run, round * duration + duration * i / steps, duration / steps, &frame, error);
      if (result != SUP_OK) return result;
      cli_progress(run->cli, "finding the loop", (double)round * steps + i + 1,
                   (double)most * steps);
      if ((i + 1) * LOOP_MARKS < (mark + 1) * steps) continue;
      SupVec3 *before = marks + count * mark++;
      sup_sim_skin(run->sim, run->body);
      for (size_t v = 0; v < count; v++) {
        gap = fmax(gap, (double)sup_vec3_distance(before[v], run->body[v]));
        before[v] = run->body[v];
      }
    }
    *out_rounds = round + 1;
    if (gap <= 1e-3 * run->height) return SUP_OK;
  }
  cli_say(run->cli, "note: after %u rounds the loop still does not repeat exactly\n", most);
  return SUP_OK;
}

/* Brings the body to its first frame: settled, then through the preroll, then round the loop.
 * *out_start is the time it has there. */
static SupResult begin(SimRun *run, double *out_start, uint32_t *out_rounds, SupError *error) {
  const SupClip *clip = run->motion.clip;
  double preroll = clip ? run->preroll : 0;
  *out_start = *out_rounds = 0;
  sup_sim_contract(run->sim, clip ? pull_at(run, -preroll) : 0);
  run->motion.start = -preroll;
  SupResult result =
      sup_sim_settle(run->sim, motion_palette, way_palette, &run->motion, -preroll, error);
  uint32_t steps = (uint32_t)ceil(preroll * run->fps);
  for (uint32_t i = 0; i < steps && result == SUP_OK; i++) {
    SupSimFrame frame;
    result = advance(run, -preroll + preroll * i / steps, preroll / steps, &frame, error);
  }
  if (result == SUP_OK && run->motion.loop && clip) {
    result = settle_loop(run, (double)clip->duration, out_rounds, error);
    *out_start = *out_rounds * (double)clip->duration;
  }
  return result;
}

static void write_frame(SimRun *run, SupCacheWriter *writer) {
  const SupCharacter *character = run->character;
  sup_sim_skin(run->sim, run->body);
  if (run->order == SUP_ORDER_RENDER) {
    sup_positions_gather(run->body, character->render.to_body, character->render.vertex_count,
                         run->render);
  }
  sup_cache_write_frame(writer, run->order == SUP_ORDER_RENDER ? run->render : run->body);
}

/* The frames of one clip (or all postures), into an open cache. */
static SupResult write_frames(SimRun *run, const char *name, uint32_t frames,
                              SupCacheWriter *writer, SupError *error) {
  double step = run->motion.clip ? 1 / run->fps : 1, start;
  uint32_t rounds;
  SupResult result = begin(run, &start, &rounds, error);
  CliReport *report = run->cli->report;
  cli_report_integer(report, "loop_rounds", rounds);
  cli_report_begin_array(report, "frames");
  for (uint32_t i = 0; i < frames && result == SUP_OK; i++) {
    if (i > 0) {
      SupSimFrame frame;
      if (run->clench) sup_sim_contract(run->sim, i % 2);
      result = advance(run, start + step * (i - 1), step, &frame, error);
      if (result != SUP_OK) break;
      const double row[6] = {frame.elastic,    frame.kinetic,      frame.potential,
                             frame.iterations, frame.worst_volume, frame.inverted};
      cli_report_numbers(report, NULL, row, 6);
    }
    write_frame(run, writer);
    cli_progress(run->cli, name, i + 1, frames);
  }
  cli_report_end(report);
  if (result != SUP_OK) sup_error_prefix(error, "%s", name);
  return result;
}

/* ---- One file ------------------------------------------------------------------------------- */

static void report_totals(const SimRun *run, double seconds) {
  CliReport *report = run->cli->report;
  cli_report_number(report, "seconds", seconds);
  cli_report_number(report, "factor_seconds", run->total.factor_seconds);
  cli_report_number(report, "solve_seconds", run->total.solve_seconds);
  cli_report_integer(report, "steps", run->total.steps);
  cli_report_integer(report, "iterations", run->total.iterations);
  cli_report_integer(report, "refused_steps", run->total.refused);
  cli_report_number(report, "worst_volume", run->total.worst_volume);
  cli_report_integer(report, "inverted_frames", run->inverted_frames);
  cli_report_integer(report, "inverted_at_end", run->total.inverted);
}

SupResult sim_run_write(SimRun *run, const char *name, uint32_t frames, const char *path,
                        SupError *error) {
  const SupCharacter *character = run->character;
  CliContext *cli = run->cli;
  SupCacheDef def = {.allocator = cli->allocator,
                     .path = path,
                     .vertex_count = run->order == SUP_ORDER_RENDER ? character->render.vertex_count
                                                                    : character->body.vertex_count,
                     .frame_count = frames,
                     .fps = (float)run->fps,
                     .order = run->order};
  SupCacheWriter *writer;
  SupResult result = cli_cache_format(path, &def.format, error);
  if (result == SUP_OK) result = sup_cache_begin(&def, &writer, error);
  if (result != SUP_OK) return result;
  double began = cli_seconds();
  run->total = (SupSimFrame){.worst_volume = 1};
  run->inverted_frames = 0;
  cli_report_begin_object(cli->report, NULL);
  cli_report_text(cli->report, "clip", name);
  cli_report_text(cli->report, "output", path);
  result = write_frames(run, name, frames, writer, error);
  double seconds = cli_seconds() - began;
  report_totals(run, seconds);
  cli_report_end(cli->report);
  if (result != SUP_OK) {
    sup_cache_abandon(writer);
    return result;
  }
  result = sup_cache_commit(writer, error);
  if (result != SUP_OK) return result;
  cli_say(cli, "%s: %u frames in %.1f s, %.1f Newton steps a frame, worst element %.2f -> %s\n",
          cli_shown(cli, name), frames, seconds, (double)run->total.iterations / frames,
          run->total.worst_volume, path);
  return SUP_OK;
}
