/* SPDX-License-Identifier: MIT */
/* A fresh document that holds one character: a skeleton's tree, then what editing can add. */
#include <string.h>

#include "base/scratch.h"
#include "io/gltf/gltf_edit.h"

typedef struct Creating {
  SupGltf *document;
  const SupCharacter *from;
  SupArena scratch;
  SupGltfCharacter shell; /* the character as the new document has it */
  uint32_t *mesh_nodes;   /* [mesh_count] */
  uint32_t mesh_count;
  SupError *error;
} Creating;

/* ---- Nodes and the skin --------------------------------------------------------------------- */

static SupResult add_joint_node(Creating *creating, const char *name, SupTransform rest,
                                uint32_t parent) {
  json_t *nodes = sup_gltf_need_array(creating->document, GLTF_NODE);
  json_t *node = *name ? json_pack("{s:s}", "name", name) : json_object();
  if (!nodes) {
    json_decref(node);
    return sup_fail_memory(creating->error, "the new document");
  }
  json_int_t index = (json_int_t)json_array_size(nodes);
  SupResult result = sup_gltf_append(nodes, node, creating->error);
  if (result == SUP_OK) result = sup_gltf_set_transform(node, rest, creating->error);
  if (result != SUP_OK || parent == SUP_NONE) return result;
  json_t *children = sup_gltf_need_list(json_array_get(nodes, parent), "children");
  if (!children) return sup_fail_memory(creating->error, "the new document");
  return sup_gltf_append(children, json_integer(index), creating->error);
}

/* Node j is joint j. */
static SupResult add_joint_nodes(Creating *creating) {
  const SupSkeleton *skeleton = &creating->from->skeleton;
  SupResult result = SUP_OK;
  for (uint32_t j = 0; j < skeleton->joint_count && result == SUP_OK; j++) {
    uint32_t parent = skeleton->parents[j] < 0 ? SUP_NONE : (uint32_t)skeleton->parents[j];
    result = add_joint_node(creating, skeleton->names[j], skeleton->rest[j], parent);
  }
  return result;
}

/* The node of each bone. A skin lists no node twice: where a joint has several bones, the others
 * get a node of their own that sits still in the joint. */
static SupResult bone_nodes(Creating *creating, uint32_t *out_nodes) {
  const SupSkeleton *skeleton = &creating->from->skeleton;
  bool *used = SUP_ALLOC(&creating->scratch, bool, skeleton->joint_count);
  if (!used) return sup_fail_memory(creating->error, "the new document");
  for (uint32_t b = 0; b < skeleton->bone_count; b++) {
    uint32_t joint = skeleton->bone_joints[b];
    out_nodes[b] = joint;
    if (!used[joint]) {
      used[joint] = true;
      continue;
    }
    char name[128];
    sup_format(name, sizeof name, "%s_bone_%u", skeleton->names[joint], b);
    out_nodes[b] = sup_gltf_count(creating->document, GLTF_NODE);
    SupResult result = add_joint_node(creating, name, sup_transform_identity(), joint);
    if (result != SUP_OK) return result;
  }
  return SUP_OK;
}

static SupResult add_skin(Creating *creating) {
  const SupSkeleton *skeleton = &creating->from->skeleton;
  uint32_t *nodes = SUP_ALLOC(&creating->scratch, uint32_t, skeleton->bone_count);
  float *matrices = SUP_ALLOC(&creating->scratch, float, 16 * (size_t)skeleton->bone_count);
  if (!nodes || !matrices) return sup_fail_memory(creating->error, "the new document");
  SupResult result = bone_nodes(creating, nodes);
  if (result != SUP_OK) return result;
  json_t *joints = json_array();
  for (uint32_t b = 0; b < skeleton->bone_count; b++) {
    if (json_array_append_new(joints, json_integer(nodes[b])) != 0) {
      json_decref(joints);
      return sup_fail_memory(creating->error, "the new document");
    }
    for (int c = 0; c < 4; c++) {
      memcpy(matrices + 16 * (size_t)b + 4 * c, skeleton->inverse_bind[b].m + 3 * c, 12);
    }
    matrices[16 * (size_t)b + 15] = 1;
  }
  uint32_t accessor;
  GltfData data = {matrices, skeleton->bone_count, GLTF_FLOAT, "MAT4", 0, false};
  result = sup_gltf_add_accessor(creating->document, &data, &accessor, creating->error);
  json_t *skins = sup_gltf_need_array(creating->document, GLTF_SKIN);
  if (result != SUP_OK || !skins) {
    json_decref(joints);
    return sup_fail_memory(creating->error, "the new document");
  }
  /* json_pack takes over `joints`, also when it fails. */
  json_t *skin = json_pack("{s:s,s:I,s:o}", "name", creating->from->name, "inverseBindMatrices",
                           (json_int_t)accessor, "joints", joints);
  return sup_gltf_append(skins, skin, creating->error);
}

