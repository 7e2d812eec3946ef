/* SPDX-License-Identifier: MIT */
/*
 * Supple: the built-in characters, made by code at any size.
 *
 * `mochi`, the face of the project, a fat `cat`, and the simple bodies that the papers test with.
 * Every one is a closed surface of genus 0 with a skeleton, smooth weights (at most 4 influences),
 * materials and clips: metres, +Y up, +Z forward, feet on y = 0. docs/characters.md shows them.
 */
#ifndef SUPPLE_AUTHOR_BUILTIN_H
#define SUPPLE_AUTHOR_BUILTIN_H

#include "supple/author/character.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The smallest and the largest number of body vertices that can be asked for. */
#define SUP_BUILTIN_VERTICES_MIN 494
#define SUP_BUILTIN_VERTICES_MAX 16000000

/* One line of the catalogue. */
typedef struct SupBuiltinInfo {
  const char *name;
  const char *summary;  /* one line for a person */
  uint32_t vertices;    /* body vertices when none are asked for */
  uint32_t joint_count; /* also the number of bones */
} SupBuiltinInfo;

/* How many built-in characters there are, and the one at `index`. Static storage. */
uint32_t sup_builtin_count(void);
SupBuiltinInfo sup_builtin_info(uint32_t index);

/* What to make. Zero everything but the name for the default. */
typedef struct SupBuiltinDef {
  const char *name;    /* of the catalogue */
  uint32_t vertices;   /* body vertices wanted, within the limits above; 0 for the default */
  const SupJobs *jobs; /* to share the work, or NULL; the result does not depend on it */
} SupBuiltinDef;

/* Makes a character in `arena`. The body has the vertices asked for within 1 % (render vertices
 * are a few more: they are duplicated where materials meet). The same bits on every target. While
 * it works it takes up to 100 MB and 450 bytes per vertex from the arena's allocator; about 150 per
 * vertex stay. Fails with SUP_ERROR_ARGUMENT for an unknown name or a count outside the limits. */
SupResult sup_builtin_character(SupArena *arena, const SupBuiltinDef *def,
                                SupCharacter *out_character, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
