/* SPDX-License-Identifier: MIT */
/*
 * Regions between boundaries, and which of them are patches (docs/patches.md).
 *
 * Regions are sets of triangles connected through edges that no boundary runs along. Walls are the
 * half-edges at their border; from wall to wall around the region's own triangles they form loops.
 */
#include "supple/author/patches.h"

#include "base/scratch.h"
#include "base/union_find.h"
#include "patches_work.h"

typedef struct Regions {
  const SupPatchesDef *def;
  SupArena *arena, *scratch;
  SupError *error;
  const SupPatchCut *cut;
  SupTopology topology; /* of the cut mesh */
  uint32_t *marks;      /* [edge_count] segment of each edge, or SUP_NONE */
  uint32_t *feature_at; /* [vertex_count] feature, or SUP_NONE */
  uint32_t *sets;       /* [triangle_count] region of each, numbered from 0 */
  uint32_t region_count;
  uint32_t *first_walls;     /* [region_count] a wall of each, or SUP_NONE */
  uint32_t *wall_counts;     /* [region_count] */
  uint32_t *triangle_counts; /* [region_count] */
  double *areas;             /* [region_count] */
  uint32_t *named;           /* [region_count] patch of each, or SUP_NONE */
} Regions;

static uint32_t next_of(uint32_t h) { return h % 3 == 2 ? h - 2 : h + 1; }

static bool is_wall(const Regions *r, uint32_t h) {
  return r->topology.twins[h] == SUP_NONE || r->marks[r->topology.half_edge_edges[h]] != SUP_NONE;
}

static uint32_t next_wall(const Regions *r, uint32_t h) {
  uint32_t g = next_of(h);
  while (!is_wall(r, g)) g = next_of(r->topology.twins[g]);
  return g;
}

/* As bytes: below 0 if a comes first. */
static int name_order(const char *a, const char *b) {
  while (*a && *a == *b) a++, b++;
  return (int)(unsigned char)*a - (int)(unsigned char)*b;
}

/* ---- Regions -------------------------------------------------------------------------------- */

static SupResult mark_edges(Regions *r) {
  const SupPatchesDef *def = r->def;
  r->marks = SUP_ALLOC(r->scratch, uint32_t, r->topology.edge_count);
  r->feature_at = SUP_ALLOC(r->scratch, uint32_t, r->cut->mesh.vertex_count);
  if (!r->marks || !r->feature_at) return sup_fail_memory(r->error, NULL);
  for (uint32_t e = 0; e < r->topology.edge_count; e++) r->marks[e] = SUP_NONE;
  for (uint32_t v = 0; v < r->cut->mesh.vertex_count; v++) r->feature_at[v] = SUP_NONE;
  for (uint32_t k = 0; k < def->feature_count; k++) {
    const uint32_t v = r->cut->features[k];
    if (v != SUP_NONE) r->feature_at[v] = k;
  }
  for (uint32_t k = 0; k < r->cut->segment_count; k++) {
    const SupPatchSegment *s = &r->cut->segments[k];
    const uint32_t e = sup_edge_between(&r->topology, s->from, s->to);
    const SupPatchBoundary *b = &def->boundaries[s->boundary];
    if (e == SUP_NONE || r->marks[e] != SUP_NONE) {
      const uint32_t other = e == SUP_NONE ? s->boundary : r->cut->segments[r->marks[e]].boundary;
      return sup_patch_prefix(def->source, b->line,
                              sup_fail(r->error, SUP_ERROR_FORMAT, "boundary '%s' runs along '%s'",
                                       b->name, def->boundaries[other].name),
                              r->error);
    }
    r->marks[e] = k;
  }
  return SUP_OK;
}

