import type { CRIServices, ImageService, RuntimeService } from '../cri/index.js';
import { background, type Context, type Go, type Kernel, type Process, Second } from '../kernel/index.js';
import type { Micros } from '../trace/index.js';
import { ActiveDeadlineHandler, type PodSyncLoopHandler } from './active-deadline.js';
import {
  admitAll,
  newAppArmorAdmitHandler,
  newDeclaredFeaturesAdmitHandler,
  newPodFeaturesAdmitHandler,
} from './admission/handlers.js';
import { type AdmissionNode, admissionNodeOf, standaloneNode } from './admission/node.js';
import { newPredicateAdmitHandler } from './admission/predicate.js';
import { evictPodsToFreeRequests } from './admission/preemption.js';
import { newSysctlAdmitHandler } from './admission/sysctl.js';
import type { PodAdmitHandler } from './admission/types.js';
import { AllocationManager, allocatedPodsStateFile } from './allocation/allocation-manager.js';
import { newPodResizesAdmitHandler } from './allocation/resize-admit-handler.js';
import { StateCheckpoint } from './allocation/state.js';
import type { Pod, PodStatus } from './api/types.js';
import type { KubeClient, NodeLister } from './client/kube-client.js';
import type { ObjectManagers } from './client/objects.js';
import type { RestTransport } from './client/transport.js';
import type { CgroupFS } from './cm/cgroup-manager.js';
import { ContainerManager } from './cm/container-manager.js';
import { evictionReservationOf } from './cm/eviction-reservation.js';
import type { PodContainerManager } from './cm/pod-container-manager.js';
import { newSourceApiserver } from './config/apiserver.js';
import { newSourceFile } from './config/file.js';
import { newSourceURL } from './config/http.js';
import { PodConfig } from './config/pod-config.js';
import { SourcesReady } from './config/sources.js';
import type { KubeletConfig } from './config.js';
import { newCache } from './container/cache.js';
import { toAPIPod } from './container/helpers.js';
import { RuntimeCache } from './container/runtime-cache.js';
import type { RuntimePodStatus } from './container/types.js';
import { type ImageCredentials, newNodeKeyring } from './credentialprovider/image-credentials.js';
import { newInstrumentedServices } from './cri-instrumented.js';
import { newPacedServices } from './cri-paced.js';
import { newStreamingListServices } from './cri-streaming.js';
import { EventRecorder } from './events.js';
import { featureEnabled, validateFeatureGates, vanishingFeatures } from './features.js';
import { handlePodSyncs } from './handlers.js';
import type { NodeInfo, OSInterface, ProbeTransport } from './host.js';
import { Logger } from './klog.js';
import { type KubeletAPI, newKubeletAPI } from './kubelet-api.js';
import { newNodeStatus } from './kubelet-node.js';
import { type NodeStatusManager, nodeReference } from './kubelet-node-status.js';
import { KubeletRuntimeHelper } from './kubelet-pods-run.js';
import { generateAPIPodStatus, type PodSyncHandler } from './kubelet-pods-status.js';
import { runKubelet } from './kubelet-run.js';
import { RuntimeUp } from './kubelet-runtime-up.js';
import { type KubeGenericRuntimeManager, newKubeGenericRuntimeManager } from './kuberuntime/kuberuntime-manager.js';
import { kubernetesPodUIDLabel } from './kuberuntime/labels.js';
import { type KubeletMetrics, metricsOf, newProcessMetrics } from './metrics/kubelet-metrics.js';
import { type NodeGuards, newNodeGuards } from './node-guards.js';
import type { ShutdownSignal } from './nodeshutdown/node-shutdown-manager.js';
import type { OOMStreamer } from './oom/oom-watcher.js';
import { EventedPLEG, eventedRelistDuration } from './pleg/evented.js';
import { genericRelistDuration, newGenericPLEG } from './pleg/generic.js';
import type { Cache, PodLifecycleEventGenerator } from './pleg/types.js';
import { PodContainerDeletor } from './pod-container-deletor.js';
import { newPodMetrics, type PodMetrics } from './pod-metrics.js';
import { newBasicMirrorClient } from './podmanager/basic-mirror-client.js';
import { type MirrorPodClient, noMirrorPods } from './podmanager/mirror-client.js';
import { newBasicPodManager } from './podmanager/pod-manager.js';
import type { PodManager } from './podmanager/types.js';
import { type KillPodFunc, killPodNow } from './podworkers/kill-pod-now.js';
import { PodWorkersImpl } from './podworkers/pod-workers.js';
import { newProberManager } from './prober/prober-manager.js';
import { newResultsManager, type WritableResultsManager } from './prober/results.js';
import type { ProberManager } from './prober/types.js';
import { ReasonCache } from './reason-cache.js';
import { RuntimeState } from './runtime-state.js';
import type { HostStats } from './stats/types.js';
import { PodResizeConditions } from './status/resize-conditions.js';
import { newStatusManager } from './status/status-manager.js';
import type { StatusClient, StatusManager } from './status/types.js';
import { syncLoopHealthCheck } from './sync-loop.js';
import { newPodSyncer } from './sync-pod.js';
import { ApiserverSource, FileSource, HTTPSource, isStaticPod } from './types/pod-update.js';
import { type BackOff, newCrashLoopBackOff } from './util/backoff.js';
import { deepCopy } from './util/deep.js';
import { isPodPhaseTerminal } from './util/podutil.js';
import { WorkQueue } from './util/queue/work-queue.js';
import { VolumeManager } from './volumemanager/volume-manager.js';

