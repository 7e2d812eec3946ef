/* SPDX-License-Identifier: MIT */
/* Characters out of raw arrays, and their models: out of a file, or made by numbers. */
#include "supple/author/body_scale.h"
#include "supple/author/fingerprint.h"
#include "supple/author/surface_build.h"
#include "supple/author/thickness.h"

#include "module.h"
#include "supple/helpers.h"

/* What supple.ts writes and reads word by word. */
_Static_assert(sizeof(SupSkeleton) == 4 * 7, "skeleton");
_Static_assert(sizeof(SupRawPart) == 4 * 19 && offsetof(SupRawPart, positions) == 4 * 8 &&
                   offsetof(SupRawPart, map_values) == 4 * 17,
               "raw part");
_Static_assert(sizeof(SupTrack) == 4 * 7 && sizeof(SupClip) == 4 * 4, "clip");
_Static_assert(sizeof(SupRawMorph) == 4 * 2, "morph");
_Static_assert(sizeof(SupRawCharacter) == 4 * 19 && offsetof(SupRawCharacter, parts) == 4 * 9,
               "raw character");
_Static_assert(sizeof(SupTransform) == 4 * 10 && sizeof(SupAffine) == 4 * 12, "transforms");
_Static_assert(offsetof(SupSurfacePreset, max_distance) == 4 * 11, "preset");

static void *no_memory(void) {
  sup_fail(&web_last_error, SUP_ERROR_MEMORY, "the browser gives no more memory");
  return NULL;
}

/* ---- Characters -------------------------------------------------------------------------------
 */

/* As libsupple_io does: rotations of files that are not of unit length, to float precision. */
static void unit_rotations(const float *values, size_t count, size_t stride) {
  float *to = (float *)(uintptr_t)values; /* the raw arrays are the caller's scratch */
  for (size_t i = 0; i < count; i++, to += stride) {
    SupQuat q = {to[0], to[1], to[2], to[3]};
    const float off = sup_quat_dot(q, q) - 1;
    if (off <= 1e-6f && off >= -1e-6f) continue;
    q = sup_quat_normalise(q);
    sup_copy(to, &q, sizeof q);
  }
}

static void unit_raw(const SupRawCharacter *raw) {
  unit_rotations(&raw->skeleton.rest->rotation.x, raw->skeleton.joint_count, 10);
  for (uint32_t k = 0; k < raw->clip_count; k++) {
    for (uint32_t t = 0; t < raw->clips[k].track_count; t++) {
      const SupTrack *track = &raw->clips[k].tracks[t];
      if (track->channel != SUP_CHANNEL_ROTATION) continue;
      if (track->interpolation == SUP_INTERPOLATE_CUBIC) continue;
      unit_rotations(track->values, track->key_count, 4);
    }
  }
}

void web_decompose(const float *matrix, SupTransform *out) {
  SupAffined affine;
  for (int c = 0; c < 4; c++) {
    for (int r = 0; r < 3; r++) affine.m[3 * c + r] = (double)matrix[4 * c + r];
  }
  const SupTransformd parts = sup_affined_decompose(affine);
  *out = (SupTransform){sup_vec3d_to_float(parts.translation), sup_quatd_to_float(parts.rotation),
                        sup_vec3d_to_float(parts.scale)};
}

WebCharacter *web_character_make(const SupRawCharacter *raw) {
  WebCharacter *cast = web_allocate(sizeof *cast);
  if (!cast) return no_memory();
  sup_zero(cast, sizeof *cast);
  sup_arena_init(&cast->arena, web_allocator(), 0);
  unit_raw(raw);
  if (sup_character_build(&cast->arena, raw, &cast->character, &web_last_error) != SUP_OK) {
    web_character_free(cast);
    return NULL;
  }
  return cast;
}

void web_character_free(WebCharacter *cast) {
  if (!cast) return;
  sup_arena_free(&cast->arena);
  web_release(cast);
}

const uint32_t *web_character_view(WebCharacter *cast) {
  const SupCharacter *c = &cast->character;
  const uint32_t words[] = {c->body.vertex_count,
                            c->body.triangle_count,
                            c->render.vertex_count,
                            c->render.triangle_count,
                            c->skeleton.joint_count,
                            c->skeleton.bone_count,
                            c->clip_count,
                            c->morph_count,
                            c->map_count,
                            (uint32_t)c->body.positions,
                            (uint32_t)c->body.triangles,
                            (uint32_t)c->render.to_body,
                            (uint32_t)c->render.triangles,
                            (uint32_t)c->skeleton.parents,
                            (uint32_t)c->skeleton.bone_joints,
                            (uint32_t)c->skin.offsets,
                            (uint32_t)c->skin.bones,
                            (uint32_t)c->skin.weights,
                            (uint32_t)c->maps,
                            c->weld.vertices_merged};
  _Static_assert(sizeof words <= sizeof cast->view, "view");
  sup_copy(cast->view, words, sizeof words);
  return cast->view;
}

float *web_character_track(WebCharacter *cast, uint32_t clip, uint32_t track) {
  const SupCharacter *c = &cast->character;
  if (clip >= c->clip_count || track >= c->clips[clip].track_count) return NULL;
  return (float *)(uintptr_t)c->clips[clip].tracks[track].values; /* the arena is ours */
}

/* ---- Models ------------------------------------------------------------------------------------
 */

static WebModel *model_begin(const WebCharacter *cast) {
  WebModel *model = web_allocate(sizeof *model);
  if (!model) return no_memory();
  sup_zero(model, sizeof *model);
  sup_arena_init(&model->arena, web_allocator(), 0);
  model->scale = sup_body_scale(&cast->character);
  return model;
}

