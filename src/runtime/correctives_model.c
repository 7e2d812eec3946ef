/* SPDX-License-Identifier: MIT */
/* A correctives model as sections of a block: checking them, and looking at them. */
#include "supple/correctives.h"

#include "runtime/model_checks.h"

enum {
  COUNT_FLAGS,
  COUNT_COMPONENTS,
  COUNT_JOINTS,
  COUNT_DRIVERS,
  COUNT_HEAVY,
  COUNT_CENTRES,
  COUNTS
};

typedef struct CorrectivesCounts {
  uint64_t counts, drivers, rest, heavy, centres, matrix, limits;
} CorrectivesCounts;

static SupResult bad(SupError *error, const char *what) {
  return sup_fail(error, SUP_ERROR_FORMAT,
                  "the model's correctives are damaged (%s): build it again", what);
}

static bool find_sections(const SupModel *model, SupCorrectivesView *view, CorrectivesCounts *n) {
  bool all = true;
#define FIND(type, name, count)                                                                   \
  ((const type *)sup_need_section(model, SUP_SECTION_CORRECTIVES_##name, sizeof(type), &n->count, \
                                  &all))
  const uint32_t *counts = FIND(uint32_t, COUNTS, counts);
  view->drivers = FIND(uint32_t, DRIVERS, drivers);
  view->rest = FIND(SupQuat, REST, rest);
  view->heavy = FIND(uint32_t, HEAVY, heavy);
  view->centres = FIND(float, CENTRES, centres);
  view->matrix = FIND(float, MATRIX, matrix);
  view->limits = FIND(float, LIMITS, limits);
#undef FIND
  if (!all || n->counts != COUNTS) return false;
  view->flags = counts[COUNT_FLAGS];
  view->component_count = counts[COUNT_COMPONENTS];
  view->joint_count = counts[COUNT_JOINTS];
  view->driver_count = counts[COUNT_DRIVERS];
  view->heavy_count = counts[COUNT_HEAVY];
  view->centre_count = counts[COUNT_CENTRES];
  return true;
}

static bool rising_below(const uint32_t *indices, uint64_t count, uint32_t bound) {
  for (uint64_t i = 0; i < count; i++) {
    if (indices[i] >= bound || (i > 0 && indices[i] <= indices[i - 1])) return false;
  }
  return true;
}

static bool unit_all(const SupQuat *rotations, uint64_t count) {
  for (uint64_t i = 0; i < count; i++) {
    const float square = sup_quat_dot(rotations[i], rotations[i]);
    if (!(square > 0.99f && square < 1.01f)) return false;
  }
  return true;
}

static bool limits_sensible(const float *limits, uint32_t count) {
  for (uint32_t k = 0; k < count; k++) {
    if (!(limits[2 * k] <= limits[2 * k + 1])) return false;
  }
  return true;
}

SupResult sup_correctives_check(const SupModel *model, SupError *error) {
  SupResult result = sup_skin_check(model, error);
  if (result) return result;
  SupCorrectivesView view = {.skin = sup_skin_view(model)};
  CorrectivesCounts n = {0};
  if (!find_sections(model, &view, &n)) return bad(error, "a section is missing");
  if (view.flags) return bad(error, "flags");
  if (view.component_count == 0 || view.component_count > SUP_CORRECTIVES_MOST ||
      view.component_count > view.skin.morph_count) {
    return bad(error, "number of components");
  }
  /* Each alone first: their sum then cannot overflow. */
  if (view.driver_count > SUP_CORRECTIVES_FEATURES || view.heavy_count > SUP_CORRECTIVES_FEATURES ||
      view.centre_count > SUP_CORRECTIVES_FEATURES ||
      sup_correctives_features(&view) > SUP_CORRECTIVES_FEATURES) {
    return bad(error, "number of features");
  }
  if (n.drivers != view.driver_count || !rising_below(view.drivers, n.drivers, view.joint_count) ||
      n.rest != view.driver_count || !unit_all(view.rest, n.rest)) {
    return bad(error, "joints");
  }
  if (n.heavy != view.heavy_count || !rising_below(view.heavy, n.heavy, view.skin.bone_count)) {
    return bad(error, "bones");
  }
  const uint64_t width = 1 + 9 * (uint64_t)view.driver_count;
  if (n.centres != width * view.centre_count || !sup_all_moderate(view.centres, n.centres)) {
    return bad(error, "example postures");
  }
  if (n.matrix != (uint64_t)view.component_count * sup_correctives_features(&view) ||
      !sup_all_moderate(view.matrix, n.matrix)) {
    return bad(error, "numbers");
  }
  if (n.limits != 2 * (uint64_t)view.component_count || !sup_all_moderate(view.limits, n.limits) ||
      !limits_sensible(view.limits, view.component_count)) {
    return bad(error, "limits");
  }
  return SUP_OK;
}

SupCorrectivesView sup_correctives_view(const SupModel *model) {
  SupCorrectivesView view = {.skin = sup_skin_view(model)};
  CorrectivesCounts unused = {0};
  find_sections(model, &view, &unused);
  return view;
}
