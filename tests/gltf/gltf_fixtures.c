/* SPDX-License-Identifier: MIT */
#include "check.h"

#include "gltf_fixtures.h"

#include <math.h>
#include <meshoptimizer.h>
#include <stdio.h>
#include <string.h>

#include "supple/io/file.h"

/* ---- The truth ------------------------------------------------------------------------------ */

const float tube_times[TUBE_KEYS] = {0, 0.25f, 0.75f, 1.5f};

SupVec3 tube_position(uint32_t v) {
  double angle = 2 * 3.14159265358979 * (v % TUBE_SIDES) / TUBE_SIDES;
  return (SupVec3){(float)(0.3 * cos(angle)), 0.5f * (float)(v / TUBE_SIDES),
                   (float)(0.3 * sin(angle))};
}

/* The ring's height along the joints: 0 root, 1 mid, 2 tip. */
float tube_weight(uint32_t v, uint32_t j) {
  float distance = fabsf(0.5f * (float)(v / TUBE_SIDES) - (float)j);
  return distance < 1 ? 1 - distance : 0;
}

SupVec3 tube_morph(uint32_t target, uint32_t v) {
  SupVec3 p = tube_position(v);
  if (target == 0) return (SupVec3){0.5f * p.x, 0, 0.5f * p.z};
  return (SupVec3){0, v % 2 ? 0.125f : 0, 0};
}

uint8_t tube_red(uint32_t v) { return (uint8_t)(7 * v); }

float tube_stiffness(uint32_t v) { return 0.25f + 0.01f * (float)v; }

SupQuat tube_rotation(uint32_t key) {
  double half = 0.2 * key;
  return (SupQuat){0, 0, (float)sin(half), (float)cos(half)};
}

uint32_t tube_find(SupVec3 position, float tolerance) {
  uint32_t best = 0;
  double least = 1e9;
  for (uint32_t v = 0; v < TUBE_VERTICES; v++) {
    SupVec3 p = tube_position(v);
    double x = p.x - position.x, y = p.y - position.y, z = p.z - position.z;
    double d = sqrt(x * x + y * y + z * z);
    if (d < least) {
      least = d;
      best = v;
    }
  }
  assert_true(least <= (double)tolerance);
  return best;
}

/* ---- A file under construction -------------------------------------------------------------- */

typedef struct Maker {
  unsigned flags;
  bool no_tip; /* of the mesh being written (FIX_NO_TIP) */
  uint8_t *bin;
  size_t bin_bytes;
  size_t fallback_bytes; /* of the buffer that compressed views pretend to be in */
  FILE *views, *accessors;
  char *views_text, *accessors_text;
  size_t views_bytes, accessors_bytes;
  int view_count, accessor_count;
} Maker;

static size_t append(Maker *maker, const void *data, size_t bytes) {
  size_t offset = (maker->bin_bytes + 3) / 4 * 4;
  maker->bin = realloc(maker->bin, offset + bytes + 4);
  assert_non_null(maker->bin);
  memset(maker->bin + maker->bin_bytes, 0, offset - maker->bin_bytes);
  memcpy(maker->bin + offset, data, bytes);
  maker->bin_bytes = offset + bytes;
  return offset;
}

static int add_view(Maker *maker, const void *data, size_t bytes, size_t stride, int target) {
  size_t offset = append(maker, data, bytes);
  fprintf(maker->views, "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu",
          maker->view_count ? "," : "", offset, bytes);
  if (stride) fprintf(maker->views, ",\"byteStride\":%zu", stride);
  if (target) fprintf(maker->views, ",\"target\":%d", target);
  fprintf(maker->views, "}");
  return maker->view_count++;
}

/* A view compressed by meshoptimizer's own encoder; `mode` and `filter` as in the extension. */
static int add_packed(Maker *maker, const void *data, size_t count, size_t stride, const char *mode,
                      const char *filter) {
  bool vertices = strcmp(mode, "ATTRIBUTES") == 0, triangles = strcmp(mode, "TRIANGLES") == 0;
  size_t bound = vertices    ? meshopt_encodeVertexBufferBound(count, stride)
                 : triangles ? meshopt_encodeIndexBufferBound(count, TUBE_VERTICES)
                             : meshopt_encodeIndexSequenceBound(count, TUBE_VERTICES);
  unsigned char *packed = malloc(bound);
  assert_non_null(packed);
  size_t bytes = vertices    ? meshopt_encodeVertexBuffer(packed, bound, data, count, stride)
                 : triangles ? meshopt_encodeIndexBuffer(packed, bound, data, count)
                             : meshopt_encodeIndexSequence(packed, bound, data, count);
  assert_true(bytes > 0);
  size_t offset = append(maker, packed, bytes);
  free(packed);
  fprintf(maker->views, "%s{\"buffer\":1,\"byteOffset\":%zu,\"byteLength\":%zu",
          maker->view_count ? "," : "", maker->fallback_bytes, count * stride);
  bool keys = strcmp(filter, "QUATERNION") == 0; /* animation data has neither of these */
  if (vertices && !keys) fprintf(maker->views, ",\"byteStride\":%zu", stride);
  if (!keys) fprintf(maker->views, ",\"target\":%d", vertices ? 34962 : 34963);
  fprintf(maker->views,
          ",\"extensions\":{\"EXT_meshopt_compression\":{\"buffer\":0,\"byteOffset\":%zu,"
          "\"byteLength\":%zu,\"byteStride\":%zu,\"count\":%zu,\"mode\":\"%s\"",
          offset, bytes, stride, count, mode);
  if (strcmp(filter, "NONE") != 0) fprintf(maker->views, ",\"filter\":\"%s\"", filter);
  fprintf(maker->views, "}}}");
  maker->fallback_bytes += count * stride;
  return maker->view_count++;
}

