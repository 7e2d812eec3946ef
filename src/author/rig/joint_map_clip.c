/* SPDX-License-Identifier: MIT */
/* Clips of one skeleton on another, pose by pose. */
#include "base/scratch.h"
#include "supple/author/joint_map.h"
#include "supple/clip.h"

static const float longest_gap = 1.0f / 30;

enum { MOST_KEYS = 1000000 }; /* of a clip: nine hours; a track of each joint has them all */

/* The tracks of one joint of the target. */
typedef struct JointTracks {
  float *rotations;    /* [4 * key_count] or NULL: the joint keeps its rest pose */
  float *translations; /* [3 * key_count] or NULL */
  float *scales;       /* [3 * key_count] or NULL */
} JointTracks;

typedef struct Writer {
  const SupJointMap *map;
  const SupClip *clip;
  float *times; /* [key_count] */
  uint32_t key_count;
  JointTracks *tracks; /* [target joint_count] */
  uint32_t track_count;
} Writer;

/* Heap sort: rising, in place. */
static void sift_down(float *values, size_t from, size_t count) {
  for (;;) {
    size_t child = 2 * from + 1;
    if (child >= count) return;
    if (child + 1 < count && values[child + 1] > values[child]) child++;
    if (!(values[child] > values[from])) return;
    const float value = values[from];
    values[from] = values[child], values[child] = value;
    from = child;
  }
}

static void sort_times(float *times, size_t count) {
  for (size_t k = count / 2; k-- > 0;) sift_down(times, k, count);
  for (size_t k = count; k-- > 1;) {
    const float value = times[0];
    times[0] = times[k], times[k] = value;
    sift_down(times, 0, k);
  }
}

/* Does the track keep its value from `from` to `to`? No key of it lies between them. */
static bool is_still(const SupTrack *track, float from, float to) {
  uint32_t low = 0, high = track->key_count;
  while (low < high) { /* the first key behind `from` */
    const uint32_t middle = low + (high - low) / 2;
    if (track->times[middle] > from) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  if (low == 0 || low == track->key_count) return true;
  if (track->interpolation == SUP_INTERPOLATE_CUBIC) return false;
  const float *before = track->values + (size_t)track->width * (low - 1);
  for (uint32_t c = 0; c < track->width; c++) {
    if (!(before[c] == before[track->width + c])) return false;
  }
  return track->times[low] >= to;
}

static bool all_still(const SupClip *clip, float from, float to) {
  for (uint32_t k = 0; k < clip->track_count; k++) {
    const SupTrack *track = &clip->tracks[k];
    if (track->channel != SUP_CHANNEL_WEIGHTS && !is_still(track, from, to)) return false;
  }
  return true;
}

/* The times of all keys once, and even steps where they are farther apart than the longest gap and
 * something moves between them; `out` NULL: only counts them. */
static size_t spread_times(const SupClip *clip, const float *sorted, size_t count, float *out) {
  size_t used = 0;
  for (size_t k = 0; k < count; k++) {
    if (k && !(sorted[k] > sorted[k - 1])) continue;
    const float gap = k ? sorted[k] - sorted[k - 1] : 0;
    const float even = gap < 60 ? gap : 60; /* whoever moves for more than a minute */
    uint32_t steps = gap > longest_gap * 1.001f ? (uint32_t)(even / longest_gap) + 1 : 1;
    if (steps > 1 && all_still(clip, sorted[k - 1], sorted[k])) steps = 1;
    for (uint32_t i = 1; k && i < steps; i++) {
      if (out) out[used] = sorted[k - 1] + gap * (float)i / (float)steps;
      used++;
    }
    if (out) out[used] = sorted[k];
    used++;
  }
  return used;
}

static SupResult find_times(SupArena *arena, Writer *io_writer, SupError *error) {
  const SupClip *clip = io_writer->clip;
  SupArena scratch = sup_scratch(arena);
  size_t count = 1;
  for (uint32_t k = 0; k < clip->track_count; k++) {
    if (clip->tracks[k].channel != SUP_CHANNEL_WEIGHTS) count += clip->tracks[k].key_count;
  }
  float *all = SUP_ALLOC(&scratch, float, count);
  size_t used = 0;
  for (uint32_t k = 0; all && k < clip->track_count; k++) {
    const SupTrack *track = &clip->tracks[k];
    if (track->channel == SUP_CHANNEL_WEIGHTS) continue;
    sup_copy(all + used, track->times, track->key_count * sizeof *all);
    used += track->key_count;
  }
  if (all && used == 0) all[used++] = 0;
  if (all) sort_times(all, used);
  const size_t spread = all ? spread_times(clip, all, used, NULL) : 0;
  if (spread > MOST_KEYS) {
    sup_arena_free(&scratch);
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "clip '%s' would have more than %u keys on the other skeleton", clip->name,
                    (uint32_t)MOST_KEYS);
  }
  io_writer->times = all ? SUP_ALLOC(arena, float, spread) : NULL;
  if (all && io_writer->times) spread_times(clip, all, used, io_writer->times);
  io_writer->key_count = (uint32_t)spread;
  const bool enough = all && io_writer->times;
  sup_arena_free(&scratch);
  return enough ? SUP_OK : sup_fail_memory(error, "retargeting");
}

