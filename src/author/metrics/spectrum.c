/* SPDX-License-Identifier: MIT */
/*
 * The strongest vibration of one motion, and how another answers at that frequency.
 *
 * For every vertex and axis the offset signals of A and B are windowed (Hann), padded to a power
 * of two and transformed together (two real signals in one complex transform). Summed over the
 * body with the vertex weights w:
 *   P_B(f) = sum w |U_B|^2,  P_A(f) = sum w |U_A|^2,  C(f) = sum w conj(U_B) U_A
 * The frequency is the highest local maximum of P_B away from zero that is clear, or the highest
 * where none is; the amplitude ratio is sqrt(P_A / P_B), the lag -arg C, the coherence
 * |C| / sqrt(P_A P_B), all taken there. The sum of
 * powers, unlike the spectrum of a mean offset, does not cancel when one side of a body swells
 * while the other shrinks.
 */
#include "author/metrics/spectrum.h"

#include "supple/math.h"

#define LEAST_FRAMES 16
#define CHUNKS_MOST 32
/* What an oscillation has at least (clarity_of). */
#define LEAST_PERIODS 2.5
#define LEAST_RISE 3.0
#define LEAST_FRACTION 0.4

/* Powers and cross power of one frequency. */
typedef struct Bin {
  double a, b, cross_re, cross_im;
} Bin;

typedef struct Transform {
  const SupCompareDef *def;
  uint32_t size;    /* a power of two, at least twice the frames */
  double *window;   /* [frame_count] */
  double *twiddles; /* [size] cos, sin of -2 pi k / size for k < size / 2 */
  double *scratch;  /* [chunk_count * 2 * size] */
  Bin *bins;        /* [chunk_count * (size / 2)] */
  double *sums;     /* [size / 2 + 1] power of B's velocity in the bins before each, unscaled */
} Transform;

/* In-place radix-2 transform of data[2 * size] (re, im pairs). */
static void fft(const Transform *t, double *data) {
  uint32_t size = t->size;
  for (uint32_t i = 1, j = 0; i < size; i++) {
    uint32_t bit = size >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      for (uint32_t k = 0; k < 2; k++) {
        double swap = data[2 * i + k];
        data[2 * i + k] = data[2 * j + k];
        data[2 * j + k] = swap;
      }
    }
  }
  for (uint32_t half = 1; half < size; half *= 2) {
    uint32_t stride = size / (2 * half);
    for (uint32_t first = 0; first < size; first += 2 * half) {
      for (uint32_t k = 0; k < half; k++) {
        double c = t->twiddles[2 * k * stride], s = t->twiddles[2 * k * stride + 1];
        double *p = data + 2 * (first + k), *q = p + 2 * (size_t)half;
        double re = q[0] * c - q[1] * s, im = q[0] * s + q[1] * c;
        q[0] = p[0] - re;
        q[1] = p[1] - im;
        p[0] += re;
        p[1] += im;
      }
    }
  }
}

static double axis_of(SupVec3 p, int axis) {
  return (double)(axis == 0 ? p.x : axis == 1 ? p.y : p.z);
}

/* The windowed offsets of one vertex and axis: A as real part, B as imaginary part. */
static void load_signals(const Transform *t, uint32_t v, int axis, double *data) {
  const SupCompareDef *def = t->def;
  double mean[2] = {0, 0}, total = 0;
  for (uint32_t i = 0; i < def->frame_count; i++) {
    size_t at = (size_t)i * def->vertex_count + v;
    double base = def->skinning ? axis_of(def->skinning[at], axis) : 0;
    data[2 * i] = axis_of(def->a[at], axis) - base;
    data[2 * i + 1] = axis_of(def->b[at], axis) - base;
    mean[0] += t->window[i] * data[2 * i];
    mean[1] += t->window[i] * data[2 * i + 1];
    total += t->window[i];
  }
  for (uint32_t i = 0; i < def->frame_count; i++) {
    data[2 * i] = (data[2 * i] - mean[0] / total) * t->window[i];
    data[2 * i + 1] = (data[2 * i + 1] - mean[1] / total) * t->window[i];
  }
  for (uint32_t i = 2 * def->frame_count; i < 2 * t->size; i++) data[i] = 0;
}

/* Adds the powers of one transformed pair: Z = U_A + i U_B, hence U_A = (Z(k) + conj Z(-k)) / 2
 * and U_B = (Z(k) - conj Z(-k)) / 2i. */