/** upstream: kubelet.go backOffPeriod, maxWaitForContainerRuntime, runtimeCacheRefreshPeriod */
const backOffPeriod = 10 * Second;
const maxWaitForContainerRuntime = 30 * Second;
const runtimeCacheRefreshPeriod = 3 * Second;
/** Dead containers that stay per name. upstream: maximum-dead-containers-per-container */
const maxPerPodContainer = 1;

/** What a kubelet is given; all I/O is behind these. */
export interface KubeletDeps {
  readonly kernel: Kernel;
  readonly config: KubeletConfig;
  readonly runtimeService: RuntimeService;
  readonly imageService: ImageService;
  readonly os: OSInterface;
  readonly probeTransport: ProbeTransport;
  readonly nodeInfo: NodeInfo;
  /** Name of its process. Default: kubelet. */
  readonly name?: string;
  /** The way to an API server, with all that follows from it: node, statuses, events, mirror pods, the api source. Null or missing: stand-alone. */
  readonly transport?: RestTransport | null;
  /** Only for statuses. Default: that of `transport`. */
  readonly statusClient?: StatusClient | null;
  readonly mirrorPodClient?: MirrorPodClient;
  /** Asked after the resize handler and before all others, where the eviction manager stands. */
  readonly admitHandlers?: readonly PodAdmitHandler[];
  /** Of the file system mounted there, bytes; null: not known. Default: nodeInfo's capacity less what the runtime uses. */
  readonly fsStats?: (mountpoint: string) => Go<{ available: number; capacity: number } | null>;
  /** What the machine itself uses. Default: nobody measures it; then no pod is evicted. */
  readonly hostStats?: HostStats;
  /** Tells when the machine goes down. Default: nobody does. */
  readonly shutdownSignal?: ShutdownSignal;
  /** Tells of processes that the kernel killed for want of memory. Default: nobody does. */
  readonly oomStreamer?: OOMStreamer;
  /** What the node's own image credentials are made of, beside files in the root directory and in /. Default: nothing. */
  readonly imageCredentials?: ImageCredentials;
  /** The machine's cgroups, the same object for each kubelet on it. Default: cgroups in memory, which end with this kubelet. */
  readonly cgroups?: CgroupFS;
  /** In place of what manages pods' cgroups; the node's own are then left alone. For tests. */
  readonly podContainers?: PodContainerManager;
}

/**
 * Makes a kubelet, in a process of its own, without starting it; throws where a feature gate is unknown or cannot be set.
 * upstream: kubelet.go NewMainKubelet
 */
export function newKubelet(deps: KubeletDeps): Kubelet {
  return new Kubelet(deps);
}

/**
 * The kubelet: its parts, wired. What it does is in the files beside: sync-loop, handlers, sync-pod,
 * kubelet-pods-cleanup. upstream: pkg/kubelet/kubelet.go Kubelet
 */
