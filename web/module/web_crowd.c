/* SPDX-License-Identifier: MIT */
/*
 * A crowd of one character with helpers: each plays the clip at its own time in its own place.
 * Poses are sampled for those whose helpers move and for those drawn; helpers are stepped all
 * together; vertices are made for those drawn and no one else.
 */
#include "supple/author/clip_gap.h"
#include "supple/clip.h"

#include "module.h"

#include <float.h>

#define SLACK 1e-3    /* of a step: frames that are steps in other words */
#define MOST_STEPS 16 /* of one call: what is beyond is left out */
#define MOST_LEAD 600 /* steps that lead up to a moment */
#define STAYS 2e-3f   /* of the body's size: who goes farther in a clip begins it afresh */

typedef struct WebCrowd {
  SupArena arena;
  WebCharacter *cast;
  SupHelpersView model;
  SupHelpersBatch *batch;
  SupHelpersControls controls;
  uint32_t count, most_drawn;
  SupTransform *joints; /* [count][joint_count] */
  SupAffine *globals, *palette;
  SupVec3 *places;         /* [count] */
  float *times;            /* [count] seconds by which each is ahead of the clip */
  double *shifts;          /* [count] the same since the loop was turned on or off */
  uint32_t *lods, *linger; /* [count] steps until a character that was sent off has faded */
  uint32_t *sampled;       /* [count] the step whose pose is in joints */
  SupVec3 *positions;      /* [most_drawn][body.vertex_count] */
  const SupClip *clip;     /* NULL: the rest pose */
  bool closed, loop;
  double begun;         /* seconds: where the clip was at the first step */
  double ahead;         /* seconds that wait for a step */
  uint32_t step, moved; /* steps, and those in which the clip went on */
  uint32_t view[8];
} WebCrowd;

void web_crowd_free(WebCrowd *crowd) {
  if (!crowd) return;
  sup_arena_free(&crowd->arena);
  web_release(crowd);
}

static bool crowd_arrays(WebCrowd *c) {
  const SupCharacter *character = &c->cast->character;
  SupArena *arena = &c->arena;
  const uint32_t joints = character->skeleton.joint_count, count = c->count;
  const size_t bytes = sup_helpers_batch_bytes(&c->model, count);
  void *block = bytes ? sup_arena_alloc(arena, 1, bytes) : NULL;
  c->joints = sup_arena_alloc(arena, count, joints * sizeof *c->joints);
  c->globals = SUP_ALLOC(arena, SupAffine, joints);
  c->palette = SUP_ALLOC(arena, SupAffine, character->skeleton.bone_count);
  c->places = SUP_ALLOC(arena, SupVec3, count);
  c->times = SUP_ALLOC(arena, float, count);
  c->shifts = SUP_ALLOC(arena, double, count);
  c->lods = SUP_ALLOC(arena, uint32_t, count);
  c->linger = SUP_ALLOC(arena, uint32_t, count);
  c->sampled = SUP_ALLOC(arena, uint32_t, count);
  c->positions =
      sup_arena_alloc(arena, c->most_drawn, character->body.vertex_count * sizeof *c->positions);
  if (!block || !c->joints || !c->globals || !c->palette || !c->places || !c->times || !c->shifts ||
      !c->lods || !c->linger || !c->sampled || !c->positions) {
    return false;
  }
  c->batch = sup_helpers_batch_init(&c->model, count, block);
  for (uint32_t k = 0; k < count; k++) c->lods[k] = SUP_HELPERS_FULL;
  return true;
}

/* The pose's joints are written and the body's vertices made by the numbers of the model. */
static bool fits(const SupCharacter *character, const SupHelpersView *model) {
  return model->joint_count == character->skeleton.joint_count &&
         model->skin.bone_count == character->skeleton.bone_count &&
         model->skin.vertex_count == character->body.vertex_count;
}

