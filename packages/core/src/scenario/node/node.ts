import type { RestTransport } from '../../api/client/transport.js';
import type { Pod } from '../../api/types.js';
import { type CRIServices, inProcessClient, isStreaming, type RpcMethod } from '../../cri/index.js';
import type { OSInterface } from '../../host/os.js';
import { type Kernel, send } from '../../kernel/index.js';
import { CgroupsInMemory } from '../../kubelet/cm/cgroups-in-memory.js';
import { tryDecodeSinglePod } from '../../kubelet/config/common.js';
import { defaultKubeletConfig, type KubeletConfig } from '../../kubelet/config.js';
import { defaultEra, type EraVersion, loadedEra } from '../../kubelet/era/index.js';
import { type Kubelet, newKubelet } from '../../kubelet/kubelet.js';
import type { KubeletParts } from '../../kubelet/parts/index.js';
import { ConfigSourceAnnotationKey, type PodOperation } from '../../kubelet/types/pod-update.js';
import {
  type DevicePluginChange,
  DevicePluginError,
  type DevicePluginSpec,
  DevicePlugins,
  type MockRuntime,
  type MockRuntimeOptions,
  newMockRuntime,
  ProbeFaults,
  podMatches,
} from '../../mock/index.js';
import { suggest } from '../../shape/index.js';
import { ScenarioError } from '../document/errors.js';
import type { Condition, ConfigSource } from '../document/scenario.js';
import type { ApiServer } from './api-server.js';
import { describeStatus, meetsCondition } from './conditions.js';
import { ManifestURL } from './manifest-url.js';
import { NodeLoad, SimulatedOOMs } from './pressure.js';
import { SimulatedShutdown } from './shutdown.js';

export interface SimulatedNodeOptions {
  readonly config: Partial<KubeletConfig>;
  readonly runtime?: MockRuntimeOptions;
  /** The version of the kubelet that runs; it must be loaded. Default: v1.36. */
  readonly era?: EraVersion;
  /** Stands between the kubelet's CRI client and the runtime. */
  readonly tap?: (services: CRIServices) => CRIServices;
  /** The API server of its cluster. */
  readonly api?: ApiServer;
  /** The way to one, in its place. */
  readonly transport?: RestTransport;
  /** Absent: the node has no way to device plug-ins. */
  readonly devicePlugins?: readonly DevicePluginSpec[];
  /** Parts of the kubelet that other code decides in. */
  readonly parts?: KubeletParts;
  /** Stands between the kubelet and the node's files. */
  readonly disk?: (files: OSInterface) => OSInterface;
}

/** A node in a simulation: the mock runtime, its files, and a kubelet that can be stopped and started again. */
export class SimulatedNode {
  readonly mock: MockRuntime;
  readonly config: KubeletConfig;
  readonly probeFaults: ProbeFaults;
  readonly manifestURL: ManifestURL;
  /** The machine's usage in addition to its pods. */
  readonly load: NodeLoad;
  readonly ooms: SimulatedOOMs;
  readonly shutdown: SimulatedShutdown;
  /** Null if the node has no way to device plug-ins. */
  readonly devicePlugins: DevicePlugins | null;
  /** The machine's cgroups: they remain when the kubelet ends. */
  readonly cgroups: CgroupsInMemory;
  private readonly services: CRIServices;
  private current: Kubelet | null = null;

  constructor(
    readonly kernel: Kernel,
    private readonly options: SimulatedNodeOptions,
  ) {
    this.config = { ...defaultKubeletConfig(), ...options.config };
    const { nodeName, cgroupDriver, runtimeRequestTimeout, staticPodPath } = this.config;
    this.mock = newMockRuntime(kernel, { nodeName, cgroupDriver, ...options.runtime });
    this.mock.fs.mkdirAllSync(staticPodPath);
    this.cgroups = new CgroupsInMemory(this.mock.nodeInfo.cgroupVersion);
    this.probeFaults = new ProbeFaults(kernel, nodeName);
    this.manifestURL = new ManifestURL(this.config.staticPodURL);
    this.load = new NodeLoad(kernel, this.mock, this.config);
    this.ooms = new SimulatedOOMs(kernel);
    this.shutdown = new SimulatedShutdown(kernel);
    this.devicePlugins = options.devicePlugins ? new DevicePlugins(kernel, options.devicePlugins) : null;
    const services = this.probeFaults.services(bothServices(this.mock));
    this.services = inProcessClient(options.tap?.(services) ?? services, { timeout: runtimeRequestTimeout });
  }

