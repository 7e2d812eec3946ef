/* SPDX-License-Identifier: MIT */
/*
 * Batches of a backend against single characters on the processor, and against themselves.
 *
 * usage: batch_check NAME [FRAMES]    NAME: cpu, scalar, ..., cuda. Exit 77 where there is none.
 *
 * No test library, so that it runs on any machine with a GPU.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch_check.h"
#include "runtime/tiles/tiles_layout.h"
#include "supple/helpers.h"
#include "supple/modes.h"
#include "supple/surface.h"
#include "supple/tiles.h"

static uint32_t failures;
uint32_t check_frames = 600;

void expect(bool condition, const char *what) {
  if (condition) return;
  printf("FAILED: %s\n", what);
  failures++;
}

void must(SupResult result, const SupError *error) {
  if (!result) return;
  printf("FAILED: %s\n", error->text);
  exit(1);
}

/* ---- A crowd of two models ----------------------------------------------------------------------
 */

void crowd_open(Crowd *out, const SupBackend *backend, const SupModel *a, const SupModel *b) {
  Crowd c = {.backend = backend, .table = backend->batch, .arena = crowd_arena()};
  c.groups[0] = (SupBatchGroup){a, 3};
  c.groups[1] = (SupBatchGroup){b, CHARACTERS - 3};
  c.def =
      (SupBatchDef){.allocator = c.arena.allocator, .group_count = GROUPS, .groups = out->groups};
  c.palette_bytes = CHARACTERS * CROWD_BONES * sizeof(SupAffine);
  c.host = sup_arena_alloc(&c.arena, 1, c.palette_bytes);
  c.palettes = c.table->allocate(&c.def.allocator, c.palette_bytes);
  c.stream = c.table->stream_make();
  *out = c;
}

void crowd_free(Crowd *c) {
  c->table->release(&c->def.allocator, c->palettes, c->palette_bytes);
  c->table->stream_free(c->stream);
  sup_arena_free(&c->arena);
}

void pose(Crowd *c, uint32_t frame, bool scaled) {
  SupError error;
  for (uint32_t k = 0; k < CHARACTERS; k++) {
    crowd_palette(k, frame / 60.0, scaled, c->host + (size_t)CROWD_BONES * k);
  }
  must(c->table->upload(c->palettes, c->host, c->palette_bytes, c->stream, &error), &error);
  must(c->table->wait(c->stream, &error), &error);
}

/* ---- Surface ------------------------------------------------------------------------------------
 */

static const SupCollider ball = {
    .a = {0.6f, 0.5f, 0}, .b = {0.9f, 0.5f, 0}, .radius = 0.3f, .restitution = 0.2f};
const SupBatchForces forces = {.acceleration = {0, -2, 0},
                               .wind = {1, 0, 0},
                               .wind_drag = 0.4f,
                               .collider_count = 1,
                               .colliders = &ball};

void single_step(const SupBackend *backend, const CrowdModel *m, SupSurfaceState *state,
                 const SupAffine *palette, const SupBatchForces *acting) {
  const SupExternalForces f = {.acceleration = acting->acceleration,
                               .wind = acting->wind,
                               .wind_drag = acting->wind_drag,
                               .feed_forward = acting->feed_forward,
                               .collider_count = acting->collider_count,
                               .colliders = acting->colliders};
  const SupSkinCall call = {.skin = &m->view.skin,
                            .palette = palette,
                            .positions = {sup_surface_next_goal(state), 0},
                            .normals = {sup_surface_next_normals(state), 0}};
  SupSkinCall plain = call;
  if (!sup_surface_wants_normals(m->view.flags)) plain.normals.data = NULL;
  sup_skin_lbs(backend, NULL, &plain);
  sup_surface_step(&m->view, state, backend, NULL, palette, &f);
}

