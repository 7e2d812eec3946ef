/* SPDX-License-Identifier: MIT */
/* Which file is what, for the verbs that take anything. */
#ifndef SUPPLE_CLI_FORMATS_H
#define SUPPLE_CLI_FORMATS_H

#include "runner/options.h"
#include "supple/app/app_context.h"
#include "supple/author/samples.h"
#include "supple/base.h"

typedef enum CliFormat {
  CLI_FORMAT_GLTF, /* .glb, .gltf, .vrm */
  CLI_FORMAT_OBJ,
  CLI_FORMAT_CACHE, /* .pc2, .mdd */
  CLI_FORMAT_MODEL  /* .supple */
} CliFormat;

/* The format of a file that exists or is to be made, by its ending. For the formats of other
 * programs the sentence says which tool leads from there to here. */
SupResult cli_format(const char *path, CliFormat *out_format, SupError *error);

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

typedef struct CliSpace {
  float scale; /* metres per unit */
  SupUpAxis up;
} CliSpace;

SupResult cli_space(const CliArguments *arguments, CliSpace *out_space, SupError *error);

/* A number with a comma every three digits. */
typedef SupCountText CliCount;
#define cli_count_text sup_count_text

/* Bytes as a person says them: 640 bytes, 12 KB, 3.4 MB. */
CliCount cli_bytes_text(uint64_t bytes);

#endif
