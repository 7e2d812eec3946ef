/* SPDX-License-Identifier: MIT */
/* Arms, the poses of the study, and which skin is judged. */
#include "app/paper_guo_parts.h"

#include <math.h>
#include <string.h>

#include "app/paper_keys.h"
#include "supple/app/example_files.h"
#include "supple/author/humanoid.h"
#include "supple/geom/measure.h"
#include "supple/pose.h"

/* ---- Arms ----------------------------------------------------------------------------------- */

/* The first joint that would be of that part if its name had a side: a single arm's. */
static uint32_t find_single(const SupSkeleton *skeleton, SupHumanoidPart part) {
  for (uint32_t j = 0; j < skeleton->joint_count; j++) {
    char name[128];
    sup_format(name, sizeof name, "%s_l", skeleton->names[j]);
    if (sup_humanoid_name(name) == part) return j;
  }
  return SUP_NONE;
}

static uint32_t first_of(const SupJointChain *chain) {
  return chain->count ? chain->joints[0] : SUP_NONE;
}

static bool below(const SupSkeleton *skeleton, uint32_t joint, uint32_t above) {
  for (int32_t j = (int32_t)joint; j >= 0; j = skeleton->parents[j]) {
    if ((uint32_t)j == above) return true;
  }
  return false;
}

static bool has_arm(const GuoArms *arms, int side) {
  return arms->upper[side] != SUP_NONE && arms->lower[side] != SUP_NONE;
}

/* The lowest joint above both arms; of one arm, two above it: the shoulder's parent. */
static uint32_t find_chest(const SupSkeleton *skeleton, const GuoArms *arms) {
  const int side = has_arm(arms, 0) ? 0 : 1;
  int32_t j = (int32_t)arms->upper[side];
  if (has_arm(arms, 0) && has_arm(arms, 1)) {
    while (j >= 0 && !below(skeleton, arms->upper[1], (uint32_t)j)) j = skeleton->parents[j];
  } else {
    for (int k = 0; k < 2 && skeleton->parents[j] >= 0; k++) j = skeleton->parents[j];
  }
  return j < 0 ? 0 : (uint32_t)j;
}

SupResult sup_guo_find_arms(const SupAppContext *app, const SupGuoFigure *figure, GuoArms *out,
                            SupError *error) {
  const SupSkeleton *skeleton = &figure->file.character->skeleton;
  SupHumanoid humanoid;
  SupResult result = sup_humanoid_find(app->arena, skeleton, &humanoid, error);
  if (result != SUP_OK) return result;
  for (int side = 0; side < 2; side++) {
    out->upper[side] = first_of(&humanoid.chains[SUP_HUMANOID_UPPER_ARM][side]);
    out->lower[side] = first_of(&humanoid.chains[SUP_HUMANOID_LOWER_ARM][side]);
  }
  if (!has_arm(out, 0) && !has_arm(out, 1)) {
    out->upper[0] = find_single(skeleton, SUP_HUMANOID_UPPER_ARM);
    out->lower[0] = find_single(skeleton, SUP_HUMANOID_LOWER_ARM);
  }
  if (!has_arm(out, 0) && !has_arm(out, 1)) {
    return sup_fail(
        error, SUP_ERROR_UNSUPPORTED,
        "%s has no arms that are found by the names of joints; the study needs an upper "
        "and a lower arm",
        figure->file.path);
  }
  out->chest = find_chest(skeleton, out);
  return SUP_OK;
}

/* ---- One pose ------------------------------------------------------------------------------- */

void sup_guo_palette(const SupGuoFigure *figure, const SupTransform *joints, SupAffine *globals,
                     SupAffine *palette) {
  const SupSkeleton *skeleton = &figure->file.character->skeleton;
  const SupPose pose = {skeleton->joint_count, sup_transform_identity(),
                        (SupTransform *)(uintptr_t)joints};
  sup_pose_evaluate(skeleton, &pose, globals, palette);
}

/* Where a joint stands at rest; so few are asked for that nothing is kept. */
static SupAffine at_rest(const SupSkeleton *skeleton, uint32_t joint) {
  SupAffine all = sup_affine_identity();
  for (int32_t j = (int32_t)joint; j >= 0; j = skeleton->parents[j]) {
    all = sup_affine_mul(sup_affine_compose(skeleton->rest[j]), all);
  }
  return all;
}

