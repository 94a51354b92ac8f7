import { asCRIError, CRIError, GrpcCode, isStreaming, type RpcMethod, rpcs } from '../../cri/index.js';
import {
  background,
  type CancelFunc,
  type Context,
  current,
  type Go,
  type Goroutine,
  type Kernel,
  type Op,
  type Process,
  sleep,
  withCancel,
} from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import type { FaultEffect, FaultInjector, FaultSubject } from '../faults/faults.js';

/**
 * Answers a call at once, after the read latency; or takes its time on a goroutine of the runtime. With `waits` the
 * handler itself waits as long as a fault delays the call (`delay`, in microseconds), for what it does before it waits.
 */
export type Handler =
  | { readonly quick: (request: object) => object }
  | { readonly slow: (request: object, ctx: Context, delay: Micros) => Go<object>; readonly waits?: true };

export interface ServerOptions {
  readonly kernel: Kernel;
  readonly faults: FaultInjector;
  readonly handler: (method: RpcMethod) => Handler;
  readonly subject: (method: RpcMethod, request: object) => FaultSubject;
  readonly readLatency: () => number;
  /** Returns the scenario's rule for the call; asked on the caller's goroutine. */
  readonly script: (method: RpcMethod, request: object) => CallScript | null;
  /** The time at which such a call is to be over, by its goroutine. */
  readonly due: WeakMap<Goroutine, number>;
}

/** A scenario's rule for one call. */
export interface CallScript {
  /** Micros from the request to the answer; null: as long as it takes. */
  readonly took: number | null;
  readonly error: FaultEffect | null;
  /** Answers in place of the method's own handler. */
  readonly handler: Handler | null;
}

/** A caller that waits for its answer. */
class Call implements Op {
  over = false;
  g: Goroutine | null = null;
  result: object | null = null;
  error: CRIError | null = null;
  private stopContext: (() => boolean) | undefined;
  /** Tells the server side that nobody waits any more. */
  cancelServer: CancelFunc | null = null;
  timer: { stop(): boolean } | null = null;

  constructor(
    private readonly method: RpcMethod,
    private readonly ctx: Context,
    private readonly calls: Set<Call>,
  ) {}

  start(kernel: Kernel, g: Goroutine): boolean {
    if (this.over) {
      this.hand(g);
      return true;
    }
    this.g = g;
    this.stopContext = this.ctx.afterFunc(() => {
      const err = this.ctx.err();
      this.done(kernel, null, asCRIError(err, this.method));
    });
    kernel.park(
      g,
      { op: 'call', name: rpcs[this.method].name },
      () => {
        this.over = true;
        this.clean();
      },
      true,
    );
    return false;
  }

  done(kernel: Kernel, result: object | null, error: CRIError | null): void {
    if (this.over) return;
    this.over = true;
    this.result = result;
    this.error = error;
    this.clean();
    if (!this.g) return;
    this.hand(this.g);
    kernel.ready(this.g);
  }

  private hand(g: Goroutine): void {
    if (this.error) {
      g.failed = true;
      g.error = this.error;
    } else g.result = this.result;
  }

  private clean(): void {
    this.calls.delete(this);
    this.stopContext?.();
    this.timer?.stop();
    this.cancelServer?.();
  }
}

const unavailable =
  'connection error: desc = "transport: Error while dialing: dial unix /run/containerd/containerd.sock: connect: no such file or directory"';

/** The runtime's gRPC side: calls come in, are answered after a while, or fail with the server. */
export class Server {
  process: Process;
  running = true;
  private readonly calls = new Set<Call>();
  /** Are called when the server stops: streams end. */
  readonly onStop = new Set<() => void>();

  constructor(private readonly options: ServerOptions) {
    this.process = options.kernel.process('containerd');
  }

  stop(): void {
    if (!this.running) return;
    this.running = false;
    this.options.kernel.kill(this.process, 'stopped');
    for (const call of [...this.calls])
      call.done(this.options.kernel, null, new CRIError(GrpcCode.Unavailable, 'error reading from server: EOF'));
    for (const fn of [...this.onStop]) fn();
    this.onStop.clear();
  }
  start(): void {
    if (this.running) return;
    this.running = true;
    this.process = this.options.kernel.process('containerd');
  }

  /** One call, from the caller's side. */
  *call(method: RpcMethod, ctx: Context, request: object): Go<object> {
    const { kernel, faults } = this.options;
    const ended = ctx.err();
    if (ended) throw asCRIError(ended, method);
    if (!this.running) throw new CRIError(GrpcCode.Unavailable, unavailable, { method });
    const script = this.options.script(method, request);
    const handler = script?.handler ?? this.options.handler(method);
    const fault = faults.rules.length > 0 ? faults.decide(this.options.subject(method, request)) : null;
    const effect = fault ?? script?.error ?? null;
    const took = script?.took ?? null;
    const call = new Call(method, ctx, this.calls);
    this.calls.add(call);
    if ('quick' in handler && !effect) {
      call.timer = kernel.addTimer(
        kernel.now() + (took ?? this.options.readLatency()),
        () => {
          try {
            call.done(kernel, handler.quick(request), null);
          } catch (error) {
            if (!(error instanceof CRIError)) throw error;
            call.done(kernel, null, error);
          }
        },
        current().g.process,
      );
    } else {
      const due = took === null ? null : kernel.now() + took;
      this.serve(method, request, handler, effect, due, call, isStreaming(method) ? ctx : null);
    }
    return (yield call) as object;
  }

  private serve(
    method: RpcMethod,
    request: object,
    handler: Handler,
    effect: FaultEffect | null,
    due: number | null,
    call: Call,
    streamCtx: Context | null,
  ): void {
    const { kernel, readLatency, due: paces } = this.options;
    const left = () => (due === null ? readLatency() : Math.max(0, due - kernel.now()));
    const [serverCtx, cancel] = withCancel(kernel, background);
    call.cancelServer = cancel;
    // A stream lives as long as its caller's context, not only until the call is answered.
    const ctx = streamCtx ?? serverCtx;
    kernel.go(
      `containerd ${rpcs[method].name}`,
      function* () {
        if (due !== null) paces.set(current().g, due);
        let result: object = {};
        let failure: CRIError | null = null;
        try {
          const delay = effect?.kind === 'delay' ? effect.duration : 0;
          if (delay > 0 && !('waits' in handler)) yield* sleep(delay);
          const before = effect && effect.kind !== 'delay' && effect.when !== 'after';
          if (!before) {
            if ('quick' in handler) {
              yield* sleep(left());
              result = handler.quick(request);
            } else result = yield* handler.slow(request, ctx, delay);
          } else yield* sleep(left());
          if (effect?.kind === 'hang') return;
          if (effect?.kind === 'error') throw new CRIError(GrpcCode[effect.code], effect.message, { method });
        } catch (error) {
          if (!(error instanceof CRIError)) throw error;
          failure = error;
        }
        if (due !== null && due > kernel.now()) yield* sleep(due - kernel.now());
        call.done(kernel, failure ? null : result, failure);
      },
      { process: this.process, quiet: true, daemon: true },
    );
  }
}
