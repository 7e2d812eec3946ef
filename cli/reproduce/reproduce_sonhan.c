/* SPDX-License-Identifier: MIT */
/*
 * Son and Han, "Dynamic Skinning for Popping Dance": how its scheme swings, printed, derived and
 * measured; the speed at its 4,380 vertices; and what the paper does not have, a comparison of the
 * quiver with an elastic body that is clenched alike.
 */
#include "supple/app/paper_sonhan.h"

#include <math.h>

#include "bench.h"
#include "reproduce/reproduce.h"

/* ---- The scheme -------------------------------------------------------------------------------
 */

static void tell_scheme(CliContext *cli, const SupSonHanScheme *s) {
  const double printed = 1 - s->alpha;
  cli_say(cli, "  %5.2f %9.3f %9.3f %9.3f | %8.0f %8.0f %8u | %8.1f%% %6.2f %7.3f\n", s->alpha,
          printed, s->derived, s->measured, ceil(log(0.01) / log(printed)),
          ceil(log(0.01) / log(s->derived)), s->steps, 100 * s->overshoot, s->frequency,
          s->damping);
  cli_report_begin_object(cli->report, NULL);
  cli_report_number(cli->report, "alpha", s->alpha);
  cli_report_number(cli->report, "left_printed", printed);
  cli_report_number(cli->report, "left", s->measured);
  cli_report_integer(cli->report, "steps_to_one_percent", s->steps);
  cli_report_number(cli->report, "overshoot", s->overshoot);
  cli_report_number(cli->report, "frequency_at_60", s->frequency);
  cli_report_number(cli->report, "damping", s->damping);
  cli_report_end(cli->report);
}

static SupResult scheme(CliContext *cli, SupError *error) {
  static const double alphas[] = {0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9};
  (void)error;
  cli_say(cli, "  %5s %9s %9s %9s | %8s %8s %8s | %9s %6s %7s\n", "alpha", "printed", "derived",
          "measured", "printed", "derived", "measured", "overshoot", "Hz", "damping");
  cli_say(cli, "  %5s %29s | %26s |\n", "", "what a step leaves", "steps to 1 %");
  cli_report_begin_array(cli->report, "rows");
  for (size_t k = 0; k < sizeof alphas / sizeof *alphas; k++) {
    const SupSonHanScheme s = sup_sonhan_scheme(alphas[k]);
    tell_scheme(cli, &s);
  }
  cli_report_end(cli->report);
  cli_say(cli, "  (printed: a step leaves 1 - alpha; it is the square root of that)\n");
  return SUP_OK;
}

/* ---- Speed ------------------------------------------------------------------------------------
 */

static void take_row(void *user, const BenchRow *row) {
  const CliContext *cli = user;
  const double us = row->nanoseconds.median * (double)row->item_count * 1e-3;
  cli_say(cli, "  %-28s %7.1f us  %5.2f naive skinning passes\n", row->variant, us,
          1 / row->ratio.median);
  cli_report_begin_object(cli->report, NULL);
  cli_report_text(cli->report, "part", row->variant);
  cli_report_number(cli->report, "microseconds", us);
  cli_report_number(cli->report, "naive_passes", 1 / row->ratio.median);
  cli_report_end(cli->report);
}

static SupResult speed(CliContext *cli, SupError *error) {
  Bench bench = {.arena = cli->arena,
                 .jobs = cli->jobs,
                 .thread_count = 1,
                 .seed = cli->seed,
                 .sample_count = 21,
                 .sample_seconds = 2e-3,
                 .brief = true,
                 .row = take_row,
                 .user = cli};
  cli_report_begin_array(cli->report, "rows");
  SupResult result = bench_run_suite(&bench, &bench_popping, error);
  cli_report_end(cli->report);
  cli_say(cli,
          "  (the paper: 60 frames a second with 4,380 vertices, that is 16,700 us, on 3.6 GHz)\n");
  return result;
}

/* ---- A twitch ---------------------------------------------------------------------------------
 */

static SupResult one_twitch(CliContext *cli, const char *body, uint32_t vertices,
                            const char *material, SupError *error) {
  const SupAppContext app = cli_app(cli);
  SupSonHanTwitch t;
  SupResult result = sup_sonhan_twitch(&app, body, vertices, material, &t, error);
  if (result != SUP_OK) return result;
  const SupPoppingFit *fit = &t.fit;
  cli_say(
      cli,
      "  %-6s %-7s %5.2f Hz %6.3f %7.1f%% %6.3f %9.1f%% | %5.2f at %3.0f ms %5.2f at %3.0f ms\n",
      body, material, fit->frequency, fit->damping, 100 * fit->left, fit->alpha,
      100 * fit->alpha_left, t.peak, 1e3 * t.peak_seconds, t.model_peak,
      1e3 * t.model_peak_seconds);
  cli_report_begin_object(cli->report, NULL);
  cli_report_text(cli->report, "body", body);
  cli_report_text(cli->report, "material", material);
  cli_report_number(cli->report, "frequency", fit->frequency);
  cli_report_number(cli->report, "damping", fit->damping);
  cli_report_number(cli->report, "left", fit->left);
  cli_report_number(cli->report, "alpha", fit->alpha);
  cli_report_number(cli->report, "alpha_left", fit->alpha_left);
  cli_report_number(cli->report, "peak", t.peak);
  cli_report_number(cli->report, "peak_seconds", t.peak_seconds);
  cli_report_number(cli->report, "model_peak", t.model_peak);
  cli_report_number(cli->report, "model_peak_seconds", t.model_peak_seconds);
  cli_report_end(cli->report);
  return SUP_OK;
}

static SupResult twitches(CliContext *cli, SupError *error) {
  cli_say(cli, "  %-14s %8s %6s %8s %6s %10s | %15s %15s\n", "body", "fitted", "damp.", "left",
          "alpha", "left", "peak, simulated", "fitted");
  cli_report_begin_array(cli->report, "rows");
  SupResult result = one_twitch(cli, "leg", 1000, "fat", error);
  if (result == SUP_OK) result = one_twitch(cli, "leg", 1000, "muscle", error);
  if (result == SUP_OK) result = one_twitch(cli, "tube", 1000, "jelly", error);
  cli_report_end(cli->report);
  cli_say(cli, "  (left: root mean square over 1.5 s, in contractions)\n");
  return result;
}

const CliPaper cli_paper_sonhan = {
    .name = "sonhan",
    .title = "Son and Han: Dynamic Skinning for Popping Dance",
    .parts = {{"scheme", "how fast the swing dies: printed, derived, measured", scheme},
              {"speed", "a frame of 4,380 vertices with three pairs of shapes, one thread", speed},
              {"twitch", "the quiver against an elastic body that is clenched alike", twitches},
              {0}}};
