/* SPDX-License-Identifier: MIT */
/*
 * The reduced body against the whole one. With one element in every cluster the reduced energy is
 * that of the finite elements wherever the functions reach; small swings have the frequencies of
 * the linear modes.
 */
#include <math.h>

#include "mochi_flesh.h"
#include "runtime/subspace/subspace_work.h"
#include "train/subspace/subspace_parts.h"

static const SupVec3 NONE = {0, 0, 0};

/* The model of `flesh`, its volume, and its functions on the nodes. */
typedef struct Whole {
  Flesh *flesh;
  SubspaceBody body;
  SubspaceFunctions functions;
} Whole;

static Whole make_whole(Flesh *flesh) {
  Whole w = {.flesh = flesh, .body = {.def = &flesh->def}};
  SupFillReport fill;
  SupAttachReport attach;
  SupError error;
  uint32_t poses = 0;
  flesh_train(flesh);
  if (sup_subspace_body(&flesh->arena, &w.body, &fill, &attach, &error)) fail_msg("%s", error.text);
  if (sup_subspace_basis(&flesh->arena, &w.body, &w.functions, &poses, &error)) {
    fail_msg("%s", error.text);
  }
  assert_int_equal(w.functions.count, flesh->view.function_count);
  return w;
}

/* ---- Energy ---------------------------------------------------------------------------------- */

/* Where the nodes are with amplitudes z. */
static void place_nodes(const Whole *w, const SupAffine *palette, const double *z, SupVec3d *x) {
  const SupElastic *elastic = &w->body.volume.body;
  const SupAttachment *attachment = &w->body.volume.attachment;
  const size_t rows = elastic->free_count, count = w->functions.count;
  for (size_t n = 0; n < elastic->mesh.node_count; n++) {
    x[n] = (SupVec3d){0, 0, 0};
    for (size_t k = SUP_ATTACH_BONES * n; k < SUP_ATTACH_BONES * (n + 1); k++) {
      const SupVec3d moved = sup_affined_point(sup_affine_to_double(palette[attachment->bones[k]]),
                                               w->body.volume.fill.mesh.nodes[n]);
      x[n] = sup_vec3d_add_scaled(x[n], moved, (double)attachment->weights[k]);
    }
    const int32_t i = elastic->free_index[n];
    for (size_t k = 0; k < count && i >= 0; k++) {
      const double f = w->functions.values[k * rows + (size_t)i];
      x[n] = sup_vec3d_add_scaled(x[n], (SupVec3d){z[k], z[count + k], z[2 * count + k]}, f);
    }
  }
}

static double whole_energy(Whole *w, const SupAffine *palette, const double *z) {
  SupElastic *elastic = &w->body.volume.body;
  const size_t nodes = elastic->mesh.node_count;
  SupVec3d *x = malloc(nodes * sizeof *x), *gradient = calloc(nodes, sizeof *gradient);
  SupAffined *bones = malloc(w->body.bones * sizeof *bones);
  for (uint32_t b = 0; b < w->body.bones; b++) bones[b] = sup_affine_to_double(palette[b]);
  place_nodes(w, palette, z, x);
  sup_ties_aim(&w->body.ties, bones);
  const double energy = sup_elastic_energy(elastic, x, NULL, gradient) +
                        sup_ties_add(&w->body.ties, &elastic->mesh, x, gradient, NULL);
  free(x);
  free(gradient);
  free(bones);
  return energy * w->body.tuning;
}

static double reduced_energy(Whole *w, const SupAffine *palette, const double *z) {
  const SupSubspaceView *view = &w->flesh->view;
  SubspaceWork work = sup_subspace_work(view, w->flesh->state);
  double *bones = sup_subspace_next_bones(view, w->flesh->state);
  sup_subspace_place_bones(view->bone_count, palette, bones);
  sup_subspace_prepare(&work, 0, bones, NONE);
  return sup_subspace_evaluate(&work, z, work.gradient) / w->flesh->report.correction;
}

/* What amplitudes add to the energy in a pose: the same, whatever rho says about strain within
 * clusters, of which there is none. */
static void energies(double rho) {
  Flesh *f = flesh_open(500);
  f->def.rho = rho;
  f->def.cluster_count = 1000000;
  f->def.function_count = 30;
  Whole w = make_whole(f);
  const uint32_t n = 3 * f->view.function_count;
  double *z = calloc(n, sizeof *z), worst = 0;
  SupRng rng = sup_rng(3, 1);
  for (uint64_t pose = 1; pose <= 4; pose++) {
    flesh_pose(f, pose, 0.08 * (double)pose);
    for (uint32_t i = 0; i < n; i++) z[i] = 0;
    const double whole = whole_energy(&w, f->palette, z), own = reduced_energy(&w, f->palette, z);
    for (uint32_t i = 0; i < n; i++) z[i] = 0.015 * (sup_rng_double(&rng) - 0.5);
    const double added = whole_energy(&w, f->palette, z) - whole;
    /* Where skinning crushes flesh, amplitudes may also relieve it. */
    assert_true(fabs(added) > 0.01);
    worst = fmax(worst, fabs(reduced_energy(&w, f->palette, z) - own - added) / whole);
  }
  assert_true(worst < 1e-5);
  free(z);
  flesh_free(f);
}

