/* SPDX-License-Identifier: MIT */
/* Curves as an animation in the character's document: helper joints with their weights, and cubic
 * keys on exactly the channels that free parameters drive. */
#include <math.h>
#include <string.h>

#include "app/curves_parts.h"
#include "supple/app/bake_character.h"
#include "supple/rig/rig.h"

/* Channels of a joint: translation, rotation, scale. */
enum { KINDS = 3 };

typedef struct Writer {
  CurvesJob *job;
  const SupGltfCharacter *now; /* as the document has it */
  uint32_t joint_count;        /* with helpers */
  uint32_t *map;               /* [joint_count] joints of `now` */
  double *tolerances;          /* [KINDS * joint_count] of keys; 0: no parameter drives it */
  double *morph_tolerances;    /* [morph_count] the same */
  SupTransformd *joints;       /* [frame_count * joint_count] of a clip */
  double *morphs;              /* [frame_count * morph_count] */
  uint32_t column_count;       /* of lattices: targets that every mesh has got behind its own */
  CurvesColumn *columns;
  double *column_weights; /* [frame_count * column_count] */
  double *times, *values; /* of one track */
} Writer;

/* ---- What is driven ------------------------------------------------------------------------- */

int64_t sup_curves_shown(const CurvesJob *job, const SupRigControl *control) {
  const int64_t n = sup_rig_find(sup_character_rig(job->rig), control->base.name);
  for (uint32_t k = 0; k < job->free_count; k++) {
    if ((int64_t)job->free[k] == n) return job->muted[k] ? -1 : n;
  }
  return -1;
}

/* Whether a glTF file can hold what a target moves. */
static bool fits(const CurvesJob *job, const SupRigTarget *target) {
  if (target->kind <= SUP_RIG_MORPH) return true;
  for (uint32_t k = 0; k < job->description.layer_count; k++) {
    const SupRigLayer *layer = &job->description.layers[k];
    if (strcmp(layer->name, target->name) != 0) continue;
    return layer->kind == SUP_RIG_LATTICE && !layer->after_skinning;
  }
  return false;
}

SupResult sup_curves_check_document(const CurvesJob *job, SupError *error) {
  for (uint32_t k = 0; k < job->description.control_count; k++) {
    const SupRigControl *control = &job->description.controls[k];
    if (sup_curves_shown(job, control) < 0) continue;
    for (uint32_t t = 0; t < control->target_count; t++) {
      const SupRigTargetKind kind = control->targets[t].kind;
      if (fits(job, &control->targets[t])) continue;
      return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                      "parameter '%s' drives a %s, which a glTF file cannot hold; write a .json, "
                      ".csv or .pc2, or --mute it",
                      control->base.name,
                      kind == SUP_RIG_LATTICE_POINT ? "lattice after skinning" : "wire");
    }
  }
  return SUP_OK;
}

static void tighten(double *io_tolerance, double tolerance) {
  if (!(*io_tolerance > 0) || tolerance < *io_tolerance) *io_tolerance = tolerance;
}

/* Keys of a channel are as exact as the parameter with the smallest effect on it asks for. */
static void find_driven(Writer *w) {
  const CurvesJob *job = w->job;
  const SupRig *rig = sup_character_rig(job->rig);
  const SupSkeleton *skeleton = sup_character_rig_skeleton(job->skin);
  const SupCharacter *character = job->file->character;
  for (uint32_t k = 0; k < job->description.control_count; k++) {
    const SupRigControl *control = &job->description.controls[k];
    const int64_t n = sup_curves_shown(job, control);
    if (n < 0) continue;
    for (uint32_t t = 0; t < control->target_count; t++) {
      const SupRigTarget *target = &control->targets[t];
      const double tolerance =
          job->def->tolerance * rig->parameters[n].scale * fabs(target->factor);
      for (uint32_t m = 0; m < character->morph_count; m++) {
        if (target->kind != SUP_RIG_MORPH || strcmp(character->morphs[m].name, target->name) != 0) {
          continue;
        }
        tighten(&w->morph_tolerances[m], tolerance);
      }
      for (uint32_t j = 0; j < w->joint_count && target->kind < SUP_RIG_MORPH; j++) {
        if (strcmp(skeleton->names[j], target->name) != 0) continue;
        const uint32_t kind = target->kind == SUP_RIG_JOINT_TRANSLATION ? 0
                              : target->kind == SUP_RIG_JOINT_SCALE     ? 2
                                                                        : 1;
        tighten(&w->tolerances[KINDS * j + kind], tolerance);
        break;
      }
    }
  }
}

