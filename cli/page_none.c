/* SPDX-License-Identifier: MIT */
/* A tool that was built where the page could not be. */
#include "page.h"

const unsigned char cli_page[] = {0};
const size_t cli_page_bytes = 0;
