/* SPDX-License-Identifier: MIT */
/*
 * Model blocks from any bytes with the checksum repaired; what passes the check is stepped.
 *
 * Random bytes hardly ever become a model of a technique. So sound ones are made first, one of
 * every technique (sound_models.h), and the input is also read as a list of changes to them: eight
 * bytes each, where and what.
 */
#include <stdlib.h>
#include <string.h>

#include "author/toy_setup.h"
#include "caches/toy_model.h"
#include "sound_models.h"
#include "stack/breath.h"
#include "supple/helpers.h"
#include "supple/io/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void seal(SupModel *model, size_t bytes) {
  if (bytes >= sizeof *model && model->bytes >= sizeof *model && model->bytes <= bytes) {
    sup_model_seal(model);
  }
}

/* ---- Toys -------------------------------------------------------------------------------------
 */

static void step_toy(SupAllocator heap, const uint8_t *data, size_t bytes) {
  SupModel *model = heap.allocate(heap.user, bytes);
  if (!model) return;
  if (bytes) memcpy(model, data, bytes);
  SupError error = {{0}};
  sup_model_check(model, bytes, toy_techniques, &error);
  seal(model, bytes);
  SupResult result = sup_model_check(model, bytes, toy_techniques, &error);
  if (result != SUP_OK && error.text[0] == 0) abort();
  float sum = 0;
  for (int step = 0; result == SUP_OK && step < 100; step++) sum += toy_step(model);
  if (sum != sum) abort();
  heap.release(heap.user, model, bytes);
}

/* ---- Flesh -----------------------------------------------------------------------------------
 */

/* Blended, then at another frame rate. What was refused leaves a sentence, and what was not a model
 * that passes the check. */
static void step_blend(SupAllocator heap, const SupSkeleton *skeleton, const SupModel *model) {
  SupArena arena;
  SupError error = {{0}};
  SupModel *other;
  if (model->kind != SUP_HELPERS_KIND) return;
  if (sup_helpers_view(model).material_count != 2) return;
  sup_arena_init(&arena, heap, 0);
  if (!sound_step(skeleton, model, true, 100)) abort();
  if (sup_helpers_convert(&arena, model, 1.0f / 48, &other, &error) == SUP_OK) {
    if (sup_model_check(other, (size_t)other->bytes, NULL, &error) != SUP_OK) abort();
    if (!sound_step(skeleton, other, true, 100)) abort();
  } else if (error.text[0] == 0) {
    abort();
  }
  sup_arena_free(&arena);
}

/* The model with words of the data in places of the data, and a sound checksum. */
static SupModel *changed_copy(SupAllocator heap, const SupModel *sound, const uint8_t *data,
                              size_t bytes) {
  const size_t size = (size_t)sound->bytes;
  SupModel *model = heap.allocate(heap.user, size);
  if (!model) return NULL;
  memcpy(model, sound, size);
  for (; bytes >= 8; data += 8, bytes -= 8) {
    uint32_t where;
    memcpy(&where, data, 4);
    memcpy((char *)model + 4 * (where % (size / 4)), data + 4, 4);
  }
  seal(model, size);
  return model;
}

static void step_changed(SupAllocator heap, const SupSkeleton *skeleton, const SupModel *sound,
                         const uint8_t *data, size_t bytes) {
  const size_t size = (size_t)sound->bytes;
  SupModel *model = changed_copy(heap, sound, data, bytes);
  if (!model) return;
  SupError error = {{0}};
  SupResult result = sup_model_check(model, size, breath_techniques(), &error);
  if (result != SUP_OK && error.text[0] == 0) abort();
  if (result == SUP_OK && !sound_step(skeleton, model, false, 100)) abort();
  if (result == SUP_OK) step_blend(heap, skeleton, model);
  heap.release(heap.user, model, size);
}

/* ---- Set-ups -------------------------------------------------------------------------------- */

/* A sound set-up changed as above; what passes the check is walked through. */
static void walk_changed(SupAllocator heap, const uint8_t *data, size_t bytes) {
  static SupModel *sound;
  static SupArena arena;
  SupError error = {{0}};
  if (!sound) {
    SupCharacter character;
    sup_arena_init(&arena, heap, 0);
    sound = toy_setup(&arena, &character, &error);
    if (!sound) abort();
  }
  const size_t size = (size_t)sound->bytes;
  SupModel *model = changed_copy(heap, sound, data, bytes);
  if (!model) return;
  const SupResult result = sup_model_check(model, size, sup_rigspace_techniques, &error);
  if (result != SUP_OK && error.text[0] == 0) abort();
  if (result == SUP_OK) {
    const double sum = toy_setup_walk(model);
    if (sum != sum) abort();
  }
  heap.release(heap.user, model, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  SupAllocator heap = sup_heap_allocator();
  step_toy(heap, data, bytes);
  walk_changed(heap, data, bytes);
  const SoundModel *sound = sound_models();
  for (int k = 0; k < SOUND_MODELS; k++) {
    step_changed(heap, sound[k].skeleton, sound[k].model, data, bytes);
  }
  return 0;
}
