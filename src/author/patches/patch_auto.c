/* SPDX-License-Identifier: MIT */
/*
 * A decomposition from skeleton and skin weights (docs/patches.md).
 *
 * Rings divide the skin into regions, and these are divided by how many loops they have. A region
 * without room for its boundaries loses its smallest ring, and everything is laid again: so there
 * is always an end, at worst a piece with one ring.
 */
#include "supple/author/patch_auto.h"

#include "auto_work.h"
#include "base/scratch.h"

#define COOKIE 0x50417574u
#define SMALL_HOLE 1.0 /* of the size around: rather the patch there is lost than a ring */

SupPatchAutoDef sup_patch_auto_def(const SupCharacter *character) {
  return (SupPatchAutoDef){
      .cookie = COOKIE, .character = character, .hard = sup_hard_parts_def(character)};
}

/* The ring that a region without room loses: the smallest below it, or its own. */
static uint32_t weakest(const SupAuto *a, uint32_t region) {
  uint32_t best = SUP_NONE;
  for (uint32_t r = 0; r < a->region_count; r++) {
    if (a->regions[r].dropped || a->regions[r].parent != region) continue;
    if (best == SUP_NONE || a->regions[r].area < a->regions[best].area) best = r;
  }
  if (best != SUP_NONE) return best;
  return a->regions[region].kind == SUP_RING_PIECE ? SUP_NONE : region;
}

/* The shortest open border of a region without room: the patch around it is left out. */
static bool leave_hole(SupAuto *a, uint32_t region, double longest) {
  uint32_t best = SUP_NONE;
  for (uint32_t h = 0; h < a->hole_count; h++) {
    if (a->holes[h].left_out || a->holes[h].region != region) continue;
    if (!(a->holes[h].ring.length < longest)) continue;
    if (best == SUP_NONE || a->holes[h].ring.length < a->holes[best].ring.length) best = h;
  }
  if (best != SUP_NONE) a->holes[best].left_out = true;
  return best != SUP_NONE;
}

/* A piece whose patches fail even so has none. */
static void give_up(SupAuto *a, uint32_t region) {
  const uint32_t piece = a->regions[region].piece;
  a->piece_kinds[piece] = SUP_PIECE_FAILED;
  for (uint32_t r = 0; r < a->region_count; r++) {
    if (a->regions[r].piece == piece) a->regions[r].dropped = true;
  }
  for (uint32_t v = 0; v < a->mesh.vertex_count; v++) {
    if (a->topology.vertex_components[v] == piece) a->labels[v] = SUP_NONE;
  }
}

static SupResult lay(SupAuto *a) {
  SupResult result = SUP_OK;
  uint32_t failed = 0;
  while (failed != SUP_NONE && result == SUP_OK) {
    result = sup_auto_loops(a);
    if (result == SUP_OK) result = sup_auto_regions(a, &failed);
    if (result != SUP_OK || failed == SUP_NONE) continue;
    a->given_up++;
    if (leave_hole(a, failed, SMALL_HOLE * a->size)) continue;
    const uint32_t ring = weakest(a, failed);
    if (ring != SUP_NONE) {
      sup_auto_drop(a, ring);
    } else if (!leave_hole(a, failed, __builtin_inf())) {
      give_up(a, failed);
    }
  }
  return result;
}

static SupResult begin(SupAuto *a) {
  const uint32_t count = a->node_count;
  a->used = SUP_ALLOC(a->scratch, uint8_t, count);
  a->reserved = SUP_ALLOC(a->scratch, int32_t, count);
  a->distances = SUP_ALLOC(a->scratch, double, count);
  a->before = SUP_ALLOC(a->scratch, uint32_t, count);
  a->stamps = SUP_ALLOC(a->scratch, uint32_t, count);
  a->heap = SUP_ALLOC(a->scratch, uint32_t, count);
  a->places = SUP_ALLOC(a->scratch, uint32_t, count);
  if (!a->used || !a->reserved || !a->distances || !a->before || !a->stamps || !a->heap ||
      !a->places) {
    return sup_fail_memory(a->error, NULL);
  }
  return SUP_OK;
}

static SupResult find(SupAuto *a, SupPatchAuto *out) {
  SupResult result = sup_topology(a->arena, &a->mesh, &a->topology, a->error);
  if (result == SUP_OK) result = sup_auto_body(a);
  if (result == SUP_OK) result = begin(a);
  if (result == SUP_OK) result = sup_auto_rings(a);
  if (result == SUP_OK) result = sup_auto_loops(a);
  if (result == SUP_OK) result = sup_auto_split(a);
  if (result == SUP_OK) result = sup_auto_names(a);
  if (result == SUP_OK) result = lay(a);
  for (uint32_t k = 0; k < a->route_count && result == SUP_OK; k++) {
    result = sup_auto_relax(a, &a->routes[k]);
  }
  return result == SUP_OK ? sup_auto_plan(a, out) : result;
}

SupResult sup_patch_auto(SupArena *arena, const SupPatchAutoDef *def, SupPatchAuto *out_auto,
                         SupError *error) {
  if (def->cookie != COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "start from sup_patch_auto_def");
  }
  SupArena scratch = sup_scratch(arena);
  SupAuto a = {.def = def,
               .arena = arena,
               .scratch = &scratch,
               .error = error,
               .mesh = def->character->body};
  SupPatchAuto found = {.ring_count = 0};
  SupResult result = find(&a, &found);
  sup_arena_free(&scratch);
  if (result != SUP_OK) return result;
  *out_auto = found;
  out_auto->def.topology = &out_auto->topology;
  return SUP_OK;
}
