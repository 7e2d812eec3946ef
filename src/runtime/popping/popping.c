/* SPDX-License-Identifier: MIT */
/*
 * The popping technique's state: layout, the phases of every muscle, steps, seeking.
 *
 * Steps are those of the model and lie on one grid of time, whatever the caller's dt: an event acts
 * from the first step at or after it, with its true age, so that the same music gives the same
 * motion at any frame rate. Between two steps what is shown is the exact fraction of the next one.
 */
#include "supple/popping.h"

#include "runtime/popping/popping_kernel.h"

#define SLACK 1e-4      /* of h: times closer than that are the same */
#define LONGEST 60.0    /* seconds that one call looks at */
#define FORGOTTEN 1e-6  /* fraction of a swing that seeking leaves out */
#define EVENTS_MOST 64u /* of a track in one part of seeking */

_Static_assert(sizeof(SupPoppingState) == 128, "states are copied between builds");

/* ---- Layout -----------------------------------------------------------------------------------
 */

static uint64_t aligned(uint64_t bytes) {
  return (bytes + SUP_ALIGNMENT - 1) / SUP_ALIGNMENT * SUP_ALIGNMENT;
}

static SupPoppingState lay_out(const SupPoppingView *model) {
  SupPoppingState s = {.slot_count = model->slot_first[model->bulge.block_count],
                       .block_count = model->bulge.block_count,
                       .group_count = model->group_count};
  const uint64_t rows = (uint64_t)SUP_SKIN_BLOCK * s.slot_count * sizeof(float);
  s.groups = sizeof s;
  s.fractions = s.groups + aligned(s.group_count * sizeof(SupPoppingGroup));
  s.ways = s.fractions + rows;
  s.shown = s.ways + rows;
  s.bytes = s.shown + (uint64_t)SUP_SKIN_BLOCK * s.block_count * sizeof(float);
  return s;
}

size_t sup_popping_bytes(const SupPoppingView *model) { return (size_t)lay_out(model).bytes; }

SupPoppingState *sup_popping_init(const SupPoppingView *model, void *block) {
  sup_zero(block, sup_popping_bytes(model));
  SupPoppingState *state = (SupPoppingState *)block;
  *state = lay_out(model);
  return state;
}

static void *at(const SupPoppingState *state, uint64_t offset) {
  return (char *)(uintptr_t)state + offset;
}

const SupPoppingGroup *sup_popping_groups(const SupPoppingState *state) {
  return (const SupPoppingGroup *)at(state, state->groups);
}

void sup_popping_reset(SupPoppingState *state) {
  state->active = 0;
  state->ahead = 0;
  sup_zero(at(state, state->groups), (size_t)(state->bytes - state->groups));
}

/* ---- Phases -----------------------------------------------------------------------------------
 */

static void hold_or_release(const SupPoppingTimes *times, SupPoppingGroup *group) {
  if (group->length > 0 && group->since >= group->length) {
    group->phase = SUP_POPPING_RELEASED;
    group->since = 0;
  } else {
    group->level = sup_popping_twitch(times, group->since, group->from, group->strength);
  }
}

/* One step on, without events. */
static void age_group(const SupPoppingView *model, SupPoppingGroup *group) {
  if (group->phase == SUP_POPPING_RELAXED) return;
  group->since += model->h;
  if (group->phase == SUP_POPPING_ACTIVE) {
    hold_or_release(&model->times, group);
  } else {
    group->level *= sup_expf(-model->times.release * model->h);
  }
}

/* An event that happened `age` seconds before the step being made. */
static void hear(const SupPoppingView *model, SupPoppingGroup *group, const SupPoppingEvent *event,
                 float age) {
  if (event->strength > 0) {
    group->from = group->phase == SUP_POPPING_RELAXED ? 0 : group->level;
    group->phase = SUP_POPPING_ACTIVE;
    group->since = age;
    group->strength = event->strength < 4 ? event->strength : 4;
    group->length = event->length > 0 && event->length < 1e9f ? event->length : 0;
    hold_or_release(&model->times, group);
  } else if (group->phase == SUP_POPPING_ACTIVE) {
    group->phase = SUP_POPPING_RELEASED;
    group->since = age;
  }
}

