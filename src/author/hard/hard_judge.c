/* SPDX-License-Identifier: MIT */
/*
 * Which units of a character are hard.
 *
 * 1. Names: a word that nearly the whole skin has is the character's, not the part's
 * 2. Metal and glass
 * 3. Small pieces that move like a solid, unless the whole body is made of such
 * A unit that is most of the body needs two of these. What is enclosed by hard units is hard.
 * If after all that nearly everything would be, only what bodies are born with is.
 */
#include "author/hard/hard_words.h"
#include "author/hard/hard_work.h"

#define ORGAN 0.2 /* of the skin: eyes, teeth and claws are smaller; Iris may be a name */
#define MAIN 0.6  /* of the skin: one unit that large is the body itself */
#define SMALL 0.1 /* of the skin: a piece that is not the body */
#define METALLIC 0.7f
#define ROUGH 0.75f /* metal that is rougher is an exporter's default */
#define CLEAR 0.4f  /* transmission of glass */

/* ---- Words ------------------------------------------------------------------------------------
 */

typedef struct Word {
  SupHardWord word;
  double area; /* of the skin that has it in one of its names */
  SupHardSign sign;
  const char *name;
} Word;

typedef struct Words {
  Word *items;
  uint32_t count;
} Words;

static const char *name_of(const HardWork *w, uint32_t part, SupHardSign sign) {
  if (sign == SUP_SIGN_MATERIAL) return sup_part_material(w->def, part);
  return sign == SUP_SIGN_MESH ? sup_part_mesh(w->def, part)
                               : w->character->render.parts[part].name;
}

static Word *find_word(const Words *words, const char *word) {
  for (uint32_t k = 0; k < words->count; k++) {
    if (words->items[k].word.word == word) return &words->items[k];
  }
  return NULL;
}

/* The words of a part, each once. */
static void count_part(const HardWork *w, uint32_t part, double area, Words *io_words) {
  const char *seen[3 * SUP_HARD_WORDS_MOST];
  uint32_t seen_count = 0;
  for (SupHardSign sign = SUP_SIGN_MATERIAL; sign <= SUP_SIGN_NODE; sign++) {
    const char *name = name_of(w, part, sign);
    SupHardWord found[SUP_HARD_WORDS_MOST];
    const uint32_t count = sup_hard_words(name, found);
    for (uint32_t k = 0; k < count; k++) {
      bool again = false;
      for (uint32_t i = 0; i < seen_count; i++) again |= seen[i] == found[k].word;
      if (again) continue;
      seen[seen_count++] = found[k].word;
      Word *word = find_word(io_words, found[k].word);
      if (!word) {
        word = &io_words->items[io_words->count++];
        *word = (Word){found[k], 0, sign, name};
      }
      word->area += area;
    }
  }
}

static SupResult count_words(HardWork *w, Words *out_words, SupError *error) {
  const uint32_t parts = w->character->render.part_count;
  double *areas = SUP_ALLOC(&w->scratch, double, parts);
  out_words->count = 0;
  out_words->items = SUP_ALLOC(&w->scratch, Word, 3 * SUP_HARD_WORDS_MOST * (size_t)parts);
  if (!areas || !out_words->items) return sup_fail_memory(error, "hard parts");
  for (uint32_t u = 0; u < w->unit_count; u++) areas[w->units[u].part] += w->units[u].area;
  for (uint32_t p = 0; p < parts; p++) count_part(w, p, areas[p], out_words);
  return SUP_OK;
}

/* The first word of the unit's names that says something: about hair, or about all else. */
static bool name_unit(const HardWork *w, const Words *words, bool hair, HardUnit *unit) {
  for (SupHardSign sign = SUP_SIGN_MATERIAL; sign <= SUP_SIGN_NODE; sign++) {
    const char *name = name_of(w, unit->part, sign);
    SupHardWord found[SUP_HARD_WORDS_MOST];
    const uint32_t count = sup_hard_words(name, found);
    for (uint32_t k = 0; k < count; k++) {
      if ((found[k].kind == SUP_HARD_HAIR) != hair) continue;
      if (find_word(words, found[k].word)->area >= HARD_NEARLY_ALL) continue;
      unit->kind = found[k].kind;
      unit->sign = sign;
      unit->name = name;
      return true;
    }
  }
  return false;
}

