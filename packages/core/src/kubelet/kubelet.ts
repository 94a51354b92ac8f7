import { isPodPhaseTerminal } from '../api/pod/podutil.js';
import type { Pod, PodStatus } from '../api/types.js';
import { deepCopy } from '../base/deep.js';
import type { CRIServices } from '../cri/index.js';
import type { NodeInfo, OSInterface } from '../host/os.js';
import { background, type Context, type Go, type Kernel, type Process, Second } from '../kernel/index.js';
import type { Micros } from '../trace/index.js';
import { ActiveDeadlineHandler, type PodSyncLoopHandler } from './active-deadline.js';
import { type AdmissionNode, admissionNodeOf, standaloneNode } from './admission/node.js';
import type { AllocationManager } from './allocation/allocation-manager.js';
import type { StateCheckpoint } from './allocation/state.js';
import { newAllocation } from './builders/allocation.js';
import { newServerCertificateManager, type ServerCertificateManager } from './builders/certificate.js';
import { newContainerManager } from './builders/cm.js';
import { makePodSourceConfig } from './builders/config.js';
import { memoryUsage, newRemoteServices } from './builders/cri-client.js';
import { newEvictionManager } from './builders/eviction.js';
import { checkFeatureGates, warnOfVanishingFeatures } from './builders/featuregate.js';
import { newImageGCManager } from './builders/images.js';
import { newContainerRuntime } from './builders/kuberuntime.js';
import { newAdmitHandlers } from './builders/lifecycle.js';
import { newKubeletMetrics } from './builders/metrics.js';
import { newShutdownManager } from './builders/nodeshutdown.js';
import { newNodeStatus } from './builders/nodestatus.js';
import { newPLEGs } from './builders/pleg.js';
import { newPluginManager } from './builders/pluginmanager.js';
import { newMirrorPodClient } from './builders/podmanager.js';
import { newPodResources } from './builders/podresources.js';
import { type NodeStats, newNodeStats } from './builders/stats.js';
import type { Foundation } from './builders/types.js';
import { newVolumeManager } from './builders/volumemanager.js';
import { CallSteps } from './call-steps.js';
import type { KubeClient, NodeLister } from './client/kube-client.js';
import type { ObjectManagers } from './client/objects.js';
import type { ContainerManager } from './cm/container-manager.js';
import { evictionReservationOf } from './cm/eviction-reservation.js';
import { PodConfig } from './config/pod-config.js';
import { SourcesReady } from './config/sources.js';
import type { KubeletConfig } from './config.js';
import { newCache } from './container/cache.js';
import { toAPIPod } from './container/helpers.js';
import { RuntimeCache } from './container/runtime-cache.js';
import type { RuntimePodStatus } from './container/types.js';
import { eraOfMinor } from './era/minor.js';
import { minorOfEra } from './era/nearest.js';
import type { Era, EraParts } from './era/types.js';
import { v1_36 } from './era/v1.36.js';
import { EventRecorder } from './events.js';
import type { EvictionManager } from './eviction/eviction-manager.js';
import { featureEnabled } from './features.js';
import type { ImageGCManager } from './images/image-gc-manager.js';
import { Logger, useLogWords } from './klog.js';
import { type KubeletAPI, newKubeletAPI } from './kubelet-api.js';
import type { KubeletDeps } from './kubelet-deps.js';
import { initializeRuntimeDependentModules } from './kubelet-modules.js';
import type { NodeStatusManager } from './kubelet-node-status.js';
import { KubeletRuntimeHelper } from './kubelet-pods-run.js';
import { generateAPIPodStatus, type PodSyncHandler } from './kubelet-pods-status.js';
import { runKubelet } from './kubelet-run.js';
import { RuntimeUp } from './kubelet-runtime-up.js';
import type { KubeGenericRuntimeManager } from './kuberuntime/kuberuntime-manager.js';
import type { KubeletMetrics } from './metrics/kubelet-metrics.js';
import type { NodeShutdownManager } from './nodeshutdown/node-shutdown-manager.js';
import { nodeStatusRules } from './nodestatus/rules.js';
import type { KubeletParts } from './parts/types.js';
import type { EventedPLEG } from './pleg/evented.js';
import type { Cache, PodLifecycleEventGenerator } from './pleg/types.js';
import type { PluginManager } from './pluginmanager/plugin-manager.js';
import { PodContainerDeletor } from './pod-container-deletor.js';
import { newPodMetrics, type PodMetrics } from './pod-metrics.js';
import type { MirrorPodClient } from './podmanager/mirror-client.js';
import { newBasicPodManager } from './podmanager/pod-manager.js';
import type { PodManager } from './podmanager/types.js';
import type { PodResourcesLister } from './podresources/types.js';
import type { KillPodFunc } from './podworkers/kill-pod-now.js';
import { newProberManager } from './prober/prober-manager.js';
import { newResultsManager, type WritableResultsManager } from './prober/results.js';
import type { ProberManager } from './prober/types.js';
import { ReasonCache } from './reason-cache.js';
import { RuntimeState } from './runtime-state.js';
import type { PodResizeConditions } from './status/resize-conditions.js';
import { newStatusManager } from './status/status-manager.js';
import type { StatusManager } from './status/types.js';
import { syncLoopHealthCheck } from './sync-loop.js';
import { isStaticPod } from './types/pod-update.js';
import { type BackOff, newCrashLoopBackOff } from './util/backoff.js';
import type { WorkQueue } from './util/queue/work-queue.js';
import type { VolumeManager } from './volumemanager/volume-manager.js';

