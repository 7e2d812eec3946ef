/* SPDX-License-Identifier: MIT */
/*
 * The layered model in doubles, in the postures of the shapes: what sup_envelope_shape
 * (src/runtime/envelope) plays in floats.
 *
 *   cbar_i = sum_b w_b P_b (P_b^i)^-1 c^i      (Guo 2007, 3.16)   sup_envelope_skinned
 *   ctilde_i: kept off the joint               (3.17)             sup_envelope_revised
 *   c = sum_i omega_i ctilde_i                 (3.18)             sup_envelope_layered
 */
#include "train/envelope/envelope_work.h"

static SupAffined palette_of(const EnvelopeFigure *f, uint32_t shape, uint32_t bone) {
  return f->palettes[(size_t)shape * f->character->skeleton.bone_count + bone];
}

/* Where the shape's vertex is for a bone: P_b^-1 c. */
static SupVec3d point_of(const SupEnvelopeLearned *l, uint32_t vertex, uint32_t shape,
                         uint32_t bone) {
  const SupVec3d c = l->control.shapes[(size_t)shape * l->control.count + vertex];
  return sup_affined_point(sup_affined_inverse(palette_of(&l->figure, shape, bone)), c);
}

SupVec3d sup_envelope_skinned(const SupEnvelopeLearned *l, uint32_t vertex, uint32_t from,
                              uint32_t to) {
  const EnvelopeControl *c = &l->control;
  SupVec3d sum = {0, 0, 0};
  for (uint32_t k = c->offsets[vertex]; k < c->offsets[vertex + 1]; k++) {
    const SupVec3d p = point_of(l, vertex, from, c->bones[k]);
    sum = sup_vec3d_add_scaled(sum, sup_affined_point(palette_of(&l->figure, to, c->bones[k]), p),
                               c->weights[k]);
  }
  return sum;
}

/* ---- Off the joint --------------------------------------------------------------------------- */

/* The part of v perpendicular to a unit axis. */
static SupVec3d beside(SupVec3d v, SupVec3d axis) {
  return sup_vec3d_add_scaled(v, axis, -sup_vec3d_dot(v, axis));
}

static double eta_at(const EnvelopeRevision *r, double most, double phi) {
  const double cosine = sup_cos(phi / 2);
  const double longer = cosine * most > 1 ? 1 / cosine : most;
  return 1 + r->strength * (longer - 1);
}

SupVec3d sup_envelope_revised(const SupEnvelopeLearned *l, uint32_t vertex, uint32_t from,
                              uint32_t to) {
  const SupVec3d c = sup_envelope_skinned(l, vertex, from, to);
  const EnvelopeRevision *r = &l->control.revisions[vertex];
  if (r->bone == SUP_NONE || from == to) return c;
  const double *turned = l->angles.angles[r->angle].values;
  const SupAffined palette = palette_of(&l->figure, to, r->bone);
  const SupVec3d centre = sup_affined_point(palette, r->centre);
  const SupVec3d axis = sup_vec3d_normalise(sup_affined_direction(palette, r->axis));
  const SupVec3d alone = sup_affined_point(palette, point_of(l, vertex, from, r->bone));
  const SupVec3d arm = beside(sup_vec3d_sub(c, centre), axis);
  const double length = sup_vec3d_length(arm);
  if (!(length > 0)) return c;
  const double eta = eta_at(r, l->settings.most, turned[to] - turned[from]);
  double factor = eta * sup_vec3d_length(beside(sup_vec3d_sub(alone, centre), axis)) / length;
  if (factor > (double)SUP_ENVELOPE_LONGER) factor = (double)SUP_ENVELOPE_LONGER;
  return sup_vec3d_add_scaled(c, arm, factor - 1);
}

/* ---- The blend ------------------------------------------------------------------------------- */

double sup_envelope_near(const EnvelopeBlend *b, double square) {
  const double d = square / (b->sigma * b->sigma);
  return b->sigma < 0 ? sup_sqrt(d + 1) : sup_exp(-d);
}

