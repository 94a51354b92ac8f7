import { isRestartableInitContainer } from '../../api/pod/podutil.js';
import type { Container, Pod } from '../../api/types.js';
import type { Go, Kernel } from '../../kernel/index.js';
import type { ResourceDeviceInstances } from '../cm/devicemanager/types.js';
import { metricsOf } from '../metrics/kubelet-metrics.js';
import type {
  AllocatableResources,
  ContainerDevices,
  ContainerResources,
  PodResources,
  PodResourcesLister,
} from './types.js';

export interface PodResourcesDeps {
  readonly kernel: Kernel;
  readonly getActivePods: () => readonly Pod[];
  /** Returns all pods that the kubelet knows, also those that ended. */
  readonly getPods: () => readonly Pod[];
  readonly getPodByName: (namespace: string, name: string) => Pod | undefined;
  /** Gate KubeletPodResourcesListUseActivePods. */
  readonly useActivePods: boolean;
  readonly devices: {
    getDevices(podUID: string, containerName: string): ResourceDeviceInstances;
    getAllocatableDevices(): ResourceDeviceInstances;
    updateAllocatedDevices(): void;
  };
}

/**
 * The answers of the pod resources API v1.
 * upstream: pkg/kubelet/apis/podresources/server_v1.go v1PodResourcesServer
 */
export class PodResourcesServer implements PodResourcesLister {
  constructor(private readonly deps: PodResourcesDeps) {}

  /** upstream: pkg/kubelet/apis/podresources/server_v1.go (*v1PodResourcesServer).List */
  *list(): Go<readonly PodResources[]> {
    const { getActivePods, getPods, useActivePods, devices } = this.deps;
    this.count('list');
    const pods = useActivePods ? getActivePods() : getPods();
    devices.updateAllocatedDevices();
    return pods.map((pod) => this.resourcesOf(pod));
  }

  /**
   * Throws if there is no such pod.
   * upstream: pkg/kubelet/apis/podresources/server_v1.go (*v1PodResourcesServer).Get
   */
  *get(namespace: string, name: string): Go<PodResources> {
    this.count('get');
    const pod = this.deps.getPodByName(namespace, name);
    if (pod) return this.resourcesOf(pod);
    metricsOf(this.deps.kernel).podResourcesErrors.get.add(1, version);
    throw new Error(`pod ${name} in namespace ${namespace} not found`);
  }

  /** upstream: pkg/kubelet/apis/podresources/server_v1.go (*v1PodResourcesServer).GetAllocatableResources */
  *getAllocatableResources(): Go<AllocatableResources> {
    this.count('getAllocatable');
    return { devices: containerDevices(this.deps.devices.getAllocatableDevices()), cpuIds: [], memory: [] };
  }

  private count(endpoint: 'list' | 'get' | 'getAllocatable'): void {
    const metrics = metricsOf(this.deps.kernel);
    metrics.podResourcesRequests.total.add(1, version);
    metrics.podResourcesRequests[endpoint].add(1, version);
  }

  /** Returns the resources of a pod; init containers that ended have none any more. */
  private resourcesOf({ metadata, spec }: Pod): PodResources {
    const { name, namespace, uid } = metadata;
    const containers = [...(spec.initContainers ?? []).filter(isRestartableInitContainer), ...spec.containers];
    return { name, namespace, containers: containers.map((c) => this.resourcesOfContainer(uid, c)) };
  }
  private resourcesOfContainer(podUID: string, { name }: Container): ContainerResources {
    return { name, devices: containerDevices(this.deps.devices.getDevices(podUID, name)), cpuIds: [], memory: [] };
  }
}

const version = { server_api_version: 'v1' } as const;

/** One entry per device and NUMA node. upstream: cm/helpers.go containerDevicesFromResourceDeviceInstances */
const containerDevices = (devices: ResourceDeviceInstances): ContainerDevices[] =>
  [...devices].flatMap(([resourceName, instances]) =>
    [...instances].flatMap(([id, { topology }]): ContainerDevices[] => {
      const entry = { resourceName, deviceIds: [id] };
      return topology ? topology.map((node) => ({ ...entry, topology: [node] })) : [entry];
    }),
  );
