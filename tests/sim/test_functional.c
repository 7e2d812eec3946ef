/* SPDX-License-Identifier: MIT */
/* What a step minimises, as a whole: exact derivatives, invariance, linear limit; muscles. */
#include <math.h>
#include <string.h>

#include "boxes.h"
#include "sim/loads.h"
#include "sim/stepper.h"
#include "supple/author/builtin.h"
#include "supple/geom/measure.h"
#include "supple/io/file.h"

/* A clamped block with muscles askew, on a table, under load: every term of the functional acts. */
typedef struct Bench {
  SupArena arena;
  Box box;
  SupElastic body;
  SupStepper *stepper;
  SupVec3d *x, *force;
  SupMesh skin;
  SupFill fill;
  SupLoads loads;
  SupStepDef def;
} Bench;

static const SupMaterialDef flesh = {SUP_MATERIAL_NEO_HOOKEAN, 1e4, 0.4, 1000, 0.004, 0.5, 0.5};

/* The box's own nodes are its skin, so that contact is there to be tested. */
static void add_contact(Bench *bench) {
  uint32_t nodes = bench->box.mesh.node_count;
  SupVec3 *positions = SUP_ALLOC(&bench->arena, SupVec3, nodes);
  uint32_t *triangles = SUP_ALLOC(&bench->arena, uint32_t, 3 * (size_t)bench->box.mesh.tet_count);
  for (uint32_t n = 0; n < nodes; n++) positions[n] = sup_vec3d_to_float(bench->box.nodes[n]);
  for (uint32_t t = 0; t < bench->box.mesh.tet_count; t++) {
    memcpy(triangles + 3 * (size_t)t, bench->box.tets + 4 * (size_t)t, 3 * sizeof *triangles);
  }
  bench->skin = (SupMesh){nodes, bench->box.mesh.tet_count, positions, triangles};
  SupFillReport report;
  SupError error;
  assert_int_equal(
      sup_fill_given(&bench->arena, &bench->skin, &bench->box.mesh, &bench->fill, &report, &error),
      SUP_OK);
  static const SupObstacle table = {SUP_OBSTACLE_PLANE, {0, 0.1, 0}, {0.1, 2, 0.3}, 0, {0, 0, 0}};
  SupLoadsDef def = {.forces = {.obstacles = &table, .obstacle_count = 1},
                     .skin = &bench->skin,
                     .fill = &bench->fill,
                     .scale = 1,
                     .stiffness = 3e5};
  assert_int_equal(sup_loads_create(&bench->arena, &def, &bench->loads, &error), SUP_OK);
  assert_true(sup_loads_place_obstacles(&bench->loads, 0, NULL));
}

