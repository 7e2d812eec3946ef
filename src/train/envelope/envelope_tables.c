/* SPDX-License-Identifier: MIT */
/*
 * A residual at the places of a mesh as K fields times tables.
 *
 * While playing, places never change and angles are few. So psi is evaluated at all vertices for a
 * grid of angles, F[sample][3 vertex + axis], and F = U S V^T is cut off where what follows is less
 * than the tolerance: tables are the columns of U, fields the rows of S V^T. For a target the
 * fields are scaled in the frame of the face (B in Guo 2007, 3.27).
 */
#include "numerics/dense.h"
#include "train/envelope/envelope_work.h"

#define GRAIN 16u
#define LEAST_TOLERANCE 1e-7 /* below, squares of singular values are rounding */
#define ORTHOGONAL 1e-6 /* of the largest example: what is left of one that is none of its own */
#define FLAT 0.05       /* of the longest side of a patch's box: thinner counts as this thick */
#define PROBES 48u      /* vertices, and angles, at which the tables are compared */

/* Samples per angle: those between in which the examples lie nearest to samples are taken. */
static const uint32_t sample_ranges[SUP_ENVELOPE_TURNS_MAX][2] = {{25, 41}, {13, 19}, {7, 10}};

#define FINEST 193u /* samples of a patch that one angle drives */

typedef struct Tabling {
  EnvelopeWork *work;
  const SupEnvelopeLearned *primary;
  const EnvelopePatch *from; /* of the primary */
  EnvelopePatch *p;
  uint32_t sample_count; /* of all angles */
  double *levels;        /* [sample_count * rank] */
  double *values;        /* [3 * count][sample_count] */
  double *squares;       /* [chunks * (from->count + 3 centres)] */
  uint32_t kept;         /* fields that are the examples */
  double *wanted;        /* [centres * centres] how much of each kept field an example is */
  SupVec3d scale;
} Tabling;

/* ---- The grid -------------------------------------------------------------------------------- */

static double angle_value(const SupEnvelopeLearned *l, const EnvelopeResidual *r, uint32_t centre,
                          uint32_t a) {
  return l->angles.angles[r->angles[a]].values[r->first[centre]];
}

/* The farthest that a posture is from a sample, in samples. */
static double off_samples(const Tabling *t, uint32_t a, uint32_t count) {
  const EnvelopeResidual *r = &t->from->residual;
  const EnvelopeAngle *angle = &t->primary->angles.angles[r->angles[a]];
  double most = 0;
  for (uint32_t c = 0; c < r->centre_count; c++) {
    const double at =
        (angle_value(t->primary, r, c, a) - angle->low) / (angle->high - angle->low) * (count - 1);
    double off = at - (double)(uint32_t)(at + 0.5);
    if (off < 0) off = -off;
    if (off > most) most = off;
  }
  return most;
}

/* Two samples or more from each example to the next, where there is but one angle. */
static uint32_t least_samples(const Tabling *t) {
  const EnvelopeResidual *r = &t->from->residual;
  const EnvelopeAngle *angle = &t->primary->angles.angles[r->angles[0]];
  double nearest = angle->high - angle->low;
  for (uint32_t c = 0; c < r->centre_count && r->angle_count == 1; c++) {
    for (uint32_t d = 0; d < c; d++) {
      double apart = angle_value(t->primary, r, c, 0) - angle_value(t->primary, r, d, 0);
      if (apart < 0) apart = -apart;
      if (apart < nearest) nearest = apart;
    }
  }
  const double count = nearest > 0 ? 2 * (angle->high - angle->low) / nearest + 1 : FINEST;
  return count < FINEST ? (uint32_t)count : FINEST;
}

static uint32_t choose_samples(const Tabling *t, uint32_t a) {
  uint32_t range[2];
  sup_copy(range, sample_ranges[t->from->residual.angle_count - 1], sizeof range);
  const uint32_t least_count = least_samples(t);
  if (least_count > range[0]) {
    range[1] += least_count - range[0];
    range[0] = least_count;
  }
  uint32_t best = range[0];
  double least = 1;
  for (uint32_t n = range[0]; n <= range[1]; n++) {
    const double off = off_samples(t, a, n);
    if (off < least - 1e-6) best = n, least = off;
  }
  return best;
}

static void angles_at(const Tabling *t, uint32_t sample, double *out) {
  const EnvelopeResidual *r = &t->from->residual;
  for (uint32_t a = 0; a < r->angle_count; a++) {
    const EnvelopeAngle *angle = &t->primary->angles.angles[r->angles[a]];
    const uint32_t n = t->p->samples[a], k = sample % n;
    out[a] = angle->low + (angle->high - angle->low) * k / (n - 1);
    sample /= n;
  }
}

