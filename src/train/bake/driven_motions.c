/* SPDX-License-Identifier: MIT */
/* Motions by targets that angles drive: weights at every frame, keys, and what is left. */
#include "supple/clip.h"
#include "supple/pose.h"
#include "supple/train/drive.h"
#include "train/bake/bake.h"
#include "train/rest_offsets.h"

#define EVERY 600 /* of no use here: all frames are visited */

typedef struct Meeting {
  const SupBakeMorphsDef *def;
  const SupDrivenMorphs *driven;
  BakeFrames frames;
  double *areas;  /* [vertices] */
  float *weights; /* [frames * morph_count] */
  SupVec3 *rest;  /* [vertices] */
  double *each, *errors;
  double plain, all;
} Meeting;

static SupResult allocate(SupArena *arena, Meeting *m, SupError *error) {
  const uint32_t n = m->def->character->body.vertex_count;
  m->areas = SUP_ALLOC(arena, double, n);
  m->weights = SUP_ALLOC(arena, float, (size_t)m->frames.count * m->driven->morph_count);
  m->rest = SUP_ALLOC(arena, SupVec3, n);
  m->each = SUP_ALLOC(arena, double, m->def->motion_count);
  m->errors = SUP_ALLOC(arena, double, n);
  if (!m->areas || !m->weights || !m->rest || !m->each || !m->errors) {
    return sup_fail_memory(error, "driven morph targets");
  }
  sup_vertex_fractions(&m->def->character->body, m->areas);
  return SUP_OK;
}

static SupResult find_weights(SupArena *arena, Meeting *m, SupError *error) {
  const SupSkeleton *s = &m->def->character->skeleton;
  SupPose pose = {s->joint_count, sup_transform_identity(),
                  SUP_ALLOC(arena, SupTransform, s->joint_count)};
  float *at = m->weights;
  if (!pose.joints) return sup_fail_memory(error, "driven morph targets");
  for (uint32_t k = 0; k < m->def->motion_count; k++) {
    const SupBakeMotion *motion = &m->def->motions[k];
    for (uint32_t t = 0; t < motion->frame_count; t++, at += m->driven->morph_count) {
      sup_pose_rest(s, &pose);
      sup_clip_sample(motion->clip, (float)(t / motion->fps), false, NULL, &pose, NULL);
      sup_driven_weights(m->driven, &pose, at);
    }
  }
  return SUP_OK;
}

/* What a frame is from plain skinning, less what the targets do. */
static SupResult measure(void *user, uint32_t frame, const SupVec3 *positions) {
  Meeting *m = (Meeting *)user;
  const SupCharacter *c = m->def->character;
  const float *weights = m->weights + (size_t)frame * m->driven->morph_count;
  const SupVec3 *own = sup_bake_own_morphs(&m->frames, frame);
  sup_rest_offsets(c, m->frames.palettes + (size_t)frame * c->skeleton.bone_count, positions,
                   m->def->jobs, m->rest);
  for (uint32_t v = 0; v < c->body.vertex_count; v++) {
    SupVec3 left = own ? sup_vec3_sub(m->rest[v], own[v]) : m->rest[v];
    m->plain += m->areas[v] * (double)sup_vec3_dot(left, left);
    for (uint32_t k = 0; k < m->driven->morph_count; k++) {
      left = sup_vec3_add_scaled(left, m->driven->morphs[k].offsets[v], -weights[k]);
    }
    const double square = (double)sup_vec3_dot(left, left);
    m->errors[v] += square;
    m->each[m->frames.motion_of[frame]] += m->areas[v] * square;
    m->all += m->areas[v] * square;
  }
  return SUP_OK;
}

/* Weights in metres: how far they move the skin, root mean square. */
static float *in_metres(SupArena *arena, const Meeting *m) {
  const uint32_t width = m->driven->morph_count;
  float *metres = SUP_COPY(arena, float, m->weights, (size_t)m->frames.count *width);
  for (uint32_t k = 0; metres && k < width; k++) {
    double square = 0;
    for (uint32_t v = 0; v < m->def->character->body.vertex_count; v++) {
      const SupVec3 u = m->driven->morphs[k].offsets[v];
      square += m->areas[v] * (double)sup_vec3_dot(u, u);
    }
    const float size = (float)sup_sqrt(square);
    for (size_t t = 0; t < m->frames.count; t++) metres[t * width + k] *= size;
  }
  return metres;
}

static SupResult make_tracks(SupArena *arena, Meeting *m, SupBakedMorphs *out, SupError *error) {
  const uint32_t width = m->driven->morph_count;
  SupTrack *tracks = SUP_ALLOC(arena, SupTrack, m->def->motion_count);
  float *metres = in_metres(arena, m);
  double tolerance = m->def->tolerance;
  size_t first = 0;
  if (!tracks || !metres) return sup_fail_memory(error, "driven morph targets");
  if (!(tolerance > 0)) {
    tolerance = 1e-4 * sup_bake_size(m->def->character, sup_affine_identity());
    if (out->rmse / 4 > tolerance) tolerance = out->rmse / 4;
  }
  for (uint32_t k = 0; k < m->def->motion_count; k++) {
    const SupBakeMotion *motion = &m->def->motions[k];
    const SupTrack like = {.channel = SUP_CHANNEL_WEIGHTS, .width = width};
    SupResult result =
        sup_bake_track(arena, &like, motion->fps, motion->frame_count, m->weights + first,
                       metres + first, tolerance, &tracks[k], error);
    if (result != SUP_OK) return result;
    first += (size_t)motion->frame_count * width;
    out->key_count += tracks[k].key_count;
    out->sample_count += motion->frame_count;
  }
  out->tracks = tracks;
  return SUP_OK;
}

static SupResult sum_up(SupArena *arena, Meeting *m, SupBakedMorphs *out, SupError *error) {
  const SupVec3 **offsets = SUP_ALLOC(arena, const SupVec3 *, m->driven->morph_count);
  const uint32_t count = m->frames.count;
  if (!offsets) return sup_fail_memory(error, "driven morph targets");
  for (uint32_t k = 0; k < m->driven->morph_count; k++) offsets[k] = m->driven->morphs[k].offsets;
  for (uint32_t k = 0; k < m->def->motion_count; k++) {
    m->each[k] = sup_sqrt(m->each[k] / m->def->motions[k].frame_count);
  }
  for (uint32_t v = 0; v < m->def->character->body.vertex_count; v++) {
    m->errors[v] = sup_sqrt(m->errors[v] / count);
  }
  *out = (SupBakedMorphs){.morph_count = m->driven->morph_count,
                          .offsets = offsets,
                          .rmse = sup_sqrt(m->all / count),
                          .plain_rmse = sup_sqrt(m->plain / count),
                          .motion_rmse = m->each,
                          .errors = m->errors};
  return SUP_OK;
}

SupResult sup_bake_driven(SupArena *arena, const SupBakeMorphsDef *def,
                          const SupDrivenMorphs *driven, SupBakedMorphs *out, SupError *error) {
  Meeting m = {.def = def, .driven = driven};
  SupResult result = sup_bake_frames(arena, def->character, def->motion_count, def->motions, EVERY,
                                     &m.frames, error);
  if (result == SUP_OK) result = allocate(arena, &m, error);
  if (result == SUP_OK) result = find_weights(arena, &m, error);
  if (result == SUP_OK) result = sup_bake_visit(&m.frames, measure, &m);
  if (result == SUP_OK) result = sum_up(arena, &m, out, error);
  return result == SUP_OK ? make_tracks(arena, &m, out, error) : result;
}
