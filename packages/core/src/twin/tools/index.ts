/** What twins are made, held and searched with, for a session that shows both runs. */
import { LeanSimulationSession, type SimulationSource, sessionTools, simulationSource } from '../../debug/index.js';
import { simulationOf } from '../../debug/run/scenario-simulation.js';
import { versionOfRecords } from '../../observe/version/index.js';
import { ScenarioError, startScenario } from '../../scenario/index.js';
import type { Micros, TraceRecord } from '../../trace/index.js';
import type { TwinScenario, Verdict } from '../base/types.js';
import { compare, coverageOf, decisionsOf } from '../compare/index.js';
import { comparable, runFromMidLife } from '../live/index.js';
import { longestSearchedText, scenarioOfTwin, twinScenario, withText } from '../make/index.js';
import { TwinSearch } from '../search/index.js';
import type { TwinTools } from '../session/index.js';

/** Slices of a search between two looks at how far it is. */
const LOOK = 32;
const TRIES = 500;

/** A record as whoever looks at the observed run sees its like: without secrets, where that run has none. */
export type Shown = (record: TraceRecord) => TraceRecord;

/** @param shown applied to the twin's records before they are held against the observed ones; default: as they are */
export function twinTools(shown: Shown = (record) => record): TwinTools {
  // What the twin is held against was one version: it is not offered in others.
  const { eras: _, ...source } = simulationSource();
  const holder = (...args: Parameters<typeof holderOf>): ReturnType<typeof holderOf> => {
    const judge = holderOf(...args);
    return (twin, until) => judge(twin.map(shown), until);
  };
  return {
    make: (seen, { node, ...facts }, era) =>
      twinScenario(runFromMidLife(seen, facts.epochMicros ?? 0).records, {
        ...facts,
        kubelet: versionOfRecords(seen),
        name: nameOf(node),
        ...(era && { era }),
      }),
    withText,
    decisionsOf,
    coverageOf,
    compare: (seen, twin, scenario, { epochMicros }) => holder(seen, scenario, epochMicros)(twin, scenario.until),
    simulate: (scenario, id) =>
      new LeanSimulationSession(
        ofTwin(source, scenario),
        { scenario: scenario.name, text: scenario.text, id },
        sessionTools,
      ),
    *search(seen, scenario, { epochMicros }, tries = TRIES) {
      if (scenario.text.length > longestSearchedText)
        throw new ScenarioError(
          `the twin's scenario has ${scenario.text.length} characters: schedules are searched up to ${longestSearchedText}; make a twin of fewer pods or of a shorter time`,
        );
      const judge = holder(seen, scenario, epochMicros);
      const search = new TwinSearch({
        twin: scenario,
        judge(records, until) {
          const verdict = judge(records, until);
          return { agreed: verdict.same, differences: verdict.differences, verdict };
        },
        budget: { tries },
      });
      const work = search.work();
      let next = work.next();
      for (let n = 0; !next.done; next = work.next())
        yield n++ % LOOK === 0 ? { done: search.report().tries, of: tries } : undefined;
      const { before, best, tries: tried, choices, summary, text } = next.value;
      const helps =
        best !== null &&
        before !== null &&
        (best.judged.differences.length < before.differences.length || best.judged.agreed > before.agreed);
      const told = helps ? choices.map((one) => ({ text: one.text, seq: one.seq })) : [];
      return { chance: { tried, choices: told, text: summary }, text: helps ? text : null };
    },
  };
}

/** The same source, whose runs of a generated twin begin with the twin's document. */
function ofTwin(source: SimulationSource, twin: Pick<TwinScenario, 'name' | 'text' | 'document'>): SimulationSource {
  const { text, document } = twin;
  if (document === undefined) return source;
  return {
    ...source,
    open: (spec) => (spec.text === text ? spec : (source.open?.(spec) ?? spec)),
    start(request) {
      if (request.text !== text) return source.start(request);
      const { seed, era, sink } = request;
      return simulationOf(
        startScenario(scenarioOfTwin(twin), {
          sink,
          ...(seed !== undefined && { seed }),
          ...(era !== undefined && { era }),
        }),
      );
    },
  };
}

/** Holds runs of a twin against what was observed, from where the state of its pods is known. */
function holderOf(
  seen: readonly TraceRecord[],
  { seenFrom, until: end, kubelet, era, left }: TwinScenario,
  epochMicros: number | null,
): (twin: readonly TraceRecord[], until: Micros) => Verdict {
  const { records, beginning } = runFromMidLife(seen, epochMicros ?? 0);
  const can = (shift: Micros) => (beginning ? comparable(beginning, shift) : () => true);
  const decisions = decisionsOf(records).filter(can(0));
  const told = { coverage: coverageOf(seen), kubelet, era, left, seenFrom, epochMicros, records };
  return (twin, until) => {
    // Of a run that was cut short the observed one is looked at no further.
    const to = seenFrom + Math.min(until, end);
    const theirs = until >= end ? decisions : decisions.filter((d) => d.time <= to);
    return compare(theirs, decisionsOf(twin).filter(can(seenFrom)), { ...told, until: to });
  };
}

/** A scenario's name: small letters, digits, -. */
const nameOf = (node: string): string =>
  node
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 50) || 'kubelet';
