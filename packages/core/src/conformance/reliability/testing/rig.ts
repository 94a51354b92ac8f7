import type { RestRequest } from '../../../api/client/transport.js';
import { isPodPhaseTerminal } from '../../../api/pod/podutil.js';
import type { Pod } from '../../../api/types.js';
import { CRIError, type CRIServices, invoke, type RpcMethod, servicesFrom } from '../../../cri/index.js';
import {
  type Context,
  type Go,
  Kernel,
  Millisecond,
  Minute,
  makeChan,
  type Policy,
  Second,
  seeded,
  sleep,
} from '../../../kernel/index.js';
import { defaultKubeletConfig, type KubeletConfig } from '../../../kubelet/config.js';
import { slowDisk } from '../../../kubelet/testing/slow-disk.js';
import type { ContainerView, MockRuntimeOptions, SandboxView } from '../../../mock/index.js';
import { ApiServer } from '../../../scenario/node/api-server.js';
import { JumpingClock } from '../../../scenario/node/clock.js';
import { SimulatedNode } from '../../../scenario/node/node.js';
import type { RecordKind, RecordOf, TraceRecord } from '../../../trace/index.js';
import { describe } from '../../invariants/checker.js';
import { watchInvariants } from '../../invariants/watch.js';
import { type ApiFault, type FaultyTransport, faultyTransport } from './faulty-transport.js';

/** The point at which a call is cut: before it reaches the other side, or after that has done it but nobody knows. */
export type CutPoint = 'before' | 'after';

export interface RigOptions {
  readonly seed?: number;
  readonly config?: Partial<KubeletConfig>;
  readonly runtime?: MockRuntimeOptions;
  /** With an API server. */
  readonly api?: boolean;
  readonly policy?: Policy;
  /** Kinds of records to keep. Default: a few that are about what happened to pods. */
  readonly keep?: readonly RecordKind[];
  /** The invariants' checks cost as much as the run itself. Default: on. */
  readonly check?: boolean;
  /** The runtime can stream its lists, which the mock's cannot. Default: off. */
  readonly streams?: boolean;
  /** The node's files answer late, so that two who work with them meet. Default: at once. */
  readonly slowDisk?: boolean;
}

/** Streams, the lists that have the same, and the fields of the items in the list and in a chunk. */
const lists: Partial<Record<RpcMethod, readonly [RpcMethod, string, string]>> = {
  streamPodSandboxes: ['listPodSandbox', 'items', 'podSandboxes'],
  streamContainers: ['listContainers', 'containers', 'containers'],
  streamImages: ['listImages', 'images', 'images'],
  streamContainerStats: ['listContainerStats', 'stats', 'containerStats'],
  streamPodSandboxStats: ['listPodSandboxStats', 'stats', 'podSandboxStats'],
  streamPodSandboxMetrics: ['listPodSandboxMetrics', 'podMetrics', 'podSandboxMetrics'],
};

const kept: readonly RecordKind[] = ['kube-event', 'log', 'runtime-state', 'worker', 'actual-container', 'fault'];

/** Calls that change something in the runtime. */
const mutating = /^(runPod|stop|remove|create|start|update|pull|checkpoint|reopen)/;

/** A node under test, with an API server if it wants one, all on virtual time; seconds are virtual seconds. */
export class Rig {
  readonly kernel: Kernel;
  readonly clock = new JumpingClock();
  readonly node: SimulatedNode;
  readonly server: ApiServer | null;
  readonly transport: FaultyTransport | null;
  readonly records: TraceRecord[] = [];
  /** Mutating CRI calls in order, and requests that write to the API server. */
  readonly calls: { readonly method: RpcMethod; readonly uid: string; readonly at: number }[] = [];
  readonly writes: { readonly method: string; readonly path: string; readonly at: number; readonly body: unknown }[] =
    [];
  /** Decides about the fault of a request to the API server; the test's to set. */
  apiFault: (request: RestRequest, watch: boolean) => ApiFault | null = () => null;
  /** Sees each CRI call before it reaches the runtime; the test's to set. */
  onCall: (method: RpcMethod, request: unknown) => void = () => {};
  /** Decides about the fault of a stream half-way; the test's to set. */
  onStream: (method: RpcMethod) => CRIError | 'stalls' | null = () => null;
  private readonly watch = watchInvariants((uid) => this.node.kubelet?.podManager.getPodByUID(uid));
  private cut: { what: 'cri' | 'api'; nth: number; when: CutPoint; down: number } | null = null;
  private downFor = 0;
  private startAt: number | null = null;
  private hit = false;
  private readonly phases = new Map<string, string>();
  private readonly stepsBack: string[] = [];

