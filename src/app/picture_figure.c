/* SPDX-License-Identifier: MIT */
/* A character as a mesh that can be drawn. */
#include "app/picture_parts.h"

#define SAME_NORMAL 0.94f /* cosine: 20 degrees apart is no hard edge */
#define SEE_THROUGH                                                             \
  0.5f /* alpha below this: the part is not drawn, it would hide what it covers \
        */

/* Whether two parts have the same image. */
static bool same_image(const SupGltfLook *a, const SupGltfLook *b) {
  return a->image && a->image_bytes == b->image_bytes &&
         sup_hash(a->image, a->image_bytes, 0) == sup_hash(b->image, b->image_bytes, 0);
}

/* The texture of part p; an earlier part's, where both have the same image, readable or not. */
static SupResult find_texture(SupArena *arena, const SupGltfLook *looks, SupDrawPart *parts,
                              uint32_t p, uint32_t *io_left_out, SupError *error) {
  const SupGltfLook *look = &looks[p];
  SupError reason;
  if (!look->image) return SUP_OK;
  for (uint32_t k = 0; k < p; k++) {
    if (!same_image(&looks[k], look)) continue;
    parts[p].texture = parts[k].texture;
    return SUP_OK;
  }
  SupTexture *texture = SUP_ALLOC(arena, SupTexture, 1);
  if (!texture) return sup_fail_memory(error, "the texture");
  const SupResult result = sup_png_decode(arena, look->image, look->image_bytes, texture, &reason);
  if (result == SUP_ERROR_MEMORY) return sup_fail_memory(error, "the texture");
  if (result == SUP_OK) {
    parts[p].texture = texture;
  } else {
    ++*io_left_out;
  }
  return SUP_OK;
}

/* Parts with their materials; triangles of those that are hardly there are left out. */
static SupResult find_parts(SupArena *arena, const SupCharacterFile *file, SupDrawMesh *mesh,
                            uint32_t *io_left_out, SupError *error) {
  const SupRender *render = &file->character->render;
  const SupGltfLook *looks;
  SupResult result = sup_gltf_looks(file->document, file->found, arena, &looks, error);
  if (result != SUP_OK) return result;
  uint32_t *triangles = SUP_ALLOC(arena, uint32_t, 3 * (size_t)render->triangle_count);
  SupDrawPart *parts = SUP_ALLOC(arena, SupDrawPart, render->part_count);
  if (!triangles || !parts) return sup_fail_memory(error, "the picture");
  for (uint32_t p = 0; p < render->part_count && result == SUP_OK; p++) {
    const SupPart *from = &render->parts[p];
    const SupGltfLook *look = &looks[p];
    SupDrawPart *part = &parts[p];
    *part = (SupDrawPart){.first_triangle = mesh->triangle_count, .roughness = look->roughness};
    if (look->blended && look->base_color[3] < SEE_THROUGH) continue;
    part->triangle_count = from->triangle_count;
    for (int c = 0; c < 3; c++) {
      part->base_color[c] = look->base_color[c];
      part->emissive[c] = look->emissive[c];
    }
    sup_copy(triangles + 3 * (size_t)mesh->triangle_count,
             render->triangles + 3 * (size_t)from->first_triangle,
             3 * (size_t)from->triangle_count * sizeof *triangles);
    mesh->triangle_count += from->triangle_count;
    result = find_texture(arena, looks, parts, p, io_left_out, error);
  }
  mesh->triangles = triangles;
  mesh->part_count = render->part_count;
  mesh->parts = parts;
  return result;
}

static SupResult find_colors(SupArena *arena, const SupCharacterFile *file, SupDrawMesh *mesh,
                             SupError *error) {
  const SupRender *render = &file->character->render;
  const float *body;
  SupResult result = sup_gltf_colors(file->document, file->found, arena, &body, error);
  if (result != SUP_OK || !body) return result;
  float *colors = SUP_ALLOC(arena, float, 3 * (size_t)render->vertex_count);
  if (!colors) return sup_fail_memory(error, "the colours");
  for (uint32_t v = 0; v < render->vertex_count; v++) {
    sup_copy(colors + 3 * (size_t)v, body + 4 * (size_t)render->to_body[v], 3 * sizeof *colors);
  }
  mesh->colors = colors;
  return SUP_OK;
}

