/** The search for words in records: in packed ones as text, without making the records. */
import { utf8Text } from '../../base/index.js';
import type { Micros, Seq, TraceRecord } from '../records.js';
import { expand } from './lz4.js';
import { textOf, unpack } from './pack.js';
import type { PackedBlock } from './packed.js';

/** Characters that separate words, besides those of JSON: a field of a line is two words. */
const BETWEEN = /[\s"'`=,;:()[\]{}]+/;

/** Returns the words of a text as they are looked for: in lower case, as they are written in JSON. */
export const wordsIn = (text: string): readonly string[] => [
  ...new Set(
    text
      .toLowerCase()
      .split(BETWEEN)
      .filter((word) => word !== '')
      .map((word) => JSON.stringify(word).slice(1, -1)),
  ),
];

/** True if a record has all words. */
export function searchWords(record: TraceRecord, words: readonly string[]): boolean {
  const { seq: _seq, time: _time, g: _g, span: _span, cause: _cause, kind, ...rest } = record as TraceRecord & object;
  return hasAll(kind, JSON.stringify(rest).toLowerCase(), words);
}

/** A record that has all words. */
export interface WordHit {
  readonly seq: Seq;
  readonly time: Micros;
}

/** Returns the records of a packed block, from one on, that have all words. */
export const searchBlock = (block: PackedBlock, words: readonly string[], from: Seq): WordHit[] =>
  searchBytes(expand(block.bytes, block.size), block, words, from);

/** The same for a block that is expanded already. Throws as `unpack` if it has the words and is damaged. */
export function searchBytes(
  bytes: Uint8Array,
  { first, count, firstTime }: Pick<PackedBlock, 'first' | 'count' | 'firstTime'>,
  words: readonly string[],
  from: Seq,
): WordHit[] {
  // The lines alone are plain text, which is read several times as fast.
  const { kinds, lines: text } = textOf(bytes);
  const all = utf8Text(text).toLowerCase();
  if (!words.every((word) => all.includes(word) || kinds.some((kind) => kind.includes(word)))) return [];
  const lines = all.split('\n');
  const { seqs, times, kind, line } = unpack(bytes, count, first, firstTime);
  const found: WordHit[] = [];
  for (let i = Math.max(0, from - first); i < count; i++)
    if (hasAll(kind(i), lines[line(i)] as string, words))
      found.push({ seq: seqs[i] as number, time: times[i] as number });
  return found;
}

const hasAll = (kind: string, json: string, words: readonly string[]): boolean =>
  words.every((word) => (kind !== 'log' && kind.includes(word)) || hasWord(json, word, kind === 'log'));

/** True if JSON has a word in a value. For a log line the names of its own fields count, too: they are in the line. */
function hasWord(json: string, word: string, log: boolean): boolean {
  let fields = -1;
  for (let at = json.indexOf(word); at >= 0; at = json.indexOf(word, at + 1)) {
    if (!inName(json, at + word.length)) return true;
    if (!log) continue;
    if (fields < 0) fields = json.indexOf('"kv":{');
    if (fields >= 0 && at > fields + 4) return true;
  }
  return false;
}

/** True if the text that goes on at a place of JSON is the name of a field. */
function inName(json: string, at: number): boolean {
  for (let end = json.indexOf('"', at); end >= 0; end = json.indexOf('"', end + 1))
    if (json[end - 1] !== '\\') return json[end + 1] === ':' && isPlain(json, at, end);
  return false;
}
/** Names have no separators: those belong to what comes after the word. */
function isPlain(json: string, from: number, to: number): boolean {
  for (let i = from; i < to; i++) {
    const code = json.charCodeAt(i);
    if (code === 44 || code === 123 || code === 125 || code === 91 || code === 93) return false;
  }
  return true;
}
