/* SPDX-License-Identifier: MIT */
/*
 * Motion into helper joints: a skinning decomposition with the character's bones given, each helper
 * hung below the joint it moves least against, its motion as keys.
 *
 * Everything is in scene space. B = translation to the middle of a helper's flesh at rest: the
 * joint stands there with the axes of the scene, G(t) = S(t) B, its inverse bind matrix is
 * B^-1 (bind to scene), and its local motion below parent p is G_p(t)^-1 G(t).
 */
#include "supple/geom/mesh.h"
#include "supple/model.h"
#include "train/bake/bake.h"
#include "train/rest_offsets.h"

#define COOKIE SUP_FOURCC('b', 'k', 'h', 'p')

SupBakeHelpersDef sup_bake_helpers_def(const SupCharacter *character) {
  SupBakeHelpersDef def = {.cookie = COOKIE,
                           .character = character,
                           .bind_to_scene = sup_affine_identity(),
                           .solver = sup_decompose_def()};
  def.solver.helper_count = 16;
  return def;
}

typedef struct Baker {
  SupArena *arena;
  const SupBakeHelpersDef *def;
  const SupCharacter *character;
  SupError *error;
  BakeFrames frames;
  SupDecomposition parts;
  double *radii; /* [helpers] how far flesh reaches from a helper, root mean square */
  double tolerance;
} Baker;

static SupResult no_memory(const Baker *b) {
  return sup_fail(b->error, SUP_ERROR_MEMORY, "baking helpers: out of memory");
}

/* Fills the arrays of the solver: rest and frames in scene space, vertices by their area. */
static SupResult solve(Baker *b) {
  const SupBakeHelpersDef *def = b->def;
  const uint32_t n = b->character->body.vertex_count, bones = b->character->skeleton.bone_count;
  SupDecomposeDef solver = def->solver;
  SupVec3 *rest = SUP_ALLOC(b->arena, SupVec3, n);
  SupVec3 *positions = SUP_ALLOC(b->arena, SupVec3, (size_t)b->frames.count * n);
  SupAffine *fixed = SUP_ALLOC(b->arena, SupAffine, (size_t)b->frames.count * bones);
  double *shares = SUP_ALLOC(b->arena, double, n);
  float *weights = SUP_ALLOC(b->arena, float, n);
  if (!rest || !positions || !fixed || !shares || !weights) return no_memory(b);
  for (uint32_t i = 0; i < n; i++) {
    rest[i] = sup_affine_point(def->bind_to_scene, b->character->body.positions[i]);
  }
  const SupAffine to_body = sup_affine_inverse(def->bind_to_scene);
  for (size_t k = 0; k < (size_t)b->frames.count * bones; k++) {
    fixed[k] = sup_affine_mul(b->frames.palettes[k], to_body);
  }
  size_t at = 0;
  for (uint32_t k = 0; k < def->motion_count; k++) {
    const size_t count = (size_t)def->motions[k].frame_count * n;
    sup_copy(positions + at, def->motions[k].positions, count * sizeof *positions);
    at += count;
  }
  sup_vertex_shares(&b->character->body, shares);
  for (uint32_t i = 0; i < n; i++) weights[i] = (float)(shares[i] * n);
  solver.vertex_count = n;
  solver.rest = rest;
  solver.frame_count = b->frames.count;
  solver.positions = positions;
  solver.fixed_count = bones;
  solver.fixed = fixed;
  solver.vertex_weights = weights;
  return sup_decompose(b->arena, &solver, &b->parts, b->error);
}

/* Where a helper's flesh is at rest, and how far it reaches. */
static SupVec3d middle(const Baker *b, uint32_t h, double *out_radius) {
  const SupSkin *skin = &b->parts.skin;
  const uint32_t bone = b->parts.fixed_count + h;
  SupVec3d sum = {0, 0, 0};
  double weight = 0, square = 0;
  for (uint32_t i = 0; i < skin->vertex_count; i++) {
    for (uint32_t k = skin->offsets[i]; k < skin->offsets[i + 1]; k++) {
      if (skin->bones[k] != bone) continue;
      const double w = (double)skin->weights[k];
      const SupVec3d p =
          sup_vec3_widen(sup_affine_point(b->def->bind_to_scene, b->character->body.positions[i]));
      sum = sup_vec3d_add_scaled(sum, p, w);
      square += w * sup_vec3d_dot(p, p);
      weight += w;
    }
  }
  if (!(weight > 0)) {
    *out_radius = 0;
    return sum;
  }
  const SupVec3d centre = sup_vec3d_scale(sum, 1 / weight);
  const double spread = square / weight - sup_vec3d_dot(centre, centre);
  *out_radius = spread > 0 ? sup_sqrt(spread) : 0;
  return centre;
}

