import { Minute, Second } from '../kernel/index.js';
import type { Micros } from '../trace/index.js';

/** upstream: pkg/kubelet/apis/config KubeletConfiguration, the fields this product acts on. Durations in Micros. */
export interface KubeletConfig {
  nodeName: string;
  rootDirectory: string;
  podLogsDir: string;
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
  containerLogMaxSizeBytes: number;
  containerLogMaxFiles: number;
  /** Memory that hard eviction keeps free of pods, bytes. upstream: evictionHard memory.available */
  evictionHardMemoryBytes?: number;
  /** Sysctls that pods may set though they are not safe; `*` at the end for all that begin so. */
  allowedUnsafeSysctls?: readonly string[];
  /**
   * Paced mode: most calls at a time that make the runtime work (see cri-paced.ts). 0 or missing: no bound, as upstream,
   * which has no such field.
   */
  runtimeConcurrency?: number;
  /** By upstream's names; anything absent stands at its v1.36 default. */
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
    evictionHardMemoryBytes: 100 * 1024 * 1024,
    allowedUnsafeSysctls: [],
    featureGates: {},
  };
}
