/* SPDX-License-Identifier: MIT */
#include "creature.h"

SupVec3 creature_vector(SupRng *rng, float size) {
  float x = sup_rng_float(rng), y = sup_rng_float(rng), z = sup_rng_float(rng);
  return sup_vec3_make((2 * x - 1) * size, (2 * y - 1) * size, (2 * z - 1) * size);
}

SupQuat creature_rotation(SupRng *rng) {
  SupVec3 axis = creature_vector(rng, 1);
  return sup_quat_normalise(sup_quat_make(axis.x, axis.y, axis.z, 2 * sup_rng_float(rng) - 1));
}

static bool make_skeleton(SupArena *arena, SupRng *rng, SupSkeleton *out) {
  uint32_t n = CREATURE_JOINTS;
  int32_t *parents = SUP_ALLOC(arena, int32_t, n);
  SupTransform *rest = SUP_ALLOC(arena, SupTransform, n);
  const char **names = SUP_ALLOC(arena, const char *, n);
  uint32_t *joints = SUP_ALLOC(arena, uint32_t, n);
  SupAffine *bind = SUP_ALLOC(arena, SupAffine, n);
  SupAffine *globals = SUP_ALLOC(arena, SupAffine, n);
  if (!parents || !rest || !names || !joints || !bind || !globals) return false;
  for (uint32_t j = 0; j < n; j++) {
    char name[] = "rig:a";
    name[4] = (char)('a' + j);
    names[j] = sup_arena_string(arena, name, 5);
    parents[j] = j == 0 ? -1 : (int32_t)sup_rng_below(rng, j);
    rest[j] = (SupTransform){creature_vector(rng, 0.4f), creature_rotation(rng), {1, 1, 1}};
    SupAffine local = sup_affine_compose(rest[j]);
    globals[j] = j == 0 ? local : sup_affine_mul(globals[parents[j]], local);
    joints[j] = j;
    bind[j] = sup_affine_inverse(globals[j]);
  }
  *out = (SupSkeleton){n, n, parents, rest, names, joints, bind};
  return true;
}

static bool make_track(SupArena *arena, SupRng *rng, SupTrack *track) {
  float *times = SUP_ALLOC(arena, float, CREATURE_KEYS);
  float *values = SUP_ALLOC(arena, float, CREATURE_KEYS * 12);
  if (!times || !values) return false;
  track->key_count = CREATURE_KEYS;
  track->interpolation = (SupInterpolation)sup_rng_below(rng, 3);
  uint32_t parts = track->interpolation == SUP_INTERPOLATE_CUBIC ? 3 : 1;
  for (uint32_t k = 0; k < CREATURE_KEYS; k++) {
    times[k] = 0.25f * (float)k + 0.1f * sup_rng_float(rng);
    for (uint32_t part = 0; part < parts; part++) {
      float *value = values + (k * parts + part) * track->width;
      SupQuat q = creature_rotation(rng);
      SupVec3 v = creature_vector(rng, 0.5f);
      const float turn[4] = {q.x, q.y, q.z, q.w}, move[3] = {v.x, v.y, v.z};
      for (uint32_t c = 0; c < track->width; c++) {
        value[c] = track->channel == SUP_CHANNEL_ROTATION ? turn[c] : move[c];
      }
    }
  }
  track->times = times;
  track->values = values;
  return true;
}

static bool make_clip(SupArena *arena, SupRng *rng, SupClip *out) {
  uint32_t count = 2 * CREATURE_JOINTS + 1;
  SupTrack *tracks = SUP_ALLOC(arena, SupTrack, count);
  if (!tracks) return false;
  *out = (SupClip){"random", 0, count, tracks};
  for (uint32_t k = 0; k < count; k++) {
    SupTrack *track = &tracks[k];
    track->target = k / 2;
    track->channel = k % 2 ? SUP_CHANNEL_TRANSLATION : SUP_CHANNEL_ROTATION;
    if (k == count - 1) {
      track->channel = SUP_CHANNEL_WEIGHTS;
      track->target = 0;
    }
    track->width = track->channel == SUP_CHANNEL_ROTATION      ? 4
                   : track->channel == SUP_CHANNEL_TRANSLATION ? 3
                                                               : CREATURE_MORPHS;
    if (!make_track(arena, rng, track)) return false;
    float last = track->times[track->key_count - 1];
    if (last > out->duration) out->duration = last;
  }
  return true;
}

