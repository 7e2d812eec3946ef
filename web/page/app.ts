// SPDX-License-Identifier: MIT
/** Everything together: time, figures, tools, panel. */
import * as THREE from 'three';
import { Comparison, Preset, Supple } from '../module/supple.js';
import { Instance } from './instance.js';
import { Balls } from './balls.js';
import { BeatBox } from './beatbox.js';
import { byId, make, note } from './bits.js';
import { Colours } from './colours.js';
import { CrowdHost, CrowdView } from './crowd_view.js';
import { Figure, Shown, Version } from './figure.js';
import { FleshChoice } from './flesh_choice.js';
import { Hands, HandsHost, Tool } from './hands.js';
import { HelpersPanel } from './helpers_panel.js';
import { listenToKeys } from './keys.js';
import { Labels } from './labels.js';
import { Cancelled } from './loader.js';
import { Meter } from './meter.js';
import { Panel, PanelHost } from './panel.js';
import { World } from './world.js';

const DRAG = 1.6; // 1/s: how fast flesh takes on the wind
const VERSIONS: Version[] = ['skinning', 'alive', 'truth'];

export class App implements PanelHost, HandsHost, CrowdHost {
  readonly world = new World();
  readonly instances: Instance[] = [];
  readonly figures: Figure[] = [];
  /** of the file before: what they were drawn with may serve the next one */
  private gone: Figure[] = [];
  readonly presets: Preset[];
  readonly hands: Hands;
  readonly balls: Balls;
  readonly panel: Panel;
  readonly flesh: FleshChoice;
  readonly beatbox: BeatBox;
  readonly helpers: HelpersPanel;
  readonly crowd: CrowdView;
  readonly colours = new Colours(this);
  readonly meter = new Meter(this);
  readonly labels = new Labels(this.world);
  tool: Tool = 'grab';
  playing = false;
  speed = 1;
  fps = 60;
  loop = true;
  clip = 0;
  overlay = false;
  keep = false;
  frames = 0;
  shown: Shown = { wireframe: false, normals: false, skeleton: false };
  private wanted: Version[] = ['alive'];
  private behind = 0;
  private last = 0;
  private light = false;
  private dirty = true;
  private preparing = 0;
  private stirred = false;

  constructor(readonly supple: Supple) {
    this.presets = supple.presets;
    this.flesh = new FleshChoice(this, supple.presets);
    this.panel = new Panel(this);
    this.beatbox = new BeatBox({ instances: this.instances, touched: () => { this.stirred = true; } });
    this.helpers = new HelpersPanel({ instances: this.instances, blended: () => this.crowd.blend(), touched: () => { this.stirred = true; } });
    this.crowd = new CrowdView(this);
    this.hands = new Hands(this);
    this.balls = new Balls(this.world.balls);
    this.setTool('grab');
    this.setPlaying(false);
    this.exaggerate(1);
    this.panel.wind.set(0);
    byId('theme').addEventListener('click', () => this.setTheme(!this.light));
    byId('panel-toggle').addEventListener('click', () => this.togglePanel());
    if (window.innerWidth <= 760) byId('panel').classList.add('away');
    this.setTheme(window.matchMedia('(prefers-color-scheme: light)').matches);
    this.world.controls.addEventListener('change', () => { this.dirty = true; });
    listenToKeys(this);
    requestAnimationFrame((now) => this.turn(now));
  }

  // ---- What there is ----------------------------------------------------------------------------

  add(instance: Instance): void {
    this.instances.push(instance);
    for (const version of VERSIONS) {
      const figure = new Figure(instance, version, () => { this.dirty = true; });
      this.figures.push(figure);
      this.world.scene.add(figure.group);
    }
  }

  clear(): void {
    this.crowd.close();
    for (const figure of this.figures.splice(0)) {
      figure.group.removeFromParent();
      this.gone.push(figure);
    }
    this.labels.clear();
    for (const instance of this.instances.splice(0)) instance.free();
    this.balls.clear();
    this.meter.clear();
  }

