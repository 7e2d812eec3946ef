/* SPDX-License-Identifier: MIT */
/* How far one motion is from another, by the same arithmetic as `supple compare`. */
#include "supple/author/metrics.h"
#include "supple/author/player.h"
#include "supple/geom/measure.h"

#include "module.h"

_Static_assert(sizeof(SupFrameError) == 4 * 3, "frame error");

/* Positions [frames * body.vertex_count], frame by frame; `skinning` may be NULL. The report:
 * relative_error, rms, worst, worst_vertex, worst_frame, frequency, amplitude, amplitude ratio,
 * coherence, phase and clarity of the main oscillation, and the greatest deviations of the volumes
 * of A and B (NaN where the skin encloses none). out_frames[3 * frames] as SupFrameError,
 * out_vertices [body.vertex_count] metres; both may be NULL. False: web_error says why. */
WEB_EXPORT("compare")
uint32_t web_compare(const WebCharacter *cast, uint32_t frames, float fps, const float *a,
                     const float *b, const float *skinning, float *out_report, float *out_frames,
                     float *out_vertices);

/* Of A, then of B. */
static SupResult measure_volumes(SupArena *arena, const WebCharacter *cast,
                                 const SupCompareDef *def, SupVolumeReport *out_volumes) {
  SupMesh rest;
  SupResult result = sup_rest_body(arena, &cast->character, true, NULL, &rest, &web_last_error);
  for (int k = 0; k < 2 && result == SUP_OK; k++) {
    const SupVolumeDef volume = {&rest, def->frame_count, k ? def->b : def->a, NULL};
    result = sup_volume_deviation(arena, &volume, &out_volumes[k], NULL, &web_last_error);
  }
  return result;
}

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
  SupVolumeReport volumes[2] = {{0}};
  if (result == SUP_OK) {
    result = measure_volumes(&arena, cast, &def, volumes);
  }
  if (result == SUP_OK) {
    const bool closed = volumes[0].closed_count > 0;
    const float numbers[] = {report.relative_error,
                             report.rms,
                             report.worst,
                             (float)report.worst_vertex,
                             (float)report.worst_frame,
                             report.vibration.frequency,
                             report.vibration.amplitude,
                             report.vibration.amplitude_ratio,
                             report.vibration.coherence,
                             report.vibration.phase,
                             report.vibration.clarity,
                             closed ? volumes[0].peak : __builtin_nanf(""),
                             closed ? volumes[1].peak : __builtin_nanf("")};
    sup_copy(out_report, numbers, sizeof numbers);
  }
  sup_arena_free(&arena);
  return result == SUP_OK;
}
