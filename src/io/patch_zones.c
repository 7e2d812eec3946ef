/* SPDX-License-Identifier: MIT */
/*
 * Zones of patch files: a word, "stratum", "solid" or "skinned", or an object with the word as
 * "kind" and what is said about the flesh.
 */
#include "io/patch_zones.h"

static const char *const kinds[] = {"stratum", "solid", "skinned"};

/* A zone while its keys are read. */
typedef struct RawZone {
  SupPatchZoneKind kind;
  SupPatchFlesh flesh;
} RawZone;

/* ---- Reading -------------------------------------------------------------------------------- */

static SupResult read_kind(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                           const json_t *value, void *into) {
  size_t choice = 0;
  SupResult result = sup_json_choice(r, field, object, value, kinds, 3, &choice);
  if (result == SUP_OK) *(SupPatchZoneKind *)into = (SupPatchZoneKind)choice;
  return result;
}

static SupResult read_bone(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                           const json_t *value, void *into) {
  const char **bone = into;
  bool two = json_is_array(value) && json_array_size(value) == 2;
  for (size_t k = 0; k < 2 && two; k++) {
    const json_t *name = json_array_get(value, k);
    two = json_is_string(name) && json_string_length(name) > 0;
    if (two && sup_json_copy(r, json_string_value(name), &bone[k]) != SUP_OK) {
      return SUP_ERROR_MEMORY;
    }
  }
  return two ? SUP_OK : sup_json_refuse(r, field, object, value, "the names of two joints");
}

static SupResult read_count(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                            const json_t *value, void *into) {
  if (!json_is_integer(value) || !sup_json_is_count((double)json_integer_value(value))) {
    return sup_json_refuse(r, field, object, value, "a whole number");
  }
  *(uint32_t *)into = (uint32_t)json_integer_value(value);
  return SUP_OK;
}

/* Above 0: 0 means that nothing is said. */
static SupResult read_size(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                           const json_t *value, void *into) {
  if (!json_is_number(value) || !(json_number_value(value) > 0)) {
    return sup_json_refuse(r, field, object, value, "a number above 0");
  }
  *(double *)into = json_number_value(value);
  return SUP_OK;
}

static SupResult read_shell_point(SupJsonReading *r, const json_t *shell, const char *feature,
                                  const json_t *value, SupPatchShellPoint *out) {
  const SupJsonField one = {feature, NULL, 0, true};
  double place[3];
  if (json_is_number(value)) {
    out->depth = json_number_value(value);
  } else if (sup_json_three(value, place)) {
    out->placed = true;
    out->position = (SupVec3d){place[0], place[1], place[2]};
  } else {
    return sup_json_refuse(r, &one, shell, value, "a depth or a place [x, y, z]");
  }
  return sup_json_copy(r, feature, &out->feature);
}

static SupResult read_shell(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                            const json_t *value, void *into) {
  SupPatchFlesh *flesh = &((RawZone *)into)->flesh;
  const size_t count = json_object_size(value);
  if (!json_is_object(value) || count > SUP_PATCH_PLAN_MAX) {
    return sup_json_refuse(r, field, object, value, "an object of features and depths or places");
  }
  SupPatchShellPoint *points = SUP_ALLOC(r->arena, SupPatchShellPoint, count);
  if (!points) return sup_fail_memory(r->error, r->path);
  const char *feature;
  const json_t *place;
  json_object_foreach((json_t *)value, feature, place) {
    SupResult result = read_shell_point(r, value, feature, place, &points[flesh->shell_count++]);
    if (result != SUP_OK) return result;
  }
  flesh->shell = points;
  return SUP_OK;
}

static SupResult read_object(SupJsonReading *r, const json_t *object, SupPatchZone *zone) {
  static const SupJsonField fields[] = {
      {"kind", read_kind, offsetof(RawZone, kind), true},
      {"bone", read_bone, offsetof(RawZone, flesh.bone), false},
      {"depth", read_size, offsetof(RawZone, flesh.depth), false},
      {"poisson", read_size, offsetof(RawZone, flesh.poisson), false},
      {"slices", read_count, offsetof(RawZone, flesh.slices), false},
      {"levels", read_count, offsetof(RawZone, flesh.levels), false},
      {"shell", read_shell, 0, false}};
  RawZone raw = {.flesh = sup_patch_flesh()};
  SupResult result =
      sup_json_object(r, object, "a zone", fields, sizeof fields / sizeof *fields, &raw);
  if (result != SUP_OK) return result;
  zone->kind = raw.kind;
  zone->flesh = SUP_COPY(r->arena, SupPatchFlesh, &raw.flesh, 1);
  return zone->flesh ? SUP_OK : sup_fail_memory(r->error, r->path);
}

SupResult sup_patch_read_zones(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                               const json_t *value, const SupPatchZone **out_zones,
                               uint32_t *out_count) {
  const size_t count = json_object_size(value);
  if (!json_is_object(value) || count > SUP_PATCH_PLAN_MAX) {
    return sup_json_refuse(r, field, object, value, "an object of zones and their kinds");
  }
  SupPatchZone *zones = SUP_ALLOC(r->arena, SupPatchZone, count), *zone = zones;
  if (!zones) return sup_fail_memory(r->error, r->path);
  const char *name;
  const json_t *said;
  json_object_foreach((json_t *)value, name, said) {
    const SupJsonField one = {name, NULL, 0, true};
    zone->line = sup_json_line(r, said, value);
    SupResult result = sup_json_copy(r, name, &zone->name);
    if (result == SUP_OK) {
      result = json_is_object(said) ? read_object(r, said, zone)
                                    : read_kind(r, &one, value, said, &zone->kind);
    }
    if (result != SUP_OK) return result;
    zone++;
  }
  *out_zones = zones;
  *out_count = (uint32_t)count;
  return SUP_OK;
}

/* ---- Writing -------------------------------------------------------------------------------- */

static void put_member(SupText *t, const char *key, double value) {
  sup_text_put(t, ", ");
  sup_text_put_key(t, key);
  sup_text_put_number(t, value);
}

static void put_shell(SupText *t, const SupPatchFlesh *flesh) {
  sup_text_put(t, ", \"shell\": {");
  for (uint32_t k = 0; k < flesh->shell_count; k++) {
    const SupPatchShellPoint *p = &flesh->shell[k];
    if (k) sup_text_put(t, ", ");
    sup_text_put_key(t, p->feature);
    if (p->placed) {
      sup_text_put_vector(t, p->position);
    } else {
      sup_text_put_number(t, p->depth);
    }
  }
  sup_text_put(t, "}");
}

void sup_patch_put_zone(SupText *t, const SupPatchZone *zone) {
  const SupPatchFlesh *f = zone->flesh;
  sup_text_put_key(t, zone->name);
  if (f) sup_text_put(t, "{\"kind\": ");
  sup_text_put_quoted(t, kinds[zone->kind]);
  if (!f) return;
  for (uint32_t k = 0; k < 2 && f->bone[0]; k++) {
    sup_text_put(t, k ? ", " : ", \"bone\": [");
    sup_text_put_quoted(t, f->bone[k]);
  }
  if (f->bone[0]) sup_text_put(t, "]");
  if (f->depth > 0) put_member(t, "depth", f->depth);
  if (f->poisson > 0) put_member(t, "poisson", f->poisson);
  if (f->slices) put_member(t, "slices", f->slices);
  if (f->levels != SUP_NONE) put_member(t, "levels", f->levels);
  if (f->shell_count) put_shell(t, f);
  sup_text_put(t, "}");
}
