/* SPDX-License-Identifier: MIT */
/* The stored set-up of curves: what is the same for every clip, made once. */
#include <string.h>

#include "app/curves_parts.h"
#include "supple/author/fingerprint.h"
#include "supple/author/rigspace_pack.h"
#include "supple/io/file.h"
#include "supple/io/rig_file.h"

/* ---- Packing -------------------------------------------------------------------------------- */

static SupRigspaceNumbers numbers_of(const CurvesJob *job) {
  const SupCurvesReport *report = job->report;
  const SupFleshChoice *flesh = &report->flesh;
  const SupMaterialDef *material = &job->material;
  return (SupRigspaceNumbers){.character = sup_rigspace_character_key(job->file->character),
                              .process = job->process ? sup_curves_process_key(job) : 0,
                              .surface_count = job->volume.surface_count,
                              .example_count = report->example_count,
                              .material_kind = (uint64_t)material->kind,
                              .clip_count = flesh->clip_count,
                              .scale = job->volume_scale,
                              .unit = job->unit,
                              .young = material->young,
                              .poisson = material->poisson,
                              .density = material->density,
                              .damping = material->damping,
                              .drag = material->drag,
                              .stiffening = material->stiffening,
                              .size = flesh->size,
                              .natural = flesh->natural,
                              .frequency = flesh->frequency,
                              .flesh_young = flesh->young,
                              .ratio = flesh->damping,
                              .felt = flesh->felt,
                              .swing = flesh->swing};
}

SupResult sup_curves_pack_setup(CurvesJob *job, const SupModel **out_model, SupError *error) {
  const SupDrivenVolume *volume = &job->volume;
  SupRigspaceSetup setup = {.numbers = numbers_of(job),
                            .name = job->description.name,
                            .volume = volume->mesh,
                            .skin_count = volume->skin_count,
                            .skin = volume->skin,
                            .corners = volume->corners,
                            .weights = volume->weights,
                            .fractions = volume->fractions,
                            .inside_count = job->inside.inside_count,
                            .offsets = job->inside.offsets,
                            .nodes = job->inside.nodes,
                            .inside = job->inside.weights};
  SupModel *model;
  SupResult result = SUP_OK;
  if (!job->process) {
    size_t bytes;
    result = sup_rig_file_text(job->app->arena, &job->description, &setup.rig, &bytes, error);
    setup.rig_bytes = bytes;
  }
  if (result == SUP_OK) {
    result = sup_rigspace_pack(job->app->arena, job->file->character, &setup, &model, error);
  }
  if (result == SUP_OK) *out_model = model;
  return result;
}

/* ---- Reading -------------------------------------------------------------------------------- */

static SupResult read_block(const CurvesJob *job, const SupModel **out_model, SupError *error) {
  const char *path = job->def->setup;
  const uint8_t *data;
  size_t bytes;
  SupResult result = sup_file_read(job->app->arena, path, &data, &bytes, error);
  if (result != SUP_OK) return result;
  if (bytes < 4 || memcmp(data, "SUPM", 4) != 0) {
    return sup_fail(error, SUP_ERROR_FORMAT,
                    "--setup: %s is no set-up (.supple); make one with `supple build rigspace`",
                    path);
  }
  result = sup_model_check_container(data, bytes, error);
  const SupModel *model = (const SupModel *)data;
  if (result == SUP_OK && model->kind != SUP_RIGSPACE_KIND) {
    result = sup_fail(error, SUP_ERROR_ARGUMENT,
                      "this is another model, no set-up; make one with `supple build rigspace`");
  }
  if (result == SUP_OK) result = sup_model_check(data, bytes, sup_rigspace_techniques, error);
  if (result != SUP_OK) sup_error_prefix(error, "--setup: %s", path);
  *out_model = model;
  return result;
}

