import type { Hue } from '@syncloop/core/trace';
import { HUES } from './logic/timeline-kinds.js';

/** The tokens of the current theme, as a canvas can use them. */
export interface Palette {
  readonly hue: Readonly<Record<Hue, string>>;
  readonly soft: Readonly<Record<Hue, string>>;
  readonly background: string;
  readonly sunken: string;
  readonly line: string;
  readonly lineStrong: string;
  readonly text: string;
  readonly text2: string;
  readonly text3: string;
  readonly focus: string;
  readonly font: string;
}

export function readPalette(element: Element): Palette {
  const probe = document.createElement('i');
  element.appendChild(probe);
  const colour = (name: string): string => {
    probe.style.color = `var(--sl-${name})`;
    return getComputedStyle(probe).color;
  };
  const byHue = (suffix: string, plain: string) =>
    Object.fromEntries(HUES.map((h) => [h, colour(h === 'plain' ? plain : `${h}${suffix}`)])) as unknown as Readonly<
      Record<Hue, string>
    >;
  const palette: Palette = {
    hue: byHue('', 'text-3'),
    soft: byHue('-soft', 'sunken'),
    background: colour('panel'),
    sunken: colour('sunken'),
    line: colour('line'),
    lineStrong: colour('line-strong'),
    text: colour('text'),
    text2: colour('text-2'),
    text3: colour('text-3'),
    focus: colour('focus'),
    font: getComputedStyle(element).fontFamily,
  };
  probe.remove();
  return palette;
}
