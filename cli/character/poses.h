/* SPDX-License-Identifier: MIT */
/* Poses that a command line names: moments of clips, or those that teach best. */
#ifndef SUPPLE_CLI_POSES_H
#define SUPPLE_CLI_POSES_H

#include "character/cli_character.h"
#include "supple/app/example_files.h"

/* Option of the verbs that take poses. */
#define CLI_AT_OPTION                                                              \
  {                                                                                \
    .name = "at", .kind = CLI_TEXT, .value_name = "CLIP:SECONDS",                  \
    .help = "use the pose at a moment of a clip, or `rest`, for a clenched shape", \
    .otherwise = "sampled poses", .advanced = true, .repeated = true               \
  }

/* `count` poses, [count * joint_count] in `cli->arena`: those of --at (then as many as there
 * are), else the teaching ones of the seed. */
SupResult cli_poses(CliContext *cli, const CliCharacter *source, uint32_t count,
                    SupTransform **out_poses, SupError *error);

#endif
