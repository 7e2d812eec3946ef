/* SPDX-License-Identifier: MIT */
/*
 * Learning helpers (after Mukai and Kuriyama 2016), in order:
 *
 *   bones and weights          skinning decomposition             train/bake, decompose.c
 *   parent, static controller  LASSO polynomial                   controllers_static.c
 *   dynamic controller         state-space system                 controllers_dynamic.c
 *   chains                     helpers below helpers              controllers_chain.c
 *   the same by material       from the motions of each           controllers_materials.c
 *   weights again              to what the controllers do         controllers_body.c
 */
#include "train/helpers/controllers.h"

#include "numerics/dense.h"

#define COOKIE SUP_FOURCC('h', 'p', 't', 'd')

SupHelpersTrainDef sup_helpers_train_def(const SupCharacter *character) {
  SupHelpersTrainDef def = {.cookie = COOKIE,
                            .character = character,
                            .bind_to_scene = sup_affine_identity(),
                            .solver = sup_bake_helpers_def(character).solver,
                            .material_count = 1,
                            .basis_frames = 400,
                            .degree = 2,
                            .reach = 2,
                            .parents_tried = 4,
                            .chains = SUP_HELPERS_CHAINS_PAY,
                            .states = 12,
                            .fraction = 0.95,
                            .blocks = 10,
                            .lags = 2,
                            .beta = 1,
                            .ridge = 1e-3,
                            .slowest = 1,
                            .polish = 8,
                            .rounds = 3,
                            .margin = 1e-3,
                            .box = 2};
  def.solver.helper_count = 8;
  return def;
}

static SupResult check_materials(const SupHelpersTrainDef *def, SupError *error) {
  if (def->material_count < 1 || def->material_count > SUP_HELPERS_MATERIALS) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "helpers of %u materials; 1 to %u can be learned",
                    def->material_count, SUP_HELPERS_MATERIALS);
  }
  for (uint32_t k = 0; k < def->material_count; k++) {
    bool moves = false;
    for (uint32_t m = 0; m < def->motion_count; m++) {
      const SupHelpersMotion *motion = &def->motions[m];
      const bool every = motion->still && motion->material == SUP_HELPERS_EVERY;
      if (!every && motion->material >= def->material_count) {
        return sup_fail(error, SUP_ERROR_ARGUMENT,
                        "helpers: motion %u has material %u, but there are %u", m, motion->material,
                        def->material_count);
      }
      moves = moves || (!motion->still && motion->material == k);
    }
    if (!moves && def->material_count > 1) {
      return sup_fail(error, SUP_ERROR_ARGUMENT,
                      "helpers: every material needs a clip, not poses alone; material %u of "
                      "%u has none",
                      k + 1, def->material_count);
    }
  }
  return sup_learner_check_states(def, SUP_HELPERS_ROWS - SUP_HELPERS_PUSH, error);
}

static SupResult check(const SupHelpersTrainDef *def, SupError *error) {
  if (def->cookie != COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "helpers: start from sup_helpers_train_def()");
  }
  double fps = 0;
  for (uint32_t m = 0; m < def->motion_count; m++) {
    if (def->motions[m].still) continue;
    if (fps > 0 && def->motions[m].fps != fps) {
      return sup_fail(
          error, SUP_ERROR_ARGUMENT,
          "helpers: the examples have %g and %g frames per second; give all the same rate", fps,
          def->motions[m].fps);
    }
    fps = def->motions[m].fps;
  }
  if (!(fps > 1)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "helpers: at least one example must be a clip, not poses");
  }
  if (def->degree < 1 || def->degree > 3 || def->blocks < 2 || def->states < 1 ||
      def->states > SUP_HELPERS_STATES || def->solver.helper_count > SUP_HELPERS_MOST ||
      !(def->box >= 1) || !(def->margin > 0)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "helpers: a setting is out of range; degree 1 to 3, order 1 to %u, at least 2 "
                    "block rows, at most %u helpers",
                    SUP_HELPERS_STATES, SUP_HELPERS_MOST);
  }
  return check_materials(def, error);
}

