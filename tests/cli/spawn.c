/* SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700
#include "spawn.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

/* A file without a name, so that the folder of the test stays empty. */
static int open_capture(void) {
  char name[] = "/tmp/supple-capture-XXXXXX";
  int descriptor = mkstemp(name);
  assert_true(descriptor >= 0);
  unlink(name);
  return descriptor;
}

Child spawn_begin(Command command) {
  Child child = {-1, open_capture(), open_capture()};
  fflush(NULL);
  child.process = fork();
  assert_true(child.process >= 0);
  if (child.process > 0) return child;
  dup2(child.out, STDOUT_FILENO);
  dup2(command.terminal >= 0 ? command.terminal : child.err, STDERR_FILENO);
  if (command.verb) {
    int count = 0;
    while (command.words[count]) count++;
    int status = cli_run(command.verb, count, command.words);
    fflush(NULL);
    _exit(status);
  }
  execvp(command.words[0], command.words);
  _exit(127);
}

static void read_capture(int descriptor, char *text, size_t size) {
  lseek(descriptor, 0, SEEK_SET);
  size_t length = 0;
  for (ssize_t got = 1; got > 0 && length < size - 1;) {
    got = read(descriptor, text + length, size - 1 - length);
    if (got > 0) length += (size_t)got;
  }
  text[length] = 0;
  close(descriptor);
}

void spawn_end(Child child, Outcome *out_outcome) {
  int status = 0;
  assert_int_equal(waitpid(child.process, &status, 0), child.process);
  out_outcome->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  out_outcome->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  read_capture(child.out, out_outcome->out, sizeof out_outcome->out);
  read_capture(child.err, out_outcome->err, sizeof out_outcome->err);
}

/* words[32] point into buffer. */
static void split(const char *line, char buffer[1024], char *words[32], int first) {
  assert_true(strlen(line) < 1024);
  strcpy(buffer, line);
  char *rest = buffer;
  while (first < 31 && (words[first] = strtok_r(rest, " ", &rest)) != NULL) first++;
  words[first] = NULL;
}

void run_supple(const char *line, Outcome *out_outcome) {
  char buffer[1024], *words[32] = {SUPPLE_COMMAND};
  split(line, buffer, words, 1);
  spawn_end(spawn_begin((Command){NULL, words, -1}), out_outcome);
}

void run_verb_of_test(const CliVerb *verb, const char *line, Outcome *out_outcome) {
  char buffer[1024], *words[32];
  split(line, buffer, words, 0);
  spawn_end(spawn_begin((Command){verb, words, -1}), out_outcome);
}
