import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const css = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8');
const tokensOf = (text: string) =>
  new Map(
    [...text.matchAll(/--sl-([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)].map((m) => [
      m[1],
      { light: m[2] ?? '', dark: m[3] ?? '' },
    ]),
  );
const [usual = '', chosen = ''] = css.split(':root[data-contrast="more"]');
const tokens = tokensOf(usual);
const more = tokensOf(chosen);

function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map((i) => {
    const c = Number.parseInt(hex.slice(i, i + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * (r ?? 0) + 0.7152 * (g ?? 0) + 0.0722 * (b ?? 0);
}
/** Written as WCAG 2 has it. */
function contrast(a: string, b: string): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return ((high ?? 0) + 0.05) / ((low ?? 0) + 0.05);
}

const HUES = ['desired', 'actual', 'message', 'decision', 'time', 'failure'];
const GROUNDS = ['bg', 'panel', 'raised', 'sunken'];

describe.each(['light', 'dark'] as const)('colours in the %s theme', (theme) => {
  const colour = (name: string) => tokens.get(name)?.[theme] ?? '';
  it.each(['text', 'text-2', 'text-3', ...HUES])('%s can be read on every ground (AA)', (name) => {
    for (const ground of GROUNDS)
      expect(contrast(colour(name), colour(ground)), `${name} on ${ground}`).toBeGreaterThanOrEqual(4.5);
  });
  it.each(HUES)('%s can be read on its own soft ground, and the soft ground carries text', (hue) => {
    expect(contrast(colour(hue), colour(`${hue}-soft`))).toBeGreaterThanOrEqual(4.5);
    expect(contrast(colour('text'), colour(`${hue}-soft`))).toBeGreaterThanOrEqual(4.5);
  });
  it('shows the focus, and the lines that mean something', () => {
    for (const ground of GROUNDS) {
      expect(contrast(colour('focus'), colour(ground))).toBeGreaterThanOrEqual(3);
      expect(contrast(colour('line-strong'), colour(ground)), ground).toBeGreaterThanOrEqual(2.6);
    }
  });
});

describe.each(['light', 'dark'] as const)('high contrast in the %s theme', (theme) => {
  const colour = (name: string) => more.get(name)?.[theme] ?? '';
  it.each(['text', 'text-2', 'text-3', ...HUES])('%s can be read on every ground (AAA)', (name) => {
    for (const ground of [...GROUNDS, ...(HUES.includes(name) ? [`${name}-soft`] : [])])
      expect(contrast(colour(name), colour(ground)), `${name} on ${ground}`).toBeGreaterThanOrEqual(7);
  });
  it('has lines, and a focus, that are seen', () => {
    for (const ground of GROUNDS) {
      expect(contrast(colour('line'), colour(ground)), ground).toBeGreaterThanOrEqual(4.5);
      expect(contrast(colour('focus'), colour(ground)), ground).toBeGreaterThanOrEqual(7);
    }
  });
});
