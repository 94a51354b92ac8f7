/** One turn of the loop: its beginning, the pods that it dispatches, its end. It is single-threaded. */
import type { Json, Seq } from '@syncloop/core/trace';
import type { Written } from '../record-writer.js';
import { CHANNELS, type ChannelName, type LineContext, type Process, type Turn } from './process.js';
import type { Track } from './tracks.js';

/** The loop's own goroutine and channels, from the first line that shows it. */
export function theLoop({ process, writer, line }: LineContext, seen: boolean): number {
  if (process.loop > 0) return process.loopG;
  const g = process.goroutine(writer, 'syncLoop');
  process.loopG = g;
  const how = { g, concluded: true };
  process.chans.clear();
  process.loop = writer.write({ kind: 'enter', fn: 'syncLoop' }, seen ? { g } : how);
  const there = CHANNELS.filter(([, , since]) => process.isBefore(since) !== true);
  makeChannels(
    { process, writer, line },
    there.map(([name]) => name),
    how,
  );
  return g;
}

function makeChannels({ process, writer, line }: LineContext, names: readonly ChannelName[], how: Written): void {
  CHANNELS.forEach(([name, cap], i) => {
    if (!names.includes(name)) return;
    // Numbers of their own for each process.
    const chan = line.seq * CHANNELS.length + i;
    process.chans.set(name, chan);
    writer.write({ kind: 'chan-make', chan, name, cap, unseen: true }, { ...how, cause: process.loop });
  });
}

export const network = ({ networkError }: Process) => (networkError === '' ? {} : { networkError });

/** A turn begins: what the loop had under way is over. `pods` are those that it dispatches. */
export function beginTurn(
  context: LineContext,
  channel: ChannelName,
  taken: { readonly cause?: Seq; readonly item: Json },
  handler: { readonly fn: string; readonly args?: Json; readonly seen?: boolean } | null,
  pods: ReadonlySet<string> | null,
): Turn {
  const { process, writer } = context;
  const g = theLoop(context, false);
  closeTurn(context);
  if (process.gate !== '') {
    process.gate = '';
    writer.write({ kind: 'runtime-state', errors: [], ...network(process) }, { g, concluded: true });
  }
  const cause = taken.cause ?? 0;
  // A line of an input that its version should not have: the version has it after all.
  if (!process.chans.has(channel)) makeChannels(context, [channel], { g, concluded: true });
  const cases = [...process.chans.values()];
  const chan = process.chans.get(channel) as number;
  const chosen = cases.indexOf(chan);
  const select = writer.write({ kind: 'select', cases, chosen }, { g, span: process.loop, cause });
  const received = writer.write(
    { kind: 'receive', chan, item: taken.item, ok: true },
    { g, span: process.loop, cause: cause || select },
  );
  const entered =
    handler === null
      ? 0
      : writer.write(
          { kind: 'enter', fn: handler.fn, ...(handler.args !== undefined && { args: handler.args }) },
          { g, span: process.loop, cause: received, concluded: handler.seen !== true },
        );
  const turn: Turn = {
    seq: entered || received,
    handler: entered,
    fn: handler?.fn ?? '',
    waiting: pods && new Set(pods),
    open: true,
  };
  process.turn = turn;
  return turn;
}

/** The handler of the last turn has returned, at the latest now. */
export function closeTurn(context: LineContext, seen = false): void {
  const { process, writer } = context;
  const { turn } = process;
  if (!turn?.open) return;
  turn.open = false;
  if (turn.handler > 0)
    writer.write(
      { kind: 'exit', of: turn.handler, fn: turn.fn },
      { g: process.loopG, span: process.loop, cause: turn.seq, concluded: !seen },
    );
}

/** A pod was dispatched, or need not be: with the last one the handler returns. */
export function dispatched(context: LineContext, key: string): void {
  const { turn } = context.process;
  if (!turn?.open || turn.waiting === null) return;
  turn.waiting.delete(key);
  if (turn.waiting.size === 0) closeTurn(context);
}

/** Returns the cause of an event of a pod in a turn of the loop; 0 if it comes from somewhere else. */
export function causeInLoop({ process }: LineContext, track: Track): { readonly g: number; readonly cause: Seq } {
  const { turn } = process;
  const evicted = process.evicted.get(track.uid);
  if (evicted) return { g: 0, cause: evicted };
  if (!turn?.open) return { g: 0, cause: 0 };
  const mine = turn.waiting === null || turn.waiting.has(track.uid) || turn.waiting.has(track.pod);
  return mine ? { g: process.loopG, cause: turn.seq } : { g: 0, cause: 0 };
}

type UpdateType = 'create' | 'update' | 'sync' | 'kill';
type WorkType = 'sync' | 'terminating' | 'terminated';
export const updateTypeOf = (value: Json | undefined): { updateType?: UpdateType } =>
  value === 'create' || value === 'update' || value === 'sync' || value === 'kill' ? { updateType: value } : {};
const WORK: readonly WorkType[] = ['sync', 'terminating', 'terminated'];
/** The worker's state; 1.22 to 1.26 print its number. */
export function workTypeOf(value: Json | undefined): { workType?: WorkType } {
  const found = typeof value === 'number' ? WORK[value] : WORK.find((one) => one === value);
  return found === undefined ? {} : { workType: found };
}
