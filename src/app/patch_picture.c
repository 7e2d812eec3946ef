/* SPDX-License-Identifier: MIT */
/* Patches in colours, from the front and from behind. */
#include "supple/app/patch_character.h"
#include "supple/draw/draw.h"
#include "supple/io/file.h"

#define MARGIN 0.08f
#define LINE 0.0012f /* of the diagonal: half the width of a boundary */
#define LIFT 0.0008f /* above the skin */

typedef struct Painting {
  const SupPatchCharacter *of;
  SupDrawMesh mesh;
  SupVec3 *positions, *normals, *smooth; /* smooth: [patches' vertices] */
  float *colors;
  uint32_t *triangles;
  float size;
} Painting;

/* Neighbouring numbers get colours far apart: turns by the golden ratio. */
static void color_of(uint32_t patch, float out_color[3]) {
  const float hue =
      6 * (float)((0.618033988749895 * patch) - (uint32_t)(0.618033988749895 * patch));
  for (uint32_t c = 0; c < 3; c++) {
    float away = hue - 2 * (float)c; /* peaks at 0, 2, 4 */
    if (away > 3) away -= 6;
    if (away < -3) away += 6;
    const float up = 2 - (away < 0 ? -away : away);
    const float full = up < 0 ? 0 : up > 1 ? 1 : up;
    out_color[c] = (patch % 3 == 0 ? 0.12f : patch % 3 == 1 ? 0.25f : 0.05f) + 0.5f * full;
  }
}

static void put_triangle(Painting *p, const SupVec3 *places, const SupVec3 *normals,
                         const float *color) {
  for (uint32_t k = 0; k < 3; k++) {
    const uint32_t v = p->mesh.vertex_count++;
    p->positions[v] = places[k];
    p->normals[v] = normals[k];
    for (uint32_t c = 0; c < 3; c++) p->colors[3 * (size_t)v + c] = color[c];
    p->triangles[v] = v;
  }
  p->mesh.triangle_count++;
}

static void put_skin(Painting *p) {
  static const float grey[3] = {0.45f, 0.45f, 0.45f};
  const SupPatches *patches = &p->of->patches;
  for (uint32_t f = 0; f < patches->mesh.triangle_count; f++) {
    const uint32_t *c = patches->mesh.triangles + 3 * (size_t)f;
    SupVec3 places[3], normals[3];
    float color[3];
    for (uint32_t k = 0; k < 3; k++) {
      places[k] = patches->mesh.positions[c[k]];
      normals[k] = p->smooth[c[k]];
    }
    if (patches->regions[f] != SUP_NONE) color_of(patches->regions[f], color);
    put_triangle(p, places, normals, patches->regions[f] == SUP_NONE ? grey : color);
  }
}

/* The normal at a place of the skin. */
static SupVec3 normal_at(const Painting *p, SupSkinPoint at) {
  const float t = (float)at.t;
  return sup_vec3_normalise(
      sup_vec3_add_scaled(sup_vec3_scale(p->smooth[at.a], 1 - t), p->smooth[at.b], t));
}

/* A ribbon just above the skin. */
static void put_boundary(Painting *p, const SupSkinPath *path) {
  static const float ink[3] = {0.01f, 0.01f, 0.012f};
  for (uint32_t k = 1; k < path->count; k++) {
    SupVec3 ends[4], normals[4];
    for (uint32_t e = 0; e < 2; e++) {
      const SupSkinPoint at = path->points[k - 1 + e];
      normals[2 * e] = normals[2 * e + 1] = normal_at(p, at);
      ends[2 * e] = sup_vec3d_to_float(sup_skin_point_place(&p->of->def.mesh, at));
    }
    const SupVec3 along = sup_vec3_sub(ends[2], ends[0]);
    for (uint32_t e = 0; e < 4; e += 2) {
      const SupVec3 up = sup_vec3_add_scaled(ends[e], normals[e], LIFT * p->size);
      const SupVec3 side = sup_vec3_normalise(sup_vec3_cross(normals[e], along));
      ends[e] = sup_vec3_add_scaled(up, side, LINE * p->size);
      ends[e + 1] = sup_vec3_add_scaled(up, side, -LINE * p->size);
    }
    const SupVec3 first[3] = {ends[0], ends[1], ends[2]}, second[3] = {ends[2], ends[1], ends[3]};
    const SupVec3 first_up[3] = {normals[0], normals[1], normals[2]},
                  second_up[3] = {normals[2], normals[1], normals[3]};
    put_triangle(p, first, first_up, ink);
    put_triangle(p, second, second_up, ink);
  }
}

