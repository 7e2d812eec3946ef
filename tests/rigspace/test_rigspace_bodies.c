/* SPDX-License-Identifier: MIT */
/* The example rigs in motion: their volumes, all solvers, clips that play through. */
#include "check.h"

#include <math.h>
#include <time.h>

#include "supple/author/builtin.h"
#include "supple/clip.h"
#include "supple/io/file.h"
#include "supple/rig/character_rig.h"
#include "supple/rig/rig.h"
#include "supple/rig/rig_examples.h"
#include "supple/train/rigspace_weights.h"

typedef struct Lab {
  SupArena arena;
  SupCharacter character;
  SupFill fill;
  SupDrivenVolume volume;
  SupRigDef description;
  const SupCharacterRig *rig;
  const SupClip *clip;
  SupMaterialDef material;
} Lab;

static void good(SupResult result, const SupError *error) {
  if (result != SUP_OK) print_error("%s\n", error->text);
  assert_int_equal(result, SUP_OK);
}

static Lab *lab_create(const char *rig, const char *body, uint32_t vertices, uint32_t tets,
                       const char *clip) {
  Lab *lab = calloc(1, sizeof *lab);
  SupError error = {""};
  SupFillReport filled;
  assert_non_null(lab);
  sup_arena_init(&lab->arena, sup_heap_allocator(), 0);
  const SupBuiltinDef def = {.name = body, .vertices = vertices};
  const SupFillDef fill = {.tet_target = tets};
  good(sup_builtin_character(&lab->arena, &def, &lab->character, &error), &error);
  const SupMesh *skin = &lab->character.body;
  good(sup_fill(&lab->arena, skin, &fill, &lab->fill, &filled, &error), &error);
  good(sup_driven_volume(&lab->arena, skin, &lab->fill, NULL, &lab->volume, NULL, &error), &error);
  good(sup_rig_example(&lab->arena, rig, &lab->description, &error), &error);
  const SupCharacterRigDef part = {.character = &lab->character,
                                   .rig = &lab->description,
                                   .vertex_count = lab->volume.skin_count,
                                   .vertices = lab->volume.skin};
  good(sup_character_rig_create(&lab->arena, &part, &lab->rig, &error), &error);
  for (uint32_t k = 0; k < lab->character.clip_count; k++) {
    if (strcmp(lab->character.clips[k].name, clip) == 0) lab->clip = &lab->character.clips[k];
  }
  assert_non_null(lab->clip);
  good(sup_material_preset("fat", &lab->material, &error), &error);
  lab->material.young *= 4;
  return lab;
}

static void lab_free(Lab *lab) {
  sup_arena_free(&lab->arena);
  free(lab);
}

static void script(Lab *lab, double t, double *io) {
  SupTransformd joints[64];
  SupPosed pose = {lab->character.skeleton.joint_count, sup_transformd_identity(), joints};
  sup_pose_rest_f64(&lab->character.skeleton, &pose);
  sup_clip_sample_f64(lab->clip, t, true, NULL, &pose, NULL);
  sup_character_rig_script(lab->rig, &pose, NULL, io);
}

typedef struct Outcome {
  double seconds, largest, worst; /* worst: det F */
  SupRigspaceReport sum;
  double *free; /* [steps * n] */
} Outcome;

static Outcome run(Lab *lab, const SupRigspaceDef *def, int steps) {
  const SupRig *rig = sup_character_rig(lab->rig);
  const uint32_t all = rig->parameter_count;
  const double h = 0.01;
  const SupVec3d none = {0, 0, 0};
  SupError error = {""};
  SupRigspace *rs;
  SupRigspaceReport report;
  uint32_t *index = SUP_ALLOC(&lab->arena, uint32_t, all);
  double *now = SUP_ALLOC(&lab->arena, double, all), *before = SUP_ALLOC(&lab->arena, double, all);
  const uint32_t n = sup_rig_parameters(rig, SUP_RIG_FREE, index);
  Outcome out = {.worst = 1, .free = SUP_ALLOC(&lab->arena, double, (size_t)steps *n)};
  good(sup_rigspace_create(&lab->arena, def, &rs, &error), &error);
  sup_rig_rest(rig, now);
  sup_rig_rest(rig, before);
  script(lab, 0.3, now);
  script(lab, 0.3 - h, before);
  good(sup_rigspace_start(rs, now, before, h, none, &report, &error), &error);
  if (!report.converged)
    print_error("start: %u iterations, %u Jacobians\n", report.iterations, report.jacobians);
  assert_true(report.converged);
  const clock_t began = clock();
  for (int k = 0; k < steps; k++) {
    script(lab, 0.3 + h * (k + 1), now);
    good(sup_rigspace_step(rs, now, h, none, &report, &error), &error);
    if (!report.converged) print_error("step %d: %u iterations\n", k, report.iterations);
    assert_true(report.converged);
    out.worst = fmin(out.worst, report.determinant_least);
    out.sum.iterations += report.iterations;
    out.sum.jacobians += report.jacobians;
    out.sum.roll_backs += report.roll_backs;
    out.sum.rig_calls += report.rig_calls;
    for (uint32_t i = 0; i < n; i++) {
      const SupRigParameter *p = &rig->parameters[index[i]];
      const double part = (sup_rigspace_parameters(rs)[index[i]] - p->rest) / p->scale;
      out.free[(size_t)k * n + i] = part;
      out.largest = fmax(out.largest, fabs(part));
    }
  }
  out.seconds = (double)(clock() - began) / CLOCKS_PER_SEC / steps;
  sup_rigspace_free(rs);
  return out;
}

