/* SPDX-License-Identifier: MIT */
/*
 * Controllers at another frame rate. Sub-stepping z' = A z + B u with u held r times (r any number)
 * is z' = A^r z + (A^r - I)(A - I)^-1 B u. A^r = exp(r log A): the logarithm by square roots
 * (Denman and Beavers 1976) until the matrix is near the identity and the series of the inverse
 * hyperbolic tangent there; the exponential by halving and Taylor's series. The matrices are small.
 */
#include "runtime/helpers/helpers_rate.h"

#include "runtime/helpers/helpers_materials.h"

typedef struct Room {
  uint32_t n;
  double *x, *y, *p, *q, *w, *lu;
} Room;

static double magnitude(double v) { return v < 0 ? -v : v; }

static void multiply(uint32_t n, uint32_t columns, const double *a, const double *b, double *out) {
  for (uint32_t r = 0; r < n; r++) {
    for (uint32_t c = 0; c < columns; c++) {
      double sum = 0;
      for (uint32_t k = 0; k < n; k++) sum += a[n * r + k] * b[columns * k + c];
      out[columns * r + c] = sum;
    }
  }
}

static double norm(uint32_t n, const double *a) {
  double most = 0;
  for (uint32_t r = 0; r < n; r++) {
    double sum = 0;
    for (uint32_t c = 0; c < n; c++) sum += magnitude(a[n * r + c]);
    if (sum > most) most = sum;
  }
  return most;
}

bool sup_helpers_solve(uint32_t n, uint32_t columns, double *a, double *io_b) {
  for (uint32_t k = 0; k < n; k++) {
    uint32_t best = k;
    for (uint32_t r = k + 1; r < n; r++) {
      if (magnitude(a[n * r + k]) > magnitude(a[n * best + k])) best = r;
    }
    if (!(magnitude(a[n * best + k]) > 1e-280)) return false;
    for (uint32_t c = 0; c < n && best != k; c++) {
      const double held = a[n * k + c];
      a[n * k + c] = a[n * best + c];
      a[n * best + c] = held;
    }
    for (uint32_t c = 0; c < columns && best != k; c++) {
      const double held = io_b[columns * k + c];
      io_b[columns * k + c] = io_b[columns * best + c];
      io_b[columns * best + c] = held;
    }
    for (uint32_t r = k + 1; r < n; r++) {
      const double f = a[n * r + k] / a[n * k + k];
      if (f == 0) continue;
      for (uint32_t c = k; c < n; c++) a[n * r + c] -= f * a[n * k + c];
      for (uint32_t c = 0; c < columns; c++) io_b[columns * r + c] -= f * io_b[columns * k + c];
    }
  }
  for (uint32_t k = n; k-- > 0;) {
    for (uint32_t c = 0; c < columns; c++) {
      double sum = io_b[columns * k + c];
      for (uint32_t i = k + 1; i < n; i++) sum -= a[n * k + i] * io_b[columns * i + c];
      io_b[columns * k + c] = sum / a[n * k + k];
    }
  }
  return true;
}

static void identity(uint32_t n, double *out) {
  for (uint32_t k = 0; k < n * n; k++) out[k] = k / n == k % n;
}

static bool invert(const Room *m, const double *a, double *out) {
  sup_copy(m->lu, a, m->n * m->n * sizeof *a);
  identity(m->n, out);
  return sup_helpers_solve(m->n, m->n, m->lu, out);
}

/* io_a becomes its principal square root. */
static bool square_root(const Room *m, double *io_a) {
  const uint32_t n = m->n, size = n * n;
  sup_copy(m->x, io_a, size * sizeof *io_a);
  identity(n, m->y);
  for (int round = 0; round < 40; round++) {
    double moved = 0;
    if (!invert(m, m->x, m->p) || !invert(m, m->y, m->q)) return false;
    for (uint32_t k = 0; k < size; k++) {
      const double x = 0.5 * (m->x[k] + m->q[k]);
      moved += magnitude(x - m->x[k]);
      m->x[k] = x;
      m->y[k] = 0.5 * (m->y[k] + m->p[k]);
    }
    if (!(moved < 1e30)) return false;
    if (moved <= 1e-14 * n * norm(n, m->x)) break;
  }
  multiply(n, n, m->x, m->x, m->p);
  double off = 0;
  for (uint32_t k = 0; k < size; k++) off += magnitude(m->p[k] - io_a[k]);
  if (!(off <= 1e-9 * n * norm(n, io_a))) return false;
  sup_copy(io_a, m->x, size * sizeof *io_a);
  return true;
}

/* io_a becomes its logarithm. */
static bool logarithm(const Room *m, double *io_a) {
  const uint32_t n = m->n, size = n * n;
  double scale = 2;
  for (int roots = 0;; roots++, scale *= 2) {
    for (uint32_t k = 0; k < size; k++) m->w[k] = io_a[k] - (k / n == k % n);
    if (norm(n, m->w) < 0.25) break;
    if (roots == 60 || !square_root(m, io_a)) return false;
  }
  /* w = (X + I)^-1 (X - I); log X = 2 (w + w^3 / 3 + ...) */
  for (uint32_t k = 0; k < size; k++) m->lu[k] = io_a[k] + (k / n == k % n);
  if (!sup_helpers_solve(n, n, m->lu, m->w)) return false;
  multiply(n, n, m->w, m->w, m->x);
  sup_copy(m->y, m->w, size * sizeof *m->y);
  sup_copy(io_a, m->w, size * sizeof *io_a);
  for (int k = 3; k < 25; k += 2) {
    multiply(n, n, m->y, m->x, m->p);
    sup_copy(m->y, m->p, size * sizeof *m->y);
    for (uint32_t i = 0; i < size; i++) io_a[i] += m->y[i] / k;
  }
  for (uint32_t k = 0; k < size; k++) io_a[k] *= scale;
  return true;
}

