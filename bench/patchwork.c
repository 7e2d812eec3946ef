/* SPDX-License-Identifier: MIT */
/*
 * A tube along y on a chain of four joints. Its patches are squares of cells; control vertices are
 * their corners. Polygon coordinates are bilinear, what spreads from the border falls off with the
 * squared distance, the residual is random fields times quadratic laws of the angles.
 */
#include "patchwork.h"

#define RADIUS 0.4
#define LENGTH 2.0
#define MOST_BORDER 4096u

static const float bends[PATCHWORK_SHAPES] = {0, 0.8f, 1.4f, 0.8f};
static const float twists[PATCHWORK_SHAPES] = {0, 0, 0.6f, -0.7f};

typedef struct Grid {
  const PatchworkDef *def;
  uint32_t columns, rows, controls;
} Grid;

/* ---- The character ----------------------------------------------------------------------------
 */

static SupVec3 place(const Grid *g, double column, double row) {
  const double angle = 2 * SUP_PI * column / g->columns, y = LENGTH * row / (g->rows - 1);
  const double radius = RADIUS * (1 + 0.1 * sup_cos(2 * y) + 0.05 * sup_sin(3 * angle));
  return (SupVec3){(float)(radius * sup_cos(angle)), (float)y, (float)(radius * sup_sin(angle))};
}

static uint32_t vertex_at(const Grid *g, uint32_t column, uint32_t row) {
  return row * g->columns + column % g->columns;
}

static bool make_mesh(SupArena *arena, const Grid *g, SupMesh *out) {
  const uint32_t count = g->columns * g->rows, cells = g->columns * (g->rows - 1);
  SupVec3 *positions = SUP_ALLOC(arena, SupVec3, count);
  uint32_t *triangles = SUP_ALLOC(arena, uint32_t, 6 * (size_t)cells);
  if (!positions || !triangles) return false;
  for (uint32_t v = 0; v < count; v++) positions[v] = place(g, v % g->columns, v / g->columns);
  for (uint32_t c = 0; c < cells; c++) {
    const uint32_t i = c % g->columns, r = c / g->columns;
    const uint32_t low[2] = {vertex_at(g, i, r), vertex_at(g, i + 1, r)};
    const uint32_t high[2] = {vertex_at(g, i, r + 1), vertex_at(g, i + 1, r + 1)};
    const uint32_t two[6] = {low[0], high[0], low[1], low[1], high[0], high[1]};
    for (uint32_t k = 0; k < 6; k++) triangles[6 * (size_t)c + k] = two[k];
  }
  *out = (SupMesh){count, 2 * cells, positions, triangles};
  return true;
}

/* Weights of the two joints whose heights are around y; returns the lower one. */
static uint32_t weigh(double y, float out_weights[2]) {
  const double at = y / LENGTH * PATCHWORK_JOINTS - 0.5;
  const double low = at < 0                      ? 0
                     : at > PATCHWORK_JOINTS - 2 ? PATCHWORK_JOINTS - 2
                                                 : (double)(int)at;
  double t = at - low;
  t = t < 0.05 ? 0.05 : t > 0.95 ? 0.95 : t;
  out_weights[1] = (float)t;
  out_weights[0] = 1 - out_weights[1];
  return (uint32_t)low;
}

static bool make_skin(SupArena *arena, const SupMesh *mesh, SupSkin *out) {
  const uint32_t n = mesh->vertex_count;
  uint32_t *offsets = SUP_ALLOC(arena, uint32_t, n + 1), *bones = SUP_ALLOC(arena, uint32_t, 2 * n);
  float *weights = SUP_ALLOC(arena, float, 2 * n);
  if (!offsets || !bones || !weights) return false;
  for (uint32_t v = 0; v < n; v++) {
    float two[2];
    const uint32_t low = weigh((double)mesh->positions[v].y, two);
    const uint32_t heavy = two[1] > two[0];
    for (uint32_t k = 0; k < 2; k++) {
      const uint32_t which = k ? 1 - heavy : heavy;
      bones[2 * v + k] = low + which;
      weights[2 * v + k] = two[which];
    }
    offsets[v + 1] = 2 * v + 2;
  }
  *out = (SupSkin){n, 2, offsets, bones, weights};
  return true;
}