/* ---- Values ---------------------------------------------------------------------------------- */

static void fill(void *context, SupRange range) {
  const Tabling *t = context;
  const EnvelopeResidual *r = &t->from->residual;
  const uint32_t n = t->sample_count;
  double *squares = t->squares + (size_t)range.chunk * (t->from->count + 3 * r->centre_count);
  double at[3 * 512];
  for (uint32_t v = range.first; v < range.first + range.count; v++) {
    double *to = t->values + 3 * (size_t)v * n;
    for (uint32_t first = 0; first < n; first += 512) {
      const uint32_t count = n - first < 512 ? n - first : 512;
      sup_envelope_residual_at(t->from, t->p->uv[v], count, t->levels + (size_t)first * r->rank,
                               squares, at);
      for (uint32_t s = 0; s < count; s++) {
        for (uint32_t k = 0; k < 3; k++) to[(size_t)k * n + first + s] = at[3 * s + k];
      }
    }
  }
}

static SupResult prepare_grid(Tabling *t) {
  const EnvelopeResidual *r = &t->from->residual;
  SupArena *scratch = t->work->scratch;
  const uint32_t chunks = sup_range_count(t->p->count, GRAIN);
  t->sample_count = 1;
  for (uint32_t a = 0; a < r->angle_count; a++) {
    t->p->samples[a] = choose_samples(t, a);
    t->sample_count *= t->p->samples[a];
  }
  const uint32_t rows = t->sample_count > r->centre_count ? t->sample_count : r->centre_count;
  t->levels = SUP_ALLOC(scratch, double, (size_t)t->sample_count * r->rank);
  t->values = SUP_ALLOC(scratch, double, 3 * (size_t)t->p->count * rows);
  t->squares = SUP_ALLOC(scratch, double, (size_t)chunks *(t->from->count + 3 * r->centre_count));
  t->wanted = SUP_ALLOC(scratch, double, (size_t)r->centre_count * r->centre_count);
  if (!t->levels || !t->values || !t->squares || !t->wanted) {
    return sup_fail_memory(t->work->error, "envelope");
  }
  for (uint32_t s = 0; s < t->sample_count; s++) {
    double angles[SUP_ENVELOPE_TURNS_MAX];
    angles_at(t, s, angles);
    sup_envelope_levels(r, angles, t->levels + (size_t)s * r->rank);
  }
  return SUP_OK;
}

/* ---- Fields ---------------------------------------------------------------------------------- */

static double dot(size_t count, const double *a, const double *b) {
  double sum = 0;
  for (size_t k = 0; k < count; k++) sum += a[k] * b[k];
  return sum;
}

static void subtract(size_t count, double much, const double *what, double *io) {
  for (size_t k = 0; k < count; k++) io[k] -= much * what[k];
}

/* The examples themselves as the first fields, orthonormal: whatever is cut off behind them, they
 * are met. io_rows[centre_count * 3 count]; returns how many there are. */
static uint32_t keep_examples(const Tabling *t, double *io_rows) {
  const EnvelopeResidual *r = &t->from->residual;
  const size_t columns = 3 * (size_t)t->p->count;
  uint32_t kept = 0;
  double most = 0;
  for (uint32_t v = 0; v < t->p->count; v++) {
    double *at = t->values; /* as scratch: the grid is not there yet */
    sup_envelope_residual_at(t->from, t->p->uv[v], r->centre_count, r->levels, t->squares, at);
    for (uint32_t c = 0; c < r->centre_count; c++) {
      for (uint32_t k = 0; k < 3; k++) io_rows[c * columns + 3 * (size_t)v + k] = at[3 * c + k];
    }
  }
  for (uint32_t c = 1; c < r->centre_count; c++) {
    double *row = io_rows + kept * columns;
    if (kept != c) sup_copy(row, io_rows + c * columns, columns * sizeof *row);
    const double whole = sup_sqrt(dot(columns, row, row));
    if (whole > most) most = whole;
    for (uint32_t twice = 0; twice < 2; twice++) {
      for (uint32_t k = 0; k < kept; k++) {
        const double *other = io_rows + k * columns;
        const double much = dot(columns, row, other);
        subtract(columns, much, other, row);
        t->wanted[(size_t)c * r->centre_count + k] += much;
      }
    }
    const double left = sup_sqrt(dot(columns, row, row));
    if (!(left > ORTHOGONAL * most)) continue;
    for (size_t k = 0; k < columns; k++) row[k] /= left;
    t->wanted[(size_t)c * r->centre_count + kept] = left;
    kept++;
  }
  return kept;
}

