/* SPDX-License-Identifier: MIT */
/* OBJ in: one pass counts, the second fills, sup_character_build does the rest. */
#include <string.h>

#include "io/obj/obj_scan.h"
#include "io/path.h"
#include "supple/author/build.h"
#include "supple/io/file.h"
#include "supple/io/obj.h"

/* A run of faces under one name. */
typedef struct Group {
  const char *name;
  size_t name_length;
  uint32_t first_triangle, triangle_count;
  uint32_t lowest, highest; /* vertices its faces use */
} Group;

typedef struct ObjJob {
  SupArena *arena;
  const char *name;
  const char *text;
  size_t bytes;
  bool filling; /* second pass */
  uint32_t vertex_count, triangle_count, group_count;
  uint32_t vertex_total; /* known in the second pass */
  SupVec3 *positions;
  uint32_t *triangles;
  Group *groups;
  uint8_t *used;
  SupObjReport report;
} ObjJob;

/* ---- Statements ----------------------------------------------------------------------------- */

static SupResult read_vertex(ObjJob *job, SupObjScan *scan, SupError *error) {
  float c[3];
  for (int k = 0; k < 3; k++) {
    if (!sup_obj_scan_number(scan, &c[k])) {
      return sup_fail(error, SUP_ERROR_FORMAT,
                      "%s, line %u: a vertex needs three finite numbers after its v", job->name,
                      scan->line);
    }
  }
  if (job->vertex_count == INT32_MAX) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED, "%s: more than %d vertices", job->name,
                    INT32_MAX);
  }
  if (job->filling) job->positions[job->vertex_count] = (SupVec3){c[0], c[1], c[2]};
  job->vertex_count++;
  return SUP_OK;
}

/* Indices count from 1, or backwards from the latest vertex. */
static SupResult corner_vertex(const ObjJob *job, const SupObjScan *scan, int64_t index,
                               uint32_t *out_vertex, SupError *error) {
  int64_t vertex = index < 0 ? (int64_t)job->vertex_count + index : index - 1;
  if (vertex < 0 || vertex >= (int64_t)job->vertex_total) {
    return sup_fail(error, SUP_ERROR_FORMAT,
                    "%s, line %u: a face uses vertex %lld, but the file has %u", job->name,
                    scan->line, (long long)index, job->vertex_total);
  }
  *out_vertex = (uint32_t)vertex;
  return SUP_OK;
}

static void add_triangle(ObjJob *job, uint32_t a, uint32_t b, uint32_t c) {
  uint32_t *corner = job->triangles + 3 * (size_t)job->triangle_count++;
  Group *group = &job->groups[job->group_count];
  corner[0] = a;
  corner[1] = b;
  corner[2] = c;
  group->triangle_count++;
  for (int k = 0; k < 3; k++) {
    job->used[corner[k]] = 1;
    if (corner[k] < group->lowest) group->lowest = corner[k];
    if (corner[k] > group->highest) group->highest = corner[k];
  }
}

static SupResult read_face(ObjJob *job, SupObjScan *scan, SupError *error) {
  uint32_t first = 0, last = 0, count = 0, made = 0;
  while (sup_obj_scan_more(scan)) {
    int64_t index;
    uint32_t vertex = 0;
    if (!sup_obj_scan_corner(scan, &index)) {
      return sup_fail(error, SUP_ERROR_FORMAT,
                      "%s, line %u: a corner of a face is v, v/vt, v//vn or v/vt/vn", job->name,
                      scan->line);
    }
    if (job->filling) {
      SupResult result = corner_vertex(job, scan, index, &vertex, error);
      if (result != SUP_OK) return result;
    }
    if (count >= 2) {
      if (!job->filling) {
        if (job->triangle_count == INT32_MAX) {
          return sup_fail(error, SUP_ERROR_UNSUPPORTED, "%s: more than %d triangles", job->name,
                          INT32_MAX);
        }
        job->triangle_count++;
      } else if (first != last && last != vertex && vertex != first) {
        add_triangle(job, first, last, vertex);
        made++;
      }
    }
    if (count == 0) first = vertex;
    last = vertex;
    count++;
  }
  if (job->filling && made == 0) job->report.faces_skipped++;
  if (job->filling && count > 3) job->report.polygons++;
  return SUP_OK;
}

static void begin_group(ObjJob *job, SupObjScan *scan) {
  if (!job->filling) {
    job->group_count++;
    return;
  }
  /* A group without faces (o before g) gives its place to the next. */
  if (job->groups[job->group_count].triangle_count) job->group_count++;
  Group *group = &job->groups[job->group_count];
  *group = (Group){.first_triangle = job->triangle_count, .lowest = UINT32_MAX};
  sup_obj_scan_word(scan, &group->name, &group->name_length);
}

static bool word_is(const char *word, size_t length, const char *text) {
  return strlen(text) == length && memcmp(word, text, length) == 0;
}

static SupResult read_statement(ObjJob *job, SupObjScan *scan, SupError *error) {
  const char *word;
  size_t length;
  sup_obj_scan_word(scan, &word, &length);
  if (word_is(word, length, "v")) return read_vertex(job, scan, error);
  if (word_is(word, length, "f")) return read_face(job, scan, error);
  if (word_is(word, length, "o") || word_is(word, length, "g")) {
    begin_group(job, scan);
  } else if (word_is(word, length, "vt")) {
    job->report.has_uvs = true;
  } else if (word_is(word, length, "vn")) {
    job->report.has_normals = true;
  } else if (job->filling) {
    job->report.statements_skipped++;
  }
  return SUP_OK;
}

