/** Gives a simulation real time, because the session has no timers of its own. */
import type { SessionServer, SimulationSession } from '@syncloop/core/debug';

/** Longest time that the simulation occupies the event loop, ms. */
const sliceMillis = 8;
/** How long it waits for clients that do not keep up before it goes on without them, ms. */
const patienceMillis = 1000;

/** Pumps a session whenever somebody watches. */
export class SimulationHost {
  private timer: NodeJS.Timeout | null = null;
  private last = performance.now();
  private congestedSince: number | null = null;
  private watched = false;
  private stopped = false;
  private pumping = false;
  private readonly unlisten: () => void;

  constructor(
    private readonly session: SimulationSession,
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

  /** While nobody watches, the simulation stands still: its clock is its own. */
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
