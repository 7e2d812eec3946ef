/* SPDX-License-Identifier: MIT */
/*
 * What is asked of the modes: the examples' offsets in rest space, less those of the correctives,
 * projected on the shapes by least squares over the skin. What pushes them: the drive of the run
 * time, at the steps that a stack would make.
 */
#include "train/modes/modes_series.h"

#include <math.h>

#include "base/scratch.h"
#include "numerics/dense.h"
#include "supple/author/correctives_pack.h"
#include "supple/author/modes_pack.h"
#include "supple/clip.h"
#include "train/rest_offsets.h"

typedef struct Job {
  const SupModesFitDef *def;
  SupModesView view;
  SupModesDef modes;            /* the shapes by vertex */
  SupCorrectivesView correct;   /* with def->correctives */
  SupCorrectivesDef components; /* the shapes by vertex */
  double *areas;                /* [vertices] */
  double *gram;                 /* [modes * modes] */
  SupPose pose;
  SupAffine *globals, *palette, *last, *speed, *change; /* [bones] but globals */
  float *features, *weights, *drive;
  SupVec3 *offsets; /* [vertices] */
} Job;

/* ---- What pushes ------------------------------------------------------------------------------
 */

static void pose_at(Job *job, const SupClip *clip, double time) {
  const SupSkeleton *skeleton = &job->def->character->skeleton;
  sup_pose_rest(skeleton, &job->pose);
  sup_clip_sample(clip, (float)time, false, NULL, &job->pose, NULL);
  sup_pose_evaluate(skeleton, &job->pose, job->globals, job->palette);
}

static void put_drive(Job *job, const SupAffine *palette, const SupAffine *accelerations,
                      double *out) {
  sup_modes_drive(&job->view, sup_backend_cpu(), palette, accelerations, job->drive);
  for (uint32_t k = 0; k < job->view.mode_count; k++) out[k] = (double)job->drive[k];
}

/* Gravity is an acceleration of every bone by the same vector. */
static void put_gravity(Job *job, double *out) {
  const SupVec3 g = job->def->gravity;
  for (uint32_t b = 0; b < job->view.skin.bone_count; b++) {
    job->change[b] = (SupAffine){{0, 0, 0, 0, 0, 0, 0, 0, 0, g.x, g.y, g.z}};
  }
  put_drive(job, job->palette, job->change, out);
}

/* As sup_modes_step has it: velocities jump at the start of a step; the first step only learns how
 * the bones move. */
static void find_pushes(Job *job, const SupModesExample *example, ModesClip *clip) {
  const uint32_t bones = job->view.skin.bone_count, modes = job->view.mode_count;
  const uint32_t steps = (clip->frame_count - 1) * clip->parts;
  const double start = (double)example->samples.start;
  const float rate = (float)(1 / clip->dt);
  pose_at(job, example->clip, start);
  if (clip->forces) put_gravity(job, clip->forces);
  sup_copy(job->last, job->palette, bones * sizeof *job->last);
  for (uint32_t i = 0; i < steps; i++) {
    pose_at(job, example->clip, start + (i + 1) * clip->dt);
    for (uint32_t b = 0; b < bones; b++) {
      for (int e = 0; e < 12; e++) {
        const float speed = (job->palette[b].m[e] - job->last[b].m[e]) * rate;
        job->change[b].m[e] = speed - job->speed[b].m[e];
        job->speed[b].m[e] = speed;
      }
    }
    if (i > 0) put_drive(job, job->last, job->change, clip->pushes + (size_t)i * modes);
    if (clip->forces) put_gravity(job, clip->forces + (size_t)(i + 1) * modes);
    sup_copy(job->last, job->palette, bones * sizeof *job->last);
  }
}

