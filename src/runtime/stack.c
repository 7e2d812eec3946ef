/* SPDX-License-Identifier: MIT */
/*
 * The stack: which models run in which order, and one frame of a character.
 *
 * Time. `ahead` is the time since the last step of the dynamics, in [0, h). A frame adds dt to it
 * and makes the steps that are due, each with the goal of its own time; what is shown is the state
 * at the frame's time (sup_surface_show). Times are compared with a slack of 1e-4 h, so that a
 * caller who steps by h hits every step exactly, whatever the rounding of dt.
 *
 * Space. The simulation runs in world space, or in the moving frame of the root or of a joint: all
 * bones are taken into that frame, and the result back out of it.
 */
#include "supple/stack.h"

#define COOKIE SUP_FOURCC('s', 't', 'd', 'f')
#define SLACK 1e-4
#define VERTICES_PER_TASK 1024
#define PARTS_MOST 64 /* of one step of the modes */

/* Where the arrays of a state are, in SupStack.offsets. */
enum {
  AT_LAST,
  AT_WORK,
  AT_GLOBALS,
  AT_PALETTE,
  AT_DUALS,
  AT_SURFACE,
  AT_MODES,
  AT_WEIGHTS, /* of all morph targets of the skin, the modes last; only with modes */
  AT_BENDS,   /* how the goal's step changed last; only for modes under a surface */
  AT_PAIRS,
  AT_FRAMES,
  AT_LANES, /* only where no model says in which lane a vertex is */
  AT_SCALES,
  AT_MORPHS, /* weights of the last frame, then those between frames */
  AT_COUNT
};
_Static_assert(AT_COUNT <= 16, "SupStack.offsets");

struct SupStackState {
  uint64_t bytes;
  double ahead;      /* seconds since the last step */
  uint32_t running;  /* 0: the next frame starts afresh */
  float fade;        /* share of the dynamics that is shown */
  SupTransform root; /* of the last frame */
  float pad[2];
};

/* ---- Making -----------------------------------------------------------------------------------
 */

SupStage sup_stack_stage(uint32_t kind) {
  switch (kind) {
    case SUP_SKIN_KIND: return SUP_STAGE_SHAPE;
    case SUP_MODES_KIND: return SUP_STAGE_OFFSET;
    case SUP_SURFACE_KIND: return SUP_STAGE_DYNAMICS;
    default: return SUP_STAGE_COUNT;
  }
}

SupStackDef sup_stack_def(void) {
  return (SupStackDef){.cookie = COOKIE, .longest = 0.25f, .fade_seconds = 0.25f};
}

static const char *kind_name(uint32_t kind) {
  const SupModelKind *found = sup_model_kind(sup_model_kinds(), kind);
  return found ? found->name : "unknown";
}

static SupResult check_models(const SupStackDef *def, SupError *error) {
  if (def->cookie != COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "stack: start from sup_stack_def()");
  }
  if (def->model_count == 0 || def->model_count > SUP_STACK_MODELS) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "stack: %u models; between 1 and %u can run together", def->model_count,
                    SUP_STACK_MODELS);
  }
  for (uint32_t k = 0; k < def->model_count; k++) {
    const uint32_t kind = def->models[k]->kind;
    if (sup_stack_stage(kind) == SUP_STAGE_COUNT) {
      return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                      "stack: a model of kind %s has no place in a frame", kind_name(kind));
    }
    for (uint32_t i = 0; i < k; i++) {
      if (def->models[i]->kind == kind) {
        return sup_fail(error, SUP_ERROR_ARGUMENT,
                        "stack: there are two %s models; keep one, or build with --fresh",
                        kind_name(kind));
      }
      if (def->models[i]->mesh.topology != def->models[k]->mesh.topology ||
          def->models[i]->mesh.vertex_count != def->models[k]->mesh.vertex_count) {
        return sup_fail(
            error, SUP_ERROR_ARGUMENT,
            "stack: the %s and the %s model belong to different meshes: build one again",
            kind_name(def->models[i]->kind), kind_name(kind));
      }
    }
  }
  return SUP_OK;
}

