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
                                   .literal = train.literal};
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

/* The charts of the target in the polygons of the primary's. */
static SupResult lay_like(const SupAppContext *app, const SupPatchCharacter *target,
                          const SupPatchCharacter *primary, SupPatchCharts *out_charts,
                          SupError *error) {
  uint32_t *matches = SUP_ALLOC(app->arena, uint32_t, target->patches.patch_count);
  if (!matches) return sup_fail_memory(error, NULL);
  sup_patches_match(&target->def, &target->patches, &primary->def, &primary->patches, matches);
  const SupPatchMapDef def = {.def = &target->def,
                              .patches = &target->patches,
                              .like = &primary->charts,
                              .like_charts = matches};
  return sup_patch_charts(app->arena, &def, out_charts, error);
}

static SupResult train(const SupAppContext *app, const SupCharacterFile *file,
                       const SupEnvelopeCharacterDef *def, const SupPatchCharacter *patches,
                       SupEnvelopeTrained *out, EnvelopeExamples *out_examples, SupError *error) {
  SupEnvelopeTrainDef train = sup_envelope_train_def(file->character);
  EnvelopeExamples examples;
  SupEnvelopePatchOption *options = NULL;
  SupResult result = sup_envelope_read_examples(app, file, def, &examples, error);
  if (result == SUP_OK) {
    result =
        sup_envelope_patch_options(app, &def->given, &patches->patches, &examples, &options, error);
  }
  if (result != SUP_OK) return result;
  train.patches_def = &patches->def;
  train.patches = &patches->patches;
  train.charts = &patches->charts;
  *out_examples = examples;
  train.example_count = examples.count;
  train.examples = examples.examples;
  train.option_count = def->given.patch_count;
  train.options = options;
  train.ease = def->ease;
  train.sigma = def->sigma;
  train.ridge = def->ridge;
  train.residual = def->residual;
  train.literal = def->literal;
  train.jobs = app->jobs;
  const double began = sup_app_seconds();
  sup_app_busy(app, "envelope");
  result = sup_envelope_train(app->arena, &train, out, error);
  sup_app_busy(app, NULL);
  sup_app_timing(app, "envelope", began);
  return result;
}

static SupResult carry_over(const SupAppContext *app, const SupCharacterFile *file,
                            const SupEnvelopeCharacterDef *def, const SupPatchCharacter *patches,
                            const SupPatchCharacter *primary_patches, EnvelopeCarry *carry,
                            SupEnvelopeTrained *io_trained, SupError *error) {
  const SupEnvelopeTrained *primary = SUP_COPY(app->arena, SupEnvelopeTrained, io_trained, 1);
  const uint32_t joints = carry->map.source->joint_count;
  SupTransform *pose = SUP_ALLOC(app->arena, SupTransform, joints);
  SupEnvelopePatchOption *options = NULL;
  SupPatchCharts *charts = SUP_ALLOC(app->arena, SupPatchCharts, 1);
  if (!primary || !pose || !charts) return sup_fail_memory(error, NULL);
  sup_envelope_shape_pose(primary, 0, pose);
  SupResult result = sup_envelope_dress(app, pose, carry, error);
  if (result == SUP_OK) result = lay_like(app, patches, primary_patches, charts, error);
  if (result == SUP_OK) {
    result = sup_envelope_patch_options(app, &def->given, &patches->patches, NULL, &options, error);
  }
  if (result != SUP_OK) return result;
  SupEnvelopeTransferDef transfer = sup_envelope_transfer_def(primary, file->character);
  transfer.patches_def = &patches->def;
  transfer.patches = &patches->patches;
  transfer.charts = charts;
  transfer.joints = carry->joints;
  transfer.dress = carry->dress;
  transfer.option_count = def->given.patch_count;
  transfer.options = options;
  transfer.jobs = app->jobs;
  return sup_envelope_transfer(app->arena, &transfer, io_trained, error);
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
  const SupAppContext inside = sup_app_inside(app);
  const SupCharacterFile *primary = def->primary ? def->primary : file;
  SupEnvelopeCharacterReport report = {.carried = def->primary != NULL};
  SupPatchCharacter *patches = SUP_ALLOC(app->arena, SupPatchCharacter, 2);
  SupEnvelopeTrained trained;
  EnvelopeExamples examples;
  EnvelopeCarry carry;
  SupResult result = SUP_OK;
  if (!patches) return sup_fail_memory(error, NULL);
  if (def->primary) result = sup_envelope_map(app, primary, file, &carry, error);
  if (result == SUP_OK) result = divide(&inside, file, def->patches, &patches[0], error);
  if (result == SUP_OK && def->primary) {
    result = divide(&inside, primary, def->primary_patches, &patches[1], error);
    if (result == SUP_OK) {
      result = compare(&patches[1], &patches[0], error);
    }
  }
  SupPatchCharacter *first = &patches[def->primary ? 1 : 0];
  EnvelopeLeftOut left_out = {0};
  if (result == SUP_OK) {
    result =
        sup_envelope_leave_out(&inside, first, def->primary ? &patches[0] : NULL, &left_out, error);
  }
  if (result == SUP_OK) {
    result = train(app, primary, def, first, &trained, &examples, error);
  }
  if (result == SUP_OK && def->primary) {
    result = carry_over(app, file, def, &patches[0], first, &carry, &trained, error);
    report.joints_mapped = carry.mapped;
    report.reposed = carry.dress ? carry.reposed : 0;
  }
  if (result == SUP_OK) {
    result = sup_envelope_pack(app->arena, file->character, &trained.def, out_model, error);
  }
  if (result == SUP_OK && !def->primary) {
    result = sup_envelope_compare(app, file->character, *out_model, &trained.def, &examples,
                                  &trained.report.left, error);
  }
  if (result != SUP_OK) return result;
  report.example_count = examples.count;
  report.trained = trained.report;
  report.patch_count = patches[0].patches.patch_count;
  report.left_out_count = left_out.count;
  report.left_out = left_out.first;
  report.automatic = patches[0].automatic;
  *out_report = report;
  return SUP_OK;
}
