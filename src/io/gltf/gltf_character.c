/* SPDX-License-Identifier: MIT */
/* Characters out of a document. */
#include <string.h>

#include "io/gltf/gltf_build.h"

/* Each looks at all nodes and all animations of the file. */
#define MOST_CHARACTERS 4096u

/* ---- Extensions ----------------------------------------------------------------------------- */

/* Required extensions that do not change what a character is made of. */
static bool is_harmless(const char *name) {
  static const char *const prefixes[] = {"KHR_materials_",
                                         "KHR_texture_",
                                         "EXT_texture_",
                                         "MSFT_texture_",
                                         "KHR_lights_",
                                         "EXT_lights_",
                                         "KHR_animation_pointer",
                                         "KHR_xmp",
                                         "KHR_node_",
                                         "KHR_mesh_quantization",
                                         "EXT_meshopt_compression",
                                         "KHR_audio",
                                         "VRM",
                                         "MSFT_lod",
                                         "EXT_mesh_gpu_instancing"};
  for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; k++) {
    if (strncmp(name, prefixes[k], strlen(prefixes[k])) == 0) return true;
  }
  return false;
}

static SupResult check_extensions(const SupGltf *document, SupError *error) {
  const json_t *required = json_object_get(document->json.root, "extensionsRequired");
  for (size_t k = 0; k < json_array_size(required); k++) {
    const char *name = json_string_value(json_array_get(required, k));
    if (!name || is_harmless(name)) continue;
    if (strcmp(name, "KHR_draco_mesh_compression") == 0) {
      return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                      "the file is compressed with Draco; decode it first, for example with "
                      "`npx @gltf-transform/cli copy in.glb out.glb`");
    }
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "the file requires the extension `%s`, which is not understood here; export "
                    "it without that extension",
                    name);
  }
  return SUP_OK;
}

/* ---- One character -------------------------------------------------------------------------- */

/* How many skins belong to a character. */
static uint32_t count_skins(const GltfScene *scene, uint32_t character) {
  uint32_t count = 0;
  for (uint32_t s = 0; s < scene->skin_count; s++) count += scene->skins[s].character == character;
  return count;
}

static SupResult begin_build(GltfBuild *build, uint32_t character) {
  const GltfScene *scene = build->scene;
  SupArena *scratch = &build->reader->scratch;
  build->node_joints = SUP_ALLOC(scratch, uint32_t, scene->node_count);
  build->node_morphs = SUP_ALLOC(scratch, uint32_t, scene->node_count);
  build->node_list = SUP_ALLOC(scratch, uint32_t, scene->node_count);
  build->skin_slots = SUP_ALLOC(scratch, uint32_t, scene->skin_count);
  build->skins = SUP_ALLOC(build->reader->arena, uint32_t, count_skins(scene, character));
  if (!build->node_joints || !build->node_morphs || !build->node_list || !build->skin_slots ||
      !build->skins) {
    return sup_fail_memory(build->reader->error, "a character");
  }
  for (uint32_t s = 0; s < scene->skin_count; s++) build->skin_slots[s] = SUP_NONE;
  for (uint32_t k = 0; k < scene->node_count; k++) {
    build->node_joints[k] = build->node_morphs[k] = SUP_NONE;
    const GltfNode *node = &scene->nodes[k];
    if (node->mesh == SUP_NONE || node->skin == SUP_NONE) continue;
    if (scene->skins[node->skin].character != character) continue;
    build->node_list[build->mesh_node_count++] = k;
    if (build->skin_slots[node->skin] != SUP_NONE) continue;
    build->skin_slots[node->skin] = build->skin_count;
    build->skins[build->skin_count++] = node->skin;
  }
  return SUP_OK;
}

/* Unskinned meshes that hang on its joints: swords, hats, eyes. */
static SupResult count_attached(GltfBuild *build) {
  const GltfScene *scene = build->scene;
  bool *below = SUP_ALLOC(&build->reader->scratch, bool, scene->node_count);
  if (!below) return sup_fail_memory(build->reader->error, "a character");
  for (uint32_t s = 0; s < build->skin_count; s++) {
    const GltfSkin *skin = &scene->skins[build->skins[s]];
    for (uint32_t j = 0; j < skin->joint_count; j++) below[skin->joints[j]] = true;
  }
  for (uint32_t k = 0; k < scene->node_count; k++) {
    const GltfNode *node = &scene->nodes[scene->order[k]];
    if (node->parent != SUP_NONE && below[node->parent]) below[scene->order[k]] = true;
    if (below[scene->order[k]] && node->mesh != SUP_NONE && node->skin == SUP_NONE) {
      build->out.report.attached_meshes++;
    }
  }
  return SUP_OK;
}

