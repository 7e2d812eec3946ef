/* SPDX-License-Identifier: MIT */
/* Patch files as text: one feature, boundary, patch or zone per line. */
#include "io/patch_zones.h"
#include "supple/io/file.h"
#include "supple/io/patch_file.h"

static void put_name(SupText *t, const char *key, const char *name) {
  sup_text_put(t, ", ");
  sup_text_put_key(t, key);
  sup_text_put_quoted(t, name);
}

static void put_place(SupText *t, const char *key, SupVec3d place) {
  sup_text_put(t, ", ");
  sup_text_put_key(t, key);
  sup_text_put_vector(t, place);
}

static void put_feature(SupText *t, const void *whole, uint32_t k) {
  const SupPatchPlanFeature *f = &((const SupPatchPlan *)whole)->features[k];
  sup_text_put(t, "{\"name\": ");
  sup_text_put_quoted(t, f->name);
  if (f->place == SUP_PATCH_AT_LANDMARK) {
    put_name(t, "joint", f->joint);
    put_place(t, "direction", f->direction);
  } else {
    if (f->place == SUP_PATCH_AT_VERTEX) {
      sup_text_put(t, ", \"vertex\": ");
      sup_text_put_number(t, f->vertex);
    }
    if (!f->no_position) put_place(t, "position", f->position);
  }
  sup_text_put(t, "}");
}

static void put_boundary(SupText *t, const void *whole, uint32_t k) {
  static const char *const kinds[] = {"edges", "geodesic", "curve", "rim"};
  const SupPatchPlan *plan = whole;
  const SupPatchPlanBoundary *b = &plan->boundaries[k];
  sup_text_put(t, "{\"name\": ");
  sup_text_put_quoted(t, b->name);
  put_name(t, "from", plan->features[b->from].name);
  put_name(t, "to", plan->features[b->to].name);
  put_name(t, "kind", kinds[b->kind]);
  for (uint32_t p = 0; p < b->point_count; p++) {
    const bool curve = b->kind == SUP_PATCH_CURVE;
    sup_text_put(t, p ? ", " : curve ? ", \"points\": [" : ", \"through\": [");
    sup_text_put_vector(t, b->points[p]);
  }
  if (b->point_count) sup_text_put(t, "]");
  for (uint32_t p = 0; b->weights && p < b->point_count; p++) {
    sup_text_put(t, p ? ", " : ", \"weights\": [");
    sup_text_put_number(t, b->weights[p]);
  }
  sup_text_put(t, b->weights && b->point_count ? "]}" : "}");
}

static void put_patch(SupText *t, const void *whole, uint32_t k) {
  const SupPatchPlan *plan = whole;
  const SupPatchName *patch = &plan->names[k];
  sup_text_put(t, "{\"name\": ");
  sup_text_put_quoted(t, patch->name);
  if (patch->zone && patch->zone[0]) put_name(t, "zone", patch->zone);
  sup_text_put(t, ", \"boundaries\": [");
  for (uint32_t i = 0; i < patch->boundary_count; i++) {
    if (i) sup_text_put(t, ", ");
    sup_text_put_quoted(t, plan->boundaries[patch->boundaries[i]].name);
  }
  sup_text_put(t, "]}");
}

static void put_zone(SupText *t, const void *whole, uint32_t k) {
  sup_patch_put_zone(t, &((const SupPatchPlan *)whole)->zones[k]);
}

SupResult sup_patch_file_text(SupArena *arena, const SupPatchPlan *plan, const char **out_text,
                              size_t *out_bytes, SupError *error) {
  SupText t = {.arena = arena};
  sup_text_put(&t, "{\n  \"patch_file\": 1");
  if (plan->vertex_count) {
    sup_text_put(&t, ",\n  \"vertex_count\": ");
    sup_text_put_number(&t, plan->vertex_count);
  }
  sup_text_put_items(&t, "features", "[]", plan, 0, plan->feature_count, put_feature);
  sup_text_put_items(&t, "boundaries", "[]", plan, 0, plan->boundary_count, put_boundary);
  if (plan->name_count) {
    sup_text_put_items(&t, "patches", "[]", plan, 0, plan->name_count, put_patch);
  }
  if (plan->zone_count) sup_text_put_items(&t, "zones", "{}", plan, 0, plan->zone_count, put_zone);
  sup_text_put(&t, "\n}\n");
  sup_text_put_bytes(&t, "", 1); /* the zero behind it */
  if (t.failed) return sup_fail_memory(error, "the patch file");
  *out_text = t.data;
  *out_bytes = t.length - 1;
  return SUP_OK;
}

SupResult sup_patch_file_write(SupAllocator allocator, const char *path, const SupPatchPlan *plan,
                               SupError *error) {
  SupArena arena;
  sup_arena_init(&arena, allocator, 0);
  const char *text;
  size_t bytes;
  SupResult result = sup_patch_file_text(&arena, plan, &text, &bytes, error);
  if (result == SUP_OK) result = sup_file_save(allocator, path, text, bytes, error);
  sup_arena_free(&arena);
  return result;
}
