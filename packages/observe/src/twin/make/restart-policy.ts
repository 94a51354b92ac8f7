/** Concludes a pod's restart policy from what its kubelet did after containers had ended, if no list shows it. */
import type { Micros } from '@syncloop/core/trace';
import { objectOf } from '../base/json.js';
import { byPod } from './by-pod.js';
import type { Seen, SeenContainer, SeenPod } from './seen.js';

type Policy = 'Always' | 'OnFailure' | 'Never';

/** A kubelet that is up starts a container again within this time, or reports that it waits. */
const SOON: Micros = 3_000_000;

/**
 * Returns the only policy that explains what was seen; of several, the most usual one. Null: nothing ended, so that any
 * policy explains it.
 */
export function restartPolicyOf(pod: SeenPod, seen: Seen, inits: ReadonlySet<string>): Policy | null {
  const index = byPod(seen);
  // upstream: ShouldContainerBeRestarted, at -v=4
  if (index.alreadyRan.has(pod.pod)) return 'Never';
  const may = new Set<Policy>(index.alreadySucceeded.has(pod.pod) ? ['OnFailure'] : ['Always', 'OnFailure', 'Never']);
  let ended = may.size === 1;
  for (const { reason, message } of index.events.of(pod.uid)) {
    if (reason === 'BackOff' && message.includes('restarting failed container')) may.delete('Never');
  }
  const killing = index.events.of(pod.uid).filter(({ reason }) => reason === 'Killing');
  for (const { message } of [...killing, ...index.kills.of(pod.uid)]) {
    if (!/failed (liveness|startup) probe/.test(message)) continue;
    ended = true;
    if (message.includes('will be restarted')) may.delete('Never');
    else return 'Never';
  }
  const gone = pod.ops.find(({ op }) => op === 'DELETE' || op === 'REMOVE')?.time ?? Number.POSITIVE_INFINITY;
  for (const c of index.containers.of(pod.uid)) {
    if (c.ended === undefined || inits.has(c.name) || c.ended >= gone) continue;
    const again = isFollowed(c, index.containers.of(pod.uid));
    if (!again && !hadTime(seen, c.ended, Math.min(gone, seen.end))) continue;
    if (
      !again &&
      index.waiting.of(pod.uid).some(({ container, time }) => container === c.name && time >= (c.ended ?? 0))
    ) {
      may.delete('Never');
      continue;
    }
    if (c.exitCode === undefined && !again) continue;
    ended = true;
    if (again) {
      may.delete('Never');
      // A sync that kills a container, for its sandbox or its probe, starts it again however it ends.
      const killed = index.stepsOfContainer.of(c.id).some(({ fn }) => fn === 'killContainer');
      if (c.exitCode === 0 && !killed) may.delete('OnFailure');
    } else {
      may.delete('Always');
      if (c.exitCode !== 0) may.delete('OnFailure');
    }
  }
  // upstream: computePodActions creates no other sandbox for a pod that is never restarted
  if (seen.renewed.has(pod.uid)) may.delete('Never');
  for (const r of index.statuses.of(pod.uid)) {
    if (r.time >= gone) break;
    const { phase } = objectOf(r.status);
    if (phase === 'Failed') return 'Never';
    if (phase === 'Succeeded') may.delete('Always');
  }
  if (!ended && may.size === 3) return null;
  return (['Always', 'Never', 'OnFailure'] as const).find((policy) => may.has(policy)) ?? null;
}

/** True if the container was started again after this one. */
const isFollowed = (c: SeenContainer, all: readonly SeenContainer[]): boolean =>
  all.some((o) => o !== c && o.name === c.name && (o.attempt ?? o.order) > (c.attempt ?? c.order));

/** True if one kubelet was up from the container's end to some time later. */
function hadTime(seen: Seen, ended: Micros, until: Micros): boolean {
  const index = byPod(seen);
  const at = index.processAt(ended);
  const process = seen.processes[at];
  const next = seen.processes[at + 1];
  const up = next ? Math.min(next.from, index.lastSignBefore(next.from) ?? next.from) : until;
  return ended + SOON <= Math.min(up, process?.to ?? until, until);
}
