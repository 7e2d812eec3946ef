/* SPDX-License-Identifier: MIT */
#include "io/json_fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/json_read.h"

/* ---- Places --------------------------------------------------------------------------------- */

static bool note_place(void *user, const json_t *node, unsigned line) {
  SupJsonReading *r = user;
  if (r->place_count == r->place_capacity) {
    const size_t capacity = r->place_capacity ? 2 * r->place_capacity : 1024;
    SupJsonPlace *places = SUP_ALLOC(r->arena, SupJsonPlace, capacity);
    if (!places) return false;
    if (r->place_count) memcpy(places, r->places, r->place_count * sizeof *places);
    r->places = places;
    r->place_capacity = capacity;
  }
  r->places[r->place_count++] = (SupJsonPlace){node, line};
  return true;
}

static int by_node(const void *a, const void *b) {
  const uintptr_t x = (uintptr_t)((const SupJsonPlace *)a)->node,
                  y = (uintptr_t)((const SupJsonPlace *)b)->node;
  return (x > y) - (x < y);
}

SupResult sup_json_read_placed(SupJsonReading *r, const char *text, size_t bytes,
                               json_t **out_root) {
  const SupJsonDef def = {
      .text = text, .bytes = bytes, .refuse_beyond = true, .place = note_place, .user = r};
  SupResult result = sup_json_read(r->arena, &def, out_root, r->error);
  if (result != SUP_OK) {
    sup_error_prefix(r->error, "%s", r->path);
    return result;
  }
  if (r->place_count) qsort(r->places, r->place_count, sizeof *r->places, by_node);
  return SUP_OK;
}

uint32_t sup_json_line(const SupJsonReading *r, const json_t *node, const json_t *holder) {
  const json_t *nodes[2] = {node, holder};
  for (int k = 0; k < 2; k++) {
    const SupJsonPlace key = {nodes[k], 0};
    const SupJsonPlace *found = nodes[k] && r->place_count
                                    ? bsearch(&key, r->places, r->place_count, sizeof key, by_node)
                                    : NULL;
    if (found) return found->line;
  }
  return 1;
}

/* ---- Objects -------------------------------------------------------------------------------- */

SupResult sup_json_refuse(const SupJsonReading *r, const SupJsonField *field, const json_t *object,
                          const json_t *value, const char *wanted) {
  return sup_fail(r->error, SUP_ERROR_FORMAT, "%s, line %u: \"%s\" must be %s", r->path,
                  sup_json_line(r, value, object), field->key, wanted);
}

static SupResult unknown_key(const SupJsonReading *r, const json_t *object, const json_t *value,
                             const char *what, const char *key, const SupJsonField *fields,
                             size_t count) {
  char hint[96];
  const char *nearest = sup_nearest_member(key, &fields[0].key, sizeof *fields, count);
  return sup_fail(r->error, SUP_ERROR_FORMAT, "%s, line %u: %s has no key \"%s\"%s", r->path,
                  sup_json_line(r, value, object), what, key,
                  sup_did_you_mean(hint, sizeof hint, nearest));
}

SupResult sup_json_object(SupJsonReading *r, const json_t *object, const char *what,
                          const SupJsonField *fields, size_t count, void *into) {
  if (!json_is_object(object)) {
    return sup_fail(r->error, SUP_ERROR_FORMAT, "%s, line %u: %s must be an object {...}", r->path,
                    sup_json_line(r, object, NULL), what);
  }
  const char *key;
  const json_t *value;
  json_object_foreach((json_t *)object, key, value) {
    size_t k = 0;
    while (k < count && strcmp(fields[k].key, key) != 0) k++;
    if (k == count) return unknown_key(r, object, value, what, key, fields, count);
    SupResult result =
        fields[k].read(r, &fields[k], object, value, (char *)into + fields[k].offset);
    if (result != SUP_OK) return result;
  }
  for (size_t k = 0; k < count; k++) {
    if (!fields[k].required || json_object_get(object, fields[k].key)) continue;
    return sup_fail(r->error, SUP_ERROR_FORMAT, "%s, line %u: %s needs \"%s\"", r->path,
                    sup_json_line(r, object, NULL), what, fields[k].key);
  }
  return SUP_OK;
}

