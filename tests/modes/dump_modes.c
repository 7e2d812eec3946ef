/* SPDX-License-Identifier: MIT */
/* Writes what check_modes.py checks: stiffness, masses and modes of a character's flesh.
 *
 *   dump_modes NAME TETRAHEDRA MODES OUTPUT */
#include <stdio.h>
#include <stdlib.h>

#include "train/modes/modes_volume.h"
#include "wobble.h"

static void write_numbers(FILE *file, const char *name, const double *numbers, size_t count) {
  fprintf(file, "%s %zu\n", name, count);
  fwrite(numbers, sizeof *numbers, count, file);
}

int main(int argc, char **argv) {
  if (argc < 5) return 2;
  Wobble *w = wobble_create(argv[1], 600, (uint32_t)atoi(argv[2]), (uint32_t)atoi(argv[3]));
  SupModesTrainReport report = {0};
  SupError error;
  ModesVolume volume;
  assert_int_equal(sup_modes_volume(&w->arena, &w->def, &volume, &report, &error), SUP_OK);
  const SupSparse *matrix = &volume.body.matrix;
  const size_t entries = (size_t)matrix->columns[matrix->size];
  double *triples = SUP_ALLOC(&w->arena, double, 3 * entries);
  double *masses = SUP_ALLOC(&w->arena, double, volume.body.free_count);
  size_t count = 0;
  for (uint32_t c = 0; c < matrix->size; c++) {
    for (int64_t k = matrix->columns[c]; k < matrix->columns[c + 1]; k++) {
      if (matrix->rows[k] < (int64_t)c) continue;
      triples[count++] = (double)matrix->rows[k];
      triples[count++] = (double)c;
      triples[count++] = matrix->values[k];
    }
  }
  for (uint32_t i = 0; i < volume.body.free_count; i++) {
    masses[i] = volume.body.masses[volume.body.free_nodes[i]];
  }
  FILE *file = fopen(argv[4], "wb");
  assert_non_null(file);
  write_numbers(file, "stiffness", triples, count);
  write_numbers(file, "masses", masses, volume.body.free_count);
  write_numbers(file, "values", volume.stiffness, volume.mode_count);
  write_numbers(file, "shapes", volume.shapes, (size_t)volume.mode_count * matrix->size);
  write_numbers(file, "frequencies", w->report.frequencies, w->report.mode_count);
  fclose(file);
  wobble_free(w);
  return 0;
}
