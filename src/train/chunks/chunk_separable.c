/* SPDX-License-Identifier: MIT */
/*
 * Separable chunks: Guo 2007, 4.2.2.
 *
 * Side nodes are on the skin, bilinear in the charts of the patches; centres are on the bone; what
 * is between lies on rays from the centre of its sector, so that radial edges are straight from the
 * nodes as moved to the skin. Left where the prototype has them they would invert wedges at a
 * waist of 0.6.
 */
#include "chunk_work.h"

/* ---- The ring ------------------------------------------------------------------------------- */

typedef struct Ring {
  const char *name;
  const SupPatches *patches;
  uint32_t count;
  const uint32_t *members;
  SupVec3d start, along;
} Ring;

/* The member that has a boundary, other than `not`. */
static uint32_t beyond(const Ring *r, uint32_t boundary, uint32_t not ) {
  for (uint32_t k = 0; k < r->count; k++) {
    const SupPatch *patch = &r->patches->patches[r->members[k]];
    for (uint32_t s = 0; s < patch->side_count && k != not ; s++) {
      if (patch->sides[s].boundary == boundary) return k;
    }
  }
  return SUP_NONE;
}

/* How far along the bone the middle between the ends of side s is. */
static double side_height(const Ring *r, const SupPatch *patch, uint32_t s) {
  double sum = 0;
  for (uint32_t k = 0; k < 2; k++) {
    const uint32_t v = patch->loop[patch->corners[(s + k) % patch->side_count]];
    const SupVec3d p = sup_vec3_to_double(r->patches->mesh.positions[v]);
    sum += sup_vec3d_dot(sup_vec3d_sub(p, r->start), r->along) / 2;
  }
  return sum;
}

/* The side of member k at the bone's start: the lower of two that belong to no other member. */
static uint32_t first_side(const Ring *r, uint32_t k) {
  const SupPatch *patch = &r->patches->patches[r->members[k]];
  uint32_t open[4], count = 0;
  if (patch->side_count != 4) return SUP_NONE;
  for (uint32_t s = 0; s < 4; s++) {
    if (beyond(r, patch->sides[s].boundary, k) == SUP_NONE) open[count++] = s;
  }
  if (count != 2 || open[1] != open[0] + 2) return SUP_NONE;
  return side_height(r, patch, open[0]) < side_height(r, patch, open[1]) ? open[0] : open[1];
}

SupResult sup_chunk_ring(SupArena *arena, const char *name, const SupPatches *patches,
                         uint32_t count, const uint32_t *members, const SupVec3d bone[2],
                         SupPatchRing *out_ring, SupError *error) {
  const Ring r = {name, patches, count, members, bone[0], sup_vec3d_sub(bone[1], bone[0])};
  uint32_t *order = SUP_ALLOC(arena, uint32_t, count);
  uint32_t *firsts = SUP_ALLOC(arena, uint32_t, count), at = 0;
  if (!order || !firsts) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < count; k++) {
    const SupPatch *patch = &patches->patches[members[at]];
    order[k] = members[at];
    firsts[k] = first_side(&r, at);
    if (count < 3 || firsts[k] == SUP_NONE) {
      return sup_fail(error, SUP_ERROR_FORMAT,
                      "chunk '%s': a limb needs a ring of three patches or more, each with four "
                      "sides of which two opposite ones meet the next; patch '%s' does not fit",
                      name, patch->name);
    }
    const uint32_t right = (firsts[k] + 1) % 4;
    at = beyond(&r, patch->sides[right].boundary, at);
    if ((at == 0) == (k + 1 == count)) continue;
    return sup_fail(error, SUP_ERROR_FORMAT, "chunk '%s': its %u patches are not one ring", name,
                    count);
  }
  *out_ring = (SupPatchRing){count, order, firsts};
  return SUP_OK;
}

/* ---- Nodes ---------------------------------------------------------------------------------- */

