/* SPDX-License-Identifier: MIT */
/*
 * Supple: whole files in, whole files out; the heap as an allocator.
 */
#ifndef SUPPLE_IO_FILE_H
#define SUPPLE_IO_FILE_H

#include "supple/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The C library's heap. */
SupAllocator sup_heap_allocator(void);

/* Reads a whole file into `arena`. *out_bytes is its size; one zero byte stands behind it. Fails
 * with a sentence naming the path if it cannot be read, is not a regular file, or is larger than
 * the arena's limit. */
SupResult sup_file_read(SupArena *arena, const char *path, const uint8_t **out_data,
                        size_t *out_bytes, SupError *error);

/* A file being written: it has a temporary name beside `path` until sup_file_commit renames it,
 * so that a reader sees the old file or the whole new one, never a half. */
typedef struct SupFileWriter SupFileWriter;

/* Starts a file. On failure *out_writer is NULL. */
SupResult sup_file_begin(SupAllocator allocator, const char *path, SupFileWriter **out_writer,
                         SupError *error);

/* Appends; the first failure is remembered and told by sup_file_commit. */
void sup_file_write(SupFileWriter *writer, const void *data, size_t bytes);

/* Flushes, renames and frees the writer. On failure the temporary file is removed and `path` is
 * as it was. */
SupResult sup_file_commit(SupFileWriter *writer, SupError *error);

/* Removes the temporary file and frees the writer; `path` is as it was. NULL is allowed. */
void sup_file_abandon(SupFileWriter *writer);

/* Begin, write, commit in one call. */
SupResult sup_file_save(SupAllocator allocator, const char *path, const void *data, size_t bytes,
                        SupError *error);

#ifdef __cplusplus
}
#endif
#endif
