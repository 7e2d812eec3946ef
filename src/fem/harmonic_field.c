/* SPDX-License-Identifier: MIT */
/* A harmonic field on the nodes with the skin as its boundary. */
#include "fem/harmonic_field.h"

#include "fem/neighbours.h"

/* Sweeps of the mean of neighbours, alternating in direction; across a body of some 50 nodes the
 * field is then smooth. */
#define SWEEPS 200

typedef struct HarmonicField {
  const SupFill *fill;
  uint32_t width;
  float *rows;
  float *fractions; /* [node_count] sum of the fractions of skin vertices; 0 where none reach */
  SupTetNeighbours neighbours;
} HarmonicField;

static void take_skin(HarmonicField *s, SupSkinRow *skin_row, const void *user) {
  const SupEmbedding *embedding = &s->fill->embedding;
  for (uint32_t v = 0; v < embedding->vertex_count; v++) {
    const uint32_t *nodes = s->fill->mesh.tets + 4 * (size_t)embedding->tets[v];
    for (uint32_t a = 0; a < 4; a++) {
      /* A node on the far side of the vertex counts a little, so that it is known too. */
      double weight = embedding->weights[4 * (size_t)v + a];
      float fraction = 0.05f + (weight > 0 ? (float)weight : 0);
      skin_row(user, v, fraction, s->rows + (size_t)nodes[a] * s->width);
      s->fractions[nodes[a]] += fraction;
    }
  }
}

static void scale_row(HarmonicField *s, uint32_t n, float scale) {
  float *row = s->rows + (size_t)n * s->width;
  for (uint32_t k = 0; k < s->width; k++) row[k] *= scale;
}

/* The mean of neighbours that know something already. */
static void relax(HarmonicField *s, uint32_t n) {
  float *row = s->rows + (size_t)n * s->width;
  float count = 0;
  for (uint32_t k = 0; k < s->width; k++) row[k] = 0;
  for (uint32_t k = s->neighbours.offsets[n]; k < s->neighbours.offsets[n + 1]; k++) {
    uint32_t other = s->neighbours.nodes[k];
    if (s->fractions[other] == 0) continue;
    const float *from = s->rows + (size_t)other * s->width;
    for (uint32_t c = 0; c < s->width; c++) row[c] += from[c];
    count += 1;
  }
  if (count > 0) {
    scale_row(s, n, 1 / count);
    s->fractions[n] = -1; /* known from now on, but not by the skin */
  }
}

SupResult sup_harmonic_field(SupArena *arena, const SupFill *fill, uint32_t width,
                             SupSkinRow *skin_row, const void *user, float *out_rows,
                             SupError *error) {
  uint32_t nodes = fill->mesh.node_count;
  HarmonicField s = {.fill = fill, .width = width, .rows = out_rows};
  s.fractions = SUP_ALLOC(arena, float, nodes);
  if (!s.fractions || !sup_tet_neighbours(arena, &fill->mesh, &s.neighbours)) {
    return sup_fail_memory(error, "the harmonic field");
  }
  take_skin(&s, skin_row, user);
  for (uint32_t n = 0; n < nodes; n++) {
    if (s.fractions[n] > 0) scale_row(&s, n, 1 / s.fractions[n]);
  }
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    for (uint32_t step = 0; step < nodes; step++) {
      uint32_t n = sweep % 2 ? nodes - 1 - step : step;
      if (s.fractions[n] <= 0) relax(&s, n);
    }
  }
  return SUP_OK;
}
