/* SPDX-License-Identifier: MIT */
/* Animations as clips of one character. */
#include <math.h>
#include <string.h>

#include "io/gltf/gltf_build.h"

/* What a channel moves in this character. */
typedef struct Target {
  uint32_t target; /* joint, or first morph target */
  SupChannel channel;
  uint32_t width;
} Target;

/* False if the channel moves something else: another character, a camera, a material. */
static SupResult find_target(GltfBuild *build, const GltfItem *channel, Target *out,
                             bool *out_ours) {
  GltfItem item = *channel;
  item.json = json_object_get(channel->json, "target");
  const char *path = sup_gltf_get_string(item.json, "path");
  uint32_t node;
  *out_ours = false;
  SupResult result = sup_gltf_get_index(build->reader->document, &item, "node", GLTF_NODE, &node,
                                        build->reader->error);
  if (result != SUP_OK || node == SUP_NONE || !path) return result;
  if (strcmp(path, "weights") == 0) {
    uint32_t count = 0, first = build->node_morphs[node];
    if (first == SUP_NONE) return SUP_OK;
    while (first + count < build->raw.morph_count && build->morph_nodes[first + count] == node) {
      count++;
    }
    *out = (Target){first, SUP_CHANNEL_WEIGHTS, count};
  } else if (strcmp(path, "translation") == 0) {
    *out = (Target){build->node_joints[node], SUP_CHANNEL_TRANSLATION, 3};
  } else if (strcmp(path, "rotation") == 0) {
    *out = (Target){build->node_joints[node], SUP_CHANNEL_ROTATION, 4};
  } else if (strcmp(path, "scale") == 0) {
    *out = (Target){build->node_joints[node], SUP_CHANNEL_SCALE, 3};
  } else {
    return SUP_OK;
  }
  *out_ours = out->target != SUP_NONE;
  return SUP_OK;
}

static SupResult read_interpolation(const GltfItem *sampler, SupInterpolation *out,
                                    SupError *error) {
  const char *name = sup_gltf_get_string(sampler->json, "interpolation");
  if (!name || strcmp(name, "LINEAR") == 0) {
    *out = SUP_INTERPOLATE_LINEAR;
  } else if (strcmp(name, "STEP") == 0) {
    *out = SUP_INTERPOLATE_STEP;
  } else if (strcmp(name, "CUBICSPLINE") == 0) {
    *out = SUP_INTERPOLATE_CUBIC;
  } else {
    return sup_fail(error, SUP_ERROR_FORMAT, "%s: unknown interpolation `%s`", sampler->name, name);
  }
  return SUP_OK;
}

/* Keys whose time does not rise are dropped; the later one of two at the same time is. */
static uint32_t drop_keys(float *times, float *values, uint32_t count, size_t stride) {
  uint32_t kept = 1;
  for (uint32_t i = 1; i < count; i++) {
    if (!(times[i] > times[kept - 1])) continue;
    if (kept != i) {
      times[kept] = times[i];
      memmove(values + kept * stride, values + i * stride, stride * sizeof(float));
    }
    kept++;
  }
  return kept;
}

/* Integer keys and careless exporters: rotations that are not of unit length. Tangents are none. */
static void normalise_rotations(float *values, uint32_t count) {
  for (size_t i = 0; i < count; i++) {
    SupQuat q = {values[4 * i], values[4 * i + 1], values[4 * i + 2], values[4 * i + 3]};
    if (fabsf(sup_quat_dot(q, q) - 1) <= 1e-6f) continue;
    q = sup_quat_normalise(q);
    memcpy(values + 4 * i, &q, sizeof q);
  }
}

static SupResult read_accessor(GltfReader *reader, const GltfItem *sampler, const char *key,
                               GltfAccessor *out_accessor, float **out_values) {
  uint32_t index;
  SupResult result =
      sup_gltf_get_index(reader->document, sampler, key, GLTF_ACCESSOR, &index, reader->error);
  if (result != SUP_OK) return result;
  if (index == SUP_NONE) {
    return sup_fail(reader->error, SUP_ERROR_FORMAT, "%s: `%s` is missing", sampler->name, key);
  }
  result = sup_gltf_accessor(reader, index, out_accessor);
  if (result == SUP_OK) {
    result = sup_gltf_read_floats(reader, out_accessor, &reader->scratch, out_values);
  }
  return result;
}

