/* SPDX-License-Identifier: MIT */
/* The example rigs, as tables: which joints, helpers and lattice points move, and how far. */
#include "supple/rig/rig_examples.h"

#include <math.h>
#include <string.h>

#define COUNT(a) ((uint32_t)(sizeof(a) / sizeof(a)[0]))
#define CONTROLS_MAX 200u

typedef struct Build {
  SupArena *arena;
  SupRigControl *controls; /* [CONTROLS_MAX] */
  uint32_t count;
  bool failed;
} Build;

/* ---- Controls ------------------------------------------------------------------------------- */

/* One parameter that drives one channel, between low and high around the neutral value. */
static void add(Build *b, const char *name, const char *zone, double low, double high,
                SupRigTarget target) {
  SupRigTarget *copy = SUP_COPY(b->arena, SupRigTarget, &target, 1);
  char *text = sup_arena_string(b->arena, name, strlen(name));
  b->failed |= !copy || !text || b->count == CONTROLS_MAX;
  if (b->failed) return;
  b->controls[b->count++] = (SupRigControl){.base = {.name = text,
                                                     .zone = zone,
                                                     .rest = NAN,
                                                     .low = low,
                                                     .high = high,
                                                     .scale = NAN,
                                                     .role = SUP_RIG_BY_ZONE},
                                            .target_count = 1,
                                            .targets = copy};
}

/* Three parameters, "JOINT.CHANNEL.x" to z. */
static void add_joint3(Build *b, const char *joint, const char *zone, SupRigTargetKind kind,
                       double low, double high) {
  static const char *const channels[] = {"translation", "rotation", "turn", "scale"};
  for (uint32_t axis = 0; axis < 3; axis++) {
    char name[96];
    sup_format(name, sizeof name, "%s.%s.%c", joint, channels[kind], "xyz"[axis]);
    add(b, name, zone, low, high,
        (SupRigTarget){.kind = kind, .name = joint, .axis = axis, .factor = 1});
  }
}

/* A box of control points, first to last along each axis, in three directions each. */
static void add_lattice(Build *b, const char *lattice, const char *zone, const uint32_t first[3],
                        const uint32_t last[3], double reach) {
  for (uint32_t k = first[2]; k <= last[2]; k++) {
    for (uint32_t j = first[1]; j <= last[1]; j++) {
      for (uint32_t i = first[0]; i <= last[0]; i++) {
        for (uint32_t axis = 0; axis < 3; axis++) {
          char name[96];
          sup_format(name, sizeof name, "%s.%u%u%u.%c", lattice, i, j, k, "xyz"[axis]);
          add(b, name, zone, -reach, reach,
              (SupRigTarget){.kind = SUP_RIG_LATTICE_POINT,
                             .name = lattice,
                             .point = {i, j, k},
                             .axis = axis,
                             .factor = 1});
        }
      }
    }
  }
}

/* ---- trunk: the tube with a wire ------------------------------------------------------------ */

static const SupVec3d trunk_curve[] = {{0, 0, 0},   {0, 0.2, 0}, {0, 0.4, 0},
                                       {0, 0.6, 0}, {0, 0.8, 0}, {0, 1, 0}};
static const SupRigLayer trunk_layers[] = {{.kind = SUP_RIG_WIRE,
                                            .name = "trunk",
                                            .after_skinning = true,
                                            .joint = "lower",
                                            .curve_count = COUNT(trunk_curve),
                                            .curve = trunk_curve,
                                            .radius = 0.2,
                                            .fade = 0.1}};

/* Points 0 and 1 hold the root and its direction; 2 to 5 move, the tip also twists. */
static void make_trunk(Build *b, SupRigDef *def) {
  def->about = "A trunk: the tube on a wire whose outer control points move. 13 free parameters.";
  def->layers = trunk_layers;
  def->layer_count = COUNT(trunk_layers);
  for (uint32_t point = 2; point < COUNT(trunk_curve); point++) {
    for (uint32_t axis = 0; axis < 3; axis++) {
      char name[96];
      sup_format(name, sizeof name, "trunk.%u.%c", point, "xyz"[axis]);
      add(b, name, "trunk", -0.25, 0.25,
          (SupRigTarget){.kind = SUP_RIG_WIRE_POINT,
                         .name = "trunk",
                         .point = {point, 0, 0},
                         .axis = axis,
                         .factor = 1});
    }
  }
  add(b, "trunk.5.twist", "trunk", -1.5, 1.5,
      (SupRigTarget){.kind = SUP_RIG_WIRE_TWIST, .name = "trunk", .point = {5, 0, 0}, .factor = 1});
}

/* ---- belly: mochi's, in a lattice ----------------------------------------------------------- */

static const SupRigLayer belly_layers[] = {{.kind = SUP_RIG_LATTICE,
                                            .name = "belly",
                                            .low = {-0.28, 0.12, -0.02},
                                            .high = {0.28, 0.50, 0.31},
                                            .points = {4, 5, 4}}};

/* The points inside the box: its faces stay, so the skin goes on without a step. */
static void add_belly(Build *b) {
  add_lattice(b, "belly", "belly", (uint32_t[3]){1, 1, 1}, (uint32_t[3]){2, 3, 2}, 0.15);
}

static void make_belly(Build *b, SupRigDef *def) {
  def->about = "A belly: the inner control points of a lattice around mochi's. 36 free parameters.";
  def->layers = belly_layers;
  def->layer_count = COUNT(belly_layers);
  add_belly(b);
}

