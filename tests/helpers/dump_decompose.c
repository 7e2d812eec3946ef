/* SPDX-License-Identifier: MIT */
/*
 * Random small problems and our answers, for somebody else's arithmetic: dump_decompose FILE.
 * Records of doubles, each after its name and length: what numpy reads.
 */
#include <stdio.h>

#include "numerics/simplex_qp.h"
#include "train/helpers/decompose.h"

enum { CASES = 200, CORNERS = 10, DIMENSIONS = 30, POINTS = 15 };

static void put(FILE *file, const char *name, const double *values, size_t count) {
  fprintf(file, "%s %zu\n", name, count);
  fwrite(values, sizeof *values, count, file);
}

/* The point of the hull of ten random corners that is nearest to a target. */
static void dump_nearest(FILE *file, SupRng *rng) {
  double corners[CORNERS * DIMENSIONS], target[DIMENSIONS], gram[CORNERS * CORNERS];
  double weights[CORNERS] = {0};
  for (int k = 0; k < CORNERS * DIMENSIONS; k++) corners[k] = sup_rng_double(rng);
  for (int k = 0; k < DIMENSIONS; k++) target[k] = sup_rng_double(rng);
  for (int a = 0; a < CORNERS; a++) {
    for (int b = 0; b < CORNERS; b++) {
      gram[CORNERS * a + b] = 0;
      for (int k = 0; k < DIMENSIONS; k++) {
        gram[CORNERS * a + b] +=
            (corners[DIMENSIONS * a + k] - target[k]) * (corners[DIMENSIONS * b + k] - target[k]);
      }
    }
  }
  SupSimplexPoint point = {0};
  sup_simplex_nearest(CORNERS, gram, &point);
  for (int k = 0; k < point.count; k++) weights[point.corners[k]] = point.weights[k];
  put(file, "corners", corners, CORNERS * DIMENSIONS);
  put(file, "target", target, DIMENSIONS);
  put(file, "weights", weights, CORNERS);
}

/* The rigid motion of weighted points. */
static void dump_rigid(FILE *file, SupRng *rng) {
  double points[3 * POINTS], fractions[POINTS], goals[3 * POINTS], moment[12] = {0}, mass[16] = {0};
  double matrix[12];
  for (int i = 0; i < POINTS; i++) {
    double v[4] = {0, 0, 0, 1};
    fractions[i] = sup_rng_double(rng);
    for (int c = 0; c < 3; c++) {
      v[c] = points[3 * i + c] = sup_rng_double(rng) - 0.5;
      goals[3 * i + c] = 2 * sup_rng_double(rng) - 1;
    }
    for (int c = 0; c < 4; c++) {
      for (int r = 0; r < 3; r++) moment[3 * c + r] += fractions[i] * goals[3 * i + r] * v[c];
      for (int r = 0; r < 4; r++) mass[4 * c + r] += fractions[i] * fractions[i] * v[r] * v[c];
    }
  }
  SupQuatd turn = sup_quatd_identity();
  sup_rigid_fit(moment, mass, &turn, matrix);
  put(file, "points", points, 3 * POINTS);
  put(file, "fractions", fractions, POINTS);
  put(file, "goals", goals, 3 * POINTS);
  put(file, "matrix", matrix, 12);
}

int main(int argc, char **argv) {
  FILE *file = argc == 2 ? fopen(argv[1], "wb") : NULL;
  if (!file) return 1;
  SupRng rng = sup_rng(1, 0);
  for (int k = 0; k < CASES; k++) dump_nearest(file, &rng);
  for (int k = 0; k < CASES; k++) dump_rigid(file, &rng);
  return fclose(file) ? 1 : 0;
}
