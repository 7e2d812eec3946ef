/* SPDX-License-Identifier: MIT */
#include "flesh.h"

#include <math.h>

const SupSurfaceSegment tube_segments[2] = {{0, {0, 0, 0}, {0, 1, 0}}, {1, {0, 1, 0}, {0, 2, 0}}};

static uint32_t renamed(const uint32_t *order, uint32_t v) { return order ? order[v] : v; }

static void tube_mesh(SupArena *arena, uint32_t around, uint32_t along, const uint32_t *order,
                      SupCharacter *out) {
  uint32_t n = around * along + 2, f = 0;
  SupVec3 *positions = SUP_ALLOC(arena, SupVec3, n);
  uint32_t *triangles = SUP_ALLOC(arena, uint32_t, 6 * around * along);
  for (uint32_t i = 0; i < along; i++) {
    for (uint32_t k = 0; k < around; k++) {
      double angle = 2 * SUP_PI * k / around;
      positions[renamed(order, i * around + k)] = (SupVec3){
          (float)(0.4 * cos(angle)), (float)(2.0 * i / (along - 1)), (float)(0.4 * sin(angle))};
    }
  }
  uint32_t low = renamed(order, n - 2), high = renamed(order, n - 1);
  positions[low] = (SupVec3){0, -0.1f, 0};
  positions[high] = (SupVec3){0, 2.1f, 0};
  for (uint32_t k = 0; k < around; k++) {
    uint32_t next = (k + 1) % around, top = (along - 1) * around;
    for (uint32_t i = 0; i + 1 < along; i++) {
      uint32_t a = renamed(order, i * around + k), b = renamed(order, i * around + next);
      uint32_t c = renamed(order, (i + 1) * around + k),
               d = renamed(order, (i + 1) * around + next);
      const uint32_t two[6] = {a, c, b, b, c, d};
      for (int e = 0; e < 6; e++) triangles[f++] = two[e];
    }
    const uint32_t caps[6] = {low,  renamed(order, k),          renamed(order, next),
                              high, renamed(order, top + next), renamed(order, top + k)};
    for (int e = 0; e < 6; e++) triangles[f++] = caps[e];
  }
  out->body = (SupMesh){n, f / 3, positions, triangles};
}

static void tube_weights(SupArena *arena, SupCharacter *out) {
  uint32_t n = out->body.vertex_count, count = 0;
  uint32_t *offsets = SUP_ALLOC(arena, uint32_t, n + 1), *bones = SUP_ALLOC(arena, uint32_t, 2 * n);
  float *weights = SUP_ALLOC(arena, float, 2 * n);
  for (uint32_t v = 0; v < n; v++) {
    double t = fmin(1, fmax(0, ((double)out->body.positions[v].y - 0.6) / 0.8));
    float w = (float)(t * t * (3 - 2 * t));
    uint32_t heavy = w > 0.5f;
    float share = heavy ? w : 1 - w;
    bones[count] = heavy, weights[count++] = share;
    if (share < 1) bones[count] = !heavy, weights[count++] = 1 - share;
    offsets[v + 1] = count;
  }
  out->skin = (SupSkin){n, 2, offsets, bones, weights};
}

void tube_make(SupArena *arena, uint32_t around, uint32_t along, const uint32_t *order,
               SupCharacter *out) {
  *out = (SupCharacter){.name = "tube"};
  static const int32_t parents[2] = {-1, 0};
  static const SupTransform rest[2] = {{{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}},
                                       {{0, 1, 0}, {0, 0, 0, 1}, {1, 1, 1}}};
  static const char *const names[2] = {"low", "high"};
  static const uint32_t joints[2] = {0, 1};
  static const SupAffine bind[2] = {{{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}},
                                    {{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, -1, 0}}};
  out->skeleton = (SupSkeleton){2, 2, parents, rest, names, joints, bind};
  tube_mesh(arena, around, along, order, out);
  tube_weights(arena, out);
}

