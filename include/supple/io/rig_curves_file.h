/* SPDX-License-Identifier: MIT */
/* Supple: curves of rig parameters as text. docs/formats.md has both formats. */
#ifndef SUPPLE_IO_RIG_CURVES_FILE_H
#define SUPPLE_IO_RIG_CURVES_FILE_H

#include "supple/author/rig_curves.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes a table: a line for every frame, the time in seconds and a column for every parameter.
 * The whole file or nothing. */
SupResult sup_rig_curves_write_csv(SupAllocator allocator, const char *path,
                                   const SupRigCurves *curves, SupError *error);

/* Such a table, maybe edited. */
typedef struct SupRigTable {
  uint32_t column_count, row_count; /* at least 1 each */
  const char *const *names;         /* [column_count] parameters, as they stand there */
  const double *times;              /* [row_count] rising */
  const double *values;             /* [row_count * column_count] finite */
} SupRigTable;

/* Reads a table into `arena`. Refuses, with a sentence that names file and line, a first line that
 * is not `time` and names, a row of another length, what is no number, and times that do not rise.
 */
SupResult sup_rig_curves_read_csv(SupArena *arena, const char *path, SupRigTable *out_table,
                                  SupError *error);

/* The same from text[bytes], behind which a zero byte stands; `path` is for sentences. */
SupResult sup_rig_curves_parse_csv(SupArena *arena, const char *text, size_t bytes,
                                   const char *path, SupRigTable *out_table, SupError *error);

/* Writes clips[clip_count], frames and keys, as JSON. The whole file or nothing. */
SupResult sup_rig_curves_write_json(SupAllocator allocator, const char *path, uint32_t clip_count,
                                    const SupRigCurves *clips, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
