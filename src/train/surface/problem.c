/* SPDX-License-Identifier: MIT */
/* From examples to a problem: goals and targets by lane, the model in double precision. */
#include "train/surface/problem.h"

#include <math.h>

#include "base/scratch.h"
#include "supple/author/segments.h"
#include "supple/clip.h"
#include "supple/geom/measure.h"
#include "supple/pose.h"

/* Eta ends below 1, where the maximum distance would end as well. */
const double sup_surface_most[MOST_TERMS] = {1, 1, 1, 0.5, 1, 0.95, 1, 1};

SupResult sup_surface_example_clip(SupArena *arena, const SupCharacter *character,
                                   const SupClip *clip, float start, float fps, uint32_t count,
                                   SupSurfaceExample *io_example, SupError *error) {
  const SupSkeleton *skeleton = &character->skeleton;
  SupArena scratch = sup_scratch(arena);
  SupTransform *joints = SUP_ALLOC(&scratch, SupTransform, skeleton->joint_count);
  SupAffine *globals = SUP_ALLOC(&scratch, SupAffine, skeleton->joint_count);
  SupAffine *palettes = SUP_ALLOC(arena, SupAffine, (size_t)count * skeleton->bone_count);
  if (!joints || !globals || !palettes) {
    sup_arena_free(&scratch);
    return sup_fail_memory(error, "an example");
  }
  SupPose pose = {skeleton->joint_count, sup_transform_identity(), joints};
  sup_pose_rest(skeleton, &pose);
  for (uint32_t i = 0; i < count; i++) {
    sup_clip_sample(clip, start + (float)i / fps, false, NULL, &pose, NULL);
    sup_pose_evaluate(skeleton, &pose, globals, palettes + (size_t)i * skeleton->bone_count);
  }
  sup_arena_free(&scratch);
  if (!io_example->name) io_example->name = clip->name;
  io_example->frame_count = count;
  io_example->palettes = palettes;
  return SUP_OK;
}

/* ---- Frames -----------------------------------------------------------------------------------
 */

void sup_surface_frame(const SurfaceFrames *frames, uint32_t frame, size_t count, double *out) {
  const size_t first = frame * count;
  if (frames->wide) {
    sup_copy(out, frames->wide + first, count * sizeof(double));
  } else {
    for (size_t i = 0; i < count; i++) out[i] = (double)frames->narrow[first + i];
  }
}

void sup_surface_frame_put(const SurfaceFrames *frames, uint32_t frame, size_t count,
                           const double *values) {
  const size_t first = frame * count;
  if (frames->wide) {
    sup_copy(frames->wide + first, values, count * sizeof(double));
  } else {
    for (size_t i = 0; i < count; i++) frames->narrow[first + i] = (float)values[i];
  }
}

static bool frames_alloc(SurfaceProblem *p, uint32_t count, bool wide, SurfaceFrames *out) {
  const size_t numbers = (size_t)count * 3 * p->lanes;
  if (wide) {
    out->wide = SUP_ALLOC(p->arena, double, numbers);
  } else {
    out->narrow = SUP_ALLOC(p->arena, float, numbers);
  }
  return out->wide || out->narrow;
}

/* Positions by vertex, in one of two precisions, into a frame by lane. */
static void gather(const SurfaceProblem *p, const SupVec3 *narrow, const SupVec3d *wide,
                   uint32_t frame, double *out) {
  const size_t first = (size_t)frame * p->vertices;
  for (uint32_t lane = 0; lane < p->lanes; lane++) {
    const size_t v = first + p->view.skin.order[lane];
    surface_put(out, lane, wide ? wide[v] : sup_vec3_to_double(narrow[v]));
  }
}

/* ---- One clip ---------------------------------------------------------------------------------
 */

static SupResult read_palettes(SurfaceProblem *p, const SupSurfaceExample *example,
                               SurfaceClip *clip, SupError *error) {
  const size_t count = (size_t)example->frame_count * p->bones;
  SupAffined *palettes = SUP_ALLOC(p->arena, SupAffined, count);
  float *scales = SUP_ALLOC(p->arena, float, p->bones);
  SupAffine *narrow = SUP_ALLOC(p->arena, SupAffine, p->bones);
  if (!palettes || !scales || !narrow) return sup_fail_memory(error, "examples");
  for (size_t i = 0; i < count; i++) {
    for (int k = 0; k < 12; k++) {
      palettes[i].m[k] = example->exact_palettes ? example->exact_palettes[i].m[k]
                                                 : (double)example->palettes[i].m[k];
      if (!isfinite(palettes[i].m[k])) {
        return sup_fail(error, SUP_ERROR_ARGUMENT,
                        "surface: example '%s' has a pose that is not finite", clip->name);
      }
      narrow[i % p->bones].m[k] = (float)palettes[i].m[k];
    }
    if ((i + 1) % p->bones == 0 && sup_surface_scales(p->bones, narrow, scales)) {
      clip->scaled = true;
    }
  }
  clip->palettes = palettes;
  return SUP_OK;
}

