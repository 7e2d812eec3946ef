/* SPDX-License-Identifier: MIT */
/* Curves of a rig from a character's clips: what is written, and how it is found out in time that
 * it cannot be. */
#include "supple/app/play_curves.h"

#include <math.h>
#include <string.h>

#include "app/curves_parts.h"
#include "supple/io/rig_curves_file.h"
#include "supple/io/rig_file.h"
#include "supple/rig/rig.h"

#define COOKIE 0x43757276u

SupCurvesDef sup_curves_def(void) {
  return (SupCurvesDef){.cookie = COOKIE,
                        .material = "fat",
                        .tets = 2000,
                        .fps = 60,
                        .amplitude = 1,
                        .step = 0.01,
                        .tolerance = 0.005,
                        .order = SUP_ORDER_RENDER};
}

/* ---- Outputs -------------------------------------------------------------------------------- */

static bool ends_in(const char *path, const char *ending) {
  const size_t length = strlen(path), n = strlen(ending);
  if (length < n) return false;
  for (size_t k = 0; k < n; k++) {
    const char c = path[length - n + k];
    if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != ending[k]) return false;
  }
  return true;
}

static SupResult find_output(CurvesJob *job, const char *path, SupError *error) {
  SupCacheFormat format;
  if (ends_in(path, ".glb") || ends_in(path, ".gltf")) {
    job->output = CURVES_DOCUMENT;
  } else if (ends_in(path, ".csv")) {
    job->output = CURVES_CSV;
  } else if (ends_in(path, ".json")) {
    job->output = CURVES_JSON;
  } else if (sup_cache_format(path, &format)) {
    job->output = CURVES_CACHE;
  } else {
    return sup_fail(
        error, SUP_ERROR_ARGUMENT,
        "%s: curves are written to a .glb, .gltf, .csv or .json, and the skin that they "
        "give to a .pc2 or .mdd",
        path);
  }
  return SUP_OK;
}

static SupResult find_clips(CurvesJob *job, const char *path, SupError *error) {
  const SupAppContext *app = job->app;
  const SupCurvesDef *def = job->def;
  SupResult result =
      sup_file_clips(app, job->file, &def->clips, def->fps, &job->clips, &job->clip_count, error);
  if (result == SUP_OK) {
    result = sup_clips_amplify(app, def->amplitude, job->clip_count, job->clips, error);
  }
  if (result == SUP_OK && def->states && job->clip_count > 1) {
    return sup_fail(
        error, SUP_ERROR_ARGUMENT,
        "--states: the states are of one clip, and %u are played; choose it with --clip",
        job->clip_count);
  }
  if (result == SUP_OK) {
    result = sup_clips_check_lengths(job->clip_count, job->clips, (float)def->fps,
                                     "give a smaller --fps", error);
  }
  if (result != SUP_OK) return result;
  if (job->output == CURVES_CSV || job->output == CURVES_CACHE) {
    return sup_clip_paths(app, path, job->clip_count, job->clips, (float)def->fps, &job->paths,
                          error);
  }
  job->paths = SUP_ALLOC(app->arena, const char *, job->clip_count);
  if (!job->paths) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < job->clip_count; k++) job->paths[k] = path;
  return SUP_OK;
}

/* ---- Curves --------------------------------------------------------------------------------- */

/* The curve of a free parameter through its frames. */
static SupResult make_curve(const CurvesJob *job, const SupRigCurves *clip, const double *frames,
                            uint32_t n, const double *times, SupRigCurve *out, SupError *error) {
  const SupRigParameter *p = &sup_curves_rig(job)->parameters[n];
  double *values = SUP_ALLOC(job->app->arena, double, clip->frame_count);
  const double tolerance = job->def->tolerance * p->scale;
  if (!values) return sup_fail_memory(error, NULL);
  for (uint32_t i = 0; i < clip->frame_count; i++) {
    values[i] = frames[(size_t)i * job->parameter_count + n];
  }
  *out = (SupRigCurve){.parameter = p->name,
                       .zone = p->zone,
                       .rest = p->rest,
                       .low = p->low,
                       .high = p->high,
                       .values = values};
  const SupSampledCurve sampled = {1, clip->frame_count, times, values, &tolerance};
  return sup_cubic_keys_fit(job->app->arena, &sampled, &out->keys, error);
}

