/* SPDX-License-Identifier: MIT */
/*
 * Whole scenarios. Each part is what `simulate` does, so that everything in them could have been
 * typed:
 *   make NAME -o OUT.glb
 *   simulate OUT.glb ... --clip ... -o OUT.pc2                 with inertia
 *   simulate OUT.glb ... --clip ... --quasistatic -o OUT-static.pc2
 * under gravity with OUT-gravity and OUT-gravity-static.
 */
#include "supple/app/run_scenario.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supple/app/plain_player.h"
#include "supple/author/builtin.h"
#include "supple/author/metrics.h"
#include "supple/geom/bounds.h"
#include "supple/geom/measure.h"

#define COOKIE 0x5363656eu

typedef struct Job {
  const SupAppContext *app;
  SupAppContext inside; /* with the scenario's seed */
  const SupScenario *scenario;
  const SupScenarioDef *def;
  const char *output; /* the name that all outputs grow from */
  SupScenarioReport *report;
  SupCharacterFile file;
  uint32_t clip_count;
  const char **clips; /* [clip_count] */
  bool *is_unseen;    /* [clip_count] */
} Job;

SupScenarioDef sup_scenario_def(void) {
  return (SupScenarioDef){.cookie = COOKIE, .open = sup_open_def()};
}

static void tell(const Job *job, SupScenarioStage stage) {
  if (job->def->stage) job->def->stage(job->def->user, stage, job->report);
}

/* ---- Who and what --------------------------------------------------------------------------- */

/* OUT.pc2 with `ending` instead of .pc2. */
static const char *sibling(const Job *job, const char *ending) {
  const char *dot = strrchr(job->output, '.');
  size_t stem = dot ? (size_t)(dot - job->output) : strlen(job->output);
  size_t size = stem + strlen(ending) + 1;
  char *path = SUP_ALLOC(job->app->arena, char, size);
  if (!path) return NULL;
  memcpy(path, job->output, stem);
  memcpy(path + stem, ending, strlen(ending) + 1);
  return path;
}

static SupResult make_character(Job *job, SupError *error) {
  const SupBuiltinDef def = {
      .name = job->scenario->builtin, .vertices = job->scenario->vertices, .jobs = job->app->jobs};
  SupCharacter *character = SUP_ALLOC(job->app->arena, SupCharacter, 1);
  const char *path = sibling(job, ".glb");
  if (!character || !path) return sup_fail_memory(error, NULL);
  sup_app_busy(job->app, "making the character");
  SupResult result = sup_builtin_character(job->app->arena, &def, character, error);
  if (result == SUP_OK) result = sup_character_save(job->app, character, path, error);
  sup_app_busy(job->app, NULL);
  if (result != SUP_OK) return result;
  job->report->character_path = path;
  job->report->made = character;
  tell(job, SUP_SCENARIO_MADE);
  return SUP_OK;
}

static bool can_be_read(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file) fclose(file);
  return file != NULL;
}

/* Beside the scenario, or in the folder of test data. */
static SupResult find_character(Job *job, const char *path, SupError *error) {
  const char *name = job->scenario->file, *data = getenv("SUPPLE_TEST_DATA");
  const char *slash = strrchr(path, '/');
  size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
  size_t size = folder + (data ? strlen(data) : 0) + strlen(name) + 2;
  char *found = SUP_ALLOC(job->app->arena, char, size);
  if (!found) return sup_fail_memory(error, NULL);
  memcpy(found, path, folder);
  memcpy(found + folder, name, strlen(name) + 1);
  if (!can_be_read(found) && data) sup_format(found, size, "%s/%s", data, name);
  if (!can_be_read(found)) {
    return sup_fail(error, SUP_ERROR_IO,
                    "%s: %s is neither beside it nor in $SUPPLE_TEST_DATA; set that variable to "
                    "the folder that contains it",
                    path, name);
  }
  job->report->character_path = found;
  return SUP_OK;
}

