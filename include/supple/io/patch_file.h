/* SPDX-License-Identifier: MIT */
/*
 * Supple: patch files, a plan of patches as JSON beside a character: features, boundaries, patches,
 * zones. docs/formats.md has the keys.
 */
#ifndef SUPPLE_IO_PATCH_FILE_H
#define SUPPLE_IO_PATCH_FILE_H

#include "supple/author/patch_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads a patch file into `arena`. Refuses, with a sentence that names file and line, text that is
 * no JSON, an unknown key (with the nearest one), a key that is missing, a value of another kind
 * than expected, a name that nothing has, and what sup_patch_plan_check does. Whether vertices and
 * joints exist is for whoever knows the character (sup_patch_plan_trace), who is told the lines. */
SupResult sup_patch_file_read(SupArena *arena, const char *path, SupPatchPlan *out_plan,
                              SupError *error);

/* The same from text[bytes]; `path` stands in sentences. */
SupResult sup_patch_file_parse(SupArena *arena, const char *text, size_t bytes, const char *path,
                               SupPatchPlan *out_plan, SupError *error);

/* The plan as text in `arena`, one item per line; reading it gives the same plan but for source and
 * lines. Names must be UTF-8, numbers finite. */
SupResult sup_patch_file_text(SupArena *arena, const SupPatchPlan *plan, const char **out_text,
                              size_t *out_bytes, SupError *error);

/* Writes it: the whole file or nothing. */
SupResult sup_patch_file_write(SupAllocator allocator, const char *path, const SupPatchPlan *plan,
                               SupError *error);

#ifdef __cplusplus
}
#endif
#endif
