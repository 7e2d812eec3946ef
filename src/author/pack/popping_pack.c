/* SPDX-License-Identifier: MIT */
/* Popping as a model block: correctives for the relaxed shapes, and what clenching does to them. */
#include "supple/author/popping_pack.h"

#include "author/pack/correctives_parts.h"
#include "author/pack/one_rings.h"
#include "author/pack/packer_list.h"
#include "base/scratch.h"
#include "runtime/popping/popping_swing.h"

#define BLOCK SUP_SKIN_BLOCK
#define COOKIE SUP_FOURCC('p', 'p', 'd', 'f')

typedef struct Pack {
  const SupCharacter *character;
  const SupPoppingDef *def;
  SupSkinView skin;
  uint32_t group_count;
  const SupPoppingMask *groups;
  char *names;
  float *swing;
  uint32_t *slot_first, *slots;
  float *masks;
  uint32_t *bulge_first, *bulges;
  float *offsets;
  SupFans one_rings;
} Pack;

SupPoppingDef sup_popping_def(void) {
  return (SupPoppingDef){.cookie = COOKIE,
                         .poses = sup_correctives_def(),
                         .h = 1.0 / 60,
                         .times = {.rise = 0.03f, .release = 8, .still = 1e-3f}};
}

static SupResult pack_names(SupArena *arena, Pack *p, SupError *error) {
  p->names = SUP_ALLOC(arena, char, (size_t)SUP_POPPING_NAME * p->group_count);
  if (!p->names) return sup_fail_memory(error, "packing popping");
  for (uint32_t g = 0; g < p->group_count; g++) {
    const char *from = p->groups[g].name;
    uint32_t length = 0;
    while (from[length]) length++;
    if (length >= SUP_POPPING_NAME) {
      return sup_fail(error, SUP_ERROR_ARGUMENT,
                      "the muscle's name '%s' is too long; use fewer than %u bytes", from,
                      SUP_POPPING_NAME);
    }
    sup_copy(p->names + (size_t)SUP_POPPING_NAME * g, from, length);
  }
  return SUP_OK;
}

/* The vertex in a lane; spare lanes repeat one, and are packed as it is. */
static uint32_t vertex_at(const Pack *p, uint32_t block, uint32_t lane) {
  return p->skin.order[BLOCK * block + lane];
}

static SupResult pack_swing(SupArena *arena, Pack *p, SupError *error) {
  p->swing = SUP_ALLOC(arena, float, (size_t)(SUP_POPPING_ROWS * BLOCK) * p->skin.block_count);
  if (!p->swing) return sup_fail_memory(error, "packing popping");
  for (uint32_t i = 0; i < BLOCK * p->skin.block_count; i++) {
    const uint32_t v = p->skin.order[i];
    /* As it is stored, so that packing what was unpacked changes nothing. */
    const float keep = (float)p->def->keep[v], pull = (float)p->def->pull[v];
    const SupPoppingSwing swing = {(double)keep, (double)pull};
    double fade, angle;
    sup_popping_swing_polar(swing, &fade, &angle);
    float *rows = p->swing + (size_t)(SUP_POPPING_ROWS * BLOCK) * (i / BLOCK) + i % BLOCK;
    rows[BLOCK * SUP_POPPING_KEEP] = keep;
    rows[BLOCK * SUP_POPPING_PULL] = pull;
    rows[BLOCK * SUP_POPPING_FADE] = (float)fade;
    rows[BLOCK * SUP_POPPING_ANGLE] = (float)angle;
  }
  return SUP_OK;
}

static float mask_at(const Pack *p, uint32_t group, uint32_t vertex) {
  return p->groups[group].values ? p->groups[group].values[vertex] : 1;
}

static bool bulges_at(const Pack *p, uint32_t pair, uint32_t v) {
  const SupVec3 d = p->def->bulges[(size_t)pair * p->character->body.vertex_count + v];
  return d.x != 0 || d.y != 0 || d.z != 0;
}

