/* SPDX-License-Identifier: MIT */
/* What the functions of this folder work with and tell while they work. */
#include "supple/app/app_context.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define COOKIE 0x41707031u

SupAppContext sup_app_context(SupAllocator allocator, SupArena *arena) {
  return (SupAppContext){.cookie = COOKIE,
                         .allocator = allocator,
                         .arena = arena,
                         .seed = 1,
                         .document_limit = SUP_APP_USUAL_LIMIT};
}

double sup_app_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

SupAppContext sup_app_inside(const SupAppContext *app) {
  SupAppContext inside = *app;
  inside.depth++;
  return inside;
}

void sup_app_note(const SupAppContext *app, const char *format, ...) {
  char text[2048];
  va_list arguments;
  if (!app->note) return;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  app->note(app->user, app->depth, text);
}

void sup_app_progress(const SupAppContext *app, const char *label, double done, double total) {
  if (app->progress) app->progress(app->user, label, done, total);
}

void sup_app_busy(const SupAppContext *app, const char *label) {
  if (app->busy) app->busy(app->user, label);
}

void sup_app_timing(const SupAppContext *app, const char *phase, double began) {
  if (app->timing && !app->depth) app->timing(app->user, phase, sup_app_seconds() - began);
}

const char *sup_app_shown(const SupAppContext *app, const char *name) {
  char *copy = sup_arena_string(app->arena, name, strlen(name));
  if (!copy) return "(no memory for its name)";
  for (char *at = copy; *at; at++) {
    if ((unsigned char)*at < 0x20 || *at == 0x7f) *at = ' ';
  }
  return copy;
}

SupCountText sup_count_text(uint64_t value) {
  SupCountText count;
  char digits[24];
  int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
  size_t used = 0;
  for (int k = 0; k < length; k++) {
    if (k > 0 && (length - k) % 3 == 0) count.text[used++] = ',';
    count.text[used++] = digits[k];
  }
  count.text[used] = 0;
  return count;
}
