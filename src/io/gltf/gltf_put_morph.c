/* SPDX-License-Identifier: MIT */
/*
 * Adding morph targets. All primitives of a mesh must have the same number of targets, default
 * weights must be as many, and so must the numbers of every key of a weights animation: all of
 * these are widened together.
 */
#include <string.h>

#include "base/scratch.h"
#include "io/gltf/gltf_build.h"
#include "io/gltf/gltf_edit.h"

typedef struct Adding {
  SupGltf *document;
  const SupGltfCharacter *character;
  uint32_t count;
  const SupGltfMorph *morphs;
  SupArena scratch;
  SupVec3 *work; /* [render.vertex_count] */
  SupError *error;
} Adding;

/* ---- Targets -------------------------------------------------------------------------------- */

/* Offsets in the bind space of the part's skin. */
static void offsets_of_part(const Adding *adding, uint32_t p, const SupVec3 *offsets) {
  const SupPart *part = &adding->character->character.render.parts[p];
  uint32_t skin = adding->character->part_skins[p];
  SupAffined map = sup_affine_to_double(adding->character->skin_to_body[skin]);
  SupMat3d back = sup_mat3d_inverse(sup_affined_linear(map));
  SupMat3d identity = sup_mat3d_identity();
  bool moved = memcmp(&back, &identity, sizeof back) != 0;
  for (uint32_t v = 0; v < part->vertex_count; v++) {
    SupVec3 offset = offsets[part->first_vertex + v];
    if (moved) offset = sup_vec3d_to_float(sup_mat3d_mul_vec3(back, sup_vec3_to_double(offset)));
    adding->work[v] = offset;
  }
}

/* Normals turn by the transpose of the map: the difference of both turned. */
static void normal_offsets_of_part(const Adding *adding, uint32_t p, const SupVec3 *offsets) {
  const SupRender *render = &adding->character->character.render;
  const SupPart *part = &render->parts[p];
  uint32_t skin = adding->character->part_skins[p];
  SupAffined map = sup_affine_to_double(adding->character->skin_to_body[skin]);
  SupMat3d turn = sup_mat3d_transpose(sup_affined_linear(map));
  SupMat3d identity = sup_mat3d_identity();
  bool moved = render->normals && memcmp(&turn, &identity, sizeof turn) != 0;
  for (uint32_t v = 0; v < part->vertex_count; v++) {
    SupVec3 offset = offsets[part->first_vertex + v];
    if (moved) {
      SupVec3d n = sup_vec3_to_double(render->normals[part->first_vertex + v]);
      SupVec3d m = sup_vec3d_add(n, sup_vec3_to_double(offset));
      n = sup_vec3d_normalise(sup_mat3d_mul_vec3(turn, n));
      m = sup_vec3d_normalise(sup_mat3d_mul_vec3(turn, m));
      offset = sup_vec3d_to_float(sup_vec3d_sub(m, n));
    }
    adding->work[v] = offset;
  }
}

static bool all_zero(const SupVec3 *offsets, uint32_t count) {
  for (uint32_t v = 0; v < count; v++) {
    if (offsets[v].x != 0 || offsets[v].y != 0 || offsets[v].z != 0) return false;
  }
  return true;
}

/* An accessor without data: zeros. */
static SupResult add_zeros(Adding *adding, uint32_t count, uint32_t *out_index) {
  json_t *accessors = sup_gltf_need_array(adding->document, GLTF_ACCESSOR);
  if (!accessors) return sup_fail_memory(adding->error, "morph targets");
  *out_index = (uint32_t)json_array_size(accessors);
  return sup_gltf_append(
      accessors,
      json_pack("{s:I,s:I,s:s,s:[iii],s:[iii]}", "componentType", (json_int_t)GLTF_FLOAT, "count",
                (json_int_t)count, "type", "VEC3", "min", 0, 0, 0, "max", 0, 0, 0),
      adding->error);
}

