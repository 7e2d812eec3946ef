/* SPDX-License-Identifier: MIT */
/* Clips of another file. */
#include "character/clips_from.h"

SupResult cli_clips_from(CliContext *cli, CliCharacter *io_source, SupError *error) {
  const char *path = cli_text(cli->arguments, "clips-from");
  const SupAppContext app = cli_app(cli);
  const SupNames names = cli_names(cli, "clip");
  SupClipsReport report;
  if (!path) return SUP_OK;
  SupOpenDef def = cli_open_def(cli);
  def.character = NULL; /* the first of that file */
  SupResult result = sup_clips_of(&app, path, &def, &names, cli_number(cli->arguments, "fps"),
                                  io_source, &report, error);
  if (result != SUP_OK) return result;
  cli_report_text(cli->report, "clips_from", path);
  cli_report_integer(cli->report, "joints_matched", report.matched);
  if (!report.mapped) return SUP_OK;
  cli_report_integer(cli->report, "joints_by_equal_name", report.rules[SUP_JOINT_EQUAL_NAME]);
  cli_report_integer(cli->report, "joints_by_like_name", report.rules[SUP_JOINT_LIKE_NAME]);
  cli_report_integer(cli->report, "joints_by_part", report.rules[SUP_JOINT_PART]);
  cli_report_integer(cli->report, "joints_by_share", report.rules[SUP_JOINT_SHARE]);
  return SUP_OK;
}
