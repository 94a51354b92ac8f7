/** The kubelet: made with newKubelet on a kernel, given a runtime, a file system and a few facts. */
export type { PodAdmitAttributes, PodAdmitHandler, PodAdmitResult } from './admission/types.js';
export { Reflector } from './client/reflector.js';
export { RestClient, withRetry } from './client/rest-client.js';
export { RestKubeClient } from './client/rest-kube-client.js';
export type { CgroupFS } from './cm/cgroup-manager.js';
export { CgroupsInMemory } from './cm/cgroups-in-memory.js';
export { cpuSharesToWeight, cpuWeightToShares, hugePageUnitSize, type ResourceConfig } from './cm/helpers.js';
export { applyDefaults, tryDecodeSinglePod } from './config/common.js';
export type { SourceUpdate } from './config/mux.js';
export { defaultKubeletConfig, type KubeletConfig } from './config.js';
export type { ExecPlugin } from './credentialprovider/plugin.js';
export { type CredentialProvider, parseCredentialProviderConfig } from './credentialprovider/plugin-config.js';
export { newInstrumentedServices } from './cri-instrumented.js';
export {
  availableEras,
  defaultEra,
  type EraVersion,
  eraVersions,
  loadEra,
  loadEras,
  nearestEra,
} from './era/index.js';
export { EventReason, EventRecorder } from './events.js';
export { parseThresholdConfig, type ThresholdConfig } from './eviction/thresholds.js';
export { featureEnabled, validateFeatureGates } from './features.js';
export { type KeysAndValues, Logger } from './klog.js';
export { Kubelet, newKubelet } from './kubelet.js';
export type { KubeletDeps } from './kubelet-deps.js';
export type { ShutdownSignal } from './nodeshutdown/node-shutdown-manager.js';
export type { OOMInstance, OOMStreamer } from './oom/oom-watcher.js';
export { kmsgMessage, OOMParser } from './oom/parse-kmsg.js';
export type { MirrorPodClient } from './podmanager/mirror-client.js';
export type {
  AllocatableResources,
  ContainerDevices,
  ContainerMemory,
  ContainerResources,
  PodResources,
  PodResourcesLister,
} from './podresources/types.js';
export type { WorkerSnapshot } from './podworkers/types.js';
export type { HostCgroup, HostFileSystem, HostStats, HostUsage, InterfaceStats, Summary } from './stats/types.js';
export type { StatusClient } from './status/types.js';
export {
  ApiserverSource,
  FileSource,
  HTTPSource,
  isMirrorPod,
  isStaticPod,
  type PodUpdate,
} from './types/pod-update.js';
export { printableURL } from './util/printable-url.js';
export { kubeletVersion } from './version.js';
