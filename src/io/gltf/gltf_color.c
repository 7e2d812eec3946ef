/* SPDX-License-Identifier: MIT */
/* Vertex colours, brought to the body. */
#include <string.h>

#include "io/gltf/gltf_edit.h"
#include "io/gltf/gltf_reader.h"

/* Colours of one part added to the sums of their body vertices. */
static SupResult add_part(GltfReader *reader, const SupRender *render, uint32_t p, uint32_t index,
                          float *sums, uint32_t *counts) {
  const SupPart *part = &render->parts[p];
  GltfAccessor accessor;
  float *values;
  SupResult result = sup_gltf_accessor(reader, index, &accessor);
  if (result != SUP_OK) return result;
  if (accessor.count != part->vertex_count || accessor.width < 3 || accessor.width > 4) {
    return sup_fail(reader->error, SUP_ERROR_FORMAT,
                    "accessor %u: colours of part %s are not 3 or 4 numbers for each vertex", index,
                    part->name);
  }
  result = sup_gltf_read_floats(reader, &accessor, &reader->scratch, &values);
  for (uint32_t v = 0; v < part->vertex_count && result == SUP_OK; v++) {
    const uint32_t body = render->to_body[part->first_vertex + v];
    const float *from = values + (size_t)accessor.width * v;
    for (uint32_t c = 0; c < 4; c++) sums[4 * (size_t)body + c] += c < accessor.width ? from[c] : 1;
    counts[body]++;
  }
  return result;
}

SupResult sup_gltf_colors(const SupGltf *document, const SupGltfCharacter *character,
                          SupArena *arena, const float **out_colors, SupError *error) {
  const SupRender *render = &character->character.render;
  const uint32_t n = character->character.body.vertex_count;
  GltfReader reader;
  SupResult result = sup_gltf_reader_init(&reader, document, arena, error);
  if (result != SUP_OK) return result;
  float *sums = SUP_ALLOC(arena, float, 4 * (size_t)n);
  uint32_t *counts = SUP_ALLOC(&reader.scratch, uint32_t, n);
  bool found = false;
  if (!sums || !counts) result = sup_fail_memory(error, "the colours");
  for (uint32_t p = 0; p < render->part_count && result == SUP_OK; p++) {
    const json_t *primitive = sup_gltf_part_primitive(document, &render->parts[p]);
    const uint32_t index =
        sup_gltf_stored_index(json_object_get(primitive, "attributes"), "COLOR_0");
    if (index == SUP_NONE) continue;
    found = true;
    result = add_part(&reader, render, p, index, sums, counts);
  }
  for (size_t k = 0; k < 4 * (size_t)n && result == SUP_OK; k++) {
    sums[k] = counts[k / 4] ? sums[k] / (float)counts[k / 4] : 1; /* glTF's default is white */
  }
  sup_gltf_reader_free(&reader);
  if (result == SUP_OK) *out_colors = found ? sums : NULL;
  return result;
}
