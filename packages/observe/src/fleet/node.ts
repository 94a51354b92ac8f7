import { type Incident, incidentSentence, utcClock, verdictOf, wrongOf } from '@syncloop/core/debug/incidents';
import type { VerdictInput } from '../verdict/index.js';
import type { Sightings } from './sightings.js';
import type { FleetIncident, FleetNode } from './types.js';

const MOST_INCIDENTS = 200;
const MOST_PODS = 20;
const MOST_WORDS = 300;
/** Landings that are kept: the latest, for a pod that is evicted elsewhere lands soon after. */
const MOST_LANDINGS = 2000;

/** Reduces what was read of one node to what a fleet's verdict needs. */
export function fleetNode(
  { name, source }: Pick<FleetNode, 'name' | 'source'>,
  input: VerdictInput,
  sightings: Sightings,
): FleetNode {
  const { answer, epochMicros, kubelet } = input;
  const ahead = sightings.clock();
  // Sentences say the API server's time, as far as it is known.
  const epoch = epochMicros === null ? null : epochMicros - (ahead?.ahead ?? 0) * 1000;
  const clock = utcClock(epoch, { from: answer.from, to: answer.to.time });
  const at = (micros: number): number => Math.round(((epochMicros ?? 0) + micros) / 1000);
  const wrong = wrongOf(answer);
  const landings = epochMicros === null ? [] : sightings.landings(epochMicros);
  const evictions = epochMicros === null ? [] : sightings.evictions(epochMicros);
  const shown = (one: Incident): FleetIncident => ({
    kind: one.kind,
    pod: one.pod,
    container: one.container,
    text: incidentSentence(one, clock),
    what: one.what.slice(0, MOST_WORDS),
    image: String(one.facts.image ?? ''),
    count: one.count,
    begin: at(one.begin.time),
    last: at(one.last.time),
    end: one.end === null ? null : at(one.end.time),
    pods: one.pods.slice(0, MOST_PODS).map(({ pod, uid }) => pod || uid),
    consequences: one.consequences.map(({ kind, begin, pods }) => ({
      kind,
      begin: at(begin.time),
      pods: pods.slice(0, MOST_PODS).map(({ pod, uid }) => pod || uid),
    })),
  });
  const { lines, unread } = answer.read;
  // A list of pods may have been taken days after the log: nothing could begin in between.
  const span = sightings.lines ?? { from: answer.from, to: answer.to.time };
  return {
    name: name || kubelet.node,
    source,
    version: kubelet.version,
    level: verdictOf(answer, clock).level,
    lines,
    read: lines - unread,
    from: epochMicros === null ? null : at(span.from),
    to: epochMicros === null ? null : at(span.to),
    clock: ahead,
    incidents: wrong.slice(0, MOST_INCIDENTS).map(shown),
    landings: landings.slice(-MOST_LANDINGS),
    evictions: evictions.slice(-MOST_LANDINGS),
    dropped:
      Math.max(0, wrong.length - MOST_INCIDENTS) +
      answer.more +
      Math.max(0, landings.length - MOST_LANDINGS) +
      Math.max(0, evictions.length - MOST_LANDINGS) +
      sightings.dropped,
    problem: '',
  };
}