static int add_accessor(Maker *maker, int view, size_t offset, int component, size_t count,
                        const char *type, const char *more) {
  fprintf(maker->accessors, "%s{\"componentType\":%d,\"count\":%zu,\"type\":\"%s\"%s",
          maker->accessor_count ? "," : "", component, count, type, more);
  if (view >= 0) fprintf(maker->accessors, ",\"bufferView\":%d", view);
  if (offset) fprintf(maker->accessors, ",\"byteOffset\":%zu", offset);
  fprintf(maker->accessors, "}");
  return maker->accessor_count++;
}

/* One vertex array, compressed if the fixture says so. */
static int add_vertices(Maker *maker, const void *data, size_t count, size_t size, int component,
                        const char *type, const char *more) {
  int view = maker->flags & FIX_MESHOPT ? add_packed(maker, data, count, size, "ATTRIBUTES", "NONE")
                                        : add_view(maker, data, count * size, 0, 34962);
  return add_accessor(maker, view, 0, component, count, type, more);
}

/* ---- The tube ------------------------------------------------------------------------------- */

/* What a file vertex is made from: the tube's vertex number. */
static uint32_t corner(uint32_t k) {
  uint32_t f = k / 3, quad = f / 2, ring = quad / TUBE_SIDES, side = quad % TUBE_SIDES;
  uint32_t a = ring * TUBE_SIDES + side, b = ring * TUBE_SIDES + (side + 1) % TUBE_SIDES;
  uint32_t c = a + TUBE_SIDES, d = b + TUBE_SIDES;
  const uint32_t corners[2][3] = {{a, c, b}, {b, c, d}};
  return corners[f % 2][k % 3];
}

static const char position_bounds[] =
    ",\"min\":[-0.30000001192092896,0,-0.2598076164722443],"
    "\"max\":[0.30000001192092896,2,0.2598076164722443]";

static const uint32_t *no_map(void) { return NULL; }

static uint32_t source(const uint32_t *map, uint32_t v) { return map ? map[v] : v; }

static int add_positions(Maker *maker, const uint32_t *map, uint32_t count, float size) {
  SupVec3 positions[3 * TUBE_TRIANGLES];
  for (uint32_t v = 0; v < count; v++) {
    SupVec3 p = tube_position(source(map, v));
    positions[v] = (SupVec3){p.x * size, p.y * size, p.z * size};
  }
  if (maker->flags & FIX_SPARSE) {
    uint16_t indices[3 * TUBE_TRIANGLES];
    for (uint32_t v = 0; v < count; v++) indices[v] = (uint16_t)v;
    int a = add_view(maker, indices, count * 2, 0, 0);
    int b = add_view(maker, positions, count * sizeof(SupVec3), 0, 0);
    char text[300];
    snprintf(text, sizeof text,
             "%s,\"sparse\":{\"count\":%u,\"indices\":{\"bufferView\":%d,\"componentType\":5123},"
             "\"values\":{\"bufferView\":%d}}",
             position_bounds, count, a, b);
    return add_accessor(maker, -1, 0, 5126, count, "VEC3", text);
  }
  if (maker->flags & FIX_FILTERS) {
    SupVec3 filtered[3 * TUBE_TRIANGLES];
    meshopt_encodeFilterExp(filtered, count, sizeof(SupVec3), 24, &positions->x);
    int view = add_packed(maker, filtered, count, sizeof(SupVec3), "ATTRIBUTES", "EXPONENTIAL");
    return add_accessor(maker, view, 0, 5126, count, "VEC3", position_bounds);
  }
  if (maker->flags & FIX_QUANTISED) { /* 1/4096, in 8 bytes a vertex */
    int16_t shorts[3 * TUBE_TRIANGLES][4] = {{0}};
    for (uint32_t v = 0; v < count; v++) {
      shorts[v][0] = (int16_t)lroundf(positions[v].x * 4096);
      shorts[v][1] = (int16_t)lroundf(positions[v].y * 4096);
      shorts[v][2] = (int16_t)lroundf(positions[v].z * 4096);
    }
    int view = add_view(maker, shorts, count * 8, 8, 34962);
    return add_accessor(maker, view, 0, 5122, count, "VEC3",
                        ",\"min\":[-1229,0,-1064],\"max\":[1229,8192,1064]");
  }
  char more[200];
  snprintf(more, sizeof more, "%s", size == 1 ? position_bounds : "");
  if (size != 1) {
    snprintf(more, sizeof more, ",\"min\":[%.17g,0,%.17g],\"max\":[%.17g,%.17g,%.17g]",
             (double)(-0.3f * size), (double)(tube_position(4).z * size), (double)(0.3f * size),
             (double)(2 * size), (double)(tube_position(1).z * size));
  }
  return add_vertices(maker, positions, count, sizeof(SupVec3), 5126, "VEC3", more);
}

