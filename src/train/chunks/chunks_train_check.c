/* SPDX-License-Identifier: MIT */
/* What is wrong with a definition, before any work. */
#include "chunks_work.h"
#include "supple/author/find_joint.h"

#define MOST_RELAXATIONS 1000u

static bool finite(double x) { return x > -1e15 && x < 1e15; }

static SupResult check_character(const ChunksWork *w) {
  const SupChunksTrainDef *def = w->def;
  const SupCharacter *c = def->character;
  if (c->skeleton.bone_count == 0 || c->skin.vertex_count != c->body.vertex_count) {
    return sup_fail(w->error, SUP_ERROR_ARGUMENT,
                    "the character has no skin; bind it to a skeleton first");
  }
  if (!def->plan || !def->patches_def || !def->patches || !def->charts ||
      def->patches->patch_count == 0) {
    return sup_fail(w->error, SUP_ERROR_ARGUMENT, "chunks: the character has no patches");
  }
  if (def->patches_def->mesh.vertex_count != c->body.vertex_count ||
      def->charts->patch_count != def->patches->patch_count ||
      def->charts->vertex_count != c->body.vertex_count) {
    return sup_fail(w->error, SUP_ERROR_ARGUMENT, "chunks: the patches are not of this character");
  }
  return SUP_OK;
}

static bool sound_levels(uint32_t levels) {
  return levels == SUP_CHUNKS_AUTOMATIC || levels <= SUP_SLICE_MOST_LEVELS;
}

static bool sound_slices(uint32_t slices) {
  return slices == 0 || (slices >= 3 && slices <= SUP_CHUNK_MOST_SLICES);
}

static bool sound_poisson(double poisson) { return poisson >= 0 && poisson < 0.5; }

static SupResult check_settings(const ChunksWork *w) {
  const SupChunksTrainDef *def = w->def;
  if (!sound_poisson(def->poisson) || !sound_slices(def->slices) || !sound_levels(def->levels) ||
      def->relaxations > MOST_RELAXATIONS) {
    return sup_fail(w->error, SUP_ERROR_ARGUMENT,
                    "chunks: slices are 3 to %d, levels 0 to %d, Poisson's ratio is above 0 and "
                    "below 0.5, and there are at most %u relaxations",
                    SUP_CHUNK_MOST_SLICES, SUP_SLICE_MOST_LEVELS, MOST_RELAXATIONS);
  }
  for (uint32_t v = 0; def->stiffness && v < def->character->body.vertex_count; v++) {
    const double x = (double)def->stiffness[v];
    if (x > 0 && finite(x)) continue;
    return sup_fail(w->error, SUP_ERROR_ARGUMENT,
                    "chunks: the stiffness of vertex %u is not above 0", v);
  }
  return SUP_OK;
}

uint32_t sup_chunks_ring_number(const char *zone, const char *name) {
  const size_t length = sup_string_length(zone);
  size_t at = 0;
  uint32_t number = 0;
  while (at < length && name[at] == zone[at]) at++;
  if (at < length || name[at] != '-' || name[at + 1] == '0') return 0;
  for (at++; name[at] >= '0' && name[at] <= '9' && number < 1000000; at++) {
    number = 10 * number + (uint32_t)(name[at] - '0');
  }
  return name[at] == '\0' && number > 1 ? number : 0;
}

/* Chunks above the shell are called after their patch, others are not. */
static bool is_named(const SupChunksTrainDef *def, const char *name) {
  for (uint32_t k = 0; k < def->plan->zone_count; k++) {
    const SupPatchZone *zone = &def->plan->zones[k];
    if (sup_string_equal(zone->name, name)) return true;
    for (uint32_t p = 0; p < def->patches->patch_count; p++) {
      const SupPatch *patch = &def->patches->patches[p];
      if (zone->kind == SUP_PATCH_ZONE_STRATUM && sup_string_equal(patch->zone, zone->name) &&
          sup_string_equal(patch->name, name)) {
        return true;
      }
    }
  }
  return false;
}

/* Is it the name of a zone, or of one of its chunks? */
static bool is_known(const SupChunksTrainDef *def, const char *name) {
  bool known = is_named(def, name);
  for (uint32_t k = 0; k < def->plan->zone_count; k++) {
    const SupPatchZone *zone = &def->plan->zones[k];
    known |= zone->kind == SUP_PATCH_ZONE_SOLID && sup_chunks_ring_number(zone->name, name) > 0;
  }
  return known;
}

