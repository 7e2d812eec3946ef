/* SPDX-License-Identifier: MIT */
/* A popping model as sections of a block: checking them, and looking at them. */
#include "supple/popping.h"

#include "runtime/model_checks.h"

/* So that squares of what they make, which normals need, are still finite. */
#define MOST_WEIGHT 16.0f
#define MOST_OFFSET 1e9f

/* Seconds that a time lasts at least where it is not 0: what is divided by it stays finite. */
#define SHORTEST_RISE 1e-6f

/* Radians per step that packing makes at least, less rounding (popping_swing.c). */
#define LEAST_ANGLE 0.99e-4f

typedef struct PoppingCounts {
  uint64_t counts, times, names, swing, slot_first, slots, masks, first, bulges, offsets;
  uint64_t one_ring_first, one_rings;
} PoppingCounts;

static SupResult bad(SupError *error, const char *what) {
  return sup_fail(error, SUP_ERROR_FORMAT, "the model's popping is damaged (%s): build it again",
                  what);
}

static bool find_sections(const SupModel *model, SupPoppingView *view, PoppingCounts *n) {
  bool all = true;
#define FIND(type, name, count) \
  ((const type *)sup_need_section(model, SUP_SECTION_POPPING_##name, sizeof(type), &n->count, &all))
  const uint32_t *counts = FIND(uint32_t, COUNTS, counts);
  const SupPoppingTimes *times = FIND(SupPoppingTimes, TIMES, times);
  view->names = FIND(char, NAMES, names);
  view->swing = FIND(float, SWING, swing);
  view->slot_first = FIND(uint32_t, SLOT_FIRST, slot_first);
  view->slots = FIND(uint32_t, SLOTS, slots);
  view->masks = FIND(float, MASKS, masks);
  view->bulge = view->poses.skin;
  view->bulge.morph_first = FIND(uint32_t, BULGE_FIRST, first);
  view->bulge.morph_targets = FIND(uint32_t, BULGES, bulges);
  view->bulge.morph_offsets = FIND(float, OFFSETS, offsets);
  if (!all || n->counts != 2 || n->times != 1) return false;
  view->flags = counts[0];
  view->group_count = counts[1];
  view->times = *times;
  view->h = model->h;
  view->pair_count = view->bulge.morph_count = view->poses.component_count;
  if (view->flags & SUP_POPPING_ONE_RINGS) {
    view->one_ring_first = FIND(uint32_t, ONE_RING_FIRST, one_ring_first);
    view->one_rings = FIND(uint32_t, ONE_RINGS, one_rings);
  }
#undef FIND
  return all;
}

static bool within(float x, float low, float high) { return x >= low && x <= high; }

static bool within_all(const float *values, uint64_t count, float low, float high) {
  for (uint64_t i = 0; i < count; i++) {
    if (!within(values[i], low, high)) return false;
  }
  return true;
}

static bool none_or_within(float x, float low, float high) {
  return x == 0 || within(x, low, high);
}

static bool times_sensible(const SupPoppingTimes *times) {
  return none_or_within(times->rise, SHORTEST_RISE, 1e3f) &&
         none_or_within(times->fatigue, SUP_POPPING_FATIGUE_LEAST, 1e6f) &&
         within(times->release, 1e-3f, 1e6f) && within(times->still, 1e-9f, 1);
}

static bool names_end(const SupPoppingView *view) {
  for (uint32_t g = 0; g < view->group_count; g++) {
    if (view->names[SUP_POPPING_NAME * (g + 1) - 1] != 0) return false;
  }
  return true;
}

/* Nothing grows from step to step: the eigenvalues of every vertex are inside the unit circle. */
static bool swing_sensible(const SupPoppingView *view) {
  for (uint32_t i = 0; i < SUP_SKIN_BLOCK * view->bulge.block_count; i++) {
    const float *rows = view->swing +
                        (size_t)(SUP_POPPING_ROWS * SUP_SKIN_BLOCK) * (i / SUP_SKIN_BLOCK) +
                        i % SUP_SKIN_BLOCK;
    const float keep = rows[SUP_SKIN_BLOCK * SUP_POPPING_KEEP];
    const float pull = rows[SUP_SKIN_BLOCK * SUP_POPPING_PULL];
    const float angle = rows[SUP_SKIN_BLOCK * SUP_POPPING_ANGLE];
    if (!(keep >= 0 && keep < 1 && pull > 0 && pull < 2 * (1 + keep))) return false;
    if (!within(rows[SUP_SKIN_BLOCK * SUP_POPPING_FADE], -50, 0)) return false;
    if (!(angle >= LEAST_ANGLE && angle < 3.1415926f)) return false;
  }
  return true;
}

/* first[blocks + 1] rises from 0 to count, and the items rise within a block, below a bound. */
static bool lists_fit(const uint32_t *first, uint32_t blocks, const uint32_t *items, uint64_t count,
                      uint32_t bound) {
  if (first[0] != 0) return false;
  for (uint32_t b = 0; b < blocks; b++) {
    if (first[b + 1] < first[b] || first[b + 1] > count) return false;
    for (uint32_t k = first[b]; k < first[b + 1]; k++) {
      if (items[k] >= bound || (k > first[b] && items[k] <= items[k - 1])) return false;
    }
  }
  return first[blocks] == count;
}

SupResult sup_popping_check(const SupModel *model, SupError *error) {
  SupResult result = sup_correctives_check(model, error);
  if (result) return result;
  SupPoppingView view = {.poses = sup_correctives_view(model)};
  PoppingCounts n = {0};
  if (!find_sections(model, &view, &n)) return bad(error, "a section is missing");
  const uint32_t blocks = view.bulge.block_count;
  if (view.flags & ~SUP_POPPING_ONE_RINGS) return bad(error, "flags");
  if (view.poses.heavy_count) return bad(error, "bones");
  if (!within(view.h, 1e-4f, 1)) return bad(error, "step");
  if (view.group_count == 0 || view.group_count > SUP_POPPING_GROUPS ||
      n.names != SUP_POPPING_NAME * (uint64_t)view.group_count || !names_end(&view)) {
    return bad(error, "muscles");
  }
  if (!times_sensible(&view.times)) return bad(error, "times");
  if (n.swing != (uint64_t)(SUP_POPPING_ROWS * SUP_SKIN_BLOCK) * blocks || !swing_sensible(&view)) {
    return bad(error, "swing");
  }
  if (n.slot_first != (uint64_t)blocks + 1 || n.masks != SUP_SKIN_BLOCK * n.slots ||
      !lists_fit(view.slot_first, blocks, view.slots, n.slots, view.group_count) ||
      !within_all(view.masks, n.masks, 0, 1)) {
    return bad(error, "masks");
  }
  const uint64_t relaxed = view.poses.skin.morph_first[blocks];
  if (!within_all(view.poses.limits, 2 * (uint64_t)view.pair_count, -MOST_WEIGHT, MOST_WEIGHT) ||
      !within_all(view.poses.skin.morph_offsets, 3 * SUP_SKIN_BLOCK * relaxed, -MOST_OFFSET,
                  MOST_OFFSET) ||
      n.first != (uint64_t)blocks + 1 || n.offsets != 3 * SUP_SKIN_BLOCK * n.bulges ||
      !lists_fit(view.bulge.morph_first, blocks, view.bulge.morph_targets, n.bulges,
                 view.pair_count) ||
      !within_all(view.bulge.morph_offsets, n.offsets, -MOST_OFFSET, MOST_OFFSET)) {
    return bad(error, "shapes");
  }
  if (view.one_rings && !sup_one_rings_fit(&view.bulge, view.one_ring_first, n.one_ring_first,
                                           view.one_rings, n.one_rings))
    return bad(error, "triangles");
  return SUP_OK;
}

SupPoppingView sup_popping_view(const SupModel *model) {
  SupPoppingView view = {.poses = sup_correctives_view(model)};
  PoppingCounts unused = {0};
  find_sections(model, &view, &unused);
  return view;
}

uint32_t sup_popping_find(const SupPoppingView *model, const char *name) {
  for (uint32_t g = 0; g < model->group_count; g++) {
    if (sup_string_equal(model->names + (size_t)SUP_POPPING_NAME * g, name)) return g;
  }
  return SUP_POPPING_ALL;
}
