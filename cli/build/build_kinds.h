/* SPDX-License-Identifier: MIT */
/*
 * The kinds of model that `supple build` makes. A kind is a file build_NAME.c with its page, its
 * options and its work in one `const CliVerb cli_kind_NAME`, and a line in the table below.
 */
#ifndef SUPPLE_CLI_BUILD_KINDS_H
#define SUPPLE_CLI_BUILD_KINDS_H

#include "character/examples.h"
#include "character/models.h"

/* The table, in the order of the help. */
#define CLI_BUILD_KINDS(X) \
  X(surface)               \
  X(modes)                 \
  X(correctives)           \
  X(envelope)              \
  X(chunks)                \
  X(popping)               \
  X(helpers)               \
  X(rigspace)

#define CLI_DECLARE_KIND(name) extern const CliVerb cli_kind_##name;
CLI_BUILD_KINDS(CLI_DECLARE_KIND)
#undef CLI_DECLARE_KIND

typedef struct CliBuild {
  CliContext *cli;
  CliCharacter source;
  CliModels models;       /* what the file had; none with --fresh */
  const SupModel *model;  /* out: the new one */
  uint32_t example_count; /* out: what it was learned from, if anything, with that gravity, m/s^2 */
  const CliExample *examples;
  float gravity;
  bool alone;    /* out: the examples count where the file has no other models, too */
  bool document; /* the output is a .glb or .gltf, not a model alone */
  bool saved;    /* out: there is no model, and the output is written */
  bool bare;     /* out of `check`: the input is a mesh alone, which gets a root joint */
} CliBuild;

typedef SupResult CliBuildStep(CliBuild *build, SupError *error);

/* What the `run` of a kind does. `check` (or NULL) refuses what the options alone show to be wrong,
 * before anything is opened; `make` makes build->model and writes its maps into the character's
 * document. Then the model takes its place among those of the file, and the output is written. */
SupResult cli_build(CliContext *cli, CliBuildStep *check, CliBuildStep *make, SupError *error);

/* Refuses, before anything is computed, a model of a technique that shows inertia where another of
 * the file shows it already; not with --force. */
SupResult cli_refuse_inertia(const CliBuild *build, uint32_t kind, SupError *error);

/* Refuses, before anything is computed, a model that knows the shape of every pose where another of
 * the file does. */
SupResult cli_refuse_shape(const CliBuild *build, uint32_t kind, SupError *error);

/* Refuses a model that shows its own examples worse than the models of the file do without it; not
 * with --force, which says so. build->models holds it already. */
SupResult cli_check_examples(const CliBuild *build, SupError *error);

/* Says which layer accounts for inertia where a follower leaves it to that one, and whether a
 * learned surface does not know the new model. */
void cli_say_inertia(const CliBuild *build);

/* A bare OBJ as a character with one joint, and clips of no motion for --clip. */
SupResult cli_open_bare(CliContext *cli, const char *path, CliCharacter *out_source,
                        SupError *error);

/* What carries baked motion: values of --as. */
extern const char *const cli_replay_names[];

/* Helpers that react live: without --replay. */
SupResult cli_build_controllers(CliBuild *build, SupError *error);

/* Values of --system, --order-by and --chains. */
extern const char *const cli_helpers_systems[];
extern const char *const cli_helpers_orders[];
extern const char *const cli_helpers_chains[];

/* The surface, where --example is given. */
SupResult cli_build_learned(CliBuild *build, SupError *error);

/* Names of the presets, for an option. */
extern const char *const cli_preset_names[];

#endif
