// SPDX-License-Identifier: MIT
/** One version of a character on the stage: skinning, alive, or samples. */
import * as THREE from 'three';
import { note } from './bits.js';
import { ChunkLines } from './chunk_lines.js';
import { drawable } from './extent.js';
import { Instance, distances } from './instance.js';
import { colours, Scale, scaleOf } from './heat.js';
import { readMaterial } from './look.js';

export type Version = 'alive' | 'skinning' | 'truth';

export interface Shown {
  wireframe: boolean;
  normals: boolean;
  skeleton: boolean;
  controls: boolean;
  chunks: boolean;
  /** what is left of it while chunks are shown */
  skin: 'solid' | 'glass' | 'hidden';
}

/** skin in front of what is inside it */
const GLASS = new THREE.MeshStandardMaterial({ color: 0xb9c2d0, roughness: 0.6, transparent: true, opacity: 0.26, depthWrite: false });
const HIDDEN = new THREE.MeshBasicMaterial({ visible: false });

const GHOST: Record<Version, number> = { alive: 0xff7a59, skinning: 0x5aa9ff, truth: 0x7ed67a };

export class Figure {
  readonly group = new THREE.Group();
  readonly mesh: THREE.Mesh;
  readonly values: Float32Array;
  visible = true;
  private geometry = new THREE.BufferGeometry();
  private looks: THREE.Material[];
  private heat = new THREE.MeshStandardMaterial({ vertexColors: true, roughness: 0.75 });
  private ghost: THREE.MeshStandardMaterial;
  private wire: THREE.Mesh | null = null;
  private bristles: THREE.LineSegments | null = null;
  private bones: THREE.LineSegments | null = null;
  private knots: THREE.Points | null = null;
  private mould: THREE.LineSegments | null = null;
  private inside: ChunkLines | null = null;
  private skin: Shown['skin'] = 'solid';

  constructor(readonly instance: Instance, readonly version: Version, changed: () => void) {
    const { character, raw } = instance;
    const count = character.renderVertexCount;
    const dynamic = (width: number): THREE.BufferAttribute => {
      const attribute = new THREE.BufferAttribute(new Float32Array(width * count), width);
      attribute.setUsage(THREE.DynamicDrawUsage);
      return attribute;
    };
    this.geometry.setAttribute('position', dynamic(3));
    this.geometry.setAttribute('normal', dynamic(3));
    this.geometry.setAttribute('color', dynamic(3));
    const uvs = new Float32Array(2 * count);
    let vertex = 0;
    let corner = 0;
    this.looks = raw.parts.map((part, k) => {
      if (part.uvs) uvs.set(part.uvs, 2 * vertex);
      this.geometry.addGroup(corner, part.triangles.length, k);
      vertex += part.positions.length / 3;
      corner += part.triangles.length;
      return readMaterial(instance.gltf, part.material, changed);
    });
    this.geometry.setAttribute('uv', new THREE.BufferAttribute(uvs, 2));
    this.geometry.setIndex(new THREE.BufferAttribute(character.renderTriangles.slice(), 1));
    this.values = new Float32Array(count);
    this.ghost = new THREE.MeshStandardMaterial({ color: GHOST[version], roughness: 0.8,
      transparent: true, opacity: 0.34, depthWrite: false });
    this.mesh = new THREE.Mesh(this.geometry, this.looks);
    this.mesh.castShadow = true;
    this.mesh.receiveShadow = true;
    this.mesh.frustumCulled = false;
    this.group.add(this.mesh);
  }

  /** Whether there is something to show at this moment. */
  get present(): boolean {
    if (this.version === 'truth') return !!this.instance.truth();
    return this.version === 'skinning' || this.instance.lives;
  }

  /** Positions of the moment, on the render vertices. */
  get positions(): Float32Array {
    if (this.version === 'truth') return this.instance.truth()!.positions;
    return this.version === 'alive' ? this.instance.alive.positions : this.instance.plain.positions;
  }

  /** Takes over the moment. What no picture can hold is not drawn: it would take a minute. */
  update(shown: Shown): void {
    const { instance, geometry } = this;
    if (this.version === 'truth') instance.truth()!.show(instance.time);
    const fits = drawable(this.positions);
    if (!fits && this.mesh.visible) note(`${instance.name}: the clip takes vertices farther away than can be drawn`, true);
    this.mesh.visible = fits;
    if (!fits) return;
    const normals = this.version === 'truth' ? instance.truth()!.normals
      : this.version === 'alive' ? instance.alive.normals : instance.plain.normals;
    (geometry.attributes.position.array as Float32Array).set(this.positions);
    (geometry.attributes.normal.array as Float32Array).set(normals);
    geometry.attributes.position.needsUpdate = true;
    geometry.attributes.normal.needsUpdate = true;
    // Rounds of a walk move the root on (samples have none), and so does the clip: the camera goes
    // along, which is to say that the figure stays where it is looked at.
    const root = this.version === 'truth' ? [0, 0, 0] : instance.plain.root;
    const way = instance.path.at(instance.time);
    this.mesh.position.set(-root[0] - way.x, -root[1], -root[2] - way.y);
    this.updateExtras(shown);
  }

  /** Colours by numbers on the render vertices, or the file's own look. */
  paint(values: Float32Array | null, scale: Scale | null, asGhost: boolean): void {
    if (asGhost) {
      this.mesh.material = this.ghost;
    } else if (this.skin !== 'solid') {
      this.mesh.material = this.skin === 'glass' ? GLASS : HIDDEN;
    } else if (values && scale) {
      const attribute = this.geometry.attributes.color;
      colours(values, scale, attribute.array as Float32Array);
      attribute.needsUpdate = true;
      this.mesh.material = this.heat;
    } else {
      this.mesh.material = this.looks;
    }
    this.mesh.castShadow = !asGhost && this.skin === 'solid';
  }

