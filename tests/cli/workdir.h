/* SPDX-License-Identifier: MIT */
/* An empty folder for every test. Needs _XOPEN_SOURCE 700 in front of all includes. */
#ifndef SUP_TESTS_WORKDIR_H
#define SUP_TESTS_WORKDIR_H

#include "check.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Root may write everywhere: what is refused to others must be tried as somebody else. As root,
 * gives the present folder to `nobody` and goes on as him, until the folder is left; for anybody
 * else does nothing. Real and effective user change, the saved one leads back. */
static inline void stop_being_root(void) {
  enum { NOBODY = 65534 };
  if (geteuid() != 0) return;
  assert_int_equal(chown(".", NOBODY, (gid_t)-1), 0);
  assert_int_equal(setreuid(NOBODY, 0), 0);
  assert_int_equal(seteuid(NOBODY), 0);
  prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); /* or the leak sanitizer cannot look at the process */
}

static inline void be_root_again(void) {
  if (seteuid(0) == 0 && setreuid(0, 0) != 0) abort();
}

/* For cmocka_unit_test_setup_teardown: *state is the name, the test starts inside. */
static inline int enter_folder(void **state) {
  char *folder = strdup("/tmp/supple-test-XXXXXX");
  *state = folder;
  return folder && mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static inline int leave_folder(void **state) {
  char command[128];
  be_root_again();
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