/* ---- Tracks --------------------------------------------------------------------------------- */

/* A track through w->values[frames * width]. */
static SupResult fit_track(Writer *w, uint32_t frames, uint32_t width, const double *tolerances,
                           SupTrack *io_track, SupError *error) {
  SupArena *arena = w->job->app->arena;
  const SupSampledCurve curve = {width, frames, w->times, w->values, tolerances};
  SupCubicKeys keys;
  SupResult result = sup_cubic_keys_fit(arena, &curve, &keys, error);
  if (result != SUP_OK) return result;
  float *times = SUP_ALLOC(arena, float, keys.count);
  float *values = SUP_ALLOC(arena, float, 3 * (size_t)keys.count * width);
  if (!times || !values) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < keys.count; k++) {
    times[k] = (float)keys.times[k];
    for (uint32_t c = 0; c < width; c++) {
      float *out = &values[3 * (size_t)k * width + c];
      const size_t at = (size_t)k * width + c;
      out[0] = out[2 * (size_t)width] = (float)keys.tangents[at];
      out[width] = (float)keys.values[at];
    }
  }
  io_track->interpolation = SUP_INTERPOLATE_CUBIC;
  io_track->width = width;
  io_track->key_count = keys.count;
  io_track->times = times;
  io_track->values = values;
  return SUP_OK;
}

/* Values of one channel of one joint over the frames; rotations without a jump of sign. */
static void gather(Writer *w, uint32_t frames, uint32_t joint, uint32_t kind) {
  SupQuatd last = {0, 0, 0, 1};
  for (uint32_t i = 0; i < frames; i++) {
    const SupTransformd *local = &w->joints[(size_t)i * w->joint_count + joint];
    if (kind == 1) {
      SupQuatd q = sup_quatd_normalise(local->rotation);
      const double dot = q.x * last.x + q.y * last.y + q.z * last.z + q.w * last.w;
      if (i > 0 && dot < 0) q = (SupQuatd){-q.x, -q.y, -q.z, -q.w};
      last = q;
      memcpy(&w->values[4 * (size_t)i], (double[4]){q.x, q.y, q.z, q.w}, 4 * sizeof(double));
    } else {
      const SupVec3d v = kind == 0 ? local->translation : local->scale;
      memcpy(&w->values[3 * (size_t)i], (double[3]){v.x, v.y, v.z}, 3 * sizeof(double));
    }
  }
}

static SupResult joint_track(Writer *w, uint32_t frames, uint32_t joint, uint32_t kind,
                             SupTrack *out, SupError *error) {
  static const SupChannel channels[KINDS] = {SUP_CHANNEL_TRANSLATION, SUP_CHANNEL_ROTATION,
                                             SUP_CHANNEL_SCALE};
  /* Four components that are each off by e turn a quaternion by 4 e at most. */
  const double tolerance = w->tolerances[KINDS * joint + kind] / (kind == 1 ? 4 : 1);
  const double tolerances[4] = {tolerance, tolerance, tolerance, tolerance};
  gather(w, frames, joint, kind);
  *out = (SupTrack){.target = w->map[joint], .channel = channels[kind]};
  return fit_track(w, frames, kind == 1 ? 4 : 3, tolerances, out, error);
}

/* The weights of one mesh node: its targets from `first` on as the document has them now, its own
 * and those of lattices. */
