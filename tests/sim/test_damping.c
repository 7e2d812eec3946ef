/* SPDX-License-Identifier: MIT */
/* Damping of an elastic body: what it resists, by how much, and what it leaves alone. */
#include <math.h>
#include <string.h>

#include "lab.h"

/* Newton is given time: damping is to be exact here. */
static SupStepReport step(Lab *lab, SupStepDef def) {
  def.tolerance = 1e-9;
  def.iteration_max = 200;
  return lab_step(lab, def);
}

/* A bar of 40 cm around the origin. */
static Box bar(void) {
  Box box = box_create((int[3]){4, 2, 2}, (double[3]){0.4, 0.1, 0.1});
  for (uint32_t n = 0; n < box.mesh.node_count; n++) {
    box.nodes[n] = sup_vec3d_sub(box.nodes[n], (SupVec3d){0.2, 0.05, 0.05});
  }
  return box;
}

/* ---- Rotation ------------------------------------------------------------------------------- */

#define NODES 45
#define SPIN 8.0 /* rad/s */

/* The shape in which the bar turns about z for ever, stretched by its own inertia: where it comes
 * to rest, in a frame that turns along, under that load and in treacle. */
static void spinning_shape(const SupMaterialDef *material, SupVec3d out_x[NODES]) {
  SupMaterialDef slow = *material;
  slow.damping = 0;
  slow.drag = 20;
  Lab *lab = lab_of(bar(), slow, NULL);
  SupVec3d force[NODES];
  memcpy(out_x, lab->box.nodes, NODES * sizeof *out_x);
  for (int i = 0; i < 400; i++) {
    for (uint32_t n = 0; n < NODES; n++) {
      const double pull = lab->body.masses[n] * SPIN * SPIN;
      force[n] = (SupVec3d){pull * out_x[n].x, pull * out_x[n].y, 0};
    }
    step(lab, (SupStepDef){.integrator = SUP_INTEGRATE_EULER, .h = 0.02, .loads.force = force});
    memcpy(out_x, sup_stepper_positions(lab->stepper), NODES * sizeof *out_x);
  }
  lab_free(lab);
}

/* The energy that a second of turning leaves, as a fraction of that at the start. */
static double energy_left(const SupMaterialDef *material, SupIntegrator integrator,
                          const SupVec3d x[NODES], int steps) {
  Lab *lab = lab_of(bar(), *material, NULL);
  SupVec3d v[NODES];
  double start = sup_elastic_energy(&lab->body, x, NULL, NULL);
  for (uint32_t n = 0; n < NODES; n++) {
    v[n] = (SupVec3d){-SPIN * x[n].y, SPIN * x[n].x, 0};
    start += 0.5 * lab->body.masses[n] * sup_vec3d_dot(v[n], v[n]);
  }
  sup_stepper_place(lab->stepper, x, v);
  SupStepReport report = {0};
  for (int i = 0; i < steps; i++) {
    report = step(lab, (SupStepDef){.integrator = integrator, .h = 1.0 / steps});
  }
  lab_free(lab);
  return (report.elastic + report.kinetic) / start;
}

/* What an undamped body loses is the integrator's; damping adds nothing to that. */
static void a_turning_body_is_not_braked(void **state) {
  (void)state;
  static const char *const names[] = {"corotational", "stvk", "neo-hookean"};
  bool good = true;
  for (int kind = 0; kind < 3; kind++) {
    SupMaterialDef material = {(SupMaterialKind)kind, 1e4, 0.4, 1000, 0.05, 0, 0};
    SupMaterialDef undamped = material;
    undamped.damping = 0;
    SupVec3d x[NODES];
    spinning_shape(&material, x);
    assert_true(x[4].x - x[0].x > 0.41); /* it is stretched, so that it has a shape to keep */
    for (int k = 0; k < 2; k++) {
      const SupIntegrator integrator = k ? SUP_INTEGRATE_BDF2 : SUP_INTEGRATE_EULER;
      const double reference = 1 - energy_left(&undamped, integrator, x, 120);
      const double loss = 1 - energy_left(&material, integrator, x, 120);
      print_message("%s, %s: a second of turning costs %.3e of the energy, undamped %.3e\n",
                    names[kind], k ? "BDF2" : "Euler", loss, reference);
      good &= fabs(loss - reference) < 0.05 * fabs(reference);
    }
  }
  assert_true(good);
}

/* ---- A fast twist --------------------------------------------------------------------------- */

/* A bar whose one end turns to and fro about the z axis, 7.5 rad/s at most, in `steps` steps. */
static void twist(double damping, int steps, SupVec3d out_x[NODES]) {
  const double pi = acos(-1.0), end = 0.4;
  Box box = bar();
  for (uint32_t n = 0; n < NODES; n++) {
    box.nodes[n].x += 0.25;
    box.prescribed[n] = box.nodes[n].x < 0.06;
  }
  Lab *lab =
      lab_of(box, (SupMaterialDef){SUP_MATERIAL_NEO_HOOKEAN, 6e4, 0.45, 1000, damping, 0, 0}, NULL);
  SupVec3d target[NODES];
  for (int i = 1; i <= steps; i++) {
    const double angle = 0.6 * (1 - cos(2 * pi * i / steps * end / 0.5));
    const double c = cos(angle), s = sin(angle);
    for (uint32_t n = 0; n < NODES; n++) {
      SupVec3d p = box.nodes[n];
      target[n] = (SupVec3d){c * p.x - s * p.y, s * p.x + c * p.y, p.z};
    }
    step(lab,
         (SupStepDef){.integrator = SUP_INTEGRATE_BDF2, .h = end / steps, .prescribed = target});
  }
  memcpy(out_x, sup_stepper_positions(lab->stepper), NODES * sizeof *out_x);
  lab_free(lab);
}

