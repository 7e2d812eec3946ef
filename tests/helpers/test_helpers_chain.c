/* SPDX-License-Identifier: MIT */
/* Learning helpers below helpers: the planted links of a tail are found again, as a chain. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "planted.h"
#include "supple/io/file.h"

enum { FRAMES = 300, MOTIONS = 2, LINKS = 3, RINGS = 33, AROUND = 6, BODY = RINGS * AROUND };
#define LINK 0.25f /* metres; the first is the bone's */
#define WIDTH 0.06f

typedef struct World {
  SupArena arena;
  SupCharacter tail;
  SupHelpersMotion motions[MOTIONS + 1];
} World;

static SupError error;

/* ---- A tail with one bone at its base -------------------------------------------------------- */

static bool make_tail(SupArena *arena, SupCharacter *out) {
  static const int32_t parents[2] = {-1, 0};
  static const char *const names[2] = {"root", "base"};
  static const uint32_t bone_joints[2] = {0, 1};
  SupVec3 *positions = SUP_ALLOC(arena, SupVec3, BODY);
  uint32_t *triangles = SUP_ALLOC(arena, uint32_t, 6 * (RINGS - 1) * AROUND), used = 0;
  uint32_t *offsets = SUP_ALLOC(arena, uint32_t, BODY + 1);
  uint32_t *bones = SUP_ALLOC(arena, uint32_t, BODY);
  float *weights = SUP_ALLOC(arena, float, BODY);
  SupTransform *rest = SUP_ALLOC(arena, SupTransform, 2);
  SupAffine *unbind = SUP_ALLOC(arena, SupAffine, 2);
  if (!positions || !triangles || !offsets || !bones || !weights || !rest || !unbind) return false;
  for (uint32_t v = 0; v < BODY; v++) {
    const float along = (float)(v / AROUND) / (RINGS - 1), angle = 6.2831853f * (float)v / AROUND;
    positions[v] = (SupVec3){(1 + LINKS) * LINK * along, WIDTH * cosf(angle), WIDTH * sinf(angle)};
    offsets[v + 1] = v + 1;
    bones[v] = 1;
    weights[v] = 1;
    if (v + AROUND >= BODY) continue;
    const uint32_t w = v / AROUND * AROUND + (v + 1) % AROUND;
    const uint32_t quad[6] = {v, w, v + AROUND, w, w + AROUND, v + AROUND};
    for (int k = 0; k < 6; k++) triangles[used++] = quad[k];
  }
  rest[0] = rest[1] = sup_transform_identity();
  unbind[0] = unbind[1] = sup_affine_identity();
  out->name = "tail";
  out->body = (SupMesh){BODY, used / 3, positions, triangles};
  out->skin = (SupSkin){BODY, 1, offsets, bones, weights};
  out->skeleton = (SupSkeleton){2, 2, parents, rest, names, bone_joints, unbind};
  return true;
}

/* ---- Its planted motion ---------------------------------------------------------------------- */

/* How far a link swings, about two axes: an oscillator that feels the acceleration of its middle,
 * in the axes of the base. */
typedef struct Link {
  double rate, turn[2], speed[2];
  SupVec3d last[2];
} Link;

static SupVec3 swing(Link *k, uint32_t number, uint32_t frame, SupAffine base) {
  const SupVec3 middle = {((float)number + 1.5f) * LINK, 0, 0};
  const SupVec3d at = sup_vec3_to_double(sup_affine_point(base, middle));
  const SupMat3d axes = sup_affined_linear(sup_affine_to_double(base));
  const double a[3] = {at.x - 2 * k->last[0].x + k->last[1].x,
                       at.y - 2 * k->last[0].y + k->last[1].y,
                       at.z - 2 * k->last[0].z + k->last[1].z};
  for (int i = 0; i < 2; i++) {
    const double *row = axes.m + 3 * (i + 1);
    const double felt = frame < 2 ? 0 : 3600 * (row[0] * a[0] + row[1] * a[1] + row[2] * a[2]);
    k->turn[i] += k->speed[i] / 60;
    k->speed[i] += (-k->rate * k->rate * k->turn[i] - 0.3 * k->rate * k->speed[i] - 3 * felt) / 60;
  }
  k->last[1] = k->last[0];
  k->last[0] = at;
  return (SupVec3){0, -(float)k->turn[1], (float)k->turn[0]};
}

