import type { RuntimeCondition, RuntimeStatus } from '../cri/index.js';
import { cgroupDriver as driverOf, isUnimplemented } from '../cri/index.js';
import {
  background,
  type Context,
  frame,
  type Go,
  Millisecond,
  Minute,
  Mutex,
  messageOf,
  Second,
  sleep,
} from '../kernel/index.js';
import type { Json } from '../trace/index.js';
import type { KubeClient } from './client/kube-client.js';
import { EventReason } from './events.js';
import { featureEnabled } from './features.js';
import { ImageGCManager } from './images/image-gc-manager.js';
import { Logger } from './klog.js';
import type { Kubelet } from './kubelet.js';
import { ContainerLogManager } from './logs/container-log-manager.js';
import { syncLoop } from './sync-loop.js';
import { tryReconcileMirrorPods } from './sync-pod.js';
import { isStaticPod } from './types/pod-update.js';

/** upstream: kubelet.go ContainerGCPeriod, ImageGCPeriod */
const ContainerGCPeriod = Minute;
const ImageGCPeriod = 5 * Minute;
const updateRuntimePeriod = 5 * Second;
/** upstream: cm.CgroupV1DeprecatedWarning */
const cgroupV1Warning =
  'cgroup v1 detected. cgroup v1 support is deprecated and will be removed in a future release. Please migrate to cgroup v2. More information at https://git.k8s.io/enhancements/keps/sig-node/5573-remove-cgroup-v1';

/** From the first call to the runtime up to the loop. upstream: cmd/kubelet/app/server.go RunKubelet, kubelet.go Run */
export function* runKubelet(kl: Kubelet): Go<void> {
  const { kernel } = kl;
  const ctx = background;
  try {
    yield* frame('RunKubelet', undefined, () => initialize(kl, ctx));
  } catch (err) {
    new Logger(kernel, 'run.go').error(err, 'command failed');
    exit(kl, err);
    return;
  }
  const images = new ImageGCManager({
    kernel,
    runtime: kl.containerRuntime,
    imageService: kl.services,
    recorder: kl.recorder,
    nodeInfo: kl.nodeInfo,
    nodeName: kl.config.nodeName,
    fsStats: (gcCtx) => imageFsStats(kl, gcCtx),
  });
  const nodeRef = nodeReference(kl);
  kl.recorder.event(nodeRef, 'Normal', 'Starting', 'Starting kubelet.', '', 'Node');
  startGarbageCollection(kl, ctx, images);
  kl.containerDeletor.start();
  new Logger(kernel, 'server.go').info(0, 'Started kubelet');
  kernel.go('syncLoop', () => run(kl, ctx, images));
}

/** Room on the file system of the images, as far as it can be known. upstream: stats/cri_stats_provider.go ImageFsStats */
function* imageFsStats(kl: Kubelet, ctx: Context): Go<{ available: number; capacity: number } | null> {
  const { imageFsCapacityBytes: capacity } = kl.nodeInfo;
  const { fsStats } = kl.deps;
  if (capacity === undefined && !fsStats) return null;
  const [fs] = (yield* kl.services.imageFsInfo(ctx, {})).imageFilesystems ?? [];
  if (!fs) throw new Error('imageFs information is unavailable');
  if (fsStats) return yield* fsStats(fs.fsId?.mountpoint ?? '');
  return { capacity: capacity ?? 0, available: Math.max(0, (capacity ?? 0) - Number(fs.usedBytes?.value ?? 0)) };
}

/** A real one ends here, and whoever started it starts it again. upstream: os.Exit(1) */
function exit(kl: Kubelet, err: unknown): void {
  const { kernel } = kl;
  kl.exited = err as Error;
  // Not from within one of its own goroutines.
  kernel.addTimer(kernel.now(), () => kernel.kill(kl.process, 'stopped'));
}

/** upstream: PreInitRuntimeService, getCgroupDriverFromCRI, NewMainKubelet's own calls */
function* initialize(kl: Kubelet, ctx: Context): Go<void> {
  const { log } = kl;
  if (!kl.deps.kubeClient) log.info(0, 'Kubelet is running in standalone mode, will skip API server sync');
  yield* kl.containerRuntime.initialize(ctx, function* () {
    yield* getCgroupDriverFromCRI(kl, ctx);
    kl.startSources();
  });
  yield* kl.allocated.restore();
  if (featureEnabled(kl.config, 'NodeDeclaredFeatures')) yield* prefetchRuntimeFeatures(kl, ctx);
}

