/* SPDX-License-Identifier: MIT */
/* Writing what vertices carry: maps and skin weights. */
#include <string.h>

#include "base/scratch.h"
#include "io/gltf/gltf_edit.h"

/* Points an attribute of a part at new data and gives the old place back. */
static SupResult put_attribute(SupGltf *document, const SupPart *part, const char *name,
                               const GltfData *data, SupError *error) {
  json_t *attributes = json_object_get(sup_gltf_part_primitive(document, part), "attributes");
  uint32_t index, old = sup_gltf_stored_index(attributes, name);
  SupResult result = sup_gltf_add_accessor(document, data, &index, error);
  if (result == SUP_OK) result = sup_gltf_set(attributes, name, json_integer(index), error);
  if (result == SUP_OK && old != SUP_NONE) result = sup_gltf_free_accessor(document, old, error);
  return result;
}

static SupResult remove_attribute(SupGltf *document, const SupPart *part, const char *name,
                                  SupError *error) {
  json_t *attributes = json_object_get(sup_gltf_part_primitive(document, part), "attributes");
  uint32_t old = sup_gltf_stored_index(attributes, name);
  if (old == SUP_NONE) return SUP_OK;
  json_object_del(attributes, name);
  return sup_gltf_free_accessor(document, old, error);
}

/* ---- Maps ----------------------------------------------------------------------------------- */

#define MAP_NAME 80

/* "stiffness" -> "_SUPPLE_STIFFNESS". */
static SupResult attribute_name(const char *name, char out_attribute[MAP_NAME], SupError *error) {
  size_t length = strlen(name);
  bool fits = length > 0 && length < 64;
  memcpy(out_attribute, "_SUPPLE_", 8);
  for (size_t k = 0; k < length && fits; k++) {
    char c = name[k];
    fits = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    out_attribute[8 + k] = (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  }
  if (!fits) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "`%s` is not a map's name: use up to 63 lower-case letters, digits and _",
                    name);
  }
  out_attribute[8 + length] = 0;
  return SUP_OK;
}

SupResult sup_gltf_put_map(SupGltf *document, const SupGltfCharacter *character, const char *name,
                           const float *values, SupError *error) {
  const SupRender *render = &character->character.render;
  char attribute[MAP_NAME];
  SupResult result = attribute_name(name, attribute, error);
  if (result != SUP_OK) return result;
  SupArena scratch = sup_scratch(&document->arena);
  float *numbers = SUP_ALLOC(&scratch, float, render->vertex_count);
  if (!numbers) result = sup_fail_memory(error, "a map");
  for (uint32_t p = 0; p < render->part_count && result == SUP_OK; p++) {
    const SupPart *part = &render->parts[p];
    if (sup_gltf_part_is_repeated(render, p)) continue;
    for (uint32_t v = 0; v < part->vertex_count; v++) {
      numbers[v] = values[render->to_body[part->first_vertex + v]];
    }
    GltfData data = {numbers,  part->vertex_count,   GLTF_FLOAT,
                     "SCALAR", GLTF_TARGET_VERTICES, false};
    result = put_attribute(document, part, attribute, &data, error);
  }
  sup_arena_free(&scratch);
  return result;
}

SupResult sup_gltf_remove_map(SupGltf *document, const SupGltfCharacter *character,
                              const char *name, SupError *error) {
  const SupRender *render = &character->character.render;
  char attribute[MAP_NAME];
  SupResult result = attribute_name(name, attribute, error);
  for (uint32_t p = 0; p < render->part_count && result == SUP_OK; p++) {
    result = remove_attribute(document, &render->parts[p], attribute, error);
  }
  return result;
}

/* ---- Weights -------------------------------------------------------------------------------- */

/* Where the weights of one part are gathered. */
typedef struct PartWeights {
  uint32_t *slots;  /* [bone_count] place of each bone in the part's skin, or SUP_NONE */
  bool *shared;     /* [skin_count * bone_count] bones that a skin gets from another */
  uint16_t *joints; /* [4 * vertex_count] of one set */
  uint8_t *bytes;   /* the same, where they fit */
  float *weights;
} PartWeights;

/* The places of one skin: its own bones, then those it gets from others. Returns their number. */
static uint32_t find_slots(const SupGltfCharacter *character, uint32_t s, PartWeights *work) {
  const uint32_t bone_count = character->character.skeleton.bone_count;
  const bool *shared = work->shared + (size_t)s * bone_count;
  uint32_t count = character->skin_joint_counts[s];
  for (uint32_t b = 0; b < bone_count; b++) work->slots[b] = SUP_NONE;
  for (uint32_t j = count; j-- > 0;) work->slots[character->skin_bones[s][j]] = j;
  for (uint32_t b = 0; b < bone_count; b++) {
    if (shared[b]) work->slots[b] = count++;
  }
  return count;
}

