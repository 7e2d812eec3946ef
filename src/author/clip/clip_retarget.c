/* SPDX-License-Identifier: MIT */
/* Clips key by key through sup_retarget_joint; tangents through its linear part. */
#include "supple/author/clip_retarget.h"

/* The value of a key as the whole local transform, everything else at rest. */
static void carry_value(const SupRetarget *retarget, uint32_t joint, SupChannel channel,
                        float *values) {
  SupTransform t = retarget->joints[joint].source_rest;
  if (channel == SUP_CHANNEL_ROTATION) {
    t.rotation = sup_quat_make(values[0], values[1], values[2], values[3]);
    t = sup_retarget_joint(retarget, joint, t);
    values[0] = t.rotation.x, values[1] = t.rotation.y;
    values[2] = t.rotation.z, values[3] = t.rotation.w;
    return;
  }
  SupVec3 *part = channel == SUP_CHANNEL_TRANSLATION ? &t.translation : &t.scale;
  *part = sup_vec3_make(values[0], values[1], values[2]);
  t = sup_retarget_joint(retarget, joint, t);
  values[0] = part->x, values[1] = part->y, values[2] = part->z;
}

static void carry_tangent(const SupRetarget *retarget, uint32_t joint, SupChannel channel,
                          float *values) {
  const SupRetargetJoint *r = &retarget->joints[joint];
  if (r->same) return;
  if (channel == SUP_CHANNEL_ROTATION) {
    SupQuat q = sup_quat_make(values[0], values[1], values[2], values[3]);
    q = sup_quat_mul(sup_quat_mul(r->before, q), r->after);
    values[0] = q.x, values[1] = q.y, values[2] = q.z, values[3] = q.w;
  } else if (channel == SUP_CHANNEL_TRANSLATION) {
    SupVec3 v = sup_quat_rotate(r->before, sup_vec3_make(values[0], values[1], values[2]));
    v = sup_vec3_scale(v, retarget->scale);
    values[0] = v.x, values[1] = v.y, values[2] = v.z;
  } else {
    carry_value(retarget, joint, channel, values); /* scales are multiplied: linear already */
  }
}

static SupResult carry_track(SupArena *arena, const SupRetarget *retarget, uint32_t joint,
                             const SupTrack *from, SupTrack *out_track, SupError *error) {
  bool cubic = from->interpolation == SUP_INTERPOLATE_CUBIC;
  size_t count = (size_t)from->key_count * (cubic ? 3 : 1);
  float *values = SUP_COPY(arena, float, from->values, count * from->width);
  const float *times = SUP_COPY(arena, float, from->times, from->key_count);
  if (!values || !times) return sup_fail_memory(error, "retargeting");
  for (size_t i = 0; i < count; i++) {
    float *value = values + i * from->width;
    if (cubic && i % 3 != 1) {
      carry_tangent(retarget, joint, from->channel, value);
    } else {
      carry_value(retarget, joint, from->channel, value);
    }
  }
  *out_track = *from;
  out_track->target = joint;
  out_track->times = times;
  out_track->values = values;
  return SUP_OK;
}

/* Does `track` drive target joint j? */
static bool drives(const SupRetarget *retarget, const SupTrack *track, uint32_t j) {
  return track->channel != SUP_CHANNEL_WEIGHTS && retarget->joints[j].source == track->target;
}

SupResult sup_clip_retarget(SupArena *arena, const SupRetarget *retarget, const SupClip *clip,
                            SupClip *out_clip, SupError *error) {
  size_t count = 0;
  for (uint32_t k = 0; k < clip->track_count; k++) {
    for (uint32_t j = 0; j < retarget->joint_count; j++) {
      count += drives(retarget, &clip->tracks[k], j) ? 1 : 0;
    }
  }
  SupTrack *tracks = SUP_ALLOC(arena, SupTrack, count);
  const char *name = sup_arena_string(arena, clip->name, sup_string_length(clip->name));
  if (!tracks || !name) return sup_fail_memory(error, "retargeting");
  uint32_t done = 0;
  for (uint32_t k = 0; k < clip->track_count; k++) {
    for (uint32_t j = 0; j < retarget->joint_count; j++) {
      if (!drives(retarget, &clip->tracks[k], j)) continue;
      SupResult result = carry_track(arena, retarget, j, &clip->tracks[k], &tracks[done++], error);
      if (result) return result;
    }
  }
  *out_clip = (SupClip){name, clip->duration, done, tracks};
  return SUP_OK;
}

/* ---- Morph weights -------------------------------------------------------------------------- */

void sup_morphs_match(const SupCharacter *from, const SupCharacter *to, uint32_t *out_match) {
  for (uint32_t k = 0; k < from->morph_count; k++) {
    out_match[k] = SUP_NONE;
    for (uint32_t m = 0; m < to->morph_count && *from->morphs[k].name; m++) {
      if (!sup_string_equal(from->morphs[k].name, to->morphs[m].name)) continue;
      out_match[k] = m;
      break;
    }
  }
}

/* One column of a track of several weights, as a track of its own. */
static SupResult carry_weight(SupArena *arena, const SupTrack *from, uint32_t column,
                              uint32_t target, SupTrack *out_track, SupError *error) {
  size_t rows = (size_t)from->key_count * (from->interpolation == SUP_INTERPOLATE_CUBIC ? 3 : 1);
  float *values = SUP_ALLOC(arena, float, rows);
  const float *times = SUP_COPY(arena, float, from->times, from->key_count);
  if (!values || !times) return sup_fail_memory(error, "retargeting");
  for (size_t i = 0; i < rows; i++) values[i] = from->values[i * from->width + column];
  *out_track = *from;
  out_track->target = target;
  out_track->width = 1;
  out_track->times = times;
  out_track->values = values;
  return SUP_OK;
}

SupResult sup_clip_retarget_weights(SupArena *arena, const SupClip *clip, uint32_t morph_count,
                                    const uint32_t *match, SupClip *io_clip, SupError *error) {
  size_t most = io_clip->track_count;
  for (uint32_t k = 0; k < clip->track_count; k++) {
    if (clip->tracks[k].channel == SUP_CHANNEL_WEIGHTS) most += clip->tracks[k].width;
  }
  SupTrack *tracks = SUP_ALLOC(arena, SupTrack, most);
  if (!tracks) return sup_fail_memory(error, "retargeting");
  uint32_t count = io_clip->track_count;
  sup_copy(tracks, io_clip->tracks, count * sizeof *tracks);
  for (uint32_t k = 0; k < clip->track_count; k++) {
    const SupTrack *track = &clip->tracks[k];
    if (track->channel != SUP_CHANNEL_WEIGHTS) continue;
    for (uint32_t column = 0; column < track->width; column++) {
      uint32_t source = track->target + column;
      if (source >= morph_count || match[source] == SUP_NONE) continue;
      SupResult result = carry_weight(arena, track, column, match[source], &tracks[count++], error);
      if (result != SUP_OK) return result;
    }
  }
  io_clip->track_count = count;
  io_clip->tracks = tracks;
  return SUP_OK;
}
