/* SPDX-License-Identifier: MIT */
/* Batches of helpers models on the GPU: the model with its inputs closed up, memory, launches. */
#include "cuda/helpers_crowd.h"

#include "cuda/device.h"
#include "runtime/batch/batch_finite.h"
#include "runtime/batch/batch_kind.h"
#include "runtime/helpers/helpers_materials.h"

#define OUTPUTS SUP_HELPERS_OUTPUTS

typedef struct Group {
  SupHelpersView view;
  HelpersLaunch device;
  float *matrices, *packed; /* of several materials: the blend of the group, as the model has it and
                               as the device does */
  size_t packed_count;
  uint32_t first_character;
  uint64_t first_joint;
} Group;

struct SupHelpersCrowd {
  SupArena arena; /* holds the batch itself */
  uint32_t group_count, character_count;
  Group *groups;
};

/* ---- The model ----------------------------------------------------------------------------------
 */

/* The model for the GPU while it is made; everything counted once, then written. */
typedef struct Draft {
  const SupHelpersView *view;
  HelperItem *items;
  uint32_t *lists;
  float *matrices, *rest, *box;
  size_t list_count, matrix_count;
  bool whole; /* no input beyond the turns and frames is looked at */
} Draft;

/* The row of an input: three per turn, twelve per frame, then 1. */
static uint32_t row_of(Draft *d, uint32_t input) {
  const SupHelpersView *v = d->view;
  const uint32_t turns = 3 * v->turn_pad, rows = 3 * v->turn_count;
  if (input == v->input_count - 1) return rows + SUP_HELPERS_ROWS * v->frame_count;
  const bool turn = input < turns;
  const uint32_t pad = turn ? v->turn_pad : v->frame_pad;
  const uint32_t k = turn ? input : input - turns, item = k % pad;
  if (item >= (turn ? v->turn_count : v->frame_count)) {
    d->whole = false;
    return 0;
  }
  return turn ? 3 * item + k / pad : rows + SUP_HELPERS_ROWS * item + k / pad;
}

static void put_row(Draft *d, uint32_t input) {
  const uint32_t row = row_of(d, input);
  if (d->lists) d->lists[d->list_count] = row;
  d->list_count++;
}

/* Columns of `used` numbers that lie `from_stride` apart, `to_stride` apart and from a multiple of
 * four; returns where. */
static uint32_t put_columns(Draft *d, const float *from, uint32_t from_stride, uint32_t used,
                            uint32_t to_stride, uint32_t count) {
  const size_t at = (d->matrix_count + 3) / 4 * 4;
  for (uint32_t c = 0; d->matrices && c < count; c++) {
    sup_copy(d->matrices + at + (size_t)to_stride * c, from + (size_t)from_stride * c,
             used * sizeof(float));
  }
  d->matrix_count = at + (size_t)to_stride * count;
  return (uint32_t)at;
}

static void put_helper(Draft *d, uint32_t index) {
  const SupHelpersView *v = d->view;
  const SupHelpersBone *b = &v->bones[index];
  const uint32_t wide = SUP_SKIN_BLOCK * sup_helpers_rows(b);
  HelperItem h = {.joint = b->joint,
                  .states = b->states,
                  .state_first = b->state_first,
                  .inputs = b->inputs,
                  .features = b->features,
                  .rows = (OUTPUTS + b->states + 3) / 4 * 4,
                  .rest = b->rest};
  h.inputs_at = (uint32_t)d->list_count;
  for (uint32_t k = 0; k < b->inputs; k++) put_row(d, v->lists[b->inputs_at + k]);
  h.features_at = (uint32_t)d->list_count;
  for (uint32_t k = 0; k < 3 * b->features; k++) {
    put_row(d, v->features[3 * v->lists[b->features_at + k / 3] + k % 3]);
  }
  h.dynamic_at = put_columns(d, v->matrices + b->dynamic_at, wide, OUTPUTS + b->states, h.rows,
                             b->states + b->inputs + 1);
  h.static_at =
      put_columns(d, v->matrices + b->static_at, SUP_SKIN_BLOCK, OUTPUTS, 8, 1 + b->features);
  h.settle_at = put_columns(d, v->matrices + b->settle_at, b->inputs + 1, b->inputs + 1,
                            b->inputs + 1, b->states);
  h.range_at = put_columns(d, v->matrices + b->range_at, 12, 12, 12, 1);
  if (d->items) d->items[index] = h;
}

static void put_helpers(Draft *d) {
  d->list_count = d->matrix_count = 0;
  d->whole = true;
  for (uint32_t h = 0; h < d->view->helper_count; h++) put_helper(d, h);
}

