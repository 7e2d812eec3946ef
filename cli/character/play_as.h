/* SPDX-License-Identifier: MIT */
/* `play --as helpers` and `--as morphs`: motion baked into a .glb that any engine plays. */
#ifndef SUPPLE_CLI_PLAY_AS_H
#define SUPPLE_CLI_PLAY_AS_H

#include "character/cli_character.h"
#include "supple/app/bake_character.h"

#define CLI_BONES_OPTION                                                                      \
  {                                                                                           \
    .name = "bones", .kind = CLI_INTEGER, .value_name = "N",                                  \
    .help = "set the number of helper joints to add", .fallback = "16", .low = 1, .high = 128 \
  }

/* Options of every verb that bakes either way, beside --bones. */
#define CLI_BAKED_OPTIONS                                                                          \
  {.name = "influences",                                                                           \
   .kind = CLI_INTEGER,                                                                            \
   .value_name = "N",                                                                              \
   .help =                                                                                         \
       "set the maximum number of bones per vertex; engines support 4; curves keep what a vertex " \
       "has",                                                                                      \
   .advanced = true,                                                                               \
   .fallback = "4",                                                                                \
   .low = 1,                                                                                       \
   .high = 8},                                                                                     \
      {.name = "tolerance",                                                                        \
       .kind = CLI_NUMBER,                                                                         \
       .value_name = "METRES",                                                                     \
       .help = "set the maximum error of the keys",                                                \
       .otherwise = "a quarter of the error of the fit",                                           \
       .advanced = true,                                                                           \
       .low = 1e-9,                                                                                \
       .high = 1},                                                                                 \
  {                                                                                                \
    .name = "targets", .kind = CLI_INTEGER, .value_name = "N",                                     \
    .help = "set the number of morph targets to add (with --as morphs)", .advanced = true,         \
    .fallback = "16", .low = 1, .high = 256                                                        \
  }

typedef enum CliBakeAs { CLI_AS_CACHE, CLI_AS_HELPERS, CLI_AS_MORPHS, CLI_AS_CURVES } CliBakeAs;

/* Their names, for a CLI_CHOICE. */
extern const char *const cli_as_names[];

/* What is baked. */
typedef struct CliBake {
  CliBakeAs as;
  uint32_t count;
  const SupBakeMotion *motions; /* [count] by body vertex */
  bool free_bones;              /* helpers do everything, the skeleton only carries them */
  uint32_t basis_frames;        /* of SupBakeHelpersDef, 0: its default */
  const SupModel *driven;       /* of SupBakeCharacterDef, or NULL */
} CliBake;

/* What the options above say; the motions are missing. */
SupBakeCharacterDef cli_bake_def(const CliArguments *arguments);

/* Says and reports what was baked; says it in metres, of which a unit of the scene has `unit`. */
void cli_tell_baked(CliContext *cli, const SupBakeCharacterDef *def, double unit,
                    const SupBakeReport *report);

/* Bakes motions into the character's document, without the models that made them, and saves it.
 * Reports error and keys. */
SupResult cli_bake_as(CliContext *cli, const CliCharacter *source, const CliBake *bake,
                      const char *path, SupError *error);

/* See sup_add_helpers. */
SupResult cli_add_helpers(CliContext *cli, const CliCharacter *source, uint32_t count,
                          const SupBakedHelper *helpers, SupSkin skin,
                          const SupGltfCharacter **out_now, uint32_t *out_map, SupError *error);

#endif
