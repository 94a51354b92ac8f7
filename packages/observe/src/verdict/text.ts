/** A verdict for a terminal: its sentence first, then each incident with its chain and its commands. */
import { clean } from '../rendering/index.js';
import type { IncidentStory, VerdictStory } from './types.js';
import { certainty, type Lang, more, noRemedy, programs, who, words } from './words.js';

const MOST_PODS = 5;

export function textOf(story: VerdictStory, lang: Lang): string {
  const w = (name: keyof typeof words) => words[name][lang];
  const out = [clean(story.verdict.text[lang])];
  if (story.verdict.read) out.push(clean(story.verdict.read[lang]));
  const about = [
    ['kubelet', who(story, lang)],
    ['period', story.from === '' ? '' : `${story.from} … ${story.to}`],
    ['sources', story.sources.join(', ')],
    ['programs', programs(story, lang)],
  ] as const;
  out.push('', ...about.flatMap(([name, said]) => (said === '' ? [] : [`${w(name)}: ${clean(said)}`])));
  story.incidents.forEach((one, i) => {
    out.push('', `${i + 1}. ${clean(one.text[lang])}`, ...incident(one, lang));
  });
  const { prevention } = story;
  if (prevention)
    out.push(
      '',
      `${w('prevented')} (${clean(prevention.incident[lang])}):`,
      ...(prevention.tried.length === 0 ? [noRemedy[lang]] : []),
      ...prevention.tried.map(({ text }) => `- ${clean(text[lang])}`),
      ...(prevention.unknown.length === 0 ? [] : [`${w('notKnown')}:`]),
      ...prevention.unknown.map((text) => `- ${clean(text[lang])}`),
    );
  if (story.more > 0) out.push('', more(story.more)[lang]);
  if (story.expected.length > 0)
    out.push('', `${w('expected')}:`, ...story.expected.map((one) => `- ${clean(one.text[lang])}`));
  if (story.unknown.count > 0)
    out.push(
      '',
      `${w('unknown')}: ${story.unknown.count}`,
      ...story.unknown.some.map(({ what, count }) => `- ${count} x ${clean(what)}`),
    );
  return `${out.join('\n')}\n`;
}

function incident(one: IncidentStory, lang: Lang): string[] {
  const certain = certainty(one, lang);
  const pods =
    one.pods.length > 1 ? one.pods.slice(0, MOST_PODS).join(', ') + (one.pods.length > MOST_PODS ? ', …' : '') : '';
  return [
    ...(certain === '' ? [] : [`   (${certain})`]),
    ...one.consequences.map(
      ({ at, text, count }) => `   → ${at.slice(11, 19)} ${clean(text[lang])}${count > 1 ? ` (${count})` : ''}`,
    ),
    ...(pods === '' ? [] : [`   ${words.pods[lang]}: ${clean(pods)}`]),
    ...one.next.map(({ command, why }) => `   $ ${clean(command)}   # ${clean(why[lang])}`),
  ];
}
