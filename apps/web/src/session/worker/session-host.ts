import { type SessionBackend, SessionServer, type SimulationSession } from '@syncloop/core/debug';

/** A session that moves when it is given time: a simulation, or a recording that is played. */
export type WorkerSession = SessionBackend & Pick<SimulationSession, 'pump' | 'beginSlice'>;

/** The world that a host needs: a clock and timers in ms. */
export interface HostTimers {
  now(): number;
  after(millis: number, then: () => void): unknown;
  cancel(timer: unknown): void;
}

/** The longest time that the simulation holds the worker, ms: commands wait no longer than that. */
const SLICE = 12;
/**
 * Records that may be on their way to the page. What a page gets when it pauses comes behind them, so they must not be
 * more than it folds in well below 100 ms.
 */
const AHEAD = 768;
/** The same for the records up to a moment that was gone to: nothing runs then that could be paused. */
const PAST_AHEAD = 4096;
/** The client's own credit holds the simulation back; look again after this many ms. */
const CONGESTED = 8;

/** Gives a session real time, and one page its session. */
export class WorkerHost {
  readonly server: SessionServer;
  private timer: unknown = null;
  private pumping = false;
  private last: number;

  constructor(
    private readonly session: WorkerSession,
    private readonly timers: HostTimers,
  ) {
    this.last = timers.now();
    this.server = new SessionServer(session, { creditRecords: AHEAD, creditPast: PAST_AHEAD });
    session.beginSlice = () => {
      const begun = timers.now();
      return () => timers.now() - begun >= SLICE;
    };
    // A command may have made it run.
    session.listen((change) => {
      if (change === 'run' && !this.pumping) this.wake();
    });
  }

  private wake(): void {
    if (this.timer !== null) return;
    this.last = this.timers.now();
    this.schedule(0);
  }

  private schedule(millis: number): void {
    this.timer = this.timers.after(millis, () => {
      this.timer = null;
      this.pump();
    });
  }

  private pump(): void {
    const now = this.timers.now();
    // The page has not taken earlier records: running on would only fill memory.
    if (this.server.congested) {
      this.schedule(CONGESTED);
      return;
    }
    const elapsed = now - this.last;
    this.last = now;
    this.pumping = true;
    const again = this.session.pump(elapsed, () => this.timers.now() - now >= SLICE || this.server.congested);
    this.pumping = false;
    if (again !== null && this.timer === null) this.schedule(again);
  }
}
