import { cleanPath, messageOf } from '../base/index.js';
import type { RuntimeService } from '../cri/index.js';
import type { OSInterface } from '../host/os.js';
import type { Kernel } from '../kernel/index.js';
import { type Context, frame, frameSync, type Go } from '../kernel/index.js';
import type { RecordOf } from '../trace/index.js';
import type { ServerCertificateManager } from './builders/certificate.js';
import type { NodeStats } from './builders/stats.js';
import type { ContainerManager } from './cm/container-manager.js';
import type { KubeletConfig } from './config.js';
import type { EventRecorder } from './events.js';
import type { EvictionManager } from './eviction/eviction-manager.js';
import { featureEnabled } from './features.js';
import type { ImageGCManager } from './images/image-gc-manager.js';
import type { Logger } from './klog.js';
import type { KubeletDeps } from './kubelet-deps.js';
import type { NodeStatusManager } from './kubelet-node-status.js';
import { nodeReference } from './kubelet-node-status.js';
import { ContainerLogManager } from './logs/container-log-manager.js';
import { metricsOf } from './metrics/kubelet-metrics.js';
import type { NodeShutdownManager } from './nodeshutdown/node-shutdown-manager.js';
import { type OOMStreamer, startOOMWatcher } from './oom/oom-watcher.js';
import type { PluginManager } from './pluginmanager/plugin-manager.js';

/** upstream: kubelet.go ContainerLogsDir */
const containerLogsDir = '/var/log/containers';

/** Records for the page that a manager started, stopped or failed to start, or that a step of the start is done. */
export function managerState(
  kernel: Kernel,
  name: string,
  state: RecordOf<'manager'>['state'] = 'started',
  detail?: string,
): void {
  kernel.emit({ kind: 'manager', name, state, ...(detail !== undefined && { detail }) });
}

/** The parts of the kubelet that begin without the runtime. */
export interface ModulesDeps {
  readonly kernel: Kernel;
  readonly config: KubeletConfig;
  readonly os: OSInterface;
  readonly recorder: EventRecorder;
  readonly deps: Pick<KubeletDeps, 'oomStreamer'>;
  readonly imageGCManager: Pick<ImageGCManager, 'start'>;
  readonly stats: NodeStats | null;
  readonly serverCertificateManager: ServerCertificateManager | null;
}

/** The parts of the kubelet that start as soon as the runtime is ready. */
export interface RuntimeDependentModulesDeps {
  readonly kernel: Kernel;
  readonly config: KubeletConfig;
  readonly os: OSInterface;
  readonly log: Logger;
  readonly services: RuntimeService;
  readonly deps: Pick<KubeletDeps, 'era' | 'hostStats'>;
  readonly nodeStatus: Pick<NodeStatusManager, 'getNodeAnyWay'>;
  readonly containerManager: Pick<ContainerManager, 'start' | 'pluginRegistrationHandlers'>;
  readonly pluginManager: Pick<PluginManager, 'addHandler' | 'run'> | null;
  readonly evictionManager: Pick<EvictionManager, 'start'>;
  readonly stats: NodeStats | null;
  readonly shutdownManager: Pick<NodeShutdownManager, 'start'>;
  exit(err: unknown): void;
}

/**
 * Starts the modules that do not need the runtime, in upstream's order (fidelity 3:BOOT-05). Throws what keeps the
 * kubelet from running.
 * upstream: pkg/kubelet/kubelet.go (*Kubelet).initializeModules
 */
export function* initializeModules(kl: ModulesDeps): Go<void> {
  frameSync('metrics.Register', undefined, () => registerMetrics(kl));
  managerState(kl.kernel, 'metrics.Register', 'done');
  yield* frame('setupDataDirs', undefined, () => setupDataDirs(kl));
  managerState(kl.kernel, 'setupDataDirs', 'done', kl.config.rootDirectory);
  const made = !(yield* kl.os.stat(containerLogsDir));
  if (made)
    yield* withText(`failed to create directory ${JSON.stringify(containerLogsDir)}`, () =>
      kl.os.mkdirAll(containerLogsDir, 0o755),
    );
  managerState(
    kl.kernel,
    'ContainerLogsDir',
    'done',
    made ? 'made: /var/log/containers' : 'was there: /var/log/containers',
  );
  kl.imageGCManager.start();
  managerState(kl.kernel, 'imageManager');
  const { serverCertificateManager } = kl;
  if (serverCertificateManager) {
    yield* withText('failed to initialize server certificate manager', () => serverCertificateManager.start());
    managerState(kl.kernel, 'serverCertificateManager');
  } else
    managerState(
      kl.kernel,
      'serverCertificateManager',
      'stopped',
      'the server makes its own certificate: serverTLSBootstrap is off',
    );
  if (kl.deps.oomStreamer) {
    const { kernel, deps, recorder, config } = kl;
    yield* withText('failed to start OOM watcher', () =>
      startOOMWatcher(kernel, deps.oomStreamer as OOMStreamer, recorder, nodeReference(config)),
    );
    managerState(kl.kernel, 'oomWatcher');
  }
  if (kl.stats) {
    kl.stats.resourceAnalyzer.start();
    managerState(kl.kernel, 'resourceAnalyzer');
  }
}

