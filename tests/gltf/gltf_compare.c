/* SPDX-License-Identifier: MIT */
#include "check.h"

#include "gltf_compare.h"

#include <jansson.h>
#include <string.h>

CharacterList characters_of(const SupGltf *document, SupArena *arena) {
  CharacterList list = {0};
  SupError error = {""};
  SupResult result = sup_gltf_characters(document, arena, &list.count, &list.items, &error);
  if (result != SUP_OK) fail_msg("%s", error.text);
  assert_true(list.count > 0);
  return list;
}

/* ---- Characters ----------------------------------------------------------------------------- */

static void same_bytes(const void *a, const void *b, size_t bytes) {
  assert_int_equal(a == NULL, b == NULL);
  if (a && bytes) assert_memory_equal(a, b, bytes);
}

static void same_skeleton(const SupSkeleton *a, const SupSkeleton *b) {
  assert_int_equal(a->joint_count, b->joint_count);
  assert_int_equal(a->bone_count, b->bone_count);
  same_bytes(a->parents, b->parents, a->joint_count * sizeof(int32_t));
  same_bytes(a->rest, b->rest, a->joint_count * sizeof(SupTransform));
  same_bytes(a->bone_joints, b->bone_joints, a->bone_count * sizeof(uint32_t));
  same_bytes(a->inverse_bind, b->inverse_bind, a->bone_count * sizeof(SupAffine));
  for (uint32_t j = 0; j < a->joint_count; j++) assert_string_equal(a->names[j], b->names[j]);
}

static void same_surface(const SupCharacter *a, const SupCharacter *b) {
  assert_int_equal(a->body.vertex_count, b->body.vertex_count);
  assert_int_equal(a->body.triangle_count, b->body.triangle_count);
  same_bytes(a->body.positions, b->body.positions, a->body.vertex_count * sizeof(SupVec3));
  same_bytes(a->body.triangles, b->body.triangles, a->body.triangle_count * 12);
  assert_int_equal(a->skin.influence_max, b->skin.influence_max);
  same_bytes(a->skin.offsets, b->skin.offsets, (a->body.vertex_count + 1) * sizeof(uint32_t));
  uint32_t weights = a->skin.offsets[a->body.vertex_count];
  same_bytes(a->skin.bones, b->skin.bones, weights * sizeof(uint32_t));
  same_bytes(a->skin.weights, b->skin.weights, weights * sizeof(float));
}

static void same_render(const SupRender *a, const SupRender *b) {
  uint32_t n = a->vertex_count;
  assert_int_equal(n, b->vertex_count);
  assert_int_equal(a->triangle_count, b->triangle_count);
  assert_int_equal(a->part_count, b->part_count);
  same_bytes(a->to_body, b->to_body, n * sizeof(uint32_t));
  same_bytes(a->triangles, b->triangles, a->triangle_count * 12);
  same_bytes(a->positions, b->positions, n * sizeof(SupVec3));
  same_bytes(a->normals, b->normals, n * sizeof(SupVec3));
  same_bytes(a->tangents, b->tangents, n * sizeof(SupVec4));
  same_bytes(a->uvs, b->uvs, n * 2 * sizeof(float));
  for (uint32_t p = 0; p < a->part_count; p++) {
    const SupPart *x = &a->parts[p], *y = &b->parts[p];
    assert_string_equal(x->name, y->name);
    assert_int_equal(x->node, y->node);
    assert_int_equal(x->mesh, y->mesh);
    assert_int_equal(x->primitive, y->primitive);
    assert_int_equal(x->material, y->material);
    assert_int_equal(x->vertex_count, y->vertex_count);
    assert_int_equal(x->mirrored, y->mirrored);
  }
}

static void same_clip(const SupClip *a, const SupClip *b) {
  assert_string_equal(a->name, b->name);
  assert_int_equal(a->track_count, b->track_count);
  for (uint32_t t = 0; t < a->track_count; t++) {
    const SupTrack *x = &a->tracks[t], *y = &b->tracks[t];
    assert_int_equal(x->target, y->target);
    assert_int_equal(x->channel, y->channel);
    assert_int_equal(x->interpolation, y->interpolation);
    assert_int_equal(x->width, y->width);
    assert_int_equal(x->key_count, y->key_count);
    size_t values = (size_t)x->key_count * x->width;
    if (x->interpolation == SUP_INTERPOLATE_CUBIC) values *= 3;
    same_bytes(x->times, y->times, x->key_count * sizeof(float));
    same_bytes(x->values, y->values, values * sizeof(float));
  }
}

static void same_extras(const SupCharacter *a, const SupCharacter *b) {
  size_t n = a->body.vertex_count;
  assert_int_equal(a->clip_count, b->clip_count);
  for (uint32_t c = 0; c < a->clip_count; c++) same_clip(&a->clips[c], &b->clips[c]);
  assert_int_equal(a->morph_count, b->morph_count);
  for (uint32_t m = 0; m < a->morph_count; m++) {
    assert_string_equal(a->morphs[m].name, b->morphs[m].name);
    assert_true(a->morphs[m].weight == b->morphs[m].weight);
    same_bytes(a->morphs[m].offsets, b->morphs[m].offsets, n * sizeof(SupVec3));
  }
  assert_int_equal(a->map_count, b->map_count);
  for (uint32_t m = 0; m < a->map_count; m++) {
    assert_string_equal(a->maps[m].name, b->maps[m].name);
    same_bytes(a->maps[m].values, b->maps[m].values, n * sizeof(float));
  }
}

