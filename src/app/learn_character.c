/* SPDX-License-Identifier: MIT */
/* Learning a character's secondary motion, with the simulator as a teacher. */
#include "supple/app/learn_character.h"

#include <math.h>
#include <string.h>

#include "app/learn_teacher.h"
#include "supple/app/example_files.h"
#include "supple/app/model_list.h"

#define COOKIE 0x4c656172u
#define USUAL_HERTZ 2.8 /* that flesh swings at */
#define USUAL_DAMPING 0.1
#define USUAL_TETS 2500

typedef struct Job {
  const SupAppContext *app;
  const SupCharacterFile *file;
  const SupLearnCharacterDef *def;
  SupLearnTeacher teacher;
  SupTeacher asked;
  SupLearnDef learn;
} Job;

const float *sup_character_map(const SupCharacter *character, const char *name) {
  for (uint32_t k = 0; k < character->map_count; k++) {
    if (strcmp(character->maps[k].name, name) == 0) return character->maps[k].values;
  }
  return NULL;
}

SupLearnCharacterDef sup_learn_character_def(const SupAppContext *app,
                                             const SupCharacterFile *file) {
  SupLearnCharacterDef def = {.cookie = COOKIE,
                              .flesh = sup_sim_def(file->character, app->allocator),
                              .usual_flesh = true,
                              .pose_count = 120,
                              .mode_count = 15};
  def.flesh.attach.lock = sup_character_map(file->character, "lock");
  def.flesh.vertex_stiffness = sup_character_map(file->character, "material");
  def.flesh.fill = (SupFillDef){.tet_target = USUAL_TETS};
  def.flesh.jobs = app->jobs;
  return def;
}

/* ---- Flesh ---------------------------------------------------------------------------------- */

/* Stiffness goes with the square of the frequency. */
static SupResult tune_flesh(Job *job, SupSimDef *io_flesh, SupError *error) {
  SupModesTrainDef def = sup_modes_train_def(job->file->character);
  SupModesTrainReport report;
  SupModel *unused;
  def.material = io_flesh->material;
  def.mode_count = 1;
  def.fill = io_flesh->fill;
  def.volume = io_flesh->volume;
  def.attach = io_flesh->attach;
  def.bone_materials = io_flesh->bone_materials;
  def.bone_stiffness = io_flesh->bone_stiffness;
  def.jobs = job->app->jobs;
  SupResult result = sup_modes_train(job->app->arena, &def, &unused, &report, error);
  if (result != SUP_OK) return result;
  const double wanted = USUAL_HERTZ, factor = pow(wanted / fmax(report.frequencies[0], 1e-3), 2);
  io_flesh->material.young *= factor;
  io_flesh->material.damping = USUAL_DAMPING / (SUP_PI * wanted);
  sup_app_note(job->app, "default material: natural frequency %.2g Hz, Young's modulus %.3g kPa\n",
               wanted, io_flesh->material.young / 1e3);
  return SUP_OK;
}

/* ---- Examples ------------------------------------------------------------------------------- */

static bool is_named(const SupNames *names, const SupExample *example) {
  for (uint32_t k = 0; k < names->count && example->clip; k++) {
    if (strcmp(example->clip->name, names->names[k]) == 0) return true;
  }
  return false;
}

/* The equilibria that belong to one of the examples. */
static SupResult read_still(Job *job, const SupExample *example, SupLearnMotion *io_motion,
                            uint32_t *io_used, SupError *error) {
  for (uint32_t k = 0; k < job->def->quasistatic.count && example->clip; k++) {
    const char *text = job->def->quasistatic.names[k];
    const size_t length = strlen(example->clip->name);
    if (strncmp(text, example->clip->name, length) != 0 || text[length] != '=') continue;
    ++*io_used;
    SupResult result = sup_read_beside(job->app, job->file, example, text + length + 1,
                                       job->def->fps, &io_motion->quasistatic, error);
    if (result != SUP_OK) return result;
  }
  return SUP_OK;
}