  get main(): Instance {
    return this.instances[0];
  }
  figure(version: Version, instance = this.main): Figure {
    return this.figures.find((f) => f.instance === instance && f.version === version)!;
  }

  /** Shows plain skinning at once, gives it life a moment later, and plays then. */
  async begin(): Promise<void> {
    this.setPlaying(false);
    const names = this.main.character.clips.map((clip) => clip.name);
    const lively = [/^jump$/, /jump/i, /run|gallop/i, /walk/i].map((word) => names.findIndex((n) => word.test(n)))
      .find((k) => k >= 0);
    const sampled = this.main.samples[0] ? names.indexOf(this.main.samples[0].clip) : -1;
    this.clip = sampled >= 0 ? sampled : lively ?? (names.length ? 0 : -1);
    if (this.main.samples.length) this.wanted = ['skinning', 'alive', 'truth'];
    byId('title').textContent = this.instances.map((instance) => instance.name).join(', ');
    document.title = `${this.main.name} · Supple`;
    this.setClip(this.clip);
    this.world.resize();
    this.refigure();
    this.frameAll();
    this.refigure();
    const begun = [...this.instances];
    this.preparing++;
    await this.world.prepare().finally(() => { this.preparing--; });
    if (this.main !== begun[0]) return; // another file was dropped meanwhile
    this.world.draw();
    byId('welcome').hidden = true;
    for (const figure of this.gone.splice(0)) figure.dispose();
    performance.mark('supple-first-frame');
    await new Promise((done) => setTimeout(done, 0));
    for (const instance of begun) await this.enliven(instance);
    if (this.main !== begun[0]) return;
    performance.mark('supple-alive');
    this.setClip(this.clip);
    this.refigure();
    this.flesh.tell();
    this.beatbox.tell();
    this.helpers.tell();
    this.crowd.tell();
    this.colours.tell();
    this.setPlaying(true);
  }

  /** A file that cannot come alive is still shown, and why is said. */
  private async enliven(instance: Instance): Promise<void> {
    try {
      const block = await instance.coming?.block;
      if (!this.instances.includes(instance) || instance.lives) return; // it has got other flesh by now
      if (instance.hasFile) instance.useFile();
      else instance.useFlesh(this.presets[0].name, this.presets[0].numbers, block);
    } catch (problem) {
      if (!(problem instanceof Cancelled)) note(`${instance.name}: ${(problem as Error).message}`, true);
    }
  }

  get seen(): Figure[] {
    return this.figures.filter((figure) => figure.visible && figure.present);
  }

  private refigure(): void {
    const several = this.instances.length > 1;
    for (const figure of this.figures) {
      figure.visible = !this.crowd.crowd && (this.wanted.includes(figure.version) || (!figure.instance.lives && figure.version === 'skinning'));
    }
    this.world.arrange(this.figures, this.overlay);
    const chips = VERSIONS.filter((version) => version !== 'truth' || this.instances.some((a) => a.truth()));
    const words: Record<Version, string> = { skinning: 'skinning', alive: 'alive', truth: 'ground truth' };
    byId('figures').replaceChildren(...chips.map((version) => {
      const on = this.wanted.includes(version);
      const chip = make('button', { 'aria-pressed': String(on), title: 'Show or hide' }, words[version]);
      chip.dataset.version = version;
      chip.addEventListener('click', () => this.toggle(version));
      return chip;
    }));
    this.labels.set(this.seen.length > 1 && !this.overlay ? this.seen : [], several);
    this.panel.setMeasurable(!!this.main?.truth());
    this.dirty = true;
    this.refresh();
  }

  /** Which versions are shown; at least one. */
  toggle(version: Version): void {
    const rest = this.wanted.filter((v) => v !== version);
    if (rest.length === this.wanted.length) this.wanted = [...this.wanted, version];
    else if (rest.length) this.wanted = rest;
    const before = this.seen.length;
    this.refigure();
    if (this.seen.length !== before && !this.overlay) {
      this.frameAll();
    }
  }

  /** Camera and figures to their places. */
  private frameAll(): void {
    const count = this.wanted.filter((v) => v !== 'truth' || this.main.truth()).length;
    this.world.frame(this.main.plain.positions, this.overlay ? 1 : Math.max(count * this.instances.length, 1));
    this.crowd.widen();
    this.world.arrange(this.figures, this.overlay);
  }

