/* SPDX-License-Identifier: MIT */
/* The row of the envelope: a small tube sewn from patches, packed, bent and twisted by a root that
 * moves and scales; some of it open, some of it bare. */
#include "hash_rows.h"
#include "patchwork.h"

enum { AROUND = 3, ALONG = 2, CELLS = 3, VERTICES = AROUND * CELLS * (ALONG * CELLS + 3) };
enum { LANES = (VERTICES + 15) / 16 * 16 };

static float positions[3 * LANES], normals[3 * LANES], frames[9 * LANES];

uint64_t hash_envelope(const SupBackend *backend) {
  const PatchworkDef def = {.around = AROUND,
                            .along = ALONG,
                            .cells = CELLS,
                            .fields = 3,
                            .samples = 5,
                            .bare = 1,
                            .edge_points = true,
                            .revised = true,
                            .seed = 7};
  SupArena arena = hash_arena();
  Patchwork patchwork;
  SupModel *model;
  if (!patchwork_make(&arena, &def, &patchwork)) return 0;
  if (sup_envelope_pack(&arena, &patchwork.character, &patchwork.def, &model, NULL)) return 0;
  const SupEnvelopeView view = sup_envelope_view(model);
  void *block = sup_arena_alloc(&arena, 1, sup_envelope_bytes(&view));
  if (!block) return 0;
  SupEnvelopeState *state = sup_envelope_init(&view, block);
  uint64_t hash = sup_hash(model, (size_t)model->bytes, 0);
  for (int i = 0; i < 40; i++) {
    SupTransform joints[PATCHWORK_JOINTS];
    SupAffine globals[PATCHWORK_JOINTS], palette[PATCHWORK_JOINTS];
    const float t = (float)(i - i % 3) * 0.25f; /* angles stay for three frames */
    const float strengths[AROUND * ALONG] = {1, 0.5f, (float)(i % 5), 1, 2, 0};
    const SupTransform root = {
        {sup_sinf(t), 0.25f, (float)i}, {sup_sinf(t), 0.5f, 0.25f, 2}, {1.25f, 1.25f, 1.25f}};
    patchwork_pose(&patchwork, 2 * sup_sinf(t), sup_cosf(t), joints);
    const SupPose pose = {PATCHWORK_JOINTS, root, joints};
    sup_pose_evaluate(&patchwork.character.skeleton, &pose, globals, palette);
    const SupEnvelopeCall call = {&pose,     palette, i % 2 ? strengths : NULL,
                                  positions, normals, frames};
    sup_envelope_shape(&view, state, backend, NULL, &call);
    hash = sup_hash(positions, sizeof positions, hash);
    hash = sup_hash(normals, sizeof normals, hash);
    hash = sup_hash(frames, sizeof frames, hash);
  }
  return sup_hash(state, sup_envelope_bytes(&view), hash);
}
