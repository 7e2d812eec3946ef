/* SPDX-License-Identifier: MIT */
/*
 * X. Shi, K. Zhou, Y. Tong, M. Desbrun, H. Bao, B. Guo 2008: table 1 at the same sizes, the bar
 * with three motions, a jump that teaches a run and jump, and what spokes and detail are worth.
 *
 * The paper gives no error figures. Here: root mean square of (model - truth) over that of
 * (skinning - truth), 1 is no better than skinning; what was not trained on is never looked at.
 */
#include "supple/app/paper_shi2008.h"

#include "reproduce/reproduce.h"

static void report_row(CliReport *report, const SupShiRow *row, const SupShiTimes *times) {
  cli_report_begin_object(report, NULL);
  cli_report_text(report, "model", row->builtin);
  cli_report_text(report, "paper_model", row->model);
  cli_report_integer(report, "vertices", times->vertex_count);
  cli_report_integer(report, "bones", times->bone_count);
  cli_report_integer(report, "paper_bones", row->bones);
  cli_report_number(report, "ms_one_thread", times->one);
  cli_report_number(report, "ms_all_threads", times->all);
  cli_report_number(report, "ms_paper", row->paper);
  cli_report_end(report);
}

static SupResult table1(CliContext *cli, SupError *error) {
  const SupAppContext app = cli_app(cli);
  SupResult result = SUP_OK;
  cli_say(cli, "  %-10s %8s %6s %14s %14s %14s\n", "model", "vertices", "bones", "one thread",
          "all threads", "paper, GPU");
  cli_report_begin_array(cli->report, "rows");
  for (size_t k = 0; k < SUP_SHI_ROWS; k++) {
    const SupShiRow *row = &sup_shi_rows[k];
    SupShiTimes times;
    result = sup_shi_time(&app, row, &times, error);
    if (result != SUP_OK) return result;
    cli_say(cli, "  %-10s %8u %6u %11.3f ms %11.3f ms %11.2f ms\n", row->builtin,
            times.vertex_count, times.bone_count, times.one, times.all, row->paper);
    report_row(cli->report, row, &times);
  }
  cli_report_end(cli->report);
  cli_report_integer(cli->report, "threads", cli->thread_count);
  cli_say(cli, "  (%u threads; skinning, dynamics, normals; mochi stands for the Armadillo)\n",
          cli->thread_count);
  return result;
}

/* Says the error on each motion, trained on or not. */
static SupResult try_way(CliContext *cli, SupShiStudy *s, const SupShiWay *way, uint32_t trained,
                         SupError *error) {
  double errors[SUP_SHI_MOTIONS], growth;
  SupResult result = sup_shi_try(s, way, trained, errors, &growth, error);
  if (result != SUP_OK) return result;
  cli_say(cli, "  %-16s", way->name);
  cli_report_begin_object(cli->report, NULL);
  cli_report_text(cli->report, "method", way->name);
  for (uint32_t k = 0; k < s->count; k++) {
    const bool seen = trained >> k & 1;
    cli_say(cli, "  %12.3f%c", errors[k], seen ? '*' : ' ');
    cli_report_begin_object(cli->report, s->examples[k].name);
    cli_report_bool(cli->report, "trained", seen);
    cli_report_number(cli->report, "relative_error", errors[k]);
    cli_report_end(cli->report);
  }
  cli_report_number(cli->report, "growth", growth);
  cli_report_end(cli->report);
  cli_say(cli, "\n");
  return SUP_OK;
}

static SupResult begin(CliContext *cli, const SupAppContext *app, bool is_jump, SupShiStudy *out,
                       SupError *error) {
  SupResult result = sup_shi_study(app, is_jump, out, error);
  if (result != SUP_OK) return result;
  cli_say(cli, "  %s: %u vertices, ground truth of %u tetrahedra\n", out->builtin,
          out->character.body.vertex_count, out->tet_count);
  cli_say(cli, "  %-16s", "");
  for (uint32_t k = 0; k < out->count; k++) cli_say(cli, "  %13s", out->examples[k].name);
  cli_say(cli, "   (* trained on)\n");
  return SUP_OK;
}

static SupResult bar(CliContext *cli, SupError *error) {
  static const uint32_t sets[] = {7, 6, 5, 3}; /* all three, then each of them left out */
  const SupAppContext app = cli_app(cli);
  SupShiStudy s;
  SupResult result = begin(cli, &app, false, &s, error);
  if (result != SUP_OK) return result;
  cli_report_begin_array(cli->report, "rows");
  for (size_t k = 0; k < sizeof sets / sizeof *sets && result == SUP_OK; k++) {
    for (size_t w = 0; w < (k == 3 ? SUP_SHI_WAYS : 1u) && result == SUP_OK; w++) {
      result = try_way(cli, &s, &sup_shi_ways[w], sets[k], error);
    }
  }
  cli_report_end(cli->report);
  return result;
}

static SupResult jump(CliContext *cli, SupError *error) {
  const SupAppContext app = cli_app(cli);
  SupShiStudy s;
  SupResult result = begin(cli, &app, true, &s, error);
  if (result != SUP_OK) return result;
  cli_report_begin_array(cli->report, "rows");
  for (size_t w = 0; w < SUP_SHI_WAYS && result == SUP_OK; w++) {
    result = try_way(cli, &s, &sup_shi_ways[w], 1, error);
  }
  cli_report_end(cli->report);
  return result;
}

const CliPaper cli_paper_shi2008 = {
    .name = "shi2008",
    .title = "Shi, Zhou, Tong, Desbrun, Bao, Guo 2008: Example-based dynamic skinning in real time",
    .parts = {{"table1", "time per frame at the sizes of its table 1", table1},
              {"bar", "the bar with three motions; spokes and detail; the published fit", bar},
              {"jump", "a jump teaches a run and jump", jump},
              {0}}};
