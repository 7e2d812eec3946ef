/* SPDX-License-Identifier: MIT */
/* Nodes and skins. Which skins make one character is decided here, too. */
#include "io/gltf/gltf_scene.h"

#include <math.h>
#include <string.h>

#include "base/union_find.h"

SupAffined sup_gltf_affine(const float m[16]) {
  SupAffined affine;
  for (int c = 0; c < 4; c++) {
    for (int r = 0; r < 3; r++) affine.m[3 * c + r] = (double)m[4 * c + r];
  }
  return affine;
}

/* ---- Nodes ---------------------------------------------------------------------------------- */

/* Whether translation, rotation and scale give the matrix back, within what floats in a file and
 * a few exporters' own rounding explain. */
static bool is_decomposed(SupAffined matrix, SupTransformd parts) {
  SupAffined again = sup_affined_compose(parts);
  double size = 0, difference = 0;
  for (int k = 0; k < 9; k++) {
    size = fmax(size, fabs(matrix.m[k]));
    difference = fmax(difference, fabs(matrix.m[k] - again.m[k]));
  }
  return difference <= 1e-4 * size;
}

static SupResult read_transform(const GltfItem *item, GltfNode *node, SupError *error) {
  float matrix[16];
  bool has_matrix;
  SupTransform rest = sup_transform_identity();
  SupResult result = sup_gltf_get_floats(item, "matrix", 16, matrix, &has_matrix, error);
  if (result == SUP_OK && has_matrix) {
    SupAffined affine = sup_gltf_affine(matrix);
    SupTransformd parts = sup_affined_decompose(affine);
    node->sheared = !is_decomposed(affine, parts);
    node->rest =
        (SupTransform){sup_vec3d_to_float(parts.translation), sup_quatd_to_float(parts.rotation),
                       sup_vec3d_to_float(parts.scale)};
    return SUP_OK;
  }
  if (result == SUP_OK) {
    result = sup_gltf_get_floats(item, "translation", 3, &rest.translation.x, NULL, error);
  }
  if (result == SUP_OK) {
    result = sup_gltf_get_floats(item, "rotation", 4, &rest.rotation.x, NULL, error);
  }
  if (result == SUP_OK) result = sup_gltf_get_floats(item, "scale", 3, &rest.scale.x, NULL, error);
  if (result != SUP_OK) return result;
  /* Files store rotations to float precision; worse ones are normalised, others kept bit by bit. */
  float length = sup_quat_dot(rest.rotation, rest.rotation);
  if (fabsf(length - 1) > 1e-6f) rest.rotation = sup_quat_normalise(rest.rotation);
  node->rest = rest;
  return SUP_OK;
}

static SupResult read_node(GltfReader *reader, const GltfItem *item, GltfNode *node) {
  const SupGltf *document = reader->document;
  SupResult result = read_transform(item, node, reader->error);
  if (result == SUP_OK) {
    result = sup_gltf_get_index(document, item, "mesh", GLTF_MESH, &node->mesh, reader->error);
  }
  if (result == SUP_OK) {
    result = sup_gltf_get_index(document, item, "skin", GLTF_SKIN, &node->skin, reader->error);
  }
  return result;
}

static SupResult read_children(GltfReader *reader, const GltfItem *item, uint32_t index,
                               GltfNode *nodes) {
  uint32_t count, child;
  SupResult result = sup_gltf_get_length(item, "children", &count, reader->error);
  for (uint32_t k = 0; result == SUP_OK && k < count; k++) {
    result = sup_gltf_array_index(reader->document, item, "children", k, GLTF_NODE, &child,
                                  reader->error);
    if (result != SUP_OK) return result;
    if (nodes[child].parent != SUP_NONE) {
      return sup_fail(reader->error, SUP_ERROR_FORMAT, "node %u is a child of both node %u and %u",
                      child, nodes[child].parent, index);
    }
    nodes[child].parent = index;
  }
  return result;
}

/* Parents before children: a walk from the roots, depth first. Nodes that the walk does not reach
 * are in a cycle, since each has one parent at most. */
