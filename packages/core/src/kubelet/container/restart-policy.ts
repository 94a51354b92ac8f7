import { byPolicy, findMatchingContainerRestartRule } from '../../api/pod/podutil.js';
import type { Container, PodSpec } from '../../api/types.js';
import { type FeatureConfig, featureEnabled } from '../features.js';

/**
 * Returns true if a container that ended with `exitCode` starts again: its rules, then its own policy, then the pod's.
 * A rule that restarts all containers decides nothing if the gate is off.
 * upstream: pkg/api/v1/pod/util.go ContainerShouldRestart
 */
export function containerShouldRestart(
  gates: FeatureConfig,
  container: Container,
  spec: PodSpec,
  exitCode: number,
): boolean {
  if (container.restartPolicy !== undefined) {
    const rule = findMatchingContainerRestartRule(container, exitCode);
    if (rule?.action === 'Restart') return true;
    if (rule?.action === 'RestartAllContainers' && featureEnabled(gates, 'RestartAllContainersOnContainerExits'))
      return true;
    return byPolicy(container.restartPolicy, exitCode);
  }
  return byPolicy(spec.restartPolicy ?? 'Always', exitCode);
}

/**
 * The policy that decides over a container: its own, if the gate ContainerRestartRules is on, else the pod's.
 * upstream: the branches of utilfeature.DefaultFeatureGate.Enabled(features.ContainerRestartRules)
 */
export function effectiveRestartPolicy(gates: FeatureConfig, container: Container, spec: PodSpec): string {
  const own = featureEnabled(gates, 'ContainerRestartRules') ? container.restartPolicy : undefined;
  return own ?? spec.restartPolicy ?? 'Always';
}
