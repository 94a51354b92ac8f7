import type { Taint } from '../api/cluster-types.js';
import { Minute, Second } from '../kernel/index.js';
import type { Micros } from '../trace/index.js';
import type { FeatureSpec } from './features.js';

/** Values that are constants of the kubelet's source: no configuration has them, only what-if runs of a scenario. */
export interface KubeletConstants {
  /** The time from one relist of the generic PLEG to the next. upstream: genericPlegRelistPeriod */
  readonly genericPlegRelistPeriod?: Micros;
  /** Events that have room on the PLEG's channel. */
  readonly plegChannelCapacity?: number;
  /** The first back-off of a container that crashes; each further one is twice as long. */
  readonly initialCrashLoopBackOff?: Micros;
}

/** upstream: pkg/kubelet/apis/config KubeletConfiguration, the fields this product acts on. Durations in Micros. */
export interface KubeletConfig {
  nodeName: string;
  rootDirectory: string;
  podLogsDir: string;
  /** Serves files below /var/log, and queries for logs of services. Off if absent, unlike upstream's first one. */
  enableSystemLogHandler?: boolean;
  enableSystemLogQuery?: boolean;
  /** Manifest file or folder; '' for none. */
  staticPodPath: string;
  staticPodURL: string;
  syncFrequency: Micros;
  fileCheckFrequency: Micros;
  httpCheckFrequency: Micros;
  runtimeRequestTimeout: Micros;
  nodeStatusUpdateFrequency: Micros;
  maxPods: number;
  cgroupDriver: 'cgroupfs' | 'systemd';
  cgroupRoot: string;
  cgroupsPerQOS: boolean;
  clusterDNS: readonly string[];
  clusterDomain: string;
  hostnameOverride: string;
  serializeImagePulls: boolean;
  maxParallelImagePulls: number | null;
  registryPullQPS: number;
  registryBurst: number;
  seccompDefault: boolean;
  /** Longest back-off between restarts. upstream: crashLoopBackOff.maxContainerRestartPeriod */
  maxContainerRestartPeriod: Micros;
  /** Missing: as in the source. */
  constants?: KubeletConstants;
  containerLogMaxSizeBytes: number;
  containerLogMaxFiles: number;
  /** Thresholds by signal, such as `100Mi` or `10%`. Missing: upstream's defaults (eviction/defaults.ts). */
  evictionHard?: Readonly<Record<string, string>>;
  evictionSoft?: Readonly<Record<string, string>>;
  /** By signal, as Go writes durations; every soft threshold has one. */
  evictionSoftGracePeriod?: Readonly<Record<string, string>>;
  evictionMinimumReclaim?: Readonly<Record<string, string>>;
  /** The time that a pressure condition stays after it was last seen. */
  evictionPressureTransitionPeriod?: Micros;
  /** Seconds that a soft eviction gives a pod at most. */
  evictionMaxPodGracePeriod?: number;
  /** Defaults apply to the signals that `evictionHard` does not name. */
  mergeDefaultEvictionSettings?: boolean;
  /** Pods are held to their limits of local storage. Default: true. */
  localStorageCapacityIsolation?: boolean;
  /** Default: pods. */
  enforceNodeAllocatable?: readonly string[];
  imageGCHighThresholdPercent?: number;
  imageGCLowThresholdPercent?: number;
  imageMinimumGCAge?: Micros;
  /** 0: images do not grow too old. */
  imageMaximumGCAge?: Micros;
  /**
   * The time that all pods together have when the node goes down; 0 with shutdownGracePeriodByPodPriority empty: nobody
   * waits for them.
   */
  shutdownGracePeriod?: Micros;
  /** Part of it that critical pods have, at the end. */
  shutdownGracePeriodCriticalPods?: Micros;
  /** Replaces the two periods above with one for each priority. */
  shutdownGracePeriodByPodPriority?: readonly {
    readonly priority: number;
    readonly shutdownGracePeriodSeconds: number;
  }[];
  /** Memory that hard eviction keeps free of pods, bytes. upstream: evictionHard memory.available */
  evictionHardMemoryBytes?: number;
  /** Port of the kubelet's main server, as the node's status shows it. */
  port: number;
  /** 0: no bound but maxPods. */
  podsPerCore: number;
  /** Ask for a Node object if there is an API server. upstream: registerNode */
  registerNode: boolean;
  registerWithTaints: readonly Taint[];
  /** Laid over the node's own labels at registration. */
  nodeLabels: Readonly<Record<string, string>>;
  /** One address, or one of each family; if empty it is detected. 0.0.0.0 or :: only choose the family. */
  nodeIPs: readonly string[];
  /** Provider id of the machine in a cloud; '' for none. */
  providerID: string;
  /** Longest time between two reports of an unchanged node. */
  nodeStatusReportFrequency: Micros;
  nodeLeaseDurationSeconds: number;
  /** Requests a second to the API server, and how many at once before that counts. 0 or less: no bound. */
  kubeAPIQPS: number;
  kubeAPIBurst: number;
  /** The same for events. */
  eventRecordQPS: number;
  eventBurst: number;
  /** Most images that the node reports; -1 for all. */
  nodeStatusMaxImages: number;
  enableControllerAttachDetach: boolean;
  /** Refuse to start on a host with cgroup v1. */
  failCgroupV1: boolean;
  /** Quantities by resource name: what the node keeps for itself. */
  kubeReserved: Readonly<Record<string, string>>;
  systemReserved: Readonly<Record<string, string>>;
  /** Cgroups that the node's own parts are in, to be limited where enforceNodeAllocatable says so. */
  kubeReservedCgroup?: string;
  systemReservedCgroup?: string;
  /** Most process ids of a pod; -1 or missing: no bound. */
  podPidsLimit?: number;
  /** False: CPU limits are not enforced. Default: true. */
  cpuCFSQuota?: boolean;
  /** Microseconds. Default: 100 ms; another needs gate CustomCPUCFSQuotaPeriod. */
  cpuCFSQuotaPeriod?: Micros;
  /** The pods that need credentials for an image that is present. Default: NeverVerifyPreloadedImages. */
  imagePullCredentialsVerificationPolicy?:
    | 'NeverVerify'
    | 'NeverVerifyPreloadedImages'
    | 'NeverVerifyAllowlistedImages'
    | 'AlwaysVerify';
  /** Image names without tag, or ending in a slash and an asterisk; for NeverVerifyAllowlistedImages. */
  preloadedImagesVerificationAllowlist?: readonly string[];
  /** Sysctls that pods may set though they are not safe; `*` at the end for all that begin so. */
  allowedUnsafeSysctls?: readonly string[];
  /**
   * Paced mode: most calls at a time that make the runtime work (see cri-paced.ts). 0 or missing: no bound, as
   * upstream, which has no such field.
   */
  runtimeConcurrency?: number;
  /**
   * Such as "1.33": the rules of that version apply if they differ and a twin needs them, see emulation.ts. Missing:
   * 1.36. Gates stay as they are.
   */
  emulatedVersion?: string;
  /** The gates of the version that runs; set by the kubelet. Missing: those of v1.36. */
  eraFeatures?: ReadonlyMap<string, FeatureSpec>;
  /** By upstream's names; an absent gate has its v1.36 default. */
  featureGates: Readonly<Record<string, boolean>>;
}

