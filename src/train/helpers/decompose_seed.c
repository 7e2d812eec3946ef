/* SPDX-License-Identifier: MIT */
/*
 * Where a helper is missed: around a vertex with much error, together with those near it whose
 * error runs alike. Several places are tried; that one wins whose rigid motion takes away most.
 */
#include "train/helpers/decompose.h"

#define VERTICES_PER_TASK 256
#define FRAMES_PER_TASK 16
#define PLACES 8
#define MEMBERS_MOST 256
#define ASKED 2000 /* vertices whose gain is estimated, about */
#define ALIKE 0.5  /* least correlation with the residual of the seed */

typedef struct Cluster {
  Decompose *d;
  uint32_t bone;
  uint32_t every; /* vertex that is asked what it would gain */
  uint32_t count; /* 0: all vertices */
  uint32_t members[MEMBERS_MOST];
} Cluster;

static double squared_distance(const Decompose *d, uint32_t i, uint32_t k) {
  const double *a = d->rest[i], *b = d->rest[k];
  const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
  return x * x + y * y + z * z;
}

static double row_dot(const Decompose *d, uint32_t i, uint32_t k) {
  return sup_decompose_dot(d->residuals + (size_t)i * d->stride,
                           d->residuals + (size_t)k * d->stride, d->stride);
}

/* The vertices nearest to the seed that move like it. `gains` is scratch for distances. */
static void grow(const Decompose *d, uint32_t seed, uint32_t size, Cluster *cluster) {
  double *distances = d->gains, own = row_dot(d, seed, seed);
  for (uint32_t i = 0; i < d->vertices; i++) distances[i] = squared_distance(d, seed, i);
  cluster->count = 0;
  for (uint32_t looked = 0; looked < 2 * size && cluster->count < size; looked++) {
    uint32_t nearest = 0;
    for (uint32_t i = 1; i < d->vertices; i++) {
      if (distances[i] < distances[nearest]) nearest = i;
    }
    if (!(distances[nearest] < 1e300)) break;
    distances[nearest] = 1e301;
    const double other = row_dot(d, nearest, nearest), with = row_dot(d, seed, nearest);
    const bool alike = with > 0 && with * with >= ALIKE * ALIKE * own * other;
    if (looked < 4 || alike) cluster->members[cluster->count++] = nearest;
  }
}

/* The rigid motion of a cluster, as it is (not of the error): written into the bone's rows. */
static void fit_range(void *context, SupRange range) {
  const Cluster *cluster = (const Cluster *)context;
  Decompose *d = cluster->d;
  const uint32_t count = cluster->count ? cluster->count : d->vertices;
  for (uint32_t t = range.first; t < range.first + range.count; t++) {
    double moment[12] = {0}, mass[16] = {0}, out[12];
    for (uint32_t k = 0; k < count; k++) {
      const uint32_t i = cluster->count ? cluster->members[k] : k;
      const double *v = d->rest[i];
      const float *y = d->targets + (size_t)i * d->stride + (size_t)3 * t;
      for (int c = 0; c < 4; c++) {
        for (int r = 0; r < 3; r++) moment[3 * c + r] += (double)y[r] * v[c];
        for (int r = 0; r < 4; r++) mass[4 * r + c] += v[r] * v[c];
      }
    }
    SupQuatd *turn = &d->turns[(size_t)cluster->bone * d->frames + t];
    if (!sup_rigid_fit(moment, mass, turn, out)) continue;
    for (uint32_t c = 0; c < 4; c++) {
      double *row = sup_decompose_row(d, cluster->bone, c) + (size_t)3 * t;
      for (uint32_t r = 0; r < 3; r++) row[r] = out[3 * c + r];
    }
  }
}

static void fit(Cluster *cluster) {
  Decompose *d = cluster->d;
  SupQuatd *turns = d->turns + (size_t)cluster->bone * d->frames;
  for (uint32_t t = 0; t < d->frames; t++) turns[t] = sup_quatd_identity();
  sup_parallel_for(d->def->jobs, d->frames, FRAMES_PER_TASK, fit_range, cluster);
  for (size_t k = 0; k < (size_t)4 * d->stride; k++) {
    d->narrow[(size_t)4 * cluster->bone * d->stride + k] =
        (float)d->matrices[(size_t)4 * cluster->bone * d->stride + k];
  }
}

