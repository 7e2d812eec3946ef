/* SPDX-License-Identifier: MIT */
/* Correctives as a model block: the components are morph targets of the skin. */
#include "supple/author/correctives_pack.h"

#include "author/pack/correctives_parts.h"
#include "author/pack/packer_list.h"
#include "base/scratch.h"

#define BLOCK SUP_SKIN_BLOCK
#define COUNTS 8 /* flags and how many of everything */
#define COOKIE SUP_FOURCC('c', 'r', 'd', 'f')

SupCorrectivesDef sup_correctives_def(void) { return (SupCorrectivesDef){.cookie = COOKIE}; }

static uint32_t feature_count(const SupCorrectivesDef *def) {
  return 1 + 9 * def->driver_count + 3 * def->heavy_count + def->pair_count + def->axis_count +
         def->centre_count;
}

/* The character with the components behind its own morph targets. */
static SupResult pack_skin(SupArena *arena, const SupCharacter *character,
                           const SupCorrectivesDef *def, SupSkinView *out_skin, SupError *error) {
  const uint32_t own = character->morph_count, count = own + def->component_count;
  SupMorph *morphs = SUP_ALLOC(arena, SupMorph, count);
  if (!morphs) return sup_fail_memory(error, "packing correctives");
  for (uint32_t m = 0; m < own; m++) morphs[m] = character->morphs[m];
  for (uint32_t k = 0; k < def->component_count; k++) {
    morphs[own + k] =
        (SupMorph){.name = "", .offsets = def->shapes + (size_t)k * character->body.vertex_count};
  }
  SupCharacter with = *character;
  with.morph_count = count;
  with.morphs = morphs;
  return sup_skin_pack_character(arena, &with, SUP_ORDER_BODY, out_skin, error);
}

SupResult sup_correctives_parts(SupArena *arena, const SupCharacter *character,
                                const SupCorrectivesDef *def, SupSkinView *out_skin,
                                SupModelPart *out_parts, SupError *error) {
  const uint32_t features = feature_count(def), width = 1 + 9 * def->driver_count;
  const size_t numbers = (size_t)def->component_count * features;
  float *matrix = SUP_ALLOC(arena, float, numbers);
  SupQuat *rest = SUP_ALLOC(arena, SupQuat, def->driver_count);
  uint32_t *counts = SUP_ALLOC(arena, uint32_t, COUNTS);
  if (!matrix || !rest || !counts) return sup_fail_memory(error, "packing correctives");
  SupResult result = pack_skin(arena, character, def, out_skin, error);
  if (result) return result;
  for (size_t i = 0; i < numbers; i++) matrix[i] = (float)def->matrix[i];
  for (uint32_t k = 0; k < def->driver_count; k++) {
    if (def->drivers[k] >= character->skeleton.joint_count) {
      return sup_fail(error, SUP_ERROR_ARGUMENT,
                      "correctives: joint %u does not exist; the skeleton has %u", def->drivers[k],
                      character->skeleton.joint_count);
    }
    rest[k] = sup_quat_normalise(character->skeleton.rest[def->drivers[k]].rotation);
  }
  counts[1] = def->component_count;
  counts[2] = character->skeleton.joint_count;
  counts[3] = def->driver_count;
  counts[4] = def->heavy_count;
  counts[5] = def->centre_count;
  counts[6] = def->axis_count;
  counts[7] = def->pair_count;
  const SupModelPart own[SUP_CORRECTIVES_PARTS] = {
      {SUP_SECTION_CORRECTIVES_COUNTS, 4, COUNTS, counts},
      {SUP_SECTION_CORRECTIVES_DRIVERS, 4, def->driver_count, def->drivers},
      {SUP_SECTION_CORRECTIVES_REST, sizeof(SupQuat), def->driver_count, rest},
      {SUP_SECTION_CORRECTIVES_HEAVY, 4, def->heavy_count, def->heavy},
      {SUP_SECTION_CORRECTIVES_AXIS_DRIVERS, 4, def->axis_count, def->axis_drivers},
      {SUP_SECTION_CORRECTIVES_AXES, sizeof(SupCorrectivesAxis), def->axis_count, def->axes},
      {SUP_SECTION_CORRECTIVES_PAIRS, 4, 2 * (uint64_t)def->pair_count, def->pairs},
      {SUP_SECTION_CORRECTIVES_CENTRES, 4, (uint64_t)width * def->centre_count, def->centres},
      {SUP_SECTION_CORRECTIVES_MATRIX, 4, numbers, matrix},
      {SUP_SECTION_CORRECTIVES_LIMITS, 4, 2 * (uint64_t)def->component_count, def->limits},
      {SUP_SECTION_REST, sizeof(SupVec3), out_skin->vertex_count, character->body.positions}};
  for (uint32_t k = 0; k < SUP_CORRECTIVES_PARTS; k++) out_parts[k] = own[k];
  return SUP_OK;
}

