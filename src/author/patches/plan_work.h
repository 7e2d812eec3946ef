/* SPDX-License-Identifier: MIT */
/* What the steps from a plan to boundaries on a skin hand to each other. */
#ifndef SUP_AUTHOR_PLAN_WORK_H
#define SUP_AUTHOR_PLAN_WORK_H

#include "supple/author/patch_plan.h"

/* "SOURCE, line N: " in front of the sentence in `error`; without a line "SOURCE: ". Returns
 * `result`. */
SupResult sup_plan_prefix(const SupPatchPlan *plan, uint32_t line, SupResult result,
                          SupError *error);

/* Where the features are: out_points[plan->feature_count]; a place nearer to a vertex than `snap`
 * edges becomes it. */
SupResult sup_plan_features(SupArena *scratch, const SupPatchPlan *plan,
                            const SupCharacter *character, const SupBvh *bvh, double snap,
                            SupSkinPoint *out_points, SupError *error);

#define SUP_PLAN_SNAP 0.1 /* edges: nearer to a vertex a place becomes it */

/* The place of the skin nearest to `from`, for a feature, with its distance; a vertex if `vertex`.
 * Refused where it is farther than SUP_PATCH_REACH of the diagonal. */
SupResult sup_plan_snap(const SupPatchPlan *plan, const SupBvh *bvh, double diagonal,
                        const SupPatchPlanFeature *feature, SupVec3d from, bool vertex,
                        SupSkinPoint *out_point, double *out_distance, SupError *error);

#endif
