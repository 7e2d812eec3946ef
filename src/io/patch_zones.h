/* SPDX-License-Identifier: MIT */
/* Zones of patch files. */
#ifndef SUP_SRC_IO_PATCH_ZONES_H
#define SUP_SRC_IO_PATCH_ZONES_H

#include "io/json_fields.h"
#include "io/json_text.h"
#include "supple/author/patch_plan.h"

/* The value of "zones": a kind, or an object with "kind" and what is said about the flesh. */
SupResult sup_patch_read_zones(SupJsonReading *r, const SupJsonField *field, const json_t *object,
                               const json_t *value, const SupPatchZone **out_zones,
                               uint32_t *out_count);

void sup_patch_put_zone(SupText *text, const SupPatchZone *zone);

#endif
