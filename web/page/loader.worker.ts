// SPDX-License-Identifier: MIT
/**
 * Reads a file beside the page, so that the page goes on meanwhile and can stop it. What was read
 * goes over as the memory of the module that read it; then flesh is made for characters that have
 * neither models nor baked motion, and goes over as model blocks.
 */
import { MeshoptDecoder } from 'three/examples/jsm/libs/meshopt_decoder.module.js';
import { decompress, Gltf, openGltf, readCharacters } from '../module/gltf.js';
import { Character, FleshNumbers, Supple } from '../module/supple.js';
import { checkSize } from './extent.js';
import { ReadCharacter, wantsFlesh } from './read.js';
import type { WorkerAnswer } from './loader.js';

const say = (answer: WorkerAnswer, ...moved: ArrayBuffer[]): void =>
  (self as unknown as Worker).postMessage(answer, moved);

/** What the page still looks at: pictures and materials. */
function looks(gltf: Gltf): Gltf {
  const { materials, textures, images, samplers, bufferViews } = gltf.json;
  return { ...gltf, json: { materials, textures, images, samplers, bufferViews } };
}

/** Where the body stands when its first clip begins. */
function checkBody(hero: Character): void {
  const stage = hero.stage();
  stage.play(hero.clips.length ? 0 : -1, 0, true);
  stage.step(0);
  try {
    checkSize(stage.positions);
  } finally {
    stage.free();
  }
}

async function read(module: WebAssembly.Module, bytes: Uint8Array, numbers: FleshNumbers): Promise<void> {
  const supple = await Supple.start(module);
  const gltf = openGltf(bytes);
  await decompress(gltf, MeshoptDecoder);
  say({ kind: 'progress', text: 'Reading skeleton, skin and clips' });
  const raws = readCharacters(gltf, supple);
  say({ kind: 'progress', text: 'Joining vertices' });
  const heroes = raws.map((raw) => supple.character(raw));
  heroes.forEach(checkBody);
  say({ kind: 'progress', text: 'Checking models' });
  const characters: ReadCharacter[] = heroes.map((hero, k) => ({ raw: raws[k], handle: hero.handle,
    before: raws[k].before ? supple.character(raws[k].before!.raw).handle : 0,
    models: raws[k].models.map(({ block }) => hero.model(block).handle) }));
  const memory = supple.memory.slice(0);
  say({ kind: 'read', memory, characters, gltf: looks(gltf) }, memory, bytes.buffer as ArrayBuffer);
  for (const [index, hero] of heroes.entries()) {
    if (!wantsFlesh(characters[index])) continue;
    try {
      const block = hero.surface(numbers).block;
      say({ kind: 'flesh', index, block }, block.buffer as ArrayBuffer);
    } catch (problem) {
      say({ kind: 'flesh', index, problem: (problem as Error).message });
    }
  }
}

self.addEventListener('message', (event) => {
  const { module, bytes, numbers } = event.data;
  read(module, bytes, numbers).catch((problem: Error) => say({ kind: 'failed', sentence: problem.message }));
});
