/* SPDX-License-Identifier: MIT */
/* A process as a rig: messages, one restart, and a sentence for whatever goes wrong. */
#include "supple/io/rig_process.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "io/child.h"
#include "io/rig_hello.h"

#define SECONDS 30.0
#define GRACE 1.0               /* seconds to end in */
#define BANNER_MOST 65536u      /* bytes of text before the first answer that are skipped */
#define HELLO_MOST (1ull << 30) /* bytes */

typedef enum Kind { KIND_ERROR, KIND_HELLO, KIND_EVALUATE, KIND_SCRIPT, KIND_QUIT } Kind;

/* In front of every message, both ways; little endian. */
typedef struct Head {
  char magic[8];
  uint32_t version, kind;
  uint32_t count, unused; /* of vectors or times */
  uint64_t bytes;         /* that follow */
} Head;

static const char magic[8] = {'\x8f', 'S', 'U', 'P', 'R', 'I', 'G', '\n'};

/* A question, and where its answer goes. */
typedef struct Question {
  Kind kind;
  uint32_t count;
  const void *parts[3]; /* that follow each other */
  size_t bytes[3];
} Question;

struct SupRigProcess {
  SupArena *arena;
  const char *command;
  double timeout;
  SupChild child;
  uint32_t starts;
  SupResult failure; /* for good */
  SupError sentence;
  uint64_t hello; /* hash of the first answer: a second one must be the same */
  SupRig rig;
  const char *name;
  const SupVec3d *rest;
};

/* ---- Failures ------------------------------------------------------------------------------- */

static SupResult fail(SupRigProcess *p, SupResult result, SupError *error) {
  p->failure = result;
  sup_child_end(&p->child, 0);
  if (error) *error = p->sentence;
  return result;
}

static SupResult tell_end(SupRigProcess *p, SupError *error) {
  SupError *s = &p->sentence;
  sup_child_end(&p->child, 0.5);
  const int status = p->child.status;
  const char *again = p->starts > 1 ? " again after it was started once more" : "";
  if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL) {
    sup_fail(s, SUP_ERROR_IO, "the rig process was ended by signal %d%s: %s", WTERMSIG(status),
             again, p->command);
  } else if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
    sup_fail(s, SUP_ERROR_IO, "the rig process cannot be started; check --rig-command: %s",
             p->command);
  } else if (WIFEXITED(status)) {
    sup_fail(s, SUP_ERROR_IO, "the rig process ended without an answer%s, with status %d: %s",
             again, WEXITSTATUS(status), p->command);
  } else {
    sup_fail(s, SUP_ERROR_IO, "the rig process closed its output%s: %s", again, p->command);
  }
  return fail(p, SUP_ERROR_IO, error);
}

static SupResult tell_late(SupRigProcess *p, SupError *error) {
  sup_fail(&p->sentence, SUP_ERROR_IO,
           "the rig process did not answer within %g s%s; give it longer with --rig-timeout: %s",
           p->timeout, p->starts > 1 ? " again after it was started once more" : "", p->command);
  return fail(p, SUP_ERROR_IO, error);
}

static SupResult tell_format(SupRigProcess *p, const char *what, SupError *error) {
  sup_fail(&p->sentence, SUP_ERROR_FORMAT, "the rig process %s: %s", what, p->command);
  return fail(p, SUP_ERROR_FORMAT, error);
}

/* ---- Messages ------------------------------------------------------------------------------- */

static SupTalk ask(const SupRigProcess *p, const Question *q, double deadline) {
  Head head = {.version = SUP_RIG_PROTOCOL_VERSION, .kind = (uint32_t)q->kind, .count = q->count};
  memcpy(head.magic, magic, sizeof magic);
  for (int k = 0; k < 3; k++) head.bytes += q->bytes[k];
  SupTalk talk = sup_child_send(&p->child, &head, sizeof head, deadline);
  for (int k = 0; k < 3 && talk == SUP_TALK_DONE; k++) {
    talk = sup_child_send(&p->child, q->parts[k], q->bytes[k], deadline);
  }
  return talk;
}

/* The head of an answer. What a program prints when it starts is skipped. */
static SupTalk hear(const SupRigProcess *p, bool first, Head *out_head, double deadline) {
  char *bytes = (char *)out_head;
  SupTalk talk = sup_child_receive(&p->child, bytes, sizeof magic, deadline);
  for (uint32_t k = 0; first && talk == SUP_TALK_DONE && k < BANNER_MOST; k++) {
    if (memcmp(bytes, magic, sizeof magic) == 0) break;
    memmove(bytes, bytes + 1, sizeof magic - 1);
    talk = sup_child_receive(&p->child, bytes + sizeof magic - 1, 1, deadline);
  }
  if (talk != SUP_TALK_DONE || memcmp(bytes, magic, sizeof magic) != 0) return talk;
  return sup_child_receive(&p->child, bytes + sizeof magic, sizeof *out_head - sizeof magic,
                           deadline);
}

