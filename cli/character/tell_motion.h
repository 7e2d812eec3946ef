/* SPDX-License-Identifier: MIT */
/* What verbs that compare motions tell besides errors: oscillation and volume. */
#ifndef SUPPLE_CLI_TELL_MOTION_H
#define SUPPLE_CLI_TELL_MOTION_H

#include "formats.h"
#include "runner/runner.h"
#include "supple/author/metrics.h"

/* "amplitude 0.80 times, late by 12 ms". The vibration is clear. */
void cli_say_answer(const CliContext *cli, const SupVibration *vibration);

/* The object "vibration". */
void cli_report_vibration(CliReport *report, const SupVibration *vibration);

/* The object "volume": of the motion that is judged, of the reference, and of plain skinning, which
 * may be NULL. */
void cli_report_volume(CliReport *report, const SupVolumeReport *shown,
                       const SupVolumeReport *reference, const SupVolumeReport *skinning);

/* "settles within 0.54 s": when a disturbance that falls to `growth` of itself in every step of `h`
 * seconds has fallen to a twentieth. */
CliCount cli_settle_text(double growth, double h);

#endif
