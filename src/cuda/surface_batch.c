/* SPDX-License-Identifier: MIT */
/* Batches of surface models on the GPU: memory, launches, single states in and out. */
#include "cuda/surface_batch.h"

#include "cuda/device.h"
#include "runtime/batch/batch_finite.h"
#include "runtime/batch/batch_kind.h"
#include "runtime/tiles/tiles_layout.h"

typedef struct Group {
  SupSurfaceView view;
  SupTiles tiles;
  SurfaceGroup device;
  uint32_t first_character, count;
  uint64_t first_bone; /* of its characters in all palettes */
  SurfaceCase what;
} Group;

struct SupSurfaceBatch {
  SupArena arena; /* holds the batch itself */
  uint32_t group_count, character_count;
  Group *groups;
  uint32_t threads, entries, staged; /* the most that a tile has */
};

/* ---- Making -------------------------------------------------------------------------------------
 */

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

static void measure_tiles(SupSurfaceBatch *b, Group *group) {
  const SupTiles *tiles = &group->tiles;
  const bool undelayed = group->device.flags == SUP_SURFACE_UNDELAYED;
  bool plain = (group->device.flags == 0 || undelayed) && group->device.whole, usual = true;
  uint32_t etas = 0;
  for (uint32_t k = 0; k < tiles->tile_count; k++) {
    const uint32_t *h = tiles->words + TILES_HEADERS + (size_t)TILE_WORDS * k;
    const uint32_t lanes = h[TILE_LANES] & 65535u, halo = h[TILE_LANES] >> 16;
    plain = plain && (h[TILE_MORE] & 65535u) == 0;
    etas |= h[TILE_MORE] >> 16;
    usual = usual && lanes + halo <= SURFACE_ENTRIES && (h[TILE_BONES] & 65535u) <= SURFACE_BONES &&
            h[TILE_BONES] >> 16 <= SURFACE_SEGMENTS;
    b->entries = larger(b->entries, TILES_ROUND(lanes + halo, 4u));
    b->staged = larger(b->staged, h[TILE_HALOS] - h[TILE_NUMBERS]);
  }
  group->what = !usual      ? SURFACE_LARGE
                : !plain    ? SURFACE_ANY
                : undelayed ? SURFACE_UNDELAYED
                : etas      ? SURFACE_DELAYED
                            : SURFACE_PLAIN;
}

static SupResult upload_group(SupSurfaceBatch *b, Group *group, SupError *error) {
  const SupTiles *tiles = &group->tiles;
  const SupSkinView *skin = &group->view.skin;
  uint32_t *vertices = SUP_ALLOC(&b->arena, uint32_t, tiles->lane_count);
  if (!vertices) return sup_fail_memory(error, "cuda");
  for (uint32_t i = 0; i < tiles->lane_count; i++) {
    const uint32_t lane = tiles->order[i];
    vertices[i] = lane < skin->vertex_count ? skin->order[lane] : UINT32_MAX;
  }
  SurfaceGroup *d = &group->device;
  d->words = (const uint32_t *)sup_cuda_copy(tiles->words, tiles->bytes, "a model", error);
  d->vertices =
      (const uint32_t *)sup_cuda_copy(vertices, 4 * (size_t)tiles->lane_count, "a model", error);
  d->states = (char *)sup_cuda_copy(NULL, tiles->state_bytes * group->count, "states", error);
  if (!d->words || !d->vertices || !d->states) return SUP_ERROR_MEMORY;
  d->state_bytes = tiles->state_bytes;
  d->history = tiles->history;
  d->records = tiles->records;
  d->tile_count = tiles->tile_count;
  d->lanes = tiles->lane_count;
  d->bone_count = tiles->bone_count;
  d->vertex_count = skin->vertex_count;
  d->flags = tiles->words[TILES_FLAGS];
  d->tied = tiles->words[TILES_TIED];
  d->whole = tiles->words[TILES_WHOLE];
  uint32_t bits = 0;
  while (tiles->tile_count > 1u << bits) bits++;
  d->tile_shift = 31 + bits;
  d->tile_factor = (uint32_t)(((uint64_t)1 << d->tile_shift) / tiles->tile_count + 1);
  sup_copy(d->numbers, tiles->words, sizeof d->numbers);
  return SUP_OK;
}

/* Few characters are spread over all multiprocessors; many waste less on halos. */
static uint32_t choose_lanes(const SupBatchDef *def) {
  if (def->tile_lanes) return def->tile_lanes;
  uint64_t vertices = 0;
  for (uint32_t g = 0; g < def->group_count; g++) {
    vertices += (uint64_t)def->groups[g].count * def->groups[g].model->mesh.vertex_count;
  }
  return vertices <= 132 * 96 ? 96 : vertices <= 132 * 192 ? 192 : 256;
}

