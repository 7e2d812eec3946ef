/* SPDX-License-Identifier: MIT */
/*
 * supple demo [-o DIR]
 *
 * The story in a minute, as a list of steps. A step does one thing, says one line, may write into
 * the folder and adds its figures to the report. The folder appears when all steps are done.
 */
#include "bench.h"
#include "supple/geom/bvh.h"
#include "supple/geom/topology.h"
#include "supple/geom/weld.h"
#include "supple/io/file.h"
#include "supple/math.h"
#include "verb.h"

/* What steps share. */
typedef struct Demo {
  CliContext *cli;
  const char *folder; /* where files go; has another name in the end */
} Demo;

typedef struct DemoStep {
  const char *name;    /* a word, for the table and the report */
  const char *purpose; /* one line */
  /* Writes what came out, a few words, into out_outcome. */
  SupResult (*run)(Demo *demo, char out_outcome[96], SupError *error);
} DemoStep;

/* ---- Step: a mesh whose answers are known -----------------------------------------------------
 */

enum { AROUND = 96, ACROSS = 48, POINT_COUNT = 2000 };
#define TORUS_RADIUS 1.0
#define TUBE_RADIUS 0.3
/* The flat triangles lie at most this far below the torus: (R + r) (1 - cos(pi / AROUND)) plus
 * r (1 - cos(pi / ACROSS)) is 0.0014. */
#define TORUS_SAG 0.0015

/* A torus as files have it, with every vertex of the two seams twice. */
static SupMesh make_torus(SupArena *arena) {
  const double turn = 6.283185307179586;
  SupVec3 *positions = SUP_ALLOC(arena, SupVec3, (AROUND + 1) * (ACROSS + 1));
  uint32_t *triangles = SUP_ALLOC(arena, uint32_t, 6 * AROUND * ACROSS);
  if (!positions || !triangles) return (SupMesh){0};
  uint32_t v = 0, corner = 0;
  for (uint32_t a = 0; a <= AROUND; a++) {
    for (uint32_t b = 0; b <= ACROSS; b++, v++) {
      double around = turn * (a % AROUND) / AROUND, across = turn * (b % ACROSS) / ACROSS;
      double out = TORUS_RADIUS + TUBE_RADIUS * sup_cos(across);
      positions[v] =
          (SupVec3){(float)(out * sup_cos(around)), (float)(TUBE_RADIUS * sup_sin(across)),
                    (float)(out * sup_sin(around))};
      if (a == AROUND || b == ACROSS) continue;
      uint32_t square[] = {v, v + 1, v + ACROSS + 2, v, v + ACROSS + 2, v + ACROSS + 1};
      for (int k = 0; k < 6; k++) triangles[corner++] = square[k];
    }
  }
  return (SupMesh){v, corner / 3, positions, triangles};
}

/* Sews the seams up and counts what is left. */
static SupResult weld_torus(Demo *demo, const SupMesh *torus, SupMesh *out_mesh, SupError *error) {
  SupArena *arena = demo->cli->arena;
  SupWeldDef def = {.vertex_count = torus->vertex_count, .positions = torus->positions};
  SupWeld weld;
  SupCleanTriangles clean;
  SupTopology topology;
  SupResult result = sup_weld(arena, &def, &weld, error);
  if (result != SUP_OK) return result;
  result =
      sup_triangles_clean(arena, torus->triangles, torus->triangle_count, weld.map, &clean, error);
  if (result != SUP_OK) return result;
  SupVec3 *positions = SUP_ALLOC(arena, SupVec3, weld.welded_count);
  if (!positions) return sup_fail(error, SUP_ERROR_MEMORY, "the mesh does not fit into memory");
  for (uint32_t w = 0; w < weld.welded_count; w++) {
    positions[w] = torus->positions[weld.representatives[w]];
  }
  SupMesh mesh = {weld.welded_count, clean.triangle_count, positions, clean.triangles};
  result = sup_topology(arena, &mesh, &topology, error);
  if (result != SUP_OK) return result;
  if (mesh.vertex_count != AROUND * ACROSS || mesh.triangle_count != 2 * AROUND * ACROSS ||
      topology.component_count != 1 || topology.components[0].genus != 1 ||
      !topology.components[0].closed) {
    return sup_fail(error, SUP_ERROR_NUMERIC, "a torus did not stay one; this build is wrong");
  }
  *out_mesh = mesh;
  return SUP_OK;
}

