/* SPDX-License-Identifier: MIT */
#include "batches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "crowd.h"
#include "supple/tiles.h"

enum { POSES = 16, DIFFERENT = 64, MOST_SAMPLES = 1001 };

typedef struct Run {
  Batches *b;
  const SupBatchTable *table;
  SupArena arena; /* of this case */
  SupAllocator allocator;
  SupStream stream;
  SupAffine *palettes[POSES]; /* the backend's memory */
  uint32_t poses, turn, characters;
  size_t palette_bytes;
  SupSurfaceBatch *surface;
  SupModesBatch *modes;
  SupSkinBatch *skin;
  SupHelpersCrowd *helpers;
  SupTransform *joints[POSES]; /* the backend's; palettes are where the joints are */
  size_t joint_bytes;
  float *out;
  size_t out_bytes;
  uint64_t vertices;
  void (*frame)(struct Run *run);
} Run;

/* ---- Palettes -----------------------------------------------------------------------------------
 */

/* `characters` times the bones of DIFFERENT ones, in the backend's memory. */
static SupResult make_palettes(Run *run, uint32_t characters, uint32_t poses, SupError *error) {
  const uint32_t different = characters < DIFFERENT ? characters : DIFFERENT;
  const size_t one = CROWD_BONES * sizeof(SupAffine);
  SupAffine *host = sup_arena_alloc(&run->arena, different, one);
  if (!host) return sup_fail_memory(error, "bench batches");
  run->characters = characters;
  run->poses = poses;
  run->palette_bytes = one * characters;
  for (uint32_t p = 0; p < poses; p++) {
    char *to = run->table->allocate(&run->allocator, run->palette_bytes);
    if (!to) return sup_fail_memory(error, "bench batches");
    run->palettes[p] = (SupAffine *)(void *)to;
    for (uint32_t k = 0; k < different; k++) {
      crowd_palette(k, 2 * (double)p / POSES, false, host + (size_t)CROWD_BONES * k);
    }
    SupResult result = run->table->upload(to, host, one * different, run->stream, error);
    if (!result) result = run->table->wait(run->stream, error);
    for (size_t done = different; !result && done < characters;) {
      const size_t more = characters - done < done ? characters - done : done;
      result = run->table->copy(to + one * done, to, one * more, run->stream, error);
      done += more;
    }
    if (result) return result;
  }
  return run->table->wait(run->stream, error);
}

static const SupAffine *next_palettes(Run *run) { return run->palettes[run->turn++ % run->poses]; }

/* ---- Timing -------------------------------------------------------------------------------------
 */

static SupResult time_recorded(Run *run, uint32_t frames, double *out, uint32_t samples,
                               SupError *error) {
  SupResult result = run->table->record_begin(run->stream, error);
  if (result) return result;
  for (uint32_t k = 0; k < frames; k++) run->frame(run);
  void *recording = run->table->record_end(run->stream, error);
  if (!recording) return SUP_ERROR_UNSUPPORTED;
  run->table->play_seconds(recording, 3, run->stream);
  for (uint32_t k = 0; k < samples; k++) {
    out[k] = run->table->play_seconds(recording, 1, run->stream) / frames;
  }
  run->table->recording_free(recording);
  return run->table->wait(run->stream, error);
}

static SupResult time_called(Run *run, double *out, uint32_t samples) {
  for (uint32_t k = 0; k < samples; k++) {
    const double began = run->b->clock();
    run->frame(run);
    out[k] = run->b->clock() - began;
  }
  return SUP_OK;
}

/* Warm, `frames` per recording. */
static SupResult measure(Run *run, const char *name, const char *unit, uint64_t items, double bytes,
                         uint32_t frames, SupError *error) {
  static double seconds[MOST_SAMPLES];
  const uint32_t samples = run->b->samples < MOST_SAMPLES ? run->b->samples : MOST_SAMPLES;
  for (int k = 0; k < 4; k++) run->frame(run);
  SupResult result = run->table->wait(run->stream, error);
  if (!result) {
    result = run->table->record_begin ? time_recorded(run, frames, seconds, samples, error)
                                      : time_called(run, seconds, samples);
  }
  if (result) return result;
  const BenchSpread spread = bench_spread(seconds, samples);
  const BatchesRow row = {name,       unit,       items, spread.median,
                          spread.p10, spread.p90, bytes, run->b->copied};
  run->b->row(run->b->user, &row);
  return SUP_OK;
}

