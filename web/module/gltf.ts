// SPDX-License-Identifier: MIT
/**
 * Characters out of a .glb (or a .gltf with everything inside), as raw arrays: the same reading as
 * libsupple_io's, so that the welded body has the same vertices in the same order, and models in
 * the file fit.
 */
import { RawCharacter, RawClip, RawPart, RawTrack, Supple, SuppleError } from './supple.js';

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Json = any;

export interface Gltf {
  json: Json;
  buffers: (Uint8Array | null)[];
  /** of EXT_meshopt_compression, decoded */
  views: Map<number, Uint8Array>;
}

/** A character and where it lies in the file. */
export interface GltfCharacter extends RawCharacter {
  /** node of each joint */
  jointNodes: number[];
  /** models of the file, in the order of the stack */
  models: { kind: string; block: Uint8Array }[];
}

/** Decodes a compressed view: the decoder of meshoptimizer has this shape. */
export interface MeshoptDecoder {
  ready: Promise<void>;
  decodeGltfBuffer(target: Uint8Array, count: number, size: number, source: Uint8Array,
    mode: string, filter?: string): void;
}

const fail = (sentence: string): never => {
  throw new SuppleError(sentence);
};

// ---- The container -------------------------------------------------------------------------------

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
    fail('this is no glTF file; drop a .glb that was exported with skin and skeleton');
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

// ---- Accessors -----------------------------------------------------------------------------------

const WIDTHS: Record<string, number> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };
const SIZES: Record<number, number> = { 5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4 };
const MOSTS: Record<number, number> = { 5120: 127, 5121: 255, 5122: 32767, 5123: 65535 };

interface Accessor {
  index: number;
  count: number;
  width: number;
  component: number;
  normalised: boolean;
  json: Json;
}

function accessor(gltf: Gltf, index: number): Accessor {
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
    if (v >= a.count) fail(`accessor ${a.index}: a sparse index names no element`);
    for (let k = 0; k < a.width; k++) {
      out[v * a.width + k] = read(values, (sparse.values.byteOffset ?? 0) + s * element + k * size);
    }
  }
}

function floats(gltf: Gltf, a: Accessor): Float32Array {
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

function uints(gltf: Gltf, a: Accessor): Uint32Array {
  if (a.component === 5126) fail(`accessor ${a.index} must hold integers, not floats`);
  const out = new Uint32Array(a.count * a.width);
  readInto(gltf, a, reader(a.component, false), out);
  return out;
}

// ---- Affine maps, 12 numbers column by column ------------------------------------------------------

type Affine = number[];
const IDENTITY: Affine = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];

function mul(a: Affine, b: Affine): Affine {
  const out = new Array<number>(12);
  for (let c = 0; c < 4; c++) {
    for (let r = 0; r < 3; r++) {
      let sum = a[r] * b[3 * c] + a[3 + r] * b[3 * c + 1] + a[6 + r] * b[3 * c + 2];
      if (c === 3) sum += a[9 + r];
      out[3 * c + r] = sum;
    }
  }
  return out;
}

function determinant(a: Affine): number {
  return a[0] * (a[4] * a[8] - a[5] * a[7]) - a[3] * (a[1] * a[8] - a[2] * a[7]) +
    a[6] * (a[1] * a[5] - a[2] * a[4]);
}

function inverse(a: Affine): Affine {
  const d = 1 / determinant(a);
  const m = [
    (a[4] * a[8] - a[7] * a[5]) * d, (a[7] * a[2] - a[1] * a[8]) * d, (a[1] * a[5] - a[4] * a[2]) * d,
    (a[6] * a[5] - a[3] * a[8]) * d, (a[0] * a[8] - a[6] * a[2]) * d, (a[3] * a[2] - a[0] * a[5]) * d,
    (a[3] * a[7] - a[6] * a[4]) * d, (a[6] * a[1] - a[0] * a[7]) * d, (a[0] * a[4] - a[3] * a[1]) * d,
  ];
  const t = [0, 1, 2].map((r) => -(m[r] * a[9] + m[3 + r] * a[10] + m[6 + r] * a[11]));
  return [...m, ...t];
}

function compose(rest: Float32Array): Affine {
  const [tx, ty, tz, x, y, z, w, sx, sy, sz] = rest;
  return [
    (1 - 2 * (y * y + z * z)) * sx, 2 * (x * y + w * z) * sx, 2 * (x * z - w * y) * sx,
    2 * (x * y - w * z) * sy, (1 - 2 * (x * x + z * z)) * sy, 2 * (y * z + w * x) * sy,
    2 * (x * z + w * y) * sz, 2 * (y * z - w * x) * sz, (1 - 2 * (x * x + y * y)) * sz,
    tx, ty, tz,
  ];
}

