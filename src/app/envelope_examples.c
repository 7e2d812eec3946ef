/* SPDX-License-Identifier: MIT */
/* Example shapes and their poses. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/envelope_job.h"
#include "supple/app/shape_file.h"

#define SAME_TURN 1e-4  /* radians: poses are equal */
#define SAME_SHAPE 1e-4 /* of the size: shapes are equal */

typedef struct Reader {
  const SupAppContext *app;
  const SupCharacterFile *file;
  const SupEnvelopeCharacterDef *def;
  EnvelopeExamples found;
  SupError *error;
} Reader;

static bool ends_in(const char *path, const char *ending) {
  const size_t length = strlen(path), more = strlen(ending);
  if (length <= more) return false;
  for (size_t k = 0; k < more; k++) {
    const char c = path[length - more + k];
    if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != ending[k]) return false;
  }
  return true;
}

static const char *name_of(const SupEnvelopeSource *source) {
  return source->name ? source->name : source->shape;
}

static SupResult add(Reader *r, const char *name, const SupTransform *pose,
                     const SupVec3 *positions) {
  if (r->found.count == SUP_ENVELOPE_EXAMPLES_MAX) {
    return sup_fail(r->error, SUP_ERROR_ARGUMENT, "more than %u examples cannot be learned from",
                    SUP_ENVELOPE_EXAMPLES_MAX);
  }
  r->found.examples[r->found.count++] = (SupEnvelopeExample){name, pose, positions};
  return SUP_OK;
}

/* ---- Caches --------------------------------------------------------------------------------- */

/* The moment of the pose CLIP:SECONDS in a cache of that clip. */
static SupResult add_moment(Reader *r, const SupEnvelopeSource *source, const char *colon) {
  const char *clip = sup_arena_string(r->app->arena, source->pose, (size_t)(colon - source->pose));
  SupTransform *pose;
  SupExample *cache;
  if (!clip) return sup_fail_memory(r->error, NULL);
  const SupNames at = {1, &source->pose}, path = {1, &source->shape}, clips = {1, &clip};
  SupResult result = sup_named_poses(r->app, r->file, &at, 1, &pose, r->error);
  if (result == SUP_OK) {
    result = sup_read_examples(r->app, r->file, &path, &clips, r->def->fps, &cache, r->error);
  }
  if (result != SUP_OK) return result;
  const SupSamples *s = &cache->samples;
  const double time = strtod(colon + 1, NULL);
  const double frame = (time - (double)s->start) * (double)s->fps;
  const long nearest = lround(frame);
  if (nearest < 0 || nearest >= (long)s->frame_count || fabs(frame - (double)nearest) > 0.01) {
    const double end = (double)s->start + (s->frame_count - 1) / (double)s->fps;
    return sup_fail(r->error, SUP_ERROR_ARGUMENT,
                    "%s has no frame at %g s; it has %g frames per second from %g to %g s",
                    source->shape, time, (double)s->fps, (double)s->start, end);
  }
  char text[300];
  sup_format(text, sizeof text, "%s at %s", name_of(source), source->pose);
  const char *name =
      source->name ? source->name : sup_arena_string(r->app->arena, text, strlen(text));
  if (!name) return sup_fail_memory(r->error, NULL);
  return add(r, name, pose, s->positions + (size_t)nearest * s->vertex_count);
}

/* All frames of a cache of static poses. */
static SupResult add_poses(Reader *r, const SupEnvelopeSource *source) {
  const SupNames path = {1, &source->shape}, clips = {1, &source->pose};
  SupExample *cache;
  SupResult result =
      sup_read_examples(r->app, r->file, &path, &clips, r->def->fps, &cache, r->error);
  for (uint32_t i = 0; result == SUP_OK && i < cache->samples.frame_count; i++) {
    const SupSamples *s = &cache->samples;
    char text[300];
    sup_format(text, sizeof text, "%s, frame %u", name_of(source), i);
    const char *name = sup_arena_string(r->app->arena, text, strlen(text));
    if (!name) return sup_fail_memory(r->error, NULL);
    result = add(r, name, s->poses + (size_t)i * s->joint_count,
                 s->positions + (size_t)i * s->vertex_count);
  }
  return result;
}

