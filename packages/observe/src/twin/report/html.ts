/** A story as one file of HTML, which needs nothing else and runs nothing. */
import { clean, cleanLines, escapeHtml, htmlDocument } from '../../rendering/index.js';
import type { StoryCause, StoryChain, StoryDifference, StoryMoment, TwinStory } from './types.js';
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

/** Characters of a value. */
const MOST_CHARACTERS = 2000;

/** A whole document without scripts, pictures or external resources; all content of the capture is text. */
export function htmlOf(story: TwinStory, lang: Lang): string {
  const w = (name: keyof typeof words) => escapeHtml(words[name][lang]);
  const { verdict, scenario, kubelet } = story;
  const rows = allKinds.map((kind) => {
    const { compared, same, coverage } = verdict.kinds[kind];
    const differs = same < compared ? ' class="bad"' : '';
    const counted = compared === 0 ? ['', ''] : [String(compared), String(same)];
    return `<tr><td${differs}>${text(kindWords[kind][lang])}</td>${counted.map(number).join('')}${number(figures(same, compared))}<td class="soft">${text(coverageWords[coverage][lang])}</td></tr>`;
  });
  rows.push(
    `<tr><th>${w('total')}</th>${number(String(verdict.compared))}${number(String(verdict.same))}${number(figures(verdict.same, verdict.compared))}<td></td></tr>`,
  );
  const body = [
    `<h1>${text(story.headline[lang])}</h1>`,
    '<dl>',
    item(w('kubelet'), text([kubelet.version, kubelet.node, kubelet.runtime].filter(Boolean).join(', '))),
    item(w('twin'), text(twinWords(story, lang))),
    item(w('period'), `${story.from} … ${story.to}`),
    item(w('sources'), text(story.sources.join(', '))),
    item(w('madeBy'), text(story.by)),
    '</dl>',
    `<h2>${w('verdict')}</h2>`,
    `<p${story.agrees ? '' : ' class="bad"'}>${text(verdict.text[lang])}</p>`,
    `<div class="scroll"><table><thead><tr><th>${w('decision')}</th><th class="n">${w('compared')}</th><th class="n">${w('same')}</th><th></th><th>${w('coverage')}</th></tr></thead><tbody>`,
    ...rows,
    '</tbody></table></div>',
    `<h2>${w('differences')}</h2>`,
    ...differences(story, lang),
    ...(story.troubles.length === 0
      ? []
      : [
          `<h2>${w('troubles')}</h2>`,
          list(
            story.troubles.map(
              (one) =>
                `${time(one, lang)} ${text(one.text[lang])}${one.times > 1 ? ` <span class="soft">(${one.times} ${w('times')})</span>` : ''}`,
            ),
          ),
        ]),
    `<h2>${w('timeline')}</h2>`,
    `<div class="scroll"><table><thead><tr><th>${w('time')}</th><th>${w('pod')}</th><th>${w('whatHappened')}</th><th>${w('twin')}</th></tr></thead><tbody>`,
    ...story.timeline.map((row) => {
      const differs = row.mark !== 'same' && row.mark !== 'open';
      const again =
        row.times === undefined
          ? ''
          : ` <span class="soft">(${row.times} ${w('times')}, … ${row.until?.slice(11, 23)})</span>`;
      return `<tr><td>${time(row, lang)}</td><td>${row.pod === '' ? w('node') : text(row.pod)}</td><td>${text(row.text[lang])}${again}</td><td class="${differs ? 'bad' : 'soft'}">${text(markWords[row.mark][lang])}</td></tr>`;
    }),
    '</tbody></table></div>',
    ...(story.timelineHidden > 0
      ? [`<p class="soft">${text(sentences.rowsHidden(story.timelineHidden)[lang])}</p>`]
      : []),
    `<h2>${w('chance')}</h2>`,
    ...(story.chance.choices.length === 0
      ? [`<p>${text(sentences.noChance(story.chance.tries)[lang])}</p>`]
      : [
          `<p>${text(sentences.chance(story.chance.tries)[lang])}</p>`,
          list(story.chance.choices.map((one) => `${time(one, lang)} ${text(one.text[lang])}`)),
        ]),
    ...(story.causes
      ? [
          `<h2>${w('causes')}</h2>`,
          `<p>${text(story.causes.summary[lang])}</p>`,
          list(story.causes.found.map((one) => text(one.text[lang]))),
          `<p class="soft">${text(story.causes.order[lang])}</p>`,
        ]
      : []),
    `<h2>${w('assumptions')}</h2>`,
    ...(story.assumptions.length === 0
      ? [`<p>${text(sentences.noAssumptions[lang])}</p>`]
      : [
          `<p>${text(sentences.assumptions[lang])}</p>`,
          list(
            story.assumptions.map(
              ({ code, about, text: said }) =>
                `<code>${text(code)}</code>${about && ` ${text(about)}`}: ${text(said[lang])}`,
            ),
          ),
        ]),
    ...((story.twin.mayDiffer ?? []).length === 0
      ? []
      : [`<h2>${w('mayDiffer')}</h2>`, list((story.twin.mayDiffer ?? []).map((one) => text(changeWords(one, lang))))]),
    `<h2>${w('tolerances')}</h2>`,
    ...(story.tolerances.length === 0
      ? [`<p>${text(sentences.noTolerances[lang])}</p>`]
      : [
          `<p>${text(sentences.tolerances[lang])}</p>`,
          list(
            story.tolerances.map(
              ({ rule, text: said, used }) => `<code>${text(rule)}</code>, ${used} ${w('times')}: ${text(said[lang])}`,
            ),
          ),
        ]),
    `<h2>${w('scenario')}</h2>`,
    `<p>${text(sentences.scenario[lang]).replace(/`([^`]*)`/g, '<code>$1</code>')}</p>`,
    `<details><summary>${text(`${scenario.name}.yaml`)}</summary><pre>${escapeHtml(cleanLines(scenario.text))}</pre></details>`,
  ];
  return htmlDocument({ lang, title: `${words.twinReport[lang]}: ${story.headline[lang]}`, body });
}

function differences(story: TwinStory, lang: Lang): string[] {
  if (story.differences.length === 0) return [`<p>${text(words.none[lang])}</p>`];
  const out: string[] = [];
  if (story.differences.length > 1) out.push(`<p class="soft">${text(sentences.firstCounts[lang])}</p>`);
  story.differences.forEach((one, i) => {
    out.push(...difference(one, i + 1, lang));
  });
  if (story.differencesHidden > 0)
    out.push(`<p class="soft">${text(sentences.differencesHidden(story.differencesHidden)[lang])}</p>`);
  return out;
}

function difference(one: StoryDifference, n: number, lang: Lang): string[] {
  const out = [
    `<h3>${n}. ${text(markWords[one.how][lang])}: ${text(one.what)}${one.pod && ` (${text(one.pod)})`}</h3>`,
    `<p>${time(one, lang)} ${text(one.text[lang])}</p>`,
  ];
  if (one.chance !== undefined)
    out.push(`<p class="soft">${text(sentences.byChance[lang])} (<code>${text(one.chance)}</code>)</p>`);
  if (one.values) {
    const [seen, twin] = differingValues(one.values, MOST_CHARACTERS).map((v) => `<td><code>${text(v)}</code></td>`);
    out.push(
      `<div class="scroll"><table><thead><tr><th></th><th>${text(words.seenValue[lang])}</th><th>${text(words.twinValue[lang])}</th></tr></thead><tbody><tr><td><code>${text(one.path ?? '')}</code></td>${seen}${twin}</tr></tbody></table></div>`,
    );
  }
  for (const chain of one.chains) out.push(...causes(chain, lang));
  const { count, first } = one.followers;
  if (count > 0)
    out.push(
      `<p>${text(sentences.followers(count)[lang])}</p>`,
      list([
        ...first.map((follower) => `${time(follower, lang)} ${text(follower.text[lang])}`),
        ...(count > first.length ? ['…'] : []),
      ]),
    );
  return out;
}

function causes({ of, summary, links }: StoryChain, lang: Lang): string[] {
  const title = words[of === 'seen' ? 'whySeen' : 'whyTwin'][lang];
  return [`<p><b>${text(title)}</b>: ${text(summary[lang])}</p>`, list(links.map((link) => cause(link, lang)))];
}

function cause(link: StoryCause, lang: Lang): string {
  const rule = link.rule === undefined ? '' : ` <code>${text(link.rule)}</code>`;
  const lines = link.evidence.map(({ source, line, text: said }) =>
    clean(`${source}${line === undefined ? '' : `:${line}`} ${said}`),
  );
  const block = lines.length === 0 ? '' : `<pre>${escapeHtml(lines.join('\n'))}</pre>`;
  return `${time(link, lang)} ${text(link.text[lang])}${rule}${block}`;
}

const text = (said: string): string => escapeHtml(clean(said));
const number = (figure: string): string => `<td class="n">${figure}</td>`;
const item = (term: string, said: string): string => `<dt>${term}</dt><dd>${said}</dd>`;
const list = (items: readonly string[]): string => `<ul>\n${items.map((one) => `<li>${one}</li>`).join('\n')}\n</ul>`;

/** The time of day; the date is at the top. */
function time({ at, link }: StoryMoment, lang: Lang): string {
  const clock = `<time datetime="${at}">${at.slice(11, 23)}</time>`;
  return link ? `<a href="${escapeHtml(link[lang])}">${clock}</a>` : clock;
}