/* Turns `joint` towards the front (+Z) about what is across its limb, which ends at `end`. */
static void bend(const SupSkeleton *skeleton, uint32_t joint, SupVec3 end, double angle,
                 SupTransform *joints) {
  static const SupVec3 front = {0, 0, 1};
  const SupAffine global = at_rest(skeleton, joint);
  const SupVec3 along = sup_vec3_sub(end, sup_affine_translation(global));
  const SupVec3 across = sup_vec3_normalise(sup_vec3_cross(along, front));
  const SupQuat turn = sup_quat_fit(sup_affine_linear(global), sup_quat_identity());
  const SupVec3 axis = sup_quat_rotate(sup_quat_conjugate(turn), across);
  const SupQuat by = sup_quat_exp(sup_vec3_scale(axis, (float)angle));
  joints[joint].rotation = sup_quat_normalise(sup_quat_mul(skeleton->rest[joint].rotation, by));
}

/* Where the limb of a joint ends: its first child, or a little farther along where it has none. */
static SupVec3 end_of(const SupSkeleton *skeleton, uint32_t joint) {
  for (uint32_t j = joint + 1; j < skeleton->joint_count; j++) {
    if (skeleton->parents[j] == (int32_t)joint) return sup_affine_translation(at_rest(skeleton, j));
  }
  const SupVec3 here = sup_affine_translation(at_rest(skeleton, joint));
  const SupVec3 above =
      sup_affine_translation(at_rest(skeleton, (uint32_t)skeleton->parents[joint]));
  return sup_vec3_add(here, sup_vec3_sub(here, above));
}

void sup_guo_pose(const SupGuoFigure *figure, const GuoArms *arms, const GuoTurns *turns,
                  SupTransform *out_joints) {
  const SupSkeleton *skeleton = &figure->file.character->skeleton;
  memcpy(out_joints, skeleton->rest, skeleton->joint_count * sizeof *out_joints);
  for (int side = 0; side < 2; side++) {
    if (!has_arm(arms, side)) continue;
    const SupVec3 elbow = sup_affine_translation(at_rest(skeleton, arms->lower[side]));
    bend(skeleton, arms->upper[side], elbow, SUP_GUO_FOLD * turns->fold[side], out_joints);
    bend(skeleton, arms->lower[side], end_of(skeleton, arms->lower[side]),
         SUP_GUO_ELBOW * turns->elbow[side], out_joints);
  }
}

double sup_guo_pull(const SupGuoFigure *figure, const GuoArms *arms, uint32_t side,
                    const SupTransform *joints) {
  const SupSkeleton *skeleton = &figure->file.character->skeleton;
  const uint32_t joint = arms->lower[side];
  if (!has_arm(arms, (int)side)) return 0;
  const SupQuat turn =
      sup_quat_mul(sup_quat_conjugate(skeleton->rest[joint].rotation), joints[joint].rotation);
  const double angle = (double)sup_vec3_length(sup_quat_log(sup_quat_normalise(turn)));
  return fmin(1, angle / SUP_GUO_ELBOW);
}

/* ---- Sets of poses -------------------------------------------------------------------------- */

static const GuoTurns examples[] = {{"elbows flexed", {1, 1}, {0, 0}},
                                    {"arms folded in", {0, 0}, {1, 1}}};

static const GuoTurns fresh[] = {{"elbows half", {0.5, 0.5}, {0, 0}},
                                 {"fold half", {0, 0}, {0.5, 0.5}},
                                 {"both half", {0.5, 0.5}, {0.5, 0.5}},
                                 {"both whole", {1, 1}, {1, 1}},
                                 {"elbow 0.8, fold 0.3", {0.8, 0.8}, {0.3, 0.3}},
                                 {"one of each", {1, 0}, {0, 1}}};

enum { EXAMPLES = sizeof examples / sizeof *examples, FRESH = sizeof fresh / sizeof *fresh };
#define ALIKE 0.2f /* radians */
enum { CLIPS = 4 };

static SupResult allocate(const SupAppContext *app, const SupGuoFigure *figure, uint32_t count,
                          SupGuoPoses *out, SupError *error) {
  const SupCharacter *c = figure->file.character;
  *out = (SupGuoPoses){
      .count = count,
      .names = SUP_ALLOC(app->arena, const char *, count),
      .joints = SUP_ALLOC(app->arena, SupTransform, (size_t)count * c->skeleton.joint_count)};
  return out->names && out->joints ? SUP_OK : sup_fail_memory(error, NULL);
}

static SupResult script(const SupAppContext *app, SupGuoFigure *figure, const GuoArms *arms,
                        uint32_t count, const GuoTurns *turns, SupGuoSet set, SupError *error) {
  SupGuoPoses *poses = &figure->sets[set];
  SupResult result = allocate(app, figure, count, poses, error);
  for (uint32_t k = 0; result == SUP_OK && k < count; k++) {
    poses->names[k] = turns[k].name;
    sup_guo_pose(figure, arms, &turns[k],
                 poses->joints + (size_t)k * figure->file.character->skeleton.joint_count);
  }
  return result;
}