static bool make_weights(SupArena *arena, SupRng *rng, uint32_t count, SupSkin *out) {
  uint32_t *offsets = SUP_ALLOC(arena, uint32_t, (size_t)count + 1);
  uint32_t *bones = SUP_ALLOC(arena, uint32_t, (size_t)count * 8);
  float *weights = SUP_ALLOC(arena, float, (size_t)count * 8);
  if (!offsets || !bones || !weights) return false;
  for (uint32_t v = 0; v < count; v++) {
    uint32_t first = offsets[v], n = 1 + sup_rng_below(rng, 8);
    uint32_t bone = sup_rng_below(rng, CREATURE_JOINTS);
    float sum = 0;
    for (uint32_t k = 0; k < n; k++) {
      bones[first + k] = (bone + 5 * k) % CREATURE_JOINTS;
      weights[first + k] = 0.1f + sup_rng_float(rng);
      sum += weights[first + k];
    }
    for (uint32_t k = 0; k < n; k++) weights[first + k] /= sum;
    offsets[v + 1] = first + n;
  }
  *out = (SupSkin){count, 8, offsets, bones, weights};
  return true;
}

static bool make_surface(SupArena *arena, SupRng *rng, uint32_t count, SupSkinSource *out) {
  SupVec3 *positions = SUP_ALLOC(arena, SupVec3, count);
  SupVec3 *normals = SUP_ALLOC(arena, SupVec3, count);
  SupVec4 *tangents = SUP_ALLOC(arena, SupVec4, count);
  uint32_t *order = SUP_ALLOC(arena, uint32_t, count);
  SupMorph *morphs = SUP_ALLOC(arena, SupMorph, CREATURE_MORPHS);
  SupVec3 *offsets = SUP_ALLOC(arena, SupVec3, (size_t)count * CREATURE_MORPHS);
  if (!positions || !normals || !tangents || !order || !morphs || !offsets) return false;
  for (uint32_t v = 0; v < count; v++) {
    positions[v] = creature_vector(rng, 1);
    normals[v] = sup_vec3_normalise(creature_vector(rng, 1));
    SupVec3 t = sup_vec3_normalise(creature_vector(rng, 1));
    tangents[v] = (SupVec4){t.x, t.y, t.z, v % 3 ? 1.0f : -1.0f};
    order[v] = count - 1 - v;
    if (v % 50 < 10) offsets[v] = creature_vector(rng, 0.2f);
    if (v % 7 == 0) offsets[count + v] = creature_vector(rng, 0.2f);
  }
  morphs[0] = (SupMorph){"a", 0, offsets};
  morphs[1] = (SupMorph){"b", 0, offsets + count};
  out->vertex_count = count;
  out->bone_count = CREATURE_JOINTS;
  out->positions = positions;
  out->normals = normals;
  out->tangents = tangents;
  out->morph_count = CREATURE_MORPHS;
  out->morphs = morphs;
  out->order = order;
  return make_weights(arena, rng, count, &out->skin);
}

bool creature_make(SupArena *arena, uint64_t seed, uint32_t vertex_count, Creature *out) {
  SupRng rng = sup_rng(seed, 7);
  *out = (Creature){.clip = {"", 0, 0, NULL}};
  return make_skeleton(arena, &rng, &out->skeleton) && make_clip(arena, &rng, &out->clip) &&
         make_surface(arena, &rng, vertex_count, &out->source) &&
         sup_skin_pack(arena, &out->source, &out->skin, NULL) == SUP_OK;
}