/* Marks what a part's vertices follow and its skin does not have: a vertex that joins two parts
 * follows bones of both. */
static SupResult find_shared(const SupGltfCharacter *character, uint32_t p, const SupSkin *skin,
                             PartWeights *work, SupError *error) {
  const SupRender *render = &character->character.render;
  const SupPart *part = &render->parts[p];
  const uint32_t s = character->part_skins[p];
  const uint32_t bone_count = character->character.skeleton.bone_count;
  find_slots(character, s, work);
  for (uint32_t v = part->first_vertex; v < part->first_vertex + part->vertex_count; v++) {
    const uint32_t body = render->to_body[v];
    for (uint32_t k = skin->offsets[body]; k < skin->offsets[body + 1]; k++) {
      const uint32_t bone = skin->bones[k];
      if (bone >= bone_count) {
        return sup_fail(error, SUP_ERROR_ARGUMENT,
                        "part %u (%s): a weight is on bone %u, but there are only %u", p,
                        part->name, bone, bone_count);
      }
      if (work->slots[bone] == SUP_NONE) work->shared[(size_t)s * bone_count + bone] = true;
    }
  }
  return SUP_OK;
}

/* Appends to a skin what it gets from others. */
static SupResult share_bones(SupGltf *document, const SupGltfCharacter *character, uint32_t s,
                             const PartWeights *work, SupArena *scratch, SupError *error) {
  const SupSkeleton *skeleton = &character->character.skeleton;
  const bool *shared = work->shared + (size_t)s * skeleton->bone_count;
  SupGltfJoint *joints = SUP_ALLOC(scratch, SupGltfJoint, skeleton->bone_count);
  uint32_t *nodes = SUP_ALLOC(scratch, uint32_t, skeleton->bone_count);
  uint32_t count = 0;
  if (!joints || !nodes) return sup_fail_memory(error, "the weights");
  for (uint32_t b = 0; b < skeleton->bone_count; b++) {
    if (!shared[b]) continue;
    const uint32_t joint = skeleton->bone_joints[b];
    joints[count] = (SupGltfJoint){.parent = joint, .inverse_bind = skeleton->inverse_bind[b]};
    nodes[count++] = character->joint_nodes[joint];
  }
  if (count == 0) return SUP_OK;
  return sup_gltf_extend_skin(document, character, s, count, joints, nodes, error);
}

/* How many bones a vertex of the part follows at most; 1 at least. */
static uint32_t most_bones(const SupRender *render, const SupPart *part, const SupSkin *skin) {
  uint32_t most = 1;
  for (uint32_t v = part->first_vertex; v < part->first_vertex + part->vertex_count; v++) {
    const uint32_t body = render->to_body[v];
    const uint32_t count = skin->offsets[body + 1] - skin->offsets[body];
    if (count > most) most = count;
  }
  return most;
}

static SupResult put_set(SupGltf *document, const SupGltfCharacter *character, uint32_t p,
                         const SupSkin *skin, uint32_t set, bool small, PartWeights *work,
                         SupError *error) {
  const SupRender *render = &character->character.render;
  const SupPart *part = &render->parts[p];
  for (uint32_t v = 0; v < part->vertex_count; v++) {
    uint32_t body = render->to_body[part->first_vertex + v];
    for (uint32_t k = 0; k < 4; k++) {
      uint32_t at = skin->offsets[body] + 4 * set + k;
      bool used = at < skin->offsets[body + 1];
      uint32_t slot = used ? work->slots[skin->bones[at]] : 0;
      work->joints[4 * (size_t)v + k] = (uint16_t)slot;
      work->bytes[4 * (size_t)v + k] = (uint8_t)slot;
      work->weights[4 * (size_t)v + k] = used ? skin->weights[at] : 0;
    }
  }
  char joints_name[24], weights_name[24];
  sup_format(joints_name, sizeof joints_name, "JOINTS_%u", set);
  sup_format(weights_name, sizeof weights_name, "WEIGHTS_%u", set);
  GltfData joints = {small ? (const void *)work->bytes : work->joints,
                     part->vertex_count,
                     small ? GLTF_UBYTE : GLTF_USHORT,
                     "VEC4",
                     GLTF_TARGET_VERTICES,
                     false};
  GltfData weights = {work->weights, part->vertex_count,   GLTF_FLOAT,
                      "VEC4",        GLTF_TARGET_VERTICES, false};
  SupResult result = put_attribute(document, part, joints_name, &joints, error);
  return result == SUP_OK ? put_attribute(document, part, weights_name, &weights, error) : result;
}

