/* SPDX-License-Identifier: MIT */
/* How far one motion is from another, by the same arithmetic as `supple compare`. */
#include "supple/author/metrics.h"
#include "supple/geom/measure.h"

#include "module.h"

_Static_assert(sizeof(SupFrameError) == 4 * 3, "frame error");

/* Positions [frames * body.vertex_count], frame by frame; `skinning` may be NULL. The report:
 * relative_error, rms, worst, worst_vertex, worst_frame, and frequency, amplitude, amplitude ratio
 * and coherence of the strongest vibration. out_frames[3 * frames] as SupFrameError, out_vertices
 * [body.vertex_count] metres; both may be NULL. False: web_error says why. */
WEB_EXPORT("compare")
uint32_t web_compare(const WebCharacter *cast, uint32_t frames, float fps, const float *a,
                     const float *b, const float *skinning, float *out_report, float *out_frames,
                     float *out_vertices);

uint32_t web_compare(const WebCharacter *cast, uint32_t frames, float fps, const float *a,
                     const float *b, const float *skinning, float *out_report, float *out_frames,
                     float *out_vertices) {
  const SupMesh *body = &cast->character.body;
  SupArena arena;
  sup_arena_init(&arena, web_allocator(), 0);
  double *areas = SUP_ALLOC(&arena, double, body->vertex_count);
  float *weights = SUP_ALLOC(&arena, float, body->vertex_count);
  SupCompareReport report;
  SupResult result = areas && weights ? SUP_OK : SUP_ERROR_MEMORY;
  if (result == SUP_OK) sup_vertex_areas(body, SUP_AREA_BARYCENTRIC, areas);
  for (uint32_t v = 0; result == SUP_OK && v < body->vertex_count; v++) {
    weights[v] = (float)areas[v];
  }
  const SupCompareDef def = {.frame_count = frames,
                             .vertex_count = body->vertex_count,
                             .fps = fps,
                             .a = (const SupVec3 *)a,
                             .b = (const SupVec3 *)b,
                             .skinning = (const SupVec3 *)skinning,
                             .vertex_weights = weights};
  if (result == SUP_OK) {
    result = sup_compare(&arena, &def, &report, (SupFrameError *)out_frames, out_vertices,
                         &web_last_error);
  }
  if (result == SUP_OK) {
    const float numbers[] = {report.relative_error,
                             report.rms,
                             report.worst,
                             (float)report.worst_vertex,
                             (float)report.worst_frame,
                             report.vibration.frequency,
                             report.vibration.amplitude,
                             report.vibration.amplitude_ratio,
                             report.vibration.coherence};
    sup_copy(out_report, numbers, sizeof numbers);
  }
  sup_arena_free(&arena);
  return result == SUP_OK;
}
