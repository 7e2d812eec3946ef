/* SPDX-License-Identifier: MIT */
/* What light reaches what. */
#include "draw/light.h"

#include "draw/raster.h"

enum {
  KEY_COUNT = 16, /* directions within the key light */
  SKY_COUNT = 36,
  MAP_COUNT = KEY_COUNT + SKY_COUNT,
  MAP_SIDE = 176 /* samples */
};

#define KEY_WIDTH 0.22f /* radius of the key light over its distance */
#define LIFT 0.016f     /* of the size: how far off the skin light is looked for */
#define MARGIN 0.7f     /* of the size: floor around the box that can be in shadow */
#define BROAD 24        /* passes of the blur: 3.5 places of the floor */
#define GOLDEN 2.399963229728653

/* A picture of what is nearest to a light. */
typedef struct Map {
  SupVec3 right, up, towards;
  float *near; /* [MAP_SIDE * MAP_SIDE] along `towards` */
} Map;

typedef struct Lighting {
  const SupDrawDef *def;
  const SupDrawMesh *mesh;
  DrawLight *light;
  SupVec3 middle;
  float radius, scale; /* samples per metre */
  Map maps[MAP_COUNT];
} Lighting;

static SupVec3 unit(SupVec3 v) { return sup_vec3_normalise(v); }

/* Even over a disc, then the disc is where the light is; even over the sky, from just above the
 * horizon. Both by the golden angle. */
static SupVec3 direction(const DrawLight *light, uint32_t k) {
  double sine, cosine;
  if (k >= KEY_COUNT) {
    const double y = 0.06 + 0.94 * ((double)(k - KEY_COUNT) + 0.5) / SKY_COUNT;
    const double r = sup_sqrt(1 - y * y);
    sup_sincos(GOLDEN * (double)(k - KEY_COUNT), &sine, &cosine);
    return (SupVec3){(float)(r * cosine), (float)y, (float)(r * sine)};
  }
  const SupVec3 u = unit(sup_vec3_cross(light->key, (SupVec3){0, 1, 0}));
  const SupVec3 v = sup_vec3_cross(light->key, u);
  const float r = KEY_WIDTH * sup_sqrtf(((float)k + 0.5f) / KEY_COUNT);
  sup_sincos(GOLDEN * (double)k, &sine, &cosine);
  return unit(sup_vec3_add(light->key, sup_vec3_add(sup_vec3_scale(u, r * (float)cosine),
                                                    sup_vec3_scale(v, r * (float)sine))));
}

/* In samples of the map; z along the light. */
static SupVec3 map_point(const Lighting *l, const Map *map, SupVec3 p) {
  const SupVec3 at = sup_vec3_sub(p, l->middle);
  return (SupVec3){0.5f * MAP_SIDE + sup_vec3_dot(map->right, at) * l->scale,
                   0.5f * MAP_SIDE + sup_vec3_dot(map->up, at) * l->scale,
                   sup_vec3_dot(map->towards, at)};
}

static void draw_map(void *context, SupRange range) {
  Lighting *l = context;
  const SupDrawMesh *mesh = l->mesh;
  for (uint32_t k = range.first; k < range.first + range.count; k++) {
    const Map *map = &l->maps[k];
    const RasterTarget target = {MAP_SIDE, 0, MAP_SIDE, map->near, NULL};
    for (uint32_t s = 0; s < MAP_SIDE * MAP_SIDE; s++) map->near[s] = -1e30f;
    for (uint32_t f = 0; f < mesh->triangle_count; f++) {
      RasterCorner corners[3];
      for (size_t c = 0; c < 3; c++) {
        const SupVec3 p = map_point(l, map, mesh->positions[mesh->triangles[3 * (size_t)f + c]]);
        corners[c] = (RasterCorner){(double)p.x, (double)p.y, (double)p.z};
      }
      sup_raster_triangle(&target, corners, f);
    }
  }
}

/* How much of the light of a map passes by everything to a point: 0..1, between four samples. */
static float reaches(const Lighting *l, const Map *map, SupVec3 point) {
  const SupVec3 p = map_point(l, map, point);
  const float x = p.x - 0.5f, y = p.y - 0.5f;
  if (!(x >= 0 && y >= 0 && x < MAP_SIDE - 1 && y < MAP_SIDE - 1)) return 1;
  const uint32_t i = (uint32_t)x, j = (uint32_t)y;
  const float fx = x - (float)i, fy = y - (float)j;
  const float *near = map->near + (size_t)j * MAP_SIDE + i;
  const float a = near[0] > p.z ? 0.0f : 1 - fx, b = near[1] > p.z ? 0.0f : fx;
  const float c = near[MAP_SIDE] > p.z ? 0.0f : 1 - fx, d = near[MAP_SIDE + 1] > p.z ? 0.0f : fx;
  return (a + b) * (1 - fy) + (c + d) * fy;
}

