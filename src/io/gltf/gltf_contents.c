/* SPDX-License-Identifier: MIT */
/* What is in a document, for people. */
#include <string.h>

#include "io/gltf/gltf_build.h"

static const char *text_or_empty(const json_t *object, const char *key) {
  const char *text = sup_gltf_get_string(object, key);
  return text ? text : "";
}

static uint32_t length_of(const json_t *object, const char *key) {
  return (uint32_t)json_array_size(json_object_get(object, key));
}

static void count_meshes(const SupGltf *document, SupGltfContents *contents) {
  size_t m, p;
  json_t *mesh, *primitive;
  json_array_foreach(sup_gltf_array(document, GLTF_MESH), m, mesh) {
    const json_t *primitives = json_object_get(mesh, "primitives");
    contents->primitive_count += (uint32_t)json_array_size(primitives);
    contents->morph_target_count += length_of(json_array_get(primitives, 0), "targets");
    json_array_foreach(primitives, p, primitive) {
      const json_t *mode = json_object_get(primitive, "mode");
      bool triangles = !mode || sup_gltf_mode_has_triangles((uint32_t)json_integer_value(mode));
      if (!triangles) contents->line_or_point_primitives++;
    }
  }
}

static void count_nodes(const SupGltf *document, SupGltfContents *contents) {
  size_t k;
  json_t *node;
  json_array_foreach(sup_gltf_array(document, GLTF_NODE), k, node) {
    if (!json_object_get(node, "mesh")) continue;
    if (json_object_get(node, "skin")) {
      contents->skinned_node_count++;
    } else {
      contents->unskinned_node_count++;
    }
  }
}

static void count_bytes(const SupGltf *document, SupGltfContents *contents) {
  size_t k;
  json_t *image;
  for (uint32_t b = 0; b < document->buffer_count; b++) {
    if (document->buffers[b].data) contents->buffer_bytes += document->buffers[b].bytes;
  }
  json_array_foreach(sup_gltf_array(document, GLTF_IMAGE), k, image) {
    const json_t *view = json_object_get(image, "bufferView");
    const json_t *views = sup_gltf_array(document, GLTF_VIEW);
    json_int_t index = json_is_integer(view) ? json_integer_value(view) : -1;
    if (index < 0) continue;
    const json_t *length = json_object_get(json_array_get(views, (size_t)index), "byteLength");
    if (json_integer_value(length) > 0)
      contents->image_bytes += (uint64_t)json_integer_value(length);
  }
}

static void count_springs(const SupGltf *document, SupGltfContents *contents) {
  const json_t *extensions = json_object_get(document->json.root, "extensions");
  const json_t *vrm0 = json_object_get(json_object_get(extensions, "VRM"), "secondaryAnimation");
  const json_t *vrm1 = json_object_get(extensions, "VRMC_springBone");
  const json_t *springs = json_object_get(vrm1 ? vrm1 : vrm0, vrm1 ? "springs" : "boneGroups");
  size_t k;
  json_t *spring;
  json_array_foreach(springs, k, spring) {
    contents->spring_count++;
    contents->spring_joint_count += length_of(spring, vrm1 ? "joints" : "bones");
  }
  if (contents->spring_count) contents->springs = vrm1 ? SUP_SPRINGS_VRM1 : SUP_SPRINGS_VRM0;
}

static SupResult list_extensions(const SupGltf *document, SupArena *arena,
                                 SupGltfContents *contents, SupError *error) {
  const json_t *used = json_object_get(document->json.root, "extensionsUsed");
  const char **names = SUP_ALLOC(arena, const char *, json_array_size(used));
  if (!names) return sup_fail_memory(error, "the list of extensions");
  for (size_t k = 0; k < json_array_size(used); k++) {
    const char *name = json_string_value(json_array_get(used, k));
    if (!name) continue;
    names[contents->extension_count++] = name;
    if (strcmp(name, "EXT_meshopt_compression") == 0) contents->compressed = true;
    if (strcmp(name, "KHR_mesh_quantization") == 0) contents->quantised = true;
  }
  contents->extensions = names;
  return SUP_OK;
}

static SupResult list_materials(const SupGltf *document, SupArena *arena, SupGltfContents *contents,
                                SupError *error) {
  const json_t *materials = sup_gltf_array(document, GLTF_MATERIAL);
  const char **names = SUP_ALLOC(arena, const char *, contents->material_count);
  if (!names) return sup_fail_memory(error, "the list of materials");
  for (uint32_t k = 0; k < contents->material_count; k++) {
    names[k] = text_or_empty(json_array_get(materials, k), "name");
  }
  contents->materials = names;
  return SUP_OK;
}

static void count_models(const SupGltf *document, SupGltfContents *contents) {
  size_t k;
  json_t *skin;
  json_array_foreach(sup_gltf_array(document, GLTF_SKIN), k, skin) {
    const json_t *extensions = json_object_get(skin, "extensions");
    contents->model_count += length_of(json_object_get(extensions, "SUPPLE_model"), "models");
  }
}

SupResult sup_gltf_contents(const SupGltf *document, SupArena *arena, SupGltfContents *out_contents,
                            SupError *error) {
  const json_t *asset = json_object_get(document->json.root, "asset");
  SupGltfContents contents = {.generator = text_or_empty(asset, "generator"),
                              .version = text_or_empty(asset, "version"),
                              .copyright = text_or_empty(asset, "copyright"),
                              .binary = document->binary,
                              .scene_count = sup_gltf_count(document, GLTF_SCENE),
                              .node_count = sup_gltf_count(document, GLTF_NODE),
                              .mesh_count = sup_gltf_count(document, GLTF_MESH),
                              .skin_count = sup_gltf_count(document, GLTF_SKIN),
                              .animation_count = sup_gltf_count(document, GLTF_ANIMATION),
                              .material_count = sup_gltf_count(document, GLTF_MATERIAL),
                              .texture_count = sup_gltf_count(document, GLTF_TEXTURE),
                              .image_count = sup_gltf_count(document, GLTF_IMAGE),
                              .camera_count = sup_gltf_count(document, GLTF_CAMERA)};
  SupResult result = list_extensions(document, arena, &contents, error);
  if (result == SUP_OK) result = list_materials(document, arena, &contents, error);
  if (result != SUP_OK) return result;
  count_meshes(document, &contents);
  count_nodes(document, &contents);
  count_bytes(document, &contents);
  count_springs(document, &contents);
  count_models(document, &contents);
  *out_contents = contents;
  return SUP_OK;
}
