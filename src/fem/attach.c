/* SPDX-License-Identifier: MIT */
/*
 * Flesh hangs on its bones by ties (find_ties.c); what is locked is held.
 *
 * Skin weights reach the nodes through the volume (harmonic_field.h), so that those of one thigh
 * never leak into the other.
 */
#include "supple/fem/attach.h"

#include "base/union_find.h"
#include "fem/find_ties.h"
#include "fem/harmonic_field.h"

/* Of the skin around a node: from where on what is left of it is not seen. */
#define PLAIN 0.9f

typedef struct Work {
  SupArena *arena;
  const SupCharacter *character;
  const SupFill *fill;
  SupGroups groups;
  SupInside *insides; /* [groups.count] */
  uint32_t bone_count;
  float *field;  /* [node_count * bone_count] weights, dense */
  uint8_t *held; /* [node_count] how */
} Work;

/* A skin vertex's weights as a dense row. */
static void weights_row(const void *user, uint32_t v, float fraction, float *row) {
  const SupSkin *skin = (const SupSkin *)user;
  for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
    row[skin->bones[k]] += fraction * skin->weights[k];
  }
}

/* ---- Which nodes are held ------------------------------------------------------------------- */

/* Nodes most of whose skin is locked: at its border flesh begins. */
static bool hold_locked(Work *w, const float *lock) {
  const SupFill *fill = w->fill;
  uint32_t *all = SUP_ALLOC(w->arena, uint32_t, fill->mesh.node_count);
  uint32_t *locked = SUP_ALLOC(w->arena, uint32_t, fill->mesh.node_count);
  if (!all || !locked) return false;
  for (uint32_t v = 0; v < w->character->body.vertex_count; v++) {
    const uint32_t *nodes = fill->mesh.tets + 4 * (size_t)fill->embedding.tets[v];
    for (int a = 0; a < 4; a++) {
      all[nodes[a]]++;
      locked[nodes[a]] += lock[v] > 0.5f;
    }
  }
  for (uint32_t n = 0; n < fill->mesh.node_count; n++) {
    if (4 * locked[n] > 3 * all[n]) w->held[n] = SUP_HELD_LOCKED;
  }
  return true;
}

/* How much of plain skinning a vertex shows. */
static void thin_row(const void *user, uint32_t v, float fraction, float *row) {
  row[0] += fraction * ((const float *)user)[v];
}

/* Flesh none of which is shown, since all skin around it follows its bones, goes with them: where
 * bones that cross drag a hem or a wing through itself, no element of it has a shape to be in. At
 * its border to flesh that is seen nodes stay free, so that neither side crushes the other. */
static SupResult hold_plain(Work *w, const float *thin, SupAttachment *io, SupError *error) {
  const SupTetMesh *mesh = &w->fill->mesh;
  float *field = SUP_ALLOC(w->arena, float, mesh->node_count);
  uint8_t *seen = SUP_ALLOC(w->arena, uint8_t, mesh->node_count);
  uint8_t *unseen = SUP_ALLOC(w->arena, uint8_t, mesh->tet_count);
  if (!field || !seen || !unseen) return sup_fail_memory(error, "attaching");
  SupResult result = sup_harmonic_field(w->arena, w->fill, 1, thin_row, thin, field, error);
  if (result != SUP_OK) return result;
  for (uint32_t t = 0; t < mesh->tet_count; t++) {
    const uint32_t *n = mesh->tets + 4 * (size_t)t;
    unseen[t] = 1;
    for (int a = 0; a < 4; a++) unseen[t] &= field[n[a]] > PLAIN;
    for (int a = 0; a < 4 && !unseen[t]; a++) seen[n[a]] = 1;
  }
  for (uint32_t n = 0; n < mesh->node_count; n++) {
    if (!seen[n]) w->held[n] = SUP_HELD_LOCKED;
  }
  io->unseen = unseen;
  return SUP_OK;
}

/* A piece that nothing ties to a bone would fall: it is held whole. */
static bool hold_loose_pieces(Work *w, const SupAttachment *ties, uint32_t *out_pieces) {
  const SupTetMesh *mesh = &w->fill->mesh;
  uint32_t *parents = SUP_ALLOC(w->arena, uint32_t, mesh->node_count);
  uint8_t *safe = SUP_ALLOC(w->arena, uint8_t, mesh->node_count);
  if (!parents || !safe) return false;
  sup_union_find_init(parents, mesh->node_count);
  for (uint32_t t = 0; t < mesh->tet_count; t++) {
    for (uint32_t a = 1; a < 4; a++) {
      sup_union_find_join(parents, mesh->tets[4 * (size_t)t], mesh->tets[4 * (size_t)t + a]);
    }
  }
  for (uint32_t n = 0; n < mesh->node_count; n++) {
    if (w->held[n]) safe[sup_union_find_root(parents, n)] = 1;
  }
  for (uint32_t k = 0; k < ties->tie_count; k++) {
    safe[sup_union_find_root(parents, mesh->tets[4 * (size_t)ties->ties[k].tet])] = 1;
  }
  for (uint32_t n = 0; n < mesh->node_count; n++) {
    uint32_t root = sup_union_find_root(parents, n);
    if (safe[root]) continue;
    w->held[n] = SUP_HELD_LOCKED;
    *out_pieces += n == root;
  }
  return true;
}

