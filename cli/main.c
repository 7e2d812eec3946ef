/* SPDX-License-Identifier: MIT */
/* The `supple` command. */
#include <stdio.h>
#include <string.h>

#include "supple/base.h"

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "version") == 0) {
    printf("supple %s\n", sup_version());
    return 0;
  }
  fprintf(stderr, "supple: usage: supple version\n");
  return 2;
}
