#!/bin/bash
# SPDX-License-Identifier: MIT
# scripts/setup.sh: silent when all is there; without the right to install, one line that names what
# is missing, and nothing else.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ "$(id -u)" = 0 ] || { echo 'skipped: only root can pretend to be somebody else'; exit 77; }
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -r scripts "$copy"
chmod -R a+rX "$copy"
nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@" 2>&1; }

said=$(nobody "$copy/scripts/setup.sh" test)
[ -z "$said" ] || { echo "not silent: $said"; exit 1; }

echo 'test supple-no-such-package planted' >> "$copy/scripts/packages.txt"
[ -z "$(nobody "$copy/scripts/setup.sh" build)" ]
if said=$(nobody "$copy/scripts/setup.sh" test); then
  echo 'a missing package was not noticed'
  exit 1
fi
expected='supple: please install (Debian names): supple-no-such-package'
[ "$said" = "$expected" ] || { printf 'said: %s\n' "$said"; exit 1; }
echo 'setup: says what is missing in one line'
