/* SPDX-License-Identifier: MIT */
/* Whole files in, whole files out. */
#define _POSIX_C_SOURCE 200809L
#include "supple/io/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

SupResult sup_file_read(SupArena *arena, const char *path, const uint8_t **out_data,
                        size_t *out_bytes, SupError *error) {
  FILE *file = fopen(path, "rb");
  if (!file) return sup_fail(error, SUP_ERROR_IO, "%s: %s", path, strerror(errno));
  struct stat status;
  SupResult result = SUP_OK;
  if (fstat(fileno(file), &status) != 0 || !S_ISREG(status.st_mode)) {
    result = sup_fail(error, SUP_ERROR_IO, "%s: not a regular file", path);
  } else {
    size_t size = (size_t)status.st_size;
    result = read_stream(arena, file, path, size, out_data, error);
    if (result == SUP_OK) *out_bytes = size;
  }
  fclose(file);
  return result;
}

struct SupFileWriter {
  SupAllocator allocator;
  size_t bytes; /* of this struct with its two names */
  FILE *file;
  int failure; /* errno of the first failed write */
  char *path;
  char *temporary;
};

static void writer_free(SupFileWriter *writer) {
  writer->allocator.release(writer->allocator.user, writer, writer->bytes);
}

SupResult sup_file_begin(SupAllocator allocator, const char *path, SupFileWriter **out_writer,
                         SupError *error) {
  static const char suffix[] = ".XXXXXX";
  *out_writer = NULL;
  size_t length = strlen(path);
  size_t bytes = sizeof(SupFileWriter) + (length + 1) + (length + sizeof suffix);
  SupFileWriter *writer = allocator.allocate(allocator.user, bytes);
  if (!writer) return sup_fail(error, SUP_ERROR_MEMORY, "%s: out of memory", path);
  memset(writer, 0, bytes);
  writer->allocator = allocator;
  writer->bytes = bytes;
  writer->path = (char *)(writer + 1);
  writer->temporary = writer->path + length + 1;
  memcpy(writer->path, path, length);
  memcpy(writer->temporary, path, length);
  memcpy(writer->temporary + length, suffix, sizeof suffix);
  int descriptor = mkstemp(writer->temporary);
  if (descriptor < 0) {
    SupResult result =
        sup_fail(error, SUP_ERROR_IO, "%s: cannot be written: %s", path, strerror(errno));
    writer_free(writer);
    return result;
  }
  mode_t mask = umask(0);
  umask(mask);
  if (fchmod(descriptor, 0666 & ~mask) == 0) writer->file = fdopen(descriptor, "wb");
  if (!writer->file) {
    SupResult result =
        sup_fail(error, SUP_ERROR_IO, "%s: cannot be written: %s", path, strerror(errno));
    close(descriptor);
    unlink(writer->temporary);
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

SupResult sup_file_commit(SupFileWriter *writer, SupError *error) {
  if (fflush(writer->file) != 0 && !writer->failure) writer->failure = errno;
  if (fclose(writer->file) != 0 && !writer->failure) writer->failure = errno;
  if (!writer->failure && rename(writer->temporary, writer->path) != 0) writer->failure = errno;
  SupResult result = SUP_OK;
  if (writer->failure) {
    result = sup_fail(error, SUP_ERROR_IO, "%s: cannot be written: %s", writer->path,
                      strerror(writer->failure));
    unlink(writer->temporary);
  }
  writer_free(writer);
  return result;
}

void sup_file_abandon(SupFileWriter *writer) {
  if (!writer) return;
  fclose(writer->file);
  unlink(writer->temporary);
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