/* How much of the first fields is in each sample, out[sample_count * kept]; values keep the rest.
 */
static void project(const Tabling *t, uint32_t kept, const double *rows, double *out) {
  const size_t n = t->sample_count, columns = 3 * (size_t)t->p->count;
  for (size_t c = 0; c < columns; c++) {
    const double *value = t->values + c * n;
    for (uint32_t k = 0; k < kept; k++) {
      const double row = rows[k * columns + c];
      for (size_t s = 0; s < n; s++) out[k * n + s] += row * value[s];
    }
  }
  for (size_t c = 0; c < columns; c++) {
    for (uint32_t k = 0; k < kept; k++) {
      subtract(n, rows[k * columns + c], out + k * n, t->values + c * n);
    }
  }
}

/* How many of the squares, ascending, have to be kept. */
static uint32_t count_fields(const Tabling *t, const double *squares, double whole, uint32_t most) {
  const double given = t->primary->settings.tolerance;
  const double tolerance = given > LEAST_TOLERANCE ? given : LEAST_TOLERANCE;
  double left = 0;
  uint32_t dropped = 0;
  while (dropped < t->sample_count) {
    left += squares[dropped] > 0 ? squares[dropped] : 0;
    if (left > tolerance * tolerance * whole) break;
    dropped++;
  }
  const uint32_t fields = t->sample_count - dropped;
  return fields < most ? fields : most;
}

/* Field k of the patch: u^T F, or a row that is given. */
static void set_field(const Tabling *t, uint32_t k, const double *u, const double *row) {
  const size_t n = t->sample_count;
  for (uint32_t v = 0; v < t->p->count; v++) {
    double sum[3];
    for (uint32_t c = 0; c < 3; c++) {
      const size_t column = 3 * (size_t)v + c;
      sum[c] = row ? row[column] : dot(n, u, t->values + column * n);
    }
    const SupVec3d field = {sum[0], sum[1], sum[2]};
    t->p->fields[(size_t)k * t->p->count + v] = sup_vec3d_to_float(sup_vec3d_mul(t->scale, field));
  }
}

static SupResult compress(Tabling *t, uint32_t kept, const double *rows) {
  const size_t n = t->sample_count, columns = 3 * (size_t)t->p->count;
  EnvelopePatch *p = t->p;
  double *much = SUP_ALLOC(t->work->scratch, double, n *(kept ? kept : 1));
  double *gram = SUP_ALLOC(t->work->scratch, double, n *n);
  double *squares = SUP_ALLOC(t->work->scratch, double, n);
  if (!much || !gram || !squares) return sup_fail_memory(t->work->error, "envelope");
  const double whole = dot(n * columns, t->values, t->values);
  project(t, kept, rows, much);
  sup_dense_add_squares((int)n, (int)columns, t->values, gram);
  SupResult result = sup_dense_eig_symmetric((int)n, gram, squares, t->work->error);
  if (result != SUP_OK) return result;
  const uint32_t others = count_fields(t, squares, whole, SUP_ENVELOPE_FIELDS - kept);
  const uint32_t fields = p->field_count = kept + others;
  p->tables = SUP_ALLOC(t->work->arena, float, n *fields);
  p->fields = SUP_ALLOC(t->work->arena, SupVec3, (size_t)fields * p->count);
  if (!p->tables || !p->fields) return sup_fail_memory(t->work->error, "envelope");
  for (uint32_t k = 0; k < fields; k++) {
    /* Eigenvectors of F F^T are ascending by column. */
    const double *u = k < kept ? much + k * n : gram + (n - 1 - (k - kept)) * n;
    for (size_t s = 0; s < n; s++) p->tables[s * fields + k] = (float)u[s];
    set_field(t, k, u, k < kept ? rows + k * columns : NULL);
  }
  return SUP_OK;
}

static SupResult tabulate(Tabling *t) {
  double *rows =
      SUP_ALLOC(t->work->scratch, double, (size_t)t->from->residual.centre_count * 3 * t->p->count);
  if (!rows) return sup_fail_memory(t->work->error, "envelope");
  SupResult result = prepare_grid(t);
  if (result != SUP_OK) return result;
  const uint32_t kept = t->kept = keep_examples(t, rows);
  sup_parallel_for(t->work->jobs, t->p->count, GRAIN, fill, t);
  return compress(t, kept, rows);
}