const linearSize = (a: Affine): number => Math.max(...a.slice(0, 9).map(Math.abs));
const invertible = (a: Affine): boolean => Math.abs(determinant(a)) > 1e-12 * linearSize(a) ** 3;

function nearlyEqual(a: Affine, b: Affine, extent: number): boolean {
  const size = Math.max(linearSize(a), linearSize(b));
  return a.every((x, k) => Math.abs(x - b[k]) <= 1e-4 * (k < 9 ? size : extent));
}

// ---- Nodes and skins -------------------------------------------------------------------------------

interface Node {
  parent: number;
  mesh: number;
  skin: number;
  name: string;
  rest: Float32Array;
  toScene: Affine;
}

interface Skin {
  joints: number[];
  inverseBind: Affine[];
  skeleton: number;
  name: string;
  character: number;
}

interface Scene {
  nodes: Node[];
  /** parents before children, each subtree together */
  order: number[];
  skins: Skin[];
}

function readNodes(gltf: Gltf, supple: Supple): { nodes: Node[]; order: number[] } {
  const list: Json[] = gltf.json.nodes ?? [];
  const nodes: Node[] = list.map((json) => {
    const rest = json.matrix ? supple.decompose(json.matrix) : Float32Array.from([
      ...(json.translation ?? [0, 0, 0]), ...(json.rotation ?? [0, 0, 0, 1]),
      ...(json.scale ?? [1, 1, 1])]);
    return {
      parent: -1, mesh: json.mesh ?? -1, skin: json.skin ?? -1, name: json.name ?? '', rest,
      toScene: IDENTITY,
    };
  });
  list.forEach((json, k) => {
    for (const child of json.children ?? []) {
      if (!nodes[child]) fail(`node ${k} has a child ${child} that does not exist`);
      if (nodes[child].parent >= 0) fail(`node ${child} is a child of two nodes`);
      nodes[child].parent = k;
    }
  });
  const order: number[] = [];
  const stack: number[] = [];
  for (let k = nodes.length; k-- > 0;) if (nodes[k].parent < 0) stack.push(k);
  while (stack.length) {
    const node = stack.pop()!;
    order.push(node);
    const children: number[] = list[node].children ?? [];
    for (let k = children.length; k-- > 0;) stack.push(children[k]);
  }
  if (order.length < nodes.length) fail('the node hierarchy has a cycle');
  for (const k of order) {
    const own = compose(nodes[k].rest);
    nodes[k].toScene = nodes[k].parent < 0 ? own : mul(nodes[nodes[k].parent].toScene, own);
  }
  return { nodes, order };
}

function readSkin(gltf: Gltf, json: Json, index: number): Skin {
  const joints: number[] = json.joints ?? [];
  if (!joints.length) fail(`skin ${index} has no joints`);
  let inverseBind: Affine[] = joints.map(() => IDENTITY);
  if (json.inverseBindMatrices !== undefined) {
    const a = accessor(gltf, json.inverseBindMatrices);
    if (a.width !== 16 || a.count < joints.length) {
      fail(`skin ${index}: its inverse bind matrices are not ${joints.length} 4x4 matrices`);
    }
    const m = floats(gltf, a);
    inverseBind = joints.map((_, j) => [0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14].map(
      (k) => m[16 * j + k]));
  }
  return { joints, inverseBind, skeleton: json.skeleton ?? -1, name: json.name ?? '',
    character: index };
}

/** Skins make one character if they share a joint, hang below each other, or name one skeleton. */
function groupSkins(scene: Scene): void {
  const { nodes, skins } = scene;
  const root = (s: number): number => (skins[s].character === s ? s : root(skins[s].character));
  const unite = (a: number, b: number): void => {
    const [x, y] = [root(a), root(b)];
    skins[Math.max(x, y)].character = Math.min(x, y);
  };
  const owner = new Map<number, number>();
  const named = new Map<number, number>();
  skins.forEach((skin, s) => {
    for (const joint of skin.joints) {
      if (!nodes[joint]) fail(`skin ${s} names a joint that does not exist`);
      if (owner.has(joint)) unite(s, owner.get(joint)!);
      owner.set(joint, s);
    }
    if (skin.skeleton < 0) return;
    if (named.has(skin.skeleton)) unite(s, named.get(skin.skeleton)!);
    named.set(skin.skeleton, s);
  });
  for (const node of scene.order) {
    const above = owner.get(nodes[node].parent);
    if (above === undefined) continue;
    if (owner.has(node)) unite(owner.get(node)!, above);
    else owner.set(node, above);
  }
  skins.forEach((skin, s) => { skin.character = root(s); });
}

