/* SPDX-License-Identifier: MIT */
/* A simulated character in motion: one clip, or a list of poses, into one cache. */
#include "app/simulate_run.h"

#include <math.h>
#include <string.h>

/* ---- Where the bones are -------------------------------------------------------------------- */

static SupTransformd to_double(SupTransform t) {
  return (SupTransformd){sup_vec3_to_double(t.translation),
                         {t.rotation.x, t.rotation.y, t.rotation.z, t.rotation.w},
                         sup_vec3_to_double(t.scale)};
}

static void take_pose(const SupSimMotion *motion, double index, SupPosed *out_pose) {
  const uint32_t joints = motion->character->skeleton.joint_count;
  double whole = fmin(fmax(index, 0), (double)motion->pose_count - 1);
  const SupTransform *pose = motion->poses + (size_t)whole * joints;
  for (uint32_t j = 0; j < joints; j++) out_pose->joints[j] = to_double(pose[j]);
}

/* The pose at a time, into motion->pose. */
static void motion_pose(SupSimMotion *motion, double time) {
  sup_pose_rest_f64(&motion->character->skeleton, &motion->pose);
  if (motion->clip) {
    double at = motion->loop ? time : fmax(time, 0);
    sup_clip_sample_f64(motion->clip, at, motion->loop, NULL, &motion->pose, NULL);
    return;
  }
  double whole = floor(time);
  take_pose(motion, whole, &motion->pose);
  if (time <= whole) return;
  motion->other.root = motion->pose.root;
  take_pose(motion, whole + 1, &motion->other);
  sup_pose_blend_f64(&motion->pose, &motion->other, time - whole, NULL, &motion->pose);
}

static void take_palette(SupSimMotion *motion, SupAffined *out_palette) {
  const SupSkeleton *skeleton = &motion->character->skeleton;
  sup_pose_evaluate_f64(skeleton, &motion->pose, motion->globals, out_palette);
}

static void motion_palette(void *user, double time, SupAffined *out_palette) {
  motion_pose(user, time);
  take_palette(user, out_palette);
}

/* From the rest pose at 0 to where the motion starts at 1. */
static void way_palette(void *user, double fraction, SupAffined *out_palette) {
  SupSimMotion *motion = user;
  motion_pose(motion, motion->start);
  sup_pose_rest_f64(&motion->character->skeleton, &motion->other);
  sup_pose_blend_f64(&motion->other, &motion->pose, fraction, NULL, &motion->pose);
  take_palette(motion, out_palette);
}

SupResult sup_sim_run_prepare(SupSimRun *run, SupError *error) {
  const SupAppContext *app = run->app;
  uint32_t joints = run->character->skeleton.joint_count;
  run->motion.character = run->character;
  run->motion.pose.joint_count = joints;
  run->motion.pose.joints = SUP_ALLOC(app->arena, SupTransformd, joints);
  run->motion.other.joint_count = joints;
  run->motion.other.joints = SUP_ALLOC(app->arena, SupTransformd, joints);
  run->motion.globals = SUP_ALLOC(app->arena, SupAffined, joints);
  run->body = SUP_ALLOC(app->arena, SupVec3, run->character->body.vertex_count);
  run->render = SUP_ALLOC(app->arena, SupVec3, run->character->render.vertex_count);
  if (!run->motion.pose.joints || !run->motion.other.joints || !run->motion.globals || !run->body ||
      !run->render) {
    return sup_fail_memory(error, NULL);
  }
  return SUP_OK;
}

uint32_t sup_sim_run_frames(const SupSimRun *run, const SupClip *clip) {
  uint32_t all = sup_clip_frames(clip, (float)run->fps);
  double wanted = floor(run->until * run->fps + 1e-4) + 1;
  return wanted < (double)all ? (uint32_t)wanted : all;
}

/* ---- Muscles -------------------------------------------------------------------------------- */

/* Smoothly from 0 at 0 to 1 at 1. */
static double ease(double t) {
  t = fmin(fmax(t, 0), 1);
  return t * t * (3 - 2 * t);
}

static double pull_at(const SupSimRun *run, double time) {
  double most = 0;
  for (uint32_t k = 0; k < run->pull_count; k++) {
    const SupSimPull *pull = &run->pulls[k];
    double rise = fmax(pull->rise, 1e-9);
    double amount = fmin(ease((time - pull->from) / rise), 1 - ease((time - pull->until) / rise));
    most = fmax(most, amount);
  }
  return most;
}

/* ---- Stepping ------------------------------------------------------------------------------- */

static SupResult advance(SupSimRun *run, double time, double duration, SupSimFrame *out,
                         SupError *error) {
  if (run->motion.clip) sup_sim_contract(run->sim, pull_at(run, time + duration));
  SupResult result =
      sup_sim_advance(run->sim, motion_palette, &run->motion, time, duration, out, error);
  if (result != SUP_OK) return result;
  SupSimFrame *total = &run->found->total;
  total->steps += out->steps;
  total->iterations += out->iterations;
  total->backtracks += out->backtracks;
  total->kept_moves += out->kept_moves;
  total->refused += out->refused;
  total->inverted = out->inverted;
  total->factor_seconds += out->factor_seconds;
  total->solve_seconds += out->solve_seconds;
  run->found->inverted_frames += out->inverted > 0;
  if (out->worst_volume < total->worst_volume) total->worst_volume = out->worst_volume;
  if (out->least_angle < total->least_angle) total->least_angle = out->least_angle;
  return SUP_OK;
}

