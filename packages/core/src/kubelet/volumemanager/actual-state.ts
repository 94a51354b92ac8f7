import type { Volume } from '../../api/types.js';
import type { VolumeMounter, VolumePlugin } from '../volume/types.js';

/**
 * A volume that is there for a pod.
 * upstream: cache attachedVolume with its one mountedPod: no plug-in here shares a volume among pods
 */
export interface AttachedVolume {
  readonly volumeName: string;
  readonly uid: string;
  /** The pod by name; its uid if only a folder reports it. */
  readonly podName: string;
  readonly spec: Volume;
  readonly plugin: VolumePlugin;
  readonly mount: PodMount | null;
}
export interface PodMount {
  /** Uncertain: it may be mounted or not, or half. upstream: VolumeMounted, VolumeMountUncertain */
  readonly state: 'mounted' | 'uncertain';
  readonly mounter: VolumeMounter;
  readonly remountRequired: boolean;
  /** Found on disk after a restart, and not set up since. */
  readonly reconstructed: boolean;
}

/**
 * Keeps the volumes that are mounted, as far as is known.
 * upstream: pkg/kubelet/volumemanager/cache ActualStateOfWorld
 */
export class ActualStateOfWorld {
  private readonly volumes = new Map<string, AttachedVolume>();
  private readonly byPod = new Map<string, Set<string>>();
  /** `changed` is called with each pod whose volumes change. */
  constructor(private readonly changed: (uid: string) => void) {}

  get(volumeName: string): AttachedVolume | undefined {
    return this.volumes.get(volumeName);
  }
  get empty(): boolean {
    return this.volumes.size === 0;
  }
  /** upstream: GetAttachedVolumes */
  all(): AttachedVolume[] {
    return [...this.volumes.values()];
  }
  private ofPod(uid: string): AttachedVolume[] {
    return [...(this.byPod.get(uid) ?? [])].map((name) => this.volumes.get(name) as AttachedVolume);
  }
  private put(volume: AttachedVolume): void {
    this.volumes.set(volume.volumeName, volume);
    const names = this.byPod.get(volume.uid) ?? new Set();
    this.byPod.set(volume.uid, names.add(volume.volumeName));
    this.changed(volume.uid);
  }

  /** Marks a volume as attached to the node but not mounted for the pod yet. upstream: MarkVolumeAsAttached */
  markAttached(volume: Omit<AttachedVolume, 'mount'>): void {
    this.put({ ...volume, mount: this.volumes.get(volume.volumeName)?.mount ?? null });
  }
  /** upstream: MarkVolumeAsDetached */
  markDetached(volumeName: string): void {
    const volume = this.volumes.get(volumeName);
    if (!volume) return;
    this.volumes.delete(volumeName);
    const names = this.byPod.get(volume.uid);
    names?.delete(volumeName);
    if (names?.size === 0) this.byPod.delete(volume.uid);
    this.changed(volume.uid);
  }
  /** upstream: MarkVolumeAsMounted, MarkVolumeMountAsUncertain, CheckAndMarkVolumeAsUncertainViaReconstruction */
  markMount(volumeName: string, mount: PodMount): void {
    const volume = this.volumes.get(volumeName);
    if (volume) this.put({ ...volume, mount });
  }
  /** upstream: MarkVolumeAsUnmounted */
  markUnmounted(volumeName: string): void {
    const volume = this.volumes.get(volumeName);
    if (volume) this.put({ ...volume, mount: null });
  }
  /** Marks what each sync brings up to date. upstream: MarkRemountRequired */
  markRemountRequired(uid: string): void {
    for (const volume of this.ofPod(uid))
      if (volume.mount && volume.plugin.requiresRemount(volume.spec))
        this.volumes.set(volume.volumeName, { ...volume, mount: { ...volume.mount, remountRequired: true } });
  }

  /** upstream: GetMountedVolumeForPod, GetMountedVolumesForPod */
  isMounted(volumeName: string): boolean {
    return this.volumes.get(volumeName)?.mount?.state === 'mounted';
  }
  mountedVolumesForPod(uid: string): AttachedVolume[] {
    return this.ofPod(uid).filter((v) => v.mount?.state === 'mounted');
  }
  /** Returns true if a volume is mounted, or may be. upstream: GetPossiblyMountedVolumesForPod, PodHasMountedVolumes */
  hasPossiblyMountedVolumes(uid: string): boolean {
    return this.ofPod(uid).some((v) => v.mount !== null);
  }
  /** upstream: VolumeExistsWithSpecName */
  volumeExistsWithSpecName(uid: string, name: string): boolean {
    return this.ofPod(uid).some((v) => v.spec.name === name);
  }
}
