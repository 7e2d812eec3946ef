/* SPDX-License-Identifier: MIT */
/* Any rig: differences against known derivatives, what is refused and how, the example rigs. */
#include "rig/characters.h"
#include "supple/rig/rig_examples.h"

#define COUNT(a) ((uint32_t)(sizeof(a) / sizeof(a)[0]))

/* ---- A rig whose derivatives are known ------------------------------------------------------ */

typedef struct Toy {
  bool single;   /* round to floats */
  bool wild;     /* answer something that is not a number */
  bool dead;     /* answer nothing */
  uint32_t most; /* largest batch seen */
} Toy;

/* Vertex 0: (sin p0, p0 p1, p1^2); vertex 1: (10 + p0, 0, 0); parameter 2 has no effect at all,
 * parameter 3 none at rest: vertex 2 is (p3^2, 0, 0). */
static SupResult toy_evaluate(void *user, uint32_t count, const double *p, SupVec3d *out,
                              SupError *error) {
  Toy *toy = user;
  if (toy->dead) return sup_fail(error, SUP_ERROR_IO, "the rig died");
  if (count > toy->most) toy->most = count;
  for (uint32_t k = 0; k < count; k++, p += 4, out += 3) {
    out[0] = (SupVec3d){sin(p[0]), p[0] * p[1], p[1] * p[1]};
    out[1] = (SupVec3d){10 + p[0], 0, 0};
    out[2] = (SupVec3d){p[3] * p[3], 0, 0};
    for (int v = 0; toy->single && v < 3; v++) {
      out[v] = sup_vec3_to_double(sup_vec3d_to_float(out[v]));
    }
    if (toy->wild) out[1].y = NAN;
  }
  return SUP_OK;
}

static const SupRigParameter toy_parameters[] = {{"a", "", 0, -1, 1, 2, SUP_RIG_FREE, 0},
                                                 {"b", "z", 0, -1, 1, 2, SUP_RIG_FREE, 7},
                                                 {"idle", "", 0, -1, 1, 2, SUP_RIG_LOCKED, 8},
                                                 {"late", "", 0, -1, 1, 2, SUP_RIG_FREE, 0}};

static SupRig toy_rig(Toy *toy) {
  return (SupRig){.parameter_count = 4,
                  .parameters = toy_parameters,
                  .vertex_count = 3,
                  .single_precision = toy->single,
                  .user = toy,
                  .evaluate = toy_evaluate};
}

static SupArena heap_arena(void) {
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  return arena;
}

static void test_differences(void **state) {
  (void)state;
  SupArena arena = heap_arena();
  SupError error;
  for (int single = 0; single < 2; single++) {
    Toy toy = {.single = single};
    const SupRig rig = toy_rig(&toy);
    /* Inside, at either bound, and just beside one. */
    const double places[] = {0.3, -1, 1, 1 - 1e-9};
    const uint32_t columns[] = {1, 0};
    SupVec3d found[6];
    for (uint32_t k = 0; k < COUNT(places); k++) {
      const double a = places[k], b = -0.6, p[] = {a, b, 0, 0};
      assert_int_equal(sup_rig_jacobian(&arena, &rig, p, 2, columns, found, &error), SUP_OK);
      const SupVec3d wanted[6] = {{0, a, 2 * b},  {0, 0, 0}, {0, 0, 0},
                                  {cos(a), b, 0}, {1, 0, 0}, {0, 0, 0}};
      assert_true(largest_distance(found, wanted, 6) < (single ? 3e-4 : 1e-9));
    }
  }
  sup_arena_free(&arena);
}

/* Many columns come in few calls of at most 64 vectors. */
static void test_batches(void **state) {
  (void)state;
  SupArena arena = heap_arena();
  SupError error;
  Toy toy = {0};
  const SupRig rig = toy_rig(&toy);
  uint32_t columns[100];
  SupVec3d *found = SUP_ALLOC(&arena, SupVec3d, 300);
  const double p[4] = {0.1, 0.2, 0.3, 0.4};
  for (uint32_t k = 0; k < 100; k++) columns[k] = k % 4;
  assert_int_equal(sup_rig_differences(&arena, &rig, p, 100, columns, found, &error), SUP_OK);
  assert_int_equal(toy.most, 64);
  for (uint32_t k = 4; k < 100; k++) {
    assert_memory_equal(&found[3 * k], &found[3 * (k % 4)], 3 * sizeof *found);
  }
  sup_arena_free(&arena);
}

/* ---- What is refused ------------------------------------------------------------------------ */

