/* SPDX-License-Identifier: MIT */
/* Controllers of helper joints as a model block. */
#include "author/pack/helpers_parts_pack.h"

#include "author/pack/packer_list.h"
#include "base/scratch.h"
#include "runtime/helpers/helpers_rate.h"

#define COOKIE SUP_FOURCC('h', 'p', 'd', 'f')
#define BLOCK SUP_SKIN_BLOCK
#define OUTPUTS SUP_HELPERS_OUTPUTS

SupHelpersDef sup_helpers_def(void) { return (SupHelpersDef){.cookie = COOKIE, .h = 1.0 / 60}; }

static uint32_t pad(uint32_t count) { return (count + BLOCK - 1) / BLOCK * BLOCK; }

uint32_t sup_helpers_inputs(uint32_t turn_count, uint32_t frame_count) {
  return 3 * pad(turn_count) + SUP_HELPERS_ROWS * pad(frame_count) + 1;
}

uint32_t sup_helpers_turn_input(uint32_t turn_count, uint32_t turn, uint32_t c) {
  return c * pad(turn_count) + turn;
}

uint32_t sup_helpers_frame_input(uint32_t turn_count, uint32_t frame_count, uint32_t frame,
                                 uint32_t r) {
  return 3 * pad(turn_count) + r * pad(frame_count) + frame;
}

/* ---- Matrices -------------------------------------------------------------------------------- */

typedef struct Packer {
  const SupHelpersDef *def;
  SupArena *scratch;
  SupHelpersBone *bones;
  uint32_t *lists;
  float *matrices;
  size_t list_count, matrix_count;
  uint32_t state_count;
} Packer;

static void measure(Packer *p) {
  for (uint32_t h = 0; h < p->def->helper_count; h++) {
    const SupHelperDef *d = &p->def->helpers[h];
    const SupHelpersBone bone = {.states = d->state_count};
    p->list_count += (size_t)d->input_count + d->feature_count;
    p->matrix_count +=
        (size_t)BLOCK * sup_helpers_rows(&bone) * (d->state_count + d->input_count + 1) +
        (size_t)BLOCK * (1 + d->feature_count) + (size_t)d->state_count * (d->input_count + 1) +
        2 * OUTPUTS;
    p->matrix_count += 4 * BLOCK; /* each part begins at a multiple of 16 */
  }
}

static float *part(Packer *p, size_t count, uint32_t *out_at) {
  *out_at = (uint32_t)p->matrix_count;
  p->matrix_count += (count + BLOCK - 1) / BLOCK * BLOCK;
  return p->matrices + *out_at;
}

/* (I - A)^-1 B. */
static SupResult put_settle(Packer *p, const SupHelperDef *d, float *out, SupError *error) {
  const uint32_t n = d->state_count, inputs = d->input_count + 1;
  double *m = SUP_ALLOC(p->scratch, double, (size_t)n *n);
  double *b = SUP_COPY(p->scratch, double, d->b, (size_t)n *inputs);
  if (!m || !b) return sup_fail_memory(error, "packing helpers");
  for (uint32_t k = 0; k < n * n; k++) m[k] = (k / n == k % n) - d->a[k];
  if (n > 0 && !sup_helpers_solve(n, inputs, m, b)) {
    return sup_fail(error, SUP_ERROR_NUMERIC, "helpers: a controller has an eigenvalue of 1");
  }
  for (uint32_t k = 0; k < n * inputs; k++) out[k] = (float)b[k];
  return SUP_OK;
}