/* Joints turned about their own axes, so that local rotations are not bend and twist themselves. */
static bool make_skeleton(SupArena *arena, SupSkeleton *out) {
  static const uint32_t joints[PATCHWORK_JOINTS] = {0, 1, 2, 3};
  static const int32_t parents[PATCHWORK_JOINTS] = {-1, 0, 1, 2};
  static const char *const names[PATCHWORK_JOINTS] = {"hips", "spine", "chest", "head"};
  SupTransform *rest = SUP_ALLOC(arena, SupTransform, PATCHWORK_JOINTS);
  SupAffine *bind = SUP_ALLOC(arena, SupAffine, PATCHWORK_JOINTS);
  if (!rest || !bind) return false;
  SupAffine global = sup_affine_identity();
  for (uint32_t j = 0; j < PATCHWORK_JOINTS; j++) {
    const float y = j ? (float)(LENGTH / PATCHWORK_JOINTS) : 0;
    rest[j] = sup_transform_identity();
    rest[j].translation.y = y;
    rest[j].rotation = sup_quat_from_axis_angle((SupVec3){0, 1, 0}, 0.3f * (float)j);
    global = sup_affine_mul(global, sup_affine_compose(rest[j]));
    bind[j] = sup_affine_inverse(global);
  }
  *out = (SupSkeleton){PATCHWORK_JOINTS, PATCHWORK_JOINTS, parents, rest, names, joints, bind};
  return true;
}

/* ---- Angles and blends ------------------------------------------------------------------------
 */

void patchwork_pose(const Patchwork *p, float bend, float twist, SupTransform *out_joints) {
  const SupVec3 axes[PATCHWORK_ANGLES] = {p->def.angles[0].axis, p->def.angles[1].axis};
  const float turns[PATCHWORK_ANGLES] = {bend, twist};
  for (uint32_t j = 0; j < PATCHWORK_JOINTS; j++) out_joints[j] = p->character.skeleton.rest[j];
  for (uint32_t a = 0; a < PATCHWORK_ANGLES; a++) {
    SupQuat *q = &out_joints[p->def.angles[a].joint].rotation;
    *q = sup_quat_mul(*q, sup_quat_from_axis_angle(axes[a], turns[a]));
  }
}

static bool make_angles(SupArena *arena, Patchwork *p) {
  SupEnvelopeAngle *angles = SUP_ALLOC(arena, SupEnvelopeAngle, PATCHWORK_ANGLES);
  if (!angles) return false;
  const SupTransform *rest = p->character.skeleton.rest;
  angles[0] = (SupEnvelopeAngle){1, rest[1].rotation, {0, 0, 1}, -0.25f, 1.5f};
  angles[1] = (SupEnvelopeAngle){2, rest[2].rotation, {0, 1, 0}, -1, 1};
  p->def.angle_count = PATCHWORK_ANGLES;
  p->def.angles = angles;
  return true;
}

/* Solves the matrix[n * (n + 1)], whose last column is the right-hand side, into that column. */
static void solve(double *matrix, uint32_t n) {
  const uint32_t width = n + 1;
  for (uint32_t c = 0; c < n; c++) {
    uint32_t pivot = c;
    for (uint32_t r = c; r < n; r++) {
      const double a = matrix[r * width + c], b = matrix[pivot * width + c];
      if (a * a > b * b) pivot = r;
    }
    for (uint32_t k = 0; k < width; k++) {
      const double keep = matrix[c * width + k];
      matrix[c * width + k] = matrix[pivot * width + k];
      matrix[pivot * width + k] = keep;
    }
    for (uint32_t r = 0; r < n; r++) {
      const double f = r == c ? 0 : matrix[r * width + c] / matrix[c * width + c];
      for (uint32_t k = 0; k < width; k++) matrix[r * width + k] -= f * matrix[c * width + k];
    }
  }
  for (uint32_t r = 0; r < n; r++) matrix[r * width + n] /= matrix[r * width + r];
}

