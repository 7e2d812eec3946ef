/* SPDX-License-Identifier: MIT */
/*
 * Supple: rig files, the description of a character's rig as JSON beside its .glb: helpers,
 * lattices, wires, parameters with ranges and zones. docs/formats.md has the keys.
 */
#ifndef SUPPLE_IO_RIG_FILE_H
#define SUPPLE_IO_RIG_FILE_H

#include "supple/author/rig_def.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads a rig file into `arena`. Refuses, with a sentence that names file and line, text that is no
 * JSON, an unknown key (with the nearest one), a key that is missing, and a value of another kind
 * than expected. Whether joints exist and numbers make sense is for whoever knows the character
 * (supple/rig/character_rig.h), who is told the lines. */
SupResult sup_rig_file_read(SupArena *arena, const char *path, SupRigDef *out_def, SupError *error);

/* The same from text[bytes]; `path` gives the name and stands in sentences. */
SupResult sup_rig_file_parse(SupArena *arena, const char *text, size_t bytes, const char *path,
                             SupRigDef *out_def, SupError *error);

/* The description as text in `arena`, one parameter per line; reading it gives the same description
 * but for the lines. Names must be UTF-8. */
SupResult sup_rig_file_text(SupArena *arena, const SupRigDef *def, const char **out_text,
                            size_t *out_bytes, SupError *error);

/* Writes it: the whole file or nothing. */
SupResult sup_rig_file_write(SupAllocator allocator, const char *path, const SupRigDef *def,
                             SupError *error);

#ifdef __cplusplus
}
#endif
#endif