/* The sentence of the process itself. */
static SupResult tell_own(SupRigProcess *p, const Head *head, double deadline, SupError *error) {
  char text[300] = "";
  const size_t bytes = head->bytes < sizeof text - 1 ? (size_t)head->bytes : sizeof text - 1;
  if (sup_child_receive(&p->child, text, bytes, deadline) != SUP_TALK_DONE) text[0] = 0;
  for (char *c = text; *c; c++) {
    if ((unsigned char)*c < ' ') *c = ' ';
  }
  sup_fail(&p->sentence, SUP_ERROR_FORMAT, "the rig process says: %s", text);
  return fail(p, SUP_ERROR_FORMAT, error);
}

/* Refuses a head that is no answer to the question; bytes: of the answer, 0: any. */
static SupResult check_head(SupRigProcess *p, const Question *q, const Head *head, uint64_t bytes,
                            double deadline, SupError *error) {
  char what[160];
  if (memcmp(head->magic, magic, sizeof magic) != 0) {
    return tell_format(
        p, "answers with something else than messages (does it print to its output?)", error);
  }
  if (head->version != SUP_RIG_PROTOCOL_VERSION) {
    sup_format(what, sizeof what, "speaks version %u of the protocol, and this program version %u",
               head->version, SUP_RIG_PROTOCOL_VERSION);
    return tell_format(p, what, error);
  }
  if (head->kind == KIND_ERROR) return tell_own(p, head, deadline, error);
  if (head->kind != (uint32_t)q->kind) {
    return tell_format(p, "answers another question than it was asked", error);
  }
  if (head->count != q->count || (bytes && head->bytes != bytes)) {
    sup_format(what, sizeof what,
               "answers with %u of %u vectors, %llu bytes where %llu are expected", head->count,
               q->count, (unsigned long long)head->bytes, (unsigned long long)bytes);
    return tell_format(p, what, error);
  }
  if (!bytes && (head->bytes == 0 || head->bytes > HELLO_MOST)) {
    return tell_format(p, "says of itself nothing, or more than 1 GiB", error);
  }
  return SUP_OK;
}

/* ---- Start ---------------------------------------------------------------------------------- */

/* Reads the answer to the hello; a second one must be as the first. */
static SupResult learn(SupRigProcess *p, const uint8_t *data, size_t bytes, SupError *error) {
  const uint64_t hash = sup_hash(data, bytes, 0);
  if (p->starts > 1 && p->hello && p->hello != hash) {
    return tell_format(p, "is another rig after it was started once more", error);
  }
  if (p->hello) return SUP_OK;
  p->hello = hash;
  SupResult result =
      sup_rig_hello_read(p->arena, data, bytes, &p->rig, &p->name, &p->rest, &p->sentence);
  return result == SUP_OK ? SUP_OK : fail(p, result, error);
}

/* Starts the command and says hello. *out_talk: what went wrong, if a new start may help. */
static SupResult greet(SupRigProcess *p, SupTalk *out_talk, SupError *error) {
  const Question q = {.kind = KIND_HELLO};
  const double deadline = sup_child_now() + p->timeout;
  Head head = {.version = 0};
  *out_talk = SUP_TALK_DONE;
  p->starts++;
  if (!sup_child_start(p->command, &p->child)) {
    return tell_format(p, errno == ENOMEM ? "lacks memory to start" : "cannot be started", error);
  }
  *out_talk = ask(p, &q, deadline);
  if (*out_talk == SUP_TALK_DONE) *out_talk = hear(p, true, &head, deadline);
  if (*out_talk != SUP_TALK_DONE) return SUP_OK;
  SupResult result = check_head(p, &q, &head, 0, deadline, error);
  if (result != SUP_OK) return result;
  uint8_t *data = SUP_ALLOC(p->arena, uint8_t, (size_t)head.bytes);
  if (!data) return sup_fail_memory(error, "the rig process");
  *out_talk = sup_child_receive(&p->child, data, (size_t)head.bytes, deadline);
  return *out_talk == SUP_TALK_DONE ? learn(p, data, (size_t)head.bytes, error) : SUP_OK;
}

static SupResult give_up(SupRigProcess *p, SupTalk talk, SupError *error) {
  return talk == SUP_TALK_LATE ? tell_late(p, error) : tell_end(p, error);
}

/* A running process: the first, or after `talk` went wrong the second. */
static SupResult start(SupRigProcess *p, SupTalk talk, SupError *error) {
  while (p->starts < 2) {
    sup_child_end(&p->child, 0);
    SupResult result = greet(p, &talk, error);
    if (result != SUP_OK || talk == SUP_TALK_DONE) return result;
    /* A command that is not there, or that ends at once, does so again. */
    if (talk == SUP_TALK_ENDED && p->starts == 1 && !p->hello) break;
  }
  return give_up(p, talk, error);
}

/* ---- Answers -------------------------------------------------------------------------------- */