  /** Distance from plain skinning. */
  displacement(): { mean: number; most: number } {
    return distances(this.positions, this.instance.plain.positions, this.values);
  }
  /** Distance from the samples. */
  error(): { mean: number; most: number } {
    return distances(this.positions, this.instance.truth()!.positions, this.values);
  }

  private updateExtras(shown: Shown): void {
    if (shown.wireframe && !this.wire) {
      this.wire = new THREE.Mesh(this.geometry, new THREE.MeshBasicMaterial({ wireframe: true,
        color: 0x000000, transparent: true, opacity: 0.28 }));
      this.wire.frustumCulled = false;
      this.mesh.add(this.wire);
    }
    if (this.wire) this.wire.visible = shown.wireframe;
    this.updateBristles(shown.normals);
    this.updateSkeleton(shown.skeleton && this.version !== 'truth');
    this.updateMould(shown.controls && this.version === 'alive');
    this.updateChunks(shown);
  }

  private updateBristles(on: boolean): void {
    const { position, normal } = this.geometry.attributes;
    if (on && !this.bristles) {
      const lines = new THREE.BufferGeometry();
      lines.setAttribute('position', new THREE.BufferAttribute(new Float32Array(6 * position.count), 3));
      this.bristles = new THREE.LineSegments(lines, new THREE.LineBasicMaterial({ color: 0xff7a59 }));
      this.bristles.frustumCulled = false;
      this.mesh.add(this.bristles);
    }
    if (!this.bristles) return;
    this.bristles.visible = on;
    if (!on) return;
    const to = this.bristles.geometry.attributes.position;
    const length = 0.012 * this.instance.plain.size;
    for (let v = 0; v < position.count; v++) {
      for (let k = 0; k < 3; k++) {
        const at = position.array[3 * v + k];
        to.array[6 * v + k] = at;
        to.array[6 * v + 3 + k] = at + length * normal.array[3 * v + k];
      }
    }
    to.needsUpdate = true;
  }

  /** The control mesh of an envelope. */
  private updateMould(wanted: boolean): void {
    const { envelope } = this.instance.alive;
    const on = wanted && !!envelope;
    if (this.mould) this.mould.visible = on;
    if (!on) return;
    if (!this.mould) {
      const lines = new THREE.BufferGeometry();
      lines.setAttribute('position', new THREE.BufferAttribute(new Float32Array(3 * envelope.edges.length), 3));
      this.mould = new THREE.LineSegments(lines, new THREE.LineBasicMaterial({ color: 0x8fd0ff, depthTest: false, transparent: true, opacity: 0.85 }));
      this.mould.frustumCulled = false;
      this.mould.renderOrder = 2;
      this.mesh.add(this.mould);
    }
    const to = this.mould.geometry.attributes.position;
    const { controls, edges } = envelope;
    edges.forEach((control, k) => { for (let c = 0; c < 3; c++) to.array[3 * k + c] = controls[3 * control + c]; });
    to.needsUpdate = true;
  }

  /** Of another model than before, other lines. */
  private updateChunks(shown: Shown): void {
    const chunks = shown.chunks && this.version === 'alive' ? this.instance.alive.chunks : null;
    this.skin = chunks ? shown.skin : 'solid';
    if (this.inside && this.inside.chunks !== chunks) {
      this.inside.dispose();
      this.inside = null;
    }
    if (!chunks) return;
    if (!this.inside) {
      this.inside = new ChunkLines(chunks);
      this.mesh.add(this.inside.mesh);
    }
    this.inside.update();
  }

  private updateSkeleton(on: boolean): void {
    const { parents, jointCount } = this.instance.character;
    if (on && !this.bones) {
      const place = (count: number): THREE.BufferGeometry => new THREE.BufferGeometry().setAttribute(
        'position', new THREE.BufferAttribute(new Float32Array(3 * count), 3));
      const look = { color: 0xffd24a, depthTest: false, transparent: true };
      this.bones = new THREE.LineSegments(place(2 * jointCount), new THREE.LineBasicMaterial(look));
      this.knots = new THREE.Points(place(jointCount), new THREE.PointsMaterial({ ...look, size: 7,
        sizeAttenuation: false }));
      for (const part of [this.bones, this.knots]) {
        part.frustumCulled = false;
        part.renderOrder = 2;
        this.mesh.add(part);
      }
    }
    if (!this.bones || !this.knots) return;
    this.bones.visible = this.knots.visible = on;
    if (!on) return;
    const joints = this.instance.plain.joints;
    const lines = this.bones.geometry.attributes.position;
    const points = this.knots.geometry.attributes.position;
    for (let j = 0; j < jointCount; j++) {
      // The root of a file is often far from the body: no line leads to it.
      const from = parents[j] > 0 || (parents[j] === 0 && parents[0] >= 0) ? parents[j] : j;
      for (let k = 0; k < 3; k++) {
        points.array[3 * j + k] = lines.array[6 * j + k] = joints[12 * j + 9 + k];
        lines.array[6 * j + 3 + k] = joints[12 * from + 9 + k];
      }
    }
    lines.needsUpdate = points.needsUpdate = true;
  }

  dispose(): void {
    this.group.removeFromParent();
    this.geometry.dispose();
    this.wire?.removeFromParent();
    this.inside?.dispose();
    for (const material of [...this.looks, this.heat, this.ghost]) material.dispose();
  }
}

/** Body numbers on the render vertices. */
export function onRender(figure: Figure, body: Float32Array): Float32Array {
  const { toBody } = figure.instance.character;
  for (let v = 0; v < toBody.length; v++) figure.values[v] = body[toBody[v]];
  return figure.values;
}

export { scaleOf };
