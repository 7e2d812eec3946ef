/* SPDX-License-Identifier: MIT */
/* Keys that an animator keeps: free parameters held over an interval, at the clip's own keys or at
 * those of an edited file, with ramps before and after. */
#include <math.h>
#include <string.h>

#include "app/curves_parts.h"
#include "supple/clip.h"
#include "supple/io/rig_curves_file.h"
#include "supple/rig/rig.h"

#define NOWHERE UINT32_MAX

struct CurvesKept {
  bool *of;          /* [keep_count * free_count] which parameters a --keep gives */
  SupRigTable table; /* of a .csv; no rows: none */
  uint32_t *columns; /* [free_count] of the table, or NOWHERE */
  bool document;     /* `file` is open */
  SupCharacterFile file;
  const SupClip **clips; /* [clip_count] of that file */
  uint32_t *joints;      /* [joints of the rig] of that file, or NOWHERE */
  uint32_t *morphs;      /* [morph_count] of that file, or NOWHERE */
  SupPosed theirs, ours;
  double *their_weights, *our_weights;
  double *parameters; /* [parameter_count] */
};

static bool ends_in(const char *path, const char *ending) {
  const size_t length = strlen(path), n = strlen(ending);
  return length >= n && strcmp(path + length - n, ending) == 0;
}

/* Whether any --keep gives a free parameter. */
static bool is_kept(const CurvesJob *job, uint32_t k) {
  for (uint32_t n = 0; n < job->def->keep_count; n++) {
    if (job->kept->of[(size_t)n * job->free_count + k]) return true;
  }
  return false;
}

/* ---- A table -------------------------------------------------------------------------------- */

static SupResult open_table(CurvesJob *job, SupError *error) {
  CurvesKept *kept = job->kept;
  const SupRig *rig = sup_curves_rig(job);
  const char *path = job->def->edited;
  if (job->clip_count > 1) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--edited: %s is of one clip, and %u are played; choose it with --clip", path,
                    job->clip_count);
  }
  SupResult result = sup_rig_curves_read_csv(job->app->arena, path, &kept->table, error);
  kept->columns = SUP_ALLOC(job->app->arena, uint32_t, job->free_count);
  if (result == SUP_OK && !kept->columns) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; result == SUP_OK && k < job->free_count; k++) {
    const char *name = rig->parameters[job->free[k]].name;
    uint32_t c = 0;
    while (c < kept->table.column_count && strcmp(kept->table.names[c], name) != 0) c++;
    kept->columns[k] = c < kept->table.column_count ? c : NOWHERE;
    if (kept->columns[k] == NOWHERE && is_kept(job, k)) {
      return sup_fail(error, SUP_ERROR_ARGUMENT, "--edited: %s has no column '%s'", path, name);
    }
  }
  return result;
}

/* A column at a time: linear between the rows, still before and after. */
static double table_value(const SupRigTable *table, uint32_t column, double time) {
  uint32_t b = 0;
  while (b < table->row_count && table->times[b] < time) b++;
  const uint32_t a = b ? b - 1 : 0;
  if (b == table->row_count) b--;
  const double from = table->values[(size_t)a * table->column_count + column];
  const double to = table->values[(size_t)b * table->column_count + column];
  if (a == b) return from;
  const double t = (time - table->times[a]) / (table->times[b] - table->times[a]);
  return t == 1 ? to : from + t * (to - from);
}

/* ---- A document ----------------------------------------------------------------------------- */

/* Joints, morph targets and clips of the same names. */
static SupResult match_document(CurvesJob *job, SupError *error) {
  CurvesKept *kept = job->kept;
  SupArena *arena = job->app->arena;
  const SupSkeleton *own = sup_character_rig_skeleton(job->skin);
  const SupCharacter *other = kept->file.character, *character = job->file->character;
  const SupSkeleton *theirs = &other->skeleton;
  kept->joints = SUP_ALLOC(arena, uint32_t, own->joint_count);
  kept->morphs = SUP_ALLOC(arena, uint32_t, (size_t)character->morph_count + 1);
  kept->clips = SUP_ALLOC(arena, const SupClip *, job->clip_count);
  kept->ours = (SupPosed){own->joint_count, sup_transformd_identity(),
                          SUP_ALLOC(arena, SupTransformd, own->joint_count)};
  kept->theirs = (SupPosed){theirs->joint_count, sup_transformd_identity(),
                            SUP_ALLOC(arena, SupTransformd, theirs->joint_count)};
  kept->our_weights = SUP_ALLOC(arena, double, (size_t)character->morph_count + 1);
  kept->their_weights = SUP_ALLOC(arena, double, (size_t)other->morph_count + 1);
  if (!kept->joints || !kept->morphs || !kept->clips || !kept->ours.joints ||
      !kept->theirs.joints || !kept->our_weights || !kept->their_weights) {
    return sup_fail_memory(error, NULL);
  }
  for (uint32_t j = 0; j < own->joint_count; j++) {
    uint32_t i = 0;
    while (i < theirs->joint_count && strcmp(theirs->names[i], own->names[j]) != 0) i++;
    kept->joints[j] = i < theirs->joint_count ? i : NOWHERE;
  }
  for (uint32_t m = 0; m < character->morph_count; m++) {
    uint32_t i = 0;
    while (i < other->morph_count && strcmp(other->morphs[i].name, character->morphs[m].name)) i++;
    kept->morphs[m] = i < other->morph_count ? i : NOWHERE;
  }
  for (uint32_t c = 0; c < job->clip_count; c++) {
    const char *name = job->clips[c]->name;
    uint32_t i = 0;
    while (i < other->clip_count && strcmp(other->clips[i].name, name) != 0) i++;
    if (i == other->clip_count) {
      return sup_fail(error, SUP_ERROR_ARGUMENT, "--edited: %s has no clip '%s'", job->def->edited,
                      name);
    }
    kept->clips[c] = &other->clips[i];
  }
  return SUP_OK;
}