  // ---- Time ---------------------------------------------------------------------------------------

  setPlaying(on: boolean): void {
    this.playing = on;
    this.panel.setPlaying(on);
  }
  setSpeed(x: number): void {
    this.speed = x;
  }
  setLoop(on: boolean): void {
    this.loop = on;
    for (const instance of this.instances) instance.play(instance.clip, instance.time, on);
    this.crowd.setLoop(on);
  }
  setFps(x: number): void {
    this.fps = x;
    this.panel.setFps(x);
  }
  setClip(clip: number): void {
    this.clip = clip;
    const name = this.main.character.clips[clip]?.name;
    for (const instance of this.instances) {
      const own = instance.character.clips.findIndex((c) => c.name === name);
      instance.play(instance === this.main ? clip : own, 0, this.loop);
      instance.seek(0, 1 / 60);
    }
    this.meter.restart();
    this.crowd.play();
    this.panel.setClips(this.main.character.clips.map((c) => c.name), clip);
    this.refigure();
  }
  /** To a moment, as if the clip had been played up to it. */
  scrub(time: number): void {
    this.setPlaying(false);
    this.seek(time);
  }
  seek(time: number): void {
    this.stirred = false;
    for (const instance of this.instances) instance.seek(time, 1 / this.fps);
    this.crowd.seek(time);
    this.refresh();
  }

  private turn(now: number): void {
    requestAnimationFrame((next) => this.turn(next));
    const dt = Math.min((now - this.last) / 1000, 0.1);
    this.last = now;
    if (this.instances.length) this.pass(dt);
    if (this.preparing) {
      this.frames++;
      return;
    }
    if (this.dirty || this.playing) {
      if (this.dirty) this.crowd.draw();
      this.dirty = false;
      this.world.draw();
      this.labels.place();
    } else {
      this.world.controls.update();
    }
    this.frames++;
  }

  /** A moment that was scrubbed to stands still until somebody touches it; then flesh lives on while
   * the clip pauses. */
  private pass(dt: number): void {
    if (!this.playing && !this.stirred && !this.hands.lookAt) return;
    const frame = 1 / this.fps;
    this.behind = Math.min(this.behind + dt * this.speed, Math.max(4 * frame, 0.1));
    let stepped = false;
    while (this.behind >= frame) {
      this.behind -= frame;
      this.step(frame);
      stepped = true;
    }
    if (stepped) this.refresh();
  }

  /** One frame of the game it would run in. */
  step(dt: number): void {
    const main = this.figure('alive');
    const offset = this.hands.offset(main);
    this.balls.step(dt, this.main.lives ? this.main : null, offset, this.world.floorHeight);
    this.hands.apply(this.instances, dt, this.keep, (instance) => this.hands.offset(this.figure('alive', instance)));
    this.beatbox.step(dt);
    for (const instance of this.instances) {
      if (this.playing) instance.step(dt);
      else this.hold(instance, dt);
    }
    this.crowd.step(dt, !this.playing);
    this.meter.record(dt);
  }

  /** dt on in the flesh, none in the clip. */
  private hold(instance: Instance, dt: number): void {
    for (const stage of instance.stages) {
      stage.still();
      stage.step(dt);
    }
    if (instance.lives && instance.exaggeration !== 1) instance.alive.exaggerate(instance.plain, instance.exaggeration);
  }

  // ---- What is seen -------------------------------------------------------------------------------

  private refresh(): void {
    for (const figure of this.seen) figure.update(this.shown);
    this.colours.paint();
    this.panel.setTime(this.main.time, this.main.duration);
    if (this.frames % 6 === 0) this.meter.plot();
    this.dirty = true;
  }

  // ---- Flesh ----------------------------------------------------------------------------------------

