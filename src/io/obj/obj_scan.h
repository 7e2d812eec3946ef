/* SPDX-License-Identifier: MIT */
/* The words of an OBJ file: lines, numbers, corner indices; independent of the C locale. */
#ifndef SUP_IO_OBJ_SCAN_H
#define SUP_IO_OBJ_SCAN_H

#include "supple/base.h"

typedef struct SupObjScan {
  const char *at, *end;
  uint32_t line; /* of `at`, from 1 */
} SupObjScan;

/* Skips blanks (a backslash before the end of a line is one). False at the end of the line. */
bool sup_obj_scan_more(SupObjScan *scan);

/* Goes behind the end of the line. False at the end of the text. */
bool sup_obj_scan_next_line(SupObjScan *scan);

/* The next word of the line; empty at its end. */
void sup_obj_scan_word(SupObjScan *scan, const char **out_word, size_t *out_length);

/* A finite number that is the whole of the next word; false (and nothing read) if it is none. */
bool sup_obj_scan_double(SupObjScan *scan, double *out_value);

/* The same where it fits a float. */
bool sup_obj_scan_number(SupObjScan *scan, float *out_value);

/* The vertex index in a corner `v`, `v/vt`, `v//vn` or `v/vt/vn`; false if the word is none. */
bool sup_obj_scan_corner(SupObjScan *scan, int64_t *out_index);

#endif
