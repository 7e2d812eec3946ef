/* SPDX-License-Identifier: MIT */
/* The incremental potential of a step: exact derivatives, and a fall that is known. */
#include "fem/potential.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "sim/boxes.h"
#include "supple/io/file.h"

/* A block with muscles askew; held on one side where `held`. */
typedef struct Lab {
  SupArena arena;
  Box box;
  SupElastic body;
  SupHistory history;
  SupPotential potential;
  SupVec3d *x, *force;
} Lab;

static const SupMaterialDef flesh = {SUP_MATERIAL_NEO_HOOKEAN, 1e4, 0.4, 1000, 0.004, 0.5, 0.5};

static Lab *lab_create(const SupMaterialDef *material, bool held) {
  Lab *lab = calloc(1, sizeof *lab);
  assert_non_null(lab);
  SupError error;
  SupRng rng = sup_rng(7, (uint64_t)material->kind);
  sup_arena_init(&lab->arena, sup_heap_allocator(), 0);
  lab->box = box_create((int[3]){2, 2, 2}, (double[3]){1, 1, 1});
  uint32_t nodes = lab->box.mesh.node_count, tets = lab->box.mesh.tet_count;
  for (uint32_t n = 0; n < nodes; n++) lab->box.prescribed[n] = held && lab->box.nodes[n].x == 0;
  SupVec3d *fibres = SUP_ALLOC(&lab->arena, SupVec3d, tets);
  for (uint32_t t = 0; t < tets; t++) fibres[t] = sup_vec3d_normalise(noise(&rng, 1));
  SupElasticDef def = {.mesh = lab->box.mesh,
                       .materials = SUP_COPY(&lab->arena, SupMaterialDef, material, 1),
                       .material_count = 1,
                       .prescribed = lab->box.prescribed,
                       .fibres = fibres};
  assert_int_equal(sup_elastic_create(&lab->arena, &def, &lab->body, &error), SUP_OK);
  assert_true(sup_history_create(&lab->arena, nodes, &lab->history));
  assert_true(sup_potential_create(&lab->arena, &lab->body, &lab->potential));
  lab->x = SUP_ALLOC(&lab->arena, SupVec3d, nodes);
  lab->force = SUP_ALLOC(&lab->arena, SupVec3d, nodes);
  return lab;
}

static void lab_free(Lab *lab) {
  sup_arena_free(&lab->arena);
  box_free(&lab->box);
  free(lab);
}

/* Two steps of a folding motion, so that every term of the potential acts. */
static void lab_fold(Lab *lab) {
  uint32_t nodes = lab->body.mesh.node_count;
  SupRng rng = sup_rng(3, 4);
  SupVec3d *velocity = SUP_ALLOC(&lab->arena, SupVec3d, nodes);
  for (uint32_t t = 0; t < lab->body.mesh.tet_count; t++) {
    lab->body.tension[t] = 3000 * sup_rng_double(&rng);
  }
  for (uint32_t n = 0; n < nodes; n++) {
    lab->x[n] = sup_vec3d_add(sup_vec3d_scale(lab->box.nodes[n], 1.15), noise(&rng, 0.04));
    lab->force[n] = noise(&rng, 20);
    velocity[n] = noise(&rng, 1);
  }
  sup_history_place(&lab->history, lab->x, velocity);
  SupDifference first = sup_difference_euler(0.013);
  for (uint32_t n = 0; n < nodes; n++) lab->x[n] = sup_vec3d_add(lab->x[n], noise(&rng, 0.02));
  sup_history_advance(&lab->history, &first, lab->x);
  for (uint32_t n = 0; n < nodes; n++) lab->x[n] = sup_vec3d_add(lab->x[n], noise(&rng, 0.02));
}

/* A potential of contact's kind: k (y - 0.2)^4 / 4 for the first corner of every element. */
static double steep_valley(void *user, const SupVec3d *x, SupVec3d *io_gradient,
                           double *io_blocks) {
  const SupTetMesh *mesh = user;
  const double k = 4e3;
  double energy = 0;
  for (uint32_t t = 0; t < mesh->tet_count; t++) {
    uint32_t n = mesh->tets[4 * (size_t)t];
    double d = x[n].y - 0.2;
    energy += k * d * d * d * d / 4;
    io_gradient[n].y += k * d * d * d;
    if (io_blocks) io_blocks[144 * (size_t)t + 13] += 3 * k * d * d;
  }
  return energy;
}

