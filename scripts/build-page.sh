#!/bin/bash
# SPDX-License-Identifier: MIT
# Builds the WebAssembly module and the page, and writes the page as a C array:
# build-page.sh OUT.c. Everything lies in build/web and is shared by all lanes; what has not
# changed since the last time is not built again.
#
#   build/web/npm         the module for npm: supple.js, gltf.js, their types, supple.wasm
#   build/web/page.html   the page without data
set -euo pipefail
out=$(realpath -m "$1")
cd "$(dirname "$0")/.."
mkdir -p build/web
exec 9> build/web/lock
flock 9 # lanes may be built at the same time

quietly() { "$@" > build/web/log 2>&1 || { cat build/web/log; exit 1; }; }

inputs() {
  find web/module web/page web/*.mjs web/*.json src/{base,math,anim,runtime,geom,author} include cmake \
    CMakeLists.txt CMakePresets.json scripts/build-page.sh -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum
}
now=$(inputs)
if [ "$now" != "$(cat build/web/stamp 2> /dev/null)" ] || [ ! -f build/web/page.c ]; then
  rm -f build/web/stamp
  if [ ! -f build/wasm/build.ninja ]; then
    quietly cmake --preset wasm -DSUPPLE_TESTS=OFF
  fi
  quietly cmake --build build/wasm --target supple_module supple_patches_module -j "${JOBS:-2}"
  quietly node web/node_modules/typescript/bin/tsc -p web/module
  cp build/wasm/web/module/{supple,patches}.wasm web/module/package.json web/README.md build/web/npm/
  quietly node web/node_modules/typescript/bin/tsc -p web
  quietly node web/node_modules/vite/bin/vite.js build --logLevel warn --config web/vite.config.mjs
  node web/one-page.mjs build/web/page build/web/npm/supple.wasm build/web/npm/patches.wasm build/web/page.html build/web/page.c
  echo "$now" > build/web/stamp
fi
cmp -s build/web/page.c "$out" || cp build/web/page.c "$out"
touch "$out"
