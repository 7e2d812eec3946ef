/* SPDX-License-Identifier: MIT */
/*
 * The control mesh: vertices are the features of patches, faces the patches.
 *
 * Guo 2007 has a control vertex follow the joints nearest to it with weights 1 / distance; a vertex
 * in the middle of a bone then takes half of the next joint's rotation. Ours has the body's weights
 * at the feature, unless `literal` asks for the thesis's.
 */
#include <math.h>

#include "train/envelope/envelope_work.h"

#define LEAST_WEIGHT 1e-3

static uint32_t feature_at(const SupEnvelopeLearned *l, uint32_t cut_vertex) {
  for (uint32_t f = 0; f < l->patches_def->feature_count; f++) {
    if (l->patches->features[f] == cut_vertex) return f;
  }
  return SUP_NONE;
}

/* ---- Vertices and faces ---------------------------------------------------------------------- */

static SupResult number_vertices(EnvelopeWork *w) {
  SupEnvelopeLearned *l = w->learned;
  EnvelopeControl *c = &l->control;
  const uint32_t features = l->patches_def->feature_count;
  c->features = SUP_ALLOC(w->arena, uint32_t, features);
  c->of_feature = SUP_ALLOC(w->arena, uint32_t, features);
  if (!c->features || !c->of_feature) return sup_fail_memory(w->error, "envelope");
  for (uint32_t f = 0; f < features; f++) c->of_feature[f] = SUP_NONE;
  for (uint32_t p = 0; p < l->patch_count; p++) {
    const SupPatch *patch = &l->patches->patches[p];
    EnvelopePatch *face = &l->faces[p];
    face->corner_count = patch->side_count;
    face->corners = SUP_ALLOC(w->arena, uint32_t, patch->side_count);
    if (!face->corners) return sup_fail_memory(w->error, "envelope");
    for (uint32_t s = 0; s < patch->side_count; s++) {
      const uint32_t f = feature_at(l, patch->loop[patch->corners[s]]);
      if (c->of_feature[f] == SUP_NONE) {
        c->of_feature[f] = c->count;
        c->features[c->count++] = f;
      }
      face->corners[s] = c->of_feature[f];
    }
  }
  return SUP_OK;
}

/* ---- Weights --------------------------------------------------------------------------------- */

static void add_skin(const SupSkin *skin, uint32_t vertex, double share, double *io_weights) {
  for (uint32_t k = skin->offsets[vertex]; k < skin->offsets[vertex + 1]; k++) {
    io_weights[skin->bones[k]] += share * (double)skin->weights[k];
  }
}

/* 1 / distance of the nearest joints of the dress shape. */
static void add_nearest(const EnvelopeFigure *f, SupVec3d at, uint32_t count, double *out_weights) {
  const SupSkeleton *s = &f->character->skeleton;
  for (uint32_t k = 0; k < count; k++) {
    uint32_t best = SUP_NONE;
    double least = 0;
    for (uint32_t j = 0; j < s->joint_count; j++) {
      const uint32_t b = f->bones[j];
      if (b == SUP_NONE || out_weights[b] > 0) continue;
      const SupVec3d joint =
          sup_affined_point(f->palettes[b], sup_affined_translation(f->binds[j]));
      const double d = sup_vec3d_distance(joint, at);
      if (best == SUP_NONE || d < least) best = b, least = d;
    }
    if (best == SUP_NONE) return;
    out_weights[best] = 1 / (least > 1e-6 * f->size ? least : 1e-6 * f->size);
  }
}

static uint32_t keep_weights(EnvelopeControl *c, uint32_t bone_count, const double *weights,
                             uint32_t used) {
  double most = 0, sum = 0;
  const uint32_t first = used;
  for (uint32_t b = 0; b < bone_count; b++) most = weights[b] > most ? weights[b] : most;
  for (uint32_t b = 0; b < bone_count; b++) {
    if (!(weights[b] > LEAST_WEIGHT * most)) continue;
    c->bones[used] = b;
    c->weights[used++] = weights[b];
    sum += weights[b];
  }
  for (uint32_t k = first; k < used; k++) c->weights[k] /= sum;
  return used;
}

static SupResult weigh(EnvelopeWork *w) {
  SupEnvelopeLearned *l = w->learned;
  EnvelopeControl *c = &l->control;
  const EnvelopeFigure *f = &l->figure;
  const uint32_t bones = f->character->skeleton.bone_count;
  const uint32_t influences = f->character->skin.influence_max;
  const uint32_t nearest = l->settings.nearest_count;
  const uint32_t most = 2 * influences > nearest ? 2 * influences : nearest;
  double *weights = SUP_ALLOC(w->scratch, double, bones);
  uint32_t used = 0;
  c->offsets = SUP_ALLOC(w->arena, uint32_t, (size_t)c->count + 1);
  c->bones = SUP_ALLOC(w->arena, uint32_t, (size_t)c->count * most);
  c->weights = SUP_ALLOC(w->arena, double, (size_t)c->count *most);
  if (!weights || !c->offsets || !c->bones || !c->weights) {
    return sup_fail_memory(w->error, "envelope");
  }
  for (uint32_t v = 0; v < c->count; v++) {
    const SupSkinPoint at = l->patches_def->features[c->features[v]].at;
    for (uint32_t b = 0; b < bones; b++) weights[b] = 0;
    if (l->settings.literal) {
      add_nearest(f, sup_envelope_place(f, 0, at), nearest, weights);
    } else {
      add_skin(&f->character->skin, at.a, 1 - at.t, weights);
      if (at.b != at.a) add_skin(&f->character->skin, at.b, at.t, weights);
    }
    used = keep_weights(c, bones, weights, used);
    c->offsets[v + 1] = used;
  }
  return SUP_OK;
}

