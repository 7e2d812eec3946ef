/* SPDX-License-Identifier: MIT */
/*
 * The base shell below all strata, and the chunks above it.
 *
 * Vertices go inwards from the features, along the mean normal of the patches there, to the depth
 * at which the shell encloses half of the volume, but no deeper than LIMIT of what lies between
 * there and the other side. Where the shell crosses itself, or a wedge above it is inverted, they
 * come nearer to the skin, round by round.
 */
#include "chunks_work.h"
#include "supple/geom/bvh.h"

#define LIMIT 0.45
#define ROUNDS 8u
#define RAISE 0.75
#define FALLBACK_DEPTH 0.5 /* of the limit, in the mean, where no depth encloses half */
#define BELOW 1e-4         /* of the size: where a ray inwards begins */

/* ---- Faces ----------------------------------------------------------------------------------- */

typedef struct Faces {
  uint32_t *feature_at; /* [cut vertices] or SUP_NONE */
  uint32_t *vertex_of;  /* [feature_count] or SUP_NONE */
  uint32_t *offsets, *corners;
  uint32_t count;
} Faces;

static bool has_edge(const Faces *f, uint32_t from, uint32_t to) {
  for (uint32_t face = 0; face < f->count; face++) {
    for (uint32_t k = f->offsets[face]; k < f->offsets[face + 1]; k++) {
      const uint32_t next = k + 1 < f->offsets[face + 1] ? k + 1 : f->offsets[face];
      if (f->corners[k] == from && f->corners[next] == to) return true;
    }
  }
  return false;
}

/* A patch whose sides other faces have, or that has one twice, is none of a surface. */
static bool fits(const Faces *f, uint32_t count, const uint32_t *corners) {
  for (uint32_t k = 0; k < count; k++) {
    if (has_edge(f, corners[k], corners[(k + 1) % count])) return false;
    for (uint32_t i = 0; i < k; i++) {
      if (corners[i] == corners[k]) return false;
    }
  }
  return true;
}

static uint32_t vertex_at(ChunksWork *w, Faces *f, uint32_t cut_vertex) {
  const uint32_t feature = f->feature_at[cut_vertex];
  if (f->vertex_of[feature] == SUP_NONE) {
    f->vertex_of[feature] = w->shell.shell.vertex_count;
    w->shell.features[w->shell.shell.vertex_count++] = feature;
  }
  return f->vertex_of[feature];
}

static void add_face(ChunksWork *w, Faces *f, ChunkPiece *piece) {
  const SupPatch *patch = &w->def->patches->patches[piece->patches[0]];
  uint32_t *corners = f->corners + f->offsets[f->count];
  piece->face = SUP_NONE;
  if (patch->side_count > SUP_CHUNKS_CORNERS) {
    sup_chunks_refuse(w, piece, "its patch has too many sides");
    return;
  }
  for (uint32_t k = 0; k < patch->side_count; k++) {
    corners[k] = vertex_at(w, f, patch->loop[patch->corners[k]]);
  }
  if (!fits(f, patch->side_count, corners)) {
    sup_chunks_refuse(w, piece,
                      "its patch and its neighbours have two sides between the same two "
                      "features, so no surface lies below them");
    return;
  }
  piece->face = f->count;
  f->offsets[f->count + 1] = f->offsets[f->count] + patch->side_count;
  f->count++;
}

static SupResult make_faces(ChunksWork *w) {
  const SupPatches *patches = w->def->patches;
  const uint32_t features = w->def->patches_def->feature_count;
  size_t sides = 0;
  for (uint32_t p = 0; p < patches->patch_count; p++) sides += patches->patches[p].side_count;
  Faces f = {SUP_ALLOC(w->scratch, uint32_t, patches->mesh.vertex_count),
             SUP_ALLOC(w->scratch, uint32_t, features),
             SUP_ALLOC(w->arena, uint32_t, (size_t)patches->patch_count + 1),
             SUP_ALLOC(w->arena, uint32_t, sides), 0};
  w->shell.features = SUP_ALLOC(w->scratch, uint32_t, features);
  if (!f.feature_at || !f.vertex_of || !f.offsets || !f.corners || !w->shell.features) {
    return sup_fail_memory(w->error, "chunks");
  }
  for (uint32_t k = 0; k < features; k++) {
    f.feature_at[patches->features[k]] = k;
    f.vertex_of[k] = SUP_NONE;
  }
  for (uint32_t k = 0; k < w->piece_count; k++) {
    if (!w->pieces[k].limb) add_face(w, &f, &w->pieces[k]);
  }
  return sup_shell_create(w->arena, w->shell.shell.vertex_count, f.count, f.offsets, f.corners,
                          &w->shell.shell, w->error);
}

