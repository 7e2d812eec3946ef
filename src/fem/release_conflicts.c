/* SPDX-License-Identifier: MIT */
/*
 * Nodes that bones would drive into each other.
 *
 * A held node cannot evade. Around a joint that bends far, in an armpit or a groin, two held nodes
 * of different bones may meet, and no energy can keep the elements between them from being crushed.
 * The poses of the character tell beforehand where that is: there nodes go free, and flesh finds
 * its own way between the bones.
 */
#include "fem/release_conflicts.h"

#include "fem/neighbours.h"
#include "fem/rest_volume.h"
#include "supple/author/teaching.h"
#include "supple/pose.h"

/* How many poses are looked at. */
#define POSES 48
/* The least fraction of their distance at rest that two held nodes may come to. */
#define LEAST_FRACTION 0.5

/* Two held nodes that meet. */
typedef struct Pair {
  uint32_t a, b;
} Pair;

typedef struct Work {
  const SupTetMesh *mesh;
  const uint8_t *held, *keep;
  SupTetNeighbours neighbours;
  uint32_t *seen;   /* [node_count] the last node whose surroundings it was in */
  SupVec3d *places; /* [POSES][node_count] */
  double scale;     /* scene units per body unit */
  Pair *pairs;      /* NULL while they are counted */
  size_t pair_count;
} Work;

/* ---- Where the nodes go --------------------------------------------------------------------- */

static void skin_pose(const SupTetMesh *mesh, const uint32_t *bones, const float *weights,
                      const SupAffine *palette, SupVec3d *out_places) {
  for (uint32_t n = 0; n < mesh->node_count; n++) {
    SupVec3 point = sup_vec3d_to_float(mesh->nodes[n]), sum = {0, 0, 0};
    for (size_t k = SUP_ATTACH_BONES * (size_t)n; k < SUP_ATTACH_BONES * ((size_t)n + 1); k++) {
      if (!(weights[k] > 0)) continue;
      sum = sup_vec3_add_scaled(sum, sup_affine_point(palette[bones[k]], point), weights[k]);
    }
    out_places[n] = sup_vec3_to_double(sum);
  }
}

static SupResult place_nodes(SupArena *arena, const SupCharacter *character, const uint32_t *bones,
                             const float *weights, Work *w, SupError *error) {
  const SupSkeleton *skeleton = &character->skeleton;
  const size_t joints = skeleton->joint_count;
  SupTransform *poses = SUP_ALLOC(arena, SupTransform, POSES * joints);
  SupAffine *globals = SUP_ALLOC(arena, SupAffine, joints);
  SupAffine *palette = SUP_ALLOC(arena, SupAffine, skeleton->bone_count);
  w->places = SUP_ALLOC(arena, SupVec3d, POSES * (size_t)w->mesh->node_count);
  if (!poses || !globals || !palette || !w->places) return sup_fail_memory(error, "attaching");
  SupResult result = sup_teaching_poses(arena, character, POSES, 1, poses, error);
  if (result == SUP_OK) result = sup_rest_scale(arena, character, &w->scale, NULL, error);
  SupPose pose = {.joint_count = skeleton->joint_count,
                  .root = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}}};
  for (size_t i = 0; i < POSES && result == SUP_OK; i++) {
    pose.joints = poses + i * joints;
    sup_pose_evaluate(skeleton, &pose, globals, palette);
    skin_pose(w->mesh, bones, weights, palette, w->places + i * w->mesh->node_count);
  }
  return result;
}

/* ---- Which of them meet --------------------------------------------------------------------- */

static bool meet(const Work *w, uint32_t a, uint32_t b) {
  double rest = w->scale * sup_vec3d_distance(w->mesh->nodes[a], w->mesh->nodes[b]);
  for (size_t i = 0; i < POSES; i++) {
    const SupVec3d *x = w->places + i * w->mesh->node_count;
    if (sup_vec3d_distance(x[a], x[b]) < LEAST_FRACTION * rest) return true;
  }
  return false;
}

static void consider(Work *w, uint32_t a, uint32_t b) {
  if (b <= a || !w->held[b] || w->seen[b] == a + 1) return;
  w->seen[b] = a + 1;
  if ((w->keep[a] && w->keep[b]) || !meet(w, a, b)) return;
  if (w->pairs) w->pairs[w->pair_count] = (Pair){a, b};
  w->pair_count++;
}

/* Neighbours, and neighbours of neighbours. */
static void find_pairs(Work *w) {
  const uint32_t *offsets = w->neighbours.offsets, *nodes = w->neighbours.nodes;
  w->pair_count = 0;
  for (uint32_t n = 0; n < w->mesh->node_count; n++) w->seen[n] = 0;
  for (uint32_t a = 0; a < w->mesh->node_count; a++) {
    if (!w->held[a]) continue;
    for (uint32_t k = offsets[a]; k < offsets[a + 1]; k++) {
      uint32_t between = nodes[k];
      consider(w, a, between);
      for (uint32_t i = offsets[between]; i < offsets[between + 1]; i++) {
        consider(w, a, nodes[i]);
      }
    }
  }
}

/* ---- Who goes ------------------------------------------------------------------------------- */

/* The node in most of the pairs that are left; SUP_NONE when none is. */
static uint32_t most_in_the_way(const Work *w, const uint8_t *held, uint32_t *counts) {
  uint32_t worst = SUP_NONE;
  for (uint32_t n = 0; n < w->mesh->node_count; n++) counts[n] = 0;
  for (size_t k = 0; k < w->pair_count; k++) {
    const Pair *pair = &w->pairs[k];
    if (!held[pair->a] || !held[pair->b]) continue;
    if (!w->keep[pair->a]) counts[pair->a]++;
    if (!w->keep[pair->b]) counts[pair->b]++;
  }
  for (uint32_t n = 0; n < w->mesh->node_count; n++) {
    if (counts[n] && (worst == SUP_NONE || counts[n] > counts[worst])) worst = n;
  }
  return worst;
}

SupResult sup_release_conflicts(SupArena *arena, const SupCharacter *character,
                                const SupTetMesh *mesh, const uint32_t *bones, const float *weights,
                                const uint8_t *keep, uint8_t *held, uint32_t *out_released,
                                SupError *error) {
  Work w = {.mesh = mesh, .held = held, .keep = keep};
  uint32_t *counts = SUP_ALLOC(arena, uint32_t, mesh->node_count);
  w.seen = SUP_ALLOC(arena, uint32_t, mesh->node_count);
  if (!counts || !w.seen || !sup_tet_neighbours(arena, mesh, &w.neighbours)) {
    return sup_fail_memory(error, "attaching");
  }
  SupResult result = place_nodes(arena, character, bones, weights, &w, error);
  if (result != SUP_OK) return result;
  find_pairs(&w);
  w.pairs = SUP_ALLOC(arena, Pair, w.pair_count);
  if (!w.pairs) return sup_fail_memory(error, "attaching");
  find_pairs(&w);
  uint32_t released = 0, worst;
  while ((worst = most_in_the_way(&w, held, counts)) != SUP_NONE) {
    held[worst] = 0;
    released++;
  }
  *out_released = released;
  return SUP_OK;
}
