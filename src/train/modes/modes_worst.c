/* SPDX-License-Identifier: MIT */
/*
 * How far flesh can ever move: linearity makes it a matter of arithmetic.
 *
 * With impulse responses h_k, a vertex is offset by the integral over the past of
 * sum_n m_n (sum_k h_k(s) phi_k(v) phi_k(n)^T) R^T a_n(t - s). If every |a_n| <= 1 then
 *
 *   |offset|  <=  sum_k |phi_k(v)| sum_n m_n |phi_k(n)| integral |h_k|              easy(v)
 *   |offset|  <=  integral sum_n m_n |sum_k h_k(s) phi_k(v) phi_k(n)^T| ds          tight(v)
 *   tight(v)^2 <= (integral sum_n m_n r) (integral sum_n m_n |...|^2 / r)           even(v)
 *
 * for any r(n, s) > 0 (Cauchy, Schwarz); with r = r_n exp(-d s) the last factor is a quadratic form
 * of the phi_k(v), found once.
 * (R, a blend of rotations, lengthens nothing.) The second sees that modes cancel each other, and
 * costs much more. It is computed for the vertex that seems worst; what that says of the others is
 * tight(u) <= tight(v) + easy of the difference of their shapes. Then for the next, until the one
 * that seems worst is the worst.
 */
#include <math.h>

#include "train/modes/modes_volume.h"

#define VERTICES_MOST 400 /* that get the tight bound, */
#define WORK_MOST 2e9     /* or as many as this many products allow: a few seconds */
#define TAIL 0.01         /* fraction of every oscillation at which the integral is cut */
#define PER_PERIOD 16     /* points of the integral in the shortest period */
#define POINTS_MOST 20000
#define MARGIN 1.01 /* for what those points do not see */

typedef struct Worst {
  const ModesVolume *volume;
  double *pushes;    /* [mode_count] sum_n m_n |phi_k(n)| */
  double *areas;     /* [mode_count] integral |h_k| */
  double *heavy;     /* [mode_count * 3 * free_count] m_n phi_k(n) */
  double *responses; /* [point_count * mode_count] h_k at the points */
  double *form;      /* [mode_count^2] the quadratic form of the even bound */
  uint32_t point_count;
  double spacing, tail; /* seconds; fraction of the areas beyond the last point */
} Worst;

static double damped_frequency(double stiffness, double decay) {
  return stiffness > decay * decay ? sqrt(stiffness - decay * decay) : 0;
}

/* integral of |h|: pulses of alternating sign whose sizes form a geometric series. */
static double area_of(double stiffness, double decay) {
  const double frequency = damped_frequency(stiffness, decay);
  if (!(frequency > 0)) return 1 / stiffness;
  if (!(decay > 0)) return INFINITY;
  return 1 / (stiffness * tanh(SUP_PI * decay / (2 * frequency)));
}

static double response_at(double stiffness, double decay, double s) {
  const double frequency = damped_frequency(stiffness, decay);
  if (frequency > 1e-6 * decay && frequency > 0) {
    return exp(-decay * s) * sin(frequency * s) / frequency;
  }
  const double rate = sqrt(fmax(decay * decay - stiffness, 0));
  if (!(rate * s > 1e-6)) return s * exp(-decay * s);
  return (exp((rate - decay) * s) - exp(-(rate + decay) * s)) / (2 * rate);
}

static bool prepare(SupArena *arena, Worst *w) {
  const ModesVolume *volume = w->volume;
  const uint32_t modes = volume->mode_count, nodes = volume->body.free_count;
  w->pushes = SUP_ALLOC(arena, double, modes);
  w->areas = SUP_ALLOC(arena, double, modes);
  w->heavy = SUP_ALLOC(arena, double, (size_t)3 * modes * nodes);
  if (!w->pushes || !w->areas || !w->heavy) return false;
  double fastest = 0, slowest = INFINITY;
  for (uint32_t k = 0; k < modes; k++) {
    const double stiffness = volume->stiffness[k], decay = volume->decay[k];
    w->areas[k] = area_of(stiffness, decay);
    fastest = fmax(fastest, sqrt(stiffness));
    const double over = decay * decay - stiffness;
    slowest = fmin(slowest, over > 0 ? stiffness / (decay + sqrt(over)) : decay);
    for (uint32_t i = 0; i < nodes; i++) {
      const double mass = volume->body.masses[volume->body.free_nodes[i]];
      const SupVec3d phi = modes_at_node(volume, k, i);
      double *to = w->heavy + 3 * ((size_t)k * nodes + i);
      to[0] = mass * phi.x, to[1] = mass * phi.y, to[2] = mass * phi.z;
      w->pushes[k] += mass * sup_vec3d_length(phi);
    }
  }
  w->spacing = 2 * SUP_PI / (PER_PERIOD * fastest);
  const double points = slowest > 0 ? -log(TAIL) / (slowest * w->spacing) : POINTS_MOST;
  w->point_count = points < POINTS_MOST ? (uint32_t)points + 1 : POINTS_MOST;
  w->tail = exp(-slowest * w->spacing * w->point_count);
  w->responses = SUP_ALLOC(arena, double, (size_t)w->point_count *modes);
  if (!w->responses) return false;
  for (uint32_t p = 0; p < w->point_count; p++) {
    for (uint32_t k = 0; k < modes; k++) {
      w->responses[(size_t)p * modes + k] =
          response_at(volume->stiffness[k], volume->decay[k], (p + 0.5) * w->spacing);
    }
  }
  return true;
}

