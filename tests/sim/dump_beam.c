/* SPDX-License-Identifier: MIT */
/*
 * Writes what beam.py checks: for a clamped beam of N x N x 10 N cells, its stiffness and mass
 * matrices at rest, one implicit Euler step's system with its solution, and the tip's deflection
 * under an end load.
 *
 *   dump_beam N OUTPUT [tip]    with `tip` the deflection alone
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boxes.h"
#include "numerics/eigen.h"
#include "sim/stepper.h"
#include "supple/io/file.h"

#define LENGTH 1.0
#define WIDTH 0.1

static const SupMaterialDef material = {SUP_MATERIAL_COROTATIONAL, 1e6, 0.3, 1000, 0, 0, 0};

static void write_numbers(FILE *file, const char *name, const double *numbers, size_t count) {
  fprintf(file, "%s %zu\n", name, count);
  fwrite(numbers, sizeof *numbers, count, file);
}

/* The lower triangle as (row, column, value) triples. */
static void write_matrix(FILE *file, const char *name, const SupSparse *matrix) {
  size_t entries = (size_t)matrix->columns[matrix->size], count = 0;
  double *triples = calloc(3 * entries, sizeof *triples);
  assert_non_null(triples);
  for (uint32_t c = 0; c < matrix->size; c++) {
    for (int64_t k = matrix->columns[c]; k < matrix->columns[c + 1]; k++) {
      if (matrix->rows[k] < (int64_t)c) continue;
      triples[count++] = (double)matrix->rows[k];
      triples[count++] = (double)c;
      triples[count++] = matrix->values[k];
    }
  }
  write_numbers(file, name, triples, count);
  free(triples);
}

/* One Euler step from rest under an end load: the matrix, the right side and the move it gave. */
static void write_step(FILE *file, SupElastic *body, SupStepper *stepper, const SupVec3d *force) {
  const double h = 0.01;
  SupStepDef def = {.integrator = SUP_INTEGRATE_EULER,
                    .h = h,
                    .loads.force = force,
                    .farthest = 1e30,
                    .tolerance = 1e30,
                    .iteration_max = 1};
  SupStepReport report;
  SupError error;
  assert_int_equal(sup_stepper_step(stepper, &def, &report, &error), SUP_OK);
  write_matrix(file, "step_matrix", &body->matrix);
  double *move = calloc(body->matrix.size, sizeof *move),
         *right = calloc(body->matrix.size, sizeof *move);
  assert_true(move && right);
  for (uint32_t k = 0; k < body->free_count; k++) {
    uint32_t n = body->free_nodes[k];
    SupVec3d x = sup_stepper_positions(stepper)[n], rest = body->mesh.nodes[n];
    const double d[3] = {x.x - rest.x, x.y - rest.y, x.z - rest.z};
    const double f[3] = {force[n].x, force[n].y, force[n].z};
    memcpy(move + 3 * k, d, sizeof d);
    memcpy(right + 3 * k, f, sizeof f);
  }
  write_numbers(file, "step_right", right, body->matrix.size);
  write_numbers(file, "step_move", move, body->matrix.size);
  free(move);
  free(right);
}

/* The lowest modes: values, then shapes. The matrix holds the stiffness. */
static void write_modes(SupArena *arena, FILE *file, const SupElastic *body) {
  enum { COUNT = 14 };
  uint32_t size = body->matrix.size;
  double *masses = SUP_ALLOC(arena, double, size), values[COUNT];
  double *shapes = SUP_ALLOC(arena, double, (size_t)COUNT *size);
  SupError error;
  for (uint32_t k = 0; k < size; k++) masses[k] = body->masses[body->free_nodes[k / 3]];
  assert_int_equal(sup_eigen_lowest(arena, &body->matrix, masses, COUNT, values, shapes, &error),
                   SUP_OK);
  write_numbers(file, "mode_values", values, COUNT);
  write_numbers(file, "mode_shapes", shapes, (size_t)COUNT * size);
}

/* Stiffness, masses, modes and one step. */
static void write_matrices(SupArena *arena, FILE *file, SupElastic *body, SupStepper *stepper,
                           const SupVec3d *force) {
  sup_elastic_linearise(body, body->mesh.nodes, NULL, SUP_HESSIAN_PROJECTED, NULL);
  sup_elastic_assemble(body, NULL, NULL);
  write_matrix(file, "stiffness", &body->matrix);
  double *masses = SUP_ALLOC(arena, double, body->free_count);
  for (uint32_t k = 0; k < body->free_count; k++) masses[k] = body->masses[body->free_nodes[k]];
  write_numbers(file, "masses", masses, body->free_count);
  write_modes(arena, file, body);
  write_step(file, body, stepper, force);
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  int n = atoi(argv[1]);
  const int cells[3] = {10 * n, n, n};
  Box box = box_create(cells, (double[3]){LENGTH, WIDTH, WIDTH});
  for (uint32_t v = 0; v < box.mesh.node_count; v++) box.prescribed[v] = box.nodes[v].x == 0;
  SupArena arena;
  SupError error;
  SupElastic body;
  SupStepper *stepper;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  SupElasticDef def = {
      .mesh = box.mesh, .materials = &material, .material_count = 1, .prescribed = box.prescribed};
  assert_int_equal(sup_elastic_create(&arena, &def, &body, &error), SUP_OK);
  assert_int_equal(sup_stepper_create(&arena, &body, &stepper, &error), SUP_OK);
  FILE *file = fopen(argv[2], "wb");
  assert_non_null(file);
  /* A small load, so that the answer is the linear one; spread over the end by area. */
  SupVec3d *force = SUP_ALLOC(&arena, SupVec3d, box.mesh.node_count);
  const double load = 1e-3;
  for (int j = 0; j <= n; j++) {
    for (int k = 0; k <= n; k++) {
      double fraction = (j == 0 || j == n ? 0.5 : 1) * (k == 0 || k == n ? 0.5 : 1) / (n * n);
      force[box_node(cells, 10 * n, j, k)].y = load * fraction;
    }
  }
  if (argc == 3) write_matrices(&arena, file, &body, stepper, force);
  sup_stepper_place(stepper, box.nodes, NULL);
  SupStepDef still = {.integrator = SUP_INTEGRATE_STATIC,
                      .loads.force = force,
                      .farthest = 1,
                      .tolerance = 1e-12,
                      .iteration_max = 30};
  SupStepReport report;
  assert_int_equal(sup_stepper_step(stepper, &still, &report, &error), SUP_OK);
  assert_true(report.converged);
  double tip = 0;
  for (int j = 0; j <= n; j++) {
    for (int k = 0; k <= n; k++) {
      uint32_t v = box_node(cells, 10 * n, j, k);
      tip += force[v].y / load * (sup_stepper_positions(stepper)[v].y - box.nodes[v].y);
    }
  }
  const double facts[6] = {tip / load,     LENGTH,           WIDTH,
                           material.young, material.poisson, material.density};
  write_numbers(file, "facts", facts, 6);
  fclose(file);
  sup_stepper_free(stepper);
  sup_arena_free(&arena);
  box_free(&box);
  return 0;
}