/* Refuses a kept parameter that the document cannot tell. */
static SupResult check_document(const CurvesJob *job, SupError *error) {
  const SupRig *rig = sup_curves_rig(job);
  const SupSkeleton *own = sup_character_rig_skeleton(job->skin);
  for (uint32_t n = 0; n < job->description.control_count; n++) {
    const SupRigControl *control = &job->description.controls[n];
    const SupRigTarget *target = &control->targets[0];
    uint32_t k = 0, j = 0;
    while (k < job->free_count &&
           strcmp(rig->parameters[job->free[k]].name, control->base.name) != 0) {
      k++;
    }
    if (k == job->free_count || !is_kept(job, k)) continue;
    if (target->kind == SUP_RIG_JOINT_TURN || target->kind > SUP_RIG_MORPH) {
      return sup_fail(error, SUP_ERROR_ARGUMENT,
                      "--edited: a glTF file does not tell parameter '%s', which drives a %s; give "
                      "an edited .csv",
                      control->base.name,
                      target->kind == SUP_RIG_JOINT_TURN ? "turn" : "lattice or wire");
    }
    if (target->kind == SUP_RIG_MORPH) {
      const SupCharacter *character = job->file->character;
      while (j < character->morph_count && strcmp(character->morphs[j].name, target->name) != 0)
        j++;
      if (j == character->morph_count || job->kept->morphs[j] != NOWHERE) continue;
      return sup_fail(error, SUP_ERROR_ARGUMENT, "--edited: %s has no morph target '%s'",
                      job->def->edited, target->name);
    }
    while (j < own->joint_count && strcmp(own->names[j], target->name) != 0) j++;
    if (j < own->joint_count && job->kept->joints[j] != NOWHERE) continue;
    return sup_fail(error, SUP_ERROR_ARGUMENT, "--edited: %s has no joint '%s'", job->def->edited,
                    target->name);
  }
  return SUP_OK;
}

static SupResult open_document(CurvesJob *job, SupError *error) {
  const SupOpenDef open = sup_open_def();
  if (job->process) {
    return sup_fail(
        error, SUP_ERROR_ARGUMENT,
        "--edited: the parameters of a rig process are not in a glTF file; give a .csv");
  }
  SupResult result = sup_character_open(job->app, job->def->edited, &open, &job->kept->file, error);
  if (result != SUP_OK) return result;
  job->kept->document = true;
  result = match_document(job, error);
  return result == SUP_OK ? check_document(job, error) : result;
}

/* The free parameters as the document's clip has them. */
static void read_document(const CurvesJob *job, const SupClip *clip, double time) {
  const CurvesKept *kept = job->kept;
  const SupCharacter *other = kept->file.character, *character = job->file->character;
  uint32_t c = 0;
  while (c + 1 < job->clip_count && job->clips[c] != clip) c++;
  sup_pose_rest_f64(&other->skeleton, (SupPosed *)&kept->theirs);
  for (uint32_t m = 0; m < other->morph_count; m++) {
    kept->their_weights[m] = (double)other->morphs[m].weight;
  }
  sup_clip_sample_f64(kept->clips[c], time, false, NULL, (SupPosed *)&kept->theirs,
                      kept->their_weights);
  sup_pose_rest_f64(sup_character_rig_skeleton(job->skin), (SupPosed *)&kept->ours);
  for (uint32_t j = 0; j < kept->ours.joint_count; j++) {
    if (kept->joints[j] != NOWHERE) kept->ours.joints[j] = kept->theirs.joints[kept->joints[j]];
  }
  for (uint32_t m = 0; m < character->morph_count; m++) {
    kept->our_weights[m] = kept->morphs[m] != NOWHERE ? kept->their_weights[kept->morphs[m]]
                                                      : (double)character->morphs[m].weight;
  }
  sup_rig_rest(sup_character_rig(job->rig), kept->parameters);
  sup_character_rig_keyed(job->rig, &kept->ours, kept->our_weights, kept->parameters);
}

/* ---- The whole ------------------------------------------------------------------------------ */

