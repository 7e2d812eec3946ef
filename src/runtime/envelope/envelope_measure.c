/* SPDX-License-Identifier: MIT */
/* Where a shape is stitched, and how much of it is residual: figures for people, not for playing.
 */
#include "runtime/envelope/envelope_parts.h"
#include "runtime/envelope/envelope_sections.h"

#define BLOCK SUP_SKIN_BLOCK

typedef struct Row {
  const SupEnvelopeFace *face;
  uint32_t patch, lane;
  uint64_t block; /* of the patch */
} Row;

static SupVec3 read_row(const float *rows, uint64_t block, uint32_t lane) {
  const float *at = rows + 3 * BLOCK * block + lane;
  return (SupVec3){at[0], at[BLOCK], at[2 * BLOCK]};
}

/* Faces lie in the order of their blocks: the last one that begins at or before it. */
static Row find_row(const SupEnvelopeView *model, uint32_t row) {
  const uint32_t block = row / BLOCK;
  uint32_t low = 0, high = model->patch_count;
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    if (model->faces[middle].first_block <= block) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return (Row){&model->faces[low], low, row % BLOCK, block - model->faces[low].first_block};
}

/* Where the patch alone has it: q + Mrot d. */
static SupVec3 own_place(const SupEnvelopeView *model, const SupEnvelopeState *state,
                         const Row *row, SupVec3 offset) {
  const SupVec3 *controls = sup_envelope_controls(state);
  const SupMat3 *turns = (const SupMat3 *)sup_envelope_at(state, state->turns);
  const uint32_t *corners = model->corners + row->face->first_corner;
  const float *weights = model->weights + row->face->first_weight +
                         BLOCK * row->block * row->face->corner_count + row->lane;
  SupVec3 place = sup_mat3_mul_vec3(turns[row->patch], offset);
  for (uint32_t k = 0; k < row->face->corner_count; k++) {
    place = sup_vec3_add_scaled(place, controls[corners[k]], weights[(size_t)BLOCK * k]);
  }
  return place;
}

void sup_envelope_measure(const SupEnvelopeView *model, const SupEnvelopeState *state,
                          float *out_stitched, float *out_residual) {
  const float *shaped = (const float *)sup_envelope_at(state, state->shaped);
  const float *rows = (const float *)sup_envelope_at(state, state->rows);
  for (uint32_t v = 0; v < model->skin.vertex_count; v++) {
    const uint32_t source = model->sources[model->lanes[v]];
    out_stitched[v] = out_residual[v] = 0;
    if (source == SUP_ENVELOPE_NONE || !state->known) continue;
    const Row row = find_row(model, source);
    const uint64_t block = row.face->first_block + row.block;
    const SupVec3 offset = read_row(shaped, block, row.lane);
    const SupVec3 dress = read_row(model->offsets, block, row.lane);
    const SupMat3 *turns = (const SupMat3 *)sup_envelope_at(state, state->turns);
    const SupVec3 psi = sup_mat3_mul_vec3(turns[row.patch], sup_vec3_sub(offset, dress));
    const SupVec3 own = own_place(model, state, &row, offset);
    out_residual[v] = sup_vec3_length(psi);
    out_stitched[v] = sup_vec3_length(sup_vec3_sub(read_row(rows, block, row.lane), own));
  }
}

const SupVec3 *sup_envelope_controls(const SupEnvelopeState *state) {
  return (const SupVec3 *)sup_envelope_at(state, state->controls);
}

const float *sup_envelope_mixes(const SupEnvelopeState *state) {
  return (const float *)sup_envelope_at(state, state->mixes);
}
