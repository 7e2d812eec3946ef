// SPDX-License-Identifier: MIT
/** Chunks drawn as lines: their slices on the skin, columns down to the shell, and the shell. */
import * as THREE from 'three';
import type { Chunks } from '../module/supple.js';

/** around bones, above the shell, the shell itself, and what is muted */
const LIMB = new THREE.Color(0xe8962e);
const ABOVE = new THREE.Color(0x36a9e0);
const SHELL = new THREE.Color(0xb07be8);
const MUTED = new THREE.Color(0x7a7f8a);

export class ChunkLines {
  readonly mesh: THREE.LineSegments;
  private geometry = new THREE.BufferGeometry();
  private ends: Uint32Array;
  private places: Float32Array;

  constructor(readonly chunks: Chunks) {
    this.ends = Uint32Array.from([...chunks.chunks.flatMap(({ lines }) => lines), ...chunks.shell]);
    this.places = new Float32Array(3 * chunks.placeCount);
    for (const name of ['position', 'color']) {
      const attribute = new THREE.BufferAttribute(new Float32Array(3 * this.ends.length), 3);
      attribute.setUsage(THREE.DynamicDrawUsage);
      this.geometry.setAttribute(name, attribute);
    }
    this.mesh = new THREE.LineSegments(this.geometry, new THREE.LineBasicMaterial({ vertexColors: true, transparent: true, opacity: 0.9, depthTest: false }));
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 2;
  }

  /** To the moment. Lines shine through whatever is in front of them. */
  update(): void {
    const { chunks, ends, places, geometry } = this;
    const { position, color } = geometry.attributes;
    chunks.places(places);
    ends.forEach((place, k) => { for (let c = 0; c < 3; c++) position.array[3 * k + c] = places[3 * place + c]; });
    const { strengths } = chunks;
    const mixed = new THREE.Color();
    let end = 0;
    const paint = (count: number, look: THREE.Color): void => {
      for (let k = 0; k < count; k++, end++) look.toArray(color.array, 3 * end);
    };
    chunks.chunks.forEach(({ lines, limb }, k) => paint(lines.length, mixed.lerpColors(MUTED, limb ? LIMB : ABOVE, strengths[k])));
    paint(chunks.shell.length, SHELL);
    position.needsUpdate = color.needsUpdate = true;
  }

  dispose(): void {
    this.mesh.removeFromParent();
    this.geometry.dispose();
    (this.mesh.material as THREE.Material).dispose();
  }
}
