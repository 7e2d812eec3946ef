// SPDX-License-Identifier: MIT
/** Everything together: time, figures, tools, panel. */
import * as THREE from 'three';
import { Comparison, FleshNumbers, Preset, Supple, SURFACE_MAPS } from '../module/supple.js';
import { Actor } from './actor.js';
import { Balls } from './balls.js';
import { byId, make, metres, note } from './bits.js';
import { compareClip } from './clipwork.js';
import { Figure, onRender, scaleOf, Shown, Version } from './figure.js';
import { Hands, HandsHost, Tool } from './hands.js';
import { Scale } from './heat.js';
import { listenToKeys } from './keys.js';
import { Panel, PanelHost } from './panel.js';
import { drawPlot, spectrum, Trace } from './plots.js';
import { World } from './world.js';

const DRAG = 1.6; // 1/s: how fast flesh takes on the wind
const VERSIONS: Version[] = ['skinning', 'alive', 'truth'];

export class App implements PanelHost, HandsHost {
  readonly world = new World();
  readonly actors: Actor[] = [];
  readonly figures: Figure[] = [];
  readonly presets: Preset[];
  readonly hands: Hands;
  readonly balls: Balls;
  readonly panel: Panel;
  tool: Tool = 'grab';
  playing = false;
  speed = 1;
  fps = 60;
  loop = true;
  clip = 0;
  heat = 'none';
  overlay = false;
  keep = false;
  comparison: Comparison | null = null;
  frames = 0;
  shown: Shown = { wireframe: false, normals: false, skeleton: false };
  private wanted: Version[] = ['alive'];
  private scale: Scale | null = null;
  private heatValues: Float32Array | null = null;
  private behind = 0;
  private last = 0;
  private probe = { actor: -1, body: -1 };
  private traces = { mean: new Trace(300), vertex: new Trace(300), signed: new Trace(256) };
  private fleshTimer = 0;
  private labels = new Map<Figure, HTMLElement>();
  private light = false;
  private dirty = true;
  private stirred = false;