static double *unknown(const SupElastic *body, SupVec3d *v, uint32_t k) {
  SupVec3d *node = &v[body->free_nodes[k / 3]];
  return k % 3 == 0 ? &node->x : k % 3 == 1 ? &node->y : &node->z;
}

/* Largest error of the gradient against differences of the potential, over its largest entry. */
static double gradient_error(Lab *lab, const SupPotentialLoads *loads) {
  const double h = 1e-6;
  const uint32_t nodes = lab->body.mesh.node_count;
  SupVec3d *gradient = SUP_ALLOC(&lab->arena, SupVec3d, nodes);
  sup_potential_evaluate(&lab->potential, loads, lab->x, SUP_HESSIAN_NONE);
  memcpy(gradient, lab->potential.gradient, nodes * sizeof *gradient);
  double worst = 0, scale = 0;
  for (uint32_t k = 0; k < 3 * lab->body.free_count; k++) {
    double *x = unknown(&lab->body, lab->x, k), at = *x;
    *x = at + h;
    double above = sup_potential_evaluate(&lab->potential, loads, lab->x, SUP_HESSIAN_NONE);
    *x = at - h;
    double below = sup_potential_evaluate(&lab->potential, loads, lab->x, SUP_HESSIAN_NONE);
    *x = at;
    double found = *unknown(&lab->body, gradient, k);
    worst = fmax(worst, fabs(found - (above - below) / (2 * h)));
    scale = fmax(scale, fabs(found));
  }
  return worst / scale;
}

/* Largest error of the exact matrix times a direction against differences of the gradient. */
static double matrix_error(Lab *lab, const SupPotentialLoads *loads) {
  const double h = 1e-6;
  const uint32_t size = 3 * lab->body.free_count;
  double *d = SUP_ALLOC(&lab->arena, double, size), *product = SUP_ALLOC(&lab->arena, double, size),
         *expected = SUP_ALLOC(&lab->arena, double, size);
  SupRng rng = sup_rng(5, 5);
  for (uint32_t k = 0; k < size; k++) d[k] = sup_rng_double(&rng) - 0.5;
  sup_potential_evaluate(&lab->potential, loads, lab->x, SUP_HESSIAN_EXACT);
  for (int side = -1; side <= 1; side += 2) {
    for (uint32_t k = 0; k < size; k++) *unknown(&lab->body, lab->x, k) += side * h * d[k];
    sup_potential_evaluate(&lab->potential, loads, lab->x, SUP_HESSIAN_NONE);
    for (uint32_t k = 0; k < size; k++) {
      expected[k] += side * *unknown(&lab->body, lab->potential.gradient, k) / (2 * h);
      *unknown(&lab->body, lab->x, k) -= side * h * d[k];
    }
  }
  sup_potential_assemble(&lab->potential); /* still that of the first evaluation */
  times_matrix(&lab->body.matrix, d, product);
  double worst = 0, scale = 0;
  for (uint32_t k = 0; k < size; k++) {
    worst = fmax(worst, fabs(product[k] - expected[k]));
    scale = fmax(scale, fabs(product[k]));
  }
  return worst / scale;
}

/* Inertia, drag, damping, flesh, muscles, contact and loads, for every material and formula; then
 * with damping that outweighs everything else. */
