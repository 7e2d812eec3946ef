/* SPDX-License-Identifier: MIT */
/*
 * Z. Guo 2007, "Synthesis of human and animal skin deformation", chapter 3 (EBTLE): tables 3.2 and
 * 3.3; three examples of an upper body played in new poses, beside two published ways; and what is
 * carried over to other characters, beside equilibria and correctives of their own.
 *
 * The thesis gives no error figures, and judges by eye. Times are those of a thread.
 */
#include "supple/app/paper_guo2007.h"

#include <string.h>

#include "bench.h"
#include "reproduce/reproduce.h"

/* ---- Table 3.2 ------------------------------------------------------------------------------ */

static SupResult table2(CliContext *cli, SupError *error) {
  const SupAppContext app = cli_app(cli);
  SupResult result = SUP_OK;
  cli_say(cli, "  %-14s %9s %12s %14s %14s %18s\n", "patch", "functions", "solve, s", "thesis, s",
          "a vertex, s", "thesis, s");
  cli_report_begin_array(cli->report, "rows");
  for (size_t k = 0; k < SUP_GUO_NETWORKS && result == SUP_OK; k++) {
    const SupGuoNetwork *network = &sup_guo_networks[k];
    double solve, evaluate;
    result = sup_guo_network(&app, network, &solve, &evaluate, error);
    if (result != SUP_OK) break;
    cli_say(cli, "  %-14s %9u %12.4f %14.3f %14.2e %18.2e\n", network->patch,
            network->function_count, solve, network->solve, evaluate, network->evaluate);
    cli_report_begin_object(cli->report, NULL);
    cli_report_text(cli->report, "patch", network->patch);
    cli_report_integer(cli->report, "functions", network->function_count);
    cli_report_number(cli->report, "solve_seconds", solve);
    cli_report_number(cli->report, "solve_seconds_thesis", network->solve);
    cli_report_number(cli->report, "evaluate_seconds", evaluate);
    cli_report_number(cli->report, "evaluate_seconds_thesis", network->evaluate);
    cli_report_end(cli->report);
  }
  cli_report_end(cli->report);
  cli_say(cli, "  (as in the thesis; while playing we read tables instead: table3)\n");
  return result;
}

/* ---- Table 3.3 ------------------------------------------------------------------------------ */

typedef struct Table3 {
  CliContext *cli;
  uint32_t character;
  double still, moving, passes; /* seconds, seconds, naive passes */
  uint64_t vertices;
} Table3;

static void tell_character(const Table3 *t) {
  const SupGuoCharacter *thesis = &sup_guo_characters[t->character];
  CliReport *report = t->cli->report;
  cli_say(t->cli, "  %-13s %8u %8u %11.3f %9.0f %13.3f %9.0f %9.3f %9.0f %8.1f\n", thesis->name,
          thesis->vertex_count, (unsigned)t->vertices, 1e3 * t->still,
          1e3 * (thesis->control + thesis->transform), 1e3 * (t->moving - t->still),
          1e3 * thesis->networks, 1e3 * t->moving, 1e3 * thesis->total, t->passes);
  cli_report_begin_object(report, NULL);
  cli_report_text(report, "character", thesis->name);
  cli_report_integer(report, "vertices_thesis", thesis->vertex_count);
  cli_report_integer(report, "vertices", (int64_t)t->vertices);
  cli_report_number(report, "transform_seconds", t->still);
  cli_report_number(report, "transform_seconds_thesis", thesis->control + thesis->transform);
  cli_report_number(report, "residual_seconds", t->moving - t->still);
  cli_report_number(report, "residual_seconds_thesis", thesis->networks);
  cli_report_number(report, "total_seconds", t->moving);
  cli_report_number(report, "total_seconds_thesis", thesis->total);
  cli_report_number(report, "naive_passes", t->passes);
  cli_report_end(report);
}

static void take_time(void *user, const BenchRow *row) {
  Table3 *t = user;
  const double seconds = 1e-9 * row->nanoseconds.median * (double)row->item_count;
  t->vertices = row->item_count;
  if (strcmp(row->variant, "goal, angles still") == 0) t->still = seconds;
  if (strcmp(row->variant, "goal, angles move") != 0) return;
  t->moving = seconds;
  t->passes = 1 / row->ratio.median;
  tell_character(t);
  t->character++;
}

