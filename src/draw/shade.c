/* SPDX-License-Identifier: MIT */
/*
 * Shading: a sky that is brighter above, a key light that wraps a little around the form as it does
 * on flesh, a rim light that parts the figure from the background, a soft gloss.
 */
#include "draw/shade.h"

/* Light of white skin that faces each, linear. */
static const SupVec3 SKY = {0.49f, 0.52f, 0.57f}, BOUNCE = {0.36f, 0.33f, 0.30f};
static const SupVec3 KEY = {0.88f, 0.80f, 0.70f}, RIM = {0.34f, 0.35f, 0.40f};
#define WRAP 0.22f        /* how far the key light goes beyond its terminator */
#define SHOULDER 0.75f    /* brighter than this is compressed */
#define FLOOR_KEY 0.42f   /* fraction of the floor's light that is the key's */
#define EDGE_FADE 2.5f    /* shadows of the floor are whole from 1 / 2.5 of a half picture on */
#define LINE_DARK 0.22f   /* of the grid */
#define LINE_WIDTH 0.006f /* of the size */

SupVec3 sup_draw_ray(const SupDrawCamera *camera, float x, float y) {
  const SupDrawBasis *b = &camera->basis;
  return sup_vec3_add(b->forward, sup_vec3_add(sup_vec3_scale(b->right, x * camera->tan_x),
                                               sup_vec3_scale(b->up, y * camera->tan_y)));
}

static float above(float x, float low) { return x > low ? x : low; } /* low for NaN */

static float show(float x) {
  x = above(x, 0);
  if (x <= SHOULDER) return x;
  return SHOULDER + (1 - SHOULDER) * (1 - sup_expf((SHOULDER - x) / (1 - SHOULDER)));
}

/* ---- Textures -------------------------------------------------------------------------------- */

static uint32_t wrap(int64_t x, uint32_t size) {
  const int64_t r = x % (int64_t)size;
  return (uint32_t)(r < 0 ? r + (int64_t)size : r);
}

/* Between four texels, in linear light. */
static SupVec3 look_up(const DrawScene *scene, const SupTexture *texture, float u, float v) {
  if (!(u > -1e6f && u < 1e6f && v > -1e6f && v < 1e6f)) return (SupVec3){1, 1, 1};
  const double x = (double)u * texture->width - 0.5, y = (double)v * texture->height - 0.5;
  int64_t i = (int64_t)x, j = (int64_t)y;
  if ((double)i > x) i--;
  if ((double)j > y) j--;
  const float fx = (float)(x - (double)i), fy = (float)(y - (double)j);
  SupVec3 sum = {0, 0, 0};
  for (int k = 0; k < 4; k++) {
    const int right = k & 1, down = k >> 1;
    const uint8_t *p =
        texture->pixels + 4 * ((size_t)wrap(j + down, texture->height) * texture->width +
                               wrap(i + right, texture->width));
    const float weight = (right ? fx : 1 - fx) * (down ? fy : 1 - fy);
    sum.x += weight * scene->decoded[p[0]];
    sum.y += weight * scene->decoded[p[1]];
    sum.z += weight * scene->decoded[p[2]];
  }
  return sum;
}

/* ---- Skin ------------------------------------------------------------------------------------ */

/* A sample of a triangle. */
typedef struct Spot {
  const uint32_t *corners;
  float b[3]; /* weights of the corners */
  SupVec3 normal;
  DrawReach reach;
} Spot;

/* The ray meets the triangle where its three volumes with the edges say; a triangle that is seen
 * from the side has no such place, and its middle is taken. */