export class Kubelet {
  readonly kernel: Kernel;
  readonly process: Process;
  /** What /metrics and /metrics/probes serve. */
  readonly metrics: KubeletMetrics;
  readonly config: KubeletConfig;
  readonly os: OSInterface;
  readonly nodeInfo: NodeInfo;
  readonly log: Logger;
  readonly podsLog: Logger;
  readonly recorder: EventRecorder;

  /** What an API server brings; null: stand-alone. */
  readonly api: KubeletAPI | null;
  readonly kubeClient: KubeClient | null;
  /** The node as its watch knows it. */
  readonly nodeLister: NodeLister | null;
  /** What pods refer to. */
  readonly objectManagers: ObjectManagers | null;

  /** The CRI, traced. */
  readonly services: CRIServices;
  readonly containerRuntime: KubeGenericRuntimeManager;
  readonly runtimeHelper: KubeletRuntimeHelper;
  readonly runtimeCache: RuntimeCache;
  readonly runtimeState: RuntimeState;
  readonly containerManager: ContainerManager;
  readonly volumeManager: VolumeManager;
  readonly containerDeletor: PodContainerDeletor;

  readonly podConfig: PodConfig;
  readonly sourcesReady: SourcesReady;
  readonly podManager: PodManager;
  readonly podWorkers: PodWorkersImpl;
  readonly workQueue: WorkQueue;
  readonly killPodNow: KillPodFunc;
  readonly statusManager: StatusManager;
  readonly mirrorPodClient: MirrorPodClient;
  /** What pods were given. */
  readonly allocated: StateCheckpoint;
  readonly allocationManager: AllocationManager;
  readonly resizeConditions: PodResizeConditions;

  /** Image GC, statistics, the eviction manager, the shutdown manager. */
  readonly guards: NodeGuards;
  /** The look at the runtime every 5 s. */
  readonly runtimeUp: RuntimeUp;
  /** What is said of the node, and the node as others see it. */
  readonly nodeStatus: NodeStatusManager;

  readonly pleg: PodLifecycleEventGenerator;
  /** Only with gate EventedPLEG. */
  readonly eventedPleg: EventedPLEG | null;
  readonly podCache: Cache;
  readonly probeManager: ProberManager;
  readonly livenessManager: WritableResultsManager;
  readonly readinessManager: WritableResultsManager;
  readonly startupManager: WritableResultsManager;

  readonly reasonCache = new ReasonCache();
  /** What housekeeping counted last. */
  readonly podMetrics: PodMetrics = newPodMetrics();
  readonly crashLoopBackOff: BackOff;
  readonly podSyncLoopHandlers: readonly PodSyncLoopHandler[];
  readonly podSyncHandlers: readonly PodSyncHandler[];

  /** Why it ended by itself, if it did. */
  exited: Error | null = null;
  /** The node's addresses are shown only with an API client. */
  private readonly hostIPs: () => readonly string[] | null;
  private loopEntry: Micros | null = null;
  private started = false;

