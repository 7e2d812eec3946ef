/* SPDX-License-Identifier: MIT */
/* Batches of skins on the processor. */
#include "runtime/batch/batch_cpu.h"
#include "runtime/batch/batch_finite.h"

typedef struct Group {
  SupSkinView skin;
  BatchSpan span;
} Group;

struct SupSkinBatch {
  SupArena arena; /* holds the batch itself */
  const SupBackend *backend;
  const SupJobs *jobs;
  uint32_t group_count;
  Group *groups;
  SupAffine *palette; /* room for one character's: what of it is finite */
  float *weights;
};

/* The skin of a model of any kind; modes also turn what they move. */
static SupSkinView skin_of(const SupModel *model) {
  return model->kind == SUP_MODES_KIND ? sup_modes_view(model).skin : sup_skin_view(model);
}

SupResult sup_cpu_skin_make(const SupBackend *backend, const SupBatchDef *def, SupSkinBatch **out,
                            SupError *error) {
  SupArena arena;
  sup_arena_init(&arena, def->allocator, 0);
  SupSkinBatch *b = SUP_ALLOC(&arena, SupSkinBatch, 1);
  Group *groups = SUP_ALLOC(&arena, Group, def->group_count);
  if (!b || !groups) {
    sup_arena_free(&arena);
    return sup_fail_memory(error, "a batch");
  }
  BatchSpan end = {0};
  uint32_t bones = 0, weights = 0; /* the most of a character */
  for (uint32_t g = 0; g < def->group_count; g++) {
    groups[g].skin = skin_of(def->groups[g].model);
    groups[g].span = sup_batch_span(&end, def->groups[g].count, groups[g].skin.bone_count,
                                    groups[g].skin.vertex_count, groups[g].skin.morph_count);
    if (groups[g].skin.bone_count > bones) bones = groups[g].skin.bone_count;
    if (groups[g].skin.morph_count > weights) weights = groups[g].skin.morph_count;
  }
  SupAffine *palette = SUP_ALLOC(&arena, SupAffine, bones);
  float *room = SUP_ALLOC(&arena, float, weights);
  if (!palette || !room) {
    sup_arena_free(&arena);
    return sup_fail_memory(error, "a batch");
  }
  *b = (SupSkinBatch){arena, backend, def->jobs, def->group_count, groups, palette, room};
  *out = b;
  return SUP_OK;
}

void sup_cpu_skin_free(SupSkinBatch *b) {
  if (!b) return;
  SupArena arena = b->arena;
  sup_arena_free(&arena);
}

static SupSkinOutput output_at(SupBatchOutput output, uint64_t vertex) {
  return (SupSkinOutput){output.data ? output.data + vertex * output.stride : NULL, output.stride};
}

/* A skin has no past: bones that are not finite are where they are at rest, morph targets of such a
 * weight are not there. */
static void make_finite(const SupSkinBatch *b, SupSkinCall *io_call) {
  const uint32_t bones = io_call->skin->bone_count;
  const uint32_t morphs = io_call->morph_weights ? io_call->skin->morph_count : 0;
  if (!sup_finite_all(io_call->palette, 12 * (size_t)bones)) {
    for (uint32_t k = 0; k < bones; k++) {
      const SupAffine *bone = &io_call->palette[k];
      b->palette[k] = sup_finite_all(bone, 12) ? *bone : sup_affine_identity();
    }
    io_call->palette = b->palette;
  }
  if (sup_finite_all(io_call->morph_weights, morphs)) return;
  for (uint32_t k = 0; k < morphs; k++) {
    const float *weight = &io_call->morph_weights[k];
    b->weights[k] = sup_finite_all(weight, 1) ? *weight : 0;
  }
  io_call->morph_weights = b->weights;
}

void sup_cpu_skin_lbs(SupSkinBatch *b, const SupAffine *palettes, const float *weights,
                      SupBatchOutput positions, SupBatchOutput normals, SupStream stream) {
  (void)stream;
  for (uint32_t g = 0; g < b->group_count; g++) {
    const Group *group = &b->groups[g];
    const SupSkinView *skin = &group->skin;
    for (uint32_t k = 0; k < group->span.count; k++) {
      const uint64_t vertex = group->span.vertex + (uint64_t)k * skin->vertex_count;
      SupSkinCall call = {
          .skin = skin,
          .palette = palettes + group->span.bone + (size_t)k * skin->bone_count,
          .morph_weights = weights && skin->morph_count
                               ? weights + group->span.weight + (size_t)k * skin->morph_count
                               : NULL,
          .positions = output_at(positions, vertex),
          .normals = skin->flags & SUP_SKIN_NORMALS ? output_at(normals, vertex)
                                                    : (SupSkinOutput){NULL, 0}};
      make_finite(b, &call);
      sup_skin_lbs(b->backend, b->jobs, &call);
    }
  }
}