static Spot find_spot(const DrawScene *scene, uint32_t triangle, SupVec3 ray) {
  const SupDrawMesh *mesh = scene->mesh;
  Spot s = {.corners = mesh->triangles + 3 * (size_t)triangle};
  SupVec3d p[3];
  const SupVec3d d = sup_vec3_to_double(ray);
  double b[3], sum = 0;
  for (int k = 0; k < 3; k++) {
    p[k] = sup_vec3_to_double(sup_vec3_sub(mesh->positions[s.corners[k]], scene->def->camera.eye));
  }
  for (int k = 0; k < 3; k++) {
    b[k] = sup_vec3d_dot(d, sup_vec3d_cross(p[(k + 1) % 3], p[(k + 2) % 3]));
    sum += b[k];
  }
  double inside = 0;
  for (int k = 0; k < 3; k++) {
    b[k] = sum != 0 ? b[k] / sum : 1.0 / 3;
    b[k] = b[k] > 0 ? (b[k] < 1 ? b[k] : 1) : 0;
    inside += b[k];
  }
  for (int k = 0; k < 3; k++) {
    s.b[k] = inside > 0 ? (float)(b[k] / inside) : 1.0f / 3;
    const SupVec3 n = sup_vec3_scale(mesh->normals[s.corners[k]], s.b[k]);
    s.normal = sup_vec3_add(s.normal, n);
    s.reach.key += s.b[k] * scene->light.skin[s.corners[k]].key;
    s.reach.sky += s.b[k] * scene->light.skin[s.corners[k]].sky;
  }
  /* The side that is seen, whichever way round the file has it. */
  const SupVec3d side = sup_vec3d_cross(sup_vec3d_sub(p[1], p[0]), sup_vec3d_sub(p[2], p[0]));
  const double seen = sup_vec3d_dot(side, d) < 0 ? 1 : -1;
  s.normal = sup_vec3_normalise(s.normal);
  if (seen * sup_vec3d_dot(side, sup_vec3_to_double(s.normal)) < 0) {
    s.normal = sup_vec3_negate(s.normal);
  }
  return s;
}

static SupVec3 albedo(const DrawScene *scene, const SupDrawPart *part, const Spot *s) {
  const SupDrawMesh *mesh = scene->mesh;
  SupVec3 color = {part->base_color[0], part->base_color[1], part->base_color[2]};
  if (mesh->colors) {
    SupVec3 sum = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
      const float *c = mesh->colors + 3 * (size_t)s->corners[k];
      sum = sup_vec3_add(sum, sup_vec3_scale((SupVec3){c[0], c[1], c[2]}, s->b[k]));
    }
    color = sup_vec3_mul(color, sum);
  }
  if (part->texture && mesh->uvs) {
    float u = 0, v = 0;
    for (int k = 0; k < 3; k++) {
      u += s->b[k] * mesh->uvs[2 * (size_t)s->corners[k]];
      v += s->b[k] * mesh->uvs[2 * (size_t)s->corners[k] + 1];
    }
    color = sup_vec3_mul(color, look_up(scene, part->texture, u, v));
  }
  return color;
}

static float power(float x, uint32_t squarings) {
  for (uint32_t k = 0; k < squarings; k++) x *= x;
  return x;
}

