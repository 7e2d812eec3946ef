/* SPDX-License-Identifier: MIT */
/* Obstacles of curves: where they are at a time, with a joint, along a path or with a velocity. */
#include <math.h>

#include "app/curves_parts.h"
#include "supple/author/find_joint.h"

struct CurvesObstacles {
  SupRigspaceObstacle *now; /* [obstacle_count] units of the scene */
  uint32_t *joints;         /* [obstacle_count] or UINT32_MAX */
  SupAffined *from_rest;    /* [obstacle_count] scene space at rest -> the joint's own */
  SupAffined *globals;      /* [joint_count] */
};

static SupResult check_path(const SupCurvesObstacle *o, uint32_t k, SupError *error) {
  for (uint32_t i = 1; i < o->path_count; i++) {
    if (o->path[4 * (size_t)i] > o->path[4 * (size_t)i - 4]) continue;
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "obstacle %u: the times of its path must rise, and %g s comes after %g s",
                    k + 1, o->path[4 * (size_t)i], o->path[4 * (size_t)i - 4]);
  }
  return SUP_OK;
}

SupResult sup_curves_open_obstacles(CurvesJob *job, SupError *error) {
  SupArena *arena = job->app->arena;
  const SupSkeleton *skeleton = &job->file->character->skeleton;
  const uint32_t count = job->def->obstacle_count;
  CurvesObstacles *all = SUP_ALLOC(arena, CurvesObstacles, 1);
  SupTransformd *joints = SUP_ALLOC(arena, SupTransformd, skeleton->joint_count);
  if (!all || !joints) return sup_fail_memory(error, NULL);
  all->now = SUP_ALLOC(arena, SupRigspaceObstacle, count);
  all->joints = SUP_ALLOC(arena, uint32_t, count);
  all->from_rest = SUP_ALLOC(arena, SupAffined, count);
  all->globals = SUP_ALLOC(arena, SupAffined, skeleton->joint_count);
  if (!all->now || !all->joints || !all->from_rest || !all->globals) {
    return sup_fail_memory(error, NULL);
  }
  SupPosed rest = {skeleton->joint_count, sup_transformd_identity(), joints};
  sup_pose_rest_f64(skeleton, &rest);
  sup_pose_globals_f64(skeleton, &rest, all->globals);
  for (uint32_t k = 0; k < count; k++) {
    const SupCurvesObstacle *o = &job->def->obstacles[k];
    SupResult result = check_path(o, k, error);
    all->joints[k] = UINT32_MAX;
    if (result == SUP_OK && o->joint) {
      result = sup_find_joint(skeleton, o->option, o->joint, &all->joints[k], error);
      if (result == SUP_OK) all->from_rest[k] = sup_affined_inverse(all->globals[all->joints[k]]);
    }
    if (result != SUP_OK) return result;
  }
  job->obstacles = all;
  return SUP_OK;
}

/* Where a path has gone, metres; it stays at its ends. */
static SupVec3d place_on(const SupCurvesObstacle *o, double time) {
  if (o->path_count == 0) return sup_vec3d_scale(o->velocity, time);
  uint32_t b = 0;
  while (b < o->path_count && o->path[4 * (size_t)b] < time) b++;
  const uint32_t a = b ? b - 1 : 0;
  if (b == o->path_count) b--;
  const double *from = &o->path[4 * (size_t)a], *to = &o->path[4 * (size_t)b];
  const double t = b > a ? (time - from[0]) / (to[0] - from[0]) : 0;
  return (SupVec3d){from[1] + t * (to[1] - from[1]), from[2] + t * (to[2] - from[2]),
                    from[3] + t * (to[3] - from[3])};
}

const SupRigspaceObstacle *sup_curves_move_obstacles(CurvesJob *job, const SupPosed *pose,
                                                     double time) {
  CurvesObstacles *all = job->obstacles;
  const SupSkeleton *skeleton = &job->file->character->skeleton;
  bool posed = false;
  for (uint32_t k = 0; k < job->def->obstacle_count; k++) {
    const SupCurvesObstacle *o = &job->def->obstacles[k];
    const SupVec3d moved = place_on(o, time);
    SupVec3d a = sup_vec3d_scale(sup_vec3d_add(o->shape.a, moved), 1 / job->unit), b;
    if (o->shape.plane) { /* a point at the end of its normal */
      b = sup_vec3d_add(a, sup_vec3d_scale(o->shape.b, 1 / sup_vec3d_length(o->shape.b)));
    } else {
      b = sup_vec3d_scale(sup_vec3d_add(o->shape.b, moved), 1 / job->unit);
    }
    if (o->joint && pose) {
      if (!posed) sup_pose_globals_f64(skeleton, pose, all->globals);
      posed = true;
      const SupAffined carry = sup_affined_mul(all->globals[all->joints[k]], all->from_rest[k]);
      a = sup_affined_point(carry, a);
      b = sup_affined_point(carry, b);
    }
    all->now[k] = (SupRigspaceObstacle){o->shape.plane, a, o->shape.plane ? sup_vec3d_sub(b, a) : b,
                                        o->shape.radius / job->unit};
  }
  return all->now;
}
