/* SPDX-License-Identifier: MIT */
/*
 * Mukai and Kuriyama 2016: helper bones taught by an elastic body that goes through random keys as
 * in the paper (4,000 frames, 250 keys, half of them splines and half of them held). Its tables
 * with this teacher: numbers of helpers, seconds of learning, ways to find the dynamics, clips that
 * were not seen (random, slow, rapid), and swings that are exaggerated.
 *
 * Seen and unseen errors are the root mean square over vertices (by area) and frames; relative ones
 * are over those of plain skinning, dynamic ones over those of the body without inertia.
 */
#include <math.h>

#include "reproduce/reproduce.h"
#include "supple/app/paper_mukai2016.h"

/* ---- Tables 1 and 2: how many helpers ---------------------------------------------------------
 */

typedef struct PaperRow {
  double fixed, both, micros, order, seconds; /* centimetres, microseconds, seconds */
} PaperRow;

static const PaperRow paper_leg[] = {
    {5.18, 5.18, 0, 0, 0},           {2.92, 2.83, 4.3, 3.83, 51.0},
    {2.91, 2.73, 15.9, 3.33, 97.7},  {2.88, 2.64, 17.9, 3.39, 141.3},
    {2.92, 2.47, 19.5, 3.25, 186.7}, {2.83, 2.55, 21.5, 3.37, 0},
    {2.81, 2.53, 22.8, 3.22, 0}};

/* An error by pose alone and at full. */
static void report_levels(const CliContext *cli, const char *name, const SupCompareReport r[2]) {
  cli_report_begin_object(cli->report, name);
  cli_report_number(cli->report, "rmse_static", (double)r[0].rms);
  cli_report_number(cli->report, "rmse", (double)r[1].rms);
  cli_report_number(cli->report, "relative_error_static", (double)r[0].relative_error);
  cli_report_number(cli->report, "relative_error", (double)r[1].relative_error);
  if (isfinite(r[1].dynamic_error)) {
    cli_report_number(cli->report, "dynamic_error_static", (double)r[0].dynamic_error);
    cli_report_number(cli->report, "dynamic_error", (double)r[1].dynamic_error);
  }
  cli_report_end(cli->report);
}

static SupResult helpers_row(CliContext *cli, SupMukaiStudy *s, uint32_t helpers, SupError *error) {
  const PaperRow *paper = &paper_leg[helpers];
  SupMukaiHelpersRow row;
  SupResult result = sup_mukai_helpers(s, helpers, &row, error);
  if (result != SUP_OK) return result;
  const SupCompareReport *seen = row.seen, *random = row.random;
  const SupMukaiLearned *l = &row.learned;
  const double *micros = row.micros;
  cli_say(cli,
          "| %u | %.2f, %.2f mm | %.2f, %.2f mm | %.2f | %.2f | %.1f | %.1f | %.2f us | %.1f s | ",
          helpers, 1e3 * (double)seen[0].rms, 1e3 * (double)seen[1].rms,
          1e3 * (double)random[0].rms, 1e3 * (double)random[1].rms,
          (double)random[1].relative_error, (double)random[1].dynamic_error, l->report.mean_order,
          (double)l->bytes / 1024, micros[1], l->seconds);
  cli_say(cli, "%.2f, %.2f cm | %.1f us | ", paper->fixed, paper->both, paper->micros);
  cli_say(cli, paper->seconds > 0 ? "%.0f s |\n" : "|\n", paper->seconds);
  cli_report_begin_object(cli->report, NULL);
  cli_report_integer(cli->report, "helpers", helpers);
  report_levels(cli, "seen", seen);
  report_levels(cli, "random", random);
  cli_report_number(cli->report, "mean_order", l->report.mean_order);
  cli_report_integer(cli->report, "bytes", (int64_t)l->bytes);
  cli_report_number(cli->report, "microseconds_static", micros[0]);
  cli_report_number(cli->report, "microseconds", micros[1]);
  cli_report_number(cli->report, "learning_processor_seconds", l->seconds);
  cli_report_end(cli->report);
  return SUP_OK;
}