void measure(const CrowdModel *m, const SupSurfaceState *state, const float *positions,
             const float *normals, Apart *io) {
  const float *records = (const float *)(const void *)((const char *)state + state->records);
  const float *goals = (const float *)(const void *)((const char *)state + state->goal);
  for (uint32_t v = 0; v < m->view.skin.vertex_count; v++) {
    const uint32_t lane = m->view.lanes[v];
    double apart = 0, moved = 0, length = 0;
    for (uint32_t k = 0; k < 3; k++) {
      const double x = records[8 * (size_t)lane + k];
      const double goal = goals[(size_t)48 * (lane / 16) + 16 * k + lane % 16];
      apart += pow(positions[4 * (size_t)v + k] - x, 2);
      moved += pow(x - goal, 2);
      length += pow(normals[3 * (size_t)v + k], 2);
    }
    if (!(apart < 1e18)) apart = 1e18;
    io->squares += apart;
    io->count++;
    io->apart = fmax(io->apart, sqrt(apart));
    io->moved = fmax(io->moved, sqrt(moved));
    io->normals = fmax(io->normals, fabs(sqrt(length) - 1));
  }
}

static uint64_t run_surface(const SupBackend *backend, const CrowdModel *a, const CrowdModel *b,
                            bool wild, bool compare, Apart *out) {
  SupBatchForces acting = forces;
  acting.collider_count = wild;
  Crowd c;
  crowd_open(&c, backend, a->model, b->model);
  const CrowdModel *of[CHARACTERS] = {a, a, a, b, b};
  SupError error;
  SupSurfaceBatch *batch;
  must(c.table->surface_make(backend, &c.def, &batch, &error), &error);
  size_t vertices = 0;
  SupSurfaceState *states[CHARACTERS];
  for (uint32_t k = 0; k < CHARACTERS; k++) {
    vertices += of[k]->view.skin.vertex_count;
    states[k] = sup_surface_init(&of[k]->view,
                                 sup_arena_alloc(&c.arena, 1, sup_surface_bytes(&of[k]->view)));
  }
  const size_t bytes = 7 * vertices * sizeof(float);
  float *shown = sup_arena_alloc(&c.arena, 1, bytes);
  float *device = c.table->allocate(&c.def.allocator, bytes);
  const SupBackend *single = sup_backend_cpu();
  uint64_t hash = 0;
  for (uint32_t frame = 0; frame < check_frames; frame++) {
    pose(&c, frame, wild);
    if (frame == check_frames / 2) {
      c.table->surface_reset(batch, 1, 3, c.stream);
      for (uint32_t k = 1; k < 4; k++) sup_surface_reset(states[k]);
    }
    acting.feed_forward = wild && frame % 100 > 80 ? 0.5f : 0;
    c.table->surface_step(batch, c.palettes, &acting, c.stream);
    for (uint32_t k = 0; compare && k < CHARACTERS; k++) {
      single_step(single, of[k], states[k], c.host + (size_t)CROWD_BONES * k, &acting);
    }
    if (frame % 7 && frame + 1 != check_frames) continue;
    c.table->surface_show(batch, (SupBatchOutput){device, 4},
                          (SupBatchOutput){device + 4 * vertices, 3}, c.stream);
    must(c.table->download(shown, device, bytes, c.stream, &error), &error);
    hash = sup_hash(shown, bytes, hash);
    size_t first = 0;
    for (uint32_t k = 0; compare && k < CHARACTERS; k++) {
      measure(of[k], states[k], shown + 4 * first, shown + 4 * vertices + 3 * first, out);
      first += of[k]->view.skin.vertex_count;
    }
  }
  c.table->release(&c.def.allocator, device, bytes);
  c.table->surface_free(batch);
  crowd_free(&c);
  return hash;
}

