import { formatDuration } from '@syncloop/core/base';
import type { NodeInfo } from '@syncloop/core/host';
import type { KubeletConfig } from '@syncloop/core/kubelet';

const pairs = (values: Readonly<Record<string, unknown>> | undefined, sign: string): string =>
  Object.entries(values ?? {})
    .map(([name, value]) => `${name}${sign}${value}`)
    .join(',');
const size = (bytes: number): string => (bytes % 2 ** 20 === 0 ? `${bytes / 2 ** 20}Mi` : String(bytes));

/** The flags of a kubelet that was started with these settings, by name. upstream: cmd/kubelet/app/options */
export const flagsOf = (c: KubeletConfig): Readonly<Record<string, string>> => ({
  'cgroup-driver': c.cgroupDriver,
  'cgroups-per-qos': String(c.cgroupsPerQOS),
  'cluster-dns': `[${c.clusterDNS.join(',')}]`,
  'cluster-domain': c.clusterDomain,
  config: '',
  'container-log-max-files': String(c.containerLogMaxFiles),
  'container-log-max-size': size(c.containerLogMaxSizeBytes),
  'event-burst': String(c.eventBurst),
  'event-qps': String(c.eventRecordQPS),
  'eviction-hard': pairs(c.evictionHard, '<'),
  'eviction-max-pod-grace-period': String(c.evictionMaxPodGracePeriod ?? 0),
  'eviction-minimum-reclaim': pairs(c.evictionMinimumReclaim, '='),
  'eviction-pressure-transition-period': formatDuration(c.evictionPressureTransitionPeriod ?? 300_000_000),
  'eviction-soft': pairs(c.evictionSoft, '<'),
  'eviction-soft-grace-period': pairs(c.evictionSoftGracePeriod, '='),
  'feature-gates': pairs(c.featureGates, '='),
  'file-check-frequency': formatDuration(c.fileCheckFrequency),
  'hostname-override': c.nodeName,
  'image-gc-high-threshold': String(c.imageGCHighThresholdPercent ?? 85),
  'image-gc-low-threshold': String(c.imageGCLowThresholdPercent ?? 80),
  'kube-api-burst': String(c.kubeAPIBurst),
  'kube-api-qps': String(c.kubeAPIQPS),
  'kube-reserved': pairs(c.kubeReserved, '='),
  'local-storage-capacity-isolation': String(c.localStorageCapacityIsolation ?? true),
  'max-pods': String(c.maxPods),
  'minimum-image-ttl-duration': formatDuration(c.imageMinimumGCAge ?? 120_000_000),
  'node-status-update-frequency': formatDuration(c.nodeStatusUpdateFrequency),
  'pod-manifest-path': c.staticPodPath,
  'pod-max-pids': String(c.podPidsLimit ?? -1),
  'pods-per-core': String(c.podsPerCore),
  'register-node': String(c.registerNode),
  'registry-burst': String(c.registryBurst),
  'registry-qps': String(c.registryPullQPS),
  'root-dir': c.rootDirectory,
  'runtime-request-timeout': formatDuration(c.runtimeRequestTimeout),
  'seccomp-default': String(c.seccompDefault),
  'serialize-image-pulls': String(c.serializeImagePulls),
  'sync-frequency': formatDuration(c.syncFrequency),
  'system-reserved': pairs(c.systemReserved, '='),
});

/**
 * Returns the lines of cAdvisor about the machine at a kubelet's start, as far as it is known. upstream: cadvisor
 * manager.New
 */
export const machineLines = (node: NodeInfo): readonly string[] => [
  `Machine: {NumCores:${Math.ceil(node.cpuMillis / 1000)} MemoryCapacity:${node.memoryCapacityBytes} SwapCapacity:${node.swapCapacityBytes ?? 0} HugePages:[${(
    node.hugePages ?? []
  )
    .map(({ pageSizeKB, pages }) => `{PageSize:${pageSizeKB} NumPages:${pages}}`)
    .join(' ')}] MachineID:${node.machineID ?? ''} SystemUUID:${node.systemUUID ?? ''} BootID:${node.bootID ?? ''}}`,
  `Version: {KernelVersion:${node.kernelVersion ?? ''} ContainerOsVersion:${node.osImage ?? ''} DockerVersion: DockerAPIVersion: CadvisorVersion: CadvisorRevision:}`,
];
