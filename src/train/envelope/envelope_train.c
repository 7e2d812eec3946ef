/* SPDX-License-Identifier: MIT */
/*
 * Learning an envelope (Guo 2007, chapter 3, corrected; docs/techniques/envelope.md).
 *
 *   poses, palettes and shapes without the root             envelope_figure.c
 *   turns of joints, and which of them matter where         envelope_angles.c
 *   the control mesh: vertices, faces, weights, shapes      envelope_control_mesh.c
 *   how its shapes are blended and kept off joints          envelope_blends.c
 *   the layered model in doubles                            envelope_layered.c
 *   patches: vertices, seams, coordinates, offsets          envelope_layout.c, envelope_spread.c
 *   residual functions of the examples                      envelope_residual.c
 *   ... as fields and tables                                envelope_tables.c
 *   another character                                       envelope_transfer.c
 *   the definition to pack, the report                      envelope_define.c
 */
#include <math.h>

#include "numerics/dense.h"
#include "train/envelope/envelope_work.h"

#define COOKIE SUP_FOURCC('e', 'n', 't', 'r')

const char *sup_envelope_residual_name(SupEnvelopeResidual residual) {
  static const char *const names[SUP_ENVELOPE_RESIDUAL_COUNT] = {"plate", "cubic", "psd"};
  return names[residual];
}

SupEnvelopeTrainDef sup_envelope_train_def(const SupCharacter *character) {
  return (SupEnvelopeTrainDef){.cookie = COOKIE,
                               .character = character,
                               .root = SUP_NONE,
                               .nearest_count = 3,
                               .revision = 1,
                               .most = 1.5,
                               .residual = SUP_ENVELOPE_THIN_PLATE,
                               .ease = 0.1,
                               .tolerance = 5e-4};
}

SupEnvelopePatchOption sup_envelope_patch_option(const char *patch) {
  return (SupEnvelopePatchOption){.patch = patch, .strength = 1};
}

/* ---- What was given -------------------------------------------------------------------------- */

static bool finite3(SupVec3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }

static SupResult check_example(const SupEnvelopeTrainDef *def, uint32_t index, SupError *error) {
  const SupEnvelopeExample *e = &def->examples[index];
  const SupSkeleton *s = &def->character->skeleton;
  if (!e->name || !e->positions) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "envelope: example %u has no name or no shape",
                    index);
  }
  for (uint32_t v = 0; v < def->character->body.vertex_count; v++) {
    if (finite3(e->positions[v])) continue;
    return sup_fail(error, SUP_ERROR_FORMAT,
                    "envelope: the position of vertex %u in example '%s' is not finite", v,
                    e->name);
  }
  for (uint32_t j = 0; e->pose && j < s->joint_count; j++) {
    const SupQuat q = e->pose[j].rotation;
    if (finite3(e->pose[j].translation) && finite3(e->pose[j].scale) &&
        isfinite(sup_quat_dot(q, q)) && sup_quat_dot(q, q) > 0) {
      continue;
    }
    return sup_fail(error, SUP_ERROR_FORMAT,
                    "envelope: the pose of joint '%s' in example '%s' is no transform", s->names[j],
                    e->name);
  }
  return SUP_OK;
}

static SupResult check_character(const SupCharacter *c, const SupPatchesDef *def,
                                 const SupPatches *patches, const SupPatchCharts *charts,
                                 SupError *error) {
  if (c->skeleton.bone_count == 0 || c->skin.vertex_count != c->body.vertex_count) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "the character has no skin; bind it to a skeleton first");
  }
  if (!def || !patches || !charts || patches->patch_count == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "envelope: the character has no patches");
  }
  if (def->mesh.vertex_count != c->body.vertex_count ||
      charts->patch_count != patches->patch_count || charts->vertex_count != c->body.vertex_count) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "envelope: the patches are not of this character");
  }
  return SUP_OK;
}

