/* SPDX-License-Identifier: MIT */
/* Options and the JSON report, by themselves. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runner/options.h"
#include "runner/report.h"
#include "supple/io/file.h"
#include "verbs/verb.h"

/* ---- Options -------------------------------------------------------------------------------- */

static const char *const shapes[] = {"sphere", "tube", NULL};

static const CliOption table[] = {
    {.name = "output", .letter = 'o', .kind = CLI_OUTPUT, .value_name = "FILE", .help = "out"},
    {.name = "clip", .kind = CLI_TEXT, .value_name = "NAME", .help = "clip", .repeated = true},
    {.name = "count", .kind = CLI_INTEGER, .value_name = "N", .low = -5, .high = 100, .help = "n"},
    {.name = "gravity", .kind = CLI_NUMBER, .value_name = "G", .fallback = "-9.81", .help = "g"},
    {.name = "size", .kind = CLI_SIZE, .value_name = "SIZE", .help = "size"},
    {.name = "shape", .kind = CLI_CHOICE, .choices = shapes, .fallback = "tube", .help = "shape"},
    {.name = "fast", .letter = 'f', .kind = CLI_FLAG, .help = "fast"},
    {0},
};

static const CliOption needy[] = {
    {.name = "output",
     .letter = 'o',
     .kind = CLI_OUTPUT,
     .value_name = "FILE",
     .help = "out",
     .required = true},
    {0},
};

typedef struct Parsed {
  SupArena arena;
  CliArguments arguments;
  SupResult result;
  SupError error;
} Parsed;

/* Splits `line` at blanks (in place, kept in the arena) and parses it. */
static Parsed parse_with(const CliOption *options, const char *line) {
  Parsed parsed = {.error = {""}};
  char *words[32];
  int count = 0;
  sup_arena_init(&parsed.arena, sup_heap_allocator(), 0);
  char *copy = sup_arena_string(&parsed.arena, line, strlen(line));
  for (char *rest = copy; (words[count] = strtok_r(rest, " ", &rest)) != NULL;) count++;
  parsed.result =
      cli_parse(&parsed.arena, options, NULL, count, words, &parsed.arguments, &parsed.error);
  return parsed;
}

static void values_are_found(void **state) {
  (void)state;
  Parsed p = parse_with(table,
                        "in.glb --clip Walk -o out.glb --clip=Run --count -3 --size 1.5K "
                        "--shape sphere -f - -- --literal");
  assert_int_equal(p.result, SUP_OK);
  const CliArguments *a = &p.arguments;
  assert_string_equal(cli_text(a, "output"), "out.glb");
  assert_int_equal(cli_count(a, "clip"), 2);
  assert_string_equal(cli_text_at(a, "clip", 0), "Walk");
  assert_string_equal(cli_text_at(a, "clip", 1), "Run");
  assert_int_equal(cli_integer(a, "count"), -3);
  assert_int_equal(cli_integer(a, "size"), 1536);
  assert_int_equal(cli_integer(a, "shape"), 0);
  assert_string_equal(cli_text(a, "shape"), "sphere");
  assert_true(cli_flag(a, "fast"));
  assert_int_equal(a->operand_count, 3);
  assert_string_equal(a->operands[0], "in.glb");
  assert_string_equal(a->operands[1], "-");
  assert_string_equal(a->operands[2], "--literal");
  sup_arena_free(&p.arena);
}

static void defaults_fill_in(void **state) {
  (void)state;
  Parsed p = parse_with(table, "");
  assert_int_equal(p.result, SUP_OK);
  assert_true(cli_number(&p.arguments, "gravity") == -9.81);
  assert_int_equal(cli_count(&p.arguments, "gravity"), 0);
  assert_int_equal(cli_integer(&p.arguments, "shape"), 1);
  assert_null(cli_text(&p.arguments, "output"));
  assert_false(cli_flag(&p.arguments, "fast"));
  assert_int_equal(cli_integer(&p.arguments, "count"), 0);
  assert_int_equal(p.arguments.operand_count, 0);
  sup_arena_free(&p.arena);
}