  constructor(readonly deps: KubeletDeps) {
    const { kernel, os, nodeInfo, probeTransport } = deps;
    const wrong = validateFeatureGates(deps.config.featureGates);
    if (wrong.length > 0)
      throw new Error(
        `failed to set feature gates from initial flags-based config: ${wrong.length === 1 ? wrong[0] : `[${wrong.join(', ')}]`}`,
      );
    this.kernel = kernel;
    this.process = kernel.process(deps.name ?? 'kubelet');
    this.metrics = newProcessMetrics(kernel);
    this.metrics.nodeStartupLatency.bootMillis = deps.nodeInfo.bootTimeMillis ?? null;
    this.metrics.nodeName.set(1, { node: deps.config.nodeName });
    this.metrics.cgroupVersion.set(deps.nodeInfo.cgroupVersion);
    // Containers' statistics are the runtime's own: there is no cAdvisor.
    this.metrics.metricsProvider.set(1, { provider: 'cri' });
    // A copy: the runtime may tell another cgroup driver.
    this.config = { ...deps.config };
    const { config } = this;
    this.os = os;
    this.nodeInfo = nodeInfo;
    this.log = new Logger(kernel, 'kubelet.go');
    for (const { name, value, stage } of vanishingFeatures(config.featureGates))
      new Logger(kernel, 'feature_gate.go').info(
        0,
        `Warning: setting ${stage === 'GA' ? 'GA' : 'deprecated'} feature gate. It will be removed in a future release.`,
        { featureGate: name, value },
      );
    this.podsLog = new Logger(kernel, 'kubelet_pods.go');
    this.recorder = new EventRecorder(kernel, config.nodeName);
    const api = deps.transport ? newKubeletAPI(kernel, config, deps.transport) : null;
    this.api = api;
    if (api) this.recorder.startRecordingToSink(api.events);
    const { recorder } = this;
    const traced = newInstrumentedServices(kernel, bothServices(deps.runtimeService, deps.imageService));
    const services = config.runtimeConcurrency ? newPacedServices(kernel, traced, config.runtimeConcurrency) : traced;
    this.services = featureEnabled(config, 'CRIListStreaming')
      ? newStreamingListServices(kernel, services, config.runtimeRequestTimeout)
      : services;

    this.podConfig = new PodConfig(kernel, recorder, this.process, config.featureGates);
    this.sourcesReady = new SourcesReady(kernel, (seen) => this.podConfig.seenAllSources(seen));
    this.podManager = newBasicPodManager();
    const kubeClient = api?.client ?? null;
    const nodeLister = api?.nodeLister ?? null;
    this.kubeClient = kubeClient;
    this.nodeLister = nodeLister;
    this.objectManagers = api?.objects ?? null;
    this.mirrorPodClient =
      deps.mirrorPodClient ??
      (kubeClient && nodeLister
        ? newBasicMirrorClient({ kernel, client: kubeClient, nodeLister, nodeName: config.nodeName })
        : noMirrorPods);
    const client = deps.statusClient ?? kubeClient;
    this.hostIPs = () => (client ? this.nodeStatus.hostIPs() : null);
    this.statusManager = newStatusManager({
      kernel,
      podManager: this.podManager,
      podDeletionSafety: {
        podCouldHaveRunningContainers: (pod) => this.podWorkers.couldHaveRunningContainers(pod.metadata.uid),
      },
      client,
    });

    this.resizeConditions = new PodResizeConditions(kernel);
    this.allocated = new StateCheckpoint(kernel, os, config.rootDirectory, allocatedPodsStateFile);
    this.allocationManager = new AllocationManager({
      kernel,
      config,
      allocated: this.allocated,
      resizeConditions: this.resizeConditions,
      recorder,
      sourcesReady: this.sourcesReady,
      getActivePods: () => this.getActivePods(),
      getPodByUID: (uid) => this.podManager.getPodByUID(uid),
      triggerPodSync: (pod) => this.syncPodNow(pod),
    });

    this.runtimeState = new RuntimeState(kernel, maxWaitForContainerRuntime);
    this.livenessManager = newResultsManager(kernel, 'livenessManager');
    this.readinessManager = newResultsManager(kernel, 'readinessManager');
    this.startupManager = newResultsManager(kernel, 'startupManager');
    const evented = featureEnabled(config, 'EventedPLEG');
    this.podCache = newCache(kernel, { eventedPLEG: evented });
    this.workQueue = new WorkQueue(kernel);
    this.podWorkers = new PodWorkersImpl({
      kernel,
      podSyncer: newPodSyncer(() => this),
      recorder,
      workQueue: this.workQueue,
      resyncInterval: config.syncFrequency,
      backOffPeriod,
      podCache: this.podCache,
      process: this.process,
      updatePodFromAllocation: (pod) => this.allocationManager.updatePodFromAllocation(pod).pod,
    });
    this.killPodNow = killPodNow(kernel, this.podWorkers, recorder);

    this.runtimeHelper = new KubeletRuntimeHelper({
      kernel,
      config,
      os,
      nodeInfo,
      recorder,
      onPodSandboxReady: (ctx, pod) => this.onPodSandboxReady(ctx, pod),
      requestPodReinspect: (uid) => this.pleg.requestReinspect(uid),
      memoryUsage: (ctx, uid) => memoryUsage(this.services, ctx, uid),
      supportsRecursiveReadOnly: (pod) => this.containerRuntime.supportsRecursiveReadOnly(pod),
      objects: this.objectManagers,
      getMountedVolumesForPod: (uid) => this.volumeManager.getMountedVolumesForPod(uid),
    });
    this.containerManager = new ContainerManager({
      kernel,
      config,
      nodeInfo,
      recorder,
      nodeRef: nodeReference(config),
      runtimeService: this.services,
      activePods: () => this.getActivePods(),
      evictionReservation: (capacity) => evictionReservationOf(config, capacity),
      ...(deps.cgroups && { cgroups: deps.cgroups }),
      ...(deps.podContainers && { podContainers: deps.podContainers }),
    });
    this.containerRuntime = newKubeGenericRuntimeManager({
      kernel,
      config,
      runtimeService: this.services,
      imageService: this.services,
      os,
      recorder,
      livenessManager: this.livenessManager,
      readinessManager: this.readinessManager,
      startupManager: this.startupManager,
      runtimeHelper: this.runtimeHelper,
      podStateProvider: this.podWorkers,
      probeTransport,
      nodeInfo,
      podContainers: this.containerManager.podContainers,
      nodeKeyring: newNodeKeyring(kernel, os, config.rootDirectory, deps.imageCredentials),
      ...(api && { runtimeClasses: { get: (name: string) => api.informers.runtimeClasses.get(name)?.handler } }),
    });
    this.runtimeCache = new RuntimeCache(kernel, this.containerRuntime, runtimeCacheRefreshPeriod);
    const genericPleg = newGenericPLEG({
      kernel,
      runtime: this.containerRuntime,
      cache: this.podCache,
      config,
      relistDuration: evented ? eventedRelistDuration : genericRelistDuration,
      eventedInUse: () => this.eventedPleg?.inUse() ?? false,
    });
    this.pleg = genericPleg;
    this.eventedPleg = evented
      ? new EventedPLEG({
          kernel,
          runtimeService: this.services,
          generatePodStatus: (event) => this.containerRuntime.generatePodStatus(event),
          cache: this.podCache,
          genericPleg,
          relistDuration: genericRelistDuration,
        })
      : null;
    this.runtimeState.addHealthCheck('PLEG', () => this.pleg.healthy());
    const { eventedPleg } = this;
    if (eventedPleg) this.runtimeState.addHealthCheck('EventedPLEG', () => eventedPleg.healthy());
    this.probeManager = newProberManager({
      kernel,
      statusManager: this.statusManager,
      livenessManager: this.livenessManager,
      readinessManager: this.readinessManager,
      startupManager: this.startupManager,
      runtime: this.containerRuntime,
      recorder,
      probeTransport,
      config,
    });
    this.volumeManager = new VolumeManager({
      kernel,
      host: {
        kernel,
        os,
        nodeInfo,
        objects: this.objectManagers,
        getPodDir: (uid) => this.runtimeHelper.getPodDir(uid),
      },
      recorder,
      nodeName: config.nodeName,
      podsDir: this.runtimeHelper.getPodsDir(),
      podManager: this.podManager,
      podStateProvider: this.podWorkers,
      sourcesReady: () => this.sourcesReady.allReady(),
      getNode: kubeClient && (() => kubeClient.getNode(config.nodeName)),
    });
    this.containerDeletor = new PodContainerDeletor(kernel, this.containerRuntime, Math.max(maxPerPodContainer, 1));
    this.crashLoopBackOff = newCrashLoopBackOff(kernel, config);
    const activeDeadline = new ActiveDeadlineHandler(kernel, this.statusManager, recorder);
    this.podSyncLoopHandlers = [activeDeadline];
    this.podSyncHandlers = [activeDeadline];
    this.guards = newNodeGuards(this);
    this.runtimeUp = new RuntimeUp(this);
    this.nodeStatus = newNodeStatus(this);
    this.allocationManager.addPodAdmitHandlers(this.admitHandlers());
  }

