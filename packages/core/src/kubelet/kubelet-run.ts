import { messageOf } from '../base/index.js';
import type { RuntimeService } from '../cri/index.js';
import { cgroupDriver as driverOf, isUnimplemented } from '../cri/index.js';
import type { NodeInfo, OSInterface } from '../host/os.js';
import type { Kernel, Process } from '../kernel/index.js';
import { background, type Context, frame, frameSync, type Go, Millisecond, sleep } from '../kernel/index.js';
import type { StateCheckpoint } from './allocation/state.js';
import type { KubeClient } from './client/kube-client.js';
import type { PodConfig } from './config/pod-config.js';
import type { KubeletConfig } from './config.js';
import { initializeCSINode } from './csi/csi-node.js';
import type { EarlierPart, EraParts, StartUpPart } from './era/types.js';
import type { EventRecorder } from './events.js';
import { featureEnabled } from './features.js';
import { Logger } from './klog.js';
import type { KubeletAPI } from './kubelet-api.js';
import type { KubeletDeps } from './kubelet-deps.js';
import type { GarbageCollectionDeps } from './kubelet-gc.js';
import { startGarbageCollection } from './kubelet-gc.js';
import type { ModulesDeps } from './kubelet-modules.js';
import { initializeModules, managerState } from './kubelet-modules.js';
import type { NodeStatusManager } from './kubelet-node-status.js';
import { nodeReference } from './kubelet-node-status.js';
import type { RuntimeUp } from './kubelet-runtime-up.js';
import type { KubeGenericRuntimeManager } from './kuberuntime/kuberuntime-manager.js';
import { LeaseController } from './nodelease/controller.js';
import type { EventedPLEG } from './pleg/evented.js';
import type { PodManager } from './podmanager/types.js';
import type { StatusManager } from './status/types.js';
import type { SyncLoopDeps } from './sync-loop.js';
import type { MirrorPodDeps } from './sync-pod.js';
import { tryReconcileMirrorPods } from './sync-pod.js';
import { isStaticPod } from './types/pod-update.js';
import type { VolumeManager } from './volumemanager/volume-manager.js';

/** upstream: cm.CgroupV1DeprecatedWarning, CgroupV2KernelWarning */
const cgroupV1Warning =
  'cgroup v1 detected. cgroup v1 support is deprecated and will be removed in a future release. Please migrate to cgroup v2. More information at https://git.k8s.io/enhancements/keps/sig-node/5573-remove-cgroup-v1';
const cgroupV2Warning =
  "cgroup v2 is being used on a kernel, which doesn't support root `cpu.stat`.Kubelet will continue, but may experience instability or wrong behavior";

/** The parts of the kubelet that are set up with the runtime before anything else runs. */
interface InitializeDeps {
  readonly deps: Pick<KubeletDeps, 'era'>;
  readonly kernel: Kernel;
  readonly config: KubeletConfig;
  readonly nodeInfo: NodeInfo;
  readonly log: Logger;
  readonly api: KubeletAPI | null;
  readonly kubeClient: KubeClient | null;
  readonly services: RuntimeService;
  readonly containerRuntime: Pick<KubeGenericRuntimeManager, 'initialize'>;
  readonly runtimeState: SyncLoopDeps['runtimeState'];
  readonly allocated: Pick<StateCheckpoint, 'restore'>;
  startSources(): void;
  exit(err: unknown): void;
}

/** The parts of the kubelet that make a static pod's mirror pod as soon as there is a node. */
interface StaticPodsDeps extends MirrorPodDeps {
  readonly podManager: PodManager;
  readonly nodeStatus: Pick<NodeStatusManager, 'getNode'>;
}

/** The parts of the kubelet that run, one after the other. */
interface RunDeps extends ModulesDeps, SyncLoopDeps, StaticPodsDeps {
  readonly config: KubeletConfig;
  readonly os: OSInterface;
  readonly recorder: EventRecorder;
  readonly nodeInfo: NodeInfo;
  readonly process: Process;
  readonly api: KubeletAPI | null;
  readonly kubeClient: KubeClient | null;
  readonly deps: Pick<KubeletDeps, 'era' | 'oomStreamer' | 'statusClient'>;
  readonly nodeStatus: Pick<NodeStatusManager, 'fastStatusUpdateOnce' | 'getNode' | 'run'>;
  readonly runtimeUp: Pick<RuntimeUp, 'run'>;
  readonly podConfig: Pick<PodConfig, 'updates'>;
  readonly statusManager: StatusManager;
  readonly volumeManager: Pick<VolumeManager, 'hasPossiblyMountedVolumesForPod' | 'podsChanged' | 'run'>;
  readonly eventedPleg: Pick<EventedPLEG, 'start'> | null;
  readonly eraParts: Pick<EraParts, 'start' | 'syncLoop'>;
  exit(err: unknown): void;
}

