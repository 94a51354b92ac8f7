import type { Container, Pod, PodSpec } from '../../../api/types.js';
import type { NodeInfo, ProbeTransport } from '../../../host/os.js';
import { background, type Go, Kernel, type KernelOptions, Minute, Second } from '../../../kernel/index.js';
import type { RecordKind, RecordOf, TraceRecord } from '../../../trace/index.js';
import { defaultKubeletConfig, type KubeletConfig } from '../../config.js';
import type { PodSyncResult } from '../../container/sync-result.js';
import type { ContainerID, PodStateProvider, RuntimePodStatus } from '../../container/types.js';
import { EventRecorder } from '../../events.js';
import { KubeletRuntimeHelper, type KubeletRuntimeHelperDeps } from '../../kubelet-pods-run.js';
import type { ProbeResult, ResultsManager } from '../../prober/types.js';
import { BackOff } from '../../util/backoff.js';
import {
  type KubeGenericRuntimeManager,
  type KubeGenericRuntimeManagerDeps,
  newKubeGenericRuntimeManager,
} from '../kuberuntime-manager.js';
import { FakeOS } from './fake-os.js';
import { FakeRuntime } from './fake-runtime.js';

/** Probe results by container ID. */
export class FakeResults implements ResultsManager {
  readonly results = new Map<string, ProbeResult>();
  get(id: ContainerID): ProbeResult | undefined {
    return this.results.get(id.id);
  }
  remove(id: ContainerID): void {
    this.results.delete(id.id);
  }
  updates(): never {
    throw new Error('not used');
  }
}

export const testNode: NodeInfo = {
  hostname: 'node1',
  addresses: ['192.168.1.5'],
  memoryCapacityBytes: 8 * 1024 ** 3,
  cpuMillis: 4000,
  cgroupVersion: 1,
  resolvConf: 'nameserver 10.255.255.53\n',
};

/** A container as the API's defaults leave it. */
export const defaulted = <C extends Partial<Container>>(c: C): C & Container => ({
  name: 'app',
  image: 'localhost/busybox:dev',
  imagePullPolicy: 'IfNotPresent',
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  resources: {},
  ...c,
});

/** A pod as the API's defaults leave it. */
export function makePod(spec: Partial<PodSpec> = {}, metadata: Partial<Pod['metadata']> = {}): Pod {
  return {
    metadata: { name: 'web-node1', namespace: 'default', uid: 'uid1', ...metadata },
    spec: {
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      securityContext: {},
      enableServiceLinks: true,
      ...spec,
      containers: (spec.containers ?? [{ name: 'app' }]).map(defaulted),
      ...(spec.initContainers ? { initContainers: spec.initContainers.map(defaulted) } : {}),
      ...(spec.ephemeralContainers ? { ephemeralContainers: spec.ephemeralContainers.map(defaulted) } : {}),
    },
    status: {},
  };
}

export interface TestManagerOptions {
  readonly config?: Partial<KubeletConfig>;
  readonly kernel?: KernelOptions;
  readonly helper?: Partial<KubeletRuntimeHelperDeps>;
  readonly deps?: Partial<KubeGenericRuntimeManagerDeps>;
}

/** A runtime manager over a fake runtime and file system, on virtual time. */
export class TestManager {
  readonly records: TraceRecord[] = [];
  readonly kernel: Kernel;
  readonly runtime: FakeRuntime;
  readonly os = new FakeOS();
  readonly liveness = new FakeResults();
  readonly startup = new FakeResults();
  readonly manager: KubeGenericRuntimeManager;
  readonly helper: KubeletRuntimeHelper;
  readonly recorder: EventRecorder;
  readonly backOff: BackOff;
  readonly gone = new Set<string>();
  readonly terminating = new Set<string>();
  readonly sandboxReady: string[] = [];
  httpGet: ProbeTransport['httpGet'] = function* () {
    return { status: 200, body: '' };
  };

