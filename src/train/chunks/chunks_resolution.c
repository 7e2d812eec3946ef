/* SPDX-License-Identifier: MIT */
/*
 * Slices, levels and Poisson's ratio of each chunk.
 *
 * Automatic: a limb has 4 slices and two more per radius of its length, fewer where the clips turn
 * its joints less than 90 degrees; a chunk above the shell has 4. Triangles are divided twice, once
 * where patches have so few vertices that nodes would be finer than the skin. Chunks that meet side
 * by side have equal levels, so that they have the same nodes there.
 */
#include "base/union_find.h"
#include "chunks_work.h"

#define ABOVE_SHELL 4u
#define LIMB_LEAST 5u
#define LIMB_MOST 18u
#define PER_RADIUS 2.0
#define STILL 0.3        /* of the slices of a limb whose joints never turn */
#define FEW_VERTICES 16u /* of a patch, mean over its group */
#define POISSON 0.45

/* ---- What is asked for ----------------------------------------------------------------------- */

static void take_flesh(ChunkPiece *piece) {
  const SupPatchFlesh *f = piece->zone->flesh;
  if (!f) return;
  if (f->slices) piece->slices = f->slices;
  if (f->levels != SUP_NONE) piece->levels = f->levels;
  if (f->poisson > 0) piece->poisson = f->poisson;
  if (f->depth > 0) piece->depth = f->depth;
}

static void take_options(const SupChunksTrainDef *def, ChunkPiece *piece) {
  for (uint32_t k = 0; k < def->option_count; k++) {
    const SupChunksOption *o = &def->options[k];
    if (!sup_string_equal(o->name, piece->name) && !sup_string_equal(o->name, piece->zone->name)) {
      continue;
    }
    if (o->slices) piece->slices = o->slices;
    if (o->levels != SUP_CHUNKS_AUTOMATIC) piece->levels = o->levels;
    if (o->poisson > 0) piece->poisson = o->poisson;
    if (o->depth > 0) piece->depth = o->depth;
  }
}

/* ---- What is not ----------------------------------------------------------------------------- */

static uint32_t limb_slices(const ChunksWork *w, const ChunkPiece *piece) {
  double most = 0;
  SupVec3 axis;
  for (uint32_t k = 0; k < 2; k++) {
    const double turn = sup_chunks_largest_turn(w, piece->joints[k], &axis);
    if (turn > most) most = turn;
  }
  double part = w->def->character->clip_count ? most / (SUP_PI / 2) : 1;
  part = STILL + (1 - STILL) * (part < 1 ? part : 1);
  const double length = sup_vec3d_distance(piece->bones[0][0], piece->bones[0][1]);
  const double count = 4 + PER_RADIUS * part * length / (piece->radius > 0 ? piece->radius : 1);
  if (!(count > LIMB_LEAST)) return LIMB_LEAST;
  return count < LIMB_MOST ? (uint32_t)(count + 0.5) : LIMB_MOST;
}

/* Chunks above the shell that share a side; and limbs whose rim they share. */
static void join_groups(const ChunksWork *w, uint32_t *parents) {
  for (uint32_t k = 0; k < w->piece_count; k++) {
    const ChunkPiece *piece = &w->pieces[k];
    for (uint32_t i = 0; i < piece->patch_count; i++) {
      const SupPatch *patch = &w->def->patches->patches[piece->patches[i]];
      for (uint32_t s = 0; s < patch->side_count; s++) {
        const uint32_t beyond = sup_chunks_across(w, patch->sides[s].boundary, piece->patches[i]);
        const uint32_t other = beyond == SUP_NONE ? SUP_NONE : w->piece_of[beyond];
        if (other == SUP_NONE || (piece->limb && w->pieces[other].limb)) continue;
        sup_union_find_join(parents, k, other);
      }
    }
  }
}

/* The skin's own, without places where boundaries cut edges. */
static uint32_t count_vertices(const ChunksWork *w, uint32_t patch) {
  const SupPatchChart *chart = &w->def->charts->charts[patch];
  uint32_t count = 0;
  for (uint32_t v = 0; v < chart->vertex_count; v++) {
    const SupSkinPoint at = w->def->patches->points[chart->vertices[v].a];
    count += chart->vertices[v].a == chart->vertices[v].b && at.a == at.b;
  }
  return count;
}

typedef struct Group {
  uint32_t vertices, patches, given;
  bool mixed;
} Group;

static SupResult level_groups(ChunksWork *w, SupArena *scratch) {
  uint32_t *parents = SUP_ALLOC(scratch, uint32_t, w->piece_count);
  Group *groups = SUP_ALLOC(scratch, Group, w->piece_count);
  if (!parents || !groups) return sup_fail_memory(w->error, "chunks");
  for (uint32_t k = 0; k < w->piece_count; k++) {
    parents[k] = k;
    groups[k].given = SUP_NONE;
  }
  join_groups(w, parents);
  for (uint32_t k = 0; k < w->piece_count; k++) {
    const ChunkPiece *piece = &w->pieces[k];
    Group *g = &groups[sup_union_find_root(parents, k)];
    for (uint32_t i = 0; i < piece->patch_count; i++) {
      g->vertices += count_vertices(w, piece->patches[i]);
      g->patches++;
    }
    if (piece->levels == SUP_NONE) continue;
    g->mixed |= g->given != SUP_NONE && g->given != piece->levels;
    if (g->given == SUP_NONE || g->given < piece->levels) g->given = piece->levels;
  }
  for (uint32_t k = 0; k < w->piece_count; k++) {
    const uint32_t root = sup_union_find_root(parents, k);
    const Group *g = &groups[root];
    ChunkPiece *piece = &w->pieces[k];
    piece->levels_given = g->given != SUP_NONE;
    piece->levels = piece->levels_given                       ? g->given
                    : g->vertices < FEW_VERTICES * g->patches ? 1
                                                              : 2;
    if (g->mixed && root == k) {
      sup_chunks_note(w,
                      "chunk '%s' and those beside it have %u levels, the most that is asked of "
                      "any of them, since they meet side by side",
                      piece->name, piece->levels);
    }
  }
  return SUP_OK;
}

SupResult sup_chunks_resolution(ChunksWork *w) {
  for (uint32_t k = 0; k < w->piece_count; k++) {
    ChunkPiece *piece = &w->pieces[k];
    piece->slices = w->def->slices;
    piece->levels = w->def->levels;
    piece->poisson = w->def->poisson;
    take_flesh(piece);
    take_options(w->def, piece);
    if (!(piece->poisson > 0)) piece->poisson = POISSON;
    if (!piece->slices) piece->slices = piece->limb ? limb_slices(w, piece) : ABOVE_SHELL;
  }
  SupArena scratch = sup_scratch(w->scratch);
  SupResult result = level_groups(w, &scratch);
  sup_arena_free(&scratch);
  return result;
}
