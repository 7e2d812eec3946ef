/* SPDX-License-Identifier: MIT */
/*
 * The weights come from some of the frames; then the helpers follow all of them, a chunk at a time,
 * beginning where the nearest of those frames had them against their parents.
 *
 * Morph targets of the character go on acting in the baked file, under the new weights. What they
 * do under the old ones is taken from the examples; the two differ by as much as the weights turn
 * an offset, which the measured error includes.
 */
#include "train/bake/bake_helpers.h"
#include "train/helpers/decompose.h"
#include "train/rest_offsets.h"

#define CHUNK 96    /* frames */
#define STILL 1e-5f /* of the diagonal: what never goes farther from its skin keeps its weights */

/* out = positions without what the character's own morph targets do. */
static void without_morphs(const HelperBaker *b, uint32_t frame, const SupVec3 *positions,
                           SupVec3 *out) {
  const uint32_t n = b->character->body.vertex_count;
  const SupVec3 *morphs = sup_bake_own_morphs(&b->frames, frame);
  sup_copy(out, positions, n * sizeof *out);
  for (uint32_t i = 0; morphs && i < n; i++) {
    const SupVec3d way = sup_bake_turn(&b->frames, frame, i, morphs[i]);
    out[i] = sup_vec3_sub(out[i], sup_vec3d_to_float(way));
  }
}

static void bones_of(const HelperBaker *b, uint32_t frame, SupAffine *out) {
  const uint32_t bones = b->character->skeleton.bone_count;
  const SupAffine to_body = sup_affine_inverse(b->def->bind_to_scene);
  for (uint32_t k = 0; k < bones; k++) {
    out[k] = sup_affine_mul(b->frames.palettes[(size_t)frame * bones + k], to_body);
  }
}

/* ---- Basis ---------------------------------------------------------------------------------- */

typedef struct Gather {
  HelperBaker *b;
  uint32_t next; /* of the basis */
  SupVec3 *positions;
  SupAffine *fixed;
  float *away; /* [vertices] farthest from plain skinning */
} Gather;

static SupResult gather(void *user, uint32_t frame, const SupVec3 *positions) {
  Gather *g = (Gather *)user;
  const HelperBaker *b = g->b;
  const uint32_t n = b->character->body.vertex_count;
  if (g->next == b->frames.basis_count || b->frames.basis[g->next] != frame) return SUP_OK;
  SupVec3 *to = g->positions + (size_t)g->next * n;
  without_morphs(b, frame, positions, to);
  bones_of(b, frame, g->fixed + (size_t)g->next * b->character->skeleton.bone_count);
  for (uint32_t i = 0; i < n; i++) {
    const SupVec3 plain =
        sup_vec3d_to_float(sup_bake_skin(&b->frames, frame, i, b->character->body.positions[i]));
    const float away = sup_vec3_distance(plain, to[i]);
    if (!(away <= g->away[i])) g->away[i] = away;
  }
  g->next++;
  return SUP_OK;
}

/* Vertices that are plain skin all the time keep its weights, bit by bit. */
static SupResult lock_still(HelperBaker *b, const float *away) {
  const SupCharacter *c = b->character;
  const float still = STILL * (float)sup_bake_size(c, b->def->bind_to_scene);
  uint8_t *locked = SUP_ALLOC(b->arena, uint8_t, c->body.vertex_count);
  if (!locked) return sup_fail_memory(b->error, "baking helpers");
  for (uint32_t i = 0; i < c->body.vertex_count; i++) {
    const uint32_t count = c->skin.offsets[i + 1] - c->skin.offsets[i];
    locked[i] = away[i] <= still && count <= b->solver.influences;
    b->kept_count += locked[i];
  }
  b->solver.locked = locked;
  b->solver.skin = &c->skin;
  return SUP_OK;
}

/* Bones of the answer: where the solver had none of the skeleton, they come before all the same. */
static SupResult renumber(HelperBaker *b) {
  SupSkin *skin = &b->parts.skin;
  const uint32_t count = skin->offsets[skin->vertex_count], first = b->parts.fixed_count;
  const uint32_t bones = b->character->skeleton.bone_count;
  uint32_t *numbers = SUP_COPY(b->arena, uint32_t, skin->bones, count);
  if (!numbers) return sup_fail_memory(b->error, "baking helpers");
  for (uint32_t k = 0; k < count; k++) numbers[k] += bones - first;
  skin->bones = numbers;
  b->parts.fixed_count = bones;
  return SUP_OK;
}

