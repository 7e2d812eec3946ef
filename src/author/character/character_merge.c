/* SPDX-License-Identifier: MIT */
/*
 * Merging onto the body. Duplicates that agree are taken over bit for bit; others are averaged.
 *
 * Weights are normalised as three.js does (SkinnedMesh.normalizeSkinWeights): divided by their
 * sum; a vertex without weight is given wholly to the bone of its first slot. Negative weights,
 * which no exporter means, count as zero.
 */
#include "author/character/character_merge.h"

#include "base/scratch.h"

/* Weights that differ by more are reported as unequal. */
#define EQUAL_WEIGHTS 1e-4f
/* Weights of vertices of different meshes that may merge. */
#define CLOSE_WEIGHTS 1e-3f
/* Sums of weights that are taken for 1: eight slots of 8-bit rounding come to 1.6e-2, but those
 * are odd enough to be told. */
#define SUM_TOLERANCE 1e-3

static float magnitude(float x) { return x < 0 ? -x : x; }

/* ---- Weights of render vertices ------------------------------------------------------------- */

/* Adds to the influence of that bone among items[count], which are sorted by bone. */
static uint32_t add_influence(Influence *items, uint32_t count, uint32_t bone, float weight) {
  uint32_t at = count;
  while (at && items[at - 1].bone >= bone) at--;
  if (at < count && items[at].bone == bone) {
    items[at].weight += weight;
    return count;
  }
  for (uint32_t k = count; k > at; k--) items[k] = items[k - 1];
  items[at] = (Influence){bone, weight};
  return count + 1;
}

static void normalise(Influence *items, uint32_t count, double sum) {
  if (sum == 1) return;
  for (uint32_t k = 0; k < count; k++) items[k].weight = (float)((double)items[k].weight / sum);
}

/* The influences of one vertex into `items`, returning their number. */
static uint32_t gather_vertex(const SupRawPart *part, uint32_t v, Influence *items,
                              SupWeldReport *report) {
  const uint32_t *bones = part->bones + (size_t)v * part->influence_count;
  const float *weights = part->weights + (size_t)v * part->influence_count;
  uint32_t count = 0;
  double sum = 0;
  for (uint32_t k = 0; k < part->influence_count; k++) {
    if (weights[k] > 0) count = add_influence(items, count, bones[k], weights[k]);
  }
  for (uint32_t k = 0; k < count; k++) sum += (double)items[k].weight;
  /* A sum that is not finite cannot be divided by: treat it as missing. */
  if (count == 0 || !(sum <= 1e30)) {
    report->weights_missing++;
    items[0] = (Influence){part->influence_count ? bones[0] : 0, 1};
    return 1;
  }
  if (sum > 1 + SUM_TOLERANCE || sum < 1 - SUM_TOLERANCE) report->weights_normalised++;
  normalise(items, count, sum);
  return count;
}

SupResult sup_influences_gather(SupArena *arena, const SupRawCharacter *raw, uint32_t vertex_count,
                                Influences *out_influences, SupWeldReport *report,
                                SupError *error) {
  uint64_t slots = 0;
  bool skinned = raw->skeleton.bone_count > 0;
  for (uint32_t p = 0; p < raw->part_count && skinned; p++) {
    const SupRawPart *part = &raw->parts[p];
    uint64_t width = part->influence_count ? part->influence_count : 1;
    slots += width * part->vertex_count;
  }
  if (slots >= SUP_NONE) return sup_fail_memory(error, "more than 4 billion weights");
  Influences all = {SUP_ALLOC(arena, uint32_t, (size_t)vertex_count + 1),
                    SUP_ALLOC(arena, Influence, (size_t)slots)};
  if (!all.offsets || !all.items) return sup_fail_memory(error, "the weights");
  uint32_t vertex = 0;
  for (uint32_t p = 0; p < raw->part_count; p++) {
    const SupRawPart *part = &raw->parts[p];
    for (uint32_t v = 0; v < part->vertex_count; v++, vertex++) {
      uint32_t start = all.offsets[vertex];
      uint32_t count = skinned ? gather_vertex(part, v, all.items + start, report) : 0;
      all.offsets[vertex + 1] = start + count;
    }
  }
  *out_influences = all;
  return SUP_OK;
}

/* The greatest difference of two vertices' weights, over all bones. */
static float greatest_difference(const Influences *all, uint32_t a, uint32_t b) {
  uint32_t i = all->offsets[a], j = all->offsets[b];
  uint32_t i_end = all->offsets[a + 1], j_end = all->offsets[b + 1];
  float greatest = 0;
  while (i < i_end || j < j_end) {
    uint32_t bone_a = i < i_end ? all->items[i].bone : SUP_NONE;
    uint32_t bone_b = j < j_end ? all->items[j].bone : SUP_NONE;
    float difference = 0;
    if (bone_a <= bone_b) difference += all->items[i++].weight;
    if (bone_b <= bone_a) difference -= all->items[j++].weight;
    if (magnitude(difference) > greatest) greatest = magnitude(difference);
  }
  return greatest;
}