static SupResult table3(CliContext *cli, SupError *error) {
  Table3 table = {.cli = cli};
  Bench bench = {.arena = cli->arena,
                 .jobs = cli->jobs,
                 .thread_count = 1,
                 .seed = cli->seed,
                 .sample_count = cli_flag(cli->arguments, "quick") ? 5 : 21,
                 .sample_seconds = 2e-3,
                 .brief = true,
                 .row = take_time,
                 .user = &table};
  cli_say(cli, "  %-13s %8s %8s %11s %9s %13s %9s %9s %9s %8s\n", "character", "vertices", "ours",
          "transform,", "thesis,", "residual,", "thesis,", "total,", "thesis,", "naive");
  cli_say(cli, "  %-13s %8s %8s %11s %9s %13s %9s %9s %9s %8s\n", "", "", "", "stitch, ms", "ms",
          "ms", "ms", "ms", "ms", "passes");
  cli_report_begin_array(cli->report, "rows");
  SupResult result = bench_run_suite(&bench, &bench_envelope_thesis, error);
  cli_report_end(cli->report);
  cli_say(cli,
          "  (44 patches; all of them have a residual of 8 fields here, ten in the thesis; the "
          "goal: 40 passes)\n");
  return result;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

static void report_error(CliReport *report, const char *name, const SupGuoError *e) {
  cli_report_begin_object(report, name);
  cli_report_number(report, "relative_error", e->relative_error);
  cli_report_number(report, "rms", e->rms);
  cli_report_number(report, "worst", e->worst);
  cli_report_number(report, "folded_area", e->folded);
  cli_report_end(report);
}

static void tell_row(CliContext *cli, const SupGuoRow *row, bool has_clips, double naive) {
  const SupGuoError *e = row->errors;
  char micros[48] = "-", clips[24] = "-";
  if (has_clips) {
    sup_format(clips, sizeof clips, "%.3f", e[SUP_GUO_CLIPS].relative_error);
  }
  if (row->micros > 0) {
    sup_format(micros, sizeof micros, "%.1f (%.1f)", row->micros / naive,
               row->scalar_micros / naive);
  }
  cli_say(cli, "  %-31s %8u %8.3f %8.1f %8.3f %8.1f %8.1f %8s %8.1f %8.0f %14s\n",
          sup_guo_way_name(row->way), row->examples, e[SUP_GUO_EXAMPLES].relative_error,
          1e3 * e[SUP_GUO_EXAMPLES].worst, e[SUP_GUO_NEW].relative_error,
          1e3 * e[SUP_GUO_NEW].worst, 100 * e[SUP_GUO_NEW].folded, clips, 100 * row->volume,
          (double)row->bytes / 1024, micros);
  cli_report_begin_object(cli->report, NULL);
  cli_report_text(cli->report, "way", sup_guo_way_name(row->way));
  cli_report_integer(cli->report, "examples", row->examples);
  report_error(cli->report, "example_poses", &e[SUP_GUO_EXAMPLES]);
  report_error(cli->report, "new_poses", &e[SUP_GUO_NEW]);
  if (has_clips) report_error(cli->report, "clip_poses", &e[SUP_GUO_CLIPS]);
  cli_report_number(cli->report, "volume_deviation", row->volume);
  cli_report_integer(cli->report, "bytes", (int64_t)row->bytes);
  cli_report_number(cli->report, "learn_seconds", row->learn_seconds);
  cli_report_number(cli->report, "microseconds", row->micros);
  cli_report_number(cli->report, "microseconds_scalar", row->scalar_micros);
  cli_report_number(cli->report, "naive_passes", row->micros / naive);
  cli_report_integer(cli->report, "patches", row->patches);
  cli_report_end(cli->report);
}

static void tell_figure(CliContext *cli, const SupGuoFigure *figure) {
  const SupGuoPoses *sets = figure->sets;
  cli_say(
      cli,
      "  %s: %u vertices, %u of them judged; equilibria of %u tetrahedra in %u + %u + %u poses, "
      "%.2f s each\n",
      figure->name, figure->file.character->body.vertex_count, figure->upper, figure->tet_count,
      sets[SUP_GUO_EXAMPLES].count, sets[SUP_GUO_NEW].count, sets[SUP_GUO_CLIPS].count,
      figure->seconds);
  cli_say(cli, "  %-31s %8s %17s %26s %8s %8s %8s %14s\n", "", "examples", "in their poses",
          "in new ones", "in clips", "volume", "size", "time");
  cli_say(cli, "  %-31s %8s %8s %8s %8s %8s %8s %8s %8s %8s %14s\n", "", "", "relative", "most mm",
          "relative", "most mm", "folded %", "relative", "%", "KB", "passes (scalar)");
  cli_report_text(cli->report, "name", figure->name);
  cli_report_integer(cli->report, "vertices", figure->file.character->body.vertex_count);
  cli_report_integer(cli->report, "judged_vertices", figure->upper);
  cli_report_integer(cli->report, "tetrahedra", figure->tet_count);
  cli_report_number(cli->report, "seconds_per_equilibrium", figure->seconds);
}

static SupResult draw(CliContext *cli, const SupGuoStudy *s, const SupGuoFigure *figure,
                      SupGuoSet set, const char *what, const char *const labels[2],
                      const SupVec3 *top, const SupVec3 *bottom, SupError *error) {
  const char *folder = cli_text(cli->arguments, "pictures");
  const SupAppContext app = cli_app(cli);
  const SupVec3 *const shapes[2] = {top, bottom};
  char path[1024];
  if (!folder || figure->sets[set].count == 0) return SUP_OK;
  sup_format(path, sizeof path, "%s/%s.png", folder, what);
  const char *full = sup_clip_path(&app, path, figure->name);
  if (!full) return sup_fail_memory(error, NULL);
  return sup_guo_picture(s, figure, set, labels, shapes, full, error);
}

/* The ways of a list, and where pictures are wanted what `shown` and `layered` look like. */
static SupResult tell_ways(CliContext *cli, const SupGuoStudy *s, const SupGuoFigure *figure,
                           uint32_t count, const SupGuoWay *ways, SupError *error) {
  static const char *const against_truth[2] = {"equilibria", "envelope"};
  static const char *const against_layers[2] = {"layered only", "envelope"};
  const double naive = sup_guo_naive(s, figure);
  const SupGuoPoses *sets = figure->sets;
  const SupVec3 *layered = NULL;
  SupResult result = SUP_OK;
  tell_figure(cli, figure);
  cli_report_begin_array(cli->report, "rows");
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    SupGuoRow row;
    result = sup_guo_try(s, figure, ways[k], &row, error);
    if (result != SUP_OK) break;
    tell_row(cli, &row, sets[SUP_GUO_CLIPS].count > 0, naive);
    const SupVec3 *shown = row.positions[SUP_GUO_EXAMPLES];
    const bool carried = ways[k] == SUP_GUO_CARRIED, own = ways[k] == SUP_GUO_ENVELOPE;
    if (ways[k] == SUP_GUO_LAYERED || ways[k] == SUP_GUO_CARRIED_LAYERED) layered = shown;
    if (!own && !carried) continue;
    result = draw(cli, s, figure, SUP_GUO_EXAMPLES, carried ? "carried-examples" : "examples",
                  against_truth, sets[SUP_GUO_EXAMPLES].truth, shown, error);
    if (result == SUP_OK) {
      result = draw(cli, s, figure, SUP_GUO_NEW, carried ? "carried-new" : "new", against_truth,
                    sets[SUP_GUO_NEW].truth, row.positions[SUP_GUO_NEW], error);
    }
    if (result == SUP_OK && layered) {
      result = draw(cli, s, figure, SUP_GUO_EXAMPLES, carried ? "carried-layers" : "layers",
                    against_layers, layered, shown, error);
    }
  }
  cli_report_end(cli->report);
  cli_report_number(cli->report, "naive_pass_microseconds", naive);
  return result;
}

