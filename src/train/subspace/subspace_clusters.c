/* SPDX-License-Identifier: MIT */
/*
 * Clusters of elements: k-means on where an element is, which bones move it and how stiff it is,
 * from seeds that are farthest from each other. Clusters that the same bone moves most follow each
 * other, so that a block of 16 sees few bones.
 */
#include <math.h>
#include <stdlib.h>

#include "base/scratch.h"
#include "train/subspace/subspace_parts.h"

#define ROUNDS 15
#define BONES 0.15 /* of the size: as far apart as elements of different bones are */
#define STIFF 0.05 /* of the size: the same for elements e times as stiff */

typedef struct Means {
  uint32_t count, width, clusters;
  const uint32_t *tets;
  double *features; /* [count * width] */
  double *weights;  /* [count] volume */
  double *centres;  /* [clusters * width] */
  double *nearest;  /* [count] square of the distance to the own centre */
  uint32_t *labels; /* [count] */
  double *sums;     /* [clusters] */
} Means;

static void feature(const SubspaceBody *body, uint32_t t, double *out) {
  const SupElastic *elastic = &body->volume.body;
  const SupAttachment *attachment = &body->volume.attachment;
  for (int a = 0; a < 4; a++) {
    const size_t n = elastic->mesh.tets[4 * (size_t)t + (size_t)a];
    const SupVec3d x = elastic->mesh.nodes[n];
    out[0] += x.x / 4, out[1] += x.y / 4, out[2] += x.z / 4;
    for (size_t k = SUP_ATTACH_BONES * n; k < SUP_ATTACH_BONES * (n + 1); k++) {
      const double weight = (double)attachment->weights[k];
      out[4 + attachment->bones[k]] += BONES * body->size * weight / 4;
    }
  }
  out[3] = STIFF * body->size * log(body->shear[t] / elastic->volumes[t]);
}

/* Elements that count: seen, with a free node. */
static SupResult start(SupArena *arena, const SubspaceBody *body, Means *m, SupError *error) {
  const SupElastic *elastic = &body->volume.body;
  const size_t most = elastic->active_count;
  m->width = 4 + body->bones;
  uint32_t *tets = SUP_ALLOC(arena, uint32_t, most);
  m->features = SUP_ALLOC(arena, double, most * m->width);
  m->weights = SUP_ALLOC(arena, double, most);
  m->nearest = SUP_ALLOC(arena, double, most);
  m->labels = SUP_ALLOC(arena, uint32_t, most);
  m->centres = SUP_ALLOC(arena, double, (size_t)m->clusters * m->width);
  m->sums = SUP_ALLOC(arena, double, m->clusters);
  if (!tets || !m->features || !m->weights || !m->nearest || !m->labels || !m->centres ||
      !m->sums) {
    return sup_fail_memory(error, "subspace");
  }
  for (uint32_t i = 0; i < most; i++) {
    const uint32_t t = elastic->active[i];
    if (!(body->shear[t] > 0)) continue;
    feature(body, t, m->features + (size_t)m->count * m->width);
    m->weights[m->count] = elastic->volumes[t];
    tets[m->count++] = t;
  }
  m->tets = tets;
  if (m->count == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "no flesh of the character can move");
  }
  if (m->clusters > m->count) m->clusters = m->count;
  return SUP_OK;
}

static double distance(const Means *m, uint32_t i, uint32_t k) {
  const double *a = m->features + (size_t)i * m->width, *b = m->centres + (size_t)k * m->width;
  double sum = 0;
  for (uint32_t c = 0; c < m->width; c++) sum += (a[c] - b[c]) * (a[c] - b[c]);
  return sum;
}

/* Every element that is nearer to centre k than to its own goes there. */
static void attract(Means *m, uint32_t k) {
  for (uint32_t i = 0; i < m->count; i++) {
    const double square = distance(m, i, k);
    if (square < m->nearest[i]) {
      m->nearest[i] = square;
      m->labels[i] = k;
    }
  }
}

