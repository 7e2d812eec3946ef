/* SPDX-License-Identifier: MIT */
/* What an author says about patches, by name. */
#include <string.h>

#include "app/envelope_job.h"

static SupResult find_patch(const SupPatches *patches, const char *name, uint32_t *out_patch,
                            SupError *error) {
  const SupNameList names = {&patches->patches->name, sizeof *patches->patches,
                             patches->patch_count};
  const size_t found = sup_name_find(name, names);
  char hint[200];
  *out_patch = (uint32_t)found;
  if (found < patches->patch_count) return SUP_OK;
  return sup_fail(error, SUP_ERROR_ARGUMENT, "there is no patch '%s'%s", name,
                  sup_name_hint(hint, sizeof hint, name, names));
}

/* All examples of the sources that are named. */
static SupResult choose(const SupAppContext *app, const SupEnvelopeFile *given,
                        const SupEnvelopePatchSource *said, const EnvelopeExamples *examples,
                        SupEnvelopePatchOption *io_option, SupError *error) {
  uint32_t *chosen = SUP_ALLOC(app->arena, uint32_t, examples->count), count = 0;
  bool taken[SUP_ENVELOPE_EXAMPLES_MAX] = {false};
  if (!chosen) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < said->example_count; k++) {
    const char *wanted = said->examples[k];
    bool known = false;
    for (uint32_t source = 0; source < given->example_count; source++) {
      const char *name = sup_envelope_source_name(&given->examples[source]);
      if (strcmp(name, wanted) != 0) continue;
      known = true;
      for (uint32_t e = examples->first[source]; e < examples->first[source + 1]; e++) {
        if (!taken[e]) chosen[count++] = e;
        taken[e] = true;
      }
    }
    if (known) continue;
    return sup_fail(error, SUP_ERROR_ARGUMENT, "patch '%s': there is no example '%s'", said->patch,
                    wanted);
  }
  io_option->chosen_examples = true;
  io_option->example_count = count;
  io_option->examples = chosen;
  return SUP_OK;
}

static SupResult name_turns(const SupAppContext *app, const SupEnvelopePatchSource *said,
                            const SupSkeleton *skeleton, SupEnvelopePatchOption *io_option,
                            SupError *error) {
  if (said->angle_count > SUP_ENVELOPE_TURNS_MAX) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "patch '%s' names %u angles; it can depend on %u at most", said->patch,
                    said->angle_count, SUP_ENVELOPE_TURNS_MAX);
  }
  const SupNameList names = {skeleton->names, sizeof *skeleton->names, skeleton->joint_count};
  SupEnvelopeTurn *turns = SUP_ALLOC(app->arena, SupEnvelopeTurn, said->angle_count);
  if (!turns) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < said->angle_count; k++) {
    const size_t joint = sup_name_find(said->angles[k].joint, names);
    char hint[200];
    if (joint >= skeleton->joint_count) {
      return sup_fail(error, SUP_ERROR_ARGUMENT, "patch '%s': there is no joint '%s'%s",
                      said->patch, said->angles[k].joint,
                      sup_name_hint(hint, sizeof hint, said->angles[k].joint, names));
    }
    turns[k] = (SupEnvelopeTurn){(uint32_t)joint, sup_vec3d_to_float(said->angles[k].axis)};
  }
  io_option->turn_count = said->angle_count;
  io_option->turns = turns;
  return SUP_OK;
}

SupResult sup_envelope_patch_options(const SupAppContext *app, const SupEnvelopeFile *given,
                                     const SupPatches *patches, const EnvelopeExamples *examples,
                                     const SupSkeleton *skeleton,
                                     SupEnvelopePatchOption **out_options, SupError *error) {
  SupEnvelopePatchOption *options =
      SUP_ALLOC(app->arena, SupEnvelopePatchOption, given->patch_count);
  if (!options) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < given->patch_count; k++) {
    const SupEnvelopePatchSource *said = &given->patches[k];
    uint32_t patch;
    SupResult result = find_patch(patches, said->patch, &patch, error);
    if (result != SUP_OK) return result;
    options[k] = sup_envelope_patch_option(patches->patches[patch].name);
    options[k].strength = (float)said->strength;
    options[k].scale = sup_vec3d_to_float(said->scale);
    for (uint32_t i = 0; i < k; i++) {
      if (strcmp(options[i].patch, options[k].patch) != 0) continue;
      return sup_fail(error, SUP_ERROR_ARGUMENT, "patch '%s' is described twice; leave one out",
                      options[k].patch);
    }
    if (examples && said->chosen) {
      result = choose(app, given, said, examples, &options[k], error);
    }
    if (examples && result == SUP_OK) {
      result = name_turns(app, said, skeleton, &options[k], error);
    }
    if (result != SUP_OK) return result;
  }
  *out_options = options;
  return SUP_OK;
}
