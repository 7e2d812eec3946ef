/* SPDX-License-Identifier: MIT */
/* How far an envelope is from its own examples when it is played. */
#include "app/envelope_job.h"
#include "base/scratch.h"
#include "supple/envelope.h"
#include "supple/pose.h"

#define LANES 16

typedef struct Comparing {
  const SupCharacter *character;
  SupEnvelopeView view;
  SupEnvelopeState *state;
  SupTransform *joints;
  SupAffine *globals, *palette;
  float *rows;
  uint8_t *moved; /* [vertex_count] by a patch */
} Comparing;

static SupResult prepare(SupArena *scratch, Comparing *c, SupError *error) {
  const SupEnvelopeView *view = &c->view;
  void *block = sup_arena_alloc(scratch, 1, sup_envelope_bytes(view));
  c->joints = SUP_ALLOC(scratch, SupTransform, c->character->skeleton.joint_count);
  c->globals = SUP_ALLOC(scratch, SupAffine, c->character->skeleton.joint_count);
  c->palette = SUP_ALLOC(scratch, SupAffine, c->character->skeleton.bone_count);
  c->rows = SUP_ALLOC(scratch, float, 3 * LANES * (size_t)view->skin.block_count);
  if (!block || !c->joints || !c->globals || !c->palette || !c->rows) {
    return sup_fail_memory(error, "envelope");
  }
  c->state = sup_envelope_init(view, block);
  return SUP_OK;
}

static double compare(Comparing *c, const SupTransform *joints, const SupVec3 *positions) {
  const SupSkeleton *s = &c->character->skeleton;
  const SupPose pose = {s->joint_count, sup_transform_identity(), c->joints};
  double most = 0;
  sup_copy(c->joints, joints, s->joint_count * sizeof *joints);
  sup_pose_globals(s, &pose, c->globals);
  sup_pose_palette(s, c->globals, c->palette);
  const SupEnvelopeCall call = {.pose = &pose, .palette = c->palette, .positions = c->rows};
  sup_envelope_shape(&c->view, c->state, sup_backend_cpu(), NULL, &call);
  for (uint32_t v = 0; v < c->view.skin.vertex_count; v++) {
    const uint32_t lane = c->view.lanes[v];
    const float *at = c->rows + 3 * LANES * (size_t)(lane / LANES) + lane % LANES;
    if (!c->moved[v]) continue;
    const SupVec3 now = {at[0], at[LANES], at[2 * LANES]};
    const double off =
        sup_vec3d_distance(sup_vec3_to_double(now), sup_vec3_to_double(positions[v]));
    if (off > most) most = off;
  }
  return most;
}

SupResult sup_envelope_compare(const SupAppContext *app, const SupCharacter *character,
                               const SupModel *model, const SupEnvelopeDef *def,
                               const EnvelopeExamples *examples, const SupTransform *dress,
                               double *out_most, SupError *error) {
  SupArena scratch = sup_scratch(app->arena);
  const uint32_t whole = sup_envelope_whole(character);
  Comparing c = {.character = character, .view = sup_envelope_view(model)};
  SupResult result = prepare(&scratch, &c, error);
  c.moved = SUP_ALLOC(&scratch, uint8_t, character->body.vertex_count);
  if (result == SUP_OK && !c.moved) result = sup_fail_memory(error, "envelope");
  for (uint32_t p = 0; result == SUP_OK && p < def->patch_count; p++) {
    for (uint32_t k = 0; k < def->patches[p].vertex_count; k++) {
      const uint32_t v = def->patches[p].vertices[k];
      if (v != SUP_ENVELOPE_NONE) c.moved[v] = 1;
    }
  }
  *out_most = 0;
  for (uint32_t e = 0; result == SUP_OK && e < examples->count; e++) {
    const SupEnvelopeExample *example = &examples->examples[e];
    if (sup_envelope_same_pose(&character->skeleton, whole, example->pose, dress)) continue;
    const double off = compare(&c, example->pose, example->positions);
    if (off > *out_most) *out_most = off;
  }
  sup_arena_free(&scratch);
  return result;
}
