import type { ResourceList } from '../../api/types.js';
import { messageOf, quantityText, readQuantity, resourceOf } from '../../base/index.js';
import type { Kernel } from '../../kernel/index.js';
import { type Go, Minute, sleep } from '../../kernel/index.js';
import type { KubeletConfig } from '../config.js';
import type { EventRecorder } from '../events.js';
import { EventReason } from '../events.js';
import { Logger } from '../klog.js';
import { nodeAllocatableReservation } from '../nodestatus/allocatable.js';
import type { CgroupManager } from './cgroup-manager.js';
import { type CgroupName, cgroupNameText, quotedCgroupName } from './cgroup-name.js';
import { cgroupConfigOf, type ResourceConfig } from './helpers.js';

/** upstream: kubetypes NodeAllocatableEnforcementKey and its siblings */
const NodeAllocatableEnforcementKey = 'pods';
const defaultEnforceNodeAllocatable: readonly string[] = [NodeAllocatableEnforcementKey];

/**
 * Returns the capacity less what the node keeps for itself, nothing below zero.
 * upstream: getNodeAllocatableAbsoluteImpl
 */
export function nodeAllocatableAbsolute(
  capacity: ResourceList,
  config: { readonly systemReserved?: ResourceList; readonly kubeReserved?: ResourceList },
): ResourceList {
  const { systemReserved, kubeReserved } = config;
  return Object.fromEntries(
    Object.entries(capacity).map(([name, of]) => {
      const kept = resourceOf(systemReserved, name) + resourceOf(kubeReserved, name);
      if (kept === 0n) return [name, of];
      const { nano, format } = readQuantity(String(of));
      return [name, quantityText({ nano: nano > kept ? nano - kept : 0n, format })];
    }),
  );
}

/** Throws if more is kept than there is. upstream: validateNodeAllocatable */
export function validateNodeAllocatable(
  capacity: ResourceList,
  config: { readonly systemReserved?: ResourceList; readonly kubeReserved?: ResourceList },
  evictionReservation: ResourceList,
): void {
  const errors: string[] = [];
  for (const [name, reserved] of nodeAllocatableReservation(capacity, {
    kubeReserved: config.kubeReserved ?? {},
    systemReserved: config.systemReserved ?? {},
    eviction: evictionReservation,
  })) {
    if (resourceOf(capacity, name) >= reserved) continue;
    errors.push(
      `Resource "${name}" has a reservation of ${quantityText({ nano: reserved, format: 'BinarySI' })} but capacity of ${capacity[name]}. Expected capacity >= reservation.`,
    );
  }
  if (errors.length > 0) throw new Error(`invalid Node Allocatable configuration. ${errors.join(' ')}`);
}

export interface NodeContainerManagerDeps {
  readonly kernel: Kernel;
  readonly config: KubeletConfig;
  readonly recorder: EventRecorder;
  readonly nodeRef: Parameters<EventRecorder['event']>[0];
}

/**
 * The cgroup of all pods, and those of the node's own parts.
 * upstream: pkg/kubelet/cm/node_container_manager_linux.go
 */
export class NodeContainerManager {
  private readonly log: Logger;
  constructor(
    private readonly deps: NodeContainerManagerDeps,
    private readonly cgroupManager: CgroupManager,
    private readonly cgroupRoot: CgroupName,
    /** Capacity including process ids, which no pod is shown. */
    private readonly internalCapacity: ResourceList,
  ) {
    this.log = new Logger(deps.kernel, 'node_container_manager_linux.go');
  }

  private get enforced(): ReadonlySet<string> {
    return new Set(this.deps.config.enforceNodeAllocatable ?? defaultEnforceNodeAllocatable);
  }

  private rootConfig(): ResourceConfig {
    const { config } = this.deps;
    const list =
      config.cgroupsPerQOS && this.enforced.has(NodeAllocatableEnforcementKey)
        ? nodeAllocatableAbsolute(this.internalCapacity, config)
        : this.internalCapacity;
    return cgroupConfigOf(list, false);
  }

