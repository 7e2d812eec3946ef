// SPDX-License-Identifier: MIT
/** Everything together: time, figures, tools, panel. */
import * as THREE from 'three';
import { Comparison, Preset, Supple } from '../module/supple.js';
import { Instance } from './instance.js';
import { Balls } from './balls.js';
import { BeatBox } from './beatbox.js';
import { byId, make, note } from './bits.js';
import { Colours } from './colours.js';
import { ControlPanel } from './control_panel.js';
import { keyCurves } from './curve_keys.js';
import { CurvesView } from './curves_view.js';
import { EnvelopePanel } from './envelope_panel.js';
import { ChunksPanel } from './chunks_panel.js';
import { CrowdHost, CrowdView } from './crowd_view.js';
import { Figure, Shown, Version } from './figure.js';
import { FleshChoice } from './flesh_choice.js';
import { Hands, HandsHost, Tool } from './hands.js';
import { HelpersPanel } from './helpers_panel.js';
import { listenToKeys } from './keys.js';
import { Labels } from './labels.js';
import { Lineup } from './lineup.js';
import { Cancelled } from './loader.js';
import { Meter } from './meter.js';
import { Panel, PanelHost } from './panel.js';
import { PatchHost, PatchMode } from './patches/patch_mode.js';
import { World } from './world.js';

const DRAG = 1.6; // 1/s: how fast flesh takes on the wind
const VERSIONS: Version[] = ['skinning', 'alive', 'truth'];

