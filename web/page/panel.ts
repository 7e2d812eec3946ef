// SPDX-License-Identifier: MIT
/** Buttons, sliders and lists, and what they say. */
import { Preset } from '../module/supple.js';
import { byId, make } from './bits.js';
import { drawLegend, Scale, shown } from './heat.js';
import { icons } from './icons.js';
import { Tool } from './hands.js';

export interface PanelHost {
  presets: Preset[];
  chooseFlesh(name: string): void;
  changeFlesh(key: string, value: number): void;
  setExaggeration(x: number): void;
  setWind(x: number): void;
  setTool(tool: Tool): void;
  shake(): void;
  reset(): void;
  setPlaying(on: boolean): void;
  scrub(time: number): void;
  setClip(clip: number): void;
  setSpeed(x: number): void;
  setLoop(on: boolean): void;
  setFps(x: number): void;
  setHeat(name: string): void;
  setShown(key: 'wireframe' | 'normals' | 'skeleton', on: boolean): void;
  setLayout(overlay: boolean): void;
  setKeep(on: boolean): void;
  measure(): void;
}

/** A slider: its name, its numbers and how they are told. */
export interface Slider {
  input: HTMLInputElement;
  set(x: number): void;
}

export function slider(label: string, low: number, high: number, step: number, tell: (x: number) => string,
  changed: (x: number) => void, hint: string): { row: HTMLElement; slider: Slider } {
  const output = make('output');
  const input = make('input', { type: 'range', min: low, max: high, step, title: hint, 'aria-label': label });
  const say = (x: number): void => {
    output.textContent = tell(x);
    input.setAttribute('aria-valuetext', tell(x));
  };
  const set = (x: number): void => {
    input.value = String(x);
    say(x);
  };
  input.addEventListener('input', () => {
    say(Number(input.value));
    changed(Number(input.value));
  });
  return { row: make('div', { class: 'slider', title: hint }, make('span', {}, label), output, input), slider: { input, set } };
}

export const TOOLS: { tool: Tool; name: string; key: string; hint: string }[] = [
  { tool: 'grab', name: 'Grab', key: 'g', hint: 'Take hold of flesh and shake it (G)' },
  { tool: 'pose', name: 'Pose', key: 'j', hint: 'Pull at a limb; the skeleton follows, the flesh follows it (J)' },
  { tool: 'look', name: 'Look', key: 'l', hint: 'The head turns to where you click (L)' },
  { tool: 'ball', name: 'Ball', key: 'b', hint: 'Throw balls (B)' },
  { tool: 'pick', name: 'Probe', key: 'v', hint: 'Choose a vertex, whose motion is plotted (V)' },
];

export class Panel {
  readonly flesh = new Map<string, Slider>();
  readonly exaggeration: Slider;
  readonly wind: Slider;
  readonly plots: HTMLCanvasElement[];
  readonly merit = make('p', { class: 'figure-of-merit' });
  private presetBox = make('div', { class: 'pills' });
  private hint = make('p', { class: 'hint' });
  private baked = make('p', { class: 'hint' });
  private choice = make('div');
  private heat = make('select', { title: 'Colour the body by numbers' });
  private legend: HTMLElement;
  private ends = [make('span'), make('span')];
  private play = make('button', { class: 'play', title: 'Play or pause (space)' });
  private scrub = make('input', { type: 'range', class: 'scrub', min: 0, max: 1, step: 0.001, 'aria-label': 'Time' });
  private clock = make('span', { class: 'time' });
  private clips = make('select', { title: 'Clip (1 to 9)', 'aria-label': 'Clip' });
  private fps = make('select', { title: 'Frames per second of the game it would run in; the motion stays the same', 'aria-label': 'Frames per second' });
  private tools = new Map<Tool, HTMLButtonElement>();
  private measureButton = make('button', {}, 'Measure the whole clip');

  constructor(private host: PanelHost) {
    const section = (title: string, ...children: (Node | string)[]): HTMLElement =>
      make('section', {}, make('h2', {}, title), ...children);
    const numbers: [string, string, number, number, number, (x: number) => string, string][] = [
      ['softness', 'Softness', 0, 1, 0.01, (x) => `${Math.round(100 * x)} %`, 'how much of the motion flesh feels'],
      ['frequency', 'Frequency', 1, 9, 0.1, (x) => `${x.toFixed(1)} Hz`, 'how fast it swings'],
      ['bounce', 'Bounce', 0, 0.95, 0.01, (x) => `${Math.round(100 * x)} %`, 'how long it keeps swinging: the opposite of damping'],
      ['max_distance', 'Max. distance', 0.1, 1.5, 0.01, (x) => `${x.toFixed(2)} ×`, 'how far it may go, in depths of the flesh'],
    ];
    const rows = numbers.map(([key, label, low, high, step, tell, hint]) => {
      const made = slider(label, low, high, step, tell, (x) => host.changeFlesh(key, x), hint);
      this.flesh.set(key, made.slider);
      return made.row;
    });
    const more = slider('Exaggeration', 0, 4, 0.05, (x) => `${x.toFixed(2)} ×`, (x) => host.setExaggeration(x), 'shows the offset from skinning larger than it is');
    const air = slider('Wind', 0, 25, 0.5, (x) => (x ? `${x.toFixed(1)} m/s` : 'none'), (x) => host.setWind(x), 'blows from the left of the picture');
    this.choice.append(this.presetBox, this.hint, ...rows, air.row);
    this.exaggeration = more.slider;
    this.wind = air.slider;
    const bar = make('canvas');
    drawLegend(bar);
    this.legend = make('div', { class: 'legend', hidden: true }, bar, make('div', {}, ...this.ends));
    this.heat.addEventListener('change', () => host.setHeat(this.heat.value));
    const check = (label: string, changed: (on: boolean) => void): HTMLElement => {
      const box = make('input', { type: 'checkbox' });
      box.addEventListener('change', () => changed(box.checked));
      return make('label', {}, box, label);
    };
    this.plots = [0, 1, 2].map(() => make('canvas', { class: 'plot' }));
    this.measureButton.addEventListener('click', () => host.measure());
    byId('panel').append(
      section('Flesh', this.baked, this.choice, more.row),
      section('Colours', make('div', { class: 'row' }, this.heat), this.legend),
      section('Show', make('div', { class: 'checks' },
        check('wireframe', (on) => host.setShown('wireframe', on)),
        check('skeleton', (on) => host.setShown('skeleton', on)),
        check('normals', (on) => host.setShown('normals', on)),
        check('overlay', (on) => host.setLayout(on)),
        check('keep pose', (on) => host.setKeep(on)))),
      section('Measured', this.merit, this.measureButton, ...this.plots));
    this.makeTools();
    this.makeBar();
  }

