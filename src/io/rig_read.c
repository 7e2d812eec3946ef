/* SPDX-License-Identifier: MIT */
/* Rig files from JSON. */
#include <math.h>
#include <string.h>

#include "io/json_fields.h"
#include "io/path.h"
#include "supple/io/file.h"
#include "supple/io/rig_file.h"

static SupResult read_role(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                           const json_t *value, void *into) {
  static const char *const names[] = {"free", "scripted", "locked"};
  size_t choice;
  SupResult result = sup_json_choice(r, field, object, value, names, 3, &choice);
  if (result == SUP_OK) *(SupRigRole *)into = (SupRigRole)choice;
  return result;
}

/* ---- Helpers, layers, zones ----------------------------------------------------------------- */

static SupResult read_helper(SupJsonReading *r, const json_t *object, void *into) {
  static const SupJsonField fields[] = {
      {"name", sup_json_name, offsetof(SupRigHelper, name), true},
      {"parent", sup_json_name, offsetof(SupRigHelper, parent), true},
      {"at", sup_json_vector, offsetof(SupRigHelper, at), true},
      {"radius", sup_json_number, offsetof(SupRigHelper, radius), true}};
  ((SupRigHelper *)into)->line = sup_json_line(r, object, NULL);
  return sup_json_object(r, object, "a helper", fields, sizeof fields / sizeof *fields, into);
}

static SupResult read_helpers(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                              const json_t *value, void *into) {
  SupRigDef *def = into;
  void *items;
  SupResult result = sup_json_list(r, field, object, value, sizeof(SupRigHelper), read_helper,
                                   &items, &def->helper_count);
  if (result == SUP_OK) def->helpers = items;
  return result;
}

static SupResult read_curve(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                            const json_t *value, void *into) {
  SupRigLayer *layer = into;
  return sup_json_vectors(r, field, object, value, &layer->curve, &layer->curve_count);
}

static SupResult read_layer(SupJsonReading *r, const json_t *object, void *into) {
  static const SupJsonField lattice[] = {
      {"lattice", sup_json_name, offsetof(SupRigLayer, name), true},
      {"joint", sup_json_name, offsetof(SupRigLayer, joint), false},
      {"low", sup_json_vector, offsetof(SupRigLayer, low), true},
      {"high", sup_json_vector, offsetof(SupRigLayer, high), true},
      {"points", sup_json_counts, offsetof(SupRigLayer, points), true}};
  static const SupJsonField wire[] = {
      {"wire", sup_json_name, offsetof(SupRigLayer, name), true},
      {"joint", sup_json_name, offsetof(SupRigLayer, joint), false},
      {"curve", read_curve, 0, true},
      {"radius", sup_json_number, offsetof(SupRigLayer, radius), true},
      {"fade", sup_json_number, offsetof(SupRigLayer, fade), true}};
  SupRigLayer *layer = into;
  const bool is_wire = json_object_get(object, "wire");
  if (!is_wire && !json_object_get(object, "lattice")) {
    return sup_fail(r->error, SUP_ERROR_FORMAT,
                    "%s, line %u: a layer needs \"lattice\" or \"wire\" with its name", r->path,
                    sup_json_line(r, object, NULL));
  }
  layer->line = sup_json_line(r, object, NULL);
  layer->kind = is_wire ? SUP_RIG_WIRE : SUP_RIG_LATTICE;
  if (is_wire) return sup_json_object(r, object, "a wire", wire, sizeof wire / sizeof *wire, into);
  return sup_json_object(r, object, "a lattice", lattice, sizeof lattice / sizeof *lattice, into);
}

/* The layers before or after skinning; `into` is a list of its own. */
typedef struct LayerList {
  uint32_t count;
  SupRigLayer *layers;
} LayerList;

static SupResult read_layers(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                             const json_t *value, void *into) {
  LayerList *list = into;
  void *items;
  SupResult result =
      sup_json_list(r, field, object, value, sizeof(SupRigLayer), read_layer, &items, &list->count);
  if (result == SUP_OK) list->layers = items;
  return result;
}

