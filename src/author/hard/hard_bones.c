/* SPDX-License-Identifier: MIT */
/* Hard parts that are one with the skin and have bones of their own: a dragon's horns. */
#include "author/hard/hard_words.h"
#include "author/hard/hard_work.h"

#define TOO_MUCH 0.5 /* of the skin on bones of one word: it is the character's name */

/* A word of the tables and the bones that have it. */
typedef struct Tally {
  SupHardWord word;
  const char *name; /* of the first bone that moves something */
  uint32_t count;   /* of bones that do */
  double area;      /* of the skin that they move and that is not locked yet */
} Tally;

typedef struct Tallies {
  Tally *items;
  uint32_t count, room;
} Tallies;

static Tally *find_tally(const Tallies *tallies, const char *word) {
  for (uint32_t k = 0; k < tallies->count; k++) {
    if (tallies->items[k].word.word == word) return &tallies->items[k];
  }
  return NULL;
}

/* areas[bone_count] of the skin that is not locked yet. */
static void measure_bones(const HardWork *w, double *out_areas) {
  const SupSkin *skin = &w->character->skin;
  for (uint32_t v = 0; v < skin->vertex_count; v++) {
    const double area = w->areas[v] * (double)(w->keep[v] - w->keep[v] * w->lock[v]);
    for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
      out_areas[skin->bones[k]] += area * (double)skin->weights[k];
    }
  }
}

static const char *bone_name(const HardWork *w, uint32_t bone) {
  const SupSkeleton *skeleton = &w->character->skeleton;
  return skeleton->names[skeleton->bone_joints[bone]];
}

/* Counts a word of a bone; false when memory is short. */
static bool count_word(HardWork *w, const SupHardWord *word, const char *name, double area,
                       Tallies *io_tallies) {
  Tally *tally = find_tally(io_tallies, word->word);
  if (!tally) {
    if (io_tallies->count == io_tallies->room) {
      const uint32_t room = 2 * io_tallies->room + 16;
      Tally *more = SUP_ALLOC(&w->scratch, Tally, room);
      if (!more) return false;
      for (uint32_t k = 0; k < io_tallies->count; k++) more[k] = io_tallies->items[k];
      io_tallies->items = more;
      io_tallies->room = room;
    }
    tally = &io_tallies->items[io_tallies->count++];
    *tally = (Tally){.word = *word, .name = name};
  }
  if (area > 0 && tally->count++ == 0) tally->name = name;
  tally->area += area;
  return true;
}

/* The first word of a bone that says something; NULL: none does. */
static const Tally *judge_bone(const HardWork *w, uint32_t bone, const Tallies *tallies) {
  SupHardWord found[SUP_HARD_WORDS_MOST];
  const uint32_t count = sup_hard_bone_words(bone_name(w, bone), found);
  for (uint32_t k = 0; k < count; k++) {
    if (found[k].kind == SUP_HARD_HAIR) continue;
    const Tally *tally = find_tally(tallies, found[k].word);
    if (tally->area < TOO_MUCH) return w->freed[found[k].kind] ? NULL : tally;
  }
  return NULL;
}

static void lock_bones(HardWork *w, const bool *hard) {
  const SupSkin *skin = &w->character->skin;
  for (uint32_t v = 0; v < skin->vertex_count; v++) {
    float sum = 0;
    for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
      if (hard[skin->bones[k]]) sum += skin->weights[k];
    }
    if (sum > w->lock[v]) w->lock[v] = sum < 1 ? sum : 1;
  }
}

static bool note_bones(HardWork *w, const Tallies *tallies) {
  for (uint32_t k = 0; k < tallies->count; k++) {
    const Tally *t = &tallies->items[k];
    const bool dismissed = t->area >= TOO_MUCH;
    if (!(t->area > 0) || (!dismissed && w->freed[t->word.kind])) continue;
    const SupHardFinding finding = {t->word.kind, SUP_SIGN_BONE, t->name,
                                    dismissed,    t->area,       t->count};
    if (!sup_hard_note(w, &finding)) return false;
  }
  return true;
}

SupResult sup_hard_judge_bones(HardWork *w, SupError *error) {
  const uint32_t bones = w->character->skeleton.bone_count;
  Tallies all = {NULL, 0, 0}, believed = {NULL, 0, 0};
  double *areas = SUP_ALLOC(&w->scratch, double, bones);
  bool *hard = SUP_ALLOC(&w->scratch, bool, bones);
  bool done = areas && hard;
  if (done) measure_bones(w, areas);
  for (uint32_t b = 0; b < bones && done; b++) {
    SupHardWord found[SUP_HARD_WORDS_MOST];
    const uint32_t count = sup_hard_bone_words(bone_name(w, b), found);
    for (uint32_t k = 0; k < count && done; k++) {
      if (found[k].kind == SUP_HARD_HAIR) continue;
      done = count_word(w, &found[k], bone_name(w, b), areas[b], &all);
    }
  }
  /* A bone counts for one word; one that is too common is told, too. */
  for (uint32_t b = 0; b < bones && done; b++) {
    const Tally *tally = judge_bone(w, b, &all);
    hard[b] = tally != NULL;
    if (tally) done = count_word(w, &tally->word, bone_name(w, b), areas[b], &believed);
  }
  for (uint32_t k = 0; k < all.count && done; k++) {
    const Tally *t = &all.items[k];
    if (t->area >= TOO_MUCH) done = count_word(w, &t->word, t->name, t->area, &believed);
  }
  done = done && note_bones(w, &believed);
  if (!done) return sup_fail_memory(error, "hard parts");
  lock_bones(w, hard);
  return SUP_OK;
}