static SupResult add_offsets(Adding *adding, uint32_t count, json_t *target, const char *name) {
  uint32_t index;
  GltfData data = {adding->work, count, GLTF_FLOAT, "VEC3", GLTF_TARGET_VERTICES, true};
  SupResult result = all_zero(adding->work, count)
                         ? add_zeros(adding, count, &index)
                         : sup_gltf_add_accessor(adding->document, &data, &index, adding->error);
  return result == SUP_OK ? sup_gltf_set(target, name, json_integer(index), adding->error) : result;
}

/* The part that is primitive `primitive` of the mesh, or SUP_NONE for one that was ignored. */
static uint32_t find_part(const Adding *adding, uint32_t mesh, uint32_t primitive) {
  const SupRender *render = &adding->character->character.render;
  for (uint32_t p = 0; p < render->part_count; p++) {
    if (render->parts[p].mesh == mesh && render->parts[p].primitive == primitive) return p;
  }
  return SUP_NONE;
}

static SupResult add_target(Adding *adding, uint32_t p, const json_t *primitive,
                            const SupGltfMorph *morph, json_t *target) {
  const SupRender *render = &adding->character->character.render;
  if (p == SUP_NONE) { /* not ours, but must have as many targets */
    uint32_t position = sup_gltf_stored_index(json_object_get(primitive, "attributes"), "POSITION");
    const json_t *accessor =
        json_array_get(sup_gltf_array(adding->document, GLTF_ACCESSOR), position);
    uint32_t index, count = sup_gltf_stored_index(accessor, "count");
    if (count == SUP_NONE) return SUP_OK;
    SupResult result = add_zeros(adding, count, &index);
    if (result != SUP_OK) return result;
    return sup_gltf_set(target, "POSITION", json_integer(index), adding->error);
  }
  offsets_of_part(adding, p, morph->offsets);
  uint32_t count = render->parts[p].vertex_count;
  SupResult result = add_offsets(adding, count, target, "POSITION");
  if (result == SUP_OK && morph->normal_offsets) {
    normal_offsets_of_part(adding, p, morph->normal_offsets);
    result = add_offsets(adding, count, target, "NORMAL");
  }
  return result;
}

static SupResult add_targets(Adding *adding, uint32_t mesh, json_t *json) {
  json_t *primitives = json_object_get(json, "primitives"), *primitive;
  SupResult result = SUP_OK;
  size_t index;
  json_array_foreach(primitives, index, primitive) {
    uint32_t p = find_part(adding, mesh, (uint32_t)index);
    json_t *targets = sup_gltf_need_list(primitive, "targets");
    if (!targets) return sup_fail_memory(adding->error, "morph targets");
    for (uint32_t m = 0; m < adding->count && result == SUP_OK; m++) {
      json_t *target = json_object();
      result = sup_gltf_append(targets, target, adding->error);
      if (result == SUP_OK) {
        result = add_target(adding, p, primitive, &adding->morphs[m], target);
      }
    }
    if (result != SUP_OK) return result;
  }
  return result;
}

/* ---- Names and default weights -------------------------------------------------------------- */

static SupResult add_names(Adding *adding, json_t *mesh, uint32_t old_count) {
  json_t *extras = sup_gltf_need_object(mesh, "extras");
  if (!extras) return sup_fail_memory(adding->error, "morph targets");
  if (!json_is_object(extras)) return SUP_OK; /* somebody else's number or text: leave it */
  json_t *names = sup_gltf_need_list(extras, "targetNames");
  if (!names) return sup_fail_memory(adding->error, "morph targets");
  SupResult result = SUP_OK;
  while (json_is_array(names) && json_array_size(names) < old_count && result == SUP_OK) {
    char name[24];
    sup_format(name, sizeof name, "target_%zu", json_array_size(names));
    result = sup_gltf_append(names, json_string(name), adding->error);
  }
  for (uint32_t m = 0; m < adding->count && json_is_array(names) && result == SUP_OK; m++) {
    result = sup_gltf_append(names, json_string(adding->morphs[m].name), adding->error);
  }
  return result;
}

