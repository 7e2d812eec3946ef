/* SPDX-License-Identifier: MIT */
/* Every layer of a character's rig: exact derivatives, exact rest, planted motions. */
#include "rig/characters.h"
#include "supple/clip.h"
#include "supple/io/pool.h"

#define COUNT(a) ((uint32_t)(sizeof(a) / sizeof(a)[0]))
#define NUMBERS .rest = NAN, .low = NAN, .high = NAN, .scale = NAN

/* A control of one target with default numbers. */
static SupRigControl control(const char *name, const SupRigTarget *target) {
  return (SupRigControl){
      .base = {.name = name, .zone = "", NUMBERS}, .target_count = 1, .targets = target};
}

/* Controls for every target, named by their number. */
static SupRigControl *controls_of(Lab *lab, const SupRigTarget *targets, uint32_t count) {
  SupRigControl *controls = SUP_ALLOC(&lab->arena, SupRigControl, count);
  for (uint32_t k = 0; k < count; k++) {
    char name[16];
    sup_format(name, sizeof name, "p%u", k);
    controls[k] = control(sup_arena_string(&lab->arena, name, strlen(name)), &targets[k]);
  }
  return controls;
}

static SupVec3d *surface(Lab *lab, const SupCharacterRig *rig, const double *parameters) {
  SupError error;
  const SupRig *r = sup_character_rig(rig);
  SupVec3d *x = SUP_ALLOC(&lab->arena, SupVec3d, r->vertex_count);
  assert_int_equal(sup_rig_evaluate(r, 1, parameters, x, &error), SUP_OK);
  return x;
}

static double *rest_of(Lab *lab, const SupCharacterRig *rig) {
  double *p = SUP_ALLOC(&lab->arena, double, sup_character_rig(rig)->parameter_count);
  sup_rig_rest(sup_character_rig(rig), p);
  return p;
}

/* ---- Joints --------------------------------------------------------------------------------- */

/* All twelve channels of every joint. */
static SupRigDef every_joint(Lab *lab) {
  const uint32_t joints = lab->character.skeleton.joint_count;
  SupRigTarget *targets = SUP_ALLOC(&lab->arena, SupRigTarget, 12 * (size_t)joints);
  for (uint32_t k = 0; k < 12 * joints; k++) {
    targets[k] = (SupRigTarget){.kind = (SupRigTargetKind)(k % 12 / 3),
                                .name = lab->character.skeleton.names[k / 12],
                                .axis = k % 3,
                                .factor = k % 2 ? 1 : -0.5};
  }
  return (SupRigDef){.name = "joints",
                     .about = "",
                     .control_count = 12 * joints,
                     .controls = controls_of(lab, targets, 12 * joints)};
}

static void test_joint_jacobian(void **state) {
  (void)state;
  Lab *lab = lab_create("leg", 500);
  const SupRigDef def = every_joint(lab);
  const SupCharacterRig *rig = lab_rig(lab, &def);
  const double error = jacobian_error(lab, sup_character_rig(rig), 1, 4, 1);
  print_message("joints: %.1e\n", error);
  assert_true(error < 1e-8);
  /* Through the neighbourhood of 0, where the exponential has its series. */
  assert_true(jacobian_error(lab, sup_character_rig(rig), 2, 4, 0.02) < 1e-8);
  lab_free(lab);
}

/* Skinning as the library does it, by its own pose and a plain loop. */
static void skin_plainly(const SupCharacter *character, const SupPosed *pose, const SupVec3d *rest,
                         SupVec3d *out) {
  SupAffined globals[64], palette[64];
  sup_pose_evaluate_f64(&character->skeleton, pose, globals, palette);
  for (uint32_t v = 0; v < character->body.vertex_count; v++) {
    SupVec3d sum = {0, 0, 0};
    double total = 0;
    for (uint32_t k = character->skin.offsets[v]; k < character->skin.offsets[v + 1]; k++) {
      const double w = (double)character->skin.weights[k];
      sum = sup_vec3d_add_scaled(sum, sup_affined_point(palette[character->skin.bones[k]], rest[v]),
                                 w);
      total += w;
    }
    out[v] = sup_vec3d_scale(sum, 1 / total);
  }
}

