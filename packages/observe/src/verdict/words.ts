/** The words of a verdict's report, in both languages. */
import type { IncidentStory, VerdictStory, VerdictText } from './types.js';

export type Lang = keyof VerdictText;

export const words = {
  title: { en: 'Verdict', zh: '结论' },
  kubelet: { en: 'Kubelet', zh: 'kubelet' },
  noVersion: { en: 'of unknown version', zh: '版本未知' },
  period: { en: 'Period', zh: '时段' },
  sources: { en: 'Sources', zh: '来源' },
  programs: { en: 'Programs', zh: '程序' },
  madeBy: { en: 'Made by', zh: '生成者' },
  incidents: { en: 'Incidents', zh: '事故' },
  followed: { en: 'What followed', zh: '由此引起' },
  pods: { en: 'Pods', zh: 'Pod' },
  next: { en: 'Run next', zh: '接下来运行' },
  prevented: { en: 'What would have prevented it', zh: '怎样可以避免' },
  notKnown: { en: 'What stays unknown', zh: '仍然未知的事' },
  expected: { en: 'As intended', zh: '符合预期' },
  unknown: { en: 'Errors of an unknown kind', zh: '未知种类的错误' },
  concluded: { en: 'concluded, not stated', zh: '推断所得，并无来源直接说明' },
  likely: { en: 'likely, by what is known of clusters', zh: '据集群常识推断，可能如此' },
} as const satisfies { readonly [name: string]: VerdictText };

export const more = (n: number): VerdictText => ({
  en: `${n} more troubles are counted only.`,
  zh: `另有 ${n} 个问题只计数。`,
});
/** Says that nothing was found to prevent an incident. */
export const noRemedy: VerdictText = {
  en: 'Nothing that belongs to its kind could be tried.',
  zh: '没有可以尝试的、与其种类相应的改动。',
};
/** The kubelet in a few words; '' if nothing of it is known. */
const who = ({ kubelet: { version, node, runtime } }: VerdictStory, lang: Lang): string => {
  const rest = [node, runtime].filter(Boolean);
  return rest.length === 0 ? version : [version || words.noVersion[lang], ...rest].join(', ');
};
/** "kubelet 812 of 900 lines" */
const programs = (story: VerdictStory, lang: Lang): string =>
  story.programs
    .slice(0, 8)
    .map(({ program, lines, read }) =>
      lang === 'en' ? `${program} ${read} of ${lines} lines` : `${program} ${lines} 行中的 ${read} 行`,
    )
    .join(', ');
/**
 * The head of a verdict: the kubelet, the period and the sources, under the names of their words. `by`: the program
 * that made it.
 */
export const aboutOf = (
  story: VerdictStory,
  lang: Lang,
  by = '',
): (readonly [name: keyof typeof words, said: string])[] =>
  (
    [
      ['kubelet', who(story, lang)],
      ['period', story.from === '' ? '' : `${story.from} … ${story.to}`],
      ['sources', story.sources.join(', ')],
      ['programs', programs(story, lang)],
      ['madeBy', by],
    ] as const
  ).filter(([, said]) => said !== '');
/** How certain it is, if no source states it. */
export const certainty = ({ confidence }: IncidentStory, lang: Lang): string =>
  confidence === 'seen' ? '' : words[confidence === 'likely' ? 'likely' : 'concluded'][lang];
