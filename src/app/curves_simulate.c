/* SPDX-License-Identifier: MIT */
/* A clip simulated in the space of a rig, frame by frame. */
#include <math.h>
#include <string.h>

#include "app/curves_parts.h"
#include "supple/rig/rig.h"

#define ROUNDS_MOST 12
#define CLOSED 0.01 /* of a range: a loop repeats itself */

typedef struct Player {
  CurvesJob *job;
  const SupClip *clip;
  bool loop;
  SupPosed pose;
  double *morphs;       /* [morph_count] */
  uint32_t frame_count; /* of the clip */
  uint32_t substeps;    /* of a frame */
  SupRigspaceAdvance advance;
  double *frames; /* [frame_count * parameter_count] */
  double *still;  /* [parameter_count] the static balance of the last frame */
  double *keyed;  /* [parameter_count] the clip's own keys at the time of `held` */
  CurvesHeld held;
  CurvesStates states;
} Player;

/* ---- The clip ------------------------------------------------------------------------------- */

static void sample(Player *p, double time) {
  const SupCharacter *character = p->job->file->character;
  sup_pose_rest_f64(&character->skeleton, &p->pose);
  for (uint32_t m = 0; m < character->morph_count; m++) {
    p->morphs[m] = (double)character->morphs[m].weight;
  }
  sup_clip_sample_f64(p->clip, time, p->loop, NULL, &p->pose, p->morphs);
}

static void script(void *user, double time, double *io_parameters) {
  Player *p = user;
  if (p->job->process) {
    sup_curves_process_script(p->job, p->clip, time, p->loop, SUP_RIG_SCRIPTED, io_parameters);
    return;
  }
  sample(p, time);
  sup_character_rig_script(p->job->rig, &p->pose, p->morphs, io_parameters);
}

/* Brings the obstacles to where they are at a time. */
static void move_obstacles(Player *p, double time) {
  if (p->job->def->obstacle_count == 0) return;
  sample(p, time);
  sup_curves_move_obstacles(p->job, &p->pose, time);
}

/* Free parameters as the clip's own keys have them. */
static void read_keys(Player *p, double time, double *io_parameters) {
  const CurvesJob *job = p->job;
  for (uint32_t k = 0; k < job->free_count; k++) {
    io_parameters[job->free[k]] = sup_curves_rig(job)->parameters[job->free[k]].rest;
  }
  if (job->process) {
    sup_curves_process_script(job, p->clip, time, p->loop, SUP_RIG_FREE, io_parameters);
  } else {
    sample(p, time);
    sup_character_rig_keyed(job->rig, &p->pose, p->morphs, io_parameters);
  }
}

/* Holds what is kept at a time. */
static void hold(Player *p, double time) {
  if (!p->job->kept) return;
  read_keys(p, time, p->keyed);
  sup_curves_held(p->job, p->clip, time, p->loop ? p->clip->duration : 0, p->keyed, &p->held);
  sup_rigspace_hold(p->job->rigspace, p->held.rates, p->held.values);
}

/* All that a step to `time` finds there. */
static void prepare_step(void *user, double time, double *io_parameters) {
  script(user, time, io_parameters);
  move_obstacles(user, time);
  hold(user, time);
}

/* Whether the clip ends as it begins, in parts of the parameters' scales. */
static bool closes(Player *p) {
  const SupRig *rig = sup_curves_rig(p->job);
  double *first = p->frames, *last = p->still; /* not used yet */
  bool closed = true;
  sup_rig_rest(rig, first);
  script(p, 0, first);
  memcpy(last, first, rig->parameter_count * sizeof *last);
  const bool loop = p->loop;
  p->loop = false;
  script(p, (double)p->clip->duration, last);
  p->loop = loop;
  for (uint32_t k = 0; k < rig->parameter_count; k++) {
    closed &= fabs(last[k] - first[k]) <= 0.02 * rig->parameters[k].scale;
  }
  return closed;
}

/* ---- States --------------------------------------------------------------------------------- */

