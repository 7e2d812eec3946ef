/* SPDX-License-Identifier: MIT */
/* The kinds of model that `supple build` makes: a kind is a file build_NAME.c and a line in the
 * table of verb_build.c. */
#ifndef SUPPLE_CLI_BUILD_KINDS_H
#define SUPPLE_CLI_BUILD_KINDS_H

#include "models.h"

typedef struct CliBuild {
  CliContext *cli;
  CliActor actor;
  CliModels models;      /* what the file had; none with --fresh */
  const SupModel *model; /* out: the new one */
  bool saved;            /* out: there is no model, and the output is written */
  bool bare;             /* the input is a mesh alone, to which a root was given */
} CliBuild;

typedef struct CliBuildKind {
  const char *name;
  /* Makes build->model and writes its maps into the actor's document. */
  SupResult (*build)(CliBuild *build, SupError *error);
  const char *const *options; /* that only some kinds understand, this one too; ended by NULL */
} CliBuildKind;

SupResult cli_build_correctives(CliBuild *build, SupError *error);

SupResult cli_build_helpers(CliBuild *build, SupError *error);

/* Refuses what helpers cannot be built from or into (`document`: the output is glTF), and options
 * that mean something only with --replay, or only without. Before anything is opened. */
SupResult cli_check_helpers(const CliBuild *build, bool document, SupError *error);

/* A bare OBJ as a character with one joint, and clips of no motion for --clip. */
SupResult cli_open_bare(CliContext *cli, const char *path, CliActor *out_actor, SupError *error);

/* What --replay may write, for an option. */
extern const char *const cli_replay_names[];

/* Helpers that react live: without --replay. */
SupResult cli_build_controllers(CliBuild *build, SupError *error);

/* Values of --system, --order and --chains. */
extern const char *const cli_helpers_systems[];
extern const char *const cli_helpers_orders[];
extern const char *const cli_helpers_chains[];

SupResult cli_build_modes(CliBuild *build, SupError *error);

SupResult cli_build_popping(CliBuild *build, SupError *error);

SupResult cli_build_surface(CliBuild *build, SupError *error);

/* The surface, where --example is given. */
SupResult cli_build_learned(CliBuild *build, SupError *error);

/* Names of the presets, for an option. */
extern const char *const cli_preset_names[];

#endif