/* ---- mochi: a whole body -------------------------------------------------------------------- */

static const SupRigHelper mochi_helpers[] = {
    {"cheek_l", "head", {0.180, 0.605, 0.130}, 0.13, 0},
    {"cheek_r", "head", {-0.180, 0.605, 0.130}, 0.13, 0},
    {"muzzle", "head", {0, 0.612, 0.200}, 0.10, 0},
    {"crown", "head", {0, 0.830, 0}, 0.15, 0},
    {"bosom", "chest", {0, 0.460, 0.120}, 0.15, 0},
    {"bottom_l", "hips", {0.120, 0.250, -0.150}, 0.15, 0},
    {"bottom_r", "hips", {-0.120, 0.250, -0.150}, 0.15, 0},
    {"thigh_flesh_l", "thigh_l", {0.150, 0.180, 0.080}, 0.13, 0},
    {"thigh_flesh_r", "thigh_r", {-0.150, 0.180, 0.080}, 0.13, 0},
    {"arm_flesh_l", "upper_arm_l", {0.210, 0.440, 0.020}, 0.10, 0},
    {"arm_flesh_r", "upper_arm_r", {-0.210, 0.440, 0.020}, 0.10, 0},
    {"forearm_flesh_l", "forearm_l", {0.290, 0.395, 0.050}, 0.09, 0},
    {"forearm_flesh_r", "forearm_r", {-0.290, 0.395, 0.050}, 0.09, 0},
};

/* Which joints and helpers translate, turn and, where said, scale. 6 or 9 parameters each. */
static const struct {
  const char *joint, *zone;
  double reach; /* of translations, metres */
  bool scales;
} mochi_joints[] = {
    {"cheek_l", "cheeks", 0.05, true},        {"cheek_r", "cheeks", 0.05, true},
    {"muzzle", "cheeks", 0.03, true},         {"crown", "head", 0.04, false},
    {"bosom", "chest", 0.05, true},           {"bottom_l", "bottom", 0.05, true},
    {"bottom_r", "bottom", 0.05, true},       {"thigh_flesh_l", "legs", 0.04, false},
    {"thigh_flesh_r", "legs", 0.04, false},   {"arm_flesh_l", "arms", 0.03, false},
    {"arm_flesh_r", "arms", 0.03, false},     {"forearm_flesh_l", "arms", 0.03, false},
    {"forearm_flesh_r", "arms", 0.03, false}, {"ear_l1", "ears", 0.03, false},
    {"ear_l2", "ears", 0.03, false},          {"ear_r1", "ears", 0.03, false},
    {"ear_r2", "ears", 0.03, false},          {"tail1", "tail", 0.04, false},
    {"tail2", "tail", 0.04, false},           {"tail3", "tail", 0.04, false},
};

static void make_mochi(Build *b, SupRigDef *def) {
  def->about =
      "mochi whole: belly, cheeks, head, chest, bottom, legs, arms, ears and tail. 174 "
      "free parameters.";
  def->helpers = mochi_helpers;
  def->helper_count = COUNT(mochi_helpers);
  def->layers = belly_layers;
  def->layer_count = COUNT(belly_layers);
  add_belly(b);
  for (uint32_t k = 0; k < COUNT(mochi_joints); k++) {
    const char *joint = mochi_joints[k].joint, *zone = mochi_joints[k].zone;
    const double reach = mochi_joints[k].reach;
    add_joint3(b, joint, zone, SUP_RIG_JOINT_TRANSLATION, -reach, reach);
    add_joint3(b, joint, zone, SUP_RIG_JOINT_TURN, -0.6, 0.6);
    if (mochi_joints[k].scales) add_joint3(b, joint, zone, SUP_RIG_JOINT_SCALE, 0.6, 1.5);
  }
}

/* ---- The list ------------------------------------------------------------------------------- */

static const struct {
  SupRigExampleInfo info;
  void (*make)(Build *, SupRigDef *);
} examples[] = {
    {{"trunk", "tube", "a trunk on a wire", 13}, make_trunk},
    {{"belly", "mochi", "a belly in a lattice", 36}, make_belly},
    {{"mochi", "mochi", "a whole body: helper joints, joints and a lattice", 174}, make_mochi},
};

uint32_t sup_rig_example_count(void) { return COUNT(examples); }

SupRigExampleInfo sup_rig_example_info(uint32_t index) { return examples[index].info; }

SupResult sup_rig_example(SupArena *arena, const char *name, SupRigDef *out_def, SupError *error) {
  for (uint32_t k = 0; k < COUNT(examples); k++) {
    if (strcmp(examples[k].info.name, name) != 0) continue;
    SupRigDef def = {.name = examples[k].info.name, .about = "", .script_rest = true};
    Build build = {.arena = arena, .controls = SUP_ALLOC(arena, SupRigControl, CONTROLS_MAX)};
    if (!build.controls) return sup_fail_memory(error, "the rig");
    examples[k].make(&build, &def);
    if (build.failed) return sup_fail_memory(error, "the rig");
    def.control_count = build.count;
    def.controls = build.controls;
    *out_def = def;
    return SUP_OK;
  }
  char hint[96];
  const char *nearest =
      sup_nearest_member(name, &examples[0].info.name, sizeof examples[0], COUNT(examples));
  return sup_fail(error, SUP_ERROR_ARGUMENT,
                  "there is no example rig '%s'; there are trunk, belly and mochi%s", name,
                  sup_did_you_mean(hint, sizeof hint, nearest));
}
