/* SPDX-License-Identifier: MIT */
/* An envelope for a character in a file. */
#include "supple/app/envelope_character.h"

#include <string.h>

#include "app/envelope_job.h"
#include "supple/train/patch_map.h"

#define COOKIE 0x454e5643u

SupEnvelopeCharacterDef sup_envelope_character_def(void) {
  const SupEnvelopeTrainDef train = sup_envelope_train_def(NULL);
  return (SupEnvelopeCharacterDef){.cookie = COOKIE,
                                   .open = sup_open_def(),
                                   .ease = train.ease,
                                   .sigma = train.sigma,
                                   .ridge = train.ridge,
                                   .residual = train.residual,
                                   .literal = train.literal,
                                   .revise = train.revise};
}

/* A skin in patches that can be laid flat. */
static SupResult divide(const SupAppContext *app, const SupCharacterFile *file, const char *plan,
                        SupPatchCharacter *out, SupError *error) {
  SupPatchCharacterDef def = sup_patch_character_def();
  def.plan = plan;
  SupResult result = sup_patch_character(app, file, &def, out, error);
  if (result == SUP_OK && !plan) out->def.source = file->path;
  if (result == SUP_OK && out->not_flat) {
    return sup_fail(error, SUP_ERROR_NUMERIC, "%s: %s", out->def.source, out->not_flat);
  }
  return result;
}

/* Do the patches correspond? Those that were found for each by itself often do not. */
static SupResult compare(const SupPatchCharacter *primary, const SupPatchCharacter *target,
                         SupError *error) {
  SupResult result = sup_patches_isomorphic(&primary->def, &primary->patches, &target->def,
                                            &target->patches, error);
  if (result == SUP_OK || !error || !(primary->automatic || target->automatic)) return result;
  const size_t length = strlen(error->text);
  sup_format(error->text + length, sizeof error->text - length,
             "; %s found automatically: make matching ones with `supple patches` and give "
             "--patches and --from-patches",
             !primary->automatic  ? "those of this character were"
             : !target->automatic ? "those of --from were"
                                  : "both were");
  return result;
}

/* ---- The job -------------------------------------------------------------------------------- */

typedef struct Job {
  const SupAppContext *app;
  const SupCharacterFile *file, *primary; /* examples are of the primary, which may be the file */
  const SupEnvelopeCharacterDef *def;
  SupPatchCharacter own, other; /* of the file, and of another primary */
  SupPatchCharacter *first;     /* of the primary */
  EnvelopeLeftOut left_out;
  EnvelopeCarry carry;
  EnvelopeExamples examples;
  EnvelopeNamed named, first_named; /* patches of the file and of the primary */
  EnvelopeOptions options;          /* for the primary */
  EnvelopeEdits edits;              /* of the file's shapes */
  uint32_t whole;                   /* patches that have no room to be divided */
  SupEnvelopeTrained trained;
} Job;

static SupResult take_apart(Job *j, SupError *error) {
  const SupAppContext inside = sup_app_inside(j->app);
  SupPatchCharacter *other = j->def->primary ? &j->other : NULL;
  SupResult result = divide(&inside, j->file, j->def->patches, &j->own, error);
  if (result == SUP_OK && other) {
    result = divide(&inside, j->primary, j->def->primary_patches, other, error);
    if (result == SUP_OK) result = compare(other, &j->own, error);
  }
  if (result != SUP_OK) return result;
  j->first = other ? other : &j->own;
  SupPatchCharacter *second = other ? &j->own : NULL;
  result = sup_envelope_leave_out(&inside, j->first, second, &j->left_out, error);
  if (result != SUP_OK) return result;
  j->named = (EnvelopeNamed){&j->own.patches, j->own.patches};
  j->first_named = (EnvelopeNamed){&j->first->patches, j->first->patches};
  return sup_envelope_subdivide(&inside, j->def->subdivide, j->first, second, &j->whole, error);
}

