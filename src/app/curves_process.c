/* SPDX-License-Identifier: MIT */
/* Curves of a rig of somebody else: a process. The character gives topology and rest surface, the
 * process all that moves. */
#include <math.h>
#include <string.h>

#include "app/curves_parts.h"
#include "supple/author/body_scale.h"
#include "supple/clip.h"
#include "supple/rig/rig.h"

#define TOLERANCE 1e-3 /* of the diagonal: vertices of the rig are those of the body */

/* Some vertices of a rig, in another order. */
typedef struct Picked {
  const SupRig *of;
  uint32_t count;
  const uint32_t *vertices; /* [count] */
  SupVec3d *answers;        /* [SUP_RIG_BATCH_MAX * of->vertex_count] */
} Picked;

/* What a clip does to the parameters, at steps of the simulation. */
typedef struct Script {
  uint32_t count;
  double *times;  /* [count] */
  double *values; /* [count * parameter_count] */
} Script;

struct CurvesProcess {
  SupRigProcess *process;
  SupRigParameter *parameters; /* with those locked that --lock names */
  const uint32_t *to_rig;      /* [body's vertices] vertices of the process */
  Script *scripts;             /* [clip_count] */
};

/* ---- Picked vertices ------------------------------------------------------------------------ */

static SupResult evaluate_picked(void *user, uint32_t count, const double *parameters,
                                 SupVec3d *out, SupError *error) {
  Picked *p = user;
  SupResult result = SUP_OK;
  for (uint32_t first = 0; first < count && result == SUP_OK; first += SUP_RIG_BATCH_MAX) {
    const uint32_t part = count - first < SUP_RIG_BATCH_MAX ? count - first : SUP_RIG_BATCH_MAX;
    result = sup_rig_evaluate(p->of, part, &parameters[(size_t)first * p->of->parameter_count],
                              p->answers, error);
    for (uint32_t k = 0; result == SUP_OK && k < part; k++) {
      SupVec3d *into = &out[(size_t)(first + k) * p->count];
      const SupVec3d *from = &p->answers[(size_t)k * p->of->vertex_count];
      for (uint32_t v = 0; v < p->count; v++) into[v] = from[p->vertices[v]];
    }
  }
  return result;
}

static SupResult pick(const CurvesJob *job, uint32_t count, const uint32_t *vertices,
                      const SupRig **out_rig, SupError *error) {
  SupArena *arena = job->app->arena;
  const SupRig *of = sup_rig_process_rig(job->process->process);
  SupRig *rig = SUP_ALLOC(arena, SupRig, 1);
  Picked *picked = SUP_ALLOC(arena, Picked, 1);
  SupVec3d *answers = SUP_ALLOC(arena, SupVec3d, SUP_RIG_BATCH_MAX * (size_t)of->vertex_count);
  if (!rig || !picked || !answers) return sup_fail_memory(error, "the rig process");
  *picked = (Picked){of, count, vertices, answers};
  *rig = *of;
  rig->parameters = job->process->parameters;
  rig->vertex_count = count;
  rig->user = picked;
  rig->evaluate = evaluate_picked;
  *out_rig = rig;
  return SUP_OK;
}

SupResult sup_curves_process_drive(CurvesJob *job, SupError *error) {
  const uint32_t count = job->volume.skin_count;
  uint32_t *vertices = SUP_ALLOC(job->app->arena, uint32_t, count);
  if (!vertices) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < count; k++) {
    vertices[k] = job->process->to_rig[job->volume.skin[k]];
  }
  return pick(job, count, vertices, &job->driving, error);
}

/* ---- The body ------------------------------------------------------------------------------- */

/* The body at rest in the scene: the rig of nothing but joints. */
static SupResult rest_of_body(const CurvesJob *job, SupVec3 *out_rest, SupError *error) {
  const SupAppContext *app = job->app;
  const SupRigDef plain = {.name = "plain", .about = "", .script_rest = true};
  const SupCharacterRigDef def = {.character = job->file->character, .rig = &plain};
  const SupCharacterRig *made;
  SupResult result = sup_character_rig_create(app->arena, &def, &made, error);
  if (result != SUP_OK) return result;
  const SupRig *rig = sup_character_rig(made);
  double *parameters = SUP_ALLOC(app->arena, double, rig->parameter_count);
  SupVec3d *found = SUP_ALLOC(app->arena, SupVec3d, rig->vertex_count);
  if (!parameters || !found) return sup_fail_memory(error, NULL);
  sup_rig_rest(rig, parameters);
  result = sup_rig_evaluate(rig, 1, parameters, found, error);
  for (uint32_t v = 0; v < rig->vertex_count; v++) out_rest[v] = sup_vec3d_to_float(found[v]);
  return result;
}

