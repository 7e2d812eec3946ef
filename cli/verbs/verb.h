/* SPDX-License-Identifier: MIT */
/*
 * Verbs: what `supple NAME` does, one file cli/verbs/verb_NAME.c each, and what the runner gives
 * them.
 *
 * A new verb is its file with one `const CliVerb cli_verb_NAME`, its declaration at the end of
 * this header, a line in the table of verbs.c and a source in CMakeLists.txt.
 */
#ifndef SUPPLE_CLI_VERB_H
#define SUPPLE_CLI_VERB_H

#include <stdio.h>

#include "runner/options.h"
#include "runner/report.h"
#include "supple/app/app_context.h"

typedef struct CliContext CliContext;

typedef struct CliVerb CliVerb;

struct CliVerb {
  const char *name;
  const char *summary;      /* one line, no full stop, begins with a small letter */
  const char *usage;        /* what follows the verb: "IN.glb -o OUT.glb [options]" */
  const char *details;      /* paragraphs for --help, ends with a newline; may be NULL */
  const char *example;      /* whole command lines that work in an empty folder and end within
                               seconds, one per line: the tests run them. Where mochi.glb is read,
                               the help puts the line in front that makes it. */
  const CliOption *options; /* ends with {0}; NULL: none of its own */
  /* NULL, or what the first operand chooses from (`supple build surface`), ended by NULL. A kind is
   * a verb inside a verb: it has a page, options and a `run` of its own. The operands and the
   * options that all kinds share are those of the verb. */
  const CliVerb *const *kinds;
  uint32_t least_operands, most_operands;
  uint32_t word_operands; /* the first so many operands are words; the others are input files, */
  uint32_t last_words;    /* but for the last so many, which are words again */
  /* Does it. Human text goes to cli_say, figures into cli->report. On failure the sentence in
   * *error says what, where and what to do; SUP_ERROR_ARGUMENT exits with 2, all else with 1. */
  SupResult (*run)(CliContext *cli, SupError *error);
};

/* What a verb works with. Everything belongs to the runner and ends after `run`. */
struct CliContext {
  const CliVerb *verb;
  const CliArguments *arguments;
  SupAllocator allocator; /* the heap, counted against --max-memory; thread-safe */
  SupArena *arena;        /* of this run, freed whole; stands on `allocator` */
  const SupJobs *jobs;    /* --threads */
  uint32_t thread_count;
  uint64_t seed;      /* --seed, default 1; below 2^53, so that it is exact in JSON */
  bool quiet;         /* --quiet: nothing on stdout, no progress */
  bool verbose;       /* --verbose: what cli_detail says, too */
  const char *hidden; /* NULL, or inside cli_call: taken out of what is said, and it is indented */
  const char *folder; /* NULL, or what cli_say_at leaves out */
  CliReport *report;  /* the verb's own part of the report, "result" in the file of --json */
  struct CliTimings *timings; /* phases in seconds, see cli_timing; NULL inside cli_call */
  struct CliProgress *progress;
};

/* Text (with its own \n, up to 2 KB) for a person on stdout; nothing with --quiet. Control
 * characters are taken out; line ends are the format's own. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void cli_say(const CliContext *cli, const char *format, ...);

/* The same for figures that only an expert asks for: with --verbose alone. What a newcomer needs is
 * said in plain words by cli_say; the report has all of it. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void cli_detail(const CliContext *cli, const char *format, ...);

/* The same of work that is part of other work: at a depth above 0 it is indented, and the name of
 * cli->folder is left out. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void cli_say_at(const CliContext *cli, uint32_t depth, const char *format, ...);

/* What the functions of supple/app work with: the memory, threads and seed of this run, and its
 * progress bar, timings and standard output. `cli` must stay. */
SupAppContext cli_app(const CliContext *cli);

/* Turns control characters into blanks: names in files may hold line ends and worse. What is said
 * and the sentence of a failure are cleaned where they are printed; this is for text that is put
 * together before. */
void cli_one_line(char *text);

/* The same for cli_say, in a copy in `cli->arena`. */
const char *cli_shown(const CliContext *cli, const char *name);

/* Tells how far a part of the work is: done of total (any unit; total > 0). Draws a bar on stderr
 * when the part has run for over a second, stderr is a terminal and --quiet is absent; erased at
 * done >= total, when `label` changes, and at the end of the verb. Cheap: call it often. Only from
 * the thread that runs the verb. `label` must stay valid. */
void cli_progress(const CliContext *cli, const char *label, double done, double total);

/* Between these two the thread that runs the verb is inside one long call that tells nothing: after
 * a second `label` and the time appear where a bar would. It must neither say nor show progress in
 * between. `label` must stay valid. */
void cli_busy_begin(const CliContext *cli, const char *label);
void cli_busy_end(const CliContext *cli);

/* Seconds on a clock that only goes forward. */
double cli_seconds(void);

/* Adds the seconds since `began` (a cli_seconds) to the phase `name` of the report's "timings".
 * `name` must stay valid. */
void cli_timing(const CliContext *cli, const char *name, double began);

/* All verbs, ended by NULL, in the order of the help. */
extern const CliVerb *const cli_verbs[];

/* The verb of that name, or NULL. */
const CliVerb *cli_verb_find(const char *name);

/* The options that every verb has; ended by {0}. */
extern const CliOption cli_global_options[];

/* The kind of the verb that the words choose; NULL where it has none or no word is an operand.
 * Fails with the nearest name for a word that is no kind. */
SupResult cli_kind_choose(const CliVerb *verb, int word_count, char *const *words,
                          const CliVerb **out_kind, SupError *error);

/* The kind of that name; fails with the nearest. */
SupResult cli_kind_find(const CliVerb *verb, const char *name, const CliVerb **out_kind,
                        SupError *error);

/* Finds the kind, parses the words and counts the operands. */
SupResult cli_verb_parse(SupArena *arena, const CliVerb *verb, int word_count, char *const *words,
                         const CliVerb **out_kind, CliArguments *out_arguments, SupError *error);

/* The help page of a verb, or of one of its kinds (NULL: of the verb itself); the list of all
 * verbs. */
void cli_print_help(FILE *file, const CliVerb *verb, const CliVerb *kind);
void cli_print_overview(FILE *file);

/* "unknown verb 'X'" with the nearest one. */
SupResult cli_unknown_verb(const char *name, SupError *error);

/* Runs a verb as part of another one: with its memory, threads, seed and report. What it says is
 * indented, without the name of `folder` (ending in a slash), where its files lie and which has
 * another name in the end. Its outputs are not watched by themselves: the folder should be. */
SupResult cli_call(CliContext *cli, const char *folder, const char *verb, int word_count,
                   char *const *words, SupError *error);

/* Runs a verb with the words behind its name; gives the exit status. */
int cli_run(const CliVerb *verb, int word_count, char *const *words);

extern const CliVerb cli_verb_add;
extern const CliVerb cli_verb_bench;
extern const CliVerb cli_verb_build;
extern const CliVerb cli_verb_compare;
extern const CliVerb cli_verb_convert;
extern const CliVerb cli_verb_demo;
extern const CliVerb cli_verb_help;
extern const CliVerb cli_verb_info;
extern const CliVerb cli_verb_learn;
extern const CliVerb cli_verb_make;
extern const CliVerb cli_verb_paint;
extern const CliVerb cli_verb_patches;
extern const CliVerb cli_verb_play;
extern const CliVerb cli_verb_reproduce;
extern const CliVerb cli_verb_simulate;
extern const CliVerb cli_verb_version;
extern const CliVerb cli_verb_view;

#endif
