/* SPDX-License-Identifier: MIT */
/* Physics in rig-space: the solvers against each other, against differences, and against planted
 * rigs. HAHN-T4, T6, T7. */
#include "numerics/dense.h"
#include "rigspace/boxed_rig.h"

static const SupVec3d gravity = {0, -9.81, 0}, none = {0, 0, 0};
static const int slab[3] = {1, 4, 1}, block[3] = {3, 5, 3};
static const double size[3] = {0.4, 1, 0.4};

static Run run(Lab *lab, const SupRigspaceDef *def, int steps, SupVec3d g) {
  static Run out;
  memset(&out, 0, sizeof out);
  SupRigspace *rs = lab_rigspace(lab, def);
  begin(rs, g, script);
  take_steps(rs, 0, steps, g, script, &out);
  sup_rigspace_free(rs);
  return out;
}

/* HAHN-T4: a linear rig without nodes inside: all solvers are one. */
static void test_hahn_t4_no_inside(void **state) {
  (void)state;
  static const uint32_t no_offsets[1];
  static const SupRigspaceWeights no_weights = {0, no_offsets, NULL, NULL};
  Lab *lab = lab_create(slab, size, false);
  assert_int_equal(lab->volume.surface_count, lab->volume.mesh.node_count);
  SupRigspaceDef def = lab_def(lab, SUP_RIGSPACE_REFERENCE);
  const Run reference = run(lab, &def, 40, gravity);
  def = lab_def(lab, SUP_RIGSPACE_STATIC);
  const Run balanced = run(lab, &def, 40, gravity);
  def = lab_def(lab, SUP_RIGSPACE_SKINNED);
  def.weights = &no_weights;
  const Run skinned = run(lab, &def, 40, gravity);
  const double a = run_difference(&reference, &balanced, 40);
  print_message("T4: %.1e, %.1e of %.2f\n", a, run_difference(&balanced, &skinned, 40),
                run_size(&reference, 40));
  assert_true(run_size(&reference, 40) > 0.02);
  assert_true(a < 1e-8 && run_difference(&balanced, &skinned, 40) < 1e-8);
  lab_free(lab);
}

/* HAHN-T4: massless inside, balance and reference make the nodes inside the same minimiser. */
static void test_hahn_t4_massless_inside(void **state) {
  (void)state;
  Lab *lab = lab_create(block, size, false);
  lab->material.damping = 0; /* which Eq. 5 has not */
  lab->material.drag = 0;
  Run runs[2];
  for (int k = 0; k < 2; k++) {
    const SupRigspaceDef def = lab_def(lab, k ? SUP_RIGSPACE_STATIC : SUP_RIGSPACE_REFERENCE);
    SupRigspace *rs = lab_rigspace(lab, &def);
    assert_true(rs->inside_count > 0);
    for (uint32_t n = rs->surface_count; n < rs->node_count; n++) rs->body.masses[n] = 0;
    memset(&runs[k], 0, sizeof runs[k]);
    begin(rs, gravity, script);
    take_steps(rs, 0, 25, gravity, script, &runs[k]);
    sup_rigspace_free(rs);
  }
  const double found = run_difference(&runs[0], &runs[1], 25);
  print_message("T4, inside: %.1e of %.2f\n", found, run_size(&runs[0], 25));
  assert_true(run_size(&runs[0], 25) > 0.01 && found < 1e-8);
  lab_free(lab);
}

/* The functional of a step as a function of the parameters, from scratch. */
static double functional(SupRigspace *rs, const double *y, SupVec3d *x) {
  SupError error;
  bool good = true;
  memcpy(x, rs->at, rs->surface_count * sizeof *x);
  sup_rigspace_add_linear(rs, y, x);
  assert_int_equal(sup_rigspace_balance(rs, x, &good, &error), SUP_OK);
  assert_true(good);
  return sup_potential_evaluate(&rs->potential, &rs->loads, x, SUP_HESSIAN_NONE);
}

