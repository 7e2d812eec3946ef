/* SPDX-License-Identifier: MIT */
/*
 * Welding with two hashed grids, safe also where thousands of vertices lie within the tolerance.
 *
 * The fine grid's cells have half the tolerance as edge, so their diagonal (0.87 of it) is shorter
 * than the tolerance: all vertices of one group in one cell are one vertex without looking. Such a
 * crowd is a *node*. Two nodes are compared vertex by vertex only while they are not yet connected;
 * the coarse grid (16 fine cells wide) says which nodes are near.
 *
 * Cell numbers are doubles with integer values. Where a coordinate is so large that its cell number
 * passes 2^53, neighbouring floats are millions of cells apart, so only equal coordinates can
 * share a cell: rounding there does no harm.
 */
#include "supple/geom/weld.h"

#include "base/scratch.h"
#include "base/union_find.h"

#define COARSE 16.0

/* Comparisons that may be made in all. Vertices of one group never need many; where thousands of
 * groups lie at one place, each pair of groups is looked at. */
#define ROOM_LEAST ((uint64_t)300000000)
#define ROOM_EACH ((uint64_t)100)

/* Fine cells apart that two vertices within the tolerance can be: 2, and 1 for rounding. */
#define REACH 3.0

/* Slots of an open-addressing hash table for `count` keys: a power of two, at most half full. */
static size_t slots_for(uint32_t count) {
  size_t size = 16;
  while (size < 2 * (size_t)count) size *= 2;
  return size;
}

/* A 64-bit mixer (the finaliser of MurmurHash3, Appleby), for tables of small integer keys. */
static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdu;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53u;
  return x ^ (x >> 33);
}

typedef struct Cell {
  double x, y, z;
} Cell;

typedef struct Welder {
  const SupWeldDef *def;
  double inverse_cell; /* 1 / edge of a fine cell */
  double tolerance_2;  /* squared */
  uint32_t *parents;   /* [vertex_count] union-find; a root is the lowest of its set */
  uint32_t *next;      /* [vertex_count] next vertex of the same node, or SUP_NONE */
  uint32_t node_count; /* nodes are numbered by their first vertex */
  uint32_t *firsts;    /* [node_count] lowest vertex of each node */
  uint32_t *lasts;     /* [node_count] highest so far */
  uint32_t *beside;    /* [node_count] next node of the same coarse cell, or SUP_NONE */
  uint32_t *table;     /* [table_size] node + 1, or 0; first of fine, then of coarse cells */
  size_t table_size;   /* power of two */
  uint32_t refused;
  uint64_t room; /* comparisons that may still be made */
} Welder;

static double floor_of(double x) {
  if (!(x > -4503599627370496.0 && x < 4503599627370496.0)) return x; /* 2^52: already whole */
  double whole = (double)(int64_t)x;
  return whole > x ? whole - 1 : whole;
}

static Cell fine_cell(const Welder *welder, uint32_t v) {
  SupVec3 p = welder->def->positions[v];
  double s = welder->inverse_cell;
  /* + 0.0 turns -0 into 0: the bits are hashed. */
  return (Cell){floor_of((double)p.x * s) + 0.0, floor_of((double)p.y * s) + 0.0,
                floor_of((double)p.z * s) + 0.0};
}

static Cell coarse_cell(Cell fine) {
  return (Cell){floor_of(fine.x / COARSE) + 0.0, floor_of(fine.y / COARSE) + 0.0,
                floor_of(fine.z / COARSE) + 0.0};
}

