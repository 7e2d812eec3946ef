/* SPDX-License-Identifier: MIT */
/* What the body is made of, bone by bone; whose tetrahedra it has; its muscles. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/sim_options.h"
#include "supple/author/find_joint.h"
#include "supple/author/soft_parts.h"
#include "supple/io/tets.h"

/* ---- Bones by name -------------------------------------------------------------------------- */

SupResult cli_find_bone(const SupCharacter *character, const char *option, const char *name,
                        size_t length, uint32_t *out_joint, SupError *error) {
  const SupSkeleton *skeleton = &character->skeleton;
  char word[256];
  sup_format(word, length + 1 < sizeof word ? length + 1 : sizeof word, "%s", name);
  SupResult result = sup_find_joint(skeleton, option, word, out_joint, error);
  for (uint32_t b = 0; b < skeleton->bone_count && result == SUP_OK; b++) {
    if (skeleton->bone_joints[b] == *out_joint) return SUP_OK;
  }
  if (result != SUP_OK) return result;
  return sup_fail(error, SUP_ERROR_ARGUMENT,
                  "--%s: '%s' only carries other joints, no skin hangs on it; give one of those "
                  "below it (`supple info --bones` shows them)",
                  option, skeleton->names[*out_joint]);
}

/* BONE=VALUE, split at the last '='. */
static SupResult split(const SupCharacter *character, const char *option, const char *text,
                       uint32_t *out_joint, const char **out_value, SupError *error) {
  const char *equals = strrchr(text, '=');
  if (!equals || equals == text || !equals[1]) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "--%s '%s' is not of the form BONE=VALUE", option,
                    text);
  }
  *out_value = equals + 1;
  return cli_find_bone(character, option, text, (size_t)(equals - text), out_joint, error);
}

/* ---- Zones ----------------------------------------------------------------------------------- */

/* Marks the joints that the k-th value of an option gives, with all below them. */
static SupResult find_below(CliContext *cli, const SupSkeleton *skeleton, const char *option,
                            uint32_t k, bool *out_marked, SupError *error) {
  for (uint32_t j = 0; j < skeleton->joint_count; j++) out_marked[j] = false;
  SupResult result =
      sup_find_joints(skeleton, option, cli_text_at(cli->arguments, option, k), out_marked, error);
  if (result == SUP_OK) sup_mark_below(skeleton, out_marked);
  return result;
}

SupResult cli_read_zones(CliContext *cli, const SupCharacter *character, const uint32_t **out_zones,
                         SupError *error) {
  const SupSkeleton *skeleton = &character->skeleton;
  const uint32_t count = cli_count(cli->arguments, "zone");
  if (count == 0) return SUP_OK;
  uint32_t *zones = SUP_ALLOC(cli->arena, uint32_t, skeleton->bone_count);
  bool *marked = SUP_ALLOC(cli->arena, bool, skeleton->joint_count);
  if (!zones || !marked) return sup_fail_memory(error, NULL);
  for (uint32_t b = 0; b < skeleton->bone_count; b++) zones[b] = SUP_NONE;
  for (uint32_t i = 0; i < count; i++) {
    SupResult result = find_below(cli, skeleton, "zone", i, marked, error);
    if (result != SUP_OK) return result;
    for (uint32_t b = 0; b < skeleton->bone_count; b++) {
      if (marked[skeleton->bone_joints[b]]) zones[b] = i;
    }
  }
  *out_zones = zones;
  return SUP_OK;
}

/* ---- Materials ------------------------------------------------------------------------------ */

static SupResult read_bone_materials(CliContext *cli, const SupCharacter *character, SupSimDef *def,
                                     SupError *error) {
  const SupSkeleton *skeleton = &character->skeleton;
  uint32_t count = cli_count(cli->arguments, "bone-material");
  if (count == 0) return SUP_OK;
  SupMaterialDef *materials = SUP_ALLOC(cli->arena, SupMaterialDef, skeleton->bone_count);
  if (!materials) return sup_fail_memory(error, NULL);
  for (uint32_t b = 0; b < skeleton->bone_count; b++) materials[b] = def->material;
  for (uint32_t k = 0; k < count; k++) {
    uint32_t joint = 0;
    const char *name = "";
    SupMaterialDef material;
    SupResult result = split(character, "bone-material",
                             cli_text_at(cli->arguments, "bone-material", k), &joint, &name, error);
    if (result == SUP_OK) result = sup_material_preset(name, &material, error);
    if (result != SUP_OK) return result;
    for (uint32_t b = 0; b < skeleton->bone_count; b++) {
      if (skeleton->bone_joints[b] == joint) materials[b] = material;
    }
  }
  def->bone_materials = materials;
  return SUP_OK;
}

