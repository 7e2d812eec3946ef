/* SPDX-License-Identifier: MIT */
/* PC2 and MDD out, frame by frame. */
#include <assert.h>

#include "io/cache/cache_layout.h"
#include "supple/io/file.h"

struct SupCacheWriter {
  SupCacheDef def;
  SupFileWriter *file;
  uint32_t frames_written;
};

static void put_float(SupCacheFormat format, uint8_t *p, float value) {
  if (format == SUP_CACHE_PC2) {
    put_u32_le(p, bits_of_float(value));
  } else {
    put_u32_be(p, bits_of_float(value));
  }
}

/* Converts through a small buffer, so that a frame of any size needs no memory. */
static void write_floats(SupCacheWriter *writer, const float *values, size_t count) {
  uint8_t buffer[4096];
  const size_t room = sizeof buffer / 4;
  for (size_t first = 0; first < count; first += room) {
    size_t part = count - first < room ? count - first : room;
    for (size_t k = 0; k < part; k++) {
      put_float(writer->def.format, buffer + 4 * k, values[first + k]);
    }
    sup_file_write(writer->file, buffer, 4 * part);
  }
}

static void write_head_pc2(SupCacheWriter *writer) {
  const SupCacheDef *def = &writer->def;
  uint8_t head[PC2_HEAD_BYTES];
  sup_copy(head, PC2_MAGIC, 12);
  put_u32_le(head + 12, 1);
  put_u32_le(head + 16, def->vertex_count);
  put_u32_le(head + 20, bits_of_float(def->start * def->fps)); /* in frames */
  put_u32_le(head + 24, bits_of_float(1));                     /* one sample per frame */
  put_u32_le(head + 28, def->frame_count);
  sup_file_write(writer->file, head, sizeof head);
}

static void write_head_mdd(SupCacheWriter *writer) {
  const SupCacheDef *def = &writer->def;
  uint8_t head[MDD_HEAD_BYTES];
  put_u32_be(head, def->frame_count);
  put_u32_be(head + 4, def->vertex_count);
  sup_file_write(writer->file, head, sizeof head);
  for (uint32_t i = 0; i < def->frame_count; i++) {
    float time = (float)((double)def->start + (double)i / (double)def->fps);
    write_floats(writer, &time, 1);
  }
}

static void write_trailer(SupCacheWriter *writer) {
  const SupCacheDef *def = &writer->def;
  uint8_t trailer[TRAILER_BYTES];
  sup_copy(trailer, TRAILER_MARK, 8);
  put_u32_le(trailer + 8, bits_of_float(def->fps));
  put_u32_le(trailer + 12, bits_of_float(def->start));
  put_u32_le(trailer + 16, (uint32_t)def->order);
  put_u32_le(trailer + 20, (uint32_t)sup_hash(trailer, 20, 0));
  sup_file_write(writer->file, trailer, sizeof trailer);
}

SupResult sup_cache_begin(const SupCacheDef *def, SupCacheWriter **out_writer, SupError *error) {
  assert(def->vertex_count > 0 && def->vertex_count <= INT32_MAX);
  assert(def->frame_count > 0 && def->frame_count <= INT32_MAX);
  assert(def->fps >= SUP_CACHE_FPS_MIN && def->fps <= SUP_CACHE_FPS_MAX);
  assert(def->start >= -SUP_CACHE_START_MAX && def->start <= SUP_CACHE_START_MAX);
  *out_writer = NULL;
  SupAllocator allocator = def->allocator;
  SupCacheWriter *writer = allocator.allocate(allocator.user, sizeof *writer);
  if (!writer) return sup_fail_memory(error, def->path);
  *writer = (SupCacheWriter){.def = *def};
  writer->def.path = NULL; /* the file writer keeps its own copy */
  SupResult result = sup_file_begin(allocator, def->path, &writer->file, error);
  if (result != SUP_OK) {
    allocator.release(allocator.user, writer, sizeof *writer);
    return result;
  }
  if (def->format == SUP_CACHE_PC2) {
    write_head_pc2(writer);
  } else {
    write_head_mdd(writer);
  }
  *out_writer = writer;
  return SUP_OK;
}

void sup_cache_write_frame(SupCacheWriter *writer, const SupVec3 *positions) {
  assert(writer->frames_written < writer->def.frame_count);
  write_floats(writer, &positions->x, 3 * (size_t)writer->def.vertex_count);
  writer->frames_written++;
}

static void writer_free(SupCacheWriter *writer) {
  SupAllocator allocator = writer->def.allocator;
  allocator.release(allocator.user, writer, sizeof *writer);
}

SupResult sup_cache_commit(SupCacheWriter *writer, SupError *error) {
  assert(writer->frames_written == writer->def.frame_count);
  write_trailer(writer);
  SupResult result = sup_file_commit(writer->file, error);
  writer_free(writer);
  return result;
}

void sup_cache_abandon(SupCacheWriter *writer) {
  if (!writer) return;
  sup_file_abandon(writer->file);
  writer_free(writer);
}

SupResult sup_cache_save(SupAllocator allocator, const char *path, const SupSamples *samples,
                         SupError *error) {
  SupCacheDef def = {
      .allocator = allocator,
      .path = path,
      .vertex_count = samples->vertex_count,
      .frame_count = samples->frame_count,
      .fps = samples->fps,
      .start = samples->start,
      .order = samples->order,
  };
  if (!sup_cache_format(path, &def.format)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "%s: the name of a point cache ends in .pc2 or .mdd",
                    path);
  }
  SupCacheWriter *writer;
  SupResult result = sup_cache_begin(&def, &writer, error);
  if (result != SUP_OK) return result;
  for (uint32_t i = 0; i < samples->frame_count; i++) {
    sup_cache_write_frame(writer, samples->positions + (size_t)i * samples->vertex_count);
  }
  return sup_cache_commit(writer, error);
}
