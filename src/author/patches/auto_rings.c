/* SPDX-License-Identifier: MIT */
/*
 * Regions of the skin, divided by rings around limbs.
 *
 * The weights of a joint and of all below it grow from 0 to 1 where a limb begins, and those of a
 * joint are nowhere larger than those of its parent: where they are a half, rings are nested and
 * never cross. Smoothing keeps that. Holes count as closed by one more vertex.
 */
#include "auto_work.h"

#include "base/scratch.h"

#define SMOOTHINGS 4
#define LEAST 0.008     /* of the skin: a ring around less is none of a limb */
#define LEAST_REST 0.03 /* of the piece, on its other side */
#define TUBE 1.5        /* area over that of a disc with the same border: a half ball has 2 */
#define APART 0.74      /* radii: between the middles of a ring and of the one above; nearer ones */
#define TIGHTER                                                                    \
  0.86 /* replace it where they are so much shorter, as an arm's does a shoulder's \
        */
#define SETTLINGS 12
#define PI 3.14159265358979323846

typedef struct Rings {
  SupAuto *a;
  float *weights, *other; /* [vertex_count] of a joint and all below it */
  uint8_t *member;        /* [vertex_count] */
  uint32_t *queue, *sets; /* [vertex_count] */
  uint32_t *found;        /* [joint_count * component_count] region of each joint */
} Rings;

bool sup_auto_below(const SupAuto *a, uint32_t region, uint32_t top) {
  while (region != SUP_NONE && region != top) region = a->regions[region].parent;
  return region != SUP_NONE;
}

uint32_t sup_auto_add_region(SupAuto *a, SupRegion region) {
  if (a->region_count == a->region_capacity) {
    const uint32_t capacity = a->region_capacity ? 2 * a->region_capacity : 64;
    SupRegion *regions = SUP_ALLOC(a->scratch, SupRegion, capacity);
    if (!regions) return SUP_NONE;
    for (uint32_t k = 0; k < a->region_count; k++) regions[k] = a->regions[k];
    a->regions = regions;
    a->region_capacity = capacity;
  }
  region.depth = region.parent == SUP_NONE ? 0 : a->regions[region.parent].depth + 1;
  a->regions[a->region_count] = region;
  return a->region_count++;
}

static void set_depths(SupAuto *a) {
  /* A region between two others may stand behind them: as often as there are levels. */
  bool changed = true;
  while (changed) {
    changed = false;
    for (uint32_t r = 0; r < a->region_count; r++) {
      SupRegion *region = &a->regions[r];
      if (region->parent == SUP_NONE) continue;
      const uint32_t depth = a->regions[region->parent].depth + 1;
      changed |= depth != region->depth;
      region->depth = depth;
    }
  }
}

void sup_auto_drop(SupAuto *a, uint32_t region) {
  const uint32_t parent = a->regions[region].parent;
  a->regions[region].dropped = true;
  for (uint32_t v = 0; v < a->mesh.vertex_count; v++) {
    if (a->labels[v] == region) a->labels[v] = parent;
  }
  for (uint32_t r = 0; r < a->region_count; r++) {
    if (a->regions[r].parent == region) a->regions[r].parent = parent;
  }
  set_depths(a);
}

/* ---- Connected sets -------------------------------------------------------------------------- */

/* All that hang together with the first of the queue among those with the same member value, over
 * edges and around holes, get a set number. Returns their count and area. */
static uint32_t flood(Rings *r, uint32_t start, uint32_t set, uint8_t value, double *out_area) {
  const SupAuto *a = r->a;
  uint32_t count = 0;
  *out_area = 0;
  r->queue[count++] = start;
  r->sets[start] = set;
  for (uint32_t at = 0; at < count; at++) {
    const uint32_t v = r->queue[at], hole = a->hole_of[v];
    *out_area += a->areas[v];
    const uint32_t *around = a->topology.rings.neighbours + a->topology.rings.offsets[v];
    const uint32_t degree = a->topology.rings.offsets[v + 1] - a->topology.rings.offsets[v];
    const uint32_t rim = hole == SUP_NONE ? 0 : a->holes[hole].count;
    for (uint32_t k = 0; k < degree + rim; k++) {
      const uint32_t w =
          k < degree ? around[k] : a->topology.loop_vertices[a->holes[hole].first + k - degree];
      if (r->sets[w] != SUP_NONE || r->member[w] != value) continue;
      r->sets[w] = set;
      r->queue[count++] = w;
    }
  }
  return count;
}