/* Does a vertex of the block bulge in any pair? */
static bool block_bulges(const Pack *p, uint32_t block, uint32_t group) {
  for (uint32_t lane = 0; lane < BLOCK; lane++) {
    const uint32_t v = vertex_at(p, block, lane);
    if (!(mask_at(p, group, v) > 0)) continue;
    for (uint32_t k = 0; k < p->def->poses.component_count; k++) {
      if (bulges_at(p, k, v)) return true;
    }
  }
  return false;
}

static SupResult pack_slots(SupArena *arena, Pack *p, SupError *error) {
  const uint32_t blocks = p->skin.block_count;
  const size_t most = (size_t)blocks * p->group_count;
  p->slot_first = SUP_ALLOC(arena, uint32_t, (size_t)blocks + 1);
  p->slots = SUP_ALLOC(arena, uint32_t, most);
  p->masks = SUP_ALLOC(arena, float, BLOCK *most);
  if (!p->slot_first || !p->slots || !p->masks) return sup_fail_memory(error, "packing popping");
  uint32_t count = 0;
  for (uint32_t block = 0; block < blocks; block++) {
    for (uint32_t g = 0; g < p->group_count; g++) {
      if (!block_bulges(p, block, g)) continue;
      for (uint32_t lane = 0; lane < BLOCK; lane++) {
        p->masks[(size_t)BLOCK * count + lane] = mask_at(p, g, vertex_at(p, block, lane));
      }
      p->slots[count++] = g;
    }
    p->slot_first[block + 1] = count;
  }
  return SUP_OK;
}

/* A shape moves a block only where a muscle reaches it. */
static bool pair_bulges(const Pack *p, uint32_t block, uint32_t pair) {
  if (p->slot_first[block] == p->slot_first[block + 1]) return false;
  for (uint32_t lane = 0; lane < BLOCK; lane++) {
    if (bulges_at(p, pair, vertex_at(p, block, lane))) return true;
  }
  return false;
}

static SupResult pack_bulges(SupArena *arena, Pack *p, SupError *error) {
  const uint32_t blocks = p->skin.block_count, pairs = p->def->poses.component_count;
  const size_t most = (size_t)blocks * pairs;
  p->bulge_first = SUP_ALLOC(arena, uint32_t, (size_t)blocks + 1);
  p->bulges = SUP_ALLOC(arena, uint32_t, most);
  p->offsets = SUP_ALLOC(arena, float, (size_t)(3 * BLOCK) * most);
  if (!p->bulge_first || !p->bulges || !p->offsets) {
    return sup_fail_memory(error, "packing popping");
  }
  uint32_t count = 0;
  for (uint32_t block = 0; block < blocks; block++) {
    for (uint32_t k = 0; k < pairs; k++) {
      if (!pair_bulges(p, block, k)) continue;
      for (uint32_t lane = 0; lane < BLOCK; lane++) {
        const SupVec3 d =
            p->def->bulges[(size_t)k * p->character->body.vertex_count + vertex_at(p, block, lane)];
        float *to = p->offsets + (size_t)(3 * BLOCK) * count + lane;
        to[0] = d.x, to[BLOCK] = d.y, to[2 * BLOCK] = d.z;
      }
      p->bulges[count++] = k;
    }
    p->bulge_first[block + 1] = count;
  }
  return SUP_OK;
}

