/* SPDX-License-Identifier: MIT */
/*
 * Rotations in one precision: normalising, slerp, exponential map and logarithm, 3x3 singular
 * values, the best rotation for a matrix, decomposing affine maps. rotation_float.c and
 * rotation_double.c include this file; the contracts are in supple/math_types.inl.
 *
 * Singular values: one-sided Jacobi (Hestenes 1958): rotations from the right make the columns of
 * the matrix orthogonal; their lengths are the singular values. Accurate for small ones too.
 * Rotation fit: B. Horn, "Closed-form solution of absolute orientation using unit quaternions",
 * 1987: trace(R^T A) = q^T K(A) q, so the answer is the eigenvector of the largest eigenvalue of
 * a symmetric 4x4 matrix, here by cyclic Jacobi. Departure: where that eigenvalue is multiple, the
 * previous rotation is projected onto the eigenspace, which gives the nearest of the best.
 */

/* More than enough: Jacobi converges quadratically, 3x3 and 4x4 need 4 to 6. */
#define MAX_SWEEPS 12

static inline SUP_REAL absolute(SUP_REAL x) { return x < 0 ? -x : x; }

/* The greatest |value|; 0 for none. */
static SUP_REAL greatest(const SUP_REAL *values, int count) {
  SUP_REAL most = 0;
  for (int k = 0; k < count; k++) {
    if (absolute(values[k]) > most) most = absolute(values[k]);
  }
  return most;
}

/* ---- Unit length ---------------------------------------------------------------------------- */

/* Squares of what lies between these neither overflow nor lose digits below the normal numbers. */
#define SAFE_SMALL ((SUP_REAL)0x1p-40)
#define SAFE_LARGE ((SUP_REAL)0x1p+40)

SUP_TYPE(Vec3) SUP_FN(vec3, normalise)(SUP_TYPE(Vec3) a) {
  const SUP_REAL values[3] = {a.x, a.y, a.z};
  const SUP_REAL most = greatest(values, 3);
  if (!(most > 0)) return SUP_FN(vec3, make)(0, 0, 0);
  if (most < SAFE_SMALL || most > SAFE_LARGE) {
    a = SUP_FN(vec3, make)(a.x / most, a.y / most, a.z / most);
  }
  const SUP_REAL length = SUP_FN(vec3, length)(a);
  return SUP_FN(vec3, make)(a.x / length, a.y / length, a.z / length);
}

SUP_TYPE(Quat) SUP_FN(quat, normalise)(SUP_TYPE(Quat) a) {
  const SUP_REAL values[4] = {a.x, a.y, a.z, a.w};
  const SUP_REAL most = greatest(values, 4);
  if (!(most > 0)) return SUP_FN(quat, identity)();
  if (most < SAFE_SMALL || most > SAFE_LARGE) {
    a = SUP_FN(quat, make)(a.x / most, a.y / most, a.z / most, a.w / most);
  }
  const SUP_REAL length = SUP_SCALAR_FN(sqrt)(SUP_FN(quat, dot)(a, a));
  return SUP_FN(quat, make)(a.x / length, a.y / length, a.z / length, a.w / length);
}

/* ---- Quaternions and angles ----------------------------------------------------------------- */

SUP_TYPE(Quat) SUP_FN(quat, from_axis_angle)(SUP_TYPE(Vec3) axis, SUP_REAL angle) {
  SUP_REAL s, c;
  SUP_SCALAR_FN(sincos)((SUP_REAL)0.5 * angle, &s, &c);
  return SUP_FN(quat, make)(axis.x * s, axis.y * s, axis.z * s, c);
}

