/* SPDX-License-Identifier: MIT */
/* Secondary motion on every clip of a character. */
#include "supple/app/add_character.h"

#include <string.h>
#include <strings.h>

#include "app/add_play.h"
#include "supple/app/learn_character.h"
#include "supple/author/baked.h"
#include "supple/io/file.h"

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
                 {"preset", def->preset != NULL && def->learn},
                 {"lock", def->lock.lock.count > 0 && !def->learn},
                 {"unlock", def->lock.unlock.count > 0 && !def->learn}};
  for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
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

static void tell_locked(void *user, const SupHardParts *hard) {
  Job *job = user;
  job->report->hard = *hard;
  tell(job, SUP_ADD_LOCKED);
}

static void keep_chosen(void *user, const SupFleshChoice *choice) {
  Job *job = user;
  job->report->flesh = *choice;
}

/* Learns into the document, in place of the models that it has. */
static SupResult learn(Job *job, SupError *error) {
  const SupAppContext inside = sup_app_inside(job->app);
  SupLearnCharacterDef def = sup_learn_character_def(&inside, &job->file);
  def.pose_count = LEARNING_POSES;
  def.skip_surface = true;
  def.lock = job->def->lock;
  def.flesh.unit = job->def->unit;
  def.flesh.allow_inverted = true; /* one pose of many is no reason to give up after minutes */
  def.locked = tell_locked;
  def.chosen = keep_chosen;
  def.user = job;
  sup_app_note(job->app, "learning from a simulation of this character, which takes minutes ...\n");
  SupResult result = sup_learn_character(&inside, &job->file, &def, &job->report->learn, error);
  if (result == SUP_OK) result = sup_learn_put(&job->file, &job->report->learn, error);
  job->report->learned = result == SUP_OK;
  if (result == SUP_OK) tell(job, SUP_ADD_LEARNED);
  return result;
}

static SupResult nothing_moves(const Job *job, SupError *error) {
  return sup_fail(error, SUP_ERROR_ARGUMENT,
                  "--only and --lock leave nothing of %s that can move; name fewer bones "
                  "(`supple info --bones` shows what hangs on each)",
                  job->file.path);
}

static bool all_locked(const float *lock, uint32_t count) {
  for (uint32_t v = 0; v < count; v++) {
    if (lock[v] < 0.999f) return false; /* weights hardly sum to 1 */
  }
  return true;
}

/* What is not flesh, where learning has not asked for it already. */
static SupResult lock(Job *job, SupError *error) {
  SupHardParts *hard = &job->report->hard;
  if (job->report->learned) return SUP_OK;
  SupResult result = sup_lock_character(job->app, &job->file, &job->def->lock, hard, error);
  if (result != SUP_OK) return result;
  if (job->def->lock.lock.count && hard->lock &&
      all_locked(hard->lock, job->file.character->body.vertex_count)) {
    return nothing_moves(job, error);
  }
  tell(job, SUP_ADD_LOCKED);
  return SUP_OK;
}

/* The character without the maps of a surface that is replaced, if they are as it was packed: those
 * are the old preset's numbers and nobody's paint, and would make the new preset look like it. */
static const SupCharacter *without_maps(const Job *job, const SupModelList *models) {
  const SupCharacter *character = job->file.character;
  if (!sup_models_find(models, SUP_SURFACE_KIND) || job->report->repacked.vertex_count) {
    return character;
  }
  SupCharacter *copy = SUP_COPY(job->app->arena, SupCharacter, character, 1);
  SupMap *maps = SUP_COPY(job->app->arena, SupMap, character->maps, character->map_count);
  if (!copy || !maps) return NULL;
  copy->map_count = 0;
  for (uint32_t k = 0; k < character->map_count; k++) {
    if (sup_surface_map_row(maps[k].name) < SUP_SURFACE_ALL_MAPS) continue;
    maps[copy->map_count++] = maps[k];
  }
  copy->maps = maps;
  return copy;
}

/* The models that are played. */
static SupResult find_flesh(Job *job, SupModelList *out_models, SupError *error) {
  SupAddReport *report = job->report;
  SupResult result =
      sup_models_open(job->app, &job->file, job->def->rebind, out_models, &report->repacked, error);
  report->as_it_is = result == SUP_OK && out_models->count && !job->def->preset;
  if (result == SUP_OK && !report->as_it_is) result = lock(job, error);
  if (result != SUP_OK) return result;
  tell(job, SUP_ADD_OPENED);
  if (report->as_it_is) {
    if (!job->def->learn) result = refuse(job->def, job->file.path, error);
  } else {
    if (out_models->count) sup_note_helper_joints(job->app, &job->file);
    const SupCharacter *bare = without_maps(job, out_models);
    if (!bare) return sup_fail_memory(error, NULL);
    result = sup_add_flesh(job->app, bare, job->def, report, out_models, error);
  }
  const bool chosen = job->def->only.count || job->def->lock.lock.count;
  if (result == SUP_OK && !report->as_it_is && chosen && !report->parts.any) {
    return nothing_moves(job, error);
  }
  if (result == SUP_OK) tell(job, SUP_ADD_FLESH);
  return result;
}

/* ---- Before the work ------------------------------------------------------------------------- */

static SupResult check_baked(const Job *job, SupError *error) {
  const SupBakedParts baked = sup_baked_parts(job->file.character);
  const uint32_t count = baked.joint_count ? baked.joint_count : baked.morph_count;
  if (!count || job->def->force) return SUP_OK;
  return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                  "%s already has baked secondary motion, in %u %s%s (%s%s): more would move it "
                  "twice; add to the file that it was made from, or give --force",
                  job->file.path, count, baked.joint_count ? "helper joint" : "morph target",
                  count == 1 ? "" : "s", baked.first, count == 1 ? "" : ", ...");
}

