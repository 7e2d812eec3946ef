/* SPDX-License-Identifier: MIT */
/* What drives morph targets: {"supple_drivers": [{"target": "flesh_02", "node": 7, "joint": "arm",
 * "rest": [x, y, z, w], "axis": [x, y, z], "angles": [...], "weights": [...]}, ...]} in the extras
 * of meshes. */
#include "io/gltf/gltf_build.h"
#include "io/gltf/gltf_edit.h"

static SupResult set_numbers(json_t *item, const char *key, uint32_t count, const float *values,
                             SupError *error) {
  json_t *list = json_array();
  SupResult result = sup_gltf_set(item, key, list, error);
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    result = sup_gltf_append(list, json_real((double)values[k]), error);
  }
  return result;
}

static SupResult set_angle(json_t *item, const SupGltfCharacter *character,
                           const SupGltfDriver *driver, SupError *error) {
  const SupQuat q = driver->rest;
  const float rest[4] = {q.x, q.y, q.z, q.w};
  const float axis[3] = {driver->axis.x, driver->axis.y, driver->axis.z};
  const char *joint = character->character.skeleton.names[driver->joint];
  const json_int_t node = (json_int_t)character->joint_nodes[driver->joint];
  SupResult result = sup_gltf_set(item, "node", json_integer(node), error);
  if (result == SUP_OK) result = sup_gltf_set(item, "joint", json_string(joint), error);
  if (result == SUP_OK) result = set_numbers(item, "rest", 4, rest, error);
  if (result == SUP_OK) result = set_numbers(item, "axis", 3, axis, error);
  if (result == SUP_OK) result = set_numbers(item, "angles", driver->count, driver->at, error);
  if (result != SUP_OK) return result;
  return set_numbers(item, "weights", driver->count, driver->weights, error);
}

static SupResult put_list(const SupGltfCharacter *character, json_t *mesh, uint32_t count,
                          const SupGltfDriver *drivers, SupError *error) {
  json_t *extras = sup_gltf_need_object(mesh, "extras"), *list = json_array();
  if (!extras || !json_is_object(extras)) { /* short memory; or somebody else's number or text */
    json_decref(list);
    return extras ? SUP_OK : sup_fail_memory(error, "drivers");
  }
  SupResult result = sup_gltf_set(extras, "supple_drivers", list, error);
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    json_t *item = json_object();
    result = sup_gltf_append(list, item, error);
    if (result == SUP_OK) {
      result = sup_gltf_set(item, "target", json_string(drivers[k].target), error);
    }
    if (result == SUP_OK && drivers[k].joint != SUP_NONE) {
      result = set_angle(item, character, &drivers[k], error);
    }
  }
  return result;
}

SupResult sup_gltf_put_drivers(SupGltf *document, const SupGltfCharacter *character, uint32_t count,
                               const SupGltfDriver *drivers, SupError *error) {
  const SupRender *render = &character->character.render;
  SupResult result = SUP_OK;
  for (uint32_t p = 0; p < render->part_count && result == SUP_OK; p++) {
    json_t *mesh = json_array_get(sup_gltf_array(document, GLTF_MESH), render->parts[p].mesh);
    if (p > 0 && render->parts[p].mesh == render->parts[p - 1].mesh) continue;
    result = put_list(character, mesh, count, drivers, error);
  }
  return result;
}
