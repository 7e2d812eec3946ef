/* SPDX-License-Identifier: MIT */
/* Implicit steps of an elastic body against closed forms and conservation laws. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lab.h"
#include "supple/io/pool.h"

static const SupMaterialDef flesh = {SUP_MATERIAL_NEO_HOOKEAN, 1e4, 0.4, 1000, 0, 0, 0};

static Box unit_box(int cells) {
  return box_create((int[3]){cells, cells, cells}, (double[3]){1, 1, 1});
}

/* HAHN-T5: one free node on the axis of one tetrahedron is a linear spring under corotation. */
static void hahn_t5_spring_follows_implicit_euler(void **state) {
  (void)state;
  Box box = box_create((int[3]){1, 1, 1}, (double[3]){1, 1, 1});
  box.mesh.node_count = 4;
  box.mesh.tet_count = 1;
  const SupVec3d corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  memcpy(box.nodes, corners, sizeof corners);
  for (uint32_t n = 0; n < 4; n++) box.tets[n] = n;
  box.prescribed[0] = box.prescribed[2] = box.prescribed[3] = 1;
  const SupMaterialDef linear = {SUP_MATERIAL_COROTATIONAL, 1e4, 0.3, 1000, 0, 0, 0};
  Lab *lab = lab_of(box, linear, NULL);
  SupLaw law = sup_law(&linear);
  double stiffness = (2 * law.mu + law.lambda) / 6, mass = 1000.0 / 24, h = 0.01;
  double omega_square = stiffness / mass;
  SupVec3d x[4];
  memcpy(x, corners, sizeof x);
  x[1].x = 1.2;
  sup_stepper_place(lab->stepper, x, NULL);
  double u = 0.2, v = 0;
  for (int i = 0; i < 200; i++) {
    lab_step(lab, (SupStepDef){.integrator = SUP_INTEGRATE_EULER, .h = h});
    double next = (u + h * v) / (1 + h * h * omega_square);
    v = (next - u) / h;
    u = next;
    SupVec3d now = sup_stepper_positions(lab->stepper)[1];
    assert_true(fabs(now.x - 1 - u) < 1e-10 * 0.2 && fabs(now.y) < 1e-12 && fabs(now.z) < 1e-12);
    /* z = 1 / (1 +- i omega h): every step shrinks the pair (omega u, v) by |z|. */
  }
  double size = sqrt(omega_square * u * u + v * v), start = sqrt(omega_square) * 0.2;
  double expected = pow(1 + h * h * omega_square, -0.5 * 200);
  assert_true(fabs(size / start / expected - 1) < 1e-10);
  lab_free(lab);
}

static void throw_body(Lab *lab, double speed) {
  SupRng rng = sup_rng(5, 2);
  uint32_t nodes = lab->box.mesh.node_count;
  SupVec3d *v = calloc(nodes, sizeof *v);
  assert_non_null(v);
  for (uint32_t n = 0; n < nodes; n++) {
    SupVec3d p = lab->box.nodes[n];
    if (lab->box.prescribed[n]) continue;
    v[n] = (SupVec3d){speed * (1 - p.y + 0.3 * sup_rng_double(&rng)),
                      speed * (p.x + 0.3 * sup_rng_double(&rng)),
                      speed * (0.2 * p.z + 0.3 * sup_rng_double(&rng))};
  }
  sup_stepper_place(lab->stepper, lab->box.nodes, v);
  free(v);
}

static void momentum_of(const Lab *lab, double linear[3], double angular[3]) {
  const SupVec3d *x = sup_stepper_positions(lab->stepper);
  const SupVec3d *v = sup_stepper_velocities(lab->stepper);
  for (int a = 0; a < 3; a++) linear[a] = angular[a] = 0;
  for (uint32_t n = 0; n < lab->box.mesh.node_count; n++) {
    double m = lab->body.masses[n];
    linear[0] += m * v[n].x;
    linear[1] += m * v[n].y;
    linear[2] += m * v[n].z;
    angular[0] += m * (x[n].y * v[n].z - x[n].z * v[n].y);
    angular[1] += m * (x[n].z * v[n].x - x[n].x * v[n].z);
    angular[2] += m * (x[n].x * v[n].y - x[n].y * v[n].x);
  }
}