SupResult sup_chunks_check_rings(const ChunksWork *w, const SupPatchZone *zone, uint32_t count) {
  for (uint32_t k = 0; k < w->def->option_count; k++) {
    const char *name = w->def->options[k].name;
    if (sup_chunks_ring_number(zone->name, name) <= count || is_named(w->def, name)) continue;
    return sup_fail(w->error, SUP_ERROR_ARGUMENT,
                    "chunks: there is no chunk '%s': zone '%s' has %u ring%s of patches", name,
                    zone->name, count, count == 1 ? "" : "s");
  }
  return SUP_OK;
}

static SupResult check_option(const ChunksWork *w, const SupChunksOption *o) {
  const SupPatchPlan *plan = w->def->plan;
  if (!is_known(w->def, o->name)) {
    char hint[200];
    const char *near = sup_nearest_member(o->name, plan->zone_count ? &plan->zones[0].name : NULL,
                                          sizeof *plan->zones, plan->zone_count);
    return sup_fail(w->error, SUP_ERROR_ARGUMENT, "chunks: there is no zone or chunk '%s'%s",
                    o->name, sup_did_you_mean(hint, sizeof hint, near));
  }
  if (sound_slices(o->slices) && sound_levels(o->levels) && sound_poisson(o->poisson) &&
      o->depth >= 0 && finite(o->depth)) {
    return SUP_OK;
  }
  return sup_fail(
      w->error, SUP_ERROR_ARGUMENT,
      "chunks: '%s' has slices outside 3 to %d, levels outside 0 to %d, a Poisson's ratio "
      "outside 0 to 0.5 or a depth below 0",
      o->name, SUP_CHUNK_MOST_SLICES, SUP_SLICE_MOST_LEVELS);
}

/* ---- Bones of zones -------------------------------------------------------------------------- */

static SupResult at_zone(const ChunksWork *w, const SupPatchZone *zone) {
  if (zone->line) {
    sup_error_prefix(w->error, "%s, line %u", w->def->plan->source, zone->line);
  }
  return SUP_ERROR_FORMAT;
}

static SupResult check_zone(const ChunksWork *w, const SupPatchZone *zone) {
  const SupSkeleton *s = &w->def->character->skeleton;
  const SupNameList names = sup_joint_names(s);
  size_t joints[2];
  if (!zone->flesh || !zone->flesh->bone[0]) {
    sup_fail(w->error, SUP_ERROR_FORMAT,
             "zone '%s' is solid and needs a \"bone\": the joints where it begins and ends",
             zone->name);
    return at_zone(w, zone);
  }
  for (uint32_t k = 0; k < 2; k++) {
    char hint[200];
    joints[k] = sup_name_find(zone->flesh->bone[k], names);
    if (joints[k] < s->joint_count) continue;
    sup_fail(w->error, SUP_ERROR_FORMAT, "zone '%s': there is no joint '%s'%s", zone->name,
             zone->flesh->bone[k], sup_name_hint(hint, sizeof hint, zone->flesh->bone[k], names));
    return at_zone(w, zone);
  }
  const SupVec3d a = sup_affined_translation(w->figure.binds[joints[0]]);
  const SupVec3d b = sup_affined_translation(w->figure.binds[joints[1]]);
  if (!(sup_vec3d_distance(a, b) > 1e-6 * w->figure.size)) {
    sup_fail(w->error, SUP_ERROR_FORMAT, "zone '%s': its bone from '%s' to '%s' has no length",
             zone->name, s->names[joints[0]], s->names[joints[1]]);
    return at_zone(w, zone);
  }
  if (w->figure.bones[joints[0]] == SUP_NONE) {
    sup_fail(w->error, SUP_ERROR_FORMAT, "zone '%s': no skin hangs on its joint '%s'", zone->name,
             s->names[joints[0]]);
    return at_zone(w, zone);
  }
  return SUP_OK;
}

SupResult sup_chunks_check_def(ChunksWork *w) {
  const SupChunksTrainDef *def = w->def;
  SupResult result = check_character(w);
  if (result == SUP_OK) result = sup_patch_plan_check(def->plan, w->error);
  if (result == SUP_OK) result = check_settings(w);
  for (uint32_t k = 0; k < def->option_count && result == SUP_OK; k++) {
    result = check_option(w, &def->options[k]);
  }
  if (result == SUP_OK) {
    result = sup_envelope_figure(w->scratch, def->character, SUP_NONE, 1, 1, &w->figure, w->error);
  }
  for (uint32_t v = 0; v < def->character->body.vertex_count && result == SUP_OK; v++) {
    w->figure.positions[v] = sup_vec3_to_double(def->character->body.positions[v]);
  }
  for (uint32_t k = 0; k < def->plan->zone_count && result == SUP_OK; k++) {
    const SupPatchZone *zone = &def->plan->zones[k];
    if (zone->kind == SUP_PATCH_ZONE_SOLID) result = check_zone(w, zone);
  }
  return result == SUP_OK ? sup_chunks_check_bulges(w) : result;
}
