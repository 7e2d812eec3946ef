/* SPDX-License-Identifier: MIT */
/*
 * URIs of buffers and images: base64 inside the document, or files beside it.
 *
 * A document must not make us read what its author could not: a file outside the document's own
 * folder, links resolved, is refused unless the caller allows it.
 */
#define _XOPEN_SOURCE 700 /* realpath */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/gltf/gltf_document.h"
#include "supple/io/file.h"

bool sup_gltf_uri_is_data(const char *uri) { return strncasecmp(uri, "data:", 5) == 0; }

/* ---- Base64 --------------------------------------------------------------------------------- */

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static int base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static SupResult load_data_uri(SupArena *arena, const char *uri, const char *name,
                               const uint8_t **out_data, size_t *out_bytes, SupError *error) {
  const char *comma = strchr(uri, ',');
  if (!comma || comma - uri < 7 || strncasecmp(comma - 7, ";base64", 7) != 0) {
    return sup_fail(error, SUP_ERROR_FORMAT, "%s: its data URI is not base64", name);
  }
  const char *text = comma + 1;
  size_t length = strlen(text);
  while (length && text[length - 1] == '=') length--;
  if (length % 4 == 1)
    return sup_fail(error, SUP_ERROR_FORMAT, "%s: its base64 is truncated", name);
  size_t bytes = length / 4 * 3 + (length % 4 ? length % 4 - 1 : 0);
  uint8_t *data = SUP_ALLOC(arena, uint8_t, bytes);
  if (!data) return sup_fail_memory(error, name);
  uint32_t bits = 0;
  size_t at = 0;
  for (size_t k = 0; k < length; k++) {
    int digit = base64_digit(text[k]);
    if (digit < 0) {
      return sup_fail(error, SUP_ERROR_FORMAT, "%s: character %zu of its base64 is invalid", name,
                      k);
    }
    bits = (bits << 6) | (uint32_t)digit;
    if (k % 4 && at < bytes) data[at++] = (uint8_t)(bits >> (6 - 2 * (k % 4)));
  }
  *out_data = data;
  *out_bytes = bytes;
  return SUP_OK;
}

SupResult sup_gltf_uri_encode(SupArena *arena, const char *mime, const uint8_t *data, size_t bytes,
                              const char **out_uri, SupError *error) {
  static const char middle[] = ";base64,";
  size_t mime_bytes = strlen(mime);
  size_t head = 5 + mime_bytes + sizeof middle - 1;
  char *uri = bytes < SIZE_MAX / 2 ? SUP_ALLOC(arena, char, head + (bytes + 2) / 3 * 4 + 1) : NULL;
  if (!uri) return sup_fail_memory(error, "a data URI");
  memcpy(uri, "data:", 5);
  memcpy(uri + 5, mime, mime_bytes);
  memcpy(uri + 5 + mime_bytes, middle, sizeof middle - 1);
  char *to = uri + head;
  for (size_t k = 0; k < bytes; k += 3) {
    size_t left = bytes - k;
    uint32_t bits = (uint32_t)data[k] << 16 | (left > 1 ? (uint32_t)data[k + 1] << 8 : 0) |
                    (left > 2 ? data[k + 2] : 0);
    *to++ = alphabet[bits >> 18];
    *to++ = alphabet[bits >> 12 & 63];
    *to++ = left > 1 ? alphabet[bits >> 6 & 63] : '=';
    *to++ = left > 2 ? alphabet[bits & 63] : '=';
  }
  *out_uri = uri;
  return SUP_OK;
}

/* ---- Files ---------------------------------------------------------------------------------- */

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Decodes %XX in place. False if that would hide a zero byte. */
static bool percent_decode(char *text) {
  char *to = text;
  for (const char *from = text; *from; from++) {
    if (*from == '%' && hex_digit(from[1]) >= 0 && hex_digit(from[2]) >= 0) {
      *to = (char)(hex_digit(from[1]) * 16 + hex_digit(from[2]));
      if (!*to) return false;
      to++;
      from += 2;
    } else {
      *to++ = *from;
    }
  }
  *to = 0;
  return true;
}

/* "http:", "file:", "C:": letters, then digits + - . too, then a colon. */
static bool has_scheme(const char *uri) {
  size_t k = 0;
  while ((uri[k] >= 'a' && uri[k] <= 'z') || (uri[k] >= 'A' && uri[k] <= 'Z') ||
         (k && ((uri[k] >= '0' && uri[k] <= '9') || (uri[k] && strchr("+-.", uri[k]))))) {
    k++;
  }
  return k && uri[k] == ':';
}

