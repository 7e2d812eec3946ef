/* SPDX-License-Identifier: MIT */
/*
 * Building the hierarchy: top down, split by the surface area heuristic over 16 bins per axis
 * (Wald 2007, "On fast construction of SAH-based bounding volume hierarchies").
 */
#include "supple/geom/bvh.h"

#include "base/scratch.h"
#include "supple/geom/bounds.h"

#define BINS 16
#define LEAF_MAX 4
/* Below this level sets are cut into halves, so that the depth stays below 32 + 32. */
#define HEURISTIC_DEPTH 32

typedef struct Item {
  SupBounds bounds;
  uint32_t triangle;
} Item;

typedef struct Tree {
  Item *items; /* [triangle_count] */
  SupBvhNode *nodes;
  uint32_t node_count;
} Tree;

typedef struct Split {
  int axis;     /* -1: none found */
  unsigned bin; /* the first one that goes right */
  double cost;  /* triangles times half surface, both sides */
} Split;

static float least(float a, float b) { return b < a ? b : a; }
static float most(float a, float b) { return b > a ? b : a; }

static SupBounds join(SupBounds a, SupBounds b) {
  return (SupBounds){
      {least(a.low.x, b.low.x), least(a.low.y, b.low.y), least(a.low.z, b.low.z)},
      {most(a.high.x, b.high.x), most(a.high.y, b.high.y), most(a.high.z, b.high.z)}};
}

/* Half the surface of a box. In double: the square of any float fits. */
static double half_surface(SupBounds b) {
  double x = (double)b.high.x - (double)b.low.x, y = (double)b.high.y - (double)b.low.y,
         z = (double)b.high.z - (double)b.low.z;
  return x * y + y * z + z * x;
}

static float axis_of(SupVec3 p, int axis) { return axis == 0 ? p.x : axis == 1 ? p.y : p.z; }

/* The middle of an item; halves are added so that nothing overflows. */
static float centre_of(const Item *item, int axis) {
  return 0.5f * axis_of(item->bounds.low, axis) + 0.5f * axis_of(item->bounds.high, axis);
}

/* ---- Splitting ------------------------------------------------------------------------------ */

typedef struct Bin {
  SupBounds bounds;
  uint32_t count;
} Bin;

static Bin add_to_bin(Bin bin, SupBounds bounds, uint32_t count) {
  if (count) bin.bounds = bin.count ? join(bin.bounds, bounds) : bounds;
  bin.count += count;
  return bin;
}

static double bin_cost(Bin bin) { return bin.count ? bin.count * half_surface(bin.bounds) : 0; }

/* The bin of a coordinate; always the same for the same three numbers. */
static unsigned bin_of(float x, float low, float scale) {
  float bin = (x - low) * scale;
  return bin < 1 ? 0 : bin >= BINS ? BINS - 1 : (unsigned)bin;
}

/* The best place to cut along one axis; improves *split. */
static void split_axis(const Item *items, uint32_t count, int axis, SupBounds centres,
                       Split *split) {
  float low = axis_of(centres.low, axis), extent = axis_of(centres.high, axis) - low;
  float scale = (float)BINS / extent;
  if (!(extent > 0) || !(scale < 1e38f) || !(extent < 1e38f)) return;
  Bin bins[BINS] = {0};
  for (uint32_t i = 0; i < count; i++) {
    Bin *bin = &bins[bin_of(centre_of(&items[i], axis), low, scale)];
    *bin = add_to_bin(*bin, items[i].bounds, 1);
  }
  double right_costs[BINS];
  Bin right = {0}, left = {0};
  for (unsigned k = BINS - 1; k > 0; k--) {
    right = add_to_bin(right, bins[k].bounds, bins[k].count);
    right_costs[k] = bin_cost(right);
  }
  for (unsigned k = 1; k < BINS; k++) {
    left = add_to_bin(left, bins[k - 1].bounds, bins[k - 1].count);
    double cost = bin_cost(left) + right_costs[k];
    if (left.count && left.count < count && cost < split->cost) {
      *split = (Split){axis, k, cost};
    }
  }
}

/* Reorders the items so that the left ones come first; returns how many there are. */
static uint32_t partition(Item *items, uint32_t count, Split split, SupBounds centres) {
  float low = axis_of(centres.low, split.axis);
  float scale = (float)BINS / (axis_of(centres.high, split.axis) - low);
  uint32_t left = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (bin_of(centre_of(&items[i], split.axis), low, scale) < split.bin) {
      Item item = items[i];
      items[i] = items[left];
      items[left++] = item;
    }
  }
  return left;
}

