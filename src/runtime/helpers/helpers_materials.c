/* SPDX-License-Identifier: MIT */
/*
 * A model of several materials: the states of all stand one behind the other in every helper, and
 * what they make of its numbers is mixed. Time goes at another pace for each, so that all swing at
 * the frequency of the blend; a swing that takes r times as long goes r^2 times as far.
 */
#include "runtime/helpers/helpers_materials.h"

#include "base/scratch.h"

#include "runtime/helpers/helpers_rate.h"
#include "runtime/model_checks.h"
#include "supple/math.h"

#define OUTPUTS SUP_HELPERS_OUTPUTS
#define MOST 1e9f             /* of any number */
#define MOST_RATIO 64.0f      /* of two frequencies */
#define LEAST_FRACTION -0.25f /* what is learned does not reach far beyond itself */
#define MOST_FRACTION 1.25f
#define AT_REST 1e-5 /* a pace that differs from 1 by less is 1: no bit changes */

_Static_assert(sizeof(SupHelpersPart) == 16, "part of the file format");

/* ---- Sections -------------------------------------------------------------------------------- */

HelpersPartLayout sup_helpers_part_layout(const SupHelpersBone *bone, uint32_t states) {
  const uint64_t n = states, width = (uint64_t)bone->inputs + 1;
  HelpersPartLayout l;
  l.d = OUTPUTS * n;
  l.fixed = l.d + OUTPUTS * width;
  l.range = l.fixed + OUTPUTS * (1 + (uint64_t)bone->features);
  l.a = l.range + 2 * OUTPUTS;
  l.b = l.a + n * n;
  l.count = l.b + n * width;
  return l;
}

typedef struct MaterialCounts {
  uint64_t names, fractions, parts, blends;
} MaterialCounts;

static bool find(const SupModel *model, SupHelpersView *view, MaterialCounts *n) {
  bool all = true;
  view->names =
      (const char *)sup_need_section(model, SUP_SECTION_HELPERS_NAMES, 1, &n->names, &all);
  view->fractions = (const float *)sup_need_section(model, SUP_SECTION_HELPERS_FRACTIONS,
                                                    sizeof(float), &n->fractions, &all);
  view->parts = (const SupHelpersPart *)sup_need_section(model, SUP_SECTION_HELPERS_PARTS,
                                                         sizeof(SupHelpersPart), &n->parts, &all);
  view->blends = (const float *)sup_need_section(model, SUP_SECTION_HELPERS_BLENDS, sizeof(float),
                                                 &n->blends, &all);
  view->material_count = all ? (uint32_t)(n->fractions / 2) : 0;
  return all;
}

void sup_helpers_find_materials(const SupModel *model, SupHelpersView *io_view) {
  MaterialCounts unused = {0};
  find(model, io_view, &unused);
}

static bool names_fit(const SupHelpersView *view, uint64_t bytes) {
  uint32_t ends = 0, length = 0;
  for (uint64_t k = 0; k < bytes; k++) {
    const char letter = view->names[k];
    if (letter == '=' || letter == ',' || (letter && ++length > SUP_HELPERS_NAME)) return false;
    if (letter) continue;
    if (length == 0) return false;
    length = 0;
    ends++;
  }
  return ends == view->material_count && view->names[bytes - 1] == 0;
}

static bool part_fits(const SupHelpersBone *bone, const SupHelpersPart *part, uint64_t blends) {
  if (part->reserved || part->state_first > bone->states ||
      part->states > bone->states - part->state_first) {
    return false;
  }
  const uint64_t count = sup_helpers_part_layout(bone, part->states).count;
  return part->blend_at <= blends && count <= blends - part->blend_at;
}

/* No state belongs to two. */
static bool apart(const SupHelpersView *view, uint32_t h) {
  uint32_t next = 0;
  for (uint32_t k = 0; k < view->material_count; k++) {
    const SupHelpersPart *part = &view->parts[(size_t)k * view->helper_count + h];
    if (part->state_first != next) return false;
    next += part->states;
  }
  return next == view->bones[h].states;
}

