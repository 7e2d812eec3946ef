/* SPDX-License-Identifier: MIT */
/* PC2 and MDD files from any bytes. What loads must survive being written in both formats. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supple/io/cache.h"
#include "supple/io/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void require(bool holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "does not hold: %s\n", what);
  abort();
}

static const char *path_of(char *buffer, size_t size, const char *ending) {
  snprintf(buffer, size, "/tmp/supple_fuzz_%d.%s", (int)getpid(), ending);
  return buffer;
}

static void write_and_read_back(const SupSamples *samples, const char *ending) {
  char path[64];
  SupArena arena;
  SupSamples again;
  SupError error;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  path_of(path, sizeof path, ending);
  require(sup_cache_save(sup_heap_allocator(), path, samples, &error) == SUP_OK, "it is written");
  require(sup_cache_load(&arena, path, 0, &again, &error) == SUP_OK, "it is read back");
  size_t count = (size_t)samples->frame_count * samples->vertex_count;
  require(again.fps == samples->fps && again.start == samples->start, "times");
  require(again.frame_count == samples->frame_count && again.order == samples->order, "counts");
  require(memcmp(again.positions, samples->positions, count * sizeof(SupVec3)) == 0, "positions");
  unlink(path);
  sup_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  if (bytes == 0) return 0;
  char path[64];
  path_of(path, sizeof path, data[0] & 1 ? "in.mdd" : "in.pc2");
  FILE *file = fopen(path, "wb");
  require(file && fwrite(data + 1, 1, bytes - 1, file) == bytes - 1, "the input is stored");
  fclose(file);
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), (size_t)64 << 20);
  SupSamples samples;
  SupError error = {{0}};
  SupResult result = sup_cache_load(&arena, path, data[0] & 2 ? 30 : 0, &samples, &error);
  if (result == SUP_OK) {
    write_and_read_back(&samples, "pc2");
    write_and_read_back(&samples, "mdd");
  } else {
    require(error.text[0] != 0, "a failure has a sentence");
  }
  sup_arena_free(&arena);
  unlink(path);
  return 0;
}
