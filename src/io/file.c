/* SPDX-License-Identifier: MIT */
/* Whole files in, whole files and folders out. */
#define _XOPEN_SOURCE 700 /* realpath, nftw */
#include "supple/io/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/path.h"

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
    result = sup_fail(error, SUP_ERROR_IO, "%s: %s", path, strerror(errno));
  } else if (S_ISDIR(status.st_mode)) {
    result = sup_fail(error, SUP_ERROR_IO, "%s: is a folder, not a file", path);
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

/* ".supple-PID-" in front, a number behind: room for both. */
#define TEMPORARY_LENGTH 48
#define TEMPORARY_TRIES 10000u

static SupResult cannot_write(SupError *error, const char *path, int reason) {
  return sup_fail(error, SUP_ERROR_IO, "%s: cannot be written: %s", path, strerror(reason));
}

static void temporary_prefix(char name[TEMPORARY_LENGTH]) {
  sup_format(name, TEMPORARY_LENGTH, ".supple-%ld-", (long)getpid());
}

/* Cannot be replaced by a rename. Names like /dev/stdout may lead to a regular file that somebody
 * holds open: that one, too, must be written into. */
static bool is_special(const char *path) {
  struct stat status;
  if (strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0) return true;
  return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

/* Where `path` leads if it is a link, itself otherwise; from malloc, NULL with errno. */
static char *follow_link(const char *path) {
  struct stat status;
  if (lstat(path, &status) == 0 && S_ISLNK(status.st_mode)) return realpath(path, NULL);
  return strdup(path);
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
  size_t bytes = sizeof(SupFileWriter) + (length + 1) + (length + TEMPORARY_LENGTH);
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

/* Finds a free name beside `path`, makes a file (or, with `folder`, a folder) of it, and writes the
 * name into out_name[strlen(path) + TEMPORARY_LENGTH]. Returns a descriptor (0 for a folder), or
 * -1 with errno; the name is empty then. */
static int make_temporary(const char *path, bool folder, char *out_name) {
  char prefix[TEMPORARY_LENGTH];
  size_t length = sup_folder_length(path);
  temporary_prefix(prefix);
  memcpy(out_name, path, length);
  int made = -1;
  for (unsigned n = 0; n < TEMPORARY_TRIES && made < 0; n++) {
    sup_format(out_name + length, TEMPORARY_LENGTH, "%s%u", prefix, n);
    made = folder ? mkdir(out_name, 0777)
                  : open(out_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (made < 0 && errno != EEXIST) break;
  }
  if (made < 0) out_name[0] = 0;
  return made;
}

/* The descriptor to write to, or -1 with errno. */
static int open_destination(SupFileWriter *writer) {
  struct stat old;
  if (is_special(writer->path)) return open(writer->path, O_WRONLY | O_CLOEXEC);
  bool exists = stat(writer->path, &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) errno = EISDIR;
  if (exists && (S_ISDIR(old.st_mode) || access(writer->path, W_OK) != 0)) return -1;
  int descriptor = make_temporary(writer->path, false, writer->temporary);
  if (descriptor < 0 || !exists) return descriptor;
  /* The owner can be kept by root only; the others lose nothing by trying. */
  if (fchown(descriptor, old.st_uid, old.st_gid) != 0) errno = 0;
  if (fchmod(descriptor, old.st_mode & 0777) == 0) return descriptor;
  int reason = errno;
  close(descriptor);
  unlink(writer->temporary);
  errno = reason;
  return -1;
}

SupResult sup_file_begin(SupAllocator allocator, const char *path, SupFileWriter **out_writer,
                         SupError *error) {
  *out_writer = NULL;
  char *destination = is_special(path) ? strdup(path) : follow_link(path);
  if (!destination) return cannot_write(error, path, errno);
  SupFileWriter *writer = writer_make(allocator, destination);
  free(destination);
  if (!writer) return sup_fail_memory(error, path);
  int descriptor = open_destination(writer);
  writer->file = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
  if (!writer->file) {
    SupResult result = cannot_write(error, path, errno);
    if (descriptor >= 0) close(descriptor);
    if (writer->temporary[0]) unlink(writer->temporary);
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
  return writer->failure ? cannot_write(error, writer->path, writer->failure) : SUP_OK;
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
  if (fclose(writer->file) != 0 && !writer->failure) writer->failure = errno;
  if (!direct && !writer->failure && rename(writer->temporary, writer->path) != 0) {
    writer->failure = errno;
  }
  SupResult result = SUP_OK;
  if (writer->failure) {
    result = cannot_write(error, writer->path, writer->failure);
    if (!direct) unlink(writer->temporary);
  }
  writer_free(writer);
  return result;
}

void sup_file_abandon(SupFileWriter *writer) {
  if (!writer) return;
  fclose(writer->file);
  if (writer->temporary[0]) unlink(writer->temporary);
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

/* ---- Folders -------------------------------------------------------------------------------- */

struct SupFolderWriter {
  SupAllocator allocator;
  size_t bytes; /* of this struct with its names */
  char *path;
  char *temporary;
  char *marker;
};

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk) {
  (void)status;
  (void)type;
  (void)walk;
  remove(path);
  return 0;
}

/* Removes whatever is at `path`, links themselves and not where they lead. Tries again if another
 * thread was just putting something into it. */
static void remove_tree(const char *path) {
  for (int k = 0; k < 10 && nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS) == 0; k++) {
    struct stat status;
    if (lstat(path, &status) != 0) break;
  }
}

static bool is_dot(const char *name) { return strcmp(name, ".") == 0 || strcmp(name, "..") == 0; }

/* Whether the folder is empty or has an entry `marker`. */
static bool may_replace(const char *path, const char *marker) {
  DIR *folder = opendir(path);
  if (!folder) return false;
  bool is_empty = true, is_ours = false;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    if (is_dot(entry->d_name)) continue;
    is_empty = false;
    if (strcmp(entry->d_name, marker) == 0) is_ours = true;
  }
  closedir(folder);
  return is_empty || is_ours;
}

static SupFolderWriter *folder_make(SupAllocator allocator, const char *path, const char *marker) {
  size_t length = strlen(path);
  while (length > 1 && path[length - 1] == '/') length--;
  size_t names = (length + 1) + (length + TEMPORARY_LENGTH);
  size_t bytes = sizeof(SupFolderWriter) + names + strlen(marker) + 1;
  SupFolderWriter *writer = allocator.allocate(allocator.user, bytes);
  if (!writer) return NULL;
  memset(writer, 0, bytes);
  writer->allocator = allocator;
  writer->bytes = bytes;
  writer->path = (char *)(writer + 1);
  writer->temporary = writer->path + length + 1;
  writer->marker = writer->path + names;
  memcpy(writer->path, path, length);
  memcpy(writer->marker, marker, strlen(marker));
  return writer;
}

static void folder_free(SupFolderWriter *writer) {
  writer->allocator.release(writer->allocator.user, writer, writer->bytes);
}

SupResult sup_folder_begin(SupAllocator allocator, const char *path, const char *marker,
                           SupFolderWriter **out_writer, SupError *error) {
  *out_writer = NULL;
  SupFolderWriter *writer = folder_make(allocator, path, marker);
  if (!writer) return sup_fail_memory(error, path);
  struct stat old;
  SupResult result = SUP_OK;
  const char *name = writer->path + sup_folder_length(writer->path);
  if (!name[0] || is_dot(name)) {
    result =
        sup_fail(error, SUP_ERROR_IO, "'%s' cannot be replaced; give the name of a folder", path);
  } else if (lstat(writer->path, &old) == 0 && !S_ISDIR(old.st_mode)) {
    result =
        sup_fail(error, SUP_ERROR_IO, "%s: is not a folder; remove it or give another name", path);
  } else if (access(writer->path, F_OK) == 0 && !may_replace(writer->path, marker)) {
    result = sup_fail(error, SUP_ERROR_IO,
                      "%s: contains other files; give the name of a new or empty folder", path);
  } else if (make_temporary(writer->path, true, writer->temporary) != 0) {
    result = cannot_write(error, path, errno);
  }
  if (result == SUP_OK) {
    *out_writer = writer;
  } else {
    folder_free(writer);
  }
  return result;
}

const char *sup_folder_path(const SupFolderWriter *writer) { return writer->temporary; }

/* rename replaces an empty folder by itself. An earlier full one steps aside first, into our
 * temporary folder's place; it comes back if the second rename fails. */
SupResult sup_folder_commit(SupFolderWriter *writer, SupError *error) {
  SupResult result = SUP_OK;
  if (rename(writer->temporary, writer->path) != 0) {
    int reason = errno;
    char *aside = malloc(writer->bytes);
    bool is_aside = aside && (reason == ENOTEMPTY || reason == EEXIST) &&
                    may_replace(writer->path, writer->marker) &&
                    make_temporary(writer->path, true, aside) == 0 &&
                    rename(writer->path, aside) == 0;
    if (is_aside && rename(writer->temporary, writer->path) == 0) {
      remove_tree(aside);
    } else {
      if (is_aside) rename(aside, writer->path);
      remove_tree(writer->temporary);
      result = cannot_write(error, writer->path, reason);
    }
    free(aside);
  }
  folder_free(writer);
  return result;
}

void sup_folder_abandon(SupFolderWriter *writer) {
  if (!writer) return;
  remove_tree(writer->temporary);
  folder_free(writer);
}

/* ---- Interruption --------------------------------------------------------------------------- */

/* Takes a temporary away from a thread that may still be filling it: under another name nothing
 * can be added to a folder, nor a file be committed. */
static void sweep_entry(const char *folder, const char *name) {
  static const char suffix[] = "-swept";
  size_t bytes = strlen(folder) + strlen(name) + sizeof suffix + 1;
  char *path = malloc(2 * bytes);
  if (!path) return;
  char *swept = path + bytes;
  sup_format(path, bytes, "%s/%s", folder, name);
  sup_format(swept, bytes, "%s%s", path, suffix);
  remove_tree(rename(path, swept) == 0 ? swept : path);
  free(path);
}

static void sweep_folder(const char *folder) {
  char prefix[TEMPORARY_LENGTH];
  temporary_prefix(prefix);
  DIR *entries = opendir(folder);
  if (!entries) return;
  for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
    if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0) sweep_entry(folder, entry->d_name);
  }
  closedir(entries);
}

void sup_file_sweep(const char *path) {
  char *destination = follow_link(path);
  if (!destination) return;
  size_t length = strlen(destination);
  while (length > 1 && destination[length - 1] == '/') destination[--length] = 0;
  length = sup_folder_length(destination);
  destination[length] = 0;
  sweep_folder(length ? destination : ".");
  free(destination);
}
