// SPDX-License-Identifier: MIT
/** A file as instances. */
import { MeshoptDecoder } from 'three/examples/jsm/libs/meshopt_decoder.module.js';
import { decompress, openGltf, readCharacters } from '../module/gltf.js';
import { Supple } from '../module/supple.js';
import { Instance } from './instance.js';

export async function openFile(supple: Supple, name: string, bytes: Uint8Array): Promise<Instance[]> {
  const gltf = openGltf(bytes);
  await decompress(gltf, MeshoptDecoder);
  return readCharacters(gltf, supple).map((raw) => new Instance(supple, name, gltf, raw));
}
