/* SPDX-License-Identifier: MIT */
/* Steps as short as they have to be. */
#include "boxed_rig.h"

static const int block[3] = {2, 3, 2};
static const double size[3] = {0.4, 0.6, 0.4};
static const SupVec3d gravity = {0, -9.81, 0};

static void script_at(void *user, double time, double *io_parameters) {
  (void)user;
  double next[PARAMETERS];
  script(time, next);
  memcpy(io_parameters, next, SCRIPTED * sizeof *next);
}

/* Ten times as fast, from a stop. */
static void shove_at(void *user, double time, double *io_parameters) {
  (void)user;
  io_parameters[SHIFT] = 0.4 * sin(30 * time);
  io_parameters[TURN] = 1.2 * sin(25 * time);
}

static void shove(double t, double *out) {
  memset(out, 0, PARAMETERS * sizeof *out);
  if (t > 0) shove_at(NULL, t, out);
}

static void advance_good(Lab *lab, SupRigspace *rs, double time, double seconds,
                         SupRigspaceAdvance *a) {
  SupError error = {""};
  SupResult result = sup_rigspace_advance(&lab->arena, rs, time, seconds, a, &error);
  if (result != SUP_OK) print_error("%s\n", error.text);
  assert_int_equal(result, SUP_OK);
}

/* Where every step converges they are those of sup_rigspace_step, bit for bit. */
static void test_whole_steps(void **state) {
  (void)state;
  static Run run;
  Lab *lab = lab_create(block, size, true);
  const SupRigspaceDef def = lab_def(lab, SUP_RIGSPACE_STATIC);
  SupRigspace *plain = lab_rigspace(lab, &def), *rs = lab_rigspace(lab, &def);
  SupRigspaceAdvance a = {.script = script_at, .gravity = gravity, .determinant_least_seen = 1};
  begin(plain, gravity, script);
  begin(rs, gravity, script);
  take_steps(plain, 0, 12, gravity, script, &run);
  for (int k = 0; k < 12; k++) {
    advance_good(lab, rs, 0.01 * k, 0.01, &a);
    double p[PARAMETERS];
    script(0.01 * (k + 1), p);
    assert_true(fabs(sup_rigspace_parameters(rs)[SHIFT] - p[SHIFT]) < 1e-15);
    for (int i = 0; i < MODES; i++) {
      assert_true(fabs(sup_rigspace_parameters(rs)[SCRIPTED + i] - run.p[k][i]) < 1e-12);
    }
  }
  assert_int_equal(a.step_count, 12);
  assert_int_equal(a.halved_count + a.carried_count, 0);
  sup_rigspace_free(plain);
  sup_rigspace_free(rs);
  lab_free(lab);
}

/* Steps that are too long for Newton are halved, land on the end, and are whole again later. */
static void test_halves(void **state) {
  (void)state;
  Lab *lab = lab_create(block, size, true);
  SupRigspaceDef def = lab_def(lab, SUP_RIGSPACE_STATIC);
  def.iteration_max = 4;
  SupRigspace *rs = lab_rigspace(lab, &def);
  SupRigspaceAdvance a = {.script = shove_at, .gravity = gravity, .determinant_least_seen = 1};
  double p[PARAMETERS];
  SupError error = {""};
  shove(0, p);
  assert_int_equal(sup_rigspace_place(rs, p, p, 0.01, &error), SUP_OK);
  uint32_t highest = 0;
  for (int k = 0; k < 3; k++) {
    advance_good(lab, rs, 0.04 * k, 0.04, &a);
    shove(0.04 * (k + 1), p);
    assert_true(fabs(sup_rigspace_parameters(rs)[SHIFT] - p[SHIFT]) < 1e-12);
    if (a.level > highest) highest = a.level;
  }
  print_message("%u steps, %u tried again in halves, %u carried, level %u\n", a.step_count,
                a.halved_count, a.carried_count, highest);
  assert_true(a.halved_count > 0 && a.step_count > 3);
  assert_int_equal(a.carried_count, 0);
  a.script = script_at; /* calm */
  for (int k = 0; k < 40; k++) advance_good(lab, rs, 0.12 + 0.002 * k, 0.002, &a);
  assert_int_equal(a.level, 0);
  sup_rigspace_free(rs);
  lab_free(lab);
}

/* Where no length helps, the flesh is carried along: free parameters stay, scripted ones go on. */
static void test_carried(void **state) {
  (void)state;
  Lab *lab = lab_create(block, size, true);
  SupRigspaceDef def = lab_def(lab, SUP_RIGSPACE_STATIC);
  def.iteration_max = 1;
  SupRigspace *rs = lab_rigspace(lab, &def);
  SupRigspaceAdvance a = {
      .script = shove_at, .gravity = gravity, .level_max = 2, .determinant_least_seen = 1};
  double p[PARAMETERS];
  SupError error = {""};
  shove(0, p);
  for (int i = 0; i < MODES; i++) p[SCRIPTED + i] = 0.01 * (i + 1);
  assert_int_equal(sup_rigspace_place(rs, p, p, 0.01, &error), SUP_OK);
  advance_good(lab, rs, 0, 0.04, &a);
  assert_int_equal(a.carried_count, 4);
  assert_int_equal(a.step_count, 4);
  const double *now = sup_rigspace_parameters(rs);
  assert_memory_equal(now + SCRIPTED, p + SCRIPTED, MODES * sizeof *p);
  assert_true(fabs(now[SHIFT] - 0.4 * sin(1.2)) < 1e-12);
  sup_rigspace_free(rs);
  lab_free(lab);
}

