/* SPDX-License-Identifier: MIT */
/*
 * Text from files, made fit for a terminal. A name in a file may hold anything: escape sequences
 * that recolour or rename the terminal, characters that turn the direction of writing, half a
 * character.
 */
#ifndef SUPPLE_CLI_TEXT_H
#define SUPPLE_CLI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length of the valid UTF-8 sequence at `text` and its code; 0 if it is none (overlong forms,
 * surrogates and values over U+10FFFF are none) or the text ends here. */
size_t cli_utf8(const char *text, uint32_t *out_code);

/* Whether a character acts instead of being shown: the controls (C0, delete, C1), the ends of line
 * and paragraph (U+2028, U+2029), what turns the direction of writing. */
bool cli_is_control(uint32_t code);

/* Turns such characters into blanks and bytes that are no UTF-8 into question marks, in place. Line
 * ends stay where `keep_lines`. */
void cli_clean(char *text, bool keep_lines);

/* Cuts half a character off the end, where a text was cut to fit. */
void cli_trim_utf8(char *text);

#endif