static void put_inputs(Draft *d, uint32_t rows) {
  const SupHelpersView *v = d->view;
  for (uint32_t i = 0; i < v->input_count; i++) {
    const bool whole = d->whole;
    d->whole = true;
    const uint32_t row = row_of(d, i);
    if (d->whole) {
      d->box[row] = v->box[i];
      d->box[rows + row] = v->box[v->input_count + i];
    }
    d->whole = whole;
  }
  for (uint32_t t = 0; t < v->turn_count; t++) {
    for (uint32_t c = 0; c < 4; c++) d->rest[4 * t + c] = v->rest[c * v->turn_pad + t];
  }
}

/* ---- Making -------------------------------------------------------------------------------------
 */

static SupResult draft_model(SupArena *arena, Draft *d, uint32_t rows, SupError *error) {
  put_helpers(d);
  d->items = SUP_ALLOC(arena, HelperItem, d->view->helper_count);
  d->lists = SUP_ALLOC(arena, uint32_t, d->list_count);
  d->matrices = SUP_ALLOC(arena, float, d->matrix_count);
  d->rest = SUP_ALLOC(arena, float, 4 * (size_t)d->view->turn_count);
  d->box = SUP_ALLOC(arena, float, 2 * (size_t)rows);
  if (!d->items || !d->lists || !d->matrices || !d->rest || !d->box) {
    return sup_fail_memory(error, "cuda");
  }
  put_helpers(d);
  put_inputs(d, rows);
  if (d->whole) return SUP_OK;
  return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                  "cuda: the helpers look at inputs that no turn and no frame gives");
}

static SupResult upload_group(SupHelpersCrowd *b, Group *group, SupError *error) {
  const SupHelpersView *view = &group->view;
  HelpersLaunch *l = &group->device;
  Draft draft = {.view = view};
  l->input_count = 3 * view->turn_count + SUP_HELPERS_ROWS * view->frame_count + 1;
  const SupResult result = draft_model(&b->arena, &draft, l->input_count, error);
  if (result) return result;
  group->packed = draft.matrices;
  group->packed_count = draft.matrix_count;
  if (view->material_count) {
    group->matrices = SUP_COPY(&b->arena, float, view->matrices, sup_helpers_matrix_count(view));
    if (!group->matrices) return sup_fail_memory(error, "cuda");
  }
  l->joint_count = view->joint_count;
  l->helper_count = view->helper_count;
  l->turn_count = view->turn_count;
  l->frame_count = view->frame_count;
  l->state_count = view->state_count;
  l->stride = (l->count + 31) / 32 * 32;
  l->rate = 1 / view->h;
  for (uint32_t h = 0; h < view->helper_count; h++) {
    if (view->bones[h].states > l->most_states) l->most_states = view->bones[h].states;
  }
  const size_t rows = HELPERS_PAST_ROWS * (size_t)view->frame_count + view->state_count + 2;
#define COPY(type, from, count) \
  (type *)sup_cuda_copy(from, sizeof(type) * (size_t)(count), "a model", error)
  l->helpers = COPY(HelperItem, draft.items, view->helper_count);
  l->lists = COPY(uint32_t, draft.lists, draft.list_count);
  l->matrices = COPY(float, draft.matrices, draft.matrix_count);
  l->rest = COPY(float, draft.rest, 4 * view->turn_count);
  l->box = COPY(float, draft.box, 2 * l->input_count);
  l->turns = COPY(uint32_t, view->turns, view->turn_count);
  l->frames = COPY(SupHelpersFrame, view->frames, view->frame_count);
#undef COPY
  l->numbers = (float *)sup_cuda_copy(NULL, rows * l->stride * sizeof(float), "states", error);
  l->seen = (uint32_t *)sup_cuda_copy(NULL, l->stride * sizeof(uint32_t), "states", error);
  l->lods = (uint8_t *)sup_cuda_copy(NULL, l->stride, "states", error);
  if (!l->helpers || !l->lists || !l->matrices || !l->rest || !l->box || !l->turns || !l->frames ||
      !l->numbers || !l->seen || !l->lods) {
    return SUP_ERROR_MEMORY;
  }
  const SupResult set =
      sup_cuda_check(cudaMemset(l->lods, SUP_HELPERS_FULL, l->stride), "levels", error);
  if (set) return set;
  return sup_cuda_check(sup_cuda_helpers_allow(l), "so many inputs of helpers", error);
}

