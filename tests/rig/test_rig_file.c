/* SPDX-License-Identifier: MIT */
/* Rig files: round trip, the examples, and a sentence with a line for everything that is wrong. */
#include "rig/characters.h"
#include "supple/io/rig_file.h"
#include "supple/rig/rig_examples.h"

#define COUNT(a) ((uint32_t)(sizeof(a) / sizeof(a)[0]))

static SupArena heap_arena(void) {
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  return arena;
}

/* Every kind of item, awkward names and numbers. */
static const char full[] =
    "{\"rig\": 1, \"about\": \"all \\\"of\\\" it\",\n"
    " \"script_rest\": false, \"influences\": 6,\n"
    " \"helpers\": [{\"name\": \"bump\", \"parent\": \"upper\", \"at\": [0.1, 0.8, 0], "
    "\"radius\": 0.2}],\n"
    " \"before_skinning\": [{\"lattice\": \"box\", \"low\": [-1, 0, -1], \"high\": [1, 2, 1],\n"
    "    \"points\": [2, 3, 4]}],\n"
    " \"after_skinning\": [{\"wire\": \"w\\u00e4\", \"joint\": \"lower\", \"radius\": 0.3,\n"
    "    \"fade\": 0.1, \"curve\": [[0, 0, 0], [0, 0.5, 1e-3], [0, 1, 0.1]]}],\n"
    " \"zones\": {\"belly\": \"locked\", \"rest\": \"scripted\"},\n"
    " \"parameters\": [\n"
    "  {\"name\": \"a\", \"drives\": {\"joint\": \"bump\", \"channel\": \"turn.y\"}},\n"
    "  {\"name\": \"b\", \"zone\": \"belly\", \"rest\": 0.1, \"range\": [-1, 2], \"scale\": 3,\n"
    "   \"drives\": [{\"lattice\": \"box\", \"point\": [1, 2, 3], \"channel\": \"z\"},\n"
    "     {\"wire\": \"w\\u00e4\", \"point\": 2, \"channel\": \"twist\", \"factor\": -0.1}]},\n"
    "  {\"name\": \"c\", \"role\": \"free\", \"range\": [null, 7],\n"
    "   \"drives\": {\"morph\": \"bulge\"}}]}\n";

static void test_round_trip(void **state) {
  (void)state;
  Lab *lab = lab_create("tube", 500);
  SupError error = {""};
  SupRigDef def, again;
  const char *text, *second;
  size_t bytes, length;
  SupResult result =
      sup_rig_file_parse(&lab->arena, full, sizeof full - 1, "some/full.json", &def, &error);
  if (result != SUP_OK) print_error("%s\n", error.text);
  assert_int_equal(result, SUP_OK);
  assert_string_equal(def.name, "full");
  assert_string_equal(def.about, "all \"of\" it");
  assert_false(def.script_rest);
  assert_int_equal(def.influence_max, 6);
  assert_int_equal(def.helpers[0].line, 3);
  assert_int_equal(def.layers[0].line, 4);
  assert_true(def.layers[1].after_skinning && !def.layers[0].after_skinning);
  assert_string_equal(def.layers[1].name, "w\xc3\xa4");
  assert_int_equal(def.zones[1].role, SUP_RIG_SCRIPTED);
  assert_int_equal(def.controls[0].base.role, SUP_RIG_BY_ZONE);
  assert_int_equal(def.controls[1].base.line, 11);
  assert_int_equal(def.controls[1].targets[0].point[2], 3);
  assert_int_equal(def.controls[1].targets[1].kind, SUP_RIG_WIRE_TWIST);
  assert_true(def.controls[1].targets[1].factor == -0.1);
  assert_true(isinf(def.controls[2].base.low) && def.controls[2].base.high == 7);
  assert_true(isnan(def.controls[2].base.rest));
  /* Text, description, text: nothing changes any more. */
  assert_int_equal(sup_rig_file_text(&lab->arena, &def, &text, &bytes, &error), SUP_OK);
  assert_int_equal(sup_rig_file_parse(&lab->arena, text, bytes, "again", &again, &error), SUP_OK);
  assert_int_equal(sup_rig_file_text(&lab->arena, &again, &second, &length, &error), SUP_OK);
  assert_int_equal(bytes, length);
  assert_memory_equal(text, second, bytes);
  assert_int_equal(again.influence_max, 6);
  /* And the rig of it answers; its sentences have the lines. */
  const SupCharacterRig *rig = lab_rig(lab, &def);
  assert_int_equal(sup_character_rig(rig)->parameter_count, 3);
  assert_int_equal(sup_character_rig(rig)->parameters[1].role, SUP_RIG_LOCKED);
  assert_int_equal(sup_character_rig(rig)->parameters[0].role, SUP_RIG_FREE);
  lab->character.morph_count = 0;
  const SupCharacterRigDef all = {.character = &lab->character, .rig = &def};
  assert_int_equal(sup_character_rig_create(&lab->arena, &all, &rig, &error), SUP_ERROR_FORMAT);
  assert_string_equal(error.text, "parameter 'c' (line 14): there is no morph target 'bulge'");
  lab_free(lab);
}

