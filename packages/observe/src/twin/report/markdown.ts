/** A story as Markdown, for an issue or a ticket. */
import { clean, escapeMarkdown, fenced } from '../../rendering/index.js';
import type { StoryCause, StoryChain, StoryDifference, StoryMoment, StoryRow, TwinStory } from './types.js';
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
const MOST_CHARACTERS = 150;

/** GitHub-flavoured Markdown, ending with a line break. No content of the capture becomes markup. */
export function markdownOf(story: TwinStory, lang: Lang): string {
  const w = (name: keyof typeof words) => words[name][lang];
  const md = escapeMarkdown;
  const { verdict, scenario } = story;
  const out: string[] = [`# ${md(story.headline[lang])}`, ''];
  out.push(
    `- ${w('kubelet')}: ${md([story.kubelet.version, story.kubelet.node, story.kubelet.runtime].filter(Boolean).join(', '))}`,
    `- ${w('twin')}: ${md(twinWords(story, lang))}`,
    `- ${w('period')}: ${story.from} … ${story.to}`,
    `- ${w('sources')}: ${md(story.sources.join(', '))}`,
    `- ${w('madeBy')}: ${md(story.by)}`,
    '',
    `## ${w('verdict')}`,
    '',
    md(verdict.text[lang]),
    '',
    ...table(
      [w('decision'), w('compared'), w('same'), '', w('coverage')],
      [
        ...allKinds.map((kind) => {
          const { compared, same, coverage } = verdict.kinds[kind];
          const counted = compared === 0 ? ['', ''] : [String(compared), String(same)];
          return [kindWords[kind][lang], ...counted, figures(same, compared), coverageWords[coverage][lang]];
        }),
        [w('total'), String(verdict.compared), String(verdict.same), figures(verdict.same, verdict.compared), ''],
      ],
    ),
    '',
    `## ${w('differences')}`,
    '',
  );
  if (story.differences.length === 0) out.push(w('none'), '');
  else {
    if (story.differences.length > 1) out.push(sentences.firstCounts[lang], '');
    story.differences.forEach((one, i) => {
      out.push(...difference(one, i + 1, lang));
    });
    if (story.differencesHidden > 0) out.push(sentences.differencesHidden(story.differencesHidden)[lang], '');
  }
  if (story.troubles.length > 0)
    out.push(
      `## ${w('troubles')}`,
      '',
      ...story.troubles.map(
        (one) => `- ${time(one)} ${md(one.text[lang])}${one.times > 1 ? ` (${one.times} ${w('times')})` : ''}`,
      ),
      '',
    );
  out.push(
    `## ${w('timeline')}`,
    '',
    ...table(
      [w('time'), w('pod'), w('whatHappened'), w('twin')],
      story.timeline.map((row) => [
        time(row, lang),
        row.pod === '' ? w('node') : md(row.pod),
        md(row.text[lang]) + repeated(row, lang),
        row.mark === 'same' || row.mark === 'open' ? markWords[row.mark][lang] : `**${markWords[row.mark][lang]}**`,
      ]),
    ),
    '',
  );
  if (story.timelineHidden > 0) out.push(sentences.rowsHidden(story.timelineHidden)[lang], '');
  out.push(`## ${w('chance')}`, '');
  const { tries, choices } = story.chance;
  if (choices.length === 0) out.push(sentences.noChance(tries)[lang], '');
  else
    out.push(
      sentences.chance(tries)[lang],
      '',
      ...choices.map((one) => `- ${time(one, lang)} ${md(one.text[lang])}`),
      '',
    );
  const { causes } = story;
  if (causes)
    out.push(
      `## ${w('causes')}`,
      '',
      md(causes.summary[lang]),
      '',
      ...causes.found.map(({ text }, i) => `${i + 1}. ${md(text[lang])}`),
      '',
      md(causes.order[lang]),
      '',
    );
  out.push(`## ${w('assumptions')}`, '');
  if (story.assumptions.length === 0) out.push(sentences.noAssumptions[lang], '');
  else
    out.push(
      sentences.assumptions[lang],
      '',
      ...story.assumptions.map(
        ({ code, about, text }) => `- \`${code}\`${about && ` ${md(about)}`}: ${md(text[lang])}`,
      ),
      '',
    );
  const { mayDiffer = [] } = story.twin;
  if (mayDiffer.length > 0)
    out.push(`## ${w('mayDiffer')}`, '', ...mayDiffer.map((one) => `- ${md(changeWords(one, lang))}`), '');
  out.push(`## ${w('tolerances')}`, '');
  if (story.tolerances.length === 0) out.push(sentences.noTolerances[lang], '');
  else
    out.push(
      sentences.tolerances[lang],
      '',
      ...story.tolerances.map(({ rule, text, used }) => `- \`${rule}\`, ${used} ${w('times')}: ${md(text[lang])}`),
      '',
    );
  out.push(
    `## ${w('scenario')}`,
    '',
    sentences.scenario[lang],
    '',
    '<details>',
    `<summary>${md(`${scenario.name}.yaml`)}</summary>`,
    '',
    fenced(scenario.text, 'yaml'),
    '',
    '</details>',
  );
  return `${out.join('\n')}\n`;
}