static void nonsense_is_refused(void **state) {
  static const struct {
    const char *line, *sentence; /* the sentence must contain this */
  } cases[] = {
      {"--count 1x", "'1x' is not a whole number"},
      {"--count 1.5", "not a whole number"},
      {"--count=", "not a whole number"},
      {"--count 99999999999999999999", "not a whole number"},
      {"--count 101", "101 is too large; give a number from -5 to 100"},
      {"--count=-6", "-6 is too small; give a number from -5 to 100"},
      {"--gravity nan", "not a number"},
      {"--gravity inf", "not a number"},
      {"--gravity 1e999", "not a number"},
      {"--gravity 1,5", "not a number"},
      {"--size 2X", "a size such as"},
      {"--size 2GG", "a size such as"},
      {"--size 2GiBs", "a size such as"},
      {"--size -1", "a size such as"},
      {"--size 0.5", "a size such as"},
      {"--shape spehre", "did you mean 'sphere'"},
      {"--shape", "--shape needs a value"},
      {"--clip --fast", "--clip needs a value"},
      {"-o", "-o needs a value: -o FILE"},
      {"-o -f", "-o needs a value"},
      {"--fast=yes", "takes no value"},
      {"--count 1 --count 2", "given twice"},
      {"--outptu x", "unknown option '--outptu'; did you mean '--output'?"},
      {"--clpi=x", "unknown option '--clpi'; did you mean '--clip'?"},
      {"-x", "unknown option '-x'"},
      {"-ofile", "unknown option"},
      {"--zzzzzzzzz", "unknown option '--zzzzzzzzz'"},
      {"--zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz", "unknown option"},
  };
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    Parsed p = parse_with(table, cases[k].line);
    if (p.result != SUP_ERROR_ARGUMENT || !strstr(p.error.text, cases[k].sentence)) {
      fail_msg("'%s' gave %d '%s'", cases[k].line, (int)p.result, p.error.text);
    }
    sup_arena_free(&p.arena);
  }
  Parsed p = parse_with(table, "--zzzzzzzzz");
  assert_null(strstr(p.error.text, "did you mean"));
  sup_arena_free(&p.arena);
}

static void required_options_are_asked_for(void **state) {
  (void)state;
  Parsed p = parse_with(needy, "in.glb");
  assert_int_equal(p.result, SUP_ERROR_ARGUMENT);
  assert_non_null(strstr(p.error.text, "-o FILE (--output) is missing"));
  sup_arena_free(&p.arena);
  p = parse_with(needy, "in.glb -o x");
  assert_int_equal(p.result, SUP_OK);
  sup_arena_free(&p.arena);
}

static void the_nearest_name_is_suggested(void **state) {
  static const char *const names[] = {"bench",
                                      "demo",
                                      "help",
                                      NULL,
                                      "version",
                                      "convert",
                                      "mixamorig:LeftForeArm",
                                      "mixamorig:LeftArm"};
  static const struct {
    const char *word, *expected;
  } cases[] = {{"bnech", "bench"},
               {"benhc", "bench"},
               {"demos", "demo"},
               {"hlep", "help"},
               {"verison", "version"},
               {"vesion", "version"},
               {"cnvert", "convert"},
               {"Demo", "demo"},
               {"ver", "version"}, /* how it begins */
               {"nch", "bench"},   /* what it contains */
               {"LeftArm", "mixamorig:LeftArm"},
               {"leftarm", "mixamorig:LeftArm"},
               {"mixamorig:LeftAmr", "mixamorig:LeftArm"},
               {"xyzzy", NULL},
               {"", NULL},
               {"v", NULL},
               {"q", NULL}};
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const char *found = sup_nearest_name(cases[k].word, names, sizeof names / sizeof *names);
    if (cases[k].expected ? !found || strcmp(found, cases[k].expected) != 0 : found != NULL) {
      fail_msg("'%s' gave '%s'", cases[k].word, found ? found : "nothing");
    }
  }
}

/* Names inside structs: clips, maps, characters. */
static void names_in_structs_are_found(void **state) {
  const struct {
    double number;
    const char *name;
  } clips[] = {{1, "walk"}, {2, NULL}, {3, "jump"}};
  (void)state;
  assert_string_equal(sup_nearest_member("jmup", &clips->name, sizeof *clips, 3), "jump");
  assert_null(sup_nearest_member("jmup", &clips->name, sizeof *clips, 2));
  assert_null(sup_nearest_member("jmup", NULL, sizeof *clips, 0));
}

static void hints_are_sentences(void **state) {
  char hint[32];
  (void)state;
  assert_string_equal(sup_did_you_mean(hint, sizeof hint, NULL), "");
  assert_string_equal(sup_did_you_mean(hint, sizeof hint, "fat"), "; did you mean 'fat'?");
  assert_int_equal(strlen(sup_did_you_mean(hint, sizeof hint, "a name that is far too long")), 31);
}

