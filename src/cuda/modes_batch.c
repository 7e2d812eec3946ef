/* SPDX-License-Identifier: MIT */
/* Batches of modes models on the GPU: memory, launches, single states in and out. */
#include "cuda/modes_batch.h"

#include "cuda/device.h"
#include "runtime/batch/batch_finite.h"
#include "runtime/batch/batch_kind.h"

typedef struct Group {
  SupModesView view;
  ModesLaunch device;
  uint32_t first_character;
  uint64_t first_bone, first_weight;
} Group;

struct SupModesBatch {
  SupArena arena; /* holds the batch itself */
  uint32_t group_count, character_count;
  Group *groups;
  float dt; /* of the transitions that the GPU has */
};

/* ---- Making -------------------------------------------------------------------------------------
 */

static SupResult upload_group(SupModesBatch *b, Group *group, SupError *error) {
  const SupModesView *view = &group->view;
  ModesLaunch *d = &group->device;
  const size_t bytes = sup_modes_bytes(view), lanes = (size_t)16 * view->block_count;
  void *block = sup_arena_alloc(&b->arena, 1, bytes);
  if (!block) return sup_fail_memory(error, "cuda");
  const SupModesState *start = sup_modes_init(view, block);
  d->state_bytes = bytes;
  d->q = start->q;
  d->v = start->v;
  d->force = start->force;
  d->palette = start->palette;
  d->velocity = start->velocity;
  d->bone_count = view->skin.bone_count;
  d->pair_count = view->pair_count;
  d->mode_count = view->mode_count;
  d->mode_blocks = view->block_count;
  d->states = (char *)sup_cuda_copy(NULL, bytes * d->count, "states", error);
  d->pairs =
      (const uint32_t *)sup_cuda_copy(view->pairs, 8 * (size_t)view->pair_count, "a model", error);
  d->drive =
      (const float *)sup_cuda_copy(view->drive, 48 * lanes * view->pair_count, "a model", error);
  d->oscillators = (const float *)sup_cuda_copy(
      view->oscillators, sizeof(float) * SUP_MODES_ROWS * lanes, "a model", error);
  d->transitions = (float *)sup_cuda_copy(NULL, sizeof(float) * 12 * lanes, "a model", error);
  if (!d->states || !d->pairs || !d->drive || !d->oscillators || !d->transitions) {
    return SUP_ERROR_MEMORY;
  }
  sup_cuda_launch_modes_fill(d->states, bytes, d->count, start, NULL);
  return sup_cuda_check(sup_cuda_modes_allow(d), "so many bones in a modes batch", error);
}

static SupResult make_groups(SupModesBatch *b, const SupBatchDef *def, SupError *error) {
  uint64_t bones = 0, weights = 0;
  for (uint32_t g = 0; g < def->group_count; g++) {
    Group *group = &b->groups[g];
    group->view = sup_modes_view(def->groups[g].model);
    group->device.count = def->groups[g].count;
    group->first_character = b->character_count;
    group->first_bone = bones;
    group->first_weight = weights;
    b->character_count += group->device.count;
    bones += (uint64_t)group->device.count * group->view.skin.bone_count;
    weights += (uint64_t)group->device.count * group->view.mode_count;
    const SupResult result = upload_group(b, group, error);
    if (result) return result;
  }
  return SUP_OK;
}

SupResult sup_cuda_modes_make(const SupBackend *backend, const SupBatchDef *def,
                              SupModesBatch **out, SupError *error) {
  const SupResult fits = sup_batch_kind(def, SUP_MODES_KIND, "modes", error);
  if (fits) return fits;
  (void)backend;
  SupModesBatch *b;
  SUP_CUDA_BATCH(b, def);
  if (!b) return sup_fail_memory(error, "cuda");
  SupResult result = make_groups(b, def, error);
  if (!result) result = sup_cuda_check(cudaDeviceSynchronize(), "starting a batch", error);
  if (result) {
    sup_cuda_modes_free(b);
  } else {
    *out = b;
  }
  return result;
}

void sup_cuda_modes_free(SupModesBatch *b) {
  if (!b) return;
  for (uint32_t g = 0; g < b->group_count; g++) {
    ModesLaunch *d = &b->groups[g].device;
    cudaFree(d->states);
    cudaFree((void *)d->pairs);
    cudaFree((void *)d->drive);
    cudaFree((void *)d->oscillators);
    cudaFree(d->transitions);
  }
  SupArena arena = b->arena;
  sup_arena_free(&arena);
}

/* ---- Launches -----------------------------------------------------------------------------------
 */