/* The state of frame i with how the steps were: all that going on from there needs. */
static void store(Player *p, uint32_t i) {
  double *numbers = &p->states.numbers[(size_t)i * p->states.number_count];
  if (!p->states.numbers) return;
  numbers[0] = p->advance.level;
  numbers[1] = p->advance.easy;
  sup_rigspace_store(p->job->rigspace, &numbers[2]);
}

static void restore(Player *p, uint32_t i) {
  const double *numbers = &p->states.numbers[(size_t)i * p->states.number_count];
  p->advance.level = (uint32_t)fmin(fmax(numbers[0], 0), 32); /* a file may say anything */
  p->advance.easy = (uint32_t)fmin(fmax(numbers[1], 0), 1e6);
  sup_rigspace_restore(p->job->rigspace, &numbers[2]);
}

/* What states belong to: other parameters, another clip or another volume are not theirs. */
static uint64_t state_key(const Player *p) {
  const CurvesJob *job = p->job;
  const SupRig *rig = sup_curves_rig(job);
  const double numbers[] = {job->def->fps, job->volume_scale, (double)job->volume.mesh.tet_count};
  uint64_t key = sup_hash(numbers, sizeof numbers, 0);
  key = sup_hash(p->clip->name, strlen(p->clip->name), key);
  for (uint32_t k = 0; k < rig->parameter_count; k++) {
    const SupRigParameter *q = &rig->parameters[k];
    const uint8_t role = (uint8_t)q->role;
    key = sup_hash(q->name, strlen(q->name), key);
    key = sup_hash(&role, 1, key);
  }
  return key;
}

static SupResult open_states(Player *p, SupError *error) {
  const CurvesJob *job = p->job;
  if (!job->def->states) return SUP_OK;
  p->states.key = state_key(p);
  p->states.frame_count = p->frame_count;
  p->states.number_count = 2 + (uint32_t)sup_rigspace_state_count(job->rigspace);
  if (job->def->from > 0) {
    const CurvesStates expected = p->states;
    return sup_curves_read_states(job->app, job->def->states, &expected, &p->states, error);
  }
  p->states.numbers =
      SUP_ALLOC(job->app->arena, double, (size_t)p->frame_count * p->states.number_count);
  return p->states.numbers ? SUP_OK : sup_fail_memory(error, "the states of all frames");
}

/* ---- Frames --------------------------------------------------------------------------------- */

static double *frame_at(const Player *p, uint32_t i) {
  return &p->frames[(size_t)i * p->job->parameter_count];
}

/* The start: in balance, or as near to it as can be had. */
static SupResult start(Player *p, SupError *error) {
  CurvesJob *job = p->job;
  const SupRig *rig = sup_curves_rig(job);
  const double h = 1 / (job->def->fps * p->substeps);
  double *now = frame_at(p, 0), *before = p->still;
  SupRigspaceReport report;
  sup_rig_rest(rig, now);
  script(p, 0, now);
  memcpy(before, now, job->parameter_count * sizeof *now);
  script(p, -h, before);
  move_obstacles(p, 0);
  hold(p, 0);
  for (uint32_t k = 0; job->kept && k < job->free_count; k++) {
    if (p->held.fractions[k] >= 1) now[job->free[k]] = before[job->free[k]] = p->held.values[k];
  }
  SupResult result =
      sup_rigspace_start(job->rigspace, now, before, h, p->advance.gravity, &report, error);
  if (result != SUP_OK || report.converged) return result;
  sup_app_note(job->app, "%s: no balance was found for the first pose; it starts at rest\n",
               sup_app_shown(job->app, p->clip->name));
  return sup_rigspace_place(job->rigspace, now, before, h, error);
}