  constructor(readonly supple: Supple) {
    this.presets = supple.presets;
    this.panel = new Panel(this);
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

  add(actor: Actor): void {
    this.actors.push(actor);
    for (const version of VERSIONS) {
      const figure = new Figure(actor, version, () => { this.dirty = true; });
      this.figures.push(figure);
      this.world.scene.add(figure.group);
    }
  }

  clear(): void {
    for (const figure of this.figures.splice(0)) figure.dispose();
    for (const label of this.labels.values()) label.remove();
    this.labels.clear();
    for (const actor of this.actors.splice(0)) actor.free();
    this.balls.clear();
    this.comparison = null;
    this.probe = { actor: -1, body: -1 };
  }

  get main(): Actor {
    return this.actors[0];
  }
  figure(version: Version, actor = this.main): Figure {
    return this.figures.find((f) => f.actor === actor && f.version === version)!;
  }

  /** Shows plain skinning at once, and gives it life a moment later. */
  async begin(): Promise<void> {
    const names = this.main.character.clips.map((clip) => clip.name);
    const lively = [/^jump$/, /jump/i, /run|gallop/i, /walk/i].map((word) => names.findIndex((n) => word.test(n)))
      .find((k) => k >= 0);
    const sampled = this.main.samples[0] ? names.indexOf(this.main.samples[0].clip) : -1;
    this.clip = sampled >= 0 ? sampled : lively ?? (names.length ? 0 : -1);
    if (this.main.samples.length) this.wanted = ['skinning', 'alive', 'truth'];
    byId('title').textContent = this.actors.map((actor) => actor.name).join(', ');
    document.title = `${this.main.name} · Supple`;
    this.setClip(this.clip);
    this.world.resize();
    this.refigure();
    this.frameAll();
    this.refigure();
    this.world.draw();
    performance.mark('supple-first-frame');
    await new Promise((done) => setTimeout(done, 0));
    for (const actor of this.actors) this.enliven(actor);
    performance.mark('supple-alive');
    this.setClip(this.clip);
    this.refigure();
    this.tellFlesh();
    this.tellHeats();
    this.setPlaying(true);
  }

  /** A file that cannot come alive is still shown, and why is said. */
  private enliven(actor: Actor): void {
    try {
      if (actor.hasFile) actor.useFile();
      else actor.useFlesh(this.presets[0].name, this.presets[0].numbers);
    } catch (problem) {
      note(`${actor.name}: ${(problem as Error).message}`, true);
    }
  }

  get seen(): Figure[] {
    return this.figures.filter((figure) => figure.visible && figure.present);
  }

  private refigure(): void {
    const several = this.actors.length > 1;
    for (const figure of this.figures) {
      figure.visible = this.wanted.includes(figure.version) || (!figure.actor.lives && figure.version === 'skinning');
    }
    this.world.arrange(this.figures, this.overlay);
    const chips = VERSIONS.filter((version) => version !== 'truth' || this.actors.some((a) => a.truth()));
    const words: Record<Version, string> = { skinning: 'skinning', alive: 'alive', truth: 'ground truth' };
    byId('figures').replaceChildren(...chips.map((version) => {
      const on = this.wanted.includes(version);
      const chip = make('button', { 'aria-pressed': String(on), title: 'Show or hide' }, words[version]);
      chip.dataset.version = version;
      chip.addEventListener('click', () => this.toggle(version));
      return chip;
    }));
    for (const label of this.labels.values()) label.remove();
    this.labels.clear();
    if (this.seen.length > 1 && !this.overlay) {
      for (const figure of this.seen) {
        const text = several ? `${figure.actor.name}, ${figure.label}` : figure.label;
        const label = make('span', {}, text);
        byId('labels').append(label);
        this.labels.set(figure, label);
      }
    }
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
    this.world.frame(this.main.plain.positions, this.overlay ? 1 : Math.max(count * this.actors.length, 1));
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
    for (const actor of this.actors) actor.play(actor.clip, actor.time, on);
  }
  setFps(x: number): void {
    this.fps = x;
    this.panel.setFps(x);
  }
  setClip(clip: number): void {
    this.clip = clip;
    const name = this.main.character.clips[clip]?.name;
    for (const actor of this.actors) {
      const own = actor.character.clips.findIndex((c) => c.name === name);
      actor.play(actor === this.main ? clip : own, 0, this.loop);
      actor.seek(0, 1 / 60);
    }
    this.comparison = null;
    this.traces.mean.clear();
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
    for (const actor of this.actors) actor.seek(time, 1 / this.fps);
    this.refresh();
  }

  private turn(now: number): void {
    requestAnimationFrame((next) => this.turn(next));
    const dt = Math.min((now - this.last) / 1000, 0.1);
    this.last = now;
    if (this.actors.length) this.pass(dt);
    if (this.dirty || this.playing) {
      this.dirty = false;
      this.world.draw();
      this.placeLabels();
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
    this.hands.apply(this.actors, dt, this.keep, (actor) => this.hands.offset(this.figure('alive', actor)));
    for (const actor of this.actors) {
      if (this.playing) actor.step(dt);
      else this.hold(actor, dt);
    }
    this.record(dt);
  }

  /** dt on in the flesh, none in the clip. */
  private hold(actor: Actor, dt: number): void {
    for (const stage of actor.stages) {
      stage.still();
      stage.step(dt);
    }
    if (actor.lives && actor.exaggeration !== 1) actor.alive.exaggerate(actor.plain, actor.exaggeration);
  }

  // ---- What is seen -------------------------------------------------------------------------------

  private refresh(): void {
    for (const figure of this.seen) figure.update(this.shown);
    this.paint();
    this.panel.setTime(this.main.time, this.main.duration);
    if (this.frames % 6 === 0) this.plot();
    this.dirty = true;
  }

  private paint(): void {
    let scale = this.scale;
    for (const figure of this.seen) {
      const asGhost = this.overlay && this.seen.length > 1 && figure !== this.seen.find((f) => f.version === 'alive');
      let values: Float32Array | null = null;
      if (this.heat === 'displacement') {
        scale = { low: 0, high: 0.035 * this.main.plain.size, unit: 'metres' };
        figure.displacement();
        values = figure.values;
      } else if (this.heat === 'error' && figure.actor.truth() && figure.version !== 'truth') {
        scale = { low: 0, high: 0.035 * this.main.plain.size, unit: 'metres' };
        if (!this.seen.some((f) => f.version === 'truth')) figure.actor.truth()!.show(figure.actor.time);
        figure.error();
        values = figure.values;
      } else if (this.heatValues && figure.actor === this.main) {
        values = onRender(figure, this.heatValues);
      }
      figure.paint(values, scale, asGhost);
    }
    this.panel.setLegend(this.heat === 'none' ? null : scale);
  }

  /** By what the body is coloured. */
  setHeat(name: string): void {
    this.heat = name;
    this.panel.setHeat(name);
    this.heatValues = null;
    this.scale = null;
    const [kind, rest] = [name.split(':')[0], name.slice(name.indexOf(':') + 1)];
    if (kind === 'weights') {
      this.heatValues = this.main.character.jointWeights(Number(rest));
      this.scale = { low: 0, high: 1, unit: '' };
    } else if (kind === 'map') {
      const row = SURFACE_MAPS.indexOf(rest);
      this.heatValues = this.main.surface?.map(row) ?? null;
      if (this.heatValues) this.scale = scaleOf(this.heatValues, rest === 'reach' || rest === 'backstop' ? 'metres' : '');
    } else if (kind === 'painted') {
      this.heatValues = this.main.character.map(Number(rest));
      this.scale = scaleOf(this.heatValues, '');
    }
    this.refresh();
  }

  private tellHeats(): void {
    const { raw } = this.main;
    const shares = this.main.character.jointShares();
    const list: [string, string][] = [['none', 'its own colours'], ['displacement', 'distance from skinning']];
    if (this.main.samples.length) list.push(['error', 'distance from the ground truth']);
    if (this.main.surface) for (const map of SURFACE_MAPS.slice(0, 7)) list.push([`map:${map}`, `map: ${map}`]);
    raw.mapNames.forEach((map, k) => {
      if (!SURFACE_MAPS.includes(map)) list.push([`painted:${k}`, `painted: ${map}`]);
    });
    raw.jointNames.forEach((joint, j) => { if (shares[j] > 0) list.push([`weights:${j}`, `weights: ${joint || j}`]); });
    this.panel.setHeats(list, this.heat);
  }

  private placeLabels(): void {
    const { camera, canvas, size } = this.world;
    for (const [figure, label] of this.labels) {
      const at = new THREE.Vector3(figure.group.position.x, this.world.floorHeight - 0.07 * size, 0);
      at.x += this.world.controls.target.x;
      at.z += this.world.controls.target.z;
      at.project(camera);
      label.style.left = `${(at.x * 0.5 + 0.5) * canvas.clientWidth}px`;
      label.style.top = `${(0.5 - at.y * 0.5) * canvas.clientHeight}px`;
    }
  }

  // ---- Flesh ----------------------------------------------------------------------------------------

  chooseFlesh(name: string): void {
    const preset = this.presets.find((p) => p.name === name);
    for (const actor of this.actors) {
      if (name === 'file' && actor.hasFile) actor.useFile();
      else if (preset) actor.useFlesh(name, preset.numbers);
    }
    this.afterFlesh();
  }

  /** A slider of one's own numbers. */
  changeFlesh(key: string, value: number): void {
    const numbers: FleshNumbers = { ...this.main.numbers };
    if (key === 'softness') numbers.amount = value;
    if (key === 'frequency') numbers.frequency = value;
    if (key === 'bounce') numbers.damping = 1 - value;
    if (key === 'reach') numbers.reach = value;
    this.main.numbers = numbers;
    clearTimeout(this.fleshTimer);
    this.fleshTimer = window.setTimeout(() => {
      for (const actor of this.actors) actor.useFlesh('your own', numbers);
      this.afterFlesh();
    }, 120);
  }

  private afterFlesh(): void {
    this.comparison = null;
    this.tellFlesh();
    if (this.heat.startsWith('map:')) this.setHeat(this.heat);
    this.refigure();
  }

  private tellFlesh(): void {
    const { flesh, numbers, hasFile } = this.main;
    const list = this.presets.map((p) => ({ name: p.name, title: p.summary }));
    if (hasFile) list.unshift({ name: 'file', title: 'the models that the file holds' });
    if (flesh === 'your own') list.push({ name: 'your own', title: 'the numbers below' });
    const preset = this.presets.find((p) => p.name === flesh);
    this.panel.setPresets(list, flesh, preset?.summary ??
      (flesh === 'file' ? this.main.raw.models.map((m) => m.kind).join(' + ') : ''));
    const values: Record<string, number> = { softness: numbers.amount, frequency: numbers.frequency,
      bounce: 1 - numbers.damping, reach: numbers.reach };
    for (const [key, slider] of this.panel.flesh) slider.set(values[key]);
  }

  setExaggeration(x: number): void {
    for (const actor of this.actors) actor.exaggeration = x;
    if (!this.playing && this.actors.length) this.seek(this.main.time);
  }
  private exaggerate(x: number): void {
    this.panel.exaggeration.set(x);
    this.setExaggeration(x);
  }
  setWind(x: number): void {
    this.stirred ||= x > 0;
    const across = new THREE.Vector3().setFromMatrixColumn(this.world.camera.matrixWorld, 0);
    for (const { alive } of this.actors) {
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
    this.probe = { actor: this.actors.indexOf(figure.actor), body };
    this.traces.vertex.clear();
    this.traces.signed.clear();
    this.plot();
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
    for (const { alive, plain } of this.actors) {
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
    for (const actor of this.actors) actor.reset();
    if (this.actors.length) {
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

  // ---- Measured ---------------------------------------------------------------------------------------

  private record(dt: number): void {
    if (!this.main.lives || dt <= 0) return;
    const figure = this.figure('alive');
    this.traces.mean.push(figure.displacement().mean);
    const actor = this.actors[this.probe.actor];
    if (!actor) return;
    const at = 3 * actor.character.firstRender[this.probe.body];
    const [a, b] = [actor.alive.positions, actor.plain.positions];
    this.traces.vertex.push(Math.hypot(a[at] - b[at], a[at + 1] - b[at + 1], a[at + 2] - b[at + 2]));
    this.traces.signed.push(a[at + 1] - b[at + 1]);
  }

  private plot(): void {
    const [first, second, third] = this.panel.plots;
    const seconds = `${(300 / this.fps).toFixed(0)} s ago`;
    const merit = this.comparison;
    if (merit) {
      drawPlot(first, { title: 'error over the clip', ends: ['0 s', `${this.main.duration.toFixed(1)} s`],
        cursor: this.main.time / (this.main.duration || 1), top: metres,
        curves: [{ colour: '#5aa9ff', values: merit.skinningFrames }, { colour: '#ff7a59', values: merit.frames }] });
    } else {
      drawPlot(first, { title: 'distance from skinning, mean', ends: [seconds, 'now'], top: metres,
        curves: [{ colour: '#ff7a59', values: this.traces.mean.values }] });
    }
    const chosen = this.probe.body >= 0;
    second.hidden = third.hidden = !chosen;
    if (!chosen) return;
    drawPlot(second, { title: `vertex ${this.probe.body}`, ends: [seconds, 'now'], top: metres,
      curves: [{ colour: '#ffd24a', values: this.traces.vertex.values }] });
    drawPlot(third, { title: 'its spectrum, up and down', ends: ['0 Hz', '12 Hz'], top: metres,
      curves: [{ colour: '#7ed67a', values: spectrum(this.traces.signed.values, this.fps, 0.25, 48) }] });
  }

  /** The living version against the samples, over the whole clip. */
  measure(): void {
    const truth = this.main.truth();
    if (!truth) return;
    this.comparison = compareClip(this.main, truth);
    const { relativeError, rms, frequency, amplitudeRatio } = this.comparison;
    const tone = frequency > 0 ? `; at ${frequency.toFixed(1)} Hz it swings ${amplitudeRatio.toFixed(2)} times as far` : '';
    this.panel.merit.replaceChildren(make('b', {}, `${(100 * relativeError).toFixed(0)} %`),
      ` of skinning's error is left (${metres(rms)} RMS)${tone}`);
    this.plot();
  }
}
