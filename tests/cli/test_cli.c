/* SPDX-License-Identifier: MIT */
/* The real command, and verbs of our own in the real frame: exit codes, streams, files. */
#define _XOPEN_SOURCE 700
#include "check.h"

#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "spawn.h"
#include "supple/io/file.h"
#include "workdir.h"

static Outcome outcome; /* large, so not on the stack */

static void expect(int exit_code, const char *err) {
  if (outcome.exit_code != exit_code || (err && !strstr(outcome.err, err))) {
    fail_msg("exit %d, signal %d, stderr '%s', stdout '%.200s'", outcome.exit_code, outcome.signal,
             outcome.err, outcome.out);
  }
}

/* Exactly one line "supple: ...". */
static void expect_one_sentence(void) {
  size_t length = strlen(outcome.err);
  assert_memory_equal(outcome.err, "supple: ", 8);
  assert_ptr_equal(strchr(outcome.err, '\n'), outcome.err + length - 1);
}

static void expect_failure(int exit_code, const char *err) {
  expect(exit_code, err);
  expect_one_sentence();
}

static void put_file(const char *path, const char *text) {
  SupError error = {""};
  assert_int_equal(sup_file_save(sup_heap_allocator(), path, text, strlen(text), &error), SUP_OK);
}

/* ---- Verbs and help ------------------------------------------------------------------------- */

/* `words` --help is the page: its summary, options in their sections, an example that is its own.
 */
static void check_help(const char *words, const CliVerb *page, const CliOption *shared) {
  char line[128], help[sizeof outcome.out], name[64];
  snprintf(line, sizeof line, "%s --help", words);
  run_supple(line, &outcome);
  expect(0, "");
  assert_string_equal(outcome.err, "");
  assert_non_null(strstr(outcome.out, page->summary));
  assert_non_null(strstr(outcome.out, "\nExample\n  supple "));
  const char *advanced = strstr(outcome.out, "\nAdvanced options\n");
  const CliOption *tables[] = {page->options, shared};
  for (size_t t = 0; t < 2; t++) {
    for (const CliOption *o = tables[t]; o && o->name; o++) {
      snprintf(name, sizeof name, "%s--%s%s", o->letter ? ", " : "\n  ", o->name,
               o->kind == CLI_FLAG ? "" : " ");
      const char *found = strstr(outcome.out, name);
      if (!found) fail_msg("%s: no --%s", words, o->name);
      assert_int_equal(advanced && found >= advanced, o->advanced);
    }
  }
  for (char *row = outcome.out; row; row = strchr(row + 1, '\n')) {
    const size_t length = strcspn(row + 1, "\n");
    if (length > 100) fail_msg("%s: %.*s", words, (int)length, row + 1);
    assert_true(length == 0 || row[length] != ' ');
  }
  strcpy(help, outcome.out);
  snprintf(line, sizeof line, "help %s", words);
  run_supple(line, &outcome);
  expect(0, "");
  assert_string_equal(outcome.out, help);
}

static void every_verb_has_help(void **state) {
  (void)state;
  for (const CliVerb *const *v = cli_verbs; *v; v++) {
    check_help((*v)->name, *v, NULL);
    for (const CliVerb *const *kind = (*v)->kinds; kind && *kind; kind++) {
      char words[64];
      snprintf(words, sizeof words, "%s %s", (*v)->name, (*kind)->name);
      check_help(words, *kind, (*v)->options);
    }
  }
}

/* The page of a kind is about that kind, wherever the words stand. */
static void kinds_have_pages_of_their_own(void **state) {
  (void)state;
  run_supple("build modes --help", &outcome);
  expect(0, "");
  assert_non_null(strstr(outcome.out, "usage: supple build modes "));
  assert_null(strstr(outcome.out, "--preset"));
  assert_null(strstr(outcome.out, "--beta"));
  run_supple("build --help --tets 5 modes", &outcome);
  expect(0, "");
  assert_non_null(strstr(outcome.out, "usage: supple build modes "));
  run_supple("build --help", &outcome);
  expect(0, "");
  for (const CliVerb *const *kind = cli_verb_build.kinds; *kind; kind++) {
    assert_non_null(strstr(outcome.out, (*kind)->summary));
  }
  assert_null(strstr(outcome.out, "--frequency"));
}

