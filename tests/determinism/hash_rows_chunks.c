/* SPDX-License-Identifier: MIT */
/* The row of the chunks: a small tube of limbs and ordinary chunks, packed, bent and twisted by a
 * root that moves and scales; bulges and strengths by hand in every other frame. */
#include "fleshwork.h"
#include "hash_rows.h"

enum { AROUND = 3, ALONG = 6, CELLS = 3, VERTICES = AROUND * CELLS * (ALONG * CELLS + 3) };
enum { LANES = (VERTICES + 15) / 16 * 16, MOST = 64 };

static float positions[3 * LANES], normals[3 * LANES], frames[9 * LANES];

uint64_t hash_chunks(const SupBackend *backend) {
  const PatchworkDef plan = {
      .around = AROUND, .along = ALONG, .cells = CELLS, .bare = 1, .edge_points = true, .seed = 8};
  const FleshworkDef flesh = {"lollol", 3, 5};
  SupArena arena = hash_arena();
  Patchwork patchwork;
  Fleshwork fleshwork;
  SupModel *model;
  if (!patchwork_make(&arena, &plan, &patchwork)) return 0;
  if (!fleshwork_make(&arena, &plan, &patchwork, &flesh, &fleshwork)) return 0;
  if (sup_chunks_pack(&arena, &patchwork.character, &fleshwork.def, &model, NULL)) return 0;
  const SupChunksView view = sup_chunks_view(model);
  void *block = sup_arena_alloc(&arena, 1, sup_chunks_bytes(&view));
  if (!block || view.piece_count > MOST || view.bulge_count > MOST) return 0;
  SupChunksState *state = sup_chunks_init(&view, block);
  uint64_t hash = sup_hash(model, (size_t)model->bytes, 0);
  float heights[MOST], scales[MOST], strengths[MOST];
  for (int i = 0; i < 30; i++) {
    SupTransform joints[PATCHWORK_JOINTS];
    SupAffine globals[PATCHWORK_JOINTS], palette[PATCHWORK_JOINTS];
    const float t = (float)i * 0.25f;
    for (int k = 0; k < MOST; k++) {
      heights[k] = 0.01f * (float)(k % 5);
      scales[k] = (float)(k % 4);
      strengths[k] = 0.25f * (float)((k + i) % 5);
    }
    const SupChunksControls controls = {scales, heights, strengths};
    const SupTransform root = {
        {sup_sinf(t), 0.25f, (float)i}, {sup_sinf(t), 0.5f, 0.25f, 2}, {1.25f, 1.25f, 1.25f}};
    patchwork_pose(&patchwork, 2 * sup_sinf(t), sup_cosf(t), joints);
    if (i % 7 == 6) joints[2].scale.x = 1.5f;
    const SupPose pose = {PATCHWORK_JOINTS, root, joints};
    sup_pose_evaluate(&patchwork.character.skeleton, &pose, globals, palette);
    const SupChunksCall call = {&pose,     palette, i % 2 ? &controls : NULL,
                                positions, normals, frames};
    sup_chunks_shape(&view, state, backend, NULL, &call);
    hash = sup_hash(positions, sizeof positions, hash);
    hash = sup_hash(normals, sizeof normals, hash);
    hash = sup_hash(frames, sizeof frames, hash);
  }
  return sup_hash(state, sup_chunks_bytes(&view), hash);
}
