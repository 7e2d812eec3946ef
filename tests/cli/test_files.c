/* SPDX-License-Identifier: MIT */
/* Files and folders that appear whole or not at all. */
#define _XOPEN_SOURCE 700
#include "check.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supple/io/file.h"
#include "workdir.h"

static void assert_contents(const char *path, const char *expected) {
  SupArena arena;
  SupError error = {""};
  const uint8_t *data;
  size_t bytes;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  assert_int_equal(sup_file_read(&arena, path, &data, &bytes, &error), SUP_OK);
  assert_int_equal(bytes, strlen(expected));
  assert_string_equal((const char *)data, expected);
  sup_arena_free(&arena);
}

static SupResult save(const char *path, const char *text, SupError *error) {
  return sup_file_save(sup_heap_allocator(), path, text, strlen(text), error);
}

static mode_t mode_of(const char *path) {
  struct stat status;
  assert_int_equal(stat(path, &status), 0);
  return status.st_mode & 07777;
}

static void new_files_follow_the_umask(void **state) {
  (void)state;
  SupError error;
  mode_t old = umask(027);
  assert_int_equal(save("a", "one", &error), SUP_OK);
  umask(old);
  assert_int_equal(mode_of("a"), 0640);
  assert_contents("a", "one");
  assert_int_equal(entry_count("."), 1);
}

static void old_files_keep_their_permissions(void **state) {
  (void)state;
  SupError error;
  assert_int_equal(save("a", "one", &error), SUP_OK);
  assert_int_equal(chmod("a", 0604), 0);
  assert_int_equal(save("a", "two", &error), SUP_OK);
  assert_int_equal(mode_of("a"), 0604);
  assert_contents("a", "two");
}

static void write_protected_files_are_refused(void **state) {
  (void)state;
  SupError error;
  stop_being_root();
  assert_int_equal(save("a", "one", &error), SUP_OK);
  assert_int_equal(chmod("a", 0444), 0);
  assert_int_equal(save("a", "two", &error), SUP_ERROR_IO);
  assert_contents("a", "one");
}

static void the_old_file_stays_until_commit(void **state) {
  (void)state;
  SupError error;
  SupFileWriter *writer;
  assert_int_equal(save("a", "one", &error), SUP_OK);
  assert_int_equal(sup_file_begin(sup_heap_allocator(), "a", &writer, &error), SUP_OK);
  sup_file_write(writer, "two", 3);
  assert_contents("a", "one");
  assert_int_equal(entry_count("."), 2);
  sup_file_abandon(writer);
  assert_contents("a", "one");
  assert_int_equal(entry_count("."), 1);
}

static void links_stay_links(void **state) {
  (void)state;
  SupError error;
  struct stat status;
  assert_int_equal(mkdir("d", 0777), 0);
  assert_int_equal(save("d/real", "one", &error), SUP_OK);
  assert_int_equal(symlink("d/real", "link"), 0);
  assert_int_equal(save("link", "two", &error), SUP_OK);
  assert_int_equal(lstat("link", &status), 0);
  assert_true(S_ISLNK(status.st_mode));
  assert_contents("d/real", "two");
  assert_int_equal(symlink("nowhere", "dangling"), 0);
  assert_int_equal(save("dangling", "x", &error), SUP_ERROR_IO);
  assert_non_null(strstr(error.text, "dangling"));
  assert_int_equal(entry_count("d"), 1);
}

static void folders_and_missing_folders_are_refused(void **state) {
  (void)state;
  SupError error;
  assert_int_equal(mkdir("d", 0777), 0);
  assert_int_equal(save("d", "x", &error), SUP_ERROR_IO);
  assert_int_equal(save("none/a", "x", &error), SUP_ERROR_IO);
  assert_int_equal(save("", "x", &error), SUP_ERROR_IO);
  assert_int_equal(save("a/", "x", &error), SUP_ERROR_IO);
  assert_int_equal(entry_count("."), 1);
  assert_int_equal(entry_count("d"), 0);
}