static double diagonal_of(uint32_t count, const SupVec3 *x) {
  SupVec3 low = x[0], high = x[0];
  for (uint32_t v = 0; v < count; v++) {
    low = (SupVec3){fminf(low.x, x[v].x), fminf(low.y, x[v].y), fminf(low.z, x[v].z)};
    high = (SupVec3){fmaxf(high.x, x[v].x), fmaxf(high.y, x[v].y), fmaxf(high.z, x[v].z)};
  }
  return sup_vec3d_distance(sup_vec3_to_double(low), sup_vec3_to_double(high));
}

/* Finds the vertices of the body among those of the process. */
static SupResult match_body(CurvesJob *job, SupError *error) {
  SupArena *arena = job->app->arena;
  const SupCharacter *character = job->file->character;
  const SupRig *rig = sup_rig_process_rig(job->process->process);
  const SupVec3d *rest = sup_rig_process_rest(job->process->process);
  const uint32_t count = character->body.vertex_count;
  SupVec3 *wanted = SUP_ALLOC(arena, SupVec3, count);
  SupVec3 *given = SUP_ALLOC(arena, SupVec3, rig->vertex_count);
  if (!wanted || !given) return sup_fail_memory(error, NULL);
  for (uint32_t v = 0; v < rig->vertex_count; v++) given[v] = sup_vec3d_to_float(rest[v]);
  SupResult result = rest_of_body(job, wanted, error);
  if (result != SUP_OK) return result;
  const SupSamples samples = {.fps = 1,
                              .frame_count = 1,
                              .vertex_count = rig->vertex_count,
                              .order = SUP_ORDER_UNKNOWN,
                              .positions = given};
  const SupMatchDef def = {.reference = wanted};
  const double diagonal = diagonal_of(count, wanted);
  SupMatch match = {.certain = false};
  result = sup_samples_match(arena, character, &samples, &def, &match, error);
  if (result == SUP_ERROR_MEMORY) return result;
  if (result == SUP_OK && (double)match.distance <= TOLERANCE * diagonal) {
    job->process->to_rig = match.source;
    return SUP_OK;
  }
  const double own = diagonal_of(rig->vertex_count, given);
  if (result != SUP_OK) {
    return sup_fail(error, SUP_ERROR_FORMAT,
                    "the rig process has %u vertices over %g m at rest, the character's body %u "
                    "over %g m, and they do not lie at the same places; check mesh, units and axes",
                    rig->vertex_count, own, count, diagonal);
  }
  return sup_fail(error, SUP_ERROR_FORMAT,
                  "the vertices of the rig process lie up to %g m from those of the character at "
                  "rest (%g %% of its size); check mesh, units, axes and rest pose",
                  (double)match.distance, 100 * (double)match.distance / diagonal);
}

/* ---- Scripts -------------------------------------------------------------------------------- */

static SupResult read_script(const CurvesJob *job, const SupClip *clip, Script *out,
                             SupError *error) {
  SupArena *arena = job->app->arena;
  const double steps = fmax(1, ceil(1 / (job->def->fps * job->def->step) - 1e-9));
  const double h = 1 / (job->def->fps * steps), duration = (double)clip->duration;
  const uint32_t count = (uint32_t)ceil(duration / h - 1e-9) + 1;
  const uint32_t numbers = sup_rig_process_rig(job->process->process)->parameter_count;
  out->count = count;
  out->times = SUP_ALLOC(arena, double, count);
  out->values = SUP_ALLOC(arena, double, (size_t)count *numbers);
  if (!out->times || !out->values) return sup_fail_memory(error, "the clip");
  for (uint32_t i = 0; i < count; i++) out->times[i] = fmin(i * h, duration);
  return sup_rig_process_script(job->process->process, clip->name, count, out->times, out->values,
                                error);
}

void sup_curves_process_script(const CurvesJob *job, const SupClip *clip, double time, bool loop,
                               SupRigRole role, double *io_parameters) {
  const CurvesProcess *process = job->process;
  const SupRig *rig = sup_rig_process_rig(process->process);
  uint32_t c = 0, a = 0;
  while (c + 1 < job->clip_count && job->clips[c] != clip) c++;
  const Script *s = &process->scripts[c];
  const double duration = (double)clip->duration;
  if (loop && duration > 0) time -= duration * floor(time / duration);
  time = fmin(fmax(time, 0), s->times[s->count - 1]);
  for (uint32_t low = 0, high = s->count; high - low > 1;) {
    a = (low + high) / 2;
    if (s->times[a] <= time + 1e-12) {
      low = a;
    } else {
      high = a;
    }
    a = low;
  }
  const uint32_t b = a + 1 < s->count ? a + 1 : a;
  const double span = s->times[b] - s->times[a];
  const double t = span > 0 ? fmin(fmax((time - s->times[a]) / span, 0), 1) : 0;
  for (uint32_t k = 0; k < rig->parameter_count; k++) {
    if (process->parameters[k].role != role) continue;
    const double from = s->values[(size_t)a * rig->parameter_count + k];
    const double to = s->values[(size_t)b * rig->parameter_count + k];
    io_parameters[k] = t < 1e-9 ? from : from + t * (to - from);
  }
}

