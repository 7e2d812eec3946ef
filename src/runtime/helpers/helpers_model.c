/* SPDX-License-Identifier: MIT */
/* A helpers model as sections of a block: checking them, and looking at them. */
#include "supple/helpers.h"

#include "runtime/helpers/helpers_materials.h"
#include "runtime/model_checks.h"

enum {
  COUNT_FLAGS,
  COUNT_JOINTS,
  COUNT_HELPERS,
  COUNT_TURNS,
  COUNT_FRAMES,
  COUNT_FEATURES,
  COUNT_STATES,
  COUNTS
};

typedef struct HelpersCounts {
  uint64_t counts, turns, rest, frames, box, features, bones, lists, matrices;
} HelpersCounts;

/* Of a step, in seconds: shorter ones would never catch up with a frame. */
#define SHORTEST_STEP 1e-4f

/* Of any number, so that a sum of products with numbers like it stays in the range of float. */
#define MOST 1e9f

_Static_assert(sizeof(SupHelpersFrame) == 16, "part of the file format");
_Static_assert(sizeof(SupHelpersBone) == 84, "part of the file format");

static SupResult bad(SupError *error, const char *what) {
  return sup_fail(error, SUP_ERROR_FORMAT, "the model's helpers are damaged (%s): build it again",
                  what);
}

static uint32_t pad(uint32_t count) {
  return (count + SUP_SKIN_BLOCK - 1) / SUP_SKIN_BLOCK * SUP_SKIN_BLOCK;
}

