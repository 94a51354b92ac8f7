import { type RpcMethod, rpcMethods, rpcs } from './rpcs.js';

/**
 * RPCs that came after v1.12, by the minor version of Kubernetes whose api.proto has them first. The proto here is
 * newer than v1.36: the last two came after it.
 * upstream: staging/src/k8s.io/cri-api/pkg/apis/runtime/v1alpha2/api.proto, v1/api.proto
 */
const later: { readonly [M in RpcMethod]?: number } = {
  podSandboxStats: 23,
  listPodSandboxStats: 23,
  checkpointContainer: 25,
  getContainerEvents: 25,
  listMetricDescriptors: 26,
  listPodSandboxMetrics: 26,
  runtimeConfig: 28,
  updatePodSandboxResources: 33,
  streamPodSandboxes: 36,
  streamContainers: 36,
  streamContainerStats: 36,
  streamPodSandboxStats: 36,
  streamPodSandboxMetrics: 36,
  streamImages: 36,
  checkpointPod: 37,
  restorePod: 37,
};

/** The minor version of Kubernetes since which the CRI has this RPC; 0 if v1.12 had it. */
export const rpcSince = (method: RpcMethod): number => later[method] ?? 0;

/** The RPCs of a minor version of Kubernetes, in the order of runtime.proto. */
export const rpcsOf = (minor: number): readonly RpcMethod[] => rpcMethods.filter((method) => rpcSince(method) <= minor);

/** How many RPCs a minor version has in each service. */
export function rpcCounts(minor: number): { readonly runtime: number; readonly image: number } {
  const all = rpcsOf(minor);
  const image = all.filter((method) => rpcs[method].service === 'ImageService').length;
  return { runtime: all.length - image, image };
}

/**
 * Versions of the API that the kubelet of a minor version speaks, the one that it prefers first. Up to v1.25 it falls
 * back to v1alpha2 for a runtime that has no v1.
 * upstream: pkg/kubelet/cri/remote/remote_runtime.go (*remoteRuntimeService).determineAPIVersion
 */
export const criVersions = (minor: number): readonly ('v1' | 'v1alpha2')[] =>
  minor <= 22 ? ['v1alpha2'] : minor <= 25 ? ['v1', 'v1alpha2'] : ['v1'];