/* ---- Clips out of poses ---------------------------------------------------------------------- */

/* A clip with a key for every frame. */
static SupResult make_clip(Learner *l, const SupHelpersMotion *motion, SupClip *out) {
  const uint32_t joints = l->character->skeleton.joint_count, count = motion->frame_count;
  float *times = SUP_ALLOC(l->arena, float, count);
  float *values = SUP_ALLOC(l->arena, float, (size_t)10 * joints * count);
  SupTrack *tracks = SUP_ALLOC(l->arena, SupTrack, (size_t)3 * joints);
  if (!times || !values || !tracks) return sup_fail_memory(l->error, "learning helpers");
  for (uint32_t t = 0; t < count; t++) times[t] = (float)(t / motion->fps);
  for (uint32_t j = 0; j < joints; j++) {
    float *place = values + (size_t)10 * count * j, *turn = place + (size_t)3 * count;
    float *scale = turn + (size_t)4 * count;
    for (uint32_t t = 0; t < count; t++) {
      const SupTransform *p = &motion->poses[(size_t)t * joints + j];
      const float all[10] = {p->translation.x, p->translation.y, p->translation.z, p->rotation.x,
                             p->rotation.y,    p->rotation.z,    p->rotation.w,    p->scale.x,
                             p->scale.y,       p->scale.z};
      sup_copy(place + (size_t)3 * t, all, 3 * sizeof *all);
      sup_copy(turn + (size_t)4 * t, all + 3, 4 * sizeof *all);
      sup_copy(scale + (size_t)3 * t, all + 7, 3 * sizeof *all);
    }
    const SupTrack track = {.target = j, .key_count = count, .times = times};
    tracks[3 * j] = tracks[3 * j + 1] = tracks[3 * j + 2] = track;
    tracks[3 * j].channel = SUP_CHANNEL_TRANSLATION, tracks[3 * j].width = 3;
    tracks[3 * j].values = place;
    tracks[3 * j + 1].channel = SUP_CHANNEL_ROTATION, tracks[3 * j + 1].width = 4;
    tracks[3 * j + 1].values = turn;
    tracks[3 * j + 2].channel = SUP_CHANNEL_SCALE, tracks[3 * j + 2].width = 3;
    tracks[3 * j + 2].values = scale;
  }
  *out = (SupClip){"", count ? times[count - 1] : 0, 3 * joints, tracks};
  return SUP_OK;
}

static SupResult take_apart(Learner *l, SupBakeHelpersDef *bake, SupBakedHelpers *out) {
  const SupHelpersTrainDef *def = l->def;
  SupBakeMotion *motions = SUP_ALLOC(l->arena, SupBakeMotion, def->motion_count);
  SupClip *clips = SUP_ALLOC(l->arena, SupClip, def->motion_count);
  if (!motions || !clips) return sup_fail_memory(l->error, "learning helpers");
  for (uint32_t m = 0; m < def->motion_count; m++) {
    SupResult result = make_clip(l, &def->motions[m], &clips[m]);
    if (result != SUP_OK) return result;
    motions[m] = (SupBakeMotion){.clip = &clips[m],
                                 .fps = def->motions[m].fps,
                                 .frame_count = def->motions[m].frame_count,
                                 .positions = def->motions[m].positions};
    l->frames += def->motions[m].frame_count;
    if (!def->motions[m].still) l->h = 1 / def->motions[m].fps;
  }
  *bake = sup_bake_helpers_def(def->character);
  bake->bind_to_scene = def->bind_to_scene;
  bake->motion_count = def->motion_count;
  bake->motions = motions;
  bake->solver = def->solver;
  bake->basis_frames = def->basis_frames;
  l->baker =
      (HelperBaker){.arena = l->arena, .def = bake, .character = def->character, .error = l->error};
  return sup_bake_take_apart(&l->baker, out);
}