/* Not with /dev/null: if this fails, root's would be gone. */
static void pipes_are_written_directly(void **state) {
  (void)state;
  SupError error;
  char text[8] = "";
  assert_int_equal(mkfifo("pipe", 0600), 0);
  int reader = open("pipe", O_RDONLY | O_NONBLOCK);
  assert_int_equal(save("pipe", "hello", &error), SUP_OK);
  assert_int_equal(read(reader, text, sizeof text), 5);
  assert_string_equal(text, "hello");
  close(reader);
  assert_int_equal(entry_count("."), 1);
}

/* A file that is open as somebody's stdout is written into: another one of its name would be lost
 * on him. */
static void names_of_descriptors_are_written_directly(void **state) {
  (void)state;
  SupError error;
  char name[32], text[8] = "";
  int descriptor = open("a", O_RDWR | O_CREAT, 0600);
  snprintf(name, sizeof name, "/dev/fd/%d", descriptor);
  if (access(name, F_OK) != 0) {
    close(descriptor);
    skip();
  }
  assert_int_equal(save(name, "hello", &error), SUP_OK);
  assert_int_equal(read(descriptor, text, sizeof text), 5);
  close(descriptor);
}

/* The limit on the size of files stands for a full disk. */
static void a_full_disk_leaves_the_old_file(void **state) {
  (void)state;
  enum { BYTES = 1 << 20 };
  SupError error = {""};
  char *data = calloc(1, BYTES);
  struct rlimit old, small;
  assert_int_equal(save("a", "one", &error), SUP_OK);
  signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &old);
  small = old;
  small.rlim_cur = 4096;
  setrlimit(RLIMIT_FSIZE, &small);
  SupResult result = sup_file_save(sup_heap_allocator(), "a", data, BYTES, &error);
  setrlimit(RLIMIT_FSIZE, &old);
  free(data);
  assert_int_equal(result, SUP_ERROR_IO);
  assert_contents("a", "one");
  assert_int_equal(entry_count("."), 1);
}

static void short_memory_is_told(void **state) {
  (void)state;
  CountingHeap heap = {.fail_at = 1};
  SupFileWriter *writer;
  SupFolderWriter *folder;
  SupError error;
  assert_int_equal(sup_file_begin(counting_allocator(&heap), "a", &writer, &error),
                   SUP_ERROR_MEMORY);
  assert_null(writer);
  assert_int_equal(sup_folder_begin(counting_allocator(&heap), "d", "m", &folder, &error),
                   SUP_ERROR_MEMORY);
  assert_null(folder);
  heap = (CountingHeap){0};
  assert_int_equal(sup_file_save(counting_allocator(&heap), "a", "x", 1, &error), SUP_OK);
  assert_int_equal(heap.live_blocks, 0);
}

static void put_into(const SupFolderWriter *writer, const char *name, const char *text) {
  char path[256];
  SupError error = {""};
  snprintf(path, sizeof path, "%s/%s", sup_folder_path(writer), name);
  assert_int_equal(save(path, text, &error), SUP_OK);
}

static void folders_appear_whole(void **state) {
  (void)state;
  SupError error;
  SupFolderWriter *writer;
  SupAllocator heap = sup_heap_allocator();
  assert_int_equal(sup_folder_begin(heap, "d/", "mark", &writer, &error), SUP_OK);
  put_into(writer, "mark", "1");
  put_into(writer, "only-first", "1");
  assert_int_not_equal(access("d", F_OK), 0);
  assert_int_equal(sup_folder_commit(writer, &error), SUP_OK);
  assert_contents("d/mark", "1");
  /* Once more: the earlier one is replaced as a whole. */
  assert_int_equal(sup_folder_begin(heap, "d", "mark", &writer, &error), SUP_OK);
  put_into(writer, "mark", "2");
  assert_contents("d/mark", "1");
  assert_int_equal(sup_folder_commit(writer, &error), SUP_OK);
  assert_contents("d/mark", "2");
  assert_int_equal(entry_count("d"), 1);
  assert_int_equal(entry_count("."), 1);
  /* Abandoned: as it was. */
  assert_int_equal(sup_folder_begin(heap, "d", "mark", &writer, &error), SUP_OK);
  put_into(writer, "mark", "3");
  sup_folder_abandon(writer);
  assert_contents("d/mark", "2");
  assert_int_equal(entry_count("."), 1);
}