static void the_overview_lists_all(void **state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    static const char *const lines[] = {"help", "--help", "-h"};
    run_supple(lines[k], &outcome);
    expect(0, "");
    for (const CliVerb *const *v = cli_verbs; *v; v++) {
      assert_non_null(strstr(outcome.out, (*v)->summary));
    }
  }
  run_supple("", &outcome);
  expect(2, "usage: supple VERB");
  assert_string_equal(outcome.out, "");
}

static void version_is_told(void **state) {
  (void)state;
  run_supple("version", &outcome);
  expect(0, "");
  assert_non_null(strstr(outcome.out, sup_version()));
  assert_non_null(strstr(outcome.out, "scalar"));
  run_supple("--version", &outcome);
  expect(0, "");
  assert_non_null(strstr(outcome.out, sup_version()));
}

static void usage_mistakes_exit_with_2(void **state) {
  static const struct {
    const char *line, *sentence;
  } cases[] = {
      {"bnech", "did you mean 'bench'?"},
      {"xyzzy", "unknown verb 'xyzzy'"},
      {"help vresion", "did you mean 'version'?"},
      {"bench bsae", "did you mean 'base'?"},
      {"version --quite", "did you mean '--quiet'?"},
      {"version --seed", "--seed needs a value"},
      {"version --seed x", "'x' is not a whole number"},
      {"version --seed -1", "--seed: -1 is too small; give a number from 0 on"},
      {"version --threads 0", "0 is too small; give a number from 1 to 256"},
      {"version --threads 257", "257 is too large"},
      {"version --max-memory lots", "a size such as 500M or 2G"},
      {"version 1 2", "unexpected argument '1'; usage: supple version"},
      {"build", "an argument is missing; usage: supple build KIND"},
      {"build -o x.glb", "an argument is missing; usage: supple build KIND"},
      {"build modes -o x.glb", "an argument is missing; usage: supple build modes IN.glb"},
      {"build mods x.glb -o y.glb", "cannot build 'mods'"},
      {"build --preset fat mods x.glb -o y.glb", "did you mean 'modes'?"},
      {"build srface --help", "did you mean 'surface'?"},
      {"help build srface", "did you mean 'surface'?"},
      {"help make mochi", "unexpected argument 'mochi'"},
      {"build modes x.glb --preset fat -o y.glb", "--preset is for `build surface`; leave it out"},
      {"build surface x.glb --limbs -o y.glb", "--limbs is for `build modes`; leave it out"},
      {"build modes x.glb --example=a.pc2 -o y.glb", "or `build helpers`; leave it out"},
      {"build surface x.glb --freq 3 -o y.glb", "did you mean '--frequency'?"},
      {"build surface x.glb --preset jely -o y.glb", "did you mean 'jelly'?"},
      {"make moci -o x.glb", "did you mean 'mochi'?"},
      {"version --json", "--json needs a value: --json FILE"},
      {"demo -o -", "cannot be the standard output"},
  };
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    run_supple(cases[k].line, &outcome);
    expect_failure(2, cases[k].sentence);
    assert_string_equal(outcome.out, "");
  }
  assert_int_equal(entry_count("."), 0);
}

static void threads_are_accepted(void **state) {
  (void)state;
  for (int threads = 1; threads <= 8; threads++) {
    char line[64], expected[32];
    snprintf(line, sizeof line, "version --threads %d", threads);
    snprintf(expected, sizeof expected, "%d threads", threads);
    run_supple(line, &outcome);
    expect(0, "");
    assert_non_null(strstr(outcome.out, expected));
  }
}

static void quiet_is_quiet(void **state) {
  static const char *const lines[] = {"version --quiet", "help --quiet", "help bench --quiet",
                                      "bench base --samples 1 --milliseconds 0.01 --quiet",
                                      "demo --brief --quiet"};
  (void)state;
  for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
    run_supple(lines[k], &outcome);
    expect(0, "");
    assert_string_equal(outcome.out, "");
    assert_string_equal(outcome.err, "");
  }
}

/* ---- Output --------------------------------------------------------------------------------- */

/* Parses `path` with somebody else's parser and evaluates a condition on `d`. */
static void expect_json(const char *path, const char *condition) {
  char script[1024];
  snprintf(script, sizeof script,
           "import json\nd = json.load(open('%s'))\nassert %s, json.dumps(d)\n", path, condition);
  char *words[] = {"python3", "-c", script, NULL};
  spawn_end(spawn_begin((Command){NULL, words, -1}), &outcome);
  expect(0, "");
}