TileSizes tile_sizes(SupArena *arena, const SupSurfaceView *view, uint32_t lanes) {
  SupTiles tiles;
  SupError error;
  must(sup_tiles_make(arena, view, lanes, &tiles, &error), &error);
  TileSizes out = {tiles.tile_count, 0};
  for (uint32_t k = 0; k < tiles.tile_count; k++) {
    const uint32_t word = tiles.words[TILES_HEADERS + TILE_WORDS * k + TILE_LANES];
    const uint32_t entries = (word & 65535u) + (word >> 16);
    out.largest = entries > out.largest ? entries : out.largest;
  }
  return out;
}

/* Tame: bones that move and turn. Wild: a collider, acceleration that is handed on for a while,
 * bones that grow, and one that is mirrored, so that flesh between it and its neighbours has no
 * size at times and turns by whatever is rounded: there single vertices may differ more. */
static void check_surface(const SupBackend *backend) {
  enum { UNDELAYED = SUP_SURFACE_UNDELAYED, NORMAL = SUP_SURFACE_NORMAL };
  enum { LANES = 96 }; /* as CUDA chooses them for so few vertices */
  static const struct {
    uint32_t flags_a, flags_b;
    bool wild;
    double most, mean; /* of the greatest distance from the goal */
  } cases[] = {{0, 0, false, 1e-4, 2e-5},
               {SUP_SURFACE_ABSOLUTE, SUP_SURFACE_BONE_ROTATION, false, 1e-4, 2e-5},
               {0, SUP_SURFACE_BONE_ROTATION, true, 1e-3, 5e-5},
               {SUP_SURFACE_BACKSTOPS, SUP_SURFACE_ABSOLUTE, true, 1e-3, 5e-5},
               {UNDELAYED, UNDELAYED, false, 1e-4, 2e-5},
               {UNDELAYED | SUP_SURFACE_ABSOLUTE, NORMAL, false, 1e-4, 2e-5},
               {UNDELAYED, UNDELAYED | NORMAL, true, 1e-3, 5e-5},
               {UNDELAYED | NORMAL | SUP_SURFACE_BACKSTOPS, 0, true, 1e-3, 5e-5},
               {CROWD_TANGLED, CROWD_TANGLED | UNDELAYED, false, 2e-4, 2e-5},
               {CROWD_SPREAD, CROWD_SPREAD | UNDELAYED, false, 1e-4, 2e-5},
               {CROWD_SPREAD | UNDELAYED | NORMAL | SUP_SURFACE_BACKSTOPS,
                CROWD_SPREAD | SUP_SURFACE_ABSOLUTE, true, 1e-3, 5e-5}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    SupArena arena = crowd_arena();
    const CrowdModel a = crowd_model(&arena, 700, cases[i].flags_a, true);
    /* Two step lengths in one call: forces act by h. */
    const CrowdModel b =
        crowd_model_at(&arena, 494, cases[i].flags_b, i % 2, i % 2 ? 1.0f / 90 : 1.0f / 60);
    const bool large = cases[i].flags_a & CROWD_TANGLED;
    expect((tile_sizes(&arena, &a.view, LANES).largest > USUAL_TILE) == large,
           "surface: tiles of every size");
    Apart d = {0, 0, 0, 0, 0};
    const uint64_t hash = run_surface(backend, &a, &b, cases[i].wild, true, &d);
    const uint64_t again = run_surface(backend, &a, &b, cases[i].wild, false, &d);
    const double mean = d.count > 0 ? sqrt(d.squares / d.count) : 0;
    printf(
        "surface %zu, %s: %u frames, of %.3g m: most %.2g, mean %.2g apart; normals %.1g, hash "
        "%016llx\n",
        i, cases[i].wild ? "wild" : "tame", check_frames, d.moved, d.apart / d.moved,
        mean / d.moved, d.normals, (unsigned long long)hash);
    expect(d.moved > 0.01, "the flesh moves");
    expect(d.apart < cases[i].most * d.moved, "surface: as on the processor");
    expect(mean < cases[i].mean * d.moved, "surface: as on the processor in the mean");
    expect(d.normals < 1e-5, "surface: unit normals");
    expect(hash == again, "surface: the same bits again");
    sup_arena_free(&arena);
  }
}

