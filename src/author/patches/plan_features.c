/* SPDX-License-Identifier: MIT */
/*
 * Where the features of a plan are on a skin.
 *
 * The ray of a landmark begins inside the body, maybe inside an eye or a tooth as well. It counts
 * how many shells it is in: the first place where it is in as few as ever after is where it leaves
 * the skin, whatever it comes through later, an arm beside the trunk for example.
 */
#include "plan_work.h"
#include "supple/author/find_joint.h"
#include "supple/author/segments.h"
#include "supple/geom/bounds.h"

#define STEP 1e-6f      /* of the diagonal: hits that are nearer to each other are one */
#define HITS_MAX 10000u /* on one ray */

typedef struct Search {
  const SupPatchPlan *plan;
  const SupCharacter *character;
  const SupBvh *bvh;
  const SupVec3 *joints; /* [joint_count] bind space */
  float diagonal;
  double snap;
  SupError *error;
} Search;

static SupResult refuse(const Search *s, const SupPatchPlanFeature *f, const char *fault) {
  sup_fail(s->error, SUP_ERROR_FORMAT, "feature '%s' %s", f->name, fault);
  return sup_plan_prefix(s->plan, f->line, SUP_ERROR_FORMAT, s->error);
}

static SupResult at_vertex(const Search *s, const SupPatchPlanFeature *f, SupSkinPoint *out) {
  const SupMesh *mesh = &s->bvh->mesh;
  if (f->vertex >= mesh->vertex_count) {
    sup_fail(s->error, SUP_ERROR_FORMAT, "feature '%s' is at vertex %u; the skin has %u", f->name,
             f->vertex, mesh->vertex_count);
    return sup_plan_prefix(s->plan, f->line, SUP_ERROR_FORMAT, s->error);
  }
  *out = sup_skin_vertex(f->vertex);
  return SUP_OK;
}

static SupResult at_position(const Search *s, const SupPatchPlanFeature *f, SupSkinPoint *out) {
  const SupSkinPoint p = sup_skin_point_nearest(s->bvh, sup_vec3d_to_float(f->position), s->snap);
  if (p.a == SUP_NONE) return refuse(s, f, "is at no place of the skin");
  *out = p;
  return SUP_OK;
}

/* Where the ray leaves the skin, in lengths of `direction`; below 0 if it does not. */
static float leaves_at(const Search *s, SupVec3 origin, SupVec3 direction) {
  int32_t depth = 0, least = 0;
  float from = 0, best = -1, first_out = -1;
  for (uint32_t hits = 0; hits < HITS_MAX; hits++) {
    const SupVec3 start = sup_vec3_add_scaled(origin, direction, from);
    const SupRayHit hit = sup_bvh_ray(s->bvh, start, direction, 4 * s->diagonal);
    if (hit.triangle == SUP_NONE) break;
    depth += hit.front ? 1 : -1;
    if (!hit.front && first_out < 0) first_out = from + hit.t;
    if (depth < least) {
      least = depth;
      best = from + hit.t;
    }
    from += hit.t + STEP * s->diagonal;
  }
  /* A joint outside of the skin: what the ray goes through first. */
  return best < 0 ? first_out : best;
}

static SupResult at_landmark(const Search *s, const SupPatchPlanFeature *f, SupSkinPoint *out) {
  const SupSkeleton *skeleton = &s->character->skeleton;
  const SupNameList names = sup_joint_names(skeleton);
  const size_t joint = sup_name_find(f->joint, names);
  if (joint >= skeleton->joint_count) {
    char hint[200];
    sup_fail(s->error, SUP_ERROR_FORMAT, "feature '%s': there is no joint '%s'%s", f->name,
             f->joint, sup_name_hint(hint, sizeof hint, f->joint, names));
    return sup_plan_prefix(s->plan, f->line, SUP_ERROR_FORMAT, s->error);
  }
  const double length = sup_vec3d_length(f->direction);
  const SupVec3 direction = sup_vec3d_to_float(sup_vec3d_scale(f->direction, 1 / length));
  const float t = leaves_at(s, s->joints[joint], direction);
  if (!(t >= 0)) {
    sup_fail(s->error, SUP_ERROR_FORMAT,
             "feature '%s': the ray from joint '%s' never comes out of the skin", f->name,
             skeleton->names[joint]);
    return sup_plan_prefix(s->plan, f->line, SUP_ERROR_FORMAT, s->error);
  }
  const SupVec3 place = sup_vec3_add_scaled(s->joints[joint], direction, t);
  *out = sup_skin_point_nearest(s->bvh, place, s->snap);
  return SUP_OK;
}

static SupResult find(const Search *s, const SupPatchPlanFeature *f, SupSkinPoint *out) {
  if (f->place == SUP_PATCH_AT_VERTEX) return at_vertex(s, f, out);
  if (f->place == SUP_PATCH_AT_POSITION) return at_position(s, f, out);
  return at_landmark(s, f, out);
}

SupResult sup_plan_features(SupArena *scratch, const SupPatchPlan *plan,
                            const SupCharacter *character, const SupBvh *bvh, double snap,
                            SupSkinPoint *out_points, SupError *error) {
  const SupBounds bounds = sup_bounds(bvh->mesh.positions, bvh->mesh.vertex_count);
  Search s = {.plan = plan,
              .character = character,
              .bvh = bvh,
              .snap = snap,
              .joints = sup_joint_places(scratch, &character->skeleton),
              .diagonal = sup_bounds_diagonal(bounds),
              .error = error};
  if (!s.joints) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < plan->feature_count; k++) {
    SupResult result = find(&s, &plan->features[k], &out_points[k]);
    if (result != SUP_OK) return result;
    for (uint32_t i = 0; i < k; i++) {
      if (!sup_skin_point_same(out_points[i], out_points[k])) continue;
      const SupPatchPlanFeature *f = &plan->features[k];
      sup_fail(error, SUP_ERROR_FORMAT, "feature '%s' is where '%s' is", f->name,
               plan->features[i].name);
      return sup_plan_prefix(plan, f->line, SUP_ERROR_FORMAT, error);
    }
  }
  return SUP_OK;
}