static SupResult check_settings(const SupEnvelopeTrainDef *def, SupError *error) {
  if (def->cookie != COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "envelope: start from sup_envelope_train_def()");
  }
  if (def->example_count == 0 || def->example_count > SUP_ENVELOPE_EXAMPLES_MAX) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "envelope: %u examples were given; 1 to %u can be learned from",
                    def->example_count, SUP_ENVELOPE_EXAMPLES_MAX);
  }
  if (!(def->sigma >= 0 && def->revision >= 0 && def->revision <= 1 && def->most >= 1 &&
        def->most <= 100 && def->ease > 0 && def->ease <= 1000 && def->ridge >= 0 &&
        def->tolerance >= 0 && def->tolerance < 1 && def->nearest_count > 0 &&
        def->nearest_count <= 64 && (uint32_t)def->residual < SUP_ENVELOPE_RESIDUAL_COUNT &&
        isfinite(def->sigma) && isfinite(def->ridge))) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "envelope: a setting is out of range");
  }
  if (def->root != SUP_NONE && def->root >= def->character->skeleton.joint_count) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "envelope: there is no joint %u to be the root",
                    def->root);
  }
  return SUP_OK;
}

static SupResult check(const SupEnvelopeTrainDef *def, SupError *error) {
  SupResult result = check_settings(def, error);
  if (result == SUP_OK) {
    result = check_character(def->character, def->patches_def, def->patches, def->charts, error);
  }
  for (uint32_t e = 0; e < def->example_count && result == SUP_OK; e++) {
    result = check_example(def, e, error);
  }
  if (result != SUP_OK) return result;
  return sup_envelope_check_edits(def->patches_def, def->patches, def->example_count + 1,
                                  def->edit_count, def->edits, error);
}

/* ---- Options --------------------------------------------------------------------------------- */

const SupEnvelopePatchOption *sup_envelope_option(const SupEnvelopeLearned *l, const char *patch) {
  for (uint32_t k = 0; k < l->option_count; k++) {
    if (sup_string_equal(l->options[k].patch, patch)) return &l->options[k];
  }
  return NULL;
}

static SupResult check_option(const SupEnvelopeLearned *l, const SupEnvelopePatchOption *o,
                              SupError *error) {
  const uint32_t joints = l->figure.character->skeleton.joint_count;
  const SupVec3 s = o->scale;
  const bool all = s.x > 0 && s.y > 0 && s.z > 0, none = s.x == 0 && s.y == 0 && s.z == 0;
  if (!(o->strength >= 0 && o->strength <= SUP_ENVELOPE_STRENGTH)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "envelope: patch '%s' has a strength outside 0 .. %g", o->patch,
                    (double)SUP_ENVELOPE_STRENGTH);
  }
  if (!finite3(s) || !(all || none)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "envelope: patch '%s' has a scale that is not three factors above 0", o->patch);
  }
  for (uint32_t k = 0; o->chosen_examples && k < o->example_count; k++) {
    if (o->examples[k] < l->settings.example_count) continue;
    return sup_fail(error, SUP_ERROR_ARGUMENT, "envelope: patch '%s' names example %u of %u",
                    o->patch, o->examples[k], l->settings.example_count);
  }
  bool sound = o->turn_count <= SUP_ENVELOPE_TURNS_MAX;
  for (uint32_t k = 0; sound && k < o->turn_count; k++) {
    sound = o->turns[k].joint < joints && finite3(o->turns[k].axis);
  }
  if (sound) return SUP_OK;
  return sup_fail(error, SUP_ERROR_ARGUMENT,
                  "envelope: patch '%s' names more than %u angles or a joint that does not exist",
                  o->patch, SUP_ENVELOPE_TURNS_MAX);
}

