// SPDX-License-Identifier: MIT
/** Camera, lights, floor, and the figures side by side or over each other. */
import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { Figure } from './figure.js';
import { Floor } from './floor.js';
import type { Path } from './path.js';
import { byId } from './bits.js';

/** Pixels between what is seen and the panels, and for the labels below the figures. */
const MARGIN = 14;
const LABELS = 46;

/** A part of the canvas, in pixels. */
interface Area {
  left: number;
  top: number;
  width: number;
  height: number;
}

export class World {
  readonly renderer: THREE.WebGLRenderer;
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(22, 1, 0.01, 1000);
  readonly controls: OrbitControls;
  readonly canvas = byId<HTMLCanvasElement>('view');
  readonly balls = new THREE.Group();
  readonly floor = new Floor();
  /** milliseconds that a frame takes to draw, smoothed */
  drawTime = 0;
  /** diagonal of the first body */
  size = 1;
  /** somebody has turned the camera: only its distance is ours */
  turned = false;
  /** the window has another shape */
  resized: () => void = () => {};
  private key = new THREE.DirectionalLight(0xfff4e6, 2.6);
  private rim = new THREE.DirectionalLight(0xffb59b, 1.5);
  private lean = true;
  /** across the picture, on the floor, when it was framed: figures stand along it */
  private across = new THREE.Vector3(1, 0, 0);

