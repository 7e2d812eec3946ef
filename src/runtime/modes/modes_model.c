/* SPDX-License-Identifier: MIT */
/* A modes model as sections of a block: checking them, and looking at them. */
#include "supple/modes.h"

#include "runtime/model_checks.h"

#define ELEMENTS 12u

/* Physical ranges: 0.2 mHz to 160 kHz, and steps of which a frame has some. */
#define LEAST_STIFFNESS 1e-6f
#define MOST_STIFFNESS 1e12f
#define MOST_DECAY 1e9f
#define MOST_GAIN 1e6f
#define SHORTEST_STEP 1e-4f

typedef struct ModesCounts {
  uint64_t counts, numbers, lanes, oscillators, pairs, drive, turns, one_ring_first, one_rings;
} ModesCounts;

static SupResult bad(SupError *error, const char *what) {
  return sup_fail(error, SUP_ERROR_FORMAT, "the model's modes are damaged (%s): build it again",
                  what);
}

static bool find_sections(const SupModel *model, SupModesView *view, ModesCounts *n) {
  bool all = true;
#define FIND(type, name, count) \
  ((const type *)sup_need_section(model, SUP_SECTION_MODES_##name, sizeof(type), &n->count, &all))
  const uint32_t *counts = FIND(uint32_t, COUNTS, counts);
  const float *numbers = FIND(float, NUMBERS, numbers);
  view->lanes = FIND(uint32_t, LANES, lanes);
  view->oscillators = FIND(float, OSCILLATORS, oscillators);
  view->pairs = FIND(uint32_t, PAIRS, pairs);
  view->drive = FIND(float, DRIVE, drive);
  if (!all || n->counts != 3 || n->numbers != 2) return false;
  view->flags = counts[0];
  view->mode_count = counts[1];
  view->pair_count = counts[2];
  view->block_count = sup_range_count(view->mode_count, SUP_SKIN_BLOCK);
  view->h = model->h;
  view->scale = numbers[0];
  view->worst = numbers[1];
  if (view->flags & SUP_MODES_WARP) {
    view->skin.morph_turns = FIND(float, TURNS, turns);
    view->skin.turn_first = view->skin.morph_count - view->mode_count;
  }
  if (view->flags & SUP_MODES_ONE_RINGS) {
    view->one_ring_first = FIND(uint32_t, ONE_RING_FIRST, one_ring_first);
    view->one_rings = FIND(uint32_t, ONE_RINGS, one_rings);
  }
#undef FIND
  return all;
}

static bool lanes_fit(const SupModesView *view) {
  for (uint32_t v = 0; v < view->skin.vertex_count; v++) {
    if (view->lanes[v] >= view->skin.vertex_count || view->skin.order[view->lanes[v]] != v) {
      return false;
    }
  }
  return true;
}

static bool oscillators_sensible(const SupModesView *view) {
  for (uint32_t i = 0; i < SUP_SKIN_BLOCK * view->block_count; i++) {
    const float *rows = view->oscillators +
                        (size_t)(SUP_MODES_ROWS * SUP_SKIN_BLOCK) * (i / SUP_SKIN_BLOCK) +
                        i % SUP_SKIN_BLOCK;
    const float stiffness = rows[SUP_SKIN_BLOCK * SUP_MODES_STIFFNESS];
    const float decay = rows[SUP_SKIN_BLOCK * SUP_MODES_DECAY];
    const float max_weight = rows[SUP_SKIN_BLOCK * SUP_MODES_MAX_WEIGHT];
    const float gain = rows[SUP_SKIN_BLOCK * SUP_MODES_GAIN];
    if (!(stiffness >= LEAST_STIFFNESS && stiffness < MOST_STIFFNESS)) return false;
    if (!(decay >= 0 && decay < MOST_DECAY)) return false;
    if (!(max_weight > 0) || !sup_all_within(&gain, 1, MOST_GAIN)) return false;
  }
  return true;
}

/* c <= b, each pair once, in rising order. */
static bool pairs_sensible(const SupModesView *view) {
  uint64_t last = 0;
  for (uint32_t p = 0; p < view->pair_count; p++) {
    const uint32_t c = view->pairs[2 * p], b = view->pairs[2 * p + 1];
    const uint64_t place = (uint64_t)c << 32 | b;
    if (c > b || b >= view->skin.bone_count || (p > 0 && place <= last)) return false;
    last = place;
  }
  return true;
}

SupResult sup_modes_check(const SupModel *model, SupError *error) {
  SupResult result = sup_skin_check(model, error);
  if (result) return result;
  SupModesView view = {.skin = sup_skin_view(model)};
  ModesCounts n = {0};
  if (!find_sections(model, &view, &n)) return bad(error, "a section is missing");
  if (!sup_skin_is_of_mesh(model, &view.skin)) return bad(error, "number of vertices");
  if (view.flags & ~(SUP_MODES_WARP | SUP_MODES_ONE_RINGS)) return bad(error, "flags");
  if (view.mode_count == 0 || view.mode_count > SUP_MODES_MOST ||
      view.mode_count > view.skin.morph_count) {
    return bad(error, "number of modes");
  }
  if (!(view.h >= SHORTEST_STEP)) return bad(error, "steps too short");
  if (!(view.scale > 0 && view.scale < 1e15f && view.worst >= 0 && view.worst < 1e15f)) {
    return bad(error, "size");
  }
  if (n.lanes != view.skin.vertex_count || !lanes_fit(&view)) return bad(error, "order");
  const uint64_t lanes = (uint64_t)SUP_SKIN_BLOCK * view.block_count;
  if (n.oscillators != SUP_MODES_ROWS * lanes ||
      !sup_all_moderate(view.oscillators, n.oscillators) || !oscillators_sensible(&view)) {
    return bad(error, "frequencies");
  }
  if (n.pairs != 2 * (uint64_t)view.pair_count || !pairs_sensible(&view)) {
    return bad(error, "bones");
  }
  if (n.drive != ELEMENTS * lanes * view.pair_count || !sup_all_moderate(view.drive, n.drive)) {
    return bad(error, "drive");
  }
  if (view.skin.morph_turns &&
      (n.turns != (uint64_t)(3 * SUP_SKIN_BLOCK) * view.skin.morph_first[view.skin.block_count] ||
       !sup_all_moderate(view.skin.morph_turns, n.turns))) {
    return bad(error, "turns");
  }
  if (view.one_rings && !sup_one_rings_fit(&view.skin, view.one_ring_first, n.one_ring_first,
                                           view.one_rings, n.one_rings))
    return bad(error, "triangles");
  return SUP_OK;
}

SupModesView sup_modes_view(const SupModel *model) {
  SupModesView view = {.skin = sup_skin_view(model)};
  ModesCounts unused = {0};
  find_sections(model, &view, &unused);
  return view;
}
