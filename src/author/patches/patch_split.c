/* SPDX-License-Identifier: MIT */
/* Patches divided: the definition of what is left, cut again. */
#include "base/scratch.h"
#include "patch_split_work.h"

typedef struct Split {
  const SupPatchSplitDef *def;
  const bool *which; /* patches that are divided */
  SupArena *arena, *scratch;
  SupError *error;
  SplitMiddle *middles;
  bool *divided;      /* [boundary_count] of the old ones */
  uint32_t *parts;    /* [boundary_count] the first new boundary of each; divided, it has two */
  uint32_t *lines[2]; /* [boundary_count] from its middle into the patch on its left and right */
  SupPatchFeature *features;
  SupPatchBoundary *boundaries;
  SupPatchName *names;
  uint32_t feature_count, boundary_count, name_count;
} Split;

static SupResult find_middles(SupArena *scratch, const SupPatchesDef *def, SplitMiddle **out,
                              SupError *error) {
  SplitMiddle *middles = SUP_ALLOC(scratch, SplitMiddle, def->boundary_count);
  if (!middles) return sup_fail_memory(error, NULL);
  for (uint32_t b = 0; b < def->boundary_count; b++) middles[b] = sup_split_middle(def, b);
  *out = middles;
  return SUP_OK;
}

SupResult sup_patches_can_split(SupArena *arena, const SupPatchSplitDef *def, bool *out_can,
                                SupError *error) {
  SupArena scratch = sup_scratch(arena);
  SplitMiddle *middles = NULL;
  SupResult result = find_middles(&scratch, def->def, &middles, error);
  for (uint32_t p = 0; p < def->patches->patch_count && result == SUP_OK; p++) {
    SplitLines lines;
    result = sup_split_lines(&scratch, def, middles, p, &lines, &out_can[p], error);
  }
  sup_arena_free(&scratch);
  return result;
}

/* ---- What there will be ---------------------------------------------------------------------- */

static SupResult make_room(Split *s) {
  const SupPatchesDef *def = s->def->def;
  const SupPatches *patches = s->def->patches;
  const uint32_t count = def->boundary_count;
  uint32_t divided = 0, lines = 0, parts = 0;
  s->divided = SUP_ALLOC(s->scratch, bool, count);
  s->parts = SUP_ALLOC(s->scratch, uint32_t, count);
  s->lines[0] = SUP_ALLOC(s->scratch, uint32_t, count);
  s->lines[1] = SUP_ALLOC(s->scratch, uint32_t, count);
  if (!s->divided || !s->parts || !s->lines[0] || !s->lines[1]) {
    return sup_fail_memory(s->error, NULL);
  }
  for (uint32_t p = 0; p < patches->patch_count; p++) {
    const SupPatch *patch = &patches->patches[p];
    parts += s->which[p] ? patch->side_count : 1;
    if (!s->which[p]) continue;
    lines += patch->side_count;
    for (uint32_t k = 0; k < patch->side_count; k++) s->divided[patch->sides[k].boundary] = true;
  }
  for (uint32_t b = 0; b < count; b++) divided += s->divided[b];
  s->features =
      SUP_ALLOC(s->arena, SupPatchFeature, def->feature_count + divided + patches->patch_count);
  s->boundaries = SUP_ALLOC(s->arena, SupPatchBoundary, count + divided + lines);
  s->names = SUP_ALLOC(s->arena, SupPatchName, parts);
  if (!s->features || !s->boundaries || !s->names) return sup_fail_memory(s->error, NULL);
  sup_copy(s->features, def->features, def->feature_count * sizeof *s->features);
  s->feature_count = def->feature_count;
  return SUP_OK;
}

/* The name and what is behind it; NULL without memory. */
static const char *named(const Split *s, const char *name, const char *behind) {
  const size_t length = sup_string_length(name) + 1 + sup_string_length(behind);
  char *text = sup_arena_alloc(s->arena, length + 1, 1);
  if (text) sup_format(text, length + 1, "%s/%s", name, behind);
  return text;
}

static SupResult add_feature(Split *s, const char *name, SupSkinPoint at, uint32_t line) {
  s->features[s->feature_count++] = (SupPatchFeature){name, at, line};
  return name ? SUP_OK : sup_fail_memory(s->error, NULL);
}

static SupResult add_boundary(Split *s, const char *name, uint32_t from, uint32_t to,
                              SupSkinPath path, uint32_t line) {
  s->boundaries[s->boundary_count++] = (SupPatchBoundary){name, from, to, path, line};
  return name ? SUP_OK : sup_fail_memory(s->error, NULL);
}

