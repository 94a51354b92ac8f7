/**
 * Finds out whether a silent API server is still there: a watch may be silent for long, and so are a network that is
 * cut and a server that hangs. Upstream asks within its HTTP/2 connection; here every watch has a connection of its
 * own, so that the server is asked once for all of them, and only when no connection brought anything. A kubelet renews
 * its lease more often than that, so that in good times nothing is asked.
 *
 * upstream: apimachinery pkg/util/net/http.go configureHTTP2Transport
 */

/** The error of Go's HTTP/2 client for a connection that gave no sign of life. */
export const connectionLost = 'http2: client connection lost';

export class ConnectionHealth {
  private readonly watches = new Set<() => void>();
  private timer: NodeJS.Timeout | null = null;
  private lastHeard = 0;

  /**
   * `ping` resolves when the server gave any answer. It is called after this many silent milliseconds, and may take as
   * many (upstream: readIdleTimeoutSeconds, pingTimeoutSeconds).
   */
  constructor(
    private readonly ping: (signal: AbortSignal) => Promise<unknown>,
    private readonly idleMillis = 30_000,
    private readonly pingMillis = 15_000,
  ) {}

  /** Something came from the server. */
  heard(): void {
    this.lastHeard = performance.now();
  }

  /** Calls `lost` once if the server gives no sign of life any more; the returned function ends that. */
  watch(lost: () => void): () => void {
    this.watches.add(lost);
    this.heard();
    this.schedule();
    return () => {
      this.watches.delete(lost);
      if (this.watches.size > 0 || !this.timer) return;
      clearTimeout(this.timer);
      this.timer = null;
    };
  }

  private schedule(): void {
    if (this.timer || this.watches.size === 0) return;
    const left = this.lastHeard + this.idleMillis - performance.now();
    this.timer = setTimeout(() => void this.look(), Math.max(1, left));
    this.timer.unref();
  }

  private async look(): Promise<void> {
    if (performance.now() - this.lastHeard >= this.idleMillis && (await this.isGone())) {
      const lost = [...this.watches];
      this.watches.clear();
      for (const end of lost) end();
    }
    this.timer = null;
    this.schedule();
  }

  /** Returns true if nothing came in answer to a ping, nor otherwise while it waited. */
  private async isGone(): Promise<boolean> {
    const asked = performance.now();
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), this.pingMillis);
    // A request that is refused or reset at once ends the watches by itself, or is sent again.
    await this.ping(late.signal).catch(() => {});
    clearTimeout(timer);
    if (late.signal.aborted && this.lastHeard <= asked) return true;
    this.heard();
    return false;
  }
}
