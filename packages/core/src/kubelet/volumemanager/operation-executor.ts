import { containerIter } from '../../api/pod/podutil.js';
import { kObj, type Pod } from '../../api/types.js';
import { formatDuration, messageOf } from '../../base/index.js';
import { frame, type Go, type Kernel, Millisecond, Second } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import { EventReason, type EventRecorder } from '../events.js';
import { Logger } from '../klog.js';
import { metricsOf } from '../metrics/kubelet-metrics.js';
import { cleanSubPaths } from '../volume/subpath.js';
import type { MounterArgs, VolumeHost, VolumePlugin } from '../volume/types.js';
import type { ActualStateOfWorld } from './actual-state.js';
import type { VolumeToMount } from './desired-state.js';

/** upstream: pkg/util/goroutinemap/exponentialbackoff */
const initialDurationBeforeRetry = 500 * Millisecond;
const maxDurationBeforeRetry = 122 * Second;
/** Upstream's loop loses some time at each turn: a beat that falls on the end of a wait comes after it there. */
const loopDrift = Millisecond;

/** Upstream's names, which are the metric's operation_name too. */
type OperationName = 'verify_controller_attached_volume' | 'volume_mount' | 'volume_unmount';

/** A volume that must be removed. upstream: operationexecutor.MountedVolume */
export interface VolumeToUnmount {
  readonly volumeName: string;
  readonly uid: string;
  /** The pod as trace records name it. */
  readonly podName: string;
  /** The volume's own name. upstream: InnerVolumeSpecName */
  readonly name: string;
  readonly plugin: VolumePlugin;
}

interface Pending {
  running: boolean;
  name: OperationName;
  /** After a failure: not again before, Micros. */
  notBefore: Micros;
  wait: Micros;
}

export interface OperationExecutorDeps {
  readonly kernel: Kernel;
  readonly host: VolumeHost;
  readonly recorder: EventRecorder;
  readonly actualState: ActualStateOfWorld;
  /** Called with the time at which a waiting operation may be tried again. */
  readonly wake: (at: Micros) => void;
}

/**
 * Mounts and unmounts in goroutines of their own, one operation per volume at a time. A failed one backs off.
 * upstream: pkg/volume/util/operationexecutor OperationExecutor, nestedpendingoperations
 */
export class OperationExecutor {
  private readonly operations = new Map<string, Pending>();
  private readonly log: Logger;
  private readonly pendingLog: Logger;
  constructor(private readonly deps: OperationExecutorDeps) {
    this.log = new Logger(deps.kernel, 'operation_generator.go');
    this.pendingLog = new Logger(deps.kernel, 'nestedpendingoperations.go');
  }

  /** upstream: IsOperationPending */
  isOperationPending(volumeName: string): boolean {
    return this.operations.get(volumeName)?.running ?? false;
  }

  /**
   * Starts to mark a volume that needs no attaching as attached. Returns false if that cannot begin now.
   * upstream: VerifyControllerAttachedVolume
   */
  verifyControllerAttachedVolume(v: VolumeToMount): boolean {
    return this.start('verify_controller_attached_volume', v.volumeName, ofPod(v), v.plugin.name, v.spec.name, () =>
      this.verify(v),
    );
  }
  private *verify(v: VolumeToMount): Go<void> {
    const { volumeName, uid, spec, plugin } = v;
    this.deps.actualState.markAttached({ volumeName, uid, podName: ofPod(v).pod, spec, plugin });
  }

  /** Mounts a volume; returns false if that is not possible now. upstream: MountVolume */
  mountVolume(v: VolumeToMount, isRemount: boolean): boolean {
    return this.start(
      'volume_mount',
      v.volumeName,
      ofPod(v),
      v.plugin.name,
      v.spec.name,
      () => this.mount(v, isRemount),
      isRemount,
    );
  }

  /**
   * upstream: pkg/volume/util/operationexecutor/operation_generator.go (*operationGenerator).GenerateMountVolumeFunc
   */
  private *mount(v: VolumeToMount, isRemount: boolean): Go<void> {
    const { actualState, recorder } = this.deps;
    const { pod, spec, plugin, volumeName } = v;
    const failed = (what: string, err: unknown) => {
      const why = `: ${messageOf(err)}`;
      recorder.event(pod, 'Warning', EventReason.FailedMountVolume, `${what} for volume ${quoted(spec.name)} ${why}`);
      return new Error(volumeMsg(v, what, why), { cause: err });
    };
    let mounter: ReturnType<VolumePlugin['newMounter']>;
    try {
      mounter = plugin.newMounter(spec, pod);
    } catch (err) {
      throw failed('MountVolume.NewMounter initialization failed', err);
    }
    const args: MounterArgs = { fsUser: fsUserFrom(pod), fsGroup: pod.spec.securityContext?.fsGroup ?? null };
    try {
      yield* frame('SetUp', { ...ofPod(v), volume: spec.name, plugin: plugin.name }, function* () {
        yield* mounter.setUp(args);
      });
    } catch (err) {
      const before = actualState.get(volumeName)?.mount;
      // The folder may hold a mount of an earlier kubelet, which still has to be unmounted.
      if (before?.state === 'uncertain' && !before.reconstructed) actualState.markUnmounted(volumeName);
      throw failed('MountVolume.SetUp failed', err);
    }
    this.log.info(isRemount ? 4 : 1, volumeMsg(v, 'MountVolume.SetUp succeeded', ''), { pod: kObj(pod) });
    actualState.markMount(volumeName, { state: 'mounted', mounter, remountRequired: false, reconstructed: false });
  }

