/* SPDX-License-Identifier: MIT */
/*
 * Consistent orientation: a flood through twins gives every triangle a side relative to the first
 * of its shell; then area decides which of the two sides is the old one, and volume which one is
 * outside.
 */
#include "base/scratch.h"
#include "geom/corner.h"
#include "supple/geom/topology.h"

/* Below this fraction of area^(3/2) a volume does not tell inside from outside. */
#define LEAST_VOLUME 0.01

/* What is known of a shell. */
typedef struct Shell {
  bool unorientable;
  bool flip;             /* triangles with side 0 are flipped, otherwise those with side 1 */
  double area, area_one; /* of all triangles, of those with side 1 */
  SupVec3d middle;       /* area-weighted sum of triangle centres, then their mean */
  double volume;         /* from the middle, as if side 0 were kept and side 1 flipped */
} Shell;

typedef struct Orienter {
  const SupMesh *mesh;
  const SupTopology *topology;
  uint32_t *shells; /* [triangle_count] */
  uint8_t *sides;   /* [triangle_count] 1: to be flipped to agree with the shell's first one */
  uint32_t *queue;  /* [triangle_count] triangles in the order of the flood */
} Orienter;

/* Floods one shell from triangle `seed`; returns false if it cannot be made consistent. */
static bool flood_shell(const Orienter *o, uint32_t seed, uint32_t shell) {
  bool consistent = true;
  uint32_t length = 0;
  o->shells[seed] = shell;
  o->queue[length++] = seed;
  for (uint32_t i = 0; i < length; i++) {
    uint32_t f = o->queue[i];
    for (uint32_t h = 3 * f; h < 3 * f + 3; h++) {
      uint32_t twin = o->topology->twins[h];
      if (twin == SUP_NONE) continue;
      bool reversed = o->mesh->triangles[h] == o->mesh->triangles[twin];
      uint8_t side = (uint8_t)(o->sides[f] ^ (reversed ? 1 : 0));
      uint32_t g = twin / 3;
      if (o->shells[g] == SUP_NONE) {
        o->shells[g] = shell;
        o->sides[g] = side;
        o->queue[length++] = g;
      } else if (o->sides[g] != side) {
        consistent = false;
      }
    }
  }
  return consistent;
}

static uint32_t find_shells(const Orienter *o, uint8_t *unorientable) {
  uint32_t count = 0;
  for (uint32_t f = 0; f < o->mesh->triangle_count; f++) o->shells[f] = SUP_NONE;
  for (uint32_t f = 0; f < o->mesh->triangle_count; f++) {
    if (o->shells[f] != SUP_NONE) continue;
    unorientable[count] = !flood_shell(o, f, count);
    count++;
  }
  return count;
}

static void measure_shells(const Orienter *o, uint32_t shell_count, Shell *shells) {
  const SupMesh *mesh = o->mesh;
  for (uint32_t f = 0; f < mesh->triangle_count; f++) {
    Shell *shell = &shells[o->shells[f]];
    double area = 0.5 * sup_vec3d_length(sup_mesh_normal(mesh, f));
    SupVec3d sum =
        sup_vec3d_add(sup_vec3d_add(sup_mesh_corner(mesh, f, 0), sup_mesh_corner(mesh, f, 1)),
                      sup_mesh_corner(mesh, f, 2));
    shell->area += area;
    if (o->sides[f]) shell->area_one += area;
    shell->middle = sup_vec3d_add(shell->middle, sup_vec3d_scale(sum, area / 3));
  }
  for (uint32_t s = 0; s < shell_count; s++) {
    if (shells[s].area > 0)
      shells[s].middle = sup_vec3d_scale(shells[s].middle, 1 / shells[s].area);
  }
  for (uint32_t f = 0; f < mesh->triangle_count; f++) {
    Shell *shell = &shells[o->shells[f]];
    SupVec3d spoke = sup_vec3d_sub(sup_mesh_corner(mesh, f, 0), shell->middle);
    double volume = sup_vec3d_dot(spoke, sup_mesh_normal(mesh, f)) / 6;
    shell->volume += o->sides[f] ? -volume : volume;
  }
}

/* Which side stays, for every shell. Returns how many shells were inside out. */
static uint32_t choose_sides(uint32_t shell_count, Shell *shells) {
  uint32_t turned = 0;
  for (uint32_t s = 0; s < shell_count; s++) {
    Shell *shell = &shells[s];
    bool flip = 2 * shell->area_one > shell->area; /* the side that most of the area has */
    double least = LEAST_VOLUME * shell->area * sup_sqrt(shell->area);
    double volume = flip ? -shell->volume : shell->volume;
    if (volume < -least) {
      flip = !flip;
      if (!shell->unorientable) turned++;
    }
    shell->flip = flip;
  }
  return turned;
}

/* Writes the triangles and returns how many were flipped. */
static uint32_t flip_triangles(const Orienter *o, const Shell *shells, uint32_t *triangles) {
  uint32_t flipped = 0;
  for (uint32_t f = 0; f < o->mesh->triangle_count; f++) {
    const uint32_t *from = o->mesh->triangles + 3 * (size_t)f;
    uint32_t *to = triangles + 3 * (size_t)f;
    const Shell *shell = &shells[o->shells[f]];
    bool flip = !shell->unorientable && (o->sides[f] != 0) != shell->flip;
    to[0] = from[0];
    to[1] = from[flip ? 2 : 1];
    to[2] = from[flip ? 1 : 2];
    flipped += flip;
  }
  return flipped;
}

SupResult sup_orient(SupArena *arena, const SupMesh *mesh, const SupTopology *topology,
                     SupOrientation *out_orientation, SupError *error) {
  SupResult result = SUP_OK;
  SupArena scratch = sup_scratch(arena);
  SupOrientation orientation = {0};
  uint32_t n = mesh->triangle_count;
  Orienter o = {mesh, topology, SUP_ALLOC(arena, uint32_t, n), SUP_ALLOC(&scratch, uint8_t, n),
                SUP_ALLOC(&scratch, uint32_t, n)};
  uint8_t *unorientable = SUP_ALLOC(&scratch, uint8_t, n);
  uint32_t *triangles = SUP_ALLOC(arena, uint32_t, 3 * (size_t)n);
  Shell *shells = NULL;
  if (o.shells && o.sides && o.queue && unorientable && triangles) {
    orientation.shell_count = find_shells(&o, unorientable);
    shells = SUP_ALLOC(&scratch, Shell, orientation.shell_count);
  }
  if (!shells) {
    result = sup_fail_memory(error, "the orientation");
    goto done;
  }
  for (uint32_t s = 0; s < orientation.shell_count; s++) {
    shells[s].unorientable = unorientable[s];
    orientation.unorientable_count += unorientable[s];
  }
  measure_shells(&o, orientation.shell_count, shells);
  orientation.turned_count = choose_sides(orientation.shell_count, shells);
  orientation.flipped_count = flip_triangles(&o, shells, triangles);
  orientation.triangles = triangles;
  orientation.shells = o.shells;
  *out_orientation = orientation;
done:
  sup_arena_free(&scratch);
  return result;
}
