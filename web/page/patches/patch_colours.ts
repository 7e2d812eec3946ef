// SPDX-License-Identifier: MIT
/** Colours of patches: the same for the same key on every character, another one beside each other. */
import type { Region } from './division.js';

/** Hues as far apart as can be told, light enough for what is drawn over them. */
const PALETTE = ['#f28e2b', '#59a14f', '#4e79a7', '#e15759', '#edc948', '#9c6fb6', '#4fb3bf', '#d6619b', '#a4c639', '#5f63c9', '#2f9e7a', '#c98bd9'];

/** A number that a text always has. */
function scatter(text: string): number {
  let hash = 2166136261;
  for (let k = 0; k < text.length; k++) hash = Math.imul(hash ^ text.charCodeAt(k), 16777619);
  return hash >>> 0;
}

/** What a patch is known by: its name, or its boundaries where it has none of its own. */
export const keyOf = ({ name, patch, key }: Region): string => (patch >= 0 ? name : key);

/** By key; `divisions` are the patches of each character. */
export function patchColours(divisions: Region[][]): Map<string, string> {
  const beside = new Map<string, Set<string>>();
  for (const regions of divisions) {
    const sides = new Map<number, string[]>();
    for (const region of regions) {
      if (!beside.has(keyOf(region))) beside.set(keyOf(region), new Set());
      for (const b of region.boundaries) sides.set(b, [...(sides.get(b) ?? []), keyOf(region)]);
    }
    for (const keys of sides.values()) {
      for (const one of keys) for (const other of keys) if (one !== other) beside.get(one)!.add(other);
    }
  }
  const chosen = new Map<string, number>();
  for (const key of [...beside.keys()].sort()) {
    const taken = new Set([...beside.get(key)!].map((other) => chosen.get(other)));
    const first = scatter(key) % PALETTE.length;
    const free = PALETTE.map((_, k) => (first + k) % PALETTE.length).find((k) => !taken.has(k));
    chosen.set(key, free ?? first);
  }
  return new Map([...chosen].map(([key, k]) => [key, PALETTE[k]]));
}
