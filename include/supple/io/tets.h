/* SPDX-License-Identifier: MIT */
/*
 * Supple: tetrahedral meshes that other programs made.
 *
 *   .mesh          Medit, ascii
 *   .msh           Gmsh, ascii, versions 2.2 and 4.1
 *   .node, .ele    TetGen: two files of one name; either is named, both are read
 */
#ifndef SUPPLE_IO_TETS_H
#define SUPPLE_IO_TETS_H

#include "supple/geom/tet.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SupTetsFormat { SUP_TETS_MEDIT, SUP_TETS_GMSH, SUP_TETS_TETGEN } SupTetsFormat;

/* What was mended, for people. */
typedef struct SupTetsReport {
  uint32_t turned_count; /* tetrahedra whose corners ran the other way round */
  uint32_t flat_count;   /* tetrahedra without volume, left out */
  uint32_t unused_count; /* nodes of no tetrahedron, left out */
} SupTetsReport;

/* The format by a path's ending; false when it is none of them. */
bool sup_tets_format(const char *path, SupTetsFormat *out_format);

/* Reads a volume into `arena`: the tetrahedra (of higher order: their corners), all turned the
 * right way round, and the nodes they use, in the file's order. Surfaces, edges, labels and
 * attributes are passed over. Fails with the line of the mistake: a number that is none, fewer
 * lines than were announced, a node that does not exist. `out_report` may be NULL. */
SupResult sup_tets_read(SupArena *arena, const char *path, SupTetMesh *out_mesh,
                        SupTetsReport *out_report, SupError *error);

/* The same from text[bytes]; of TetGen's two files the .node comes first, the .ele in `more`, which
 * is not used otherwise. `name` stands in sentences. */
typedef struct SupTetsText {
  SupTetsFormat format;
  const char *name;
  const char *text;
  size_t bytes;
  const char *more;
  size_t more_bytes;
} SupTetsText;

SupResult sup_tets_parse(SupArena *arena, const SupTetsText *source, SupTetMesh *out_mesh,
                         SupTetsReport *out_report, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
