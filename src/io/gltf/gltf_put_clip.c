/* SPDX-License-Identifier: MIT */
/* Writing clips as animations, and taking them out. */
#include <string.h>

#include "base/scratch.h"
#include "io/gltf/gltf_edit.h"
#include "io/gltf/gltf_scene.h"

/* ---- Which channels are this character's ---------------------------------------------------- */

static bool owns_node(const SupGltfCharacter *character, uint32_t node, bool weights) {
  const SupCharacter *noun = &character->character;
  const uint32_t *nodes = weights ? character->morph_nodes : character->joint_nodes;
  uint32_t count = weights ? noun->morph_count : noun->skeleton.joint_count;
  for (uint32_t k = 0; k < count; k++) {
    if (nodes[k] == node) return true;
  }
  return false;
}

static bool owns_channel(const SupGltfCharacter *character, const json_t *channel) {
  const json_t *target = json_object_get(channel, "target");
  const char *path = sup_gltf_get_string(target, "path");
  uint32_t node = sup_gltf_stored_index(target, "node");
  if (!path || node == SUP_NONE) return false;
  return owns_node(character, node, strcmp(path, "weights") == 0);
}

/* The animation of that name; unnamed ones are called clip_N as when reading. */
static uint32_t find_animation(const SupGltf *document, const char *name) {
  const json_t *animations = sup_gltf_array(document, GLTF_ANIMATION);
  for (uint32_t k = 0; k < sup_gltf_count(document, GLTF_ANIMATION); k++) {
    const char *own = sup_gltf_get_string(json_array_get(animations, k), "name");
    char fallback[24];
    sup_format(fallback, sizeof fallback, "clip_%u", k);
    if (strcmp(own && *own ? own : fallback, name) == 0) return k;
  }
  return SUP_NONE;
}

/* ---- Taking channels out -------------------------------------------------------------------- */

/* Whether the channels that stay have samplers: they are numbered anew, so a broken one would have
 * to be written as another. */
static SupResult check_kept(const SupGltfCharacter *character, const json_t *animation,
                            const char *name, SupError *error) {
  const json_t *channels = json_object_get(animation, "channels");
  const json_t *samplers = json_object_get(animation, "samplers");
  for (size_t k = 0; k < json_array_size(channels); k++) {
    const json_t *channel = json_array_get(channels, k);
    uint32_t sampler = sup_gltf_stored_index(channel, "sampler");
    if (owns_channel(character, channel) || json_array_get(samplers, sampler)) continue;
    return sup_fail(error, SUP_ERROR_FORMAT,
                    "animation `%s`: channel %zu has no sampler and belongs to another character; "
                    "the file is damaged there",
                    name, k);
  }
  return SUP_OK;
}

/* The channels that stay, with their samplers numbered anew; gives back what only the others
 * used. The old arrays stay in `animation` until the caller replaces them. */
static SupResult keep_channels(SupGltf *document, const SupGltfCharacter *character,
                               const json_t *animation, json_t *channels, json_t *samplers,
                               SupError *error) {
  const json_t *old_channels = json_object_get(animation, "channels");
  const json_t *old_samplers = json_object_get(animation, "samplers");
  SupResult result = SUP_OK;
  for (size_t k = 0; k < json_array_size(old_channels) && result == SUP_OK; k++) {
    json_t *channel = json_array_get(old_channels, k);
    json_t *sampler = json_array_get(old_samplers, sup_gltf_stored_index(channel, "sampler"));
    if (!owns_channel(character, channel)) {
      json_t *copy = sup_gltf_json_copy(channel);
      result = sup_gltf_append(channels, copy, error);
      json_int_t index = (json_int_t)json_array_size(samplers);
      if (result == SUP_OK) result = sup_gltf_set(copy, "sampler", json_integer(index), error);
      if (result == SUP_OK) result = sup_gltf_append(samplers, json_incref(sampler), error);
    } else {
      result = sup_gltf_free_accessor(document, sup_gltf_stored_index(sampler, "input"), error);
      if (result == SUP_OK) {
        result = sup_gltf_free_accessor(document, sup_gltf_stored_index(sampler, "output"), error);
      }
    }
  }
  return result;
}