static bool concerns(const SupPoppingEvent *event, uint32_t group) {
  return event->group == SUP_POPPING_ALL || event->group == group;
}

/* ---- Steps ------------------------------------------------------------------------------------
 */

static void find_pulls(const SupPoppingView *model, const SupPoppingGroup *groups, float part,
                       SupPoppingPull *out_pulls) {
  for (uint32_t g = 0; g < model->group_count; g++) {
    out_pulls[g] = (SupPoppingPull){groups[g].phase, groups[g].level,
                                    sup_expf(-model->times.release * model->h * part)};
  }
}

/* The last event of a group in a step that ends `rest` seconds before now and began at `before`:
 * the others of that step are not heard, however many frames they came in. */
static const SupPoppingEvent *last_event(const SupPoppingView *model, const SupPoppingGroup *group,
                                         uint32_t number, double rest, double before,
                                         uint32_t event_count, const SupPoppingEvent *events) {
  const double slack = SLACK * (double)model->h;
  const SupPoppingEvent *last = group->pending ? &group->next : NULL;
  for (uint32_t k = 0; k < event_count; k++) {
    const double ago = (double)events[k].ago;
    if (!concerns(&events[k], number) || !(ago >= rest - slack) || ago >= before - slack) continue;
    if (!last || events[k].ago <= last->ago) last = &events[k];
  }
  return last;
}

/* The next step, `rest` seconds before now; the one before was at `before`. */
static void step_once(const SupPoppingView *model, SupPoppingState *state,
                      const SupBackend *backend, double rest, double before, uint32_t event_count,
                      const SupPoppingEvent *events) {
  SupPoppingGroup *groups = (SupPoppingGroup *)at(state, state->groups);
  SupPoppingPull pulls[SUP_POPPING_GROUPS];
  uint32_t alive[SUP_POPPING_GROUPS];
  for (uint32_t g = 0; g < model->group_count; g++) {
    SupPoppingGroup *group = &groups[g];
    age_group(model, group);
    const SupPoppingEvent *event = last_event(model, group, g, rest, before, event_count, events);
    if (event) {
      const double age = (double)event->ago - rest;
      hear(model, group, event, age > 0 ? (float)age : 0);
    }
    group->pending = 0;
    group->next = (SupPoppingEvent){0};
  }
  find_pulls(model, groups, 1, pulls);
  const SupPoppingStepCall call = {.model = model,
                                   .pulls = pulls,
                                   .fractions = (float *)at(state, state->fractions),
                                   .ways = (float *)at(state, state->ways),
                                   .alive = alive};
  backend->popping_step(&call);
  state->active = 0;
  for (uint32_t g = 0; g < model->group_count; g++) {
    if (groups[g].phase != SUP_POPPING_RELAXED && !alive[g]) {
      groups[g].phase = SUP_POPPING_RELAXED;
      groups[g].level = groups[g].since = 0;
    }
    state->active += groups[g].phase != SUP_POPPING_RELAXED;
  }
}

/* Events after the last step wait for the next one. */
static void wait_for(const SupPoppingView *model, SupPoppingState *state, double rest,
                     uint32_t event_count, const SupPoppingEvent *events) {
  SupPoppingGroup *groups = (SupPoppingGroup *)at(state, state->groups);
  for (uint32_t k = 0; k < event_count; k++) {
    const double ago = (double)events[k].ago;
    if (!(ago >= 0) || ago >= rest - SLACK * (double)model->h) continue;
    for (uint32_t g = 0; g < model->group_count; g++) {
      if (!concerns(&events[k], g)) continue;
      if (groups[g].pending && groups[g].next.ago < events[k].ago) continue;
      groups[g].pending = 1;
      groups[g].next = events[k];
    }
  }
}

