// SPDX-License-Identifier: MIT
/** Drawn with one pen. */
const draw = (paths: string): string => `<svg viewBox="0 0 24 24" aria-hidden="true">${paths}</svg>`;

export const icons = {
  grab: draw('<path d="M8 12V6.2a1.6 1.6 0 0 1 3.2 0V11m0-5.6V4.6a1.6 1.6 0 0 1 3.2 0V11m0-4.8a1.6 1.6 0 0 1 3.2 0V14c0 4-2.3 6.8-6 6.8-2.9 0-4.3-1.4-5.6-3.7L4 13.3c-.9-1.7 1.2-2.8 2.3-1.4L8 14"/>'),
  pose: draw('<circle cx="6" cy="18" r="2.4"/><circle cx="13" cy="11" r="2.4"/><circle cx="18" cy="4.6" r="2.4"/><path d="m7.8 16.3 3.5-3.6m3.2-3.6 2.1-2.6"/>'),
  look: draw('<path d="M2.5 12S6 5.6 12 5.6 21.5 12 21.5 12 18 18.4 12 18.4 2.5 12 2.5 12Z"/><circle cx="12" cy="12" r="2.8"/>'),
  ball: draw('<circle cx="14.5" cy="10" r="5.6"/><path d="M3 20.5 8 15.6M3 15l2.4-2.4M9 21l2.2-2.2"/>'),
  pick: draw('<circle cx="12" cy="12" r="6.5"/><path d="M12 2v6m0 8v6M2 12h6m8 0h6"/>'),
  shake: draw('<path d="M4 9c1.4-2 2.6-2 4 0s2.6 2 4 0 2.6-2 4 0 2.6 2 4 0M4 15c1.4-2 2.6-2 4 0s2.6 2 4 0 2.6-2 4 0 2.6 2 4 0"/>'),
  reset: draw('<path d="M4.5 12a7.5 7.5 0 1 0 2.4-5.5M4.5 3.8v4h4"/>'),
};