static SupResult put_bone(Packer *p, uint32_t h, SupError *error) {
  const SupHelperDef *d = &p->def->helpers[h];
  SupHelpersBone *bone = &p->bones[h];
  const uint32_t n = d->state_count, inputs = d->input_count + 1;
  *bone = (SupHelpersBone){.joint = d->joint,
                           .states = n,
                           .state_first = p->state_count,
                           .inputs = d->input_count,
                           .inputs_at = (uint32_t)p->list_count,
                           .features = d->feature_count,
                           .features_at = (uint32_t)p->list_count + d->input_count,
                           .rest = d->rest};
  for (uint32_t k = 0; k < d->input_count; k++) p->lists[p->list_count++] = d->inputs[k];
  for (uint32_t k = 0; k < d->feature_count; k++) p->lists[p->list_count++] = d->features[k];
  p->state_count += n;
  const size_t rows = (size_t)BLOCK * sup_helpers_rows(bone);
  float *dynamic = part(p, rows * (n + inputs), &bone->dynamic_at);
  for (uint32_t c = 0; c < n + inputs; c++, dynamic += rows) {
    for (uint32_t o = 0; o < OUTPUTS; o++) {
      dynamic[o] = (float)(c < n ? d->c[n * o + c] : d->d[inputs * o + c - n]);
    }
    for (uint32_t r = 0; r < n; r++) {
      dynamic[OUTPUTS + r] = (float)(c < n ? d->a[n * r + c] : d->b[inputs * r + c - n]);
    }
  }
  float *fixed = part(p, (size_t)BLOCK * (1 + d->feature_count), &bone->static_at);
  for (uint32_t c = 0; c < 1 + d->feature_count; c++, fixed += BLOCK) {
    for (uint32_t o = 0; o < OUTPUTS; o++) {
      fixed[o] = (float)d->static_part[(1 + d->feature_count) * o + c];
    }
  }
  float *range = part(p, 2 * OUTPUTS, &bone->range_at);
  for (uint32_t k = 0; k < 2 * OUTPUTS; k++) range[k] = (float)d->range[k];
  return put_settle(p, d, part(p, (size_t)n * inputs, &bone->settle_at), error);
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

typedef struct Sections {
  uint32_t counts[7];
  const uint32_t *turns, *features, *lists;
  const float *rest, *box, *matrices;
  const SupHelpersFrame *frames;
  const SupHelpersBone *bones;
  size_t list_count, matrix_count;
  float h;
  uint32_t more_count; /* MORE at most */
  const SupModelPart *more;
} Sections;

enum { MORE = 4, OWN = SUP_HELPERS_SECTION_COUNT + 1 };

static SupResult make_model(SupArena *arena, SupArena *scratch, const SupCharacter *character,
                            const Sections *s, SupModel **out_model, SupError *error) {
  const uint32_t turns = s->counts[3], frames = s->counts[4], features = s->counts[5];
  SupSkinView skin;
  SupResult result = sup_skin_pack_character(scratch, character, SUP_ORDER_BODY, &skin, error);
  if (result != SUP_OK) return result;
  SupModelPart own[OWN + MORE] = {
      {SUP_SECTION_HELPERS_COUNTS, 4, 7, s->counts},
      {SUP_SECTION_HELPERS_TURNS, 4, turns, s->turns},
      {SUP_SECTION_HELPERS_REST, 4, 4 * (uint64_t)pad(turns), s->rest},
      {SUP_SECTION_HELPERS_FRAMES, sizeof *s->frames, frames, s->frames},
      {SUP_SECTION_HELPERS_BOX, 4, 2 * (uint64_t)sup_helpers_inputs(turns, frames), s->box},
      {SUP_SECTION_HELPERS_FEATURES, 4, 3 * (uint64_t)features, s->features},
      {SUP_SECTION_HELPERS_BONES, sizeof *s->bones, s->counts[2], s->bones},
      {SUP_SECTION_HELPERS_LISTS, 4, s->list_count, s->lists},
      {SUP_SECTION_HELPERS_MATRICES, 4, s->matrix_count, s->matrices},
      {SUP_SECTION_REST, sizeof(SupVec3), skin.vertex_count, character->body.positions}};
  const SupModelDef container = {.kind = SUP_HELPERS_KIND,
                                 .version = SUP_HELPERS_VERSION,
                                 .h = s->h,
                                 .part_count = OWN + s->more_count,
                                 .parts = own};
  for (uint32_t k = 0; k < s->more_count; k++) own[OWN + k] = s->more[k];
  return sup_skin_pack_model(arena, character, &skin, &container, out_model, error);
}

static SupResult pack(SupArena *arena, SupArena *scratch, const SupCharacter *character,
                      const SupHelpersDef *def, uint32_t more_count, const SupModelPart *more,
                      SupModel **out_model, SupError *error) {
  Packer p = {.def = def, .scratch = scratch};
  const uint32_t inputs = sup_helpers_inputs(def->turn_count, def->frame_count);
  const uint32_t turn_pad = pad(def->turn_count);
  measure(&p);
  p.bones = SUP_ALLOC(scratch, SupHelpersBone, def->helper_count);
  p.lists = SUP_ALLOC(scratch, uint32_t, p.list_count);
  p.matrices = SUP_ALLOC(scratch, float, p.matrix_count);
  float *rest = SUP_ALLOC(scratch, float, 4 * (size_t)turn_pad);
  float *box = SUP_ALLOC(scratch, float, 2 * (size_t)inputs);
  if (!p.bones || !p.lists || !p.matrices || !rest || !box) {
    return sup_fail_memory(error, "packing helpers");
  }
  p.list_count = p.matrix_count = 0;
  for (uint32_t t = 0; t < turn_pad; t++) {
    SupQuat q = sup_quat_identity();
    if (t < def->turn_count) {
      if (def->turns[t] >= character->skeleton.joint_count) {
        return sup_fail(error, SUP_ERROR_ARGUMENT,
                        "helpers: joint %u does not exist; the skeleton has %u", def->turns[t],
                        character->skeleton.joint_count);
      }
      q = sup_quat_normalise(character->skeleton.rest[def->turns[t]].rotation);
    }
    const float numbers[4] = {q.x, q.y, q.z, q.w};
    for (uint32_t c = 0; c < 4; c++) rest[turn_pad * c + t] = numbers[c];
  }
  for (uint32_t k = 0; k < 2 * inputs; k++) box[k] = (float)def->box[k];
  for (uint32_t h = 0; h < def->helper_count; h++) {
    SupResult result = put_bone(&p, h, error);
    if (result != SUP_OK) return result;
  }
  const Sections s = {
      .counts = {0, character->skeleton.joint_count, def->helper_count, def->turn_count,
                 def->frame_count, def->feature_count, p.state_count},
      .turns = def->turns,
      .features = def->features,
      .lists = p.lists,
      .rest = rest,
      .box = box,
      .matrices = p.matrices,
      .frames = def->frames,
      .bones = p.bones,
      .list_count = p.list_count,
      .matrix_count = p.matrix_count,
      .h = (float)def->h,
      .more_count = more_count,
      .more = more};
  return make_model(arena, scratch, character, &s, out_model, error);
}

SupResult sup_helpers_check_def(const SupHelpersDef *def, SupError *error) {
  if (def->cookie != COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "helpers: start from sup_helpers_def()");
  }
  if (def->helper_count == 0 || def->helper_count > SUP_HELPERS_MOST ||
      def->turn_count > SUP_HELPERS_INPUTS || def->frame_count > SUP_HELPERS_INPUTS) {
    return sup_fail(
        error, SUP_ERROR_ARGUMENT,
        "%u helpers with inputs from %u joints and %u frames; a model has 1 to %u helpers",
        def->helper_count, def->turn_count, def->frame_count, SUP_HELPERS_MOST);
  }
  return SUP_OK;
}

