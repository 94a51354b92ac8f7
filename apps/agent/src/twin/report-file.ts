import { deflateRawSync } from 'node:zlib';
import type { TwinScenario } from '@syncloop/observe/twin';
import { htmlOf, type Lang, markdownOf, type TwinStory, twinFragment } from '@syncloop/observe/twin/report';
import { UsageError } from '../base/errors.js';

export type ReportKind = 'md' | 'html' | 'json';

/** Longer links are cut or refused by many programs (docs/users/sharing.md). */
const LONG_LINK = 8_000;

/** Returns the kind of report that the ending of a name asks for. Throws a UsageError for any other ending. */
export function reportKind(file: string): ReportKind {
  const [, ending] = /\.(md|markdown|html?|json)$/i.exec(file) ?? [];
  switch (ending?.toLowerCase()) {
    case 'md':
    case 'markdown':
      return 'md';
    case 'html':
    case 'htm':
      return 'html';
    case 'json':
      return 'json';
    default:
      throw new UsageError(`--report ${file}: its ending decides the format: name it .md, .html or .json`);
  }
}

export function reportText(story: TwinStory, kind: ReportKind, lang: Lang): string {
  if (kind === 'md') return markdownOf(story, lang);
  return kind === 'html' ? htmlOf(story, lang) : `${JSON.stringify(story, null, 2)}\n`;
}

/** Parses the address of a page; throws a UsageError if it is not one. */
export function pageUrl(text: string): URL {
  let url: URL | null = null;
  try {
    url = new URL(text);
  } catch {}
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new UsageError(`--page is ${JSON.stringify(text)}, but must be the address of a page: https://host.example/`);
  url.hash = '';
  return url;
}

/** Returns links to moments of a twin on that page; null if one would be too long for most programs. */
export function linksOf(page: URL, { name, text }: TwinScenario): (seq: number, lang: Lang) => string | null {
  let long = false;
  return (seq, lang) => {
    // The scenario makes a link long, and it is the same in all links.
    if (long) return null;
    const fragment = twinFragment({ name, text, seq, step: 0, lang }, (bytes) => deflateRawSync(bytes));
    long = fragment.length > LONG_LINK;
    return long ? null : `${page.href}#${fragment}`;
  };
}
