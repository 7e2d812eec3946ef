// SPDX-License-Identifier: MIT
/** The keyboard. */
import type { App } from './app.js';
import { TOOLS } from './panel.js';

export function listenToKeys(app: App): void {
  window.addEventListener('keydown', (event) => {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || !app.instances.length) return;
    if (target instanceof HTMLInputElement && target.type === 'text') return;
    const typing = target.tagName === 'INPUT' || target.tagName === 'SELECT';
    if (typing && (event.key === ' ' || event.key.startsWith('Arrow'))) return;
    const tool = TOOLS.find(({ key }) => key === event.key);
    const step = (event.shiftKey ? 10 : 1) / app.fps;
    if (tool) app.setTool(tool.tool);
    else if (event.key === ' ') app.setPlaying(!app.playing);
    else if (event.key === 'ArrowLeft') app.scrub(Math.max(app.main.time - step, 0));
    else if (event.key === 'ArrowRight') app.scrub(Math.min(app.main.time + step, app.main.duration));
    else if (event.key === 's') app.shake();
    else if (event.key === 'r') app.reset();
    else if (event.key === 'c') app.curves.open(!app.curves.isOpen);
    else if (event.key === 'p') app.togglePanel();
    else if (event.key === 'd') app.setTheme(!app.isLight);
    else if (/^[1-9]$/.test(event.key) && Number(event.key) <= app.main.character.clips.length) app.setClip(Number(event.key) - 1);
    else return;
    event.preventDefault();
  });
}
