/** A fleet's verdict for a terminal, and as Markdown. */
import { clean, escapeMarkdown } from '../rendering/index.js';
import type { Lang } from '../verdict/index.js';
import { clockWords } from './clock-words.js';
import type { FleetStory } from './types.js';
import { problemWords } from './unread.js';
import { timeText } from './words.js';

const MOST_NODES = 12;
const MOST_ALONE = 50;
const MOST_MOVES = 20;

export const titles = {
  nodes: { en: 'nodes', zh: '节点' },
  alone: { en: 'Of one node each', zh: '只涉及一个节点' },
  moves: { en: 'Pods that moved to another node', zh: '转移到其他节点的 Pod' },
  clocks: { en: 'Clocks', zh: '时钟' },
  unread: { en: 'Not read', zh: '未读取' },
  period: { en: 'period', zh: '时段' },
} as const;

/** Names of nodes, a bounded number of them. */
export function named(nodes: readonly string[], lang: Lang): string {
  const shown = nodes.slice(0, MOST_NODES).join(lang === 'en' ? ', ' : '、');
  const more = nodes.length - MOST_NODES;
  return more > 0 ? `${shown}${lang === 'en' ? `, and ${more} more` : ` 等 ${nodes.length} 个`}` : shown;
}

export interface Section {
  readonly title: string;
  readonly lines: readonly string[];
}

export function sections(story: FleetStory, lang: Lang): Section[] {
  const { alone, moves, nodes } = story;
  const limited = (lines: readonly string[], most: number) =>
    lines.length <= most
      ? lines
      : [...lines.slice(0, most), lang === 'en' ? `and ${lines.length - most} more` : `另有 ${lines.length - most} 项`];
  const all: Section[] = [
    {
      title: titles.moves[lang],
      lines: limited(
        moves.map(({ text }) => text[lang]),
        MOST_MOVES,
      ),
    },
    {
      title: titles.alone[lang],
      lines: limited(
        alone.map(({ node, incident }) => `${node}: ${incident.text[lang]}`),
        MOST_ALONE,
      ),
    },
    {
      title: titles.clocks[lang],
      lines: limited(
        nodes.flatMap((node) => {
          const words = clockWords(node);
          return words ? [words[lang]] : [];
        }),
        MOST_ALONE,
      ),
    },
    {
      title: titles.unread[lang],
      lines: limited(
        nodes.flatMap((node) => {
          const words = problemWords(node);
          return words ? [`${node.name}: ${words[lang]}`] : [];
        }),
        MOST_ALONE,
      ),
    },
  ];
  return all.filter(({ lines }) => lines.length > 0);
}

export const period = ({ from, to }: FleetStory): string =>
  from === null || to === null ? '' : `${timeText(from, true)} … ${timeText(to, true)} UTC`;

/** Returns a story in lines: its verdict first. */
export function fleetText(story: FleetStory, lang: Lang): string {
  const { verdict, causes } = story;
  const out = [clean(verdict.text[lang]), clean(verdict.read[lang])];
  if (period(story) !== '') out.push(`${titles.period[lang]}: ${period(story)}`);
  causes.forEach(({ text, nodes }, i) => {
    out.push('', `${i + 1}. ${clean(text[lang])}`, `   ${titles.nodes[lang]}: ${clean(named(nodes, lang))}`);
  });
  for (const { title, lines } of sections(story, lang))
    out.push('', `${title}:`, ...lines.map((line) => `- ${clean(line)}`));
  return `${out.join('\n')}\n`;
}

/** Returns a story as Markdown. No content of a source becomes markup. */
export function fleetMarkdown(story: FleetStory, lang: Lang): string {
  const md = escapeMarkdown;
  const { verdict, causes } = story;
  const out = [`# ${md(verdict.text[lang])}`, '', md(verdict.read[lang])];
  if (period(story) !== '') out.push('', `${titles.period[lang]}: ${md(period(story))}`);
  causes.forEach(({ text, nodes }, i) => {
    out.push('', `## ${i + 1}\\. ${md(text[lang])}`, '', `${titles.nodes[lang]}: ${md(named(nodes, lang))}`);
  });
  for (const { title, lines } of sections(story, lang))
    out.push('', `## ${title}`, '', ...lines.map((line) => `- ${md(line)}`));
  return `${out.join('\n')}\n`;
}
