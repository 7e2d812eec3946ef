/* SPDX-License-Identifier: MIT */
#include "reference.h"

#include <math.h>

/* ---- Poses ------------------------------------------------------------------------------------
 */

static SupVec3d wide(SupVec3 v) { return (SupVec3d){(double)v.x, (double)v.y, (double)v.z}; }

void reference_palette(const Patchwork *p, SupTransform root, double bend, double twist,
                       SupAffined *out) {
  SupTransform joints[PATCHWORK_JOINTS];
  SupTransformd local[PATCHWORK_JOINTS];
  SupAffined globals[PATCHWORK_JOINTS];
  patchwork_pose(p, (float)bend, (float)twist, joints);
  for (int j = 0; j < PATCHWORK_JOINTS; j++) {
    const SupTransform t = joints[j];
    local[j] = (SupTransformd){
        wide(t.translation),
        {(double)t.rotation.x, (double)t.rotation.y, (double)t.rotation.z, (double)t.rotation.w},
        wide(t.scale)};
  }
  const SupPosed pose = {PATCHWORK_JOINTS,
                         {wide(root.translation),
                          {(double)root.rotation.x, (double)root.rotation.y,
                           (double)root.rotation.z, (double)root.rotation.w},
                          wide(root.scale)},
                         local};
  sup_pose_evaluate_f64(&p->character.skeleton, &pose, globals, out);
}

void reference_skin(const Patchwork *p, const SupAffined *palette, SupVec3d *out) {
  const SupSkin *skin = &p->character.skin;
  for (uint32_t v = 0; v < skin->vertex_count; v++) {
    SupVec3d sum = {0, 0, 0};
    for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
      const SupVec3d x = wide(p->character.body.positions[v]);
      sum = sup_vec3d_add_scaled(sum, sup_affined_point(palette[skin->bones[k]], x),
                                 (double)skin->weights[k]);
    }
    out[v] = sum;
  }
}

/* ---- Blends -----------------------------------------------------------------------------------
 */

/* x[n] of a x = b, both destroyed, by elimination with pivots. */
static void solve(int n, double a[8][8], double *b, double *x) {
  for (int c = 0; c < n; c++) {
    int pivot = c;
    for (int r = c; r < n; r++) pivot = fabs(a[r][c]) > fabs(a[pivot][c]) ? r : pivot;
    for (int k = 0; k < n; k++) {
      const double keep = a[c][k];
      a[c][k] = a[pivot][k];
      a[pivot][k] = keep;
    }
    const double keep = b[c];
    b[c] = b[pivot], b[pivot] = keep;
    for (int r = c + 1; r < n; r++) {
      const double f = a[r][c] / a[c][c];
      for (int k = c; k < n; k++) a[r][k] -= f * a[c][k];
      b[r] -= f * b[c];
    }
  }
  for (int r = n - 1; r >= 0; r--) {
    x[r] = b[r];
    for (int k = r + 1; k < n; k++) x[r] -= a[r][k] * x[k];
    x[r] /= a[r][r];
  }
}

static double near_function(const SupEnvelopeBlend *blend, const double *a, const double *b) {
  double square = 0;
  for (uint32_t k = 0; k < blend->angle_count; k++) square += (a[k] - b[k]) * (a[k] - b[k]);
  const double x = square * (double)blend->inverse_sigma * (double)blend->inverse_sigma;
  return blend->inverse_sigma < 0 ? sqrt(x + 1) : exp(-x);
}

/* The weights w of [R 1; 1 0] (w, m) = (g, 1): what interpolation with a constant gives. */
static void shape_weights(const SupEnvelopeBlend *blend, const double angles[2], double *out) {
  const int n = (int)blend->centre_count;
  double centres[4][2] = {{0}}, here[2] = {0}, a[8][8] = {{0}}, b[8] = {0}, x[8];
  for (uint32_t k = 0; k < blend->angle_count; k++) here[k] = angles[blend->angles[k]];
  for (int i = 0; i < n; i++) {
    for (uint32_t k = 0; k < blend->angle_count; k++) {
      centres[i][k] = (double)blend->centres[(uint32_t)i * blend->angle_count + k];
    }
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) a[i][j] = near_function(blend, centres[i], centres[j]);
    a[i][n] = a[n][i] = 1;
    b[i] = near_function(blend, here, centres[i]);
  }
  b[n] = 1;
  solve(n + 1, a, b, x);
  for (int s = 0; s < PATCHWORK_SHAPES; s++) {
    out[s] = x[blend->centre_of_shape[s]] * (double)blend->share_of_shape[s];
  }
}

