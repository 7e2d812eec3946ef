// SPDX-License-Identifier: MIT
/** What is drawn of a division on a figure: patches, boundaries, features, and the points that bend a curve. */
import * as THREE from 'three';
import { LineMaterial } from 'three/examples/jsm/lines/LineMaterial.js';
import { LineSegments2 } from 'three/examples/jsm/lines/LineSegments2.js';
import { LineSegmentsGeometry } from 'three/examples/jsm/lines/LineSegmentsGeometry.js';
import type { Body } from '../../module/supple.js';
import type { Places, Triple } from '../../module/patches.js';
import type { Figure } from '../figure.js';
import type { Division } from './division.js';
import { keyOf } from './patch_colours.js';

const INK = 0x20222a;
const LOOSE = 0xffffff;
const CHOSEN = 0xff3b1f;
/** Lines stand off the skin; they and points are drawn as if they were nearer to the eye. In sizes of the body. */
const OFF = 0.001;
const NEARER = { lines: 0.004, dots: 0.02 };

/** What of a division is chosen. */
export interface Chosen {
  features: number[];
  boundary: number;
  patch: number;
}

export class PatchView {
  private fill = new THREE.Mesh(new THREE.BufferGeometry(), new THREE.MeshStandardMaterial({ vertexColors: true, roughness: 0.8,
    transparent: true, opacity: 0.8, polygonOffset: true, polygonOffsetFactor: -1, polygonOffsetUnits: -1 }));
  private lines = new LineSegments2(new LineSegmentsGeometry(), new LineMaterial({ vertexColors: true, linewidth: 3 }));
  private dots = new THREE.Points(new THREE.BufferGeometry(), dotLook());
  private handles = new THREE.Points(new THREE.BufferGeometry(), new THREE.PointsMaterial({ color: CHOSEN, size: 11,
    sizeAttenuation: false, depthTest: false, transparent: true }));
  private pull = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: CHOSEN, depthTest: false, transparent: true }));
  private segments: Places[] = [];
  private corners = new Uint32Array();
  private chosen: Chosen = { features: [], boundary: -1, patch: -1 };
  private readonly body: Body;
  /** where a feature or a handle is while it is dragged, in the figure's space */
  dragged: { feature: number; handle: number; at: Triple } | null = null;

  constructor(private figure: Figure, private division: Division) {
    for (const [order, part] of [this.fill, this.lines, this.dots, this.handles, this.pull].entries()) {
      part.frustumCulled = false;
      part.renderOrder = order;
      figure.mesh.add(part);
    }
    this.fill.receiveShadow = true;
    const { size } = figure.instance.plain;
    nearer(this.lines.material, NEARER.lines * size);
    nearer(this.dots.material as THREE.Material, NEARER.dots * size);
    this.body = figure.instance.plain.character.body;
  }

  /** Other patches, other colours, or something else is chosen. */
  renew(colours: Map<string, string>, chosen: Chosen): void {
    this.colourFill(colours, chosen.patch);
    this.colourLines(chosen.boundary);
    const { plan } = this.division;
    const colour = new THREE.Color();
    const many = plan.features.length > 24;
    this.dots.material.size = plan.features.length > 80 ? 6 : many ? 8 : 13;
    this.lines.material.linewidth = many ? 2 : 3;
    this.dots.geometry.dispose();
    this.dots.geometry = new THREE.BufferGeometry();
    this.dots.geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(3 * plan.features.length), 3));
    this.dots.geometry.setAttribute('color', new THREE.BufferAttribute(Float32Array.from(plan.features.flatMap((_, k) =>
      colour.set(chosen.features.includes(k) ? CHOSEN : 0xffffff).toArray())), 3));
    const bent = plan.boundaries[chosen.boundary]?.kind === 'curve' ? plan.boundaries[chosen.boundary].points.length : 0;
    for (const [part, count] of [[this.handles, Math.max(bent - 2, 0)], [this.pull, bent]] as const) {
      part.visible = count > 0;
      part.geometry.dispose();
      part.geometry = new THREE.BufferGeometry();
      part.geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(3 * count), 3));
    }
    this.chosen = chosen;
    this.update();
  }
  private colourFill(colours: Map<string, string>, chosen: number): void {
    const { cut, regions } = this.division;
    this.fill.visible = !!cut;
    if (!cut) return;
    const corners: number[] = [];
    const tints: number[] = [];
    const looks = regions.map((region, k) => {
      const colour = new THREE.Color(colours.get(keyOf(region)) ?? '#888888');
      return (k === chosen ? colour.lerp(new THREE.Color(0xffffff), 0.45) : colour).toArray();
    });
    cut.regions.forEach((region, f) => {
      if (region < 0) return;
      for (let c = 0; c < 3; c++) {
        corners.push(cut.triangles[3 * f + c]);
        tints.push(...looks[region]);
      }
    });
    this.corners = Uint32Array.from(corners);
    const geometry = new THREE.BufferGeometry();
    for (const name of ['position', 'normal']) {
      geometry.setAttribute(name, new THREE.BufferAttribute(new Float32Array(3 * corners.length), 3).setUsage(THREE.DynamicDrawUsage));
    }
    geometry.setAttribute('color', new THREE.BufferAttribute(Float32Array.from(tints), 3));
    this.fill.geometry.dispose();
    this.fill.geometry = geometry;
  }

  private colourLines(chosen: number): void {
    const { trace, loose } = this.division;
    this.segments = trace.paths;
    const colour = new THREE.Color();
    const tints = trace.paths.flatMap((path, k) => {
      const one = colour.set(k === chosen ? CHOSEN : loose.has(k) ? LOOSE : INK).toArray();
      return Array.from({ length: 2 * (path.a.length - 1) }, () => one).flat();
    });
    this.lines.visible = tints.length > 0;
    this.lines.geometry.dispose();
    this.lines.geometry = new LineSegmentsGeometry();
    if (!tints.length) return;
    this.lines.geometry.setPositions(new Float32Array(tints.length));
    this.lines.geometry.setColors(tints);
  }

  /** Of a place on the skin as it stands at this moment, in the figure's space; so far off it. */
  private put(places: Places, k: number, off: number, out: Float32Array, at: number, normals?: Float32Array): void {
    const { firstRender } = this.figure.instance.character;
    const { positions } = this.figure;
    const skin = this.normals;
    const [i, j, t] = [3 * firstRender[places.a[k]], 3 * firstRender[places.b[k]], places.t[k]];
    for (let c = 0; c < 3; c++) {
      const normal = (1 - t) * skin[i + c] + t * skin[j + c];
      out[at + c] = (1 - t) * positions[i + c] + t * positions[j + c] + off * normal;
      if (normals) normals[at + c] = normal;
    }
  }
  private get normals(): Float32Array {
    return this.figure.instance.plain.normals;
  }

  /** Follows the skin. */
  update(): void {
    const off = OFF * this.figure.instance.plain.size;
    this.updateFill();
    if (this.lines.visible) {
      const start = this.lines.geometry.attributes.instanceStart as THREE.InterleavedBufferAttribute;
      const out = start.data.array as Float32Array;
      let at = 0;
      for (const path of this.segments) {
        for (let k = 1; k < path.a.length; k++, at += 6) {
          this.put(path, k - 1, off, out, at);
          this.put(path, k, off, out, at + 3);
        }
      }
      start.data.needsUpdate = true;
    }
    const { features } = this.division.trace;
    const dots = this.dots.geometry.attributes.position;
    for (let k = 0; k < dots.count; k++) this.put(features, k, 2 * off, dots.array as Float32Array, 3 * k);
    if (this.dragged && this.dragged.feature >= 0) (dots.array as Float32Array).set(this.dragged.at, 3 * this.dragged.feature);
    dots.needsUpdate = true;
    this.updateHandles();
  }

  private updateFill(): void {
    const { cut } = this.division;
    if (!cut) return;
    const { position, normal } = this.fill.geometry.attributes;
    const count = cut.points.a.length;
    const places = new Float32Array(3 * count);
    const normals = new Float32Array(3 * count);
    for (let v = 0; v < count; v++) this.put(cut.points, v, 0, places, 3 * v, normals);
    const { corners } = this;
    for (let k = 0; k < corners.length; k++) {
      for (let c = 0; c < 3; c++) {
        position.array[3 * k + c] = places[3 * corners[k] + c];
        normal.array[3 * k + c] = normals[3 * corners[k] + c];
      }
    }
    position.needsUpdate = normal.needsUpdate = true;
  }

  /** The inner ones: the ends are the features. */
  private updateHandles(): void {
    if (!this.pull.visible) return;
    const points = this.division.plan.boundaries[this.chosen.boundary]?.points ?? [];
    const list = points.map((point, k) => (this.dragged?.handle === k ? this.dragged.at : this.toScene(point)));
    for (const [part, places] of [[this.handles, list.slice(1, -1)], [this.pull, list]] as const) {
      const { position } = part.geometry.attributes;
      (position.array as Float32Array).set(places.flat());
      position.needsUpdate = true;
    }
  }

  /** Points that bend a curve stand in bind space; they go along with the skin below them. */
  toScene(point: Triple): Triple {
    return new THREE.Vector3(...point).applyMatrix4(this.skinned(this.below(point))).toArray();
  }
  /** Back to bind space, by the skin below `near`. */
  toBind(place: Triple, near: Triple): Triple {
    return new THREE.Vector3(...place).applyMatrix4(this.skinned(this.below(near)).invert()).toArray();
  }

  /** The body vertex nearest to a point of bind space. */
  private below(point: Triple): number {
    const bind = this.figure.instance.character.bodyPositions;
    let [best, least] = [0, Infinity];
    for (let v = 0; v < bind.length / 3; v++) {
      const d = (bind[3 * v] - point[0]) ** 2 + (bind[3 * v + 1] - point[1]) ** 2 + (bind[3 * v + 2] - point[2]) ** 2;
      if (d < least) [best, least] = [v, d];
    }
    return best;
  }

  /** What skinning does at a body vertex at this moment. */
  private skinned(vertex: number): THREE.Matrix4 {
    const { plain } = this.figure.instance;
    const { body } = this;
    const { inverseBind, boneJoints } = plain.character.raw;
    const sum = new THREE.Matrix4().multiplyScalar(0);
    for (let k = body.offsets[vertex]; k < body.offsets[vertex + 1]; k++) {
      const bone = body.bones[k];
      const moved = affine(plain.joints, boneJoints[bone]).multiply(affine(inverseBind, bone)).multiplyScalar(body.weights[k]);
      sum.elements.forEach((x, i) => { sum.elements[i] = x + moved.elements[i]; });
    }
    return sum;
  }

  /** Where features, handles and boundaries are on the screen, in pixels from the canvas's corner. */
  onScreen(camera: THREE.Camera, width: number, height: number): { features: THREE.Vector3[]; handles: THREE.Vector3[]; paths: THREE.Vector3[][] } {
    const { mesh } = this.figure;
    mesh.updateWorldMatrix(true, false);
    const place = (array: ArrayLike<number>, at: number): THREE.Vector3 => {
      const point = new THREE.Vector3().fromArray(array as number[], at).applyMatrix4(mesh.matrixWorld).project(camera);
      return point.set((0.5 + 0.5 * point.x) * width, (0.5 - 0.5 * point.y) * height, point.z);
    };
    const all = (points: THREE.Points): THREE.Vector3[] => {
      const { position } = points.geometry.attributes;
      return position && points.visible ? Array.from({ length: position.count }, (_, k) => place(position.array, 3 * k)) : [];
    };
    const out = new Float32Array(3);
    const paths = this.segments.map((path) => Array.from(path.a, (_, k) => {
      this.put(path, k, 0, out, 0);
      return place(out, 0);
    }));
    return { features: all(this.dots), handles: all(this.handles), paths };
  }

  dispose(): void {
    for (const part of [this.fill, this.lines, this.dots, this.handles, this.pull]) {
      part.removeFromParent();
      part.geometry.dispose();
      (part.material as THREE.Material).dispose();
    }
  }
}

