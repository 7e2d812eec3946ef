/* SPDX-License-Identifier: MIT */
/*
 * The options that say which character of a file is meant and what of it, for supple/app, which
 * opens it.
 */
#ifndef SUPPLE_CLI_CLI_CHARACTER_H
#define SUPPLE_CLI_CLI_CHARACTER_H

#include "supple/app/character_file.h"
#include "supple/app/plain_player.h"
#include "verbs/verb.h"

/* Options of every verb that opens a document; a verb puts these rows into its table. */
#define CLI_DOCUMENT_OPTIONS                                                           \
  {.name = "color-map",                                                                \
   .kind = CLI_TEXT,                                                                   \
   .value_name = "MAP",                                                                \
   .help = "read the red channel of the vertex colours as this map, for example lock", \
   .advanced = true},                                                                  \
  {                                                                                    \
    .name = "allow-external", .kind = CLI_FLAG,                                        \
    .help = "allow a .gltf to use files outside its own folder", .advanced = true      \
  }

/* Options of every verb that reads a character. */
#define CLI_CHARACTER_OPTIONS                                             \
  {.name = "character",                                                   \
   .kind = CLI_TEXT,                                                      \
   .value_name = "NAME",                                                  \
   .help = "choose a character of the file, by name or by number from 1", \
   .otherwise = "1",                                                      \
   .advanced = true},                                                     \
      CLI_DOCUMENT_OPTIONS

/* Options of every verb that writes the motion of clips into point caches. `what` says in a line
 * which clips there are, `where` what the output can be. */
#define CLI_CACHE_HELP "write a .pc2 or .mdd; several clips become one file each, NAME-CLIP.pc2"
#define CLI_BAKE_OPTIONS(what, where)                                                        \
  {.name = "output",                                                                         \
   .letter = 'o',                                                                            \
   .kind = CLI_OUTPUT,                                                                       \
   .value_name = "FILE",                                                                     \
   .help = where,                                                                            \
   .required = true},                                                                        \
      {.name = "clip",                                                                       \
       .kind = CLI_TEXT,                                                                     \
       .value_name = "NAME",                                                                 \
       .help = what,                                                                         \
       .otherwise = "all",                                                                   \
       .repeated = true},                                                                    \
      {.name = "fps",                                                                        \
       .kind = CLI_NUMBER,                                                                   \
       .value_name = "RATE",                                                                 \
       .help = "set the frames per second",                                                  \
       .fallback = "60",                                                                     \
       .low = 1,                                                                             \
       .high = 10000},                                                                       \
      {.name = "amplitude",                                                                  \
       .kind = CLI_NUMBER,                                                                   \
       .value_name = "A",                                                                    \
       .help = "scale the motion of the joints about their mean over the clip",              \
       .advanced = true,                                                                     \
       .fallback = "1",                                                                      \
       .low = 0,                                                                             \
       .high = 10},                                                                          \
  {                                                                                          \
    .name = "order", .kind = CLI_CHOICE, .choices = cli_order_names,                         \
    .help = "write the vertices of the file, or those of the welded body", .advanced = true, \
    .fallback = "file"                                                                       \
  }

/* The values of --order, for a CLI_CHOICE, and what it says. */
extern const char *const cli_order_names[];
SupSampleOrder cli_order(const CliArguments *arguments);

/* The names in front of what they stand for in supple/app. */
typedef SupCharacterFile CliCharacter;
typedef SupPlainSkinning CliSkinning;
typedef SupPlainPlayer CliPlayer;
#define CLI_SKINNING_LBS SUP_PLAIN_LBS
#define CLI_SKINNING_DQS SUP_PLAIN_DQS
#define CLI_CALIBRATION SUP_CALIBRATION
#define cli_character_close sup_character_close
#define cli_character_clip sup_file_clip
#define cli_frame_count sup_clip_frames
#define cli_check_lengths sup_clips_check_lengths
#define cli_cache_format sup_cache_format_of
#define cli_player_sample sup_plain_player_sample

/* The names of the ways of skinning, for a CLI_CHOICE. */
extern const char *const cli_skinning_names[];

/* How the options of a verb say that documents are opened: --character, --color-map and
 * --allow-external. */
SupOpenDef cli_open_def(const CliContext *cli);

/* The map of the file that `name` gives by sup_name_find: *out_values[body vertices]. */
SupResult cli_find_map(const SupCharacter *character, const char *option, const char *name,
                       const float **out_values, SupError *error);

/* The values of a repeated option, in `cli->arena`; none where memory is short. */
SupNames cli_names(const CliContext *cli, const char *option);

/* Opens a document within --max-memory (by default 4 GiB, 0: no limit) and as --allow-external
 * says. */
SupResult cli_gltf_open(CliContext *cli, const char *path, SupGltf **out_document, SupError *error);

/* Opens the file and picks the character that the options name. Close it after use. */
SupResult cli_character_open(CliContext *cli, const char *path, CliCharacter *out_source,
                             SupError *error);

/* The same with the first character, whatever the options say. */
SupResult cli_character_open_first(CliContext *cli, const char *path, CliCharacter *out_source,
                                   SupError *error);

/* See sup_named_clip. */
SupResult cli_named_clip(CliContext *cli, const CliCharacter *source, const char *name, double fps,
                         const SupClip **out_clip, SupError *error);

/* The clips named by the repeated option --clip, or all of them; see sup_file_clips. */
SupResult cli_character_clips(CliContext *cli, const CliCharacter *source, double fps,
                              const SupClip ***out_clips, uint32_t *out_count, SupError *error);

/* The clips as --amplitude wants them, in place of the given ones; `cli->arena` has them. */
SupResult cli_amplify_clips(CliContext *cli, uint32_t count, const SupClip **io_clips,
                            SupError *error);

/* See sup_clip_paths. */
SupResult cli_clip_paths(CliContext *cli, const char *path, uint32_t count,
                         const SupClip *const *clips, float fps, const char ***out_paths,
                         SupError *error);

/* See supple/app/plain_player.h. */
SupResult cli_player_create(CliContext *cli, const SupCharacter *character, SupSampleOrder order,
                            CliSkinning skinning, CliPlayer *out_player, SupError *error);
SupResult cli_rest_positions(CliContext *cli, const SupCharacter *character, SupSampleOrder order,
                             const SupVec3 **out_positions, SupError *error);
SupResult cli_rest_render(CliContext *cli, const SupCharacter *character, SupRender *out_render,
                          SupError *error);

#endif
