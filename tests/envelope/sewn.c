/* SPDX-License-Identifier: MIT */
#include "sewn.h"

#include <math.h>

#include "supple/io/file.h"
#include "supple/model.h"

PatchworkDef sewn_def(void) {
  return (PatchworkDef){.around = 3,
                        .along = 2,
                        .cells = 5,
                        .fields = 3,
                        .samples = 5,
                        .bare = 2,
                        .edge_points = true,
                        .revised = true,
                        .seed = 1};
}

void sewn_pack(Sewn *s) {
  SupError error = {{0}};
  if (sup_envelope_pack(&s->arena, &s->patchwork.character, &s->patchwork.def, &s->model, &error) ||
      sup_model_check(s->model, (size_t)s->model->bytes, NULL, &error)) {
    fail_msg("%s", error.text);
  }
  s->view = sup_envelope_view(s->model);
  s->state =
      sup_envelope_init(&s->view, sup_arena_alloc(&s->arena, sup_envelope_bytes(&s->view), 1));
}

Sewn *sewn_create(const PatchworkDef *def) {
  Sewn *s = calloc(1, sizeof *s);
  assert_non_null(s);
  sup_arena_init(&s->arena, sup_heap_allocator(), 0);
  s->def = *def;
  assert_true(patchwork_make(&s->arena, def, &s->patchwork));
  s->count = s->patchwork.character.body.vertex_count;
  sewn_pack(s);
  const size_t blocks = s->view.skin.block_count;
  s->rows = SUP_ALLOC(&s->arena, float, 48 * blocks);
  s->normals = SUP_ALLOC(&s->arena, float, 48 * blocks);
  s->frames = SUP_ALLOC(&s->arena, float, 144 * blocks);
  return s;
}

void sewn_free(Sewn *s) {
  sup_arena_free(&s->arena);
  free(s);
}

static void palette_of(const Sewn *s, SupTransform root, float bend, float twist,
                       SupTransform *joints, SupAffine *palette) {
  SupAffine globals[PATCHWORK_JOINTS];
  patchwork_pose(&s->patchwork, bend, twist, joints);
  const SupPose pose = {PATCHWORK_JOINTS, root, joints};
  sup_pose_evaluate(&s->patchwork.character.skeleton, &pose, globals, palette);
}

static void gather(const Sewn *s, SupVec3 *out) {
  for (uint32_t v = 0; v < s->count; v++) {
    const uint32_t lane = s->view.lanes[v];
    const float *at = s->rows + (size_t)48 * (lane / 16) + lane % 16;
    out[v] = (SupVec3){at[0], at[16], at[32]};
  }
}

void sewn_shape(Sewn *s, SupTransform root, float bend, float twist, const float *strengths,
                SupVec3 *out) {
  SupTransform joints[PATCHWORK_JOINTS];
  SupAffine palette[PATCHWORK_JOINTS];
  palette_of(s, root, bend, twist, joints, palette);
  const SupPose pose = {PATCHWORK_JOINTS, root, joints};
  const SupEnvelopeCall call = {&pose, palette, strengths, s->rows, s->normals, s->frames};
  sup_envelope_shape(&s->view, s->state, sup_backend_cpu(), NULL, &call);
  gather(s, out);
}

void sewn_skin(Sewn *s, SupTransform root, float bend, float twist, SupVec3 *out) {
  SupTransform joints[PATCHWORK_JOINTS];
  SupAffine palette[PATCHWORK_JOINTS];
  palette_of(s, root, bend, twist, joints, palette);
  const SupSkinCall call = {.skin = &s->view.skin, .palette = palette, .positions = {s->rows, 0}};
  sup_skin_lbs(sup_backend_cpu(), NULL, &call);
  gather(s, out);
}

double sewn_distance(const Sewn *s, const SupVec3 *a, const SupVec3d *b) {
  double most = 0;
  for (uint32_t v = 0; v < s->count; v++) {
    const SupVec3d d = {(double)a[v].x - b[v].x, (double)a[v].y - b[v].y, (double)a[v].z - b[v].z};
    const double length = sup_vec3d_length(d);
    if (!(length <= most)) most = length; /* what is no number counts */
  }
  return most;
}

SupVec3 *sewn_room(Sewn *s) { return SUP_ALLOC(&s->arena, SupVec3, s->count); }
SupVec3d *sewn_wide_room(Sewn *s) { return SUP_ALLOC(&s->arena, SupVec3d, s->count); }

SupTransform sewn_root(float scale) {
  const SupVec3 axis = sup_vec3_normalise((SupVec3){1, 2, -0.5f});
  return (SupTransform){
      {0.7f, -0.3f, 1.1f}, sup_quat_from_axis_angle(axis, 2.1f), {scale, scale, scale}};
}
