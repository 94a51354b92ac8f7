/** The purpose of each numbered step of a sync, in English: by the call, then by the name of the step. */
import type { Steps } from './why.js';

const status =
  'It computes the status anew from what the runtime reports of the containers: phase, conditions, a state for each.';
const setStatus =
  'The status manager takes the status into its cache and writes it to the API server later; the worker does not wait for that.';
const killPod =
  'All containers are stopped at the same time, each within its grace period; then the sandbox is stopped.';

export const stepsEn: Steps = {
  SyncPod: {
    'resize condition':
      'If the resources of running containers are being changed in place, the pod gets the condition PodResizeInProgress; else it loses it.',
    generateAPIPodStatus: status,
    'pod IPs': 'The addresses that the runtime gave to the sandbox are noted for the steps that follow.',
    'terminal check':
      'A pod whose phase is Succeeded or Failed has ended: its status is kept, and nothing of it is started.',
    'pending termination': 'A pod whose killing has begun is not started any more.',
    canRunPod: 'Soft admission: a pod that may not run on this node now is blocked, and looked at again later.',
    SetPodStatus: setStatus,
    kill: 'A pod that is deleted, failed or not admitted is killed, and the sync ends here.',
    'kill what should not run': 'A pod that is deleted, failed or not admitted is killed, and the sync ends here.',
    'network check':
      'Without a ready network only pods of the host network may start; for any other one the sync fails and is tried again.',
    'register secrets and configmaps':
      'From now on the kubelet watches the Secrets and ConfigMaps that the pod refers to.',
    'pod cgroup':
      'The cgroup of the pod bounds what all its containers together may use. It must exist before the first of them.',
    'mirror pod':
      'A static pod has a copy on the API server, so that kubectl shows it. For other pods there is nothing to do.',
    'data directories': 'Directories for the pod, its volumes and its plugins are created below /var/lib/kubelet/pods.',
    volumes:
      'The worker waits here, for up to 2 min 3 s, until the volume manager has attached and mounted all volumes of the pod.',
    'pull secrets': 'The Secrets of imagePullSecrets are read: they hold the credentials for the registry.',
    probes: 'The probe manager gets a worker for each probe that the containers have.',
    'container runtime':
      'The work itself: kuberuntime compares what runs with the spec, and drives the runtime over the CRI.',
    'reason cache':
      'Why a container could not be started is kept for the next status, as ImagePullBackOff or CrashLoopBackOff.',
  },
  SyncTerminatingPod: {
    generateAPIPodStatus: status,
    SetPodStatus: setStatus,
    'stop liveness and startup probes':
      'A container that ends must not be restarted by its probes. Readiness is probed on.',
    killPod,
    'remove probes': 'Nothing runs any more, so nothing is probed any more.',
    'read final state': 'The runtime is asked once more, so that exit codes and times of the end are not lost.',
    'generateAPIPodStatus, terminal': status,
    'SetPodStatus, terminal': 'With this status the world learns that no container of the pod runs.',
  },
  SyncTerminatingRuntimePod: { killPod },
  SyncTerminatedPod: {
    generateAPIPodStatus: status,
    SetPodStatus: setStatus,
    'unmount volumes': 'The worker waits until the volume manager has unmounted all volumes of the pod.',
    'volume paths': 'It waits until no directory of a volume is left on the disk.',
    'unregister secrets and configmaps': 'The kubelet no longer watches the Secrets and ConfigMaps of the pod.',
    'destroy cgroup': 'The cgroup of the pod is removed; what is left in it is killed first.',
    'release user namespace': 'The range of user ids that the pod had is free for others.',
    TerminatePod: 'The status manager may now delete the pod from the API server.',
  },
  'kuberuntime.SyncPod': {
    'compute sandbox and container changes':
      'computePodActions decides what the following steps do: whether to kill, whether a sandbox is needed, what to start.',
    'kill pod': 'If the sandbox is not usable any more, what is left of the pod is stopped first.',
    'kill unwanted containers': 'Containers that failed a probe, or whose spec has changed, are stopped.',
    'create sandbox':
      'RunPodSandbox makes the network namespace and the pause process, which all containers of the pod share.',
    'sandbox ready callback':
      'The pod gets the condition PodReadyToStartContainers at once, not only with the next sync.',
    'start ephemeral container': 'A debug container is started once, however far the pod is, and never restarted.',
    'start init container': 'Init containers run one after the other; this is the next one.',
    'resize running containers': 'Limits and requests of running containers are changed without restarting them.',
    'start container': 'For each container that is to run: a look at its back-off, then startContainer.',
  },
  startContainer: {
    'pull image':
      'EnsureImageExists: whether the registry is asked depends on imagePullPolicy and on what is on the node.',
    'create container': 'CreateContainer gives the whole configuration to the runtime. No process runs yet.',
    'start container': 'StartContainer starts the process. From now on the container runs.',
    'postStart hook': 'The worker waits for the hook. If it fails, the container is killed.',
  },
};