static void other_peoples_folders_are_refused(void **state) {
  (void)state;
  SupError error;
  SupFolderWriter *writer;
  SupAllocator heap = sup_heap_allocator();
  assert_int_equal(mkdir("d", 0777), 0);
  assert_int_equal(save("d/thesis", "years", &error), SUP_OK);
  assert_int_equal(sup_folder_begin(heap, "d", "mark", &writer, &error), SUP_ERROR_IO);
  assert_null(writer);
  assert_int_equal(sup_folder_begin(heap, "d/thesis", "mark", &writer, &error), SUP_ERROR_IO);
  for (int k = 0; k < 4; k++) {
    static const char *const names[] = {".", "d/..", "/", ""};
    assert_int_equal(sup_folder_begin(heap, names[k], "mark", &writer, &error), SUP_ERROR_IO);
  }
  assert_int_equal(sup_folder_begin(heap, "none/d", "mark", &writer, &error), SUP_ERROR_IO);
  assert_contents("d/thesis", "years");
  assert_int_equal(entry_count("."), 1);
  /* Filled by somebody after we began: not ours to delete either. */
  assert_int_equal(mkdir("e", 0777), 0);
  assert_int_equal(sup_folder_begin(heap, "e", "mark", &writer, &error), SUP_OK);
  assert_int_equal(save("e/thesis", "years", &error), SUP_OK);
  put_into(writer, "mark", "1");
  assert_int_equal(sup_folder_commit(writer, &error), SUP_ERROR_IO);
  assert_contents("e/thesis", "years");
  assert_int_equal(entry_count("."), 2);
}

/* A folder that we may make but not open: told at once, and gone. */
static void a_folder_that_cannot_be_opened_is_told(void **state) {
  (void)state;
  SupError error;
  SupFolderWriter *writer;
  stop_being_root();
  mode_t old = umask(0777);
  SupResult result = sup_folder_begin(sup_heap_allocator(), "d", "mark", &writer, &error);
  umask(old);
  assert_int_equal(result, SUP_ERROR_IO);
  assert_non_null(strstr(error.text, "ermission"));
  assert_int_equal(entry_count("."), 0);
}

static void sweeping_takes_only_our_own(void **state) {
  (void)state;
  SupError error;
  char namesake[64];
  SupFileWriter *file;
  SupFolderWriter *folder;
  SupAllocator heap = sup_heap_allocator();
  assert_int_equal(mkdir("d", 0777), 0);
  assert_int_equal(save("d/.supple-1-0", "another process", &error), SUP_OK);
  assert_int_equal(save("d/kept", "kept", &error), SUP_OK);
  assert_int_equal(sup_file_begin(heap, "d/a", &file, &error), SUP_OK);
  assert_int_equal(sup_folder_begin(heap, "d/b", "mark", &folder, &error), SUP_OK);
  put_into(folder, "mark", "1");
  snprintf(namesake, sizeof namesake, "d/.supple-%ld-7", (long)getpid());
  assert_int_equal(save(namesake, "our number in another container", &error), SUP_OK);
  assert_int_equal(entry_count("d"), 5);
  sup_file_sweep("d/a");
  assert_int_equal(entry_count("d"), 3);
  assert_contents("d/kept", "kept");
  assert_int_equal(unlink(namesake), 0);
  /* What was swept cannot be committed; nothing appears. */
  assert_int_equal(sup_file_commit(file, &error), SUP_ERROR_IO);
  sup_folder_abandon(folder);
  assert_int_equal(entry_count("d"), 2);
  sup_file_sweep("none/at/all");
}

static void run_shell(const char *command) { assert_int_equal(system(command), 0); }