function readScene(gltf: Gltf, supple: Supple): Scene {
  const scene: Scene = { ...readNodes(gltf, supple),
    skins: (gltf.json.skins ?? []).map((json: Json, s: number) => readSkin(gltf, json, s)) };
  groupSkins(scene);
  return scene;
}

// ---- The skeleton ------------------------------------------------------------------------------------

/** What is known while one character is built. */
interface Build {
  gltf: Gltf;
  scene: Scene;
  meshNodes: number[];
  skins: number[];
  nodeJoints: Map<number, number>;
  jointNodes: number[];
  bones: { joint: number; inverse: Affine }[];
  skinBones: number[][];
  toBody: Affine[];
  morphs: { name: string; weight: number; node: number }[];
  mapNames: string[];
}

function findJoints(build: Build): void {
  const { scene, nodeJoints, jointNodes } = build;
  const marked = new Set<number>();
  for (const s of build.skins) {
    for (const joint of scene.skins[s].joints) {
      for (let k = joint; k >= 0 && !marked.has(k); k = scene.nodes[k].parent) marked.add(k);
    }
  }
  for (const node of scene.order) {
    if (!marked.has(node)) continue;
    nodeJoints.set(node, jointNodes.length);
    jointNodes.push(node);
  }
}

function skinExtent(skin: Skin): number {
  let origin: number[] | null = null;
  let extent = 0;
  for (const bind of skin.inverseBind) {
    if (!invertible(bind)) continue;
    const at = inverse(bind).slice(9);
    origin ??= at;
    extent = Math.max(extent, Math.hypot(at[0] - origin[0], at[1] - origin[1], at[2] - origin[2]));
  }
  return extent > 0 ? extent : 1;
}

/** What the opinions agree on: null if they do not, undefined if there are none. */
function agreed(opinions: Affine[], extent: number): Affine | null | undefined {
  if (!opinions.length) return undefined;
  return opinions.every((o) => nearlyEqual(opinions[0], o, extent)) ? opinions[0] : null;
}

/** The map from a skin's bind space to the body's, which is the first skin's. */
function relateSkin(build: Build, skin: Skin, extent: number): Affine {
  const first = build.scene.skins[build.skins[0]];
  const opinions = (space: (j: number) => Affine | undefined, other: (j: number) => Affine) =>
    skin.joints.map((_, j) => [space(j), other(j)] as const)
      .filter(([a, b]) => a && invertible(a) && invertible(b))
      .map(([a, b]) => mul(inverse(a!), b));
  let b = agreed(opinions(
    (j) => build.bones.find((o) => o.joint === build.nodeJoints.get(skin.joints[j]))?.inverse,
    (j) => skin.inverseBind[j]), extent);
  if (b === undefined) {
    const scenes = first.joints.map((node, j) =>
      mul(build.scene.nodes[node].toScene, first.inverseBind[j]));
    const body = invertible(first.inverseBind[0])
      ? agreed(scenes, extent * linearSize(scenes[0])) : null;
    b = agreed(opinions(() => body ?? undefined,
      (j) => mul(build.scene.nodes[skin.joints[j]].toScene, skin.inverseBind[j])), extent);
  }
  return !b || nearlyEqual(b, IDENTITY, extent) ? IDENTITY : b;
}

function findBones(build: Build): void {
  const extent = skinExtent(build.scene.skins[build.skins[0]]);
  build.skins.forEach((s, slot) => {
    const skin = build.scene.skins[s];
    const b = slot ? relateSkin(build, skin, extent) : IDENTITY;
    const back = b === IDENTITY ? null : inverse(b);
    build.toBody.push(b);
    build.skinBones.push(skin.joints.map((node, j) => {
      const bind = back ? mul(skin.inverseBind[j], back) : skin.inverseBind[j];
      const joint = build.nodeJoints.get(node)!;
      const known = build.bones.findIndex(
        (bone) => bone.joint === joint && nearlyEqual(bone.inverse, bind, extent));
      return known >= 0 ? known : build.bones.push({ joint, inverse: bind }) - 1;
    }));
  });
}

