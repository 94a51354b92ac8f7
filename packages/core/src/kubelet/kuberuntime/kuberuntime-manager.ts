import type { Pod } from '../../api/types.js';
import { base64Decode, messageOf } from '../../base/index.js';
import {
  type ContainerEventResponse,
  type ExecSyncResponse,
  type ImageService,
  isDeadlineExceeded,
  type NamespaceOption,
  type RuntimeFeatures,
  type RuntimeHandler,
  type RuntimeService,
  type RuntimeStatus,
  type VersionResponse,
} from '../../cri/index.js';
import type { NodeInfo, OSInterface, ProbeTransport } from '../../host/os.js';
import { type Context, formatDuration, type Go, type Kernel } from '../../kernel/index.js';
import { type Micros, quoteGo } from '../../trace/index.js';
import { StateCheckpoint } from '../allocation/state.js';
import { CallSteps } from '../call-steps.js';
import { noPodContainers, type PodContainerManager } from '../cm/pod-container-manager.js';
import type { KubeletConfig } from '../config.js';
import type { AggregateSyncError, PodSyncResult } from '../container/sync-result.js';
import type {
  ContainerID,
  PodStateProvider,
  Runtime,
  RuntimeHelper,
  RuntimePod,
  RuntimePodStatus,
  Status,
} from '../container/types.js';
import type { DockerKeyring } from '../credentialprovider/keyring.js';
import { NodeKeyring } from '../credentialprovider/node-keyring.js';
import { minorOfEra } from '../era/nearest.js';
import { defaultEra } from '../era/versions.js';
import type { EventRecorder } from '../events.js';
import { featureEnabled } from '../features.js';
import { ImageManager } from '../images/image-manager.js';
import { Logger } from '../klog.js';
import { HandlerRunner } from '../lifecycle/handlers.js';
import { ContainerLogManager } from '../logs/container-log-manager.js';
import type { KubeletParts } from '../parts/types.js';
import type { ResultsManager } from '../prober/types.js';
import type { BackOff } from '../util/backoff.js';
import { killPodWithSyncResult } from './kuberuntime-container-kill.js';
import { removeContainer } from './kuberuntime-container-remove.js';
import { convertToKubeContainerStatus } from './kuberuntime-container-status.js';
import { ContainerGC, defaultGCPolicy } from './kuberuntime-gc.js';
import { kubeletImageService } from './kuberuntime-image.js';
import { generatePodStatus, getPodStatus, type Listing, listPods } from './kuberuntime-pods.js';
import { isPodResizeInProgress } from './kuberuntime-resize.js';
import { syncPod } from './kuberuntime-sync-pod.js';
import { type RuntimeRules, runtimeRules } from './rules.js';
import { thermalThrottlePaths } from './security-context.js';
import type { InternalContainerLifecycle, KubeRuntimeLoggers } from './types.js';
import { podSandboxChanged, type SandboxChange } from './util.js';

/** The parts that the runtime manager is built from. */
export interface KubeGenericRuntimeManagerDeps {
  readonly kernel: Kernel;
  readonly config: KubeletConfig;
  readonly runtimeService: RuntimeService;
  readonly imageService: ImageService;
  readonly os: OSInterface;
  readonly recorder: EventRecorder;
  readonly livenessManager: ResultsManager;
  readonly readinessManager: ResultsManager;
  readonly startupManager: ResultsManager;
  readonly runtimeHelper: RuntimeHelper;
  readonly podStateProvider: PodStateProvider;
  readonly probeTransport: ProbeTransport;
  readonly nodeInfo: NodeInfo;
  /** Credentials of the node for images. Default: those of its files. */
  readonly nodeKeyring?: DockerKeyring;
  /** Manager of pods' cgroups. Default: one that does nothing. */
  readonly podContainers?: PodContainerManager;
  /** Default: nothing to do. */
  readonly internalLifecycle?: InternalContainerLifecycle;
  /** The log manager that the kubelet also starts. Default: one of its own. */
  readonly logManager?: Pick<ContainerLogManager, 'clean'>;
  /**
   * Handler names by RuntimeClass name, for spec.runtimeClassName. Default: none, as without an API server.
   */
  readonly runtimeClasses?: Pick<ReadonlyMap<string, string>, 'get'>;
  /** The rules of its version. Default: v1.36's. */
  readonly rules?: RuntimeRules;
  /** Replaced parts. Default: none. */
  readonly parts?: KubeletParts;
  /** Records the steps of its calls. Default: with the numbers of v1.36. */
  readonly steps?: CallSteps;
}

