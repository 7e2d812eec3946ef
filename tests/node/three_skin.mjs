// SPDX-License-Identifier: MIT
// Skinned positions against three.js: every character and clip of $SUPPLE_TEST_DATA.
//
//   node three_skin.mjs SKIN_DUMP [file...]
//
// SKIN_DUMP (tests/anim/skin_dump.c) gives our positions of all render vertices, in float and in
// double. three.js loads the same file, plays the same clips with its AnimationMixer, and skins
// every vertex on the CPU, in double. Allowed: 1e-5 of the bounding diagonal for float, 1e-6 for
// double.
//
// We give every rotation length 1, as glTF demands of files; three.js takes quaternions as they
// are, and one of length 1 + e scales by 1 + 2 e. Where a file's keys are further from length 1
// than 1e-6, they are normalised for three.js too, and the line says so.
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

// What three.js's loaders expect of a browser.
globalThis.self = globalThis;
globalThis.ProgressEvent ??= class ProgressEvent extends Event {};
const THREE = await import('three');
const { GLTFLoader } = await import('three/examples/jsm/loaders/GLTFLoader.js');

const LIMITS = { float: 1e-5, double: 1e-6 };
const data = process.env.SUPPLE_TEST_DATA;
if (!data) {
  console.log('skipped: SUPPLE_TEST_DATA is not set');
  process.exit(77);
}

const isModel = (name) => /\.(glb|gltf)$/.test(name);
const filesIn = (folder) => readdirSync(folder).filter(isModel).sort().map((n) => join(folder, n));

// Materials and images need a browser and do not move vertices.
function withoutLooks(json) {
  for (const key of ['images', 'textures', 'samplers', 'materials']) delete json[key];
  for (const mesh of json.meshes ?? []) for (const p of mesh.primitives) delete p.material;
  delete json.extensionsRequired;
  delete json.extensionsUsed;
  return json;
}

// A .glb with other JSON: header, JSON chunk padded with spaces, the old binary chunk.
function replaceJson(glb, change) {
  const length = glb.readUInt32LE(12);
  const json = change(JSON.parse(glb.subarray(20, 20 + length).toString('utf8')));
  let text = JSON.stringify(json);
  text += ' '.repeat((4 - (Buffer.byteLength(text) % 4)) % 4);
  const chunk = Buffer.from(text, 'utf8');
  const rest = glb.subarray(20 + length);
  const head = Buffer.from(glb.subarray(0, 20));
  head.writeUInt32LE(20 + chunk.length + rest.length, 8);
  head.writeUInt32LE(chunk.length, 12);
  return Buffer.concat([head, chunk, rest]);
}

function load(file) {
  const bytes = readFileSync(file);
  const text = file.endsWith('.gltf')
    ? JSON.stringify(withoutLooks(JSON.parse(bytes.toString('utf8'))))
    : new Uint8Array(replaceJson(bytes, withoutLooks)).buffer;
  return new Promise((resolve, reject) => new GLTFLoader().parse(text, '', resolve, reject));
}

// Skinned meshes by "node/primitive" of the file.
function skinnedMeshes(gltf) {
  const found = new Map();
  for (const scene of gltf.scenes) {
    scene.traverse((object) => {
      if (!object.isSkinnedMesh) return;
      const own = gltf.parser.associations.get(object);
      const node = own.nodes ?? gltf.parser.associations.get(object.parent).nodes;
      found.set(`${node}/${own.primitives ?? 0}`, object);
    });
  }
  return found;
}

// All vertices of a character where three.js puts them in the scene.
function threePositions(character, meshes) {
  const out = new Float64Array(3 * character.vertices);
  const p = new THREE.Vector3();
  for (const part of character.parts) {
    const mesh = meshes.get(`${part.node}/${part.primitive}`);
    if (!mesh) throw new Error(`three.js has no mesh for node ${part.node}/${part.primitive}`);
    for (let v = 0; v < part.count; v++) {
      mesh.getVertexPosition(v, p).applyMatrix4(mesh.matrixWorld);
      p.toArray(out, 3 * (part.first + v));
    }
  }
  return out;
}

function diagonal(positions) {
  const box = new THREE.Box3().setFromArray(positions);
  return box.min.distanceTo(box.max);
}

function worst(a, b) {
  let error = 0;
  for (let i = 0; i < a.length; i += 3) {
    const d = Math.hypot(a[i] - b[i], a[i + 1] - b[i + 1], a[i + 2] - b[i + 2]);
    if (!(d <= error)) error = d; // keeps NaN
  }
  return error;
}