/* The first name there is: of the skin, of the first mesh node or its mesh. */
static const char *character_name(const GltfBuild *build) {
  const char *name = build->scene->skins[build->skins[0]].name;
  if (!name || !*name) name = build->parts[0].name;
  return name && *name ? name : "character";
}

static SupResult finish_build(GltfBuild *build) {
  GltfReader *reader = build->reader;
  build->raw.name = character_name(build);
  SupGltfCharacter *out = &build->out;
  out->morph_nodes = build->morph_nodes;
  out->morph_targets = build->morph_targets;
  out->skin_count = build->skin_count;
  out->skins = build->skins;
  out->skin_to_body = build->skin_to_body;
  out->skin_bones = build->skin_bones;
  out->skin_joint_counts = build->skin_joint_counts;
  out->part_skins = build->part_skins;
  return sup_character_build(reader->arena, &build->raw, &out->character, reader->error);
}

/* *out_made is false where no primitive of the character can be used. */
static SupResult build_character(const SupGltf *document, const GltfScene *scene,
                                 uint32_t character, GltfReader *all, SupGltfCharacter *out,
                                 bool *out_made) {
  GltfReader reader;
  GltfBuild build = {.reader = &reader, .scene = scene};
  SupResult result = sup_gltf_reader_init(&reader, document, all->arena, all->error);
  reader.room = all->room;
  if (result == SUP_OK) result = begin_build(&build, character);
  if (result == SUP_OK) result = sup_gltf_build_skeleton(&build);
  if (result == SUP_OK) result = sup_gltf_build_parts(&build);
  *out_made = result == SUP_OK && build.raw.part_count > 0;
  if (*out_made) {
    result = sup_gltf_build_clips(&build);
    if (result == SUP_OK) result = count_attached(&build);
    if (result == SUP_OK) result = finish_build(&build);
  }
  sup_gltf_reader_free(&reader);
  if (result == SUP_OK) *out = build.out;
  return result;
}

/* ---- All characters ------------------------------------------------------------------------- */

/* Calls build_character in the order of the first mesh node of each. */
static SupResult build_all(const SupGltf *document, GltfReader *reader, const GltfScene *scene,
                           uint32_t *out_count, SupGltfCharacter **out_characters) {
  bool *done = SUP_ALLOC(&reader->scratch, bool, scene->skin_count);
  SupGltfCharacter *characters = SUP_ALLOC(reader->arena, SupGltfCharacter, scene->skin_count);
  if (!done || !characters) return sup_fail_memory(reader->error, "the characters");
  uint32_t count = 0, begun = 0;
  for (uint32_t k = 0; k < scene->node_count; k++) {
    const GltfNode *node = &scene->nodes[k];
    if (node->mesh == SUP_NONE || node->skin == SUP_NONE) continue;
    uint32_t character = scene->skins[node->skin].character;
    if (done[character]) continue;
    done[character] = true;
    bool made;
    if (++begun > MOST_CHARACTERS) {
      return sup_fail(reader->error, SUP_ERROR_UNSUPPORTED,
                      "more than %u separate skeletons; split the file", MOST_CHARACTERS);
    }
    SupResult result =
        build_character(document, scene, character, reader, &characters[count], &made);
    if (result != SUP_OK) return result;
    count += made;
  }
  if (count == 0) {
    return sup_fail(reader->error, SUP_ERROR_UNSUPPORTED,
                    "the file has no skinned mesh; bind a mesh to a skeleton first (in Blender: "
                    "select mesh and armature, Ctrl+P, With Automatic Weights)");
  }
  *out_count = count;
  *out_characters = characters;
  return SUP_OK;
}

SupResult sup_gltf_characters(const SupGltf *document, SupArena *arena, uint32_t *out_count,
                              SupGltfCharacter **out_characters, SupError *error) {
  SupResult result = check_extensions(document, error);
  if (result != SUP_OK) return result;
  GltfReader reader;
  GltfScene scene;
  result = sup_gltf_reader_init(&reader, document, arena, error);
  if (result == SUP_OK) result = sup_gltf_scene(&reader, &scene);
  if (result == SUP_OK) result = build_all(document, &reader, &scene, out_count, out_characters);
  sup_gltf_reader_free(&reader);
  return result;
}