/** Number k of a list of affine maps, 12 numbers each, column by column. */
function affine(list: Float32Array, k: number): THREE.Matrix4 {
  const m = list.subarray(12 * k, 12 * k + 12);
  return new THREE.Matrix4().set(m[0], m[3], m[6], m[9], m[1], m[4], m[7], m[10], m[2], m[5], m[8], m[11], 0, 0, 0, 1);
}

/** Moves what is drawn towards the eye along the line of sight: where it is seen stays, what hides it does not. */
function nearer(material: THREE.Material, by: number): void {
  const pull = (place: string): string => `${place}.xyz *= max(1.0 - ${by.toExponential()} / length(${place}.xyz), 0.1);`;
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader
      .replace('vec4 end = modelViewMatrix * vec4( instanceEnd, 1.0 );', `$&${pull('start')}${pull('end')}`)
      .replace('#include <project_vertex>', `$&${pull('mvPosition')} gl_Position = projectionMatrix * mvPosition;`);
  };
}

/** Round points with a dark rim. */
function dotLook(): THREE.PointsMaterial {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 32;
  const pen = canvas.getContext('2d')!;
  for (const [radius, colour] of [[15, '#20222a'], [11, '#ffffff']] as [number, string][]) {
    pen.fillStyle = colour;
    pen.beginPath();
    pen.arc(16, 16, radius, 0, 7);
    pen.fill();
  }
  const map = new THREE.CanvasTexture(canvas);
  map.colorSpace = THREE.SRGBColorSpace;
  return new THREE.PointsMaterial({ map, vertexColors: true, size: 13, sizeAttenuation: false, alphaTest: 0.5 });
}