/* Splits items[count]; returns the size of the left part, or 0 to make a leaf. */
static uint32_t split_items(Item *items, uint32_t count, unsigned level, SupBounds bounds) {
  if (count <= 1) return 0;
  SupVec3 centre = {centre_of(items, 0), centre_of(items, 1), centre_of(items, 2)};
  SupBounds centres = {centre, centre};
  for (uint32_t i = 1; i < count; i++) {
    centre = (SupVec3){centre_of(&items[i], 0), centre_of(&items[i], 1), centre_of(&items[i], 2)};
    centres = join(centres, (SupBounds){centre, centre});
  }
  /* A leaf costs a test per triangle; a split the visit of two nodes, about one test. */
  double leaf_cost = (count - 1.0) * half_surface(bounds);
  Split split = {-1, 0, count <= LEAF_MAX ? leaf_cost : __builtin_inf()};
  if (level < HEURISTIC_DEPTH) {
    for (int axis = 0; axis < 3; axis++) split_axis(items, count, axis, centres, &split);
  }
  if (split.axis >= 0) return partition(items, count, split, centres);
  return count > LEAF_MAX ? count / 2 : 0;
}

/* ---- Building ------------------------------------------------------------------------------- */

typedef struct Work {
  uint32_t node, first, count;
  unsigned level;
} Work;

static SupBounds bounds_of(const Item *items, uint32_t count) {
  SupBounds bounds = items[0].bounds;
  for (uint32_t i = 1; i < count; i++) bounds = join(bounds, items[i].bounds);
  return bounds;
}

static void build_nodes(Tree *tree, uint32_t count) {
  Work stack[SUP_BVH_DEPTH_MAX + 1] = {{0, 0, count, 0}};
  unsigned height = 1;
  tree->node_count = 1;
  while (height) {
    Work work = stack[--height];
    Item *items = tree->items + work.first;
    SupBounds bounds = bounds_of(items, work.count);
    uint32_t left = split_items(items, work.count, work.level, bounds);
    SupBvhNode *node = &tree->nodes[work.node];
    *node = (SupBvhNode){bounds.low, work.first, bounds.high, work.count};
    if (!left) continue;
    node->first = tree->node_count;
    node->count = 0;
    tree->node_count += 2;
    /* The left child is done first: nodes lie in the order in which a walk meets them. */
    stack[height++] = (Work){node->first + 1, work.first + left, work.count - left, work.level + 1};
    stack[height++] = (Work){node->first, work.first, left, work.level + 1};
  }
}

static bool is_finite(SupVec3 p) { return p.x - p.x == 0 && p.y - p.y == 0 && p.z - p.z == 0; }

static SupResult make_items(const SupMesh *mesh, Item *items, SupError *error) {
  for (uint32_t f = 0; f < mesh->triangle_count; f++) {
    SupVec3 corners[3];
    for (unsigned k = 0; k < 3; k++) {
      uint32_t v = mesh->triangles[3 * (size_t)f + k];
      if (v >= mesh->vertex_count) {
        return sup_fail(error, SUP_ERROR_FORMAT, "triangle %u uses vertex %u, but the mesh has %u",
                        f, v, mesh->vertex_count);
      }
      corners[k] = mesh->positions[v];
      if (!is_finite(corners[k])) {
        return sup_fail(error, SUP_ERROR_FORMAT,
                        "the position of vertex %u is not finite; repair the mesh", v);
      }
    }
    items[f] = (Item){sup_bounds(corners, 3), f};
  }
  return SUP_OK;
}

SupResult sup_bvh_build(SupArena *arena, const SupMesh *mesh, SupBvh *out_bvh, SupError *error) {
  SupArena scratch = sup_scratch(arena);
  uint32_t count = mesh->triangle_count;
  SupResult result = SUP_OK;
  Tree tree = {0};
  tree.items = SUP_ALLOC(&scratch, Item, count);
  uint32_t *triangles = SUP_ALLOC(arena, uint32_t, count);
  tree.nodes = SUP_ALLOC(arena, SupBvhNode, 2 * (size_t)count); /* leaves <= count */
  if (!tree.items || !triangles || !tree.nodes) {
    result = sup_fail_memory(error, "a bounding volume hierarchy");
    goto done;
  }
  result = make_items(mesh, tree.items, error);
  if (result != SUP_OK) goto done;
  if (count) build_nodes(&tree, count);
  for (uint32_t i = 0; i < count; i++) triangles[i] = tree.items[i].triangle;
  *out_bvh = (SupBvh){*mesh, tree.node_count, tree.nodes, triangles};
done:
  sup_arena_free(&scratch);
  return result;
}
