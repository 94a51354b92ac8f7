import { CRIError, type CRIServices, GrpcCode } from '../../cri/index.js';
import type { ProbeTransport } from '../../host/os.js';
import {
  type Context,
  ContextError,
  currentOrNull,
  type Go,
  type Kernel,
  Millisecond,
  Second,
  sleep,
} from '../../kernel/index.js';
import type { ProbeType } from '../../trace/index.js';
import { podMatches } from './faults.js';

/** A rule that replaces the results of probes. */
export interface ProbeFaultRule {
  /** Shown in the trace. Default: probe. */
  readonly name?: string;
  readonly pod?: string;
  readonly container?: string;
  /** Default: all. */
  readonly probe?: ProbeType;
  /**
   * One letter per probe of a container, over and over: F fails, S succeeds, H hangs up to its time-out, - leaves the
   * real probe alone.
   */
  readonly pattern: string;
  /** The number of probes. Default: all. */
  readonly times?: number;
}

/** The time that a probe with a replaced result takes. */
const execTime = 30 * Millisecond;
const networkTime = Millisecond;

interface Subject {
  readonly uid: string;
  readonly pod: string;
  readonly namespace: string;
  readonly container: string;
  readonly probeType: ProbeType;
  /** The sequence number of the call that is one probe. */
  readonly seq: number;
}

interface ActiveRule {
  readonly rule: ProbeFaultRule;
  readonly struck: (() => void) | undefined;
  hits: number;
  /** Probes so far, by container and kind. */
  readonly turns: Map<string, { seq: number; n: number; letter: string }>;
}

/**
 * Sits between the kubelet's probes and their targets: exec probes go through `services`, the others through
 * `transport`. It recognises the calling probe by the caller's stack, which has a frame of the prober's worker with its
 * name.
 */
export class ProbeFaults {
  private readonly active: ActiveRule[] = [];
  constructor(
    private readonly kernel: Kernel,
    private readonly nodeName: string,
  ) {}

  /** Activates a rule; the returned function removes it. Throws a TypeError if the pattern is not valid. */
  add(rule: ProbeFaultRule, struck?: () => void): () => void {
    if (!/^[FSH-]+$/.test(rule.pattern))
      throw new TypeError(`probe fault: '${rule.pattern}' is not a pattern of F, S, H and -`);
    const fault: ActiveRule = { rule, struck, hits: 0, turns: new Map() };
    this.active.push(fault);
    return () => {
      const i = this.active.indexOf(fault);
      if (i >= 0) this.active.splice(i, 1);
    };
  }

  /** Returns F, S or H for the probe that is running; null if no fault applies to it, or no probe is running. */
  private decide(): 'F' | 'S' | 'H' | null {
    if (this.active.length === 0) return null;
    const probe = probing();
    if (!probe) return null;
    for (const fault of this.active) {
      const { rule } = fault;
      if (rule.probe !== undefined && rule.probe !== probe.probeType) continue;
      if (rule.container !== undefined && rule.container !== probe.container) continue;
      if (rule.pod !== undefined && !podMatches(rule.pod, probe, this.nodeName)) continue;
      const letter = this.turn(fault, probe);
      if (letter === null) continue;
      return letter === '-' ? null : (letter as 'F' | 'S' | 'H');
    }
    return null;
  }

  /** The rule's letter for this probe; the prober's own second and third try are the same probe. */
  private turn(fault: ActiveRule, probe: Subject): string | null {
    const { rule } = fault;
    const key = `${probe.uid} ${probe.container} ${probe.probeType}`;
    const before = fault.turns.get(key);
    if (before?.seq === probe.seq) return before.letter;
    if (fault.hits >= (rule.times ?? Number.POSITIVE_INFINITY)) return null;
    const n = before ? before.n + 1 : 0;
    const letter = rule.pattern.charAt(n % rule.pattern.length);
    fault.turns.set(key, { seq: probe.seq, n, letter });
    fault.hits++;
    fault.struck?.();
    if (letter !== '-')
      this.kernel.emit({
        kind: 'fault',
        rule: rule.name ?? 'probe',
        method: `${probe.probeType} probe of ${probe.namespace}/${probe.pod} ${probe.container}`,
        effect: letter === 'F' ? 'fails' : letter === 'S' ? 'succeeds' : 'hangs',
      });
    return letter;
  }

  /** The CRI as exec probes see it. */
  services(services: CRIServices): CRIServices {
    const self = this;
    return {
      ...services,
      *execSync(ctx, request) {
        const effect = self.decide();
        if (!effect) return yield* services.execSync(ctx, request);
        const { timeout = '1' } = request;
        if (effect === 'H') {
          yield* sleep(Number(timeout) * Second);
          throw new CRIError(
            GrpcCode.DeadlineExceeded,
            `failed to exec in container: timeout ${timeout}s exceeded: context deadline exceeded`,
          );
        }
        yield* sleep(execTime);
        return effect === 'F' ? { exitCode: 1 } : {};
      },
    };
  }

  /** The network as the other probes see it. */
  transport(base: ProbeTransport): ProbeTransport {
    const self = this;
    function* effectOf(ctx: Context, timeout: number, hung: string): Go<'F' | 'S' | null> {
      const effect = self.decide();
      if (!effect) return null;
      yield* sleep(effect === 'H' ? timeout : networkTime);
      const ended = ctx.err();
      if (ended instanceof ContextError && effect !== 'H') throw ended;
      if (effect === 'H') throw new Error(hung);
      return effect;
    }
    return {
      *httpGet(ctx, request) {
        const { scheme, host, port, path, timeout } = request;
        const hung = `Get "${scheme}://${host}:${port}${path}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`;
        const effect = yield* effectOf(ctx, timeout, hung);
        if (!effect) return yield* base.httpGet(ctx, request);
        return effect === 'S' ? { status: 200, body: 'ok' } : { status: 503, body: 'Service Unavailable' };
      },
      *tcpConnect(ctx, host, port, timeout) {
        const effect = yield* effectOf(ctx, timeout, `dial tcp ${host}:${port}: i/o timeout`);
        if (!effect) yield* base.tcpConnect(ctx, host, port, timeout);
        else if (effect === 'F') throw new Error(`dial tcp ${host}:${port}: connect: connection refused`);
      },
      *grpcCheck(ctx, host, port, service, timeout) {
        const hung = 'rpc error: code = DeadlineExceeded desc = context deadline exceeded';
        const effect = yield* effectOf(ctx, timeout, hung);
        if (!effect) return yield* base.grpcCheck(ctx, host, port, service, timeout);
        return effect === 'S' ? 'SERVING' : 'NOT_SERVING';
      },
    };
  }
}

/** The probe that the current goroutine executes, from the frame of its worker. */
export function probing(): Subject | null {
  const frame = currentOrNull()?.g.frames.find((f) => f.fn === 'doProbe');
  if (!frame) return null;
  const { pod, uid, container, probeType } = frame.args as {
    pod: string;
    uid: string;
    container: string;
    probeType: ProbeType;
  };
  const slash = pod.indexOf('/');
  return { namespace: pod.slice(0, slash), pod: pod.slice(slash + 1), uid, container, probeType, seq: frame.seq };
}