SupResult sup_correctives_pack(SupArena *arena, const SupCharacter *character,
                               const SupCorrectivesDef *def, SupModel **out_model,
                               SupError *error) {
  if (def->cookie != COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "correctives: start from sup_correctives_def()");
  }
  if (def->component_count == 0 || def->component_count > SUP_CORRECTIVES_MOST) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "%u components; a model has 1 to %u",
                    def->component_count, SUP_CORRECTIVES_MOST);
  }
  SupArena scratch;
  SupSkinView skin;
  SupModelPart parts[SUP_CORRECTIVES_PARTS];
  const SupModelDef container = {.kind = SUP_CORRECTIVES_KIND,
                                 .version = SUP_CORRECTIVES_VERSION,
                                 .h = 1.0f / 60, /* means nothing: there is no state */
                                 .part_count = SUP_CORRECTIVES_PARTS,
                                 .parts = parts};
  scratch = sup_scratch(arena);
  SupResult result = sup_correctives_parts(&scratch, character, def, &skin, parts, error);
  if (!result) result = sup_skin_pack_model(arena, character, &skin, &container, out_model, error);
  sup_arena_free(&scratch);
  return result;
}

/* ---- Back again -------------------------------------------------------------------------------
 */

static void unpack_shapes(const SupCorrectivesView *view, SupVec3 *out_shapes) {
  const SupSkinView *skin = &view->skin;
  const uint32_t own = skin->morph_count - view->component_count;
  for (uint32_t lane = 0; lane < skin->vertex_count; lane++) {
    const uint32_t v = skin->order[lane], block = lane / BLOCK;
    for (uint32_t s = skin->morph_first[block]; s < skin->morph_first[block + 1]; s++) {
      if (skin->morph_targets[s] < own) continue;
      const float *row = skin->morph_offsets + (size_t)(3 * BLOCK) * s + lane % BLOCK;
      out_shapes[(size_t)(skin->morph_targets[s] - own) * skin->vertex_count + v] =
          (SupVec3){row[0], row[BLOCK], row[2 * BLOCK]};
    }
  }
}

SupResult sup_correctives_unpack(SupArena *arena, const SupModel *model, SupCorrectivesDef *out_def,
                                 SupError *error) {
  const SupCorrectivesView view = sup_correctives_view(model);
  const size_t numbers = (size_t)view.component_count * sup_correctives_features(&view);
  SupVec3 *shapes =
      SUP_ALLOC(arena, SupVec3, (size_t)view.component_count * view.skin.vertex_count);
  double *matrix = SUP_ALLOC(arena, double, numbers);
  if (!shapes || !matrix) return sup_fail_memory(error, "unpacking correctives");
  unpack_shapes(&view, shapes);
  for (size_t i = 0; i < numbers; i++) matrix[i] = (double)view.matrix[i];
  SupCorrectivesDef def = sup_correctives_def();
  def.component_count = view.component_count;
  def.shapes = shapes;
  def.driver_count = view.driver_count;
  def.drivers = view.drivers;
  def.heavy_count = view.heavy_count;
  def.heavy = view.heavy;
  def.axis_count = view.axis_count;
  def.axis_drivers = view.axis_drivers;
  def.axes = view.axes;
  def.pair_count = view.pair_count;
  def.pairs = view.pairs;
  def.centre_count = view.centre_count;
  def.centres = view.centres;
  def.matrix = matrix;
  def.limits = view.limits;
  *out_def = def;
  return SUP_OK;
}

/* ---- Binding again ----------------------------------------------------------------------------
 */

static SupResult rebind(SupArena *arena, const SupCharacter *character, const SupModel *model,
                        const SupRebinding *binding, SupModel **out_model, SupError *error) {
  SupCorrectivesDef def;
  SupResult result = sup_correctives_unpack(arena, model, &def, error);
  if (result != SUP_OK) return result;
  def.shapes = sup_rebind_offsets(arena, binding, character->body.vertex_count, def.component_count,
                                  def.shapes);
  if (!def.shapes) return sup_fail_memory(error, NULL);
  return sup_correctives_pack(arena, character, &def, out_model, error);
}

const SupPacker sup_correctives_packer = {SUP_CORRECTIVES_KIND, rebind};
