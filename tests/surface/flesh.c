/* SPDX-License-Identifier: MIT */
#include "flesh.h"

#include <string.h>

#include "supple/io/file.h"
#include "supple/surface.h"

SupVec3d flesh_get(const double *rows, uint32_t lane) {
  const double *p = rows + (size_t)48 * (lane / 16) + lane % 16;
  return (SupVec3d){p[0], p[16], p[32]};
}

void flesh_set(double *rows, uint32_t lane, SupVec3d v) {
  double *p = rows + (size_t)48 * (lane / 16) + lane % 16;
  p[0] = v.x, p[16] = v.y, p[32] = v.z;
}

void flesh_make(SupArena *arena, const SupCharacter *character, const SupSurfaceDef *def,
                Flesh *out) {
  SupError error = {{0}};
  *out = (Flesh){.rotation_steps = 1, .backend = sup_backend_cpu()};
  if (sup_surface_pack(arena, character, def, &out->model, &error)) fail_msg("%s", error.text);
  out->view = sup_surface_view(out->model);
  void *wide = SUP_ALLOC(arena, char, sup_surface_to_double_bytes(&out->view));
  sup_surface_to_double(&out->view, wide, &out->wide);
  out->lanes = 16 * out->view.skin.block_count;
  double **rows[10] = {&out->x,         &out->dx,     &out->goal,    &out->goal_step,
                       &out->next_goal, &out->forces, &out->normals, &out->rotation,
                       &out->records,   &out->terms};
  for (int k = 0; k < 10; k++) {
    *rows[k] = SUP_ALLOC(arena, double,
                         out->lanes *(k < 7    ? 3
                                      : k == 7 ? 4
                                      : k == 8 ? 8
                                               : 3 * SUP_SURFACE_ALL_TERMS));
    assert_non_null(*rows[k]);
  }
  for (uint32_t b = 0; b < character->skeleton.bone_count; b++) {
    out->palette[b] = sup_affined_identity();
  }
}

void flesh_goal(Flesh *flesh) {
  const bool turned = flesh->view.flags & SUP_SURFACE_NORMAL;
  SupSkinCalld call = {.skin = &flesh->wide.skin,
                       .palette = flesh->palette,
                       .positions = {flesh->next_goal, 0},
                       .normals = {turned ? flesh->normals : NULL, 0}};
  sup_skin_lbs_f64(NULL, &call);
}

static SupSurfaceCalld call_of(Flesh *f) {
  return (SupSurfaceCalld){.model = &f->wide,
                           .palette = f->palette,
                           .segments = f->placed,
                           .next_goal = f->next_goal,
                           .normals = f->stopped || f->view.normal_rows ? f->normals : NULL,
                           .forces = f->forced ? f->forces : NULL,
                           .push = f->push,
                           .bends = f->bends,
                           .collider_count = f->collider_count,
                           .colliders = f->colliders,
                           .rotation_steps = f->rotation_steps,
                           .owed = f->owed,
                           .x = f->x,
                           .dx = f->dx,
                           .goal = f->goal,
                           .goal_step = f->goal_step,
                           .rotation = f->rotation,
                           .records = f->records,
                           .terms = f->terms};
}

void flesh_start(Flesh *flesh) {
  SupSurfaceCalld call = call_of(flesh);
  sup_surface_start_f64(flesh->backend, NULL, &call, false);
  flesh->owed = false;
}

static float *narrowed(const double *from, size_t count) {
  float *to = aligned_alloc(64, (count * sizeof(float) + 63) / 64 * 64);
  for (size_t i = 0; i < count; i++) to[i] = (float)from[i];
  return to;
}

static void to_double(float *from, size_t count, double *to) {
  for (size_t i = 0; i < count; i++) to[i] = (double)from[i];
  free(from);
}