static SupResult read_zones(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                            const json_t *value, void *into) {
  SupRigDef *def = into;
  const size_t count = json_object_size(value);
  if (!json_is_object(value) || count > SUP_JSON_ITEMS_MAX) {
    return sup_json_refuse(r, field, object, value, "an object of zones and their roles");
  }
  SupRigZone *zones = SUP_ALLOC(r->arena, SupRigZone, count);
  if (!zones) return sup_fail_memory(r->error, r->path);
  const char *name;
  const json_t *role;
  json_object_foreach((json_t *)value, name, role) {
    SupRigZone *zone = &zones[def->zone_count++];
    const SupJsonField one = {name, read_role, 0, true};
    zone->line = sup_json_line(r, role, value);
    SupResult result = sup_json_copy(r, name, &zone->name);
    if (result == SUP_OK) result = read_role(r, &one, value, role, &zone->role);
    if (result != SUP_OK) return result;
  }
  def->zones = zones;
  return SUP_OK;
}

/* ---- Parameters ----------------------------------------------------------------------------- */

/* A target as its keys say it, before its kind is known. */
typedef struct RawTarget {
  const char *names[4]; /* joint, morph, lattice, wire */
  const char *channel;
  uint32_t point[3];
  bool has_point;
  double factor;
} RawTarget;

static SupResult read_point(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                            const json_t *value, void *into) {
  RawTarget *raw = into;
  const double n = json_is_integer(value) ? (double)json_integer_value(value) : -1;
  raw->has_point = true;
  if (json_is_array(value)) return sup_json_counts(r, field, object, value, raw->point);
  if (!sup_json_is_count(n)) {
    return sup_json_refuse(r, field, object, value,
                           "the number of a wire's point or three of a lattice's, from 0 on");
  }
  raw->point[0] = (uint32_t)n;
  return SUP_OK;
}

typedef struct ChannelName {
  const char *name;
  SupRigTargetKind kind;
  uint32_t axis;
} ChannelName;

static const ChannelName joint_channels[] = {{"translation.x", SUP_RIG_JOINT_TRANSLATION, 0},
                                             {"translation.y", SUP_RIG_JOINT_TRANSLATION, 1},
                                             {"translation.z", SUP_RIG_JOINT_TRANSLATION, 2},
                                             {"rotation.x", SUP_RIG_JOINT_ROTATION, 0},
                                             {"rotation.y", SUP_RIG_JOINT_ROTATION, 1},
                                             {"rotation.z", SUP_RIG_JOINT_ROTATION, 2},
                                             {"turn.x", SUP_RIG_JOINT_TURN, 0},
                                             {"turn.y", SUP_RIG_JOINT_TURN, 1},
                                             {"turn.z", SUP_RIG_JOINT_TURN, 2},
                                             {"scale.x", SUP_RIG_JOINT_SCALE, 0},
                                             {"scale.y", SUP_RIG_JOINT_SCALE, 1},
                                             {"scale.z", SUP_RIG_JOINT_SCALE, 2}};
static const ChannelName lattice_channels[] = {{"x", SUP_RIG_LATTICE_POINT, 0},
                                               {"y", SUP_RIG_LATTICE_POINT, 1},
                                               {"z", SUP_RIG_LATTICE_POINT, 2}};
static const ChannelName wire_channels[] = {{"x", SUP_RIG_WIRE_POINT, 0},
                                            {"y", SUP_RIG_WIRE_POINT, 1},
                                            {"z", SUP_RIG_WIRE_POINT, 2},
                                            {"twist", SUP_RIG_WIRE_TWIST, 0},
                                            {"radius", SUP_RIG_WIRE_RADIUS, 0}};

static SupResult find_channel(const SupJsonReading *r, const json_t *object, const RawTarget *raw,
                              const ChannelName *channels, size_t count, SupRigTarget *out) {
  for (size_t k = 0; raw->channel && k < count; k++) {
    if (strcmp(channels[k].name, raw->channel) != 0) continue;
    out->kind = channels[k].kind;
    out->axis = channels[k].axis;
    return SUP_OK;
  }
  char names[160] = "";
  size_t length = 0;
  for (size_t k = 0; k < count && length < sizeof names; k++) {
    length +=
        sup_format(names + length, sizeof names - length, "%s%s", k ? ", " : "", channels[k].name);
  }
  return sup_fail(r->error, SUP_ERROR_FORMAT, "%s, line %u: \"channel\" must be one of %s", r->path,
                  sup_json_line(r, json_object_get(object, "channel"), object), names);
}

