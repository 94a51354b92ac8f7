/** Records and log lines of the whole run that have the typed words: looked for where the run is, a part at a time. */
import { importanceOf, type Seq, type TraceRecord } from '@syncloop/core/trace';
import { isAvailable, runCommand } from '../../commands/index.js';
import { useUI } from '../../page/ui-store.js';
import { sentence } from '../../run/narration.js';
import { trace } from '../../run/trace-store.js';
import { session } from '../../session/session.js';
import type { PaletteEntry } from '../../shell/registry.js';
import { seconds } from '../../units/text.js';
import { klogLine } from './logic/klog.js';

const SHORTEST = 2;
/** The newest hits, among which the most telling ones are listed. */
const KEPT = 300;
const MOST_OF_GROUP = 6;

export async function recordEntries(typed: string, wanted: () => boolean): Promise<readonly PaletteEntry[]> {
  if (typed.trim().length < SHORTEST) return [];
  const records = await recordsOf(await newestHits(typed.trim(), wanted));
  const telling = records.toSorted((a, b) => importanceOf(b) - importanceOf(a));
  const lines = telling.filter(({ kind }) => kind === 'log').slice(0, MOST_OF_GROUP);
  const others = telling.filter(({ kind }) => kind !== 'log').slice(0, MOST_OF_GROUP);
  return [...others, ...lines].map(entryOf);
}

async function newestHits(text: string, wanted: () => boolean): Promise<readonly Seq[]> {
  let hits: readonly Seq[] = [];
  for (let from = 0; wanted(); ) {
    const found = await session.command({ do: 'find', text, from });
    hits = [...hits, ...found.hits].slice(-KEPT);
    if (found.to >= found.last || found.to < from) break;
    from = found.to + 1;
  }
  return hits.toReversed();
}

/** The records by their numbers, as far as the page has them; of older ones a few are asked for. */
async function recordsOf(hits: readonly Seq[]): Promise<readonly TraceRecord[]> {
  const here = hits.map((seq) => trace.records.get(seq)).filter((record) => record !== undefined);
  if (here.length > 0) return here;
  const parts = await Promise.all(
    hits.slice(0, MOST_OF_GROUP).map((seq) => session.command({ do: 'window', from: seq, to: seq })),
  );
  return parts.flatMap(({ records }) => records);
}

function entryOf(record: TraceRecord): PaletteEntry {
  const { seq } = record;
  return {
    key: `${seq}`,
    heading: record.kind === 'log' ? 'palette.logLines' : 'palette.records',
    title: `${seconds(record.time)}  ${textOf(record)}`,
    run: () => {
      // A record that is not in memory is shown by going there.
      if (!trace.records.get(seq) && isAvailable('inspector.goTo')) runCommand('inspector.goTo', seq);
      else runCommand('view.select', { kind: 'record', seq });
    },
  };
}

function textOf(record: TraceRecord): string {
  if (record.kind !== 'log') return sentence(record, useUI.getState().lang).text;
  const { message, fields } = klogLine(record);
  return `${message} ${fields}`.trim();
}