/* Everything that is read, before anything is learned. */
static SupResult read(Job *j, SupError *error) {
  SupResult result = sup_envelope_read_examples(j->app, j->primary, j->def, &j->examples, error);
  if (result == SUP_OK) {
    result = sup_envelope_patch_options(j->app, &j->def->given, &j->first_named, &j->examples,
                                        &j->primary->character->skeleton, &j->options, error);
  }
  if (result != SUP_OK || !j->def->edits) return result;
  return sup_envelope_read_edits(j->app, j->def->edits, &j->def->given, &j->examples, &j->own,
                                 &j->edits, error);
}

static SupResult train(Job *j, SupError *error) {
  const SupAppContext *app = j->app;
  SupEnvelopeTrainDef train = sup_envelope_train_def(j->primary->character);
  train.patches_def = &j->first->def;
  train.patches = &j->first->patches;
  train.charts = &j->first->charts;
  train.example_count = j->examples.count;
  train.examples = j->examples.examples;
  train.option_count = j->options.count;
  train.options = j->options.options;
  if (!j->def->primary) {
    train.edit_count = j->edits.count;
    train.edits = j->edits.edits;
  }
  train.ease = j->def->ease;
  train.sigma = j->def->sigma;
  train.ridge = j->def->ridge;
  train.residual = j->def->residual;
  train.literal = j->def->literal;
  train.revise = j->def->revise;
  train.jobs = app->jobs;
  const double began = sup_app_seconds();
  sup_app_busy(app, "envelope");
  SupResult result = sup_envelope_train(app->arena, &train, &j->trained, error);
  sup_app_busy(app, NULL);
  sup_app_timing(app, "envelope", began);
  return result;
}

static SupResult carry_over(Job *j, SupError *error) {
  const SupAppContext *app = j->app;
  const SupEnvelopeTrained *primary = SUP_COPY(app->arena, SupEnvelopeTrained, &j->trained, 1);
  SupTransform *pose = SUP_ALLOC(app->arena, SupTransform, j->carry.map.source->joint_count);
  EnvelopeOptions options = {0};
  SupPatchCharts *charts = SUP_ALLOC(app->arena, SupPatchCharts, 1);
  if (!primary || !pose || !charts) return sup_fail_memory(error, NULL);
  sup_envelope_shape_pose(primary, 0, pose);
  SupResult result = sup_envelope_dress(app, pose, &j->carry, error);
  if (result == SUP_OK) result = sup_envelope_lay_like(app, &j->own, j->first, charts, error);
  if (result == SUP_OK) {
    result =
        sup_envelope_patch_options(app, &j->def->given, &j->named, NULL, NULL, &options, error);
  }
  if (result != SUP_OK) return result;
  SupEnvelopeTransferDef transfer = sup_envelope_transfer_def(primary, j->file->character);
  transfer.patches_def = &j->own.def;
  transfer.patches = &j->own.patches;
  transfer.charts = charts;
  transfer.joints = j->carry.joints;
  transfer.dress = j->carry.dress;
  transfer.option_count = options.count;
  transfer.options = options.options;
  transfer.edit_count = j->edits.count;
  transfer.edits = j->edits.edits;
  transfer.jobs = app->jobs;
  return sup_envelope_transfer(app->arena, &transfer, &j->trained, error);
}

static SupResult compare_played(Job *j, const SupModel *model, SupError *error) {
  const SupCharacter *c = j->file->character;
  SupTransform *dress = SUP_ALLOC(j->app->arena, SupTransform, c->skeleton.joint_count);
  if (!dress) return sup_fail_memory(error, NULL);
  sup_envelope_shape_pose(&j->trained, 0, dress);
  return sup_envelope_compare(j->app, c, model, &j->trained.def, &j->examples, dress,
                              &j->trained.report.left, error);
}

/* Patches that are to show something else than the examples. */
static bool is_weighed(const SupEnvelopeFile *given) {
  for (uint32_t k = 0; k < given->patch_count; k++) {
    if (given->patches[k].chosen || given->patches[k].strength != 1) return true;
  }
  return false;
}