static SupResult sort_out(const SupJsonReading *r, const json_t *object, const RawTarget *raw,
                          SupRigTarget *out) {
  int named = -1, count = 0;
  for (int k = 0; k < 4; k++) {
    if (raw->names[k]) named = k, count++;
  }
  const char *wrong = count != 1 ? "one of \"joint\", \"morph\", \"lattice\" and \"wire\""
                      : (named >= 2) != raw->has_point
                          ? "\"point\" with \"lattice\" or \"wire\", and only then"
                      : named == 1 && raw->channel ? "no \"channel\" with \"morph\""
                                                   : NULL;
  if (wrong) {
    return sup_fail(r->error, SUP_ERROR_FORMAT, "%s, line %u: what is driven must have %s", r->path,
                    sup_json_line(r, object, NULL), wrong);
  }
  *out = (SupRigTarget){.kind = SUP_RIG_MORPH, .name = raw->names[named], .factor = raw->factor};
  memcpy(out->point, raw->point, sizeof out->point);
  if (named == 1) return SUP_OK;
  if (named == 0) {
    return find_channel(r, object, raw, joint_channels,
                        sizeof joint_channels / sizeof *joint_channels, out);
  }
  if (named == 2) return find_channel(r, object, raw, lattice_channels, 3, out);
  return find_channel(r, object, raw, wire_channels, 5, out);
}

static SupResult read_target(SupJsonReading *r, const json_t *object, void *into) {
  static const SupJsonField fields[] = {
      {"joint", sup_json_name, offsetof(RawTarget, names[0]), false},
      {"morph", sup_json_name, offsetof(RawTarget, names[1]), false},
      {"lattice", sup_json_name, offsetof(RawTarget, names[2]), false},
      {"wire", sup_json_name, offsetof(RawTarget, names[3]), false},
      {"channel", sup_json_name, offsetof(RawTarget, channel), false},
      {"point", read_point, 0, false},
      {"factor", sup_json_number, offsetof(RawTarget, factor), false}};
  RawTarget raw = {.factor = 1};
  SupResult result =
      sup_json_object(r, object, "what is driven", fields, sizeof fields / sizeof *fields, &raw);
  return result == SUP_OK ? sort_out(r, object, &raw, into) : result;
}

static SupResult read_drives(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                             const json_t *value, void *into) {
  SupRigControl *control = into;
  if (json_is_object(value)) { /* one alone */
    SupRigTarget *target = SUP_ALLOC(r->arena, SupRigTarget, 1);
    if (!target) return sup_fail_memory(r->error, r->path);
    control->target_count = 1;
    control->targets = target;
    return read_target(r, value, target);
  }
  void *items;
  SupResult result = sup_json_list(r, field, object, value, sizeof(SupRigTarget), read_target,
                                   &items, &control->target_count);
  if (result != SUP_OK) return result;
  if (control->target_count == 0)
    return sup_json_refuse(r, field, object, value, "an object or a list of some");
  control->targets = items;
  return SUP_OK;
}

/* [low, high]; null is no bound. */
static SupResult read_range(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                            const json_t *value, void *into) {
  SupRigControl *control = into;
  double *bounds[2] = {&control->base.low, &control->base.high};
  const bool pair = json_is_array(value) && json_array_size(value) == 2;
  for (size_t k = 0; k < 2; k++) {
    const json_t *item = json_array_get(value, k);
    if (!pair || (!json_is_number(item) && !json_is_null(item))) {
      return sup_json_refuse(r, field, object, value, "two numbers [low, high]; null is no bound");
    }
    *bounds[k] = json_is_null(item) ? (k == 0 ? -INFINITY : INFINITY) : json_number_value(item);
  }
  return SUP_OK;
}

static SupResult read_control(SupJsonReading *r, const json_t *object, void *into) {
  static const SupJsonField fields[] = {
      {"name", sup_json_name, offsetof(SupRigControl, base.name), true},
      {"zone", sup_json_text, offsetof(SupRigControl, base.zone), false},
      {"role", read_role, offsetof(SupRigControl, base.role), false},
      {"rest", sup_json_number, offsetof(SupRigControl, base.rest), false},
      {"range", read_range, 0, false},
      {"scale", sup_json_number, offsetof(SupRigControl, base.scale), false},
      {"drives", read_drives, 0, true}};
  SupRigControl *control = into;
  control->base = (SupRigParameter){.zone = "",
                                    .rest = NAN,
                                    .low = NAN,
                                    .high = NAN,
                                    .scale = NAN,
                                    .role = SUP_RIG_BY_ZONE,
                                    .line = sup_json_line(r, object, NULL)};
  return sup_json_object(r, object, "a parameter", fields, sizeof fields / sizeof *fields, into);
}

