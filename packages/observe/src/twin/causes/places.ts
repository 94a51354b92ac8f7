/** The places of a comparison that causes are tried for. */
import type { Micros } from '@syncloop/core/trace';
import { type JsonObject, numberOf, objectOf, textOf } from '../base/json.js';
import type { Decision, Difference } from '../base/types.js';
import { nodeOf } from './document.js';
import { containersOf, manifestOf } from './manifests.js';
import type { Place } from './types.js';

/** A follower of a difference that comes this much later may be nearer to its cause. */
const LATER: Micros = 500_000;
/** A difference, and the first one that follows from it later: a status may differ long before it shows why. */
export function placesOf(difference: Difference): Difference[] {
  const { followers = [] } = difference;
  const later = followers.findIndex((one) => timeOf(one) > timeOf(difference) + LATER);
  const found = followers[later];
  return found ? [difference, { ...found, followers: followers.slice(later + 1) }] : [difference];
}
const timeOf = ({ seen, twin }: Difference): Micros => (seen ?? twin)?.time ?? 0;

/**
 * Looks up at a difference what guesses need. `taken`: the decisions of the twin's run; `seenFrom`: the observed run's
 * clock at time 0 of the twin.
 */
export function placeOf(
  difference: Difference,
  document: JsonObject,
  taken: readonly Decision[],
  seenFrom: Micros,
): Place {
  const { seen, twin } = difference;
  const decision = (seen ?? twin) as Decision;
  const at = Math.max(0, seen ? seen.time - seenFrom : decision.time);
  const pod = nameInDocument(decision.pod, document);
  const container = decision.container ?? textOf(containersOf(manifestOf(document, pod)).at(-1)?.name);
  const late = seen && twin ? Math.max(0, Math.round((at - twin.time) / 1000) * 1000) : 0;
  const ran = taken.findLast(
    (d) =>
      d.pod === decision.pod &&
      d.container === container &&
      d.time <= at &&
      /StartContainer|ContainerStarted/.test(d.what),
  );
  const number = numberOf(ran?.attempt) ?? 0;
  return {
    difference,
    decision,
    pod,
    container,
    at,
    late,
    failed: failedAt(difference, seenFrom),
    began: ran?.time ?? null,
    attempt: number,
    document,
  };
}

function failedAt(difference: Difference, seenFrom: Micros): Micros | null {
  const ends = [difference, ...(difference.followers ?? [])].flatMap(({ seen }) =>
    seen?.kind === 'call' && objectOf(seen.details).error !== undefined
      ? [seen.time + (seen.took ?? 0) - seenFrom]
      : [],
  );
  return ends.length > 0 ? Math.max(0, Math.min(...ends)) : null;
}

/** A pod's name (namespace/name) as the scenario's steps write it. */
export function nameInDocument(pod: string, document: JsonObject): string {
  const short = pod.replace(/^default\//, '');
  const suffix = `-${textOf(nodeOf(document).nodeName) || 'node1'}`;
  const bare = short.endsWith(suffix) ? short.slice(0, -suffix.length) : short;
  return manifestOf(document, short) ? short : bare;
}