/* Which word is the kind is known before anybody knows which options there are. */
static void the_first_operand_is_found(void **state) {
  static const CliOption *const tables[] = {needy, table};
  static const struct {
    const char *line, *expected;
  } cases[] = {{"kind file", "kind"},
               {"-o out kind", "kind"},
               {"--output=out kind", "kind"},
               {"--fast kind", "kind"},
               {"-f --count -5 kind", "kind"},
               {"--unknown kind", "kind"},
               {"-- kind", "kind"},
               {"--count", NULL},
               {"--", NULL},
               {"", NULL}};
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char copy[64], *words[16];
    int count = 0;
    strcpy(copy, cases[k].line);
    for (char *rest = copy; (words[count] = strtok_r(rest, " ", &rest)) != NULL;) count++;
    const char *found = cli_first_operand(2, tables, count, words);
    if (cases[k].expected ? !found || strcmp(found, cases[k].expected) != 0 : found != NULL) {
      fail_msg("'%s' gave '%s'", cases[k].line, found ? found : "nothing");
    }
  }
}

/* ---- The verbs' own tables ------------------------------------------------------------------ */

static void check_apart(const CliOption *option, const CliOption *other) {
  for (; other && other->name && other != option; other++) {
    assert_string_not_equal(option->name, other->name);
    assert_true(!option->letter || option->letter != other->letter);
  }
}

static void check_options(const CliOption *rows, const CliOption *shared) {
  for (const CliOption *option = rows; option && option->name; option++) {
    assert_true(option->help && option->help[0] && option->help[strlen(option->help) - 1] != '.');
    assert_null(strstr(option->help, "default")); /* `otherwise` or `fallback` says it */
    assert_true(option->low <= option->high);
    assert_true(option->kind == CLI_FLAG || option->kind == CLI_CHOICE || option->value_name);
    assert_int_equal(option->kind == CLI_CHOICE, option->choices != NULL);
    assert_false(option->required && option->advanced);
    check_apart(option, rows);
    check_apart(option, shared);
    check_apart(option, cli_global_options);
  }
}

static void check_page(const CliVerb *page) {
  assert_true(page->summary[0] && page->summary[strlen(page->summary) - 1] != '.');
  assert_true(page->summary[0] >= 'a' && page->summary[0] <= 'z');
  assert_true(!page->details || page->details[strlen(page->details) - 1] == '\n');
  assert_non_null(page->example);
  assert_int_equal(page->run == NULL, page->kinds != NULL);
}

static void verbs_are_well_made(void **state) {
  (void)state;
  for (const CliVerb *const *v = cli_verbs; *v; v++) {
    const CliVerb *verb = *v;
    assert_ptr_equal(cli_verb_find(verb->name), verb);
    assert_true(verb->least_operands <= verb->most_operands);
    check_page(verb);
    check_options(verb->options, NULL);
    for (const CliVerb *const *kind = verb->kinds; kind && *kind; kind++) {
      check_page(*kind);
      check_options((*kind)->options, verb->options);
    }
  }
}

/* Options of one name take a value in all kinds or in none, so that an option in front of the kind
 * can be understood. */
static void kinds_agree_on_values(void **state) {
  (void)state;
  for (const CliVerb *const *a = cli_verb_build.kinds; *a; a++) {
    for (const CliVerb *const *b = cli_verb_build.kinds; b < a; b++) {
      for (const CliOption *o = (*a)->options; o->name; o++) {
        char word[64];
        snprintf(word, sizeof word, "--%s", o->name);
        const CliOption *other = cli_option_find((*b)->options, word);
        if (other) assert_int_equal(o->kind == CLI_FLAG, other->kind == CLI_FLAG);
      }
    }
  }
}

/* ---- Report --------------------------------------------------------------------------------- */

static void assert_json(CliReport *report, const char *expected) {
  size_t length = 0;
  const char *text = cli_report_finish(report, &length);
  assert_non_null(text);
  assert_int_equal(length, strlen(text));
  assert_string_equal(text, expected);
  cli_report_free(report);
}

static void levels_and_order_are_kept(void **state) {
  (void)state;
  CliReport report, inner;
  cli_report_init(&inner, sup_heap_allocator());
  cli_report_integer(&inner, "z", 1);
  cli_report_begin_array(&inner, "open");
  cli_report_text(&inner, NULL, "x");
  cli_report_init(&report, sup_heap_allocator());
  cli_report_text(&report, "b", "first");
  cli_report_begin_object(&report, "a");
  cli_report_end(&report);
  cli_report_begin_array(&report, "list");
  cli_report_bool(&report, NULL, true);
  cli_report_begin_object(&report, NULL);
  cli_report_nest(&report, "inner", &inner);
  cli_report_end(&report);
  cli_report_end(&report);
  cli_report_numbers(&report, "row", (const double[]){1, 0.5, NAN}, 3);
  cli_report_hash(&report, "hash", 0xfedcba9876543210u);
  assert_json(&report,
              "{\n  \"b\": \"first\",\n  \"a\": {},\n  \"list\": [\n    true,\n    {\n"
              "      \"inner\": {\n        \"z\": 1,\n        \"open\": [\n          \"x\"\n"
              "        ]\n      }\n    }\n  ],\n  \"row\": [1, 0.5, null],\n"
              "  \"hash\": \"fedcba9876543210\"\n}\n");
  cli_report_free(&inner);
}

