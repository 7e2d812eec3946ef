// SPDX-License-Identifier: MIT
/** Nodes and skins. */
import type { Supple } from '../supple.js';
import { accessor, floats } from './accessors.js';
import { Affine, compose, IDENTITY, mul } from './affine.js';
import { fail, Gltf, Json } from './container.js';

interface Node {
  parent: number;
  mesh: number;
  skin: number;
  name: string;
  rest: Float32Array;
  toScene: Affine;
}

export interface Skin {
  joints: number[];
  inverseBind: Affine[];
  skeleton: number;
  name: string;
  character: number;
}

export interface Scene {
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
  const root = (s: number): number => {
    while (skins[s].character !== s) s = skins[s].character = skins[skins[s].character].character;
    return s;
  };
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

export function readScene(gltf: Gltf, supple: Supple): Scene {
  const scene: Scene = { ...readNodes(gltf, supple),
    skins: (gltf.json.skins ?? []).map((json: Json, s: number) => readSkin(gltf, json, s)) };
  groupSkins(scene);
  return scene;
}
