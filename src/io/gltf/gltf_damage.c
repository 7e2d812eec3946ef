/* SPDX-License-Identifier: MIT */
/* Says what is damaged in a document that is passed on as it is. */
#include <string.h>

#include "io/gltf/gltf_reader.h"
#include "supple/model.h"

typedef struct Search {
  GltfReader *reader;
  SupError found; /* where the reader's sentences go */
  SupGltfDamage *damage;
} Search;

static void note(Search *s, SupResult result) {
  if (result != SUP_ERROR_FORMAT) return;
  SupGltfDamage *damage = s->damage;
  if (damage->count < 3) {
    sup_format(damage->first[damage->count], sizeof(SupError), "%s", s->found.text);
  }
  damage->count++;
}

/* ---- Indices -------------------------------------------------------------------------------- */

/* Member `key` of an object is the index of another one, or, if `many`, an array of such. */
typedef struct Reference {
  const char *key;
  bool many;
  GltfKind kind;
} Reference;

#define MOST_REFERENCES 4

static const struct {
  GltfKind kind;
  Reference references[MOST_REFERENCES + 1]; /* ended by one without a key */
} tables[] = {
    {GLTF_SCENE, {{"nodes", true, GLTF_NODE}}},
    {GLTF_NODE,
     {{"mesh", false, GLTF_MESH},
      {"skin", false, GLTF_SKIN},
      {"camera", false, GLTF_CAMERA},
      {"children", true, GLTF_NODE}}},
    {GLTF_SKIN,
     {{"inverseBindMatrices", false, GLTF_ACCESSOR},
      {"skeleton", false, GLTF_NODE},
      {"joints", true, GLTF_NODE}}},
    {GLTF_IMAGE, {{"bufferView", false, GLTF_VIEW}}},
    {GLTF_TEXTURE, {{"source", false, GLTF_IMAGE}}},
};

static const Reference of_primitive[] = {
    {"indices", false, GLTF_ACCESSOR}, {"material", false, GLTF_MATERIAL}, {NULL, false, 0}};
static const Reference of_sampler[] = {
    {"input", false, GLTF_ACCESSOR}, {"output", false, GLTF_ACCESSOR}, {NULL, false, 0}};
static const Reference of_target[] = {{"node", false, GLTF_NODE}, {NULL, false, 0}};
static const Reference of_texture[] = {{"index", false, GLTF_TEXTURE}, {NULL, false, 0}};

static void look_at_references(Search *s, const GltfItem *item, const Reference *references) {
  const SupGltf *document = s->reader->document;
  uint32_t index, length;
  for (; references->key; references++) {
    if (!references->many) {
      note(s, sup_gltf_get_index(document, item, references->key, references->kind, &index,
                                 &s->found));
      continue;
    }
    SupResult result = sup_gltf_get_length(item, references->key, &length, &s->found);
    note(s, result);
    for (uint32_t k = 0; result == SUP_OK && k < length; k++) {
      note(s, sup_gltf_array_index(document, item, references->key, k, references->kind, &index,
                                   &s->found));
    }
  }
}

/* Every member of `object` is the index of an accessor. */
static void look_at_attributes(Search *s, const GltfItem *owner, json_t *object) {
  GltfItem item = *owner;
  item.json = object;
  const char *key;
  json_t *value;
  uint32_t index;
  json_object_foreach(object, key, value) {
    note(s, sup_gltf_get_index(s->reader->document, &item, key, GLTF_ACCESSOR, &index, &s->found));
  }
}

/* Whether child `k` of an array of objects is there; notes it if not. */
static bool child(Search *s, const GltfItem *parent, const char *key, const char *kind, uint32_t k,
                  GltfItem *out_item) {
  SupResult result = sup_gltf_child(parent, key, kind, k, out_item, &s->found);
  note(s, result);
  return result == SUP_OK;
}

static uint32_t length_of(Search *s, const GltfItem *item, const char *key) {
  uint32_t length = 0;
  SupResult result = sup_gltf_get_length(item, key, &length, &s->found);
  note(s, result);
  return result == SUP_OK ? length : 0;
}

static void look_at_mesh(Search *s, const GltfItem *mesh) {
  GltfItem primitive, target;
  uint32_t count = length_of(s, mesh, "primitives");
  for (uint32_t p = 0; p < count; p++) {
    if (!child(s, mesh, "primitives", "primitive", p, &primitive)) continue;
    look_at_references(s, &primitive, of_primitive);
    look_at_attributes(s, &primitive, json_object_get(primitive.json, "attributes"));
    uint32_t targets = length_of(s, &primitive, "targets");
    for (uint32_t t = 0; t < targets; t++) {
      if (child(s, &primitive, "targets", "target", t, &target)) {
        look_at_attributes(s, &target, target.json);
      }
    }
  }
}

