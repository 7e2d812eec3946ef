/* SPDX-License-Identifier: MIT */
/* Supple: what of a character in a file is not flesh, for every verb that gives it flesh. */
#ifndef SUPPLE_APP_LOCK_CHARACTER_H
#define SUPPLE_APP_LOCK_CHARACTER_H

#include "supple/app/character_file.h"
#include "supple/author/hard_parts.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What somebody corrects: patterns of SupHardPartsDef. All zero: nothing. */
typedef struct SupLockDef {
  SupNames lock;
  SupNames unlock;
} SupLockDef;

/* Finds what is locked, see sup_hard_parts; in the arena. */
SupResult sup_lock_character(const SupAppContext *app, const SupCharacterFile *file,
                             const SupLockDef *def, SupHardParts *out_parts, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
