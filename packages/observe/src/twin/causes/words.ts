/** A search for causes in words. */
import type { TwinText, Verdict } from '../base/types.js';
import type { CauseRow, FoundCause } from './types.js';

const together = (texts: readonly TwinText[]): TwinText => ({
  en: texts.map(({ en }) => en).join(', and with '),
  zh: texts.map(({ zh }) => zh).join('，且'),
});

/** "With a grace period of 0 s for web all 27 decisions are the same; without it 21 were." */
export function causeSentence(changes: readonly TwinText[], verdict: Verdict, before: Verdict, left: number): TwinText {
  const { en, zh } = together(changes);
  const { same, compared, differences } = verdict;
  const without = {
    en: `without ${changes.length > 1 ? 'them' : 'it'} ${before.same} of ${before.compared} are`,
    zh: `否则 ${before.compared} 个中有 ${before.same} 个相同`,
  };
  if (left === 0 && same === compared)
    return {
      en: `With ${en} all ${compared} decisions are the same; ${without.en}.`,
      zh: `若${zh}，则全部 ${compared} 个决策相同；${without.zh}。`,
    };
  if (left === 0)
    return {
      en: `With ${en} ${same} of ${compared} decisions are the same, and chance may explain the rest; ${without.en}.`,
      zh: `若${zh}，则 ${compared} 个决策中有 ${same} 个相同，其余可由偶然解释；${without.zh}。`,
    };
  const next = differences.find(({ chance }) => chance === undefined)?.text ?? { en: '', zh: '' };
  return {
    en: `With ${en} ${same} of ${compared} decisions are the same; ${without.en}. What still differs first: ${next.en}`,
    zh: `若${zh}，则 ${compared} 个决策中有 ${same} 个相同；${without.zh}。仍然不同的第一处：${next.zh}`,
  };
}

/** The causes in the order in which they were tried. */
export function orderText(tried: readonly CauseRow[]): TwinText {
  if (tried.length === 0) return { en: 'Nothing was tried.', zh: '没有作任何尝试。' };
  return {
    en: `Tried first is what a difference like the first one suggests, and of that what assumes least: ${tried.map(({ name }) => name.en).join(', ')}. Then up to three changes together.`,
    zh: `先尝试此类差异所提示的原因，其中假设最少者优先：${tried.map(({ name }) => name.zh).join('、')}。随后尝试最多三项改动的组合。`,
  };
}

export function summaryText(
  differ: number | null,
  found: readonly FoundCause[],
  tried: number,
  ended: boolean,
): TwinText {
  if (differ === null) return { en: 'It was stopped before anything was tried.', zh: '在开始尝试之前就已停止。' };
  if (differ === 0) return { en: 'No decision differs: there is nothing to explain.', zh: '没有决定不同：无需解释。' };
  const [best] = found;
  const runs = { en: `${tried} ${tried === 1 ? 'change was' : 'changes were'} tried`, zh: `尝试了 ${tried} 项改动` };
  if (!best)
    return ended
      ? { en: `None of the causes explains what differs; ${runs.en}.`, zh: `没有一种原因能解释这些差异；${runs.zh}。` }
      : { en: `Nothing found yet; ${runs.en}.`, zh: `尚未找到；${runs.zh}。` };
  return { en: `${best.text.en} (${runs.en}.)`, zh: `${best.text.zh}（${runs.zh}。）` };
}
