/* SPDX-License-Identifier: MIT */
/* Batches of skins on the GPU: the model's block is uploaded as it is, and looked at there. */
#include "cuda/skin_batch.h"

#include "cuda/device.h"

typedef struct Group {
  void *block; /* the model, on the GPU */
  SkinLaunch device;
  bool has_normals;
  uint64_t first_bone, first_weight;
} Group;

struct SupSkinBatch {
  SupArena arena; /* holds the batch itself */
  uint32_t group_count;
  Group *groups;
};

/* Where a pointer into the model lies on the GPU. */
#define MOVED(type, group, model, pointer)                                                     \
  ((pointer) ? (const type *)(const void *)((char *)(group)->block +                           \
                                            ((const char *)(pointer) - (const char *)(model))) \
             : NULL)

/* The skin of a model of any kind; modes also turn what they move. */
static SupSkinView skin_of(const SupModel *model) {
  return model->kind == SUP_MODES_KIND ? sup_modes_view(model).skin : sup_skin_view(model);
}

static SupResult upload_group(Group *group, const SupModel *model, SupError *error) {
  const SupSkinView skin = skin_of(model);
  SkinLaunch *d = &group->device;
  group->block = sup_cuda_copy(model, (size_t)model->bytes, "a model", error);
  if (!group->block) return SUP_ERROR_MEMORY;
  d->order = MOVED(uint32_t, group, model, skin.order);
  d->bone_first = MOVED(uint32_t, group, model, skin.bone_first);
  d->bones = MOVED(uint32_t, group, model, skin.bones);
  d->morph_first = MOVED(uint32_t, group, model, skin.morph_first);
  d->morph_targets = MOVED(uint32_t, group, model, skin.morph_targets);
  d->records = MOVED(float, group, model, skin.records);
  d->morph_offsets = MOVED(float, group, model, skin.morph_offsets);
  d->morph_turns = MOVED(float, group, model, skin.morph_turns);
  d->turn_first = skin.turn_first;
  d->rows = sup_skin_record_rows(skin.flags);
  d->vertex_count = skin.vertex_count;
  d->block_count = skin.block_count;
  d->bone_count = skin.bone_count;
  d->morph_count = skin.morph_count;
  group->has_normals = skin.flags & SUP_SKIN_NORMALS;
  return SUP_OK;
}

SupResult sup_cuda_skin_make(const SupBackend *backend, const SupBatchDef *def, SupSkinBatch **out,
                             SupError *error) {
  (void)backend;
  SupSkinBatch *b;
  SUP_CUDA_BATCH(b, def);
  if (!b) return sup_fail_memory(error, "cuda");
  uint64_t bones = 0, weights = 0, vertices = 0;
  for (uint32_t g = 0; g < def->group_count; g++) {
    Group *group = &b->groups[g];
    const SupResult result = upload_group(group, def->groups[g].model, error);
    if (result) {
      sup_cuda_skin_free(b);
      return result;
    }
    const uint64_t count = group->device.count = def->groups[g].count;
    group->first_bone = bones;
    group->first_weight = weights;
    group->device.first_vertex = vertices;
    bones += count * group->device.bone_count;
    weights += count * group->device.morph_count;
    vertices += count * group->device.vertex_count;
  }
  *out = b;
  return SUP_OK;
}

void sup_cuda_skin_free(SupSkinBatch *b) {
  if (!b) return;
  for (uint32_t g = 0; g < b->group_count; g++) cudaFree(b->groups[g].block);
  SupArena arena = b->arena;
  sup_arena_free(&arena);
}

void sup_cuda_skin_lbs(SupSkinBatch *b, const SupAffine *palettes, const float *weights,
                       SupBatchOutput positions, SupBatchOutput normals, SupStream stream) {
  for (uint32_t g = 0; g < b->group_count; g++) {
    const Group *group = &b->groups[g];
    SkinLaunch launch = group->device;
    launch.palettes = palettes[group->first_bone].m;
    launch.weights = weights && launch.morph_count ? weights + group->first_weight : NULL;
    launch.positions = positions.data;
    launch.position_stride = positions.stride;
    launch.normals = group->has_normals ? normals.data : NULL;
    launch.normal_stride = normals.stride;
    sup_cuda_launch_skin(&launch, (cudaStream_t)stream);
  }
}
