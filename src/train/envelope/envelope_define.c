/* SPDX-License-Identifier: MIT */
/* What was learned as the floats of a SupEnvelopeDef, and its report. */
#include "train/envelope/envelope_work.h"

typedef struct Defining {
  EnvelopeWork *work;
  SupEnvelopeLearned *l;
  uint32_t *numbers; /* [angle count] of those that are used, or SUP_NONE */
  SupEnvelopeDef def;
} Defining;

static float *floats(SupArena *arena, size_t count, const double *from) {
  float *to = SUP_ALLOC(arena, float, count);
  for (size_t k = 0; to && k < count; k++) to[k] = (float)from[k];
  return to;
}

/* ---- Angles ---------------------------------------------------------------------------------- */

static void use(Defining *d, uint32_t angle) {
  if (d->numbers[angle] == SUP_NONE) d->numbers[angle] = 0;
}

static SupResult define_angles(Defining *d, const SupEnvelopeLearned *residuals) {
  const SupEnvelopeLearned *l = d->l;
  d->numbers = SUP_ALLOC(d->work->scratch, uint32_t, l->angles.count);
  SupEnvelopeAngle *angles = SUP_ALLOC(d->work->arena, SupEnvelopeAngle, l->angles.count);
  if (!d->numbers || !angles) return sup_fail_memory(d->work->error, "envelope");
  for (uint32_t a = 0; a < l->angles.count; a++) d->numbers[a] = SUP_NONE;
  for (uint32_t b = 0; b < l->control.blend_count; b++) {
    const EnvelopeBlend *blend = &l->control.list[b];
    for (uint32_t k = 0; k < blend->angle_count; k++) use(d, blend->angles[k]);
  }
  for (uint32_t v = 0; v < l->control.count; v++) {
    if (l->control.revisions[v].bone != SUP_NONE) use(d, l->control.revisions[v].angle);
  }
  for (uint32_t p = 0; p < l->patch_count; p++) {
    const EnvelopePatch *from = &residuals->faces[l->faces[p].source];
    for (uint32_t k = 0; from->has_residual && k < from->residual.angle_count; k++) {
      use(d, from->residual.angles[k]);
    }
  }
  for (uint32_t a = 0; a < l->angles.count; a++) {
    const EnvelopeAngle *from = &l->angles.angles[a];
    if (d->numbers[a] == SUP_NONE) continue;
    d->numbers[a] = d->def.angle_count;
    angles[d->def.angle_count++] = (SupEnvelopeAngle){from->joint, from->rest, from->axis,
                                                      (float)from->low, (float)from->high};
  }
  d->def.angles = angles;
  return SUP_OK;
}

static uint32_t *angle_numbers(const Defining *d, uint32_t count, const uint32_t *angles) {
  uint32_t *to = SUP_ALLOC(d->work->arena, uint32_t, count);
  for (uint32_t k = 0; to && k < count; k++) to[k] = d->numbers[angles[k]];
  return to;
}

/* ---- The control mesh ------------------------------------------------------------------------ */

static SupResult define_blends(Defining *d) {
  const EnvelopeControl *c = &d->l->control;
  SupArena *arena = d->work->arena;
  const uint32_t shapes = d->l->figure.shape_count;
  SupEnvelopeBlend *blends = SUP_ALLOC(arena, SupEnvelopeBlend, c->blend_count);
  if (!blends) return sup_fail_memory(d->work->error, "envelope");
  for (uint32_t k = 0; k < c->blend_count; k++) {
    const EnvelopeBlend *b = &c->list[k];
    SupEnvelopeBlend *to = &blends[k];
    *to = (SupEnvelopeBlend){
        .angle_count = b->angle_count,
        .angles = angle_numbers(d, b->angle_count, b->angles),
        .inverse_sigma = (float)(1 / b->sigma),
        .centre_count = b->centre_count,
        .centres = floats(arena, (size_t)b->centre_count * b->angle_count, b->centres),
        .cardinal = b->cardinal,
        .centre_of_shape = b->centre_of_shape,
        .share_of_shape = floats(arena, shapes, b->share_of_shape)};
    if (!to->angles || !to->centres || !to->share_of_shape) {
      return sup_fail_memory(d->work->error, "envelope");
    }
  }
  d->def.blend_count = c->blend_count;
  d->def.blends = blends;
  d->def.control_blends = c->blends;
  return SUP_OK;
}

/* Where a control vertex of a shape is for a bone. */
static SupVec3 point_for(const SupEnvelopeLearned *l, uint32_t vertex, uint32_t shape,
                         uint32_t bone) {
  const EnvelopeFigure *f = &l->figure;
  const SupAffined palette = f->palettes[(size_t)shape * f->character->skeleton.bone_count + bone];
  const SupVec3d at = l->control.shapes[(size_t)shape * l->control.count + vertex];
  return sup_vec3d_to_float(sup_affined_point(sup_affined_inverse(palette), at));
}