/* The clips of the scenario, or those of them that the definition names. */
static SupResult choose_clips(Job *job, SupError *error) {
  const SupScenario *s = job->scenario;
  const uint32_t all = s->training_count + s->unseen_count;
  const char **names = SUP_ALLOC(job->app->arena, const char *, all);
  bool *wanted = SUP_ALLOC(job->app->arena, bool, all);
  job->clips = SUP_ALLOC(job->app->arena, const char *, all);
  job->is_unseen = SUP_ALLOC(job->app->arena, bool, all);
  if (!job->clips || !job->is_unseen || !names || !wanted) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < all; k++) {
    names[k] = k < s->training_count ? s->training[k] : s->unseen[k - s->training_count];
  }
  SupResult found =
      sup_names_mark(&job->def->clips, (SupNameList){names, sizeof *names, all}, "clip",
                     "a clip of the scenario (under \"training\" or \"unseen\")", wanted, error);
  if (found != SUP_OK) return found;
  for (uint32_t k = 0; k < all; k++) {
    if (job->def->clips.count && !wanted[k]) continue;
    job->is_unseen[job->clip_count] = k >= s->training_count;
    job->clips[job->clip_count++] = names[k];
  }
  for (uint32_t k = 0; k < job->clip_count; k++) {
    const char *base = sibling(job, "-gravity-static.pc2"); /* the longest */
    const char *path = base ? sup_clip_path(job->app, base, job->clips[k]) : NULL;
    if (!path) return sup_fail_memory(error, NULL);
    SupResult result = sup_clip_path_check(path, job->clips[k], error);
    if (result != SUP_OK) return result;
  }
  return SUP_OK;
}

/* ---- Measuring ------------------------------------------------------------------------------ */

typedef struct Peak {
  double distance, area;
} Peak;

static int compare_peaks(const void *left, const void *right) {
  const Peak *a = left, *b = right;
  return a->distance < b->distance ? 1 : a->distance > b->distance ? -1 : 0;
}

static SupResult measure_motion(const SupAppContext *app, const SupCharacter *character,
                                double height, const SupSamples *moving, const SupSamples *still,
                                SupSecondary *out, SupError *error) {
  uint32_t count = character->body.vertex_count;
  double *areas = SUP_ALLOC(app->arena, double, count);
  float *weights = SUP_ALLOC(app->arena, float, count);
  Peak *peaks = SUP_ALLOC(app->arena, Peak, count);
  if (!areas || !weights || !peaks) return sup_fail_memory(error, NULL);
  sup_vertex_areas(&character->body, SUP_AREA_BARYCENTRIC, areas);
  double total = 0, above = 0;
  for (uint32_t v = 0; v < count; v++) {
    weights[v] = (float)areas[v];
    peaks[v].area = areas[v];
    total += areas[v];
    for (size_t i = 0; i < moving->frame_count; i++) {
      double distance = (double)sup_vec3_distance(moving->positions[i * count + v],
                                                  still->positions[i * count + v]);
      peaks[v].distance = fmax(peaks[v].distance, distance);
    }
  }
  SupCompareDef def = {.frame_count = moving->frame_count,
                       .vertex_count = count,
                       .fps = moving->fps,
                       .height = (float)height,
                       .a = still->positions,
                       .b = moving->positions,
                       .skinning = still->positions,
                       .vertex_weights = weights,
                       .jobs = app->jobs};
  SupCompareReport report;
  SupResult result = sup_compare(app->arena, &def, &report, NULL, NULL, error);
  if (result != SUP_OK) return result;
  qsort(peaks, count, sizeof *peaks, compare_peaks);
  uint32_t k = 0;
  while (k + 1 < count && above + peaks[k].area < 0.05 * total) above += peaks[k++].area;
  *out = (SupSecondary){.frequency = (double)report.vibration.frequency,
                        .amplitude = peaks[k].distance / height,
                        .worst = peaks[0].distance / height,
                        .rms = (double)report.rms / height};
  return SUP_OK;
}