/* ---- Writing a track ------------------------------------------------------------------------ */

static SupResult check_track(const SupGltfCharacter *character, const SupClip *clip, uint32_t t,
                             SupError *error) {
  const SupTrack *track = &clip->tracks[t];
  const SupCharacter *noun = &character->character;
  bool fits;
  if (track->channel == SUP_CHANNEL_WEIGHTS) {
    uint32_t end = track->target + track->width, count = noun->morph_count;
    const uint32_t *nodes = character->morph_nodes;
    fits = track->target < count && track->width && track->width <= count - track->target &&
           character->morph_targets[track->target] == 0 && nodes[end - 1] == nodes[track->target] &&
           (end == count || nodes[end] != nodes[track->target]);
  } else {
    fits = track->target < noun->skeleton.joint_count &&
           track->width == (track->channel == SUP_CHANNEL_ROTATION ? 4u : 3u);
  }
  bool rises = track->key_count > 0 && track->times[0] >= 0;
  for (uint32_t i = 1; i < track->key_count && rises; i++) {
    rises = track->times[i] > track->times[i - 1];
  }
  if (fits && rises) return SUP_OK;
  return sup_fail(error, SUP_ERROR_ARGUMENT,
                  "clip %s, track %u: its target, width or key times do not fit the character",
                  clip->name, t);
}

/* An animated node must not have a matrix: the same transform as three members. */
static SupResult use_members(SupGltf *document, uint32_t node, SupTransform rest, SupError *error) {
  json_t *json = json_array_get(sup_gltf_array(document, GLTF_NODE), node);
  if (!json_object_get(json, "matrix")) return SUP_OK;
  json_object_del(json, "matrix");
  return sup_gltf_set_transform(json, rest, error);
}

/* The accessor of the key times: tracks of a clip that have the same share one. */
static SupResult put_times(SupGltf *document, const SupClip *clip, uint32_t t,
                           const uint32_t *inputs, uint32_t *out_index, SupError *error) {
  const SupTrack *track = &clip->tracks[t];
  for (uint32_t k = 0; k < t; k++) {
    const SupTrack *other = &clip->tracks[k];
    if (other->key_count == track->key_count &&
        memcmp(other->times, track->times, track->key_count * sizeof(float)) == 0) {
      *out_index = inputs[k];
      return SUP_OK;
    }
  }
  GltfData times = {track->times, track->key_count, GLTF_FLOAT, "SCALAR", 0, true};
  return sup_gltf_add_accessor(document, &times, out_index, error);
}

static SupResult put_track(SupGltf *document, const SupGltfCharacter *character,
                           const SupClip *clip, uint32_t t, uint32_t *inputs, json_t *channels,
                           json_t *samplers, SupError *error) {
  static const char *const paths[] = {"translation", "rotation", "scale", "weights"};
  static const char *const types[] = {"VEC3", "VEC4", "VEC3", "SCALAR"};
  static const char *const interpolations[] = {"LINEAR", "STEP", "CUBICSPLINE"};
  const SupTrack *track = &clip->tracks[t];
  bool weights = track->channel == SUP_CHANNEL_WEIGHTS;
  uint32_t output, count = track->key_count * (weights ? track->width : 1);
  if (track->interpolation == SUP_INTERPOLATE_CUBIC) count *= 3;
  uint32_t node =
      weights ? character->morph_nodes[track->target] : character->joint_nodes[track->target];
  GltfData values = {track->values, count, GLTF_FLOAT, types[track->channel], 0, false};
  SupResult result = put_times(document, clip, t, inputs, &inputs[t], error);
  if (result == SUP_OK) result = sup_gltf_add_accessor(document, &values, &output, error);
  if (result == SUP_OK && !weights) {
    SupTransform rest = character->character.skeleton.rest[track->target];
    result = use_members(document, node, rest, error);
  }
  if (result != SUP_OK) return result;
  json_t *channel = json_pack("{s:I,s:{s:I,s:s}}", "sampler", (json_int_t)json_array_size(samplers),
                              "target", "node", (json_int_t)node, "path", paths[track->channel]);
  json_t *sampler =
      json_pack("{s:I,s:I,s:s}", "input", (json_int_t)inputs[t], "output", (json_int_t)output,
                "interpolation", interpolations[track->interpolation]);
  result = sup_gltf_append(channels, channel, error);
  if (result != SUP_OK) {
    json_decref(sampler);
    return result;
  }
  return sup_gltf_append(samplers, sampler, error);
}

