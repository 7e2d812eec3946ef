/* SPDX-License-Identifier: MIT */
/*
 * Motion into helper joints: a skinning decomposition with the character's bones given, each helper
 * hung below the joint it moves least against, its motion as keys.
 *
 * Everything is in scene space. B = translation to the middle of a helper's flesh at rest: the
 * joint stands there with the axes of the scene, G(t) = S(t) B, its inverse bind matrix is
 * B^-1 (bind to scene), and its local motion below parent p is G_p(t)^-1 G(t).
 */
#include "train/bake/bake_helpers.h"
#include "supple/model.h"

#define COOKIE SUP_FOURCC('b', 'k', 'h', 'p')

SupBakeHelpersDef sup_bake_helpers_def(const SupCharacter *character) {
  SupBakeHelpersDef def = {.cookie = COOKIE,
                           .character = character,
                           .bind_to_scene = sup_affine_identity(),
                           .solver = sup_decompose_def(),
                           .basis_frames = 400};
  def.solver.helper_count = 16;
  def.solver.sweeps = 20; /* ten times as many leave a tenth less */
  def.solver.least_weight = 1e-3;
  def.solver.reseeds = 4;
  def.solver.tolerance = 5e-4;
  return def;
}

/* Where a helper's flesh is at rest, and how far it reaches. */
static SupVec3d middle(const HelperBaker *b, uint32_t h, double *out_radius) {
  const SupSkin *skin = &b->parts.skin;
  const uint32_t bone = b->parts.fixed_count + h;
  SupVec3d sum = {0, 0, 0};
  double weight = 0, square = 0;
  for (uint32_t i = 0; i < skin->vertex_count; i++) {
    for (uint32_t k = skin->offsets[i]; k < skin->offsets[i + 1]; k++) {
      if (skin->bones[k] != bone) continue;
      const double w = (double)skin->weights[k];
      const SupVec3d p = sup_vec3_to_double(
          sup_affine_point(b->def->bind_to_scene, b->character->body.positions[i]));
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

SupAffined sup_bake_global(const HelperBaker *b, uint32_t frame, uint32_t h, SupVec3d at) {
  SupAffined own = sup_affine_to_double(b->motions[(size_t)frame * b->parts.helper_count + h]);
  const SupVec3d place = sup_affined_point(own, at);
  own.m[9] = place.x, own.m[10] = place.y, own.m[11] = place.z;
  return own;
}

SupAffined sup_bake_local(const HelperBaker *b, uint32_t frame, uint32_t h, uint32_t joint,
                          SupVec3d at) {
  const uint32_t joints = b->character->skeleton.joint_count;
  const SupAffined parent = sup_affine_to_double(b->frames.globals[(size_t)frame * joints + joint]);
  return sup_affined_mul(sup_affined_inverse(parent), sup_bake_global(b, frame, h, at));
}

SupAffined sup_bake_local_rest(const HelperBaker *b, uint32_t bone, SupVec3d at) {
  const SupAffined to_body = sup_affined_inverse(sup_affine_to_double(b->def->bind_to_scene));
  SupAffined place = sup_affined_identity();
  place.m[9] = at.x, place.m[10] = at.y, place.m[11] = at.z;
  return sup_affined_mul(sup_affine_to_double(b->character->skeleton.inverse_bind[bone]),
                         sup_affined_mul(to_body, place));
}

double sup_bake_restless(const HelperBaker *b, uint32_t h, uint32_t bone, SupVec3d at,
                         double radius) {
  const uint32_t joint = b->character->skeleton.bone_joints[bone];
  const uint32_t joints = b->character->skeleton.joint_count;
  const uint32_t step = 1 + b->frames.basis_count / 200;
  const SupAffined still = sup_bake_local_rest(b, bone, at);
  const SupMat3d was = sup_affined_linear(still);
  double sum = 0, scale = 0;
  for (int i = 0; i < 9; i++) scale += was.m[i] * was.m[i] / 3;
  for (uint32_t k = 0; k < b->frames.basis_count; k += step) {
    const uint32_t t = b->frames.basis[k];
    const SupAffined now = sup_bake_local(b, t, h, joint, at);
    const SupMat3d turned = sup_affined_linear(now);
    const SupAffined parent = sup_affine_to_double(b->frames.globals[(size_t)t * joints + joint]);
    const SupVec3d moved =
        sup_vec3d_sub(sup_affined_translation(now), sup_affined_translation(still));
    const SupVec3d gap = sup_mat3d_mul_vec3(sup_affined_linear(parent), moved);
    sum += sup_vec3d_dot(gap, gap);
    for (int i = 0; i < 9; i++) {
      const double apart = turned.m[i] - was.m[i];
      sum += radius * radius * apart * apart / (scale > 0 ? scale : 1);
    }
  }
  return sum;
}

#define SAME_SCALE 1e-3 /* of it */

static double scale_of(SupAffined motion) {
  const SupMat3d m = sup_affined_linear(motion);
  double size = 0;
  for (int k = 0; k < 9; k++) size += m.m[k] * m.m[k] / 3;
  return sup_sqrt(size);
}

/* Helpers are rigid and have no scale tracks: what carries them must keep its own scale, and not
 * shrink them to nothing. */
static bool stays_open(const HelperBaker *b, uint32_t joint) {
  const uint32_t joints = b->character->skeleton.joint_count;
  double first = 0;
  for (uint32_t t = 0; t < b->frames.count; t++) {
    const SupAffined now = sup_affine_to_double(b->frames.globals[(size_t)t * joints + joint]);
    const double scale = scale_of(now);
    if (t == 0) first = scale;
    const double apart = scale > first ? scale - first : first - scale;
    if (!sup_bake_is_open(now) || apart > SAME_SCALE * first) return false;
  }
  return true;
}

static uint32_t best_parent(const HelperBaker *b, uint32_t h, SupVec3d at, double radius) {
  uint32_t best = 0;
  double least = 0;
  if (b->def->free_bones) return 0;
  bool any = false;
  for (uint32_t bone = 0; bone < b->character->skeleton.bone_count; bone++) {
    if (!stays_open(b, b->character->skeleton.bone_joints[bone])) continue;
    const double value = sup_bake_restless(b, h, bone, at, radius);
    if (!any || value < least) least = value, best = bone;
    any = true;
  }
  return best;
}

/* Translation and rotation tracks of one helper in one motion. */
static SupResult make_tracks(HelperBaker *b, const SupBakeMotion *motion, uint32_t first,
                             uint32_t h, uint32_t joint, SupVec3d at, SupTrack *out) {
  const uint32_t count = motion->frame_count;
  float *places = SUP_ALLOC(b->arena, float, (size_t)3 * count);
  float *turns = SUP_ALLOC(b->arena, float, (size_t)4 * count);
  if (!places || !turns) return sup_fail_memory(b->error, "baking helpers");
  SupQuatd last = sup_quatd_identity();
  double scale = 1;
  for (uint32_t t = 0; t < count; t++) {
    const SupAffined local = sup_bake_local(b, first + t, h, joint, at);
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

/* Where every helper stands at rest and below which joint: from the basis frames alone. */
static SupResult place(HelperBaker *b) {
  const uint32_t helpers = b->parts.helper_count;
  b->places = SUP_ALLOC(b->arena, SupVec3d, helpers);
  b->radii = SUP_ALLOC(b->arena, double, helpers);
  b->parents = SUP_ALLOC(b->arena, uint32_t, helpers);
  if (!b->places || !b->radii || !b->parents) return sup_fail_memory(b->error, "baking helpers");
  for (uint32_t h = 0; h < helpers; h++) {
    b->places[h] = middle(b, h, &b->radii[h]);
    b->parents[h] = best_parent(b, h, b->places[h], b->radii[h]);
  }
  return SUP_OK;
}

SupBakedHelper sup_bake_joint(const HelperBaker *b, uint32_t h, SupVec3d at) {
  SupAffined unbind = sup_affine_to_double(b->def->bind_to_scene);
  unbind.m[9] -= at.x, unbind.m[10] -= at.y, unbind.m[11] -= at.z;
  const SupTransformd rest = sup_affined_decompose(sup_bake_local_rest(b, b->parents[h], at));
  return (SupBakedHelper){.parent = b->character->skeleton.bone_joints[b->parents[h]],
                          .rest = {sup_vec3d_to_float(rest.translation),
                                   {(float)rest.rotation.x, (float)rest.rotation.y,
                                    (float)rest.rotation.z, (float)rest.rotation.w},
                                   sup_vec3d_to_float(rest.scale)},
                          .inverse_bind = sup_affined_to_float(unbind)};
}

static SupResult hang(HelperBaker *b, SupBakedHelpers *out) {
  const uint32_t helpers = b->parts.helper_count, motions = b->def->motion_count;
  SupBakedHelper *made = SUP_ALLOC(b->arena, SupBakedHelper, helpers);
  SupTrack **tracks = SUP_ALLOC(b->arena, SupTrack *, motions);
  uint32_t *counts = SUP_ALLOC(b->arena, uint32_t, motions);
  if (!made || !tracks || !counts) return sup_fail_memory(b->error, "baking helpers");
  for (uint32_t k = 0; k < motions; k++) {
    tracks[k] = SUP_ALLOC(b->arena, SupTrack, 2 * (size_t)helpers);
    if (!tracks[k]) return sup_fail_memory(b->error, "baking helpers");
    counts[k] = 2 * helpers;
  }
  for (uint32_t h = 0; h < helpers; h++) {
    const SupVec3d at = b->places[h];
    const uint32_t joint = b->character->skeleton.bone_joints[b->parents[h]];
    made[h] = sup_bake_joint(b, h, at);
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

SupResult sup_bake_take_apart(HelperBaker *b, SupBakedHelpers *out) {
  const SupBakeHelpersDef *def = b->def;
  if (def->cookie != COOKIE) {
    return sup_fail(b->error, SUP_ERROR_ARGUMENT, "baking: start from sup_bake_helpers_def()");
  }
  if (def->character->skeleton.bone_count == 0) {
    return sup_fail(b->error, SUP_ERROR_ARGUMENT,
                    "baking helpers: %s has no bones to attach them to", def->character->name);
  }
  *out = (SupBakedHelpers){0};
  SupResult result = sup_bake_frames(b->arena, def->character, def->motion_count, def->motions,
                                     def->basis_frames, &b->frames, b->error);
  if (result == SUP_OK) result = sup_bake_solve(b);
  if (result == SUP_OK) result = place(b);
  if (result == SUP_OK) result = sup_bake_follow(b, out);
  out->skin = b->parts.skin;
  out->sweep_count = b->parts.sweep_count;
  return result;
}

SupResult sup_bake_helpers(SupArena *arena, const SupBakeHelpersDef *def, SupBakedHelpers *out,
                           SupError *error) {
  HelperBaker b = {.arena = arena, .def = def, .character = def->character, .error = error};
  SupResult result = sup_bake_take_apart(&b, out);
  if (result != SUP_OK) return result;
  b.tolerance = def->tolerance;
  if (!(b.tolerance > 0)) {
    const double size = sup_bake_size(def->character, def->bind_to_scene);
    b.tolerance = out->rmse / 4 > 1e-4 * size ? out->rmse / 4 : 1e-4 * size;
  }
  return hang(&b, out);
}
