/* SPDX-License-Identifier: MIT */
/* Whole scenarios: everything that an experiment learns from and is tested with. */
#ifndef SUPPLE_CLI_SIM_SCENARIO_H
#define SUPPLE_CLI_SIM_SCENARIO_H

#include "verb.h"

/* Does the name end like a scenario's, in .json? */
bool cli_is_scenario(const char *path);

/* Makes or finds its character, simulates every clip with inertia and without, under each gravity,
 * and its postures; measures how the flesh moves. The options of `simulate` on the command line win
 * over those in the file; --clip chooses among its clips. */
SupResult cli_run_scenario(CliContext *cli, const char *path, SupError *error);

#endif