static SupResult find_kept(CurvesJob *job, SupError *error) {
  const SupRig *rig = sup_curves_rig(job);
  for (uint32_t n = 0; n < job->def->keep_count; n++) {
    const char *word = job->def->keeps[n].name;
    bool any = false;
    for (uint32_t k = 0; k < job->free_count; k++) {
      const bool gives = sup_curves_gives(word, &rig->parameters[job->free[k]]);
      job->kept->of[(size_t)n * job->free_count + k] = gives;
      any |= gives;
    }
    if (!any) return sup_curves_refuse_name("keep", word, rig, error);
  }
  return SUP_OK;
}

SupResult sup_curves_open_keeps(CurvesJob *job, SupError *error) {
  SupArena *arena = job->app->arena;
  const char *path = job->def->edited;
  if (job->def->keep_count == 0) return SUP_OK;
  job->kept = SUP_ALLOC(arena, CurvesKept, 1);
  if (!job->kept) return sup_fail_memory(error, NULL);
  job->kept->of = SUP_ALLOC(arena, bool, (size_t)job->def->keep_count * job->free_count);
  job->kept->parameters = SUP_ALLOC(arena, double, job->parameter_count);
  if (!job->kept->of || !job->kept->parameters) return sup_fail_memory(error, NULL);
  SupResult result = find_kept(job, error);
  if (result != SUP_OK || !path) return result;
  if (ends_in(path, ".csv")) return open_table(job, error);
  if (ends_in(path, ".glb") || ends_in(path, ".gltf")) return open_document(job, error);
  return sup_fail(error, SUP_ERROR_ARGUMENT,
                  "--edited: %s is no .glb, .gltf or .csv, such as --as curves writes", path);
}

void sup_curves_close_keeps(CurvesJob *job) {
  if (job->kept && job->kept->document) sup_character_close(&job->kept->file);
}

/* 1 in the interval, 0 a ramp away from it, smooth between. */
static double fraction_at(const SupCurveKeep *keep, double time) {
  const double slack = 1e-9, before = keep->first - time, after = time - keep->last;
  const double far = fmax(before, after);
  if (far <= slack) return 1;
  if (!(keep->ramp > 0) || far >= keep->ramp) return 0;
  const double u = 1 - far / keep->ramp;
  return u * u * (3 - 2 * u);
}

/* The same where times a period apart are one. */
static double loop_fraction_at(const SupCurveKeep *keep, double time, double period) {
  const double now = fraction_at(keep, time);
  if (!(period > 0)) return now;
  return fmax(now, fmax(fraction_at(keep, time - period), fraction_at(keep, time + period)));
}

/* How fast flesh is drawn to the keys with that fraction of a ramp: a quarter of the ramp is the
 * time constant where 63 % are held, and steps of any length do the same together. */
static double rate_of(double fraction, double ramp) {
  if (fraction >= 1) return INFINITY;
  return fraction > 0 ? -log1p(-fraction) * 4 / ramp : 0;
}

void sup_curves_held(CurvesJob *job, const SupClip *clip, double time, double period,
                     const double *keyed, const CurvesHeld *out) {
  CurvesKept *kept = job->kept;
  if (period > 0) time = fmax(time - period * floor(time / period + 1e-9), 0);
  const SupRig *rig = sup_curves_rig(job);
  if (kept->document) read_document(job, clip, time);
  for (uint32_t k = 0; k < job->free_count; k++) {
    const SupRigParameter *p = &rig->parameters[job->free[k]];
    double value = kept->document ? kept->parameters[job->free[k]] : keyed[job->free[k]];
    out->fractions[k] = out->rates[k] = 0;
    for (uint32_t n = 0; n < job->def->keep_count; n++) {
      const SupCurveKeep *keep = &job->def->keeps[n];
      const double fraction = loop_fraction_at(keep, time, period);
      if (!kept->of[(size_t)n * job->free_count + k]) continue;
      out->fractions[k] = fmax(out->fractions[k], fraction);
      out->rates[k] = fmax(out->rates[k], rate_of(fraction, keep->ramp));
    }
    if (kept->table.row_count && kept->columns[k] != NOWHERE) {
      value = table_value(&kept->table, kept->columns[k], time);
    }
    out->values[k] = fmin(fmax(value, p->low), p->high);
  }
}

SupResult sup_curves_check_from(const CurvesJob *job, SupError *error) {
  const double time = job->def->from / job->def->fps;
  for (uint32_t n = 0; n < job->def->keep_count; n++) {
    const SupCurveKeep *keep = &job->def->keeps[n];
    if (keep->first - keep->ramp >= time - 1e-9 || job->def->from == 0) continue;
    return sup_fail(
        error, SUP_ERROR_ARGUMENT,
        "--keep: '%s' begins to be held at %.4g s, before frame %u (%.4g s), from which "
        "--from goes on; go on from an earlier one",
        keep->name, keep->first - keep->ramp, job->def->from, time);
  }
  return SUP_OK;
}