static bool find_sections(const SupModel *model, SupHelpersView *view, HelpersCounts *n) {
  bool all = true;
#define FIND(type, name, count) \
  ((const type *)sup_need_section(model, SUP_SECTION_HELPERS_##name, sizeof(type), &n->count, &all))
  const uint32_t *counts = FIND(uint32_t, COUNTS, counts);
  view->turns = FIND(uint32_t, TURNS, turns);
  view->rest = FIND(float, REST, rest);
  view->frames = FIND(SupHelpersFrame, FRAMES, frames);
  view->box = FIND(float, BOX, box);
  view->features = FIND(uint32_t, FEATURES, features);
  view->bones = FIND(SupHelpersBone, BONES, bones);
  view->lists = FIND(uint32_t, LISTS, lists);
  view->matrices = FIND(float, MATRICES, matrices);
#undef FIND
  if (!all || n->counts != COUNTS) return false;
  view->flags = counts[COUNT_FLAGS];
  view->joint_count = counts[COUNT_JOINTS];
  view->helper_count = counts[COUNT_HELPERS];
  view->turn_count = counts[COUNT_TURNS];
  view->frame_count = counts[COUNT_FRAMES];
  view->feature_count = counts[COUNT_FEATURES];
  view->state_count = counts[COUNT_STATES];
  if (view->turn_count > SUP_HELPERS_INPUTS || view->frame_count > SUP_HELPERS_INPUTS) return false;
  view->turn_pad = pad(view->turn_count);
  view->frame_pad = pad(view->frame_count);
  view->input_count = 3 * view->turn_pad + SUP_HELPERS_ROWS * view->frame_pad + 1;
  view->h = model->h;
  return true;
}

static bool frames_fit(const SupHelpersView *view) {
  for (uint32_t f = 0; f < view->frame_count; f++) {
    if (view->frames[f].joint >= view->joint_count ||
        !sup_all_within(&view->frames[f].point.x, 3, MOST)) {
      return false;
    }
  }
  return true;
}

static bool box_sensible(const SupHelpersView *view) {
  for (uint32_t i = 0; i < view->input_count; i++) {
    if (!(view->box[i] <= view->box[view->input_count + i])) return false;
  }
  return true;
}

/* A feature is a product of turns; the constant is the last input. */
static bool features_fit(const SupHelpersView *view) {
  for (uint64_t k = 0; k < 3 * (uint64_t)view->feature_count; k++) {
    const uint32_t i = view->features[k];
    if (i >= 3 * view->turn_pad && i != view->input_count - 1) return false;
  }
  return true;
}

static bool within(uint64_t at, uint64_t count, uint64_t all) {
  return at <= all && count <= all - at;
}

static bool bone_fits(const SupHelpersView *view, const HelpersCounts *n, uint32_t h) {
  const SupHelpersBone *b = &view->bones[h];
  const SupTransform *t = &b->rest;
  const float square = sup_quat_dot(t->rotation, t->rotation);
  if (b->joint >= view->joint_count || b->states > SUP_HELPERS_STATES ||
      !within(b->state_first, b->states, view->state_count) || b->inputs > view->input_count ||
      b->features > view->feature_count || !(square > 0.99f && square < 1.01f) ||
      !sup_all_within(&t->translation.x, 3, MOST) || !sup_all_within(&t->scale.x, 3, MOST)) {
    return false;
  }
  for (uint32_t k = 0; k < h; k++) {
    if (view->bones[k].joint == b->joint) return false;
  }
  const uint64_t rows = (uint64_t)SUP_SKIN_BLOCK * sup_helpers_rows(b);
  const uint64_t columns = (uint64_t)b->states + b->inputs + 1;
  return within(b->inputs_at, b->inputs, n->lists) &&
         within(b->features_at, b->features, n->lists) &&
         sup_all_below(view->lists + b->inputs_at, b->inputs, view->input_count) &&
         sup_all_below(view->lists + b->features_at, b->features, view->feature_count) &&
         within(b->dynamic_at, rows * columns, n->matrices) &&
         within(b->static_at, SUP_SKIN_BLOCK * (1 + (uint64_t)b->features), n->matrices) &&
         within(b->settle_at, (uint64_t)b->states * (b->inputs + (uint64_t)1), n->matrices) &&
         within(b->range_at, 2 * SUP_HELPERS_OUTPUTS, n->matrices);
}

SupResult sup_helpers_check(const SupModel *model, SupError *error) {
  SupResult result = sup_skin_check(model, error);
  if (result) return result;
  SupHelpersView view = {.skin = sup_skin_view(model)};
  HelpersCounts n = {0};
  if (!find_sections(model, &view, &n)) return bad(error, "a section is missing");
  if (!sup_skin_is_of_mesh(model, &view.skin)) return bad(error, "number of vertices");
  if (view.flags) return bad(error, "flags");
  if (!(model->h >= SHORTEST_STEP)) return bad(error, "steps too short");
  if (view.helper_count == 0 || view.helper_count > SUP_HELPERS_MOST ||
      n.bones != view.helper_count || view.state_count > SUP_HELPERS_STATES * view.helper_count) {
    return bad(error, "number of helpers");
  }
  if (n.turns != view.turn_count || !sup_all_below(view.turns, n.turns, view.joint_count) ||
      n.rest != 4 * (uint64_t)view.turn_pad || !sup_all_within(view.rest, n.rest, MOST)) {
    return bad(error, "joints");
  }
  if (n.frames != view.frame_count || !frames_fit(&view)) return bad(error, "frames");
  if (n.box != 2 * (uint64_t)view.input_count || !sup_all_within(view.box, n.box, MOST) ||
      !box_sensible(&view)) {
    return bad(error, "ranges");
  }
  if (view.feature_count > SUP_HELPERS_FEATURES || n.features != 3 * (uint64_t)view.feature_count ||
      !features_fit(&view)) {
    return bad(error, "features");
  }
  if (!sup_all_within(view.matrices, n.matrices, MOST)) return bad(error, "numbers");
  for (uint32_t h = 0; h < view.helper_count; h++) {
    if (!bone_fits(&view, &n, h)) return bad(error, "a controller");
  }
  return sup_helpers_check_materials(model, &view) ? SUP_OK : bad(error, "materials");
}

SupHelpersView sup_helpers_view(const SupModel *model) {
  SupHelpersView view = {.skin = sup_skin_view(model)};
  HelpersCounts unused = {0};
  find_sections(model, &view, &unused);
  sup_helpers_find_materials(model, &view);
  return view;
}
