/* SPDX-License-Identifier: MIT */
/*
 * Learning as a whole: candidates of rising effort, each built once, measured on all motion, chosen
 * by what was held back. Then the chosen one is fitted again, to everything.
 */
#include <math.h>

#include "supple/author/modes_pack.h"
#include "train/learn/learn_parts.h"

#define COOKIE SUP_FOURCC('l', 'r', 'n', 'd')
#define AS_GOOD 0.005 /* of skinning's error: no reason for a larger stack */

typedef struct Learn {
  const SupLearnDef *def;
  SupArena *arena;
  SupLearnMotion *motions;
  uint32_t motion_count;
  SupLearnReport *report;
  SupModel *preset, *layer, *surface, *correctives, *modes, *fitted;
} Learn;

static const char *const names[SUP_LEARN_STACKS] = {"plain skinning",
                                                    "surface, preset soft",
                                                    "surface, learned",
                                                    "correctives",
                                                    "modes",
                                                    "correctives + modes",
                                                    "correctives + modes, fitted",
                                                    "correctives + modes, fitted, under a surface"};

const char *sup_learn_stack_name(SupLearnStack stack) {
  return (unsigned)stack < SUP_LEARN_STACKS ? names[stack] : "";
}

SupLearnDef sup_learn_def(const SupCharacter *character) {
  return (SupLearnDef){.cookie = COOKIE,
                       .character = character,
                       .pose_count = 120,
                       .far_count = 60,
                       .fps = 60,
                       .seed = 1,
                       .modes = sup_modes_train_def(character)};
}

static double now(const Learn *l) { return l->def->seconds ? l->def->seconds() : 0; }

static void tell(const Learn *l, int done) {
  if (l->def->progress) l->def->progress(l->def->user, "learning", done, SUP_LEARN_STACKS);
}

/* ---- Building ---------------------------------------------------------------------------------
 */

/* From poses; without any, from the slow part of the motions. */
static SupResult learn_correctives(Learn *l, bool everything, SupModel **out_model,
                                   SupError *error) {
  SupCorrectivesTrainDef def = sup_correctives_train_def(l->def->character);
  SupCorrectivesExample *examples = SUP_ALLOC(l->arena, SupCorrectivesExample, l->motion_count);
  if (!examples) return sup_fail_memory(error, "learning");
  for (uint32_t k = 0; k < l->motion_count; k++) {
    if (!l->motions[k].clip) {
      examples[def.example_count++] = (SupCorrectivesExample){l->motions[k].samples, false};
    }
  }
  const bool poses = def.example_count > 0;
  for (uint32_t k = 0; k < l->motion_count && !poses; k++) {
    if (!sup_learn_from(&l->motions[k], everything)) continue;
    examples[def.example_count++] = (SupCorrectivesExample){l->motions[k].samples, true};
  }
  def.examples = examples;
  def.gravity = l->def->gravity;
  def.jobs = l->def->jobs;
  return sup_correctives_train(l->arena, &def, out_model, &l->report->correctives, error);
}

static SupResult fit_modes(Learn *l, bool everything, SupModel **out_model, SupError *error) {
  SupModesFitDef def = sup_modes_fit_def(l->def->character);
  SupModesExample *examples = SUP_ALLOC(l->arena, SupModesExample, l->motion_count);
  char *copy = SUP_COPY(l->arena, char, (const char *)l->modes, (size_t)l->modes->bytes);
  if (!examples || !copy) return sup_fail_memory(error, "learning");
  for (uint32_t k = 0; k < l->motion_count; k++) {
    if (!l->motions[k].clip || !sup_learn_from(&l->motions[k], everything)) continue;
    examples[def.example_count++] = (SupModesExample){l->motions[k].samples, l->motions[k].clip};
  }
  def.examples = examples;
  def.correctives = l->correctives;
  def.gravity = l->def->gravity;
  def.jobs = l->def->jobs;
  *out_model = (SupModel *)(void *)copy;
  return sup_modes_fit(l->arena, &def, *out_model, &l->report->fit, error);
}

static SupResult fit_swing(Learn *l, SupError *error) {
  SupResult result = fit_modes(l, false, &l->fitted, error);
  if (result) return result;
  return sup_learn_swing(l->arena, l->def, l->motions, l->motion_count, l->correctives, l->fitted,
                         &l->report->swing, error);
}

static SupResult build(Learn *l, SupLearnStack stack, SupError *error) {
  SupModesTrainDef modes = l->def->modes;
  modes.jobs = l->def->jobs;
  if (l->def->lock) modes.attach.lock = l->def->lock;
  switch (stack) {
    case SUP_LEARN_PRESET: return sup_learn_preset(l->arena, l->def, false, &l->preset, error);
    case SUP_LEARN_SURFACE:
      if (l->def->skip_surface) return SUP_OK;
      return sup_learn_surface(l->arena, l->def, l->motions, l->motion_count, &l->surface, error);
    case SUP_LEARN_CORRECTIVES: return learn_correctives(l, false, &l->correctives, error);
    case SUP_LEARN_MODES:
      return sup_modes_train(l->arena, &modes, &l->modes, &l->report->modes, error);
    case SUP_LEARN_LAYERED: return sup_learn_preset(l->arena, l->def, true, &l->layer, error);
    case SUP_LEARN_FITTED: return fit_swing(l, error);
    default: return SUP_OK;
  }
}

