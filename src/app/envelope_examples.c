/* SPDX-License-Identifier: MIT */
/* Example shapes and their poses. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/envelope_job.h"
#include "supple/app/shape_file.h"
#include "supple/pose.h"
#include "supple/quantity.h"

#define FAR 0.2   /* of the size: a sculpt may be of another pose */
#define WRONG 1.0 /* of the size: it is not of this pose, or not in its units */

typedef struct Reader {
  const SupAppContext *app;
  const SupCharacterFile *file;
  const SupEnvelopeCharacterDef *def;
  EnvelopeExamples found;
  SupError *error;
} Reader;

const char *sup_envelope_source_name(const SupEnvelopeSource *source) {
  return source->name ? source->name : source->written ? source->written : source->shape;
}

static const char *name_of(const SupEnvelopeSource *source) {
  return sup_envelope_source_name(source);
}

/* Shapes that have no names may be listed more than once, in several poses. */
static SupResult check_names(const SupEnvelopeFile *given, SupError *error) {
  for (uint32_t a = 0; a < given->example_count; a++) {
    for (uint32_t b = a + 1; b < given->example_count; b++) {
      const SupEnvelopeSource *x = &given->examples[a], *y = &given->examples[b];
      if ((!x->name && !y->name) || strcmp(name_of(x), name_of(y)) != 0) continue;
      return sup_fail(error, SUP_ERROR_ARGUMENT, "two examples are named '%s'; rename one",
                      name_of(x));
    }
  }
  return SUP_OK;
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

/* A sculpt is near the character that skinning shows in its pose. */
static SupResult check_pose(const Reader *r, const SupEnvelopeSource *source,
                            const SupVec3 *skinned, const SupVec3 *positions) {
  double share;
  const double most =
      sup_envelope_gap(skinned, positions, r->file->character->body.vertex_count, &share);
  if (share > WRONG) {
    return sup_fail(r->error, SUP_ERROR_ARGUMENT,
                    "'%s' is up to %s from the skinned character at %s, which is more than its "
                    "size: it is of another pose, or in other units",
                    source->shape, sup_length_text(most).text, source->pose);
  }
  if (share > FAR) {
    sup_app_note(r->app,
                 "note: '%s' is up to %s from the skinned character at %s; is that its pose?\n",
                 source->shape, sup_length_text(most).text, source->pose);
  }
  return SUP_OK;
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
  if (result == SUP_OK) result = check_pose(r, source, reference, samples.positions);
  return result == SUP_OK ? add(r, name_of(source), pose, samples.positions) : result;
}

static SupResult add_source(Reader *r, const SupEnvelopeSource *source) {
  const uint32_t joints = r->file->character->skeleton.joint_count;
  const SupVec3 *offsets;
  SupTransform *pose = NULL;
  const bool own_pose = strcmp(source->pose, "file") == 0;
  if (sup_envelope_is_cache(source)) {
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

/* ---- All of them ------------------------------------------------------------------------------
 */

/* Mirror images behind the examples that they are of; what is its own image has none. */
static SupResult add_images(Reader *r) {
  const EnvelopeExamples plain = r->found;
  const uint32_t whole = sup_envelope_whole(r->file->character);
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
        given = sup_envelope_same_pose(&r->file->character->skeleton, whole, images[e].pose,
                                       plain.examples[i].pose);
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

/* Examples that are no files: they have no sources that patches could name. */
static SupResult take_shapes(const SupAppContext *app, const SupEnvelopeCharacterDef *def,
                             EnvelopeExamples *out, SupError *error) {
  *out = (EnvelopeExamples){
      .count = def->shape_count,
      .examples = SUP_COPY(app->arena, SupEnvelopeExample, def->shapes, def->shape_count),
      .first = SUP_ALLOC(app->arena, uint32_t, 1)};
  if (!out->examples || !out->first) return sup_fail_memory(error, NULL);
  out->first[0] = 0;
  return SUP_OK;
}

SupResult sup_envelope_read_examples(const SupAppContext *app, const SupCharacterFile *file,
                                     const SupEnvelopeCharacterDef *def,
                                     EnvelopeExamples *out_examples, SupError *error) {
  const uint32_t count = def->given.example_count;
  Reader r = {.app = app, .file = file, .def = def, .error = error};
  if (def->shape_count > 0) return take_shapes(app, def, out_examples, error);
  SupResult result = check_names(&def->given, error);
  if (result != SUP_OK) return result;
  r.found.source_count = count;
  r.found.first = SUP_ALLOC(app->arena, uint32_t, (size_t)count + 1);
  r.found.examples = SUP_ALLOC(app->arena, SupEnvelopeExample, SUP_ENVELOPE_EXAMPLES_MAX);
  if (!r.found.first || !r.found.examples) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    r.found.first[k] = r.found.count;
    result = add_source(&r, &def->given.examples[k]);
  }
  r.found.first[count] = r.found.count;
  if (result == SUP_OK) {
    result = sup_envelope_merge_frames(app, file->character, &def->given, &r.found, error);
  }
  if (result == SUP_OK && def->mirror) result = add_images(&r);
  if (result == SUP_OK) *out_examples = r.found;
  return result;
}
