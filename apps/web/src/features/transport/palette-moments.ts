/** Moments in the palette: a time or a number that was typed is a place to go to. */
import type { GoTarget } from '@syncloop/core/debug';
import { isAvailable, runCommand } from '../../commands/index.js';
import { t } from '../../i18n/index.js';
import type { PaletteEntry, PaletteProvider } from '../../shell/registry.js';
import { parseTime } from './logic/stepping.js';

/** Words that may be before a moment, in both languages. */
const BEFORE = /^(go\s*to|go|jump\s*to|at|to|跳到|跳转到?|到|第)\s*/i;
const KINDS: readonly (readonly [RegExp, (n: number) => GoTarget])[] = [
  [/^(?:record\s*#?|记录\s*#?|#)\s*(\d{1,12})$/i, (seq) => ({ seq })],
  [/^(?:decision|step|决策)\s*#?\s*(\d{1,12})$/i, (step) => ({ step })],
  [/^(\d{1,12})\s*(?:个决策|步)$/, (step) => ({ step })],
  [/^(?:iteration|loop|迭代)\s*#?\s*(\d{1,12})$/i, (iteration) => ({ iteration })],
];

/** The places that a text may mean, the likeliest first; none if it names no moment. */
export function momentsIn(typed: string): readonly GoTarget[] {
  const text = typed.trim().replace(BEFORE, '').trim();
  for (const [kind, target] of KINDS) {
    const n = kind.exec(text)?.[1];
    if (n !== undefined) return [target(Number(n))];
  }
  const time = parseTime(inUnits(text));
  if (time === null) return [];
  if (!/^\d+$/.test(text)) return [{ time }];
  return [{ time }, { step: Number(text) }, { seq: Number(text) }];
}
/** Units as they are written out, as the short ones that `parseTime` knows. */
const inUnits = (text: string): string =>
  text
    .replace(/(\d)\s*(seconds?|secs?|秒)/gi, '$1s')
    .replace(/(\d)\s*(minutes?|mins?|分钟?)/gi, '$1m')
    .replace(/(\d)\s*(milliseconds?|毫秒)/gi, '$1ms');

function titleOf(to: GoTarget): string {
  if ('time' in to) return t('palette.goTime', { time: `${to.time / 1e6} s` });
  if ('seq' in to) return t('palette.goSeq', { n: to.seq });
  if ('step' in to) return t('palette.goStep', { n: to.step });
  return t('palette.goIteration', { n: to.iteration });
}

export const momentEntries: PaletteProvider = {
  id: 'moments',
  order: 5,
  title: 'palette.moments',
  entries: (typed) =>
    isAvailable('transport.go')
      ? momentsIn(typed).map(
          (to): PaletteEntry => ({
            key: JSON.stringify(to),
            title: titleOf(to),
            answers: true,
            run: () => runCommand('transport.go', to),
          }),
        )
      : [],
};