/** upstream: kubelet.go maxWaitForContainerRuntime, runtimeCacheRefreshPeriod */
const maxWaitForContainerRuntime = 30 * Second;
const runtimeCacheRefreshPeriod = 3 * Second;
/** Dead containers that stay per name. upstream: maximum-dead-containers-per-container */
const maxPerPodContainer = 1;

/**
 * Makes a kubelet, in a process of its own, without starting it; throws if a feature gate is unknown or cannot be
 * set.
 * upstream: kubelet.go NewMainKubelet
 */
export function newKubelet(deps: KubeletDeps): Kubelet {
  return new Kubelet(deps);
}

/**
 * The kubelet: its parts, wired. What it does is in the other files of this folder: sync-loop, handlers, sync-pod,
 * kubelet-pods-cleanup. upstream: pkg/kubelet/kubelet.go Kubelet
 */
export class Kubelet {
  readonly kernel: Kernel;
  readonly process: Process;
  /** The metrics that /metrics and /metrics/probes serve. */
  readonly metrics: KubeletMetrics;
  /** The version that it is of. */
  private readonly era: Era;
  readonly config: KubeletConfig;
  readonly os: OSInterface;
  readonly nodeInfo: NodeInfo;
  readonly log: Logger;
  readonly podsLog: Logger;
  /** Parts that other code decides in. */
  readonly parts: KubeletParts;
  readonly recorder: EventRecorder;

  /** The clients and caches of the API server; null in a stand-alone kubelet. */
  readonly api: KubeletAPI | null;
  readonly kubeClient: KubeClient | null;
  /** The node as its watch knows it. */
  readonly nodeLister: NodeLister | null;
  /** The objects that pods refer to; null without an API server. */
  readonly objectManagers: ObjectManagers | null;

  /** The CRI, traced. */
  readonly services: CRIServices;
  readonly containerRuntime: KubeGenericRuntimeManager;
  readonly runtimeHelper: KubeletRuntimeHelper;
  readonly runtimeCache: RuntimeCache;
  readonly runtimeState: RuntimeState;
  readonly containerManager: ContainerManager;
  /** Null without a way to plug-ins. */
  readonly pluginManager: PluginManager | null;
  /** The answers of the pod resources API; null without a way to device plug-ins. */
  readonly podResources: PodResourcesLister | null;
  readonly volumeManager: VolumeManager;
  readonly containerDeletor: PodContainerDeletor;

  readonly podConfig: PodConfig;
  readonly sourcesReady: SourcesReady;
  readonly podManager: PodManager;
  /** The parts whose design depends on the version. */
  readonly eraParts: EraParts;
  readonly podWorkers: EraParts['podWorkers'];
  readonly workQueue: WorkQueue;
  readonly killPodNow: KillPodFunc;
  readonly statusManager: StatusManager;
  readonly mirrorPodClient: MirrorPodClient;
  /** The resources that were allocated to pods. */
  readonly allocated: StateCheckpoint;
  readonly allocationManager: AllocationManager;
  readonly resizeConditions: PodResizeConditions;

