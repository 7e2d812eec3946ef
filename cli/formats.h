/* SPDX-License-Identifier: MIT */
/* Which file is what, for the verbs that take anything. */
#ifndef SUPPLE_CLI_FORMATS_H
#define SUPPLE_CLI_FORMATS_H

#include "runner/options.h"
#include "supple/app/app_context.h"
#include "supple/author/samples.h"
#include "supple/base.h"
#include "supple/quantity.h"

typedef enum CliFormat {
  CLI_FORMAT_GLTF, /* .glb, .gltf, .vrm */
  CLI_FORMAT_OBJ,
  CLI_FORMAT_CACHE, /* .pc2, .mdd */
  CLI_FORMAT_MODEL  /* .supple */
} CliFormat;

/* The format of a file that exists or is to be made, by its ending. For the formats of other
 * programs the sentence says which tool leads from there to here. */
SupResult cli_format(const char *path, CliFormat *out_format, SupError *error);

/* Refuses the name of an output that is no .glb, .gltf or .vrm: "PATH: WHAT written as ...", where
 * `what` ends in "is" or "are". */
SupResult cli_output_gltf(const char *path, const char *what, SupError *error);

/* Options that say how lengths and directions of a cache or OBJ are meant; a verb puts these rows
 * into its table. */
#define CLI_SPACE_OPTIONS                                                                 \
  {.name = "units",                                                                       \
   .kind = CLI_TEXT,                                                                      \
   .value_name = "UNIT",                                                                  \
   .help = "give the unit of the input: m, cm, mm, in, ft, or its length in metres",      \
   .advanced = true,                                                                      \
   .fallback = "m"},                                                                      \
  {                                                                                       \
    .name = "up-axis", .kind = CLI_CHOICE, .choices = cli_axis_names,                     \
    .help = "give the up axis of the input (z in Blender and 3ds Max)", .advanced = true, \
    .fallback = "y"                                                                       \
  }

extern const char *const cli_axis_names[];

/* m, cm, mm, in, ft, or a number of metres. */
SupResult cli_read_unit(const char *text, double *out_metres, SupError *error);

typedef struct CliSpace {
  float scale; /* metres per unit */
  SupUpAxis up;
} CliSpace;

SupResult cli_space(const CliArguments *arguments, CliSpace *out_space, SupError *error);

/* A number with a comma every three digits. */
typedef SupCountText CliCount;
#define cli_count_text sup_count_text

/* Lengths in metres and masses in kilograms, with the unit that a person would choose. */
#define cli_length_text sup_length_text
#define cli_mass_text sup_mass_text
#define cli_number_text sup_number_text

/* A fraction in percent, two digits and never an exponent: 0.034, 12, 100. */
CliCount cli_percent_text(double fraction);

/* Bytes as a person says them: 640 bytes, 12 KB, 3.4 MB. */
CliCount cli_bytes_text(uint64_t bytes);

#endif
