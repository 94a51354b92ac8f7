import { type Micros, type Seq, searchWords, type TraceRecord, type WordHit, wordsIn } from '../../trace/index.js';
import type { Work } from '../base/work.js';

/** Records that one question looks at, at most, and records that it finds. */
const MOST_LOOKED = 65_536;
const MOST_FOUND = 4096;
/** Records of a source without packed ones that are looked at in one slice. */
const SLICE = 64;

/** The answer to the query `find`: records with all words of a text. */
export interface Found {
  readonly hits: readonly Seq[];
  /** The times of the hits. */
  readonly times: readonly Micros[];
  /** The last record that was looked at: the search goes on after it, if it is not yet at `last`. */
  readonly to: Seq;
  readonly last: Seq;
}

/** The records in which words are looked for. */
export interface Searchable {
  readonly last: Seq;
  iterate(seq?: Seq): Iterable<TraceRecord>;
  /** Looks through the records from one on that are kept together, without making them. `to`: the last of these. */
  findWords?(words: readonly string[], from: Seq): { readonly hits: readonly WordHit[]; readonly to: Seq };
}

/**
 * Looks for the records that have all words of a text, in any case: in the words of their kind and in their values, for
 * log lines also in the names of fields. One question looks at a part of a long run; the next goes on after `to`.
 */
export function* finding(
  source: Searchable,
  { text, from = 0, most = MOST_LOOKED }: { readonly text: string; readonly from?: Seq; readonly most?: number },
): Work<Found> {
  const words = wordsIn(text);
  const { last } = source;
  const found: WordHit[] = [];
  if (words.length === 0) return { hits: [], times: [], to: last, last };
  const until = Math.min(last, from + most - 1);
  let to = from - 1;
  if (source.findWords)
    while (to < until && found.length < MOST_FOUND) {
      const part = source.findWords(words, to + 1);
      found.push(...part.hits);
      to = part.to;
      yield;
    }
  else
    for (const record of source.iterate(from)) {
      if (record.seq > until || found.length >= MOST_FOUND) break;
      to = record.seq;
      if (searchWords(record, words)) found.push({ seq: record.seq, time: record.time });
      if (to % SLICE === 0) yield;
    }
  // The numbers of records that are missing count as looked at.
  if (found.length < MOST_FOUND) to = Math.max(to, until);
  return { hits: found.map(({ seq }) => seq), times: found.map(({ time }) => time), to: Math.min(to, last), last };
}