static const SupModel *find_model(const SupStackDef *def, uint32_t kind) {
  for (uint32_t k = 0; k < def->model_count; k++) {
    if (def->models[k]->kind == kind) return def->models[k];
  }
  return NULL;
}

/* Goals are made by the skin of the modes and followed by the surface: lane by lane. */
static bool same_lanes(const SupSkinView *a, const SupSkinView *b) {
  bool same = a->block_count == b->block_count;
  for (uint32_t i = 0; same && i < SUP_SKIN_BLOCK * a->block_count; i++) {
    same = a->order[i] == b->order[i];
  }
  return same;
}

static SupResult check_fit(const SupStack *stack, SupError *error) {
  const SupStackDef *def = &stack->def;
  if (stack->has_surface && !same_lanes(&stack->skin, &stack->surface.skin)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "stack: the modes and the surface model order the vertices differently: build "
                    "one again");
  }
  if (stack->skin.bone_count != def->skeleton->bone_count) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "stack: the model was made for %u bones, the skeleton has %u: build it again",
                    stack->skin.bone_count, def->skeleton->bone_count);
  }
  if (def->space == SUP_SPACE_JOINT && def->space_joint >= def->skeleton->joint_count) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "stack: joint %u as space, but there are only %u",
                    def->space_joint, def->skeleton->joint_count);
  }
  for (uint32_t r = 0; r < def->render.vertex_count; r++) {
    if (def->render.to_body[r] >= stack->skin.vertex_count) {
      return sup_fail(error, SUP_ERROR_ARGUMENT, "stack: vertex %u hangs on body vertex %u of %u",
                      r, def->render.to_body[r], stack->skin.vertex_count);
    }
  }
  if (!(def->longest > 0 && def->fade_seconds >= 0 && def->teleport_distance >= 0 &&
        def->teleport_angle >= 0)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "stack: times and limits must not be negative");
  }
  return SUP_OK;
}

/* The character's own morph targets; those of the modes come after them. */
static uint32_t own_morphs(const SupStack *stack) {
  return stack->skin.morph_count - (stack->has_modes ? stack->modes.mode_count : 0);
}

static void lay_out(SupStack *stack) {
  const SupSkeleton *skeleton = stack->def.skeleton;
  const size_t lanes = (size_t)SUP_SKIN_BLOCK * stack->skin.block_count;
  const size_t bytes[AT_COUNT] = {
      [AT_LAST] = skeleton->joint_count * sizeof(SupTransform),
      [AT_WORK] = skeleton->joint_count * sizeof(SupTransform),
      [AT_GLOBALS] = skeleton->joint_count * sizeof(SupAffine),
      [AT_PALETTE] = skeleton->bone_count * sizeof(SupAffine),
      [AT_DUALS] = skeleton->bone_count * sizeof(SupDualBone),
      [AT_SURFACE] = stack->has_surface ? sup_surface_bytes(&stack->surface) : 0,
      [AT_MODES] = stack->has_modes ? sup_modes_bytes(&stack->modes) : 0,
      [AT_WEIGHTS] = stack->has_modes ? stack->skin.morph_count * sizeof(float) : 0,
      [AT_BENDS] = stack->has_modes && stack->has_surface ? lanes * 3 * sizeof(float) : 0,
      [AT_PAIRS] = lanes * 8 * sizeof(float),
      [AT_FRAMES] = lanes * 12 * sizeof(float),
      [AT_LANES] = stack->has_surface ? 0 : lanes * sizeof(uint32_t),
      [AT_SCALES] = skeleton->bone_count * sizeof(float),
      [AT_MORPHS] = 2 * own_morphs(stack) * sizeof(float)};
  uint64_t at = sizeof(SupStackState);
  for (int k = 0; k < AT_COUNT; k++) {
    at = (at + SUP_ALIGNMENT - 1) / SUP_ALIGNMENT * SUP_ALIGNMENT;
    stack->offsets[k] = at;
    at += bytes[k];
  }
  stack->state_bytes = (at + SUP_ALIGNMENT - 1) / SUP_ALIGNMENT * SUP_ALIGNMENT;
}