static void derivatives_are_exact(void **state) {
  (void)state;
  double worst_gradient = 0, worst_matrix = 0;
  for (int c = 0; c < 6; c++) {
    SupMaterialDef material = flesh;
    material.kind = (SupMaterialKind)(c % 3);
    if (c >= 3) material.damping = 2;
    Lab *lab = lab_create(&material, true);
    lab_fold(lab);
    SupPotentialLoads loads = {.force = lab->force,
                               .gravity = {0.3, -9.81, 0},
                               .carrier = lab->history.v_old,
                               .contact = steep_valley,
                               .contact_user = &lab->body.mesh};
    const SupDifference steps[3] = {sup_difference_static(), sup_difference_euler(0.01),
                                    sup_difference_bdf2(0.01, lab->history.h_old)};
    for (int k = 0; k < 3; k++) {
      sup_potential_begin(&lab->potential, &lab->history, &steps[k]);
      worst_gradient = fmax(worst_gradient, gradient_error(lab, &loads));
      worst_matrix = fmax(worst_matrix, matrix_error(lab, &loads));
    }
    lab_free(lab);
  }
  print_message("the potential: gradient %.1e, second derivative %.1e from differences\n",
                worst_gradient, worst_matrix);
  assert_true(worst_gradient < 1e-7 && worst_matrix < 1e-7);
}

/* The potential and its gradient at lab->x of a step that a new potential begins. */
static double fresh_value(Lab *lab, const SupDifference *step, SupVec3d *out_gradient) {
  SupPotential fresh;
  const SupPotentialLoads loads = {0};
  assert_true(sup_potential_create(&lab->arena, &lab->body, &fresh));
  sup_potential_begin(&fresh, &lab->history, step);
  double value = sup_potential_evaluate(&fresh, &loads, lab->x, SUP_HESSIAN_NONE);
  memcpy(out_gradient, fresh.gradient, lab->body.mesh.node_count * sizeof *out_gradient);
  return value;
}

/* What a potential remembers of the steps before is what it would compute: through steps of all
 * kinds, steps that are tried twice, and after the body was placed anew. */
static void the_past_is_remembered_rightly(void **state) {
  (void)state;
  Lab *lab = lab_create(&flesh, true);
  lab_fold(lab);
  const SupPotentialLoads loads = {0};
  const uint32_t nodes = lab->body.mesh.node_count;
  SupVec3d *expected = SUP_ALLOC(&lab->arena, SupVec3d, nodes);
  SupRng rng = sup_rng(8, 1);
  for (int i = 0; i < 24; i++) {
    SupDifference step = i % 7 == 3 ? sup_difference_static()
                         : i % 3    ? sup_difference_bdf2(0.01, lab->history.h_old)
                                    : sup_difference_euler(0.004);
    if (i % 4 == 1) { /* a step that is given up */
      const SupDifference longer = sup_difference_euler(0.02);
      sup_potential_begin(&lab->potential, &lab->history, &longer);
    }
    double value = fresh_value(lab, &step, expected);
    sup_potential_begin(&lab->potential, &lab->history, &step);
    assert_true(sup_potential_evaluate(&lab->potential, &loads, lab->x, SUP_HESSIAN_NONE) == value);
    assert_memory_equal(lab->potential.gradient, expected, nodes * sizeof *expected);
    if (i % 11 == 10)
      sup_history_place(&lab->history, lab->x, NULL);
    else
      sup_history_advance(&lab->history, &step, lab->x);
    for (uint32_t n = 0; n < nodes; n++) lab->x[n] = sup_vec3d_add(lab->x[n], noise(&rng, 0.01));
  }
  lab_free(lab);
}

