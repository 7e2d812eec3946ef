/* SPDX-License-Identifier: MIT */
/*
 * Supple: Wavefront OBJ, positions and faces.
 *
 * Render vertex i is the i-th `v` line of the file, always: point caches that were made for an OBJ
 * fit. Texture coordinates, normals, colours, curves and materials of a file are passed over.
 */
#ifndef SUPPLE_IO_OBJ_H
#define SUPPLE_IO_OBJ_H

#include "supple/author/character.h"
#include "supple/author/samples.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What was passed over, for people. */
typedef struct SupObjReport {
  uint32_t polygons;           /* faces of more than three corners, cut into fans */
  uint32_t faces_skipped;      /* fewer than three different corners */
  uint32_t vertices_unused;    /* in no face */
  bool groups_joined;          /* groups share vertices, so they became one part */
  bool has_uvs, has_normals;   /* the file has them; they were not read */
  uint32_t statements_skipped; /* lines that mean nothing here */
} SupObjReport;

/* Reads an OBJ as a character without skeleton in `arena`. Objects and groups become parts where
 * each has a run of vertices of its own, otherwise all is one part. Polygons become fans of their
 * first corner. Fails with the line of the mistake: a number that is none, a vertex that does not
 * exist, no vertices, no faces. `out_report` may be NULL. */
SupResult sup_obj_read(SupArena *arena, const char *path, SupCharacter *out_character,
                       SupObjReport *out_report, SupError *error);

/* The same from text[bytes], which needs no terminator; `name` names the character and stands in
 * sentences. */
SupResult sup_obj_parse(SupArena *arena, const char *text, size_t bytes, const char *name,
                        SupCharacter *out_character, SupObjReport *out_report, SupError *error);

/* Writes a character's body, or its render vertices with their parts, texture coordinates and
 * normals. `positions` in that order replace the rest positions (normals are then left out); NULL
 * for the rest positions. Nine digits: floats survive exactly (but for the sign of zero). `order`
 * is BODY or RENDER. */
SupResult sup_obj_save(SupAllocator allocator, const char *path, const SupCharacter *character,
                       SupSampleOrder order, const SupVec3 *positions, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