void web_model_free(WebModel *model) {
  if (!model) return;
  sup_arena_free(&model->arena);
  web_release(model);
}

static SupResult belongs(const SupModel *model, const SupMesh *body) {
  const SupFingerprint print = sup_fingerprint(body);
  if (sup_fingerprint_compare(&model->mesh, &print) == SUP_KIN_SAME) return SUP_OK;
  return sup_fail(
      &web_last_error, SUP_ERROR_UNSUPPORTED,
      "the %s model was made for an earlier version of this mesh; `supple view --rebind` "
      "carries it over, `supple build` makes a new one",
      sup_technique_find(NULL, model->kind)->name);
}

/* Where maps were painted since the block was packed, they win. */
static SupResult refresh(WebModel *io_model, const SupCharacter *character) {
  SupSurfaceMaps maps;
  uint32_t painted;
  SupArena *arena = &io_model->arena;
  SupError *error = &web_last_error;
  const SupModel *before = io_model->model;
  SupResult result = sup_surface_maps_create(arena, character->body.vertex_count, &maps, error);
  if (result != SUP_OK) return result;
  sup_surface_maps_of(before, &maps);
  result = sup_surface_maps_read(arena, character, &maps, &painted, error);
  if (result != SUP_OK || !painted) return result;
  if (!sup_surface_maps_differ(arena, &maps, before)) return SUP_OK;
  SupSurfaceBuildDef def = sup_surface_build_def();
  def.flags = sup_surface_view(before).flags;
  def.h = before->h;
  def.seed = 1;
  SupModel *model;
  SupSurfaceBuildReport report;
  result = sup_surface_build(arena, character, &def, &maps, &model, &report, error);
  if (result == SUP_OK) io_model->model = model;
  return result;
}

WebModel *web_model_load(WebCharacter *cast, const void *data, uint32_t bytes) {
  WebModel *model = model_begin(cast);
  if (!model) return NULL;
  const SupModel *copy = sup_arena_copy(&model->arena, data, bytes, 1);
  SupResult result = copy ? sup_model_check(copy, bytes, NULL, &web_last_error) : SUP_ERROR_MEMORY;
  if (!copy) no_memory();
  model->model = copy;
  if (result == SUP_OK) result = belongs(copy, &cast->character.body);
  if (result == SUP_OK && copy->kind == SUP_SURFACE_KIND) {
    result = refresh(model, &cast->character);
  }
  if (result == SUP_OK) return model;
  web_model_free(model);
  return NULL;
}

static SupResult find_thickness(WebCharacter *cast) {
  if (cast->thickness) return SUP_OK;
  const SupCharacter *character = &cast->character;
  SupThicknessDef def = {.character = character};
  float *thickness = SUP_ALLOC(&cast->arena, float, character->body.vertex_count);
  if (!thickness) return sup_fail_memory(&web_last_error, NULL);
  SupArena scratch;
  sup_arena_init(&scratch, web_allocator(), 0);
  SupResult result =
      sup_segments_create(&scratch, character, &def.segments, &def.segment_count, &web_last_error);
  if (result == SUP_OK) result = sup_thickness(&scratch, &def, thickness, &web_last_error);
  sup_arena_free(&scratch);
  if (result == SUP_OK) cast->thickness = thickness;
  return result;
}

WebModel *web_surface_make(WebCharacter *cast, const float *numbers) {
  SupSurfacePreset preset = {.name = "", .summary = ""};
  sup_copy(&preset.frequency, numbers, sizeof(float) * 10);
  const SupCharacter *character = &cast->character;
  SupSurfaceBuildDef def = sup_surface_build_def();
  SupSurfaceMaps maps;
  SupSurfaceBuildReport report;
  SupModel *made = NULL;
  SupError *error = &web_last_error;
  def.seed = 1;
  WebModel *model = find_thickness(cast) == SUP_OK ? model_begin(cast) : NULL;
  if (!model) return NULL;
  SupResult result =
      sup_surface_maps_create(&model->arena, character->body.vertex_count, &maps, error);
  uint32_t painted;
  if (result == SUP_OK) {
    result = sup_surface_maps_read(&model->arena, character, &maps, &painted, error);
  }
  if (result == SUP_OK) {
    sup_surface_preset_apply(&preset, character, cast->thickness, def.h, &maps);
    result = sup_surface_build(&model->arena, character, &def, &maps, &made, &report, error);
  }
  model->model = made;
  if (result == SUP_OK) return model;
  web_model_free(model);
  return NULL;
}

uint32_t web_model_kind(const WebModel *model) { return model->model->kind; }
uint32_t web_model_bytes(const WebModel *model) { return (uint32_t)model->model->bytes; }
const void *web_model_block(const WebModel *model) { return model->model; }

void web_model_map(const WebModel *model, uint32_t row, float *out_values) {
  sup_surface_get_map(model->model, row, out_values);
  const uint32_t count = sup_surface_view(model->model).skin.vertex_count;
  sup_surface_map_shown(row, model->scale, out_values, count, out_values);
}

uint32_t web_model_materials(const WebModel *model) {
  if (model->model->kind != SUP_HELPERS_KIND) return 0;
  return sup_helpers_view(model->model).material_count;
}

const char *web_model_material(const WebModel *model, uint32_t k) {
  const SupHelpersView view = sup_helpers_view(model->model);
  return sup_helpers_material(&view, k);
}

/* ---- Presets -----------------------------------------------------------------------------------
 */

uint32_t web_preset_count(void) { return sup_surface_preset_count(); }
const char *web_preset_name(uint32_t k) { return sup_surface_preset(k)->name; }
const char *web_preset_summary(uint32_t k) { return sup_surface_preset(k)->summary; }
const float *web_preset_numbers(uint32_t k) { return &sup_surface_preset(k)->frequency; }