/* Radial normals as octahedral bytes. */
static int add_normals(Maker *maker, const uint32_t *map, uint32_t count) {
  SupVec4 normals[3 * TUBE_TRIANGLES];
  int8_t filtered[3 * TUBE_TRIANGLES][4];
  for (uint32_t v = 0; v < count; v++) {
    SupVec3 p = tube_position(source(map, v));
    normals[v] = (SupVec4){p.x / 0.3f, 0, p.z / 0.3f, 1};
  }
  meshopt_encodeFilterOct(filtered, count, 4, 8, &normals->x);
  int view = add_packed(maker, filtered, count, 4, "ATTRIBUTES", "OCTAHEDRAL");
  return add_accessor(maker, view, 0, 5120, count, "VEC3", ",\"normalized\":true");
}

/* Slots of weights: the first of four; with JOINTS_1 every second influence is in the other set. */
static void vertex_slots(const Maker *maker, uint32_t v, uint8_t joints[8], float weights[8]) {
  uint32_t slot = 0, step = maker->flags & FIX_JOINTS_1 ? 4 : 1;
  memset(joints, 0, 8);
  memset(weights, 0, 8 * sizeof(float));
  for (uint32_t j = 0; j < TUBE_JOINTS; j++) {
    if (tube_weight(v, j) == 0) continue;
    joints[slot] = (uint8_t)(maker->no_tip && j == 2 ? 1 : j);
    weights[slot] = tube_weight(v, j);
    slot += step;
  }
}

static void add_weights(Maker *maker, FILE *attributes, const uint32_t *map, uint32_t count,
                        uint32_t set) {
  uint8_t joints[3 * TUBE_TRIANGLES][4], bytes[3 * TUBE_TRIANGLES][4];
  float weights[3 * TUBE_TRIANGLES][4];
  for (uint32_t v = 0; v < count; v++) {
    uint8_t all_joints[8];
    float all_weights[8];
    vertex_slots(maker, source(map, v), all_joints, all_weights);
    int left = 255, first = 0;
    for (int k = 0; k < 4; k++) {
      joints[v][k] = all_joints[4 * set + (uint32_t)k];
      weights[v][k] = all_weights[4 * set + (uint32_t)k];
      bytes[v][k] = (uint8_t)lroundf(weights[v][k] * 255);
      left -= bytes[v][k];
      if (bytes[v][k] > bytes[v][first]) first = k;
    }
    bytes[v][first] = (uint8_t)(bytes[v][first] + left); /* sums must be 255 */
  }
  int a = add_vertices(maker, joints, count, 4, 5121, "VEC4", "");
  int b = maker->flags & FIX_BYTES
              ? add_vertices(maker, bytes, count, 4, 5121, "VEC4", ",\"normalized\":true")
              : add_vertices(maker, weights, count, 16, 5126, "VEC4", "");
  fprintf(attributes, ",\"JOINTS_%u\":%d,\"WEIGHTS_%u\":%d", set, a, set, b);
}

static void add_interleaved(Maker *maker, FILE *attributes, const uint32_t *map, uint32_t count) {
  struct {
    SupVec3 position;
    uint8_t joints[4];
    float weights[4];
  } vertices[3 * TUBE_TRIANGLES];
  for (uint32_t v = 0; v < count; v++) {
    uint8_t joints[8];
    float weights[8];
    vertex_slots(maker, source(map, v), joints, weights);
    vertices[v].position = tube_position(source(map, v));
    memcpy(vertices[v].joints, joints, 4);
    memcpy(vertices[v].weights, weights, 16);
  }
  int view = add_view(maker, vertices, count * sizeof *vertices, sizeof *vertices, 34962);
  int a = add_accessor(maker, view, 0, 5126, count, "VEC3", position_bounds);
  int b = add_accessor(maker, view, 12, 5121, count, "VEC4", "");
  int c = add_accessor(maker, view, 16, 5126, count, "VEC4", "");
  fprintf(attributes, "\"POSITION\":%d,\"JOINTS_0\":%d,\"WEIGHTS_0\":%d", a, b, c);
}