static void open_run(Run *run, Batches *b) {
  *run = (Run){.b = b, .table = b->backend->batch, .arena = crowd_arena()};
  run->allocator = run->arena.allocator;
  run->stream = run->table->stream_make();
}

static void close_run(Run *run) {
  for (uint32_t p = 0; p < run->poses; p++) {
    run->table->release(&run->allocator, run->palettes[p], run->palette_bytes);
  }
  for (uint32_t p = 0; p < POSES && run->joint_bytes; p++) {
    if (run->joints[p]) run->table->release(&run->allocator, run->joints[p], run->joint_bytes);
  }
  if (run->out) run->table->release(&run->allocator, run->out, run->out_bytes);
  run->table->surface_free(run->surface);
  run->table->modes_free(run->modes);
  run->table->skin_free(run->skin);
  run->table->helpers_free(run->helpers);
  run->table->stream_free(run->stream);
  sup_arena_free(&run->arena);
}

static SupResult take_out(Run *run, size_t floats, SupError *error) {
  run->out_bytes = floats * sizeof(float);
  run->out = run->table->allocate(&run->allocator, run->out_bytes);
  return run->out ? SUP_OK : sup_fail_memory(error, "bench batches");
}

/* ---- Cases --------------------------------------------------------------------------------------
 */

static void step_frame(Run *run) {
  run->table->surface_step(run->surface, next_palettes(run), NULL, run->stream);
}

static void show_frame(Run *run) {
  run->table->surface_show(run->surface, (SupBatchOutput){run->out, 3},
                           (SupBatchOutput){run->out + 3 * run->vertices, 3}, run->stream);
}

static void skin_frame(Run *run) {
  run->table->skin_lbs(run->skin, next_palettes(run), NULL, (SupBatchOutput){run->out, 3},
                       (SupBatchOutput){NULL, 0}, run->stream);
}

static void modes_frame(Run *run) {
  run->table->modes_step(run->modes, 1.0f / 60, next_palettes(run), (SupVec3){0, 0, 0},
                         run->stream);
}

typedef struct SurfaceCase {
  const char *name;
  uint32_t vertices, characters, frames;
  bool brief, shown; /* measured even in brief; also what is shown, and plain skinning */
  uint32_t flags;
} SurfaceCase;

static SupResult run_surface(Run *run, const SurfaceCase *c, SupError *error) {
  const CrowdModel m = crowd_model(&run->arena, c->vertices, c->flags, false);
  const SupBatchGroup group = {m.model, c->characters};
  const SupBatchDef def = {run->allocator, run->b->jobs, 1, &group, run->b->tile_lanes};
  SupTiles tiles;
  SupResult result = sup_tiles_make(&run->arena, &m.view, run->b->tile_lanes, &tiles, error);
  if (!result) result = make_palettes(run, c->characters, POSES, error);
  if (!result) result = run->table->surface_make(run->b->backend, &def, &run->surface, error);
  if (result) return result;
  const uint64_t items = run->vertices = (uint64_t)c->vertices * c->characters;
  /* Each character's records and history in and out, its palette in; the model once. Undelayed:
   * what is shown is put apart. */
  const double lanes = (double)tiles.lane_count * c->characters;
  const double history = (double)(tiles.records - tiles.history) * c->characters;
  const double lane_bytes = c->flags & SUP_SURFACE_UNDELAYED ? 80 : 64;
  double bytes = lane_bytes * lanes + 2 * history + (double)(tiles.bytes - tiles.one_ring_bytes) +
                 (double)run->palette_bytes;
  run->frame = step_frame;
  result = measure(run, c->name, "vertex", items, bytes, c->frames, error);
  if (result || !c->shown) return result;
  result = take_out(run, 6 * items, error);
  if (result) return result;
  char *name = SUP_ALLOC(&run->arena, char, 80);
  sup_format(name, 80, "%s, positions and normals", c->name);
  run->frame = show_frame;
  bytes = (16 + 4 + 24) * lanes + (double)tiles.one_ring_bytes;
  result = measure(run, name, "vertex", items, bytes, c->frames, error);
  if (!result) result = run->table->skin_make(run->b->backend, &def, &run->skin, error);
  if (result) return result;
  name = SUP_ALLOC(&run->arena, char, 80);
  sup_format(name, 80, "%s, skinning alone", c->name);
  run->frame = skin_frame;
  return measure(run, name, "vertex", items, 12 * lanes + (double)run->palette_bytes, c->frames,
                 error);
}