static void the_report_is_json(void **state) {
  (void)state;
  run_supple("version --json r.json --seed 9007199254740991 --threads 2", &outcome);
  expect(0, "");
  expect_json("r.json",
              "d['tool'] == 'supple' and d['verb'] == 'version' and d['done'] is True and "
              "d['error'] is None and d['seed'] == 2**53 - 1 and d['threads'] == 2 and "
              "d['inputs'] == [] and d['wall_seconds'] > 0 and d['result']['library'] == "
              "d['version'] and 'scalar' in d['result']['instruction_sets'] and "
              "d['arguments'] == ['--json','r.json','--seed','9007199254740991','--threads','2']");
  run_supple("bench base --samples 3 --milliseconds 0.01 --json=b.json", &outcome);
  expect(0, "");
  expect_json("b.json",
              "d['timings']['base'] > 0 and len(d['result']['rows']) >= 4 and all("
              "r['nanoseconds']['p10'] <= r['nanoseconds']['median'] <= r['nanoseconds']['p90'] "
              "and r['samples'] == 3 and len(r['hash']) == 16 for r in d['result']['rows'])");
  assert_int_equal(entry_count("."), 2);
}

static void the_report_may_go_to_stdout(void **state) {
  (void)state;
  run_supple("version --json -", &outcome);
  expect(0, "");
  put_file("out.json", outcome.out);
  expect_json("out.json", "d['arguments'] == ['--json', '-']");
  assert_int_equal(entry_count("."), 1);
}

static void unwritable_places_are_refused(void **state) {
  (void)state;
  put_file("file", "x");
  run_supple("version --json none/r.json", &outcome);
  expect_failure(1, "none/r.json: cannot be written");
  run_supple("version --json file/r.json", &outcome);
  expect_failure(1, "file/r.json: cannot be written");
  run_supple("version --json .", &outcome);
  expect_failure(1, ".: cannot be written");
  run_supple("demo -o none/d", &outcome);
  expect_failure(1, "none/d: cannot be written");
  run_supple("demo -o file", &outcome);
  expect_failure(1, "file: is not a folder");
  assert_int_equal(entry_count("."), 1);
}

static void a_full_stdout_is_told(void **state) {
  (void)state;
  char *words[] = {"sh", "-c", SUPPLE_COMMAND " help > /dev/full", NULL};
  spawn_end(spawn_begin((Command){NULL, words, -1}), &outcome);
  expect_failure(1, "standard output cannot be written");
  char *piped[] = {"sh", "-c", "(sleep 0.2; " SUPPLE_COMMAND " help; echo $? >code) | true", NULL};
  spawn_end(spawn_begin((Command){NULL, piped, -1}), &outcome);
  expect(0, "");
  assert_string_equal(outcome.err, "");
  assert_int_equal(system("test $(cat code) = 0"), 0);
}

static void the_demo_appears_whole(void **state) {
  (void)state;
  run_supple("demo --brief", &outcome);
  expect(0, "");
  assert_int_equal(entry_count("."), 1);
  expect_json("supple-demo/demo.json", "d['version'] and d['seed'] == 1");
  run_supple("demo --brief -o supple-demo --seed 5", &outcome);
  expect(0, "");
  expect_json("supple-demo/demo.json", "d['seed'] == 5");
  assert_int_equal(mkdir("mine", 0777), 0);
  put_file("mine/thesis", "years");
  run_supple("demo -o mine", &outcome);
  expect_failure(1, "mine: contains other files");
  assert_int_equal(entry_count("mine"), 1);
}

/* ---- Verbs of our own in the real frame ------------------------------------------------------ */

static const CliOption out_option[] = {
    {.name = "output",
     .letter = 'o',
     .kind = CLI_OUTPUT,
     .value_name = "FILE",
     .help = "file to write",
     .required = true},
    {.name = "texture", .kind = CLI_INPUT, .value_name = "FILE", .help = "another input"},
    {0},
};

/* Writes some, says so by making the file "begun", and then more for as long as it may. */
static SupResult write_slowly(CliContext *cli, SupError *error) {
  SupFileWriter *writer;
  const char *path = cli_text(cli->arguments, "output");
  SupResult result = sup_file_begin(cli->allocator, path, &writer, error);
  if (result != SUP_OK) return result;
  static const char data[1 << 16];
  sup_file_write(writer, data, sizeof data);
  put_file("begun", "x");
  for (int k = 0; k < 3000; k++) {
    struct timespec time = {0, 10000000};
    nanosleep(&time, NULL);
    sup_file_write(writer, data, 100);
  }
  return sup_file_commit(writer, error);
}

