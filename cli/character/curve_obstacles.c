/* SPDX-License-Identifier: MIT */
/* --ground, --plane, --obstacle and --capsule of `play --as curves`: still, with a velocity, with a
 * joint or along a path. */
#include <string.h>

#include "character/curve_options.h"
#include "simulate/sim_options.h"
#include "supple/app/play_curves.h"

static SupVec3d vector(const double *n) { return (SupVec3d){n[0], n[1], n[2]}; }

static bool ends_in_csv(const char *text) {
  const size_t length = strlen(text);
  return length > 4 && strcmp(text + length - 4, ".csv") == 0;
}

/* What stands behind the @: a path in a .csv, or a joint. */
static SupResult read_carrier(CliContext *cli, const char *option, const char *text,
                              SupCurvesObstacle *out, SupError *error) {
  if (!*text) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--%s: behind the @ stands a joint, or a path (.csv: time x y z)", option);
  }
  if (!ends_in_csv(text)) {
    out->joint = text;
    return SUP_OK;
  }
  SupResult result = cli_read_rows(cli, text, 4, "time x y z, in seconds and metres", &out->path,
                                   &out->path_count, error);
  if (result == SUP_OK && out->path_count == 0) {
    return sup_fail(error, SUP_ERROR_FORMAT, "%s is empty; a path has rows of time x y z", text);
  }
  return result;
}

static SupResult read_shape(const char *option, const char *numbers, bool carried,
                            SupCurvesObstacle *out, SupError *error) {
  const bool plane = strcmp(option, "plane") == 0, ball = strcmp(option, "obstacle") == 0;
  const uint32_t places = ball ? 3 : 6, least = plane ? 6 : places + 1;
  double n[10] = {0};
  uint32_t count = 0;
  bool good = cli_read_numbers(numbers, n, least, least + 3, &count) &&
              (count == least || (count == least + 3 && !carried));
  out->shape = (SupRigspaceObstacle){.plane = plane, .a = vector(n), .b = vector(ball ? n : n + 3)};
  out->velocity = vector(n + least);
  if (plane) {
    good = good && sup_vec3d_dot(out->shape.b, out->shape.b) > 0;
  } else {
    good = good && n[places] > 0;
    out->shape.radius = n[places];
  }
  if (good) return SUP_OK;
  return cli_bad_numbers(
      option, numbers,
      plane  ? "X,Y,Z,NX,NY,NZ with a normal that is not 0, then VX,VY,VZ or @JOINT or @PATH.csv"
      : ball ? "X,Y,Z,R with R > 0, then maybe VX,VY,VZ or @JOINT or @PATH.csv"
             : "AX,AY,AZ,BX,BY,BZ,R with R > 0, then maybe VX,VY,VZ or @JOINT or @PATH.csv",
      error);
}

static SupResult read_one(CliContext *cli, const char *option, const char *text,
                          SupCurvesObstacle *out, SupError *error) {
  const char *at = strchr(text, '@');
  const size_t length = at ? (size_t)(at - text) : strlen(text);
  const char *numbers = sup_arena_string(cli->arena, text, length);
  if (!numbers) return sup_fail_memory(error, NULL);
  *out = (SupCurvesObstacle){.option = option};
  SupResult result = read_shape(option, numbers, at != NULL, out, error);
  return result == SUP_OK && at ? read_carrier(cli, option, at + 1, out, error) : result;
}

SupResult cli_read_curve_obstacles(CliContext *cli, SupCurvesDef *def, SupError *error) {
  static const char *const names[] = {"obstacle", "capsule", "plane"};
  const CliArguments *arguments = cli->arguments;
  uint32_t most = 1, count = 0;
  for (int k = 0; k < 3; k++) most += cli_count(arguments, names[k]);
  SupCurvesObstacle *all = SUP_ALLOC(cli->arena, SupCurvesObstacle, most);
  if (!all) return sup_fail_memory(error, NULL);
  for (int k = 0; k < 3; k++) {
    for (uint32_t i = 0; i < cli_count(arguments, names[k]); i++) {
      SupResult result =
          read_one(cli, names[k], cli_text_at(arguments, names[k], i), &all[count++], error);
      if (result != SUP_OK) return result;
    }
  }
  if (cli_count(arguments, "ground")) {
    all[count++] = (SupCurvesObstacle){
        .option = "ground",
        .shape = {.plane = true, .a = {0, cli_number(arguments, "ground"), 0}, .b = {0, 1, 0}}};
  }
  def->obstacle_count = count;
  def->obstacles = all;
  return SUP_OK;
}
