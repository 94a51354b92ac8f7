/** The words of a report, in both languages. */
import { type Coverage, type DecisionKind, decisionKinds, type TwinText } from '../base/types.js';
import type { Teller } from './teller.js';
import type { ReportInput, StoryChange, StoryMark, TwinStory } from './types.js';

export type Lang = keyof TwinText;

export const kindWords: { readonly [K in DecisionKind]: TwinText } = {
  config: { en: 'config operations', zh: '配置操作' },
  pleg: { en: 'PLEG events', zh: 'PLEG 事件' },
  sync: { en: 'worker syncs', zh: 'worker 同步' },
  call: { en: 'CRI calls', zh: 'CRI 调用' },
  kill: { en: 'kills', zh: '终止容器' },
  restart: { en: 'restarts and back-offs', zh: '重启与退避' },
  status: { en: 'pod statuses', zh: 'Pod 状态' },
  event: { en: 'Kubernetes events', zh: 'Kubernetes 事件' },
};

export const coverageWords: { readonly [K in Coverage[DecisionKind]]: TwinText } = {
  whole: { en: 'all reported', zh: '全部可见' },
  part: { en: 'some reported', zh: '部分可见' },
  none: { en: 'not reported', zh: '不可见' },
};

export const markWords: { readonly [K in StoryMark]: TwinText } = {
  same: { en: 'same', zh: '一致' },
  open: { en: 'not compared', zh: '未比较' },
  missing: { en: 'only the real kubelet', zh: '仅真实 kubelet' },
  extra: { en: 'only the twin', zh: '仅孪生' },
  value: { en: 'another value', zh: '值不同' },
  order: { en: 'another order', zh: '顺序不同' },
  time: { en: 'another time', zh: '时间不同' },
};

export const words = {
  twin: { en: 'Twin', zh: '孪生' },
  mayDiffer: { en: 'What changed between these versions, and may differ', zh: '这两个版本之间的改动，可能造成差异' },
  twinReport: { en: 'Twin report', zh: '孪生报告' },
  verdict: { en: 'Verdict', zh: '结论' },
  decision: { en: 'Decision', zh: '决策' },
  same: { en: 'Same', zh: '一致' },
  compared: { en: 'Compared', zh: '比较' },
  coverage: { en: 'In the sources', zh: '来源所见' },
  total: { en: 'all', zh: '合计' },
  troubles: { en: 'What went wrong on the node', zh: '节点上出了什么问题' },
  timeline: { en: 'Timeline', zh: '时间线' },
  time: { en: 'Time (UTC)', zh: '时间（UTC）' },
  pod: { en: 'Pod', zh: 'Pod' },
  whatHappened: { en: 'What happened', zh: '发生了什么' },
  differences: { en: 'Differences', zh: '差异' },
  seenValue: { en: 'Real kubelet', zh: '真实 kubelet' },
  twinValue: { en: 'Twin', zh: '孪生' },
  whySeen: { en: 'Why the real kubelet did it', zh: '真实 kubelet 为何如此' },
  whyTwin: { en: 'Why the twin did it', zh: '孪生为何如此' },
  chance: { en: 'What chance decided', zh: '由偶然决定的事' },
  causes: { en: 'What may have caused it', zh: '可能的原因' },
  assumptions: { en: 'Assumptions', zh: '假设' },
  tolerances: { en: 'Tolerances used', zh: '用到的容差' },
  times: { en: 'times', zh: '次' },
  scenario: { en: 'The scenario', zh: '场景' },
  open: { en: 'open this moment', zh: '打开此刻' },
  sources: { en: 'Sources', zh: '来源' },
  kubelet: { en: 'Kubelet', zh: 'kubelet' },
  period: { en: 'Period', zh: '时段' },
  madeBy: { en: 'Made by', zh: '生成者' },
  none: { en: 'None.', zh: '无。' },
  node: { en: 'node', zh: '节点' },
} as const satisfies { readonly [name: string]: TwinText };

