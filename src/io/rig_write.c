/* SPDX-License-Identifier: MIT */
/* Rig files as text: one helper, layer, zone or parameter per line. */
#include <math.h>
#include <stdio.h>

#include "io/json_text.h"
#include "supple/io/file.h"
#include "supple/io/rig_file.h"

static void put_counts(SupText *t, const uint32_t n[3]) {
  sup_text_put_vector(t, (SupVec3d){n[0], n[1], n[2]});
}

/* ---- Items ---------------------------------------------------------------------------------- */

static const char *role_name(SupRigRole role) {
  return role == SUP_RIG_FREE ? "free" : role == SUP_RIG_SCRIPTED ? "scripted" : "locked";
}

static void put_helper(SupText *t, const void *whole, uint32_t k) {
  const SupRigDef *def = whole;
  const SupRigHelper *helper = &def->helpers[k];
  sup_text_put(t, "{\"name\": ");
  sup_text_put_quoted(t, helper->name);
  sup_text_put(t, ", \"parent\": ");
  sup_text_put_quoted(t, helper->parent);
  sup_text_put(t, ", \"at\": ");
  sup_text_put_vector(t, helper->at);
  sup_text_put(t, ", \"radius\": ");
  sup_text_put_number(t, helper->radius);
  sup_text_put(t, "}");
}

static void put_layer(SupText *t, const void *whole, uint32_t k) {
  const SupRigDef *def = whole;
  const SupRigLayer *layer = &def->layers[k];
  sup_text_put(t, layer->kind == SUP_RIG_WIRE ? "{\"wire\": " : "{\"lattice\": ");
  sup_text_put_quoted(t, layer->name);
  if (layer->joint) {
    sup_text_put(t, ", \"joint\": ");
    sup_text_put_quoted(t, layer->joint);
  }
  if (layer->kind == SUP_RIG_LATTICE) {
    sup_text_put(t, ", \"low\": ");
    sup_text_put_vector(t, layer->low);
    sup_text_put(t, ", \"high\": ");
    sup_text_put_vector(t, layer->high);
    sup_text_put(t, ", \"points\": ");
    put_counts(t, layer->points);
  } else {
    sup_text_put(t, ", \"radius\": ");
    sup_text_put_number(t, layer->radius);
    sup_text_put(t, ", \"fade\": ");
    sup_text_put_number(t, layer->fade);
    sup_text_put(t, ", \"curve\": [");
    for (uint32_t p = 0; p < layer->curve_count; p++) {
      if (p) sup_text_put(t, ", ");
      sup_text_put_vector(t, layer->curve[p]);
    }
    sup_text_put(t, "]");
  }
  sup_text_put(t, "}");
}

static void put_zone(SupText *t, const void *whole, uint32_t k) {
  const SupRigDef *def = whole;
  sup_text_put_key(t, def->zones[k].name);
  sup_text_put_quoted(t, role_name(def->zones[k].role));
}

static void put_target(SupText *t, const SupRigTarget *target) {
  static const char *const kinds[] = {"joint",   "joint", "joint", "joint", "morph",
                                      "lattice", "wire",  "wire",  "wire"};
  static const char *const channels[] = {"translation.", "rotation.", "turn.", "scale.", "", "", "",
                                         "twist",        "radius"};
  const SupRigTargetKind kind = target->kind;
  sup_text_put(t, "{");
  sup_text_put_key(t, kinds[kind]);
  sup_text_put_quoted(t, target->name);
  if (kind == SUP_RIG_LATTICE_POINT) {
    sup_text_put(t, ", \"point\": ");
    put_counts(t, target->point);
  } else if (kind >= SUP_RIG_WIRE_POINT) {
    sup_text_put(t, ", \"point\": ");
    sup_text_put_number(t, target->point[0]);
  }
  if (kind != SUP_RIG_MORPH) {
    char name[32];
    const bool whole = kind == SUP_RIG_WIRE_TWIST || kind == SUP_RIG_WIRE_RADIUS;
    const char axis[2] = {whole ? '\0' : "xyz"[target->axis], '\0'};
    snprintf(name, sizeof name, "%s%s", channels[kind], axis);
    sup_text_put(t, ", \"channel\": ");
    sup_text_put_quoted(t, name);
  }
  if (target->factor != 1) {
    sup_text_put(t, ", \"factor\": ");
    sup_text_put_number(t, target->factor);
  }
  sup_text_put(t, "}");
}

