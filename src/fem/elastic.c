/* SPDX-License-Identifier: MIT */
/*
 * Linear tetrahedra: energy, forces, stiffness, and their assembly.
 *
 *   F = D S, D = [x1 - x0, x2 - x0, x3 - x0], S = inverse of D at rest      (deformation_gradient)
 *   W = sum over elements of volume * w(F)
 *   dW/dx_a = volume * P g_a, g_a = gradient of corner a's shape function: row a - 1 of S,
 *             and minus the sum of all rows for corner 0                      (add_forces)
 *   K_ab = volume * sum_k value_k (M_k g_a)(M_k g_b)^T, M_k the stiffness modes (element_stiffness)
 * A muscle under tension T along the rest direction d adds T/2 (|F d|^2 - 1) to w, hence T F d d^T
 * to P and the constant T (d . g_a)(d . g_b) to the diagonal of K_ab: never less definite.
 */
#include "fem/elastic.h"

#include "fem/dihedral.h"
#include "fem/elastic_pattern.h"
#include "fem/polar.h"

#define GRAIN 64

/* ---- One element ---------------------------------------------------------------------------- */

static SupMat3d edges(const SupElastic *body, const SupVec3d *x, uint32_t t) {
  const uint32_t *n = body->mesh.tets + 4 * (size_t)t;
  SupMat3d d;
  for (int c = 0; c < 3; c++) {
    d.m[3 * c] = x[n[c + 1]].x - x[n[0]].x;
    d.m[3 * c + 1] = x[n[c + 1]].y - x[n[0]].y;
    d.m[3 * c + 2] = x[n[c + 1]].z - x[n[0]].z;
  }
  return d;
}

static SupMat3d deformation_gradient(const SupElastic *body, const SupVec3d *x, uint32_t t) {
  return sup_mat3d_mul(edges(body, x, t), body->shape[t]);
}

/* out[3 * corner + axis] = scale * (A g_corner). */
static void on_corners(const SupMat3d *A, const SupMat3d *shape, double scale, double out[12]) {
  for (int r = 0; r < 3; r++) out[r] = 0;
  for (int a = 1; a < 4; a++) {
    for (int r = 0; r < 3; r++) {
      double value = scale * (A->m[r] * shape->m[a - 1] + A->m[3 + r] * shape->m[3 + a - 1] +
                              A->m[6 + r] * shape->m[6 + a - 1]);
      out[3 * a + r] = value;
      out[r] -= value;
    }
  }
}

/* Adds the active part of a muscle to energy density and stress. */
static double add_tension(const SupElastic *body, const SupMat3d *F, uint32_t t, SupMat3d *P) {
  if (!body->fibres || body->tension[t] == 0) return 0;
  double tension = body->tension[t];
  double d[3] = {body->fibres[t].x, body->fibres[t].y, body->fibres[t].z}, stretch = 0;
  for (int r = 0; r < 3; r++) {
    double fd = F->m[r] * d[0] + F->m[3 + r] * d[1] + F->m[6 + r] * d[2];
    stretch += fd * fd;
    for (int c = 0; c < 3; c++) P->m[3 * c + r] += tension * fd * d[c];
  }
  return tension / 2 * (stretch - 1);
}

/* The stiffness of that part. */
static void add_tension_block(const SupElastic *body, uint32_t t, double *block) {
  if (!body->fibres || body->tension[t] == 0) return;
  SupVec3d d = body->fibres[t];
  const SupMat3d along = {{d.x, 0, 0, d.y, 0, 0, d.z, 0, 0}}; /* first row d, so axis 0 is d . g */
  double g[12];
  on_corners(&along, &body->shape[t], 1, g);
  double scale = body->volumes[t] * body->tension[t];
  for (int a = 0; a < 4; a++) {
    for (int b = 0; b < 4; b++) {
      for (int r = 0; r < 3; r++)
        block[12 * (3 * a + r) + 3 * b + r] += scale * g[3 * a] * g[3 * b];
    }
  }
}

