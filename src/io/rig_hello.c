/* SPDX-License-Identifier: MIT */
/* The first answer of a rig process. */
#include "io/rig_hello.h"

#include <string.h>

typedef struct Reader {
  SupArena *arena;
  const uint8_t *data;
  size_t left;
  bool failed; /* it is shorter than it says, or memory is */
} Reader;

static const uint8_t *take(Reader *r, size_t bytes) {
  const uint8_t *data = r->data;
  if (r->failed || bytes > r->left) {
    r->failed = true;
    return NULL;
  }
  r->data += bytes;
  r->left -= bytes;
  return data;
}

static uint32_t read_count(Reader *r) {
  uint32_t value = 0;
  const uint8_t *data = take(r, sizeof value);
  if (data) memcpy(&value, data, sizeof value);
  return value;
}

static double read_number(Reader *r) {
  double value = 0;
  const uint8_t *data = take(r, sizeof value);
  if (data) memcpy(&value, data, sizeof value);
  return value;
}

static const char *read_text(Reader *r) {
  const uint32_t length = read_count(r);
  const uint8_t *data = take(r, length);
  const char *text = data ? sup_arena_string(r->arena, (const char *)data, length) : NULL;
  if (!text) r->failed = true;
  return text;
}

static SupRigParameter read_parameter(Reader *r) {
  SupRigParameter p = {.rest = read_number(r)};
  p.low = read_number(r);
  p.high = read_number(r);
  p.scale = read_number(r);
  p.role = (SupRigRole)read_count(r);
  p.name = read_text(r);
  p.zone = read_text(r);
  return p;
}

void sup_rig_vertices(const uint8_t *data, bool single, size_t count, SupVec3d *out) {
  for (size_t v = 0; v < count; v++) {
    if (single) {
      float x[3];
      memcpy(x, data + v * sizeof x, sizeof x);
      out[v] = (SupVec3d){(double)x[0], (double)x[1], (double)x[2]};
    } else {
      memcpy(&out[v], data + v * sizeof *out, sizeof *out);
    }
  }
}

SupResult sup_rig_hello_read(SupArena *arena, const uint8_t *data, size_t bytes, SupRig *out_rig,
                             const char **out_name, const SupVec3d **out_rest, SupError *error) {
  Reader r = {arena, data, bytes, false};
  const uint32_t parameters = read_count(&r), vertices = read_count(&r), flags = read_count(&r);
  const bool single = !(flags & 1u);
  *out_name = read_text(&r);
  if (!r.failed && (parameters > SUP_RIG_PARAMETERS_MAX || parameters > r.left / 44)) {
    r.failed = true; /* 44 bytes are the least of one */
  }
  SupRigParameter *list = r.failed ? NULL : SUP_ALLOC(arena, SupRigParameter, parameters);
  for (uint32_t k = 0; list && k < parameters; k++) list[k] = read_parameter(&r);
  const uint8_t *places = take(&r, (size_t)vertices * 3 * (single ? 4 : 8));
  SupVec3d *rest = places ? SUP_ALLOC(arena, SupVec3d, vertices) : NULL;
  if (r.failed || !list || !rest || r.left > 0) {
    return sup_fail(error, SUP_ERROR_FORMAT,
                    "the first answer of the rig process is not of the length that it says (%u "
                    "parameters, %u vertices); see docs/formats.md, \"Rig processes\"",
                    parameters, vertices);
  }
  sup_rig_vertices(places, single, vertices, rest);
  out_rig->parameter_count = parameters;
  out_rig->parameters = list;
  out_rig->vertex_count = vertices;
  out_rig->single_precision = single;
  *out_rest = rest;
  return SUP_OK;
}