static bool drives(const SupClip *clip, uint32_t joint, SupChannel channel) {
  for (uint32_t k = 0; k < clip->track_count; k++) {
    if (clip->tracks[k].target == joint && clip->tracks[k].channel == channel) return true;
  }
  return false;
}

/* Hips move with everything that carries them. */
static bool carried(const Writer *writer, uint32_t joint) {
  for (int32_t at = (int32_t)joint; at >= 0; at = writer->map->source->parents[at]) {
    if (drives(writer->clip, (uint32_t)at, SUP_CHANNEL_TRANSLATION)) return true;
    if (at != (int32_t)joint && drives(writer->clip, (uint32_t)at, SUP_CHANNEL_ROTATION)) {
      return true;
    }
  }
  return false;
}

static SupResult allocate_tracks(SupArena *arena, Writer *io_writer, SupError *error) {
  const SupJointMap *map = io_writer->map;
  const size_t keys = io_writer->key_count;
  io_writer->tracks = SUP_ALLOC(arena, JointTracks, map->target->joint_count);
  bool enough = io_writer->tracks != NULL;
  for (uint32_t j = 0; enough && j < map->target->joint_count; j++) {
    const SupJointFollow *follow = &map->joints[j];
    JointTracks *tracks = &io_writer->tracks[j];
    if (follow->rule == SUP_JOINT_FREE) continue;
    tracks->rotations = SUP_ALLOC(arena, float, 4 * keys);
    enough = tracks->rotations != NULL;
    io_writer->track_count++;
    if (enough && follow->moves && carried(io_writer, follow->source)) {
      tracks->translations = SUP_ALLOC(arena, float, 3 * keys);
      enough = tracks->translations != NULL;
      io_writer->track_count++;
    }
    if (enough && follow->rule != SUP_JOINT_SHARE &&
        drives(io_writer->clip, follow->source, SUP_CHANNEL_SCALE)) {
      tracks->scales = SUP_ALLOC(arena, float, 3 * keys);
      enough = tracks->scales != NULL;
      io_writer->track_count++;
    }
  }
  return enough ? SUP_OK : sup_fail_memory(error, "retargeting");
}

static void write_vec3(float *out, SupVec3 v) { out[0] = v.x, out[1] = v.y, out[2] = v.z; }

