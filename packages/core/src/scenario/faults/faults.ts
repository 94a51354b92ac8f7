import { messageOf } from '../../base/index.js';
import { type Kernel, Random, type TimerHandle } from '../../kernel/index.js';
import { suggest } from '../../shape/index.js';
import type { Micros } from '../../trace/index.js';
import { ScenarioError } from '../document/errors.js';
import type { Fault, NodeFault, RepeatedFault } from '../document/fault-types.js';
import type { ApiServer } from '../node/api-server.js';
import type { JumpingClock } from '../node/clock.js';
import type { SimulatedNode } from '../node/node.js';

/** Most faults that are there or planned at once. */
const mostFaults = 1000;
/** Calls that a relist of the PLEG makes. */
const relistCalls = ['ListPodSandbox', 'ListContainers'] as const;
const relist = 'Relist';

interface Active extends NodeFault {
  since: Micros | null;
  hits: number;
  timers: TimerHandle[];
  /** Takes back what it did. */
  end: (() => void) | null;
}

export interface NodeFaultsOptions {
  readonly node: SimulatedNode;
  readonly clock: JumpingClock;
  /** Null: a node without one. */
  readonly api: ApiServer | null;
  readonly seed: number;
}

/**
 * The faults of a node: begins them, ends them when their time is over or when they are cleared, and repeats those that
 * repeat. All randomness (jitter) is drawn from the seed and from nothing else.
 */
export class NodeFaults {
  private readonly active = new Map<number, Active>();
  private readonly random: Random;
  private readonly kernel: Kernel;
  private nextId = 1;

  constructor(private readonly o: NodeFaultsOptions) {
    this.kernel = o.node.kernel;
    this.random = new Random((o.seed ^ 0x6a09e667) >>> 0);
  }

  /** Lists the faults that are there or will be, oldest first. */
  list(): readonly NodeFault[] {
    return [...this.active.values()].map(({ id, name, fault, since, hits }) => ({ id, name, fault, since, hits }));
  }

  /**
   * Begins a fault, at once or after its time; its id. Outside of any goroutine only. Throws a ScenarioError if it
   * cannot be: a container that does not run, a node without an API server.
   */
  start(fault: Fault): number {
    this.check(fault);
    const id = this.nextId++;
    const a: Active = { id, name: fault.name ?? nameOf(fault), fault, since: null, hits: 0, timers: [], end: null };
    this.active.set(id, a);
    if (fault.after) this.later(a, fault.after, () => this.begin(a));
    else {
      try {
        this.begin(a);
      } catch (error) {
        this.clear(id);
        throw error;
      }
    }
    return id;
  }

  private check(fault: Fault): void {
    if (this.active.size >= mostFaults)
      throw new ScenarioError(`there are ${mostFaults} faults already; end some with clearFaults`);
    if (fault.kind === 'api' && !this.o.api)
      throw new ScenarioError('this node has no API server; give it one with node.apiServer: true');
    if (fault.kind === 'clock' && this.kernel.clock.epochMillis + (this.kernel.now() + fault.jump) / 1000 < 0)
      throw new ScenarioError('the clock cannot be set to a time before 1970; let it jump less far back');
  }

  /** Ends the fault of that id, all of that name, or all. Throws a ScenarioError if there is none of that name. */
  clear(which?: number | string): void {
    const those = [...this.active.values()].filter((a) => which === undefined || a.id === which || a.name === which);
    if (typeof which === 'string' && those.length === 0)
      throw new ScenarioError(
        `there is no fault "${which}"; ${suggest(which, [...new Set([...this.active.values()].map((a) => a.name))])}`,
      );
    // Rules that somebody put into the runtime without us.
    if (which === undefined) this.o.node.mock.faults.clear();
    for (const a of those) this.over(a);
  }

  private over(a: Active): void {
    if (!this.active.delete(a.id)) return;
    for (const t of a.timers) t.stop();
    a.end?.();
  }

  private later(a: Active, duration: Micros, then: () => void): void {
    const timer = this.kernel.addTimer(this.kernel.now() + this.jittered(a.fault, duration), () => {
      a.timers = a.timers.filter((t) => t !== timer);
      then();
    });
    a.timers.push(timer);
  }

  private jittered({ jitter }: Fault, duration: Micros): Micros {
    return jitter ? Math.max(0, Math.round(duration * (1 + jitter * (2 * this.random.float() - 1)))) : duration;
  }

  /** Makes a `fault` record, which causes what follows. */
  private record(a: Active, effect: string): void {
    this.kernel.emitCause({ kind: 'fault', rule: a.name, method: '', effect });
  }

