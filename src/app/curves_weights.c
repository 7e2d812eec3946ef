/* SPDX-License-Identifier: MIT */
/* Weights of nodes inside for curves, from poses of the clips that are played, shaken. */
#include "app/curves_parts.h"
#include "supple/clip.h"
#include "supple/rig/rig.h"
#include "supple/train/rigspace_weights.h"

#define POSES 8u
#define PUSHES 2u
#define AROUND 0.1 /* of a range: free parameters of the poses are drawn around rest */
#define SPEED 0.5  /* of pushes, diagonals per second */

/* A pose of one of the clips, with free parameters drawn from rng. */
static SupResult draw_pose(const CurvesJob *job, uint32_t number, SupRng *rng, double *out,
                           SupError *error) {
  const SupRig *rig = sup_curves_rig(job);
  const SupCharacter *character = job->file->character;
  const SupClip *clip = job->clips[number % job->clip_count];
  SupPosed pose = {character->skeleton.joint_count, sup_transformd_identity(),
                   SUP_ALLOC(job->app->arena, SupTransformd, character->skeleton.joint_count)};
  double *morphs = SUP_ALLOC(job->app->arena, double, (size_t)character->morph_count + 1);
  if (!pose.joints || !morphs) return sup_fail_memory(error, NULL);
  sup_pose_rest_f64(&character->skeleton, &pose);
  for (uint32_t m = 0; m < character->morph_count; m++) {
    morphs[m] = (double)character->morphs[m].weight;
  }
  sup_rig_rest(rig, out);
  if (number > 0) { /* the first is the rest pose */
    const double time = sup_rng_double(rng) * (double)clip->duration;
    sup_clip_sample_f64(clip, time, false, NULL, &pose, morphs);
    if (job->process) {
      sup_curves_process_script(job, clip, time, false, SUP_RIG_SCRIPTED, out);
    } else {
      sup_character_rig_script(job->rig, &pose, morphs, out);
    }
  }
  for (uint32_t k = 0; k < job->free_count; k++) {
    const SupRigParameter *p = &rig->parameters[job->free[k]];
    const double value = p->rest + AROUND * p->scale * (2 * sup_rng_double(rng) - 1);
    out[job->free[k]] = value < p->low ? p->low : value > p->high ? p->high : value;
  }
  return SUP_OK;
}

SupResult sup_curves_weights(CurvesJob *job, const SupRigspaceDef *solver,
                             SupRigspaceWeights *out_weights, SupError *error) {
  const SupAppContext *app = job->app;
  SupRng rng = sup_rng(app->seed, 7);
  SupRigspaceExamples examples;
  SupRigspaceFitReport report;
  SupRigspace *rigspace;
  const SupRigspaceFitDef fit = {.candidates = SUP_RIGSPACE_RAYS};
  double *poses = SUP_ALLOC(app->arena, double, POSES *(size_t)job->parameter_count);
  SupResult result = poses ? SUP_OK : sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < POSES && result == SUP_OK; k++) {
    result = draw_pose(job, k, &rng, &poses[(size_t)k * job->parameter_count], error);
  }
  if (result != SUP_OK) return result;
  const SupRigspaceShakeDef shake = {.pose_count = POSES,
                                     .poses = poses,
                                     .impulse_count = PUSHES,
                                     .speed = SPEED,
                                     .seed = app->seed};
  const double began = sup_app_seconds();
  result = sup_rigspace_create(app->arena, solver, &rigspace, error);
  if (result != SUP_OK) return result;
  sup_app_busy(app, "weights");
  result = sup_rigspace_shake(app->arena, rigspace, &shake, &examples, NULL, error);
  if (result == SUP_OK) {
    result = sup_rigspace_fit(app->arena, &job->volume, job->volume_scale, &examples, &fit,
                              out_weights, &report, error);
  }
  sup_app_busy(app, NULL);
  sup_rigspace_free(rigspace);
  if (result != SUP_OK) return result;
  job->report->example_count = examples.count;
  job->report->weight_mean = report.mean_count;
  sup_app_timing(app, "weights", began);
  return SUP_OK;
}
