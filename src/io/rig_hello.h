/* SPDX-License-Identifier: MIT */
/* What a rig process says of itself. docs/formats.md, "Rig processes". */
#ifndef SUP_SRC_IO_RIG_HELLO_H
#define SUP_SRC_IO_RIG_HELLO_H

#include "supple/author/rig_def.h"

/* Reads the payload data[bytes] into `arena`: counts, parameters and precision of *out_rig, its
 * name and its vertices at rest. */
SupResult sup_rig_hello_read(SupArena *arena, const uint8_t *data, size_t bytes, SupRig *out_rig,
                             const char **out_name, const SupVec3d **out_rest, SupError *error);

/* `count` vertices, as doubles or floats: out[count]. */
void sup_rig_vertices(const uint8_t *data, bool single, size_t count, SupVec3d *out);

#endif