/** All of it: the collectors, the first calls to the runtime, and what runs afterwards. */
export type RunKubeletDeps = GarbageCollectionDeps & InitializeDeps & RunDeps;

/**
 * Runs the kubelet from the first call to the runtime up to the loop.
 * upstream: cmd/kubelet/app/server.go RunKubelet
 */
export function* runKubelet(kl: RunKubeletDeps): Go<void> {
  const ctx = background;
  try {
    yield* frame('RunKubelet', undefined, function* () {
      yield* createAndInitKubelet(kl, ctx);
      startKubelet(kl, ctx);
    });
  } catch (err) {
    new Logger(kl.kernel, 'run.go').error(err, 'command failed');
    kl.exit(err);
  }
}

/** Asks the runtime what the parts need to know of it. upstream: cmd/kubelet/app/server.go createAndInitKubelet */
function createAndInitKubelet(kl: RunKubeletDeps, ctx: Context): Go<void> {
  return frame('createAndInitKubelet', undefined, function* () {
    yield* frame('NewMainKubelet', undefined, () => initialize(kl, ctx));
    birthCry(kl);
    startGarbageCollection(kl, ctx);
    kl.containerDeletor.start();
  });
}

/** Starts the loop in a goroutine of its own. upstream: cmd/kubelet/app/server.go startKubelet */
function startKubelet(kl: RunKubeletDeps, ctx: Context): void {
  frameSync('startKubelet', undefined, () => {
    new Logger(kl.kernel, 'server.go').info(0, 'Started kubelet');
    kl.kernel.go('syncLoop', () => frame('Kubelet.Run', undefined, () => run(kl, ctx)), { place: 'select' });
  });
}

/** Emits the event that the kubelet starts. upstream: pkg/kubelet/kubelet.go (*Kubelet).BirthCry */
function birthCry({ recorder, config }: Pick<RunKubeletDeps, 'config' | 'recorder'>): void {
  frameSync('BirthCry', undefined, () =>
    recorder.event(nodeReference(config), 'Normal', 'Starting', 'Starting kubelet.', '', 'Node'),
  );
}

/**
 * Makes the calls to the runtime that belong to the building of the parts, with what upstream asks right before.
 * upstream: pkg/kubelet/kubelet.go NewMainKubelet
 */
function* initialize(kl: InitializeDeps, ctx: Context): Go<void> {
  const { log, api } = kl;
  validateConfiguration(kl);
  const without = kl.deps.era?.rules.startsWithout ?? [];
  yield* kl.containerRuntime.initialize(ctx, function* () {
    if (featureEnabled(kl.config, 'KubeletCgroupDriverFromCRI')) yield* getCgroupDriverFromCRI(kl, ctx);
    if (kl.kubeClient) log.info(0, 'Attempting to sync node with API server');
    else log.info(0, 'Kubelet is running in standalone mode, will skip API server sync');
    startSources(kl);
  });
  if (api && !without.includes('csiNode'))
    initializeCSINode({
      kernel: kl.kernel,
      client: api.client,
      nodeName: kl.config.nodeName,
      runtimeState: kl.runtimeState,
      fatal: (err) => kl.exit(err),
    });
  yield* kl.allocated.restore();
  if (featureEnabled(kl.config, 'NodeDeclaredFeatures')) yield* prefetchRuntimeFeatures(kl, ctx);
}

/** Starts the sources of pods that are configured. upstream: pkg/kubelet/kubelet.go makePodSourceConfig */
const startSources = (kl: Pick<InitializeDeps, 'startSources'>): void =>
  frameSync('makePodSourceConfig', undefined, () => kl.startSources());

/**
 * Throws if the kubelet must not run on this machine (fidelity 3:BOOT-13). Upstream's words, and then the remedy.
 * upstream: ValidateKubeletConfiguration
 */
