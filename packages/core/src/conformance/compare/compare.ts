/**
 * Compares a recording with a reference of the same scenario, by the rules in the golden recordings' README: which
 * parts must be the same, which may come in any order, and how much time may differ.
 */

import { apiUids, eventKinds, nodeFacts, podWrites } from './api.js';
import {
  type Conversation,
  conversation,
  isGapNear,
  orderDifference,
  type PodCall,
  restartGaps,
  shortGap,
  withoutSecondKill,
} from './calls.js';
import type { Recording, StatusSnapshot } from './recording.js';
import { normalRequest, requestDifferences } from './requests.js';
import { containerStates, isStable, statusDifference, statusHistory, statusTextWithout } from './statuses.js';

/** One thing compared. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  /** The differences; '' when `ok`. */
  readonly detail: string;
}

/** Returns all checks, in a fixed order. `reference` is the recording of a real kubelet. */
export function compare(reference: Recording, candidate: Recording): Check[] {
  const want = conversation(reference);
  const got = conversation(candidate);
  return [
    // Without an API server a restart waits for it, and how long is the recording's own doing.
    ...compareCalls(want, got, {
      withGaps: !(reference.steps ?? []).some(([verb]) => verb === 'stopApi'),
      maybeTwice: mayKillTwice(reference.kubelet),
    }),
    ...compareRemovals(want, got),
    ...compareStatuses(
      'pod statuses',
      reference.status,
      candidate.status,
      want.names.byUid.keys(),
      got.names.byUid.keys(),
    ),
    ...(candidate.everyChange ? compareContainerStates(reference.status, candidate.status) : []),
    ...compareStatuses(
      'statuses in the API',
      reference.apiStatus ?? [],
      candidate.apiStatus ?? [],
      apiUids(reference, want.names.byUid.keys()),
      apiUids(candidate, got.names.byUid.keys()),
    ),
    ...compareWrites(reference, candidate),
    ...compareNodes(reference, candidate),
    ...compareEvents(reference, candidate),
  ];
}

/** The first lease comes 10 s after the start; a recording that ended before this may have none. */
const FIRST_LEASE_MILLIS = 12_000;

const check = (name: string, problem: string): Check => ({ name, ok: problem === '', detail: problem });

/**
 * True if a pod may be killed a second time: up to v1.26, whose housekeeping uses a list of pods that is two seconds
 * old or new, depending on a fraction of a millisecond. upstream: v1.27 HandlePodCleanups, ForceUpdateIfOlder
 */
export const mayKillTwice = (kubelet = ''): boolean => Number(/^v1\.(\d+)/.exec(kubelet)?.[1] ?? 36) < 27;

function compareCalls(
  want: Conversation,
  got: Conversation,
  { withGaps, maybeTwice }: { readonly withGaps: boolean; readonly maybeTwice: boolean },
): Check[] {
  const out: Check[] = [];
  const uids = (c: Conversation) => [...c.names.byUid.keys()];
  for (const [pod, calls] of want.pods) {
    const theirs = got.pods.get(pod) ?? [];
    let problem = orderProblem(calls, theirs);
    if (problem && maybeTwice) problem = orderProblem(withoutSecondKill(calls), withoutSecondKill(theirs));
    out.push(check(`${pod}: CRI calls in order (${calls.length})`, problem));
    for (const { op, config } of calls) {
      if (!config) continue;
      const twin = theirs.find((call) => call.op === op)?.config;
      const kind = op.startsWith('Run') ? 'sandbox' : 'container';
      const differences = twin
        ? requestDifferences(normalRequest(config, kind, uids(want)), normalRequest(twin, kind, uids(got)))
        : ['no such call'];
      out.push(check(`${pod}: ${op} request`, shortened(differences)));
    }
    const gaps = restartGaps(theirs);
    for (const [op, ms] of restartGaps(calls)) {
      if (!withGaps || ms <= shortGap) continue;
      const name = `${pod}: ${op} comes ${(ms / 1000).toFixed(0)} s after the start before it`;
      out.push(check(name, gapProblem(ms, gaps.get(op))));
    }
  }
  for (const [pod, calls] of got.pods) {
    if (!want.pods.has(pod)) out.push(check(`${pod}: no such pod in the reference`, `${calls.length} calls`));
  }
  return out;
}

