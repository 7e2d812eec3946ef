/* SPDX-License-Identifier: MIT */
#ifndef SUP_SRC_RUNTIME_SURFACE_DESCRIBE_H
#define SUP_SRC_RUNTIME_SURFACE_DESCRIBE_H

#include "supple/surface.h"
#include "supple/technique.h"

void sup_surface_describe(const SupModel *model, const SupFacts *facts);

#endif