/* How far the top of the box reaches in x, and how deep into a ball, while it sways. */
static void sway(Lab *lab, const SupRigspaceDef *def, SupVec3d centre, double *out_right,
                 double *out_deep) {
  SupRigspace *rs = lab_rigspace(lab, def);
  SupRigspaceAdvance a = {.script = script_at, .gravity = gravity, .determinant_least_seen = 1};
  *out_right = *out_deep = -INFINITY;
  begin(rs, gravity, script);
  for (int k = 0; k < 30; k++) {
    advance_good(lab, rs, 0.01 * k, 0.01, &a);
    for (uint32_t i = 0; i < lab->volume.surface_count; i++) {
      if (lab->volume.mesh.nodes[i].y < 0.5) continue;
      const SupVec3d x = sup_rigspace_nodes(rs)[i];
      *out_right = fmax(*out_right, x.x);
      *out_deep = fmax(*out_deep, 0.2 - sup_vec3d_distance(x, centre));
    }
  }
  print_message("%u steps, %u tried again in halves\n", a.step_count, a.halved_count);
  assert_int_equal(a.carried_count, 0);
  sup_rigspace_free(rs);
}

/* Planes and balls stop flesh; nonsense is refused. */
static void test_contact(void **state) {
  (void)state;
  Lab *lab = lab_create(block, size, false);
  double right, deep, right_held, deep_held;
  SupVec3d centre = {0, 0.6, 0.2};
  SupRigspaceDef def = lab_def(lab, SUP_RIGSPACE_STATIC);
  def.tolerance = 1e-6;
  sway(lab, &def, centre, &right, &deep);
  centre.x = right + 0.17;
  sway(lab, &def, centre, &right, &deep);
  const SupRigspaceObstacle wall = {.plane = true, .a = {right - 0.02, 0, 0}, .b = {-2, 0, 0}};
  const SupRigspaceObstacle ball = {.a = centre, .b = centre, .radius = 0.2};
  def.obstacle_count = 1;
  def.obstacles = &wall;
  sway(lab, &def, centre, &right_held, &deep_held);
  print_message("wall at %.4f: reaches %.4f, without it %.4f\n", wall.a.x, right_held, right);
  assert_true(right_held < wall.a.x + 0.3 * (right - wall.a.x));
  def.obstacles = &ball;
  sway(lab, &def, centre, &right_held, &deep_held);
  print_message("ball: %.4f deep, without it %.4f\n", deep_held, deep);
  assert_true(deep > 0.005 && deep_held < 0.5 * deep);
  const SupRigspaceObstacle none = {.plane = true};
  SupRigspace *rs;
  SupError error = {""};
  def.obstacles = &none;
  assert_int_equal(sup_rigspace_create(&lab->arena, &def, &rs, &error), SUP_ERROR_ARGUMENT);
  assert_string_equal(error.text, "obstacle 1 has no direction");
  lab_free(lab);
}

/* The energy of a shape in the direction of one parameter is that of its frequency: one parameter
 * alone, K / M by differences of the energy and by the masses of the nodes. */
static void test_frequencies(void **state) {
  (void)state;
  Lab *lab = lab_create(block, size, false);
  for (int k = SCRIPTED + 1; k < PARAMETERS; k++) lab->parameters[k].role = SUP_RIG_LOCKED;
  const SupRigspaceDef def = lab_def(lab, SUP_RIGSPACE_STATIC);
  SupRigspace *rs = lab_rigspace(lab, &def);
  double p[PARAMETERS] = {0}, hz[MODES], energy[3], mass = 0, e = 1e-4;
  uint32_t count = 0;
  SupError error = {""};
  SupVec3d *rest = SUP_COPY(&lab->arena, SupVec3d, rs->body.mesh.nodes, rs->node_count);
  for (int k = 0; k < 3; k++) {
    p[SCRIPTED] = e * (k - 1);
    assert_int_equal(sup_rigspace_place(rs, p, p, 0.01, &error), SUP_OK);
    energy[k] = sup_elastic_energy(&rs->body, sup_rigspace_nodes(rs), NULL, NULL);
  }
  for (uint32_t i = 0; i < rs->node_count; i++) {
    const double far = sup_vec3d_distance(sup_rigspace_nodes(rs)[i], rest[i]) / e;
    mass += rs->body.masses[i] * far * far;
  }
  p[SCRIPTED] = 0;
  assert_int_equal(sup_rigspace_frequencies(rs, p, &count, hz, &error), SUP_OK);
  const double stiffness = (energy[2] - 2 * energy[1] + energy[0]) / (e * e);
  const double found = sqrt(stiffness / mass) / (2 * 3.14159265358979);
  print_message("frequency %.4f Hz, by differences %.4f Hz\n", hz[0], found);
  assert_int_equal(count, 1);
  assert_true(fabs(hz[0] - found) < 1e-3 * found);
  sup_rigspace_free(rs);
  lab_free(lab);
}