/* Of those with `value`, in one piece, only the largest connected set keeps it; the others get
 * `instead`. Returns the area of the largest, and that of all. */
static double keep_largest(Rings *r, uint32_t piece, uint8_t value, uint8_t instead,
                           double *out_all) {
  const SupAuto *a = r->a;
  const uint32_t n = a->mesh.vertex_count;
  uint32_t set = 0, best = SUP_NONE;
  double most = -1, all = 0;
  for (uint32_t v = 0; v < n; v++) r->sets[v] = SUP_NONE;
  for (uint32_t v = 0; v < n; v++) {
    if (a->topology.vertex_components[v] != piece) continue;
    if (r->member[v] != value || r->sets[v] != SUP_NONE) continue;
    double area;
    flood(r, v, set, value, &area);
    all += area;
    if (area > most) {
      most = area;
      best = set;
    }
    set++;
  }
  for (uint32_t v = 0; v < n; v++) {
    if (r->sets[v] != SUP_NONE && r->sets[v] != best) r->member[v] = instead;
  }
  *out_all = all;
  return most;
}

/* The rim of a hole is on one side of a ring. */
static void unify_holes(Rings *r) {
  const SupAuto *a = r->a;
  for (uint32_t h = 0; h < a->hole_count; h++) {
    const uint32_t *loop = a->topology.loop_vertices + a->holes[h].first;
    uint32_t inside = 0;
    for (uint32_t k = 0; k < a->holes[h].count; k++) inside += r->member[loop[k]] == 1;
    const bool in = 2 * inside > a->holes[h].count;
    for (uint32_t k = 0; k < a->holes[h].count; k++) r->member[loop[k]] = in;
  }
}

/* ---- Rings from weights ---------------------------------------------------------------------- */

static void gather(Rings *r, uint32_t joint, bool *below) {
  const SupAuto *a = r->a;
  const SupCharacter *c = a->def->character;
  const SupSkeleton *skeleton = &c->skeleton;
  for (uint32_t j = 0; j < skeleton->joint_count; j++) {
    below[j] = j == joint || (skeleton->parents[j] >= 0 && below[skeleton->parents[j]]);
  }
  for (uint32_t v = 0; v < a->mesh.vertex_count; v++) {
    float sum = 0;
    for (uint32_t k = c->skin.offsets[v]; k < c->skin.offsets[v + 1]; k++) {
      if (below[skeleton->bone_joints[c->skin.bones[k]]]) sum += c->skin.weights[k];
    }
    r->weights[v] = sum;
  }
  const SupRings *rings = &a->topology.rings;
  for (unsigned s = 0; s < SMOOTHINGS; s++) {
    for (uint32_t v = 0; v < a->mesh.vertex_count; v++) {
      const uint32_t first = rings->offsets[v], last = rings->offsets[v + 1];
      float sum = 0;
      for (uint32_t k = first; k < last; k++) sum += r->weights[rings->neighbours[k]];
      const float mean = last > first ? sum / (float)(last - first) : r->weights[v];
      r->other[v] = 0.5f * (r->weights[v] + mean);
    }
    float *swapped = r->weights;
    r->weights = r->other;
    r->other = swapped;
  }
}

/* Length and middle of the line around the members. */
static double line_around(const Rings *r, SupVec3d *out_centre) {
  const SupAuto *a = r->a;
  double length = 0;
  SupVec3d sum = {0, 0, 0};
  for (uint32_t f = 0; f < a->mesh.triangle_count; f++) {
    const uint32_t *c = a->mesh.triangles + 3 * (size_t)f;
    SupVec3d p[3];
    unsigned count = 0;
    for (unsigned k = 0; k < 3; k++) {
      const uint32_t v = c[k], w = c[(k + 1) % 3];
      if ((r->member[v] == 1) == (r->member[w] == 1)) continue;
      p[count++] = sup_auto_place(a, a->mesh.vertex_count + a->topology.half_edge_edges[3 * f + k]);
    }
    if (count != 2) continue;
    const double one = sup_vec3d_distance(p[0], p[1]);
    length += one;
    sum = sup_vec3d_add_scaled(sum, sup_vec3d_add(p[0], p[1]), one / 2);
  }
  *out_centre = length > 0 ? sup_vec3d_scale(sum, 1 / length) : sum;
  return length;
}