/* The key `key` of every track, from the target's pose then. */
static void write_keys(const Writer *writer, uint32_t key, const SupPose *pose) {
  for (uint32_t j = 0; j < pose->joint_count; j++) {
    const JointTracks *tracks = &writer->tracks[j];
    const SupTransform *local = &pose->joints[j];
    if (tracks->rotations) {
      float *out = tracks->rotations + 4 * (size_t)key;
      SupQuat q = local->rotation;
      if (key) { /* on the side of the last key, for programs that interpolate as it stands */
        const SupQuat last = sup_quat_make(out[-4], out[-3], out[-2], out[-1]);
        if (sup_quat_dot(last, q) < 0) q = sup_quat_negate(q);
      }
      out[0] = q.x, out[1] = q.y, out[2] = q.z, out[3] = q.w;
    }
    if (tracks->translations) {
      write_vec3(tracks->translations + 3 * (size_t)key, local->translation);
    }
    if (tracks->scales) write_vec3(tracks->scales + 3 * (size_t)key, local->scale);
  }
}

static SupResult sample_keys(SupArena *arena, const Writer *writer, SupError *error) {
  const SupJointMap *map = writer->map;
  SupArena scratch = sup_scratch(arena);
  SupJointMapWork work;
  SupPose source = {.joint_count = map->source->joint_count,
                    .joints = SUP_ALLOC(&scratch, SupTransform, map->source->joint_count)};
  SupPose target = {.joint_count = map->target->joint_count,
                    .joints = SUP_ALLOC(&scratch, SupTransform, map->target->joint_count)};
  uint32_t *cursor = SUP_ALLOC(&scratch, uint32_t, writer->clip->track_count);
  SupResult result = source.joints && target.joints && cursor
                         ? sup_joint_map_work(&scratch, map, &work, error)
                         : sup_fail_memory(error, "retargeting");
  for (uint32_t k = 0; result == SUP_OK && k < writer->key_count; k++) {
    sup_pose_rest(map->source, &source);
    sup_clip_sample(writer->clip, writer->times[k], false, cursor, &source, NULL);
    sup_joint_map_pose(map, &work, &source, &target);
    write_keys(writer, k, &target);
  }
  sup_arena_free(&scratch);
  return result;
}

static SupResult collect(SupArena *arena, const Writer *writer, SupClip *out_clip,
                         SupError *error) {
  SupTrack *tracks = SUP_ALLOC(arena, SupTrack, writer->track_count);
  const char *name =
      sup_arena_string(arena, writer->clip->name, sup_string_length(writer->clip->name));
  uint32_t count = 0;
  if (!tracks || !name) return sup_fail_memory(error, "retargeting");
  for (uint32_t j = 0; j < writer->map->target->joint_count; j++) {
    const JointTracks *joint = &writer->tracks[j];
    const float *const values[3] = {joint->translations, joint->rotations, joint->scales};
    static const SupChannel channels[3] = {SUP_CHANNEL_TRANSLATION, SUP_CHANNEL_ROTATION,
                                           SUP_CHANNEL_SCALE};
    for (uint32_t c = 0; c < 3; c++) {
      if (!values[c]) continue;
      tracks[count++] = (SupTrack){.target = j,
                                   .channel = channels[c],
                                   .interpolation = SUP_INTERPOLATE_LINEAR,
                                   .width = channels[c] == SUP_CHANNEL_ROTATION ? 4 : 3,
                                   .key_count = writer->key_count,
                                   .times = writer->times,
                                   .values = values[c]};
    }
  }
  *out_clip = (SupClip){name, writer->clip->duration, count, tracks};
  return SUP_OK;
}

SupResult sup_joint_map_clip(SupArena *arena, const SupJointMap *map, const SupClip *clip,
                             SupClip *out_clip, SupError *error) {
  Writer writer = {.map = map, .clip = clip};
  SupResult result = find_times(arena, &writer, error);
  if (result == SUP_OK) result = allocate_tracks(arena, &writer, error);
  if (result == SUP_OK) result = sample_keys(arena, &writer, error);
  return result == SUP_OK ? collect(arena, &writer, out_clip, error) : result;
}