static SupResult find_regions(Regions *r) {
  const SupMesh *mesh = &r->cut->mesh;
  const uint32_t triangles = mesh->triangle_count;
  r->sets = SUP_ALLOC(r->scratch, uint32_t, triangles);
  uint32_t *numbers = SUP_ALLOC(r->scratch, uint32_t, triangles);
  if (!r->sets || !numbers) return sup_fail_memory(r->error, NULL);
  sup_union_find_init(r->sets, triangles);
  for (uint32_t h = 0; h < 3 * triangles; h++) {
    if (!is_wall(r, h)) sup_union_find_join(r->sets, h / 3, r->topology.twins[h] / 3);
  }
  for (uint32_t f = 0; f < triangles; f++) {
    const uint32_t root = sup_union_find_root(r->sets, f);
    numbers[f] = root == f ? r->region_count++ : numbers[root];
  }
  r->sets = numbers;
  r->first_walls = SUP_ALLOC(r->scratch, uint32_t, r->region_count);
  r->wall_counts = SUP_ALLOC(r->scratch, uint32_t, r->region_count);
  r->triangle_counts = SUP_ALLOC(r->scratch, uint32_t, r->region_count);
  r->areas = SUP_ALLOC(r->scratch, double, r->region_count);
  r->named = SUP_ALLOC(r->scratch, uint32_t, r->region_count);
  if (!r->first_walls || !r->wall_counts || !r->triangle_counts || !r->areas || !r->named) {
    return sup_fail_memory(r->error, NULL);
  }
  for (uint32_t k = 0; k < r->region_count; k++) r->first_walls[k] = r->named[k] = SUP_NONE;
  for (uint32_t h = 3 * triangles; h-- > 0;) {
    if (!is_wall(r, h)) continue;
    r->first_walls[r->sets[h / 3]] = h;
    r->wall_counts[r->sets[h / 3]]++;
  }
  for (uint32_t f = 0; f < triangles; f++) {
    const uint32_t *c = mesh->triangles + 3 * (size_t)f;
    SupVec3d p[3];
    for (unsigned k = 0; k < 3; k++) {
      p[k] = sup_skin_point_place(&r->def->mesh, r->cut->points[c[k]]);
    }
    const SupVec3d u = sup_vec3d_sub(p[1], p[0]), v = sup_vec3d_sub(p[2], p[0]);
    r->triangle_counts[r->sets[f]]++;
    r->areas[r->sets[f]] += sup_vec3d_length(sup_vec3d_cross(u, v)) / 2;
  }
  return SUP_OK;
}

/* ---- Patches -------------------------------------------------------------------------------- */

/* Why a region is no patch; NULL: it is one, with its sides. */
typedef struct Border {
  const char *fault;
  const char *at; /* a name for the fault, or NULL */
  uint32_t start; /* a wall that leaves a feature */
  uint32_t side_count;
} Border;

/* Vertices of a region, a vertex that several of its fans meet in counted once for each: from
 * Euler's formula for a disc, triangles + walls = 2 (vertices - 1) where the loop is one. */
static uint32_t inner_vertices(const Regions *r, uint32_t region, uint8_t *seen) {
  const SupMesh *mesh = &r->cut->mesh;
  uint32_t count = 0;
  for (uint32_t h = 0; h < 3 * mesh->triangle_count; h++) {
    if (r->sets[h / 3] == region && is_wall(r, h)) seen[mesh->triangles[h]] = 1;
  }
  for (uint32_t h = 0; h < 3 * mesh->triangle_count; h++) {
    const uint32_t v = mesh->triangles[h];
    if (r->sets[h / 3] != region || seen[v]) continue;
    seen[v] = 1;
    count++;
  }
  for (uint32_t h = 0; h < 3 * mesh->triangle_count; h++) {
    if (r->sets[h / 3] == region) seen[mesh->triangles[h]] = 0;
  }
  return count;
}