static SupResult read_controls(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                               const json_t *value, void *into) {
  SupRigDef *def = into;
  void *items;
  SupResult result = sup_json_list(r, field, object, value, sizeof(SupRigControl), read_control,
                                   &items, &def->control_count);
  if (result == SUP_OK) def->controls = items;
  return result;
}

/* ---- The whole ------------------------------------------------------------------------------ */

typedef struct Whole {
  SupRigDef def;
  double version;
  LayerList before, after;
} Whole;

static SupResult read_version(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                              const json_t *value, void *into) {
  (void)into;
  if (json_is_integer(value) && json_integer_value(value) == 1) return SUP_OK;
  return sup_json_refuse(r, field, object, value, "1: this program reads version 1 of rig files");
}

static SupResult read_influences(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                                 const json_t *value, void *into) {
  const json_int_t count = json_is_integer(value) ? json_integer_value(value) : 0;
  if (count < 1 || count > 64) {
    return sup_json_refuse(r, field, object, value, "a whole number from 1 to 64");
  }
  *(uint32_t *)into = (uint32_t)count;
  return SUP_OK;
}

static SupResult join_layers(SupJsonReading *r, Whole *whole) {
  const uint32_t before = whole->before.count, after = whole->after.count;
  SupRigLayer *layers = SUP_ALLOC(r->arena, SupRigLayer, (size_t)before + after);
  if (!layers) return sup_fail_memory(r->error, r->path);
  for (uint32_t k = 0; k < before; k++) layers[k] = whole->before.layers[k];
  for (uint32_t k = 0; k < after; k++) {
    layers[before + k] = whole->after.layers[k];
    layers[before + k].after_skinning = true;
  }
  whole->def.layers = layers;
  whole->def.layer_count = before + after;
  return SUP_OK;
}

static SupResult read_whole(SupJsonReading *r, const json_t *root, Whole *whole) {
  static const SupJsonField fields[] = {
      {"rig", read_version, 0, true},
      {"about", sup_json_text, offsetof(Whole, def.about), false},
      {"script_rest", sup_json_bool, offsetof(Whole, def.script_rest), false},
      {"influences", read_influences, offsetof(Whole, def.influence_max), false},
      {"helpers", read_helpers, offsetof(Whole, def), false},
      {"before_skinning", read_layers, offsetof(Whole, before), false},
      {"after_skinning", read_layers, offsetof(Whole, after), false},
      {"zones", read_zones, offsetof(Whole, def), false},
      {"parameters", read_controls, offsetof(Whole, def), true}};
  SupResult result =
      sup_json_object(r, root, "a rig file", fields, sizeof fields / sizeof *fields, whole);
  return result == SUP_OK ? join_layers(r, whole) : result;
}

/* "mochi" for mochi.rig.json. */
static SupResult name_rig(SupJsonReading *r, const char **out_name) {
  const char *name = sup_short_name(r->arena, r->path);
  if (!name) return sup_fail_memory(r->error, r->path);
  const size_t length = strlen(name);
  const bool ends = length > 4 && strcmp(name + length - 4, ".rig") == 0;
  *out_name = sup_arena_string(r->arena, name, ends ? length - 4 : length);
  return *out_name ? SUP_OK : sup_fail_memory(r->error, r->path);
}

SupResult sup_rig_file_parse(SupArena *arena, const char *text, size_t bytes, const char *path,
                             SupRigDef *out_def, SupError *error) {
  SupJsonReading r = {.arena = arena, .path = path, .error = error};
  Whole whole = {.def = {.about = "", .script_rest = true}};
  SupResult result = name_rig(&r, &whole.def.name);
  if (result != SUP_OK) return result;
  json_t *root;
  result = sup_json_read_placed(&r, text, bytes, &root);
  if (result != SUP_OK) return result;
  result = read_whole(&r, root, &whole);
  json_decref(root);
  if (result == SUP_OK) *out_def = whole.def;
  return result;
}

SupResult sup_rig_file_read(SupArena *arena, const char *path, SupRigDef *out_def,
                            SupError *error) {
  const uint8_t *data;
  size_t bytes;
  SupResult result = sup_file_read(arena, path, &data, &bytes, error);
  if (result != SUP_OK) return result;
  return sup_rig_file_parse(arena, (const char *)data, bytes, path, out_def, error);
}