static SupResult draw(const SupGuoStudy *study, SupGuoFigure *figure, const GuoArms *arms,
                      SupError *error) {
  GuoTurns turns[SUP_GUO_MORE_FULL];
  SupRng rng = sup_rng(study->app->seed, 2007);
  const SupGuoDef *def = &study->def;
  const uint32_t count = def->quick                      ? SUP_GUO_MORE_QUICK
                         : def->full && !def->carry_only ? SUP_GUO_MORE_FULL
                                                         : SUP_GUO_MORE_COUNT;
  for (uint32_t k = 0; k < count; k++) {
    turns[k].name = "random";
    for (int side = 0; side < 2; side++) {
      turns[k].elbow[side] = sup_rng_double(&rng);
      turns[k].fold[side] = sup_rng_double(&rng);
    }
  }
  return script(study->app, figure, arms, count, turns, SUP_GUO_MORE, error);
}

/* Moments in up to four clips, evenly through the list, each two fifths through its clip. */
static SupResult take_moments(const SupGuoStudy *study, SupGuoFigure *figure, SupError *error) {
  const SupAppContext *app = study->app;
  const SupCharacter *c = figure->file.character;
  const uint32_t most = study->def.quick ? 1 : CLIPS;
  const uint32_t count = c->clip_count < most ? c->clip_count : most;
  SupGuoPoses *poses = &figure->sets[SUP_GUO_CLIPS];
  SupResult result = allocate(app, figure, count, poses, error);
  for (uint32_t k = 0; result == SUP_OK && k < count; k++) {
    const SupClip *clip = &c->clips[(size_t)k * c->clip_count / count];
    const double at = floor(0.4 * (double)clip->duration * 100) / 100;
    const SupTransform *pose = sup_clip_poses(app, c, clip, at, 60, 1);
    char text[200];
    const size_t length = sup_format(text, sizeof text, "%s:%g", clip->name, at);
    poses->names[k] = sup_arena_string(app->arena, text, length);
    if (!pose || !poses->names[k]) return sup_fail_memory(error, NULL);
    memcpy(poses->joints + (size_t)k * c->skeleton.joint_count, pose,
           c->skeleton.joint_count * sizeof *pose);
  }
  return result;
}

/* What the primary does, on the target's joints: the names and poses of a set. */
static SupResult follow(const SupGuoStudy *study, const SupGuoFigure *primary, SupGuoSet set,
                        SupGuoFigure *figure, SupError *error) {
  const SupAppContext *app = study->app;
  const SupSkeleton *from = &primary->file.character->skeleton;
  const SupSkeleton *to = &figure->file.character->skeleton;
  const SupGuoPoses *source = &primary->sets[set];
  SupGuoPoses *poses = &figure->sets[set];
  SupJointMap map;
  SupJointMapWork work;
  SupResult result = sup_joint_map_make(app->arena, from, to, &map, error);
  if (result == SUP_OK) {
    result = sup_joint_map_check(&map, primary->file.path, figure->file.path, error);
  }
  if (result == SUP_OK) result = sup_joint_map_work(app->arena, &map, &work, error);
  if (result == SUP_OK) result = allocate(app, figure, source->count, poses, error);
  for (uint32_t k = 0; result == SUP_OK && k < source->count; k++) {
    const SupPose pose = {from->joint_count, sup_transform_identity(),
                          source->joints + (size_t)k * from->joint_count};
    SupPose out = {to->joint_count, sup_transform_identity(),
                   poses->joints + (size_t)k * to->joint_count};
    poses->names[k] = source->names[k];
    sup_joint_map_pose(&map, &work, &pose, &out);
  }
  return result;
}

/* Do the arms of both point the same way at rest, nearly? Then the same turns are the same poses,
 * and nothing stands a little off the target's own rest in all of them, as it would if its arms
 * were first turned to point as the primary's do: examples a degree off the dress pose are
 * examples that contradict it. */
static SupResult find_alike(const SupAppContext *app, const SupGuoFigure *primary,
                            const SupGuoFigure *figure, bool *out_alike, SupError *error) {
  SupJointMap map;
  SupResult result = sup_joint_map_make(app->arena, &primary->file.character->skeleton,
                                        &figure->file.character->skeleton, &map, error);
  if (result == SUP_OK) {
    result = sup_joint_map_check(&map, primary->file.path, figure->file.path, error);
  }
  *out_alike = result == SUP_OK;
  for (uint32_t j = 0; result == SUP_OK && j < map.target->joint_count; j++) {
    const float turn = sup_vec3_length(sup_quat_log(map.joints[j].repose));
    *out_alike &= turn < ALIKE;
  }
  return result;
}