/* ---- Materials ------------------------------------------------------------------------------ */

static SupResult add_materials(Creating *creating) {
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < creating->from->material_count && result == SUP_OK; k++) {
    const SupMaterial *m = &creating->from->materials[k];
    json_t *materials = sup_gltf_need_array(creating->document, GLTF_MATERIAL);
    if (!materials) return sup_fail_memory(creating->error, "the new document");
    const float *c = m->base_color, *e = m->emissive;
    json_t *material =
        json_pack("{s:s,s:{s:[ffff],s:f,s:f},s:[fff]}", "name", m->name, "pbrMetallicRoughness",
                  "baseColorFactor", (double)c[0], (double)c[1], (double)c[2], (double)c[3],
                  "metallicFactor", (double)m->metallic, "roughnessFactor", (double)m->roughness,
                  "emissiveFactor", (double)e[0], (double)e[1], (double)e[2]);
    result = sup_gltf_append(materials, material, creating->error);
    if (result == SUP_OK && c[3] < 1) {
      result = sup_gltf_set(material, "alphaMode", json_string("BLEND"), creating->error);
    }
  }
  return result;
}

/* ---- Meshes --------------------------------------------------------------------------------- */

static SupResult add_attribute(Creating *creating, json_t *attributes, const char *name,
                               const char *type, const float *values, uint32_t count) {
  GltfData data = {
      values, count, GLTF_FLOAT, type, GLTF_TARGET_VERTICES, strcmp(name, "POSITION") == 0};
  uint32_t index;
  SupResult result = sup_gltf_add_accessor(creating->document, &data, &index, creating->error);
  if (result != SUP_OK) return result;
  return sup_gltf_set(attributes, name, json_integer(index), creating->error);
}

/* Whether every vector has a length: parts without normals have zeros among those with. */
static bool has_directions(const float *values, uint32_t count, uint32_t width) {
  for (size_t v = 0; v < count; v++) {
    const float *n = values + v * width;
    if (n[0] == 0 && n[1] == 0 && n[2] == 0) return false;
  }
  return true;
}

static SupResult add_attributes(Creating *creating, const SupPart *part, json_t *attributes) {
  const SupRender *render = &creating->from->render;
  size_t first = part->first_vertex;
  uint32_t n = part->vertex_count;
  SupResult result =
      add_attribute(creating, attributes, "POSITION", "VEC3", &render->positions[first].x, n);
  const float *normals = render->normals ? &render->normals[first].x : NULL;
  const float *tangents = render->tangents ? &render->tangents[first].x : NULL;
  bool has_normals = normals && has_directions(normals, n, 3);
  if (result == SUP_OK && has_normals) {
    result = add_attribute(creating, attributes, "NORMAL", "VEC3", normals, n);
  }
  if (result == SUP_OK && has_normals && tangents && has_directions(tangents, n, 4)) {
    result = add_attribute(creating, attributes, "TANGENT", "VEC4", tangents, n);
  }
  if (result == SUP_OK && render->uvs) {
    result = add_attribute(creating, attributes, "TEXCOORD_0", "VEC2", render->uvs + 2 * first, n);
  }
  return result;
}

static SupResult add_indices(Creating *creating, const SupPart *part, json_t *primitive) {
  size_t count = 3 * (size_t)part->triangle_count;
  const uint32_t *triangles = creating->from->render.triangles + 3 * (size_t)part->first_triangle;
  uint32_t *wide = SUP_ALLOC(&creating->scratch, uint32_t, count);
  uint16_t *narrow = SUP_ALLOC(&creating->scratch, uint16_t, count);
  if (!wide || !narrow) return sup_fail_memory(creating->error, "the new document");
  for (size_t k = 0; k < count; k++) {
    wide[k] = triangles[k] - part->first_vertex;
    narrow[k] = (uint16_t)wide[k];
  }
  bool small = part->vertex_count < 65536; /* 65535 itself means a restart */
  GltfData data = {small ? (const void *)narrow : wide,
                   (uint32_t)count,
                   small ? GLTF_USHORT : GLTF_UINT,
                   "SCALAR",
                   34963,
                   false};
  uint32_t index;
  SupResult result = sup_gltf_add_accessor(creating->document, &data, &index, creating->error);
  if (result != SUP_OK) return result;
  return sup_gltf_set(primitive, "indices", json_integer(index), creating->error);
}