  /** upstream: createNodeAllocatableCgroups */
  *create(): Go<void> {
    if (yield* this.cgroupManager.exists(this.cgroupRoot)) return;
    try {
      yield* this.cgroupManager.create(this.cgroupRoot, this.rootConfig());
    } catch (err) {
      this.log.error(err, 'Failed to create cgroup', { cgroupName: [...this.cgroupRoot] });
      throw err;
    }
  }

  /**
   * Retries in a goroutine of its own until it succeeds, because pods may use more than the new limit.
   * upstream: pkg/kubelet/cm/node_container_manager_linux.go (*containerManagerImpl).enforceNodeAllocatableCgroups
   */
  *enforce(): Go<void> {
    const { kernel, recorder, nodeRef, config } = this.deps;
    this.log.info(4, 'Attempting to enforce Node Allocatable', { config: [...this.enforced] });
    const { cgroupManager, cgroupRoot } = this;
    if (cgroupRoot.length > 0) {
      const resources = this.rootConfig();
      kernel.go(
        'enforceNodeAllocatable',
        function* () {
          for (;;) {
            try {
              yield* cgroupManager.update(cgroupRoot, resources);
              const text = 'Updated Node Allocatable limit across pods';
              recorder.event(nodeRef, 'Normal', EventReason.NodeAllocatableEnforced, text, '', 'Node');
              return;
            } catch (err) {
              const text = `Failed to update Node Allocatable Limits ${quotedCgroupName(cgroupRoot)}: ${messageOf(err)}`;
              recorder.event(nodeRef, 'Warning', EventReason.FailedNodeAllocatableEnforcement, text, '', 'Node');
            }
            yield* sleep(Minute);
          }
        },
        { place: 'cgroups', daemon: true },
      );
    }
    const { systemReserved = {}, kubeReserved = {}, systemReservedCgroup = '', kubeReservedCgroup = '' } = config;
    yield* this.enforceReserved('system', 'system-reserved', systemReservedCgroup, systemReserved, false);
    yield* this.enforceReserved('kube', 'kube-reserved', kubeReservedCgroup, kubeReserved, false);
    yield* this.enforceReserved('system', 'system-reserved-compressible', systemReservedCgroup, systemReserved, true);
    yield* this.enforceReserved('kube', 'kube-reserved-compressible', kubeReservedCgroup, kubeReserved, true);
  }

  /**
   * Limits a cgroup that the administrator made.
   * upstream: within enforceNodeAllocatableCgroups, enforceExistingCgroup
   */
  private *enforceReserved(
    who: 'system' | 'kube',
    key: string,
    cgroup: string,
    limits: ResourceList,
    compressible: boolean,
  ): Go<void> {
    if (!this.enforced.has(key)) return;
    const { recorder, nodeRef } = this.deps;
    const what = compressible ? ' compressible' : '';
    this.log.info(2, `Enforcing ${who} reserved${what} on cgroup`, { cgroupName: cgroup, limits: { ...limits } });
    try {
      const name = this.cgroupManager.cgroupName(cgroup);
      const config = cgroupConfigOf(limits, compressible);
      this.log.info(4, 'Enforcing limits on cgroup', {
        cgroupName: cgroupNameText(name),
        cpuShares: config.cpuShares,
        memory: config.memory,
        pidsLimit: config.pidsLimit,
      });
      yield* this.cgroupManager.validate(name);
      yield* this.cgroupManager.update(name, config);
    } catch (err) {
      const Who = who === 'system' ? 'System' : 'Kube';
      const text = `Failed to enforce ${Who} Reserved${compressible ? ' Compressible' : ''} Cgroup Limits on "${cgroup}": ${messageOf(err)}`;
      recorder.event(nodeRef, 'Warning', EventReason.FailedNodeAllocatableEnforcement, text, '', 'Node');
      throw new Error(text, { cause: err });
    }
    const text = `Updated limits on ${who} reserved cgroup ${cgroup}`;
    recorder.event(nodeRef, 'Normal', EventReason.NodeAllocatableEnforced, text, '', 'Node');
  }
}
