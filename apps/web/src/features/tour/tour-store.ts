import type { Seq } from '@syncloop/core/trace';
import { create } from 'zustand';
import { focusStage } from '../../commands/focus.js';
import { t } from '../../i18n/index.js';
import { recall, remember } from '../../page/storage.js';
import { notify, useUI } from '../../page/ui-store.js';
import { StoppedError, session } from '../../session/session.js';
import { STOPS, whereOf } from './stops.js';

/** The furthest way to the next stop, in the run's time, microseconds. */
const WITHIN = 120e6;
const VOICE = 'tour.voice';

interface Tour {
  /** The index of the present stop; the number of stops at the end; null: no tour. */
  readonly at: number | null;
  /** The records of the stops so far. */
  readonly seqs: readonly Seq[];
  /** The pod that is followed; '' before it is known. */
  readonly uid: string;
  /** It is on the way to a stop. */
  readonly going: boolean;
  /** Stops are read aloud. */
  readonly voice: boolean;
}

export const useTour = create<Tour>(() => ({
  at: null,
  seqs: [],
  uid: '',
  going: false,
  voice: recall(VOICE) === 'on',
}));

export const touring = (): boolean => useTour.getState().at !== null;

/** Does one thing at a time; what is asked for meanwhile is dropped. Problems are shown, and the tour stays. */
async function go(move: () => Promise<Partial<Tour>>): Promise<void> {
  if (useTour.getState().going) return;
  useTour.setState({ going: true });
  try {
    useTour.setState(await move());
  } catch (error) {
    if (!(error instanceof StoppedError))
      notify(t('tour.failed', { why: error instanceof Error ? error.message : String(error) }), true);
  } finally {
    useTour.setState({ going: false });
  }
}

/** The first pod of the ADD at which the run stands. */
async function podAt(seq: Seq): Promise<string> {
  const [record] = (await session.command({ do: 'window', from: seq, to: seq })).records;
  return record?.kind === 'pod-config' ? (record.pods[0]?.uid ?? '') : '';
}

async function toStop(at: number, { seqs, uid }: Pick<Tour, 'seqs' | 'uid'>): Promise<Partial<Tour>> {
  const stop = STOPS[at];
  if (!stop) return { at: STOPS.length };
  const known = seqs[at];
  if (known !== undefined) {
    await session.command({ do: 'go', to: { seq: known } });
    return { at };
  }
  const { met, seq } = await session.command({ do: 'until', where: whereOf(stop, uid), within: WITHIN, pace: 'fast' });
  if (!met) {
    const last = seqs.at(-1);
    if (last !== undefined) await session.command({ do: 'go', to: { seq: last } });
    throw new Error(t('tour.never', { stop: t(`tour.${stop.id}.title`) }));
  }
  return { at, seqs: [...seqs.slice(0, at), seq], ...(stop.id === 'config' && { uid: await podAt(seq) }) };
}

/** Begins the tour at the start of the scenario in view. */
export function startTour(): Promise<void> {
  return go(async () => {
    useUI.setState({ left: null, bottom: null, inspectorOpen: false, selection: null });
    await session.command({ do: 'restart' });
    const first = await toStop(0, { seqs: [], uid: '' });
    focusStage();
    return { uid: '', ...first };
  });
}

export function nextStop(): Promise<void> {
  const { at, seqs, uid } = useTour.getState();
  if (at === null || at >= STOPS.length) return Promise.resolve();
  return go(() => toStop(at + 1, { seqs, uid }));
}

export function previousStop(): Promise<void> {
  const { at, seqs, uid } = useTour.getState();
  if (at === null || at === 0) return Promise.resolve();
  return go(() => toStop(at - 1, { seqs, uid }));
}

/** Returns false if there was no tour to leave. The run stays where it is. */
export function leaveTour(): boolean {
  if (!touring()) return false;
  useTour.setState({ at: null, seqs: [], uid: '' });
  return true;
}

export function setVoice(voice: boolean): void {
  remember(VOICE, voice ? 'on' : 'off');
  useTour.setState({ voice });
}