/* Asks and puts the answer into out[bytes]; starts the process again where that may help. */
static SupResult exchange(SupRigProcess *p, const Question *q, size_t bytes, void *out,
                          SupError *error) {
  for (;;) {
    if (p->failure != SUP_OK) {
      if (error) *error = p->sentence;
      return p->failure;
    }
    const double deadline = sup_child_now() + p->timeout;
    Head head = {.version = 0};
    SupTalk talk = ask(p, q, deadline);
    if (talk == SUP_TALK_DONE) talk = hear(p, false, &head, deadline);
    if (talk == SUP_TALK_DONE) {
      SupResult result = check_head(p, q, &head, bytes, deadline, error);
      if (result != SUP_OK) return result;
      talk = sup_child_receive(&p->child, out, bytes, deadline);
    }
    if (talk == SUP_TALK_DONE) return SUP_OK;
    SupResult result = start(p, talk, error);
    if (result != SUP_OK) return result;
  }
}

static SupResult check_finite(SupRigProcess *p, const double *numbers, size_t count,
                              const char *what, size_t period, SupError *error) {
  for (size_t k = 0; k < count; k++) {
    if (isfinite(numbers[k])) continue;
    sup_fail(&p->sentence, SUP_ERROR_NUMERIC,
             "the rig process answers %s %zu with a number that is not finite: %s", what,
             k % period / (period == p->rig.parameter_count ? 1 : 3), p->command);
    return fail(p, SUP_ERROR_NUMERIC, error);
  }
  return SUP_OK;
}

static SupResult evaluate_batch(SupRigProcess *p, uint32_t count, const double *parameters,
                                SupVec3d *out, SupError *error) {
  const size_t vertices = (size_t)count * p->rig.vertex_count;
  const Question q = {.kind = KIND_EVALUATE,
                      .count = count,
                      .parts = {parameters},
                      .bytes = {(size_t)count * p->rig.parameter_count * sizeof *parameters}};
  /* Floats go behind the place that they are spread to. */
  const size_t bytes = vertices * 3 * (p->rig.single_precision ? 4 : 8);
  uint8_t *into = (uint8_t *)out + (vertices * sizeof *out - bytes);
  SupResult result = exchange(p, &q, bytes, into, error);
  if (result != SUP_OK) return result;
  if (p->rig.single_precision) sup_rig_vertices(into, true, vertices, out);
  return check_finite(p, &out->x, 3 * vertices, "vertex", 3 * (size_t)p->rig.vertex_count, error);
}

static SupResult evaluate(void *user, uint32_t count, const double *parameters, SupVec3d *out,
                          SupError *error) {
  SupRigProcess *p = user;
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < count && result == SUP_OK; k += SUP_RIG_BATCH_MAX) {
    const uint32_t part = count - k < SUP_RIG_BATCH_MAX ? count - k : SUP_RIG_BATCH_MAX;
    result = evaluate_batch(p, part, &parameters[(size_t)k * p->rig.parameter_count],
                            &out[(size_t)k * p->rig.vertex_count], error);
  }
  return result;
}

SupResult sup_rig_process_script(SupRigProcess *p, const char *clip, uint32_t count,
                                 const double *times, double *out_values, SupError *error) {
  const size_t numbers = (size_t)count * p->rig.parameter_count;
  const uint64_t length = strlen(clip);
  const Question q = {.kind = KIND_SCRIPT,
                      .count = count,
                      .parts = {times, &length, clip},
                      .bytes = {count * sizeof *times, sizeof length, (size_t)length}};
  SupResult result = exchange(p, &q, numbers * sizeof *out_values, out_values, error);
  if (result != SUP_OK) return result;
  return check_finite(p, out_values, numbers, "parameter", p->rig.parameter_count, error);
}

/* ---- The whole ------------------------------------------------------------------------------ */

SupResult sup_rig_process_open(SupArena *arena, const SupRigProcessDef *def,
                               SupRigProcess **out_process, SupError *error) {
  SupRigProcess *p = SUP_ALLOC(arena, SupRigProcess, 1);
  *out_process = NULL;
  if (!p) return sup_fail_memory(error, "the rig process");
  *p = (SupRigProcess){.arena = arena,
                       .command = def->command,
                       .timeout = def->timeout > 0 ? def->timeout : SECONDS,
                       .child = {.socket = -1},
                       .name = ""};
  p->rig.user = p;
  p->rig.evaluate = evaluate;
  SupResult result = start(p, SUP_TALK_DONE, error);
  if (result != SUP_OK) {
    sup_child_end(&p->child, 0);
    return result;
  }
  *out_process = p;
  return SUP_OK;
}

const SupRig *sup_rig_process_rig(const SupRigProcess *process) { return &process->rig; }
const char *sup_rig_process_name(const SupRigProcess *process) { return process->name; }
const SupVec3d *sup_rig_process_rest(const SupRigProcess *process) { return process->rest; }
bool sup_rig_process_failed(const SupRigProcess *process) { return process->failure != SUP_OK; }

void sup_rig_process_close(SupRigProcess *process) {
  if (!process) return;
  if (process->child.process != 0) {
    const Question q = {.kind = KIND_QUIT};
    ask(process, &q, sup_child_now() + GRACE);
  }
  sup_child_end(&process->child, GRACE);
}
