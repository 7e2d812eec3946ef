/* SPDX-License-Identifier: MIT */
/* Clips of another file, carried over to a character. */
#ifndef SUPPLE_CLI_CLIPS_FROM_H
#define SUPPLE_CLI_CLIPS_FROM_H

#include "character/cli_character.h"

/* Where --clips-from is given, the character gets the clips of that file (its first character's) in
 * place of its own. Fails where the skeletons do not map. */
SupResult cli_clips_from(CliContext *cli, CliCharacter *io_source, SupError *error);

#endif