static SupResult write_quickly(CliContext *cli, SupError *error) {
  return sup_file_save(cli->allocator, cli_text(cli->arguments, "output"), "new", 3, error);
}

static const CliVerb slow_verb = {
    .name = "slow", .usage = "", .example = "", .options = out_option, .run = write_slowly};
static const CliVerb quick_verb = {.name = "quick",
                                   .usage = "[IN...] -o OUT",
                                   .example = "",
                                   .options = out_option,
                                   .most_operands = 9,
                                   .run = write_quickly};

static void closed_folders_are_refused(void **state) {
  (void)state;
  stop_being_root();
  assert_int_equal(mkdir("open", 0755), 0);
  assert_int_equal(mkdir("closed", 0555), 0);
  run_verb_of_test(&quick_verb, "-o open/a --json open/r.json", &outcome);
  expect(0, "");
  run_verb_of_test(&quick_verb, "-o closed/a", &outcome);
  expect_failure(1, "closed/a: cannot be written");
  run_verb_of_test(&quick_verb, "-o open/a --json closed/r.json", &outcome);
  expect_failure(1, "closed/r.json: cannot be written");
}

static void wait_for(const char *path) {
  for (int k = 0; k < 6000 && access(path, F_OK) != 0; k++) {
    struct timespec time = {0, 5000000};
    nanosleep(&time, NULL);
  }
  assert_int_equal(access(path, F_OK), 0);
}

static void interrupted_files_leave_nothing(void **state) {
  static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
  (void)state;
  put_file("old", "old");
  assert_int_equal(mkdir("d", 0777), 0);
  for (int k = 0; k < 6; k++) {
    char target[16], *words[] = {"-o", target, "--threads", "3", NULL};
    strcpy(target, k % 2 ? "old" : "d/new");
    unlink("begun");
    Child child = spawn_begin((Command){&slow_verb, words, -1});
    wait_for("begun");
    assert_int_equal(entry_count("d") + entry_count("."), 4); /* old, d, begun and one temporary */
    kill(child.process, signals[k / 2]);
    spawn_end(child, &outcome);
    assert_int_equal(outcome.signal, signals[k / 2]);
    assert_int_equal(entry_count("d"), 0);
    assert_int_equal(entry_count("."), 3);
    assert_int_equal(system("test $(cat old) = old"), 0);
  }
}

/* The same with a folder. */
static SupResult fill_slowly(CliContext *cli, SupError *error) {
  SupFolderWriter *writer;
  const char *path = cli_text(cli->arguments, "output");
  SupResult result = sup_folder_begin(cli->allocator, path, "mark", &writer, error);
  if (result != SUP_OK) return result;
  put_file("begun", "x");
  for (int k = 0; k < 100000; k++) { /* without a pause: sweeping and filling meet */
    char name[256];
    snprintf(name, sizeof name, "%s/%d", sup_folder_path(writer), k);
    FILE *file = fopen(name, "w");
    if (file) fclose(file);
  }
  return sup_folder_commit(writer, error);
}

static void interrupted_folders_leave_nothing(void **state) {
  static const CliOption options[] = {
      {.name = "output", .kind = CLI_FOLDER, .value_name = "DIR", .help = "out"}, {0}};
  static const CliVerb verb = {
      .name = "fill", .usage = "", .example = "", .options = options, .run = fill_slowly};
  (void)state;
  char *words[] = {"--output", "d/", NULL};
  for (int k = 0; k < 5; k++) {
    unlink("begun");
    Child child = spawn_begin((Command){&verb, words, -1});
    wait_for("begun");
    assert_int_equal(entry_count("."), 2);
    kill(child.process, SIGTERM);
    spawn_end(child, &outcome);
    assert_int_equal(outcome.signal, SIGTERM);
    assert_int_equal(entry_count("."), 1);
  }
}

static void ignored_signals_stay_ignored(void **state) {
  (void)state;
  char *words[] = {"-o", "new", NULL};
  signal(SIGHUP, SIG_IGN); /* nohup */
  Child child = spawn_begin((Command){&slow_verb, words, -1});
  signal(SIGHUP, SIG_DFL);
  wait_for("begun");
  kill(child.process, SIGHUP);
  kill(child.process, SIGTERM);
  spawn_end(child, &outcome);
  assert_int_equal(outcome.signal, SIGTERM);
}

