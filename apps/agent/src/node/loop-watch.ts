/** Notices when the event loop was blocked for a while, and when the wall clock was set. */
import type { RecordBody } from '@syncloop/core/trace';

/** The options of {@link watchLoop}; the clocks are parameters for tests. */
export interface LoopWatchOptions {
  /**
   * Takes the log line about it: it goes where the kubelet's own go, so that a reader of a late line sees the reason.
   */
  readonly emit: (record: RecordBody) => void;
  /** Called with the delay of each check, in seconds: for a histogram. */
  readonly observe?: (seconds: number) => void;
  /** Monotonic, ms; it stands still while the machine sleeps. */
  readonly monotonic?: () => number;
  /** Wall clock, ms since 1970. */
  readonly wall?: () => number;
  /** Calls back every this many ms; returns how to end it. */
  readonly every?: (millis: number, look: () => void) => () => void;
}

const periodMillis = 1000;
/** A longer delay is logged. */
const lateMillis = 1000;
/** Clocks that drift apart by more within one look were set, or the machine slept. */
const jumpMillis = 2000;

const file = 'loop-watch.ts';

/**
 * Looks once a second. A look that comes late means that the event loop was blocked, or the process stopped: the
 * kubelet's timers are then late through no fault of the runtime's. Returns how to end it.
 */
export function watchLoop(options: LoopWatchOptions): () => void {
  const { emit, observe, monotonic = () => performance.now(), wall = Date.now, every = interval } = options;
  let last = monotonic();
  let lastWall = wall();
  return every(periodMillis, () => {
    const now = monotonic();
    const nowWall = wall();
    const late = Math.max(0, now - last - periodMillis);
    const jump = nowWall - lastWall - (now - last);
    last = now;
    lastWall = nowWall;
    observe?.(late / 1000);
    if (late > lateMillis) emit(warning('The process could do nothing for a while', { seconds: rounded(late) }));
    if (Math.abs(jump) > jumpMillis)
      emit(warning('The wall clock jumped, or the machine slept', { seconds: rounded(jump) }));
  });
}

const rounded = (millis: number) => Math.round(millis / 100) / 10;

const warning = (msg: string, kv: Record<string, number>): RecordBody => ({
  kind: 'log',
  severity: 'W',
  v: 0,
  msg,
  kv,
  file,
});

function interval(millis: number, look: () => void): () => void {
  const timer = setInterval(look, millis);
  timer.unref();
  return () => clearInterval(timer);
}
