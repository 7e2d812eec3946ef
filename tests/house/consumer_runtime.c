/* SPDX-License-Identifier: MIT */
/* A stranger's program on libsupple alone: prints the version. Exit 1 if something is wrong. */
#include <stdio.h>
#include <supple/backend.h>
#include <supple/base.h>

int main(void) {
  printf("%s\n", sup_version());
  return sup_hash("", 0, 0) == 0xef46db3751d8e999u && sup_backend_cpu() ? 0 : 1;
}