/* Steps from frame i - 1 to frame i. */
static SupResult go(Player *p, uint32_t i, SupError *error) {
  const double dt = 1 / (p->job->def->fps * p->substeps);
  SupResult result = SUP_OK;
  for (uint32_t s = 0; s < p->substeps && result == SUP_OK; s++) {
    const double time = ((double)(i - 1) * p->substeps + s) * dt;
    result =
        sup_rigspace_advance(p->job->app->arena, p->job->rigspace, time, dt, &p->advance, error);
  }
  return result;
}

/* Blends what was simulated with what the clip has: frame i, as it is written. */
static SupResult blend(Player *p, uint32_t i, SupError *error) {
  CurvesJob *job = p->job;
  const SupRig *rig = sup_curves_rig(job);
  double *out = frame_at(p, i);
  const double time = i / job->def->fps, *now = sup_rigspace_parameters(job->rigspace);
  SupResult result = SUP_OK;
  memcpy(out, now, job->parameter_count * sizeof *out);
  read_keys(p, time, out);
  hold(p, time);
  if (job->still) {
    SupRigspaceReport report;
    move_obstacles(p, time);
    for (uint32_t k = 0; k < job->parameter_count; k++) {
      if (rig->parameters[k].role != SUP_RIG_FREE) p->still[k] = now[k];
    }
    result = sup_rigspace_start(job->still, p->still, p->still, 0.01, p->advance.gravity, &report,
                                error);
    if (result == SUP_OK && report.converged) {
      memcpy(p->still, sup_rigspace_parameters(job->still),
             job->parameter_count * sizeof *p->still);
    }
  }
  for (uint32_t k = 0; k < job->free_count; k++) {
    const uint32_t n = job->free[k];
    const double change = job->still ? now[n] - p->still[n] : now[n] - out[n];
    out[n] += job->weights[k] * change;
    if (!job->kept || (!job->still && job->weights[k] == 1)) continue; /* it is there itself */
    out[n] += p->held.fractions[k] * (p->held.values[k] - out[n]);
    if (p->held.fractions[k] >= 1) out[n] = p->held.values[k];
  }
  return result;
}

/* The frames from `first` on, from the state of the frame before. */
static SupResult play_round(Player *p, uint32_t first, SupError *error) {
  SupResult result = SUP_OK;
  for (uint32_t i = first; i < p->frame_count && result == SUP_OK; i++) {
    if (i > 0) result = go(p, i, error);
    if (result == SUP_OK) result = blend(p, i, error);
    if (result == SUP_OK) store(p, i);
    sup_app_progress(p->job->app, p->clip->name, i + 1, p->frame_count);
  }
  return result;
}

/* From the last frame of a loop to its end, which is its first frame again. */
static SupResult close_round(Player *p, SupError *error) {
  const double last = (p->frame_count - 1) / p->job->def->fps;
  const double left = (double)p->clip->duration - last;
  if (!(left > 1e-6)) return SUP_OK;
  return sup_rigspace_advance(p->job->app->arena, p->job->rigspace, last, left, &p->advance, error);
}

/* Round after round until one ends as it began. */
static SupResult play_loop(Player *p, SupCurvesClip *report, SupError *error) {
  CurvesJob *job = p->job;
  const SupRig *rig = sup_curves_rig(job);
  double *began = SUP_ALLOC(job->app->arena, double, job->parameter_count);
  SupResult result = SUP_OK;
  if (!began) return sup_fail_memory(error, NULL);
  for (report->rounds = 1; result == SUP_OK; report->rounds++) {
    double apart = 0;
    memcpy(began, sup_rigspace_parameters(job->rigspace), job->parameter_count * sizeof *began);
    result = play_round(p, 0, error);
    if (result == SUP_OK) result = close_round(p, error);
    const double *ended = sup_rigspace_parameters(job->rigspace);
    for (uint32_t k = 0; k < job->free_count; k++) {
      const uint32_t n = job->free[k];
      apart = fmax(apart, fabs(ended[n] - began[n]) / rig->parameters[n].scale);
    }
    if (apart <= CLOSED || report->rounds == ROUNDS_MOST) break;
  }
  return result;
}

