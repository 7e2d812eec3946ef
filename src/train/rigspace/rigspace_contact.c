/* SPDX-License-Identifier: MIT */
/*
 * Contact with planes, spheres and capsules: a spring under every surface node that free parameters
 * move, E = 1/2 k d^2 of its depth d. Nodes that no free parameter moves are left out: nothing
 * could be done about them.
 */
#include <math.h>

#include "train/rigspace/rigspace_parts.h"

#define STIFF 5.0 /* of k over Young's modulus times the width of a node's flesh */

/* How deep a point is inside, and the direction out; 0 or less: it is not. */
static double depth_in(const SupRigspaceObstacle *o, SupVec3d x, SupVec3d *out_normal) {
  if (o->plane) {
    *out_normal = sup_vec3d_scale(o->b, 1 / sup_vec3d_length(o->b));
    return sup_vec3d_dot(sup_vec3d_sub(o->a, x), *out_normal);
  }
  const SupVec3d along = sup_vec3d_sub(o->b, o->a), from = sup_vec3d_sub(x, o->a);
  const double square = sup_vec3d_dot(along, along);
  const double t = square > 0 ? fmin(fmax(sup_vec3d_dot(from, along) / square, 0), 1) : 0;
  const SupVec3d out = sup_vec3d_sub(from, sup_vec3d_scale(along, t));
  const double distance = sup_vec3d_length(out);
  *out_normal = distance > 0 ? sup_vec3d_scale(out, 1 / distance) : (SupVec3d){0, 1, 0};
  return o->radius - distance;
}

SupResult sup_rigspace_contact_create(SupArena *arena, SupRigspace *rs, SupError *error) {
  const SupTetMesh *mesh = &rs->def.volume->mesh;
  if (rs->def.obstacle_count == 0) return SUP_OK;
  for (uint32_t k = 0; k < rs->def.obstacle_count; k++) {
    const SupRigspaceObstacle *o = &rs->def.obstacles[k];
    if (o->plane ? sup_vec3d_length(o->b) > 0 : o->radius > 0) continue;
    return sup_fail(error, SUP_ERROR_ARGUMENT, "obstacle %u has no %s", k + 1,
                    o->plane ? "direction" : "radius");
  }
  rs->contact_tets = SUP_ALLOC(arena, uint32_t, rs->surface_count);
  rs->contact_stiffness = SUP_ALLOC(arena, double, rs->surface_count);
  rs->moved = SUP_ALLOC(arena, bool, rs->surface_count);
  if (!rs->contact_tets || !rs->contact_stiffness || !rs->moved) {
    return sup_fail_memory(error, "rigspace");
  }
  for (uint32_t k = 0; k < 4 * mesh->tet_count; k++) {
    const uint32_t node = mesh->tets[k];
    if (node < rs->surface_count) rs->contact_tets[node] = k; /* corner k % 4 of tet k / 4 */
  }
  for (uint32_t i = 0; i < rs->surface_count; i++) {
    const uint32_t t = rs->contact_tets[i] / 4;
    const SupMaterialDef *material =
        &rs->def.materials[rs->def.material_of ? rs->def.material_of[t] : 0];
    const double width = cbrt(rs->body.masses[i] / material->density);
    rs->contact_stiffness[i] = STIFF * material->young * width;
    rs->moved[i] = true;
  }
  return SUP_OK;
}

void sup_rigspace_mark_moved(SupRigspace *rs) {
  const size_t rows = 3 * (size_t)rs->surface_count;
  if (rs->def.obstacle_count == 0) return;
  for (uint32_t i = 0; i < rs->surface_count; i++) {
    rs->moved[i] = false;
    for (uint32_t k = 0; k < rs->n && !rs->moved[i]; k++) {
      const double *c = &rs->surface[k * rows + 3 * (size_t)i];
      rs->moved[i] = c[0] != 0 || c[1] != 0 || c[2] != 0;
    }
  }
}

/* k n n^T on a corner of a tetrahedron. */
static void add_block(uint32_t corner, SupVec3d normal, double stiffness, double *io_blocks) {
  double *block = &io_blocks[144 * (size_t)(corner / 4)];
  const size_t at = 3 * (size_t)(corner % 4);
  const double n[3] = {normal.x, normal.y, normal.z};
  for (size_t r = 0; r < 3; r++) {
    for (size_t c = 0; c < 3; c++) block[12 * (at + r) + at + c] += stiffness * n[r] * n[c];
  }
}

static double contact(void *user, const SupVec3d *x, SupVec3d *io_gradient, double *io_blocks) {
  const SupRigspace *rs = user;
  double energy = 0;
  for (uint32_t i = 0; i < rs->surface_count; i++) {
    for (uint32_t k = 0; k < rs->def.obstacle_count && rs->moved[i]; k++) {
      SupVec3d normal;
      const double depth = depth_in(&rs->def.obstacles[k], x[i], &normal);
      const double stiffness = rs->contact_stiffness[i];
      if (!(depth > 0)) continue;
      energy += 0.5 * stiffness * depth * depth;
      io_gradient[i] = sup_vec3d_add_scaled(io_gradient[i], normal, -stiffness * depth);
      if (io_blocks) add_block(rs->contact_tets[i], normal, stiffness, io_blocks);
    }
  }
  return energy;
}

SupPotentialLoads sup_rigspace_loads(SupRigspace *rs, SupVec3d gravity) {
  SupPotentialLoads loads = {.gravity = gravity};
  if (rs->def.obstacle_count) {
    loads.contact = contact;
    loads.contact_user = rs;
  }
  return loads;
}
