/* SPDX-License-Identifier: MIT */
/* Vibration modes as a model block: the shapes are morph targets of the skin. */
#include "supple/author/modes_pack.h"

#include "author/pack/one_rings.h"
#include "author/pack/packer_list.h"
#include "base/scratch.h"
#include "supple/author/fingerprint.h"

#define BLOCK SUP_SKIN_BLOCK
#define COOKIE SUP_FOURCC('m', 'd', 'd', 'f')
#define ELEMENTS 12u

typedef struct Pack {
  const SupCharacter *character;
  const SupModesDef *def;
  SupSkinView skin;
  float *oscillators;
  float *drive;
  float *turns; /* parallel to the skin's offsets, or NULL */
  SupFans one_rings;
} Pack;

SupModesDef sup_modes_def(void) {
  return (SupModesDef){.cookie = COOKIE, .h = 1.0 / 120, .scale = 1, .max_distance = 0.25};
}

/* The character with the modes behind its own morph targets. */
static SupResult pack_skin(SupArena *arena, Pack *p, SupError *error) {
  const uint32_t own = p->character->morph_count, count = own + p->def->mode_count;
  SupMorph *morphs = SUP_ALLOC(arena, SupMorph, count);
  if (!morphs) return sup_fail_memory(error, "packing modes");
  for (uint32_t m = 0; m < own; m++) morphs[m] = p->character->morphs[m];
  for (uint32_t k = 0; k < p->def->mode_count; k++) {
    morphs[own + k] = (SupMorph){
        .name = "", .offsets = p->def->shapes + (size_t)k * p->character->body.vertex_count};
  }
  SupCharacter with = *p->character;
  with.morph_count = count;
  with.morphs = morphs;
  SupResult result = sup_skin_pack_character(arena, &with, SUP_ORDER_BODY, &p->skin, error);
  if (result) return result;
  return sup_one_rings_pack(arena, &p->character->body, &p->skin, &p->one_rings, error);
}

/* The weight at which a mode moves some vertex by the given distance. */
static double max_weight_of(const Pack *p, uint32_t k, double distance) {
  const uint32_t count = p->character->body.vertex_count;
  double longest = 0;
  for (uint32_t v = 0; v < count; v++) {
    const double length = (double)sup_vec3_length(p->def->shapes[(size_t)k * count + v]);
    if (length > longest) longest = length;
  }
  const double max_weight = longest > 0 ? distance / longest : 1e15;
  return max_weight < 1e15 ? max_weight : 1e15;
}

static float *oscillator_rows(float *oscillators, uint32_t k) {
  return oscillators + (size_t)(SUP_MODES_ROWS * BLOCK) * (k / BLOCK) + k % BLOCK;
}

static SupResult pack_oscillators(SupArena *arena, Pack *p, SupError *error) {
  const SupModesDef *def = p->def;
  const uint32_t lanes = BLOCK * sup_range_count(def->mode_count, BLOCK);
  const double distance = def->max_distance * (double)sup_fingerprint(&p->character->body).diagonal;
  p->oscillators = SUP_ALLOC(arena, float, SUP_MODES_ROWS *lanes);
  if (!p->oscillators) return sup_fail_memory(error, "packing modes");
  for (uint32_t k = 0; k < lanes; k++) {
    const bool real = k < def->mode_count;
    float *rows = oscillator_rows(p->oscillators, k);
    rows[BLOCK * SUP_MODES_STIFFNESS] = real ? (float)def->stiffness[k] : 1;
    rows[BLOCK * SUP_MODES_DECAY] = real ? (float)def->decay[k] : 0;
    rows[BLOCK * SUP_MODES_GAIN] = real && def->gain ? (float)def->gain[k] : 1;
    rows[BLOCK * SUP_MODES_MAX_WEIGHT] = real ? (float)max_weight_of(p, k, distance) : 1;
  }
  return SUP_OK;
}