  private makeTools(): void {
    const box = byId('tools');
    for (const { tool, name, hint } of TOOLS) {
      const button = make('button', { title: hint, 'aria-pressed': 'false', innerHTML: `${icons[tool]}<span>${name}</span>` });
      button.dataset.tool = tool;
      button.addEventListener('click', () => this.host.setTool(tool));
      this.tools.set(tool, button);
      box.append(button);
    }
    const shake = make('button', { title: 'A shove from the side (S)', innerHTML: `${icons.shake}<span>Shake</span>` });
    const reset = make('button', { title: 'Everything as it was (R)', innerHTML: `${icons.reset}<span>Reset</span>` });
    shake.dataset.tool = 'shake';
    reset.dataset.tool = 'reset';
    shake.addEventListener('click', () => this.host.shake());
    reset.addEventListener('click', () => this.host.reset());
    box.append(make('hr'), shake, reset);
  }

  private makeBar(): void {
    const { host } = this;
    const labelled = (name: string, select: HTMLElement): HTMLElement => make('label', { class: 'extra' }, name, select);
    const speed = make('select', { title: 'Speed', 'aria-label': 'Speed' }, ...[0.1, 0.25, 0.5, 1, 2].map((x) =>
      make('option', { value: String(x), selected: x === 1 }, `${x} ×`)));
    for (const x of [15, 30, 60, 144]) this.fps.append(make('option', { value: String(x), selected: x === 60 }, `${x} fps`));
    const loop = make('input', { type: 'checkbox', checked: true });
    this.play.addEventListener('click', () => host.setPlaying(this.play.dataset.on !== 'yes'));
    this.scrub.addEventListener('input', () => host.scrub(Number(this.scrub.value)));
    this.clips.addEventListener('change', () => host.setClip(Number(this.clips.value)));
    speed.addEventListener('change', () => host.setSpeed(Number(speed.value)));
    this.fps.addEventListener('change', () => host.setFps(Number(this.fps.value)));
    loop.addEventListener('change', () => host.setLoop(loop.checked));
    byId('bar').append(this.play, this.clips, this.scrub, this.clock,
      make('label', { class: 'extra', title: 'Begin again at the end' }, loop, 'loop'),
      labelled('', speed), labelled('', this.fps));
  }

  setPlaying(on: boolean): void {
    this.play.textContent = on ? '❚❚' : '▶';
    this.play.dataset.on = on ? 'yes' : 'no';
    this.play.setAttribute('aria-label', on ? 'Pause' : 'Play');
  }

  setTime(time: number, duration: number): void {
    this.scrub.max = String(duration || 1);
    this.scrub.value = String(time);
    this.clock.textContent = `${time.toFixed(2)} / ${duration.toFixed(2)} s`;
  }

  setClips(names: string[], chosen: number): void {
    this.clips.replaceChildren(...names.map((name, k) => make('option', { value: String(k), selected: k === chosen }, name)),
      make('option', { value: '-1', selected: chosen < 0 }, 'rest pose'));
  }

  setTool(tool: Tool): void {
    for (const [name, button] of this.tools) button.setAttribute('aria-pressed', String(name === tool));
  }

  setFps(x: number): void {
    this.fps.value = String(x);
  }

  setPresets(names: { name: string; title: string }[], chosen: string, hint: string): void {
    this.presetBox.replaceChildren(...names.map(({ name, title }) => {
      const button = make('button', { 'aria-pressed': String(name === chosen), title }, name === 'file' ? 'as in the file' : name);
      button.dataset.preset = name;
      button.addEventListener('click', () => this.host.chooseFlesh(name));
      return button;
    }));
    this.hint.textContent = hint;
  }

  /** Flesh that cannot be chosen, and why; '' where it can. */
  setBaked(sentence: string): void {
    this.baked.textContent = sentence;
    this.baked.hidden = !sentence;
    this.choice.hidden = !!sentence;
  }

  setHeats(names: [string, string][], chosen: string): void {
    this.heat.replaceChildren(...names.map(([value, text]) => make('option', { value, selected: value === chosen }, text)));
  }

  setHeat(name: string): void {
    this.heat.value = name;
  }

  setLegend(scale: Scale | null): void {
    this.legend.hidden = !scale;
    if (!scale) return;
    this.ends[0].textContent = shown(scale.low, scale.unit);
    this.ends[1].textContent = shown(scale.high, scale.unit);
  }

  setMeasurable(on: boolean): void {
    this.measureButton.hidden = !on;
  }
}
