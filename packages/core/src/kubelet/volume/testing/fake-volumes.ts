import type { Pod, PodSpec } from '../../../api/types.js';
import type { OSInterface } from '../../../host/os.js';
import { background, type Go, Kernel, Second } from '../../../kernel/index.js';
import type { Micros, RecordOf, TraceRecord } from '../../../trace/index.js';
import type { ConfigMapObject, ObjectManagers, SecretObject } from '../../client/objects.js';
import { EventRecorder } from '../../events.js';
import { defaulted, makePod, testNode } from '../../kuberuntime/testing/harness.js';
import { VolumeManager } from '../../volumemanager/volume-manager.js';

export class Missing extends Error {}

/** ConfigMaps and Secrets by name, and a token that counts. */
export class FakeObjects implements ObjectManagers {
  readonly configMaps = new Map<string, Partial<ConfigMapObject>>();
  readonly secrets = new Map<string, Partial<SecretObject>>();
  tokens = 0;
  synced = true;
  readonly requests: { audiences: readonly string[]; expirationSeconds: number }[] = [];
  registerPod(): void {}
  unregisterPod(): void {}
  *getConfigMap(namespace: string, name: string): Go<ConfigMapObject> {
    const found = this.configMaps.get(name);
    if (!found) throw new Missing(`configmap "${name}" not found`);
    return { metadata: { name, namespace }, ...found };
  }
  *getSecret(namespace: string, name: string): Go<SecretObject> {
    const found = this.secrets.get(name);
    if (!found) throw new Missing(`secret "${name}" not found`);
    return { metadata: { name, namespace }, ...found };
  }
  *getServiceAccountToken(_pod: Pod, request: { audiences: readonly string[]; expirationSeconds: number }) {
    this.requests.push(request);
    return { token: `token-${++this.tokens}`, expirationTimestamp: '' };
  }
  isNotFound = (err: unknown): boolean => err instanceof Missing;
  servicesHaveSynced = (): boolean => this.synced;
  getServiceEnvVarMap = (): ReadonlyMap<string, string> => new Map();
}

export const podsDir = '/var/lib/kubelet/pods';

/** A volume manager with its pods, workers and file system, on virtual time. */
export class TestVolumes<O extends OSInterface = OSInterface> {
  readonly records: TraceRecord[] = [];
  readonly pods = new Map<string, Pod>();
  /** Uids whose containers are to end, and have ended. */
  readonly terminating = new Set<string>();
  readonly terminated = new Set<string>();
  sourcesReady = true;
  readonly objects = new FakeObjects();
  readonly os: O;
  readonly manager: VolumeManager;
  /** Of the Node; an Error to throw it. Null: stand-alone. */
  node: Error | object | null = null;

  constructor(
    makeOS: (kernel: Kernel) => O,
    options: { kernel?: Kernel; os?: O; standalone?: boolean; run?: boolean } = {},
  ) {
    this.kernel = options.kernel ?? new Kernel();
    this.kernel.addSink((r) => this.records.push(r));
    this.os = options.os ?? makeOS(this.kernel);
    const self = this;
    this.manager = new VolumeManager({
      kernel: this.kernel,
      host: {
        kernel: this.kernel,
        os: this.os,
        nodeInfo: testNode,
        objects: options.standalone ? null : this.objects,
        getPodDir: (uid) => `${podsDir}/${uid}`,
      },
      recorder: new EventRecorder(this.kernel),
      nodeName: 'node1',
      podsDir,
      podManager: { getPods: () => [...this.pods.values()], getPodByUID: (uid) => this.pods.get(uid) },
      podStateProvider: {
        shouldPodContainersBeTerminating: (uid) => this.terminating.has(uid) || this.terminated.has(uid),
        shouldPodRuntimeBeRemoved: (uid) => this.terminated.has(uid),
      },
      sourcesReady: () => this.sourcesReady,
      getNode: options.standalone
        ? null
        : function* () {
            if (self.node instanceof Error) throw self.node;
            return self.node;
          },
    });
    if (options.run === false) return;
    this.go(this.os.mkdirAll(podsDir, 0o750));
    this.kernel.go('run', function* () {
      self.manager.run();
    });
    // Its first passes are over.
    this.kernel.run({ until: 250_000 + this.kernel.now() });
  }
  readonly kernel: Kernel;

  /** A pod of one container that mounts all its volumes; the pod manager has it. */
  pod(spec: Partial<PodSpec>, uid = 'uid1', name = 'web'): Pod {
    const volumeMounts = (spec.volumes ?? []).map((v) => ({ name: v.name, mountPath: `/${v.name}` }));
    const pod = makePod({ containers: [defaulted({ volumeMounts })], ...spec }, { uid, name });
    this.pods.set(uid, pod);
    return pod;
  }

  /** Runs something to its end. Throws what it throws; says how long it took. */
  go<T>(work: Go<T>): { value: T; took: Micros } {
    const { kernel } = this;
    const began = kernel.now();
    let out: { value: T } | { error: unknown } | null = null;
    let took = 0;
    kernel.go('test', function* () {
      try {
        out = { value: yield* work };
      } catch (error) {
        out = { error };
      }
      took = kernel.now() - began;
    });
    kernel.run({ until: began + 400 * Second, stop: () => out !== null });
    const result = out as { value: T } | { error: unknown } | null;
    if (!result) throw new Error('it did not end');
    if ('error' in result) throw result.error;
    return { value: result.value, took };
  }
  mount(pod: Pod): Micros {
    return this.go(this.manager.waitForAttachAndMount(background, pod)).took;
  }
  unmount(pod: Pod): Micros {
    return this.go(this.manager.waitForUnmount(background, pod)).took;
  }
  run(seconds: number): void {
    this.kernel.run({ until: this.kernel.now() + seconds * Second });
  }

  of<K extends TraceRecord['kind']>(kind: K): RecordOf<K>[] {
    return this.records.filter((r): r is RecordOf<K> => r.kind === kind);
  }
  /** Messages of FailedMount events. */
  events(): string[] {
    return this.of('kube-event').map((e) => `${e.reason}: ${e.message}`);
  }
  /** Returns `op phase` of each record about a volume. */
  work(name?: string): string[] {
    return this.of('volume')
      .filter((r) => name === undefined || r.volume === name)
      .map((r) => `${r.op}${r.remount ? ' again' : ''} ${r.phase}${r.error === undefined ? '' : ': failed'}`);
  }
}

/** Returns a time in units of 100 ms, rounded. */
export const tenths = (micros: Micros): number => Math.round(micros / 100_000);
