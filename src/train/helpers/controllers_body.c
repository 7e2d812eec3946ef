/* SPDX-License-Identifier: MIT */
/*
 * The character with its helpers, played by the run time: weights are fitted again to what the
 * controllers do (helpers that are predicted poorly lose influence where they harm), and the errors
 * that are reported are those of the finished model.
 */
#include "supple/pose.h"
#include "train/helpers/controllers.h"
#include "train/rest_offsets.h"

/* ---- Character ------------------------------------------------------------------------------- */

SupResult sup_helpers_character(SupArena *arena, const SupCharacter *character,
                                const SupHelpersTrained *trained, SupCharacter *out_character,
                                SupError *error) {
  const SupSkeleton *from = &character->skeleton;
  const uint32_t helpers = trained->def.helper_count;
  const uint32_t joints = from->joint_count + helpers, bones = from->bone_count + helpers;
  int32_t *parents = SUP_ALLOC(arena, int32_t, joints);
  SupTransform *rest = SUP_ALLOC(arena, SupTransform, joints);
  const char **names = SUP_ALLOC(arena, const char *, joints);
  uint32_t *bone_joints = SUP_ALLOC(arena, uint32_t, bones);
  SupAffine *inverse_bind = SUP_ALLOC(arena, SupAffine, bones);
  if (!parents || !rest || !names || !bone_joints || !inverse_bind) {
    return sup_fail_memory(error, "helpers");
  }
  sup_copy(parents, from->parents, from->joint_count * sizeof *parents);
  sup_copy(rest, from->rest, from->joint_count * sizeof *rest);
  for (uint32_t j = 0; j < from->joint_count; j++) names[j] = from->names[j];
  sup_copy(bone_joints, from->bone_joints, from->bone_count * sizeof *bone_joints);
  sup_copy(inverse_bind, from->inverse_bind, from->bone_count * sizeof *inverse_bind);
  for (uint32_t h = 0; h < helpers; h++) {
    parents[from->joint_count + h] = (int32_t)trained->helpers[h].parent;
    rest[from->joint_count + h] = trained->helpers[h].rest;
    names[from->joint_count + h] = "helper";
    bone_joints[from->bone_count + h] = from->joint_count + h;
    inverse_bind[from->bone_count + h] = trained->helpers[h].inverse_bind;
  }
  *out_character = *character;
  out_character->skeleton =
      (SupSkeleton){joints, bones, parents, rest, names, bone_joints, inverse_bind};
  out_character->skin = trained->skin;
  out_character->render.skin = (SupSkin){0};
  return SUP_OK;
}

SupResult sup_helpers_renumber(SupArena *arena, const uint32_t *map, SupHelpersDef *io_def,
                               SupError *error) {
  uint32_t *turns = SUP_COPY(arena, uint32_t, io_def->turns, io_def->turn_count);
  SupHelpersFrame *frames = SUP_COPY(arena, SupHelpersFrame, io_def->frames, io_def->frame_count);
  SupHelperDef *helpers = SUP_COPY(arena, SupHelperDef, io_def->helpers, io_def->helper_count);
  if (!turns || !frames || !helpers) return sup_fail_memory(error, "helpers");
  for (uint32_t t = 0; t < io_def->turn_count; t++) turns[t] = map[turns[t]];
  for (uint32_t f = 0; f < io_def->frame_count; f++) frames[f].joint = map[frames[f].joint];
  for (uint32_t h = 0; h < io_def->helper_count; h++) helpers[h].joint = map[helpers[h].joint];
  io_def->turns = turns;
  io_def->frames = frames;
  io_def->helpers = helpers;
  return SUP_OK;
}

/* ---- Playing --------------------------------------------------------------------------------- */

typedef struct Show {
  Learner *l;
  SupCharacter with;
  SupHelpersView models[SUP_HELPERS_MATERIALS];
  SupAffine *palettes; /* [frames * bones of `with`] body space -> scene */
} Show;