/* Where the solver ends, differences of the functional vanish; a little beside it the gradient
 * through dq/dy is that of differences. */
static void test_stationary(void **state) {
  (void)state;
  Lab *lab = lab_create(block, size, true);
  SupError error;
  const SupRigspaceDef def = lab_def(lab, SUP_RIGSPACE_STATIC);
  SupRigspace *rs = lab_rigspace(lab, &def);
  double next[PARAMETERS], y[MODES], wanted[MODES], found[MODES];
  SupVec3d *x = SUP_ALLOC(&lab->arena, SupVec3d, rs->node_count);
  static Run start;
  begin(rs, gravity, script);
  take_steps(rs, 0, 8, gravity, script, &start);
  script(0.09, next);
  memcpy(rs->base, rs->p, sizeof next);
  memcpy(rs->base, next, SCRIPTED * sizeof *next);
  const SupDifference step = sup_difference_euler(0.01);
  assert_int_equal(sup_rigspace_surface(rs, rs->base, rs->at, &error), SUP_OK);
  assert_int_equal(sup_rigspace_jacobian(rs, rs->base, &error), SUP_OK);
  sup_potential_begin(&rs->potential, &rs->history, &step);
  memcpy(rs->x, rs->history.x, rs->node_count * sizeof *rs->x);
  assert_int_equal(sup_rigspace_minimise(rs, &error), SUP_OK);
  assert_true(rs->report.converged);
  for (int beside = 0; beside < 2; beside++) {
    double scale = 0;
    for (int k = 0; k < MODES; k++) y[k] = rs->y[k] + beside * 0.01 * (k - 1.5);
    memcpy(x, rs->x, rs->node_count * sizeof *x);
    functional(rs, y, x);
    assert_int_equal(sup_rigspace_sensitivity(rs, x, &error), SUP_OK);
    sup_potential_evaluate(&rs->potential, &rs->loads, x, SUP_HESSIAN_NONE);
    const size_t s = 3 * (size_t)rs->surface_count, q = 3 * (size_t)rs->inside_count;
    const double *g = &rs->potential.gradient[0].x;
    for (size_t k = 0; k < MODES; k++) {
      found[k] = 0;
      for (size_t r = 0; r < s; r++) found[k] += rs->surface[k * s + r] * g[r];
      for (size_t r = 0; r < q; r++) found[k] += rs->inside[k * q + r] * g[s + r];
    }
    for (int k = 0; k < MODES; k++) {
      double side[2];
      for (int i = 0; i < 2; i++) {
        double moved[MODES];
        memcpy(moved, y, sizeof y);
        moved[k] += i ? 1e-5 : -1e-5;
        side[i] = functional(rs, moved, x);
      }
      wanted[k] = (side[1] - side[0]) / 2e-5;
      scale = fmax(scale, fabs(wanted[k]));
    }
    for (int k = 0; k < MODES; k++) {
      print_message("%d: %.3e against %.3e\n", beside, found[k], wanted[k]);
      if (beside) {
        assert_true(fabs(found[k] - wanted[k]) < 1e-6 * scale);
      } else {
        assert_true(fabs(found[k]) < 1e-5 && fabs(wanted[k]) < 1e-3);
      }
    }
  }
  sup_rigspace_free(rs);
  lab_free(lab);
}

/* HAHN-T6: of a linear rig one Jacobian is enough for ever. */
static void shove(double t, double *out) {
  script(t, out);
  out[TURN] = 0; /* which would turn the Jacobian */
}

static void test_hahn_t6(void **state) {
  (void)state;
  Lab *lab = lab_create(block, size, false);
  SupRigspaceDef def = lab_def(lab, SUP_RIGSPACE_STATIC);
  def.deferred = true;
  SupRigspace *rs = lab_rigspace(lab, &def);
  static Run out;
  begin(rs, gravity, shove);
  take_steps(rs, 0, 30, gravity, shove, &out);
  print_message("T6: %.1e J\n", out.sum.linearity_error);
  assert_int_equal(out.sum.jacobians, 1);
  assert_int_equal(out.sum.roll_backs, 0);
  assert_true(out.sum.linearity_error < 1e-12);
  sup_rigspace_free(rs);
  lab_free(lab);
}