// ---- Parts ---------------------------------------------------------------------------------------------

function attribute(build: Build, attributes: Json, name: string, width: number, count: number,
  where: string): Accessor | null {
  if (attributes[name] === undefined) return null;
  const a = accessor(build.gltf, attributes[name]);
  if (a.width !== width) fail(`${where}: ${name} must have ${width} numbers per vertex`);
  if (count && a.count !== count) {
    fail(`${where}: ${name} has ${a.count} vertices, POSITION has ${count}`);
  }
  return a;
}

function readTriangles(build: Build, primitive: Json, count: number, where: string): Uint32Array {
  const mode = primitive.mode ?? 4;
  const list = primitive.indices === undefined ? null
    : uints(build.gltf, accessor(build.gltf, primitive.indices));
  const length = list ? list.length : count;
  const faces = mode === 4 ? Math.floor(length / 3) : Math.max(length - 2, 0);
  const out = new Uint32Array(3 * faces);
  for (let f = 0; f < faces; f++) {
    const odd = f & 1;
    const places = mode === 4 ? [3 * f, 3 * f + 1, 3 * f + 2]
      : mode === 6 ? [f + 1, f + 2, 0] : [f, f + 1 + odd, f + 2 - odd];
    places.forEach((place, c) => {
      const vertex = list ? list[place] : place;
      if (vertex >= count) fail(`${where}: index ${place} names vertex ${vertex} of ${count}`);
      out[3 * f + c] = vertex;
    });
  }
  return out;
}

function readInfluences(build: Build, attributes: Json, slot: number, count: number, where: string) {
  let sets = 1;
  while (attributes[`JOINTS_${sets}`] !== undefined) sets++;
  const bones = new Uint32Array(count * 4 * sets);
  const weights = new Float32Array(count * 4 * sets);
  const slots = build.skinBones[slot];
  for (let set = 0; set < sets; set++) {
    const joints = uints(build.gltf, attribute(build, attributes, `JOINTS_${set}`, 4, count, where)!);
    const a = attribute(build, attributes, `WEIGHTS_${set}`, 4, count, where);
    if (!a) return fail(`${where} has JOINTS_${set} but no WEIGHTS_${set}; export it again`);
    const values = floats(build.gltf, a);
    for (let k = 0; k < 4 * count; k++) {
      const to = (k >> 2) * 4 * sets + 4 * set + (k & 3);
      const joint = values[k] > 0 || joints[k] < slots.length ? joints[k] : 0;
      if (joint >= slots.length) fail(`${where}: vertex ${k >> 2} uses joint ${joint}, ` +
        `but its skin has ${slots.length}`);
      bones[to] = slots[joint];
      weights[to] = values[k];
    }
  }
  return { influenceCount: 4 * sets, bones, weights };
}

const mapName = (key: string): string | null =>
  key.startsWith('_SUPPLE_') && key.length > 8 && key.length < 72 ? key.slice(8).toLowerCase() : null;

function movePart(map: Affine, part: RawPart): void {
  const points = (list: Float32Array | null, translate: boolean): void => {
    for (let v = 0; list && v < list.length; v += 3) {
      const [x, y, z] = [list[v], list[v + 1], list[v + 2]];
      for (let r = 0; r < 3; r++) {
        list[v + r] = map[r] * x + map[3 + r] * y + map[6 + r] * z + (translate ? map[9 + r] : 0);
      }
    }
  };
  const back = inverse(map);
  const units = (list: Float32Array | null, width: number, m: (r: number, c: number) => number) => {
    for (let v = 0; list && v < list.length; v += width) {
      const from = [list[v], list[v + 1], list[v + 2]];
      const to = [0, 1, 2].map((r) => m(r, 0) * from[0] + m(r, 1) * from[1] + m(r, 2) * from[2]);
      const length = Math.hypot(...to) || 1;
      for (let r = 0; r < 3; r++) list[v + r] = to[r] / length;
    }
  };
  part.mirrored = determinant(map) < 0;
  points(part.positions, true);
  for (const offsets of part.morphOffsets) points(offsets, false);
  units(part.normals, 3, (r, c) => back[3 * r + c]);
  units(part.tangents, 4, (r, c) => map[3 * c + r]);
  for (let v = 3; part.mirrored && part.tangents && v < part.tangents.length; v += 4) {
    part.tangents[v] = -part.tangents[v];
  }
}

