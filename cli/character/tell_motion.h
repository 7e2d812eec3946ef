/* SPDX-License-Identifier: MIT */
/* What verbs that compare motions tell besides errors: oscillation and volume. */
#ifndef SUPPLE_CLI_TELL_MOTION_H
#define SUPPLE_CLI_TELL_MOTION_H

#include "runner/runner.h"
#include "supple/author/metrics.h"

/* "amplitude 0.80 times, late by 12 degrees". The vibration is clear. */
void cli_say_answer(const CliContext *cli, const SupVibration *vibration);

/* The object "vibration". */
void cli_report_vibration(CliReport *report, const SupVibration *vibration);

/* The object "volume": of the motion that is judged, of the reference, and of plain skinning, which
 * may be NULL. */
void cli_report_volume(CliReport *report, const SupVolumeReport *shown,
                       const SupVolumeReport *reference, const SupVolumeReport *skinning);

#endif