/* Widens `weights` of a mesh or node; a mesh gets them if it has none. */
static SupResult add_weights(Adding *adding, json_t *owner, uint32_t old_count) {
  json_t *weights = sup_gltf_need_list(owner, "weights");
  SupResult result = weights ? SUP_OK : sup_fail_memory(adding->error, "morph targets");
  while (result == SUP_OK && json_array_size(weights) < old_count) {
    result = sup_gltf_append(weights, json_integer(0), adding->error);
  }
  for (uint32_t m = 0; m < adding->count && result == SUP_OK; m++) {
    result = sup_gltf_append(weights, json_real((double)adding->morphs[m].weight), adding->error);
  }
  return result;
}

/* ---- Animations ----------------------------------------------------------------------------- */

static SupResult read_values(GltfReader *reader, const json_t *sampler, GltfAccessor *out_accessor,
                             float **out_values) {
  uint32_t output = sup_gltf_stored_index(sampler, "output");
  if (!sampler || output == SUP_NONE) {
    return sup_fail(reader->error, SUP_ERROR_FORMAT,
                    "an animation of morph weights has no sampler or no values; the file is "
                    "damaged there");
  }
  SupResult result = sup_gltf_accessor(reader, output, out_accessor);
  if (result != SUP_OK) return result;
  return sup_gltf_read_floats(reader, out_accessor, &reader->scratch, out_values);
}

/* keys x old numbers -> keys x (old + new); the new ones hold their default. With tangents every
 * key has three rows, of which only the middle one holds values. */
static SupResult widen_values(Adding *adding, GltfReader *reader, const json_t *sampler,
                              uint32_t old_count, uint32_t *out_accessor) {
  GltfAccessor accessor;
  float *old;
  SupResult result = read_values(reader, sampler, &accessor, &old);
  if (result != SUP_OK) return result;
  const char *interpolation = sup_gltf_get_string(sampler, "interpolation");
  bool cubic = interpolation && strcmp(interpolation, "CUBICSPLINE") == 0;
  uint32_t rows = accessor.count / old_count, width = old_count + adding->count;
  float *values = SUP_ALLOC(&reader->scratch, float, (size_t)rows *width);
  if (!values) return sup_fail_memory(adding->error, "morph targets");
  for (size_t r = 0; r < rows; r++) {
    memcpy(values + r * width, old + r * old_count, old_count * sizeof(float));
    for (uint32_t m = 0; m < adding->count && (!cubic || r % 3 == 1); m++) {
      values[r * width + old_count + m] = adding->morphs[m].weight;
    }
  }
  GltfData data = {values, rows * width, GLTF_FLOAT, "SCALAR", 0, false};
  return sup_gltf_add_accessor(adding->document, &data, out_accessor, adding->error);
}

static bool animates_mesh(const Adding *adding, const json_t *channel, uint32_t mesh) {
  const json_t *target = json_object_get(channel, "target");
  const char *path = sup_gltf_get_string(target, "path");
  uint32_t node = sup_gltf_stored_index(target, "node");
  const json_t *json = json_array_get(sup_gltf_array(adding->document, GLTF_NODE), node);
  return path && strcmp(path, "weights") == 0 && sup_gltf_stored_index(json, "mesh") == mesh;
}

/* The channel gets a sampler of its own: another one may share the old. */
static SupResult widen_channel(Adding *adding, GltfReader *reader, json_t *animation,
                               json_t *channel, uint32_t old_count) {
  json_t *samplers = json_object_get(animation, "samplers");
  uint32_t output;
  json_t *sampler = json_array_get(samplers, sup_gltf_stored_index(channel, "sampler"));
  SupResult result = widen_values(adding, reader, sampler, old_count, &output);
  if (result != SUP_OK) return result;
  json_t *copy = sup_gltf_json_copy(sampler);
  json_int_t index = (json_int_t)json_array_size(samplers);
  result = sup_gltf_append(samplers, copy, adding->error);
  if (result == SUP_OK) result = sup_gltf_set(copy, "output", json_integer(output), adding->error);
  if (result == SUP_OK)
    result = sup_gltf_set(channel, "sampler", json_integer(index), adding->error);
  return result;
}

