import { messageOf } from '../../../base/index.js';
import { type CRIServices, invoke, type RpcMethod, servicesFrom } from '../../../cri/index.js';
import {
  DeadlockError,
  gosched,
  Kernel,
  Millisecond,
  PanicError,
  type Policy,
  Second,
  seeded,
} from '../../../kernel/index.js';
import type { RegistryBehaviour } from '../../../mock/index.js';
import { SimulatedNode } from '../../../scenario/node/node.js';
import type { Micros, TraceRecord } from '../../../trace/index.js';
import { describe, type Violation } from '../checker.js';
import { type ExpectedEnd, endProblems } from '../end-checks.js';
import { watchInvariants } from '../watch.js';
import {
  type CrashPoint,
  expectedOf,
  fixedUID,
  images,
  manifest,
  type Plan,
  type PlanAction,
  type PodPlan,
  slotName,
  slots,
} from './plan.js';

/** True for calls that change something in the runtime. */
export const isMutating = (method: RpcMethod): boolean =>
  /^(runPod|stop|remove|create|start|update|pull|checkpoint|reopen)/.test(method);

export interface PlanResult {
  /** All that went wrong, in words; empty: every invariant held. */
  readonly problems: readonly string[];
  readonly violations: readonly Violation[];
  readonly records: number;
  /** Of mutating CRI calls, in order, until the pods were as they should be. */
  readonly calls: readonly string[];
  readonly end: Micros;
}

export interface PlanOptions {
  /** Gets each record, too. */
  readonly sink?: (record: TraceRecord) => void;
  /** Longest wait for the pods to be as they should. Default 400 s. */
  readonly patience?: Micros;
}

interface Crash {
  /** Number of the mutating call, counted from the start of the run. */
  readonly call: number;
  readonly when: CrashPoint;
  readonly down: Micros;
}

/** Actions that leave no mark on pods. */
const harmless: ReadonlySet<PlanAction['verb']> = new Set([
  'crash',
  'stopKubelet',
  'startKubelet',
  'clearFaults',
  'startRuntime',
]);

const pulled: RegistryBehaviour = {
  kind: 'serve',
  image: { ref: images.pulled, programs: 'busybox', size: 3_000_000 },
};

/** No run of this size takes more; one that does spins. */
const maxSteps = 3_000_000;

/**
 * Does a plan on a node of its own, lets it come to rest, removes all pods, and checks every invariant all along.
 */
export function runPlan(plan: Plan, options: PlanOptions = {}): PlanResult {
  const run = new PlanRun(plan, options);
  try {
    run.play();
  } catch (error) {
    if (!(error instanceof PanicError) && !(error instanceof DeadlockError)) throw error;
    run.problems.push(
      `${error.name}: ${messageOf(error)}${error instanceof PanicError ? ` in ${error.stack_.join(' < ')}` : ''}`,
    );
  }
  return {
    problems: [...run.watch.violations.map(describe), ...run.problems],
    violations: run.watch.violations,
    records: run.kernel.lastSeq,
    calls: run.calls,
    end: run.kernel.now(),
  };
}

/**
 * Lets pods come up, restarts the kubelet, and tells what the new one did to them: nothing, it should be.
 * `up` and `down`: ms that they run before, and that there is no kubelet.
 */
export function restartOnHealthyPods(
  plan: Plan,
  up: number,
  down: number,
  options: PlanOptions = {},
): readonly string[] {
  const run = new PlanRun(plan, options);
  return run.restart(up * Millisecond, down * Millisecond);
}

class PlanRun {
  readonly kernel: Kernel;
  readonly node: SimulatedNode;
  readonly watch = watchInvariants((uid) => this.node.kubelet?.podManager.getPodByUID(uid));
  readonly problems: string[] = [];
  readonly calls: string[] = [];
  private readonly armed: Crash[] = [];
  private crash: Crash | null = null;
  private restartAt: Micros | null = null;
  private readonly expected = new Map<string, ExpectedEnd>();
  /** True if something other than manifests changed. */
  private disturbed = false;
  private hung = false;
  /** Somebody keeps the kubelet running. */
  private wanted = true;

  constructor(
    private readonly plan: Plan,
    private readonly options: PlanOptions,
  ) {
    const { sink } = options;
    this.kernel = new Kernel({
      seed: plan.seed,
      policy: policyOf(plan),
      sink: (r) => {
        this.watch.sink(r);
        sink?.(r);
      },
    });
    this.node = new SimulatedNode(this.kernel, {
      config: {
        staticPodPath: '/manifests',
        fileCheckFrequency: plan.fileCheck ?? Second,
        // Short, so that what hangs or fails is tried again soon.
        runtimeRequestTimeout: 10 * Second,
        syncFrequency: 10 * Second,
        maxContainerRestartPeriod: 15 * Second,
      },
      runtime: { images: [{ ref: images.other, programs: 'busybox' }], registry: { [images.pulled]: pulled } },
      tap: (services) => this.tap(services),
    });
  }

