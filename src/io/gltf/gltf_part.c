/* SPDX-License-Identifier: MIT */
/* The primitives of a character: vertices, triangles, weights, morph targets, maps. */
#include <string.h>

#include "io/gltf/gltf_build.h"

#define MAP_PREFIX "_SUPPLE_"
#define MAP_PREFIX_LENGTH 8
#define MOST_MAPS 1000u /* each is looked for among all */

enum { MODE_TRIANGLES = 4, MODE_STRIP = 5, MODE_FAN = 6 };

bool sup_gltf_mode_has_triangles(uint32_t mode) {
  return mode == MODE_TRIANGLES || mode == MODE_STRIP || mode == MODE_FAN;
}

/* ---- Triangles ------------------------------------------------------------------------------ */

/* Corner c of triangle f of a primitive, as a place in its list of indices. */
static uint32_t corner_place(uint32_t mode, uint32_t f, uint32_t c) {
  if (mode == MODE_TRIANGLES) return 3 * f + c;
  if (mode == MODE_FAN) return c == 2 ? 0 : f + c + 1;
  uint32_t odd = f & 1; /* every second triangle of a strip is turned over */
  return c == 0 ? f : c == 1 ? f + 1 + odd : f + 2 - odd;
}

static SupResult read_triangles(GltfBuild *build, const GltfItem *primitive, uint32_t mode,
                                SupRawPart *part) {
  GltfReader *reader = build->reader;
  uint32_t accessor_index, count = part->vertex_count, *indices = NULL;
  SupResult result = sup_gltf_get_index(reader->document, primitive, "indices", GLTF_ACCESSOR,
                                        &accessor_index, reader->error);
  if (result == SUP_OK && accessor_index != SUP_NONE) {
    GltfAccessor accessor;
    result = sup_gltf_accessor(reader, accessor_index, &accessor);
    if (result == SUP_OK && accessor.width != 1) {
      return sup_fail(reader->error, SUP_ERROR_FORMAT, "%s: its indices are not scalars",
                      primitive->name);
    }
    if (result == SUP_OK)
      result = sup_gltf_read_uints(reader, &accessor, &reader->scratch, &indices);
    if (result == SUP_OK) count = accessor.count;
  }
  if (result != SUP_OK) return result;
  uint32_t faces = mode == MODE_TRIANGLES ? count / 3 : count >= 3 ? count - 2 : 0;
  uint32_t *triangles = SUP_ALLOC(&reader->scratch, uint32_t, 3 * (size_t)faces);
  if (!triangles) return sup_fail_memory(reader->error, primitive->name);
  for (uint32_t f = 0; f < faces; f++) {
    for (uint32_t c = 0; c < 3; c++) {
      uint32_t place = corner_place(mode, f, c);
      uint32_t vertex = indices ? indices[place] : place;
      if (vertex >= part->vertex_count) {
        return sup_fail(reader->error, SUP_ERROR_FORMAT,
                        "%s: index %u refers to vertex %u, but there are %u", primitive->name,
                        place, vertex, part->vertex_count);
      }
      triangles[3 * (size_t)f + c] = vertex;
    }
  }
  part->triangle_count = faces;
  part->triangles = triangles;
  return SUP_OK;
}

/* ---- Attributes ----------------------------------------------------------------------------- */

/* Attribute `name` of `attributes` with `width` numbers per vertex; NULL if it is absent. The
 * first one read sets part->vertex_count. */
