/* SPDX-License-Identifier: MIT */
/* The models in a character's file. */
#include "models.h"

#include <string.h>

#include "formats.h"
#include "supple/author/correctives_pack.h"
#include "supple/author/fingerprint.h"
#include "supple/author/helpers_pack.h"
#include "supple/author/modes_pack.h"
#include "supple/author/popping_pack.h"
#include "supple/surface.h"

const char *cli_kind_name(uint32_t kind) {
  const SupTechnique *found = sup_technique_find(NULL, kind);
  return found ? found->name : "unknown";
}

/* ---- Surface -------------------------------------------------------------------------------- */

SupResult cli_surface_build(CliContext *cli, const CliActor *actor, SupSurfaceBuildDef *def,
                            SupSurfaceMaps *io_maps, const SupModel **out_model, SupError *error) {
  SupModel *model;
  SupSurfaceBuildReport report;
  double began = cli_seconds();
  def->seed = cli->seed;
  def->jobs = cli->jobs;
  SupResult result =
      sup_surface_build(cli->arena, actor->character, def, io_maps, &model, &report, error);
  cli_timing(cli, "surface", began);
  if (result != SUP_OK) return result;
  cli_report_begin_object(cli->report, "surface");
  cli_report_integer(cli->report, "vertices", io_maps->vertex_count);
  cli_report_integer(cli->report, "limited", report.limited);
  cli_report_integer(cli->report, "calmed", report.calmed);
  cli_report_float(cli->report, "drag_added", report.drag_added);
  cli_report_number(cli->report, "growth", report.probe.growth);
  cli_report_integer(cli->report, "bytes", (int64_t)model->bytes);
  cli_report_end(cli->report);
  cli_say(cli, "surface: %s vertices, ", cli_count_text(io_maps->vertex_count).text);
  if (report.probe.growth > 1e-6) {
    cli_say(cli, "a disturbance decays to %.4g per step", report.probe.growth);
  } else {
    cli_say(cli, "all of which follow their bones");
  }
  if (report.limited) {
    cli_say(cli, "; %s vertices limited", cli_count_text(report.limited).text);
  }
  if (report.drag_added > 0) {
    cli_say(cli, "; drag of %s raised by up to %.2g to be stable",
            cli_count_text(report.calmed).text, (double)report.drag_added);
  }
  cli_say(cli, "\n");
  *out_model = model;
  return SUP_OK;
}

/* A map that says nothing (no limit anywhere) is left out. */
static bool says_nothing(const float *row, uint32_t count) {
  for (uint32_t v = 0; v < count; v++) {
    if (row[v] < 1e29f) return false;
  }
  return true;
}

SupResult cli_surface_put_maps(CliContext *cli, const CliActor *actor, const SupSurfaceMaps *maps,
                               SupError *error) {
  float *values = SUP_ALLOC(cli->arena, float, maps->vertex_count);
  if (!values) return sup_fail_memory(error, NULL);
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < SUP_SURFACE_ALL_MAPS && result == SUP_OK; k++) {
    const char *name = sup_surface_map_name(k);
    if (k >= sup_surface_map_count(maps) || says_nothing(maps->rows[k], maps->vertex_count)) {
      result = sup_gltf_remove_map(actor->document, actor->found, name, error);
      continue;
    }
    sup_surface_map_shown(k, maps->rows[k], maps->vertex_count, values);
    result = sup_gltf_put_map(actor->document, actor->found, name, values, error);
  }
  return result;
}

/* What the block says, then what was painted: if that differs, the block is packed again. */
static SupResult refresh_surface(CliContext *cli, const CliActor *actor, const SupModel **io_model,
                                 SupError *error) {
  SupSurfaceMaps maps;
  uint32_t painted;
  SupResult result =
      sup_surface_maps_create(cli->arena, actor->character->body.vertex_count, &maps, error);
  if (result != SUP_OK) return result;
  sup_surface_maps_of(*io_model, &maps);
  result = sup_surface_maps_read(cli->arena, actor->character, &maps, &painted, error);
  if (result != SUP_OK || !painted) return result;
  if (!sup_surface_maps_differ(cli->arena, &maps, *io_model)) return SUP_OK;
  cli_say(cli, "the maps were edited after the model was packed and take precedence\n");
  SupSurfaceBuildDef def = sup_surface_build_def();
  def.flags = sup_surface_view(*io_model).flags;
  def.h = (*io_model)->h;
  return cli_surface_build(cli, actor, &def, &maps, io_model, error);
}