/* How much of a vertex goes with the base (0) or a link, and how much with the next. */
static float fraction(SupVec3 rest, uint32_t *out_first) {
  const float at = rest.x / LINK - 0.5f;
  const float first = at < 0 ? 0 : at > LINKS - 1 ? LINKS - 1 : floorf(at);
  const float part = (at - first - 0.3f) / 0.4f;
  *out_first = (uint32_t)first;
  return part < 0 ? 0 : part > 1 ? 1 : part;
}

static void make_motion(World *w, uint32_t m, double amplitude, SupHelpersMotion *out) {
  SupTransform *poses = SUP_ALLOC(&w->arena, SupTransform, 2 * FRAMES);
  SupVec3 *positions = SUP_ALLOC(&w->arena, SupVec3, (size_t)FRAMES * BODY);
  Link links[LINKS] = {{.rate = 12}, {.rate = 17}, {.rate = 23}};
  assert_true(poses && positions);
  for (uint32_t t = 0; t < FRAMES; t++) {
    SupPose pose = {2, sup_transform_identity(), poses + (size_t)2 * t};
    SupAffine globals[2], bones[1 + LINKS];
    float wave[6];
    for (uint32_t k = 0; k < 6; k++)
      wave[k] = (float)(amplitude * planted_waves(6 * m + k, t / 60.0));
    sup_pose_rest(&w->tail.skeleton, &pose);
    pose.joints[0].translation = (SupVec3){0.05f * wave[0], 0.05f * wave[1], 0.05f * wave[2]};
    pose.joints[1].rotation =
        sup_quat_exp((SupVec3){0.2f * wave[3], 0.25f * wave[4], 0.25f * wave[5]});
    sup_pose_globals(&w->tail.skeleton, &pose, globals);
    bones[0] = globals[1];
    for (uint32_t k = 0; k < LINKS; k++) { /* about the place where it begins */
      const SupVec3 pivot = {((float)k + 1) * LINK, 0, 0};
      SupTransform there = sup_transform_identity(), back = there;
      there.translation = pivot;
      there.rotation = sup_quat_exp(swing(&links[k], k, t, globals[1]));
      back.translation = sup_vec3_scale(pivot, -1);
      bones[k + 1] = sup_affine_mul(
          bones[k], sup_affine_mul(sup_affine_compose(there), sup_affine_compose(back)));
    }
    for (uint32_t v = 0; v < BODY; v++) {
      uint32_t k;
      const SupVec3 rest = w->tail.body.positions[v];
      const float part = fraction(rest, &k);
      const SupVec3 a = sup_affine_point(bones[k], rest), b = sup_affine_point(bones[k + 1], rest);
      positions[(size_t)t * BODY + v] = sup_vec3_add_scaled(a, sup_vec3_sub(b, a), part);
    }
  }
  *out =
      (SupHelpersMotion){.fps = 60, .frame_count = FRAMES, .poses = poses, .positions = positions};
}

static int set_up(void **state) {
  World *w = calloc(1, sizeof *w);
  sup_arena_init(&w->arena, sup_heap_allocator(), 0);
  if (!make_tail(&w->arena, &w->tail)) return 1;
  for (uint32_t m = 0; m < MOTIONS; m++) make_motion(w, m, 1, &w->motions[m]);
  make_motion(w, 5, 1, &w->motions[MOTIONS]);
  *state = w;
  return 0;
}

static int tear_down(void **state) {
  World *w = *state;
  sup_arena_free(&w->arena);
  free(w);
  return 0;
}

/* ---- Learning it ----------------------------------------------------------------------------- */