WebCrowd *web_crowd_make(WebCharacter *cast, const WebModel *model, uint32_t count,
                         uint32_t most_drawn) {
  if (model->model->kind != SUP_HELPERS_KIND) {
    sup_fail(&web_last_error, SUP_ERROR_UNSUPPORTED, "a crowd is made of helpers");
    return NULL;
  }
  const SupHelpersView view = sup_helpers_view(model->model);
  if (!fits(&cast->character, &view)) {
    sup_fail(&web_last_error, SUP_ERROR_ARGUMENT, "the helpers belong to another character");
    return NULL;
  }
  WebCrowd *c = web_allocate(sizeof *c);
  if (!c) return NULL;
  sup_zero(c, sizeof *c);
  c->cast = cast;
  c->model = view;
  c->controls = sup_helpers_controls();
  c->count = count;
  c->most_drawn = most_drawn;
  sup_arena_init(&c->arena, web_allocator(), 0);
  if (crowd_arrays(c)) return c;
  sup_fail(&web_last_error, SUP_ERROR_MEMORY, "the browser gives no more memory");
  web_crowd_free(c);
  return NULL;
}

const uint32_t *web_crowd_view(WebCrowd *c) {
  const uint32_t words[] = {(uint32_t)c->places, (uint32_t)c->times, (uint32_t)c->positions,
                            (uint32_t)c->lods,   c->batch->full,     c->batch->posed};
  _Static_assert(sizeof words <= sizeof c->view, "view");
  sup_copy(c->view, words, sizeof words);
  return c->view;
}

/* All start afresh, `begun` seconds after the start of the clip and of each one's own time. */
static void begin(WebCrowd *c, double begun) {
  c->begun = begun;
  c->ahead = 0;
  c->step = c->moved = 0;
  for (uint32_t k = 0; k < c->count; k++) {
    c->shifts[k] = 0;
    c->sampled[k] = 0;
    sup_helpers_batch_reset(c->batch, k);
  }
}

void web_crowd_play(WebCrowd *c, uint32_t clip, float size, uint32_t loop) {
  const SupCharacter *character = &c->cast->character;
  SupClipGap gap = {.apart = 0};
  c->clip = clip < character->clip_count ? &character->clips[clip] : NULL;
  c->closed = false;
  c->loop = loop != 0;
  if (c->clip) {
    SupArena scratch;
    sup_arena_init(&scratch, web_allocator(), 0);
    const SupResult result =
        sup_clip_gap(&scratch, character, c->clip, 0, c->clip->duration, &gap, NULL);
    sup_arena_free(&scratch);
    c->closed = result == SUP_OK && gap.apart <= SUP_GAP_CLOSED * size &&
                sup_vec3_length(gap.stride) <= STAYS * size;
  }
  begin(c, 0);
}

uint32_t web_crowd_blend(WebCrowd *c, const float *fractions) {
  return sup_helpers_batch_blend(&c->arena, &c->model, c->batch, fractions, &web_last_error) ==
         SUP_OK;
}

void web_crowd_levels(WebCrowd *c, float x, float y, float z, float near, float far,
                      uint32_t most) {
  const uint32_t fade = (uint32_t)(c->controls.fade_seconds / c->model.h) + 2;
  for (uint32_t k = 0; k < c->count; k++) {
    const SupVec3 way = sup_vec3_sub(c->places[k], (SupVec3){x, y, z});
    const float square = sup_vec3_dot(way, way);
    SupHelpersLod lod = square < near * near ? SUP_HELPERS_FULL
                        : square < far * far ? SUP_HELPERS_STATIC
                                             : SUP_HELPERS_OFF;
    if (lod > most) lod = (SupHelpersLod)most;
    if (lod == SUP_HELPERS_OFF && c->lods[k] != SUP_HELPERS_OFF) c->linger[k] = fade;
    c->lods[k] = lod;
    sup_helpers_batch_lod(c->batch, k, lod);
  }
}

/* Seconds of a character after so many steps in the clip, all rounds counted. */
static double time_of(const WebCrowd *c, uint32_t k, uint32_t moved) {
  const double time = (double)c->times[k] + c->shifts[k] + c->begun +
                      (double)c->model.h * (moved > 0 ? moved - 1 : 0);
  return time > 0 ? time : 0;
}

/* Rounds of the clip that a character has behind it, and where in the clip it is. */
static uint32_t rounds_at(const WebCrowd *c, uint32_t k, uint32_t moved, float *out_time) {
  const double duration = c->clip ? (double)c->clip->duration : 0, time = time_of(c, k, moved);
  const uint32_t rounds = c->loop && duration > 0 ? (uint32_t)(time / duration) : 0;
  const double within = time - rounds * duration;
  *out_time = (float)(within < duration ? within : duration);
  return rounds;
}