static SupResult prepare(SupArena *arena, Painting *p, SupError *error) {
  const SupPatches *patches = &p->of->patches;
  size_t triangles = patches->mesh.triangle_count;
  for (uint32_t k = 0; k < p->of->def.boundary_count; k++) {
    triangles += 2 * (size_t)p->of->def.boundaries[k].path.count;
  }
  p->positions = SUP_ALLOC(arena, SupVec3, 3 * triangles);
  p->normals = SUP_ALLOC(arena, SupVec3, 3 * triangles);
  p->colors = SUP_ALLOC(arena, float, 9 * triangles);
  p->triangles = SUP_ALLOC(arena, uint32_t, 3 * triangles);
  p->smooth = SUP_ALLOC(arena, SupVec3, patches->mesh.vertex_count);
  if (!p->positions || !p->normals || !p->colors || !p->triangles || !p->smooth) {
    return sup_fail_memory(error, "the picture");
  }
  for (uint32_t f = 0; f < patches->mesh.triangle_count; f++) {
    const uint32_t *c = patches->mesh.triangles + 3 * (size_t)f;
    const SupVec3 *x = patches->mesh.positions;
    const SupVec3 n =
        sup_vec3_cross(sup_vec3_sub(x[c[1]], x[c[0]]), sup_vec3_sub(x[c[2]], x[c[0]]));
    for (uint32_t k = 0; k < 3; k++) p->smooth[c[k]] = sup_vec3_add(p->smooth[c[k]], n);
  }
  for (uint32_t v = 0; v < patches->mesh.vertex_count; v++) {
    p->smooth[v] = sup_vec3_normalise(p->smooth[v]);
  }
  put_skin(p);
  for (uint32_t k = 0; k < p->of->def.boundary_count; k++) {
    put_boundary(p, &p->of->def.boundaries[k].path);
  }
  p->mesh.positions = p->positions;
  p->mesh.normals = p->normals;
  p->mesh.colors = p->colors;
  p->mesh.triangles = p->triangles;
  return SUP_OK;
}

/* The box of the mesh along a camera's directions; io_places[mesh.vertex_count] is overwritten. */
static SupBounds box_along(const Painting *p, const SupDrawBasis *basis, SupVec3 *io_places) {
  for (uint32_t v = 0; v < p->mesh.vertex_count; v++) {
    io_places[v] = sup_draw_along(basis, p->positions[v]);
  }
  return sup_bounds(io_places, p->mesh.vertex_count);
}

static SupResult draw(const SupAppContext *app, SupArena *arena, Painting *p, uint32_t size,
                      SupImage *out_sheet, SupError *error) {
  SupDrawDef def = sup_draw_def();
  const SupBounds bounds = sup_bounds(p->positions, p->mesh.vertex_count);
  uint32_t wide = size, high = size;
  SupImage sheet = {0};
  SupVec3 *places = SUP_ALLOC(arena, SupVec3, p->mesh.vertex_count);
  if (!places) return sup_fail_memory(error, "the picture");
  def.floor = bounds.low.y;
  def.jobs = app->jobs;
  for (uint32_t view = 0; view < 2; view++) {
    const SupDrawBasis basis = sup_draw_basis(view ? 200 : 20, 8);
    const SupBounds box = box_along(p, &basis, places);
    if (view == 0) {
      const float x = box.high.x - box.low.x, y = box.high.y - box.low.y;
      const float aspect = y > 0 && x < y ? x / y : 1, low = x > 0 && y < x ? y / x : 1;
      wide = (uint32_t)((float)size * (aspect < 0.25f ? 0.25f : aspect));
      high = (uint32_t)((float)size * (low < 0.25f ? 0.25f : low));
      SupResult result = sup_image_create(arena, 2 * wide, high, &sheet, error);
      if (result != SUP_OK) return result;
    }
    def.camera = sup_draw_fit(&basis, 1, &box, (float)wide / (float)high, MARGIN);
    const SupImage part = sup_image_part(sheet, view * wide, 0, wide, high);
    SupResult result = sup_draw(arena, &def, &p->mesh, part, error);
    if (result != SUP_OK) return result;
  }
  *out_sheet = sheet;
  return SUP_OK;
}

SupResult sup_patch_picture(const SupAppContext *app, const SupPatchCharacter *patches,
                            uint32_t size, const char *path, SupError *error) {
  SupArena arena;
  SupImage sheet;
  const uint8_t *data;
  size_t bytes;
  const double began = sup_app_seconds();
  const SupMesh *skin = &patches->def.mesh;
  Painting p = {.of = patches,
                .size = sup_bounds_diagonal(sup_bounds(skin->positions, skin->vertex_count))};
  sup_arena_init(&arena, app->allocator, 0);
  sup_app_busy(app, path);
  SupResult result = prepare(&arena, &p, error);
  if (result == SUP_OK) result = draw(app, &arena, &p, size, &sheet, error);
  if (result == SUP_OK) result = sup_png_encode(&arena, sheet, &data, &bytes, error);
  if (result == SUP_OK) result = sup_file_save(app->allocator, path, data, bytes, error);
  sup_arena_free(&arena);
  sup_app_busy(app, NULL);
  sup_app_timing(app, "picture", began);
  return result;
}
