/* SPDX-License-Identifier: MIT */
/* Ramer, Douglas and Peucker's way: the worst sample of a stretch becomes a key until none is bad.
 */
#include "supple/author/keys.h"

typedef struct Curve {
  SupChannel channel;
  uint32_t width;
  const float *times, *values;
} Curve;

static SupQuatd quat_at(const Curve *curve, uint32_t key) {
  const float *v = curve->values + (size_t)4 * key;
  const SupQuatd q = {(double)v[0], (double)v[1], (double)v[2], (double)v[3]};
  return q;
}

/* How far sample k is from the straight way between keys a and b, squared; rotations: the angle. */
static double off(const Curve *curve, uint32_t a, uint32_t b, uint32_t k) {
  const double from = (double)curve->times[a], to = (double)curve->times[b];
  const double t = to > from ? ((double)curve->times[k] - from) / (to - from) : 0;
  if (curve->channel == SUP_CHANNEL_ROTATION) {
    const SupQuatd now = quat_at(curve, k);
    const SupQuatd guess = sup_quatd_slerp(quat_at(curve, a), quat_at(curve, b), t);
    const SupQuatd apart = sup_quatd_mul(sup_quatd_conjugate(guess), now);
    const double sine = sup_sqrt(apart.x * apart.x + apart.y * apart.y + apart.z * apart.z);
    const double angle = 2 * sup_atan2(sine, apart.w < 0 ? -apart.w : apart.w);
    return angle * angle;
  }
  double sum = 0;
  for (uint32_t c = 0; c < curve->width; c++) {
    const double va = (double)curve->values[(size_t)curve->width * a + c];
    const double vb = (double)curve->values[(size_t)curve->width * b + c];
    const double gap = (double)curve->values[(size_t)curve->width * k + c] - (va + t * (vb - va));
    sum += gap * gap;
  }
  return sum;
}

uint32_t sup_keys_reduce(SupChannel channel, uint32_t width, uint32_t count, const float *times,
                         const float *values, double tolerance, uint32_t *scratch,
                         uint32_t *out_kept) {
  const Curve curve = {channel, width, times, values};
  const double allowed = tolerance * tolerance;
  uint32_t kept = 0, ends = 0, a = 0;
  out_kept[kept++] = 0;
  if (count > 1) scratch[ends++] = count - 1; /* ends of the stretches still to look at */
  while (ends > 0) {
    const uint32_t b = scratch[ends - 1];
    uint32_t worst = a;
    double most = allowed;
    for (uint32_t k = a + 1; k < b; k++) {
      const double distance = off(&curve, a, b, k);
      if (distance > most) most = distance, worst = k;
    }
    if (worst != a) {
      scratch[ends++] = worst;
      continue;
    }
    out_kept[kept++] = a = b;
    ends--;
  }
  /* A curve that rests at its end holds its last key. */
  while (kept > 1 && off(&curve, out_kept[kept - 2], out_kept[kept - 2], out_kept[kept - 1]) == 0) {
    kept--;
  }
  return kept;
}
