/* SPDX-License-Identifier: MIT */
/* The options of `supple paint` that say where. */
#include "character/paint_where.h"

#include <string.h>

#include "simulate/sim_options.h"
#include "supple/author/find_joint.h"
#include "supple/author/paint.h"

/* A point and a radius; false if the option was not given. */
static SupResult read_ball(const CliContext *cli, const char *option, SupVec3 *out_centre,
                           float *out_radius, bool *out_given, SupError *error) {
  const char *text = cli_text(cli->arguments, option);
  double n[4];
  uint32_t count;
  *out_given = text != NULL;
  if (!text) return SUP_OK;
  if (!cli_read_numbers(text, n, 4, 4, &count) || !(n[3] > 0)) {
    return cli_bad_numbers(option, text, "X,Y,Z,R with a radius above 0", error);
  }
  *out_centre = (SupVec3){(float)n[0], (float)n[1], (float)n[2]};
  *out_radius = (float)n[3];
  return SUP_OK;
}

static SupResult select_bones(CliContext *cli, const CliCharacter *source, float *io_weights,
                              SupError *error) {
  const SupSkeleton *skeleton = &source->character->skeleton;
  const uint32_t count = cli_count(cli->arguments, "bone");
  if (!count) return SUP_OK;
  bool *marked = SUP_ALLOC(cli->arena, bool, skeleton->joint_count);
  if (!marked) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < count; k++) {
    SupResult result =
        sup_find_joints(skeleton, "bone", cli_text_at(cli->arguments, "bone", k), marked, error);
    if (result != SUP_OK) return result;
  }
  for (uint32_t j = 0; cli_flag(cli->arguments, "below") && j < skeleton->joint_count; j++) {
    /* Parents stand before their children. */
    if (skeleton->parents[j] >= 0 && marked[skeleton->parents[j]]) marked[j] = true;
  }
  sup_select_joints(source->character, marked, io_weights);
  return SUP_OK;
}

static SupResult select_height(const CliContext *cli, const SupMesh *mesh, float *io_weights,
                               SupError *error) {
  const char *text = cli_text(cli->arguments, "height");
  double n[2];
  uint32_t count;
  if (!text) return SUP_OK;
  if (!cli_read_numbers(text, n, 2, 2, &count)) {
    return cli_bad_numbers("height", text, "LOW,HIGH", error);
  }
  sup_select_height(mesh->positions, mesh->vertex_count, (float)n[0], (float)n[1], io_weights);
  return SUP_OK;
}

SupResult cli_where(CliContext *cli, const CliCharacter *source, const SupMesh *mesh,
                    float *out_weights, bool *out_limited, SupError *error) {
  const uint32_t n = mesh->vertex_count;
  SupVec3 centre = {0, 0, 0};
  float radius = 0;
  bool given, limited;
  sup_select_all(n, out_weights);
  SupResult result = read_ball(cli, "sphere", &centre, &radius, &given, error);
  if (result != SUP_OK) return result;
  limited = given || cli_count(cli->arguments, "bone") || cli_text(cli->arguments, "height");
  if (given) sup_select_sphere(mesh->positions, n, centre, radius, out_weights);
  result = read_ball(cli, "geodesic", &centre, &radius, &given, error);
  limited |= given;
  if (result == SUP_OK && given) {
    result = sup_select_geodesic(cli->arena, mesh, centre, radius, out_weights, error);
  }
  if (result == SUP_OK) result = select_bones(cli, source, out_weights, error);
  if (result == SUP_OK) result = select_height(cli, mesh, out_weights, error);
  if (result != SUP_OK) return result;
  if (cli_flag(cli->arguments, "hard")) {
    for (uint32_t v = 0; v < n; v++) out_weights[v] = out_weights[v] > 0 ? 1 : 0;
  }
  if (cli_flag(cli->arguments, "invert")) sup_select_invert(n, out_weights);
  *out_limited = limited;
  return SUP_OK;
}