  /** Who is asked about a new pod, in upstream's order. upstream: NewMainKubelet */
  private admitHandlers(): PodAdmitHandler[] {
    const { kernel, config, nodeInfo, deps, recorder } = this;
    const preemption = {
      log: new Logger(kernel, 'preemption.go'),
      recorder,
      getPods: () => this.allocationManager.getAllocatedPods(this.getActivePods()),
      killPod: this.killPodNow,
      onPreempted: (resource: string) => metricsOf(kernel).preemptions.add(1, { preemption_signal: resource }),
    };
    return [
      newPodResizesAdmitHandler(),
      this.guards.evictionAdmitHandler,
      ...(deps.admitHandlers ?? []),
      newSysctlAdmitHandler(config.allowedUnsafeSysctls),
      admitAll('container manager'),
      newPredicateAdmitHandler({
        kernel,
        log: new Logger(kernel, 'predicate.go'),
        getNode: (useCache) => this.admissionNode(useCache),
        comparisonOperators: featureEnabled(config, 'TaintTolerationComparisonOperators'),
        evict: (pod, missing) => evictPodsToFreeRequests(preemption, pod, missing),
      }),
      newAppArmorAdmitHandler(nodeInfo.appArmorEnabled ?? true),
      newPodFeaturesAdmitHandler(config),
      ...(featureEnabled(config, 'NodeDeclaredFeatures') ? [newDeclaredFeaturesAdmitHandler(config)] : []),
      this.guards.shutdownManager.admitHandler,
    ];
  }