  /** Null if the node is not measured: then there are no statistics, and no pod is evicted. */
  readonly stats: NodeStats | null;
  readonly imageGCManager: ImageGCManager;
  readonly evictionManager: EvictionManager;
  readonly shutdownManager: NodeShutdownManager;
  /** The look at the runtime every 5 s. */
  readonly runtimeUp: RuntimeUp;
  /** Writes the node's status, and reads the node. */
  readonly nodeStatus: NodeStatusManager;
  /** The certificate of the kubelet's own server; null if the host looks after it. */
  readonly serverCertificateManager: ServerCertificateManager | null;

  readonly pleg: PodLifecycleEventGenerator;
  /** Only with gate EventedPLEG. */
  readonly eventedPleg: EventedPLEG | null;
  readonly podCache: Cache;
  readonly probeManager: ProberManager;
  readonly livenessManager: WritableResultsManager;
  readonly readinessManager: WritableResultsManager;
  readonly startupManager: WritableResultsManager;

  readonly reasonCache = new ReasonCache();
  /** The last counts of housekeeping. */
  readonly podMetrics: PodMetrics = newPodMetrics();
  /** Records the steps of its calls. */
  readonly steps: CallSteps;
  readonly crashLoopBackOff: BackOff;
  readonly podSyncLoopHandlers: readonly PodSyncLoopHandler[];
  readonly podSyncHandlers: readonly PodSyncHandler[];

  /** The error with which it ended by itself, if it did. */
  exited: Error | null = null;
  private loopEntry: Micros | null = null;
  private started = false;

