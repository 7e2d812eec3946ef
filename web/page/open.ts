// SPDX-License-Identifier: MIT
/** A file as actors. */
import { MeshoptDecoder } from 'three/examples/jsm/libs/meshopt_decoder.module.js';
import { decompress, openGltf, readCharacters } from '../module/gltf.js';
import { Supple } from '../module/supple.js';
import { Actor } from './actor.js';

export async function openFile(supple: Supple, name: string, bytes: Uint8Array): Promise<Actor[]> {
  const gltf = openGltf(bytes);
  await decompress(gltf, MeshoptDecoder);
  return readCharacters(gltf, supple).map((raw) => new Actor(supple, name, gltf, raw));
}
