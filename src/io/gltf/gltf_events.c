/* SPDX-License-Identifier: MIT */
/* Events in the extras of animations: {"supple_events": [{"time": 0.5, "muscle": "chest",
 * "strength": 1, "length": 0.2}, ...]}. */
#include <math.h>
#include <string.h>

#include "io/gltf/gltf_document.h"
#include "io/gltf/gltf_json.h"

static bool number_of(const json_t *item, const char *key, double fallback, double *out) {
  const json_t *value = json_object_get(item, key);
  *out = value ? json_number_value(value) : fallback;
  return (!value || json_is_number(value)) && isfinite(*out) && *out >= 0;
}

static SupResult read_event(const json_t *item, const char *clip, size_t index,
                            SupGltfEvent *out_event, SupError *error) {
  const char *muscle = json_string_value(json_object_get(item, "muscle"));
  SupGltfEvent event = {.muscle = muscle ? muscle : "*"};
  if (!json_is_object(item) || !json_object_get(item, "time") ||
      !number_of(item, "time", 0, &event.time) ||
      !number_of(item, "strength", 1, &event.strength) ||
      !number_of(item, "length", 0, &event.length)) {
    return sup_fail(
        error, SUP_ERROR_FORMAT,
        "animation %s, extras.supple_events[%u]: needs a time, and numbers of 0 or more", clip,
        (unsigned)index);
  }
  *out_event = event;
  return SUP_OK;
}

SupResult sup_gltf_clip_events(const SupGltf *document, const char *clip, SupArena *arena,
                               uint32_t *out_count, SupGltfEvent **out_events, SupError *error) {
  const json_t *animations = sup_gltf_array(document, GLTF_ANIMATION);
  const json_t *list = NULL;
  *out_count = 0;
  *out_events = NULL;
  for (size_t k = 0; k < json_array_size(animations) && !list; k++) {
    const json_t *animation = json_array_get(animations, k);
    const char *name = json_string_value(json_object_get(animation, "name"));
    if (!name || strcmp(name, clip) != 0) continue;
    list = json_object_get(json_object_get(animation, "extras"), "supple_events");
  }
  const size_t count = json_array_size(list);
  if (count == 0) return SUP_OK;
  SupGltfEvent *events = SUP_ALLOC(arena, SupGltfEvent, count);
  if (!events) return sup_fail_memory(error, "events");
  for (size_t k = 0; k < count; k++) {
    SupResult result = read_event(json_array_get(list, k), clip, k, &events[k], error);
    if (result != SUP_OK) return result;
  }
  *out_count = (uint32_t)count;
  *out_events = events;
  return SUP_OK;
}