SUP_TYPE(Quat) SUP_FN(quat, slerp)(SUP_TYPE(Quat) a, SUP_TYPE(Quat) b, SUP_REAL t) {
  if (SUP_FN(quat, dot)(a, b) < 0) b = SUP_FN(quat, negate)(b);
  const SUP_TYPE(Quat) d = {b.x - a.x, b.y - a.y, b.z - a.z, b.w - a.w};
  const SUP_TYPE(Quat) s = {b.x + a.x, b.y + a.y, b.z + a.z, b.w + a.w};
  /* Half the angle between them, accurate also where it is small, unlike acos of the product. */
  const SUP_REAL half = SUP_SCALAR_FN(atan2)(SUP_SCALAR_FN(sqrt)(SUP_FN(quat, dot)(d, d)),
                                             SUP_SCALAR_FN(sqrt)(SUP_FN(quat, dot)(s, s)));
  SUP_REAL from = 1 - t, to = t;
  if (half * half > SUP_EPSILON) { /* below, the arc is straight within rounding */
    const SUP_REAL whole = SUP_SCALAR_FN(sin)(half + half);
    from = SUP_SCALAR_FN(sin)((half + half) * (1 - t)) / whole;
    to = SUP_SCALAR_FN(sin)((half + half) * t) / whole;
  }
  const SUP_TYPE(Quat) r = {a.x * from + b.x * to, a.y * from + b.y * to, a.z * from + b.z * to,
                            a.w * from + b.w * to};
  return SUP_FN(quat, normalise)(r);
}

SUP_TYPE(Quat) SUP_FN(quat, exp)(SUP_TYPE(Vec3) v) {
  const SUP_REAL square = SUP_FN(vec3, dot)(v, v);
  SUP_REAL factor, c; /* factor = sin(|v| / 2) / |v| */
  if (square < (SUP_REAL)1e-4) {
    /* The next terms of the two series, |v|^6 / 645120 and |v|^6 / 46080, are below rounding for
     * float, and |v|^8 is for double. */
    factor =
        (SUP_REAL)0.5 - square / 48 + square * square / 3840 - square * square * square / 645120;
    c = 1 - square / 8 + square * square / 384 - square * square * square / 46080;
  } else {
    const SUP_REAL angle = SUP_FN(vec3, length)(v);
    SUP_REAL s;
    SUP_SCALAR_FN(sincos)((SUP_REAL)0.5 * angle, &s, &c);
    factor = s / angle;
  }
  return SUP_FN(quat, make)(v.x * factor, v.y * factor, v.z * factor, c);
}

SUP_TYPE(Vec3) SUP_FN(quat, log)(SUP_TYPE(Quat) q) {
  if (q.w < 0) q = SUP_FN(quat, negate)(q);
  const SUP_TYPE(Vec3) v = {q.x, q.y, q.z};
  const SUP_REAL square = SUP_FN(vec3, dot)(v, v);
  SUP_REAL factor; /* angle / |v| */
  if (square < (SUP_REAL)1e-6) {
    /* 2 atan(u) / u with u = |v| / w, and w^2 = 1 - |v|^2. */
    const SUP_REAL u = square / (q.w * q.w);
    factor = 2 / q.w * (1 - u / 3 + u * u / 5);
  } else {
    const SUP_REAL length = SUP_SCALAR_FN(sqrt)(square);
    factor = 2 * SUP_SCALAR_FN(atan2)(length, q.w) / length;
  }
  return SUP_FN(vec3, scale)(v, factor);
}

SUP_TYPE(Vec3) SUP_FN(quat, log_near)(SUP_TYPE(Quat) q, SUP_TYPE(Vec3) previous) {
  const SUP_TYPE(Vec3) shortest = SUP_FN(quat, log)(q);
  const SUP_REAL angle = SUP_FN(vec3, length)(shortest);
  const SUP_REAL turn = (SUP_REAL)(2 * SUP_PI);
  /* All logarithms are (angle + k turn) axis; those of the identity have any axis, so they take
   * the previous one. */
  SUP_TYPE(Vec3) axis = SUP_FN(vec3, normalise)(angle > 0 ? shortest : previous);
  const SUP_REAL k = (SUP_FN(vec3, dot)(previous, axis) - angle) / turn;
  const SUP_REAL limit = (SUP_REAL)0.25 / SUP_EPSILON; /* beyond, a turn is below rounding */
  if (!(absolute(k) > (SUP_REAL)0.5 && absolute(k) < limit)) return shortest;
  const SUP_REAL whole = (SUP_REAL)(int64_t)(k < 0 ? k - (SUP_REAL)0.5 : k + (SUP_REAL)0.5);
  return SUP_FN(vec3, add_scaled)(shortest, axis, whole * turn);
}

