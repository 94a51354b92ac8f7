import { Millisecond } from '../../kernel/index.js';
import { type Checker, seconds } from './checker.js';

/** Each step of the kernel takes a microsecond, also those of other goroutines: up to this counts as no time. */
const noTime = 20 * Millisecond;

/** The operations that housekeeping waits for. */
const housekeeping: ReadonlySet<string> = new Set(['call', 'lock', 'sleep']);

/**
 * The loop waits for work, in its back-off while the runtime is down, in housekeeping (which lists the runtime's pods,
 * and removes mirror pods through the API server), and in the admission of a critical pod that evicts others
 * (killPodNow waits for their end); everything else that it does takes no time.
 */
export const loopNeverBlocks: Checker = function loopNeverBlocks({ facts, report }) {
  /** The time at which its select returned; null while it is before or in a select. */
  let since: number | null = null;
  let loop = 0;
  let waited = false;
  return (r) => {
    if (r.kind === 'enter' && r.fn === 'syncLoopIteration') {
      loop = r.g;
      since = null;
      waited = false;
      return;
    }
    if (r.g !== loop || loop === 0) return;
    switch (r.kind) {
      case 'receive':
        since ??= r.time;
        return;
      case 'enter':
        if (r.fn === 'HandlePodCleanups') waited = true;
        return;
      case 'exit':
        if (r.fn === 'syncLoopIteration' && !waited && since !== null && r.time - since > noTime)
          report('', `an iteration took ${seconds(r.time - since)} without housekeeping or an eviction`);
        return;
      case 'wait': {
        const frames = facts.frames(loop);
        const top = frames.at(-1)?.fn;
        if (r.on.op === 'select' && top === 'syncLoopIteration' && since === null) return;
        if (r.on.op === 'sleep' && (top === 'syncLoop' || top === undefined)) return;
        // The runtime's list, its cache's lock, and the API server's answer. Podworkers' lock is never held over a
        // wait.
        if (housekeeping.has(r.on.op) && frames.some((f) => f.fn === 'HandlePodCleanups')) return;
        if (r.on.op === 'select' && top === 'canAdmitPod') {
          waited = true;
          return;
        }
        report('', `the loop waits: ${r.on.op} ${r.on.name ?? ''} in ${top ?? 'syncLoop'}`);
        return;
      }
      default:
    }
  };
};
