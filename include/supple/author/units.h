/* SPDX-License-Identifier: MIT */
/* Supple: how long a unit of a file is. glTF means metres; files often do not. */
#ifndef SUPPLE_AUTHOR_UNITS_H
#define SUPPLE_AUTHOR_UNITS_H

#include "supple/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SUP_USUAL_SIZE 1.7 /* metres: how large a body is taken to be that no unit fits */

typedef struct SupUnits {
  double metres;    /* per unit */
  const char *name; /* "metres", "centimetres", "millimetres"; NULL: none makes sense, and the body
                       is taken to be SUP_USUAL_SIZE */
} SupUnits;

/* What the longest side of a character says: bodies are between a mouse and an elephant, and those
 * in centimetres or millimetres are about as large as people. */
SupUnits sup_units_guess(double longest);

#ifdef __cplusplus
}
#endif
#endif
