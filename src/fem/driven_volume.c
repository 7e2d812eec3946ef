/* SPDX-License-Identifier: MIT */
/*
 * A filled skin whose boundary nodes are put on the skin.
 *
 * 1. Boundary nodes go to their nearest places on the skin nearby           (sup_driven_snap)
 * 2. Nodes inside are smoothed where tetrahedra have become bad             (sup_driven_smooth)
 * 3. Bad tetrahedra with surface nodes only are removed, and new boundary nodes go to the skin;
 *    of other bad ones the surface node that was moved farthest is released     (repair)
 * 4. Until none is bad. It ends: each round removes a tetrahedron or releases a node.
 */
#include "supple/fem/driven_volume.h"

#include <math.h>

#include "base/scratch.h"
#include "base/union_find.h"
#include "fem/driven_work.h"

/* ---- Repair --------------------------------------------------------------------------------- */

/* The surface node of a tetrahedron that was moved farthest, or SUP_NONE. */
static uint32_t farthest(const SupDrivenWork *w, uint32_t tet) {
  uint32_t best = SUP_NONE;
  for (uint32_t k = 0; k < 4; k++) {
    const uint32_t n = w->fill->mesh.tets[4 * (size_t)tet + k];
    if (w->state[n] != SUP_DRIVEN_SURFACE) continue;
    if (best == SUP_NONE || w->ties[n].distance > w->ties[best].distance) best = n;
  }
  return best;
}

/* One round; returns whether anything was bad. */
static bool repair(SupDrivenWork *w) {
  bool bad = false;
  for (uint32_t t = 0; t < w->fill->mesh.tet_count; t++) {
    if (!w->alive[t] || !sup_driven_is_bad(w, t, w->quality)) continue;
    const uint32_t *n = &w->fill->mesh.tets[4 * (size_t)t];
    uint32_t surface = 0;
    for (int k = 0; k < 4; k++) surface += w->state[n[k]] == SUP_DRIVEN_SURFACE;
    const uint32_t released = farthest(w, t);
    bad = true;
    if (surface == 4 || released == SUP_NONE) {
      w->alive[t] = 0; /* also what was filled so bad, or moved by smoothing: nothing can help it */
    } else {
      w->state[released] = SUP_DRIVEN_RELEASED;
      w->at[released] = w->fill->mesh.nodes[released];
    }
  }
  return bad;
}

/* ---- The result ----------------------------------------------------------------------------- */

typedef struct Numbers {
  uint32_t *node; /* [node_count] new number, or SUP_NONE */
  uint32_t *skin; /* [skin vertex_count] likewise */
  uint32_t node_count, surface_count, tet_count, skin_count;
} Numbers;

static void number(const SupDrivenWork *w, Numbers *out) {
  const SupTetMesh *mesh = &w->fill->mesh;
  for (uint32_t n = 0; n < mesh->node_count; n++) out->node[n] = SUP_NONE;
  for (uint32_t v = 0; v < w->skin->vertex_count; v++) out->skin[v] = SUP_NONE;
  for (uint32_t t = 0; t < mesh->tet_count; t++) {
    out->tet_count += w->alive[t];
    for (uint32_t k = 0; w->alive[t] && k < 4; k++) out->node[mesh->tets[4 * (size_t)t + k]] = 0;
  }
  for (int surface = 1; surface >= 0; surface--) {
    for (uint32_t n = 0; n < mesh->node_count; n++) {
      const bool driven = w->state[n] == SUP_DRIVEN_SURFACE;
      if (out->node[n] == SUP_NONE || driven != (surface == 1)) continue;
      out->node[n] = out->node_count++;
      for (uint32_t k = 0; driven && k < 3; k++) {
        out->skin[w->skin->triangles[3 * (size_t)w->ties[n].triangle + k]] = 0;
      }
    }
    if (surface) out->surface_count = out->node_count;
  }
  for (uint32_t v = 0; v < w->skin->vertex_count; v++) {
    if (out->skin[v] != SUP_NONE) out->skin[v] = out->skin_count++;
  }
}

/* The arrays of the result, while they can be written. */
typedef struct Result {
  SupVec3d *nodes;
  uint32_t *tets, *skin, *corners;
  double *weights, *fractions;
} Result;

static void fill_nodes(const SupDrivenWork *w, const Numbers *number, Result *r) {
  for (uint32_t n = 0; n < w->fill->mesh.node_count; n++) {
    const uint32_t to = number->node[n];
    if (to == SUP_NONE) continue;
    r->nodes[to] = w->at[n];
    for (uint32_t k = 0; to < number->surface_count && k < 3; k++) {
      const uint32_t v = w->skin->triangles[3 * (size_t)w->ties[n].triangle + k];
      r->corners[3 * (size_t)to + k] = number->skin[v];
      r->weights[3 * (size_t)to + k] = w->ties[n].weights[k];
    }
  }
  for (uint32_t v = 0; v < w->skin->vertex_count; v++) {
    if (number->skin[v] != SUP_NONE) r->skin[number->skin[v]] = v;
  }
}

/* A tetrahedron whose boundary nodes are all on the skin is all flesh. */
static void fill_tets(const SupDrivenWork *w, const Numbers *number, Result *r) {
  uint32_t to = 0;
  for (uint32_t t = 0; t < w->fill->mesh.tet_count; t++) {
    if (!w->alive[t]) continue;
    bool whole = true;
    for (uint32_t k = 0; k < 4; k++) {
      const uint32_t n = w->fill->mesh.tets[4 * (size_t)t + k];
      r->tets[4 * (size_t)to + k] = number->node[n];
      whole &= w->state[n] != SUP_DRIVEN_RELEASED;
    }
    r->fractions[to++] = whole ? 1 : w->fill->fractions[t];
  }
}

