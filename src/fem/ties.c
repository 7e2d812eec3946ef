/* SPDX-License-Identifier: MIT */
/* A spring at point p = sum c_a x_a has the energy k |p - target|^2 / 2. */
#include "fem/ties.h"

/* Young's modulus of what keeps its volume: three times the shear modulus. */
static double young_of(const SupLaw *law) {
  return 3 * (law->kind == SUP_MATERIAL_STVK ? law->mu / 2 : law->mu);
}

SupResult sup_ties_create(SupArena *arena, const SupAttachment *attachment, const SupElastic *body,
                          double scale, SupTies *out_ties, SupError *error) {
  const uint32_t count = attachment->tie_count;
  double *stiffness = SUP_ALLOC(arena, double, count);
  SupVec3d *points = SUP_ALLOC(arena, SupVec3d, count);
  SupVec3d *targets = SUP_ALLOC(arena, SupVec3d, count);
  if (!stiffness || !points || !targets) return sup_fail_memory(error, "ties");
  for (uint32_t k = 0; k < count; k++) {
    const SupTie *tie = &attachment->ties[k];
    const double young = young_of(&body->laws[tie->tet]);
    stiffness[k] = attachment->firmness * young * tie->length * scale;
    points[k] = tie->point;
    targets[k] = sup_vec3d_scale(tie->point, scale);
  }
  *out_ties = (SupTies){count, attachment->ties, stiffness, points, targets};
  return SUP_OK;
}

void sup_ties_aim(SupTies *ties, const SupAffined *palette) {
  for (uint32_t k = 0; k < ties->count; k++) {
    const SupTie *tie = &ties->ties[k];
    SupVec3d sum = {0, 0, 0};
    for (int b = 0; b < SUP_ATTACH_BONES; b++) {
      if (tie->weights[b] == 0) continue;
      SupVec3d moved = sup_affined_point(palette[tie->bones[b]], ties->points[k]);
      sum = sup_vec3d_add_scaled(sum, moved, (double)tie->weights[b]);
    }
    ties->targets[k] = sum;
  }
}

double sup_ties_add(const SupTies *ties, const SupTetMesh *mesh, const SupVec3d *x,
                    SupVec3d *io_gradient, double *io_blocks) {
  double energy = 0;
  for (uint32_t k = 0; k < ties->count; k++) {
    const SupTie *tie = &ties->ties[k];
    const uint32_t *n = mesh->tets + 4 * (size_t)tie->tet;
    const double stiffness = ties->stiffness[k];
    SupVec3d off = sup_vec3d_scale(ties->targets[k], -1);
    for (int a = 0; a < 4; a++) off = sup_vec3d_add_scaled(off, x[n[a]], tie->corners[a]);
    energy += 0.5 * stiffness * sup_vec3d_dot(off, off);
    for (int a = 0; a < 4; a++) {
      io_gradient[n[a]] = sup_vec3d_add_scaled(io_gradient[n[a]], off, stiffness * tie->corners[a]);
    }
    for (size_t p = 0; p < 16 && io_blocks; p++) {
      const size_t a = p / 4, b = p % 4;
      const double value = stiffness * tie->corners[a] * tie->corners[b];
      for (size_t e = 0; e < 3; e++) {
        io_blocks[144 * (size_t)tie->tet + 12 * (3 * a + e) + 3 * b + e] += value;
      }
    }
  }
  return energy;
}