/* [R 1; 1 0] (a, a0) = (e_i, 0), by function i. */
static void find_cardinal(const SupEnvelopeBlend *blend, double *out_cardinal) {
  enum { MOST = PATCHWORK_SHAPES + 1 };
  const uint32_t n = blend->centre_count;
  for (uint32_t i = 0; i < n; i++) {
    double matrix[MOST * (MOST + 1)] = {0};
    for (uint32_t r = 0; r < n; r++) {
      for (uint32_t c = 0; c < n; c++) {
        double square = 0;
        for (uint32_t a = 0; a < blend->angle_count; a++) {
          const double d = (double)blend->centres[r * blend->angle_count + a] -
                           (double)blend->centres[c * blend->angle_count + a];
          square += d * d;
        }
        const double near = (double)blend->inverse_sigma;
        matrix[r * (n + 2) + c] =
            near < 0 ? sup_sqrt(square * near * near + 1) : sup_exp(-square * near * near);
      }
      matrix[r * (n + 2) + n] = matrix[n * (n + 2) + r] = 1;
    }
    matrix[i * (n + 2) + n + 1] = 1;
    solve(matrix, n + 1);
    for (uint32_t k = 0; k <= n; k++) out_cardinal[i * (n + 1) + k] = matrix[k * (n + 2) + n + 1];
  }
}

/* Over the bend alone (1 and 3 are one pose), and over both angles. */
static bool make_blends(SupArena *arena, bool even, Patchwork *p) {
  static const uint32_t angles[PATCHWORK_ANGLES] = {0, 1};
  static const uint32_t merged[PATCHWORK_SHAPES] = {0, 1, 2, 1},
                        own[PATCHWORK_SHAPES] = {0, 1, 2, 3};
  static const float halves[PATCHWORK_SHAPES] = {1, 0.5f, 1, 0.5f};
  static const float ones[PATCHWORK_SHAPES] = {1, 1, 1, 1};
  SupEnvelopeBlend *blends = SUP_ALLOC(arena, SupEnvelopeBlend, 2);
  float *centres = SUP_ALLOC(arena, float, 3 + 2 * PATCHWORK_SHAPES);
  double *cardinal = SUP_ALLOC(arena, double, 3 * 4 + PATCHWORK_SHAPES * 5);
  if (!blends || !centres || !cardinal) return false;
  for (uint32_t s = 0; s < PATCHWORK_SHAPES; s++) {
    if (s < 3) centres[s] = bends[s];
    centres[3 + 2 * s] = bends[s];
    centres[4 + 2 * s] = twists[s];
  }
  blends[0] = (SupEnvelopeBlend){1, angles, 0.6f, 3, centres, cardinal, merged, halves};
  blends[1] =
      (SupEnvelopeBlend){2, angles, 0.5f, PATCHWORK_SHAPES, centres + 3, cardinal + 12, own, ones};
  for (uint32_t b = 0; b < 2; b++) {
    if (even) blends[b].inverse_sigma *= -1;
    find_cardinal(&blends[b], cardinal + 12 * b);
  }
  p->def.blend_count = 2;
  p->def.blends = blends;
  return true;
}

/* ---- The control mesh -------------------------------------------------------------------------
 */

typedef struct Controls {
  SupAffine palettes[PATCHWORK_SHAPES][PATCHWORK_JOINTS];
  uint32_t *blends, *offsets;
  SupEnvelopeInfluence *influences;
  SupVec3 *points, *revision_points;
  SupEnvelopeRevision *revisions;
  float *revision_angles;
} Controls;

static bool make_poses(SupArena *arena, Patchwork *p, Controls *c) {
  p->poses = SUP_ALLOC(arena, SupTransform, PATCHWORK_SHAPES * PATCHWORK_JOINTS);
  if (!p->poses) return false;
  for (uint32_t s = 0; s < PATCHWORK_SHAPES; s++) {
    SupAffine globals[PATCHWORK_JOINTS];
    SupTransform *joints = p->poses + s * PATCHWORK_JOINTS;
    patchwork_pose(p, bends[s], twists[s], joints);
    const SupPose pose = {PATCHWORK_JOINTS, sup_transform_identity(), joints};
    sup_pose_evaluate(&p->character.skeleton, &pose, globals, c->palettes[s]);
  }
  return true;
}