static SupResult helpers_table(CliContext *cli, SupMukaiStudy *s, SupError *error) {
  const bool quick = s->quick;
  SupCompareReport seen, random;
  SupResult result =
      sup_mukai_judge(s, SUP_MUKAI_SEEN, s->truths[SUP_MUKAI_SEEN].skinning, &seen, error);
  if (result == SUP_OK)
    result =
        sup_mukai_judge(s, SUP_MUKAI_RANDOM, s->truths[SUP_MUKAI_RANDOM].skinning, &random, error);
  if (result != SUP_OK) return result;
  cli_say(cli,
          "\n| helpers | seen: pose, swinging | unseen: pose, swinging | relative | dynamic | "
          "states a number | KB | step | learning | paper: pose, swinging | step | learning |\n");
  cli_say(cli, "|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  cli_say(cli, "| 0 | %.2f mm | %.2f mm | 1 | %.2f | | | | | %.2f cm | | |\n",
          1e3 * (double)seen.rms, 1e3 * (double)random.rms, (double)random.dynamic_error,
          paper_leg[0].fixed);
  cli_report_number(cli->report, "skinning_rmse_seen", (double)seen.rms);
  cli_report_number(cli->report, "skinning_rmse_random", (double)random.rms);
  cli_report_begin_array(cli->report, "helpers");
  for (uint32_t h = quick ? 2 : 1; h <= (quick ? 2u : 6u) && result == SUP_OK; h++) {
    result = helpers_row(cli, s, h, error);
  }
  cli_report_end(cli->report);
  return result;
}

/* ---- Tables 3 to 5: ways, and clips that were not seen ----------------------------------------
 */

static SupResult way_row(CliContext *cli, SupMukaiStudy *s, const SupMukaiWay *way,
                         uint32_t helpers, SupMukaiLearned *l, SupError *error) {
  SupCompareReport r[SUP_MUKAI_CLIPS][2];
  SupResult result = sup_mukai_way(s, way, helpers, l, r, error);
  if (result != SUP_OK) return result;
  cli_say(cli, "| %s |", way->name);
  for (uint32_t k = 0; k < SUP_MUKAI_CLIPS; k++) {
    cli_say(cli, " %.2f, %.3f |", (double)r[k][0].relative_error, (double)r[k][1].relative_error);
  }
  cli_say(cli, " %.1f | %.1f s | %.2f mm | %s |\n", l->report.mean_order, l->seconds,
          1e3 * (double)r[SUP_MUKAI_SEEN][1].rms, way->paper);
  cli_report_begin_object(cli->report, NULL);
  cli_report_text(cli->report, "way", way->name);
  for (uint32_t k = 0; k < SUP_MUKAI_CLIPS; k++) report_levels(cli, s->truths[k].name, r[k]);
  cli_report_number(cli->report, "mean_order", l->report.mean_order);
  cli_report_number(cli->report, "spectral_radius", l->report.radius);
  cli_report_number(cli->report, "learning_processor_seconds", l->seconds);
  cli_report_end(cli->report);
  return SUP_OK;
}

static SupResult ways_table(CliContext *cli, SupMukaiStudy *s, SupMukaiLearned *out_first,
                            SupError *error) {
  const bool quick = s->quick;
  const uint32_t helpers = quick ? 2 : 4;
  SupResult result = SUP_OK;
  cli_say(cli, "\n%u helpers, relative errors by the pose alone and swinging:\n\n", helpers);
  cli_say(cli, "| %s | seen | random | slow | rapid | states a number | learning | seen | %s |\n",
          s->body.builtin, "paper: seen in cm, states a number");
  cli_say(cli, "|---|---|---|---|---|---|---|---|---|\n");
  cli_report_begin_array(cli->report, "ways");
  for (uint32_t k = 0; k < SUP_MUKAI_WAYS && result == SUP_OK; k++) {
    SupMukaiLearned other;
    if (quick && k % 3) continue;
    result = way_row(cli, s, &sup_mukai_ways[k], helpers, k == 0 ? out_first : &other, error);
  }
  cli_report_end(cli->report);
  cli_say(cli,
          "\n(The paper's clips that were not seen, of 2.47 cm seen: random 2.43, slow 1.69, "
          "rapid 3.06 cm.)\n");
  return result;
}