/* ---- Depths ---------------------------------------------------------------------------------- */

/* Normals of all patches at a feature, those of limbs too, by area. */
static SupResult find_normals(ChunksWork *w) {
  const SupPatches *patches = w->def->patches;
  ChunkShell *s = &w->shell;
  SupVec3d *sums = SUP_ALLOC(w->scratch, SupVec3d, patches->mesh.vertex_count);
  if (!sums) return sup_fail_memory(w->error, "chunks");
  for (uint32_t p = 0; p < patches->patch_count; p++) {
    const SupPatch *patch = &patches->patches[p];
    SupVec3d corners[SUP_CHUNKS_CORNERS];
    const uint32_t count = patch->side_count;
    if (count > SUP_CHUNKS_CORNERS) continue;
    for (uint32_t k = 0; k < count; k++) {
      corners[k] = sup_vec3_to_double(patches->mesh.positions[patch->loop[patch->corners[k]]]);
    }
    const SupVec3d area = sup_face_area(count, corners);
    for (uint32_t k = 0; k < count; k++) {
      SupVec3d *sum = &sums[patch->loop[patch->corners[k]]];
      *sum = sup_vec3d_add(*sum, area);
    }
  }
  for (uint32_t v = 0; v < s->shell.vertex_count; v++) {
    const uint32_t at = patches->features[s->features[v]];
    s->tops[v] = sup_vec3_to_double(patches->mesh.positions[at]);
    s->normals[v] = sup_vec3d_normalise(sums[at]);
  }
  return SUP_OK;
}

/* out_limits[vertex_count]; returns their mean. */
static SupResult find_limits(ChunksWork *w, double *out_limits, double *out_mean) {
  const ChunkShell *s = &w->shell;
  const double size = w->figure.size;
  SupBvh bvh;
  SupResult result = sup_bvh_build(w->scratch, &w->def->character->body, &bvh, w->error);
  if (result != SUP_OK) return result;
  *out_mean = 0;
  for (uint32_t v = 0; v < s->shell.vertex_count; v++) {
    const SupVec3d from = sup_vec3d_add_scaled(s->tops[v], s->normals[v], -BELOW * size);
    const SupVec3d in = sup_vec3d_scale(s->normals[v], -1);
    const SupRayHit hit =
        sup_bvh_ray(&bvh, sup_vec3d_to_float(from), sup_vec3d_to_float(in), (float)size);
    out_limits[v] = LIMIT * (hit.triangle == SUP_NONE ? size : (double)hit.t + BELOW * size);
    *out_mean += out_limits[v] / s->shell.vertex_count;
  }
  return SUP_OK;
}

/* The depth that the zones around a vertex ask for, in the mean. */
static SupResult want_depths(ChunksWork *w, const double *limits) {
  ChunkShell *s = &w->shell;
  double *sums = SUP_ALLOC(w->scratch, double, s->shell.vertex_count);
  uint32_t *counts = SUP_ALLOC(w->scratch, uint32_t, s->shell.vertex_count);
  if (!sums || !counts) return sup_fail_memory(w->error, "chunks");
  for (uint32_t k = 0; k < w->piece_count; k++) {
    const ChunkPiece *piece = &w->pieces[k];
    if (piece->limb || piece->reason) continue;
    for (uint32_t i = s->shell.offsets[piece->face]; i < s->shell.offsets[piece->face + 1]; i++) {
      sums[s->shell.corners[i]] += piece->depth > 0 ? piece->depth : s->depth;
      counts[s->shell.corners[i]]++;
    }
  }
  for (uint32_t v = 0; v < s->shell.vertex_count; v++) {
    const double wanted = counts[v] ? sums[v] / counts[v] : s->depth;
    s->wanted[v] = wanted;
    s->depths[v] = wanted < limits[v] ? wanted : limits[v];
  }
  return SUP_OK;
}