  /** The one that runs, or ran last; null before the first start. */
  get kubelet(): Kubelet | null {
    return this.current;
  }
  get kubeletRuns(): boolean {
    return this.current !== null && !this.current.process.dead;
  }

  /** Starts a kubelet, outside of any goroutine only: what a kubelet starts is nobody's child. */
  startKubelet(): void {
    if (this.kubeletRuns) return;
    const { mock, kernel, config, services } = this;
    const { api, transport, disk, parts, era = defaultEra } = this.options;
    this.shutdown.forget();
    this.current = newKubelet({
      kernel,
      era: loadedEra(era),
      config,
      runtimeService: services,
      imageService: services,
      os: disk?.(mock.fs) ?? mock.fs,
      probeTransport: this.manifestURL.transport(this.probeFaults.transport(mock.probeTransport)),
      nodeInfo: mock.nodeInfo,
      cgroups: this.cgroups,
      hostStats: this.load,
      oomStreamer: this.ooms,
      shutdownSignal: this.shutdown,
      ...(this.devicePlugins && { plugins: this.devicePlugins }),
      ...(parts && { parts }),
      ...(transport && { transport }),
      ...(api && { transport: api.transport }),
    });
    this.current.run();
  }
  /** Stops the kubelet. `how`: by itself, or killed. */
  stopKubelet(how: 'stopped' | 'killed' = 'stopped'): void {
    if (this.current) this.kernel.kill(this.current.process, how);
  }

  /**
   * Puts an operation on configCh that no source puts there, with the pod of a manifest if there is one; `close` closes
   * the channel. Throws a ScenarioError if no kubelet runs, or the manifest is not a pod.
   */
  tellLoop(op: string, source: ConfigSource, text?: string): void {
    const { kernel, current } = this;
    if (!current || !this.kubeletRuns) throw new ScenarioError('no kubelet runs: start it before this step');
    const configCh = current.podConfig.updates();
    if (configCh.closed) throw new ScenarioError('configCh is closed: restart the kubelet before this step');
    if (op === 'close') {
      configCh.close();
      return;
    }
    const { nodeName } = this.config;
    const decoded =
      text === undefined ? null : tryDecodeSinglePod(text, { source: 'configCh', isFile: source === 'file', nodeName });
    if (decoded && 'error' in decoded) throw new ScenarioError(`manifest: ${decoded.error.message}`);
    // A kubelet's type has the operations that its sources send.
    const update = { op: op as PodOperation, source, pods: decoded ? [decoded.pod] : [] };
    if (decoded)
      decoded.pod.metadata.annotations = { ...decoded.pod.metadata.annotations, [ConfigSourceAnnotationKey]: source };
    kernel.go('outside configCh', () => send(configCh, update), {
      quiet: true,
      daemon: true,
      process: current.process,
    });
  }

  // --- manifests -------------------------------------------------------------------------------------------------

  private path(file: string): string {
    return `${this.config.staticPodPath}/${file}`;
  }

  /** Writes a manifest file atomically, as careful tools do: next to the folder first, then renamed into it. */
  putManifest(file: string, text: string): void {
    const { fs } = this.mock;
    const temporary = `${this.config.staticPodPath}.new`;
    fs.writeFileSync(temporary, text);
    fs.renameSync(temporary, this.path(file));
  }
  /** Writes it in place. */
  writeManifest(file: string, text: string): void {
    this.mock.fs.writeFileSync(this.path(file), text);
  }
  /** Throws a ScenarioError that names the files there are. */
  removeManifest(file: string): void {
    this.mustExist(file);
    this.mock.fs.removeSync(this.path(file));
  }
  /** The text of a manifest. Throws a ScenarioError that names the files there are. */
  manifest(file: string): string {
    this.mustExist(file);
    return this.mock.fs.readFileSync(this.path(file));
  }
  private mustExist(file: string): void {
    if (this.mock.fs.existsSync(this.path(file))) return;
    const files = this.manifests().map((m) => m.file);
    throw new ScenarioError(`there is no manifest ${file}; ${suggest(file, files)}`);
  }
  /** Changes with each change of the manifest files. */
  get manifestsVersion(): number {
    return this.mock.fs.changesIn(this.config.staticPodPath);
  }
  manifests(): { file: string; text: string }[] {
    const { fs } = this.mock;
    return fs
      .readDirSync(this.config.staticPodPath)
      .filter((e) => !e.dir)
      .map(({ name }) => ({ file: name, text: fs.readFileSync(this.path(name)) }));
  }

