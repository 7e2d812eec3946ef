/* SPDX-License-Identifier: MIT */
/* Patches as they are played: vertices, seams, coordinates in the polygon, dress offsets. */
#include "supple/polygon.h"
#include "train/envelope/envelope_work.h"
#include "train/patches/patch_layout.h"

/* ---- Vertices and seams ---------------------------------------------------------------------- */

static SupResult take_vertices(EnvelopeWork *w, uint32_t patch) {
  const SupEnvelopeLearned *l = w->learned;
  const SupPatchChart *chart = &l->charts->charts[patch];
  EnvelopePatch *p = &l->faces[patch];
  const uint32_t n = chart->corner_count;
  SupPatchLayout layout;
  SupResult result = sup_patch_layout(w->arena, l->patches, chart, &layout, w->error);
  if (result != SUP_OK) return result;
  p->count = layout.count;
  p->border_count = layout.border_count;
  p->points = layout.points;
  p->uv = layout.uv;
  p->weights = SUP_ALLOC(w->arena, double, (size_t)p->count *n);
  if (!p->weights) return sup_fail_memory(w->error, "envelope");
  for (uint32_t v = 0; v < p->count; v++) {
    double *weights = p->weights + (size_t)v * n;
    if (l->settings.smooth_weights) {
      sup_polygon_smooth_weights(n, chart->corners, p->uv[v], weights);
    } else {
      sup_polygon_weights(n, chart->corners, p->uv[v], weights);
    }
  }
  return SUP_OK;
}

static SupResult join_seams(EnvelopeWork *w) {
  SupEnvelopeLearned *l = w->learned;
  SupPatchSeams seams;
  SupResult result = sup_patch_seams(w->arena, l->patches, &seams, w->error);
  if (result != SUP_OK) return result;
  l->seam_count = seams.count;
  l->open_count = seams.open_count;
  l->seams = seams.seams;
  for (uint32_t p = 0; p < l->patch_count; p++) {
    EnvelopePatch *face = &l->faces[p];
    face->seams = SUP_ALLOC(w->arena, uint32_t, face->border_count);
    if (!face->seams) return sup_fail_memory(w->error, "envelope");
    for (uint32_t k = 0; k < face->border_count; k++) {
      face->seams[k] = seams.places[l->patches->patches[p].loop[k]];
    }
  }
  return SUP_OK;
}

SupResult sup_envelope_layout(EnvelopeWork *w) {
  SupResult result = SUP_OK;
  for (uint32_t p = 0; p < w->learned->patch_count && result == SUP_OK; p++) {
    result = take_vertices(w, p);
  }
  return result == SUP_OK ? join_seams(w) : result;
}

/* ---- The dress shape ------------------------------------------------------------------------- */

static void grow(SupVec3d p, SupVec3d *low, SupVec3d *high) {
  low->x = p.x < low->x ? p.x : low->x, high->x = p.x > high->x ? p.x : high->x;
  low->y = p.y < low->y ? p.y : low->y, high->y = p.y > high->y ? p.y : high->y;
  low->z = p.z < low->z ? p.z : low->z, high->z = p.z > high->z ? p.z : high->z;
}

SupResult sup_envelope_offsets(EnvelopeWork *w) {
  const SupEnvelopeLearned *l = w->learned;
  SupVec3d *control = SUP_ALLOC(w->scratch, SupVec3d, l->control.count);
  if (!control) return sup_fail_memory(w->error, "envelope");
  sup_envelope_layered(l, 0, control);
  for (uint32_t k = 0; k < l->patch_count; k++) {
    EnvelopePatch *p = &l->faces[k];
    const SupMat3d back = sup_mat3d_transpose(sup_envelope_face_frame(p, control));
    SupVec3d low = {1e300, 1e300, 1e300}, high = {-1e300, -1e300, -1e300};
    p->offsets = SUP_ALLOC(w->arena, SupVec3d, p->count);
    if (!p->offsets) return sup_fail_memory(w->error, "envelope");
    for (uint32_t v = 0; v < p->count; v++) {
      const SupVec3d at = sup_envelope_place(&l->figure, 0, p->points[v]);
      const SupVec3d from = sup_envelope_on_face(p, control, v);
      p->offsets[v] = sup_mat3d_mul_vec3(back, sup_vec3d_sub(at, from));
      grow(sup_mat3d_mul_vec3(back, at), &low, &high);
    }
    p->box = sup_vec3d_sub(high, low);
  }
  return SUP_OK;
}