/* The number of a process that has ended. */
static pid_t ended_process(void) {
  pid_t child = fork();
  if (child == 0) _exit(0);
  assert_int_equal(waitpid(child, NULL, 0), child);
  return child;
}

static void what_killed_runs_left_is_removed(void **state) {
  (void)state;
  SupError error;
  char name[64];
  pid_t child = fork();
  if (child == 0) {
    SupFileWriter *file;
    SupFolderWriter *folder;
    sup_file_begin(sup_heap_allocator(), "a", &file, &error);
    sup_folder_begin(sup_heap_allocator(), "b", "mark", &folder, &error);
    snprintf(name, sizeof name, "%s/mark", sup_folder_path(folder));
    save(name, "1", &error);
    raise(SIGKILL);
  }
  assert_int_equal(waitpid(child, NULL, 0), child);
  assert_int_equal(entry_count("."), 2);
  /* Not on the same day: the lock of another machine may not be seen here. */
  assert_int_equal(save("c", "next", &error), SUP_OK);
  assert_int_equal(entry_count("."), 3);
  run_shell("touch -d '25 hours ago' .supple-*");
  assert_int_equal(save("c", "next", &error), SUP_OK);
  assert_int_equal(entry_count("."), 1);
}

/* Of processes that live, here or elsewhere, and of others nothing is taken. */
static void what_others_use_is_kept(void **state) {
  (void)state;
  SupError error;
  long gone = (long)ended_process();
  char used[64], stale[64], odd[64], link[64];
  snprintf(used, sizeof used, "d/.supple-%ld-0", gone);
  snprintf(stale, sizeof stale, "d/.supple-%ld-1", gone);
  snprintf(odd, sizeof odd, "d/.supple-%ld-x", gone);
  snprintf(link, sizeof link, "d/.supple-%ld-2", gone);
  assert_int_equal(mkdir("d", 0777), 0);
  assert_int_equal(save("kept", "kept", &error), SUP_OK);
  /* One after the other: names are taken away by the saves that follow. */
  int lock = open(used, O_CREAT | O_WRONLY, 0666);
  assert_int_equal(flock(lock, LOCK_EX), 0); /* as another machine would */
  assert_int_equal(close(open(stale, O_CREAT | O_WRONLY, 0666)), 0);
  assert_int_equal(close(open(odd, O_CREAT | O_WRONLY, 0666)), 0);
  assert_int_equal(close(open("d/.supple-1-0", O_CREAT | O_WRONLY, 0666)), 0);
  assert_int_equal(close(open("d/.supple-old-1", O_CREAT | O_WRONLY, 0666)), 0);
  run_shell("touch -d '25 hours ago' d/.supple-*");
  assert_int_equal(symlink("../kept", link), 0);
  assert_int_equal(save("d/a", "next", &error), SUP_OK);
  assert_int_not_equal(access(stale, F_OK), 0);
  assert_int_equal(entry_count("d"), 6);
  close(lock);
  assert_int_equal(save("d/a", "next", &error), SUP_OK);
  assert_int_not_equal(access(used, F_OK), 0);
  assert_int_equal(entry_count("d"), 5);
  assert_contents("kept", "kept");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      IN_FOLDER(new_files_follow_the_umask),
      IN_FOLDER(old_files_keep_their_permissions),
      IN_FOLDER(write_protected_files_are_refused),
      IN_FOLDER(the_old_file_stays_until_commit),
      IN_FOLDER(links_stay_links),
      IN_FOLDER(folders_and_missing_folders_are_refused),
      IN_FOLDER(pipes_are_written_directly),
      IN_FOLDER(names_of_descriptors_are_written_directly),
      IN_FOLDER(a_full_disk_leaves_the_old_file),
      IN_FOLDER(short_memory_is_told),
      IN_FOLDER(folders_appear_whole),
      IN_FOLDER(other_peoples_folders_are_refused),
      IN_FOLDER(a_folder_that_cannot_be_opened_is_told),
      IN_FOLDER(sweeping_takes_only_our_own),
      IN_FOLDER(what_killed_runs_left_is_removed),
      IN_FOLDER(what_others_use_is_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