/* Vertices are where the nodes carry them. */
static void test_skin(void **state) {
  (void)state;
  Flesh *f = flesh_open(500);
  Whole w = make_whole(f);
  const SupSmooth *smooth = &w.body.volume.smooth;
  SupVec3d *x = malloc(w.body.volume.body.mesh.node_count * sizeof *x);
  double most = 0;
  flesh_pose(f, 2, 0.5);
  sup_subspace_step(&f->view, f->state, f->view.h, f->palette, NONE);
  sup_subspace_shown(&f->view, f->state, f->shown);
  sup_subspace_offsets(&f->view, f->shown, f->palette, f->offsets);
  place_nodes(&w, f->palette, sup_subspace_amplitudes(f->state), x);
  for (uint32_t v = 0; v < f->view.vertex_count; v++) {
    SupVec3d sum = {0, 0, 0};
    for (uint32_t k = smooth->offsets[v]; k < smooth->offsets[v + 1]; k++) {
      sum = sup_vec3d_add_scaled(sum, x[smooth->nodes[k]], smooth->weights[k]);
    }
    const SupVec3d plain = sup_vec3_to_double(flesh_skinned(f, v));
    sum = sup_vec3d_lerp(sum, plain, (double)w.body.volume.attachment.thin[v]);
    const SupVec3d own = sup_vec3d_add(plain, sup_vec3_to_double(f->offsets[v]));
    assert_true(sup_vec3d_distance(sum, own) < 1e-5 * f->report.size);
    most = fmax(most, sup_vec3d_distance(sum, plain));
  }
  assert_true(most > 0.01 * f->report.size); /* there was something to show */
  free(x);
  flesh_free(f);
}

static void test_energy(void **state) {
  (void)state;
  energies(0.7);
  energies(0.2);
}

/* ---- Frequencies ----------------------------------------------------------------------------- */

/* Mode k on the functions, of length 1 where they hold all of it. */
static double project(const Whole *w, uint32_t k, double *out) {
  const SupElastic *elastic = &w->body.volume.body;
  const size_t rows = elastic->free_count, count = w->functions.count;
  double square = 0;
  for (size_t f = 0; f < count; f++) {
    SupVec3d sum = {0, 0, 0};
    for (uint32_t i = 0; i < rows; i++) {
      const double mass = elastic->masses[elastic->free_nodes[i]];
      sum = sup_vec3d_add_scaled(sum, modes_at_node(&w->body.volume, k, i),
                                 mass * w->functions.values[f * rows + i]);
    }
    out[f] = sum.x, out[count + f] = sum.y, out[2 * count + f] = sum.z;
    square += sup_vec3d_dot(sum, sum);
  }
  return square;
}

/* Sets the flesh swinging, at its largest now: z = A cos(omega t) along the mode. */
static void pluck(Flesh *f, const double *mode, double amplitude, double omega) {
  const double h = (double)f->view.h;
  memcpy(f->palette, f->rest, f->view.bone_count * sizeof *f->rest);
  sup_subspace_reset(f->state);
  for (int i = 0; i < 2; i++) {
    sup_subspace_step(&f->view, f->state, f->view.h, f->palette, NONE);
  }
  for (uint32_t i = 0; i < 3 * f->view.function_count; i++) {
    subspace_doubles(f->state, f->state->amplitudes[0])[i] = amplitude * mode[i];
    subspace_doubles(f->state, f->state->amplitudes[1])[i] = amplitude * mode[i] * cos(omega * h);
    subspace_doubles(f->state, f->state->velocities[0])[i] = 0;
    subspace_doubles(f->state, f->state->velocities[1])[i] =
        amplitude * mode[i] * omega * sin(omega * h);
  }
}

/* Hz, from the times at which the swing along the mode passes zero. */
static double measure(Flesh *f, const double *mode, int crossings) {
  double last = 0, first_time = 0;
  int found = 0;
  for (int step = 0; step < 100000; step++) {
    double along = 0;
    const double *z = sup_subspace_amplitudes(f->state);
    for (uint32_t i = 0; i < 3 * f->view.function_count; i++) along += z[i] * mode[i];
    if (step > 0 && (along > 0) != (last > 0)) {
      const double time = ((double)step - along / (along - last)) * (double)f->view.h;
      if (found++ == 0) first_time = time;
      if (found == crossings) return (crossings - 1) / (2 * (time - first_time));
    }
    last = along;
    sup_subspace_step(&f->view, f->state, f->view.h, f->palette, NONE);
  }
  return 0;
}

static void swing(double h, uint32_t modes) {
  Flesh *f = flesh_open(700);
  f->def.h = h;
  f->def.function_count = 80;
  f->def.cluster_count = 300;
  f->def.damping_ratio = 0;
  f->def.material.damping = 0;
  Whole w = make_whole(f);
  double *mode = malloc(3 * f->view.function_count * sizeof *mode);
  for (uint32_t k = 0; k < modes; k++) {
    const double hertz = f->report.frequencies[k];
    assert_true(project(&w, k, mode) > 0.99); /* the functions hold the mode */
    pluck(f, mode, 1e-3, 2 * SUP_PI * hertz);
    const double found = measure(f, mode, 9);
    if (!(fabs(found - hertz) < 0.02 * hertz)) fail_msg("mode %u: %g Hz, not %g", k, found, hertz);
  }
  free(mode);
  flesh_free(f);
}

static void test_frequencies(void **state) {
  (void)state;
  swing(1.0 / 240, 4);
  swing(1.0 / 60, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_energy), cmocka_unit_test(test_skin),
                                     cmocka_unit_test(test_frequencies)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