static bool climbs_out(const char *path) {
  for (const char *part = path; *part;) {
    size_t length = strcspn(part, "/\\");
    if (length == 2 && part[0] == '.' && part[1] == '.') return true;
    part += length + (part[length] != 0);
  }
  return false;
}

SupResult sup_gltf_uri_path(SupArena *arena, const char *uri, const char **out_path,
                            SupError *error) {
  *out_path = NULL;
  char *path = sup_arena_string(arena, uri, strlen(uri));
  if (!path) return sup_fail_memory(error, "a file name");
  if (has_scheme(uri) || !percent_decode(path) || !*path) return SUP_OK;
  if (*path == '/' || *path == '\\' || climbs_out(path)) return SUP_OK;
  *out_path = path;
  return SUP_OK;
}

/* What is behind the last slash of either kind. */
static const char *last_part(const char *path) {
  const char *last = path;
  for (; *path; path++) {
    if (*path == '/' || *path == '\\') last = path + 1;
  }
  return last;
}

bool sup_gltf_uri_may_end_in(SupArena *arena, const char *uri, const char *path) {
  char *decoded = sup_arena_string(arena, uri, strlen(uri));
  if (!decoded || !percent_decode(decoded)) return true;
  return strcmp(last_part(decoded), last_part(path)) == 0;
}

/* The path to open when anything is allowed: the URI decoded, `file://` taken off. */
static SupResult external_path(const SupGltf *document, SupArena *arena, const char *uri,
                               const char *name, const char **out_path, SupError *error) {
  if (strncasecmp(uri, "file://", 7) == 0) uri += 7;
  size_t folder = strlen(document->folder);
  char *path = SUP_ALLOC(arena, char, folder + strlen(uri) + 2);
  char *decoded = sup_arena_string(arena, uri, strlen(uri));
  if (!path || !decoded) return sup_fail_memory(error, "a file name");
  if (!percent_decode(decoded)) {
    return sup_fail(error, SUP_ERROR_FORMAT, "%s: the file name `%s` has a zero byte", name, uri);
  }
  if (*decoded != '/') {
    memcpy(path, document->folder, folder);
    path[folder] = '/';
    strcpy(path + folder + 1, decoded);
  } else {
    strcpy(path, decoded);
  }
  *out_path = path;
  return SUP_OK;
}

/* Whether the file lies outside the folder (a real path itself), links followed. A file that does
 * not exist lies nowhere; opening it will say so. */
static bool lies_outside(const char *folder, const char *path) {
  char *real = realpath(path, NULL);
  if (!real) return errno != ENOENT;
  size_t length = strlen(folder);
  bool outside = strncmp(real, folder, length) != 0 ||
                 (real[length] != '/' && length && folder[length - 1] != '/');
  free(real);
  return outside;
}

SupResult sup_gltf_uri_load(const SupGltf *document, SupArena *arena, const char *uri,
                            const char *name, const uint8_t **out_data, size_t *out_bytes,
                            SupError *error) {
  if (sup_gltf_uri_is_data(uri)) return load_data_uri(arena, uri, name, out_data, out_bytes, error);
  bool is_file = strncasecmp(uri, "file://", 7) == 0;
  if (!document->folder) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "%s is in the file `%s`, but the document has no folder", name, uri);
  }
  if (has_scheme(uri) && !(is_file && document->options.allow_external)) {
    return sup_fail(
        error, SUP_ERROR_UNSUPPORTED,
        "%s: `%s` is not a file beside the document; put it there and refer to it by its file name",
        name, uri);
  }
  const char *relative = NULL, *path = NULL;
  SupResult result = sup_gltf_uri_path(arena, uri, &relative, error);
  if (result == SUP_OK) result = external_path(document, arena, uri, name, &path, error);
  if (result != SUP_OK) return result;
  bool outside = !relative || lies_outside(document->folder, path);
  if (outside && !document->options.allow_external) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "%s: the file `%s` is outside the document's folder; allow it with "
                    "--allow-external if you trust the document",
                    name, uri);
  }
  result = sup_file_read(arena, path, out_data, out_bytes, error);
  if (result != SUP_OK) sup_error_prefix(error, "%s", name);
  return result;
}
