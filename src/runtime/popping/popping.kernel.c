/* SPDX-License-Identifier: MIT */
/*
 * The popping technique, 16 vertices at a time.
 *
 *   clenched    way <- a way + b (g - s), s <- s + way     popping_step
 *   releasing  s <- hold s, 0 when it is small             popping_step
 *   in between  a fraction of a step (popping_swing.c)      popping_show
 */
#include "runtime/popping/popping_kernel.h"

#include "math/elementary.h"

/* Fractions stay finite whatever comes in; overshoot of a sensible contraction is far below. */
#define FARTHEST 16

#define ROW(rows, which) sup_vf_load((rows) + SUP_BLOCK * (which) + lane)

SUP_INLINE const float *swing_rows(const SupPoppingView *model, uint32_t block) {
  return model->swing + (size_t)(SUP_POPPING_ROWS * SUP_BLOCK) * block;
}

static void activate(const float *swing, float goal, float *fractions, float *ways) {
  for (int lane = 0; lane < SUP_BLOCK; lane += SUP_WIDTH) {
    const sup_vf s = sup_vf_load(fractions + lane);
    const sup_vf way = ROW(swing, SUP_POPPING_KEEP) * sup_vf_load(ways + lane) +
                       ROW(swing, SUP_POPPING_PULL) * (sup_vf_splat(goal) - s);
    const sup_vf next = sup_max(SUP_C(-FARTHEST), sup_min(s + way, SUP_C(FARTHEST)));
    sup_vf_store(fractions + lane, next);
    sup_vf_store(ways + lane, next - s);
  }
}

/* True while something is left. */
static uint32_t release(float hold, float still, float *fractions, float *ways) {
  int left = 0;
  for (int lane = 0; lane < SUP_BLOCK; lane += SUP_WIDTH) {
    const sup_vf s = sup_vf_load(fractions + lane), next = s * sup_vf_splat(hold);
    const sup_vi gone = sup_lt(sup_abs(next), sup_vf_splat(still));
    const sup_vf shown = sup_select(gone, SUP_C(0), next);
    left |= !sup_all(gone);
    sup_vf_store(fractions + lane, shown);
    sup_vf_store(ways + lane, shown - s);
  }
  return left ? 1 : 0;
}

void SUP_KERNEL(popping_step)(const SupPoppingStepCall *call) {
  const SupPoppingView *model = call->model;
  for (uint32_t g = 0; g < model->group_count; g++) call->alive[g] = 0;
  for (uint32_t block = 0; block < model->bulge.block_count; block++) {
    for (uint32_t k = model->slot_first[block]; k < model->slot_first[block + 1]; k++) {
      const SupPoppingPull *pull = &call->pulls[model->slots[k]];
      float *fractions = call->fractions + (size_t)SUP_BLOCK * k;
      float *ways = call->ways + (size_t)SUP_BLOCK * k;
      if (pull->phase == SUP_POPPING_ACTIVE) {
        activate(swing_rows(model, block), pull->goal, fractions, ways);
        call->alive[model->slots[k]] = 1;
      } else if (pull->phase == SUP_POPPING_RELEASED) {
        call->alive[model->slots[k]] |= release(pull->hold, model->times.still, fractions, ways);
      }
    }
  }
}

/* g + (M^part (s - g, way)), the first of the two. */
SUP_INLINE sup_vf between(const float *swing, float goal, float part, sup_vf s, sup_vf way,
                          int lane) {
  const sup_vf fade = ROW(swing, SUP_POPPING_FADE), angle = ROW(swing, SUP_POPPING_ANGLE);
  const sup_vf r = sup_vf_splat(part), left = sup_vf_exp(r * fade);
  const sup_vf rho = sup_vf_sqrt(ROW(swing, SUP_POPPING_KEEP));
  sup_vf angles[2], sines[2], cosines[2]; /* of a whole step and of the part */
  angles[0] = angle;
  angles[1] = r * angle;
  for (int k = 0; k < 2; k++) sup_vf_sincos(angles[k], &sines[k], &cosines[k]);
  const sup_vf cosine = cosines[0], m = sines[1] / sines[0];
  const sup_vf i = cosines[1] - cosine * m; /* sin((1 - r) angle) / sin(angle) */
  const sup_vf gap = s - sup_vf_splat(goal);
  return sup_vf_splat(goal) + left * (((SUP_C(2) * cosine - rho) * m + i) * gap + (rho * m) * way);
}

SUP_INLINE sup_vf fraction_now(const SupPoppingShowCall *call, const SupPoppingPull *pull,
                               const float *swing, uint32_t slot, int lane) {
  const sup_vf s = sup_vf_load(call->fractions + (size_t)SUP_BLOCK * slot + lane);
  if (call->part <= 0) return s;
  if (pull->phase == SUP_POPPING_RELEASED) return s * sup_vf_splat(pull->hold);
  const sup_vf way = sup_vf_load(call->ways + (size_t)SUP_BLOCK * slot + lane);
  return between(swing, pull->goal, call->part, s, way, lane);
}

void SUP_KERNEL(popping_show)(const SupPoppingShowCall *call) {
  const SupPoppingView *model = call->model;
  for (uint32_t block = 0; block < model->bulge.block_count; block++) {
    const float *swing = swing_rows(model, block);
    for (int lane = 0; lane < SUP_BLOCK; lane += SUP_WIDTH) {
      sup_vf sum = SUP_C(0);
      for (uint32_t k = model->slot_first[block]; k < model->slot_first[block + 1]; k++) {
        const SupPoppingPull *pull = &call->pulls[model->slots[k]];
        if (pull->phase == SUP_POPPING_RELAXED) continue;
        sum += sup_vf_load(model->masks + (size_t)SUP_BLOCK * k + lane) *
               fraction_now(call, pull, swing, k, lane);
      }
      sup_vf_store(call->out + (size_t)SUP_BLOCK * block + lane, sum);
    }
  }
}
