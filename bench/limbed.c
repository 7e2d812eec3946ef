/* SPDX-License-Identifier: MIT */
/*
 * A sphere of rows with as many vertices as their length wants, drawn out to a limb along each
 * half axis; four bones per limb; each vertex follows the four nearest bones.
 */
#include "limbed.h"

#include "supple/geom/measure.h"

typedef struct Rows {
  uint32_t count;        /* without the poles */
  const uint32_t *first; /* [count + 1] first vertex of each row */
} Rows;

/* Rows of about equal spacing; rounding the running sum makes the total exact. */
static bool make_rows(SupArena *arena, uint32_t vertex_count, Rows *out) {
  uint32_t inner = vertex_count - 2;
  uint32_t count = (uint32_t)(sup_sqrt((double)inner * SUP_PI) / 2.0);
  uint32_t *first = SUP_ALLOC(arena, uint32_t, (size_t)count + 1);
  if (!first) return false;
  first[0] = 1;
  for (uint32_t r = 0; r < count; r++) {
    /* The fraction of the sphere above the lower edge of row r. */
    double fraction = (1.0 - sup_cos(SUP_PI * (r + 1) / count)) / 2.0;
    first[r + 1] = 1 + (uint32_t)(fraction * inner + 0.5);
  }
  first[count] = 1 + inner;
  *out = (Rows){count, first};
  return true;
}

static SupVec3 shape(double height, double angle) {
  double s = sup_sin(height), x = s * sup_cos(angle), y = sup_cos(height), z = s * sup_sin(angle);
  double ax = x * x, ay = y * y, az = z * z;
  double most = ax > ay ? (ax > az ? ax : az) : (ay > az ? ay : az);
  /* most is the squared cosine to the nearest half axis: its sixth power is a limb. */
  double limb = most * most * most * most * most * most;
  double radius = 0.6 + 1.8 * limb;
  return sup_vec3_make((float)(x * radius), (float)(y * radius), (float)(z * radius));
}

static void place_vertices(const Rows *rows, uint64_t seed, SupVec3 *positions) {
  SupRng rng = sup_rng(seed, 1);
  uint32_t last = rows->first[rows->count];
  positions[0] = shape(0, 0);
  positions[last] = shape(SUP_PI, 0);
  for (uint32_t r = 0; r < rows->count; r++) {
    uint32_t n = rows->first[r + 1] - rows->first[r];
    for (uint32_t k = 0; k < n; k++) {
      double jitter = 0.4 * (sup_rng_double(&rng) - 0.5);
      double height = SUP_PI * (r + 0.5 + jitter) / rows->count;
      positions[rows->first[r] + k] = shape(height, 2 * SUP_PI * (k + jitter) / n);
    }
  }
}

/* The strip between two rows: always the step that is behind goes on. */
static uint32_t *zip(uint32_t *t, uint32_t above, uint32_t n, uint32_t below, uint32_t m) {
  uint32_t i = 0, j = 0;
  while (i < n || j < m) {
    uint32_t a = above + i % n, b = below + j % m;
    if (j == m || (i < n && (uint64_t)(i + 1) * m <= (uint64_t)(j + 1) * n)) {
      *t++ = a, *t++ = above + (i + 1) % n, *t++ = b;
      i++;
    } else {
      *t++ = a, *t++ = below + (j + 1) % m, *t++ = b;
      j++;
    }
  }
  return t;
}

static uint32_t join_rows(const Rows *rows, uint32_t *triangles) {
  uint32_t *t = triangles, last = rows->count - 1;
  uint32_t n = rows->first[1] - rows->first[0];
  for (uint32_t k = 0; k < n; k++) *t++ = 0, *t++ = 1 + (k + 1) % n, *t++ = 1 + k;
  for (uint32_t r = 0; r < last; r++) {
    t = zip(t, rows->first[r], rows->first[r + 1] - rows->first[r], rows->first[r + 1],
            rows->first[r + 2] - rows->first[r + 1]);
  }
  uint32_t start = rows->first[last], pole = rows->first[rows->count];
  n = pole - start;
  for (uint32_t k = 0; k < n; k++) *t++ = pole, *t++ = start + k, *t++ = start + (k + 1) % n;
  return (uint32_t)(t - triangles) / 3;
}

/* new_of_old: a random permutation, or nothing. */
static void shuffle(uint32_t count, uint64_t seed, uint32_t *new_of_old) {
  SupRng rng = sup_rng(seed, 2);
  for (uint32_t v = 0; v < count; v++) new_of_old[v] = v;
  for (uint32_t v = count - 1; v > 0; v--) {
    uint32_t other = sup_rng_below(&rng, v + 1), keep = new_of_old[v];
    new_of_old[v] = new_of_old[other];
    new_of_old[other] = keep;
  }
}