static void put_control(SupText *t, const void *whole, uint32_t k) {
  const SupRigDef *def = whole;
  const SupRigControl *control = &def->controls[k];
  const SupRigParameter *p = &control->base;
  sup_text_put(t, "{\"name\": ");
  sup_text_put_quoted(t, p->name);
  if (p->zone && p->zone[0]) {
    sup_text_put(t, ", \"zone\": ");
    sup_text_put_quoted(t, p->zone);
  }
  if (p->role != SUP_RIG_BY_ZONE) {
    sup_text_put(t, ", \"role\": ");
    sup_text_put_quoted(t, role_name(p->role));
  }
  if (!isnan(p->rest)) {
    sup_text_put(t, ", \"rest\": ");
    sup_text_put_number(t, p->rest);
  }
  if (!isnan(p->low) && !isnan(p->high)) {
    sup_text_put(t, ", \"range\": [");
    sup_text_put_number(t, p->low);
    sup_text_put(t, ", ");
    sup_text_put_number(t, p->high);
    sup_text_put(t, "]");
  }
  if (!isnan(p->scale)) {
    sup_text_put(t, ", \"scale\": ");
    sup_text_put_number(t, p->scale);
  }
  sup_text_put(t, ", \"drives\": ");
  if (control->target_count != 1) sup_text_put(t, "[");
  for (uint32_t n = 0; n < control->target_count; n++) {
    if (n) sup_text_put(t, ", ");
    put_target(t, &control->targets[n]);
  }
  if (control->target_count != 1) sup_text_put(t, "]");
  sup_text_put(t, "}");
}

/* ---- The whole ------------------------------------------------------------------------------ */

SupResult sup_rig_file_text(SupArena *arena, const SupRigDef *def, const char **out_text,
                            size_t *out_bytes, SupError *error) {
  SupText t = {.arena = arena};
  uint32_t before = 0;
  while (before < def->layer_count && !def->layers[before].after_skinning) before++;
  sup_text_put(&t, "{\n  \"rig\": 1,\n  \"about\": ");
  sup_text_put_quoted(&t, def->about);
  sup_text_put(&t, ",\n  \"script_rest\": ");
  sup_text_put(&t, def->script_rest ? "true" : "false");
  if (def->influence_max) {
    sup_text_put(&t, ",\n  \"influences\": ");
    sup_text_put_number(&t, def->influence_max);
  }
  if (def->helper_count)
    sup_text_put_items(&t, "helpers", "[]", def, 0, def->helper_count, put_helper);
  if (before) sup_text_put_items(&t, "before_skinning", "[]", def, 0, before, put_layer);
  if (before < def->layer_count) {
    sup_text_put_items(&t, "after_skinning", "[]", def, before, def->layer_count - before,
                       put_layer);
  }
  if (def->zone_count) sup_text_put_items(&t, "zones", "{}", def, 0, def->zone_count, put_zone);
  sup_text_put_items(&t, "parameters", "[]", def, 0, def->control_count, put_control);
  sup_text_put(&t, "\n}\n");
  sup_text_put_bytes(&t, "", 1); /* the zero behind it */
  if (t.failed) return sup_fail_memory(error, "the rig file");
  *out_text = t.data;
  *out_bytes = t.length - 1;
  return SUP_OK;
}

SupResult sup_rig_file_write(SupAllocator allocator, const char *path, const SupRigDef *def,
                             SupError *error) {
  SupArena arena;
  sup_arena_init(&arena, allocator, 0);
  const char *text;
  size_t bytes;
  SupResult result = sup_rig_file_text(&arena, def, &text, &bytes, error);
  if (result == SUP_OK) result = sup_file_save(allocator, path, text, bytes, error);
  sup_arena_free(&arena);
  return result;
}
