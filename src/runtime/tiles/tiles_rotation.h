/* SPDX-License-Identifier: MIT */
/* The best rotation for a matrix, warm-started, in the language of tiles_body.h, which includes it.
 * math/rotation_fit.h has the reasons. */

BEGIN_STRUCT(Sym3)
float m00, m11, m22, m01, m02, m12;
END_STRUCT(Sym3)

BEGIN_STRUCT(Mat)
vec3 x, y, z; /* columns */
END_STRUCT(Mat)

BEGIN_STRUCT(FitModel)
Sym3 h;
vec3 g;
float size;
END_STRUCT(FitModel)

BEGIN_STRUCT(FitStep)
vec4 q;
bool good;
END_STRUCT(FitStep)

FUN Sym3 sym_adjugate(Sym3 a) {
  Sym3 c;
  c.m00 = a.m11 * a.m22 - a.m12 * a.m12;
  c.m01 = a.m02 * a.m12 - a.m01 * a.m22;
  c.m02 = a.m01 * a.m12 - a.m02 * a.m11;
  c.m11 = a.m00 * a.m22 - a.m02 * a.m02;
  c.m12 = a.m01 * a.m02 - a.m00 * a.m12;
  c.m22 = a.m00 * a.m11 - a.m01 * a.m01;
  return c;
}

FUN float sym_determinant(Sym3 a, Sym3 c) { return a.m00 * c.m00 + a.m01 * c.m01 + a.m02 * c.m02; }

FUN vec3 sym_mul(Sym3 a, vec3 v) {
  return V3(a.m00 * v.x + a.m01 * v.y + a.m02 * v.z, a.m01 * v.x + a.m11 * v.y + a.m12 * v.z,
            a.m02 * v.x + a.m12 * v.y + a.m22 * v.z);
}

FUN Sym3 sym_shift(Sym3 a, float s) {
  a.m00 = a.m00 + s;
  a.m11 = a.m11 + s;
  a.m22 = a.m22 + s;
  return a;
}

FUN FitModel fit_expand(Mat b, float size, vec4 q) {
  float x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
  float xx = q.x * x2, yy = q.y * y2, zz = q.z * z2;
  float xy = q.x * y2, xz = q.x * z2, yz = q.y * z2;
  float wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
  float one = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w; /* nearly: q was rounded */
  vec3 r0 = V3(one - (yy + zz), xy + wz, xz - wy);
  vec3 r1 = V3(xy - wz, one - (xx + zz), yz + wx);
  vec3 r2 = V3(xz + wy, yz - wx, one - (xx + yy));
  float s00 = dot3(r0, b.x), s01 = dot3(r0, b.y), s02 = dot3(r0, b.z);
  float s10 = dot3(r1, b.x), s11 = dot3(r1, b.y), s12 = dot3(r1, b.z);
  float s20 = dot3(r2, b.x), s21 = dot3(r2, b.y), s22 = dot3(r2, b.z);
  FitModel m;
  m.h.m00 = s11 + s22;
  m.h.m11 = s00 + s22;
  m.h.m22 = s00 + s11;
  m.h.m01 = -0.5f * (s01 + s10);
  m.h.m02 = -0.5f * (s02 + s20);
  m.h.m12 = -0.5f * (s12 + s21);
  m.g = V3(s21 - s12, s02 - s20, s10 - s01);
  m.size = size;
  return m;
}

FUN FitStep fit_newton(FitModel m) {
  Sym3 c = sym_adjugate(m.h);
  float det = sym_determinant(m.h, c);
  float trace = 0.5f * (m.h.m00 + m.h.m11 + m.h.m22);
  bool good = 0.015625f * m.size < trace && 0.0f < m.h.m00 && 0.0f < c.m22 &&
              2.44140625e-4f * trace * trace * trace < det;
  float scale = 0.5f * one_over(good ? det : 1.0f);
  vec3 d = scale3(sym_mul(c, m.g), scale);
  FitStep step;
  step.q = V4(d.x, d.y, d.z, 1.0f);
  step.good = good && dot3(d, d) <= 1.0f;
  return step;
}