static SupResult make_groups(SupSurfaceBatch *b, const SupBatchDef *def, SupError *error) {
  uint64_t bones = 0, vertices = 0;
  b->threads = choose_lanes(def);
  for (uint32_t g = 0; g < def->group_count; g++) {
    Group *group = &b->groups[g];
    group->view = sup_surface_view(def->groups[g].model);
    group->count = def->groups[g].count;
    group->first_character = b->character_count;
    group->first_bone = bones;
    group->device.first_vertex = vertices;
    b->character_count += group->count;
    bones += (uint64_t)group->count * group->view.skin.bone_count;
    vertices += (uint64_t)group->count * group->view.skin.vertex_count;
    SupResult result = sup_tiles_make(&b->arena, &group->view, b->threads, &group->tiles, error);
    if (!result) result = upload_group(b, group, error);
    if (result) return result;
    measure_tiles(b, group);
  }
  return SUP_OK;
}

SupResult sup_cuda_surface_make(const SupBackend *backend, const SupBatchDef *def,
                                SupSurfaceBatch **out, SupError *error) {
  const SupResult fits = sup_batch_kind(def, SUP_SURFACE_KIND, "surface", error);
  if (fits) return fits;
  (void)backend;
  SupSurfaceBatch *b;
  SUP_CUDA_BATCH(b, def);
  if (!b) return sup_fail_memory(error, "cuda");
  SupResult result = make_groups(b, def, error);
  if (result) {
    sup_cuda_surface_free(b);
    return result;
  }
  sup_cuda_surface_reset(b, 0, b->character_count, NULL);
  const SurfaceLaunch like = {.staged = b->staged};
  result = sup_cuda_check(sup_cuda_surface_allow(&like), "so large a tile", error);
  if (!result) result = sup_cuda_check(cudaDeviceSynchronize(), "starting a batch", error);
  if (result) {
    sup_cuda_surface_free(b);
  } else {
    *out = b;
  }
  return result;
}

void sup_cuda_surface_free(SupSurfaceBatch *b) {
  if (!b) return;
  for (uint32_t g = 0; g < b->group_count; g++) {
    cudaFree((void *)b->groups[g].device.words);
    cudaFree((void *)b->groups[g].device.vertices);
    cudaFree(b->groups[g].device.states);
  }
  SupArena arena = b->arena;
  sup_arena_free(&arena);
}

/* ---- Launches -----------------------------------------------------------------------------------
 */

void sup_cuda_surface_reset(SupSurfaceBatch *b, uint32_t first, uint32_t count, SupStream stream) {
  for (uint32_t g = 0; g < b->group_count; g++) {
    const Group *group = &b->groups[g];
    const SupRange part = sup_cuda_part(group->first_character, group->count, first, count);
    if (!part.count) continue;
    const SurfaceGroup *d = &group->device;
    sup_cuda_launch_reset(d->states + d->state_bytes * part.first, d->state_bytes, d->tile_count,
                          part.count, (cudaStream_t)stream);
  }
}

/* The case of two. */
static SurfaceCase kernel_for(SurfaceCase a, SurfaceCase b) {
  return a == b ? a : a == SURFACE_LARGE || b == SURFACE_LARGE ? SURFACE_LARGE : SURFACE_ANY;
}

/* The launch of groups first .. , all with the same h; returns how many it covers, and its blocks.
 */
static uint32_t fill_launch(const SupSurfaceBatch *b, uint32_t first, const SupAffine *palettes,
                            SurfaceLaunch *launch, uint32_t *out_blocks) {
  uint64_t blocks = 0;
  uint32_t n = 0;
  for (; n < SURFACE_GROUPS && first + n < b->group_count; n++) {
    const Group *group = &b->groups[first + n];
    const uint64_t more = (uint64_t)group->count * group->tiles.tile_count;
    if (n && group->view.h != b->groups[first].view.h) break;
    if (n && blocks + more > INT32_MAX) break;
    launch->groups[n] = group->device;
    launch->groups[n].first_block = (uint32_t)blocks;
    if (palettes) launch->groups[n].palettes = palettes[group->first_bone].m;
    blocks += more;
    launch->what = n == 0 ? group->what : kernel_for(launch->what, group->what);
  }
  launch->group_count = n;
  launch->entries = b->entries;
  launch->staged = b->staged;
  *out_blocks = (uint32_t)blocks;
  return n;
}

