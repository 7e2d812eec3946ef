/* SPDX-License-Identifier: MIT */
/* Whole scenarios: everything that an experiment learns from and is tested with. */
#ifndef SUPPLE_CLI_SIM_SCENARIO_H
#define SUPPLE_CLI_SIM_SCENARIO_H

#include "character/cli_character.h"
#include "supple/app/simulate_character.h"

/* Does the name end like a scenario's, in .json? */
bool cli_is_scenario(const char *path);

/* Makes or finds its character, simulates every clip with inertia and without, under each gravity,
 * and its poses; measures how the flesh moves. The options of `simulate` on the command line win
 * over those in the file; --clip chooses among its clips. */
SupResult cli_run_scenario(CliContext *cli, const char *path, SupError *error);

/* ---- Parts of `simulate` that scenarios share --------------------------------------------------
 */

/* What the options of `simulate` say, into *def; `volume` takes the tetrahedra of a file. */
SupResult cli_read_simulation(CliContext *cli, const CliCharacter *source, bool clench,
                              SupFill *volume, SupSimulateDef *def, SupError *error);

/* SupSimulateDef.done: says what was done last. `user` is a CliContext. */
void cli_say_simulated(void *user, const SupSimulateReport *r);

/* Writes the body and all clips into the object that is open. */
void cli_report_simulated(CliReport *report, const SupSimulateReport *r);

#endif