/* The same numbers on the vertices as they are now: then[v] is the model's number of vertex v. */
static SupResult rebind_surface(CliContext *cli, const CliActor *actor, const uint32_t *then,
                                const SupModel **io_model, SupError *error) {
  const uint32_t n = actor->character->body.vertex_count;
  SupSurfaceMaps maps;
  float *before = SUP_ALLOC(cli->arena, float, n);
  if (!before) return sup_fail_memory(error, NULL);
  SupResult result = sup_surface_maps_create(cli->arena, n, &maps, error);
  if (result != SUP_OK) return result;
  maps.normal = sup_surface_view(*io_model).flags & SUP_SURFACE_NORMAL;
  for (uint32_t row = 0; row < sup_surface_map_count(&maps); row++) {
    sup_surface_get_map(*io_model, row, before);
    for (uint32_t v = 0; v < n; v++) maps.rows[row][v] = before[then[v]];
  }
  SupSurfaceBuildDef def = sup_surface_build_def();
  def.flags = sup_surface_view(*io_model).flags;
  def.h = (*io_model)->h;
  return cli_surface_build(cli, actor, &def, &maps, io_model, error);
}

/* ---- Skin ----------------------------------------------------------------------------------- */

static SupResult rebind_skin(CliContext *cli, const CliActor *actor, const uint32_t *then,
                             const SupModel **io_model, SupError *error) {
  (void)then;
  SupModel *model;
  SupResult result = sup_skin_model(cli->arena, actor->character, SUP_ORDER_BODY, &model, error);
  if (result == SUP_OK) *io_model = model;
  return result;
}

/* ---- Modes ---------------------------------------------------------------------------------- */

static SupResult rebind_modes(CliContext *cli, const CliActor *actor, const uint32_t *then,
                              const SupModel **io_model, SupError *error) {
  const uint32_t n = actor->character->body.vertex_count;
  SupModesDef def;
  SupModel *model;
  SupResult result = sup_modes_unpack(cli->arena, *io_model, &def, error);
  if (result != SUP_OK) return result;
  const SupVec3 **rows[2] = {&def.shapes, &def.turns};
  for (int r = 0; r < 2 && *rows[r]; r++) {
    SupVec3 *moved = SUP_ALLOC(cli->arena, SupVec3, (size_t)def.mode_count * n);
    if (!moved) return sup_fail_memory(error, NULL);
    for (size_t k = 0; k < def.mode_count; k++) {
      for (uint32_t v = 0; v < n; v++) moved[k * n + v] = (*rows[r])[k * n + then[v]];
    }
    *rows[r] = moved;
  }
  result = sup_modes_pack(cli->arena, actor->character, &def, &model, error);
  if (result == SUP_OK) *io_model = model;
  return result;
}

/* ---- Correctives ---------------------------------------------------------------------------- */

static SupResult rebind_correctives(CliContext *cli, const CliActor *actor, const uint32_t *then,
                                    const SupModel **io_model, SupError *error) {
  const uint32_t n = actor->character->body.vertex_count;
  SupCorrectivesDef def;
  SupModel *model;
  SupResult result = sup_correctives_unpack(cli->arena, *io_model, &def, error);
  if (result != SUP_OK) return result;
  SupVec3 *shapes = SUP_ALLOC(cli->arena, SupVec3, (size_t)def.component_count * n);
  if (!shapes) return sup_fail_memory(error, NULL);
  for (size_t k = 0; k < def.component_count; k++) {
    for (uint32_t v = 0; v < n; v++) shapes[k * n + v] = def.shapes[k * n + then[v]];
  }
  def.shapes = shapes;
  result = sup_correctives_pack(cli->arena, actor->character, &def, &model, error);
  if (result == SUP_OK) *io_model = model;
  return result;
}

/* ---- Popping -------------------------------------------------------------------------------- */

