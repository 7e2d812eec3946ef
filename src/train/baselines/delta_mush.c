/* SPDX-License-Identifier: MIT */
/*
 * Direct delta mush (B. H. Le, J. P. Lewis 2019). With u = (rest place, 1), L the cotangent
 * Laplacian and D its diagonal:
 *
 *   B = (I + lambda L D^-1)^-p, C the same with kappa     `smooth`: rows of B^T and C^T
 *   Psi_ij = sum_k B_ki w_kj u_k u_k^T                    `smooth_bone`
 *   w'_ij = sum_k C_ki w_kj                               the same
 *   p_i = the last column of sum_j Psi_ij                 `centre_of`
 *   Omega_ij = (1 - alpha) Psi_ij + alpha w'_ij [p p^T, p; p^T, 1]   `add_entry`
 *   [Q q; p^T 1] = sum_j M_j Omega_ij                     `gather`
 *   Q - q p^T = U S V^T, R = U V^T, v_i = R u_i + q - R p `sup_delta_mush_show`
 *
 * B^T x = ((D + lambda L)^-1 D)^p x, so that one Cholesky factor does it. Matrices are kept about
 * the vertex's own place: what is subtracted in Q - q p^T is then small, and floats are enough.
 */
#include "base/scratch.h"
#include "numerics/sparse.h"
#include "supple/geom/laplacian.h"
#include "supple/train/baselines.h"

#define COOKIE 0x44444d31u
#define FIELDS 11 /* of a bone: ten of the matrix, and w' */

SupDeltaMushDef sup_delta_mush_def(const SupCharacter *character) {
  return (SupDeltaMushDef){.cookie = COOKIE,
                           .character = character,
                           .iterations = 20,
                           .lambda = 3,
                           .kappa = 1,
                           .alpha = 0.8,
                           .least = 1e-3};
}

/* ---- Smoothing ------------------------------------------------------------------------------ */

typedef struct Mush {
  const SupDeltaMushDef *def;
  SupArena *scratch;
  SupError *error;
  uint32_t vertex_count, bone_count;
  double *diagonal;
  SupCholesky *shapes, *weights; /* factors of D + lambda L, D + kappa L */
  double *fields;                /* [bone_count][FIELDS][vertex_count] */
} Mush;

static SupResult check(const SupDeltaMushDef *def, SupError *error) {
  const bool good = def->iterations > 0 && def->lambda > 0 && def->kappa > 0 && def->alpha >= 0 &&
                    def->alpha <= 1 && def->least >= 0;
  if (def->cookie == COOKIE && good) return SUP_OK;
  return sup_fail(error, SUP_ERROR_ARGUMENT,
                  "delta mush: start from sup_delta_mush_def(); rounds, lambda and kappa are above "
                  "0, alpha lies between 0 and 1");
}

static SupResult factor(Mush *m, const SupLaplacian *l, double much, SupCholesky **out) {
  const uint32_t n = m->vertex_count;
  int64_t *columns = SUP_ALLOC(m->scratch, int64_t, (size_t)n + 1);
  int64_t *rows = SUP_ALLOC(m->scratch, int64_t, l->offsets[n]);
  double *values = SUP_ALLOC(m->scratch, double, l->offsets[n]);
  if (!columns || !rows || !values) return sup_fail_memory(m->error, "delta mush");
  for (uint32_t v = 0; v < n; v++) {
    columns[v + 1] = l->offsets[v + 1];
    for (uint32_t k = l->offsets[v]; k < l->offsets[v + 1]; k++) {
      rows[k] = l->columns[k];
      values[k] = much * l->values[k] + (l->columns[k] == v ? m->diagonal[v] : 0);
    }
  }
  const SupSparse matrix = {n, columns, rows, values};
  SupResult result = sup_cholesky_create(&matrix, out, m->error);
  if (result == SUP_OK) result = sup_cholesky_factor(*out, &matrix, m->error);
  return result;
}

static SupResult prepare(Mush *m) {
  const SupMesh *body = &m->def->character->body;
  const SupLaplacianDef laplacian = {.kind = SUP_LAPLACIAN_COTANGENT, .mass = SUP_AREA_BARYCENTRIC};
  SupRings rings;
  SupLaplacian l;
  m->diagonal = SUP_ALLOC(m->scratch, double, m->vertex_count);
  m->fields = SUP_ALLOC(m->scratch, double, (size_t)m->bone_count *FIELDS * m->vertex_count);
  if (!m->diagonal || !m->fields) return sup_fail_memory(m->error, "delta mush");
  SupResult result = sup_rings(m->scratch, body, &rings, m->error);
  if (result == SUP_OK) {
    result = sup_laplacian(m->scratch, body, &rings, &laplacian, &l, m->error);
  }
  for (uint32_t v = 0; result == SUP_OK && v < m->vertex_count; v++) {
    m->diagonal[v] = 1; /* of a vertex without triangles, which then stays as it is */
    for (uint32_t k = l.offsets[v]; k < l.offsets[v + 1]; k++) {
      if (l.columns[k] == v && l.values[k] > 0) m->diagonal[v] = l.values[k];
    }
  }
  if (result == SUP_OK) result = factor(m, &l, m->def->lambda, &m->shapes);
  if (result == SUP_OK) result = factor(m, &l, m->def->kappa, &m->weights);
  return result;
}