static SupResult read_attribute(GltfBuild *build, const GltfItem *attributes, const char *name,
                                uint32_t width, SupRawPart *part, GltfAccessor *out_accessor,
                                bool *out_present) {
  GltfReader *reader = build->reader;
  uint32_t index;
  SupResult result =
      sup_gltf_get_index(reader->document, attributes, name, GLTF_ACCESSOR, &index, reader->error);
  if (result != SUP_OK) return result;
  *out_present = index != SUP_NONE;
  if (!*out_present) return SUP_OK;
  result = sup_gltf_accessor(reader, index, out_accessor);
  if (result != SUP_OK) return result;
  if (out_accessor->width != width) {
    return sup_fail(reader->error, SUP_ERROR_FORMAT,
                    "%s: %s (accessor %u) must have %u numbers per vertex, not %u",
                    attributes->name, name, index, width, out_accessor->width);
  }
  if (!part->vertex_count) part->vertex_count = out_accessor->count;
  if (out_accessor->count != part->vertex_count) {
    return sup_fail(reader->error, SUP_ERROR_FORMAT,
                    "%s: %s (accessor %u) has %u vertices, POSITION has %u", attributes->name, name,
                    index, out_accessor->count, part->vertex_count);
  }
  return SUP_OK;
}

static SupResult read_float_attribute(GltfBuild *build, const GltfItem *attributes,
                                      const char *name, uint32_t width, SupRawPart *part,
                                      float **out_values) {
  GltfAccessor accessor;
  bool present;
  *out_values = NULL;
  SupResult result = read_attribute(build, attributes, name, width, part, &accessor, &present);
  if (result != SUP_OK || !present) return result;
  return sup_gltf_read_floats(build->reader, &accessor, &build->reader->scratch, out_values);
}

/* The slots of a part's vertices. */
typedef struct Influences {
  uint32_t *bones;  /* [vertex_count * influence_count] */
  float *weights;   /* the same shape */
  uint8_t *outside; /* [vertex_count] 1 where a slot of no weight names no joint of the skin */
} Influences;

/* JOINTS_n and WEIGHTS_n into slots 4n .. 4n+3 of every vertex. */
static SupResult read_influence_set(GltfBuild *build, const GltfItem *attributes, uint32_t set,
                                    uint32_t skin_slot, SupRawPart *part, Influences *out) {
  GltfReader *reader = build->reader;
  char joints_name[24], weights_name[24];
  sup_format(joints_name, sizeof joints_name, "JOINTS_%u", set);
  sup_format(weights_name, sizeof weights_name, "WEIGHTS_%u", set);
  GltfAccessor accessor;
  bool present;
  uint32_t *joints;
  float *values;
  SupResult result = read_attribute(build, attributes, joints_name, 4, part, &accessor, &present);
  if (result == SUP_OK) result = sup_gltf_read_uints(reader, &accessor, &reader->scratch, &joints);
  if (result == SUP_OK) {
    result = read_float_attribute(build, attributes, weights_name, 4, part, &values);
  }
  if (result != SUP_OK) return result;
  if (!values) {
    return sup_fail(reader->error, SUP_ERROR_FORMAT, "%s has %s but no %s", attributes->name,
                    joints_name, weights_name);
  }
  uint32_t joint_count = build->skin_joint_counts[skin_slot];
  for (size_t k = 0; k < 4 * (size_t)part->vertex_count; k++) {
    size_t slot = k / 4 * part->influence_count + 4 * (size_t)set + k % 4;
    /* What has no weight may point anywhere: exporters leave rubbish there. */
    const bool outside = joints[k] >= joint_count;
    if (outside && values[k] > 0) {
      return sup_fail(reader->error, SUP_ERROR_FORMAT,
                      "%s: vertex %zu uses joint %u of skin %u, which has %u", attributes->name,
                      k / 4, joints[k], build->skins[skin_slot], joint_count);
    }
    if (outside) out->outside[k / 4] = 1;
    out->bones[slot] = build->skin_bones[skin_slot][outside ? 0 : joints[k]];
    out->weights[slot] = values[k];
  }
  return SUP_OK;
}

