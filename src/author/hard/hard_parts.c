/* SPDX-License-Identifier: MIT */
/* Hard parts of a character: found, corrected by patterns, counted. */
#include "author/hard/hard_work.h"
#include "base/scratch.h"

#define COOKIE 0x48617264u
#define FINDINGS_MOST 200 /* by name; then by kind and sign alone */

static const char *const kind_names[SUP_HARD_KINDS] = {
    "flesh",   "eyes",   "teeth", "claws", "horns", "hooves", "shell",   "armour",
    "clothes", "things", "metal", "glass", "hair",  "solid",  "covered", "locked"};

static const char *const sign_names[SUP_SIGNS] = {"material", "mesh",   "node",     "bone",
                                                  "look",     "solid",  "enclosed", "covered",
                                                  "pattern",  "painted"};

const char *sup_hard_kind_name(SupHardKind kind) { return kind_names[kind]; }
const char *sup_hard_sign_name(SupHardSign sign) { return sign_names[sign]; }

SupHardPartsDef sup_hard_parts_def(const SupCharacter *character) {
  return (SupHardPartsDef){.cookie = COOKIE,
                           .character = character,
                           .lock = {.option = "lock"},
                           .unlock = {.option = "unlock"}};
}

/* ---- Findings ---------------------------------------------------------------------------------
 */

static bool is_same(const SupHardFinding *a, const SupHardFinding *b) {
  return a->kind == b->kind && a->sign == b->sign && a->dismissed == b->dismissed &&
         sup_string_equal(a->name, b->name);
}

bool sup_hard_note(HardWork *w, const SupHardFinding *found) {
  const SupHardFinding other = {found->kind,      found->sign, SUP_HARD_OTHERS,
                                found->dismissed, found->area, found->count};
  const SupHardFinding *finding = w->finding_count < FINDINGS_MOST ? found : &other;
  for (uint32_t k = 0; k < w->finding_count; k++) {
    if (!is_same(&w->findings[k], finding)) continue;
    w->findings[k].area += finding->area;
    w->findings[k].count += finding->count;
    return true;
  }
  if (w->finding_count == w->finding_room) {
    const uint32_t room = 2 * w->finding_room + 16;
    SupHardFinding *more = SUP_ALLOC(&w->scratch, SupHardFinding, room);
    if (!more) return false;
    for (uint32_t k = 0; k < w->finding_count; k++) more[k] = w->findings[k];
    w->findings = more;
    w->finding_room = room;
  }
  w->findings[w->finding_count++] = *finding;
  return true;
}

static bool comes_before(const SupHardFinding *a, const SupHardFinding *b) {
  return a->dismissed != b->dismissed ? b->dismissed : a->area > b->area;
}

/* The largest first; equal ones in their order. */
static void sort_findings(HardWork *w) {
  for (uint32_t k = 1; k < w->finding_count; k++) {
    const SupHardFinding moved = w->findings[k];
    uint32_t at = k;
    for (; at > 0 && comes_before(&moved, &w->findings[at - 1]); at--) {
      w->findings[at] = w->findings[at - 1];
    }
    w->findings[at] = moved;
  }
}

/* ---- Finding ----------------------------------------------------------------------------------
 */

static const float *painted_lock(const SupCharacter *character) {
  for (uint32_t k = 0; k < character->map_count; k++) {
    if (sup_string_equal(character->maps[k].name, "lock")) return character->maps[k].values;
  }
  return NULL;
}

static double locked_area(const HardWork *w) {
  double sum = 0;
  for (uint32_t v = 0; v < w->character->body.vertex_count; v++) {
    sum += w->areas[v] * (double)(w->lock[v] * w->keep[v]);
  }
  return sum;
}

static SupResult note_more(HardWork *w, SupHardKind kind, SupHardSign sign, const char *name,
                           double area, SupError *error) {
  const SupHardFinding finding = {kind, sign, name, false, area, 0};
  if (area <= 0 || sup_hard_note(w, &finding)) return SUP_OK;
  return sup_fail_memory(error, "hard parts");
}

static SupResult take_paint(HardWork *w, const float *painted, SupError *error) {
  for (uint32_t v = 0; v < w->character->body.vertex_count; v++) {
    const float x = painted[v];
    w->lock[v] = x >= 1 ? 1 : x > 0 ? x : 0;
  }
  return note_more(w, SUP_HARD_LOCKED, SUP_SIGN_PAINTED, "", locked_area(w), error);
}