/* Root mean square distance on the motion that was not learned from. */
static double unseen(World *w, const SupHelpersTrained *trained, SupHelpersLod lod) {
  SupCharacter with;
  SupModel *model;
  assert_int_equal(sup_helpers_character(&w->arena, &w->tail, trained, &with, &error), SUP_OK);
  assert_int_equal(sup_helpers_pack(&w->arena, &with, &trained->def, &model, &error), SUP_OK);
  const SupHelpersView view = sup_helpers_view(model);
  SupHelpersState *s =
      sup_helpers_init(&view, sup_arena_alloc(&w->arena, sup_helpers_bytes(&view), 1));
  SupTransform joints[2 + LINKS];
  SupAffine globals[2 + LINKS], palette[2 + LINKS];
  SupHelpersControls controls = sup_helpers_controls();
  const SupHelpersMotion *motion = &w->motions[MOTIONS];
  const SupPose pose = {2 + LINKS, sup_transform_identity(), joints};
  double sum = 0;
  controls.lod = lod;
  for (uint32_t t = 0; t < FRAMES; t++) {
    memcpy(joints, with.skeleton.rest, sizeof joints);
    memcpy(joints, motion->poses + (size_t)2 * t, 2 * sizeof *joints);
    sup_pose_globals(&with.skeleton, &pose, globals);
    sup_helpers_step(&view, s, sup_backend_cpu(), &controls, &pose, globals, joints);
    sup_pose_evaluate(&with.skeleton, &pose, globals, palette);
    for (uint32_t i = 0; i < BODY; i++) {
      SupVec3 p = {0, 0, 0};
      for (uint32_t k = with.skin.offsets[i]; k < with.skin.offsets[i + 1]; k++) {
        p = sup_vec3_add_scaled(
            p, sup_affine_point(palette[with.skin.bones[k]], with.body.positions[i]),
            with.skin.weights[k]);
      }
      const double off = (double)sup_vec3_distance(p, motion->positions[(size_t)t * BODY + i]);
      sum += off * off;
    }
  }
  return sqrt(sum / ((double)FRAMES * BODY));
}

static SupHelpersTrainDef definition(const World *w, SupHelpersChains chains) {
  SupHelpersTrainDef def = sup_helpers_train_def(&w->tail);
  def.motion_count = MOTIONS;
  def.motions = w->motions;
  def.solver.helper_count = LINKS;
  def.chains = chains;
  return def;
}

static void learn(World *w, SupHelpersChains chains, SupHelpersTrained *out,
                  SupHelpersTrainReport *out_report) {
  const SupHelpersTrainDef def = definition(w, chains);
  assert_int_equal(sup_helpers_train(&w->arena, &def, out, out_report, &error), SUP_OK);
}

/* Parents are found, link by link, and errors of the first do not swing the others. */
static void chain_is_learned(void **state) {
  World *w = *state;
  SupHelpersTrained alone, chain;
  SupHelpersTrainReport report;
  learn(w, SUP_HELPERS_NO_CHAINS, &alone, &report);
  for (uint32_t h = 0; h < LINKS; h++) assert_int_equal(report.parents[h], 1);
  const double below_bone = report.rmse;
  learn(w, SUP_HELPERS_CHAINS_PAY, &chain, &report);
  for (uint32_t h = 0; h < LINKS; h++) {
    assert_int_equal(report.parents[h], 1 + h);
    assert_int_equal(chain.helpers[h].parent, 1 + h);
  }
  assert_true(report.decomposed_rmse < 1e-3 * report.plain_rmse);
  assert_true(report.radius < 1 - 0.5e-3);
  assert_true(report.rmse < 0.2 * below_bone);
  const double left = unseen(w, &chain, SUP_HELPERS_FULL);
  assert_true(left < 0.25 * unseen(w, &alone, SUP_HELPERS_FULL));
  /* Switched off, all links stand still below the bone, however they hang. */
  const double off = unseen(w, &chain, SUP_HELPERS_OFF);
  assert_true(left < 0.1 * off);
  assert_true(fabs(off - unseen(w, &alone, SUP_HELPERS_OFF)) < 1e-3 * off);
}

/* Other systems and inputs hang together as well. */
static void variants(void **state) {
  World *w = *state;
  for (int k = 0; k < 3; k++) {
    SupHelpersTrainDef def = definition(w, SUP_HELPERS_CHAINS_ALL);
    SupHelpersTrained chain;
    SupHelpersTrainReport report;
    def.polish = def.rounds = 0;
    if (k == 0) def.system = SUP_HELPERS_ARX, def.chains = SUP_HELPERS_CHAINS_PAY;
    if (k == 1) def.each = true, def.order = SUP_HELPERS_FRACTION;
    if (k == 2) def.drive = SUP_HELPERS_PUBLISHED;
    assert_int_equal(sup_helpers_train(&w->arena, &def, &chain, &report, &error), SUP_OK);
    for (uint32_t h = 0; h < LINKS; h++) assert_int_equal(report.parents[h], 1 + h);
    assert_true(report.radius < 1);
    assert_true(report.rmse < 0.7 * report.plain_rmse);
  }
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
  const struct CMUnitTest tests[] = {TEST(chain_is_learned), TEST(variants)};
  return cmocka_run_group_tests_name("helpers_chain", tests, NULL, NULL);
}
