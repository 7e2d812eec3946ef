// SPDX-License-Identifier: MIT
/**
 * Characters out of a .glb (or a .gltf with everything inside), as raw arrays: the same reading as
 * libsupple_io's, so that the welded body has the same vertices in the same order, and models in
 * the file fit.
 */
import { Before, readBefore } from './gltf/before.js';
import { readClips } from './gltf/clips.js';
import { fail, Gltf, Json, viewBytes } from './gltf/container.js';
import { readParts } from './gltf/parts.js';
import { readScene, Scene } from './gltf/scene.js';
import { Build, findBones, findJoints } from './gltf/skeleton.js';
import type { RawCharacter } from './raw.js';
import type { Supple } from './supple.js';

export { decompress, openGltf, viewBytes } from './gltf/container.js';
export type { Before } from './gltf/before.js';
export type { Gltf, MeshoptDecoder } from './gltf/container.js';

/** A character and where it lies in the file. */
export interface GltfCharacter extends RawCharacter {
  /** node of each joint */
  jointNodes: number[];
  /** models of the file, in the order of the stack */
  models: { kind: string; block: Uint8Array }[];
  /** what it was before its motion was baked; null without such motion, or where models live on it */
  before: Before | null;
}

function readModels(gltf: Gltf, skin: number): { kind: string; block: Uint8Array }[] {
  const list: Json[] = gltf.json.skins[skin].extensions?.SUPPLE_model?.models ?? [];
  return list.map(({ kind, bufferView }) => ({ kind: String(kind),
    block: viewBytes(gltf, bufferView) }));
}

function buildCharacter(gltf: Gltf, scene: Scene, character: number): GltfCharacter | null {
  const build: Build = { gltf, scene, meshNodes: [], skins: [], nodeJoints: new Map(),
    jointNodes: [], bones: [], jointBones: new Map(), skinBones: [], toBody: [], morphs: [], mapNames: [] };
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
  const made: GltfCharacter = {
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
    before: null,
  };
  if (!made.models.length) made.before = readBefore(build, made);
  return made;
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