static void test_check(void **state) {
  (void)state;
  const struct {
    SupRigParameter p;
    const char *sentence;
  } cases[] = {
      {{"a", "", 0, -1, 1, 2, SUP_RIG_FREE, 0}, NULL},
      {{"", "", 0, -1, 1, 2, SUP_RIG_FREE, 3}, "parameter 1 of the rig has no name"},
      {{"other", "", 0, -1, 1, 2, SUP_RIG_FREE, 3}, "'other' (line 3): another parameter has"},
      {{"a", "", NAN, -1, 1, 2, SUP_RIG_FREE, 3}, "'a' (line 3): its rest value must be"},
      {{"a", "", 0, 1, 2, 2, SUP_RIG_FREE, 3}, "range, 1 to 2, excludes its rest value 0; widen"},
      {{"a", "", 0, 0, 0, 2, SUP_RIG_FREE, 3}, "its range must go from a number to a larger one"},
      {{"a", "", 0, NAN, 1, 2, SUP_RIG_FREE, 3}, "its range must go from"},
      {{"a", "", 0, -1, 1, 0, SUP_RIG_FREE, 3}, "its scale must be a finite number above 0"},
      {{"a", "", 0, -INFINITY, INFINITY, 1, SUP_RIG_LOCKED, 0}, NULL},
      {{"a", "", 0, -INFINITY, INFINITY, INFINITY, SUP_RIG_FREE, 0}, "its scale must be"},
      {{"a", "", 0, -1, 1, 2, SUP_RIG_BY_ZONE, 0}, "its role must be free, scripted or locked"},
  };
  SupArena arena = heap_arena();
  for (uint32_t k = 0; k < COUNT(cases); k++) {
    SupError error = {""};
    Toy toy = {0};
    SupRigParameter parameters[2] = {{"other", "", 0, -1, 1, 2, SUP_RIG_FREE, 0}, cases[k].p};
    SupRig rig = toy_rig(&toy);
    rig.parameter_count = 2;
    rig.parameters = parameters;
    SupResult result = sup_rig_check(&arena, &rig, &error);
    assert_int_equal(result, cases[k].sentence ? SUP_ERROR_FORMAT : SUP_OK);
    if (!cases[k].sentence) continue;
    if (!strstr(error.text, cases[k].sentence)) print_error("%s\n", error.text);
    assert_non_null(strstr(error.text, cases[k].sentence));
  }
  SupError error;
  SupRig empty = {.vertex_count = 0, .parameter_count = 1, .parameters = toy_parameters};
  assert_int_equal(sup_rig_check(&arena, &empty, &error), SUP_ERROR_FORMAT);
  assert_string_equal(error.text, "the rig has no vertices");
  empty = (SupRig){.vertex_count = 1};
  assert_int_equal(sup_rig_check(&arena, &empty, &error), SUP_ERROR_FORMAT);
  assert_string_equal(error.text, "the rig has 0 parameters; it must have 1 to 100000");
  sup_arena_free(&arena);
}

static void test_bad_answers(void **state) {
  (void)state;
  SupArena arena = heap_arena();
  SupError error;
  SupVec3d x[3];
  const double p[4] = {0, 0, 0, 0}, q[4] = {0, INFINITY, 0, 0};
  const uint32_t column = 0;
  Toy wild = {.wild = true}, dead = {.dead = true}, good = {0};
  SupRig rig = toy_rig(&wild);
  assert_int_equal(sup_rig_evaluate(&rig, 1, p, x, &error), SUP_ERROR_NUMERIC);
  assert_string_equal(error.text,
                      "the rig puts vertex 1 at no finite place; check it with these parameters");
  assert_int_equal(sup_rig_jacobian(&arena, &rig, p, 1, &column, x, &error), SUP_ERROR_NUMERIC);
  rig = toy_rig(&dead);
  assert_int_equal(sup_rig_check_effects(&arena, &rig, 1, &error), SUP_ERROR_IO);
  assert_string_equal(error.text, "the rig died");
  rig = toy_rig(&good);
  assert_int_equal(sup_rig_evaluate(&rig, 1, q, x, &error), SUP_ERROR_NUMERIC);
  assert_string_equal(error.text, "parameter 'b' of the rig is not a finite number");
  sup_arena_free(&arena);
}

static void test_effects(void **state) {
  (void)state;
  SupArena arena = heap_arena();
  SupError error;
  Toy toy = {0};
  SupRigParameter parameters[4];
  memcpy(parameters, toy_parameters, sizeof parameters);
  SupRig rig = toy_rig(&toy);
  rig.parameters = parameters;
  assert_int_equal(sup_rig_check_effects(&arena, &rig, 1, &error), SUP_OK); /* idle is locked */
  parameters[2].role = SUP_RIG_FREE;
  assert_int_equal(sup_rig_check_effects(&arena, &rig, 1, &error), SUP_ERROR_FORMAT);
  assert_string_equal(error.text, "free parameter 'idle' (line 8) moves no vertex; lock it");
  assert_int_equal(sup_rig_parameters(&rig, SUP_RIG_FREE, NULL), 4);
  sup_arena_free(&arena);
}