/* HAHN-T7: theta 0 is a Jacobian per step, to the last bit; a theta above saves most of them. */
static void test_hahn_t7(void **state) {
  (void)state;
  Lab *lab = lab_create(block, size, true);
  SupRigspaceDef def = lab_def(lab, SUP_RIGSPACE_STATIC);
  const Run every = run(lab, &def, 40, none);
  def.deferred = true;
  def.theta = 0;
  const Run zero = run(lab, &def, 40, none);
  assert_memory_equal(every.p, zero.p, sizeof every.p);
  assert_int_equal(zero.sum.jacobians, 40);
  /* The allowed error is a squared one: a tenth, a thirtieth of the free motion. */
  const double thetas[] = {0.01, 1e-3}, parts[] = {0.3, 0.1};
  const uint32_t most[] = {12, 30};
  for (int k = 0; k < 2; k++) {
    def.theta = thetas[k];
    const Run deferred = run(lab, &def, 40, none);
    const double far = run_difference(&every, &deferred, 40);
    print_message("T7, theta %g: %u Jacobians, %u foreseen, %u roll-backs; %.1e of %.3f\n",
                  thetas[k], deferred.sum.jacobians, deferred.sum.foreseen, deferred.sum.roll_backs,
                  far, run_size(&every, 40));
    assert_true(deferred.sum.jacobians <= most[k]);
    assert_true(far < parts[k] * run_size(&every, 40));
  }
  lab_free(lab);
}

/* The linearised rig against the rig itself: the reference is near. */
static void test_reference_is_near(void **state) {
  (void)state;
  Lab *lab = lab_create(block, size, true);
  SupRigspaceDef def = lab_def(lab, SUP_RIGSPACE_STATIC);
  const Run balanced = run(lab, &def, 30, gravity);
  def = lab_def(lab, SUP_RIGSPACE_REFERENCE);
  const Run reference = run(lab, &def, 30, gravity);
  const double far = run_difference(&balanced, &reference, 30);
  print_message("reference: %.1e of %.3f; calls %u against %u\n", far, run_size(&reference, 30),
                reference.sum.rig_calls, balanced.sum.rig_calls);
  assert_true(far < 0.05 * run_size(&reference, 30));
  lab_free(lab);
}

/* Nodes inside the block as means of the nodes at both ends of their row: exact at rest. */
static SupRigspaceWeights row_weights(Lab *lab) {
  const SupDrivenVolume *v = &lab->volume;
  const uint32_t first = v->surface_count, inside = v->mesh.node_count - first;
  uint32_t *offsets = SUP_ALLOC(&lab->arena, uint32_t, inside + 1);
  uint32_t *nodes = SUP_ALLOC(&lab->arena, uint32_t, 2 * inside);
  double *weights = SUP_ALLOC(&lab->arena, double, 2 * inside);
  for (uint32_t q = 0; q < inside; q++) {
    const SupVec3d at = v->mesh.nodes[first + q];
    offsets[q + 1] = 2 * (q + 1);
    for (uint32_t n = 0; n < first; n++) {
      const SupVec3d x = v->mesh.nodes[n];
      if (fabs(x.y - at.y) > 1e-9 || fabs(x.z - at.z) > 1e-9) continue;
      const uint32_t k = 2 * q + (x.x > at.x);
      nodes[k] = n;
      weights[k] = 1 - fabs(x.x - at.x) / size[0];
    }
  }
  return (SupRigspaceWeights){inside, offsets, nodes, weights};
}

/* Looks at all elements, and computes the matrix of every step anew. */
static void look_everywhere(SupRigspace *rs) {
  rs->kept = false;
  memset(rs->moves, true, rs->node_count);
  memcpy(rs->moving, rs->all_tets, rs->all_count * sizeof *rs->moving);
  rs->moving_count = rs->all_count;
  rs->potential.serial = 0;
}

