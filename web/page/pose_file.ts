// SPDX-License-Identifier: MIT
/**
 * The shape of a moment as a .glb whose skeleton stands in that moment's pose: what other programs show and sculpt, and
 * `supple build envelope --example FILE --at file` learns from.
 */
import * as THREE from 'three';
import type { Instance } from './instance.js';

const FLOAT = 5126;
const UINT = 5125;
const USHORT = 5123;

interface View {
  bytes: Uint8Array;
  componentType: number;
  type: string;
  count: number;
  bounds?: [number[], number[]];
}

/** 12 numbers, column by column, as a matrix. */
function matrixOf(joints: Float32Array, j: number): THREE.Matrix4 {
  const m = joints.subarray(12 * j, 12 * j + 12);
  return new THREE.Matrix4().set(m[0], m[3], m[6], m[9], m[1], m[4], m[7], m[10], m[2], m[5], m[8], m[11], 0, 0, 0, 1);
}

/** Local transforms of the joints as they stand. */
function nodesOf(instance: Instance, globals: THREE.Matrix4[]): Record<string, unknown>[] {
  const { parents } = instance.character;
  const children: number[][] = globals.map(() => []);
  parents.forEach((parent, j) => { if (parent >= 0) children[parent].push(j); });
  return globals.map((own, j) => {
    const local = parents[j] >= 0 ? globals[parents[j]].clone().invert().multiply(own) : own;
    const [place, turn, scale] = [new THREE.Vector3(), new THREE.Quaternion(), new THREE.Vector3()];
    local.decompose(place, turn, scale);
    return { name: instance.raw.jointNames[j], translation: place.toArray(), rotation: turn.normalize().toArray(),
      scale: scale.toArray(), ...(children[j].length ? { children: children[j] } : {}) };
  });
}

/** Up to four joints of each render vertex, and their weights. */
function skinOf(instance: Instance): { joints: Uint16Array; weights: Float32Array } {
  const { character } = instance;
  const { offsets, bones, weights } = character.body;
  const joint = character.boneJoints;
  const count = character.renderVertexCount;
  const out = { joints: new Uint16Array(4 * count), weights: new Float32Array(4 * count) };
  for (let v = 0; v < count; v++) {
    const b = character.toBody[v];
    const most = [];
    for (let k = offsets[b]; k < offsets[b + 1]; k++) most.push(k);
    most.sort((x, y) => weights[y] - weights[x]).splice(4);
    const sum = most.reduce((total, k) => total + weights[k], 0) || 1;
    most.forEach((k, i) => {
      out.joints[4 * v + i] = joint[bones[k]];
      out.weights[4 * v + i] = weights[k] / sum;
    });
  }
  return out;
}

function bounds(positions: Float32Array): [number[], number[]] {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  positions.forEach((x, k) => {
    low[k % 3] = Math.min(low[k % 3], x);
    high[k % 3] = Math.max(high[k % 3], x);
  });
  return [low, high];
}

const bytesOf = (data: ArrayBufferView): Uint8Array => new Uint8Array(data.buffer, data.byteOffset, data.byteLength);

export function writePose(instance: Instance): Uint8Array {
  const { character, alive } = instance;
  const globals = Array.from({ length: character.jointCount }, (_, j) => matrixOf(alive.joints, j));
  const binds = Float32Array.from(globals.flatMap((m) => [...m.clone().invert().elements]));
  const skin = skinOf(instance);
  const positions = alive.positions.slice();
  const count = character.renderVertexCount;
  const views: View[] = [
    { bytes: bytesOf(positions), componentType: FLOAT, type: 'VEC3', count, bounds: bounds(positions) },
    { bytes: bytesOf(alive.normals.slice()), componentType: FLOAT, type: 'VEC3', count },
    { bytes: bytesOf(skin.joints), componentType: USHORT, type: 'VEC4', count },
    { bytes: bytesOf(skin.weights), componentType: FLOAT, type: 'VEC4', count },
    { bytes: bytesOf(character.renderTriangles.slice()), componentType: UINT, type: 'SCALAR', count: character.renderTriangles.length },
    { bytes: bytesOf(binds), componentType: FLOAT, type: 'MAT4', count: globals.length },
  ];
  const nodes = nodesOf(instance, globals);
  const roots = [...character.parents.keys()].filter((j) => character.parents[j] < 0);
  let at = 0;
  const bufferViews = views.map(({ bytes }) => {
    const view = { buffer: 0, byteOffset: at, byteLength: bytes.length };
    at += (bytes.length + 3) & ~3;
    return view;
  });
  return packed({
    asset: { version: '2.0', generator: 'Supple' },
    scene: 0,
    scenes: [{ nodes: [...roots, nodes.length] }],
    nodes: [...nodes, { name: 'body', mesh: 0, skin: 0 }],
    skins: [{ joints: globals.map((_, j) => j), inverseBindMatrices: 5 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0, NORMAL: 1, JOINTS_0: 2, WEIGHTS_0: 3 }, indices: 4 }] }],
    accessors: views.map((view, k) => ({ bufferView: k, componentType: view.componentType, count: view.count, type: view.type,
      ...(view.bounds ? { min: view.bounds[0], max: view.bounds[1] } : {}) })),
    bufferViews,
    buffers: [{ byteLength: at }],
  }, views.map(({ bytes }, k) => [bufferViews[k].byteOffset, bytes]), at);
}

/** A .glb of its JSON and the pieces of its buffer. */
function packed(json: object, pieces: [number, Uint8Array][], length: number): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(json));
  const padded = (text.length + 3) & ~3;
  const out = new Uint8Array(28 + padded + length).fill(0x20, 20, 20 + padded);
  const head = new DataView(out.buffer);
  [0x46546c67, 2, out.length, padded, 0x4e4f534a].forEach((word, k) => head.setUint32(4 * k, word, true));
  out.set(text, 20);
  [length, 0x004e4942].forEach((word, k) => head.setUint32(20 + padded + 4 * k, word, true));
  for (const [offset, bytes] of pieces) out.set(bytes, 28 + padded + offset);
  return out;
}