FUN float fit_least_eigenvalue(Sym3 h) {
  float mean = (h.m00 + h.m11 + h.m22) * (1.0f / 3.0f);
  Sym3 k = sym_shift(h, -mean);
  float squares = 0.5f * (k.m00 * k.m00 + k.m11 * k.m11 + k.m22 * k.m22) +
                  (k.m01 * k.m01 + k.m02 * k.m02 + k.m12 * k.m12);
  float det = sym_determinant(k, sym_adjugate(k));
  float x = -2.0f * root(squares * (1.0f / 3.0f));
  for (int i = 0; i < 6; i++) {
    float value = (x * x - squares) * x - det;
    float slope = larger(3.0f * x * x - squares, 7.8886091e-31f);
    x = x - smaller(value, 0.0f) / slope;
  }
  return mean + x;
}

FUN vec4 fit_climb(FitModel m) {
  float least = fit_least_eigenvalue(m.h);
  Sym3 c = sym_adjugate(sym_shift(m.h, -least));
  vec3 n;
  if (c.m11 <= c.m00 && c.m22 <= c.m00) {
    n = V3(c.m00, c.m01, c.m02);
  } else if (c.m22 <= c.m11) {
    n = V3(c.m01, c.m11, c.m12);
  } else {
    n = V3(c.m02, c.m12, c.m22);
  }
  float length_n = root(dot3(n, n));
  if (length_n > 0.0f) {
    n = scale3(n, one_over(length_n));
  } else {
    n = V3(1.0f, 0.0f, 0.0f);
  }
  float curvature = dot3(n, sym_mul(m.h, n)), along = dot3(n, m.g);
  if (curvature < -4.8828125e-4f * m.size && dot3(m.g, m.g) < curvature * curvature) {
    float sine = root(curvature * curvature + along * along) - curvature;
    return V4(n.x * sine, n.y * sine, n.z * sine, along);
  }
  Sym3 h = sym_shift(m.h, larger(-least, 0.0f) + 0.015625f * m.size);
  Sym3 a = sym_adjugate(h);
  float det = larger(sym_determinant(h, a), 7.5231638e-37f);
  vec3 d = scale3(sym_mul(a, m.g), 0.5f * one_over(det));
  return V4(d.x, d.y, d.z, 1.0f);
}

FUN vec4 fit_turn(vec4 q, vec4 s) {
  vec4 r = V4(
      q.w * s.x + q.x * s.w + q.y * s.z - q.z * s.y, q.w * s.y - q.x * s.z + q.y * s.w + q.z * s.x,
      q.w * s.z + q.x * s.y - q.y * s.x + q.z * s.w, q.w * s.w - q.x * s.x - q.y * s.y - q.z * s.z);
  float square = r.x * r.x + r.y * r.y + r.z * r.z + r.w * r.w;
  if (!(7.8886091e-31f < square && square < 1.2676506e30f)) return q;
  float scale = inverse_root(square);
  return V4(r.x * scale, r.y * scale, r.z * scale, r.w * scale);
}

FUN float largest_element(Mat a) {
  vec3 m = larger3(larger3(abs3(a.x), abs3(a.y)), abs3(a.z));
  return larger(larger(m.x, m.y), m.z);
}

FUN vec4 unit_rotation(vec4 q) {
  float square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
  if (!(square > 1e-6f)) return V4(0.0f, 0.0f, 0.0f, 1.0f);
  float scale = inverse_root(square);
  return V4(q.x * scale, q.y * scale, q.z * scale, q.w * scale);
}

FUN_RARE vec4 fit_rotation(Mat a, uint iterations, vec4 q) {
  float most = largest_element(a);
  if (!(most > 0.0f)) return unit_rotation(q);
  uint exponent = as_uint(most) >> 23; /* the greatest element goes to [1, 4) */
  float factor = as_float((254u - smaller_uint(exponent, 253u)) << 23);
  Mat b;
  b.x = scale3(a.x, factor);
  b.y = scale3(a.y, factor);
  b.z = scale3(a.z, factor);
  for (uint k = 0u; k < iterations; k++) {
    FitModel m = fit_expand(b, most * factor, q);
    FitStep step = fit_newton(m);
    q = fit_turn(q, step.good ? step.q : fit_climb(m));
  }
  return q;
}

/* One step; nearly always the plain Newton step is good and the scale of A does not matter. */
FUN vec4 fit_rotation_once(Mat a, vec4 q) {
  FitModel m = fit_expand(a, 0.0f, q);
  float trace = 0.5f * (m.h.m00 + m.h.m11 + m.h.m22);
  FitStep step = fit_newton(m);
  if (step.good && 1.4551915e-11f < trace && trace < 6.871948e10f) return fit_turn(q, step.q);
  return fit_rotation(a, 1u, q);
}
