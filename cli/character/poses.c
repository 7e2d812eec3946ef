/* SPDX-License-Identifier: MIT */
#include "character/poses.h"

SupResult cli_poses(CliContext *cli, const CliCharacter *source, uint32_t count,
                    SupTransform **out_poses, SupError *error) {
  const SupAppContext app = cli_app(cli);
  const SupNames at = cli_names(cli, "at");
  return sup_named_poses(&app, source, &at, count, out_poses, error);
}
