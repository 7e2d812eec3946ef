/* SPDX-License-Identifier: MIT */
#include "author/character/character_check.h"

static const char *text_or_empty(const char *text) { return text ? text : ""; }

/* Not a NaN, not infinite. */
static bool all_finite(const float *values, size_t count) {
  for (size_t k = 0; k < count; k++) {
    if (!(values[k] >= -3.402823466e38f && values[k] <= 3.402823466e38f)) return false;
  }
  return true;
}

static SupResult check_joint(const SupSkeleton *skeleton, uint32_t j, SupError *error) {
  int32_t parent = skeleton->parents[j];
  if (parent < -1 || (parent >= 0 && (uint32_t)parent >= j)) {
    return sup_fail(error, SUP_ERROR_FORMAT, "joint %u: its parent %d does not come before it", j,
                    parent);
  }
  const SupTransform *rest = &skeleton->rest[j];
  if (!all_finite(&rest->translation.x, 3) || !all_finite(&rest->rotation.x, 4) ||
      !all_finite(&rest->scale.x, 3)) {
    return sup_fail(error, SUP_ERROR_FORMAT, "joint %u: its rest pose is not finite", j);
  }
  return SUP_OK;
}

static SupResult check_skeleton(const SupSkeleton *skeleton, SupError *error) {
  for (uint32_t j = 0; j < skeleton->joint_count; j++) {
    SupResult result = check_joint(skeleton, j, error);
    if (result != SUP_OK) return result;
  }
  for (uint32_t b = 0; b < skeleton->bone_count; b++) {
    if (skeleton->bone_joints[b] >= skeleton->joint_count) {
      return sup_fail(error, SUP_ERROR_FORMAT, "bone %u: there is no joint %u", b,
                      skeleton->bone_joints[b]);
    }
    if (!all_finite(skeleton->inverse_bind[b].m, 12)) {
      return sup_fail(error, SUP_ERROR_FORMAT, "bone %u: its inverse bind matrix is not finite", b);
    }
  }
  return SUP_OK;
}

static SupResult check_influences(const SupRawCharacter *raw, uint32_t p, SupError *error) {
  const SupRawPart *part = &raw->parts[p];
  size_t slots = (size_t)part->vertex_count * part->influence_count;
  for (size_t k = 0; k < slots; k++) {
    if (part->bones[k] >= raw->skeleton.bone_count) {
      return sup_fail(error, SUP_ERROR_FORMAT, "part %u (%s), vertex %zu: there is no bone %u", p,
                      text_or_empty(part->name), k / part->influence_count, part->bones[k]);
    }
  }
  if (!all_finite(part->weights, slots)) {
    return sup_fail(error, SUP_ERROR_FORMAT, "part %u (%s): a weight is not finite", p,
                    text_or_empty(part->name));
  }
  return SUP_OK;
}

static bool part_is_finite(const SupRawCharacter *raw, const SupRawPart *part) {
  size_t n = part->vertex_count;
  bool finite = n == 0 || all_finite(&part->positions->x, 3 * n);
  if (part->normals && n) finite = finite && all_finite(&part->normals->x, 3 * n);
  if (part->tangents && n) finite = finite && all_finite(&part->tangents->x, 4 * n);
  if (part->uvs) finite = finite && all_finite(part->uvs, 2 * n);
  for (uint32_t m = 0; part->morph_offsets && n && m < raw->morph_count; m++) {
    const SupVec3 *offsets = part->morph_offsets[m];
    if (offsets) finite = finite && all_finite(&offsets->x, 3 * n);
  }
  for (uint32_t m = 0; part->map_values && m < raw->map_count; m++) {
    const float *values = part->map_values[m];
    if (values) finite = finite && all_finite(values, n);
  }
  return finite;
}

static SupResult check_part(const SupRawCharacter *raw, uint32_t p, SupError *error) {
  const SupRawPart *part = &raw->parts[p];
  const char *name = text_or_empty(part->name);
  for (size_t k = 0; k < 3 * (size_t)part->triangle_count; k++) {
    if (part->triangles[k] >= part->vertex_count) {
      return sup_fail(error, SUP_ERROR_FORMAT, "part %u (%s), triangle %zu: there is no vertex %u",
                      p, name, k / 3, part->triangles[k]);
    }
  }
  if (!part_is_finite(raw, part)) {
    return sup_fail(error, SUP_ERROR_FORMAT, "part %u (%s) has a number that is not finite", p,
                    name);
  }
  return check_influences(raw, p, error);
}

static SupResult check_track(const SupRawCharacter *raw, const SupClip *clip, uint32_t t,
                             SupError *error) {
  const SupTrack *track = &clip->tracks[t];
  const char *name = text_or_empty(clip->name);
  bool weights = track->channel == SUP_CHANNEL_WEIGHTS;
  uint32_t targets = weights ? raw->morph_count : raw->skeleton.joint_count;
  uint32_t width = weights ? track->width : track->channel == SUP_CHANNEL_ROTATION ? 4 : 3;
  if (track->target >= targets || track->width != width || width == 0 ||
      (weights && width > targets - track->target)) {
    return sup_fail(error, SUP_ERROR_FORMAT,
                    "clip %s, track %u: target %u of width %u does not exist", name, t,
                    track->target, track->width);
  }
  size_t values = (size_t)track->key_count * width;
  if (track->interpolation == SUP_INTERPOLATE_CUBIC) values *= 3;
  if (track->key_count == 0 || !all_finite(track->times, track->key_count) ||
      !all_finite(track->values, values) || track->times[0] < 0) {
    return sup_fail(
        error, SUP_ERROR_FORMAT,
        "clip %s, track %u: it has no keys, or a key that is not finite or before time 0", name, t);
  }
  for (uint32_t i = 1; i < track->key_count; i++) {
    if (!(track->times[i] > track->times[i - 1])) {
      return sup_fail(error, SUP_ERROR_FORMAT,
                      "clip %s, track %u: key %u is not later than the one before", name, t, i);
    }
  }
  return SUP_OK;
}

static SupResult check_clips(const SupRawCharacter *raw, SupError *error) {
  for (uint32_t c = 0; c < raw->clip_count; c++) {
    for (uint32_t t = 0; t < raw->clips[c].track_count; t++) {
      SupResult result = check_track(raw, &raw->clips[c], t, error);
      if (result != SUP_OK) return result;
    }
  }
  return SUP_OK;
}

SupResult sup_raw_character_check(const SupRawCharacter *raw, SupError *error) {
  uint64_t vertices = 0, triangles = 0;
  SupResult result = check_skeleton(&raw->skeleton, error);
  for (uint32_t p = 0; p < raw->part_count && result == SUP_OK; p++) {
    result = check_part(raw, p, error);
    vertices += raw->parts[p].vertex_count;
    triangles += raw->parts[p].triangle_count;
  }
  if (result != SUP_OK) return result;
  if (vertices >= SUP_NONE || 3 * triangles >= SUP_NONE) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "the character has more than 4 billion vertices or triangle corners");
  }
  return check_clips(raw, error);
}
