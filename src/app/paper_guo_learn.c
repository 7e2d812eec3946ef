/* SPDX-License-Identifier: MIT */
/* The study's ways to deform: learned, and shown in a pose. */
#include <string.h>

#include "app/paper_guo_parts.h"
#include "app/paper_keys.h"
#include "supple/app/envelope_character.h"
#include "supple/author/skin_pack.h"
#include "supple/envelope.h"
#include "supple/train/baselines.h"
#include "supple/train/correctives.h"

#define LANES 16

static const char *const way_names[SUP_GUO_WAYS] = {"plain skinning",
                                                    "direct delta mush",
                                                    "envelope, layered only",
                                                    "envelope",
                                                    "carried over, layered only",
                                                    "carried over",
                                                    "pose-space deformation",
                                                    "correctives",
                                                    "pose-space def., more examples",
                                                    "correctives, more examples",
                                                    "pose-space def., most examples"};

const char *sup_guo_way_name(SupGuoWay way) { return way_names[way]; }

/* ---- Envelopes ------------------------------------------------------------------------------ */

static SupResult take_examples(const SupAppContext *app, const SupGuoFigure *figure,
                               SupEnvelopeCharacterDef *io_def, SupError *error) {
  const SupCharacter *c = figure->file.character;
  const SupGuoPoses *poses = &figure->sets[SUP_GUO_EXAMPLES];
  SupEnvelopeExample *shapes = SUP_ALLOC(app->arena, SupEnvelopeExample, poses->count);
  if (!shapes) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < poses->count; k++) {
    shapes[k] =
        (SupEnvelopeExample){poses->names[k], poses->joints + (size_t)k * c->skeleton.joint_count,
                             poses->truth + (size_t)k * c->body.vertex_count};
  }
  io_def->shape_count = poses->count;
  io_def->shapes = shapes;
  return SUP_OK;
}

static SupResult learn_envelope(const SupGuoStudy *study, const SupGuoFigure *figure, bool carried,
                                GuoShower *out, SupGuoRow *io_row, SupError *error) {
  const SupAppContext inside = sup_app_inside(study->app);
  SupEnvelopeCharacterDef def = sup_envelope_character_def();
  SupEnvelopeCharacterReport report;
  SupModel *model;
  def.patches = figure->patch_file;
  if (carried) {
    def.primary = &study->primary.file;
    def.primary_patches = study->primary.patch_file;
  }
  SupResult result = take_examples(study->app, carried ? &study->primary : figure, &def, error);
  if (result == SUP_OK) {
    result = sup_envelope_character(&inside, &figure->file, &def, &model, &report, error);
  }
  if (result != SUP_OK) return result;
  for (uint32_t k = 0; k < report.trained.note_count; k++) {
    sup_app_note(&inside, "  %s: %s\n", figure->name, report.trained.notes[k]);
  }
  out->model = model;
  out->view = sup_envelope_view(model);
  out->backend = sup_backend_cpu();
  io_row->patches = report.patch_count;
  io_row->left_out = report.left_out_count;
  void *block = sup_arena_alloc(study->app->arena, 1, sup_envelope_bytes(&out->view));
  out->rows = SUP_ALLOC(study->app->arena, float, (size_t)3 * LANES * out->view.skin.block_count);
  out->strengths = SUP_ALLOC(study->app->arena, float, out->view.patch_count);
  if (!block || !out->rows || !out->strengths) return sup_fail_memory(error, NULL);
  out->state = sup_envelope_init(&out->view, block);
  for (uint32_t p = 0; p < out->view.patch_count; p++) out->strengths[p] = 0;
  if (out->way == SUP_GUO_ENVELOPE || out->way == SUP_GUO_CARRIED) out->strengths = NULL;
  return SUP_OK;
}

