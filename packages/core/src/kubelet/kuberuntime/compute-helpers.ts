import { type Container, type Pod, podRef } from '../../api/types.js';
import type { Kernel } from '../../kernel/index.js';
import type { Json } from '../../trace/index.js';
import type { StateCheckpoint } from '../allocation/state.js';
import { findContainerStatusByName, hashContainer } from '../container/helpers.js';
import { effectiveRestartPolicy } from '../container/restart-policy.js';
import { formatContainerID, type RuntimePodStatus, type Status } from '../container/types.js';
import { defaultGates, type FeatureConfig } from '../features.js';
import type { KubeletParts } from '../parts/types.js';
import type { ResultsManager } from '../prober/types.js';
import type { PodActions } from './pod-actions.js';
import type { RuntimeRules } from './rules.js';

/**
 * The parts of the kubelet that the computation reads besides pod and status. It changes none of them; its reasons go
 * to the trace.
 */
export interface ComputeInput {
  readonly kernel: Kernel;
  readonly livenessManager: Pick<ResultsManager, 'get'>;
  readonly startupManager: Pick<ResultsManager, 'get'>;
  /** The resources that containers were given. Missing: nothing is resized. */
  readonly actuatedState?: Pick<StateCheckpoint, 'getContainerResources' | 'getPodLevelResources'>;
  /** Feature gates. Default: their defaults. */
  readonly config?: FeatureConfig;
  /** Default: those of v1.36. */
  readonly rules?: Pick<RuntimeRules, 'texts'>;
  /** Replaced parts. Default: none. */
  readonly parts?: KubeletParts;
}

/** The gates that `input` decides by. */
export const gatesOf = ({ config }: Pick<ComputeInput, 'config'>): FeatureConfig => config ?? defaultGates;

/** Records why something was decided for a pod or one of its containers. */
export function decide(
  kernel: Kernel,
  pod: Pod,
  rule: string,
  verdict: string,
  values: { readonly [key: string]: Json | undefined },
  container?: string,
): void {
  kernel.emit({
    kind: 'decision',
    rule,
    verdict,
    values,
    ...podRef(pod),
    ...(container === undefined ? {} : { container }),
  });
}

/** upstream: shouldRestartOnFailure */
export const shouldRestartOnFailure = (pod: Pod): boolean => pod.spec.restartPolicy !== 'Never';

/**
 * True if a container that is to be killed, or of which nothing is known, may start again. Rules do not count: it has
 * no exit code.
 */
export const restartsAfterKill = (gates: FeatureConfig, pod: Pod, container: Container): boolean =>
  effectiveRestartPolicy(gates, container, pod.spec) !== 'Never';

/** The hashes of spec and running container, and whether they differ. upstream: containerChanged */
export function containerChanged(
  container: Container,
  status: Status,
): { expected: number; actual: number; changed: boolean } {
  const expected = hashContainer(container);
  return { expected, actual: status.hash, changed: status.hash !== expected };
}

/** Returns what the trace shows of a status. */
export const statusValues = (status: Status | undefined): Json =>
  status
    ? {
        id: formatContainerID(status.id),
        state: status.state,
        restartCount: status.restartCount,
        ...(status.state === 'exited' ? { exitCode: status.exitCode, reason: status.reason } : {}),
      }
    : null;

/**
 * An ephemeral container runs once, whatever became of it, and needs no finished initialisation (fidelity 2:C-06).
 */
export function computeEphemeralContainers(
  { kernel }: Pick<ComputeInput, 'kernel'>,
  pod: Pod,
  podStatus: RuntimePodStatus,
  changes: PodActions,
): void {
  for (const [i, c] of (pod.spec.ephemeralContainers ?? []).entries()) {
    const status = findContainerStatusByName(podStatus, c.name);
    if (!status) changes.ephemeralContainersToStart.push(i);
    decide(
      kernel,
      pod,
      'ephemeral container',
      status ? 'leave alone' : 'start',
      { status: statusValues(status) },
      c.name,
    );
  }
}
