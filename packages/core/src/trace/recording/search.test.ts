import { expect, it } from 'vitest';
import type { TraceRecord } from '../index.js';
import { bytesSource, openRecording, type RecordingFile, searchWords, wordsIn } from './index.js';
import { BLOCK, BLOCK_HEADER } from './layout.js';
import { tape, write } from './testing/write.js';

const open = (bytes: Uint8Array): RecordingFile => openRecording(bytesSource(bytes));
const texts = [
  'podadd',
  'SyncLoop',
  'plegCh',
  'web',
  '"default/web"',
  'gap',
  'no-record-has-it',
  'sync pod',
  'é',
  'kind',
];

/** All hits, block by block. */
function found(file: RecordingFile, text: string, from = 0): number[] {
  const out: number[] = [];
  for (let next = from; next <= file.last; ) {
    const { hits, to } = file.findWords(wordsIn(text), next);
    expect(to).toBeGreaterThanOrEqual(next);
    out.push(...hits.map(({ seq }) => seq));
    next = to + 1;
  }
  return out;
}
const expected = (records: Iterable<TraceRecord>, text: string, from = 0) =>
  [...records].filter((r) => r.seq >= from && searchWords(r, wordsIn(text))).map(({ seq }) => seq);

const records = tape(4);
const bytes = write(records, { block: 16, checkpoint: 32 });
const withHoles = write(
  records.filter(({ seq }) => seq % 7 !== 0 && (seq < 40 || seq > 70)),
  { block: 16, checkpoint: 32 },
);
const broken = () => {
  const copy = bytes.slice();
  const at = open(bytes).blocks.filter((b) => b.type === BLOCK.records)[2]?.at as number;
  copy[at + BLOCK_HEADER + 5] = (copy[at + BLOCK_HEADER + 5] as number) ^ 0xff;
  return copy;
};

it.each([
  ['a whole recording', bytes],
  ['one with holes', withHoles],
  ['one with a damaged block', broken()],
])('words are found in %s as by looking at each record', (_, made) => {
  for (const text of texts)
    for (const from of [0, 1, 20, 33])
      expect(found(open(made), text, from), text).toEqual(expected(open(made), text, from));
  expect(texts.filter((text) => found(open(made), text).length > 0).length).toBeGreaterThan(3);
});

it('a damaged block is reported when it is searched', () => {
  const file = open(broken());
  found(file, 'web');
  expect(file.warning).toMatch(/^Block \d+ at byte \d+ is broken/);
});

it('no record is made of a block without the words', () => {
  const made: string[] = [];
  const parse = JSON.parse;
  const file = open(bytes);
  JSON.parse = (text: string) => {
    made.push(text);
    return parse(text) as unknown;
  };
  try {
    expect(found(file, 'no-record-has-it')).toEqual([]);
  } finally {
    JSON.parse = parse;
  }
  expect(made).toEqual([]);
});