static SupResult read_track(GltfBuild *build, const GltfItem *sampler, Target target,
                            SupTrack *out_track) {
  GltfReader *reader = build->reader;
  GltfAccessor input, output;
  float *times, *values;
  SupInterpolation interpolation = SUP_INTERPOLATE_LINEAR;
  SupResult result = read_interpolation(sampler, &interpolation, reader->error);
  if (result == SUP_OK) result = read_accessor(reader, sampler, "input", &input, &times);
  if (result == SUP_OK) result = read_accessor(reader, sampler, "output", &output, &values);
  if (result != SUP_OK) return result;
  size_t stride = (size_t)target.width * (interpolation == SUP_INTERPOLATE_CUBIC ? 3 : 1);
  uint32_t width = target.channel == SUP_CHANNEL_WEIGHTS ? 1 : target.width;
  if (input.width != 1 || output.width != width ||
      (size_t)output.count * width != input.count * stride) {
    return sup_fail(reader->error, SUP_ERROR_FORMAT,
                    "%s: %u times do not fit %u values (accessors %u and %u)", sampler->name,
                    input.count, output.count, input.index, output.index);
  }
  uint32_t keys = drop_keys(times, values, input.count, stride);
  build->out.report.keys_dropped += input.count - keys;
  if (target.channel == SUP_CHANNEL_ROTATION && interpolation != SUP_INTERPOLATE_CUBIC) {
    normalise_rotations(values, keys);
  }
  *out_track =
      (SupTrack){target.target, target.channel, interpolation, target.width, keys, times, values};
  return SUP_OK;
}

static SupResult read_channel(GltfBuild *build, const GltfItem *animation, uint32_t index,
                              SupTrack *tracks, uint32_t *io_count) {
  GltfItem channel, sampler;
  Target target = {0};
  bool ours = false;
  SupError *error = build->reader->error;
  SupResult result = sup_gltf_child(animation, "channels", "channel", index, &channel, error);
  if (result == SUP_OK) result = find_target(build, &channel, &target, &ours);
  if (result != SUP_OK || !ours) return result;
  uint32_t sampler_index = SUP_NONE;
  result = sup_gltf_get_u32(&channel, "sampler", &sampler_index, error);
  if (result == SUP_OK) {
    result = sup_gltf_child(animation, "samplers", "sampler", sampler_index, &sampler, error);
  }
  if (result == SUP_OK) result = read_track(build, &sampler, target, &tracks[*io_count]);
  if (result == SUP_OK) ++*io_count;
  return result;
}

static SupResult read_clip(GltfBuild *build, uint32_t index, SupClip *clip) {
  GltfItem animation;
  uint32_t channels;
  SupArena *scratch = &build->reader->scratch;
  SupResult result = sup_gltf_item(build->reader->document, GLTF_ANIMATION, index, &animation,
                                   build->reader->error);
  if (result == SUP_OK) {
    result = sup_gltf_get_length(&animation, "channels", &channels, build->reader->error);
  }
  if (result != SUP_OK) return result;
  SupTrack *tracks = SUP_ALLOC(scratch, SupTrack, channels);
  const char *name = sup_gltf_get_string(animation.json, "name");
  char *fallback = SUP_ALLOC(scratch, char, 24);
  if (!tracks || !fallback) return sup_fail_memory(build->reader->error, animation.name);
  sup_format(fallback, 24, "clip_%u", index);
  uint32_t count = 0;
  for (uint32_t k = 0; k < channels && result == SUP_OK; k++) {
    result = read_channel(build, &animation, k, tracks, &count);
  }
  *clip =
      (SupClip){.name = name && *name ? name : fallback, .track_count = count, .tracks = tracks};
  return result;
}

SupResult sup_gltf_build_clips(GltfBuild *build) {
  uint32_t count = sup_gltf_count(build->reader->document, GLTF_ANIMATION);
  SupClip *clips = SUP_ALLOC(&build->reader->scratch, SupClip, count);
  uint32_t *animations = SUP_ALLOC(build->reader->arena, uint32_t, count);
  if (!clips || !animations) return sup_fail_memory(build->reader->error, "the clips");
  for (uint32_t k = 0; k < count; k++) {
    SupClip *clip = &clips[build->raw.clip_count];
    SupResult result = read_clip(build, k, clip);
    if (result != SUP_OK) return result;
    if (clip->track_count == 0) continue;
    animations[build->raw.clip_count++] = k;
  }
  build->raw.clips = clips;
  build->out.clip_animations = animations;
  return SUP_OK;
}