SupResult sup_bake_solve(HelperBaker *b) {
  const SupBakeHelpersDef *def = b->def;
  const uint32_t n = b->character->body.vertex_count, bones = b->character->skeleton.bone_count;
  const uint32_t count = b->frames.basis_count, helpers = def->solver.helper_count;
  SupVec3 *rest = SUP_ALLOC(b->arena, SupVec3, n);
  double *fractions = SUP_ALLOC(b->arena, double, n);
  float *weights = SUP_ALLOC(b->arena, float, n);
  Gather g = {.b = b,
              .positions = SUP_ALLOC(b->arena, SupVec3, (size_t)count * n),
              .fixed = SUP_ALLOC(b->arena, SupAffine, (size_t)count * bones),
              .away = SUP_ALLOC(b->arena, float, n)};
  b->motions = SUP_ALLOC(b->arena, SupAffine, (size_t)b->frames.count * helpers);
  if (!rest || !fractions || !weights || !g.positions || !g.fixed || !g.away || !b->motions) {
    return sup_fail_memory(b->error, "baking helpers");
  }
  for (uint32_t i = 0; i < n; i++) {
    rest[i] = sup_affine_point(def->bind_to_scene, b->character->body.positions[i]);
  }
  sup_vertex_fractions(&b->character->body, fractions);
  for (uint32_t i = 0; i < n; i++) weights[i] = (float)(fractions[i] * n);
  b->solver = def->solver;
  b->solver.vertex_count = n;
  b->solver.rest = rest;
  b->solver.vertex_weights = weights;
  b->solver.fixed_count = def->free_bones ? 0 : bones;
  SupResult result = sup_bake_visit(&b->frames, gather, &g);
  if (result == SUP_OK && !def->free_bones) result = lock_still(b, g.away);
  if (result != SUP_OK) return result;
  SupDecomposeDef solver = b->solver;
  solver.frame_count = count;
  solver.positions = g.positions;
  solver.fixed = g.fixed;
  result = sup_decompose(b->arena, &solver, &b->parts, b->error);
  if (result == SUP_OK) result = renumber(b);
  if (result != SUP_OK) return result;
  for (uint32_t k = 0; k < count; k++) {
    sup_copy(b->motions + (size_t)b->frames.basis[k] * helpers,
             b->parts.helpers + (size_t)k * helpers, helpers * sizeof *b->motions);
  }
  return SUP_OK;
}

/* ---- All frames ----------------------------------------------------------------------------- */

typedef struct Follow {
  HelperBaker *b;
  uint32_t first, count; /* frames in the chunk */
  SupVec3 *positions;    /* [CHUNK * vertices] as they are */
  SupVec3 *goals;        /* the same without morph targets */
  SupAffine *fixed;
  SupSkin skin; /* as the solver numbers bones */
  double *each; /* [motion_count] squares */
  double *errors;
  double plain;
} Follow;

