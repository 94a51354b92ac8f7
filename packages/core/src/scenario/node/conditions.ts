import type { PodStatus } from '../../api/types.js';
import type { Condition } from '../document/scenario.js';

/** Returns true if a pod's status meets the condition. A pod that has a status is not gone. */
export function meetsCondition(status: PodStatus, c: Condition): boolean {
  if (c.gone) return false;
  const apps = status.containerStatuses ?? [];
  if (c.phase !== undefined) {
    if (status.phase !== c.phase) return false;
    if (c.phase === 'Running' && !(apps.length > 0 && apps.every((s) => s.state?.running))) return false;
  }
  if (c.ready !== undefined && (status.conditions?.find((x) => x.type === 'Ready')?.status === 'True') !== c.ready)
    return false;
  if (c.reason !== undefined && status.reason !== c.reason) return false;
  if (c.container === undefined) return true;
  const container = [...(status.initContainerStatuses ?? []), ...apps].find((s) => s.name === c.container);
  if (!container) return false;
  const { state, lastState } = container;
  if (c.running !== undefined && Boolean(state?.running) !== c.running) return false;
  if (c.waiting !== undefined && state?.waiting?.reason !== c.waiting) return false;
  if (
    c.terminated !== undefined &&
    state?.terminated?.reason !== c.terminated &&
    lastState?.terminated?.reason !== c.terminated
  )
    return false;
  const codes = [state?.terminated?.exitCode, lastState?.terminated?.exitCode];
  if (c.exitCode !== undefined && !codes.includes(c.exitCode)) return false;
  const restarts = container.restartCount ?? 0;
  return restarts >= (c.restarts ?? 0) && restarts <= (c.atMostRestarts ?? Number.POSITIVE_INFINITY);
}

/** A status in words, for messages. `wanted`: what should be seen of it. */
export function describeStatus(status: PodStatus, wanted?: Condition): string {
  const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].map((s) => {
    const { state } = s;
    const what = state?.waiting
      ? `waiting (${state.waiting.reason ?? ''})`
      : state?.terminated
        ? `terminated (${state.terminated.reason ?? ''}${wanted?.exitCode === undefined ? '' : `, exit code ${state.terminated.exitCode}`})`
        : 'running';
    const before = s.lastState?.terminated;
    const last =
      before && (wanted?.terminated ?? wanted?.exitCode) !== undefined
        ? `, before that ${before.reason ?? ''} with exit code ${before.exitCode}`
        : '';
    return `${s.name} ${what}, ${s.restartCount ?? 0} restarts${last}`;
  });
  const { phase = 'without phase', reason, conditions } = status;
  const ready = conditions?.find((c) => c.type === 'Ready')?.status === 'True';
  const head = [
    phase,
    ...(reason ? [reason] : []),
    ...(wanted?.ready === undefined ? [] : [ready ? 'ready' : 'not ready']),
  ];
  return `the pod is ${[head.join(', '), ...containers].join('; ')}`;
}
