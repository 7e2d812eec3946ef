/* SPDX-License-Identifier: MIT */
/*
 * Motion into morph targets: how far every vertex is from plain skinning, in rest space, is a long
 * vector per frame; its principal components, weighted by area, are the targets, and what each
 * frame has of them the weights.
 *
 *   U [frames x 3 vertices] = sqrt(area) offset,  U U^T = E diag(s^2) E^T
 *   target k = E_k^T U / sqrt(area) / s_k,  weight k of frame t = s_k E_tk
 * Then targets are scaled so that no weight leaves -1 .. 1.
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
  uint32_t row;   /* 3 * vertices */
  float *offsets; /* [frames * row] U */
  double *shares; /* [vertices] areas, sum 1 */
  float *basis;   /* [morphs * row] orthonormal rows, in U's scale */
  float *weights; /* [frames * morphs] in U's scale: metres, root mean square over the skin */
  uint32_t morphs;
} Baker;

static SupResult no_memory(const Baker *b) {
  return sup_fail(b->error, SUP_ERROR_MEMORY, "baking morph targets: out of memory");
}

static SupResult gather(Baker *b) {
  const uint32_t n = b->character->body.vertex_count, bones = b->character->skeleton.bone_count;
  SupVec3 *rest = SUP_ALLOC(b->arena, SupVec3, n);
  b->row = 3 * n;
  b->offsets = SUP_ALLOC(b->arena, float, (size_t)b->frames.count * b->row);
  b->shares = SUP_ALLOC(b->arena, double, n);
  if (!rest || !b->offsets || !b->shares) return no_memory(b);
  sup_vertex_shares(&b->character->body, b->shares);
  size_t frame = 0;
  for (uint32_t m = 0; m < b->def->motion_count; m++) {
    for (uint32_t t = 0; t < b->def->motions[m].frame_count; t++, frame++) {
      float *row = b->offsets + frame * b->row;
      sup_rest_offsets(b->character, b->frames.palettes + frame * bones,
                       b->def->motions[m].positions + (size_t)t * n, b->def->jobs, rest);
      for (uint32_t i = 0; i < n; i++) {
        const float root = (float)sup_sqrt(b->shares[i]);
        row[3 * i] = root * rest[i].x, row[3 * i + 1] = root * rest[i].y,
                row[3 * i + 2] = root * rest[i].z;
      }
    }
  }
  return SUP_OK;
}

/* Principal components of some of the frames, then the weights of all of them. */
static SupResult analyse(Baker *b) {
  const uint32_t step = 1 + (b->frames.count - 1) / BASIS_FRAMES;
  const uint32_t used = (b->frames.count + step - 1) / step, row = b->row;
  float *some = SUP_ALLOC(b->arena, float, (size_t)used *row);
  float *products = SUP_ALLOC(b->arena, float, (size_t)used *used);
  double *gram = SUP_ALLOC(b->arena, double, (size_t)used *used);
  double *values = SUP_ALLOC(b->arena, double, used);
  b->morphs = b->def->morph_count < used ? b->def->morph_count : used;
  b->basis = SUP_ALLOC(b->arena, float, (size_t)b->morphs *row);
  if (!some || !products || !gram || !values || !b->basis) return no_memory(b);
  for (uint32_t t = 0; t < used; t++) {
    sup_copy(some + (size_t)t * row, b->offsets + (size_t)t * step * row, row * sizeof(float));
  }
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
  while (b->morphs > 1 && !(values[used - b->morphs] > LEAST * LEAST * values[used - 1])) {
    b->morphs--;
  }
  for (uint32_t k = 0; k < b->morphs; k++) {
    const double *vector = gram + (size_t)(used - 1 - k) * used, value = values[used - 1 - k];
    float *to = b->basis + (size_t)k * row;
    for (uint32_t t = 0; t < used && value > 0; t++) {
      const float share = (float)(vector[t] / sup_sqrt(value)), *from = some + (size_t)t * row;
      for (uint32_t c = 0; c < row; c++) to[c] += share * from[c];
    }
  }
  b->weights = SUP_ALLOC(b->arena, float, (size_t)b->frames.count * b->morphs);
  if (!b->weights) return no_memory(b);
  const SupProduct project = {.b_transposed = true,
                              .rows = (int)b->frames.count,
                              .columns = (int)b->morphs,
                              .inner = (int)row,
                              .a_stride = (int)row,
                              .b_stride = (int)row,
                              .out_stride = (int)b->morphs};
  sup_dense_product_f32(&project, b->offsets, b->basis, b->weights);
  return SUP_OK;
}