/* ---- Clips ---------------------------------------------------------------------------------- */

/* Replaces the arrays of an animation. */
static SupResult set_arrays(json_t *animation, json_t *channels, json_t *samplers,
                            SupError *error) {
  SupResult result = sup_gltf_set(animation, "channels", json_incref(channels), error);
  if (result == SUP_OK) {
    result = sup_gltf_set(animation, "samplers", json_incref(samplers), error);
  }
  return result;
}

static SupResult write_tracks(SupGltf *document, const SupGltfCharacter *character,
                              const SupClip *clip, json_t *channels, json_t *samplers,
                              SupError *error) {
  SupArena scratch = sup_scratch(&document->arena);
  uint32_t *inputs = SUP_ALLOC(&scratch, uint32_t, clip->track_count);
  SupResult result = inputs ? SUP_OK : sup_fail_memory(error, "a clip");
  for (uint32_t t = 0; t < clip->track_count && result == SUP_OK; t++) {
    result = put_track(document, character, clip, t, inputs, channels, samplers, error);
  }
  sup_arena_free(&scratch);
  return result;
}

SupResult sup_gltf_put_clip(SupGltf *document, const SupGltfCharacter *character,
                            const SupClip *clip, SupError *error) {
  SupResult result = SUP_OK;
  for (uint32_t t = 0; t < clip->track_count && result == SUP_OK; t++) {
    result = check_track(character, clip, t, error);
  }
  if (result != SUP_OK) return result;
  if (clip->track_count == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "clip %s has no tracks", clip->name);
  }
  uint32_t index = find_animation(document, clip->name);
  json_t *animation = json_array_get(sup_gltf_array(document, GLTF_ANIMATION), index);
  result = check_kept(character, animation, clip->name, error);
  if (result != SUP_OK) return result;
  json_t *animations = sup_gltf_need_array(document, GLTF_ANIMATION);
  json_t *channels = json_array(), *samplers = json_array();
  if (!animations || !channels || !samplers) {
    result = sup_fail_memory(error, "a clip");
  } else if (animation) {
    result = keep_channels(document, character, animation, channels, samplers, error);
  }
  if (result == SUP_OK) {
    result = write_tracks(document, character, clip, channels, samplers, error);
  }
  if (result == SUP_OK && !animation) {
    animation = json_pack("{s:s}", "name", clip->name);
    result = sup_gltf_append(animations, animation, error);
  }
  if (result == SUP_OK) result = set_arrays(animation, channels, samplers, error);
  json_decref(channels);
  json_decref(samplers);
  return result;
}

SupResult sup_gltf_remove_clip(SupGltf *document, const SupGltfCharacter *character,
                               const char *name, SupError *error) {
  uint32_t index = find_animation(document, name);
  if (index == SUP_NONE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "there is no clip named `%s`", name);
  }
  json_t *animations = sup_gltf_array(document, GLTF_ANIMATION);
  json_t *animation = json_array_get(animations, index);
  SupResult result = check_kept(character, animation, name, error);
  if (result != SUP_OK) return result;
  json_t *channels = json_array(), *samplers = json_array();
  if (!channels || !samplers) result = sup_fail_memory(error, "a clip");
  if (result == SUP_OK) {
    result = keep_channels(document, character, animation, channels, samplers, error);
  }
  if (result == SUP_OK && json_array_size(channels)) {
    result = set_arrays(animation, channels, samplers, error);
  } else if (result == SUP_OK) {
    json_array_remove(animations, index);
    if (json_array_size(animations) == 0) json_object_del(document->json.root, "animations");
  }
  json_decref(channels);
  json_decref(samplers);
  return result;
}