static SupResult read_influences(GltfBuild *build, const GltfItem *attributes, uint32_t skin_slot,
                                 SupRawPart *part) {
  uint32_t sets = 0;
  char name[24];
  do sup_format(name, sizeof name, "JOINTS_%u", ++sets);
  while (json_object_get(attributes->json, name));
  part->influence_count = 4 * sets;
  size_t slots = (size_t)part->vertex_count * part->influence_count;
  SupArena *scratch = &build->reader->scratch;
  Influences all = {SUP_ALLOC(scratch, uint32_t, slots), SUP_ALLOC(scratch, float, slots),
                    SUP_ALLOC(scratch, uint8_t, part->vertex_count)};
  if (!all.bones || !all.weights || !all.outside) {
    return sup_fail_memory(build->reader->error, attributes->name);
  }
  SupResult result = SUP_OK;
  for (uint32_t set = 0; set < sets && result == SUP_OK; set++) {
    result = read_influence_set(build, attributes, set, skin_slot, part, &all);
  }
  for (uint32_t v = 0; v < part->vertex_count; v++) part->joints_outside += all.outside[v];
  part->bones = all.bones;
  part->weights = all.weights;
  return result;
}

static SupResult read_morph_offsets(GltfBuild *build, const GltfItem *primitive, uint32_t node,
                                    SupRawPart *part) {
  GltfReader *reader = build->reader;
  uint32_t count, first = build->node_morphs[node];
  SupResult result = sup_gltf_get_length(primitive, "targets", &count, reader->error);
  if (result != SUP_OK || first == SUP_NONE) return result;
  result = sup_gltf_spend(reader, primitive->name, build->raw.morph_count, sizeof(SupVec3 *));
  if (result != SUP_OK) return result;
  const SupVec3 **offsets = SUP_ALLOC(&reader->scratch, const SupVec3 *, build->raw.morph_count);
  if (!offsets) return sup_fail_memory(reader->error, primitive->name);
  for (uint32_t m = 0; m < count && result == SUP_OK; m++) {
    GltfItem target;
    float *values;
    result = sup_gltf_child(primitive, "targets", "target", m, &target, reader->error);
    if (result == SUP_OK) {
      result = read_float_attribute(build, &target, "POSITION", 3, part, &values);
    }
    if (result != SUP_OK) break;
    offsets[first + m] = (const SupVec3 *)values;
    /* A target without positions takes as much room on the body. */
    if (!values) result = sup_gltf_spend(reader, target.name, part->vertex_count, sizeof(SupVec3));
  }
  part->morph_offsets = offsets;
  return result;
}