SupResult sup_helpers_pack_with(SupArena *arena, const SupCharacter *character,
                                const SupHelpersDef *def, uint32_t more_count,
                                const SupModelPart *more, SupModel **out_model, SupError *error) {
  SupResult result = sup_helpers_check_def(def, error);
  if (result != SUP_OK) return result;
  SupArena scratch = sup_scratch(arena);
  result = pack(arena, &scratch, character, def, more_count, more, out_model, error);
  sup_arena_free(&scratch);
  return result;
}

SupResult sup_helpers_pack(SupArena *arena, const SupCharacter *character, const SupHelpersDef *def,
                           SupModel **out_model, SupError *error) {
  return sup_helpers_pack_with(arena, character, def, 0, NULL, out_model, error);
}

/* The sections of a model's materials. */
static uint32_t find_more(const SupModel *model, SupModelPart out_more[MORE]) {
  static const struct {
    uint32_t id, bytes;
  } sections[MORE] = {{SUP_SECTION_HELPERS_NAMES, 1},
                      {SUP_SECTION_HELPERS_FRACTIONS, 4},
                      {SUP_SECTION_HELPERS_PARTS, sizeof(SupHelpersPart)},
                      {SUP_SECTION_HELPERS_BLENDS, 4}};
  uint32_t found = 0;
  for (uint32_t k = 0; k < MORE; k++) {
    uint64_t count;
    const void *items = sup_model_section(model, sections[k].id, sections[k].bytes, &count);
    if (items) out_more[found++] = (SupModelPart){sections[k].id, sections[k].bytes, count, items};
  }
  return found;
}

SupResult sup_helpers_repack(SupArena *arena, const SupCharacter *character, const SupModel *model,
                             SupModel **out_model, SupError *error) {
  const SupHelpersView v = sup_helpers_view(model);
  SupModelPart more[MORE];
  uint64_t lists, matrices;
  sup_model_section(model, SUP_SECTION_HELPERS_LISTS, 4, &lists);
  sup_model_section(model, SUP_SECTION_HELPERS_MATRICES, 4, &matrices);
  const Sections s = {.counts = {v.flags, v.joint_count, v.helper_count, v.turn_count,
                                 v.frame_count, v.feature_count, v.state_count},
                      .turns = v.turns,
                      .features = v.features,
                      .lists = v.lists,
                      .rest = v.rest,
                      .box = v.box,
                      .matrices = v.matrices,
                      .frames = v.frames,
                      .bones = v.bones,
                      .list_count = (size_t)lists,
                      .matrix_count = (size_t)matrices,
                      .h = v.h,
                      .more_count = find_more(model, more),
                      .more = more};
  SupArena scratch = sup_scratch(arena);
  SupResult result = make_model(arena, &scratch, character, &s, out_model, error);
  sup_arena_free(&scratch);
  return result;
}

/* ---- Binding again ----------------------------------------------------------------------------
 */

static SupResult rebind(SupArena *arena, const SupCharacter *character, const SupModel *model,
                        const SupRebinding *binding, SupModel **out_model, SupError *error) {
  (void)binding; /* its weights are the file's, and it moves in the spaces of joints */
  return sup_helpers_repack(arena, character, model, out_model, error);
}

const SupPacker sup_helpers_packer = {SUP_HELPERS_KIND, rebind};