/* ---- The whole ------------------------------------------------------------------------------ */

static SupResult lock_parameters(CurvesJob *job, SupError *error) {
  const SupRig *rig = sup_rig_process_rig(job->process->process);
  const SupNames *lock = &job->def->lock;
  SupRigParameter *list =
      SUP_COPY(job->app->arena, SupRigParameter, rig->parameters, rig->parameter_count);
  if (!list) return sup_fail_memory(error, NULL);
  job->process->parameters = list;
  for (uint32_t n = 0; n < lock->count; n++) {
    bool any = false;
    for (uint32_t k = 0; k < rig->parameter_count; k++) {
      if (!sup_curves_gives(lock->names[n], &list[k])) continue;
      list[k].role = SUP_RIG_LOCKED;
      any = true;
    }
    if (any) continue;
    char hint[160];
    const SupNameList names = {&list[0].name, sizeof *list, rig->parameter_count};
    return sup_fail(error, SUP_ERROR_ARGUMENT, "--lock: '%s' is no parameter or zone of the rig%s",
                    lock->names[n], sup_name_hint(hint, sizeof hint, lock->names[n], names));
  }
  return SUP_OK;
}

static SupResult refuse_options(const CurvesJob *job, SupError *error) {
  const SupCurvesDef *def = job->def;
  if (def->rig || def->save_rig) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--%s has no meaning with --rig-command; leave one of them out",
                    def->rig ? "rig" : "save-rig");
  }
  if (job->output == CURVES_DOCUMENT) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "a glTF file cannot hold the parameters of a rig process; write a .json, .csv "
                    "or .pc2");
  }
  return SUP_OK;
}

SupResult sup_curves_process_open(CurvesJob *job, SupError *error) {
  const SupAppContext *app = job->app;
  const SupRigProcessDef def = {job->def->rig_command, job->def->rig_timeout};
  SupResult result = refuse_options(job, error);
  if (result != SUP_OK) return result;
  job->process = SUP_ALLOC(app->arena, CurvesProcess, 1);
  if (!job->process) return sup_fail_memory(error, NULL);
  *job->process = (CurvesProcess){.scripts = SUP_ALLOC(app->arena, Script, job->clip_count)};
  if (!job->process->scripts) return sup_fail_memory(error, NULL);
  result = sup_rig_process_open(app->arena, &def, &job->process->process, error);
  if (result != SUP_OK) return result;
  job->description.name = sup_rig_process_name(job->process->process);
  result = sup_rig_check(app->arena, sup_rig_process_rig(job->process->process), error);
  if (result == SUP_OK) result = lock_parameters(job, error);
  if (result == SUP_OK) result = match_body(job, error);
  if (result == SUP_OK) {
    result = pick(job, job->file->character->body.vertex_count, job->process->to_rig, &job->whole,
                  error);
  }
  if (result == SUP_OK && sup_rig_parameters(job->whole, SUP_RIG_FREE, NULL) == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "the rig has no free parameter; nothing would be simulated");
  }
  for (uint32_t k = 0; k < job->clip_count && result == SUP_OK; k++) {
    result = read_script(job, job->clips[k], &job->process->scripts[k], error);
  }
  return result;
}

uint64_t sup_curves_process_key(const CurvesJob *job) {
  const SupRig *rig = sup_rig_process_rig(job->process->process);
  uint64_t key = sup_hash(&rig->vertex_count, sizeof rig->vertex_count, 0);
  for (uint32_t k = 0; k < rig->parameter_count; k++) {
    key = sup_hash(rig->parameters[k].name, strlen(rig->parameters[k].name) + 1, key);
  }
  return key ? key : 1;
}

bool sup_curves_process_failed(const CurvesJob *job) {
  return job->process && job->process->process && sup_rig_process_failed(job->process->process);
}

void sup_curves_process_close(CurvesJob *job) {
  if (job->process) sup_rig_process_close(job->process->process);
}
