/* SPDX-License-Identifier: MIT */
/*
 * A command with a socket as its standard input and output, and time limits for both. A socket, not
 * pipes: writing to one whose reader is gone can be told not to raise SIGPIPE, which is the host
 * program's affair.
 */
#ifndef SUP_SRC_IO_CHILD_H
#define SUP_SRC_IO_CHILD_H

#include <sys/types.h>

#include "supple/base.h"

typedef struct SupChild {
  pid_t process; /* leader of its own group; 0: none */
  int socket;    /* -1: none */
  int status;    /* of waitpid, once it has ended */
} SupChild;

typedef enum SupTalk { SUP_TALK_DONE, SUP_TALK_ENDED, SUP_TALK_LATE } SupTalk;

/* Monotonic seconds. */
double sup_child_now(void);

/* Starts the command; false with errno. */
bool sup_child_start(const char *command, SupChild *out_child);

/* All of data[bytes], or why not, until `deadline`. */
SupTalk sup_child_send(const SupChild *child, const void *data, size_t bytes, double deadline);
SupTalk sup_child_receive(const SupChild *child, void *out_data, size_t bytes, double deadline);

/* Closes its input, waits `seconds` for its end, then kills its group. No child is left. */
void sup_child_end(SupChild *child, double seconds);

#endif