static const json_t *sampler_of(const json_t *animation, const json_t *channel) {
  const json_t *samplers = json_object_get(animation, "samplers");
  return json_array_get(samplers, sup_gltf_stored_index(channel, "sampler"));
}

/* Widens every animation of the mesh's weights; with `only_check` reads what that needs. */
static SupResult widen_animations(Adding *adding, uint32_t mesh, uint32_t old_count,
                                  bool only_check) {
  GltfReader reader;
  SupResult result = sup_gltf_reader_init(&reader, adding->document, NULL, adding->error);
  size_t a, c;
  json_t *animation, *channel;
  json_array_foreach(sup_gltf_array(adding->document, GLTF_ANIMATION), a, animation) {
    json_array_foreach(json_object_get(animation, "channels"), c, channel) {
      if (result != SUP_OK || !animates_mesh(adding, channel, mesh)) continue;
      GltfAccessor accessor;
      float *values;
      result = only_check ? read_values(&reader, sampler_of(animation, channel), &accessor, &values)
                          : widen_channel(adding, &reader, animation, channel, old_count);
    }
  }
  sup_gltf_reader_free(&reader);
  return result;
}

/* ---- Meshes --------------------------------------------------------------------------------- */

/* Everything that could fail for another reason than memory. */
static SupResult check_mesh(Adding *adding, uint32_t mesh) {
  uint32_t old_count;
  SupResult result = sup_gltf_morph_count(adding->document, mesh, &old_count, adding->error);
  return result == SUP_OK && old_count ? widen_animations(adding, mesh, old_count, true) : result;
}

static SupResult add_to_mesh(Adding *adding, uint32_t mesh) {
  uint32_t old_count;
  json_t *json = json_array_get(sup_gltf_array(adding->document, GLTF_MESH), mesh), *node;
  SupResult result = sup_gltf_morph_count(adding->document, mesh, &old_count, adding->error);
  if (result == SUP_OK && old_count) result = widen_animations(adding, mesh, old_count, false);
  if (result == SUP_OK) result = add_targets(adding, mesh, json);
  if (result == SUP_OK) result = add_names(adding, json, old_count);
  if (result == SUP_OK) result = add_weights(adding, json, old_count);
  size_t k;
  json_array_foreach(sup_gltf_array(adding->document, GLTF_NODE), k, node) {
    bool own = sup_gltf_stored_index(node, "mesh") == mesh && json_object_get(node, "weights");
    if (own && result == SUP_OK) result = add_weights(adding, node, old_count);
  }
  return result;
}

SupResult sup_gltf_add_morphs(SupGltf *document, const SupGltfCharacter *character, uint32_t count,
                              const SupGltfMorph *morphs, SupError *error) {
  const SupRender *render = &character->character.render;
  Adding adding = {document, character, count, morphs, sup_scratch(&document->arena), NULL, error};
  adding.work = SUP_ALLOC(&adding.scratch, SupVec3, render->vertex_count);
  bool *done = SUP_ALLOC(&adding.scratch, bool, sup_gltf_count(document, GLTF_MESH));
  SupResult result = adding.work && done ? SUP_OK : sup_fail_memory(error, "morph targets");
  for (uint32_t p = 0; p < render->part_count && result == SUP_OK && count; p++) {
    result = check_mesh(&adding, render->parts[p].mesh);
  }
  for (uint32_t p = 0; p < render->part_count && result == SUP_OK && count; p++) {
    uint32_t mesh = render->parts[p].mesh;
    if (done[mesh]) continue;
    done[mesh] = true;
    result = add_to_mesh(&adding, mesh);
  }
  sup_arena_free(&adding.scratch);
  return result;
}