  play(): void {
    this.node.startKubelet();
    let at = 0;
    const put = new Map<number, PodPlan>();
    /** A pod of a fixed uid that comes again or changes is what it was to the kubelet. */
    const seen = new Set<number>();
    const again = new Set<number>();
    for (const { wait, action } of this.plan.steps) {
      at += wait * Millisecond;
      this.runUntil(at);
      if (action.verb === 'put') {
        if (seen.has(action.slot)) again.add(action.slot);
        put.set(action.slot, action.pod);
        if (action.pod.fixedUID) seen.add(action.slot);
      } else if (action.verb === 'delete' || action.verb === 'break') put.delete(action.slot);
      else if (action.verb === 'rename') again.add(action.slot);
      else if (!harmless.has(action.verb)) this.disturbed = true;
      this.perform(action);
    }
    this.peace();
    for (const [slot, pod] of put)
      this.expected.set(slotName(slot), pod.fixedUID && again.has(slot) ? 'any' : expectedOf(pod, this.disturbed));
    const open = this.settle();
    if (open.length > 0) this.problems.push(...open.map((p) => `not at rest: ${p}`));
    const { length } = this.calls;
    for (let slot = 0; slot < slots; slot++) this.perform({ verb: 'delete', slot });
    this.expected.clear();
    const left = this.settle();
    this.problems.push(...left.map((p) => `after all pods were taken away: ${p}`));
    for (const w of this.node.kubelet?.podWorkers.snapshot() ?? [])
      this.problems.push(`after all pods were taken away: a worker of ${w.pod} is ${w.state}`);
    this.calls.length = length;
  }

  restart(up: Micros, down: Micros): readonly string[] {
    const { node, calls, watch } = this;
    node.startKubelet();
    for (const { action } of this.plan.steps) {
      this.perform(action);
      if (action.verb === 'put') this.expected.set(slotName(action.slot), expectedOf(action.pod, false));
    }
    const before = this.settle();
    this.runUntil(this.kernel.now() + up);
    node.stopKubelet();
    this.wanted = false;
    const { length } = calls;
    this.runUntil(this.kernel.now() + down);
    this.wanted = true;
    node.startKubelet();
    // Long enough for each period that something happens in.
    this.runUntil(this.kernel.now() + 70 * Second);
    const { problems, untrue } = endProblems(node, watch.facts, this.expected);
    return [
      ...watch.violations.map(describe),
      ...before.map((p) => `before: ${p}`),
      ...calls.slice(length).map((c) => `${c} after the restart`),
      ...problems,
      ...untrue,
    ];
  }

  /** Ends all disturbances. */
  private peace(): void {
    const { node } = this;
    this.runUntil(this.kernel.now() + 100 * Millisecond);
    this.armed.length = 0;
    node.mock.faults.clear();
    node.mock.setNetworkReady(true);
    node.mock.setRegistry(images.pulled, pulled);
    // A container that hangs would do so for ever if no deadline ends it.
    if (this.hung) node.mock.stop();
    this.runUntil(this.kernel.now() + 100 * Millisecond);
    node.mock.start();
    this.wanted = true;
    this.restartAt = null;
    node.startKubelet();
  }

  /** Waits until all is as it should be, twice in a row. Returns what is missing after too long. */
  private settle(): string[] {
    const end = this.kernel.now() + (this.options.patience ?? 400 * Second);
    let good = 0;
    /** The wrong parts of the status, at each of the last looks. */
    const looks: string[][] = [];
    for (;;) {
      this.runUntil(this.kernel.now() + 2 * Second);
      const { problems, untrue } = endProblems(this.node, this.watch.facts, this.expected);
      looks.push(untrue);
      const lasting = untrue.filter((t) => looks.slice(-3).every((l) => l.includes(t)));
      const busy = this.expected.size === 0 && (this.node.kubelet?.podWorkers.snapshot().length ?? 0) > 0;
      good = problems.length === 0 && lasting.length === 0 && !busy ? good + 1 : 0;
      if ((good >= 2 && looks.length > 2) || this.kernel.now() >= end) return [...problems, ...lasting];
    }
  }