/** upstream: kubeRuntimeAPIVersion */
const kubeRuntimeAPIVersion = '0.1.0';
/** upstream: actuatedPodsStateFile */
const actuatedPodsStateFile = 'actuated_pods_state';
/** User namespaces are this long. upstream: idsPerPod */
const idsPerPod = 65536;

function* nothing(): Go<void> {}

/**
 * Everything that the kubelet does through the runtime: sync, kill, read and clean up pods. Its steps are functions of
 * this folder's other files; each says in an interface of its own which parts it takes.
 * upstream: pkg/kubelet/kuberuntime/kuberuntime_manager.go kubeGenericRuntimeManager
 */
export class KubeGenericRuntimeManager implements Runtime {
  readonly kernel: Kernel;
  readonly config: KubeletConfig;
  readonly runtimeService: RuntimeService;
  readonly imageService: ImageService;
  readonly os: OSInterface;
  readonly recorder: EventRecorder;
  readonly livenessManager: ResultsManager;
  readonly startupManager: ResultsManager;
  readonly runtimeHelper: RuntimeHelper;
  readonly podStateProvider: PodStateProvider;
  readonly nodeInfo: NodeInfo;
  readonly podLogsDirectory: string;
  readonly imagePuller: ImageManager;
  readonly runner: HandlerRunner;
  readonly logManager: Pick<ContainerLogManager, 'clean'>;
  readonly containerGC: ContainerGC;
  readonly internalLifecycle: InternalContainerLifecycle;
  readonly podContainers: PodContainerManager;
  /** The resources that the kubelet has set in the runtime. upstream: actuatedState */
  readonly actuatedState: StateCheckpoint;
  readonly rules: RuntimeRules;
  readonly parts: KubeletParts;
  readonly steps: CallSteps;
  /** By upstream's file. */
  readonly log: KubeRuntimeLoggers;
  /** Paths that containers must not see, in addition to the usual ones. */
  hostMaskedPaths: readonly string[] = [];
  private runtimeName = '';
  private readonly runtimeClasses: Pick<ReadonlyMap<string, string>, 'get'> | null;
  /** Handlers and features of the runtime's last status. */
  private runtimeHandlers: readonly RuntimeHandler[] = [];
  private runtimeFeatures: RuntimeFeatures | null = null;
  private readonly userNamespaces = new Map<string, number>();
  /** The last two listings, newest first. */
  readonly listings: Listing[] = [];
  /** The last error logged for each pod, and when: an equal one is not logged again at once. */
  readonly logReduction = new Map<string, { message: string; at: Micros }>();

  constructor(deps: KubeGenericRuntimeManagerDeps) {
    const { kernel, config } = deps;
    this.kernel = kernel;
    this.config = config;
    this.runtimeService = deps.runtimeService;
    this.imageService = deps.imageService;
    this.os = deps.os;
    this.recorder = deps.recorder;
    this.livenessManager = deps.livenessManager;
    this.startupManager = deps.startupManager;
    this.runtimeHelper = deps.runtimeHelper;
    this.podStateProvider = deps.podStateProvider;
    this.nodeInfo = deps.nodeInfo;
    this.rules = deps.rules ?? runtimeRules;
    this.parts = deps.parts ?? {};
    this.steps = deps.steps ?? new CallSteps(kernel, minorOfEra(defaultEra));
    this.podLogsDirectory = config.podLogsDir;
    this.runtimeClasses = deps.runtimeClasses ?? null;
    this.podContainers = deps.podContainers ?? noPodContainers;
    this.actuatedState = new StateCheckpoint(kernel, deps.os, config.rootDirectory, actuatedPodsStateFile);
    this.internalLifecycle = deps.internalLifecycle ?? { preCreateContainer: nothing, preStartContainer: nothing };
    const log = (name: string) => new Logger(kernel, `kuberuntime_${name}.go`);
    this.log = {
      manager: log('manager'),
      container: log('container'),
      sandbox: log('sandbox'),
      gc: log('gc'),
      image: log('image'),
      helpers: new Logger(kernel, 'helpers.go'),
    };
    this.imagePuller = new ImageManager({
      kernel,
      config,
      recorder: deps.recorder,
      texts: this.rules.texts,
      imageService: kubeletImageService(this),
      images: deps.imageService,
      os: deps.os,
      nodeKeyring: deps.nodeKeyring ?? new NodeKeyring(kernel, deps.os, { preferred: config.rootDirectory }),
    });
    this.logManager =
      deps.logManager ?? new ContainerLogManager({ kernel, config, runtimeService: deps.runtimeService, os: deps.os });
    this.containerGC = new ContainerGC(this);
    this.runner = new HandlerRunner({
      kernel,
      config,
      transport: deps.probeTransport,
      recorder: deps.recorder,
      execSync: (ctx, id, cmd, timeout) => this.execSync(ctx, id, cmd, timeout),
      podStatusProvider: this,
    });
  }