/* ---- Shapes --------------------------------------------------------------------------------- */

static SupResult add_morph(Reader *r, const SupEnvelopeSource *source, const SupTransform *pose,
                           const SupVec3 *offsets) {
  const SupCharacter *c = r->file->character;
  SupVec3 *positions = SUP_ALLOC(r->app->arena, SupVec3, c->body.vertex_count);
  if (!positions) return sup_fail_memory(r->error, NULL);
  SupResult result = sup_skin_shape(r->app, c, pose, offsets, positions, r->error);
  return result == SUP_OK ? add(r, name_of(source), pose, positions) : result;
}

static SupResult refuse_name(const Reader *r, const SupEnvelopeSource *source) {
  const SupCharacter *c = r->file->character;
  const SupNameList names = {c->morphs ? &c->morphs->name : NULL, sizeof *c->morphs,
                             c->morph_count};
  char hint[200];
  return sup_fail(r->error, SUP_ERROR_ARGUMENT,
                  "%s has no morph target '%s'; name one, or a file (.obj, .glb, .gltf, .pc2)%s",
                  r->file->path, source->shape,
                  sup_name_hint(hint, sizeof hint, source->shape, names));
}

static SupResult add_file(Reader *r, const SupEnvelopeSource *source, SupTransform *pose,
                          bool own_pose) {
  const SupCharacter *c = r->file->character;
  SupSamples samples;
  SupVec3 *reference = SUP_ALLOC(r->app->arena, SupVec3, c->body.vertex_count);
  if (!reference) return sup_fail_memory(r->error, NULL);
  SupResult result = sup_read_shape(r->app, &r->def->open, source->shape, r->file,
                                    own_pose ? pose : NULL, &samples, r->error);
  if (result == SUP_OK) result = sup_skin_shape(r->app, c, pose, NULL, reference, r->error);
  if (result == SUP_OK) {
    result = sup_match_body(r->app, r->file, source->shape, reference, &samples, r->error);
  }
  return result == SUP_OK ? add(r, name_of(source), pose, samples.positions) : result;
}

static SupResult add_source(Reader *r, const SupEnvelopeSource *source) {
  const uint32_t joints = r->file->character->skeleton.joint_count;
  const SupVec3 *offsets;
  SupTransform *pose = NULL;
  const bool own_pose = strcmp(source->pose, "file") == 0;
  if (ends_in(source->shape, ".pc2") || ends_in(source->shape, ".mdd")) {
    const char *colon = strrchr(source->pose, ':');
    return *source->pose == '@' && !colon ? add_poses(r, source)
           : colon                        ? add_moment(r, source, colon)
                                          : sup_fail(r->error, SUP_ERROR_ARGUMENT,
                                                     "%s is a cache: its pose is CLIP:SECONDS, @poses "
                                                                            "or @far, not '%s'",
                                                     source->shape, source->pose);
  }
  SupResult result =
      sup_find_morph_shape(r->app, r->file->character, source->shape, &offsets, r->error);
  if (result != SUP_OK) return result;
  if (!offsets && !strchr(source->shape, '.')) return refuse_name(r, source);
  if (offsets && own_pose) {
    return sup_fail(r->error, SUP_ERROR_ARGUMENT,
                    "morph target '%s' is no file that has a pose; give CLIP:SECONDS or rest",
                    source->shape);
  }
  const SupNames at = {1, &source->pose};
  if (own_pose) {
    pose = SUP_ALLOC(r->app->arena, SupTransform, joints);
    if (!pose) return sup_fail_memory(r->error, NULL);
  } else {
    result = sup_named_poses(r->app, r->file, &at, 1, &pose, r->error);
  }
  if (result != SUP_OK) return result;
  return offsets ? add_morph(r, source, pose, offsets) : add_file(r, source, pose, own_pose);
}

/* ---- Contradictions ------------------------------------------------------------------------- */

static bool same_pose(const SupSkeleton *skeleton, const SupTransform *a, const SupTransform *b) {
  for (uint32_t j = 0; j < skeleton->joint_count; j++) {
    const SupQuat turn = sup_quat_mul(sup_quat_conjugate(a[j].rotation), b[j].rotation);
    if ((double)sup_vec3_length(sup_quat_log(sup_quat_normalise(turn))) > SAME_TURN) return false;
  }
  return true;
}