void sup_modes_swing(const ModesSeries *series, const ModesClip *clip, uint32_t k, double stiffness,
                     double decay, double *out) {
  const SupModesTransition t = sup_modes_transition(stiffness, decay, clip->dt);
  const uint32_t modes = series->mode_count;
  const double *force = clip->forces;
  double q = force ? force[k] / stiffness : 0, v = 0;
  for (uint32_t i = 0, step = 0; i < clip->frame_count; i++) {
    const double balance = series->balanced && force ? force[(size_t)step * modes + k] : 0;
    out[i] = q - balance / stiffness;
    for (uint32_t part = 0; part < clip->parts && i + 1 < clip->frame_count; part++, step++) {
      const double before = q, f0 = force ? force[(size_t)step * modes + k] : 0;
      const double f1 = force ? force[(size_t)(step + 1) * modes + k] - f0 : 0;
      v -= clip->pushes[(size_t)step * modes + k];
      q = t.q[0] * before + t.q[1] * v + t.force_q[0] * f0 + t.force_q[1] * f1;
      v = t.v[0] * before + t.v[1] * v + t.force_v[0] * f0 + t.force_v[1] * f1;
    }
  }
}

/* ---- What is wanted ---------------------------------------------------------------------------
 */

static void make_gram(const Job *job, double *out) {
  const uint32_t modes = job->view.mode_count, vertices = job->view.skin.vertex_count;
  for (uint32_t i = 0; i < modes; i++) {
    for (uint32_t k = 0; k <= i; k++) {
      const SupVec3 *a = job->modes.shapes + (size_t)i * vertices;
      const SupVec3 *b = job->modes.shapes + (size_t)k * vertices;
      double sum = 0;
      for (uint32_t v = 0; v < vertices; v++) {
        sum += job->areas[v] * (double)sup_vec3_dot(a[v], b[v]);
      }
      out[(size_t)i * modes + k] = out[(size_t)k * modes + i] = sum;
    }
  }
}

/* The offsets of one frame that the correctives do not show. */
static void find_offsets(Job *job, const SupVec3 *positions) {
  const uint32_t vertices = job->view.skin.vertex_count;
  sup_rest_offsets(job->def->character, job->palette, positions, job->def->jobs, job->offsets);
  if (!job->def->correctives) return;
  sup_correctives_read(&job->correct, &job->pose, job->palette, job->def->gravity, job->features);
  sup_correctives_weights(&job->correct, job->features, job->weights);
  for (uint32_t c = 0; c < job->correct.component_count; c++) {
    const SupVec3 *shape = job->components.shapes + (size_t)c * vertices;
    for (uint32_t v = 0; v < vertices; v++) {
      job->offsets[v] = sup_vec3_add_scaled(job->offsets[v], shape[v], -job->weights[c]);
    }
  }
}

static SupResult find_wanted(SupArena *arena, Job *job, const SupModesExample *example,
                             ModesClip *clip, SupError *error) {
  const uint32_t modes = job->view.mode_count, vertices = job->view.skin.vertex_count;
  const SupSamples *s = &example->samples;
  for (uint32_t i = 0; i < s->frame_count; i++) {
    pose_at(job, example->clip, (double)s->start + i / (double)s->fps);
    find_offsets(job, s->positions + (size_t)i * vertices);
    for (uint32_t k = 0; k < modes; k++) {
      const SupVec3 *shape = job->modes.shapes + (size_t)k * vertices;
      double sum = 0;
      for (uint32_t v = 0; v < vertices; v++) {
        sum += job->areas[v] * (double)sup_vec3_dot(shape[v], job->offsets[v]);
      }
      clip->wanted[(size_t)i * modes + k] = sum;
    }
  }
  double *gram = SUP_COPY(arena, double, job->gram, (size_t)modes *modes);
  if (!gram) return sup_fail_memory(error, "fitting modes");
  return sup_dense_solve(arena, (int)modes, (int)s->frame_count, gram, clip->wanted, error);
}

/* ---- All together -----------------------------------------------------------------------------
 */