void sup_chunk_side_uv(const SupPatchCharts *charts, const SupPatchRing *ring, uint32_t side,
                       double v, double u, double out_uv[2]) {
  const SupPatchChart *chart = &charts->charts[ring->patches[side]];
  const double weights[4] = {(1 - u) * (1 - v), (1 - u) * v, u * v, u * (1 - v)};
  out_uv[0] = out_uv[1] = 0;
  for (uint32_t k = 0; k < 4; k++) {
    const double *corner = chart->corners[(ring->first_corners[side] + k) % 4];
    out_uv[0] += weights[k] * corner[0];
    out_uv[1] += weights[k] * corner[1];
  }
}

static SupVec3d side_place(const SupChunkDef *def, const SupPatchRing *ring, uint32_t side,
                           double v, double u) {
  double uv[2];
  sup_chunk_side_uv(def->charts, ring, side, v, u, uv);
  return sup_chunk_on_skin(def, ring->patches[side], uv);
}

static void place_slice(SupChunkMaking *m, const SupPatchRing *ring, const SupVec3d bone[2],
                        uint32_t j) {
  const SupChunkSlice *s = &m->chunk.slice;
  const double u = sup_chunk_depth(&m->chunk, j);
  const SupVec3d centre = sup_vec3d_lerp(bone[0], bone[1], u);
  const bool end = j == 0 || j + 1 == m->chunk.slice_count;
  SupVec3d *nodes = m->nodes + sup_chunk_node(&m->chunk, j, 0);
  for (uint32_t i = 0; i < s->corner_count * s->parts; i++) {
    nodes[s->rim[i]] = side_place(m->def, ring, i / s->parts, (double)(i % s->parts) / s->parts, u);
  }
  for (uint32_t k = 0; k < s->node_count; k++) {
    const uint32_t v = sup_chunk_node(&m->chunk, j, k);
    const SupSectorPlace place = sup_slice_sector_place(s, k);
    const bool axis = !(place.radius > 0), rim = s->rim_places[k] != SUP_NONE;
    m->held[v] = end || axis;
    m->fixed[v] = rim || !(s->nodes[k].weights[2] > 0);
    if (rim) continue;
    const SupVec3d out =
        sup_vec3d_lerp(nodes[s->rim[place.rim[0]]], nodes[s->rim[place.rim[1]]], place.t);
    nodes[k] = sup_vec3d_lerp(centre, out, place.radius);
  }
}

/* z along the bone, x towards the first corner of the first slice. */
static SupAffined bone_frame(const SupChunkMaking *m, const SupVec3d bone[2]) {
  const SupVec3d z = sup_vec3d_normalise(sup_vec3d_sub(bone[1], bone[0]));
  const SupVec3d out = sup_vec3d_sub(m->nodes[m->chunk.slice.rim[0]], bone[0]);
  const SupVec3d x = sup_vec3d_normalise(sup_vec3d_add_scaled(out, z, -sup_vec3d_dot(out, z)));
  return sup_affined_from_parts(sup_mat3d_from_columns(x, sup_vec3d_cross(z, x), z), bone[0]);
}

SupResult sup_chunk_separable(SupArena *arena, const SupChunkDef *def, const SupPatchRing *ring,
                              const SupVec3d bone[2], SupChunk *out_chunk, SupError *error) {
  SupChunkMaking m;
  const double length = sup_vec3d_distance(bone[0], bone[1]);
  if (!(length > 0)) {
    return sup_fail(error, SUP_ERROR_FORMAT, "chunk '%s': its bone has no length", def->name);
  }
  SupResult result = sup_chunk_begin(arena, def, SUP_SLICE_SECTORS, ring->count, true, &m, error);
  if (result != SUP_OK) return result;
  for (uint32_t j = 0; j < def->slice_count; j++) place_slice(&m, ring, bone, j);
  result = sup_chunk_relax(&m, true, error);
  if (result != SUP_OK) return result;
  m.chunk.length = length;
  const uint32_t kept_slices[2] = {1, def->slice_count - 1};
  return sup_chunk_finish(&m, bone_frame(&m, bone), kept_slices, true, out_chunk, error);
}