/* Distances of random points from the mesh, against the torus itself: the greatest deviation. */
static SupResult measure_torus(Demo *demo, const SupMesh *mesh, double *out_worst,
                               SupError *error) {
  SupArena *arena = demo->cli->arena;
  SupRng rng = sup_rng(demo->cli->seed, 0);
  SupVec3 *points = SUP_ALLOC(arena, SupVec3, POINT_COUNT);
  SupNearest *nearest = SUP_ALLOC(arena, SupNearest, POINT_COUNT);
  SupBvh bvh;
  if (!points || !nearest) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory");
  SupResult result = sup_bvh_build(arena, mesh, &bvh, error);
  if (result != SUP_OK) return result;
  for (uint32_t k = 0; k < POINT_COUNT; k++) {
    float x = sup_rng_float(&rng), y = sup_rng_float(&rng), z = sup_rng_float(&rng);
    points[k] = (SupVec3){4 * x - 2, 2 * y - 1, 4 * z - 2};
  }
  sup_bvh_nearest_all(&bvh, points, POINT_COUNT, demo->cli->jobs, nearest);
  *out_worst = 0;
  for (uint32_t k = 0; k < POINT_COUNT; k++) {
    double x = points[k].x, y = points[k].y, z = points[k].z;
    double ring = sup_sqrt(x * x + z * z) - TORUS_RADIUS;
    double truth = sup_sqrt(ring * ring + y * y) - TUBE_RADIUS;
    double deviation = (truth < 0 ? -truth : truth) - (double)nearest[k].distance;
    if (deviation < 0) deviation = -deviation;
    if (deviation > *out_worst) *out_worst = deviation;
  }
  if (*out_worst <= TORUS_SAG) return SUP_OK;
  return sup_fail(error, SUP_ERROR_NUMERIC, "a distance is wrong by %g; this build is wrong",
                  *out_worst);
}

static SupResult check_mesh(Demo *demo, char out_outcome[96], SupError *error) {
  SupMesh torus = make_torus(demo->cli->arena), mesh;
  double worst = 0;
  if (!torus.positions) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory");
  SupResult result = weld_torus(demo, &torus, &mesh, error);
  if (result == SUP_OK) result = measure_torus(demo, &mesh, &worst, error);
  if (result != SUP_OK) return result;
  snprintf(out_outcome, 96, "%u vertices welded to %u; %d distances within %.1e m",
           torus.vertex_count, mesh.vertex_count, (int)POINT_COUNT, worst);
  cli_report_integer(demo->cli->report, "vertices_in", torus.vertex_count);
  cli_report_integer(demo->cli->report, "vertices_welded", mesh.vertex_count);
  cli_report_number(demo->cli->report, "worst_distance", worst);
  return SUP_OK;
}

/* ---- Step: speed ------------------------------------------------------------------------------
 */

typedef struct Fastest {
  double ratio;
  const char *name, *variant;
} Fastest;

/* Exact variants only: the others are there for comparison. */
static void keep_fastest(void *user, const BenchRow *row) {
  Fastest *fastest = user;
  if (row->exact && row->ratio.median > fastest->ratio) {
    *fastest = (Fastest){row->ratio.median, row->name, row->variant};
  }
}

static SupResult measure_speed(Demo *demo, char out_outcome[96], SupError *error) {
  Fastest fastest = {0, "", ""};
  Bench bench = {
      .arena = demo->cli->arena,
      .jobs = demo->cli->jobs,
      .thread_count = demo->cli->thread_count,
      .seed = demo->cli->seed,
      .sample_count = 5,
      .sample_seconds = 5e-4,
      .brief = true,
      .row = keep_fastest,
      .user = &fastest,
  };
  SupResult result = SUP_OK;
  for (const BenchSuite *const *suite = bench_suites; *suite && result == SUP_OK; suite++) {
    result = bench_run_suite(&bench, *suite, error);
  }
  if (result == SUP_OK) {
    snprintf(out_outcome, 96, "%s, %s: %.1f times faster than naive", fastest.name, fastest.variant,
             fastest.ratio);
    cli_report_number(demo->cli->report, "best_times_faster", fastest.ratio);
  }
  return result;
}