static SupResult read_all(ObjJob *job, SupError *error) {
  SupObjScan scan = {job->text, job->text + job->bytes, 1};
  do {
    if (!sup_obj_scan_more(&scan)) continue;
    SupResult result = read_statement(job, &scan, error);
    if (result != SUP_OK) return result;
  } while (sup_obj_scan_next_line(&scan));
  return SUP_OK;
}

/* ---- Parts ---------------------------------------------------------------------------------- */

/* Groups with runs of vertices one behind the other become parts; anything else is one part. */
static void settle_groups(ObjJob *job) {
  if (job->groups[job->group_count].triangle_count) job->group_count++;
  for (uint32_t k = 1; k < job->group_count; k++) {
    if (job->groups[k].lowest <= job->groups[k - 1].highest) {
      job->report.groups_joined = true;
      job->groups[0].triangle_count = job->triangle_count;
      job->group_count = 1;
      return;
    }
  }
}

/* Part k has the vertices from its lowest to the next part's; unused ones stay where they are. */
static SupResult make_parts(ObjJob *job, SupRawPart **out_parts, SupError *error) {
  SupRawPart *parts = SUP_ALLOC(job->arena, SupRawPart, job->group_count);
  if (!parts) return sup_fail_memory(error, job->name);
  for (uint32_t k = 0; k < job->group_count; k++) {
    const Group *group = &job->groups[k];
    uint32_t first = k == 0 ? 0 : group->lowest;
    uint32_t end = k + 1 < job->group_count ? job->groups[k + 1].lowest : job->vertex_count;
    uint32_t *triangles = job->triangles + 3 * (size_t)group->first_triangle;
    for (size_t c = 0; c < 3 * (size_t)group->triangle_count; c++) triangles[c] -= first;
    parts[k] = (SupRawPart){
        .name = sup_arena_string(job->arena, group->name ? group->name : "", group->name_length),
        .node = k,
        .mesh = k,
        .material = SUP_NONE,
        .vertex_count = end - first,
        .triangle_count = group->triangle_count,
        .positions = job->positions + first,
        .triangles = triangles,
    };
    if (!parts[k].name) return sup_fail_memory(error, job->name);
  }
  *out_parts = parts;
  return SUP_OK;
}

static SupResult prepare_filling(ObjJob *job, SupError *error) {
  if (job->vertex_count == 0 || job->triangle_count == 0) {
    return sup_fail(error, SUP_ERROR_FORMAT, "%s: no %s; this is not an OBJ mesh", job->name,
                    job->vertex_count ? "faces" : "vertices");
  }
  job->positions = SUP_ALLOC(job->arena, SupVec3, job->vertex_count);
  job->used = SUP_ALLOC(job->arena, uint8_t, job->vertex_count);
  job->triangles = SUP_ALLOC(job->arena, uint32_t, 3 * (size_t)job->triangle_count);
  job->groups = SUP_ALLOC(job->arena, Group, (size_t)job->group_count + 1);
  if (!job->positions || !job->used || !job->triangles || !job->groups) {
    return sup_fail(error, SUP_ERROR_MEMORY,
                    "%s: %u vertices and %u triangles do not fit into the memory allowed",
                    job->name, job->vertex_count, job->triangle_count);
  }
  job->groups[0] = (Group){.lowest = UINT32_MAX};
  job->vertex_total = job->vertex_count;
  job->vertex_count = job->triangle_count = job->group_count = 0;
  job->filling = true;
  return SUP_OK;
}

SupResult sup_obj_parse(SupArena *arena, const char *text, size_t bytes, const char *name,
                        SupCharacter *out_character, SupObjReport *out_report, SupError *error) {
  ObjJob job = {.arena = arena, .name = name, .text = text, .bytes = bytes};
  SupResult result = read_all(&job, error);
  if (result == SUP_OK) result = prepare_filling(&job, error);
  if (result == SUP_OK) result = read_all(&job, error);
  if (result != SUP_OK) return result;
  if (job.triangle_count == 0) {
    return sup_fail(error, SUP_ERROR_FORMAT, "%s: no face has three different corners", name);
  }
  for (uint32_t v = 0; v < job.vertex_count; v++) job.report.vertices_unused += !job.used[v];
  settle_groups(&job);
  SupRawPart *parts = NULL;
  result = make_parts(&job, &parts, error);
  if (result != SUP_OK) return result;
  SupRawCharacter raw = {
      .name = sup_short_name(arena, name), .part_count = job.group_count, .parts = parts};
  if (!raw.name) return sup_fail_memory(error, name);
  result = sup_character_build(arena, &raw, out_character, error);
  if (result != SUP_OK) {
    sup_error_prefix(error, "%s", name);
  } else if (out_report) {
    *out_report = job.report;
  }
  return result;
}

SupResult sup_obj_read(SupArena *arena, const char *path, SupCharacter *out_character,
                       SupObjReport *out_report, SupError *error) {
  const uint8_t *data;
  size_t bytes;
  SupResult result = sup_file_read(arena, path, &data, &bytes, error);
  if (result != SUP_OK) return result;
  result = sup_file_refuse_other(data, bytes, SUP_WANTED_MESH, error);
  if (result != SUP_OK) {
    sup_error_prefix(error, "%s", path);
    return result;
  }
  return sup_obj_parse(arena, (const char *)data, bytes, path, out_character, out_report, error);
}
