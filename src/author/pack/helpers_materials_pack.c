/* SPDX-License-Identifier: MIT */
/* Controllers of the same helpers in several materials as one model block. */
#include "author/pack/helpers_parts_pack.h"
#include "base/scratch.h"
#include "runtime/helpers/helpers_materials.h"

#define OUTPUTS SUP_HELPERS_OUTPUTS

typedef struct Stack {
  uint32_t count;
  const SupHelpersMaterialDef *materials;
  SupArena *arena;
  SupError *error;
  SupHelpersDef def;     /* all of them, as the first alone */
  SupHelpersPart *parts; /* [count * helpers] */
  float *blends;
  size_t blend_count;
} Stack;

static const SupHelperDef *helper(const Stack *s, uint32_t k, uint32_t h) {
  return &s->materials[k].def->helpers[h];
}

/* ---- What has to be alike -------------------------------------------------------------------- */

static bool same(const void *a, const void *b, size_t bytes) {
  const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;
  for (size_t k = 0; k < bytes; k++) {
    if (x[k] != y[k]) return false;
  }
  return true;
}

static bool same_text(const char *a, const char *b) {
  while (*a && *a == *b) a++, b++;
  return *a == *b;
}

/* What the first and another one do not share; NULL: nothing. */
static const char *difference(const SupHelpersDef *a, const SupHelpersDef *b) {
  if (a->h != b->h) return "steps";
  if (a->helper_count != b->helper_count) return "numbers of helpers";
  if (a->turn_count != b->turn_count ||
      !same(a->turns, b->turns, a->turn_count * sizeof *a->turns) ||
      a->frame_count != b->frame_count ||
      !same(a->frames, b->frames, a->frame_count * sizeof *a->frames) ||
      a->feature_count != b->feature_count ||
      !same(a->features, b->features, 3 * (size_t)a->feature_count * sizeof *a->features)) {
    return "inputs";
  }
  for (uint32_t h = 0; h < a->helper_count; h++) {
    if (a->helpers[h].joint != b->helpers[h].joint ||
        !same(&a->helpers[h].rest, &b->helpers[h].rest, sizeof a->helpers[h].rest)) {
      return "joints";
    }
  }
  return NULL;
}

static bool name_fits(const char *name) {
  uint32_t length = 0;
  while (name && name[length] && length <= SUP_HELPERS_NAME) {
    if (name[length] == '=' || name[length] == ',') return false;
    length++;
  }
  return length >= 1 && length <= SUP_HELPERS_NAME;
}

static SupResult check(const Stack *s) {
  if (s->count < 1 || s->count > SUP_HELPERS_MATERIALS) {
    return sup_fail(s->error, SUP_ERROR_ARGUMENT, "helpers of %u materials; a model has 1 to %u",
                    s->count, SUP_HELPERS_MATERIALS);
  }
  for (uint32_t k = 0; k < s->count; k++) {
    const SupHelpersMaterialDef *m = &s->materials[k];
    SupResult result = sup_helpers_check_def(m->def, s->error);
    if (result != SUP_OK) return result;
    if (!name_fits(m->name)) {
      return sup_fail(s->error, SUP_ERROR_ARGUMENT,
                      "helpers: material %u needs a name of 1 to %u bytes without '=' and ','",
                      k + 1, SUP_HELPERS_NAME);
    }
    const double ratio = m->frequency / s->materials[0].frequency;
    if (!(m->frequency > 0 && ratio >= 1.0 / 64 && ratio <= 64)) {
      return sup_fail(s->error, SUP_ERROR_ARGUMENT,
                      "helpers: the frequency of '%s' must be above 0 and within a factor of 64 of "
                      "the first material's",
                      m->name);
    }
    const char *what = difference(s->materials[0].def, m->def);
    if (what) {
      return sup_fail(s->error, SUP_ERROR_ARGUMENT,
                      "helpers of '%s' and '%s' have different %s; learn them together",
                      s->materials[0].name, m->name, what);
    }
    for (uint32_t i = 0; i < k; i++) {
      if (!same_text(s->materials[i].name, m->name)) continue;
      return sup_fail(s->error, SUP_ERROR_ARGUMENT, "two materials are called '%s'", m->name);
    }
  }
  return SUP_OK;
}

/* ---- One helper ------------------------------------------------------------------------------ */

static uint32_t place_of(uint32_t count, const uint32_t *list, uint32_t item) {
  uint32_t at = 0;
  while (at < count && list[at] != item) at++;
  return at;
}

/* Whatever any material looks at; those of the first in its order. */
static uint32_t *unite(const Stack *s, uint32_t h, bool features, uint32_t *out_count) {
  size_t most = 0;
  for (uint32_t k = 0; k < s->count; k++) {
    most += features ? helper(s, k, h)->feature_count : helper(s, k, h)->input_count;
  }
  uint32_t *list = SUP_ALLOC(s->arena, uint32_t, most + 1), count = 0;
  for (uint32_t k = 0; k < s->count && list; k++) {
    const SupHelperDef *d = helper(s, k, h);
    const uint32_t own = features ? d->feature_count : d->input_count;
    for (uint32_t i = 0; i < own; i++) {
      const uint32_t item = features ? d->features[i] : d->inputs[i];
      if (place_of(count, list, item) == count) list[count++] = item;
    }
  }
  *out_count = count;
  return list;
}