static SupResult define_influences(Defining *d) {
  const SupEnvelopeLearned *l = d->l;
  const EnvelopeControl *c = &l->control;
  const uint32_t shapes = l->figure.shape_count, used = c->offsets[c->count];
  SupEnvelopeInfluence *influences = SUP_ALLOC(d->work->arena, SupEnvelopeInfluence, used);
  SupVec3 *points = SUP_ALLOC(d->work->arena, SupVec3, (size_t)used * shapes);
  if (!influences || !points) return sup_fail_memory(d->work->error, "envelope");
  for (uint32_t v = 0; v < c->count; v++) {
    for (uint32_t k = c->offsets[v]; k < c->offsets[v + 1]; k++) {
      influences[k] = (SupEnvelopeInfluence){c->bones[k], (float)c->weights[k]};
      for (uint32_t i = 0; i < shapes; i++) {
        points[(size_t)k * shapes + i] = point_for(l, v, i, c->bones[k]);
      }
    }
  }
  d->def.control_count = c->count;
  d->def.influence_offsets = c->offsets;
  d->def.influences = influences;
  d->def.influence_points = points;
  return SUP_OK;
}

static SupResult define_revisions(Defining *d) {
  const SupEnvelopeLearned *l = d->l;
  const uint32_t shapes = l->figure.shape_count, count = l->control.count;
  SupEnvelopeRevision *revisions = SUP_ALLOC(d->work->arena, SupEnvelopeRevision, count);
  SupVec3 *points = SUP_ALLOC(d->work->arena, SupVec3, (size_t)count * shapes);
  float *angles = SUP_ALLOC(d->work->arena, float, (size_t)count *shapes);
  if (!revisions || !points || !angles) return sup_fail_memory(d->work->error, "envelope");
  for (uint32_t v = 0; v < count; v++) {
    const EnvelopeRevision *r = &l->control.revisions[v];
    revisions[v] = (SupEnvelopeRevision){
        .bone = SUP_ENVELOPE_NONE, .axis = {1, 0, 0}, .most = (float)l->settings.most};
    if (r->bone == SUP_NONE) continue;
    revisions[v].bone = r->bone;
    revisions[v].centre = sup_vec3d_to_float(r->centre);
    revisions[v].axis = sup_vec3_normalise(sup_vec3d_to_float(r->axis));
    revisions[v].angle = d->numbers[r->angle];
    revisions[v].strength = (float)r->strength;
    for (uint32_t i = 0; i < shapes; i++) {
      points[(size_t)v * shapes + i] = point_for(l, v, i, r->bone);
      angles[(size_t)v * shapes + i] = (float)l->angles.angles[r->angle].values[i];
    }
  }
  d->def.revisions = revisions;
  d->def.revision_points = points;
  d->def.revision_angles = angles;
  return SUP_OK;
}

/* ---- Patches --------------------------------------------------------------------------------- */

/* Weights as floats whose sum is 1 as nearly as floats have it. */
static SupResult define_patch(Defining *d, EnvelopePatch *p, const EnvelopePatch *from,
                              SupEnvelopePatch *to) {
  SupArena *arena = d->work->arena;
  uint32_t *vertices = SUP_ALLOC(arena, uint32_t, p->count);
  SupVec3 *offsets = SUP_ALLOC(arena, SupVec3, p->count);
  *to = (SupEnvelopePatch){
      .name = p->name,
      .corner_count = p->corner_count,
      .corners = p->corners,
      .vertex_count = p->count,
      .border_count = p->border_count,
      .vertices = vertices,
      .seams = p->seams,
      .corner_weights = floats(arena, (size_t)p->count * p->corner_count, p->weights),
      .offsets = offsets,
      .spread = p->spread};
  if (!vertices || !offsets || !to->corner_weights) {
    return sup_fail_memory(d->work->error, "envelope");
  }
  for (uint32_t v = 0; v < p->count; v++) {
    vertices[v] = p->points[v].a == p->points[v].b ? p->points[v].a : SUP_ENVELOPE_NONE;
    offsets[v] = sup_vec3d_to_float(p->offsets[v]);
    p->report.vertex_count += vertices[v] != SUP_ENVELOPE_NONE;
  }
  if (!p->field_count) return SUP_OK;
  to->field_count = p->field_count;
  to->fields = p->fields;
  to->angle_count = from->residual.angle_count;
  to->angles = angle_numbers(d, to->angle_count, from->residual.angles);
  to->samples = p->samples;
  to->tables = p->tables;
  return to->angles ? SUP_OK : sup_fail_memory(d->work->error, "envelope");
}