SupSurfaceSegment *bone_segments(SupArena *arena, const SupSkeleton *skeleton,
                                 uint32_t *out_count) {
  uint32_t n = skeleton->bone_count, count = 0;
  SupSurfaceSegment *segments = SUP_ALLOC(arena, SupSurfaceSegment, n + skeleton->joint_count);
  for (uint32_t k = 0; k < n; k++) {
    uint32_t joint = skeleton->bone_joints[k], before = count;
    SupVec3 a = sup_affine_translation(sup_affine_inverse(skeleton->inverse_bind[k]));
    for (uint32_t i = 0; i < n; i++) {
      if (skeleton->parents[skeleton->bone_joints[i]] != (int32_t)joint) continue;
      SupVec3 b = sup_affine_translation(sup_affine_inverse(skeleton->inverse_bind[i]));
      segments[count++] = (SupSurfaceSegment){k, a, b};
    }
    if (count == before) segments[count++] = (SupSurfaceSegment){k, a, a};
  }
  *out_count = count;
  return segments;
}

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
  *out = (Flesh){.rotation_steps = 1};
  if (sup_surface_pack(arena, character, def, &out->model, &error)) fail_msg("%s", error.text);
  out->view = sup_surface_view(out->model);
  void *wide = SUP_ALLOC(arena, char, sup_surface_widen_bytes(&out->view));
  sup_surface_widen(&out->view, wide, &out->wide);
  out->lanes = 16 * out->view.skin.block_count;
  double **rows[10] = {&out->x,         &out->dx,     &out->goal,    &out->goal_step,
                       &out->next_goal, &out->forces, &out->normals, &out->rotation,
                       &out->records,   &out->terms};
  for (int k = 0; k < 10; k++) {
    *rows[k] = SUP_ALLOC(arena, double, out->lanes *(k < 7 ? 3 : k == 7 ? 4 : k == 8 ? 8 : 18));
    assert_non_null(*rows[k]);
  }
  for (uint32_t b = 0; b < character->skeleton.bone_count; b++) {
    out->palette[b] = sup_affined_identity();
  }
}

void flesh_goal(Flesh *flesh) {
  SupSkinCalld call = {
      .skin = &flesh->wide.skin, .palette = flesh->palette, .positions = {flesh->next_goal, 0}};
  sup_skin_lbs_f64(NULL, &call);
}

static SupSurfaceCalld call_of(Flesh *f) {
  return (SupSurfaceCalld){.model = &f->wide,
                           .palette = f->palette,
                           .segments = f->placed,
                           .next_goal = f->next_goal,
                           .normals = f->stopped ? f->normals : NULL,
                           .forces = f->forced ? f->forces : NULL,
                           .push = f->push,
                           .collider_count = f->collider_count,
                           .colliders = f->colliders,
                           .rotation_steps = f->rotation_steps,
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
  sup_surface_start_f64(NULL, &call, false);
}

static float *narrowed(const double *from, size_t count) {
  float *to = aligned_alloc(64, (count * sizeof(float) + 63) / 64 * 64);
  for (size_t i = 0; i < count; i++) to[i] = (float)from[i];
  return to;
}

static void widened(float *from, size_t count, double *to) {
  for (size_t i = 0; i < count; i++) to[i] = (double)from[i];
  free(from);
}

static void step_in_float(Flesh *f, const SupBackend *backend) {
  size_t n = f->lanes;
  SupAffine palette[64];
  SupSurfacePlaced placed[256];
  SupSurfaceCollider colliders[4];
  for (int k = 0; k < 64; k++) palette[k] = sup_affined_narrow(f->palette[k]);
  sup_surface_place(&f->view, palette, placed);
  for (uint32_t k = 0; k < f->collider_count; k++) {
    const SupSurfaceColliderd *c = &f->colliders[k];
    colliders[k] =
        (SupSurfaceCollider){sup_vec3d_narrow(c->a), sup_vec3d_narrow(c->b),
                             sup_vec3d_narrow(c->motion), (float)c->radius, (float)c->restitution};
  }
  float *next_goal = narrowed(f->next_goal, 3 * n), *forces = narrowed(f->forces, 3 * n);
  float *normals = narrowed(f->normals, 3 * n);
  SupSurfaceCall call = {.model = &f->view,
                         .palette = palette,
                         .segments = placed,
                         .next_goal = next_goal,
                         .normals = f->stopped ? normals : NULL,
                         .forces = f->forced ? forces : NULL,
                         .push = sup_vec3d_narrow(f->push),
                         .collider_count = f->collider_count,
                         .colliders = colliders,
                         .rotation_steps = f->rotation_steps,
                         .x = narrowed(f->x, 3 * n),
                         .dx = narrowed(f->dx, 3 * n),
                         .goal = narrowed(f->goal, 3 * n),
                         .goal_step = narrowed(f->goal_step, 3 * n),
                         .rotation = narrowed(f->rotation, 4 * n),
                         .records = narrowed(f->records, 8 * n),
                         .terms = narrowed(f->terms, 18 * n)};
  sup_surface_solve(backend, NULL, &call);
  widened(call.x, 3 * n, f->x);
  widened(call.dx, 3 * n, f->dx);
  widened(call.goal, 3 * n, f->goal);
  widened(call.goal_step, 3 * n, f->goal_step);
  widened(call.rotation, 4 * n, f->rotation);
  widened(call.records, 8 * n, f->records);
  widened(call.terms, 18 * n, f->terms);
  free(next_goal);
  free(forces);
  free(normals);
}

void flesh_step(Flesh *flesh, const SupBackend *backend) {
  if (backend) {
    step_in_float(flesh, backend);
    return;
  }
  sup_surface_place_f64(&flesh->wide, flesh->palette, flesh->placed);
  SupSurfaceCalld call = call_of(flesh);
  sup_surface_solve_f64(NULL, &call);
}