function shortened(differences: readonly string[], most = 6): string {
  const rest = differences.length - most;
  return differences.slice(0, most).join('; ') + (rest > 0 ? `; and ${rest} more` : '');
}

function orderProblem(want: readonly PodCall[], got: readonly PodCall[]): string {
  const found = orderDifference(want, got);
  if (!found) return '';
  const texts = (calls: readonly PodCall[]) => calls.map(({ op }) => op).sort();
  if (found.expected.length === 0) {
    return `${found.got.length} more calls: ${found.got
      .slice(0, 4)
      .map(({ op }) => op)
      .join(' | ')}`;
  }
  return `at call ${found.index}: want ${texts(found.expected).join(' | ')}; got ${texts(found.got).join(' | ') || 'nothing'}`;
}

function gapProblem(want: number, got: number | undefined): string {
  if (got === undefined) return 'no such call';
  return isGapNear(want, got) ? '' : `got ${(got / 1000).toFixed(1)} s`;
}

function compareRemovals(want: Conversation, got: Conversation): Check[] {
  if (want.removed.size === 0) return [];
  const missing = [...want.removed].filter((name) => !got.removed.has(name));
  return [check(`removals (${want.removed.size})`, missing.length > 0 ? `not removed: ${missing.join(', ')}` : '')];
}

function compareStatuses(
  what: string,
  want: readonly StatusSnapshot[],
  got: readonly StatusSnapshot[],
  wantUids: Iterable<string>,
  gotUids: Iterable<string>,
): Check[] {
  const theirs = statusHistory(got, statusTextWithout([...gotUids]));
  return [...statusHistory(want, statusTextWithout([...wantUids]))].map(([pod, stands]) => {
    const found = statusDifference(stands, theirs.get(pod) ?? []);
    const problem =
      found && `never seen in order: ${found.expected.text}; nearest: ${found.nearest?.text ?? 'nothing'}`;
    return check(
      `${pod}: ${what} in order (${stands.filter(isStable).length} stable of ${stands.length})`,
      problem ?? '',
    );
  });
}

function compareContainerStates(want: readonly StatusSnapshot[], got: readonly StatusSnapshot[]): Check[] {
  const theirs = containerStates(got);
  return [...containerStates(want)].map(([container, states]) => {
    const missing = [...states].filter((state) => !theirs.get(container)?.has(state));
    const problem = missing.length > 0 ? `never seen: ${missing.join(', ')}` : '';
    return check(`${container}: container states seen (${states.size})`, problem);
  });
}

function compareWrites(reference: Recording, candidate: Recording): Check[] {
  const theirs = podWrites(candidate);
  return [...podWrites(reference)].map(([pod, writes]) => {
    const got = theirs.get(pod) ?? [];
    const same = writes.join() === got.join();
    const problem = same ? '' : `want ${writes.join(' | ')}; got ${got.join(' | ') || 'nothing'}`;
    return check(`${pod}: writes to the API (${writes.length})`, problem);
  });
}

function compareNodes(reference: Recording, candidate: Recording): Check[] {
  const theirs = nodeFacts(candidate);
  const ended = candidate.marks?.at(-1)?.at ?? Number.POSITIVE_INFINITY;
  return Object.entries(nodeFacts(reference) ?? {})
    .filter(([fact]) => !(fact === 'lease' && theirs?.lease === 'none' && ended < FIRST_LEASE_MILLIS))
    .map(([fact, value]) =>
      check(`node: ${fact}`, theirs?.[fact] === value ? '' : `want ${value}; got ${theirs?.[fact]}`),
    );
}

function compareEvents(reference: Recording, candidate: Recording): Check[] {
  const theirs = eventKinds(candidate);
  return [...eventKinds(reference)].map(([pod, kinds]) => {
    const got = theirs.get(pod) ?? new Set();
    const missing = [...kinds].filter((kind) => !got.has(kind)).map((kind) => `missing ${kind}`);
    const extra = [...got].filter((kind) => !kinds.has(kind as string)).map((kind) => `extra ${kind}`);
    return check(`${pod}: kinds of events (${kinds.size})`, [...missing, ...extra].join(', '));
  });
}