/* Which vertices share a normal: render vertices of one body vertex, as lists, each compared with
 * the first of every group so far. */
static SupResult find_groups(SupArena *arena, const SupCharacter *character, PictureFigure *figure,
                             SupError *error) {
  const SupRender *render = &character->render;
  const uint32_t n = render->vertex_count;
  uint32_t *heads = SUP_ALLOC(arena, uint32_t, character->body.vertex_count);
  uint32_t *next = SUP_ALLOC(arena, uint32_t, n); /* the first vertex of another group */
  figure->groups = SUP_ALLOC(arena, uint32_t, n);
  if (!heads || !next || !figure->groups) return sup_fail_memory(error, "the normals");
  for (uint32_t b = 0; b < character->body.vertex_count; b++) heads[b] = SUP_NONE;
  for (uint32_t v = 0; v < n; v++) {
    uint32_t *at = &heads[render->to_body[v]];
    while (*at != SUP_NONE && render->normals &&
           sup_vec3_dot(render->normals[*at], render->normals[v]) < SAME_NORMAL) {
      at = &next[*at];
    }
    if (*at == SUP_NONE) {
      *at = v;
      next[v] = SUP_NONE;
      figure->groups[v] = figure->group_count++;
    } else {
      figure->groups[v] = figure->groups[*at];
    }
  }
  figure->group_normals = SUP_ALLOC(arena, SupVec3, figure->group_count);
  return figure->group_normals ? SUP_OK : sup_fail_memory(error, "the normals");
}

SupResult sup_picture_figure(SupArena *arena, const SupPictureFigure *def,
                             PictureFigure *out_figure, uint32_t *io_left_out, SupError *error) {
  const SupCharacter *character = def->file->character;
  const SupRender *render = &character->render;
  const uint32_t n = render->vertex_count;
  *out_figure = (PictureFigure){.def = def,
                                .positions = SUP_ALLOC(arena, SupVec3, n),
                                .normals = SUP_ALLOC(arena, SupVec3, n)};
  if (!out_figure->positions || !out_figure->normals) return sup_fail_memory(error, "the picture");
  out_figure->mesh = (SupDrawMesh){.vertex_count = n,
                                   .positions = out_figure->positions,
                                   .normals = out_figure->normals,
                                   .uvs = render->uvs};
  SupResult result = find_parts(arena, def->file, &out_figure->mesh, io_left_out, error);
  if (result == SUP_OK) result = find_colors(arena, def->file, &out_figure->mesh, error);
  if (result == SUP_OK) result = find_groups(arena, character, out_figure, error);
  return result;
}

/* By the area of the triangles around, on either side of seams. */
static void find_normals(PictureFigure *figure) {
  const SupDrawMesh *mesh = &figure->mesh;
  SupVec3 *sums = figure->group_normals;
  for (uint32_t g = 0; g < figure->group_count; g++) sums[g] = (SupVec3){0, 0, 0};
  for (uint32_t f = 0; f < mesh->triangle_count; f++) {
    const uint32_t *c = mesh->triangles + 3 * (size_t)f;
    const SupVec3 p = mesh->positions[c[0]];
    const SupVec3 n = sup_vec3_cross(sup_vec3_sub(mesh->positions[c[1]], p),
                                     sup_vec3_sub(mesh->positions[c[2]], p));
    for (int k = 0; k < 3; k++) {
      sums[figure->groups[c[k]]] = sup_vec3_add(sums[figure->groups[c[k]]], n);
    }
  }
  for (uint32_t v = 0; v < mesh->vertex_count; v++) {
    figure->normals[v] = sup_vec3_normalise(sums[figure->groups[v]]);
  }
}

void sup_picture_play(PictureFigure *figure, uint32_t frame, bool normals) {
  figure->def->play(figure->def->user, frame, figure->positions);
  if (normals) find_normals(figure);
}
