/**
 * The symptoms that programs of a node report, by code: each is a fact that one line states. What caused it, what
 * followed from it and whether it was asked for is concluded from several of them by `debug/incidents`.
 */
export const symptomCodes = [
  // The kubelet's own process, as its log, systemd and the kernel report it.
  'kubelet-cannot-start',
  'kubelet-exited',
  'kubelet-restart-scheduled',
  'unit-failed',
  'panic',
  'oom-kill',
  'clock-jumped',
  // The container runtime and the network plug-in.
  'runtime-down',
  'call-failed',
  'call-timed-out',
  'name-reserved',
  'pleg-unhealthy',
  'network-not-ready',
  'network-setup-failed',
  'network-teardown-failed',
  'sandbox-failed',
  'sandbox-changed',
  'container-create-failed',
  'container-start-failed',
  'kill-failed',
  'image-pull-failed',
  'image-gc-failed',
  // The API server, as the kubelet reaches it.
  'api-unreachable',
  'api-refused',
  'certificate-invalid',
  'node-not-registered',
  'lease-failed',
  // The node.
  'node-not-ready',
  'pressure',
  'eviction-threshold',
  'eviction-ranking',
  'device-failed',
  'gc-failed',
  // Pods.
  'crash-loop',
  'container-exited',
  'probe-failed',
  'hook-failed',
  'sync-failed',
  'admission-refused',
  'deadline-exceeded',
  'evicted',
  'status-refused',
  'terminating',
  'orphaned-pod',
  'pod-recreated',
  'config-missing',
  'volume-not-attached',
  'volume-not-mounted',
  'volume-not-released',
  'resources-failed',
] as const;
export type SymptomCode = (typeof symptomCodes)[number];