static SupResult run_modes(Run *run, uint32_t characters, uint32_t modes, uint32_t frames,
                           const char *name, SupError *error) {
  const SupModel *model = crowd_modes(&run->arena, 494, modes);
  const SupBatchGroup group = {model, characters};
  const SupBatchDef def = {
      .allocator = run->allocator, .jobs = run->b->jobs, .group_count = 1, .groups = &group};
  SupResult result = make_palettes(run, characters, 2, error);
  if (!result) result = run->table->modes_make(run->b->backend, &def, &run->modes, error);
  if (result) return result;
  run->frame = modes_frame;
  /* The palette in; the last one and the velocities, amplitudes and forces in and out. */
  const double bytes = (double)characters * (5 * CROWD_BONES * sizeof(SupAffine) + 24.0 * modes);
  return measure(run, name, "character", characters, bytes, frames, error);
}

static void helpers_frame(Run *run) {
  const SupHelpersControls controls = sup_helpers_controls();
  const uint32_t turn = run->turn++ % run->poses;
  run->table->helpers_step(run->helpers, &controls, run->palettes[turn], run->joints[turn],
                           run->stream);
}

/* `count` items of `one` bytes, of which `given` are there, repeated into the backend's memory. */
static void *repeated(Run *run, const void *given, uint32_t different, size_t one, uint32_t count,
                      SupError *error) {
  char *to = run->table->allocate(&run->allocator, one * count);
  if (!to || run->table->upload(to, given, one * different, run->stream, error)) return to;
  for (size_t done = different; done < count;) {
    const size_t more = count - done < done ? count - done : done;
    if (run->table->copy(to + one * done, to, one * more, run->stream, error)) return to;
    done += more;
  }
  return to;
}

static SupResult make_poses(Run *run, uint32_t characters, uint32_t joints, SupError *error) {
  const uint32_t different = characters < DIFFERENT ? characters : DIFFERENT;
  SupTransform *locals = SUP_ALLOC(&run->arena, SupTransform, (size_t)different * joints);
  SupAffine *globals = SUP_ALLOC(&run->arena, SupAffine, (size_t)different * joints);
  if (!locals || !globals) return sup_fail(error, SUP_ERROR_MEMORY, "bench batches: no memory");
  run->joint_bytes = sizeof(SupTransform) * joints * characters;
  run->palette_bytes = sizeof(SupAffine) * joints * characters;
  for (run->poses = 0; run->poses < 4; run->poses++) {
    for (uint32_t k = 0; k < different; k++) {
      crowd_joints(k, run->poses / 60.0, joints, locals + (size_t)joints * k,
                   globals + (size_t)joints * k);
    }
    run->joints[run->poses] =
        repeated(run, locals, different, sizeof(SupTransform) * joints, characters, error);
    run->palettes[run->poses] =
        repeated(run, globals, different, sizeof(SupAffine) * joints, characters, error);
    if (!run->joints[run->poses] || !run->palettes[run->poses]) {
      return sup_fail_memory(error, "bench batches");
    }
    const SupResult result = run->table->wait(run->stream, error);
    if (result) return result;
  }
  return SUP_OK;
}

static SupResult run_helpers(Run *run, uint32_t characters, const char *name, SupError *error) {
  enum { HELPERS = 4, STATES = 10, JOINTS = CROWD_JOINTS + HELPERS };
  const SupBatchGroup group = {crowd_helpers(&run->arena, HELPERS, STATES), characters};
  const SupBatchDef def = {
      .allocator = run->allocator, .jobs = run->b->jobs, .group_count = 1, .groups = &group};
  SupResult result = make_poses(run, characters, JOINTS, error);
  if (!result) result = run->table->helpers_make(run->b->backend, &def, &run->helpers, error);
  if (result) return result;
  run->frame = helpers_frame;
  /* Rotations and places of its joints in; what it remembers of them and the states in and out;
   * fractions and count likewise; the helpers' transforms out. */
  const double bytes = CROWD_JOINTS * (16.0 + 48 + 2 * 72) + HELPERS * (8.0 * STATES + 40) + 24;
  return measure(run, name, "character", characters, bytes * characters, 8, error);
}

