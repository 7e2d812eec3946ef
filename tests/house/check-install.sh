#!/bin/bash
# SPDX-License-Identifier: MIT
# Installs a build and uses it as strangers do: check-install.sh BUILD_FOLDER VERSION
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd) version=$2
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
cmake --install "$build" --prefix "$prefix/usr" > /dev/null
# Moved, it still works: nothing in it knows where it lay.
mv "$prefix/usr" "$prefix/moved"
PKG_CONFIG_PATH=$(dirname "$(find "$prefix/moved" -name supple.pc)")
export PKG_CONFIG_PATH

# same PROGRAM [ARGUMENT]: it runs, and its first line ends with the version.
same() {
  local said
  said=$("$@")
  said=${said%%$'\n'*}
  [ "${said##* }" = "$version" ] || { echo "$1 says $said, not $version"; exit 1; }
}

same pkg-config --modversion supple
same "$prefix/moved/bin/supple" version
for file in man/man1/supple.1 man/man1/supple-build-surface.1 bash-completion/completions/supple \
  zsh/site-functions/_supple; do
  [ -s "$prefix/moved/share/$file" ] || { echo "share/$file is not installed"; exit 1; }
done
# shellcheck disable=SC2046  # words
gcc -std=c17 "$here/consumer_runtime.c" -o "$prefix/runtime" $(pkg-config --cflags --libs supple)
same "$prefix/runtime"
# shellcheck disable=SC2046
gcc -std=c17 "$here/consumer_io.c" -o "$prefix/io" $(pkg-config --cflags --libs supple_io)
same "$prefix/io"

cmake -S "$here/consumer" -B "$prefix/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix/moved" > /dev/null
cmake --build "$prefix/build" > /dev/null
same "$prefix/build/consumer_runtime"
same "$prefix/build/consumer_io"
same "$prefix/build/consumer_train"
same "$prefix/build/consumer_app"
echo "install: pkg-config and CMake package work, version $version everywhere"