  /**
   * Makes the first calls of a kubelet to its runtime (fidelity 2:X-02): the client's own checks, then
   * `getCgroupDriverFromCRI` (the container manager's), then Version "0.1.0". Call it once, in the kubelet's process,
   * before anything else; throws if the runtime will not do.
   */
  *initialize(ctx: Context, getCgroupDriverFromCRI: () => Go<void> = nothing): Go<void> {
    yield* this.runtimeService.version(ctx, {});
    yield* this.imageService.imageFsInfo(ctx, {});
    yield* getCgroupDriverFromCRI();
    let version: VersionResponse;
    try {
      version = yield* this.getTypedVersion(ctx);
    } catch (err) {
      this.log.manager.error(err, 'Get runtime version failed');
      throw err;
    }
    if (version.version !== kubeRuntimeAPIVersion) {
      this.log.manager.error(null, 'This runtime api version is not supported', {
        apiVersion: version.version,
        supportedAPIVersion: kubeRuntimeAPIVersion,
      });
      throw new Error('runtime api version is not supported');
    }
    this.runtimeName = version.runtimeName ?? '';
    this.log.manager.info(0, 'Container runtime initialized', {
      containerRuntime: version.runtimeName,
      version: version.runtimeVersion,
      apiVersion: version.runtimeApiVersion,
    });
    yield* this.os.mkdirAll(this.podLogsDirectory, 0o755);
    yield* this.actuatedState.restore();
    this.hostMaskedPaths = yield* thermalThrottlePaths(this.os, this.nodeInfo.cpuMillis);
    this.imagePuller.start();
  }

  /** Name of the runtime, as in `containerd://<id>`. */
  type(): string {
    return this.runtimeName;
  }

  private *getTypedVersion(ctx: Context): Go<VersionResponse> {
    try {
      return yield* this.runtimeService.version(ctx, { version: kubeRuntimeAPIVersion });
    } catch (err) {
      throw new Error(`get remote runtime typed version failed: ${messageOf(err)}`, { cause: err });
    }
  }

  *version(ctx: Context): Go<{ runtimeName: string; runtimeVersion: string; runtimeApiVersion: string }> {
    const v = yield* this.getTypedVersion(ctx);
    return {
      runtimeName: v.runtimeName ?? '',
      runtimeVersion: v.runtimeVersion ?? '',
      runtimeApiVersion: v.runtimeApiVersion ?? '',
    };
  }

  *status(ctx: Context): Go<RuntimeStatus | undefined> {
    const { status, runtimeHandlers = [], features } = yield* this.runtimeService.status(ctx, {});
    if (!status) throw new Error('runtime status is nil');
    this.runtimeHandlers = runtimeHandlers;
    this.runtimeFeatures = features ?? null;
    return status;
  }
  /** The handlers of the last status. */
  handlers(): readonly RuntimeHandler[] {
    return this.runtimeHandlers;
  }
  features(): RuntimeFeatures | null {
    return this.runtimeFeatures;
  }

  /** upstream: (*kubeGenericRuntimeManager).GetPods */
  *getPods(ctx: Context, all: boolean): Go<RuntimePod[]> {
    const pods = [...(yield* listPods(this, ctx, { onlyRunningReady: !all })).values()];
    pods.sort((a, b) => (a.createdAt === b.createdAt ? 0 : a.createdAt > b.createdAt ? -1 : 1));
    this.log.manager.info(4, 'Retrieved pods from runtime', { all });
    return pods;
  }

