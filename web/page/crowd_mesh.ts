// SPDX-License-Identifier: MIT
/** All of a crowd that are drawn, as one mesh: in the character's own materials, or coloured by their level of detail. */
import * as THREE from 'three';
import type { Instance } from './instance.js';
import { readMaterial } from './look.js';
import { smoothNormals } from './normals.js';

/** of the nearest, which get smooth normals; those behind are too small to show facets */
const SMOOTH = 90000;
const COLOURS = [0x6f7480, 0x5aa9ff, 0xff7a59]; // still, by the pose, swinging

export class CrowdMesh {
  readonly mesh: THREE.Mesh;
  private positions: THREE.BufferAttribute;
  private normals: THREE.BufferAttribute;
  private sums: Float32Array;
  /** triangles of each part, one character after the other: where they begin, and how many corners one has */
  private parts: { first: number; corners: number }[] = [];

  constructor(private instance: Instance, most: number, changed: () => void) {
    const { character, raw } = instance;
    const { renderVertexCount: count, renderTriangles } = character;
    const dynamic = (): THREE.BufferAttribute => {
      const attribute = new THREE.BufferAttribute(new Float32Array(3 * count * most), 3);
      attribute.setUsage(THREE.DynamicDrawUsage);
      return attribute;
    };
    this.positions = dynamic();
    this.normals = dynamic();
    this.sums = new Float32Array(3 * character.bodyVertexCount);
    const uvs = new Float32Array(2 * count * most);
    const index = new Uint32Array(renderTriangles.length * most);
    let vertex = 0;
    let corner = 0;
    let at = 0;
    for (const { positions, triangles, uvs: own } of raw.parts) {
      this.parts.push({ first: at, corners: triangles.length });
      for (let n = 0; n < most; n++) {
        if (own) uvs.set(own, 2 * (count * n + vertex));
        for (let k = 0; k < triangles.length; k++) index[at++] = count * n + renderTriangles[corner + k];
      }
      vertex += positions.length / 3;
      corner += triangles.length;
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', this.positions);
    geometry.setAttribute('normal', this.normals);
    geometry.setAttribute('uv', new THREE.BufferAttribute(uvs, 2));
    geometry.setIndex(new THREE.BufferAttribute(index, 1));
    this.mesh = new THREE.Mesh(geometry, this.looks(changed));
    this.mesh.frustumCulled = false;
  }

  /** Of each part from near and from afar, then one for each level. */
  private looks(changed: () => void): THREE.Material[] {
    const { raw, gltf } = this.instance;
    const far: THREE.MeshStandardMaterial[] = [];
    const near = raw.parts.map((part, k): THREE.MeshStandardMaterial => {
      const look = readMaterial(gltf, part.material, () => {
        // Its pictures have come: they serve both.
        Object.assign(far[k], { map: look.map, normalMap: look.normalMap, needsUpdate: true });
        changed();
      });
      far[k] = look.clone();
      far[k].flatShading = true;
      return look;
    });
    return [...near, ...far,
      ...COLOURS.map((color) => new THREE.MeshStandardMaterial({ color, roughness: 0.8, flatShading: true }))];
  }

  /** Body positions of levels.length characters, the nearest first; by level: those of a level one after the other. */
  show(body: Float32Array, levels: number[], byLevel: boolean): void {
    const { character } = this.instance;
    const { toBody, renderVertexCount: count, bodyVertexCount } = character;
    const to = this.positions.array as Float32Array;
    for (let n = 0, at = 0; n < levels.length; n++) {
      const from = 3 * bodyVertexCount * n;
      for (let v = 0; v < count; v++, at += 3) {
        const k = from + 3 * toBody[v];
        to[at] = body[k];
        to[at + 1] = body[k + 1];
        to[at + 2] = body[k + 2];
      }
    }
    const near = byLevel ? 0 : Math.min(levels.length, Math.ceil(SMOOTH / character.renderTriangleCount));
    for (let n = 0; n < near; n++) {
      smoothNormals(character, body.subarray(3 * bodyVertexCount * n, 3 * bodyVertexCount * (n + 1)), this.sums,
        this.normals.array as Float32Array, 3 * count * n);
    }
    for (const [attribute, used] of [[this.positions, levels.length], [this.normals, near]] as const) {
      attribute.clearUpdateRanges();
      attribute.addUpdateRange(0, 3 * count * used);
      attribute.needsUpdate = used > 0;
    }
    this.group(levels, byLevel, near);
  }

  private group(levels: number[], byLevel: boolean, near: number): void {
    const { geometry } = this.mesh;
    const kinds = this.parts.length;
    geometry.clearGroups();
    this.parts.forEach(({ first, corners }, p) => {
      const put = (from: number, to: number, look: number): void => {
        if (to > from) geometry.addGroup(first + corners * from, corners * (to - from), look);
      };
      if (byLevel) {
        for (const level of COLOURS.keys()) {
          const from = levels.indexOf(level);
          if (from >= 0) put(from, levels.lastIndexOf(level) + 1, 2 * kinds + level);
        }
      } else {
        put(0, near, p);
        put(near, levels.length, kinds + p);
      }
    });
  }

  dispose(): void {
    this.mesh.removeFromParent();
    this.mesh.geometry.dispose();
    for (const look of this.mesh.material as THREE.Material[]) look.dispose();
  }
}
