/* SPDX-License-Identifier: MIT */
/* Flesh and forces out of options. */
#include "sim_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "supple/io/file.h"

/* `count` numbers between commas or blanks; false if there are more, fewer or something else. */
static bool read_numbers(const char *text, double *out, uint32_t least, uint32_t most,
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

static SupResult bad_numbers(const char *option, const char *text, const char *form,
                             SupError *error) {
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

static SupResult read_obstacles(CliContext *cli, SupForces *forces, SupError *error) {
  const CliArguments *arguments = cli->arguments;
  uint32_t balls = cli_count(arguments, "obstacle");
  bool ground = cli_count(arguments, "ground") > 0;
  SupObstacle *obstacles = SUP_ALLOC(cli->arena, SupObstacle, balls + 1);
  if (!obstacles) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory");
  for (uint32_t k = 0; k < balls; k++) {
    const char *text = cli_text_at(arguments, "obstacle", k);
    double n[7] = {0};
    uint32_t count;
    if (!read_numbers(text, n, 4, 7, &count) || !(n[3] > 0) || count == 5 || count == 6) {
      return bad_numbers("obstacle", text, "X,Y,Z,R or X,Y,Z,R,VX,VY,VZ with R > 0", error);
    }
    SupVec3d centre = {n[0], n[1], n[2]};
    obstacles[k] = (SupObstacle){SUP_OBSTACLE_CAPSULE, centre, centre, n[3], {n[4], n[5], n[6]}};
  }
  if (ground) {
    obstacles[balls] = (SupObstacle){
        SUP_OBSTACLE_PLANE, {0, cli_number(arguments, "ground"), 0}, {0, 1, 0}, 0, {0, 0, 0}};
  }
  forces->obstacles = obstacles;
  forces->obstacle_count = balls + ground;
  return SUP_OK;
}

static SupResult read_pushes(CliContext *cli, SupForces *forces, SupError *error) {
  uint32_t pushes = cli_count(cli->arguments, "push");
  SupPush *list = SUP_ALLOC(cli->arena, SupPush, pushes);
  if (!list) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory");
  for (uint32_t k = 0; k < pushes; k++) {
    const char *text = cli_text_at(cli->arguments, "push", k);
    double n[8];
    uint32_t count;
    if (!read_numbers(text, n, 8, 8, &count) || !(n[4] > 0)) {
      return bad_numbers("push", text, "T,X,Y,Z,R,IX,IY,IZ with R > 0", error);
    }
    list[k] = (SupPush){n[0], 0, {n[1], n[2], n[3]}, n[4], {n[5], n[6], n[7]}};
  }
  forces->pushes = list;
  forces->push_count = pushes;
  return SUP_OK;
}

static SupResult read_track(CliContext *cli, SupForces *forces, SupError *error) {
  const char *path = cli_text(cli->arguments, "force-track");
  if (!path) return SUP_OK;
  const uint8_t *data;
  size_t bytes;
  SupResult result = sup_file_read(cli->arena, path, &data, &bytes, error);
  if (result != SUP_OK) return result;
  char *text = sup_arena_string(cli->arena, (const char *)data, bytes);
  size_t lines = 1;
  for (size_t k = 0; text && k < bytes; k++) lines += text[k] == '\n';
  SupForceKey *keys = SUP_ALLOC(cli->arena, SupForceKey, lines);
  if (!text || !keys) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory");
  uint32_t count = 0, line = 0;
  for (char *at = text; at;) {
    char *end = strchr(at, '\n');
    if (end) *end = 0;
    line++;
    at += strspn(at, " \t\r");
    if (*at && *at != '#') {
      double n[8];
      uint32_t found;
      bool good = read_numbers(at, n, 8, 8, &found) && n[4] > 0;
      if (!good || (count && n[0] <= keys[count - 1].time)) {
        return sup_fail(error, SUP_ERROR_FORMAT,
                        "%s, line %u: wanted rising times and: time x y z radius fx fy fz", path,
                        line);
      }
      keys[count++] = (SupForceKey){n[0], {n[1], n[2], n[3]}, n[4], {n[5], n[6], n[7]}};
    }
    at = end ? end + 1 : NULL;
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
    if (!read_numbers(wind, n, 3, 3, &count)) return bad_numbers("wind", wind, "X,Y,Z", error);
    forces->wind = (SupVec3d){n[0], n[1], n[2]};
    forces->air_density = 1.2;
  }
  SupResult result = read_obstacles(cli, forces, error);
  if (result == SUP_OK) result = read_pushes(cli, forces, error);
  if (result == SUP_OK) result = read_track(cli, forces, error);
  return result;
}