static double tet_volume(const SupTetMesh *mesh, uint32_t t) {
  const uint32_t *n = &mesh->tets[4 * (size_t)t];
  const SupVec3d a = sup_vec3d_sub(mesh->nodes[n[1]], mesh->nodes[n[0]]);
  const SupVec3d b = sup_vec3d_sub(mesh->nodes[n[2]], mesh->nodes[n[0]]);
  const SupVec3d c = sup_vec3d_sub(mesh->nodes[n[3]], mesh->nodes[n[0]]);
  return sup_vec3d_dot(a, sup_vec3d_cross(b, c)) / 6;
}

static void report_on(const SupDrivenWork *w, const Numbers *number, const Result *r,
                      uint32_t *parents, SupDrivenReport *out) {
  const SupTetMesh mesh = {number->node_count, number->tet_count, r->nodes, r->tets};
  *out = (SupDrivenReport){.quality_least = INFINITY,
                           .removed_count = w->fill->mesh.tet_count - number->tet_count};
  sup_union_find_init(parents, number->node_count);
  for (uint32_t t = 0; t < mesh.tet_count; t++) {
    out->volume += r->fractions[t] * tet_volume(&mesh, t);
    for (uint32_t k = 1; k < 4; k++) {
      sup_union_find_join(parents, mesh.tets[4 * (size_t)t], mesh.tets[4 * (size_t)t + k]);
    }
  }
  for (uint32_t t = 0; t < w->fill->mesh.tet_count; t++) {
    if (!w->alive[t]) continue;
    const double quality = sup_driven_quality(w, t);
    out->quality_least = fmin(out->quality_least, quality);
    out->quality_mean += quality / number->tet_count;
  }
  for (uint32_t n = 0; n < w->fill->mesh.node_count; n++) {
    if (number->node[n] == SUP_NONE) continue;
    out->released_count += w->state[n] == SUP_DRIVEN_RELEASED;
    if (w->state[n] == SUP_DRIVEN_SURFACE)
      out->snap_most = fmax(out->snap_most, w->ties[n].distance);
  }
  for (uint32_t n = 0; n < number->node_count; n++) {
    out->piece_count += sup_union_find_root(parents, n) == n;
  }
}

static SupResult finish(SupArena *arena, SupArena *scratch, const SupDrivenWork *w,
                        SupDrivenVolume *out, SupDrivenReport *out_report, SupError *error) {
  Numbers numbers = {.node = SUP_ALLOC(scratch, uint32_t, w->fill->mesh.node_count),
                     .skin = SUP_ALLOC(scratch, uint32_t, w->skin->vertex_count)};
  if (!numbers.node || !numbers.skin) return sup_fail_memory(error, "the driven volume");
  number(w, &numbers);
  if (numbers.tet_count == 0 || numbers.surface_count == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "no tetrahedron of the volume can be driven by the skin; ask for smaller ones");
  }
  Result r = {SUP_ALLOC(arena, SupVec3d, numbers.node_count),
              SUP_ALLOC(arena, uint32_t, 4 * (size_t)numbers.tet_count),
              SUP_ALLOC(arena, uint32_t, numbers.skin_count),
              SUP_ALLOC(arena, uint32_t, 3 * (size_t)numbers.surface_count),
              SUP_ALLOC(arena, double, 3 * (size_t)numbers.surface_count),
              SUP_ALLOC(arena, double, numbers.tet_count)};
  uint32_t *parents = SUP_ALLOC(scratch, uint32_t, numbers.node_count);
  if (!r.nodes || !r.tets || !r.skin || !r.corners || !r.weights || !r.fractions || !parents) {
    return sup_fail_memory(error, "the driven volume");
  }
  fill_nodes(w, &numbers, &r);
  fill_tets(w, &numbers, &r);
  if (out_report) report_on(w, &numbers, &r, parents, out_report);
  *out = (SupDrivenVolume){{numbers.node_count, numbers.tet_count, r.nodes, r.tets},
                           numbers.surface_count,
                           numbers.skin_count,
                           r.skin,
                           r.corners,
                           r.weights,
                           r.fractions};
  return SUP_OK;
}

SupResult sup_driven_volume(SupArena *arena, const SupMesh *skin, const SupFill *fill,
                            const SupDrivenDef *def, SupDrivenVolume *out_volume,
                            SupDrivenReport *out_report, SupError *error) {
  const SupDrivenDef plain = {0};
  SupArena scratch = sup_scratch(arena);
  SupDrivenWork work;
  SupResult result = sup_driven_begin(&scratch, skin, fill, def ? def : &plain, &work, error);
  if (result == SUP_OK) {
    do {
      sup_driven_snap(&work);
      sup_driven_smooth(&work, 4);
    } while (repair(&work));
    result = finish(arena, &scratch, &work, out_volume, out_report, error);
  }
  sup_arena_free(&scratch);
  return result;
}

void sup_driven_surface(const SupDrivenVolume *volume, const SupVec3d *skin, SupVec3d *out_nodes) {
  for (uint32_t n = 0; n < volume->surface_count; n++) {
    SupVec3d x = {0, 0, 0};
    for (uint32_t k = 0; k < 3; k++) {
      const size_t at = 3 * (size_t)n + k;
      x = sup_vec3d_add_scaled(x, skin[volume->corners[at]], volume->weights[at]);
    }
    out_nodes[n] = x;
  }
}
