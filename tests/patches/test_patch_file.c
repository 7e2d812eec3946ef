/* SPDX-License-Identifier: MIT */
/* Patch files: round trip, and a sentence with line and name for everything that is wrong. */
#include <math.h>

#include "ball.h"
#include "supple/io/patch_file.h"

/* Every kind of item in an unusual order, awkward names and numbers. */
static const char full[] =
    "{\"patch_file\": 1, \"zones\": {\"arm.l\": \"solid\",\n"
    " \"belly\": \"stratum\",\n"
    "  \"leg\": {\"kind\": \"solid\", \"bone\": [\"hip\", \"knee \\\"k\\\"\"], \"poisson\": 0.3,\n"
    "   \"slices\": 9, \"levels\": 0},\n"
    "  \"chest\": {\"kind\": \"stratum\", \"depth\": 0.05,\n"
    "   \"shell\": {\"a\": 0.02, \"c \\\"x\\\"\": [1, 2e-3, -3]}},\n"
    "  \"hand\": \"skinned\"},\n"
    " \"patches\": [{\"name\": \"p\\u00e4\", \"zone\": \"belly\", \"boundaries\": [\"ab\", \"bc\", "
    "\"ca\"]},\n"
    "  {\"name\": \"rest\", \"boundaries\": [\"ca\", \"bc\", \"ab\"]}],\n"
    " \"boundaries\": [\n"
    "  {\"name\": \"ab\", \"from\": \"a\", \"to\": \"b\", \"kind\": \"edges\",\n"
    "   \"through\": [[0.1, 0.2, 1e-3], [1, 2, 3]]},\n"
    "  {\"kind\": \"curve\", \"name\": \"bc\", \"from\": \"b\", \"to\": \"c \\\"x\\\"\",\n"
    "   \"points\": [[0, 0, 0], [0, 1, 0], [1, 1, 1]], \"weights\": [1, 0.3333333333333333, 2]},\n"
    "  {\"name\": \"ca\", \"from\": \"c \\\"x\\\"\", \"to\": \"a\", \"kind\": \"geodesic\"},\n"
    "  {\"name\": \"neck\", \"from\": \"d\", \"to\": \"d\", \"kind\": \"rim\"}],\n"
    " \"features\": [{\"name\": \"a\", \"vertex\": 7, \"position\": [0.1, -0.0, 5e-324]},\n"
    "  {\"name\": \"b\", \"position\": [1, 2.5, 3]},\n"
    "  {\"name\": \"c \\\"x\\\"\", \"joint\": \"hip\", \"direction\": [0, 0, -1]},\n"
    "  {\"name\": \"d\", \"vertex\": 4294967294}],\n"
    " \"vertex_count\": 4294967294}\n";

static SupArena heap_arena(void) {
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  return arena;
}

static void same_place(SupVec3d a, SupVec3d b) { assert_memory_equal(&a, &b, sizeof a); }

/* What is said about the flesh of the zones of `full`. */
static void check_flesh(const SupPatchPlan *plan) {
  assert_int_equal(plan->zone_count, 5);
  const SupPatchFlesh *leg = plan->zones[2].flesh, *chest = plan->zones[3].flesh;
  assert_non_null(leg);
  assert_string_equal(leg->bone[0], "hip");
  assert_string_equal(leg->bone[1], "knee \"k\"");
  assert_true(leg->poisson == 0.3 && leg->depth == 0);
  assert_int_equal(leg->slices, 9);
  assert_int_equal(leg->levels, 0);
  assert_non_null(chest);
  assert_true(chest->depth == 0.05 && chest->slices == 0 && chest->levels == SUP_NONE);
  assert_int_equal(chest->shell_count, 2);
  assert_string_equal(chest->shell[0].feature, "a");
  assert_true(!chest->shell[0].placed && chest->shell[0].depth == 0.02);
  assert_true(chest->shell[1].placed);
  same_place(chest->shell[1].position, (SupVec3d){1, 2e-3, -3});
  assert_int_equal(plan->zones[4].kind, SUP_PATCH_ZONE_SKINNED);
}