void sup_popping_step(const SupPoppingView *model, SupPoppingState *state,
                      const SupBackend *backend, double dt, uint32_t event_count,
                      const SupPoppingEvent *events) {
  SupPoppingGroup *groups = (SupPoppingGroup *)at(state, state->groups);
  const double h = (double)model->h, way = dt > 0 ? (dt < LONGEST ? dt : LONGEST) : 0;
  double rest = state->ahead + way, before = __builtin_inf();
  uint32_t busy = state->active + event_count; /* or something waits */
  for (uint32_t g = 0; g < model->group_count; g++) {
    if (groups[g].pending) groups[g].next.ago += (float)way;
    busy += groups[g].pending;
  }
  while (rest >= h * (1 - SLACK)) {
    rest -= h;
    if (busy) step_once(model, state, backend, rest, before, event_count, events);
    before = rest;
  }
  wait_for(model, state, before, event_count, events);
  state->ahead = rest;
}

const float *sup_popping_show(const SupPoppingView *model, SupPoppingState *state,
                              const SupBackend *backend) {
  if (!state->active) return NULL;
  const SupPoppingGroup *groups = sup_popping_groups(state);
  const double part = state->ahead / (double)model->h;
  SupPoppingGroup next[SUP_POPPING_GROUPS];
  SupPoppingPull pulls[SUP_POPPING_GROUPS];
  for (uint32_t g = 0; g < model->group_count; g++) {
    next[g] = groups[g];
    age_group(model, &next[g]); /* what the step that is under way pulls towards */
  }
  const float passed = part > SLACK ? (float)part : 0;
  find_pulls(model, next, passed, pulls);
  const SupPoppingShowCall call = {.model = model,
                                   .pulls = pulls,
                                   .part = passed,
                                   .fractions = (const float *)at(state, state->fractions),
                                   .ways = (const float *)at(state, state->ways),
                                   .out = (float *)at(state, state->shown)};
  backend->popping_show(&call);
  return call.out;
}

/* ---- Tracks -----------------------------------------------------------------------------------
 */

uint32_t sup_popping_between(const SupPoppingTrack *track, double from, double to,
                             uint32_t capacity, SupPoppingEvent *out_events) {
  uint32_t first = 0, end = 0, count = 0;
  while (first < track->count && track->times[first] <= from) first++;
  end = first;
  while (end < track->count && track->times[end] <= to) end++;
  if (end - first > capacity) first = end - capacity;
  for (uint32_t k = first; k < end; k++) {
    out_events[count] = track->events[k];
    out_events[count++].ago = (float)(to - track->times[k]);
  }
  return count;
}

/* Seconds after which nothing is left of how it began. */
static double memory_of(const SupPoppingView *model) {
  const uint32_t lanes = SUP_SKIN_BLOCK * model->bulge.block_count;
  double slowest = -1e-3;
  for (uint32_t i = 0; i < lanes; i++) {
    const double fade =
        (double)model->swing[SUP_SKIN_BLOCK * (SUP_POPPING_ROWS * (size_t)(i / SUP_SKIN_BLOCK) +
                                               SUP_POPPING_FADE) +
                             i % SUP_SKIN_BLOCK];
    if (fade > slowest || i == 0) slowest = fade < -1e-3 ? fade : -1e-3;
  }
  const double swing = sup_log(FORGOTTEN) / slowest * (double)model->h;
  const double fall = -sup_log(FORGOTTEN) / (double)model->times.release;
  return swing + fall + (double)model->times.rise;
}

void sup_popping_seek(const SupPoppingView *model, SupPoppingState *state,
                      const SupBackend *backend, const SupPoppingTrack *track, double time) {
  const double h = (double)model->h, reach = (time - memory_of(model)) / h;
  const int64_t first = reach > 0 ? (int64_t)reach : 0;
  double now = (double)first * h;
  SupPoppingGroup *groups = (SupPoppingGroup *)at(state, state->groups);
  SupPoppingEvent events[EVENTS_MOST];
  sup_popping_reset(state);
  for (uint32_t k = 0; k < track->count && track->times[k] <= now; k++) {
    for (uint32_t g = 0; g < model->group_count; g++) {
      if (!concerns(&track->events[k], g)) continue;
      groups[g].pending = 1;
      groups[g].next = track->events[k];
      groups[g].next.ago = (float)(now - track->times[k]);
    }
  }
  while (now < time) {
    const double next = now + 0.1 < time ? now + 0.1 : time;
    const uint32_t count = sup_popping_between(track, now, next, EVENTS_MOST, events);
    sup_popping_step(model, state, backend, next - now, count, events);
    now = next;
  }
}