static SupResult make_model(SupArena *arena, const Pack *p, SupModelPart *parts,
                            SupModel **out_model, SupError *error) {
  enum { OWN = SUP_POPPING_SECTION_COUNT + 2 };
  const uint32_t counts[2] = {SUP_POPPING_ONE_RINGS, p->group_count};
  const uint32_t blocks = p->skin.block_count, slots = p->slot_first[blocks];
  const uint32_t bulges = p->bulge_first[blocks];
  const SupModelPart own[OWN] = {
      {SUP_SECTION_POPPING_COUNTS, 4, 2, counts},
      {SUP_SECTION_POPPING_TIMES, sizeof(SupPoppingTimes), 1, &p->def->times},
      {SUP_SECTION_POPPING_NAMES, 1, (uint64_t)SUP_POPPING_NAME * p->group_count, p->names},
      {SUP_SECTION_POPPING_SWING, 4, (uint64_t)(SUP_POPPING_ROWS * BLOCK) * blocks, p->swing},
      {SUP_SECTION_POPPING_SLOT_FIRST, 4, (uint64_t)blocks + 1, p->slot_first},
      {SUP_SECTION_POPPING_SLOTS, 4, slots, p->slots},
      {SUP_SECTION_POPPING_MASKS, 4, (uint64_t)BLOCK * slots, p->masks},
      {SUP_SECTION_POPPING_BULGE_FIRST, 4, (uint64_t)blocks + 1, p->bulge_first},
      {SUP_SECTION_POPPING_BULGES, 4, bulges, p->bulges},
      {SUP_SECTION_POPPING_OFFSETS, 4, (uint64_t)(3 * BLOCK) * bulges, p->offsets},
      {SUP_SECTION_POPPING_ONE_RING_FIRST, 4, (uint64_t)blocks + 1, p->one_rings.first},
      {SUP_SECTION_POPPING_ONE_RINGS, 4, (uint64_t)(2 * BLOCK) * p->one_rings.first[blocks],
       p->one_rings.one_rings}};
  for (uint32_t k = 0; k < OWN; k++) parts[SUP_CORRECTIVES_PARTS + k] = own[k];
  const SupModelDef container = {.kind = SUP_POPPING_KIND,
                                 .version = SUP_POPPING_VERSION,
                                 .h = (float)p->def->h,
                                 .part_count = SUP_CORRECTIVES_PARTS + OWN,
                                 .parts = parts};
  return sup_skin_pack_model(arena, p->character, &p->skin, &container, out_model, error);
}

static SupResult check(const SupPoppingDef *def, SupError *error) {
  if (def->cookie != COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "popping: start from sup_popping_def()");
  }
  if (def->group_count > SUP_POPPING_GROUPS) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "%u muscles; a model has at most %u",
                    def->group_count, SUP_POPPING_GROUPS);
  }
  if (def->poses.component_count == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "popping: no pair of shapes is given");
  }
  if (def->times.fatigue > 0 && def->times.fatigue < SUP_POPPING_FATIGUE_LEAST) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "a fatigue time constant of %g s is too short: use 0 (none) or at least %g s",
                    (double)def->times.fatigue, (double)SUP_POPPING_FATIGUE_LEAST);
  }
  return SUP_OK;
}

SupResult sup_popping_pack(SupArena *arena, const SupCharacter *character, const SupPoppingDef *def,
                           SupModel **out_model, SupError *error) {
  static const SupPoppingMask whole = {.name = "all"};
  SupResult result = check(def, error);
  if (result) return result;
  Pack p = {.character = character,
            .def = def,
            .group_count = def->group_count ? def->group_count : 1,
            .groups = def->group_count ? def->groups : &whole};
  SupModelPart parts[SUP_CORRECTIVES_PARTS + SUP_POPPING_SECTION_COUNT + 2];
  SupArena scratch = sup_scratch(arena);
  result = sup_correctives_parts(&scratch, character, &def->poses, &p.skin, parts, error);
  if (!result) result = pack_names(&scratch, &p, error);
  if (!result) result = pack_swing(&scratch, &p, error);
  if (!result) result = pack_slots(&scratch, &p, error);
  if (!result) result = pack_bulges(&scratch, &p, error);
  if (!result)
    result = sup_one_rings_pack(&scratch, &p.character->body, &p.skin, &p.one_rings, error);
  if (!result) result = make_model(arena, &p, parts, out_model, error);
  sup_arena_free(&scratch);
  return result;
}

/* ---- Back again -------------------------------------------------------------------------------
 */

static void unpack_bulges(const SupPoppingView *view, SupVec3 *out_bulges) {
  const SupSkinView *skin = &view->bulge;
  for (uint32_t lane = 0; lane < skin->vertex_count; lane++) {
    const uint32_t block = lane / BLOCK;
    for (uint32_t s = skin->morph_first[block]; s < skin->morph_first[block + 1]; s++) {
      const float *row = skin->morph_offsets + (size_t)(3 * BLOCK) * s + lane % BLOCK;
      out_bulges[(size_t)skin->morph_targets[s] * skin->vertex_count + skin->order[lane]] =
          (SupVec3){row[0], row[BLOCK], row[2 * BLOCK]};
    }
  }
}

