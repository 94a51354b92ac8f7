import { asCRIError, type CRIServices, invoke, type RpcMethod, rpcs, servicesFrom } from '../cri/index.js';
import { type Context, frame, type Go, type Goroutine, type Kernel, type Op, Second } from '../kernel/index.js';
import type { Micros } from '../trace/index.js';

/**
 * Calls that make the runtime work: processes, mounts, networks. Reads are cheap; a pull has limits of its own; how
 * long StopContainer and ExecSync take is up to the container, so nobody may be in line for them. `ongoing`: the pod
 * has its sandbox already, or gives it back. `fresh`: one more pod begins, or rubbish is taken out.
 */
const paced: Partial<Record<RpcMethod, Line>> = {
  createContainer: 'ongoing',
  startContainer: 'ongoing',
  stopPodSandbox: 'ongoing',
  runPodSandbox: 'fresh',
  removeContainer: 'fresh',
  removePodSandbox: 'fresh',
};

type Line = 'ongoing' | 'fresh';

/** A call that takes longer than this is stuck rather than busy: others no longer wait for it. */
export const pacePatience: Micros = 10 * Second;

/** Whoever is first among the fresh lets this many ongoing calls per slot go before it, and no more. */
const overtakesPerSlot = 8;

/**
 * The given services with at most `width` calls at a time that make the runtime work; the others wait for their turn.
 * Calls of pods under way go first, so that pods finish one after another instead of all together at the end; within a
 * line it is first come, first served, and nobody is overtaken without end. Waiting does not count against the call's
 * own deadline (that begins when it is made), but a context that ends takes its call out of the line, as Canceled or
 * DeadlineExceeded. A wait is a frame `waitForRuntimeSlot` in the trace, with a decision that says why, and a wait on
 * `runtime slot`; a call that need not wait leaves nothing. No twin upstream: see
 * docs/developers/decisions/0005-paced-mode.md.
 */
export function newPacedServices(kernel: Kernel, services: CRIServices, width: number): CRIServices {
  if (!(Number.isInteger(width) && width >= 1))
    throw new RangeError(`the runtime's concurrency is ${width}, but must be a whole number of at least 1`);
  const slots = new RuntimeSlots(kernel, width);
  return servicesFrom(function* (method, ctx, request) {
    const line = paced[method];
    if (!line) return yield* invoke(services, method, ctx, request);
    const release = yield* slots.acquire(ctx, method, line, request);
    try {
      return yield* invoke(services, method, ctx, request);
    } finally {
      release();
    }
  });
}

interface Waiter {
  granted: boolean;
  /** The number of entries of the other line that went before it while it was first. */
  overtaken: number;
  wake(): void;
}

class RuntimeSlots {
  private running = 0;
  private readonly lines: Record<Line, Waiter[]> = { ongoing: [], fresh: [] };

  constructor(
    private readonly kernel: Kernel,
    private readonly width: number,
  ) {}

  /** Takes a slot, at once or in turn. Ends with the function that gives it back; throws a CRIError when `ctx` ends. */
  *acquire(ctx: Context, method: RpcMethod, line: Line, request: object): Go<() => void> {
    if (this.running < this.width) this.running++;
    else yield* this.wait(ctx, method, line, request);
    return this.holding();
  }

  /** Waits for one of the few calls at a time that a real runtime is asked for. upstream: none (ours alone) */
  private *wait(ctx: Context, method: RpcMethod, line: Line, request: object): Go<void> {
    const { kernel, width, running } = this;
    const { ongoing, fresh } = this.lines;
    const waiter: Waiter = { granted: false, overtaken: 0, wake() {} };
    const name = rpcs[method].name;
    const pod = podOf(request);
    const self = this;
    yield* frame('waitForRuntimeSlot', { method: name, ...(pod && { pod: pod.pod }) }, function* () {
      kernel.emit({
        kind: 'decision',
        rule: 'waitForRuntimeSlot',
        verdict: 'wait',
        values: { method: name, width, running, line, ongoing: ongoing.length, fresh: fresh.length },
        ...pod,
      });
      yield new TurnOp(ctx, self.lines[line], waiter);
      if (!waiter.granted) throw asCRIError(ctx.err(), method);
    });
  }

  /** Returns the function that gives a taken slot back: it does so once, by its holder or when patience ends. */
  private holding(): () => void {
    let held = true;
    const free = () => {
      if (!held) return;
      held = false;
      timer.stop();
      this.running--;
      this.next();
    };
    const timer = this.kernel.addTimer(this.kernel.now() + pacePatience, free);
    return free;
  }

  /** Hands a slot that has become free to the next in turn. */
  private next(): void {
    const { ongoing, fresh } = this.lines;
    const patient = fresh[0] === undefined || fresh[0].overtaken < overtakesPerSlot * this.width;
    const line = ongoing.length > 0 && patient ? ongoing : fresh;
    const waiter = line.shift();
    if (!waiter) return;
    if (line === ongoing && fresh[0]) fresh[0].overtaken++;
    this.running++;
    waiter.granted = true;
    waiter.wake();
  }
}

/** Stands in a line until the slot comes or the context ends. */
class TurnOp implements Op {
  constructor(
    private readonly ctx: Context,
    private readonly line: Waiter[],
    private readonly waiter: Waiter,
  ) {}
  start(kernel: Kernel, g: Goroutine): boolean {
    const { ctx, line, waiter } = this;
    if (ctx.err()) return true;
    const leave = () => {
      const at = line.indexOf(waiter);
      if (at >= 0) line.splice(at, 1);
    };
    const forget = ctx.afterFunc(() => {
      leave();
      kernel.ready(g);
    });
    waiter.wake = () => {
      forget();
      kernel.ready(g);
    };
    line.push(waiter);
    kernel.park(g, { op: 'lock', name: 'runtime slot' }, () => {
      forget();
      leave();
    });
    return false;
  }
}

interface Named {
  readonly metadata?: { readonly namespace?: string; readonly name?: string; readonly uid?: string };
}

function podOf(request: object): { pod: string; uid: string } | undefined {
  const { config, sandboxConfig } = request as { config?: Named; sandboxConfig?: Named };
  const metadata = (sandboxConfig ?? config)?.metadata;
  if (!metadata?.uid) return undefined;
  return { pod: `${metadata.namespace ?? ''}/${metadata.name ?? ''}`, uid: metadata.uid };
}
