/* SPDX-License-Identifier: MIT */
/*
 * A picture of a mesh: light first, then bands of rows on all threads, each with every triangle
 * that reaches into it, in their order. Colours are found after it is known what is seen.
 */
#include "supple/draw/draw.h"

#include "base/scratch.h"
#include "draw/camera.h"
#include "draw/shade.h"

#define COOKIE 0x44524157u
#define NOTHING UINT32_MAX
enum { BAND = 8 }; /* rows of pixels */

typedef struct Drawing {
  DrawScene scene;
  const DrawSeen *seen; /* [vertex_count] */
  const float *rows;    /* [vertex_count] of samples; NaN behind the eye */
  float *near;          /* [samples of the picture] */
  uint32_t *ids;
  uint32_t wide, high, samples; /* the picture in samples; per side of a pixel */
} Drawing;

SupDrawDef sup_draw_def(void) {
  return (SupDrawDef){.cookie = COOKIE,
                      .camera = {.basis = sup_draw_basis(0, 0), .tan_x = 0.2f, .tan_y = 0.2f},
                      .top = {0.84f, 0.835f, 0.83f},
                      .bottom = {0.67f, 0.665f, 0.655f},
                      .samples = 3};
}

/* Where sample s of a row or column of n lies in -1..1. */
static float place(uint32_t s, uint32_t n) { return (2 * (float)s + 1) / (float)n - 1; }

static SupVec3 sample_color(const Drawing *d, uint32_t id, float near, float x, float y) {
  const DrawScene *scene = &d->scene;
  const SupVec3 ray = sup_draw_ray(&scene->def->camera, x, y);
  /* A thousandth nearer: what stands on the floor is not cut by it. */
  const bool floor = 1 > near * 1.001f * sup_shade_floor_distance(scene, ray);
  if (id != NOTHING && !floor) return sup_shade_skin(scene, id, ray);
  return sup_shade_room(scene, ray, x, y, 2.0f / (float)scene->image.height);
}

/* Whether all samples of a pixel show one triangle, or none. */
static bool is_even(const Drawing *d, size_t at) {
  for (uint32_t r = 0; r < d->samples; r++) {
    for (uint32_t c = 0; c < d->samples; c++) {
      if (d->ids[at + (size_t)r * d->wide + c] != d->ids[at]) return false;
    }
  }
  const uint32_t *part_of = d->scene.part_of;
  const uint32_t part = part_of && d->ids[at] != NOTHING ? part_of[d->ids[at]] : SUP_NONE;
  return part == SUP_NONE || !d->scene.mesh->parts[part].texture;
}

static SupVec3 pixel_color(const Drawing *d, uint32_t x, uint32_t y) {
  const uint32_t n = d->samples;
  const size_t at = (size_t)y * n * d->wide + (size_t)x * n;
  if (is_even(d, at)) {
    return sample_color(d, d->ids[at], d->near[at], place(x, d->wide / n), -place(y, d->high / n));
  }
  SupVec3 sum = {0, 0, 0};
  for (uint32_t r = 0; r < n; r++) {
    for (uint32_t c = 0; c < n; c++) {
      const size_t s = at + (size_t)r * d->wide + c;
      sum = sup_vec3_add(sum, sample_color(d, d->ids[s], d->near[s], place(x * n + c, d->wide),
                                           -place(y * n + r, d->high)));
    }
  }
  return sup_vec3_scale(sum, 1 / (float)(n * n));
}

/* Whether all corners lie above, or all below, of some rows; what is behind the eye has no row. */
static bool is_beside(const float *rows, const uint32_t c[3], float first, float count) {
  const float above = first - 1, below = first + count + 1;
  return (rows[c[0]] < above && rows[c[1]] < above && rows[c[2]] < above) ||
         (rows[c[0]] > below && rows[c[1]] > below && rows[c[2]] > below);
}

