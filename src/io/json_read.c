/* SPDX-License-Identifier: MIT */
#include "io/json_read.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST 2048u
#define NUMBER_BYTES 512u

typedef struct Reader {
  const SupJsonDef *def;
  const char *at, *end;
  unsigned depth;
  SupArena *scratch;
  char *buffer; /* [capacity] for strings with escapes */
  size_t capacity;
  const char *counted;   /* up to here lines are counted, for `place` */
  unsigned line;         /* there, from 1 on */
  const char *failed_at; /* where it failed; NULL: memory is short */
  const char *reason;    /* why, or NULL */
} Reader;

static json_t *refuse(Reader *r, const char *at, const char *reason) {
  r->failed_at = at;
  r->reason = reason;
  return NULL;
}

static void skip_blanks(Reader *r) {
  while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r')) {
    r->at++;
  }
}

/* The next byte that is no blank, 0 at the end. */
static char next_byte(Reader *r) {
  skip_blanks(r);
  return r->at < r->end ? *r->at : 0;
}

/* ---- Strings -------------------------------------------------------------------------------- */

/* Length of the UTF-8 character at `at`; 0 if it is none. */
static size_t character_length(const unsigned char *at, size_t left) {
  unsigned char c = at[0];
  if (c < 0x80) return 1;
  size_t length = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;
  if (c < 0xC2 || c > 0xF4 || length > left) return 0;
  uint32_t code = c & (0xFFu >> (length + 1));
  for (size_t k = 1; k < length; k++) {
    if ((at[k] & 0xC0) != 0x80) return 0;
    code = code << 6 | (at[k] & 0x3Fu);
  }
  if (length == 3 && (code < 0x800 || (code >= 0xD800 && code < 0xE000))) return 0;
  if (length == 4 && (code < 0x10000 || code > 0x10FFFF)) return 0;
  return length;
}

/* Finds the closing quote of the string whose text begins at r->at, and checks what is between. */
static bool find_end(Reader *r, const char **out_end, bool *out_escapes) {
  *out_escapes = false;
  for (const char *at = r->at; at < r->end;) {
    unsigned char c = (unsigned char)*at;
    if (c == '"') {
      *out_end = at;
      return true;
    }
    size_t length = character_length((const unsigned char *)at, (size_t)(r->end - at));
    if (c < 0x20) return refuse(r, at, "a control character in a string");
    if (!length) return refuse(r, at, "a string is not valid UTF-8");
    if (c == '\\') {
      *out_escapes = true;
      at++;
      if (at == r->end) break;
      length = character_length((const unsigned char *)at, (size_t)(r->end - at));
      if (!length) return refuse(r, at, "a string is not valid UTF-8");
    }
    at += length;
  }
  return refuse(r, r->end, "the text ends inside a string");
}

/* Four hexadecimal digits; -1 if they are none. */
static int32_t hex_code(const char *at, const char *end) {
  int32_t code = 0;
  if (end - at < 4) return -1;
  for (int k = 0; k < 4; k++) {
    char c = at[k];
    int digit = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : -1;
    if (digit < 0) return -1;
    code = code * 16 + digit;
  }
  return code;
}

static char *put_character(char *to, uint32_t code) {
  if (code < 0x80) {
    *to++ = (char)code;
    return to;
  }
  if (code < 0x800) {
    *to++ = (char)(0xC0 | code >> 6);
  } else {
    if (code < 0x10000) {
      *to++ = (char)(0xE0 | code >> 12);
    } else {
      *to++ = (char)(0xF0 | code >> 18);
      *to++ = (char)(0x80 | (code >> 12 & 0x3F));
    }
    *to++ = (char)(0x80 | (code >> 6 & 0x3F));
  }
  *to++ = (char)(0x80 | (code & 0x3F));
  return to;
}

/* The character of "\uXXXX", at the u, or of a pair of surrogates; behind it on return. */
static bool unicode_escape(Reader *r, const char **io_at, const char *end, uint32_t *out_code) {
  const char *at = *io_at;
  int32_t code = hex_code(at + 1, end);
  if (code < 0) return refuse(r, at, "an escape that is no character");
  at += 5;
  if (code >= 0xD800 && code < 0xE000) {
    int32_t low = end - at >= 6 && at[0] == '\\' && at[1] == 'u' ? hex_code(at + 2, end) : -1;
    if (code >= 0xDC00 || low < 0xDC00 || low >= 0xE000) {
      return refuse(r, *io_at, "half of a surrogate pair");
    }
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    at += 6;
  }
  *out_code = (uint32_t)code;
  *io_at = at;
  return true;
}

