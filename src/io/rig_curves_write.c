/* SPDX-License-Identifier: MIT */
/* Curves of rig parameters as CSV and JSON. */
#include <string.h>

#include "io/json_text.h"
#include "supple/io/file.h"
#include "supple/io/rig_curves_file.h"

/* A name as a field of CSV: in quotation marks where it needs them. */
static void put_field(SupText *t, const char *name) {
  if (!strpbrk(name, ",\"\n\r")) {
    sup_text_put(t, name);
    return;
  }
  sup_text_put(t, "\"");
  for (; *name; name++) {
    if (*name == '"') sup_text_put(t, "\"");
    sup_text_put_bytes(t, name, 1);
  }
  sup_text_put(t, "\"");
}

static SupResult save(SupText *t, SupAllocator allocator, const char *path, SupError *error) {
  SupResult result = t->failed ? sup_fail_memory(error, "the curves")
                               : sup_file_save(allocator, path, t->data, t->length, error);
  sup_arena_free(t->arena);
  return result;
}

SupResult sup_rig_curves_write_csv(SupAllocator allocator, const char *path,
                                   const SupRigCurves *curves, SupError *error) {
  SupArena arena;
  sup_arena_init(&arena, allocator, 0);
  SupText t = {.arena = &arena};
  sup_text_put(&t, "time");
  for (uint32_t k = 0; k < curves->curve_count; k++) {
    sup_text_put(&t, ",");
    put_field(&t, curves->curves[k].parameter);
  }
  for (uint32_t i = 0; i < curves->frame_count; i++) {
    sup_text_put(&t, "\n");
    sup_text_put_number(&t, i / curves->fps);
    for (uint32_t k = 0; k < curves->curve_count; k++) {
      sup_text_put(&t, ",");
      sup_text_put_number(&t, curves->curves[k].values[i]);
    }
  }
  sup_text_put(&t, "\n");
  return save(&t, allocator, path, error);
}

static void put_numbers(SupText *t, const char *key, uint32_t count, const double *values) {
  sup_text_put(t, ", ");
  sup_text_put_quoted(t, key);
  sup_text_put(t, ": [");
  for (uint32_t k = 0; k < count; k++) {
    if (k) sup_text_put(t, ", ");
    sup_text_put_number(t, values[k]);
  }
  sup_text_put(t, "]");
}

static void put_curve(SupText *t, const SupRigCurves *clip, const SupRigCurve *curve) {
  const double range[2] = {curve->low, curve->high};
  sup_text_put(t, "{\"parameter\": ");
  sup_text_put_quoted(t, curve->parameter);
  sup_text_put(t, ", \"zone\": ");
  sup_text_put_quoted(t, curve->zone);
  sup_text_put(t, ", \"rest\": ");
  sup_text_put_number(t, curve->rest);
  put_numbers(t, "range", 2, range);
  put_numbers(t, "key_times", curve->keys.count, curve->keys.times);
  put_numbers(t, "key_values", curve->keys.count, curve->keys.values);
  put_numbers(t, "key_tangents", curve->keys.count, curve->keys.tangents);
  put_numbers(t, "frames", clip->frame_count, curve->values);
  sup_text_put(t, "}");
}

SupResult sup_rig_curves_write_json(SupAllocator allocator, const char *path, uint32_t clip_count,
                                    const SupRigCurves *clips, SupError *error) {
  SupArena arena;
  sup_arena_init(&arena, allocator, 0);
  SupText t = {.arena = &arena};
  sup_text_put(&t, "{\n  \"rig_curves\": 1,\n  \"clips\": [");
  for (uint32_t c = 0; c < clip_count; c++) {
    const SupRigCurves *clip = &clips[c];
    sup_text_put(&t, c ? ",\n    {\"clip\": " : "\n    {\"clip\": ");
    sup_text_put_quoted(&t, clip->clip);
    sup_text_put(&t, ", \"rig\": ");
    sup_text_put_quoted(&t, clip->rig);
    sup_text_put(&t, ", \"fps\": ");
    sup_text_put_number(&t, clip->fps);
    sup_text_put(&t, ", \"frame_count\": ");
    sup_text_put_number(&t, clip->frame_count);
    sup_text_put(&t, ", \"curves\": [");
    for (uint32_t k = 0; k < clip->curve_count; k++) {
      sup_text_put(&t, k ? ",\n      " : "\n      ");
      put_curve(&t, clip, &clip->curves[k]);
    }
    sup_text_put(&t, "\n    ]}");
  }
  sup_text_put(&t, "\n  ]\n}\n");
  return save(&t, allocator, path, error);
}
