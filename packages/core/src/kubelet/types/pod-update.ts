import type { Pod } from '../../api/types.js';

/** upstream: pkg/kubelet/types/pod_update.go, constants.go */
export const ConfigSourceAnnotationKey = 'kubernetes.io/config.source';
export const ConfigMirrorAnnotationKey = 'kubernetes.io/config.mirror';
export const ConfigFirstSeenAnnotationKey = 'kubernetes.io/config.seen';
export const ConfigHashAnnotationKey = 'kubernetes.io/config.hash';

/** Names of the sources. upstream: pod_update.go FileSource, HTTPSource, ApiserverSource */
export const FileSource = 'file';
export const HTTPSource = 'http';
export const ApiserverSource = 'api';

/** upstream: pod_update.go PodOperation. Upstream numbers them ADD 0, DELETE 1, REMOVE 2, UPDATE 3, RECONCILE 4. */
export type PodOperation = 'ADD' | 'DELETE' | 'REMOVE' | 'UPDATE' | 'RECONCILE';

/** One message on configCh: what became of some pods of one source. upstream: pod_update.go PodUpdate */
export interface PodUpdate {
  readonly op: PodOperation;
  readonly source: string;
  readonly pods: readonly Pod[];
}

type Annotated = { metadata: { annotations?: Record<string, string> } };

/**
 * Returns true if the pod comes from a file or URL, false without a source annotation.
 * upstream: pod_update.go IsStaticPod
 */
export function isStaticPod(pod: Annotated | undefined): boolean {
  const source = pod?.metadata.annotations?.[ConfigSourceAnnotationKey];
  return source !== undefined && source !== ApiserverSource;
}

/** Returns true if the pod is the API's picture of a static pod. upstream: pod_update.go IsMirrorPod */
export function isMirrorPod(pod: Annotated): boolean {
  return pod.metadata.annotations?.[ConfigMirrorAnnotationKey] !== undefined;
}

/** upstream: pod_update.go IsCriticalPod: static pods, mirrors, and system-critical priorities. */
export function isCriticalPod(pod: Pod): boolean {
  return isStaticPod(pod) || isMirrorPod(pod) || (pod.spec.priority ?? 0) >= 2_000_000_000;
}
