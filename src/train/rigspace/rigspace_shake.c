/* SPDX-License-Identifier: MIT */
/* Examples for the weights: poses, and every pose pushed and left to swing for a few steps. */
#include <math.h>
#include <string.h>

#include "supple/rig/rig.h"
#include "supple/train/rigspace_weights.h"
#include "train/rigspace/rigspace_parts.h"

#define SOFTER 4 /* halvings of a push that is too hard */

typedef struct Shake {
  SupRigspace *rs;
  SupRigspaceShakeDef def;
  SupVec3d *posed; /* [N] the pose in balance */
  SupVec3d *out;   /* the examples */
  uint32_t count;
  SupRigspaceShakeReport report;
} Shake;

/* Takes x as an example, if no element is flatter than allowed. */
static bool take(Shake *s, const SupVec3d *x) {
  const double least = sup_elastic_worst(&s->rs->body, x, NULL, NULL);
  if (!(least >= s->def.determinant_least)) return false;
  memcpy(&s->out[(size_t)s->count * s->rs->node_count], x, s->rs->node_count * sizeof *x);
  s->report.determinant_least = fmin(s->report.determinant_least, least);
  s->count++;
  return true;
}

/* The pose in balance; false where there is none. */
static SupResult place_pose(Shake *s, const double *pose, bool *out_good, SupError *error) {
  SupRigspace *rs = s->rs;
  SupResult result = sup_rigspace_surface(rs, pose, s->posed, error);
  if (result != SUP_OK) return result;
  sup_rigspace_guess_inside(rs, s->posed);
  return sup_rigspace_balance(rs, s->posed, out_good, error);
}

/* All nodes with velocity v, which the scripted parameters then stop: steps, then balance. */
static SupResult push(Shake *s, const double *pose, SupVec3d v, bool *out_good, SupError *error) {
  SupRigspace *rs = s->rs;
  const uint32_t all = rs->def.rig->parameter_count;
  for (uint32_t n = 0; n < rs->node_count; n++) rs->from[n] = v;
  sup_history_place(&rs->history, s->posed, rs->from);
  rs->history.h_old = s->def.h;
  memcpy(rs->p, pose, all * sizeof *pose);
  memcpy(rs->p_old, pose, all * sizeof *pose);
  rs->known = false;
  *out_good = true;
  for (uint32_t k = 0; k < s->def.steps && *out_good; k++) {
    SupRigspaceReport report;
    SupResult result = sup_rigspace_step(rs, pose, s->def.h, (SupVec3d){0, 0, 0}, &report, error);
    if (result != SUP_OK) return result;
    *out_good = report.converged;
  }
  return SUP_OK;
}

static SupVec3d direction(SupRng *rng) {
  const double z = 2 * sup_rng_double(rng) - 1, turn = 2 * SUP_PI * sup_rng_double(rng);
  const double r = sqrt(1 - z * z);
  return (SupVec3d){r * sup_cos(turn), r * sup_sin(turn), z};
}

static SupResult shake_pose(Shake *s, uint32_t k, SupError *error) {
  const double *pose = &s->def.poses[(size_t)k * s->rs->def.rig->parameter_count];
  SupRng rng = sup_rng(s->def.seed, k);
  bool good = false;
  SupResult result = place_pose(s, pose, &good, error);
  if (result != SUP_OK) return result;
  if (!good || !take(s, s->posed)) {
    s->report.dropped += 1 + s->def.impulse_count;
    return SUP_OK;
  }
  for (uint32_t i = 0; i < s->def.impulse_count; i++) {
    SupVec3d v = sup_vec3d_scale(direction(&rng), s->def.speed * s->rs->size);
    bool taken = false;
    for (int softer = 0; softer <= SOFTER && !taken; softer++) {
      result = push(s, pose, v, &good, error);
      if (result != SUP_OK) return result;
      taken = good && take(s, s->rs->history.x); /* inside is in balance after every step */
      v = sup_vec3d_scale(v, 0.5);
    }
    s->report.dropped += !taken;
  }
  return SUP_OK;
}

SupResult sup_rigspace_shake(SupArena *arena, SupRigspace *rigspace, const SupRigspaceShakeDef *def,
                             SupRigspaceExamples *out_examples, SupRigspaceShakeReport *out_report,
                             SupError *error) {
  Shake s = {.rs = rigspace, .def = *def, .report = {.determinant_least = INFINITY}};
  if (rigspace->def.inside != SUP_RIGSPACE_STATIC || def->pose_count == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "examples need a pose and a simulation with nodes inside in balance");
  }
  if (s.def.steps == 0) s.def.steps = 4;
  if (!(s.def.h > 0)) s.def.h = 0.01;
  if (!(s.def.speed > 0)) s.def.speed = 2;
  if (!(s.def.determinant_least > 0)) s.def.determinant_least = 0.3;
  const size_t most = (size_t)def->pose_count * (1 + (size_t)def->impulse_count);
  s.posed = SUP_ALLOC(arena, SupVec3d, rigspace->node_count);
  s.out = SUP_ALLOC(arena, SupVec3d, most * rigspace->node_count);
  if (!s.posed || !s.out) return sup_fail_memory(error, "the examples");
  for (uint32_t k = 0; k < def->pose_count; k++) {
    SupResult result = shake_pose(&s, k, error);
    if (result != SUP_OK) return result;
  }
  if (s.count == 0) {
    return sup_fail(error, SUP_ERROR_NUMERIC,
                    "no pose gives an example: all fold the flesh; make them milder");
  }
  *out_examples = (SupRigspaceExamples){s.count, rigspace->node_count, s.out};
  if (out_report) *out_report = s.report;
  return SUP_OK;
}
