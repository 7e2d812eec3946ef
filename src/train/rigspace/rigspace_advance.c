/* SPDX-License-Identifier: MIT */
/* Steps as short as they have to be: halves, quarters, ... of what is asked for. */
#include <math.h>
#include <string.h>

#include "base/scratch.h"
#include "train/rigspace/rigspace_parts.h"

#define USUAL_LEVELS 6u
#define LEVELS_MOST 16u
#define USUAL_DETERMINANT 0.1
#define EASY_STEPS 8u
#define SQUASHED_LEVELS                                                     \
  2u /* halvings for squashed flesh alone: a skin may fold whatever is done \
      */

/* Whether a step is to be tried again in halves. */
static bool is_hard(const SupRigspaceAdvance *a, const SupRigspaceReport *report, uint32_t levels,
                    double before) {
  const double least = a->determinant_least > 0 ? a->determinant_least : USUAL_DETERMINANT;
  if (a->level >= levels) return false;
  if (!report->converged) return true;
  return a->level < SQUASHED_LEVELS && before >= least && report->determinant_least < least;
}

static void count(SupRigspaceAdvance *a, const SupRigspaceReport *report) {
  a->iterations += report->iterations;
  a->jacobians += report->jacobians;
  a->roll_backs += report->roll_backs;
  a->rig_calls += report->rig_calls;
}

typedef struct Run {
  SupRigspace *rs;
  SupRigspaceAdvance *a;
  uint32_t levels;
  double *state, *next; /* before the step; parameters after it */
} Run;

/* One step that ends at `time`, h seconds on; *out_again: it was not taken, halves are to be tried.
 */
static SupResult step_to(const Run *run, double time, double h, bool *out_again, SupError *error) {
  SupRigspace *rs = run->rs;
  SupRigspaceAdvance *a = run->a;
  SupRigspaceReport report;
  const double before = sup_elastic_worst(&rs->body, rs->history.x, NULL, NULL);
  a->script(a->user, time, run->next);
  sup_rigspace_store(rs, run->state);
  SupResult result = sup_rigspace_step(rs, run->next, h, a->gravity, &report, error);
  if (result != SUP_OK) return result;
  count(a, &report);
  *out_again = is_hard(a, &report, run->levels, before);
  if (*out_again) {
    sup_rigspace_restore(rs, run->state);
    a->level++;
    a->easy = 0;
    a->halved_count++;
    return SUP_OK;
  }
  if (!report.converged) {
    a->carried_count++;
    result = sup_rigspace_carry(rs, run->next, h, error);
  }
  a->step_count++;
  a->easy++;
  a->determinant_least_seen = fmin(a->determinant_least_seen, rs->report.determinant_least);
  return result;
}

SupResult sup_rigspace_advance(SupArena *arena, SupRigspace *rs, double time, double seconds,
                               SupRigspaceAdvance *a, SupError *error) {
  const uint32_t all = rs->def.rig->parameter_count;
  uint32_t levels = a->level_max ? a->level_max : USUAL_LEVELS, place = 0;
  if (levels > LEVELS_MOST) levels = LEVELS_MOST;
  if (a->level > levels) a->level = levels;
  const uint32_t whole = 1u << levels;
  SupArena scratch = sup_scratch(arena);
  const Run run = {rs, a, levels, SUP_ALLOC(&scratch, double, sup_rigspace_state_count(rs)),
                   SUP_COPY(&scratch, double, rs->p, all)};
  SupResult result = run.next && run.state ? SUP_OK : sup_fail_memory(error, "rigspace");
  while (result == SUP_OK && place < whole) {
    const uint32_t length = whole >> a->level;
    bool again = false;
    result = step_to(&run, time + seconds * (place + length) / whole, seconds * length / whole,
                     &again, error);
    if (again) continue;
    place += length;
    if (a->easy >= EASY_STEPS && a->level > 0 && place % (2 * length) == 0) {
      a->level--;
      a->easy = 0;
    }
  }
  sup_arena_free(&scratch);
  return result;
}