static SupResult morph_track(Writer *w, uint32_t frames, uint32_t first, uint32_t count,
                             SupTrack *out, SupError *error) {
  const SupGltfCharacter *was = w->job->file->found;
  const uint32_t all = was->character.morph_count, own = count - w->column_count;
  double *tolerances = SUP_ALLOC(w->job->app->arena, double, count);
  uint32_t old = 0;
  double least = 0;
  if (!tolerances) return sup_fail_memory(error, NULL);
  while (own && was->morph_nodes[old] != w->now->morph_nodes[first]) old++;
  for (uint32_t m = old; m < old + own; m++) {
    if (w->morph_tolerances[m] > 0) tighten(&least, w->morph_tolerances[m]);
  }
  for (uint32_t k = 0; k < w->column_count; k++) tighten(&least, w->columns[k].tolerance);
  for (uint32_t m = 0; m < count; m++) tolerances[m] = least;
  for (uint32_t i = 0; i < frames; i++) {
    double *row = &w->values[(size_t)i * count];
    memcpy(row, &w->morphs[(size_t)i * all + old], own * sizeof *row);
    memcpy(row + own, &w->column_weights[(size_t)i * w->column_count],
           w->column_count * sizeof *row);
  }
  *out = (SupTrack){.target = first, .channel = SUP_CHANNEL_WEIGHTS};
  return fit_track(w, frames, count, tolerances, out, error);
}

/* ---- Clips ---------------------------------------------------------------------------------- */

/* Whether a track of the clip is replaced by curves. */
static bool is_replaced(const Writer *w, const SupTrack *track) {
  if (track->channel != SUP_CHANNEL_WEIGHTS) {
    const uint32_t kind = track->channel == SUP_CHANNEL_TRANSLATION ? 0
                          : track->channel == SUP_CHANNEL_ROTATION  ? 1
                                                                    : 2;
    return w->tolerances[KINDS * track->target + kind] > 0;
  }
  if (w->column_count) return true; /* every mesh has got targets */
  for (uint32_t m = track->target; m < track->target + track->width; m++) {
    if (m < w->job->file->character->morph_count && w->morph_tolerances[m] > 0) return true;
  }
  return false;
}

static void pose_frames(Writer *w, const SupRigCurves *curves, const double *frames) {
  const CurvesJob *job = w->job;
  const uint32_t morphs = job->file->character->morph_count;
  for (uint32_t i = 0; i < curves->frame_count; i++) {
    sup_character_rig_pose(job->skin, &frames[(size_t)i * job->parameter_count],
                           &w->joints[(size_t)i * w->joint_count],
                           morphs ? &w->morphs[(size_t)i * morphs] : NULL);
    for (uint32_t k = 0; k < w->column_count; k++) {
      w->column_weights[(size_t)i * w->column_count + k] =
          sup_curves_column_weight(job, &w->columns[k], &frames[(size_t)i * job->parameter_count]);
    }
    w->times[i] = i / curves->fps;
  }
}

/* New tracks of all channels that are driven, behind those that stay. */
static SupResult add_tracks(Writer *w, uint32_t frames, SupTrack *tracks, uint32_t *io_count,
                            SupError *error) {
  const uint32_t morphs = w->now->character.morph_count;
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < KINDS * w->joint_count && result == SUP_OK; k++) {
    if (!(w->tolerances[k] > 0)) continue;
    result = joint_track(w, frames, k / KINDS, k % KINDS, &tracks[(*io_count)++], error);
  }
  for (uint32_t m = 0, end; m < morphs && result == SUP_OK; m = end) {
    bool driven = w->column_count > 0; /* otherwise the targets are those of before */
    for (end = m; end < morphs && w->now->morph_nodes[end] == w->now->morph_nodes[m]; end++) {
      driven = driven || w->morph_tolerances[end] > 0;
    }
    if (driven) result = morph_track(w, frames, m, end - m, &tracks[(*io_count)++], error);
  }
  return result;
}