static SupResult play(Show *s, SupHelpersLod lod) {
  Learner *l = s->l;
  const SupSkeleton *skeleton = &s->with.skeleton;
  const uint32_t own = l->character->skeleton.joint_count, joints = skeleton->joint_count;
  size_t bytes = 0;
  for (uint32_t k = 0; k < l->def->material_count; k++) {
    const size_t own_bytes = sup_helpers_bytes(&s->models[k]);
    if (own_bytes > bytes) bytes = own_bytes;
  }
  void *block = sup_arena_alloc(l->arena, bytes, 1);
  SupTransform *pose_joints = SUP_ALLOC(l->arena, SupTransform, joints);
  SupAffine *globals = SUP_ALLOC(l->arena, SupAffine, joints);
  if (!block || !pose_joints || !globals) return sup_fail_memory(l->error, "learning helpers");
  const SupHelpersView *model = &s->models[0];
  SupHelpersState *state = sup_helpers_init(model, block);
  const SupBackend *backend = sup_backend_cpu();
  SupHelpersControls controls = sup_helpers_controls();
  controls.lod = lod;
  controls.gravity = l->def->gravity;
  SupPose pose = {joints, sup_transform_identity(), pose_joints};
  size_t at = 0;
  for (uint32_t m = 0; m < l->def->motion_count; m++) {
    const SupHelpersMotion *motion = &l->def->motions[m];
    const uint32_t material = motion->material == SUP_HELPERS_EVERY ? 0 : motion->material;
    if (model != &s->models[material]) {
      model = &s->models[material];
      state = sup_helpers_init(model, block);
    }
    sup_helpers_reset(state);
    for (uint32_t t = 0; t < motion->frame_count; t++, at++) {
      if (motion->still) sup_helpers_reset(state);
      sup_copy(pose_joints, motion->poses + (size_t)t * own, own * sizeof *pose_joints);
      sup_copy(pose_joints + own, skeleton->rest + own, (joints - own) * sizeof *pose_joints);
      sup_pose_globals(skeleton, &pose, globals);
      sup_helpers_step(model, state, backend, &controls, &pose, globals, pose_joints);
      sup_pose_evaluate(skeleton, &pose, globals, s->palettes + at * skeleton->bone_count);
    }
  }
  return SUP_OK;
}

/* ---- Errors ---------------------------------------------------------------------------------- */

typedef struct Errors {
  const Show *show;
  const SupSkin *skin;
  const double *fractions;
  const uint32_t *motion_of, *frame_of; /* of all frames */
  double *squares;                      /* [frames] */
} Errors;

static void measure_frames(void *context, SupRange range) {
  const Errors *e = (const Errors *)context;
  const Learner *l = e->show->l;
  const uint32_t n = l->character->body.vertex_count;
  for (uint32_t f = range.first; f < range.first + range.count; f++) {
    const SupHelpersMotion *motion = &l->def->motions[e->motion_of[f]];
    const SupVec3 *goal = motion->positions + (size_t)e->frame_of[f] * n;
    const SupAffine *palette = e->show->palettes + (size_t)f * e->show->with.skeleton.bone_count;
    double sum = 0;
    for (uint32_t i = 0; i < n && !motion->still; i++) {
      const SupVec3 rest = l->character->body.positions[i];
      SupVec3 at = {0, 0, 0};
      for (uint32_t k = e->skin->offsets[i]; k < e->skin->offsets[i + 1]; k++) {
        at = sup_vec3_add_scaled(at, sup_affine_point(palette[e->skin->bones[k]], rest),
                                 e->skin->weights[k]);
      }
      const SupVec3d off = sup_vec3_to_double(sup_vec3_sub(at, goal[i]));
      sum += e->fractions[i] * sup_vec3d_dot(off, off);
    }
    e->squares[f] = sum;
  }
}

static void measure(Errors *e) {
  const Learner *l = e->show->l;
  sup_parallel_for(l->def->solver.jobs, l->frames, 16, measure_frames, e);
}

/* Of one material, or of every. */
static double rms(const Errors *e, uint32_t material) {
  const Learner *l = e->show->l;
  double sum = 0, count = 0;
  for (uint32_t f = 0; f < l->frames; f++) {
    const SupHelpersMotion *motion = &l->def->motions[e->motion_of[f]];
    if (motion->still) continue;
    if (material != SUP_HELPERS_EVERY && motion->material != material) continue;
    sum += e->squares[f];
    count++;
  }
  return count > 0 ? sup_sqrt(sum / count) : 0;
}

/* ---- Weights --------------------------------------------------------------------------------- */

