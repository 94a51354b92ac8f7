import type { CSINodeObject } from '../../api/cluster-types.js';
import { messageOf } from '../../base/index.js';
import { background, frame, type Go, type Kernel, Millisecond, Second, sleep } from '../../kernel/index.js';
import { isNotFound, type KubeClient } from '../client/kube-client.js';
import { Logger } from '../klog.js';
import type { RuntimeState } from '../runtime-state.js';
import { jitter } from '../util/jitter.js';

/** upstream: core/v1 MigratedPluginsAnnotationKey */
const migratedPluginsAnnotation = 'storage.alpha.kubernetes.io/migrated-plugins';
/**
 * In-tree plug-ins whose volumes are CSI drivers' now, sorted.
 * upstream: csi_plugin.go (*csiPlugin).Init migratedPlugins
 */
const migratedPlugins = [
  'kubernetes.io/aws-ebs',
  'kubernetes.io/azure-disk',
  'kubernetes.io/azure-file',
  'kubernetes.io/cinder',
  'kubernetes.io/gce-pd',
  'kubernetes.io/portworx-volume',
  'kubernetes.io/vsphere-volume',
].join(',');

/** The dependencies of {@link initializeCSINode}. */
export interface CSINodeDeps {
  readonly kernel: Kernel;
  readonly client: Pick<KubeClient, 'getNode' | 'getCSINode' | 'createCSINode' | 'deleteCSINode' | 'updateCSINode'>;
  readonly nodeName: string;
  readonly runtimeState: Pick<RuntimeState, 'setStorageState'>;
  /** Called when the CSINode could not be made: the kubelet ends, to be started again. upstream: klog.Fatalf */
  readonly fatal: (err: Error) => void;
}

/**
 * Keeps the node from being Ready until its CSINode exists, from which the scheduler knows the node's volume drivers.
 * It starts a goroutine, and is called only if there is a client. upstream: pkg/volume/csi/csi_plugin.go
 * initializeCSINode
 */
export function initializeCSINode(deps: CSINodeDeps): void {
  const { kernel, runtimeState } = deps;
  const log = new Logger(kernel, 'csi_plugin.go');
  runtimeState.setStorageState(new Error('CSINode is not yet initialized'));
  kernel.go(
    'initializeCSINode',
    function* () {
      yield* waitForAPIServer(deps, log);
      // Six tries within 140 s.
      const done = yield* exponentialBackoff(kernel, 6, 30 * Millisecond, 8, function* () {
        log.info(4, 'Initializing migrated drivers on CSINode');
        try {
          yield* frame('InitializeCSINodeWithAnnotation', undefined, () => initializeWithAnnotation(deps));
        } catch (err) {
          const why = new Error(`failed to initialize CSINode: ${messageOf(err)}`);
          runtimeState.setStorageState(why);
          log.error(null, `Failed to initialize CSINode: ${messageOf(err)}`);
          return false;
        }
        runtimeState.setStorageState(null);
        return true;
      });
      if (done) return;
      const err = new Error('Failed to initialize CSINode after retrying: timed out waiting for the condition');
      log.error(null, err.message);
      deps.fatal(err);
    },
    { place: 'startup', daemon: true },
  );
}

/** upstream: waitForAPIServerForever */
function* waitForAPIServer({ client, nodeName }: CSINodeDeps, log: Logger): Go<void> {
  for (;;) {
    try {
      yield* client.getCSINode(background, nodeName);
      return;
    } catch (err) {
      if (isNotFound(err)) return;
      log.info(2, `Failed to contact API server when waiting for CSINode publishing: ${messageOf(err)}`);
    }
    yield* sleep(Second);
  }
}

/**
 * Tries again with longer and longer waits; returns false after the last try.
 * upstream: wait.ExponentialBackoff with jitter 0.1
 */
function* exponentialBackoff(
  kernel: Kernel,
  steps: number,
  first: number,
  factor: number,
  body: () => Go<boolean>,
): Go<boolean> {
  let duration = first;
  for (let i = 0; i < steps; i++) {
    if (yield* body()) return true;
    if (i < steps - 1) yield* sleep(jitter(kernel, duration, 0.1));
    duration *= factor;
  }
  return false;
}

/**
 * Makes the CSINode in at most four tries.
 * upstream: pkg/volume/csi/nodeinfomanager/nodeinfomanager.go (*nodeInfoManager).InitializeCSINodeWithAnnotation
 */
function* initializeWithAnnotation(deps: CSINodeDeps): Go<void> {
  const log = new Logger(deps.kernel, 'nodeinfomanager.go');
  let last: unknown = null;
  const done = yield* exponentialBackoff(deps.kernel, 4, 10 * Millisecond, 5, function* () {
    try {
      yield* tryInitialize(deps, log);
      return true;
    } catch (err) {
      last = err;
      log.info(2, `Failed to publish CSINode: ${messageOf(err)}`);
      return false;
    }
  });
  if (!done)
    throw new Error(
      `error updating CSINode annotation: timed out waiting for the condition; caused by: ${messageOf(last)}`,
    );
}

/** upstream: tryInitializeCSINodeWithAnnotation */
function* tryInitialize({ client, nodeName }: CSINodeDeps, log: Logger): Go<void> {
  const { metadata: node } = yield* client.getNode(nodeName);
  const newNodeID = node.uid ?? '';
  let found: CSINodeObject;
  try {
    found = yield* client.getCSINode(background, nodeName);
  } catch (err) {
    if (!isNotFound(err)) throw err;
    yield* client.createCSINode(background, {
      metadata: {
        name: nodeName,
        annotations: { [migratedPluginsAnnotation]: migratedPlugins },
        ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: nodeName, uid: newNodeID }],
      },
      spec: { drivers: [] },
    });
    return;
  }
  const owners = (found.metadata.ownerReferences ?? []).filter((o) => o.kind === 'Node');
  if (!owners.some((o) => o.name === nodeName && o.uid === newNodeID)) {
    const ids = `(oldNodeID=${JSON.stringify(owners.at(-1)?.uid ?? '')}, newNodeID=${JSON.stringify(newNodeID)})`;
    const name = JSON.stringify(nodeName);
    log.info(2, `existing CSINode ${name} is owned by different node ${ids}, cleaning up...`);
    try {
      yield* client.deleteCSINode(background, nodeName);
    } catch (err) {
      throw new Error(`error deleting existing CSINode ${name}: ${messageOf(err)}`, { cause: err });
    }
    // The next attempt creates a new one.
    throw new Error(`CSINode ${name} was owned by different node ${ids}, deleted it`);
  }
  const there = (found.metadata.annotations?.[migratedPluginsAnnotation] ?? '').split(',').sort().join(',');
  if (there === migratedPlugins) return;
  yield* client.updateCSINode(background, {
    ...found,
    metadata: {
      ...found.metadata,
      annotations: { ...found.metadata.annotations, [migratedPluginsAnnotation]: migratedPlugins },
    },
  });
}