static bool make_control_room(SupArena *arena, const Grid *g, Patchwork *p, Controls *c) {
  const size_t n = g->controls;
  p->controls = SUP_ALLOC(arena, SupVec3, n * PATCHWORK_SHAPES);
  c->blends = SUP_ALLOC(arena, uint32_t, n);
  c->offsets = SUP_ALLOC(arena, uint32_t, n + 1);
  c->influences = SUP_ALLOC(arena, SupEnvelopeInfluence, 2 * n);
  c->points = SUP_ALLOC(arena, SupVec3, 2 * n * PATCHWORK_SHAPES);
  c->revisions = SUP_ALLOC(arena, SupEnvelopeRevision, n);
  c->revision_points = SUP_ALLOC(arena, SupVec3, n * PATCHWORK_SHAPES);
  c->revision_angles = SUP_ALLOC(arena, float, n *PATCHWORK_SHAPES);
  return p->controls && c->blends && c->offsets && c->influences && c->points && c->revisions &&
         c->revision_points && c->revision_angles;
}

/* Shapes bulge away from where skinning has the vertex: more with every number. */
static void fill_control(const Patchwork *p, Controls *c, SupVec3 dress, uint32_t k, bool revised) {
  float weights[2];
  const uint32_t low = weigh((double)dress.y, weights);
  const float knee = (float)(LENGTH / PATCHWORK_JOINTS);
  const bool near = dress.y < 2.2f * knee;
  c->blends[k] = k % 2;
  c->offsets[k + 1] = 2 * k + 2;
  c->revisions[k] = (SupEnvelopeRevision){.bone = SUP_ENVELOPE_NONE};
  if (revised && near) {
    c->revisions[k] = (SupEnvelopeRevision){1, {0, knee, 0}, {0, 0, 1}, 0, 0.75f, 1.25f};
  }
  for (uint32_t i = 0; i < 2; i++)
    c->influences[2 * k + i] = (SupEnvelopeInfluence){low + i, weights[i]};
  for (uint32_t s = 0; s < PATCHWORK_SHAPES; s++) {
    const SupAffine *palette = c->palettes[s];
    const SupVec3 bulge = {0.06f * (float)s * dress.x, 0.01f * (float)s,
                           0.05f * (float)s * dress.z};
    SupVec3 shape = {0, 0, 0};
    for (uint32_t i = 0; i < 2; i++) {
      shape = sup_vec3_add_scaled(
          shape, sup_affine_point(palette[low + i], sup_vec3_add(dress, bulge)), weights[i]);
    }
    p->controls[k * PATCHWORK_SHAPES + s] = shape;
    for (uint32_t i = 0; i < 2; i++) {
      c->points[(2 * k + i) * PATCHWORK_SHAPES + s] =
          sup_affine_point(sup_affine_inverse(palette[low + i]), shape);
    }
    c->revision_points[k * PATCHWORK_SHAPES + s] =
        sup_affine_point(sup_affine_inverse(palette[1]), shape);
    c->revision_angles[k * PATCHWORK_SHAPES + s] = bends[s];
  }
}

static bool make_controls(SupArena *arena, const Grid *g, Patchwork *p) {
  Controls c = {0};
  if (!make_poses(arena, p, &c) || !make_control_room(arena, g, p, &c)) return false;
  for (uint32_t k = 0; k < g->controls; k++) {
    const uint32_t a = k % g->def->around, l = k / g->def->around, n = g->def->cells;
    fill_control(p, &c, place(g, a * n, g->def->bare + l * n), k, g->def->revised);
  }
  p->def.shape_count = PATCHWORK_SHAPES;
  p->def.control_count = g->controls;
  p->def.control_blends = c.blends;
  p->def.influence_offsets = c.offsets;
  p->def.influences = c.influences;
  p->def.influence_points = c.points;
  p->def.revisions = c.revisions;
  p->def.revision_points = c.revision_points;
  p->def.revision_angles = c.revision_angles;
  return true;
}

/* ---- Seams ------------------------------------------------------------------------------------
 */

/* Seams along the tube: one for each vertex, then one for each edge upwards; around it likewise by
 * vertices. Numbered by column line or row line, then along it. */
