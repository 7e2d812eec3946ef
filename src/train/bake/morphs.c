/* SPDX-License-Identifier: MIT */
/*
 * Motion into morph targets: how far every vertex is from plain skinning, in rest space, is a long
 * vector per frame; its mean and its principal components, weighted by area, are the targets, and
 * what each frame has of them the weights.
 *
 *   U [frames x 3 vertices] = sqrt(area) offset - mean,  U U^T = E diag(s^2) E^T
 *   component k = E_k^T U / sqrt(area) / s_k,  weight k of frame t = s_k E_tk
 * Programs and engines clamp weights to 0 .. 1 (Blender, Unity). So a component's weight is counted
 * from the least it has in any frame, in units of how far it goes from there, and the first target,
 * whose weight is 1 while a clip plays, is the mean together with the least of every component.
 */
#include "numerics/dense.h"
#include "supple/model.h"
#include "train/bake/bake.h"
#include "train/rest_offsets.h"

#define COOKIE SUP_FOURCC('b', 'k', 'm', 'o')
#define BASIS_FRAMES 600 /* the targets are found from about so many frames */
#define LEAST 1e-6       /* of the first component: what is weaker is left out */

SupBakeMorphsDef sup_bake_morphs_def(const SupCharacter *character) {
  return (SupBakeMorphsDef){.cookie = COOKIE, .character = character, .morph_count = 16};
}

typedef struct Baker {
  SupArena *arena;
  const SupBakeMorphsDef *def;
  const SupCharacter *character;
  SupError *error;
  BakeFrames frames;
  uint32_t row;          /* 3 * vertices */
  SupVec3 *rest;         /* [vertices] offsets of one frame */
  float *now;            /* [row] U's row of one frame */
  double *fractions;     /* [vertices] areas, sum 1 */
  float *some;           /* [basis frames * row] U's rows */
  float *mean;           /* [row] */
  float *basis;          /* [parts * row] orthonormal rows, in U's scale */
  float *weights;        /* [frames * parts] in U's scale: metres, root mean square over the skin */
  uint32_t parts;        /* components: one fewer than targets */
  uint32_t gathered;     /* basis frames so far */
  double *each, *errors; /* [motion_count] and [vertices] squares of what is left */
  double plain;
} Baker;

static SupResult allocate(Baker *b) {
  const uint32_t n = b->character->body.vertex_count, used = b->frames.basis_count;
  b->row = 3 * n;
  b->parts = b->def->morph_count - 1 < used ? b->def->morph_count - 1 : used;
  b->rest = SUP_ALLOC(b->arena, SupVec3, n);
  b->now = SUP_ALLOC(b->arena, float, b->row);
  b->fractions = SUP_ALLOC(b->arena, double, n);
  b->some = SUP_ALLOC(b->arena, float, (size_t)used * b->row);
  b->mean = SUP_ALLOC(b->arena, float, b->row);
  b->basis = SUP_ALLOC(b->arena, float, (size_t)b->parts * b->row);
  b->weights = SUP_ALLOC(b->arena, float, (size_t)b->frames.count * b->parts);
  b->each = SUP_ALLOC(b->arena, double, b->def->motion_count);
  b->errors = SUP_ALLOC(b->arena, double, n);
  if (!b->rest || !b->now || !b->fractions || !b->some || !b->mean || !b->basis || !b->weights ||
      !b->each || !b->errors) {
    return sup_fail_memory(b->error, "baking morph targets");
  }
  sup_vertex_fractions(&b->character->body, b->fractions);
  return SUP_OK;
}

/* A row of U: what the skeleton and the character's own targets do not do. */
static void offsets_of(Baker *b, uint32_t frame, const SupVec3 *positions, float *row) {
  const uint32_t n = b->character->body.vertex_count, bones = b->character->skeleton.bone_count;
  const SupVec3 *own = sup_bake_own_morphs(&b->frames, frame);
  sup_rest_offsets(b->character, b->frames.palettes + (size_t)frame * bones, positions,
                   b->def->jobs, b->rest);
  for (uint32_t i = 0; i < n; i++) {
    const float root = (float)sup_sqrt(b->fractions[i]);
    const SupVec3 left = own ? sup_vec3_sub(b->rest[i], own[i]) : b->rest[i];
    row[3 * i] = root * left.x, row[3 * i + 1] = root * left.y, row[3 * i + 2] = root * left.z;
  }
}

static SupResult gather(void *user, uint32_t frame, const SupVec3 *positions) {
  Baker *b = (Baker *)user;
  if (b->gathered == b->frames.basis_count || b->frames.basis[b->gathered] != frame) return SUP_OK;
  offsets_of(b, frame, positions, b->some + (size_t)b->gathered++ * b->row);
  return SUP_OK;
}