/* ---- The example rigs ----------------------------------------------------------------------- */

static void test_examples(void **state) {
  (void)state;
  static const uint32_t sizes[] = {13, 36, 174};
  assert_int_equal(sup_rig_example_count(), 3);
  for (uint32_t k = 0; k < 3; k++) {
    const SupRigExampleInfo info = sup_rig_example_info(k);
    Lab *lab = lab_create(info.character, 1500);
    SupRigDef def;
    SupError error = {""};
    assert_int_equal(sup_rig_example(&lab->arena, info.name, &def, &error), SUP_OK);
    const SupRig *rig = sup_character_rig(lab_rig(lab, &def));
    assert_int_equal(info.free_count, sizes[k]);
    assert_int_equal(sup_rig_parameters(rig, SUP_RIG_FREE, NULL), sizes[k]);
    SupResult result = sup_rig_check_effects(&lab->arena, rig, 1, &error);
    if (result != SUP_OK) print_error("%s\n", error.text);
    assert_int_equal(result, SUP_OK);
    const double found = jacobian_error(lab, rig, 20 + k, 1, 0.5);
    print_message("%s: %u parameters, %.1e\n", info.name, rig->parameter_count, found);
    assert_true(found < 1e-7);
    lab_free(lab);
  }
  SupArena arena = heap_arena();
  SupRigDef def;
  SupError error;
  assert_int_equal(sup_rig_example(&arena, "truk", &def, &error), SUP_ERROR_ARGUMENT);
  assert_non_null(strstr(error.text, "did you mean 'trunk'?"));
  sup_arena_free(&arena);
}

/* ---- What a character's rig refuses --------------------------------------------------------- */

typedef struct Refusal {
  SupRigHelper helper;
  SupRigLayer layer;
  SupRigTarget target;
  double low;
  const char *zone, *sentence;
} Refusal;

#define BOX                                                                      \
  .kind = SUP_RIG_LATTICE, .name = "box", .low = {-1, 0, -1}, .high = {1, 2, 1}, \
  .points = {2, 2, 2}, .line = 4
#define BUMP "bump", "upper", {0.1, 0.8, 0}, 0.2, 5
#define POINT \
  { SUP_RIG_LATTICE_POINT, "box", {1, 1, 1}, 0, 1 }

static const SupVec3d same[] = {{0, 0, 0}, {0, 1, 0}, {0, 1, 0}}, far[] = {{9, 0, 0}, {9, 1, 0}};

