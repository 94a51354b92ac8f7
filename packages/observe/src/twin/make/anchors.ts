/** Maps moments of the observed run to moments of the twin. */
import type { Micros } from '@syncloop/core/trace';
import type { Assumptions } from './assumptions.js';
import type { Seen } from './seen.js';

/** From the start of our kubelet's process to its first relist and its loop: a real machine is slower. */
export const BOOT = 17_060;
/**
 * If the kubelet was already running, its twin gets some seconds to reach the same state: its pods start, and it looks
 * at them a few times. In whole periods of the PLEG, so that the next one comes when it was seen.
 */
const PROLOGUE = 15 * 1_002_300;
/** The time that a real kubelet takes from its start to its loop, if no source reports it. */
const USUAL_BOOT = 500_000;

export interface Anchors {
  readonly seenFrom: Micros;
  /** The starts of the twin's kubelets, on its own clock: the first at 0. */
  readonly starts: readonly Micros[];
}

/**
 * The PLEG looks once a second from the moment its kubelet's loop begins, and so do the loop's own tickers. So that the
 * twin sees what the observed kubelet saw, its loop begins at the same moment; what comes before is shorter.
 */
export function anchorsOf(seen: Seen, assumptions: Assumptions): Anchors {
  const began = seen.processes.map((process, i) => {
    if (process.before && i === 0) assumptions.assume('kubelet.before');
    const [relist] = process.relists;
    if (relist === undefined && process.loop === null) assumptions.assume('node.phase');
    if (process.loop !== null && (relist === undefined || process.loop < relist)) return process.loop;
    return relist ?? process.from + (process.before ? 0 : USUAL_BOOT);
  });
  const prologue =
    seen.processes[0]?.before === true || [...seen.pods.values()].some(({ there }) => there) ? PROLOGUE : 0;
  const seenFrom = (began[0] ?? 0) - BOOT - prologue;
  return { seenFrom, starts: began.map((at, i) => (i === 0 ? 0 : at - BOOT - seenFrom)) };
}
