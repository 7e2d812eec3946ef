/* SPDX-License-Identifier: MIT */
/*
 * Learning correctives.
 *
 *   which products of joints are features                 correctives_axes.c
 *   examples as rows of features and rest-space offsets   correctives_rows.c
 *   ridge regression per group of vertices                correctives_fit.c
 *   few components                                        correctives_compress.c
 *   the model                                             here and author/pack/correctives_pack.c
 */
#include <math.h>

#include "base/scratch.h"
#include "numerics/dense.h"
#include "supple/author/correctives_pack.h"
#include "train/correctives/correctives_fit.h"

#define COOKIE SUP_FOURCC('c', 'r', 't', 'r')

SupCorrectivesTrainDef sup_correctives_train_def(const SupCharacter *character) {
  return (SupCorrectivesTrainDef){.cookie = COOKIE,
                                  .character = character,
                                  .component_count = 48,
                                  .fraction = 0.01,
                                  .falloff = 0.7,
                                  .products = 0.1,
                                  .slow = 0.25,
                                  .gain = 1};
}

static SupResult check_example(const SupCharacter *character, const SupSamples *s,
                               SupError *error) {
  if (s->order != SUP_ORDER_BODY || s->vertex_count != character->body.vertex_count) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "correctives: examples must be in the order of the body (%u vertices)",
                    character->body.vertex_count);
  }
  if (!s->poses || s->joint_count != character->skeleton.joint_count || s->frame_count == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "correctives: an example has no poses");
  }
  for (size_t i = 0; i < (size_t)s->frame_count * s->vertex_count; i++) {
    const SupVec3 p = s->positions[i];
    if (!isfinite(p.x) || !isfinite(p.y) || !isfinite(p.z)) {
      return sup_fail(error, SUP_ERROR_FORMAT,
                      "correctives: the position of vertex %u in example frame %u is not finite",
                      (uint32_t)(i % s->vertex_count), (uint32_t)(i / s->vertex_count));
    }
  }
  return SUP_OK;
}

static SupResult check(const SupCorrectivesTrainDef *def, SupError *error) {
  if (def->cookie != COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "correctives: start from sup_correctives_train_def()");
  }
  if (def->character->skeleton.bone_count == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "the character has no skin; bind it to a skeleton first");
  }
  if (def->example_count == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "correctives: no examples to learn from");
  }
  if (!(def->component_count > 0 && def->fraction >= 0 && def->ridge >= 0 && def->falloff > 0 &&
        def->falloff <= 1 && def->slow > 0 && def->products >= 0 && def->products <= 100 &&
        def->gain >= 0 && def->gain <= 1)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "correctives: a setting is out of range");
  }
  for (uint32_t e = 0; e < def->example_count; e++) {
    SupResult result = check_example(def->character, &def->examples[e].samples, error);
    if (result) return result;
  }
  return SUP_OK;
}

/* How large the offsets are, and what the regression leaves of them; before they are replaced. */
static double mean_square(const CorrectivesRows *rows, const float *a, const float *b) {
  const uint32_t vertices = rows->def->character->body.vertex_count;
  double sum = 0;
  for (uint32_t i = 0; i < rows->count; i++) {
    for (uint32_t v = 0; v < vertices; v++) {
      const size_t at = 3 * ((size_t)i * vertices + v);
      for (int c = 0; c < 3; c++) {
        const double d = (double)a[at + (size_t)c] - (b ? (double)b[at + (size_t)c] : 0);
        sum += rows->areas[v] * d * d;
      }
    }
  }
  return sum / rows->count;
}

static SupResult learn(SupArena *arena, SupArena *scratch, const SupCorrectivesTrainDef *def,
                       SupModel **out_model, SupCorrectivesTrainReport *report, SupError *error) {
  CorrectivesRows rows;
  CorrectivesFit fit;
  SupVec3 *shapes = NULL;
  double *matrix = NULL;
  float *limits = NULL;
  SupCorrectivesDef pack = sup_correctives_def();
  SupResult result = sup_correctives_rows(scratch, def, &rows, error);
  if (result) return result;
  const size_t numbers = 3 * (size_t)def->character->body.vertex_count * rows.count;
  float *wanted = SUP_COPY(scratch, float, rows.offsets, numbers);
  if (!wanted) return sup_fail_memory(error, "correctives");
  result = sup_correctives_fit(scratch, &rows, &fit, report, error);
  if (!result) {
    const double size = mean_square(&rows, wanted, NULL);
    report->size = sqrt(size);
    report->left = size > 0 ? sqrt(mean_square(&rows, wanted, fit.predictions) / size) : 0;
    result = sup_correctives_compress(scratch, &rows, &fit, report, &pack.component_count, &shapes,
                                      &matrix, &limits, error);
  }
  if (result) return result;
  for (size_t i = 0; i < (size_t)pack.component_count * def->character->body.vertex_count; i++) {
    shapes[i] = sup_vec3_scale(shapes[i], (float)def->gain);
  }
  pack.shapes = shapes;
  pack.matrix = matrix;
  pack.limits = limits;
  pack.driver_count = rows.reader.driver_count;
  pack.drivers = rows.reader.drivers;
  pack.heavy_count = rows.reader.heavy_count;
  pack.heavy = rows.reader.heavy;
  pack.axis_count = rows.reader.axis_count;
  pack.axis_drivers = rows.reader.axis_drivers;
  pack.axes = rows.reader.axes;
  pack.pair_count = rows.reader.pair_count;
  pack.pairs = rows.reader.pairs;
  pack.centre_count = rows.reader.centre_count;
  pack.centres = rows.reader.centres;
  report->example_count = rows.count;
  report->driver_count = pack.driver_count;
  report->heavy_count = pack.heavy_count;
  report->product_count = pack.pair_count + pack.axis_count;
  report->feature_count = rows.feature_count;
  report->component_count = pack.component_count;
  return sup_correctives_pack(arena, def->character, &pack, out_model, error);
}

SupResult sup_correctives_train(SupArena *arena, const SupCorrectivesTrainDef *def,
                                SupModel **out_model, SupCorrectivesTrainReport *out_report,
                                SupError *error) {
  SupResult result = check(def, error);
  if (result) return result;
  SupArena scratch;
  SupCorrectivesTrainReport report = {0};
  sup_dense_one_thread();
  scratch = sup_scratch(arena);
  result = learn(arena, &scratch, def, out_model, &report, error);
  if (!result) *out_report = report;
  sup_arena_free(&scratch);
  return result;
}