static void add_targets(Maker *maker, FILE *mesh, const uint32_t *map, uint32_t count) {
  fprintf(mesh, ",\"targets\":[");
  for (uint32_t t = 0; t < 2; t++) {
    SupVec3 offsets[3 * TUBE_TRIANGLES];
    char bounds[200];
    float low[3] = {9, 9, 9}, high[3] = {-9, -9, -9};
    for (uint32_t v = 0; v < count; v++) {
      offsets[v] = tube_morph(t, source(map, v));
      const float *o = &offsets[v].x;
      for (int k = 0; k < 3; k++) low[k] = fminf(low[k], o[k]);
      for (int k = 0; k < 3; k++) high[k] = fmaxf(high[k], o[k]);
    }
    snprintf(bounds, sizeof bounds, ",\"min\":[%.17g,%.17g,%.17g],\"max\":[%.17g,%.17g,%.17g]",
             (double)low[0], (double)low[1], (double)low[2], (double)high[0], (double)high[1],
             (double)high[2]);
    int a = add_vertices(maker, offsets, count, sizeof(SupVec3), 5126, "VEC3", bounds);
    fprintf(mesh, "%s{\"POSITION\":%d}", t ? "," : "", a);
  }
  fprintf(mesh, "]");
}

/* Indices of a primitive: the whole tube as triangles, or ring `ring` as a strip. */
static int add_indices(Maker *maker, bool strip, uint32_t ring) {
  uint32_t indices[3 * TUBE_TRIANGLES];
  uint32_t count = 0;
  if (strip) {
    for (uint32_t s = 0; s <= TUBE_SIDES; s++) {
      indices[count++] = ring * TUBE_SIDES + s % TUBE_SIDES;
      indices[count++] = (ring + 1) * TUBE_SIDES + s % TUBE_SIDES;
    }
  } else {
    for (; count < 3 * TUBE_TRIANGLES; count++) indices[count] = corner(count);
  }
  if (maker->flags & (FIX_MESHOPT | FIX_FILTERS) && !strip) {
    const char *mode = maker->flags & FIX_FILTERS ? "INDICES" : "TRIANGLES";
    int view = add_packed(maker, indices, count, 4, mode, "NONE");
    return add_accessor(maker, view, 0, 5125, count, "SCALAR", "");
  }
  uint16_t shorts[3 * TUBE_TRIANGLES];
  for (uint32_t k = 0; k < count; k++) shorts[k] = (uint16_t)indices[k];
  int view = add_view(maker, shorts, count * 2, 0, 34963);
  return add_accessor(maker, view, 0, 5123, count, "SCALAR", "");
}

static void add_fan(Maker *maker, FILE *mesh, const char *attributes) {
  uint16_t fan[TUBE_SIDES];
  for (uint32_t s = 0; s < TUBE_SIDES; s++) fan[s] = (uint16_t)(TUBE_VERTICES - 1 - s);
  int view = add_view(maker, fan, sizeof fan, 0, 34963);
  int index = add_accessor(maker, view, 0, 5123, TUBE_SIDES, "SCALAR", "");
  fprintf(mesh, ",{\"attributes\":{%s},\"indices\":%d,\"mode\":6}", attributes, index);
}

