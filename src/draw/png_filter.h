/* SPDX-License-Identifier: MIT */
/* What a byte of a PNG is expected to be: section 9 of its specification. */
#ifndef SUP_DRAW_PNG_FILTER_H
#define SUP_DRAW_PNG_FILTER_H

#include <stdint.h>

static inline int sup_png_apart(int a, int b) { return a > b ? a - b : b - a; }

/* kind 0 none, 1 left, 2 up, 3 average, 4 Paeth. */
static inline uint8_t sup_png_predict(uint32_t kind, uint8_t left, uint8_t up, uint8_t corner) {
  switch (kind) {
    case 1: return left;
    case 2: return up;
    case 3: return (uint8_t)((left + up) / 2);
    case 4: {
      const int p = left + up - corner;
      const int a = sup_png_apart(p, left), b = sup_png_apart(p, up), c = sup_png_apart(p, corner);
      return a <= b && a <= c ? left : b <= c ? up : corner;
    }
    default: return 0;
  }
}

#endif