static bool same_cell(Cell a, Cell b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static size_t cell_slot(const Welder *welder, Cell cell, uint32_t group) {
  return (size_t)sup_hash(&cell, sizeof cell, group) & (welder->table_size - 1);
}

static uint32_t group_of(const Welder *welder, uint32_t v) {
  return welder->def->groups ? welder->def->groups[v] : 0;
}

static double distance_2(SupVec3 a, SupVec3 b) {
  SupVec3d gap = sup_vec3d_sub(sup_vec3_to_double(a), sup_vec3_to_double(b));
  return sup_vec3d_dot(gap, gap);
}

/* Puts every vertex into the node of its fine cell and group. */
static void make_nodes(Welder *welder) {
  for (uint32_t v = 0; v < welder->def->vertex_count; v++) {
    Cell cell = fine_cell(welder, v);
    uint32_t group = group_of(welder, v);
    size_t slot = cell_slot(welder, cell, group);
    welder->parents[v] = v;
    welder->next[v] = SUP_NONE;
    for (;; slot = (slot + 1) & (welder->table_size - 1)) {
      uint32_t node = welder->table[slot];
      if (!node) {
        welder->firsts[welder->node_count] = v;
        welder->lasts[welder->node_count] = v;
        welder->table[slot] = ++welder->node_count;
        break;
      }
      uint32_t first = welder->firsts[--node];
      if (group_of(welder, first) == group && same_cell(fine_cell(welder, first), cell)) {
        welder->parents[v] = first;
        welder->next[welder->lasts[node]] = v;
        welder->lasts[node] = v;
        break;
      }
    }
  }
}

/* Joins the sets of two nodes if they belong together. */
static void compare_nodes(Welder *welder, uint32_t node_a, uint32_t node_b) {
  const SupWeldDef *def = welder->def;
  uint32_t first_a = welder->firsts[node_a], first_b = welder->firsts[node_b];
  if (sup_union_find_root(welder->parents, first_a) ==
      sup_union_find_root(welder->parents, first_b))
    return;
  bool ask = group_of(welder, first_a) != group_of(welder, first_b);
  if (ask && !def->may_merge) return;
  for (uint32_t a = first_a; a != SUP_NONE; a = welder->next[a]) {
    for (uint32_t b = first_b; b != SUP_NONE && welder->room; b = welder->next[b]) {
      welder->room--;
      if (distance_2(def->positions[a], def->positions[b]) > welder->tolerance_2) continue;
      if (ask && !def->may_merge(def->user, a < b ? a : b, a < b ? b : a)) {
        welder->refused++;
      } else {
        sup_union_find_join(welder->parents, a, b);
      }
      return;
    }
  }
}

/* The slot of the coarse table that holds `cell`, or the empty one where it belongs. */
static size_t find_coarse(const Welder *welder, Cell cell) {
  size_t slot = cell_slot(welder, cell, 0);
  for (;; slot = (slot + 1) & (welder->table_size - 1)) {
    uint32_t node = welder->table[slot];
    if (!node) return slot;
    uint32_t first = welder->firsts[node - 1];
    if (same_cell(coarse_cell(fine_cell(welder, first)), cell)) return slot;
  }
}

static bool out_of_reach(double a, double b) { return a - b > REACH || b - a > REACH; }

/* Compares `node` with the nodes before it in one coarse cell. */
static void compare_with_cell(Welder *welder, uint32_t node, Cell fine, Cell coarse) {
  uint32_t other = welder->table[find_coarse(welder, coarse)];
  for (other = other ? other - 1 : SUP_NONE; other != SUP_NONE && welder->room;
       other = welder->beside[other]) {
    welder->room--;
    Cell cell = fine_cell(welder, welder->firsts[other]);
    if (out_of_reach(cell.x, fine.x) || out_of_reach(cell.y, fine.y) ||
        out_of_reach(cell.z, fine.z)) {
      continue;
    }
    compare_nodes(welder, other, node);
  }
}

/* Enters the nodes into the coarse grid one by one, each after a look at those already there. */
static void connect_nodes(Welder *welder) {
  for (uint32_t node = 0; node < welder->node_count; node++) {
    Cell fine = fine_cell(welder, welder->firsts[node]);
    Cell low = coarse_cell((Cell){fine.x - REACH, fine.y - REACH, fine.z - REACH});
    Cell high = coarse_cell((Cell){fine.x + REACH, fine.y + REACH, fine.z + REACH});
    for (unsigned corner = 0; corner < 8; corner++) {
      if (((corner & 1) && high.x == low.x) || ((corner & 2) && high.y == low.y) ||
          ((corner & 4) && high.z == low.z)) {
        continue;
      }
      Cell coarse = {corner & 1 ? high.x : low.x, corner & 2 ? high.y : low.y,
                     corner & 4 ? high.z : low.z};
      compare_with_cell(welder, node, fine, coarse);
    }
    size_t slot = find_coarse(welder, coarse_cell(fine));
    welder->beside[node] = welder->table[slot] ? welder->table[slot] - 1 : SUP_NONE;
    welder->table[slot] = node + 1;
  }
}

/* Numbers the sets and writes the report. `sizes` [vertex_count] is zeroed. */
static void number_sets(Welder *welder, uint32_t *sizes, uint32_t *map, uint32_t *representatives,
                        SupWeld *weld) {
  const SupVec3 *positions = welder->def->positions;
  double farthest_2 = 0;
  for (uint32_t v = 0; v < welder->def->vertex_count; v++) {
    uint32_t root = sup_union_find_root(welder->parents, v);
    if (root == v) {
      representatives[weld->welded_count] = v;
      map[v] = weld->welded_count++;
    }
    map[v] = map[root];
    if (++sizes[root] > weld->largest_set) weld->largest_set = sizes[root];
    double d = distance_2(positions[v], positions[root]);
    if (d > farthest_2) farthest_2 = d;
  }
  weld->farthest = (float)sup_sqrt(farthest_2);
  weld->refused = welder->refused;
  weld->map = map;
  weld->representatives = representatives;
}

static bool is_finite(float x) { return x - x == 0; }

static SupResult check_def(const SupWeldDef *def, SupError *error) {
  if (!is_finite(def->tolerance) || def->tolerance < 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "the weld tolerance is %g; it must be zero or a positive number",
                    (double)def->tolerance);
  }
  for (uint32_t v = 0; v < def->vertex_count; v++) {
    SupVec3 p = def->positions[v];
    if (!is_finite(p.x) || !is_finite(p.y) || !is_finite(p.z)) {
      return sup_fail(error, SUP_ERROR_FORMAT,
                      "the position of vertex %u is not finite; repair the mesh", v);
    }
  }
  return SUP_OK;
}