/* What every vertex gains when it may lean towards the bone: (r . d)^2 / d . d, d = bone - skin. */
static void gain_range(void *context, SupRange range) {
  const Cluster *cluster = (const Cluster *)context;
  const Decompose *d = cluster->d;
  const float *m = d->narrow + (size_t)4 * cluster->bone * d->stride, *m1 = m + d->stride;
  const float *m2 = m1 + d->stride, *m3 = m2 + d->stride;
  double sum = 0;
  for (uint32_t i = range.first; i < range.first + range.count; i += cluster->every) {
    const float *r = d->residuals + (size_t)i * d->stride;
    const float *y = d->targets + (size_t)i * d->stride;
    const float a = (float)d->rest[i][0], b = (float)d->rest[i][1], c = (float)d->rest[i][2];
    float along[8] = {0}, way[8] = {0};
    if (d->def->locked && d->def->locked[i]) continue;
    for (uint32_t t = 0; t < d->stride; t += 8) {
      for (uint32_t k = 0; k < 8; k++) {
        const uint32_t s = t + k;
        const float lean = ((a * m[s] + b * m1[s]) + (c * m2[s] + m3[s])) - (y[s] - r[s]);
        along[k] += lean * r[s];
        way[k] += lean * lean;
      }
    }
    double slope = 0, length = 0;
    for (uint32_t k = 0; k < 8; k++) slope += (double)along[k], length += (double)way[k];
    const double fraction = slope > 0 && length > 0 ? (slope < length ? slope / length : 1) : 0;
    sum += (d->weight ? (double)d->weight[i] : 1) * fraction * (2 * slope - fraction * length);
  }
  d->partial[range.chunk] = sum;
}

static double gain(Cluster *cluster) {
  Decompose *d = cluster->d;
  double sum = 0;
  sup_parallel_for(d->def->jobs, d->vertices, VERTICES_PER_TASK, gain_range, cluster);
  for (uint32_t k = 0; k < sup_range_count(d->vertices, VERTICES_PER_TASK); k++) {
    sum += d->partial[k];
  }
  return sum;
}

/* The vertex with most error that is not near one of the places already looked at. In tries after
 * the first one the choice is drawn. */
static uint32_t next_place(const Decompose *d, const uint32_t *places, uint32_t count, double apart,
                           SupRng *rng) {
  uint32_t best = SUP_NONE;
  double most = -1;
  for (uint32_t i = 0; i < d->vertices; i++) {
    double value = (d->weight ? (double)d->weight[i] : 1) * d->errors[i];
    if (d->def->locked && d->def->locked[i]) continue;
    if (rng) value *= 0.2 + sup_rng_double(rng);
    for (uint32_t k = 0; k < count && value > most; k++) {
      if (squared_distance(d, i, places[k]) < apart * apart) value = -1;
    }
    if (value > most) most = value, best = i;
  }
  return best;
}

/* The extent of the rest shape. */
static double extent(const Decompose *d) {
  double most = 0;
  for (uint32_t i = 0; i < d->vertices; i++) {
    const double *v = d->rest[i], far = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    if (far > most) most = far;
  }
  return 2 * __builtin_sqrt(most);
}

/* Fits a bone at the best of several places, none near those taken. Returns its seed. */
static uint32_t place_bone(Decompose *d, uint32_t bone, const uint32_t *taken, uint32_t taken_count,
                           SupRng *rng) {
  uint32_t places[PLACES + SUP_DECOMPOSE_SPREAD], count = taken_count;
  uint32_t size = d->vertices / (4 * d->capacity);
  size = size < 8 ? 8 : size > MEMBERS_MOST ? MEMBERS_MOST : size;
  if (size > d->vertices) size = d->vertices;
  const double apart = extent(d) / (2 + 2 * __builtin_cbrt((double)d->capacity));
  Cluster best = {.d = d, .bone = bone, .every = 1 + d->vertices / ASKED}, trial = best;
  double most = -1;
  for (uint32_t k = 0; k < taken_count; k++) places[k] = taken[k];
  for (uint32_t k = 0; k < PLACES; k++) {
    const uint32_t seed = next_place(d, places, count, apart, rng);
    if (seed == SUP_NONE) break;
    places[count++] = seed;
    grow(d, seed, size, &trial);
    fit(&trial);
    const double value = gain(&trial);
    if (value > most) most = value, best = trial;
  }
  if (most < 0) best.count = 0;
  fit(&best);
  return best.count ? best.members[0] : 0;
}

void sup_decompose_insert(Decompose *d, uint32_t spread, SupRng *rng) {
  uint32_t taken[SUP_DECOMPOSE_SPREAD], first = d->bones;
  if (d->bones == 0) { /* the first bone of all moves with everything */
    Cluster all = {.d = d};
    fit(&all);
    d->bones = 1;
    sup_decompose_moved(d, 0);
    return;
  }
  for (uint32_t k = 0; k < spread; k++) taken[k] = place_bone(d, first + k, taken, k, rng);
  d->bones += spread;
  sup_decompose_moved(d, first);
}

void sup_decompose_move(Decompose *d, uint32_t bone, SupRng *rng) {
  place_bone(d, bone, NULL, 0, rng);
  sup_decompose_moved(d, bone);
}