static void element_energy(SupElastic *body, const SupVec3d *x, const SupStrainRate *rates,
                           uint32_t t) {
  SupMat3d F = deformation_gradient(body, x, t), P;
  const SupStrainRate *rate = rates && rates[t].mu > 0 ? &rates[t] : NULL;
  SupPolar polar;
  double density;
  if (sup_polar(&F, &polar)) {
    density = sup_polar_stress(&body->laws[t], &polar, &P);
    if (rate) density += sup_polar_rate_stress(rate, &polar, &P);
  } else {
    const SupSvdd svd = sup_mat3d_svd(F);
    density = sup_law_stress(&body->laws[t], &svd, &P);
    if (rate) density += sup_strain_rate_stress(rate, &svd, &P);
  }
  density += add_tension(body, &F, t, &P);
  body->energies[t] = body->volumes[t] * density;
  on_corners(&P, &body->shape[t], body->volumes[t], body->forces + 12 * (size_t)t);
}

/* The exact stiffness of the damping, from its form along the change of every corner and axis. */
static void add_rate_block(const SupElastic *body, const SupStrainRate *rate, const SupSvdd *svd,
                           uint32_t t, double *block) {
  SupMat3d change[12];
  for (int k = 0; k < 12; k++) {
    const SupMat3d *shape = &body->shape[t];
    change[k] = (SupMat3d){{0}};
    for (int c = 0; c < 3; c++) {
      const double *row = shape->m + 3 * c;
      change[k].m[3 * c + k % 3] = k < 3 ? -row[0] - row[1] - row[2] : row[k / 3 - 1];
    }
  }
  for (int r = 0; r < 12; r++) {
    for (int c = 0; c < 12; c++) {
      block[12 * r + c] +=
          body->volumes[t] * sup_strain_rate_curvature(rate, svd, &change[r], &change[c]);
    }
  }
}

static void element_stiffness(SupElastic *body, const SupVec3d *x, const SupStrainRate *rates,
                              SupHessian hessian, uint32_t t) {
  SupMat3d F = deformation_gradient(body, x, t);
  SupSvdd svd = sup_mat3d_svd(F);
  SupStiffness stiffness;
  const SupStrainRate *rate = rates && rates[t].mu > 0 ? &rates[t] : NULL;
  const bool exact = hessian == SUP_HESSIAN_EXACT;
  sup_law_stiffness(&body->laws[t], &svd, hessian == SUP_HESSIAN_PROJECTED, &stiffness);
  const double volume = body->volumes[t];
  if (rate && !exact) sup_strain_rate_stiffness(rate, &svd, &stiffness);
  /* To the last bit what a search along a line will compare with. */
  element_energy(body, x, rates, t);
  double *block = body->blocks + 144 * (size_t)t;
  for (int k = 0; k < 144; k++) block[k] = 0;
  for (int k = 0; k < SUP_STIFFNESS_MODES; k++) {
    double g[12];
    if (stiffness.value[k] == 0) continue;
    on_corners(&stiffness.mode[k], &body->shape[t], 1, g);
    for (int r = 0; r < 12; r++) {
      double scaled = volume * stiffness.value[k] * g[r];
      for (int c = 0; c < 12; c++) block[12 * r + c] += scaled * g[c];
    }
  }
  add_tension_block(body, t, block);
  if (rate && exact) add_rate_block(body, rate, &svd, t, block);
}

/* ---- All elements --------------------------------------------------------------------------- */

typedef struct Pass {
  SupElastic *body;
  const SupVec3d *x;
  const SupStrainRate *rates;
  SupStretch *stretch;
  SupVec3d *gradient;
  const double *diagonal;
  const double *extra;
  SupHessian hessian;
} Pass;

static void energy_range(void *context, SupRange range) {
  const Pass *pass = (const Pass *)context;
  for (uint32_t k = range.first; k < range.first + range.count; k++) {
    element_energy(pass->body, pass->x, pass->rates, pass->body->active[k]);
  }
}

static void stiffness_range(void *context, SupRange range) {
  const Pass *pass = (const Pass *)context;
  for (uint32_t k = range.first; k < range.first + range.count; k++) {
    element_stiffness(pass->body, pass->x, pass->rates, pass->hessian, pass->body->active[k]);
  }
}

static void stretch_range(void *context, SupRange range) {
  const Pass *pass = (const Pass *)context;
  for (uint32_t k = range.first; k < range.first + range.count; k++) {
    const uint32_t t = pass->body->active[k];
    const SupMat3d F = deformation_gradient(pass->body, pass->x, t);
    SupPolar polar;
    if (sup_polar(&F, &polar)) {
      pass->stretch[t] = polar.S;
    } else {
      const SupSvdd svd = sup_mat3d_svd(F);
      pass->stretch[t] = sup_stretch(&svd);
    }
  }
}