  // --- what is -----------------------------------------------------------------------------------------------------

  /** The kubelet's pods; none while it does not run. */
  pods(): Pod[] {
    return this.kubeletRuns ? (this.current as Kubelet).getPods() : [];
  }
  /** The kubelet's pods, each with the status that its status manager has. */
  podsWithStatus(): Pod[] {
    return this.pods().map((pod) => {
      const status = this.current?.statusManager.getPodStatus(pod.metadata.uid);
      return status ? { ...pod, status } : pod;
    });
  }
  /** The kubelet's own pods, which nobody may change; none while it does not run. Expectations look at them often. */
  private get ownPods(): readonly Pod[] {
    return this.kubeletRuns ? (this.current as Kubelet).podManager.getPods() : [];
  }
  /** The pod of that name, with the status that the kubelet gives it. It is the kubelet's own: nobody may change it. */
  podNamed(name: string): Readonly<Pod> | undefined {
    const { nodeName } = this.config;
    const pod = this.ownPods.find((p) =>
      podMatches(name, { uid: p.metadata.uid, pod: p.metadata.name, namespace: p.metadata.namespace }, nodeName),
    );
    // For a pod of the API server the kubelet lists the server's status; its own status manager has a newer one.
    const status = pod && this.current?.statusManager.getPodStatus(pod.metadata.uid);
    return status ? { ...pod, status } : pod;
  }

  holds(c: Condition): boolean {
    const pod = this.podNamed(c.pod);
    if (c.gone)
      return (
        this.kubeletRuns &&
        !pod &&
        !this.mock.sandboxes().some((s) => s.state === 'ready' && podMatches(c.pod, s, this.config.nodeName))
      );
    if (!pod) return false;
    return meetsCondition(pod.status, c);
  }

  /** Describes a pod at the moment, for messages. `wanted`: what should be seen of it. */
  describePod(name: string, wanted?: Condition): string {
    if (!this.kubeletRuns) return 'the kubelet does not run';
    const pod = this.podNamed(name);
    if (!pod) {
      if (wanted?.gone) return 'its sandbox is still there';
      const names = this.ownPods.map((p) => p.metadata.name);
      return `there is no such pod; there are: ${names.join(', ') || 'none'}`;
    }
    return describeStatus(pod.status, wanted);
  }

  // --- interventions -------------------------------------------------------------------------------------------------

  /**
   * Kills a container's first process, or the sandbox's when no container is named. Throws a ScenarioError that says
   * what there is instead.
   */
  kill(pod: string, container?: string, signal = 'KILL'): void {
    const { mock } = this;
    if (container === undefined) {
      if (mock.killSandbox(pod)) return;
      const names = mock
        .sandboxes()
        .filter((s) => s.state === 'ready')
        .map((s) => s.pod);
      throw new ScenarioError(`pod "${pod}" has no sandbox that runs; ${suggest(pod, names)}`);
    }
    if (mock.killContainer(pod, container, signal)) return;
    throw this.notRunning(pod, container);
  }

  /** Throws a ScenarioError that says what there is instead. */
  changeDevicePlugin(change: DevicePluginChange): void {
    if (!this.devicePlugins)
      throw new ScenarioError('this node has no way to device plug-ins; give it one with spec.devicePlugins: []');
    try {
      this.devicePlugins.change(change);
    } catch (error) {
      throw error instanceof DevicePluginError ? new ScenarioError(error.message) : error;
    }
  }

  /** Has the OOM killer end a container. Throws a ScenarioError as kill does. */
  oom(pod: string, container: string): void {
    if (!this.mock.oom(pod, container)) throw this.notRunning(pod, container);
  }

  private notRunning(pod: string, container: string): ScenarioError {
    const running = this.mock
      .containers()
      .filter((c) => c.state === 'running' && podMatches(pod, c, this.config.nodeName));
    return new ScenarioError(
      `pod "${pod}" has no running container "${container}"; ${suggest(
        container,
        running.map((c) => c.name),
      )}`,
    );
  }
}

/** The mock's two halves as one. */
function bothServices(mock: MockRuntime): CRIServices {
  return { ...mock.image, ...mock.runtime } as CRIServices;
}

/** Returns true for unary calls that only look, and come all the time. */
export function isPolling(method: RpcMethod): boolean {
  return isStreaming(method) || /^list|Stats$|^(status|version|imageFsInfo|runtimeConfig)$/.test(method);
}