/* What a large copy within the backend's memory reaches. */
static SupResult measure_copy(Batches *b, SupError *error) {
  Run run;
  open_run(&run, b);
  const size_t bytes = (size_t)(b->brief ? 1 : 32) << 26;
  void *from = run.table->allocate(&run.allocator, bytes);
  void *to = run.table->allocate(&run.allocator, bytes);
  SupResult result = from && to ? SUP_OK : SUP_ERROR_MEMORY;
  double best = 0;
  if (!result && run.table->record_begin) {
    double seconds[31];
    run.table->record_begin(run.stream, error);
    run.table->copy(to, from, bytes, run.stream, error);
    void *recording = run.table->record_end(run.stream, error);
    if (recording) {
      run.table->play_seconds(recording, 3, run.stream);
      for (int k = 0; k < 31; k++) seconds[k] = run.table->play_seconds(recording, 1, run.stream);
      run.table->recording_free(recording);
      best = 2 * (double)bytes / bench_spread(seconds, 31).median;
    }
  }
  b->copied = best;
  run.table->release(&run.allocator, from, bytes);
  run.table->release(&run.allocator, to, bytes);
  close_run(&run);
  return result;
}

static bool wanted(const Batches *b, const char *name, bool brief) {
  return (!b->brief || brief) && (!b->only || strstr(name, b->only));
}

SupResult batches_run(Batches *b, SupError *error) {
  enum { UNDELAYED = SUP_SURFACE_UNDELAYED, BOTH = SUP_SURFACE_UNDELAYED | SUP_SURFACE_NORMAL };
  static const SurfaceCase cases[] = {
      {"494 vertices", 494, 1, 32, true, false, 0},
      {"4,430 vertices", 4430, 1, 32, false, false, 0},
      {"6,969 vertices", 6969, 1, 32, false, false, 0},
      {"25,001 vertices", 25001, 1, 32, true, true, 0},
      {"1,000,000 vertices", 1000000, 1, 8, false, true, 0},
      {"640 x 25,001 vertices", 25001, 640, 4, false, true, 0},
      {"10,000 x 494 vertices", 494, 10000, 8, false, false, 0},
      {"25,001 vertices, delayed", 25001, 1, 32, false, false, CROWD_FOLLOWS},
      {"640 x 25,001 vertices, delayed", 25001, 640, 4, false, false, CROWD_FOLLOWS},
      {"25,001 vertices, undelayed", 25001, 1, 32, true, false, UNDELAYED},
      {"1,000,000 vertices, undelayed", 1000000, 1, 8, false, false, UNDELAYED},
      {"640 x 25,001 vertices, undelayed", 25001, 640, 4, false, false, UNDELAYED},
      {"25,001 vertices, undelayed, normal stiffness", 25001, 1, 32, false, false, BOTH},
      {"640 x 25,001 vertices, undelayed, normal stiffness", 25001, 640, 4, false, false, BOTH},
  };
  SupResult result = measure_copy(b, error);
  for (size_t k = 0; !result && k < sizeof cases / sizeof *cases; k++) {
    if (!wanted(b, cases[k].name, cases[k].brief)) continue;
    Run run;
    open_run(&run, b);
    result = run_surface(&run, &cases[k], error);
    close_run(&run);
  }
  static const struct {
    const char *name;
    uint32_t characters, modes;
    bool brief;
  } crowds[] = {{"1,000 x 16 modes", 1000, 16, true},
                {"1,000,000 x 16 modes", 1000000, 16, false},
                {"100,000 x 64 modes", 100000, 64, false}};
  for (size_t k = 0; !result && k < sizeof crowds / sizeof *crowds; k++) {
    if (!wanted(b, crowds[k].name, crowds[k].brief)) continue;
    Run run;
    open_run(&run, b);
    result = run_modes(&run, crowds[k].characters, crowds[k].modes, 4, crowds[k].name, error);
    close_run(&run);
  }
  static const struct {
    const char *name;
    uint32_t characters;
    bool brief;
  } helped[] = {{"1,000 x 4 helpers", 1000, true}, {"100,000 x 4 helpers", 100000, false}};
  for (size_t k = 0; !result && k < sizeof helped / sizeof *helped; k++) {
    if (!wanted(b, helped[k].name, helped[k].brief)) continue;
    Run run;
    open_run(&run, b);
    result = run_helpers(&run, helped[k].characters, helped[k].name, error);
    close_run(&run);
  }
  return result;
}
