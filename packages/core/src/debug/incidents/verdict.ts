/** The verdict on a run, in one sentence: what is wrong, or how little can be said. */
import type { Text } from '../why/types.js';
import { type IncidentClock, incidentSentence } from './clock.js';
import { type IncidentKind, notable, rankOf } from './kinds.js';
import type { Incident, IncidentsAnswer } from './types.js';

/** `wrong`: there are incidents. `calm`: everything was read, and there are none. Otherwise silence says little. */
export type VerdictLevel = 'wrong' | 'calm' | 'little' | 'nothing';
export interface Verdict {
  readonly level: VerdictLevel;
  readonly text: Text;
  /** The share that was read; null if the run is a simulation, of which everything is known. */
  readonly read: Text | null;
}

/** Below this share of its lines, and below this many lines, a log that names no trouble says little. */
const ENOUGH_SHARE = 0.6;
const ENOUGH_LINES = 100;

export const wrongOf = (answer: IncidentsAnswer): readonly Incident[] => answer.incidents.filter((i) => !i.expected);

export function verdictOf(answer: IncidentsAnswer, clock: IncidentClock): Verdict {
  const { observed, unknown } = answer;
  const { lines, unread } = answer.read;
  const wrong = wrongOf(answer);
  const { texts } = answer.read;
  const read = observed ? readText(lines, unread, unknown.count, texts) : null;
  const [first, ...rest] = wrong;
  if (first) {
    const { en, zh } = withGravest(first, incidentSentence(first, clock));
    const more = rest.length;
    return {
      level: 'wrong',
      text: {
        en: more === 0 ? en : `${en} ${more === 1 ? 'One more incident' : `${more} more incidents`}.`,
        zh: more === 0 ? zh : `${zh}另有 ${more} 个事故。`,
      },
      read,
    };
  }
  const asked = answer.incidents.find((i) => notable.has(i.kind));
  const before = asked ? incidentSentence(asked, clock) : { en: '', zh: '' };
  if (!observed)
    return { level: 'calm', text: { en: join(before.en, 'Nothing went wrong.'), zh: `${before.zh}没有出错。` }, read };
  if (lines === 0 && answer.to.seq === 0) return { level: 'nothing', text: NOTHING, read };
  if (lines > 0 && lines === unread && answer.incidents.length === 0) return { level: 'nothing', text: NOT_READ, read };
  // Other programs may have lines: the kubelet has none, or a few.
  const few = lines < ENOUGH_LINES && (lines > 0 || texts.length > 0);
  const share = lines === 0 ? 1 : (lines - unread) / lines;
  if (unknown.count > 0 || share < ENOUGH_SHARE || few) {
    const why = whyLittle(few, lines, share, unknown.count);
    return {
      level: 'little',
      text: {
        en: join(before.en, `No incident was found, but that says little: ${why.en}.`),
        zh: `${before.zh}没有发现事故，但这说明不了什么：${why.zh}。`,
      },
      read,
    };
  }
  return {
    level: 'calm',
    text: {
      en: join(before.en, 'Nothing went wrong, as far as this was seen.'),
      zh: `${before.zh}就所见范围而言，没有出错。`,
    },
    read,
  };
}

/** The worst that it did to the node belongs to the first sentences. */
function withGravest(incident: Incident, said: Text): Text {
  const grave = incident.consequences
    .filter((c) => GRAVE.has(c.kind))
    .sort((a, b) => (rankOf.get(a.kind) ?? 0) - (rankOf.get(b.kind) ?? 0))[0];
  if (!grave) return said;
  const { en, zh } = grave.text;
  return { en: `${said.en} Because of it, ${en}.`, zh: `${said.zh}因此，${zh}。` };
}
const GRAVE: ReadonlySet<IncidentKind> = new Set([
  'kubelet-not-starting',
  'node-not-ready',
  'node-not-registered',
  'eviction',
]);

const NOTHING: Text = { en: 'Nothing was read, so nothing can be said.', zh: '没有读到任何内容，因此无法下结论。' };
const NOT_READ: Text = {
  en: 'None of the lines was understood, so nothing can be said.',
  zh: '没有一行能够解读，因此无法下结论。',
};
const join = (before: string, text: string): string => (before === '' ? text : `${before} ${text}`);

function whyLittle(few: boolean, lines: number, share: number, unknown: number): Text {
  if (unknown > 0)
    return {
      en: `${unknown === 1 ? 'an error line is' : `${unknown} error lines are`} of a kind that no rule knows`,
      zh: `有 ${unknown} 行错误不属于任何已知种类`,
    };
  if (share < ENOUGH_SHARE)
    return {
      en: `only ${percent(share)} of ${lines} lines could be read`,
      zh: `${lines} 行中只能解读 ${percent(share)}`,
    };
  return few
    ? lines === 0
      ? { en: 'none of the lines is the kubelet’s', zh: '没有一行是 kubelet 写的' }
      : { en: `there ${lines === 1 ? 'is one line' : `are only ${lines} lines`}`, zh: `只有 ${lines} 行` }
    : { en: '', zh: '' };
}
function readText(lines: number, unread: number, unknown: number, texts: readonly Text[]): Text {
  const share = lines === 0 ? 0 : (lines - unread) / lines;
  const said =
    texts.length > 0
      ? { en: texts.map((t) => t.en).join(' '), zh: texts.map((t) => t.zh).join('') }
      : { en: `Read ${percent(share)} of ${lines} lines.`, zh: `解读了 ${lines} 行中的 ${percent(share)}。` };
  if (unknown === 0) return said;
  return {
    en: `${said.en} ${unknown === 1 ? 'One error line is' : `${unknown} error lines are`} of an unknown kind.`,
    zh: `${said.zh}有 ${unknown} 行错误不属于任何已知种类。`,
  };
}
export const percent = (share: number): string =>
  share > 0 && share < 0.01 ? '< 1 %' : share < 1 && share > 0.99 ? '99 %' : `${Math.round(share * 100)} %`;