static SupResult lock_patterns(HardWork *w, SupError *error) {
  const SupPatterns *all = &w->def->lock;
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < all->count && result == SUP_OK; k++) {
    const SupPatterns one = {all->option, 1, &all->patterns[k]};
    const double before = locked_area(w);
    result = sup_hard_select(w, &one, NULL, w->lock, error);
    if (result == SUP_OK) {
      result = note_more(w, SUP_HARD_LOCKED, SUP_SIGN_PATTERN, all->patterns[k],
                         locked_area(w) - before, error);
    }
  }
  return result;
}

static SupResult unlock_patterns(HardWork *w, SupError *error) {
  const uint32_t count = w->character->body.vertex_count;
  SupResult result = sup_hard_select(w, &w->def->unlock, w->freed, w->keep, error);
  for (uint32_t v = 0; v < count; v++) w->keep[v] = 1 - w->keep[v];
  return result;
}

static SupResult find(HardWork *w, bool *out_painted, SupError *error) {
  const float *painted = painted_lock(w->character);
  double covered = 0;
  *out_painted = painted != NULL;
  SupResult result = sup_hard_units(w, error);
  if (result == SUP_OK) result = unlock_patterns(w, error);
  if (painted && result == SUP_OK) result = take_paint(w, painted, error);
  if (!painted && result == SUP_OK) result = sup_hard_judge_units(w, error);
  if (!painted && result == SUP_OK) result = sup_hard_judge_bones(w, error);
  if (result == SUP_OK) result = lock_patterns(w, error);
  for (uint32_t v = 0; v < w->character->body.vertex_count; v++) w->lock[v] *= w->keep[v];
  if (painted || result != SUP_OK || w->freed[SUP_HARD_COVERED]) return result;
  const uint32_t count = w->character->body.vertex_count;
  float *before = SUP_COPY(&w->scratch, float, w->lock, count);
  if (!before) return sup_fail_memory(error, "hard parts");
  result = sup_hard_cover(w, &covered, error);
  double locked = 0;
  for (uint32_t v = 0; v < count; v++) {
    w->lock[v] *= w->keep[v];
    locked += w->areas[v] * (double)w->lock[v];
  }
  if (result != SUP_OK) return result;
  if (locked >= HARD_NEARLY_ALL) { /* a dressed figure: what is below its clothes may move them */
    for (uint32_t v = 0; v < count; v++) w->lock[v] = before[v];
    return SUP_OK;
  }
  return note_more(w, SUP_HARD_COVERED, SUP_SIGN_COVERED, "", covered, error);
}

/* What stays, out of the scratch memory. */
static SupResult finish(HardWork *w, SupHardParts *out, SupError *error) {
  const uint32_t count = w->character->body.vertex_count;
  for (uint32_t v = 0; v < count; v++) out->area += w->areas[v] * (double)w->lock[v];
  sort_findings(w);
  out->finding_count = w->finding_count;
  out->findings = SUP_COPY(w->arena, SupHardFinding, w->findings, w->finding_count);
  bool any = false;
  for (uint32_t v = 0; v < count; v++) any |= w->lock[v] > 0;
  out->lock = any ? SUP_COPY(w->arena, float, w->lock, count) : NULL;
  if (!out->findings || (any && !out->lock)) return sup_fail_memory(error, "hard parts");
  return SUP_OK;
}

SupResult sup_hard_parts(SupArena *arena, const SupHardPartsDef *def, SupHardParts *out_parts,
                         SupError *error) {
  const uint32_t count = def->character->body.vertex_count;
  SupHardParts parts = {0};
  HardWork w = {.arena = arena, .def = def, .character = def->character};
  if (def->cookie != COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "start from sup_hard_parts_def");
  }
  w.scratch = sup_scratch(arena);
  w.lock = SUP_ALLOC(&w.scratch, float, count);
  w.keep = SUP_ALLOC(&w.scratch, float, count);
  SupResult result =
      w.lock && w.keep ? find(&w, &parts.painted, error) : sup_fail_memory(error, "hard parts");
  if (result == SUP_OK) result = finish(&w, &parts, error);
  sup_arena_free(&w.scratch);
  if (result == SUP_OK) *out_parts = parts;
  return result;
}