static SupResult rebind_popping(CliContext *cli, const CliActor *actor, const uint32_t *then,
                                const SupModel **io_model, SupError *error) {
  const uint32_t n = actor->character->body.vertex_count;
  SupPoppingDef def;
  SupModel *model;
  SupResult result = sup_popping_unpack(cli->arena, *io_model, &def, error);
  if (result != SUP_OK) return result;
  const size_t pairs = def.postures.component_count;
  const SupVec3 **rows[2] = {&def.postures.shapes, &def.bulges};
  for (int r = 0; r < 2; r++) {
    SupVec3 *moved = SUP_ALLOC(cli->arena, SupVec3, pairs * n);
    if (!moved) return sup_fail_memory(error, NULL);
    for (size_t k = 0; k < pairs; k++) {
      for (uint32_t v = 0; v < n; v++) moved[k * n + v] = (*rows[r])[k * n + then[v]];
    }
    *rows[r] = moved;
  }
  double *swing = SUP_ALLOC(cli->arena, double, 2 * (size_t)n);
  float *masks = SUP_ALLOC(cli->arena, float, (size_t)def.group_count *n);
  SupPoppingMask *groups = SUP_COPY(cli->arena, SupPoppingMask, def.groups, def.group_count);
  if (!swing || !masks || !groups) return sup_fail_memory(error, NULL);
  for (uint32_t v = 0; v < n; v++) {
    swing[v] = def.keep[then[v]];
    swing[n + v] = def.pull[then[v]];
    for (size_t g = 0; g < def.group_count; g++) masks[g * n + v] = groups[g].values[then[v]];
  }
  for (size_t g = 0; g < def.group_count; g++) groups[g].values = masks + g * n;
  def.keep = swing;
  def.pull = swing + n;
  def.groups = groups;
  result = sup_popping_pack(cli->arena, actor->character, &def, &model, error);
  if (result == SUP_OK) *io_model = model;
  return result;
}

/* ---- Helpers -------------------------------------------------------------------------------- */

static SupResult rebind_helpers(CliContext *cli, const CliActor *actor, const uint32_t *then,
                                const SupModel **io_model, SupError *error) {
  (void)then; /* its weights are the file's */
  SupModel *model;
  SupResult result = sup_helpers_repack(cli->arena, actor->character, *io_model, &model, error);
  if (result == SUP_OK) *io_model = model;
  return result;
}

/* ---- Kinds ---------------------------------------------------------------------------------- */

/* What the tool can do to a model of a kind that it finds in a file. */
typedef struct KindCare {
  uint32_t kind;
  SupResult (*rebind)(CliContext *, const CliActor *, const uint32_t *then, const SupModel **,
                      SupError *);
  SupResult (*refresh)(CliContext *, const CliActor *, const SupModel **, SupError *); /* or NULL */
} KindCare;

static const KindCare cares[] = {
    {SUP_SKIN_KIND, rebind_skin, NULL},       {SUP_CORRECTIVES_KIND, rebind_correctives, NULL},
    {SUP_HELPERS_KIND, rebind_helpers, NULL}, {SUP_MODES_KIND, rebind_modes, NULL},
    {SUP_POPPING_KIND, rebind_popping, NULL}, {SUP_SURFACE_KIND, rebind_surface, refresh_surface},
};

static const KindCare *care_of(uint32_t kind) {
  for (size_t k = 0; k < sizeof cares / sizeof *cares; k++) {
    if (cares[k].kind == kind) return &cares[k];
  }
  return NULL;
}

/* ---- Binding -------------------------------------------------------------------------------- */

static SupResult find_vertices(CliContext *cli, const CliActor *actor, const SupModel *model,
                               SupKinship kin, uint32_t *out_then, SupError *error) {
  const SupMesh *now = &actor->character->body;
  if (kin == SUP_KIN_MOVED) { /* reshaped, but the vertices are the same */
    for (uint32_t v = 0; v < now->vertex_count; v++) out_then[v] = v;
    return SUP_OK;
  }
  uint64_t count = 0;
  const SupVec3 *rest = sup_model_section(model, SUP_SECTION_REST, sizeof *rest, &count);
  const SupMesh then = {.vertex_count = (uint32_t)count, .positions = rest};
  SupRebindReport report;
  SupResult result = sup_rebind(cli->arena, &then, now, 0, out_then, &report, error);
  if (result != SUP_OK) return result;
  cli_say(cli, "%s: bound again, %s of %s vertices have new numbers\n", cli_kind_name(model->kind),
          cli_count_text(report.moved).text, cli_count_text(now->vertex_count).text);
  return SUP_OK;
}

