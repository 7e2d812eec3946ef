/* SPDX-License-Identifier: MIT */
/* The entries of this build's techniques, each in its own file. */
#ifndef SUP_SRC_RUNTIME_TECHNIQUES_H
#define SUP_SRC_RUNTIME_TECHNIQUES_H

#include "supple/technique.h"

extern const SupTechnique sup_chunks_technique;
extern const SupTechnique sup_correctives_technique;
extern const SupTechnique sup_envelope_technique;
extern const SupTechnique sup_helpers_technique;
extern const SupTechnique sup_modes_technique;
extern const SupTechnique sup_popping_technique;
extern const SupTechnique sup_skin_technique;
extern const SupTechnique sup_surface_technique;

#endif
