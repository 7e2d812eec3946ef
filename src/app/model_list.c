/* SPDX-License-Identifier: MIT */
/* The models in a character's file. */
#include "supple/app/model_list.h"

#include <string.h>

#include "supple/author/body_scale.h"
#include "supple/author/fingerprint.h"
#include "supple/author/packers.h"
#include "supple/quantity.h"
#include "supple/surface.h"

const char *sup_kind_name(uint32_t kind) {
  const SupTechnique *found = sup_technique_find(NULL, kind);
  return found ? found->name : "unknown";
}

/* ---- Surface -------------------------------------------------------------------------------- */

SupResult sup_surface_make(const SupAppContext *app, const SupCharacter *character,
                           SupSurfaceBuildDef *def, SupSurfaceMaps *io_maps,
                           const SupModel **out_model, SupSurfaceMade *out_made, SupError *error) {
  SupModel *model;
  SupSurfaceMade made = {.vertex_count = io_maps->vertex_count};
  const double began = sup_app_seconds();
  def->seed = app->seed;
  def->jobs = app->jobs;
  SupResult result =
      sup_surface_build(app->arena, character, def, io_maps, &model, &made.build, error);
  sup_app_timing(app, "surface", began);
  if (result != SUP_OK) return result;
  made.bytes = model->bytes;
  made.h = model->h;
  *out_made = made;
  *out_model = model;
  return SUP_OK;
}

static bool is_anywhere(const float *lock, uint32_t count) {
  for (uint32_t v = 0; v < count; v++) {
    if (lock[v] > 0) return true;
  }
  return false;
}

/* A map that says nothing (no limit anywhere) is left out. */
static bool says_nothing(const float *row, uint32_t count) {
  for (uint32_t v = 0; v < count; v++) {
    if (row[v] < 1e29f) return false;
  }
  return true;
}

SupResult sup_surface_put_maps(const SupAppContext *app, const SupCharacterFile *file,
                               const SupSurfaceMaps *maps, SupError *error) {
  float *values = SUP_ALLOC(app->arena, float, maps->vertex_count);
  if (!values) return sup_fail_memory(error, NULL);
  const float scale = sup_body_scale(file->character);
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < SUP_SURFACE_ALL_MAPS && result == SUP_OK; k++) {
    const char *name = sup_surface_map_name(k);
    if (k >= sup_surface_map_count(maps) || says_nothing(maps->rows[k], maps->vertex_count)) {
      result = sup_gltf_remove_map(file->document, file->found, name, error);
      continue;
    }
    sup_surface_map_shown(k, scale, maps->rows[k], maps->vertex_count, values);
    result = sup_gltf_put_map(file->document, file->found, name, values, error);
  }
  if (result != SUP_OK || !maps->lock) return result;
  /* Without it the maps above would win over what the model has locked. */
  if (is_anywhere(maps->lock, maps->vertex_count)) {
    result = sup_gltf_put_map(file->document, file->found, "lock", maps->lock, error);
  } else {
    result = sup_gltf_remove_map(file->document, file->found, "lock", error);
  }
  return result;
}

/* ---- Binding: surface ------------------------------------------------------------------------ */

/* What binding a model again works with. */
typedef struct Binding {
  const SupAppContext *app;
  const SupCharacterFile *file;
  SupSurfaceMade *made; /* out: of a surface that was packed again */
} Binding;

/* What the block says, then what was painted: if that differs, the block is packed again. */
static SupResult refresh_surface(const Binding *b, const SupModel **io_model, SupError *error) {
  SupSurfaceMaps maps;
  uint32_t painted;
  SupResult result =
      sup_surface_maps_create(b->app->arena, b->file->character->body.vertex_count, &maps, error);
  if (result != SUP_OK) return result;
  sup_surface_maps_of(*io_model, &maps);
  result = sup_surface_maps_read(b->app->arena, b->file->character, &maps, &painted, error);
  if (result != SUP_OK || !painted) return result;
  if (!sup_surface_maps_differ(b->app->arena, &maps, *io_model)) return SUP_OK;
  sup_app_note(b->app, "the maps were edited after the model was packed and take precedence\n");
  SupSurfaceBuildDef def = sup_surface_build_def();
  def.flags = sup_surface_view(*io_model).flags;
  def.h = (*io_model)->h;
  return sup_surface_make(b->app, b->file->character, &def, &maps, io_model, b->made, error);
}