  chooseFlesh(name: string): void {
    this.flesh.choose(name);
  }
  changeFlesh(key: string, value: number): void {
    this.flesh.change(key, value);
  }
  /** Other models than before. */
  fleshChanged(): void {
    this.meter.comparison = null;
    this.flesh.tell();
    this.beatbox.tell();
    this.helpers.tell();
    this.crowd.tell();
    this.colours.renew();
    this.refigure();
  }
  crowdChanged(): void {
    this.refigure();
    this.frameAll();
  }
  setHeat(name: string): void {
    this.colours.choose(name);
    this.refresh();
  }
  get heat(): string {
    return this.colours.chosen;
  }
  measure(): void {
    this.meter.measure();
  }
  get comparison(): Comparison | null {
    return this.meter.comparison;
  }

  setExaggeration(x: number): void {
    for (const instance of this.instances) instance.exaggeration = x;
    if (!this.playing && this.instances.length) this.seek(this.main.time);
  }
  private exaggerate(x: number): void {
    this.panel.exaggeration.set(x);
    this.setExaggeration(x);
  }
  setWind(x: number): void {
    this.stirred ||= x > 0;
    const across = new THREE.Vector3().setFromMatrixColumn(this.world.camera.matrixWorld, 0);
    for (const { alive } of this.instances) {
      alive.wind = [across.x * x, 0.15 * x, across.z * x];
      alive.windDrag = x ? DRAG : 0;
    }
  }

  // ---- Hands ----------------------------------------------------------------------------------------

  setTool(tool: Tool): void {
    this.tool = tool;
    if (tool !== 'look') this.hands.lookAt = null;
    this.panel.setTool(tool);
  }
  throwBall(ray: THREE.Ray): void {
    this.stirred = true;
    const { size, camera, controls } = this.world;
    // From a body's length before it, wherever the camera is.
    const hit = this.hands.along(ray);
    const reach = hit ?? camera.position.distanceTo(controls.target);
    const start = Math.max(reach - 1.1 * size, 0.2 * size);
    this.balls.throwAt(ray.at(start, new THREE.Vector3()), ray.direction, reach - start, size);
  }
  picked(figure: Figure, body: number): void {
    this.meter.follow(this.instances.indexOf(figure.instance), body);
  }
  touched(): void {
    this.stirred = true;
    if (this.main.lives && !this.main.alive.hasSurface) {
      note('This file holds no surface to take hold of; choose a kind of flesh on the right.');
    }
  }
  shake(): void {
    this.stirred = true;
    const across = new THREE.Vector3().setFromMatrixColumn(this.world.camera.matrixWorld, 0);
    for (const { alive, plain } of this.instances) {
      const box = new THREE.Box3().setFromArray(plain.positions as unknown as number[]);
      const centre = box.getCenter(new THREE.Vector3());
      alive.blows.push({ centre: [centre.x, centre.y, centre.z], radius: plain.size,
        velocity: [2.2 * plain.size * across.x, 0.4 * plain.size, 2.2 * plain.size * across.z] });
    }
  }
  reset(): void {
    this.hands.held.clear();
    this.hands.lookAt = null;
    this.balls.clear();
    this.panel.wind.set(0);
    this.setWind(0);
    this.exaggerate(1);
    this.helpers.set(1, 2);
    this.helpers.mix(this.helpers.fractions.map((_, k) => (k === 0 ? 1 : 0)));
    for (const instance of this.instances) instance.reset();
    if (this.instances.length) {
      this.seek(this.main.time);
      this.frameAll();
    }
  }

  setShown(key: keyof Shown, on: boolean): void {
    this.shown[key] = on;
    this.refresh();
  }
  setLayout(overlay: boolean): void {
    this.overlay = overlay;
    if (overlay && this.wanted.length === 1) this.wanted = ['skinning', 'alive'];
    this.refigure();
    this.frameAll();
  }
  setKeep(on: boolean): void {
    this.keep = on;
  }
  setTheme(light: boolean): void {
    this.light = light;
    document.documentElement.classList.toggle('light', light);
    this.world.theme(light);
    this.dirty = true;
  }
  get isLight(): boolean {
    return this.light;
  }
  togglePanel(): void {
    byId('panel').classList.toggle('away');
    this.world.resize();
    this.dirty = true;
  }
}