static void look_at_animation(Search *s, const GltfItem *animation) {
  GltfItem item;
  uint32_t samplers = length_of(s, animation, "samplers");
  uint32_t channels = length_of(s, animation, "channels");
  for (uint32_t k = 0; k < samplers; k++) {
    if (child(s, animation, "samplers", "sampler", k, &item)) {
      look_at_references(s, &item, of_sampler);
    }
  }
  for (uint32_t k = 0; k < channels; k++) {
    if (!child(s, animation, "channels", "channel", k, &item)) continue;
    uint64_t sampler = 0;
    SupResult result =
        sup_gltf_get_uint(&item, "sampler", samplers ? samplers - 1 : 0, &sampler, &s->found);
    note(s, result);
    item.json = json_object_get(item.json, "target");
    if (json_is_object(item.json)) look_at_references(s, &item, of_target);
  }
}

/* Textures are named by objects of many kinds, in extensions too: all that end in "Texture". */
static void look_at_textures(Search *s, const GltfItem *material, json_t *object, unsigned depth) {
  const char *key;
  json_t *value;
  json_object_foreach(object, key, value) {
    size_t length = strlen(key);
    if (!json_is_object(value) || depth > 4) continue;
    GltfItem item = *material;
    item.json = value;
    bool texture = length >= 7 && strcmp(key + length - 7, "Texture") == 0;
    if (texture) look_at_references(s, &item, of_texture);
    if (!texture && strcmp(key, "extras") != 0) look_at_textures(s, material, value, depth + 1);
  }
}

/* ---- Model blocks --------------------------------------------------------------------------- */

static void look_at_models(Search *s, const GltfItem *skin) {
  GltfItem list = *skin, item;
  list.json = json_object_get(json_object_get(skin->json, "extensions"), "SUPPLE_model");
  if (!list.json) return;
  uint32_t count = length_of(s, &list, "models");
  for (uint32_t k = 0; k < count; k++) {
    uint32_t index;
    GltfView view;
    if (!child(s, &list, "models", "model", k, &item)) continue;
    SupResult result =
        sup_gltf_get_index(s->reader->document, &item, "bufferView", GLTF_VIEW, &index, &s->found);
    note(s, result);
    if (result != SUP_OK || index == SUP_NONE) continue;
    if (sup_gltf_view(s->reader, index, &view) != SUP_OK) continue; /* noted with the views */
    SupArena copy;
    sup_arena_init(&copy, s->reader->arena->allocator, 0);
    const uint8_t *block = SUP_COPY(&copy, uint8_t, view.data, view.bytes); /* aligned */
    if (block && sup_model_check_container(block, view.bytes, &s->found) != SUP_OK) {
      sup_error_prefix(&s->found, "%s", item.name);
      note(s, SUP_ERROR_FORMAT);
    }
    sup_arena_free(&copy);
  }
}

/* ---- All ------------------------------------------------------------------------------------ */

static void look_at_item(Search *s, GltfKind kind, uint32_t k) {
  GltfItem item;
  GltfView view;
  GltfAccessor accessor;
  const SupGltf *document = s->reader->document;
  if (kind == GLTF_VIEW || kind == GLTF_ACCESSOR) {
    note(s, kind == GLTF_VIEW ? sup_gltf_view(s->reader, k, &view)
                              : sup_gltf_accessor(s->reader, k, &accessor));
    return;
  }
  SupResult result = sup_gltf_item(document, kind, k, &item, &s->found);
  note(s, result);
  if (result != SUP_OK) return;
  for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
    if (tables[t].kind == kind) look_at_references(s, &item, tables[t].references);
  }
  if (kind == GLTF_MESH) look_at_mesh(s, &item);
  if (kind == GLTF_ANIMATION) look_at_animation(s, &item);
  if (kind == GLTF_MATERIAL) look_at_textures(s, &item, item.json, 0);
  if (kind == GLTF_SKIN) look_at_models(s, &item);
}

/* What can only be seen when characters are read: nodes that are their own ancestors, joints that a
 * skin does not have, numbers that are not finite. */
static void look_at_characters(Search *s, SupAllocator allocator) {
  SupArena arena;
  uint32_t count;
  SupGltfCharacter *characters;
  sup_arena_init(&arena, allocator, 0);
  note(s, sup_gltf_characters(s->reader->document, &arena, &count, &characters, &s->found));
  sup_arena_free(&arena);
}

SupResult sup_gltf_find_damage(const SupGltf *document, SupAllocator allocator,
                               SupGltfDamage *out_damage, SupError *error) {
  SupArena arena;
  GltfReader reader;
  Search s = {.reader = &reader, .damage = out_damage};
  *out_damage = (SupGltfDamage){0};
  sup_arena_init(&arena, allocator, 0);
  SupResult result = sup_gltf_reader_init(&reader, document, &arena, error);
  reader.error = &s.found;
  for (GltfKind kind = 0; result == SUP_OK && kind < GLTF_KIND_COUNT; kind++) {
    uint32_t count = sup_gltf_count(document, kind);
    for (uint32_t k = 0; k < count; k++) look_at_item(&s, kind, k);
  }
  GltfItem root = {document->json.root, "the document"};
  uint32_t scene;
  if (result == SUP_OK) {
    note(&s, sup_gltf_get_index(document, &root, "scene", GLTF_SCENE, &scene, &s.found));
  }
  if (result == SUP_OK && !out_damage->count) look_at_characters(&s, allocator);
  sup_gltf_reader_free(&reader);
  sup_arena_free(&arena);
  return result;
}