function validateConfiguration({ config, nodeInfo }: Pick<InitializeDeps, 'config' | 'nodeInfo'>): void {
  if (config.failCgroupV1 && nodeInfo.cgroupVersion === 1)
    throw new Error(
      'failed to validate kubelet configuration, error: kubelet is configured to not run on a host using cgroup v1. cgroup v1 support is unsupported and will be removed in a future release. To run on this machine all the same, set failCgroupV1: false or give --fail-cgroupv1=false',
    );
}

/** Reads the runtime's features, which are part of what the node declares. upstream: within NewMainKubelet */
function* prefetchRuntimeFeatures(kl: Pick<InitializeDeps, 'log' | 'services'>, ctx: Context): Go<void> {
  try {
    yield* kl.services.status(ctx, {});
  } catch (err) {
    kl.log.info(4, 'Unable to prefetch container runtime features for node declared features', { err: messageOf(err) });
  }
}

/** upstream: cmd/kubelet/app/server.go getCgroupDriverFromCRI */
function* getCgroupDriverFromCRI(kl: Pick<InitializeDeps, 'config' | 'kernel' | 'services'>, ctx: Context): Go<void> {
  const log = new Logger(kl.kernel, 'server.go');
  let error: unknown = null;
  // Three times even when all is well: upstream's loop has no early way out.
  for (let attempt = 1; attempt <= 3; attempt++) {
    log.info(4, 'Getting CRI runtime configuration information', { attempt });
    try {
      const response = yield* kl.services.runtimeConfig(ctx, {});
      error = null;
      if (response.linux) kl.config.cgroupDriver = driverOf(response.linux) === 'SYSTEMD' ? 'systemd' : 'cgroupfs';
    } catch (err) {
      error = err;
      if (!isUnimplemented(err)) continue;
      log.info(
        0,
        'CRI implementation should be updated to support RuntimeConfig. Falling back to using cgroupDriver from kubelet config.',
      );
      return;
    }
  }
  if (error) throw error;
}

/** Starts the parts in upstream's order (fidelity 3:BOOT-02). upstream: pkg/kubelet/kubelet.go (*Kubelet).Run */
function* run(kl: RunDeps, ctx: Context): Go<void> {
  const { kernel, log, config, recorder, nodeStatus, runtimeUp } = kl;
  const started = (name: string, detail?: string) => managerState(kernel, name, 'started', detail);
  const { startsWithout = [], startsToo = [] } = kl.deps.era?.rules ?? {};
  const has = (part: StartUpPart) => !startsWithout.includes(part);
  const hasToo = (part: EarlierPart) => startsToo.includes(part);
  if (config.enableSystemLogHandler) {
    const queries = has('NodeLogQuery') && config.enableSystemLogQuery && featureEnabled(config, 'NodeLogQuery');
    started('logServer', queries ? 'below /logs/, with queries for logs of services' : 'below /logs/, without queries');
  } else
    managerState(
      kernel,
      'logServer',
      'stopped',
      has('NodeLogQuery')
        ? 'below /logs/ no file of the node is served, as with enableSystemLogHandler: false; NodeLogQuery wants enableSystemLogQuery too'
        : 'below /logs/ no file of the node is served, as with enableSystemLogHandler: false',
    );
  if (!kl.kubeClient && !kl.deps.statusClient)
    log.info(0, 'No API server defined - no node status update will be sent');
  if (hasToo('cloudResourceSyncManager'))
    managerState(kernel, 'cloudResourceSyncManager', 'stopped', 'no cloud provider is configured');
  try {
    yield* frame('initializeModules', undefined, () => initializeModules(kl));
  } catch (err) {
    recorder.event(nodeReference(config), 'Warning', 'KubeletSetupFailed', messageOf(err), '', 'Node');
    log.error(err, 'Failed to initialize internal modules');
    kl.exit(err);
    return;
  }
  if (has('cgroupVersionCheck')) yield* frame('cgroupVersionCheck', undefined, () => cgroupVersionCheck(kl));
  if (has('allocationManager')) {
    kl.allocationManager.run();
    started('allocationManager');
  }
  kl.volumeManager.run();
  started('volumeManager');
  if (kl.api) {
    kernel.go('nodeStatus', () => nodeStatus.run(), { place: 'node', daemon: true });
    kernel.go('fastStatusUpdateOnce', () => nodeStatus.fastStatusUpdateOnce(), { place: 'node', daemon: true });
    started('nodeStatus');
    if (has('nodeLeaseController')) {
      const lease = new LeaseController({
        kernel,
        client: kl.api.heartbeatClient,
        nodeName: config.nodeName,
        leaseDurationSeconds: config.nodeLeaseDurationSeconds,
      });
      kernel.go('nodeLease', () => lease.run(), { place: 'lease', daemon: true });
      started('nodeLeaseController');
    }
  }
  if (kl.kubeClient && has('fastStaticPodsRegistration'))
    kernel.go('fastStaticPodsRegistration', () => fastStaticPodsRegistration(kl, ctx), {
      place: 'startup',
      daemon: true,
    });
  kernel.go('updateRuntimeUp', () => runtimeUp.run(), { place: 'runtimeUp', daemon: true });
  if (hasToo('syncNetworkUtil')) frameSync('syncNetworkUtil', undefined, () => syncNetworkUtil(kl));
  else frameSync('initNetworkUtil', undefined, () => initNetworkUtil(kl));
  kl.eraParts.start?.();
  kl.statusManager.start();
  started('statusManager', kl.kubeClient || kl.deps.statusClient ? undefined : 'it only keeps statuses: no API server');
  if (hasToo('probeManager')) started('probeManager');
  if (kl.api && has('runtimeClassManager')) {
    kl.api.startRuntimeClasses(kl.process);
    started('runtimeClassManager');
  }
  kl.pleg.start();
  started('pleg');
  if (kl.eventedPleg) {
    kl.eventedPleg.start();
    started('eventedPleg');
  }
  if (has('healthChecker')) managerState(kernel, 'healthChecker', 'stopped', 'no systemd asks it for signs of life');
  yield* kl.eraParts.syncLoop(kl.podConfig.updates());
}

