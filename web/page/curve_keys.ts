// SPDX-License-Identifier: MIT
/** Keys of a clip as curves: which tracks are shown, their values between keys, and one that is held at rest. */
import type { RawCharacter, RawTrack } from '../module/raw.js';

const CUBIC = 2;
/** [first number of the rest pose, how many] of translation, rotation, scale */
const PLACES = [[0, 3], [3, 4], [7, 3]];
const CHANNELS = ['', 'rotation', 'scale'];

export interface KeyCurve {
  /** which track of the clip */
  track: number;
  /** of the joint or the morph target */
  name: string;
  /** one number a component */
  rest: number[];
  /** which components it draws and holds: one morph target of several, or all */
  parts: number[];
}

const restOf = (raw: RawCharacter, { target, channel }: RawTrack): number[] => {
  const [first, width] = PLACES[channel];
  return Array.from(raw.rest.subarray(10 * target + first, 10 * target + first + width));
};

/** Does a track move at all? */
const moves = ({ values, width, interpolation }: RawTrack): boolean => {
  const [first, stride] = interpolation === CUBIC ? [width, 3 * width] : [0, width];
  for (let k = first; k < values.length; k += stride) {
    for (let i = 0; i < width; i++) if (Math.abs(values[k + i] - values[first + i]) > 1e-6) return true;
  }
  return false;
};

/** Curves that somebody may edit: cubic keys on joints and morph targets. */
export function keyCurves(raw: RawCharacter, clip: number): KeyCurve[] {
  return (raw.clips[clip]?.tracks ?? []).flatMap((track, k): KeyCurve[] => {
    if (track.interpolation !== CUBIC || !moves(track)) return [];
    const all = Array.from({ length: track.width }, (_, i) => i);
    if (track.channel === 3) {
      return all.map((i) => ({ track: k, name: raw.morphs[track.target + i].name, rest: all.map(() => 0), parts: [i] }));
    }
    const channel = CHANNELS[track.channel];
    return [{ track: k, name: raw.jointNames[track.target] + (channel && ` ${channel}`), rest: restOf(raw, track), parts: all }];
  });
}

/** A component at a time: between keys as glTF says, before and after as the ends. */
export function valueAt({ times, values, width }: RawTrack, part: number, time: number): number {
  const value = (k: number): number => values[(3 * k + 1) * width + part];
  const last = times.length - 1;
  if (time <= times[0]) return value(0);
  if (time >= times[last]) return value(last);
  let k = 0;
  while (times[k + 1] < time) k++;
  const length = times[k + 1] - times[k];
  const s = (time - times[k]) / length;
  const out = values[(3 * k + 2) * width + part];
  const into = values[(3 * k + 3) * width + part];
  const [s2, s3] = [s * s, s * s * s];
  return (2 * s3 - 3 * s2 + 1) * value(k) + length * (s3 - 2 * s2 + s) * out
    + (3 * s2 - 2 * s3) * value(k + 1) + length * (s3 - s2) * into;
}

/** What is played: the file's keys, but for the curves that are held at rest. */
export function writeKeys({ values, width }: RawTrack, held: KeyCurve[], to: Float32Array): void {
  to.set(values);
  for (const { parts, rest } of held) {
    for (let row = 0; row < values.length / width; row++) {
      for (const i of parts) to[row * width + i] = row % 3 === 1 ? rest[i] : 0;
    }
  }
}
