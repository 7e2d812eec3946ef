/* SPDX-License-Identifier: MIT */
/* Rows of the tables of Mukai and Kuriyama 2016. */
#include "supple/app/paper_mukai2016.h"

#include <math.h>

const SupMukaiWay sup_mukai_ways[SUP_MUKAI_WAYS] = {
    {"state space, order validated", SUP_HELPERS_STATE_SPACE, SUP_HELPERS_VALIDATED, 0, 2, false,
     false, ""},
    {"state space, BIC", SUP_HELPERS_STATE_SPACE, SUP_HELPERS_BIC, 0, 2, false, false, ""},
    {"state space, 95 % rule", SUP_HELPERS_STATE_SPACE, SUP_HELPERS_FRACTION, 0, 2, false, false,
     ""},
    {"low rank, beta 0.01", SUP_HELPERS_LOW_RANK, SUP_HELPERS_FRACTION, 0.01, 2, false, false, ""},
    {"low rank, beta 100", SUP_HELPERS_LOW_RANK, SUP_HELPERS_FRACTION, 100, 2, false, false, ""},
    {"ARX, 2 lags", SUP_HELPERS_ARX, SUP_HELPERS_VALIDATED, 0, 2, false, false, "4.40"},
    {"ARX, 3 lags", SUP_HELPERS_ARX, SUP_HELPERS_VALIDATED, 0, 3, false, false, "4.53"},
    {"ARX, 4 lags", SUP_HELPERS_ARX, SUP_HELPERS_VALIDATED, 0, 4, false, false, "4.50"},
    {"as published, 95 % rule", SUP_HELPERS_STATE_SPACE, SUP_HELPERS_FRACTION, 0, 2, true, true,
     "3.07, 9.2"},
    {"as published, beta 0.01", SUP_HELPERS_LOW_RANK, SUP_HELPERS_FRACTION, 0.01, 2, true, true,
     "2.49, 4.0"},
    {"as published, beta 1", SUP_HELPERS_LOW_RANK, SUP_HELPERS_FRACTION, 1, 2, true, true,
     "2.47, 3.3"},
    {"as published, ARX 2", SUP_HELPERS_ARX, SUP_HELPERS_VALIDATED, 0, 2, false, true, "4.40"},
};

SupResult sup_mukai_helpers(SupMukaiStudy *s, uint32_t helpers, SupMukaiHelpersRow *out,
                            SupError *error) {
  SupMukaiLearned *l = &out->learned;
  SupResult result = sup_mukai_learn(s, &sup_mukai_ways[0], helpers, l, error);
  if (result == SUP_OK) result = sup_mukai_levels(s, SUP_MUKAI_SEEN, l, out->seen, error);
  if (result == SUP_OK) result = sup_mukai_levels(s, SUP_MUKAI_RANDOM, l, out->random, error);
  if (result != SUP_OK) return result;
  out->micros[0] = sup_mukai_time(s, l, SUP_HELPERS_STATIC);
  out->micros[1] = sup_mukai_time(s, l, SUP_HELPERS_FULL);
  return SUP_OK;
}

SupResult sup_mukai_way(SupMukaiStudy *s, const SupMukaiWay *way, uint32_t helpers,
                        SupMukaiLearned *out_learned, SupCompareReport out[SUP_MUKAI_CLIPS][2],
                        SupError *error) {
  SupResult result = sup_mukai_learn(s, way, helpers, out_learned, error);
  for (uint32_t k = 0; k < SUP_MUKAI_CLIPS && result == SUP_OK; k++) {
    result = sup_mukai_levels(s, k, out_learned, out[k], error);
  }
  return result;
}

static double distance(const SupMukaiStudy *s, const SupVec3 *a, const SupVec3 *b,
                       uint32_t frames) {
  const size_t n = s->character.body.vertex_count;
  double sum = 0, all = 0;
  for (uint32_t f = 0; f < frames; f++) {
    for (size_t i = 0; i < n; i++) {
      const double off = (double)sup_vec3_distance(a[f * n + i], b[f * n + i]);
      sum += (double)s->areas[i] * off * off;
      all += (double)s->areas[i];
    }
  }
  return sqrt(sum / all);
}

void sup_mukai_exaggerate(SupMukaiStudy *s, SupMukaiLearned *l, float factor, double out[2]) {
  const SupKeysTruth *truth = &s->truths[SUP_MUKAI_RAPID];
  SupHelpersControls controls = sup_helpers_controls();
  controls.lod = SUP_HELPERS_STATIC;
  sup_mukai_play(s, truth, l, &controls, s->base);
  controls.lod = SUP_HELPERS_FULL;
  controls.exaggerate = factor;
  for (int limited = 0; limited < 2; limited++) {
    controls.range = limited ? SUP_HELPERS_LIMIT : 0;
    sup_mukai_play(s, truth, l, &controls, s->a);
    out[limited] = distance(s, s->a, s->base, truth->motion.frame_count);
  }
}
