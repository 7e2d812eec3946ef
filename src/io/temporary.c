/* SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700 /* realpath, nftw */
#include "io/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "io/path.h"
#include "supple/io/file.h"

#define TEMPORARY_TRIES 10000u
#define TEMPORARY_AGE (24 * 60 * 60) /* seconds */
#define TEMPORARY_N 1000000000u      /* N has nine digits at most */
#define TEMPORARY_START ".supple-"
#define TEMPORARY_SWEPT "-swept"

char *sup_follow_link(const char *path) {
  struct stat status;
  if (!sup_is_special(path) && lstat(path, &status) == 0 && S_ISLNK(status.st_mode))
    return realpath(path, NULL);
  return strdup(path);
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk) {
  (void)status;
  (void)type;
  (void)walk;
  remove(path);
  return 0;
}

void sup_remove_tree(const char *path) {
  for (int k = 0; k < 10 && nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS) == 0; k++) {
    struct stat status;
    if (lstat(path, &status) != 0) break;
  }
}

/* ---- Names ---------------------------------------------------------------------------------- */

/* The process of `.supple-PID-N`, also with `-swept` behind it, and N; 0 for any other name. */
static long process_of(const char *name, unsigned *out_n) {
  if (strncmp(name, TEMPORARY_START, sizeof TEMPORARY_START - 1) != 0) return 0;
  const char *at = name + sizeof TEMPORARY_START - 1;
  size_t digits = strspn(at, "0123456789");
  long process = digits && digits < 10 ? strtol(at, NULL, 10) : 0;
  at += digits;
  digits = *at == '-' ? strspn(at + 1, "0123456789") : 0;
  if (!digits || digits > 9) return 0;
  *out_n = (unsigned)strtoul(at + 1, NULL, 10);
  at += 1 + digits;
  return *at == 0 || strcmp(at, TEMPORARY_SWEPT) == 0 ? process : 0;
}

/* N counts up from where the clock stood at the first name: a process of our number in another
 * container has other names, and what we made can be told from what it made. */
static atomic_uint first_n, name_count;

static unsigned next_n(void) {
  struct timespec now = {0};
  unsigned none = 0;
  if (!atomic_load(&first_n)) {
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t mixed = sup_hash(&now, sizeof now, 0);
    atomic_compare_exchange_strong(&first_n, &none, 1 + (unsigned)(mixed % (TEMPORARY_N - 1)));
  }
  return (atomic_load(&first_n) + atomic_fetch_add(&name_count, 1)) % TEMPORARY_N;
}

static bool is_our_n(unsigned n) {
  unsigned first = atomic_load(&first_n);
  return first && (n + TEMPORARY_N - first) % TEMPORARY_N < atomic_load(&name_count);
}

/* ---- What killed runs left ------------------------------------------------------------------ */

/* Our own number as well: in a container every run may have the same. The lock tells. */
static bool is_gone(long process) {
  return process == (long)getpid() || (kill((pid_t)process, 0) != 0 && errno == ESRCH);
}

/* Whether the name is still that of the open file: another run may have removed it before we had
 * the lock, and the name may be another file's by now. */
static bool is_still(int folder, const char *name, int held) {
  struct stat there, ours;
  return fstat(held, &ours) == 0 && ours.st_nlink > 0 &&
         fstatat(folder, name, &there, AT_SYMLINK_NOFOLLOW) == 0 && there.st_dev == ours.st_dev &&
         there.st_ino == ours.st_ino;
}

/* Removes a temporary of a process that is gone, if nobody holds it nor has touched it for a day.
 */
