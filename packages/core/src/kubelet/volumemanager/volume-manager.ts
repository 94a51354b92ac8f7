import { kObj, type Pod } from '../../api/types.js';
import { messageOf } from '../../base/index.js';
import {
  type Chan,
  type Context,
  frame,
  type Go,
  type Kernel,
  Millisecond,
  makeChan,
  recv,
  Second,
  select,
  Timer,
  withTimeout,
} from '../../kernel/index.js';
import type { EventRecorder } from '../events.js';
import { Logger } from '../klog.js';
import type { PodManager } from '../podmanager/types.js';
import { goList } from '../util/go-format.js';
import { VolumePluginMgr } from '../volume/plugins.js';
import type { VolumeHost } from '../volume/types.js';
import { ActualStateOfWorld } from './actual-state.js';
import { DesiredStateOfWorld } from './desired-state.js';
import { OperationExecutor } from './operation-executor.js';
import { PacedLoop } from './paced-loop.js';
import { DesiredStateOfWorldPopulator, type PodStateProvider, podVolumeNames } from './populator.js';
import { Reconciler } from './reconciler.js';

/** upstream: volume_manager.go, the constants of the same names */
const reconcilerLoopSleepPeriod = 100 * Millisecond;
const desiredStateOfWorldPopulatorLoopSleepPeriod = 100 * Millisecond;
const podAttachAndMountTimeout = 123 * Second;
const podAttachAndMountRetryInterval = 300 * Millisecond;

/** A volume that this node cannot take any more. upstream: volumemanager.VolumeAttachLimitExceededError */
export class VolumeAttachLimitExceededError extends Error {}
/** upstream: volumemanager.VolumeAttachmentLimitExceededReason */
export const VolumeAttachmentLimitExceededReason = 'VolumeAttachmentLimitExceeded';

/** A volume that containers may mount. upstream: container.VolumeInfo */
export interface MountedVolume {
  /** On the node; '' for what the runtime mounts. */
  readonly hostPath: string;
  readonly readOnly: boolean;
  /** The files are to get the container's SELinux label. Default: false. */
  readonly seLinuxRelabel?: boolean;
}

export interface VolumeManagerDeps {
  readonly kernel: Kernel;
  readonly host: VolumeHost;
  readonly recorder: EventRecorder;
  readonly nodeName: string;
  /** `<root>/pods` */
  readonly podsDir: string;
  readonly podManager: Pick<PodManager, 'getPods' | 'getPodByUID'>;
  readonly podStateProvider: PodStateProvider;
  readonly sourcesReady: () => boolean;
  /** Reads the Node from the API server; null in a stand-alone kubelet. */
  readonly getNode: (() => Go<unknown>) | null;
}

/**
 * Mounts what pods want and unmounts what they left: the populator says what should be, the reconciler makes it so, pod
 * workers wait for it. upstream: pkg/kubelet/volumemanager/volume_manager.go VolumeManager
 */
export class VolumeManager {
  private readonly log: Logger;
  private readonly desiredState: DesiredStateOfWorld;
  private readonly actualState: ActualStateOfWorld;
  private readonly populator: DesiredStateOfWorldPopulator;
  private readonly reconciler: Reconciler;
  private readonly populatorLoop: PacedLoop;
  private readonly reconcilerLoop: PacedLoop;
  /** Workers that wait for something to change, by pod. */
  private readonly waiting = new Map<string, Chan<null>>();

