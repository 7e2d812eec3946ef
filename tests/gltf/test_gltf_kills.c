/* SPDX-License-Identifier: MIT */
/* A .gltf that is overwritten, ended by SIGKILL before each of its system calls. */
#define _XOPEN_SOURCE 700
#include "check.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gltf_compare.h"
#include "gltf_fixtures.h"
#include "kills.h"
#include "supple/io/file.h"

static SupArena arena;
static char folder[64];
static SupError error;

static int begin(void **state) {
  (void)state;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  return fixture_folder(folder) || chdir(folder) != 0;
}

static int end(void **state) {
  (void)state;
  sup_arena_free(&arena);
  return chdir("/") || fixture_folder_end(folder);
}

/* The tube with `value` in its map `lock`. Large ones have another map before it, so that neither
 * document can be read with the other's buffer unnoticed. */
static SupGltf *tube_with(float value) {
  SupGltf *document = fixture_open(FIX_PLAIN);
  SupGltfCharacter character = fixture_character(document, &arena);
  float values[TUBE_VERTICES] = {value}, other[TUBE_VERTICES] = {0.125f};
  if (value > 0.6f)
    assert_int_equal(sup_gltf_put_map(document, &character, "amount", other, &error), SUP_OK);
  assert_int_equal(sup_gltf_put_map(document, &character, "lock", values, &error), SUP_OK);
  return document;
}

static void save(const SupGltf *document, const char *path) {
  if (sup_gltf_save(document, path, SUP_GLTF_BY_NAME, &error)) fail_msg("%s", error.text);
}

static void save_tube(float value, const char *path) {
  SupGltf *document = tube_with(value);
  save(document, path);
  sup_gltf_close(document);
}

/* The largest value of the map `lock` of a file; -1 if it is not what tube_with made. */
static float lock_of(const char *path) {
  SupGltf *document;
  if (sup_gltf_open(path, NULL, &document, &error)) fail_msg("%s", error.text);
  SupGltfCharacter found = fixture_character(document, &arena);
  float most = 0;
  for (uint32_t m = 0; m < found.character.map_count; m++) {
    const SupMap *map = &found.character.maps[m];
    for (uint32_t v = 0; v < found.character.body.vertex_count; v++) {
      if (!strcmp(map->name, "lock") && map->values[v] > most) most = map->values[v];
    }
  }
  if (found.character.map_count != (most > 0.6f ? 2 : 1)) most = -1; /* two files' halves */
  sup_gltf_close(document);
  return most;
}

/* The number of entries of the folder whose names fit the shell's pattern. */
static int count_files(const char *pattern) {
  char command[100];
  snprintf(command, sizeof command, "ls -1Ad %s 2>/dev/null | wc -l", pattern);
  FILE *pipe = popen(command, "r");
  int count = -1;
  assert_int_equal(fscanf(pipe, "%d", &count), 1);
  pclose(pipe);
  return count;
}

static void run_shell(const char *command) { assert_int_equal(system(command), 0); }