/* Resolves the escapes of [r->at, end) into the buffer. */
static bool resolve(Reader *r, const char *end, bool allow_zero, size_t *out_length) {
  static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
  size_t bytes = (size_t)(end - r->at);
  if (bytes > r->capacity) {
    size_t capacity = bytes < 4096 ? 4096 : bytes;
    char *buffer = SUP_ALLOC(r->scratch, char, capacity);
    if (!buffer) return refuse(r, NULL, NULL);
    r->buffer = buffer;
    r->capacity = capacity;
  }
  char *to = r->buffer;
  for (const char *at = r->at; at < end;) {
    if (*at != '\\') {
      *to++ = *at++;
      continue;
    }
    const char *letter = at[1] ? strchr(letters, at[1]) : NULL;
    uint32_t code = 0;
    at++;
    if (letter) {
      *to++ = meanings[letter - letters];
      at++;
    } else if (*at != 'u') {
      return refuse(r, at, "an escape that does not exist");
    } else {
      if (!unicode_escape(r, &at, end, &code)) return false;
      if (!code && !allow_zero) return refuse(r, at, "a zero character where none is allowed");
      to = put_character(to, code);
    }
  }
  *out_length = (size_t)(to - r->buffer);
  return true;
}

/* The string at r->at, which is a quote; text[length] lives until the next one. */
static bool read_string(Reader *r, bool allow_zero, const char **out_text, size_t *out_length) {
  const char *end;
  bool escapes;
  r->at++;
  if (!find_end(r, &end, &escapes)) return false;
  *out_text = r->at;
  *out_length = (size_t)(end - r->at);
  if (escapes) {
    if (!resolve(r, end, allow_zero, out_length)) return false;
    *out_text = r->buffer;
  }
  r->at = end + 1;
  return true;
}

/* ---- Numbers -------------------------------------------------------------------------------- */

static const char *skip_digits(const char *at, const char *end) {
  while (at < end && *at >= '0' && *at <= '9') at++;
  return at;
}

/* What a number becomes that nothing here holds. */
static json_t *make_beyond(bool negative, bool *out_beyond) {
  *out_beyond = true;
  return json_real(negative ? -1e99 : 1e99);
}

static json_t *make_real(const char *text, size_t length, bool *out_beyond) {
  char copy[NUMBER_BYTES];
  if (length >= sizeof copy) return make_beyond(*text == '-', out_beyond);
  memcpy(copy, text, length);
  copy[length] = 0;
  char *point = strchr(copy, '.');
  if (point) *point = *localeconv()->decimal_point;
  double value = strtod(copy, NULL);
  return isfinite(value) ? json_real(value) : make_beyond(value < 0, out_beyond);
}

static json_t *make_integer(const char *text, size_t length, bool *out_beyond) {
  bool negative = *text == '-';
  json_int_t value = 0; /* negative: its range is the larger one */
  for (size_t k = negative; k < length; k++) {
    int digit = text[k] - '0';
    if (value < (INT64_MIN + digit) / 10) return make_beyond(negative, out_beyond);
    value = value * 10 - digit;
  }
  if (!negative && value == INT64_MIN) return make_beyond(negative, out_beyond);
  return json_integer(negative ? value : -value);
}

static json_t *read_number(Reader *r) {
  const char *start = r->at, *at = start + (*start == '-'), *digits = at;
  at = skip_digits(at, r->end);
  if (at == digits || (*digits == '0' && at - digits > 1)) {
    return refuse(r, start, "not a number");
  }
  bool is_real = false;
  if (at < r->end && *at == '.') {
    is_real = true;
    digits = ++at;
    at = skip_digits(at, r->end);
    if (at == digits) return refuse(r, start, "not a number");
  }
  if (at < r->end && (*at == 'e' || *at == 'E')) {
    is_real = true;
    at++;
    if (at < r->end && (*at == '+' || *at == '-')) at++;
    digits = at;
    at = skip_digits(at, r->end);
    if (at == digits) return refuse(r, start, "not a number");
  }
  size_t length = (size_t)(at - start);
  bool beyond = false;
  json_t *node = is_real ? make_real(start, length, &beyond) : make_integer(start, length, &beyond);
  if (!node) return refuse(r, NULL, NULL);
  if (beyond && r->def->refuse_beyond) {
    json_decref(node);
    return refuse(r, start, "a number that is too large or too long");
  }
  if (r->def->number) r->def->number(r->def->user, node, start, length);
  r->at = at;
  return node;
}

/* ---- Values --------------------------------------------------------------------------------- */

static json_t *read_value(Reader *r);

/* Tells where `node` begins; the node, or NULL without it when memory is short. */
static json_t *placed(Reader *r, json_t *node, const char *start) {
  if (!node || !r->def->place) return node;
  for (; r->counted < start; r->counted++) r->line += *r->counted == '\n';
  if (r->def->place(r->def->user, node, r->line)) return node;
  json_decref(node);
  return refuse(r, NULL, NULL);
}