SupResult sup_envelope_check_options(const SupEnvelopeLearned *l, SupError *error) {
  const SupPatches *patches = l->patches;
  for (uint32_t k = 0; k < l->option_count; k++) {
    const SupEnvelopePatchOption *o = &l->options[k];
    uint32_t p = 0;
    while (p < patches->patch_count && !sup_string_equal(patches->patches[p].name, o->patch)) p++;
    if (p == patches->patch_count) {
      char hint[160];
      const char *near = sup_nearest_member(o->patch, &patches->patches[0].name,
                                            sizeof *patches->patches, patches->patch_count);
      return sup_fail(error, SUP_ERROR_ARGUMENT, "envelope: there is no patch '%s'%s", o->patch,
                      sup_did_you_mean(hint, sizeof hint, near));
    }
    if (sup_envelope_option(l, o->patch) != o) {
      return sup_fail(error, SUP_ERROR_ARGUMENT, "envelope: patch '%s' is set twice", o->patch);
    }
    SupResult result = check_option(l, o, error);
    if (result != SUP_OK) return result;
  }
  return SUP_OK;
}

/* ---- Notes ----------------------------------------------------------------------------------- */

void sup_envelope_note(EnvelopeWork *w, const char *format, ...) {
  SupEnvelopeLearned *l = w->learned;
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  sup_format_v(text, sizeof text, format, arguments);
  va_end(arguments);
  EnvelopeNote *note = SUP_ALLOC(w->arena, EnvelopeNote, 1);
  const char *kept = sup_arena_string(w->arena, text, sup_string_length(text));
  if (!note || !kept) return; /* whoever needs memory next says so */
  note->text = kept;
  if (l->last_note) {
    l->last_note->next = note;
  } else {
    l->notes = note;
  }
  l->last_note = note;
  l->note_count++;
}

/* ---- The job --------------------------------------------------------------------------------- */

SupResult sup_envelope_begin(EnvelopeWork *w, const SupEnvelopeLearned *start) {
  w->learned = SUP_COPY(w->arena, SupEnvelopeLearned, start, 1);
  if (!w->learned) return sup_fail_memory(w->error, "envelope");
  sup_dense_one_thread();
  return SUP_OK;
}

SupResult sup_envelope_faces(EnvelopeWork *w) {
  SupEnvelopeLearned *l = w->learned;
  l->patch_count = l->patches->patch_count;
  l->faces = SUP_ALLOC(w->arena, EnvelopePatch, l->patch_count);
  if (!l->faces) return sup_fail_memory(w->error, "envelope");
  for (uint32_t p = 0; p < l->patch_count; p++) {
    EnvelopePatch *face = &l->faces[p];
    face->name = l->patches->patches[p].name;
    const SupEnvelopePatchOption *o = sup_envelope_option(l, face->name);
    face->strength = o ? o->strength : 1;
    face->chosen_scale = o ? o->scale : (SupVec3){0, 0, 0};
    face->source = p;
  }
  return SUP_OK;
}

/* All that options name, before anything is learned. */
static SupResult find_named_angles(EnvelopeWork *w) {
  SupEnvelopeLearned *l = w->learned;
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < l->option_count; k++) {
    const SupEnvelopePatchOption *o = &l->options[k];
    for (uint32_t m = 0; m < o->turn_count && result == SUP_OK; m++) {
      uint32_t angle;
      result = sup_envelope_named_angle(w->arena, &l->figure, &l->angles, &o->turns[m], &angle,
                                        w->error);
    }
  }
  return result;
}