/* The largest distance over the size of the first shape. */
static double apart(const SupVec3 *a, const SupVec3 *b, uint32_t count) {
  double most = 0, size = 0;
  for (uint32_t v = 0; v < count; v++) {
    const double d = (double)sup_vec3_distance(a[v], b[v]);
    const double s = (double)sup_vec3_distance(a[v], a[0]);
    most = d > most ? d : most;
    size = s > size ? s : size;
  }
  return size > 0 ? most / size : 0;
}

static SupResult check_pairs(const Reader *r) {
  const SupCharacter *c = r->file->character;
  for (uint32_t a = 0; a < r->found.count; a++) {
    for (uint32_t b = a + 1; b < r->found.count; b++) {
      const SupEnvelopeExample *x = &r->found.examples[a], *y = &r->found.examples[b];
      if (!same_pose(&c->skeleton, x->pose, y->pose)) continue;
      const double gap = apart(x->positions, y->positions, c->body.vertex_count);
      return gap < SAME_SHAPE
                 ? sup_fail(r->error, SUP_ERROR_ARGUMENT,
                            "examples '%s' and '%s' are the same; leave one out", x->name, y->name)
                 : sup_fail(
                       r->error, SUP_ERROR_ARGUMENT,
                       "examples '%s' and '%s' contradict each other: their shapes differ by up "
                       "to %.2g %% of the size in the same pose",
                       x->name, y->name, 100 * gap);
    }
  }
  return SUP_OK;
}

/* Mirror images behind the examples that they are of; what is its own image has none. */
static SupResult add_images(Reader *r) {
  const SupSkeleton *skeleton = &r->file->character->skeleton;
  const EnvelopeExamples plain = r->found;
  SupEnvelopeExample *images = SUP_ALLOC(r->app->arena, SupEnvelopeExample, plain.count);
  uint32_t *first = SUP_ALLOC(r->app->arena, uint32_t, (size_t)plain.source_count + 1);
  r->found.examples = SUP_ALLOC(r->app->arena, SupEnvelopeExample, SUP_ENVELOPE_EXAMPLES_MAX);
  if (!images || !first || !r->found.examples) return sup_fail_memory(r->error, NULL);
  SupResult result =
      sup_envelope_mirror(r->app, r->file, plain.count, plain.examples, images, r->error);
  r->found.first = first;
  r->found.count = 0;
  for (uint32_t k = 0; result == SUP_OK && k < plain.source_count; k++) {
    first[k] = r->found.count;
    for (uint32_t e = plain.first[k]; result == SUP_OK && e < plain.first[k + 1]; e++) {
      const SupEnvelopeExample *x = &plain.examples[e];
      bool given = false; /* its image was sculpted, or it is its own */
      for (uint32_t i = 0; i < plain.count && !given; i++) {
        given = same_pose(skeleton, images[e].pose, plain.examples[i].pose);
      }
      result = add(r, x->name, x->pose, x->positions);
      if (result == SUP_OK && !given) {
        result = add(r, images[e].name, images[e].pose, images[e].positions);
      }
    }
  }
  first[plain.source_count] = r->found.count;
  return result;
}

SupResult sup_envelope_read_examples(const SupAppContext *app, const SupCharacterFile *file,
                                     const SupEnvelopeCharacterDef *def,
                                     EnvelopeExamples *out_examples, SupError *error) {
  const uint32_t count = def->given.example_count;
  Reader r = {.app = app, .file = file, .def = def, .error = error};
  SupResult result = SUP_OK;
  r.found.source_count = count;
  r.found.first = SUP_ALLOC(app->arena, uint32_t, (size_t)count + 1);
  r.found.examples = SUP_ALLOC(app->arena, SupEnvelopeExample, SUP_ENVELOPE_EXAMPLES_MAX);
  if (!r.found.first || !r.found.examples) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    r.found.first[k] = r.found.count;
    result = add_source(&r, &def->given.examples[k]);
  }
  r.found.first[count] = r.found.count;
  if (result == SUP_OK) result = check_pairs(&r);
  if (result == SUP_OK && def->mirror) result = add_images(&r);
  if (result == SUP_OK) *out_examples = r.found;
  return result;
}
