import type { Go } from '../../kernel/index.js';

/** Devices of one resource. `topology`: NUMA nodes' ids. upstream: podresources/v1 ContainerDevices */
export interface ContainerDevices {
  readonly resourceName: string;
  readonly deviceIds: readonly string[];
  readonly topology?: readonly number[];
}

/** Memory of one kind, in bytes. upstream: podresources/v1 ContainerMemory */
export interface ContainerMemory {
  readonly memoryType: string;
  readonly size: number;
  readonly topology?: readonly number[];
}

/** upstream: podresources/v1 ContainerResources, without what dynamic resource allocation adds */
export interface ContainerResources {
  readonly name: string;
  readonly devices: readonly ContainerDevices[];
  readonly cpuIds: readonly number[];
  readonly memory: readonly ContainerMemory[];
}

/** upstream: podresources/v1 PodResources */
export interface PodResources {
  readonly name: string;
  readonly namespace: string;
  readonly containers: readonly ContainerResources[];
}

/** upstream: podresources/v1 AllocatableResourcesResponse */
export interface AllocatableResources {
  readonly devices: readonly ContainerDevices[];
  readonly cpuIds: readonly number[];
  readonly memory: readonly ContainerMemory[];
}

/**
 * The answers of the pod resources API; the agent serves it on a socket. Init containers are left out unless they are
 * restartable.
 * upstream: pkg/kubelet/apis/podresources/server_v1.go
 */
export interface PodResourcesLister {
  /**
   * Counts the request, frees devices of pods that have ended, and lists the active pods (all pods without the gate).
   */
  list(): Go<readonly PodResources[]>;
  /** Throws `pod NAME in namespace NAMESPACE not found`. */
  get(namespace: string, name: string): Go<PodResources>;
  /** Returns all healthy devices that plug-ins report, allocated or not. */
  getAllocatableResources(): Go<AllocatableResources>;
}