static Bench *bench_create(SupMaterialKind kind, SupIntegrator integrator) {
  Bench *bench = calloc(1, sizeof *bench);
  assert_non_null(bench);
  SupError error;
  SupRng rng = sup_rng(11, (uint64_t)kind);
  sup_arena_init(&bench->arena, sup_heap_allocator(), 0);
  bench->box = box_create((int[3]){2, 2, 2}, (double[3]){1, 1, 1});
  uint32_t nodes = bench->box.mesh.node_count, tets = bench->box.mesh.tet_count;
  for (uint32_t n = 0; n < nodes; n++) bench->box.prescribed[n] = bench->box.nodes[n].x == 0;
  SupMaterialDef *material = SUP_COPY(&bench->arena, SupMaterialDef, &flesh, 1);
  material->kind = kind;
  SupVec3d *fibres = SUP_ALLOC(&bench->arena, SupVec3d, tets);
  for (uint32_t t = 0; t < tets; t++) fibres[t] = sup_vec3d_normalise(noise(&rng, 1));
  SupElasticDef def = {.mesh = bench->box.mesh,
                       .materials = material,
                       .material_count = 1,
                       .prescribed = bench->box.prescribed,
                       .fibres = fibres};
  assert_int_equal(sup_elastic_create(&bench->arena, &def, &bench->body, &error), SUP_OK);
  assert_int_equal(sup_stepper_create(&bench->arena, &bench->body, &bench->stepper, &error),
                   SUP_OK);
  for (uint32_t t = 0; t < tets; t++) bench->body.tension[t] = 3000 * sup_rng_double(&rng);
  add_contact(bench);
  bench->x = SUP_ALLOC(&bench->arena, SupVec3d, nodes);
  bench->force = SUP_ALLOC(&bench->arena, SupVec3d, nodes);
  SupVec3d *velocity = SUP_ALLOC(&bench->arena, SupVec3d, nodes);
  for (uint32_t n = 0; n < nodes; n++) {
    bench->x[n] = sup_vec3d_add(sup_vec3d_scale(bench->box.nodes[n], 1.15), noise(&rng, 0.04));
    bench->force[n] = noise(&rng, 20);
    velocity[n] = noise(&rng, 1);
  }
  sup_stepper_place(bench->stepper, bench->x, velocity);
  for (uint32_t n = 0; n < nodes; n++) {
    bench->x[n] = sup_vec3d_add(bench->x[n], noise(&rng, 0.02));
  }
  bench->def = (SupStepDef){.integrator = integrator,
                            .h = 0.01,
                            .loads = {.force = bench->force,
                                      .gravity = {0.3, -9.81, 0},
                                      .contact = sup_loads_contact,
                                      .contact_user = &bench->loads}};
  return bench;
}

static void bench_free(Bench *bench) {
  sup_stepper_free(bench->stepper);
  sup_arena_free(&bench->arena);
  box_free(&bench->box);
  free(bench);
}

static double *axis(SupVec3d *v, int a) { return a == 0 ? &v->x : a == 1 ? &v->y : &v->z; }

/* HAHN-T1 for the whole functional: inertia, damping, flesh, muscles, contact, loads. */
static void hahn_t1_functional_has_exact_derivatives(void **state) {
  (void)state;
  double worst_gradient = 0, worst_matrix = 0;
  for (int kind = 0; kind < 3; kind++) {
    for (int integrator = 0; integrator < 3; integrator++) {
      Bench *bench = bench_create((SupMaterialKind)kind, (SupIntegrator)integrator);
      SupElastic *body = &bench->body;
      uint32_t nodes = body->mesh.node_count, size = 3 * body->free_count;
      SupVec3d *gradient = calloc(nodes, sizeof *gradient), *low = calloc(nodes, sizeof *low),
               *high = calloc(nodes, sizeof *high);
      double *d = calloc(size, sizeof *d), *product = calloc(size, sizeof *product);
      assert_true(gradient && low && high && d && product);
      sup_stepper_functional(bench->stepper, &bench->def, bench->x, true, gradient);
      double scale = 0;
      for (uint32_t k = 0; k < size; k++) {
        scale = fmax(scale, fabs(*axis(&gradient[body->free_nodes[k / 3]], (int)(k % 3))));
      }
      SupVec3d *scratch = low;
      for (uint32_t k = 0; k < size; k++) {
        uint32_t n = body->free_nodes[k / 3];
        double *x = axis(&bench->x[n], (int)(k % 3)), at = *x, h = 1e-6;
        *x = at + h;
        double above =
            sup_stepper_functional(bench->stepper, &bench->def, bench->x, false, scratch);
        *x = at - h;
        double below =
            sup_stepper_functional(bench->stepper, &bench->def, bench->x, false, scratch);
        *x = at;
        double expected = (above - below) / (2 * h);
        worst_gradient =
            fmax(worst_gradient, fabs(*axis(&gradient[n], (int)(k % 3)) - expected) / scale);
      }
      SupRng rng = sup_rng(5, 5);
      for (uint32_t k = 0; k < size; k++) d[k] = sup_rng_double(&rng) - 0.5;
      for (int side = -1; side <= 1; side += 2) {
        for (uint32_t k = 0; k < size; k++) {
          *axis(&bench->x[body->free_nodes[k / 3]], (int)(k % 3)) += side * 1e-6 * d[k];
        }
        sup_stepper_functional(bench->stepper, &bench->def, bench->x, false, side < 0 ? low : high);
        for (uint32_t k = 0; k < size; k++) {
          *axis(&bench->x[body->free_nodes[k / 3]], (int)(k % 3)) -= side * 1e-6 * d[k];
        }
      }
      times_matrix(&body->matrix, d, product);
      scale = 0;
      for (uint32_t k = 0; k < size; k++) scale = fmax(scale, fabs(product[k]));
      for (uint32_t k = 0; k < size; k++) {
        uint32_t n = body->free_nodes[k / 3];
        double expected = (*axis(&high[n], (int)(k % 3)) - *axis(&low[n], (int)(k % 3))) / 2e-6;
        worst_matrix = fmax(worst_matrix, fabs(product[k] - expected) / scale);
      }
      free(gradient);
      free(low);
      free(high);
      free(d);
      free(product);
      bench_free(bench);
    }
  }
  print_message("the functional: gradient %.1e, second derivative %.1e from differences\n",
                worst_gradient, worst_matrix);
  assert_true(worst_gradient < 1e-7 && worst_matrix < 1e-7);
}

