/* SPDX-License-Identifier: MIT */
/* Flesh, forces and muscles out of the options of `simulate`. Lists lie in `cli->arena`. */
#ifndef SUPPLE_CLI_SIM_OPTIONS_H
#define SUPPLE_CLI_SIM_OPTIONS_H

#include "character/locks.h"
#include "supple/app/simulate_character.h"

/* What the file counts in, of verbs that know weight and stiffness. */
#define CLI_UNITS_OPTION                                                          \
  {                                                                               \
    .name = "units", .kind = CLI_TEXT, .value_name = "UNIT",                      \
    .help = "say what the file counts in: m, cm, mm, in, ft, or metres per unit", \
    .advanced = true, .fallback = "auto"                                          \
  }

/* Options of every verb that fills a body with flesh; a verb puts these rows into its table. `many`
 * is how many tetrahedra there are by default. */
#define CLI_FLESH_OPTIONS(many)                                                                   \
  {.name = "damping",                                                                             \
   .kind = CLI_NUMBER,                                                                            \
   .value_name = "SECONDS",                                                                       \
   .help = "set the stiffness-proportional damping; damping ratio = this * pi * frequency",       \
   .otherwise = "the material's",                                                                 \
   .advanced = true},                                                                             \
      CLI_LOCK_OPTIONS, CLI_UNITS_OPTION,                                                         \
      {.name = "bone-material",                                                                   \
       .kind = CLI_TEXT,                                                                          \
       .value_name = "BONE=NAME",                                                                 \
       .help = "use another material around one bone",                                            \
       .advanced = true,                                                                          \
       .repeated = true},                                                                         \
      {.name = "bone-stiffness",                                                                  \
       .kind = CLI_TEXT,                                                                          \
       .value_name = "BONE=FACTOR",                                                               \
       .help = "multiply the stiffness around one bone",                                          \
       .advanced = true,                                                                          \
       .repeated = true},                                                                         \
      {.name = "tets",                                                                            \
       .kind = CLI_INPUT,                                                                         \
       .value_name = "N|FILE",                                                                    \
       .help =                                                                                    \
           "fill the body with about N tetrahedra, or use those of a .mesh, .msh, .node or .ele", \
       .fallback = many},                                                                         \
      {.name = "thin-flesh",                                                                      \
       .kind = CLI_FLAG,                                                                          \
       .help = "let parts move as flesh that are too thin for the tetrahedra (ears jiggle)",      \
       .advanced = true},                                                                         \
      {.name = "allow-inverted",                                                                  \
       .kind = CLI_FLAG,                                                                          \
       .help = "go on where tetrahedra turn inside out, which is an error otherwise",             \
       .advanced = true},                                                                         \
  {                                                                                               \
    .name = "edge", .kind = CLI_NUMBER, .value_name = "METRES",                                   \
    .help = "set the spacing of the lattice instead of the number of tetrahedra",                 \
    .advanced = true, .low = 1e-6, .high = 1000                                                   \
  }

/* Numbers between commas or blanks; false if there are more than `most`, fewer than `least`, or
 * something else. */
bool cli_read_numbers(const char *text, double *out, uint32_t least, uint32_t most,
                      uint32_t *out_count);

/* "--OPTION 'TEXT' is not of the form FORM". */
SupResult cli_bad_numbers(const char *option, const char *text, const char *form, SupError *error);

/* A file with `width` numbers on every line, # for comments: rows[width * count]. */
SupResult cli_read_rows(CliContext *cli, const char *path, uint32_t width, const char *form,
                        const double **out_rows, uint32_t *out_count, SupError *error);

/* --material and the numbers that change it. */
SupResult cli_read_material(const CliArguments *arguments, SupMaterialDef *out_material,
                            SupError *error);

/* --units, unless it is `auto`. */
SupResult cli_read_flesh_units(const CliArguments *arguments, double *io_unit, SupError *error);

/* --bone-material and --bone-stiffness, on top of def->material. */
SupResult cli_read_tissue(CliContext *cli, const SupCharacter *character, SupSimDef *io_def,
                          SupError *error);

/* --thin-flesh and --allow-inverted. */
void cli_read_care(const CliArguments *arguments, SupSimDef *io_def);

/* --zone: zones[bone_count] of `build modes`, each bone named with those below it, later ones
 * taking from earlier ones; *out_zones stays where none is named. */
SupResult cli_read_zones(CliContext *cli, const SupCharacter *character, const uint32_t **out_zones,
                         SupError *error);

/* --tets and --edge: a number into *out_def; tetrahedra of a file into *out_volume, which is empty
 * otherwise. */
SupResult cli_read_volume(CliContext *cli, const SupCharacter *character, SupFillDef *out_def,
                          SupFill *out_volume, SupFillReport *out_report, SupError *error);

/* The joint that name[length] gives by sup_find_joint; one that has no bone is refused. */
SupResult cli_find_bone(const SupCharacter *character, const char *option, const char *name,
                        size_t length, uint32_t *out_joint, SupError *error);

/* --tension, --muscle, --muscle-map, --fibre, --fibre-field. */
SupResult cli_read_muscles(CliContext *cli, const SupCharacter *character, SupSimDef *io_def,
                           SupError *error);

/* Without `clench` those mean nothing: says so. */
SupResult cli_refuse_muscles(const CliArguments *arguments, SupError *error);

/* --pull. */
SupResult cli_read_pulls(CliContext *cli, const SupSimPull **out_pulls, uint32_t *out_count,
                         SupError *error);

/* What flesh was chosen; nothing where none was. */
void cli_report_flesh(CliReport *report, const SupFleshChoice *choice);

/* --gravity, --wind, --ground, --plane, --obstacle, --capsule, --push, --force-track,
 * --bone-contact. */
SupResult cli_read_forces(CliContext *cli, SupForces *out_forces, SupError *error);

#endif
