/* SPDX-License-Identifier: MIT */
/* One group of a skin filled with tetrahedra of one lattice. */
#ifndef SUP_SRC_FEM_FILL_LATTICE_H
#define SUP_SRC_FEM_FILL_LATTICE_H

#include "fem/inside.h"
#include "supple/fem/fill.h"

/* Fills `mesh`, which `inside` is of, with a lattice of this spacing. In `arena`. */
SupResult sup_fill_lattice(SupArena *arena, const SupMesh *mesh, const SupInside *inside,
                           double spacing, const SupJobs *jobs, SupFill *out_fill,
                           SupFillReport *out_report, SupError *error);

/* The spacing with which a skin around `volume`, of this area, gets `target` tetrahedra. */
double sup_lattice_spacing(double volume, double area, uint32_t target);

#endif