/** upstream: pkg/kubelet/apis/config/v1beta1/defaults.go */
export function defaultKubeletConfig(): KubeletConfig {
  return {
    nodeName: 'node1',
    rootDirectory: '/var/lib/kubelet',
    podLogsDir: '/var/log/pods',
    staticPodPath: '',
    staticPodURL: '',
    syncFrequency: Minute,
    fileCheckFrequency: 20 * Second,
    httpCheckFrequency: 20 * Second,
    runtimeRequestTimeout: 2 * Minute,
    nodeStatusUpdateFrequency: 10 * Second,
    maxPods: 110,
    cgroupDriver: 'cgroupfs',
    cgroupRoot: '',
    cgroupsPerQOS: true,
    clusterDNS: [],
    clusterDomain: '',
    hostnameOverride: '',
    serializeImagePulls: true,
    maxParallelImagePulls: null,
    registryPullQPS: 5,
    registryBurst: 10,
    seccompDefault: false,
    maxContainerRestartPeriod: 300 * Second,
    containerLogMaxSizeBytes: 10 * 1024 * 1024,
    containerLogMaxFiles: 5,
    evictionPressureTransitionPeriod: 5 * Minute,
    evictionMaxPodGracePeriod: 0,
    mergeDefaultEvictionSettings: false,
    localStorageCapacityIsolation: true,
    enforceNodeAllocatable: ['pods'],
    imageGCHighThresholdPercent: 85,
    imageGCLowThresholdPercent: 80,
    imageMinimumGCAge: 2 * Minute,
    imageMaximumGCAge: 0,
    shutdownGracePeriod: 0,
    shutdownGracePeriodCriticalPods: 0,
    shutdownGracePeriodByPodPriority: [],
    evictionHardMemoryBytes: 100 * 1024 * 1024,
    port: 10250,
    podsPerCore: 0,
    registerNode: true,
    registerWithTaints: [],
    nodeLabels: {},
    nodeIPs: [],
    providerID: '',
    nodeStatusReportFrequency: 5 * Minute,
    nodeLeaseDurationSeconds: 40,
    kubeAPIQPS: 50,
    kubeAPIBurst: 100,
    eventRecordQPS: 50,
    eventBurst: 100,
    nodeStatusMaxImages: 50,
    enableControllerAttachDetach: true,
    failCgroupV1: true,
    kubeReserved: {},
    systemReserved: {},
    allowedUnsafeSysctls: [],
    featureGates: {},
  };
}
