/* SPDX-License-Identifier: MIT */
#include "supple/quantity.h"

#define LEAST 5e-4 /* of the smallest unit: less is rounding */
#define MOST 1e15  /* beyond that an exponent is easier to read */

enum { UNITS = 4 };

typedef struct Unit {
  char name[4];
  double size; /* in the quantity's own unit */
} Unit;

static const Unit units[][UNITS] = {
    [SUP_LENGTH] = {{"mm", 1e-3}, {"cm", 1e-2}, {"m", 1}, {"km", 1e3}},
    [SUP_MASS] = {{"g", 1e-3}, {"kg", 1}, {"t", 1e3}, {"t", 1e3}},
    [SUP_PRESSURE] = {{"Pa", 1}, {"kPa", 1e3}, {"MPa", 1e6}, {"GPa", 1e9}},
    [SUP_NUMBER] = {{"", 1}, {"", 1}, {"", 1}, {"", 1}},
};

SupQuantityText sup_quantity_text(SupQuantity quantity, double value) {
  const Unit *unit = units[quantity], *last = unit + UNITS - 1;
  SupQuantityText text;
  const double away = value < 0 ? -value : value;
  while (unit < last && away >= 0.9995 * unit[1].size) unit++;
  double number = value / unit->size, size = away / unit->size;
  if (size < LEAST) number = size = 0;
  size_t length;
  if (!(size < MOST)) {
    length = sup_format(text.text, sizeof text.text, "%g", number);
  } else if (size >= 99.95) {
    length = sup_format(text.text, sizeof text.text, "%.0f", number);
  } else if (size >= 9.995) {
    length = sup_format(text.text, sizeof text.text, "%.1f", number);
  } else if (size >= 0.9995) {
    length = sup_format(text.text, sizeof text.text, "%.2f", number);
  } else {
    length = sup_format(text.text, sizeof text.text, "%.3f", number);
  }
  if (size < 99.95) { /* there are decimals */
    while (text.text[length - 1] == '0') length--;
    if (text.text[length - 1] == '.') length--;
  }
  text.text[length] = 0;
  if (unit->name[0]) {
    sup_format(text.text + length, sizeof text.text - length, " %s", unit->name);
  }
  return text;
}