/* to[rows * width] from rows of a material's inputs, the constant last. */
static void spread_inputs(const SupHelperDef *from, const SupHelperDef *all, uint32_t rows,
                          const double *matrix, double *to) {
  const uint32_t width = all->input_count + 1;
  for (uint32_t r = 0; r < rows; r++, matrix += from->input_count + 1, to += width) {
    for (uint32_t i = 0; i < from->input_count; i++) {
      to[place_of(all->input_count, all->inputs, from->inputs[i])] = matrix[i];
    }
    to[width - 1] = matrix[from->input_count];
  }
}

typedef struct Spread {
  double *b, *d, *fixed; /* of one material, for all inputs and features */
} Spread;

static bool spread(const Stack *s, const SupHelperDef *from, const SupHelperDef *all, Spread *out) {
  const size_t width = (size_t)all->input_count + 1, terms = 1 + (size_t)all->feature_count;
  out->b = SUP_ALLOC(s->arena, double, from->state_count *width);
  out->d = SUP_ALLOC(s->arena, double, OUTPUTS *width);
  out->fixed = SUP_ALLOC(s->arena, double, OUTPUTS *terms);
  if (!out->b || !out->d || !out->fixed) return false;
  spread_inputs(from, all, from->state_count, from->b, out->b);
  spread_inputs(from, all, OUTPUTS, from->d, out->d);
  for (uint32_t o = 0; o < OUTPUTS; o++) {
    const double *row = from->static_part + (size_t)(1 + from->feature_count) * o;
    out->fixed[terms * o] = row[0];
    for (uint32_t i = 0; i < from->feature_count; i++) {
      const uint32_t at = place_of(all->feature_count, all->features, from->features[i]);
      out->fixed[terms * o + 1 + at] = row[1 + i];
    }
  }
  return true;
}

/* What a blend is made of. */
static void put_part(Stack *s, const SupHelperDef *from, const SupHelperDef *all, uint32_t first,
                     const Spread *wide, SupHelpersPart *out) {
  const SupHelpersBone bone = {.inputs = all->input_count, .features = all->feature_count};
  const uint32_t n = from->state_count, width = all->input_count + 1;
  const uint32_t terms = 1 + all->feature_count;
  const HelpersPartLayout at = sup_helpers_part_layout(&bone, n);
  float *to = s->blends + s->blend_count;
  *out = (SupHelpersPart){.states = n, .state_first = first, .blend_at = (uint32_t)s->blend_count};
  for (uint32_t o = 0; o < OUTPUTS; o++) {
    for (uint32_t c = 0; c < n; c++) to[OUTPUTS * c + o] = (float)from->c[n * o + c];
    for (uint32_t c = 0; c < width; c++) {
      to[at.d + OUTPUTS * c + o] = (float)wide->d[width * o + c];
    }
    for (uint32_t c = 0; c < terms; c++) {
      to[at.fixed + OUTPUTS * c + o] = (float)wide->fixed[terms * o + c];
    }
  }
  for (uint32_t i = 0; i < 2 * OUTPUTS; i++) to[at.range + i] = (float)from->range[i];
  for (uint32_t i = 0; i < n * n; i++) to[at.a + i] = (float)from->a[i];
  for (uint32_t i = 0; i < n * width; i++) to[at.b + i] = (float)wide->b[i];
  s->blend_count += (size_t)at.count;
}