  constructor(private readonly deps: VolumeManagerDeps) {
    const { kernel, host, recorder, podManager, podStateProvider, sourcesReady } = deps;
    this.log = new Logger(kernel, 'volume_manager.go');
    const plugins = new VolumePluginMgr(host);
    const desiredState = new DesiredStateOfWorld(plugins);
    const actualState = new ActualStateOfWorld((uid) => void this.waiting.get(uid)?.trySend(null));
    this.desiredState = desiredState;
    this.actualState = actualState;
    this.populator = new DesiredStateOfWorldPopulator({
      kernel,
      podManager,
      podStateProvider,
      desiredState,
      actualState,
      sourcesReady,
    });
    const executor = new OperationExecutor({
      kernel,
      host,
      recorder,
      actualState,
      wake: (at) => this.reconcilerLoop.wake(at),
    });
    this.reconciler = new Reconciler({
      kernel,
      host,
      podsDir: deps.podsDir,
      nodeName: deps.nodeName,
      plugins,
      desiredState,
      actualState,
      executor,
      populatorHasAddedPods: () => this.populator.hasAddedPods(),
      getNode: deps.getNode,
    });
    this.populatorLoop = new PacedLoop(
      kernel,
      'desiredStateOfWorldPopulator',
      desiredStateOfWorldPopulatorLoopSleepPeriod,
      this.populate.bind(this),
    );
    this.reconcilerLoop = new PacedLoop(
      kernel,
      'volumeReconciler',
      reconcilerLoopSleepPeriod,
      this.reconcile.bind(this),
    );
  }

  /** upstream: pkg/kubelet/volumemanager/volume_manager.go (*volumeManager).Run */
  run(): void {
    const log = new Logger(this.deps.kernel, 'desired_state_of_world_populator.go');
    log.info(0, 'Desired state populator starts to run');
    this.populatorLoop.start(desiredStateOfWorldPopulatorLoopSleepPeriod);
    this.populatorLoop.wake();
    this.log.info(2, 'The desired_state_of_world populator starts');
    this.log.info(0, 'Starting Kubelet Volume Manager');
    this.reconcilerLoop.start(0, () => this.reconciler.begin());
    this.reconcilerLoop.wake();
  }

  /** Called when the set of pods may have changed, or the sources are ready now. Upstream looks ten times a second. */
  podsChanged(): void {
    this.populatorLoop.wake();
  }

  private *populate(): Go<void> {
    const more = this.populator.pass();
    if (more) this.populatorLoop.wake();
    for (const [uid, ch] of this.waiting) if (this.desiredState.hasErrors(uid)) ch.trySend(null);
    if (more || !this.desiredState.empty || !this.actualState.empty) this.reconcilerLoop.wake();
  }
  private *reconcile(): Go<void> {
    if (yield* this.reconciler.pass()) this.reconcilerLoop.wake();
  }

  /**
   * Waits until all volumes that the pod's containers mount are there, 2 min 3 s at most, and asks for updates of those
   * that are. Throws with upstream's text what is missing.
   * upstream: pkg/kubelet/volumemanager/volume_manager.go (*volumeManager).WaitForAttachAndMount
   */
  *waitForAttachAndMount(ctx: Context, pod: Pod): Go<void> {
    const { uid } = pod.metadata;
    const expected = [...podVolumeNames(pod)];
    if (expected.length === 0) return;
    yield* frame(
      'WaitForAttachAndMount',
      { pod: kObj(pod), uid, volumes: expected },
      function* (this: VolumeManager): Go<void> {
        this.log.info(3, 'Waiting for volumes to attach and mount for pod', { pod: kObj(pod) });
        this.reprocessPod(uid);
        try {
          yield* this.poll(ctx, uid, () => this.unmountedVolumes(uid, expected).length === 0);
        } catch (err) {
          const unmounted = this.unmountedVolumes(uid, expected);
          if (unmounted.length === 0) return;
          const known = new Set(this.desiredState.ofPod(uid).map((v) => v.spec.name));
          const unknown = expected.filter((name) => !known.has(name)).sort();
          throw new Error(
            `unmounted volumes=${goList(unmounted)}, unattached volumes=[], failed to process volumes=${goList(unknown)}: ${messageOf(err)}`,
            { cause: err },
          );
        }
        this.log.info(3, 'All volumes are attached and mounted for pod', { pod: kObj(pod) });
      }.bind(this),
    );
  }

