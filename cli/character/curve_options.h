/* SPDX-License-Identifier: MIT */
/* `play --as curves`: secondary motion as curves of a rig's own parameters. */
#ifndef SUPPLE_CLI_CURVE_OPTIONS_H
#define SUPPLE_CLI_CURVE_OPTIONS_H

#include "character/cli_character.h"
#include "supple/app/play_curves.h"

/* Options that `build rigspace` has as well; `when` stands before the help. */
#define CLI_RIG_COMMAND_OPTIONS(when)                                                     \
  {.name = "rig-command",                                                                 \
   .kind = CLI_TEXT,                                                                      \
   .value_name = "COMMAND",                                                               \
   .help = when "run this command and use it as the rig (docs/formats.md)",               \
   .advanced = true},                                                                     \
  {                                                                                       \
    .name = "rig-timeout", .kind = CLI_NUMBER, .value_name = "SECONDS",                   \
    .help = when "set the maximum time for an answer of --rig-command", .advanced = true, \
    .fallback = "30", .low = 0.1, .high = 86400                                           \
  }
#define CLI_FLESH_OPTION(when)                                              \
  {                                                                         \
    .name = "flesh", .kind = CLI_CHOICE, .choices = cli_flesh_names,        \
    .help = when "choose the material", .advanced = true, .fallback = "fat" \
  }
#define CLI_FLESH_TETS_OPTION(when)                                                             \
  {                                                                                             \
    .name = "tets", .kind = CLI_INTEGER, .value_name = "N",                                     \
    .help = when "fill the body with about N tetrahedra", .advanced = true, .fallback = "2000", \
    .low = 100, .high = 1000000                                                                 \
  }

