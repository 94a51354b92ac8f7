import type { Micros, RecordOf, Seq } from '../records.js';
import { emptyMap } from './maps.js';

/** A call that a kubelet makes once while it starts. */
export interface StartupView {
  /** Its `enter`. */
  seq: Seq;
  began: Micros;
  /** Null while it is under way. */
  ended: Micros | null;
  error: string;
}

/** In the order in which they come. The last one goes on as long as the kubelet does. */
export const STARTUP = ['RunKubelet', 'initializeModules', 'initializeRuntimeDependentModules', 'syncLoop'] as const;
const KNOWN = new Set<string>(STARTUP);

/** By function; with each kubelet it starts over. */
export type StartupViews = Record<string, StartupView>;
export const initialStartup = (): StartupViews => emptyMap();

/** Folds a call's begin or end into what is known of the start. */
export function reduceStartup(startup: StartupViews, record: RecordOf<'enter' | 'exit'>): void {
  if (!KNOWN.has(record.fn)) return;
  if (record.kind === 'enter') {
    startup[record.fn] = { seq: record.seq, began: record.time, ended: null, error: '' };
    return;
  }
  const call = startup[record.fn];
  if (!call) return;
  call.ended = record.time;
  call.error = record.error ?? '';
}

/** Ends the calls that the process had under way. */
export function endStartup(startup: StartupViews, time: Micros): void {
  for (const call of Object.values(startup)) call.ended ??= time;
}
