#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs what a tier needs: setup.sh build|test|test-all. Silent when nothing is missing.
# Where it may not install (no root, no password-free sudo, not Debian) it names what is missing.
set -eu
cd "$(dirname "$0")/.."

case "${1:-}" in
  build) tiers='build' ;;
  test) tiers='build test' ;;
  test-all) tiers='build test test-all' ;;
  *) echo 'usage: scripts/setup.sh build|test|test-all' >&2; exit 2 ;;
esac

packages=$(awk -v tiers=" $tiers " '$1 !~ /^#/ && index(tiers, " " $1 " ") { print $2 }' \
  scripts/packages.txt)

# Present: installed as a package, or a command of that name from elsewhere.
if command -v dpkg-query > /dev/null; then
  # shellcheck disable=SC2086  # one word per package
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $packages 2> /dev/null |
    awk '$1 == "installed" { print $2 }')
else
  installed=
fi
missing=
for package in $packages; do
  case "
$installed
" in *"
$package
"*) continue ;; esac
  command -v "$package" > /dev/null || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
  as_root=
elif sudo -n true 2> /dev/null; then
  as_root='sudo -n'
else
  as_root=no
fi
if ! command -v apt-get > /dev/null || [ "$as_root" = no ]; then
  echo "supple: please install (Debian names):$missing" >&2
  exit 1
fi

echo "supple: installing$missing"
install() {
  # shellcheck disable=SC2086  # both are lists of words
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get -o Dpkg::Use-Pty=0 -qq install -y \
    --no-install-recommends $missing > /dev/null
}
# The package lists may be absent or out of date; fetch them only then.
install 2> /dev/null || { $as_root apt-get -qq update && install; } || {
  echo "supple: apt-get failed; please install:$missing" >&2
  exit 1
}