static uint32_t seam_along(const Grid *g, uint32_t line, uint32_t half) {
  const uint32_t steps = 2 * g->def->along * g->def->cells + 1;
  return (line % g->def->around) * steps + half;
}

static uint32_t seam_around(const Grid *g, uint32_t line, uint32_t column) {
  const uint32_t n = g->def->cells, steps = 2 * g->def->along * n + 1;
  if (column % n == 0) return seam_along(g, column / n, 2 * line * n);
  return g->def->around * steps + line * g->columns + column % g->columns;
}

static bool make_seams(SupArena *arena, const Grid *g, Patchwork *p) {
  const PatchworkDef *d = g->def;
  const uint32_t steps = 2 * d->along * d->cells + 1;
  const uint32_t count = d->around * steps + (d->along + 1) * g->columns;
  SupEnvelopeSeam *seams = SUP_ALLOC(arena, SupEnvelopeSeam, count);
  if (!seams) return false;
  for (uint32_t i = 0; i < d->around * steps; i++) {
    const uint32_t half = i % steps, column = i / steps * d->cells;
    const uint32_t a = vertex_at(g, column, d->bare + half / 2);
    const uint32_t b = half % 2 ? vertex_at(g, column, d->bare + half / 2 + 1) : a;
    const bool end = d->bare && (half == 0 || half == steps - 1);
    seams[i] = (SupEnvelopeSeam){a, b, half % 2 ? 0.5f : 0, end};
  }
  for (uint32_t i = 0; i < (d->along + 1) * g->columns; i++) {
    const uint32_t line = i / g->columns;
    const uint32_t v = vertex_at(g, i % g->columns, d->bare + line * d->cells);
    const bool end = d->bare && (line == 0 || line == d->along);
    seams[d->around * steps + i] = (SupEnvelopeSeam){v, v, 0, end};
  }
  p->def.seam_count = count;
  p->def.seams = seams;
  return true;
}

/* ---- Patches ----------------------------------------------------------------------------------
 */

/* A point of a patch: cells right and up from its lower left corner. */
typedef struct Point {
  double x, y;
  uint32_t vertex, seam;
} Point;

/* Counter-clockwise from outside: up the left side (columns run clockwise seen from above), ... */
static uint32_t walk_border(const Grid *g, uint32_t a, uint32_t l, Point *out) {
  const uint32_t n = g->def->cells, step = g->def->edge_points ? 1 : 2, r0 = g->def->bare + l * n;
  uint32_t count = 0;
  for (uint32_t h = 0; h < 2 * n; h += step) {
    out[count++] = (Point){0, 0.5 * h, h % 2 ? SUP_ENVELOPE_NONE : vertex_at(g, a * n, r0 + h / 2),
                           seam_along(g, a, 2 * l * n + h)};
  }
  for (uint32_t i = 0; i < n; i++) {
    out[count++] = (Point){i, n, vertex_at(g, a * n + i, r0 + n), seam_around(g, l + 1, a * n + i)};
  }
  for (uint32_t h = 2 * n; h > 0; h -= step) {
    out[count++] =
        (Point){n, 0.5 * h, h % 2 ? SUP_ENVELOPE_NONE : vertex_at(g, a * n + n, r0 + h / 2),
                seam_along(g, a + 1, 2 * l * n + h)};
  }
  for (uint32_t i = n; i > 0; i--) {
    out[count++] = (Point){i, 0, vertex_at(g, a * n + i, r0), seam_around(g, l, a * n + i)};
  }
  return count;
}

typedef struct Patch {
  uint32_t *corners, *vertices, *seams, *angles, *samples;
  float *weights, *spread, *tables;
  SupVec3 *offsets, *fields;
} Patch;

double patchwork_law(uint32_t k, double bend, double twist) {
  const double a = 0.5 + 0.25 * (k % 3), b = 0.2 * (double)(k % 4) - 0.3;
  return (bend * (a + b * bend)) * (1 + 0.4 * twist - 0.3 * twist * twist);
}

static double sample_at(const SupEnvelopeAngle *angle, uint32_t i, uint32_t samples) {
  return (double)angle->low + ((double)angle->high - (double)angle->low) * i / (samples - 1);
}

