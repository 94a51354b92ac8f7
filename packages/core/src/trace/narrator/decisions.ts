/**
 * Decisions of the kubelet in plain words, by their rule and verdict. A rule that is not here, or a verdict that none
 * of its rows knows, is said with its name and values.
 */
import type { RecordOf } from '../records.js';
import { type Names, type NarrationPart, quote, type Sentence, say } from './parts.js';

type Decision = RecordOf<'decision'>;

/** Who a decision is about, as links, and its values as text. */
export interface About {
  readonly r: Decision;
  readonly pod: NarrationPart;
  readonly container: NarrationPart;
  /** A value as text; '' if there is none. */
  readonly value: (key: string) => string;
}
export type Words = (about: About) => Sentence;
/** By verdict; `else` is any other. */
export type Rule = { readonly [verdict: string]: Words } & { readonly else?: Words };
export type Rules = { readonly [rule: string]: Rule };

/** A duration as Go prints it, with as many digits as one reads: `878.841ms` is `878ms`, `12.345s` is `12.3s`. */
export const roughly = (text: string): string =>
  text.replace(/^(\d+)\.(\d)\d*(m?s)$/, (_, whole, tenth, unit) =>
    unit === 'ms' ? `${whole}ms` : `${whole}.${tenth}s`,
  );

/** The function that decides: a rule may be a part of one, such as `SyncPod: terminal`. */
const functionOf = ({ rule }: Decision): string => rule.split(': ', 1)[0] ?? rule;

/** Returns a decision in the words of a language, `colon` behind the function; undefined if there are none for it. */
export function decisionWords(rules: Rules, r: Decision, n: Names, colon: string): Sentence | undefined {
  const rule = Object.hasOwn(rules, r.rule) ? rules[r.rule] : undefined;
  const words = rule && (Object.hasOwn(rule, r.verdict) ? rule[r.verdict] : rule.else);
  if (!words) return undefined;
  const ref = { pod: r.pod ?? '', uid: r.uid ?? '' };
  const said = words({
    r,
    pod: n.pod(ref),
    container: n.containerOf(ref, r.container ?? ''),
    value: (key) => {
      const value = r.values[key];
      return value === undefined || value === null ? '' : quote(n.named(String(value)));
    },
  });
  return say`${functionOf(r)}${colon}${said}`;
}
