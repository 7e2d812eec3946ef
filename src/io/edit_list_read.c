/* SPDX-License-Identifier: MIT */
/* Edits of control vertices from JSON. */
#include "io/json_fields.h"
#include "supple/io/envelope_file.h"
#include "supple/io/file.h"

static SupResult read_version(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                              const json_t *value, void *into) {
  (void)into;
  if (json_is_integer(value) && json_integer_value(value) == 1) return SUP_OK;
  return sup_json_refuse(r, field, object, value, "1: this program reads version 1 of edit files");
}

static SupResult read_edit(SupJsonReading *r, const json_t *object, void *into) {
  static const SupJsonField fields[] = {
      {"feature", sup_json_name, offsetof(SupEnvelopeEditSource, feature), true},
      {"example", sup_json_name, offsetof(SupEnvelopeEditSource, example), true},
      {"move", sup_json_vector, offsetof(SupEnvelopeEditSource, move), true}};
  return sup_json_object(r, object, "an edit", fields, sizeof fields / sizeof *fields, into);
}

static SupResult read_edits(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                            const json_t *value, void *into) {
  SupEnvelopeEditFile *file = into;
  void *items;
  SupResult result = sup_json_list(r, field, object, value, sizeof(SupEnvelopeEditSource),
                                   read_edit, &items, &file->edit_count);
  if (result == SUP_OK) file->edits = items;
  return result;
}

SupResult sup_envelope_edits_parse(SupArena *arena, const char *text, size_t bytes,
                                   const char *path, SupEnvelopeEditFile *out_file,
                                   SupError *error) {
  static const SupJsonField fields[] = {{"edit_file", read_version, 0, true},
                                        {"edits", read_edits, 0, true}};
  SupJsonReading r = {.arena = arena, .path = path, .error = error};
  SupEnvelopeEditFile file = {.edit_count = 0};
  json_t *root;
  SupResult result = sup_json_read_placed(&r, text, bytes, &root);
  if (result != SUP_OK) return result;
  result =
      sup_json_object(&r, root, "a file of edits", fields, sizeof fields / sizeof *fields, &file);
  json_decref(root);
  if (result == SUP_OK) *out_file = file;
  return result;
}

SupResult sup_envelope_edits_read(SupArena *arena, const char *path, SupEnvelopeEditFile *out_file,
                                  SupError *error) {
  const uint8_t *data;
  size_t bytes;
  SupResult result = sup_file_read(arena, path, &data, &bytes, error);
  if (result != SUP_OK) return result;
  return sup_envelope_edits_parse(arena, (const char *)data, bytes, path, out_file, error);
}
