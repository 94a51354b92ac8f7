/**
 * TypeScript types of the API's objects as JSON, inferred from the declarations in objects/, and the names that logs
 * and the trace give to pods. Rooms that only read pods import nothing else of this folder.
 */
import type { Container } from './objects/container.js';
import type { PodSpec } from './objects/pod-spec.js';
import type { PodCondition, PodStatus } from './objects/pod-status.js';

export type {
  Container,
  ContainerPort,
  ContainerRestartRule,
  EnvFromSource,
  EnvVar,
  EphemeralContainer,
  ResourceRequirements,
  VolumeMount,
} from './objects/container.js';
export type { ObjectMeta } from './objects/meta.js';
export type { Pod } from './objects/pod.js';
export type { PodSpec } from './objects/pod-spec.js';
export type {
  ContainerState,
  ContainerStateRunning,
  ContainerStateTerminated,
  ContainerStateWaiting,
  ContainerStatus,
  PodCondition,
  PodStatus,
} from './objects/pod-status.js';
export type {
  ExecAction,
  HTTPGetAction,
  LifecycleHandler,
  Probe,
  TCPSocketAction,
} from './objects/probe.js';
export type { Toleration } from './objects/scheduling.js';
export type { PodSecurityContext, SELinuxOptions, SeccompProfile, SecurityContext } from './objects/security.js';
export type { DownwardAPIVolumeFile, KeyToPath, Volume, VolumeProjection } from './objects/volume.js';

/** RFC 3339, whole seconds, UTC. upstream: metav1.Time */
export type Time = string;
/** Quantities as text ("100m", "64Mi"). */
export type ResourceList = Record<string, string>;
export type IntOrString = number | string;
export type RestartPolicy = NonNullable<PodSpec['restartPolicy']>;
export type PullPolicy = NonNullable<Container['imagePullPolicy']>;
export type PodPhase = NonNullable<PodStatus['phase']>;
export type ConditionStatus = PodCondition['status'];

/** `namespace/name`. upstream: klog.KObj */
export const kObj = (pod: { metadata: { name: string; namespace: string } }): string =>
  pod.metadata.namespace ? `${pod.metadata.namespace}/${pod.metadata.name}` : pod.metadata.name;

/** `name_namespace`. upstream: kubecontainer.GetPodFullName */
export const getPodFullName = (pod: { metadata: { name: string; namespace: string } }): string =>
  `${pod.metadata.name}_${pod.metadata.namespace}`;

/** `name_namespace(uid)`. upstream: format.Pod */
export const formatPod = (pod: { metadata: { name: string; namespace: string; uid: string } }): string =>
  `${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})`;

/** Returns the pod's name and UID as trace records have them. */
export const podRef = (pod: {
  metadata: { name: string; namespace: string; uid: string };
}): { pod: string; uid: string } => ({ pod: kObj(pod), uid: pod.metadata.uid });
