/** The tools that make, compare and search twins, for a session that shows both runs. */
import {
  LeanSimulationSession,
  type SimulationSource,
  sessionTools,
  simulationOf,
  simulationSource,
} from '@syncloop/core/debug';
import type { EraVersion } from '@syncloop/core/kubelet/era/versions';
import { ScenarioError, startScenario } from '@syncloop/core/scenario';
import type { Micros, TraceRecord } from '@syncloop/core/trace';
import { versionOfRecords } from '@syncloop/core/version';
import type { Decision, TwinScenario, Verdict } from '../base/types.js';
import { CauseSearch, withDocument } from '../causes/index.js';
import { compare, coverageOf, decisionsOf } from '../compare/index.js';
import { comparable, runFromMidLife } from '../live/index.js';
import {
  cutDecisions,
  longestSearchedText,
  PartKeeper,
  scenarioOfTwin,
  twinScenario,
  withText,
} from '../make/index.js';
import { RemedySearch, subjectOf, unknownOf } from '../remedies/index.js';
import { TwinSearch } from '../search/index.js';
import type { TwinTools } from '../session/index.js';

/** Slices of a search between two looks at how far it is. */
const LOOK = 32;
const TRIES = 500;
/** Runs of a twin to prevent an incident. */
const RUNS = 60;

/** Redacts a record of the twin in the same way as the observed run. */
export type Shown = (record: TraceRecord) => TraceRecord;

/** @param shown applied to the twin's records before they are compared with the observed ones; default: unchanged */
export function twinTools(shown: Shown = (record) => record): TwinTools {
  // The observed run has one version: the twin is not offered in others.
  const { eras: _, ...source } = simulationSource();
  const judgeOf = (...args: Parameters<typeof judgeOfSeen>): ReturnType<typeof judgeOfSeen> => {
    const judge = judgeOfSeen(...args);
    return (twin, until) => judge(twin.map(shown), until);
  };
  return {
    part: (cut) => new PartKeeper(cut),
    make: (seen, { node, ...facts }, { era, cut } = {}) =>
      twinScenario(runFromMidLife(seen, facts.epochMicros ?? 0).records, {
        ...facts,
        ...cut,
        kubelet: versionOfRecords(seen),
        name: nameOf(node),
        ...(era && { era }),
      }),
    withText,
    decisionsOf,
    coverageOf,
    compare: (seen, twin, scenario, { epochMicros }) => judgeOf(seen, scenario, epochMicros)(twin, scenario.until),
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
      const judge = judgeOf(seen, scenario, epochMicros);
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
      const deciding = helps ? choices.map((one) => ({ text: one.text, seq: one.seq })) : [];
      return { chance: { tried, choices: deciding, text: summary }, text: helps ? text : null };
    },
    prevent(scenario, { kind, tries = RUNS }) {
      const search = new RemedySearch(subjectOf(scenario, 'twin'), { ...(kind && { kind }), runs: tries });
      return {
        work: search.work(),
        get progress() {
          return search.progress;
        },
        found(ended) {
          const none = { incident: null, runs: search.progress.done, tried: [], unknown: ended ? unknownOf(kind) : [] };
          const { incident, runs, tried, unknown } = search.report() ?? none;
          return {
            answer: { incident, runs, ended, tried: tried.map(({ effect, text }) => ({ effect, text })), unknown },
            scenarios: tried.map((one) => ({ ...withDocument(scenario, one.document), text: one.scenario })),
          };
        },
      };
    },
    causes(seen, scenario, { epochMicros }, tries) {
      const judges = new Map<EraVersion, ReturnType<typeof judgeOf>>();
      const search = new CauseSearch({
        twin: scenario,
        judge(records, until, changed) {
          // Only the version of the twin's kubelet changes what is compared.
          const judge = judges.get(changed.era) ?? judgeOf(seen, changed, epochMicros);
          judges.set(changed.era, judge);
          return judge(records, until);
        },
        ...(tries !== undefined && { budget: { tries } }),
      });
      return {
        work: search.work(),
        get progress() {
          return search.progress;
        },
        found() {
          const { tried, ended, summary, order, found } = search.report();
          return {
            answer: {
              ...{ tried, ended, summary, order },
              found: found.map(({ causes, text, cost, explains, left, nth }) => ({
                ...{ causes, text, cost, explains, left, nth },
              })),
            },
            scenarios: found.map((one) => one.scenario),
          };
        },
      };
    },
  };
}

/** Returns the same source, whose runs of a generated twin begin with the twin's document. */
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

/**
 * Makes a judge that compares runs of a twin with the observed run, from the point on at which the state of its pods is
 * known.
 */
function judgeOfSeen(
  seen: readonly TraceRecord[],
  { seenFrom, until: end, kubelet, era, left, cut = {} }: TwinScenario,
  epochMicros: number | null,
): (twin: readonly TraceRecord[], until: Micros) => Verdict {
  const { records, beginning } = runFromMidLife(seen, epochMicros ?? 0);
  const can = (shift: Micros) => (beginning ? comparable(beginning, shift) : () => true);
  const within = (list: readonly Decision[], shift: Micros) => cutDecisions(list.filter(can(shift)), cut, shift);
  const decisions = within(decisionsOf(records), 0);
  const options = { coverage: coverageOf(seen), kubelet, era, left, seenFrom, epochMicros, records };
  return (twin, until) => {
    // If a run was cut short, the observed run is compared only up to the same time.
    const to = Math.min(cut.to ?? Number.POSITIVE_INFINITY, seenFrom + Math.min(until, end));
    const theirs = until >= end ? decisions : decisions.filter((d) => d.time <= to);
    return compare(theirs, within(decisionsOf(twin), seenFrom), { ...options, until: to });
  };
}

/** A scenario's name: small letters, digits, -. */
const nameOf = (node: string): string =>
  node
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 50) || 'kubelet';