/* As sup_surface_step has it, for the h of a launch's models. */
static void fill_forces(SurfaceLaunch *launch, const SupBatchForces *f, float h) {
  f = sup_batch_forces(f);
  if (!f) return;
  float wind = h * f->wind_drag;
  wind = wind > 1 ? 1 : wind > 0 ? wind : 0;
  launch->step[0] = f->acceleration.x * (h * h) + f->wind.x * (wind * h);
  launch->step[1] = f->acceleration.y * (h * h) + f->wind.y * (wind * h);
  launch->step[2] = f->acceleration.z * (h * h) + f->wind.z * (wind * h);
  launch->step[3] = wind;
  launch->step[4] = f->feed_forward;
  const uint32_t count = f->collider_count < SUP_COLLIDERS ? f->collider_count : SUP_COLLIDERS;
  launch->step[5] = (float)count;
  if (count) sup_copy(launch->colliders, f->colliders, count * sizeof *f->colliders);
}

_Static_assert(sizeof(SupCollider) == 44, "the kernel reads 11 floats");

void sup_cuda_surface_step(SupSurfaceBatch *b, const SupAffine *palettes,
                           const SupBatchForces *forces, SupStream stream) {
  for (uint32_t g = 0; g < b->group_count;) {
    SurfaceLaunch launch = {0};
    uint32_t blocks;
    const uint32_t n = fill_launch(b, g, palettes, &launch, &blocks);
    fill_forces(&launch, forces, b->groups[g].view.h);
    if (launch.step[4] > 0 || launch.step[5] > 0) {
      launch.what = kernel_for(launch.what, SURFACE_ANY);
    }
    sup_cuda_launch_step(&launch, blocks, b->threads, (cudaStream_t)stream);
    g += n;
  }
}

void sup_cuda_surface_show(SupSurfaceBatch *b, SupBatchOutput positions, SupBatchOutput normals,
                           SupStream stream) {
  for (uint32_t g = 0; g < b->group_count;) {
    SurfaceLaunch launch = {0};
    uint32_t blocks;
    const uint32_t n = fill_launch(b, g, NULL, &launch, &blocks);
    launch.positions = positions.data;
    launch.position_stride = positions.stride;
    launch.normals = normals.data;
    launch.normal_stride = normals.stride;
    sup_cuda_launch_show(&launch, blocks, b->threads, (cudaStream_t)stream);
    g += n;
  }
}

/* ---- Single states ------------------------------------------------------------------------------
 */

static const Group *group_of(const SupSurfaceBatch *b, uint32_t character) {
  uint32_t g = 0;
  while (g + 1 < b->group_count && character >= b->groups[g + 1].first_character) g++;
  return &b->groups[g];
}

static char *state_of(const Group *group, uint32_t character) {
  return group->device.states +
         group->device.state_bytes * (size_t)(character - group->first_character);
}

SupResult sup_cuda_surface_get(SupSurfaceBatch *b, uint32_t character, SupSurfaceState *io_state,
                               SupStream stream, SupError *error) {
  const Group *group = group_of(b, character);
  SupArena scratch;
  sup_arena_init(&scratch, b->arena.allocator, 0);
  void *block = sup_arena_alloc(&scratch, 1, group->tiles.state_bytes);
  SupResult result = block ? SUP_OK : sup_fail(error, SUP_ERROR_MEMORY, "cuda: no memory");
  if (!result) {
    cudaError_t code = cudaMemcpyAsync(block, state_of(group, character), group->tiles.state_bytes,
                                       cudaMemcpyDeviceToHost, (cudaStream_t)stream);
    if (code == cudaSuccess) code = cudaStreamSynchronize((cudaStream_t)stream);
    result = sup_cuda_check(code, "reading a state", error);
  }
  if (!result) sup_tiles_get(&group->tiles, block, io_state);
  sup_arena_free(&scratch);
  return result;
}

SupResult sup_cuda_surface_put(SupSurfaceBatch *b, uint32_t character, const SupSurfaceState *state,
                               const SupAffine *palettes, SupStream stream, SupError *error) {
  const Group *group = group_of(b, character);
  SupArena scratch;
  sup_arena_init(&scratch, b->arena.allocator, 0);
  void *block = sup_arena_alloc(&scratch, 1, group->tiles.state_bytes);
  SupResult result = block ? SUP_OK : sup_fail(error, SUP_ERROR_MEMORY, "cuda: no memory");
  if (!result) {
    sup_tiles_put(&group->tiles, state, palettes, block);
    cudaError_t code = cudaMemcpyAsync(state_of(group, character), block, group->tiles.state_bytes,
                                       cudaMemcpyHostToDevice, (cudaStream_t)stream);
    if (code == cudaSuccess) code = cudaStreamSynchronize((cudaStream_t)stream);
    result = sup_cuda_check(code, "writing a state", error);
  }
  sup_arena_free(&scratch);
  return result;
}