  private begin(a: Active): void {
    const { fault } = a;
    a.since = this.kernel.now();
    const lasts = fault.for;
    if (fault.kind === 'kill' || fault.kind === 'oom' || fault.kind === 'killSandbox') this.repeat(a, fault, true);
    else {
      a.end = this.impose(a, fault);
      // These are over as soon as they have happened.
      const restarts = fault.kind === 'kubelet' || (fault.kind === 'api' && fault.how === 'restart');
      if (fault.kind === 'clock' || (restarts && lasts === undefined)) {
        this.over(a);
        return;
      }
    }
    if (lasts !== undefined && this.active.has(a.id))
      this.later(a, lasts, () => {
        this.record(a, 'over');
        this.over(a);
      });
  }

  /** Strikes now, and again. Only the first time there must be something to strike. */
  private repeat(a: Active, fault: Extract<Fault, RepeatedFault & { pod: string }>, first: boolean): void {
    const { node } = this.o;
    const what = fault.kind === 'killSandbox' ? `sandbox of ${fault.pod}` : `${fault.pod}/${fault.container}`;
    try {
      this.record(a, `${fault.kind === 'oom' ? 'OOM kill' : 'kill'} ${what}`);
      if (fault.kind === 'oom') node.oom(fault.pod, fault.container);
      else if (fault.kind === 'kill') node.kill(fault.pod, fault.container, fault.signal);
      else node.kill(fault.pod);
      a.hits++;
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error;
      if (first && !fault.every && !fault.after) throw error;
      this.record(a, `nothing to strike: ${messageOf(error)}`);
    }
    const times = fault.times ?? (fault.every === undefined ? 1 : Number.POSITIVE_INFINITY);
    if (fault.every === undefined || a.hits >= times) this.over(a);
    // Never twice at one instant: it would not end.
    else this.later(a, Math.max(fault.every, 1000), () => this.repeat(a, fault, false));
  }

  /** Begins a fault; returns the function that ends it. */
  private impose(a: Active, fault: Exclude<Fault, { kind: 'kill' | 'oom' | 'killSandbox' }>): () => void {
    const { node, clock, api } = this.o;
    const { mock } = node;
    /** Wraps an undo: if two faults are about the same, it is well again when the last of them is over. */
    const last = (undo: () => void) => () => {
      if (![...this.active.values()].some((x) => x.since !== null && x.fault.kind === fault.kind)) undo();
    };
    const struck = () => {
      a.hits++;
    };
    switch (fault.kind) {
      case 'cri':
        return mock.faults.add({ ...fault.rule, ...(fault.name !== undefined && { name: fault.name }) });
      case 'pull': {
        const { answer, image, times } = fault;
        return mock.pullFaults.add(
          { name: a.name, answer, ...(image !== undefined && { image }), ...(times !== undefined && { times }) },
          struck,
        );
      }
      case 'probe': {
        const { kind: _, after: _after, for: _for, jitter: _jitter, ...rule } = fault;
        return node.probeFaults.add({ ...rule, name: a.name }, struck);
      }
      case 'relist': {
        const effect = { kind: 'delay', duration: fault.delay, ...(fault.jitter && { jitter: fault.jitter }) } as const;
        // Half of it each: a relist makes the two one after the other.
        const ends = relistCalls.map((method) =>
          mock.faults.add({
            name: a.name,
            method,
            within: relist,
            effect: { ...effect, duration: Math.round(effect.duration / 2) },
          }),
        );
        return () => {
          for (const end of ends) end();
        };
      }
      case 'runtime':
        this.record(a, 'the runtime is stopped');
        mock.stop();
        return last(() => mock.start());
      case 'network':
        this.record(a, 'the network is not ready');
        mock.setNetworkReady(false);
        return last(() => mock.setNetworkReady(true));
      case 'pressure':
        this.record(
          a,
          `the node is short of ${fault.resource}${fault.available === undefined ? '' : `: ${fault.available} is left`}`,
        );
        return node.load.begin(fault.resource, fault.available);
      case 'kubelet':
        this.record(a, fault.how === 'crash' ? 'the kubelet is killed' : 'the kubelet is stopped');
        node.stopKubelet(fault.how === 'crash' ? 'killed' : 'stopped');
        return last(() => node.startKubelet());
      case 'clock': {
        this.record(a, `the wall clock jumps by ${fault.jump / 1_000_000}s`);
        clock.jump(fault.jump);
        return () => {};
      }
      case 'api': {
        const server = api as ApiServer;
        if (fault.how === 'silent') {
          this.record(a, 'the API server is silent');
          return server.silence();
        }
        const restarts = fault.how === 'restart';
        this.record(a, restarts ? 'the API server is stopped' : 'the API server cannot be reached');
        server.disconnect();
        return () => {
          if (restarts) server.restarted();
          server.connect();
        };
      }
    }
  }
}

const nameOf = (fault: Fault): string => (fault.kind === 'cri' ? (fault.rule.name ?? fault.rule.method) : fault.kind);