static void test_round_trip(void **state) {
  (void)state;
  SupArena arena = heap_arena();
  SupError error = {""};
  SupPatchPlan plan, again;
  const char *text, *second;
  size_t bytes, length;
  SupResult result =
      sup_patch_file_parse(&arena, full, sizeof full - 1, "some/full.json", &plan, &error);
  if (result != SUP_OK) print_error("%s\n", error.text);
  assert_int_equal(result, SUP_OK);
  assert_string_equal(plan.source, "some/full.json");
  assert_int_equal(plan.vertex_count, 4294967294);
  assert_int_equal(plan.feature_count, 4);
  assert_int_equal(plan.features[0].place, SUP_PATCH_AT_VERTEX);
  assert_int_equal(plan.features[0].vertex, 7);
  assert_false(plan.features[0].no_position);
  assert_true(plan.features[0].position.z > 0 && signbit(plan.features[0].position.y));
  assert_int_equal(plan.features[1].place, SUP_PATCH_AT_POSITION);
  assert_int_equal(plan.features[1].line, 18);
  assert_int_equal(plan.features[2].place, SUP_PATCH_AT_LANDMARK);
  assert_string_equal(plan.features[2].joint, "hip");
  assert_true(plan.features[2].direction.z == -1);
  assert_true(plan.features[3].no_position && plan.features[3].vertex == 4294967294);
  assert_int_equal(plan.boundaries[0].kind, SUP_PATCH_EDGES);
  assert_int_equal(plan.boundaries[0].point_count, 2);
  assert_int_equal(plan.boundaries[1].kind, SUP_PATCH_CURVE);
  assert_int_equal(plan.boundaries[1].to, 2);
  assert_int_equal(plan.boundaries[1].line, 13);
  assert_true(plan.boundaries[1].weights[1] == 0.3333333333333333);
  assert_null(plan.boundaries[2].weights);
  assert_int_equal(plan.boundaries[3].kind, SUP_PATCH_RIM);
  assert_string_equal(plan.names[0].name, "p\xc3\xa4");
  assert_string_equal(plan.names[0].zone, "belly");
  assert_int_equal(plan.names[1].boundaries[0], 2);
  assert_string_equal(plan.names[1].zone, "");
  assert_int_equal(plan.zones[0].kind, SUP_PATCH_ZONE_SOLID);
  assert_int_equal(plan.zones[1].line, 2);
  assert_null(plan.zones[0].flesh);
  check_flesh(&plan);
  /* Text, plan, text: nothing changes any more, to the bit. */
  assert_int_equal(sup_patch_file_text(&arena, &plan, &text, &bytes, &error), SUP_OK);
  assert_int_equal(sup_patch_file_parse(&arena, text, bytes, "again", &again, &error), SUP_OK);
  assert_int_equal(sup_patch_file_text(&arena, &again, &second, &length, &error), SUP_OK);
  assert_int_equal(bytes, length);
  assert_memory_equal(text, second, bytes);
  check_flesh(&again);
  for (uint32_t k = 0; k < 3; k++) {
    same_place(plan.features[k].position, again.features[k].position);
    same_place(plan.boundaries[1].points[k], again.boundaries[1].points[k]);
    assert_true(plan.boundaries[1].weights[k] == again.boundaries[1].weights[k]);
  }
  sup_arena_free(&arena);
}

