/* SPDX-License-Identifier: MIT */
#include "train/bake/bake.h"

#include "supple/author/keys.h"
#include "supple/clip.h"
#include "supple/geom/bounds.h"

static SupResult no_memory(SupError *error) {
  return sup_fail(error, SUP_ERROR_MEMORY,
                  "baking: out of memory; bake fewer clips at once, or at fewer frames per second");
}

/* Every so many frames of every motion. */
static void choose_basis(uint32_t wanted, BakeFrames *out) {
  const uint32_t step = wanted && out->count > wanted ? (out->count + wanted - 1) / wanted : 1;
  uint32_t in_motion = 0;
  for (uint32_t k = 0; k < out->count; k++, in_motion++) {
    if (k > 0 && out->motion_of[k] != out->motion_of[k - 1]) in_motion = 0;
    if (in_motion % step == 0) out->basis[out->basis_count++] = k;
  }
}

SupResult sup_bake_frames(SupArena *arena, const SupCharacter *character, uint32_t motion_count,
                          const SupBakeMotion *motions, uint32_t basis, BakeFrames *out,
                          SupError *error) {
  const SupSkeleton *skeleton = &character->skeleton;
  const uint32_t morphs = character->morph_count;
  uint64_t count = 0;
  for (uint32_t k = 0; k < motion_count; k++) count += motions[k].frame_count;
  if (count == 0 || count > UINT32_MAX) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "baking: %llu frames; the number must be from 1 to 4294967295",
                    (unsigned long long)count);
  }
  SupPose pose = {skeleton->joint_count, sup_transform_identity(),
                  SUP_ALLOC(arena, SupTransform, skeleton->joint_count)};
  *out = (BakeFrames){.character = character,
                      .motion_count = motion_count,
                      .motions = motions,
                      .count = (uint32_t)count};
  out->motion_of = SUP_ALLOC(arena, uint32_t, count);
  out->globals = SUP_ALLOC(arena, SupAffine, (size_t)count * skeleton->joint_count);
  out->palettes = SUP_ALLOC(arena, SupAffine, (size_t)count * skeleton->bone_count);
  out->morph_weights = SUP_ALLOC(arena, float, (size_t)count *morphs);
  out->basis = SUP_ALLOC(arena, uint32_t, count);
  out->scratch = SUP_ALLOC(arena, SupVec3, (size_t)2 * character->body.vertex_count);
  if (!pose.joints || !out->motion_of || !out->globals || !out->palettes || !out->morph_weights ||
      !out->basis || !out->scratch) {
    return no_memory(error);
  }
  size_t at = 0;
  for (uint32_t k = 0; k < motion_count; k++) {
    for (uint32_t t = 0; t < motions[k].frame_count; t++, at++) {
      SupAffine *globals = out->globals + at * skeleton->joint_count;
      float *weights = out->morph_weights + at * morphs;
      for (uint32_t m = 0; m < morphs; m++) weights[m] = character->morphs[m].weight;
      sup_pose_rest(skeleton, &pose);
      sup_clip_sample(motions[k].clip, (float)(t / motions[k].fps), false, NULL, &pose,
                      morphs ? weights : NULL);
      sup_pose_evaluate(skeleton, &pose, globals, out->palettes + at * skeleton->bone_count);
      out->motion_of[at] = k;
    }
  }
  choose_basis(basis, out);
  return SUP_OK;
}

SupResult sup_bake_visit(const BakeFrames *frames, BakeVisit visit, void *user) {
  const size_t n = frames->character->body.vertex_count;
  uint32_t frame = 0;
  for (uint32_t k = 0; k < frames->motion_count; k++) {
    const SupBakeMotion *motion = &frames->motions[k];
    for (uint32_t t = 0; t < motion->frame_count; t++, frame++) {
      const SupVec3 *positions = motion->positions ? motion->positions + t * n : frames->scratch;
      if (!motion->positions) motion->play(motion->user, t, frames->scratch);
      SupResult result = visit(user, frame, positions);
      if (result != SUP_OK) return result;
    }
  }
  return SUP_OK;
}

const SupVec3 *sup_bake_own_morphs(const BakeFrames *frames, uint32_t frame) {
  const SupCharacter *c = frames->character;
  const uint32_t n = c->body.vertex_count;
  const float *weights = frames->morph_weights + (size_t)frame * c->morph_count;
  SupVec3 *sum = frames->scratch + n;
  bool any = false;
  for (uint32_t m = 0; m < c->morph_count; m++) {
    if (weights[m] == 0) continue;
    if (!any) sup_zero(sum, n * sizeof *sum);
    any = true;
    for (uint32_t i = 0; i < n; i++) {
      sum[i] = sup_vec3_add_scaled(sum[i], c->morphs[m].offsets[i], weights[m]);
    }
  }
  return any ? sum : NULL;
}

static SupVec3d blend(const BakeFrames *frames, uint32_t frame, uint32_t vertex, SupVec3 v,
                      bool direction) {
  const SupCharacter *c = frames->character;
  const SupAffine *palette = frames->palettes + (size_t)frame * c->skeleton.bone_count;
  SupVec3d sum = {0, 0, 0};
  for (uint32_t k = c->skin.offsets[vertex]; k < c->skin.offsets[vertex + 1]; k++) {
    const SupAffine *m = &palette[c->skin.bones[k]];
    const SupVec3 at = direction ? sup_affine_direction(*m, v) : sup_affine_point(*m, v);
    sum = sup_vec3d_add_scaled(sum, sup_vec3_to_double(at), (double)c->skin.weights[k]);
  }
  return sum;
}

SupVec3d sup_bake_skin(const BakeFrames *frames, uint32_t frame, uint32_t vertex, SupVec3 rest) {
  return blend(frames, frame, vertex, rest, false);
}

SupVec3d sup_bake_turn(const BakeFrames *frames, uint32_t frame, uint32_t vertex, SupVec3 way) {
  return blend(frames, frame, vertex, way, true);
}

bool sup_bake_is_open(SupAffined motion) {
  const SupMat3d m = sup_affined_linear(motion);
  double size = 0;
  for (int k = 0; k < 9; k++) size += m.m[k] * m.m[k] / 3;
  const double det = sup_mat3d_determinant(m);
  /* 1e-3 of the length in any direction that is left; and not smaller than anybody would show. */
  return size > 1e-8 && (det < 0 ? -det : det) > 1e-6 * size * sup_sqrt(size);
}

double sup_bake_size(const SupCharacter *character, SupAffine to_space) {
  const double det = sup_mat3d_determinant(sup_affined_linear(sup_affine_to_double(to_space)));
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
