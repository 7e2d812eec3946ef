/* SPDX-License-Identifier: MIT */
/* A plan on a mesh that was edited since. */
#include "base/scratch.h"
#include "plan_work.h"
#include "supple/geom/bounds.h"

#define STILL 1e-6 /* of the diagonal: nearer is the same place */

typedef struct Fitter {
  const SupPatchPlan *plan;
  const SupBvh *bvh;
  double diagonal;
  bool other; /* the plan is for another number of vertices */
  SupPatchFit *fit;
  SupPatchMove *moves;
  SupError *error;
} Fitter;

SupResult sup_plan_snap(const SupPatchPlan *plan, const SupBvh *bvh, double diagonal,
                        const SupPatchPlanFeature *feature, SupVec3d from, bool vertex,
                        SupSkinPoint *out_point, double *out_distance, SupError *error) {
  const SupSkinPoint p =
      sup_skin_point_nearest(bvh, sup_vec3d_to_float(from), vertex ? 0.5 : SUP_PLAN_SNAP);
  if (p.a == SUP_NONE) {
    sup_fail(error, SUP_ERROR_FORMAT, "feature '%s' is at no place of the skin", feature->name);
    return sup_plan_prefix(plan, feature->line, SUP_ERROR_FORMAT, error);
  }
  const double distance = sup_vec3d_distance(from, sup_skin_point_place(&bvh->mesh, p));
  if (!(distance <= SUP_PATCH_REACH * diagonal)) {
    sup_fail(error, SUP_ERROR_FORMAT,
             "feature '%s': the skin is %g away, farther than %g %% of its size", feature->name,
             distance, 100 * SUP_PATCH_REACH);
    return sup_plan_prefix(plan, feature->line, SUP_ERROR_FORMAT, error);
  }
  *out_point = p;
  *out_distance = distance;
  return SUP_OK;
}

static SupResult fit_feature(Fitter *f, uint32_t k, SupPatchPlanFeature *io_feature) {
  const SupMesh *mesh = &f->bvh->mesh;
  SupPatchPlanFeature *p = io_feature;
  SupSkinPoint at;
  double distance;
  if (p->place == SUP_PATCH_AT_LANDMARK) return SUP_OK;
  const bool vertex = p->place == SUP_PATCH_AT_VERTEX;
  if (vertex) {
    const bool there = p->vertex < mesh->vertex_count;
    const SupVec3d place =
        there ? sup_vec3_to_double(mesh->positions[p->vertex]) : (SupVec3d){0, 0, 0};
    if (p->no_position && (!there || f->other)) {
      sup_fail(f->error, SUP_ERROR_FORMAT,
               "feature '%s' is at vertex %u of another mesh: this one has %u; give its position",
               p->name, p->vertex, mesh->vertex_count);
      return sup_plan_prefix(f->plan, p->line, SUP_ERROR_FORMAT, f->error);
    }
    if (there &&
        (p->no_position || sup_vec3d_distance(place, p->position) <= STILL * f->diagonal)) {
      p->position = place;
      p->no_position = false;
      return SUP_OK;
    }
  }
  SupResult result =
      sup_plan_snap(f->plan, f->bvh, f->diagonal, p, p->position, vertex, &at, &distance, f->error);
  if (result != SUP_OK) return result;
  if (vertex) {
    p->vertex = at.a;
    p->position = sup_vec3_to_double(mesh->positions[at.a]);
  }
  if (distance <= STILL * f->diagonal) {
    f->fit->renumbered += vertex;
    return SUP_OK;
  }
  if (distance > f->fit->farthest) f->fit->farthest = distance;
  f->moves[f->fit->move_count++] = (SupPatchMove){k, p->name, distance};
  return SUP_OK;
}

SupResult sup_patch_plan_fit(SupArena *arena, const SupPatchPlan *plan,
                             const SupCharacter *character, SupPatchPlan *out_plan,
                             SupPatchFit *out_fit, SupError *error) {
  const SupMesh *mesh = &character->body;
  SupPatchFit fit = {0};
  SupBvh bvh;
  SupArena scratch = sup_scratch(arena);
  SupResult result = sup_patch_plan_check(plan, error);
  if (result == SUP_OK) result = sup_bvh_build(&scratch, mesh, &bvh, error);
  SupPatchPlanFeature *features =
      SUP_COPY(arena, SupPatchPlanFeature, plan->features, plan->feature_count);
  SupPatchMove *moves = SUP_ALLOC(arena, SupPatchMove, plan->feature_count);
  if (result == SUP_OK && (!features || !moves)) result = sup_fail_memory(error, NULL);
  const SupBounds box = sup_bounds(mesh->positions, mesh->vertex_count);
  Fitter f = {.plan = plan,
              .bvh = &bvh,
              .diagonal = (double)sup_bounds_diagonal(box),
              .other = plan->vertex_count && plan->vertex_count != mesh->vertex_count,
              .fit = &fit,
              .moves = moves,
              .error = error};
  for (uint32_t k = 0; k < plan->feature_count && result == SUP_OK; k++) {
    result = fit_feature(&f, k, &features[k]);
  }
  sup_arena_free(&scratch);
  if (result != SUP_OK) return result;
  fit.moves = moves;
  *out_plan = *plan;
  out_plan->features = features;
  out_plan->vertex_count = mesh->vertex_count;
  *out_fit = fit;
  return SUP_OK;
}
