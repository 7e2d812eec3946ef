/* SPDX-License-Identifier: MIT */
/* The motions of one material out of many, and how many states fit. */
#include "train/helpers/controllers.h"

/* ---- One material's motions ------------------------------------------------------------------ */

static bool teaches(const SupHelpersMotion *motion, uint32_t material) {
  return motion->material == SUP_HELPERS_EVERY || motion->material == material;
}

/* Rows of `width` numbers of the frames that teach. */
static double *pick(const Learner *l, uint32_t material, uint32_t frames, size_t width,
                    const double *from) {
  double *out = SUP_ALLOC(l->arena, double, frames *width), *to = out;
  for (uint32_t m = 0; m < l->def->motion_count && out; m++) {
    const size_t numbers = width * l->def->motions[m].frame_count;
    if (teaches(&l->def->motions[m], material)) {
      sup_copy(to, from, numbers * sizeof *to);
      to += numbers;
    }
    from += numbers;
  }
  return out;
}

static SupResult divide_controllers(const Learner *l, uint32_t material, Learner *io) {
  const uint32_t helpers = l->baker.parts.helper_count;
  const size_t count = (size_t)OUTPUTS * io->frames;
  io->controllers = SUP_COPY(l->arena, Controller, l->controllers, helpers);
  if (!io->controllers) return sup_fail_memory(l->error, "learning helpers");
  for (uint32_t h = 0; h < helpers; h++) {
    Controller *c = &io->controllers[h];
    sup_zero(c->choices, sizeof c->choices);
    c->q = pick(l, material, io->frames, OUTPUTS, c->q);
    c->x = SUP_ALLOC(l->arena, double, count);
    c->y = SUP_ALLOC(l->arena, double, count);
    c->goes = NULL;
    c->cut = 0;
    if (!c->q || !c->x || !c->y) return sup_fail_memory(l->error, "learning helpers");
  }
  return SUP_OK;
}

SupResult sup_learner_divide(const Learner *l, uint32_t material, Learner *out) {
  SupHelpersTrainDef *def = SUP_COPY(l->arena, SupHelpersTrainDef, l->def, 1);
  SupHelpersMotion *motions = SUP_ALLOC(l->arena, SupHelpersMotion, l->def->motion_count);
  if (!def || !motions) return sup_fail_memory(l->error, "learning helpers");
  uint32_t *frame_of = SUP_ALLOC(l->arena, uint32_t, l->frames), first = 0;
  if (!frame_of) return sup_fail_memory(l->error, "learning helpers");
  *out = *l;
  def->motion_count = 0;
  def->motions = motions;
  out->def = def;
  out->frames = 0;
  for (uint32_t m = 0; m < l->def->motion_count; m++) {
    const uint32_t count = l->def->motions[m].frame_count;
    if (teaches(&l->def->motions[m], material)) {
      motions[def->motion_count++] = l->def->motions[m];
      for (uint32_t t = 0; t < count; t++) frame_of[out->frames++] = first + t;
    }
    first += count;
  }
  out->frame_of = frame_of;
  out->u = pick(l, material, out->frames, l->input_count, l->u);
  out->values = pick(l, material, out->frames, l->feature_count, l->values);
  out->box = SUP_COPY(l->arena, double, l->box, 2 * (size_t)l->input_count);
  if (!out->u || !out->values || !out->box) return sup_fail_memory(l->error, "learning helpers");
  return divide_controllers(l, material, out);
}

/* ---- How many states ------------------------------------------------------------------------- */

/* Of a helper in one material, at most, with so many of what may be changed. */
static uint32_t most_states(const SupHelpersTrainDef *def, uint32_t inputs, uint32_t value) {
  const uint32_t systems = def->each ? OUTPUTS : 1, outputs = OUTPUTS / systems;
  if (def->system == SUP_HELPERS_ARX) {
    return value ? systems * (value * outputs + (value - 1) * inputs) : 0;
  }
  return def->each ? systems * (value < SUP_LEARNER_EACH ? value : SUP_LEARNER_EACH) : value;
}

SupResult sup_learner_check_states(const SupHelpersTrainDef *def, uint32_t inputs,
                                   SupError *error) {
  const bool arx = def->system == SUP_HELPERS_ARX;
  const uint32_t count = def->material_count;
  uint32_t value = arx ? def->lags : def->states;
  if (count < 2 || value > 1000) return SUP_OK; /* refused for itself */
  const uint32_t states = most_states(def, inputs, value);
  if (count * states <= SUP_HELPERS_STATES) return SUP_OK;
  while (value > 0 && count * most_states(def, inputs, value) > SUP_HELPERS_STATES) value--;
  if (value == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "helpers: up to %u states in each of %u materials, but the maximum for all is "
                    "%u: learn fewer materials%s",
                    states, count, SUP_HELPERS_STATES,
                    def->each ? ", or one system for all numbers of a helper" : "");
  }
  return sup_fail(error, SUP_ERROR_ARGUMENT,
                  "helpers: up to %u states in each of %u materials, but the maximum for all is "
                  "%u: set the %s to %u, or learn fewer materials",
                  states, count, SUP_HELPERS_STATES, arx ? "lags" : "order", value);
}