/* Shepperd 1978: of the four ways to begin, the one that divides by the greatest number. */
SUP_TYPE(Quat) SUP_FN(quat, from_mat3)(SUP_TYPE(Mat3) a) {
  const SUP_REAL *m = a.m;
  const SUP_REAL trace = m[0] + m[4] + m[8];
  SUP_TYPE(Quat) q;
  if (trace > m[0] && trace > m[4] && trace > m[8]) {
    q = SUP_FN(quat, make)(m[5] - m[7], m[6] - m[2], m[1] - m[3], 1 + trace);
  } else if (m[0] >= m[4] && m[0] >= m[8]) {
    q = SUP_FN(quat, make)(1 + m[0] - m[4] - m[8], m[1] + m[3], m[6] + m[2], m[5] - m[7]);
  } else if (m[4] >= m[8]) {
    q = SUP_FN(quat, make)(m[1] + m[3], 1 + m[4] - m[0] - m[8], m[5] + m[7], m[6] - m[2]);
  } else {
    q = SUP_FN(quat, make)(m[6] + m[2], m[5] + m[7], 1 + m[8] - m[0] - m[4], m[1] - m[3]);
  }
  q = SUP_FN(quat, normalise)(q);
  return q.w < 0 ? SUP_FN(quat, negate)(q) : q;
}

/* ---- Singular values ------------------------------------------------------------------------ */

/* The tangent of the angle that a Jacobi rotation needs: theta = cot(2 angle), the smaller root. */
static SUP_REAL jacobi_tangent(SUP_REAL theta) {
  const SUP_REAL size = absolute(theta);
  /* Above this the square is all there is under the root, and might overflow. */
  const SUP_REAL root = size < SAFE_LARGE ? SUP_SCALAR_FN(sqrt)(1 + size * size) : size;
  const SUP_REAL t = 1 / (size + root);
  return theta < 0 ? -t : t;
}

/* Columns p and q of both matrices: (p, q) <- (c p - s q, s p + c q). */
static void turn_columns(SUP_TYPE(Mat3) * m, int p, int q, SUP_REAL c, SUP_REAL s) {
  for (int r = 0; r < 3; r++) {
    const SUP_REAL x = m->m[3 * p + r], y = m->m[3 * q + r];
    m->m[3 * p + r] = c * x - s * y;
    m->m[3 * q + r] = s * x + c * y;
  }
}

/* Makes columns p and q of b orthogonal; true if they were not. */
static bool orthogonalise(SUP_TYPE(Mat3) * b, SUP_TYPE(Mat3) * v, int p, int q) {
  const SUP_TYPE(Vec3) x = SUP_FN(mat3, column)(*b, p), y = SUP_FN(mat3, column)(*b, q);
  const SUP_REAL xx = SUP_FN(vec3, dot)(x, x), yy = SUP_FN(vec3, dot)(y, y);
  const SUP_REAL xy = SUP_FN(vec3, dot)(x, y);
  if (absolute(xy) <= SUP_EPSILON * SUP_SCALAR_FN(sqrt)(xx) * SUP_SCALAR_FN(sqrt)(yy)) return false;
  const SUP_REAL t = jacobi_tangent((yy - xx) / (2 * xy));
  const SUP_REAL c = 1 / SUP_SCALAR_FN(sqrt)(1 + t * t), s = c * t;
  turn_columns(b, p, q, c, s);
  turn_columns(v, p, q, c, s);
  return true;
}

/* Any unit vector at a right angle to the unit vector a. */
static SUP_TYPE(Vec3) perpendicular(SUP_TYPE(Vec3) a) {
  const SUP_REAL x = absolute(a.x), y = absolute(a.y), z = absolute(a.z);
  const SUP_TYPE(Vec3)
      other = {x <= y && x <= z, !(x <= y && x <= z) && y <= z, !(x <= y && x <= z) && !(y <= z)};
  return SUP_FN(vec3, normalise)(SUP_FN(vec3, cross)(a, other));
}

/* Columns by falling length; every exchange is a quarter turn, so v stays a rotation. */
static void sort_columns(SUP_TYPE(Mat3) * b, SUP_TYPE(Mat3) * v) {
  for (int pass = 0; pass < 2; pass++) {
    for (int c = 0; c < 2 - pass; c++) {
      const SUP_TYPE(Vec3) x = SUP_FN(mat3, column)(*b, c), y = SUP_FN(mat3, column)(*b, c + 1);
      if (SUP_FN(vec3, dot)(x, x) < SUP_FN(vec3, dot)(y, y)) {
        turn_columns(b, c, c + 1, 0, -1);
        turn_columns(v, c, c + 1, 0, -1);
      }
    }
  }
}