static const Refusal refusals[] = {
    {{BUMP}, {BOX}, POINT, NAN, "", NULL},
    {{BUMP},
     {BOX},
     {SUP_RIG_JOINT_TURN, "uper", {0}, 0, 1},
     NAN,
     "",
     "parameter 'p' (line 9): there is no joint 'uper'; did you mean 'upper'?"},
    {{BUMP},
     {BOX},
     {SUP_RIG_MORPH, "bulg", {0}, 0, 1},
     NAN,
     "",
     "parameter 'p' (line 9): there is no morph target 'bulg'; did you mean 'bulge'?"},
    {{BUMP}, {BOX}, {SUP_RIG_WIRE_TWIST, "box", {0}, 0, 1}, NAN, "", "this is no wire: 'box'"},
    {{BUMP},
     {BOX},
     {SUP_RIG_LATTICE_POINT, "bx", {0}, 0, 1},
     NAN,
     "",
     "there is no lattice 'bx'; did you mean 'box'?"},
    {{BUMP},
     {BOX},
     {SUP_RIG_LATTICE_POINT, "box", {0, 2, 0}, 0, 1},
     NAN,
     "",
     "it names a point beyond the last one of 'box'"},
    {{BUMP},
     {BOX},
     {SUP_RIG_LATTICE_POINT, "box", {0}, 0, 0},
     NAN,
     "",
     "the factor must be a finite number other than 0"},
    {{BUMP}, {BOX}, POINT, 0.01, "", "its range, 0.01 to"},
    {{BUMP}, {BOX}, POINT, NAN, "bely", "there is no zone 'bely'; did you mean 'belly'?"},
    {{"bump", "uper", {0, 0, 0}, 0.2, 5},
     {BOX},
     POINT,
     NAN,
     "",
     "helper 'bump' (line 5): there is no joint 'uper'; did you mean 'upper'?"},
    {{"lower", "upper", {0, 0, 0}, 0.2, 5}, {BOX}, POINT, NAN, "", "a joint has the same name"},
    {{"bump", "upper", {5, 0, 0}, 0.2, 5},
     {BOX},
     POINT,
     NAN,
     "",
     "it reaches no vertex that its parent moves"},
    {{"bump", "upper", {NAN, 0, 0}, 0.2, 5}, {BOX}, POINT, NAN, "", "three finite numbers"},
    {{"bump", "upper", {0, 0, 0}, -1, 5}, {BOX}, POINT, NAN, "", "radius must be a finite number"},
    {{BUMP}, {BOX, .joint = "upper"}, POINT, NAN, "", "a joint can carry it after skinning only"},
    {{BUMP},
     {BOX, .joint = "uper", .after_skinning = true},
     POINT,
     NAN,
     "",
     "lattice 'box' (line 4): there is no joint 'uper'; did you mean 'upper'?"},
    {{BUMP},
     {.kind = SUP_RIG_LATTICE,
      .name = "box",
      .low = {1, 0, 0},
      .high = {1, 1, 1},
      .points = {2, 2, 2},
      .line = 4},
     POINT,
     NAN,
     "",
     "must be below that of its high"},
    {{BUMP},
     {.kind = SUP_RIG_LATTICE,
      .name = "box",
      .low = {5, 0, 0},
      .high = {6, 1, 1},
      .points = {2, 2, 2},
      .line = 4},
     POINT,
     NAN,
     "",
     "no vertex lies inside its box"},
    {{BUMP},
     {.kind = SUP_RIG_LATTICE,
      .name = "box",
      .low = {0, 0, 0},
      .high = {1, 1, 1},
      .points = {2, 2, 17},
      .line = 4},
     POINT,
     NAN,
     "",
     "too few or too many points"},
    {{BUMP},
     {.kind = SUP_RIG_WIRE, .name = "w", .curve_count = 3, .curve = same, .fade = 1},
     {SUP_RIG_WIRE_TWIST, "w", {0}, 0, 1},
     NAN,
     "",
     "its points 1 and 2 are the same"},
    {{BUMP},
     {.kind = SUP_RIG_WIRE, .name = "w", .curve_count = 2, .curve = same},
     {SUP_RIG_WIRE_TWIST, "w", {0}, 0, 1},
     NAN,
     "",
     "its radius must be 0 or more and its fade"},
    {{BUMP},
     {.kind = SUP_RIG_WIRE, .name = "w", .curve_count = 2, .curve = far, .fade = 1},
     {SUP_RIG_WIRE_TWIST, "w", {0}, 0, 1},
     NAN,
     "",
     "it reaches no vertex; move its points"},
    {{BUMP},
     {.kind = SUP_RIG_WIRE, .name = "w", .curve_count = 2, .curve = same, .fade = 1},
     {SUP_RIG_WIRE_TWIST, "w", {2}, 0, 1},
     NAN,
     "",
     "a point beyond the last one of 'w'"},
};

static void test_refusals(void **state) {
  (void)state;
  Lab *lab = lab_create("tube", 500);
  static const SupRigZone zone = {"belly", SUP_RIG_LOCKED, 2};
  for (uint32_t k = 0; k < COUNT(refusals); k++) {
    const Refusal *r = &refusals[k];
    SupError error = {""};
    const SupCharacterRig *rig = NULL;
    const SupRigControl control = {.base = {.name = "p",
                                            .zone = r->zone,
                                            .rest = NAN,
                                            .low = r->low,
                                            .high = NAN,
                                            .scale = NAN,
                                            .role = SUP_RIG_BY_ZONE,
                                            .line = 9},
                                   .target_count = 1,
                                   .targets = &r->target};
    const SupRigDef def = {.name = "bad",
                           .about = "",
                           .helper_count = 1,
                           .helpers = &r->helper,
                           .layer_count = 1,
                           .layers = &r->layer,
                           .zone_count = 1,
                           .zones = &zone,
                           .control_count = 1,
                           .controls = &control};
    const SupCharacterRigDef all = {.character = &lab->character, .rig = &def};
    SupResult result = sup_character_rig_create(&lab->arena, &all, &rig, &error);
    assert_int_equal(result, r->sentence ? SUP_ERROR_FORMAT : SUP_OK);
    if (!r->sentence) continue;
    if (!strstr(error.text, r->sentence)) print_error("%s\n", error.text);
    assert_non_null(strstr(error.text, r->sentence));
    assert_null(rig);
  }
  const uint32_t beyond = 500000;
  SupError error;
  const SupCharacterRig *rig = NULL;
  const SupRigDef def = {.name = "plain", .about = "", .script_rest = true};
  const SupCharacterRigDef part = {
      .character = &lab->character, .rig = &def, .vertex_count = 1, .vertices = &beyond};
  assert_int_equal(sup_character_rig_create(&lab->arena, &part, &rig, &error), SUP_ERROR_ARGUMENT);
  lab_free(lab);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_differences), cmocka_unit_test(test_batches),
      cmocka_unit_test(test_check),       cmocka_unit_test(test_bad_answers),
      cmocka_unit_test(test_effects),     cmocka_unit_test(test_examples),
      cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