static void add_mesh(Maker *maker, FILE *mesh, float size) {
  uint32_t corners[3 * TUBE_TRIANGLES];
  bool loose = maker->flags & FIX_NO_INDICES;
  uint32_t count = loose ? 3 * TUBE_TRIANGLES : TUBE_VERTICES;
  for (uint32_t k = 0; k < 3 * TUBE_TRIANGLES; k++) corners[k] = corner(k);
  const uint32_t *map = loose ? corners : no_map();
  char *text;
  size_t bytes;
  FILE *attributes = open_memstream(&text, &bytes);
  if (maker->flags & FIX_INTERLEAVED) {
    add_interleaved(maker, attributes, map, count);
  } else {
    fprintf(attributes, "\"POSITION\":%d", add_positions(maker, map, count, size));
    if (maker->flags & FIX_FILTERS) {
      fprintf(attributes, ",\"NORMAL\":%d", add_normals(maker, map, count));
    }
    add_weights(maker, attributes, map, count, 0);
    if (maker->flags & FIX_JOINTS_1) add_weights(maker, attributes, map, count, 1);
  }
  if (maker->flags & FIX_MAPS) {
    float values[3 * TUBE_TRIANGLES];
    for (uint32_t v = 0; v < count; v++) values[v] = tube_stiffness(source(map, v));
    fprintf(attributes, ",\"_SUPPLE_STIFFNESS\":%d",
            add_vertices(maker, values, count, 4, 5126, "SCALAR", ""));
  }
  if (maker->flags & FIX_COLORS) {
    uint8_t colors[4 * 3 * TUBE_TRIANGLES];
    for (uint32_t v = 0; v < count; v++) {
      const uint8_t color[4] = {tube_red(source(map, v)), 7, 8, 255};
      memcpy(colors + 4 * v, color, 4);
    }
    fprintf(attributes, ",\"COLOR_0\":%d",
            add_vertices(maker, colors, count, 4, 5121, "VEC4", ",\"normalized\":true"));
  }
  fclose(attributes);
  uint32_t primitives = maker->flags & FIX_STRIP ? TUBE_RINGS - 1 : 1;
  fprintf(mesh, "{\"name\":\"tube\",\"primitives\":[");
  for (uint32_t p = 0; p < primitives; p++) {
    fprintf(mesh, "%s{\"attributes\":{%s}", p ? "," : "", text);
    if (maker->flags & FIX_STRIP) {
      fprintf(mesh, ",\"mode\":5,\"indices\":%d", add_indices(maker, true, p));
    } else if (!loose) {
      fprintf(mesh, ",\"indices\":%d", add_indices(maker, false, 0));
    }
    if (maker->flags & FIX_MORPHS) add_targets(maker, mesh, map, count);
    fprintf(mesh, "}");
  }
  if (maker->flags & FIX_FAN) add_fan(maker, mesh, text);
  if (maker->flags & FIX_UNKNOWN) {
    fprintf(mesh, ",{\"attributes\":{\"POSITION\":0},\"mode\":1");
    if (maker->flags & FIX_MORPHS) add_targets(maker, mesh, map, count);
    fprintf(mesh, "}");
  }
  fprintf(mesh, "]");
  if (maker->flags & FIX_MORPHS) {
    fprintf(mesh, ",\"weights\":[0.25,0],\"extras\":{\"targetNames\":[\"fat\",\"zigzag\"]}");
  }
  fprintf(mesh, "}");
  free(text);
}

/* Inverse bind matrices for positions that are `size` times the truth. */
static int add_inverse_bind(Maker *maker, double size) {
  float matrices[TUBE_JOINTS][16] = {{0}};
  double scale = maker->flags & FIX_QUANTISED ? 1 / (4096 * size) : 1 / size;
  for (int j = 0; j < TUBE_JOINTS; j++) {
    for (int k = 0; k < 3; k++) matrices[j][5 * k] = (float)scale;
    matrices[j][13] = (float)-j;
    matrices[j][15] = 1;
  }
  int view = add_view(maker, matrices, sizeof matrices, 0, 0);
  return add_accessor(maker, view, 0, 5126, TUBE_JOINTS, "MAT4", "");
}

/* ---- Animation ------------------------------------------------------------------------------ */

static int add_times(Maker *maker) {
  int view = add_view(maker, tube_times, sizeof tube_times, 0, 0);
  return add_accessor(maker, view, 0, 5126, TUBE_KEYS, "SCALAR", ",\"min\":[0],\"max\":[1.5]");
}

static int add_rotations(Maker *maker) {
  float cubic[TUBE_KEYS][3][4] = {{{0}}}, linear[TUBE_KEYS][4];
  int8_t bytes[TUBE_KEYS][4];
  for (uint32_t i = 0; i < TUBE_KEYS; i++) {
    SupQuat q = tube_rotation(i);
    memcpy(linear[i], &q, sizeof q);
    memcpy(cubic[i][1], &q, sizeof q);
    cubic[i][0][2] = 0.125f;
    cubic[i][2][2] = 0.25f;
    for (int k = 0; k < 4; k++) bytes[i][k] = (int8_t)lroundf(linear[i][k] * 127);
  }
  if (maker->flags & FIX_CUBIC) {
    int view = add_view(maker, cubic, sizeof cubic, 0, 0);
    return add_accessor(maker, view, 0, 5126, 3 * TUBE_KEYS, "VEC4", "");
  }
  if (maker->flags & FIX_FILTERS) {
    int16_t filtered[TUBE_KEYS][4];
    meshopt_encodeFilterQuat(filtered, TUBE_KEYS, 8, 16, &linear[0][0]);
    int view = add_packed(maker, filtered, TUBE_KEYS, 8, "ATTRIBUTES", "QUATERNION");
    return add_accessor(maker, view, 0, 5122, TUBE_KEYS, "VEC4", ",\"normalized\":true");
  }
  if (maker->flags & FIX_BYTES) {
    int view = add_view(maker, bytes, sizeof bytes, 0, 0);
    return add_accessor(maker, view, 0, 5120, TUBE_KEYS, "VEC4", ",\"normalized\":true");
  }
  int view = add_view(maker, linear, sizeof linear, 0, 0);
  return add_accessor(maker, view, 0, 5126, TUBE_KEYS, "VEC4", "");
}