/* The examples of the tree are what the program makes, and are read back as that. */
static void test_example_files(void **state) {
  (void)state;
  SupArena arena = heap_arena();
  SupError error = {""};
  for (uint32_t k = 0; k < sup_rig_example_count(); k++) {
    SupRigDef def, read;
    const char *text, *again;
    const uint8_t *file;
    size_t bytes, length, size;
    char path[512];
    const char *name = sup_rig_example_info(k).name;
    sup_format(path, sizeof path, "%s/%s.rig.json", EXAMPLE_RIGS, name);
    assert_int_equal(sup_rig_example(&arena, name, &def, &error), SUP_OK);
    assert_int_equal(sup_rig_file_text(&arena, &def, &text, &bytes, &error), SUP_OK);
    if (getenv("SUPPLE_WRITE_RIGS")) {
      assert_int_equal(sup_rig_file_write(sup_heap_allocator(), path, &def, &error), SUP_OK);
    }
    assert_int_equal(sup_file_read(&arena, path, &file, &size, &error), SUP_OK);
    assert_int_equal(size, bytes);
    assert_memory_equal(file, text, bytes);
    assert_int_equal(sup_rig_file_read(&arena, path, &read, &error), SUP_OK);
    assert_string_equal(read.name, name);
    assert_int_equal(sup_rig_file_text(&arena, &read, &again, &length, &error), SUP_OK);
    assert_string_equal(again, text);
  }
  sup_arena_free(&arena);
}

#define P(middle) "{\"rig\": 1, \"parameters\": [\n{\"name\": \"a\", " middle "}]}"
#define J "\"drives\": {\"joint\": \"j\", \"channel\": \"turn.x\"}"

