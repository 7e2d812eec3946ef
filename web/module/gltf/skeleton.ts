// SPDX-License-Identifier: MIT
/** Joints and bones of one character, also where several skins share it. */
import { Affine, IDENTITY, inverse, invertible, linearSize, mul, nearlyEqual } from './affine.js';
import type { Gltf } from './container.js';
import type { Scene, Skin } from './scene.js';

/** What is known while one character is built. */
export interface Build {
  gltf: Gltf;
  scene: Scene;
  meshNodes: number[];
  skins: number[];
  nodeJoints: Map<number, number>;
  jointNodes: number[];
  bones: { joint: number; inverse: Affine }[];
  /** bones of each joint, in their order */
  jointBones: Map<number, number[]>;
  skinBones: number[][];
  toBody: Affine[];
  morphs: { name: string; weight: number; node: number }[];
  mapNames: string[];
}

export function findJoints(build: Build): void {
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
    (j) => build.bones[build.jointBones.get(build.nodeJoints.get(skin.joints[j])!)?.[0] ?? -1]?.inverse,
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

export function findBones(build: Build): void {
  const extent = skinExtent(build.scene.skins[build.skins[0]]);
  build.skins.forEach((s, slot) => {
    const skin = build.scene.skins[s];
    const b = slot ? relateSkin(build, skin, extent) : IDENTITY;
    const back = b === IDENTITY ? null : inverse(b);
    build.toBody.push(b);
    build.skinBones.push(skin.joints.map((node, j) => {
      const bind = back ? mul(skin.inverseBind[j], back) : skin.inverseBind[j];
      const joint = build.nodeJoints.get(node)!;
      const own = build.jointBones.get(joint) ?? [];
      const known = own.find((bone) => nearlyEqual(build.bones[bone].inverse, bind, extent));
      if (known !== undefined) return known;
      build.jointBones.set(joint, [...own, build.bones.length]);
      return build.bones.push({ joint, inverse: bind }) - 1;
    }));
  });
}