/* ---- Boundaries ------------------------------------------------------------------------------ */

/* points[count] of a path, with one more in front or behind if they do not have it. */
static SupResult part_of(const Split *s, const SupSkinPoint *points, uint32_t count,
                         SupSkinPoint middle, bool in_front, SupSkinPath *out) {
  SupSkinPoint *part = SUP_ALLOC(s->arena, SupSkinPoint, (size_t)count + 1);
  if (!part) return sup_fail_memory(s->error, NULL);
  sup_copy(part + (in_front ? 1 : 0), points, count * sizeof *part);
  part[in_front ? 0 : count] = middle;
  *out = (SupSkinPath){.count = count + 1, .points = part};
  out->length = sup_skin_points_length(&s->def->def->mesh, out->count, part);
  return SUP_OK;
}

static SupResult divide_boundary(Split *s, uint32_t b) {
  const SupPatchBoundary *old = &s->def->def->boundaries[b];
  const SplitMiddle *m = &s->middles[b];
  const uint32_t feature = s->feature_count;
  SupSkinPath first = {0}, second = {0};
  SupResult result = part_of(s, old->path.points, m->before, m->at, false, &first);
  if (result == SUP_OK) {
    result =
        part_of(s, old->path.points + m->after, old->path.count - m->after, m->at, true, &second);
  }
  if (result == SUP_OK) result = add_feature(s, named(s, old->name, "middle"), m->at, old->line);
  if (result == SUP_OK) {
    result = add_boundary(s, named(s, old->name, "1"), old->from, feature, first, old->line);
  }
  if (result != SUP_OK) return result;
  return add_boundary(s, named(s, old->name, "2"), feature, old->to, second, old->line);
}

static SupResult divide_boundaries(Split *s) {
  const SupPatchesDef *def = s->def->def;
  SupResult result = SUP_OK;
  for (uint32_t b = 0; b < def->boundary_count && result == SUP_OK; b++) {
    s->parts[b] = s->boundary_count;
    if (s->divided[b]) {
      result = divide_boundary(s, b);
    } else {
      s->boundaries[s->boundary_count++] = def->boundaries[b];
    }
  }
  return result;
}

/* ---- Patches --------------------------------------------------------------------------------- */

/* Half of a side, as the loop runs. */
static uint32_t half_of(const Split *s, SupPatchSide side, bool second) {
  return s->parts[side.boundary] + (second != side.backwards ? 1 : 0);
}

static SupResult add_name(Split *s, const char *name, const SupPatch *old, uint32_t count,
                          const uint32_t *boundaries) {
  const uint32_t *kept = SUP_COPY(s->arena, uint32_t, boundaries, count);
  if (!name || !kept) return sup_fail_memory(s->error, NULL);
  s->names[s->name_count++] =
      (SupPatchName){.name = name, .zone = old->zone, .boundary_count = count, .boundaries = kept};
  return SUP_OK;
}

static SupResult keep_whole(Split *s, const SupPatch *old) {
  uint32_t *boundaries = SUP_ALLOC(s->scratch, uint32_t, 2 * (size_t)old->side_count), count = 0;
  if (!boundaries) return sup_fail_memory(s->error, NULL);
  for (uint32_t k = 0; k < old->side_count; k++) {
    boundaries[count++] = half_of(s, old->sides[k], false);
    if (!s->divided[old->sides[k].boundary]) {
      boundaries[count - 1] = s->parts[old->sides[k].boundary];
    } else {
      boundaries[count++] = half_of(s, old->sides[k], true);
    }
  }
  return add_name(s, old->name, old, count, boundaries);
}

/* The line from the middle of a side into the patch; it names the middle of the patch, too. */
static SupResult add_line(Split *s, SupPatchSide side, uint32_t centre, SupSkinPath path) {
  const SupPatchBoundary *old = &s->def->def->boundaries[side.boundary];
  const uint32_t middle = s->boundaries[s->parts[side.boundary]].to;
  s->lines[side.backwards][side.boundary] = s->boundary_count;
  return add_boundary(s, named(s, old->name, side.backwards ? "right" : "left"), middle, centre,
                      path, old->line);
}