/* Fraction of the angular momentum lost in 0.2 s of free flight with steps of h. */
static double angular_loss(SupIntegrator integrator, double h) {
  Lab *lab = lab_of(unit_box(2), flesh, NULL);
  throw_body(lab, 0.5);
  double linear[3], angular[3], linear_now[3], angular_now[3];
  momentum_of(lab, linear, angular);
  int steps = (int)lround(0.2 / h);
  for (int i = 0; i < steps; i++) lab_step(lab, (SupStepDef){.integrator = integrator, .h = h});
  momentum_of(lab, linear_now, angular_now);
  double loss = 0, size = 0;
  for (int a = 0; a < 3; a++) {
    assert_true(fabs(linear_now[a] - linear[a]) < 1e-9 * (fabs(linear[0]) + fabs(linear[1])));
    loss += (angular_now[a] - angular[a]) * (angular_now[a] - angular[a]);
    size += angular[a] * angular[a];
  }
  lab_free(lab);
  return sqrt(loss / size);
}

static void free_flight_keeps_momentum(void **state) {
  (void)state;
  static const struct {
    SupIntegrator integrator;
    double order;
    const char *name;
  } cases[] = {{SUP_INTEGRATE_EULER, 1, "Euler"}, {SUP_INTEGRATE_BDF2, 2, "BDF2"}};
  for (int c = 0; c < 2; c++) {
    double loss[3];
    for (int k = 0; k < 3; k++) loss[k] = angular_loss(cases[c].integrator, 0.004 / (1 << k));
    double order = log2(loss[1] / loss[2]);
    print_message("%s: angular momentum lost %.2e %.2e %.2e, order %.2f\n", cases[c].name, loss[0],
                  loss[1], loss[2], order);
    assert_true(order > cases[c].order - 0.25);
  }
}

static void energy_never_grows_with_euler(void **state) {
  (void)state;
  for (int damped = 0; damped < 2; damped++) {
    Box box = unit_box(3);
    for (uint32_t n = 0; n < box.mesh.node_count; n++) box.prescribed[n] = box.nodes[n].x == 0;
    SupMaterialDef linear = {SUP_MATERIAL_COROTATIONAL, 1e4, 0.3, 1000, damped * 0.01, damped, 0};
    Lab *lab = lab_of(box, linear, NULL);
    throw_body(lab, 0.1);
    double before = INFINITY;
    for (int i = 0; i < 150; i++) {
      SupStepReport report =
          lab_step(lab, (SupStepDef){.integrator = SUP_INTEGRATE_EULER, .h = 0.01});
      assert_true(report.elastic + report.kinetic <= before * (1 + 1e-9));
      before = report.elastic + report.kinetic;
    }
    lab_free(lab);
  }
}

static void patch_test(void **state) {
  (void)state;
  Box box = unit_box(3);
  for (uint32_t n = 0; n < box.mesh.node_count; n++) {
    SupVec3d p = box.nodes[n];
    box.prescribed[n] = p.x == 0 || p.x == 1 || p.y == 0 || p.y == 1 || p.z == 0 || p.z == 1;
    if (!box.prescribed[n]) { /* irregular inside */
      box.nodes[n].x += 0.03 * (n % 3);
      box.nodes[n].y -= 0.04 * (n % 2);
    }
  }
  for (int kind = 0; kind < 3; kind++) {
    SupMaterialDef material = flesh;
    material.kind = (SupMaterialKind)kind;
    Box copy = unit_box(3);
    memcpy(copy.nodes, box.nodes, box.mesh.node_count * sizeof *box.nodes);
    memcpy(copy.prescribed, box.prescribed, box.mesh.node_count);
    Lab *lab = lab_of(copy, material, NULL);
    SupVec3d target[64];
    for (uint32_t n = 0; n < 64; n++) {
      SupVec3d p = box.nodes[n];
      target[n] =
          (SupVec3d){1.1 * p.x + 0.2 * p.y + 3, 0.9 * p.y - 0.1 * p.z, 0.3 * p.x + 1.05 * p.z};
    }
    lab_step(lab, (SupStepDef){.integrator = SUP_INTEGRATE_STATIC, .prescribed = target});
    const SupVec3d *x = sup_stepper_positions(lab->stepper);
    for (uint32_t n = 0; n < 64; n++) {
      assert_true(fabs(x[n].x - target[n].x) < 1e-10 && fabs(x[n].y - target[n].y) < 1e-10 &&
                  fabs(x[n].z - target[n].z) < 1e-10);
    }
    lab_free(lab);
  }
  box_free(&box);
}

