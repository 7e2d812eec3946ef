/* SPDX-License-Identifier: MIT */
/* A body as connected pieces, and these cut along its parts. */
#include "author/hard/hard_work.h"
#include "base/union_find.h"
#include "supple/geom/measure.h"

#define SAME 0.15f      /* of a vertex's weights may be on other bones than its piece's */
#define MOSTLY_SAME 0.9 /* of a solid piece's area */

static void find_pieces(HardWork *w) {
  const SupMesh *body = &w->character->body;
  sup_union_find_init(w->pieces, body->vertex_count);
  for (uint32_t t = 0; t < body->triangle_count; t++) {
    const uint32_t *corners = body->triangles + 3 * (size_t)t;
    sup_union_find_join(w->pieces, corners[0], corners[1]);
    sup_union_find_join(w->pieces, corners[0], corners[2]);
  }
  for (uint32_t v = 0; v < body->vertex_count; v++) {
    w->pieces[v] = sup_union_find_root(w->pieces, v);
    w->piece_areas[w->pieces[v]] += w->areas[v];
  }
}

float sup_weights_overlap(const SupSkin *skin, uint32_t a, uint32_t b) {
  float sum = 0;
  for (uint32_t i = skin->offsets[a]; i < skin->offsets[a + 1]; i++) {
    for (uint32_t k = skin->offsets[b]; k < skin->offsets[b + 1]; k++) {
      if (skin->bones[i] != skin->bones[k]) continue;
      sum += skin->weights[i] < skin->weights[k] ? skin->weights[i] : skin->weights[k];
    }
  }
  return sum;
}

static float strongest(const SupSkin *skin, uint32_t v) {
  return skin->offsets[v] < skin->offsets[v + 1] ? skin->weights[skin->offsets[v]] : 0;
}

/* A piece moves like a solid if nearly all of it has the weights of its clearest vertex. */
static bool find_solids(HardWork *w) {
  const SupSkin *skin = &w->character->skin;
  const uint32_t count = skin->vertex_count;
  uint32_t *clearest = SUP_ALLOC(&w->scratch, uint32_t, count);
  double *same = SUP_ALLOC(&w->scratch, double, count);
  if (!clearest || !same) return false;
  for (uint32_t v = 0; v < count; v++) clearest[v] = v;
  for (uint32_t v = 0; v < count; v++) {
    uint32_t *best = &clearest[w->pieces[v]];
    if (strongest(skin, v) > strongest(skin, *best)) *best = v;
  }
  for (uint32_t v = 0; v < count; v++) {
    const uint32_t piece = w->pieces[v];
    if (sup_weights_overlap(skin, v, clearest[piece]) >= 1 - SAME) same[piece] += w->areas[v];
  }
  for (uint32_t v = 0; v < count; v++) {
    w->solid[v] = w->piece_areas[v] > 0 && same[v] >= MOSTLY_SAME * w->piece_areas[v];
  }
  return true;
}

static double triangle_area(const HardWork *w, const uint32_t *corners) {
  const SupVec3 *p = w->character->body.positions;
  const SupVec3 cross = sup_vec3_cross(sup_vec3_sub(p[corners[1]], p[corners[0]]),
                                       sup_vec3_sub(p[corners[2]], p[corners[0]]));
  return (double)sup_vec3_length(cross);
}

/* One unit for each piece that a part has triangles of. */
static bool find_units(HardWork *w) {
  const SupRender *render = &w->character->render;
  const uint32_t count = w->character->body.vertex_count;
  uint32_t *unit = SUP_ALLOC(&w->scratch, uint32_t, count); /* of a piece, + 1 */
  w->units_of = SUP_ALLOC(&w->scratch, uint32_t, render->triangle_count);
  w->units = SUP_ALLOC(&w->scratch, HardUnit, render->triangle_count);
  if (!unit || !w->units_of || !w->units) return false;
  double all = 0;
  for (uint32_t p = 0; p < render->part_count; p++) {
    const SupPart *part = &render->parts[p];
    const uint32_t first = w->unit_count;
    for (uint32_t t = part->first_triangle; t < part->first_triangle + part->triangle_count; t++) {
      uint32_t corners[3];
      for (size_t k = 0; k < 3; k++) {
        corners[k] = render->to_body[render->triangles[3 * (size_t)t + k]];
      }
      const uint32_t piece = w->pieces[corners[0]];
      if (unit[piece] <= first) {
        w->units[w->unit_count] = (HardUnit){.part = p, .piece = piece, .name = ""};
        unit[piece] = ++w->unit_count;
      }
      w->units_of[t] = unit[piece] - 1;
      w->units[unit[piece] - 1].area += triangle_area(w, corners);
      all += triangle_area(w, corners);
    }
  }
  for (uint32_t u = 0; u < w->unit_count && all > 0; u++) w->units[u].area /= all;
  return true;
}

SupResult sup_hard_units(HardWork *w, SupError *error) {
  const SupMesh *body = &w->character->body;
  w->areas = SUP_ALLOC(&w->scratch, double, body->vertex_count);
  w->pieces = SUP_ALLOC(&w->scratch, uint32_t, body->vertex_count);
  w->piece_areas = SUP_ALLOC(&w->scratch, double, body->vertex_count);
  w->solid = SUP_ALLOC(&w->scratch, bool, body->vertex_count);
  if (!w->areas || !w->pieces || !w->piece_areas || !w->solid) {
    return sup_fail_memory(error, "hard parts");
  }
  double all = 0;
  sup_vertex_areas(body, SUP_AREA_BARYCENTRIC, w->areas);
  for (uint32_t v = 0; v < body->vertex_count; v++) all += w->areas[v];
  for (uint32_t v = 0; v < body->vertex_count && all > 0; v++) w->areas[v] /= all;
  find_pieces(w);
  if (!find_solids(w) || !find_units(w)) return sup_fail_memory(error, "hard parts");
  return SUP_OK;
}
