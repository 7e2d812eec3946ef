/* SPDX-License-Identifier: MIT */
/* The progress bar. */
#define _DEFAULT_SOURCE /* winsize */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "runner/runner.h"

#define FIRST_AFTER 1.0 /* seconds a part runs before the bar appears */
#define EVERY 0.1       /* seconds between two drawings */

double cli_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void cli_progress_init(CliProgress *progress, bool quiet) {
  const char *terminal = getenv("TERM");
  bool capable = terminal && strcmp(terminal, "dumb") != 0;
  *progress = (CliProgress){.enabled = !quiet && capable && isatty(STDERR_FILENO)};
  pthread_condattr_t clock;
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_mutex_init(&progress->lock, NULL);
  pthread_cond_init(&progress->stop, &clock);
  pthread_condattr_destroy(&clock);
}

void cli_progress_free(CliProgress *progress) {
  pthread_cond_destroy(&progress->stop);
  pthread_mutex_destroy(&progress->lock);
}

void cli_progress_erase(CliProgress *progress) {
  if (progress->shown) fputs("\r\033[K", stderr);
  progress->shown = false;
}

static int terminal_width(void) {
  struct winsize size;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

/* "label [=====     ]  42 %  0:07 left", never wider than the terminal: a wrapped line could not
 * be erased. */
static void draw(CliProgress *progress, double part, double seconds) {
  enum { MOST = 40 };
  static const char marks[MOST + 1] = "========================================";
  char line[256], label[41];
  snprintf(label, sizeof label, "%s", progress->label);
  cli_one_line(label);
  double left = part > 0 ? ceil(seconds * (1 - part) / part) : 0;
  int length = snprintf(line, sizeof line, "%s [] 100 %% %ld:%02d left", label, (long)left / 60,
                        (int)fmod(left, 60));
  int room = terminal_width() - 1 - length;
  int width = room > MOST ? MOST : room;
  if (width < 4) return;
  int full = (int)(part * width);
  fprintf(stderr, "\r\033[K%s [%.*s%*s] %3d %% %ld:%02d left", label, full, marks, width - full, "",
          (int)(part * 100), (long)left / 60, (int)fmod(left, 60));
  fflush(stderr);
  progress->shown = true;
}

void cli_progress(const CliContext *cli, const char *label, double done, double total) {
  CliProgress *progress = cli->progress;
  if (!progress->enabled) return;
  double now = cli_seconds();
  if (!progress->label || strcmp(progress->label, label) != 0) {
    cli_progress_erase(progress);
    progress->label = label;
    progress->began = now;
    progress->drawn = 0;
  }
  if (done >= total) {
    cli_progress_erase(progress);
    progress->label = NULL;
  } else if (now - progress->began >= FIRST_AFTER && now - progress->drawn >= EVERY) {
    progress->drawn = now;
    draw(progress, done > 0 ? done / total : 0, now - progress->began);
  }
}

/* ---- While one call works ------------------------------------------------------------------- */

static void draw_busy(CliProgress *progress) {
  char label[41];
  long seconds = (long)(cli_seconds() - progress->began);
  snprintf(label, sizeof label, "%s", progress->label);
  cli_one_line(label);
  if (terminal_width() < 60) return;
  fprintf(stderr, "\r\033[K%s ... %ld:%02ld", label, seconds / 60, seconds % 60);
  fflush(stderr);
  progress->shown = true;
}

/* Draws every half second, beginning after one, until `busy` is taken away. */
static void *draw_until_done(void *user) {
  CliProgress *progress = user;
  struct timespec next;
  clock_gettime(CLOCK_MONOTONIC, &next);
  next.tv_sec += (time_t)FIRST_AFTER;
  pthread_mutex_lock(&progress->lock);
  while (progress->busy) {
    if (pthread_cond_timedwait(&progress->stop, &progress->lock, &next) == 0) continue;
    if (progress->busy) draw_busy(progress);
    next.tv_nsec += 500000000;
    if (next.tv_nsec >= 1000000000) {
      next.tv_nsec -= 1000000000;
      next.tv_sec++;
    }
  }
  pthread_mutex_unlock(&progress->lock);
  return NULL;
}

void cli_busy_begin(const CliContext *cli, const char *label) {
  CliProgress *progress = cli->progress;
  if (!progress->enabled || progress->threaded) return;
  cli_progress_erase(progress);
  progress->label = label;
  progress->began = cli_seconds();
  progress->busy = true;
  progress->threaded = pthread_create(&progress->thread, NULL, draw_until_done, progress) == 0;
}

void cli_busy_end(const CliContext *cli) {
  CliProgress *progress = cli->progress;
  if (!progress->threaded) return;
  pthread_mutex_lock(&progress->lock);
  progress->busy = false;
  pthread_cond_signal(&progress->stop);
  pthread_mutex_unlock(&progress->lock);
  pthread_join(progress->thread, NULL);
  progress->threaded = false;
  progress->label = NULL;
  cli_progress_erase(progress);
}
