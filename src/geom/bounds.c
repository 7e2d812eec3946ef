/* SPDX-License-Identifier: MIT */
#include "supple/geom/bounds.h"

static float least(float a, float b) { return b < a ? b : a; }
static float most(float a, float b) { return b > a ? b : a; }

SupBounds sup_bounds(const SupVec3 *positions, uint32_t count) {
  const float far = 3.402823466e38f;
  SupBounds bounds = {{far, far, far}, {-far, -far, -far}};
  for (uint32_t v = 0; v < count; v++) {
    SupVec3 p = positions[v];
    bounds.low =
        (SupVec3){least(bounds.low.x, p.x), least(bounds.low.y, p.y), least(bounds.low.z, p.z)};
    bounds.high =
        (SupVec3){most(bounds.high.x, p.x), most(bounds.high.y, p.y), most(bounds.high.z, p.z)};
  }
  return bounds;
}

float sup_bounds_diagonal(SupBounds bounds) {
  if (bounds.low.x > bounds.high.x) return 0;
  double x = (double)bounds.high.x - (double)bounds.low.x;
  double y = (double)bounds.high.y - (double)bounds.low.y;
  double z = (double)bounds.high.z - (double)bounds.low.z;
  return (float)sup_sqrt(x * x + y * y + z * z);
}