static SupResult define_patches(Defining *d, const SupEnvelopeLearned *residuals) {
  SupEnvelopeLearned *l = d->l;
  SupEnvelopePatch *patches = SUP_ALLOC(d->work->arena, SupEnvelopePatch, l->patch_count);
  float *strengths = SUP_ALLOC(d->work->arena, float, l->patch_count);
  SupResult result = SUP_OK;
  if (!patches || !strengths) return sup_fail_memory(d->work->error, "envelope");
  for (uint32_t p = 0; p < l->patch_count && result == SUP_OK; p++) {
    result = define_patch(d, &l->faces[p], &residuals->faces[l->faces[p].source], &patches[p]);
    strengths[p] = l->faces[p].strength;
  }
  d->def.seam_count = l->seam_count;
  d->def.seams = l->seams;
  d->def.patch_count = l->patch_count;
  d->def.patches = patches;
  d->def.strengths = strengths;
  return result;
}

/* ---- Where it comes from ---------------------------------------------------------------------
 */

static SupResult define_origin(Defining *d) {
  const SupEnvelopeLearned *l = d->l;
  const uint32_t controls = l->control.count, shapes = l->figure.shape_count;
  const char **names = SUP_ALLOC(d->work->arena, const char *, (size_t)controls + shapes);
  if (!names) return sup_fail_memory(d->work->error, "envelope");
  for (uint32_t v = 0; v < controls; v++) {
    names[v] = l->patches_def->features[l->control.features[v]].name;
  }
  for (uint32_t i = 0; i < shapes; i++) {
    names[controls + i] = i ? l->settings.examples[i - 1].name : "";
  }
  d->def.control_names = names;
  d->def.shape_names = names + controls;
  d->def.shape_poses = l->figure.poses;
  return SUP_OK;
}

/* ---- The report ------------------------------------------------------------------------------ */

static uint32_t count_moved(const Defining *d) {
  const SupEnvelopeLearned *l = d->l;
  const uint32_t count = l->figure.character->body.vertex_count;
  uint8_t *moved = SUP_ALLOC(d->work->scratch, uint8_t, count);
  uint32_t sum = 0;
  for (uint32_t p = 0; moved && p < l->patch_count; p++) {
    const SupEnvelopePatch *patch = &d->def.patches[p];
    for (uint32_t v = 0; v < patch->vertex_count; v++) {
      if (patch->vertices[v] != SUP_ENVELOPE_NONE) moved[patch->vertices[v]] = 1;
    }
  }
  for (uint32_t v = 0; moved && v < count; v++) sum += moved[v];
  return sum;
}

static SupResult report(const Defining *d, SupEnvelopeTrainReport *out) {
  const SupEnvelopeLearned *l = d->l;
  SupEnvelopePatchReport *patches =
      SUP_ALLOC(d->work->arena, SupEnvelopePatchReport, l->patch_count);
  const char **notes = SUP_ALLOC(d->work->arena, const char *, l->note_count);
  uint32_t used = 0;
  if (!patches || !notes) return sup_fail_memory(d->work->error, "envelope");
  *out = (SupEnvelopeTrainReport){.control_count = d->def.control_count,
                                  .angle_count = d->def.angle_count,
                                  .blend_count = d->def.blend_count,
                                  .seam_count = d->def.seam_count,
                                  .open_count = l->open_count,
                                  .moved_count = count_moved(d),
                                  .patch_count = l->patch_count,
                                  .patches = patches,
                                  .note_count = l->note_count,
                                  .notes = notes};
  for (const EnvelopeNote *n = l->notes; n; n = n->next) notes[used++] = n->text;
  for (uint32_t p = 0; p < l->patch_count; p++) {
    patches[p] = l->faces[p].report;
    patches[p].name = l->faces[p].name;
    if (patches[p].left > out->left) out->left = patches[p].left;
  }
  return SUP_OK;
}

SupResult sup_envelope_define(EnvelopeWork *w, const SupEnvelopeLearned *residuals,
                              SupEnvelopeTrained *out) {
  SupEnvelopeLearned *l = w->learned;
  Defining d = {.work = w, .l = l, .def = sup_envelope_def()};
  SupEnvelopeTrained trained = {.learned = l, .from = &l->settings};
  d.def.root = l->figure.root;
  d.def.shape_count = l->figure.shape_count;
  SupResult result = define_angles(&d, residuals);
  if (result == SUP_OK) result = define_blends(&d);
  if (result == SUP_OK) result = define_influences(&d);
  if (result == SUP_OK) result = define_revisions(&d);
  if (result == SUP_OK) result = define_patches(&d, residuals);
  if (result == SUP_OK) result = define_origin(&d);
  if (result == SUP_OK) result = report(&d, &trained.report);
  if (result != SUP_OK) return result;
  trained.def = d.def;
  *out = trained;
  return SUP_OK;
}