  /**
   * Waits until none of the pod's volumes is mounted; throws what is.
   * upstream: pkg/kubelet/volumemanager/volume_manager.go (*volumeManager).WaitForUnmount
   */
  *waitForUnmount(ctx: Context, pod: Pod): Go<void> {
    const { uid } = pod.metadata;
    yield* frame(
      'WaitForUnmount',
      { pod: kObj(pod), uid },
      function* (this: VolumeManager): Go<void> {
        this.log.info(3, 'Waiting for volumes to unmount for pod', { pod: kObj(pod) });
        if (this.desiredState.has(uid) || this.actualState.hasPossiblyMountedVolumes(uid)) this.reprocessPod(uid);
        try {
          yield* this.poll(ctx, uid, () => this.actualState.mountedVolumesForPod(uid).length === 0);
        } catch (err) {
          const mounted = this.actualState.mountedVolumesForPod(uid).map((v) => v.volumeName);
          if (mounted.length === 0) return;
          throw new Error(`mounted volumes=${goList(mounted.sort())}: ${messageOf(err)}`, { cause: err });
        }
        this.log.info(3, 'All volumes are unmounted for pod', { pod: kObj(pod) });
      }.bind(this),
    );
  }

  private reprocessPod(uid: string): void {
    this.populator.reprocessPod(uid);
    this.populatorLoop.wake();
  }

  /**
   * Asks at once and every 300 ms, as far as the answer may have changed; throws the pod's stored errors, or that time
   * is up.
   * upstream: wait.PollUntilContextTimeout with verifyVolumesMountedFunc or verifyVolumesUnmountedFunc
   */
  private *poll(ctx: Context, uid: string, done: () => boolean): Go<void> {
    const { kernel } = this.deps;
    const changed = makeChan<null>(kernel, 'volumes changed', 1, { quiet: true });
    const began = kernel.now();
    const [limited, cancel] = withTimeout(kernel, ctx, podAttachAndMountTimeout);
    this.waiting.set(uid, changed);
    try {
      for (;;) {
        const errors = this.desiredState.popPodErrors(uid);
        if (errors.length > 0) throw new Error(errors.join('; '));
        if (done()) return;
        yield* select({ done: recv(limited.done()), changed: recv(changed) });
        const beats = Math.floor((kernel.now() - began) / podAttachAndMountRetryInterval) + 1;
        const timer = new Timer(kernel, began + beats * podAttachAndMountRetryInterval - kernel.now());
        yield* select({ done: recv(limited.done()), poll: recv(timer.c) });
        timer.stop();
        const err = limited.err();
        if (err) throw err;
      }
    } finally {
      cancel();
      if (this.waiting.get(uid) === changed) this.waiting.delete(uid);
    }
  }

  /** upstream: getUnmountedVolumes */
  private unmountedVolumes(uid: string, expected: readonly string[]): string[] {
    const names = new Map(this.desiredState.ofPod(uid).map((v) => [v.spec.name, v.volumeName]));
    return expected
      .filter((name) => {
        const volumeName = names.get(name);
        return volumeName === undefined || !this.actualState.isMounted(volumeName);
      })
      .sort();
  }

  /** Volumes by name, as the pod's spec has them. upstream: GetMountedVolumesForPod */
  getMountedVolumesForPod(uid: string): Map<string, MountedVolume> {
    const out = new Map<string, MountedVolume>();
    for (const { volumeName, spec } of this.desiredState.ofPod(uid)) {
      const mount = this.actualState.get(volumeName)?.mount;
      if (mount?.state !== 'mounted') continue;
      const { path, attributes } = mount.mounter;
      out.set(spec.name, {
        hostPath: path,
        readOnly: attributes.readOnly,
        seLinuxRelabel: attributes.managed && attributes.seLinuxRelabel,
      });
    }
    return out;
  }

  /** upstream: HasPossiblyMountedVolumesForPod */
  hasPossiblyMountedVolumesForPod(uid: string): boolean {
    return this.actualState.hasPossiblyMountedVolumes(uid);
  }
  /** upstream: ReconcilerStatesHasBeenSynced */
  reconcilerStatesHasBeenSynced(): boolean {
    return this.reconciler.statesHasBeenSynced();
  }
}
