/* SPDX-License-Identifier: MIT */
#include "fleshed.h"

#include "supple/io/file.h"
#include "supple/model.h"

void fleshed_pack(Fleshed *f) {
  SupError error = {{0}};
  if (sup_chunks_pack(&f->arena, &f->character, &f->def, &f->model, &error) ||
      sup_model_check(f->model, (size_t)f->model->bytes, NULL, &error)) {
    fail_msg("%s", error.text);
  }
  f->view = sup_chunks_view(f->model);
  f->state = sup_chunks_init(&f->view, sup_arena_alloc(&f->arena, sup_chunks_bytes(&f->view), 1));
  const size_t blocks = f->view.skin.block_count;
  f->count = f->character.body.vertex_count;
  f->rows = SUP_ALLOC(&f->arena, float, 48 * blocks);
  f->normals = SUP_ALLOC(&f->arena, float, 48 * blocks);
  f->frames = SUP_ALLOC(&f->arena, float, 144 * blocks);
}

Fleshed *fleshed_of(SupArena arena, const SupCharacter *character, const SupChunksPackDef *def) {
  Fleshed *f = calloc(1, sizeof *f);
  assert_non_null(f);
  f->arena = arena;
  f->character = *character;
  f->def = *def;
  fleshed_pack(f);
  return f;
}

Fleshed *fleshed_create(void) {
  const PatchworkDef plan = {
      .around = 3, .along = 6, .cells = 4, .bare = 1, .edge_points = true, .seed = 3};
  const FleshworkDef flesh = {"lollol", 4, 5};
  Fleshed *f = calloc(1, sizeof *f);
  assert_non_null(f);
  sup_arena_init(&f->arena, sup_heap_allocator(), 0);
  f->plan = plan;
  assert_true(patchwork_make(&f->arena, &f->plan, &f->patchwork));
  assert_true(fleshwork_make(&f->arena, &f->plan, &f->patchwork, &flesh, &f->fleshwork));
  f->character = f->patchwork.character;
  f->def = f->fleshwork.def;
  fleshed_pack(f);
  return f;
}

void fleshed_free(Fleshed *f) {
  sup_arena_free(&f->arena);
  free(f);
}

static SupAffine *palette_of(Fleshed *f, const SupPose *pose) {
  const SupSkeleton *skeleton = &f->character.skeleton;
  SupAffine *globals = SUP_ALLOC(&f->arena, SupAffine, skeleton->joint_count);
  SupAffine *palette = SUP_ALLOC(&f->arena, SupAffine, skeleton->bone_count);
  sup_pose_evaluate(skeleton, pose, globals, palette);
  return palette;
}

static void gather(const Fleshed *f, SupVec3 *out) {
  for (uint32_t v = 0; v < f->count; v++) {
    const uint32_t lane = f->view.lanes[v];
    const float *at = f->rows + (size_t)48 * (lane / 16) + lane % 16;
    out[v] = (SupVec3){at[0], at[16], at[32]};
  }
}

void fleshed_shape(Fleshed *f, const SupPose *pose, const SupChunksControls *controls,
                   SupVec3 *out) {
  const SupChunksCall call = {pose, palette_of(f, pose), controls, f->rows, f->normals, f->frames};
  sup_chunks_shape(&f->view, f->state, sup_backend_cpu(), NULL, &call);
  gather(f, out);
}

void fleshed_skin(Fleshed *f, const SupPose *pose, SupVec3 *out) {
  const SupSkinCall call = {
      .skin = &f->view.skin, .palette = palette_of(f, pose), .positions = {f->rows, 0}};
  sup_skin_lbs(sup_backend_cpu(), NULL, &call);
  gather(f, out);
}

SupVec3 *fleshed_room(Fleshed *f) { return SUP_ALLOC(&f->arena, SupVec3, f->count); }

double fleshed_distance(const Fleshed *f, const SupVec3 *a, const SupVec3d *b) {
  double most = 0;
  for (uint32_t v = 0; v < f->count; v++) {
    const double length = sup_vec3d_distance(sup_vec3_to_double(a[v]), b[v]);
    if (!(length <= most)) most = length; /* what is no number counts */
  }
  return most;
}

SupPose fleshed_pose(const Fleshed *f, SupTransform root, float bend, float twist,
                     SupTransform *joints) {
  patchwork_pose(&f->patchwork, bend, twist, joints);
  return (SupPose){PATCHWORK_JOINTS, root, joints};
}

SupTransform fleshed_root(float scale) {
  const SupVec3 axis = sup_vec3_normalise((SupVec3){1, 2, -0.5f});
  return (SupTransform){
      {0.7f, -0.3f, 1.1f}, sup_quat_from_axis_angle(axis, 2.1f), {scale, scale, scale}};
}