static void show_envelope(GuoShower *s, const SupTransform *joints, SupVec3 *out) {
  const SupPose pose = {s->figure->file.character->skeleton.joint_count, sup_transform_identity(),
                        (SupTransform *)(uintptr_t)joints};
  const SupEnvelopeCall call = {
      .pose = &pose, .palette = s->palette, .strengths = s->strengths, .positions = s->rows};
  sup_envelope_shape(&s->view, s->state, s->backend, NULL, &call);
  for (uint32_t v = 0; v < s->view.skin.vertex_count; v++) {
    const uint32_t lane = s->view.lanes[v];
    const float *at = s->rows + 3 * LANES * (size_t)(lane / LANES) + lane % LANES;
    out[v] = (SupVec3){at[0], at[LANES], at[2 * LANES]};
  }
}

/* ---- From examples -------------------------------------------------------------------------- */

/* The examples, and then up to `more` of the random poses. */
static SupResult gather(const SupAppContext *app, const SupGuoFigure *figure, uint32_t more,
                        SupSamples *out, SupError *error) {
  const SupCharacter *c = figure->file.character;
  const uint32_t n = c->body.vertex_count, joints = c->skeleton.joint_count;
  const SupGuoPoses *first = &figure->sets[SUP_GUO_EXAMPLES], *then = &figure->sets[SUP_GUO_MORE];
  const uint32_t count = first->count + (more < then->count ? more : then->count);
  SupTransform *poses = SUP_ALLOC(app->arena, SupTransform, (size_t)count * joints);
  SupVec3 *positions = SUP_ALLOC(app->arena, SupVec3, (size_t)count * n);
  if (!poses || !positions) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < count; k++) {
    const SupGuoPoses *from = k < first->count ? first : then;
    const uint32_t i = k < first->count ? k : k - first->count;
    memcpy(poses + (size_t)k * joints, from->joints + (size_t)i * joints, joints * sizeof *poses);
    memcpy(positions + (size_t)k * n, from->truth + (size_t)i * n, n * sizeof *positions);
  }
  *out = (SupSamples){.vertex_count = n,
                      .frame_count = count,
                      .fps = 60,
                      .order = SUP_ORDER_BODY,
                      .positions = positions,
                      .joint_count = joints,
                      .poses = poses};
  return SUP_OK;
}

static SupResult learn_pose_shapes(const SupAppContext *app, const SupSamples *samples,
                                   GuoShower *out, SupGuoRow *io_row, SupError *error) {
  SupPoseShapesDef def = sup_pose_shapes_def(out->figure->file.character);
  SupPoseShapes *shapes = SUP_ALLOC(app->arena, SupPoseShapes, 1);
  def.example_count = samples->frame_count;
  def.poses = samples->poses;
  def.positions = samples->positions;
  def.root = sup_envelope_whole(def.character);
  def.jobs = app->jobs;
  SupResult result = shapes ? sup_pose_shapes_learn(app->arena, &def, shapes, error)
                            : sup_fail_memory(error, NULL);
  if (result != SUP_OK) return result;
  out->weights = SUP_ALLOC(app->arena, double, 2 * (size_t)shapes->centre_count);
  if (!out->weights) return sup_fail_memory(error, NULL);
  io_row->bytes = sup_pose_shapes_bytes(shapes);
  out->pose_shapes = shapes;
  return SUP_OK;
}

static SupResult learn_correctives(const SupAppContext *app, const SupSamples *samples,
                                   GuoShower *out, SupError *error) {
  SupCorrectivesTrainDef def = sup_correctives_train_def(out->figure->file.character);
  const SupCorrectivesExample example = {*samples, false};
  SupCorrectivesTrainReport report;
  SupModel *model;
  def.example_count = 1;
  def.examples = &example;
  def.jobs = app->jobs;
  SupResult result = sup_correctives_train(app->arena, &def, &model, &report, error);
  if (result == SUP_OK) out->model = model;
  return result;
}