SupResult sup_json_list(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                        const json_t *value, size_t size,
                        SupResult (*read)(SupJsonReading *, const json_t *, void *),
                        void **out_items, uint32_t *out_count) {
  const size_t count = json_array_size(value);
  if (!json_is_array(value) || count > SUP_JSON_ITEMS_MAX)
    return sup_json_refuse(r, field, object, value, "a list [...]");
  char *items = sup_arena_alloc(r->arena, count, size);
  if (!items) return sup_fail_memory(r->error, r->path);
  for (size_t k = 0; k < count; k++) {
    SupResult result = read(r, json_array_get(value, k), items + k * size);
    if (result != SUP_OK) return result;
  }
  *out_items = items;
  *out_count = (uint32_t)count;
  return SUP_OK;
}

/* ---- Values --------------------------------------------------------------------------------- */

SupResult sup_json_copy(SupJsonReading *r, const char *text, const char **out) {
  *out = sup_arena_string(r->arena, text, strlen(text));
  return *out ? SUP_OK : sup_fail_memory(r->error, r->path);
}

SupResult sup_json_text(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                        const json_t *value, void *into) {
  if (!json_is_string(value)) return sup_json_refuse(r, field, object, value, "a string");
  return sup_json_copy(r, json_string_value(value), into);
}

SupResult sup_json_name(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                        const json_t *value, void *into) {
  if (!json_is_string(value) || json_string_length(value) == 0) {
    return sup_json_refuse(r, field, object, value, "a name");
  }
  return sup_json_copy(r, json_string_value(value), into);
}

SupResult sup_json_number(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                          const json_t *value, void *into) {
  if (!json_is_number(value)) return sup_json_refuse(r, field, object, value, "a number");
  *(double *)into = json_number_value(value);
  return SUP_OK;
}

SupResult sup_json_bool(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                        const json_t *value, void *into) {
  if (!json_is_boolean(value)) return sup_json_refuse(r, field, object, value, "true or false");
  *(bool *)into = json_is_true(value);
  return SUP_OK;
}

bool sup_json_three(const json_t *value, double out[3]) {
  if (!json_is_array(value) || json_array_size(value) != 3) return false;
  for (size_t k = 0; k < 3; k++) {
    if (!json_is_number(json_array_get(value, k))) return false;
    out[k] = json_number_value(json_array_get(value, k));
  }
  return true;
}

SupResult sup_json_vector(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                          const json_t *value, void *into) {
  double x[3];
  if (!sup_json_three(value, x))
    return sup_json_refuse(r, field, object, value, "three numbers [x, y, z]");
  *(SupVec3d *)into = (SupVec3d){x[0], x[1], x[2]};
  return SUP_OK;
}

SupResult sup_json_vectors(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                           const json_t *value, const SupVec3d **out_places, uint32_t *out_count) {
  const size_t count = json_array_size(value);
  if (!json_is_array(value) || count > SUP_JSON_ITEMS_MAX) {
    return sup_json_refuse(r, field, object, value, "a list [...]");
  }
  SupVec3d *places = SUP_ALLOC(r->arena, SupVec3d, count);
  if (!places) return sup_fail_memory(r->error, r->path);
  for (size_t k = 0; k < count; k++) {
    SupResult result = sup_json_vector(r, field, value, json_array_get(value, k), &places[k]);
    if (result != SUP_OK) return result;
  }
  *out_places = places;
  *out_count = (uint32_t)count;
  return SUP_OK;
}

SupResult sup_json_choice(const SupJsonReading *r, const SupJsonField *field, const json_t *object,
                          const json_t *value, const char *const *names, size_t count,
                          size_t *out_choice) {
  const char *text = json_string_value(value);
  for (size_t k = 0; text && k < count; k++) {
    if (strcmp(text, names[k]) != 0) continue;
    *out_choice = k;
    return SUP_OK;
  }
  char wanted[160] = "";
  size_t length = 0;
  for (size_t k = 0; k < count && length < sizeof wanted; k++) {
    length += sup_format(wanted + length, sizeof wanted - length, "%s\"%s\"",
                         k == 0          ? ""
                         : k + 1 < count ? ", "
                                         : " or ",
                         names[k]);
  }
  return sup_json_refuse(r, field, object, value, wanted);
}

bool sup_json_is_count(double x) { return x >= 0 && x <= SUP_JSON_ITEMS_MAX && x == floor(x); }

SupResult sup_json_counts(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                          const json_t *value, void *into) {
  double x[3];
  if (!sup_json_three(value, x) || !sup_json_is_count(x[0]) || !sup_json_is_count(x[1]) ||
      !sup_json_is_count(x[2])) {
    return sup_json_refuse(r, field, object, value, "three whole numbers [x, y, z]");
  }
  for (int k = 0; k < 3; k++) ((uint32_t *)into)[k] = (uint32_t)x[k];
  return SUP_OK;
}
