/* SPDX-License-Identifier: MIT */
/* A crowd in tiles of several sizes: a GPU has other kernels for many tiles than for few. */
#include <math.h>
#include <stdio.h>

#include "batch_check.h"

enum { MANY = 40, VERTICES = 700, LOOKED_AT = 3 };

typedef struct Many {
  const SupBackend *backend;
  const SupBatchTable *table;
  SupArena arena;
  CrowdModel model;
  SupSurfaceBatch *batch;
  SupStream stream;
  SupAffine *host, *palettes;
  float *shown, *device; /* positions, 4 numbers each, then normals, 3 each */
  SupSurfaceState *states[LOOKED_AT];
} Many;

static const uint32_t who[LOOKED_AT] = {0, 17, MANY - 1};
static const size_t palette_bytes = (size_t)MANY * CROWD_BONES * sizeof(SupAffine);
static const size_t shown_bytes = (size_t)7 * MANY * VERTICES * sizeof(float);

static void many_open(Many *m, const SupBackend *backend, uint32_t flags, uint32_t lanes) {
  SupError error;
  *m = (Many){.backend = backend, .table = backend->batch, .arena = crowd_arena()};
  m->model = crowd_model(&m->arena, VERTICES, flags, flags != 0);
  const SupBatchGroup group = {m->model.model, MANY};
  const SupBatchDef def = {
      .allocator = m->arena.allocator, .group_count = 1, .groups = &group, .tile_lanes = lanes};
  must(m->table->surface_make(backend, &def, &m->batch, &error), &error);
  m->stream = m->table->stream_make();
  m->host = sup_arena_alloc(&m->arena, 1, palette_bytes);
  m->shown = sup_arena_alloc(&m->arena, 1, shown_bytes);
  m->palettes = m->table->allocate(&m->arena.allocator, palette_bytes);
  m->device = m->table->allocate(&m->arena.allocator, shown_bytes);
  const size_t bytes = sup_surface_bytes(&m->model.view);
  for (uint32_t k = 0; k < LOOKED_AT; k++) {
    m->states[k] = sup_surface_init(&m->model.view, sup_arena_alloc(&m->arena, 1, bytes));
  }
}

static void many_free(Many *m) {
  m->table->surface_free(m->batch);
  m->table->release(&m->arena.allocator, m->palettes, palette_bytes);
  m->table->release(&m->arena.allocator, m->device, shown_bytes);
  m->table->stream_free(m->stream);
  sup_arena_free(&m->arena);
}

static void many_step(Many *m, uint32_t frame, const SupBackend *single) {
  SupError error;
  SupBatchForces acting = forces;
  acting.collider_count = 0;
  for (uint32_t k = 0; k < MANY; k++) {
    crowd_palette(k, frame / 60.0, false, m->host + (size_t)CROWD_BONES * k);
  }
  must(m->table->upload(m->palettes, m->host, palette_bytes, m->stream, &error), &error);
  m->table->surface_step(m->batch, m->palettes, &acting, m->stream);
  must(m->table->wait(m->stream, &error), &error);
  for (uint32_t k = 0; k < LOOKED_AT; k++) {
    const SupAffine *palette = m->host + (size_t)CROWD_BONES * who[k];
    single_step(single, &m->model, m->states[k], palette, &acting);
  }
}

static void many_measure(Many *m, Apart *io) {
  SupError error;
  const size_t normals = (size_t)4 * MANY * VERTICES;
  m->table->surface_show(m->batch, (SupBatchOutput){m->device, 4},
                         (SupBatchOutput){m->device + normals, 3}, m->stream);
  must(m->table->download(m->shown, m->device, shown_bytes, m->stream, &error), &error);
  for (uint32_t k = 0; k < LOOKED_AT; k++) {
    const size_t first = (size_t)VERTICES * who[k];
    measure(&m->model, m->states[k], m->shown + 4 * first, m->shown + normals + 3 * first, io);
  }
}

void check_lanes(const SupBackend *backend) {
  static const uint32_t flags[] = {0,
                                   CROWD_HOLLOW,
                                   CROWD_HOLLOW | SUP_SURFACE_UNDELAYED,
                                   SUP_SURFACE_UNDELAYED | SUP_SURFACE_NORMAL,
                                   CROWD_TANGLED,
                                   CROWD_SPREAD | SUP_SURFACE_UNDELAYED};
  static const uint32_t lanes[] = {32, 96, 192, 256}; /* of a tile, on a GPU */
  const SupBackend *single = sup_backend_cpu();
  const uint32_t frames = check_frames < 90 ? check_frames : 90;
  const size_t sizes = backend->batch->record_begin ? sizeof lanes / sizeof *lanes : 1;
  bool many_large = false;
  for (size_t i = 0; i < sizes * (sizeof flags / sizeof *flags); i++) {
    Many m;
    Apart d = {0, 0, 0, 0, 0};
    many_open(&m, backend, flags[i / sizes], lanes[i % sizes]);
    for (uint32_t frame = 0; frame < frames; frame++) {
      many_step(&m, frame, single);
      if (frame % 10 == 9 || frame + 1 == frames) many_measure(&m, &d);
    }
    for (size_t k = 0; k < sizeof lanes / sizeof *lanes; k++) {
      const TileSizes t = tile_sizes(&m.arena, &m.model.view, lanes[k]);
      if (MANY * t.count > FEW_TILES && t.largest > USUAL_TILE) many_large = true;
    }
    const double mean = d.count > 0 ? sqrt(d.squares / d.count) : 0;
    printf("lanes %u, flags %x: %u frames, of %.3g m: most %.2g, mean %.2g apart\n",
           lanes[i % sizes], flags[i / sizes], frames, d.moved, d.apart / d.moved, mean / d.moved);
    expect(d.moved > 0.005, "lanes: the flesh moves");
    expect(d.apart < 1e-4 * d.moved, "lanes: as on the processor");
    expect(mean < 2e-5 * d.moved, "lanes: as on the processor in the mean");
    many_free(&m);
  }
  expect(many_large, "lanes: many large tiles");
}
