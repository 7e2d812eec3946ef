/* SPDX-License-Identifier: MIT */
/* The goal of a time: pose to bones, the modes up to then, and the skin they make together. */
#include "stack_actor.h"

#define PARTS_MOST 64    /* of one step of the modes */
#define CLENCHES_MOST 64 /* heard in one step */

/* Pose to bones, in the simulation's space. */
void sup_actor_pose_bones(Actor *a, const SupPose *pose) {
  const SupStackDef *def = &a->stack->def;
  const SupSkeleton *skeleton = def->skeleton;
  a->posed = pose;
  sup_pose_globals(skeleton, pose, a->globals);
  sup_pose_palette(skeleton, a->globals, a->palette);
  if (def->space == SUP_SPACE_WORLD) return;
  a->space =
      def->space == SUP_SPACE_MODEL ? sup_affine_compose(pose->root) : a->globals[def->space_joint];
  a->inverse = sup_affine_inverse(a->space);
  for (uint32_t k = 0; k < skeleton->bone_count; k++) {
    a->palette[k] = sup_affine_mul(a->inverse, a->palette[k]);
  }
}

/* The frame's gravity, in the simulation's space. */
static SupVec3 gravity_of(const Actor *a) {
  const SupVec3 none = {0, 0, 0};
  if (!a->frame->forces) return none;
  const SupVec3 g = a->frame->forces->acceleration;
  return a->stack->def.space == SUP_SPACE_WORLD ? g : sup_affine_direction(a->inverse, g);
}

/* What the posture adds: into the last weights of the correctives' skin. */
static void correct(const Actor *a, float *out_weights) {
  const SupCorrectivesView *model = &a->stack->correctives;
  sup_correctives_read(model, a->posed, a->palette, gravity_of(a), a->features);
  sup_correctives_weights(model, a->features, out_weights);
}

/* How near the posture is to that of every pair: into the first of the actor's pop weights. */
static void weigh_pairs(const Actor *a) {
  const SupCorrectivesView *model = &a->stack->popping.postures;
  float *features = a->pop_weights + 2 * a->stack->popping.pair_count + model->skin.morph_count;
  const SupVec3 none = {0, 0, 0};
  sup_correctives_read(model, a->posed, a->palette, none, features);
  sup_correctives_weights(model, features, a->pop_weights);
}

/* The weights of the morph targets: the caller's, then those of the model whose skin it is. */
static const float *morph_weights(const Actor *a) {
  const float *own = a->own;
  if (!a->stack->has_modes && !a->stack->has_correctives && !a->stack->has_popping) return own;
  const uint32_t count = sup_stack_own_morphs(a->stack);
  for (uint32_t m = 0; m < count; m++) a->weights[m] = own ? own[m] : 0;
  if (a->stack->has_modes) {
    const float level = a->frame->mode_level, all = (float)a->stack->modes.mode_count;
    sup_modes_weights(&a->stack->modes, a->modes, level > 0 ? level : all, a->state->fade,
                      a->weights + count);
  } else if (a->stack->has_correctives) {
    correct(a, a->weights + count);
  } else {
    sup_copy(a->weights + count, a->pop_weights, a->stack->popping.pair_count * sizeof(float));
  }
  return a->weights;
}

/* Relaxed shapes over another model's skin, and what clenching adds. Returns the layers' number. */
static uint32_t pop_layers(const Actor *a, SupSkinLayer *out_layers) {
  const SupPoppingView *model = &a->stack->popping;
  float *faded = a->pop_weights + model->pair_count, *relaxed = faded + model->pair_count;
  uint32_t count = 0;
  if (a->stack->has_modes && sup_stack_shows_relaxed(a->stack)) {
    const uint32_t own = model->postures.skin.morph_count - model->pair_count;
    for (uint32_t k = 0; k < model->pair_count; k++) relaxed[own + k] = a->pop_weights[k];
    out_layers[count++] = (SupSkinLayer){.skin = &model->postures.skin, .weights = relaxed};
  }
  const float *shares = sup_popping_show(model, a->popping, a->backend);
  if (shares && a->state->running && a->state->fade > 0) {
    for (uint32_t k = 0; k < model->pair_count; k++) {
      faded[k] = a->state->fade * a->pop_weights[k];
    }
    out_layers[count++] = (SupSkinLayer){.skin = &model->bulge, .weights = faded, .shares = shares};
  }
  return count;
}

static void run_skin(const Actor *a, SupSkinCall *call) {
  if (a->stack->def.dual_quaternions) {
    call->stretched = sup_skin_duals(a->stack->skin.bone_count, a->palette, a->duals);
    sup_skin_dqs(a->backend, a->jobs, call);
  } else {
    sup_skin_lbs(a->backend, a->jobs, call);
  }
}

