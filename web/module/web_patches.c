/* SPDX-License-Identifier: MIT */
/* Skins, boundaries on them, and the patches between. */
#include "web_patches.h"

/* What patches.ts writes and reads word by word. */
_Static_assert(sizeof(SupSkeleton) == 4 * 7 && offsetof(SupCharacter, body) == 4 * 8 &&
                   offsetof(SupCharacter, skin) == 4 * 12 &&
                   offsetof(SupCharacter, render) == 4 * 17 &&
                   offsetof(SupCharacter, map_count) == 4 * 36 && sizeof(SupCharacter) == 4 * 47 &&
                   sizeof(SupPart) == 4 * 11 && sizeof(SupMap) == 4 * 2,
               "character");
_Static_assert(sizeof(SupPatchPlanFeature) == 80 && offsetof(SupPatchPlanFeature, position) == 16 &&
                   offsetof(SupPatchPlanFeature, joint) == 40 &&
                   offsetof(SupPatchPlanFeature, direction) == 48 &&
                   offsetof(SupPatchPlanFeature, no_position) == 72 &&
                   offsetof(SupPatchPlanFeature, line) == 76,
               "planned feature");
_Static_assert(sizeof(SupPatchPlanBoundary) == 4 * 8 && sizeof(SupPatchName) == 4 * 5 &&
                   sizeof(SupPatchZone) == 4 * 4 && offsetof(SupPatchZone, flesh) == 4 * 3 &&
                   offsetof(SupPatchFlesh, bone) == 0 && sizeof(SupPatchPlan) == 4 * 10,
               "plan");
_Static_assert(sizeof(SupSkinPoint) == 16 && offsetof(SupSkinPoint, t) == 8 &&
                   sizeof(SupSkinPath) == 16 && offsetof(SupSkinPath, length) == 8,
               "path");
_Static_assert(sizeof(SupPatchFeature) == 32 && offsetof(SupPatchFeature, at) == 8 &&
                   offsetof(SupPatchFeature, line) == 24,
               "feature");
_Static_assert(sizeof(SupPatchBoundary) == 40 && offsetof(SupPatchBoundary, path) == 16 &&
                   offsetof(SupPatchBoundary, line) == 32,
               "boundary");
_Static_assert(sizeof(SupPatchesDef) == 4 * 12 && offsetof(SupPatchesDef, source) == 4 * 5,
               "definition");
_Static_assert(sizeof(SupPatchSide) == 8 && offsetof(SupPatch, loop_count) == 4 * 5 &&
                   offsetof(SupPatch, area) == 40 && sizeof(SupPatch) == 48,
               "patch");
_Static_assert(sizeof(SupPatchPiece) == 24 && offsetof(SupPatchPiece, area) == 16, "piece");
_Static_assert(offsetof(SupPatches, points) == 4 * 4 &&
                   offsetof(SupPatches, patch_count) == 4 * 8 &&
                   offsetof(SupPatches, left_out_count) == 4 * 10 &&
                   offsetof(SupPatches, left_out_area) == 48 && offsetof(SupPatches, euler) == 56,
               "patches");

#define SNAP 0.1 /* edges: nearer to a vertex a place becomes it, as in sup_patch_plan_trace */

static void *no_memory(void) {
  sup_fail(&web_last_error, SUP_ERROR_MEMORY, "the browser gives no more memory");
  return NULL;
}

static void *make(size_t bytes) {
  void *block = web_allocate((uint32_t)bytes);
  if (!block) return no_memory();
  sup_zero(block, bytes);
  return block;
}

/* ---- Skins --------------------------------------------------------------------------------- */

WebSkin *web_skin_make(const SupCharacter *character) {
  WebSkin *skin = make(sizeof *skin);
  if (!skin) return NULL;
  sup_arena_init(&skin->arena, web_allocator(), 0);
  skin->character = character;
  if (sup_topology(&skin->arena, &character->body, &skin->topology, &web_last_error) == SUP_OK &&
      sup_bvh_build(&skin->arena, &character->body, &skin->bvh, &web_last_error) == SUP_OK) {
    return skin;
  }
  web_skin_free(skin);
  return NULL;
}

void web_skin_free(WebSkin *skin) {
  if (!skin) return;
  sup_arena_free(&skin->arena);
  web_release(skin);
}

