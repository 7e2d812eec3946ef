/* SPDX-License-Identifier: MIT */
/*
 * Supple: whole files in, whole files out; the heap as an allocator.
 *
 * What is written has a temporary name, `.supple-PID-N` in the folder of its destination, until it
 * is whole; then it is renamed. A reader therefore sees the old file or the whole new one, never a
 * half. Programs that are interrupted call sup_file_sweep to take away what they had begun.
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

/* Whether there is a regular file that can be opened for reading; the sentence says why not: a
 * missing folder, a name that may be meant, a folder instead of a file. */
SupResult sup_file_check(const char *path, SupError *error);

/* What somebody wants to read. */
typedef enum SupWanted {
  SUP_WANTED_CHARACTER,
  SUP_WANTED_CACHE,
  SUP_WANTED_MESH,
  SUP_WANTED_MODEL,
  SUP_WANTED_SCENARIO
} SupWanted;

/* Refuses contents that are empty or begin like something else: a picture, a Git LFS pointer, a web
 * page, another program's format, another kind of ours. The sentence says what it is and what to
 * do, without the path. data[bytes] is the file or at least its first 8 KB. SUP_OK says nothing of
 * whether it is what is wanted. */
SupResult sup_file_refuse_other(const void *data, size_t bytes, SupWanted wanted, SupError *error);

/* ---- Files ---------------------------------------------------------------------------------- */

/* A file being written. One thread at a time. */
typedef struct SupFileWriter SupFileWriter;

/* Starts a file, and removes temporary files and folders beside it whose process was killed. On
 * failure *out_writer is NULL and nothing has changed. What exists at `path`:
 * - nothing: the file is made with the permissions that the umask leaves;
 * - a file: it is replaced as a whole and its permissions (and owner, where we may) are kept; one
 *   that we may not write is refused, although a rename could replace it; hard links to it keep
 *   the old contents;
 * - a symbolic link: the file it points to is replaced, the link stays; a dangling one is refused;
 * - a folder: refused;
 * - a device or pipe (/dev/null, anything under /dev or /proc): written directly, as it cannot be
 *   replaced. */
SupResult sup_file_begin(SupAllocator allocator, const char *path, SupFileWriter **out_writer,
                         SupError *error);

/* Hands everything over to the system and tells whether that could be done so far, before another
 * file is committed. The writer stays as it is. */
SupResult sup_file_flush(SupFileWriter *writer, SupError *error);

/* Appends; the first failure is remembered and told by sup_file_commit. */
void sup_file_write(SupFileWriter *writer, const void *data, size_t bytes);

/* Flushes to the disk, renames and frees the writer. On failure the temporary file is removed and
 * `path` is as it was. After a power cut `path` is the old or the new file, whole; which of the
 * two is not promised. */
SupResult sup_file_commit(SupFileWriter *writer, SupError *error);

/* Removes the temporary file and frees the writer; `path` is as it was. NULL is allowed. */
void sup_file_abandon(SupFileWriter *writer);

/* Begin, write, commit in one call. */
SupResult sup_file_save(SupAllocator allocator, const char *path, const void *data, size_t bytes,
                        SupError *error);

/* ---- Folders -------------------------------------------------------------------------------- */

/* A folder being written, filled by any means under sup_folder_path. */
typedef struct SupFolderWriter SupFolderWriter;

/* Starts a folder. A folder that exists at `path` is replaced only if it is empty or holds a file
 * named `marker`, which says that it is our own earlier work: nobody's other files are deleted. */
SupResult sup_folder_begin(SupAllocator allocator, const char *path, const char *marker,
                           SupFolderWriter **out_writer, SupError *error);

/* Where the folder is until it is committed. Belongs to the writer. */
const char *sup_folder_path(const SupFolderWriter *writer);

/* Renames and frees the writer; an earlier folder is removed. On failure the temporary folder is
 * removed and `path` is as it was. */
SupResult sup_folder_commit(SupFolderWriter *writer, SupError *error);

/* Removes the temporary folder with all that is in it. NULL is allowed. */
void sup_folder_abandon(SupFolderWriter *writer);

/* Removes every temporary file and folder that this process has beside `path`. For programs that
 * end before commit or abandon; the writers concerned must not be used any more. */
void sup_file_sweep(const char *path);

#ifdef __cplusplus
}
#endif
#endif
