/* SPDX-License-Identifier: MIT */
/* PC2 and MDD in. The head is checked against the size of the file before anything is allocated
 * or believed. */
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "io/cache/cache_layout.h"
#include "io/path.h"
#include "supple/io/file.h"

struct SupCacheReader {
  SupAllocator allocator;
  size_t bytes; /* of this struct with its path */
  FILE *file;
  uint64_t file_bytes;
  SupCacheInfo info;
  char path[];
};

bool sup_cache_format(const char *path, SupCacheFormat *out_format) {
  const char *ending = strrchr(path, '.');
  if (!ending) return false;
  if (strcasecmp(ending, ".pc2") == 0) {
    *out_format = SUP_CACHE_PC2;
  } else if (strcasecmp(ending, ".mdd") == 0) {
    *out_format = SUP_CACHE_MDD;
  } else {
    return false;
  }
  return true;
}

static SupResult read_at(SupCacheReader *reader, uint64_t offset, void *out_data, size_t bytes,
                         SupError *error) {
  if (fseeko(reader->file, (off_t)offset, SEEK_SET) == 0 &&
      fread(out_data, 1, bytes, reader->file) == bytes) {
    return SUP_OK;
  }
  return sup_fail(error, SUP_ERROR_IO, "%s: could not be read at byte %llu", reader->path,
                  (unsigned long long)offset);
}

/* Counts come from the file as signed numbers. */
static SupResult check_counts(const SupCacheReader *reader, uint32_t frames, uint32_t points,
                              SupError *error) {
  if (frames == 0 || points == 0 || frames > INT32_MAX || points > INT32_MAX) {
    return sup_fail(
        error, SUP_ERROR_FORMAT,
        "%s: the header says %d frames of %d points; this is not a point cache, or it is empty",
        reader->path, (int)frames, (int)points);
  }
  uint64_t head = cache_data_offset(reader->info.format, frames);
  uint64_t frame_bytes = 12 * (uint64_t)points;
  /* 12 points * frames stays below 2^66: divide instead of multiplying. */
  uint64_t room = reader->file_bytes > head ? (reader->file_bytes - head) / frame_bytes : 0;
  if (room < frames) {
    return sup_fail(error, SUP_ERROR_FORMAT,
                    "%s: the header says %u frames of %u points, but the file has only %llu whole "
                    "frames; it was truncated or is still being written",
                    reader->path, frames, points, (unsigned long long)room);
  }
  return SUP_OK;
}

/* Frame rates are round numbers or the television ones; single-precision times blur them. */
static float tidy_fps(double fps) {
  double whole = round(fps);
  double television = round(fps * 1.001) / 1.001;
  if (fabs(fps - whole) < 1e-5 * fps) return (float)whole;
  if (fabs(fps - television) < 1e-5 * fps) return (float)television;
  return (float)fps;
}

static SupResult read_head_pc2(SupCacheReader *reader, float given_fps, SupError *error) {
  uint8_t head[PC2_HEAD_BYTES];
  SupResult result = read_at(reader, 0, head, sizeof head, error);
  if (result != SUP_OK) return result;
  uint32_t version = get_u32_le(head + 12);
  if (version != 1) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED, "%s: PC2 version %u; Supple reads version 1",
                    reader->path, version);
  }
  SupCacheInfo *info = &reader->info;
  info->vertex_count = get_u32_le(head + 16);
  info->frame_count = get_u32_le(head + 28);
  result = check_counts(reader, info->frame_count, info->vertex_count, error);
  if (result != SUP_OK) return result;
  float start = float_of_bits(get_u32_le(head + 20));
  float sampling = float_of_bits(get_u32_le(head + 24));
  if (sampling == 0) sampling = 1; /* some writers leave it out */
  if (!isfinite(start) || !(sampling >= 1e-4f && sampling <= 1e4f)) {
    return sup_fail(
        error, SUP_ERROR_FORMAT,
        "%s: the header says start frame %g and a sample every %g frames, which is invalid",
        reader->path, (double)start, (double)sampling);
  }
  float scene_fps = given_fps > 0 ? given_fps : SUP_CACHE_FPS;
  info->fps = scene_fps / sampling;
  info->start = start / scene_fps;
  return SUP_OK;
}