/* ---- The control mesh -------------------------------------------------------------------------
 */

static SupVec3d revised(const Patchwork *p, const SupAffined *bones, uint32_t c, uint32_t s,
                        const double angles[2], SupVec3d x) {
  const SupEnvelopeRevision *r = &p->def.revisions[c];
  if (r->bone == SUP_ENVELOPE_NONE) return x;
  const SupAffined bone = bones[r->bone];
  const SupVec3d o = sup_affined_point(bone, wide(r->centre));
  const SupVec3d a = sup_vec3d_normalise(sup_affined_direction(bone, wide(r->axis)));
  const SupVec3d own =
      sup_affined_point(bone, wide(p->def.revision_points[c * PATCHWORK_SHAPES + s]));
  const double phi = angles[r->angle] - (double)p->def.revision_angles[c * PATCHWORK_SHAPES + s];
  const double longer = fmin(1 / cos(phi / 2), (double)r->most);
  const double eta = 1 + (double)r->strength * (longer - 1);
  const SupVec3d v = sup_vec3d_sub(x, o), u = sup_vec3d_sub(own, o);
  const SupVec3d along = sup_vec3d_scale(a, sup_vec3d_dot(v, a));
  const SupVec3d perp = sup_vec3d_sub(v, along);
  const double length = sup_vec3d_length(perp);
  const double target =
      fmin(eta * sup_vec3d_length(sup_vec3d_add_scaled(u, a, -sup_vec3d_dot(u, a))), 4 * length);
  return sup_vec3d_add(sup_vec3d_add(o, along), sup_vec3d_scale(perp, target / length));
}

static SupVec3d control(const Patchwork *p, const SupAffined *bones, uint32_t c,
                        const double angles[2]) {
  double weights[PATCHWORK_SHAPES];
  SupVec3d sum = {0, 0, 0};
  shape_weights(&p->def.blends[p->def.control_blends[c]], angles, weights);
  for (uint32_t s = 0; s < PATCHWORK_SHAPES; s++) {
    SupVec3d x = {0, 0, 0};
    for (uint32_t k = p->def.influence_offsets[c]; k < p->def.influence_offsets[c + 1]; k++) {
      const SupVec3d point = wide(p->def.influence_points[k * PATCHWORK_SHAPES + s]);
      x = sup_vec3d_add_scaled(x, sup_affined_point(bones[p->def.influences[k].bone], point),
                               (double)p->def.influences[k].weight);
    }
    sum = sup_vec3d_add_scaled(sum, revised(p, bones, c, s, angles, x), weights[s]);
  }
  return sum;
}

static SupMat3d face_frame(const SupVec3d *corners, uint32_t count) {
  SupVec3d o = {0, 0, 0}, n = {0, 0, 0};
  for (uint32_t k = 0; k < count; k++) {
    const SupVec3d a = corners[k], b = corners[(k + 1) % count];
    o = sup_vec3d_add_scaled(o, a, 1.0 / count);
    n.x += (a.y - b.y) * (a.z + b.z); /* Newell */
    n.y += (a.z - b.z) * (a.x + b.x);
    n.z += (a.x - b.x) * (a.y + b.y);
  }
  const SupVec3d z = sup_vec3d_normalise(n);
  const SupVec3d m = sup_vec3d_lerp(corners[0], corners[1], 0.5);
  SupVec3d x = sup_vec3d_sub(m, o);
  x = sup_vec3d_normalise(sup_vec3d_add_scaled(x, z, -sup_vec3d_dot(x, z)));
  return sup_mat3d_from_columns(x, sup_vec3d_cross(z, x), z);
}

/* ---- The skin ---------------------------------------------------------------------------------
 */

static SupVec3d residual(const SupEnvelopePatch *patch, uint32_t i, double bend, double twist) {
  SupVec3d sum = {0, 0, 0};
  for (uint32_t k = 0; k < patch->field_count; k++) {
    const SupVec3d field = wide(patch->fields[(size_t)k * patch->vertex_count + i]);
    const double second = patch->angle_count > 1 ? twist : 0;
    sum = sup_vec3d_add_scaled(sum, field, patchwork_law(k, bend, second));
  }
  return sum;
}

