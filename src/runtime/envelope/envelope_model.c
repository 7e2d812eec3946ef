/* SPDX-License-Identifier: MIT */
/* An envelope model as sections of a block: finding them, and looking at them. */
#include "runtime/envelope/envelope_sections.h"
#include "runtime/model_checks.h"

enum {
  COUNT_FLAGS,
  COUNT_JOINTS,
  COUNT_ROOT,
  COUNT_SHAPES,
  COUNT_ANGLES,
  COUNT_BLENDS,
  COUNT_CONTROLS,
  COUNT_SEAMS,
  COUNT_PATCHES,
  COUNT_BLOCKS,
  COUNT_VALUES,
  COUNTS
};

bool sup_envelope_sections(const SupModel *model, SupEnvelopeView *view, EnvelopeSections *n) {
  bool all = true;
#define FIND(type, name, count)                                                                \
  ((const type *)sup_need_section(model, SUP_SECTION_ENVELOPE_##name, sizeof(type), &n->count, \
                                  &all))
  const uint32_t *counts = FIND(uint32_t, COUNTS, counts);
  view->angles = FIND(SupEnvelopeAngle, ANGLES, angles);
  view->blends = FIND(SupEnvelopeMix, BLENDS, blends);
  view->blend_angles = FIND(uint32_t, BLEND_ANGLES, blend_angles);
  view->centres = FIND(float, CENTRES, centres);
  view->cardinal = FIND(double, CARDINAL, cardinal);
  view->shape_centres = FIND(uint32_t, SHAPE_CENTRES, shape_centres);
  view->shape_shares = FIND(float, SHAPE_SHARES, shape_shares);
  view->control_blends = FIND(uint32_t, CONTROL_BLENDS, control_blends);
  view->influence_first = FIND(uint32_t, INFLUENCE_FIRST, influence_first);
  view->influences = FIND(SupEnvelopeInfluence, INFLUENCES, influences);
  view->points = FIND(SupVec3, POINTS, points);
  view->revisions = FIND(SupEnvelopeRevision, REVISIONS, revisions);
  view->revision_points = FIND(SupVec3, REVISION_POINTS, revision_points);
  view->revision_angles = FIND(float, REVISION_ANGLES, revision_angles);
  view->seams = FIND(SupEnvelopeSeam, SEAMS, seams);
  view->faces = FIND(SupEnvelopeFace, FACES, faces);
  view->names = FIND(char, NAMES, names);
  view->corners = FIND(uint32_t, CORNERS, corners);
  view->borders = FIND(uint32_t, BORDERS, borders);
  view->weights = FIND(float, WEIGHTS, weights);
  view->offsets = FIND(float, OFFSETS, offsets);
  view->spread = FIND(float, SPREAD, spread);
  view->fields = FIND(float, FIELDS, fields);
  view->tables = FIND(float, TABLES, tables);
  view->strengths = FIND(float, STRENGTHS, strengths);
  view->sources = FIND(uint32_t, SOURCES, sources);
  view->lanes = FIND(uint32_t, LANES, lanes);
  view->ring_first = FIND(uint32_t, RING_FIRST, ring_first);
  view->rings = FIND(uint32_t, RINGS, rings);
#undef FIND
  if (!all || n->counts != COUNTS) return false;
  view->flags = counts[COUNT_FLAGS];
  view->joint_count = counts[COUNT_JOINTS];
  view->root = counts[COUNT_ROOT];
  view->shape_count = counts[COUNT_SHAPES];
  view->angle_count = counts[COUNT_ANGLES];
  view->blend_count = counts[COUNT_BLENDS];
  view->control_count = counts[COUNT_CONTROLS];
  view->seam_count = counts[COUNT_SEAMS];
  view->patch_count = counts[COUNT_PATCHES];
  view->block_count = counts[COUNT_BLOCKS];
  view->value_count = counts[COUNT_VALUES];
  return true;
}

SupEnvelopeView sup_envelope_view(const SupModel *model) {
  SupEnvelopeView view = {.skin = sup_skin_view(model)};
  EnvelopeSections unused = {0};
  sup_envelope_sections(model, &view, &unused);
  return view;
}