/* Random plans of numbers of any size come back to the bit. */
static void test_numbers(void **state) {
  (void)state;
  SupRng rng = sup_rng(5, 0);
  SupPatchPlanFeature features[50];
  SupPatchPlanBoundary boundaries[50];
  char names[50][8];
  for (unsigned k = 0; k < 50; k++) {
    snprintf(names[k], sizeof names[k], "f%u", k);
    const double size = pow(10, 28 * sup_rng_double(&rng) - 14);
    features[k] = (SupPatchPlanFeature){.name = names[k], .vertex = sup_rng_below(&rng, 99999)};
    features[k].position = (SupVec3d){size * sup_rng_double(&rng), -size, 1 / size};
    boundaries[k] = (SupPatchPlanBoundary){.name = names[k], .from = k, .to = (k + 1) % 50};
  }
  const SupPatchPlan plan = {.source = "x",
                             .feature_count = 50,
                             .boundary_count = 50,
                             .features = features,
                             .boundaries = boundaries};
  SupArena arena = heap_arena();
  SupPatchPlan again;
  SupError error;
  const char *text;
  size_t bytes;
  assert_int_equal(sup_patch_file_text(&arena, &plan, &text, &bytes, &error), SUP_OK);
  const SupResult result = sup_patch_file_parse(&arena, text, bytes, "x", &again, &error);
  if (result != SUP_OK) print_error("%s\n", error.text);
  assert_int_equal(result, SUP_OK);
  for (unsigned k = 0; k < 50; k++) {
    same_place(features[k].position, again.features[k].position);
    assert_int_equal(features[k].vertex, again.features[k].vertex);
    assert_int_equal(boundaries[k].to, again.boundaries[k].to);
  }
  sup_arena_free(&arena);
}

#define A "{\"name\": \"a\", \"vertex\": 0}"
#define B "{\"name\": \"b\", \"vertex\": 1}"
#define AB "{\"name\": \"ab\", \"from\": \"a\", \"to\": \"b\", \"kind\": \"edges\"}"
#define FILE_OF(features, boundaries, more) \
  "{\"patch_file\": 1,\n\"features\": [" features "],\n\"boundaries\": [" boundaries "]" more "}"