static SupResult fit_weights(Show *s, const Errors *e, SupSkin *io_skin) {
  Learner *l = s->l;
  const uint32_t n = l->character->body.vertex_count, bones = s->with.skeleton.bone_count;
  const uint32_t step = 1 + (l->frames - 1) / (l->def->basis_frames ? l->def->basis_frames : 1);
  const uint32_t count = (l->frames + step - 1) / step;
  SupVec3 *positions = SUP_ALLOC(l->arena, SupVec3, (size_t)count * n);
  SupAffine *fixed = SUP_ALLOC(l->arena, SupAffine, (size_t)count * bones);
  if (!positions || !fixed) return sup_fail_memory(l->error, "learning helpers");
  const SupAffine to_body = sup_affine_inverse(l->def->bind_to_scene);
  for (uint32_t k = 0; k < count; k++) {
    const uint32_t f = k * step;
    const SupHelpersMotion *motion = &l->def->motions[e->motion_of[f]];
    sup_copy(positions + (size_t)k * n, motion->positions + (size_t)e->frame_of[f] * n,
             n * sizeof *positions);
    for (uint32_t b = 0; b < bones; b++) {
      fixed[(size_t)k * bones + b] = sup_affine_mul(s->palettes[(size_t)f * bones + b], to_body);
    }
  }
  SupDecomposeDef def = l->baker.solver;
  def.frame_count = count;
  def.positions = positions;
  def.fixed_count = bones;
  def.fixed = fixed;
  def.helper_count = 0;
  SupDecomposition parts;
  SupResult result = sup_decompose(l->arena, &def, &parts, l->error);
  if (result == SUP_OK) *io_skin = parts.skin;
  return result;
}

static SupResult make_models(Show *s, const SupHelpersTrained *trained) {
  Learner *l = s->l;
  SupModel *model;
  SupResult result = sup_helpers_character(l->arena, l->character, trained, &s->with, l->error);
  for (uint32_t k = 0; k < trained->material_count && result == SUP_OK; k++) {
    result = sup_helpers_pack(l->arena, &s->with, &trained->defs[k], &model, l->error);
    if (result == SUP_OK) s->models[k] = sup_helpers_view(model);
  }
  return result;
}

/* Of plain skinning, by the pose, with swings. */
static SupResult report_errors(Show *s, Errors *e, SupHelpersTrainReport *io_report) {
  const uint32_t count = s->l->def->material_count;
  const SupSkin *skin = e->skin;
  double *errors = SUP_ALLOC(s->l->arena, double, count);
  if (!errors) return sup_fail_memory(s->l->error, "learning helpers");
  measure(e);
  io_report->rmse = rms(e, SUP_HELPERS_EVERY);
  for (uint32_t k = 0; k < count; k++) errors[k] = rms(e, k);
  io_report->material_rmses = errors;
  e->skin = &s->l->character->skin;
  measure(e);
  io_report->plain_rmse = rms(e, SUP_HELPERS_EVERY);
  e->skin = skin;
  SupResult result = play(s, SUP_HELPERS_STATIC);
  measure(e);
  if (result == SUP_OK) io_report->static_rmse = rms(e, SUP_HELPERS_EVERY);
  return result;
}

SupResult sup_learner_dress(Learner *l, SupHelpersTrained *io_trained,
                            SupHelpersTrainReport *io_report) {
  Show s = {.l = l};
  const uint32_t n = l->character->body.vertex_count;
  SupResult result = make_models(&s, io_trained);
  if (result != SUP_OK) return result;
  s.palettes = SUP_ALLOC(l->arena, SupAffine, (size_t)l->frames * s.with.skeleton.bone_count);
  uint32_t *of = SUP_ALLOC(l->arena, uint32_t, 2 * (size_t)l->frames);
  double *fractions = SUP_ALLOC(l->arena, double, n),
         *squares = SUP_ALLOC(l->arena, double, l->frames);
  if (!s.palettes || !of || !fractions || !squares) {
    return sup_fail_memory(l->error, "learning helpers");
  }
  uint32_t at = 0;
  for (uint32_t m = 0; m < l->def->motion_count; m++) {
    for (uint32_t t = 0; t < l->def->motions[m].frame_count; t++, at++) {
      of[at] = m, of[l->frames + at] = t;
    }
  }
  sup_vertex_fractions(&l->character->body, fractions);
  Errors e = {&s, &io_trained->skin, fractions, of, of + l->frames, squares};
  result = play(&s, SUP_HELPERS_FULL);
  if (result == SUP_OK && !l->def->keep_weights) result = fit_weights(&s, &e, &io_trained->skin);
  if (result != SUP_OK) return result;
  io_report->material_count = io_trained->material_count;
  io_report->frequency_ratios =
      SUP_COPY(l->arena, double, io_trained->frequency_ratios, io_trained->material_count);
  if (!io_report->frequency_ratios) return sup_fail_memory(l->error, "learning helpers");
  return report_errors(&s, &e, io_report);
}