static SupResult divide_patch(Split *s, uint32_t p) {
  const SupPatch *old = &s->def->patches->patches[p];
  const uint32_t centre = s->feature_count, first = s->boundary_count;
  SplitLines lines;
  bool room;
  SupResult result = sup_split_lines(s->arena, s->def, s->middles, p, &lines, &room, s->error);
  if (result == SUP_OK && !room) {
    result =
        sup_fail(s->error, SUP_ERROR_ARGUMENT, "patch '%s' has no room to be divided", old->name);
  }
  for (uint32_t k = 0; k < old->side_count && result == SUP_OK; k++) {
    result = add_line(s, old->sides[k], centre, lines.paths[k]);
  }
  if (result == SUP_OK) result = add_feature(s, s->boundaries[first].name, lines.centre, 0);
  for (uint32_t k = 0; k < old->side_count && result == SUP_OK; k++) {
    const SupPatchSide side = old->sides[k];
    const SupPatchSide before = old->sides[k ? k - 1 : old->side_count - 1];
    const uint32_t boundaries[4] = {
        half_of(s, side, false), s->lines[side.backwards][side.boundary],
        s->lines[before.backwards][before.boundary], half_of(s, before, true)};
    char number[16];
    sup_format(number, sizeof number, "%u", k + 1);
    result = add_name(s, named(s, old->name, number), old, 4, boundaries);
  }
  return result;
}

/* ---- Names ----------------------------------------------------------------------------------- */

static SupResult refuse_twice(const Split *s, const char *what, const char *const *names,
                              size_t stride, uint32_t count) {
  for (uint32_t a = 0; a < count; a++) {
    const char *x = *(const char *const *)((const char *)names + a * stride);
    for (uint32_t b = 0; b < a; b++) {
      const char *y = *(const char *const *)((const char *)names + b * stride);
      if (!sup_string_equal(x, y)) continue;
      return sup_fail(s->error, SUP_ERROR_FORMAT,
                      "%s: dividing patches makes a second %s '%s'; rename the one that is there",
                      s->def->def->source, what, x);
    }
  }
  return SUP_OK;
}

static SupResult check_names(const Split *s) {
  SupResult result =
      refuse_twice(s, "feature", &s->features->name, sizeof *s->features, s->feature_count);
  if (result == SUP_OK) {
    result =
        refuse_twice(s, "boundary", &s->boundaries->name, sizeof *s->boundaries, s->boundary_count);
  }
  if (result != SUP_OK) return result;
  return refuse_twice(s, "patch", &s->names->name, sizeof *s->names, s->name_count);
}

/* ---- All of it ------------------------------------------------------------------------------- */

static SupResult define(Split *s) {
  SupResult result = find_middles(s->scratch, s->def->def, &s->middles, s->error);
  if (result == SUP_OK) result = make_room(s);
  if (result == SUP_OK) result = divide_boundaries(s);
  for (uint32_t p = 0; p < s->def->patches->patch_count && result == SUP_OK; p++) {
    result = s->which[p] ? divide_patch(s, p) : keep_whole(s, &s->def->patches->patches[p]);
  }
  return result == SUP_OK ? check_names(s) : result;
}

/* Regions that were no patches, or left out, may be discs with enough features now. */
static SupResult keep_named(Split *s, SupPatches *io_patches) {
  bool *keep = SUP_ALLOC(s->scratch, bool, io_patches->patch_count);
  if (!keep) return sup_fail_memory(s->error, NULL);
  for (uint32_t p = 0; p < s->name_count; p++) keep[p] = true;
  return sup_patches_keep(s->arena, io_patches, keep, io_patches, s->error);
}

SupResult sup_patches_split(SupArena *arena, const SupPatchSplitDef *def, const bool *which,
                            SupPatchesDef *out_def, SupPatches *out_patches, SupError *error) {
  SupArena scratch = sup_scratch(arena);
  Split s = {.def = def, .which = which, .arena = arena, .scratch = &scratch, .error = error};
  SupPatchesDef made = *def->def;
  SupPatches patches;
  SupResult result = define(&s);
  made.feature_count = s.feature_count;
  made.features = s.features;
  made.boundary_count = s.boundary_count;
  made.boundaries = s.boundaries;
  made.name_count = s.name_count;
  made.names = s.names;
  if (result == SUP_OK) result = sup_patches_create(arena, &made, &patches, error);
  if (result == SUP_OK && patches.patch_count > s.name_count) result = keep_named(&s, &patches);
  sup_arena_free(&scratch);
  if (result != SUP_OK) return result;
  *out_def = made;
  *out_patches = patches;
  return SUP_OK;
}
