import type { Pod, Volume } from '../../api/types.js';
import type { NodeInfo, OSInterface } from '../../host/os.js';
import type { Go, Kernel } from '../../kernel/index.js';
import type { ObjectManagers } from '../client/objects.js';

/** The owner of a volume's files. upstream: pkg/volume MounterArgs */
export interface MounterArgs {
  /** The user of all the pod's containers; null if they differ or none is set. */
  readonly fsUser: number | null;
  readonly fsGroup: number | null;
}

/** upstream: pkg/volume Attributes */
export interface VolumeAttributes {
  readonly readOnly: boolean;
  /** The kubelet may change the SELinux label of the files. */
  readonly managed: boolean;
  readonly seLinuxRelabel: boolean;
}

/** Makes one volume ready for one pod. upstream: pkg/volume Mounter */
export interface VolumeMounter {
  /** The path of the volume on the node; '' if the runtime mounts it. */
  readonly path: string;
  readonly attributes: VolumeAttributes;
  /** Sets up the volume; called again, it brings it up to date. */
  setUp(args: MounterArgs): Go<void>;
}

/** upstream: pkg/volume Unmounter */
export interface VolumeUnmounter {
  tearDown(): Go<void>;
}

/** A kind of volume. upstream: pkg/volume VolumePlugin */
export interface VolumePlugin {
  /** `kubernetes.io/empty-dir` */
  readonly name: string;
  canSupport(spec: Volume): boolean;
  /** True: each sync of the pod brings it up to date. */
  requiresRemount(spec: Volume): boolean;
  newMounter(spec: Volume, pod: Pod): VolumeMounter;
  newUnmounter(volumeName: string, uid: string): VolumeUnmounter;
  /** The parts of a volume that its folder shows after a restart. */
  constructVolumeSpec(volumeName: string): Volume;
}

/** The part of the kubelet that plug-ins use. upstream: pkg/volume VolumeHost, KubeletVolumeHost */
export interface VolumeHost {
  readonly kernel: Kernel;
  readonly os: OSInterface;
  readonly nodeInfo: NodeInfo;
  /** ConfigMaps, Secrets and tokens; null without an API server. */
  readonly objects: ObjectManagers | null;
  /** Returns `<root>/pods/<uid>`. */
  getPodDir(uid: string): string;
}

/** A plug-in's name as the name of a folder. upstream: k8s.io/utils/strings EscapeQualifiedName */
export const escapeQualifiedName = (name: string): string => name.replaceAll('/', '~');
/** upstream: UnescapeQualifiedName */
export const unescapeQualifiedName = (name: string): string => name.replaceAll('~', '/');

/** upstream: kubelet_getters.go getPodVolumeDir, with the plug-in's name escaped */
export const podVolumeDir = (podDir: string, plugin: string, name: string): string =>
  `${podDir}/volumes/${escapeQualifiedName(plugin)}/${name}`;

/** upstream: kubelet_getters.go getPodPluginDir */
export const podPluginDir = (podDir: string, plugin: string): string =>
  `${podDir}/plugins/${escapeQualifiedName(plugin)}`;