bool sup_helpers_check_materials(const SupModel *model, SupHelpersView *io_view) {
  MaterialCounts n = {0};
  if (!find(model, io_view, &n)) {
    return !io_view->names && !io_view->fractions && !io_view->parts && !io_view->blends;
  }
  const uint32_t count = io_view->material_count;
  if (count < 1 || count > SUP_HELPERS_MATERIALS || n.fractions != 2 * (uint64_t)count ||
      n.parts != (uint64_t)count * io_view->helper_count || n.names == 0 ||
      !names_fit(io_view, n.names) || !sup_all_within(io_view->fractions, n.fractions, MOST) ||
      !sup_all_within(io_view->blends, n.blends, MOST)) {
    return false;
  }
  const float *frequencies = io_view->fractions + count;
  for (uint32_t k = 0; k < count; k++) {
    if (!(frequencies[k] > 0 && frequencies[k] <= MOST_RATIO * frequencies[0] &&
          frequencies[0] <= MOST_RATIO * frequencies[k])) {
      return false;
    }
  }
  for (uint32_t h = 0; h < io_view->helper_count; h++) {
    for (uint32_t k = 0; k < count; k++) {
      if (!part_fits(&io_view->bones[h], &io_view->parts[(size_t)k * io_view->helper_count + h],
                     n.blends)) {
        return false;
      }
    }
    if (!apart(io_view, h)) return false;
  }
  return true;
}

const char *sup_helpers_material(const SupHelpersView *model, uint32_t material) {
  if (material >= model->material_count) return NULL;
  const char *name = model->names;
  for (; material > 0; material--) {
    while (*name++) {
    }
  }
  return name;
}

/* ---- Blending -------------------------------------------------------------------------------- */

static SupResult check_fractions(const SupHelpersView *view, const float *fractions,
                                 SupError *error) {
  if (view->material_count == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "the helpers were learned from one material; learn them from several to blend");
  }
  double sum = 0;
  for (uint32_t k = 0; k < view->material_count; k++) {
    if (!(fractions[k] >= LEAST_FRACTION && fractions[k] <= MOST_FRACTION)) {
      return sup_fail(error, SUP_ERROR_ARGUMENT,
                      "a fraction of %g for '%s' is out of range; give one from %g to %g",
                      (double)fractions[k], sup_helpers_material(view, k), (double)LEAST_FRACTION,
                      (double)MOST_FRACTION);
    }
    sum += (double)fractions[k];
  }
  if (!(sum > 0.999 && sum < 1.001)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "the fractions of the materials sum to %g; they must sum to 1", sum);
  }
  return SUP_OK;
}

/* How fast time goes for each material. */
static void find_paces(const SupHelpersView *view, const float *fractions, double *out_paces) {
  const uint32_t count = view->material_count;
  const float *frequencies = view->fractions + count;
  double log = 0;
  for (uint32_t k = 0; k < count; k++)
    log += (double)fractions[k] * sup_log((double)frequencies[k]);
  const double frequency = sup_exp(log);
  for (uint32_t k = 0; k < count; k++) {
    out_paces[k] = frequency / (double)frequencies[k];
    if (out_paces[k] > 1 - AT_REST && out_paces[k] < 1 + AT_REST) out_paces[k] = 1;
  }
}

/* A and B of a part at another pace, in double: [n * n], then [n * (inputs + 1)]. */
static bool change_pace(SupArena *scratch, const SupHelpersBone *bone, uint32_t states,
                        const float *from, double pace, double *out) {
  const uint32_t n = states, width = bone->inputs + 1;
  const HelpersPartLayout at = sup_helpers_part_layout(bone, n);
  const size_t count = (size_t)n * n + (size_t)n * width;
  for (size_t k = 0; k < count; k++) out[k] = (double)from[at.a + k];
  if (pace == 1 || n == 0) return true;
  double *old = SUP_COPY(scratch, double, out, count);
  return old && sup_helpers_power(scratch, n, width, old, old + (size_t)n * n, pace, out,
                                  out + (size_t)n * n);
}

typedef struct Blend {
  const SupHelpersView *view;
  double paces[SUP_HELPERS_MATERIALS];
  double *systems[SUP_HELPERS_MATERIALS]; /* A and B of all helpers, one after the other */
} Blend;