/* Options of --as curves. */
#define CLI_CURVES_OPTIONS                                                                       \
  {.name = "rig",                                                                                \
   .kind = CLI_INPUT,                                                                            \
   .value_name = "FILE",                                                                         \
   .help = "with --as curves: simulate the free parameters of this rig file (.json)",            \
   .otherwise = "helper joints where the flesh is thick"},                                       \
      {.name = "save-rig",                                                                       \
       .kind = CLI_OUTPUT,                                                                       \
       .value_name = "FILE",                                                                     \
       .help = "with --as curves: write the rig as well, to be edited and given as --rig",       \
       .advanced = true},                                                                        \
      {.name = "setup",                                                                          \
       .kind = CLI_INPUT,                                                                        \
       .value_name = "FILE",                                                                     \
       .help = "with --as curves: take rig, volume and weights of `supple build rigspace`",      \
       .otherwise = "all are made"},                                                             \
      CLI_RIG_COMMAND_OPTIONS("with --as curves: "),                                             \
      {.name = "additive",                                                                       \
       .kind = CLI_FLAG,                                                                         \
       .help = "with --as curves: add the swing to the keys that the clip has",                  \
       .advanced = true},                                                                        \
      {.name = "weight",                                                                         \
       .kind = CLI_TEXT,                                                                         \
       .value_name = "NAME=FRACTION",                                                            \
       .help =                                                                                   \
           "with --as curves: blend a parameter or zone from the clip's keys (0) to the "        \
           "simulation (1)",                                                                     \
       .advanced = true,                                                                         \
       .repeated = true},                                                                        \
      {.name = "keep",                                                                           \
       .kind = CLI_TEXT,                                                                         \
       .value_name = "NAME=START,END[,RAMP]",                                                    \
       .help =                                                                                   \
           "with --as curves: hold a parameter or zone at its keys over these seconds; it goes " \
           "there and is let go over RAMP (0.1)",                                                \
       .advanced = true,                                                                         \
       .repeated = true},                                                                        \
      {.name = "edited",                                                                         \
       .kind = CLI_INPUT,                                                                        \
       .value_name = "FILE",                                                                     \
       .help = "with --as curves: take the keys of --keep from this edited output (.glb, .csv)", \
       .otherwise = "the clip's own",                                                            \
       .advanced = true},                                                                        \
      {.name = "mute",                                                                           \
       .kind = CLI_TEXT,                                                                         \
       .value_name = "NAME",                                                                     \
       .help = "with --as curves: simulate a parameter or zone, but write no curve for it",      \
       .advanced = true,                                                                         \
       .repeated = true},                                                                        \
      {.name = "lock",                                                                           \
       .kind = CLI_TEXT,                                                                         \
       .value_name = "NAME",                                                                     \
       .help = "with --as curves: keep a parameter or zone of the rig at rest",                  \
       .advanced = true,                                                                         \
       .repeated = true},                                                                        \
      CLI_FLESH_OPTION("with --as curves: "), CLI_FLESH_TETS_OPTION("with --as curves: "),       \
      {.name = "ground",                                                                         \
       .kind = CLI_NUMBER,                                                                       \
       .value_name = "Y",                                                                        \
       .help = "with --as curves: keep flesh above this height, in metres",                      \
       .advanced = true},                                                                        \
      {.name = "obstacle",                                                                       \
       .kind = CLI_TEXT,                                                                         \
       .value_name = "X,Y,Z,R[@WHAT]",                                                           \
       .help =                                                                                   \
           "with --as curves: add a ball that flesh cannot enter, in metres; @JOINT: it goes "   \
           "with the joint, @PATH.csv: along a path (time x y z)",                               \
       .advanced = true,                                                                         \
       .repeated = true},                                                                        \
      {.name = "capsule",                                                                        \
       .kind = CLI_TEXT,                                                                         \
       .value_name = "A,B,R[@WHAT]",                                                             \
       .help = "with --as curves: add a capsule from A to B, three numbers each, as --obstacle", \
       .advanced = true,                                                                         \
       .repeated = true},                                                                        \
      {.name = "plane",                                                                          \
       .kind = CLI_TEXT,                                                                         \
       .value_name = "P,N[@WHAT]",                                                               \
       .help =                                                                                   \
           "with --as curves: keep flesh on the side of N of a plane through P, as --obstacle",  \
       .advanced = true,                                                                         \
       .repeated = true},                                                                        \
      {.name = "step",                                                                           \
       .kind = CLI_NUMBER,                                                                       \
       .value_name = "SECONDS",                                                                  \
       .help = "with --as curves: set the longest time step",                                    \
       .advanced = true,                                                                         \
       .fallback = "0.01",                                                                       \
       .low = 1e-4,                                                                              \
       .high = 0.1},                                                                             \
      {.name = "inside",                                                                         \
       .kind = CLI_CHOICE,                                                                       \
       .choices = cli_inside_names,                                                              \
       .help =                                                                                   \
           "with --as curves: skin the flesh inside to the surface, or find its balance in "     \
           "every step, which is slower",                                                        \
       .advanced = true,                                                                         \
       .fallback = "skinned"},                                                                   \
      {.name = "key-tolerance",                                                                  \
       .kind = CLI_NUMBER,                                                                       \
       .value_name = "PERCENT",                                                                  \
       .help =                                                                                   \
           "with --as curves: set the maximum error of the keys, in percent of a "               \
           "parameter's range",                                                                  \
       .advanced = true,                                                                         \
       .fallback = "0.5",                                                                        \
       .low = 0,                                                                                 \
       .high = 100},                                                                             \
      {.name = "states",                                                                         \
       .kind = CLI_OUTPUT,                                                                       \
       .value_name = "FILE",                                                                     \
       .help = "with --as curves: keep the raw states of all frames of a clip in this file",     \
       .advanced = true},                                                                        \
  {                                                                                              \
    .name = "from", .kind = CLI_INTEGER, .value_name = "FRAME",                                  \
    .help = "with --as curves: simulate from this frame on, from the file of --states",          \
    .advanced = true, .low = 1, .high = 1000000                                                  \
  }

/* Values of --flesh and --inside. */
extern const char *const cli_flesh_names[];
extern const char *const cli_inside_names[];

/* Refuses options of --as curves without it, and with it those that have no meaning there. */
SupResult cli_curves_check(const CliArguments *arguments, bool curves, SupError *error);

/* Refuses --rig-timeout without --rig-command, and an empty command. */
SupResult cli_rig_command_check(const CliArguments *arguments, SupError *error);

/* What a set-up is made from: rig, material, tetrahedra, clips, locks. */
void cli_read_setup_options(const CliContext *cli, SupCurvesDef *io_def);

/* --ground, --plane, --obstacle, --capsule. */
SupResult cli_read_curve_obstacles(CliContext *cli, SupCurvesDef *io_def, SupError *error);

/* Simulates the clips that the options name and writes --output; says and reports what was done. */
SupResult cli_play_curves(CliContext *cli, const CliCharacter *source, SupError *error);

#endif