/* ---- Looks ------------------------------------------------------------------------------------
 */

static SupHardKind look_of(const HardWork *w, uint32_t part) {
  const SupPartSigns *signs = w->def->parts ? &w->def->parts[part] : NULL;
  if (!signs) return SUP_HARD_NOT;
  if (signs->transmission >= CLEAR) return SUP_HARD_GLASS;
  return signs->metallic >= METALLIC && signs->roughness <= ROUGH ? SUP_HARD_METAL : SUP_HARD_NOT;
}

/* ---- Units ------------------------------------------------------------------------------------
 */

static bool note_unit(HardWork *w, const HardUnit *unit, bool dismissed) {
  return sup_hard_note(w, &(SupHardFinding){.kind = unit->kind,
                                            .sign = unit->sign,
                                            .name = unit->name,
                                            .dismissed = dismissed,
                                            .area = unit->area,
                                            .count = 1});
}

typedef struct Judge {
  Words words;
  double metal, glass; /* of the skin */
  double solid;        /* of the skin, in pieces of any size */
} Judge;

static bool is_small_solid(const HardWork *w, const HardUnit *unit) {
  return w->solid[unit->piece] && w->piece_areas[unit->piece] < SMALL;
}

/* False when memory is short. */
static bool judge_unit(HardWork *w, const Judge *judge, HardUnit *unit) {
  const SupHardKind look = look_of(w, unit->part);
  const double shared = look == SUP_HARD_METAL ? judge->metal : judge->glass;
  const bool named = name_unit(w, &judge->words, false, unit);
  const bool looks = look != SUP_HARD_NOT && shared < HARD_NEARLY_ALL;
  const bool solid = is_small_solid(w, unit) && judge->solid < HARD_NEARLY_ALL;
  const bool stiff = w->solid[unit->piece] && judge->solid < HARD_NEARLY_ALL && !named && !looks;
  const bool hair = stiff && name_unit(w, &judge->words, true, unit);
  if (!named && !hair && (looks || solid)) {
    unit->kind = looks ? look : SUP_HARD_SOLID;
    unit->sign = looks ? SUP_SIGN_LOOK : SUP_SIGN_SOLID;
    unit->name = looks ? sup_part_material(w->def, unit->part) : "";
  }
  if (unit->kind == SUP_HARD_NOT) return true;
  const double most = named && unit->kind <= SUP_HARD_CLAWS ? ORGAN : MAIN;
  if (unit->area <= most || named + looks + w->solid[unit->piece] > 1) return true;
  const bool done = note_unit(w, unit, true);
  unit->kind = SUP_HARD_NOT;
  return done;
}

/* What nearly the whole skin has in common. */
static bool dismiss_common(HardWork *w, const Judge *judge) {
  const SupPartSigns *parts = w->def->parts;
  bool done = true;
  for (uint32_t k = 0; k < judge->words.count && done; k++) {
    const Word *word = &judge->words.items[k];
    if (word->area < HARD_NEARLY_ALL || word->word.kind == SUP_HARD_HAIR) continue;
    done = sup_hard_note(
        w, &(SupHardFinding){word->word.kind, word->sign, word->name, true, word->area, 0});
  }
  const double looks[] = {judge->metal, judge->glass};
  for (uint32_t k = 0; k < 2 && done && parts; k++) {
    if (looks[k] < HARD_NEARLY_ALL) continue;
    done = sup_hard_note(w, &(SupHardFinding){k ? SUP_HARD_GLASS : SUP_HARD_METAL, SUP_SIGN_LOOK,
                                              "", true, looks[k], 0});
  }
  double small = 0;
  for (uint32_t u = 0; u < w->unit_count; u++) {
    if (is_small_solid(w, &w->units[u])) small += w->units[u].area;
  }
  if (done && small > 0 && judge->solid >= HARD_NEARLY_ALL) {
    done = sup_hard_note(
        w, &(SupHardFinding){SUP_HARD_SOLID, SUP_SIGN_SOLID, "", true, judge->solid, 0});
  }
  return done;
}

