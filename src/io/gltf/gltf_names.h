/* SPDX-License-Identifier: MIT */
/* Which files the documents of a folder name. */
#ifndef SUP_IO_GLTF_NAMES_H
#define SUP_IO_GLTF_NAMES_H

#include "io/gltf/gltf_document.h"

/* The longest stem of a side file's name, in bytes. */
#define SUP_GLTF_STEM 200u

/* The JSON of a .gltf or .glb, to look at; NULL when there is none, or it is no document. */
json_t *sup_gltf_peek(SupArena *arena, const char *path);

/* "./tube.bin" is tube.bin. */
const char *sup_gltf_without_dots(const char *relative);

/* Whether a buffer or image of the document `root` is the file `relative`. Yes when in doubt: of a
 * path that leads out of the folder and perhaps in again only the last part is compared. */
bool sup_gltf_names_file(SupArena *arena, const json_t *root, const char *relative);

/* Whether any document in the folder of `path`, whatever its name, names the file `relative`. Yes
 * when in doubt: a document that cannot be understood might. */
bool sup_gltf_is_named_beside(SupArena *arena, const char *path, const char *relative);

#endif
