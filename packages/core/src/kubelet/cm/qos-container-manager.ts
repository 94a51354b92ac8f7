import { podRequests } from '../../api/pod/pod-resources.js';
import { getPodQOS } from '../../api/pod/qos.js';
import type { Pod } from '../../api/types.js';
import { messageOf, quantityMilliValue, resourceOf } from '../../base/index.js';
import { frame, type Go, type Kernel, Minute, Mutex, sleep } from '../../kernel/index.js';
import { Logger } from '../klog.js';
import type { CgroupManager } from './cgroup-manager.js';
import { type CgroupName, newCgroupName } from './cgroup-name.js';
import { MinShares, milliCPUToShares, type ResourceConfig, unboundedHugePages } from './helpers.js';

/** upstream: periodicQOSCgroupUpdateInterval */
const periodicQOSCgroupUpdateInterval = Minute;

/** The cgroups that pods of each class are made in. upstream: cm.QOSContainersInfo */
export interface QOSContainersInfo {
  readonly guaranteed: CgroupName;
  readonly burstable: CgroupName;
  readonly bestEffort: CgroupName;
}

export interface QOSContainerManagerDeps {
  readonly kernel: Kernel;
  readonly cgroupManager: CgroupManager;
  /** `kubepods` with what is in front of it. */
  readonly cgroupRoot: CgroupName;
  readonly activePods: () => readonly Pod[];
  /** Sizes of the node's huge pages, bytes. */
  readonly hugePageSizes: readonly number[];
}

/**
 * The two tiers below `kubepods`; Guaranteed pods are in `kubepods` itself.
 * upstream: pkg/kubelet/cm/qos_container_manager_linux.go qosContainerManagerImpl
 */
export class QOSContainerManager {
  readonly info: QOSContainersInfo;
  private readonly log: Logger;
  private readonly mutex: Mutex;

  constructor(private readonly deps: QOSContainerManagerDeps) {
    const { cgroupRoot, kernel } = deps;
    this.log = new Logger(kernel, 'qos_container_manager_linux.go');
    this.mutex = new Mutex(kernel, 'qosContainerManager');
    this.info = {
      guaranteed: cgroupRoot,
      burstable: newCgroupName(cgroupRoot, 'burstable'),
      bestEffort: newCgroupName(cgroupRoot, 'besteffort'),
    };
  }

  /**
   * Makes the tiers, or sets right what is there; then goes on doing so each minute.
   * upstream: pkg/kubelet/cm/qos_container_manager_linux.go (*qosContainerManagerImpl).Start
   */
  *start(): Go<void> {
    const { cgroupManager: cm, cgroupRoot, kernel } = this.deps;
    try {
      yield* cm.validate(cgroupRoot);
    } catch (err) {
      throw new Error(`error validating root container [${cgroupRoot.join(' ')}] : ${messageOf(err)}`, { cause: err });
    }
    const hugePageLimit = this.unbounded();
    const tiers: readonly (readonly [string, CgroupName, ResourceConfig])[] = [
      ['Burstable', this.info.burstable, hugePageLimit],
      ['BestEffort', this.info.bestEffort, { cpuShares: MinShares, ...hugePageLimit }],
    ];
    for (const [qosClass, name, config] of tiers) {
      const there = yield* cm.exists(name);
      try {
        if (there) yield* cm.update(name, config);
        else yield* cm.create(name, config);
      } catch (err) {
        const what = there ? 'update' : 'create';
        throw new Error(`failed to ${what} top level ${qosClass} QOS cgroup : ${messageOf(err)}`, { cause: err });
      }
    }
    const { log } = this;
    const update = () => this.updateCgroups();
    kernel.go(
      'qosContainerManager',
      function* () {
        for (;;) {
          try {
            yield* update();
          } catch (err) {
            log.info(0, 'Failed to reserve QoS requests', { err: messageOf(err) });
          }
          yield* sleep(periodicQOSCgroupUpdateInterval);
        }
      },
      { place: 'cgroups', daemon: true },
    );
  }

  /**
   * Shares of the tiers as the active pods ask for.
   * upstream: pkg/kubelet/cm/qos_container_manager_linux.go (*qosContainerManagerImpl).UpdateCgroups
   */
  *updateCgroups(): Go<void> {
    yield* this.mutex.lock();
    try {
      yield* frame('UpdateCgroups', undefined, () => this.update());
    } finally {
      this.mutex.unlock();
    }
  }

  private *update(): Go<void> {
    const { cgroupManager, activePods } = this.deps;
    const huge = this.unbounded();
    let milli = 0;
    for (const pod of activePods())
      if (getPodQOS(pod) === 'Burstable') milli += quantityMilliValue(resourceOf(podRequests(pod), 'cpu'));
    const { guaranteed, burstable, bestEffort } = this.info;
    const configs: readonly (readonly [CgroupName, ResourceConfig])[] = [
      [guaranteed, huge],
      [burstable, { cpuShares: milliCPUToShares(milli), ...huge }],
      [bestEffort, { cpuShares: MinShares, ...huge }],
    ];
    for (const [name, config] of configs) {
      try {
        yield* cgroupManager.update(name, config);
      } catch (err) {
        this.log.error(err, 'Failed to update QoS cgroup configuration');
        throw err;
      }
    }
    this.log.info(4, 'Updated QoS cgroup configuration');
  }

  /** upstream: setHugePagesUnbounded */
  private unbounded(): Pick<ResourceConfig, 'hugePageLimit'> {
    const { hugePageSizes } = this.deps;
    if (hugePageSizes.length === 0) return {};
    return { hugePageLimit: Object.fromEntries(hugePageSizes.map((size) => [size, unboundedHugePages])) };
  }
}