function difference(one: StoryDifference, n: number, lang: Lang): string[] {
  const w = (name: keyof typeof words) => words[name][lang];
  const out = [
    `### ${n}. ${markWords[one.how][lang]}: ${escapeMarkdown(one.what)}${one.pod && ` (${escapeMarkdown(one.pod)})`}`,
    '',
    `${time(one, lang)} ${escapeMarkdown(one.text[lang])}`,
    '',
  ];
  if (one.chance !== undefined) out.push(`${sentences.byChance[lang]} (\`${one.chance}\`)`, '');
  if (one.values)
    out.push(
      ...table(
        ['', w('seenValue'), w('twinValue')],
        [[escapeMarkdown(one.path ?? ''), ...differingValues(one.values, MOST_CHARACTERS).map(code)]],
      ),
      '',
    );
  for (const chain of one.chains) out.push(...causes(chain, lang));
  const { count, first } = one.followers;
  if (count > 0)
    out.push(
      sentences.followers(count)[lang],
      '',
      ...first.map((follower) => `- ${time(follower, lang)} ${escapeMarkdown(follower.text[lang])}`),
      ...(count > first.length ? ['- …'] : []),
      '',
    );
  return out;
}

function causes({ of, summary, links }: StoryChain, lang: Lang): string[] {
  return [
    `**${words[of === 'seen' ? 'whySeen' : 'whyTwin'][lang]}**: ${escapeMarkdown(summary[lang])}`,
    '',
    ...links.flatMap((link) => cause(link, lang)),
    '',
  ];
}

function cause(link: StoryCause, lang: Lang): string[] {
  const rule = link.rule === undefined ? '' : ` ${code(link.rule)}`;
  const lines = link.evidence.map(
    ({ source, line, text }) => `${source}${line === undefined ? '' : `:${line}`} ${text}`,
  );
  return [
    `- ${time(link, lang)} ${escapeMarkdown(link.text[lang])}${rule}`,
    ...(lines.length === 0 ? [] : indented(fenced(lines.map(clean).join('\n'), 'text'))),
  ];
}

const indented = (text: string): string[] => ['', ...text.split('\n').map((line) => `  ${line}`), ''];

/** The time of day; the date is at the top. */
function time({ at, link }: StoryMoment, lang?: Lang): string {
  const clock = at.slice(11, 23);
  return link && lang ? `[${clock}](${link[lang]})` : `\`${clock}\``;
}

const repeated = ({ times, until }: StoryRow, lang: Lang): string =>
  times === undefined ? '' : ` (${times} ${words.times[lang]}, … ${until?.slice(11, 23)})`;

/** A short text as code within a line or a cell. */
function code(text: string): string {
  const short = clean(text.length > 160 ? `${text.slice(0, 160)}…` : text);
  const longest = Math.max(0, ...[...short.matchAll(/`+/g)].map(([run]) => run.length));
  const ticks = '`'.repeat(longest + 1);
  const body = short.replaceAll('|', '\\|');
  return longest > 0 ? `${ticks} ${body} ${ticks}` : `${ticks}${body}${ticks}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}