void assert_same_characters(const CharacterList *a, const CharacterList *b) {
  assert_int_equal(a->count, b->count);
  for (uint32_t k = 0; k < a->count; k++) {
    const SupGltfCharacter *x = &a->items[k], *y = &b->items[k];
    assert_string_equal(x->character.name, y->character.name);
    same_skeleton(&x->character.skeleton, &y->character.skeleton);
    same_surface(&x->character, &y->character);
    same_render(&x->character.render, &y->character.render);
    same_extras(&x->character, &y->character);
    assert_memory_equal(&x->character.weld, &y->character.weld, sizeof(SupWeldReport));
    assert_memory_equal(&x->report, &y->report, sizeof x->report);
    same_bytes(x->joint_nodes, y->joint_nodes, x->character.skeleton.joint_count * 4);
    same_bytes(x->skins, y->skins, x->skin_count * sizeof(uint32_t));
  }
}

/* ---- JSON ----------------------------------------------------------------------------------- */

/* The JSON text inside a .glb or .gltf. */
static const char *json_text(const uint8_t *file, size_t bytes, size_t *out_bytes) {
  if (bytes < 20 || memcmp(file, "glTF", 4) != 0) {
    *out_bytes = bytes;
    return (const char *)file;
  }
  *out_bytes =
      (size_t)file[12] | (size_t)file[13] << 8 | (size_t)file[14] << 16 | (size_t)file[15] << 24;
  return (const char *)file + 20;
}

/* The text without white space outside strings, and with `buffers` cut out: the last array of that
 * name at the top level. Strings stay as they are spelt. */
static char *squeeze(const char *text, size_t bytes) {
  char *out = malloc(bytes + 1), *to = out;
  bool inside = false;
  for (size_t k = 0; k < bytes; k++) {
    char c = text[k];
    if (!inside && (c == ' ' || c == '\n' || c == '\t' || c == '\r')) continue;
    *to++ = c;
    if (c == '\\' && inside) *to++ = text[++k];
    if (c == '"') inside = !inside;
  }
  *to = 0;
  char *start = strstr(out, "\"buffers\":[");
  if (start) {
    char *end = start;
    int depth = 0;
    bool quoted = false;
    for (; *end; end++) {
      if (*end == '"') quoted = !quoted;
      if (!quoted && *end == '[') depth++;
      if (!quoted && *end == ']' && --depth == 0) break;
    }
    memmove(start + strlen("\"buffers\":["), end, strlen(end) + 1);
  }
  return out;
}

/* All number tokens outside strings, one per line. */
static char *numbers_of(const char *text) {
  char *out = malloc(2 * strlen(text) + 2), *to = out;
  bool inside = false, number = false;
  for (const char *c = text; *c; c++) {
    if (*c == '\\' && inside) {
      c++;
      continue;
    }
    if (*c == '"') inside = !inside;
    bool part = !inside && strchr("+-.0123456789eE", *c) != NULL;
    if (part && !number && !strchr("-0123456789", *c)) part = false; /* true, false */
    if (part) *to++ = *c;
    if (number && !part) *to++ = '\n';
    number = part;
  }
  *to = 0;
  return out;
}

void assert_same_json(const void *a, size_t a_bytes, const void *b, size_t b_bytes) {
  size_t bytes[2];
  const char *text[2] = {json_text(a, a_bytes, &bytes[0]), json_text(b, b_bytes, &bytes[1])};
  char *squeezed[2], *numbers[2];
  for (int k = 0; k < 2; k++) {
    squeezed[k] = squeeze(text[k], bytes[k]);
    numbers[k] = numbers_of(squeezed[k]);
  }
  assert_string_equal(numbers[0], numbers[1]);
  /* Values and order: strings may be escaped differently, so compare what another program's
   * reading of both gives. Too large numbers were compared as text above; cut them for jansson. */
  char *dumps[2];
  for (int k = 0; k < 2; k++) {
    char *huge;
    while ((huge = strstr(squeezed[k], "18446744073709551616")) != NULL) memset(huge + 1, ' ', 19);
    while ((huge = strstr(squeezed[k], "1e400")) != NULL) memset(huge + 1, ' ', 4);
    json_error_t error;
    json_t *tree = json_loads(squeezed[k], JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, &error);
    if (!tree) fail_msg("line %d column %d: %s", error.line, error.column, error.text);
    dumps[k] = json_dumps(tree, JSON_COMPACT);
    assert_non_null(dumps[k]);
    json_decref(tree);
  }
  assert_string_equal(dumps[0], dumps[1]);
  for (int k = 0; k < 2; k++) {
    free(squeezed[k]);
    free(numbers[k]);
    free(dumps[k]);
  }
}
