#!/bin/bash
# SPDX-License-Identifier: MIT
# The proof that the set-up is complete: a bare Debian 12 with nothing but git and make in it, a
# clone of HEAD, and there `make demo`, `make test` or whatever targets are named (without any: these
# two), with variables of make that are given as NAME=VALUE. Needs root and the network. Packages come
# from where this machine's apt gets them; names, certificates and proxy settings of this machine are
# passed on.
#
# usage: bare-chroot.sh [--keep] [TARGET...] [NAME=VALUE...]
# Prints the times; exit 77 where it cannot run.
set -euo pipefail
cd "$(dirname "$0")/.."

[ "$(id -u)" = 0 ] || { echo 'skipped: a bare Debian needs root'; exit 77; }
command -v mmdebstrap > /dev/null || { echo 'skipped: no mmdebstrap'; exit 77; }
grep -qs 'VERSION_CODENAME=bookworm' /etc/os-release || { echo 'skipped: not Debian 12'; exit 77; }

# A bare machine knows nothing of how things are compiled here.
while read -r name; do
  unset "$name"
done < <(compgen -e | grep -E '^((CMAKE|CCACHE|MAKE)_?.*|CC|CXX|C(XX)?FLAGS|LDFLAGS|MFLAGS)$')

keep=
if [ "${1:-}" = --keep ]; then
  keep=yes
  shift
fi
targets=() variables=()
for word; do
  case $word in
    *=*) variables+=("$word") ;;
    *) targets+=("$word") ;;
  esac
done
[ ${#targets[@]} -gt 0 ] || targets=(demo test)
root=$(mktemp -d "${TMPDIR:-/tmp}/supple-bare.XXXXXX")
finish() {
  # Something may still run in there when it was stopped from outside: then lazily.
  for place in proc dev; do
    umount -q "$root/$place" 2> /dev/null || umount -q -l "$root/$place" 2> /dev/null || true
  done
  # Never into something that is still mounted.
  if [ -z "$keep" ]; then rm -rf --one-file-system "$root"; else echo "kept: $root"; fi
}
trap finish EXIT
trap 'exit 143' TERM INT HUP

no_network() {
  echo "bare: $1 could not fetch packages: without the network this test cannot pass"
  exit 1
}

timed() {
  local start=$SECONDS
  "${@:2}"
  echo "bare: $1 took $((SECONDS - start)) s"
}
inside() { chroot "$root" /usr/bin/env HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"; }

mapfile -t sources < <(find /etc/apt/sources.list /etc/apt/sources.list.d \
  \( -name '*.sources' -o -name '*.list' \) -size +0 2> /dev/null)
timed 'making it' mmdebstrap --quiet --aptopt='Acquire::Retries "3"' --variant=minbase \
  --include=git,make bookworm "$root" "${sources[@]}" || no_network mmdebstrap

# What this machine needs to reach the network, the bare one needs too.
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
cp -L /etc/hosts "$root/etc/hosts"
cp /etc/apt/apt.conf.d/*proxy* "$root/etc/apt/apt.conf.d/" 2> /dev/null || true
mkdir -p "$root/usr/local/share" "$root/etc/ssl/certs"
cp -rL /usr/local/share/ca-certificates "$root/usr/local/share/" 2> /dev/null || true
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"

git clone -q --no-hardlinks . "$root/root/supple"
if [ -d "${SUPPLE_TEST_DATA:-/nonexistent}" ]; then
  cp -r "$SUPPLE_TEST_DATA" "$root/root/data"
  export SUPPLE_TEST_DATA=/root/data
fi
inside apt-get -qq update || no_network 'apt-get inside'
for target in "${targets[@]}"; do
  timed "make $target${variables[*]:+ ${variables[*]}}" \
    inside make -C /root/supple "$target" "${variables[@]}"
done
