/* SPDX-License-Identifier: MIT */
/*
 * The envelope's equations once more, in double precision and from the definition: what the run
 * time must agree with. Nothing is shared with it: cardinal functions are solved anew at every
 * pose, angles are given, the residual is the law behind the tables.
 */
#ifndef SUP_TESTS_ENVELOPE_REFERENCE_H
#define SUP_TESTS_ENVELOPE_REFERENCE_H

#include "patchwork.h"

/* Where every body vertex is, out[vertex_count]; strengths[patch_count], or NULL: 1. */
void reference_shape(SupArena *arena, const Patchwork *p, SupTransform root, double bend,
                     double twist, const float *strengths, SupVec3d *out);

/* Plain skinning of body vertices in double, out[vertex_count]. */
void reference_skin(const Patchwork *p, const SupAffined *palette, SupVec3d *out);

/* The palette of that pose, out[PATCHWORK_JOINTS]. */
void reference_palette(const Patchwork *p, SupTransform root, double bend, double twist,
                       SupAffined *out);

#endif