static Border border_of(const Regions *r, uint32_t region, uint8_t *seen) {
  const SupPatchesDef *def = r->def;
  Border border = {.start = SUP_NONE};
  const uint32_t first = r->first_walls[region];
  if (first == SUP_NONE) return (Border){.fault = "has no border"};
  uint32_t steps = 0, features = 0;
  uint32_t h = first;
  do {
    const uint32_t mark = r->marks[r->topology.half_edge_edges[h]];
    const uint32_t feature = r->feature_at[r->cut->mesh.triangles[h]];
    if (mark == SUP_NONE) {
      return (Border){.fault =
                          "reaches an open border of the skin; a boundary with \"kind\": "
                          "\"rim\" goes along it"};
    }
    const uint32_t twin = r->topology.twins[h];
    if (twin != SUP_NONE && r->sets[twin / 3] == region) {
      return (Border){.fault = "lies on both sides of boundary",
                      .at = def->boundaries[r->cut->segments[mark].boundary].name};
    }
    if (feature != SUP_NONE) {
      features++;
      const uint32_t best =
          border.start == SUP_NONE ? SUP_NONE : r->feature_at[r->cut->mesh.triangles[border.start]];
      if (best == SUP_NONE ||
          name_order(def->features[feature].name, def->features[best].name) < 0) {
        border.start = h;
      }
    }
    steps++;
    h = next_wall(r, h);
  } while (h != first && steps <= r->wall_counts[region]);
  border.side_count = features;
  if (steps != r->wall_counts[region]) return (Border){.fault = "has holes: it is no disc"};
  /* A disc: triangles = 2 inner vertices + walls - 2. */
  if (r->triangle_counts[region] + 2 != 2 * inner_vertices(r, region, seen) + steps) {
    return (Border){.fault = "is no disc: it has a handle or touches itself"};
  }
  if (features < 3) return (Border){.fault = "has fewer than three features"};
  return border;
}

static SupResult fill_patch(Regions *r, uint32_t region, const Border *border, SupPatch *patch) {
  const uint32_t walls = r->wall_counts[region];
  SupPatchSide *sides = SUP_ALLOC(r->arena, SupPatchSide, border->side_count);
  uint32_t *corners = SUP_ALLOC(r->arena, uint32_t, border->side_count + 1);
  uint32_t *loop = SUP_ALLOC(r->arena, uint32_t, walls);
  uint32_t *triangles = SUP_ALLOC(r->arena, uint32_t, r->triangle_counts[region]);
  if (!sides || !corners || !loop || !triangles) return sup_fail_memory(r->error, NULL);
  uint32_t h = border->start, side = 0, count = 0;
  for (uint32_t k = 0; k < walls; k++) {
    const uint32_t v = r->cut->mesh.triangles[h];
    const SupPatchSegment *s = &r->cut->segments[r->marks[r->topology.half_edge_edges[h]]];
    if (r->feature_at[v] != SUP_NONE) {
      sides[side] = (SupPatchSide){s->boundary, s->from != v};
      corners[side++] = k;
    }
    loop[k] = v;
    h = next_wall(r, h);
  }
  corners[side] = walls;
  for (uint32_t f = 0; f < r->cut->mesh.triangle_count; f++) {
    if (r->sets[f] == region) triangles[count++] = f;
  }
  patch->side_count = side;
  patch->sides = sides;
  patch->corners = corners;
  patch->loop_count = walls;
  patch->loop = loop;
  patch->triangle_count = count;
  patch->triangles = triangles;
  patch->area = r->areas[region];
  return SUP_OK;
}