/* Four bones along each half axis. */
static SupVec3 bone_place(uint32_t bone) {
  float along = 0.3f + 0.6f * (float)(bone % 4), sign = bone / 4 % 2 ? -1.0f : 1.0f;
  const float axis[3] = {bone / 8 == 0, bone / 8 == 1, bone / 8 == 2};
  return sup_vec3_make(sign * along * axis[0], sign * along * axis[1], sign * along * axis[2]);
}

static void weigh(SupVec3 p, uint32_t count, uint32_t *bones, float *weights) {
  float sum = 0;
  for (uint32_t k = 0; k < count; k++) weights[k] = 0;
  for (uint32_t bone = 0; bone < LIMBED_BONES; bone++) {
    float distance = sup_vec3_distance(p, bone_place(bone)), square = distance * distance;
    float weight = 1.0f / (0.01f + square * square);
    uint32_t k = count;
    for (; k > 0 && weight > weights[k - 1]; k--) {
      if (k < count) weights[k] = weights[k - 1], bones[k] = bones[k - 1];
    }
    if (k < count) weights[k] = weight, bones[k] = bone;
  }
  for (uint32_t k = 0; k < count; k++) sum += weights[k];
  for (uint32_t k = 0; k < count; k++) weights[k] /= sum;
}

SupResult limbed_make(SupArena *arena, uint32_t vertex_count, bool shuffled, uint64_t seed,
                      Limbed *out, SupError *error) {
  Rows rows;
  size_t n = vertex_count;
  SupVec3 *ordered = SUP_ALLOC(arena, SupVec3, n), *positions = SUP_ALLOC(arena, SupVec3, n);
  SupVec3 *normals = SUP_ALLOC(arena, SupVec3, n);
  uint32_t *triangles = SUP_ALLOC(arena, uint32_t, 6 * n), *moved = SUP_ALLOC(arena, uint32_t, n);
  uint32_t *offsets = SUP_ALLOC(arena, uint32_t, n + 1);
  uint32_t *bones = SUP_ALLOC(arena, uint32_t, n * LIMBED_INFLUENCES);
  float *weights = SUP_ALLOC(arena, float, n *LIMBED_INFLUENCES);
  if (!ordered || !positions || !normals || !triangles || !moved || !offsets || !bones ||
      !weights || !make_rows(arena, vertex_count, &rows)) {
    return sup_fail_memory(error, "bench");
  }
  place_vertices(&rows, seed, ordered);
  uint32_t triangle_count = join_rows(&rows, triangles);
  for (uint32_t v = 0; v < vertex_count; v++) moved[v] = v;
  if (shuffled) shuffle(vertex_count, seed, moved);
  for (uint32_t v = 0; v < vertex_count; v++) {
    positions[moved[v]] = ordered[v];
    offsets[v + 1] = LIMBED_INFLUENCES * (v + 1);
  }
  for (uint32_t c = 0; c < 3 * triangle_count; c++) triangles[c] = moved[triangles[c]];
  for (uint32_t v = 0; v < vertex_count; v++) {
    weigh(positions[v], LIMBED_INFLUENCES, bones + LIMBED_INFLUENCES * v,
          weights + LIMBED_INFLUENCES * v);
  }
  out->mesh = (SupMesh){vertex_count, triangle_count, positions, triangles};
  out->skin = (SupSkin){vertex_count, LIMBED_INFLUENCES, offsets, bones, weights};
  sup_vertex_normals(&out->mesh, normals);
  out->normals = normals;
  return SUP_OK;
}

SupResult limbed_spread(SupArena *arena, Limbed *io_body, SupError *error) {
  enum { LEAST = 3, MOST = 6 };
  const size_t n = io_body->mesh.vertex_count;
  uint32_t *offsets = SUP_ALLOC(arena, uint32_t, n + 1);
  uint32_t *bones = SUP_ALLOC(arena, uint32_t, MOST * n);
  float *weights = SUP_ALLOC(arena, float, MOST *n);
  if (!offsets || !bones || !weights) {
    return sup_fail_memory(error, "bench");
  }
  for (uint32_t v = 0; v < n; v++) {
    const uint32_t count = LEAST + v % (MOST - LEAST + 1);
    weigh(io_body->mesh.positions[v], count, bones + offsets[v], weights + offsets[v]);
    offsets[v + 1] = offsets[v] + count;
  }
  io_body->skin = (SupSkin){io_body->mesh.vertex_count, MOST, offsets, bones, weights};
  return SUP_OK;
}

void limbed_segments(SupSurfaceSegment out_segments[LIMBED_BONES]) {
  for (uint32_t bone = 0; bone < LIMBED_BONES; bone++) {
    const float sign = bone / 4 % 2 ? -1.0f : 1.0f, from = 0.6f * (float)(bone % 4);
    SupVec3 axis = {sign * (float)(bone / 8 == 0), sign * (float)(bone / 8 == 1),
                    sign * (float)(bone / 8 == 2)};
    out_segments[bone] =
        (SupSurfaceSegment){bone, sup_vec3_scale(axis, from), sup_vec3_scale(axis, from + 0.6f)};
  }
}