static void read_frame(SurfaceProblem *p, const SupSurfaceExample *example, const SurfaceClip *clip,
                       uint32_t t) {
  const size_t count = (size_t)3 * p->lanes;
  double *rows = p->state.x;
  if (example->goals || example->exact_goals) {
    gather(p, example->goals, example->exact_goals, t, rows);
  } else {
    const SupSkinCalld call = {.skin = &p->wide.skin,
                               .palette = clip->palettes + (size_t)t * p->bones,
                               .positions = {rows, 0}};
    sup_skin_lbs_f64(p->jobs, &call);
  }
  sup_surface_frame_put(&clip->goals, t, count, rows);
  gather(p, example->positions, example->exact_positions, t, rows);
  sup_surface_frame_put(&clip->targets, t, count, rows);
}

static SupResult read_clip(SurfaceProblem *p, const SupSurfaceExample *example, SurfaceClip *clip,
                           SupError *error) {
  const double h2 = (double)p->def->h * (double)p->def->h;
  *clip = (SurfaceClip){.name = example->name ? example->name : "example",
                        .frame_count = example->frame_count,
                        .push = sup_vec3d_scale(sup_vec3_to_double(example->acceleration), h2),
                        .feed = example->handed_on ? 1 : 0,
                        .handed_on = example->handed_on,
                        .used = true};
  if (example->frame_count < FIRST_STEP + 2) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "surface: example '%s' has %u frames; learning needs at least %u", clip->name,
                    example->frame_count, FIRST_STEP + 2);
  }
  if (example->handed_on != p->handed_on) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "surface: the goals of some examples account for inertia, those of '%s' do "
                    "not; give all the same kind",
                    p->handed_on ? clip->name : "others");
  }
  const bool exact = example->exact_positions != NULL;
  clip->weights = SUP_ALLOC(p->arena, double, clip->frame_count);
  if (!clip->weights || !frames_alloc(p, clip->frame_count, exact, &clip->goals) ||
      !frames_alloc(p, clip->frame_count, exact, &clip->targets)) {
    return sup_fail_memory(error, "examples");
  }
  for (uint32_t t = 0; t < clip->frame_count; t++) {
    const float w = example->frame_weights ? example->frame_weights[t] : 1;
    clip->weights[t] = w > 0 ? (double)w : 0;
  }
  SupResult result = read_palettes(p, example, clip, error);
  for (uint32_t t = 0; t < clip->frame_count && result == SUP_OK; t++) {
    read_frame(p, example, clip, t);
  }
  return result;
}

/* ---- The model --------------------------------------------------------------------------------
 */

static SupResult pack(SurfaceProblem *p, SupError *error) {
  const SupSurfaceTrainDef *def = p->def;
  SupSurfaceDef pack_def = sup_surface_def();
  const SupSegment *segments;
  SupResult result =
      sup_segments_create(p->arena, def->character, &segments, &pack_def.segment_count, error);
  if (result != SUP_OK) return result;
  SupSurfaceSegment *copies = SUP_ALLOC(p->arena, SupSurfaceSegment, pack_def.segment_count);
  if (!copies) return sup_fail_memory(error, "a surface model");
  for (uint32_t s = 0; s < pack_def.segment_count; s++) {
    copies[s] = (SupSurfaceSegment){segments[s].bone, segments[s].a, segments[s].b};
  }
  pack_def.flags = def->flags | (def->literal ? SUP_SURFACE_ABSOLUTE : 0);
  if (def->literal || p->handed_on) pack_def.flags &= ~SUP_SURFACE_UNDELAYED;
  pack_def.h = def->h;
  pack_def.segments = copies;
  pack_def.all_spokes = true;
  return sup_surface_pack(p->arena, def->character, &pack_def, &p->model, error);
}

static bool state_alloc(SurfaceProblem *p) {
  SurfaceState *s = &p->state;
  double **rows[] = {&s->x,      &s->dx,     &s->goal,     &s->goal_step, &s->next_goal,
                     &s->target, &s->forces, &s->rotation, &s->records,   &s->terms};
  const size_t widths[] = {3, 3, 3, 3, 3, 3, 3, 4, 8, 3 * p->terms};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    *rows[k] = SUP_ALLOC(p->arena, double, widths[k] * p->lanes);
    if (!*rows[k]) return false;
  }
  s->placed = SUP_ALLOC(p->arena, SupSurfacePlacedd, p->wide.segment_count);
  s->scales = SUP_ALLOC(p->arena, double, p->bones);
  s->normals = SUP_ALLOC(p->arena, double, p->normal_rows ? (size_t)3 * p->lanes : 1);
  const bool undelayed = p->wide.flags & SUP_SURFACE_UNDELAYED;
  if (undelayed) s->bends = SUP_ALLOC(p->arena, double, (size_t)3 * p->lanes);
  if (undelayed && !s->bends) return false;
  p->numbers = SUP_ALLOC(p->arena, double, (size_t)p->terms * p->lanes);
  p->sums = SUP_ALLOC(p->arena, double, (size_t)p->sum_count * p->lanes);
  p->errors = SUP_ALLOC(p->arena, double, p->blocks);
  p->weights = SUP_ALLOC(p->arena, double, p->lanes);
  p->before = SUP_ALLOC(p->arena, double, (size_t)9 * p->lanes);
  p->spare = SUP_ALLOC(p->arena, double, (size_t)p->terms * p->lanes);
  p->spare_frame = SUP_ALLOC(p->arena, double, (size_t)3 * p->lanes);
  p->maps = SUP_ALLOC(p->arena, float, (size_t)p->terms * p->vertices);
  return s->placed && s->scales && s->normals && p->numbers && p->sums && p->errors && p->weights &&
         p->before && p->spare && p->spare_frame && p->maps;
}

