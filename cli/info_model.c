/* SPDX-License-Identifier: MIT */
/* What `supple info` says about models, in a file or alone. */
#include <string.h>

#include "info.h"
#include "supple/author/fingerprint.h"
#include "supple/author/surface_build.h"
#include "supple/helpers.h"
#include "supple/io/file.h"
#include "supple/technique.h"

/* What a block's own kind is called, or its four letters. */
static const char *kind_name(const SupModel *model, char *buffer) {
  const SupTechnique *technique = sup_technique_find(NULL, model->kind);
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
              "mesh was only reordered by another tool, --rebind finds them again; otherwise build "
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

/* How flesh swings in one direction. */
typedef struct Swing {
  float low, high, softest; /* Hz, Hz, damping ratio at the lowest */
  uint32_t moving;          /* vertices */
} Swing;

static bool measure_swing(const Info *info, const SupModel *model, uint32_t stiffness,
                          uint32_t drag, Swing *out) {
  const uint32_t n = sup_surface_view(model).skin.vertex_count;
  const uint32_t maps[3] = {stiffness, drag, SUP_SURFACE_ETA};
  float *rows[3];
  for (uint32_t k = 0; k < 3; k++) {
    rows[k] = SUP_ALLOC(info->arena, float, n);
    if (!rows[k]) return false;
    sup_surface_get_map(model, maps[k], rows[k]);
  }
  *out = (Swing){.low = 1e30f};
  for (uint32_t v = 0; v < n; v++) {
    if (rows[2][v] > 0.9f) continue; /* skin that only follows */
    float frequency, damping;
    sup_surface_tuning(rows[0][v], rows[1][v], model->h, &frequency, &damping);
    out->moving++;
    if (frequency > out->high) out->high = frequency;
    if (frequency < out->low) out->low = frequency, out->softest = damping > 0 ? damping : 0;
  }
  return true;
}

/* The same along the normal, where that has numbers of its own. */
static void info_normal_swing(const Info *info, const SupModel *model) {
  CliReport *report = info->cli->report;
  Swing swing;
  if (!measure_swing(info, model, SUP_SURFACE_MAP_NORMAL_ALPHA, SUP_SURFACE_MAP_NORMAL_DELTA,
                     &swing)) {
    return;
  }
  info_line(info, "",
            "that is along the skin; along its normal %.2g to %.2g Hz, damping ratio %.2g",
            (double)swing.low, (double)swing.high, (double)swing.softest);
  cli_report_float(report, "normal_lowest_frequency", swing.low);
  cli_report_float(report, "normal_highest_frequency", swing.high);
  cli_report_float(report, "normal_damping_ratio", swing.softest);
}

/* How the flesh swings, in words that people know. */
static void info_surface_model(Info *info, const SupModel *model) {
  const SupSurfaceView view = sup_surface_view(model);
  const bool punctual = view.flags & SUP_SURFACE_PUNCTUAL;
  CliReport *report = info->cli->report;
  Swing swing;
  if (!measure_swing(info, model, SUP_SURFACE_ALPHA, SUP_SURFACE_DELTA, &swing)) return;
  cli_report_integer(report, "moving_vertices", swing.moving);
  cli_report_bool(report, "punctual", punctual);
  if (!swing.moving) {
    info_line(info, "flesh", "none: every vertex follows its bones%s",
              punctual ? ", undelayed" : "");
    return;
  }
  info_line(info, "flesh",
            "%.2g to %.2g Hz, damping ratio %.2g at the softest, on %s of %s vertices",
            (double)swing.low, (double)swing.high, (double)swing.softest,
            cli_count_text(swing.moving).text, cli_count_text(view.skin.vertex_count).text);
  cli_report_float(report, "lowest_frequency", swing.low);
  cli_report_float(report, "highest_frequency", swing.high);
  cli_report_float(report, "damping_ratio", swing.softest);
  if (view.flags & SUP_SURFACE_NORMAL) info_normal_swing(info, model);
  if (punctual)
    info_line(info, "", "undelayed feed-forward: what follows the bones is not a step late");
}

/* The materials that helpers know. */
static void info_helpers_model(Info *info, const SupModel *model) {
  const SupHelpersView view = sup_helpers_view(model);
  CliReport *report = info->cli->report;
  cli_report_integer(report, "helpers", view.helper_count);
  cli_report_begin_array(report, "materials");
  for (uint32_t k = 0; k < view.material_count; k++) {
    const char *name = sup_helpers_material(&view, k);
    const double share = (double)view.shares[k],
                 pitch = (double)view.shares[view.material_count + k];
    const double ratio = pitch / (double)view.shares[view.material_count];
    info_line(info, k ? "" : "made of", "%s, fraction %.3g", cli_shown(info->cli, name), share);
    if (ratio != 1) info_line(info, "", "  frequency ratio %.3g to the first", ratio);
    cli_report_begin_object(report, NULL);
    cli_report_text(report, "name", name);
    cli_report_number(report, "share", share);
    cli_report_number(report, "pitch", pitch);
    cli_report_end(report);
  }
  cli_report_end(report);
}

void info_model(Info *info, const void *data, size_t bytes, const SupMesh *body) {
  SupError error;
  char letters[5];
  const char *name = "damaged";
  const SupModel *model = sup_arena_copy(info->arena, data, bytes, 1);
  SupResult result =
      model ? sup_model_check_container(model, bytes, &error) : sup_fail_memory(&error, NULL);
  CliReport *report = info->cli->report;
  cli_report_begin_object(report, NULL);
  if (result == SUP_OK) {
    name = kind_name(model, letters);
    info_line(info, "model", "%s, version %u, %s, steps of %.4g ms", name, model->version,
              cli_bytes_text(model->bytes).text, 1e3 * (double)model->h);
    if (body && model->mesh.vertex_count) note_kinship(info, name, model, body);
    cli_report_text(report, "kind", name);
    cli_report_integer(report, "version", model->version);
    cli_report_float(report, "h", model->h);
    cli_report_integer(report, "vertices", model->mesh.vertex_count);
    cli_report_hash(report, "fingerprint", model->mesh.topology);
    result = sup_model_check(model, bytes, NULL, &error);
    if (result == SUP_OK && model->kind == SUP_SURFACE_KIND) info_surface_model(info, model);
    if (result == SUP_OK && model->kind == SUP_HELPERS_KIND) info_helpers_model(info, model);
  } else {
    info_line(info, "model", "%s", name);
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
  result = sup_model_check_container(data, bytes, error);
  if (result != SUP_OK) {
    sup_error_prefix(error, "%s", path);
    return result;
  }
  cli_say(info->cli, "%s: a model for engines\n", path);
  const SupModel *model = (const SupModel *)data;
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