/* ---- Held parameters ------------------------------------------------------------------------- */

enum { HELD = 2, HELD_STEPS = 20 };

static double held_value(double t) { return t > 0 ? 0.05 + 0.8 * t * t : 0.05; }

static void script_held(double t, double *out) {
  script(t, out);
  out[SCRIPTED + HELD] = held_value(t);
}

/* The block with one parameter held, or scripted: runs[k] of each. */
static void run_held(SupRigspaceInside inside, bool bends, Run *runs) {
  for (int scripted = 0; scripted < 2; scripted++) {
    Lab *lab = lab_create(block, size, bends);
    if (scripted) lab->parameters[SCRIPTED + HELD].role = SUP_RIG_SCRIPTED;
    const SupRigspaceDef def = lab_def(lab, inside);
    SupRigspace *rs = lab_rigspace(lab, &def);
    double rates[MODES] = {0}, values[MODES] = {0};
    rates[HELD] = INFINITY;
    values[HELD] = held_value(0);
    if (!scripted) sup_rigspace_hold(rs, rates, values);
    begin(rs, gravity, script_held);
    for (int k = 0; k < HELD_STEPS; k++) {
      values[HELD] = held_value(0.01 * (k + 1));
      if (!scripted) sup_rigspace_hold(rs, rates, values);
      take_steps(rs, k, 1, gravity, script_held, &runs[scripted]);
    }
    sup_rigspace_free(rs);
    lab_free(lab);
  }
}

/* A parameter that is held is one that is scripted: the others answer to it alike. */
static void test_held(void **state) {
  (void)state;
  static Run runs[2], none;
  const SupRigspaceInside insides[] = {SUP_RIGSPACE_STATIC, SUP_RIGSPACE_REFERENCE};
  for (int k = 0; k < 2; k++) {
    memset(runs, 0, sizeof runs);
    run_held(insides[k], k == 0, runs);
    const double off = run_difference(&runs[0], &runs[1], HELD_STEPS);
    print_message("held against scripted: %.1e of %.3f apart\n", off,
                  run_size(&runs[1], HELD_STEPS));
    assert_true(off < 1e-8);
    for (int i = 0; i < HELD_STEPS; i++) {
      assert_true(runs[0].p[i][HELD] == held_value(0.01 * (i + 1)));
    }
  }
  /* It does something to the others. */
  memset(&none, 0, sizeof none);
  Lab *lab = lab_create(block, size, false);
  const SupRigspaceDef def = lab_def(lab, SUP_RIGSPACE_REFERENCE);
  SupRigspace *rs = lab_rigspace(lab, &def);
  begin(rs, gravity, script_held);
  take_steps(rs, 0, HELD_STEPS, gravity, script_held, &none);
  assert_true(run_difference(&runs[0], &none, HELD_STEPS) > 1e-3);
  sup_rigspace_free(rs);
  lab_free(lab);
}

/* Between free and held, a parameter alone ends a step at e^(-rate h) of where it would go and the
 * rest of the value; a rate of 0 changes no bit. */
static void test_partly_held(void **state) {
  (void)state;
  double ends[5];
  static const double parts[5] = {-1, 0, 0.25, 0.75, 1};
  const double value = 0.004;
  for (int c = 0; c < 5; c++) {
    static Run run;
    Lab *lab = lab_create(block, size, false);
    for (int k = 1; k < MODES; k++) lab->parameters[SCRIPTED + k].role = SUP_RIG_LOCKED;
    const SupRigspaceDef def = lab_def(lab, SUP_RIGSPACE_STATIC);
    SupRigspace *rs = lab_rigspace(lab, &def);
    begin(rs, gravity, script);
    take_steps(rs, 0, 3, gravity, script, &run);
    const double rate = -log(1 - parts[c]) / 0.01; /* infinite for 1 */
    if (parts[c] >= 0) sup_rigspace_hold(rs, &rate, &value);
    take_steps(rs, 3, 1, gravity, script, &run);
    ends[c] = run.p[3][0];
    sup_rigspace_free(rs);
    lab_free(lab);
  }
  print_message("free %.6f, a quarter %.6f, three quarters %.6f, held %.6f\n", ends[1], ends[2],
                ends[3], ends[4]);
  assert_true(ends[0] == ends[1] && ends[4] == value);
  assert_true(fabs(ends[1] - value) > 1e-3);
  for (int c = 2; c < 4; c++) {
    const double wanted = (1 - parts[c]) * ends[1] + parts[c] * value;
    assert_true(fabs(ends[c] - wanted) < 0.01 * fabs(ends[1] - value));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_whole_steps), cmocka_unit_test(test_halves),
      cmocka_unit_test(test_carried),     cmocka_unit_test(test_contact),
      cmocka_unit_test(test_frequencies), cmocka_unit_test(test_held),
      cmocka_unit_test(test_partly_held)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