SupResult sup_stack_make(const SupStackDef *def, SupStack *out_stack, SupError *error) {
  SupResult result = check_models(def, error);
  if (result) return result;
  const SupModel *surface = find_model(def, SUP_SURFACE_KIND);
  const SupModel *modes = find_model(def, SUP_MODES_KIND);
  const SupModel *skin = modes ? modes : surface ? surface : find_model(def, SUP_SKIN_KIND);
  SupStack stack = {.def = *def, .has_surface = surface != NULL, .has_modes = modes != NULL};
  if (modes) stack.modes = sup_modes_view(modes);
  if (surface) {
    stack.surface = sup_surface_view(surface);
    stack.h = surface->h;
  }
  stack.skin = sup_skin_view(skin);
  stack.size = skin->mesh.diagonal;
  stack.vertex_count =
      def->render.vertex_count ? def->render.vertex_count : stack.skin.vertex_count;
  if (stack.skin.vertex_count != skin->mesh.vertex_count) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "stack: the skin model is of render vertices; pack the body's");
  }
  result = check_fit(&stack, error);
  if (result) return result;
  if (stack.def.teleport_distance == 0) stack.def.teleport_distance = 10 * stack.size;
  lay_out(&stack);
  *out_stack = stack;
  return SUP_OK;
}

size_t sup_stack_bytes(const SupStack *stack) { return (size_t)stack->state_bytes; }

/* The arrays of one state. */
typedef struct Actor {
  const SupStack *stack;
  SupStackState *state;
  const SupBackend *backend;
  const SupJobs *jobs;
  const SupStackFrame *frame;
  SupTransform *last; /* joints of the last frame */
  SupPose work;       /* the pose between frames */
  float *last_morphs; /* weights of the last frame */
  float *morphs;      /* weights between frames */
  const float *own;   /* those of the goal being made, or NULL */
  SupAffine *globals, *palette;
  SupDualBone *duals;
  SupSurfaceState *surface;
  SupModesState *modes;
  double modes_ago;         /* seconds before the frame at which the modes stand */
  float *weights;           /* of the skin's morph targets, the modes last */
  float *bends;             /* [blocks of 3] */
  const uint32_t *lanes;    /* [body vertices] */
  float *pairs;             /* [8 per lane]; [8 per body vertex] when only skinning */
  float *frames;            /* [12 per lane]; unused when only skinning */
  bool skinning;            /* nothing but skinning in this frame */
  SupAffine space, inverse; /* simulation space to scene, and back, at the last pose evaluated */
} Actor;

static void *at(const SupStack *stack, SupStackState *state, int which) {
  return (char *)state + stack->offsets[which];
}

SupStackState *sup_stack_init(const SupStack *stack, void *block) {
  SupStackState *state = (SupStackState *)block;
  sup_zero(block, sup_stack_bytes(stack));
  state->bytes = stack->state_bytes;
  state->fade = 1;
  state->root = sup_transform_identity();
  if (stack->has_modes) sup_modes_init(&stack->modes, at(stack, state, AT_MODES));
  if (stack->has_surface) {
    sup_surface_init(&stack->surface, at(stack, state, AT_SURFACE));
  } else {
    uint32_t *lanes = (uint32_t *)at(stack, state, AT_LANES);
    for (uint32_t i = 0; i < stack->skin.vertex_count; i++) lanes[stack->skin.order[i]] = i;
  }
  return state;
}

void sup_stack_reset(SupStackState *state) { state->running = 0; }

/* ---- Goals ------------------------------------------------------------------------------------
 */