SUP_TYPE(Svd) SUP_FN(mat3, svd)(SUP_TYPE(Mat3) a) {
  SUP_TYPE(Svd) svd = {SUP_FN(mat3, identity)(), SUP_FN(mat3, identity)(), {0, 0, 0}};
  const SUP_REAL scale = greatest(a.m, 9);
  if (!(scale > 0)) return svd;
  SUP_TYPE(Mat3) b;
  for (int k = 0; k < 9; k++) b.m[k] = a.m[k] / scale;
  bool turning = true;
  for (int sweep = 0; sweep < MAX_SWEEPS && turning; sweep++) {
    turning = orthogonalise(&b, &svd.v, 0, 1);
    turning = orthogonalise(&b, &svd.v, 0, 2) || turning;
    turning = orthogonalise(&b, &svd.v, 1, 2) || turning;
  }
  sort_columns(&b, &svd.v);

  /* The third column follows from the other two, which leaves its sign to the singular value. */
  const SUP_TYPE(Vec3) b0 = SUP_FN(mat3, column)(b, 0), b1 = SUP_FN(mat3, column)(b, 1);
  const SUP_TYPE(Vec3) u0 = SUP_FN(vec3, normalise)(b0);
  const SUP_REAL s0 = SUP_FN(vec3, length)(b0), s1 = SUP_FN(vec3, length)(b1);
  SUP_TYPE(Vec3) u1 = SUP_FN(vec3, add_scaled)(b1, u0, -SUP_FN(vec3, dot)(u0, b1));
  u1 = s1 > SUP_EPSILON * s0 ? SUP_FN(vec3, normalise)(u1) : perpendicular(u0);
  const SUP_TYPE(Vec3) u2 = SUP_FN(vec3, cross)(u0, u1);
  svd.u = SUP_FN(mat3, from_columns)(u0, u1, u2);
  svd.s.x = s0 * scale;
  svd.s.y = s1 * scale;
  svd.s.z = SUP_FN(vec3, dot)(u2, SUP_FN(mat3, column)(b, 2)) * scale;
  return svd;
}

/* ---- Rotation fit --------------------------------------------------------------------------- */

/* One Jacobi rotation on rows and columns p, q of the symmetric k; e collects the vectors. */
static void jacobi_rotate(SUP_REAL k[4][4], SUP_REAL e[4][4], int p, int q) {
  if (k[p][q] == 0) return;
  const SUP_REAL t = jacobi_tangent((k[q][q] - k[p][p]) / (2 * k[p][q]));
  const SUP_REAL c = 1 / SUP_SCALAR_FN(sqrt)(1 + t * t), s = c * t;
  for (int r = 0; r < 4; r++) {
    const SUP_REAL x = k[r][p], y = k[r][q];
    k[r][p] = c * x - s * y;
    k[r][q] = s * x + c * y;
  }
  for (int r = 0; r < 4; r++) {
    const SUP_REAL x = k[p][r], y = k[q][r];
    k[p][r] = c * x - s * y;
    k[q][r] = s * x + c * y;
  }
  for (int r = 0; r < 4; r++) {
    const SUP_REAL x = e[r][p], y = e[r][q];
    e[r][p] = c * x - s * y;
    e[r][q] = s * x + c * y;
  }
  k[p][q] = k[q][p] = 0;
}

/* Eigenvalues on the diagonal of k, eigenvectors in the columns of e. */
static void eigen_symmetric_4(SUP_REAL k[4][4], SUP_REAL e[4][4]) {
  for (int r = 0; r < 4; r++) {
    for (int c = 0; c < 4; c++) e[r][c] = r == c;
  }
  for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    SUP_REAL off = 0;
    for (int p = 0; p < 3; p++) {
      for (int q = p + 1; q < 4; q++) {
        off = absolute(k[p][q]) > off ? absolute(k[p][q]) : off;
      }
    }
    if (off < SUP_EPSILON * SUP_EPSILON) break; /* entries are of order 1 */
    for (int p = 0; p < 3; p++) {
      for (int q = p + 1; q < 4; q++) jacobi_rotate(k, e, p, q);
    }
  }
}

