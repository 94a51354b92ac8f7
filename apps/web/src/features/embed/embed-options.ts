/** Reads the options in a frame's address: `?embed=1&level=story&controls=none&theme=dark`. */
import type { Theme } from '../../page/ui-store.js';
import { LEVELS, type Level } from '../graph/index.js';

/**
 * `all`: steps, back, run, iterations and the graph's tools. `steps`: without the tools. `none`: the article has its
 * own, or it is a picture.
 */
export const CONTROLS = ['all', 'steps', 'none'] as const;
export type Controls = (typeof CONTROLS)[number];

export interface EmbedOptions {
  readonly level: Level | null;
  readonly controls: Controls;
  readonly theme: Theme;
  /** Values that readers may change, as `vary` has them: see parameters.ts. */
  readonly vary?: readonly string[];
}

/** Reads the options from a URL's query; unknown parameters are ignored. */
export function embedOptions(search: string): EmbedOptions {
  const params = new URLSearchParams(search);
  const of = <T extends string>(all: readonly T[], name: string): T | undefined =>
    all.find((x) => x === params.get(name));
  return {
    level: of(LEVELS, 'level') ?? null,
    controls: of(CONTROLS, 'controls') ?? 'steps',
    theme: of(['light', 'dark'] as const, 'theme') ?? 'system',
  };
}

/** The page in a frame, by its whole address: options in the query, the moment in the fragment. */
export function embedUrl(href: string, { level, controls, theme, vary = [] }: EmbedOptions): string {
  const url = new URL(href);
  url.search = '';
  url.searchParams.set('embed', '1');
  if (level) url.searchParams.set('level', level);
  if (controls !== 'steps') url.searchParams.set('controls', controls);
  if (theme !== 'system') url.searchParams.set('theme', theme);
  for (const one of vary) url.searchParams.append('vary', one);
  return url.href;
}

/** Returns the address of the whole page, at the moment of a frame. */
export function pageUrl(href: string, hash: string): string {
  const url = new URL(href);
  url.search = '';
  url.hash = hash;
  return url.href;
}

export interface FrameSize {
  /** In px; 0 means the full width of its place. */
  readonly width: number;
  readonly height: number;
}
export const SIZES: Readonly<Record<'small' | 'medium' | 'large' | 'wide', FrameSize>> = {
  small: { width: 480, height: 320 },
  medium: { width: 720, height: 480 },
  large: { width: 960, height: 600 },
  wide: { width: 0, height: 480 },
};
export type SizeName = keyof typeof SIZES;

const attribute = (text: string): string =>
  text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

/** The element to put into an article. */
export function snippet(src: string, title: string, { width, height }: FrameSize): string {
  const size = width === 0 ? `width="100%" height="${height}"` : `width="${width}" height="${height}"`;
  return `<iframe src="${attribute(src)}" title="${attribute(title)}" ${size} style="border:0" loading="lazy"></iframe>`;
}