static SupResult add_primitive(Creating *creating, const SupPart *part, json_t *primitives) {
  json_t *primitive = json_pack("{s:{}}", "attributes");
  SupResult result = sup_gltf_append(primitives, primitive, creating->error);
  if (result == SUP_OK) {
    result = add_attributes(creating, part, json_object_get(primitive, "attributes"));
  }
  if (result == SUP_OK) result = add_indices(creating, part, primitive);
  if (result == SUP_OK && part->material < creating->from->material_count) {
    result = sup_gltf_set(primitive, "material", json_integer(part->material), creating->error);
  }
  return result;
}

/* A mesh and its node; returns the list for its primitives, borrowed, or NULL. */
static json_t *add_mesh(Creating *creating, const char *name) {
  SupGltf *document = creating->document;
  json_t *meshes = sup_gltf_need_array(document, GLTF_MESH);
  json_t *nodes = sup_gltf_need_array(document, GLTF_NODE);
  if (!meshes || !nodes) return NULL;
  json_int_t index = (json_int_t)json_array_size(meshes);
  json_t *mesh = json_pack("{s:s,s:[]}", "name", name, "primitives");
  json_t *node = creating->from->skeleton.bone_count
                     ? json_pack("{s:s,s:I,s:i}", "name", name, "mesh", index, "skin", 0)
                     : json_pack("{s:s,s:I}", "name", name, "mesh", index);
  creating->mesh_nodes[creating->mesh_count++] = (uint32_t)json_array_size(nodes);
  if (json_array_append_new(meshes, mesh) != 0) {
    json_decref(node);
    return NULL;
  }
  return json_array_append_new(nodes, node) == 0 ? json_object_get(mesh, "primitives") : NULL;
}

/* Runs of parts with the same node become the primitives of one mesh. */
static SupResult add_meshes(Creating *creating, SupPart *parts) {
  const SupRender *render = &creating->from->render;
  json_t *primitives = NULL;
  SupResult result = SUP_OK;
  for (uint32_t p = 0; p < render->part_count && result == SUP_OK; p++) {
    if (p == 0 || render->parts[p].node != render->parts[p - 1].node) {
      primitives = add_mesh(creating, parts[p].name);
      if (!primitives) return sup_fail_memory(creating->error, "the new document");
    }
    parts[p].node = creating->mesh_nodes[creating->mesh_count - 1];
    parts[p].mesh = creating->mesh_count - 1;
    parts[p].primitive = (uint32_t)json_array_size(primitives);
    result = add_primitive(creating, &render->parts[p], primitives);
  }
  return result;
}

/* ---- What editing adds ---------------------------------------------------------------------- */

static SupResult make_shell(Creating *creating) {
  SupArena *scratch = &creating->scratch;
  const SupCharacter *from = creating->from;
  SupPart *parts = SUP_COPY(scratch, SupPart, from->render.parts, from->render.part_count);
  uint32_t *joints = SUP_ALLOC(scratch, uint32_t, from->skeleton.joint_count);
  uint32_t *bones = SUP_ALLOC(scratch, uint32_t, from->skeleton.bone_count);
  uint32_t *zeros = SUP_ALLOC(scratch, uint32_t, (size_t)from->render.part_count + 1);
  uint32_t *targets = SUP_ALLOC(scratch, uint32_t, from->morph_count);
  const uint32_t **lists = SUP_ALLOC(scratch, const uint32_t *, 1);
  uint32_t *count = SUP_ALLOC(scratch, uint32_t, 1);
  SupAffine *identity = SUP_ALLOC(scratch, SupAffine, 1);
  creating->mesh_nodes = SUP_ALLOC(scratch, uint32_t, from->render.part_count);
  if (!parts || !joints || !bones || !zeros || !targets || !lists || !count || !identity ||
      !creating->mesh_nodes) {
    return sup_fail_memory(creating->error, "the new document");
  }
  for (uint32_t j = 0; j < from->skeleton.joint_count; j++) joints[j] = j;
  for (uint32_t b = 0; b < from->skeleton.bone_count; b++) bones[b] = b;
  for (uint32_t m = 0; m < from->morph_count; m++) targets[m] = m;
  lists[0] = bones;
  count[0] = from->skeleton.bone_count;
  identity[0] = sup_affine_identity();
  creating->shell = (SupGltfCharacter){.character = *from,
                                       .joint_nodes = joints,
                                       .morph_targets = targets,
                                       .skin_count = 1,
                                       .skins = zeros,
                                       .skin_to_body = identity,
                                       .skin_bones = lists,
                                       .skin_joint_counts = count,
                                       .part_skins = zeros};
  creating->shell.character.render.parts = parts;
  return add_meshes(creating, parts);
}