/* What is left, as rest-space distance, and what there was; root mean squares over the area. */
static SupResult measure(Baker *b, SupBakedMorphs *out) {
  double *each = SUP_ALLOC(b->arena, double, b->def->motion_count), all = 0, plain = 0;
  float *row = SUP_ALLOC(b->arena, float, b->row);
  if (!each || !row) return no_memory(b);
  size_t frame = 0;
  for (uint32_t m = 0; m < b->def->motion_count; m++) {
    for (uint32_t t = 0; t < b->def->motions[m].frame_count; t++, frame++) {
      const float *from = b->offsets + frame * b->row;
      sup_copy(row, from, b->row * sizeof(float));
      for (uint32_t k = 0; k < b->morphs; k++) {
        const float w = b->weights[frame * b->morphs + k], *basis = b->basis + (size_t)k * b->row;
        for (uint32_t c = 0; c < b->row; c++) row[c] -= w * basis[c];
      }
      for (uint32_t c = 0; c < b->row; c++) {
        each[m] += (double)row[c] * (double)row[c];
        plain += (double)from[c] * (double)from[c];
      }
    }
    all += each[m];
    each[m] = sup_sqrt(each[m] / b->def->motions[m].frame_count);
  }
  out->motion_rmse = each;
  out->rmse = sup_sqrt(all / b->frames.count);
  out->plain_rmse = sup_sqrt(plain / b->frames.count);
  return SUP_OK;
}

/* Targets whose weights stay within -1 .. 1. */
static SupResult make_targets(Baker *b, double *scales, SupBakedMorphs *out) {
  const uint32_t n = b->character->body.vertex_count;
  SupVec3 **targets = SUP_ALLOC(b->arena, SupVec3 *, b->morphs);
  if (!targets) return no_memory(b);
  for (uint32_t k = 0; k < b->morphs; k++) {
    double most = 0;
    for (uint32_t t = 0; t < b->frames.count; t++) {
      const double w = (double)b->weights[(size_t)t * b->morphs + k];
      most = w > most ? w : -w > most ? -w : most;
    }
    scales[k] = most > 0 ? most : 1;
    targets[k] = SUP_ALLOC(b->arena, SupVec3, n);
    if (!targets[k]) return no_memory(b);
    for (uint32_t i = 0; i < n; i++) {
      const float *u = b->basis + (size_t)k * b->row + (size_t)3 * i;
      const float s = b->shares[i] > 0 ? (float)(scales[k] / sup_sqrt(b->shares[i])) : 0;
      targets[k][i] = sup_vec3_make(s * u[0], s * u[1], s * u[2]);
    }
  }
  out->morph_count = b->morphs;
  out->offsets = (const SupVec3 *const *)targets;
  return SUP_OK;
}

static SupResult make_tracks(Baker *b, const double *scales, SupBakedMorphs *out) {
  SupTrack *tracks = SUP_ALLOC(b->arena, SupTrack, b->def->motion_count);
  float *curve = SUP_ALLOC(b->arena, float, (size_t)b->frames.count * b->morphs);
  double tolerance = b->def->tolerance;
  if (!tracks || !curve) return no_memory(b);
  if (!(tolerance > 0)) {
    tolerance = 1e-4 * sup_bake_size(b->character, sup_affine_identity());
    if (out->rmse / 4 > tolerance) tolerance = out->rmse / 4;
  }
  for (size_t k = 0; k < (size_t)b->frames.count * b->morphs; k++) {
    curve[k] = (float)((double)b->weights[k] / scales[k % b->morphs]);
  }
  size_t first = 0;
  for (uint32_t m = 0; m < b->def->motion_count; m++) {
    const SupBakeMotion *motion = &b->def->motions[m];
    const SupTrack like = {.channel = SUP_CHANNEL_WEIGHTS, .width = b->morphs};
    SupResult result =
        sup_bake_track(b->arena, &like, motion->fps, motion->frame_count, curve + first * b->morphs,
                       b->weights + first * b->morphs, tolerance, &tracks[m], b->error);
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
  if (def->character->morph_count > 0) {
    return sup_fail(
        error, SUP_ERROR_UNSUPPORTED,
        "%s has morph targets of its own, which baked ones would be mixed with; bake it "
        "as helpers",
        def->character->name);
  }
  *out = (SupBakedMorphs){0};
  double *scales = SUP_ALLOC(arena, double, def->morph_count);
  if (!scales) return no_memory(&b);
  SupResult result =
      sup_bake_frames(arena, def->character, def->motion_count, def->motions, &b.frames, error);
  if (result == SUP_OK) result = gather(&b);
  if (result == SUP_OK) result = analyse(&b);
  if (result == SUP_OK) result = measure(&b, out);
  if (result == SUP_OK) result = make_targets(&b, scales, out);
  return result == SUP_OK ? make_tracks(&b, scales, out) : result;
}
