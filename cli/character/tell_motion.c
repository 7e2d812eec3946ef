/* SPDX-License-Identifier: MIT */
#include "character/tell_motion.h"

#include <math.h>
#include <stdio.h>

#include "supple/math.h"

void cli_say_answer(const CliContext *cli, const SupVibration *vibration) {
  const double phase = fabs((double)vibration->phase);
  cli_say(cli, "amplitude %.2f times, %s %.0f ms", (double)vibration->amplitude_ratio,
          vibration->phase < 0 ? "early by" : "late by",
          1000 * phase / (2 * SUP_PI * (double)vibration->frequency));
  cli_detail(cli, " (%.0f degrees)", phase * 180 / SUP_PI);
}

void cli_report_vibration(CliReport *report, const SupVibration *vibration) {
  cli_report_begin_object(report, "vibration");
  cli_report_bool(report, "clear", vibration->clarity >= 1);
  cli_report_float(report, "clarity", vibration->clarity);
  cli_report_float(report, "frequency", vibration->frequency);
  cli_report_float(report, "amplitude", vibration->amplitude);
  cli_report_float(report, "amplitude_ratio", vibration->amplitude_ratio);
  cli_report_float(report, "phase", vibration->phase);
  cli_report_float(report, "coherence", vibration->coherence);
  cli_report_end(report);
}

void cli_report_volume(CliReport *report, const SupVolumeReport *shown,
                       const SupVolumeReport *reference, const SupVolumeReport *skinning) {
  cli_report_begin_object(report, "volume");
  cli_report_integer(report, "pieces", shown->piece_count);
  cli_report_integer(report, "closed", shown->closed_count);
  if (shown->closed_count) {
    cli_report_float(report, "rest", shown->rest);
    cli_report_float(report, "peak", shown->peak);
    cli_report_float(report, "rms", shown->rms);
    cli_report_integer(report, "peak_frame", shown->peak_frame);
    cli_report_float(report, "reference_peak", reference->peak);
    cli_report_float(report, "reference_rms", reference->rms);
    if (skinning) cli_report_float(report, "skinning_peak", skinning->peak);
    if (skinning) cli_report_float(report, "skinning_rms", skinning->rms);
  }
  cli_report_end(report);
}

#define SETTLED 0.05 /* the usual band of control engineering */

CliCount cli_settle_text(double growth, double h) {
  CliCount text;
  const double seconds = growth > 0 && growth < 1 ? h * log(SETTLED) / log(growth) : 0;
  if (growth >= 1) {
    snprintf(text.text, sizeof text.text, "does not settle");
  } else {
    snprintf(text.text, sizeof text.text, "settles within %.*f s", seconds < 0.995 ? 2 : 1,
             fmax(seconds, h));
  }
  return text;
}
