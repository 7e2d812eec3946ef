/* SPDX-License-Identifier: MIT */
/* The elastic ground truth of a character's clips or poses. */
#include "supple/app/simulate_character.h"

#include <math.h>
#include <string.h>

#include "app/simulate_run.h"
#include "supple/app/example_files.h"
#include "supple/app/learn_character.h"
#include "supple/geom/bounds.h"

#define COOKIE 0x53696d75u
#define USUAL_RISE 0.05 /* seconds until muscles pull in full */

typedef struct Job {
  const SupAppContext *app;
  const SupCharacterFile *file;
  const SupSimulateDef *def;
  SupSimulateReport *report;
  uint32_t clip_count;
  const SupClip **clips; /* [clip_count] */
  const char **paths;    /* [clip_count] where each goes */
  SupSimRun run;
} Job;

SupSimulateDef sup_simulate_def(const SupAppContext *app, const SupCharacterFile *file) {
  SupSimulateDef def = {.cookie = COOKIE,
                        .body = sup_sim_def(file->character, app->allocator),
                        .usual_flesh = true,
                        .fps = 60,
                        .amplitude = 1,
                        .until = INFINITY,
                        .order = SUP_ORDER_RENDER};
  def.body.vertex_stiffness = sup_character_map(file->character, "material");
  def.body.unit = SUP_UNIT_AUTO;
  def.body.jobs = app->jobs;
  def.body.seconds = sup_app_seconds;
  return def;
}

/* Every clip that is wanted, and where it goes: known and possible before the first is simulated.
 */
static SupResult find_clips(Job *job, const char *output, SupError *error) {
  const SupCharacter *character = job->file->character;
  const SupNames *names = &job->def->clips;
  const uint32_t count = names->count ? names->count : character->clip_count;
  SupResult result = SUP_OK;
  if (count == 0) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "%s has no clips; try --clip @calibration, a motion generated for it",
                    job->file->path);
  }
  result = sup_file_clips(job->app, job->file, names, job->def->fps, &job->clips, &job->clip_count,
                          error);
  if (result == SUP_OK) {
    result = sup_clips_amplify(job->app, job->def->amplitude, count, job->clips, error);
  }
  if (result != SUP_OK) return result;
  return sup_clip_paths(job->app, output, count, job->clips, (float)job->def->fps, &job->paths,
                        error);
}

static SupResult prepare(Job *job, const char *output, SupError *error) {
  const SupSimulateDef *def = job->def;
  SupSimRun *run = &job->run;
  run->app = job->app;
  run->character = job->file->character;
  run->fps = def->fps;
  run->preroll = def->preroll;
  run->until = def->until;
  run->order = def->order;
  run->motion.loop = def->loop;
  run->clench = def->clench && def->pose_count;
  SupCacheFormat format;
  SupResult result = sup_cache_format_of(output, &format, error);
  if (result == SUP_OK && !def->pose_count) result = find_clips(job, output, error);
  if (result == SUP_OK) result = sup_sim_run_prepare(run, error);
  if (result != SUP_OK) return result;
  job->report->clips =
      SUP_ALLOC(job->app->arena, SupSimulatedClip, def->pose_count ? 1 : job->clip_count);
  return job->report->clips ? SUP_OK : sup_fail_memory(error, NULL);
}

static void tell(const Job *job) {
  if (job->def->done) job->def->done(job->def->user, job->report);
}

static SupResult choose_flesh(Job *job, SupSimDef *io_flesh, SupError *error) {
  SupFleshChoice *choice = &job->report->flesh;
  const double young = io_flesh->material.young;
  SupResult result = sup_choose_flesh(job->app, job->file->character, job->def->own_damping,
                                      io_flesh, choice, error);
  if (result != SUP_OK) return result;
  if (!job->def->own_tension) io_flesh->muscles.tension *= choice->young / young;
  sup_note_flesh(job->app, choice);
  sup_app_timing(job->app, "flesh", sup_app_seconds() - choice->seconds);
  return SUP_OK;
}

