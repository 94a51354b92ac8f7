// What must be done to bring a pod from its status to its spec? So far a new sandbox and its containers are started,
// and nothing is started again.
export function computePodActions(pod: Pod, status: PodStatus): PodActions {
  return {
    killPod: status.sandboxChanged,
    createSandbox: status.sandboxChanged,
    initContainersToStart: [],
    containersToStart: status.sandboxChanged ? pod.containers.map((c) => c.name) : [],
    containersToKill: [],
  };
}