/* ---- The result ----------------------------------------------------------------------------- */

/* The largest entries of a row. */
static void pick_bones(const float *row, uint32_t bone_count, uint32_t *out_bones,
                       float *out_weights) {
  float sum = 0;
  for (uint32_t k = 0; k < SUP_ATTACH_BONES; k++) {
    uint32_t best = SUP_NONE;
    for (uint32_t b = 0; b < bone_count; b++) {
      bool taken = false;
      for (uint32_t i = 0; i < k; i++) taken |= out_bones[i] == b;
      if (!taken && (best == SUP_NONE || row[b] > row[best])) best = b;
    }
    out_bones[k] = best == SUP_NONE ? 0 : best;
    out_weights[k] = best == SUP_NONE ? 0 : row[best];
    sum += out_weights[k];
  }
  for (uint32_t k = 0; k < SUP_ATTACH_BONES; k++) {
    out_weights[k] = sum > 0 ? out_weights[k] / sum : (k == 0 ? 1.0f : 0.0f);
  }
}

/* Weights for all nodes. */
static SupResult finish(Work *w, SupAttachment *io, SupAttachReport *report, SupError *error) {
  uint32_t nodes = w->fill->mesh.node_count;
  uint32_t *bones = SUP_ALLOC(w->arena, uint32_t, SUP_ATTACH_BONES * (size_t)nodes);
  float *weights = SUP_ALLOC(w->arena, float, SUP_ATTACH_BONES *(size_t)nodes);
  if (!bones || !weights) return sup_fail_memory(error, "attaching");
  for (uint32_t n = 0; n < nodes; n++) {
    size_t at = SUP_ATTACH_BONES * (size_t)n;
    pick_bones(w->field + (size_t)n * w->bone_count, w->bone_count, bones + at, weights + at);
    report->held_count += w->held[n] != SUP_HELD_NOT;
  }
  io->node_count = nodes;
  io->held = w->held;
  io->bones = bones;
  io->weights = weights;
  return SUP_OK;
}

/* Every group of the skin with its inside. */
static SupResult find_insides(Work *w, const float *lock, SupError *error) {
  const SupMesh *body = &w->character->body;
  SupResult result = sup_groups_find(w->arena, body, &w->character->skin, lock, &w->groups, error);
  if (result != SUP_OK) return result;
  w->insides = SUP_ALLOC(w->arena, SupInside, w->groups.count);
  SupMesh *meshes = SUP_ALLOC(w->arena, SupMesh, w->groups.count);
  if (!w->insides || !meshes) return sup_fail_memory(error, "attaching");
  for (uint32_t g = 0; g < w->groups.count && result == SUP_OK; g++) {
    const uint32_t *vertices;
    meshes[g] = *body;
    if (w->groups.count > 1) {
      result = sup_group_mesh(w->arena, body, &w->groups, g, &meshes[g], &vertices, error);
    }
    if (result == SUP_OK) result = sup_inside_create(w->arena, &meshes[g], &w->insides[g], error);
    w->insides[g].hollow = w->groups.sheets[g];
  }
  return result;
}

SupResult sup_attach(SupArena *arena, const SupCharacter *character, const SupFill *fill,
                     const SupAttachDef *def, SupAttachment *out_attachment,
                     SupAttachReport *out_report, SupError *error) {
  if (character->skeleton.bone_count == 0 || character->skin.vertex_count == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "the character has no skin; bind it to a skeleton first");
  }
  uint32_t nodes = fill->mesh.node_count;
  Work w = {.arena = arena, .character = character, .fill = fill};
  w.bone_count = character->skeleton.bone_count;
  w.field = SUP_ALLOC(arena, float, (size_t)nodes *w.bone_count);
  w.held = SUP_ALLOC(arena, uint8_t, nodes);
  if (!w.field || !w.held) return sup_fail_memory(error, "attaching");
  SupResult result = find_insides(&w, def->lock, error);
  if (result == SUP_OK) {
    result = sup_harmonic_field(arena, fill, w.bone_count, weights_row, &character->skin, w.field,
                                error);
  }
  SupAttachReport report = {0};
  SupAttachment attachment = {0};
  const SupTiesDef ties = {.character = character,
                           .fill = fill,
                           .groups = &w.groups,
                           .insides = w.insides,
                           .field = w.field,
                           .radius_fraction = def->radius_fraction,
                           .radius = def->radius,
                           .thin_flesh = def->thin_flesh,
                           .lock = def->lock};
  if (result == SUP_OK) result = sup_find_ties(arena, &ties, &attachment, &report, error);
  if (result != SUP_OK) return result;
  if (def->lock && !hold_locked(&w, def->lock)) return sup_fail_memory(error, "attaching");
  result = hold_plain(&w, attachment.thin, &attachment, error);
  if (result != SUP_OK) return result;
  if (!hold_loose_pieces(&w, &attachment, &report.loose_pieces)) {
    return sup_fail_memory(error, "attaching");
  }
  result = finish(&w, &attachment, &report, error);
  if (result != SUP_OK) return result;
  *out_attachment = attachment;
  *out_report = report;
  return SUP_OK;
}