static void test_sentences(void **state) {
  (void)state;
  static const struct {
    const char *text, *sentence;
  } cases[] = {
      {FILE_OF(A "," B, AB, ""), NULL},
      {"", "p.json: JSON, line 1, column 1: the text ends too early"},
      {"{\n\"patch_file\": 1,}", "p.json: JSON, line 2"},
      {"[]", "p.json, line 1: a patch file must be an object {...}"},
      {"{\"features\": []}", "p.json, line 1: a patch file needs \"patch_file\""},
      {"{\"patch_file\": 1}", "p.json, line 1: a patch file needs \"features\""},
      {"{\"patch_file\":\n2}", "p.json, line 2: \"patch_file\" must be 1: this program reads"},
      {"{\"patch_file\": 1,\n\"boundary\": []}",
       "p.json, line 2: a patch file has no key \"boundary\"; did you mean 'boundaries'?"},
      {"{\"patch_file\": 1,\n\"features\": 3}", "p.json, line 2: \"features\" must be a list"},
      {"{\"patch_file\": 1,\n\"vertex_count\": -1}",
       "p.json, line 2: \"vertex_count\" must be a whole number from 0 on"},
      {FILE_OF("3", AB, ""), "p.json, line 2: a feature must be an object {...}"},
      {FILE_OF(A ",\n{\"name\": \"\"}", AB, ""), "p.json, line 3: \"name\" must be a name"},
      {FILE_OF("{\"name\": \"a\"}", AB, ""),
       "p.json, line 2: feature 'a' needs \"vertex\", \"position\" or both, or \"joint\" with "
       "\"direction\""},
      {FILE_OF("{\"name\": \"a\", \"joint\": \"hip\"}", AB, ""), "line 2: feature 'a' needs"},
      {FILE_OF("{\"name\": \"a\", \"vertex\": 1, \"joint\": \"hip\", \"direction\": [0, 1, 0]}", AB,
               ""),
       "line 2: feature 'a' needs"},
      {FILE_OF("{\"name\": \"a\", \"vertex\": 4294967295}", AB, ""),
       "p.json, line 2: \"vertex\" must be a whole number from 0 on"},
      {FILE_OF("{\"name\": \"a\", \"vertex\": 1.5}", AB, ""), "\"vertex\" must be a whole number"},
      {FILE_OF("{\"name\": \"a\", \"position\": [1, 2]}", AB, ""),
       "p.json, line 2: \"position\" must be three numbers [x, y, z]"},
      {FILE_OF("{\"name\": \"a\", \"position\": [1, 2, NaN]}", AB, ""), "p.json: JSON, line 2"},
      {FILE_OF("{\"name\": \"a\", \"position\": [1, 2, 1e999]}", AB, ""), "p.json: JSON, line 2"},
      {FILE_OF("{\"name\": \"a\", \"position\": [1, 2, 1e300]}," B, AB, ""),
       "p.json, line 2: feature 'a' has a position that is not finite"},
      {FILE_OF("{\"name\": \"a\", \"joint\": \"hip\", \"direction\": [0, 0, 0]}," B, AB, ""),
       "p.json, line 2: feature 'a' needs a direction that is not zero"},
      {FILE_OF(A ",\n{\"name\": \"a\", \"vertex\": 2}," B, AB, ""),
       "p.json, line 3: another feature is called 'a'"},
      {FILE_OF(A ",\n{\"name\": \"c\", \"vertex\": 2}," B, AB, ""),
       "p.json, line 3: feature 'c' is the end of no boundary"},
      {FILE_OF(A "," B, AB ",\n" AB, ""), "p.json, line 4: another boundary is called 'ab'"},
      {FILE_OF(A "," B, "{\"name\": \"ab\", \"from\": \"a\", \"to\": \"belly\", \"kind\": \"rim\"}",
               ""),
       "p.json, line 3: there is no feature 'belly' for boundary 'ab'"},
      {FILE_OF("{\"name\": \"navel\", \"vertex\": 0}",
               "{\"name\": \"ab\", \"from\": \"navle\", \"to\": \"navel\", \"kind\": \"rim\"}", ""),
       "p.json, line 3: there is no feature 'navle' for boundary 'ab'; did you mean 'navel'?"},
      {FILE_OF(A, "{\"name\": \"ab\", \"from\": \"a\", \"to\": \"a\", \"kind\": \"edges\"}", ""),
       "p.json, line 3: boundary 'ab' ends where it begins"},
      {FILE_OF(A "," B,
               "{\"name\": \"ab\", \"from\": \"a\", \"to\": \"b\", \"kind\": \"geodesic\", "
               "\"through\": [[0, 1e19, 0]]}",
               ""),
       "p.json, line 3: boundary 'ab' has a point that is not finite"},
      {FILE_OF(A "," B,
               "{\"name\": \"ab\", \"from\": \"a\", \"to\": \"b\", \"kind\": \"curve\", "
               "\"points\": [[0, 0, 0], [1, 0, 0]], \"weights\": [1, 1e-310]}",
               ""),
       "p.json, line 3: boundary 'ab' has a weight that is not between 1e-9 and 1e9"},
      {FILE_OF(A "," B, "{\"name\": \"ab\", \"from\": \"a\", \"to\": \"b\"}", ""),
       "p.json, line 3: a boundary needs \"kind\""},
      {FILE_OF(A "," B, "{\"name\": \"ab\", \"from\": \"a\", \"to\": \"b\", \"kind\": \"line\"}",
               ""),
       "\"kind\" must be \"edges\", \"geodesic\", \"curve\" or \"rim\""},
      {FILE_OF(A "," B, "{\"name\": \"ab\", \"from\": \"a\", \"to\": \"b\", \"kind\": \"curve\"}",
               ""),
       "p.json, line 3: boundary 'ab' has \"points\" if it is a curve, else not"},
      {FILE_OF(A "," B,
               "{\"name\": \"ab\", \"from\": \"a\", \"to\": \"b\", \"kind\": \"curve\", "
               "\"points\": [[0, 1, 2]]}",
               ""),
       "p.json, line 3: boundary 'ab' needs 2 to 64 control points"},
      {FILE_OF(A "," B,
               "{\"name\": \"ab\", \"from\": \"a\", \"to\": \"b\", \"kind\": \"curve\", "
               "\"points\": [[0, 1, 2],\n[3]]}",
               ""),
       "p.json, line 4: \"points\" must be three numbers [x, y, z]"},
      {FILE_OF(A "," B,
               "{\"name\": \"ab\", \"from\": \"a\", \"to\": \"b\", \"kind\": \"curve\", "
               "\"points\": [[0, 1, 2], [3, 4, 5]], \"weights\": [1]}",
               ""),
       "p.json, line 3: boundary 'ab' needs as many \"weights\" as \"points\""},
      {FILE_OF(A "," B,
               "{\"name\": \"ab\", \"from\": \"a\", \"to\": \"b\", \"kind\": \"curve\", "
               "\"points\": [[0, 1, 2], [3, 4, 5]], \"weights\": [1, 0]}",
               ""),
       "p.json, line 3: boundary 'ab' has a weight that is not above 0"},
      {FILE_OF(A "," B,
               "{\"name\": \"ab\", \"from\": \"a\", \"to\": \"b\", \"kind\": \"rim\", "
               "\"weights\": [1]}",
               ""),
       "p.json, line 3: boundary 'ab' has \"weights\", but is no curve"},
      {FILE_OF(A "," B,
               "{\"name\": \"ab\", \"from\": \"a\", \"to\": \"b\", \"kind\": \"rim\", "
               "\"through\": [[0, 1, 2]]}",
               ""),
       "p.json, line 3: boundary 'ab' goes \"through\" places: no curve or rim does"},
      {FILE_OF(A "," B, AB, ",\n\"patches\": [{\"name\": \"p\", \"boundaries\": [\"ba\"]}]"),
       "p.json, line 4: there is no boundary 'ba' for patch 'p'; did you mean 'ab'?"},
      {FILE_OF(A "," B, AB, ",\n\"patches\": [{\"name\": \"p\", \"boundaries\": [7]}]"),
       "p.json, line 4: \"boundaries\" must be a list of names"},
      {FILE_OF(A "," B, AB, ",\n\"patches\": [{\"name\": \"p\", \"boundaries\": []}]"),
       "p.json, line 4: patch 'p' needs boundaries"},
      {FILE_OF(A "," B, AB,
               ",\n\"patches\": [{\"name\": \"p\", \"zone\": \"z\", \"boundaries\": [\"ab\"]}]"),
       "p.json, line 4: there is no zone 'z' for patch 'p'"},
      {FILE_OF(A "," B, AB,
               ",\n\"patches\": [{\"name\": \"p\", \"boundaries\": [\"ab\"]},\n"
               "{\"name\": \"p\", \"boundaries\": [\"ab\"]}]"),
       "p.json, line 5: another patch is called 'p'"},
      {FILE_OF(A "," B, AB, ",\n\"zones\": {\"arm\": \"flesh\"}"),
       "p.json, line 4: \"arm\" must be \"stratum\", \"solid\" or \"skinned\""},
#define ZONE(words) FILE_OF(A "," B, AB, ",\n\"zones\": {\"arm\": {" words "}}")
      {ZONE("\"bone\": [\"a\", \"b\"]"), "p.json, line 4: a zone needs \"kind\""},
      {ZONE("\"kind\": \"solid\", \"bones\": 1"),
       "p.json, line 4: a zone has no key \"bones\"; did you mean 'bone'?"},
      {ZONE("\"kind\": \"solid\", \"bone\": [\"a\"]"),
       "p.json, line 4: \"bone\" must be the names of two joints"},
      {ZONE("\"kind\": \"solid\", \"bone\": [\"a\", \"a\"]"),
       "p.json, line 4: zone 'arm' needs two different joints for its bone"},
      {ZONE("\"kind\": \"stratum\", \"bone\": [\"a\", \"b\"]"),
       "p.json, line 4: zone 'arm' has a bone, but is not solid"},
      {ZONE("\"kind\": \"solid\", \"depth\": 0.1"),
       "p.json, line 4: zone 'arm' has a shell, but is no stratum"},
      {ZONE("\"kind\": \"stratum\", \"depth\": -1"),
       "p.json, line 4: \"depth\" must be a number above 0"},
      {ZONE("\"kind\": \"skinned\", \"slices\": 4"),
       "p.json, line 4: zone 'arm' has no flesh to say anything about: it is skinned"},
      {ZONE("\"kind\": \"stratum\", \"slices\": 2"),
       "p.json, line 4: zone 'arm' may have 3 to 256 slices"},
      {ZONE("\"kind\": \"stratum\", \"slices\": 2.5"),
       "p.json, line 4: \"slices\" must be a whole number"},
      {ZONE("\"kind\": \"stratum\", \"levels\": 6"),
       "p.json, line 4: zone 'arm' may have 0 to 5 levels"},
      {ZONE("\"kind\": \"stratum\", \"poisson\": 0.5"),
       "p.json, line 4: zone 'arm' has a Poisson's ratio outside 0 to 0.5"},
      {ZONE("\"kind\": \"stratum\", \"shell\": {\"aa\": 0.1}"),
       "p.json, line 4: zone 'arm': there is no feature 'aa' for its shell"},
      {ZONE("\"kind\": \"stratum\", \"shell\": {\"a\": 0}"),
       "p.json, line 4: zone 'arm': its shell at feature 'a' has a depth that is not above 0"},
      {ZONE("\"kind\": \"stratum\", \"shell\": {\"a\": \"deep\"}"),
       "p.json, line 4: \"a\" must be a depth or a place [x, y, z]"},
      {FILE_OF(A "," B, AB, ",\n\"zones\": {\"arm\": \"solid\", \"arm\": \"solid\"}"),
       "p.json: JSON, line 4"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    SupArena arena = heap_arena();
    SupPatchPlan plan;
    SupError error = {""};
    const SupResult result =
        sup_patch_file_parse(&arena, cases[k].text, strlen(cases[k].text), "p.json", &plan, &error);
    if (!cases[k].sentence) {
      if (result != SUP_OK) print_error("%s\n", error.text);
      assert_int_equal(result, SUP_OK);
    } else {
      assert_int_equal(result, SUP_ERROR_FORMAT);
      if (!strstr(error.text, cases[k].sentence)) {
        print_error("%s\n  is not\n%s\n", error.text, cases[k].sentence);
      }
      assert_non_null(strstr(error.text, cases[k].sentence));
    }
    sup_arena_free(&arena);
  }
}

/* More of everything than may be, cheaply. */
static void test_many(void **state) {
  (void)state;
  SupArena arena = heap_arena();
  SupPatchPlan plan;
  SupError error = {""};
  const uint32_t count = 120000;
  char *text = calloc(1, 16 * count);
  assert_non_null(text);
  size_t length = (size_t)sprintf(text, "{\"patch_file\": 1,\n\"features\": [0");
  for (uint32_t k = 0; k < count; k++) length += (size_t)sprintf(text + length, ",0");
  length += (size_t)sprintf(text + length, "]}");
  assert_int_equal(sup_patch_file_parse(&arena, text, length, "p.json", &plan, &error),
                   SUP_ERROR_FORMAT);
  assert_string_equal(error.text,
                      "p.json, line 2: \"features\" must be a list of no more than 10000");
  free(text);
  sup_arena_free(&arena);
}

static SupResult cut_ball(const char *text, size_t length, uint32_t patch_count, SupError *error) {
  SupArena arena = heap_arena();
  const SupCharacter character = ball_character(&arena, shape_icosphere(&arena, 3));
  SupTopology topology;
  SupPatchPlan plan;
  SupPatchesDef def;
  SupPatches patches;
  assert_int_equal(sup_topology(&arena, &character.body, &topology, error), SUP_OK);
  SupResult result = sup_patch_file_parse(&arena, text, length, "ball.json", &plan, error);
  if (result == SUP_OK) {
    result = sup_patch_plan_trace(&arena, &plan, &character, &topology, &def, error);
  }
  if (result == SUP_OK) result = sup_patches_create(&arena, &def, &patches, error);
  if (result == SUP_OK) assert_int_equal(patches.patch_count, patch_count);
  sup_arena_free(&arena);
  return result;
}

/* The octahedron on a ball, in JSON, with one line of it replaced. */
static SupResult try_line(uint32_t line, const char *by, SupError *error) {
  static const char *const lines[] = {
      "{\"patch_file\": 1, \"features\": [",
      "{\"name\": \"a\", \"position\": [0, 1, 0]},",
      "{\"name\": \"b\", \"position\": [0, -1, 0]},",
      "{\"name\": \"c\", \"joint\": \"hip\", \"direction\": [1, 0, 0]},",
      "{\"name\": \"d\", \"joint\": \"hip\", \"direction\": [-1, 0, 0]},",
      "{\"name\": \"e\", \"position\": [0, 0, 1]},",
      "{\"name\": \"f\", \"position\": [0, 0, -1]}], \"boundaries\": [",
      "{\"name\": \"ac\", \"from\": \"a\", \"to\": \"c\", \"kind\": \"geodesic\"},",
      "{\"name\": \"ad\", \"from\": \"a\", \"to\": \"d\", \"kind\": \"geodesic\"},",
      "{\"name\": \"ae\", \"from\": \"a\", \"to\": \"e\", \"kind\": \"edges\"},",
      "{\"name\": \"af\", \"from\": \"a\", \"to\": \"f\", \"kind\": \"edges\"},",
      "{\"name\": \"bc\", \"from\": \"b\", \"to\": \"c\", \"kind\": \"geodesic\"},",
      "{\"name\": \"bd\", \"from\": \"b\", \"to\": \"d\", \"kind\": \"geodesic\"},",
      "{\"name\": \"ce\", \"from\": \"c\", \"to\": \"e\", \"kind\": \"geodesic\"},",
      "{\"name\": \"ed\", \"from\": \"e\", \"to\": \"d\", \"kind\": \"geodesic\"},",
      "{\"name\": \"df\", \"from\": \"d\", \"to\": \"f\", \"kind\": \"geodesic\"},",
      "{\"name\": \"fc\", \"from\": \"f\", \"to\": \"c\", \"kind\": \"geodesic\"}],",
      "\"patches\": [{\"name\": \"top\", \"boundaries\": [\"ac\", \"ce\", \"ae\"]},",
      "{\"name\": \"half\", \"boundaries\": [\"ac\", \"ad\", \"df\", \"fc\"]}]}"};
  static char text[8192];
  size_t length = 0;
  for (uint32_t k = 0; k < 19; k++) {
    /* The upper half behind is in two patches, so its line is there only when asked for. */
    const char *own = k == 18 ? "{\"name\": \"low\", \"boundaries\": [\"bc\", \"bd\", \"ed\", "
                                "\"ce\"]}]}"
                              : lines[k];
    length += (size_t)snprintf(text + length, sizeof text - length, "%s\n",
                               k + 1 == line ? by ? by : lines[k] : own);
  }
  return cut_ball(text, length, 6, error);
}

/* What only the character can tell. */
static void test_on_a_ball(void **state) {
  (void)state;
  static const struct {
    uint32_t line;
    const char *by, *sentence;
  } cases[] = {
      {0, NULL, NULL},
      {2, "{\"name\": \"a\", \"vertex\": 642},",
       "ball.json, line 2: feature 'a' is at vertex 642; the skin has 642"},
      {3, "{\"name\": \"b\", \"joint\": \"tail\", \"direction\": [0, 1, 0]},",
       "ball.json, line 3: feature 'b': there is no joint 'tail'"},
      {4, "{\"name\": \"c\", \"position\": [0, 0, 1]},",
       "ball.json, line 6: feature 'e' is where 'c' is"},
      {8,
       "{\"name\": \"ac\", \"from\": \"a\", \"to\": \"c\", \"kind\": \"curve\", \"points\": [[0, "
       "1, "
       "0], [0, 0.7, 2], [0.7, -1, 1.5], [1, 0, 0]]}, {\"name\": \"ae2\", \"from\": \"a\", \"to\": "
       "\"e\", \"kind\": \"curve\", \"points\": [[0, 1, 0], [3, 0.2, 0], [0, 0, 1]]},",
       "ball.json, line 8: boundary 'ae2' crosses 'ac'"},
      {8, "{\"name\": \"ac\", \"from\": \"a\", \"to\": \"c\", \"kind\": \"rim\"},",
       "ball.json, line 8: boundary 'ac': its ends are not vertices of one open border"},
      {18, "\"patches\": [{\"name\": \"top\", \"boundaries\": [\"ac\", \"ce\"]},",
       "ball.json, line 18: no region has just the boundaries of patch 'top'"},
      {18, "\"patches\": [{\"name\": \"top\", \"boundaries\": [\"ac\", \"ac\", \"ac\"]},",
       "ball.json, line 18: no region has just the boundaries of patch 'top'"},
      {19, NULL, "ball.json, line 19: no region has just the boundaries of patch 'half'"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    SupError error = {""};
    const SupResult result = try_line(cases[k].line, cases[k].by, &error);
    if (!cases[k].sentence) {
      if (result != SUP_OK) print_error("%s\n", error.text);
      assert_int_equal(result, SUP_OK);
      continue;
    }
    if (!strstr(error.text, cases[k].sentence)) {
      print_error("%s\n  is not\n%s\n", error.text, cases[k].sentence);
    }
    assert_int_equal(result, SUP_ERROR_FORMAT);
    assert_non_null(strstr(error.text, cases[k].sentence));
  }
}

/* Between two triangles lies a belt. */
static void test_no_disc(void **state) {
  (void)state;
  static const char text[] =
      "{\"patch_file\": 1, \"features\": [\n"
      "{\"name\": \"a\", \"position\": [0, 1, 0]}, {\"name\": \"b\", \"position\": [0, -1, 0]},\n"
      "{\"name\": \"c\", \"position\": [1, 0, 0]}, {\"name\": \"d\", \"position\": [-1, 0, 0]},\n"
      "{\"name\": \"e\", \"position\": [0, 0, 1]}, {\"name\": \"f\", \"position\": [0, 0, -1]}],\n"
      "\"boundaries\": [{\"name\": \"ac\", \"from\": \"a\", \"to\": \"c\", \"kind\": \"edges\"},\n"
      "{\"name\": \"ce\", \"from\": \"c\", \"to\": \"e\", \"kind\": \"edges\"},\n"
      "{\"name\": \"ea\", \"from\": \"e\", \"to\": \"a\", \"kind\": \"edges\"},\n"
      "{\"name\": \"bd\", \"from\": \"b\", \"to\": \"d\", \"kind\": \"edges\"},\n"
      "{\"name\": \"df\", \"from\": \"d\", \"to\": \"f\", \"kind\": \"edges\"},\n"
      "{\"name\": \"fb\", \"from\": \"f\", \"to\": \"b\", \"kind\": \"edges\"}]";
  static const char belt[] =
      ",\n\"patches\": [{\"name\": \"belt\", \"boundaries\": [\"ac\", \"ce\", \"ea\", \"bd\", "
      "\"df\", \"fb\"]}]}";
  char both[sizeof text + sizeof belt];
  SupError error = {""};
  size_t length = (size_t)sprintf(both, "%s}", text);
  assert_int_equal(cut_ball(both, length, 2, &error), SUP_OK);
  length = (size_t)sprintf(both, "%s%s", text, belt);
  assert_int_equal(cut_ball(both, length, 2, &error), SUP_ERROR_FORMAT);
  assert_string_equal(error.text, "ball.json, line 11: patch 'belt' has holes: it is no disc");
}

/* Memory that ends anywhere is said. */
static void test_memory(void **state) {
  (void)state;
  SupResult result = SUP_ERROR_MEMORY;
  for (size_t k = 1; result != SUP_OK; k++) {
    CountingHeap heap = {.fail_at = k};
    SupArena arena;
    SupPatchPlan plan;
    SupError error = {""};
    sup_arena_init(&arena, counting_allocator(&heap), 0);
    result = sup_patch_file_parse(&arena, full, sizeof full - 1, "p.json", &plan, &error);
    if (result != SUP_OK) assert_int_equal(result, SUP_ERROR_MEMORY);
    sup_arena_free(&arena);
    assert_int_equal(heap.live_blocks, 0);
    assert_true(k < 1000);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trip), cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_sentences),  cmocka_unit_test(test_many),
      cmocka_unit_test(test_on_a_ball),  cmocka_unit_test(test_no_disc),
      cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