/* Where the weights are `level` on the edges that leave the members. */
static void place_line(Rings *r, float level) {
  SupAuto *a = r->a;
  for (uint32_t e = 0; e < a->topology.edge_count; e++) {
    const uint32_t v = a->topology.edges[2 * (size_t)e], w = a->topology.edges[2 * (size_t)e + 1];
    if ((r->member[v] == 1) == (r->member[w] == 1)) continue;
    const float p = r->weights[v], q = r->weights[w];
    const bool between = (p - level) * (q - level) < 0;
    double t = between ? (double)((level - p) / (q - p)) : 0.5;
    a->slides[e] = t < 0.15 ? 0.15 : t > 0.85 ? 0.85 : t;
  }
}

static uint32_t region_above(const Rings *r, uint32_t joint, uint32_t piece) {
  const SupAuto *a = r->a;
  const uint32_t pieces = a->topology.component_count;
  int32_t j = a->def->character->skeleton.parents[joint];
  for (; j >= 0; j = a->def->character->skeleton.parents[j]) {
    const uint32_t region = r->found[(size_t)j * pieces + piece];
    if (region != SUP_NONE) return region;
  }
  for (uint32_t k = 0; k < a->region_count; k++) {
    if (a->regions[k].kind == SUP_RING_PIECE && a->regions[k].piece == piece) return k;
  }
  return SUP_NONE;
}

static bool has_rings(const SupAuto *a, uint32_t region) {
  for (uint32_t k = 0; k < a->region_count; k++) {
    if (!a->regions[k].dropped && a->regions[k].parent == region) return true;
  }
  return false;
}

/* Members become a region, unless the ring around them is none of a limb. */
static SupResult add_ring(Rings *r, uint32_t joint, uint32_t piece, uint32_t parent) {
  SupAuto *a = r->a;
  double all;
  unify_holes(r);
  if (keep_largest(r, piece, 1, 0, &all) < LEAST * a->area) return SUP_OK;
  keep_largest(r, piece, 0, 1, &all);
  double area = 0;
  for (uint32_t v = 0; v < a->mesh.vertex_count; v++) {
    if (r->member[v] != 1) continue;
    if (a->labels[v] != parent) return SUP_OK; /* it would go around another ring */
    area += a->areas[v];
  }
  if (a->piece_areas[piece] - area < LEAST_REST * a->piece_areas[piece]) return SUP_OK;
  SupVec3d centre;
  place_line(r, 0.5f);
  const double length = line_around(r, &centre);
  const SupRegion *above = &a->regions[parent];
  if (4 * PI * area < TUBE * length * length) return SUP_OK;
  if (above->kind == SUP_RING_JOINT) {
    const double least = (length < above->ring.length ? length : above->ring.length) / (2 * PI);
    if (sup_vec3d_distance(centre, above->ring.centre) < APART * least) {
      if (length > TIGHTER * above->ring.length || has_rings(a, parent)) return SUP_OK;
      r->found[(size_t)above->joint * a->topology.component_count + piece] = SUP_NONE;
      const uint32_t loose = parent;
      parent = above->parent;
      sup_auto_drop(a, loose);
    }
  }
  const uint32_t region =
      sup_auto_add_region(a, (SupRegion){.kind = SUP_RING_JOINT,
                                         .parent = parent,
                                         .piece = piece,
                                         .joint = joint,
                                         .ring = {.centre = centre, .length = length}});
  if (region == SUP_NONE) return sup_fail_memory(a->error, NULL);
  r->found[(size_t)joint * a->topology.component_count + piece] = region;
  for (uint32_t v = 0; v < a->mesh.vertex_count; v++) {
    if (r->member[v] == 1) a->labels[v] = region;
  }
  return SUP_OK;
}

static SupResult joint_rings(Rings *r, double *areas, bool *below) {
  SupAuto *a = r->a;
  const uint32_t pieces = a->topology.component_count, n = a->mesh.vertex_count;
  SupResult result = SUP_OK;
  for (uint32_t j = 0; j < a->def->character->skeleton.joint_count; j++) {
    gather(r, j, below);
    for (uint32_t p = 0; p < pieces; p++) areas[p] = 0;
    for (uint32_t v = 0; v < n; v++) {
      if (a->labels[v] != SUP_NONE && r->weights[v] > 0.5f) {
        areas[a->topology.vertex_components[v]] += a->areas[v];
      }
    }
    for (uint32_t p = 0; p < pieces && result == SUP_OK; p++) {
      if (a->piece_kinds[p] != SUP_PIECE_FLESH || areas[p] < LEAST * a->area) continue;
      const uint32_t parent = region_above(r, j, p);
      for (uint32_t v = 0; v < n; v++) {
        r->member[v] = a->labels[v] == parent && r->weights[v] > 0.5f;
      }
      result = add_ring(r, j, p, parent);
    }
    if (result != SUP_OK) return result;
  }
  return SUP_OK;
}