static double apart(const SupVec3d *a, const SupVec3d *b) {
  double sum = 0;
  for (uint32_t n = 0; n < NODES; n++) {
    const SupVec3d d = sup_vec3d_sub(a[n], b[n]);
    sum += sup_vec3d_dot(d, d);
  }
  return sqrt(sum / NODES);
}

static void a_fast_twist_converges_with_the_order_of_bdf2(void **state) {
  (void)state;
  for (int damped = 0; damped < 2; damped++) {
    SupVec3d x[4][NODES];
    for (int k = 0; k < 4; k++) twist(damped * 0.01, 48 << k, x[k]);
    const double gap[3] = {apart(x[0], x[1]), apart(x[1], x[2]), apart(x[2], x[3])};
    const double order = log2(gap[1] / gap[2]);
    print_message(
        "damping %g s: halving steps of 1/120 s moves nodes by %.2e, %.2e, %.2e m: "
        "order %.2f\n",
        damped * 0.01, gap[0], gap[1], gap[2], order);
    assert_true(order > 1.75);
  }
}

/* ---- How much ------------------------------------------------------------------------------- */

/* One tetrahedron with one free corner, turned as a whole: two springs, along x and across. */
static Lab *spring(const SupMaterialDef *material, const SupMat3d *turn, SupVec3d out_rest[4]) {
  Box box = box_create((int[3]){1, 1, 1}, (double[3]){1, 1, 1});
  const SupVec3d corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  box.mesh.node_count = 4;
  box.mesh.tet_count = 1;
  for (uint32_t n = 0; n < 4; n++) {
    box.tets[n] = n;
    box.nodes[n] = out_rest[n] = sup_mat3d_mul_vec3(*turn, corners[n]);
    box.prescribed[n] = n != 1;
  }
  return lab_of(box, *material, NULL);
}

/* The damping ratio of the free corner's motion along an axis, from its decay over ten periods. */
static double ratio_along(const SupMaterialDef *material, SupVec3d axis, double omega) {
  const SupMat3d turn = sup_mat3d_from_quat(sup_quatd_normalise((SupQuatd){0.3, -0.5, 0.2, 0.7}));
  const double pi = acos(-1.0), h = 2 * pi / omega / 400;
  SupVec3d x[4], along = sup_mat3d_mul_vec3(turn, axis);
  Lab *lab = spring(material, &turn, x);
  const SupVec3d rest = x[1];
  x[1] = sup_vec3d_add_scaled(rest, along, 1e-3);
  sup_stepper_place(lab->stepper, x, NULL);
  double size[2] = {0};
  for (int i = 0; i < 4000; i++) {
    step(lab, (SupStepDef){.integrator = SUP_INTEGRATE_BDF2, .h = h});
    const SupVec3d u = sup_vec3d_sub(sup_stepper_positions(lab->stepper)[1], rest);
    if (i >= 400 && i < 800) size[0] += sup_vec3d_dot(u, u);
    if (i >= 3600) size[1] += sup_vec3d_dot(u, u);
  }
  lab_free(lab);
  const double decay = 0.5 * log(size[0] / size[1]) / (8 * 2 * pi); /* zeta / sqrt(1 - zeta^2) */
  return decay / sqrt(1 + decay * decay);
}

/* Near rest: damping ratio = damping * omega / 2 + drag / (2 omega), for stretch and for shear. */
static void near_rest_the_ratio_is_what_the_material_says(void **state) {
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    SupMaterialDef material = {(SupMaterialKind)kind, 1e4, 0.3, 1000, 0.005, 0.1, 0.5};
    const double mu = 1e4 / 2.6, lambda = 3e3 / (1.3 * 0.4), mass = 1000.0 / 24;
    for (int shear = 0; shear < 2; shear++) {
      const double omega = sqrt((shear ? mu : 2 * mu + lambda) / 6 / mass);
      const double expected = material.damping * omega / 2 + material.drag / (2 * omega);
      const double found =
          ratio_along(&material, shear ? (SupVec3d){0, 1, 0} : (SupVec3d){1, 0, 0}, omega);
      print_message("%d, %s: damping ratio %.5f, expected %.5f\n", kind,
                    shear ? "shear" : "stretch", found, expected);
      assert_true(fabs(found / expected - 1) < 2e-3);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_turning_body_is_not_braked),
      cmocka_unit_test(a_fast_twist_converges_with_the_order_of_bdf2),
      cmocka_unit_test(near_rest_the_ratio_is_what_the_material_says),
  };
  return cmocka_run_group_tests_name("damping", tests, NULL, NULL);
}
