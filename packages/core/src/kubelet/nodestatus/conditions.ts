import type { NodeCondition } from '../../api/cluster-types.js';
import type { Time } from '../../api/types.js';
import { AggregateSyncError } from '../container/sync-result.js';
import type { Logger } from '../klog.js';
import type { RecordNodeStatusEvent, Setter } from './types.js';

/** The dependencies of {@link readyCondition}. */
export interface ReadyOptions {
  readonly now: () => Time;
  readonly runtimeErrors: () => Error | null;
  readonly networkErrors: () => Error | null;
  readonly storageErrors: () => Error | null;
  /** The error of the shutdown manager. */
  readonly shutdownStatus: () => Error | null;
  /** The soft requirements of the container manager that are not met. */
  readonly softRequirements: () => Error | null;
  readonly recordEvent: RecordNodeStatusEvent;
  readonly localStorageCapacityIsolation: boolean;
  readonly log: Logger;
}

/** Sets Ready, which must come after all other conditions. upstream: nodestatus.ReadyCondition */
export function readyCondition(o: ReadyOptions): Setter {
  return function* (node) {
    const now = o.now();
    const errors = [o.runtimeErrors(), o.networkErrors(), o.storageErrors(), o.shutdownStatus()].filter(
      (e): e is Error => e !== null,
    );
    const { capacity = {} } = node.status;
    const required = ['cpu', 'memory', 'pods', ...(o.localStorageCapacityIsolation ? ['ephemeral-storage'] : [])];
    const missing = required.filter((name) => !Object.hasOwn(capacity, name));
    if (missing.length > 0) errors.push(new Error(`missing node capacity for resources: ${missing.join(', ')}`));
    const condition: NodeCondition = {
      type: 'Ready',
      status: errors.length > 0 ? 'False' : 'True',
      lastHeartbeatTime: now,
      lastTransitionTime: now,
      reason: errors.length > 0 ? 'KubeletNotReady' : 'KubeletReady',
      message: errors.length > 0 ? aggregate(errors) : 'kubelet is posting ready status',
    };
    const soft = o.softRequirements();
    if (soft) condition.message = `${condition.message}. WARNING: ${soft.message}`;

    node.status.conditions ??= [];
    const { conditions } = node.status;
    const i = conditions.findIndex((c) => c.type === 'Ready');
    const before = conditions[i];
    if (!before) {
      conditions.push(condition);
      return;
    }
    conditions[i] = condition;
    if (before.status === condition.status) {
      condition.lastTransitionTime = before.lastTransitionTime ?? null;
      return;
    }
    if (condition.status === 'True') o.recordEvent('NodeReady');
    else {
      o.recordEvent('NodeNotReady');
      o.log.info(0, 'Node became not ready', { node: node.metadata.name, condition: { ...condition } });
    }
  };
}

/** Flattens nested aggregates and drops repeated messages. upstream: utilerrors.NewAggregate */
function aggregate(errors: readonly Error[]): string {
  const flat = errors.flatMap((e) => (e instanceof AggregateSyncError ? e.errors : [e]));
  return new AggregateSyncError(flat).message;
}

interface Pressure {
  readonly type: 'MemoryPressure' | 'DiskPressure' | 'PIDPressure';
  readonly yes: { readonly name: string; readonly message: string };
  readonly no: { readonly name: string; readonly message: string };
}

/** Names are those of events and, with Kubelet for Node, of reasons. */
const pressures = {
  memory: {
    type: 'MemoryPressure',
    yes: { name: 'HasInsufficientMemory', message: 'kubelet has insufficient memory available' },
    no: { name: 'HasSufficientMemory', message: 'kubelet has sufficient memory available' },
  },
  disk: {
    type: 'DiskPressure',
    yes: { name: 'HasDiskPressure', message: 'kubelet has disk pressure' },
    no: { name: 'HasNoDiskPressure', message: 'kubelet has no disk pressure' },
  },
  pid: {
    type: 'PIDPressure',
    yes: { name: 'HasInsufficientPID', message: 'kubelet has insufficient PID available' },
    no: { name: 'HasSufficientPID', message: 'kubelet has sufficient PID available' },
  },
} as const satisfies Record<string, Pressure>;

/** The dependencies of {@link pressureCondition}. */
export interface PressureOptions {
  readonly now: () => Time;
  readonly isUnderPressure: () => boolean;
  readonly recordEvent: RecordNodeStatusEvent;
}

/** upstream: nodestatus.MemoryPressureCondition, DiskPressureCondition, PIDPressureCondition */
export function pressureCondition(of: keyof typeof pressures, o: PressureOptions): Setter {
  const { type, yes, no }: Pressure = pressures[of];
  return function* (node) {
    const now = o.now();
    node.status.conditions ??= [];
    let condition = node.status.conditions.find((c) => c.type === type);
    if (!condition) {
      // Undefined at first, so that the first check always reports.
      condition = { type, status: 'Unknown' };
      node.status.conditions.push(condition);
    }
    condition.lastHeartbeatTime = now;
    const under = o.isUnderPressure();
    const status = under ? 'True' : 'False';
    if (condition.status === status) return;
    const { name, message } = under ? yes : no;
    condition.status = status;
    condition.reason = `Kubelet${name}`;
    condition.message = message;
    condition.lastTransitionTime = now;
    o.recordEvent(`Node${name}`);
  };
}