/* `count` columns of one number per vertex each. */
static SupResult smooth(const Mush *m, SupCholesky *with, uint32_t count, double *io) {
  SupResult result = SUP_OK;
  for (uint32_t round = 0; round < m->def->iterations && result == SUP_OK; round++) {
    for (uint32_t c = 0; c < count; c++) {
      for (uint32_t v = 0; v < m->vertex_count; v++) {
        io[(size_t)c * m->vertex_count + v] *= m->diagonal[v];
      }
    }
    result = sup_cholesky_solve_many(with, count, io, io, m->error);
  }
  return result;
}

static double *field(const Mush *m, uint32_t bone, uint32_t which) {
  return m->fields + ((size_t)bone * FIELDS + which) * m->vertex_count;
}

/* w u u^T in the order xx xy xz yy yz zz, x y z, 1; and w. */
static void fill_bones(const Mush *m) {
  const SupCharacter *c = m->def->character;
  for (uint32_t v = 0; v < m->vertex_count; v++) {
    const SupVec3d u = sup_vec3_to_double(c->body.positions[v]);
    const double of[FIELDS] = {u.x * u.x, u.x * u.y, u.x * u.z, u.y * u.y, u.y * u.z, u.z * u.z,
                               u.x,       u.y,       u.z,       1,         1};
    for (uint32_t k = c->skin.offsets[v]; k < c->skin.offsets[v + 1]; k++) {
      for (uint32_t f = 0; f < FIELDS; f++) {
        field(m, c->skin.bones[k], f)[v] += (double)c->skin.weights[k] * of[f];
      }
    }
  }
}

static SupResult smooth_bones(const Mush *m) {
  const size_t all = (size_t)m->bone_count * FIELDS * m->vertex_count;
  SupResult result = SUP_OK;
  for (size_t k = 0; k < all; k++) m->fields[k] = 0;
  fill_bones(m);
  for (uint32_t bone = 0; bone < m->bone_count && result == SUP_OK; bone++) {
    result = smooth(m, m->shapes, FIELDS - 1, field(m, bone, 0));
    if (result == SUP_OK) result = smooth(m, m->weights, 1, field(m, bone, FIELDS - 1));
  }
  return result;
}

/* ---- What is kept --------------------------------------------------------------------------- */

/* One matrix of a vertex in double. */
typedef struct Moment {
  double a[6], b[3], w;
} Moment;

/* About the vertex's own place x instead of the origin. */
static Moment about(Moment m, SupVec3d x) {
  const double at[3] = {x.x, x.y, x.z};
  Moment r = m;
  for (int i = 0, k = 0; i < 3; i++) {
    r.b[i] -= at[i] * m.w;
    for (int j = i; j < 3; j++, k++) {
      r.a[k] += at[i] * at[j] * m.w - at[i] * m.b[j] - m.b[i] * at[j];
    }
  }
  return r;
}

static Moment moment_of(const Mush *m, uint32_t bone, uint32_t v) {
  Moment r;
  for (uint32_t k = 0; k < 6; k++) r.a[k] = field(m, bone, k)[v];
  for (uint32_t k = 0; k < 3; k++) r.b[k] = field(m, bone, 6 + k)[v];
  r.w = field(m, bone, 9)[v];
  return about(r, sup_vec3_to_double(m->def->character->body.positions[v]));
}

/* Where the neighbourhood's own mean is, beside the vertex. */
static void centre_of(const Mush *m, uint32_t v, double out[3]) {
  double sum[4] = {0};
  for (uint32_t bone = 0; bone < m->bone_count; bone++) {
    const Moment one = moment_of(m, bone, v);
    for (int k = 0; k < 3; k++) sum[k] += one.b[k];
    sum[3] += one.w;
  }
  for (int k = 0; k < 3; k++) out[k] = sum[k] / sum[3];
}

static Moment omega_of(const Mush *m, uint32_t bone, uint32_t v, const double p[3]) {
  const double alpha = m->def->alpha, w = alpha * field(m, bone, FIELDS - 1)[v];
  Moment r = moment_of(m, bone, v);
  for (int i = 0, k = 0; i < 3; i++) {
    r.b[i] = (1 - alpha) * r.b[i] + w * p[i];
    for (int j = i; j < 3; j++, k++) r.a[k] = (1 - alpha) * r.a[k] + w * p[i] * p[j];
  }
  r.w = (1 - alpha) * r.w + w;
  return r;
}

static SupDeltaMushEntry entry_of(uint32_t bone, const Moment *m, double scale) {
  SupDeltaMushEntry r = {.bone = bone, .w = (float)(scale * m->w)};
  for (int k = 0; k < 6; k++) r.a[k] = (float)(scale * m->a[k]);
  for (int k = 0; k < 3; k++) r.b[k] = (float)(scale * m->b[k]);
  return r;
}