/* "_SUPPLE_STIFFNESS" -> "stiffness"; false if the attribute is no map. */
static bool map_name(const char *attribute, char out_name[64]) {
  size_t length = strlen(attribute);
  if (strncmp(attribute, MAP_PREFIX, MAP_PREFIX_LENGTH) != 0) return false;
  if (length == MAP_PREFIX_LENGTH || length - MAP_PREFIX_LENGTH >= 64) return false;
  for (size_t k = MAP_PREFIX_LENGTH; k <= length; k++) {
    char c = attribute[k];
    out_name[k - MAP_PREFIX_LENGTH] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  return true;
}

static uint32_t find_map(const GltfBuild *build, const char *name) {
  for (uint32_t m = 0; m < build->raw.map_count; m++) {
    if (strcmp(build->map_names[m], name) == 0) return m;
  }
  return SUP_NONE;
}

/* The red of COLOR_0, which has three or four numbers per vertex. */
static SupResult read_red(GltfBuild *build, const GltfItem *attributes, SupRawPart *part,
                          float **out_values) {
  GltfReader *reader = build->reader;
  GltfAccessor accessor;
  uint32_t index;
  SupResult result = sup_gltf_get_index(reader->document, attributes, "COLOR_0", GLTF_ACCESSOR,
                                        &index, reader->error);
  if (result == SUP_OK) result = sup_gltf_accessor(reader, index, &accessor);
  if (result != SUP_OK) return result;
  uint32_t width = accessor.width == 4 ? 4 : 3;
  result = read_float_attribute(build, attributes, "COLOR_0", width, part, out_values);
  for (size_t v = 0; result == SUP_OK && v < part->vertex_count; v++) {
    (*out_values)[v] = (*out_values)[v * width];
  }
  return result;
}

static bool has_color_map(const GltfBuild *build, const json_t *attributes) {
  return build->reader->document->options.color_map && json_object_get(attributes, "COLOR_0");
}

static SupResult add_map(GltfBuild *build, const char *name) {
  if (find_map(build, name) != SUP_NONE) return SUP_OK;
  if (build->raw.map_count == MOST_MAPS) {
    return sup_fail(build->reader->error, SUP_ERROR_UNSUPPORTED,
                    "more than %u different maps (%s...)", MOST_MAPS, MAP_PREFIX);
  }
  if (!build->map_names) {
    build->map_names = SUP_ALLOC(&build->reader->scratch, const char *, MOST_MAPS);
  }
  char *copy = sup_arena_string(&build->reader->scratch, name, strlen(name));
  if (!build->map_names || !copy) return sup_fail_memory(build->reader->error, "the maps");
  build->map_names[build->raw.map_count++] = copy;
  return SUP_OK;
}

static SupResult read_maps(GltfBuild *build, const GltfItem *attributes, SupRawPart *part) {
  const float **values = SUP_ALLOC(&build->reader->scratch, const float *, build->raw.map_count);
  if (!values) return sup_fail_memory(build->reader->error, "the maps");
  SupResult result = SUP_OK;
  const char *key;
  json_t *value;
  json_object_foreach(attributes->json, key, value) {
    char name[64];
    float *numbers;
    if (result != SUP_OK || !map_name(key, name)) continue;
    result = read_float_attribute(build, attributes, key, 1, part, &numbers);
    if (result == SUP_OK) values[find_map(build, name)] = numbers;
  }
  if (result == SUP_OK && has_color_map(build, attributes->json)) {
    uint32_t m = find_map(build, build->reader->document->options.color_map);
    float *red = NULL;
    if (!values[m]) {
      result = read_red(build, attributes, part, &red);
      values[m] = red;
    }
  }
  part->map_values = values;
  return result;
}

/* ---- Moving into body space ----------------------------------------------------------------- */

static void move_points(SupAffined map, const SupVec3 *points, uint32_t count) {
  SupVec3 *to = (SupVec3 *)(uintptr_t)points; /* the arrays are our own scratch */
  for (uint32_t v = 0; v < count && to; v++) {
    to[v] = sup_vec3d_to_float(sup_affined_point(map, sup_vec3_to_double(to[v])));
  }
}

static SupVec3d move_unit(SupMat3d map, SupVec3d v) {
  return sup_vec3d_normalise(sup_mat3d_mul_vec3(map, v));
}

static void move_part(const GltfBuild *build, SupAffined map, SupRawPart *part) {
  SupMat3d linear = sup_affined_linear(map);
  SupMat3d cofactor = sup_mat3d_transpose(sup_mat3d_inverse(linear));
  SupAffined offset = sup_affined_from_parts(linear, (SupVec3d){0, 0, 0});
  part->mirrored = sup_mat3d_determinant(linear) < 0;
  move_points(map, part->positions, part->vertex_count);
  for (uint32_t m = 0; part->morph_offsets && m < build->raw.morph_count; m++) {
    move_points(offset, part->morph_offsets[m], part->vertex_count);
  }
  SupVec3 *normals = (SupVec3 *)(uintptr_t)part->normals;
  SupVec4 *tangents = (SupVec4 *)(uintptr_t)part->tangents;
  for (uint32_t v = 0; v < part->vertex_count && normals; v++) {
    normals[v] = sup_vec3d_to_float(move_unit(cofactor, sup_vec3_to_double(normals[v])));
  }
  for (uint32_t v = 0; v < part->vertex_count && tangents; v++) {
    SupVec3d t = {(double)tangents[v].x, (double)tangents[v].y, (double)tangents[v].z};
    SupVec3 moved = sup_vec3d_to_float(move_unit(linear, t));
    float side = part->mirrored ? -tangents[v].w : tangents[v].w;
    tangents[v] = (SupVec4){moved.x, moved.y, moved.z, side};
  }
}

/* ---- Parts ---------------------------------------------------------------------------------- */

/* The primitive's `attributes`, under the primitive's name. */
static GltfItem attributes_of(const GltfItem *primitive) {
  GltfItem item = *primitive;
  item.json = json_object_get(primitive->json, "attributes");
  return item;
}

/* Whether the primitive becomes a part at all. */
static SupResult is_part(GltfBuild *build, const GltfItem *primitive, bool *out_is) {
  uint32_t mode = MODE_TRIANGLES;
  SupResult result = sup_gltf_get_u32(primitive, "mode", &mode, build->reader->error);
  const json_t *attributes = json_object_get(primitive->json, "attributes");
  *out_is = sup_gltf_mode_has_triangles(mode) && json_object_get(attributes, "POSITION") &&
            json_object_get(attributes, "JOINTS_0");
  return result;
}

static SupResult refuse_draco(GltfBuild *build, const GltfItem *primitive) {
  const json_t *extensions = json_object_get(primitive->json, "extensions");
  if (!json_object_get(extensions, "KHR_draco_mesh_compression")) return SUP_OK;
  uint32_t position;
  GltfItem attributes = attributes_of(primitive), accessor;
  SupResult result = sup_gltf_get_index(build->reader->document, &attributes, "POSITION",
                                        GLTF_ACCESSOR, &position, build->reader->error);
  if (result == SUP_OK) {
    result = sup_gltf_item(build->reader->document, GLTF_ACCESSOR, position, &accessor,
                           build->reader->error);
  }
  if (result != SUP_OK || json_object_get(accessor.json, "bufferView")) return result;
  return sup_fail(build->reader->error, SUP_ERROR_UNSUPPORTED,
                  "%s is compressed with Draco; decode it first, for example with "
                  "`npx @gltf-transform/cli copy in.glb out.glb`",
                  primitive->name);
}

static SupResult read_part(GltfBuild *build, const GltfItem *primitive, uint32_t node,
                           SupRawPart *part) {
  GltfReader *reader = build->reader;
  GltfItem attributes = attributes_of(primitive);
  uint32_t skin_slot = build->skin_slots[build->scene->nodes[node].skin], mode = MODE_TRIANGLES;
  float *positions, *normals, *tangents, *uvs;
  SupResult result = refuse_draco(build, primitive);
  if (result == SUP_OK) result = sup_gltf_get_u32(primitive, "mode", &mode, reader->error);
  if (result == SUP_OK) {
    result = sup_gltf_get_index(reader->document, primitive, "material", GLTF_MATERIAL,
                                &part->material, reader->error);
  }
  if (result == SUP_OK) {
    result = read_float_attribute(build, &attributes, "POSITION", 3, part, &positions);
  }
  if (result == SUP_OK) {
    result = read_float_attribute(build, &attributes, "NORMAL", 3, part, &normals);
  }
  if (result == SUP_OK) {
    result = read_float_attribute(build, &attributes, "TANGENT", 4, part, &tangents);
  }
  if (result == SUP_OK) {
    result = read_float_attribute(build, &attributes, "TEXCOORD_0", 2, part, &uvs);
  }
  if (result == SUP_OK) result = read_influences(build, &attributes, skin_slot, part);
  if (result == SUP_OK) result = read_triangles(build, primitive, mode, part);
  if (result == SUP_OK) result = read_morph_offsets(build, primitive, node, part);
  if (result == SUP_OK) result = read_maps(build, &attributes, part);
  if (result != SUP_OK) return result;
  part->positions = (const SupVec3 *)positions;
  part->normals = (const SupVec3 *)normals;
  part->tangents = (const SupVec4 *)tangents;
  part->uvs = uvs;
  SupAffined map = build->to_body[skin_slot], identity = sup_affined_identity();
  if (memcmp(&map, &identity, sizeof map) != 0) move_part(build, map, part);
  return SUP_OK;
}

/* Calls `visit` for every primitive that becomes a part, in file order. */
typedef SupResult Visit(GltfBuild *build, const GltfItem *primitive, uint32_t node, uint32_t index);

static SupResult visit_primitives(GltfBuild *build, Visit *visit, bool count_ignored) {
  const SupGltf *document = build->reader->document;
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < build->mesh_node_count && result == SUP_OK; k++) {
    uint32_t node = build->node_list[k], count = 0;
    GltfItem mesh, primitive;
    result = sup_gltf_item(document, GLTF_MESH, build->scene->nodes[node].mesh, &mesh,
                           build->reader->error);
    if (result == SUP_OK) {
      result = sup_gltf_get_length(&mesh, "primitives", &count, build->reader->error);
    }
    for (uint32_t p = 0; p < count && result == SUP_OK; p++) {
      bool wanted = false;
      result =
          sup_gltf_child(&mesh, "primitives", "primitive", p, &primitive, build->reader->error);
      if (result == SUP_OK) result = is_part(build, &primitive, &wanted);
      if (result != SUP_OK) break;
      if (wanted) result = visit(build, &primitive, node, p);
      if (!wanted && count_ignored) build->out.report.primitives_ignored++;
    }
  }
  return result;
}