function readPart(build: Build, node: number, p: number, primitive: Json): RawPart {
  const { gltf, scene } = build;
  const mesh = scene.nodes[node].mesh;
  const where = `mesh ${mesh}, primitive ${p}`;
  const attributes = primitive.attributes;
  if (primitive.extensions?.KHR_draco_mesh_compression &&
    gltf.json.accessors?.[attributes.POSITION]?.bufferView === undefined) {
    fail(`${where} is compressed with Draco; decode it first, for example with ` +
      '`npx @gltf-transform/cli copy in.glb out.glb`');
  }
  const positions = floats(gltf, attribute(build, attributes, 'POSITION', 3, 0, where)!);
  const count = positions.length / 3;
  const read = (name: string, width: number): Float32Array | null => {
    const a = attribute(build, attributes, name, width, count, where);
    return a && floats(gltf, a);
  };
  const slot = build.skins.indexOf(scene.nodes[node].skin);
  const first = build.morphs.findIndex((morph) => morph.node === node);
  const morphOffsets: (Float32Array | null)[] = build.morphs.map(() => null);
  (primitive.targets ?? []).forEach((target: Json, m: number) => {
    const a = attribute(build, target, 'POSITION', 3, count, where);
    if (first >= 0 && a) morphOffsets[first + m] = floats(gltf, a);
  });
  const mapValues: (Float32Array | null)[] = build.mapNames.map(() => null);
  for (const key of Object.keys(attributes)) {
    const name = mapName(key);
    if (name) mapValues[build.mapNames.indexOf(name)] = read(key, 1);
  }
  const part: RawPart = {
    name: gltf.json.nodes[node].name ?? gltf.json.meshes[mesh].name ?? '', node, mesh, primitive: p,
    material: primitive.material ?? 0xffffffff, mirrored: false, positions,
    normals: read('NORMAL', 3), tangents: read('TANGENT', 4), uvs: read('TEXCOORD_0', 2),
    ...readInfluences(build, attributes, slot, count, where),
    triangles: readTriangles(build, primitive, count, where), morphOffsets, mapValues,
  };
  if (build.toBody[slot] !== IDENTITY) movePart(build.toBody[slot], part);
  return part;
}

function readParts(build: Build): RawPart[] {
  const { gltf, scene } = build;
  const wanted: { node: number; p: number; primitive: Json }[] = [];
  for (const node of build.meshNodes) {
    const mesh = gltf.json.meshes?.[scene.nodes[node].mesh];
    if (!mesh) return fail(`node ${node} names a mesh that does not exist`);
    const targets = mesh.primitives?.[0]?.targets?.length ?? 0;
    for (let m = 0; m < targets; m++) {
      const weights = gltf.json.nodes[node].weights ?? mesh.weights ?? [];
      build.morphs.push({ name: mesh.extras?.targetNames?.[m] ?? '', weight: weights[m] ?? 0, node });
    }
    (mesh.primitives ?? []).forEach((primitive: Json, p: number) => {
      const attributes = primitive.attributes ?? {};
      if (![4, 5, 6].includes(primitive.mode ?? 4)) return;
      if (attributes.POSITION === undefined || attributes.JOINTS_0 === undefined) return;
      wanted.push({ node, p, primitive });
      for (const key of Object.keys(attributes)) {
        const name = mapName(key);
        if (name && !build.mapNames.includes(name)) build.mapNames.push(name);
      }
    });
  }
  return wanted.map(({ node, p, primitive }) => readPart(build, node, p, primitive));
}

// ---- Clips ---------------------------------------------------------------------------------------------

const CHANNELS: Record<string, [number, number]> =
  { translation: [0, 3], rotation: [1, 4], scale: [2, 3] };
const INTERPOLATIONS: Record<string, number> = { LINEAR: 0, STEP: 1, CUBICSPLINE: 2 };

/** Keys whose time does not rise are dropped. */
function risingKeys(times: Float32Array, values: Float32Array, stride: number) {
  const kept: number[] = [0];
  for (let i = 1; i < times.length; i++) if (times[i] > times[kept[kept.length - 1]]) kept.push(i);
  if (kept.length === times.length) return { times, values };
  const less = new Float32Array(kept.length * stride);
  kept.forEach((i, k) => less.set(values.subarray(i * stride, (i + 1) * stride), k * stride));
  return { times: Float32Array.from(kept, (i) => times[i]), values: less };
}

