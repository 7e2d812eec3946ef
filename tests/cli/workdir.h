/* SPDX-License-Identifier: MIT */
/* An empty folder for every test. Needs _XOPEN_SOURCE 700 in front of all includes. */
#ifndef SUP_TESTS_WORKDIR_H
#define SUP_TESTS_WORKDIR_H

#include "check.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* For cmocka_unit_test_setup_teardown: *state is the name, the test starts inside. */
static inline int enter_folder(void **state) {
  char *folder = strdup("/tmp/supple-test-XXXXXX");
  *state = folder;
  return folder && mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static inline int leave_folder(void **state) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", (char *)*state);
  int status = chdir("/") == 0 ? system(command) : -1;
  free(*state);
  return status;
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)

/* Entries of a folder, without . and .. */
static inline int entry_count(const char *folder) {
  int count = 0;
  DIR *entries = opendir(folder);
  assert_non_null(entries);
  while (readdir(entries)) count++;
  closedir(entries);
  return count - 2;
}

#endif