/* To floats, which is what the run time has. */
static SupVec3d rounded(SupVec3d p) { return sup_vec3_to_double(sup_vec3d_to_float(p)); }

static void place_vertices(ChunkShell *s) {
  for (uint32_t v = 0; v < s->shell.vertex_count; v++) {
    if (s->given[v] == 2) continue;
    s->rest[v] = rounded(sup_vec3d_add_scaled(s->tops[v], s->normals[v], -s->depths[v]));
  }
}

/* Where the file puts vertices: 1 so deep, 2 at a place. */
static void take_given(ChunksWork *w) {
  ChunkShell *s = &w->shell;
  for (uint32_t z = 0; z < w->def->plan->zone_count; z++) {
    const SupPatchFlesh *flesh = w->def->plan->zones[z].flesh;
    for (uint32_t k = 0; flesh && k < flesh->shell_count; k++) {
      const SupPatchShellPoint *point = &flesh->shell[k];
      for (uint32_t v = 0; v < s->shell.vertex_count; v++) {
        const char *name = w->def->patches_def->features[s->features[v]].name;
        if (!sup_string_equal(name, point->feature)) continue;
        s->given[v] = point->placed ? 2 : 1;
        s->depths[v] = point->depth;
        s->rest[v] = rounded(point->position);
      }
    }
  }
}

static SupResult find_depths(ChunksWork *w) {
  ChunkShell *s = &w->shell;
  const uint32_t count = s->shell.vertex_count;
  double *limits = SUP_ALLOC(w->scratch, double, count), mean;
  s->tops = SUP_ALLOC(w->scratch, SupVec3d, count);
  s->normals = SUP_ALLOC(w->scratch, SupVec3d, count);
  s->wanted = SUP_ALLOC(w->scratch, double, count);
  s->depths = SUP_ALLOC(w->scratch, double, count);
  s->given = SUP_ALLOC(w->scratch, uint8_t, count);
  s->rest = SUP_ALLOC(w->scratch, SupVec3d, count);
  if (!limits || !s->tops || !s->normals || !s->wanted || !s->depths || !s->given || !s->rest) {
    return sup_fail_memory(w->error, "chunks");
  }
  SupResult result = find_normals(w);
  if (result == SUP_OK) result = find_limits(w, limits, &mean);
  if (result != SUP_OK) return result;
  result = sup_shell_half_depth(w->scratch, &s->shell, s->tops, s->normals, &s->depth, w->error);
  if (result == SUP_ERROR_FORMAT) {
    s->depth = FALLBACK_DEPTH * mean;
    result = SUP_OK;
  }
  if (result == SUP_OK) result = want_depths(w, limits);
  if (result != SUP_OK) return result;
  take_given(w);
  place_vertices(s);
  return SUP_OK;
}

/* ---- Chunks ---------------------------------------------------------------------------------- */

/* How a chunk is tried, in this order. */
typedef struct Attempt {
  bool thin;         /* three slices */
  uint32_t relaxing; /* times as often */
  double curved;     /* SupChunkDef.curved */
} Attempt;

static const Attempt attempts[] = {{false, 1, 0}, {false, 3, 0}, {false, 1, 0.5}, {false, 3, 0.5},
                                   {false, 1, 1}, {false, 3, 1}, {true, 1, 1}};

static SupResult make_chunk(ChunksWork *w, SupArena *arena, ChunkPiece *piece, SupChunk *out) {
  const ChunkShell *s = &w->shell;
  const uint32_t first = s->shell.offsets[piece->face];
  const uint32_t count = s->shell.offsets[piece->face + 1] - first;
  SupVec3d corners[SUP_CHUNKS_CORNERS];
  SupResult result = SUP_ERROR_FORMAT;
  for (uint32_t k = 0; k < count; k++) corners[k] = s->rest[s->shell.corners[first + k]];
  for (size_t a = 0; a < sizeof attempts / sizeof *attempts && result == SUP_ERROR_FORMAT; a++) {
    const SupChunkDef def = {.name = piece->name,
                             .skin = &w->def->character->body,
                             .charts = w->def->charts,
                             .levels = piece->levels,
                             .slice_count = attempts[a].thin ? 3 : piece->slices,
                             .relaxations = attempts[a].relaxing * w->def->relaxations,
                             .curved = attempts[a].curved};
    result =
        sup_chunk_ordinary(arena, &def, piece->patches[0], SUP_SLICE_FAN, corners, out, w->error);
  }
  return result;
}