static void gather_range(void *context, SupRange range) {
  const Pass *pass = (const Pass *)context;
  const SupElastic *body = pass->body;
  for (uint32_t n = range.first; n < range.first + range.count; n++) {
    SupVec3d sum = {0, 0, 0};
    for (uint32_t k = body->corner_offsets[n]; k < body->corner_offsets[n + 1]; k++) {
      const double *force = body->forces + 3 * (size_t)body->corners[k];
      sum.x += force[0];
      sum.y += force[1];
      sum.z += force[2];
    }
    pass->gradient[n] = sum;
  }
}

static double finish_pass(Pass *pass) {
  SupElastic *body = pass->body;
  if (pass->gradient) {
    sup_parallel_for(body->jobs, body->mesh.node_count, GRAIN, gather_range, pass);
  }
  double total = 0;
  for (uint32_t t = 0; t < body->mesh.tet_count; t++) total += body->energies[t];
  return total;
}

double sup_elastic_energy(SupElastic *body, const SupVec3d *x, const SupStrainRate *rates,
                          SupVec3d *out_gradient) {
  Pass pass = {.body = body, .x = x, .rates = rates, .gradient = out_gradient};
  sup_parallel_for(body->jobs, body->active_count, GRAIN, energy_range, &pass);
  return finish_pass(&pass);
}

double sup_elastic_linearise(SupElastic *body, const SupVec3d *x, const SupStrainRate *rates,
                             SupHessian hessian, SupVec3d *out_gradient) {
  Pass pass = {.body = body, .x = x, .rates = rates, .gradient = out_gradient, .hessian = hessian};
  sup_parallel_for(body->jobs, body->active_count, GRAIN, stiffness_range, &pass);
  return finish_pass(&pass);
}

void sup_elastic_stretch(SupElastic *body, const SupVec3d *x, SupStretch *out_stretch) {
  Pass pass = {.body = body, .x = x, .stretch = out_stretch};
  sup_parallel_for(body->jobs, body->active_count, GRAIN, stretch_range, &pass);
}

/* Sums the element blocks of matrix block `block` into sum[9], row-major. */
static void sum_block(const SupElastic *body, const double *extra, uint32_t block, double sum[9]) {
  for (int k = 0; k < 9; k++) sum[k] = 0;
  for (uint32_t k = body->pair_offsets[block]; k < body->pair_offsets[block + 1]; k++) {
    uint64_t pair = body->pairs[k];
    size_t at = 144 * (size_t)(pair >> 4) + 36 * (size_t)((pair >> 2) & 3) + 3 * (size_t)(pair & 3);
    for (size_t r = 0; r < 3; r++) {
      for (size_t c = 0; c < 3; c++) {
        sum[3 * r + c] += body->blocks[at + 12 * r + c] + (extra ? extra[at + 12 * r + c] : 0);
      }
    }
  }
}

static void assemble_range(void *context, SupRange range) {
  const Pass *pass = (const Pass *)context;
  const SupElastic *body = pass->body;
  for (uint32_t j = range.first; j < range.first + range.count; j++) {
    uint32_t first = body->block_offsets[j], count = body->block_offsets[j + 1] - first;
    for (uint32_t k = 0; k < count; k++) {
      double sum[9];
      sum_block(body, pass->extra, first + k, sum);
      for (uint32_t c = 0; c < 3; c++) {
        double *column = body->matrix.values + body->matrix.columns[3 * (size_t)j + c];
        for (uint32_t r = 0; r < 3; r++) column[3 * k + r] = sum[3 * r + c];
        /* The first block of a column is the diagonal one. */
        if (k == 0 && pass->diagonal) column[c] += pass->diagonal[j];
      }
    }
  }
}

void sup_elastic_assemble(SupElastic *body, const double *diagonal, const double *extra) {
  Pass pass = {.body = body, .diagonal = diagonal, .extra = extra};
  sup_parallel_for(body->jobs, body->free_count, GRAIN, assemble_range, &pass);
}

double sup_elastic_worst(const SupElastic *body, const SupVec3d *x, uint32_t *out_tet,
                         uint32_t *out_inverted) {
  double worst = 1;
  uint32_t inverted = 0;
  bool any = false;
  for (uint32_t k = 0; k < body->active_count; k++) {
    uint32_t t = body->active[k];
    if (body->volumes[t] == 0) continue;
    double volume = sup_mat3d_determinant(deformation_gradient(body, x, t));
    inverted += volume < 0;
    if (!any || volume < worst) {
      any = true;
      worst = volume;
      if (out_tet) *out_tet = t;
    }
  }
  if (out_inverted) *out_inverted = inverted;
  return worst;
}