static double apart(const Outcome *a, const Outcome *b, size_t count) {
  double most = 0;
  for (size_t k = 0; k < count; k++) most = fmax(most, fabs(a->free[k] - b->free[k]));
  return most;
}

/* Poses for the weights: the clip, and free parameters drawn around rest. */
static SupRigspaceWeights weights_for(Lab *lab) {
  enum { POSES = 6 };
  const SupRig *rig = sup_character_rig(lab->rig);
  SupError error = {""};
  SupRigspaceExamples examples;
  SupRigspaceWeights weights;
  SupRigspaceFitReport report;
  SupRigspace *rs;
  SupRigspaceDef def = sup_rigspace_def(rig, &lab->volume);
  SupRng rng = sup_rng(4, 4);
  def.materials = &lab->material;
  def.material_count = 1;
  double *poses = SUP_ALLOC(&lab->arena, double, POSES *(size_t)rig->parameter_count);
  for (int k = 0; k < POSES; k++) {
    double *p = &poses[(size_t)k * rig->parameter_count];
    sup_rig_rest(rig, p);
    script(lab, 0.25 * k, p);
    for (uint32_t i = 0; i < rig->parameter_count; i++) {
      if (rig->parameters[i].role != SUP_RIG_FREE) continue;
      p[i] += 0.1 * rig->parameters[i].scale * (2 * sup_rng_double(&rng) - 1);
    }
  }
  good(sup_rigspace_create(&lab->arena, &def, &rs, &error), &error);
  const SupRigspaceShakeDef shake = {
      .pose_count = POSES, .poses = poses, .impulse_count = 1, .speed = 0.5, .seed = 1};
  const SupRigspaceFitDef fit = {0};
  const clock_t began = clock();
  good(sup_rigspace_shake(&lab->arena, rs, &shake, &examples, NULL, &error), &error);
  good(sup_rigspace_fit(&lab->arena, &lab->volume, 1, &examples, &fit, &weights, &report, &error),
       &error);
  print_message("  weights: %u examples, %.2f per node, outside %u of %u, %.1f s\n", examples.count,
                report.mean_count, report.outside, weights.inside_count,
                (double)(clock() - began) / CLOCKS_PER_SEC);
  sup_rigspace_free(rs);
  return weights;
}

static void compare(Lab *lab, const char *name, int steps, bool reference) {
  const SupRig *rig = sup_character_rig(lab->rig);
  const uint32_t n = sup_rig_parameters(rig, SUP_RIG_FREE, NULL);
  print_message("%s: %u free parameters, %u surface and %u inside nodes, %u tetrahedra\n", name, n,
                lab->volume.surface_count, lab->volume.mesh.node_count - lab->volume.surface_count,
                lab->volume.mesh.tet_count);
  const SupRigspaceWeights weights = weights_for(lab);
  static const char *const rows[] = {"reference", "IV1, JE1", "IV1, JE2", "IV2, JE1", "IV2, JE2"};
  Outcome out[5] = {{0}};
  for (int k = reference ? 0 : 1; k < 5; k++) {
    SupRigspaceDef def = sup_rigspace_def(rig, &lab->volume);
    def.materials = &lab->material;
    def.material_count = 1;
    def.inside = k == 0   ? SUP_RIGSPACE_REFERENCE
                 : k <= 2 ? SUP_RIGSPACE_STATIC
                          : SUP_RIGSPACE_SKINNED;
    def.weights = &weights;
    def.deferred = k == 2 || k == 4;
    out[k] = run(lab, &def, steps);
    const Outcome *base = &out[reference ? 0 : 1];
    print_message(
        "  %s: %.4f s per step, x%.1f, %u iterations, %u Jacobians, %u roll-backs, %u rig "
        "calls, %.1e of %.3f, det F %.2f\n",
        rows[k], out[k].seconds, base->seconds / out[k].seconds, out[k].sum.iterations,
        out[k].sum.jacobians, out[k].sum.roll_backs, out[k].sum.rig_calls,
        apart(base, &out[k], (size_t)steps * n), out[k].largest, out[k].worst);
  }
  assert_true(out[1].largest > 1e-3);
  if (reference) assert_true(apart(&out[0], &out[1], (size_t)steps * n) < 0.2 * out[0].largest);
  assert_true(apart(&out[1], &out[3], (size_t)steps * n) < out[1].largest);
}

static uint32_t from_environment(const char *name, uint32_t otherwise) {
  const char *text = getenv(name);
  return text ? (uint32_t)atoi(text) : otherwise;
}

static void test_trunk(void **state) {
  (void)state;
  Lab *lab = lab_create("trunk", "tube", 800, from_environment("RIGSPACE_TETS", 600), "lateral");
  compare(lab, "trunk", (int)from_environment("RIGSPACE_STEPS", 6), true);
  lab_free(lab);
}

static void test_belly(void **state) {
  (void)state;
  Lab *lab = lab_create("belly", "mochi", 1500, from_environment("RIGSPACE_TETS", 1500),
                        getenv("RIGSPACE_CLIP") ? getenv("RIGSPACE_CLIP") : "idle");
  compare(lab, "belly", (int)from_environment("RIGSPACE_STEPS", 4), getenv("RIGSPACE_ALL") != NULL);
  lab_free(lab);
}

static void test_mochi(void **state) {
  (void)state;
  Lab *lab = lab_create("mochi", "mochi", 1500, from_environment("RIGSPACE_TETS", 1500),
                        getenv("RIGSPACE_CLIP") ? getenv("RIGSPACE_CLIP") : "idle");
  compare(lab, "mochi", (int)from_environment("RIGSPACE_STEPS", 2), false);
  lab_free(lab);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_trunk), cmocka_unit_test(test_belly),
                                     cmocka_unit_test(test_mochi)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