/* Elements that no parameter moves are left out, and the matrix is kept: the same motion. */
static void test_kept_matrix(void **state) {
  (void)state;
  Lab *lab = lab_create(block, size, false);
  lab->still = 0.5;
  SupRigspaceDef def = lab_def(lab, SUP_RIGSPACE_SKINNED);
  const SupRigspaceWeights weights = row_weights(lab);
  def.weights = &weights;
  def.deferred = true; /* one Jacobian: afterwards nothing looks for what moves */
  SupRigspace *rs = lab_rigspace(lab, &def), *other = lab_rigspace(lab, &def);
  static Run quick, thorough;
  begin(rs, gravity, shove);
  begin(other, gravity, shove);
  for (int k = 0; k < 40; k++) {
    take_steps(rs, k, 1, gravity, shove, &quick);
    take_steps(other, k, 1, gravity, shove, &thorough);
    look_everywhere(other);
  }
  const double far = run_difference(&quick, &thorough, 40);
  print_message(
      "kept: %u of %u elements; %u matrices and %u moves, against %u and %u; %.1e of %.2f\n",
      rs->moving_count, rs->all_count, quick.sum.iterations, quick.sum.kept_moves,
      thorough.sum.iterations, thorough.sum.kept_moves, far, run_size(&thorough, 40));
  assert_int_equal(quick.sum.jacobians, 1);
  assert_true(rs->moving_count > 0 && rs->moving_count < 0.7 * rs->all_count);
  assert_true(quick.sum.iterations < thorough.sum.iterations / 3 && quick.sum.kept_moves > 40);
  assert_true(run_size(&thorough, 40) > 0.01 && far < 1e-8);
  sup_rigspace_free(rs);
  sup_rigspace_free(other);
  lab_free(lab);
}

/* The smallest eigenvalue of T^T (K - w^2 M) T over parameters and nodes inside, from the matrices
 * alone: 0 at the lowest circular frequency w, below 0 above it. */
static double smallest(Lab *lab, const SupRigspace *rs, double w) {
  const size_t s = 3 * (size_t)rs->surface_count, all = 3 * (size_t)rs->node_count;
  const size_t n = rs->n + all - s;
  double *k = SUP_ALLOC(&lab->arena, double, all *all), *a = SUP_ALLOC(&lab->arena, double, n *n);
  double *values = SUP_ALLOC(&lab->arena, double, n);
  SupError error;
  const SupSparse *m = &rs->body.matrix;
  for (size_t c = 0; c < all; c++) {
    for (int64_t i = m->columns[c]; i < m->columns[c + 1]; i++) {
      const size_t r = (size_t)m->rows[i];
      if (r >= c) k[r * all + c] = k[c * all + r] = m->values[i];
    }
    k[c * all + c] -= w * w * rs->body.masses[c / 3];
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      double sum = 0;
      for (size_t r = i < rs->n ? 0 : s + i - rs->n; r < (i < rs->n ? s : s + i - rs->n + 1); r++) {
        const double left = i < rs->n ? rs->surface[i * s + r] : 1;
        for (size_t c = j < rs->n ? 0 : s + j - rs->n; c < (j < rs->n ? s : s + j - rs->n + 1);
             c++) {
          sum += left * k[r * all + c] * (j < rs->n ? rs->surface[j * s + c] : 1);
        }
      }
      a[j * n + i] = sum;
    }
  }
  assert_int_equal(sup_dense_eig_symmetric((int)n, a, values, &error), SUP_OK);
  return values[0];
}

/* Frequencies at rest: the reference's is that of parameters and nodes inside together, and with
 * nodes inside in balance, or skinned, it is higher. */
