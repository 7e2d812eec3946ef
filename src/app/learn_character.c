/* SPDX-License-Identifier: MIT */
/* Learning a character's secondary motion, with the simulator as a teacher. */
#include "supple/app/learn_character.h"

#include <math.h>
#include <string.h>

#include "app/learn_teacher.h"
#include "supple/app/example_files.h"
#include "supple/app/model_list.h"
#include "supple/quantity.h"

#define COOKIE 0x4c656172u
#define USUAL_TETS 2500

typedef struct Job {
  const SupAppContext *app;
  const SupCharacterFile *file;
  const SupLearnCharacterDef *def;
  SupHardParts hard;
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
  def.flesh.vertex_stiffness = sup_character_map(file->character, "material");
  def.flesh.fill = (SupFillDef){.tet_target = USUAL_TETS};
  def.flesh.unit = SUP_UNIT_AUTO;
  def.flesh.jobs = app->jobs;
  return def;
}

/* ---- Flesh ---------------------------------------------------------------------------------- */

static SupResult choose_flesh(Job *job, SupSimDef *io_flesh, SupError *error) {
  SupFleshChoice choice;
  SupResult result = sup_choose_flesh(job->app, job->file->character, job->def->own_damping,
                                      io_flesh, &choice, error);
  if (result != SUP_OK) return result;
  sup_note_flesh(job->app, &choice);
  if (job->def->chosen) job->def->chosen(job->def->user, &choice);
  return SUP_OK;
}

/* ---- Examples ------------------------------------------------------------------------------- */

/* Which motions --hold and --test name. */
static SupResult mark_motions(const Job *job, uint32_t count, SupLearnMotion *io_motions,
                              SupError *error) {
  static const char whose[] = "one of the clips that --clip gives for the examples";
  const SupNameList names = {io_motions ? &io_motions->name : NULL, sizeof *io_motions, count};
  bool *held = SUP_ALLOC(job->app->arena, bool, count);
  bool *test = SUP_ALLOC(job->app->arena, bool, count);
  if (!held || !test) return sup_fail_memory(error, NULL);
  SupResult result = sup_names_mark(&job->def->hold, names, "hold", whose, held, error);
  if (result == SUP_OK) result = sup_names_mark(&job->def->test, names, "test", whose, test, error);
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    io_motions[k].held = held[k];
    io_motions[k].test = test[k];
  }
  return result;
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
    motions[k] = (SupLearnMotion){
        .name = e->clip ? e->clip->name : e->name, .clip = e->clip, .samples = e->samples};
    result = read_still(job, e, &motions[k], &used, error);
  }
  if (result == SUP_OK && used < def->quasistatic.count) {
    result = sup_fail(error, SUP_ERROR_ARGUMENT,
                      "--quasistatic: give CLIP=FILE, where CLIP is also given with --clip");
  }
  if (result == SUP_OK) result = mark_motions(job, count, motions, error);
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
  flesh->attach.lock = job->hard.lock;
  *learn = sup_learn_def(job->file->character);
  SupResult result = read_motions(job, error); /* what can be refused comes first */
  if (result == SUP_OK) {
    result = def->usual_flesh ? choose_flesh(job, flesh, error)
                              : sup_settle_units(app, job->file->character, flesh, error);
  }
  flesh->forces.gravity.y = -def->gravity;
  if (result == SUP_OK) result = sup_learn_teacher_prepare(&job->teacher, &job->asked, error);
  learn->teacher = &job->asked;
  learn->pose_count = def->pose_count;
  learn->far_count = learn->pose_count / 2;
  learn->seed = app->seed;
  learn->gravity.y = -(float)(def->gravity / flesh->unit);
  learn->modes.mode_count = def->mode_count;
  sup_flesh_for_modes(flesh, &learn->modes);
  learn->lock = flesh->attach.lock;
  learn->skip_surface = def->skip_surface;
  learn->jobs = app->jobs;
  learn->seconds = sup_app_seconds;
  learn->progress = app->progress;
  learn->user = app->user;
  return result;
}

static const SupTechnique *technique_named(const char *name) {
  for (const SupTechnique *const *at = sup_techniques(); *at; at++) {
    if (strcmp((*at)->name, name) == 0) return *at;
  }
  return NULL;
}

/* Nothing that is learned knows a layer that takes the place of skinning, and what is written would
 * be without it. */
static SupResult refuse_goal(const Job *job, SupError *error) {
  uint32_t count = 0;
  SupGltfModel *stored = NULL;
  SupResult result = sup_gltf_models(job->file->document, job->file->found, job->app->arena, &count,
                                     &stored, error);
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    const SupTechnique *technique = technique_named(stored[k].kind);
    if (!technique || !technique->goal) continue;
    result =
        sup_fail(error, SUP_ERROR_UNSUPPORTED,
                 "%s: its %s model gives the shape of every pose, and `learn` would replace it "
                 "with one that it learns itself; build a surface or modes over it instead, or "
                 "learn from the character without it",
                 job->file->path, technique->name);
  }
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
  SupResult result = refuse_goal(&job, error);
  if (result != SUP_OK) return result;
  sup_note_helper_joints(app, file);
  sup_note_baked(app, file);
  result = sup_lock_character(app, file, &def->lock, &job.hard, error);
  if (result == SUP_OK && def->locked) def->locked(def->user, &job.hard);
  if (result == SUP_OK) result = prepare(&job, error);
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
