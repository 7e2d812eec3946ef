/* SPDX-License-Identifier: MIT */
/* An elastic body of a box that tests step through time. */
#ifndef SUP_TESTS_SIM_LAB_H
#define SUP_TESTS_SIM_LAB_H

#include "boxes.h"
#include "sim/stepper.h"
#include "supple/io/file.h"

/* A body with its stepper, and everything freed in one call. */
typedef struct Lab {
  SupArena arena;
  Box box;
  SupElastic body;
  SupStepper *stepper;
} Lab;

/* Takes the box over. `jobs` may be NULL. */
static inline Lab *lab_of(Box box, SupMaterialDef material, const SupJobs *jobs) {
  Lab *lab = (Lab *)calloc(1, sizeof *lab);
  assert_non_null(lab);
  SupError error;
  lab->box = box;
  sup_arena_init(&lab->arena, sup_heap_allocator(), 0);
  SupMaterialDef *copy = SUP_COPY(&lab->arena, SupMaterialDef, &material, 1);
  SupElasticDef def = {.mesh = box.mesh,
                       .materials = copy,
                       .material_count = 1,
                       .prescribed = box.prescribed,
                       .jobs = jobs};
  assert_int_equal(sup_elastic_create(&lab->arena, &def, &lab->body, &error), SUP_OK);
  assert_int_equal(sup_stepper_create(&lab->arena, &lab->body, &lab->stepper, &error), SUP_OK);
  return lab;
}

static inline void lab_free(Lab *lab) {
  sup_stepper_free(lab->stepper);
  sup_arena_free(&lab->arena);
  box_free(&lab->box);
  free(lab);
}

/* One step that converges; a tolerance and a number of Newton steps where none is given. */
static inline SupStepReport lab_step(Lab *lab, SupStepDef def) {
  SupStepReport report;
  SupError error;
  if (def.tolerance == 0) def.tolerance = 1e-10;
  if (def.iteration_max == 0) def.iteration_max = 60;
  def.farthest = 10;
  assert_int_equal(sup_stepper_step(lab->stepper, &def, &report, &error), SUP_OK);
  assert_true(report.converged);
  return report;
}

#endif