static void draw_band(void *context, SupRange range) {
  const Drawing *d = context;
  const SupDrawMesh *mesh = d->scene.mesh;
  const size_t first = (size_t)range.first * d->samples * d->wide;
  const RasterTarget target = {.width = d->wide,
                               .first_row = range.first * d->samples,
                               .height = range.count * d->samples,
                               .near = d->near + first,
                               .ids = d->ids + first};
  for (size_t s = 0; s < (size_t)target.width * target.height; s++) {
    target.near[s] = 0;
    target.ids[s] = NOTHING;
  }
  for (uint32_t f = 0; f < mesh->triangle_count; f++) {
    const uint32_t *c = mesh->triangles + 3 * (size_t)f;
    if (is_beside(d->rows, c, (float)target.first_row, (float)target.height)) continue;
    sup_draw_seen(&target, d->wide, d->high,
                  (const DrawSeen[3]){d->seen[c[0]], d->seen[c[1]], d->seen[c[2]]}, f);
  }
  const SupImage image = d->scene.image;
  for (uint32_t y = range.first; y < range.first + range.count; y++) {
    for (uint32_t x = 0; x < image.width; x++) {
      const SupVec3 color = pixel_color(d, x, y);
      uint8_t *pixel = image.pixels + y * image.stride + 3 * (size_t)x;
      pixel[0] = sup_srgb_encode(color.x);
      pixel[1] = sup_srgb_encode(color.y);
      pixel[2] = sup_srgb_encode(color.z);
    }
  }
}

static SupResult find_parts(SupArena *scratch, DrawScene *scene, SupError *error) {
  const SupDrawMesh *mesh = scene->mesh;
  scene->plain = (SupDrawPart){.base_color = {0.8f, 0.8f, 0.8f}, .roughness = 0.7f};
  for (uint32_t k = 0; k < 256; k++) scene->decoded[k] = sup_srgb_decode((uint8_t)k);
  if (mesh->part_count == 0) return SUP_OK;
  uint32_t *part_of = SUP_ALLOC(scratch, uint32_t, mesh->triangle_count);
  if (!part_of) return sup_fail_memory(error, "the picture");
  for (uint32_t f = 0; f < mesh->triangle_count; f++) part_of[f] = SUP_NONE;
  for (uint32_t p = 0; p < mesh->part_count; p++) {
    const SupDrawPart *part = &mesh->parts[p];
    for (uint32_t k = 0; k < part->triangle_count; k++) part_of[part->first_triangle + k] = p;
  }
  scene->part_of = part_of;
  return SUP_OK;
}

SupResult sup_draw(SupArena *arena, const SupDrawDef *def, const SupDrawMesh *mesh, SupImage image,
                   SupError *error) {
  SupArena scratch = sup_scratch(arena);
  const uint32_t samples = def->samples < 1 ? 1 : def->samples > 8 ? 8 : def->samples;
  Drawing d = {.scene = {.def = def, .mesh = mesh, .image = image},
               .wide = image.width * samples,
               .high = image.height * samples,
               .samples = samples};
  DrawSeen *seen = SUP_ALLOC(&scratch, DrawSeen, mesh->vertex_count);
  float *rows = SUP_ALLOC(&scratch, float, mesh->vertex_count);
  d.near = SUP_ALLOC(&scratch, float, (size_t)d.wide *d.high);
  d.ids = SUP_ALLOC(&scratch, uint32_t, (size_t)d.wide * d.high);
  SupResult result = SUP_OK;
  if (!seen || !rows || !d.near || !d.ids) result = sup_fail_memory(error, "the picture");
  if (result == SUP_OK) result = find_parts(&scratch, &d.scene, error);
  if (result == SUP_OK) result = sup_draw_light(&scratch, def, mesh, &d.scene.light, error);
  if (result == SUP_OK) {
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
      seen[v] = sup_draw_see(&def->camera, mesh->positions[v]);
      rows[v] = (float)(seen[v].w > 1e-4 ? 0.5 * d.high * (1 - seen[v].y / seen[v].w) : 0.0 / 0.0);
    }
    d.seen = seen;
    d.rows = rows;
    sup_parallel_for(def->jobs, image.height, BAND, draw_band, &d);
  }
  sup_arena_free(&scratch);
  return result;
}
