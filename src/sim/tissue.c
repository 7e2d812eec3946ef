/* SPDX-License-Identifier: MIT */
/*
 * Materials by bone: an element is made of what the bone that moves it most has. Stiffness by
 * vertex and by bone: carried into the volume as a harmonic field, so that it changes smoothly.
 */
#include "sim/tissue.h"

#include "fem/spread.h"

static void stiffness_row(const void *user, uint32_t v, float share, float *row) {
  const SupSimDef *def = (const SupSimDef *)user;
  const SupSkin *skin = &def->character->skin;
  float factor = def->vertex_stiffness ? def->vertex_stiffness[v] : 1;
  if (def->bone_stiffness) {
    float mean = 0;
    for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
      mean += skin->weights[k] * def->bone_stiffness[skin->bones[k]];
    }
    factor *= mean;
  }
  row[0] += share * factor;
}

/* Factors on Young's modulus per tetrahedron; NULL where they are all 1. */
static SupResult spread_stiffness(SupArena *arena, const SupSimDef *def, const SupFill *fill,
                                  double **out_factors, SupError *error) {
  *out_factors = NULL;
  if (!def->vertex_stiffness && !def->bone_stiffness) return SUP_OK;
  const SupTetMesh *mesh = &fill->mesh;
  float *rows = SUP_ALLOC(arena, float, mesh->node_count);
  double *factors = SUP_ALLOC(arena, double, mesh->tet_count);
  if (!rows || !factors) return sup_fail(error, SUP_ERROR_MEMORY, "simulating: out of memory");
  SupResult result = sup_spread(arena, fill, 1, stiffness_row, def, rows, error);
  if (result != SUP_OK) return result;
  for (uint32_t t = 0; t < mesh->tet_count; t++) {
    double sum = 0;
    for (size_t a = 0; a < 4; a++) sum += (double)rows[mesh->tets[4 * (size_t)t + a]];
    factors[t] = sum > 0.04 ? sum / 4 : 0.01; /* flesh of no stiffness at all cannot be solved */
  }
  *out_factors = factors;
  return SUP_OK;
}

/* The bone with the greatest weight over the four nodes. */
static uint32_t main_bone(const SupFill *fill, const SupAttachment *attachment, uint32_t t) {
  uint32_t best = 0;
  float most = -1;
  const uint32_t *nodes = fill->mesh.tets + 4 * (size_t)t;
  for (size_t i = 0; i < 4 * SUP_ATTACH_BONES; i++) {
    uint32_t bone =
        attachment
            ->bones[SUP_ATTACH_BONES * (size_t)nodes[i / SUP_ATTACH_BONES] + i % SUP_ATTACH_BONES];
    float sum = 0;
    for (size_t a = 0; a < 4; a++) {
      size_t at = SUP_ATTACH_BONES * (size_t)nodes[a];
      for (size_t k = at; k < at + SUP_ATTACH_BONES; k++) {
        if (attachment->bones[k] == bone) sum += attachment->weights[k];
      }
    }
    if (sum > most || (sum == most && bone < best)) {
      most = sum;
      best = bone;
    }
  }
  return best;
}

SupResult sup_tissue_create(SupArena *arena, const SupSimDef *def, const SupFill *fill,
                            const SupAttachment *attachment, SupTissue *out_tissue,
                            SupError *error) {
  SupTissue tissue = {.materials = &def->material, .material_count = 1};
  if (def->bone_materials) {
    tissue.materials = def->bone_materials;
    tissue.material_count = def->character->skeleton.bone_count;
    tissue.material_of = SUP_ALLOC(arena, uint32_t, fill->mesh.tet_count);
    if (!tissue.material_of) return sup_fail(error, SUP_ERROR_MEMORY, "simulating: out of memory");
    for (uint32_t t = 0; t < fill->mesh.tet_count; t++) {
      tissue.material_of[t] = main_bone(fill, attachment, t);
    }
  }
  SupResult result = spread_stiffness(arena, def, fill, &tissue.factors, error);
  if (result == SUP_OK) *out_tissue = tissue;
  return result;
}