/* HAHN-T1, second half: a body in no contact and under no load cares for no rigid motion, and its
 * forces have no sum and no torque; muscles are inner forces too. */
static void hahn_t1_rigid_motion_is_free(void **state) {
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    Bench *bench = bench_create((SupMaterialKind)kind, SUP_INTEGRATE_STATIC);
    SupElastic *body = &bench->body;
    uint32_t nodes = body->mesh.node_count;
    SupVec3d *gradient = calloc(nodes, sizeof *gradient), *turned = calloc(nodes, sizeof *turned);
    assert_true(gradient && turned);
    double energy = sup_elastic_energy(body, bench->x, NULL, gradient);
    SupMat3d turn = sup_mat3d_from_quat(sup_quatd_normalise((SupQuatd){0.3, -0.5, 0.2, 0.7}));
    for (uint32_t n = 0; n < nodes; n++) {
      turned[n] = sup_vec3d_add(sup_mat3d_mul_vec3(turn, bench->x[n]), (SupVec3d){3, -2, 1});
    }
    assert_true(fabs(sup_elastic_energy(body, turned, NULL, NULL) / energy - 1) < 1e-12);
    /* The gradient is right for free nodes only; element forces are right for all. */
    sup_elastic_energy(body, bench->x, NULL, NULL);
    SupVec3d sum = {0, 0, 0}, torque = {0, 0, 0};
    double size = 0;
    for (uint32_t i = 0; i < body->active_count; i++) {
      uint32_t t = body->active[i];
      for (size_t a = 0; a < 4; a++) {
        const double *f = body->forces + 12 * (size_t)t + 3 * a;
        SupVec3d force = {f[0], f[1], f[2]};
        sum = sup_vec3d_add(sum, force);
        torque = sup_vec3d_add(
            torque, sup_vec3d_cross(bench->x[body->mesh.tets[4 * (size_t)t + a]], force));
        size += sup_vec3d_length(force);
      }
    }
    assert_true(sup_vec3d_length(sum) < 1e-13 * size && sup_vec3d_length(torque) < 1e-13 * size);
    free(gradient);
    free(turned);
    bench_free(bench);
  }
}

