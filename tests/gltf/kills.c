/* SPDX-License-Identifier: MIT */
/* The linker sends these calls here (--wrap). */
#include "kills.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

unsigned kill_at;
static unsigned call_count;

static void count_call(void) {
  if (kill_at && ++call_count == kill_at) raise(SIGKILL);
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...) {
  count_call();
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return __real_open(path, flags, mode);
}

/* What a kill in the middle of writing leaves is half of it. Only large pieces count: the text of a
 * document is written token by token. */
size_t __real_fwrite(const void *data, size_t size, size_t count, FILE *file);
size_t __wrap_fwrite(const void *data, size_t size, size_t count, FILE *file);
size_t __wrap_fwrite(const void *data, size_t size, size_t count, FILE *file) {
  if (size * count < 256) return __real_fwrite(data, size, count, file);
  if (kill_at && call_count + 1 == kill_at) {
    __real_fwrite(data, size, count / 2, file);
    fflush(file);
  }
  count_call();
  return __real_fwrite(data, size, count, file);
}

#define WRAP(name, parameters, arguments) \
  int __real_##name parameters;           \
  int __wrap_##name parameters;           \
  int __wrap_##name parameters {          \
    count_call();                         \
    return __real_##name arguments;       \
  }

WRAP(rename, (const char *from, const char *to), (from, to))
WRAP(unlink, (const char *path), (path))
WRAP(rmdir, (const char *path), (path))
WRAP(remove, (const char *path), (path))
WRAP(mkdir, (const char *path, mode_t mode), (path, mode))
WRAP(fchmod, (int descriptor, mode_t mode), (descriptor, mode))
WRAP(fsync, (int descriptor), (descriptor))
WRAP(close, (int descriptor), (descriptor))
WRAP(flock, (int descriptor, int operation), (descriptor, operation))
WRAP(fflush, (FILE * file), (file))
WRAP(fclose, (FILE * file), (file))
