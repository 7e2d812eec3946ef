/* SPDX-License-Identifier: MIT */
/* What an author says about patches, by name. */
#include <string.h>

#include "app/envelope_job.h"

/* Is it a part of the patch of that name, or a part of one? */
static bool is_part(const char *part, const char *name) {
  const size_t length = strlen(name);
  return strncmp(part, name, length) == 0 && part[length] == '/';
}

static SupNameList names_of(const SupPatches *patches) {
  return (SupNameList){&patches->patches->name, sizeof *patches->patches, patches->patch_count};
}

/* out_found[patch_count]: the patch that the name gives, or all parts of the one that it gave. */
static SupResult find_patches(const EnvelopeNamed *in, const char *name, bool *out_found,
                              SupError *error) {
  const SupPatches *patches = in->patches;
  const SupNameList names = names_of(patches), undivided = names_of(&in->undivided);
  const size_t before = sup_name_find(name, undivided);
  char hint[200];
  if (before < undivided.count) name = in->undivided.patches[before].name;
  const size_t found = sup_name_find(name, names);
  uint32_t count = 0;
  const bool whole = found < names.count &&
                     (before >= undivided.count || strcmp(patches->patches[found].name, name) == 0);
  for (uint32_t p = 0; p < patches->patch_count; p++) {
    out_found[p] = whole ? p == found : is_part(patches->patches[p].name, name);
    count += out_found[p];
  }
  if (count > 0) return SUP_OK;
  return sup_fail(error, SUP_ERROR_ARGUMENT, "there is no patch '%s'%s", name,
                  sup_name_hint(hint, sizeof hint, name, undivided));
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

/* What is said about one patch, without its name. */
static SupResult read_said(const SupAppContext *app, const SupEnvelopeFile *given,
                           const SupEnvelopePatchSource *said, const EnvelopeExamples *examples,
                           const SupSkeleton *skeleton, SupEnvelopePatchOption *out,
                           SupError *error) {
  SupResult result = SUP_OK;
  *out = sup_envelope_patch_option(NULL);
  out->strength = (float)said->strength;
  out->scale = sup_vec3d_to_float(said->scale);
  if (examples && said->chosen) result = choose(app, given, said, examples, out, error);
  if (examples && result == SUP_OK) result = name_turns(app, said, skeleton, out, error);
  return result;
}

SupResult sup_envelope_patch_options(const SupAppContext *app, const SupEnvelopeFile *given,
                                     const EnvelopeNamed *named, const EnvelopeExamples *examples,
                                     const SupSkeleton *skeleton, EnvelopeOptions *out_options,
                                     SupError *error) {
  const SupPatches *patches = named->patches;
  const uint32_t patch_count = patches->patch_count;
  SupEnvelopePatchOption *options = SUP_ALLOC(app->arena, SupEnvelopePatchOption, patch_count);
  bool *found = SUP_ALLOC(app->arena, bool, patch_count);
  bool *described = SUP_ALLOC(app->arena, bool, patch_count);
  uint32_t count = 0;
  if (!options || !found || !described) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < given->patch_count; k++) {
    SupEnvelopePatchOption option;
    SupResult result = find_patches(named, given->patches[k].patch, found, error);
    if (result == SUP_OK) {
      result = read_said(app, given, &given->patches[k], examples, skeleton, &option, error);
    }
    if (result != SUP_OK) return result;
    for (uint32_t p = 0; p < patch_count; p++) {
      if (!found[p]) continue;
      option.patch = patches->patches[p].name;
      if (described[p]) {
        return sup_fail(error, SUP_ERROR_ARGUMENT, "patch '%s' is described twice; leave one out",
                        option.patch);
      }
      described[p] = true;
      options[count++] = option;
    }
  }
  *out_options = (EnvelopeOptions){count, options};
  return SUP_OK;
}