/* The systems of all materials side by side, of which the first is seen. */
static SupResult stack_helper(Stack *s, uint32_t h, SupHelperDef *out) {
  SupHelperDef all = *helper(s, 0, h);
  all.state_count = 0;
  for (uint32_t k = 0; k < s->count; k++) all.state_count += helper(s, k, h)->state_count;
  if (all.state_count > SUP_HELPERS_STATES) {
    return sup_fail(s->error, SUP_ERROR_ARGUMENT,
                    "helper %u has %u states in its %u materials together; the maximum is %u, so "
                    "learn with a lower order",
                    h + 1, all.state_count, s->count, SUP_HELPERS_STATES);
  }
  all.inputs = unite(s, h, false, &all.input_count);
  all.features = unite(s, h, true, &all.feature_count);
  const size_t n = all.state_count, width = (size_t)all.input_count + 1;
  double *a = SUP_ALLOC(s->arena, double, n *n), *b = SUP_ALLOC(s->arena, double, n *width);
  double *c = SUP_ALLOC(s->arena, double, OUTPUTS *n);
  if (!all.inputs || !all.features || !a || !b || !c) {
    return sup_fail_memory(s->error, "packing helpers of several materials");
  }
  uint32_t first = 0;
  for (uint32_t k = 0; k < s->count; k++) {
    const SupHelperDef *from = helper(s, k, h);
    Spread wide;
    if (!spread(s, from, &all, &wide)) {
      return sup_fail_memory(s->error, "packing helpers of several materials");
    }
    put_part(s, from, &all, first, &wide, &s->parts[(size_t)k * s->def.helper_count + h]);
    for (uint32_t r = 0; r < from->state_count; r++) {
      sup_copy(a + n * (first + r) + first, from->a + (size_t)from->state_count * r,
               from->state_count * sizeof *a);
    }
    sup_copy(b + width * first, wide.b, from->state_count * width * sizeof *b);
    for (uint32_t o = 0; o < OUTPUTS && k == 0; o++) {
      sup_copy(c + n * o, from->c + (size_t)from->state_count * o, from->state_count * sizeof *c);
    }
    if (k == 0) all.d = wide.d, all.static_part = wide.fixed;
    first += from->state_count;
  }
  all.a = a, all.b = b, all.c = c;
  *out = all;
  return SUP_OK;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static SupResult make_room(Stack *s) {
  size_t most = 0;
  for (uint32_t h = 0; h < s->def.helper_count; h++) {
    SupHelpersBone bone = {0};
    for (uint32_t k = 0; k < s->count; k++) {
      bone.inputs += helper(s, k, h)->input_count;
      bone.features += helper(s, k, h)->feature_count;
    }
    for (uint32_t k = 0; k < s->count; k++) {
      most += (size_t)sup_helpers_part_layout(&bone, helper(s, k, h)->state_count).count;
    }
  }
  if (most > UINT32_MAX) {
    return sup_fail(
        s->error, SUP_ERROR_ARGUMENT,
        "helpers: the blends of all materials are too large; learn fewer helpers or materials");
  }
  s->blends = SUP_ALLOC(s->arena, float, most);
  s->parts = SUP_ALLOC(s->arena, SupHelpersPart, (size_t)s->count * s->def.helper_count);
  return s->blends && s->parts ? SUP_OK
                               : sup_fail_memory(s->error, "packing helpers of several materials");
}

static SupResult widest_box(Stack *s) {
  const size_t inputs = sup_helpers_inputs(s->def.turn_count, s->def.frame_count);
  double *box = SUP_COPY(s->arena, double, s->def.box, 2 * inputs);
  if (!box) return sup_fail_memory(s->error, "packing helpers of several materials");
  for (uint32_t k = 1; k < s->count; k++) {
    const double *other = s->materials[k].def->box;
    for (size_t i = 0; i < inputs; i++) {
      if (other[i] < box[i]) box[i] = other[i];
      if (other[inputs + i] > box[inputs + i]) box[inputs + i] = other[inputs + i];
    }
  }
  s->def.box = box;
  return SUP_OK;
}

static size_t length_of(const char *text) {
  size_t length = 0;
  while (text[length]) length++;
  return length;
}

static SupResult pack(SupArena *arena, Stack *s, const SupCharacter *character,
                      SupModel **out_model) {
  SupResult result = check(s);
  if (result != SUP_OK) return result;
  s->def = *s->materials[0].def;
  SupHelperDef *helpers = SUP_ALLOC(s->arena, SupHelperDef, s->def.helper_count);
  float *fractions = SUP_ALLOC(s->arena, float, 2 * (size_t)s->count);
  size_t bytes = 0;
  for (uint32_t k = 0; k < s->count; k++) bytes += length_of(s->materials[k].name) + 1;
  char *names = SUP_ALLOC(s->arena, char, bytes);
  if (!helpers || !fractions || !names) {
    return sup_fail_memory(s->error, "packing helpers of several materials");
  }
  bytes = 0;
  for (uint32_t k = 0; k < s->count; k++) {
    const size_t length = length_of(s->materials[k].name) + 1;
    sup_copy(names + bytes, s->materials[k].name, length);
    bytes += length;
    fractions[k] = k == 0;
    fractions[s->count + k] = (float)s->materials[k].frequency;
  }
  result = make_room(s);
  if (result == SUP_OK) result = widest_box(s);
  for (uint32_t h = 0; h < s->def.helper_count && result == SUP_OK; h++) {
    result = stack_helper(s, h, &helpers[h]);
  }
  if (result != SUP_OK) return result;
  s->def.helpers = helpers;
  const SupModelPart more[4] = {
      {SUP_SECTION_HELPERS_NAMES, 1, bytes, names},
      {SUP_SECTION_HELPERS_FRACTIONS, 4, 2 * (uint64_t)s->count, fractions},
      {SUP_SECTION_HELPERS_PARTS, sizeof *s->parts, (uint64_t)s->count * s->def.helper_count,
       s->parts},
      {SUP_SECTION_HELPERS_BLENDS, 4, s->blend_count, s->blends}};
  return sup_helpers_pack_with(arena, character, &s->def, 4, more, out_model, s->error);
}

SupResult sup_helpers_pack_materials(SupArena *arena, const SupCharacter *character, uint32_t count,
                                     const SupHelpersMaterialDef *materials, SupModel **out_model,
                                     SupError *error) {
  SupArena scratch = sup_scratch(arena);
  Stack s = {.count = count, .materials = materials, .arena = &scratch, .error = error};
  SupResult result = pack(arena, &s, character, out_model);
  sup_arena_free(&scratch);
  return result;
}