/* Takes the mean away. */
static void centre(Baker *b) {
  const uint32_t used = b->frames.basis_count;
  for (uint32_t t = 0; t < used; t++) {
    const float *row = b->some + (size_t)t * b->row;
    for (uint32_t c = 0; c < b->row; c++) b->mean[c] += row[c] / (float)used;
  }
  for (uint32_t t = 0; t < used; t++) {
    float *row = b->some + (size_t)t * b->row;
    for (uint32_t c = 0; c < b->row; c++) row[c] -= b->mean[c];
  }
}

/* Principal components of some of the frames. */
static SupResult analyse(Baker *b) {
  const uint32_t used = b->frames.basis_count, row = b->row;
  const float *some = b->some;
  float *products = SUP_ALLOC(b->arena, float, (size_t)used *used);
  double *gram = SUP_ALLOC(b->arena, double, (size_t)used *used);
  double *values = SUP_ALLOC(b->arena, double, used);
  if (!products || !gram || !values) return sup_fail_memory(b->error, "baking morph targets");
  centre(b);
  sup_dense_one_thread();
  const SupProduct square = {.b_transposed = true,
                             .rows = (int)used,
                             .columns = (int)used,
                             .inner = (int)row,
                             .a_stride = (int)row,
                             .b_stride = (int)row,
                             .out_stride = (int)used};
  sup_dense_product_f32(&square, some, some, products);
  for (size_t k = 0; k < (size_t)used * used; k++) gram[k] = (double)products[k];
  SupResult result = sup_dense_eig_symmetric((int)used, gram, values, b->error);
  if (result != SUP_OK) return result;
  while (b->parts > 0 && !(values[used - b->parts] > LEAST * LEAST * values[used - 1])) b->parts--;
  for (uint32_t k = 0; k < b->parts; k++) {
    const double *vector = gram + (size_t)(used - 1 - k) * used, value = values[used - 1 - k];
    float *to = b->basis + (size_t)k * row;
    for (uint32_t t = 0; t < used && value > 0; t++) {
      const float fraction = (float)(vector[t] / sup_sqrt(value)), *from = some + (size_t)t * row;
      for (uint32_t c = 0; c < row; c++) to[c] += fraction * from[c];
    }
  }
  return SUP_OK;
}

/* The weights of a frame, and what is left of it. */
static SupResult project(void *user, uint32_t frame, const SupVec3 *positions) {
  Baker *b = (Baker *)user;
  float *weights = b->weights + (size_t)frame * b->parts, *row = b->now;
  double *sum = &b->each[b->frames.motion_of[frame]];
  offsets_of(b, frame, positions, row);
  for (uint32_t c = 0; c < b->row; c++) {
    b->plain += (double)row[c] * (double)row[c];
    row[c] -= b->mean[c];
  }
  const SupProduct onto = {.b_transposed = true,
                           .rows = 1,
                           .columns = (int)b->parts,
                           .inner = (int)b->row,
                           .a_stride = (int)b->row,
                           .b_stride = (int)b->row,
                           .out_stride = (int)b->parts};
  if (b->parts) sup_dense_product_f32(&onto, row, b->basis, weights);
  for (uint32_t k = 0; k < b->parts; k++) {
    const float w = weights[k], *basis = b->basis + (size_t)k * b->row;
    for (uint32_t c = 0; c < b->row; c++) row[c] -= w * basis[c];
  }
  for (uint32_t c = 0; c < b->row; c++) {
    const double square = (double)row[c] * (double)row[c];
    *sum += square;
    b->errors[c / 3] += square;
  }
  return SUP_OK;
}

/* What is left, as rest-space distance, and what there was; root mean squares over the area. */
static void sum_up(Baker *b, SupBakedMorphs *out) {
  double all = 0;
  for (uint32_t m = 0; m < b->def->motion_count; m++) {
    all += b->each[m];
    b->each[m] = sup_sqrt(b->each[m] / b->def->motions[m].frame_count);
  }
  for (uint32_t i = 0; i < b->character->body.vertex_count; i++) {
    const double fraction = b->fractions[i] * b->frames.count;
    b->errors[i] = fraction > 0 ? sup_sqrt(b->errors[i] / fraction) : 0;
  }
  out->motion_rmse = b->each;
  out->errors = b->errors;
  out->rmse = sup_sqrt(all / b->frames.count);
  out->plain_rmse = sup_sqrt(b->plain / b->frames.count);
}

/* How far the weight of a component goes. */
typedef struct Reach {
  double least, way;
} Reach;

