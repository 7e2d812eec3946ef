/* SPDX-License-Identifier: MIT */
/* Lists of example shapes from JSON. */
#include "io/json_fields.h"
#include "io/path.h"
#include "supple/io/envelope_file.h"
#include "supple/io/file.h"

static SupResult read_version(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                              const json_t *value, void *into) {
  (void)into;
  if (json_is_integer(value) && json_integer_value(value) == 1) return SUP_OK;
  return sup_json_refuse(r, field, object, value,
                         "1: this program reads version 1 of example files");
}

/* A file is named from the folder that the list is in. */
static SupResult read_shape(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                            const json_t *value, void *into) {
  SupResult result = sup_json_name(r, field, object, value, into);
  const char *shape = *(const char **)into;
  const size_t folder = sup_folder_length(r->path);
  if (result != SUP_OK || !strchr(shape, '.') || *shape == '/' || folder == 0) return result;
  const size_t length = strlen(shape);
  char *path = SUP_ALLOC(r->arena, char, folder + length + 1);
  if (!path) return sup_fail_memory(r->error, r->path);
  memcpy(path, r->path, folder);
  memcpy(path + folder, shape, length);
  *(const char **)into = path;
  return SUP_OK;
}

static SupResult read_example(SupJsonReading *r, const json_t *object, void *into) {
  static const SupJsonField fields[] = {
      {"name", sup_json_name, offsetof(SupEnvelopeSource, name), false},
      {"shape", read_shape, offsetof(SupEnvelopeSource, shape), true},
      {"pose", sup_json_name, offsetof(SupEnvelopeSource, pose), true}};
  SupEnvelopeSource *source = into;
  SupResult result =
      sup_json_object(r, object, "an example", fields, sizeof fields / sizeof *fields, into);
  if (result != SUP_OK) return result;
  return sup_json_copy(r, json_string_value(json_object_get(object, "shape")), &source->written);
}

static SupResult read_examples(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                               const json_t *value, void *into) {
  SupEnvelopeFile *file = into;
  void *items;
  SupResult result = sup_json_list(r, field, object, value, sizeof(SupEnvelopeSource), read_example,
                                   &items, &file->example_count);
  if (result == SUP_OK) file->examples = items;
  return result;
}

static SupResult read_name(SupJsonReading *r, const json_t *value, void *into) {
  if (json_is_string(value)) return sup_json_copy(r, json_string_value(value), into);
  return sup_fail(r->error, SUP_ERROR_FORMAT, "%s: \"examples\" of a patch must be names", r->path);
}

static SupResult read_chosen(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                             const json_t *value, void *into) {
  SupEnvelopePatchSource *patch = into;
  void *items;
  SupResult result = sup_json_list(r, field, object, value, sizeof(const char *), read_name, &items,
                                   &patch->example_count);
  patch->chosen = true;
  if (result == SUP_OK) patch->examples = (const char *const *)items;
  return result;
}

static SupResult read_angle(SupJsonReading *r, const json_t *object, void *into) {
  static const SupJsonField fields[] = {
      {"joint", sup_json_name, offsetof(SupEnvelopeAngleSource, joint), true},
      {"axis", sup_json_vector, offsetof(SupEnvelopeAngleSource, axis), false}};
  return sup_json_object(r, object, "an angle", fields, sizeof fields / sizeof *fields, into);
}

static SupResult read_angles(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                             const json_t *value, void *into) {
  SupEnvelopePatchSource *patch = into;
  void *items;
  SupResult result = sup_json_list(r, field, object, value, sizeof(SupEnvelopeAngleSource),
                                   read_angle, &items, &patch->angle_count);
  if (result == SUP_OK) patch->angles = items;
  return result;
}

static SupResult read_patch(SupJsonReading *r, const json_t *object, void *into) {
  static const SupJsonField fields[] = {
      {"patch", sup_json_name, offsetof(SupEnvelopePatchSource, patch), true},
      {"examples", read_chosen, 0, false},
      {"angles", read_angles, 0, false},
      {"strength", sup_json_number, offsetof(SupEnvelopePatchSource, strength), false},
      {"scale", sup_json_vector, offsetof(SupEnvelopePatchSource, scale), false}};
  ((SupEnvelopePatchSource *)into)->strength = 1;
  return sup_json_object(r, object, "a patch", fields, sizeof fields / sizeof *fields, into);
}

static SupResult read_patches(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                              const json_t *value, void *into) {
  SupEnvelopeFile *file = into;
  void *items;
  SupResult result = sup_json_list(r, field, object, value, sizeof(SupEnvelopePatchSource),
                                   read_patch, &items, &file->patch_count);
  if (result == SUP_OK) file->patches = items;
  return result;
}

SupResult sup_envelope_file_parse(SupArena *arena, const char *text, size_t bytes, const char *path,
                                  SupEnvelopeFile *out_file, SupError *error) {
  static const SupJsonField fields[] = {{"example_file", read_version, 0, true},
                                        {"examples", read_examples, 0, true},
                                        {"patches", read_patches, 0, false}};
  SupJsonReading r = {.arena = arena, .path = path, .error = error};
  SupEnvelopeFile file = {.example_count = 0};
  json_t *root;
  SupResult result = sup_json_read_placed(&r, text, bytes, &root);
  if (result != SUP_OK) return result;
  result =
      sup_json_object(&r, root, "an example file", fields, sizeof fields / sizeof *fields, &file);
  json_decref(root);
  if (result == SUP_OK) *out_file = file;
  return result;
}

SupResult sup_envelope_file_read(SupArena *arena, const char *path, SupEnvelopeFile *out_file,
                                 SupError *error) {
  const uint8_t *data;
  size_t bytes;
  SupResult result = sup_file_read(arena, path, &data, &bytes, error);
  if (result != SUP_OK) return result;
  return sup_envelope_file_parse(arena, (const char *)data, bytes, path, out_file, error);
}