double sup_elastic_sharpest(const SupElastic *body, const SupVec3d *x) {
  double least = 1, most = -1;
  for (uint32_t k = 0; k < body->active_count; k++) {
    const uint32_t t = body->active[k], *n = body->mesh.tets + 4 * (size_t)t;
    if (body->volumes[t] == 0) continue;
    sup_dihedral_cosines((const SupVec3d[4]){x[n[0]], x[n[1]], x[n[2]], x[n[3]]}, &least, &most);
  }
  return sup_dihedral_degrees(most);
}

void sup_elastic_resist(SupElastic *body, bool resist) {
  for (uint32_t t = 0; t < body->mesh.tet_count; t++) {
    body->laws[t].crush = resist ? SUP_LAW_CRUSH : 0;
  }
}

SupResult sup_elastic_set_rest(SupElastic *body, const SupVec3d *nodes, SupError *error) {
  for (uint32_t t = 0; t < body->mesh.tet_count; t++) {
    double volume = sup_mat3d_determinant(edges(body, nodes, t));
    if (!(volume > 0)) {
      return sup_fail(error, SUP_ERROR_NUMERIC, "tetrahedron %u would be inverted at rest", t);
    }
  }
  for (uint32_t t = 0; t < body->mesh.tet_count; t++) {
    SupMat3d now = edges(body, nodes, t);
    /* The old volume is the determinant of the old edges times the contribution that is flesh. */
    body->volumes[t] *= sup_mat3d_determinant(now) * sup_mat3d_determinant(body->shape[t]);
    body->shape[t] = sup_mat3d_inverse(now);
  }
  return SUP_OK;
}

/* ---- Setting up ----------------------------------------------------------------------------- */

static SupResult set_elements(SupElastic *body, const SupElasticDef *def, SupError *error) {
  for (uint32_t t = 0; t < def->mesh.tet_count; t++) {
    uint32_t which = def->material_of ? def->material_of[t] : 0;
    SupMaterialDef material = def->materials[which];
    if (def->stiffness) material.young *= def->stiffness[t];
    SupMat3d d = edges(body, def->mesh.nodes, t);
    double volume = sup_mat3d_determinant(d) / 6;
    if (!(volume > 0)) {
      return sup_fail(error, SUP_ERROR_FORMAT, "tetrahedron %u is degenerate or inverted (%g m^3)",
                      t, volume);
    }
    body->laws[t] = sup_law(&material);
    body->damping[t] = material.damping;
    if (def->fractions) volume *= def->fractions[t];
    body->volumes[t] = volume;
    body->shape[t] = sup_mat3d_inverse(d);
    for (int a = 0; a < 4; a++) {
      uint32_t n = def->mesh.tets[4 * (size_t)t + (size_t)a];
      double mass = material.density * volume / 4;
      body->masses[n] += mass;
      body->drags[n] += material.drag * mass;
    }
    if (def->fibres) body->fibres[t] = def->fibres[t];
  }
  for (uint32_t n = 0; n < def->mesh.node_count; n++) {
    if (!(body->masses[n] > 0)) {
      return sup_fail(error, SUP_ERROR_FORMAT, "node %u belongs to no tetrahedron", n);
    }
  }
  return SUP_OK;
}

static bool set_free_nodes(SupArena *arena, SupElastic *body, const uint8_t *prescribed) {
  uint32_t nodes = body->mesh.node_count;
  body->free_index = SUP_ALLOC(arena, int32_t, nodes);
  body->free_nodes = SUP_ALLOC(arena, uint32_t, nodes);
  if (!body->free_index || !body->free_nodes) return false;
  for (uint32_t n = 0; n < nodes; n++) {
    bool is_free = !(prescribed && prescribed[n]);
    body->free_index[n] = is_free ? (int32_t)body->free_count : -1;
    if (is_free) body->free_nodes[body->free_count++] = n;
  }
  return true;
}

/* Unseen flesh goes with the bones, which carry its mass: a free node at its border, which swings
 * with what is seen, does not. */