  /** upstream: (*kubeGenericRuntimeManager).GetPod */
  *getPod(ctx: Context, uid: string): Go<RuntimePod | null> {
    return (yield* listPods(this, ctx, { podUID: uid })).get(uid) ?? null;
  }

  /** upstream: (*kubeGenericRuntimeManager).GetPodStatus */
  getPodStatus(ctx: Context, pod: Parameters<Runtime['getPodStatus']>[1]): Go<RuntimePodStatus> {
    return getPodStatus(this, ctx, pod);
  }

  /** upstream: (*kubeGenericRuntimeManager).GeneratePodStatus */
  generatePodStatus(event: ContainerEventResponse): Go<RuntimePodStatus> {
    return generatePodStatus(this, event);
  }

  /** One container's status. upstream: (*kubeGenericRuntimeManager).GetContainerStatus */
  *getContainerStatus(ctx: Context, id: ContainerID): Go<Status> {
    const { status } = yield* this.runtimeService.containerStatus(ctx, { containerId: id.id });
    if (!status) throw new Error('container status is nil');
    return yield* convertToKubeContainerStatus(this, status);
  }

  *garbageCollect(ctx: Context, allSourcesReady: boolean, evictNonDeletedPods: boolean): Go<void> {
    for (const uid of this.actuatedState.podUIDs())
      if (this.podStateProvider.shouldPodContentBeRemoved(uid)) this.actuatedState.removePod(uid);
    for (const uid of this.userNamespaces.keys())
      if (this.podStateProvider.shouldPodContentBeRemoved(uid)) this.userNamespaces.delete(uid);
    yield* this.containerGC.garbageCollect(ctx, defaultGCPolicy, allSourcesReady, evictNonDeletedPods);
  }

  syncPod(
    ctx: Context,
    pod: Pod,
    podStatus: RuntimePodStatus,
    pullSecrets: readonly unknown[],
    backOff: BackOff,
    restartAllContainers: boolean,
  ): Go<PodSyncResult> {
    return syncPod(this, ctx, { pod, podStatus, pullSecrets, backOff, restartAllContainers });
  }

  /** Throws the results' errors in one. upstream: (*kubeGenericRuntimeManager).KillPod */
  *killPod(ctx: Context, pod: Pod | null, runningPod: RuntimePod, gracePeriodOverride: number | null): Go<void> {
    const error: AggregateSyncError | null = (yield* killPodWithSyncResult(
      this,
      ctx,
      pod,
      runningPod,
      gracePeriodOverride,
    )).error();
    if (error) throw error;
  }

  deleteContainer(ctx: Context, id: ContainerID): Go<void> {
    return removeContainer(this, ctx, id.id, false);
  }

  podSandboxChanged(pod: Pod, podStatus: RuntimePodStatus): SandboxChange {
    return podSandboxChanged(this.kernel, pod, podStatus);
  }

  /** upstream: (*kubeGenericRuntimeManager).IsPodResizeInProgress */
  isPodResizeInProgress(pod: Pod, podStatus: RuntimePodStatus): boolean {
    return isPodResizeInProgress(this, pod, podStatus);
  }
  /** Stores the pod-level resources with which the pod's cgroup was made. upstream: UpdateActuatedPodLevelResources */
  *updateActuatedPodLevelResources(pod: Pod): Go<void> {
    const { resources } = pod.spec;
    if (resources?.requests || resources?.limits)
      yield* this.actuatedState.setPodLevelResources(pod.metadata.uid, resources);
  }

  *runInContainer(
    ctx: Context,
    id: ContainerID,
    cmd: readonly string[],
    timeoutMicros: Micros,
  ): Go<{ output: string; exitCode: number }> {
    const { stdout, stderr, exitCode } = yield* this.execSync(ctx, id, cmd, timeoutMicros);
    return { output: stdout + stderr, exitCode };
  }

