/* SPDX-License-Identifier: MIT */
/*
 * What happens to the follower reaches the modes: its distance d from the goal, turned into rest
 * space, is projected onto every mode as if the mode's mass were spread evenly over the skin,
 *
 *   p = sum_i phi(i) . R_i^T d_i / sum_i |phi(i)|^2,
 *
 * and the mode is pulled towards a fraction of it by its own stiffness, one step of the follower
 * late. The goal's motion does not make d (a follower hands it on whole: SUP_TRAIT_INERTIA), so the
 * modes cannot excite themselves through it: without contact the coupling goes one way.
 */
#include "runtime/modes/modes_couple.h"

/* Where one block of 16 vertices has its rows of the modes. */
typedef struct Slots {
  uint32_t first, end, own; /* morph slots; those of targets >= own are modes */
} Slots;

static Slots slots_of(const SupModesView *model, uint32_t block) {
  const uint32_t *first = model->skin.morph_first + block;
  return (Slots){first[0], first[1], model->skin.morph_count - model->mode_count};
}

/* Sums of squares of the modes over the skin, behind the row of forces. */
void sup_modes_couple_init(const SupModesView *model, float *coupling) {
  const SupSkinView *skin = &model->skin;
  float *squares = coupling + (size_t)SUP_SKIN_BLOCK * model->block_count;
  for (uint32_t block = 0; block < skin->block_count; block++) {
    const Slots s = slots_of(model, block);
    for (uint32_t k = s.first; k < s.end; k++) {
      if (skin->morph_targets[k] < s.own) continue;
      const float *rows = skin->morph_offsets + (size_t)(3 * SUP_SKIN_BLOCK) * k;
      for (uint32_t i = 0; i < SUP_SKIN_BLOCK; i++) {
        if (SUP_SKIN_BLOCK * block + i >= skin->vertex_count) break; /* spare lanes */
        const float x = rows[i], y = rows[SUP_SKIN_BLOCK + i], z = rows[2 * SUP_SKIN_BLOCK + i];
        squares[skin->morph_targets[k] - s.own] += x * x + y * y + z * z;
      }
    }
  }
}

/* R^T d of the block's vertices: out[3 rows]. */
static void turn_back(const SupSkinView *skin, const SupAffine *palette, SupDeviation deviation,
                      uint32_t block, float *out) {
  const size_t rows = sup_skin_record_rows(skin->flags), first = (size_t)SUP_SKIN_BLOCK * block;
  const float *weights =
      skin->records + SUP_SKIN_BLOCK * (rows * (block + 1) + skin->bone_first[block]);
  const float *records = deviation.records, *goals = deviation.goal + 3 * first;
  float d[3 * SUP_SKIN_BLOCK];
  for (uint32_t i = 0; i < SUP_SKIN_BLOCK; i++) {
    for (uint32_t c = 0; c < 3; c++) {
      const bool spare = first + i >= skin->vertex_count;
      const float x = records[8 * (first + i) + c], goal = goals[SUP_SKIN_BLOCK * c + i];
      d[SUP_SKIN_BLOCK * c + i] = spare ? 0 : x - goal;
      out[SUP_SKIN_BLOCK * c + i] = 0;
    }
  }
  for (uint32_t k = skin->bone_first[block]; k < skin->bone_first[block + 1]; k++) {
    const float *m = palette[skin->bones[k]].m;
    for (uint32_t i = 0; i < SUP_SKIN_BLOCK; i++) {
      const float x = d[i], y = d[SUP_SKIN_BLOCK + i], z = d[2 * SUP_SKIN_BLOCK + i];
      for (uint32_t c = 0; c < 3; c++) {
        out[SUP_SKIN_BLOCK * c + i] +=
            weights[i] * (m[3 * c] * x + m[3 * c + 1] * y + m[3 * c + 2] * z);
      }
    }
    weights += SUP_SKIN_BLOCK;
  }
}

void sup_modes_couple(const SupModesView *model, const SupAffine *palette, SupDeviation deviation,
                      float fraction, float *coupling) {
  const SupSkinView *skin = &model->skin;
  const uint32_t lanes = SUP_SKIN_BLOCK * model->block_count;
  const float *squares = coupling + lanes;
  for (uint32_t k = 0; k < lanes; k++) coupling[k] = 0;
  for (uint32_t block = 0; block < skin->block_count; block++) {
    const Slots s = slots_of(model, block);
    float local[3 * SUP_SKIN_BLOCK];
    turn_back(skin, palette, deviation, block, local);
    for (uint32_t k = s.first; k < s.end; k++) {
      if (skin->morph_targets[k] < s.own) continue;
      const float *rows = skin->morph_offsets + (size_t)(3 * SUP_SKIN_BLOCK) * k;
      float sum = 0;
      for (uint32_t i = 0; i < 3 * SUP_SKIN_BLOCK; i++) sum += rows[i] * local[i];
      coupling[skin->morph_targets[k] - s.own] += sum;
    }
  }
  for (uint32_t k = 0; k < model->mode_count; k++) {
    const float *rows = model->oscillators +
                        (size_t)(SUP_MODES_ROWS * SUP_SKIN_BLOCK) * (k / SUP_SKIN_BLOCK) +
                        k % SUP_SKIN_BLOCK;
    const float stiffness = rows[SUP_SKIN_BLOCK * SUP_MODES_STIFFNESS];
    const float max_weight = rows[SUP_SKIN_BLOCK * SUP_MODES_MAX_WEIGHT];
    const float amplitude = squares[k] > 0 ? coupling[k] / squares[k] : 0;
    const float near = amplitude > max_weight    ? max_weight
                       : amplitude < -max_weight ? -max_weight
                                                 : amplitude;
    coupling[k] = fraction * stiffness * near;
  }
}