/* ---- What they lose -------------------------------------------------------------------------- */

static void find_taps(const Tabling *t, const double *angles, EnvelopeTaps *out) {
  sup_envelope_find_taps(&t->primary->angles, &t->from->residual, t->p->samples, angles, out);
}

static double read_table(const Tabling *t, const EnvelopeTaps *taps, uint32_t field) {
  const float *tables = t->p->tables;
  double sum = 0;
  for (uint32_t k = 0; k < taps->count; k++) {
    sum += taps->weights[k] * (double)tables[taps->samples[k] * t->p->field_count + field];
  }
  return sum;
}

/* What tables and fields give at a vertex. */
static SupVec3d read_tables(const Tabling *t, const EnvelopeTaps *taps, uint32_t vertex) {
  SupVec3d sum = {0, 0, 0};
  for (uint32_t k = 0; k < t->p->field_count; k++) {
    const SupVec3 field = t->p->fields[(size_t)k * t->p->count + vertex];
    sum = sup_vec3d_add_scaled(sum, sup_vec3_to_double(field), read_table(t, taps, k));
  }
  return sum;
}

/* The dress shape stays exactly what it is: its posture need not be a sample, but the factors of
 * samples add up to 1. */
static void keep_dress(const Tabling *t) {
  const EnvelopeResidual *r = &t->from->residual;
  const uint32_t fields = t->p->field_count;
  EnvelopeTaps taps;
  double angles[SUP_ENVELOPE_TURNS_MAX];
  for (uint32_t a = 0; a < r->angle_count; a++) angles[a] = angle_value(t->primary, r, 0, a);
  find_taps(t, angles, &taps);
  for (uint32_t k = 0; k < fields; k++) {
    const double value = read_table(t, &taps, k);
    for (uint32_t s = 0; s < t->sample_count; s++) {
      float *at = &t->p->tables[(size_t)s * fields + k];
      *at = (float)((double)*at - value);
    }
  }
}

static void taps_of(const Tabling *t, uint32_t centre, EnvelopeTaps *out) {
  const EnvelopeResidual *r = &t->from->residual;
  double angles[SUP_ENVELOPE_TURNS_MAX];
  for (uint32_t a = 0; a < r->angle_count; a++) angles[a] = angle_value(t->primary, r, centre, a);
  find_taps(t, angles, out);
}

/* Examples lie between samples: the least change of the samples that makes tables pass through all
 * of them, T += A^T (A A^T)^-1 (wanted - A T). */
static SupResult meet_examples(const Tabling *t) {
  const uint32_t n = t->from->residual.centre_count, fields = t->p->field_count;
  EnvelopeTaps *taps = SUP_ALLOC(t->work->scratch, EnvelopeTaps, n);
  double *squares = SUP_ALLOC(t->work->scratch, double, (size_t)n *n);
  double *off = SUP_ALLOC(t->work->scratch, double, (size_t)n *fields);
  if (!taps || !squares || !off) return sup_fail_memory(t->work->error, "envelope");
  for (uint32_t c = 0; c < n; c++) {
    taps_of(t, c, &taps[c]);
    for (uint32_t k = 0; k < fields; k++) {
      const double wanted = k < t->kept ? t->wanted[(size_t)c * n + k] : 0;
      off[(size_t)k * n + c] = wanted - read_table(t, &taps[c], k);
    }
  }
  SupResult result = sup_envelope_multiply_taps(t->work, n, taps, t->sample_count, squares);
  if (result == SUP_OK) {
    result = sup_dense_solve_symmetric(t->work->scratch, (int)n, (int)fields, squares, off,
                                       t->work->error);
  }
  if (result != SUP_OK) return result == SUP_ERROR_MEMORY ? result : SUP_OK;
  for (uint32_t c = 0; c < n; c++) {
    for (uint32_t s = 0; s < taps[c].count; s++) {
      float *at = t->p->tables + taps[c].samples[s] * fields;
      for (uint32_t k = 0; k < fields; k++) {
        at[k] += (float)(taps[c].weights[s] * off[(size_t)k * n + c]);
      }
    }
  }
  return SUP_OK;
}