static SupResult make_curves(const CurvesJob *job, const SupClip *clip, const double *frames,
                             SupCurvesClip *out, SupError *error) {
  SupArena *arena = job->app->arena;
  SupRigCurves *curves = &out->curves;
  const SupRig *rig = sup_curves_rig(job);
  *curves = (SupRigCurves){.rig = job->description.name,
                           .clip = clip->name,
                           .fps = job->def->fps,
                           .frame_count = sup_clip_frames(clip, (float)job->def->fps)};
  SupRigCurve *made = SUP_ALLOC(arena, SupRigCurve, job->free_count);
  double *times = SUP_ALLOC(arena, double, curves->frame_count);
  SupResult result = made && times ? SUP_OK : sup_fail_memory(error, NULL);
  curves->curves = made;
  for (uint32_t i = 0; result == SUP_OK && i < curves->frame_count; i++) times[i] = i / curves->fps;
  for (uint32_t k = 0; k < job->free_count && result == SUP_OK; k++) {
    if (job->muted[k]) continue;
    SupRigCurve *curve = &made[curves->curve_count++];
    const SupRigParameter *p = &rig->parameters[job->free[k]];
    result = make_curve(job, curves, frames, job->free[k], times, curve, error);
    if (result != SUP_OK) return result;
    out->key_count += curve->keys.count;
    out->sample_count += curves->frame_count;
    for (uint32_t i = 0; i < curves->frame_count; i++) {
      out->reach = fmax(out->reach, fabs(curve->values[i] - p->rest) / p->scale);
    }
  }
  return result;
}

/* ---- The skin ------------------------------------------------------------------------------- */

/* Writes the skin that the curves give, and measures how far it is from the rig with its free
 * parameters as the clip has them. */
static SupResult write_cache(CurvesJob *job, const double *frames, SupCurvesClip *clip,
                             SupError *error) {
  const SupAppContext *app = job->app;
  const SupCharacter *character = job->file->character;
  const bool render = job->def->order == SUP_ORDER_RENDER;
  const uint32_t count = character->body.vertex_count;
  SupCacheDef def = {.allocator = app->allocator,
                     .path = clip->path,
                     .vertex_count = render ? character->render.vertex_count : count,
                     .frame_count = clip->curves.frame_count,
                     .fps = (float)job->def->fps,
                     .order = job->def->order};
  SupCacheWriter *writer;
  SupVec3d *found = SUP_ALLOC(app->arena, SupVec3d, count);
  SupVec3 *body = SUP_ALLOC(app->arena, SupVec3, count);
  SupVec3 *out = SUP_ALLOC(app->arena, SupVec3, def.vertex_count);
  if (!found || !body || !out) return sup_fail_memory(error, NULL);
  SupResult result = sup_cache_format_of(clip->path, &def.format, error);
  if (result == SUP_OK) result = sup_cache_begin(&def, &writer, error);
  if (result != SUP_OK) return result;
  for (uint32_t i = 0; i < def.frame_count && result == SUP_OK; i++) {
    result = sup_rig_evaluate(sup_curves_skin(job), 1, &frames[(size_t)i * job->parameter_count],
                              found, error);
    for (uint32_t v = 0; v < count; v++) body[v] = sup_vec3d_to_float(found[v]);
    if (render) sup_positions_gather(body, character->render.to_body, def.vertex_count, out);
    sup_cache_write_frame(writer, render ? out : body);
  }
  if (result == SUP_OK) return sup_cache_commit(writer, error);
  sup_cache_abandon(writer);
  return result;
}

/* How far the skin is moved by the free parameters, at most. */
static SupResult measure(CurvesJob *job, const double *frames, SupCurvesClip *clip,
                         SupError *error) {
  const SupRig *rig = sup_curves_rig(job);
  SupArena *arena = job->app->arena;
  double *plain = SUP_ALLOC(arena, double, job->parameter_count);
  SupVec3d *with = SUP_ALLOC(arena, SupVec3d, 2 * (size_t)rig->vertex_count);
  SupResult result = plain && with ? SUP_OK : sup_fail_memory(error, NULL);
  for (uint32_t i = 0; i < clip->curves.frame_count && result == SUP_OK; i++) {
    const double *frame = &frames[(size_t)i * job->parameter_count];
    memcpy(plain, frame, job->parameter_count * sizeof *plain);
    for (uint32_t k = 0; k < job->free_count; k++) {
      plain[job->free[k]] = rig->parameters[job->free[k]].rest;
    }
    result = sup_rig_evaluate(rig, 1, frame, with, error);
    if (result == SUP_OK) result = sup_rig_evaluate(rig, 1, plain, &with[rig->vertex_count], error);
    for (uint32_t v = 0; v < rig->vertex_count && result == SUP_OK; v++) {
      clip->moved = fmax(clip->moved, sup_vec3d_distance(with[v], with[rig->vertex_count + v]));
    }
  }
  return result;
}