/* A body that turns as it is, bent and stretched: not damped, whatever the damping. */
static void turning_is_not_damped(void **state) {
  (void)state;
  SupMaterialDef material = flesh;
  material.drag = 0;
  double gap = 0, size = 0;
  const uint32_t nodes = 27;
  SupVec3d gradient[27];
  for (int damped = 0; damped < 2; damped++) {
    material.damping = damped * 2.0;
    Lab *lab = lab_create(&material, false);
    lab_fold(lab);
    assert_int_equal(lab->body.mesh.node_count, nodes);
    SupVec3d *shape = SUP_COPY(&lab->arena, SupVec3d, lab->x, nodes);
    sup_history_place(&lab->history, shape, NULL);
    SupDifference step = sup_difference_euler(0.01);
    for (int i = 1; i <= 3; i++) {
      const double half = 0.1 * i; /* 20 rad/s */
      const SupMat3d turn = sup_mat3d_from_quat((SupQuatd){0, 0, sin(half), cos(half)});
      for (uint32_t n = 0; n < nodes; n++) lab->x[n] = sup_mat3d_mul_vec3(turn, shape[n]);
      if (i < 3) sup_history_advance(&lab->history, &step, lab->x);
      step = sup_difference_bdf2(0.01, lab->history.h_old);
    }
    sup_potential_begin(&lab->potential, &lab->history, &step);
    const SupPotentialLoads loads = {0};
    sup_potential_evaluate(&lab->potential, &loads, lab->x, SUP_HESSIAN_NONE);
    for (uint32_t n = 0; n < nodes; n++) {
      if (damped) gap = fmax(gap, sup_vec3d_distance(gradient[n], lab->potential.gradient[n]));
      size = fmax(size, sup_vec3d_length(lab->potential.gradient[n]));
      gradient[n] = lab->potential.gradient[n];
    }
    lab_free(lab);
  }
  print_message("a bent body that turns at 20 rad/s: damped by %.1e of its forces\n", gap / size);
  assert_true(gap < 1e-9 * size);
}

/* Where a body is that falls without turning, t seconds after it was thrown. */
static void thrown(const Lab *lab, SupVec3d gravity, double t, SupVec3d *out_x, SupVec3d *out_v) {
  const SupVec3d start = {1, 2, -3};
  for (uint32_t n = 0; n < lab->body.mesh.node_count; n++) {
    SupVec3d moved = sup_vec3d_add_scaled(lab->box.nodes[n], start, t);
    out_x[n] = sup_vec3d_add_scaled(moved, gravity, 0.5 * t * t);
    if (out_v) out_v[n] = sup_vec3d_add_scaled(start, gravity, t);
  }
}

/* BDF2 is exact for a parabola, also where steps differ: the free fall has no gradient, and the
 * velocity that follows is the true one. Half a millimetre beside it there is one. */
static void free_fall_minimises_bdf2(void **state) {
  (void)state;
  SupMaterialDef material = flesh;
  material.drag = material.damping = 0;
  Lab *lab = lab_create(&material, false);
  const SupVec3d gravity = {0.5, -9.81, 1};
  const SupPotentialLoads loads = {.gravity = gravity};
  const double h_old = 0.02, h = 0.03;
  thrown(lab, gravity, 0, lab->history.x_old, lab->history.v_old);
  thrown(lab, gravity, h_old, lab->history.x, lab->history.v);
  lab->history.h_old = h_old;
  SupDifference step = sup_difference_bdf2(h, h_old);
  sup_potential_begin(&lab->potential, &lab->history, &step);
  thrown(lab, gravity, h_old + h, lab->x, NULL);
  for (int aside = 0; aside < 2; aside++) {
    for (uint32_t n = 0; n < lab->body.mesh.node_count; n++) lab->x[n].y += 5e-4 * aside;
    sup_potential_evaluate(&lab->potential, &loads, lab->x, SUP_HESSIAN_NONE);
    for (uint32_t n = 0; n < lab->body.mesh.node_count; n++) {
      double weight = lab->body.masses[n] * 9.81;
      double force = sup_vec3d_length(lab->potential.gradient[n]);
      assert_true(aside ? force > 0.1 * weight : force < 1e-9 * weight);
    }
  }
  thrown(lab, gravity, h_old + h, lab->x, lab->force);
  sup_history_advance(&lab->history, &step, lab->x);
  for (uint32_t n = 0; n < lab->body.mesh.node_count; n++) {
    assert_true(sup_vec3d_distance(lab->history.v[n], lab->force[n]) < 1e-12);
  }
  assert_true(lab->history.h_old == h);
  lab_free(lab);
}

/* Projection takes away what is negative and nothing else: along no direction is the projected
 * form below the exact one or below zero, and in flesh pressed flat it is above. */