/* The same numbers on the vertices as they are now, lengths in units of the body of now. */
static SupResult rebind_surface(const Binding *b, const SupRebinding *binding,
                                const SupModel **io_model, SupError *error) {
  const uint32_t n = b->file->character->body.vertex_count;
  SupSurfaceMaps maps;
  float *before = SUP_ALLOC(b->app->arena, float, n);
  if (!before) return sup_fail_memory(error, NULL);
  SupResult result = sup_surface_maps_create(b->app->arena, n, &maps, error);
  if (result != SUP_OK) return result;
  maps.normal = sup_surface_view(*io_model).flags & SUP_SURFACE_NORMAL;
  for (uint32_t row = 0; row < sup_surface_map_count(&maps); row++) {
    sup_surface_get_map(*io_model, row, before);
    const bool length = !(sup_surface_map_most(row) > 0);
    const float unit = length ? (float)(1 / binding->space.scale) : 1;
    for (uint32_t v = 0; v < n; v++) maps.rows[row][v] = unit * before[binding->then[v]];
  }
  SupSurfaceBuildDef def = sup_surface_build_def();
  def.flags = sup_surface_view(*io_model).flags;
  def.h = (*io_model)->h;
  return sup_surface_make(b->app, b->file->character, &def, &maps, io_model, b->made, error);
}

/* ---- Binding -------------------------------------------------------------------------------- */

/* How the vertices were found, and how far they are from where the model has them. */
static void tell_binding(const Binding *b, const SupModel *model, const SupRebinding *binding) {
  const SupRebindReport *r = &binding->report;
  const double metres = (double)sup_body_scale(b->file->character);
  char moved[80] = "", off[120] = "";
  if (r->moved) {
    sup_format(moved, sizeof moved, ", %s of %s vertices have a new index",
               sup_count_text(r->moved).text,
               sup_count_text(b->file->character->body.vertex_count).text);
  }
  if (!sup_rebind_exact(r)) {
    sup_format(off, sizeof off, "; vertices are up to %s from where the model has them (RMS %s)",
               sup_length_text(metres * (double)r->distance).text,
               sup_length_text(metres * (double)r->rms).text);
  }
  sup_app_note(b->app, "%s: rebound%s%s\n", sup_kind_name(model->kind), moved, off);
}

static SupResult bind(const Binding *b, bool rebind, const SupModel **io_model, SupError *error) {
  const SupMesh *body = &b->file->character->body;
  const SupModel *model = *io_model;
  const SupFingerprint print = sup_fingerprint(body);
  const SupKinship kin = sup_fingerprint_compare(&model->mesh, &print);
  if (kin == SUP_KIN_SAME) return SUP_OK;
  const char *name = sup_kind_name(model->kind);
  const SupPacker *packer = sup_packer_find(model->kind);
  if (!packer && model->kind != SUP_SURFACE_KIND) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "%s: the %s model was made for an earlier version of this mesh; build it again",
                    b->file->path, name);
  }
  if (!rebind) {
    return sup_fail(
        error, SUP_ERROR_UNSUPPORTED,
        "%s: the %s model was made for this mesh %s; give --rebind to carry it over, or "
        "build it again",
        b->file->path, name,
        kin == SUP_KIN_MOVED ? "before it was reshaped" : "in another vertex order");
  }
  SupRebinding binding;
  SupResult result = sup_rebind_body(b->app->arena, model, body, &binding, error);
  if (result == SUP_OK) tell_binding(b, model, &binding);
  if (result == SUP_OK && !packer) result = rebind_surface(b, &binding, io_model, error);
  if (result == SUP_OK && packer) {
    SupModel *again;
    result = packer->rebind(b->app->arena, b->file->character, model, &binding, &again, error);
    if (result == SUP_OK) *io_model = again;
  }
  if (result != SUP_OK) sup_error_prefix(error, "%s, %s model", b->file->path, name);
  return result;
}

/* ---- The list ------------------------------------------------------------------------------- */