/* ---- Parts ---------------------------------------------------------------------------------- */

static SupResult define(const CliContext *cli, SupGuoDef *out, SupError *error) {
  const CliArguments *arguments = cli->arguments;
  const uint32_t targets = cli_count(arguments, "target");
  const uint32_t patches = cli_count(arguments, "target-patches");
  *out = sup_guo_def();
  out->primary = cli_text(arguments, "primary");
  out->primary_patches = cli_text(arguments, "primary-patches");
  out->quick = cli_flag(arguments, "quick");
  out->full = cli_flag(arguments, "full");
  if (!out->primary && (targets > 0 || out->primary_patches)) {
    return sup_fail(
        error, SUP_ERROR_ARGUMENT,
        "--target and --primary-patches need --primary; the built-in arm has targets of "
        "its own");
  }
  if (targets > SUP_GUO_TARGETS || patches > targets) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--target may be given up to %d times, and --target-patches as often at most",
                    SUP_GUO_TARGETS);
  }
  out->target_count = targets;
  for (uint32_t k = 0; k < targets; k++) out->targets[k] = cli_text_at(arguments, "target", k);
  for (uint32_t k = 0; k < patches; k++) {
    out->target_patches[k] = cli_text_at(arguments, "target-patches", k);
  }
  return SUP_OK;
}