/* Pose to bones, in the simulation's space. */
static void pose_bones(Actor *a, const SupPose *pose) {
  const SupStackDef *def = &a->stack->def;
  const SupSkeleton *skeleton = def->skeleton;
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

static const SupAffine *scene_to_space(const Actor *a) {
  return a->stack->def.space == SUP_SPACE_WORLD ? NULL : &a->inverse;
}

/* The weights of the morph targets: the caller's, then the modes'. */
static const float *morph_weights(const Actor *a) {
  const float *own = a->own;
  if (!a->stack->has_modes) return own;
  const uint32_t count = own_morphs(a->stack);
  const float level = a->frame->mode_level, all = (float)a->stack->modes.mode_count;
  for (uint32_t m = 0; m < count; m++) a->weights[m] = own ? own[m] : 0;
  sup_modes_weights(&a->stack->modes, a->modes, level > 0 ? level : all, a->state->fade,
                    a->weights + count);
  return a->weights;
}

static void skin_goal(const Actor *a, SupSkinCall *call) {
  call->skin = &a->stack->skin;
  call->palette = a->palette;
  call->duals = a->duals;
  call->morph_weights = morph_weights(a);
  if (a->stack->def.dual_quaternions) {
    call->stretched = sup_skin_duals(a->stack->skin.bone_count, a->palette, a->duals);
    sup_skin_dqs(a->backend, a->jobs, call);
  } else {
    sup_skin_lbs(a->backend, a->jobs, call);
  }
}

/* The pose `ago` seconds before the frame. */
static const SupPose *pose_before(Actor *a, double ago) {
  const SupStackFrame *frame = a->frame;
  if (ago <= 0) return frame->pose;
  if (frame->pose_at) {
    frame->pose_at(frame->user, (float)ago, &a->work);
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
  for (uint32_t k = 0; k < own_morphs(a->stack); k++) {
    const double last = (double)a->last_morphs[k];
    a->morphs[k] = (float)(last + share * ((double)frame->morph_weights[k] - last));
  }
  return a->morphs;
}

/* Brings the modes to `ago` seconds before the frame, and leaves the bones there. Steps longer than
 * the model's h are divided where the poses in between can be asked for. Forces on the surface are
 * the surface's business. */
static void advance_modes(Actor *a, double ago) {
  const SupModesView *model = &a->stack->modes;
  const double way = a->modes_ago - ago, count = way / (double)model->h;
  uint32_t parts = 1;
  if (a->frame->pose_at && count > 1) {
    parts = count < PARTS_MOST ? (uint32_t)(count + 1 - SLACK) : PARTS_MOST;
  }
  for (uint32_t k = 1; k <= parts; k++) {
    pose_bones(a, pose_before(a, k == parts ? ago : a->modes_ago - way * k / parts));
    SupModesForces forces = {{0, 0, 0}, 0, NULL};
    if (a->frame->forces && !a->stack->has_surface) {
      forces.gravity = a->frame->forces->acceleration;
      if (a->stack->def.space != SUP_SPACE_WORLD) {
        forces.gravity = sup_affine_direction(a->inverse, forces.gravity);
      }
    }
    sup_modes_step(model, a->modes, a->backend, (float)(way / parts), a->palette, &forces);
  }
  a->modes_ago = ago;
}

/* The goal for the dynamics, `ago` seconds before the frame. */
static void make_goal(Actor *a, double ago) {
  if (a->stack->has_modes) {
    advance_modes(a, ago);
  } else {
    pose_bones(a, pose_before(a, ago));
  }
  SupSkinCall call = {.positions = {sup_surface_next_goal(a->surface), 0}};
  if (a->stack->surface.flags & SUP_SURFACE_BACK_STOP) {
    call.normals.data = sup_surface_next_normals(a->surface);
  }
  a->own = morphs_before(a, ago);
  skin_goal(a, &call);
  a->own = a->frame->morph_weights;
}

/* ---- Time -------------------------------------------------------------------------------------
 */

static float *surface_rows(const Actor *a, uint64_t offset) {
  return (float *)(void *)((char *)a->surface + offset);
}

/* The modes answer for inertia, so the surface must not answer again: it is handed the whole
 * acceleration of its goal. A step knows the goal's change (bend) up to its own time and has to
 * take the last one for the next; what that was wrong by is put right here, a step later, before
 * anybody has seen it. The distance from the goal then does not feel the goal's motion at all. */
static void hand_on_inertia(Actor *a) {
  const SupSurfaceState *surface = a->surface;
  const float *next = sup_surface_next_goal(a->surface), *goal = surface_rows(a, surface->goal);
  const float *step = surface_rows(a, surface->goal_step);
  float *x = surface_rows(a, surface->x), *dx = surface_rows(a, surface->dx), *bends = a->bends;
  const bool fresh = surface->fresh > 0;
  for (size_t i = 0; i < (size_t)(3 * SUP_SKIN_BLOCK) * surface->block_count; i++) {
    const float bend = fresh ? 0 : next[i] - goal[i] - step[i], miss = fresh ? 0 : bend - bends[i];
    x[i] += miss;
    dx[i] += miss;
    bends[i] = bend;
  }
}

static void simulate(Actor *a, double ago) {
  make_goal(a, ago);
  SupSurfaceForces forces = {0};
  if (a->frame->forces) forces = *a->frame->forces;
  forces.space = scene_to_space(a);
  if (a->stack->has_modes) {
    hand_on_inertia(a);
    forces.feed_forward = 1;
  }
  sup_surface_step(&a->stack->surface, a->surface, a->backend, a->jobs, a->palette, &forces);
}

static bool teleported(const Actor *a) {
  const SupStackDef *def = &a->stack->def;
  const SupTransform *now = &a->frame->pose->root, *last = &a->state->root;
  if (!(sup_vec3_distance(now->translation, last->translation) <= def->teleport_distance)) {
    return true;
  }
  if (def->teleport_angle == 0) return false;
  float dot = sup_quat_dot(now->rotation, last->rotation);
  return 2 * sup_acosf(dot < 0 ? -dot : dot) > def->teleport_angle;
}

/* How much of the dynamics shows; false when none does and none need be computed. */
static bool update_fade(Actor *a, double dt) {
  SupStackState *state = a->state;
  const double seconds = (double)a->stack->def.fade_seconds;
  const double change = seconds > 0 ? dt / seconds : 1;
  if (!state->running) {
    state->fade = a->frame->off ? 0 : state->fade;
  } else {
    double fade = (double)state->fade + (a->frame->off ? -change : change);
    state->fade = (float)(fade < 0 ? 0 : fade > 1 ? 1 : fade);
  }
  return !(a->frame->off && state->fade == 0);
}

/* Is this the first frame, or too far from the last? Then everything begins here. */
static bool restart(Actor *a, double dt) {
  if (a->state->running && dt <= (double)a->stack->def.longest && !teleported(a)) return false;
  a->state->running = 1;
  a->modes_ago = 0;
  if (a->stack->has_modes) sup_modes_reset(a->modes);
  return true;
}

/* Makes the steps that are due. Returns where between two steps the frame is; a frame that needed
 * no step has its goal made too, even if no time has passed: its pose may be another one. */
static SupSurfaceShow advance(Actor *a, double dt) {
  SupStackState *state = a->state;
  const double h = (double)a->stack->h;
  if (restart(a, dt)) {
    sup_surface_reset(a->surface);
    state->ahead = 0;
    simulate(a, 0);
    return (SupSurfaceShow){0};
  }
  if (a->frame->impulse_count) {
    pose_bones(a, a->frame->pose); /* blows are felt where the character is now */
    sup_surface_strike(&a->stack->surface, a->surface, a->frame->impulses, a->frame->impulse_count,
                       scene_to_space(a));
  }
  bool now = false; /* the last goal is that of the frame */
  state->ahead += dt;
  while (state->ahead >= h * (1 - SLACK)) {
    state->ahead -= h;
    now = state->ahead <= h * SLACK;
    simulate(a, now ? 0 : state->ahead);
  }
  if (now) return (SupSurfaceShow){0};
  make_goal(a, 0);
  const double part = state->ahead > h * SLACK ? state->ahead / h : 0;
  return (SupSurfaceShow){.between = true, .part = (float)part};
}

/* ---- Output -----------------------------------------------------------------------------------
 */

static SupVec3 frame_direction(const float *frame, SupVec3 v) {
  return (SupVec3){frame[0] * v.x + frame[3] * v.y + frame[6] * v.z,
                   frame[1] * v.x + frame[4] * v.y + frame[7] * v.z,
                   frame[2] * v.x + frame[5] * v.y + frame[8] * v.z};
}

static void put3(float *to, SupVec3 v) { to[0] = v.x, to[1] = v.y, to[2] = v.z; }

static SupVec3 unit_out(const Actor *a, SupVec3 v) {
  if (a->stack->def.space != SUP_SPACE_WORLD) v = sup_affine_direction(a->space, v);
  return sup_vec3_normalise(v);
}

static const float *lane_record(const SupSkinView *skin, uint32_t lane) {
  const uint32_t block = lane / SUP_SKIN_BLOCK;
  const size_t rows = sup_skin_record_rows(skin->flags);
  return skin->records + SUP_SKIN_BLOCK * (rows * block + skin->bone_first[block]) +
         lane % SUP_SKIN_BLOCK;
}

static SupVec3 lane_normal(const SupSkinView *skin, uint32_t lane) {
  if (!(skin->flags & SUP_SKIN_NORMALS)) return (SupVec3){0, 0, 0};
  const float *record = lane_record(skin, lane);
  return (SupVec3){record[3 * SUP_SKIN_BLOCK], record[4 * SUP_SKIN_BLOCK],
                   record[5 * SUP_SKIN_BLOCK]};
}

/* The linear part of a lane's blended bones, for frames that only skin. */
static void blend_lane(const Actor *a, uint32_t lane, float *out_frame) {
  const SupSkinView *skin = &a->stack->skin;
  const uint32_t *first = skin->bone_first + lane / SUP_SKIN_BLOCK;
  const float *weights =
      lane_record(skin, lane) + SUP_SKIN_BLOCK * sup_skin_record_rows(skin->flags);
  for (int i = 0; i < 9; i++) out_frame[i] = 0;
  for (uint32_t k = first[0]; k < first[1]; k++, weights += SUP_SKIN_BLOCK) {
    const float *m = a->palette[skin->bones[k]].m;
    for (int i = 0; i < 9 && *weights > 0; i++) out_frame[i] += *weights * m[i];
  }
}

/* Vertices of the output: positions, and normals and tangents turned with their body vertex. */
static void write_vertices(void *context, SupRange range) {
  const Actor *a = (const Actor *)context;
  const SupStackFrame *out = a->frame;
  const SupStackRender *render = &a->stack->def.render;
  const bool turn = out->normals.data || (out->tangents.data && render->tangents);
  for (uint32_t r = range.first; r < range.first + range.count; r++) {
    const uint32_t v = render->vertex_count ? render->to_body[r] : r;
    const uint32_t lane = a->lanes[v];
    const float *pair = a->pairs + 8 * (size_t)(a->skinning ? v : lane);
    SupVec3 p = {pair[0], pair[1], pair[2]};
    if (a->stack->def.space != SUP_SPACE_WORLD) p = sup_affine_point(a->space, p);
    put3(out->positions.data + (size_t)out->positions.stride * r, p);
    if (!turn) continue;
    float blended[9];
    const float *frame = a->frames + 12 * (size_t)lane;
    if (a->skinning) {
      blend_lane(a, lane, blended);
      frame = blended;
    }
    if (out->normals.data) {
      const SupVec3 n = render->normals ? render->normals[r] : lane_normal(&a->stack->skin, lane);
      put3(out->normals.data + (size_t)out->normals.stride * r,
           unit_out(a, frame_direction(frame, n)));
    }
    if (out->tangents.data && render->tangents) {
      const SupVec4 t = render->tangents[r];
      float *to = out->tangents.data + (size_t)out->tangents.stride * r;
      put3(to, unit_out(a, frame_direction(frame, (SupVec3){t.x, t.y, t.z})));
      to[3] = t.w;
    }
  }
}

static void show(Actor *a, SupSurfaceShow show) {
  const SupSurfaceForces *forces = a->frame->forces;
  show.fade = a->state->fade;
  show.pull_count = forces ? forces->pull_count : 0;
  show.pulls = forces ? forces->pulls : NULL;
  show.space = scene_to_space(a);
  const SupSurfaceView *model = &a->stack->surface;
  float *scales = (float *)at(a->stack, a->state, AT_SCALES);
  if (sup_surface_scales(model->skin.bone_count, a->palette, scales)) show.scales = scales;
  sup_surface_show(model, a->surface, a->backend, a->jobs, &show, a->pairs);
  if (a->frame->normals.data || a->frame->tangents.data) {
    sup_surface_frames(model, a->backend, a->jobs, a->palette, a->pairs, a->frames);
  }
  sup_parallel_for(a->jobs, a->stack->vertex_count, VERTICES_PER_TASK, write_vertices, a);
}

/* Skinning with what the modes add, and nothing else; far away not even that, and the next dynamics
 * starts afresh. */
static void skin_only(Actor *a, bool swing, double dt) {
  a->skinning = true;
  if (swing) {
    restart(a, dt);
    advance_modes(a, 0);
  } else {
    a->state->running = 0;
    pose_bones(a, a->frame->pose);
  }
  SupSkinCall call = {.positions = {a->pairs, 8}};
  skin_goal(a, &call);
  sup_parallel_for(a->jobs, a->stack->vertex_count, VERTICES_PER_TASK, write_vertices, a);
}

static void remember(Actor *a) {
  a->state->root = a->frame->pose->root;
  sup_copy(a->last, a->frame->pose->joints,
           a->stack->def.skeleton->joint_count * sizeof(SupTransform));
  const size_t morphs = own_morphs(a->stack) * sizeof(float);
  if (a->frame->morph_weights) {
    sup_copy(a->last_morphs, a->frame->morph_weights, morphs);
  } else {
    sup_zero(a->last_morphs, morphs);
  }
}

void sup_stack_step(const SupStack *stack, SupStackState *state, const SupBackend *backend,
                    const SupJobs *jobs, const SupStackFrame *frame) {
  Actor a = {.stack = stack,
             .state = state,
             .backend = backend,
             .jobs = jobs,
             .frame = frame,
             .last = (SupTransform *)at(stack, state, AT_LAST),
             .work = {stack->def.skeleton->joint_count, sup_transform_identity(),
                      (SupTransform *)at(stack, state, AT_WORK)},
             .last_morphs = (float *)at(stack, state, AT_MORPHS),
             .morphs = (float *)at(stack, state, AT_MORPHS) + own_morphs(stack),
             .own = frame->morph_weights,
             .globals = (SupAffine *)at(stack, state, AT_GLOBALS),
             .palette = (SupAffine *)at(stack, state, AT_PALETTE),
             .duals = (SupDualBone *)at(stack, state, AT_DUALS),
             .surface = (SupSurfaceState *)at(stack, state, AT_SURFACE),
             .modes = (SupModesState *)at(stack, state, AT_MODES),
             .weights = (float *)at(stack, state, AT_WEIGHTS),
             .bends = (float *)at(stack, state, AT_BENDS),
             .lanes = stack->has_surface ? stack->surface.lanes
                                         : (const uint32_t *)at(stack, state, AT_LANES),
             .pairs = (float *)at(stack, state, AT_PAIRS),
             .frames = (float *)at(stack, state, AT_FRAMES),
             .space = sup_affine_identity(),
             .inverse = sup_affine_identity()};
  const double dt = frame->dt > 0 ? (double)frame->dt : 0;
  const bool dynamic = (stack->has_surface || stack->has_modes) && update_fade(&a, dt);
  a.modes_ago = dt; /* they stand at the last frame */
  if (dynamic && stack->has_surface) {
    show(&a, advance(&a, dt));
  } else {
    skin_only(&a, dynamic, dt);
  }
  remember(&a);
}

typedef struct Crowd {
  const SupStack *stack;
  SupStackState *const *states;
  const SupBackend *backend;
  const SupStackFrame *frames;
} Crowd;

static void step_one(void *context, SupRange range) {
  const Crowd *crowd = (const Crowd *)context;
  for (uint32_t k = range.first; k < range.first + range.count; k++) {
    sup_stack_step(crowd->stack, crowd->states[k], crowd->backend, NULL, &crowd->frames[k]);
  }
}

void sup_stack_step_all(const SupStack *stack, SupStackState *const *states, uint32_t count,
                        const SupBackend *backend, const SupJobs *jobs,
                        const SupStackFrame *frames) {
  Crowd crowd = {stack, states, backend, frames};
  sup_parallel_for(jobs, count, 1, step_one, &crowd);
}
