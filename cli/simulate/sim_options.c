/* SPDX-License-Identifier: MIT */
/* The material and the forces out of options. */
#include "simulate/sim_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats.h"
#include "supple/io/file.h"

bool cli_read_numbers(const char *text, double *out, uint32_t least, uint32_t most,
                      uint32_t *out_count) {
  uint32_t count = 0;
  while (*text && count < most) {
    char *end;
    out[count] = strtod(text, &end);
    if (end == text || !isfinite(out[count])) return false;
    count++;
    text = end + strspn(end, ", \t\r");
  }
  *out_count = count;
  return !*text && count >= least;
}

SupResult cli_bad_numbers(const char *option, const char *text, const char *form, SupError *error) {
  return sup_fail(error, SUP_ERROR_ARGUMENT, "--%s '%s' is not of the form %s", option, text, form);
}

SupResult cli_read_material(const CliArguments *arguments, SupMaterialDef *out, SupError *error) {
  SupResult result = sup_material_preset(cli_text(arguments, "material"), out, error);
  if (result != SUP_OK) return result;
  if (cli_count(arguments, "kind")) out->kind = (SupMaterialKind)cli_integer(arguments, "kind");
  struct {
    const char *name;
    double *number;
  } rows[] = {{"young", &out->young},     {"poisson", &out->poisson},
              {"density", &out->density}, {"damping", &out->damping},
              {"drag", &out->drag},       {"stiffening", &out->stiffening}};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    if (cli_count(arguments, rows[k].name)) *rows[k].number = cli_number(arguments, rows[k].name);
  }
  return sup_material_check(out, error);
}

SupResult cli_read_flesh_units(const CliArguments *arguments, double *io_unit, SupError *error) {
  const char *text = cli_text(arguments, "units");
  return strcmp(text, "auto") == 0 ? SUP_OK : cli_read_unit(text, io_unit, error);
}

/* ---- Rows ----------------------------------------------------------------------------------- */

SupResult cli_read_rows(CliContext *cli, const char *path, uint32_t width, const char *form,
                        const double **out_rows, uint32_t *out_count, SupError *error) {
  const uint8_t *data;
  size_t bytes;
  SupResult result = sup_file_read(cli->arena, path, &data, &bytes, error);
  if (result != SUP_OK) return result;
  char *text = sup_arena_string(cli->arena, (const char *)data, bytes);
  size_t lines = 1;
  for (size_t k = 0; text && k < bytes; k++) lines += text[k] == '\n';
  double *rows = SUP_ALLOC(cli->arena, double, lines *width);
  if (!text || !rows) return sup_fail_memory(error, NULL);
  uint32_t count = 0, line = 0;
  for (char *at = text; at;) {
    char *end = strchr(at, '\n');
    if (end) *end = 0;
    line++;
    at += strspn(at, " \t\r");
    if (*at && *at != '#') {
      uint32_t found;
      if (!cli_read_numbers(at, rows + (size_t)width * count, width, width, &found)) {
        return sup_fail(error, SUP_ERROR_FORMAT, "%s, line %u: wanted %s", path, line, form);
      }
      count++;
    }
    at = end ? end + 1 : NULL;
  }
  *out_rows = rows;
  *out_count = count;
  return SUP_OK;
}

/* ---- Things in the way ---------------------------------------------------------------------- */

static SupVec3d vector(const double *n) { return (SupVec3d){n[0], n[1], n[2]}; }

/* A ball X,Y,Z,R, a capsule A,B,R, each maybe with a velocity behind; a plane through X,Y,Z. */
static SupResult read_obstacle(const char *option, const char *text, SupObstacle *out,
                               SupError *error) {
  double n[10] = {0};
  uint32_t count;
  if (strcmp(option, "plane") == 0) {
    SupVec3d normal = {0, 0, 0};
    if (cli_read_numbers(text, n, 6, 6, &count)) normal = vector(n + 3);
    if (!(sup_vec3d_dot(normal, normal) > 0)) {
      return cli_bad_numbers(option, text, "X,Y,Z,NX,NY,NZ with a normal that is not 0", error);
    }
    *out = (SupObstacle){SUP_OBSTACLE_PLANE, vector(n), normal, 0, {0, 0, 0}};
    return SUP_OK;
  }
  bool ball = strcmp(option, "obstacle") == 0;
  uint32_t places = ball ? 3 : 6, least = places + 1;
  bool good = cli_read_numbers(text, n, least, least + 3, &count) && n[places] > 0 &&
              (count == least || count == least + 3);
  if (!good) {
    return cli_bad_numbers(option, text,
                           ball ? "X,Y,Z,R or X,Y,Z,R,VX,VY,VZ with R > 0"
                                : "AX,AY,AZ,BX,BY,BZ,R with R > 0, and maybe VX,VY,VZ",
                           error);
  }
  *out = (SupObstacle){SUP_OBSTACLE_CAPSULE, vector(n), vector(ball ? n : n + 3), n[places],
                       vector(n + least)};
  return SUP_OK;
}