static SupResult count_part(GltfBuild *build, const GltfItem *primitive, uint32_t node,
                            uint32_t index) {
  (void)node;
  (void)index;
  build->raw.part_count++;
  json_t *attributes = json_object_get(primitive->json, "attributes"), *value;
  const char *key;
  SupResult result = SUP_OK;
  json_object_foreach(attributes, key, value) {
    char name[64];
    if (result == SUP_OK && map_name(key, name)) result = add_map(build, name);
  }
  if (result == SUP_OK && has_color_map(build, attributes)) {
    result = add_map(build, build->reader->document->options.color_map);
  }
  return result;
}

static SupResult add_part(GltfBuild *build, const GltfItem *primitive, uint32_t node,
                          uint32_t index) {
  const SupGltf *document = build->reader->document;
  uint32_t p = build->raw.part_count, mesh = build->scene->nodes[node].mesh;
  const char *name =
      sup_gltf_get_string(json_array_get(sup_gltf_array(document, GLTF_NODE), node), "name");
  if (!name) {
    name = sup_gltf_get_string(json_array_get(sup_gltf_array(document, GLTF_MESH), mesh), "name");
  }
  SupRawPart part = {.name = name, .node = node, .mesh = mesh, .primitive = index};
  SupResult result = read_part(build, primitive, node, &part);
  if (result != SUP_OK) return result;
  build->part_skins[p] = build->skin_slots[build->scene->nodes[node].skin];
  build->parts[p] = part;
  build->raw.part_count++;
  return SUP_OK;
}

SupResult sup_gltf_build_parts(GltfBuild *build) {
  SupResult result = sup_gltf_build_morphs(build);
  if (result == SUP_OK) result = visit_primitives(build, count_part, true);
  if (result != SUP_OK) return result;
  build->parts = SUP_ALLOC(&build->reader->scratch, SupRawPart, build->raw.part_count);
  build->part_skins = SUP_ALLOC(build->reader->arena, uint32_t, build->raw.part_count);
  if (!build->parts || !build->part_skins) {
    return sup_fail_memory(build->reader->error, "the primitives");
  }
  build->raw.part_count = 0;
  result = visit_primitives(build, add_part, false);
  build->raw.parts = build->parts;
  build->raw.map_names = build->map_names;
  return result;
}