/* Whether the set-up is this character's. */
static SupResult check_character(const CurvesJob *job, const SupModel *model,
                                 const SupRigspaceSetup *setup, SupError *error) {
  const SupFingerprint mesh = sup_fingerprint(&job->file->character->body);
  const bool same = sup_fingerprint_compare(&model->mesh, &mesh) == SUP_KIN_SAME;
  if (same && setup->numbers.character == sup_rigspace_character_key(job->file->character)) {
    return SUP_OK;
  }
  return sup_fail(error, SUP_ERROR_ARGUMENT,
                  "--setup: %s was made for another %s than that of %s; build it again",
                  job->def->setup, same ? "skeleton, skin or morph targets" : "mesh",
                  job->file->path);
}

/* Its rig: in the set-up, or the process that is asked now as well. */
static SupResult take_rig(CurvesJob *job, const SupRigspaceSetup *setup, SupError *error) {
  if ((setup->numbers.process != 0) != (job->def->rig_command != NULL)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    setup->numbers.process
                        ? "--setup: %s was made with a rig process; give --rig-command as well"
                        : "--setup: %s has a rig of its own; leave --rig-command out",
                    job->def->setup);
  }
  if (!setup->numbers.process) {
    SupResult result = sup_rig_file_parse(job->app->arena, setup->rig, (size_t)setup->rig_bytes,
                                          job->def->setup, &job->description, error);
    job->description.name = setup->name;
    return result;
  }
  SupResult result = sup_curves_process_open(job, error);
  if (result == SUP_OK && setup->numbers.process != sup_curves_process_key(job)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--setup: %s was made with a rig process of other parameters; build it again",
                    job->def->setup);
  }
  return result;
}

static void take_flesh(CurvesJob *job, const SupRigspaceNumbers *n) {
  job->volume_scale = n->scale;
  job->unit = n->unit;
  job->material = (SupMaterialDef){.kind = (SupMaterialKind)n->material_kind,
                                   .young = n->young,
                                   .poisson = n->poisson,
                                   .density = n->density,
                                   .damping = n->damping,
                                   .drag = n->drag,
                                   .stiffening = n->stiffening};
  job->report->flesh = (SupFleshChoice){.unit = n->unit,
                                        .size = n->size,
                                        .natural = n->natural,
                                        .frequency = n->frequency,
                                        .young = n->flesh_young,
                                        .damping = n->ratio,
                                        .felt = n->felt,
                                        .swing = n->swing,
                                        .clip_count = (uint32_t)n->clip_count};
}

SupResult sup_curves_read_setup(CurvesJob *job, SupError *error) {
  const SupModel *model = NULL;
  SupCurvesReport *report = job->report;
  SupResult result = read_block(job, &model, error);
  if (result != SUP_OK) return result;
  const SupRigspaceSetup setup = sup_rigspace_setup(model);
  result = check_character(job, model, &setup, error);
  if (result == SUP_OK) result = take_rig(job, &setup, error);
  if (result != SUP_OK) return result;
  job->volume = (SupDrivenVolume){.mesh = setup.volume,
                                  .surface_count = (uint32_t)setup.numbers.surface_count,
                                  .skin_count = setup.skin_count,
                                  .skin = setup.skin,
                                  .corners = setup.corners,
                                  .weights = setup.weights,
                                  .fractions = setup.fractions};
  if (setup.inside_count > 0) {
    job->inside =
        (SupRigspaceWeights){setup.inside_count, setup.offsets, setup.nodes, setup.inside};
  }
  take_flesh(job, &setup.numbers);
  report->tet_count = setup.volume.tet_count;
  report->surface_count = job->volume.surface_count;
  report->inside_count = setup.volume.node_count - job->volume.surface_count;
  if (!setup.inside_count || job->def->balance) return SUP_OK;
  report->example_count = (uint32_t)setup.numbers.example_count;
  report->weight_mean = (double)setup.offsets[setup.inside_count] / setup.inside_count;
  return SUP_OK;
}
