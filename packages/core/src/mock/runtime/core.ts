import { type ContainerEventResponse, type ContainerEventType, CRIError, GrpcCode } from '../../cri/index.js';
import type { NodeInfo } from '../../host/os.js';
import { currentOrNull, epochMicros, type Goroutine, type Kernel, type Process, Random } from '../../kernel/index.js';
import { ScriptedCalls } from '../container-scripts/calls.js';
import { ContainerScripts } from '../container-scripts/container-scripts.js';
import { PullFaults } from '../faults/pull-faults.js';
import { MemFS } from '../fs/memfs.js';
import { defaultImages, ImageStore, parseReference } from '../images/images.js';
import type { RegistryBehaviour } from '../images/types.js';
import { Network } from '../network/network.js';
import { containerStatus, Lists, sandboxStatus } from './messages.js';
import { type Container, type Sandbox, Store } from './store.js';
import type { Latencies, MockRuntimeOptions } from './types.js';

const defaultLatencies: Latencies = {
  // The latency that the kubelet sees: 1.2 ms at the socket and its client's part. It makes relists drift as real ones
  // do, by 5 ms each.
  read: 2300,
  runPodSandbox: 97_000,
  stopPodSandbox: 80_000,
  removePodSandbox: 30_000,
  createContainer: 11_000,
  startContainer: 56_000,
  exit: 33_000,
  removeContainer: 5000,
  execSync: 33_000,
  removeImage: 20_000,
  jitter: 0.25,
};

/** The state of the runtime and the node around it, which all parts of the mock share. */
export class Core {
  readonly store = new Store();
  readonly lists = new Lists(this.store);
  readonly images = new ImageStore();
  readonly registry = new Map<string, RegistryBehaviour>();
  readonly pullFaults: PullFaults;
  readonly fs: MemFS;
  readonly network: Network;
  readonly nodeName: string;
  readonly nodeInfo: NodeInfo;
  /** Containers' processes live here: they outlive the runtime's own process. */
  readonly shims: Process = { name: 'containers', dead: false, goroutines: new Set(), timers: new Set() };
  readonly random: Random;
  readonly latencies: Latencies;
  readonly scripts: ContainerScripts;
  calls: ScriptedCalls;
  /** The times at which calls with a scripted duration end, by the runtime's goroutine. */
  readonly due = new WeakMap<Goroutine, number>();
  networkReady = true;
  /** Process ids of the node itself. */
  readonly pids = { next: 4000 };
  private masks: MemFS | null = null;
  /** Ends that came while the runtime did not run; it learns of them when it starts. */
  readonly unseen: (() => void)[] = [];
  running = true;
  /** The listeners to GetContainerEvents. */
  readonly listeners = new Set<(event: ContainerEventResponse) => void>();
  /** Further listeners to the same events, which must not change the run. */
  readonly watchers = new Set<(event: ContainerEventResponse) => void>();
  /** The last instant that was given out, since 1970, and the epoch of the clock then; `text` is that of its second. */
  private readonly last = { micros: 0, nanos: 0, epoch: 0, second: Number.NaN, text: '' };

  constructor(
    readonly kernel: Kernel,
    readonly options: MockRuntimeOptions,
  ) {
    this.random = new Random(options.seed ?? kernel.random.uint32());
    this.nodeName = options.nodeName ?? 'node1';
    this.nodeInfo = {
      hostname: this.nodeName,
      addresses: ['192.168.0.10'],
      memoryCapacityBytes: 8 * 2 ** 30,
      cpuMillis: 4000,
      cgroupVersion: 2,
      ephemeralStorageBytes: 100 * 2 ** 30,
      machineID: '3d1f4c52a5e24a0d9c7b6e0f8a1b2c3d',
      systemUUID: '3d1f4c52-a5e2-4a0d-9c7b-6e0f8a1b2c3d',
      bootID: '0f8a1b2c-3d4e-4f5a-8b6c-7d8e9f0a1b2c',
      kernelVersion: '6.12.0',
      osImage: 'syncloop mock runtime',
      resolvConf: 'nameserver 10.255.255.53\n',
      ...(options.imageDiskBytes !== undefined && { imageFsCapacityBytes: options.imageDiskBytes }),
      ...options.node,
    };
    this.fs = options.fs ?? new MemFS(kernel);
    this.scripts = new ContainerScripts(kernel, options.lives ?? [], this.nodeName);
    this.calls = new ScriptedCalls(options.calls ?? [], this.nodeName);
    this.pullFaults = new PullFaults(kernel);
    for (const [path, text] of Object.entries({
      '/etc/hosts': `127.0.0.1\tlocalhost\n${this.nodeInfo.addresses[0] ?? '127.0.1.1'}\t${this.nodeName}\n`,
      '/etc/hostname': `${this.nodeName}\n`,
      '/etc/resolv.conf': this.nodeInfo.resolvConf,
    }))
      this.fs.writeFileSync(path, text);
    this.latencies = { ...defaultLatencies, ...options.latencies };
    this.network = new Network(kernel, options.podNetwork ?? '10.89.0', this.nodeInfo.addresses, 300);
    for (const image of [...(options.noDefaultImages ? [] : defaultImages), ...(options.images ?? [])])
      this.images.add(image);
    for (const [ref, behaviour] of Object.entries(options.registry ?? {})) this.setRegistry(ref, behaviour);
  }