/* ---- The whole ------------------------------------------------------------------------------ */

static SupResult run_clips(CurvesJob *job, const char *path, SupError *error) {
  const SupAppContext *app = job->app;
  SupCurvesReport *report = job->report;
  SupRigCurves *all = SUP_ALLOC(app->arena, SupRigCurves, job->clip_count);
  const double **frames = SUP_ALLOC(app->arena, const double *, job->clip_count);
  report->clips = SUP_ALLOC(app->arena, SupCurvesClip, job->clip_count);
  if (!all || !frames || !report->clips) return sup_fail_memory(error, NULL);
  SupResult result = SUP_OK;
  const double began = sup_app_seconds();
  for (uint32_t k = 0; k < job->clip_count && result == SUP_OK; k++) {
    SupCurvesClip *clip = &report->clips[k];
    *clip = (SupCurvesClip){.name = job->clips[k]->name, .path = job->paths[k]};
    result = sup_curves_simulate(job, job->clips[k], clip, &frames[k], error);
    if (result == SUP_OK) result = make_curves(job, job->clips[k], frames[k], clip, error);
    if (result == SUP_OK) result = measure(job, frames[k], clip, error);
    if (result != SUP_OK) break;
    all[k] = clip->curves;
    if (job->output == CURVES_CACHE) result = write_cache(job, frames[k], clip, error);
    if (job->output == CURVES_CSV) {
      result = sup_rig_curves_write_csv(app->allocator, clip->path, &clip->curves, error);
    }
    report->clip_count = k + 1;
  }
  sup_app_timing(app, "simulate", began);
  if (result == SUP_OK && job->output == CURVES_JSON) {
    result = sup_rig_curves_write_json(app->allocator, path, job->clip_count, all, error);
  }
  if (result == SUP_OK && job->output == CURVES_DOCUMENT) {
    result = sup_curves_document(job, frames, path, error);
  }
  return result;
}

/* What no run can begin without. */
static SupResult check_input(const SupCharacterFile *file, const SupCurvesDef *def,
                             SupError *error) {
  if (def->cookie != COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "curves: start from sup_curves_def()");
  }
  if (file->character->skeleton.bone_count == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "%s has no skinned mesh; bind the mesh to a skeleton first", file->path);
  }
  if (def->rig && (ends_in(def->rig, ".glb") || ends_in(def->rig, ".gltf"))) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--rig: %s is a character; give a rig file (.json), such as --save-rig writes",
                    def->rig);
  }
  return SUP_OK;
}

SupResult sup_play_curves(const SupAppContext *app, const SupCharacterFile *file,
                          const SupCurvesDef *def, const char *path, SupCurvesReport *out_report,
                          SupError *error) {
  CurvesJob job = {.app = app, .file = file, .def = def, .report = out_report};
  SupResult result = check_input(file, def, error);
  if (result != SUP_OK) return result;
  *out_report = (SupCurvesReport){.clip_count = 0};
  if (def->from > 0 && !def->states) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--from needs the states of an earlier run; give --states FILE");
  }
  if (def->edited && def->keep_count == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--edited: nothing of it is kept; say what and when with --keep");
  }
  result = sup_curves_check_from(&job, error);
  if (result == SUP_OK) result = find_output(&job, path, error);
  if (result == SUP_OK) result = find_clips(&job, path, error);
  if (result == SUP_OK) result = sup_curves_open_obstacles(&job, error);
  if (result == SUP_OK) result = sup_curves_prepare(&job, error);
  if (result == SUP_OK) result = run_clips(&job, path, error);
  if (result == SUP_OK && def->save_rig) {
    result = sup_rig_file_write(app->allocator, def->save_rig, &job.description, error);
  }
  sup_curves_free(&job);
  return result;
}

SupResult sup_build_rigspace(const SupAppContext *app, const SupCharacterFile *file,
                             const SupCurvesDef *def, SupCurvesReport *out_report,
                             const SupModel **out_model, SupError *error) {
  CurvesJob job = {
      .app = app, .file = file, .def = def, .report = out_report, .output = CURVES_SETUP};
  SupResult result = check_input(file, def, error);
  if (result != SUP_OK) return result;
  *out_report = (SupCurvesReport){.clip_count = 0};
  result = find_clips(&job, "", error);
  if (result == SUP_OK) result = sup_curves_prepare(&job, error);
  if (result == SUP_OK) result = sup_curves_pack_setup(&job, out_model, error);
  if (result == SUP_OK && def->save_rig) {
    result = sup_rig_file_write(app->allocator, def->save_rig, &job.description, error);
  }
  sup_curves_free(&job);
  return result;
}