static void test_sentences(void **state) {
  (void)state;
  static const struct {
    const char *text, *sentence;
  } cases[] = {
      {P(J), NULL},
      {"", "r.json: JSON, line 1, column 1: the text ends too early"},
      {"{\n\"rig\": 1,}", "r.json: JSON, line 2"},
      {"[]", "r.json, line 1: a rig file must be an object {...}"},
      {"{\"parameters\": []}", "r.json, line 1: a rig file needs \"rig\""},
      {"{\"rig\": 1}", "a rig file needs \"parameters\""},
      {"{\"rig\":\n 2, \"parameters\": []}", "r.json, line 2: \"rig\" must be 1: this program"},
      {"{\"rig\": 1,\n\"parametrs\": []}",
       "r.json, line 2: a rig file has no key \"parametrs\"; did you mean 'parameters'?"},
      {"{\"rig\": 1, \"parameters\":\n {}}", "line 2: \"parameters\" must be a list [...]"},
      {"{\"rig\": 1, \"parameters\": [\n3]}", "line 2: a parameter must be an object {...}"},
      {"{\"rig\": 1, \"parameters\": [], \"script_rest\": 1}", "must be true or false"},
      {"{\"rig\": 1, \"parameters\": [], \"influences\": 0}",
       "must be a whole number from 1 to 64"},
      {"{\"rig\": 1, \"parameters\": [], \"about\": null}", "\"about\" must be a string"},
      {P("\"zone\": \"x\""), "r.json, line 2: a parameter needs \"drives\""},
      {P("\"role\": \"lose\", " J),
       "r.json, line 2: \"role\" must be \"free\", \"scripted\" or \"locked\""},
      {P("\"rest\": \"0\", " J), "line 2: \"rest\" must be a number"},
      {P("\"rest\": 1e999, " J), "r.json: JSON, line 2"},
      {P("\"range\": [1], " J), "\"range\" must be two numbers [low, high]; null is no bound"},
      {P("\"rnage\": [1, 2], " J), "a parameter has no key \"rnage\"; did you mean 'range'?"},
      {P("\"drives\": []"), "\"drives\" must be an object or a list of some"},
      {P("\"drives\": {\"joint\": \"j\"}"), "line 2: \"channel\" must be one of translation.x, tr"},
      {P("\"drives\": {\"joint\": \"j\", \"channel\": \"turn\"}"), "must be one of translation.x"},
      {P("\"drives\": {\"wire\": \"w\", \"point\": 1, \"channel\": \"t\"}"),
       "\"channel\" must be one of x, y, z, twist, radius"},
      {P("\"drives\": {\"joint\": \"j\", \"morph\": \"m\"}"),
       "must have one of \"joint\", \"morph\""},
      {P("\"drives\": {\"channel\": \"x\"}"), "must have one of \"joint\""},
      {P("\"drives\": {\"lattice\": \"l\", \"channel\": \"x\"}"), "\"point\" with \"lattice\""},
      {P("\"drives\": {\"morph\": \"m\", \"channel\": \"x\"}"), "no \"channel\" with \"morph\""},
      {P("\"drives\": {\"wire\": \"w\", \"point\": -1, \"channel\": \"x\"}"), "from 0 on"},
      {P("\"drives\": {\"lattice\": \"w\", \"point\": [1, 2, 0.5], \"channel\": \"x\"}"),
       "\"point\" must be three whole numbers [x, y, z]"},
      {"{\"rig\": 1, \"parameters\": [],\n\"helpers\": [{\"name\": \"h\"}]}",
       "line 2: a helper needs \"parent\""},
      {"{\"rig\": 1, \"parameters\": [],\n\"helpers\": [{\"name\": \"\"}]}",
       "line 2: \"name\" must be a name"},
      {"{\"rig\": 1, \"parameters\": [], \"helpers\": [{\"at\":\n [1, 2]}]}",
       "line 2: \"at\" must be three numbers [x, y, z]"},
      {"{\"rig\": 1, \"parameters\": [], \"after_skinning\": [\n{}]}",
       "line 2: a layer needs \"lattice\" or \"wire\" with its name"},
      {"{\"rig\": 1, \"parameters\": [], \"before_skinning\": [\n{\"wire\": \"w\", \"curve\": "
       "[\n1]}]}",
       "line 3: \"curve\" must be three numbers"},
      {"{\"rig\": 1, \"parameters\": [], \"zones\": []}", "must be an object of zones"},
      {"{\"rig\": 1, \"parameters\": [], \"zones\":\n{\"a\": true}}",
       "line 2: \"a\" must be \"free\""},
  };
  SupArena arena = heap_arena();
  for (uint32_t k = 0; k < COUNT(cases); k++) {
    SupRigDef def = {.name = "untouched"};
    SupError error = {""};
    SupResult result =
        sup_rig_file_parse(&arena, cases[k].text, strlen(cases[k].text), "r.json", &def, &error);
    assert_int_equal(result, cases[k].sentence ? SUP_ERROR_FORMAT : SUP_OK);
    if (!cases[k].sentence) continue;
    if (!strstr(error.text, cases[k].sentence)) print_error("%s\n", error.text);
    assert_non_null(strstr(error.text, cases[k].sentence));
    assert_string_equal(def.name, "untouched");
  }
  SupRigDef def;
  SupError error;
  assert_int_equal(sup_rig_file_read(&arena, "/nowhere/rig.json", &def, &error), SUP_ERROR_IO);
  sup_arena_free(&arena);
}

/* Damaged texts are read or refused; every allocation fails once. */
static void test_hostile(void **state) {
  (void)state;
  SupRng rng = sup_rng(1, 9);
  char *text = malloc(sizeof full);
  for (int k = 0; k < 20000; k++) {
    SupArena arena = heap_arena();
    SupRigDef def;
    SupError error = {""};
    memcpy(text, full, sizeof full);
    size_t length = sizeof full - 1;
    for (uint32_t n = 1 + sup_rng_below(&rng, 3); n > 0; n--) {
      text[sup_rng_below(&rng, (uint32_t)length)] = full[sup_rng_below(&rng, (uint32_t)length)];
    }
    if (k % 4 == 0) length = sup_rng_below(&rng, (uint32_t)length);
    SupResult result = sup_rig_file_parse(&arena, text, length, "r.json", &def, &error);
    assert_true(result == SUP_OK || (result == SUP_ERROR_FORMAT && strstr(error.text, "r.json")));
    sup_arena_free(&arena);
  }
  free(text);
  bool done = false;
  for (size_t k = 1; !done; k++) {
    CountingHeap heap = {.fail_at = k};
    SupArena arena;
    SupRigDef def;
    SupError error;
    sup_arena_init(&arena, counting_allocator(&heap), 0);
    SupResult result = sup_rig_file_parse(&arena, full, sizeof full - 1, "r.json", &def, &error);
    done = result == SUP_OK;
    assert_true(done || result == SUP_ERROR_MEMORY);
    sup_arena_free(&arena);
    assert_int_equal(heap.live_blocks, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trip), cmocka_unit_test(test_example_files),
      cmocka_unit_test(test_sentences), cmocka_unit_test(test_hostile)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