/* The entries of a vertex; out may be NULL. Their number. */
static uint32_t take_vertex(const Mush *m, uint32_t v, SupDeltaMushEntry *out) {
  double p[3], sum = 0;
  uint32_t count = 0;
  centre_of(m, v, p);
  for (int pass = 0; pass < 2; pass++) {
    for (uint32_t bone = 0; bone < m->bone_count; bone++) {
      const Moment one = omega_of(m, bone, v, p);
      if (one.w <= m->def->least) continue;
      if (pass == 0) {
        sum += one.w;
        count++;
      } else if (out) {
        *out++ = entry_of(bone, &one, 1 / sum);
      }
    }
  }
  return count;
}

static SupResult keep(const Mush *m, SupArena *arena, SupDeltaMush *out) {
  uint32_t *first = SUP_ALLOC(arena, uint32_t, (size_t)m->vertex_count + 1);
  if (!first) return sup_fail_memory(m->error, "delta mush");
  first[0] = 0;
  for (uint32_t v = 0; v < m->vertex_count; v++) {
    first[v + 1] = first[v] + take_vertex(m, v, NULL);
  }
  SupDeltaMushEntry *entries = SUP_ALLOC(arena, SupDeltaMushEntry, first[m->vertex_count]);
  if (!entries) return sup_fail_memory(m->error, "delta mush");
  for (uint32_t v = 0; v < m->vertex_count; v++) take_vertex(m, v, entries + first[v]);
  *out = (SupDeltaMush){m->def->character, first, entries};
  return SUP_OK;
}

SupResult sup_delta_mush_make(SupArena *arena, const SupDeltaMushDef *def, SupDeltaMush *out_mush,
                              SupError *error) {
  SupArena scratch = sup_scratch(arena);
  SupResult result = check(def, error);
  if (result != SUP_OK) return result;
  Mush m = {.def = def,
            .scratch = &scratch,
            .error = error,
            .vertex_count = def->character->body.vertex_count,
            .bone_count = def->character->skeleton.bone_count};
  result = prepare(&m);
  if (result == SUP_OK) result = smooth_bones(&m);
  if (result == SUP_OK) result = keep(&m, arena, out_mush);
  sup_cholesky_free(m.shapes);
  sup_cholesky_free(m.weights);
  sup_arena_free(&scratch);
  return result;
}

uint64_t sup_delta_mush_bytes(const SupDeltaMush *mush) {
  const uint64_t n = mush->character->body.vertex_count;
  return 4 * (n + 1) + mush->first[n] * sizeof(SupDeltaMushEntry);
}

/* ---- Playing -------------------------------------------------------------------------------- */

typedef struct Gathered {
  SupMat3 q; /* less q p^T */
  SupVec3 mean, centre;
} Gathered;

static SupVec3 symmetric_row(const float *a, int row) {
  static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  return (SupVec3){a[at[row][0]], a[at[row][1]], a[at[row][2]]};
}

static Gathered gather(const SupDeltaMush *mush, const SupAffine *palette, uint32_t v) {
  const SupVec3 x = mush->character->body.positions[v];
  Gathered g = {.q = {{0}}};
  for (uint32_t k = mush->first[v]; k < mush->first[v + 1]; k++) {
    const SupDeltaMushEntry *e = &mush->entries[k];
    const SupMat3 turn = sup_affine_linear(palette[e->bone]);
    const SupVec3 to = sup_affine_point(palette[e->bone], x), b = {e->b[0], e->b[1], e->b[2]};
    for (int c = 0; c < 3; c++) { /* column c of turn A + to b^T; A is symmetric */
      const SupVec3 column = sup_mat3_mul_vec3(turn, symmetric_row(e->a, c));
      g.q.m[3 * c] += column.x + to.x * e->b[c];
      g.q.m[3 * c + 1] += column.y + to.y * e->b[c];
      g.q.m[3 * c + 2] += column.z + to.z * e->b[c];
    }
    g.mean = sup_vec3_add(g.mean, sup_mat3_mul_vec3(turn, b));
    g.mean = sup_vec3_add_scaled(g.mean, to, e->w);
    g.centre = sup_vec3_add(g.centre, b);
  }
  const float p[3] = {g.centre.x, g.centre.y, g.centre.z};
  for (int c = 0; c < 3; c++) {
    g.q.m[3 * c] -= g.mean.x * p[c];
    g.q.m[3 * c + 1] -= g.mean.y * p[c];
    g.q.m[3 * c + 2] -= g.mean.z * p[c];
  }
  return g;
}

void sup_delta_mush_show(const SupDeltaMush *mush, const SupAffine *palette,
                         SupVec3 *out_positions) {
  const SupQuat none = sup_quat_identity();
  for (uint32_t v = 0; v < mush->character->body.vertex_count; v++) {
    const Gathered g = gather(mush, palette, v);
    const SupQuat turn = sup_quat_fit(g.q, none);
    out_positions[v] = sup_vec3_sub(g.mean, sup_quat_rotate(turn, g.centre));
  }
}
