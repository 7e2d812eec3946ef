/* SPDX-License-Identifier: MIT */
/*
 * Supple: Samples, positions frame by frame: from the simulator, a point cache, a model; and how
 * those of somebody else are matched to a character.
 */
#ifndef SUPPLE_AUTHOR_SAMPLES_H
#define SUPPLE_AUTHOR_SAMPLES_H

#include "supple/author/character.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SupSampleOrder {
  SUP_ORDER_BODY,   /* the welded body's vertices */
  SUP_ORDER_RENDER, /* the file's own vertices, part by part */
  SUP_ORDER_UNKNOWN /* somebody else's: sup_samples_match finds out */
} SupSampleOrder;

typedef struct SupSamples {
  float fps;   /* frames per second, > 0 */
  float start; /* seconds: time of frame 0 in the clip */
  uint32_t frame_count;
  uint32_t vertex_count;
  SupSampleOrder order;
  const SupVec3 *positions;  /* [frame_count * vertex_count] scene space, metres */
  uint32_t joint_count;      /* 0 when the poses are not known */
  const SupTransform *poses; /* [frame_count * joint_count] or NULL */
} SupSamples;

/* ---- Orders --------------------------------------------------------------------------------- */

/* out[k] = from[source[k]] for k < count. With render.to_body as `source` this leads from body to
 * render order. `out` may not overlap `from`. */
void sup_positions_gather(const SupVec3 *from, const uint32_t *source, uint32_t count,
                          SupVec3 *out);

/* The first render vertex of each body vertex, out_first[body_count]: as `source` above it leads
 * from render to body order. Every body vertex has one. */
void sup_render_first(const SupRender *render, uint32_t body_count, uint32_t *out_first);

/* ---- Units and axes ------------------------------------------------------------------------- */

typedef enum SupUpAxis {
  SUP_UP_Y, /* glTF, Maya: +Y up, +Z forward */
  SUP_UP_Z  /* Blender, 3ds Max: +Z up, -Y forward */
} SupUpAxis;

/* Scales positions[count] and turns them from one convention to the other, in place. */
void sup_positions_convert(SupVec3 *positions, size_t count, float scale, SupUpAxis from,
                           SupUpAxis to);

/* ---- Matching ------------------------------------------------------------------------------- */

typedef enum SupMatchKind {
  SUP_MATCH_BODY,    /* in the order of the body */
  SUP_MATCH_RENDER,  /* in the order of the file */
  SUP_MATCH_POSITION /* in an order of its own, found by position */
} SupMatchKind;

/* What to match against. Zeroed is a good start. */
typedef struct SupMatchDef {
  const SupVec3 *reference; /* [body.vertex_count] the body as it should be in that frame, scene
                               space; NULL means the rest positions */
  uint32_t frame;           /* which frame of the samples to look at */
  float tolerance;          /* fraction of the body's diagonal; 0 means 1e-3 */
} SupMatchDef;

typedef struct SupMatch {
  SupMatchKind kind;
  bool certain;           /* the file says so, or the positions agree within the tolerance */
  float distance;         /* greatest distance from the reference in that frame */
  const uint32_t *source; /* [body.vertex_count] the sample of each body vertex */
} SupMatch;

/* Finds which sample belongs to each body vertex. In this order: what the samples say of
 * themselves; body or file order when positions agree; the nearest sample when every body vertex
 * has one within the tolerance that no vertex at another place takes too, and they lie ten times
 * nearer than in a known order; body or file order when the number of vertices agrees (not
 * `certain`: the frame shows another pose than the reference). Otherwise fails with a sentence.
 * out_match->source is in `arena`. */
SupResult sup_samples_match(SupArena *arena, const SupCharacter *character,
                            const SupSamples *samples, const SupMatchDef *def, SupMatch *out_match,
                            SupError *error);

/* The match in words: "in the file's vertex order", ... */
const char *sup_match_text(const SupMatch *match);

#ifdef __cplusplus
}
#endif
#endif