/* Everything that can be refused at once, before anything is built or learned. */
static SupResult check(const Job *job, SupError *error) {
  const SupCharacterFile *file = &job->file;
  const SupAddDef *def = job->def;
  const SupClip **clips;
  uint32_t count;
  if (file->character->skeleton.bone_count == 0) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "%s has no skinned mesh; bind the mesh to a skeleton first", file->path);
  }
  SupResult result = check_baked(job, error);
  if (result == SUP_OK) result = sup_add_check_names(job->app, file->character, def, error);
  if (result != SUP_OK || job->report->still) return result;
  result = sup_file_clips(job->app, file, &def->clips, 0, &clips, &count, error);
  if (result != SUP_OK) return result;
  return sup_show_check_clips(count, clips, error);
}

/* ---- Without baking -------------------------------------------------------------------------- */

/* The character with its models, written for the page and for painting; to `output` as well where
 * there is nothing to bake. */
static SupResult save_live(Job *job, const SupModelList *models, const char *output,
                           SupError *error) {
  const SupSurfaceMaps *maps = &job->report->parts.maps;
  SupCharacterFile *file = &job->file;
  const char *const paths[] = {job->report->still ? output : NULL, job->def->live};
  SupResult result = SUP_OK;
  if (!paths[0] && !paths[1]) return SUP_OK;
  if (maps->vertex_count) result = sup_surface_put_maps(job->app, file, maps, error);
  if (result == SUP_OK) result = sup_models_put(file, models, error);
  for (int k = 0; k < 2 && result == SUP_OK; k++) {
    if (paths[k]) result = sup_gltf_save(file->document, paths[k], SUP_GLTF_BY_NAME, error);
  }
  if (result == SUP_OK) tell(job, SUP_ADD_LIVE);
  return result;
}

static bool is_binary(const char *path) {
  const char *ending = strrchr(path, '.');
  return ending && strcasecmp(ending, ".glb") == 0;
}

static SupResult copy_file(const Job *job, const char *output, SupError *error) {
  const uint8_t *data;
  size_t bytes;
  SupResult result = sup_file_read(job->app->arena, job->file.path, &data, &bytes, error);
  if (result != SUP_OK) return result;
  return sup_file_save(job->app->allocator, output, data, bytes, error);
}

/* An amount of 0: the input, without its models where a preset was to replace them. */
static SupResult save_unchanged(Job *job, const char *output, SupError *error) {
  const SupCharacterFile *file = &job->file;
  const char *const paths[] = {output, job->def->live};
  SupGltfModel *models;
  uint32_t count;
  SupResult result =
      sup_gltf_models(file->document, file->found, job->app->arena, &count, &models, error);
  if (result == SUP_OK && count && !job->def->preset) return refuse(job->def, file->path, error);
  if (result == SUP_OK && count) {
    result = sup_gltf_put_models(file->document, file->found, 0, NULL, error);
  }
  for (int k = 0; k < 2 && result == SUP_OK && paths[k]; k++) {
    const bool same = !count && is_binary(file->path) && is_binary(paths[k]);
    result = same ? copy_file(job, paths[k], error)
                  : sup_gltf_save(file->document, paths[k], SUP_GLTF_BY_NAME, error);
  }
  job->report->unchanged = result == SUP_OK;
  if (result == SUP_OK) tell(job, SUP_ADD_UNCHANGED);
  return result;
}

/* ---- Baking ---------------------------------------------------------------------------------- */

/* What was written into the document does not belong into the output. */
static SupResult open_again(Job *job, SupError *error) {
  SupCharacterFile *file = &job->file;
  if (!job->def->live && !job->def->learn) return SUP_OK;
  sup_character_close(file);
  return sup_file_open(job->app, file->path, &job->def->open, &file->document, error);
}

static SupResult bake(Job *job, SupShow *show, const char *output, SupError *error) {
  SupAddReport *report = job->report;
  SupResult result = open_again(job, error);
  if (result != SUP_OK) return result;
  report->baked = job->def->bake;
  report->baked.motion_count = show->clip_count;
  report->baked.motions = show->motions;
  report->baked.basis_frames = BASIS_FRAMES;
  report->size = show->size;
  report->clip_count = show->clip_count;
  report->clips = show->found;
  result = sup_bake_character(job->app, &job->file, &report->baked, output, &report->bake, error);
  if (result != SUP_OK) return result;
  tell(job, SUP_ADD_BAKED);
  const double began = sup_app_seconds();
  result = sup_show_measure(show, &job->file, &job->def->open, output, error);
  sup_app_timing(job->app, "measure", began);
  if (result == SUP_OK) tell(job, SUP_ADD_MEASURED);
  return result;
}

/* Everything with an open character. */
static SupResult add(Job *job, const char *output, SupError *error) {
  const SupAddDef *def = job->def;
  SupModelList models;
  SupShow show;
  job->report->still = job->file.character->clip_count == 0 && def->clips.count == 0;
  SupResult result = check(job, error);
  if (result == SUP_OK && def->has_amount && !(def->amount > 0)) {
    return save_unchanged(job, output, error);
  }
  if (result == SUP_OK && def->learn) result = learn(job, error);
  if (result == SUP_OK) result = find_flesh(job, &models, error);
  if (result == SUP_OK && !job->report->still) {
    result = sup_show_create(job->app, &job->file, &models, &def->clips, &show, error);
  }
  if (result == SUP_OK) result = save_live(job, &models, output, error);
  if (result != SUP_OK || job->report->still) return result;
  return bake(job, &show, output, error);
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
