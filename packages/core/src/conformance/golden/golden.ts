import { base64Bytes, messageOf } from '../../base/index.js';
import {
  asCRIError,
  type CRIServices,
  type CreateContainerRequest,
  type ExecSyncResponse,
  invoke,
  isStreaming,
  rpcs,
  servicesFrom,
} from '../../cri/index.js';
import { type Go, Kernel, Millisecond, type Policy, Second, seeded, sleep, VirtualClock } from '../../kernel/index.js';
import { defaultEra, type EraVersion } from '../../kubelet/era/index.js';
import { defaultImages } from '../../mock/images/images.js';
import { ScenarioError } from '../../scenario/document/errors.js';
import { isPolling, SimulatedNode } from '../../scenario/node/node.js';
import { outside } from '../../scenario/node/outside.js';
import { formatKlog, type Json, type RecordSink, type TraceRecord } from '../../trace/index.js';
import { GoldenCluster } from './cluster.js';
import { checkStep, type GoldenStep, needsServer, podNameOf, work, workName } from './steps.js';
import type { GoldenCall, GoldenPod, GoldenRecording, UnreadObject } from './types.js';

export type { GoldenCall, GoldenPod, GoldenRecording } from './types.js';

export interface GoldenOptions {
  /** Default 1. */
  readonly seed?: number;
  readonly policy?: Policy;
  /** The version of the kubelet that runs; it must be loaded. Default: v1.36. */
  readonly era?: EraVersion;
  /** Another minor version of the same design, such as "1.29". Default: the era's. */
  readonly emulatedVersion?: string;
  /** Gets the run's trace, too. */
  readonly sink?: RecordSink;
}

/** The times at which the recorder started the kubelet, and came to the first step. */
const kubeletStart = 300 * Millisecond;
const firstStep = 3500 * Millisecond;
/** The times that the recorder waited for a process to end, and for one to come up. */
const toEnd = 55 * Millisecond;
const toComeUp = 505 * Millisecond;
const lookEvery = 100 * Millisecond;
/** The machine that the recordings were made on. */
const recorderNode = {
  cgroupVersion: 1 as const,
  cpuMillis: 2000,
  memoryCapacityBytes: 24_684_092 * 1024,
  ephemeralStorageBytes: 0,
  appArmorEnabled: false,
  addresses: ['10.99.0.1'],
};

/**
 * Does a golden recording's steps on the mock runtime, in virtual time, and records what our kubelet did.
 * Throws a ScenarioError that names the step if a verb is unknown or its arguments are wrong.
 */
export function runGolden(
  recording: {
    readonly scenario: string;
    readonly about?: string;
    readonly steps: readonly GoldenStep[];
    /** Default: if a step needs one. */
    readonly apiServer?: boolean;
  },
  options: GoldenOptions = {},
): GoldenRecording {
  const steps = recording.steps.map(checkStep);
  const withApi = recording.apiServer ?? steps.some(([verb]) => needsServer.has(verb));
  const recorder = new Recorder(recording, steps, withApi, options);
  recorder.run();
  return recorder.result;
}

class Recorder {
  readonly result: GoldenRecording;
  private readonly kernel: Kernel;
  private readonly node: SimulatedNode;
  /** Null: the kubelet is on its own. */
  private readonly cluster: GoldenCluster | null;
  private finished = false;
  /** Something happened that may have changed a status. */
  private dirty = true;
  private lastPods = '';

  constructor(
    recording: { readonly scenario: string; readonly about?: string; readonly steps: readonly GoldenStep[] },
    private readonly steps: readonly GoldenStep[],
    withApi: boolean,
    options: GoldenOptions,
  ) {
    const seed = options.seed ?? 1;
    // A real kubelet does not start on a full second either.
    const clock = new VirtualClock({ epochMillis: Date.UTC(2026, 10, 21, 4, 0, 0, 317) });
    const kernel = new Kernel({ clock, seed, policy: options.policy ?? seeded(seed), sink: (r) => this.take(r) });
    if (options.sink) kernel.addSink(options.sink);
    this.kernel = kernel;
    this.result = {
      scenario: recording.scenario,
      about: recording.about ?? '',
      kubelet: `syncloop, as ${options.era ?? defaultEra}`,
      containerd: 'mock, as containerd v2.1.9',
      steps: recording.steps,
      marks: [],
      cri: [],
      status: [],
      everyChange: true,
      klog: [],
      problems: [],
    };
    this.cluster = withApi ? new GoldenCluster(kernel, 'node1') : null;
    const { cluster } = this;
    this.node = new SimulatedNode(kernel, {
      ...(options.era && { era: options.era }),
      config: {
        ...(cluster && { clusterDNS: ['10.0.0.10'], clusterDomain: 'cluster.local' }),
        ...(options.emulatedVersion !== undefined && { emulatedVersion: options.emulatedVersion }),
        nodeName: 'node1',
        rootDirectory: `${work}/k-root`,
        podLogsDir: `${work}/podlogs`,
        staticPodPath: `${work}/manifests`,
        fileCheckFrequency: Second,
        cgroupsPerQOS: false,
        evictionHardMemoryBytes: 2 ** 20,
        localStorageCapacityIsolation: false,
        failCgroupV1: false,
      },
      // The recorder's node: cgroup v1, no network, no AppArmor, two CPUs, no systemd, an old runc.
      runtime: {
        offline: true,
        privateMounts: true,
        userNamespaces: false,
        node: recorderNode,
        ...(cluster && {
          images: defaultImages.slice(0, 1).map((image) => ({ ...image, ref: 'localhost/busybox:next' })),
        }),
      },
      tap: (services) => this.tap(services),
      ...(cluster && { transport: cluster.connect() }),
    });
  }

