/* SPDX-License-Identifier: MIT */
/* Adding joints: nodes below their parents, and places in every skin of the character. */
#include <string.h>

#include "base/scratch.h"
#include "io/gltf/gltf_edit.h"
#include "io/gltf/gltf_scene.h"

static SupResult check_joints(const SupGltfCharacter *character, uint32_t count,
                              const SupGltfJoint *joints, SupError *error) {
  for (uint32_t j = 0; j < count; j++) {
    if (joints[j].parent >= character->character.skeleton.joint_count + j) {
      return sup_fail(error, SUP_ERROR_ARGUMENT,
                      "new joint %u (%s): there is no joint %u before it", j, joints[j].name,
                      joints[j].parent);
    }
  }
  return SUP_OK;
}

static SupResult add_node(SupGltf *document, const SupGltfJoint *joint, uint32_t parent,
                          uint32_t *out_node, SupError *error) {
  json_t *nodes = sup_gltf_array(document, GLTF_NODE);
  json_t *node = json_pack("{s:s}", "name", joint->name);
  if (!node) return sup_fail_memory(error, "a joint");
  uint32_t index = (uint32_t)json_array_size(nodes);
  SupResult result = sup_gltf_append(nodes, node, error);
  if (result == SUP_OK) result = sup_gltf_set_transform(node, joint->rest, error);
  json_t *children = sup_gltf_need_list(json_array_get(nodes, parent), "children");
  if (result == SUP_OK && !children) result = sup_fail_memory(error, "a joint");
  if (result == SUP_OK) result = sup_gltf_append(children, json_integer(index), error);
  if (result == SUP_OK) *out_node = index;
  return result;
}

/* A glTF matrix of an affine map. */
static void store_matrix(SupAffined map, float out[16]) {
  SupAffine narrow = sup_affined_to_float(map);
  for (int c = 0; c < 4; c++) {
    for (int r = 0; r < 3; r++) out[4 * c + r] = narrow.m[3 * c + r];
    out[4 * c + 3] = c == 3 ? 1 : 0;
  }
}

/* The skin's matrices as the file has them, bit by bit, with room for `extra` more. */
static SupResult read_matrices(GltfReader *reader, const json_t *skin, uint32_t joint_count,
                               uint32_t extra, float **out_matrices) {
  size_t total = 16 * ((size_t)joint_count + extra);
  float *matrices = SUP_ALLOC(&reader->scratch, float, total);
  if (!matrices) return sup_fail_memory(reader->error, "inverse bind matrices");
  uint32_t index = sup_gltf_stored_index(skin, "inverseBindMatrices");
  *out_matrices = matrices;
  if (index == SUP_NONE) {
    for (uint32_t j = 0; j < joint_count; j++) {
      store_matrix(sup_affined_identity(), matrices + 16 * (size_t)j);
    }
    return SUP_OK;
  }
  GltfAccessor accessor;
  float *values;
  SupResult result = sup_gltf_accessor(reader, index, &accessor);
  if (result == SUP_OK) result = sup_gltf_read_floats(reader, &accessor, &reader->scratch, &values);
  if (result == SUP_OK) memcpy(matrices, values, 16 * (size_t)joint_count * sizeof(float));
  return result;
}

/* Whether a joint, new or old, is the node or hangs below it. */
static bool hangs_below(const SupGltfCharacter *character, const SupGltfJoint *joints,
                        uint32_t joint, uint32_t node) {
  const SupSkeleton *skeleton = &character->character.skeleton;
  while (joint >= skeleton->joint_count) joint = joints[joint - skeleton->joint_count].parent;
  for (int32_t j = (int32_t)joint; j >= 0; j = skeleton->parents[j]) {
    if (character->joint_nodes[j] == node) return true;
  }
  return false;
}

/* `skeleton` must be above all joints of the skin; it is only a hint, so where it no longer is, it
 * goes. */
static void check_skeleton_root(const SupGltfCharacter *character, uint32_t count,
                                const SupGltfJoint *joints, json_t *skin) {
  uint32_t root = sup_gltf_stored_index(skin, "skeleton");
  for (uint32_t j = 0; j < count && root != SUP_NONE; j++) {
    if (!hangs_below(character, joints, joints[j].parent, root)) {
      json_object_del(skin, "skeleton");
      return;
    }
  }
}

SupResult sup_gltf_extend_skin(SupGltf *document, const SupGltfCharacter *character, uint32_t s,
                               uint32_t count, const SupGltfJoint *joints, const uint32_t *nodes,
                               SupError *error) {
  json_t *skin = json_array_get(sup_gltf_array(document, GLTF_SKIN), character->skins[s]);
  json_t *list = json_object_get(skin, "joints");
  uint32_t old_count = character->skin_joint_counts[s];
  uint32_t index, old = sup_gltf_stored_index(skin, "inverseBindMatrices");
  GltfReader reader;
  float *matrices = NULL;
  check_skeleton_root(character, count, joints, skin);
  SupResult result = sup_gltf_reader_init(&reader, document, NULL, error);
  if (result == SUP_OK) result = read_matrices(&reader, skin, old_count, count, &matrices);
  for (uint32_t j = 0; j < count && result == SUP_OK; j++) {
    SupAffined to_body = sup_affine_to_double(character->skin_to_body[s]);
    SupAffined inverse = sup_affined_mul(sup_affine_to_double(joints[j].inverse_bind), to_body);
    store_matrix(inverse, matrices + 16 * ((size_t)old_count + j));
    result = sup_gltf_append(list, json_integer(nodes[j]), error);
  }
  if (result == SUP_OK) {
    GltfData data = {matrices, old_count + count, GLTF_FLOAT, "MAT4", 0, false};
    result = sup_gltf_add_accessor(document, &data, &index, error);
  }
  if (result == SUP_OK)
    result = sup_gltf_set(skin, "inverseBindMatrices", json_integer(index), error);
  if (result == SUP_OK && old != SUP_NONE) result = sup_gltf_free_accessor(document, old, error);
  sup_gltf_reader_free(&reader);
  return result;
}

SupResult sup_gltf_add_joints(SupGltf *document, const SupGltfCharacter *character, uint32_t count,
                              const SupGltfJoint *joints, uint32_t *out_nodes, SupError *error) {
  SupResult result = check_joints(character, count, joints, error);
  if (result != SUP_OK || count == 0) return result;
  uint32_t old_count = character->character.skeleton.joint_count;
  SupArena scratch = sup_scratch(&document->arena);
  uint32_t *nodes = SUP_ALLOC(&scratch, uint32_t, count);
  if (!nodes) result = sup_fail_memory(error, "joints");
  for (uint32_t j = 0; j < count && result == SUP_OK; j++) {
    uint32_t parent = joints[j].parent;
    uint32_t node = parent < old_count ? character->joint_nodes[parent] : nodes[parent - old_count];
    result = add_node(document, &joints[j], node, &nodes[j], error);
  }
  for (uint32_t s = 0; s < character->skin_count && result == SUP_OK; s++) {
    result = sup_gltf_extend_skin(document, character, s, count, joints, nodes, error);
  }
  if (result == SUP_OK && out_nodes) memcpy(out_nodes, nodes, count * sizeof *nodes);
  sup_arena_free(&scratch);
  return result;
}