  private *execSync(
    ctx: Context,
    id: ContainerID,
    cmd: readonly string[],
    timeout: Micros,
  ): Go<{ stdout: string; stderr: string; exitCode: number }> {
    const seconds = Math.trunc(timeout / 1_000_000);
    let r: ExecSyncResponse;
    try {
      r = yield* this.runtimeService.execSync(ctx, {
        containerId: id.id,
        cmd: [...cmd],
        ...(seconds > 0 ? { timeout: String(seconds) } : {}),
      });
    } catch (err) {
      // The client's own text, by which a probe recognizes a command that timed out.
      // upstream: remote.ErrCommandTimedOut
      if (isDeadlineExceeded(err))
        throw new Error(`command timed out: ${quoteGo(cmd.join(' '))} timed out after ${formatDuration(timeout)}`, {
          cause: err,
        });
      throw err;
    }
    return { stdout: base64Decode(r.stdout), stderr: base64Decode(r.stderr), exitCode: r.exitCode ?? 0 };
  }

  // --- for this folder's other files ---------------------------------------------------------------------------

  /**
   * Returns the handler of the pod's RuntimeClass, '' if it names none; throws if there is none of that name.
   * upstream: (*runtimeclass.Manager).LookupRuntimeHandler
   */
  lookupRuntimeHandler(pod: Pod): string {
    const name = pod.spec.runtimeClassName;
    if (!name || !this.runtimeClasses) return '';
    const handler = this.runtimeClasses.get(name);
    if (handler === undefined)
      throw new Error(`failed to get RuntimeClass ${name}: runtimeclass.node.k8s.io "${name}" not found`);
    return handler;
  }

  /**
   * The handler that goes with image requests: only with gate RuntimeClassInImageCriApi.
   * upstream: getPodRuntimeHandler
   */
  podRuntimeHandler(pod: Pod): string {
    return featureEnabled(this.config, 'RuntimeClassInImageCriApi') ? this.lookupRuntimeHandler(pod) : '';
  }

  /**
   * Returns false without RuntimeClasses, that is without an API server.
   * upstream: runtimeClassSupportsRecursiveReadOnlyMounts
   */
  supportsRecursiveReadOnly(pod: Pod): boolean {
    if (!this.runtimeClasses) return false;
    const name = this.lookupRuntimeHandler(pod);
    const handler = this.runtimeHandlers.find((h) => (h.name ?? '') === name);
    return handler?.features?.recursiveReadOnlyMounts ?? false;
  }

  /**
   * The node's own namespace, or for `hostUsers: false` a block of IDs that no other pod has; throws if the runtime
   * cannot. Undefined if the gate is off, as it was by default up to v1.32.
   * upstream: pkg/kubelet/userns GetOrCreateUserNamespaceMappings
   */
  getOrCreateUserNamespaceMappings(pod: Pod): NamespaceOption['usernsOptions'] {
    const gate = 'UserNamespacesSupport';
    if (!featureEnabled(this.config, gate)) {
      const { eraFeatures } = this.config;
      // A version that does not know the gate does not know the field either.
      if (pod.spec.hostUsers === undefined || eraFeatures?.has(gate) === false) return undefined;
      throw new Error(`the feature gate "${gate}" is disabled: can't set spec.HostUsers`);
    }
    if (pod.spec.hostUsers !== false) return { mode: 'NODE' };
    const name = this.lookupRuntimeHandler(pod);
    const handler = this.runtimeHandlers.find((h) => (h.name ?? '') === name);
    if (!handler?.features?.userNamespaces) {
      const who = name ? `RuntimeClass handler ${JSON.stringify(name)}` : 'runtime';
      // A runtime that is too old names no handlers at all.
      const why =
        handler || this.runtimeHandlers.length === 0 ? '' : `: the handler ${JSON.stringify(name)} is not known`;
      throw new Error(`can't set \`spec.hostUsers: false\`, ${who} does not support user namespaces${why}`);
    }
    let block = this.userNamespaces.get(pod.metadata.uid);
    if (block === undefined) {
      const taken = new Set(this.userNamespaces.values());
      for (block = 1; taken.has(block); ) block++;
      this.userNamespaces.set(pod.metadata.uid, block);
    }
    const mapping = () => ({ hostId: block * idsPerPod, length: idsPerPod });
    return { uids: [mapping()], gids: [mapping()] };
  }
}

/** upstream: NewKubeGenericRuntimeManager, without its first calls (see `initialize`) */
export function newKubeGenericRuntimeManager(deps: KubeGenericRuntimeManagerDeps): KubeGenericRuntimeManager {
  return new KubeGenericRuntimeManager(deps);
}