static SupVec3d *morphed_rest(Lab *lab, const double *weights) {
  const SupMesh *body = &lab->character.body;
  SupVec3d *x = SUP_ALLOC(&lab->arena, SupVec3d, body->vertex_count);
  for (uint32_t v = 0; v < body->vertex_count; v++) {
    x[v] = sup_vec3_to_double(body->positions[v]);
    for (int m = 0; m < 2; m++) {
      x[v] = sup_vec3d_add_scaled(x[v], sup_vec3_to_double(lab->morphs[m].offsets[v]), weights[m]);
    }
  }
  return x;
}

/* A clip plays through the scripted rest of a rig as it plays through skinning, and comes back. */
static void test_clips_play_through(void **state) {
  (void)state;
  Lab *lab = lab_create("mochi", 600);
  const SupRigDef def = {.name = "plain", .about = "", .script_rest = true};
  const SupCharacterRig *rig = lab_rig(lab, &def);
  const SupCharacter *c = &lab->character;
  const uint32_t joints = c->skeleton.joint_count, vertices = c->body.vertex_count;
  assert_int_equal(sup_character_rig(rig)->parameter_count, 9 * joints + 2);
  SupPosed pose = {joints, sup_transformd_identity(),
                   SUP_ALLOC(&lab->arena, SupTransformd, joints)};
  SupTransformd *back = SUP_ALLOC(&lab->arena, SupTransformd, joints);
  SupVec3d *wanted = SUP_ALLOC(&lab->arena, SupVec3d, vertices);
  double *p = rest_of(lab, rig), weights[2] = {0.7, 0.1}, back_weights[2];
  for (double t = 0; t < 2; t += 0.13) {
    sup_pose_rest_f64(&c->skeleton, &pose);
    sup_clip_sample_f64(&c->clips[4], t, true, NULL, &pose, NULL);
    sup_character_rig_script(rig, &pose, weights, p);
    skin_plainly(c, &pose, morphed_rest(lab, weights), wanted);
    assert_true(largest_distance(surface(lab, rig, p), wanted, vertices) < 1e-12);
    sup_character_rig_pose(rig, p, back, back_weights);
    for (uint32_t j = 0; j < joints; j++) {
      assert_true(sup_vec3d_distance(back[j].translation, pose.joints[j].translation) < 1e-12);
      assert_true(sup_vec3d_distance(back[j].scale, pose.joints[j].scale) < 1e-12);
      const double same = fabs(sup_quatd_dot(back[j].rotation, pose.joints[j].rotation));
      assert_true(fabs(same - 1) < 1e-12);
    }
    assert_true(back_weights[0] == weights[0] && back_weights[1] == weights[1]);
  }
  lab_free(lab);
}

/* Two turns in small steps: the rotation vector does not jump at half a turn. */
static void test_rotations_go_on(void **state) {
  (void)state;
  Lab *lab = lab_create("tube", 500);
  const SupRigDef def = {.name = "plain", .about = "", .script_rest = true};
  const SupCharacterRig *rig = lab_rig(lab, &def);
  SupTransformd joints[2];
  SupPosed pose = {2, sup_transformd_identity(), joints};
  double *p = rest_of(lab, rig);
  const int64_t turn = sup_rig_find(sup_character_rig(rig), "upper.rotation.y");
  assert_true(turn >= 0 && sup_rig_find(sup_character_rig(rig), "upper.rotation") == -1);
  for (int k = 0; k <= 100; k++) {
    sup_pose_rest_f64(&lab->character.skeleton, &pose);
    const SupQuatd q = sup_quatd_from_axis_angle((SupVec3d){0, 1, 0}, 0.12 * k);
    joints[1].rotation = sup_quatd_mul(joints[1].rotation, k % 2 ? sup_quatd_negate(q) : q);
    sup_character_rig_script(rig, &pose, NULL, p);
    assert_true(fabs(p[turn] - 0.12 * k) < 1e-9);
  }
  lab_free(lab);
}

