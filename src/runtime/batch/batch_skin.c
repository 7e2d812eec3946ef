/* SPDX-License-Identifier: MIT */
/* Batches of skins on the processor. */
#include "runtime/batch/batch_cpu.h"

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
  for (uint32_t g = 0; g < def->group_count; g++) {
    groups[g].skin = skin_of(def->groups[g].model);
    groups[g].span = sup_batch_span(&end, def->groups[g].count, groups[g].skin.bone_count,
                                    groups[g].skin.vertex_count, groups[g].skin.morph_count);
  }
  *b = (SupSkinBatch){arena, backend, def->jobs, def->group_count, groups};
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

void sup_cpu_skin_lbs(SupSkinBatch *b, const SupAffine *palettes, const float *weights,
                      SupBatchOutput positions, SupBatchOutput normals, SupStream stream) {
  (void)stream;
  for (uint32_t g = 0; g < b->group_count; g++) {
    const Group *group = &b->groups[g];
    const SupSkinView *skin = &group->skin;
    for (uint32_t k = 0; k < group->span.count; k++) {
      const uint64_t vertex = group->span.vertex + (uint64_t)k * skin->vertex_count;
      const SupSkinCall call = {
          .skin = skin,
          .palette = palettes + group->span.bone + (size_t)k * skin->bone_count,
          .morph_weights = weights && skin->morph_count
                               ? weights + group->span.weight + (size_t)k * skin->morph_count
                               : NULL,
          .positions = output_at(positions, vertex),
          .normals = skin->flags & SUP_SKIN_NORMALS ? output_at(normals, vertex)
                                                    : (SupSkinOutput){NULL, 0}};
      sup_skin_lbs(b->backend, b->jobs, &call);
    }
  }
}
