#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the pictures of the documentation that the tool itself draws, without a screen:
# make-pictures.sh [SUPPLE] [FOLDER], by default build/release/supple and docs/images. The PNGs have the same
# bytes on every machine; the animation has those of the libwebp that is installed.
set -eu
cd "$(dirname "$0")/.."
supple=$(realpath "${1:-build/release/supple}")
folder=$(realpath "${2:-docs/images}")
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
cd "$work"

"$supple" make cat --quiet -o cat.glb
"$supple" add cat.glb --preset jelly --amount 0.7 --clip pounce --quiet -o cat_alive.glb

# The top of the README: plain skinning on the left, alive on the right. The landing in slow motion, where one sees most.
"$supple" play cat_alive.glb --before cat.glb --clip pounce --start 1.2 --end 2.9 --fps 20 --slow 1.5 \
  --azimuth 65 --size 360 --quiet -o "$folder/alive.webp"

# The cat, in docs/characters.md: from three sides, then six frames of four clips.
draw() { # picture, clip, further options
  picture=$1 clip=$2
  shift 2
  "$supple" play cat.glb --clip "$clip" --quiet "$@" -o "$folder/$picture.png"
}
draw cat-front idle --frames 1 --size 300 --azimuth 0
draw cat-side idle --frames 1 --size 300 --azimuth 90
draw cat-back idle --frames 1 --size 300 --azimuth 145 --elevation 25
draw cat-walk walk --size 220 --azimuth 60
draw cat-jump jump --frames 8 --size 200 --azimuth 60
draw cat-sit sit --size 220 --azimuth 40
draw cat-pounce pounce --size 220 --azimuth 120

# How much they weigh.
cd "$folder"
ls -l alive.webp cat-*.png