/* A free turn is relative to a scripted rotation, whatever that is. */
static void test_turn_is_relative(void **state) {
  (void)state;
  Lab *lab = lab_create("leg", 500);
  const SupRigTarget target = {SUP_RIG_JOINT_TURN, lab->character.skeleton.names[1], {0}, 2, 1};
  const SupRigControl one = control("knee", &target);
  const SupRigDef def = {
      .name = "knee", .about = "", .control_count = 1, .controls = &one, .script_rest = true};
  const SupCharacterRig *rig = lab_rig(lab, &def);
  SupTransformd joints[3], got[3];
  SupPosed pose = {3, sup_transformd_identity(), joints};
  double *p = rest_of(lab, rig);
  sup_pose_rest_f64(&lab->character.skeleton, &pose);
  joints[1].rotation = sup_quatd_mul(joints[1].rotation, sup_quatd_exp((SupVec3d){0.5, -1, 0.3}));
  sup_character_rig_script(rig, &pose, NULL, p);
  p[0] = 0.4;
  sup_character_rig_pose(rig, p, got, NULL);
  const SupQuatd wanted = sup_quatd_mul(joints[1].rotation, sup_quatd_exp((SupVec3d){0, 0, 0.4}));
  assert_true(fabs(fabs(sup_quatd_dot(got[1].rotation, wanted)) - 1) < 1e-14);
  lab_free(lab);
}

/* ---- Helpers -------------------------------------------------------------------------------- */

static const SupRigHelper helpers[] = {{"calf", "shank", {0, 0.3, -0.03}, 0.25, 0},
                                       {"calf_tip", "calf", {0, 0.25, -0.05}, 0.15, 0}};

static SupRigDef with_helpers(Lab *lab, const SupRigHelper *list, uint32_t count) {
  SupRigTarget *targets = SUP_ALLOC(&lab->arena, SupRigTarget, 12 * (size_t)count);
  for (uint32_t k = 0; k < 12 * count; k++) {
    targets[k] = (SupRigTarget){.kind = (SupRigTargetKind)(k % 12 / 3),
                                .name = list[k / 12].name,
                                .axis = k % 3,
                                .factor = 1};
  }
  return (SupRigDef){.name = "helpers",
                     .about = "",
                     .helper_count = count,
                     .helpers = list,
                     .control_count = 12 * count,
                     .controls = controls_of(lab, targets, 12 * count),
                     .script_rest = true};
}

static void test_helpers(void **state) {
  (void)state;
  Lab *lab = lab_create("leg", 600);
  const SupRigDef plain = {.name = "plain", .about = "", .script_rest = true};
  const SupRigDef def = with_helpers(lab, helpers, 2);
  const SupCharacterRig *without = lab_rig(lab, &plain), *with = lab_rig(lab, &def);
  const uint32_t vertices = lab->character.body.vertex_count;
  assert_true(jacobian_error(lab, sup_character_rig(with), 3, 2, 1) < 1e-8);
  /* In any pose, helpers at rest change nothing. */
  SupRng rng = sup_rng(5, 5);
  double *p = rest_of(lab, without), *q = rest_of(lab, with);
  for (int k = 0; k < 5; k++) {
    draw_parameters(sup_character_rig(without), &rng, 0.3, p);
    memcpy(q + 24, p, sup_character_rig(without)->parameter_count * sizeof *p);
    assert_true(largest_distance(surface(lab, without, p), surface(lab, with, q), vertices) <
                2e-7); /* their weights are floats */
  }
  /* The skin of it is sound: what an engine would play. */
  const SupSkin *skin = sup_character_rig_skin(with);
  const SupSkeleton *skeleton = sup_character_rig_skeleton(with);
  assert_int_equal(skeleton->joint_count, 5);
  assert_int_equal(sup_character_rig_joint_count(with), 5);
  assert_string_equal(skeleton->names[4], "calf_tip");
  assert_int_equal(skeleton->parents[4], 3);
  bool used = false;
  for (uint32_t v = 0; v < vertices; v++) {
    double sum = 0;
    for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
      sum += (double)skin->weights[k];
      assert_true(skin->weights[k] > 0 && skin->bones[k] < skeleton->bone_count);
      assert_true(k == skin->offsets[v] || skin->weights[k] <= skin->weights[k - 1]);
      used |= skin->bones[k] == skeleton->bone_count - 1;
    }
    assert_true(fabs(sum - 1) < 1e-5);
    assert_true(skin->offsets[v + 1] - skin->offsets[v] <= skin->influence_max);
  }
  assert_true(used);
  lab_free(lab);
}