  /** The node tells of itself now. */
  syncNodeStatusNow(): Go<void> {
    return this.nodeStatus.syncNodeStatus(background);
  }

  /** The node for admission; stand-alone without what only others read of it. upstream: kubelet_nodecache.go (*Kubelet).GetCachedNode */
  private *admissionNode(useCache: boolean): Go<AdmissionNode> {
    if (this.kubeClient && this.nodeLister) return admissionNodeOf(yield* this.nodeStatus.getCachedNode(useCache));
    const { config, nodeInfo, containerManager, runtimeState } = this;
    const capacity = containerManager.capacity();
    const strict = runtimeState.runtimeFeatures()?.supplementalGroupsPolicy ?? false;
    return standaloneNode(config, nodeInfo, capacity, evictionReservationOf(config, capacity), strict);
  }

  /** upstream: kubelet.go (*Kubelet).syncPodNow */
  private syncPodNow(pod: Pod): void {
    handlePodSyncs(this, [pod]);
    this.pleg.requestRelist(pod.metadata.uid);
  }

  /** Starts everything, once. A killed kubelet does not come back: make a new one on the same runtime. */
  run(): void {
    if (this.started) throw new Error('kubelet: it runs already');
    this.started = true;
    this.kernel.go('kubelet', () => runKubelet(this), { process: this.process });
  }

  /** The file and URL sources; part of run. upstream: kubelet.go makePodSourceConfig */
  startSources(): void {
    const { kernel, config, os, process, deps } = this;
    if (this.api) {
      this.api.startEvents();
      this.api.start(process);
    }
    const preventAPIReferences = featureEnabled(config, 'PreventStaticPodAPIReferences');
    const common = { kernel, ctx: background, nodeName: config.nodeName, process, preventAPIReferences };
    if (config.staticPodPath !== '') {
      this.log.info(0, 'Adding static pod path', { path: config.staticPodPath });
      newSourceFile({
        ...common,
        os,
        path: config.staticPodPath,
        period: config.fileCheckFrequency,
        updates: this.podConfig.channel(background, FileSource),
      });
    }
    if (config.staticPodURL !== '') {
      this.log.info(0, 'Adding pod URL with HTTP header', { URL: config.staticPodURL, header: {} });
      newSourceURL({
        ...common,
        transport: deps.probeTransport,
        url: config.staticPodURL,
        period: config.httpCheckFrequency,
        updates: this.podConfig.channel(background, HTTPSource),
      });
    }
    if (this.api) {
      const { client, nodeLister } = this.api;
      this.log.info(0, 'Adding apiserver pod source');
      newSourceApiserver({
        kernel,
        ctx: background,
        process,
        listerWatcher: client.listerWatcher('pods', '', `spec.nodeName=${config.nodeName}`),
        nodeHasSynced: () => nodeLister.hasSynced(),
        updates: this.podConfig.channel(background, ApiserverSource),
      });
    }
  }