  run(): void {
    const { kernel } = this;
    kernel.addTimer(kubeletStart, () => this.node.startKubelet());
    kernel.go('recorder', () => this.drive(), { process: kernel.process('recorder'), quiet: true });
    while (!this.finished) {
      const before = kernel.steps;
      const did = kernel.step();
      if (did === 'idle') {
        kernel.checkDeadlock();
        break;
      }
      if (did === 'choice') throw new ScenarioError('a policy that asks cannot be used here');
      if (this.dirty && kernel.steps !== before) this.snapshot();
      this.cluster?.snapshot();
    }
    if (this.cluster) Object.assign(this.result, this.clean(this.cluster.result()));
    // Calls that a killed kubelet left behind.
    for (const call of this.result.cri) if (call.tookMs < 0) call.tookMs = Math.max(0, this.ms() - call.at);
  }

  private clean<T>(value: T): T {
    return JSON.parse(JSON.stringify(value).replaceAll(work, workName)) as T;
  }

  private ms(): number {
    return Math.round(this.kernel.now() / Millisecond);
  }

  private take(record: TraceRecord): void {
    if (record.kind === 'log') {
      if (record.v <= 4)
        this.result.klog.push(
          formatKlog(record, { epochMillis: this.kernel.clock.epochMillis }).replaceAll(work, workName),
        );
    } else if (
      record.kind === 'status' ||
      record.kind === 'status-removed' ||
      record.kind === 'process' ||
      (record.kind === 'exit' && record.fn.startsWith('HandlePod'))
    )
      this.dirty = true;
  }

  /** Records what `/pods` would show, if it has changed. A kubelet that does not run shows nothing at all. */
  private snapshot(): void {
    this.dirty = false;
    if (!this.node.kubeletRuns) return;
    const pods: GoldenPod[] = this.node.pods().map((p) => ({
      name: p.metadata.name,
      uid: p.metadata.uid,
      deletionTimestamp: Boolean(p.metadata.deletionTimestamp),
      status: p.status as unknown as UnreadObject,
    }));
    const text = JSON.stringify(pods).replaceAll(work, workName);
    if (text === this.lastPods) return;
    this.lastPods = text;
    this.result.status.push({ at: this.ms(), pods: JSON.parse(text) as GoldenPod[] });
  }

  /** Keeps the unary calls that come through. */
  private tap(services: CRIServices): CRIServices {
    const { cri } = this.result;
    const { kernel } = this;
    const self = this;
    return servicesFrom(function* (method, ctx, request) {
      if (isStreaming(method)) return yield* invoke(services, method, ctx, request);
      const started = kernel.now();
      const call: GoldenCall = {
        seq: cri.length,
        at: self.ms(),
        method: rpcs[method].name,
        request: plain(method === 'createContainer' ? withEnvBytes(request) : request),
        tookMs: -1,
      };
      cri.push(call);
      const took = () => {
        call.tookMs = Math.round((kernel.now() - started) / Millisecond);
      };
      try {
        const response = yield* invoke(services, method, ctx, request);
        took();
        if (!isPolling(method)) call.response = plain(method === 'execSync' ? withOutputBytes(response) : response);
        return response;
      } catch (error) {
        took();
        const { code, details } = asCRIError(error, method);
        call.error = { code, details: details.replaceAll(work, workName) };
        throw error;
      }
    });
  }

  private *drive(): Go<void> {
    yield* sleep(firstStep);
    for (const [i, step] of this.steps.entries()) {
      const [verb, ...args] = step;
      this.result.marks.push({ at: this.ms(), step: verb, args: verb === 'put' ? [podNameOf(args[0])] : args });
      try {
        yield* this.perform(verb, args);
      } catch (error) {
        if (!(error instanceof ScenarioError)) throw error;
        this.result.problems.push(`step ${i + 1} (${verb}): ${error.message}`);
      }
    }
    this.finished = true;
  }