/* HAHN-T2 for a body: at rest there is no energy and no force. */
static void hahn_t2_a_body_at_rest_is_at_peace(void **state) {
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    Bench *bench = bench_create((SupMaterialKind)kind, SUP_INTEGRATE_STATIC);
    SupElastic *body = &bench->body;
    SupVec3d *gradient = calloc(body->mesh.node_count, sizeof *gradient);
    assert_non_null(gradient);
    for (uint32_t t = 0; t < body->mesh.tet_count; t++) body->tension[t] = 0;
    assert_true(fabs(sup_elastic_energy(body, bench->box.nodes, NULL, gradient)) < 1e-9);
    for (uint32_t k = 0; k < body->free_count; k++) {
      assert_true(sup_vec3d_length(gradient[body->free_nodes[k]]) < 1e-9);
    }
    free(gradient);
    bench_free(bench);
  }
}

/* Element forces of linear elasticity with Lame's constants: sigma = lambda tr(e) + 2 mu e. */
static void linear_forces(const Box *box, const SupVec3d *u, double mu, double lambda,
                          SupVec3d *out) {
  memset(out, 0, box->mesh.node_count * sizeof *out);
  for (uint32_t t = 0; t < box->mesh.tet_count; t++) {
    const uint32_t *n = box->tets + 4 * (size_t)t;
    SupVec3d edges[3], normals[4] = {{0, 0, 0}};
    for (int a = 0; a < 3; a++) edges[a] = sup_vec3d_sub(box->nodes[n[a + 1]], box->nodes[n[0]]);
    double volume = sup_vec3d_dot(edges[0], sup_vec3d_cross(edges[1], edges[2])) / 6;
    for (int a = 0; a < 3; a++) { /* gradients of the shape functions */
      normals[a + 1] = sup_vec3d_scale(sup_vec3d_cross(edges[(a + 1) % 3], edges[(a + 2) % 3]),
                                       1 / (6 * volume));
      normals[0] = sup_vec3d_sub(normals[0], normals[a + 1]);
    }
    double g[3][3] = {{0}}, s[3][3];
    for (int a = 0; a < 4; a++) {
      const double d[3] = {u[n[a]].x, u[n[a]].y, u[n[a]].z},
                   b[3] = {normals[a].x, normals[a].y, normals[a].z};
      for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) g[r][c] += d[r] * b[c];
      }
    }
    double trace = g[0][0] + g[1][1] + g[2][2];
    for (int r = 0; r < 3; r++) {
      for (int c = 0; c < 3; c++)
        s[r][c] = mu * (g[r][c] + g[c][r]) + (r == c ? lambda * trace : 0);
    }
    for (int a = 0; a < 4; a++) {
      SupVec3d b = sup_vec3d_scale(normals[a], volume);
      out[n[a]] =
          sup_vec3d_add(out[n[a]], (SupVec3d){s[0][0] * b.x + s[0][1] * b.y + s[0][2] * b.z,
                                              s[1][0] * b.x + s[1][1] * b.y + s[1][2] * b.z,
                                              s[2][0] * b.x + s[2][1] * b.y + s[2][2] * b.z});
    }
  }
}

/* HAHN-T3: a cube under small strain answers as linear elements do, to the order of the strain. */
static void hahn_t3_a_cube_is_linear_for_small_strain(void **state) {
  (void)state;
  const double young = flesh.young, nu = flesh.poisson;
  double mu = young / (2 * (1 + nu)), lambda = young * nu / ((1 + nu) * (1 - 2 * nu));
  for (int kind = 0; kind < 3; kind++) {
    Bench *bench = bench_create((SupMaterialKind)kind, SUP_INTEGRATE_STATIC);
    SupElastic *body = &bench->body;
    uint32_t nodes = body->mesh.node_count;
    SupVec3d *u = calloc(nodes, sizeof *u), *x = calloc(nodes, sizeof *x),
             *expected = calloc(nodes, sizeof *x), *gradient = calloc(nodes, sizeof *x);
    assert_true(u && x && expected && gradient);
    for (uint32_t t = 0; t < body->mesh.tet_count; t++) body->tension[t] = 0;
    SupRng rng = sup_rng(2, 3);
    for (uint32_t n = 0; n < nodes; n++) u[n] = noise(&rng, 1);
    linear_forces(&bench->box, u, mu, lambda, expected);
    double errors[2];
    for (int k = 0; k < 2; k++) {
      double strain = k ? 1e-5 : 1e-4, gap = 0, size = 0;
      for (uint32_t n = 0; n < nodes; n++) {
        x[n] = sup_vec3d_add_scaled(bench->box.nodes[n], u[n], strain);
      }
      sup_elastic_energy(body, x, NULL, gradient);
      for (uint32_t i = 0; i < body->free_count; i++) {
        uint32_t n = body->free_nodes[i];
        SupVec3d force = sup_vec3d_scale(gradient[n], 1 / strain);
        gap = fmax(gap, sup_vec3d_distance(force, expected[n]));
        size = fmax(size, sup_vec3d_length(expected[n]));
      }
      errors[k] = gap / size;
    }
    print_message("%d: from linear elements by %.1e at 1e-4, %.1e at 1e-5\n", kind, errors[0],
                  errors[1]);
    assert_true(errors[0] < 1e-3 && errors[1] < 0.15 * errors[0]);
    free(u);
    free(x);
    free(expected);
    free(gradient);
    bench_free(bench);
  }
}