static SupResult read_bone_stiffness(CliContext *cli, const SupCharacter *character, SupSimDef *def,
                                     SupError *error) {
  const SupSkeleton *skeleton = &character->skeleton;
  uint32_t count = cli_count(cli->arguments, "bone-stiffness");
  if (count == 0) return SUP_OK;
  float *factors = SUP_ALLOC(cli->arena, float, skeleton->bone_count);
  if (!factors) return sup_fail_memory(error, NULL);
  for (uint32_t b = 0; b < skeleton->bone_count; b++) factors[b] = 1;
  for (uint32_t k = 0; k < count; k++) {
    const char *text = cli_text_at(cli->arguments, "bone-stiffness", k), *value = "";
    uint32_t joint = 0, numbers;
    double factor;
    SupResult result = split(character, "bone-stiffness", text, &joint, &value, error);
    if (result != SUP_OK) return result;
    if (!cli_read_numbers(value, &factor, 1, 1, &numbers) || !(factor >= 0.01 && factor <= 1e4)) {
      return cli_bad_numbers("bone-stiffness", text, "BONE=FACTOR, from 0.01 to 10000", error);
    }
    for (uint32_t b = 0; b < skeleton->bone_count; b++) {
      if (skeleton->bone_joints[b] == joint) factors[b] = (float)factor;
    }
  }
  def->bone_stiffness = factors;
  return SUP_OK;
}

SupResult cli_read_tissue(CliContext *cli, const SupCharacter *character, SupSimDef *io_def,
                          SupError *error) {
  SupResult result = read_bone_materials(cli, character, io_def, error);
  return result == SUP_OK ? read_bone_stiffness(cli, character, io_def, error) : result;
}

void cli_read_care(const CliArguments *arguments, SupSimDef *io_def) {
  io_def->attach.thin_flesh = cli_flag(arguments, "thin-flesh");
  io_def->allow_inverted = cli_flag(arguments, "allow-inverted");
}

void cli_report_flesh(CliReport *report, const SupFleshChoice *choice) {
  if (choice->frequency == 0) return;
  cli_report_begin_object(report, "flesh");
  cli_report_number(report, "metres_per_unit", choice->unit);
  cli_report_number(report, "size", choice->size);
  cli_report_number(report, "natural_frequency", choice->natural);
  cli_report_number(report, "frequency", choice->frequency);
  cli_report_number(report, "young", choice->young);
  cli_report_number(report, "damping_ratio", choice->damping);
  cli_report_number(report, "expected_swing", choice->swing);
  cli_report_number(report, "felt", choice->felt);
  cli_report_integer(report, "clips", choice->clip_count);
  cli_report_number(report, "seconds", choice->seconds);
  cli_report_end(report);
}

/* ---- Tetrahedra ----------------------------------------------------------------------------- */

SupResult cli_read_volume(CliContext *cli, const SupCharacter *character, SupFillDef *out_def,
                          SupFill *out_volume, SupFillReport *out_report, SupError *error) {
  const char *text = cli_text(cli->arguments, "tets");
  bool given = cli_count(cli->arguments, "tets") > 0,
       spaced = cli_count(cli->arguments, "edge") > 0;
  *out_volume = (SupFill){0};
  if (given && spaced) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "give --tets or --edge: each says what the other is");
  }
  *out_def = (SupFillDef){.edge = spaced ? cli_number(cli->arguments, "edge") : 0};
  if (spaced) return SUP_OK;
  if (text[strspn(text, "0123456789")] == 0) {
    double count = strtod(text, NULL);
    if (!(count >= 50 && count <= 5e6)) {
      return sup_fail(error, SUP_ERROR_ARGUMENT, "--tets: %s is not between 50 and 5000000", text);
    }
    out_def->tet_target = (uint32_t)count;
    return SUP_OK;
  }
  SupTetMesh mesh;
  SupTetsReport report;
  SupFill volume;
  SupResult result = sup_tets_read(cli->arena, text, &mesh, &report, error);
  if (result != SUP_OK) return result;
  result = sup_fill_given(cli->arena, &character->body, &mesh, &volume, out_report, error);
  if (result != SUP_OK) {
    sup_error_prefix(error, "%s", text);
    return result;
  }
  if (report.flat_count) {
    cli_say(cli, "note: %u tetrahedra without volume are left out\n", report.flat_count);
  }
  if (out_report->dihedral_least < 10) {
    cli_say(cli, "note: the smallest dihedral angle is %.1f degrees; below 10 flesh gets stiff\n",
            out_report->dihedral_least);
  }
  *out_volume = volume;
  return SUP_OK;
}

