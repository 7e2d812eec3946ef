/* SPDX-License-Identifier: MIT */
/* supple build helpers --replay: an example as helper joints with keys. */
#include "build_kinds.h"
#include "examples.h"
#include "play_as.h"

SupResult cli_build_helpers(CliBuild *build, SupError *error) {
  CliContext *cli = build->cli;
  CliExample *examples;
  uint32_t count;
  if (!cli_flag(cli->arguments, "replay")) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "helpers that react live are not there yet; --replay bakes the examples into "
                    "helper joints with keys");
  }
  SupResult result = cli_read_examples(cli, &build->actor, &examples, &count, error);
  if (result != SUP_OK) return result;
  if (count == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "helpers need an example: --example X.pc2 --clip NAME (`supple simulate` makes "
                    "one)");
  }
  SupBakeMotion *motions = SUP_ALLOC(cli->arena, SupBakeMotion, count);
  if (!motions) return cli_out_of_memory(error);
  for (uint32_t k = 0; k < count; k++) {
    const SupSamples *samples = &examples[k].samples;
    if (!examples[k].clip || samples->start != 0) {
      return sup_fail(error, SUP_ERROR_ARGUMENT,
                      "%s: only a clip from its beginning can be replayed, not postures",
                      examples[k].path);
    }
    motions[k] = (SupBakeMotion){examples[k].clip, (double)samples->fps, samples->frame_count,
                                 samples->positions};
  }
  build->saved = true;
  return cli_bake_as(cli, &build->actor, CLI_AS_HELPERS, count, motions,
                     cli_text(cli->arguments, "output"), error);
}