/* io_a becomes its exponential. */
static void exponential(const Room *m, double *io_a) {
  const uint32_t n = m->n, size = n * n;
  int halvings = 0;
  while (norm(n, io_a) > 0.5 && halvings < 60) {
    for (uint32_t k = 0; k < size; k++) io_a[k] *= 0.5;
    halvings++;
  }
  identity(n, m->x);
  identity(n, m->y);
  for (int k = 1; k < 18; k++) {
    multiply(n, n, m->y, io_a, m->p);
    for (uint32_t i = 0; i < size; i++) {
      m->y[i] = m->p[i] / k;
      m->x[i] += m->y[i];
    }
  }
  for (; halvings > 0; halvings--) {
    multiply(n, n, m->x, m->x, m->p);
    sup_copy(m->x, m->p, size * sizeof *m->x);
  }
  sup_copy(io_a, m->x, size * sizeof *io_a);
}

bool sup_helpers_power(SupArena *arena, uint32_t n, uint32_t inputs, const double *a,
                       const double *b, double r, double *out_a, double *out_b) {
  const size_t size = (size_t)n * n;
  double *room = SUP_ALLOC(arena, double, 6 * size + (size_t)n * inputs);
  if (!room) return false;
  const Room m = {
      n, room, room + size, room + 2 * size, room + 3 * size, room + 4 * size, room + 5 * size};
  double *right = room + 6 * size;
  sup_copy(out_a, a, size * sizeof *a);
  if (!logarithm(&m, out_a)) return false;
  for (size_t k = 0; k < size; k++) out_a[k] *= r;
  exponential(&m, out_a);
  for (uint32_t k = 0; k < size; k++) m.lu[k] = a[k] - (k / n == k % n);
  sup_copy(right, b, (size_t)n * inputs * sizeof *b);
  if (!sup_helpers_solve(n, inputs, m.lu, right)) return false;
  for (uint32_t k = 0; k < size; k++) m.x[k] = out_a[k] - (k / n == k % n);
  multiply(n, inputs, m.x, right, out_b);
  return true;
}

/* The columns of one helper, there and back. */
static bool convert_bone(SupArena *arena, const SupHelpersBone *bone, double r, float *columns) {
  const uint32_t n = bone->states, inputs = bone->inputs + 1;
  const size_t stride = SUP_SKIN_BLOCK * (size_t)sup_helpers_rows(bone);
  if (n == 0) return true;
  double *a = SUP_ALLOC(arena, double, 2 * (size_t)n * n);
  double *b = SUP_ALLOC(arena, double, 2 * (size_t)n * inputs);
  if (!a || !b) return false;
  for (uint32_t row = 0; row < n; row++) {
    const float *from = columns + SUP_HELPERS_OUTPUTS + row;
    for (uint32_t c = 0; c < n; c++) a[n * row + c] = (double)from[stride * c];
    for (uint32_t c = 0; c < inputs; c++) b[inputs * row + c] = (double)from[stride * (n + c)];
  }
  double *to_a = a + (size_t)n * n, *to_b = b + (size_t)n * inputs;
  if (!sup_helpers_power(arena, n, inputs, a, b, r, to_a, to_b)) return false;
  for (uint32_t row = 0; row < n; row++) {
    float *to = columns + SUP_HELPERS_OUTPUTS + row;
    for (uint32_t c = 0; c < n; c++) to[stride * c] = (float)to_a[n * row + c];
    for (uint32_t c = 0; c < inputs; c++) to[stride * (n + c)] = (float)to_b[inputs * row + c];
  }
  return true;
}

SupResult sup_helpers_convert(SupArena *arena, const SupModel *model, float h, SupModel **out_model,
                              SupError *error) {
  SupModel *copy = (SupModel *)sup_arena_copy(arena, model, (size_t)model->bytes, 1);
  if (!copy) return sup_fail_memory(error, "converting helpers");
  const SupHelpersView view = sup_helpers_view(copy);
  const double r = (double)h / (double)model->h;
  SupResult result = SUP_OK;
  if (view.material_count > 0) result = sup_helpers_convert_materials(arena, &view, r, error);
  if (result != SUP_OK) return result;
  for (uint32_t k = 0; k < view.helper_count && view.material_count == 0; k++) {
    /* The block is ours. */
    float *columns = (float *)(uintptr_t)(view.matrices + view.bones[k].dynamic_at);
    if (!convert_bone(arena, &view.bones[k], r, columns)) {
      return sup_fail(error, SUP_ERROR_NUMERIC,
                      "helpers: the controller of helper %u cannot be converted to steps of %g s; "
                      "step it at %g s",
                      k, (double)h, (double)model->h);
    }
  }
  copy->h = h;
  copy->checksum = sup_model_checksum(copy);
  result = sup_model_check(copy, (size_t)copy->bytes, NULL, error);
  if (result == SUP_OK) *out_model = copy;
  return result;
}