static SupResult pack_drive(SupArena *arena, Pack *p, SupError *error) {
  const SupModesDef *def = p->def;
  const uint32_t blocks = sup_range_count(def->mode_count, BLOCK);
  p->drive = SUP_ALLOC(arena, float, (size_t)(ELEMENTS * BLOCK) * blocks * def->pair_count);
  if (!p->drive) return sup_fail_memory(error, "packing modes");
  for (uint32_t k = 0; k < def->mode_count; k++) {
    for (uint32_t pair = 0; pair < def->pair_count; pair++) {
      const double *from = def->drive + ELEMENTS * ((size_t)k * def->pair_count + pair);
      float *to = p->drive +
                  (size_t)(ELEMENTS * BLOCK) * ((size_t)(k / BLOCK) * def->pair_count + pair) +
                  k % BLOCK;
      for (uint32_t e = 0; e < ELEMENTS; e++) to[BLOCK * e] = (float)from[e];
    }
  }
  return SUP_OK;
}

/* The turns in the order of the skin's morph offsets; the character's own targets do not turn. */
static SupResult pack_turns(SupArena *arena, Pack *p, SupError *error) {
  const SupSkinView *skin = &p->skin;
  const uint32_t own = p->character->morph_count;
  if (!p->def->turns) return SUP_OK;
  p->turns = SUP_ALLOC(arena, float, (size_t)(3 * BLOCK) * skin->morph_first[skin->block_count]);
  if (!p->turns) return sup_fail_memory(error, "packing modes");
  for (uint32_t block = 0; block < skin->block_count; block++) {
    for (uint32_t s = skin->morph_first[block]; s < skin->morph_first[block + 1]; s++) {
      if (skin->morph_targets[s] < own) continue;
      const SupVec3 *from =
          p->def->turns + (size_t)(skin->morph_targets[s] - own) * skin->vertex_count;
      for (uint32_t lane = 0; lane < BLOCK; lane++) {
        const SupVec3 turn = from[skin->order[BLOCK * block + lane]];
        float *to = p->turns + (size_t)(3 * BLOCK) * s + lane;
        to[0] = turn.x, to[BLOCK] = turn.y, to[2 * BLOCK] = turn.z;
      }
    }
  }
  return SUP_OK;
}

static SupResult make_model(SupArena *arena, const Pack *p, SupModel **out_model, SupError *error) {
  const SupModesDef *def = p->def;
  const uint64_t lanes = (uint64_t)BLOCK * sup_range_count(def->mode_count, BLOCK);
  const uint32_t counts[3] = {SUP_MODES_ONE_RINGS | (p->turns ? SUP_MODES_WARP : 0),
                              def->mode_count, def->pair_count};
  const float numbers[2] = {(float)def->scale, (float)def->worst};
  enum { OWN = SUP_MODES_SECTION_COUNT + 4 };
  const SupModelPart own[OWN] = {
      {SUP_SECTION_MODES_COUNTS, 4, 3, counts},
      {SUP_SECTION_MODES_NUMBERS, 4, 2, numbers},
      {SUP_SECTION_MODES_LANES, 4, p->skin.vertex_count, p->one_rings.lanes},
      {SUP_SECTION_MODES_OSCILLATORS, 4, SUP_MODES_ROWS * lanes, p->oscillators},
      {SUP_SECTION_MODES_PAIRS, 4, 2 * (uint64_t)def->pair_count, def->pairs},
      {SUP_SECTION_MODES_DRIVE, 4, ELEMENTS * lanes * def->pair_count, p->drive},
      {SUP_SECTION_REST, sizeof(SupVec3), p->skin.vertex_count, p->character->body.positions},
      {SUP_SECTION_MODES_ONE_RING_FIRST, 4, (uint64_t)p->skin.block_count + 1, p->one_rings.first},
      {SUP_SECTION_MODES_ONE_RINGS, 4,
       (uint64_t)(2 * BLOCK) * p->one_rings.first[p->skin.block_count], p->one_rings.one_rings},
      {SUP_SECTION_MODES_TURNS, 4, (uint64_t)(3 * BLOCK) * p->skin.morph_first[p->skin.block_count],
       p->turns}};
  const SupModelDef container = {.kind = SUP_MODES_KIND,
                                 .version = SUP_MODES_VERSION,
                                 .h = (float)def->h,
                                 .part_count = p->turns ? OWN : OWN - 1,
                                 .parts = own};
  return sup_skin_pack_model(arena, p->character, &p->skin, &container, out_model, error);
}