typedef struct Round {
  ChunksWork *work;
  uint8_t *marked;  /* [vertex_count] to be raised */
  uint8_t *crossed; /* [face_count] */
  bool given;       /* something that crosses is where the file has it */
  uint32_t good;    /* chunks that can be made above faces that do not cross */
  uint32_t faces[2];
} Round;

static void mark_face(Round *r, uint32_t face) {
  const ChunkShell *s = &r->work->shell;
  for (uint32_t k = s->shell.offsets[face]; k < s->shell.offsets[face + 1]; k++) {
    if (!s->given[s->shell.corners[k]]) r->marked[s->shell.corners[k]] = 1;
  }
}

static bool has_given(const ChunkShell *s, uint32_t face) {
  bool given = false;
  for (uint32_t k = s->shell.offsets[face]; k < s->shell.offsets[face + 1]; k++) {
    given |= s->given[s->shell.corners[k]] != 0;
  }
  return given;
}

/* The connected piece of the skin that is above a face. */
static uint32_t piece_of_skin(const ChunksWork *w, uint32_t face) {
  const uint32_t vertex = w->shell.shell.corners[w->shell.shell.offsets[face]];
  const SupPatchesDef *def = w->def->patches_def;
  return def->topology->vertex_components[def->features[w->shell.features[vertex]].at.a];
}

/* Pieces of a skin that lie in each other do so in every pose. */
static void found_crossing(void *context, uint32_t a, uint32_t b) {
  Round *r = context;
  if (piece_of_skin(r->work, a) != piece_of_skin(r->work, b)) return;
  mark_face(r, a);
  mark_face(r, b);
  r->crossed[a] = r->crossed[b] = 1;
  if (r->given || !(has_given(&r->work->shell, a) || has_given(&r->work->shell, b))) return;
  r->given = true;
  r->faces[0] = a;
  r->faces[1] = b;
}

/* The piece that the face is of, made or not: what is refused before there is a shell has one. */
static const ChunkPiece *piece_above(const ChunksWork *w, uint32_t face) {
  uint32_t k = 0;
  while (w->pieces[k].limb || w->pieces[k].face != face) k++;
  return &w->pieces[k];
}

/* One round: what crosses and what cannot be made is marked. */
static SupResult look(Round *r) {
  ChunksWork *w = r->work;
  const SupShell *shell = &w->shell.shell;
  for (uint32_t v = 0; v < shell->vertex_count; v++) r->marked[v] = 0;
  for (uint32_t f = 0; f < shell->face_count; f++) r->crossed[f] = 0;
  r->given = false;
  r->good = 0;
  SupResult result =
      sup_shell_crossings(w->scratch, shell, w->shell.rest, found_crossing, r, w->error);
  for (uint32_t k = 0; k < w->piece_count && result == SUP_OK; k++) {
    ChunkPiece *piece = &w->pieces[k];
    if (piece->limb || piece->reason) continue;
    SupArena trial = sup_scratch(w->scratch);
    SupChunk chunk;
    result = make_chunk(w, &trial, piece, &chunk);
    sup_arena_free(&trial);
    r->good += result == SUP_OK && !r->crossed[piece->face];
    if (result == SUP_ERROR_FORMAT) {
      mark_face(r, piece->face);
      result = SUP_OK;
    }
  }
  return result;
}

static uint32_t raise_marked(Round *r) {
  ChunkShell *s = &r->work->shell;
  uint32_t count = 0;
  for (uint32_t v = 0; v < s->shell.vertex_count; v++) {
    if (r->marked[v]) s->depths[v] *= RAISE;
    count += r->marked[v];
  }
  place_vertices(s);
  return count;
}