static void test_frequencies(void **state) {
  (void)state;
  Lab *lab = lab_create(block, size, true);
  const SupRigspaceWeights weights = row_weights(lab);
  const double rest[PARAMETERS] = {0};
  double lowest[3];
  for (int k = 0; k < 3; k++) {
    SupRigspaceDef def = lab_def(lab, k == 0   ? SUP_RIGSPACE_REFERENCE
                                      : k == 1 ? SUP_RIGSPACE_STATIC
                                               : SUP_RIGSPACE_SKINNED);
    double hz[MODES];
    uint32_t count;
    SupError error;
    def.weights = &weights;
    SupRigspace *rs = lab_rigspace(lab, &def);
    assert_int_equal(sup_rigspace_frequencies(rs, rest, &count, hz, &error), SUP_OK);
    assert_int_equal(count, MODES);
    lowest[k] = hz[0];
    if (k == 0) {
      const double w = 2 * 3.14159265358979323846 * hz[0];
      assert_true(smallest(lab, rs, w * (1 - 1e-6)) > 0 && smallest(lab, rs, w * (1 + 1e-6)) < 0);
    }
    sup_rigspace_free(rs);
  }
  print_message("at rest: %.6f, %.6f, %.6f Hz\n", lowest[0], lowest[1], lowest[2]);
  assert_true(lowest[0] < (1 - 1e-5) * lowest[1] && lowest[1] < lowest[2]);
  assert_true(lowest[1] < 1.03 * lowest[0]);
  lab_free(lab);
}

/* From a stored state everything goes on as it did, to the last bit. */
static void test_restart(void **state) {
  (void)state;
  Lab *lab = lab_create(block, size, true);
  const SupRigspaceWeights weights = row_weights(lab);
  for (int row = 0; row < 4; row++) {
    SupRigspaceDef def = lab_def(lab, row < 2 ? SUP_RIGSPACE_STATIC : SUP_RIGSPACE_SKINNED);
    def.weights = &weights;
    def.deferred = row % 2;
    SupRigspace *rs = lab_rigspace(lab, &def), *other = lab_rigspace(lab, &def);
    static Run whole, rest;
    double *stored = SUP_ALLOC(&lab->arena, double, sup_rigspace_state_count(rs));
    begin(rs, gravity, script);
    take_steps(rs, 0, 10, gravity, script, &whole);
    sup_rigspace_store(rs, stored);
    take_steps(rs, 10, 10, gravity, script, &whole);
    memcpy(&rest, &whole, sizeof rest);
    memset(rest.p[10], 0, 10 * sizeof rest.p[0]);
    sup_rigspace_restore(other, stored);
    take_steps(other, 10, 10, gravity, script, &rest);
    assert_memory_equal(whole.p, rest.p, 20 * sizeof whole.p[0]);
    const size_t numbers = sup_rigspace_state_count(rs);
    double *end = SUP_ALLOC(&lab->arena, double, numbers);
    sup_rigspace_store(rs, stored);
    sup_rigspace_store(other, end);
    assert_memory_equal(stored, end, numbers * sizeof *end);
    sup_rigspace_free(rs);
    sup_rigspace_free(other);
  }
  lab_free(lab);
}

/* Bounds hold; springs on parameters pull them back. */
static void test_bounds_and_springs(void **state) {
  (void)state;
  Lab *lab = lab_create(block, size, false);
  SupRigspaceDef def = lab_def(lab, SUP_RIGSPACE_STATIC);
  const Run loose = run(lab, &def, 30, gravity);
  double most = 0;
  for (int k = 0; k < 30; k++) most = fmax(most, loose.p[k][0]);
  lab->parameters[SCRIPTED].high = 0.5 * most;
  const Run bound = run(lab, &def, 30, gravity);
  double reached = 0;
  for (int k = 0; k < 30; k++) reached = fmax(reached, bound.p[k][0]);
  assert_true(most > 0.01 && reached == 0.5 * most);
  lab->parameters[SCRIPTED].high = 1;
  const double stiffness[MODES] = {1e6, 1e6, 1e6, 1e6};
  def.parameter_stiffness = stiffness;
  const Run stiff = run(lab, &def, 30, gravity);
  assert_true(run_size(&stiff, 30) < 0.1 * run_size(&loose, 30));
  lab_free(lab);
}