  /** Returns the cover of a masked path: /dev/null, or an empty folder. upstream (runc): maskPath */
  mask(folder: boolean): { readonly fs: MemFS; readonly source: string } {
    if (!this.masks) {
      this.masks = new MemFS(this.kernel);
      this.masks.writeFileSync('/null', '', 0o666);
      this.masks.mkdirAllSync('/empty');
    }
    return { fs: this.masks, source: folder ? '/empty' : '/null' };
  }

  setRegistry(ref: string, behaviour: RegistryBehaviour): void {
    const parsed = parseReference(ref);
    if (!parsed) throw new TypeError(`registry: '${ref}' is not a valid image reference`);
    this.registry.set(parsed.full, behaviour);
  }

  /** A latency with its jitter. */
  latency(base: number): number {
    return base === 0 ? 0 : Math.round(base * (1 + this.latencies.jitter * (2 * this.random.float() - 1)));
  }

  /** Returns the time that the main part of a call takes: its latency, or all that is left of its scripted duration. */
  callTime(base: number): number {
    const g = currentOrNull()?.g;
    const due = g && this.due.get(g);
    return due === undefined ? this.latency(base) : Math.max(0, due - this.kernel.now());
  }

  /** True if the scenario gives the duration of the call that the running goroutine serves. */
  get scripted(): boolean {
    const g = currentOrNull()?.g;
    return g !== undefined && this.due.has(g);
  }

  /** Moves `last` on: to now and some nanoseconds, and in any case to later than it was. */
  private tick(): void {
    const { last } = this;
    const { epochMillis } = this.kernel.clock;
    const micros = epochMicros(this.kernel.clock) + this.kernel.now();
    const nanos = this.random.below(1000);
    // Somebody set the clock: earlier than before is what it is now.
    const set = epochMillis !== last.epoch;
    last.epoch = epochMillis;
    if (set || micros > last.micros || (micros === last.micros && nanos > last.nanos)) {
      last.micros = micros;
      last.nanos = nanos;
    } else if (++last.nanos === 1000) {
      last.micros++;
      last.nanos = 0;
    }
  }

  /** Returns Unix nanoseconds, each time a later one. */
  nowNs(): string {
    this.tick();
    return `${this.last.micros}${String(this.last.nanos).padStart(3, '0')}`;
  }

  /**
   * Returns the time as container logs have it: RFC 3339 with a fraction of nine digits, less its last zeros. Each line
   * of a log asks for one.
   */
  stamp(): string {
    this.tick();
    const { last } = this;
    const second = Math.floor(last.micros / 1e6);
    if (second !== last.second) {
      last.second = second;
      last.text = new Date(second * 1000).toISOString().slice(0, 19);
    }
    // The digit in front keeps the zeros.
    const digits = String(1e9 + (last.micros - second * 1e6) * 1000 + last.nanos);
    let end = digits.length;
    while (digits.charCodeAt(end - 1) === 48) end--;
    return end === 1 ? `${last.text}Z` : `${last.text}.${digits.slice(1, end)}Z`;
  }
  nowMillis(): number {
    return Math.floor((epochMicros(this.kernel.clock) + this.kernel.now()) / 1000);
  }

  // --- facts for the trace ---------------------------------------------------------------------------------------

  emitSandbox(s: Sandbox, state: 'ready' | 'notready' | 'removed'): void {
    this.kernel.emit({
      kind: 'actual-sandbox',
      id: s.id,
      uid: s.uid,
      pod: `${s.namespace}/${s.pod}`,
      attempt: s.attempt,
      state,
      ...(state === 'ready' && s.net && !s.hostNetwork && { ip: s.net.ip }),
    });
  }
  emitContainer(
    c: Container,
    state: 'created' | 'running' | 'exited' | 'removed',
    end?: { exitCode: number; reason: string },
  ): void {
    this.kernel.emit({
      kind: 'actual-container',
      id: c.id,
      sandbox: c.sandbox.id,
      uid: c.sandbox.uid,
      name: c.name,
      attempt: c.attempt,
      state,
      ...end,
    });
  }
  emitImage(image: string, state: 'pulling' | 'present' | 'failed' | 'removed', error?: string): void {
    this.kernel.emit({ kind: 'actual-image', image, state, ...(error !== undefined && { error }) });
  }

  /** Tells the streams of GetContainerEvents. */
  event(type: ContainerEventType, sandbox: Sandbox, id: string): void {
    if (this.listeners.size === 0 && this.watchers.size === 0) return;
    const event: ContainerEventResponse = {
      containerId: id,
      ...(type !== 'CONTAINER_CREATED_EVENT' && { containerEventType: type }),
      // Asking the clock draws a number.
      createdAt: this.listeners.size > 0 ? this.nowNs() : `${epochMicros(this.kernel.clock) + this.kernel.now()}000`,
      podSandboxStatus: sandboxStatus(sandbox),
      containersStatuses: [...sandbox.containers].map(containerStatus),
    };
    for (const listener of [...this.listeners, ...this.watchers]) listener(event);
  }
}

/** Returns the error of a lookup by id, after the purpose of the lookup. upstream: truncindex' errors, and NotFound */
export function lookupError(map: ReadonlyMap<string, unknown>, id: string, before: string): CRIError {
  if (id === '') return unknown(`${before}: Prefix can't be empty`);
  const several = [...map.keys()].filter((key) => key.startsWith(id)).length > 1;
  return several
    ? unknown(`${before}: Multiple IDs found with provided prefix: ${id}`)
    : notFound(`${before}: not found`);
}

export const notFound = (text: string): CRIError => new CRIError(GrpcCode.NotFound, text);
export const unknown = (text: string): CRIError => new CRIError(GrpcCode.Unknown, text);