static void fill_tables(const Grid *g, const SupEnvelopeAngle *angles, uint32_t angle_count,
                        float *out) {
  const uint32_t n = g->def->samples, second = angle_count > 1 ? n : 1;
  for (uint32_t j = 0; j < second; j++) {
    const double twist = second > 1 ? sample_at(&angles[1], j, n) : 0;
    for (uint32_t i = 0; i < n; i++) {
      for (uint32_t k = 0; k < g->def->fields; k++) {
        *out++ = (float)patchwork_law(k, sample_at(&angles[0], i, n), twist);
      }
    }
  }
}

/* Bilinear coordinates for corners (0, 0), (0, n), (n, n), (n, 0). */
static void fill_weights(double u, double v, float *out) {
  const double w[4] = {(1 - u) * (1 - v), (1 - u) * v, u * v, u * (1 - v)};
  for (int k = 0; k < 4; k++) out[k] = (float)w[k];
}

static void fill_spread(const Point *border, uint32_t count, double x, double y, float *out) {
  double sum = 0;
  for (uint32_t b = 0; b < count; b++) {
    const double dx = border[b].x - x, dy = border[b].y - y;
    sum += 1 / (dx * dx + dy * dy);
  }
  for (uint32_t b = 0; b < count; b++) {
    const double dx = border[b].x - x, dy = border[b].y - y;
    out[b] = (float)(1 / (dx * dx + dy * dy) / sum);
  }
}

static SupVec3 to_face(const SupMat3 *frame, SupVec3 d) {
  return sup_mat3_mul_vec3(sup_mat3_transpose(*frame), d);
}

static bool make_patch_room(SupArena *arena, const Grid *g, uint32_t border, uint32_t vertices,
                            uint32_t angle_count, Patch *out) {
  size_t samples = g->def->fields;
  for (uint32_t a = 0; a < angle_count; a++) samples *= g->def->samples;
  out->corners = SUP_ALLOC(arena, uint32_t, 4);
  out->vertices = SUP_ALLOC(arena, uint32_t, vertices);
  out->seams = SUP_ALLOC(arena, uint32_t, border);
  out->angles = SUP_ALLOC(arena, uint32_t, PATCHWORK_ANGLES);
  out->samples = SUP_ALLOC(arena, uint32_t, PATCHWORK_ANGLES);
  out->weights = SUP_ALLOC(arena, float, 4 * (size_t)vertices);
  out->spread = SUP_ALLOC(arena, float, (size_t)(vertices - border) * border);
  out->tables = SUP_ALLOC(arena, float, samples);
  out->offsets = SUP_ALLOC(arena, SupVec3, vertices);
  out->fields = SUP_ALLOC(arena, SupVec3, (size_t)vertices * g->def->fields);
  return out->corners && out->vertices && out->seams && out->angles && out->samples &&
         out->weights && out->spread && out->tables && out->offsets && out->fields;
}

static void fill_point(const Grid *g, const Patchwork *p, const Patch *patch, const SupMat3 *frame,
                       SupVec3 at, const Point *point, uint32_t i) {
  const uint32_t n = g->def->cells;
  float *w = patch->weights + 4 * (size_t)i;
  SupVec3 q = {0, 0, 0};
  fill_weights(point->x / n, point->y / n, w);
  for (int k = 0; k < 4; k++) {
    q = sup_vec3_add_scaled(q, p->controls[(size_t)patch->corners[k] * PATCHWORK_SHAPES], w[k]);
  }
  patch->vertices[i] = point->vertex;
  patch->offsets[i] = to_face(frame, sup_vec3_sub(at, q));
}

/* Where the point is in the dress pose: on its edge, like skinning. */
static SupVec3 dress_place(const Patchwork *p, const Point *point) {
  const SupVec3 *x = p->character.body.positions;
  if (point->vertex != SUP_ENVELOPE_NONE) return x[point->vertex];
  const SupEnvelopeSeam *seam = &p->def.seams[point->seam];
  return sup_vec3_lerp(x[seam->a], x[seam->b], seam->ratio);
}