/* Small units that touch hard ones and nothing else. Units touch where they share vertices. */
static bool judge_enclosed(HardWork *w) {
  const SupRender *render = &w->character->render;
  uint32_t *first = SUP_ALLOC(&w->scratch, uint32_t, w->character->body.vertex_count);
  uint8_t *touches = SUP_ALLOC(&w->scratch, uint8_t, w->unit_count); /* 1: hard, 2: flesh */
  uint32_t *beside = SUP_ALLOC(&w->scratch, uint32_t, w->unit_count);
  if (!first || !touches || !beside) return false;
  for (int round = 0; round < 2; round++) { /* which unit has a vertex first; who else */
    for (size_t k = 0; k < 3 * (size_t)render->triangle_count; k++) {
      const uint32_t v = render->to_body[render->triangles[k]], u = w->units_of[k / 3];
      if (!first[v]) first[v] = u + 1;
      const uint32_t other = first[v] - 1;
      if (other == u) continue;
      touches[u] |= w->units[other].kind != SUP_HARD_NOT ? 1 : 2;
      touches[other] |= w->units[u].kind != SUP_HARD_NOT ? 1 : 2;
      if (w->units[other].kind != SUP_HARD_NOT) beside[u] = other;
      if (w->units[u].kind != SUP_HARD_NOT) beside[other] = u;
    }
  }
  for (uint32_t u = 0; u < w->unit_count; u++) {
    HardUnit *unit = &w->units[u];
    if (unit->kind != SUP_HARD_NOT || touches[u] != 1 || unit->area >= SMALL) continue;
    unit->kind = w->units[beside[u]].kind;
    unit->sign = SUP_SIGN_ENCLOSED;
    unit->name = sup_part_material(w->def, unit->part);
  }
  return true;
}

/* Patterns unlock units that are mostly theirs, and kinds. */
static bool free_units(HardWork *w) {
  const SupRender *render = &w->character->render;
  double *kept = SUP_ALLOC(&w->scratch, double, w->unit_count);
  double *all = SUP_ALLOC(&w->scratch, double, w->unit_count);
  if (!kept || !all) return false;
  for (size_t k = 0; k < 3 * (size_t)render->triangle_count; k++) {
    kept[w->units_of[k / 3]] += (double)w->keep[render->to_body[render->triangles[k]]];
    all[w->units_of[k / 3]] += 1;
  }
  for (uint32_t u = 0; u < w->unit_count; u++) {
    if (kept[u] < 0.5 * all[u] || w->freed[w->units[u].kind]) w->units[u].kind = SUP_HARD_NOT;
  }
  return true;
}

/* The last resort: too much would be hard. */
static bool dismiss_all(HardWork *w) {
  double hard = 0;
  for (uint32_t u = 0; u < w->unit_count; u++) {
    if (w->units[u].kind != SUP_HARD_NOT) hard += w->units[u].area;
  }
  for (uint32_t u = 0; u < w->unit_count && hard >= HARD_NEARLY_ALL; u++) {
    if (w->units[u].kind < SUP_HARD_ARMOUR) continue;
    if (!note_unit(w, &w->units[u], true)) return false;
    w->units[u].kind = SUP_HARD_NOT;
  }
  return true;
}

SupResult sup_hard_judge_units(HardWork *w, SupError *error) {
  const SupRender *render = &w->character->render;
  Judge judge = {.metal = 0};
  SupResult result = count_words(w, &judge.words, error);
  if (result != SUP_OK) return result;
  for (uint32_t u = 0; u < w->unit_count; u++) {
    const HardUnit *unit = &w->units[u];
    const SupHardKind look = look_of(w, unit->part);
    if (look == SUP_HARD_METAL) judge.metal += unit->area;
    if (look == SUP_HARD_GLASS) judge.glass += unit->area;
    if (w->solid[unit->piece]) judge.solid += unit->area;
  }
  bool done = dismiss_common(w, &judge);
  for (uint32_t u = 0; u < w->unit_count && done; u++) done = judge_unit(w, &judge, &w->units[u]);
  done = done && judge_enclosed(w) && free_units(w) && dismiss_all(w);
  for (uint32_t u = 0; u < w->unit_count && done; u++) {
    if (w->units[u].kind != SUP_HARD_NOT) done = note_unit(w, &w->units[u], false);
  }
  if (!done) return sup_fail_memory(error, "hard parts");
  for (size_t k = 0; k < 3 * (size_t)render->triangle_count; k++) {
    if (w->units[w->units_of[k / 3]].kind == SUP_HARD_NOT) continue;
    w->lock[render->to_body[render->triangles[k]]] = 1;
  }
  return SUP_OK;
}