static void rigid_boundary_motion_is_followed_exactly(void **state) {
  (void)state;
  Box box = unit_box(2);
  for (uint32_t n = 0; n < box.mesh.node_count; n++) box.prescribed[n] = box.nodes[n].y == 0;
  Lab *lab = lab_of(box, flesh, NULL);
  SupVec3d target[27], velocity[27];
  for (uint32_t n = 0; n < 27; n++) velocity[n] = (SupVec3d){0.3, -0.2, 0.1};
  sup_stepper_place(lab->stepper, box.nodes, velocity);
  for (int i = 1; i <= 50; i++) {
    for (uint32_t n = 0; n < 27; n++) {
      target[n] = (SupVec3d){box.nodes[n].x + 0.003 * i, box.nodes[n].y - 0.002 * i,
                             box.nodes[n].z + 0.001 * i};
    }
    lab_step(lab, (SupStepDef){.integrator = SUP_INTEGRATE_BDF2, .h = 0.01, .prescribed = target});
    const SupVec3d *x = sup_stepper_positions(lab->stepper);
    for (uint32_t n = 0; n < 27; n++) assert_true(fabs(x[n].x - target[n].x) < 1e-9);
  }
  lab_free(lab);
}

static void inverted_elements_recover(void **state) {
  (void)state;
  for (int kind = 1; kind < 3; kind++) { /* StVK needs help from the boundary, neo-Hookean none */
    Box box = unit_box(3);
    for (uint32_t n = 0; n < box.mesh.node_count; n++) {
      box.prescribed[n] =
          kind == 1 ? box.nodes[n].x == 0 || box.nodes[n].x == 1 : box.nodes[n].x == 0;
    }
    SupMaterialDef material = flesh;
    material.kind = (SupMaterialKind)kind;
    Lab *lab = lab_of(box, material, NULL);
    SupVec3d x[64];
    SupRng rng = sup_rng(9, 9);
    for (uint32_t n = 0; n < 64; n++) {
      x[n] = box.nodes[n];
      double spread = kind == 1 ? 0.6 : 1;
      if (box.prescribed[n]) continue;
      x[n].x += spread * (sup_rng_double(&rng) - 0.5);
      x[n].y += spread * (sup_rng_double(&rng) - 0.5);
      x[n].z += spread * (sup_rng_double(&rng) - 0.5);
    }
    sup_stepper_place(lab->stepper, x, NULL);
    assert_true(sup_elastic_worst(&lab->body, x, NULL, NULL) < 0);
    lab_step(lab, (SupStepDef){.integrator = SUP_INTEGRATE_STATIC, .iteration_max = 300});
    assert_true(sup_elastic_worst(&lab->body, sup_stepper_positions(lab->stepper), NULL, NULL) >
                0.99);
    lab_free(lab);
  }
}

/* A box is turned inside out around its middle: what is guarded refuses to follow. */
static void guarded_steps_do_not_turn_elements(void **state) {
  (void)state;
  for (int guarded = 0; guarded < 2; guarded++) {
    Box box = unit_box(2);
    for (uint32_t n = 0; n < box.mesh.node_count; n++) {
      box.prescribed[n] = box.nodes[n].x != 0.5 || box.nodes[n].y != 0.5 || box.nodes[n].z != 0.5;
    }
    Lab *lab = lab_of(box, flesh, NULL);
    SupVec3d outside[27];
    for (uint32_t n = 0; n < 27; n++) {
      outside[n] = box.nodes[n];
      outside[n].x *= -1;
    }
    SupStepDef def = {.integrator = SUP_INTEGRATE_STATIC,
                      .iteration_max = 300,
                      .prescribed = outside,
                      .farthest = 1,
                      .tolerance = 1e-6,
                      .guarded = guarded};
    SupStepReport report;
    SupError error;
    assert_int_equal(sup_stepper_step(lab->stepper, &def, &report, &error), SUP_OK);
    const SupVec3d *x = sup_stepper_positions(lab->stepper);
    double worst = sup_elastic_worst(&lab->body, x, NULL, NULL);
    if (guarded)
      assert_true(!report.converged && worst == 1);
    else
      assert_true(report.converged && worst < 0);
    lab_free(lab);
  }
}

/* Flesh between two plates that close to an eighth of their distance: with the projected stiffness
 * alone Newton approaches its place slowly. */
static void crushed_flesh_needs_few_newton_steps(void **state) {
  (void)state;
  Box box = unit_box(4);
  SupVec3d target[125];
  for (uint32_t n = 0; n < box.mesh.node_count; n++) {
    box.prescribed[n] = box.nodes[n].y == 0 || box.nodes[n].y == 1;
  }
  SupMaterialDef material = flesh;
  material.poisson = 0.45;
  Lab *lab = lab_of(box, material, NULL);
  uint32_t iterations = 0;
  for (int i = 1; i <= 30; i++) {
    for (uint32_t n = 0; n < 125; n++) {
      target[n] = box.nodes[n];
      target[n].y *= 1 - 0.88 * i / 30;
    }
    iterations += lab_step(lab, (SupStepDef){.integrator = SUP_INTEGRATE_BDF2,
                                             .h = 1.0 / 120,
                                             .prescribed = target,
                                             .tolerance = 1e-7})
                      .iterations;
  }
  print_message("a cube crushed to an eighth of its height in 30 steps: %u Newton steps\n",
                iterations);
  assert_true(iterations < 130);
  lab_free(lab);
}

