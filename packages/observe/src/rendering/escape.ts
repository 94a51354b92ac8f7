/** Texts that others wrote (a log, a scenario's names), made safe for the language that they are put into. */

/** Returns a text without what would steer a terminal or turn the direction of writing. */
export const clean = (text: string): string =>
  text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, (c) => (c === '\n' ? ' ' : '?'));
/** The same of several lines: their ends and tabs stay. */
export const cleanLines = (text: string): string =>
  text.replace(/\r\n/g, '\n').replace(/[\p{Cc}\p{Bidi_Control}]/gu, (c) => (c === '\n' || c === '\t' ? c : '?'));

const entities: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '#': '&#35;',
  '@': '&#64;',
};
/** A text within an element or an attribute of HTML. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (c) => entities[c] as string);

/**
 * A text within a paragraph or a cell of a table: no markup, no HTML, no link, no mention of a person or an issue.
 */
export const escapeMarkdown = (text: string): string =>
  clean(text)
    .replace(/[&<>#@]/g, (c) => entities[c] as string)
    .replace(/[\\`*_{}[\]()|~!]/g, '\\$&')
    .replace(/:\/\//g, ':&#47;&#47;')
    .replace(/\bwww\./gi, '$&&#8203;')
    .replace(/^(\s*)([-+=]|\d+[.)])/, '$1&#8203;$2');

/** A text as a block of code: the fence is longer than any in it. */
export function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${cleanLines(text).replace(/\n$/, '')}\n${fence}`;
}
