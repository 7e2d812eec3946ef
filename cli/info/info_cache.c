/* SPDX-License-Identifier: MIT */
/* What `supple info` says about meshes without a skeleton and about vertex caches. */
#include <string.h>

#include "info/info.h"
#include "supple/io/cache.h"
#include "supple/io/obj.h"

SupResult info_obj(Info *info, const char *path, uint64_t bytes, SupError *error) {
  SupCharacter character;
  SupObjReport found;
  cli_busy_begin(info->cli, path);
  SupResult result = sup_obj_read(info->arena, path, &character, &found, error);
  cli_busy_end(info->cli);
  if (result != SUP_OK) return result;
  cli_say(info->cli, "%s: OBJ, %s\n", path, cli_bytes_text(bytes).text);
  result = info_character(info, &character, error);
  if (result != SUP_OK) return result;
  info_note(info,
            "An OBJ has no skeleton and no animation. To make it move, rig it (in Blender or "
            "another tool) and export it as glTF.");
  if (found.groups_joined) {
    info_note(info, "Its groups share vertices, so they count as one part.");
  }
  if (found.faces_skipped) {
    info_note(info, "%s faces have fewer than three different corners and are left out.",
              cli_count_text(found.faces_skipped).text);
  }
  return SUP_OK;
}

static const char *timing_text(const SupCacheInfo *cache) {
  switch (cache->timing) {
    case SUP_TIMING_GIVEN: return "as you said";
    case SUP_TIMING_STORED: return "written by Supple";
    case SUP_TIMING_TIMES: return "from the times in the file";
    default: return "assumed, the file does not say";
  }
}

static const char *order_text(SupSampleOrder order) {
  switch (order) {
    case SUP_ORDER_BODY: return "the welded body";
    case SUP_ORDER_RENDER: return "the file it was made for";
    default: return "not told; matched when it is used";
  }
}

/* The box around all frames, read one at a time. */
static SupResult cache_bounds(Info *info, SupCacheReader *reader, SupBounds *out_first,
                              SupBounds *out_all, SupError *error) {
  const SupCacheInfo *cache = sup_cache_info(reader);
  SupVec3 *positions = SUP_ALLOC(info->arena, SupVec3, cache->vertex_count);
  if (!positions) {
    return sup_fail(error, SUP_ERROR_MEMORY, "one frame of %u points does not fit into memory",
                    cache->vertex_count);
  }
  for (uint32_t i = 0; i < cache->frame_count; i++) {
    SupResult result = sup_cache_read_frame(reader, i, positions, error);
    if (result != SUP_OK) return result;
    SupBounds frame = sup_bounds(positions, cache->vertex_count);
    if (i == 0) *out_first = *out_all = frame;
    SupVec3 corners[4] = {frame.low, frame.high, out_all->low, out_all->high};
    *out_all = sup_bounds(corners, 4);
    cli_progress(info->cli, "reading", i + 1, cache->frame_count);
  }
  return SUP_OK;
}

SupResult info_cache(Info *info, const char *path, uint64_t bytes, SupError *error) {
  SupCacheReader *reader;
  SupResult result = sup_cache_open(info->cli->allocator, path,
                                    (float)cli_number(info->cli->arguments, "fps"), &reader, error);
  if (result != SUP_OK) return result;
  const SupCacheInfo *cache = sup_cache_info(reader);
  SupBounds first = {0}, all = {0};
  result = cache_bounds(info, reader, &first, &all, error);
  if (result != SUP_OK) goto done;
  double seconds = (double)(cache->frame_count - 1) / (double)cache->fps;
  cli_say(info->cli, "%s: %s point cache, %s\n", path,
          cache->format == SUP_CACHE_PC2 ? "PC2" : "MDD", cli_bytes_text(bytes).text);
  info_line(info, "points", "%s, order: %s", cli_count_text(cache->vertex_count).text,
            order_text(cache->order));
  info_line(info, "frames", "%s, %.2f s from %.2f s on", cli_count_text(cache->frame_count).text,
            seconds, (double)cache->start);
  info_line(info, "rate", "%.5g frames per second (%s)", (double)cache->fps, timing_text(cache));
  info_size(info, first, false);
  info_line(info, "moves in", "%s x %s x %s",
            cli_length_text((double)(all.high.x - all.low.x)).text,
            cli_length_text((double)(all.high.y - all.low.y)).text,
            cli_length_text((double)(all.high.z - all.low.z)).text);
  if (cache->timing == SUP_TIMING_ASSUMED) {
    info_note(info,
              "The file does not say how fast it plays. If %g frames per second is wrong, say "
              "--fps N wherever you use it.",
              (double)SUP_CACHE_FPS);
  }
  if (cache->uneven) {
    info_note(info,
              "The frames are not evenly spaced in time; Supple plays them as if they were. "
              "Export it again at a fixed rate.");
  }
  CliReport *report = info->cli->report;
  cli_report_integer(report, "points", cache->vertex_count);
  cli_report_integer(report, "frames", cache->frame_count);
  cli_report_float(report, "fps", cache->fps);
  cli_report_float(report, "start", cache->start);
  cli_report_text(report, "timing", timing_text(cache));
  cli_report_bool(report, "uneven", cache->uneven);
  cli_report_text(report, "order", order_text(cache->order));
done:
  sup_cache_close(reader);
  return result;
}