static void add_powers(const Transform *t, const double *data, double weight, Bin *bins) {
  for (uint32_t k = 1; k < t->size / 2; k++) {
    const double *z = data + 2 * k, *m = data + 2 * (t->size - k);
    double a_re = (z[0] + m[0]) / 2, a_im = (z[1] - m[1]) / 2;
    double b_re = (z[1] + m[1]) / 2, b_im = (m[0] - z[0]) / 2;
    bins[k].a += weight * (a_re * a_re + a_im * a_im);
    bins[k].b += weight * (b_re * b_re + b_im * b_im);
    bins[k].cross_re += weight * (b_re * a_re + b_im * a_im);
    bins[k].cross_im += weight * (b_re * a_im - b_im * a_re);
  }
}

static void transform_range(void *context, SupRange range) {
  const Transform *t = (const Transform *)context;
  double *data = t->scratch + (size_t)range.chunk * 2 * t->size;
  Bin *bins = t->bins + (size_t)range.chunk * (t->size / 2);
  for (uint32_t v = range.first; v < range.first + range.count; v++) {
    double weight = t->def->vertex_weights ? (double)t->def->vertex_weights[v] : 1;
    for (int axis = 0; axis < 3; axis++) {
      load_signals(t, v, axis, data);
      fft(t, data);
      add_powers(t, data, weight, bins);
    }
  }
}

/* Bins beyond the main lobe that the slow part makes. */
static uint32_t first_bin(const Transform *t) { return 2 * t->size / t->def->frame_count + 1; }

/* The mean power of B's velocity between two bins; -1 where there is none. *out_fraction is what is
 * there of the whole. */
static double mean_between(const Transform *t, double low, double high, double *out_fraction) {
  const double last = (double)(t->size / 2 - 1);
  const double from = low > 1 ? low : 1, to = high < last ? high : last;
  *out_fraction = 0;
  if (!(to >= from)) return -1;
  uint32_t begin = (uint32_t)from;
  const uint32_t end = (uint32_t)to + 1;
  if ((double)begin < from) begin++;
  if (begin >= end) return -1;
  const double sum = t->sums[end] - t->sums[begin], all = t->sums[t->size / 2];
  *out_fraction = all > 0 ? sum / all : 0;
  return sum / (double)(end - begin);
}

/* SupVibration.clarity. Velocities, because the slow motion of the pose counts little in them. An
 * oscillation has its fraction of their power within a factor of 1.5 of its frequency, and rises
 * above what lies an octave and more below and above it: three times, and more the fewer
 * independent bins there are, as noise scatters. White noise rises upwards all the way and a random
 * walk is flat. Of 200 draws of noise and walks of one pattern over the body, of 30 to 600 frames,
 * 0 to 4 pass; of oscillators with damping ratios of 0.1 to 0.3 that are hit once a second, all. */
static double clarity_of(const Transform *t, uint32_t peak) {
  const double at = (double)peak, top = (double)(t->size / 2);
  const double bin = (double)t->size / (double)t->def->frame_count;
  const double beyond = 2 * at < 0.8 * top ? 2 * at : 1.5 * at;
  double fraction, unused;
  if (at < LEAST_PERIODS * bin || beyond > 0.9 * top) return 0;
  const double core = mean_between(t, at / 1.25, at * 1.25, &unused);
  const double below = mean_between(t, at / 4, at / 2, &unused);
  const double above = mean_between(t, beyond, 4 * at, &unused);
  mean_between(t, at / 1.5, at * 1.5, &fraction);
  const double independent = at * (1.5 - 1 / 1.5) / bin;
  const double rise = LEAST_RISE * (1 + 1 / sup_sqrt(independent > 1 ? independent : 1));
  const double beside = below > above ? below : above, alone = fraction / LEAST_FRACTION;
  return core < rise * beside * alone ? core / (rise * beside) : alone;
}

/* The highest local maximum of B's power that is clear; where none is, the highest of all. */
static uint32_t find_peak(const Transform *t, const Bin *bins, double *out_clarity) {
  uint32_t peak = 0;
  bool found = false;
  *out_clarity = 0;
  for (uint32_t k = first_bin(t); k + 1 < t->size / 2; k++) {
    if (!(bins[k].b > bins[k - 1].b && bins[k].b >= bins[k + 1].b)) continue;
    const double clarity = clarity_of(t, k);
    const bool clear = clarity >= 1, higher = peak == 0 || bins[k].b > bins[peak].b;
    if (found ? !clear || !higher : !clear && !higher) continue;
    found |= clear;
    peak = k;
    *out_clarity = clarity;
  }
  return peak;
}