/* Rotation of mid, steps of the holder (no joint, but an ancestor), scale of tip, morph weights. */
static void add_animation(Maker *maker, FILE *out) {
  float steps[TUBE_KEYS][3], scales[TUBE_KEYS][3], weights[TUBE_KEYS][2];
  for (int i = 0; i < TUBE_KEYS; i++) {
    for (int k = 0; k < 3; k++) steps[i][k] = (float)(i + k);
    for (int k = 0; k < 3; k++) scales[i][k] = 1 + 0.25f * (float)i;
    for (int k = 0; k < 2; k++) weights[i][k] = 0.25f * (float)i + 0.5f * (float)k;
  }
  int times = add_times(maker), rotations = add_rotations(maker);
  int translations = add_accessor(maker, add_view(maker, steps, sizeof steps, 0, 0), 0, 5126,
                                  TUBE_KEYS, "VEC3", "");
  int sizes = add_accessor(maker, add_view(maker, scales, sizeof scales, 0, 0), 0, 5126, TUBE_KEYS,
                           "VEC3", "");
  fprintf(out,
          "[{\"samplers\":[{\"input\":%d,\"output\":%d,\"interpolation\":\"%s\"},{\"input\":%d,"
          "\"output\":%d,\"interpolation\":\"STEP\"},{\"input\":%d,\"output\":%d}",
          times, rotations, maker->flags & FIX_CUBIC ? "CUBICSPLINE" : "LINEAR", times,
          translations, times, sizes);
  if (maker->flags & FIX_MORPHS) { /* with tangents every key has three rows */
    bool cubic = maker->flags & FIX_CUBIC;
    float rows[TUBE_KEYS][3][2] = {{{0}}};
    for (int i = 0; i < TUBE_KEYS; i++) memcpy(rows[i][1], weights[i], sizeof weights[i]);
    int view = cubic ? add_view(maker, rows, sizeof rows, 0, 0)
                     : add_view(maker, weights, sizeof weights, 0, 0);
    int numbers = add_accessor(maker, view, 0, 5126, (cubic ? 6 : 2) * TUBE_KEYS, "SCALAR", "");
    fprintf(out, ",{\"input\":%d,\"output\":%d,\"interpolation\":\"%s\"}", times, numbers,
            cubic ? "CUBICSPLINE" : "LINEAR");
  }
  fprintf(out,
          "],\"channels\":[{\"sampler\":0,\"target\":{\"node\":2,\"path\":\"rotation\"}},"
          "{\"sampler\":1,\"target\":{\"node\":0,\"path\":\"translation\"}},"
          "{\"sampler\":2,\"target\":{\"node\":3,\"path\":\"scale\"}}");
  if (maker->flags & FIX_MORPHS) {
    fprintf(out, ",{\"sampler\":3,\"target\":{\"node\":4,\"path\":\"weights\"}}");
  }
  fprintf(out, "]}]");
}

/* ---- The document --------------------------------------------------------------------------- */

/* A grey image of one pixel. */
const uint8_t fixture_png[] = {
    0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48,
    0x44, 0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x00,
    0x00, 0x3A, 0x7E, 0x9B, 0x55, 0x00, 0x00, 0x00, 0x0A, 0x49, 0x44, 0x41, 0x54, 0x08,
    0xD7, 0x63, 0x68, 0x00, 0x00, 0x00, 0x82, 0x00, 0x81, 0xDD, 0x43, 0x6A, 0xF4, 0x00,
    0x00, 0x00, 0x00, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82};
const size_t fixture_png_bytes = sizeof fixture_png;

static const char unknown_members[] =
    ",\"cameras\":[{\"type\":\"perspective\",\"perspective\":{\"yfov\":0.7,\"znear\":1.0E-2},"
    "\"extras\":null}],\"extensions\":{\"ACME_weather\":{\"rain\":[1e-7,0.10,-0,12.50,1E+2,"
    "18446744073709551616,1e400,123456789.123456789],\"deep\":{\"b\":true,\"a\":{\"z\":[],\"y\":{}}"
    ",\"text\":\"\\u00e9\\u0000 \\\"q\\\" \\\\ \\t\"}}},\"extras\":[{\"last\":1},\"first\",3.0]";

static void write_nodes(const Maker *maker, FILE *out) {
  unsigned flags = maker->flags;
  const char *step = flags & FIX_MATRIX ? "\"matrix\":[1,0,0,0,0,1,0,0,0,0,1,0,0,1,0,1]"
                                        : "\"translation\":[0,1,0]";
  fprintf(out, "[{\"name\":\"holder\",%s\"children\":[1]}",
          flags & FIX_NEGATIVE ? "\"scale\":[-1,1,1]," : "");
  fprintf(out, ",{\"name\":\"root\",\"children\":[2]},{\"name\":\"mid\",%s,\"children\":[3]}",
          flags & FIX_MATRIX ? "\"translation\":[0,1,0]" : step);
  /* Only what is not animated may have a matrix. */
  fprintf(out, ",{\"name\":\"tip\",\"translation\":[0,1,0]%s}",
          flags & FIX_MATRIX ? ",\"children\":[5]" : "");
  fprintf(out, ",{\"name\":\"tube\",\"mesh\":0,\"skin\":0,\"translation\":[7,8,9]%s}",
          flags & FIX_MORPHS ? ",\"weights\":[0.25,0.5]" : "");
  if (flags & FIX_MATRIX) fprintf(out, ",{\"name\":\"end\",%s}", step);
  if (flags & FIX_TWO_SKINS) fprintf(out, ",{\"name\":\"tube2\",\"mesh\":1,\"skin\":1}");
  fprintf(out, "]");
}

