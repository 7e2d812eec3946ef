#!/bin/bash
# SPDX-License-Identifier: MIT
# libsupple and libsupple_author for Windows, linked into a program.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
command -v x86_64-w64-mingw32-gcc > /dev/null || { echo 'skipped: no mingw compiler'; exit 77; }
cd "$here/../.."
cmake --preset mingw > /dev/null
cmake --build build/mingw
x86_64-w64-mingw32-gcc -std=c17 -Iinclude "$here/consumer_runtime.c" build/mingw/src/libsupple.a \
  -o build/mingw/consumer.exe
file=$(x86_64-w64-mingw32-objdump -f build/mingw/consumer.exe | grep 'file format')
echo "mingw: $file"
[[ $file == *pei-x86-64* ]]
