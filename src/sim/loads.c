/* SPDX-License-Identifier: MIT */
/*
 * Forces on the skin.
 *
 *   wind      pressure drag on each vertex's area: 1/2 rho A |u.n| (u.n) n, u = wind - velocity
 *   push      impulse / duration over the vertices in reach, weight A (1 - (d/r)^2)^2
 *   track     the same with the force between two keys
 *   contact   energy k/2 A depth^2 of every vertex inside an obstacle; its stiffness is taken along
 *             the normal, which is never negative
 * A force on a vertex acts on the four nodes of its tetrahedron by its weights; a stiffness on the
 * vertex fills the corresponding block of that element.
 */
#include "sim/loads.h"

#include <math.h>

#include "supple/geom/measure.h"

SupResult sup_loads_create(SupArena *arena, const SupLoadsDef *def, SupLoads *out_loads,
                           SupError *error) {
  uint32_t vertices = def->skin->vertex_count;
  uint32_t bones = def->forces.bone_contact ? def->segment_count : 0;
  SupLoads loads = {.forces = def->forces,
                    .skin = def->skin,
                    .fill = def->fill,
                    .stiffness = def->forces.contact_stiffness > 0 ? def->forces.contact_stiffness
                                                                   : def->stiffness,
                    .segments = def->segments,
                    .radii = def->radii,
                    .segment_count = bones};
  loads.areas = SUP_ALLOC(arena, double, vertices);
  loads.force = SUP_ALLOC(arena, SupVec3d, def->fill->mesh.node_count);
  loads.place = SUP_ALLOC(arena, SupVec3d, vertices);
  loads.speed = SUP_ALLOC(arena, SupVec3d, vertices);
  loads.obstacles = SUP_ALLOC(arena, SupObstacle, (size_t)def->forces.obstacle_count + bones);
  if (def->forces.key_count == 1) {
    return sup_fail(
        error, SUP_ERROR_ARGUMENT,
        "a force track with one key has no effect; add a second key, where the force ends");
  }
  if (!loads.areas || !loads.force || !loads.place || !loads.speed || !loads.obstacles) {
    return sup_fail_memory(error, "forces");
  }
  sup_vertex_areas(def->skin, SUP_AREA_BARYCENTRIC, loads.areas);
  for (uint32_t v = 0; v < vertices; v++) loads.areas[v] *= def->scale * def->scale;
  *out_loads = loads;
  return SUP_OK;
}

/* ---- From nodes to skin and back ------------------------------------------------------------ */

static SupVec3d on_skin(const SupFill *fill, const SupVec3d *x, uint32_t v) {
  const uint32_t *nodes = fill->mesh.tets + 4 * (size_t)fill->embedding.tets[v];
  const double *weights = fill->embedding.weights + 4 * (size_t)v;
  SupVec3d sum = {0, 0, 0};
  for (int a = 0; a < 4; a++) sum = sup_vec3d_add_scaled(sum, x[nodes[a]], weights[a]);
  return sum;
}

static void to_nodes(const SupFill *fill, uint32_t v, SupVec3d force, SupVec3d *io_nodes) {
  const uint32_t *nodes = fill->mesh.tets + 4 * (size_t)fill->embedding.tets[v];
  const double *weights = fill->embedding.weights + 4 * (size_t)v;
  for (int a = 0; a < 4; a++) {
    io_nodes[nodes[a]] = sup_vec3d_add_scaled(io_nodes[nodes[a]], force, weights[a]);
  }
}

/* ---- Forces held during a step -------------------------------------------------------------- */

/* Spreads `force` over the skin around `point`. Where nothing is in reach it is lost. */
static void add_spot(SupLoads *loads, SupVec3d point, double radius, SupVec3d force) {
  double total = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (uint32_t v = 0; v < loads->skin->vertex_count; v++) {
      double fraction = sup_vec3d_distance(loads->place[v], point) / radius;
      if (!(fraction < 1)) continue;
      double weight = loads->areas[v] * (1 - fraction * fraction) * (1 - fraction * fraction);
      if (pass == 0)
        total += weight;
      else
        to_nodes(loads->fill, v, sup_vec3d_scale(force, weight / total), loads->force);
    }
    if (!(total > 0)) return;
  }
}

/* Outward normal of each vertex times its area now, added up by triangle. */
static void add_wind(SupLoads *loads) {
  const SupMesh *skin = loads->skin;
  for (uint32_t f = 0; f < skin->triangle_count; f++) {
    const uint32_t *c = skin->triangles + 3 * (size_t)f;
    SupVec3d a = loads->place[c[0]];
    SupVec3d normal =
        sup_vec3d_cross(sup_vec3d_sub(loads->place[c[1]], a), sup_vec3d_sub(loads->place[c[2]], a));
    double area = sup_vec3d_length(normal) / 2;
    if (!(area > 0)) continue;
    SupVec3d unit = sup_vec3d_scale(normal, 0.5 / area);
    for (int k = 0; k < 3; k++) {
      double along = sup_vec3d_dot(sup_vec3d_sub(loads->forces.wind, loads->speed[c[k]]), unit);
      double pressure = 0.5 * loads->forces.air_density * fabs(along) * along;
      to_nodes(loads->fill, c[k], sup_vec3d_scale(unit, pressure * area / 3), loads->force);
    }
  }
}

/* The fraction of [time, time + h] in which a push acts, as force. */
static SupVec3d push_force(const SupPush *push, double time, double h, double step) {
  double duration = fmax(push->duration, step);
  double overlap = fmin(time + h, push->time + duration) - fmax(time, push->time);
  if (!(overlap > 0)) return (SupVec3d){0, 0, 0};
  return sup_vec3d_scale(push->impulse, overlap / (duration * h));
}

