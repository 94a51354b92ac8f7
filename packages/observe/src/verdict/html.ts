/** A verdict as one file of HTML, which needs nothing else and runs nothing. */
import { clean, escapeHtml, htmlDocument } from '../rendering/index.js';
import type { IncidentStory, VerdictStory } from './types.js';
import { aboutOf, certainty, type Lang, more, noRemedy, words } from './words.js';

const text = (said: string): string => escapeHtml(clean(said));
const list = (items: readonly string[]): string => `<ul>\n${items.map((one) => `<li>${one}</li>`).join('\n')}\n</ul>`;

export function htmlOf(story: VerdictStory, lang: Lang): string {
  const w = (name: keyof typeof words) => text(words[name][lang]);
  const body = [
    `<h1>${text(story.verdict.text[lang])}</h1>`,
    ...(story.verdict.read ? [`<p class="soft">${text(story.verdict.read[lang])}</p>`] : []),
    '<dl>',
    ...aboutOf(story, lang, story.by).map(([name, said]) => `<dt>${w(name)}</dt><dd>${text(said)}</dd>`),
    '</dl>',
    ...(story.incidents.length > 0 ? [`<h2>${w('incidents')}</h2>`] : []),
    ...story.incidents.flatMap((one, i) => incident(one, i + 1, lang)),
    ...(story.prevention
      ? [
          `<h2>${w('prevented')}</h2>`,
          `<p>${text(story.prevention.incident[lang])}</p>`,
          story.prevention.tried.length === 0
            ? `<p>${text(noRemedy[lang])}</p>`
            : list(story.prevention.tried.map((one) => text(one.text[lang]))),
          ...(story.prevention.unknown.length === 0
            ? []
            : [`<p>${w('notKnown')}:</p>`, list(story.prevention.unknown.map((one) => text(one[lang])))]),
        ]
      : []),
    ...(story.more > 0 ? [`<p class="soft">${text(more(story.more)[lang])}</p>`] : []),
    ...(story.expected.length > 0
      ? [`<h2>${w('expected')}</h2>`, list(story.expected.map((one) => text(one.text[lang])))]
      : []),
    ...(story.unknown.count > 0
      ? [
          `<h2>${w('unknown')} (${story.unknown.count})</h2>`,
          list(story.unknown.some.map(({ what, count }) => `${count} × <code>${text(what)}</code>`)),
        ]
      : []),
  ];
  return htmlDocument({ lang, title: `${words.title[lang]}: ${story.verdict.text[lang]}`, body });
}

function incident(one: IncidentStory, n: number, lang: Lang): string[] {
  const w = (name: keyof typeof words) => text(words[name][lang]);
  const certain = certainty(one, lang);
  return [
    `<h3>${n}. ${text(one.text[lang])}</h3>`,
    ...(certain === '' ? [] : [`<p class="soft">${text(certain)}</p>`]),
    ...(one.consequences.length === 0
      ? []
      : [
          `<p>${w('followed')}:</p>`,
          list(
            one.consequences.map(
              ({ at, time, text: said, count }) =>
                `<time datetime="${text(at)}">${text(time)}</time> ${text(said[lang])}${count > 1 ? ` <span class="soft">(${count})</span>` : ''}`,
            ),
          ),
        ]),
    ...(one.pods.length === 0 ? [] : [`<p>${w('pods')}: ${text(one.pods.join(', '))}</p>`]),
    ...(one.next.length === 0
      ? []
      : [
          `<p>${w('next')}:</p>`,
          `<pre>${one.next.map(({ command, why }) => `${text(command)}   # ${text(why[lang])}`).join('\n')}</pre>`,
        ]),
  ];
}