  private *perform(verb: string, args: readonly unknown[]): Go<void> {
    const { node, kernel } = this;
    const { mock } = node;
    const [first, second, third] = args as [string, string, string | string[]];
    const act = (fn: () => void) =>
      outside(kernel, verb, [verb === 'put' ? String(podNameOf(first)) : (first ?? '')], fn);
    const { cluster } = this;
    if (cluster && needsServer.has(verb)) {
      yield* this.performInCluster(cluster, verb, args);
      return;
    }
    switch (verb) {
      case 'put':
        yield* act(() => node.putManifest(`${podNameOf(first)}.yaml`, JSON.stringify(first)));
        return;
      case 'rm':
        yield* act(() => node.removeManifest(`${first}.yaml`));
        return;
      case 'raw':
        yield* act(() => node.writeManifest(first, second));
        return;
      case 'rmraw':
        yield* act(() => node.removeManifest(first));
        return;
      case 'wait':
        yield* sleep(Number(first) * Second);
        return;
      case 'phase':
        yield* this.until(
          Number(third),
          () => node.holds({ pod: first, phase: second }),
          () => node.describePod(first),
        );
        return;
      case 'gone':
        yield* this.until(
          Number(second),
          () => node.holds({ pod: first, gone: true }),
          () => node.describePod(first),
        );
        return;
      case 'kill':
        yield* act(() => node.kill(first, second));
        return;
      case 'killSandbox':
        yield* act(() => node.kill(first));
        return;
      case 'exec': {
        const command =
          args.length > 3 ? (args.slice(2) as string[]) : typeof third === 'string' ? ['sh', '-c', third] : third;
        kernel.emitCause({ kind: 'input', verb, args: [first, second, ...command] as Json[] });
        try {
          yield* mock.exec(first, second, command);
        } catch (error) {
          throw new ScenarioError(messageOf(error));
        }
        return;
      }
      case 'sh': {
        kernel.emitCause({ kind: 'input', verb, args: [first] });
        const r = yield* mock.shell(first, { WORK: work });
        if (r.exitCode !== 0)
          throw new ScenarioError(`exit code ${r.exitCode}: ${(r.stderr || r.stdout).slice(0, 500)}`);
        return;
      }
      case 'stopKubelet':
        yield* act(() => node.stopKubelet());
        yield* sleep(toEnd);
        return;
      case 'startKubelet':
        yield* act(() => node.startKubelet());
        yield* sleep(toComeUp);
        return;
      case 'stopRuntime':
        yield* act(() => mock.stop());
        yield* sleep(toEnd);
        return;
      case 'startRuntime':
        yield* act(() => mock.start());
        yield* sleep(toComeUp);
        return;
    }
  }

  /** Performs a step on the API server, or waits for something in it. */
  private *performInCluster(cluster: GoldenCluster, verb: string, args: readonly unknown[]): Go<void> {
    const [first, second, third, fourth] = args as [string, string, unknown, string | undefined];
    const name = verb === 'create' ? String(podNameOf(first)) : (second ?? '');
    const act = (fn: () => void) => outside(this.kernel, verb, [name], fn);
    const describe = () => cluster.describe(first);
    switch (verb) {
      case 'create':
        yield* act(() => cluster.create(first));
        return;
      case 'patch':
        yield* act(() => cluster.patch(first, second, third, fourth));
        return;
      case 'del':
        yield* act(() => cluster.del(first, second, third === undefined ? undefined : Number(third)));
        return;
      case 'nodeReady':
        yield* this.until(
          Number(first),
          () => cluster.nodeReady(),
          () => 'the node is not Ready in the API',
        );
        return;
      case 'apiPhase':
        yield* this.until(Number(third), () => cluster.hasPhase(first, second), describe);
        return;
      case 'apiGone':
        yield* this.until(Number(second), () => cluster.isGone(first), describe);
        return;
      case 'stopApi':
        yield* act(() => cluster.stop());
        yield* sleep(toEnd);
        return;
      case 'startApi':
        yield* act(() => cluster.start());
        yield* sleep(toComeUp);
        return;
    }
  }

  private *until(seconds: number, condition: () => boolean, describe: () => string): Go<void> {
    const end = this.kernel.now() + seconds * Second;
    while (!condition()) {
      if (this.kernel.now() >= end) throw new ScenarioError(`not within ${seconds}s: ${describe()}`);
      yield* sleep(Math.min(lookEvery, end - this.kernel.now()));
    }
  }
}

/**
 * Returns a copy that no later change touches, without undefined fields, and with the recorder's name for its folder.
 */
const plain = (message: object): UnreadObject =>
  JSON.parse(JSON.stringify(message).replaceAll(work, workName)) as UnreadObject;

/** Bytes as Node's JSON of a Buffer has them. */
const buffer = (base64: string) => ({ type: 'Buffer', data: [...base64Bytes(base64)] });

function withOutputBytes(response: ExecSyncResponse): object {
  const { stdout, stderr, ...rest } = response;
  return { ...(stdout && { stdout: buffer(stdout) }), ...(stderr && { stderr: buffer(stderr) }), ...rest };
}

function withEnvBytes(request: CreateContainerRequest): object {
  const { config } = request;
  if (!config?.envs) return request;
  return {
    ...request,
    config: { ...config, envs: config.envs.map((e) => ({ ...e, ...(e.value && { value: buffer(e.value) }) })) },
  };
}