static void projection_only_adds(void **state) {
  (void)state;
  Lab *lab = lab_create(&flesh, true);
  lab_fold(lab);
  for (uint32_t n = 0; n < lab->body.mesh.node_count; n++) lab->x[n].x *= 0.4;
  const SupPotentialLoads loads = {0};
  const SupDifference step = sup_difference_static();
  const uint32_t size = 3 * lab->body.free_count;
  double *d = SUP_ALLOC(&lab->arena, double, size), *product = SUP_ALLOC(&lab->arena, double, size);
  sup_potential_begin(&lab->potential, &lab->history, &step);
  double forms[2][20] = {{0}}, most = 0;
  for (int projected = 0; projected < 2; projected++) {
    sup_potential_evaluate(&lab->potential, &loads, lab->x,
                           projected ? SUP_HESSIAN_PROJECTED : SUP_HESSIAN_EXACT);
    sup_potential_assemble(&lab->potential);
    SupRng rng = sup_rng(9, 9);
    for (int i = 0; i < 20; i++) {
      for (uint32_t k = 0; k < size; k++) d[k] = sup_rng_double(&rng) - 0.5;
      times_matrix(&lab->body.matrix, d, product);
      for (uint32_t k = 0; k < size; k++) forms[projected][i] += d[k] * product[k];
    }
  }
  for (int i = 0; i < 20; i++) {
    assert_true(forms[1][i] > 0 && forms[1][i] >= forms[0][i] * (1 - 1e-12));
    most = fmax(most, forms[1][i] / forms[0][i]);
  }
  print_message("projected: up to %.3f of the exact form\n", most);
  assert_true(most > 1.001);
  lab_free(lab);
}

/* What is not seen goes with the nodes that are given: a free node at its border has the mass of
 * what is seen around it, and nothing is lost. */
static void unseen_flesh_is_carried(void **state) {
  (void)state;
  SupArena arena;
  SupElastic body;
  SupError error;
  uint32_t border = 0;
  double all = 0;
  Box box = box_create((int[3]){4, 2, 2}, (double[3]){2, 1, 1});
  const uint32_t nodes = box.mesh.node_count, tets = box.mesh.tet_count;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  uint8_t *unseen = SUP_ALLOC(&arena, uint8_t, tets);
  double *seen = SUP_ALLOC(&arena, double, nodes);
  assert_true(unseen && seen);
  for (uint32_t n = 0; n < nodes; n++) box.prescribed[n] = box.nodes[n].x < 1;
  for (uint32_t t = 0; t < tets; t++) {
    const uint32_t *n = &box.tets[4 * (size_t)t];
    SupVec3d e[3];
    for (int a = 0; a < 4; a++) unseen[t] |= box.nodes[n[a]].x < 1;
    for (int a = 0; a < 3; a++) e[a] = sup_vec3d_sub(box.nodes[n[a + 1]], box.nodes[n[0]]);
    const double volume = sup_vec3d_dot(e[0], sup_vec3d_cross(e[1], e[2])) / 6;
    for (int a = 0; a < 4 && !unseen[t]; a++) seen[n[a]] += flesh.density * volume / 4;
  }
  const SupElasticDef def = {.mesh = box.mesh,
                             .materials = &flesh,
                             .material_count = 1,
                             .prescribed = box.prescribed,
                             .unseen = unseen};
  assert_int_equal(sup_elastic_create(&arena, &def, &body, &error), SUP_OK);
  for (uint32_t n = 0; n < nodes; n++) {
    all += body.masses[n];
    if (box.prescribed[n]) continue;
    border += box.nodes[n].x == 1;
    assert_true(fabs(body.masses[n] - seen[n]) < 1e-9);
    assert_true(fabs(body.drags[n] - flesh.drag * seen[n]) < 1e-9);
  }
  assert_true(border > 0 && fabs(all + body.carried - 2 * flesh.density) < 1e-9);
  sup_arena_free(&arena);
  box_free(&box);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_are_exact), cmocka_unit_test(the_past_is_remembered_rightly),
      cmocka_unit_test(turning_is_not_damped), cmocka_unit_test(free_fall_minimises_bdf2),
      cmocka_unit_test(projection_only_adds),  cmocka_unit_test(unseen_flesh_is_carried),
  };
  return cmocka_run_group_tests_name("potential", tests, NULL, NULL);
}
