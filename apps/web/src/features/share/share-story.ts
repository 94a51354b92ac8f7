/** Writes the narrator's sentences as Markdown: for an issue, a chat, notes of a class. */
import { importanceOf, type Narration, type NarrationPart, type TraceRecord } from '@syncloop/core/trace';
import { seconds } from '../../units/text.js';
import type { Note } from '../notes/notes-model.js';

/** Below this a record is plumbing, which the narrator passes over. */
const TELLING = 2;

/** The content of the story, and its form. */
export interface StoryOptions {
  readonly title: string;
  readonly say: (record: TraceRecord) => Narration;
  readonly notes?: readonly Note[];
  /** A link to the moment, with its words. */
  readonly link?: { readonly text: string; readonly href: string };
}

/** The last telling records, the oldest first; `back` gives them newest first. */
export function lastTelling(back: Iterable<TraceRecord>, most: number): readonly TraceRecord[] {
  const found: TraceRecord[] = [];
  for (const record of back) {
    if (found.length >= most) break;
    if (importanceOf(record) >= TELLING) found.push(record);
  }
  return found.reverse();
}

/** Records from `last` down to `first`. */
export function* backwards(
  get: (seq: number) => TraceRecord | undefined,
  last: number,
  first: number,
): Iterable<TraceRecord> {
  for (let seq = last; seq >= first; seq--) {
    const record = get(seq);
    if (record) yield record;
  }
}

const plain = (text: string): string => text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>|~#]/g, '\\$&');
const part = (p: NarrationPart): string =>
  typeof p === 'string' ? plain(p) : `\`${p.text.replace(/[\s`]+/g, ' ').trim()}\``;

export function storyOf(records: readonly TraceRecord[], { title, say, notes = [], link }: StoryOptions): string {
  const lines = [`**${plain(title)}**`, ''];
  for (const record of records) {
    lines.push(`- ${seconds(record.time)} s: ${say(record).parts.map(part).join('').trim()}`);
    for (const { seq, text } of notes) if (seq === record.seq) lines.push(`  > ${plain(text)}`);
  }
  if (link) lines.push('', `[${plain(link.text)}](${link.href})`);
  return `${lines.join('\n')}\n`;
}
