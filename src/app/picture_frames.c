/* SPDX-License-Identifier: MIT */
/* The motion that a picture shows: how much room it takes, whether the figure travels, and where
 * there is most to see. */
#include "app/picture_parts.h"

#define TRAVELS 0.7    /* of the size: farther than this and the camera goes along */
#define SMOOTH 0.35    /* seconds on either side over which the camera's path is a mean */
#define NARROWEST 0.6f /* width over height of a view */
#define WIDEST 2.4f

static float least(float a, float b) { return b < a ? b : a; }
static float most(float a, float b) { return b > a ? b : a; }

/* Which points of a frame the camera must see: those that lie farthest beyond planes like the sides
 * of its view, whose width is not known yet. x or y minus so much of the distance. */
static const struct Plane {
  float x, y, z;
} planes[PICTURE_POINTS] = {
    {0, 1, SUP_DRAW_TAN},         {0, -1, SUP_DRAW_TAN},        {1, 0, 0.6f * SUP_DRAW_TAN},
    {-1, 0, 0.6f * SUP_DRAW_TAN}, {1, 0, SUP_DRAW_TAN},         {-1, 0, SUP_DRAW_TAN},
    {1, 0, 1.6f * SUP_DRAW_TAN},  {-1, 0, 1.6f * SUP_DRAW_TAN}, {1, 0, 2.4f * SUP_DRAW_TAN},
    {-1, 0, 2.4f * SUP_DRAW_TAN},
};

/* One figure in one frame: the points that must be seen, along the basis; its lowest point and
 * largest diagonal so far; the mean of its positions. */
static SupVec3 measure(const PictureFigure *figure, PictureMotion *motion, SupBounds *out_points) {
  SupVec3d sum = {0, 0, 0};
  float best[PICTURE_POINTS];
  const uint32_t n = figure->mesh.vertex_count;
  for (int k = 0; k < PICTURE_POINTS; k++) {
    best[k] = -1e30f;
    out_points[k] = (SupBounds){{1, 1, 1}, {-1, -1, -1}};
  }
  for (uint32_t v = 0; v < n; v++) {
    const SupVec3 p = figure->positions[v], at = sup_draw_along(&motion->basis, p);
    for (int k = 0; k < PICTURE_POINTS; k++) {
      const float beyond = planes[k].x * at.x + planes[k].y * at.y - planes[k].z * at.z;
      if (!(beyond > best[k])) continue;
      best[k] = beyond;
      out_points[k] = (SupBounds){at, at};
    }
    motion->floor = least(motion->floor, p.y);
    sum = sup_vec3d_add(sum, sup_vec3_to_double(p));
  }
  motion->size = most(motion->size, sup_bounds_diagonal(sup_bounds(figure->positions, n)));
  return sup_vec3d_to_float(sup_vec3d_scale(sum, 1.0 / (n ? n : 1)));
}

static double differ(const PictureFigure *a, const PictureFigure *b) {
  double sum = 0;
  if (a->mesh.vertex_count != b->mesh.vertex_count) return 0;
  for (uint32_t v = 0; v < a->mesh.vertex_count; v++) {
    const double apart = (double)sup_vec3_distance(a->positions[v], b->positions[v]);
    sum += apart * apart;
  }
  return sum;
}

/* Level, from where it was at first: a mean over the frames around, so that no step shakes it. */
static void make_path(const SupPictureDef *def, const SupVec3 *middles, PictureMotion *motion) {
  const uint32_t n = def->frame_count;
  const int64_t reach = (int64_t)(SMOOTH * def->fps + 0.5);
  for (uint32_t i = 0; i < n; i++) {
    SupVec3d sum = {0, 0, 0};
    for (int64_t k = -reach; k <= reach; k++) {
      /* Beyond the ends the motion goes on as it was: the path does not slow down there. */
      const int64_t at = (int64_t)i + k, last = (int64_t)n - 1;
      const int64_t inside = at < 0 ? -at : at > last ? 2 * last - at : at;
      const int64_t near = inside < 0 ? 0 : inside > last ? last : inside;
      SupVec3d p = sup_vec3_to_double(middles[near]);
      if (at != inside) {
        const SupVec3d end = sup_vec3_to_double(middles[at < 0 ? 0 : last]);
        p = sup_vec3d_sub(sup_vec3d_scale(end, 2), p);
      }
      sum = sup_vec3d_add(sum, p);
    }
    const SupVec3d mean = sup_vec3d_scale(sum, 1.0 / (double)(2 * reach + 1));
    motion->frames[i].path = (SupVec3){(float)mean.x, 0, (float)mean.z};
  }
  const SupVec3 first = motion->frames[0].path;
  for (uint32_t i = 0; i < n; i++) {
    motion->frames[i].path = sup_vec3_sub(motion->frames[i].path, first);
  }
}