  /**
   * Builds the parts in upstream's order. Functions that are handed on run only when all parts are there; a builder
   * that takes `this` names in its interface the parts that it uses, all of which are built above it.
   */
  constructor(readonly deps: KubeletDeps) {
    const { kernel, os, nodeInfo, probeTransport } = deps;
    const era = eraOfMinor(deps.era ?? v1_36, deps.config);
    this.era = era;
    // A copy, because the runtime may name another cgroup driver.
    const config = { ...deps.config, ...era.rules.config };
    checkFeatureGates(config);
    useLogWords(kernel, era.rules.newLogWords?.());
    this.kernel = kernel;
    this.process = kernel.process(deps.name ?? 'kubelet');
    this.metrics = newKubeletMetrics(kernel, nodeInfo);
    if (deps.clientCertificate) this.metrics.clientCertificate(deps.clientCertificate);
    this.config = config;
    this.os = os;
    this.nodeInfo = nodeInfo;
    this.log = new Logger(kernel, 'kubelet.go');
    warnOfVanishingFeatures(kernel, config);
    this.podsLog = new Logger(kernel, 'kubelet_pods.go');
    this.recorder = new EventRecorder(kernel, config.nodeName);
    this.steps = new CallSteps(kernel, minorOfEra(era.version));
    const { recorder } = this;
    this.parts = deps.parts ?? {};
    const base: Foundation = { kernel, config, os, nodeInfo, recorder, parts: this.parts };
    this.api = deps.transport ? newKubeletAPI(kernel, config, deps.transport) : null;
    if (this.api) recorder.startRecordingToSink(this.api.events);
    this.kubeClient = this.api?.client ?? null;
    this.nodeLister = this.api?.nodeLister ?? null;
    this.objectManagers = this.api?.objects ?? null;
    const services = newRemoteServices(kernel, config, deps.runtimeService, deps.imageService);
    this.services = era.rules.services?.(services) ?? services;

    this.podConfig = new PodConfig(kernel, recorder, this.process);
    this.sourcesReady = new SourcesReady(kernel, (seen) => this.podConfig.seenAllSources(seen));
    this.podManager = newBasicPodManager();
    this.mirrorPodClient = deps.mirrorPodClient ?? newMirrorPodClient(base, this.kubeClient, this.nodeLister);
    this.statusManager = (era.rules.newStatusManager ?? newStatusManager)({
      kernel,
      config,
      podManager: this.podManager,
      podDeletionSafety: {
        podCouldHaveRunningContainers: (pod) => this.podWorkers.couldHaveRunningContainers(pod.metadata.uid),
        podResourcesAreReclaimed: (pod, status) => this.podResourcesAreReclaimed(pod, status),
      },
      client: deps.statusClient ?? this.kubeClient,
    });
    const allocation = newAllocation(base, {
      sourcesReady: this.sourcesReady,
      getActivePods: () => this.getActivePods(),
      getPodByUID: (uid) => this.podManager.getPodByUID(uid),
      triggerPodSync: (pod) => this.syncPodNow(pod),
    });
    this.resizeConditions = allocation.resizeConditions;
    this.allocated = allocation.allocated;
    this.allocationManager = allocation.allocationManager;
    this.runtimeState = new RuntimeState(kernel, maxWaitForContainerRuntime, era.rules.runtimeState);
    this.livenessManager = newResultsManager(kernel, 'livenessManager');
    this.readinessManager = newResultsManager(kernel, 'readinessManager');
    this.startupManager = newResultsManager(kernel, 'startupManager');
    const { livenessManager, readinessManager, startupManager } = this;
    const probeResults = { livenessManager, readinessManager, startupManager };
    this.podCache = newCache(kernel, { eventedPLEG: featureEnabled(config, 'EventedPLEG') });
    const parts = era.newParts(() => this, {
      ...base,
      process: this.process,
      podCache: this.podCache,
      allocationManager: this.allocationManager,
    });
    this.eraParts = parts;
    this.workQueue = parts.workQueue;
    this.podWorkers = parts.podWorkers;
    this.killPodNow = parts.killPodNow;

    this.runtimeHelper = new KubeletRuntimeHelper({
      minor: minorOfEra(era.version),
      ...base,
      onPodSandboxReady: (ctx, pod) => this.onPodSandboxReady(ctx, pod),
      requestPodReinspect: (uid) => this.pleg.requestReinspect(uid),
      memoryUsage: (ctx, uid) => memoryUsage(this.services, ctx, uid),
      supportsRecursiveReadOnly: (pod) => this.containerRuntime.supportsRecursiveReadOnly(pod),
      objects: this.objectManagers,
      getMountedVolumesForPod: (uid) => this.volumeManager.getMountedVolumesForPod(uid),
      ...(deps.plugins && {
        getResources: (ctx, pod, container) => this.containerManager.getResources(ctx, pod, container),
      }),
    });
    this.containerManager = newContainerManager(base, {
      runtimeService: this.services,
      activePods: () => this.getActivePods(),
      cgroups: deps.cgroups,
      podContainers: deps.podContainers,
      plugins: deps.plugins,
      sourcesReady: this.sourcesReady,
    });
    this.pluginManager = newPluginManager(base, deps.plugins);
    this.podResources = newPodResources(base, this);
    this.containerRuntime = newContainerRuntime(base, {
      ...probeResults,
      services: this.services,
      runtimeHelper: this.runtimeHelper,
      podStateProvider: this.podWorkers,
      probeTransport,
      podContainers: this.containerManager.podContainers,
      imageCredentials: deps.imageCredentials,
      rules: era.rules.runtime,
      steps: this.steps,
      informers: this.api?.informers ?? null,
    });
    this.runtimeCache = new RuntimeCache(
      kernel,
      this.containerRuntime,
      era.rules.runtimeCachePeriod ?? runtimeCacheRefreshPeriod,
    );
    const plegs = newPLEGs({
      ...base,
      runtimeService: this.services,
      runtime: this.containerRuntime,
      cache: this.podCache,
      runtimeState: this.runtimeState,
    });
    this.pleg = plegs.pleg;
    this.eventedPleg = plegs.eventedPleg;
    this.probeManager = newProberManager({
      ...probeResults,
      kernel,
      config,
      recorder,
      probeTransport,
      statusManager: this.statusManager,
      runtime: this.containerRuntime,
      startupProbes: era.rules.startupProbes ?? true,
      parts: this.parts,
    });
    this.volumeManager = newVolumeManager(base, this);
    this.containerDeletor = new PodContainerDeletor(kernel, this.containerRuntime, Math.max(maxPerPodContainer, 1));
    this.crashLoopBackOff = newCrashLoopBackOff(kernel, config, this.parts);
    const activeDeadline = new ActiveDeadlineHandler(kernel, this.statusManager, recorder);
    this.podSyncLoopHandlers = [activeDeadline];
    this.podSyncHandlers = [activeDeadline];

    this.stats = newNodeStats(base, {
      host: deps.hostStats ?? null,
      services: this.services,
      podManager: this.podManager,
      getPodDir: (uid) => this.runtimeHelper.getPodDir(uid),
    });
    this.imageGCManager = newImageGCManager(base, this);
    this.evictionManager = newEvictionManager(base, this, {
      immediateGracePeriodSeconds: era.rules.immediateEvictionGracePeriod,
      plainMessage: era.rules.plainEvictionMessage,
    });
    const without = era.rules.startsWithout ?? [];
    this.shutdownManager = newShutdownManager(base, this, !without.includes('waitForAllPodsUnmount'));
    this.allocationManager.addPodAdmitHandlers(
      newAdmitHandlers(base, {
        evictionManager: this.evictionManager,
        shutdownManager: this.shutdownManager,
        killPod: this.killPodNow,
        allocatedPods: () => this.getAllocatedActivePods(),
        getNode: (useCache) => this.admissionNode(useCache),
        additional: deps.admitHandlers ?? [],
        containerManager: this.containerManager,
        topologyManager: !without.includes('topologyManager'),
        ...(era.rules.softAdmission && { softAdmission: true }),
      }),
    );
    const nodeRules = era.rules.nodeStatus ?? nodeStatusRules;
    this.runtimeUp = new RuntimeUp({
      minor: minorOfEra(era.version),
      kernel,
      log: this.log,
      runtimeState: this.runtimeState,
      containerRuntime: this.containerRuntime,
      readyExpected: !nodeRules.toleratesUnreadyRuntime,
      initializeRuntimeDependentModules: (ctx) => initializeRuntimeDependentModules(this, ctx),
    });
    this.nodeStatus = newNodeStatus(base, this, nodeRules);
    this.serverCertificateManager = newServerCertificateManager(base, {
      serving: deps.serving,
      kubeClient: this.api?.client ?? null,
      nodeStatus: () => this.nodeStatus,
      metrics: this.metrics,
    });
  }

