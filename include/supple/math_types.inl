/* SPDX-License-Identifier: MIT */
/*
 * Vectors, quaternions, matrices, affine maps and rotations in one precision. math.h includes
 * this file twice; it is not for anyone else. Before each inclusion:
 *
 *   SUP_REAL             float or double            SUP_EPSILON   distance from 1 to the next
 *   SUP_TYPE(Vec3)       SupVec3 or SupVec3d
 *   SUP_FN(vec3, add)    sup_vec3_add or sup_vec3d_add
 *   SUP_SCALAR_FN(sqrt)  sup_sqrtf or sup_sqrt
 */

/* ---- Vectors -------------------------------------------------------------------------------- */

static inline SUP_TYPE(Vec3) SUP_FN(vec3, make)(SUP_REAL x, SUP_REAL y, SUP_REAL z) {
  SUP_TYPE(Vec3) r = {x, y, z};
  return r;
}

static inline SUP_TYPE(Vec3) SUP_FN(vec3, add)(SUP_TYPE(Vec3) a, SUP_TYPE(Vec3) b) {
  return SUP_FN(vec3, make)(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline SUP_TYPE(Vec3) SUP_FN(vec3, sub)(SUP_TYPE(Vec3) a, SUP_TYPE(Vec3) b) {
  return SUP_FN(vec3, make)(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline SUP_TYPE(Vec3) SUP_FN(vec3, scale)(SUP_TYPE(Vec3) a, SUP_REAL s) {
  return SUP_FN(vec3, make)(a.x * s, a.y * s, a.z * s);
}

/* a + b s. */
static inline SUP_TYPE(Vec3)
    SUP_FN(vec3, add_scaled)(SUP_TYPE(Vec3) a, SUP_TYPE(Vec3) b, SUP_REAL s) {
  return SUP_FN(vec3, make)(a.x + b.x * s, a.y + b.y * s, a.z + b.z * s);
}

/* Component by component. */
static inline SUP_TYPE(Vec3) SUP_FN(vec3, mul)(SUP_TYPE(Vec3) a, SUP_TYPE(Vec3) b) {
  return SUP_FN(vec3, make)(a.x * b.x, a.y * b.y, a.z * b.z);
}

static inline SUP_TYPE(Vec3) SUP_FN(vec3, negate)(SUP_TYPE(Vec3) a) {
  return SUP_FN(vec3, make)(-a.x, -a.y, -a.z);
}

static inline SUP_REAL SUP_FN(vec3, dot)(SUP_TYPE(Vec3) a, SUP_TYPE(Vec3) b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline SUP_TYPE(Vec3) SUP_FN(vec3, cross)(SUP_TYPE(Vec3) a, SUP_TYPE(Vec3) b) {
  return SUP_FN(vec3, make)(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline SUP_REAL SUP_FN(vec3, length)(SUP_TYPE(Vec3) a) {
  return SUP_SCALAR_FN(sqrt)(SUP_FN(vec3, dot)(a, a));
}

static inline SUP_REAL SUP_FN(vec3, distance)(SUP_TYPE(Vec3) a, SUP_TYPE(Vec3) b) {
  return SUP_FN(vec3, length)(SUP_FN(vec3, sub)(a, b));
}

/* a (1 - t) + b t: exactly a at t = 0 and b at t = 1. */
static inline SUP_TYPE(Vec3) SUP_FN(vec3, lerp)(SUP_TYPE(Vec3) a, SUP_TYPE(Vec3) b, SUP_REAL t) {
  return SUP_FN(vec3, add_scaled)(SUP_FN(vec3, scale)(a, 1 - t), b, t);
}

/* Unit length; the zero vector stays zero. Any finite vector, however long or short. */
SUP_TYPE(Vec3) SUP_FN(vec3, normalise)(SUP_TYPE(Vec3) a);

/* ---- Quaternions ---------------------------------------------------------------------------- */

static inline SUP_TYPE(Quat) SUP_FN(quat, make)(SUP_REAL x, SUP_REAL y, SUP_REAL z, SUP_REAL w) {
  SUP_TYPE(Quat) r = {x, y, z, w};
  return r;
}

static inline SUP_TYPE(Quat) SUP_FN(quat, identity)(void) { return SUP_FN(quat, make)(0, 0, 0, 1); }

/* First b, then a, as with matrices. */
static inline SUP_TYPE(Quat) SUP_FN(quat, mul)(SUP_TYPE(Quat) a, SUP_TYPE(Quat) b) {
  return SUP_FN(quat, make)(
      a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
      a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z);
}

/* The inverse of a unit quaternion. */
static inline SUP_TYPE(Quat) SUP_FN(quat, conjugate)(SUP_TYPE(Quat) a) {
  return SUP_FN(quat, make)(-a.x, -a.y, -a.z, a.w);
}

static inline SUP_REAL SUP_FN(quat, dot)(SUP_TYPE(Quat) a, SUP_TYPE(Quat) b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

/* The other sign of the same rotation. */
static inline SUP_TYPE(Quat) SUP_FN(quat, negate)(SUP_TYPE(Quat) a) {
  return SUP_FN(quat, make)(-a.x, -a.y, -a.z, -a.w);
}

/* Turns v by the unit quaternion q. */
static inline SUP_TYPE(Vec3) SUP_FN(quat, rotate)(SUP_TYPE(Quat) q, SUP_TYPE(Vec3) v) {
  SUP_TYPE(Vec3) axis = SUP_FN(vec3, make)(q.x, q.y, q.z);
  SUP_TYPE(Vec3) t = SUP_FN(vec3, scale)(SUP_FN(vec3, cross)(axis, v), 2);
  return SUP_FN(vec3, add)(SUP_FN(vec3, add_scaled)(v, t, q.w), SUP_FN(vec3, cross)(axis, t));
}

/* Unit length; zero becomes the identity. Any finite quaternion, however long or short. */
SUP_TYPE(Quat) SUP_FN(quat, normalise)(SUP_TYPE(Quat) a);

/* The rotation by `angle` about the unit vector `axis`. */
SUP_TYPE(Quat) SUP_FN(quat, from_axis_angle)(SUP_TYPE(Vec3) axis, SUP_REAL angle);

/* From a to b at even speed along the shorter arc, t in [0, 1]; unit quaternions. */
SUP_TYPE(Quat) SUP_FN(quat, slerp)(SUP_TYPE(Quat) a, SUP_TYPE(Quat) b, SUP_REAL t);

/* The exponential map: the rotation by |v| about v. */
SUP_TYPE(Quat) SUP_FN(quat, exp)(SUP_TYPE(Vec3) v);

/* Its inverse for a unit quaternion: the shortest v with exp(v) = +-q, |v| <= pi. */
SUP_TYPE(Vec3) SUP_FN(quat, log)(SUP_TYPE(Quat) q);

/* Of all v with exp(v) = +-q the nearest to `previous`: a curve of rotations sampled finely enough
 * (less than half a turn per sample) keeps a continuous logarithm past pi. */
SUP_TYPE(Vec3) SUP_FN(quat, log_near)(SUP_TYPE(Quat) q, SUP_TYPE(Vec3) previous);

/* ---- Matrices ------------------------------------------------------------------------------- */

static inline SUP_TYPE(Mat3) SUP_FN(mat3, identity)(void) {
  SUP_TYPE(Mat3) r = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};
  return r;
}

static inline SUP_TYPE(Vec3) SUP_FN(mat3, column)(SUP_TYPE(Mat3) a, int c) {
  return SUP_FN(vec3, make)(a.m[3 * c], a.m[3 * c + 1], a.m[3 * c + 2]);
}

static inline SUP_TYPE(Mat3)
    SUP_FN(mat3, from_columns)(SUP_TYPE(Vec3) c0, SUP_TYPE(Vec3) c1, SUP_TYPE(Vec3) c2) {
  SUP_TYPE(Mat3) r = {{c0.x, c0.y, c0.z, c1.x, c1.y, c1.z, c2.x, c2.y, c2.z}};
  return r;
}

static inline SUP_TYPE(Vec3) SUP_FN(mat3, mul_vec3)(SUP_TYPE(Mat3) a, SUP_TYPE(Vec3) v) {
  return SUP_FN(vec3, make)(a.m[0] * v.x + a.m[3] * v.y + a.m[6] * v.z,
                            a.m[1] * v.x + a.m[4] * v.y + a.m[7] * v.z,
                            a.m[2] * v.x + a.m[5] * v.y + a.m[8] * v.z);
}

static inline SUP_TYPE(Mat3) SUP_FN(mat3, mul)(SUP_TYPE(Mat3) a, SUP_TYPE(Mat3) b) {
  return SUP_FN(mat3, from_columns)(SUP_FN(mat3, mul_vec3)(a, SUP_FN(mat3, column)(b, 0)),
                                    SUP_FN(mat3, mul_vec3)(a, SUP_FN(mat3, column)(b, 1)),
                                    SUP_FN(mat3, mul_vec3)(a, SUP_FN(mat3, column)(b, 2)));
}

static inline SUP_TYPE(Mat3) SUP_FN(mat3, transpose)(SUP_TYPE(Mat3) a) {
  SUP_TYPE(Mat3)
  r = {{a.m[0], a.m[3], a.m[6], a.m[1], a.m[4], a.m[7], a.m[2], a.m[5], a.m[8]}};
  return r;
}

static inline SUP_REAL SUP_FN(mat3, determinant)(SUP_TYPE(Mat3) a) {
  return SUP_FN(vec3, dot)(
      SUP_FN(mat3, column)(a, 0),
      SUP_FN(vec3, cross)(SUP_FN(mat3, column)(a, 1), SUP_FN(mat3, column)(a, 2)));
}

/* The determinant must not be zero; then the result is not finite. */
static inline SUP_TYPE(Mat3) SUP_FN(mat3, inverse)(SUP_TYPE(Mat3) a) {
  SUP_TYPE(Vec3) c0 = SUP_FN(mat3, column)(a, 0);
  SUP_TYPE(Vec3) c1 = SUP_FN(mat3, column)(a, 1);
  SUP_TYPE(Vec3) c2 = SUP_FN(mat3, column)(a, 2);
  SUP_REAL s = 1 / SUP_FN(mat3, determinant)(a);
  SUP_TYPE(Vec3) r0 = SUP_FN(vec3, scale)(SUP_FN(vec3, cross)(c1, c2), s);
  SUP_TYPE(Vec3) r1 = SUP_FN(vec3, scale)(SUP_FN(vec3, cross)(c2, c0), s);
  SUP_TYPE(Vec3) r2 = SUP_FN(vec3, scale)(SUP_FN(vec3, cross)(c0, c1), s);
  return SUP_FN(mat3, transpose)(SUP_FN(mat3, from_columns)(r0, r1, r2));
}

/* The matrix of a unit quaternion. */
static inline SUP_TYPE(Mat3) SUP_FN(mat3, from_quat)(SUP_TYPE(Quat) q) {
  SUP_REAL x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
  SUP_REAL xx = q.x * x2, yy = q.y * y2, zz = q.z * z2;
  SUP_REAL xy = q.x * y2, xz = q.x * z2, yz = q.y * z2;
  SUP_REAL wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
  SUP_TYPE(Mat3)
  r = {{1 - (yy + zz), xy + wz, xz - wy, xy - wz, 1 - (xx + zz), yz + wx, xz + wy, yz - wx,
        1 - (xx + yy)}};
  return r;
}

/* The unit quaternion, w >= 0, of a rotation matrix (within rounding; otherwise see
 * sup_quat_fit). */
SUP_TYPE(Quat) SUP_FN(quat, from_mat3)(SUP_TYPE(Mat3) a);

/* Singular values and vectors (SupSvd says the signs), to a few units in the last place of the
 * greatest singular value. Any finite matrix, zero included. */
SUP_TYPE(Svd) SUP_FN(mat3, svd)(SUP_TYPE(Mat3) a);

/* The rotation R that maximises trace(R^T a): the best one that takes r_k to p_k when
 * a = sum p_k r_k^T, reflections never. Where the best is not unique (rank 0 or 1, or a reflection
 * with equal smaller singular values, within rounding), of the best the one nearest to the unit
 * quaternion `previous`; a zero matrix keeps `previous`. Any finite matrix. */
SUP_TYPE(Quat) SUP_FN(quat, fit)(SUP_TYPE(Mat3) a, SUP_TYPE(Quat) previous);

/* ---- Affine maps ---------------------------------------------------------------------------- */

static inline SUP_TYPE(Affine) SUP_FN(affine, identity)(void) {
  SUP_TYPE(Affine) r = {{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}};
  return r;
}

static inline SUP_TYPE(Vec3) SUP_FN(affine, translation)(SUP_TYPE(Affine) a) {
  return SUP_FN(vec3, make)(a.m[9], a.m[10], a.m[11]);
}

static inline SUP_TYPE(Mat3) SUP_FN(affine, linear)(SUP_TYPE(Affine) a) {
  SUP_TYPE(Mat3) r;
  for (int k = 0; k < 9; k++) r.m[k] = a.m[k];
  return r;
}

static inline SUP_TYPE(Affine)
    SUP_FN(affine, from_parts)(SUP_TYPE(Mat3) linear, SUP_TYPE(Vec3) translation) {
  SUP_TYPE(Affine) r;
  for (int k = 0; k < 9; k++) r.m[k] = linear.m[k];
  r.m[9] = translation.x;
  r.m[10] = translation.y;
  r.m[11] = translation.z;
  return r;
}

/* Without the translation. */
static inline SUP_TYPE(Vec3) SUP_FN(affine, direction)(SUP_TYPE(Affine) a, SUP_TYPE(Vec3) v) {
  return SUP_FN(vec3, make)(a.m[0] * v.x + a.m[3] * v.y + a.m[6] * v.z,
                            a.m[1] * v.x + a.m[4] * v.y + a.m[7] * v.z,
                            a.m[2] * v.x + a.m[5] * v.y + a.m[8] * v.z);
}

static inline SUP_TYPE(Vec3) SUP_FN(affine, point)(SUP_TYPE(Affine) a, SUP_TYPE(Vec3) p) {
  return SUP_FN(vec3, add)(SUP_FN(affine, direction)(a, p), SUP_FN(affine, translation)(a));
}

/* First b, then a. */
static inline SUP_TYPE(Affine) SUP_FN(affine, mul)(SUP_TYPE(Affine) a, SUP_TYPE(Affine) b) {
  return SUP_FN(affine, from_parts)(
      SUP_FN(mat3, mul)(SUP_FN(affine, linear)(a), SUP_FN(affine, linear)(b)),
      SUP_FN(affine, point)(a, SUP_FN(affine, translation)(b)));
}

/* The linear part must not be singular. */
static inline SUP_TYPE(Affine) SUP_FN(affine, inverse)(SUP_TYPE(Affine) a) {
  SUP_TYPE(Mat3) linear = SUP_FN(mat3, inverse)(SUP_FN(affine, linear)(a));
  SUP_TYPE(Vec3) back = SUP_FN(mat3, mul_vec3)(linear, SUP_FN(affine, translation)(a));
  return SUP_FN(affine, from_parts)(linear, SUP_FN(vec3, negate)(back));
}

static inline SUP_TYPE(Transform) SUP_FN(transform, identity)(void) {
  SUP_TYPE(Transform) r = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
  return r;
}

static inline SUP_TYPE(Affine) SUP_FN(affine, compose)(SUP_TYPE(Transform) t) {
  SUP_TYPE(Mat3) r = SUP_FN(mat3, from_quat)(t.rotation);
  SUP_TYPE(Vec3) c0 = SUP_FN(vec3, scale)(SUP_FN(mat3, column)(r, 0), t.scale.x);
  SUP_TYPE(Vec3) c1 = SUP_FN(vec3, scale)(SUP_FN(mat3, column)(r, 1), t.scale.y);
  SUP_TYPE(Vec3) c2 = SUP_FN(vec3, scale)(SUP_FN(mat3, column)(r, 2), t.scale.z);
  return SUP_FN(affine, from_parts)(SUP_FN(mat3, from_columns)(c0, c1, c2), t.translation);
}

/* The translation, rotation and scale of a map. Where the map has no shear, composing gives it
 * back; a map that reflects gets a negative scale.x. With shear, scale holds the lengths of the
 * columns and rotation is the best fit to their directions. */
SUP_TYPE(Transform) SUP_FN(affine, decompose)(SUP_TYPE(Affine) a);

#undef SUP_REAL
#undef SUP_EPSILON
#undef SUP_TYPE
#undef SUP_FN
#undef SUP_SCALAR_FN
