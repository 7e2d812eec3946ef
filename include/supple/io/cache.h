/* SPDX-License-Identifier: MIT */
/*
 * Supple: point caches, PC2 and MDD.
 *
 * Both formats hold positions frame by frame and nothing else: no mesh, no units, no frame rate.
 * What Supple writes has a trailer of 24 bytes behind the last frame, where other readers do not
 * look: frames per second, time of the first frame and vertex order, so that what one verb wrote
 * the next one understands without being told. docs/formats.md has the layouts.
 *
 * Readers and writers hold one frame at most: a clip of any length passes through.
 */
#ifndef SUPPLE_IO_CACHE_H
#define SUPPLE_IO_CACHE_H

#include "supple/author/samples.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SupCacheFormat {
  SUP_CACHE_PC2, /* little-endian; start and sampling in frames */
  SUP_CACHE_MDD  /* big-endian; a time in seconds per frame */
} SupCacheFormat;

/* Where the frame rate of a cache comes from. */
typedef enum SupCacheTiming {
  SUP_TIMING_GIVEN,  /* the caller said so */
  SUP_TIMING_STORED, /* Supple's trailer */
  SUP_TIMING_TIMES,  /* MDD's own times */
  SUP_TIMING_ASSUMED /* nothing says it: SUP_CACHE_FPS */
} SupCacheTiming;

/* Assumed where nothing says otherwise: Blender's default. */
#define SUP_CACHE_FPS 24.0f

/* What makes sense, and what can be written in both formats without overflow. */
#define SUP_CACHE_FPS_MIN 1e-3f
#define SUP_CACHE_FPS_MAX 1e6f
#define SUP_CACHE_START_MAX 1e7f /* seconds, either side of 0 */

/* What the head of a cache says. */
typedef struct SupCacheInfo {
  SupCacheFormat format;
  uint32_t vertex_count; /* > 0 */
  uint32_t frame_count;  /* > 0 */
  float fps;             /* stored frames per second, within the limits above */
  float start;           /* seconds: time of the first frame */
  SupCacheTiming timing;
  bool uneven;          /* MDD: the times are not evenly spaced; fps is their mean */
  SupSampleOrder order; /* SUP_ORDER_UNKNOWN unless Supple wrote the file */
} SupCacheInfo;

/* The format that a file name asks for by its ending, in either case. False: neither. */
bool sup_cache_format(const char *path, SupCacheFormat *out_format);

/* ---- Reading -------------------------------------------------------------------------------- */

typedef struct SupCacheReader SupCacheReader;

/* Opens a cache and checks its head and its length against the size of the file. `fps` is the
 * frame rate of the scene that the file was made in and overrides what the file says; 0 means
 * that nobody knows better. (A PC2 with a sampling of 2 then has fps / 2 stored frames per
 * second.) PC2 is recognised by its first bytes, MDD by its name. On failure *out_reader is
 * NULL. */
SupResult sup_cache_open(SupAllocator allocator, const char *path, float fps,
                         SupCacheReader **out_reader, SupError *error);

const SupCacheInfo *sup_cache_info(const SupCacheReader *reader);

/* Reads one frame, in any order of frames, into out_positions[vertex_count]; the numbers are as in
 * the file (units and axes: sup_positions_convert). Fails on a number that is not finite; the
 * output is then undefined. frame < frame_count. */
SupResult sup_cache_read_frame(SupCacheReader *reader, uint32_t frame, SupVec3 *out_positions,
                               SupError *error);

/* NULL is allowed. */
void sup_cache_close(SupCacheReader *reader);

/* The whole cache as samples in `arena`, whose limit bounds it. Poses are not known. */
SupResult sup_cache_load(SupArena *arena, const char *path, float fps, SupSamples *out_samples,
                         SupError *error);

/* ---- Writing -------------------------------------------------------------------------------- */

typedef struct SupCacheWriter SupCacheWriter;

/* A cache to be written; all counts are known before the first frame. */
typedef struct SupCacheDef {
  SupAllocator allocator;
  const char *path;
  SupCacheFormat format;
  uint32_t vertex_count; /* 1 .. INT32_MAX */
  uint32_t frame_count;  /* 1 .. INT32_MAX */
  float fps;             /* SUP_CACHE_FPS_MIN .. SUP_CACHE_FPS_MAX */
  float start;           /* seconds, at most SUP_CACHE_START_MAX either side of 0 */
  SupSampleOrder order;
} SupCacheDef;

/* Starts the file under a temporary name. On failure *out_writer is NULL. */
SupResult sup_cache_begin(const SupCacheDef *def, SupCacheWriter **out_writer, SupError *error);

/* Appends the next frame, positions[vertex_count]; at most frame_count times. A failed write is
 * remembered and told by sup_cache_commit. */
void sup_cache_write_frame(SupCacheWriter *writer, const SupVec3 *positions);

/* Ends the file and gives it its name; all frames must have been written. Frees the writer in
 * every case; on failure there is no new file. */
SupResult sup_cache_commit(SupCacheWriter *writer, SupError *error);

/* Gives up; nothing is left behind. NULL is allowed. */
void sup_cache_abandon(SupCacheWriter *writer);

/* All of `samples` into a file whose format follows its name. */
SupResult sup_cache_save(SupAllocator allocator, const char *path, const SupSamples *samples,
                         SupError *error);

#ifdef __cplusplus
}
#endif
#endif