bool sup_influences_are_close(void *influences, uint32_t a, uint32_t b) {
  return greatest_difference((const Influences *)influences, a, b) <= CLOSE_WEIGHTS;
}

/* ---- Which render vertices a body vertex has ------------------------------------------------ */

typedef struct Members {
  uint32_t *offsets;  /* [body vertex count + 1] */
  uint32_t *vertices; /* [render vertex count] rising per body vertex */
} Members;

static bool find_members(SupArena *scratch, const SupCharacter *character, Members *out) {
  const SupRender *render = &character->render;
  uint32_t bodies = character->body.vertex_count;
  out->offsets = SUP_ALLOC(scratch, uint32_t, (size_t)bodies + 2);
  out->vertices = SUP_ALLOC(scratch, uint32_t, render->vertex_count);
  if (!out->offsets || !out->vertices) return false;
  /* Counting sort; offsets are one place to the right until the last pass has moved them. */
  for (uint32_t v = 0; v < render->vertex_count; v++) out->offsets[render->to_body[v] + 2]++;
  for (uint32_t v = 0; v < bodies; v++) out->offsets[v + 2] += out->offsets[v + 1];
  for (uint32_t v = 0; v < render->vertex_count; v++) {
    out->vertices[out->offsets[render->to_body[v] + 1]++] = v;
  }
  return true;
}

/* ---- Skin ----------------------------------------------------------------------------------- */

/* By descending weight, then rising bone. Insertion: a vertex has few. */
static void sort_by_weight(Influence *items, uint32_t count) {
  for (uint32_t k = 1; k < count; k++) {
    Influence item = items[k];
    uint32_t at = k;
    while (at && (items[at - 1].weight < item.weight ||
                  (items[at - 1].weight == item.weight && items[at - 1].bone > item.bone))) {
      items[at] = items[at - 1];
      at--;
    }
    items[at] = item;
  }
}

/* The merged influences of members[count] into `items`; true if they were unequal. */
static bool merge_vertex(const Influences *all, const uint32_t *members, uint32_t member_count,
                         Influence *items, uint32_t *out_count) {
  float difference = 0;
  for (uint32_t k = 1; k < member_count; k++) {
    float d = greatest_difference(all, members[0], members[k]);
    if (d > difference) difference = d;
  }
  uint32_t used = difference > 0 ? member_count : 1;
  uint32_t count = 0;
  for (uint32_t k = 0; k < used; k++) {
    for (uint32_t i = all->offsets[members[k]]; i < all->offsets[members[k] + 1]; i++) {
      count = add_influence(items, count, all->items[i].bone, all->items[i].weight);
    }
  }
  if (used > 1) {
    double sum = 0;
    for (uint32_t k = 0; k < count; k++) sum += (double)items[k].weight;
    normalise(items, count, sum);
  }
  sort_by_weight(items, count);
  *out_count = count;
  return difference > EQUAL_WEIGHTS;
}

/* The weights of all render vertices as the file has them. */
static bool keep_render_skin(SupArena *arena, const Influences *all, SupRender *render) {
  uint32_t n = render->vertex_count, most = 0;
  uint32_t *offsets = SUP_COPY(arena, uint32_t, all->offsets, (size_t)n + 1);
  uint32_t *bones = SUP_ALLOC(arena, uint32_t, all->offsets[n]);
  float *weights = SUP_ALLOC(arena, float, all->offsets[n]);
  if (!offsets || !bones || !weights) return false;
  for (uint32_t v = 0; v < n; v++) {
    uint32_t count = offsets[v + 1] - offsets[v];
    sort_by_weight(all->items + offsets[v], count);
    if (count > most) most = count;
  }
  for (uint32_t k = 0; k < offsets[n]; k++) {
    bones[k] = all->items[k].bone;
    weights[k] = all->items[k].weight;
  }
  render->skin = (SupSkin){n, most, offsets, bones, weights};
  return true;
}