/* The helper's motion below a joint, in one frame. */
static SupAffined local_at(const Baker *b, uint32_t frame, uint32_t h, uint32_t joint,
                           SupVec3d at) {
  const uint32_t joints = b->character->skeleton.joint_count;
  const SupAffined parent = sup_affine_widen(b->frames.globals[(size_t)frame * joints + joint]);
  SupAffined own = sup_affine_widen(b->parts.helpers[(size_t)frame * b->parts.helper_count + h]);
  const SupVec3d place = sup_affined_point(own, at);
  own.m[9] = place.x, own.m[10] = place.y, own.m[11] = place.z;
  return sup_affined_mul(sup_affined_inverse(parent), own);
}

/* The same at rest: where it stands in the bind pose of the parent's bone. */
static SupAffined local_at_rest(const Baker *b, uint32_t bone, SupVec3d at) {
  const SupAffined to_body = sup_affined_inverse(sup_affine_widen(b->def->bind_to_scene));
  SupAffined place = sup_affined_identity();
  place.m[9] = at.x, place.m[10] = at.y, place.m[11] = at.z;
  return sup_affined_mul(sup_affine_widen(b->character->skeleton.inverse_bind[bone]),
                         sup_affined_mul(to_body, place));
}

/* How much a helper moves against a bone, in square metres of its flesh. */
static double restless(const Baker *b, uint32_t h, uint32_t bone, SupVec3d at, double radius) {
  const uint32_t joint = b->character->skeleton.bone_joints[bone];
  const uint32_t joints = b->character->skeleton.joint_count, step = 1 + b->frames.count / 200;
  const SupAffined still = local_at_rest(b, bone, at);
  const SupMat3d was = sup_affined_linear(still);
  double sum = 0, scale = 0;
  for (int k = 0; k < 9; k++) scale += was.m[k] * was.m[k] / 3;
  for (uint32_t t = 0; t < b->frames.count; t += step) {
    const SupAffined now = local_at(b, t, h, joint, at);
    const SupMat3d turned = sup_affined_linear(now);
    const SupAffined parent = sup_affine_widen(b->frames.globals[(size_t)t * joints + joint]);
    const SupVec3d moved =
        sup_vec3d_sub(sup_affined_translation(now), sup_affined_translation(still));
    const SupVec3d gap = sup_mat3d_mul_vec3(sup_affined_linear(parent), moved);
    sum += sup_vec3d_dot(gap, gap);
    for (int k = 0; k < 9; k++) {
      const double apart = turned.m[k] - was.m[k];
      sum += radius * radius * apart * apart / (scale > 0 ? scale : 1);
    }
  }
  return sum;
}

static uint32_t best_parent(const Baker *b, uint32_t h, SupVec3d at, double radius) {
  uint32_t best = 0;
  double least = 0;
  for (uint32_t bone = 0; bone < b->character->skeleton.bone_count; bone++) {
    const double value = restless(b, h, bone, at, radius);
    if (bone == 0 || value < least) least = value, best = bone;
  }
  return best;
}