static SupResult add_morphs(Creating *creating) {
  const SupCharacter *from = creating->from;
  SupGltfMorph *morphs = SUP_ALLOC(&creating->scratch, SupGltfMorph, from->morph_count);
  if (!morphs) return sup_fail_memory(creating->error, "the new document");
  for (uint32_t m = 0; m < from->morph_count; m++) {
    SupVec3 *offsets = SUP_ALLOC(&creating->scratch, SupVec3, from->render.vertex_count);
    if (!offsets) return sup_fail_memory(creating->error, "the new document");
    for (uint32_t v = 0; v < from->render.vertex_count; v++) {
      offsets[v] = from->morphs[m].offsets[from->render.to_body[v]];
    }
    morphs[m] = (SupGltfMorph){from->morphs[m].name, from->morphs[m].weight, offsets, NULL};
  }
  return sup_gltf_add_morphs(creating->document, &creating->shell, from->morph_count, morphs,
                             creating->error);
}

/* The clip for the joints and the first mesh; its weights once more for every other mesh. */
static SupResult add_clip(Creating *creating, const SupClip *clip) {
  uint32_t morph_count = creating->from->morph_count, count = 0;
  uint32_t *nodes = SUP_ALLOC(&creating->scratch, uint32_t, morph_count);
  SupTrack *tracks = SUP_ALLOC(&creating->scratch, SupTrack, clip->track_count);
  if (!nodes || !tracks) return sup_fail_memory(creating->error, "the new document");
  for (uint32_t t = 0; t < clip->track_count; t++) {
    if (clip->tracks[t].channel == SUP_CHANNEL_WEIGHTS) tracks[count++] = clip->tracks[t];
  }
  SupClip weights = {clip->name, clip->duration, count, tracks};
  SupGltfCharacter shell = creating->shell;
  shell.morph_nodes = nodes;
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < creating->mesh_count && result == SUP_OK; k++) {
    for (uint32_t m = 0; m < morph_count; m++) nodes[m] = creating->mesh_nodes[k];
    if (k) shell.character.skeleton.joint_count = 0;
    if (k && count == 0) break;
    result = sup_gltf_put_clip(creating->document, &shell, k ? &weights : clip, creating->error);
  }
  return result;
}

static SupResult add_scene(Creating *creating) {
  json_t *scenes = sup_gltf_need_array(creating->document, GLTF_SCENE);
  json_t *scene = json_pack("{s:[]}", "nodes");
  if (!scenes || json_array_append_new(scenes, scene) != 0) {
    return sup_fail_memory(creating->error, "the new document");
  }
  json_t *roots = json_object_get(scene, "nodes");
  SupResult result = SUP_OK;
  for (uint32_t j = 0; j < creating->from->skeleton.joint_count && result == SUP_OK; j++) {
    if (creating->from->skeleton.parents[j] >= 0) continue;
    result = sup_gltf_append(roots, json_integer(j), creating->error);
  }
  for (uint32_t k = 0; k < creating->mesh_count && result == SUP_OK; k++) {
    result = sup_gltf_append(roots, json_integer(creating->mesh_nodes[k]), creating->error);
  }
  return result;
}

static SupResult fill(Creating *creating) {
  const SupCharacter *from = creating->from;
  SupError *error = creating->error;
  SupResult result = add_joint_nodes(creating);
  if (result == SUP_OK && from->skeleton.bone_count) result = add_skin(creating);
  if (result == SUP_OK) result = add_materials(creating);
  if (result == SUP_OK) result = make_shell(creating);
  if (result == SUP_OK && from->skeleton.bone_count) {
    result = sup_gltf_put_skin(creating->document, &creating->shell, &from->skin, error);
  }
  if (result == SUP_OK && from->morph_count) result = add_morphs(creating);
  for (uint32_t m = 0; m < from->map_count && result == SUP_OK; m++) {
    result = sup_gltf_put_map(creating->document, &creating->shell, from->maps[m].name,
                              from->maps[m].values, error);
  }
  for (uint32_t c = 0; c < from->clip_count && result == SUP_OK; c++) {
    result = add_clip(creating, &from->clips[c]);
  }
  return result == SUP_OK ? add_scene(creating) : result;
}

SupResult sup_gltf_from_character(const SupCharacter *character, const SupGltfOptions *options,
                                  SupGltf **out_document, SupError *error) {
  SupGltf *document;
  SupResult result = sup_gltf_new(options, &document, error);
  if (result != SUP_OK) return result;
  document->binary = true;
  document->json.root =
      json_pack("{s:{s:s,s:s},s:i}", "asset", "generator", "Supple", "version", "2.0", "scene", 0);
  Creating creating = {.document = document, .from = character, .error = error};
  creating.scratch = sup_scratch(&document->arena);
  result =
      document->json.root ? fill(&creating) : sup_fail_memory(creating.error, "the new document");
  sup_arena_free(&creating.scratch);
  if (result == SUP_OK) {
    *out_document = document;
  } else {
    sup_gltf_close(document);
  }
  return result;
}