static SupResult create(CurvesJob *job, const SupClip *clip, Player *p, SupError *error) {
  SupArena *arena = job->app->arena;
  const SupSkeleton *skeleton = &job->file->character->skeleton;
  *p = (Player){.job = job, .clip = clip, .loop = job->def->loop};
  p->frame_count = sup_clip_frames(clip, (float)job->def->fps);
  p->substeps = (uint32_t)ceil(1 / (job->def->fps * job->def->step) - 1e-9);
  if (p->substeps < 1) p->substeps = 1;
  p->advance = (SupRigspaceAdvance){.script = prepare_step,
                                    .user = p,
                                    .gravity = {0, -job->def->gravity / job->unit, 0},
                                    .determinant_least_seen = 1};
  p->pose = (SupPosed){skeleton->joint_count, sup_transformd_identity(),
                       SUP_ALLOC(arena, SupTransformd, skeleton->joint_count)};
  p->morphs = SUP_ALLOC(arena, double, (size_t)job->file->character->morph_count + 1);
  p->frames = SUP_ALLOC(arena, double, (size_t)p->frame_count * job->parameter_count);
  p->still = SUP_ALLOC(arena, double, job->parameter_count);
  p->keyed = SUP_ALLOC(arena, double, job->parameter_count);
  p->held = (CurvesHeld){SUP_ALLOC(arena, double, job->free_count),
                         SUP_ALLOC(arena, double, job->free_count),
                         SUP_ALLOC(arena, double, job->free_count)};
  if (!p->pose.joints || !p->morphs || !p->frames || !p->still || !p->keyed || !p->held.fractions ||
      !p->held.rates || !p->held.values) {
    return sup_fail_memory(error, NULL);
  }
  if (p->loop && !closes(p)) {
    sup_app_note(job->app, "note: %s does not end as it begins; it is not played as a loop\n",
                 sup_app_shown(job->app, clip->name));
    p->loop = false;
  }
  return open_states(p, error);
}

/* Frames before the one to go on from: their states have the parameters. */
static SupResult go_on(Player *p, SupError *error) {
  const uint32_t from = p->job->def->from;
  SupResult result = SUP_OK;
  if (from >= p->frame_count) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "--from: %s has %u frames, so there is no frame %u",
                    p->clip->name, p->frame_count, from);
  }
  for (uint32_t i = 0; i <= from && result == SUP_OK; i++) {
    restore(p, i);
    if (i == 0) {
      memcpy(p->still, sup_rigspace_parameters(p->job->rigspace),
             p->job->parameter_count * sizeof *p->still);
    }
    result = blend(p, i, error);
  }
  return result == SUP_OK ? play_round(p, from + 1, error) : result;
}

SupResult sup_curves_simulate(CurvesJob *job, const SupClip *clip, SupCurvesClip *io_report,
                              const double **out_frames, SupError *error) {
  Player player, *p = &player;
  const double began = sup_app_seconds();
  SupResult result = create(job, clip, p, error);
  if (result == SUP_OK && job->def->from > 0) {
    result = go_on(p, error);
  } else if (result == SUP_OK) {
    result = start(p, error);
    memcpy(p->still, sup_rigspace_parameters(job->rigspace),
           job->parameter_count * sizeof *p->still);
    if (result == SUP_OK) {
      result = p->loop ? play_loop(p, io_report, error) : play_round(p, 0, error);
    }
  }
  if (result == SUP_OK && p->states.numbers) {
    result = sup_curves_write_states(job->app, job->def->states, &p->states, error);
  }
  if (result != SUP_OK) return result;
  const SupRigspaceAdvance *a = &p->advance;
  io_report->step_count = a->step_count;
  io_report->halved_count = a->halved_count;
  io_report->carried_count = a->carried_count;
  io_report->iterations = a->iterations;
  io_report->jacobians = a->jacobians;
  io_report->determinant_least = a->determinant_least_seen;
  io_report->seconds = sup_app_seconds() - began;
  *out_frames = p->frames;
  return SUP_OK;
}