/** Detail of the records of what makes iptables' rules. */
const noPacketFilter = 'this node has no packet filter: no chain and no rule is made';

/**
 * Neither makes marks in iptables nor watches them, because this node has no packet filter.
 * upstream: pkg/kubelet/kubelet_network_linux.go (*Kubelet).initNetworkUtil
 */
function initNetworkUtil({ kernel }: Pick<RunDeps, 'kernel'>): void {
  managerState(kernel, 'initNetworkUtil', 'stopped', noPacketFilter);
}

/**
 * The same in versions that made all the rules again each minute; here it is called once.
 * upstream: v1.12 pkg/kubelet/kubelet_network_linux.go (*Kubelet).syncNetworkUtil
 */
function syncNetworkUtil({ kernel }: Pick<RunDeps, 'kernel'>): void {
  managerState(kernel, 'syncNetworkUtil', 'stopped', noPacketFilter);
}

/** upstream: pkg/kubelet/kubelet_linux.go (*Kubelet).cgroupVersionCheck */
function* cgroupVersionCheck(
  kl: Pick<RunDeps, 'config' | 'kernel' | 'log' | 'nodeInfo' | 'os' | 'recorder'>,
): Go<void> {
  const { kernel, nodeInfo, recorder, config, log, os } = kl;
  let error = '';
  if (nodeInfo.cgroupVersion === 1) {
    recorder.event(nodeReference(config), 'Warning', 'CgroupV1', cgroupV1Warning, '', 'Node');
    error = cgroupV1Warning;
  } else if ((yield* os.stat('/sys/fs/cgroup')) && !(yield* os.stat('/sys/fs/cgroup/cpu.stat')))
    error = cgroupV2Warning;
  if (error) log.info(2, 'Warning: cgroup check', { error });
  managerState(kernel, 'cgroupVersionCheck', 'done', `cgroupVersion=${nodeInfo.cgroupVersion}`);
}

/**
 * Shows static pods in the API as soon as there is a node to show them on (fidelity 1:C20).
 * upstream: (*Kubelet).fastStaticPodsRegistration
 */
function* fastStaticPodsRegistration(kl: StaticPodsDeps, ctx: Context): Go<void> {
  const { config, log, podManager } = kl;
  for (;;) {
    try {
      yield* kl.nodeStatus.getNode();
      break;
    } catch (err) {
      log.error(err, 'Unable to register mirror pod because node is not registered yet', { node: config.nodeName });
    }
    yield* sleep(100 * Millisecond);
  }
  for (const pod of podManager.getPods())
    if (isStaticPod(pod)) yield* tryReconcileMirrorPods(kl, ctx, pod, podManager.getMirrorPodByPod(pod));
}