static void put_models(Learn *l, SupLearnStack stack, SupLearnCandidate *out) {
  const SupModel *lists[SUP_LEARN_STACKS][3] = {
      [SUP_LEARN_PRESET] = {l->preset},
      [SUP_LEARN_SURFACE] = {l->surface},
      [SUP_LEARN_CORRECTIVES] = {l->correctives},
      [SUP_LEARN_MODES] = {l->modes},
      [SUP_LEARN_BOTH] = {l->correctives, l->modes},
      [SUP_LEARN_FITTED] = {l->correctives, l->fitted},
      [SUP_LEARN_LAYERED] = {l->correctives, l->fitted, l->layer},
  };
  out->model_count = 0;
  out->bytes = 0;
  for (int k = 0; k < 3; k++) {
    if (!lists[stack][k]) continue;
    out->models[out->model_count++] = lists[stack][k];
    out->bytes += (size_t)lists[stack][k]->bytes;
  }
}

/* ---- Measuring and choosing -------------------------------------------------------------------
 */

static SupResult measure(Learn *l, SupLearnStack stack, SupError *error) {
  SupLearnCandidate *candidate = &l->report->candidates[stack];
  SupLearnMeasure *measures = SUP_ALLOC(l->arena, SupLearnMeasure, l->motion_count);
  if (!measures) return sup_fail_memory(error, "learning");
  uint32_t held = 0;
  for (uint32_t k = 0; k < l->motion_count; k++) {
    SupLearnMeasure *measured = &measures[k];
    measured->compare = (SupCompareReport){.relative_error = NAN, .dynamic_error = NAN};
    if (!l->motions[k].clip) continue;
    SupResult result = sup_learn_measure(l->arena, l->def, &l->motions[k], candidate->model_count,
                                         candidate->models, measured, error);
    if (result) return result;
    if (!l->motions[k].held) continue;
    candidate->held += (double)measured->compare.relative_error;
    held++;
  }
  candidate->held /= held;
  candidate->measures = measures;
  candidate->tried = true;
  return SUP_OK;
}

static SupLearnStack choose(const SupLearnReport *report) {
  SupLearnStack best = SUP_LEARN_SKINNING;
  for (int k = 1; k < SUP_LEARN_STACKS; k++) {
    const SupLearnCandidate *candidate = &report->candidates[k];
    if (candidate->tried && candidate->held < report->candidates[best].held - AS_GOOD) {
      best = (SupLearnStack)k;
    }
  }
  return best;
}

/* Motion that is only tested says what the stack is worth that is kept, after its last fit. */
static SupResult measure_tests(Learn *l, const SupLearnCandidate *kept, SupError *error) {
  SupLearnMeasure *measures = (SupLearnMeasure *)(uintptr_t)kept->measures;
  for (uint32_t k = 0; k < l->motion_count; k++) {
    if (!l->motions[k].clip || !l->motions[k].test) continue;
    SupResult result = sup_learn_measure(l->arena, l->def, &l->motions[k], kept->model_count,
                                         kept->models, &measures[k], error);
    if (result) return result;
  }
  return SUP_OK;
}

/* What was held back is learned from too, once it has done its work. */
static SupResult finish(Learn *l, SupError *error) {
  const SupLearnStack chosen = l->report->chosen;
  bool poses = false;
  for (uint32_t k = 0; k < l->motion_count; k++) poses |= !l->motions[k].clip;
  SupResult result = SUP_OK;
  if (chosen >= SUP_LEARN_CORRECTIVES && chosen != SUP_LEARN_MODES && !poses) {
    result = learn_correctives(l, true, &l->correctives, error);
  }
  if (!result && (chosen == SUP_LEARN_FITTED || chosen == SUP_LEARN_LAYERED)) {
    result = fit_modes(l, true, &l->fitted, error);
    if (!result) sup_learn_scale_swing(l->fitted, l->report->swing);
  }
  if (result) return result;
  put_models(l, chosen, &l->report->candidates[chosen]);
  return measure_tests(l, &l->report->candidates[chosen], error);
}

static SupResult run(Learn *l, SupError *error) {
  SupResult result = SUP_OK;
  for (int k = 0; k < SUP_LEARN_STACKS && !result; k++) {
    SupLearnCandidate *candidate = &l->report->candidates[k];
    const double began = now(l);
    tell(l, k);
    result = build(l, (SupLearnStack)k, error);
    candidate->seconds = now(l) - began;
    put_models(l, (SupLearnStack)k, candidate);
    if (!result && (k == SUP_LEARN_SKINNING || candidate->model_count)) {
      result = measure(l, (SupLearnStack)k, error);
    }
  }
  if (result) return result;
  l->report->chosen = choose(l->report);
  return finish(l, error);
}

SupResult sup_learn(SupArena *arena, const SupLearnDef *def, SupLearnReport *out_report,
                    SupError *error) {
  if (def->cookie != COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "learning: start from sup_learn_def()");
  }
  SupLearnReport report = {0};
  Learn l = {.def = def, .arena = arena, .report = &report};
  double began = now(&l);
  SupResult result = sup_learn_motions(arena, def, &l.motions, &l.motion_count, error);
  report.teaching = now(&l) - began;
  report.motion_count = l.motion_count;
  report.motions = l.motions;
  began = now(&l);
  if (!result) result = run(&l, error);
  report.learning = now(&l) - began;
  if (!result) *out_report = report;
  return result;
}
