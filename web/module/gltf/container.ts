// SPDX-License-Identifier: MIT
/** The file itself: its JSON and its bytes. */
import { SuppleError } from '../scratch.js';

// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Json = any;

export interface Gltf {
  json: Json;
  buffers: (Uint8Array | null)[];
  /** of EXT_meshopt_compression, decoded */
  views: Map<number, Uint8Array>;
}

/** Decodes a compressed view: the decoder of meshoptimizer has this shape. */
export interface MeshoptDecoder {
  ready: Promise<void>;
  decodeGltfBuffer(target: Uint8Array, count: number, size: number, source: Uint8Array,
    mode: string, filter?: string): void;
}

export const fail = (sentence: string): never => {
  throw new SuppleError(sentence);
};

function dataUri(uri: string, what: string): Uint8Array {
  const comma = uri.indexOf(',');
  if (!uri.startsWith('data:') || comma < 0) {
    return fail(`${what} lies in the file "${uri}" beside this one; drop a .glb, which has ` +
      'everything inside (supple convert makes one)');
  }
  const text = atob(decodeURIComponent(uri.slice(comma + 1)));
  return Uint8Array.from(text, (c) => c.charCodeAt(0));
}

function parseJson(bytes: Uint8Array): Json {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (problem) {
    return fail(`the JSON of the file is broken (${(problem as Error).message}); export it again`);
  }
}

/** Takes a file apart. */
export function openGltf(file: Uint8Array): Gltf {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  let json: Json;
  let binary: Uint8Array | null = null;
  if (file.length >= 12 && view.getUint32(0, true) === 0x46546c67) {
    if (view.getUint32(4, true) !== 2) fail('this is glTF 1; export the file as glTF 2');
    const end = Math.min(view.getUint32(8, true), file.length);
    if (view.getUint32(8, true) > file.length) {
      fail(`the file is cut short: it should have ${view.getUint32(8, true)} bytes and has ` +
        `${file.length}; copy or export it again`);
    }
    for (let at = 12; at + 8 <= end;) {
      const bytes = view.getUint32(at, true);
      const kind = view.getUint32(at + 4, true);
      if (at + 8 + bytes > end) fail('a chunk of the file passes its end; export it again');
      const chunk = file.subarray(at + 8, at + 8 + bytes);
      if (kind === 0x4e4f534a) json = parseJson(chunk);
      if (kind === 0x004e4942 && !binary) binary = chunk;
      at += 8 + bytes;
    }
  } else if (file.length && /^\s*\{/.test(new TextDecoder().decode(file.subarray(0, 64)))) {
    json = parseJson(file);
  }
  if (!json || typeof json !== 'object' || !json.asset) {
    fail('this is not a glTF file; drop a .glb that was exported with skin and skeleton');
  }
  const buffers = (json.buffers ?? []).map((buffer: Json, k: number) => {
    if (buffer.uri !== undefined) return dataUri(String(buffer.uri), `buffer ${k}`);
    return k === 0 ? binary : null;
  });
  return { json, buffers, views: new Map() };
}

/** Decodes what is compressed; needed before readCharacters if the file uses meshopt. */
export async function decompress(gltf: Gltf, decoder: MeshoptDecoder): Promise<void> {
  for (const [k, view] of (gltf.json.bufferViews ?? []).entries()) {
    const packed = view.extensions?.EXT_meshopt_compression;
    if (!packed) continue;
    await decoder.ready;
    const source = gltf.buffers[packed.buffer]?.subarray(packed.byteOffset ?? 0,
      (packed.byteOffset ?? 0) + packed.byteLength);
    if (!source) return fail(`bufferView ${k} is compressed, but its data is not there`);
    const target = new Uint8Array(packed.count * packed.byteStride);
    decoder.decodeGltfBuffer(target, packed.count, packed.byteStride, source, packed.mode,
      packed.filter);
    gltf.views.set(k, target);
  }
}

/** The bytes of a bufferView. */
export function viewBytes(gltf: Gltf, index: number): Uint8Array {
  const decoded = gltf.views.get(index);
  if (decoded) return decoded;
  const view = gltf.json.bufferViews?.[index];
  if (!view) return fail(`bufferView ${index} does not exist; export the file again`);
  if (view.extensions?.EXT_meshopt_compression) {
    return fail('the file is compressed with meshopt and could not be decoded');
  }
  const buffer = gltf.buffers[view.buffer];
  const offset = view.byteOffset ?? 0;
  if (!buffer || offset + view.byteLength > buffer.length) {
    return fail(`bufferView ${index} passes the end of its buffer; export the file again`);
  }
  return buffer.subarray(offset, offset + view.byteLength);
}
