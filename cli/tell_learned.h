/* SPDX-License-Identifier: MIT */
/* What `learn` tells, for `add --learn` as well. */
#ifndef SUPPLE_CLI_TELL_LEARNED_H
#define SUPPLE_CLI_TELL_LEARNED_H

#include "supple/app/learn_character.h"
#include "verbs/verb.h"

/* Says and reports what was tried and kept. `path` is where it was written. */
void cli_tell_learned(CliContext *cli, const SupLearnReport *r, const char *path);

#endif