static SupResult to_body(const SupAppContext *app, const SupCharacter *character,
                         SupSamples *samples, SupError *error) {
  if (samples->order == SUP_ORDER_BODY) return SUP_OK;
  uint32_t count = character->body.vertex_count;
  uint32_t *first = SUP_ALLOC(app->arena, uint32_t, count);
  SupVec3 *body = SUP_ALLOC(app->arena, SupVec3, (size_t)samples->frame_count * count);
  if (!first || !body) return sup_fail_memory(error, NULL);
  sup_render_first(&character->render, count, first);
  for (size_t i = 0; i < samples->frame_count; i++) {
    sup_positions_gather(samples->positions + i * samples->vertex_count, first, count,
                         body + i * count);
  }
  samples->positions = body;
  samples->vertex_count = count;
  return SUP_OK;
}

static SupResult measure_clip(Job *job, double height, const char *base, const char *still_base,
                              uint32_t k, SupSecondary *out, SupError *error) {
  const SupCharacter *character = job->file.character;
  SupArena scratch;
  SupAppContext inner = *job->app;
  sup_arena_init(&scratch, job->app->allocator, 0);
  inner.arena = &scratch;
  const char *path = sup_clip_path(job->app, base, job->clips[k]);
  const char *still_path = sup_clip_path(job->app, still_base, job->clips[k]);
  SupSamples moving, still;
  SupResult result = path && still_path ? SUP_OK : sup_fail_memory(error, NULL);
  if (result == SUP_OK) result = sup_cache_load(&scratch, path, 0, &moving, error);
  if (result == SUP_OK) result = sup_cache_load(&scratch, still_path, 0, &still, error);
  if (result == SUP_OK) result = to_body(&inner, character, &moving, error);
  if (result == SUP_OK) result = to_body(&inner, character, &still, error);
  if (result == SUP_OK) {
    result = measure_motion(&inner, character, height, &moving, &still, out, error);
  }
  sup_arena_free(&scratch);
  out->clip = job->clips[k];
  out->unseen = job->is_unseen[k];
  return result;
}

/* Every clip, and the scenario as a whole: amplitudes' mean, frequencies weighted by them. */
static SupResult measure(Job *job, const char *base, const char *still_base, SupScenarioRun *run,
                         SupError *error) {
  const SupCharacter *character = job->file.character;
  const SupVec3 *rest;
  SupSecondary *clips = SUP_ALLOC(job->app->arena, SupSecondary, job->clip_count);
  if (!clips) return sup_fail_memory(error, NULL);
  run->secondary = clips;
  SupResult result = sup_rest_positions(job->app, character, SUP_ORDER_BODY, &rest, error);
  if (result != SUP_OK) return result;
  const SupBounds box = sup_bounds(rest, character->body.vertex_count);
  const double height = (double)box.high.y - (double)box.low.y;
  double frequency = 0, amplitude = 0;
  for (uint32_t k = 0; k < job->clip_count; k++) {
    result = measure_clip(job, height, base, still_base, k, &clips[k], error);
    if (result != SUP_OK) return result;
    run->secondary_count = k + 1;
    frequency += clips[k].amplitude * clips[k].frequency;
    amplitude += clips[k].amplitude;
  }
  run->amplitude = amplitude / job->clip_count;
  run->frequency = amplitude > 0 ? frequency / amplitude : 0;
  run->measured = true;
  tell(job, SUP_SCENARIO_MEASURED);
  return SUP_OK;
}

/* ---- Doing it ------------------------------------------------------------------------------- */

/* What `simulate` takes for a part: the flesh as the caller reads it, this gravity. */
static SupResult settings(Job *job, double gravity, bool still, SupSimulateDef *out,
                          SupError *error) {
  *out = sup_simulate_def(&job->inside, &job->file);
  SupResult result =
      job->def->settings(job->def->user, &job->inside, &job->file, still, out, error);
  out->usual_flesh = false; /* a scenario says what flesh is, in metres */
  out->body.unit = 1;
  out->body.forces.gravity.y = -gravity;
  if (still) out->body.integrator = SUP_INTEGRATE_STATIC;
  return result;
}