SupResult sup_modes_pack(SupArena *arena, const SupCharacter *character, const SupModesDef *def,
                         SupModel **out_model, SupError *error) {
  if (def->cookie != COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "modes: start from sup_modes_def()");
  }
  if (def->mode_count == 0 || def->mode_count > SUP_MODES_MOST) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "%u modes; a model has 1 to %u", def->mode_count,
                    SUP_MODES_MOST);
  }
  SupArena scratch = sup_scratch(arena);
  Pack p = {.character = character, .def = def};
  SupResult result = pack_skin(&scratch, &p, error);
  if (!result) result = pack_oscillators(&scratch, &p, error);
  if (!result) result = pack_drive(&scratch, &p, error);
  if (!result) result = pack_turns(&scratch, &p, error);
  if (!result) result = make_model(arena, &p, out_model, error);
  sup_arena_free(&scratch);
  return result;
}

/* ---- Back again -------------------------------------------------------------------------------
 */

/* Rows as the skin's morph offsets have them, by mode and vertex. */
static void unpack_rows(const SupModesView *view, const float *rows, SupVec3 *out_rows) {
  const SupSkinView *skin = &view->skin;
  const uint32_t own = skin->morph_count - view->mode_count;
  for (uint32_t v = 0; v < skin->vertex_count; v++) {
    const uint32_t lane = view->lanes[v], block = lane / BLOCK;
    for (uint32_t s = skin->morph_first[block]; s < skin->morph_first[block + 1]; s++) {
      if (skin->morph_targets[s] < own) continue;
      const float *row = rows + (size_t)(3 * BLOCK) * s + lane % BLOCK;
      out_rows[(size_t)(skin->morph_targets[s] - own) * skin->vertex_count + v] =
          (SupVec3){row[0], row[BLOCK], row[2 * BLOCK]};
    }
  }
}

static void unpack_drive(const SupModesView *view, double *out_drive) {
  for (uint32_t k = 0; k < view->mode_count; k++) {
    for (uint32_t pair = 0; pair < view->pair_count; pair++) {
      const float *from =
          view->drive +
          (size_t)(ELEMENTS * BLOCK) * ((size_t)(k / BLOCK) * view->pair_count + pair) + k % BLOCK;
      double *to = out_drive + ELEMENTS * ((size_t)k * view->pair_count + pair);
      for (uint32_t e = 0; e < ELEMENTS; e++) to[e] = (double)from[BLOCK * e];
    }
  }
}

/* A number near a multiple of 2^-20 was that, before it was stored as a float. */
static double tidy(double x) {
  if (!(x > 0 && x < 1e6)) return x;
  const double near = (double)(int64_t)(x * 1048576 + 0.5) / 1048576;
  const double gap = near > x ? near - x : x - near;
  return gap < 1e-6 * x ? near : x;
}

SupResult sup_modes_unpack(SupArena *arena, const SupModel *model, SupModesDef *out_def,
                           SupError *error) {
  const SupModesView view = sup_modes_view(model);
  const uint32_t modes = view.mode_count;
  SupVec3 *shapes = SUP_ALLOC(arena, SupVec3, (size_t)modes * view.skin.vertex_count);
  SupVec3 *turns = view.skin.morph_turns
                       ? SUP_ALLOC(arena, SupVec3, (size_t)modes * view.skin.vertex_count)
                       : NULL;
  double *numbers = SUP_ALLOC(arena, double, 3 * (size_t)modes);
  double *drive = SUP_ALLOC(arena, double, (size_t)ELEMENTS *modes *view.pair_count);
  uint32_t *pairs = SUP_COPY(arena, uint32_t, view.pairs, 2 * (size_t)view.pair_count);
  if (!shapes || !numbers || !drive || !pairs || (view.skin.morph_turns && !turns)) {
    return sup_fail_memory(error, "packing modes");
  }
  unpack_rows(&view, view.skin.morph_offsets, shapes);
  if (turns) unpack_rows(&view, view.skin.morph_turns, turns);
  unpack_drive(&view, drive);
  double longest = 0;
  for (uint32_t k = 0; k < modes; k++) {
    const float *rows =
        view.oscillators + (size_t)(SUP_MODES_ROWS * BLOCK) * (k / BLOCK) + k % BLOCK;
    numbers[k] = (double)rows[BLOCK * SUP_MODES_STIFFNESS];
    numbers[modes + k] = (double)rows[BLOCK * SUP_MODES_DECAY];
    numbers[2 * modes + k] = (double)rows[BLOCK * SUP_MODES_GAIN];
  }
  for (uint32_t v = 0; v < view.skin.vertex_count; v++) {
    const double length = (double)sup_vec3_length(shapes[v]);
    if (length > longest) longest = length;
  }
  SupModesDef def = sup_modes_def();
  def.mode_count = modes;
  def.shapes = shapes;
  def.turns = turns;
  def.stiffness = numbers;
  def.decay = numbers + modes;
  def.gain = numbers + 2 * (size_t)modes;
  def.pair_count = view.pair_count;
  def.pairs = pairs;
  def.drive = drive;
  def.h = (double)view.h;
  def.scale = (double)view.scale;
  def.worst = (double)view.worst;
  def.max_distance = tidy((double)view.oscillators[BLOCK * SUP_MODES_MAX_WEIGHT] * longest /
                          (double)model->mesh.diagonal);
  *out_def = def;
  return SUP_OK;
}