static SupResult remove_sets(SupGltf *document, const SupPart *part, uint32_t first,
                             SupError *error) {
  json_t *attributes = json_object_get(sup_gltf_part_primitive(document, part), "attributes");
  SupResult result = SUP_OK;
  for (uint32_t set = first; result == SUP_OK; set++) {
    char joints[24], weights[24];
    sup_format(joints, sizeof joints, "JOINTS_%u", set);
    sup_format(weights, sizeof weights, "WEIGHTS_%u", set);
    if (!json_object_get(attributes, joints)) break;
    result = remove_attribute(document, part, joints, error);
    if (result == SUP_OK) result = remove_attribute(document, part, weights, error);
  }
  return result;
}

SupResult sup_gltf_put_skin(SupGltf *document, const SupGltfCharacter *character,
                            const SupSkin *skin, SupError *error) {
  const SupRender *render = &character->character.render;
  SupArena scratch = sup_scratch(&document->arena);
  size_t numbers = 4 * (size_t)render->vertex_count;
  size_t bones = character->character.skeleton.bone_count;
  PartWeights work = {SUP_ALLOC(&scratch, uint32_t, bones),
                      SUP_ALLOC(&scratch, bool, bones * character->skin_count),
                      SUP_ALLOC(&scratch, uint16_t, numbers), SUP_ALLOC(&scratch, uint8_t, numbers),
                      SUP_ALLOC(&scratch, float, numbers)};
  SupResult result = SUP_OK;
  if (!work.slots || !work.shared || !work.joints || !work.bytes || !work.weights) {
    result = sup_fail_memory(error, "the weights");
  }
  if (result == SUP_OK) memset(work.shared, 0, bones * character->skin_count * sizeof(bool));
  /* All parts are checked before any is written. */
  for (uint32_t p = 0; p < render->part_count && result == SUP_OK; p++) {
    result = find_shared(character, p, skin, &work, error);
  }
  for (uint32_t s = 0; s < character->skin_count && result == SUP_OK; s++) {
    result = share_bones(document, character, s, &work, &scratch, error);
  }
  for (uint32_t p = 0; p < render->part_count && result == SUP_OK; p++) {
    if (sup_gltf_part_is_repeated(render, p)) continue;
    const bool small = find_slots(character, character->part_skins[p], &work) <= 256;
    const uint32_t sets = (most_bones(render, &render->parts[p], skin) + 3) / 4;
    for (uint32_t set = 0; set < sets && result == SUP_OK; set++) {
      result = put_set(document, character, p, skin, set, small, &work, error);
    }
    if (result == SUP_OK) result = remove_sets(document, &render->parts[p], sets, error);
  }
  sup_arena_free(&scratch);
  return result;
}

/* ---- The skin before ------------------------------------------------------------------------ */

#define ORIGINAL "SUPPLE_original_skin"

/* Moves the weights of one primitive into its extension, where no earlier ones are. */
static SupResult keep_sets(json_t *primitive, SupError *error) {
  json_t *attributes = json_object_get(primitive, "attributes");
  json_t *extensions = sup_gltf_need_object(primitive, "extensions");
  if (extensions && !json_is_object(extensions)) return SUP_OK; /* a damaged file */
  if (json_object_get(extensions, ORIGINAL)) return SUP_OK;
  json_t *kept = extensions ? sup_gltf_need_object(extensions, ORIGINAL) : NULL;
  SupResult result = kept ? SUP_OK : sup_fail_memory(error, "the weights");
  for (uint32_t set = 0; result == SUP_OK; set++) {
    static const char *const kinds[] = {"JOINTS", "WEIGHTS"};
    char name[24];
    sup_format(name, sizeof name, "%s_%u", kinds[0], set);
    if (!json_object_get(attributes, name)) break;
    for (int k = 0; k < 2 && result == SUP_OK; k++) {
      sup_format(name, sizeof name, "%s_%u", kinds[k], set);
      json_t *index = json_object_get(attributes, name);
      if (!index) continue;
      result = sup_gltf_set(kept, name, json_incref(index), error);
      if (result == SUP_OK) json_object_del(attributes, name);
    }
  }
  return result;
}

SupResult sup_gltf_keep_skin(SupGltf *document, const SupGltfCharacter *character,
                             SupError *error) {
  const SupRender *render = &character->character.render;
  SupResult result = SUP_OK;
  for (uint32_t p = 0; p < render->part_count && result == SUP_OK; p++) {
    if (sup_gltf_part_is_repeated(render, p)) continue;
    result = keep_sets(sup_gltf_part_primitive(document, &render->parts[p]), error);
  }
  return result == SUP_OK ? sup_gltf_use_extension(document, ORIGINAL, error) : result;
}
