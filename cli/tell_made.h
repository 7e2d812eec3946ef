/* SPDX-License-Identifier: MIT */
/* What `make` tells, for scenarios as well. */
#ifndef SUPPLE_CLI_TELL_MADE_H
#define SUPPLE_CLI_TELL_MADE_H

#include "supple/author/character.h"
#include "verbs/verb.h"

void cli_say_made(const CliContext *cli, const SupCharacter *character, const char *path);
void cli_report_made(CliReport *report, const SupCharacter *character);

#endif