static void inputs_are_not_overwritten(void **state) {
  (void)state;
  put_file("in", "old");
  assert_int_equal(symlink("in", "link"), 0);
  run_verb_of_test(&quick_verb, "in -o in", &outcome);
  expect_failure(2, "--output: in is also an input");
  run_verb_of_test(&quick_verb, "in -o ./in", &outcome);
  expect_failure(2, "is also an input");
  run_verb_of_test(&quick_verb, "in -o link", &outcome);
  expect_failure(2, "is also an input");
  run_verb_of_test(&quick_verb, "--texture in -o in", &outcome);
  expect_failure(2, "is also an input");
  run_verb_of_test(&quick_verb, "in -o out --json in", &outcome);
  expect_failure(2, "--json: in is also an input");
  run_verb_of_test(&quick_verb, "in -o out --json out", &outcome);
  expect_failure(2, "out is also written by");
  run_verb_of_test(&quick_verb, "in", &outcome);
  expect_failure(2, "-o FILE (--output) is missing");
  assert_int_equal(entry_count("."), 2);
  /* What is no file cannot be lost. */
  assert_int_equal(mkfifo("pipe", 0600), 0);
  int reader = open("pipe", O_RDONLY | O_NONBLOCK);
  run_verb_of_test(&quick_verb, "in -o pipe --json pipe", &outcome);
  close(reader);
  expect(0, "");
}

/* XXH64 of "abc" and of nothing, from its specification. */
static void inputs_are_hashed(void **state) {
  (void)state;
  put_file("empty", "");
  put_file("in", "abc");
  run_verb_of_test(&quick_verb, "in --texture empty missing -o out --json r.json", &outcome);
  expect(0, "");
  expect_json("r.json",
              "[(i['path'], i['bytes'], i['xxh64']) for i in d['inputs']] == "
              "[('in', 3, '44bc2cf5ad770999'), ('empty', 0, 'ef46db3751d8e999')]");
}

static SupResult use_memory(CliContext *cli, SupError *error) {
  for (int k = 0; k < 64; k++) {
    if (!SUP_ALLOC(cli->arena, char, 1 << 20)) {
      return sup_fail(error, SUP_ERROR_MEMORY, "the lattice does not fit");
    }
  }
  cli_report_number(cli->report, "nan", NAN);
  return SUP_OK;
}

static const CliVerb hungry_verb = {
    .name = "hungry", .usage = "", .example = "", .run = use_memory};

static void memory_is_limited(void **state) {
  (void)state;
  run_verb_of_test(&hungry_verb, "--max-memory 8M --json r.json", &outcome);
  expect_failure(1, "the lattice does not fit; --max-memory allows 8388608 bytes, give more");
  expect_json("r.json",
              "d['done'] is False and 'lattice' in d['error'] and "
              "d['peak_bytes'] <= 8388608");
  run_verb_of_test(&hungry_verb, "--max-memory 0.1G --json r.json", &outcome);
  expect(0, "");
  expect_json("r.json", "d['result']['nan'] is None and 64 << 20 <= d['peak_bytes'] < 107374183");
  run_verb_of_test(&hungry_verb, "--json r.json", &outcome);
  expect(0, "");
}

static SupResult fail_badly(CliContext *cli, SupError *error) {
  cli_say(cli, "so far so good\n");
  return sup_fail(error, SUP_ERROR_FORMAT, "in.glb: two\nlines; do this");
}

static void failures_are_one_line(void **state) {
  static const CliVerb verb = {.name = "fail", .usage = "", .example = "", .run = fail_badly};
  (void)state;
  run_verb_of_test(&verb, "", &outcome);
  expect_failure(1, "supple: in.glb: two lines; do this\n");
  assert_string_equal(outcome.out, "so far so good\n");
}

static void outputs_are_tried_before_the_work(void **state) {
  static const CliVerb verb = {
      .name = "fail", .usage = "", .example = "", .options = out_option, .run = fail_badly};
  (void)state;
  run_verb_of_test(&verb, "-o none/out", &outcome);
  expect_failure(1, "none/out: cannot be written");
  assert_string_equal(outcome.out, "");
  run_verb_of_test(&verb, "-o out", &outcome);
  expect_failure(1, "in.glb");
  assert_string_equal(outcome.out, "so far so good\n");
  assert_int_equal(entry_count("."), 0);
}