static void add_track(SupLoads *loads, double time) {
  const SupForceKey *keys = loads->forces.keys;
  for (uint32_t k = 0; k + 1 < loads->forces.key_count; k++) {
    if (time < keys[k].time || time >= keys[k + 1].time) continue;
    double t = (time - keys[k].time) / (keys[k + 1].time - keys[k].time);
    add_spot(loads, sup_vec3d_lerp(keys[k].point, keys[k + 1].point, t),
             keys[k].radius + t * (keys[k + 1].radius - keys[k].radius),
             sup_vec3d_lerp(keys[k].force, keys[k + 1].force, t));
  }
}

const SupVec3d *sup_loads_apply(SupLoads *loads, double time, double h, const SupVec3d *x,
                                const SupVec3d *v) {
  const SupForces *forces = &loads->forces;
  bool windy = forces->air_density > 0;
  if (!windy && forces->push_count == 0 && forces->key_count == 0) return NULL;
  for (uint32_t n = 0; n < loads->fill->mesh.node_count; n++) loads->force[n] = (SupVec3d){0, 0, 0};
  for (uint32_t k = 0; k < loads->skin->vertex_count; k++) {
    loads->place[k] = on_skin(loads->fill, x, k);
    loads->speed[k] = h > 0 ? on_skin(loads->fill, v, k) : (SupVec3d){0, 0, 0};
  }
  if (windy) add_wind(loads);
  for (uint32_t k = 0; h > 0 && k < forces->push_count; k++) {
    SupVec3d force = push_force(&forces->pushes[k], time, h, loads->step);
    if (sup_vec3d_dot(force, force) > 0) {
      add_spot(loads, forces->pushes[k].point, forces->pushes[k].radius, force);
    }
  }
  add_track(loads, time + h / 2);
  return loads->force;
}

/* ---- Contact -------------------------------------------------------------------------------- */

bool sup_loads_place_obstacles(SupLoads *loads, double time, const SupAffined *palette) {
  loads->obstacle_count = 0;
  for (uint32_t k = 0; k < loads->forces.obstacle_count; k++) {
    SupObstacle obstacle = loads->forces.obstacles[k];
    obstacle.a = sup_vec3d_add_scaled(obstacle.a, obstacle.velocity, time);
    if (obstacle.shape == SUP_OBSTACLE_CAPSULE) {
      obstacle.b = sup_vec3d_add_scaled(obstacle.b, obstacle.velocity, time);
    } else {
      obstacle.b = sup_vec3d_normalise(obstacle.b);
    }
    loads->obstacles[loads->obstacle_count++] = obstacle;
  }
  for (uint32_t k = 0; k < loads->segment_count; k++) {
    const SupSegment *segment = &loads->segments[k];
    SupObstacle bone = {.shape = SUP_OBSTACLE_CAPSULE, .radius = loads->radii[k]};
    bone.a = sup_affined_point(palette[segment->bone], sup_vec3_to_double(segment->a));
    bone.b = sup_affined_point(palette[segment->bone], sup_vec3_to_double(segment->b));
    loads->obstacles[loads->obstacle_count++] = bone;
  }
  return loads->obstacle_count > 0;
}

/* How deep a point is in an obstacle (> 0 inside) and the way out. */
static double depth_in(const SupObstacle *obstacle, SupVec3d point, SupVec3d *out_normal) {
  if (obstacle->shape == SUP_OBSTACLE_PLANE) {
    *out_normal = obstacle->b;
    return -sup_vec3d_dot(sup_vec3d_sub(point, obstacle->a), obstacle->b);
  }
  SupVec3d axis = sup_vec3d_sub(obstacle->b, obstacle->a);
  SupVec3d from = sup_vec3d_sub(point, obstacle->a);
  double square = sup_vec3d_dot(axis, axis);
  double t = square > 0 ? sup_vec3d_dot(from, axis) / square : 0;
  SupVec3d away = sup_vec3d_add_scaled(from, axis, -fmin(fmax(t, 0), 1));
  double distance = sup_vec3d_length(away);
  if (!(distance > 0)) return 0; /* on the axis no way out is better than another */
  *out_normal = sup_vec3d_scale(away, 1 / distance);
  return obstacle->radius - distance;
}

/* Adds k (n n^T) on vertex v to the block of its element. */
static void add_normal_stiffness(const SupFill *fill, uint32_t v, SupVec3d normal, double stiffness,
                                 double *io_blocks) {
  double *block = io_blocks + 144 * (size_t)fill->embedding.tets[v];
  const double *weights = fill->embedding.weights + 4 * (size_t)v;
  const double n[3] = {normal.x, normal.y, normal.z};
  for (size_t r = 0; r < 12; r++) {
    for (size_t c = 0; c < 12; c++) {
      block[12 * r + c] += stiffness * weights[r / 3] * n[r % 3] * weights[c / 3] * n[c % 3];
    }
  }
}

double sup_loads_contact(void *user, const SupVec3d *x, SupVec3d *io_gradient, double *io_blocks) {
  const SupLoads *loads = (const SupLoads *)user;
  double energy = 0;
  for (uint32_t v = 0; v < loads->skin->vertex_count; v++) {
    SupVec3d point = on_skin(loads->fill, x, v);
    double stiffness = loads->stiffness * loads->areas[v];
    for (uint32_t k = 0; k < loads->obstacle_count; k++) {
      SupVec3d normal;
      double depth = depth_in(&loads->obstacles[k], point, &normal);
      if (!(depth > 0)) continue;
      energy += 0.5 * stiffness * depth * depth;
      to_nodes(loads->fill, v, sup_vec3d_scale(normal, -stiffness * depth), io_gradient);
      if (io_blocks) add_normal_stiffness(loads->fill, v, normal, stiffness, io_blocks);
    }
  }
  return energy;
}