static SupResult order_nodes(GltfReader *reader, GltfScene *scene) {
  uint32_t n = scene->node_count, count = 0, depth = 0;
  uint32_t *stack = SUP_ALLOC(&reader->scratch, uint32_t, n);
  scene->order = SUP_ALLOC(&reader->scratch, uint32_t, n);
  if (!stack || !scene->order) return sup_fail_memory(reader->error, "the nodes");
  for (uint32_t k = n; k-- > 0;) {
    if (scene->nodes[k].parent == SUP_NONE) stack[depth++] = k;
  }
  while (depth) {
    uint32_t node = stack[--depth];
    scene->order[count++] = node;
    const json_t *children = json_object_get(
        json_array_get(sup_gltf_array(reader->document, GLTF_NODE), node), "children");
    for (size_t k = json_array_size(children); k-- > 0;) {
      stack[depth++] = (uint32_t)json_number_value(json_array_get(children, k));
    }
  }
  if (count == n) return SUP_OK;
  return sup_fail(reader->error, SUP_ERROR_FORMAT,
                  "the node hierarchy has a cycle: %u nodes are their own ancestors", n - count);
}

static SupResult read_nodes(GltfReader *reader, GltfScene *scene) {
  GltfItem item;
  SupResult result = SUP_OK;
  scene->node_count = sup_gltf_count(reader->document, GLTF_NODE);
  scene->nodes = SUP_ALLOC(&reader->scratch, GltfNode, scene->node_count);
  if (!scene->nodes) return sup_fail_memory(reader->error, "the nodes");
  for (uint32_t k = 0; k < scene->node_count; k++) scene->nodes[k].parent = SUP_NONE;
  for (uint32_t k = 0; k < scene->node_count && result == SUP_OK; k++) {
    result = sup_gltf_item(reader->document, GLTF_NODE, k, &item, reader->error);
    if (result == SUP_OK) result = read_node(reader, &item, &scene->nodes[k]);
    if (result == SUP_OK) result = read_children(reader, &item, k, scene->nodes);
  }
  if (result == SUP_OK) result = order_nodes(reader, scene);
  if (result != SUP_OK) return result;
  for (uint32_t k = 0; k < scene->node_count; k++) {
    GltfNode *node = &scene->nodes[scene->order[k]];
    SupTransformd rest = {sup_vec3_to_double(node->rest.translation),
                          sup_quat_to_double(node->rest.rotation),
                          sup_vec3_to_double(node->rest.scale)};
    node->to_scene = sup_affined_compose(rest);
    if (node->parent != SUP_NONE) {
      node->to_scene = sup_affined_mul(scene->nodes[node->parent].to_scene, node->to_scene);
    }
  }
  return SUP_OK;
}

/* ---- Skins ---------------------------------------------------------------------------------- */

static SupResult read_inverse_bind(GltfReader *reader, const GltfItem *item, GltfSkin *skin) {
  uint32_t index;
  SupResult result = sup_gltf_get_index(reader->document, item, "inverseBindMatrices",
                                        GLTF_ACCESSOR, &index, reader->error);
  if (result != SUP_OK) return result;
  SupAffined *inverse_bind = SUP_ALLOC(&reader->scratch, SupAffined, skin->joint_count);
  if (!inverse_bind) return sup_fail_memory(reader->error, item->name);
  skin->inverse_bind = inverse_bind;
  if (index == SUP_NONE) {
    for (uint32_t j = 0; j < skin->joint_count; j++) inverse_bind[j] = sup_affined_identity();
    return SUP_OK;
  }
  GltfAccessor accessor;
  float *values;
  result = sup_gltf_accessor(reader, index, &accessor);
  if (result != SUP_OK) return result;
  if (accessor.width != 16 || accessor.count < skin->joint_count) {
    return sup_fail(reader->error, SUP_ERROR_FORMAT,
                    "%s: its inverse bind matrices (accessor %u) are not %u 4x4 matrices",
                    item->name, index, skin->joint_count);
  }
  result = sup_gltf_read_floats(reader, &accessor, &reader->scratch, &values);
  for (uint32_t j = 0; result == SUP_OK && j < skin->joint_count; j++) {
    inverse_bind[j] = sup_gltf_affine(values + 16 * (size_t)j);
  }
  return result;
}

