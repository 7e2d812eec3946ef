/* SPDX-License-Identifier: MIT */
#include "postures.h"

SupResult cli_postures(CliContext *cli, const CliActor *actor, uint32_t count,
                       SupTransform **out_poses, SupError *error) {
  const SupAppContext app = cli_app(cli);
  const SupNames at = cli_names(cli, "at");
  return sup_named_poses(&app, actor, &at, count, out_poses, error);
}