/* Linear skinning of all poses of a set. */
static SupResult skin_set(const SupAppContext *app, const SupGuoFigure *figure, SupGuoPoses *poses,
                          SupError *error) {
  const SupCharacter *c = figure->file.character;
  const uint32_t n = c->body.vertex_count;
  SupAffine *globals = SUP_ALLOC(app->arena, SupAffine, c->skeleton.joint_count);
  SupAffine *palette = SUP_ALLOC(app->arena, SupAffine, c->skeleton.bone_count);
  SupVec3 *out = SUP_ALLOC(app->arena, SupVec3, (size_t)poses->count * n);
  if (!globals || !palette || !out) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < poses->count; k++) {
    sup_guo_palette(figure, poses->joints + (size_t)k * c->skeleton.joint_count, globals, palette);
    sup_keys_skin(c, palette, out + (size_t)k * n);
  }
  poses->skinning = out;
  return SUP_OK;
}

SupResult sup_guo_pose_all(const SupGuoStudy *study, const SupGuoFigure *primary,
                           SupGuoFigure *figure, const GuoArms *arms, SupError *error) {
  const SupAppContext *app = study->app;
  SupResult result = take_moments(study, figure, error);
  bool own = true; /* posed from its own rest */
  if (primary && result == SUP_OK) result = find_alike(app, primary, figure, &own, error);
  if (!own) {
    for (uint32_t set = 0; set < SUP_GUO_SETS && result == SUP_OK; set++) {
      if (set != SUP_GUO_CLIPS) result = follow(study, primary, (SupGuoSet)set, figure, error);
    }
  } else {
    if (result == SUP_OK) {
      result = script(app, figure, arms, EXAMPLES, examples, SUP_GUO_EXAMPLES, error);
    }
    if (result == SUP_OK) {
      result = script(app, figure, arms, study->def.quick ? 3 : FRESH, fresh, SUP_GUO_NEW, error);
    }
    if (result == SUP_OK) result = draw(study, figure, arms, error);
  }
  for (uint32_t set = 0; set < SUP_GUO_SETS && result == SUP_OK; set++) {
    result = skin_set(app, figure, &figure->sets[set], error);
  }
  return result;
}

/* ---- The upper body ------------------------------------------------------------------------- */

/* Chest and arms; not neck, head and hands. */
static bool counts(const SupSkeleton *skeleton, const SupHumanoid *humanoid, const GuoArms *arms,
                   uint32_t joint) {
  static const SupHumanoidPart not [] = {SUP_HUMANOID_NECK, SUP_HUMANOID_HEAD, SUP_HUMANOID_HAND};
  if (!below(skeleton, joint, arms->chest)) return false;
  for (size_t p = 0; p < sizeof not / sizeof *not ; p++) {
    for (int side = 0; side < 2; side++) {
      const uint32_t top = first_of(&humanoid->chains[not [p]][side]);
      if (top != SUP_NONE && below(skeleton, joint, top)) return false;
    }
  }
  return true;
}

SupResult sup_guo_upper_body(const SupAppContext *app, const GuoArms *arms, SupGuoFigure *figure,
                             SupError *error) {
  const SupCharacter *c = figure->file.character;
  const uint32_t n = c->body.vertex_count;
  SupHumanoid humanoid;
  SupResult result = sup_humanoid_find(app->arena, &c->skeleton, &humanoid, error);
  bool *bones = SUP_ALLOC(app->arena, bool, c->skeleton.bone_count);
  figure->areas = SUP_ALLOC(app->arena, double, n);
  if (!bones || !figure->areas) return sup_fail_memory(error, NULL);
  if (result != SUP_OK) return result;
  for (uint32_t b = 0; b < c->skeleton.bone_count; b++) {
    bones[b] = counts(&c->skeleton, &humanoid, arms, c->skeleton.bone_joints[b]);
  }
  sup_vertex_areas(&c->body, SUP_AREA_BARYCENTRIC, figure->areas);
  for (uint32_t v = 0; v < n; v++) {
    double weight = 0;
    for (uint32_t k = c->skin.offsets[v]; k < c->skin.offsets[v + 1]; k++) {
      if (bones[c->skin.bones[k]]) weight += (double)c->skin.weights[k];
    }
    if (weight < 0.5) figure->areas[v] = 0;
    figure->upper += weight >= 0.5;
  }
  return SUP_OK;
}