/* Whether the region's border has just these boundaries. */
static bool has_boundaries(const Regions *r, uint32_t region, const SupPatchName *name,
                           uint32_t *counts) {
  bool same = true;
  const uint32_t first = r->first_walls[region];
  if (first == SUP_NONE) return false;
  for (uint32_t pass = 0; pass < 2; pass++) {
    for (uint32_t h = 0; h < 3 * r->cut->mesh.triangle_count; h++) {
      if (r->sets[h / 3] != region || !is_wall(r, h)) continue;
      const uint32_t mark = r->marks[r->topology.half_edge_edges[h]];
      if (mark != SUP_NONE) counts[r->cut->segments[mark].boundary] = pass ? 0 : 1;
    }
    if (pass) break;
    uint32_t found = 0, listed = 0;
    for (uint32_t b = 0; b < r->def->boundary_count; b++) found += counts[b];
    for (uint32_t k = 0; k < name->boundary_count; k++) {
      uint32_t *count = &counts[name->boundaries[k]];
      listed += *count == 1;
      if (*count == 1) *count = 2; /* each counts once */
    }
    same = found == name->boundary_count && listed == found;
  }
  return same;
}

/* The region beside a boundary: at its first segment, on either side. */
static uint32_t region_beside(const Regions *r, uint32_t boundary, bool other) {
  for (uint32_t h = 0; h < 3 * r->cut->mesh.triangle_count; h++) {
    const uint32_t mark = r->marks[r->topology.half_edge_edges[h]];
    if (mark == SUP_NONE || r->cut->segments[mark].boundary != boundary) continue;
    if (!other) return r->sets[h / 3];
    return r->topology.twins[h] == SUP_NONE ? SUP_NONE : r->sets[r->topology.twins[h] / 3];
  }
  return SUP_NONE;
}

static SupResult name_regions(Regions *r) {
  uint32_t *counts = SUP_ALLOC(r->scratch, uint32_t, r->def->boundary_count);
  uint8_t *seen = SUP_ALLOC(r->scratch, uint8_t, r->cut->mesh.vertex_count);
  if (!counts || !seen) return sup_fail_memory(r->error, NULL);
  for (uint32_t k = 0; k < r->def->name_count; k++) {
    const SupPatchName *name = &r->def->names[k];
    uint32_t found = SUP_NONE;
    /* A loop of boundaries has two sides; one that is a patch and free is meant. */
    for (uint32_t side = 0; side < 2 && name->boundary_count; side++) {
      const uint32_t region = region_beside(r, name->boundaries[0], side);
      if (region == SUP_NONE || !has_boundaries(r, region, name, counts)) continue;
      if (found == SUP_NONE || r->named[found] != SUP_NONE || border_of(r, found, seen).fault) {
        found = region;
      }
    }
    if (found == SUP_NONE || r->named[found] != SUP_NONE) {
      return sup_patch_prefix(
          r->def->source, name->line,
          sup_fail(r->error, SUP_ERROR_FORMAT,
                   found == SUP_NONE ? "no region has just the boundaries of patch '%s'"
                                     : "patch '%s' has the boundaries of another one",
                   name->name),
          r->error);
    }
    r->named[found] = k;
  }
  return SUP_OK;
}

static SupResult refuse_patch(const Regions *r, uint32_t name, const Border *border) {
  const SupPatchName *n = &r->def->names[name];
  if (border->at) {
    sup_fail(r->error, SUP_ERROR_FORMAT, "patch '%s' %s '%s'", n->name, border->fault, border->at);
  } else {
    sup_fail(r->error, SUP_ERROR_FORMAT, "patch '%s' %s", n->name, border->fault);
  }
  return sup_patch_prefix(r->def->source, n->line, SUP_ERROR_FORMAT, r->error);
}

