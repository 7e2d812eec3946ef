/* SPDX-License-Identifier: MIT */
/* The row of the helpers technique: a chain of joints, alone and in a crowd. */
#include "hash_rows.h"
#include "helpers/marionette.h"

enum { OWN = 4, HELPERS = 5, JOINTS = OWN + HELPERS, CROWD = 20 };

uint64_t hash_helpers(const SupBackend *backend) {
  SupArena arena = hash_arena();
  Marionette marionette;
  SupTransform joints[JOINTS];
  SupAffine globals[JOINTS];
  if (!marionette_make(&arena, OWN, HELPERS, 6, &marionette)) return 0;
  const SupHelpersView *view = &marionette.view;
  SupHelpersState *state =
      sup_helpers_init(view, sup_arena_alloc(&arena, 1, sup_helpers_bytes(view)));
  SupHelpersBatch *batch = sup_helpers_batch_init(
      view, CROWD, sup_arena_alloc(&arena, 1, sup_helpers_batch_bytes(view, CROWD)));
  SupHelpersControls controls = sup_helpers_controls();
  SupModel *slow = NULL;
  controls.exaggerate = 1.25f;
  uint64_t hash = sup_hash(marionette.model, (size_t)marionette.model->bytes, 0);
  for (uint32_t i = 0; i < 60; i++) {
    for (uint32_t k = 0; k < CROWD; k++) {
      marionette_pose(&marionette, i / 60.0, k, joints, globals);
      const SupPose pose = {JOINTS, sup_transform_identity(), joints};
      sup_helpers_batch_lod(batch, k, (SupHelpersLod)((i / 20 + k) % 3));
      sup_helpers_batch_pose(view, batch, k, &pose, globals);
    }
    const SupPose pose = {JOINTS, sup_transform_identity(), joints};
    if (i % 3) {
      sup_helpers_step(view, state, backend, &controls, &pose, globals, joints);
    } else {
      sup_helpers_peek(view, state, backend, &controls, &pose, globals, 0.5f, joints);
    }
    hash = sup_hash(joints, sizeof joints, hash);
    sup_helpers_batch_step(view, batch, backend, NULL, &controls);
    sup_helpers_batch_read(view, batch, i % CROWD, joints);
    hash = sup_hash(joints, sizeof joints, hash);
  }
  if (sup_helpers_convert(&arena, marionette.model, 1.0f / 144, &slow, NULL) != SUP_OK) return 0;
  return sup_hash(slow, (size_t)slow->bytes, hash);
}