/* ---- Progress ------------------------------------------------------------------------------- */

static SupResult take_time(CliContext *cli, SupError *error) {
  (void)error;
  for (int k = 0; k < 16; k++) {
    struct timespec time = {0, 100000000};
    cli_progress(cli, "stepping", k, 16);
    nanosleep(&time, NULL);
  }
  cli_progress(cli, "stepping", 16, 16);
  return SUP_OK;
}

/* One call that tells nothing of itself. */
static SupResult be_busy(CliContext *cli, SupError *error) {
  (void)error;
  struct timespec time = {1, 800000000};
  cli_busy_begin(cli, "thinking\nhard");
  nanosleep(&time, NULL);
  cli_busy_end(cli);
  return SUP_OK;
}

static const CliVerb busy_verb = {.name = "busy", .usage = "", .example = "", .run = be_busy};
static const CliVerb long_verb = {.name = "long", .usage = "", .example = "", .run = take_time};

/* Runs the verb with stderr on a terminal and gives what it drew there; false without terminals. */
static bool watch_terminal(const CliVerb *verb, const char *word, char *text, size_t size) {
  int master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
  if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) return false;
  int terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
  if (terminal < 0) return false;
  char copy[16], *words[] = {copy, NULL};
  snprintf(copy, sizeof copy, "%s", word);
  spawn_end(spawn_begin((Command){verb, words, terminal}), &outcome);
  size_t length = 0;
  struct pollfd input = {.fd = master, .events = POLLIN};
  while (length < size - 1 && poll(&input, 1, 300) > 0) { /* it arrives in pieces */
    ssize_t got = read(master, text + length, size - 1 - length);
    if (got <= 0) break;
    length += (size_t)got;
  }
  text[length] = 0;
  close(terminal);
  close(master);
  return true;
}

static void progress_is_drawn_on_terminals_only(void **state) {
  (void)state;
  static char text[1 << 14];
  setenv("TERM", "xterm", 1);
  if (!watch_terminal(&long_verb, "--seed=1", text, sizeof text)) skip();
  expect(0, "");
  assert_non_null(strstr(text, "stepping ["));
  assert_non_null(strstr(text, "left"));
  assert_string_equal(text + strlen(text) - 4, "\r\033[K");
  assert_null(strstr(text, " 12 %")); /* not within the first second */
  assert_true(watch_terminal(&long_verb, "--quiet", text, sizeof text));
  assert_string_equal(text, "");
  setenv("TERM", "dumb", 1);
  assert_true(watch_terminal(&long_verb, "--seed=1", text, sizeof text));
  assert_string_equal(text, "");
  setenv("TERM", "xterm", 1);
  assert_true(watch_terminal(&busy_verb, "--seed=1", text, sizeof text));
  assert_non_null(strstr(text, "thinking hard ... 0:01"));
  assert_string_equal(text + strlen(text) - 4, "\r\033[K");
  assert_true(watch_terminal(&busy_verb, "--quiet", text, sizeof text));
  assert_string_equal(text, "");
  run_verb_of_test(&long_verb, "", &outcome); /* stderr is a file */
  expect(0, "");
  assert_string_equal(outcome.err, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      IN_FOLDER(every_verb_has_help),
      IN_FOLDER(kinds_have_pages_of_their_own),
      IN_FOLDER(the_overview_lists_all),
      IN_FOLDER(version_is_told),
      IN_FOLDER(usage_mistakes_exit_with_2),
      IN_FOLDER(threads_are_accepted),
      IN_FOLDER(quiet_is_quiet),
      IN_FOLDER(the_report_is_json),
      IN_FOLDER(the_report_may_go_to_stdout),
      IN_FOLDER(unwritable_places_are_refused),
      IN_FOLDER(closed_folders_are_refused),
      IN_FOLDER(a_full_stdout_is_told),
      IN_FOLDER(the_demo_appears_whole),
      IN_FOLDER(interrupted_files_leave_nothing),
      IN_FOLDER(interrupted_folders_leave_nothing),
      IN_FOLDER(ignored_signals_stay_ignored),
      IN_FOLDER(inputs_are_not_overwritten),
      IN_FOLDER(inputs_are_hashed),
      IN_FOLDER(memory_is_limited),
      IN_FOLDER(failures_are_one_line),
      IN_FOLDER(outputs_are_tried_before_the_work),
      IN_FOLDER(progress_is_drawn_on_terminals_only),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