/* The examples one after another, as if they were frames of a cache. */
static SupResult list_played(const Job *j, const SupExample **out, SupError *error) {
  const SupCharacter *c = j->file->character;
  const size_t joints = c->skeleton.joint_count, vertices = c->body.vertex_count;
  const uint32_t count = j->examples.count;
  SupTransform *poses = SUP_ALLOC(j->app->arena, SupTransform, count * joints);
  SupVec3 *positions = SUP_ALLOC(j->app->arena, SupVec3, count * vertices);
  SupExample *played = SUP_ALLOC(j->app->arena, SupExample, 1);
  if (!poses || !positions || !played) return sup_fail_memory(error, NULL);
  for (uint32_t e = 0; e < count; e++) {
    memcpy(poses + e * joints, j->examples.examples[e].pose, joints * sizeof *poses);
    memcpy(positions + e * vertices, j->examples.examples[e].positions,
           vertices * sizeof *positions);
  }
  *played = (SupExample){.path = j->file->path, .name = "examples"};
  played->samples = (SupSamples){.fps = 24,
                                 .frame_count = count,
                                 .vertex_count = c->body.vertex_count,
                                 .order = SUP_ORDER_BODY,
                                 .positions = positions,
                                 .joint_count = c->skeleton.joint_count,
                                 .poses = poses};
  *out = played;
  return SUP_OK;
}

static SupEnvelopeCharacterReport report_of(const Job *j) {
  SupEnvelopeCharacterReport report = {.trained = j->trained.report,
                                       .example_count = j->examples.count,
                                       .patch_count = j->own.patches.patch_count,
                                       .left_out_count = j->left_out.count,
                                       .left_out = j->left_out.first,
                                       .whole_count = j->whole,
                                       .automatic = j->own.automatic,
                                       .carried = j->def->primary != NULL};
  if (!report.carried) return report;
  report.joints_mapped = j->carry.mapped;
  report.reposed = j->carry.dress ? j->carry.reposed : 0;
  return report;
}

SupResult sup_envelope_correspond(const SupAppContext *app, const SupCharacterFile *primary,
                                  const char *primary_patches, const SupCharacterFile *file,
                                  const char *file_patches, SupError *error) {
  const SupAppContext inside = sup_app_inside(app);
  SupPatchCharacter *patches = SUP_ALLOC(app->arena, SupPatchCharacter, 2);
  EnvelopeCarry carry;
  if (!patches) return sup_fail_memory(error, NULL);
  SupResult result = sup_envelope_map(app, primary, file, &carry, error);
  if (result == SUP_OK) result = divide(&inside, primary, primary_patches, &patches[0], error);
  if (result == SUP_OK) result = divide(&inside, file, file_patches, &patches[1], error);
  return result == SUP_OK ? compare(&patches[0], &patches[1], error) : result;
}

SupResult sup_envelope_character(const SupAppContext *app, const SupCharacterFile *file,
                                 const SupEnvelopeCharacterDef *def, SupModel **out_model,
                                 SupEnvelopeCharacterReport *out_report, SupError *error) {
  if (def->subdivide > SUP_ENVELOPE_SUBDIVIDE_MAX) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "patches can be divided %u times at most, not %u",
                    SUP_ENVELOPE_SUBDIVIDE_MAX, def->subdivide);
  }
  Job *j = SUP_ALLOC(app->arena, Job, 1);
  if (!j) return sup_fail_memory(error, NULL);
  *j = (Job){.app = app, .file = file, .def = def, .primary = def->primary ? def->primary : file};
  SupResult result = SUP_OK;
  if (def->primary) result = sup_envelope_map(app, j->primary, file, &j->carry, error);
  if (result == SUP_OK) result = take_apart(j, error);
  if (result == SUP_OK) result = read(j, error);
  if (result == SUP_OK) result = train(j, error);
  if (result == SUP_OK && def->primary) result = carry_over(j, error);
  if (result == SUP_OK) {
    result = sup_envelope_pack(app->arena, file->character, &j->trained.def, out_model, error);
  }
  if (result == SUP_OK && !def->primary) result = compare_played(j, *out_model, error);
  if (result != SUP_OK) return result;
  *out_report = report_of(j);
  if (def->primary || is_weighed(&def->given)) return SUP_OK;
  return list_played(j, &out_report->played, error);
}