  private readonly streams: boolean;

  constructor(options: RigOptions = {}) {
    this.streams = options.streams ?? false;
    const seed = options.seed ?? 1;
    const keep = new Set(options.keep ?? kept);
    const { check = true } = options;
    this.kernel = new Kernel({
      clock: this.clock,
      seed,
      policy: options.policy ?? seeded(seed),
      sink: (r) => {
        if (check) this.watch.sink(r);
        if (keep.has(r.kind)) this.records.push(r);
      },
    });
    const config = { staticPodPath: '/manifests', fileCheckFrequency: Second, ...options.config };
    const nodeName = config.nodeName ?? defaultKubeletConfig().nodeName;
    this.server = options.api ? new ApiServer(this.kernel, nodeName, seed) : null;
    this.transport = this.server
      ? faultyTransport(this.server.transport, {
          on: (request, watch) => this.apiFault(request, watch),
          point: (when, request) => this.atWrite(when, request),
        })
      : null;
    this.node = new SimulatedNode(this.kernel, {
      config,
      runtime: options.runtime ?? {},
      tap: (services) => this.tap(services),
      ...(this.transport && { transport: this.transport }),
      ...(options.slowDisk && { disk: (files) => slowDisk(files, seed) }),
    });
  }

  get mock() {
    return this.node.mock;
  }
  get api(): ApiServer {
    if (!this.server) throw new Error('this rig has no API server: give it api: true');
    return this.server;
  }
  get now(): number {
    return this.kernel.now() / Second;
  }

  start(): this {
    this.node.startKubelet();
    return this;
  }
  /** Kills the kubelet; it is away for this many seconds, then there is another. */
  crash(down = 0): void {
    this.node.stopKubelet('killed');
    this.run(down);
    this.node.startKubelet();
  }

  // --- time --------------------------------------------------------------------------------------------------------

  run(seconds: number): this {
    const { kernel } = this;
    const until = kernel.now() + Math.round(seconds * Second);
    while (kernel.now() < until) {
      kernel.run({ until: Math.min(until, this.startAt ?? until), stop: () => this.hit });
      if (this.hit) {
        this.hit = false;
        this.node.stopKubelet('killed');
        this.startAt = kernel.now() + this.downFor * Second;
      }
      if (this.startAt !== null && kernel.now() >= this.startAt) {
        this.startAt = null;
        this.node.startKubelet();
      }
    }
    return this;
  }
  /** Runs until it is so, looked at each 0.1 s; returns false if it was not within that time. */
  until(done: () => boolean, seconds: number): boolean {
    const end = this.kernel.now() + seconds * Second;
    for (;;) {
      if (done()) return true;
      if (this.kernel.now() >= end) return false;
      this.run(Math.min(100 * Millisecond, end - this.kernel.now()) / Second);
    }
  }

  // --- being killed at a call ---------------------------------------------------------------------------------------

  /**
   * The kubelet is killed at the nth mutating CRI call or API write from the start of the run, and is away for `down`
   * seconds.
   */
  cutAt(what: 'cri' | 'api', nth: number, when: CutPoint, down = 0): this {
    this.cut = { what, nth, when, down };
    return this;
  }
  /** True if the cut has happened. */
  get wasCut(): boolean {
    return this.cut === null;
  }
  private *at(what: 'cri' | 'api', nth: number, when: CutPoint): Go<void> {
    const { cut } = this;
    if (cut?.what !== what || cut.nth !== nth || cut.when !== when) return;
    this.cut = null;
    this.downFor = cut.down;
    this.hit = true;
    // Its goroutine goes no further: it is about to be killed.
    yield* sleep(Minute);
  }
  private *atWrite(when: CutPoint, request: RestRequest): Go<void> {
    if (when === 'before')
      this.writes.push({ method: request.method, path: request.path, at: this.now, body: request.body });
    else this.compareStored();
    yield* this.at('api', this.writes.length, when);
  }
  /** Checks that the API server keeps what it has been told of a pod's end. */
  private compareStored(): void {
    for (const { metadata, status } of this.api.list()) {
      const before = this.phases.get(metadata.uid);
      const now = status.phase ?? '';
      if (before && now !== before && !isPodPhaseTerminal(status.phase))
        this.stepsBack.push(`the API server's ${metadata.name} went from ${before} to ${now}`);
      if (isPodPhaseTerminal(status.phase)) this.phases.set(metadata.uid, now);
    }
  }
  private tap(services: CRIServices): CRIServices {
    const rig = this;
    return servicesFrom(function* (method, ctx, request) {
      rig.onCall(method, request);
      const list = rig.streams && lists[method];
      if (list) return yield* rig.stream(services, method, list, ctx, request);
      if (!mutating.test(method)) return yield* invoke(services, method, ctx, request);
      rig.calls.push({ method, uid: uidOf(request), at: rig.now });
      const nth = rig.calls.length;
      yield* rig.at('cri', nth, 'before');
      const answer = yield* invoke(services, method, ctx, request);
      yield* rig.at('cri', nth, 'after');
      return answer;
    });
  }

