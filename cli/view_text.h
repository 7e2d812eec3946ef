/* SPDX-License-Identifier: MIT */
/* Text that goes into a page: base64, and JSON that no name in it can break out of. */
#ifndef SUPPLE_CLI_VIEW_TEXT_H
#define SUPPLE_CLI_VIEW_TEXT_H

#include "supple/io/file.h"

/* Appends data[bytes] in base64. */
void cli_put_base64(SupFileWriter *writer, const void *data, size_t bytes);

/* Appends a JSON string. Whatever could end a script element or start a comment is escaped, and
 * bytes that are no UTF-8 become U+FFFD. */
void cli_put_json_text(SupFileWriter *writer, const char *text);

/* Appends text as it is. */
void cli_put_text(SupFileWriter *writer, const char *text);

#endif
