/* SPDX-License-Identifier: MIT */
/* Scenarios from JSON: every key is known, or refused by its name. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/json_read.h"
#include "io/path.h"
#include "supple/io/file.h"
#include "supple/io/scenario.h"

/* More of anything is a mistake. */
#define MOST 1000

typedef struct Reading {
  SupArena *arena;
  const char *path;
  SupScenario scenario;
  SupScenarioOption *options; /* [MOST] */
  SupError *error;
} Reading;

static SupResult refuse(const Reading *r, const char *key, const char *wanted) {
  return sup_fail(r->error, SUP_ERROR_FORMAT, "%s: \"%s\" must be %s", r->path, key, wanted);
}

/* ---- Values --------------------------------------------------------------------------------- */

static SupResult read_text(Reading *r, const char *key, const json_t *value, const char **out) {
  if (!json_is_string(value) || json_string_length(value) == 0 ||
      strlen(json_string_value(value)) != json_string_length(value)) {
    return refuse(r, key, "a string");
  }
  *out = sup_arena_string(r->arena, json_string_value(value), json_string_length(value));
  return *out ? SUP_OK : sup_fail_memory(r->error, r->path);
}

static SupResult read_count(Reading *r, const char *key, const json_t *value, double most,
                            double *out) {
  double number = json_is_integer(value) ? (double)json_integer_value(value) : -1;
  if (!(number >= 0 && number <= most)) return refuse(r, key, "a whole number, 0 or more");
  *out = number;
  return SUP_OK;
}

static SupResult read_texts(Reading *r, const char *key, const json_t *value,
                            const char *const **out, uint32_t *out_count) {
  size_t count = json_array_size(value);
  if (!json_is_array(value) || count == 0 || count > MOST) {
    return refuse(r, key, "a list of at least one string");
  }
  const char **texts = SUP_ALLOC(r->arena, const char *, count);
  if (!texts) return sup_fail_memory(r->error, r->path);
  for (size_t k = 0; k < count; k++) {
    SupResult result = read_text(r, key, json_array_get(value, k), &texts[k]);
    if (result != SUP_OK) return result;
  }
  *out = texts;
  *out_count = (uint32_t)count;
  return SUP_OK;
}

/* ---- Keys ----------------------------------------------------------------------------------- */

static SupResult read_character(Reading *r, const char *key, const json_t *value) {
  if (!json_is_object(value)) {
    return refuse(r, key, "{\"builtin\": NAME} or {\"file\": NAME}");
  }
  const char *inner;
  const json_t *item;
  SupResult result = SUP_OK;
  json_object_foreach((json_t *)value, inner, item) {
    double count = 0;
    if (strcmp(inner, "builtin") == 0) {
      result = read_text(r, "builtin", item, &r->scenario.builtin);
    } else if (strcmp(inner, "file") == 0) {
      result = read_text(r, "file", item, &r->scenario.file);
    } else if (strcmp(inner, "vertices") == 0) {
      result = read_count(r, "vertices", item, 1e7, &count);
      r->scenario.vertices = (uint32_t)count;
    } else {
      return refuse(r, key, "made of \"builtin\" and \"vertices\", or \"file\"");
    }
    if (result != SUP_OK) return result;
  }
  if (!r->scenario.builtin == !r->scenario.file) {
    return refuse(r, key, "either \"builtin\" or \"file\"");
  }
  return SUP_OK;
}

/* A value as it would be typed behind an option. */
static SupResult option_text(Reading *r, const char *name, const json_t *value, const char **out) {
  if (json_is_string(value)) return read_text(r, name, value, out);
  char text[40];
  if (json_is_integer(value)) {
    snprintf(text, sizeof text, "%lld", (long long)json_integer_value(value));
  } else if (json_is_real(value)) {
    snprintf(text, sizeof text, "%.17g", json_real_value(value));
  } else {
    return refuse(r, name, "a string, a number, true, or a list of these");
  }
  *out = sup_arena_string(r->arena, text, strlen(text));
  return *out ? SUP_OK : sup_fail_memory(r->error, r->path);
}

static SupResult add_option(Reading *r, const char *name, const char *text) {
  if (r->scenario.option_count == MOST) return refuse(r, "simulate", "at most 1000 options");
  char *copy = sup_arena_string(r->arena, name, strlen(name));
  if (!copy) return sup_fail_memory(r->error, r->path);
  r->options[r->scenario.option_count++] = (SupScenarioOption){copy, text};
  return SUP_OK;
}

static SupResult read_options(Reading *r, const char *key, const json_t *value) {
  if (!json_is_object(value)) return refuse(r, key, "options of `supple simulate`");
  const char *name;
  const json_t *item;
  json_object_foreach((json_t *)value, name, item) {
    static const char *const ours[] = {"clip", "output", "gravity", "poses", "quasistatic"};
    for (size_t k = 0; k < sizeof ours / sizeof *ours; k++) {
      if (strcmp(name, ours[k]) == 0) return refuse(r, key, "without clips, gravity and outputs");
    }
    const char *text = NULL;
    SupResult result = SUP_OK;
    size_t count = json_is_array(item) ? json_array_size(item) : 1;
    for (size_t k = 0; k < count && result == SUP_OK; k++) {
      const json_t *one = json_is_array(item) ? json_array_get(item, k) : item;
      if (!json_is_true(one)) result = option_text(r, name, one, &text);
      if (result == SUP_OK) result = add_option(r, name, text);
    }
    if (result != SUP_OK) return result;
  }
  return SUP_OK;
}