/* ---- Muscles -------------------------------------------------------------------------------- */

/* A bar held at one end contracts along its fibres: shorter, thicker, as large as before. */
static void a_bar_shortens_and_swells(void **state) {
  (void)state;
  const int cells[3] = {8, 2, 2};
  Box box = box_create(cells, (double[3]){0.4, 0.1, 0.1});
  SupArena arena;
  SupError error;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  SupMaterialDef material = flesh;
  material.poisson = 0.49;
  SupVec3d *fibres = SUP_ALLOC(&arena, SupVec3d, box.mesh.tet_count);
  for (uint32_t t = 0; t < box.mesh.tet_count; t++) fibres[t] = (SupVec3d){1, 0, 0};
  for (uint32_t n = 0; n < box.mesh.node_count; n++) box.prescribed[n] = box.nodes[n].x == 0;
  SupElasticDef def = {.mesh = box.mesh,
                       .materials = &material,
                       .material_count = 1,
                       .prescribed = box.prescribed,
                       .fibres = fibres};
  SupElastic body;
  SupStepper *stepper;
  assert_int_equal(sup_elastic_create(&arena, &def, &body, &error), SUP_OK);
  assert_int_equal(sup_stepper_create(&arena, &body, &stepper, &error), SUP_OK);
  for (uint32_t t = 0; t < box.mesh.tet_count; t++) body.tension[t] = 5000;
  SupStepDef step = {
      .integrator = SUP_INTEGRATE_STATIC, .farthest = 1, .tolerance = 1e-9, .iteration_max = 200};
  SupStepReport report;
  assert_int_equal(sup_stepper_step(stepper, &step, &report, &error), SUP_OK);
  assert_true(report.converged);
  const SupVec3d *x = sup_stepper_positions(stepper);
  double length = x[box_node(cells, 8, 1, 1)].x / 0.4;
  double width = (x[box_node(cells, 5, 2, 1)].y - x[box_node(cells, 5, 0, 1)].y) / 0.1;
  double volume = 0;
  for (uint32_t t = 0; t < box.mesh.tet_count; t++) {
    const uint32_t *n = box.tets + 4 * (size_t)t;
    SupVec3d a = sup_vec3d_sub(x[n[1]], x[n[0]]), b = sup_vec3d_sub(x[n[2]], x[n[0]]),
             c = sup_vec3d_sub(x[n[3]], x[n[0]]);
    volume += sup_vec3d_dot(a, sup_vec3d_cross(b, c)) / 6 / 0.004;
  }
  print_message("a bar under half its modulus: length %.3f, width %.3f, volume %.4f\n", length,
                width, volume);
  assert_true(length < 0.9 && width > 1.04 && fabs(volume - 1) < 0.02);
  sup_stepper_free(stepper);
  sup_arena_free(&arena);
  box_free(&box);
}

