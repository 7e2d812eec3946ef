/* SPDX-License-Identifier: MIT */
/*
 * The second WebAssembly module: patches (supple/author/patches.h), for the page's mode of that
 * name. It has a memory of its own, into which characters of several files are copied, so that
 * their decompositions can be compared; who does not divide skins does not load it.
 *
 * A function that returns a pointer returns NULL when it fails; web_error() has the sentence.
 * Structures that JavaScript fills or reads are written down word by word in patches.ts.
 */
#ifndef SUPPLE_WEB_PATCHES_H
#define SUPPLE_WEB_PATCHES_H

#include "module.h"
#include "supple/author/patch_auto.h"

/* A character whose skin is divided. */
typedef struct WebSkin {
  SupArena arena;
  const SupCharacter *character;
  SupTopology topology;
  SupBvh bvh;
} WebSkin;

/* `character` needs no clips, morph targets or positions of its render vertices; it stays the
 * caller's for as long as the skin lives. */
WEB_EXPORT("skin_make") WebSkin *web_skin_make(const SupCharacter *character);
WEB_EXPORT("skin_free") void web_skin_free(WebSkin *skin);

/* The place of the skin that is nearest to a position of bind space, as a feature there has it. */
WEB_EXPORT("skin_nearest")
void web_skin_nearest(const WebSkin *skin, float x, float y, float z, SupSkinPoint *out_point);

/* A plan whose features and boundaries have been found on a skin. */
typedef struct WebTrace {
  SupArena arena;
  SupPatchesDef def;
} WebTrace;

/* `plan` is the caller's for as long as the trace lives. */
WEB_EXPORT("trace_make")
WebTrace *web_trace_make(const WebSkin *skin, const SupPatchPlan *plan);
WEB_EXPORT("trace_free") void web_trace_free(WebTrace *trace);
/* The features and boundaries of its definition. */
WEB_EXPORT("trace_features") const SupPatchFeature *web_trace_features(const WebTrace *trace);
WEB_EXPORT("trace_boundaries")
const SupPatchBoundary *web_trace_boundaries(const WebTrace *trace);

/* A plan that was made here, and what is to be said about it. */
typedef struct WebPlan {
  SupArena arena;
  SupPatchPlan plan;
  SupPatchFit fit;
  uint32_t piece_count; /* pieces of the body that it has no patches for */
  const SupPatchPiece *pieces;
} WebPlan;

/* By skeleton and weights. */
WEB_EXPORT("plan_find") WebPlan *web_plan_find(const WebSkin *skin);
/* Another one on the skin as it is now, and with one side in place of the other; both may share
 * what did not change with `plan`. */
WEB_EXPORT("plan_fit") WebPlan *web_plan_fit(const WebSkin *skin, const SupPatchPlan *plan);
WEB_EXPORT("plan_mirror")
WebPlan *web_plan_mirror(const WebSkin *skin, const SupPatchPlan *plan, uint32_t left);
WEB_EXPORT("plan_free") void web_plan_free(WebPlan *made);
WEB_EXPORT("plan_items") const SupPatchPlan *web_plan_items(const WebPlan *made);
WEB_EXPORT("plan_piece_count") uint32_t web_plan_piece_count(const WebPlan *made);
WEB_EXPORT("plan_pieces") const SupPatchPiece *web_plan_pieces(const WebPlan *made);
/* Features that are elsewhere now, and how far the farthest has gone. */
WEB_EXPORT("plan_moves") uint32_t web_plan_moves(const WebPlan *made);
WEB_EXPORT("plan_farthest") double web_plan_farthest(const WebPlan *made);

/* The skin cut along the boundaries of a definition, which is the caller's for as long as the cut
 * lives; its mesh and topology are those of the skin. */
typedef struct WebCut {
  SupArena arena;
  SupPatchesDef def;
  SupPatches patches;
} WebCut;

WEB_EXPORT("cut_make") WebCut *web_cut_make(const WebSkin *skin, const SupPatchesDef *def);
WEB_EXPORT("cut_free") void web_cut_free(WebCut *cut);
WEB_EXPORT("cut_patches") const SupPatches *web_cut_patches(const WebCut *cut);

/* 1 if the patches correspond; else 0 and a sentence about the first difference. */
WEB_EXPORT("cut_matches") uint32_t web_cut_matches(const WebCut *a, const WebCut *b);

#endif
