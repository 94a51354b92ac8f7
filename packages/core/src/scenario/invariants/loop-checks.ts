import { Millisecond } from '../../kernel/index.js';
import { type Checker, seconds } from './checker.js';

/** Each step of the kernel takes a microsecond, other goroutines' steps too: this is still no time. */
const noTime = 20 * Millisecond;

/**
 * The loop waits for work, in its back-off while the runtime is down, and in housekeeping (which lists the runtime's
 * pods); what it does besides takes no time.
 */
export const loopNeverBlocks: Checker = function loopNeverBlocks({ facts, report }) {
  /** When its select gave it something; null: it stands before or in a select. */
  let since: number | null = null;
  let loop = 0;
  let housekept = false;
  return (r) => {
    if (r.kind === 'enter' && r.fn === 'syncLoopIteration') {
      loop = r.g;
      since = null;
      housekept = false;
      return;
    }
    if (r.g !== loop || loop === 0) return;
    switch (r.kind) {
      case 'receive':
        since ??= r.time;
        return;
      case 'enter':
        if (r.fn === 'HandlePodCleanups') housekept = true;
        return;
      case 'exit':
        if (r.fn === 'syncLoopIteration' && !housekept && since !== null && r.time - since > noTime)
          report('', `an iteration took ${seconds(r.time - since)} without housekeeping`);
        return;
      case 'wait': {
        const frames = facts.frames(loop);
        const top = frames.at(-1)?.fn;
        if (r.on.op === 'select' && top === 'syncLoopIteration' && since === null) return;
        if (r.on.op === 'sleep' && (top === 'syncLoop' || top === undefined)) return;
        // The runtime's list, and its cache's lock. Podworkers' lock is never held over a wait.
        if ((r.on.op === 'call' || r.on.op === 'lock') && frames.some((f) => f.fn === 'HandlePodCleanups')) return;
        report('', `the loop waits: ${r.on.op} ${r.on.name ?? ''} in ${top ?? 'syncLoop'}`);
        return;
      }
      default:
    }
  };
};