/* Places of a loop at which it must repeat: being somewhere again does not mean moving again. */
#define LOOP_MARKS 8

/* Goes round a loop until it repeats within a thousandth of the height. Leaves the body at the
 * start of the round to be written. */
static SupResult settle_loop(SupSimRun *run, double duration, uint32_t *out_rounds,
                             SupError *error) {
  const size_t count = run->character->body.vertex_count;
  const uint32_t most = 30, steps = (uint32_t)fmax(LOOP_MARKS, rint(duration * run->fps));
  SupVec3 *marks = SUP_ALLOC(run->app->arena, SupVec3, LOOP_MARKS * count);
  if (!marks) return sup_fail_memory(error, NULL);
  for (uint32_t round = 0; round < most; round++) {
    double gap = round ? 0 : INFINITY;
    for (uint32_t i = 0, mark = 0; i < steps; i++) {
      SupSimFrame frame;
      SupResult result =
          advance(run, round * duration + duration * i / steps, duration / steps, &frame, error);
      if (result != SUP_OK) return result;
      sup_app_progress(run->app, "finding the loop", (double)round * steps + i + 1,
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
  sup_app_note(run->app, "note: after %u cycles the loop does not repeat exactly yet\n", most);
  return SUP_OK;
}

/* Brings the body to its first frame: settled, then through the preroll, then round the loop.
 * *out_start is the time it has there. */
static SupResult begin(SupSimRun *run, double *out_start, uint32_t *out_rounds, SupError *error) {
  const SupClip *clip = run->motion.clip;
  double preroll = clip ? run->preroll : 0;
  *out_start = *out_rounds = 0;
  sup_sim_contract(run->sim, clip ? pull_at(run, -preroll) : 0);
  run->motion.start = -preroll;
  SupResult result =
      sup_sim_settle(run->sim, motion_palette, way_palette, &run->motion, -preroll, error);
  if (result == SUP_OK) {
    sup_sim_judge(run->sim, &run->found->total);
    run->found->inverted_frames += run->found->total.inverted > 0;
  }
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

static void write_frame(SupSimRun *run, SupCacheWriter *writer) {
  const SupCharacter *character = run->character;
  sup_sim_skin(run->sim, run->body);
  if (run->order == SUP_ORDER_RENDER) {
    sup_positions_gather(run->body, character->render.to_body, character->render.vertex_count,
                         run->render);
  }
  sup_cache_write_frame(writer, run->order == SUP_ORDER_RENDER ? run->render : run->body);
}

/* The frames of one clip (or all poses), into an open cache. */
static SupResult write_frames(SupSimRun *run, SupSimulatedClip *out, SupCacheWriter *writer,
                              SupError *error) {
  const uint32_t frames = out->frame_count;
  double step = run->motion.clip ? 1 / run->fps : 1, start;
  double *rows = SUP_ALLOC(run->app->arena, double, (size_t)SUP_SIMULATED_NUMBERS *frames);
  if (!rows) return sup_fail_memory(error, NULL);
  out->rows = rows;
  SupResult result = begin(run, &start, &out->loop_rounds, error);
  for (uint32_t i = 0; i < frames && result == SUP_OK; i++) {
    if (i > 0) {
      SupSimFrame frame;
      if (run->clench) sup_sim_contract(run->sim, i % 2);
      result = advance(run, start + step * (i - 1), step, &frame, error);
      if (result != SUP_OK) break;
      const double row[SUP_SIMULATED_NUMBERS] = {frame.elastic,      frame.kinetic,
                                                 frame.potential,    frame.iterations,
                                                 frame.worst_volume, frame.inverted};
      memcpy(rows + (size_t)SUP_SIMULATED_NUMBERS * out->row_count++, row, sizeof row);
    }
    write_frame(run, writer);
    sup_app_progress(run->app, out->name, i + 1, frames);
  }
  if (result != SUP_OK) sup_error_prefix(error, "%s", out->name);
  return result;
}

/* ---- One file ------------------------------------------------------------------------------- */

SupResult sup_sim_run_write(SupSimRun *run, SupSimulatedClip *out, SupError *error) {
  const SupCharacter *character = run->character;
  SupCacheDef def = {.allocator = run->app->allocator,
                     .path = out->path,
                     .vertex_count = run->order == SUP_ORDER_RENDER ? character->render.vertex_count
                                                                    : character->body.vertex_count,
                     .frame_count = out->frame_count,
                     .fps = (float)run->fps,
                     .order = run->order};
  SupCacheWriter *writer;
  SupResult result = sup_cache_format_of(out->path, &def.format, error);
  if (result == SUP_OK) result = sup_cache_begin(&def, &writer, error);
  if (result != SUP_OK) return result;
  const double began = sup_app_seconds();
  out->total = (SupSimFrame){.worst_volume = 1, .least_angle = 180};
  run->found = out;
  result = write_frames(run, out, writer, error);
  out->seconds = sup_app_seconds() - began;
  if (result != SUP_OK) {
    sup_cache_abandon(writer);
    return result;
  }
  return sup_cache_commit(writer, error);
}