SupVec3 sup_shade_skin(const DrawScene *scene, uint32_t triangle, SupVec3 ray) {
  const uint32_t p = scene->part_of ? scene->part_of[triangle] : SUP_NONE;
  const SupDrawPart *part = p == SUP_NONE ? &scene->plain : &scene->mesh->parts[p];
  const Spot s = find_spot(scene, triangle, ray);
  const SupVec3 n = s.normal, eye = sup_vec3_normalise(sup_vec3_negate(ray));
  const float facing = sup_vec3_dot(n, scene->light.key);
  const float key = above((facing + WRAP) / (1 + WRAP), 0) * s.reach.key;
  const float rim = power(above(sup_vec3_dot(n, scene->light.rim), 0), 1) *
                    (1 - 0.6f * above(sup_vec3_dot(n, eye), 0));
  /* Where the sky is hidden, skin lights skin. */
  const float sky = 0.16f + 0.84f * s.reach.sky * (0.45f + 0.55f * s.reach.sky);
  SupVec3 light = sup_vec3_scale(sup_vec3_lerp(BOUNCE, SKY, 0.5f + 0.5f * n.y), sky);
  light = sup_vec3_add(light, sup_vec3_scale(KEY, key));
  light = sup_vec3_add(light, sup_vec3_scale(RIM, rim * s.reach.sky));
  SupVec3 color = sup_vec3_mul(albedo(scene, part, &s), light);
  /* Gloss: a wide soft one for rough skin, a tighter and brighter one for smooth. */
  const SupVec3 half = sup_vec3_normalise(sup_vec3_add(scene->light.key, eye));
  const float smooth = 1 - part->roughness;
  const float gloss = power(above(sup_vec3_dot(n, half), 0), smooth > 0.45f ? 6 : 4) * s.reach.key *
                      above(facing, 0) * (0.05f + 0.30f * smooth);
  color = sup_vec3_add(color, sup_vec3_scale(KEY, gloss));
  return (SupVec3){show(color.x + part->emissive[0]), show(color.y + part->emissive[1]),
                   show(color.z + part->emissive[2])};
}

/* ---- The room -------------------------------------------------------------------------------- */

float sup_shade_floor_distance(const DrawScene *scene, SupVec3 ray) {
  const float height = scene->def->camera.eye.y - scene->def->floor;
  return height > 0 && ray.y < 0 ? height / -ray.y : 1e30f;
}

/* How dark a line is at a place of the floor that a pixel of `wide` metres shows. */
static float line(float x, float step, float half, float wide) {
  const float places = x / step;
  if (!(places > -1e8f && places < 1e8f)) return 0;
  const double away =
      (double)places - (double)(int64_t)((double)places + (places < 0 ? -0.5 : 0.5));
  const float distance = (float)(away < 0 ? -away : away) * step;
  const float covered = (half + 0.5f * wide - distance) / (wide > 2 * half ? wide : 2 * half);
  return covered > 0 ? (covered < 1 ? covered : 1) * (wide > 2 * half ? 2 * half / wide : 1) : 0;
}

SupVec3 sup_shade_room(const DrawScene *scene, SupVec3 ray, float x, float y, float pixel) {
  const SupDrawDef *def = scene->def;
  const SupVec3 wall = sup_vec3_lerp(def->bottom, def->top, 0.5f + 0.5f * y);
  const float distance = sup_shade_floor_distance(scene, ray);
  if (distance > 1e29f) return wall;
  const SupVec3 at = sup_vec3_add(def->camera.eye, sup_vec3_scale(ray, distance));
  const DrawReach reach = sup_draw_floor(&scene->light, at.x, at.z);
  /* Shadows end before the picture does: views stand side by side. */
  const float inside = EDGE_FADE * (1 - above(x, -x)), edge = inside < 1 ? inside : 1;
  const float shown = edge * edge * (3 - 2 * edge);
  const float dark = 1 - FLOOR_KEY * reach.key - (1 - FLOOR_KEY) * reach.sky;
  float lit = 1 - dark * shown;
  if (def->grid > 0) {
    const float size = scene->light.size, half = 0.5f * LINE_WIDTH * size;
    const float wide = distance * pixel * def->camera.tan_y;
    const float deep = wide * sup_vec3_length(ray) / -ray.y;
    const float line_dark = above(line(at.x, def->grid, half, 0.5f * (wide + deep)),
                                  line(at.z, def->grid, half, 0.5f * (wide + deep)));
    const float middle = scene->light.floor_step * 0.5f * (FLOOR_SIDE - 1);
    const float dx = at.x - scene->light.floor_x - middle,
                dz = at.z - scene->light.floor_z - middle;
    const float fade = 1 - (dx * dx + dz * dz) / (4 * size * size);
    lit *= 1 - LINE_DARK * line_dark * above(fade, 0) * shown;
  }
  return sup_vec3_scale(wall, lit);
}
