/* SPDX-License-Identifier: MIT */
/*
 * Static shapes: Newton's method on the elastic energy, bones still, from plain skinning on. They
 * only say which way flesh goes in a pose, so a thousandth of the size is near enough.
 */
#include <math.h>

#include "fem/potential.h"
#include "supple/author/teaching.h"
#include "supple/pose.h"
#include "train/subspace/subspace_parts.h"

#define ROUNDS 10 /* of Newton */
#define HALVES 6  /* of a step */
#define NEAR 1e-3 /* of the size */

typedef struct Statics {
  SubspaceBody *body;
  SupPotential potential;
  SupPotentialLoads loads;
  SupCholesky *factor;
  SupAffined *palette; /* [bones] */
  SupVec3d *skinned;   /* [node_count] */
  SupVec3d *x, *trial; /* [node_count] */
  double *step;        /* [3 * free_count] */
} Statics;

static bool reserve(SupArena *arena, SubspaceBody *body, Statics *s) {
  const size_t nodes = body->volume.body.mesh.node_count;
  *s = (Statics){.body = body, .loads = {.ties = &body->ties}};
  s->palette = SUP_ALLOC(arena, SupAffined, body->bones);
  s->skinned = SUP_ALLOC(arena, SupVec3d, nodes);
  s->x = SUP_ALLOC(arena, SupVec3d, nodes);
  s->trial = SUP_ALLOC(arena, SupVec3d, nodes);
  s->step = SUP_ALLOC(arena, double, 3 * (size_t)body->volume.body.free_count);
  return s->palette && s->skinned && s->x && s->trial && s->step &&
         sup_potential_create(arena, &body->volume.body, &s->potential);
}

/* Plain skinning of the nodes, metres. */
static void skin_nodes(Statics *s) {
  const SupAttachment *attachment = &s->body->volume.attachment;
  const SupTetMesh *mesh = &s->body->volume.fill.mesh;
  for (uint32_t n = 0; n < mesh->node_count; n++) {
    SupVec3d sum = {0, 0, 0};
    for (size_t k = 0; k < SUP_ATTACH_BONES; k++) {
      const size_t at = SUP_ATTACH_BONES * (size_t)n + k;
      const double weight = (double)attachment->weights[at];
      if (weight == 0) continue;
      const SupVec3d moved = sup_affined_point(s->palette[attachment->bones[at]], mesh->nodes[n]);
      sum = sup_vec3d_add_scaled(sum, moved, weight);
    }
    s->skinned[n] = s->x[n] = s->trial[n] = sum;
  }
}

/* The Newton step, if the matrix allows one. */
static bool find_step(Statics *s) {
  const SupElastic *elastic = &s->body->volume.body;
  sup_potential_assemble(&s->potential);
  if (sup_cholesky_factor(s->factor, &elastic->matrix, NULL)) return false;
  for (uint32_t i = 0; i < elastic->free_count; i++) {
    const SupVec3d g = s->potential.gradient[elastic->free_nodes[i]];
    s->step[3 * i] = -g.x, s->step[3 * i + 1] = -g.y, s->step[3 * i + 2] = -g.z;
  }
  return sup_cholesky_solve(s->factor, s->step, s->step, NULL) == SUP_OK;
}

/* Takes the longest fraction of the step that lowers the energy; how far a node went. */
static double take_step(Statics *s, double energy) {
  const SupElastic *elastic = &s->body->volume.body;
  double length = 1;
  for (int k = 0; k < HALVES; k++, length *= 0.5) {
    double most = 0;
    for (uint32_t i = 0; i < elastic->free_count; i++) {
      const SupVec3d d = {s->step[3 * i], s->step[3 * i + 1], s->step[3 * i + 2]};
      s->trial[elastic->free_nodes[i]] =
          sup_vec3d_add_scaled(s->x[elastic->free_nodes[i]], d, length);
      most = fmax(most, length * sup_vec3d_length(d));
    }
    const double now = sup_potential_evaluate(&s->potential, &s->loads, s->trial, SUP_HESSIAN_NONE);
    if (!(now < energy)) continue;
    for (uint32_t i = 0; i < elastic->free_count; i++) {
      s->x[elastic->free_nodes[i]] = s->trial[elastic->free_nodes[i]];
    }
    return most;
  }
  return 0;
}

