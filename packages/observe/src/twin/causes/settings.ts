/** Settings and feature gates of a kubelet that change its decisions. */

/** A setting of the kubelet that changes its decisions, with values that people give it. */
interface SettingRow {
  readonly name: string;
  /** The default of a kubelet, as a scenario writes it. */
  readonly usual: string | number | boolean;
  readonly values: readonly (string | number | boolean)[];
  /** Fits the JSON of the differences that it makes. */
  readonly says: RegExp;
}
export const settings: readonly SettingRow[] = [
  {
    name: 'maxContainerRestartPeriod',
    usual: '300s',
    values: ['1s', '10s', '30s', '60s', '300s'],
    says: /CrashLoopBackOff|delaySeconds|back-off \d/,
  },
  {
    name: 'serializeImagePulls',
    usual: true,
    values: [false, true],
    says: /PullImage|Pulling|Pulled|CreateContainer/,
  },
  { name: 'maxPods', usual: 110, values: [1, 2, 5, 10], says: /OutOfpods|AdmissionError|RunPodSandbox/ },
  { name: 'syncFrequency', usual: '60s', values: ['10s', '30s', '300s'], says: /sync/ },
  { name: 'seccompDefault', usual: false, values: [true, false], says: /seccomp/ },
  {
    name: 'runtimeRequestTimeout',
    usual: '120s',
    values: ['10s', '30s', '900s'],
    says: /DeadlineExceeded|context deadline/,
  },
  { name: 'cpuCFSQuota', usual: true, values: [false, true], says: /cpuQuota|cpuPeriod/ },
  { name: 'podPidsLimit', usual: -1, values: [100, 1024, 4096], says: /pids/i },
];

/** Feature gates that change decisions, with the versions' default of v1.36. */
export const gates: readonly { readonly name: string; readonly usual: boolean; readonly says: RegExp }[] = [
  { name: 'EventedPLEG', usual: false, says: /Container(Started|Died)/ },
  { name: 'ReduceDefaultCrashLoopBackOffDecay', usual: false, says: /CrashLoopBackOff|delaySeconds|back-off \d/ },
  { name: 'KubeletCrashLoopBackOffMax', usual: true, says: /CrashLoopBackOff|delaySeconds|back-off \d/ },
  { name: 'PodReadyToStartContainersCondition', usual: true, says: /PodReadyToStartContainers|condition/ },
  { name: 'PodObservedGenerationTracking', usual: true, says: /observedGeneration/ },
];