static SupResult put_clip(Writer *w, const SupClip *clip, const SupRigCurves *curves,
                          const double *frames, SupError *error) {
  SupArena *arena = w->job->app->arena;
  const uint32_t morphs = w->job->file->character->morph_count, count = curves->frame_count;
  const uint32_t targets = w->now->character.morph_count;
  const size_t widest = targets > 4 ? targets : 4;
  SupTrack *tracks = SUP_ALLOC(
      arena, SupTrack, (size_t)clip->track_count + KINDS * (size_t)w->joint_count + targets);
  w->column_weights = SUP_ALLOC(arena, double, (size_t)count * w->column_count + 1);
  w->joints = SUP_ALLOC(arena, SupTransformd, (size_t)count * w->joint_count);
  w->morphs = SUP_ALLOC(arena, double, (size_t)count *morphs + 1);
  w->times = SUP_ALLOC(arena, double, count);
  w->values = SUP_ALLOC(arena, double, count *widest);
  if (!tracks || !w->column_weights || !w->joints || !w->morphs || !w->times || !w->values) {
    return sup_fail_memory(error, NULL);
  }
  uint32_t used = 0;
  for (uint32_t k = 0; k < clip->track_count; k++) {
    if (is_replaced(w, &clip->tracks[k])) continue;
    tracks[used] = clip->tracks[k];
    if (tracks[used].channel != SUP_CHANNEL_WEIGHTS) {
      tracks[used].target = w->map[tracks[used].target];
    }
    used++;
  }
  pose_frames(w, curves, frames);
  SupResult result = add_tracks(w, count, tracks, &used, error);
  if (result != SUP_OK) return result;
  const SupClip whole = {clip->name, clip->duration, used, tracks};
  return sup_gltf_put_clip(w->job->file->document, w->now, &whole, error);
}

/* ---- The document --------------------------------------------------------------------------- */

/* Adds the rig's helpers with their weights; fills w->now and w->map. */
static SupResult add_helpers(Writer *w, SupError *error) {
  CurvesJob *job = w->job;
  const SupSkeleton *skeleton = sup_character_rig_skeleton(job->skin);
  const SupSkeleton *own = &job->file->character->skeleton;
  const uint32_t count = skeleton->joint_count - own->joint_count;
  w->now = job->file->found;
  for (uint32_t j = 0; j < own->joint_count; j++) w->map[j] = j;
  if (count == 0) return SUP_OK;
  SupBakedHelper *helpers = SUP_ALLOC(job->app->arena, SupBakedHelper, count);
  if (!helpers) return sup_fail_memory(error, NULL);
  for (uint32_t h = 0; h < count; h++) {
    const uint32_t j = own->joint_count + h;
    helpers[h] = (SupBakedHelper){.parent = (uint32_t)skeleton->parents[j],
                                  .rest = skeleton->rest[j],
                                  .inverse_bind = skeleton->inverse_bind[own->bone_count + h],
                                  .name = skeleton->names[j]};
  }
  return sup_add_helpers(job->app, job->file, count, helpers, *sup_character_rig_skin(job->skin),
                         &w->now, w->map, error);
}

SupResult sup_curves_document(CurvesJob *job, const double *const *frames, const char *path,
                              SupError *error) {
  SupArena *arena = job->app->arena;
  Writer w = {.job = job, .joint_count = sup_character_rig_joint_count(job->skin)};
  w.map = SUP_ALLOC(arena, uint32_t, w.joint_count);
  w.tolerances = SUP_ALLOC(arena, double, KINDS *(size_t)w.joint_count);
  w.morph_tolerances = SUP_ALLOC(arena, double, (size_t)job->file->character->morph_count + 1);
  if (!w.map || !w.tolerances || !w.morph_tolerances) return sup_fail_memory(error, NULL);
  find_driven(&w);
  /* Without models, which would move the flesh once more. */
  SupResult result = sup_gltf_put_models(job->file->document, job->file->found, 0, NULL, error);
  if (result == SUP_OK) result = add_helpers(&w, error);
  if (result == SUP_OK) result = sup_curves_columns(job, &w.column_count, &w.columns, error);
  if (result == SUP_OK && w.column_count) {
    result = sup_curves_add_columns(job, w.column_count, w.columns, &w.now, error);
  }
  for (uint32_t k = 0; k < job->clip_count && result == SUP_OK; k++) {
    result = put_clip(&w, job->clips[k], &job->report->clips[k].curves, frames[k], error);
  }
  if (result == SUP_OK) {
    result = sup_gltf_save(job->file->document, path, SUP_GLTF_BY_NAME, error);
  }
  return result;
}