void web_skin_nearest(const WebSkin *skin, float x, float y, float z, SupSkinPoint *out_point) {
  *out_point = sup_skin_point_nearest(&skin->bvh, (SupVec3){x, y, z}, SNAP);
}

/* ---- Boundaries ---------------------------------------------------------------------------- */

WebTrace *web_trace_make(const WebSkin *skin, const SupPatchPlan *plan) {
  WebTrace *trace = make(sizeof *trace);
  if (!trace) return NULL;
  sup_arena_init(&trace->arena, web_allocator(), 0);
  if (sup_patch_plan_trace(&trace->arena, plan, skin->character, &skin->topology, &trace->def,
                           &web_last_error) == SUP_OK) {
    return trace;
  }
  web_trace_free(trace);
  return NULL;
}

void web_trace_free(WebTrace *trace) {
  if (!trace) return;
  sup_arena_free(&trace->arena);
  web_release(trace);
}

const SupPatchFeature *web_trace_features(const WebTrace *trace) { return trace->def.features; }

const SupPatchBoundary *web_trace_boundaries(const WebTrace *trace) {
  return trace->def.boundaries;
}

/* ---- Plans --------------------------------------------------------------------------------- */

static WebPlan *plan_begin(void) {
  WebPlan *made = make(sizeof *made);
  if (made) sup_arena_init(&made->arena, web_allocator(), 0);
  return made;
}

/* NULL where it failed. */
static WebPlan *plan_end(WebPlan *made, SupResult result) {
  if (result == SUP_OK) return made;
  web_plan_free(made);
  return NULL;
}

WebPlan *web_plan_find(const WebSkin *skin) {
  WebPlan *made = plan_begin();
  if (!made) return NULL;
  const SupPatchAutoDef def = sup_patch_auto_def(skin->character);
  SupPatchAuto found = {.covered = 0};
  const SupResult result = sup_patch_auto(&made->arena, &def, &found, &web_last_error);
  if (result == SUP_OK) {
    made->plan = found.plan;
    made->piece_count = found.left_out_count;
    made->pieces = found.left_out;
  }
  return plan_end(made, result);
}

WebPlan *web_plan_fit(const WebSkin *skin, const SupPatchPlan *plan) {
  WebPlan *made = plan_begin();
  if (!made) return NULL;
  return plan_end(made, sup_patch_plan_fit(&made->arena, plan, skin->character, &made->plan,
                                           &made->fit, &web_last_error));
}

WebPlan *web_plan_mirror(const WebSkin *skin, const SupPatchPlan *plan, uint32_t left) {
  WebPlan *made = plan_begin();
  if (!made) return NULL;
  return plan_end(made, sup_patch_plan_mirror(&made->arena, plan, skin->character, left != 0,
                                              &made->plan, &web_last_error));
}

void web_plan_free(WebPlan *made) {
  if (!made) return;
  sup_arena_free(&made->arena);
  web_release(made);
}

const SupPatchPlan *web_plan_items(const WebPlan *made) { return &made->plan; }
uint32_t web_plan_piece_count(const WebPlan *made) { return made->piece_count; }
const SupPatchPiece *web_plan_pieces(const WebPlan *made) { return made->pieces; }
uint32_t web_plan_moves(const WebPlan *made) { return made->fit.move_count; }
double web_plan_farthest(const WebPlan *made) { return made->fit.farthest; }

/* ---- Patches ------------------------------------------------------------------------------- */

WebCut *web_cut_make(const WebSkin *skin, const SupPatchesDef *def) {
  WebCut *cut = make(sizeof *cut);
  if (!cut) return NULL;
  sup_arena_init(&cut->arena, web_allocator(), 0);
  cut->def = *def;
  cut->def.mesh = skin->character->body;
  cut->def.topology = &skin->topology;
  if (sup_patches_create(&cut->arena, &cut->def, &cut->patches, &web_last_error) == SUP_OK) {
    return cut;
  }
  web_cut_free(cut);
  return NULL;
}

void web_cut_free(WebCut *cut) {
  if (!cut) return;
  sup_arena_free(&cut->arena);
  web_release(cut);
}

const SupPatches *web_cut_patches(const WebCut *cut) { return &cut->patches; }

uint32_t web_cut_matches(const WebCut *a, const WebCut *b) {
  return sup_patches_isomorphic(&a->def, &a->patches, &b->def, &b->patches, &web_last_error) ==
         SUP_OK;
}