static SupVec3 *new_target(Baker *b, const float *row, double scale) {
  const uint32_t n = b->character->body.vertex_count;
  SupVec3 *target = SUP_ALLOC(b->arena, SupVec3, n);
  for (uint32_t i = 0; target && i < n; i++) {
    const float *u = row + (size_t)3 * i;
    const float s = b->fractions[i] > 0 ? (float)(scale / sup_sqrt(b->fractions[i])) : 0;
    target[i] = sup_vec3_make(s * u[0], s * u[1], s * u[2]);
  }
  return target;
}

static SupResult make_targets(Baker *b, Reach *reach, SupBakedMorphs *out) {
  SupVec3 **targets = SUP_ALLOC(b->arena, SupVec3 *, b->parts + 1);
  if (!targets) return sup_fail_memory(b->error, "baking morph targets");
  for (uint32_t k = 0; k < b->parts; k++) {
    const float *basis = b->basis + (size_t)k * b->row;
    double least = (double)b->weights[k], most = least;
    for (uint32_t t = 1; t < b->frames.count; t++) {
      const double w = (double)b->weights[(size_t)t * b->parts + k];
      least = w < least ? w : least;
      most = w > most ? w : most;
    }
    reach[k] = (Reach){least, most > least ? most - least : 1};
    targets[k + 1] = new_target(b, basis, reach[k].way);
    if (!targets[k + 1]) return sup_fail_memory(b->error, "baking morph targets");
    for (uint32_t c = 0; c < b->row; c++) b->mean[c] += (float)least * basis[c];
  }
  targets[0] = new_target(b, b->mean, 1);
  if (!targets[0]) return sup_fail_memory(b->error, "baking morph targets");
  out->morph_count = b->parts + 1;
  out->offsets = (const SupVec3 *const *)targets;
  return SUP_OK;
}

static SupResult make_tracks(Baker *b, const Reach *reach, SupBakedMorphs *out) {
  const uint32_t width = b->parts + 1;
  SupTrack *tracks = SUP_ALLOC(b->arena, SupTrack, b->def->motion_count);
  float *curve = SUP_ALLOC(b->arena, float, (size_t)b->frames.count *width);
  float *metres = SUP_ALLOC(b->arena, float, (size_t)b->frames.count *width);
  double tolerance = b->def->tolerance;
  if (!tracks || !curve || !metres) return sup_fail_memory(b->error, "baking morph targets");
  if (!(tolerance > 0)) {
    tolerance = 1e-4 * sup_bake_size(b->character, sup_affine_identity());
    if (out->rmse / 4 > tolerance) tolerance = out->rmse / 4;
  }
  for (size_t t = 0; t < b->frames.count; t++) {
    curve[t * width] = 1;
    for (uint32_t k = 0; k < b->parts; k++) {
      const float w = b->weights[t * b->parts + k];
      const double fraction = ((double)w - reach[k].least) / reach[k].way;
      curve[t * width + k + 1] = (float)(fraction < 0 ? 0 : fraction > 1 ? 1 : fraction);
      metres[t * width + k + 1] = w;
    }
  }
  size_t first = 0;
  for (uint32_t m = 0; m < b->def->motion_count; m++) {
    const SupBakeMotion *motion = &b->def->motions[m];
    const SupTrack like = {.channel = SUP_CHANNEL_WEIGHTS, .width = width};
    SupResult result =
        sup_bake_track(b->arena, &like, motion->fps, motion->frame_count, curve + first * width,
                       metres + first * width, tolerance, &tracks[m], b->error);
    if (result != SUP_OK) return result;
    first += motion->frame_count;
    out->key_count += tracks[m].key_count;
    out->sample_count += motion->frame_count;
  }
  out->tracks = tracks;
  return SUP_OK;
}

SupResult sup_bake_morphs(SupArena *arena, const SupBakeMorphsDef *def, SupBakedMorphs *out,
                          SupError *error) {
  Baker b = {.arena = arena, .def = def, .character = def->character, .error = error};
  if (def->cookie != COOKIE || def->morph_count == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "baking: start from sup_bake_morphs_def(), with at least one target");
  }
  *out = (SupBakedMorphs){0};
  Reach *reach = SUP_ALLOC(arena, Reach, def->morph_count);
  if (!reach) return sup_fail_memory(b.error, "baking morph targets");
  SupResult result = sup_bake_frames(arena, def->character, def->motion_count, def->motions,
                                     BASIS_FRAMES, &b.frames, error);
  if (result == SUP_OK) result = allocate(&b);
  if (result == SUP_OK) result = sup_bake_visit(&b.frames, gather, &b);
  if (result == SUP_OK) result = analyse(&b);
  if (result == SUP_OK) result = sup_bake_visit(&b.frames, project, &b);
  if (result != SUP_OK) return result;
  sum_up(&b, out);
  result = make_targets(&b, reach, out);
  return result == SUP_OK ? make_tracks(&b, reach, out) : result;
}
