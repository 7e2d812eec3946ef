/* SPDX-License-Identifier: MIT */
/* Points that are skinned: vertices of the shell, and places that rims follow. */
#include "chunks_work.h"

#define LEAST_WEIGHT 1e-3 /* of the largest */

/* Weights of all bones, to be added up. */
static void add_skin(const SupSkin *skin, uint32_t vertex, double share, double *io_weights) {
  for (uint32_t k = skin->offsets[vertex]; k < skin->offsets[vertex + 1]; k++) {
    io_weights[skin->bones[k]] += share * (double)skin->weights[k];
  }
}

static bool make_room(ChunksWork *w) {
  if (!w->influence_offsets) {
    /* Features, and the rims of both ends of all limbs. */
    size_t points = w->def->patches_def->feature_count;
    for (uint32_t k = 0; k < w->piece_count; k++) {
      if (w->pieces[k].limb) points += 2 * (size_t)w->pieces[k].patch_count << w->pieces[k].levels;
    }
    const size_t influences = points * 3 * (w->def->character->skin.influence_max + 1);
    w->points = SUP_ALLOC(w->arena, SupVec3, points);
    w->influence_offsets = SUP_ALLOC(w->arena, uint32_t, points + 1);
    w->influences = SUP_ALLOC(w->arena, SupChunksInfluence, influences);
  }
  return w->points && w->influence_offsets && w->influences;
}

SupResult sup_chunks_add_point(ChunksWork *w, SupVec3d at, uint32_t count, const uint32_t *vertices,
                               const double *shares, uint32_t *out_number) {
  const uint32_t bones = w->def->character->skeleton.bone_count;
  SupArena scratch = sup_scratch(w->scratch);
  double *weights = SUP_ALLOC(&scratch, double, bones), most = 0, sum = 0;
  const bool room = weights && make_room(w);
  for (uint32_t k = 0; k < count && room; k++) {
    add_skin(&w->def->character->skin, vertices[k], shares[k], weights);
  }
  for (uint32_t b = 0; b < bones && room; b++) most = weights[b] > most ? weights[b] : most;
  for (uint32_t b = 0; b < bones && room; b++) {
    sum += weights[b] > LEAST_WEIGHT * most ? weights[b] : 0;
  }
  for (uint32_t b = 0; b < bones && room; b++) {
    if (!(weights[b] > LEAST_WEIGHT * most)) continue;
    w->influences[w->influence_count++] = (SupChunksInfluence){b, (float)(weights[b] / sum)};
  }
  sup_arena_free(&scratch);
  if (!room) return sup_fail_memory(w->error, "chunks");
  *out_number = w->point_count;
  w->points[w->point_count++] = sup_vec3d_to_float(at);
  w->influence_offsets[w->point_count] = w->influence_count;
  return SUP_OK;
}
