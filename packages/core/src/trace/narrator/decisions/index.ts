/**
 * Decisions of the kubelet in plain words, by their rule and verdict. A rule that is not here, or a verdict that none
 * of its rows knows, is said with its name and values.
 */
import { type Names, quote, type Sentence, say } from '../parts.js';
import { decisionsOfContainers } from './of-containers.js';
import { decisionsOfPods } from './of-pods.js';
import type { Decision, Rules } from './words.js';

const rules: Rules = { ...decisionsOfPods, ...decisionsOfContainers };

/** The function that decides: a rule may be a part of one, such as `SyncPod: terminal`. */
const functionOf = ({ rule }: Decision): string => rule.split(': ', 1)[0] ?? rule;

/** Returns a decision in plain words; undefined if there are none for it. */
export function decisionWords(r: Decision, n: Names, lang: 'en' | 'zh'): Sentence | undefined {
  const rule = Object.hasOwn(rules, r.rule) ? rules[r.rule] : undefined;
  const said = rule && (Object.hasOwn(rule, r.verdict) ? rule[r.verdict] : rule.else);
  if (!said) return undefined;
  const ref = { pod: r.pod ?? '', uid: r.uid ?? '' };
  const words = said[lang]({
    r,
    pod: n.pod(ref),
    container: n.containerOf(ref, r.container ?? ''),
    value: (key) => {
      const value = r.values[key];
      return value === undefined || value === null ? '' : quote(n.named(String(value)));
    },
  });
  return say`${functionOf(r)}${lang === 'en' ? ': ' : '：'}${words}`;
}
