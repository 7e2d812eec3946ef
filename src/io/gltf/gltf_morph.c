/* SPDX-License-Identifier: MIT */
/* Which morph targets a character has: one for every target of every mesh node. */
#include <string.h>

#include "io/gltf/gltf_build.h"
#include "supple/skin.h"

SupResult sup_gltf_morph_count(const SupGltf *document, uint32_t mesh, uint32_t *out_count,
                               SupError *error) {
  GltfItem item, primitive;
  uint32_t primitives, count = 0;
  SupResult result = sup_gltf_item(document, GLTF_MESH, mesh, &item, error);
  if (result == SUP_OK) result = sup_gltf_get_length(&item, "primitives", &primitives, error);
  if (result != SUP_OK) return result;
  for (uint32_t p = 0; p < primitives; p++) {
    uint32_t targets;
    result = sup_gltf_child(&item, "primitives", "primitive", p, &primitive, error);
    if (result == SUP_OK) result = sup_gltf_get_length(&primitive, "targets", &targets, error);
    if (result != SUP_OK) return result;
    if (p && targets != count) {
      return sup_fail(error, SUP_ERROR_FORMAT,
                      "%s has %u morph targets, the primitives before it %u", primitive.name,
                      targets, count);
    }
    count = targets;
  }
  *out_count = count;
  return SUP_OK;
}

/* Default weights: the node's, else the mesh's, else 0. */
static SupResult read_weights(GltfBuild *build, const GltfItem *node, const GltfItem *mesh,
                              uint32_t count, float *out_weights) {
  bool present;
  SupError *error = build->reader->error;
  SupResult result = sup_gltf_get_floats(node, "weights", count, out_weights, &present, error);
  if (result == SUP_OK && !present) {
    result = sup_gltf_get_floats(mesh, "weights", count, out_weights, NULL, error);
  }
  return result;
}

static SupResult add_node_morphs(GltfBuild *build, uint32_t node, uint32_t count) {
  const SupGltf *document = build->reader->document;
  GltfItem node_item, mesh;
  float *weights = SUP_ALLOC(&build->reader->scratch, float, count);
  if (!weights) return sup_fail_memory(build->reader->error, "the morph targets");
  SupError *error = build->reader->error;
  SupResult result = sup_gltf_item(document, GLTF_NODE, node, &node_item, error);
  if (result == SUP_OK) {
    result = sup_gltf_item(document, GLTF_MESH, build->scene->nodes[node].mesh, &mesh, error);
  }
  if (result == SUP_OK) result = read_weights(build, &node_item, &mesh, count, weights);
  if (result != SUP_OK) return result;
  const json_t *names = json_object_get(json_object_get(mesh.json, "extras"), "targetNames");
  build->node_morphs[node] = build->raw.morph_count;
  for (uint32_t m = 0; m < count; m++) {
    uint32_t at = build->raw.morph_count++;
    build->morphs[at] = (SupRawMorph){json_string_value(json_array_get(names, m)), weights[m]};
    build->morph_nodes[at] = node;
    build->morph_targets[at] = m;
  }
  return SUP_OK;
}

SupResult sup_gltf_build_morphs(GltfBuild *build) {
  size_t total = 0;
  SupResult result = SUP_OK;
  uint32_t count = 0;
  for (uint32_t k = 0; k < build->mesh_node_count && result == SUP_OK; k++) {
    uint32_t mesh = build->scene->nodes[build->node_list[k]].mesh;
    result = sup_gltf_morph_count(build->reader->document, mesh, &count, build->reader->error);
    total += count;
  }
  if (result != SUP_OK) return result;
  if (total > SUP_SKIN_MORPHS) {
    return sup_fail(build->reader->error, SUP_ERROR_UNSUPPORTED,
                    "%zu morph targets; a character has at most %u", total, SUP_SKIN_MORPHS);
  }
  build->morphs = SUP_ALLOC(&build->reader->scratch, SupRawMorph, total);
  build->morph_nodes = SUP_ALLOC(build->reader->arena, uint32_t, total);
  build->morph_targets = SUP_ALLOC(build->reader->arena, uint32_t, total);
  if (!build->morphs || !build->morph_nodes || !build->morph_targets) {
    return sup_fail_memory(build->reader->error, "the morph targets");
  }
  for (uint32_t k = 0; k < build->mesh_node_count && result == SUP_OK; k++) {
    uint32_t node = build->node_list[k];
    result = sup_gltf_morph_count(build->reader->document, build->scene->nodes[node].mesh, &count,
                                  build->reader->error);
    if (result == SUP_OK && count) result = add_node_morphs(build, node, count);
  }
  build->raw.morphs = build->morphs;
  return result;
}
