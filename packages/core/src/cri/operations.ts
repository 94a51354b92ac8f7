/** Names that do not follow from the method's. upstream: pkg/kubelet/kuberuntime/instrumented_services.go */
const known = new Map(
  Object.entries({
    RunPodSandbox: 'run_podsandbox',
    StopPodSandbox: 'stop_podsandbox',
    RemovePodSandbox: 'remove_podsandbox',
    PodSandboxStatus: 'podsandbox_status',
    ListPodSandbox: 'list_podsandbox',
    PodSandboxStats: 'podsandbox_stats',
    ListPodSandboxStats: 'list_podsandbox_stats',
    ListPodSandboxMetrics: 'list_podsandbox_metrics',
    UpdatePodSandboxResources: 'update_podsandbox_resources',
    UpdateContainerResources: 'update_container',
    // Upstream's client streams below the counting.
    StreamPodSandboxes: 'list_podsandbox',
    StreamContainers: 'list_containers',
    StreamContainerStats: 'list_container_stats',
    StreamPodSandboxStats: 'list_podsandbox_stats',
    StreamPodSandboxMetrics: 'list_podsandbox_metrics',
    StreamImages: 'list_images',
  }),
);

/** `CreateContainer` as `create_container`: the label under which the kubelet counts its calls. */
export const operationType = (method: string): string =>
  known.get(method) ?? method.replace(/(?<=[a-z])[A-Z]/g, (c) => `_${c}`).toLowerCase();
