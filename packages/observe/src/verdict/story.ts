import { type Incident, incidentSentence, nextCommands, utcClock, verdictOf } from '@syncloop/core/debug/incidents';
import type { IncidentStory, VerdictInput, VerdictStory } from './types.js';

const MOST_PODS = 20;

/** Returns the verdict on a run as a story: every incident with its sentences, times and commands. */
export function verdictStory(input: VerdictInput): VerdictStory {
  const { answer, kubelet, sources, by, programs } = input;
  const { epochMicros } = input;
  const clock = utcClock(epochMicros, { from: answer.from, to: answer.to.time });
  const at = (micros: number): string => {
    const date = new Date(((epochMicros ?? Number.NaN) + micros) / 1000);
    return Number.isNaN(date.getTime()) ? '' : date.toISOString();
  };
  const shown = (one: Incident): IncidentStory => ({
    kind: one.kind,
    expected: one.expected,
    confidence: one.confidence,
    text: incidentSentence(one, clock),
    begin: at(one.begin.time),
    end: one.end === null ? null : at(one.end.time),
    ended: one.end?.how ?? null,
    count: one.count,
    pod: one.pod,
    container: one.container,
    pods: names(one.pods),
    what: one.what,
    consequences: one.consequences.map(({ kind, from, begin, text, count, pods }) => ({
      ...{ kind, from, text, count, at: at(begin.time), time: clock.time(begin.time, one.begin.time) },
      pods: names(pods),
    })),
    next: one.expected ? [] : nextCommands(one, { clock, node: kubelet.node, runtime: kubelet.runtime }),
  });
  const { lines, unread } = answer.read;
  return {
    verdict: verdictOf(answer, clock),
    kubelet,
    sources,
    by,
    from: at(answer.from),
    to: at(answer.to.time),
    lines,
    read: lines - unread,
    programs,
    incidents: answer.incidents.filter((i) => !i.expected).map(shown),
    expected: answer.incidents.filter((i) => i.expected).map(shown),
    unknown: { count: answer.unknown.count, some: answer.unknown.some.map(({ what, count }) => ({ what, count })) },
    ...(input.prevention && { prevention: input.prevention }),
    more: answer.more,
  };
}

const names = (pods: Incident['pods']): string[] => pods.slice(0, MOST_PODS).map(({ pod, uid }) => pod || uid);