/* One "name": value of an object. */
static bool read_member(Reader *r, json_t *object) {
  const char *name;
  size_t length;
  if (next_byte(r) != '"') return refuse(r, r->at, "a name in quotes was expected");
  const char *start = r->at;
  if (!read_string(r, false, &name, &length)) return false;
  if (json_object_getn(object, name, length)) return refuse(r, start, "a duplicate name");
  if (name == r->buffer) { /* which the value may use again */
    name = sup_arena_string(r->scratch, name, length);
    if (!name) return refuse(r, NULL, NULL);
  }
  if (next_byte(r) != ':') return refuse(r, r->at, "':' was expected");
  r->at++;
  json_t *value = read_value(r);
  if (!value) return false;
  return json_object_setn_new_nocheck(object, name, length, value) == 0 || refuse(r, NULL, NULL);
}

static bool read_item(Reader *r, json_t *array) {
  json_t *value = read_value(r);
  if (!value) return false;
  return json_array_append_new(array, value) == 0 || refuse(r, NULL, NULL);
}

/* An object or array from its first bracket on. */
static json_t *read_list(Reader *r, bool is_object) {
  const char close = is_object ? '}' : ']';
  if (r->depth == DEEPEST) return refuse(r, r->at, "more than 2048 levels");
  json_t *list = is_object ? json_object() : json_array();
  if (!list) return refuse(r, NULL, NULL);
  if (!placed(r, list, r->at)) return NULL;
  r->at++;
  r->depth++;
  bool good = true;
  if (next_byte(r) == close) {
    r->at++;
    r->depth--;
    return list;
  }
  for (bool more = true; good && more;) {
    good = is_object ? read_member(r, list) : read_item(r, list);
    if (!good) break;
    char c = next_byte(r);
    more = c == ',';
    good = more || c == close;
    if (!good) refuse(r, r->at, is_object ? "',' or '}' was expected" : "',' or ']' was expected");
    r->at++;
  }
  r->depth--;
  if (good) return list;
  json_decref(list);
  return NULL;
}

static json_t *read_word(Reader *r) {
  static const char *const words[] = {"true", "false", "null"};
  for (int k = 0; k < 3; k++) {
    size_t length = strlen(words[k]);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, words[k], length) != 0) continue;
    r->at += length;
    return k == 0 ? json_true() : k == 1 ? json_false() : json_null();
  }
  return refuse(r, r->at, r->at < r->end ? "a value was expected" : "the text ends too early");
}

static json_t *read_value(Reader *r) {
  char c = next_byte(r);
  const char *start = r->at;
  if (c == '{' || c == '[') return read_list(r, c == '{');
  if (c == '-' || (c >= '0' && c <= '9')) return placed(r, read_number(r), start);
  if (c != '"') return read_word(r);
  const char *text;
  size_t length;
  if (!read_string(r, r->def->allow_zero, &text, &length)) return NULL;
  json_t *string = json_stringn_nocheck(text, length);
  return string ? placed(r, string, start) : refuse(r, NULL, NULL);
}

static SupResult tell(const Reader *r, SupError *error) {
  if (!r->failed_at) return sup_fail_memory(error, "the JSON tree");
  unsigned line = 1, column = 1;
  for (const char *at = r->def->text; at < r->failed_at; at++) {
    if (*at == '\n') line++, column = 0;
    column += ((unsigned char)*at & 0xC0) != 0x80;
  }
  return sup_fail(error, SUP_ERROR_FORMAT, "JSON, line %u, column %u: %s", line, column, r->reason);
}

SupResult sup_json_read(SupArena *scratch, const SupJsonDef *def, json_t **out_root,
                        SupError *error) {
  Reader r = {.def = def,
              .at = def->text,
              .end = def->text + def->bytes,
              .scratch = scratch,
              .counted = def->text,
              .line = 1};
  json_t *root = read_value(&r);
  if (!root) return tell(&r, error);
  skip_blanks(&r);
  if (r.at < r.end) {
    json_decref(root);
    refuse(&r, r.at, "something behind the end");
    return tell(&r, error);
  }
  *out_root = root;
  return SUP_OK;
}

/* Per object its hash table, per array its first entries, per value its node, its key and its place
 * while the table grows. Measured with jansson 2.14 on objects, arrays and strings of many sizes;
 * the tightest are objects of empty strings (tests/gltf/gltf_hostile_test.c has them). */
size_t sup_json_bound(const char *text, size_t bytes) {
  size_t bound = 4 * bytes;
  for (size_t k = 0; k < bytes; k++) {
    if (text[k] == '{') bound += 400;
    if (text[k] == '[') bound += 240;
    if (text[k] == ',') bound += 224;
  }
  return bound;
}