function readTrack(build: Build, sampler: Json, where: string, target: number, channel: number,
  width: number): RawTrack {
  const interpolation = INTERPOLATIONS[sampler?.interpolation ?? 'LINEAR'];
  if (interpolation === undefined) fail(`${where}: unknown interpolation`);
  if (sampler?.input === undefined || sampler.output === undefined) {
    fail(`${where}: a sampler has no input or output; export the file again`);
  }
  const input = accessor(build.gltf, sampler.input);
  const output = accessor(build.gltf, sampler.output);
  const stride = width * (interpolation === 2 ? 3 : 1);
  if (output.count * output.width !== input.count * stride) {
    fail(`${where}: ${input.count} times do not fit ${output.count} values; export the file again`);
  }
  return { target, channel, interpolation, width,
    ...risingKeys(floats(build.gltf, input), floats(build.gltf, output), stride) };
}

function readClips(build: Build): RawClip[] {
  const clips: RawClip[] = [];
  (build.gltf.json.animations ?? []).forEach((animation: Json, k: number) => {
    const name = animation.name || `animation ${k}`;
    const tracks: RawTrack[] = [];
    for (const channel of animation.channels ?? []) {
      const { node, path } = channel.target ?? {};
      const sampler = animation.samplers?.[channel.sampler];
      if (node === undefined) continue;
      if (path === 'weights') {
        const first = build.morphs.findIndex((morph) => morph.node === node);
        const count = build.morphs.filter((morph) => morph.node === node).length;
        if (first >= 0) tracks.push(readTrack(build, sampler, name, first, 3, count));
      } else if (CHANNELS[path] && build.nodeJoints.has(node)) {
        const [code, width] = CHANNELS[path];
        tracks.push(readTrack(build, sampler, name, build.nodeJoints.get(node)!, code, width));
      }
    }
    if (tracks.length) clips.push({ name, tracks });
  });
  return clips;
}

// ---- Characters ----------------------------------------------------------------------------------------

function readModels(gltf: Gltf, skin: number): { kind: string; block: Uint8Array }[] {
  const list: Json[] = gltf.json.skins[skin].extensions?.SUPPLE_model?.models ?? [];
  return list.map(({ kind, bufferView }) => ({ kind: String(kind),
    block: viewBytes(gltf, bufferView) }));
}

function buildCharacter(gltf: Gltf, scene: Scene, character: number): GltfCharacter | null {
  const build: Build = { gltf, scene, meshNodes: [], skins: [], nodeJoints: new Map(),
    jointNodes: [], bones: [], skinBones: [], toBody: [], morphs: [], mapNames: [] };
  scene.nodes.forEach((node, k) => {
    if (node.mesh < 0 || node.skin < 0 || scene.skins[node.skin]?.character !== character) return;
    build.meshNodes.push(k);
    if (!build.skins.includes(node.skin)) build.skins.push(node.skin);
  });
  findJoints(build);
  findBones(build);
  const parts = readParts(build);
  if (!parts.length) return null;
  const rest = new Float32Array(10 * build.jointNodes.length);
  build.jointNodes.forEach((node, j) => rest.set(scene.nodes[node].rest, 10 * j));
  return {
    name: scene.skins[build.skins[0]].name || parts[0].name || 'character',
    parents: Int32Array.from(build.jointNodes, (node) =>
      build.nodeJoints.get(scene.nodes[node].parent) ?? -1),
    rest,
    jointNames: build.jointNodes.map((node) => scene.nodes[node].name),
    boneJoints: Uint32Array.from(build.bones, (bone) => bone.joint),
    inverseBind: Float32Array.from(build.bones.flatMap((bone) => bone.inverse)),
    parts,
    clips: readClips(build),
    morphs: build.morphs,
    mapNames: build.mapNames,
    jointNodes: build.jointNodes,
    models: readModels(gltf, build.skins[0]),
  };
}

/** All characters of the file, in the order of their first mesh node. */
export function readCharacters(gltf: Gltf, supple: Supple): GltfCharacter[] {
  const scene = readScene(gltf, supple);
  const seen = new Set<number>();
  const found: GltfCharacter[] = [];
  for (const node of scene.nodes) {
    const character = node.mesh >= 0 && node.skin >= 0 ? scene.skins[node.skin]?.character : -1;
    if (character === undefined || character < 0 || seen.has(character)) continue;
    seen.add(character);
    const made = buildCharacter(gltf, scene, character);
    if (made) found.push(made);
  }
  if (!found.length) {
    fail('the file has no skinned mesh; bind a mesh to a skeleton first (in Blender: select mesh ' +
      'and armature, Ctrl+P, With Automatic Weights)');
  }
  return found;
}