/* Weight of a bone at a vertex. */
static double weight_of(const SupSkin *skin, uint32_t v, uint32_t bone) {
  for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
    if (skin->bones[k] == bone) return (double)skin->weights[k];
  }
  return 0;
}

/* The largest step of a helper's weight along an edge. */
static double largest_step(const Lab *lab, const SupSkin *skin, uint32_t helper_count) {
  const SupMesh *mesh = &lab->character.body;
  double most = 0;
  for (size_t e = 0; e < 3 * (size_t)mesh->triangle_count; e++) {
    const uint32_t a = mesh->triangles[e], b = mesh->triangles[e % 3 == 2 ? e - 2 : e + 1];
    for (uint32_t h = 0; h < helper_count; h++) {
      const uint32_t bone = lab->character.skeleton.bone_count + h;
      most = fmax(most, fabs(weight_of(skin, a, bone) - weight_of(skin, b, bone)));
    }
  }
  return most;
}

/* Helpers that overlap on the knee: with a limit no vertex has more bones than that, or than it
 * had; weights still sum to 1, every helper still moves something, no edge is torn, and plain
 * skinning hardly changes; not at all where helpers need no more room. */
static void test_helper_limit(void **state) {
  (void)state;
  static const SupRigHelper crowd[] = {{"a", "shank", {0, 0.4, -0.03}, 0.4, 0},
                                       {"b", "shank", {0, 0.35, 0.03}, 0.4, 0},
                                       {"c", "thigh", {0, 0.5, 0.03}, 0.4, 0},
                                       {"d", "a", {0, 0.45, -0.05}, 0.3, 0}};
  Lab *lab = lab_create("leg", 600);
  const SupRigDef plain = {.name = "plain", .about = "", .script_rest = true};
  SupRigDef def = with_helpers(lab, crowd, 4);
  const SupCharacterRig *without = lab_rig(lab, &plain), *all = lab_rig(lab, &def);
  const SupSkin *own = &lab->character.skin;
  const uint32_t vertices = lab->character.body.vertex_count;
  const double step = largest_step(lab, sup_character_rig_skin(all), 4);
  const uint32_t most_of_all = sup_character_rig_skin(all)->influence_max;
  assert_true(most_of_all > 4);
  for (uint32_t most = 3; most <= most_of_all; most++) {
    def.influence_max = most;
    const SupCharacterRig *with = lab_rig(lab, &def);
    const SupSkin *skin = sup_character_rig_skin(with);
    uint32_t used = 0;
    for (uint32_t v = 0; v < vertices; v++) {
      const uint32_t before = own->offsets[v + 1] - own->offsets[v];
      const uint32_t count = skin->offsets[v + 1] - skin->offsets[v];
      double sum = 0;
      assert_true(count <= (before > most ? before : most));
      for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
        const uint32_t bone = skin->bones[k];
        if (bone >= lab->character.skeleton.bone_count) {
          used |= 1u << (bone - lab->character.skeleton.bone_count);
        }
        sum += (double)skin->weights[k];
      }
      assert_true(fabs(sum - 1) < 1e-5);
    }
    assert_int_equal(used, 15);
    assert_true(largest_step(lab, skin, 4) < (most > 3 ? 1.3 : 2) * step);
    SupRng rng = sup_rng(5, 5);
    double *p = rest_of(lab, without), *q = rest_of(lab, with);
    draw_parameters(sup_character_rig(without), &rng, 0.3, p);
    memcpy(q + 48, p, sup_character_rig(without)->parameter_count * sizeof *p);
    const double apart =
        largest_distance(surface(lab, without, p), surface(lab, with, q), vertices);
    assert_true(apart < (most == most_of_all ? 4e-7 : 0.02));
  }
  lab_free(lab);
}

/* ---- Lattices ------------------------------------------------------------------------------- */

