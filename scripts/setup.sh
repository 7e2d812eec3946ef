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

# progress: the machine-readable status of apt-get as a line for every fifth, and its exit status.
progress() {
  told=
  status=1
  while IFS=: read -r kind word rest; do
    case $kind in
      dlstatus) doing=fetching ;;
      pmstatus) doing=unpacking ;;
      exit) status=$word; continue ;;
      *) continue ;;
    esac
    # The name before the percentage may hold a colon itself ("libc6:i386").
    percent=${rest%%[:.]*}
    case $percent in
      '' | *[!0-9]*) continue ;;
    esac
    fifth="$doing $((percent / 20 * 20)) %"
    [ "$fifth" = "$told" ] || echo "supple: packages: $fifth"
    told=$fifth
  done
  return "$status"
}
install() {
  # The status has a channel of its own: apt-get closes it for the scripts of packages, and those that print
  # fail where that is their output. sudo closes channels beyond 2, so the shell that opens this one is behind it.
  # shellcheck disable=SC2086,SC2016  # both are lists of words; the inner shell expands
  {
    $as_root env DEBIAN_FRONTEND=noninteractive sh -c 'exec apt-get -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 \
      -o APT::Status-Fd=3 -qq install -y --no-install-recommends "$@" 3>&1 > /dev/null' sh $missing &&
      echo exit:0 || echo "exit:$?"
  } | progress
}
# The package lists may be absent or out of date; fetch them only then.
update() {
  echo 'supple: fetching the lists of packages'
  $as_root apt-get -o Acquire::Retries=3 -qq update
}
install 2> /dev/null || { update && install; } || {
  echo "supple: apt-get failed; please install:$missing" >&2
  exit 1
}