void sup_modes_tune(SupModel *io_model, uint32_t mode, double stiffness, double decay,
                    double gain) {
  const SupModesView view = sup_modes_view(io_model);
  if (mode >= view.mode_count) return;
  float *oscillators = (float *)(uintptr_t)view.oscillators; /* inside *io_model */
  float *rows = oscillator_rows(oscillators, mode);
  rows[BLOCK * SUP_MODES_STIFFNESS] = (float)stiffness;
  rows[BLOCK * SUP_MODES_DECAY] = (float)decay;
  rows[BLOCK * SUP_MODES_GAIN] = (float)gain;
  sup_model_seal(io_model);
}

/* ---- Binding again ----------------------------------------------------------------------------
 */

/* The drive reads palettes of the body: M_then = M_now T, where T maps rest positions of the model
 * into those of now, x -> (x - o) / k. So L^T a splits into linear columns S and the last one s:
 *   S_then = S / k^2,  s_then = s / k - S o / k^2
 * and the same forces come from D_now = (D - d o^T) / k^2 and d_now = d / k. */
static void rebind_drive(const SupRestSpace *space, size_t count, double *io_drive) {
  const double k = space->scale, o[3] = {space->offset.x, space->offset.y, space->offset.z};
  if (k == 1 && o[0] == 0 && o[1] == 0 && o[2] == 0) return;
  for (size_t i = 0; i < count; i++) {
    double *row = io_drive + ELEMENTS * i;
    for (int e = 0; e < 9; e++) row[e] = (row[e] - row[9 + e % 3] * o[e / 3]) / (k * k);
    for (int e = 9; e < 12; e++) row[e] /= k;
  }
}

static SupResult rebind(SupArena *arena, const SupCharacter *character, const SupModel *model,
                        const SupRebinding *binding, SupModel **out_model, SupError *error) {
  const uint32_t n = character->body.vertex_count;
  SupModesDef def;
  SupResult result = sup_modes_unpack(arena, model, &def, error);
  if (result != SUP_OK) return result;
  def.shapes = sup_rebind_offsets(arena, binding, n, def.mode_count, def.shapes);
  if (!def.shapes) return sup_fail_memory(error, NULL);
  if (def.turns) { /* angles have no units */
    SupRebinding numbers = *binding;
    numbers.space.scale = 1;
    def.turns = sup_rebind_offsets(arena, &numbers, n, def.mode_count, def.turns);
    if (!def.turns) return sup_fail_memory(error, NULL);
  }
  const size_t rows = (size_t)def.mode_count * def.pair_count;
  double *drive = SUP_COPY(arena, double, def.drive, ELEMENTS *rows);
  if (!drive) return sup_fail_memory(error, NULL);
  rebind_drive(&binding->space, rows, drive);
  def.drive = drive;
  def.scale *= binding->space.scale;
  return sup_modes_pack(arena, character, &def, out_model, error);
}

const SupPacker sup_modes_packer = {SUP_MODES_KIND, rebind};