/* The quadratic form of the even bound, its first factor included. */
static bool prepare_form(SupArena *arena, Worst *w) {
  const ModesVolume *volume = w->volume;
  const uint32_t modes = volume->mode_count, nodes = volume->body.free_count;
  double *sizes = SUP_ALLOC(arena, double, nodes);
  w->form = SUP_ALLOC(arena, double, (size_t)modes *modes);
  if (!sizes || !w->form) return false;
  double total = 0, time = 0, slowest = -log(w->tail) / (w->spacing * w->point_count);
  for (uint32_t i = 0; i < nodes; i++) {
    double square = 0;
    for (uint32_t k = 0; k < modes; k++) {
      const SupVec3d phi = modes_at_node(volume, k, i);
      square += w->areas[k] * w->areas[k] * sup_vec3d_dot(phi, phi);
    }
    sizes[i] = sqrt(square) + 1e-300;
    total += volume->body.masses[volume->body.free_nodes[i]] * sizes[i];
  }
  for (uint32_t p = 0; p < w->point_count; p++) {
    time += exp(-slowest * (p + 0.5) * w->spacing) * w->spacing;
  }
  for (uint32_t k = 0; k < modes; k++) {
    for (uint32_t l = 0; l <= k; l++) {
      double space = 0, past = 0;
      for (uint32_t i = 0; i < nodes; i++) {
        const double *a = w->heavy + 3 * ((size_t)k * nodes + i);
        const SupVec3d phi = modes_at_node(volume, l, i);
        space += (a[0] * phi.x + a[1] * phi.y + a[2] * phi.z) / sizes[i];
      }
      for (uint32_t p = 0; p < w->point_count; p++) {
        const double *h = w->responses + (size_t)p * modes;
        past += h[k] * h[l] * exp(slowest * (p + 0.5) * w->spacing) * w->spacing;
      }
      w->form[k * modes + l] = w->form[l * modes + k] = space * past * total * time;
    }
  }
  return true;
}

/* The root of the largest eigenvalue (bounded by the trace and by Gershgorin) of the form on the
 * three axes of a vertex. */
static double even_bound(const Worst *w, uint32_t v, double easy, SupVec3d *shapes) {
  const uint32_t modes = w->volume->mode_count;
  double g[6] = {0};
  for (uint32_t k = 0; k < modes; k++) shapes[k] = sup_modes_at_vertex(w->volume, k, v);
  for (uint32_t k = 0; k < modes; k++) {
    for (uint32_t l = 0; l < modes; l++) {
      const double f = w->form[k * modes + l];
      const SupVec3d a = shapes[k], b = shapes[l];
      g[0] += f * a.x * b.x, g[1] += f * a.y * b.y, g[2] += f * a.z * b.z;
      g[3] += f * a.x * b.y, g[4] += f * a.x * b.z, g[5] += f * a.y * b.z;
    }
  }
  const double x = fabs(g[3]), y = fabs(g[4]), z = fabs(g[5]);
  const double rows = fmax(g[0] + x + y, fmax(g[1] + x + z, g[2] + y + z));
  const double root = sqrt(fmin(rows, g[0] + g[1] + g[2]));
  return fmin(easy, MARGIN * root + w->tail * easy);
}

static double easy_bound(const Worst *w, uint32_t v) {
  double sum = 0;
  for (uint32_t k = 0; k < w->volume->mode_count; k++) {
    sum += sup_vec3d_length(sup_modes_at_vertex(w->volume, k, v)) * w->pushes[k] * w->areas[k];
  }
  return sum;
}

/* Directions in which the offset is looked at: half of those to a cube's corners, edges and faces.
 * As a function of the direction the integral is a norm, so elsewhere it is at most its largest
 * value at these over the radius of the ball inside their convex hull (with the opposite ones):
 * 1 / |(1, sqrt 2 - 1, sqrt 3 - sqrt 2)|. */
#define WAYS 13
#define HULL 0.8863

static void list_ways(SupVec3d ways[WAYS]) {
  for (int k = 0; k < WAYS; k++) {
    ways[k] = sup_vec3d_normalise((SupVec3d){k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1});
  }
}

