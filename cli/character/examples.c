/* SPDX-License-Identifier: MIT */
#include "character/examples.h"

SupResult cli_read_examples(CliContext *cli, const CliCharacter *source, CliExample **out_examples,
                            uint32_t *out_count, SupError *error) {
  const SupAppContext app = cli_app(cli);
  const SupNames paths = cli_names(cli, "example"), clips = cli_names(cli, "clip");
  *out_count = paths.count;
  return sup_read_examples(&app, source, &paths, &clips, (float)cli_number(cli->arguments, "fps"),
                           out_examples, error);
}

SupResult cli_match_body(CliContext *cli, const CliCharacter *source, const char *path,
                         const SupVec3 *reference, SupSamples *io_samples, SupError *error) {
  const SupAppContext app = cli_app(cli);
  return sup_match_body(&app, source, path, reference, io_samples, error);
}
