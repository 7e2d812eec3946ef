/* SPDX-License-Identifier: MIT */
/* Whole files in, whole files out. */
#define _XOPEN_SOURCE 700 /* fdopen, fchmod, strdup */
#include "supple/io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/path.h"
#include "io/temporary.h"

static void *heap_allocate(void *user, size_t bytes) {
  (void)user;
  void *block = NULL;
  return posix_memalign(&block, SUP_ALIGNMENT, bytes ? bytes : 1) == 0 ? block : NULL;
}

static void heap_release(void *user, void *block, size_t bytes) {
  (void)user;
  (void)bytes;
  free(block);
}

SupAllocator sup_heap_allocator(void) { return (SupAllocator){heap_allocate, heap_release, NULL}; }

/* ---- Reading -------------------------------------------------------------------------------- */

static SupResult read_stream(SupArena *arena, FILE *file, const char *path, size_t size,
                             const uint8_t **out_data, SupError *error) {
  uint8_t *data = SUP_ALLOC(arena, uint8_t, size + 1);
  if (!data) {
    return sup_fail(error, SUP_ERROR_MEMORY, "%s: %zu bytes do not fit into the memory allowed",
                    path, size);
  }
  if (fread(data, 1, size, file) != size) {
    return sup_fail(error, SUP_ERROR_IO, "%s: the file ended early or could not be read", path);
  }
  *out_data = data;
  return SUP_OK;
}

SupResult sup_open_regular(const char *path, FILE **out_file, uint64_t *out_bytes,
                           SupError *error) {
  /* O_NONBLOCK: opening a pipe must not wait for its writer before fstat refuses it. */
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status;
  SupResult result = SUP_OK;
  *out_file = NULL;
  if (descriptor < 0 || fstat(descriptor, &status) != 0) {
    result = sup_cannot_open(error, path, errno);
  } else if (S_ISDIR(status.st_mode)) {
    result = sup_fail(error, SUP_ERROR_IO, "%s: is a folder, not a file; give a file in it", path);
  } else if (!S_ISREG(status.st_mode)) {
    result = sup_fail(error, SUP_ERROR_IO,
                      "%s: not a regular file; save its contents to a file and give that", path);
  } else if (!(*out_file = fdopen(descriptor, "rb"))) {
    result = sup_fail(error, SUP_ERROR_IO, "%s: %s", path, strerror(errno));
  }
  if (result == SUP_OK) {
    *out_bytes = (uint64_t)status.st_size;
  } else if (descriptor >= 0) {
    close(descriptor);
  }
  return result;
}

SupResult sup_file_check(const char *path, SupError *error) {
  FILE *file;
  uint64_t bytes;
  SupResult result = sup_open_regular(path, &file, &bytes, error);
  if (result == SUP_OK) fclose(file);
  return result;
}

SupResult sup_file_read(SupArena *arena, const char *path, const uint8_t **out_data,
                        size_t *out_bytes, SupError *error) {
  FILE *file;
  uint64_t bytes;
  SupResult result = sup_open_regular(path, &file, &bytes, error);
  if (result != SUP_OK) return result;
  result = read_stream(arena, file, path, (size_t)bytes, out_data, error);
  if (result == SUP_OK) *out_bytes = (size_t)bytes;
  fclose(file);
  return result;
}

/* ---- Names ---------------------------------------------------------------------------------- */

/* Names like /dev/stdout may lead to a regular file that somebody holds open: that one, too, must
 * be written into. */