static SupResult prepare(SupArena *scratch, Blend *b, SupError *error) {
  const SupHelpersView *view = b->view;
  for (uint32_t k = 0; k < view->material_count; k++) {
    const SupHelpersPart *parts = view->parts + (size_t)k * view->helper_count;
    size_t count = 0;
    for (uint32_t h = 0; h < view->helper_count; h++) {
      count += (size_t)parts[h].states * (parts[h].states + view->bones[h].inputs + 1);
    }
    double *to = b->systems[k] = SUP_ALLOC(scratch, double, count);
    if (!to) return sup_fail_memory(error, "blending helpers");
    for (uint32_t h = 0; h < view->helper_count; h++) {
      const SupHelpersBone *bone = &view->bones[h];
      if (!change_pace(scratch, bone, parts[h].states, view->blends + parts[h].blend_at,
                       b->paces[k], to)) {
        return sup_fail(error, SUP_ERROR_NUMERIC,
                        "helpers: the controller of helper %u cannot be made %g times as fast "
                        "('%s'); learn the materials with --mix-frequencies",
                        h, b->paces[k], sup_helpers_material(view, k));
      }
      to += (size_t)parts[h].states * (parts[h].states + bone->inputs + 1);
    }
  }
  return SUP_OK;
}

/* The numbers o of all outputs that material k adds. */
static void add_part(const Blend *b, uint32_t k, uint32_t h, double fraction, const double *system,
                     double *dynamic, double *fixed, double *range) {
  const SupHelpersView *view = b->view;
  const SupHelpersBone *bone = &view->bones[h];
  const SupHelpersPart *part = &view->parts[(size_t)k * view->helper_count + h];
  const float *from = view->blends + part->blend_at;
  const HelpersPartLayout at = sup_helpers_part_layout(bone, part->states);
  const uint32_t n = part->states, width = bone->inputs + 1;
  const size_t rows = SUP_SKIN_BLOCK * (size_t)sup_helpers_rows(bone);
  const double swing = fraction / (b->paces[k] * b->paces[k]);
  double *own = dynamic + rows * part->state_first, *inputs = dynamic + rows * bone->states;
  for (uint32_t o = 0; o < OUTPUTS; o++) {
    for (uint32_t c = 0; c < n; c++) own[rows * c + o] += swing * (double)from[OUTPUTS * c + o];
    for (uint32_t c = 0; c < width; c++) {
      inputs[rows * c + o] += swing * (double)from[at.d + OUTPUTS * c + o];
    }
    for (uint32_t c = 0; c <= bone->features; c++) {
      fixed[SUP_SKIN_BLOCK * c + o] += fraction * (double)from[at.fixed + OUTPUTS * c + o];
    }
    const double low = swing * (double)from[at.range + 2 * o];
    const double high = swing * (double)from[at.range + 2 * o + 1];
    range[2 * o] += swing < 0 ? high : low;
    range[2 * o + 1] += swing < 0 ? low : high;
  }
  for (uint32_t r = 0; r < n; r++) {
    const uint32_t row = OUTPUTS + part->state_first + r;
    for (uint32_t c = 0; c < n; c++) own[rows * c + row] = system[n * r + c];
    for (uint32_t c = 0; c < width; c++) {
      inputs[rows * c + row] = system[(size_t)n * n + width * r + c];
    }
  }
}

static void put(const double *from, size_t count, float *to) {
  for (size_t k = 0; k < count; k++) to[k] = (float)from[k];
}

static size_t dynamic_count(const SupHelpersBone *bone) {
  return SUP_SKIN_BLOCK * (size_t)sup_helpers_rows(bone) *
         ((size_t)bone->states + bone->inputs + 1);
}

static size_t static_count(const SupHelpersBone *bone) {
  return SUP_SKIN_BLOCK * (1 + (size_t)bone->features);
}

static size_t bone_count(const SupHelpersBone *bone) {
  return dynamic_count(bone) + static_count(bone) + 2 * OUTPUTS;
}

/* What the materials make of one helper, into `sums`, [bone_count] zeros. */
static void blend_bone(Blend *b, uint32_t h, const float *fractions, double *sums) {
  const SupHelpersView *view = b->view;
  const SupHelpersBone *bone = &view->bones[h];
  const size_t dynamic = dynamic_count(bone), fixed = static_count(bone);
  for (uint32_t k = 0; k < view->material_count; k++) {
    const SupHelpersPart *part = &view->parts[(size_t)k * view->helper_count + h];
    add_part(b, k, h, (double)fractions[k], b->systems[k], sums, sums + dynamic,
             sums + dynamic + fixed);
    b->systems[k] += (size_t)part->states * (part->states + bone->inputs + 1);
  }
}

