/* SPDX-License-Identifier: MIT */
/* What a file says about its parts besides their shape: names, metal, glass. */
#include "io/gltf/gltf_edit.h"
#include "io/gltf/gltf_reader.h"

/* A number from 0 to 1; `usual` where it is absent or none. */
static float fraction(const json_t *object, const char *key, float usual) {
  const json_t *number = json_object_get(object, key);
  const double value = json_number_value(number);
  return json_is_number(number) && value >= 0 && value <= 1 ? (float)value : usual;
}

static const char *copy_name(SupArena *arena, const json_t *object) {
  const char *name = sup_gltf_get_string(object, "name");
  return sup_arena_string(arena, name ? name : "", name ? sup_string_length(name) : 0);
}

static const json_t *item(const SupGltf *document, GltfKind kind, uint32_t index) {
  return index == SUP_NONE ? NULL : json_array_get(sup_gltf_array(document, kind), index);
}

/* glTF's default is metal, which exporters mean by nothing; a texture may say anything. */
static void take_look(const json_t *material, SupPartSigns *io_signs) {
  const json_t *pbr = json_object_get(material, "pbrMetallicRoughness");
  const json_t *extension =
      json_object_get(json_object_get(material, "extensions"), "KHR_materials_transmission");
  const char *mode = sup_gltf_get_string(material, "alphaMode");
  io_signs->roughness = fraction(pbr, "roughnessFactor", 1);
  io_signs->transmission = fraction(extension, "transmissionFactor", 0);
  if (!json_object_get(pbr, "metallicRoughnessTexture")) {
    io_signs->metallic = fraction(pbr, "metallicFactor", 0);
  }
  const json_t *alpha = json_array_get(json_object_get(pbr, "baseColorFactor"), 3);
  if (mode && sup_string_equal(mode, "BLEND") && json_is_number(alpha)) {
    const double clear = 1 - json_number_value(alpha);
    if (clear > (double)io_signs->transmission && clear <= 1) io_signs->transmission = (float)clear;
  }
}

SupResult sup_gltf_part_signs(const SupGltf *document, const SupGltfCharacter *character,
                              SupArena *arena, const SupPartSigns **out_signs, SupError *error) {
  const SupRender *render = &character->character.render;
  SupPartSigns *signs = SUP_ALLOC(arena, SupPartSigns, render->part_count);
  if (!signs) return sup_fail_memory(error, "the materials");
  for (uint32_t p = 0; p < render->part_count; p++) {
    const json_t *mesh = item(document, GLTF_MESH, render->parts[p].mesh);
    const json_t *material = item(document, GLTF_MATERIAL, render->parts[p].material);
    signs[p].material = copy_name(arena, material);
    signs[p].mesh = copy_name(arena, mesh);
    if (!signs[p].material || !signs[p].mesh) return sup_fail_memory(error, "the materials");
    signs[p].roughness = 1;
    if (material) take_look(material, &signs[p]);
  }
  *out_signs = signs;
  return SUP_OK;
}
