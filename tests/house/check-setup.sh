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

# Where it may install, it says how far it is; an apt-get that fails is noticed.
mkdir "$copy/bin"
# Like the real one it closes the channel of its status for packages, which fail if they cannot print then.
cat > "$copy/bin/apt-get" << 'END'
#!/bin/bash
case "$*" in *update*) exit 0 ;; esac
[[ $* =~ APT::Status-Fd=([0-9]+) ]] || exit 1
channel=${BASH_REMATCH[1]}
printf 'dlstatus:1:%s:x\n' 3.1 4.2 45.5 99.9 >&"$channel"
eval "bash -c 'echo Setting up gcc' $channel>&-" || exit 1
printf 'pmstatus:%s:x\n' gcc:0.0 gcc libc6:i386:30 gcc:50.0 gcc:100.0 >&"$channel"
exit "$(cat "$(dirname "$0")/status")"
END
chmod +x "$copy/bin/apt-get"
echo 0 > "$copy/bin/status"
said=$(PATH=$copy/bin:$PATH "$copy/scripts/setup.sh" test 2>&1)
expected='supple: installing supple-no-such-package
supple: packages: fetching 0 %
supple: packages: fetching 40 %
supple: packages: fetching 80 %
supple: packages: unpacking 0 %
supple: packages: unpacking 40 %
supple: packages: unpacking 100 %'
[ "$said" = "$expected" ] || { printf 'said: %s\n' "$said"; exit 1; }
echo 100 > "$copy/bin/status"
if said=$(PATH=$copy/bin:$PATH "$copy/scripts/setup.sh" test 2>&1); then
  echo 'a failure of apt-get was not noticed'
  exit 1
fi
[[ $said == *'apt-get failed; please install: supple-no-such-package' ]] || { printf 'said: %s\n' "$said"; exit 1; }
echo 'setup: says what is missing in one line, and how far it is'