static void step_in_float(Flesh *f, const SupBackend *backend) {
  size_t n = f->lanes;
  SupAffine palette[64];
  SupSurfacePlaced placed[256];
  SupCollider colliders[4];
  for (int k = 0; k < 64; k++) palette[k] = sup_affined_to_float(f->palette[k]);
  sup_surface_place(&f->view, palette, placed);
  for (uint32_t k = 0; k < f->collider_count; k++) {
    const SupColliderd *c = &f->colliders[k];
    colliders[k] =
        (SupCollider){sup_vec3d_to_float(c->a), sup_vec3d_to_float(c->b),
                      sup_vec3d_to_float(c->motion), (float)c->radius, (float)c->restitution};
  }
  float *next_goal = narrowed(f->next_goal, 3 * n), *forces = narrowed(f->forces, 3 * n);
  float *normals = narrowed(f->normals, 3 * n);
  SupSurfaceCall call = {.model = &f->view,
                         .palette = palette,
                         .segments = placed,
                         .next_goal = next_goal,
                         .normals = f->stopped || f->view.normal_rows ? normals : NULL,
                         .forces = f->forced ? forces : NULL,
                         .push = sup_vec3d_to_float(f->push),
                         .collider_count = f->collider_count,
                         .colliders = colliders,
                         .rotation_steps = f->rotation_steps,
                         .owed = f->owed,
                         .x = narrowed(f->x, 3 * n),
                         .dx = narrowed(f->dx, 3 * n),
                         .goal = narrowed(f->goal, 3 * n),
                         .goal_step = narrowed(f->goal_step, 3 * n),
                         .rotation = narrowed(f->rotation, 4 * n),
                         .records = narrowed(f->records, 8 * n),
                         .terms = narrowed(f->terms, 24 * n)};
  sup_surface_solve(backend, NULL, &call);
  to_double(call.x, 3 * n, f->x);
  to_double(call.dx, 3 * n, f->dx);
  to_double(call.goal, 3 * n, f->goal);
  to_double(call.goal_step, 3 * n, f->goal_step);
  to_double(call.rotation, 4 * n, f->rotation);
  to_double(call.records, 8 * n, f->records);
  to_double(call.terms, 24 * n, f->terms);
  free(next_goal);
  free(forces);
  free(normals);
}

void flesh_step(Flesh *flesh, const SupBackend *backend) {
  if (backend) {
    step_in_float(flesh, backend);
    flesh->owed = true;
    return;
  }
  sup_surface_place_f64(&flesh->wide, flesh->palette, flesh->placed);
  SupSurfaceCalld call = call_of(flesh);
  sup_surface_solve_f64(flesh->backend, NULL, &call);
  flesh->owed = true;
}

Precision precision(int k) {
  return k ? (Precision){sup_backend_cpu(), 1e-5} : (Precision){NULL, 1e-12};
}

SupArena new_arena(void) {
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  return arena;
}

SupSurfaceDef def_of(float alpha, float beta, float gamma, float lambda, float delta) {
  SupSurfaceDef def = sup_surface_def();
  const float values[5] = {alpha, beta, gamma, lambda, delta};
  for (int k = 0; k < 5; k++) def.values[k] = values[k];
  def.segment_count = 2;
  def.segments = tube_segments;
  return def;
}

SupVec3d random_vector(SupRng *rng, double size) {
  double x = sup_rng_double(rng), y = sup_rng_double(rng), z = sup_rng_double(rng);
  return (SupVec3d){(2 * x - 1) * size, (2 * y - 1) * size, (2 * z - 1) * size};
}

SupQuatd random_rotation(SupRng *rng) {
  SupVec3d v = random_vector(rng, 1);
  return sup_quatd_normalise((SupQuatd){v.x, v.y, v.z, 2 * sup_rng_double(rng) - 1});
}

SupAffined rigid(SupQuatd q, SupVec3d t) {
  return sup_affined_compose((SupTransformd){t, q, {1, 1, 1}});
}

SupQuatd get_rotation(const Flesh *f, uint32_t lane) {
  const double *p = f->rotation + (size_t)64 * (lane / 16) + lane % 16;
  return (SupQuatd){p[0], p[16], p[32], p[48]};
}

void set_rotation(Flesh *f, uint32_t lane, SupQuatd q) {
  double *p = f->rotation + (size_t)64 * (lane / 16) + lane % 16;
  p[0] = q.x, p[16] = q.y, p[32] = q.z, p[48] = q.w;
}

/* Everything that can differ between vertices, at random; the spare lanes repeat the first lane of
 * their block as in a real state. */
void randomise(Flesh *f, SupRng *rng) {
  uint32_t n = f->view.skin.vertex_count;
  for (uint32_t lane = 0; lane < f->lanes; lane++) {
    SupRng own = sup_rng(sup_rng_u32(rng), 0);
    if (lane >= n) own = sup_rng(99, 0);
    SupVec3d goal = flesh_get(f->next_goal, lane);
    flesh_set(f->x, lane, sup_vec3d_add(goal, random_vector(&own, 0.05)));
    flesh_set(f->dx, lane, random_vector(&own, 0.02));
    flesh_set(f->goal, lane, sup_vec3d_add(goal, random_vector(&own, 0.02)));
    flesh_set(f->goal_step, lane, random_vector(&own, 0.02));
    flesh_set(f->forces, lane, random_vector(&own, 0.01));
    SupVec3d t = random_vector(&own, 0.2);
    set_rotation(f, lane, sup_quatd_normalise((SupQuatd){t.x, t.y, t.z, 1}));
  }
}