static SupResult read_skin(GltfReader *reader, uint32_t index, GltfSkin *skin) {
  GltfItem item;
  SupResult result = sup_gltf_item(reader->document, GLTF_SKIN, index, &item, reader->error);
  if (result == SUP_OK) {
    result = sup_gltf_get_length(&item, "joints", &skin->joint_count, reader->error);
  }
  if (result == SUP_OK) {
    result = sup_gltf_get_index(reader->document, &item, "skeleton", GLTF_NODE, &skin->skeleton,
                                reader->error);
  }
  if (result != SUP_OK) return result;
  if (skin->joint_count == 0) {
    return sup_fail(reader->error, SUP_ERROR_FORMAT, "%s has no joints", item.name);
  }
  uint32_t *joints = SUP_ALLOC(&reader->scratch, uint32_t, skin->joint_count);
  if (!joints) return sup_fail_memory(reader->error, item.name);
  for (uint32_t j = 0; result == SUP_OK && j < skin->joint_count; j++) {
    result = sup_gltf_array_index(reader->document, &item, "joints", j, GLTF_NODE, &joints[j],
                                  reader->error);
  }
  skin->joints = joints;
  skin->name = sup_gltf_get_string(item.json, "name");
  skin->first_user = SUP_NONE;
  return result == SUP_OK ? read_inverse_bind(reader, &item, skin) : result;
}

/* Skins make one character if they share a joint, if joints of one hang below joints of the other,
 * or if they name the same skeleton node. */
static SupResult group_skins(GltfReader *reader, GltfScene *scene) {
  uint32_t *owner = SUP_ALLOC(&reader->scratch, uint32_t, scene->node_count);
  uint32_t *named = SUP_ALLOC(&reader->scratch, uint32_t, scene->node_count);
  uint32_t *groups = SUP_ALLOC(&reader->scratch, uint32_t, scene->skin_count);
  if (!owner || !named || !groups) return sup_fail_memory(reader->error, "the skins");
  for (uint32_t k = 0; k < scene->node_count; k++) owner[k] = named[k] = SUP_NONE;
  sup_union_find_init(groups, scene->skin_count);
  for (uint32_t s = 0; s < scene->skin_count; s++) {
    const GltfSkin *skin = &scene->skins[s];
    for (uint32_t j = 0; j < skin->joint_count; j++) {
      if (owner[skin->joints[j]] != SUP_NONE)
        sup_union_find_join(groups, s, owner[skin->joints[j]]);
      owner[skin->joints[j]] = s;
    }
    if (skin->skeleton == SUP_NONE) continue;
    if (named[skin->skeleton] != SUP_NONE) sup_union_find_join(groups, s, named[skin->skeleton]);
    named[skin->skeleton] = s;
  }
  /* Going down, a node without an owner has its parent's. */
  for (uint32_t k = 0; k < scene->node_count; k++) {
    uint32_t node = scene->order[k], parent = scene->nodes[node].parent;
    uint32_t above = parent == SUP_NONE ? SUP_NONE : owner[parent];
    if (above == SUP_NONE) continue;
    if (owner[node] == SUP_NONE) {
      owner[node] = above;
    } else {
      sup_union_find_join(groups, owner[node], above);
    }
  }
  for (uint32_t s = 0; s < scene->skin_count; s++) {
    scene->skins[s].character = sup_union_find_root(groups, s);
  }
  return SUP_OK;
}

SupResult sup_gltf_scene(GltfReader *reader, GltfScene *out_scene) {
  GltfScene scene = {0};
  SupResult result = read_nodes(reader, &scene);
  if (result != SUP_OK) return result;
  scene.skin_count = sup_gltf_count(reader->document, GLTF_SKIN);
  scene.skins = SUP_ALLOC(&reader->scratch, GltfSkin, scene.skin_count);
  if (!scene.skins) return sup_fail_memory(reader->error, "the skins");
  for (uint32_t s = 0; s < scene.skin_count && result == SUP_OK; s++) {
    result = read_skin(reader, s, &scene.skins[s]);
  }
  if (result == SUP_OK) result = group_skins(reader, &scene);
  if (result != SUP_OK) return result;
  for (uint32_t k = 0; k < scene.node_count; k++) {
    const GltfNode *node = &scene.nodes[k];
    if (node->mesh == SUP_NONE || node->skin == SUP_NONE) continue;
    if (scene.skins[node->skin].first_user == SUP_NONE) scene.skins[node->skin].first_user = k;
  }
  *out_scene = scene;
  return SUP_OK;
}
