/* SPDX-License-Identifier: MIT */
/* A Character out of raw arrays: check, lay the parts end to end, weld, merge, copy. */
#include "supple/author/build.h"

#include "author/character/character_check.h"
#include "author/character/character_merge.h"
#include "base/scratch.h"
#include "supple/geom/bounds.h"
#include "supple/geom/weld.h"

static const char *copy_text(SupArena *arena, const char *text) {
  return sup_arena_string(arena, text ? text : "", text ? sup_string_length(text) : 0);
}

/* ---- Skeleton, clips, names ----------------------------------------------------------------- */

static bool copy_skeleton(SupArena *arena, const SupSkeleton *from, SupSkeleton *to) {
  const char **names = SUP_ALLOC(arena, const char *, from->joint_count);
  *to = *from;
  to->parents = SUP_COPY(arena, int32_t, from->parents, from->joint_count);
  to->rest = SUP_COPY(arena, SupTransform, from->rest, from->joint_count);
  to->bone_joints = SUP_COPY(arena, uint32_t, from->bone_joints, from->bone_count);
  to->inverse_bind = SUP_COPY(arena, SupAffine, from->inverse_bind, from->bone_count);
  to->names = names;
  bool ok = names && to->parents && to->rest && to->bone_joints && to->inverse_bind;
  for (uint32_t j = 0; ok && j < from->joint_count; j++) {
    names[j] = copy_text(arena, from->names ? from->names[j] : NULL);
    ok = names[j] != NULL;
  }
  return ok;
}

static bool copy_track(SupArena *arena, const SupTrack *from, SupTrack *to) {
  size_t values = (size_t)from->key_count * from->width;
  if (from->interpolation == SUP_INTERPOLATE_CUBIC) values *= 3;
  *to = *from;
  to->times = SUP_COPY(arena, float, from->times, from->key_count);
  to->values = SUP_COPY(arena, float, from->values, values);
  return to->times && to->values;
}

static bool copy_clip(SupArena *arena, const SupClip *from, SupClip *to) {
  SupTrack *tracks = SUP_ALLOC(arena, SupTrack, from->track_count);
  *to = (SupClip){copy_text(arena, from->name), 0, from->track_count, tracks};
  bool ok = to->name && tracks;
  for (uint32_t t = 0; ok && t < from->track_count; t++) {
    ok = copy_track(arena, &from->tracks[t], &tracks[t]);
    float last = from->tracks[t].times[from->tracks[t].key_count - 1];
    if (last > to->duration) to->duration = last;
  }
  return ok;
}

static bool copy_clips(SupArena *arena, const SupRawCharacter *raw, SupCharacter *character) {
  SupClip *clips = SUP_ALLOC(arena, SupClip, raw->clip_count);
  bool ok = clips != NULL;
  for (uint32_t c = 0; ok && c < raw->clip_count; c++) {
    ok = copy_clip(arena, &raw->clips[c], &clips[c]);
  }
  character->clip_count = raw->clip_count;
  character->clips = clips;
  return ok;
}

static bool copy_materials(SupArena *arena, const SupRawCharacter *raw, SupCharacter *character) {
  SupMaterial *materials = SUP_COPY(arena, SupMaterial, raw->materials, raw->material_count);
  bool ok = materials != NULL;
  for (uint32_t k = 0; ok && k < raw->material_count; k++) {
    materials[k].name = copy_text(arena, raw->materials[k].name);
    ok = materials[k].name != NULL;
  }
  character->material_count = raw->material_count;
  character->materials = materials;
  return ok;
}

/* ---- Render vertices ------------------------------------------------------------------------ */

typedef struct RenderArrays {
  SupPart *parts;
  SupVec3 *positions;
  uint32_t *triangles;
  SupVec3 *normals; /* these three: NULL where no part has them */
  SupVec4 *tangents;
  float *uvs;
} RenderArrays;

static void fill_part(const SupRawPart *from, SupPart *part, const RenderArrays *to) {
  size_t n = from->vertex_count, first = part->first_vertex;
  sup_copy(to->positions + first, from->positions, n * sizeof(SupVec3));
  if (from->normals) sup_copy(to->normals + first, from->normals, n * sizeof(SupVec3));
  if (from->tangents) sup_copy(to->tangents + first, from->tangents, n * sizeof(SupVec4));
  if (from->uvs) sup_copy(to->uvs + 2 * first, from->uvs, 2 * n * sizeof(float));
  uint32_t *triangles = to->triangles + 3 * (size_t)part->first_triangle;
  for (size_t k = 0; k < 3 * (size_t)from->triangle_count; k++) {
    triangles[k] = part->first_vertex + from->triangles[k];
  }
}

