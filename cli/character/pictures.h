/* SPDX-License-Identifier: MIT */
/* `play -o X.png` and `-o X.webp`: options to definition, report to text. */
#ifndef SUPPLE_CLI_PICTURES_H
#define SUPPLE_CLI_PICTURES_H

#include "character/cli_character.h"
#include "supple/app/picture.h"

/* Options of the verbs that draw. */
#define CLI_PICTURE_OPTIONS                                                                 \
  {.name = "before",                                                                        \
   .kind = CLI_INPUT,                                                                       \
   .value_name = "FILE",                                                                    \
   .help = "draw this character's clip of the same name above or beside it (.png, .webp)"}, \
      {.name = "after",                                                                     \
       .kind = CLI_INPUT,                                                                   \
       .value_name = "CACHE",                                                               \
       .help = "draw a .pc2 or .mdd of the clip below or beside it (.png, .webp)"},         \
      {.name = "size",                                                                      \
       .kind = CLI_INTEGER,                                                                 \
       .value_name = "PIXELS",                                                              \
       .help = "set the longer side of one view in a picture; the motion gives the other",  \
       .advanced = true,                                                                    \
       .fallback = "400",                                                                   \
       .low = 32,                                                                           \
       .high = 4096},                                                                       \
      {.name = "frames",                                                                    \
       .kind = CLI_INTEGER,                                                                 \
       .value_name = "N",                                                                   \
       .help = "set the number of frames in a strip (.png)",                                \
       .advanced = true,                                                                    \
       .fallback = "6",                                                                     \
       .low = 1,                                                                            \
       .high = 64},                                                                         \
      {.name = "start",                                                                     \
       .kind = CLI_NUMBER,                                                                  \
       .value_name = "SECONDS",                                                             \
       .help = "begin a picture at this time of the clip",                                  \
       .advanced = true,                                                                    \
       .fallback = "0",                                                                     \
       .low = 0,                                                                            \
       .high = 3600},                                                                       \
      {.name = "end",                                                                       \
       .kind = CLI_NUMBER,                                                                  \
       .value_name = "SECONDS",                                                             \
       .help = "end a picture at this time of the clip",                                    \
       .advanced = true,                                                                    \
       .otherwise = "its end",                                                              \
       .low = 0,                                                                            \
       .high = 3600},                                                                       \
      {.name = "slow",                                                                      \
       .kind = CLI_NUMBER,                                                                  \
       .value_name = "FACTOR",                                                              \
       .help = "show an animation (.webp) in slow motion, this many times as long",         \
       .advanced = true,                                                                    \
       .fallback = "1",                                                                     \
       .low = 1,                                                                            \
       .high = 100},                                                                        \
      {.name = "azimuth",                                                                   \
       .kind = CLI_NUMBER,                                                                  \
       .value_name = "DEGREES",                                                             \
       .help = "turn the camera around the character: 0 sees its front, 90 its left side",  \
       .advanced = true,                                                                    \
       .fallback = "32",                                                                    \
       .low = -360,                                                                         \
       .high = 360},                                                                        \
  {                                                                                         \
    .name = "elevation", .kind = CLI_NUMBER, .value_name = "DEGREES",                       \
    .help = "raise the camera: 0 is level, 90 looks straight down", .advanced = true,       \
    .fallback = "10", .low = -89, .high = 90                                                \
  }

/* Options that only a picture has, or that it cannot have: refused before any work. */
SupResult cli_picture_check(const CliContext *cli, SupPictureKind kind, SupError *error);

/* Draws one clip as the options say, tells and reports it. */
SupResult cli_picture_save(CliContext *cli, const SupPictureDef *motion, const char *clip,
                           const char *path, SupError *error);

/* --after: the frames of a point cache that shows `clip`, at the rate and from the start of
 * *io_def; its frame_count becomes at most as many as there are. */
SupResult cli_picture_cache(CliContext *cli, const CliCharacter *source, const SupClip *clip,
                            SupPictureDef *io_def, SupPictureFigure *out_figure, SupError *error);

#endif
