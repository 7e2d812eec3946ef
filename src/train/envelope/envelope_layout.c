/* SPDX-License-Identifier: MIT */
/* Patches as they are played: vertices, seams, coordinates in the polygon, dress offsets. */
#include "train/envelope/envelope_work.h"

#include "supple/polygon.h"

/* ---- Vertices -------------------------------------------------------------------------------- */

/* Chart vertices in the middle of a divided edge are not part of the body. */
static bool of_body(const SupPatchChart *chart, uint32_t vertex) {
  return chart->vertices[vertex].a == chart->vertices[vertex].b;
}

static SupResult take_vertices(EnvelopeWork *w, uint32_t patch) {
  const SupEnvelopeLearned *l = w->learned;
  const SupPatchChart *chart = &l->charts->charts[patch];
  EnvelopePatch *p = &l->faces[patch];
  const uint32_t n = chart->corner_count;
  p->border_count = chart->loop_count;
  p->points = SUP_ALLOC(w->arena, SupSkinPoint, chart->vertex_count);
  p->uv = sup_arena_alloc(w->arena, chart->vertex_count, sizeof *p->uv);
  p->seams = SUP_ALLOC(w->arena, uint32_t, p->border_count);
  p->weights = SUP_ALLOC(w->arena, double, (size_t)chart->vertex_count *n);
  if (!p->points || !p->uv || !p->seams || !p->weights) {
    return sup_fail_memory(w->error, "envelope");
  }
  for (uint32_t v = 0; v < chart->vertex_count; v++) {
    if (!of_body(chart, v)) continue;
    const uint32_t at = p->count++;
    p->points[at] = l->patches->points[chart->vertices[v].a];
    sup_copy(p->uv[at], chart->uv[v], sizeof *p->uv);
    double *weights = p->weights + (size_t)at * n;
    if (l->settings.smooth_weights) {
      sup_polygon_smooth_weights(n, chart->corners, chart->uv[v], weights);
    } else {
      sup_polygon_weights(n, chart->corners, chart->uv[v], weights);
    }
  }
  return SUP_OK;
}

/* ---- Seams ----------------------------------------------------------------------------------- */

/* Which vertices of the cut mesh are beside triangles without a patch. */
static uint8_t *find_open(SupArena *scratch, const SupPatches *patches) {
  uint8_t *open = SUP_ALLOC(scratch, uint8_t, patches->mesh.vertex_count);
  for (uint32_t f = 0; open && f < patches->mesh.triangle_count; f++) {
    if (patches->regions[f] != SUP_NONE) continue;
    for (uint32_t k = 0; k < 3; k++) open[patches->mesh.triangles[3 * (size_t)f + k]] = 1;
  }
  return open;
}

static SupResult join_seams(EnvelopeWork *w) {
  SupEnvelopeLearned *l = w->learned;
  const uint32_t cut = l->patches->mesh.vertex_count;
  uint32_t *seam_of = SUP_ALLOC(w->scratch, uint32_t, cut), most = 0;
  const uint8_t *open = find_open(w->scratch, l->patches);
  for (uint32_t p = 0; p < l->patch_count; p++) most += l->faces[p].border_count;
  l->seams = SUP_ALLOC(w->arena, SupEnvelopeSeam, most);
  if (!seam_of || !open || !l->seams) return sup_fail_memory(w->error, "envelope");
  for (uint32_t v = 0; v < cut; v++) seam_of[v] = SUP_NONE;
  for (uint32_t p = 0; p < l->patch_count; p++) {
    for (uint32_t k = 0; k < l->faces[p].border_count; k++) {
      const uint32_t v = l->patches->patches[p].loop[k];
      if (seam_of[v] == SUP_NONE) {
        const SupSkinPoint at = l->patches->points[v];
        seam_of[v] = l->seam_count;
        l->seams[l->seam_count++] =
            (SupEnvelopeSeam){.a = at.a, .b = at.b, .ratio = (float)at.t, .open = open[v] != 0};
        l->open_count += open[v];
      }
      l->faces[p].seams[k] = seam_of[v];
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