static void remove_stale(int folder, const char *where, const char *name) {
  struct stat status;
  int held = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (held < 0) return;
  bool ours = fstat(held, &status) == 0 && status.st_uid == geteuid() &&
              time(NULL) - status.st_mtime > TEMPORARY_AGE &&
              (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
  if (ours && flock(held, LOCK_EX | LOCK_NB) == 0 && is_still(folder, name, held)) {
    size_t bytes = strlen(where) + strlen(name) + 2;
    char *path = S_ISDIR(status.st_mode) ? malloc(bytes) : NULL;
    if (path) {
      sup_format(path, bytes, "%s/%s", where, name);
      sup_remove_tree(path);
    } else {
      unlinkat(folder, name, 0);
    }
    free(path);
  }
  close(held);
}

/* The folder that `path` is in, from malloc. */
static char *folder_of(const char *path) {
  size_t length = sup_folder_length(path);
  char *folder = strdup(length ? path : ".");
  if (folder && length) folder[length] = 0;
  return folder;
}

void sup_sync_folder(const char *path) {
  char *folder = folder_of(path);
  int descriptor = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (descriptor >= 0) {
    fsync(descriptor);
    close(descriptor);
  }
  free(folder);
}

/* `remove_one` is called for every temporary of a folder. */
static void each_temporary(const char *folder, void remove_one(DIR *, const char *, const char *)) {
  DIR *entries = opendir(folder);
  if (!entries) return;
  for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
    unsigned n;
    if (process_of(entry->d_name, &n)) remove_one(entries, folder, entry->d_name);
  }
  closedir(entries);
}

static void remove_if_stale(DIR *entries, const char *folder, const char *name) {
  unsigned n;
  if (is_gone(process_of(name, &n))) remove_stale(dirfd(entries), folder, name);
}

/* ---- Making them ---------------------------------------------------------------------------- */

/* Takes the lock of what was just made. False if a run that is tidying up was faster: then it is
 * gone. */
static bool hold(int descriptor) {
  struct stat status;
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
  return fstat(descriptor, &status) == 0 && status.st_nlink > 0;
}

/* The next free name; -1 with errno, EEXIST for one more try. */
static int try_name(const char *name, bool folder) {
  if (!folder) {
    int made = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (made < 0 || hold(made)) return made;
    close(made);
  } else {
    if (mkdir(name, 0777) != 0) return -1;
    int made = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (made >= 0 && hold(made)) return made;
    int reason = errno;
    if (made >= 0) close(made);
    if (made < 0 && reason != ENOENT) { /* which a run that is tidying up causes */
      rmdir(name);
      errno = reason;
      return -1;
    }
  }
  errno = EEXIST;
  return -1;
}

/* A descriptor that holds the lock, or -1 with errno. */
static int make_temporary(const char *path, bool folder, char *out_name) {
  char *where = folder_of(path);
  if (where) each_temporary(where, remove_if_stale);
  free(where);
  size_t length = sup_folder_length(path);
  memcpy(out_name, path, length);
  int made = -1;
  for (unsigned k = 0; k < TEMPORARY_TRIES && made < 0; k++) {
    sup_format(out_name + length, SUP_TEMPORARY_LENGTH, TEMPORARY_START "%ld-%u", (long)getpid(),
               next_n());
    made = try_name(out_name, folder);
    if (made < 0 && errno != EEXIST) break;
  }
  if (made < 0) out_name[0] = 0;
  return made;
}

int sup_temporary_file(const char *path, char *out_name) {
  return make_temporary(path, false, out_name);
}

bool sup_temporary_folder(const char *path, char *out_name, int *out_lock) {
  *out_lock = make_temporary(path, true, out_name);
  return *out_lock >= 0;
}

/* ---- Interruption --------------------------------------------------------------------------- */

/* Takes a temporary away from a thread that may still be filling it: under another name nothing
 * can be added to a folder, nor a file be committed. */
static void sweep_own(DIR *entries, const char *folder, const char *name) {
  unsigned n = 0;
  (void)entries;
  if (process_of(name, &n) != (long)getpid() || !is_our_n(n)) return;
  size_t bytes = strlen(folder) + strlen(name) + sizeof TEMPORARY_SWEPT + 1;
  char *path = malloc(2 * bytes);
  if (!path) return;
  char *swept = path + bytes;
  sup_format(path, bytes, "%s/%s", folder, name);
  sup_format(swept, bytes, "%s%s", path, TEMPORARY_SWEPT);
  sup_remove_tree(rename(path, swept) == 0 ? swept : path);
  free(path);
}

void sup_file_sweep(const char *path) {
  char *destination = sup_follow_link(path);
  if (!destination) return;
  size_t length = strlen(destination);
  while (length > 1 && destination[length - 1] == '/') destination[--length] = 0;
  char *folder = folder_of(destination);
  if (folder) each_temporary(folder, sweep_own);
  free(folder);
  free(destination);
}