static SupResult make_patches(Regions *r, SupPatches *out) {
  const uint32_t names = r->def->name_count;
  SupPatch *patches = SUP_ALLOC(r->arena, SupPatch, r->region_count + 1);
  uint8_t *seen = SUP_ALLOC(r->scratch, uint8_t, r->cut->mesh.vertex_count);
  uint32_t *regions = SUP_ALLOC(r->arena, uint32_t, r->cut->mesh.triangle_count);
  if (!patches || !seen || !regions) return sup_fail_memory(r->error, NULL);
  out->patch_count = names;
  for (uint32_t k = 0; k < r->region_count; k++) {
    const Border border = border_of(r, k, seen);
    const uint32_t name = r->named[k];
    if (border.fault && name != SUP_NONE) return refuse_patch(r, name, &border);
    if (border.fault) {
      out->left_out_count++;
      out->left_out_area += r->areas[k];
      continue;
    }
    const uint32_t at = name != SUP_NONE ? name : out->patch_count++;
    SupPatch *patch = &patches[at];
    patch->zone = name != SUP_NONE ? r->def->names[name].zone : "";
    patch->name = name != SUP_NONE ? r->def->names[name].name : "";
    if (name == SUP_NONE) {
      char text[32];
      const size_t length = sup_format(text, sizeof text, "patch-%u", at + 1);
      patch->name = sup_arena_string(r->arena, text, length);
      if (!patch->name) return sup_fail_memory(r->error, NULL);
    }
    r->named[k] = at;
    SupResult result = fill_patch(r, k, &border, patch);
    if (result != SUP_OK) return result;
  }
  for (uint32_t f = 0; f < r->cut->mesh.triangle_count; f++) regions[f] = r->named[r->sets[f]];
  out->regions = regions;
  out->patches = patches;
  return SUP_OK;
}

/* ---- The definition ------------------------------------------------------------------------- */

/* Every boundary meets another one at both ends, and begins and ends where its features are. */
static SupResult check_ends(const SupPatchesDef *def, SupArena *scratch, SupError *error) {
  uint32_t *degrees = SUP_ALLOC(scratch, uint32_t, def->feature_count);
  if (!degrees) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < def->boundary_count; k++) {
    degrees[def->boundaries[k].from]++;
    degrees[def->boundaries[k].to]++;
  }
  for (uint32_t k = 0; k < def->boundary_count; k++) {
    const SupPatchBoundary *b = &def->boundaries[k];
    for (unsigned end = 0; end < 2; end++) {
      const uint32_t feature = end ? b->to : b->from;
      const SupSkinPoint p = b->path.points[end ? b->path.count - 1 : 0];
      if (!sup_skin_point_same(p, def->features[feature].at)) {
        return sup_patch_prefix(def->source, b->line,
                                sup_fail(error, SUP_ERROR_FORMAT,
                                         "the path of boundary '%s' does not reach feature '%s'",
                                         b->name, def->features[feature].name),
                                error);
      }
      if (degrees[feature] > 1) continue;
      return sup_patch_prefix(
          def->source, b->line,
          sup_fail(error, SUP_ERROR_FORMAT,
                   "boundary '%s' ends at feature '%s', where no other one does", b->name,
                   def->features[feature].name),
          error);
    }
  }
  return SUP_OK;
}

SupResult sup_patches_create(SupArena *arena, const SupPatchesDef *def, SupPatches *out_patches,
                             SupError *error) {
  SupArena scratch = sup_scratch(arena);
  SupPatchCut cut = {0};
  SupPatches patches = {0};
  Regions r = {.def = def, .arena = arena, .scratch = &scratch, .error = error, .cut = &cut};
  SupResult result = check_ends(def, &scratch, error);
  if (result == SUP_OK) result = sup_patch_cut(arena, &scratch, def, &cut, error);
  if (result == SUP_OK) result = sup_topology(&scratch, &cut.mesh, &r.topology, error);
  if (result == SUP_OK) result = mark_edges(&r);
  if (result == SUP_OK) result = find_regions(&r);
  if (result == SUP_OK) result = name_regions(&r);
  if (result == SUP_OK) result = make_patches(&r, &patches);
  sup_arena_free(&scratch);
  if (result != SUP_OK) return result;
  patches.mesh = cut.mesh;
  patches.points = cut.points;
  patches.owners = cut.owners;
  patches.features = cut.features;
  patches.euler =
      (int32_t)def->feature_count - (int32_t)def->boundary_count + (int32_t)patches.patch_count;
  *out_patches = patches;
  return SUP_OK;
}

