import { type Container, formatPod, kObj, type Pod, podRef } from '../../api/types.js';
import type { Kernel } from '../../kernel/index.js';
import { formatDuration } from '../../kernel/index.js';
import { containerFieldPath, fromRuntimeTime } from '../container/helpers.js';
import { BackoffError } from '../container/sync-result.js';
import type { RuntimePodStatus } from '../container/types.js';
import type { EventRecorder } from '../events.js';
import { EventReason } from '../events.js';
import type { BackOff } from '../util/backoff.js';
import { decide } from './compute-helpers.js';
import { getBackoffKey } from './helpers.js';
import type { RuntimeRules } from './rules.js';
import type { KubeRuntimeLoggers } from './types.js';

/** The parts of the kubelet that a decision to wait needs. */
interface BackOffDeps {
  readonly kernel: Kernel;
  readonly recorder: EventRecorder;
  readonly log: KubeRuntimeLoggers;
  readonly rules: RuntimeRules;
}

/**
 * Decides whether a container must still wait before it is restarted; if not, the next wait is made ready (fidelity 2,
 * section 9).
 * upstream: (*kubeGenericRuntimeManager).doBackOff
 */
export function doBackOff(
  m: BackOffDeps,
  pod: Pod,
  container: Container,
  podStatus: RuntimePodStatus,
  backOff: BackOff,
): { error: BackoffError; message: string } | null {
  const status = podStatus.containerStatuses.find((s) => s.name === container.name && s.state === 'exited');
  if (!status) return null;
  const { kernel } = m;
  m.log.manager.info(3, 'Checking backoff for container in pod', { containerName: container.name, pod: kObj(pod) });
  const finishedAt = fromRuntimeTime(kernel, status.finishedAt);
  const key = getBackoffKey(pod, container);
  const { active, before, delay } = backOff.check(key, finishedAt);
  kernel.emit({
    kind: 'backoff',
    of: 'crash-loop',
    container: container.name,
    delay,
    until: finishedAt + (active ? delay : 0),
    active,
    ...podRef(pod),
  });
  decide(
    kernel,
    pod,
    'doBackOff',
    active ? 'back off' : 'start',
    {
      finishedAt,
      now: kernel.now(),
      elapsed: formatDuration(kernel.now() - finishedAt),
      backOff: formatDuration(before),
      nextBackOff: formatDuration(delay),
    },
    container.name,
  );
  if (!active) return null;
  m.recorder.event(
    pod,
    'Warning',
    EventReason.BackOffStartContainer,
    m.rules.texts.backOff(container.name, formatPod(pod)),
    containerFieldPath(pod, container),
  );
  const message = `back-off ${formatDuration(delay)} restarting failed container=${container.name} pod=${formatPod(pod)}`;
  m.log.manager.info(3, 'Back-off restarting failed container', { err: message });
  return { error: new BackoffError('CrashLoopBackOff', finishedAt + delay), message };
}