/* MDD times: checked to rise; their mean spacing is the frame rate. */
static SupResult read_times(SupCacheReader *reader, SupError *error) {
  SupCacheInfo *info = &reader->info;
  double first = 0, last = 0, shortest = INFINITY, longest = 0;
  for (uint32_t i = 0; i < info->frame_count; i++) {
    uint8_t bytes[4];
    if (fread(bytes, 1, 4, reader->file) != 4) {
      return sup_fail(error, SUP_ERROR_IO, "%s: could not be read", reader->path);
    }
    double time = (double)float_of_bits(get_u32_be(bytes));
    if (!isfinite(time) || (i > 0 && time < last)) {
      return sup_fail(error, SUP_ERROR_FORMAT,
                      "%s: the time of frame %u is %g seconds, which does not follow %g; this is "
                      "not an MDD file, or it is damaged",
                      reader->path, i, time, last);
    }
    if (i == 0) {
      first = time;
    } else {
      shortest = fmin(shortest, time - last);
      longest = fmax(longest, time - last);
    }
    last = time;
  }
  info->start = (float)first;
  if (info->frame_count > 1 && last > first) {
    double step = (last - first) / (info->frame_count - 1);
    info->fps = tidy_fps(1 / step);
    info->timing = SUP_TIMING_TIMES;
    info->uneven = longest - shortest > 0.02 * step + 1e-6 * fabs(last);
  }
  return SUP_OK;
}

static SupResult read_head_mdd(SupCacheReader *reader, float given_fps, SupError *error) {
  uint8_t head[MDD_HEAD_BYTES];
  SupResult result = read_at(reader, 0, head, sizeof head, error);
  if (result != SUP_OK) return result;
  SupCacheInfo *info = &reader->info;
  info->frame_count = get_u32_be(head);
  info->vertex_count = get_u32_be(head + 4);
  result = check_counts(reader, info->frame_count, info->vertex_count, error);
  if (result != SUP_OK) return result;
  info->fps = SUP_CACHE_FPS;
  result = read_times(reader, error);
  if (result == SUP_OK && given_fps > 0) info->fps = given_fps;
  return result;
}

/* Supple's own trailer, when the file ends with it. */
static SupResult read_trailer(SupCacheReader *reader, SupError *error) {
  SupCacheInfo *info = &reader->info;
  uint64_t end = cache_data_offset(info->format, info->frame_count) +
                 12 * (uint64_t)info->vertex_count * info->frame_count;
  if (reader->file_bytes != end + TRAILER_BYTES) return SUP_OK;
  uint8_t trailer[TRAILER_BYTES];
  SupResult result = read_at(reader, end, trailer, sizeof trailer, error);
  if (result != SUP_OK) return result;
  float fps = float_of_bits(get_u32_le(trailer + 8));
  float start = float_of_bits(get_u32_le(trailer + 12));
  uint32_t order = get_u32_le(trailer + 16);
  bool ours = memcmp(trailer, TRAILER_MARK, 8) == 0 &&
              get_u32_le(trailer + 20) == (uint32_t)sup_hash(trailer, 20, 0) && fps > 0 &&
              isfinite(fps) && isfinite(start) && order <= SUP_ORDER_UNKNOWN;
  if (!ours) return SUP_OK;
  info->order = (SupSampleOrder)order;
  if (info->timing != SUP_TIMING_GIVEN) {
    info->fps = fps;
    info->start = start;
    info->timing = SUP_TIMING_STORED;
  }
  return SUP_OK;
}

static SupResult read_head(SupCacheReader *reader, float given_fps, SupError *error) {
  char magic[64] = {0};
  SupCacheInfo *info = &reader->info;
  info->order = SUP_ORDER_UNKNOWN;
  SupCacheFormat named;
  const size_t begin = fread(magic, 1, sizeof magic, reader->file);
  SupResult result = sup_file_refuse_other(magic, begin, SUP_WANTED_CACHE, error);
  if (result != SUP_OK) {
    sup_error_prefix(error, "%s", reader->path);
    return result;
  }
  bool is_pc2 = begin >= sizeof PC2_MAGIC && memcmp(magic, PC2_MAGIC, sizeof PC2_MAGIC) == 0;
  if (!is_pc2 && !(sup_cache_format(reader->path, &named) && named == SUP_CACHE_MDD)) {
    return sup_fail(error, SUP_ERROR_FORMAT,
                    "%s: not a point cache: a PC2 file begins with POINTCACHE2, and the name of "
                    "an MDD file ends in .mdd",
                    reader->path);
  }
  info->format = is_pc2 ? SUP_CACHE_PC2 : SUP_CACHE_MDD;
  uint64_t least = cache_data_offset(info->format, 0);
  if (reader->file_bytes < least) {
    return sup_fail(error, SUP_ERROR_FORMAT, "%s: %llu bytes are too few for a point cache",
                    reader->path, (unsigned long long)reader->file_bytes);
  }
  info->timing = SUP_TIMING_ASSUMED;
  result =
      is_pc2 ? read_head_pc2(reader, given_fps, error) : read_head_mdd(reader, given_fps, error);
  if (result != SUP_OK) return result;
  if (given_fps > 0) info->timing = SUP_TIMING_GIVEN;
  result = read_trailer(reader, error);
  if (result != SUP_OK) return result;
  if (!(info->fps >= SUP_CACHE_FPS_MIN && info->fps <= SUP_CACHE_FPS_MAX &&
        fabsf(info->start) <= SUP_CACHE_START_MAX)) {
    return sup_fail(
        error, SUP_ERROR_FORMAT,
        "%s: %g frames per second, starting at %g seconds, is invalid; give the rate with --fps",
        reader->path, (double)info->fps, (double)info->start);
  }
  return SUP_OK;
}