static SupResult make_body(Job *job, SupError *error) {
  const SupMesh *body = &job->file->character->body;
  SupSimDef def = job->def->body;
  SupSimReport report;
  SupResult result;
  def.attach.lock = job->report->hard.lock;
  if (job->def->pose_count) def.integrator = SUP_INTEGRATE_STATIC;
  result = job->def->usual_flesh ? choose_flesh(job, &def, error)
                                 : sup_settle_units(job->app, job->file->character, &def, error);
  if (result != SUP_OK) return result;
  const double began = sup_app_seconds();
  result = sup_sim_create(&def, &job->run.sim, &report, error);
  if (result != SUP_OK) return result;
  sup_app_timing(job->app, "fill", began);
  if (def.volume) report.fill = job->def->fill;
  job->report->body = report;
  tell(job);
  const SupBounds box = sup_bounds(body->positions, body->vertex_count);
  job->run.height = report.scale / def.unit * ((double)box.high.y - (double)box.low.y);
  return SUP_OK;
}

static SupResult simulate(Job *job, const char *name, uint32_t frames, const char *path,
                          SupError *error) {
  SupSimulatedClip *clip = &job->report->clips[job->report->clip_count++];
  *clip = (SupSimulatedClip){.name = name, .path = path, .frame_count = frames};
  SupResult result = sup_sim_run_write(&job->run, clip, error);
  if (result == SUP_OK) tell(job);
  return result;
}

static SupResult simulate_clips(Job *job, SupError *error) {
  SupSimRun *run = &job->run;
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < job->clip_count && result == SUP_OK; k++) {
    const SupClip *clip = run->motion.clip = job->clips[k];
    const double duration = (double)clip->duration;
    const SupSimPull usual = {duration / 4, 3 * duration / 4, USUAL_RISE};
    if (job->def->clench) {
      run->pulls = job->def->pull_count ? job->def->pulls : &usual;
      run->pull_count = job->def->pull_count ? job->def->pull_count : 1;
    }
    result = simulate(job, clip->name, sup_sim_run_frames(run, clip), job->paths[k], error);
  }
  return result;
}

/* Clenched, every pose comes twice: relaxed, then with its muscles pulling. */
static SupResult simulate_poses(Job *job, const char *output, SupError *error) {
  const SupSimulateDef *def = job->def;
  const uint32_t joints = job->file->character->skeleton.joint_count, count = def->pose_count;
  const uint32_t each = def->clench ? 2 : 1;
  SupTransform *poses;
  SupTransform *frames = SUP_ALLOC(job->app->arena, SupTransform, each * (size_t)count * joints);
  if (!frames) return sup_fail_memory(error, NULL);
  SupResult result = def->far
                         ? sup_example_poses(job->app, job->file, true, count, &poses, error)
                         : sup_named_poses(job->app, job->file, &def->at, count, &poses, error);
  if (result != SUP_OK) return result;
  for (uint32_t i = 0; i < each * count; i++) {
    memcpy(frames + (size_t)i * joints, poses + (size_t)(i / each) * joints,
           joints * sizeof *frames);
  }
  job->run.motion.poses = frames;
  job->run.motion.pose_count = each * count;
  return simulate(job, def->clench ? "clench" : "poses", each * count, output, error);
}

SupResult sup_simulate_character(const SupAppContext *app, const SupCharacterFile *file,
                                 const SupSimulateDef *def, const char *output,
                                 SupSimulateReport *out_report, SupError *error) {
  Job job = {.app = app, .file = file, .def = def, .report = out_report};
  if (def->cookie != COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "simulate: start from sup_simulate_def()");
  }
  *out_report = (SupSimulateReport){.clip_count = 0};
  if (file->character->skeleton.bone_count == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "%s has no skinned mesh; bind the mesh to a skeleton first", file->path);
  }
  SupResult result = sup_lock_character(app, file, &def->lock, &out_report->hard, error);
  if (result == SUP_OK) result = prepare(&job, output, error);
  if (result == SUP_OK) result = make_body(&job, error);
  if (result == SUP_OK) {
    result = def->pose_count ? simulate_poses(&job, output, error) : simulate_clips(&job, error);
  }
  sup_sim_free(job.run.sim);
  return result;
}