/* Who stands at the end when the loop is turned on begins the clip at the next step: a cut. */
void web_crowd_loop(WebCrowd *c, uint32_t loop) {
  const bool again = loop && !c->loop && c->clip;
  for (uint32_t k = 0; k < c->count; k++) {
    float time;
    rounds_at(c, k, c->moved, &time);
    const bool ended = again && time >= c->clip->duration;
    c->shifts[k] += (ended ? -(double)c->model.h : (double)time) - time_of(c, k, c->moved);
    if (ended && !c->closed) sup_helpers_batch_reset(c->batch, k);
  }
  c->loop = loop != 0;
}

static SupPose sample(WebCrowd *c, uint32_t k) {
  const SupSkeleton *skeleton = &c->cast->character.skeleton;
  const uint32_t joints = skeleton->joint_count;
  SupPose pose = {joints, sup_transform_identity(), c->joints + (size_t)joints * k};
  if (c->sampled[k] != c->step || c->step == 0) {
    float time;
    rounds_at(c, k, c->moved, &time);
    sup_pose_rest(skeleton, &pose);
    if (c->clip) sup_clip_sample(c->clip, time, false, NULL, &pose, NULL);
    c->sampled[k] = c->step;
  }
  pose.root.translation = c->places[k];
  return pose;
}

/* A clip that does not end as it begins starts afresh. */
static void cut(WebCrowd *c) {
  float unused;
  for (uint32_t k = 0; k < c->count && !c->closed; k++) {
    if (rounds_at(c, k, c->moved, &unused) != rounds_at(c, k, c->moved - 1, &unused)) {
      sup_helpers_batch_reset(c->batch, k);
    }
  }
}

static void step_all(WebCrowd *c, bool still) {
  c->step++;
  if (!still || c->moved == 0) {
    c->moved++;
    cut(c);
  }
  for (uint32_t k = 0; k < c->count; k++) {
    if (c->lods[k] == SUP_HELPERS_OFF && !c->linger[k]) continue;
    if (c->linger[k]) c->linger[k]--;
    const SupPose pose = sample(c, k);
    sup_pose_globals(&c->cast->character.skeleton, &pose, c->globals);
    sup_helpers_batch_pose(&c->model, c->batch, k, &pose, c->globals);
  }
  sup_helpers_batch_step(&c->model, c->batch, sup_backend_cpu(), NULL, &c->controls);
}

void web_crowd_seek(WebCrowd *c, double time, double lead, float exaggerate) {
  const double h = (double)c->model.h, duration = c->clip ? (double)c->clip->duration : 0;
  const double most = MOST_LEAD * h;
  const uint32_t steps = (uint32_t)((lead > 0 ? lead < most ? lead : most : 0) / h + 0.5);
  double begun = (time >= 0 && time <= DBL_MAX ? time : 0) - steps * h;
  if (c->loop && duration > 0 && begun < 0) {
    begun += duration * (double)((uint32_t)(-begun / duration) + 1);
  }
  begin(c, begun);
  c->controls.exaggerate = exaggerate;
  for (uint32_t k = 0; k <= steps; k++) step_all(c, false);
}

uint32_t web_crowd_step(WebCrowd *c, double dt, float exaggerate, uint32_t still) {
  const double h = (double)c->model.h;
  uint32_t steps = 0;
  c->controls.exaggerate = exaggerate;
  if (dt > 0 && dt <= DBL_MAX) c->ahead += dt;
  if (c->ahead > MOST_STEPS * h) c->ahead = MOST_STEPS * h;
  for (; c->ahead >= h * (1 - SLACK); steps++) {
    c->ahead -= h;
    step_all(c, still != 0);
  }
  return steps;
}

void web_crowd_draw(WebCrowd *c, uint32_t instance, uint32_t place) {
  const SupCharacter *character = &c->cast->character;
  if (instance >= c->count || place >= c->most_drawn) return;
  SupPose pose = sample(c, instance);
  sup_helpers_batch_read(&c->model, c->batch, instance, pose.joints);
  sup_pose_evaluate(&character->skeleton, &pose, c->globals, c->palette);
  SupVec3 *out = c->positions + (size_t)character->body.vertex_count * place;
  const SupSkinCall call = {
      .skin = &c->model.skin, .palette = c->palette, .positions = {&out->x, 3}};
  sup_skin_lbs(sup_backend_cpu(), NULL, &call);
}
