/* SPDX-License-Identifier: MIT */
/* What the readers of tetrahedral meshes share: words across lines, and a mesh being collected. */
#ifndef SUP_IO_TETS_TEXT_H
#define SUP_IO_TETS_TEXT_H

#include "io/obj/obj_scan.h"
#include "supple/io/tets.h"

/* A file being read, and the mesh that grows from it. Nodes go by the file's own numbers until
 * sup_tets_parse looks them up. */
typedef struct SupTetsJob {
  SupArena *arena;
  const char *name;
  SupObjScan scan;
  uint32_t node_count;
  uint32_t tet_count;
  SupVec3d *nodes;   /* [node_count] */
  int64_t *labels;   /* [node_count] the file's numbers */
  int64_t *tets;     /* [4 * tet_count] labels */
  size_t tet_places; /* how many fit */
} SupTetsJob;

/* Each fills the job from source's text. */
SupResult sup_tets_medit(SupTetsJob *job, SupError *error);
SupResult sup_tets_gmsh(SupTetsJob *job, SupError *error);
SupResult sup_tets_tetgen(SupTetsJob *job, const SupTetsText *source, SupError *error);

/* "name, line n: WHAT". */
SupResult sup_tets_fail(const SupTetsJob *job, const char *what, SupError *error);

/* Goes to the next word, over ends of lines. False at the end of the text. */
bool sup_tets_seek(SupTetsJob *job);

/* The next word, wherever it is: a finite number; a whole number of at most 15 digits. `what` it is
 * stands in the sentence. */
SupResult sup_tets_number(SupTetsJob *job, const char *what, double *out_value, SupError *error);
SupResult sup_tets_integer(SupTetsJob *job, const char *what, int64_t *out_value, SupError *error);

/* A count, refused where the rest of the text has too few bytes for so many items of `words` words
 * each: nobody makes us ask for memory by announcing much. */
SupResult sup_tets_announced(SupTetsJob *job, const char *what, uint32_t words, uint32_t *out_count,
                             SupError *error);

/* Three numbers. */
SupResult sup_tets_place(SupTetsJob *job, SupVec3d *out_place, SupError *error);

/* Room for so many more. */
SupResult sup_tets_room_nodes(SupTetsJob *job, uint32_t count, SupError *error);
SupResult sup_tets_room_tets(SupTetsJob *job, uint32_t count, SupError *error);

/* Four labels from here; room must have been made. */
SupResult sup_tets_corners(SupTetsJob *job, SupError *error);

/* Is word[length] `text`? */
bool sup_tets_word_is(const char *word, size_t length, const char *text);

#endif