static void write_extensions(const Maker *maker, FILE *out) {
  const char *separator = "";
  if (!(maker->flags & (FIX_QUANTISED | FIX_MESHOPT | FIX_FILTERS | FIX_UNKNOWN))) return;
  fprintf(out, ",\"extensionsUsed\":[");
  if (maker->flags & FIX_UNKNOWN) {
    fprintf(out, "\"ACME_weather\"");
    separator = ",";
  }
  const char *quantised =
      maker->flags & (FIX_QUANTISED | FIX_FILTERS) ? "\"KHR_mesh_quantization\"" : "";
  const char *packed =
      maker->flags & (FIX_MESHOPT | FIX_FILTERS) ? "\"EXT_meshopt_compression\"" : "";
  const char *between = *quantised && *packed ? "," : "";
  if (!*quantised && !*packed) {
    fprintf(out, "]");
    return;
  }
  fprintf(out, "%s%s%s%s],\"extensionsRequired\":[%s%s%s]", separator, quantised, between, packed,
          quantised, between, packed);
}

static const char *base64(const uint8_t *data, size_t bytes) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char *text = malloc(bytes * 2 + 8), *to = text;
  for (size_t k = 0; k < bytes; k += 3) {
    unsigned bits = (unsigned)data[k] << 16;
    if (k + 1 < bytes) bits |= (unsigned)data[k + 1] << 8;
    if (k + 2 < bytes) bits |= data[k + 2];
    for (int d = 0; d < 4; d++) *to++ = digits[bits >> (18 - 6 * d) & 63];
    if (k + 2 >= bytes) to[-1] = '=';
    if (k + 1 >= bytes) to[-2] = '=';
  }
  *to = 0;
  return text;
}

static void write_buffers(const Maker *maker, FILE *out) {
  fprintf(out, ",\"buffers\":[{\"byteLength\":%zu", maker->bin_bytes);
  if (maker->flags & FIX_EXTERNAL) fprintf(out, ",\"uri\":\"my%%20tube.bin\"");
  if (maker->flags & FIX_TEXT) {
    const char *text = base64(maker->bin, maker->bin_bytes);
    fprintf(out, ",\"uri\":\"data:application/octet-stream;base64,%s\"", text);
    free((void *)(uintptr_t)text);
  }
  fprintf(out, "}");
  if (maker->flags & (FIX_MESHOPT | FIX_FILTERS)) {
    fprintf(out,
            ",{\"byteLength\":%zu,\"extensions\":{\"EXT_meshopt_compression\":{\"fallback\":true}}"
            "}",
            maker->fallback_bytes);
  }
  fprintf(out, "]");
}

static void write_images(Maker *maker, FILE *out) {
  if (maker->flags & FIX_EXTERNAL) {
    fprintf(out, ",\"images\":[{\"uri\":\"textures/tube.png\"}]");
  } else if (maker->flags & FIX_UNKNOWN) {
    fprintf(out, ",\"images\":[{\"mimeType\":\"image/png\",\"bufferView\":%d}]",
            add_view(maker, fixture_png, sizeof fixture_png, 0, 0));
  }
}

static void write_skins(Maker *maker, FILE *out) {
  fprintf(out, ",\"skins\":[{\"inverseBindMatrices\":%d,\"joints\":[1,2,3]}",
          add_inverse_bind(maker, 1));
  if (maker->flags & FIX_TWO_SKINS) {
    fprintf(out, ",{\"inverseBindMatrices\":%d,\"joints\":[1,2%s]}", add_inverse_bind(maker, 10),
            maker->no_tip ? "" : ",3");
  }
  fprintf(out, "]");
}