static SupResult bind(CliContext *cli, const CliActor *actor, bool rebind,
                      const SupModel **io_model, SupError *error) {
  const SupMesh *body = &actor->character->body;
  const SupModel *model = *io_model;
  const SupFingerprint print = sup_fingerprint(body);
  const SupKinship kin = sup_fingerprint_compare(&model->mesh, &print);
  if (kin == SUP_KIN_SAME) return SUP_OK;
  const char *name = cli_kind_name(model->kind);
  const KindCare *care = care_of(model->kind);
  if (!care) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "%s: the %s model was made for another state of this mesh; build it again",
                    actor->path, name);
  }
  if (!rebind) {
    return sup_fail(
        error, SUP_ERROR_UNSUPPORTED,
        "%s: the %s model was made for this mesh %s; give --rebind to carry it over, or "
        "build it again",
        actor->path, name,
        kin == SUP_KIN_MOVED ? "before it was reshaped" : "in another vertex order");
  }
  uint32_t *then = SUP_ALLOC(cli->arena, uint32_t, body->vertex_count);
  if (!then) return sup_fail_memory(error, NULL);
  SupResult result = find_vertices(cli, actor, model, kin, then, error);
  if (result == SUP_OK) result = care->rebind(cli, actor, then, io_model, error);
  if (result != SUP_OK) sup_error_prefix(error, "%s, %s model", actor->path, name);
  return result;
}

/* ---- The list ------------------------------------------------------------------------------- */

static SupResult open_model(CliContext *cli, const CliActor *actor, const SupGltfModel *stored,
                            bool rebind, const SupModel **out_model, SupError *error) {
  const SupModel *model = sup_arena_copy(cli->arena, stored->data, stored->bytes, 1);
  if (!model) return sup_fail_memory(error, NULL);
  SupResult result = sup_model_check(model, stored->bytes, NULL, error);
  if (result != SUP_OK) {
    sup_error_prefix(error, "%s, %s model", actor->path, stored->kind);
    return result;
  }
  result = bind(cli, actor, rebind, &model, error);
  const KindCare *care = care_of(model->kind);
  if (result == SUP_OK && care && care->refresh) result = care->refresh(cli, actor, &model, error);
  if (result == SUP_OK) *out_model = model;
  return result;
}

SupResult cli_models_open(CliContext *cli, const CliActor *actor, bool rebind,
                          CliModels *out_models, SupError *error) {
  uint32_t count;
  SupGltfModel *stored;
  CliModels models = {0};
  SupResult result =
      sup_gltf_models(actor->document, actor->found, cli->arena, &count, &stored, error);
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    const SupModel *model = NULL;
    result = open_model(cli, actor, &stored[k], rebind, &model, error);
    if (result == SUP_OK && cli_models_find(&models, model->kind)) {
      result = sup_fail(error, SUP_ERROR_FORMAT,
                        "%s holds two %s models; build one of them with --fresh", actor->path,
                        cli_kind_name(model->kind));
    }
    if (result == SUP_OK) result = cli_models_place(&models, model, error);
  }
  if (result == SUP_OK) *out_models = models;
  return result;
}

const SupModel *cli_models_find(const CliModels *models, uint32_t kind) {
  for (uint32_t k = 0; k < models->count; k++) {
    if (models->models[k]->kind == kind) return models->models[k];
  }
  return NULL;
}

SupResult cli_models_player(CliContext *cli, const SupCharacter *character, const CliModels *models,
                            SupSampleOrder order, CliSkinning skinning, SupPlayer *out_player,
                            SupError *error) {
  SupPlayerDef def = sup_player_def();
  def.character = character;
  def.model_count = models->count;
  def.models = models->models;
  def.order = order;
  def.dual_quaternions = skinning == CLI_SKINNING_DQS;
  def.jobs = cli->jobs;
  return sup_player_create(cli->arena, &def, out_player, error);
}

SupResult cli_models_place(CliModels *io_models, const SupModel *model, SupError *error) {
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

SupResult cli_models_put(const CliActor *actor, const CliModels *models, SupError *error) {
  SupGltfModel list[SUP_STACK_MODELS];
  for (uint32_t k = 0; k < models->count; k++) {
    const SupModel *model = models->models[k];
    list[k] =
        (SupGltfModel){cli_kind_name(model->kind), (const uint8_t *)model, (size_t)model->bytes};
  }
  return sup_gltf_put_models(actor->document, actor->found, models->count, list, error);
}