void sup_envelope_blend_weights(const EnvelopeBlend *b, const double *angles, double *out_weights) {
  const uint32_t n = b->centre_count;
  for (uint32_t i = 0; i < n; i++) out_weights[i] = b->cardinal[(size_t)i * (n + 1) + n];
  for (uint32_t j = 0; j < n; j++) {
    double square = 0;
    for (uint32_t k = 0; k < b->angle_count; k++) {
      const double d = angles[k] - b->centres[(size_t)j * b->angle_count + k];
      square += d * d;
    }
    const double g = sup_envelope_near(b, square);
    for (uint32_t i = 0; i < n; i++) out_weights[i] += b->cardinal[(size_t)i * (n + 1) + j] * g;
  }
}

void sup_envelope_layered(const SupEnvelopeLearned *l, uint32_t shape, SupVec3d *out_positions) {
  const EnvelopeControl *c = &l->control;
  for (uint32_t v = 0; v < c->count; v++) {
    const EnvelopeBlend *b = &c->list[c->blends[v]];
    double at[SUP_ENVELOPE_TURNS_MAX] = {0}, omega[SUP_ENVELOPE_EXAMPLES_MAX + 1];
    SupVec3d sum = {0, 0, 0};
    for (uint32_t k = 0; k < b->angle_count; k++) {
      at[k] = (double)(float)l->angles.angles[b->angles[k]].values[shape]; /* as centres are */
    }
    sup_envelope_blend_weights(b, at, omega);
    for (uint32_t i = 0; i < l->figure.shape_count; i++) {
      const double share = b->share_of_shape[i];
      if (!(share > 0)) continue;
      sum = sup_vec3d_add_scaled(sum, sup_envelope_revised(l, v, i, shape),
                                 share * omega[b->centre_of_shape[i]]);
    }
    out_positions[v] = sum;
  }
}

/* ---- Faces ----------------------------------------------------------------------------------- */

static SupVec3d any_normal_to(SupVec3d z) {
  const SupVec3d x = {1, 0, 0}, y = {0, 1, 0};
  const SupVec3d side = beside(z.x * z.x < 0.5 ? x : y, z);
  return sup_vec3d_normalise(side);
}

SupMat3d sup_envelope_face_frame(const EnvelopePatch *p, const SupVec3d *control) {
  SupVec3d middle = {0, 0, 0}, z = {0, 0, 0};
  for (uint32_t k = 0; k < p->corner_count; k++) {
    middle = sup_vec3d_add_scaled(middle, control[p->corners[k]], 1.0 / p->corner_count);
  }
  for (uint32_t k = 0; k < p->corner_count; k++) {
    const SupVec3d a = sup_vec3d_sub(control[p->corners[k]], middle);
    const SupVec3d b = sup_vec3d_sub(control[p->corners[(k + 1) % p->corner_count]], middle);
    z = sup_vec3d_add(z, sup_vec3d_cross(a, b));
  }
  z = sup_vec3d_normalise(z);
  if (!(sup_vec3d_dot(z, z) > 0)) z = (SupVec3d){0, 0, 1};
  const SupVec3d half = sup_vec3d_lerp(control[p->corners[0]], control[p->corners[1]], 0.5);
  SupVec3d x = sup_vec3d_normalise(beside(sup_vec3d_sub(half, middle), z));
  if (!(sup_vec3d_dot(x, x) > 0)) x = any_normal_to(z);
  return sup_mat3d_from_columns(x, sup_vec3d_cross(z, x), z);
}

SupVec3d sup_envelope_on_face(const EnvelopePatch *p, const SupVec3d *control, uint32_t vertex) {
  SupVec3d sum = {0, 0, 0};
  for (uint32_t k = 0; k < p->corner_count; k++) {
    const double weight = p->weights[(size_t)vertex * p->corner_count + k];
    sum = sup_vec3d_add_scaled(sum, control[p->corners[k]], weight);
  }
  return sum;
}
