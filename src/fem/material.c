/* SPDX-License-Identifier: MIT */
/* Materials by name, and their ranges. */
#include "supple/fem/material.h"
#include "supple/quantity.h"

#include <math.h>

/* Soft enough that a character of about a metre shows it: with these a belly of 20 cm swings at
 * 2 to 8 Hz. Young's moduli of real fat and relaxed muscle are 1 to 10 kPa. */
typedef struct Preset {
  const char *name;
  SupMaterialDef material;
} Preset;

static const Preset presets[] = {
    {"fat", {SUP_MATERIAL_NEO_HOOKEAN, 6e3, 0.45, 950, 0.004, 0, 0.5}},
    {"soft", {SUP_MATERIAL_NEO_HOOKEAN, 1.1e4, 0.45, 1000, 0.005, 0, 0.5}},
    {"firm", {SUP_MATERIAL_NEO_HOOKEAN, 2e4, 0.45, 1040, 0.007, 0, 1}},
    {"muscle", {SUP_MATERIAL_NEO_HOOKEAN, 2.5e4, 0.45, 1060, 0.005, 0, 1}},
    {"jelly", {SUP_MATERIAL_NEO_HOOKEAN, 3e3, 0.45, 1000, 0.002, 0, 0}},
    {"rubber", {SUP_MATERIAL_NEO_HOOKEAN, 1e5, 0.48, 1100, 0.001, 0, 0}},
};

SupResult sup_material_preset(const char *name, SupMaterialDef *out_material, SupError *error) {
  const SupNameList names = {&presets[0].name, sizeof *presets, sizeof presets / sizeof *presets};
  const size_t found = sup_name_find(name, names);
  char hint[160];
  if (found < names.count) {
    *out_material = presets[found].material;
    return SUP_OK;
  }
  return sup_fail(
      error, SUP_ERROR_ARGUMENT,
      "no material is called '%s'; there are fat, soft, firm, muscle, jelly and rubber%s", name,
      sup_name_hint(hint, sizeof hint, name, names));
}

static bool in_range(double x, double low, double high) { return x >= low && x <= high; }

SupResult sup_material_check(const SupMaterialDef *m, SupError *error) {
  if (!in_range(m->young, 1e-3, 1e12)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "Young's modulus %s is out of range; human flesh has 1 to 100 kPa",
                    sup_pressure_text(m->young).text);
  }
  if (!in_range(m->poisson, -0.99, 0.4999)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "Poisson's ratio %g is out of range; flesh has 0.4 to 0.49", m->poisson);
  }
  if (m->kind == SUP_MATERIAL_NEO_HOOKEAN && m->poisson < 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "the neo-Hookean material needs a Poisson's ratio of 0 or more, not %g",
                    m->poisson);
  }
  if (!in_range(m->density, 1e-3, 1e6)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "a density of %g kg/m^3 is out of range; flesh has about 1000", m->density);
  }
  if (!in_range(m->damping, 0, 10) || !in_range(m->drag, 0, 1e4)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "damping of %g s and drag of %g 1/s must be 0 or more (and below 10 and 1e4)",
                    m->damping, m->drag);
  }
  if (!in_range(m->stiffening, 0, 1e6) || !isfinite(m->stiffening)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "stiffening must be 0 or more, not %g",
                    m->stiffening);
  }
  return SUP_OK;
}