/* Of the sky, what comes from the side that the normal is on counts, and `beyond` a little more. */
static DrawReach gather(const Lighting *l, SupVec3 point, SupVec3 normal, float beyond) {
  DrawReach reach = {0, 0};
  float all = 0;
  const SupVec3 lifted = sup_vec3_add(point, sup_vec3_scale(normal, LIFT * l->light->size));
  for (uint32_t k = 0; k < KEY_COUNT; k++) reach.key += reaches(l, &l->maps[k], lifted);
  for (uint32_t k = KEY_COUNT; k < MAP_COUNT; k++) {
    const float facing = sup_vec3_dot(normal, l->maps[k].towards) + beyond;
    if (!(facing > 0)) continue;
    all += facing;
    reach.sky += facing * reaches(l, &l->maps[k], lifted);
  }
  reach.key *= 1.0f / KEY_COUNT;
  reach.sky = all > 0 ? reach.sky / all : 0;
  return reach;
}

static void light_skin(void *context, SupRange range) {
  const Lighting *l = context;
  for (uint32_t v = range.first; v < range.first + range.count; v++) {
    l->light->skin[v] = gather(l, l->mesh->positions[v], l->mesh->normals[v], 0.35f);
  }
}

static void light_floor(void *context, SupRange range) {
  const Lighting *l = context;
  const DrawLight *light = l->light;
  for (uint32_t k = range.first; k < range.first + range.count; k++) {
    const SupVec3 p = {light->floor_x + light->floor_step * (float)(k % FLOOR_SIDE), l->def->floor,
                       light->floor_z + light->floor_step * (float)(k / FLOOR_SIDE)};
    light->floor[k] = gather(l, p, (SupVec3){0, 1, 0}, -0.1f);
  }
}

/* One pass of a blur along rows or columns of the floor. */
static void blur_along(const DrawReach *from, DrawReach *to, size_t step, size_t across) {
  for (size_t r = 0; r < FLOOR_SIDE; r++) {
    for (size_t c = 0; c < FLOOR_SIDE; c++) {
      const size_t at = r * across + c * step;
      const size_t before = c > 0 ? at - step : at, after = c + 1 < FLOOR_SIDE ? at + step : at;
      to[at].key = 0.25f * (from[before].key + 2 * from[at].key + from[after].key);
      to[at].sky = 0.25f * (from[before].sky + 2 * from[at].sky + from[after].sky);
    }
  }
}

static void blur(DrawReach *floor, DrawReach *spare, uint32_t times) {
  for (uint32_t k = 0; k < times; k++) {
    blur_along(floor, spare, 1, FLOOR_SIDE);
    blur_along(spare, floor, FLOOR_SIDE, 1);
  }
}

/* Single directions can be told apart far from what is in their way: the less is, the more is
 * blurred. */
static void smooth_floor(DrawReach *floor, DrawReach *broad, DrawReach *spare) {
  const size_t count = (size_t)FLOOR_SIDE * FLOOR_SIDE;
  blur(floor, spare, 1);
  sup_copy(broad, floor, count * sizeof *floor);
  blur(broad, spare, BROAD);
  for (size_t k = 0; k < count; k++) {
    const float dark = 1 - broad[k].sky, near = dark < 0.4f ? dark * dark / (0.4f * 0.4f) : 1;
    floor[k].sky = broad[k].sky + near * (floor[k].sky - broad[k].sky);
  }
}

static void place(Lighting *l, SupBounds box) {
  DrawLight *light = l->light;
  const float diagonal = sup_bounds_diagonal(box);
  light->size = diagonal > 1e-9f && diagonal < 1e18f ? diagonal : 1;
  l->middle = sup_vec3_scale(sup_vec3_add(box.low, box.high), 0.5f);
  l->radius = 0.5f * light->size * 1.02f;
  l->scale = 0.5f * MAP_SIDE / l->radius;
  const float side = sup_vec3_length((SupVec3){box.high.x - box.low.x, 0, box.high.z - box.low.z}) +
                     2 * MARGIN * light->size;
  light->floor_step = side / (FLOOR_SIDE - 1);
  light->floor_x = l->middle.x - 0.5f * side;
  light->floor_z = l->middle.z - 0.5f * side;
}

