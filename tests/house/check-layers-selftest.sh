#!/bin/bash
# SPDX-License-Identifier: MIT
# The includes obey the table of layers, and the script that says so sees a violation of each kind.
set -euo pipefail
cd "$(dirname "$0")/../.."
scripts/check-layers.py

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
mkdir -p "$copy"/{cli,src/base,src/io}
cp -r include "$copy"
# Headers belong to the folder where their source is.
(cd src && find . -name '*.c' -o -name '*.h' -o -name '*.inl') | while read -r file; do
  mkdir -p "$copy/src/$(dirname "$file")"
  cp "src/$file" "$copy/src/$file"
done
scripts/check-layers.py "$copy"

# plant FILE LINE: with LINE in FILE the check must fail and name the file.
plant() {
  echo "$2" > "$copy/$1"
  if scripts/check-layers.py "$copy" > "$copy/out"; then
    echo "not noticed: $2 in $1"
    exit 1
  fi
  grep "^$1:1: " "$copy/out"
  rm "$copy/$1"
}
plant src/base/planted.c '#include "supple/geom/mesh.h"'
plant src/base/planted.h '#include "numerics/dense.h"'
plant src/base/planted.c '#  include <stdio.h>'
plant src/io/planted.c '#include "numerics/dense.h"'
plant src/io/planted.c '#include <cholmod.h>'
plant src/io/planted.c '#include <webp/mux.h>'
plant src/sim/planted.c '#include <arpack/arpack.h>'
plant cli/planted.c '#include "io/document.h"'
plant cli/planted.c '#include "base/simd.h"'
plant include/supple/geom/planted.h '#include "supple/author/character.h"'
