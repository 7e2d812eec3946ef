/* SPDX-License-Identifier: MIT */
/* The sections of an envelope model, for its check and its view. */
#ifndef SUP_SRC_RUNTIME_ENVELOPE_SECTIONS_H
#define SUP_SRC_RUNTIME_ENVELOPE_SECTIONS_H

#include "runtime/sewn/sewn_skin.h"
#include "supple/envelope.h"

/* How many items each section has. */
typedef struct EnvelopeSections {
  uint64_t counts, angles, blends, blend_angles, centres, cardinal, shape_centres, shape_shares;
  uint64_t control_blends, influence_first, influences, points, revisions, revision_points;
  uint64_t revision_angles, seams, faces, names, corners, borders, weights, offsets, spread;
  uint64_t fields, tables, strengths, sources, lanes, ring_first, rings;
} EnvelopeSections;

/* Points the view (but for its skin) into the sections; false where one is missing. */
bool sup_envelope_sections(const SupModel *model, SupEnvelopeView *view, EnvelopeSections *n);

/* Blocks of rows of so many vertices. */
static inline uint32_t sup_envelope_blocks(uint32_t count) { return sup_sewn_blocks(count); }

#endif