/* Translation and rotation tracks of one helper in one motion. */
static SupResult make_tracks(Baker *b, const SupBakeMotion *motion, uint32_t first, uint32_t h,
                             uint32_t joint, SupVec3d at, SupTrack *out) {
  const uint32_t count = motion->frame_count;
  float *places = SUP_ALLOC(b->arena, float, (size_t)3 * count);
  float *turns = SUP_ALLOC(b->arena, float, (size_t)4 * count);
  if (!places || !turns) return no_memory(b);
  SupQuatd last = sup_quatd_identity();
  double scale = 1;
  for (uint32_t t = 0; t < count; t++) {
    const SupAffined local = local_at(b, first + t, h, joint, at);
    const SupTransformd parts = sup_affined_decompose(local);
    SupQuatd q = parts.rotation;
    if (t > 0 && sup_quatd_dot(q, last) < 0) q = sup_quatd_negate(q);
    last = q;
    scale = parts.scale.x > 0 ? parts.scale.x : 1;
    const double values[7] = {
        parts.translation.x, parts.translation.y, parts.translation.z, q.x, q.y, q.z, q.w};
    for (uint32_t c = 0; c < 3; c++) places[3 * (size_t)t + c] = (float)values[c];
    for (uint32_t c = 0; c < 4; c++) turns[4 * (size_t)t + c] = (float)values[3 + c];
  }
  const uint32_t target = b->character->skeleton.joint_count + h;
  const SupTrack place = {.target = target, .channel = SUP_CHANNEL_TRANSLATION, .width = 3};
  const SupTrack turn = {.target = target, .channel = SUP_CHANNEL_ROTATION, .width = 4};
  const double reach = b->radii[h] > 0 ? b->radii[h] : 1;
  /* `scale` leads from metres to the units of the parent. */
  SupResult result = sup_bake_track(b->arena, &place, motion->fps, count, places, NULL,
                                    b->tolerance * scale / 2, &out[0], b->error);
  return result == SUP_OK ? sup_bake_track(b->arena, &turn, motion->fps, count, turns, NULL,
                                           b->tolerance / (2 * reach), &out[1], b->error)
                          : result;
}

static SupResult hang(Baker *b, SupBakedHelpers *out) {
  const uint32_t helpers = b->parts.helper_count, motions = b->def->motion_count;
  SupBakedHelper *made = SUP_ALLOC(b->arena, SupBakedHelper, helpers);
  SupTrack **tracks = SUP_ALLOC(b->arena, SupTrack *, motions);
  uint32_t *counts = SUP_ALLOC(b->arena, uint32_t, motions);
  b->radii = SUP_ALLOC(b->arena, double, helpers);
  if (!made || !tracks || !counts || !b->radii) return no_memory(b);
  for (uint32_t k = 0; k < motions; k++) {
    tracks[k] = SUP_ALLOC(b->arena, SupTrack, 2 * (size_t)helpers);
    if (!tracks[k]) return no_memory(b);
    counts[k] = 2 * helpers;
  }
  for (uint32_t h = 0; h < helpers; h++) {
    const SupVec3d at = middle(b, h, &b->radii[h]);
    const uint32_t bone = best_parent(b, h, at, b->radii[h]);
    const uint32_t joint = b->character->skeleton.bone_joints[bone];
    SupAffined unbind = sup_affine_widen(b->def->bind_to_scene);
    unbind.m[9] -= at.x, unbind.m[10] -= at.y, unbind.m[11] -= at.z;
    const SupTransformd rest = sup_affined_decompose(local_at_rest(b, bone, at));
    made[h] = (SupBakedHelper){.parent = joint,
                               .rest = {sup_vec3d_narrow(rest.translation),
                                        {(float)rest.rotation.x, (float)rest.rotation.y,
                                         (float)rest.rotation.z, (float)rest.rotation.w},
                                        sup_vec3d_narrow(rest.scale)},
                               .inverse_bind = sup_affined_narrow(unbind)};
    uint32_t first = 0;
    for (uint32_t k = 0; k < motions; k++) {
      SupResult result =
          make_tracks(b, &b->def->motions[k], first, h, joint, at, tracks[k] + 2 * (size_t)h);
      if (result != SUP_OK) return result;
      first += b->def->motions[k].frame_count;
      out->key_count += tracks[k][2 * h].key_count + tracks[k][2 * h + 1].key_count;
      out->sample_count += 2 * b->def->motions[k].frame_count;
    }
  }
  out->helper_count = helpers;
  out->helpers = made;
  out->tracks = (const SupTrack *const *)tracks;
  out->track_counts = counts;
  return SUP_OK;
}