/* Saves in a child that is killed before its call `n`. Whether it was. */
static bool save_until(const SupGltf *document, const char *path, unsigned n) {
  pid_t child = fork();
  if (child == 0) {
    kill_at = n;
    SupResult result = sup_gltf_save(document, path, SUP_GLTF_BY_NAME, &error);
    kill_at = 0;
    _exit(result == SUP_OK ? 0 : 1);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  if (WIFSIGNALED(status)) assert_int_equal(WTERMSIG(status), SIGKILL);
  if (WIFEXITED(status)) assert_int_equal(WEXITSTATUS(status), 0);
  return WIFSIGNALED(status);
}

static void a_kill_leaves_the_old_or_the_new_file(void **state) {
  (void)state;
  SupGltf *new_tube = tube_with(0.75f);
  unsigned n = 1, old_count = 0, new_count = 0;
  for (bool killed = true; killed; n++) {
    assert_true(n < 500);
    run_shell("rm -f x* y*");
    save_tube(0.25f, "x.gltf");
    run_shell("cp x.gltf y.gltf");
    killed = save_until(new_tube, "x.gltf", n);
    float found = lock_of("x.gltf");
    if (found != 0.25f && found != 0.75f) fail_msg("killed before call %u: %g", n, found);
    if (lock_of("y.gltf") != 0.25f) fail_msg("killed before call %u: the copy has changed", n);
    old_count += found == 0.25f;
    new_count += found == 0.75f;
    /* What the killed one left is gone after a run of the next day. */
    run_shell("for f in .supple-*; do [ ! -e $f ] || touch -d '25 hours ago' $f; done");
    save(new_tube, "x.gltf");
    assert_int_equal(count_files(".supple-*"), 0);
    assert_int_equal(count_files("*"), 4);
  }
  assert_true(old_count > 10 && new_count > 1);
  sup_gltf_close(new_tube);
}

/* The same for files that keep their names when they are copied. */
static void a_kill_leaves_copied_files_whole(void **state) {
  (void)state;
  unsigned n = 1;
  run_shell("mkdir in0 in1");
  for (int k = 0; k < 2; k++) {
    char command[200];
    save_tube(k ? 0.75f : 0.25f, k ? "in1/t.gltf" : "in0/t.gltf");
    snprintf(command, sizeof command,
             "cd in%d && sed -i s/t-[0-9a-f]*.bin/t.bin/ t.gltf && mv t-*.bin t.bin", k);
    run_shell(command);
  }
  SupGltf *documents[2];
  for (int k = 0; k < 2; k++) {
    if (sup_gltf_open(k ? "in1/t.gltf" : "in0/t.gltf", NULL, &documents[k], &error))
      fail_msg("%s", error.text);
  }
  for (bool killed = true; killed; n++) {
    assert_true(n < 500);
    run_shell("rm -rf out && mkdir out");
    save(documents[0], "out/x.gltf");
    run_shell("cp out/x.gltf out/y.gltf");
    killed = save_until(documents[1], "out/x.gltf", n);
    float found = lock_of("out/x.gltf");
    if (found != 0.25f && found != 0.75f) fail_msg("killed before call %u: %g", n, found);
    if (lock_of("out/y.gltf") != 0.25f) fail_msg("killed before call %u: the copy changed", n);
  }
  assert_true(n > 10);
  sup_gltf_close(documents[0]);
  sup_gltf_close(documents[1]);
}

static void the_old_buffer_goes_when_nobody_names_it(void **state) {
  (void)state;
  save_tube(0.25f, "x.gltf");
  save_tube(0.5f, "x.gltf");
  assert_int_equal(count_files("*"), 2);
  /* A copy of any name keeps it, and so does a file that cannot be understood. */
  run_shell("cp x.gltf 'a copy.gltf.bak'");
  save_tube(0.75f, "x.gltf");
  assert_int_equal(count_files("*"), 4);
  assert_true(lock_of("a copy.gltf.bak") == 0.5f);
  run_shell("rm 'a copy.gltf.bak'; printf '{ \"buffers\": [' > torn.gltf");
  save_tube(1, "x.gltf");
  assert_int_equal(count_files("x-*.bin"), 3);
  run_shell("rm *");
  /* Names that are not derived from the document's own are nobody's to remove. */
  save_tube(0.25f, "x.gltf");
  run_shell("mv x-*.bin thesis && sed -i s/x-[0-9a-f]*.bin/thesis/ x.gltf");
  assert_true(lock_of("x.gltf") == 0.25f);
  save_tube(0.5f, "x.gltf");
  assert_int_equal(count_files("thesis"), 1);
  assert_int_equal(count_files("x-*.bin"), 1);
}

/* Another document's buffer may begin like ours, and another document may lead to ours by a way
 * around. */
static void what_others_need_stays(void **state) {
  (void)state;
  static const char *const names[] = {"x_terrain.bin", "x-0123456789abcde.bin", "xy.bin",
                                      "x-0123456789abcdef_.bin", "x-0123456789abcdef-y.bin"};
  char command[200];
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    save_tube(0.25f, "x.gltf");
    snprintf(command, sizeof command,
             "mv x-*.bin other && mv other %s && sed -i s/x-[0-9a-f]*.bin/%s/ x.gltf", names[k],
             names[k]);
    run_shell(command);
    save_tube(0.5f, "x.gltf");
    if (count_files(names[k]) != 1) fail_msg("%s is gone", names[k]);
    run_shell("rm *");
  }
  static const char *const ways[] = {"..\\/y\\/",          "%2e%2e\\/y\\/", "\\/y\\/",
                                     "file:\\/\\/\\/y\\/", "sub\\/..\\/",   "%00"};
  for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
    save_tube(0.25f, "x.gltf");
    snprintf(command, sizeof command, "sed 's/x-[0-9a-f]*.bin/%s&/' x.gltf > y.gltf", ways[k]);
    run_shell(command);
    save_tube(0.5f, "x.gltf");
    if (count_files("x-*.bin") != 2) fail_msg("%s: the buffer is gone", ways[k]);
    run_shell("rm *");
  }
  save_tube(0.25f, "x.gltf");
  run_shell("mv x-*.bin x.bin && sed -i s/x-[0-9a-f]*.bin/x.bin/ x.gltf");
  save_tube(0.5f, "x.gltf");
  assert_int_equal(count_files("x.bin"), 0);
}

static void equal_contents_share_a_file(void **state) {
  (void)state;
  save_tube(0.25f, "x.gltf");
  struct stat before, after;
  run_shell("ln x-*.bin same && touch -d '2001-01-01' same");
  assert_int_equal(stat("same", &before), 0);
  save_tube(0.25f, "x.gltf");
  assert_int_equal(stat("same", &after), 0);
  assert_int_equal(after.st_nlink, 2);
  assert_int_equal(count_files("x-*.bin"), 1);
  /* Damaged since: another name, and the document is whole. */
  run_shell("rm same; printf 'a diary' > $(echo x-*.bin)");
  save_tube(0.25f, "x.gltf");
  assert_true(lock_of("x.gltf") == 0.25f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_kill_leaves_the_old_or_the_new_file, begin, end),
      cmocka_unit_test_setup_teardown(a_kill_leaves_copied_files_whole, begin, end),
      cmocka_unit_test_setup_teardown(the_old_buffer_goes_when_nobody_names_it, begin, end),
      cmocka_unit_test_setup_teardown(what_others_need_stays, begin, end),
      cmocka_unit_test_setup_teardown(equal_contents_share_a_file, begin, end),
  };
  return cmocka_run_group_tests_name("gltf kills", tests, NULL, NULL);
}