  /** upstream: kubelet_pods.go (*Kubelet).generateAPIPodStatus */
  generateAPIPodStatus(pod: Pod, podStatus: RuntimePodStatus, podIsTerminal: boolean): PodStatus {
    return generateAPIPodStatus(
      {
        kernel: this.kernel,
        config: this.config,
        statusManager: this.statusManager,
        probeManager: this.probeManager,
        reasonCache: this.reasonCache,
        runtime: this.containerRuntime,
        podSyncHandlers: this.podSyncHandlers,
        hostIPs: this.hostIPs,
        resizeConditions: this.resizeConditions,
        supportsRecursiveReadOnly: (p) => this.containerRuntime.supportsRecursiveReadOnly(p),
      },
      pod,
      podStatus,
      podIsTerminal,
    );
  }

  /** upstream: kubelet.go (*Kubelet).OnPodSandboxReady */
  private *onPodSandboxReady(_ctx: Context, pod: Pod): Go<void> {
    if (!featureEnabled(this.config, 'PodReadyToStartContainersCondition')) return;
    const kv = { pod: `${pod.metadata.namespace}/${pod.metadata.name}`, podUID: pod.metadata.uid };
    this.log.info(3, 'OnPodSandboxReady callback invoked', kv);
    const { statusManager, log } = this;
    // Aside, so that the sync goes on meanwhile.
    this.kernel.go('OnPodSandboxReady', function* () {
      statusManager.setPodReadyToStartContainers(pod);
      log.info(3, 'Successfully updated PodReadyToStartContainers condition after sandbox creation', kv);
    });
  }

  /** Pods that count on this node: not ended, or not known to be. upstream: kubelet_pods.go (*Kubelet).GetActivePods */
  getActivePods(): Pod[] {
    return this.filterOutInactivePods(this.podManager.getPods());
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

  /** What /pods serves; a static pod's status is the kubelet's own. upstream: kubelet_pods.go (*Kubelet).GetPods */
  getPods(): Pod[] {
    return this.podManager.getPods().map((pod) => {
      const status = isStaticPod(pod) ? this.statusManager.getPodStatus(pod.metadata.uid) : undefined;
      return deepCopy(status ? { ...pod, status } : pod);
    });
  }

  /** What /runningpods/ serves: what the runtime says. upstream: (*Kubelet).GetRunningPods */
  *getRunningPods(ctx: Context = background): Go<Pod[]> {
    return (yield* this.runtimeCache.getPods(ctx)).map(toAPIPod);
  }

  /** Null while the loop turns. upstream: kubelet.go (*Kubelet).SyncLoopHealthCheck */
  syncLoopHealthCheck(): Error | null {
    return syncLoopHealthCheck(this.kernel.now(), this.loopEntry, this.config.syncFrequency);
  }

  /** The loop says that it turns. */
  storeLoopEntry(): void {
    this.loopEntry = this.kernel.now();
  }
}

/** Bytes of memory that a pod's containers use, by name. upstream: (*Kubelet).PodCPUAndMemoryStats, which asks cAdvisor */
function* memoryUsage(services: CRIServices, ctx: Context, uid: string): Go<Map<string, number>> {
  const { stats = [] } = yield* services.listContainerStats(ctx, {
    filter: { labelSelector: { [kubernetesPodUIDLabel]: uid } },
  });
  return new Map(
    stats.map((s) => [s.attributes?.metadata?.name ?? '', Number(s.memory?.usageBytes?.value ?? 0)] as const),
  );
}

/** Two services as one object, whatever `this` their methods want. */
function bothServices(runtimeService: RuntimeService, imageService: ImageService): CRIServices {
  const imageMethods = new Set([
    'listImages',
    'streamImages',
    'imageStatus',
    'pullImage',
    'removeImage',
    'imageFsInfo',
  ]);
  return new Proxy({} as CRIServices, {
    get: (_, key) => {
      const service = imageMethods.has(String(key)) ? imageService : runtimeService;
      const method = (service as unknown as Record<PropertyKey, unknown>)[key];
      return typeof method === 'function' ? method.bind(service) : method;
    },
  });
}
