/* SPDX-License-Identifier: MIT */
/* Examples in one pose: frames of caches are put together, others refused. */
#include <string.h>

#include "app/envelope_job.h"
#include "supple/pose.h"

#define SAME_TURN 1e-4  /* radians: poses are equal */
#define SAME_SHAPE 1e-4 /* of the size: shapes are equal */

typedef struct Pairs {
  const SupAppContext *app;
  const SupCharacter *character;
  uint32_t whole; /* sup_envelope_whole */
  const SupEnvelopeFile *given;
  EnvelopeExamples *found;
  SupError *error;
} Pairs;

double sup_envelope_gap(const SupVec3 *a, const SupVec3 *b, uint32_t count, double *out_share) {
  double most = 0, size = 0;
  for (uint32_t v = 0; v < count; v++) {
    const double d = (double)sup_vec3_distance(a[v], b[v]);
    const double s = (double)sup_vec3_distance(a[v], a[0]);
    most = d > most ? d : most;
    size = s > size ? s : size;
  }
  *out_share = size > 0 ? most / size : 0;
  return most;
}

static bool ends_in(const char *path, const char *ending) {
  const size_t length = strlen(path), more = strlen(ending);
  if (length <= more) return false;
  for (size_t k = 0; k < more; k++) {
    const char c = path[length - more + k];
    if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != ending[k]) return false;
  }
  return true;
}

bool sup_envelope_is_cache(const SupEnvelopeSource *source) {
  return ends_in(source->shape, ".pc2") || ends_in(source->shape, ".mdd");
}

bool sup_envelope_same_pose(const SupSkeleton *skeleton, uint32_t whole, const SupTransform *a,
                            const SupTransform *b) {
  for (uint32_t j = 0; j < skeleton->joint_count; j++) {
    const SupQuat turn = sup_quat_mul(sup_quat_conjugate(a[j].rotation), b[j].rotation);
    if ((double)sup_vec3_length(sup_quat_log(sup_quat_normalise(turn))) > SAME_TURN &&
        !sup_envelope_moves_all(skeleton, whole, j)) {
      return false;
    }
  }
  return true;
}

/* The motion of the whole. */
static bool find_stand(const Pairs *r, const SupEnvelopeExample *x, SupAffine *out) {
  const SupCharacter *c = r->character;
  SupAffine *globals = SUP_ALLOC(r->app->arena, SupAffine, c->skeleton.joint_count);
  const SupPose pose = {c->skeleton.joint_count, sup_transform_identity(),
                        (SupTransform *)(uintptr_t)x->pose};
  if (!globals) return false;
  sup_pose_globals(&c->skeleton, &pose, globals);
  *out = r->whole == SUP_NONE ? sup_affine_identity() : globals[r->whole];
  return true;
}

/* The shape without the motion of the whole; in the arena. */
static SupVec3 *standing(const Pairs *r, const SupEnvelopeExample *x) {
  const uint32_t count = r->character->body.vertex_count;
  SupVec3 *out = SUP_ALLOC(r->app->arena, SupVec3, count);
  SupAffine stand;
  if (!out || !find_stand(r, x, &stand)) return NULL;
  const SupAffine back = sup_affine_inverse(stand);
  for (uint32_t v = 0; v < count; v++) out[v] = sup_affine_point(back, x->positions[v]);
  return out;
}

static const SupEnvelopeSource *source_of(const Pairs *r, uint32_t example) {
  uint32_t source = 0;
  while (r->found->first[source + 1] <= example) source++;
  return &r->given->examples[source];
}

/* Frames of caches, which may well show a pose twice: not one moment from two. */
static bool are_frames(const Pairs *r, uint32_t a, uint32_t b) {
  const SupEnvelopeSource *x = source_of(r, a), *y = source_of(r, b);
  return x == y ||
         (sup_envelope_is_cache(x) && sup_envelope_is_cache(y) && strcmp(x->pose, y->pose) != 0);
}

/* Frames that are put together. */
typedef struct Frames {
  bool again[SUP_ENVELOPE_EXAMPLES_MAX];     /* shows the pose of an earlier one, and is left out */
  SupVec3d *sums[SUP_ENVELOPE_EXAMPLES_MAX]; /* of differing shapes, standing; NULL: none */
  uint32_t counts[SUP_ENVELOPE_EXAMPLES_MAX];
  uint32_t same, lagging, last; /* how many show the same, and another shape; one that does */
  double gap;                   /* the largest, over the size */
} Frames;

static bool add_to_mean(const Pairs *r, uint32_t first, const SupVec3 *here, const SupVec3 *there,
                        Frames *io) {
  const uint32_t count = r->character->body.vertex_count;
  SupVec3d **sum = &io->sums[first];
  if (!*sum) {
    *sum = SUP_ALLOC(r->app->arena, SupVec3d, count);
    if (!*sum) return false;
    for (uint32_t v = 0; v < count; v++) (*sum)[v] = sup_vec3_to_double(here[v]);
    io->counts[first] = 1;
  }
  for (uint32_t v = 0; v < count; v++) {
    (*sum)[v] = sup_vec3d_add((*sum)[v], sup_vec3_to_double(there[v]));
  }
  io->counts[first]++;
  return true;
}