static double rows_apart(const SupSurfaceState *a, const SupSurfaceState *b, uint64_t offset) {
  const float *x = (const float *)(const void *)((const char *)a + offset);
  const float *y = (const float *)(const void *)((const char *)b + offset);
  double most = 0;
  for (size_t i = 0; i < (size_t)48 * a->block_count; i++) {
    most = fmax(most, fabs((double)x[i] - (double)y[i]));
  }
  return most;
}

/* A batch of small models must not take anything from those that are there. */
static void make_small(const Crowd *c, SupArena *arena) {
  SupError error;
  const SupBatchGroup group = {crowd_model(arena, 100, 0, false).model, 1};
  SupBatchDef def = c->def;
  SupSurfaceBatch *batch;
  def.group_count = 1;
  def.groups = &group;
  must(c->table->surface_make(c->backend, &def, &batch, &error), &error);
  c->table->surface_free(batch);
}

/* A model of another technique is refused. */
static void check_kinds(const SupBackend *backend) {
  SupArena arena = crowd_arena();
  SupError error = {{0}};
  const SupBatchGroup surface = {crowd_model(&arena, 100, 0, false).model, 1};
  const SupBatchGroup modes = {crowd_modes(&arena, 100, 4), 1};
  SupBatchDef def = {.allocator = arena.allocator, .group_count = 1, .groups = &surface};
  SupModesBatch *swings;
  SupHelpersCrowd *helpers;
  SupSurfaceBatch *flesh;
  expect(backend->batch->modes_make(backend, &def, &swings, &error) == SUP_ERROR_ARGUMENT,
         "kinds: a surface is no modes");
  expect(backend->batch->helpers_make(backend, &def, &helpers, &error) == SUP_ERROR_ARGUMENT,
         "kinds: a surface is no helpers");
  def.groups = &modes;
  expect(backend->batch->surface_make(backend, &def, &flesh, &error) == SUP_ERROR_ARGUMENT,
         "kinds: modes are no surface");
  sup_arena_free(&arena);
}

/* A state goes out of one batch and into another, which goes on as the first. */
static void check_exchange(const SupBackend *backend, uint32_t flags) {
  enum { FROM = 4, TO = 1, WHEN = 20, END = 40 };
  SupArena arena = crowd_arena();
  SupError error;
  const CrowdModel m = crowd_model(&arena, 700, flags, true);
  Crowd c;
  crowd_open(&c, backend, m.model, m.model);
  SupSurfaceBatch *one, *two;
  must(c.table->surface_make(backend, &c.def, &one, &error), &error);
  must(c.table->surface_make(backend, &c.def, &two, &error), &error);
  make_small(&c, &arena);
  const size_t bytes = sup_surface_bytes(&m.view);
  SupSurfaceState *state = sup_surface_init(&m.view, sup_arena_alloc(&arena, 1, bytes));
  SupSurfaceState *other = sup_surface_init(&m.view, sup_arena_alloc(&arena, 1, bytes));
  SupAffine last[2 * CROWD_BONES];
  for (uint32_t frame = 0; frame < END; frame++) {
    SupAffine *palette = c.host + (size_t)FROM * CROWD_BONES;
    pose(&c, frame, false);
    c.table->surface_step(one, c.palettes, NULL, c.stream);
    if (frame >= WHEN) {
      must(c.table->wait(c.stream, &error), &error);
      memcpy(c.host + (size_t)TO * CROWD_BONES, palette, sizeof last / 2);
      must(c.table->upload(c.palettes, c.host, c.palette_bytes, c.stream, &error), &error);
      c.table->surface_step(two, c.palettes, NULL, c.stream);
      continue;
    }
    memcpy(last + CROWD_BONES, last, sizeof last / 2);
    memcpy(last, palette, sizeof last / 2);
    if (frame + 1 < WHEN) continue;
    must(c.table->surface_get(one, FROM, state, c.stream, &error), &error);
    must(c.table->surface_put(two, TO, state, last, c.stream, &error), &error);
  }
  must(c.table->surface_get(one, FROM, state, c.stream, &error), &error);
  must(c.table->surface_get(two, TO, other, c.stream, &error), &error);
  const double apart = rows_apart(state, other, state->x);
  printf("exchange, flags %u: %.3g apart after %d frames\n", flags, apart, END - WHEN);
  expect(state->owed == other->owed, "exchange: the same is owed");
  expect(rows_apart(state, other, state->goal) == 0, "exchange: the same goals");
  /* A GPU's tiles round rotations on the way. */
  const double slack = strcmp(backend->name, "cuda") == 0;
  expect(apart <= 1e-6 * slack, "exchange: the same flesh");
  expect(rows_apart(state, other, state->dx) <= 1e-7 * slack, "exchange: the same velocities");
  c.table->surface_free(one);
  c.table->surface_free(two);
  crowd_free(&c);
  sup_arena_free(&arena);
}