static SupResult take_examples(EnvelopeWork *w) {
  SupEnvelopeLearned *l = w->learned;
  const SupEnvelopeTrainDef *def = &l->settings;
  EnvelopeFigure *f = &l->figure;
  const uint32_t joints = def->character->skeleton.joint_count;
  uint32_t more = 0;
  for (uint32_t e = 0; e < def->example_count; e++) {
    const SupTransform *pose = def->examples[e].pose ? def->examples[e].pose : f->poses;
    for (uint32_t j = 0; j < joints; j++) {
      SupTransform *to = &f->poses[(size_t)(e + 1) * joints + j];
      *to = pose[j];
      to->rotation = sup_quat_normalise(to->rotation);
    }
  }
  SupResult result = sup_envelope_palettes(w->scratch, f, w->error);
  if (result != SUP_OK) return result;
  sup_envelope_take_positions(f, 0, def->character->body.positions);
  for (uint32_t e = 0; e < def->example_count; e++) {
    sup_envelope_take_positions(f, e + 1, def->examples[e].positions);
  }
  for (uint32_t k = 0; k < l->option_count; k++) more += l->options[k].turn_count;
  result = sup_envelope_find_angles(w->arena, f, more, &l->angles, w->error);
  if (result == SUP_OK && l->angles.count == 0) {
    return sup_fail(w->error, SUP_ERROR_FORMAT,
                    "envelope: no example turns a joint away from the bind pose, in which the "
                    "character has a shape of its own; give shapes of other poses");
  }
  return result == SUP_OK ? find_named_angles(w) : result;
}

static SupResult learn(EnvelopeWork *w) {
  SupEnvelopeLearned *l = w->learned;
  const SupEnvelopeTrainDef *def = &l->settings;
  SupResult result =
      sup_envelope_figure(w->arena, def->character, def->root, def->example_count + 1,
                          def->example_count + 1, &l->figure, w->error);
  if (result == SUP_OK) result = sup_envelope_check_options(l, w->error);
  if (result == SUP_OK) result = take_examples(w);
  if (result == SUP_OK) result = sup_envelope_faces(w);
  if (result == SUP_OK) result = sup_envelope_control_mesh(w);
  if (result != SUP_OK) return result;
  sup_envelope_read_shapes(w);
  sup_envelope_edit_shapes(w, def->edit_count, def->edits);
  result = sup_envelope_revise(w);
  if (result == SUP_OK) result = sup_envelope_blends(w);
  if (result == SUP_OK) result = sup_envelope_layout(w);
  if (result == SUP_OK) result = sup_envelope_offsets(w);
  if (result == SUP_OK) result = sup_envelope_spreads(w);
  if (result == SUP_OK) result = sup_envelope_residuals(w);
  return result == SUP_OK ? sup_envelope_tables(w, l) : result;
}

SupResult sup_envelope_train(SupArena *arena, const SupEnvelopeTrainDef *def,
                             SupEnvelopeTrained *out_trained, SupError *error) {
  SupResult result = check(def, error);
  if (result != SUP_OK) return result;
  const SupEnvelopeLearned start = {.settings = *def,
                                    .patches_def = def->patches_def,
                                    .patches = def->patches,
                                    .charts = def->charts,
                                    .option_count = def->option_count,
                                    .options = def->options};
  SupArena scratch = sup_scratch(arena);
  EnvelopeWork w = {arena, &scratch, NULL, def->jobs, error};
  result = sup_envelope_begin(&w, &start);
  if (result == SUP_OK) result = learn(&w);
  if (result == SUP_OK) result = sup_envelope_define(&w, w.learned, out_trained);
  sup_arena_free(&scratch);
  return result;
}

/* ---- What was learned ------------------------------------------------------------------------ */

void sup_envelope_shape_pose(const SupEnvelopeTrained *trained, uint32_t shape,
                             SupTransform *out_pose) {
  const EnvelopeFigure *f = &trained->learned->figure;
  const uint32_t joints = f->character->skeleton.joint_count;
  sup_copy(out_pose, f->poses + (size_t)shape * joints, joints * sizeof *out_pose);
}

void sup_envelope_shape_control(const SupEnvelopeTrained *trained, uint32_t shape,
                                SupVec3d *out_positions) {
  const EnvelopeControl *c = &trained->learned->control;
  sup_copy(out_positions, c->shapes + (size_t)shape * c->count, c->count * sizeof *out_positions);
}

const char *sup_envelope_control_name(const SupEnvelopeTrained *trained, uint32_t control) {
  const SupEnvelopeLearned *l = trained->learned;
  return l->patches_def->features[l->control.features[control]].name;
}