/* The box of what can be drawn: a vertex that is not finite spoils no light. */
static SupBounds finite_bounds(const SupDrawMesh *mesh) {
  SupBounds box = {{1e30f, 1e30f, 1e30f}, {-1e30f, -1e30f, -1e30f}};
  const float far = 1e15f;
  bool any = false;
  for (uint32_t v = 0; v < mesh->vertex_count; v++) {
    const SupVec3 p = mesh->positions[v];
    if (!(p.x > -far && p.x < far && p.y > -far && p.y < far && p.z > -far && p.z < far)) continue;
    const SupBounds one = {p, p};
    if (!any) box = one;
    any = true;
    box.low = (SupVec3){p.x < box.low.x ? p.x : box.low.x, p.y < box.low.y ? p.y : box.low.y,
                        p.z < box.low.z ? p.z : box.low.z};
    box.high = (SupVec3){p.x > box.high.x ? p.x : box.high.x, p.y > box.high.y ? p.y : box.high.y,
                         p.z > box.high.z ? p.z : box.high.z};
  }
  return any ? box : (SupBounds){{0, 0, 0}, {0, 0, 0}};
}

SupResult sup_draw_light(SupArena *arena, const SupDrawDef *def, const SupDrawMesh *mesh,
                         DrawLight *out_light, SupError *error) {
  const SupDrawBasis *basis = &def->camera.basis;
  const SupVec3 up = {0, 1, 0}, level = unit((SupVec3){basis->forward.x, 0, basis->forward.z});
  *out_light = (DrawLight){.skin = SUP_ALLOC(arena, DrawReach, mesh->vertex_count),
                           .floor = SUP_ALLOC(arena, DrawReach, FLOOR_SIDE * FLOOR_SIDE)};
  DrawReach *blurred = SUP_ALLOC(arena, DrawReach, 2 * FLOOR_SIDE * FLOOR_SIDE);
  Lighting *l = SUP_ALLOC(arena, Lighting, 1);
  float *near = SUP_ALLOC(arena, float, (size_t)MAP_COUNT *MAP_SIDE *MAP_SIDE);
  if (!out_light->skin || !out_light->floor || !blurred || !l || !near) {
    return sup_fail_memory(error, "the light");
  }
  /* From the camera's left and above, and from behind on its right. */
  out_light->key =
      unit(sup_vec3_add(sup_vec3_scale(basis->right, -0.62f),
                        sup_vec3_sub(sup_vec3_scale(up, 1.25f), sup_vec3_scale(level, 0.62f))));
  out_light->rim = unit(sup_vec3_add(sup_vec3_scale(basis->right, 0.7f),
                                     sup_vec3_add(sup_vec3_scale(up, 0.45f), level)));
  *l = (Lighting){.def = def, .mesh = mesh, .light = out_light};
  place(l, finite_bounds(mesh));
  for (uint32_t k = 0; k < MAP_COUNT; k++) {
    Map *map = &l->maps[k];
    map->towards = direction(out_light, k);
    const SupVec3 other = map->towards.y > 0.9f ? (SupVec3){1, 0, 0} : up;
    map->right = unit(sup_vec3_cross(other, map->towards));
    map->up = sup_vec3_cross(map->towards, map->right);
    map->near = near + (size_t)k * MAP_SIDE * MAP_SIDE;
  }
  sup_parallel_for(def->jobs, MAP_COUNT, 1, draw_map, l);
  sup_parallel_for(def->jobs, mesh->vertex_count, 512, light_skin, l);
  sup_parallel_for(def->jobs, FLOOR_SIDE * FLOOR_SIDE, 512, light_floor, l);
  smooth_floor(out_light->floor, blurred, blurred + FLOOR_SIDE * FLOOR_SIDE);
  return SUP_OK;
}

DrawReach sup_draw_floor(const DrawLight *light, float x, float z) {
  const float u = (x - light->floor_x) / light->floor_step;
  const float v = (z - light->floor_z) / light->floor_step;
  const DrawReach all = {1, 1};
  if (!(u >= 0 && v >= 0 && u < FLOOR_SIDE - 1 && v < FLOOR_SIDE - 1)) return all;
  const uint32_t i = (uint32_t)u, j = (uint32_t)v;
  const float fu = u - (float)i, fv = v - (float)j;
  const DrawReach *at = light->floor + (size_t)j * FLOOR_SIDE + i;
  const float weights[4] = {(1 - fu) * (1 - fv), fu * (1 - fv), (1 - fu) * fv, fu * fv};
  const DrawReach *four[4] = {at, at + 1, at + FLOOR_SIDE, at + FLOOR_SIDE + 1};
  DrawReach reach = {0, 0};
  for (int k = 0; k < 4; k++) {
    reach.key += weights[k] * four[k]->key;
    reach.sky += weights[k] * four[k]->sky;
  }
  return reach;
}
