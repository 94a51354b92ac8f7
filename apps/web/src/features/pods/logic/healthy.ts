import type { ContainerView, NodeState, PodView } from '@syncloop/core/trace';

/** The exit code that SIGKILL leaves: a container that somebody killed was well before. */
const KILLED = 137;

/** Returns true if it ended by itself, and not after its work. */
const failed = ({ exitCode, reason }: ContainerView): boolean =>
  exitCode !== null && exitCode !== 0 && (exitCode !== KILLED || reason === 'OOMKilled');

/** Most restarts of one container that a user's experiments may cause; with more, it crashes. */
const MOST_RESTARTS = 2;

/** The pod runs, is ready, and none of its containers crashes: there is something to try on it. */
export function isHealthy(state: NodeState, pod: PodView): boolean {
  if (pod.phase !== 'Running' || !pod.desired || pod.worker?.state !== 'sync' || !isReady(pod)) return false;
  const own = Object.values(state.containers).filter((c) => c.uid === pod.uid);
  return (
    own.some((c) => c.state === 'running') &&
    !own.some((c) => failed(c) || c.attempt > MOST_RESTARTS) &&
    !inBackOff(pod)
  );
}

function isReady({ status }: PodView): boolean {
  const { conditions = [] } = (status ?? {}) as {
    readonly conditions?: readonly { readonly type?: string; readonly status?: string }[];
  };
  return conditions.some((c) => c.type === 'Ready' && c.status === 'True');
}

const inBackOff = ({ backoffs }: PodView): boolean => Object.values(backoffs).some((b) => b.active);
