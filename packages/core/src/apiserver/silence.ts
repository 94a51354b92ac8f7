import {
  type Chan,
  type Context,
  type Go,
  type Kernel,
  makeChan,
  recv,
  Second,
  select,
  Timer,
} from '../kernel/index.js';
import type { Micros } from '../trace/index.js';

/**
 * After this long without a frame an HTTP/2 connection is asked whether it still lives, and has this long to answer.
 * upstream: apimachinery pkg/util/net/http.go readIdleTimeoutSeconds, pingTimeoutSeconds
 */
const healthCheck = (30 + 15) * Second;
/** upstream: net/http DefaultTransport */
const dialTimeout = 30 * Second;

/** The error of Go's HTTP/2 client for a connection that has failed its health check. */
export const connectionLost = 'http2: client connection lost';

/**
 * A network that carries nothing and says nothing, as one connection's client sees it: what is on its way waits, and
 * arrives late if the network is back before the connection is given up.
 */
export class Silence {
  /** The number of callers that want it silent. */
  private wanted = 0;
  private since: Micros = 0;
  private over: Chan<never> | null = null;

  /** `ends` is called when it is over, or when the connection that was there before is given up (`lost`). */
  constructor(
    private readonly kernel: Kernel,
    private readonly ends: (lost: boolean) => void,
  ) {}

  get on(): boolean {
    return this.wanted > 0;
  }

  /** Returns what ends it, once. */
  begin(): () => void {
    if (this.wanted++ === 0) {
      this.since = this.kernel.now();
      const over = makeChan<never>(this.kernel, 'API server answers again', 0, { quiet: true });
      this.over = over;
      this.kernel.addTimer(this.since + healthCheck, () => this.over === over && this.ends(true));
    }
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      if (--this.wanted > 0) return;
      this.over?.close();
      this.over = null;
      this.ends(false);
    };
  }

  /** True if the connection that was there when it began has been given up. */
  private get lost(): boolean {
    return this.kernel.now() >= this.since + healthCheck;
  }

  /**
   * Waits until it is over. Throws in the words of Go's client when the request, its connection or a new one times out.
   */
  *wait(ctx: Context, address: string, timeout: Micros | undefined): Go<void> {
    const { kernel } = this;
    const now = kernel.now();
    const until = this.lost ? now + dialTimeout : this.since + healthCheck;
    const why = this.lost ? `dial tcp ${address}: i/o timeout` : connectionLost;
    const own = timeout !== undefined && now + timeout < until;
    const timer = new Timer(kernel, (own ? now + timeout : until) - now, { name: 'silence', quiet: true });
    const first = yield* select({ over: recv(this.over), late: recv(timer.c), done: recv(ctx.done()) });
    timer.stop();
    if (first.case === 'done') throw ctx.err();
    if (first.case === 'late')
      throw new Error(own ? 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)' : why);
  }
}