SupResult sup_cuda_helpers_make(const SupBackend *backend, const SupBatchDef *def,
                                SupHelpersCrowd **out, SupError *error) {
  const SupResult fits = sup_batch_kind(def, SUP_HELPERS_KIND, "helpers", error);
  if (fits) return fits;
  (void)backend;
  SupHelpersCrowd *b;
  SUP_CUDA_BATCH(b, def);
  if (!b) return sup_fail_memory(error, "cuda");
  uint64_t joints = 0;
  for (uint32_t g = 0; g < def->group_count; g++) {
    Group *group = &b->groups[g];
    group->view = sup_helpers_view(def->groups[g].model);
    group->device.count = def->groups[g].count;
    group->first_character = b->character_count;
    group->first_joint = joints;
    b->character_count += group->device.count;
    joints += (uint64_t)group->device.count * group->view.joint_count;
    const SupResult result = upload_group(b, group, error);
    if (result) {
      sup_cuda_helpers_free(b);
      return result;
    }
  }
  const SupResult result = sup_cuda_check(cudaDeviceSynchronize(), "starting a batch", error);
  if (result) {
    sup_cuda_helpers_free(b);
  } else {
    *out = b;
  }
  return result;
}

void sup_cuda_helpers_free(SupHelpersCrowd *b) {
  if (!b) return;
  for (uint32_t g = 0; g < b->group_count; g++) {
    HelpersLaunch *l = &b->groups[g].device;
    const void *parts[] = {l->helpers, l->lists,  l->matrices, l->rest, l->box,
                           l->turns,   l->frames, l->numbers,  l->seen, l->lods};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) cudaFree((void *)parts[k]);
  }
  SupArena arena = b->arena;
  sup_arena_free(&arena);
}

/* ---- Launches -----------------------------------------------------------------------------------
 */

void sup_cuda_helpers_reset(SupHelpersCrowd *b, uint32_t first, uint32_t count, SupStream stream) {
  for (uint32_t g = 0; g < b->group_count; g++) {
    const Group *group = &b->groups[g];
    const SupRange part = sup_cuda_part(group->first_character, group->device.count, first, count);
    if (!part.count) continue;
    cudaMemsetAsync(group->device.seen + part.first, 0, part.count * sizeof(uint32_t),
                    (cudaStream_t)stream);
  }
}

void sup_cuda_helpers_lods(SupHelpersCrowd *b, uint32_t first, uint32_t count, const uint8_t *lods,
                           SupStream stream) {
  for (uint32_t g = 0; g < b->group_count; g++) {
    const Group *group = &b->groups[g];
    const SupRange part = sup_cuda_part(group->first_character, group->device.count, first, count);
    if (!part.count) continue;
    const uint8_t *from = lods + (group->first_character + part.first - first);
    cudaMemcpyAsync(group->device.lods + part.first, from, part.count, cudaMemcpyDeviceToDevice,
                    (cudaStream_t)stream);
  }
}

SupResult sup_cuda_helpers_blend(SupHelpersCrowd *b, uint32_t index, const float *fractions,
                                 SupStream stream, SupError *error) {
  Group *group = &b->groups[index];
  SupResult result = sup_helpers_mix(&b->arena, &group->view, fractions, group->matrices, error);
  if (result) return result;
  SupHelpersView blended = group->view;
  blended.matrices = group->matrices;
  Draft draft = {.view = &blended, .matrices = group->packed};
  put_helpers(&draft);
  result = sup_cuda_check(cudaStreamSynchronize((cudaStream_t)stream), "blending helpers", error);
  if (result) return result;
  return sup_cuda_check(cudaMemcpy((void *)(uintptr_t)group->device.matrices, group->packed,
                                   group->packed_count * sizeof(float), cudaMemcpyHostToDevice),
                        "blending helpers", error);
}

void sup_cuda_helpers_step(SupHelpersCrowd *b, const SupHelpersControls *controls,
                           const SupAffine *globals, SupTransform *io_joints, SupStream stream) {
  const SupVec3 gravity = sup_batch_gravity(controls->gravity);
  for (uint32_t g = 0; g < b->group_count; g++) {
    const Group *group = &b->groups[g];
    HelpersLaunch l = group->device;
    if (!l.count) continue;
    l.globals = globals[group->first_joint].m;
    l.joints = &io_joints[group->first_joint].translation.x;
    l.want_static = controls->lod >= SUP_HELPERS_STATIC ? 1.0f : 0.0f;
    l.want_dynamic = controls->lod >= SUP_HELPERS_FULL ? 1.0f : 0.0f;
    l.fade = controls->fade_seconds > 0 ? group->view.h / controls->fade_seconds : 1;
    l.exaggerate = controls->exaggerate;
    l.range = controls->range;
    l.gravity[0] = gravity.x;
    l.gravity[1] = gravity.y;
    l.gravity[2] = gravity.z;
    sup_cuda_launch_helpers(&l, (cudaStream_t)stream);
  }
}
