/** A verdict for a terminal: its sentence first, then each incident with its chain and its commands. */
import { clean } from '../rendering/index.js';
import type { IncidentStory, PreventionStory, VerdictStory } from './types.js';
import { aboutOf, certainty, type Lang, more, noRemedy, words } from './words.js';

const MOST_PODS = 5;

export function textOf(story: VerdictStory, lang: Lang): string {
  const w = (name: keyof typeof words) => words[name][lang];
  const out = [clean(story.verdict.text[lang])];
  if (story.verdict.read) out.push(clean(story.verdict.read[lang]));
  out.push('', ...aboutOf(story, lang).map(([name, said]) => `${w(name)}: ${clean(said)}`));
  story.incidents.forEach((one, i) => {
    out.push('', `${i + 1}. ${clean(one.text[lang])}`, ...incident(one, lang));
  });
  if (story.prevention) out.push('', ...preventionText(story.prevention, lang));
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
      ({ time, text, count }) =>
        `   → ${time === '' ? '' : `${time} `}${clean(text[lang])}${count > 1 ? ` (${count})` : ''}`,
    ),
    ...(pods === '' ? [] : [`   ${words.pods[lang]}: ${clean(pods)}`]),
    ...one.next.map(({ command, why }) => `   $ ${clean(command)}   # ${clean(why[lang])}`),
  ];
}

/** The lines that say what would have prevented an incident. */
export function preventionText({ incident, tried, unknown }: PreventionStory, lang: Lang): string[] {
  return [
    `${words.prevented[lang]} (${clean(incident[lang])}):`,
    ...(tried.length === 0 ? [noRemedy[lang]] : []),
    ...tried.map(({ text }) => `- ${clean(text[lang])}`),
    ...(unknown.length === 0 ? [] : [`${words.notKnown[lang]}:`]),
    ...unknown.map((text) => `- ${clean(text[lang])}`),
  ];
}