static const DemoStep steps[] = {
    {"mesh", "a torus with open seams: weld, walk, measure", check_mesh},
    {"bench", "how fast it is here, in brief", measure_speed},
};

/* ---- The story ------------------------------------------------------------------------------ */

/* Its presence says that the folder is ours to replace. */
#define MARKER "demo.json"

enum { STEP_COUNT = sizeof steps / sizeof *steps };

static SupResult write_marker(Demo *demo, SupError *error) {
  CliReport report;
  char path[4096];
  size_t length = 0;
  if (sup_format(path, sizeof path, "%s/" MARKER, demo->folder) >= sizeof path) {
    return sup_fail(error, SUP_ERROR_IO, "%s: the name is too long", demo->folder);
  }
  cli_report_init(&report, demo->cli->allocator);
  cli_report_text(&report, "version", sup_version());
  cli_report_integer(&report, "seed", (int64_t)demo->cli->seed);
  cli_report_nest(&report, "result", demo->cli->report);
  const char *text = cli_report_finish(&report, &length);
  SupResult result = text ? sup_file_save(demo->cli->allocator, path, text, length, error)
                          : sup_fail(error, SUP_ERROR_MEMORY, "%s: out of memory", path);
  cli_report_free(&report);
  return result;
}

static SupResult run_steps(Demo *demo, SupError *error) {
  CliContext *cli = demo->cli;
  char outcomes[STEP_COUNT][96];
  double seconds[STEP_COUNT];
  for (size_t k = 0; k < STEP_COUNT; k++) {
    double began = cli_seconds();
    cli_say(cli, "%zu/%d %s: %s\n", k + 1, (int)STEP_COUNT, steps[k].name, steps[k].purpose);
    if (!cli->quiet) fflush(stdout);
    outcomes[k][0] = 0;
    SupResult result = steps[k].run(demo, outcomes[k], error);
    if (result != SUP_OK) {
      sup_error_prefix(error, "demo, %s", steps[k].name);
      return result;
    }
    seconds[k] = cli_seconds() - began;
    cli_timing(cli, steps[k].name, began);
  }
  cli_say(cli, "\n%-12s %8s  %s\n", "step", "seconds", "outcome");
  for (size_t k = 0; k < STEP_COUNT; k++) {
    cli_say(cli, "%-12s %8.2f  %s\n", steps[k].name, seconds[k], outcomes[k]);
  }
  return write_marker(demo, error);
}

static SupResult run(CliContext *cli, SupError *error) {
  const char *path = cli_text(cli->arguments, "output");
  SupFolderWriter *writer;
  SupResult result = sup_folder_begin(cli->allocator, path, MARKER, &writer, error);
  if (result != SUP_OK) return result;
  Demo demo = {cli, sup_folder_path(writer)};
  result = run_steps(&demo, error);
  if (result == SUP_OK) {
    result = sup_folder_commit(writer, error);
  } else {
    sup_folder_abandon(writer);
  }
  if (result == SUP_OK) cli_say(cli, "\nwritten to %s\n", path);
  return result;
}

static const CliOption options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = CLI_FOLDER,
     .value_name = "DIR",
     .help = "folder to write: a new one, or that of an earlier demo",
     .fallback = "supple-demo"},
    {0},
};

const CliVerb cli_verb_demo = {
    .name = "demo",
    .summary = "the whole story in a minute, on a built-in character",
    .usage = "[-o DIR]",
    .details =
        "Runs everything once on what is built in and writes the results into a folder,\n"
        "which appears when all is done.\n",
    .example = "supple demo -o supple-demo",
    .example_runs = true,
    .options = options,
    .run = run,
};
