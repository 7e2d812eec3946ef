/* SPDX-License-Identifier: MIT */
/* A correctives model as sections of a block: checking them, and looking at them. */
#include "supple/correctives.h"

#include "runtime/model_checks.h"

#define MOST_NEAR 1e15f /* 1 / distance at which an example counts half */
#define MOST_TURN 1e3f  /* of an axis, and its factors: no product of them leaves a float */

enum {
  COUNT_FLAGS,
  COUNT_COMPONENTS,
  COUNT_JOINTS,
  COUNT_DRIVERS,
  COUNT_HEAVY,
  COUNT_CENTRES,
  COUNTS_BEFORE_PRODUCTS, /* that is all version 1 has */
  COUNT_AXES = COUNTS_BEFORE_PRODUCTS,
  COUNT_PAIRS,
  COUNTS
};

typedef struct CorrectivesCounts {
  uint64_t counts, drivers, rest, heavy, centres, matrix, limits, axis_drivers, axes, pairs;
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
  if (!all || (n->counts != COUNTS && n->counts != COUNTS_BEFORE_PRODUCTS)) return false;
  if (n->counts == COUNTS) {
    view->axis_drivers = FIND(uint32_t, AXIS_DRIVERS, axis_drivers);
    view->axes = FIND(SupCorrectivesAxis, AXES, axes);
    view->pairs = FIND(uint32_t, PAIRS, pairs);
    view->axis_count = counts[COUNT_AXES];
    view->pair_count = counts[COUNT_PAIRS];
  }
#undef FIND
  view->flags = counts[COUNT_FLAGS];
  view->component_count = counts[COUNT_COMPONENTS];
  view->joint_count = counts[COUNT_JOINTS];
  view->driver_count = counts[COUNT_DRIVERS];
  view->heavy_count = counts[COUNT_HEAVY];
  view->centre_count = counts[COUNT_CENTRES];
  return all;
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

/* The features that a pose has fit into a row: each alone first, their sum then cannot overflow.
 */
static bool features_fit(const SupCorrectivesView *view) {
  const uint32_t most = SUP_CORRECTIVES_FEATURES;
  return view->driver_count <= most && view->heavy_count <= most && view->centre_count <= most &&
         view->axis_count <= most && view->pair_count <= most &&
         sup_correctives_features(view) <= most;
}

/* How near an example counts, then its rotations. */
static bool centres_sensible(const SupCorrectivesView *view, uint64_t width) {
  for (uint32_t k = 0; k < view->centre_count; k++) {
    const float *centre = view->centres + width * k;
    if (!(centre[0] >= 0 && centre[0] <= MOST_NEAR)) return false;
    if (!sup_all_within(centre + 1, width - 1, MOST_TURN)) return false;
  }
  return true;
}

static bool axes_sensible(const SupCorrectivesView *view) {
  uint32_t last = 0;
  for (uint32_t a = 0; a < view->axis_count; a++) {
    const SupCorrectivesAxis *axis = &view->axes[a];
    const uint32_t driver = view->axis_drivers[a];
    if (driver >= view->driver_count || driver < last) return false;
    if (!sup_all_within(axis->factors, 9, MOST_TURN) || !sup_all_within(&axis->low, 1, MOST_TURN) ||
        !sup_all_within(&axis->high, 1, MOST_TURN)) {
      return false;
    }
    if (!(axis->low <= axis->rest && axis->rest <= axis->high)) return false;
    last = driver;
  }
  return true;
}

static bool pairs_sensible(const SupCorrectivesView *view) {
  for (uint32_t k = 0; k < view->pair_count; k++) {
    const uint32_t *pair = view->pairs + 2 * (size_t)k;
    if (pair[0] >= pair[1] || pair[1] >= view->axis_count) return false;
  }
  return true;
}

SupResult sup_correctives_check(const SupModel *model, SupError *error) {
  SupResult result = sup_skin_check(model, error);
  if (result) return result;
  SupCorrectivesView view = {.skin = sup_skin_view(model)};
  CorrectivesCounts n = {0};
  if (!find_sections(model, &view, &n)) return bad(error, "a section is missing");
  if (!sup_skin_is_of_mesh(model, &view.skin)) return bad(error, "number of vertices");
  if (view.flags) return bad(error, "flags");
  if (view.component_count == 0 || view.component_count > SUP_CORRECTIVES_MOST ||
      view.component_count > view.skin.morph_count) {
    return bad(error, "number of components");
  }
  if (!features_fit(&view)) return bad(error, "number of features");
  if (n.drivers != view.driver_count || !rising_below(view.drivers, n.drivers, view.joint_count) ||
      n.rest != view.driver_count || !unit_all(view.rest, n.rest)) {
    return bad(error, "joints");
  }
  if (n.heavy != view.heavy_count || !rising_below(view.heavy, n.heavy, view.skin.bone_count)) {
    return bad(error, "bones");
  }
  const uint64_t width = 1 + 9 * (uint64_t)view.driver_count;
  if (n.centres != width * view.centre_count || !centres_sensible(&view, width)) {
    return bad(error, "example poses");
  }
  if (n.axis_drivers != view.axis_count || n.axes != view.axis_count || !axes_sensible(&view) ||
      n.pairs != 2 * (uint64_t)view.pair_count || !pairs_sensible(&view)) {
    return bad(error, "products of joints");
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
