/* SPDX-License-Identifier: MIT */
/*
 * surface_dump KIND FRAMES: mochi's jump with uneven maps, played by the stack at the model's own
 * step, on standard output for check_surface.py. KIND: ring, bones, absolute, normal, undelayed,
 * objective, objective-normal, objective-undelayed.
 *
 * One line of JSON with the counts, then arrays of little-endian float or uint32: rest positions,
 * rest normals, triangles, influence offsets, bones, weights, segments (bone as float, a, b), maps
 * (alpha, beta, gamma, lambda, delta, eta, and along the normal alpha and delta), and for each
 * frame the palette and the positions. `objective` is ring, objective-normal normal, with two
 * doubles behind: the error that learning from these frames finds in maps 0.8 times as large, and
 * that of the goals.
 */
#include <stdio.h>
#include <string.h>

#include "puppet.h"
#include "supple/surface.h"
#include "train/surface/problem.h"

enum { MAPS = SUP_SURFACE_ALL_TERMS };

static void put(const void *data, size_t bytes) { fwrite(data, 1, bytes, stdout); }

static float wave(SupVec3 p, float low, float high, float turns) {
  const float s = 0.5f + 0.5f * sup_sinf(turns * (p.x + 2 * p.y + 3 * p.z));
  return low + (high - low) * s;
}

static void fill_maps(const SupCharacter *c, bool absolute, float *maps) {
  static const float low[MAPS] = {0.12f, 0.05f, 0.0f, 0.05f, 0.05f, 0.0f, 0.06f, 0.03f};
  static const float high[MAPS] = {0.3f, 0.15f, 0.15f, 0.15f, 0.12f, 0.3f, 0.5f, 0.2f};
  const uint32_t n = c->body.vertex_count;
  for (uint32_t v = 0; v < n; v++) {
    for (uint32_t row = 0; row < MAPS; row++) {
      maps[row * n + v] = wave(c->body.positions[v], low[row], high[row], 3 + (float)row);
      if (row == SUP_SURFACE_DELTA && absolute) maps[row * n + v] *= 0.3f;
    }
  }
}

/* Those that the file's vertices have, which its skin carries. */
static void put_normals(const SupSurfaceView *view) {
  const SupSkinView *skin = &view->skin;
  const size_t rows = sup_skin_record_rows(skin->flags);
  for (uint32_t v = 0; v < skin->vertex_count; v++) {
    const uint32_t lane = view->lanes[v], block = lane / 16;
    const float *from =
        skin->records + 16 * (rows * block + skin->bone_first[block] + 3) + lane % 16;
    const float normal[3] = {from[0], from[16], from[32]};
    put(normal, sizeof normal);
  }
}

static void put_character(const Puppet *p, const float *maps) {
  const SupCharacter *c = &p->character;
  const SupSkin *skin = &c->skin;
  const uint32_t n = c->body.vertex_count, influences = skin->offsets[n];
  const SupSurfaceView view = *puppet_surface(p);
  printf(
      "{\"vertices\":%u,\"triangles\":%u,\"influences\":%u,\"segments\":%u,\"bones\":%u,"
      "\"h\":%.9g}\n",
      n, c->body.triangle_count, influences, view.segment_count, c->skeleton.bone_count,
      (double)view.h);
  put(c->body.positions, n * sizeof(SupVec3));
  put_normals(&view);
  put(c->body.triangles, 3 * c->body.triangle_count * sizeof(uint32_t));
  put(skin->offsets, (n + 1) * sizeof(uint32_t));
  put(skin->bones, influences * sizeof(uint32_t));
  put(skin->weights, influences * sizeof(float));
  for (uint32_t k = 0; k < view.segment_count; k++) {
    const SupSurfaceSegment *s = &view.segments[k];
    const float row[7] = {(float)s->bone, s->a.x, s->a.y, s->a.z, s->b.x, s->b.y, s->b.z};
    put(row, sizeof row);
  }
  put(maps, MAPS * n * sizeof(float));
}

static void put_objective(Puppet *p, const float *maps, const SupSurfaceExample *example) {
  const uint32_t n = p->character.body.vertex_count;
  SupSurfaceTrainDef def = sup_surface_train_def(&p->character);
  SurfaceProblem problem;
  SupError error;
  def.flags = puppet_surface(p)->flags & (SUP_SURFACE_NORMAL | SUP_SURFACE_UNDELAYED);
  def.example_count = 1;
  def.examples = example;
  def.outlier = 0;
  if (sup_surface_problem_make(&p->arena, &def, &problem, &error)) fail_msg("%s", error.text);
  const SupSurfaceView view = sup_surface_view(problem.model);
  for (uint32_t v = 0; v < n; v++) {
    for (uint32_t row = 0; row < problem.terms; row++) {
      *surface_at(problem.numbers, problem.terms, view.lanes[v], row) =
          0.8 * (double)maps[row * n + v];
    }
  }
  const SurfacePass whole = {0};
  const double errors[2] = {sup_surface_pass(&problem, &whole, NULL),
                            sup_surface_goal_error(&problem, NULL)};
  put(errors, sizeof errors);
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  Puppet p;
  SupSurfaceDef def = puppet_def();
  const bool absolute = !strcmp(argv[1], "absolute");
  if (!strcmp(argv[1], "bones")) def.flags = SUP_SURFACE_BONE_ROTATION;
  if (absolute) def.flags = SUP_SURFACE_ABSOLUTE;
  if (strstr(argv[1], "normal")) def.flags = SUP_SURFACE_NORMAL;
  if (strstr(argv[1], "undelayed")) def.flags = SUP_SURFACE_UNDELAYED;
  def.all_spokes = true;
  puppet_make(&p, 1000, &def, false);
  const uint32_t n = p.character.body.vertex_count;
  float *maps = SUP_ALLOC(&p.arena, float, MAPS *n);
  fill_maps(&p.character, absolute, maps);
  for (uint32_t row = 0; row < MAPS; row++) {
    sup_surface_set_map(p.model, surface_map_of(row), maps + row * n);
  }
  puppet_stack(&p);
  put_character(&p, maps);
  SupStackState *state = puppet_state(&p);
  SupAffine globals[128], palette[128];
  const SupSkeleton *skeleton = &p.character.skeleton;
  const uint32_t frames = (uint32_t)atoi(argv[2]), bones = skeleton->bone_count;
  SupAffine *palettes = SUP_ALLOC(&p.arena, SupAffine, (size_t)frames * bones);
  SupVec3 *positions = SUP_ALLOC(&p.arena, SupVec3, (size_t)frames * n);
  for (uint32_t i = 0; i < frames; i++) {
    puppet_pose(&p, i / 60.0);
    sup_pose_evaluate(skeleton, &p.pose, globals, palette);
    puppet_step(&p, state, 1 / 60.0);
    put(palette, skeleton->bone_count * sizeof(SupAffine));
    put(p.positions, n * sizeof(SupVec3));
    memcpy(palettes + (size_t)i * bones, palette, bones * sizeof *palette);
    memcpy(positions + (size_t)i * n, p.positions, n * sizeof *positions);
  }
  if (strstr(argv[1], "objective")) {
    const SupSurfaceExample example = {
        .frame_count = frames, .palettes = palettes, .positions = positions};
    put_objective(&p, maps, &example);
  }
  puppet_free(&p);
  return fflush(stdout) ? 1 : 0;
}
