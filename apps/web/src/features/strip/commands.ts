import type { Micros, Seq } from '@syncloop/core/trace';
import { runCommand, tryCommand } from '../../commands/index.js';
import { command } from '../../commands/types.js';
import { useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { session } from '../../session/session.js';
import { nextStop, type Stop } from './logic/strip-scale.js';
import { isObserved, useStrip } from './strip-store.js';

/** The place that was asked for while another one was on its way there: only the last of them counts. */
let wanted: Micros | null = null;
let going = false;
async function goTo(time: Micros): Promise<void> {
  wanted = time;
  if (going) return;
  going = true;
  try {
    while (wanted !== null) {
      const to: Micros = wanted;
      wanted = null;
      await session.command({ do: 'go', to: { time: to } });
    }
  } finally {
    going = false;
  }
}

const hits = (): readonly Stop[] => {
  const { search } = useStrip.getState();
  return search ? search.hits.map((seq, i) => ({ seq, time: search.times[i] as Micros })) : [];
};
const here = (): Seq => trace.cursor.seq;
const walk = (stops: () => readonly Stop[], by: 1 | -1) => async () => {
  const stop = nextStop(stops(), here(), by);
  if (stop) await tryCommand('inspector.goTo', stop.seq);
};
const ready = () => useSession.getState().phase === 'ready' && isObserved();
const incidents = () => useStrip.getState().incidents;
const hasIncidents = () => ready() && incidents().length > 0;
const hasHits = () => ready() && (useStrip.getState().search?.hits.length ?? 0) > 0;
const hasRange = () => ready() && useStrip.getState().range !== null;
const saving = () => import('./save-window.js');

export const stripCommands = {
  'strip.go': command<Micros>({ title: 'command.stripGo', palette: false, available: ready, run: goTo }),
  'strip.nextIncident': command({
    title: 'command.stripNextIncident',
    group: 'ask',
    available: hasIncidents,
    run: walk(incidents, 1),
  }),
  'strip.previousIncident': command({
    title: 'command.stripPreviousIncident',
    group: 'ask',
    available: hasIncidents,
    run: walk(incidents, -1),
  }),
  'strip.firstHit': command({
    title: 'command.stripFirstHit',
    group: 'ask',
    available: hasHits,
    run: async () => {
      const [first] = useStrip.getState().search?.hits ?? [];
      if (first !== undefined) await tryCommand('inspector.goTo', first);
    },
  }),
  'strip.nextHit': command({ title: 'command.stripNextHit', group: 'ask', available: hasHits, run: walk(hits, 1) }),
  'strip.previousHit': command({
    title: 'command.stripPreviousHit',
    group: 'ask',
    available: hasHits,
    run: walk(hits, -1),
  }),
  'strip.stopSearch': command({
    title: 'command.stripStopSearch',
    available: () => useStrip.getState().search?.done === false,
    run: async () => (await import('./strip-follow.js')).stopSearch(),
  }),
  'strip.clearRange': command({
    title: 'command.stripClearRange',
    available: hasRange,
    run: () => useStrip.setState({ range: null }),
  }),
  'strip.saveRecording': command({
    title: 'command.stripSaveRecording',
    group: 'change',
    available: hasRange,
    run: async () => (await saving()).saveRecording(),
  }),
  'strip.saveLines': command({
    title: 'command.stripSaveLines',
    group: 'change',
    available: hasRange,
    run: async () => (await saving()).saveLines(),
  }),
};

/** Runs a command of the strip by a key; false for a key that it does not have. */
export function pressed(key: string): boolean {
  if (key === 'n') runCommand('strip.nextIncident');
  else if (key === 'p') runCommand('strip.previousIncident');
  else if (key === 'Escape' && hasRange()) runCommand('strip.clearRange');
  else return false;
  return true;
}

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof stripCommands> {}
}
