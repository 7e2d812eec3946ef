/* SPDX-License-Identifier: MIT */
/*
 * The page that `supple view` fills: HTML, script, style and WebAssembly module in one piece, built
 * by scripts/build-page.sh. A tool that was built without node has none.
 */
#ifndef SUPPLE_CLI_PAGE_H
#define SUPPLE_CLI_PAGE_H

#include <stddef.h>

/* Where the data goes: the page holds this text once. */
#define CLI_PAGE_MARK "<!--supple-data-->"

extern const unsigned char cli_page[]; /* [cli_page_bytes] */
extern const size_t cli_page_bytes;    /* 0: there is none */

#endif