/* Everything but to_body. */
static bool make_render(SupArena *arena, const SupRawCharacter *raw, SupRender *out) {
  SupRender render = {.part_count = raw->part_count};
  RenderArrays to = {.parts = SUP_ALLOC(arena, SupPart, raw->part_count)};
  bool normals = false, tangents = false, uvs = false, ok = to.parts != NULL;
  for (uint32_t p = 0; ok && p < raw->part_count; p++) {
    const SupRawPart *from = &raw->parts[p];
    to.parts[p] = (SupPart){.name = copy_text(arena, from->name),
                            .node = from->node,
                            .mesh = from->mesh,
                            .primitive = from->primitive,
                            .material = from->material,
                            .first_vertex = render.vertex_count,
                            .vertex_count = from->vertex_count,
                            .first_triangle = render.triangle_count,
                            .triangle_count = from->triangle_count,
                            .mirrored = from->mirrored,
                            .joints_outside = from->joints_outside};
    ok = to.parts[p].name != NULL;
    render.vertex_count += from->vertex_count;
    render.triangle_count += from->triangle_count;
    normals = normals || from->normals;
    tangents = tangents || from->tangents;
    uvs = uvs || from->uvs;
  }
  size_t n = render.vertex_count;
  to.positions = SUP_ALLOC(arena, SupVec3, n);
  to.triangles = SUP_ALLOC(arena, uint32_t, 3 * (size_t)render.triangle_count);
  if (normals) to.normals = SUP_ALLOC(arena, SupVec3, n);
  if (tangents) to.tangents = SUP_ALLOC(arena, SupVec4, n);
  if (uvs) to.uvs = SUP_ALLOC(arena, float, 2 * n);
  ok = ok && to.positions && to.triangles && (to.normals || !normals) &&
       (to.tangents || !tangents) && (to.uvs || !uvs);
  for (uint32_t p = 0; ok && p < raw->part_count; p++) {
    fill_part(&raw->parts[p], &to.parts[p], &to);
  }
  render.parts = to.parts;
  render.positions = to.positions;
  render.triangles = to.triangles;
  render.normals = to.normals;
  render.tangents = to.tangents;
  render.uvs = to.uvs;
  *out = render;
  return ok;
}

/* ---- Body ----------------------------------------------------------------------------------- */

/* The render triangles with mirrored parts turned over, so that the body has one outside. */
static uint32_t *body_triangles(SupArena *scratch, const SupRender *render) {
  uint32_t *triangles =
      SUP_COPY(scratch, uint32_t, render->triangles, 3 * (size_t)render->triangle_count);
  for (uint32_t p = 0; triangles && p < render->part_count; p++) {
    const SupPart *part = &render->parts[p];
    if (!part->mirrored) continue;
    uint32_t *corners = triangles + 3 * (size_t)part->first_triangle;
    for (uint32_t f = 0; f < part->triangle_count; f++, corners += 3) {
      uint32_t second = corners[1];
      corners[1] = corners[2];
      corners[2] = second;
    }
  }
  return triangles;
}

/* Welds, and makes the body's mesh and the map from render to body. */
static SupResult make_body(SupArena *arena, SupArena *scratch, const SupRawCharacter *raw,
                           SupCharacter *character, Influences *influences, SupError *error) {
  SupRender *render = &character->render;
  uint32_t *groups = SUP_ALLOC(scratch, uint32_t, render->vertex_count);
  uint32_t *triangles = body_triangles(scratch, render);
  if (!groups || !triangles) return sup_fail_memory(error, "welding");
  for (uint32_t p = 0; p < render->part_count; p++) {
    const SupPart *part = &render->parts[p];
    for (uint32_t v = 0; v < part->vertex_count; v++) groups[part->first_vertex + v] = part->node;
  }
  float fraction = raw->weld_tolerance > 0 ? raw->weld_tolerance : 1e-6f;
  SupWeldDef def = {.vertex_count = render->vertex_count,
                    .positions = render->positions,
                    .groups = groups,
                    .may_merge = sup_influences_are_close,
                    .user = influences};
  def.tolerance =
      fraction * sup_bounds_diagonal(sup_bounds(render->positions, render->vertex_count));
  SupWeld weld;
  SupResult result = sup_weld(arena, &def, &weld, error);
  SupCleanTriangles clean = {0};
  if (result == SUP_OK) {
    result = sup_triangles_clean(arena, triangles, render->triangle_count, weld.map, &clean, error);
  }
  if (result != SUP_OK) return result;
  SupVec3 *positions = SUP_ALLOC(arena, SupVec3, weld.welded_count);
  if (!positions) return sup_fail_memory(error, "the body");
  for (uint32_t v = 0; v < weld.welded_count; v++) {
    positions[v] = render->positions[weld.representatives[v]];
  }
  render->to_body = weld.map;
  character->body = (SupMesh){weld.welded_count, clean.triangle_count, positions, clean.triangles};
  character->weld.vertices_merged = render->vertex_count - weld.welded_count;
  character->weld.triangles_degenerate = clean.degenerate;
  character->weld.triangles_duplicate = clean.duplicate;
  return SUP_OK;
}

/* ---- All of it ------------------------------------------------------------------------------ */

static SupResult build(SupArena *arena, SupArena *scratch, const SupRawCharacter *raw,
                       SupCharacter *character, SupError *error) {
  character->name = copy_text(arena, raw->name);
  bool ok = character->name && copy_skeleton(arena, &raw->skeleton, &character->skeleton) &&
            copy_clips(arena, raw, character) && copy_materials(arena, raw, character) &&
            make_render(arena, raw, &character->render);
  if (!ok) return sup_fail_memory(error, "the character");
  Influences influences;
  SupResult result = sup_influences_gather(scratch, raw, character->render.vertex_count,
                                           &influences, &character->weld, error);
  if (result == SUP_OK) {
    result = make_body(arena, scratch, raw, character, &influences, error);
  }
  if (result == SUP_OK) result = sup_merge_skin(arena, scratch, &influences, character, error);
  if (result == SUP_OK) result = sup_merge_morphs(arena, scratch, raw, character, error);
  if (result == SUP_OK) result = sup_merge_maps(arena, scratch, raw, character, error);
  return result;
}

SupResult sup_character_build(SupArena *arena, const SupRawCharacter *raw,
                              SupCharacter *out_character, SupError *error) {
  SupResult result = sup_raw_character_check(raw, error);
  if (result != SUP_OK) return result;
  SupArena scratch = sup_scratch(arena);
  SupCharacter character = {0};
  result = build(arena, &scratch, raw, &character, error);
  sup_arena_free(&scratch);
  if (result == SUP_OK) *out_character = character;
  return result;
}
