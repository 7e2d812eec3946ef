/* SPDX-License-Identifier: MIT */
/* Runs of the real command that must go well or badly, and the caches they leave. For one source of
 * a test; after check.h. */
#ifndef SUP_TESTS_RUNS_H
#define SUP_TESTS_RUNS_H

#include <string.h>

#include "spawn.h"
#include "supple/io/cache.h"

static Outcome outcome; /* of the last run; large, so not on the stack */

static inline void run_good(const char *line) {
  run_supple(line, &outcome);
  if (outcome.exit_code != 0) fail_msg("%s: exit %d, %s", line, outcome.exit_code, outcome.err);
}

static inline void run_bad(const char *line, int exit_code, const char *words) {
  run_supple(line, &outcome);
  if (outcome.exit_code != exit_code || !strstr(outcome.err, words)) {
    fail_msg("%s: exit %d, '%s'", line, outcome.exit_code, outcome.err);
  }
}

static inline void must_say(const char *words) {
  if (!strstr(outcome.out, words)) fail_msg("'%s' is not in: %s", words, outcome.out);
}

static inline SupSamples load_cache(SupArena *arena, const char *path) {
  SupSamples samples;
  SupError error;
  if (sup_cache_load(arena, path, 0, &samples, &error) != SUP_OK) fail_msg("%s", error.text);
  return samples;
}

#endif