SupResult sup_weld(SupArena *arena, const SupWeldDef *def, SupWeld *out_weld, SupError *error) {
  SupResult result = check_def(def, error);
  if (result != SUP_OK) return result;
  uint32_t count = def->vertex_count;
  /* Different floats are at least 1.4e-45 apart: less than that means equal. */
  double tolerance = def->tolerance > 0 ? (double)def->tolerance : 1e-46;
  SupWeld weld = {0};
  SupArena scratch = sup_scratch(arena);
  Welder welder = {.def = def,
                   .inverse_cell = 2 / tolerance,
                   .tolerance_2 = tolerance * tolerance,
                   .table_size = slots_for(count),
                   .room = ROOM_LEAST + ROOM_EACH * count};
  welder.parents = SUP_ALLOC(&scratch, uint32_t, count);
  welder.next = SUP_ALLOC(&scratch, uint32_t, count);
  welder.firsts = SUP_ALLOC(&scratch, uint32_t, count);
  welder.lasts = SUP_ALLOC(&scratch, uint32_t, count);
  welder.table = SUP_ALLOC(&scratch, uint32_t, welder.table_size);
  uint32_t *map = SUP_ALLOC(arena, uint32_t, count);
  uint32_t *representatives = SUP_ALLOC(arena, uint32_t, count);
  if (!welder.parents || !welder.next || !welder.firsts || !welder.lasts || !welder.table || !map ||
      !representatives) {
    result = sup_fail_memory(error, "welding");
    goto done;
  }
  make_nodes(&welder);
  sup_zero(welder.table, welder.table_size * sizeof *welder.table);
  welder.beside = welder.lasts; /* no longer needed: a node is complete */
  connect_nodes(&welder);
  if (!welder.room) {
    result = sup_fail(error, SUP_ERROR_UNSUPPORTED,
                      "too many vertices of different meshes lie at the same place; remove meshes "
                      "that are there several times");
    goto done;
  }
  sup_zero(welder.next, count * sizeof *welder.next);
  number_sets(&welder, welder.next, map, representatives, &weld);
  *out_weld = weld;
done:
  sup_arena_free(&scratch);
  return result;
}

/* ---- Triangles ------------------------------------------------------------------------------ */

/* Corners rotated so that the lowest comes first: equal for equal oriented triangles. */
typedef struct TriangleKey {
  uint32_t a, b, c;
} TriangleKey;

static TriangleKey triangle_key(uint32_t a, uint32_t b, uint32_t c) {
  if (a < b && a < c) return (TriangleKey){a, b, c};
  if (b < c) return (TriangleKey){b, c, a};
  return (TriangleKey){c, a, b};
}

/* Enters triangle number `f` of triangles[]; false if the same one is there already. */
static bool enter_triangle(uint32_t *table, size_t table_size, const uint32_t *triangles,
                           uint32_t f) {
  const uint32_t *corners = triangles + 3 * (size_t)f;
  TriangleKey key = triangle_key(corners[0], corners[1], corners[2]);
  uint64_t hash = mix(mix(((uint64_t)key.a << 32) | key.b) + key.c);
  size_t slot = (size_t)hash & (table_size - 1);
  for (; table[slot]; slot = (slot + 1) & (table_size - 1)) {
    const uint32_t *other = triangles + 3 * (size_t)(table[slot] - 1);
    TriangleKey k = triangle_key(other[0], other[1], other[2]);
    if (k.a == key.a && k.b == key.b && k.c == key.c) return false;
  }
  table[slot] = f + 1;
  return true;
}

SupResult sup_triangles_clean(SupArena *arena, const uint32_t *triangles, uint32_t triangle_count,
                              const uint32_t *map, SupCleanTriangles *out_clean, SupError *error) {
  SupResult result = SUP_OK;
  SupCleanTriangles clean = {0};
  SupArena scratch = sup_scratch(arena);
  size_t table_size = slots_for(triangle_count);
  uint32_t *table = SUP_ALLOC(&scratch, uint32_t, table_size);
  uint32_t *kept = SUP_ALLOC(arena, uint32_t, 3 * (size_t)triangle_count);
  uint32_t *sources = SUP_ALLOC(arena, uint32_t, triangle_count);
  if (!table || !kept || !sources) {
    result = sup_fail_memory(error, "cleaning triangles");
    goto done;
  }
  for (uint32_t f = 0; f < triangle_count; f++) {
    uint32_t *corners = kept + 3 * (size_t)clean.triangle_count;
    for (unsigned k = 0; k < 3; k++) {
      uint32_t v = triangles[3 * (size_t)f + k];
      corners[k] = map ? map[v] : v;
    }
    if (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0]) {
      clean.degenerate++;
    } else if (!enter_triangle(table, table_size, kept, clean.triangle_count)) {
      clean.duplicate++;
    } else {
      sources[clean.triangle_count++] = f;
    }
  }
  clean.triangles = kept;
  clean.sources = sources;
  *out_clean = clean;
done:
  sup_arena_free(&scratch);
  return result;
}