/* ---- Muscles -------------------------------------------------------------------------------- */

static SupResult read_fractions(CliContext *cli, const SupCharacter *character,
                                SupMuscleDef *muscles, SupError *error) {
  const SupSkeleton *skeleton = &character->skeleton;
  uint32_t count = cli_count(cli->arguments, "muscle");
  const char *map = cli_text(cli->arguments, "muscle-map");
  if (map) {
    SupResult result = cli_find_map(character, "muscle-map", map, &muscles->vertex_fraction, error);
    if (result != SUP_OK) return result;
  }
  if (count == 0) return SUP_OK;
  float *fraction = SUP_ALLOC(cli->arena, float, skeleton->bone_count);
  if (!fraction) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < count; k++) {
    const char *name = cli_text_at(cli->arguments, "muscle", k);
    uint32_t joint = 0;
    SupResult result = cli_find_bone(character, "muscle", name, strlen(name), &joint, error);
    if (result != SUP_OK) return result;
    for (uint32_t b = 0; b < skeleton->bone_count; b++) {
      if (skeleton->bone_joints[b] == joint) fraction[b] = 1;
    }
  }
  muscles->bone_fraction = fraction;
  return SUP_OK;
}

static SupResult read_fibres(CliContext *cli, SupMuscleDef *muscles, SupError *error) {
  const char *same = cli_text(cli->arguments, "fibre");
  const char *path = cli_text(cli->arguments, "fibre-field");
  const double *rows = NULL;
  double one[6] = {0};
  uint32_t count = 0;
  if (same && path) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "give --fibre or --fibre-field, not both");
  }
  if (same) {
    if (!cli_read_numbers(same, one + 3, 3, 3, &count)) {
      return cli_bad_numbers("fibre", same, "X,Y,Z", error);
    }
    rows = one;
    count = 1;
  } else if (path) {
    SupResult result = cli_read_rows(cli, path, 6, "x y z dx dy dz", &rows, &count, error);
    if (result != SUP_OK) return result;
    if (count == 0) return sup_fail(error, SUP_ERROR_FORMAT, "%s: there is no fibre", path);
  }
  SupFibre *fibres = SUP_ALLOC(cli->arena, SupFibre, count);
  if (!fibres) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < count; k++) {
    const double *n = rows + 6 * (size_t)k;
    fibres[k] = (SupFibre){{n[0], n[1], n[2]}, {n[3], n[4], n[5]}};
  }
  muscles->fibres = fibres;
  muscles->fibre_count = count;
  return SUP_OK;
}

SupResult cli_read_muscles(CliContext *cli, const SupCharacter *character, SupSimDef *io_def,
                           SupError *error) {
  SupMuscleDef *muscles = &io_def->muscles;
  muscles->tension = cli_count(cli->arguments, "tension") ? cli_number(cli->arguments, "tension")
                                                          : io_def->material.young / 2;
  SupResult result = read_fractions(cli, character, muscles, error);
  return result == SUP_OK ? read_fibres(cli, muscles, error) : result;
}

SupResult cli_refuse_muscles(const CliArguments *arguments, SupError *error) {
  static const char *const names[] = {"tension", "muscle",      "muscle-map",
                                      "fibre",   "fibre-field", "pull"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    if (cli_count(arguments, names[k]) == 0) continue;
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--%s is about muscles; they pull in `supple simulate clench IN.glb`",
                    names[k]);
  }
  return SUP_OK;
}

SupResult cli_read_pulls(CliContext *cli, const SupSimPull **out_pulls, uint32_t *out_count,
                         SupError *error) {
  const uint32_t count = cli_count(cli->arguments, "pull");
  SupSimPull *pulls = SUP_ALLOC(cli->arena, SupSimPull, count);
  if (!pulls) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < count; k++) {
    const char *text = cli_text_at(cli->arguments, "pull", k);
    double n[3] = {0, 0, 0.05};
    uint32_t found;
    if (!cli_read_numbers(text, n, 2, 3, &found) || !(n[1] > n[0]) || !(n[2] >= 0)) {
      return cli_bad_numbers("pull", text, "FROM,UNTIL or FROM,UNTIL,RISE", error);
    }
    pulls[k] = (SupSimPull){n[0], n[1], n[2]};
  }
  *out_pulls = pulls;
  *out_count = count;
  return SUP_OK;
}