/* Takes the path out of the points, where the figure goes far enough for one. */
static void follow(const SupPictureDef *def, const SupVec3 *middles, PictureMotion *motion) {
  const SupBounds box = sup_bounds(middles, def->frame_count);
  const SupVec3 way = {box.high.x - box.low.x, 0, box.high.z - box.low.z};
  if (!((double)sup_vec3_length(way) > TRAVELS * (double)motion->size)) return;
  motion->follows = true;
  make_path(def, middles, motion);
  for (uint32_t k = 0; k < motion->point_count; k++) {
    const uint32_t frame = k / (def->figure_count * PICTURE_POINTS);
    const SupVec3 gone = sup_draw_along(&motion->basis, motion->frames[frame].path);
    motion->points[k].low = sup_vec3_sub(motion->points[k].low, gone);
    motion->points[k].high = sup_vec3_sub(motion->points[k].high, gone);
  }
}

SupResult sup_picture_motion(const SupAppContext *app, SupArena *arena, const SupPictureDef *def,
                             PictureFigure *figures, PictureMotion *out_motion, SupError *error) {
  const size_t n = def->frame_count;
  PictureMotion motion = {.basis = sup_draw_basis(def->azimuth, def->elevation),
                          .frames = SUP_ALLOC(arena, PictureFrame, n),
                          .point_count = (uint32_t)n * def->figure_count * PICTURE_POINTS,
                          .floor = 1e30f};
  SupVec3 *middles = SUP_ALLOC(arena, SupVec3, n);
  motion.points = SUP_ALLOC(arena, SupBounds, motion.point_count);
  if (!motion.frames || !motion.points || !middles) return sup_fail_memory(error, "the picture");
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t k = 0; k < def->figure_count; k++) {
      SupBounds *points = motion.points + ((size_t)i * def->figure_count + k) * PICTURE_POINTS;
      sup_picture_play(&figures[k], i, false);
      const SupVec3 middle = measure(&figures[k], &motion, points);
      if (k == 0) middles[i] = middle;
    }
    if (def->figure_count > 1) motion.frames[i].different = differ(&figures[0], &figures[1]);
    sup_app_progress(app, "playing", i + 1, def->frame_count);
  }
  if (!(motion.size > 0)) motion.size = 1;
  follow(def, middles, &motion);
  *out_motion = motion;
  return SUP_OK;
}

float sup_picture_aspect(const PictureMotion *motion) {
  SupBounds all = motion->points[0];
  for (uint32_t k = 1; k < motion->point_count; k++) {
    const SupVec3 p = motion->points[k].low;
    all.low.x = least(all.low.x, p.x), all.low.y = least(all.low.y, p.y);
    all.high.x = most(all.high.x, p.x), all.high.y = most(all.high.y, p.y);
  }
  const float wide = all.high.x - all.low.x, high = all.high.y - all.low.y;
  const float aspect = wide / most(high, 1e-6f * motion->size);
  return least(most(aspect, NARROWEST), WIDEST);
}

uint32_t sup_picture_column(const SupPictureDef *def, const PictureMotion *motion, uint32_t columns,
                            uint32_t k) {
  const uint64_t n = def->frame_count;
  const uint32_t first = (uint32_t)(k * n / columns), end = (uint32_t)((k + 1) * n / columns);
  uint32_t best = first + (end - first) / 2;
  /* Not at its ends: what differs most there the neighbour may show as well. */
  const uint32_t apart = (end - first) / 5;
  for (uint32_t i = first + apart; i < end - apart; i++) {
    if (motion->frames[i].different > motion->frames[best].different) best = i;
  }
  return best;
}
