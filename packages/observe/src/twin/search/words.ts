import type { Micros, TraceRecord } from '@syncloop/core/trace';
import type { Difference, TwinText } from '../base/types.js';
import type { Point } from './attempt.js';
import type { DecidingChoice, TwinSearchReport } from './types.js';

const seconds = (time: Micros): string => `${(time / 1e6).toFixed(3)} s`;

/** The names of goroutines in sentences, for those with a well-known role. */
const roles: readonly (readonly [RegExp, (match: readonly string[]) => TwinText])[] = [
  [/^podWorker (?:[^/]+\/)?(.+)$/, ([, pod]) => ({ en: `the worker of ${pod}`, zh: `${pod} 的 worker` })],
  [/^genericPLEG$/, () => ({ en: 'the relist', zh: 'relist' })],
  [/^syncLoop$/, () => ({ en: 'the sync loop', zh: 'syncLoop' })],
  [/^statusManager$/, () => ({ en: 'the status manager', zh: '状态管理器' })],
  [/^sourceFile/, () => ({ en: 'the reader of the manifests', zh: '清单文件的读取' })],
  [/^mux (.+)$/, ([, source]) => ({ en: `the config source ${source}`, zh: `配置来源 ${source}` })],
  [
    /^probe (\w+) (?:[^/]+\/)?([^/]+)\/(.+)$/,
    ([, type, pod, container]) => ({
      en: `the ${type} probe of ${container} in ${pod}`,
      zh: `${pod} 中 ${container} 的 ${type} 探针`,
    }),
  ],
  [/^containerd (.+)$/, ([, method]) => ({ en: `the runtime's ${method}`, zh: `运行时的 ${method}` })],
  [/^scenario$/, () => ({ en: 'the input from outside', zh: '外部的操作' })],
];

export function goroutineInWords(name: string): TwinText {
  for (const [pattern, words] of roles) {
    const match = pattern.exec(name);
    if (match) return words(match);
  }
  return { en: `the goroutine ${name}`, zh: `goroutine ${name}` };
}

/** A choice of a run in words. `instead`: options that are known to be worse; default: all other options. */
export function choiceInWords(
  point: Point,
  records: readonly TraceRecord[],
  instead: readonly number[] = point.options.map((_, i) => i).filter((i) => i !== point.taken),
): DecidingChoice {
  const { kind, decision, time, names } = point;
  const taken = names[point.taken] ?? '';
  const others = instead.map((i) => names[i] ?? '');
  const g = kind === 'select' ? point.g : point.options[point.taken];
  const shown = records.slice(point.after).find((r) => r.g === g && (kind !== 'select' || r.kind === 'select'));
  const at = seconds(time);
  const of = kind === 'select' ? goroutineInWords(nameOf(g ?? 0, records)) : null;
  const [first, second] = [goroutineInWords(taken), others.map(goroutineInWords)];
  const text = of
    ? {
        en: `It happened because ${taken} won over ${listEn(others)} in ${of.en}, at ${at} of the twin.`,
        zh: `原因：在孪生的 ${at}，${of.zh} 的 select 选中了 ${taken}，而不是 ${listZh(others)}。`,
      }
    : {
        en: `It happened because ${first.en} went before ${listEn(second.map((w) => w.en))}, at ${at} of the twin.`,
        zh: `原因：在孪生的 ${at}，${first.zh} 先于 ${listZh(second.map((w) => w.zh))} 运行。`,
      };
  return { kind, decision, seq: (shown ?? records[point.after])?.seq ?? 0, time, taken, instead: others, text };
}

const nameOf = (g: number, records: readonly TraceRecord[]): string => {
  const start = records.find((r) => r.kind === 'goroutine-start' && r.id === g);
  return start?.kind === 'goroutine-start' ? start.name : `${g}`;
};

/** The result that no single choice of that seed's run decides. `besides`: other choices decide as well. */
export const jitter = (seed: number, time: Micros, besides: boolean): DecidingChoice => ({
  kind: 'jitter',
  decision: 0,
  seq: 0,
  time,
  taken: `seed ${seed}`,
  instead: [],
  text: {
    en: `${besides ? 'It also' : 'It'} needs the jitter of seed ${seed}: its durations and random draws together; no single one decides.`,
    zh: `${besides ? '此外还' : ''}需要种子 ${seed} 的抖动：它的耗时和随机选择，其中任何一个都不能单独决定结果。`,
  },
});

const listEn = (items: readonly string[]): string =>
  items.length < 2 ? (items[0] ?? '') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
const listZh = (items: readonly string[]): string =>
  items.length < 2 ? (items[0] ?? '') : `${items.slice(0, -1).join('、')}和 ${items.at(-1)}`;

type Outcome = Pick<TwinSearchReport, 'state' | 'tries' | 'best' | 'before' | 'choices' | 'foundAfter'>;

export function summaryOf({ state, tries, best, before, choices, foundAfter }: Outcome): TwinText {
  const first = best?.judged.differences[0];
  if (state === 'searching')
    return {
      en: `${plural(tries, 'schedule')} tried.${remains(first).en}`,
      zh: `已尝试 ${tries} 种调度。${remains(first).zh}`,
    };
  if (state === 'agrees') {
    if (before?.differences.length === 0 && choices.length === 0)
      return {
        en: 'The twin does what the observed kubelet did; no search was needed.',
        zh: '孪生与观察到的 kubelet 一致，无需搜索。',
      };
    return {
      en: `The twin does what the observed kubelet did, by ${plural(choices.length, 'choice')}, found after ${plural(foundAfter, 'try', 'tries')}. ${choices.map((c) => c.text.en).join(' ')}`,
      zh: `通过 ${choices.length} 个选择，孪生与观察到的 kubelet 一致，尝试 ${foundAfter} 次后找到。${choices.map((c) => c.text.zh).join('')}`,
    };
  }
  const left = best?.judged.differences.length ?? 0;
  const were = before?.differences.length ?? 0;
  return {
    en: `No schedule was found in ${plural(tries, 'try', 'tries')} under which the twin does all that the observed kubelet did: ${plural(left, 'difference')} left of ${were}.${remains(first).en}`,
    zh: `尝试 ${tries} 次，没有找到能让孪生与观察到的 kubelet 完全一致的调度：${were} 处差异还剩 ${left} 处。${remains(first).zh}`,
  };
}

const remains = (first: Difference | undefined): TwinText =>
  first
    ? { en: ` The first that remains: ${first.text.en}`, zh: `剩下的第一处：${first.text.zh}` }
    : { en: '', zh: '' };

const plural = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;