static double distance(SupVec3d p, SupVec3d q) {
  return sqrt((p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y) + (p.z - q.z) * (p.z - q.z));
}

static void muscles_shorten_along_their_fibres(void **state) {
  (void)state;
  Box box = unit_box(2);
  SupError error;
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  SupVec3d *fibres = SUP_ALLOC(&arena, SupVec3d, box.mesh.tet_count);
  for (uint32_t t = 0; t < box.mesh.tet_count; t++) fibres[t] = (SupVec3d){1, 0, 0};
  for (uint32_t n = 0; n < box.mesh.node_count; n++) box.prescribed[n] = n == 0;
  SupElasticDef def = {.mesh = box.mesh,
                       .materials = &flesh,
                       .material_count = 1,
                       .prescribed = box.prescribed,
                       .fibres = fibres};
  SupElastic body;
  SupStepper *stepper;
  assert_int_equal(sup_elastic_create(&arena, &def, &body, &error), SUP_OK);
  assert_int_equal(sup_stepper_create(&arena, &body, &stepper, &error), SUP_OK);
  for (uint32_t t = 0; t < box.mesh.tet_count; t++) body.tension[t] = 2000;
  SupStepDef step = {
      .integrator = SUP_INTEGRATE_STATIC, .farthest = 10, .tolerance = 1e-9, .iteration_max = 100};
  SupStepReport report;
  assert_int_equal(sup_stepper_step(stepper, &step, &report, &error), SUP_OK);
  assert_true(report.converged);
  /* Homogeneous: F = diag(a, b, b) up to a rotation, with w + T/2 a^2 stationary. */
  const SupVec3d *x = sup_stepper_positions(stepper);
  double a = distance(x[box_node((int[3]){2, 2, 2}, 2, 0, 0)], x[0]);
  double b = distance(x[box_node((int[3]){2, 2, 2}, 0, 2, 0)], x[0]);
  SupLaw law = sup_law(&flesh);
  SupMat3d F = {{a, 0, 0, 0, b, 0, 0, 0, b}}, P;
  SupSvdd svd = sup_mat3d_svd(F);
  sup_law_stress(&law, &svd, &P);
  assert_true(a < 0.95 && b > 1.01);
  assert_true(fabs(P.m[0] + 2000 * a) < 1e-3 && fabs(P.m[4]) < 1e-3);
  sup_stepper_free(stepper);
  sup_arena_free(&arena);
  box_free(&box);
}

static void threads_do_not_change_a_bit(void **state) {
  (void)state;
  SupVec3d expected[125];
  for (uint32_t threads = 0; threads <= 3; threads++) {
    SupPool *pool = threads ? sup_pool_create(sup_heap_allocator(), threads) : NULL;
    SupJobs jobs = {0};
    if (pool) jobs = sup_pool_jobs(pool);
    Box box = unit_box(4);
    for (uint32_t n = 0; n < box.mesh.node_count; n++) box.prescribed[n] = box.nodes[n].x == 0;
    SupMaterialDef material = flesh;
    material.damping = 0.003;
    Lab *lab = lab_of(box, material, &jobs);
    throw_body(lab, 0.4);
    for (int i = 0; i < 5; i++) {
      lab_step(lab,
               (SupStepDef){
                   .integrator = SUP_INTEGRATE_BDF2, .h = 0.005, .loads.gravity = {0, -9.8, 0}});
    }
    const SupVec3d *x = sup_stepper_positions(lab->stepper);
    if (threads == 0)
      memcpy(expected, x, sizeof expected);
    else
      assert_memory_equal(expected, x, sizeof expected);
    lab_free(lab);
    sup_pool_destroy(pool);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hahn_t5_spring_follows_implicit_euler),
      cmocka_unit_test(free_flight_keeps_momentum),
      cmocka_unit_test(energy_never_grows_with_euler),
      cmocka_unit_test(patch_test),
      cmocka_unit_test(rigid_boundary_motion_is_followed_exactly),
      cmocka_unit_test(inverted_elements_recover),
      cmocka_unit_test(guarded_steps_do_not_turn_elements),
      cmocka_unit_test(crushed_flesh_needs_few_newton_steps),
      cmocka_unit_test(muscles_shorten_along_their_fibres),
      cmocka_unit_test(threads_do_not_change_a_bit),
  };
  return cmocka_run_group_tests_name("stepper", tests, NULL, NULL);
}