static SupResult read_motions(Job *job, SupError *error) {
  const SupLearnCharacterDef *def = job->def;
  const uint32_t count = def->examples.count;
  SupExample *examples;
  SupResult result = sup_read_examples(job->app, job->file, &def->examples, &def->clips, def->fps,
                                       &examples, error);
  if (result != SUP_OK) return result;
  SupLearnMotion *motions = SUP_ALLOC(job->app->arena, SupLearnMotion, count);
  uint32_t used = 0;
  if (!motions) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    const SupExample *e = &examples[k];
    motions[k] = (SupLearnMotion){.name = e->clip ? e->clip->name : e->name,
                                  .clip = e->clip,
                                  .samples = e->samples,
                                  .held = is_named(&def->hold, e),
                                  .test = is_named(&def->test, e)};
    result = read_still(job, e, &motions[k], &used, error);
  }
  if (result == SUP_OK && used < def->quasistatic.count) {
    result = sup_fail(error, SUP_ERROR_ARGUMENT,
                      "--quasistatic: give CLIP=FILE, where CLIP is also given with --clip");
  }
  job->learn.motion_count = count;
  job->learn.motions = motions;
  return result;
}

/* ---- Learning ------------------------------------------------------------------------------- */

static SupResult prepare(Job *job, SupError *error) {
  const SupAppContext *app = job->app;
  const SupLearnCharacterDef *def = job->def;
  SupLearnDef *learn = &job->learn;
  SupSimDef *flesh = &job->teacher.def;
  job->teacher.app = app;
  job->teacher.character = job->file->character;
  *flesh = def->flesh;
  SupResult result = def->usual_flesh ? tune_flesh(job, flesh, error) : SUP_OK;
  flesh->forces.gravity.y = -def->gravity;
  if (result == SUP_OK) result = sup_learn_teacher_prepare(&job->teacher, &job->asked, error);
  *learn = sup_learn_def(job->file->character);
  if (result == SUP_OK) result = read_motions(job, error);
  learn->teacher = &job->asked;
  learn->pose_count = def->pose_count;
  learn->far_count = learn->pose_count / 2;
  learn->seed = app->seed;
  learn->gravity.y = -(float)def->gravity;
  learn->modes.mode_count = def->mode_count;
  learn->modes.material = flesh->material;
  learn->modes.bone_materials = flesh->bone_materials;
  learn->modes.bone_stiffness = flesh->bone_stiffness;
  learn->modes.vertex_stiffness = flesh->vertex_stiffness;
  learn->modes.fill = flesh->fill;
  learn->modes.volume = flesh->volume;
  learn->modes.attach = flesh->attach;
  learn->skip_surface = def->skip_surface;
  learn->jobs = app->jobs;
  learn->seconds = sup_app_seconds;
  learn->progress = app->progress;
  learn->user = app->user;
  return result;
}

SupResult sup_learn_character(const SupAppContext *app, const SupCharacterFile *file,
                              const SupLearnCharacterDef *def, SupLearnReport *out_report,
                              SupError *error) {
  Job job = {.app = app, .file = file, .def = def};
  if (def->cookie != COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "learn: start from sup_learn_character_def()");
  }
  if (file->character->skeleton.bone_count == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "%s has no skinned mesh; bind the mesh to a skeleton first", file->path);
  }
  sup_note_helper_joints(app, file);
  SupResult result = prepare(&job, error);
  if (result == SUP_OK) result = sup_learn(app->arena, &job.learn, out_report, error);
  sup_learn_teacher_free(&job.teacher);
  return result;
}

SupResult sup_learn_put(const SupCharacterFile *file, const SupLearnReport *report,
                        SupError *error) {
  const SupLearnCandidate *kept = &report->candidates[report->chosen];
  SupModelList models = {0};
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < kept->model_count && result == SUP_OK; k++) {
    result = sup_models_place(&models, kept->models[k], error);
  }
  return result == SUP_OK ? sup_models_put(file, &models, error) : result;
}
