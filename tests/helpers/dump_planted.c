/* SPDX-License-Identifier: MIT */
/* What is learned of planted helpers: dump_planted, a line of numbers for each way of teaching. */
#include <math.h>
#include <stdio.h>

#include "planted.h"
#include "supple/author/builtin.h"
#include "supple/io/file.h"

/* Sums that any change of the skin or of a system's response shows in. */
static int show(SupArena *arena, const SupCharacter *tube, const SupHelpersTrained *trained,
                const SupHelpersTrainReport *report, const SupHelpersMotion *unseen) {
  SupCharacter with;
  SupModel *model;
  SupError error;
  if (sup_helpers_character(arena, tube, trained, &with, &error) != SUP_OK ||
      sup_helpers_pack(arena, &with, &trained->def, &model, &error) != SUP_OK) {
    return 1;
  }
  printf("%u %.9g %.9g %.9g %.9g", report->orders[0], report->cuts[0], report->decomposed_rmse,
         report->static_rmse, report->rmse);
  for (uint32_t k = 0; k < 6; k++) printf(" %.9g", report->ranges[k]);
  printf(" %.9g\n", planted_error(arena, &with, model, NULL, unseen, SUP_HELPERS_FULL));
  return 0;
}

static int learn(bool deaf) {
  SupArena arena;
  SupCharacter tube;
  SupError error;
  SupHelpersTrained trained;
  SupHelpersTrainReport report;
  SupHelpersMotion motions[3];
  const SupBuiltinDef built = {.name = "tube", .vertices = SUP_BUILTIN_VERTICES_MIN};
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  if (sup_builtin_character(&arena, &built, &tube, &error) != SUP_OK) return 1;
  for (uint32_t m = 0; m < 3; m++) {
    const double most = deaf ? 1e-3 : INFINITY;
    motions[m] = planted_deaf_motion(&arena, &tube, m, m == 2 ? 1.2 : 1, 30, most);
  }
  SupHelpersTrainDef def = sup_helpers_train_def(&tube);
  def.motion_count = 2;
  def.motions = motions;
  def.solver.helper_count = 1;
  int wrong = sup_helpers_train(&arena, &def, &trained, &report, &error) != SUP_OK;
  if (!wrong) wrong = show(&arena, &tube, &trained, &report, &motions[2]);
  sup_arena_free(&arena);
  return wrong;
}

int main(void) { return learn(false) || learn(true); }