static SupResult make_mush(const SupAppContext *app, GuoShower *out, SupGuoRow *io_row,
                           SupError *error) {
  const SupDeltaMushDef def = sup_delta_mush_def(out->figure->file.character);
  SupDeltaMush *mush = SUP_ALLOC(app->arena, SupDeltaMush, 1);
  SupResult result =
      mush ? sup_delta_mush_make(app->arena, &def, mush, error) : sup_fail_memory(error, NULL);
  if (result != SUP_OK) return result;
  io_row->bytes = sup_delta_mush_bytes(mush);
  out->mush = mush;
  return SUP_OK;
}

/* ---- All of them ---------------------------------------------------------------------------- */

/* Bytes of a model that a packed skin does not have. */
static SupResult weigh(const SupAppContext *app, const SupCharacter *c, const SupModel *model,
                       SupGuoRow *io_row, SupError *error) {
  SupModel *skin;
  SupResult result = sup_skin_model(app->arena, c, SUP_ORDER_BODY, &skin, error);
  if (result == SUP_OK) io_row->bytes = model->bytes - skin->bytes;
  return result;
}

static uint32_t more_of(SupGuoWay way) {
  if (way == SUP_GUO_MOST_POSE_SHAPES) return SUP_GUO_MORE_FULL;
  return way == SUP_GUO_MORE_POSE_SHAPES || way == SUP_GUO_MORE_CORRECTIVES ? SUP_GUO_MORE_COUNT
                                                                            : 0;
}

static SupResult learn(const SupGuoStudy *study, const SupGuoFigure *figure, GuoShower *out,
                       SupGuoRow *io_row, SupError *error) {
  const SupAppContext *app = study->app;
  const SupGuoWay way = out->way;
  const uint32_t more = more_of(way);
  SupSamples samples;
  if (way == SUP_GUO_SKINNING) return SUP_OK;
  if (way == SUP_GUO_DELTA_MUSH) return make_mush(app, out, io_row, error);
  SupResult result = gather(app, figure, more, &samples, error);
  if (result != SUP_OK) return result;
  io_row->examples = samples.frame_count;
  if (way == SUP_GUO_POSE_SHAPES || way == SUP_GUO_MORE_POSE_SHAPES ||
      way == SUP_GUO_MOST_POSE_SHAPES) {
    return learn_pose_shapes(app, &samples, out, io_row, error);
  }
  if (way == SUP_GUO_CORRECTIVES || way == SUP_GUO_MORE_CORRECTIVES) {
    result = learn_correctives(app, &samples, out, error);
  } else {
    const bool carried = way == SUP_GUO_CARRIED || way == SUP_GUO_CARRIED_LAYERED;
    if (carried) io_row->examples = 0; /* none of its own */
    result = learn_envelope(study, figure, carried, out, io_row, error);
  }
  return result == SUP_OK ? weigh(app, figure->file.character, out->model, io_row, error) : result;
}

SupResult sup_guo_learn(const SupGuoStudy *study, const SupGuoFigure *figure, SupGuoWay way,
                        GuoShower *out, SupGuoRow *io_row, SupError *error) {
  const SupSkeleton *skeleton = &figure->file.character->skeleton;
  *out = (GuoShower){.figure = figure,
                     .way = way,
                     .globals = SUP_ALLOC(study->app->arena, SupAffine, skeleton->joint_count),
                     .palette = SUP_ALLOC(study->app->arena, SupAffine, skeleton->bone_count)};
  if (!out->globals || !out->palette) return sup_fail_memory(error, NULL);
  const double began = sup_app_seconds();
  SupResult result = learn(study, figure, out, io_row, error);
  io_row->learn_seconds = sup_app_seconds() - began;
  return result;
}

void sup_guo_show(GuoShower *s, const SupTransform *joints, SupVec3 *out) {
  sup_guo_palette(s->figure, joints, s->globals, s->palette);
  if (s->pose_shapes) {
    sup_pose_shapes_show(s->pose_shapes, joints, s->palette, s->weights, out);
  } else if (s->mush) {
    sup_delta_mush_show(s->mush, s->palette, out);
  } else if (s->state) {
    show_envelope(s, joints, out);
  } else {
    sup_keys_skin(s->figure->file.character, s->palette, out);
  }
}