static SupResult read_obstacles(CliContext *cli, SupForces *forces, SupError *error) {
  const CliArguments *arguments = cli->arguments;
  static const char *const names[] = {"obstacle", "capsule", "plane"};
  uint32_t most = 1, made = 0;
  for (int k = 0; k < 3; k++) most += cli_count(arguments, names[k]);
  SupObstacle *obstacles = SUP_ALLOC(cli->arena, SupObstacle, most);
  if (!obstacles) return sup_fail_memory(error, NULL);
  for (int k = 0; k < 3; k++) {
    for (uint32_t i = 0; i < cli_count(arguments, names[k]); i++) {
      SupResult result =
          read_obstacle(names[k], cli_text_at(arguments, names[k], i), &obstacles[made++], error);
      if (result != SUP_OK) return result;
    }
  }
  if (cli_count(arguments, "ground")) {
    obstacles[made++] = (SupObstacle){
        SUP_OBSTACLE_PLANE, {0, cli_number(arguments, "ground"), 0}, {0, 1, 0}, 0, {0, 0, 0}};
  }
  forces->obstacles = obstacles;
  forces->obstacle_count = made;
  return SUP_OK;
}

static SupResult read_pushes(CliContext *cli, SupForces *forces, SupError *error) {
  uint32_t pushes = cli_count(cli->arguments, "push");
  SupPush *list = SUP_ALLOC(cli->arena, SupPush, pushes);
  if (!list) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < pushes; k++) {
    const char *text = cli_text_at(cli->arguments, "push", k);
    double n[8];
    uint32_t count;
    if (!cli_read_numbers(text, n, 8, 8, &count) || !(n[4] > 0)) {
      return cli_bad_numbers("push", text, "T,X,Y,Z,R,IX,IY,IZ with R > 0", error);
    }
    list[k] = (SupPush){n[0], 0, {n[1], n[2], n[3]}, n[4], {n[5], n[6], n[7]}};
  }
  forces->pushes = list;
  forces->push_count = pushes;
  return SUP_OK;
}

static SupResult read_track(CliContext *cli, SupForces *forces, SupError *error) {
  const char *path = cli_text(cli->arguments, "force-track");
  const char *form = "rising times and: time x y z radius fx fy fz";
  const double *rows = NULL;
  uint32_t count = 0;
  if (!path) return SUP_OK;
  SupResult result = cli_read_rows(cli, path, 8, form, &rows, &count, error);
  if (result != SUP_OK) return result;
  SupForceKey *keys = SUP_ALLOC(cli->arena, SupForceKey, count);
  if (!keys) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < count; k++) {
    const double *n = rows + 8 * (size_t)k;
    keys[k] = (SupForceKey){n[0], vector(n + 1), n[4], vector(n + 5)};
    if (!(n[4] > 0) || (k && n[0] <= keys[k - 1].time)) {
      return sup_fail(error, SUP_ERROR_FORMAT, "%s, key %u: wanted %s, with radius > 0", path,
                      k + 1, form);
    }
  }
  forces->keys = keys;
  forces->key_count = count;
  return SUP_OK;
}

SupResult cli_read_forces(CliContext *cli, SupForces *forces, SupError *error) {
  forces->gravity.y = -cli_number(cli->arguments, "gravity");
  forces->bone_contact = cli_flag(cli->arguments, "bone-contact");
  const char *wind = cli_text(cli->arguments, "wind");
  if (wind) {
    double n[3];
    uint32_t count;
    if (!cli_read_numbers(wind, n, 3, 3, &count))
      return cli_bad_numbers("wind", wind, "X,Y,Z", error);
    forces->wind = (SupVec3d){n[0], n[1], n[2]};
    forces->air_density = 1.2;
  }
  SupResult result = read_obstacles(cli, forces, error);
  if (result == SUP_OK) result = read_pushes(cli, forces, error);
  if (result == SUP_OK) result = read_track(cli, forces, error);
  return result;
}
