/** A story for a terminal: verdict and first difference first, so that they are seen without scrolling. */
import { clean } from '../../rendering/index.js';
import type { StoryDifference, TwinStory } from './types.js';
import { differingValues } from './values.js';
import {
  allKinds,
  changeWords,
  coverageWords,
  figures,
  kindWords,
  type Lang,
  markWords,
  sentences,
  twinWords,
  words,
} from './words.js';

/** Differences after the first that get a line each. */
const MOST_LISTED = 9;
/** Characters of a value. */
const MOST_CHARACTERS = 200;

export function textOf(story: TwinStory, lang: Lang): string {
  const w = (name: keyof typeof words) => words[name][lang];
  const { verdict, differences, differencesHidden, kubelet } = story;
  const who = [kubelet.version, kubelet.node, kubelet.runtime].filter(Boolean).join(', ');
  const out = [
    `${w('kubelet')}: ${clean(who)}`,
    `${w('twin')}: ${clean(twinWords(story, lang))}`,
    `${w('period')}: ${story.from} … ${story.to}`,
    '',
    clean(verdict.text[lang]),
    '',
    ...verdictTable(story, lang),
  ];
  const [first, ...others] = differences;
  if (first) {
    out.push('', ...firstDifference(first, lang));
    for (const [i, one] of others.slice(0, MOST_LISTED).entries()) out.push(`${i + 2}. ${line(one, lang)}`);
    const more = differencesHidden + Math.max(0, others.length - MOST_LISTED);
    if (more > 0) out.push(clean(sentences.differencesHidden(more)[lang]));
  }
  const { tries, choices } = story.chance;
  if (choices.length > 0)
    out.push(
      '',
      `${w('chance')}: ${sentences.chance(tries)[lang]}`,
      ...choices.map((one) => `- ${one.at.slice(11, 23)} ${clean(one.text[lang])}`),
    );
  else if (first && tries > 1) out.push('', sentences.noChance(tries)[lang]);
  const { causes } = story;
  if (causes)
    out.push(
      '',
      `${w('causes')}: ${clean(causes.summary[lang])}`,
      ...causes.found.slice(1).map(({ text }, i) => `${i + 2}. ${clean(text[lang])}`),
      clean(causes.order[lang]),
    );
  if (story.assumptions.length > 0)
    out.push(
      '',
      `${w('assumptions')}:`,
      ...story.assumptions.map(
        ({ code, about, text }) => `- ${code}${about && ` ${clean(about)}`}: ${clean(text[lang])}`,
      ),
    );
  const { mayDiffer = [] } = story.twin;
  if (first && mayDiffer.length > 0)
    out.push('', `${w('mayDiffer')}:`, ...mayDiffer.map((one) => `- ${changeWords(one, lang)}`));
  if (story.tolerances.length > 0)
    out.push(
      '',
      `${w('tolerances')}:`,
      ...story.tolerances.map(({ rule, text, used }) => `- ${rule}, ${used} ${w('times')}: ${clean(text[lang])}`),
    );
  return `${out.join('\n')}\n`;
}

function verdictTable({ verdict }: TwinStory, lang: Lang): string[] {
  const rows = allKinds.map((kind) => {
    const { compared, same, coverage } = verdict.kinds[kind];
    return compared === 0
      ? [kindWords[kind][lang], '', '', coverageWords[coverage][lang]]
      : [kindWords[kind][lang], `${same}/${compared}`, figures(same, compared), coverageWords[coverage][lang]];
  });
  const width = (column: number) => Math.max(...rows.map((row) => wide(row[column] as string)));
  const pad = (text: string, to: number) => ' '.repeat(to - wide(text));
  const [names, counts, shares] = [width(0), width(1), width(2)];
  return rows.map(
    ([name = '', count = '', share = '', coverage = '']) =>
      `  ${name}${pad(name, names)}  ${pad(count, counts)}${count}  ${pad(share, shares)}${share}  ${coverage}`,
  );
}

/** Columns of a terminal: Chinese characters and their punctuation take two. */
const wide = (text: string): number => [...text].reduce((sum, c) => sum + (/[\u2e80-\uffef]/.test(c) ? 2 : 1), 0);

function firstDifference(one: StoryDifference, lang: Lang): string[] {
  const out = [`1. ${line(one, lang)}`];
  if (one.chance !== undefined) out.push(`   ${sentences.byChance[lang]} (${one.chance})`);
  if (one.values) {
    const [seen, twin] = differingValues(one.values, MOST_CHARACTERS);
    out.push(
      `   ${clean(one.path ?? '')}`,
      `     ${words.seenValue[lang]}: ${clean(seen)}`,
      `     ${words.twinValue[lang]}: ${clean(twin)}`,
    );
  }
  for (const { of, summary, links } of one.chains) {
    out.push(`   ${words[of === 'seen' ? 'whySeen' : 'whyTwin'][lang]}: ${clean(summary[lang])}`);
    const lines = links.flatMap(({ evidence }) =>
      evidence.map(({ source, line: at, text }) =>
        clean(`${source}${at === undefined ? '' : `:${at}`} ${short(text)}`),
      ),
    );
    out.push(...[...new Set(lines)].map((said) => `     ${said}`));
  }
  if (one.followers.count > 0)
    out.push(
      `   ${sentences.followers(one.followers.count)[lang]}`,
      ...one.followers.first.map((follower) => `     ${follower.at.slice(11, 23)} ${clean(follower.text[lang])}`),
    );
  return out;
}

const line = (one: StoryDifference, lang: Lang): string =>
  `${one.at.slice(11, 23)} (${markWords[one.how][lang]}) ${clean(one.text[lang])}`;
const short = (text: string): string => clean(text.length > 200 ? `${text.slice(0, 200)}…` : text);
