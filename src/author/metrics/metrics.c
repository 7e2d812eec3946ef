/* SPDX-License-Identifier: MIT */
/*
 * How far one motion is from another: RMS, worst vertex, velocity, relative and dynamic error
 * (docs/design.md, "Errors have names").
 *
 * Every sum runs over a fixed chunk of vertices in double, and the chunks are added in order.
 */
#include "supple/author/metrics.h"

#include "author/metrics/spectrum.h"
#include "supple/geom/bounds.h"

/* What one chunk of vertices adds to one frame. */
typedef struct FrameSum {
  double error;       /* sum of weight * |a - b|^2 */
  double skinning;    /* sum of weight * |skinning - b|^2 */
  double quasistatic; /* sum of weight * |quasistatic - b|^2 */
  double velocity;    /* sum of weight * |(a - b) - (a - b of the frame before)|^2 */
  double worst;       /* largest |a - b|^2 */
  uint32_t worst_vertex;
} FrameSum;

typedef struct Comparison {
  const SupCompareDef *def;
  FrameSum *sums;    /* [chunk_count * frame_count] */
  float *vertex_rms; /* [vertex_count] or NULL */
} Comparison;

#define GRAIN 4096

static SupVec3d difference(SupVec3 p, SupVec3 q) {
  return (SupVec3d){(double)p.x - (double)q.x, (double)p.y - (double)q.y,
                    (double)p.z - (double)q.z};
}

static double square(SupVec3d v) { return v.x * v.x + v.y * v.y + v.z * v.z; }

static double weight_of(const SupCompareDef *def, uint32_t v) {
  return def->vertex_weights ? (double)def->vertex_weights[v] : 1;
}

/* One vertex over all frames. */
static void add_vertex(const Comparison *job, FrameSum *sums, uint32_t v) {
  const SupCompareDef *def = job->def;
  double weight = weight_of(def, v);
  double total = 0;
  SupVec3d before = {0, 0, 0};
  for (uint32_t i = 0; i < def->frame_count; i++) {
    size_t at = (size_t)i * def->vertex_count + v;
    SupVec3d error = difference(def->a[at], def->b[at]);
    double error_square = square(error);
    FrameSum *sum = &sums[i];
    sum->error += weight * error_square;
    total += error_square;
    if (error_square > sum->worst) {
      sum->worst = error_square;
      sum->worst_vertex = v;
    }
    if (def->skinning) {
      sum->skinning += weight * square(difference(def->skinning[at], def->b[at]));
    }
    if (def->quasistatic) {
      sum->quasistatic += weight * square(difference(def->quasistatic[at], def->b[at]));
    }
    if (i > 0) {
      SupVec3d step = {error.x - before.x, error.y - before.y, error.z - before.z};
      sum->velocity += weight * square(step);
    }
    before = error;
  }
  if (job->vertex_rms) {
    job->vertex_rms[v] = (float)__builtin_sqrt(total / (double)def->frame_count);
  }
}

static void add_range(void *context, SupRange range) {
  const Comparison *job = (const Comparison *)context;
  FrameSum *sums = job->sums + (size_t)range.chunk * job->def->frame_count;
  for (uint32_t v = range.first; v < range.first + range.count; v++) add_vertex(job, sums, v);
}

/* Adds the chunks' sums for frame i, in chunk order. */
static FrameSum frame_total(const Comparison *job, uint32_t i) {
  FrameSum total = {.worst = -1};
  uint32_t chunks = sup_range_count(job->def->vertex_count, GRAIN);
  for (uint32_t chunk = 0; chunk < chunks; chunk++) {
    const FrameSum *sum = &job->sums[(size_t)chunk * job->def->frame_count + i];
    total.error += sum->error;
    total.skinning += sum->skinning;
    total.quasistatic += sum->quasistatic;
    total.velocity += sum->velocity;
    if (sum->worst > total.worst) {
      total.worst = sum->worst;
      total.worst_vertex = sum->worst_vertex;
    }
  }
  return total;
}

static double mean_root(double sum, double weight) {
  return weight > 0 ? __builtin_sqrt(sum / weight) : 0;
}

static float ratio_or_nan(double above, double below) {
  return below > 0 ? (float)(above / below) : __builtin_nanf("");
}

/* Sums over frames, in frame order, into the report. */
static void summarise(const Comparison *job, double weight, SupCompareReport *report,
                      SupFrameError *frames) {
  const SupCompareDef *def = job->def;
  FrameSum all = {.worst = -1};
  for (uint32_t i = 0; i < def->frame_count; i++) {
    FrameSum sum = frame_total(job, i);
    all.error += sum.error;
    all.skinning += sum.skinning;
    all.quasistatic += sum.quasistatic;
    all.velocity += sum.velocity;
    if (sum.worst > all.worst) {
      all.worst = sum.worst;
      report->worst_vertex = sum.worst_vertex;
      report->worst_frame = i;
    }
    if (frames) {
      frames[i] =
          (SupFrameError){(float)mean_root(sum.error, weight), (float)__builtin_sqrt(sum.worst),
                          (float)mean_root(sum.skinning, weight)};
    }
  }
  double frame_count = (double)def->frame_count;
  double rms = mean_root(all.error, weight * frame_count);
  report->rms = (float)rms;
  report->worst = (float)__builtin_sqrt(all.worst);
  if (def->frame_count > 1) {
    report->velocity_rms =
        (float)(mean_root(all.velocity, weight * (frame_count - 1)) * (double)def->fps);
  }
  report->relative_error = ratio_or_nan(rms, mean_root(all.skinning, weight * frame_count));
  report->dynamic_error = ratio_or_nan(rms, mean_root(all.quasistatic, weight * frame_count));
  if (report->height > 0) {
    report->rms_percent = (float)(100 * rms / (double)report->height);
    report->worst_percent = 100 * report->worst / report->height;
  }
}

SupResult sup_compare(SupArena *arena, const SupCompareDef *def, SupCompareReport *out_report,
                      SupFrameError *out_frames, float *out_vertex_rms, SupError *error) {
  if (def->frame_count == 0 || def->vertex_count == 0) {
    return sup_fail(error, SUP_ERROR_FORMAT,
                    "there is nothing to compare: %u frames of %u vertices", def->frame_count,
                    def->vertex_count);
  }
  double weight = 0;
  for (uint32_t v = 0; v < def->vertex_count; v++) weight += weight_of(def, v);
  if (!(weight > 0)) {
    return sup_fail(error, SUP_ERROR_FORMAT,
                    "the vertex weights sum to %g; the sum must be above 0", weight);
  }
  uint32_t chunks = sup_range_count(def->vertex_count, GRAIN);
  Comparison job = {def, SUP_ALLOC(arena, FrameSum, (size_t)chunks * def->frame_count),
                    out_vertex_rms};
  if (!job.sums) return sup_fail_memory(error, "comparing");

  SupCompareReport report = {.height = def->height};
  if (!(report.height > 0)) {
    SupBounds box = sup_bounds(def->b, def->vertex_count);
    report.height = box.high.y - box.low.y;
  }
  SupResult result = sup_spectrum_vibration(arena, def, weight, &report.vibration, error);
  if (result != SUP_OK) return result;
  /* Rounding of float positions vibrates too; a millionth of the height is not a motion. */
  if (report.vibration.amplitude <= 1e-6f * report.height) report.vibration = (SupVibration){0};
  sup_parallel_for(def->jobs, def->vertex_count, GRAIN, add_range, &job);
  summarise(&job, weight, &report, out_frames);
  *out_report = report;
  return SUP_OK;
}
