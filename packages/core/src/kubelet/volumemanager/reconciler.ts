import { kObj } from '../../api/types.js';
import { messageOf } from '../../base/index.js';
import { frame, type Go, type Kernel } from '../../kernel/index.js';
import { Logger } from '../klog.js';
import type { VolumePluginMgr } from '../volume/plugins.js';
import type { VolumeHost } from '../volume/types.js';
import type { ActualStateOfWorld, AttachedVolume } from './actual-state.js';
import type { DesiredStateOfWorld } from './desired-state.js';
import { type OperationExecutor, unmountMsg, type VolumeToUnmount, volumeMsg } from './operation-executor.js';
import { type PodVolume, reconstructVolumes } from './reconstruct.js';

export interface ReconcilerDeps {
  readonly kernel: Kernel;
  readonly host: VolumeHost;
  readonly podsDir: string;
  readonly nodeName: string;
  readonly plugins: VolumePluginMgr;
  readonly desiredState: DesiredStateOfWorld;
  readonly actualState: ActualStateOfWorld;
  readonly executor: OperationExecutor;
  readonly populatorHasAddedPods: () => boolean;
  /** Reads the Node from the API server; null in a stand-alone kubelet. */
  readonly getNode: (() => Go<unknown>) | null;
}

/** Brings what is mounted towards what should be. upstream: pkg/kubelet/volumemanager/reconciler */
export class Reconciler {
  private volumesFailedReconstruction: PodVolume[] = [];
  private needsNodeStatus = false;
  private synced = false;
  private readonly log: Logger;
  private readonly commonLog: Logger;
  private readonly reconstructLog: Logger;
  constructor(private readonly deps: ReconcilerDeps) {
    this.log = new Logger(deps.kernel, 'reconciler.go');
    this.commonLog = new Logger(deps.kernel, 'reconciler_common.go');
    this.reconstructLog = new Logger(deps.kernel, 'reconstruct.go');
  }

  /** upstream: StatesHasBeenSynced */
  statesHasBeenSynced(): boolean {
    return this.synced;
  }

  /** Called before the first pass. */
  *begin(): Go<void> {
    const { host, podsDir, plugins, actualState } = this.deps;
    const { failed, reconstructed } = yield* reconstructVolumes(host, podsDir, plugins, actualState);
    this.volumesFailedReconstruction = failed;
    this.needsNodeStatus = reconstructed > 0;
    this.log.info(0, 'Reconciler: start to sync state');
  }

  /** Makes one pass. Returns true if something is left for the next pass to retry. */
  *pass(): Go<boolean> {
    return yield* frame('reconcile', undefined, () => this.reconcile());
  }

  /** upstream: pkg/kubelet/volumemanager/reconciler/reconciler.go (*reconciler).reconcile */
  private *reconcile(): Go<boolean> {
    // A volume found on disk may belong to a pod that is not known yet.
    const readyToUnmount = this.deps.populatorHasAddedPods() && !this.needsNodeStatus;
    if (readyToUnmount) this.unmountVolumes();
    this.mountOrAttachVolumes();
    if (readyToUnmount) {
      this.unmountDetachDevices();
      this.cleanOrphanVolumes();
    }
    const waited = this.needsNodeStatus;
    if (this.needsNodeStatus) yield* this.updateReconstructedFromNodeStatus();
    if (!this.needsNodeStatus) this.synced = true;
    return waited;
  }

  /** upstream: unmountVolumes */
  private unmountVolumes(): void {
    const { actualState, desiredState, executor } = this.deps;
    for (const volume of actualState.all()) {
      if (!volume.mount || executor.isOperationPending(volume.volumeName)) continue;
      if (desiredState.podExistsInVolume(volume.uid, volume.volumeName)) continue;
      const v = toUnmount(volume);
      if (executor.unmountVolume(v))
        this.commonLog.info(0, unmountMsg(v, 'operationExecutor.UnmountVolume started', ''));
    }
  }

