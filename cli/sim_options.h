/* SPDX-License-Identifier: MIT */
/* Flesh and forces out of the options of `simulate`. */
#ifndef SUPPLE_CLI_SIM_OPTIONS_H
#define SUPPLE_CLI_SIM_OPTIONS_H

#include "supple/fem/material.h"
#include "supple/sim/forces.h"
#include "verb.h"

/* --material and the numbers that change it. */
SupResult cli_read_material(const CliArguments *arguments, SupMaterialDef *out_material,
                            SupError *error);

/* --gravity, --wind, --ground, --obstacle, --push, --force-track, --bone-contact; lists lie in
 * `cli->arena`. */
SupResult cli_read_forces(CliContext *cli, SupForces *out_forces, SupError *error);

#endif