SupResult sup_cache_open(SupAllocator allocator, const char *path, float fps,
                         SupCacheReader **out_reader, SupError *error) {
  *out_reader = NULL;
  size_t length = strlen(path) + 1;
  size_t bytes = sizeof(SupCacheReader) + length;
  SupCacheReader *reader = allocator.allocate(allocator.user, bytes);
  if (!reader) return sup_fail_memory(error, path);
  memset(reader, 0, bytes);
  reader->allocator = allocator;
  reader->bytes = bytes;
  memcpy(reader->path, path, length);
  SupResult result = sup_open_regular(path, &reader->file, &reader->file_bytes, error);
  if (result == SUP_OK) result = read_head(reader, fps, error);
  if (result != SUP_OK) {
    sup_cache_close(reader);
    return result;
  }
  *out_reader = reader;
  return SUP_OK;
}

const SupCacheInfo *sup_cache_info(const SupCacheReader *reader) { return &reader->info; }

SupResult sup_cache_read_frame(SupCacheReader *reader, uint32_t frame, SupVec3 *out_positions,
                               SupError *error) {
  const SupCacheInfo *info = &reader->info;
  assert(frame < info->frame_count);
  uint64_t frame_bytes = 12 * (uint64_t)info->vertex_count;
  uint64_t offset = cache_data_offset(info->format, info->frame_count) + frame * frame_bytes;
  SupResult result = read_at(reader, offset, out_positions, (size_t)frame_bytes, error);
  if (result != SUP_OK) return result;
  float *values = &out_positions->x;
  for (size_t k = 0; k < 3 * (size_t)info->vertex_count; k++) {
    const uint8_t *bytes = (const uint8_t *)(values + k);
    values[k] =
        float_of_bits(info->format == SUP_CACHE_PC2 ? get_u32_le(bytes) : get_u32_be(bytes));
    if (!isfinite(values[k])) {
      return sup_fail(error, SUP_ERROR_FORMAT,
                      "%s: frame %u, vertex %zu: the position is not finite; the cache is damaged "
                      "or its simulation diverged",
                      reader->path, frame, k / 3);
    }
  }
  return SUP_OK;
}

void sup_cache_close(SupCacheReader *reader) {
  if (!reader) return;
  if (reader->file) fclose(reader->file);
  reader->allocator.release(reader->allocator.user, reader, reader->bytes);
}

SupResult sup_cache_load(SupArena *arena, const char *path, float fps, SupSamples *out_samples,
                         SupError *error) {
  SupCacheReader *reader;
  SupResult result = sup_cache_open(arena->allocator, path, fps, &reader, error);
  if (result != SUP_OK) return result;
  const SupCacheInfo *info = sup_cache_info(reader);
  /* The file holds every frame, so the product fits into 64 bits. */
  uint64_t count = (uint64_t)info->frame_count * info->vertex_count;
  SupVec3 *positions = count <= SIZE_MAX ? SUP_ALLOC(arena, SupVec3, (size_t)count) : NULL;
  if (!positions) {
    result = sup_fail(error, SUP_ERROR_MEMORY,
                      "%s: %u frames of %u points do not fit into the memory allowed", path,
                      info->frame_count, info->vertex_count);
    goto done;
  }
  for (uint32_t i = 0; i < info->frame_count; i++) {
    result = sup_cache_read_frame(reader, i, positions + (size_t)i * info->vertex_count, error);
    if (result != SUP_OK) goto done;
  }
  *out_samples = (SupSamples){
      .fps = info->fps,
      .start = info->start,
      .frame_count = info->frame_count,
      .vertex_count = info->vertex_count,
      .order = info->order,
      .positions = positions,
  };
done:
  sup_cache_close(reader);
  return result;
}
