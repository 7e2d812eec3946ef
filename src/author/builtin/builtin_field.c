/* SPDX-License-Identifier: MIT */
/*
 * The implicit surface of a built-in body: blobs joined by smooth unions.
 *
 * The union is the quadratic smooth minimum: within a band of width k where two distances are
 * nearly equal it takes h^2 k / 4 off the smaller, h = 1 - |a - b| / k. It is commutative but not
 * associative, so a mirrored pair is joined with itself first: the field is symmetric to the bit.
 */
#include "author/builtin/builtin_body.h"

static double absolute(double x) { return x < 0 ? -x : x; }
static double larger(double a, double b) { return a > b ? a : b; }

/* Coordinates of p - a in the blob's own axes, and back. */
typedef struct Frame {
  SupVec3d x, y, z;
} Frame;

static Frame blob_frame(const SupBlob *blob) {
  if (sup_vec3d_dot(blob->up, blob->up) == 0) {
    return (Frame){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  }
  SupVec3d y = sup_vec3d_normalise(blob->up);
  SupVec3d z = sup_vec3d_normalise(
      sup_vec3d_sub(blob->front, sup_vec3d_scale(y, sup_vec3d_dot(blob->front, y))));
  return (Frame){sup_vec3d_cross(y, z), y, z};
}

static SupVec3d into(const Frame *frame, SupVec3d q) {
  return (SupVec3d){sup_vec3d_dot(frame->x, q), sup_vec3d_dot(frame->y, q),
                    sup_vec3d_dot(frame->z, q)};
}

static SupVec3d back(const Frame *frame, SupVec3d q) {
  return sup_vec3d_add(
      sup_vec3d_scale(frame->x, q.x),
      sup_vec3d_add(sup_vec3d_scale(frame->y, q.y), sup_vec3d_scale(frame->z, q.z)));
}

/* d = k (k - 1) / m with k = |q / r|, m = |q / r^2|: zero on the ellipsoid, slope 1 there. */
static SupSample ellipsoid_sample(const SupBlob *blob, SupVec3d p) {
  Frame frame = blob_frame(blob);
  SupVec3d q = into(&frame, sup_vec3d_sub(p, blob->a)), r = blob->r;
  SupVec3d n = {q.x / (r.x * r.x), q.y / (r.y * r.y), q.z / (r.z * r.z)};
  double k = sup_sqrt(q.x * n.x + q.y * n.y + q.z * n.z);
  double m = sup_vec3d_length(n);
  if (m < 1e-9) return (SupSample){-larger(r.x, larger(r.y, r.z)), {0, 1, 0}};
  double d = k * (k - 1) / m;
  double along = (2 * k - 1) / (k * m), across = d / (m * m);
  SupVec3d g = {n.x * (along - across / (r.x * r.x)), n.y * (along - across / (r.y * r.y)),
                n.z * (along - across / (r.z * r.z))};
  return (SupSample){d, back(&frame, g)};
}

/* The exact distance: the nearest sphere of the sweep has its centre where the cone's normal,
 * which leans by the difference of the radii, meets the axis. */
static SupSample cone_sample(const SupBlob *blob, SupVec3d p) {
  SupVec3d axis = sup_vec3d_sub(blob->b, blob->a), q = sup_vec3d_sub(p, blob->a);
  double full = sup_vec3d_length(axis);
  SupVec3d u = sup_vec3d_scale(axis, 1 / full);
  double lean = (blob->r.x - blob->r.y) / full;
  double y = sup_vec3d_dot(q, u);
  double rho = sup_vec3d_length(sup_vec3d_sub(q, sup_vec3d_scale(u, y)));
  double s = y - rho * lean / sup_sqrt(1 - lean * lean);
  s = s < 0 ? 0 : s > full ? full : s;
  SupVec3d away = sup_vec3d_sub(q, sup_vec3d_scale(u, s));
  double far = sup_vec3d_length(away);
  double radius = blob->r.x + (blob->r.y - blob->r.x) * (s / full);
  SupVec3d g = far > 1e-9 ? sup_vec3d_scale(away, 1 / far) : (SupVec3d){0, 1, 0};
  return (SupSample){far - radius, g};
}

static SupSample box_sample(const SupBlob *blob, SupVec3d p) {
  Frame frame = blob_frame(blob);
  SupVec3d q = into(&frame, sup_vec3d_sub(p, blob->a));
  SupVec3d c = {absolute(q.x) - blob->r.x + blob->round, absolute(q.y) - blob->r.y + blob->round,
                absolute(q.z) - blob->r.z + blob->round};
  SupVec3d sign = {q.x < 0 ? -1 : 1, q.y < 0 ? -1 : 1, q.z < 0 ? -1 : 1};
  SupVec3d o = {larger(c.x, 0), larger(c.y, 0), larger(c.z, 0)};
  double out = sup_vec3d_length(o);
  SupSample s;
  if (out > 0) {
    s.d = out - blob->round;
    s.g = sup_vec3d_scale((SupVec3d){o.x * sign.x, o.y * sign.y, o.z * sign.z}, 1 / out);
  } else {
    s.d = larger(c.x, larger(c.y, c.z)) - blob->round;
    s.g = (SupVec3d){c.x >= c.y && c.x >= c.z ? sign.x : 0, c.y > c.x && c.y >= c.z ? sign.y : 0,
                     c.z > c.x && c.z > c.y ? sign.z : 0};
  }
  s.g = back(&frame, s.g);
  return s;
}

SupSample sup_blob_sample(const SupBlob *blob, SupVec3d p) {
  switch (blob->kind) {
    case SUP_BLOB_ELLIPSOID: return ellipsoid_sample(blob, p);
    case SUP_BLOB_CONE: return cone_sample(blob, p);
    case SUP_BLOB_BOX: return box_sample(blob, p);
  }
  return (SupSample){0};
}

static SupSample melt(SupSample a, SupSample b, double k) {
  SupSample low = a.d < b.d ? a : b, high = a.d < b.d ? b : a;
  double h = k > 0 ? larger(k - (high.d - low.d), 0) / k : 0;
  return (SupSample){low.d - h * h * k / 4, sup_vec3d_add(sup_vec3d_scale(low.g, 1 - h / 2),
                                                          sup_vec3d_scale(high.g, h / 2))};
}

/* No point is nearer to the blob, by its own measure, than this. For an ellipsoid k >= |q| / max r
 * and k / m >= min r. */
static double blob_floor(const SupBlob *blob, SupVec3d p) {
  if (blob->mirrored && p.x * blob->a.x < 0) p.x = -p.x;
  SupVec3d r = blob->r;
  if (blob->kind == SUP_BLOB_CONE) {
    SupVec3d middle = sup_vec3d_scale(sup_vec3d_add(blob->a, blob->b), 0.5);
    return sup_vec3d_distance(p, middle) - sup_vec3d_distance(blob->b, middle) - larger(r.x, r.y);
  }
  double far = sup_vec3d_distance(p, blob->a);
  if (blob->kind == SUP_BLOB_BOX) return far - sup_vec3d_length(r);
  double least = r.x < r.y ? r.x : r.y;
  least = r.z < least ? r.z : least;
  return (far / larger(r.x, larger(r.y, r.z)) - 1) * least;
}

/* The blob and, where there is one, its mirror image. */
static SupSample pair_sample(const SupBlob *blob, SupVec3d p) {
  SupSample right = sup_blob_sample(blob, p);
  if (!blob->mirrored) return right;
  SupSample left = sup_blob_sample(blob, (SupVec3d){-p.x, p.y, p.z});
  left.g.x = -left.g.x;
  return melt(right, left, blob->blend);
}

SupSample sup_body_sample(const SupBody *body, SupVec3d p) {
  SupSample sum = pair_sample(&body->blobs[0], p);
  for (uint32_t i = 1; i < body->blob_count; i++) {
    /* Too far away to change anything; a pair melts by a quarter of its blend at most. */
    if (blob_floor(&body->blobs[i], p) > sum.d + 1.25 * body->blobs[i].blend) continue;
    sum = melt(sum, pair_sample(&body->blobs[i], p), body->blobs[i].blend);
  }
  return sum;
}

double sup_limb_distance(const SupBody *body, uint32_t limb, SupVec3d p) {
  bool first = true;
  SupSample sum = {1e9, {0, 0, 0}};
  for (uint32_t i = 0; i < body->blob_count; i++) {
    const SupBlob *blob = &body->blobs[i];
    if (blob->limb != limb) continue;
    SupSample s = body->limbs[limb].mirrored ? sup_blob_sample(blob, p) : pair_sample(blob, p);
    sum = first ? s : melt(sum, s, blob->blend);
    first = false;
  }
  return sum.d;
}

double sup_body_detail(const SupBody *body, SupVec3d p) {
  double scale = 1;
  for (uint32_t i = 0; i < body->detail_count; i++) {
    const SupDetail *detail = &body->details[i];
    SupVec3d away = sup_vec3d_sub(p, detail->centre);
    double square = sup_vec3d_dot(away, away), radius = detail->radius;
    if (square >= 4 * radius * radius) continue;
    double t = larger(sup_sqrt(square) / radius - 1, 0);
    double here = detail->scale + (1 - detail->scale) * t * t * (3 - 2 * t);
    scale = here < scale ? here : scale;
  }
  return scale;
}

void sup_body_box(const SupBody *body, SupVec3d *out_low, SupVec3d *out_high) {
  SupVec3d low = {1e9, 1e9, 1e9}, high = {-1e9, -1e9, -1e9};
  for (uint32_t i = 0; i < body->blob_count; i++) {
    const SupBlob *blob = &body->blobs[i];
    double pad = blob->blend + (blob->kind == SUP_BLOB_CONE
                                    ? larger(blob->r.x, blob->r.y)
                                    : larger(blob->r.x, larger(blob->r.y, blob->r.z)));
    for (uint32_t end = 0; end < (blob->kind == SUP_BLOB_CONE ? 2u : 1u); end++) {
      SupVec3d c = end ? blob->b : blob->a;
      for (uint32_t side = 0; side < (blob->mirrored ? 2u : 1u); side++) {
        double x = side ? -c.x : c.x;
        low = (SupVec3d){x - pad < low.x ? x - pad : low.x, c.y - pad < low.y ? c.y - pad : low.y,
                         c.z - pad < low.z ? c.z - pad : low.z};
        high = (SupVec3d){larger(high.x, x + pad), larger(high.y, c.y + pad),
                          larger(high.z, c.z + pad)};
      }
    }
  }
  *out_low = low;
  *out_high = high;
}

/* Gauss-Newton on f = 0 and, for an outline, g = 0: the shortest step that solves both
 * linearised equations. In the mirror plane the x components of the gradients are dropped. */
SupVec3d sup_body_project(const SupBody *body, SupPin pin, SupVec3d p) {
  if (pin.plane) p.x = 0;
  for (uint32_t i = 0; i < 12; i++) {
    SupSample f = sup_body_sample(body, p), g = {0};
    if (pin.region != SUP_NONE) g = sup_blob_sample(&body->regions[pin.region].shape, p);
    if (pin.plane) f.g.x = g.g.x = 0;
    double ff = sup_vec3d_dot(f.g, f.g), gg = sup_vec3d_dot(g.g, g.g), fg = sup_vec3d_dot(f.g, g.g);
    double det = ff * gg - fg * fg;
    SupVec3d step;
    if (det > 1e-6 * ff * gg) {
      double s = (gg * f.d - fg * g.d) / det, t = (ff * g.d - fg * f.d) / det;
      step = sup_vec3d_add(sup_vec3d_scale(f.g, s), sup_vec3d_scale(g.g, t));
    } else {
      step = sup_vec3d_scale(f.g, f.d / larger(ff, 1e-12));
    }
    p = sup_vec3d_sub(p, step);
    if (sup_vec3d_dot(step, step) < 1e-18) break;
  }
  return p;
}