/* A recorded step, played, gives the bits of steps that are called. */
static void check_recording(const SupBackend *backend, uint32_t flags) {
  if (!backend->batch->record_begin) return;
  SupArena arena = crowd_arena();
  SupError error;
  const CrowdModel m = crowd_model(&arena, 700, flags, true);
  Crowd c;
  crowd_open(&c, backend, m.model, m.model);
  SupSurfaceBatch *one, *two;
  must(c.table->surface_make(backend, &c.def, &one, &error), &error);
  must(c.table->surface_make(backend, &c.def, &two, &error), &error);
  must(c.table->record_begin(c.stream, &error), &error);
  c.table->surface_step(two, c.palettes, &forces, c.stream);
  void *recording = c.table->record_end(c.stream, &error);
  if (!recording) must(SUP_ERROR_UNSUPPORTED, &error);
  for (uint32_t frame = 0; frame < 40; frame++) {
    pose(&c, frame, false);
    c.table->surface_step(one, c.palettes, &forces, c.stream);
    c.table->play(recording, c.stream);
    must(c.table->wait(c.stream, &error), &error);
  }
  const size_t bytes = sup_surface_bytes(&m.view);
  SupSurfaceState *a = sup_surface_init(&m.view, sup_arena_alloc(&arena, 1, bytes));
  SupSurfaceState *b = sup_surface_init(&m.view, sup_arena_alloc(&arena, 1, bytes));
  must(c.table->surface_get(one, 2, a, c.stream, &error), &error);
  must(c.table->surface_get(two, 2, b, c.stream, &error), &error);
  expect(memcmp(a, b, bytes) == 0, "recording: the same bits");
  printf("recording, flags %u: played 40 frames\n", flags);
  c.table->recording_free(recording);
  c.table->surface_free(one);
  c.table->surface_free(two);
  crowd_free(&c);
  sup_arena_free(&arena);
}

int main(int count, char **arguments) {
  const char *name = count > 1 ? arguments[1] : "cpu", *why = NULL;
  if (count > 2) check_frames = (uint32_t)atoi(arguments[2]);
  const SupBackend *backend = strcmp(name, "cpu") == 0    ? sup_backend_cpu()
                              : strcmp(name, "cuda") == 0 ? sup_backend_cuda(&why)
                                                          : sup_backend_find(name);
  if (!backend) {
    printf("skipped: %s\n", why ? why : "no such backend here");
    return 77;
  }
  check_surface(backend);
  check_lanes(backend);
  check_kinds(backend);
  check_exchange(backend, 0);
  check_exchange(backend, SUP_SURFACE_UNDELAYED | SUP_SURFACE_NORMAL);
  check_recording(backend, 0);
  check_recording(backend, SUP_SURFACE_UNDELAYED);
  check_modes(backend);
  check_helpers(backend);
  check_faults(backend);
  printf("%s: %s\n", backend->name, failures ? "FAILED" : "passed");
  return failures != 0;
}
