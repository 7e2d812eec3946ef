// SPDX-License-Identifier: MIT
/** Primitives: their vertices, triangles, influences, morph targets and painted maps. */
import type { RawPart } from '../raw.js';
import { accessor, Accessor, floats, uints } from './accessors.js';
import { Affine, determinant, IDENTITY, inverse } from './affine.js';
import { fail, Json } from './container.js';
import type { Build } from './skeleton.js';

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

/** The weights of a part before its motion was baked; null where the file does not tell. */
export function originalInfluences(build: Build, part: RawPart): Pick<RawPart, 'influenceCount' | 'bones' | 'weights'> | null {
  const kept = build.gltf.json.meshes[part.mesh].primitives[part.primitive].extensions?.SUPPLE_original_skin;
  const slot = build.skins.indexOf(build.scene.nodes[part.node].skin);
  try {
    return kept?.JOINTS_0 === undefined ? null
      : readInfluences(build, kept, slot, part.positions.length / 3, part.name);
  } catch {
    return null; // another program has renumbered the file
  }
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

export function readParts(build: Build): RawPart[] {
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