static void numbers_read_back(void **state) {
  (void)state;
  SupRng rng = sup_rng(7, 0);
  for (int k = 0; k < 20000; k++) {
    union {
      uint64_t bits;
      double number;
    } value = {(uint64_t)sup_rng_u32(&rng) << 32 | sup_rng_u32(&rng)};
    union {
      uint32_t bits;
      float number;
    } small = {sup_rng_u32(&rng)};
    CliReport report;
    size_t length;
    cli_report_init(&report, sup_heap_allocator());
    cli_report_number(&report, "d", value.number);
    cli_report_float(&report, "f", small.number);
    const char *text = cli_report_finish(&report, &length);
    const char *d = strstr(text, "\"d\": ") + 5, *f = strstr(text, "\"f\": ") + 5;
    if (isfinite(value.number)) {
      assert_true(strtod(d, NULL) == value.number);
    } else {
      assert_memory_equal(d, "null", 4);
    }
    if (isfinite(small.number)) {
      assert_true(strtof(f, NULL) == small.number);
    } else {
      assert_memory_equal(f, "null", 4);
    }
    cli_report_free(&report);
  }
  CliReport report;
  cli_report_init(&report, sup_heap_allocator());
  cli_report_number(&report, "a", 0.1);
  cli_report_float(&report, "b", 0.1f);
  cli_report_number(&report, "c", 3);
  cli_report_number(&report, "d", -INFINITY);
  cli_report_integer(&report, "e", INT64_MIN);
  assert_json(&report,
              "{\n  \"a\": 0.1,\n  \"b\": 0.1,\n  \"c\": 3,\n  \"d\": null,\n"
              "  \"e\": -9223372036854775808\n}\n");
}

static void text_is_escaped(void **state) {
  (void)state;
  CliReport report;
  cli_report_init(&report, sup_heap_allocator());
  cli_report_text(&report, "a\"b", "\\ \t \x01 \x7f");
  cli_report_text(&report, "good", "\xc3\xa9 \xe2\x82\xac \xf0\x9f\xa6\xb4");
  /* A lone continuation, an overlong slash, a surrogate, a cut sequence, beyond U+10FFFF. */
  cli_report_text(&report, "bad", "\x80|\xc0\xaf|\xed\xa0\x80|\xe2\x82");
  cli_report_text(&report, "high", "\xf4\x90\x80\x80");
  cli_report_text(&report, "low", "\xe0\x9f\xbf|\xc3(");
  cli_report_text(&report, "none", NULL);
#define U "\xef\xbf\xbd"
  assert_json(&report,
              "{\n  \"a\\\"b\": \"\\\\ \\u0009 \\u0001 \\u007f\",\n"
              "  \"good\": \"\xc3\xa9 \xe2\x82\xac \xf0\x9f\xa6\xb4\",\n"
              "  \"bad\": \"" U "|" U U "|" U U U "|" U U "\",\n  \"high\": \"" U U U U
              "\",\n  \"low\": \"" U U U "|" U "(\",\n  \"none\": null\n}\n");
#undef U
}

static void short_memory_is_remembered(void **state) {
  (void)state;
  for (size_t fail_at = 1; fail_at < 6; fail_at++) {
    CountingHeap heap = {.fail_at = fail_at};
    CliReport report;
    size_t length;
    cli_report_init(&report, counting_allocator(&heap));
    for (int k = 0; k < 10000; k++) cli_report_text(&report, "key", "value");
    assert_null(cli_report_finish(&report, &length));
    cli_report_free(&report);
    assert_int_equal(heap.live_blocks, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_are_found),
      cmocka_unit_test(defaults_fill_in),
      cmocka_unit_test(nonsense_is_refused),
      cmocka_unit_test(required_options_are_asked_for),
      cmocka_unit_test(the_nearest_name_is_suggested),
      cmocka_unit_test(hints_are_sentences),
      cmocka_unit_test(names_in_structs_are_found),
      cmocka_unit_test(the_first_operand_is_found),
      cmocka_unit_test(kinds_agree_on_values),
      cmocka_unit_test(verbs_are_well_made),
      cmocka_unit_test(levels_and_order_are_kept),
      cmocka_unit_test(numbers_read_back),
      cmocka_unit_test(text_is_escaped),
      cmocka_unit_test(short_memory_is_remembered),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
