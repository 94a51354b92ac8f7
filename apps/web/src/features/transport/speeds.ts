import type { Speed } from '@syncloop/core/debug';

/** The notches of the speed slider, slow to fast. */
export const SPEEDS: readonly Speed[] = [
  { mode: 'steps', perSecond: 1 },
  { mode: 'steps', perSecond: 5 },
  { mode: 'steps', perSecond: 20 },
  { mode: 'time', factor: 0.1 },
  { mode: 'follow' },
  { mode: 'time', factor: 1 },
  { mode: 'time', factor: 10 },
  { mode: 'time', factor: 100 },
  { mode: 'max' },
];

/** Returns a short label next to the slider; null for the speed whose label is a word of the page's language. */
export function speedLabel(speed: Speed): string | null {
  switch (speed.mode) {
    case 'steps':
      return `${speed.perSecond}/s`;
    case 'time':
      return `${speed.factor}×`;
    case 'follow':
      return null;
    case 'max':
      return 'max';
  }
}

/** Returns the notch of a speed; the nearest kind if it has none. */
export function speedIndex(speed: Speed): number {
  const exact = SPEEDS.findIndex((s) => JSON.stringify(s) === JSON.stringify(speed));
  if (exact >= 0) return exact;
  if (speed.mode === 'max') return SPEEDS.length - 1;
  const value = (s: Speed) => (s.mode === 'steps' ? s.perSecond : s.mode === 'time' ? s.factor : 0);
  let best = 0;
  SPEEDS.forEach((s, i) => {
    if (s.mode !== speed.mode) return;
    const b = SPEEDS[best] as Speed;
    if (b.mode !== speed.mode || Math.abs(value(s) - value(speed)) < Math.abs(value(b) - value(speed))) best = i;
  });
  return best;
}
