/** Gives a session real time, because sessions have no timers of their own. */
import type { SessionBackend, SessionServer } from '@syncloop/core/debug/live';

/** Longest time that the session occupies the event loop, ms. */
const sliceMillis = 8;
/** The longest wait for clients that do not keep up, ms. */
const patienceMillis = 1000;

/** A session that is played: a simulation, a recording, a log. */
export interface PumpedSession extends Pick<SessionBackend, 'listen'> {
  /** Begins a slice of work; the returned function says whether the slice is over. */
  beginSlice?: (() => () => boolean) | null | undefined;
  /** Goes on by this much real time; returns when to call again, ms, or null when there is nothing to do. */
  pump(elapsedMillis: number, expired: () => boolean): number | null;
}

/** Pumps a session whenever somebody watches. */
export class SessionPump {
  private timer: NodeJS.Timeout | null = null;
  private last = performance.now();
  private congestedSince: number | null = null;
  private watched = false;
  private stopped = false;
  private pumping = false;
  private readonly unlisten: () => void;

  constructor(
    private readonly session: PumpedSession,
    /** Known later: the server is made from the session. */
    private readonly server: () => SessionServer | null,
  ) {
    session.beginSlice = () => {
      const begun = performance.now();
      return () => performance.now() - begun >= sliceMillis;
    };
    // A command may have made it run.
    this.unlisten = session.listen((change) => {
      if (change === 'run') this.wake();
    });
  }

  /** While no page watches, the session stands still: its clock is its own. */
  clients(count: number): void {
    this.watched = count > 0;
    this.last = performance.now();
    this.wake();
  }

  stop(): void {
    this.stopped = true;
    this.unlisten();
    if (this.timer) clearTimeout(this.timer);
  }

  private wake(): void {
    if (this.timer || this.pumping || this.stopped || !this.watched) return;
    this.last = performance.now();
    this.schedule(0);
  }

  private schedule(millis: number): void {
    this.timer = setTimeout(() => {
      this.timer = null;
      this.pump();
    }, millis);
  }

  private pump(): void {
    if (this.stopped || !this.watched) return;
    const now = performance.now();
    if (this.waitsForClients(now)) {
      this.schedule(10);
      return;
    }
    const elapsed = now - this.last;
    this.last = now;
    // Changes that the pump itself causes are no reason to pump again sooner than it asks for.
    this.pumping = true;
    const again = this.session.pump(elapsed, () => performance.now() - now >= sliceMillis);
    this.pumping = false;
    if (again !== null && !this.timer) this.schedule(again);
  }

  private waitsForClients(now: number): boolean {
    if (!this.server()?.congested) {
      this.congestedSince = null;
      return false;
    }
    this.congestedSince ??= now;
    return now - this.congestedSince < patienceMillis;
  }
}