/* ---- Results --------------------------------------------------------------------------------- */

/* The places whose motion is felt: each helper's below its parent; published: the root. */
static SupResult find_places(Learner *l) {
  const uint32_t helpers = l->baker.parts.helper_count;
  const SupSkeleton *skeleton = &l->character->skeleton;
  const bool published = l->def->drive == SUP_HELPERS_PUBLISHED;
  l->frame_count = published ? 1 : helpers;
  if (!l->places) l->places = SUP_ALLOC(l->arena, SupHelpersFrame, l->frame_count);
  if (!l->places) return sup_fail_memory(l->error, "learning helpers");
  if (published) {
    /* The joint below which all bones are. */
    uint32_t root = skeleton->bone_joints[0];
    for (uint32_t k = 1; k < skeleton->bone_count; k++) {
      uint32_t other = skeleton->bone_joints[k];
      while (root != other) {
        uint32_t *lower = root > other ? &root : &other;
        if (skeleton->parents[*lower] < 0) break;
        *lower = (uint32_t)skeleton->parents[*lower];
      }
      if (root > other) root = other;
    }
    l->places[0] = (SupHelpersFrame){.joint = root};
    return SUP_OK;
  }
  for (uint32_t h = 0; h < helpers; h++) {
    const uint32_t bone = l->controllers[h].parent_bone;
    const SupAffined at = sup_bake_local_rest(&l->baker, bone, l->baker.places[h]);
    l->places[h] = (SupHelpersFrame){.joint = skeleton->bone_joints[bone],
                                     .point = sup_vec3d_to_float(sup_affined_translation(at))};
  }
  return SUP_OK;
}

SupResult sup_learner_feel(Learner *l) {
  SupResult result = find_places(l);
  return result == SUP_OK ? sup_learner_read(l) : result;
}

SupResult sup_learner_learn(Learner *l, uint32_t h) {
  SupResult result = sup_learner_swing(l, h, l->def->rounds == 0);
  /* What the pose does is clearer without the swings, and they without it. */
  for (uint32_t k = 1; k <= l->def->rounds && result == SUP_OK; k++) {
    const bool last = k == l->def->rounds;
    result = sup_learner_pose_again(l, h);
    if (last && result == SUP_OK) result = sup_learner_cut(l, h);
    if (last) sup_zero(l->controllers[h].choices, sizeof l->controllers[h].choices);
    if (result == SUP_OK) result = sup_learner_swing(l, h, last);
  }
  return result;
}

/* The joint that a helper hangs below, numbered in the order of parents before children. */
static uint32_t parent_joint(const Learner *l, const Controller *c) {
  if (c->parent_helper == SUP_NONE) return c->joint.parent;
  return l->character->skeleton.joint_count + l->rank[c->parent_helper];
}

/* The decomposition's weights, with helpers in that order. */
static SupResult gather_skin(Learner *l, SupSkin *out) {
  const uint32_t own = l->character->skeleton.bone_count;
  *out = l->baker.parts.skin;
  const uint32_t count = out->offsets[out->vertex_count];
  uint32_t *bones = SUP_COPY(l->arena, uint32_t, out->bones, count);
  if (!bones) return sup_fail_memory(l->error, "learning helpers");
  for (uint32_t k = 0; k < count; k++) {
    if (bones[k] >= own) bones[k] = own + l->rank[bones[k] - own];
  }
  out->bones = bones;
  return SUP_OK;
}

/* What is felt at a helper's place is cut where its system was told so. */
static void cut_box(Learner *l, const Controller *c) {
  for (uint32_t j = 0; j < c->input_count && l->def->drive == SUP_HELPERS_FELT; j++) {
    l->box[c->inputs[j]] = c->limits[2 * j];
    l->box[l->input_count + c->inputs[j]] = c->limits[2 * j + 1];
  }
}