static bool make_patch(SupArena *arena, const Grid *g, const Patchwork *p, uint32_t k, SupRng *rng,
                       Point *border, SupEnvelopePatch *out) {
  const uint32_t n = g->def->cells, a = k % g->def->around, l = k / g->def->around;
  const uint32_t count = walk_border(g, a, l, border), inside = (n - 1) * (n - 1);
  const uint32_t next = (a + 1) % g->def->around, row = l * g->def->around;
  const uint32_t corners[4] = {row + a, row + g->def->around + a, row + g->def->around + next,
                               row + next};
  const uint32_t angle_count = g->def->fields ? (k % 2 ? 1 : 2) : 0;
  SupVec3 dress[4];
  Patch patch;
  if (!make_patch_room(arena, g, count, count + inside, angle_count, &patch)) return false;
  for (int c = 0; c < 4; c++) {
    patch.corners[c] = corners[c];
    dress[c] = p->controls[(size_t)corners[c] * PATCHWORK_SHAPES];
  }
  const SupMat3 frame = sup_envelope_frame(4, dress);
  for (uint32_t i = 0; i < count + inside; i++) {
    Point point = i < count ? border[i] : (Point){0};
    if (i >= count) {
      const uint32_t x = 1 + (i - count) % (n - 1), y = 1 + (i - count) / (n - 1);
      point = (Point){x, y, vertex_at(g, a * n + x, g->def->bare + l * n + y), 0};
      fill_spread(border, count, x, y, patch.spread + (size_t)(i - count) * count);
    } else {
      patch.seams[i] = point.seam;
    }
    fill_point(g, p, &patch, &frame, dress_place(p, &point), &point, i);
  }
  for (size_t i = 0; i < (size_t)(count + inside) * g->def->fields; i++) {
    patch.fields[i] = (SupVec3){0.02f * (sup_rng_float(rng) - 0.5f),
                                0.02f * (sup_rng_float(rng) - 0.5f), 0.03f * sup_rng_float(rng)};
  }
  for (uint32_t i = 0; i < angle_count; i++)
    patch.angles[i] = i, patch.samples[i] = g->def->samples;
  fill_tables(g, p->def.angles, angle_count, patch.tables);
  *out = (SupEnvelopePatch){.name = k % 2 ? "odd" : "even",
                            .corner_count = 4,
                            .corners = patch.corners,
                            .vertex_count = count + inside,
                            .border_count = count,
                            .vertices = patch.vertices,
                            .seams = patch.seams,
                            .corner_weights = patch.weights,
                            .offsets = patch.offsets,
                            .spread = patch.spread,
                            .field_count = g->def->fields,
                            .fields = patch.fields,
                            .angle_count = angle_count,
                            .angles = patch.angles,
                            .samples = patch.samples,
                            .tables = patch.tables};
  return true;
}

static bool make_patches(SupArena *arena, const Grid *g, Patchwork *p) {
  const uint32_t count = g->def->around * g->def->along;
  SupEnvelopePatch *patches = SUP_ALLOC(arena, SupEnvelopePatch, count);
  Point *border = SUP_ALLOC(arena, Point, MOST_BORDER);
  SupRng rng = sup_rng(g->def->seed, 5);
  if (!patches || !border || 6 * g->def->cells > MOST_BORDER) return false;
  for (uint32_t k = 0; k < count; k++) {
    if (!make_patch(arena, g, p, k, &rng, border, &patches[k])) return false;
  }
  p->def.patch_count = count;
  p->def.patches = patches;
  return true;
}

/* ---- All of it --------------------------------------------------------------------------------
 */

bool patchwork_make(SupArena *arena, const PatchworkDef *def, Patchwork *out) {
  const Grid g = {.def = def,
                  .columns = def->around * def->cells,
                  .rows = def->along * def->cells + 1 + 2 * def->bare,
                  .controls = def->around * (def->along + 1)};
  *out = (Patchwork){.character = {.name = "patchwork"}, .def = sup_envelope_def()};
  SupCharacter *c = &out->character;
  return make_mesh(arena, &g, &c->body) && make_skin(arena, &c->body, &c->skin) &&
         make_skeleton(arena, &c->skeleton) && make_angles(arena, out) &&
         make_blends(arena, def->even, out) && make_controls(arena, &g, out) &&
         make_seams(arena, &g, out) && make_patches(arena, &g, out);
}