/* ---- Shapes ---------------------------------------------------------------------------------- */

static void read_shape(SupEnvelopeLearned *l, uint32_t shape) {
  EnvelopeControl *c = &l->control;
  for (uint32_t v = 0; v < c->count; v++) {
    const SupSkinPoint at = l->patches_def->features[c->features[v]].at;
    c->shapes[(size_t)shape * c->count + v] = sup_envelope_place(&l->figure, shape, at);
  }
}

SupResult sup_envelope_control_mesh(EnvelopeWork *w) {
  SupEnvelopeLearned *l = w->learned;
  EnvelopeControl *c = &l->control;
  SupResult result = number_vertices(w);
  if (result == SUP_OK) result = weigh(w);
  if (result != SUP_OK) return result;
  c->shapes = SUP_ALLOC(w->arena, SupVec3d, (size_t)l->figure.shape_count * c->count);
  if (!c->shapes) return sup_fail_memory(w->error, "envelope");
  read_shape(l, 0);
  return SUP_OK;
}

void sup_envelope_read_shapes(EnvelopeWork *w) {
  for (uint32_t i = 1; i < w->learned->figure.held_count; i++) read_shape(w->learned, i);
}

/* ---- Edits ----------------------------------------------------------------------------------- */

static bool is_corner(const SupPatches *patches, uint32_t feature) {
  for (uint32_t p = 0; p < patches->patch_count; p++) {
    const SupPatch *patch = &patches->patches[p];
    for (uint32_t s = 0; s < patch->side_count; s++) {
      if (patch->loop[patch->corners[s]] == patches->features[feature]) return true;
    }
  }
  return false;
}

static uint32_t feature_named(const SupPatchesDef *def, const char *name) {
  uint32_t f = 0;
  while (f < def->feature_count && !sup_string_equal(def->features[f].name, name)) f++;
  return f < def->feature_count ? f : SUP_NONE;
}

static SupResult check_edit(const SupPatchesDef *def, const SupPatches *patches,
                            uint32_t shape_count, const SupEnvelopeEdit *edit, SupError *error) {
  const uint32_t f = feature_named(def, edit->feature);
  if (f == SUP_NONE || !is_corner(patches, f)) {
    char hint[160];
    const char *near = sup_nearest_member(edit->feature, &def->features[0].name,
                                          sizeof *def->features, def->feature_count);
    return sup_fail(error, SUP_ERROR_ARGUMENT, "no patch has a feature '%s' to be moved%s",
                    edit->feature,
                    sup_did_you_mean(hint, sizeof hint, f == SUP_NONE ? near : NULL));
  }
  if (edit->shape >= shape_count) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "feature '%s' is to be moved in shape %u; there are %u", edit->feature,
                    edit->shape, shape_count);
  }
  if (isfinite(edit->move.x) && isfinite(edit->move.y) && isfinite(edit->move.z)) return SUP_OK;
  return sup_fail(error, SUP_ERROR_ARGUMENT,
                  "feature '%s' is to be moved by a number that is not finite", edit->feature);
}

SupResult sup_envelope_check_edits(const SupPatchesDef *def, const SupPatches *patches,
                                   uint32_t shape_count, uint32_t edit_count,
                                   const SupEnvelopeEdit *edits, SupError *error) {
  SupResult result = SUP_OK;
  for (uint32_t e = 0; e < edit_count && result == SUP_OK; e++) {
    result = check_edit(def, patches, shape_count, &edits[e], error);
    for (uint32_t i = 0; i < e && result == SUP_OK; i++) {
      if (edits[i].shape != edits[e].shape ||
          !sup_string_equal(edits[i].feature, edits[e].feature)) {
        continue;
      }
      result = sup_fail(error, SUP_ERROR_ARGUMENT, "feature '%s' is moved twice in one shape",
                        edits[e].feature);
    }
  }
  return result;
}

uint32_t sup_envelope_edited(const SupEnvelopeLearned *l, const SupEnvelopeEdit *edit) {
  return l->control.of_feature[feature_named(l->patches_def, edit->feature)];
}

void sup_envelope_edit_shapes(EnvelopeWork *w, uint32_t count, const SupEnvelopeEdit *edits) {
  SupEnvelopeLearned *l = w->learned;
  for (uint32_t e = 0; e < count; e++) {
    const uint32_t shape = edits[e].shape, vertex = sup_envelope_edited(l, &edits[e]);
    SupVec3d *at = &l->control.shapes[(size_t)shape * l->control.count + vertex];
    const SupVec3d move = sup_vec3_to_double(edits[e].move);
    *at = sup_vec3d_add(*at, sup_affined_direction(l->figure.roots[shape], move));
  }
}
