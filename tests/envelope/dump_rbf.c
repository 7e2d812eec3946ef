/* SPDX-License-Identifier: MIT */
/*
 * Radial functions for check_rbf.py: reads "kernel dimensions centres values places", then the
 * centres, values and places; writes the functions at the places, a line each.
 */
#include <stdio.h>

#include "check.h"
#include "numerics/rbf.h"
#include "supple/io/file.h"

static double *read_numbers(SupArena *arena, size_t count) {
  double *numbers = SUP_ALLOC(arena, double, count);
  for (size_t k = 0; numbers && k < count; k++) {
    if (scanf("%lf", &numbers[k]) != 1) return NULL;
  }
  return numbers;
}

int main(void) {
  SupArena arena;
  SupRbf rbf;
  unsigned kernel, dimensions, centres, values, places;
  double ridge, out[16];
  if (scanf("%u %u %u %u %u %lf", &kernel, &dimensions, &centres, &values, &places, &ridge) != 6 ||
      values > 16) {
    return 2;
  }
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  const SupRbfDef def = {.kernel = kernel ? SUP_RBF_CUBIC : SUP_RBF_THIN_PLATE,
                         .dimension_count = dimensions,
                         .centre_count = centres,
                         .value_count = values,
                         .centres = read_numbers(&arena, (size_t)centres * dimensions),
                         .values = read_numbers(&arena, (size_t)centres * values),
                         .ridge = ridge};
  const double *at = read_numbers(&arena, (size_t)places * dimensions);
  int failed =
      !at || !def.centres || !def.values || sup_rbf_fit(&arena, &def, &rbf, NULL) != SUP_OK;
  for (unsigned p = 0; !failed && p < places; p++) {
    sup_rbf_at(&rbf, at + (size_t)p * dimensions, out);
    for (unsigned k = 0; k < values; k++) printf("%.17g ", out[k]);
    printf("\n");
  }
  sup_arena_free(&arena);
  return failed;
}