/* Root mean squares of the result and of the character's own skin, over vertices and frames. */
static SupResult measure(Baker *b, SupBakedHelpers *out) {
  const SupCharacter *c = b->character;
  const uint32_t n = c->body.vertex_count, bones = c->skeleton.bone_count;
  double *each = SUP_ALLOC(b->arena, double, b->def->motion_count), plain = 0;
  if (!each) return no_memory(b);
  uint32_t frame = 0;
  for (uint32_t m = 0; m < b->def->motion_count; m++) {
    for (uint32_t t = 0; t < b->def->motions[m].frame_count; t++, frame++) {
      const SupAffine *palette = b->frames.palettes + (size_t)frame * bones;
      const SupAffine *helpers = b->parts.helpers + (size_t)frame * b->parts.helper_count;
      for (uint32_t i = 0; i < n; i++) {
        const SupVec3 rest = c->body.positions[i];
        const SupVec3 scene = sup_affine_point(b->def->bind_to_scene, rest);
        SupVec3d goal = sup_vec3_widen(b->def->motions[m].positions[(size_t)t * n + i]);
        SupVec3d own = {0, 0, 0}, made = {0, 0, 0};
        for (uint32_t k = c->skin.offsets[i]; k < c->skin.offsets[i + 1]; k++) {
          own = sup_vec3d_add_scaled(
              own, sup_vec3_widen(sup_affine_point(palette[c->skin.bones[k]], rest)),
              (double)c->skin.weights[k]);
        }
        for (uint32_t k = b->parts.skin.offsets[i]; k < b->parts.skin.offsets[i + 1]; k++) {
          const uint32_t bone = b->parts.skin.bones[k];
          const SupVec3 at = bone < bones ? sup_affine_point(palette[bone], rest)
                                          : sup_affine_point(helpers[bone - bones], scene);
          made = sup_vec3d_add_scaled(made, sup_vec3_widen(at), (double)b->parts.skin.weights[k]);
        }
        const SupVec3d off = sup_vec3d_sub(made, goal), was = sup_vec3d_sub(own, goal);
        each[m] += sup_vec3d_dot(off, off);
        plain += sup_vec3d_dot(was, was);
      }
    }
    each[m] = sup_sqrt(each[m] / ((double)n * b->def->motions[m].frame_count));
  }
  out->motion_rmse = each;
  out->rmse = b->parts.rmse;
  out->plain_rmse = sup_sqrt(plain / ((double)n * b->frames.count));
  return SUP_OK;
}

/* Morph targets of the character go on acting in the baked file; what they do is in the positions
 * too and would be there twice. Targets that rest at zero do no harm. */
static SupResult check_morphs(const SupBakeHelpersDef *def, SupError *error) {
  bool moves = false;
  for (uint32_t k = 0; k < def->character->morph_count; k++) {
    moves |= def->character->morphs[k].weight != 0;
  }
  for (uint32_t m = 0; m < def->motion_count; m++) {
    const SupClip *clip = def->motions[m].clip;
    for (uint32_t k = 0; k < clip->track_count; k++) {
      moves |= clip->tracks[k].channel == SUP_CHANNEL_WEIGHTS;
    }
  }
  if (!moves) return SUP_OK;
  return sup_fail(
      error, SUP_ERROR_UNSUPPORTED,
      "baking helpers: %s is also moved by morph targets, which baking cannot keep apart "
      "yet; choose clips without them",
      def->character->name);
}

SupResult sup_bake_helpers(SupArena *arena, const SupBakeHelpersDef *def, SupBakedHelpers *out,
                           SupError *error) {
  Baker b = {.arena = arena, .def = def, .character = def->character, .error = error};
  if (def->cookie != COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "baking: start from sup_bake_helpers_def()");
  }
  if (def->character->skeleton.bone_count == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "baking helpers: %s has no bones to hang them below",
                    def->character->name);
  }
  *out = (SupBakedHelpers){0};
  SupResult result = check_morphs(def, error);
  if (result == SUP_OK) {
    result =
        sup_bake_frames(arena, def->character, def->motion_count, def->motions, &b.frames, error);
  }
  if (result == SUP_OK) result = solve(&b);
  if (result != SUP_OK) return result;
  b.tolerance = def->tolerance;
  if (!(b.tolerance > 0)) {
    const double size = sup_bake_size(def->character, def->bind_to_scene);
    b.tolerance = b.parts.rmse / 4 > 1e-4 * size ? b.parts.rmse / 4 : 1e-4 * size;
  }
  result = hang(&b, out);
  if (result == SUP_OK) result = measure(&b, out);
  out->skin = b.parts.skin;
  out->errors = b.parts.errors;
  out->sweep_count = b.parts.sweep_count;
  return result;
}