static SupResult read_gravity(Reading *r, const char *key, const json_t *value) {
  size_t count = json_array_size(value);
  if (!json_is_array(value) || count == 0 || count > MOST) {
    return refuse(r, key, "a list of at least one number");
  }
  double *numbers = SUP_ALLOC(r->arena, double, count);
  if (!numbers) return sup_fail_memory(r->error, r->path);
  for (size_t k = 0; k < count; k++) {
    const json_t *item = json_array_get(value, k);
    numbers[k] = json_is_number(item) ? json_number_value(item) : NAN;
    if (!(fabs(numbers[k]) <= 1000)) return refuse(r, key, "numbers between -1000 and 1000");
  }
  r->scenario.gravity = numbers;
  r->scenario.gravity_count = (uint32_t)count;
  return SUP_OK;
}

static SupResult unknown_key(const Reading *r, const char *key) {
  static const char *const keys[] = {"about",    "character", "simulate", "gravity",
                                     "training", "unseen",    "poses",    "seed"};
  char hint[96];
  const char *nearest = sup_nearest_name(key, keys, sizeof keys / sizeof *keys);
  return sup_fail(
      r->error, SUP_ERROR_FORMAT,
      "%s: unknown key \"%s\"; there are about, character, simulate, gravity, training, "
      "unseen, poses and seed%s",
      r->path, key, sup_did_you_mean(hint, sizeof hint, nearest));
}

static SupResult read_key(Reading *r, const char *key, const json_t *value) {
  SupScenario *s = &r->scenario;
  double count = 0;
  if (strcmp(key, "about") == 0) return read_text(r, key, value, &s->about);
  if (strcmp(key, "character") == 0) return read_character(r, key, value);
  if (strcmp(key, "simulate") == 0) return read_options(r, key, value);
  if (strcmp(key, "gravity") == 0) return read_gravity(r, key, value);
  if (strcmp(key, "training") == 0) {
    return read_texts(r, key, value, &s->training, &s->training_count);
  }
  if (strcmp(key, "unseen") == 0) return read_texts(r, key, value, &s->unseen, &s->unseen_count);
  if (strcmp(key, "poses") == 0) {
    SupResult result = read_count(r, key, value, 100000, &count);
    s->poses = (uint32_t)count;
    return result;
  }
  if (strcmp(key, "seed") == 0) {
    SupResult result = read_count(r, key, value, 9007199254740991.0, &count);
    s->seed = (uint64_t)count;
    return result;
  }
  return unknown_key(r, key);
}

/* ---- The whole ------------------------------------------------------------------------------ */

static SupResult check(const Reading *r) {
  const SupScenario *s = &r->scenario;
  const char *missing = !s->builtin && !s->file ? "character"
                        : !s->training          ? "training"
                        : !s->unseen            ? "unseen"
                                                : NULL;
  if (missing) {
    return sup_fail(r->error, SUP_ERROR_FORMAT, "%s: \"%s\" is missing", r->path, missing);
  }
  for (uint32_t a = 0; a < s->training_count; a++) {
    for (uint32_t b = 0; b < s->unseen_count; b++) {
      if (strcmp(s->training[a], s->unseen[b]) != 0) continue;
      return sup_fail(r->error, SUP_ERROR_FORMAT,
                      "%s: '%s' is both in \"training\" and in \"unseen\"; leave it out of one",
                      r->path, s->training[a]);
    }
  }
  return SUP_OK;
}

SupResult sup_scenario_parse(SupArena *arena, const char *text, size_t bytes, const char *path,
                             SupScenario *out_scenario, SupError *error) {
  static const double weightless = 0;
  Reading r = {.arena = arena,
               .path = path,
               .scenario = {.about = "", .gravity_count = 1, .gravity = &weightless, .seed = 1},
               .error = error};
  r.options = SUP_ALLOC(arena, SupScenarioOption, MOST);
  r.scenario.options = r.options;
  r.scenario.name = sup_short_name(arena, path);
  if (!r.options || !r.scenario.name) return sup_fail_memory(r.error, r.path);
  json_t *root;
  const SupJsonDef def = {.text = text, .bytes = bytes, .refuse_beyond = true};
  SupResult result = sup_json_read(arena, &def, &root, error);
  if (result != SUP_OK) {
    sup_error_prefix(error, "%s", path);
    return result;
  }
  if (!json_is_object(root)) result = refuse(&r, "the whole file", "an object");
  const char *key;
  json_t *value;
  json_object_foreach(root, key, value) {
    if (result == SUP_OK) result = read_key(&r, key, value);
  }
  if (result == SUP_OK) result = check(&r);
  json_decref(root);
  if (result == SUP_OK) *out_scenario = r.scenario;
  return result;
}

SupResult sup_scenario_read(SupArena *arena, const char *path, SupScenario *out_scenario,
                            SupError *error) {
  const uint8_t *data;
  size_t bytes;
  SupResult result = sup_file_read(arena, path, &data, &bytes, error);
  if (result != SUP_OK) return result;
  result = sup_file_refuse_other(data, bytes, SUP_WANTED_SCENARIO, error);
  if (result != SUP_OK) {
    sup_error_prefix(error, "%s", path);
    return result;
  }
  return sup_scenario_parse(arena, (const char *)data, bytes, path, out_scenario, error);
}
