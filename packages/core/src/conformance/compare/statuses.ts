/** Pod statuses over time, as text that can be compared between runs. */

import { scrub } from './names.js';
import { at, type Loose, listAt, type PodSnapshot, type StatusSnapshot } from './recording.js';

/** A status that lasts for less than this may be missed by polling, ms. */
export const stableMillis = 700;

/** A status that one pod had for a while. */
export interface StatusStep {
  readonly text: string;
  readonly at: number;
  /** When it ended; for the last one, when the recording did. */
  readonly until: number;
}

/** True if a status lasted so long that whoever looks now and then sees it. */
export const isStable = ({ at, until }: StatusStep): boolean => until - at >= stableMillis;

/**
 * Returns the statuses of each pod by its name, in order, as `textOf` writes them; a pod for which it writes nothing is
 * left out.
 */
export function statusHistory(
  snapshots: readonly StatusSnapshot[],
  textOf: (pod: PodSnapshot) => string | undefined,
): Map<string, StatusStep[]> {
  const open = new Map<string, { text: string; at: number; until?: number }[]>();
  for (const snapshot of snapshots) {
    for (const pod of snapshot.pods) {
      const text = textOf(pod);
      if (text === undefined) continue;
      const stands = open.get(pod.name) ?? [];
      open.set(pod.name, stands);
      const last = stands.at(-1);
      if (last?.text === text) continue;
      if (last) last.until ??= snapshot.at;
      stands.push({ text, at: snapshot.at });
    }
    for (const [name, stands] of open) {
      const last = stands.at(-1);
      if (last && !snapshot.pods.some((pod) => pod.name === name)) last.until ??= snapshot.at;
    }
  }
  const end = (snapshots.at(-1)?.at ?? 0) + stableMillis;
  return new Map([...open].map(([name, stands]) => [name, stands.map((s) => ({ ...s, until: s.until ?? end }))]));
}

/** A stable status that another history does not have where it should. */
export interface StatusDifference {
  readonly expected: StatusStep;
  /** The status that stands there instead: the one after the last that agreed. Null: there is no status at all. */
  readonly nearest: StatusStep | null;
}

/** Returns the first stable status of `want` that `got` does not have in the same order; null if it has all. */
export function statusDifference(want: readonly StatusStep[], got: readonly StatusStep[]): StatusDifference | null {
  let last = -1;
  for (const expected of want.filter(isStable)) {
    const found = got.findIndex(({ text }, i) => i >= last && text === expected.text);
    if (found < 0) return { expected, nearest: got[last + 1] ?? got.at(-1) ?? null };
    last = found;
  }
  return null;
}

/** Returns the text of a pod's whole status, without what differs from run to run. */
export const statusTextWithout =
  (uids: readonly string[]) =>
  (pod: PodSnapshot): string =>
    statusText(pod, uids);

function statusText(pod: PodSnapshot, uids: readonly string[]): string {
  const status = pod.status ?? {};
  const conditions = listAt(status, 'conditions')
    .map((c) => {
      const { type, status: is, reason, message } = c as Record<string, string | undefined>;
      return [String(type), `${is}${reason ? `:${reason}` : ''}${message ? `:${scrub(message, uids)}` : ''}`] as const;
    })
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const containers = [...listAt(status, 'initContainerStatuses'), ...listAt(status, 'containerStatuses')];
  return JSON.stringify({
    ...(pod.deletionTimestamp ? { deleting: true } : {}),
    phase: status.phase,
    reason: status.reason,
    message: status.message ? scrub(status.message, uids) : status.message,
    conditions: Object.fromEntries(conditions),
    containers: Object.fromEntries(containers.map((c) => [String(at(c, 'name')), containerText(c, uids)])),
  });
}

function containerText(container: unknown, uids: readonly string[]): string {
  const state = (value: unknown): string => {
    const { running, waiting, terminated } = (value ?? {}) as Record<string, Loose | undefined>;
    if (running) return 'running';
    if (waiting) return `waiting:${waiting.reason ?? ''}:${scrub(waiting.message, uids)}`;
    if (!terminated) return '-';
    return `terminated:${terminated.reason ?? ''}:${terminated.exitCode ?? 0}:${scrub(terminated.message, uids)}`;
  };
  const c = container as Record<string, unknown>;
  const facts = `restarts=${c.restartCount ?? 0} ready=${Boolean(c.ready)} started=${c.started ?? false}`;
  return `${state(c.state)} last=${state(c.lastState)} ${facts}`;
}

/** Returns every state of each container, however brief, by `pod/container`. */
export function containerStates(snapshots: readonly StatusSnapshot[]): Map<string, Set<string>> {
  const out = new Map<string, Set<string>>();
  for (const { pods } of snapshots) {
    for (const { name, status } of pods) {
      for (const list of ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses']) {
        for (const container of listAt(status, list)) {
          const key = `${name}/${at(container, 'name')}`;
          const state = at(container, 'state');
          const [waiting, terminated] = [at(state, 'waiting'), at(state, 'terminated')];
          const text = waiting
            ? `waiting ${at(waiting, 'reason')}`
            : terminated
              ? `terminated ${at(terminated, 'reason')} ${at(terminated, 'exitCode') ?? 0}`
              : 'running';
          out.set(key, (out.get(key) ?? new Set()).add(text));
        }
      }
    }
  }
  return out;
}
