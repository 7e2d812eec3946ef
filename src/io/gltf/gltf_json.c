/* SPDX-License-Identifier: MIT */
#include "io/gltf/gltf_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/json_read.h"

/* ---- Numbers -------------------------------------------------------------------------------- */

#define NUMBER_TEXT 40

/* The shortest of a few precisions that reads back as the same double, with a point in any
 * locale. */
static size_t print_real(double value, char text[NUMBER_TEXT]) {
  int length = 0;
  static const int precisions[] = {6, 9, 15, 16, 17};
  for (size_t k = 0; k < sizeof precisions / sizeof *precisions; k++) {
    length = snprintf(text, NUMBER_TEXT, "%.*g", precisions[k], value);
    if (strtod(text, NULL) == value) break;
  }
  for (int k = 0; k < length; k++) {
    if (!strchr("+-0123456789eE.", text[k])) text[k] = '.';
  }
  return (size_t)length;
}

static size_t print_number(const json_t *number, char text[NUMBER_TEXT]) {
  if (json_is_real(number)) return print_real(json_real_value(number), text);
  return (size_t)snprintf(text, NUMBER_TEXT, "%" JSON_INTEGER_FORMAT, json_integer_value(number));
}

static int compare_numbers(const void *left, const void *right) {
  uintptr_t a = (uintptr_t)((const GltfNumber *)left)->node;
  uintptr_t b = (uintptr_t)((const GltfNumber *)right)->node;
  return (a > b) - (a < b);
}

/* ---- Reading -------------------------------------------------------------------------------- */

/* At least as many as the text has numbers. */
static size_t count_numbers(const char *at, const char *end) {
  size_t count = 0;
  bool inside = false;
  for (; at < end; at++) {
    if (*at == '"') {
      for (at++; at < end && *at != '"'; at++) at += *at == '\\';
      inside = false;
      continue;
    }
    bool digit = *at >= '0' && *at <= '9';
    count += digit && !inside;
    inside = digit || (inside && *at && strchr("+-.eE", *at));
  }
  return count;
}

/* Keeps the text of a number that jansson would print differently. */
static void keep_number(void *user, json_t *node, const char *text, size_t length) {
  GltfJson *json = user;
  char own[NUMBER_TEXT];
  if (print_number(node, own) == length && memcmp(own, text, length) == 0) return;
  json->numbers[json->number_count++] = (GltfNumber){json_incref(node), text, length};
}

/* Names of files go to functions that end them at a zero byte: another file than the one named. */
static SupResult check_uris(const json_t *root, SupError *error) {
  static const char *const arrays[] = {"buffers", "images"};
  for (size_t a = 0; a < sizeof arrays / sizeof *arrays; a++) {
    const json_t *array = json_object_get(root, arrays[a]);
    for (size_t i = 0; i < json_array_size(array); i++) {
      const json_t *uri = json_object_get(json_array_get(array, i), "uri");
      if (!json_is_string(uri) || strlen(json_string_value(uri)) == json_string_length(uri))
        continue;
      return sup_fail(error, SUP_ERROR_FORMAT,
                      "%s %zu: the file name `%s` has a zero byte behind it", arrays[a], i,
                      json_string_value(uri));
    }
  }
  return SUP_OK;
}

SupResult sup_gltf_json_parse(SupArena *arena, const char *text, size_t bytes, GltfJson *out_json,
                              SupError *error) {
  GltfJson json = {0};
  json.numbers = SUP_ALLOC(arena, GltfNumber, count_numbers(text, text + bytes));
  if (!json.numbers) return sup_fail_memory(error, "the numbers of the JSON text");
  const SupJsonDef def = {
      .text = text, .bytes = bytes, .allow_zero = true, .number = keep_number, .user = &json};
  SupResult result = sup_json_read(arena, &def, &json.root, error);
  if (result == SUP_OK && !json_is_object(json.root)) {
    result = sup_fail(error, SUP_ERROR_FORMAT, "the JSON is not an object");
  }
  if (result == SUP_OK) result = check_uris(json.root, error);
  if (result != SUP_OK) {
    sup_gltf_json_free(&json);
    return result;
  }
  if (json.number_count) {
    qsort(json.numbers, json.number_count, sizeof(GltfNumber), compare_numbers);
  }
  *out_json = json;
  return SUP_OK;
}