/* Every point of a lattice of 3 x 4 x 2 around the tube's upper half. */
static SupRigDef latticed(Lab *lab, bool after, const char *joint, bool script) {
  SupRigLayer *layer = SUP_ALLOC(&lab->arena, SupRigLayer, 1);
  *layer = (SupRigLayer){.kind = SUP_RIG_LATTICE,
                         .name = "box",
                         .after_skinning = after,
                         .joint = joint,
                         .low = {-0.2, 0.5, -0.2},
                         .high = {0.2, 1.1, 0.2},
                         .points = {3, 4, 2}};
  SupRigTarget *targets = SUP_ALLOC(&lab->arena, SupRigTarget, 72);
  for (uint32_t k = 0; k < 72; k++) {
    const uint32_t n = k / 3;
    targets[k] = (SupRigTarget){.kind = SUP_RIG_LATTICE_POINT,
                                .name = "box",
                                .point = {n % 3, n / 3 % 4, n / 12},
                                .axis = k % 3,
                                .factor = 1};
  }
  return (SupRigDef){.name = "lattice",
                     .about = "",
                     .layer_count = 1,
                     .layers = layer,
                     .control_count = 72,
                     .controls = controls_of(lab, targets, 72),
                     .script_rest = script};
}

static void test_lattice(void **state) {
  (void)state;
  Lab *lab = lab_create("tube", 500);
  const SupRigDef before = latticed(lab, false, NULL, true);
  const SupRigDef after = latticed(lab, true, "upper", true);
  const SupCharacterRig *a = lab_rig(lab, &before), *b = lab_rig(lab, &after);
  assert_true(jacobian_error(lab, sup_character_rig(a), 4, 1, 1) < 1e-8);
  assert_true(jacobian_error(lab, sup_character_rig(b), 5, 1, 1) < 1e-8);
  /* Bernstein polynomials have linear precision: an affine motion of all control points is one of
   * the vertices inside, and nothing else moves. */
  double *p = rest_of(lab, a);
  const uint32_t vertices = lab->character.body.vertex_count;
  SupVec3d *from = surface(lab, a, p);
  for (uint32_t n = 0; n < 24; n++) {
    const double x = -0.2 + 0.2 * (n % 3), y = 0.5 + 0.2 * (n / 3 % 4), z = -0.2 + 0.4 * (n / 12);
    p[3 * n] = 0.1 * y + 0.05;
    p[3 * n + 1] = -0.2 * x;
    p[3 * n + 2] = 0.3 * z + 0.1 * x;
  }
  SupVec3d *moved = surface(lab, a, p);
  for (uint32_t v = 0; v < vertices; v++) {
    const SupVec3d rest = sup_vec3_to_double(lab->character.body.positions[v]);
    const bool inside = fabs(rest.x) <= 0.2 && fabs(rest.z) <= 0.2 && rest.y >= 0.5;
    SupVec3d wanted = {0, 0, 0};
    if (inside) {
      wanted = (SupVec3d){0.1 * rest.y + 0.05, -0.2 * rest.x, 0.3 * rest.z + 0.1 * rest.x};
    }
    assert_true(sup_vec3d_distance(sup_vec3d_sub(moved[v], from[v]), wanted) < 1e-12);
  }
  lab_free(lab);
}

/* As morph targets it is exact: offsets of the columns, times the parameters, then skinning. */
static void test_lattice_as_morphs(void **state) {
  (void)state;
  Lab *lab = lab_create("tube", 500);
  const SupRigDef def = latticed(lab, false, NULL, false);
  const SupCharacterRig *rig = lab_rig(lab, &def);
  const SupRig *r = sup_character_rig(rig);
  const uint32_t vertices = r->vertex_count;
  double *p = rest_of(lab, rig);
  SupVec3d *wanted = surface(lab, rig, p);
  SupVec3d *offsets = SUP_ALLOC(&lab->arena, SupVec3d, vertices);
  SupRng rng = sup_rng(6, 6);
  uint32_t point[4];
  draw_parameters(r, &rng, 1, p);
  assert_int_equal(sup_character_rig_lattice_column(rig, 0, 72, NULL, NULL), 72);
  for (uint32_t k = 0; k < 72; k++) {
    assert_int_equal(sup_character_rig_lattice_column(rig, 0, k, point, offsets), 72);
    const uint32_t parameter = 3 * (point[0] + 3 * (point[1] + 4 * point[2])) + point[3];
    for (uint32_t v = 0; v < vertices; v++) { /* the pose is that of binding */
      wanted[v] = sup_vec3d_add_scaled(wanted[v], offsets[v], p[parameter]);
    }
  }
  assert_true(largest_distance(surface(lab, rig, p), wanted, vertices) < 1e-12);
  lab_free(lab);
}

