/* SPDX-License-Identifier: MIT */
#include "supple/author/units.h"

#define SMALLEST 0.02 /* metres: a mouse */
#define LARGEST 12.0
#define PERSON_LEAST 1.0
#define PERSON_MOST 4.0

SupUnits sup_units_guess(double longest) {
  static const SupUnits others[] = {{0.01, "centimetres"}, {0.001, "millimetres"}};
  if (!(longest > 0) || (longest >= SMALLEST && longest <= LARGEST)) {
    return (SupUnits){1, "metres"};
  }
  for (uint32_t k = 0; k < 2; k++) {
    const double size = longest * others[k].metres;
    if (size >= PERSON_LEAST && size <= PERSON_MOST) return others[k];
  }
  return (SupUnits){SUP_USUAL_SIZE / longest, NULL};
}
