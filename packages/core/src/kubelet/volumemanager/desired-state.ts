import type { Pod, Volume } from '../../api/types.js';
import { messageOf } from '../../base/index.js';
import type { VolumePluginMgr } from '../volume/plugins.js';
import type { VolumePlugin } from '../volume/types.js';

/** A volume that a pod wants. upstream: operationexecutor.VolumeToMount */
export interface VolumeToMount {
  /** `kubernetes.io/empty-dir/<uid>-<name>` */
  readonly volumeName: string;
  readonly uid: string;
  readonly pod: Pod;
  readonly spec: Volume;
  readonly plugin: VolumePlugin;
}

/** upstream: pkg/volume/util GetUniqueVolumeNameFromSpecWithPod */
export const uniqueVolumeName = (plugin: string, uid: string, name: string): string => `${plugin}/${uid}-${name}`;

/**
 * Keeps the volumes that should be mounted for each pod.
 * upstream: pkg/kubelet/volumemanager/cache DesiredStateOfWorld
 */
export class DesiredStateOfWorld {
  /** uid -> unique name -> volume. */
  private readonly pods = new Map<string, Map<string, VolumeToMount>>();
  private readonly podErrors = new Map<string, Set<string>>();
  constructor(private readonly plugins: VolumePluginMgr) {}

  /**
   * Replaces a pod that is already there. Throws if no plug-in takes the volume.
   * upstream: AddPodToVolume
   */
  addPodToVolume(pod: Pod, spec: Volume): void {
    let plugin: VolumePlugin;
    try {
      plugin = this.plugins.findPluginBySpec(spec);
    } catch (err) {
      throw new Error(
        `failed to get Plugin from volumeSpec for volume ${JSON.stringify(spec.name)} err=${messageOf(err)}`,
      );
    }
    const { uid } = pod.metadata;
    const volumeName = uniqueVolumeName(plugin.name, uid, spec.name);
    const volumes = this.pods.get(uid) ?? new Map<string, VolumeToMount>();
    this.pods.set(uid, volumes);
    volumes.set(volumeName, { volumeName, uid, pod, spec, plugin });
  }

  /** upstream: DeletePodFromVolume */
  deletePodFromVolume(uid: string, volumeName: string): void {
    const volumes = this.pods.get(uid);
    volumes?.delete(volumeName);
    if (volumes?.size === 0) this.pods.delete(uid);
    this.podErrors.delete(uid);
  }

  /** upstream: PodExistsInVolume */
  podExistsInVolume(uid: string, volumeName: string): boolean {
    return this.pods.get(uid)?.has(volumeName) ?? false;
  }
  /** upstream: VolumeExistsWithSpecName */
  volumeExistsWithSpecName(uid: string, name: string): boolean {
    return this.ofPod(uid).some((v) => v.spec.name === name);
  }
  /** upstream: GetVolumesToMount */
  *volumesToMount(): IterableIterator<VolumeToMount> {
    for (const volumes of this.pods.values()) yield* volumes.values();
  }
  ofPod(uid: string): VolumeToMount[] {
    return [...(this.pods.get(uid)?.values() ?? [])];
  }
  get empty(): boolean {
    return this.pods.size === 0;
  }
  has(uid: string): boolean {
    return this.pods.has(uid);
  }

  /** upstream: AddErrorToPod */
  addErrorToPod(uid: string, text: string): void {
    const errors = this.podErrors.get(uid) ?? new Set();
    this.podErrors.set(uid, errors.add(text));
  }
  /** Takes them away. upstream: PopPodErrors */
  popPodErrors(uid: string): string[] {
    const errors = [...(this.podErrors.get(uid) ?? [])].sort();
    this.podErrors.delete(uid);
    return errors;
  }
  hasErrors(uid: string): boolean {
    return this.podErrors.has(uid);
  }
  podsWithErrors(): string[] {
    return [...this.podErrors.keys()];
  }
}