/** What the runtime can do is part of what the node says it can. upstream: within NewMainKubelet */
function* prefetchRuntimeFeatures(kl: Kubelet, ctx: Context): Go<void> {
  try {
    yield* kl.services.status(ctx, {});
  } catch (err) {
    kl.log.info(4, 'Unable to prefetch container runtime features for node declared features', { err: messageOf(err) });
  }
}

/** upstream: cmd/kubelet/app/server.go getCgroupDriverFromCRI */
function* getCgroupDriverFromCRI(kl: Kubelet, ctx: Context): Go<void> {
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

/** The node as Kubernetes Events name it. upstream: nodeRefFromNode */
const nodeReference = ({ config }: Kubelet) => ({
  metadata: { name: config.nodeName, namespace: '', uid: config.nodeName },
});

/** upstream: kubelet.go (*Kubelet).StartGarbageCollection */
function startGarbageCollection(kl: Kubelet, ctx: Context, images: ImageGCManager): void {
  const { kernel, log, recorder } = kl;
  const nodeRef = nodeReference(kl);
  kernel.go(
    'containerGC',
    function* () {
      let failedBefore = false;
      for (;;) {
        try {
          yield* kl.containerRuntime.garbageCollect(ctx, kl.sourcesReady.allReady(), false);
          log.info(failedBefore ? 1 : 4, 'Container garbage collection succeeded');
          failedBefore = false;
        } catch (err) {
          log.error(err, 'Container garbage collection failed');
          recorder.event(nodeRef, 'Warning', EventReason.ContainerGCFailed, messageOf(err), '', 'Node');
          failedBefore = true;
        }
        yield* sleep(ContainerGCPeriod);
      }
    },
    { daemon: true },
  );
  kernel.go(
    'imageGC',
    function* () {
      let failedBefore = false;
      for (;;) {
        try {
          yield* images.garbageCollect(ctx);
          log.info(failedBefore ? 1 : 4, 'Image garbage collection succeeded');
          failedBefore = false;
        } catch (err) {
          if (failedBefore) {
            log.error(err, 'Image garbage collection failed multiple times in a row');
            recorder.event(nodeRef, 'Warning', EventReason.ImageGCFailed, messageOf(err), '', 'Node');
          } else
            log.error(err, 'Image garbage collection failed once. Stats initialization may not have completed yet');
          failedBefore = true;
        }
        yield* sleep(ImageGCPeriod);
      }
    },
    { daemon: true },
  );
}

/** upstream: kubelet.go (*Kubelet).Run */
function* run(kl: Kubelet, ctx: Context, images: ImageGCManager): Go<void> {
  const { kernel, log } = kl;
  if (!kl.deps.statusClient && !kl.deps.kubeClient)
    log.info(0, 'No API server defined - no node status update will be sent');
  try {
    yield* frame('initializeModules', undefined, () => initializeModules(kl, images));
  } catch (err) {
    kl.recorder.event(nodeReference(kl), 'Warning', 'KubeletSetupFailed', messageOf(err), '', 'Node');
    log.error(err, 'Failed to initialize internal modules');
    exit(kl, err);
    return;
  }
  if (kl.nodeInfo.cgroupVersion === 1) {
    kl.recorder.event(nodeReference(kl), 'Warning', 'CgroupV1', cgroupV1Warning, '', 'Node');
    log.info(2, 'Warning: cgroup check', { error: cgroupV1Warning });
  }
  if (kl.deps.kubeClient)
    kernel.go('fastStaticPodsRegistration', () => fastStaticPodsRegistration(kl, ctx), { daemon: true });
  kl.allocationManager.run();
  const updateRuntimeMux = new Mutex(kernel, 'updateRuntimeMux');
  const once = { done: false };
  kernel.go(
    'updateRuntimeUp',
    function* () {
      for (;;) {
        yield* frame('updateRuntimeUp', undefined, () => updateRuntimeUp(kl, ctx, updateRuntimeMux, once));
        yield* sleep(updateRuntimePeriod);
      }
    },
    { daemon: true },
  );
  kl.statusManager.start();
  kl.pleg.start();
  kl.eventedPleg?.start();
  yield* frame('syncLoop', undefined, () => syncLoop(kl, kl.podConfig.updates()));
}

/** Shows static pods in the API as soon as there is a node to show them on (row C20). upstream: (*Kubelet).fastStaticPodsRegistration */
function* fastStaticPodsRegistration(kl: Kubelet, ctx: Context): Go<void> {
  const { config, deps, log, podManager } = kl;
  for (;;) {
    try {
      yield* (deps.kubeClient as KubeClient).getNode(config.nodeName);
      break;
    } catch (err) {
      log.error(err, 'Unable to register mirror pod because node is not registered yet', { node: config.nodeName });
    }
    yield* sleep(100 * Millisecond);
  }
  for (const pod of podManager.getPods())
    if (isStaticPod(pod)) yield* tryReconcileMirrorPods(kl, ctx, pod, podManager.getMirrorPodByPod(pod));
}

/** upstream: pkg/kubelet/kubelet.go (*Kubelet).initializeModules */
function* initializeModules(kl: Kubelet, images: ImageGCManager): Go<void> {
  const { os, config } = kl;
  const root = config.rootDirectory;
  for (const dir of [
    root,
    config.podLogsDir,
    `${root}/pods`,
    `${root}/plugins`,
    `${root}/plugins_registry`,
    `${root}/pod-resources`,
  ])
    yield* os.mkdirAll(dir, 0o750);
  yield* os.mkdirAll(`${root}/checkpoints`, 0o700);
  images.start();
}

/** upstream: pkg/kubelet/kubelet.go (*Kubelet).initializeRuntimeDependentModules */
function* initializeRuntimeDependentModules(kl: Kubelet, ctx: Context): Go<void> {
  const { kernel, config, os, services } = kl;
  // The container manager learns which containers there are; it can do without.
  try {
    yield* services.listPodSandbox(ctx, {});
    yield* services.listContainers(ctx, {});
  } catch {
    // As upstream, which does not even say so.
  }
  new ContainerLogManager({ kernel, config, os, runtimeService: services }).start();
}

/** upstream: pkg/kubelet/kubelet.go (*Kubelet).updateRuntimeUp */
function* updateRuntimeUp(kl: Kubelet, ctx: Context, mutex: Mutex, once: { done: boolean }): Go<void> {
  const { log, runtimeState } = kl;
  yield* mutex.lock();
  try {
    let status: RuntimeStatus | undefined;
    try {
      status = yield* kl.containerRuntime.status(ctx);
    } catch (err) {
      log.error(err, 'Container runtime sanity check failed');
      return;
    }
    if (!status) {
      log.error(null, 'Container runtime status is nil');
      return;
    }
    log.info(4, 'Container runtime status', { status: status as unknown as Json });
    const network = condition(status, 'NetworkReady');
    if (!network?.status) {
      log.info(4, 'Container runtime network not ready', { networkReady: conditionText(network) });
      runtimeState.setNetworkState(new Error(`container runtime network not ready: ${conditionText(network)}`));
    } else runtimeState.setNetworkState(null);
    const ready = condition(status, 'RuntimeReady');
    if (!ready?.status) {
      log.info(4, 'Container runtime not ready', { runtimeReady: conditionText(ready) });
      runtimeState.setRuntimeState(new Error(`container runtime not ready: ${conditionText(ready)}`));
      return;
    }
    runtimeState.setRuntimeState(null);
    if (!once.done) {
      once.done = true;
      yield* frame('initializeRuntimeDependentModules', undefined, () => initializeRuntimeDependentModules(kl, ctx));
    }
    runtimeState.setRuntimeSync(kl.kernel.now());
  } finally {
    runtimeState.trace();
    mutex.unlock();
  }
}

const condition = (status: RuntimeStatus, type: string): RuntimeCondition | undefined =>
  status.conditions?.find((c) => c.type === type);

/** upstream: container/runtime.go (*RuntimeCondition).String */
const conditionText = (c: RuntimeCondition | undefined): string =>
  c ? `${c.type ?? ''}=${c.status ?? false} reason:${c.reason ?? ''} message:${c.message ?? ''}` : '<nil>';