SupResult sup_merge_skin(SupArena *arena, SupArena *scratch, Influences *influences,
                         SupCharacter *character, SupError *error) {
  uint32_t n = character->body.vertex_count;
  uint32_t total = influences->offsets[character->render.vertex_count];
  Members members;
  Influence *items = SUP_ALLOC(scratch, Influence, total);
  uint32_t *offsets = SUP_ALLOC(arena, uint32_t, (size_t)n + 1);
  if (!items || !offsets || !find_members(scratch, character, &members)) {
    return sup_fail_memory(error, "the skin");
  }
  uint32_t most = 0;
  for (uint32_t v = 0; v < n; v++) {
    uint32_t first = members.offsets[v], count;
    bool unequal = merge_vertex(influences, members.vertices + first,
                                members.offsets[v + 1] - first, items + offsets[v], &count);
    if (unequal) character->weld.weights_averaged++;
    offsets[v + 1] = offsets[v] + count;
    if (count > most) most = count;
  }
  uint32_t *bones = SUP_ALLOC(arena, uint32_t, offsets[n]);
  float *weights = SUP_ALLOC(arena, float, offsets[n]);
  if (!bones || !weights) return sup_fail_memory(error, "the skin");
  for (uint32_t k = 0; k < offsets[n]; k++) {
    bones[k] = items[k].bone;
    weights[k] = items[k].weight;
  }
  character->skin = (SupSkin){n, most, offsets, bones, weights};
  if (character->weld.weights_averaged == 0) return SUP_OK;
  bool kept = keep_render_skin(arena, influences, &character->render);
  return kept ? SUP_OK : sup_fail_memory(error, "the skin");
}

/* ---- Morph targets and maps ----------------------------------------------------------------- */

/* Averages values[render][width] over the render vertices of each body vertex that have one;
 * equal ones are taken over as they are. `has` [part_count] says which parts take part. */
static bool average(const SupArena *arena, const SupCharacter *character,
                    const float *const *part_values, uint32_t width, float *out_values) {
  const SupRender *render = &character->render;
  size_t n = (size_t)character->body.vertex_count;
  SupArena scratch = sup_scratch(arena);
  double *sums = SUP_ALLOC(&scratch, double, n *width);
  uint32_t *counts = SUP_ALLOC(&scratch, uint32_t, n);
  if (!sums || !counts) {
    sup_arena_free(&scratch);
    return false;
  }
  for (uint32_t p = 0; p < render->part_count; p++) {
    const SupPart *part = &render->parts[p];
    if (!part_values[p]) continue;
    for (uint32_t v = 0; v < part->vertex_count; v++) {
      uint32_t body = render->to_body[part->first_vertex + v];
      counts[body]++;
      for (uint32_t k = 0; k < width; k++) {
        sums[body * width + k] += (double)part_values[p][(size_t)v * width + k];
      }
    }
  }
  /* Sums of equal floats in doubles are exact for up to 2^29 of them, so their mean is too. */
  for (size_t v = 0; v < n; v++) {
    for (uint32_t k = 0; k < width; k++) {
      size_t at = v * width + k;
      out_values[at] = counts[v] ? (float)(sums[at] / counts[v]) : 0;
    }
  }
  sup_arena_free(&scratch);
  return true;
}

SupResult sup_merge_morphs(SupArena *arena, SupArena *scratch, const SupRawCharacter *raw,
                           SupCharacter *character, SupError *error) {
  SupMorph *morphs = SUP_ALLOC(arena, SupMorph, raw->morph_count);
  const float **values = SUP_ALLOC(scratch, const float *, raw->part_count);
  bool ok = morphs && values;
  for (uint32_t m = 0; ok && m < raw->morph_count; m++) {
    const char *name = raw->morphs[m].name ? raw->morphs[m].name : "";
    SupVec3 *offsets = SUP_ALLOC(arena, SupVec3, character->body.vertex_count);
    for (uint32_t p = 0; p < raw->part_count; p++) {
      const SupVec3 *const *part = raw->parts[p].morph_offsets;
      values[p] = part && part[m] ? &part[m]->x : NULL;
    }
    morphs[m] = (SupMorph){sup_arena_string(arena, name, sup_string_length(name)),
                           raw->morphs[m].weight, offsets};
    ok = offsets && morphs[m].name && average(scratch, character, values, 3, &offsets->x);
  }
  if (!ok) return sup_fail_memory(error, "the morph targets");
  character->morph_count = raw->morph_count;
  character->morphs = morphs;
  return SUP_OK;
}

SupResult sup_merge_maps(SupArena *arena, SupArena *scratch, const SupRawCharacter *raw,
                         SupCharacter *character, SupError *error) {
  SupMap *maps = SUP_ALLOC(arena, SupMap, raw->map_count);
  const float **values = SUP_ALLOC(scratch, const float *, raw->part_count);
  bool ok = maps && values;
  for (uint32_t m = 0; ok && m < raw->map_count; m++) {
    const char *name = raw->map_names[m];
    float *merged = SUP_ALLOC(arena, float, character->body.vertex_count);
    for (uint32_t p = 0; p < raw->part_count; p++) {
      const float *const *part = raw->parts[p].map_values;
      values[p] = part ? part[m] : NULL;
    }
    maps[m] = (SupMap){sup_arena_string(arena, name, sup_string_length(name)), merged};
    ok = merged && maps[m].name && average(scratch, character, values, 1, merged);
  }
  if (!ok) return sup_fail_memory(error, "the maps");
  character->map_count = raw->map_count;
  character->maps = maps;
  return SUP_OK;
}
