/** Cuts one story out of an observed run: some pods, from one moment to another, with what they need. */
import type { Micros } from '@syncloop/core/trace';
import type { Cut, Decision } from '../base/types.js';
import type { Seen, SeenPod } from './seen.js';

export type { Cut };

/** `default/web`, `web`, and of a static pod on node1 also the same with `-node1`. */
function isOne(pod: string, wanted: readonly string[]): boolean {
  const name = pod.slice(pod.indexOf('/') + 1);
  return wanted.some((one) => one === pod || one === name || name.startsWith(`${one}-`) || pod.startsWith(`${one}-`));
}
/** Returns which pods belong to the story: exact names count before those of static pods without the node's. */
function pick(pods: Iterable<string>, wanted: readonly string[]): (pod: string) => boolean {
  const all = [...pods];
  const exact = wanted.filter((one) => all.some((pod) => pod === one || pod.endsWith(`/${one}`)));
  const loose = wanted.filter((one) => !exact.includes(one));
  return (pod) => exact.some((one) => pod === one || pod.endsWith(`/${one}`)) || isOne(pod, loose);
}

export function cutSeen(seen: Seen, { pods: wanted, from, to }: Cut): Seen {
  if (wanted === undefined && from === undefined && to === undefined) return seen;
  const begin = from ?? Number.NEGATIVE_INFINITY;
  const end = to ?? Number.POSITIVE_INFINITY;
  const isWanted =
    wanted === undefined
      ? () => true
      : pick(
          [...seen.pods.values()].map(({ pod }) => pod),
          wanted,
        );
  const pods = new Map<string, SeenPod>();
  for (const pod of seen.pods.values()) {
    const kept = isWanted(pod.pod) ? cutPod(pod, begin, end) : null;
    if (kept) pods.set(pod.uid, kept);
  }
  const inTime = ({ time }: { readonly time: Micros }) => time >= begin && time <= end;
  const ofPods = (uid: string) => uid === '' || pods.has(uid) || !seen.pods.has(uid);
  const containers = [...seen.containers].filter(
    ([, c]) => pods.has(c.uid) && (c.ended ?? end) >= begin && (c.ran ?? begin) <= end,
  );
  const sandboxes = [...seen.sandboxes].filter(([, s]) => pods.has(s.uid));
  const uidOf = (sandbox: string, container: string) =>
    seen.containers.get(container)?.uid ?? seen.sandboxes.get(sandbox)?.uid ?? '';
  const processes = seen.processes
    .filter((p, i) => (seen.processes[i + 1]?.from ?? Number.POSITIVE_INFINITY) > begin && p.from <= end)
    .map((p) => {
      if (p.from >= begin) return p;
      const relists = p.relists.filter((time) => time >= begin);
      return { ...p, from: begin, before: true, loop: null, relists };
    });
  return {
    ...seen,
    pods,
    containers: new Map(containers),
    sandboxes: new Map(sandboxes),
    calls: seen.calls.filter((call) => inTime(call) && ofPods(call.uid || uidOf(call.sandbox, call.container))),
    steps: seen.steps.filter((step) => inTime(step) && ofPods(step.uid)),
    processes,
    events: seen.events.filter((event) => inTime(event) && ofPods(event.uid)),
    probes: seen.probes.filter((probe) => inTime(probe) && ofPods(probe.uid)),
    // Facts about the node are reported at its start, so these records stay.
    records: seen.records.filter(
      (r) => r.time <= end && (r.time >= begin || r.kind === 'metrics' || r.kind === 'node-status'),
    ),
    end: Math.min(seen.end, end),
  };
}

/** Returns the pod's part of the cut; null: it was gone before, or came after. */
function cutPod(pod: SeenPod, begin: Micros, end: Micros): SeenPod | null {
  if (pod.first > end) return null;
  let there = pod.there;
  for (const { op, time } of pod.ops) {
    if (time >= begin) break;
    if (op === 'ADD') there = true;
    if (op === 'REMOVE') there = false;
  }
  if (pod.ops.length === 0 && pod.first < begin) there = pod.unlisted === null || pod.unlisted >= begin;
  const ops = pod.ops.filter(({ time }) => time >= begin && time <= end);
  if (pod.first < begin && !there && ops.length === 0) return null;
  const before = pod.objects.filter(({ time }) => time < begin).at(-1);
  const objects = [...(before ? [before] : []), ...pod.objects.filter(({ time }) => time >= begin && time <= end)];
  return { ...pod, there, ops, objects };
}

/**
 * The decisions of a run that belong to the cut. `shift`: what has to be added to their times for the clock of the
 * observed run: 0 for its own, `seenFrom` for the twin's.
 */
export function cutDecisions(
  decisions: readonly Decision[],
  { pods: wanted, from, to }: Cut,
  shift: Micros = 0,
): Decision[] {
  const isWanted =
    wanted === undefined
      ? () => true
      : pick(
          decisions.map(({ pod }) => pod),
          wanted,
        );
  const kept = decisions.filter(
    ({ pod, time }) =>
      (pod === '' || isWanted(pod)) &&
      time + shift >= (from ?? Number.NEGATIVE_INFINITY) &&
      time + shift <= (to ?? Number.POSITIVE_INFINITY),
  );
  return from === undefined ? kept : renumbered(kept);
}

/** A twin of the later part of a run counts its containers from 0 again: so does the run, then. */
function renumbered(decisions: readonly Decision[]): Decision[] {
  const unit = ({ pod, incarnation, container }: Decision) => `${pod} ${incarnation} ${container ?? ''}`;
  const least = new Map<string, number>();
  // Containers that ended before are removed later: that is not a part of the story.
  for (const d of decisions)
    if (d.attempt !== undefined && d.what !== 'RemoveContainer')
      least.set(unit(d), Math.min(d.attempt, least.get(unit(d)) ?? d.attempt));
  return decisions.flatMap((d) => {
    if (d.attempt === undefined) return [d];
    const attempt = d.attempt - (least.get(unit(d)) ?? d.attempt);
    return attempt < 0 ? [] : [{ ...d, attempt }];
  });
}