/* ---- Two characters ------------------------------------------------------------------------- */

static uint32_t find_boundary(const SupPatchesDef *def, const char *name) {
  for (uint32_t k = 0; k < def->boundary_count; k++) {
    if (name_order(def->boundaries[k].name, name) == 0) return k;
  }
  return SUP_NONE;
}

static SupResult same_boundaries(const SupPatchesDef *a, const SupPatchesDef *b, SupError *error) {
  for (uint32_t k = 0; k < a->boundary_count; k++) {
    const SupPatchBoundary *x = &a->boundaries[k];
    const uint32_t found = find_boundary(b, x->name);
    if (found == SUP_NONE) {
      return sup_fail(error, SUP_ERROR_FORMAT, "boundary '%s' is in %s, but not in %s", x->name,
                      a->source, b->source);
    }
    const SupPatchBoundary *y = &b->boundaries[found];
    const char *ends[4] = {a->features[x->from].name, a->features[x->to].name,
                           b->features[y->from].name, b->features[y->to].name};
    if (name_order(ends[0], ends[2]) == 0 && name_order(ends[1], ends[3]) == 0) continue;
    return sup_fail(error, SUP_ERROR_FORMAT,
                    "boundary '%s' runs from '%s' to '%s' in %s, but from '%s' to '%s' in %s",
                    x->name, ends[0], ends[1], a->source, ends[2], ends[3], b->source);
  }
  return SUP_OK;
}

/* Loops begin at the same feature, so sides correspond by number. */
static bool same_sides(const SupPatchesDef *def_a, const SupPatch *a, const SupPatchesDef *def_b,
                       const SupPatch *b) {
  if (a->side_count != b->side_count) return false;
  for (uint32_t k = 0; k < a->side_count; k++) {
    if (a->sides[k].backwards != b->sides[k].backwards) return false;
    if (name_order(def_a->boundaries[a->sides[k].boundary].name,
                   def_b->boundaries[b->sides[k].boundary].name) != 0) {
      return false;
    }
  }
  return true;
}

/* The patch with the sides of `patch`, or SUP_NONE. */
static uint32_t find_same(const SupPatchesDef *def, const SupPatch *patch,
                          const SupPatchesDef *def_in, const SupPatches *in) {
  for (uint32_t k = 0; k < in->patch_count; k++) {
    if (same_sides(def, patch, def_in, &in->patches[k])) return k;
  }
  return SUP_NONE;
}

uint32_t sup_patches_match(const SupPatchesDef *def_to, const SupPatches *to,
                           const SupPatchesDef *def_from, const SupPatches *from,
                           uint32_t *out_patches) {
  uint32_t count = 0;
  for (uint32_t k = 0; k < to->patch_count; k++) {
    out_patches[k] = find_same(def_to, &to->patches[k], def_from, from);
    count += out_patches[k] != SUP_NONE;
  }
  return count;
}

SupResult sup_patches_isomorphic(const SupPatchesDef *def_a, const SupPatches *a,
                                 const SupPatchesDef *def_b, const SupPatches *b, SupError *error) {
  SupResult result = same_boundaries(def_a, def_b, error);
  if (result == SUP_OK) result = same_boundaries(def_b, def_a, error);
  for (uint32_t k = 0; k < a->patch_count && result == SUP_OK; k++) {
    if (find_same(def_a, &a->patches[k], def_b, b) != SUP_NONE) continue;
    return sup_fail(error, SUP_ERROR_FORMAT, "no patch of %s has the sides of '%s' of %s",
                    def_b->source, a->patches[k].name, def_a->source);
  }
  if (result == SUP_OK && a->patch_count != b->patch_count) {
    return sup_fail(error, SUP_ERROR_FORMAT, "%s has %u patches, %s has %u", def_a->source,
                    a->patch_count, def_b->source, b->patch_count);
  }
  return result;
}
