/** Parts of the words for decisions. */
import type { RecordOf } from '../../records.js';
import { type NarrationPart, quote, type Sentence } from '../parts.js';
import { reasonZh } from '../reasons-zh.js';

export type Decision = RecordOf<'decision'>;

/** Who a decision is about, as links, and its values as text. */
export interface About {
  readonly r: Decision;
  readonly pod: NarrationPart;
  readonly container: NarrationPart;
  /** A value as text; '' if there is none. */
  readonly value: (key: string) => string;
}

export interface Said {
  readonly en: (a: About) => Sentence;
  readonly zh: (a: About) => Sentence;
}
/** By verdict; `else` is any other. */
export type Rule = { readonly [verdict: string]: Said } & { readonly else?: Said };

export const why = ({ r }: About): string => (typeof r.values.why === 'string' ? quote(r.values.why) : '');
export const whyZh = ({ r }: About): string => (typeof r.values.why === 'string' ? reasonZh(r.values.why) : '');

/** The words of some rules, by rule. */
export type Rules = { readonly [rule: string]: Rule };