static SupResult open_model(const Binding *b, const SupGltfModel *stored, bool rebind,
                            const SupModel **out_model, SupError *error) {
  const SupModel *model = sup_arena_copy(b->app->arena, stored->data, stored->bytes, 1);
  if (!model) return sup_fail_memory(error, NULL);
  SupResult result = sup_model_check(model, stored->bytes, NULL, error);
  if (result != SUP_OK) {
    sup_error_prefix(error, "%s, %s model", b->file->path, stored->kind);
    return result;
  }
  result = bind(b, rebind, &model, error);
  if (result == SUP_OK && model->kind == SUP_SURFACE_KIND) {
    result = refresh_surface(b, &model, error); /* its maps may have been painted */
  }
  if (result == SUP_OK) *out_model = model;
  return result;
}

SupResult sup_models_open(const SupAppContext *app, const SupCharacterFile *file, bool rebind,
                          SupModelList *out_models, SupSurfaceMade *out_made, SupError *error) {
  const Binding b = {app, file, out_made};
  *out_made = (SupSurfaceMade){0};
  uint32_t count = 0;
  SupGltfModel *stored = NULL;
  SupModelList models = {0};
  SupResult result =
      sup_gltf_models(file->document, file->found, app->arena, &count, &stored, error);
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    const SupModel *model = NULL;
    result = open_model(&b, &stored[k], rebind, &model, error);
    if (result == SUP_OK && sup_models_find(&models, model->kind)) {
      result = sup_fail(error, SUP_ERROR_FORMAT,
                        "%s has two %s models; build one of them again with --fresh", file->path,
                        sup_kind_name(model->kind));
    }
    if (result == SUP_OK) result = sup_models_place(&models, model, error);
  }
  if (result == SUP_OK) *out_models = models;
  return result;
}

const SupModel *sup_models_find(const SupModelList *models, uint32_t kind) {
  for (uint32_t k = 0; k < models->count; k++) {
    if (models->models[k]->kind == kind) return models->models[k];
  }
  return NULL;
}

/* What a model accounts for in a stack. */
static uint32_t traits_of(const SupTechnique *technique, const SupModel *model) {
  SupLayer layer = {.technique = technique, .model = model};
  technique->open(model, layer.view);
  if (technique->offer) technique->offer(layer.view, &layer.offer);
  return layer.offer.traits;
}

const SupModel *sup_models_with(const SupModelList *models, SupTrait trait, SupStage stage,
                                uint32_t except) {
  for (uint32_t k = 0; k < models->count; k++) {
    const SupModel *model = models->models[k];
    const SupTechnique *technique = sup_technique_find(NULL, model->kind);
    if (!technique || model->kind == except) continue;
    if (stage != SUP_STAGE_COUNT && technique->stage != stage) continue;
    if (traits_of(technique, model) & trait) return model;
  }
  return NULL;
}

SupResult sup_models_player(const SupAppContext *app, const SupCharacter *character,
                            const SupModelList *models, SupSampleOrder order,
                            SupPlainSkinning skinning, SupPlayer *out_player, SupError *error) {
  SupPlayerDef def = sup_player_def();
  def.character = character;
  def.model_count = models->count;
  def.models = models->models;
  def.order = order;
  def.dual_quaternions = skinning == SUP_PLAIN_DQS;
  def.jobs = app->jobs;
  return sup_player_create(app->arena, &def, out_player, error);
}

SupResult sup_models_place(SupModelList *io_models, const SupModel *model, SupError *error) {
  uint32_t place = 0;
  for (uint32_t k = 0; k < io_models->count; k++) {
    if (io_models->models[k]->kind == model->kind) {
      io_models->models[k] = model;
      return SUP_OK;
    }
    if (sup_stack_stage(NULL, io_models->models[k]->kind) <= sup_stack_stage(NULL, model->kind)) {
      place = k + 1;
    }
  }
  if (io_models->count == SUP_STACK_MODELS) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED, "more than %d models in one file; use --fresh",
                    SUP_STACK_MODELS);
  }
  memmove(io_models->models + place + 1, io_models->models + place,
          (io_models->count - place) * sizeof(SupModel *));
  io_models->models[place] = model;
  io_models->count++;
  return SUP_OK;
}

SupResult sup_models_put(const SupCharacterFile *file, const SupModelList *models,
                         SupError *error) {
  SupGltfModel list[SUP_STACK_MODELS];
  for (uint32_t k = 0; k < models->count; k++) {
    const SupModel *model = models->models[k];
    list[k] =
        (SupGltfModel){sup_kind_name(model->kind), (const uint8_t *)model, (size_t)model->bytes};
  }
  return sup_gltf_put_models(file->document, file->found, models->count, list, error);
}