/* ---- Wires ---------------------------------------------------------------------------------- */

static const SupVec3d curve[] = {
    {0, -0.1, 0}, {0.02, 0.2, 0}, {0, 0.5, 0.02}, {0, 0.8, 0}, {0, 1.1, 0}};
static const SupVec3d straight[] = {{0, -0.1, 0}, {0, 0.3, 0}, {0, 0.7, 0}, {0, 1.1, 0}};

/* All five channels of every control point. */
static SupRigDef wired(Lab *lab, const SupVec3d *points, uint32_t count, bool after,
                       const char *joint) {
  SupRigLayer *layer = SUP_ALLOC(&lab->arena, SupRigLayer, 1);
  *layer = (SupRigLayer){.kind = SUP_RIG_WIRE,
                         .name = "wire",
                         .after_skinning = after,
                         .joint = joint,
                         .curve_count = count,
                         .curve = points,
                         .radius = joint ? 0.1 : 0.3,
                         .fade = 0.1};
  SupRigTarget *targets = SUP_ALLOC(&lab->arena, SupRigTarget, 5 * (size_t)count);
  for (uint32_t k = 0; k < 5 * count; k++) {
    targets[k] = (SupRigTarget){.kind = k % 5 == 3   ? SUP_RIG_WIRE_TWIST
                                        : k % 5 == 4 ? SUP_RIG_WIRE_RADIUS
                                                     : SUP_RIG_WIRE_POINT,
                                .name = "wire",
                                .point = {k / 5, 0, 0},
                                .axis = k % 5 < 3 ? k % 5 : 0,
                                .factor = 1};
  }
  return (SupRigDef){.name = "wire",
                     .about = "",
                     .layer_count = 1,
                     .layers = layer,
                     .control_count = 5 * count,
                     .controls = controls_of(lab, targets, 5 * count),
                     .script_rest = true};
}

static void test_wire_jacobian(void **state) {
  (void)state;
  Lab *lab = lab_create("tube", 500);
  for (uint32_t count = 2; count <= COUNT(curve); count++) {
    for (int after = 0; after < 2; after++) {
      const SupRigDef def = wired(lab, curve, count, after, after ? "lower" : NULL);
      const SupCharacterRig *rig = lab_rig(lab, &def);
      const double error = jacobian_error(lab, sup_character_rig(rig), 7 + count, 2, 0.3);
      print_message("wire of %u points: %.1e\n", count, error);
      assert_true(error < 1e-7);
      /* With all at rest, skinning is what it was. */
      double *p = rest_of(lab, rig);
      SupTransformd joints[2];
      SupPosed pose = {2, sup_transformd_identity(), joints};
      const uint32_t vertices = lab->character.body.vertex_count;
      SupVec3d *x = SUP_ALLOC(&lab->arena, SupVec3d, vertices);
      sup_pose_rest_f64(&lab->character.skeleton, &pose);
      skin_plainly(&lab->character, &pose, morphed_rest(lab, (const double[]){0, 0.25}), x);
      assert_true(largest_distance(surface(lab, rig, p), x, vertices) < 1e-14);
    }
  }
  lab_free(lab);
}