static SupResult gather(Learner *l, SupHelpersTrained *out) {
  const uint32_t helpers = l->baker.parts.helper_count;
  SupHelperDef *defs = SUP_ALLOC(l->arena, SupHelperDef, helpers);
  SupBakedHelper *joints = SUP_ALLOC(l->arena, SupBakedHelper, helpers);
  if (!defs || !joints) return sup_fail_memory(l->error, "learning helpers");
  for (uint32_t h = 0; h < helpers; h++) {
    const Controller *c = &l->controllers[l->order[h]];
    joints[h] = c->joint;
    joints[h].parent = parent_joint(l, c);
    defs[h] = (SupHelperDef){.joint = l->character->skeleton.joint_count + h,
                             .rest = c->joint.rest,
                             .state_count = c->system.states,
                             .input_count = c->input_count,
                             .inputs = c->inputs,
                             .a = c->system.a,
                             .b = c->system.b,
                             .c = c->system.c,
                             .d = c->system.d,
                             .feature_count = c->feature_count,
                             .features = c->features,
                             .static_part = c->weights};
    sup_copy(defs[h].range, c->range, sizeof c->range);
    cut_box(l, c);
  }
  out->def = sup_helpers_def();
  out->def.h = l->h;
  out->def.turn_count = l->turn_count;
  out->def.turns = l->turns;
  out->def.frame_count = l->frame_count;
  out->def.frames = l->places;
  out->def.feature_count = l->feature_count;
  out->def.features = l->features;
  out->def.box = l->box;
  out->def.helper_count = helpers;
  out->def.helpers = defs;
  out->helpers = joints;
  return gather_skin(l, &out->skin);
}

static SupResult report(Learner *l, const SupBakedHelpers *baked, SupHelpersTrainReport *out) {
  const uint32_t helpers = l->baker.parts.helper_count;
  uint32_t *orders = SUP_ALLOC(l->arena, uint32_t, helpers);
  uint32_t *parents = SUP_ALLOC(l->arena, uint32_t, helpers);
  double *bounds = SUP_ALLOC(l->arena, double, (size_t)OUTPUTS *helpers);
  double *ranges = SUP_ALLOC(l->arena, double, (size_t)OUTPUTS *helpers);
  double *cuts = SUP_ALLOC(l->arena, double, helpers);
  if (!orders || !parents || !bounds || !ranges || !cuts) {
    return sup_fail_memory(l->error, "learning helpers");
  }
  *out = (SupHelpersTrainReport){.helper_count = helpers,
                                 .turn_count = l->turn_count,
                                 .frame_count = l->frame_count,
                                 .feature_count = l->feature_count,
                                 .orders = orders,
                                 .parents = parents,
                                 .bounds = bounds,
                                 .ranges = ranges,
                                 .cuts = cuts,
                                 .radius = l->radius,
                                 .peak = l->peak,
                                 .plain_rmse = baked->plain_rmse,
                                 .decomposed_rmse = baked->rmse};
  for (uint32_t h = 0; h < helpers; h++) {
    const Controller *c = &l->controllers[l->order[h]];
    orders[h] = c->system.states;
    parents[h] = parent_joint(l, c);
    cuts[h] = c->cut;
    out->state_count += c->system.states;
    for (uint32_t k = 0; k < OUTPUTS * (1 + c->feature_count); k++) {
      out->weight_count += c->weights[k] != 0;
    }
    for (uint32_t o = 0; o < OUTPUTS; o++) {
      const double low = -c->range[2 * o], high = c->range[2 * o + 1];
      bounds[OUTPUTS * h + o] = c->bound[o];
      ranges[OUTPUTS * h + o] = low > high ? low : high;
    }
  }
  out->mean_order = helpers ? out->state_count / (6.0 * helpers) : 0;
  return SUP_OK;
}