  constructor() {
    this.renderer = new THREE.WebGLRenderer({ canvas: this.canvas, antialias: true, alpha: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.toneMapping = THREE.ACESFilmicToneMapping;
    this.renderer.toneMappingExposure = 1.15;
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.addEventListener('start', () => { this.turned = true; });
    this.key.castShadow = true;
    this.key.shadow.mapSize.set(1024, 1024);
    this.key.shadow.bias = -0.0006;
    this.key.shadow.normalBias = 0.06;
    this.key.shadow.radius = 6;
    this.scene.add(new THREE.HemisphereLight(0xf4f1ff, 0x5b4a44, 1.5), this.key, this.key.target,
      this.rim, this.floor.group, this.balls);
    new ResizeObserver(() => {
      this.resize();
      this.resized();
    }).observe(this.canvas);
    this.resize();
  }

  resize(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height) return;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    // What panels cover is not looked at: the middle is that of the free part.
    const free = this.free;
    this.camera.setViewOffset(width, height, width / 2 - (free.left + free.width / 2), height / 2 - (free.top + free.height / 2),
      width, height);
    this.camera.updateProjectionMatrix();
  }

  /** Where no panel is: a wide one takes away what is above or below it, a high one what is left or right of it, each the
   * smaller part. From the edges inwards. */
  get free(): Area {
    const whole = this.canvas.getBoundingClientRect();
    const sides = { left: whole.left, top: whole.top, right: whole.right, bottom: whole.bottom };
    for (const id of ['top', 'panel', 'bar', 'tools']) {
      const box = byId(id).getBoundingClientRect();
      if (!box.width || !box.height) continue;
      const above = box.top + box.bottom < sides.top + sides.bottom;
      const before = box.left + box.right < sides.left + sides.right;
      if (box.width > box.height) {
        if (above) sides.top = Math.max(sides.top, box.bottom);
        else sides.bottom = Math.min(sides.bottom, box.top);
      } else if (before) sides.left = Math.max(sides.left, box.right);
      else sides.right = Math.min(sides.right, box.left);
    }
    const width = Math.max(sides.right - sides.left - 2 * MARGIN, 40);
    const height = Math.max(sides.bottom - sides.top - MARGIN - LABELS, 40);
    return { left: sides.left - whole.left + MARGIN, top: sides.top - whole.top + MARGIN / 2, width, height };
  }

  /** Each in its place, from left to right. */
  arrange(figures: Figure[], overlay: boolean): void {
    const { across } = this;
    const widths = figures.map(({ instance: { path } }) => {
      const size = path.box.getSize(new THREE.Vector3());
      return Math.max(1.08 * (Math.abs(across.x) * size.x + Math.abs(across.z) * size.z), 0.45 * path.size);
    });
    let at = -0.5 * widths.reduce((sum, x) => sum + x, 0);
    figures.forEach((figure, k) => {
      // The middle of its motion stands in its place.
      const middle = figure.instance.path.box.getCenter(new THREE.Vector3()).setY(0);
      figure.group.position.copy(across).multiplyScalar(overlay ? 0 : at + 0.5 * widths[k]).sub(middle);
      at += widths[k];
    });
  }

  /** Camera, lights and floor where all of these can be seen in all of their motion. */
  frame(figures: Figure[], overlay: boolean): void {
    if (!figures.length) return;
    const { path } = figures[0].instance;
    const rest = path.box.getSize(new THREE.Vector3());
    // Long ones from the side, so that they are not all head.
    const yaw = rest.z > 1.25 * rest.x ? 0.66 : figures.length > 1 && !overlay ? 0.2 : 0.31;
    const back = this.turned ? this.camera.position.clone().sub(this.controls.target).normalize()
      : new THREE.Vector3(Math.sin(yaw), 0.16, Math.cos(yaw)).normalize();
    this.across.set(back.z, 0, -back.x).normalize();
    this.arrange(figures, overlay);
    this.see(figures.map(({ instance, group }) => instance.path.box.clone().translate(group.position)), back, path);
  }

  /** The camera goes `back` from the middle of the boxes, until all of them are in the free part of the window. */
  see(boxes: THREE.Box3[], back: THREE.Vector3, path: Path): void {
    const whole = new THREE.Box3();
    for (const box of boxes) whole.union(box);
    this.size = path.size;
    const target = whole.getCenter(new THREE.Vector3());
    const away = this.distance(boxes, target, back);
    this.controls.target.copy(target);
    this.camera.position.copy(target).addScaledVector(back, away);
    this.camera.near = this.size / 100;
    this.camera.far = Math.max(this.size * 60, 6 * away);
    this.camera.updateProjectionMatrix();
    this.controls.minDistance = 0.2 * this.size;
    this.controls.maxDistance = Math.max(12 * this.size, 2 * away);
    this.floor.place(target, whole.min.y + 0.03 * this.size, this.size, path.travels);
    this.light(target, 0.5 * whole.getSize(new THREE.Vector3()).length());
    this.controls.update();
  }

  /** From where all corners of the boxes are in the free part of the window. */
  private distance(boxes: THREE.Box3[], target: THREE.Vector3, back: THREE.Vector3): number {
    const { clientHeight } = this.canvas;
    const free = this.free;
    const half = Math.tan((this.camera.fov * Math.PI) / 360) / clientHeight;
    const right = new THREE.Vector3(back.z, 0, -back.x).normalize();
    const up = new THREE.Vector3().crossVectors(back, right);
    let most = 0;
    for (const box of boxes) {
      for (let k = 0; k < 8; k++) {
        const corner = new THREE.Vector3(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z)
          .sub(target);
        const wide = Math.max(Math.abs(corner.dot(right)) / free.width, Math.abs(corner.dot(up)) / free.height);
        most = Math.max(most, corner.dot(back) + wide / half);
      }
    }
    return most;
  }

  private light(target: THREE.Vector3, radius: number): void {
    const reach = Math.max(1.15 * radius, 1.2 * this.size);
    this.key.position.copy(target).add(new THREE.Vector3(0.9, 1.9, 1.3).multiplyScalar(reach));
    this.key.target.position.copy(target);
    this.rim.position.copy(target).add(new THREE.Vector3(-1.2, 0.9, -1.5).multiplyScalar(reach));
    const shadow = this.key.shadow.camera;
    shadow.left = shadow.bottom = -1.4 * reach;
    shadow.right = shadow.top = 1.4 * reach;
    shadow.near = 0.3 * reach;
    shadow.far = 5 * reach;
    shadow.updateProjectionMatrix();
  }

  get floorHeight(): number {
    return this.floor.height;
  }

  /** Has the programs compiled that figures are drawn with, and waits without blocking: renderers
   * in software take a second or two. */
  async prepare(): Promise<void> {
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    this.renderer.compile(this.scene, this.camera);
    const fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
    for (let k = 0; fence && k < 500; k++) {
      await new Promise((done) => setTimeout(done, 10));
      if (gl.isContextLost() || gl.getSyncParameter(fence, gl.SYNC_STATUS) === gl.SIGNALED) break;
    }
    gl.deleteSync(fence);
  }

  draw(): void {
    const began = performance.now();
    this.controls.update();
    this.renderer.render(this.scene, this.camera);
    this.drawTime += 0.1 * (performance.now() - began - this.drawTime);
    // A machine without a graphics processor: no shadows, rather than no motion.
    if (this.lean && this.drawTime > 45) {
      this.lean = false;
      this.key.castShadow = false;
      this.renderer.setPixelRatio(1);
    }
  }

  theme(light: boolean): void {
    this.floor.theme(light);
    this.renderer.toneMappingExposure = light ? 1.1 : 1.05;
  }
}