static bool drop_unseen(SupArena *arena, SupElastic *body, const SupElasticDef *def) {
  uint8_t *seen = SUP_ALLOC(arena, uint8_t, body->mesh.node_count);
  if (!seen) return false;
  for (uint32_t t = 0; t < body->mesh.tet_count; t++) {
    for (size_t a = 0; a < 4 && !def->unseen[t]; a++) seen[body->mesh.tets[4 * (size_t)t + a]] = 1;
  }
  for (uint32_t t = 0; t < body->mesh.tet_count; t++) {
    if (!def->unseen[t]) continue;
    const SupMaterialDef *material = &def->materials[def->material_of ? def->material_of[t] : 0];
    const double mass = material->density * body->volumes[t] / 4;
    for (size_t a = 0; a < 4; a++) {
      const uint32_t n = body->mesh.tets[4 * (size_t)t + a];
      if (!seen[n] || body->free_index[n] < 0) continue;
      body->masses[n] -= mass;
      body->drags[n] -= material->drag * mass;
      body->carried += mass;
    }
    body->volumes[t] = 0;
  }
  return true;
}

static bool set_active(SupArena *arena, SupElastic *body) {
  body->active = SUP_ALLOC(arena, uint32_t, body->mesh.tet_count);
  if (!body->active) return false;
  for (uint32_t t = 0; t < body->mesh.tet_count; t++) {
    bool moves = false;
    for (size_t a = 0; a < 4; a++) {
      moves |= body->free_index[body->mesh.tets[4 * (size_t)t + a]] >= 0;
    }
    if (moves) body->active[body->active_count++] = t;
  }
  return true;
}

static bool set_corners(SupArena *arena, SupElastic *body) {
  uint32_t nodes = body->mesh.node_count, corners = 4 * body->active_count;
  uint32_t *offsets = SUP_ALLOC(arena, uint32_t, (size_t)nodes + 2);
  body->corners = SUP_ALLOC(arena, uint32_t, corners);
  if (!offsets || !body->corners) return false;
  /* Counted two places up, so that after filling offsets[n] is where node n begins. */
  for (uint32_t k = 0; k < corners; k++) {
    offsets[body->mesh.tets[4 * (size_t)body->active[k / 4] + k % 4] + 2]++;
  }
  for (uint32_t n = 0; n < nodes; n++) offsets[n + 2] += offsets[n + 1];
  for (uint32_t k = 0; k < corners; k++) {
    uint32_t corner = 4 * body->active[k / 4] + k % 4;
    body->corners[offsets[body->mesh.tets[corner] + 1]++] = corner;
  }
  body->corner_offsets = offsets;
  return true;
}

SupResult sup_elastic_create(SupArena *arena, const SupElasticDef *def, SupElastic *out_body,
                             SupError *error) {
  SupElastic body = {.mesh = def->mesh, .jobs = def->jobs};
  uint32_t tets = def->mesh.tet_count, nodes = def->mesh.node_count;
  body.laws = SUP_ALLOC(arena, SupLaw, tets);
  body.damping = SUP_ALLOC(arena, double, tets);
  body.volumes = SUP_ALLOC(arena, double, tets);
  body.shape = SUP_ALLOC(arena, SupMat3d, tets);
  body.masses = SUP_ALLOC(arena, double, nodes);
  body.drags = SUP_ALLOC(arena, double, nodes);
  body.energies = SUP_ALLOC(arena, double, tets);
  body.forces = SUP_ALLOC(arena, double, 12 * (size_t)tets);
  body.blocks = SUP_ALLOC(arena, double, 144 * (size_t)tets);
  if (def->fibres) {
    body.fibres = SUP_ALLOC(arena, SupVec3d, tets);
    body.tension = SUP_ALLOC(arena, double, tets);
    if (!body.fibres || !body.tension) goto memory;
  }
  bool room = body.laws && body.damping && body.volumes && body.shape && body.masses &&
              body.drags && body.energies && body.forces && body.blocks;
  if (!room) goto memory;
  SupResult result = set_elements(&body, def, error);
  if (result != SUP_OK) return result;
  if (!set_free_nodes(arena, &body, def->prescribed)) goto memory;
  if (def->unseen && !drop_unseen(arena, &body, def)) goto memory;
  if (!set_active(arena, &body) || !set_corners(arena, &body)) goto memory;
  if (!sup_elastic_pattern(arena, &body)) goto memory;
  *out_body = body;
  return SUP_OK;
memory:
  return sup_fail(error, SUP_ERROR_MEMORY,
                  "an elastic body of %u tetrahedra does not fit in memory", tets);
}
