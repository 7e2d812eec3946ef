/* SPDX-License-Identifier: MIT */
/* What `supple info` finds out and how it says it: aligned lines, and notes with what to do. */
#ifndef SUPPLE_CLI_INFO_H
#define SUPPLE_CLI_INFO_H

#include "character/cli_character.h"
#include "formats.h"
#include "supple/author/character.h"
#include "supple/geom/bounds.h"
#include "supple/model.h"

/* Notes kept for one file; what comes later is only counted. */
#define INFO_NOTES_MAX 64

typedef struct Info {
  CliContext *cli;
  SupArena *arena; /* of this file */
  uint32_t note_count;
  const char *notes[INFO_NOTES_MAX];
} Info;

/* "  label      text"; an empty label continues the one above. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void info_line(const Info *info, const char *label, const char *format, ...);

/* Something odd, and what to do about it: one sentence or two, shown below the file. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void info_note(Info *info, const char *format, ...);

/* Lines and report members of a character. */
SupResult info_character(Info *info, const SupCharacter *character, SupError *error);

/* The tree of its joints, and what hangs on each; material names are those of `contents`. */
SupResult info_bones(Info *info, const SupCharacter *character, const SupGltfContents *contents,
                     SupError *error);

/* What carries motion that was baked before, if anything does. Both want a character whose
 * helper_joints are marked. */
void info_baked(Info *info, const SupCharacter *character);

/* Height, width and depth, and what units they look like. `rigged`: a character, whose lengths can
 * only be changed where it was made; for meshes and caches there is --units. */
void info_size(Info *info, SupBounds bounds, bool rigged);

/* A model block: what it is, and whether it fits the body (NULL: not known). */
void info_model(Info *info, const void *data, size_t bytes, const SupMesh *body);

/* The same for other kinds of file. */
SupResult info_model_file(Info *info, const char *path, SupError *error);
SupResult info_obj(Info *info, const char *path, uint64_t bytes, SupError *error);
SupResult info_cache(Info *info, const char *path, uint64_t bytes, SupError *error);

#endif