void sup_cuda_modes_reset(SupModesBatch *b, uint32_t first, uint32_t count, SupStream stream) {
  for (uint32_t g = 0; g < b->group_count; g++) {
    const Group *group = &b->groups[g];
    const SupRange part = sup_cuda_part(group->first_character, group->device.count, first, count);
    if (!part.count) continue;
    const ModesLaunch *d = &group->device;
    sup_cuda_launch_modes_reset(d->states + d->state_bytes * part.first, d->state_bytes, part.count,
                                (cudaStream_t)stream);
  }
}

/* What dt does to 16 oscillators. */
static void find_transitions(const SupModesView *view, uint32_t block, float dt,
                             ModesTransitions *out) {
  const float *rows = view->oscillators + (size_t)(16 * SUP_MODES_ROWS) * block;
  for (uint32_t k = 0; k < 16; k++) {
    const SupModesTransition t =
        sup_modes_transition((double)rows[16 * SUP_MODES_STIFFNESS + k],
                             (double)rows[16 * SUP_MODES_DECAY + k], (double)dt);
    const double values[12] = {t.q[0],       t.q[1],       t.v[0],       t.v[1],
                               t.force_q[0], t.force_q[1], t.force_q[2], t.force_q[3],
                               t.force_v[0], t.force_v[1], t.force_v[2], t.force_v[3]};
    for (uint32_t r = 0; r < 12; r++) out->rows[16 * r + k] = (float)values[r];
  }
}

static void send_transitions(SupModesBatch *b, float dt, cudaStream_t stream) {
  for (uint32_t g = 0; g < b->group_count; g++) {
    const Group *group = &b->groups[g];
    for (uint32_t k = 0; k < group->view.block_count; k++) {
      ModesTransitions t;
      find_transitions(&group->view, k, dt, &t);
      sup_cuda_launch_transitions(&t, group->device.transitions + (size_t)192 * k, stream);
    }
  }
}

void sup_cuda_modes_step(SupModesBatch *b, float dt, const SupAffine *palettes, SupVec3 gravity,
                         SupStream stream) {
  if (!sup_batch_seconds(dt)) return;
  gravity = sup_batch_gravity(gravity);
  if (b->dt != dt) send_transitions(b, dt, (cudaStream_t)stream);
  b->dt = dt;
  for (uint32_t g = 0; g < b->group_count; g++) {
    const Group *group = &b->groups[g];
    ModesLaunch launch = group->device;
    launch.palettes = palettes[group->first_bone].m;
    launch.gravity[0] = gravity.x;
    launch.gravity[1] = gravity.y;
    launch.gravity[2] = gravity.z;
    launch.heavy = gravity.x != 0 || gravity.y != 0 || gravity.z != 0;
    launch.rate = 1 / dt;
    sup_cuda_launch_modes(&launch, (cudaStream_t)stream);
  }
}

void sup_cuda_modes_weights(SupModesBatch *b, float lod, float fade, float *weights,
                            SupStream stream) {
  for (uint32_t g = 0; g < b->group_count; g++) {
    const Group *group = &b->groups[g];
    sup_cuda_launch_weights(&group->device, lod, fade, weights + group->first_weight,
                            (cudaStream_t)stream);
  }
}

/* ---- Single states ------------------------------------------------------------------------------
 */

static const ModesLaunch *group_of(const SupModesBatch *b, uint32_t character, char **out_state) {
  uint32_t g = 0;
  while (g + 1 < b->group_count && character >= b->groups[g + 1].first_character) g++;
  const ModesLaunch *d = &b->groups[g].device;
  *out_state = d->states + d->state_bytes * (size_t)(character - b->groups[g].first_character);
  return d;
}

static SupResult copy_state(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            SupStream stream, SupError *error) {
  cudaError_t code = cudaMemcpyAsync(to, from, bytes, kind, (cudaStream_t)stream);
  if (code == cudaSuccess) code = cudaStreamSynchronize((cudaStream_t)stream);
  return sup_cuda_check(code, "copying a state", error);
}

SupResult sup_cuda_modes_get(SupModesBatch *b, uint32_t character, SupModesState *io_state,
                             SupStream stream, SupError *error) {
  char *state;
  const ModesLaunch *d = group_of(b, character, &state);
  const SupResult result =
      copy_state(io_state, state, (size_t)d->state_bytes, cudaMemcpyDeviceToHost, stream, error);
  io_state->dt = 0; /* the transitions of the block are not kept up to date */
  return result;
}

SupResult sup_cuda_modes_put(SupModesBatch *b, uint32_t character, const SupModesState *state,
                             SupStream stream, SupError *error) {
  char *to;
  const ModesLaunch *d = group_of(b, character, &to);
  return copy_state(to, state, (size_t)d->state_bytes, cudaMemcpyHostToDevice, stream, error);
}
