/* SPDX-License-Identifier: MIT */
/* The flesh of a scenario, for those who build from it instead of simulating it. */
#ifndef SUPPLE_CLI_SCENARIO_FLESH_H
#define SUPPLE_CLI_SCENARIO_FLESH_H

#include "simulate/sim_options.h"
#include "supple/io/scenario.h"

/* The scenario's options and, where there are some, the user's `given` ones, which win, as options
 * of `simulate`; of what stands `still` nothing is pushed. In `cli->arena`. */
SupResult cli_scenario_arguments(CliContext *cli, const SupScenario *scenario,
                                 const CliArguments *given, bool still, CliArguments *out,
                                 SupError *error);

/* What `simulate` would make of the scenario's options: material, tissue, attachment and fill of
 * *out_def, what is locked; tetrahedra of a file in *out_volume, which is empty otherwise. */
SupResult cli_scenario_flesh(CliContext *cli, const char *path, const SupCharacter *character,
                             SupSimDef *out_def, SupLockDef *out_lock, SupFill *out_volume,
                             SupError *error);

#endif