static SupResult examples(CliContext *cli, SupError *error) {
  static const SupGuoWay ways[] = {
      SUP_GUO_SKINNING,         SUP_GUO_DELTA_MUSH,       SUP_GUO_LAYERED,
      SUP_GUO_ENVELOPE,         SUP_GUO_POSE_SHAPES,      SUP_GUO_CORRECTIVES,
      SUP_GUO_MORE_POSE_SHAPES, SUP_GUO_MORE_CORRECTIVES, SUP_GUO_MOST_POSE_SHAPES};
  const SupAppContext app = cli_app(cli);
  const uint32_t count = sizeof ways / sizeof *ways - !cli_flag(cli->arguments, "full");
  SupGuoDef def;
  SupGuoStudy study;
  SupResult result = define(cli, &def, error);
  if (result != SUP_OK) return result;
  def.target_count = 0;
  result = sup_guo_open(&app, &def, &study, error);
  if (result == SUP_OK) {
    result = tell_ways(cli, &study, &study.primary, count, ways, error);
  }
  sup_guo_close(&study);
  cli_say(
      cli,
      "  (relative: to the error of plain skinning, on chest and arms; volume: the most that it "
      "changes; size: beside the skin; time: in passes of naive skinning)\n");
  return result;
}

static SupResult transfer(CliContext *cli, SupError *error) {
  static const SupGuoWay ways[] = {
      SUP_GUO_SKINNING, SUP_GUO_DELTA_MUSH,  SUP_GUO_CARRIED_LAYERED, SUP_GUO_CARRIED,
      SUP_GUO_ENVELOPE, SUP_GUO_POSE_SHAPES, SUP_GUO_CORRECTIVES,     SUP_GUO_MORE_CORRECTIVES};
  const SupAppContext app = cli_app(cli);
  SupGuoDef def;
  SupGuoStudy study;
  SupResult result = define(cli, &def, error);
  if (result != SUP_OK) return result;
  if (def.primary && def.target_count == 0) {
    cli_say(cli, "  (nothing: give --target)\n");
    return SUP_OK;
  }
  def.carry_only = true;
  result = sup_guo_open(&app, &def, &study, error);
  cli_report_begin_array(cli->report, "targets");
  for (uint32_t k = 0; k < study.target_count && result == SUP_OK; k++) {
    result = sup_guo_target(&study, k, error);
    if (result != SUP_OK) break;
    cli_report_begin_object(cli->report, NULL);
    result = tell_ways(cli, &study, &study.targets[k], sizeof ways / sizeof *ways, ways, error);
    cli_report_end(cli->report);
  }
  cli_report_end(cli->report);
  sup_guo_close(&study);
  cli_say(cli,
          "  (columns as in `examples`; carried over: from the primary's examples, none of the "
          "target's own)\n");
  return result;
}

const CliPaper cli_paper_guo2007_ebtle = {
    .name = "guo2007-ebtle",
    .title = "Guo 2007: Synthesis of human and animal skin deformation, chapter 3 (EBTLE)",
    .has_quick = true,
    .has_full = true,
    .has_files = true,
    .parts = {
        {"table2", "table 3.2: networks of radial functions", table2},
        {"table3", "table 3.3: the stages of a frame, five characters", table3},
        {"examples", "three examples of an upper body, in their poses and new ones", examples},
        {"transfer", "the same examples carried over to other characters", transfer},
        {0}}};
