/* SPDX-License-Identifier: MIT */
/* Supple: figures with the unit that a person would choose: "0.21 mm", "19.4 cm", "4.5 m". */
#ifndef SUPPLE_QUANTITY_H
#define SUPPLE_QUANTITY_H

#include "supple/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SupQuantity {
  SUP_LENGTH,   /* metres: mm, cm, m, km */
  SUP_MASS,     /* kilograms: g, kg, t */
  SUP_PRESSURE, /* pascals: Pa, kPa, MPa, GPa */
  SUP_NUMBER    /* without a unit */
} SupQuantity;

typedef struct SupQuantityText {
  char text[32];
} SupQuantityText;

/* Three significant digits, at most three decimals, without zeros at the end and never with an
 * exponent below 1e15. What is less than 0.0005 of the smallest unit is 0. */
SupQuantityText sup_quantity_text(SupQuantity quantity, double value);

#define sup_length_text(metres) sup_quantity_text(SUP_LENGTH, (metres))
#define sup_mass_text(kilograms) sup_quantity_text(SUP_MASS, (kilograms))
#define sup_pressure_text(pascals) sup_quantity_text(SUP_PRESSURE, (pascals))
#define sup_number_text(value) sup_quantity_text(SUP_NUMBER, (value))

#ifdef __cplusplus
}
#endif
#endif
