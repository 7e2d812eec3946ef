/* SPDX-License-Identifier: MIT */
/* The camera: directions, what it must see, and cutting triangles to what it can. */
#include "draw/camera.h"

#define RADIANS (SUP_PI / 180)
#define NEAREST                                                                                   \
  1e-4                 /* distances below this are behind the eye; boxes are fitted in metres and \
                          centimetres alike, so it only has to be above 0 */
#define GUARD 32.0     /* half pictures from the middle; farther out triangles are cut */
#define MOST_CORNERS 8 /* three and one more for every plane */

SupDrawBasis sup_draw_basis(double azimuth, double elevation) {
  double sin_a, cos_a, sin_e, cos_e;
  sup_sincos(azimuth * RADIANS, &sin_a, &cos_a);
  sup_sincos(elevation * RADIANS, &sin_e, &cos_e);
  return (SupDrawBasis){
      .right = {(float)cos_a, 0, (float)-sin_a},
      .up = {(float)(-sin_e * sin_a), (float)cos_e, (float)(-sin_e * cos_a)},
      .forward = {(float)(-cos_e * sin_a), (float)-sin_e, (float)(-cos_e * cos_a)}};
}

SupVec3 sup_draw_along(const SupDrawBasis *basis, SupVec3 point) {
  return (SupVec3){sup_vec3_dot(basis->right, point), sup_vec3_dot(basis->up, point),
                   sup_vec3_dot(basis->forward, point)};
}

static bool counts(const SupBounds *box) {
  const float size = 1e18f; /* false for NaN */
  return box->low.x <= box->high.x && box->low.y <= box->high.y && box->low.z <= box->high.z &&
         box->low.x > -size && box->low.y > -size && box->low.z > -size && box->high.x < size &&
         box->high.y < size && box->high.z < size;
}

/* The eye sees p where |x - e.x| <= t (z - e.z): the four sides of its pyramid are as near as the
 * farthest corner beyond each lets them be. */
SupDrawCamera sup_draw_fit(const SupDrawBasis *basis, uint32_t count, const SupBounds *boxes,
                           float aspect, float margin) {
  const double ty = (double)SUP_DRAW_TAN * (1 - (double)margin), tx = ty * (double)aspect;
  double side[4] = {-1e30, -1e30, -1e30, -1e30}; /* right, left, up, down */
  bool any = false;
  for (uint32_t k = 0; k < count; k++) {
    if (!counts(&boxes[k])) continue;
    any = true;
    const SupVec3d low = sup_vec3_to_double(boxes[k].low), high = sup_vec3_to_double(boxes[k].high);
    /* The front of a box is what matters. */
    const double reach[4] = {high.x - tx * low.z, -low.x - tx * low.z, high.y - ty * low.z,
                             -low.y - ty * low.z};
    for (int s = 0; s < 4; s++) side[s] = reach[s] > side[s] ? reach[s] : side[s];
  }
  if (!any) side[0] = side[1] = tx, side[2] = side[3] = ty;
  const double zx = -(side[0] + side[1]) / (2 * tx), zy = -(side[2] + side[3]) / (2 * ty);
  const double e[3] = {(side[0] - side[1]) / 2, (side[2] - side[3]) / 2, zx < zy ? zx : zy};
  SupDrawCamera camera = {.basis = *basis, .tan_x = SUP_DRAW_TAN * aspect, .tan_y = SUP_DRAW_TAN};
  const SupVec3 axes[3] = {basis->right, basis->up, basis->forward};
  for (int k = 0; k < 3; k++) {
    camera.eye = sup_vec3_add(camera.eye, sup_vec3_scale(axes[k], (float)e[k]));
  }
  return camera;
}

DrawSeen sup_draw_see(const SupDrawCamera *camera, SupVec3 point) {
  const SupVec3 at = sup_draw_along(&camera->basis, sup_vec3_sub(point, camera->eye));
  return (DrawSeen){(double)at.x / (double)camera->tan_x, (double)at.y / (double)camera->tan_y,
                    (double)at.z};
}

/* ---- Cutting --------------------------------------------------------------------------------- */

/* How far inside of plane k a corner is: in front of the eye, then the four sides. */
static double inside(const DrawSeen *c, int plane) {
  switch (plane) {
    case 0: return c->w - NEAREST;
    case 1: return GUARD * c->w - c->x;
    case 2: return GUARD * c->w + c->x;
    case 3: return GUARD * c->w - c->y;
    default: return GUARD * c->w + c->y;
  }
}

/* Sutherland and Hodgman 1974: what one plane leaves of a polygon. */
static int cut(const DrawSeen *from, int count, int plane, DrawSeen *to) {
  int left = 0;
  for (int k = 0; k < count; k++) {
    if (left > MOST_CORNERS - 2) return 0; /* only rounding of absurd numbers gets here */
    const DrawSeen *a = &from[k], *b = &from[(k + 1) % count];
    const double da = inside(a, plane), db = inside(b, plane);
    if (da >= 0) to[left++] = *a;
    if ((da >= 0) == (db >= 0)) continue;
    const double t = da / (da - db);
    to[left++] =
        (DrawSeen){a->x + t * (b->x - a->x), a->y + t * (b->y - a->y), a->w + t * (b->w - a->w)};
  }
  return left;
}

static bool finite(const DrawSeen *c) {
  return c->x > -1e30 && c->x < 1e30 && c->y > -1e30 && c->y < 1e30 && c->w > -1e30 && c->w < 1e30;
}

void sup_draw_seen(const RasterTarget *target, uint32_t width, uint32_t height,
                   const DrawSeen corners[3], uint32_t id) {
  DrawSeen polygons[2][MOST_CORNERS];
  int count = 3, now = 0;
  bool whole = true;
  for (int k = 0; k < 3; k++) {
    if (!finite(&corners[k])) return;
    polygons[0][k] = corners[k];
    for (int p = 0; p < 5; p++) whole = whole && inside(&corners[k], p) >= 0;
  }
  for (int p = 0; p < 5 && !whole && count >= 3; p++, now = 1 - now) {
    count = cut(polygons[now], count, p, polygons[1 - now]);
  }
  RasterCorner r[MOST_CORNERS];
  for (int k = 0; k < count; k++) {
    const DrawSeen *c = &polygons[now][k];
    r[k] =
        (RasterCorner){0.5 * width * (1 + c->x / c->w), 0.5 * height * (1 - c->y / c->w), 1 / c->w};
  }
  for (int k = 2; k < count; k++) {
    sup_raster_triangle(target, (const RasterCorner[3]){r[0], r[k - 1], r[k]}, id);
  }
}