  /** Writes the node's status now. */
  syncNodeStatusNow(): Go<void> {
    return this.nodeStatus.syncNodeStatus(background);
  }

  /**
   * The node for admission. A stand-alone kubelet makes it from its configuration and the machine.
   * upstream: kubelet_nodecache.go (*Kubelet).GetCachedNode
   */
  private *admissionNode(useCache: boolean): Go<AdmissionNode> {
    if (this.kubeClient && this.nodeLister) return admissionNodeOf(yield* this.nodeStatus.getCachedNode(useCache));
    const { config, nodeInfo, containerManager, runtimeState } = this;
    const capacity = containerManager.capacity();
    const strict = runtimeState.runtimeFeatures()?.supplementalGroupsPolicy ?? false;
    return standaloneNode(config, nodeInfo, capacity, evictionReservationOf(config, capacity), strict);
  }

  /** upstream: kubelet.go (*Kubelet).syncPodNow */
  private syncPodNow(pod: Pod): void {
    this.eraParts.handlePodSyncs([pod]);
    this.pleg.requestRelist(pod.metadata.uid);
  }

  /** Starts everything, once. A killed kubelet does not come back: make a new one on the same runtime. */
  run(): void {
    if (this.started) throw new Error('kubelet: it runs already');
    this.started = true;
    this.kernel.go('kubelet', () => runKubelet(this), { place: 'startup', process: this.process });
  }

  /** Starts the sources of pods, as a part of run. */
  startSources(): void {
    const { kernel, config, os, process, log, podConfig, api, deps } = this;
    const { fields, startsWithout = [] } = this.era.rules;
    makePodSourceConfig({
      ...{ kernel, config, os, process, log, podConfig, api },
      transport: deps.probeTransport,
      waitsForNode: !startsWithout.includes('nodeHasSynced'),
      ...(fields && { fields }),
    });
  }

  /** Ends the process; its supervisor starts it again. upstream: os.Exit(1) */
  exit(err: unknown): void {
    const { kernel } = this;
    this.exited = err as Error;
    // It must not be killed from within one of its own goroutines.
    kernel.addTimer(kernel.now(), () => kernel.kill(this.process, 'stopped'));
  }