/* The frame of the basis nearest to one, of the same motion. */
static uint32_t nearest_basis(const BakeFrames *f, uint32_t frame) {
  uint32_t low = 0, high = f->basis_count - 1;
  while (low < high) {
    const uint32_t middle = (low + high + 1) / 2;
    if (f->basis[middle] <= frame) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  const uint32_t before = f->basis[low];
  if (low + 1 == f->basis_count) return before;
  const uint32_t after = f->basis[low + 1];
  return f->motion_of[after] == f->motion_of[frame] && after - frame < frame - before ? after
                                                                                      : before;
}

/* As the helpers were in a frame of the basis, carried along by their parents. */
static void begin_frame(HelperBaker *b, uint32_t frame) {
  const SupSkeleton *skeleton = &b->character->skeleton;
  const uint32_t from = nearest_basis(&b->frames, frame), helpers = b->parts.helper_count;
  if (from == frame) return;
  for (uint32_t h = 0; h < helpers; h++) {
    const uint32_t joint = skeleton->bone_joints[b->parents[h]];
    const SupAffined was =
        sup_affine_to_double(b->frames.globals[(size_t)from * skeleton->joint_count + joint]);
    const SupAffined is =
        sup_affine_to_double(b->frames.globals[(size_t)frame * skeleton->joint_count + joint]);
    const SupAffined old = sup_affine_to_double(b->motions[(size_t)from * helpers + h]);
    SupAffined now = old;
    if (sup_bake_is_open(was) && sup_bake_is_open(is)) {
      now = sup_affined_mul(sup_affined_mul(is, sup_affined_inverse(was)), old);
    }
    b->motions[(size_t)frame * helpers + h] = sup_affined_to_float(now);
  }
}

/* Where the baked skin puts a vertex, which has `rest` with its morph targets. */
static SupVec3d baked_at(const HelperBaker *b, uint32_t frame, uint32_t i, SupVec3 rest) {
  const SupSkin *skin = &b->parts.skin;
  const uint32_t bones = b->parts.fixed_count;
  const SupAffine *palette = b->frames.palettes + (size_t)frame * bones;
  const SupAffine *helpers = b->motions + (size_t)frame * b->parts.helper_count;
  const SupVec3 scene = sup_affine_point(b->def->bind_to_scene, rest);
  SupVec3d sum = {0, 0, 0};
  for (uint32_t k = skin->offsets[i]; k < skin->offsets[i + 1]; k++) {
    const uint32_t bone = skin->bones[k];
    const SupVec3 at = bone < bones ? sup_affine_point(palette[bone], rest)
                                    : sup_affine_point(helpers[bone - bones], scene);
    sum = sup_vec3d_add_scaled(sum, sup_vec3_to_double(at), (double)skin->weights[k]);
  }
  return sum;
}

static void measure(Follow *f, uint32_t frame, const SupVec3 *positions) {
  const HelperBaker *b = f->b;
  const SupVec3 *morphs = sup_bake_own_morphs(&b->frames, frame);
  double *sum = &f->each[b->frames.motion_of[frame]];
  for (uint32_t i = 0; i < b->character->body.vertex_count; i++) {
    SupVec3 rest = b->character->body.positions[i];
    if (morphs) rest = sup_vec3_add(rest, morphs[i]);
    const SupVec3d goal = sup_vec3_to_double(positions[i]);
    const SupVec3d off = sup_vec3d_sub(baked_at(b, frame, i, rest), goal);
    const SupVec3d was = sup_vec3d_sub(sup_bake_skin(&b->frames, frame, i, rest), goal);
    *sum += sup_vec3d_dot(off, off);
    f->errors[i] += sup_vec3d_dot(off, off);
    f->plain += sup_vec3d_dot(was, was);
  }
}

static SupResult end_chunk(Follow *f) {
  HelperBaker *b = f->b;
  const uint32_t n = b->character->body.vertex_count, helpers = b->parts.helper_count;
  SupResult result = SUP_OK;
  if (f->count == 0) return SUP_OK;
  if (b->frames.basis_count < b->frames.count) {
    SupAffine *motions = b->motions + (size_t)f->first * helpers;
    SupDecomposeDef chunk = b->solver;
    chunk.frame_count = f->count;
    chunk.positions = f->goals;
    chunk.fixed = f->fixed;
    result = sup_decompose_follow(&chunk, b->arena->allocator, &f->skin, motions, b->error);
  }
  for (uint32_t k = 0; k < f->count && result == SUP_OK; k++) {
    measure(f, f->first + k, f->positions + (size_t)k * n);
  }
  f->first += f->count;
  f->count = 0;
  return result;
}

static SupResult follow(void *user, uint32_t frame, const SupVec3 *positions) {
  Follow *f = (Follow *)user;
  HelperBaker *b = f->b;
  const size_t n = b->character->body.vertex_count, bones = b->character->skeleton.bone_count;
  sup_copy(f->positions + f->count * n, positions, n * sizeof *positions);
  without_morphs(b, frame, positions, f->goals + f->count * n);
  bones_of(b, frame, f->fixed + f->count * bones);
  f->count++;
  return f->count == CHUNK ? end_chunk(f) : SUP_OK;
}

/* The skin with the solver's numbers of bones. */
static SupResult solver_skin(HelperBaker *b, Follow *f) {
  const uint32_t count = b->parts.skin.offsets[b->parts.skin.vertex_count];
  uint32_t *bones = SUP_COPY(b->arena, uint32_t, b->parts.skin.bones, count);
  if (!bones) return sup_fail_memory(b->error, "baking helpers");
  for (uint32_t k = 0; k < count; k++) bones[k] -= b->parts.fixed_count - b->solver.fixed_count;
  f->skin = b->parts.skin;
  f->skin.bones = bones;
  return SUP_OK;
}

SupResult sup_bake_follow(HelperBaker *b, SupBakedHelpers *out) {
  const size_t n = b->character->body.vertex_count, bones = b->character->skeleton.bone_count;
  const double frames = b->frames.count;
  Follow f = {.b = b,
              .positions = SUP_ALLOC(b->arena, SupVec3, CHUNK * n),
              .goals = SUP_ALLOC(b->arena, SupVec3, CHUNK * n),
              .fixed = SUP_ALLOC(b->arena, SupAffine, CHUNK * bones),
              .each = SUP_ALLOC(b->arena, double, b->def->motion_count),
              .errors = SUP_ALLOC(b->arena, double, n)};
  double all = 0;
  if (!f.positions || !f.goals || !f.fixed || !f.each || !f.errors) {
    return sup_fail_memory(b->error, "baking helpers");
  }
  SupResult result = solver_skin(b, &f);
  for (uint32_t t = 0; t < b->frames.count; t++) begin_frame(b, t);
  if (result == SUP_OK) result = sup_bake_visit(&b->frames, follow, &f);
  if (result == SUP_OK) result = end_chunk(&f);
  for (uint32_t m = 0; m < b->def->motion_count; m++) {
    all += f.each[m];
    f.each[m] = sup_sqrt(f.each[m] / ((double)n * b->def->motions[m].frame_count));
  }
  for (size_t i = 0; i < n; i++) f.errors[i] = sup_sqrt(f.errors[i] / frames);
  out->motion_rmse = f.each;
  out->errors = f.errors;
  out->rmse = sup_sqrt(all / ((double)n * frames));
  out->plain_rmse = sup_sqrt(f.plain / ((double)n * frames));
  out->kept_count = b->kept_count;
  return result;
}