export const sentences = {
  rowsHidden: (n: number): TwinText => ({
    en: `${n} more rows, away from the differences, are left out; the scenario contains all of them.`,
    zh: `另有 ${n} 行离差异较远，未列出；场景中全部都有。`,
  }),
  differencesHidden: (n: number): TwinText => ({
    en: `${n} more differences are left out. After the first one the two runs are no longer in the same situation, so later ones often follow from it.`,
    zh: `另有 ${n} 处差异未列出。第一处差异之后，两次运行的处境已不相同，后面的差异往往由它引起。`,
  }),
  followers: (n: number): TwinText => ({
    en: n === 1 ? 'What followed from it in the same pod:' : `What followed from it in the same pod, ${n} decisions:`,
    zh: `在同一 Pod 中由此引起的 ${n} 个决策：`,
  }),
  byChance: {
    en: 'Upstream leaves this to chance: both outcomes are possible, and neither kubelet is at fault.',
    zh: '上游将此交由偶然决定：两种结果都有可能，不是任何一方的错误。',
  },
  firstCounts: {
    en: 'The first difference is the one to look at: after it the two runs are no longer in the same situation, so later ones often follow from it.',
    zh: '请先看第一处差异：在它之后两次运行的处境已不相同，后面的差异往往由它引起。',
  },
  chance: (tries: number): TwinText => ({
    en: `Found in ${tries} ${tries === 1 ? 'run' : 'runs'} of the twin. With these choices the twin does what the real kubelet did.`,
    zh: `在 ${tries} 次孪生运行中找到。作出这些选择时，孪生与真实 kubelet 的行为一致。`,
  }),
  noChance: (tries: number): TwinText =>
    tries <= 1
      ? {
          en: 'None: the twin was compared once, in its usual order; no other schedule was tried.',
          zh: '无：孪生按通常的顺序运行并比较了一次，没有尝试其他调度。',
        }
      : {
          en: `${tries} schedules and seeds were tried; none of them brought the twin closer to what the real kubelet did.`,
          zh: `尝试了 ${tries} 种调度和种子，没有一种让孪生更接近真实 kubelet 的行为。`,
        },
  assumptions: {
    en: 'No source reports these facts, so the twin uses defaults. One of them may be the reason for a difference.',
    zh: '没有来源说明以下内容，孪生采用默认值。差异可能由其中之一引起。',
  },
  noAssumptions: { en: 'None: the sources report all that the twin needs.', zh: '无：孪生所需的信息均有来源说明。' },
  tolerances: {
    en: 'These vary from run to run of the same kubelet, and do not count as differences.',
    zh: '同一个 kubelet 的每次运行都会在这些方面有所不同，它们不算差异。',
  },
  noTolerances: { en: 'None was needed.', zh: '未用到。' },
  scenario: {
    en: 'It re-enacts the incident on a simulated node. Save it as a file and run `syncloop simulate FILE`, or drop it onto the page of `syncloop serve`.',
    zh: '它在模拟节点上重演这次事件。将其存为文件后运行 `syncloop simulate FILE`，或拖放到 `syncloop serve` 的页面上。',
  },
} as const;

/** Returns one sentence about the whole report. */
export function headlineOf({ verdict, kubelet, scenario }: ReportInput, teller: Teller): TwinText {
  const { version, node } = kubelet;
  const who = (lang: Lang) =>
    lang === 'en'
      ? `kubelet${version && ` ${version}`}${node && ` of ${node}`}`
      : `${node && `${node} 的 `}kubelet${version && ` ${version}`}`;
  const { compared } = verdict;
  const first = verdict.differences[0];
  if (compared === 0)
    return {
      en: `Nothing that the ${who('en')} left behind could be compared`,
      zh: `${who('zh')} 留下的内容中没有可比较的`,
    };
  if (!first)
    return {
      en: `The ${who('en')} decided the same as its twin, ${counted(compared)} of ${counted(compared)} times`,
      zh: `${who('zh')} 的 ${counted(compared)} 个决策与孪生全部一致`,
    };
  const decision = first.seen ?? first.twin;
  const time = (decision?.time ?? 0) + (first.seen ? 0 : scenario.seenFrom);
  const clock = teller.at(time).slice(11, 19);
  return {
    en: `The ${who('en')} differs from its twin at ${clock} UTC: ${ending(first.text.en)}`,
    zh: `${who('zh')} 于 ${clock}（UTC）与孪生出现差异：${ending(first.text.zh)}`,
  };
}

/** Returns the version of the twin's kubelet, and why it was chosen. */
export function twinWords({ twin: { era, why } }: Pick<TwinStory, 'twin'>, lang: Lang): string {
  if (!why) return `kubelet ${era}`;
  return lang === 'en' ? `kubelet ${era}; ${why.en}` : `kubelet ${era}；${why.zh}`;
}
/** A change between the versions of both, as an item of a list. */
export const changeWords = ({ since, title }: StoryChange, lang: Lang): string =>
  lang === 'en' ? `${since}: ${title.en}` : `${since}：${title.zh}`;

/** A sentence as a part of another: without its full stop. */
const ending = (text: string): string => text.replace(/[.。]\s*$/, '');

export const counted = (n: number): string => String(n);
export const figures = (same: number, compared: number): string =>
  compared === 0 ? '' : same === compared ? '100 %' : `${Math.floor((1000 * same) / compared) / 10} %`;
export const allKinds = decisionKinds;
