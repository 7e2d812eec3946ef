// SPDX-License-Identifier: MIT
/** What the worker hands over of a character. */
import type { GltfCharacter } from '../module/gltf.js';

/** A character in the memory that came with it. */
export interface ReadCharacter {
  raw: GltfCharacter;
  handle: number;
  /** the one that it was before its motion was baked; 0 without such motion */
  before: number;
  models: number[];
}

/** Neither models nor baked motion: the page gives it flesh of its own. */
export const wantsFlesh = (one: ReadCharacter): boolean => !one.models.length && !one.before;