void sup_gltf_json_free(GltfJson *json) {
  for (size_t k = 0; k < json->number_count; k++) json_decref(json->numbers[k].node);
  json_decref(json->root);
  *json = (GltfJson){0};
}

json_t *sup_gltf_json_copy(json_t *value) {
  json_t *copy = json_copy(value);
  if (json_object_size(copy) == json_object_size(value) &&
      json_array_size(copy) == json_array_size(value)) {
    return copy;
  }
  json_decref(copy);
  return NULL;
}

/* ---- Writing -------------------------------------------------------------------------------- */

typedef struct Writer {
  const GltfJson *json;
  unsigned indent;
  GltfWrite *write;
  void *user;
} Writer;

static void put(Writer *writer, const char *text) {
  writer->write(writer->user, text, strlen(text));
}

static void put_string(Writer *writer, const char *text, size_t length) {
  put(writer, "\"");
  size_t start = 0;
  for (size_t k = 0; k < length; k++) {
    unsigned char c = (unsigned char)text[k];
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    char escape[8];
    int bytes = c == '"' || c == '\\' ? snprintf(escape, sizeof escape, "\\%c", c)
                                      : snprintf(escape, sizeof escape, "\\u%04x", c);
    writer->write(writer->user, text + start, k - start);
    writer->write(writer->user, escape, (size_t)bytes);
    start = k + 1;
  }
  writer->write(writer->user, text + start, length - start);
  put(writer, "\"");
}

static void put_number(Writer *writer, const json_t *number) {
  GltfNumber wanted = {(json_t *)(uintptr_t)number, NULL, 0};
  const GltfNumber *found = NULL;
  if (writer->json->number_count) {
    found = bsearch(&wanted, writer->json->numbers, writer->json->number_count, sizeof wanted,
                    compare_numbers);
  }
  if (found) {
    writer->write(writer->user, found->text, found->length);
  } else {
    char text[NUMBER_TEXT];
    writer->write(writer->user, text, print_number(number, text));
  }
}

static void new_line(Writer *writer, unsigned level) {
  if (!writer->indent) return;
  put(writer, "\n");
  for (unsigned k = 0; k < level * writer->indent; k++) put(writer, " ");
}

static void put_value(Writer *writer, const json_t *value, unsigned level);

static void put_object(Writer *writer, const json_t *object, unsigned level) {
  const char *separator = "{";
  json_t *members = (json_t *)(uintptr_t)object; /* jansson's iterators take no const */
  for (void *at = json_object_iter(members); at; at = json_object_iter_next(members, at)) {
    put(writer, separator);
    new_line(writer, level + 1);
    const char *key = json_object_iter_key(at);
    put_string(writer, key, json_object_iter_key_len(at));
    put(writer, writer->indent ? ": " : ":");
    put_value(writer, json_object_iter_value(at), level + 1);
    separator = ",";
  }
  if (*separator == '{') {
    put(writer, "{");
  } else {
    new_line(writer, level);
  }
  put(writer, "}");
}

/* Arrays of numbers stay on one line: matrices and index lists are read that way. */
static void put_array(Writer *writer, const json_t *array, unsigned level) {
  bool flat = json_is_number(json_array_get(array, 0));
  put(writer, "[");
  for (size_t k = 0; k < json_array_size(array); k++) {
    if (k) put(writer, flat && writer->indent ? ", " : ",");
    if (!flat) new_line(writer, level + 1);
    put_value(writer, json_array_get(array, k), level + 1);
  }
  if (!flat && json_array_size(array)) new_line(writer, level);
  put(writer, "]");
}

static void put_value(Writer *writer, const json_t *value, unsigned level) {
  switch (json_typeof(value)) {
    case JSON_OBJECT: put_object(writer, value, level); break;
    case JSON_ARRAY: put_array(writer, value, level); break;
    case JSON_STRING:
      put_string(writer, json_string_value(value), json_string_length(value));
      break;
    case JSON_INTEGER:
    case JSON_REAL: put_number(writer, value); break;
    case JSON_TRUE: put(writer, "true"); break;
    case JSON_FALSE: put(writer, "false"); break;
    case JSON_NULL: put(writer, "null"); break;
  }
}

void sup_gltf_json_write(const GltfJson *json, const json_t *root, unsigned indent,
                         GltfWrite *write, void *user) {
  Writer writer = {json, indent, write, user};
  put_value(&writer, root, 0);
}