  /** Sends the list, one item a chunk. */
  private *stream(
    services: CRIServices,
    method: RpcMethod,
    [list, from, to]: readonly [RpcMethod, string, string],
    ctx: Context,
    request: object,
  ): Go<object> {
    const items = ((yield* invoke(services, list, ctx, request)) as Record<string, object[]>)[from] ?? [];
    const chunks = makeChan<object>(this.kernel, method, items.length + 1);
    const fault = this.onStream(method);
    for (const [i, item] of items.entries()) {
      // In the midst of it, if it has one.
      if (fault && i === Math.floor(items.length / 2)) break;
      chunks.trySend({ [to]: [item] });
    }
    if (fault instanceof CRIError) chunks.trySend(fault);
    if (fault === 'stalls') ctx.afterFunc(() => chunks.close());
    else chunks.close();
    return chunks;
  }

  // --- what is asked for ---------------------------------------------------------------------------------------------

  /** A static pod from its manifest's `spec`. */
  put(name: string, spec: object, metadata: object = {}): this {
    this.node.putManifest(`${name}.json`, JSON.stringify(podOf(name, spec, metadata)));
    return this;
  }
  /** Takes the manifest away. */
  remove(name: string): this {
    this.node.removeManifest(`${name}.json`);
    return this;
  }
  /** A pod of the API server, bound to this node. */
  apply(name: string, spec: object, metadata: object = {}): this {
    this.api.apply(podOf(name, spec, metadata));
    return this;
  }

  // --- what is -------------------------------------------------------------------------------------------------------

  /** Returns the pod of the kubelet, with its newest status. */
  pod(name: string): Pod | undefined {
    return this.node.podNamed(name);
  }
  ready(name: string): boolean {
    return this.condition(name, 'Ready') === 'True';
  }
  condition(name: string, type: string): string | undefined {
    return this.pod(name)?.status.conditions?.find((c) => c.type === type)?.status;
  }
  /** Returns the pod of the API server. */
  stored(name: string): Pod | undefined {
    return this.api.list().find((p) => p.metadata.name === name);
  }
  /** Returns true if all containers of these pods are up, in the kubelet's words. */
  allReady(names: readonly string[]): boolean {
    const ready = new Set(
      this.node
        .podsWithStatus()
        .filter((p) => p.status.conditions?.some((c) => c.type === 'Ready' && c.status === 'True'))
        .map((p) => p.metadata.name),
    );
    return names.every((n) => ready.has(n) || ready.has(`${n}-${this.node.config.nodeName}`));
  }
  /** Returns the running containers, by the runtime. */
  running(): readonly ContainerView[] {
    return this.mock.containers().filter((c) => c.state === 'running');
  }
  readySandboxes(): readonly SandboxView[] {
    return this.mock.sandboxes().filter((s) => s.state === 'ready');
  }
  containersOf(pod: string, name?: string): readonly ContainerView[] {
    const full = `${pod}-${this.node.config.nodeName}`;
    return this.mock
      .containers()
      .filter((c) => (c.pod === pod || c.pod === full) && (name === undefined || c.name === name));
  }
  /** Returns true if nothing of it is left in the kubelet, and nothing runs. */
  gone(pod: string): boolean {
    return this.node.holds({ pod, gone: true });
  }
  of<K extends RecordKind>(kind: K): RecordOf<K>[] {
    return this.records.filter((r): r is RecordOf<K> => r.kind === kind);
  }
  /** Reasons of a pod's events in order. */
  events(pod: string): string[] {
    const full = `${pod}-${this.node.config.nodeName}`;
    return this.of('kube-event')
      .filter((e) => e.object.kind === 'Pod' && (e.object.name === pod || e.object.name === full))
      .map((e) => e.reason);
  }
  /** The violations of what must never happen. */
  get violations(): string[] {
    return [...this.watch.violations.map(describe), ...this.stepsBack];
  }
}

const podOf = (name: string, spec: object, metadata: object): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec,
});

function uidOf(request: unknown): string {
  const r = request as { config?: { metadata?: { uid?: string } }; sandboxConfig?: { metadata?: { uid?: string } } };
  return r.sandboxConfig?.metadata?.uid ?? r.config?.metadata?.uid ?? '';
}
