/* SPDX-License-Identifier: MIT */
#include "train/bake/bake.h"

#include "supple/author/keys.h"
#include "supple/clip.h"
#include "supple/geom/bounds.h"

static SupResult no_memory(SupError *error) {
  return sup_fail(error, SUP_ERROR_MEMORY,
                  "baking: out of memory; bake fewer clips at once, or at fewer frames per second");
}

SupResult sup_bake_frames(SupArena *arena, const SupCharacter *character, uint32_t motion_count,
                          const SupBakeMotion *motions, BakeFrames *out, SupError *error) {
  const SupSkeleton *skeleton = &character->skeleton;
  uint64_t count = 0;
  for (uint32_t k = 0; k < motion_count; k++) count += motions[k].frame_count;
  if (count == 0 || count > UINT32_MAX) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "baking: %llu frames", (unsigned long long)count);
  }
  SupPose pose = {skeleton->joint_count, sup_transform_identity(),
                  SUP_ALLOC(arena, SupTransform, skeleton->joint_count)};
  out->count = (uint32_t)count;
  out->globals = SUP_ALLOC(arena, SupAffine, (size_t)count * skeleton->joint_count);
  out->palettes = SUP_ALLOC(arena, SupAffine, (size_t)count * skeleton->bone_count);
  if (!pose.joints || !out->globals || !out->palettes) return no_memory(error);
  size_t at = 0;
  for (uint32_t k = 0; k < motion_count; k++) {
    for (uint32_t t = 0; t < motions[k].frame_count; t++, at++) {
      SupAffine *globals = out->globals + at * skeleton->joint_count;
      sup_pose_rest(skeleton, &pose);
      sup_clip_sample(motions[k].clip, (float)(t / motions[k].fps), false, NULL, &pose, NULL);
      sup_pose_globals(skeleton, &pose, globals);
      sup_pose_palette(skeleton, globals, out->palettes + at * skeleton->bone_count);
    }
  }
  return SUP_OK;
}

double sup_bake_size(const SupCharacter *character, SupAffine to_space) {
  const double det = sup_mat3d_determinant(sup_affined_linear(sup_affine_widen(to_space)));
  const SupBounds box = sup_bounds(character->body.positions, character->body.vertex_count);
  return (double)sup_bounds_diagonal(box) * __builtin_cbrt(det < 0 ? -det : det);
}

SupResult sup_bake_track(SupArena *arena, const SupTrack *like, double fps, uint32_t count,
                         const float *curve, const float *measure, double tolerance,
                         SupTrack *out_track, SupError *error) {
  float *times = SUP_ALLOC(arena, float, count), *kept_times, *kept_values;
  uint32_t *scratch = SUP_ALLOC(arena, uint32_t, count), *kept = SUP_ALLOC(arena, uint32_t, count);
  if (!times || !scratch || !kept) return no_memory(error);
  for (uint32_t t = 0; t < count; t++) times[t] = (float)(t / fps);
  const uint32_t keys = sup_keys_reduce(like->channel, like->width, count, times,
                                        measure ? measure : curve, tolerance, scratch, kept);
  kept_times = SUP_ALLOC(arena, float, keys);
  kept_values = SUP_ALLOC(arena, float, (size_t)keys * like->width);
  if (!kept_times || !kept_values) return no_memory(error);
  for (uint32_t k = 0; k < keys; k++) {
    kept_times[k] = times[kept[k]];
    for (uint32_t c = 0; c < like->width; c++) {
      kept_values[(size_t)like->width * k + c] = curve[(size_t)like->width * kept[k] + c];
    }
  }
  *out_track = *like;
  out_track->interpolation = SUP_INTERPOLATE_LINEAR;
  out_track->key_count = keys;
  out_track->times = kept_times;
  out_track->values = kept_values;
  return SUP_OK;
}