/* Adds |b^T way| for each way: b[3 * c + r] in column c, row r. */
static void add_ways(const double b[9], const SupVec3d ways[WAYS], double io_sums[WAYS]) {
  for (int k = 0; k < WAYS; k++) {
    double square = 0;
    for (int c = 0; c < 3; c++) {
      const double x = b[3 * c] * ways[k].x + b[3 * c + 1] * ways[k].y + b[3 * c + 2] * ways[k].z;
      square += x * x;
    }
    io_sums[k] += sqrt(square);
  }
}

static double tight_bound(const Worst *w, uint32_t v, double easy, SupVec3d *shapes) {
  const uint32_t modes = w->volume->mode_count, nodes = w->volume->body.free_count;
  for (uint32_t k = 0; k < modes; k++) shapes[k] = sup_modes_at_vertex(w->volume, k, v);
  SupVec3d ways[WAYS];
  double sums[WAYS] = {0}, sum = 0;
  list_ways(ways);
  for (uint32_t p = 0; p < w->point_count; p++) {
    const double *h = w->responses + (size_t)p * modes;
    for (uint32_t i = 0; i < nodes; i++) {
      double b[9] = {0};
      for (uint32_t k = 0; k < modes; k++) {
        const double *a = w->heavy + 3 * ((size_t)k * nodes + i);
        const double x = h[k] * shapes[k].x, y = h[k] * shapes[k].y, z = h[k] * shapes[k].z;
        for (int c = 0; c < 3; c++) {
          b[3 * c] += x * a[c], b[3 * c + 1] += y * a[c], b[3 * c + 2] += z * a[c];
        }
      }
      add_ways(b, ways, sums);
    }
  }
  for (int k = 0; k < WAYS; k++) sum = fmax(sum, sums[k] / HULL);
  return fmin(easy, MARGIN * sum * w->spacing + w->tail * easy);
}

/* What the tight bound of one vertex says of all others: io_bounds[vertex_count]. */
static void lower_others(const Worst *w, const SupVec3d *shapes, double tight, double *io_bounds) {
  const ModesVolume *volume = w->volume;
  for (uint32_t v = 0; v < volume->character->body.vertex_count; v++) {
    double gap = tight;
    for (uint32_t k = 0; k < volume->mode_count && gap < io_bounds[v]; k++) {
      const SupVec3d d = sup_vec3d_sub(sup_modes_at_vertex(volume, k, v), shapes[k]);
      gap += sup_vec3d_length(d) * w->pushes[k] * w->areas[k];
    }
    io_bounds[v] = fmin(io_bounds[v], gap);
  }
}

static void find_peaks(const Worst *w, double *out_peaks) {
  for (uint32_t k = 0; k < w->volume->mode_count; k++) {
    double longest = 0;
    for (uint32_t v = 0; v < w->volume->character->body.vertex_count; v++) {
      longest = fmax(longest, sup_vec3d_length(sup_modes_at_vertex(w->volume, k, v)));
    }
    out_peaks[k] = longest * w->pushes[k] * w->areas[k];
  }
}

SupResult sup_modes_worst(SupArena *arena, const ModesVolume *volume, double *out_worst,
                          uint32_t *out_vertex, double *out_peaks, SupError *error) {
  const uint32_t vertices = volume->character->body.vertex_count;
  Worst w = {.volume = volume};
  double *bounds = SUP_ALLOC(arena, double, vertices);
  SupVec3d *shapes = SUP_ALLOC(arena, SupVec3d, volume->mode_count);
  if (!bounds || !shapes || !prepare(arena, &w) || !prepare_form(arena, &w)) {
    return sup_fail_memory(error, "modes");
  }
  for (uint32_t v = 0; v < vertices; v++) {
    bounds[v] = easy_bound(&w, v);
    bounds[v] = even_bound(&w, v, bounds[v], shapes);
  }
  find_peaks(&w, out_peaks);
  const double work = 9.0 * w.point_count * volume->body.free_count * volume->mode_count;
  const double affordable = 4 + WORK_MOST / work;
  const uint32_t rounds = affordable < VERTICES_MOST ? (uint32_t)affordable : VERTICES_MOST;
  uint32_t worst = 0, last = SUP_NONE;
  for (uint32_t round = 0; round <= rounds; round++) {
    worst = 0;
    for (uint32_t v = 1; v < vertices; v++) worst = bounds[v] > bounds[worst] ? v : worst;
    if (round == rounds || worst == last || !isfinite(bounds[worst])) break;
    bounds[worst] = tight_bound(&w, worst, bounds[worst], shapes);
    lower_others(&w, shapes, bounds[worst], bounds);
    last = worst;
  }
  *out_worst = bounds[worst];
  *out_vertex = worst;
  return SUP_OK;
}