/**
 * From here on the metrics say whose they are. The families themselves are there as soon as the process is.
 * upstream: pkg/kubelet/metrics/metrics.go Register
 */
function registerMetrics({ kernel, config }: Pick<ModulesDeps, 'config' | 'kernel'>): void {
  metricsOf(kernel).nodeName.set(1, { node: config.nodeName });
}

/**
 * Makes the kubelet's own folders (fidelity 3:BOOT-06).
 * upstream: pkg/kubelet/kubelet.go (*Kubelet).setupDataDirs
 */
function* setupDataDirs({ os, config }: Pick<ModulesDeps, 'config' | 'os'>): Go<void> {
  const root = config.rootDirectory;
  const cleaned = cleanPath(root);
  if (cleaned !== root) throw new Error(`rootDirectory not in canonical form: expected ${cleaned}, was ${root}`);
  const dirs: [what: string, dir: string, mode: number][] = [
    ['error creating root directory', root, 0o750],
    [`error creating pod logs root directory ${JSON.stringify(config.podLogsDir)}`, config.podLogsDir, 0o750],
    ['error creating pods directory', `${root}/pods`, 0o750],
    ['error creating plugins directory', `${root}/plugins`, 0o750],
    ['error creating plugins registry directory', `${root}/plugins_registry`, 0o750],
    ['error creating podresources directory', `${root}/pod-resources`, 0o750],
  ];
  if (featureEnabled(config, 'ContainerCheckpoint'))
    dirs.push(['error creating checkpoint directory', `${root}/checkpoints`, 0o700]);
  for (const [what, dir, mode] of dirs) yield* withText(what, () => os.mkdirAll(dir, mode));
}

function* withText(what: string, body: () => Go<void>): Go<void> {
  try {
    yield* body();
  } catch (err) {
    throw new Error(`${what}: ${messageOf(err)}`, { cause: err });
  }
}

/**
 * Starts the modules that need the runtime, once, when it is ready for the first time (fidelity 3:BOOT-08).
 * upstream: pkg/kubelet/kubelet.go (*Kubelet).initializeRuntimeDependentModules
 */
export function initializeRuntimeDependentModules(kl: RuntimeDependentModulesDeps, ctx: Context): Go<void> {
  return frame('initializeRuntimeDependentModules', undefined, () => startRuntimeDependentModules(kl, ctx));
}

function* startRuntimeDependentModules(kl: RuntimeDependentModulesDeps, ctx: Context): Go<void> {
  const { kernel, config, os, services, log } = kl;
  managerState(kernel, 'cadvisor', 'started', "the host's own figures stand in for it");
  // Reads the root file system once, as upstream does for the capacity of ephemeral storage.
  yield* kl.deps.hostStats?.root() ?? nothing();
  try {
    yield* kl.nodeStatus.getNodeAnyWay();
  } catch (err) {
    log.error(err, 'Kubelet failed to get node info');
    kl.exit(err);
    return;
  }
  try {
    yield* kl.containerManager.start(ctx);
    managerState(kernel, 'containerManager');
  } catch (err) {
    managerState(kernel, 'containerManager', 'failed', messageOf(err));
    log.error(err, 'Failed to start ContainerManager');
    kl.exit(err);
    return;
  }
  if (kl.stats) kl.evictionManager.start();
  managerState(
    kernel,
    'evictionManager',
    kl.stats ? 'started' : 'stopped',
    kl.stats ? undefined : 'nobody measures this node',
  );
  new ContainerLogManager({ kernel, config, os, runtimeService: services }).start();
  managerState(kernel, 'containerLogManager');
  const ofPlugins = kl.deps.era?.rules.startsToo?.includes('pluginWatcher') ? 'pluginWatcher' : 'pluginManager';
  log.info(4, 'Starting plugin manager');
  const { pluginManager } = kl;
  if (pluginManager) {
    const handlers = kl.containerManager.pluginRegistrationHandlers();
    for (const [type, handler] of handlers) pluginManager.addHandler(type, handler);
    kernel.go('pluginManager', () => pluginManager.run(), { place: 'devices', daemon: true });
    managerState(kernel, ofPlugins, 'started', 'for device plug-ins; no CSI drivers, no DRA plug-ins');
  } else managerState(kernel, ofPlugins, 'started', 'without handlers: no CSI drivers, no device or DRA plug-ins');
  try {
    if (yield* kl.shutdownManager.start()) managerState(kernel, 'shutdownManager');
  } catch (err) {
    // The kubelet can run without it.
    managerState(kernel, 'shutdownManager', 'failed', messageOf(err));
    log.error(err, 'Failed to start node shutdown manager');
  }
}

function* nothing(): Go<void> {}