/* ---- Exaggeration -----------------------------------------------------------------------------
 */

static void exaggerate(CliContext *cli, SupMukaiStudy *s, SupMukaiLearned *l) {
  static const float factors[] = {0.5f, 1, 2, 4, 6};
  cli_say(cli,
          "\n| exaggerated by | swings of the rapid clip | within %g times what was seen |\n"
          "|---|---|---|\n",
          (double)SUP_HELPERS_LIMIT);
  cli_report_begin_array(cli->report, "exaggeration");
  for (size_t k = 0; k < sizeof factors / sizeof *factors; k++) {
    double off[2];
    sup_mukai_exaggerate(s, l, factors[k], off);
    cli_say(cli, "| %g | %.1f mm | %.1f mm |\n", (double)factors[k], 1e3 * off[0], 1e3 * off[1]);
    cli_report_begin_object(cli->report, NULL);
    cli_report_number(cli->report, "factor", (double)factors[k]);
    cli_report_number(cli->report, "swing", off[0]);
    cli_report_number(cli->report, "swing_limited", off[1]);
    cli_report_end(cli->report);
  }
  cli_report_end(cli->report);
}

/* ---- Parts ------------------------------------------------------------------------------------
 */

static SupResult make_study(CliContext *cli, const SupAppContext *app, bool is_sheet,
                            SupMukaiStudy *out, SupError *error) {
  SupMukaiDef def = sup_mukai_def();
  def.sheet = is_sheet;
  def.quick = cli_flag(cli->arguments, "quick");
  def.cache = cli_text(cli->arguments, "cache");
  return sup_mukai_make(app, &def, out, error);
}

static SupResult count_helpers(CliContext *cli, bool is_sheet, SupError *error) {
  const SupAppContext app = cli_app(cli);
  SupMukaiStudy s;
  SupResult result = make_study(cli, &app, is_sheet, &s, error);
  return result == SUP_OK ? helpers_table(cli, &s, error) : result;
}

static SupResult compare_ways(CliContext *cli, bool is_sheet, SupError *error) {
  const SupAppContext app = cli_app(cli);
  SupMukaiStudy s;
  SupMukaiLearned first;
  SupResult result = make_study(cli, &app, is_sheet, &s, error);
  if (result == SUP_OK) result = ways_table(cli, &s, &first, error);
  if (result == SUP_OK) exaggerate(cli, &s, &first);
  return result;
}

static SupResult leg(CliContext *cli, SupError *error) { return count_helpers(cli, false, error); }

static SupResult leg_ways(CliContext *cli, SupError *error) {
  return compare_ways(cli, false, error);
}

static SupResult sheet(CliContext *cli, SupError *error) { return count_helpers(cli, true, error); }

static SupResult sheet_ways(CliContext *cli, SupError *error) {
  return compare_ways(cli, true, error);
}

const CliPaper cli_paper_mukai2016 = {
    .name = "mukai2016",
    .title =
        "Mukai and Kuriyama 2016: Efficient dynamic skinning with low-rank helper bone "
        "controllers",
    .own_truth = true,
    .has_quick = true,
    .parts = {{"leg", "tables 1 and 2: a leg that goes through random keys, 0 to 6 helpers", leg},
              {"ways", "tables 3 to 5: the leg with 4 helpers, learned in several ways", leg_ways},
              {"sheet", "a flat body on an H-shaped skeleton, 0 to 6 helpers", sheet},
              {"folds", "the flat body with 4 helpers, learned in several ways", sheet_ways},
              {0}}};