/* The patch's own positions, without the root. */
static void own_places(const Patchwork *p, uint32_t k, const SupVec3d *controls,
                       const double angles[2], double strength, SupVec3d *out) {
  const SupEnvelopePatch *patch = &p->def.patches[k];
  SupVec3d corners[SUP_ENVELOPE_CORNERS];
  for (uint32_t c = 0; c < patch->corner_count; c++) corners[c] = controls[patch->corners[c]];
  const SupMat3d frame = face_frame(corners, patch->corner_count);
  for (uint32_t i = 0; i < patch->vertex_count; i++) {
    SupVec3d q = {0, 0, 0};
    for (uint32_t c = 0; c < patch->corner_count; c++) {
      q = sup_vec3d_add_scaled(q, corners[c],
                               (double)patch->corner_weights[(size_t)i * patch->corner_count + c]);
    }
    const SupVec3d d = sup_vec3d_add_scaled(wide(patch->offsets[i]),
                                            residual(patch, i, angles[0], angles[1]), strength);
    out[i] = sup_vec3d_add(q, sup_mat3d_mul_vec3(frame, d));
  }
}

typedef struct Seam {
  SupVec3d place;
  uint32_t count;
} Seam;

static void meet(const Patchwork *p, SupVec3d *const *places, const SupVec3d *skinned,
                 Seam *seams) {
  for (uint32_t k = 0; k < p->def.patch_count; k++) {
    const SupEnvelopePatch *patch = &p->def.patches[k];
    for (uint32_t b = 0; b < patch->border_count; b++) {
      Seam *seam = &seams[patch->seams[b]];
      seam->count++;
      seam->place = sup_vec3d_lerp(seam->place, places[k][b], 1.0 / seam->count);
    }
  }
  for (uint32_t s = 0; s < p->def.seam_count; s++) {
    const SupEnvelopeSeam *seam = &p->def.seams[s];
    if (seam->open) {
      seams[s].place = sup_vec3d_lerp(skinned[seam->a], skinned[seam->b], (double)seam->ratio);
    }
  }
}

static void spread(const SupEnvelopePatch *patch, const Seam *seams, SupVec3d *places) {
  for (uint32_t i = patch->border_count; i < patch->vertex_count; i++) {
    const float *row = patch->spread + (size_t)(i - patch->border_count) * patch->border_count;
    for (uint32_t b = 0; b < patch->border_count; b++) {
      const SupVec3d s = sup_vec3d_sub(seams[patch->seams[b]].place, places[b]);
      places[i] = sup_vec3d_add_scaled(places[i], s, (double)row[b]);
    }
  }
  for (uint32_t b = 0; b < patch->border_count; b++) places[b] = seams[patch->seams[b]].place;
}

void reference_shape(SupArena *arena, const Patchwork *p, SupTransform root, double bend,
                     double twist, const float *strengths, SupVec3d *out) {
  const SupEnvelopeDef *def = &p->def;
  SupAffined palette[PATCHWORK_JOINTS], still[PATCHWORK_JOINTS];
  const double angles[2] = {
      fmin(fmax(bend, (double)def->angles[0].low), (double)def->angles[0].high),
      fmin(fmax(twist, (double)def->angles[1].low), (double)def->angles[1].high)};
  SupVec3d *controls = SUP_ALLOC(arena, SupVec3d, def->control_count);
  SupVec3d **places = SUP_ALLOC(arena, SupVec3d *, def->patch_count);
  Seam *seams = SUP_ALLOC(arena, Seam, def->seam_count);
  reference_palette(p, root, bend, twist, palette);
  const SupAffined moved = palette[def->root], back = sup_affined_inverse(moved);
  for (int k = 0; k < PATCHWORK_JOINTS; k++) still[k] = sup_affined_mul(back, palette[k]);
  reference_skin(p, still, out);
  for (uint32_t c = 0; c < def->control_count; c++) controls[c] = control(p, still, c, angles);
  for (uint32_t k = 0; k < def->patch_count; k++) {
    places[k] = SUP_ALLOC(arena, SupVec3d, def->patches[k].vertex_count);
    own_places(p, k, controls, angles, strengths ? (double)strengths[k] : 1, places[k]);
  }
  meet(p, places, out, seams);
  for (uint32_t k = 0; k < def->patch_count; k++) {
    spread(&def->patches[k], seams, places[k]);
    for (uint32_t i = 0; i < def->patches[k].vertex_count; i++) {
      const uint32_t v = def->patches[k].vertices[i];
      if (v != SUP_ENVELOPE_NONE) out[v] = places[k][i];
    }
  }
  for (uint32_t v = 0; v < p->character.body.vertex_count; v++) {
    out[v] = sup_affined_point(moved, out[v]);
  }
}
