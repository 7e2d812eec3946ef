/* SPDX-License-Identifier: MIT */
/* Secondary motion on every clip of a character. */
#include "supple/app/add_character.h"

#include "app/add_play.h"
#include "supple/app/learn_character.h"

#define COOKIE 0x41646421u
#define BASIS_FRAMES 150  /* that the weights of helpers are found from */
#define LEARNING_POSES 60 /* half of what learning takes by itself */

typedef struct Job {
  const SupAppContext *app;
  const SupAddDef *def;
  SupAddReport *report;
  SupCharacterFile file;
} Job;

SupAddDef sup_add_def(void) {
  return (SupAddDef){.cookie = COOKIE, .open = sup_open_def(), .bake = sup_bake_character_def()};
}

static void tell(const Job *job, SupAddStage stage) {
  if (job->def->stage) job->def->stage(job->def->user, stage, job->report);
}

/* Refuses what changes flesh by a preset where it does not come from one. */
static SupResult refuse(const SupAddDef *def, const char *path, SupError *error) {
  const struct {
    const char *name;
    bool given;
  } options[] = {{"amount", def->has_amount},
                 {"only", def->only.count > 0},
                 {"not", def->except.count > 0},
                 {"preset", def->preset != NULL}};
  for (int k = 0; k < (def->learn ? 4 : 3); k++) {
    if (!options[k].given) continue;
    if (def->learn) {
      return sup_fail(
          error, SUP_ERROR_ARGUMENT,
          "--%s changes flesh from a preset, not what --learn learns; leave one of them out",
          options[k].name);
    }
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "%s already has models, which are played as they are, so --%s has no effect; "
                    "leave it out, or give --preset to replace them",
                    path, options[k].name);
  }
  return SUP_OK;
}

/* Learns into the document, in place of the models that it has. */
static SupResult learn(Job *job, SupError *error) {
  const SupAppContext inside = sup_app_inside(job->app);
  SupLearnCharacterDef def = sup_learn_character_def(&inside, &job->file);
  def.pose_count = LEARNING_POSES;
  def.skip_surface = true;
  sup_app_note(job->app, "learning from a simulation of this character, which takes minutes ...\n");
  SupResult result = sup_learn_character(&inside, &job->file, &def, &job->report->learn, error);
  if (result == SUP_OK) result = sup_learn_put(&job->file, &job->report->learn, error);
  job->report->learned = result == SUP_OK;
  if (result == SUP_OK) tell(job, SUP_ADD_LEARNED);
  return result;
}

/* The models that are played. */
static SupResult find_flesh(Job *job, SupModelList *out_models, SupError *error) {
  SupAddReport *report = job->report;
  SupResult result =
      sup_models_open(job->app, &job->file, job->def->rebind, out_models, &report->repacked, error);
  if (result != SUP_OK) return result;
  tell(job, SUP_ADD_OPENED);
  if (out_models->count && !job->def->preset) {
    if (!job->def->learn) result = refuse(job->def, job->file.path, error);
    report->as_it_is = true;
  } else {
    if (out_models->count) sup_note_helper_joints(job->app, &job->file);
    result = sup_add_flesh(job->app, job->file.character, job->def, report, out_models, error);
  }
  if (result == SUP_OK) tell(job, SUP_ADD_FLESH);
  return result;
}

/* The character with its models, written for the page and for painting. */
static SupResult save_live(Job *job, const SupModelList *models, SupError *error) {
  const SupSurfaceMaps *maps = &job->report->parts.maps;
  SupCharacterFile *file = &job->file;
  SupResult result = SUP_OK;
  if (maps->vertex_count) result = sup_surface_put_maps(job->app, file, maps, error);
  if (result == SUP_OK) result = sup_models_put(file, models, error);
  if (result == SUP_OK) {
    result = sup_gltf_save(file->document, job->def->live, SUP_GLTF_BY_NAME, error);
  }
  if (result == SUP_OK) tell(job, SUP_ADD_LIVE);
  return result;
}

/* What was written into the document does not belong into the output. */
static SupResult open_again(Job *job, SupError *error) {
  SupCharacterFile *file = &job->file;
  if (!job->def->live && !job->def->learn) return SUP_OK;
  sup_character_close(file);
  return sup_file_open(job->app, file->path, &job->def->open, &file->document, error);
}

/* Everything with an open character. */
static SupResult add(Job *job, const char *output, SupError *error) {
  SupAddReport *report = job->report;
  SupModelList models;
  SupShow show;
  if (job->file.character->skeleton.bone_count == 0) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "%s has no skinned mesh; bind the mesh to a skeleton first", job->file.path);
  }
  SupResult result = job->def->learn ? learn(job, error) : SUP_OK;
  if (result == SUP_OK) result = find_flesh(job, &models, error);
  if (result == SUP_OK) {
    result = sup_show_create(job->app, &job->file, &models, &job->def->clips, &show, error);
  }
  if (result == SUP_OK && job->def->live) result = save_live(job, &models, error);
  if (result == SUP_OK) result = open_again(job, error);
  if (result != SUP_OK) return result;
  report->baked = job->def->bake;
  report->baked.motion_count = show.clip_count;
  report->baked.motions = show.motions;
  report->baked.basis_frames = BASIS_FRAMES;
  report->size = show.size;
  report->clip_count = show.clip_count;
  report->clips = show.found;
  result = sup_bake_character(job->app, &job->file, &report->baked, output, &report->bake, error);
  if (result != SUP_OK) return result;
  tell(job, SUP_ADD_BAKED);
  const double began = sup_app_seconds();
  result = sup_show_measure(&show, &job->file, &job->def->open, output, error);
  sup_app_timing(job->app, "measure", began);
  if (result == SUP_OK) tell(job, SUP_ADD_MEASURED);
  return result;
}

SupResult sup_add_character(const SupAppContext *app, const char *path, const SupAddDef *def,
                            const char *output, SupAddReport *out_report, SupError *error) {
  Job job = {.app = app, .def = def, .report = out_report};
  if (def->cookie != COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "add: start from sup_add_def()");
  }
  *out_report = (SupAddReport){.learned = false};
  SupResult result = def->learn ? refuse(def, path, error) : SUP_OK;
  if (result != SUP_OK) return result;
  result = sup_character_open(app, path, &def->open, &job.file, error);
  if (result != SUP_OK) return result;
  out_report->character = job.file.character;
  result = add(&job, output, error);
  sup_character_close(&job.file);
  return result;
}
