/* SPDX-License-Identifier: MIT */
/* Model blocks: the extension SUPPLE_model on the character's first skin. */
#include <string.h>

#include "base/scratch.h"
#include "io/gltf/gltf_edit.h"

#define EXTENSION "SUPPLE_model"

static json_t *first_skin(const SupGltf *document, const SupGltfCharacter *character) {
  return json_array_get(sup_gltf_array(document, GLTF_SKIN), character->skins[0]);
}

static json_t *model_list(const json_t *skin) {
  const json_t *extension = json_object_get(json_object_get(skin, "extensions"), EXTENSION);
  return json_object_get(extension, "models");
}

static SupResult read_model(GltfReader *reader, const GltfItem *item, SupGltfModel *out_model) {
  uint32_t index;
  GltfView view;
  SupResult result =
      sup_gltf_get_index(reader->document, item, "bufferView", GLTF_VIEW, &index, reader->error);
  const char *kind = sup_gltf_get_string(item->json, "kind");
  if (result != SUP_OK) return result;
  if (!kind || index == SUP_NONE) {
    return sup_fail(reader->error, SUP_ERROR_FORMAT, "%s: `kind` or `bufferView` is missing",
                    item->name);
  }
  const json_t *stored = json_array_get(sup_gltf_array(reader->document, GLTF_VIEW), index);
  if (json_object_get(json_object_get(stored, "extensions"), "EXT_meshopt_compression")) {
    return sup_fail(reader->error, SUP_ERROR_UNSUPPORTED, "%s: a model block is never compressed",
                    item->name);
  }
  result = sup_gltf_view(reader, index, &view);
  if (result == SUP_OK) *out_model = (SupGltfModel){kind, view.data, view.bytes};
  return result;
}

SupResult sup_gltf_models(const SupGltf *document, const SupGltfCharacter *character,
                          SupArena *arena, uint32_t *out_count, SupGltfModel **out_models,
                          SupError *error) {
  GltfItem list = {first_skin(document, character), ""}, item;
  sup_format(list.name, sizeof list.name, "skin %u, " EXTENSION, character->skins[0]);
  list.json = json_object_get(json_object_get(list.json, "extensions"), EXTENSION);
  uint32_t count = 0;
  GltfReader reader;
  SupGltfModel *models = NULL;
  SupResult result = sup_gltf_reader_init(&reader, document, arena, error);
  if (result == SUP_OK) result = sup_gltf_get_length(&list, "models", &count, error);
  if (result == SUP_OK) {
    models = SUP_ALLOC(arena, SupGltfModel, count);
    if (!models) result = sup_fail_memory(error, "the model blocks");
  }
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    result = sup_gltf_child(&list, "models", "model", k, &item, error);
    if (result == SUP_OK) result = read_model(&reader, &item, &models[k]);
  }
  sup_gltf_reader_free(&reader);
  if (result != SUP_OK) return result;
  *out_count = count;
  *out_models = models;
  return SUP_OK;
}

/* Whether any skin still has blocks. */
static bool is_used(const SupGltf *document) {
  size_t k;
  json_t *skin;
  json_array_foreach(sup_gltf_array(document, GLTF_SKIN), k, skin) {
    if (json_object_get(json_object_get(skin, "extensions"), EXTENSION)) return true;
  }
  return false;
}

/* Takes the extension off the skin and gives its places back. */
static SupResult remove_models(SupGltf *document, json_t *skin, SupError *error) {
  const json_t *list = model_list(skin);
  SupResult result = SUP_OK;
  for (size_t k = 0; k < json_array_size(list) && result == SUP_OK; k++) {
    uint32_t view = sup_gltf_stored_index(json_array_get(list, k), "bufferView");
    result = sup_gltf_free_view(document, view, error);
  }
  json_t *extensions = json_object_get(skin, "extensions");
  json_object_del(extensions, EXTENSION);
  if (extensions && json_object_size(extensions) == 0) json_object_del(skin, "extensions");
  if (!is_used(document)) sup_gltf_unuse_extension(document, EXTENSION);
  return result;
}

static SupResult add_model(SupGltf *document, const SupGltfModel *model, json_t *list,
                           SupError *error) {
  uint32_t view;
  SupResult result = sup_gltf_add_view(document, model->data, model->bytes, 0, &view, error);
  if (result != SUP_OK) return result;
  return sup_gltf_append(
      list, json_pack("{s:s,s:I}", "kind", model->kind, "bufferView", (json_int_t)view), error);
}

/* Copies, because the caller's data may be the document's own, whose place is used again. */
static SupGltfModel *copy_models(SupArena *scratch, uint32_t count, const SupGltfModel *models) {
  SupGltfModel *copies = SUP_COPY(scratch, SupGltfModel, models, count);
  for (uint32_t k = 0; k < count && copies; k++) {
    copies[k].data = SUP_COPY(scratch, uint8_t, models[k].data, models[k].bytes);
    copies[k].kind = sup_arena_string(scratch, models[k].kind, strlen(models[k].kind));
    if (!copies[k].data || !copies[k].kind) return NULL;
  }
  return copies;
}

static SupResult replace_models(SupGltf *document, json_t *skin, uint32_t count,
                                const SupGltfModel *models, SupError *error) {
  SupResult result = remove_models(document, skin, error);
  if (result != SUP_OK || count == 0) return result;
  json_t *extensions = sup_gltf_need_object(skin, "extensions");
  json_t *extension = extensions ? sup_gltf_need_object(extensions, EXTENSION) : NULL;
  json_t *list = extension ? sup_gltf_need_list(extension, "models") : NULL;
  if (!list) return sup_fail_memory(error, "the model blocks");
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    result = add_model(document, &models[k], list, error);
  }
  return result == SUP_OK ? sup_gltf_use_extension(document, EXTENSION, error) : result;
}

SupResult sup_gltf_put_models(SupGltf *document, const SupGltfCharacter *character, uint32_t count,
                              const SupGltfModel *models, SupError *error) {
  for (uint32_t k = 0; k < count; k++) {
    if (models[k].bytes == 0) {
      return sup_fail(error, SUP_ERROR_ARGUMENT, "model %u (%s) is empty", k, models[k].kind);
    }
  }
  SupArena scratch = sup_scratch(&document->arena);
  SupGltfModel *copies = copy_models(&scratch, count, models);
  SupResult result = copies ? SUP_OK : sup_fail_memory(error, "the model blocks");
  if (result == SUP_OK) {
    result = replace_models(document, first_skin(document, character), count, copies, error);
  }
  sup_arena_free(&scratch);
  return result;
}