static void put_bone(const SupHelpersBone *bone, const double *sums, float *matrices) {
  const size_t dynamic = dynamic_count(bone), fixed = static_count(bone);
  put(sums, dynamic, matrices + bone->dynamic_at);
  put(sums + dynamic, fixed, matrices + bone->static_at);
  put(sums + dynamic + fixed, 2 * OUTPUTS, matrices + bone->range_at);
}

static SupResult blend(SupArena *scratch, const SupHelpersView *view, const float *fractions,
                       float *out_matrices, SupError *error) {
  Blend b = {.view = view};
  size_t count = 0;
  for (uint32_t h = 0; h < view->helper_count; h++) count += bone_count(&view->bones[h]);
  double *sums = SUP_ALLOC(scratch, double, count), *at = sums;
  if (!sums) return sup_fail_memory(error, "blending helpers");
  sup_zero(sums, count * sizeof *sums);
  find_paces(view, fractions, b.paces);
  SupResult result = prepare(scratch, &b, error);
  if (result != SUP_OK) return result;
  for (uint32_t h = 0; h < view->helper_count; at += bone_count(&view->bones[h++])) {
    blend_bone(&b, h, fractions, at);
  }
  for (size_t k = 0; k < count; k++) {
    if (sums[k] >= -(double)MOST && sums[k] <= (double)MOST) continue;
    return sup_fail(error, SUP_ERROR_NUMERIC,
                    "helpers: this blend of materials is out of bounds; give other fractions, or "
                    "build the model again");
  }
  at = sums;
  for (uint32_t h = 0; h < view->helper_count; at += bone_count(&view->bones[h++])) {
    put_bone(&view->bones[h], at, out_matrices);
  }
  return SUP_OK;
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

size_t sup_helpers_matrix_count(const SupHelpersView *model) {
  size_t count = 0;
  for (uint32_t h = 0; h < model->helper_count; h++) {
    const SupHelpersBone *bone = &model->bones[h];
    const size_t settle = (size_t)bone->states * (bone->inputs + 1);
    count = larger(count, bone->dynamic_at + dynamic_count(bone));
    count = larger(count, bone->static_at + static_count(bone));
    count = larger(count, bone->settle_at + settle);
    count = larger(count, bone->range_at + 2 * OUTPUTS);
  }
  return count;
}

SupResult sup_helpers_mix(SupArena *scratch, const SupHelpersView *model, const float *fractions,
                          float *out_matrices, SupError *error) {
  SupResult result = check_fractions(model, fractions, error);
  if (result != SUP_OK) return result;
  SupArena own = sup_scratch(scratch);
  result = blend(&own, model, fractions, out_matrices, error);
  sup_arena_free(&own);
  return result;
}

/* ---- Other frame rates ----------------------------------------------------------------------- */

SupResult sup_helpers_convert_materials(SupArena *arena, const SupHelpersView *view, double r,
                                        SupError *error) {
  for (size_t i = 0; i < (size_t)view->material_count * view->helper_count; i++) {
    const SupHelpersPart *part = &view->parts[i];
    const SupHelpersBone *bone = &view->bones[i % view->helper_count];
    const HelpersPartLayout at = sup_helpers_part_layout(bone, part->states);
    float *io = (float *)(uintptr_t)(view->blends + part->blend_at); /* the block is the caller's */
    double *system = SUP_ALLOC(arena, double, (size_t)(at.count - at.a));
    if (!system) return sup_fail_memory(error, "converting helpers");
    if (!change_pace(arena, bone, part->states, io, r, system)) {
      return sup_fail(error, SUP_ERROR_NUMERIC,
                      "helpers: the controller of helper %u cannot be converted to another frame "
                      "rate; step it at its own",
                      (uint32_t)(i % view->helper_count));
    }
    put(system, (size_t)(at.count - at.a), io + at.a);
  }
  return blend(arena, view, view->fractions, (float *)(uintptr_t)view->matrices, error);
}