/* All clips into BASE-CLIP.pc2. */
static SupResult simulate_clips(Job *job, const char *base, double gravity, bool still,
                                SupSimulateReport *out, SupError *error) {
  SupSimulateDef def;
  SupResult result = settings(job, gravity, still, &def, error);
  if (result != SUP_OK) return result;
  def.clips = (SupNames){job->clip_count, job->clips};
  const char *path = base;
  if (job->clip_count == 1) path = sup_clip_path(job->app, base, job->clips[0]);
  if (!path) return sup_fail_memory(error, NULL);
  return sup_simulate_character(&job->inside, &job->file, &def, path, out, error);
}

static SupResult simulate_poses(Job *job, const char *path, double gravity, SupSimulateReport *out,
                                SupError *error) {
  SupSimulateDef def;
  SupResult result = settings(job, gravity, true, &def, error);
  if (result != SUP_OK) return result;
  def.pose_count = job->scenario->poses;
  return sup_simulate_character(&job->inside, &job->file, &def, path, out, error);
}

static SupResult run_gravity(Job *job, double gravity, SupError *error) {
  const bool heavy = gravity != 0;
  const char *base = sibling(job, heavy ? "-gravity.pc2" : ".pc2");
  const char *still = sibling(job, heavy ? "-gravity-static.pc2" : "-static.pc2");
  const char *poses = sibling(job, heavy ? "-gravity-poses.pc2" : "-poses.pc2");
  if (!base || !still || !poses) return sup_fail_memory(error, NULL);
  SupScenarioRun *run = &job->report->runs[job->report->run_count++];
  *run = (SupScenarioRun){.gravity = gravity};
  tell(job, SUP_SCENARIO_GRAVITY);
  SupResult result = simulate_clips(job, base, gravity, false, &run->moving, error);
  if (result == SUP_OK) result = simulate_clips(job, still, gravity, true, &run->still, error);
  if (result == SUP_OK && job->scenario->poses && !job->def->clips.count) {
    result = simulate_poses(job, poses, gravity, &run->poses, error);
  }
  return result == SUP_OK ? measure(job, base, still, run, error) : result;
}

static SupResult run_all(Job *job, SupError *error) {
  const uint32_t count = job->def->has_gravity ? 1 : job->scenario->gravity_count;
  SupResult result = SUP_OK;
  job->report->runs = SUP_ALLOC(job->app->arena, SupScenarioRun, count);
  if (!job->report->runs) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    result = run_gravity(job, job->def->has_gravity ? job->def->gravity : job->scenario->gravity[k],
                         error);
  }
  return result;
}

SupResult sup_run_scenario(const SupAppContext *app, const char *path, const SupScenario *scenario,
                           const SupScenarioDef *def, const char *output,
                           SupScenarioReport *out_report, SupError *error) {
  Job job = {.app = app,
             .inside = sup_app_inside(app),
             .scenario = scenario,
             .def = def,
             .output = output,
             .report = out_report};
  SupCacheFormat format;
  if (def->cookie != COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "scenario: start from sup_scenario_def()");
  }
  job.inside.seed = def->has_seed ? app->seed : scenario->seed;
  *out_report = (SupScenarioReport){.seed = job.inside.seed};
  SupResult result = sup_cache_format_of(output, &format, error);
  if (result == SUP_OK) result = choose_clips(&job, error);
  if (result != SUP_OK) return result;
  tell(&job, SUP_SCENARIO_BEGUN);
  result = scenario->builtin ? make_character(&job, error) : find_character(&job, path, error);
  if (result != SUP_OK) return result;
  result =
      sup_character_open(&job.inside, out_report->character_path, &def->open, &job.file, error);
  if (result != SUP_OK) return result;
  result = run_all(&job, error);
  sup_character_close(&job.file);
  return result;
}