static void unpack_vertices(const SupPoppingView *view, double *out_keep, double *out_pull,
                            float *out_masks) {
  const SupSkinView *skin = &view->bulge;
  for (uint32_t lane = 0; lane < skin->vertex_count; lane++) {
    const uint32_t v = skin->order[lane], block = lane / BLOCK;
    const float *rows = view->swing + (size_t)(SUP_POPPING_ROWS * BLOCK) * block + lane % BLOCK;
    out_keep[v] = (double)rows[BLOCK * SUP_POPPING_KEEP];
    out_pull[v] = (double)rows[BLOCK * SUP_POPPING_PULL];
    for (uint32_t k = view->slot_first[block]; k < view->slot_first[block + 1]; k++) {
      out_masks[(size_t)view->slots[k] * skin->vertex_count + v] =
          view->masks[(size_t)BLOCK * k + lane % BLOCK];
    }
  }
}

SupResult sup_popping_unpack(SupArena *arena, const SupModel *model, SupPoppingDef *out_def,
                             SupError *error) {
  const SupPoppingView view = sup_popping_view(model);
  const size_t n = view.bulge.vertex_count;
  SupPoppingDef def = sup_popping_def();
  SupVec3 *bulges = SUP_ALLOC(arena, SupVec3, view.pair_count * n);
  double *keep = SUP_ALLOC(arena, double, n), *pull = SUP_ALLOC(arena, double, n);
  float *masks = SUP_ALLOC(arena, float, view.group_count *n);
  SupPoppingMask *groups = SUP_ALLOC(arena, SupPoppingMask, view.group_count);
  if (!bulges || !keep || !pull || !masks || !groups) {
    return sup_fail_memory(error, "packing popping");
  }
  SupResult result = sup_correctives_unpack(arena, model, &def.poses, error);
  if (result) return result;
  unpack_bulges(&view, bulges);
  unpack_vertices(&view, keep, pull, masks);
  for (uint32_t g = 0; g < view.group_count; g++) {
    groups[g] = (SupPoppingMask){view.names + (size_t)SUP_POPPING_NAME * g, masks + g * n};
  }
  def.bulges = bulges;
  def.keep = keep;
  def.pull = pull;
  def.h = (double)view.h;
  def.times = view.times;
  def.group_count = view.group_count;
  def.groups = groups;
  *out_def = def;
  return SUP_OK;
}

/* ---- Binding again ----------------------------------------------------------------------------
 */

static SupResult rebind(SupArena *arena, const SupCharacter *character, const SupModel *model,
                        const SupRebinding *binding, SupModel **out_model, SupError *error) {
  const uint32_t n = character->body.vertex_count;
  SupPoppingDef def;
  SupResult result = sup_popping_unpack(arena, model, &def, error);
  if (result != SUP_OK) return result;
  const size_t pairs = def.poses.component_count;
  const uint32_t *then = binding->then;
  def.poses.shapes = sup_rebind_offsets(arena, binding, n, pairs, def.poses.shapes);
  def.bulges = sup_rebind_offsets(arena, binding, n, pairs, def.bulges);
  if (!def.poses.shapes || !def.bulges) return sup_fail_memory(error, NULL);
  double *swing = SUP_ALLOC(arena, double, 2 * (size_t)n);
  float *masks = SUP_ALLOC(arena, float, (size_t)def.group_count *n);
  SupPoppingMask *groups = SUP_COPY(arena, SupPoppingMask, def.groups, def.group_count);
  if (!swing || !masks || !groups) return sup_fail_memory(error, NULL);
  for (uint32_t v = 0; v < n; v++) {
    swing[v] = def.keep[then[v]];
    swing[n + v] = def.pull[then[v]];
    for (size_t g = 0; g < def.group_count; g++) masks[g * n + v] = groups[g].values[then[v]];
  }
  for (size_t g = 0; g < def.group_count; g++) groups[g].values = masks + g * n;
  def.keep = swing;
  def.pull = swing + n;
  def.groups = groups;
  return sup_popping_pack(arena, character, &def, out_model, error);
}

const SupPacker sup_popping_packer = {SUP_POPPING_KIND, rebind};