static void sum_up(const Transform *t) {
  for (uint32_t k = 0; k < t->size / 2; k++) {
    const double f = (double)k;
    t->sums[k + 1] = t->sums[k] + f * f * t->bins[k].b;
  }
}

static void describe_peak(const Transform *t, const Bin *bins, uint32_t peak, double weight,
                          SupVibration *out) {
  const Bin *bin = &bins[peak];
  double left = __builtin_sqrt(bins[peak - 1].b), middle = __builtin_sqrt(bin->b);
  double right = __builtin_sqrt(bins[peak + 1].b);
  double bend = left - 2 * middle + right;
  double shift = bend < 0 ? 0.5 * (left - right) / bend : 0;
  double window_sum = 0;
  for (uint32_t i = 0; i < t->def->frame_count; i++) window_sum += t->window[i];
  out->frequency = (float)(((double)peak + shift) * (double)t->def->fps / (double)t->size);
  out->amplitude = (float)(2 * __builtin_sqrt(bin->b / weight) / window_sum);
  out->amplitude_ratio = (float)__builtin_sqrt(bin->a / bin->b);
  double cross = __builtin_sqrt(bin->cross_re * bin->cross_re + bin->cross_im * bin->cross_im);
  if (bin->a > 0) {
    out->coherence = (float)(cross / __builtin_sqrt(bin->a * bin->b));
    out->phase = (float)sup_atan2(-bin->cross_im, bin->cross_re);
  }
}

static void fill_tables(Transform *t) {
  const double turn = 6.283185307179586;
  for (uint32_t i = 0; i < t->def->frame_count; i++) {
    double angle = turn * ((double)i + 0.5) / (double)t->def->frame_count;
    t->window[i] = 0.5 - 0.5 * sup_cos(angle);
  }
  for (uint32_t k = 0; k < t->size / 2; k++) {
    double angle = turn * (double)k / (double)t->size;
    t->twiddles[2 * k] = sup_cos(angle);
    t->twiddles[2 * k + 1] = -sup_sin(angle);
  }
}

SupResult sup_spectrum_vibration(SupArena *arena, const SupCompareDef *def, double weight,
                                 SupVibration *out_vibration, SupError *error) {
  *out_vibration = (SupVibration){0};
  if (def->frame_count < LEAST_FRAMES || def->frame_count > (1u << 24)) return SUP_OK;
  Transform t = {.def = def, .size = 2 * LEAST_FRAMES};
  while (t.size < 2 * def->frame_count) t.size *= 2;
  uint32_t grain = sup_range_count(def->vertex_count, CHUNKS_MOST);
  uint32_t chunks = sup_range_count(def->vertex_count, grain);
  t.window = SUP_ALLOC(arena, double, def->frame_count);
  t.twiddles = SUP_ALLOC(arena, double, t.size);
  t.scratch = SUP_ALLOC(arena, double, (size_t)chunks * 2 * t.size);
  t.bins = SUP_ALLOC(arena, Bin, (size_t)chunks * (t.size / 2));
  t.sums = SUP_ALLOC(arena, double, t.size / 2 + 1);
  if (!t.window || !t.twiddles || !t.scratch || !t.bins || !t.sums) {
    return sup_fail_memory(error, "spectrum");
  }
  fill_tables(&t);
  sup_parallel_for(def->jobs, def->vertex_count, grain, transform_range, &t);
  for (uint32_t chunk = 1; chunk < chunks; chunk++) {
    const Bin *bins = t.bins + (size_t)chunk * (t.size / 2);
    for (uint32_t k = 0; k < t.size / 2; k++) {
      t.bins[k].a += bins[k].a;
      t.bins[k].b += bins[k].b;
      t.bins[k].cross_re += bins[k].cross_re;
      t.bins[k].cross_im += bins[k].cross_im;
    }
  }
  sum_up(&t);
  double clarity;
  uint32_t peak = find_peak(&t, t.bins, &clarity);
  if (peak && t.bins[peak].b > 0) {
    describe_peak(&t, t.bins, peak, weight, out_vibration);
    out_vibration->clarity = (float)clarity;
  }
  return SUP_OK;
}
