/** A verdict as Markdown, for an issue or a ticket. */
import { clean, escapeMarkdown, fenced } from '../rendering/index.js';
import type { VerdictStory } from './types.js';
import { aboutOf, certainty, type Lang, more, noRemedy, words } from './words.js';

/** GitHub-flavoured Markdown, ending with a line break. No content of a source becomes markup. */
export function markdownOf(story: VerdictStory, lang: Lang): string {
  const w = (name: keyof typeof words) => words[name][lang];
  const md = escapeMarkdown;
  const out = [`# ${md(story.verdict.text[lang])}`, ''];
  if (story.verdict.read) out.push(md(story.verdict.read[lang]), '');
  for (const [name, said] of aboutOf(story, lang, story.by)) out.push(`- ${w(name)}: ${md(said)}`);
  if (story.incidents.length > 0) out.push('', `## ${w('incidents')}`);
  story.incidents.forEach((one, i) => {
    out.push('', `### ${i + 1}\\. ${md(one.text[lang])}`, '');
    const certain = certainty(one, lang);
    if (certain !== '') out.push(`_${certain}_`, '');
    if (one.consequences.length > 0) {
      out.push(`${w('followed')}:`, '');
      for (const { time, text, count } of one.consequences)
        out.push(`- ${time} ${md(text[lang])}${count > 1 ? ` (${count})` : ''}`);
      out.push('');
    }
    if (one.pods.length > 0) out.push(`${w('pods')}: ${md(one.pods.join(', '))}`, '');
    if (one.next.length > 0)
      out.push(
        `${w('next')}:`,
        '',
        fenced(one.next.map(({ command, why }) => `${clean(command)}   # ${clean(why[lang])}`).join('\n'), 'sh'),
      );
  });
  const { prevention } = story;
  if (prevention) {
    out.push('', `## ${w('prevented')}`, '', md(prevention.incident[lang]), '');
    if (prevention.tried.length === 0) out.push(md(noRemedy[lang]));
    out.push(...prevention.tried.map(({ text }) => `- ${md(text[lang])}`));
    if (prevention.unknown.length > 0)
      out.push('', `${w('notKnown')}:`, '', ...prevention.unknown.map((text) => `- ${md(text[lang])}`));
  }
  if (story.more > 0) out.push('', more(story.more)[lang]);
  if (story.expected.length > 0)
    out.push('', `## ${w('expected')}`, '', ...story.expected.map((one) => `- ${md(one.text[lang])}`));
  if (story.unknown.count > 0)
    out.push(
      '',
      `## ${w('unknown')} (${story.unknown.count})`,
      '',
      ...story.unknown.some.map(({ what, count }) => `- ${count} × ${md(what)}`),
    );
  return `${out.join('\n')}\n`;
}