/* False where no equilibrium was found. */
static bool settle(Statics *s) {
  const SupDifference still = sup_difference_static();
  sup_potential_begin(&s->potential, NULL, &still);
  sup_ties_aim(&s->body->ties, s->palette);
  skin_nodes(s);
  for (int round = 0; round < ROUNDS; round++) {
    const double energy =
        sup_potential_evaluate(&s->potential, &s->loads, s->x, SUP_HESSIAN_PROJECTED);
    if (!isfinite(energy) || !find_step(s)) return false;
    if (take_step(s, energy) < NEAR * s->body->size) return true;
  }
  return true;
}

static void write_columns(const Statics *s, double *out) {
  const SupElastic *elastic = &s->body->volume.body;
  const size_t count = elastic->free_count;
  for (size_t i = 0; i < count; i++) {
    const uint32_t n = elastic->free_nodes[i];
    const SupVec3d u = sup_vec3d_sub(s->x[n], s->skinned[n]);
    out[i] = u.x, out[count + i] = u.y, out[2 * count + i] = u.z;
  }
}

static SupResult find_all(SupArena *arena, Statics *s, const SupTransform *joints, double *out,
                          uint32_t *out_count, SupError *error) {
  const SupSkeleton *skeleton = &s->body->def->character->skeleton;
  SupAffine *globals = SUP_ALLOC(arena, SupAffine, skeleton->joint_count);
  SupAffine *palette = SUP_ALLOC(arena, SupAffine, skeleton->bone_count);
  if (!globals || !palette) return sup_fail_memory(error, "subspace");
  for (uint32_t k = 0; k < s->body->def->pose_count; k++) {
    SupTransform *own =
        SUP_COPY(arena, SupTransform, joints + (size_t)(k + 1) * skeleton->joint_count,
                 skeleton->joint_count);
    if (!own) return sup_fail_memory(error, "subspace");
    const SupPose pose = {skeleton->joint_count, sup_transform_identity(), own};
    sup_pose_evaluate(skeleton, &pose, globals, palette);
    for (uint32_t b = 0; b < skeleton->bone_count; b++) {
      s->palette[b] = sup_affine_to_double(palette[b]);
    }
    if (!settle(s)) continue;
    write_columns(s, out + 3 * (size_t)*out_count * s->body->volume.body.free_count);
    (*out_count)++;
  }
  return SUP_OK;
}

SupResult sup_subspace_poses(SupArena *arena, SubspaceBody *body, double **out_columns,
                             uint32_t *out_count, SupError *error) {
  const uint32_t count = body->def->pose_count;
  const SupCharacter *character = body->def->character;
  Statics s;
  SupTransform *joints =
      SUP_ALLOC(arena, SupTransform, (size_t)(count + 1) * character->skeleton.joint_count);
  *out_columns = SUP_ALLOC(arena, double, 3 * (size_t)count * body->volume.body.free_count);
  *out_count = 0;
  if (!joints || !*out_columns || !reserve(arena, body, &s)) {
    return sup_fail_memory(error, "subspace");
  }
  if (count == 0) return SUP_OK;
  /* The first pose is the rest pose, which teaches nothing. */
  SupResult result =
      sup_teaching_poses(arena, character, count + 1, body->def->seed, joints, error);
  if (!result) result = sup_cholesky_create(&body->volume.body.matrix, &s.factor, error);
  if (result) return result;
  result = find_all(arena, &s, joints, *out_columns, out_count, error);
  sup_cholesky_free(s.factor);
  return result;
}