static SupResult begin(Rings *r) {
  SupAuto *a = r->a;
  const uint32_t n = a->mesh.vertex_count, pieces = a->topology.component_count;
  const size_t pairs = (size_t)a->def->character->skeleton.joint_count * pieces;
  r->weights = SUP_ALLOC(a->scratch, float, n);
  r->other = SUP_ALLOC(a->scratch, float, n);
  r->member = SUP_ALLOC(a->scratch, uint8_t, n);
  r->queue = SUP_ALLOC(a->scratch, uint32_t, n);
  r->sets = SUP_ALLOC(a->scratch, uint32_t, n);
  r->found = SUP_ALLOC(a->scratch, uint32_t, pairs);
  a->labels = SUP_ALLOC(a->scratch, uint32_t, n);
  if (!r->weights || !r->other || !r->member || !r->queue || !r->sets || !r->found || !a->labels) {
    return sup_fail_memory(a->error, NULL);
  }
  for (size_t k = 0; k < pairs; k++) r->found[k] = SUP_NONE;
  for (uint32_t v = 0; v < n; v++) a->labels[v] = SUP_NONE;
  for (uint32_t p = 0; p < pieces; p++) {
    if (a->piece_kinds[p] != SUP_PIECE_FLESH) continue;
    const uint32_t region = sup_auto_add_region(
        a, (SupRegion){.kind = SUP_RING_PIECE, .parent = SUP_NONE, .piece = p, .joint = SUP_NONE});
    if (region == SUP_NONE) return sup_fail_memory(a->error, NULL);
    for (uint32_t v = 0; v < n; v++) {
      if (a->topology.vertex_components[v] == p) a->labels[v] = region;
    }
  }
  return SUP_OK;
}

SupResult sup_auto_rings(SupAuto *a) {
  Rings r = {.a = a};
  double *areas = SUP_ALLOC(a->scratch, double, a->topology.component_count);
  bool *below = SUP_ALLOC(a->scratch, bool, a->def->character->skeleton.joint_count);
  if (!areas || !below) return sup_fail_memory(a->error, NULL);
  SupResult result = begin(&r);
  return result == SUP_OK ? joint_rings(&r, areas, below) : result;
}

/* ---- A region below others ------------------------------------------------------------------- */

SupResult sup_auto_cut_region(SupAuto *a, uint32_t parent, const float *heights, float level,
                              double least, SupRegion region, uint32_t *out_region) {
  SupArena scratch = sup_scratch(a->scratch);
  const uint32_t n = a->mesh.vertex_count;
  Rings r = {.a = a};
  *out_region = SUP_NONE;
  r.weights = SUP_COPY(&scratch, float, heights, n);
  r.member = SUP_ALLOC(&scratch, uint8_t, n);
  r.queue = SUP_ALLOC(&scratch, uint32_t, n);
  r.sets = SUP_ALLOC(&scratch, uint32_t, n);
  SupResult result = SUP_OK;
  if (!r.weights || !r.member || !r.queue || !r.sets) {
    result = sup_fail_memory(a->error, NULL);
    goto done;
  }
  double all, rest, area = 0;
  for (uint32_t v = 0; v < n; v++) {
    const bool in = a->labels[v] == parent;
    r.member[v] = in ? heights[v] > level
                     : a->labels[v] != SUP_NONE && sup_auto_below(a, a->labels[v], parent);
  }
  unify_holes(&r);
  const double most = keep_largest(&r, region.piece, 1, 0, &all);
  const double other = keep_largest(&r, region.piece, 0, 1, &rest);
  if (most < least * all || other < least * rest) goto done;
  for (uint32_t v = 0; v < n; v++) {
    if (a->labels[v] == parent && r.member[v] == 1) area += a->areas[v];
    if (a->labels[v] != parent && a->labels[v] != SUP_NONE && r.member[v] != 1 &&
        sup_auto_below(a, a->labels[v], parent)) {
      goto done; /* it would cut a ring */
    }
  }
  if (!(area > 0)) goto done;
  place_line(&r, level);
  region.parent = parent;
  region.ring.length = line_around(&r, &region.ring.centre);
  const uint32_t added = sup_auto_add_region(a, region);
  if (added == SUP_NONE) {
    result = sup_fail_memory(a->error, NULL);
    goto done;
  }
  for (uint32_t k = 0; k < added; k++) {
    if (a->regions[k].parent == parent && !a->regions[k].dropped) a->regions[k].parent = added;
  }
  for (uint32_t v = 0; v < n; v++) {
    if (a->labels[v] == parent && r.member[v] == 1) a->labels[v] = added;
  }
  set_depths(a);
  *out_region = added;
done:
  sup_arena_free(&scratch);
  return result;
}