  constructor(options: TestManagerOptions = {}) {
    const kernel = new Kernel({ sink: (r) => this.records.push(r), ...options.kernel });
    const config: KubeletConfig = { ...defaultKubeletConfig(), cgroupsPerQOS: false, ...options.config };
    this.kernel = kernel;
    this.runtime = new FakeRuntime(kernel);
    this.recorder = new EventRecorder(kernel);
    this.backOff = new BackOff(kernel, 10 * Second, 5 * Minute, (event, update) => event - update > 600 * Second);
    const self = this;
    this.helper = new KubeletRuntimeHelper({
      kernel,
      config,
      os: this.os,
      nodeInfo: testNode,
      recorder: this.recorder,
      *onPodSandboxReady(_ctx, pod) {
        self.sandboxReady.push(pod.metadata.name);
      },
      ...options.helper,
    });
    const podStateProvider: PodStateProvider = {
      isPodTerminationRequested: (uid) => this.terminating.has(uid),
      shouldPodContentBeRemoved: (uid) => this.gone.has(uid),
      shouldPodRuntimeBeRemoved: (uid) => this.gone.has(uid),
    };
    const probeTransport: ProbeTransport = {
      httpGet: (ctx, request) => this.httpGet(ctx, request),
      *tcpConnect() {},
      *grpcCheck() {
        return 'SERVING';
      },
    };
    this.manager = newKubeGenericRuntimeManager({
      kernel,
      config,
      runtimeService: this.runtime.services,
      imageService: this.runtime.services,
      os: this.os,
      recorder: this.recorder,
      livenessManager: this.liveness,
      readinessManager: new FakeResults(),
      startupManager: this.startup,
      runtimeHelper: this.helper,
      podStateProvider,
      probeTransport,
      nodeInfo: testNode,
      ...options.deps,
    });
    this.run(this.manager.initialize(background));
    this.runtime.calls.length = 0;
  }

  /** Runs an operation to its end, on virtual time; throws what it throws. */
  run<T>(op: Go<T>): T {
    let out: { value: T } | { error: unknown } | null = null;
    this.kernel.go('test', function* () {
      try {
        out = { value: yield* op };
      } catch (error) {
        out = { error };
      }
    });
    this.kernel.run({ stop: () => out !== null });
    const done = out as { value: T } | { error: unknown } | null;
    if (!done) throw new Error('the operation never ended');
    if ('error' in done) throw done.error;
    return done.value;
  }

  /** Lets time pass. */
  wait(micros: number): void {
    this.kernel.run({ until: this.kernel.now() + micros });
  }

  /** The pod as the PLEG would read it now. */
  status(pod: Pod): RuntimePodStatus {
    const { manager } = this;
    const { uid, name, namespace } = pod.metadata;
    return this.run(
      (function* () {
        const found = yield* manager.getPod(background, uid);
        return yield* manager.getPodStatus(background, found ?? { id: uid, name, namespace });
      })(),
    );
  }

  /** One pass of SyncPod on the pod's present status. The pod's folder is there, as makePodDataDirs leaves it. */
  sync(pod: Pod, restartAllContainers = false): PodSyncResult {
    const status = this.status(pod);
    this.run(this.os.mkdirAll(this.helper.getPodDir(pod.metadata.uid), 0o750));
    this.runtime.calls.length = 0;
    return this.run(this.manager.syncPod(background, pod, status, [], this.backOff, restartAllContainers));
  }

  of<K extends RecordKind>(kind: K): RecordOf<K>[] {
    return this.records.filter((r): r is RecordOf<K> => r.kind === kind);
  }
  /** Kubernetes Events as `Warning BackOff app: text`. */
  events(): string[] {
    return this.of('kube-event')
      .filter((e) => e.reason !== 'MissingClusterDNS')
      .map((e) => `${e.type} ${e.reason} ${/\{(.*)\}/.exec(e.object.fieldPath)?.[1] ?? '-'}: ${e.message}`);
  }
}

/** Results as `StartContainer app: CrashLoopBackOff`. */
export const results = (r: PodSyncResult): string[] =>
  r.syncResults.map((s) => `${s.action} ${s.target}${s.error ? `: ${s.error.message}` : ''}`);
