import { type Context, frame, type Go, messageOf } from '../kernel/index.js';
import { featureEnabled } from './features.js';
import type { Kubelet } from './kubelet.js';
import { nodeReference } from './kubelet-node-status.js';
import { ContainerLogManager } from './logs/container-log-manager.js';
import { type OOMStreamer, startOOMWatcher } from './oom/oom-watcher.js';

/** upstream: kubelet.go ContainerLogsDir */
const containerLogsDir = '/var/log/containers';

/** A part begins its work, or could not: for the page, which shows them all. */
export function managerState(
  { kernel }: Pick<Kubelet, 'kernel'>,
  name: string,
  state: 'started' | 'stopped' | 'failed' = 'started',
  detail?: string,
): void {
  kernel.emit({ kind: 'manager', name, state, ...(detail !== undefined && { detail }) });
}

/** A real one ends here, and whoever started it starts it again. upstream: os.Exit(1) */
export function exit(kl: Kubelet, err: unknown): void {
  const { kernel } = kl;
  kl.exited = err as Error;
  // Not from within one of its own goroutines.
  kernel.addTimer(kernel.now(), () => kernel.kill(kl.process, 'stopped'));
}

/** What does not need the runtime; the order is upstream's (row 3:BOOT-05). Throws what keeps the kubelet from running. upstream: pkg/kubelet/kubelet.go (*Kubelet).initializeModules */
export function* initializeModules(kl: Kubelet): Go<void> {
  yield* frame('setupDataDirs', undefined, () => setupDataDirs(kl));
  if (!(yield* kl.os.stat(containerLogsDir)))
    yield* withText(`failed to create directory ${JSON.stringify(containerLogsDir)}`, () =>
      kl.os.mkdirAll(containerLogsDir, 0o755),
    );
  kl.guards.imageGCManager.start();
  managerState(kl, 'imageManager');
  if (kl.deps.oomStreamer) {
    const { kernel, deps, recorder, config } = kl;
    yield* withText('failed to start OOM watcher', () =>
      startOOMWatcher(kernel, deps.oomStreamer as OOMStreamer, recorder, nodeReference(config)),
    );
    managerState(kl, 'oomWatcher');
  }
  if (kl.guards.stats) {
    kl.guards.stats.resourceAnalyzer.start();
    managerState(kl, 'resourceAnalyzer');
  }
}

/** The folders that the kubelet's own things are in (row 3:BOOT-06). upstream: pkg/kubelet/kubelet.go (*Kubelet).setupDataDirs */
function* setupDataDirs({ os, config }: Kubelet): Go<void> {
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

/** upstream: filepath.Clean, of an absolute path */
function cleanPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/** What needs the runtime: once, when it is well the first time (row 3:BOOT-08). upstream: pkg/kubelet/kubelet.go (*Kubelet).initializeRuntimeDependentModules */
export function* initializeRuntimeDependentModules(kl: Kubelet, ctx: Context): Go<void> {
  const { kernel, config, os, services, log } = kl;
  managerState(kl, 'cadvisor', 'started', "the host's own figures stand in for it");
  // One look, as upstream takes it for the capacity of ephemeral storage.
  yield* kl.deps.hostStats?.root() ?? nothing();
  try {
    yield* kl.nodeStatus.getNodeAnyWay();
  } catch (err) {
    log.error(err, 'Kubelet failed to get node info');
    exit(kl, err);
    return;
  }
  try {
    yield* kl.containerManager.start(ctx);
    managerState(kl, 'containerManager');
  } catch (err) {
    managerState(kl, 'containerManager', 'failed', messageOf(err));
    log.error(err, 'Failed to start ContainerManager');
    exit(kl, err);
    return;
  }
  kl.guards.startEvictionManager();
  managerState(
    kl,
    'evictionManager',
    kl.guards.stats ? 'started' : 'stopped',
    kl.guards.stats ? undefined : 'nobody measures this node',
  );
  new ContainerLogManager({ kernel, config, os, runtimeService: services }).start();
  managerState(kl, 'containerLogManager');
  log.info(4, 'Starting plugin manager');
  managerState(kl, 'pluginManager', 'started', 'without handlers: no CSI drivers, no device or DRA plug-ins');
  try {
    if (yield* kl.guards.shutdownManager.start()) managerState(kl, 'shutdownManager');
  } catch (err) {
    // The kubelet can do without.
    managerState(kl, 'shutdownManager', 'failed', messageOf(err));
    log.error(err, 'Failed to start node shutdown manager');
  }
}

function* nothing(): Go<void> {}