static SupResult check_pair(const Pairs *r, uint32_t a, uint32_t b, Frames *io) {
  const SupEnvelopeExample *x = &r->found->examples[a], *y = &r->found->examples[b];
  if (!sup_envelope_same_pose(&r->character->skeleton, r->whole, x->pose, y->pose)) return SUP_OK;
  const SupVec3 *here = standing(r, x), *there = standing(r, y);
  double share;
  if (!here || !there) return sup_fail_memory(r->error, NULL);
  sup_envelope_gap(here, there, r->character->body.vertex_count, &share);
  const bool same = share < SAME_SHAPE;
  if (!are_frames(r, a, b)) {
    if (same) {
      return sup_fail(r->error, SUP_ERROR_ARGUMENT,
                      "examples '%s' and '%s' are the same; leave one out", x->name, y->name);
    }
    return sup_fail(r->error, SUP_ERROR_ARGUMENT,
                    "examples '%s' and '%s' contradict each other: their shapes differ by up to "
                    "%.2g %% of the size in the same pose; leave one out",
                    x->name, y->name, 100 * share);
  }
  io->again[b] = true;
  io->last = b;
  if (same) {
    io->same++;
    return SUP_OK;
  }
  io->lagging++;
  io->gap = share > io->gap ? share : io->gap;
  return add_to_mean(r, a, here, there, io) ? SUP_OK : sup_fail_memory(r->error, NULL);
}

/* Flesh that lags behind a moving character differs in one pose: the mean is learned. */
static SupResult take_means(Pairs *r, const Frames *f) {
  const uint32_t count = r->character->body.vertex_count;
  for (uint32_t e = 0; e < r->found->count; e++) {
    SupEnvelopeExample *x = &r->found->examples[e];
    SupAffine stand;
    if (!f->sums[e]) continue;
    SupVec3 *mean = SUP_ALLOC(r->app->arena, SupVec3, count);
    if (!mean || !find_stand(r, x, &stand)) return sup_fail_memory(r->error, NULL);
    for (uint32_t v = 0; v < count; v++) {
      const SupVec3d at = sup_vec3d_scale(f->sums[e][v], 1.0 / f->counts[e]);
      mean[v] = sup_affine_point(stand, sup_vec3d_to_float(at));
    }
    x->positions = mean;
  }
  return SUP_OK;
}

/* Takes those out that are marked. */
static void drop(Pairs *r, const bool *again) {
  EnvelopeExamples *f = r->found;
  uint32_t kept = 0, e = 0;
  for (uint32_t k = 0; k < f->source_count; k++) {
    const uint32_t end = f->first[k + 1];
    f->first[k] = kept;
    for (; e < end; e++) {
      if (!again[e]) f->examples[kept++] = f->examples[e];
    }
  }
  f->first[f->source_count] = f->count = kept;
}

static void tell_frames(const Pairs *r, const Frames *f) {
  const char *last = r->found->examples[f->last].name;
  if (f->lagging) {
    sup_app_note(
        r->app,
        "note: %u frame%s poses that other frames show, with shapes up to %.2g %% of the size "
        "apart, as flesh that lags behind has: their mean is learned; for the shape at "
        "rest in a pose give equilibria (simulate --quasistatic, or --poses)\n",
        f->lagging, f->lagging == 1 ? " shows one of the" : "s show", 100 * f->gap);
  }
  if (!f->same) return;
  sup_app_note(
      r->app, "note: %u example%s as another frame of a cache: '%s'%s\n", f->same,
      f->same == 1 ? " is left out that shows the same" : "s are left out that show the same", last,
      f->same == 1 ? "" : ", ...");
}

SupResult sup_envelope_merge_frames(const SupAppContext *app, const SupCharacter *character,
                                    const SupEnvelopeFile *given, EnvelopeExamples *io_examples,
                                    SupError *error) {
  Pairs pairs = {app, character, sup_envelope_whole(character), given, io_examples, error},
        *r = &pairs;
  Frames *f = SUP_ALLOC(r->app->arena, Frames, 1);
  SupResult result = f ? SUP_OK : sup_fail_memory(r->error, NULL);
  for (uint32_t b = 0; b < r->found->count && result == SUP_OK; b++) {
    for (uint32_t a = 0; a < b && result == SUP_OK && !f->again[b]; a++) {
      if (!f->again[a]) result = check_pair(r, a, b, f);
    }
  }
  if (result == SUP_OK) result = take_means(r, f);
  if (result != SUP_OK || !(f->same || f->lagging)) return result;
  tell_frames(r, f);
  drop(r, f->again);
  return SUP_OK;
}