/* Control points that move as a rigid body take the flesh with them as one. */
static void test_wire_rigid(void **state) {
  (void)state;
  Lab *lab = lab_create("tube", 500);
  lab->morphs[1].weight = 0;
  const SupRigDef def = wired(lab, straight, COUNT(straight), true, NULL);
  const SupCharacterRig *rig = lab_rig(lab, &def);
  double *p = rest_of(lab, rig);
  const uint32_t vertices = lab->character.body.vertex_count;
  SupVec3d *rest = surface(lab, rig, p), *x;
  const SupQuatd q = sup_quatd_exp((SupVec3d){0.6, 0, -0.9}); /* about an axis across the wire */
  const SupVec3d shift = {0.1, -0.05, 0.2};
  for (uint32_t k = 0; k < COUNT(straight); k++) {
    const SupVec3d to = sup_vec3d_add(sup_quatd_rotate(q, straight[k]), shift);
    p[5 * k] = to.x - straight[k].x;
    p[5 * k + 1] = to.y - straight[k].y;
    p[5 * k + 2] = to.z - straight[k].z;
  }
  x = surface(lab, rig, p);
  for (uint32_t v = 0; v < vertices; v++) {
    const SupVec3d wanted = sup_vec3d_add(sup_quatd_rotate(q, rest[v]), shift);
    assert_true(sup_vec3d_distance(x[v], wanted) < 1e-12);
  }
  /* An even twist turns about the wire, an even radius scales about it. */
  p = rest_of(lab, rig);
  for (uint32_t k = 0; k < COUNT(straight); k++) p[5 * k + 3] = 0.8, p[5 * k + 4] = 1.25;
  x = surface(lab, rig, p);
  for (uint32_t v = 0; v < vertices; v++) {
    SupVec3d wanted = sup_quatd_rotate(sup_quatd_exp((SupVec3d){0, 0.8, 0}), rest[v]);
    wanted = (SupVec3d){1.25 * wanted.x, rest[v].y, 1.25 * wanted.z};
    assert_true(sup_vec3d_distance(x[v], wanted) <
                1e-7); /* skinned floats are not quite the bind */
  }
  lab_free(lab);
}

/* ---- Together ------------------------------------------------------------------------------- */

/* A lattice before skinning, helpers, a wire after it, linked parameters. */
static SupRigDef everything(Lab *lab) {
  const SupRigDef box = latticed(lab, false, NULL, true),
                  wire = wired(lab, curve, 5, true, "lower");
  static const SupRigHelper bump = {"bump", "upper", {0.1, 0.8, 0}, 0.2, 0};
  SupRigLayer *layers = SUP_ALLOC(&lab->arena, SupRigLayer, 2);
  SupRigControl *controls = SUP_ALLOC(&lab->arena, SupRigControl, 100);
  SupRigTarget *linked = SUP_ALLOC(&lab->arena, SupRigTarget, 4);
  layers[0] = box.layers[0];
  layers[1] = wire.layers[0];
  linked[0] = (SupRigTarget){SUP_RIG_JOINT_TURN, "bump", {0}, 1, 2};
  linked[1] = (SupRigTarget){SUP_RIG_JOINT_SCALE, "upper", {0}, 0, -0.3};
  linked[2] = (SupRigTarget){SUP_RIG_LATTICE_POINT, "box", {1, 1, 1}, 2, 0.1};
  linked[3] = (SupRigTarget){SUP_RIG_MORPH, "bulge", {0}, 0, 1};
  controls[0] = (SupRigControl){
      .base = {.name = "linked", .zone = "", NUMBERS}, .target_count = 4, .targets = linked};
  for (uint32_t k = 0; k < 72; k++) controls[1 + k] = box.controls[k];
  for (uint32_t k = 0; k < 25; k++) {
    controls[73 + k] = wire.controls[k];
    controls[73 + k].base.name =
        sup_arena_string(&lab->arena, (const char[]){'w', (char)('a' + k)}, 2);
  }
  return (SupRigDef){.name = "all",
                     .about = "",
                     .helper_count = 1,
                     .helpers = &bump,
                     .layer_count = 2,
                     .layers = layers,
                     .control_count = 98,
                     .controls = controls,
                     .script_rest = true};
}

static void test_all_together(void **state) {
  (void)state;
  Lab *lab = lab_create("tube", 500);
  const SupRigDef def = everything(lab);
  const SupCharacterRig *rig = lab_rig(lab, &def);
  const double error = jacobian_error(lab, sup_character_rig(rig), 11, 1, 0.3);
  print_message("all layers: %.1e\n", error);
  assert_true(error < 1e-7);
  assert_int_equal(sup_character_rig_lattice_column(rig, 1, 0, NULL, NULL), 0);
  lab_free(lab);
}