static SupResult prepare(SupArena *arena, Job *job, const SupModel *model, SupError *error) {
  const SupModesFitDef *def = job->def;
  const SupSkeleton *skeleton = &def->character->skeleton;
  const uint32_t bones = skeleton->bone_count, vertices = def->character->body.vertex_count;
  job->view = sup_modes_view(model);
  SupResult result = sup_modes_unpack(arena, model, &job->modes, error);
  uint32_t features = 0, components = 0;
  if (!result && def->correctives) {
    job->correct = sup_correctives_view(def->correctives);
    features = sup_correctives_features(&job->correct);
    components = job->correct.component_count;
    result = sup_correctives_unpack(arena, def->correctives, &job->components, error);
  }
  if (result) return result;
  const size_t modes = job->view.mode_count;
  job->areas = SUP_ALLOC(arena, double, vertices);
  job->gram = SUP_ALLOC(arena, double, modes *modes);
  job->pose = (SupPose){skeleton->joint_count, sup_transform_identity(),
                        SUP_ALLOC(arena, SupTransform, skeleton->joint_count)};
  job->globals = SUP_ALLOC(arena, SupAffine, skeleton->joint_count);
  job->palette = SUP_ALLOC(arena, SupAffine, bones);
  job->last = SUP_ALLOC(arena, SupAffine, bones);
  job->speed = SUP_ALLOC(arena, SupAffine, bones);
  job->change = SUP_ALLOC(arena, SupAffine, bones);
  job->features = SUP_ALLOC(arena, float, features);
  job->weights = SUP_ALLOC(arena, float, components);
  job->drive = SUP_ALLOC(arena, float, (size_t)SUP_SKIN_BLOCK * job->view.block_count);
  job->offsets = SUP_ALLOC(arena, SupVec3, vertices);
  if (!job->areas || !job->gram || !job->pose.joints || !job->globals || !job->palette ||
      !job->last || !job->speed || !job->change || !job->features || !job->weights || !job->drive ||
      !job->offsets) {
    return sup_fail_memory(error, "fitting modes");
  }
  sup_vertex_fractions(&def->character->body, job->areas);
  make_gram(job, job->gram);
  return SUP_OK;
}

static SupResult make_clip(SupArena *arena, SupArena *scratch, Job *job,
                           const SupModesExample *example, ModesClip *clip, SupError *error) {
  const SupSamples *s = &example->samples;
  const size_t modes = job->view.mode_count;
  const SupVec3 g = job->def->gravity;
  const double frame = 1 / (double)s->fps;
  clip->frame_count = s->frame_count;
  clip->parts = (uint32_t)ceil(frame / (double)job->view.h - 1e-4);
  if (clip->parts < 1) clip->parts = 1;
  clip->dt = frame / clip->parts;
  const size_t steps = (size_t)(s->frame_count - 1) * clip->parts;
  clip->pushes = SUP_ALLOC(arena, double, (steps + 1) * modes);
  clip->wanted = SUP_ALLOC(arena, double, s->frame_count *modes);
  const bool heavy = g.x != 0 || g.y != 0 || g.z != 0;
  if (heavy) clip->forces = SUP_ALLOC(arena, double, (steps + 1) * modes);
  if (!clip->pushes || !clip->wanted || (heavy && !clip->forces)) {
    return sup_fail_memory(error, "fitting modes");
  }
  for (uint32_t b = 0; b < job->view.skin.bone_count; b++) job->speed[b] = (SupAffine){{0}};
  find_pushes(job, example, clip);
  return find_wanted(scratch, job, example, clip, error);
}

SupResult sup_modes_series(SupArena *arena, const SupModesFitDef *def, const SupModel *model,
                           ModesSeries *out_series, SupError *error) {
  SupArena scratch = sup_scratch(arena);
  Job job = {.def = def};
  sup_dense_one_thread();
  SupResult result = prepare(&scratch, &job, model, error);
  ModesSeries series = {.mode_count = job.view.mode_count,
                        .clip_count = def->example_count,
                        .clips = SUP_ALLOC(arena, ModesClip, def->example_count),
                        .weights = SUP_ALLOC(arena, double, job.view.mode_count),
                        .balanced = def->correctives && job.correct.heavy_count > 0};
  if (!result && (!series.clips || !series.weights)) {
    result = sup_fail_memory(error, "fitting modes");
  }
  for (uint32_t k = 0; !result && k < series.mode_count; k++) {
    series.weights[k] = job.gram[(size_t)k * series.mode_count + k];
  }
  for (uint32_t e = 0; !result && e < def->example_count; e++) {
    result = make_clip(arena, &scratch, &job, &def->examples[e], &series.clips[e], error);
  }
  sup_arena_free(&scratch);
  if (!result) *out_series = series;
  return result;
}