/* Another length of step: velocities are those of the step before, so nothing jumps. */
static void test_step_lengths(void **state) {
  (void)state;
  Lab *lab = lab_create(block, size, false);
  const SupRigspaceDef def = lab_def(lab, SUP_RIGSPACE_STATIC);
  SupRigspace *rs = lab_rigspace(lab, &def);
  SupRigspaceReport report;
  SupError error;
  double next[PARAMETERS] = {0}, before[PARAMETERS] = {0};
  before[SHIFT] = -0.01; /* 1 m/s, evenly */
  assert_int_equal(sup_rigspace_start(rs, next, before, 0.01, none, &report, &error), SUP_OK);
  const double lengths[] = {0.01, 0.005, 0.02, 0.0025};
  for (int k = 0; k < 4; k++) {
    next[SHIFT] += lengths[k];
    assert_int_equal(sup_rigspace_step(rs, next, lengths[k], none, &report, &error), SUP_OK);
    assert_true(report.converged);
    for (int i = SCRIPTED; i < PARAMETERS; i++) {
      assert_true(fabs(sup_rigspace_parameters(rs)[i]) < 1e-9);
    }
  }
  sup_rigspace_free(rs);
  lab_free(lab);
}

static void test_refusals(void **state) {
  (void)state;
  Lab *lab = lab_create(block, size, false);
  SupRigspace *rs = NULL;
  SupError error;
  SupRigspaceDef def = lab_def(lab, SUP_RIGSPACE_STATIC);
  lab->rig.vertex_count--;
  assert_int_equal(sup_rigspace_create(&lab->arena, &def, &rs, &error), SUP_ERROR_ARGUMENT);
  assert_non_null(strstr(error.text, "vertices, and the volume is driven by"));
  lab->rig.vertex_count++;
  def.inside = SUP_RIGSPACE_SKINNED;
  assert_int_equal(sup_rigspace_create(&lab->arena, &def, &rs, &error), SUP_ERROR_ARGUMENT);
  assert_non_null(strstr(error.text, "the weights are for 0 nodes inside"));
  def.inside = SUP_RIGSPACE_STATIC;
  for (int k = 0; k < PARAMETERS; k++) lab->parameters[k].role = SUP_RIG_LOCKED;
  assert_int_equal(sup_rigspace_create(&lab->arena, &def, &rs, &error), SUP_ERROR_ARGUMENT);
  assert_non_null(strstr(error.text, "no free parameter"));
  assert_null(rs);
  lab_free(lab);
}

/* Every allocation fails once: a sentence, nothing left behind. */
static void test_short_memory(void **state) {
  (void)state;
  Lab *lab = lab_create(slab, size, false);
  const SupRigspaceDef def = lab_def(lab, SUP_RIGSPACE_STATIC);
  bool done = false;
  for (size_t k = 1; !done; k++) {
    CountingHeap heap = {.fail_at = k};
    SupArena arena;
    SupError error = {""};
    SupRigspace *rs = NULL;
    sup_arena_init(&arena, counting_allocator(&heap), 0);
    SupResult result = sup_rigspace_create(&arena, &def, &rs, &error);
    done = result == SUP_OK;
    assert_true(done || (result == SUP_ERROR_MEMORY && strstr(error.text, "memory")));
    sup_rigspace_free(rs);
    sup_arena_free(&arena);
    assert_int_equal(heap.live_blocks, 0);
  }
  lab_free(lab);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_hahn_t4_no_inside), cmocka_unit_test(test_hahn_t4_massless_inside),
      cmocka_unit_test(test_stationary),        cmocka_unit_test(test_hahn_t6),
      cmocka_unit_test(test_hahn_t7),           cmocka_unit_test(test_reference_is_near),
      cmocka_unit_test(test_kept_matrix),       cmocka_unit_test(test_frequencies),
      cmocka_unit_test(test_restart),           cmocka_unit_test(test_bounds_and_springs),
      cmocka_unit_test(test_step_lengths),      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_short_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