  /** upstream: mountOrAttachVolumes */
  private mountOrAttachVolumes(): void {
    const { actualState, desiredState, executor } = this.deps;
    for (const v of desiredState.volumesToMount()) {
      if (executor.isOperationPending(v.volumeName)) continue;
      const kv = { pod: kObj(v.pod) };
      const there = actualState.get(v.volumeName);
      if (!there) {
        if (executor.verifyControllerAttachedVolume(v))
          this.commonLog.info(0, volumeMsg(v, 'operationExecutor.VerifyControllerAttachedVolume started', ''), kv);
        continue;
      }
      const mounted = there.mount?.state === 'mounted';
      const isRemount = mounted && there.mount?.remountRequired === true;
      if (mounted && !isRemount) continue;
      if (executor.mountVolume(v, isRemount) && !isRemount)
        this.commonLog.info(1, volumeMsg(v, 'operationExecutor.MountVolume started', ''), kv);
    }
  }

  /** upstream: unmountDetachDevices */
  private unmountDetachDevices(): void {
    const { actualState, desiredState, executor, nodeName } = this.deps;
    for (const { volumeName, uid, spec, mount } of actualState.all()) {
      if (mount || desiredState.podExistsInVolume(uid, volumeName) || executor.isOperationPending(volumeName)) continue;
      actualState.markDetached(volumeName);
      this.commonLog.info(
        0,
        `Volume detached for volume ${JSON.stringify(spec.name)} (UniqueName: ${JSON.stringify(volumeName)}) on node ${JSON.stringify(nodeName)} DevicePath ""`,
      );
    }
  }

  /** Unmounts, once, volumes that could not be reconstructed, unless a pod wants them. upstream: cleanOrphanVolumes */
  private cleanOrphanVolumes(): void {
    if (this.volumesFailedReconstruction.length === 0) return;
    const { desiredState, plugins, executor } = this.deps;
    for (const { uid, name, pluginName } of this.volumesFailedReconstruction) {
      const kv = { podName: uid, volumeSpecName: name };
      if (desiredState.volumeExistsWithSpecName(uid, name)) {
        this.reconstructLog.info(4, 'Volume exists in desired state, skip cleaning up mounts', kv);
        continue;
      }
      this.reconstructLog.info(0, 'Cleaning up mounts for volume that could not be reconstructed', kv);
      const v = { volumeName: name, uid, podName: uid, name };
      try {
        executor.unmountVolume({ ...v, plugin: plugins.findPluginByName(pluginName) });
      } catch (err) {
        const text = `UnmountVolume.FindPluginByName failed for volume ${JSON.stringify(name)} (UniqueName: ${JSON.stringify(name)}) pod ${JSON.stringify(uid)} (UID: ${JSON.stringify(uid)}) : ${messageOf(err)}`;
        this.reconstructLog.error(new Error(text), 'volumeHandler.UnmountVolumeHandler for UnmountVolume failed', kv);
      }
    }
    this.reconstructLog.info(2, 'Orphan volume cleanup finished');
    this.volumesFailedReconstruction = [];
  }

  /**
   * Reads the Node object, which lists the volumes that another controller attaches; none of these plug-ins has such
   * volumes.
   * upstream: updateReconstructedFromNodeStatus
   */
  private *updateReconstructedFromNodeStatus(): Go<void> {
    const { getNode } = this.deps;
    if (!getNode) {
      this.reconstructLog.info(2, 'Skipped reconstruction of DevicePaths from node.status in standalone mode');
      this.needsNodeStatus = false;
      return;
    }
    try {
      yield* getNode();
    } catch (err) {
      this.reconstructLog.info(4, 'Failed to get Node status to reconstruct device paths', { err: messageOf(err) });
      return;
    }
    this.reconstructLog.info(2, 'DevicePaths of reconstructed volumes updated');
    this.needsNodeStatus = false;
  }
}

const toUnmount = ({ volumeName, uid, podName, spec, plugin }: AttachedVolume): VolumeToUnmount => ({
  volumeName,
  uid,
  podName,
  name: spec.name,
  plugin,
});
