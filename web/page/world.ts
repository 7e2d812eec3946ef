// SPDX-License-Identifier: MIT
/** Camera, lights, floor, and the figures side by side or over each other. */
import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { Figure } from './figure.js';
import { byId } from './bits.js';

export class World {
  readonly renderer: THREE.WebGLRenderer;
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(32, 1, 0.01, 1000);
  readonly controls: OrbitControls;
  readonly canvas = byId<HTMLCanvasElement>('view');
  readonly balls = new THREE.Group();
  /** milliseconds that a frame takes to draw, smoothed */
  drawTime = 0;
  size = 1;
  private key = new THREE.DirectionalLight(0xfff4e6, 2.6);
  private rim = new THREE.DirectionalLight(0xffb59b, 1.5);
  private floor: THREE.Mesh;
  private rings: THREE.LineSegments;
  private box = new THREE.Box3();
  private lean = true;

  constructor() {
    this.renderer = new THREE.WebGLRenderer({ canvas: this.canvas, antialias: true, alpha: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.toneMapping = THREE.ACESFilmicToneMapping;
    this.renderer.toneMappingExposure = 1.15;
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.key.castShadow = true;
    this.key.shadow.mapSize.set(1024, 1024);
    this.key.shadow.bias = -0.0006;
    this.key.shadow.normalBias = 0.06;
    this.key.shadow.radius = 6;
    this.floor = new THREE.Mesh(new THREE.CircleGeometry(1, 64).rotateX(-Math.PI / 2),
      new THREE.ShadowMaterial({ opacity: 0.32 }));
    this.floor.receiveShadow = true;
    this.rings = new THREE.LineSegments(circles(), new THREE.LineBasicMaterial({
      color: 0x8a8b96, transparent: true, opacity: 0.22 }));
    this.scene.add(new THREE.HemisphereLight(0xf4f1ff, 0x5b4a44, 1.5), this.key, this.key.target,
      this.rim, this.floor, this.rings, this.balls);
    new ResizeObserver(() => this.resize()).observe(this.canvas);
    this.resize();
  }

  resize(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height) return;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    // What the panels cover is not looked at: the middle is that of the free part.
    const wide = width > 760;
    const covered = wide && !byId('panel').classList.contains('away') ? 210 : 0;
    const above = wide ? 20 : 70;
    this.camera.setViewOffset(width, height, wide ? covered / 2 : 0, above, width, height);
    this.camera.updateProjectionMatrix();
  }

  /** Figures that are shown, each in its place. */
  arrange(figures: Figure[], overlay: boolean): void {
    const seen = figures.filter((figure) => figure.visible && figure.present);
    const width = this.spacing;
    seen.forEach((figure, k) => {
      figure.group.position.x = overlay ? 0 : (k - (seen.length - 1) / 2) * width;
    });
    for (const figure of figures) figure.group.visible = seen.includes(figure);
  }

  private get spacing(): number {
    return Math.max(1.18 * (this.box.max.x - this.box.min.x), 0.45 * this.size);
  }

  /** The body's box at rest: where camera, lights and floor belong. */
  frame(positions: ArrayLike<number>, count: number): void {
    this.box.setFromArray(positions as number[]);
    const centre = this.box.getCenter(new THREE.Vector3());
    const size = this.box.getSize(new THREE.Vector3()).length();
    this.size = size;
    // Far enough for all of them in the part of the window that no panel covers.
    const { clientWidth, clientHeight } = this.canvas;
    const wide = clientWidth > 760;
    const free = clientWidth - (wide ? (byId('panel').classList.contains('away') ? 120 : 410) : 20);
    const height = clientHeight - (wide ? 150 : 240);
    const box = this.box.getSize(new THREE.Vector3());
    const half = Math.tan((this.camera.fov * Math.PI) / 360);
    const across = (count - 1) * this.spacing + 1.25 * Math.hypot(box.x, 0.5 * box.z);
    const away = Math.max(1.16 * box.y * (clientHeight / height), across * (clientHeight / free)) / (2 * half) + 0.5 * box.z;
    const side = count > 1 ? 0.06 : 0.32;
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).add(new THREE.Vector3(side, 0.16, 1).normalize().multiplyScalar(away));
    this.camera.near = size / 100;
    this.camera.far = size * 60;
    this.camera.updateProjectionMatrix();
    this.controls.minDistance = 0.2 * size;
    this.controls.maxDistance = 12 * size;
    const bottom = this.box.min.y;
    this.floor.position.y = this.rings.position.y = bottom;
    this.floor.scale.setScalar(6 * size);
    this.rings.scale.setScalar(size);
    this.key.position.copy(centre).add(new THREE.Vector3(0.9, 1.9, 1.3).multiplyScalar(size));
    this.key.target.position.copy(centre);
    this.rim.position.copy(centre).add(new THREE.Vector3(-1.2, 0.9, -1.5).multiplyScalar(size));
    const shadow = this.key.shadow.camera;
    shadow.left = shadow.bottom = -1.7 * size;
    shadow.right = shadow.top = 1.7 * size;
    shadow.near = 0.3 * size;
    shadow.far = 5 * size;
    shadow.updateProjectionMatrix();
    this.controls.update();
  }

  get floorHeight(): number {
    return this.floor.position.y;
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
    (this.floor.material as THREE.ShadowMaterial).opacity = light ? 0.18 : 0.36;
    this.renderer.toneMappingExposure = light ? 1.1 : 1.05;
  }
}

function circles(): THREE.BufferGeometry {
  const points: number[] = [];
  for (const radius of [0.35, 0.7, 1.05, 1.4]) {
    for (let k = 0; k < 96; k++) {
      for (const angle of [k, k + 1]) {
        const a = (angle / 96) * 2 * Math.PI;
        points.push(radius * Math.cos(a), 0, radius * Math.sin(a));
      }
    }
  }
  return new THREE.BufferGeometry().setAttribute('position',
    new THREE.Float32BufferAttribute(points, 3));
}