// Ours, one after the other.
class Dump {
  constructor(program, file) {
    const run = spawnSync(program, [file], { maxBuffer: 2 ** 31 - 1 });
    if (run.status !== 0) throw new Error(`${program} ${file}: ${run.stderr}`);
    const end = run.stdout.indexOf('\n');
    this.characters = JSON.parse(run.stdout.subarray(0, end).toString('utf8'));
    this.bytes = run.stdout;
    this.at = end + 1;
  }

  next(Type, count) {
    const size = count * Type.BYTES_PER_ELEMENT;
    const copy = new Uint8Array(this.bytes.subarray(this.at, this.at + size)).buffer;
    this.at += size;
    return new Type(copy);
  }
}

// The largest | |q| - 1 | of all rotation keys; normalises them when it is above the limit.
function normaliseKeys(gltf, limit) {
  let off = 0;
  const tracks = gltf.animations
    .flatMap((clip) => clip.tracks)
    .filter((track) => track instanceof THREE.QuaternionKeyframeTrack)
    .filter((track) => track.values.length === 4 * track.times.length); // not CUBICSPLINE
  for (const { values } of tracks) {
    for (let i = 0; i < values.length; i += 4) {
      off = Math.max(off, Math.abs(Math.hypot(...values.subarray(i, i + 4)) - 1));
    }
  }
  if (off <= limit) return 0;
  for (const track of tracks) {
    track.values = Float64Array.from(track.values);
    const { values } = track;
    for (let i = 0; i < values.length; i += 4) {
      const length = Math.hypot(...values.subarray(i, i + 4));
      for (let k = 0; k < 4; k++) values[i + k] /= length;
    }
  }
  return off;
}

function showClip(mixer, gltf, animation, time) {
  const action = mixer.clipAction(gltf.animations[animation]);
  action.reset();
  action.setLoop(THREE.LoopOnce, 1);
  action.clampWhenFinished = true;
  action.play();
  mixer.setTime(time);
  gltf.scene.updateMatrixWorld(true);
  return action;
}

async function compare(program, file) {
  const gltf = await load(file);
  const keysOff = normaliseKeys(gltf, 1e-6);
  const dump = new Dump(program, file);
  const meshes = skinnedMeshes(gltf);
  const mixer = new THREE.AnimationMixer(gltf.scene);
  const result = { float: 0, double: 0, samples: 0, where: { float: '', double: '' } };
  for (const character of dump.characters) {
    for (const clip of character.clips) {
      for (const time of clip.times) {
        const action = showClip(mixer, gltf, clip.animation, time);
        const expected = threePositions(character, meshes);
        action.stop();
        const size = diagonal(expected);
        for (const [kind, Type] of [['float', Float32Array], ['double', Float64Array]]) {
          const error = worst(dump.next(Type, expected.length), expected) / size;
          if (!(error <= result[kind])) {
            result[kind] = error;
            result.where[kind] = `${gltf.animations[clip.animation].name} at ${time} s`;
          }
        }
        result.samples++;
      }
    }
  }
  return { ...result, keysOff, characters: dump.characters };
}

const [program, ...given] = process.argv.slice(2);
const files = given.length ? given : [...filesIn(data), ...filesIn(join(data, 'fixtures'))];
let failed = 0;
for (const file of files) {
  const r = await compare(program, file);
  const bad = ['float', 'double'].filter((kind) => !(r[kind] <= LIMITS[kind]));
  failed += bad.length;
  const odd = r.characters.reduce((n, c) => n + c.averaged + c.normalised, 0);
  const notes = [
    odd && `${odd} vertices with odd weights`,
    r.keysOff && `keys of length 1 +- ${r.keysOff.toExponential(1)}`,
  ].filter(Boolean);
  console.log(
    `${basename(file).padEnd(26)} ${String(r.samples).padStart(4)} poses  float ${r.float.toExponential(1)}` +
      `  double ${r.double.toExponential(1)}${notes.length ? `  (${notes.join(', ')})` : ''}`,
  );
  for (const kind of bad) console.log(`  too far in ${kind}: ${r.where[kind]}`);
}
if (files.length === 0) failed = 1;
console.log(failed ? `${failed} comparisons failed` : 'all agree');
process.exit(failed ? 1 : 0);
