import { containerIter } from '../../api/pod/podutil.js';
import { kObj, type Pod } from '../../api/types.js';
import { messageOf } from '../../base/index.js';
import { frameSync, type Kernel } from '../../kernel/index.js';
import { Logger } from '../klog.js';
import type { PodManager } from '../podmanager/types.js';
import type { ActualStateOfWorld } from './actual-state.js';
import type { DesiredStateOfWorld } from './desired-state.js';

/** The part of the pod workers that the volume manager asks. upstream: volumemanager podStateProvider */
export interface PodStateProvider {
  shouldPodContainersBeTerminating(uid: string): boolean;
  shouldPodRuntimeBeRemoved(uid: string): boolean;
}

export interface PopulatorDeps {
  readonly kernel: Kernel;
  readonly podManager: Pick<PodManager, 'getPods' | 'getPodByUID'>;
  readonly podStateProvider: PodStateProvider;
  readonly desiredState: DesiredStateOfWorld;
  readonly actualState: ActualStateOfWorld;
  readonly sourcesReady: () => boolean;
}

/** Names of the volumes that some container mounts, or maps as a device. upstream: pkg/volume/util GetPodVolumeNames */
export function podVolumeNames(pod: Pod): Set<string> {
  const names = new Set<string>();
  for (const [container] of containerIter(pod.spec))
    for (const { name } of [...(container.volumeMounts ?? []), ...(container.volumeDevices ?? [])]) names.add(name);
  return names;
}

/** From pods to the volumes they want. upstream: populator/desired_state_of_world_populator.go */
export class DesiredStateOfWorldPopulator {
  /** False: it has to be processed again. upstream: processedPods */
  private readonly processedPods = new Map<string, boolean>();
  private addedPods = false;
  private readonly log: Logger;
  constructor(private readonly deps: PopulatorDeps) {
    this.log = new Logger(deps.kernel, 'desired_state_of_world_populator.go');
  }

  /** Returns true once a pass since all sources were ready has looked at all pods. upstream: HasAddedPods */
  hasAddedPods(): boolean {
    return this.addedPods;
  }
  /** upstream: ReprocessPod */
  reprocessPod(uid: string): void {
    this.processedPods.set(uid, false);
  }

  /**
   * Makes one pass, and the start of Run. Returns true if there is something for the next one.
   * upstream: pkg/kubelet/volumemanager/populator/desired_state_of_world_populator.go
   * (*desiredStateOfWorldPopulator).populatorLoop
   */
  pass(): boolean {
    const done = this.addedPods || this.deps.sourcesReady();
    const again = frameSync('populatorLoop', undefined, () => {
      const left = this.findAndAddNewPods();
      this.findAndRemoveDeletedPods();
      return left;
    });
    if (done && !this.addedPods) {
      this.addedPods = true;
      this.log.info(0, 'Finished populating initial desired state of world');
      return true;
    }
    return again;
  }

  /** upstream: findAndAddNewPods */
  private findAndAddNewPods(): boolean {
    const { podManager, podStateProvider } = this.deps;
    let again = false;
    for (const pod of podManager.getPods()) {
      const { uid } = pod.metadata;
      if (this.processedPods.get(uid)) continue;
      // After a restart its containers may run still, and use the volumes.
      if (
        this.addedPods
          ? podStateProvider.shouldPodContainersBeTerminating(uid)
          : podStateProvider.shouldPodRuntimeBeRemoved(uid)
      )
        continue;
      if (!this.processPodVolumes(pod)) again = true;
    }
    return again;
  }

  /** Looks at a pod's volumes; returns false if the next pass is to look at it again. upstream: processPodVolumes */
  private processPodVolumes(pod: Pod): boolean {
    const { desiredState, actualState } = this.deps;
    const { uid } = pod.metadata;
    const used = podVolumeNames(pod);
    let allVolumesAdded = true;
    for (const volume of pod.spec.volumes ?? []) {
      const kv = { pod: kObj(pod), volumeName: volume.name };
      if (!used.has(volume.name)) {
        this.log.info(4, 'Skipping unused volume', kv);
        continue;
      }
      const claim = volume.persistentVolumeClaim;
      if (claim || volume.ephemeral) {
        const name = claim?.claimName ?? `${pod.metadata.name}-${volume.name}`;
        const text = `error processing PVC ${pod.metadata.namespace}/${name}: failed to fetch PVC from API server: this kubelet has no persistent volumes`;
        this.log.error(new Error(text), 'Error processing volume', kv);
        desiredState.addErrorToPod(uid, text);
        allVolumesAdded = false;
        continue;
      }
      try {
        desiredState.addPodToVolume(pod, volume);
        this.log.info(4, 'Added volume to desired state', { ...kv, volumeSpecName: volume.name });
      } catch (err) {
        this.log.error(err, 'Failed to add volume to desiredStateOfWorld', { ...kv, volumeSpecName: volume.name });
        desiredState.addErrorToPod(uid, messageOf(err));
        allVolumesAdded = false;
      }
    }
    if (allVolumesAdded) {
      this.processedPods.set(uid, true);
      actualState.markRemountRequired(uid);
      desiredState.popPodErrors(uid);
      return true;
    }
    // The pod's worker reprocesses it at each sync, which is often enough.
    if (!this.processedPods.has(uid)) return false;
    this.processedPods.set(uid, true);
    return true;
  }

  /** Removes only volumes that no container can use any more. upstream: findAndRemoveDeletedPods */
  private findAndRemoveDeletedPods(): void {
    const { podManager, podStateProvider, desiredState, actualState } = this.deps;
    const wanted = new Set<string>();
    for (const { uid, pod, volumeName, spec } of [...desiredState.volumesToMount()]) {
      wanted.add(uid);
      const podExists = podManager.getPodByUID(uid) !== undefined;
      if (!podStateProvider.shouldPodRuntimeBeRemoved(uid)) {
        if (!podExists)
          this.log.info(
            4,
            'Pod still has one or more containers in the non-exited state and will not be removed from desired state',
            { pod: kObj(pod) },
          );
        continue;
      }
      const kv = { pod: kObj(pod), podUID: uid, volumeName: spec.name };
      if (podExists && !actualState.get(volumeName)?.mount) continue;
      this.log.info(4, 'Removing volume from desired state', kv);
      desiredState.deletePodFromVolume(uid, volumeName);
      this.processedPods.delete(uid);
    }
    for (const uid of [...this.processedPods.keys()])
      if (!wanted.has(uid) && !podManager.getPodByUID(uid) && podStateProvider.shouldPodRuntimeBeRemoved(uid))
        this.processedPods.delete(uid);
    for (const uid of desiredState.podsWithErrors()) if (!podManager.getPodByUID(uid)) desiredState.popPodErrors(uid);
  }
}