static void seed(Means *m) {
  uint32_t next = 0;
  for (uint32_t i = 0; i < m->count; i++) m->nearest[i] = INFINITY;
  for (uint32_t k = 0; k < m->clusters; k++) {
    for (uint32_t c = 0; c < m->width; c++) {
      m->centres[(size_t)k * m->width + c] = m->features[(size_t)next * m->width + c];
    }
    attract(m, k);
    for (uint32_t i = 0; i < m->count; i++) {
      if (m->nearest[i] > m->nearest[next]) next = i;
    }
  }
}

static void move_centres(Means *m) {
  for (uint32_t k = 0; k < m->clusters; k++) m->sums[k] = 0;
  for (uint32_t i = 0; i < m->count; i++) m->sums[m->labels[i]] += m->weights[i];
  for (size_t k = 0; k < m->clusters; k++) {
    for (uint32_t c = 0; c < m->width && m->sums[k] > 0; c++) m->centres[k * m->width + c] = 0;
  }
  for (uint32_t i = 0; i < m->count; i++) {
    const double part = m->weights[i] / m->sums[m->labels[i]];
    double *centre = m->centres + (size_t)m->labels[i] * m->width;
    for (uint32_t c = 0; c < m->width; c++) {
      centre[c] += part * m->features[(size_t)i * m->width + c];
    }
  }
}

static void find_means(Means *m) {
  if (m->clusters == m->count) { /* also of elements that lie in the same place */
    for (uint32_t i = 0; i < m->count; i++) m->labels[i] = i;
  } else {
    seed(m);
    for (int round = 0; round < ROUNDS; round++) {
      move_centres(m);
      for (uint32_t i = 0; i < m->count; i++) m->nearest[i] = INFINITY;
      for (uint32_t k = 0; k < m->clusters; k++) attract(m, k);
    }
  }
  move_centres(m);
}

/* ---- Their order ----------------------------------------------------------------------------- */

typedef struct Place {
  uint32_t bone, cluster;
} Place;

static int compare_places(const void *left, const void *right) {
  const Place *a = left, *b = right;
  if (a->bone != b->bone) return a->bone < b->bone ? -1 : 1;
  return a->cluster < b->cluster ? -1 : a->cluster > b->cluster;
}

/* New numbers of the clusters that have elements: *out_count of them. */
static SupResult order(SupArena *arena, const Means *m, uint32_t *out_numbers, uint32_t *out_count,
                       SupError *error) {
  Place *places = SUP_ALLOC(arena, Place, m->clusters);
  if (!places) return sup_fail_memory(error, "subspace");
  uint32_t count = 0;
  for (uint32_t k = 0; k < m->clusters; k++) {
    const double *bones = m->centres + (size_t)k * m->width + 4;
    uint32_t most = 0;
    for (uint32_t b = 1; b < m->width - 4; b++) {
      if (bones[b] > bones[most]) most = b;
    }
    if (m->sums[k] > 0) places[count++] = (Place){most, k};
  }
  qsort(places, count, sizeof *places, compare_places);
  for (uint32_t k = 0; k < count; k++) out_numbers[places[k].cluster] = k;
  *out_count = count;
  return SUP_OK;
}

SupResult sup_subspace_clusters(SupArena *arena, const SubspaceBody *body, uint32_t *out_labels,
                                uint32_t *out_count, SupError *error) {
  SupArena scratch = sup_scratch(arena);
  Means m = {.clusters = body->def->cluster_count};
  uint32_t *numbers = SUP_ALLOC(&scratch, uint32_t, m.clusters);
  SupResult result =
      numbers ? start(&scratch, body, &m, error) : sup_fail_memory(error, "subspace");
  if (!result) {
    find_means(&m);
    result = order(&scratch, &m, numbers, out_count, error);
  }
  for (uint32_t t = 0; t < body->volume.body.mesh.tet_count && !result; t++) {
    out_labels[t] = SUP_NONE;
  }
  for (uint32_t i = 0; i < m.count && !result; i++) {
    out_labels[m.tets[i]] = numbers[m.labels[i]];
  }
  sup_arena_free(&scratch);
  return result;
}
