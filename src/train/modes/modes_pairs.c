/* SPDX-License-Identifier: MIT */
/*
 * How the bones' accelerations push the modes.
 *
 * A node at X in rest space follows its bones to g = sum_b w_b M_b (X, 1); its offset is carried by
 * the frame R = sum_c w_c L_c, L the linear parts. The force of inertia in that frame is
 * -m (R / scale)^T g'', so mode k feels
 *
 *   -sum_n m phi . (R / scale)^T g''  =  -sum_{c, b} <D_cb, L_c^T M_b''>,
 *   D_cb = sum_n m w_c w_b (phi / scale) (X, 1)^T
 *
 * bilinear in the bones: no node is left. D is symmetric in c and b.
 */
#include "train/modes/modes_volume.h"

#define ELEMENTS 12

typedef struct Influence {
  uint32_t bone;
  double weight;
} Influence;

/* The bones of a node, each once; returns their number. */
static uint32_t influences_of(const ModesVolume *volume, uint32_t node,
                              Influence out[SUP_ATTACH_BONES]) {
  const SupAttachment *attachment = &volume->attachment;
  uint32_t count = 0;
  for (size_t k = SUP_ATTACH_BONES * (size_t)node; k < SUP_ATTACH_BONES * ((size_t)node + 1); k++) {
    const double weight = (double)attachment->weights[k];
    if (!(weight > 0)) continue;
    uint32_t i = 0;
    while (i < count && out[i].bone != attachment->bones[k]) i++;
    if (i == count) out[count++] = (Influence){attachment->bones[k], 0};
    out[i].weight += weight;
  }
  return count;
}

/* Marks table[c * bones + b], c <= b, for the pairs that occur; returns their number. */
static uint32_t mark_pairs(const ModesVolume *volume, uint32_t bones, uint32_t *table) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < volume->body.free_count; i++) {
    Influence own[SUP_ATTACH_BONES];
    const uint32_t n = influences_of(volume, volume->body.free_nodes[i], own);
    for (uint32_t a = 0; a < n; a++) {
      for (uint32_t z = 0; z < n; z++) {
        if (own[a].bone > own[z].bone) continue;
        uint32_t *entry = &table[(size_t)own[a].bone * bones + own[z].bone];
        count += *entry == 0;
        *entry = 1;
      }
    }
  }
  return count;
}

static void add_node(const ModesVolume *volume, uint32_t i, uint32_t bones, const uint32_t *table,
                     ModesDrive *drive) {
  const uint32_t node = volume->body.free_nodes[i];
  const SupVec3d X = volume->fill.mesh.nodes[node];
  const double x[4] = {X.x, X.y, X.z, 1}, mass = volume->body.masses[node] / volume->scale;
  Influence own[SUP_ATTACH_BONES];
  const uint32_t n = influences_of(volume, node, own);
  for (uint32_t a = 0; a < n; a++) {
    for (uint32_t z = 0; z < n; z++) {
      if (own[a].bone > own[z].bone) continue;
      const uint32_t pair = table[(size_t)own[a].bone * bones + own[z].bone];
      const double fraction = mass * own[a].weight * own[z].weight;
      for (uint32_t k = 0; k < volume->mode_count; k++) {
        const SupVec3d phi = sup_vec3d_scale(modes_at_node(volume, k, i), fraction);
        double *to = drive->tensors + ELEMENTS * ((size_t)k * drive->pair_count + pair);
        for (int j = 0; j < 4; j++) {
          to[3 * j] += phi.x * x[j];
          to[3 * j + 1] += phi.y * x[j];
          to[3 * j + 2] += phi.z * x[j];
        }
      }
    }
  }
}

SupResult sup_modes_pairs(SupArena *arena, const ModesVolume *volume, ModesDrive *out_drive,
                          SupError *error) {
  const uint32_t bones = volume->character->skeleton.bone_count;
  ModesDrive drive = {0};
  uint32_t *table = SUP_ALLOC(arena, uint32_t, (size_t)bones * bones);
  if (table) drive.pair_count = mark_pairs(volume, bones, table);
  drive.pairs = SUP_ALLOC(arena, uint32_t, 2 * (size_t)drive.pair_count);
  drive.tensors = SUP_ALLOC(arena, double, (size_t)ELEMENTS *drive.pair_count * volume->mode_count);
  if (!table || !drive.pairs || !drive.tensors) {
    return sup_fail_memory(error, "modes");
  }
  uint32_t next = 0;
  for (uint32_t c = 0; c < bones; c++) {
    for (uint32_t b = c; b < bones; b++) {
      uint32_t *entry = &table[(size_t)c * bones + b];
      if (!*entry) continue;
      *entry = next;
      drive.pairs[2 * next] = c;
      drive.pairs[2 * next + 1] = b;
      next++;
    }
  }
  for (uint32_t i = 0; i < volume->body.free_count; i++) add_node(volume, i, bones, table, &drive);
  *out_drive = drive;
  return SUP_OK;
}