void sup_actor_skin(Actor *a, SupSkinCall *call) {
  call->skin = &a->stack->skin;
  call->palette = a->palette;
  call->duals = a->duals;
  if (a->stack->has_popping) weigh_pairs(a);
  call->morph_weights = morph_weights(a);
  SupSkinLayer layers[3];
  call->layers = layers;
  if (a->stack->has_correctives && a->stack->has_modes) {
    /* The character's own targets are in both skins; they count in the first. */
    const SupCorrectivesView *model = &a->stack->correctives;
    correct(a, a->layer_weights + model->skin.morph_count - model->component_count);
    layers[call->layer_count++] = (SupSkinLayer){.skin = &model->skin, .weights = a->layer_weights};
  }
  if (a->stack->has_popping) call->layer_count += pop_layers(a, layers + call->layer_count);
  run_skin(a, call);
}

void sup_actor_skin_plain(Actor *a, SupSkinCall *call) {
  call->skin = &a->stack->skin;
  call->palette = a->palette;
  call->duals = a->duals;
  call->morph_weights = a->own;
  if (a->own && a->weights) {
    const uint32_t own = sup_stack_own_morphs(a->stack);
    for (uint32_t m = 0; m < a->stack->skin.morph_count; m++) {
      a->weights[m] = m < own ? a->own[m] : 0;
    }
    call->morph_weights = a->weights;
  }
  run_skin(a, call);
}

/* The pose `ago` seconds before the frame. */
const SupPose *sup_actor_pose_before(Actor *a, double ago) {
  const SupStackFrame *frame = a->frame;
  if (ago <= 0) return frame->pose;
  if (frame->pose_at) {
    frame->pose_at(frame->user, (float)ago, &a->work);
    if (a->filled) sup_actor_fill_helpers(a, ago, &a->work);
  } else {
    const SupPose last = {frame->pose->joint_count, a->state->root, a->last};
    const double weight = 1 - ago / (double)frame->dt;
    sup_pose_blend(&last, frame->pose, (float)(weight > 0 ? weight : 0), NULL, &a->work);
  }
  return &a->work;
}

/* The morph weights then. */
static const float *morphs_before(Actor *a, double ago) {
  const SupStackFrame *frame = a->frame;
  if (ago <= 0 || !frame->morph_weights) return frame->morph_weights;
  if (frame->morphs_at) {
    frame->morphs_at(frame->user, (float)ago, a->morphs);
    return a->morphs;
  }
  const double weight = 1 - ago / (double)frame->dt, share = weight > 0 ? weight : 0;
  for (uint32_t k = 0; k < sup_stack_own_morphs(a->stack); k++) {
    const double last = (double)a->last_morphs[k];
    a->morphs[k] = (float)(last + share * ((double)frame->morph_weights[k] - last));
  }
  return a->morphs;
}

/* Brings the modes to `ago` seconds before the frame, and leaves the bones there. Steps longer than
 * the model's h are divided where the poses in between can be asked for. Forces on the surface are
 * the surface's business. */
void sup_actor_advance_modes(Actor *a, double ago) {
  const SupModesView *model = &a->stack->modes;
  const double way = a->modes_ago - ago, count = way / (double)model->h;
  uint32_t parts = 1;
  if (a->frame->pose_at && count > 1) {
    parts = count < PARTS_MOST ? (uint32_t)(count + 1 - STACK_SLACK) : PARTS_MOST;
  }
  for (uint32_t k = 1; k <= parts; k++) {
    sup_actor_pose_bones(
        a, sup_actor_pose_before(a, k == parts ? ago : a->modes_ago - way * k / parts));
    SupModesForces forces = {.balanced = sup_stack_carries_gravity(a->stack), .modal = a->coupling};
    if (forces.balanced || !a->stack->has_surface) forces.gravity = gravity_of(a);
    sup_modes_step(model, a->modes, a->backend, (float)(way / parts), a->palette, &forces);
  }
  a->modes_ago = ago;
}

/* Brings the muscles to `ago` seconds before the frame, with what they are told until then. */
void sup_actor_advance_popping(Actor *a, double ago) {
  const SupStackFrame *frame = a->frame;
  SupPoppingEvent events[CLENCHES_MOST];
  uint32_t count = 0;
  for (uint32_t k = 0; k < frame->clench_count; k++) {
    const double when = frame->clenches[k].ago > 0 ? (double)frame->clenches[k].ago : 0;
    if (when < ago || (a->heard && when >= a->popping_ago)) continue;
    if (count == CLENCHES_MOST) break;
    events[count] = frame->clenches[k];
    events[count++].ago = (float)(when - ago);
  }
  a->heard = true;
  sup_popping_step(&a->stack->popping, a->popping, a->backend, a->popping_ago - ago, count, events);
  a->popping_ago = ago;
}

/* The goal for the dynamics, `ago` seconds before the frame. */
void sup_actor_make_goal(Actor *a, double ago) {
  if (a->stack->has_modes) {
    sup_actor_advance_modes(a, ago);
  } else {
    sup_actor_pose_bones(a, sup_actor_pose_before(a, ago));
  }
  if (a->stack->has_popping) sup_actor_advance_popping(a, ago);
  SupSkinCall call = {.positions = {sup_surface_next_goal(a->surface), 0}};
  if (sup_surface_wants_normals(a->stack->surface.flags)) {
    call.normals.data = sup_surface_next_normals(a->surface);
  }
  a->own = morphs_before(a, ago);
  sup_actor_skin(a, &call);
  a->own = a->frame->morph_weights;
}