  /** upstream: kubelet_pods.go (*Kubelet).generateAPIPodStatus */
  generateAPIPodStatus(pod: Pod, podStatus: RuntimePodStatus, podIsTerminal: boolean): PodStatus {
    const generate = this.deps.era?.rules.generateAPIPodStatus ?? generateAPIPodStatus;
    return generate(
      {
        kernel: this.kernel,
        config: this.config,
        statusManager: this.statusManager,
        probeManager: this.probeManager,
        reasonCache: this.reasonCache,
        runtime: this.containerRuntime,
        podSyncHandlers: this.podSyncHandlers,
        parts: this.parts,
        hostIPs: () => this.hostIPs(),
        resizeConditions: this.resizeConditions,
        supportsRecursiveReadOnly: (p) => this.containerRuntime.supportsRecursiveReadOnly(p),
        updateAllocatedResourcesStatus: (p, s) => this.containerManager.updateAllocatedResourcesStatus(p, s),
      },
      pod,
      podStatus,
      podIsTerminal,
    );
  }

  private *podResourcesAreReclaimed(pod: Pod, status: PodStatus): Go<boolean> {
    const { eraParts } = this;
    return eraParts.podResourcesAreReclaimed ? yield* eraParts.podResourcesAreReclaimed(pod, status) : false;
  }

  /** The node's addresses, which are shown only with an API client. */
  private hostIPs(): readonly string[] | null {
    return this.kubeClient || this.deps.statusClient ? this.nodeStatus.hostIPs() : null;
  }

  /** upstream: kubelet.go (*Kubelet).OnPodSandboxReady */
  private *onPodSandboxReady(_ctx: Context, pod: Pod): Go<void> {
    if (!featureEnabled(this.config, 'PodReadyToStartContainersCondition')) return;
    const kv = { pod: `${pod.metadata.namespace}/${pod.metadata.name}`, podUID: pod.metadata.uid };
    this.log.info(3, 'OnPodSandboxReady callback invoked', kv);
    const { statusManager, log } = this;
    // In a goroutine of its own, so that the sync does not wait.
    this.kernel.go(
      'OnPodSandboxReady',
      function* () {
        statusManager.setPodReadyToStartContainers(pod);
        log.info(3, 'Successfully updated PodReadyToStartContainers condition after sandbox creation', kv);
      },
      { place: 'pod/runtime', uid: pod.metadata.uid },
    );
  }

  /** Pods that count on this node: not ended, or not known to be. upstream: kubelet_pods.go (*Kubelet).GetActivePods */
  getActivePods(): Pod[] {
    return this.filterOutInactivePods(this.podManager.getPods());
  }

  /** The active pods, each with the resources that it was given. */
  getAllocatedActivePods(): Pod[] {
    return this.allocationManager.getAllocatedPods(this.getActivePods());
  }

  /** upstream: kubelet_pods.go (*Kubelet).filterOutInactivePods */
  filterOutInactivePods(pods: readonly Pod[]): Pod[] {
    return pods.filter((pod) => {
      const { uid } = pod.metadata;
      if (this.podWorkers.isPodKnownTerminated(uid)) return false;
      const terminal =
        isPodPhaseTerminal(pod.status.phase) || isPodPhaseTerminal(this.statusManager.getPodStatus(uid)?.phase);
      // Failed, but its containers may still be stopping.
      return !terminal || this.podWorkers.isPodTerminationRequested(uid);
    });
  }

  // --- what the kubelet serves -----------------------------------------------------------------------------------

  /**
   * Returns the pods that /pods serves; a static pod's status is the kubelet's own.
   * upstream: kubelet_pods.go (*Kubelet).GetPods
   */
  getPods(): Pod[] {
    return this.podManager.getPods().map((pod) => {
      const status = isStaticPod(pod) ? this.statusManager.getPodStatus(pod.metadata.uid) : undefined;
      return deepCopy(status ? { ...pod, status } : pod);
    });
  }

  /** Returns the pods that /runningpods/ serves: those that the runtime lists. upstream: (*Kubelet).GetRunningPods */
  *getRunningPods(ctx: Context = background): Go<Pod[]> {
    return (yield* this.runtimeCache.getPods(ctx)).map(toAPIPod);
  }

  /** Returns null while the loop is running, else the error. upstream: kubelet.go (*Kubelet).SyncLoopHealthCheck */
  syncLoopHealthCheck(): Error | null {
    return syncLoopHealthCheck(this.kernel.now(), this.loopEntry, this.config.syncFrequency);
  }

  /** Stores that the loop is running, for the health check; the time as its records have it. */
  storeLoopEntry(): { readonly syncLoopMonitor: Micros } {
    this.loopEntry = this.kernel.now();
    return { syncLoopMonitor: this.loopEntry };
  }
}
