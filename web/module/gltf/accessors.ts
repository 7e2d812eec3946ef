// SPDX-License-Identifier: MIT
/** Numbers out of a file: accessors of every component type, sparse ones included. */
import { fail, Gltf, Json, viewBytes } from './container.js';

const WIDTHS: Record<string, number> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };
const SIZES: Record<number, number> = { 5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4 };
const MOSTS: Record<number, number> = { 5120: 127, 5121: 255, 5122: 32767, 5123: 65535 };

export interface Accessor {
  index: number;
  count: number;
  width: number;
  component: number;
  normalised: boolean;
  json: Json;
}

export function accessor(gltf: Gltf, index: number): Accessor {
  const json = gltf.json.accessors?.[index];
  if (!json) return fail(`accessor ${index} does not exist; export the file again`);
  const width = WIDTHS[json.type];
  if (!width || !SIZES[json.componentType] || !(json.count > 0)) {
    return fail(`accessor ${index}: its type, componentType or count is unusable`);
  }
  return {
    index, count: json.count, width, component: json.componentType, normalised: !!json.normalized,
    json,
  };
}

type Read = (view: DataView, at: number) => number;

function reader(component: number, normalised: boolean): Read {
  const plain: Record<number, Read> = {
    5120: (v, at) => v.getInt8(at),
    5121: (v, at) => v.getUint8(at),
    5122: (v, at) => v.getInt16(at, true),
    5123: (v, at) => v.getUint16(at, true),
    5125: (v, at) => v.getUint32(at, true),
    5126: (v, at) => v.getFloat32(at, true),
  };
  const most = MOSTS[component];
  if (!normalised || !most) return plain[component];
  return (v, at) => Math.max(Math.fround(plain[component](v, at) / most), -1);
}

const dataView = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function readInto(gltf: Gltf, a: Accessor, read: Read, out: Float32Array | Uint32Array): void {
  const size = SIZES[a.component];
  const element = size * a.width;
  if (a.json.bufferView !== undefined) {
    const bytes = viewBytes(gltf, a.json.bufferView);
    const stride = gltf.json.bufferViews[a.json.bufferView].byteStride || element;
    const offset = a.json.byteOffset ?? 0;
    if (offset + (a.count - 1) * stride + element > bytes.length) {
      fail(`accessor ${a.index} passes the end of its bufferView; export the file again`);
    }
    const view = dataView(bytes);
    for (let v = 0; v < a.count; v++) {
      for (let k = 0; k < a.width; k++) {
        out[v * a.width + k] = read(view, offset + v * stride + k * size);
      }
    }
  }
  const sparse = a.json.sparse;
  if (!sparse) return;
  const indices = dataView(viewBytes(gltf, sparse.indices.bufferView));
  const values = dataView(viewBytes(gltf, sparse.values.bufferView));
  const readIndex = reader(sparse.indices.componentType, false);
  const indexSize = SIZES[sparse.indices.componentType];
  for (let s = 0; s < sparse.count; s++) {
    const v = readIndex(indices, (sparse.indices.byteOffset ?? 0) + s * indexSize);
    if (v >= a.count) fail(`accessor ${a.index}: a sparse index is out of range`);
    for (let k = 0; k < a.width; k++) {
      out[v * a.width + k] = read(values, (sparse.values.byteOffset ?? 0) + s * element + k * size);
    }
  }
}

export function floats(gltf: Gltf, a: Accessor): Float32Array {
  const out = new Float32Array(a.count * a.width);
  readInto(gltf, a, reader(a.component, a.normalised), out);
  for (let k = 0; k < out.length; k++) {
    if (!Number.isFinite(out[k])) {
      fail(`accessor ${a.index}: element ${Math.floor(k / a.width)} is not a finite number; ` +
        'export the file again');
    }
  }
  return out;
}

export function uints(gltf: Gltf, a: Accessor): Uint32Array {
  if (a.component === 5126) fail(`accessor ${a.index} must hold integers, not floats`);
  const out = new Uint32Array(a.count * a.width);
  readInto(gltf, a, reader(a.component, false), out);
  return out;
}