/* Round after round; in the end the first of those that had the most chunks. */
static SupResult raise_shell(Round *r) {
  ChunkShell *s = &r->work->shell;
  const uint32_t count = s->shell.vertex_count;
  double *best = SUP_COPY(r->work->scratch, double, s->depths, count);
  if (!best) return sup_fail_memory(r->work->error, "chunks");
  SupResult result = look(r);
  uint32_t good = r->good;
  for (uint32_t k = 0; k < ROUNDS && result == SUP_OK && raise_marked(r); k++) {
    result = look(r);
    if (r->good <= good) continue;
    good = r->good;
    sup_copy(best, s->depths, count * sizeof *best);
  }
  if (result != SUP_OK) return result;
  sup_copy(s->depths, best, count * sizeof *best);
  for (uint32_t v = 0; v < count; v++) s->raised_count += !s->given[v] && best[v] < s->wanted[v];
  place_vertices(s);
  return look(r);
}

static SupResult refuse_given(const Round *r) {
  const ChunksWork *w = r->work;
  const ChunkPiece *a = piece_above(w, r->faces[0]), *b = piece_above(w, r->faces[1]);
  const bool first = has_given(&w->shell, r->faces[0]);
  const SupPatchZone *zone = (first ? a : b)->zone;
  sup_fail(w->error, SUP_ERROR_FORMAT,
           "zone '%s': its shell crosses itself below patches '%s' and '%s'; give other depths or "
           "places there",
           zone->name, a->name, b->name);
  if (zone->line) sup_error_prefix(w->error, "%s, line %u", w->def->plan->source, zone->line);
  return SUP_ERROR_FORMAT;
}

/* A chunk that cannot be is left out, but not where the file has its shell. */
static SupResult leave_out(ChunksWork *w, ChunkPiece *piece) {
  if (!has_given(&w->shell, piece->face)) {
    sup_chunks_refuse(w, piece, w->error->text);
    return SUP_OK;
  }
  sup_error_prefix(w->error, "zone '%s': its shell is given", piece->zone->name);
  if (piece->zone->line) {
    sup_error_prefix(w->error, "%s, line %u", w->def->plan->source, piece->zone->line);
  }
  return SUP_ERROR_FORMAT;
}

static SupResult make_all(ChunksWork *w, const Round *r) {
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < w->piece_count && result == SUP_OK; k++) {
    ChunkPiece *piece = &w->pieces[k];
    if (piece->limb || piece->reason) continue;
    if (r->crossed[piece->face]) {
      sup_chunks_refuse(w, piece, "the shell below it crosses itself");
      continue;
    }
    result = make_chunk(w, w->arena, piece, &piece->chunk);
    piece->made = result == SUP_OK;
    if (result == SUP_ERROR_FORMAT) result = leave_out(w, piece);
  }
  return result;
}

/* Vertices are points of the definition, the first ones. */
static SupResult add_points(ChunksWork *w) {
  const ChunkShell *s = &w->shell;
  SupResult result = SUP_OK;
  for (uint32_t v = 0; v < s->shell.vertex_count && result == SUP_OK; v++) {
    const SupSkinPoint at = w->def->patches_def->features[s->features[v]].at;
    const uint32_t vertices[2] = {at.a, at.b};
    const double shares[2] = {at.a == at.b ? 1 : 1 - at.t, at.a == at.b ? 0 : at.t};
    uint32_t number;
    result = sup_chunks_add_point(w, s->rest[v], 2, vertices, shares, &number);
  }
  return result;
}

SupResult sup_chunks_above_shell(ChunksWork *w) {
  SupResult result = make_faces(w);
  if (result != SUP_OK || w->shell.shell.face_count == 0) return result;
  result = find_depths(w);
  Round round = {.work = w,
                 .marked = SUP_ALLOC(w->scratch, uint8_t, w->shell.shell.vertex_count),
                 .crossed = SUP_ALLOC(w->scratch, uint8_t, w->shell.shell.face_count)};
  if (!round.marked || !round.crossed) return sup_fail_memory(w->error, "chunks");
  if (result == SUP_OK) result = raise_shell(&round);
  if (result == SUP_OK && round.given) result = refuse_given(&round);
  if (result == SUP_OK) result = make_all(w, &round);
  return result == SUP_OK ? add_points(w) : result;
}