  /** Unmounts a volume; returns false if that is not possible now. upstream: UnmountVolume */
  unmountVolume(v: VolumeToUnmount): boolean {
    const ref = { pod: v.podName, uid: v.uid };
    return this.start('volume_unmount', v.volumeName, ref, v.plugin.name, v.name, () => this.unmount(v));
  }

  /**
   * upstream: pkg/volume/util/operationexecutor/operation_generator.go (*operationGenerator).GenerateUnmountVolumeFunc
   */
  private *unmount(v: VolumeToUnmount): Go<void> {
    const { actualState, host } = this.deps;
    const { volumeName, uid, name, plugin } = v;
    try {
      yield* cleanSubPaths(host.os, host.getPodDir(uid), name);
    } catch (err) {
      throw new Error(unmountMsg(v, 'error cleaning subPath mounts', `: ${messageOf(err)}`), { cause: err });
    }
    try {
      yield* frame('TearDown', { pod: v.podName, uid, volume: name, plugin: plugin.name }, function* () {
        yield* plugin.newUnmounter(name, uid).tearDown();
      });
    } catch (err) {
      const mount = actualState.get(volumeName)?.mount;
      if (mount) actualState.markMount(volumeName, { ...mount, state: 'uncertain' });
      throw new Error(unmountMsg(v, 'UnmountVolume.TearDown failed', `: ${messageOf(err)}`), { cause: err });
    }
    this.log.info(
      0,
      `UnmountVolume.TearDown succeeded for volume ${quoted(volumeName)} pod ${quoted(uid)} (UID: ${quoted(uid)}). InnerVolumeSpecName ${quoted(name)}. PluginName ${quoted(plugin.name)}, VolumeGIDValue ""`,
    );
    actualState.markUnmounted(volumeName);
  }

  /** upstream: (*nestedPendingOperations).Run */
  private start(
    name: OperationName,
    volumeName: string,
    ref: { pod: string; uid: string },
    plugin: string,
    volume: string,
    work: () => Go<void>,
    remount = false,
  ): boolean {
    const { kernel, wake } = this.deps;
    const { operations } = this;
    const before = operations.get(volumeName);
    if (before?.running) return false;
    if (before?.name === name && kernel.now() < before.notBefore - loopDrift) {
      wake(before.notBefore - loopDrift);
      return false;
    }
    const entry: Pending = before?.name === name ? before : { running: true, name, notBefore: 0, wait: 0 };
    entry.running = true;
    operations.set(volumeName, entry);
    const began = kernel.now();
    const record = { kind: 'volume', volume, plugin, op: name, ...(remount && { remount }), ...ref } as const;
    kernel.emit({ ...record, phase: 'start' });
    kernel.go(
      name,
      function* (this: OperationExecutor): Go<void> {
        let error: unknown = null;
        try {
          yield* work();
        } catch (err) {
          error = err;
        }
        metricsOf(kernel).storageOperationDuration.observe((kernel.now() - began) / Second, {
          volume_plugin: plugin,
          operation_name: name,
          status: error === null ? 'success' : 'fail-unknown',
          migrated: 'false',
        });
        kernel.emit({
          ...record,
          phase: 'done',
          took: kernel.now() - began,
          ...(error !== null && { error: messageOf(error) }),
        });
        if (error === null) operations.delete(volumeName);
        else {
          entry.running = false;
          entry.wait = entry.wait === 0 ? initialDurationBeforeRetry : Math.min(entry.wait * 2, maxDurationBeforeRetry);
          entry.notBefore = kernel.now() + entry.wait;
          const until = new Date(kernel.clock.epochMillis + Math.round(entry.notBefore / 1000)).toISOString();
          this.pendingLog.error(
            null,
            `Operation for "{volumeName:${volumeName} podName:${ref.uid} nodeName:}" failed. No retries permitted until ${until.replace('T', ' ').replace('Z', ' +0000 UTC')} (durationBeforeRetry ${formatDuration(entry.wait)}). Error: ${messageOf(error)}`,
          );
        }
        wake(error === null ? kernel.now() : entry.notBefore - loopDrift);
      }.bind(this),
      { place: 'volumes', daemon: true },
    );
    return true;
  }
}

const quoted = (text: string): string => JSON.stringify(text);
const ofPod = (v: VolumeToMount) => ({ pod: `${v.pod.metadata.namespace}/${v.pod.metadata.name}`, uid: v.uid });

/** upstream: (*VolumeToMount).GenerateMsgDetailed */
export const volumeMsg = (v: VolumeToMount, prefix: string, suffix: string): string =>
  `${prefix} for volume ${quoted(v.spec.name)} (UniqueName: ${quoted(v.volumeName)}) pod ${quoted(v.pod.metadata.name)} (UID: ${quoted(v.uid)}) ${suffix}`;

/** upstream: (*MountedVolume).GenerateMsgDetailed */
export const unmountMsg = (v: VolumeToUnmount, prefix: string, suffix: string): string =>
  `${prefix} for volume ${quoted(v.volumeName)} (UniqueName: ${quoted(v.volumeName)}) pod ${quoted(v.uid)} (UID: ${quoted(v.uid)}) ${suffix}`;

/** The user of all containers; null if they differ or one says nothing. upstream: pkg/volume/util FsUserFrom */
export function fsUserFrom(pod: Pod): number | null {
  let user: number | null = null;
  for (const [container] of containerIter(pod.spec)) {
    const own = container.securityContext?.runAsUser ?? pod.spec.securityContext?.runAsUser;
    if (own === undefined || (user !== null && user !== own)) return null;
    user = own;
  }
  return user;
}
