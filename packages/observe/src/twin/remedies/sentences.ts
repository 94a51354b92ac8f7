/** The result of a run with a remedy, in words. */
import type { Incident, IncidentKind } from '@syncloop/core/debug/incidents';
import type { Micros } from '@syncloop/core/trace';
import type { TwinText } from '../base/types.js';
import { type Harm, measures } from './harm.js';
import type { Remedy, Tried } from './types.js';

export const NO_HARM: TwinText = {
  en: 'it did no harm in this run, so there is nothing to prevent',
  zh: '它在这次运行中没有造成损害，因此无须防止',
};

/** A name in Latin letters stands apart from the Chinese word before it. */
const apart = (zh: string): string => (/^[\x21-\x7e]/.test(zh) ? ` ${zh}` : zh);

/** A time to a tenth of a second below ten seconds, in minutes from two minutes on. */
function lasting(time: Micros): TwinText {
  const s = time / 1e6;
  if (s >= 120) return { en: `${Math.round(s / 60)} min`, zh: `${Math.round(s / 60)} 分钟` };
  const shown = s < 10 ? Number(s.toFixed(1)) : Math.round(s);
  return { en: `${shown} s`, zh: `${shown} 秒` };
}

/** An incident with the harm that it did, if that is measured. */
export function harmText({ kind, text }: Incident, { time }: Harm): TwinText {
  const measure = measures[kind];
  if (!measure || time === null || time === 0) return text;
  const { en, zh } = lasting(time);
  return { en: `${text.en}; for ${en} ${measure.en}`, zh: `${text.zh}；${zh}内${measure.zh}` };
}

const amountOf = (kind: IncidentKind, { count, time }: Harm, before: Harm): TwinText => {
  const measure = measures[kind];
  if (time === null || before.time === null || !measure)
    return { en: `${count} instead of ${before.count} times`, zh: `由 ${before.count} 次变为 ${count} 次` };
  const [now, then] = [lasting(time), lasting(before.time)];
  return {
    en: `but ${measure.en} for ${now.en} instead of ${then.en}`,
    zh: `但${measure.zh}的时间由 ${then.zh}变为 ${now.zh}`,
  };
};

/** A value of the same scale that does not do it. */
const notWithText = (notWith: Remedy | null, end: TwinText): TwinText =>
  notWith
    ? {
        en: `; with ${notWith.text.en.replace(/ instead of .*$/, '')} ${end.en}`,
        zh: `；若${apart(notWith.text.zh.replace(/ 而不是.*$/, ''))}${end.zh}`,
      }
    : { en: '', zh: '' };

export function sentenceOf(
  kind: IncidentKind,
  { effect, harm, added, remedy: { text }, notWith }: Tried,
  before: Harm,
): TwinText {
  const zh = apart(text.zh);
  switch (effect) {
    case 'prevents': {
      const less = notWithText(notWith, { en: 'it does', zh: '则仍会发生' });
      return { en: `With ${text.en} it does not happen${less.en}.`, zh: `若${zh}，则不会发生${less.zh}。` };
    }
    case 'lessens': {
      const amount = amountOf(kind, harm, before);
      const less = notWithText(notWith, { en: 'less is gained', zh: '则改善较少' });
      return {
        en: `With ${text.en} it still happens, ${amount.en}${less.en}.`,
        zh: `若${zh}，仍会发生，${amount.zh}${less.zh}。`,
      };
    }
    case 'later':
      return {
        en: `With ${text.en} it is only put off: its reason was still there when the run ended.`,
        zh: `若${zh}，只是推迟：运行结束时其起因仍在。`,
      };
    case 'nothing':
      return { en: `With ${text.en} it happens all the same.`, zh: `若${zh}，同样会发生。` };
    case 'worse': {
      const [first] = added;
      return {
        en: `With ${text.en} ${harm.count === 0 ? 'it does not happen' : 'it happens, too'}${first ? `, but ${first.en}` : ', more often'}.`,
        zh: `若${zh}，${harm.count === 0 ? '不会发生' : '也会发生'}${first ? `，但${first.zh}` : '，且更频繁'}。`,
      };
    }
  }
}