export class App implements PanelHost, HandsHost, CrowdHost, PatchHost {
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
  readonly envelope: EnvelopePanel;
  readonly controls: ControlPanel;
  readonly chunks: ChunksPanel;
  readonly crowd: CrowdView;
  readonly curves: CurvesView;
  readonly patches: PatchMode;
  readonly colours = new Colours(this);
  readonly meter = new Meter(this);
  readonly labels = new Labels(this.world);
  readonly lineup = new Lineup(this.instances);
  tool: Tool = 'grab';
  playing = false;
  speed = 1;
  fps = 60;
  loop = true;
  clip = 0;
  overlay = false;
  keep = false;
  frames = 0;
  shown: Shown = { wireframe: false, normals: false, skeleton: false, controls: false, chunks: false, skin: 'glass' };
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
    this.envelope = new EnvelopePanel(this);
    this.controls = new ControlPanel(this, this.envelope.section);
    this.chunks = new ChunksPanel(this);
    this.crowd = new CrowdView(this);
    this.curves = new CurvesView(this);
    this.patches = new PatchMode(this);
    this.hands = new Hands(this);
    this.balls = new Balls(this.world.balls);
    this.setTool('grab');
    this.setPlaying(false);
    this.exaggerate(1);
    this.panel.wind.set(0);
    byId('theme').addEventListener('click', () => this.setTheme(!this.light));
    byId('panel-toggle').addEventListener('click', () => this.togglePanel());
    this.setTheme(window.matchMedia('(prefers-color-scheme: light)').matches);
    this.world.controls.addEventListener('change', () => { this.dirty = true; });
    this.world.resized = () => this.reframe();
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
    this.patches.clear();
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
    return this.lineup.main;
  }
  figure(version: Version, instance = this.main): Figure {
    return this.figures.find((f) => f.instance === instance && f.version === version)!;
  }

  /** Shows plain skinning at once, gives it life a moment later, and plays then. */
  async begin(): Promise<void> {
    this.setPlaying(false);
    this.lineup.begin();
    this.world.turned = false;
    const names = this.main.character.clips.map((clip) => clip.name);
    const lively = [/^jump$/, /jump/i, /run|gallop/i, /walk/i].map((word) => names.findIndex((n) => word.test(n)))
      .find((k) => k >= 0);
    const sampled = this.main.samples[0] ? names.indexOf(this.main.samples[0].clip) : -1;
    const keyed = this.main.isBaked ? names.findIndex((_, k) => keyCurves(this.main.raw, k).length) : -1;
    this.clip = sampled >= 0 ? sampled : keyed >= 0 ? keyed : lively ?? (names.length ? 0 : -1);
    byId('title').textContent = this.instances.map((instance) => instance.name).join(', ');
    document.title = `${this.main.name} · Supple`;
    this.world.resize();
    this.setClip(this.clip);
    const begun = [...this.instances];
    this.preparing++;
    await this.world.prepare().finally(() => { this.preparing--; });
    if (this.instances[0] !== begun[0]) return; // another file was dropped meanwhile
    this.world.draw();
    byId('welcome').hidden = true;
    for (const figure of this.gone.splice(0)) figure.dispose();
    performance.mark('supple-first-frame');
    await new Promise((done) => setTimeout(done, 0));
    for (const instance of begun) await this.enliven(instance);
    if (this.instances[0] !== begun[0]) return;
    performance.mark('supple-alive');
    this.setClip(this.clip);
    this.tell();
    this.colours.tell();
    this.setPlaying(true);
  }

  /** A file that cannot come alive is still shown, and why is said. */
  private async enliven(instance: Instance): Promise<void> {
    try {
      if (this.lineup.isOriginal(instance)) return;
      const block = await instance.coming?.block;
      if (!this.instances.includes(instance) || instance.lives) return; // it has got other flesh by now
      if (instance.isBaked) instance.useBaked();
      else if (instance.hasFile) instance.useFile();
      else instance.useFlesh(this.presets[0].name, this.presets[0].numbers, block);
    } catch (problem) {
      instance.refused = true;
      if (!(problem instanceof Cancelled)) note(`${instance.name}: ${(problem as Error).message}`, true);
    }
  }

  get seen(): Figure[] {
    return this.figures.filter((figure) => figure.visible && figure.present);
  }

  /** Those that are seen, and those that will be in a moment. */
  private get places(): Figure[] {
    return this.figures.filter((figure) => figure.visible && (figure.present || this.lineup.expects(figure)));
  }

  private refigure(): void {
    for (const figure of this.figures) {
      figure.visible = !this.crowd.crowd && this.lineup.shows(figure);
      figure.group.visible = figure.visible && figure.present;
    }
    this.world.arrange(this.places, this.overlay);
    const chips = VERSIONS.filter((version) => version !== 'truth' || this.instances.some((a) => a.truth()));
    const words: Record<Version, [string, string]> = { skinning: ['before', 'Show or hide plain skinning'],
      alive: ['after', 'Show or hide what has flesh'], truth: ['ground truth', 'Show or hide the samples'] };
    byId('figures').classList.toggle('ghosts', this.overlay);
    byId('figures').replaceChildren(...chips.map((version) => {
      const on = this.lineup.wanted.includes(version);
      const chip = make('button', { 'aria-pressed': String(on), title: words[version][1] }, words[version][0]);
      chip.dataset.version = version;
      chip.addEventListener('click', () => this.toggle(version));
      return chip;
    }));
    this.labels.set(this.overlay ? [] : this.places, (figure) => this.lineup.words(figure));
    this.panel.setMeasurable(!!this.main?.truth());
    this.dirty = true;
    this.refresh();
  }

  /** Which versions are shown; at least one. */
  toggle(version: Version): void {
    const before = this.places.length;
    this.lineup.toggle(version);
    this.refigure();
    if (this.places.length !== before) this.reframe();
  }

  /** Camera and figures to their places: nothing is outside the picture in the whole clip. */
  private reframe(): void {
    if (!this.instances.length) return;
    if (this.crowd.crowd) this.crowd.frame();
    else this.world.frame(this.places, this.overlay);
    this.labels.place();
    this.dirty = true;
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
      instance.begin(instance === this.main ? clip : own, this.loop);
    }
    this.meter.restart();
    this.crowd.play();
    this.curves.tell();
    this.panel.setClips(this.main.character.clips.map((c) => c.name), clip);
    this.refigure();
    this.reframe();
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
    const { root } = this.main.plain;
    const way = this.main.path.at(this.main.time);
    this.world.floor.pass(way.x + root[0], way.y + root[2]);
    this.colours.paint();
    this.controls.update();
    this.patches.update();
    this.panel.setTime(this.main.time, this.main.duration);
    if (this.frames % 6 === 0) this.meter.plot();
    this.curves.draw();
    this.dirty = true;
  }

  // ---- Flesh ----------------------------------------------------------------------------------------

  chooseFlesh(name: string): void {
    this.flesh.choose(name);
  }
  changeFlesh(key: string, value: number): void {
    this.flesh.change(key, value);
  }
  private tell(): void {
    for (const panel of [this.flesh, this.beatbox, this.helpers, this.envelope, this.controls, this.chunks, this.crowd]) panel.tell();
  }
  /** Other models than before. */
  fleshChanged(): void {
    this.meter.comparison = null;
    this.tell();
    this.colours.renew();
    this.refigure();
  }
  /** Keys are played as they are now; what covers the figures may be higher. */
  curvesChanged(): void {
    this.seek(this.main.time);
    this.world.resize();
    this.reframe();
  }
  /** Shapes are others than before: as they are in the pose of the moment. */
  reshaped(): void {
    if (!this.playing) this.seek(this.main.time);
  }
  /** A control mesh that is being moved: at once, or as if it had been so. */
  retouched(whole: boolean): void {
    if (whole) return this.reshaped();
    if (!this.playing) this.hold(this.main, 0);
    this.refresh();
  }
  /** In the pose of an example of its envelope, until something else is done to it. */
  stand(shape: number): void {
    const { alive, plain, time } = this.main;
    this.setPlaying(false);
    alive.envelope?.stand(shape);
    plain.follow(alive);
    this.seek(time);
  }
  setControls(on: boolean): void {
    this.shown.controls = this.envelope.mesh.checked = on;
    this.refresh();
  }
  redraw(): void {
    this.dirty = true;
  }
  get handsOff(): boolean {
    return this.patches.isOpen;
  }
  /** Each plain skin alone, or what was shown before. */
  divide(on: boolean): void {
    if (on) this.crowd.close();
    this.lineup.dividing = on;
    this.world.turned = false;
    this.world.resize();
    this.refigure();
    this.reframe();
  }
  crowdChanged(): void {
    this.world.turned = false;
    this.refigure();
    this.reframe();
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
    if (this.main.isBaked) {
      note('The motion of this file is baked into keys: nothing to take hold of. Drop the original here for flesh that lives.');
    } else if (this.main.lives && !this.main.alive.hasSurface) {
      note('This file holds no surface to take hold of; choose a kind of flesh.');
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
    this.curves.release();
    if (this.instances.length) {
      this.seek(this.main.time);
      this.world.turned = false;
      this.reframe();
    }
  }

  setShown<K extends keyof Shown>(key: K, value: Shown[K]): void {
    this.shown[key] = value;
    this.refresh();
  }
  setLayout(overlay: boolean): void {
    this.overlay = overlay;
    if (overlay && this.lineup.wanted.length === 1) this.lineup.wanted = ['skinning', 'alive'];
    this.refigure();
    this.reframe();
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
    this.reframe();
  }
}