bool sup_is_special(const char *path) {
  struct stat status;
  if (strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0) return true;
  return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

/* ---- Files ---------------------------------------------------------------------------------- */

struct SupFileWriter {
  SupAllocator allocator;
  size_t bytes; /* of this struct with its names */
  FILE *file;
  int failure;     /* errno of the first failed write */
  char *path;      /* the destination, links followed */
  char *temporary; /* empty when the destination is written directly */
};

static void writer_free(SupFileWriter *writer) {
  writer->allocator.release(writer->allocator.user, writer, writer->bytes);
}

/* A writer with the destination's name and room for the temporary one. */
static SupFileWriter *writer_make(SupAllocator allocator, const char *path) {
  size_t length = strlen(path);
  size_t bytes = sizeof(SupFileWriter) + (length + 1) + (length + SUP_TEMPORARY_LENGTH);
  SupFileWriter *writer = allocator.allocate(allocator.user, bytes);
  if (!writer) return NULL;
  memset(writer, 0, bytes);
  writer->allocator = allocator;
  writer->bytes = bytes;
  writer->path = (char *)(writer + 1);
  writer->temporary = writer->path + length + 1;
  memcpy(writer->path, path, length);
  return writer;
}

/* The descriptor to write to, or -1 with errno. */
static int open_destination(SupFileWriter *writer) {
  struct stat old;
  if (sup_is_special(writer->path)) return open(writer->path, O_WRONLY | O_CLOEXEC);
  bool exists = stat(writer->path, &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) errno = EISDIR;
  if (exists && (S_ISDIR(old.st_mode) || access(writer->path, W_OK) != 0)) return -1;
  int descriptor = sup_temporary_file(writer->path, writer->temporary);
  if (descriptor < 0 || !exists) return descriptor;
  /* The owner can be kept by root only; the others lose nothing by trying. */
  if (fchown(descriptor, old.st_uid, old.st_gid) != 0) errno = 0;
  if (fchmod(descriptor, old.st_mode & 0777) == 0) return descriptor;
  int reason = errno;
  unlink(writer->temporary); /* while the lock still says whose it is */
  close(descriptor);
  errno = reason;
  return -1;
}

SupResult sup_file_begin(SupAllocator allocator, const char *path, SupFileWriter **out_writer,
                         SupError *error) {
  *out_writer = NULL;
  char *destination = sup_follow_link(path);
  if (!destination) return sup_cannot_write(error, path, errno);
  SupFileWriter *writer = writer_make(allocator, destination);
  free(destination);
  if (!writer) return sup_fail_memory(error, path);
  int descriptor = open_destination(writer);
  writer->file = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
  if (!writer->file) {
    SupResult result = sup_cannot_write(error, path, errno);
    if (descriptor >= 0 && writer->temporary[0]) unlink(writer->temporary);
    if (descriptor >= 0) close(descriptor);
    writer_free(writer);
    return result;
  }
  *out_writer = writer;
  return SUP_OK;
}

void sup_file_write(SupFileWriter *writer, const void *data, size_t bytes) {
  if (writer->failure || bytes == 0) return;
  if (fwrite(data, 1, bytes, writer->file) != bytes) writer->failure = errno ? errno : EIO;
}

SupResult sup_file_flush(SupFileWriter *writer, SupError *error) {
  if (fflush(writer->file) != 0 && !writer->failure) writer->failure = errno;
  return writer->failure ? sup_cannot_write(error, writer->path, writer->failure) : SUP_OK;
}

SupResult sup_file_commit(SupFileWriter *writer, SupError *error) {
  bool direct = !writer->temporary[0];
  if (fflush(writer->file) != 0 && !writer->failure) writer->failure = errno;
  /* Without it a power cut could leave the new name with the contents of neither file. File
   * systems that cannot do it say EINVAL or ENOSYS. */
  if (!direct && !writer->failure && fsync(fileno(writer->file)) != 0 && errno != EINVAL &&
      errno != ENOSYS) {
    writer->failure = errno;
  }
  int lock = direct ? -1 : dup(fileno(writer->file)); /* held until it has its name */
  if (fclose(writer->file) != 0 && !writer->failure) writer->failure = errno;
  if (!direct && !writer->failure && rename(writer->temporary, writer->path) != 0) {
    writer->failure = errno;
  }
  SupResult result = SUP_OK;
  if (writer->failure) {
    result = sup_cannot_write(error, writer->path, writer->failure);
    if (!direct) unlink(writer->temporary);
  }
  if (lock >= 0) close(lock);
  writer_free(writer);
  return result;
}

void sup_file_abandon(SupFileWriter *writer) {
  if (!writer) return;
  if (writer->temporary[0]) unlink(writer->temporary); /* while the lock still says whose it is */
  fclose(writer->file);
  writer_free(writer);
}

SupResult sup_file_save(SupAllocator allocator, const char *path, const void *data, size_t bytes,
                        SupError *error) {
  SupFileWriter *writer;
  SupResult result = sup_file_begin(allocator, path, &writer, error);
  if (result != SUP_OK) return result;
  sup_file_write(writer, data, bytes);
  return sup_file_commit(writer, error);
}