/* A batch, threads, and some of the vertices: the same bits. */
static void test_same_bits(void **state) {
  (void)state;
  Lab *lab = lab_create("tube", 500);
  SupError error;
  const SupRigDef def = everything(lab);
  const SupCharacterRig *one = lab_rig(lab, &def), *many, *some;
  SupPool *pool = sup_pool_create(sup_heap_allocator(), 3);
  const SupJobs jobs = sup_pool_jobs(pool);
  const uint32_t few[] = {7, 3, 499, 250}, vertices = lab->character.body.vertex_count;
  const SupCharacterRigDef threaded = {.character = &lab->character, .rig = &def, .jobs = &jobs};
  const SupCharacterRigDef part = {
      .character = &lab->character, .rig = &def, .vertex_count = 4, .vertices = few};
  assert_int_equal(sup_character_rig_create(&lab->arena, &threaded, &many, &error), SUP_OK);
  assert_int_equal(sup_character_rig_create(&lab->arena, &part, &some, &error), SUP_OK);
  const SupRig *a = sup_character_rig(one), *b = sup_character_rig(many),
               *c = sup_character_rig(some);
  const uint32_t n = a->parameter_count, vectors = 19;
  double *p = SUP_ALLOC(&lab->arena, double, (size_t)n *vectors);
  SupVec3d *x = SUP_ALLOC(&lab->arena, SupVec3d, (size_t)vertices * vectors);
  SupVec3d *y = SUP_ALLOC(&lab->arena, SupVec3d, (size_t)vertices * vectors);
  SupVec3d z[4];
  uint32_t columns[19];
  SupRng rng = sup_rng(12, 12);
  for (uint32_t k = 0; k < vectors; k++) {
    columns[k] = 5 * k;
    draw_parameters(a, &rng, 0.4, &p[(size_t)k * n]);
    assert_int_equal(sup_rig_evaluate(a, 1, &p[(size_t)k * n], &x[(size_t)k * vertices], &error),
                     SUP_OK);
    assert_int_equal(sup_rig_evaluate(c, 1, &p[(size_t)k * n], z, &error), SUP_OK);
    for (int v = 0; v < 4; v++) {
      assert_memory_equal(&z[v], &x[(size_t)k * vertices + few[v]], sizeof z[v]);
    }
  }
  assert_int_equal(sup_rig_evaluate(b, vectors, p, y, &error), SUP_OK);
  assert_memory_equal(x, y, (size_t)vertices * vectors * sizeof *x);
  assert_int_equal(sup_rig_jacobian(&lab->arena, a, p, vectors, columns, x, &error), SUP_OK);
  assert_int_equal(sup_rig_jacobian(&lab->arena, b, p, vectors, columns, y, &error), SUP_OK);
  assert_memory_equal(x, y, (size_t)vertices * vectors * sizeof *x);
  sup_pool_destroy(pool);
  lab_free(lab);
}

/* Every allocation fails once: a sentence, nothing lost. */
static void test_short_memory(void **state) {
  (void)state;
  Lab *lab = lab_create("tube", 500);
  const SupRigDef def = everything(lab);
  const SupCharacterRigDef all = {.character = &lab->character, .rig = &def};
  bool done = false;
  for (size_t k = 1; !done; k++) {
    CountingHeap heap = {.fail_at = k};
    SupArena arena;
    SupError error = {""};
    const SupCharacterRig *rig = NULL;
    sup_arena_init(&arena, counting_allocator(&heap), 0);
    SupResult result = sup_character_rig_create(&arena, &all, &rig, &error);
    done = result == SUP_OK;
    if (!done) {
      assert_int_equal(result, SUP_ERROR_MEMORY);
      assert_non_null(strstr(error.text, "memory"));
      assert_null(rig);
    }
    sup_arena_free(&arena);
    assert_int_equal(heap.live_blocks, 0);
  }
  lab_free(lab);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_joint_jacobian),  cmocka_unit_test(test_clips_play_through),
      cmocka_unit_test(test_rotations_go_on), cmocka_unit_test(test_turn_is_relative),
      cmocka_unit_test(test_helpers),         cmocka_unit_test(test_helper_limit),
      cmocka_unit_test(test_lattice),         cmocka_unit_test(test_lattice_as_morphs),
      cmocka_unit_test(test_wire_jacobian),   cmocka_unit_test(test_wire_rigid),
      cmocka_unit_test(test_all_together),    cmocka_unit_test(test_same_bits),
      cmocka_unit_test(test_short_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
