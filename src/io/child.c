/* SPDX-License-Identifier: MIT */
/* A command behind a socket. */
#define _POSIX_C_SOURCE 200809L
#include "io/child.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

double sup_child_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- Start ---------------------------------------------------------------------------------- */

/* A group of its own, so that all that the command starts can be ended; signals as a program
 * expects them, whatever the host does with them. */
static int set_attributes(posix_spawnattr_t *attributes) {
  sigset_t none, all;
  sigemptyset(&none);
  sigemptyset(&all);
  sigaddset(&all, SIGPIPE);
  posix_spawnattr_setsigmask(attributes, &none);
  posix_spawnattr_setsigdefault(attributes, &all);
  posix_spawnattr_setpgroup(attributes, 0);
  return posix_spawnattr_setflags(
      attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

static int spawn(const char *command, int socket, pid_t *out_process) {
  char shell[] = "sh", option[] = "-c";
  char *words[] = {shell, option, (char *)(uintptr_t)command, NULL};
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int failure = posix_spawn_file_actions_init(&actions);
  if (failure) return failure;
  failure = posix_spawnattr_init(&attributes);
  if (!failure) {
    failure = set_attributes(&attributes);
    if (!failure) failure = posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
    if (!failure) failure = posix_spawn_file_actions_adddup2(&actions, socket, STDOUT_FILENO);
    if (!failure) {
      failure = posix_spawn(out_process, "/bin/sh", &actions, &attributes, words, environ);
    }
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return failure;
}

bool sup_child_start(const char *command, SupChild *out_child) {
  int ends[2];
  *out_child = (SupChild){.socket = -1};
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return false;
  int failure = 0;
  for (int k = 0; k < 2 && !failure; k++) {
    if (fcntl(ends[k], F_SETFD, FD_CLOEXEC) != 0) failure = errno;
  }
  if (!failure && fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) failure = errno;
  if (!failure) failure = spawn(command, ends[1], &out_child->process);
  close(ends[1]);
  if (!failure) {
    out_child->socket = ends[0];
    return true;
  }
  close(ends[0]);
  out_child->process = 0;
  errno = failure;
  return false;
}

/* ---- Talk ----------------------------------------------------------------------------------- */

/* Waits until the socket is ready for `events`. */
static SupTalk wait_for(const SupChild *child, short events, double deadline) {
  struct pollfd wanted = {.fd = child->socket, .events = events};
  for (;;) {
    const double left = deadline - sup_child_now();
    if (!(left > 0)) return SUP_TALK_LATE;
    const int ready = poll(&wanted, 1, (int)fmin(ceil(1000 * left), 1e6));
    if (ready > 0) return SUP_TALK_DONE;
    if (ready < 0 && errno != EINTR) return SUP_TALK_ENDED;
  }
}

static bool try_again(void) { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

SupTalk sup_child_send(const SupChild *child, const void *data, size_t bytes, double deadline) {
  const char *from = data;
  while (bytes > 0) {
    SupTalk talk = wait_for(child, POLLOUT, deadline);
    if (talk != SUP_TALK_DONE) return talk;
    const ssize_t sent = send(child->socket, from, bytes, MSG_NOSIGNAL);
    if (sent < 0 && !try_again()) return SUP_TALK_ENDED;
    if (sent <= 0) continue;
    from += sent;
    bytes -= (size_t)sent;
  }
  return SUP_TALK_DONE;
}

SupTalk sup_child_receive(const SupChild *child, void *out_data, size_t bytes, double deadline) {
  char *into = out_data;
  while (bytes > 0) {
    SupTalk talk = wait_for(child, POLLIN, deadline);
    if (talk != SUP_TALK_DONE) return talk;
    const ssize_t got = recv(child->socket, into, bytes, 0);
    if (got == 0 || (got < 0 && !try_again())) return SUP_TALK_ENDED;
    if (got < 0) continue;
    into += got;
    bytes -= (size_t)got;
  }
  return SUP_TALK_DONE;
}

/* ---- End ------------------------------------------------------------------------------------ */

static bool has_ended(SupChild *child) {
  const pid_t found = waitpid(child->process, &child->status, WNOHANG);
  return found == child->process || (found < 0 && errno == ECHILD);
}

void sup_child_end(SupChild *child, double seconds) {
  const double deadline = sup_child_now() + seconds;
  const struct timespec moment = {.tv_nsec = 2000000};
  if (child->socket >= 0) {
    shutdown(child->socket, SHUT_WR);
  }
  bool ended = child->process == 0 || has_ended(child);
  while (!ended && sup_child_now() < deadline) {
    nanosleep(&moment, NULL);
    ended = has_ended(child);
  }
  if (child->process != 0) kill(-child->process, SIGKILL); /* what it has started, too */
  while (!ended && waitpid(child->process, &child->status, 0) < 0 && errno == EINTR) {
  }
  if (child->socket >= 0) close(child->socket);
  child->process = 0;
  child->socket = -1;
}