/* The farthest from an example that the tables are of. */
static void compare_examples(const Tabling *t) {
  const EnvelopeResidual *r = &t->from->residual;
  for (uint32_t c = 0; c < r->centre_count; c++) {
    double angles[SUP_ENVELOPE_TURNS_MAX];
    EnvelopeTaps taps;
    for (uint32_t a = 0; a < r->angle_count; a++) angles[a] = angle_value(t->primary, r, c, a);
    find_taps(t, angles, &taps);
    for (uint32_t v = 0; v < t->p->count; v++) {
      const double *d = r->values + 3 * ((size_t)c * t->p->count + v);
      const SupVec3d own = {d[0], d[1], d[2]};
      const double off = sup_vec3d_distance(read_tables(t, &taps, v), own);
      if (off > t->p->report.left) t->p->report.left = off;
    }
  }
}

/* Between the samples, at a few vertices. */
static void compare_between(const Tabling *t) {
  const EnvelopeResidual *r = &t->from->residual;
  SupRng rng = sup_rng(1, 1);
  double whole = 0, lost = 0;
  for (uint32_t s = 0; s < PROBES; s++) {
    double angles[SUP_ENVELOPE_TURNS_MAX], level[SUP_ENVELOPE_TURNS_MAX], at[3];
    for (uint32_t a = 0; a < r->angle_count; a++) {
      const EnvelopeAngle *angle = &t->primary->angles.angles[r->angles[a]];
      angles[a] = angle->low + (angle->high - angle->low) * sup_rng_double(&rng);
    }
    EnvelopeTaps taps;
    sup_envelope_levels(r, angles, level);
    find_taps(t, angles, &taps);
    for (uint32_t k = 0; k < PROBES; k++) {
      const uint32_t v = sup_rng_below(&rng, t->p->count);
      sup_envelope_residual_at(t->from, t->p->uv[v], 1, level, t->squares, at);
      const SupVec3d own = sup_vec3d_mul(t->scale, (SupVec3d){at[0], at[1], at[2]});
      const SupVec3d off = sup_vec3d_sub(read_tables(t, &taps, v), own);
      whole += sup_vec3d_dot(own, own);
      lost += sup_vec3d_dot(off, off);
    }
  }
  t->p->report.lost = whole > 0 ? sup_sqrt(lost / whole) : 0;
}

/* ---- All of them ----------------------------------------------------------------------------- */

static double thick(double side, SupVec3d box) {
  double longest = box.x > box.y ? box.x : box.y;
  if (box.z > longest) longest = box.z;
  return side > FLAT * longest ? side : FLAT * longest;
}

/* B: the ratio of the boxes in the frames of the faces, unless an author says otherwise. */
static SupVec3d scale_of(const EnvelopePatch *p, const EnvelopePatch *from) {
  const SupVec3 chosen = p->chosen_scale;
  if (sup_vec3_dot(chosen, chosen) > 0) return sup_vec3_to_double(chosen);
  return (SupVec3d){thick(p->box.x, p->box) / thick(from->box.x, from->box),
                    thick(p->box.y, p->box) / thick(from->box.y, from->box),
                    thick(p->box.z, p->box) / thick(from->box.z, from->box)};
}

static SupResult table_patch(EnvelopeWork *w, const SupEnvelopeLearned *primary, uint32_t patch) {
  Tabling t = {.work = w,
               .primary = primary,
               .from = &primary->faces[w->learned->faces[patch].source],
               .p = &w->learned->faces[patch],
               .scale = {1, 1, 1}};
  const bool own = w->learned == primary;
  if (!own) {
    t.p->report.residual = t.from->report.residual;
    t.p->report.left = t.from->report.left;
    t.p->report.example_count = t.from->report.example_count;
    t.p->report.angle_count = t.from->report.angle_count;
    t.p->report.contradiction = t.from->report.contradiction;
  }
  if (!t.from->has_residual) return SUP_OK;
  if (!own) t.scale = scale_of(t.p, t.from);
  SupResult result = tabulate(&t);
  if (result != SUP_OK) return result;
  t.p->report.field_count = t.p->field_count;
  if (primary->settings.ridge == 0) result = meet_examples(&t);
  if (result != SUP_OK) return result;
  keep_dress(&t);
  if (own) compare_examples(&t);
  compare_between(&t);
  t.p->report.scale = sup_vec3d_to_float(t.scale);
  return SUP_OK;
}

SupResult sup_envelope_tables(EnvelopeWork *w, const SupEnvelopeLearned *primary) {
  SupResult result = SUP_OK;
  for (uint32_t p = 0; p < w->learned->patch_count && result == SUP_OK; p++) {
    SupArena scratch = sup_scratch(w->scratch);
    EnvelopeWork work = *w;
    work.scratch = &scratch;
    w->learned->faces[p].report.scale = (SupVec3){1, 1, 1};
    result = table_patch(&work, primary, p);
    sup_arena_free(&scratch);
  }
  return result;
}
