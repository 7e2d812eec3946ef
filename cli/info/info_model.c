/* SPDX-License-Identifier: MIT */
/* What `supple info` says about models, in a file or alone. */
#include <string.h>

#include "info/info.h"
#include "supple/author/fingerprint.h"
#include "supple/author/rigspace_pack.h"
#include "supple/io/file.h"
#include "supple/technique.h"

/* The techniques of this build, or those of set-ups, which no stack holds. */
static const SupTechnique *const *techniques_of(const SupModel *model) {
  return model->kind == SUP_RIGSPACE_KIND ? sup_rigspace_techniques : NULL;
}

/* What a block's own kind is called, or its four letters. */
static const char *kind_name(const SupModel *model, char *buffer) {
  const SupTechnique *technique = sup_technique_find(techniques_of(model), model->kind);
  if (technique) return technique->name;
  sup_fourcc_text(model->kind, buffer);
  return buffer;
}

static void note_kinship(Info *info, const char *name, const SupModel *model, const SupMesh *body) {
  SupFingerprint print = sup_fingerprint(body);
  SupKinship kin = sup_fingerprint_compare(&model->mesh, &print);
  if (kin == SUP_KIN_STRANGE) {
    info_note(info,
              "The %s model was made for a mesh with other vertices (%s, this one has %s). If the "
              "mesh was only reordered or quantised by another tool, --rebind finds them again; "
              "otherwise build "
              "the model again.",
              name, cli_count_text(model->mesh.vertex_count).text,
              cli_count_text(body->vertex_count).text);
  } else if (kin == SUP_KIN_MOVED) {
    info_note(info,
              "The mesh has been reshaped since the %s model was made. --rebind carries the model "
              "over; or build it again.",
              name);
  }
}

/* ---- What the technique says of a model ------------------------------------------------------ */

static void say_line(void *user, const char *label, const char *text) {
  const Info *info = user;
  info_line(info, label, "%s", cli_shown(info->cli, text));
}

static void say_number(void *user, const char *key, double value) {
  CliReport *report = ((const Info *)user)->cli->report;
  if (value == (double)(int64_t)value) {
    cli_report_integer(report, key, (int64_t)value);
  } else {
    cli_report_float(report, key, (float)value);
  }
}

static void say_flag(void *user, const char *key, bool value) {
  cli_report_bool(((const Info *)user)->cli->report, key, value);
}

static void say_text(void *user, const char *key, const char *value) {
  cli_report_text(((const Info *)user)->cli->report, key, value);
}

static void say_open(void *user, const char *key, bool array) {
  CliReport *report = ((const Info *)user)->cli->report;
  if (array) {
    cli_report_begin_array(report, key);
  } else {
    cli_report_begin_object(report, key);
  }
}

static void say_close(void *user) { cli_report_end(((const Info *)user)->cli->report); }

void info_model(Info *info, const void *data, size_t bytes, const SupMesh *body) {
  SupError error;
  char letters[5];
  const SupModel *model = sup_arena_copy(info->arena, data, bytes, 1);
  SupResult result =
      model ? sup_model_check_container(model, bytes, &error) : sup_fail_memory(&error, NULL);
  CliReport *report = info->cli->report;
  cli_report_begin_object(report, NULL);
  if (result == SUP_OK) {
    const SupFacts facts = {info, say_line, say_number, say_flag, say_text, say_open, say_close};
    const char *name = kind_name(model, letters);
    if (body && model->mesh.vertex_count) note_kinship(info, name, model, body);
    cli_report_hash(report, "fingerprint", model->mesh.topology);
    result = sup_model_describe(model, techniques_of(model), &facts, &error);
  } else {
    info_line(info, "model", "damaged");
  }
  cli_report_integer(report, "bytes", (int64_t)bytes);
  cli_report_bool(report, "usable", result == SUP_OK);
  cli_report_end(report);
  if (result != SUP_OK) info_note(info, "A model cannot be used: %s.", error.text);
}

SupResult info_model_file(Info *info, const char *path, SupError *error) {
  const uint8_t *data;
  size_t bytes;
  SupResult result = sup_file_read(info->arena, path, &data, &bytes, error);
  if (result != SUP_OK) return result;
  result = sup_file_refuse_other(data, bytes, SUP_WANTED_MODEL, error);
  if (result == SUP_OK) result = sup_model_check_container(data, bytes, error);
  if (result != SUP_OK) {
    sup_error_prefix(error, "%s", path);
    return result;
  }
  const SupModel *model = (const SupModel *)data;
  cli_say(info->cli, "%s: %s\n", path,
          model->kind == SUP_RIGSPACE_KIND ? "a set-up for `supple play --as curves`"
                                           : "a model for engines");
  cli_report_begin_array(info->cli->report, "models");
  info_model(info, data, bytes, NULL);
  cli_report_end(info->cli->report);
  if (model->mesh.vertex_count) {
    info_line(info, "mesh", "%s body vertices, %s triangles",
              cli_count_text(model->mesh.vertex_count).text,
              cli_count_text(model->mesh.triangle_count).text);
  }
  const SupModelSection *sections = (const SupModelSection *)(model + 1);
  for (uint32_t k = 0; k < model->section_count; k++) {
    char name[5];
    sup_fourcc_text(sections[k].id, name);
    info_line(info, k ? "" : "sections", "%s  %s x %u bytes", name,
              cli_count_text(sections[k].count).text, sections[k].item_bytes);
  }
  return SUP_OK;
}