static void still_palette(void *user, double time, SupAffined *out_palette) {
  (void)time;
  for (uint32_t b = 0; b < *(const uint32_t *)user; b++) out_palette[b] = sup_affined_identity();
}

/* Skin of a built-in leg with its thigh clenched: how far it moved above and below the knee. */
static void clench_leg(const SupMuscleDef *muscles, double *out_thigh, double *out_shank,
                       double *out_volume) {
  SupArena arena;
  SupError error;
  SupCharacter leg;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  SupBuiltinDef which = {.name = "leg", .vertices = 600};
  assert_int_equal(sup_builtin_character(&arena, &which, &leg, &error), SUP_OK);
  float fraction[8] = {0};
  for (uint32_t b = 0; b < leg.skeleton.bone_count; b++) {
    const char *name = leg.skeleton.names[leg.skeleton.bone_joints[b]];
    fraction[b] = strcmp(name, "thigh") == 0;
  }
  SupSimDef def = sup_sim_def(&leg, sup_heap_allocator());
  def.fill.tet_target = 1500;
  def.integrator = SUP_INTEGRATE_STATIC;
  def.muscles = *muscles;
  def.muscles.bone_fraction = fraction;
  SupSim *sim;
  SupSimReport report;
  if (sup_sim_create(&def, &sim, &report, &error) != SUP_OK) fail_msg("%s", error.text);
  sup_sim_contract(sim, 1);
  SupResult result = sup_sim_settle(sim, still_palette, NULL, &leg.skeleton.bone_count, 0, &error);
  if (result != SUP_OK) fail_msg("%s", error.text);
  SupVec3 *skin = SUP_ALLOC(&arena, SupVec3, leg.body.vertex_count);
  sup_sim_skin(sim, skin);
  *out_thigh = *out_shank = 0;
  for (uint32_t v = 0; v < leg.body.vertex_count; v++) {
    double moved = (double)sup_vec3_distance(skin[v], leg.body.positions[v]);
    double *most = leg.body.positions[v].y > 0.65f   ? out_thigh
                   : leg.body.positions[v].y < 0.35f ? out_shank
                                                     : NULL;
    if (most) *most = fmax(*most, moved);
  }
  SupMesh clenched = leg.body;
  clenched.positions = skin;
  *out_volume = sup_mesh_volume(&clenched) / sup_mesh_volume(&leg.body);
  sup_sim_free(sim);
  sup_arena_free(&arena);
}

static void the_named_muscle_bulges(void **state) {
  (void)state;
  double thigh, shank, volume;
  clench_leg(&(SupMuscleDef){.tension = 4000}, &thigh, &shank, &volume);
  print_message("clenched along the bone: thigh %.1f mm, shank %.2f mm, volume %.4f\n", 1e3 * thigh,
                1e3 * shank, volume);
  assert_true(thigh > 2e-3 && shank < 0.1 * thigh && fabs(volume - 1) < 0.02);
  const SupFibre across = {{0, 0, 0}, {2, 0, 0}};
  double other;
  clench_leg(&(SupMuscleDef){.tension = 4000, .fibre_count = 1, .fibres = &across}, &other, &shank,
             &volume);
  print_message("across: %.1f mm, volume %.4f\n", 1e3 * other, volume);
  assert_true(fabs(other - thigh) > 1e-3 && fabs(volume - 1) < 0.06);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hahn_t1_functional_has_exact_derivatives),
      cmocka_unit_test(hahn_t1_rigid_motion_is_free),
      cmocka_unit_test(hahn_t2_a_body_at_rest_is_at_peace),
      cmocka_unit_test(hahn_t3_a_cube_is_linear_for_small_strain),
      cmocka_unit_test(a_bar_shortens_and_swells),
      cmocka_unit_test(the_named_muscle_bulges),
  };
  return cmocka_run_group_tests_name("functional", tests, NULL, NULL);
}