  private runUntil(time: Micros): void {
    const { kernel, node } = this;
    while (kernel.now() < time) {
      if (kernel.steps > maxSteps)
        throw new Error(`the run does not get on: ${maxSteps} steps until ${kernel.now() / Second} s`);
      kernel.run({
        until: Math.min(time, this.restartAt ?? time),
        stop: () => this.crash !== null || this.gaveUp(),
        maxSteps: 100_000,
      });
      if (this.crash) {
        node.stopKubelet();
        this.restartAt = kernel.now() + this.crash.down;
        this.crash = null;
      }
      // It gave up by itself: whoever runs it tries again.
      if (this.gaveUp()) this.restartAt = kernel.now() + Second;
      if (this.restartAt !== null && kernel.now() >= this.restartAt) {
        this.restartAt = null;
        node.startKubelet();
      }
    }
  }

  private gaveUp(): boolean {
    return this.wanted && this.restartAt === null && !this.node.kubeletRuns && this.node.kubelet !== null;
  }

  private perform(a: PlanAction): void {
    const { node, kernel } = this;
    const { mock } = node;
    const input = (...args: (string | number)[]) =>
      kernel.post(() => void kernel.emitCause({ kind: 'input', verb: a.verb, args }));
    switch (a.verb) {
      case 'put':
        input(slotName(a.slot), a.pod.fixedUID ? fixedUID(a.slot) : '');
        node.putManifest(this.file(a.slot) ?? `${slotName(a.slot)}.json`, manifest(a.slot, a.pod));
        return;
      case 'delete':
      case 'break':
      case 'rename': {
        const file = this.file(a.slot);
        if (!file) return;
        const text = node.manifests().find((m) => m.file === file)?.text ?? '';
        input(slotName(a.slot), a.verb === 'rename' && text.includes(fixedUID(a.slot)) ? fixedUID(a.slot) : '');
        if (a.verb === 'break') {
          node.writeManifest(file, '{"apiVersion": "v1", "kind": "Pod"');
          return;
        }
        node.removeManifest(file);
        if (a.verb === 'rename')
          node.putManifest(`${slotName(a.slot)}${file.includes('moved') ? '' : '-moved'}.json`, text);
        return;
      }
      case 'oom':
        input(slotName(a.slot), a.container);
        mock.oom(slotName(a.slot), a.container);
        return;
      case 'network':
        input(a.ready ? 'ready' : 'not ready');
        mock.setNetworkReady(a.ready);
        return;
      case 'registry':
        input(a.kind);
        mock.setRegistry(images.pulled, a.kind === 'serve' ? pulled : { kind: a.kind });
        return;
      case 'kill':
        input(slotName(a.slot), a.container);
        mock.killContainer(slotName(a.slot), a.container, a.signal);
        return;
      case 'killSandbox':
        input(slotName(a.slot));
        mock.killSandbox(slotName(a.slot));
        return;
      case 'fault':
        input(JSON.stringify(a.rule));
        if (a.rule.effect.kind === 'hang') this.hung = true;
        mock.faults.add(a.rule);
        return;
      case 'clearFaults':
        input();
        mock.faults.clear();
        return;
      case 'stopRuntime':
        input();
        mock.stop();
        return;
      case 'startRuntime':
        input();
        mock.start();
        return;
      case 'stopKubelet':
        input();
        this.wanted = false;
        this.restartAt = null;
        node.stopKubelet();
        return;
      case 'startKubelet':
        input();
        this.wanted = true;
        this.restartAt = null;
        node.startKubelet();
        return;
      case 'crash':
        input(a.nth, a.when);
        this.armed.push({ call: this.calls.length + a.nth, when: a.when, down: a.down * Millisecond });
        return;
    }
  }

  /** Returns the file of its manifest; undefined if there is none. */
  private file(slot: number): string | undefined {
    return this.node
      .manifests()
      .find((m) => m.file === `${slotName(slot)}.json` || m.file === `${slotName(slot)}-moved.json`)?.file;
  }

  /** Counts the mutating calls, and kills the kubelet where it is to be. */
  private tap(services: CRIServices): CRIServices {
    const run = this;
    return servicesFrom(function* (method, ctx, request) {
      if (!isMutating(method)) return yield* invoke(services, method, ctx, request);
      run.calls.push(method);
      const { length } = run.calls;
      const hit = run.armed.find((c) => c.call === length);
      if (hit && hit.when !== 'after') {
        run.crash = hit;
        if (hit.when === 'before') yield* gosched();
      }
      try {
        return yield* invoke(services, method, ctx, request);
      } finally {
        if (hit?.when === 'after') {
          run.crash = hit;
          yield* gosched();
        }
      }
    });
  }
}

function policyOf({ seed, schedule }: Plan): Policy {
  return seeded(seed, { goroutines: schedule !== 'fifo', preempts: schedule === 'preempts' });
}