static void write_document(Maker *maker, FILE *out) {
  maker->views = open_memstream(&maker->views_text, &maker->views_bytes);
  maker->accessors = open_memstream(&maker->accessors_text, &maker->accessors_bytes);
  fprintf(out, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"fixture\"}");
  write_extensions(maker, out);
  fprintf(out, ",\"scene\":0,\"scenes\":[{\"nodes\":[0,4%s]}],\"nodes\":",
          maker->flags & FIX_TWO_SKINS ? ",5" : "");
  write_nodes(maker, out);
  fprintf(out, ",\"meshes\":[");
  add_mesh(maker, out, 1);
  if (maker->flags & FIX_TWO_SKINS) {
    fprintf(out, ",");
    maker->no_tip = maker->flags & FIX_NO_TIP;
    add_mesh(maker, out, 10);
  }
  fprintf(out, "]");
  write_skins(maker, out);
  fprintf(out, ",\"animations\":");
  add_animation(maker, out);
  write_images(maker, out);
  fclose(maker->views);
  fclose(maker->accessors);
  fprintf(out, ",\"accessors\":[%s],\"bufferViews\":[%s]", maker->accessors_text,
          maker->views_text);
  write_buffers(maker, out);
  if (maker->flags & FIX_UNKNOWN) fprintf(out, "%s", unknown_members);
  fprintf(out, "}");
}

static void put_u32(FILE *out, size_t value) {
  for (int k = 0; k < 4; k++) fputc((int)(value >> (8 * k) & 255), out);
}

Fixture fixture_make(unsigned flags) {
  Maker maker = {.flags = flags};
  char *json = NULL, *file = NULL;
  size_t json_bytes = 0, bytes = 0;
  FILE *out = open_memstream(&json, &json_bytes);
  write_document(&maker, out);
  while (ftell(out) % 4) fputc(' ', out);
  fclose(out);
  free(maker.views_text);
  free(maker.accessors_text);
  Fixture fixture = {(uint8_t *)json, json_bytes, maker.bin, maker.bin_bytes};
  if (flags & (FIX_TEXT | FIX_EXTERNAL)) return fixture;
  size_t padded = (maker.bin_bytes + 3) / 4 * 4;
  out = open_memstream(&file, &bytes);
  fwrite("glTF", 1, 4, out);
  put_u32(out, 2);
  put_u32(out, 12 + 8 + json_bytes + 8 + padded);
  put_u32(out, json_bytes);
  fwrite("JSON", 1, 4, out);
  fwrite(json, 1, json_bytes, out);
  put_u32(out, padded);
  fwrite("BIN\0", 1, 4, out);
  fwrite(maker.bin, 1, maker.bin_bytes, out);
  for (size_t k = maker.bin_bytes; k < padded; k++) fputc(0, out);
  fclose(out);
  free(json);
  fixture.file = (uint8_t *)file;
  fixture.bytes = bytes;
  return fixture;
}

void fixture_free(Fixture *fixture) {
  free(fixture->file);
  free(fixture->bin);
  *fixture = (Fixture){0};
}

/* ---- Using them ----------------------------------------------------------------------------- */

const unsigned fixture_list[] = {FIX_PLAIN,
                                 FIX_MORPHS,
                                 FIX_CUBIC,
                                 FIX_SPARSE,
                                 FIX_JOINTS_1,
                                 FIX_QUANTISED,
                                 FIX_MESHOPT,
                                 FIX_NEGATIVE,
                                 FIX_NO_INDICES,
                                 FIX_STRIP,
                                 FIX_INTERLEAVED,
                                 FIX_TWO_SKINS,
                                 FIX_UNKNOWN,
                                 FIX_BYTES,
                                 FIX_MATRIX,
                                 FIX_TEXT,
                                 FIX_MAPS,
                                 FIX_COLORS,
                                 FIX_FAN,
                                 FIX_FILTERS,
                                 FIX_MORPHS | FIX_NO_INDICES | FIX_MAPS | FIX_CUBIC,
                                 FIX_MESHOPT | FIX_MORPHS | FIX_MAPS | FIX_JOINTS_1,
                                 FIX_TEXT | FIX_UNKNOWN | FIX_MORPHS,
                                 FIXTURE_END};

const char *fixture_name(unsigned flags) {
  static char name[24];
  snprintf(name, sizeof name, "fixture_%05x", flags);
  return name;
}

SupGltf *fixture_open(unsigned flags) {
  Fixture fixture = fixture_make(flags);
  SupGltf *document = NULL;
  SupError error = {""};
  SupResult result =
      sup_gltf_open_memory(fixture.file, fixture.bytes, NULL, NULL, &document, &error);
  fixture_free(&fixture);
  if (result != SUP_OK) fail_msg("%s: %s", fixture_name(flags), error.text);
  return document;
}

SupGltfCharacter fixture_character(const SupGltf *document, SupArena *arena) {
  uint32_t count = 0;
  SupGltfCharacter *characters = NULL;
  SupError error = {""};
  if (sup_gltf_characters(document, arena, &count, &characters, &error) != SUP_OK) {
    fail_msg("%s", error.text);
  }
  assert_int_equal(count, 1);
  return characters[0];
}

int fixture_folder(char out_folder[64]) {
  snprintf(out_folder, 64, "/tmp/supple_gltf_XXXXXX");
  return !mkdtemp(out_folder);
}

int fixture_folder_end(const char *folder) {
  char command[100];
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}