static double larger(double a, double b) { return a > b ? a : b; }

/* Another material's report on top of the first one's. */
static void add_report(const SupHelpersTrainReport *from, SupHelpersTrainReport *to) {
  to->state_count += from->state_count;
  to->weight_count += from->weight_count;
  to->mean_order += from->mean_order;
  to->radius = larger(to->radius, from->radius);
  to->peak = larger(to->peak, from->peak);
  for (uint32_t h = 0; h < to->helper_count; h++) {
    ((uint32_t *)(uintptr_t)to->orders)[h] += from->orders[h];
  }
  for (uint32_t k = 0; k < OUTPUTS * to->helper_count; k++) {
    ((double *)(uintptr_t)to->bounds)[k] = larger(to->bounds[k], from->bounds[k]);
    ((double *)(uintptr_t)to->ranges)[k] = larger(to->ranges[k], from->ranges[k]);
  }
}

/* Controllers of every material for itself. */
static SupResult learn_materials(Learner *l, const SupBakedHelpers *baked, SupHelpersTrained *out,
                                 SupHelpersTrainReport *out_report) {
  const uint32_t count = l->def->material_count;
  Learner *parts = SUP_ALLOC(l->arena, Learner, count);
  if (!parts) return sup_fail_memory(l->error, "learning helpers");
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    SupHelpersTrained trained;
    SupHelpersTrainReport one;
    result = sup_learner_divide(l, k, &parts[k]);
    if (result == SUP_OK) result = sup_learner_learn_again(&parts[k]);
    if (result == SUP_OK) result = gather(&parts[k], k == 0 ? out : &trained);
    if (result == SUP_OK) result = report(&parts[k], baked, k == 0 ? out_report : &one);
    if (result != SUP_OK) return result;
    out->defs[k] = k == 0 ? out->def : trained.def;
    if (k > 0) add_report(&one, out_report);
  }
  return sup_learner_frequency_ratios(count, parts, out->frequency_ratios, out_report);
}

SupResult sup_helpers_train(SupArena *arena, const SupHelpersTrainDef *def,
                            SupHelpersTrained *out_trained, SupHelpersTrainReport *out_report,
                            SupError *error) {
  Learner l = {.arena = arena, .def = def, .character = def->character, .error = error};
  SupBakeHelpersDef bake;
  SupBakedHelpers baked;
  SupHelpersTrained trained = {.material_count = def->material_count};
  sup_dense_one_thread();
  SupResult result = check(def, error);
  if (result == SUP_OK) result = take_apart(&l, &bake, &baked);
  if (result == SUP_OK) result = sup_learner_find_turns(&l);
  if (result == SUP_OK && def->drive == SUP_HELPERS_PUBLISHED) {
    result = sup_learner_check_states(def, 3 * l.turn_count + 6, error);
  }
  if (result == SUP_OK) result = sup_learner_read(&l);
  if (result != SUP_OK) return result;
  const uint32_t helpers = l.baker.parts.helper_count;
  l.controllers = SUP_ALLOC(arena, Controller, helpers);
  if (!l.controllers) return sup_fail_memory(l.error, "learning helpers");
  for (uint32_t h = 0; h < helpers && result == SUP_OK; h++) result = sup_learner_pose(&l, h);
  if (result == SUP_OK) result = sup_learner_feel(&l);
  if (result == SUP_OK) result = sup_learner_learn_all(&l);
  if (result == SUP_OK && def->material_count > 1) {
    result = learn_materials(&l, &baked, &trained, out_report);
  } else if (result == SUP_OK) {
    result = gather(&l, &trained);
    if (result == SUP_OK) result = report(&l, &baked, out_report);
    trained.frequency_ratios[0] = 1;
    trained.defs[0] = trained.def;
  }
  if (result == SUP_OK) result = sup_learner_dress(&l, &trained, out_report);
  if (result == SUP_OK) *out_trained = trained;
  return result;
}