/* ---- Room between rings ---------------------------------------------------------------------- */

static void relabel(SupAuto *a, uint32_t v, uint32_t label) {
  const uint32_t hole = a->hole_of[v];
  a->labels[v] = label;
  if (hole == SUP_NONE) return;
  const uint32_t *loop = a->topology.loop_vertices + a->holes[hole].first;
  for (uint32_t k = 0; k < a->holes[hole].count; k++) a->labels[loop[k]] = label;
}

/* An edge leads to the next region at most: where it would cross two rings, the inner one gives
 * way. */
static bool give_room(SupAuto *a) {
  bool changed = false;
  for (uint32_t e = 0; e < a->topology.edge_count; e++) {
    uint32_t v = a->topology.edges[2 * (size_t)e], w = a->topology.edges[2 * (size_t)e + 1];
    const uint32_t p = a->labels[v], q = a->labels[w];
    if (p == q || p == SUP_NONE || q == SUP_NONE) continue;
    const SupRegion *x = &a->regions[p], *y = &a->regions[q];
    if (x->parent == q || y->parent == p) continue;
    const bool first = x->depth > y->depth || (x->depth == y->depth && x->area < y->area);
    relabel(a, first ? v : w, first ? x->parent : y->parent);
    changed = true;
  }
  return changed;
}

/* What a region and all below it are is connected, and so is the rest of the piece. */
static bool clean(Rings *r, uint32_t region) {
  SupAuto *a = r->a;
  double all;
  bool changed = false;
  for (uint32_t v = 0; v < a->mesh.vertex_count; v++) {
    r->member[v] = a->labels[v] != SUP_NONE && sup_auto_below(a, a->labels[v], region);
  }
  keep_largest(r, a->regions[region].piece, 1, 0, &all);
  keep_largest(r, a->regions[region].piece, 0, 1, &all);
  for (uint32_t v = 0; v < a->mesh.vertex_count; v++) {
    if (a->labels[v] == SUP_NONE) continue;
    const bool below = sup_auto_below(a, a->labels[v], region);
    if (below == (r->member[v] == 1)) continue;
    a->labels[v] = below ? a->regions[region].parent : region;
    changed = true;
  }
  return changed;
}

static void measure_regions(SupAuto *a) {
  for (uint32_t k = 0; k < a->region_count; k++) a->regions[k].area = 0;
  for (uint32_t v = 0; v < a->mesh.vertex_count; v++) {
    for (uint32_t k = a->labels[v]; k != SUP_NONE; k = a->regions[k].parent) {
      a->regions[k].area += a->areas[v];
    }
  }
}

SupResult sup_auto_settle(SupAuto *a) {
  SupArena scratch = sup_scratch(a->scratch);
  const uint32_t n = a->mesh.vertex_count;
  Rings r = {.a = a};
  r.member = SUP_ALLOC(&scratch, uint8_t, n);
  r.queue = SUP_ALLOC(&scratch, uint32_t, n);
  r.sets = SUP_ALLOC(&scratch, uint32_t, n);
  SupResult result = SUP_OK;
  bool changed = true;
  measure_regions(a);
  if (!r.member || !r.queue || !r.sets) result = sup_fail_memory(a->error, NULL);
  for (uint32_t k = 0; result == SUP_OK && changed && k < SETTLINGS; k++) {
    changed = false;
    while (give_room(a)) changed = true;
    for (uint32_t region = 0; region < a->region_count; region++) {
      const SupRegion *at = &a->regions[region];
      if (at->dropped || at->kind == SUP_RING_PIECE) continue;
      if (clean(&r, region)) changed = true;
    }
  }
  measure_regions(a);
  sup_arena_free(&scratch);
  return result;
}