/* Areas of the vertices, of mean 1. */
static SupResult weigh(SurfaceProblem *p, SupError *error) {
  double *areas = SUP_ALLOC(p->arena, double, p->vertices);
  if (!areas) return sup_fail_memory(error, "areas");
  sup_vertex_areas(&p->def->character->body, SUP_AREA_BARYCENTRIC, areas);
  double sum = 0;
  for (uint32_t v = 0; v < p->vertices; v++) sum += areas[v];
  const double unit = sum > 0 ? p->vertices / sum : 0;
  for (uint32_t lane = 0; lane < p->vertices; lane++) {
    const uint32_t v = p->view.skin.order[lane];
    const float *own = p->def->vertex_weights;
    p->weights[lane] =
        (sum > 0 ? areas[v] * unit : 1) * (own ? (own[v] > 0 ? (double)own[v] : 0) : 1);
  }
  return SUP_OK;
}

static uint32_t between(double x, uint32_t low, uint32_t high) {
  return x < low ? low : x > high ? high : (uint32_t)x;
}

/* Small problems are learned thoroughly; large ones in linear time. */
static void budget(SurfaceProblem *p) {
  double work = 0;
  for (uint32_t k = 0; k < p->clip_count; k++) {
    work += (double)p->vertices * p->clips[k].frame_count;
  }
  p->window_passes = p->def->passes ? p->def->passes : between(4e6 / work, 2, 25);
  p->descents = p->def->descents >= 0 ? (uint32_t)p->def->descents : between(2e7 / work, 8, 40);
}

SupResult sup_surface_problem_make(SupArena *scratch, const SupSurfaceTrainDef *def,
                                   SurfaceProblem *out_problem, SupError *error) {
  SurfaceProblem p = {.def = def,
                      .jobs = def->jobs,
                      .backend = sup_backend_cpu(),
                      .arena = scratch,
                      .smooth = def->smooth,
                      .inertia_gain = 1};
  for (uint32_t k = 0; k < def->example_count; k++) p.handed_on |= def->examples[k].handed_on;
  SupResult result = pack(&p, error);
  if (result != SUP_OK) return result;
  p.view = sup_surface_view(p.model);
  void *wide = SUP_ALLOC(scratch, char, sup_surface_to_double_bytes(&p.view));
  if (!wide) return sup_fail_memory(error, "a surface model");
  sup_surface_to_double(&p.view, wide, &p.wide);
  p.rows = (double *)(uintptr_t)p.wide.parameters;
  p.normal_rows = (double *)(uintptr_t)p.wide.normal_rows;
  p.terms = p.normal_rows ? SUP_SURFACE_ALL_TERMS : SUP_SURFACE_TERMS;
  p.pairs = p.terms * (p.terms + 1) / 2;
  p.sum_count = p.pairs + p.terms;
  p.blocks = p.view.skin.block_count;
  p.lanes = BLOCK * p.blocks;
  p.vertices = p.view.skin.vertex_count;
  p.bones = p.view.skin.bone_count;
  p.free_rows = def->rows & ((1u << p.terms) - 1);
  if (def->literal) p.smooth = 0;
  if (def->literal) {
    p.free_rows &=
        ~(1u << SUP_SURFACE_DELTA | 1u << SUP_SURFACE_ETA | 1u << SUP_SURFACE_TERM_NORMAL_DELTA);
  }
  if (p.handed_on) p.free_rows &= ~(1u << SUP_SURFACE_ETA);
  for (uint32_t k = 0; k < p.terms; k++) p.fixed[k] = (double)def->values[k];
  if (p.handed_on) p.fixed[SUP_SURFACE_ETA] = 1;
  p.clip_count = def->example_count;
  p.clips = SUP_ALLOC(scratch, SurfaceClip, p.clip_count);
  if (!p.clips || !state_alloc(&p)) return sup_fail_memory(error, "learning");
  result = weigh(&p, error);
  for (uint32_t k = 0; k < p.clip_count && result == SUP_OK; k++) {
    result = read_clip(&p, &def->examples[k], &p.clips[k], error);
  }
  if (result == SUP_OK) result = sup_surface_fill_missing(&p, error);
  budget(&p);
  *out_problem = p;
  return result;
}