SUP_TYPE(Quat) SUP_FN(quat, fit)(SUP_TYPE(Mat3) a, SUP_TYPE(Quat) previous) {
  const SUP_REAL scale = greatest(a.m, 9);
  if (!(scale > 0)) return previous;
  SUP_REAL m[9], k[4][4], e[4][4];
  for (int i = 0; i < 9; i++) m[i] = a.m[i] / scale;
  const SUP_REAL matrix[4][4] = {{m[0] - m[4] - m[8], m[1] + m[3], m[6] + m[2], m[5] - m[7]},
                                 {m[1] + m[3], m[4] - m[0] - m[8], m[5] + m[7], m[6] - m[2]},
                                 {m[6] + m[2], m[5] + m[7], m[8] - m[0] - m[4], m[1] - m[3]},
                                 {m[5] - m[7], m[6] - m[2], m[1] - m[3], m[0] + m[4] + m[8]}};
  for (int r = 0; r < 4; r++) {
    for (int c = 0; c < 4; c++) k[r][c] = matrix[r][c];
  }
  eigen_symmetric_4(k, e);

  int top = 0;
  for (int c = 1; c < 4; c++) top = k[c][c] > k[top][top] ? c : top;
  /* The part of `previous` in the space of the best; alone there, the eigenvector itself. */
  const SUP_REAL old[4] = {previous.x, previous.y, previous.z, previous.w};
  SUP_REAL part[4] = {0, 0, 0, 0}, size = 0;
  int best_count = 0;
  for (int c = 0; c < 4; c++) {
    if (k[c][c] < k[top][top] - 64 * SUP_EPSILON) continue;
    const SUP_REAL along =
        old[0] * e[0][c] + old[1] * e[1][c] + old[2] * e[2][c] + old[3] * e[3][c];
    for (int r = 0; r < 4; r++) part[r] += along * e[r][c];
    size += along * along;
    best_count++;
  }
  if (best_count == 1 || !(size > SUP_EPSILON)) {
    for (int r = 0; r < 4; r++) part[r] = e[r][top];
  }
  SUP_TYPE(Quat)
  q = SUP_FN(quat, normalise)(SUP_FN(quat, make)(part[0], part[1], part[2], part[3]));
  return SUP_FN(quat, dot)(q, previous) < 0 ? SUP_FN(quat, negate)(q) : q;
}

/* ---- Affine maps ---------------------------------------------------------------------------- */

SUP_TYPE(Transform) SUP_FN(affine, decompose)(SUP_TYPE(Affine) a) {
  const SUP_TYPE(Mat3) linear = SUP_FN(affine, linear)(a);
  SUP_TYPE(Vec3) columns[3];
  SUP_REAL lengths[3];
  for (int c = 0; c < 3; c++) {
    const SUP_TYPE(Vec3) column = SUP_FN(mat3, column)(linear, c);
    columns[c] = SUP_FN(vec3, normalise)(column);
    lengths[c] = SUP_FN(vec3, dot)(columns[c], column);
  }
  SUP_TYPE(Mat3) axes = SUP_FN(mat3, from_columns)(columns[0], columns[1], columns[2]);
  if (SUP_FN(mat3, determinant)(axes) < 0) {
    lengths[0] = -lengths[0];
    axes = SUP_FN(mat3, from_columns)(SUP_FN(vec3, negate)(columns[0]), columns[1], columns[2]);
  }
  SUP_TYPE(Transform) t;
  t.translation = SUP_FN(affine, translation)(a);
  t.scale = SUP_FN(vec3, make)(lengths[0], lengths[1], lengths[2]);
  /* Without shear the axes are a rotation already, and reading it off keeps more digits. */
  const SUP_TYPE(Quat) read = SUP_FN(quat, from_mat3)(axes);
  const SUP_TYPE(Mat3) again = SUP_FN(mat3, from_quat)(read);
  SUP_REAL difference = 0;
  for (int k = 0; k < 9; k++) {
    const SUP_REAL d = absolute(again.m[k] - axes.m[k]);
    difference = d > difference ? d : difference;
  }
  t.rotation =
      difference < 16 * SUP_EPSILON ? read : SUP_FN(quat, fit)(axes, SUP_FN(quat, identity)());
  return t;
}

#undef MAX_SWEEPS
#undef SAFE_SMALL
#undef SAFE_LARGE
